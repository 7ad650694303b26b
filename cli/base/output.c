// Files that appear whole or not at all, the progress bar, and the end of standard output.
#define _POSIX_C_SOURCE 200809L // open, realpath, sigaction, clock_gettime
#define _XOPEN_SOURCE   700     // realpath

#include "base/output.h"
#include "base/cli.h"

#include "limb/draw.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// ---- signals ---------------------------------------------------------------------------------------

enum { MAX_FILES = 8 };

// Read by the signal handler. Slots change only while its signals are blocked.
static char* unfinished[MAX_FILES];
static volatile sig_atomic_t caught; // number of the signal

static const int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM};
enum { WATCHED = sizeof watched / sizeof *watched };

static void remove_unfinished(void)
{
  for (int i = 0; i < MAX_FILES; i++)
    if (unfinished[i]) (void)unlink(unfinished[i]);
}

static void end_by(int number)
{
  (void)signal(number, SIG_DFL);
  (void)raise(number);
}

// The first Ctrl-C asks the command to stop, and gives it a second: it may be waiting for input. Everything
// else, and the second Ctrl-C, ends the process.
static void on_signal(int number)
{
  const int first = caught == 0;
  if (number != SIGALRM || first) caught = number;
  if (number == SIGINT && first) {
    (void)alarm(1);
    return;
  }
  remove_unfinished();
  end_by((int)caught); // raised when the handler returns
}

// No SA_RESTART: a read that waits for input must return.
static void watch_signals(void)
{
  struct sigaction act = {0}, old;
  act.sa_handler = on_signal;
  (void)sigemptyset(&act.sa_mask);
  for (int i = 0; i < WATCHED; i++) {
    // A signal that is ignored stays ignored (nohup).
    if (sigaction(watched[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) (void)sigaction(watched[i], &act, NULL);
  }
}

static void block_signals(int how)
{
  sigset_t set;
  (void)sigemptyset(&set);
  for (int i = 0; i < WATCHED; i++) (void)sigaddset(&set, watched[i]);
  (void)sigprocmask(how, &set, NULL);
}

int cli_interrupted(void) { return caught != 0; }

void cli_end_interrupted(void)
{
  if (caught) end_by((int)caught);
}

// Adds a name to the list of the handler, or removes it; 0 if the list is full.
static int replace_unfinished(const char* from, char* to)
{
  int done = 0;
  block_signals(SIG_BLOCK);
  for (int i = 0; i < MAX_FILES && !done; i++) {
    if (unfinished[i] != from) continue;
    unfinished[i] = to;
    done = 1;
  }
  block_signals(SIG_UNBLOCK);
  return done;
}

// ---- files -----------------------------------------------------------------------------------------

static int cannot(const char* command, const char* path, const char* what)
{
  (void)fprintf(stderr, "%s: %s: %s: %s\n", command, path, what, strerror(errno));
  return EXIT_USAGE;
}

int cli_unwritten(const char* command, const char* what, const char* why)
{
  if (errno != EPIPE)
    (void)fprintf(stderr, "%s: %s could not be written: %s\n", command, what, errno ? strerror(errno) : why);
  return EXIT_USAGE;
}

static void forget(cli_output* o)
{
  free(o->path);
  free(o->temporary);
  *o = (cli_output){0};
}

// <folder>/.<name>.<pid>.tmp
static char* temporary_name(const char* path)
{
  const char* slash = strrchr(path, '/');
  const int folder = slash ? (int)(slash - path) + 1 : 0;
  const size_t size = strlen(path) + 32;
  char* name = malloc(size);
  if (name) (void)snprintf(name, size, "%.*s.%s.%ld.tmp", folder, path, path + folder, (long)getpid());
  return name;
}

static int open_directly(cli_output* o, const char* command)
{
  o->stream = fopen(o->path, "w");
  if (o->stream) return EXIT_FINE;
  const int code = cannot(command, o->path, "cannot be written");
  forget(o);
  return code;
}

// A file that is replaced keeps its permissions.
static int open_temporary(cli_output* o, const char* command, const struct stat* old)
{
  int file = -1;
  o->temporary = temporary_name(o->path);
  if (o->temporary && replace_unfinished(NULL, o->temporary)) {
    (void)unlink(o->temporary); // left by a killed process with this number
    file = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
  }
  if (file >= 0 && old) (void)fchmod(file, old->st_mode & 0777);
  if (file >= 0) o->stream = fdopen(file, "w");
  if (o->stream) return EXIT_FINE;
  const int code = cannot(command, o->path, "cannot be written");
  if (file >= 0) (void)close(file);
  cli_output_abandon(o);
  return code;
}

int cli_same_file(const char* input, const char* output)
{
  struct stat in, out;
  const int failed = strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &in) : stat(input, &in);
  if (failed != 0 || strcmp(output, "-") == 0 || stat(output, &out) != 0) return 0;
  return S_ISREG(in.st_mode) && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

// The target of a symbolic link, one step: a path to be freed; NULL: not a link.
static char* follow(const char* path)
{
  enum { LONGEST = 4096 }; // target of a link
  struct stat about;
  const char* slash = strrchr(path, '/');
  if (lstat(path, &about) != 0 || !S_ISLNK(about.st_mode)) return NULL;
  const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
  const size_t capacity = folder + LONGEST + 1;
  char* to = malloc(capacity);
  if (!to) return NULL;
  memcpy(to, path, folder);
  const ssize_t length = readlink(path, to + folder, LONGEST);
  if (length < 0) {
    free(to);
    return NULL;
  }
  to[folder + (size_t)length] = '\0';
  if (to[folder] == '/') memmove(to, to + folder, (size_t)length + 1);
  return to;
}

// A symbolic link is kept: its target is written, whether it exists or not.
static char* resolve(const char* path)
{
  char* at = realpath(path, NULL);
  if (at) return at;
  at = strdup(path);
  for (int steps = 0; at && steps < 40; steps++) {
    char* next = follow(at);
    if (!next) break;
    free(at);
    at = next;
  }
  return at;
}

int cli_output_open(cli_output* o, const char* command, const char* path)
{
  struct stat old;
  *o = (cli_output){0};
  if (!path || strcmp(path, "-") == 0) {
    o->stream = stdout;
    return EXIT_FINE;
  }
  const int exists = stat(path, &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) {
    errno = EISDIR;
    return cannot(command, path, "cannot be written");
  }
  if (!exists && errno == ELOOP) return cannot(command, path, "cannot be written");
  if (exists && access(path, W_OK) != 0) return cannot(command, path, "cannot be written");
  o->path = resolve(path);
  if (!o->path) return cannot(command, path, "cannot be written");
  if (exists && !S_ISREG(old.st_mode)) return open_directly(o, command);
  watch_signals();
  return open_temporary(o, command, exists ? &old : NULL);
}

int cli_output_commit(cli_output* o, const char* command)
{
  if (!o->path) {
    *o = (cli_output){0};
    return limb_cli_close_output(command);
  }
  errno = 0;
  const int failed = ferror(o->stream);
  const int closed = fclose(o->stream);
  o->stream = NULL;
  if (failed && errno == 0) errno = EIO; // of an earlier write
  if (failed || closed != 0 || (o->temporary && rename(o->temporary, o->path) != 0)) {
    const int code = cannot(command, o->path, "cannot be written");
    cli_output_abandon(o);
    return code;
  }
  if (o->temporary) (void)replace_unfinished(o->temporary, NULL);
  forget(o);
  return EXIT_FINE;
}

void cli_output_abandon(cli_output* o)
{
  if (o->path && o->stream) (void)fclose(o->stream);
  if (o->temporary) {
    (void)unlink(o->temporary);
    (void)replace_unfinished(o->temporary, NULL);
  }
  forget(o);
}

// ---- text ------------------------------------------------------------------------------------------

void cli_text_add(void* text, const char* more)
{
  cli_text* t = text;
  const size_t length = strlen(more);
  if (t->failed) return;
  if (t->size + length + 1 > t->capacity) {
    const size_t capacity = 2 * (t->size + length + 1);
    char* bytes = realloc(t->bytes, capacity);
    if (!bytes) {
      t->failed = 1;
      return;
    }
    t->bytes = bytes;
    t->capacity = capacity;
  }
  memcpy(t->bytes + t->size, more, length + 1);
  t->size += length;
}

void cli_text_free(cli_text* text)
{
  free(text->bytes);
  *text = (cli_text){0};
}

int cli_text_save(const cli_text* text, const char* command, const char* path)
{
  cli_output o;
  const int code = cli_output_open(&o, command, path);
  if (code != EXIT_FINE) return code;
  errno = 0;
  if (text->size > 0 && fwrite(text->bytes, 1, text->size, o.stream) < text->size) {
    const int failed = cli_unwritten(command, path, "unknown error");
    cli_output_abandon(&o);
    return failed;
  }
  return cli_output_commit(&o, command);
}

// ---- progress --------------------------------------------------------------------------------------

static double now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

cli_progress cli_progress_begin(const char* what, uint64_t total)
{
  const char* term = getenv("TERM");
  cli_progress p = {.what = what, .total = total};
  p.terminal = isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
  p.start = p.terminal ? now() : 0;
  return p;
}

static void draw(const cli_progress* p, uint64_t done, double elapsed)
{
  enum { WIDTH = 30 };
  static const char full[] = "##############################";
  if (p->total == 0) {
    (void)fprintf(stderr, "\r%s: %.0f s\033[K", p->what, elapsed);
  } else {
    const double part = (double)(done < p->total ? done : p->total) / (double)p->total;
    const double left = part > 0 ? elapsed * (1 - part) / part : 0;
    (void)fprintf(stderr, "\r%s [%-*.*s] %3.0f%%, %.0f s left\033[K", p->what, WIDTH, (int)(WIDTH * part), full,
                  100 * part, left);
  }
  (void)fflush(stderr);
}

// The bar appears after half a second; then it is updated ten times per second.
void cli_progress_update(cli_progress* p, uint64_t done)
{
  if (!p->terminal) return;
  const double t = now() - p->start;
  if (t < 0.5 || t - p->shown < 0.1) return;
  p->shown = t;
  draw(p, done, t);
}

void cli_progress_end(cli_progress* p)
{
  if (p->terminal && p->shown > 0) (void)fprintf(stderr, "\r\033[K");
  p->shown = 0;
}

// ---- standard output -------------------------------------------------------------------------------

// A reader that closes the pipe (head, less) needs no message.
int limb_cli_close_output(const char* command)
{
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return EXIT_FINE;
  if (errno != EPIPE)
    (void)fprintf(stderr, "%s: the output could not be written%s%s\n", command, errno ? ": " : "",
                  errno ? strerror(errno) : "");
  return EXIT_USAGE;
}

// ---- pictures --------------------------------------------------------------------------------------

int cli_picture_option(const cli_args* args, const char* option)
{
  const char* path = cli_get(args, option);
  if (!path || limb_picture_of(path) != LIMB_PICTURE_NONE) return EXIT_FINE;
  return cli_usage(args, "--%s: '%s' ends neither in .svg nor in .html", option, path);
}
