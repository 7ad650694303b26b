// `limb completion`: scripts that complete command lines in bash, zsh and fish, and the words that they ask for:
//
//   limb completion words -- eval --what tau,M        the words up to the cursor, the last one perhaps empty
//
// prints a line per word that can stand there, with a tab and what it is; "<tab>urdf|yaml" for files that end so,
// "<tab>any" for all files; "<tab>," if a list goes on.
#include "limb/quantities.h"

#include "base/command.h"

#include "limb/codegen.h"
#include "limb/read.h"

#include <stdio.h>
#include <string.h>

// ---- words -----------------------------------------------------------------------------------------

// The word at the cursor: what stays in front of it (--what=, tau,), and what is completed.
typedef struct cursor {
  const char* word;
  int fixed; // characters of it that stay
} cursor;

// A word that can stand at the cursor, where it fits; about NULL: nothing to explain.
static void offer(const cursor* at, const char* word, int length, const char* about)
{
  const char* begun = at->word + at->fixed;
  if (strlen(begun) > (size_t)length || strncmp(begun, word, strlen(begun)) != 0) return;
  printf("%.*s%.*s%s%s\n", at->fixed, at->word, length, word, about ? "\t" : "", about ? about : "");
}

// Words separated by |, if there are several.
static void offer_choices(const cursor* at, const char* choices)
{
  if (!choices || !strchr(choices, '|')) return;
  while (*choices) {
    const int length = (int)strcspn(choices, "|");
    offer(at, choices, length, NULL);
    choices += length + (choices[length] == '|');
  }
}

// A word of a list with commas, unless it is there already.
static void offer_once(const cursor* at, const char* word, const char* about)
{
  const size_t length = strlen(word);
  const char* list = strchr(at->word, '=');
  list = list && list < at->word + at->fixed ? list + 1 : at->word;
  for (; list < at->word + at->fixed; list += strcspn(list, ",") + 1)
    if (strncmp(list, word, length) == 0 && list[length] == ',') return;
  offer(at, word, (int)length, about);
}

static int has_word(const char* text, const char* word) { return strstr(text, word) != NULL; }

// Names of files stand for FILE, OUT and the like; N, X,Y,Z or LIST do not.
static int is_file(const char* argument)
{
  return has_word(argument, "FILE") || has_word(argument, "OUT") || has_word(argument, ".csv") ||
         has_word(argument, ".svg") || has_word(argument, "DIR");
}

// The value of an option: a file, one of several words, or a list of quantities or robots.
static void offer_values(cursor at, const cli_option* o)
{
  const int robots = strcmp(o->argument, "ROBOTS") == 0, functions = strcmp(o->argument, "QUANTITIES") == 0;
  if (is_file(o->argument)) {
    printf("\tany\n");
  } else if (robots || functions || strcmp(o->argument, "LIST") == 0) {
    const char* comma = strrchr(at.word + at.fixed, ',');
    if (comma) at.fixed = (int)(comma + 1 - at.word);
    printf("\t,\n");
    for (int k = 0; robots && cli_bench_robots[k]; k++) offer_once(&at, cli_bench_robots[k], NULL);
    for (int k = 0; functions && limb_codegen_quantity_name(k); k++)
      offer_once(&at, limb_codegen_quantity_name(k), limb_codegen_quantity_meaning(k));
    for (int k = 0; !robots && !functions && limb_get_quantity(k); k++)
      offer_once(&at, limb_get_quantity(k)->name, limb_get_quantity(k)->meaning);
  } else {
    offer_choices(&at, o->argument);
  }
}

static void offer_commands(const cursor* at)
{
  for (const cli_command* const* c = cli_commands; *c; c++)
    offer(at, (*c)->name, (int)strlen((*c)->name), (*c)->summary);
}

static void offer_operands(const cursor* at, const cli_command* c)
{
  const int model = has_word(c->operands, "MODEL");
  limb_robot_info robot;
  for (int i = 0; (model || strcmp(c->name, "models") == 0) && limb_get_robot(i, &robot) == LIMB_OK; i++)
    offer(at, robot.name, (int)strlen(robot.name), robot.title);
  if (strcmp(c->name, "help") == 0) offer_commands(at);
  if (!model) offer_choices(at, c->operands);
  if (has_word(c->operands, "OUT"))
    printf("\tany\n");
  else if (model)
    printf("\turdf|yaml|yml|par|xml|mjcf%s\n", has_word(c->operands, ".csv") ? "|csv" : "");
}

// The option of a command that a word names, "--what" or "--what=tau".
static const cli_option* option_of(const cli_command* c, const char* word)
{
  for (const cli_option* const* group = c->options; group && *group && strncmp(word, "--", 2) == 0; group++)
    for (const cli_option* o = *group; o->name; o++)
      if (*o->name && strlen(o->name) == strcspn(word + 2, "=") && strncmp(o->name, word + 2, strlen(o->name)) == 0)
        return o;
  return NULL;
}

static void offer_options(const cursor* at, const cli_command* c)
{
  char name[64];
  for (const cli_option* const* group = c->options; group && *group; group++) {
    for (const cli_option* o = *group; o->name; o++) {
      if (!*o->name) continue;
      const int length = snprintf(name, sizeof name, "--%s", o->name);
      offer(at, name, length, o->help);
    }
  }
  offer(at, "--help", 6, "help of this command");
}

// What can follow; "=" is a word of its own where the shell says so.
static void complete(const cli_args* args)
{
  const int n = cli_operand_count(args);
  const char *last = n > 1 ? cli_operand(args, n - 1) : "", *before = n > 2 ? cli_operand(args, n - 2) : "";
  if (strcmp(last, "=") == 0)
    last = "";
  else if (strcmp(before, "=") == 0)
    before = n > 3 ? cli_operand(args, n - 3) : "";
  const cursor at = {last, 0};
  const cli_command* c = n > 2 ? cli_find_command(cli_operand(args, 1)) : NULL;
  if (n <= 2) {
    offer_commands(&at);
    offer_choices(&at, "--help|--version|--conventions");
  }
  if (!c) return;
  const char* equals = strchr(last, '=');
  const cli_option *o = option_of(c, before), *here = equals ? option_of(c, last) : NULL;
  if (here && here->argument)
    offer_values((cursor){last, (int)(equals + 1 - last)}, here);
  else if (o && o->argument && !has_word(before, "="))
    offer_values(at, o);
  else if (*last == '-')
    offer_options(&at, c);
  else
    offer_operands(&at, c);
}

// ---- the command -----------------------------------------------------------------------------------

static int run(const cli_args* args)
{
  const char* name = cli_operand(args, 0);
  if (strcmp(name, "words") == 0) {
    complete(args);
    return EXIT_FINE;
  }
  const char* const* script = strcmp(name, "bash") == 0   ? cli_bash
                              : strcmp(name, "zsh") == 0  ? cli_zsh
                              : strcmp(name, "fish") == 0 ? cli_fish
                                                          : NULL;
  if (!script) return cli_usage(args, "there is no script for '%s': bash, zsh or fish", name);
  if (cli_operand_count(args) > 1) return cli_usage(args, "unexpected argument '%s'", cli_operand(args, 1));
  for (; *script; script++) puts(*script);
  return EXIT_FINE;
}

const cli_command cli_completion = {
  .name = "completion",
  .operands = "bash|zsh|fish",
  .summary = "print a completion script for bash, zsh or fish",
  .examples = (const char* const[]){"source <(limb completion bash)", "complete in this bash",
                                    "limb completion fish > ~/.config/fish/completions/limb.fish",
                                    "complete in every fish", NULL},
  .run = run,
  .takes_any = 1,
};
