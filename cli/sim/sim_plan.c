// The plan of a simulation: the run file; values of its texts, and messages about them.
#include "base/command.h"
#include "base/output.h"
#include "sim/sim.h"

#include <math.h>
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

// ---- messages --------------------------------------------------------------------------------------

int sim_wrong(const sim_plan* p, const limb_run_value* at, const char* format, ...)
{
  va_list list;
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

int sim_out_of_memory(const sim_plan* p) { return cli_usage(p->args, "out of memory"); }

int sim_number(const sim_plan* p, const limb_run_value* at, double* out)
{
  limb_formula* e = NULL;
  limb_error err = {0};
  if (!at->text) return EXIT_FINE;
  const limb_status s = limb_formula_parse(at->text, NULL, NULL, &e, &err);
  if (s == LIMB_E_NOMEM) return sim_out_of_memory(p);
  if (s != LIMB_OK)
    return sim_wrong(p, at, "'%.80s' is not a number: %s", at->text, *err.text ? err.text : limb_status_text(s));
  const double x = limb_formula_value(e, NULL);
  limb_formula_destroy(e);
  if (!isfinite(x)) return sim_wrong(p, at, "'%.80s' is not finite", at->text);
  *out = x;
  return EXIT_FINE;
}

int sim_positive(const sim_plan* p, const limb_run_value* at, double* out)
{
  double x = 1;
  const int code = sim_number(p, at, &x);
  if (code != EXIT_FINE || !at->text) return code;
  if (x <= 0) return sim_wrong(p, at, "must be positive, not %g", x);
  *out = x;
  return EXIT_FINE;
}

int sim_not_negative(const sim_plan* p, const limb_run_value* at, double* out)
{
  double x = 0;
  const int code = sim_number(p, at, &x);
  if (code != EXIT_FINE || !at->text) return code;
  if (x < 0) return sim_wrong(p, at, "must not be negative, as %g is", x);
  *out = x;
  return EXIT_FINE;
}

int sim_whole(const sim_plan* p, const limb_run_value* at, double max, double* out)
{
  double x = 0;
  const int code = sim_number(p, at, &x);
  if (code != EXIT_FINE || !at->text) return code;
  if (x < 0 || x > max || x != floor(x))
    return sim_wrong(p, at, "must be a whole number from 0 to %.0f, not '%.80s'", max, at->text);
  *out = x;
  return EXIT_FINE;
}

int sim_index_of(const char* word, const char* const* words)
{
  for (int k = 0; words[k]; k++)
    if (strcmp(words[k], word) == 0) return k;
  return -1;
}

int sim_word_of(const sim_plan* p, const limb_run_value* at, const char* const* words, int* out)
{
  char all[400] = "";
  size_t used = 0;
  if (!at->text) return EXIT_FINE;
  const int found = sim_index_of(at->text, words);
  if (found >= 0) {
    *out = found;
    return EXIT_FINE;
  }
  const char* near = cli_nearest(at->text, words);
  if (near) return sim_wrong(p, at, "unknown value '%.40s'; did you mean '%s'?", at->text, near);
  for (int k = 0; words[k] && used < sizeof all - 1; k++) {
    const char* gap = k == 0 ? "" : words[k + 1] ? ", " : " and ";
    used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", gap, words[k]);
  }
  return sim_wrong(p, at, "'%.40s' is none of %s", at->text, all);
}

int sim_directions(const sim_plan* p, const limb_run_values* list, unsigned* out)
{
  static const char* const words[] = {"wx", "wy", "wz", "vx", "vy", "vz", "angular", "linear", NULL};
  static const unsigned bits[] = {LIMB_WX, LIMB_WY, LIMB_WZ, LIMB_VX, LIMB_VY, LIMB_VZ, LIMB_ANGULAR, LIMB_LINEAR};
  *out = list->count > 0 ? 0 : (unsigned)LIMB_TWIST;
  for (int i = 0; i < list->count; i++) {
    int k = 0;
    const int code = sim_word_of(p, &list->value[i], words, &k);
    if (code != EXIT_FINE) return code;
    *out |= bits[k];
  }
  return EXIT_FINE;
}

int sim_truth(const sim_plan* p, const limb_run_value* at, int* out)
{
  static const char* const words[] = {"false", "true", NULL};
  return sim_word_of(p, at, words, out);
}

// ---- memory ----------------------------------------------------------------------------------------

void* sim_grow(void* items, int* capacity, int count, size_t size)
{
  if (count < *capacity) return items;
  const int more = *capacity ? 2 * *capacity : 32;
  void* grown = realloc(items, (size_t)more * size);
  if (grown) *capacity = more;
  return grown;
}

void* sim_keep(sim_plan* p, size_t count, size_t size)
{
  void** kept = sim_grow(p->kept, &p->kept_capacity, p->nkept, sizeof *kept);
  if (!kept) return NULL;
  p->kept = kept;
  void* block = calloc(count ? count : 1, size ? size : 1);
  if (block) p->kept[p->nkept++] = block;
  return block;
}

const char* sim_input_path(sim_plan* p, const limb_run_value* at)
{
  const char* slash = at->line > 0 && p->path ? strrchr(p->path, '/') : NULL;
  const size_t folder = slash && *at->text != '/' ? (size_t)(slash - p->path) + 1 : 0;
  char* path = sim_keep(p, folder + strlen(at->text) + 1, 1);
  if (!path) {
    (void)sim_out_of_memory(p);
    return NULL;
  }
  memcpy(path, p->path ? p->path : "", folder);
  memcpy(path + folder, at->text, strlen(at->text) + 1);
  return path;
}
