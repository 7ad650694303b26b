// `limb sim --resume`: a simulation goes on from a row of its own table.
//
// The state is that of the last row but one, which is at a multiple of the interval as all that are used, and at a
// sample of the controller. So the next row is computed again, and must be what the table has: otherwise the run is
// another one. Nothing else than position and velocity is taken over: fixed steps go on with the same bits, adaptive
// methods begin anew with the same tolerances.
#include "limb/table.h"
#include "base/command.h"
#include "base/output.h"
#include "sim/sim.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int refuse(const sim_job* job, const char* why) { return cli_usage(job->plan.args, "--resume: %s", why); }

static int wrong(const sim_job* job, const char* why)
{
  return cli_usage(job->plan.args, "--resume: %s: %s; remove it to begin again", job->resumed.path, why);
}

// ---- reading ---------------------------------------------------------------------------------------

typedef struct old_table {
  FILE* file;
  limb_csv_reader* reader;
  int columns;
  double* row;
} old_table;

static void close_table(old_table* t)
{
  limb_csv_close(t->reader);
  if (t->file) (void)fclose(t->file);
  free(t->row);
}

// Which channel is which number of the state, q before v; the table must be able to start a simulation.
static int find_state(const sim_job* job, const limb_channels* c, int* column)
{
  const cli_dofs* d = &job->robot.dofs;
  char name[SIM_NAME_SPACE], other[SIM_NAME_SPACE];
  for (int k = 0; k < d->nq + d->nv; k++) {
    (void)snprintf(name, sizeof name, "%s.%s", k < d->nq ? "q" : "v", (k < d->nq ? &d->q[k] : &d->v[k - d->nq])->name);
    column[k] = 0;
    for (int i = 0; i < limb_channels_count(c) && column[k] == 0; i++) {
      limb_channels_name(c, i, other, sizeof other);
      if (strcmp(name, other) == 0) column[k] = i + 1;
    }
    if (column[k] == 0) return refuse(job, "the channels must have q and v of all joints");
  }
  return EXIT_FINE;
}

// Its columns must be those of the run.
static int check_columns(const sim_job* job, const limb_channels* c, const old_table* t)
{
  char name[SIM_NAME_SPACE];
  int same = t->columns == limb_channels_count(c) + 1 && strcmp(limb_csv_column(t->reader, 0), "time") == 0;
  for (int k = 1; k < t->columns && same; k++) {
    limb_channels_name(c, k - 1, name, sizeof name);
    same = strcmp(limb_csv_column(t->reader, k), name) == 0;
  }
  return same ? EXIT_FINE : wrong(job, "it has other columns than this run");
}

static int open_table(const sim_job* job, const limb_channels* c, old_table* t)
{
  limb_error err = {0};
  t->file = fopen(job->resumed.path, "rb");
  if (!t->file) return wrong(job, strerror(errno));
  const limb_status s = limb_csv_open(t->file, NULL, &t->reader, &err);
  if (s == LIMB_E_NOMEM) return sim_out_of_memory(&job->plan);
  if (s != LIMB_OK) return wrong(job, err.text);
  t->columns = limb_csv_column_count(t->reader);
  t->row = calloc((size_t)t->columns, sizeof *t->row);
  return t->row ? check_columns(job, c, t) : sim_out_of_memory(&job->plan);
}

// 0: there is no further whole row: what kill -9 has cut off ends the table, too.
static int next_row(old_table* t)
{
  int got = 0;
  return limb_csv_next(t->reader, t->row, &got, NULL) == LIMB_OK && got && !limb_csv_unended(t->reader);
}

static int is_multiple(double x, double step) { return step == 0 || fabs(x - step * round(x / step)) <= 1e-9 * step; }

// Row k of the table, counted from 0, if it is at its time; otherwise it is of the end of a run that was stopped.
static int is_due(const sim_job* job, double interval, uint64_t k, double time)
{
  return fabs(time - job->setup->start - (double)k * interval) <= 1e-9 * interval;
}

// ---- where to go on --------------------------------------------------------------------------------

// Takes a row as the state to go on from.
static void take_state(sim_job* job, const double* row, uint64_t k)
{
  const cli_dofs* d = &job->robot.dofs;
  sim_resumed* r = &job->resumed;
  r->rows = k + 1, r->time = row[0];
  for (int i = 0; i < d->nq + d->nv; i++) r->state[i] = row[r->column[i]];
}

// The last row but one that can be gone on from, and the row after it.
static int find_row(sim_job* job, old_table* t, double interval)
{
  const limb_runner_setup* setup = job->setup;
  const size_t bytes = (size_t)t->columns * sizeof(double);
  double* before = calloc((size_t)t->columns, sizeof *before);
  uint64_t k = 0;
  double last = setup->start;
  if (!before) return sim_out_of_memory(&job->plan);
  while (next_row(t)) {
    last = t->row[0];
    if (!is_due(job, interval, k, last)) break;
    if (k > 0 && is_multiple(before[0] - setup->start, setup->period)) {
      memcpy(job->resumed.next, t->row, bytes);
      take_state(job, before, k - 1);
    }
    memcpy(before, t->row, bytes);
    k++;
  }
  free(before);
  if (last >= setup->end - 1e-9 * interval)
    return cli_usage(job->plan.args, "nothing to go on with: %s reaches the end; without --resume it is made again",
                     job->resumed.path);
  return EXIT_FINE;
}

// OUTPUT.part of a run that was killed, else OUTPUT; NULL: neither is there.
static char* find_path(const char* path, int* memory)
{
  static const char* const ending[] = {".part", ""};
  char* name = malloc(strlen(path) + sizeof ".part");
  *memory = name != NULL;
  for (int k = 0; k < 2 && name; k++) {
    (void)sprintf(name, "%s%s", path, ending[k]);
    FILE* file = fopen(name, "rb");
    if (!file) continue;
    (void)fclose(file);
    return name;
  }
  free(name);
  return NULL;
}

int sim_resume(sim_job* job, const char* path, const limb_run_rows* rows)
{
  sim_resumed* r = &job->resumed;
  old_table t = {0};
  int memory = 1;
  if (!path || !cli_ends_in(path, ".csv .npy"))
    return refuse(job, "the only output must be a table in a file, .csv or .npy: --output FILE");
  if (job->setup->delay > 0) return refuse(job, "the controller has a delay: what it has computed before is not known");
  const limb_channels* c = limb_run_rows_channels(rows);
  const size_t n = (size_t)job->robot.dofs.nq + (size_t)job->robot.dofs.nv + 1;
  r->column = calloc(n, sizeof *r->column);
  if (!r->column) return sim_out_of_memory(&job->plan);
  int code = find_state(job, c, r->column);
  if (code != EXIT_FINE) return code;
  r->path = find_path(path, &memory);
  if (!memory) return sim_out_of_memory(&job->plan);
  if (!r->path) return EXIT_FINE;
  r->state = calloc(n, sizeof *r->state);
  r->next = calloc((size_t)limb_channels_count(c) + 1, sizeof *r->next);
  if (!r->state || !r->next) return sim_out_of_memory(&job->plan);
  r->next[0] = HUGE_VAL;
  code = open_table(job, c, &t);
  if (code == EXIT_FINE) code = find_row(job, &t, limb_run_rows_interval(rows));
  close_table(&t);
  return code;
}

int sim_resume_copy(const sim_job* job, const limb_channels* c, limb_table_writer* to)
{
  old_table t = {0};
  int code = open_table(job, c, &t);
  for (uint64_t k = 0; k < job->resumed.rows && code == EXIT_FINE; k++) {
    if (cli_interrupted())
      code = EXIT_USAGE;
    else if (!next_row(&t))
      code = wrong(job, "it has changed");
    else if (limb_table_row(to, t.row) != LIMB_OK)
      code = cli_unwritten(cli_title(job->plan.args), "the table", "");
  }
  close_table(&t);
  return code;
}

int sim_resume_check(const sim_job* job, int columns, const double* x)
{
  const double* old = job->resumed.next;
  double size = 0;
  if (!old || x[0] != old[0]) return EXIT_FINE;
  for (int k = 1; k < columns; k++) size = fmax(size, fabs(old[k]));
  for (int k = 1; k < columns; k++)
    if (!(fabs(x[k] - old[k]) <= 1e-6 * size)) {
      char why[200];
      (void)snprintf(why, sizeof why,
                     "from its row at %.9g s this run comes to another one at %.9g s (%.9g, not %.9g): "
                     "the model, the run or an option has changed",
                     job->resumed.time, x[0], x[k], old[k]);
      return wrong(job, why);
    }
  return EXIT_FINE;
}

limb_status sim_resume_start(sim_job* job, limb_error* err)
{
  const sim_resumed* r = &job->resumed;
  const double* v = r->state + job->robot.dofs.nq;
  return limb_sim_start(job->sim, r->time, r->state, v, err);
}

void sim_resume_close(sim_resumed* r)
{
  free(r->path), free(r->column), free(r->state), free(r->next);
  *r = (sim_resumed){0};
}
