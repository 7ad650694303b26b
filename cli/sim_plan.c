// The plan of a simulation: the run file, when there is one, and the options.
#include "sim_plan.h"
#include "cli.h"
#include "robot.h"

#include <stdlib.h>
#include <string.h>

// A run file. Warnings are told, and all errors.
static int read_run(sim_plan* p, const char* path)
{
  limb_read_options opt = limb_default_read_options();
  limb_error err = {0};
  int code = cli_read_options(p->args, &opt);
  if (code != EXIT_FINE) return code;
  const limb_status s = limb_read_run(path, &opt, &p->reading, &err);
  limb_findings* f = limb_reading_findings(p->reading);
  limb_findings_sort(f);
  cli_print_findings(stderr, path, f, LIMB_WARNING);
  if (s == LIMB_OK) {
    p->path = path;
    p->run = *limb_reading_run(p->reading);
    return EXIT_FINE;
  }
  if (limb_findings_count_from(f, LIMB_ERROR) == 0) cli_print_error(stderr, path, s, &err);
  return EXIT_USAGE;
}

int sim_plan_open(sim_plan* p, const cli_args* args)
{
  const char* operand = cli_operand(args, 0);
  *p = (sim_plan){.args = args};
  int code = EXIT_FINE;
  if (limb_is_run_file(operand))
    code = read_run(p, operand);
  else
    p->run.model.name = (limb_run_value){operand, "MODEL", "MODEL", 0, 0};
  return code == EXIT_FINE ? sim_take_options(p) : code;
}

void sim_plan_close(sim_plan* p)
{
  for (int i = 0; i < p->nkept; i++) free(p->kept[i]);
  free(p->kept);
  limb_reading_destroy(p->reading);
  *p = (sim_plan){0};
}
