// Help of the tool and of each command, and the manual page, from the tables of the commands.
#include "limb/quantities.h"

#include "base/command.h"
#include "base/print.h"

#include "limb/base.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, HELP_COLUMN = 24, PARAGRAPH = 4000 };

static const char* const exit_codes[] = {
  "0 fine, 1 findings or a failed check, 2 usage or I/O, 3 invalid model,",
  "4 numerical failure",
  NULL,
};

static const cli_option tool_options[] = {
  {"help", NULL, "this text; limb COMMAND --help describes a command"},
  {"version", NULL, "version of the library, and the instruction set in use"},
  {"conventions", NULL, "units, frames, orders and signs of everything that limb reads and writes"},
  {0},
};

const cli_command* cli_find_command(const char* name)
{
  for (const cli_command* const* c = cli_commands; *c; c++)
    if (strcmp((*c)->name, name) == 0) return *c;
  return NULL;
}

int cli_unknown_command(const char* name)
{
  const char* names[64] = {NULL};
  int n = 0;
  for (const cli_command* const* c = cli_commands; *c && n < 63; c++) names[n++] = (*c)->name;
  const char* near = limb_nearest_name(name, names);
  if (near)
    (void)fprintf(stderr, "limb: unknown command '%s'; did you mean '%s'?\n", name, near);
  else
    (void)fprintf(stderr, "limb: unknown command '%s'; limb --help lists them\n", name);
  return EXIT_USAGE;
}

// ---- pieces ----------------------------------------------------------------------------------------

static void heading(FILE* out, const char* text)
{
  (void)fprintf(out, "\n%s%s%s\n", cli_on(out, CLI_BOLD), text, cli_off(out, CLI_BOLD));
}

// Words from a column on, lines broken before WIDTH, and the end of the line.
static void fill(FILE* out, const char* text, int column)
{
  int at = column;
  while (*text) {
    const int length = (int)strcspn(text, " "), first = at == column;
    if (!first && at + 1 + length > WIDTH) {
      (void)fprintf(out, "\n%*s", column, "");
      at = column;
    } else if (!first) {
      at += fprintf(out, " ");
    }
    at += fprintf(out, "%.*s", length, text);
    for (text += length; *text == ' '; text++) {
    }
  }
  (void)fprintf(out, "\n");
}

// Copies the paragraph at *text and moves on; 0 at the end.
static int next_paragraph(const char** text, char paragraph[PARAGRAPH])
{
  if (!*text || !**text) return 0;
  const size_t length = strcspn(*text, "\n");
  (void)snprintf(paragraph, PARAGRAPH, "%.*s", (int)length, *text);
  *text += length + ((*text)[length] == '\n');
  return 1;
}

// Paragraphs with empty lines in front; those that begin with blanks are printed as they are.
static void paragraphs(FILE* out, const char* text)
{
  char paragraph[PARAGRAPH];
  while (next_paragraph(&text, paragraph)) {
    (void)fprintf(out, "\n");
    if (*paragraph == ' ')
      (void)fprintf(out, "%s\n", paragraph);
    else
      fill(out, paragraph, 0);
  }
}

// "  --name VALUE     what it does"
static void entry(FILE* out, const char* name, const char* argument, const char* help)
{
  int at = fprintf(out, "  %s%s%s", name, argument ? " " : "", argument ? argument : "");
  if (at >= HELP_COLUMN) {
    (void)fprintf(out, "\n");
    at = 0;
  }
  (void)fprintf(out, "%*s", HELP_COLUMN - at, "");
  fill(out, help, HELP_COLUMN);
}

static void option_group(FILE* out, const cli_option* o)
{
  char name[64];
  if (*o->name) heading(out, "options");
  for (; o->name; o++) {
    if (*o->name) {
      (void)snprintf(name, sizeof name, "--%s", o->name);
      entry(out, name, o->argument, o->help);
    } else {
      heading(out, o->help);
    }
  }
}

static void lines(FILE* out, const char* indent, const char* const* text)
{
  for (; text && *text; text++) (void)fprintf(out, "%s%s\n", **text ? indent : "", *text);
}

static void examples(FILE* out, const char* const* text)
{
  if (text && *text) heading(out, "examples");
  for (; text && text[0] && text[1]; text += 2) {
    (void)fprintf(out, "  %s\n      ", text[0]);
    fill(out, text[1], 6);
  }
}

// ---- the texts -------------------------------------------------------------------------------------

int cli_help_command(const cli_command* c)
{
  FILE* out = stdout;
  const int has_options = c->options && *c->options;
  (void)fprintf(out, "usage: limb %s%s%s%s\n\n", c->name, has_options ? " [options]" : "", *c->operands ? " " : "",
                c->operands);
  (void)fprintf(out, "%c%s.\n", toupper((unsigned char)*c->summary), c->summary + 1);
  paragraphs(out, c->about);
  for (const cli_option* const* group = c->options; group && *group; group++) option_group(out, *group);
  examples(out, c->examples);
  heading(out, "exit codes");
  lines(out, "  ", exit_codes);
  return limb_cli_close_output("limb help");
}

static void overview(FILE* out)
{
  (void)fprintf(out, "usage: limb COMMAND [options] [operands]\n\nRobot dynamics: torques of a motion, "
                     "motion under torques, and whether to\ntrust the model.\n");
  heading(out, "commands");
  for (const cli_command* const* c = cli_commands; *c; c++) entry(out, (*c)->name, NULL, (*c)->summary);
  option_group(out, tool_options);
  (void)fprintf(out, "\nA model is a file (URDF, xacro, SDF, MJCF, limb YAML, SYMORO .par), - for\n"
                     "standard input, or the name of a built-in robot (limb models).\n");
  heading(out, "exit codes");
  lines(out, "  ", exit_codes);
}

int cli_help_overview(void)
{
  overview(stdout);
  return limb_cli_close_output("limb help");
}

void cli_help_mistake(void) { overview(stderr); }

// ---- the manual page limb(1) -----------------------------------------------------------------------

// Macros of man(7) only, no tables or drawings: groff and mandoc read it alike.

// One character. Unescaped, a backslash begins an escape, a minus sign becomes a hyphen (which cannot be copied to a
// shell), and quotes become typographic ones.
static int man_character(char c)
{
  switch (c) {
  case '\\': return printf("\\e");
  case '-': return printf("\\-");
  case '\'': return printf("\\(aq");
  case '`': return printf("\\(ga");
  case '^': return printf("\\(ha");
  case '~': return printf("\\(ti");
  case '"': return printf("\\(dq");
  default: return printf("%c", c);
  }
}

// Text inside a line.
static void man_text(const char* s)
{
  for (; *s; s++) (void)man_character(*s);
}

// A paragraph, in short lines. A line that begins with a point or quote would be a macro.
static void man_line(const char* s)
{
  enum { MAN_WIDTH = 72 }; // escapes make it a little longer
  int at = 0;
  while (*s) {
    const int length = (int)strcspn(s, " ");
    if (at > 0 && at + 1 + length > MAN_WIDTH) {
      putchar('\n');
      at = 0;
    }
    if (at > 0) at += printf(" ");
    if (at == 0 && (*s == '.' || *s == '\'')) at += printf("\\&");
    for (int k = 0; k < length; k++) at += man_character(s[k]);
    for (s += length; *s == ' '; s++) {
    }
  }
  putchar('\n');
}

// A line that is not filled keeps its blanks.
static void man_plain_line(const char* s)
{
  if (*s == '.' || *s == '\'') printf("\\&");
  man_text(s);
  putchar('\n');
}

// Paragraphs; those that begin with blanks are printed as they are.
static void man_paragraphs(const char* text)
{
  char paragraph[PARAGRAPH];
  while (next_paragraph(&text, paragraph)) {
    printf(".PP\n");
    if (*paragraph == ' ')
      printf(".nf\n"), man_plain_line(paragraph), printf(".fi\n");
    else
      man_line(paragraph);
  }
}

static void man_option(const char* name, const char* argument, const char* help)
{
  printf(".TP\n\\fB\\-\\-");
  man_text(name);
  printf("\\fR");
  if (argument) {
    printf(" \\fI");
    man_text(argument);
    printf("\\fR");
  }
  putchar('\n');
  man_line(help);
}

static void man_options(const cli_option* o)
{
  for (; o->name; o++) {
    if (*o->name) {
      man_option(o->name, o->argument, o->help);
    } else {
      printf(".PP\n");
      man_text(o->help);
      printf(":\n");
    }
  }
}

// The registry of quantities (limb/quantities.h).
static void man_quantities(void)
{
  printf(".SH QUANTITIES\n");
  man_line(
    "What limb eval computes, and what channels and formulas of limb sim name; limb eval --list prints shapes and "
    "units.");
  for (int k = 0; limb_get_quantity(k); k++) {
    const limb_quantity_info* q = limb_get_quantity(k);
    printf(".TP\n\\fB");
    man_text(q->name);
    printf("\\fR ");
    man_line(q->equation);
    man_line(q->meaning);
  }
}

static void man_command(const cli_command* c)
{
  char summary[256];
  printf(".SS limb ");
  man_text(c->name);
  if (c->options && *c->options) printf(" [options]");
  if (*c->operands) putchar(' ');
  man_text(c->operands);
  putchar('\n');
  (void)snprintf(summary, sizeof summary, "%c%s.", toupper((unsigned char)*c->summary), c->summary + 1);
  man_line(summary);
  man_paragraphs(c->about);
  for (const cli_option* const* group = c->options; group && *group; group++) man_options(*group);
  for (const char* const* e = c->examples; e && e[0] && e[1]; e += 2) {
    printf(".PP\n");
    man_text(e[1]);
    printf(":\n.PP\n.RS 4\n.nf\n");
    man_plain_line(e[0]);
    printf(".fi\n.RE\n");
  }
}

int cli_help_man(void)
{
  const unsigned v = limb_version();
  printf(".\\\" Made by limb help --man.\n.TH LIMB 1 \"\" \"limb %u.%u.%u\" \"User Commands\"\n", v >> 16,
         v >> 8 & 0xff, v & 0xff);
  printf(".SH NAME\nlimb \\- robot dynamics: torques, motions, and whether to trust the model\n"
         ".SH SYNOPSIS\n.B limb\n.I command\n[options] [operands]\n.SH DESCRIPTION\n");
  man_line("Computes inverse and forward dynamics of robots, and related quantities, from model files.");
  man_line("A model is a file (URDF, xacro, SDF, MJCF, limb YAML, SYMORO .par), - for standard input, or the name "
           "of a built-in robot.");
  man_line("Units are SI and radians; limb --conventions prints frames, orders and signs.");
  printf(".SH OPTIONS\n");
  man_options(tool_options);
  printf(".SH COMMANDS\n");
  for (const cli_command* const* c = cli_commands; *c; c++) man_command(*c);
  man_quantities();
  printf(".SH EXIT STATUS\n0 fine, 1 findings or a failed check, 2 usage or I/O, 3 invalid model,\n"
         "4 numerical failure.\n.SH ENVIRONMENT\n.TP\n.B NO_COLOR\nWhen set, no colours are used on "
         "terminals.\n.TP\n.B LIMB_ISA\nInstruction set of the kernels: base, v3 (AVX2) or v4 (AVX-512), instead of "
         "the best\nthat the processor has.\n");
  return limb_cli_close_output("limb help");
}

// ---- the command `limb help` -----------------------------------------------------------------------

static int run(const cli_args* args)
{
  const char* name = cli_operand(args, 0);
  if (cli_has(args, "man")) {
    if (name) return cli_usage(args, "--man is one page for all commands; leave '%s' out", name);
    return cli_help_man();
  }
  if (!name) return cli_help_overview();
  const cli_command* c = cli_find_command(name);
  return c ? cli_help_command(c) : cli_unknown_command(name);
}

static const cli_option options[] = {
  {"man", NULL, "the manual page limb(1), to be read by man or mandoc"},
  {0},
};

const cli_command cli_help = {
  .name = "help",
  .operands = "[COMMAND]",
  .summary = "help about limb or one of its commands",
  .examples = (const char* const[]){"limb help check", "the same as limb check --help", "limb help --man | man -l -",
                                    "the manual page", NULL},
  .options = (const cli_option* const[]){options, NULL},
  .run = run,
};
