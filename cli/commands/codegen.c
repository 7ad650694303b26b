// `limb codegen`: source text for one robot, and its cost. Files are written once all texts are complete.
#define _POSIX_C_SOURCE 200809L // access

#include "base/command.h"
#include "base/output.h"
#include "base/print.h"
#include "robot/robot.h"

#include "limb/codegen.h"
#include "limb/study.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 3, STATEMENTS_MIN = 10, STATEMENTS_MAX = 1000000000 };

typedef struct language {
  const char* name;
  const char* ending;
} language;

// In the order of limb_language.
static const language languages[] = {{"c", "c"},      {"python", "py"}, {"matlab", "m"},
                                     {"julia", "jl"}, {"rust", "rs"},   {"latex", "tex"}};

// A request and its results.
typedef struct job {
  const cli_args* args;
  const char* folder; // "-": standard output
  limb_codegen_options options;
  cli_robot robot;
  limb_codegen* code;
  cli_text text[FILES]; // by limb_codegen_file
  char* path[FILES];    // NULL: there is no such file
} job;

// ---- the request -----------------------------------------------------------------------------------

static const char LANGUAGES[] = "c|python|matlab|julia|rust|latex";
static const char SINES[] = "libm|given|own";
static const char ORDERS[] = "latency|registers";
static const char SYMBOLS[] = "none|inertia|all";
static const char LANES[] = "1|2|4|8|16";

static int read_request(const cli_args* args, job* w)
{
  limb_codegen_options* o = &w->options;
  *w = (job){.args = args, .options = limb_default_codegen_options()};
  w->folder = cli_has(args, "output") ? cli_get(args, "output") : ".";
  if (cli_has(args, "what")) o->what = cli_get(args, "what");
  o->language = (limb_language)cli_choice(args, "lang");
  o->sines = (limb_sines)cli_choice(args, "sines");
  o->symbols = (limb_symbols)cli_choice(args, "symbols");
  o->order = (limb_statement_order)cli_choice(args, "order");
  o->lanes = 1 << cli_choice(args, "lanes");
  o->prefix = cli_get(args, "prefix");
  o->frame = cli_get(args, "frame");
  o->single = cli_has(args, "float");
  o->gravity_argument = cli_has(args, "given-gravity");
  o->friction = !cli_has(args, "no-friction");
  if (strcmp(w->folder, "-") == 0 && cli_choice(args, "format") == 1)
    return cli_usage(args, "--output - prints the source and --format json the table; use one of them");
  if (strcmp(w->folder, "-") != 0 && access(w->folder, W_OK | X_OK) != 0)
    return cli_usage(args, "--output: %s: cannot be written: %s", w->folder, strerror(errno));
  double split = o->max_statements;
  if (cli_has(args, "effort") && !cli_numbers(args, "effort", 1, &o->effort)) return EXIT_USAGE;
  const int code = cli_whole(args, "split", STATEMENTS_MIN, STATEMENTS_MAX, &split);
  o->max_statements = (int)split;
  return code;
}

// ---- the list of quantities ------------------------------------------------------------------------

// Of all robots, or of those of the kind of one.
static int print_list(const cli_args* args, const limb_model* m)
{
  const char* others = !m ? "" : limb_loop_count(m) > 0 ? "without loops" : "with loops";
  const int json = cli_choice(args, "format") == 1;
  cli_table t = cli_table_make("<quantity=name;<robots;<meaning");
  for (int k = 0; limb_codegen_quantity_name(k); k++) {
    const char* meaning = limb_codegen_quantity_meaning(k);
    if (strcmp(limb_codegen_quantity_robots(k), others) == 0) continue;
    cli_cell(&t, "%s", limb_codegen_quantity_name(k)), cli_cell(&t, "%s", limb_codegen_quantity_robots(k));
    cli_cell_json(&t, cli_json_text(meaning), "%.*s", (int)strcspn(meaning, ";"), meaning); // in short
  }
  if (json) {
    json_t* answer = cli_json_answer();
    (void)json_object_set_new(answer, "quantities", cli_table_json(&t));
    return cli_json_print(answer, stdout, cli_title(args));
  }
  cli_table_print(&t, stdout, "");
  return EXIT_FINE;
}

// ---- generation ------------------------------------------------------------------------------------

// The subject of the library's message in terms of the command line: an option, or a name of the robot.
static void subject(const char* where, char* text, size_t size)
{
  static const char* const names[][2] = {
    {"what", "what"},       {"language", "lang"}, {"sines", "sines"},
    {"symbols", "symbols"}, {"prefix", "prefix"}, {"frame", "frame"},
    {"single", "float"},    {"lanes", "lanes"},   {"max_statements", "split"},
    {"order", "order"},     {"effort", "effort"}, {"coulomb_width", "coulomb-width"}};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    if (strcmp(where, names[k][0]) != 0) continue;
    (void)snprintf(text, size, "--%s", names[k][1]);
    return;
  }
  (void)snprintf(text, size, "%s", where);
}

static int generate(job* w)
{
  limb_error err = {0};
  char about[sizeof err.where + 4];
  const limb_status s = limb_codegen_create(w->robot.model, &w->options, NULL, &w->code, &err);
  if (s == LIMB_OK) return EXIT_FINE;
  subject(err.where, about, sizeof about);
  return cli_failed(w->args, about, s, &err);
}

// <folder>/<prefix><suffix>.<ending>
static char* path_of(const job* w, const char* suffix, const char* ending)
{
  const char* prefix = limb_codegen_prefix(w->code);
  const size_t size = strlen(w->folder) + strlen(prefix) + strlen(suffix) + strlen(ending) + sizeof "/.";
  char* path = malloc(size);
  if (path) (void)snprintf(path, size, "%s/%s%s.%s", w->folder, prefix, suffix, ending);
  return path;
}

static int write_texts(job* w)
{
  const char* const ending[FILES] = {languages[w->options.language].ending, "h", languages[w->options.language].ending};
  static const char* const suffix[FILES] = {"", "", "_test"};
  for (int k = 0; k < FILES; k++) {
    limb_status s = limb_codegen_write(w->code, (limb_codegen_file)k, cli_text_add, &w->text[k]);
    if (s == LIMB_OK && w->text[k].failed) s = LIMB_E_NOMEM;
    if (s == LIMB_OK && w->text[k].size > 0) {
      w->path[k] = path_of(w, suffix[k], ending[k]);
      if (!w->path[k]) s = LIMB_E_NOMEM;
    }
    if (s == LIMB_E_NOMEM) return cli_out_of_memory(w->args);
    if (s != LIMB_OK) return cli_usage(w->args, "%s", limb_status_text(s));
  }
  return EXIT_FINE;
}

// ---- files -----------------------------------------------------------------------------------------

static int fill(const job* w, cli_output* o, int k)
{
  const cli_text* t = &w->text[k];
  if (fwrite(t->bytes, 1, t->size, o->stream) == t->size && fflush(o->stream) == 0) return EXIT_FINE;
  return cli_unwritten(cli_title(w->args), w->path[k], "unknown error");
}

// Whether a file exists that limb did not write, judging by its first lines. Anything but a regular file is left to
// the code that opens it.
static int is_foreign(const char* path)
{
  enum { LINES = 512 };
  char begin[LINES + 1];
  struct stat old;
  if (stat(path, &old) != 0 || !S_ISREG(old.st_mode)) return 0;
  FILE* file = fopen(path, "rb");
  if (!file && errno == ENOMEM) cli_note_out_of_memory(0);
  if (!file) return 1; // unknown
  const size_t n = fread(begin, 1, LINES, file);
  (void)fclose(file);
  begin[n] = '\0';
  return !strstr(begin, "Written by limb ");
}

static int refuse_foreign(const job* w)
{
  for (int k = 0; k < FILES; k++) {
    if (w->path[k] && cli_writes_to(w->args, "--output", w->path[k], "") != EXIT_FINE) return EXIT_USAGE;
    if (w->path[k] && is_foreign(w->path[k]))
      return cli_usage(w->args, "%s exists and was not written by limb: remove it, or use another --output or --prefix",
                       w->path[k]);
  }
  return EXIT_FINE;
}

// Writes all files under temporary names before the first is renamed.
static int save(const job* w)
{
  cli_output out[FILES] = {{0}};
  int code = refuse_foreign(w);
  for (int k = 0; k < FILES && code == EXIT_FINE; k++) {
    if (!w->path[k]) continue;
    code = cli_output_open(&out[k], cli_title(w->args), w->path[k]);
    if (code == EXIT_FINE) code = fill(w, &out[k], k);
  }
  for (int k = 0; k < FILES && code == EXIT_FINE; k++)
    if (out[k].stream) code = cli_output_commit(&out[k], cli_title(w->args));
  for (int k = 0; k < FILES; k++) cli_output_abandon(&out[k]);
  return code;
}

// ---- the table -------------------------------------------------------------------------------------

static cli_table published_table(const limb_model* m, const char* quantity)
{
  cli_table t = cli_table_make("<function=method;>mul;>add;=source");
  limb_published_count c;
  for (int k = 0; limb_get_published_count(m, quantity, k, &c); k++) {
    cli_cell(&t, "%s", c.method), cli_cell_integer(&t, c.mul), cli_cell_integer(&t, c.add);
    cli_cell(&t, "%s", c.source);
  }
  return t;
}

// A row per function; with_published: below it those of published counts.
static cli_table count_table(const job* w, int with_published)
{
  cli_table t =
    cli_table_make("<function=name;>mul;>add;>div;>sines;>other;>statements;>stack;>differs;=quantity;=published");
  limb_codegen_facts f;
  limb_published_count c;
  for (int i = 0; limb_codegen_get(w->code, i, &f) == LIMB_OK; i++) {
    const long counts[] = {f.mul, f.add, f.div, f.sines, f.other, f.statements, f.stack};
    cli_table published = published_table(w->robot.model, f.quantity);
    cli_cell(&t, "%s", f.name);
    for (int k = 0; k < 7; k++) cli_cell_integer(&t, counts[k]);
    cli_cell_json(&t, cli_json_number(f.difference), "%.1e", f.difference);
    cli_cell(&t, "%s", f.quantity), cli_cell_json(&t, cli_table_json(&published), "-");
    for (int k = 0; with_published && limb_get_published_count(w->robot.model, f.quantity, k, &c); k++) {
      cli_cell(&t, "  %s", c.method), cli_cell_integer(&t, c.mul), cli_cell_integer(&t, c.add);
      for (int empty = 3; empty < t.columns; empty++) cli_cell(&t, "%s", "");
    }
  }
  return t;
}

static void print_sources(const job* w, FILE* out)
{
  limb_codegen_facts f;
  limb_published_count c;
  for (int i = 0; i < limb_codegen_count(w->code); i++) {
    if (limb_codegen_get(w->code, i, &f) != LIMB_OK) continue;
    for (int k = 0; limb_get_published_count(w->robot.model, f.quantity, k, &c); k++)
      (void)fprintf(out, "%s: %s\n", c.method, c.source);
  }
}

// When all quantities were requested: the next one of such robots from k on that was not written; NULL: none.
static const char* left_out(const job* w, int* k)
{
  limb_codegen_facts f;
  const char* name = NULL;
  const char* others = limb_loop_count(w->robot.model) > 0 ? "without loops" : "with loops";
  if (!strstr(w->options.what, "all")) return NULL; // "all" is part of no name
  for (bool there = true; there && (name = limb_codegen_quantity_name(*k)); ++*k) {
    there = strcmp(limb_codegen_quantity_robots(*k), others) == 0;
    for (int i = 0; i < limb_codegen_count(w->code) && !there; i++)
      there = limb_codegen_get(w->code, i, &f) == LIMB_OK && strcmp(f.quantity, name) == 0;
  }
  return name;
}

static void print_left_out(const job* w, FILE* out)
{
  int k = 0;
  const char* name = left_out(w, &k);
  if (!name) return;
  (void)fprintf(out, "not written: %s", name);
  while ((name = left_out(w, &k))) (void)fprintf(out, ", %s", name);
  (void)fprintf(out, "; --what with one of these names reports why\n");
}

static void print_table(const job* w, FILE* out)
{
  cli_table t = count_table(w, 1);
  cli_table_print(&t, out, "");
  (void)fprintf(out,
                "\nsines: angles whose sine and cosine are computed; stack: bytes of intermediate "
                "results live at once;\ndiffers: from the library in random states, relative to the largest entry\n");
  print_sources(w, out);
  print_left_out(w, out);
  for (int k = 0; k < FILES; k++)
    if (w->path[k] && out == stdout) (void)fprintf(out, "%s: written\n", w->path[k]);
}

static int print_json(const job* w)
{
  json_t *answer = cli_json_answer(), *files = json_array(), *missing = json_array();
  cli_table t = count_table(w, 0);
  int next = 0;
  for (const char* name; (name = left_out(w, &next));) (void)json_array_append_new(missing, cli_json_text(name));
  cli_json_set(answer, "model language prefix", cli_json_text(limb_model_name(w->robot.model)),
               json_string(languages[w->options.language].name), cli_json_text(limb_codegen_prefix(w->code)));
  for (int k = 0; k < FILES; k++)
    if (w->path[k]) (void)json_array_append_new(files, cli_json_text(w->path[k]));
  cli_json_set(answer, "files functions not_written", files, cli_table_json(&t), missing);
  return cli_json_print(answer, stdout, cli_title(w->args));
}

// ---- the command -----------------------------------------------------------------------------------

static int deliver(job* w)
{
  if (strcmp(w->folder, "-") == 0) {
    const int code = cli_text_save(&w->text[LIMB_FILE_SOURCE], cli_title(w->args), "-");
    if (code == EXIT_FINE) print_table(w, stderr);
    return code;
  }
  const int code = save(w);
  if (code == EXIT_FINE && cli_choice(w->args, "format") == 1) return print_json(w);
  if (code == EXIT_FINE) print_table(w, stdout);
  return code;
}

static int list_quantities(const cli_args* args, const char* source)
{
  cli_robot robot;
  if (!source) return print_list(args, NULL);
  int code = cli_robot_open(args, source, &robot);
  if (code == EXIT_FINE) code = print_list(args, robot.model);
  cli_robot_close(&robot);
  return code;
}

static int run(const cli_args* args)
{
  job w;
  const char* source = cli_operand(args, 0);
  if (cli_has(args, "list")) return list_quantities(args, source);
  if (!source) return cli_usage(args, "no model; usage: limb codegen [options] MODEL");
  int code = read_request(args, &w);
  if (code == EXIT_FINE) code = cli_robot_open(args, source, &w.robot);
  w.options.coulomb_width = w.robot.env.coulomb_width;
  if (code == EXIT_FINE) code = generate(&w);
  if (code == EXIT_FINE) code = write_texts(&w);
  if (code == EXIT_FINE) code = deliver(&w);
  for (int k = 0; k < FILES; k++) {
    cli_text_free(&w.text[k]);
    free(w.path[k]);
  }
  limb_codegen_free(w.code);
  cli_robot_close(&w.robot);
  return code;
}

static const cli_option options[] = {
  {"", NULL, "what is generated"},
  {"what", "QUANTITIES", "separated by commas, or all; --list prints them (default: tau)"},
  {"lang", LANGUAGES, "language (default: c)"},
  {"frame", "NAME",
   "body or frame of J and pose (default: the last body that carries no other); platform of "
   "platform_... (default: the body that most legs are attached to)"},
  {"no-friction", NULL, "leave out Coulomb and viscous friction"},
  {"coulomb-width", "W", "smooth Coulomb friction, Fs tanh(v / W), W in rad/s or m/s (default: Fs sign(v))"},
  {"given-gravity", NULL, "gravity is an argument (default: that of the model is inserted)"},
  {"symbols", SYMBOLS, "numbers of the robot that become an argument p (default: none)"},
  {"list", NULL, "list the quantities, of all robots or of MODEL"},
  {"", NULL, "form of the code"},
  {"float", NULL, "float instead of double (C, Rust)"},
  {"lanes", LANES, "states computed at once, in vectors of gcc and clang (C; default: 1)"},
  {"sines", SINES, "sines and cosines: from math.h, as arguments, or polynomials in the text (own: C; default: libm)"},
  {"order", ORDERS, "order of statements: for latency, or for few registers on small processors (default: latency)"},
  {"effort", "X", "time to search for fewer operations, about in seconds; 0: none (default: 1)"},
  {"split", "N", "split functions into parts of at most N statements, N >= 10 (C; default: do not split)"},
  {"prefix", "NAME", "prefix of all names and files (default: from the name of the robot)"},
  {"", NULL, "the output"},
  {"output", "DIR",
   "folder of the files; - prints the source (default: the current folder). Existing files are "
   "replaced only if limb wrote them"},
  {"format", "text|json", "format of the table of operation counts"},
  {0},
};

const cli_command cli_codegen = {
  .name = "codegen",
  .operands = "[MODEL]",
  .summary = "generate code for one robot: straight-line C without allocation, or five other languages",
  .about =
    "Runs the library's algorithms over symbols and writes the operations that remain for this robot: one function "
    "for each quantity, in straight-line code. C becomes PREFIX.c, PREFIX.h, which explains the arguments, and "
    "PREFIX_test.c, a program that compares the functions with values of the library. The source needs math.h; with "
    "--sines given or own it needs no header, unless it has square roots or --coulomb-width. Every other language "
    "becomes one file.\n"
    "Before files are written, the expressions are evaluated in random states and compared with the library. The "
    "table shows the largest difference and the operation counts, beside published ones. If anything fails, nothing "
    "is written.",
  .examples = (const char* const[]){"limb codegen panda --what tau,acc,M --output src",
                                    "inverse and forward dynamics and mass matrix of a Panda in C",
                                    "limb codegen puma560 --no-friction --output -",
                                    "print the inverse dynamics of a Puma 560, and its operation counts",
                                    "limb codegen arm.urdf --what M,h --float --sines own --split 500",
                                    "for a small processor: no includes, short functions", NULL},
  .options = (const cli_option* const[]){options, cli_model_options, cli_change_options, NULL},
  .run = run,
};
