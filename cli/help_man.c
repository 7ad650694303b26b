// The manual page limb(1), from the tables of the commands.
//
// Macros of man(7) only, no tables or drawings: groff and mandoc read it alike.
#include "cli.h"
#include "help.h"

#include "limb/limb.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// One character. Backslashes would be escapes, minus signs would become hyphens (which cannot be copied to a
// shell), quotes and the like would be made pretty.
static int character(char c)
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
static void text(const char* s)
{
  for (; *s; s++) (void)character(*s);
}

// Text of its own, in short lines. A point or quote in front would be a macro.
static void line(const char* s)
{
  enum { WIDTH = 72 }; // escapes make it a little longer
  int at = 0;
  while (*s) {
    const int length = (int)strcspn(s, " ");
    if (at > 0 && at + 1 + length > WIDTH) {
      putchar('\n');
      at = 0;
    }
    if (at > 0) at += printf(" ");
    if (at == 0 && (*s == '.' || *s == '\'')) at += printf("\\&");
    for (int k = 0; k < length; k++) at += character(s[k]);
    for (s += length; *s == ' '; s++) {
    }
  }
  putchar('\n');
}

// A line that is not filled keeps its blanks.
static void plain_line(const char* s)
{
  if (*s == '.' || *s == '\'') printf("\\&");
  text(s);
  putchar('\n');
}

// Paragraphs; lines that begin with blanks stay as they are.
static void paragraphs(const char* const* s)
{
  int plain = 0; // inside lines that are not filled
  for (; s && *s; s++) {
    const int shifted = **s == ' ';
    if (shifted && !plain) printf(".PP\n.nf\n");
    if (!shifted && plain) printf(".fi\n");
    plain = shifted;
    if (shifted) {
      plain_line(*s);
    } else if (**s) {
      line(*s);
    } else if (s[1] && *s[1] != ' ') {
      printf(".PP\n");
    }
  }
  if (plain) printf(".fi\n");
}

static void option(const char* name, const char* argument, const char* help)
{
  printf(".TP\n\\fB\\-\\-");
  text(name);
  printf("\\fR");
  if (argument) {
    printf(" \\fI");
    text(argument);
    printf("\\fR");
  }
  putchar('\n');
  line(help);
}

static void options(const cli_option* o)
{
  for (; o->name; o++) {
    if (*o->name) {
      option(o->name, o->argument, o->help);
    } else {
      printf(".PP\n");
      text(o->help);
      printf(":\n");
    }
  }
}

static void command(const cli_command* c)
{
  char summary[256];
  printf(".SS limb ");
  text(c->name);
  if (c->options && *c->options) printf(" [options]");
  if (*c->operands) putchar(' ');
  text(c->operands);
  putchar('\n');
  (void)snprintf(summary, sizeof summary, "%c%s.", toupper((unsigned char)*c->summary), c->summary + 1);
  line(summary);
  if (c->about && *c->about) printf(".PP\n");
  paragraphs(c->about);
  for (const cli_option* const* group = c->options; group && *group; group++) options(*group);
  for (const char* const* e = c->examples; e && e[0] && e[1]; e += 2) {
    printf(".PP\n");
    text(e[1]);
    printf(":\n.PP\n.RS 4\n.nf\n");
    plain_line(e[0]);
    printf(".fi\n.RE\n");
  }
}

// The registry of quantities (limb/quantities.h).
static void quantities(void)
{
  printf(".SH QUANTITIES\n");
  line("What limb eval computes, and what channels and formulas of limb sim name; limb eval --list prints shapes and "
       "units.");
  for (int k = 0; limb_get_quantity(k); k++) {
    const limb_quantity_info* q = limb_get_quantity(k);
    printf(".TP\n\\fB");
    text(q->name);
    printf("\\fR ");
    line(q->equation);
    line(q->meaning);
  }
}

int cli_help_man(void)
{
  const unsigned v = limb_version();
  printf(".\\\" Made by limb help --man.\n.TH LIMB 1 \"\" \"limb %u.%u.%u\" \"User Commands\"\n", v >> 16,
         v >> 8 & 0xff, v & 0xff);
  printf(".SH NAME\nlimb \\- robot dynamics: torques, motions, and whether to trust the model\n"
         ".SH SYNOPSIS\n.B limb\n.I command\n[options] [operands]\n.SH DESCRIPTION\n");
  line("Computes inverse and direct dynamics of robots, and everything that goes with them, from "
       "model files.");
  line("A model is a file (URDF, limb YAML, SYMORO .par, MJCF), - for standard input, or the name "
       "of a built-in "
       "robot.");
  line("Units are SI and radians; limb --conventions prints frames, orders and signs.");
  printf(".SH OPTIONS\n");
  option("help", NULL, "list the commands");
  option("version", NULL, "version of the library, and the instruction set it uses here");
  option("conventions", NULL, "units, frames, orders and signs of everything that limb reads and writes");
  printf(".SH COMMANDS\n");
  for (const cli_command* const* c = cli_commands; *c; c++) command(*c);
  quantities();
  printf(".SH EXIT STATUS\n0 fine, 1 findings or a failed check, 2 usage or I/O, 3 invalid model,\n"
         "4 numerical failure.\n.SH ENVIRONMENT\n.TP\n.B NO_COLOR\nWhen set, no colours are used on "
         "terminals.\n.TP\n.B LIMB_ISA\nInstruction set of the kernels: base, v3 (AVX2) or v4 "
         "(AVX-512), "
         "instead of the best\nthat the processor has.\n");
  return limb_cli_close_output("limb help");
}
