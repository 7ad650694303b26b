// `limb equations`: the equations of motion of a small robot, as a person would write them.
#include "cli.h"
#include "commands.h"
#include "output.h"
#include "robot.h"

#include "limb/codegen.h"

#include <string.h>

static limb_notation notation_of(const cli_args* args)
{
  const char* format = cli_get(args, "format");
  if (!format || strcmp(format, "text") == 0) return LIMB_NOTATION_TEXT;
  return strcmp(format, "latex") == 0 ? LIMB_NOTATION_LATEX : LIMB_NOTATION_C;
}

// All of the text, before any of it appears.
static int write_text(const cli_args* args, const limb_model* m, cli_text* text)
{
  limb_equation_options o = limb_default_equation_options();
  limb_error err = {0};
  o.what = cli_get(args, "what");
  o.notation = notation_of(args);
  o.numbers = cli_has(args, "numbers");
  if (cli_has(args, "most")) {
    double most;
    if (!cli_numbers(args, "most", 1, &most)) return EXIT_USAGE;
    if (most < 1 || most > 100000 || most != (double)(int)most)
      return cli_usage(args, "--most is a whole number from 1 to 100000");
    o.max_terms = (int)most;
  }
  limb_status s = limb_equations_write(m, &o, NULL, cli_text_add, text, &err);
  if (s == LIMB_OK && text->failed) s = LIMB_E_NOMEM;
  if (s == LIMB_OK) return EXIT_FINE;
  // what is wrong with the request is about an option, all else about the robot
  (void)cli_usage(args, "%s%s%s%s", s == LIMB_E_ARG && *err.where ? "--" : "", err.where, *err.where ? ": " : "",
                  *err.text ? err.text : limb_status_text(s));
  return cli_exit_code(s);
}

static int run(const cli_args* args)
{
  const char *source = cli_operand(args, 0), *path = cli_get(args, "output");
  cli_robot r;
  cli_text text = {0};
  if (path && cli_same_file(source, path))
    return cli_usage(args, "%s: is the model itself; name another file to write to", path);
  int code = cli_robot_open(args, source, &r);
  if (code != EXIT_FINE) return code;
  code = write_text(args, r.model, &text);
  if (code == EXIT_FINE) code = cli_text_save(&text, cli_title(args), path ? path : "-");
  cli_text_free(&text);
  cli_robot_close(&r);
  return code;
}

static const cli_option options[] = {
  {"", NULL, "what is written"},
  {"what", "M,C,...", "of M,C,g,h,tau,Psi (default: M,C,g, and Psi of robots with loops)"},
  {"format", "text|latex|c", "notation (default: text)"},
  {"numbers", NULL, "the robot's numbers instead of symbols"},
  {"most", "N", "terms of an entry, beyond which it is not written (default: 2000)"},
  {"output", "FILE", "write to a file (default: standard output)"},
  {0},
};

const cli_command cli_equations = {
  .name = "equations",
  .operands = "MODEL",
  .summary = "the equations of motion of a small robot, as a person would write them",
  .about =
    (const char* const[]){"Prints mass matrix M, Coriolis matrix C (Christoffel symbols), gravity forces g and,",
                          "of robots with loops, the matrix Psi of their closures; on request h = C v + g, and",
                          "tau, all in one piece, with friction and springs; of robots with loops these are the",
                          "rows of tau + Psi^T lambda. Lengths, masses and inertias are symbols, explained below",
                          "the equations with this robot's numbers, in axes of limb info MODEL --mdh; what is",
                          "zero is left out. Numbers are rounded to 13 digits, but not in C. Gravity is that of",
                          "the model.", "",
                          "Everything is evaluated in random states and compared with the library before it is",
                          "printed. Large robots, and ball and free joints, are for limb codegen.", NULL},
  .examples = (const char* const[]){"limb equations planar_2r", "the textbook's two-link arm",
                                    "limb equations four_bar --format latex --output four_bar.tex",
                                    "M, C, g and Psi for a paper", "limb equations scara --what tau --numbers",
                                    "torques in one piece, with the robot's numbers", NULL},
  .options = (const cli_option* const[]){options, cli_model_options, NULL},
  .least = 1,
  .most = 1,
  .run = run,
};
