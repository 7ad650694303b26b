// Reading a trajectory of positions, and handing out its rows with their derivatives.
#include "base/command.h"
#include "base/output.h"
#include "commands/id.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int out_of_memory(const cli_track* t)
{
  return cli_usage(t->states->args, "--differentiate keeps all rows, and memory ran out after %llu",
                   (unsigned long long)t->rows);
}

static int keep_wrenches(cli_track* t)
{
  const cli_states* s = t->states;
  const size_t n = (size_t)s->nwrench;
  if (t->rows == t->capacity) {
    t->capacity = t->capacity ? 2 * t->capacity : 1024;
    sp_force* more = realloc(t->wrench, (t->capacity * n + 1) * sizeof *more);
    if (!more) return 0;
    t->wrench = more;
  }
  for (size_t i = 0; i < n; i++) t->wrench[t->rows * n + i] = s->wrench[i].wrench;
  return 1;
}

static int keep_row(cli_track* t)
{
  const cli_states* s = t->states;
  limb_error err;
  const limb_status status = limb_track_add(t->track, s->time, s->q, &err);
  if (status == LIMB_E_NOMEM || (status == LIMB_OK && !keep_wrenches(t))) return out_of_memory(t);
  t->rows += status == LIMB_OK;
  if (status == LIMB_OK) return EXIT_FINE;
  char position[32]; // NPY has no lines
  (void)snprintf(position, sizeof position, s->line > 0 ? "%d" : " row %d", s->line > 0 ? s->line : (int)s->count);
  (void)fprintf(stderr, "%s:%s: error: %s: %s\n", s->path, position, err.where, err.text);
  return EXIT_USAGE;
}

static int read_rows(cli_track* t)
{
  cli_states* s = t->states;
  cli_progress progress = cli_progress_begin("read", s->bytes);
  int code = EXIT_FINE, got = 0;
  while (code == EXIT_FINE) {
    code = cli_interrupted() ? EXIT_USAGE : cli_states_next(s, &got);
    if (code != EXIT_FINE || !got) break;
    code = keep_row(t);
    cli_progress_update(&progress, cli_states_bytes(s));
  }
  cli_progress_end(&progress);
  return code;
}

int cli_track_read(cli_track* t, cli_states* states)
{
  limb_error err;
  *t = (cli_track){.states = states};
  if (limb_track_create(states->model, &t->track) != LIMB_OK) return out_of_memory(t);
  const int code = read_rows(t);
  if (code != EXIT_FINE) return code;
  if (t->rows < LIMB_TRACK_MIN_ROWS)
    return cli_usage(states->args, "%s: --differentiate needs at least %d rows, not %llu", states->path,
                     LIMB_TRACK_MIN_ROWS, (unsigned long long)t->rows);
  const limb_status status = limb_track_fit(t->track, &err);
  if (status == LIMB_OK) return EXIT_FINE;
  if (status == LIMB_E_NOMEM) return out_of_memory(t);
  return cli_usage(states->args, "%s: --differentiate: %s", states->path, err.text);
}

void cli_track_free(cli_track* t)
{
  limb_track_destroy(t->track);
  free(t->wrench);
  *t = (cli_track){0};
}

void cli_track_row(cli_track* t, size_t i)
{
  cli_states* s = t->states;
  // What is not finite is refused by what is computed from it.
  if (limb_track_get(t->track, i, &s->time, s->q, s->v, s->a) != LIMB_OK)
    for (int k = 0; k < s->dofs->nv; k++) s->v[k] = nan("");
  for (int k = 0; k < s->nwrench; k++) s->wrench[k].wrench = t->wrench[i * (size_t)s->nwrench + (size_t)k];
  s->count = i + 1;
  s->line = 0;
}
