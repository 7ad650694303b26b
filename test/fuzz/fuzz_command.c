// Any words as a command line: an exit code of the tool's, a message if it is not 0, no file that is not finished, and
// none at all after a mistake. Words are lines; the first is the command. Files are in a folder of their own.
#define _GNU_SOURCE // mkdtemp, open_memstream

#define main limb_main // which fuzzers have
int limb_main(int argc, char** argv);
#include "../../cli/main.c" // NOLINT(bugprone-suspicious-include)
#undef main

#include "fuzz/folder.h"

#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORDS = 40, ROOM = 2048 };

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// ---- the folder ----------------------------------------------------------------------------------------

static const char* const files[][2] = {
  {"s.csv", "time,q.joint1,q.joint2,v.joint1,v.joint2,a.joint1,a.joint2\n0,1,2,3,4,5,6\n1,2,3,4,5,6,7\n"},
  {"t.csv", "time,q.joint1,q.joint2,v.joint1,v.joint2,tau.joint1,tau.joint2\n0,1,2,3,4,5,6\n1,2,3,4,5,6,7\n"},
  {"p.csv", "pose.position.x,pose.position.y,pose.position.z\n1,1,0\n"},
  {"r.yaml", "schema: 1\nmodel: planar_2r\nduration: 10 ms\nsolver: {method: rk4, step: 1 ms}\n"
             "outputs: [{file: run.csv, channels: [q, energy]}, {plot: run.svg}]\n"},
  {"m.yaml", "limb: 1\nname: m\nbodies: [{name: rod, mass: 1, com: [0, 0, 1], inertia: [1, 1, 1, 0, 0, 0]}]\n"
             "joints: [{name: j, type: revolute, parent: world, child: rod, axis: [0, 1, 0]}]\n"},
};

enum { FILES = sizeof files / sizeof *files };

static FILE* real[2]; // standard output and error; those of a run are in memory

static void need(int holds, const char* what)
{
  if (holds) return;
  (void)fprintf(real[1], "%s\n", what);
  abort();
}

static void make_folder(void)
{
  need(work_in_new_folder(), "no folder");
  need(freopen("/dev/null", "r", stdin) != NULL, "no input");
}

static void make_files(void)
{
  for (size_t k = 0; k < FILES; k++) {
    FILE* f = fopen(files[k][0], "w");
    need(f && fputs(files[k][1], f) >= 0 && fclose(f) == 0, "no files");
  }
}

static int is_given(const char* name)
{
  for (size_t k = 0; k < FILES; k++)
    if (strcmp(name, files[k][0]) == 0) return 1;
  return 0;
}

// Removes what a run left; returns the number of files.
static int clean(void)
{
  int count = 0;
  DIR* d = opendir(".");
  need(d != NULL, "the folder is gone");
  for (const struct dirent* x = readdir(d); x; x = readdir(d)) {
    if (strcmp(x->d_name, ".") == 0 || strcmp(x->d_name, "..") == 0 || is_given(x->d_name)) continue;
    need(strncmp(x->d_name, ".limb.", 6) != 0, "an unfinished file");
    need(unlink(x->d_name) == 0, "a file that cannot be removed");
    count++;
  }
  (void)closedir(d);
  return count;
}

static void check_inputs(void)
{
  for (size_t k = 0; k < FILES; k++) {
    char text[ROOM] = "";
    FILE* f = fopen(files[k][0], "r");
    need(f != NULL, "an input is gone");
    (void)!fread(text, 1, sizeof text - 1, f);
    (void)fclose(f);
    need(strcmp(text, files[k][1]) == 0, "an input was overwritten");
  }
}

// ---- the words -----------------------------------------------------------------------------------------

// What decides how long a run takes.
static const char* const bounded[][2] = {
  {"--duration", "0.01"}, {"--step", "1ms"},  {"--rate", "100"}, {"--max-step", "1ms"},  {"--effort", "0"},
  {"--rtol", "1e-6"},     {"--atol", "1e-6"}, {"--end", "0.01"}, {"--interval", "0.01"},
};

// Long numbers ask for much work, and paths lead elsewhere.
static int is_harmless(const char* word)
{
  int digits = 0;
  for (const char* p = word; *p; p++) {
    digits = *p >= '0' && *p <= '9' ? digits + 1 : 0;
    if (digits > 2 || *p == '/' || ((*p == 'e' || *p == 'E') && p > word && p[-1] >= '0' && p[-1] <= '9')) return 0;
  }
  for (size_t k = 0; k < sizeof bounded / sizeof *bounded; k++) {
    const size_t n = strlen(bounded[k][0]);
    if (strncmp(word, bounded[k][0], n) == 0 && word[n] == '=') return 0;
  }
  return !strstr(word, "protein") && !strstr(word, "humanoid") && strcmp(word, "bench") != 0;
}

static char* bound(char* word, const char* before)
{
  for (size_t k = 0; before && k < sizeof bounded / sizeof *bounded; k++) {
    char* value;
    memcpy(&value, &bounded[k][1], sizeof value); // the cast that drops const
    if (strcmp(before, bounded[k][0]) == 0) return value;
  }
  return word;
}

// Runs it; says is what it prints on standard output and error.
static int run_command(const cli_command* c, int count, char** words, char* says[2])
{
  size_t length[2];
  stdout = open_memstream(&says[0], &length[0]);
  stderr = open_memstream(&says[1], &length[1]);
  const int code = cli_run(c, count, words);
  (void)fclose(stdout), (void)fclose(stderr);
  stdout = real[0], stderr = real[1];
  return code;
}

// Splits lines into words; their number, 0 if they are not to be run.
static int split(char* text, char** words)
{
  int count = 0;
  static char short_search[] = "--effort", none[] = "0";
  for (char* at = text; at && count < WORDS - 3; count++) {
    words[count] = strsep(&at, "\n");
    if (!is_harmless(words[count])) return 0;
    words[count] = bound(words[count], count > 1 ? words[count - 1] : NULL);
  }
  if (count > 0 && strcmp(words[0], "codegen") == 0) {
    int given = 0;
    for (int k = 0; k < count; k++) given |= strcmp(words[k], short_search) == 0;
    if (!given) words[count++] = short_search, words[count++] = none;
  }
  return count;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  static int ready;
  char text[ROOM], *words[WORDS] = {0}, *says[2] = {NULL, NULL};
  real[0] = stdout, real[1] = stderr;
  if (!ready++) make_folder(), make_files();
  if (size >= sizeof text || memchr(data, 0, size)) return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  const int count = split(text, words);
  const cli_command* c = count > 0 ? cli_find_command(words[0]) : NULL;
  if (!c) return 0;
  const int code = run_command(c, count - 1, words + 1, says);
  need(code >= 0 && code <= 4, "an unknown exit code");
  need(code != EXIT_USAGE || *says[0] || *says[1], "a mistake without a message"); // findings are output
  need(code == EXIT_FINE || *says[0] || *says[1], "a failure without a word");
  free(says[0]), free(says[1]);
  const int left = clean();
  need(code != EXIT_USAGE || left == 0, "a mistake left a file");
  check_inputs();
  return 0;
}
