// `limb equations`: the equations of motion of a small robot, written for people to read.
#include "base/command.h"
#include "base/output.h"
#include "robot/robot.h"

#include "limb/codegen.h"

#include <string.h>

static limb_notation notation_of(const char* format)
{
  if (strcmp(format, "text") == 0) return LIMB_NOTATION_TEXT;
  return strcmp(format, "latex") == 0 ? LIMB_NOTATION_LATEX : LIMB_NOTATION_C;
}

// Writes the whole text to memory, before any of it is printed.
static int write_text(const cli_args* args, const char* format, const limb_model* m, cli_text* text)
{
  limb_equation_options o = limb_default_equation_options();
  limb_error err = {0};
  o.what = cli_get(args, "what");
  o.notation = notation_of(format);
  o.numbers = cli_has(args, "numbers");
  double terms = o.max_terms;
  if (cli_whole(args, "max-terms", 1, 100000, &terms) != EXIT_FINE) return EXIT_USAGE;
  o.max_terms = (int)terms;
  limb_status s = limb_equations_write(m, &o, NULL, cli_text_add, text, &err);
  if (s == LIMB_OK && text->failed) s = LIMB_E_NOMEM;
  if (s == LIMB_OK) return EXIT_FINE;
  // errors of the request are about an option, all others about the robot
  (void)cli_usage(args, "%s%s%s%s", s == LIMB_E_ARG && *err.where ? "--" : "", err.where, *err.where ? ": " : "",
                  *err.text ? err.text : limb_status_text(s));
  return cli_exit_code(s);
}

static int run(const cli_args* args)
{
  const char *source = cli_operand(args, 0), *format = cli_format(args, "text");
  cli_robot r;
  cli_text text = {0};
  if (!format) return EXIT_USAGE;
  int code = cli_robot_open(args, source, &r);
  if (code == EXIT_FINE) code = write_text(args, format, r.model, &text);
  if (code == EXIT_FINE) code = cli_text_save(&text, cli_title(args), cli_get(args, "output"));
  cli_text_free(&text);
  cli_robot_close(&r);
  return code;
}

static const cli_option options[] = {
  {"", NULL, "the equations"},
  {"what", "M,C,...",
   "from M,C,g,h,tau,T,U,L,christoffel,Psi,Psidot (default: M,C,g, or M,h with ball and free joints; and Psi with "
   "loops)"},
  {"format", "text|latex|c", "notation (default: text)"},
  {"numbers", NULL, "the robot's numbers instead of symbols"},
  {"max-terms", "N", "refuse robots with more terms in an entry (default: 2000)"},
  {"output", "FILE", "write to a file (default: standard output)"},
  {0},
};

const cli_command cli_equations = {
  .name = "equations",
  .operands = "MODEL",
  .summary = "the equations of motion of a small robot, in symbols",
  .about =
    "Prints the mass matrix M, the Coriolis matrix C (Christoffel symbols), the gravity forces g and, for robots "
    "with loops, the constraint Jacobian Psi; on request also h = C v + g, tau with friction and springs, the "
    "energies T and U and L = T - U without their constant terms, Christoffel symbols, and Psidot = dPsi/dt. For "
    "robots with loops, the rows of tau are tau + Psi^T lambda. Lengths, masses and inertias are symbols, explained "
    "below the equations with the numbers of the robot, in the axes of limb info MODEL --mdh. What is zero is left "
    "out. Numbers are rounded to 13 digits, except in C. Gravity is that of the model.\n"
    "The equations are evaluated in random states and compared with the library before they are printed. For large "
    "robots, and for ball and free joints, use limb codegen.",
  .examples = (const char* const[]){"limb equations planar_2r", "the textbook's two-link arm",
                                    "limb equations four_bar --format latex --output four_bar.tex",
                                    "M, C, g and Psi for a paper", "limb equations scara --what tau --numbers",
                                    "torques in one piece, with the robot's numbers", NULL},
  .options = (const cli_option* const[]){options, cli_model_options, cli_change_options, NULL},
  .run = run,
  .writes = (const cli_written[]){{"output", ".txt .tex .c .h"}, {0}},
};
