// Arguments of commands: GNU options (--name value, --name=value, --), operands, and messages about mistakes.
#include "base/command.h"
#include "base/output.h"

#include "limb/base.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 96, NAME_SPACE = 48 };

struct cli_args {
  const cli_command* command;
  char title[NAME_SPACE]; // "limb info"
  int noptions;
  struct {
    const cli_option* option;
    const char* value;
  } options[MAX_OPTIONS];
  int count;
  char** operands; // in argv, moved to its front
};

const cli_option cli_model_options[] = {
  {"", NULL, "the model"},
  {"base", "as-file|fixed|floating|planar",
   "how the root is attached to the world; the joint that is added is called base (default: as the file specifies, "
   "else fixed)"},
  {"no-mimic", NULL, "mimic joints move on their own"},
  {"from", "urdf|yaml|par|mjcf|sdf", "language of the file (default: by its name, then by its content)"},
  {"max-bytes", "N", "refuse longer files (default: 67108864)"},
  {"model-name", "NAME", "the robot, in an SDF file with several models"},
  {"args", "NAME:=VALUE ...", "arguments of a xacro file, separated by blanks"},
  {"package-path", "A:B:C", "folders of ROS packages, searched before ROS_PACKAGE_PATH and AMENT_PREFIX_PATH"},
  {"density", "X",
   "URDF: links without mass get that of their shapes, boxes to meshes (STL, OBJ, DAE), at X kg/m^3; <collision>, or "
   "else "
   "<visual>"},
  {"srdf", "FILE", "SRDF with named poses and rotors of the robot"},
  {"any-file", NULL, "let the model refer to any file, not only below its folder and in packages"},
  {"loop-tolerance", "X",
   "largest gap of overconstrained loops that rounded numbers keep open, up to 1e-3 m or rad (default: what the file "
   "states, or ten units of its last decimal place, 1e-7 to 1e-4); and of loops in rows of tables (default: 1e-6), "
   "there also of their rates, relative to the largest v and a if these exceed 1"},
  {0},
};

const cli_option cli_world_options[] = {
  {"", NULL, "the world"},
  {"gravity", "X,Y,Z", "acceleration of gravity in m/s^2 (default: the model's, mostly 0,0,-9.81)"},
  {"base-velocity", "WX,WY,WZ,VX,VY,VZ", "velocity of the world itself, in its own axes: a robot on a vehicle"},
  {"base-acceleration", "WX,...,VZ", "its acceleration: angular, and classical linear of its origin"},
  {"no-friction", NULL, "leave Coulomb and viscous friction out"},
  {"coulomb-width", "W", "smooth Coulomb friction, Fs tanh(v / W), W in rad/s or m/s (default: Fs sign(v))"},
  {0},
};

const cli_option cli_format_options[] = {
  {"", NULL, "the output"},
  {"format", "text|json|csv", "how results are printed"},
  {0},
};

// ---- memory ----------------------------------------------------------------------------------------

static struct {
  int ran_out, reported;
} memory;

void cli_note_out_of_memory(int reported)
{
  memory.ran_out = 1;
  memory.reported |= reported;
}

int cli_is_out_of_memory(void) { return memory.ran_out; }

void cli_report_out_of_memory(const cli_args* args)
{
  if (!memory.reported) (void)fprintf(stderr, "%s: out of memory\n", args->title);
  cli_note_out_of_memory(1);
}

// jansson drops a value for which there is no memory, and the answer would lack it.
static void* json_memory(size_t size)
{
  void* block = malloc(size);
  if (!block) cli_note_out_of_memory(0);
  return block;
}

// ---- looking at arguments --------------------------------------------------------------------------

const char* cli_title(const cli_args* args) { return args->title; }

const char* cli_get(const cli_args* args, const char* name)
{
  for (int i = 0; i < args->noptions; i++)
    if (strcmp(args->options[i].option->name, name) == 0) return args->options[i].value;
  return NULL;
}

int cli_has(const cli_args* args, const char* name) { return cli_get(args, name) != NULL; }

int cli_is(const cli_args* args, const char* name, const char* value)
{
  return cli_has(args, name) && strcmp(cli_get(args, name), value) == 0;
}

char* const* cli_words(const cli_args* args) { return args->operands; }

int cli_operand_count(const cli_args* args) { return args->count; }

const char* cli_operand(const cli_args* args, int k) { return k >= 0 && k < args->count ? args->operands[k] : NULL; }

int cli_usage(const cli_args* args, const char* format, ...)
{
  va_list list;
  if (memory.ran_out) return cli_out_of_memory(args); // whatever else seems wrong follows from that
  (void)fprintf(stderr, "%s: ", args->title);
  va_start(list, format);
  (void)vfprintf(stderr, format, list);
  va_end(list);
  (void)fprintf(stderr, "\n");
  return EXIT_USAGE;
}

// The tool never sets a locale, so strtod reads a decimal point; what else it takes (hexadecimals, inf,
// nan, blanks in front) is refused.
static const char* scan_number(const char* text, double* x)
{
  char* end = NULL;
  if (strspn(text, "+-.0123456789eE") == 0) return NULL;
  *x = strtod(text, &end);
  const size_t length = (size_t)(end - text);
  if (length == 0 || strspn(text, "+-.0123456789eE") < length || !isfinite(*x)) return NULL;
  return end;
}

int cli_numbers(const cli_args* args, const char* name, int count, double* values)
{
  const char *text = cli_get(args, name), *at = text;
  if (!text) return 0;
  for (int i = 0; i < count && at; i++) {
    at = scan_number(at, &values[i]);
    if (!at || *at != (i + 1 < count ? ',' : '\0')) at = NULL;
    if (at && *at == ',') at++;
  }
  if (at) return 1;
  if (count == 1)
    (void)cli_usage(args, "--%s takes a number, not '%s'", name, text);
  else
    (void)cli_usage(args, "--%s takes %d numbers with commas between them, not '%s'", name, count, text);
  return 0;
}

int cli_whole(const cli_args* args, const char* name, double min, double max, double* x)
{
  if (!cli_has(args, name)) return EXIT_FINE;
  if (!cli_numbers(args, name, 1, x)) return EXIT_USAGE;
  if (*x >= min && *x <= max && *x == floor(*x)) return EXIT_FINE;
  return cli_usage(args, "--%s must be a whole number from %.16g to %.16g", name, min, max);
}

// Which of the words separated by | a value is; -1: none.
static int find_word(const char* words, const char* value)
{
  const size_t length = strlen(value);
  int k = 0;
  for (const char* word = words; word; k++, word = strchr(word, '|')) {
    word += *word == '|';
    if (strcspn(word, "|") == length && strncmp(word, value, length) == 0) return k;
  }
  return -1;
}

int cli_choice(const cli_args* args, const char* name)
{
  for (int i = 0; i < args->noptions; i++)
    if (strcmp(args->options[i].option->name, name) == 0)
      return find_word(args->options[i].option->argument, args->options[i].value);
  return 0;
}

int cli_positive(const cli_args* args, const char* name, double* x)
{
  if (!cli_has(args, name)) return EXIT_FINE;
  if (!cli_numbers(args, name, 1, x)) return EXIT_USAGE;
  return *x > 0 ? EXIT_FINE : cli_usage(args, "--%s must be above zero", name);
}

// The entry after one.
static const char* after(const char* entry)
{
  entry += strcspn(entry, ",");
  return entry + (*entry == ',');
}

// Whether the entry is of a name, and the length of that; "X" and "*=X" are of all.
static int is_named(const char* entry, size_t* length)
{
  *length = strcspn(entry, ",=");
  return entry[*length] == '=' && *entry != '*';
}

// An entry of a list beside an earlier one. EXIT_FINE, or EXIT_USAGE after a message.
static int check_entry(const cli_args* args, const char* option, const char* entry, const char* earlier)
{
  size_t length, n;
  const int named = is_named(entry, &length), whole = (int)strcspn(entry, ",");
  if (!is_named(earlier, &n)) return EXIT_FINE;
  if (named && n == length && strncmp(earlier, entry, n) == 0)
    return cli_usage(args, "--%s: '%.*s' is given twice", option, (int)(n < 80 ? n : 80), entry);
  if (!named && (*entry == '*' || strspn(entry, "+-.0123456789") > 0))
    return cli_usage(args, "--%s: '%.*s' is for all joints: put it first, or it replaces '%.*s'", option,
                     whole < 40 ? whole : 40, entry, (int)(n < 80 ? n : 80), earlier);
  return EXIT_FINE;
}

int cli_check_names(const cli_args* args, const char* option)
{
  const char* list = cli_get(args, option);
  int code = EXIT_FINE;
  for (const char* at = list; at && *at; at = after(at))
    for (const char* earlier = list; earlier < at && code == EXIT_FINE; earlier = after(earlier))
      code = check_entry(args, option, at, earlier);
  return code;
}

// ---- reading them ----------------------------------------------------------------------------------

static const cli_option* find_option(const cli_command* c, const char* name, size_t length)
{
  for (const cli_option* const* group = c->options; group && *group; group++) {
    for (const cli_option* o = *group; o->name; o++)
      if (*o->name && strlen(o->name) == length && strncmp(o->name, name, length) == 0) return o;
  }
  return NULL;
}

// Options of earlier versions, by command.
static const char* const former_options[][3] = {{"limb assemble", "set", "q"},
                                                {"limb assemble", "svg", "plot"},
                                                {"limb assemble", "tries", "restarts"},
                                                {"limb fd", "method", "loop-method"},
                                                {"limb sim", "closed", "loop-method"},
                                                {"limb sim", "keep", "hold"},
                                                {"limb sim", "longest", "max-step"},
                                                {"limb sim", "most-steps", "max-steps"},
                                                {"limb sim", "stiffness", "stop-stiffness"},
                                                {"limb sim", "damping", "stop-damping"},
                                                {"limb equations", "most", "max-terms"}};

static int unknown_option(const cli_args* args, const char* name, size_t length)
{
  const char* names[MAX_OPTIONS + 1] = {"help"};
  char wrong[NAME_SPACE];
  int n = 1;
  for (const cli_option* const* g = args->command->options; g && *g; g++) {
    for (const cli_option* o = *g; o->name && n < MAX_OPTIONS; o++)
      if (*o->name) names[n++] = o->name;
  }
  (void)snprintf(wrong, sizeof wrong, "%.*s", (int)length, name);
  for (size_t k = 0; k < sizeof former_options / sizeof *former_options; k++)
    if (strcmp(args->title, former_options[k][0]) == 0 && strcmp(wrong, former_options[k][1]) == 0)
      return cli_usage(args, "--%s is now --%s", wrong, former_options[k][2]);
  const char* near = limb_nearest_name(wrong, names);
  if (near) return cli_usage(args, "unknown option --%s; did you mean --%s?", wrong, near);
  return cli_usage(args, "unknown option --%s; %s --help lists the options", wrong, args->title);
}

static int keep_option(cli_args* args, const cli_option* o, const char* value)
{
  if (cli_has(args, o->name)) return cli_usage(args, "--%s is given twice", o->name);
  if (o->argument && !*value) return cli_usage(args, "--%s needs a value: %s", o->name, o->argument);
  if (o->argument && strchr(o->argument, '|') && find_word(o->argument, value) < 0)
    return cli_usage(args, "--%s takes %s, not '%s'", o->name, o->argument, value);
  if (args->noptions == MAX_OPTIONS) return cli_usage(args, "too many options");
  args->options[args->noptions].option = o;
  args->options[args->noptions++].value = value;
  return EXIT_FINE;
}

// One argument that begins with --, and the value after it if the option takes one; advances *i.
static int read_option(cli_args* args, int argc, char** argv, int* i)
{
  const char* name = argv[*i] + 2;
  const size_t length = strcspn(name, "=");
  const char* value = name[length] == '=' ? name + length + 1 : NULL;
  const cli_option* o = find_option(args->command, name, length);
  if (!o) return unknown_option(args, name, length);
  if (!o->argument && value) return cli_usage(args, "--%s takes no value", o->name);
  if (o->argument && !value) {
    if (*i + 1 == argc) return cli_usage(args, "--%s needs a value: %s", o->name, o->argument);
    value = argv[++*i];
  }
  return keep_option(args, o, value ? value : "");
}

static int check_operands(const cli_args* args)
{
  const cli_command* c = args->command;
  int min = 0, max = 0, empty = 0; // empty: a variable of the shell without value, most likely
  for (const char* word = c->operands; *word; word += strcspn(word, " "), word += *word == ' ')
    min += *word != '[', max++;
  if (c->takes_any || strstr(c->operands, "...")) max = args->count;
  for (int k = 0; k < args->count; k++) empty |= !*args->operands[k] && !c->takes_any;
  const int few = args->count < min;
  if (!few && !empty && args->count <= max) return EXIT_FINE;
  const char* optional = c->options && *c->options ? " [options]" : "";
  const char* blank = *c->operands ? " " : "";
  if (few)
    return cli_usage(args, "%s; usage: %s%s%s%s", args->count ? "an operand is missing" : "nothing to work on",
                     args->title, optional, blank, c->operands);
  if (empty) return cli_usage(args, "an operand is empty; usage: %s%s%s%s", args->title, optional, blank, c->operands);
  return cli_usage(args, "unexpected argument '%s'; usage: %s%s%s%s", args->operands[max], args->title, optional, blank,
                   c->operands);
}

// argv holds what follows the name of the command.
static int read_arguments(cli_args* args, int argc, char** argv)
{
  static char output[] = "--output"; // what -o is short for
  int only_operands = 0;
  for (int i = 0; i < argc; i++) {
    if (!only_operands && strcmp(argv[i], "-o") == 0) argv[i] = output;
    char* text = argv[i];
    int code = EXIT_FINE;
    if (only_operands || text[0] != '-' || text[1] == '\0')
      args->operands[args->count++] = text;
    else if (strcmp(text, "--") == 0)
      only_operands = 1;
    else if (text[1] != '-')
      code = cli_usage(args, "unknown option %s; %s --help lists the options", text, args->title);
    else
      code = read_option(args, argc, argv, &i);
    if (code != EXIT_FINE) return code;
  }
  return check_operands(args);
}

// --help takes precedence over mistakes in the other arguments.
static int asks_help(int argc, char** argv)
{
  for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return 1;
  return 0;
}

int cli_run(const cli_command* command, int argc, char** argv)
{
  cli_args args = {.command = command, .operands = argv};
  (void)snprintf(args.title, sizeof args.title, "limb %s", command->name);
  cli_watch_memory(args.title);
  if (asks_help(argc, argv)) return cli_help_command(command);
  cli_forget_files();
  memset(&memory, 0, sizeof memory);
  json_set_alloc_funcs(json_memory, free);
  int code = read_arguments(&args, argc, argv);
  for (const cli_written* w = command->writes; w && w->option && code == EXIT_FINE; w++)
    code = cli_writes(&args, w->option, w->endings);
  double threads = 0;
  if (code == EXIT_FINE) code = cli_whole(&args, "threads", 0, CLI_THREADS_MAX, &threads);
  if (code == EXIT_FINE) code = command->run(&args);
  if (!memory.ran_out)
    return code == EXIT_USAGE ? code : limb_cli_close_output(args.title) == EXIT_FINE ? code : EXIT_USAGE;
  cli_discard_output();
  return cli_out_of_memory(&args);
}
