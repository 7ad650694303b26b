// The plan of a simulation: the run file, and messages about its values.
#include "base/command.h"
#include "base/output.h"
#include "sim/sim.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- the run file ----------------------------------------------------------------------------------

// Reads a run file; prints warnings and all errors.
static int read_run(sim_plan* p, const char* path)
{
  limb_read_options opt = limb_default_read_options();
  limb_error err = {0};
  int code = cli_read_options(p->args, &opt);
  if (code == EXIT_FINE) code = cli_reads(p->args, path);
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
  errno = 0;
  if (limb_is_run_file(operand))
    code = read_run(p, operand);
  else if (errno == ENOMEM)
    code = sim_out_of_memory(p);
  else
    p->run.model.name = (limb_run_value){operand, "MODEL", "MODEL", 0, 0};
  return code == EXIT_FINE ? sim_take_options(p) : code;
}

void sim_plan_close(sim_plan* p)
{
  for (int i = 0; i < p->nkept; i++) free(p->kept[i]);
  free(p->kept);
  limb_run_override_destroy(p->over);
  limb_reading_destroy(p->reading);
  *p = (sim_plan){0};
}

// ---- messages --------------------------------------------------------------------------------------

int sim_wrong(const sim_plan* p, const limb_run_value* at, const char* format, ...)
{
  va_list list;
  if (cli_is_out_of_memory()) return sim_out_of_memory(p);
  if (at->line > 0)
    (void)fprintf(stderr, "%s:%d:%d: error: %s: ", p->path, at->line, at->column, at->key);
  else
    (void)fprintf(stderr, "%s: %s: ", cli_title(p->args), at->key);
  va_start(list, format);
  (void)vfprintf(stderr, format, list);
  va_end(list);
  (void)fprintf(stderr, "\n");
  return EXIT_USAGE;
}

int sim_check_output(const sim_plan* p, const limb_run_value* at, const char* endings)
{
  const char* refused = cli_output_refused(at->key, at->text, endings);
  if (!refused) return EXIT_FINE;
  if (at->line > 0)
    (void)fprintf(stderr, "%s:%d:%d: error: %s\n", p->path, at->line, at->column, refused);
  else
    (void)cli_usage(p->args, "%s", refused);
  return EXIT_USAGE;
}

int sim_out_of_memory(const sim_plan* p) { return cli_out_of_memory(p->args); }

int sim_refused(const sim_plan* p, limb_status status, const limb_error* err)
{
  const limb_run_value at = {.key = err->where, .line = err->line, .column = err->column};
  if (*err->where) return sim_wrong(p, &at, "%s", err->text);
  return cli_failed(p->args, "", status, err);
}

// ---- memory ----------------------------------------------------------------------------------------

void* sim_grow(void* items, int* capacity, int count, size_t size)
{
  if (count < *capacity) return items;
  const int more = *capacity ? 2 * *capacity : 32;
  void* grown = realloc(items, (size_t)more * size);
  if (grown)
    *capacity = more;
  else
    cli_note_out_of_memory(0);
  return grown;
}

const char* sim_input_path(sim_plan* p, const limb_run_value* at)
{
  const size_t size = limb_run_path(p->path, at, NULL, 0) + 1;
  char **kept = sim_grow(p->kept, &p->kept_capacity, p->nkept, sizeof *kept), *path = kept ? calloc(size, 1) : NULL;
  if (kept) p->kept = kept;
  if (path)
    (void)limb_run_path(p->path, at, p->kept[p->nkept++] = path, size);
  else
    (void)sim_out_of_memory(p);
  return path;
}
