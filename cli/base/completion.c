// `limb completion`: scripts that complete command lines in bash, zsh and fish, from the commands' tables.
#include "limb/quantities.h"

#include "base/command.h"

#include "limb/codegen.h"
#include "limb/read.h"

#include <stdio.h>
#include <string.h>

// ---- what can be completed -------------------------------------------------------------------------

static int has_word(const char* text, const char* word) { return strstr(text, word) != NULL; }

static int takes_model(const cli_command* c) { return has_word(c->operands, "MODEL"); }

static int takes_table(const cli_command* c) { return has_word(c->operands, ".csv"); }

// The words that an option or operand allows, separated by blanks; 1 if there are any.
static int print_choices(const char* argument)
{
  if (!argument || !strchr(argument, '|')) return 0;
  for (; *argument; argument++) putchar(*argument == '|' ? ' ' : *argument);
  return 1;
}

static int takes(const cli_option* o, const char* argument)
{
  return o->argument && strcmp(o->argument, argument) == 0;
}

// Options whose value is a list of words with commas between them, of which the last is completed.
static int takes_list(const cli_option* o) { return takes(o, "LIST") || takes(o, "ROBOTS") || takes(o, "QUANTITIES"); }

// The words of such lists: quantities, robots of `limb bench`, quantities of `limb codegen`.
static void print_list(const cli_option* o)
{
  if (takes(o, "QUANTITIES")) {
    for (int k = 0; limb_codegen_quantity_name(k); k++) printf("%s%s", k ? " " : "", limb_codegen_quantity_name(k));
    return;
  }
  if (takes(o, "ROBOTS")) {
    for (int k = 0; cli_bench_robots[k]; k++) printf("%s%s", k ? " " : "", cli_bench_robots[k]);
    return;
  }
  for (int k = 0; limb_get_quantity(k); k++) printf("%s%s", k ? " " : "", limb_get_quantity(k)->name);
}

// Names of files stand for FILE, OUT and the like; N, X,Y,Z or LIST do not.
static int is_file(const char* argument)
{
  return argument && (has_word(argument, "FILE") || has_word(argument, "OUT") || has_word(argument, ".csv") ||
                      has_word(argument, ".svg") || has_word(argument, "DIR"));
}

static void print_robots(void)
{
  limb_robot_info robot;
  for (int i = 0; i < limb_robot_count(); i++)
    if (limb_get_robot(i, &robot) == LIMB_OK) printf("%s%s", i ? " " : "", robot.name);
}

static void print_commands(void)
{
  for (const cli_command* const* c = cli_commands; *c; c++) printf("%s ", (*c)->name);
}

// Words that can be an operand of a command.
static void print_operand_words(const cli_command* c)
{
  if (takes_model(c) || strcmp(c->name, "models") == 0) {
    print_robots();
  } else if (strcmp(c->name, "help") == 0) {
    print_commands();
  } else {
    (void)print_choices(c->operands);
  }
}

// Text in single quotes for a shell; a quote inside closes and reopens them.
static void print_quoted(const char* text, const char* escaped)
{
  for (; *text; text++) {
    if (*text == '\'') {
      printf("'\\''");
    } else {
      if (strchr(escaped, *text)) putchar('\\');
      putchar(*text);
    }
  }
}

typedef void option_fn(const cli_command* c, const cli_option* o);

static void for_options(const cli_command* c, option_fn* visit)
{
  for (const cli_option* const* group = c->options; group && *group; group++)
    for (const cli_option* o = *group; o->name; o++)
      if (*o->name) visit(c, o);
}

// ---- bash ------------------------------------------------------------------------------------------

static void bash_choices(const cli_command* c, const cli_option* o)
{
  if (!o->argument) return;
  printf("    '%s --%s') ", c->name, o->name);
  if (is_file(o->argument)) {
    printf("files=any");
  } else if (takes_list(o)) {
    printf("list='");
    print_list(o);
    printf("'");
  } else {
    printf("words='");
    (void)print_choices(o->argument);
    printf("'");
  }
  printf(" ;;\n");
}

static void bash_option(const cli_command* c, const cli_option* o)
{
  (void)c;
  printf("--%s ", o->name);
}

static void bash_operands(const cli_command* c)
{
  const int any = has_word(c->operands, "OUT");
  printf("      %s) words='", c->name);
  print_operand_words(c);
  printf("'");
  if (any) printf(" files=any");
  if (!any && takes_model(c)) printf(" files='urdf|yaml|yml|par|xml|mjcf%s'", takes_table(c) ? "|csv" : "");
  printf(" ;;\n");
}

static void print_bash(void)
{
  printf("# bash completion of limb: source <(limb completion bash)\n"
         "_limb() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= files= f\n"
         "  local list= before=\n"
         "  [[ $cur == = ]] && cur=\n"
         "  [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
         "  COMPREPLY=()\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    COMPREPLY=($(compgen -W '");
  print_commands();
  printf("--help --version --conventions' -- \"$cur\"))\n    return\n  fi\n"
         "  case \"${COMP_WORDS[1]} $prev\" in\n");
  for (const cli_command* const* c = cli_commands; *c; c++) for_options(*c, bash_choices);
  printf("    *)\n    if [[ $cur == -* ]]; then\n      case \"${COMP_WORDS[1]}\" in\n");
  for (const cli_command* const* c = cli_commands; *c; c++) {
    printf("      %s) words='", (*c)->name);
    for_options(*c, bash_option);
    printf("--help' ;;\n");
  }
  printf("      esac\n    else\n      case \"${COMP_WORDS[1]}\" in\n");
  for (const cli_command* const* c = cli_commands; *c; c++) bash_operands(*c);
  printf("      esac\n    fi ;;\n  esac\n"
         "  if [[ -n $list ]]; then\n"
         "    [[ $cur == *,* ]] && before=${cur%%,*},\n"
         "    for f in $list; do\n"
         "      [[ ,$before == *,$f,* ]] || words+=\" $before$f\"\n"
         "    done\n"
         "    compopt -o nospace\n"
         "  fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  [[ -z $files ]] && return\n"
         "  compopt -o filenames\n"
         "  while IFS= read -r f; do\n"
         "    [[ $files == any || -d $f || $f =~ \\.($files)$ ]] && COMPREPLY+=(\"$f\")\n"
         "  done < <(compgen -f -- \"$cur\")\n"
         "}\ncomplete -F _limb limb\n");
}

// ---- zsh -------------------------------------------------------------------------------------------

static void zsh_option(const cli_command* c, const cli_option* o)
{
  (void)c;
  printf("        '--%s[", o->name);
  print_quoted(o->help, "[]\\:");
  printf("]");
  if (o->argument) {
    printf(":");
    print_quoted(o->argument, "\\:");
    printf(":");
    if (strchr(o->argument, '|')) {
      printf("(");
      (void)print_choices(o->argument);
      printf(")");
    } else if (takes_list(o)) {
      printf("_values -s , %s ", takes(o, "ROBOTS") ? "robot" : "quantity");
      print_list(o);
    } else if (is_file(o->argument)) {
      printf("_files");
    }
  }
  printf("' \\\n");
}

static void zsh_command(const cli_command* c)
{
  printf("    %s)\n      _arguments -s \\\n", c->name);
  for_options(c, zsh_option);
  printf("        '--help[help of this command]' \\\n        '*:operand:");
  if (takes_model(c)) {
    printf(has_word(c->operands, "OUT") || takes_table(c) ? "_limb_files" : "_limb_models");
  } else {
    printf("(");
    print_operand_words(c);
    printf(")");
  }
  printf("' ;;\n");
}

static void print_zsh(void)
{
  printf("#compdef limb\n# zsh completion of limb: limb completion zsh > a folder of $fpath/_limb\n"
         "_limb_models() {\n  _alternative 'files:model file:_files -g "
         "\"*.(urdf|yaml|yml|par|xml|mjcf)\"' 'robots:built-in robot:(");
  print_robots();
  printf(")'\n}\n_limb_files() {\n  _alternative 'files:file:_files' 'robots:built-in robot:(");
  print_robots();
  printf(")'\n}\n_limb() {\n  local -a commands\n  commands=(\n");
  for (const cli_command* const* c = cli_commands; *c; c++) {
    printf("    '%s:", (*c)->name);
    print_quoted((*c)->summary, "\\:");
    printf("'\n");
  }
  printf("  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n"
         "    compadd -- --help --version --conventions\n    return\n  fi\n"
         "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n");
  for (const cli_command* const* c = cli_commands; *c; c++) zsh_command(*c);
  printf("  esac\n}\nif [[ $funcstack[1] == _limb ]]; then\n  _limb \"$@\"\nelse\n"
         "  compdef _limb limb\nfi\n");
}

// ---- fish ------------------------------------------------------------------------------------------

static void fish_option(const cli_command* c, const cli_option* o)
{
  printf("complete -c limb -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
  if (is_file(o->argument)) {
    printf(" -r -F");
  } else if (takes_list(o)) {
    printf(" -x -a '(__fish_append , ");
    print_list(o);
    printf(")'");
  } else if (o->argument) {
    printf(" -x -a '");
    (void)print_choices(o->argument);
    printf("'");
  }
  printf(" -d '");
  for (const char* s = o->help; *s; s++) {
    if (*s == '\'' || *s == '\\') putchar('\\');
    putchar(*s);
  }
  printf("'\n");
}

static void fish_operands(const cli_command* c)
{
  printf("complete -c limb -n '__fish_seen_subcommand_from %s' -a '", c->name);
  print_operand_words(c);
  printf("'\n");
  if (!takes_model(c)) return;
  static const char* const suffixes[] = {".urdf", ".yaml", ".yml", ".par", ".xml", ".mjcf", ".csv"};
  const int n = takes_table(c) ? 7 : 6;
  printf("complete -c limb -n '__fish_seen_subcommand_from %s' -k -a '(", c->name);
  for (int k = 0; k < n; k++) printf("%s__fish_complete_suffix %s", k ? "; " : "", suffixes[k]);
  printf(")'\n");
}

static void print_fish(void)
{
  printf("# fish completion of limb: limb completion fish > ~/.config/fish/completions/limb.fish\n"
         "complete -c limb -f\n"
         "complete -c limb -n __fish_use_subcommand -l help -d 'list the commands'\n"
         "complete -c limb -n __fish_use_subcommand -l version -d 'version of the library'\n"
         "complete -c limb -n __fish_use_subcommand -l conventions -d 'units, frames, orders, signs'\n");
  for (const cli_command* const* c = cli_commands; *c; c++) {
    printf("complete -c limb -n __fish_use_subcommand -a %s -d '", (*c)->name);
    print_quoted((*c)->summary, "");
    printf("'\n");
    for_options(*c, fish_option);
    fish_operands(*c);
  }
}

// ---- the command -----------------------------------------------------------------------------------

static int run(const cli_args* args)
{
  static const struct {
    const char* name;
    void (*print)(void);
  } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
  const char* name = cli_operand(args, 0);
  for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
    if (strcmp(name, shells[i].name) != 0) continue;
    shells[i].print();
    return limb_cli_close_output(cli_title(args));
  }
  return cli_usage(args, "there is no script for '%s': bash, zsh or fish", name);
}

const cli_command cli_completion = {
  .name = "completion",
  .operands = "bash|zsh|fish",
  .summary = "print a completion script for bash, zsh or fish",
  .examples = (const char* const[]){"source <(limb completion bash)", "complete in this bash",
                                    "limb completion fish > ~/.config/fish/completions/limb.fish",
                                    "complete in every fish", NULL},
  .least = 1,
  .most = 1,
  .run = run,
};
