// The files of a simulation: channels, rates, rows.
#include "sim_outputs.h"
#include "cli.h"
#include "sim_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct one_output {
  const limb_run_output* run;
  const limb_run_value* at; // its path
  sim_writer writer;
  sim_probe probe;
  double* row;     // time and numbers
  double rate;     // rows per second; 0: by interval alone
  double interval; // s
  uint64_t k;      // the row that is next
  double last;     // time of the last row
  int open;
} one_output;

struct sim_outputs {
  int count;
  one_output* one;
};

// ---- planning --------------------------------------------------------------------------------------------

// 1, 2 or 5 times a power of ten: the largest that gives 500 rows or more; no shorter than a fixed step.
static double default_interval(const sim_job* job)
{
  const double length = job->end - job->start, step = job->options.step;
  if (!(length > 0)) return 1;
  const double most = length / 500 * (1 + 1e-9), ten = pow(10, floor(log10(most)));
  return fmax(most >= 5 * ten ? 5 * ten : most >= 2 * ten ? 2 * ten : ten, step);
}

static int read_rate(const sim_job* job, one_output* o)
{
  int code = sim_positive(&job->plan, &o->run->rate, &o->rate);
  if (code == EXIT_FINE) code = sim_positive(&job->plan, &o->run->interval, &o->interval);
  if (o->rate == 0 && o->interval == 0) o->interval = default_interval(job);
  // 29 / 100 is the 0.29 that people write, and 29 * 0.01 is not.
  const double per_second = o->interval > 0 ? round(1 / o->interval) : 0;
  if (o->interval > 0 && fabs(per_second * o->interval - 1) < 1e-12) o->rate = per_second;
  if (o->rate > 0) o->interval = 1 / o->rate;
  if (code == EXIT_FINE && !((job->end - job->start) / o->interval <= 1e9))
    return sim_wrong(&job->plan, o->run->rate.text ? &o->run->rate : &o->run->interval, "more than 1e9 rows");
  return code;
}

// Files that would write over each other, and what goes to standard output besides.
static int check_paths(const sim_job* job, const one_output* o)
{
  const char* summary = cli_get(job->plan.args, "summary");
  const limb_run_value* at = o->at;
  if (strcmp(at->text, "-") == 0 && summary && strcmp(summary, "json") == 0)
    return sim_wrong(&job->plan, at, "standard output is taken by --summary json");
  for (const one_output* other = job->outputs->one; other < o; other++)
    if (strcmp(other->at->text, at->text) == 0) return sim_wrong(&job->plan, at, "'%s' is there twice", at->text);
  return EXIT_FINE;
}

// A column that is there twice could not be told from itself.
static int check_twice(const sim_job* job, const one_output* o, const limb_run_value* at)
{
  const sim_probe* p = &o->probe;
  for (int i = 0; i < p->count; i++) {
    char name[SIM_NAME_SPACE], other[SIM_NAME_SPACE];
    sim_probe_name(p, i, name, sizeof name);
    for (int k = 0; k < i; k++) {
      sim_probe_name(p, k, other, sizeof other);
      if (strcmp(name, other) == 0) return sim_wrong(&job->plan, at, "'%.100s' is there twice", name);
    }
  }
  return EXIT_FINE;
}

static int add_channel(const sim_job* job, one_output* o, const limb_run_value* at)
{
  if (strcmp(at->text, "time") == 0 || strcmp(at->text, "t") == 0) return EXIT_FINE; // it always is
  const int n = sim_probe_add(&o->probe, at->text);
  if (n < 0) return sim_out_of_memory(&job->plan);
  if (n == 0) return sim_wrong(&job->plan, at, "'%.80s': %s", at->text, o->probe.because);
  return EXIT_FINE;
}

static int read_channels(const sim_job* job, one_output* o)
{
  static const char* const usual[] = {"q", "v"};
  const limb_run_values* list = &o->run->channels;
  int code = EXIT_FINE;
  if (!o->writer.format->channels || list->count == 0) {
    for (int k = 0; k < 2 - !o->writer.format->channels && job->dofs.nv > 0; k++)
      if (sim_probe_add(&o->probe, usual[k]) <= 0) return sim_out_of_memory(&job->plan);
  }
  for (int i = 0; i < list->count && code == EXIT_FINE; i++) code = add_channel(job, o, &list->value[i]);
  if (code == EXIT_FINE && o->probe.count < 2000 && list->count > 1) code = check_twice(job, o, &list->value[0]);
  return code;
}

static int plan_one(sim_job* job, one_output* o, const limb_run_output* run)
{
  const limb_run_value* at = run->file.text ? &run->file : run->plot.text ? &run->plot : &run->animation;
  o->run = run;
  o->at = at;
  o->last = nan("");
  o->writer = (sim_writer){.job = job, .run = run, .path = at->text, .probe = &o->probe};
  o->writer.format = run->file.text ? sim_format_of(at->text) : run->plot.text ? &sim_plot : &sim_animation;
  sim_probe_begin(&o->probe, job->plan.args, &job->robot, &job->dofs, SIM_KNOWN_ALL);
  if (!o->writer.format) return sim_wrong(&job->plan, at, "'%s' ends in none of .csv, .npy and .h5", at->text);
  int code = check_paths(job, o);
  if (code == EXIT_FINE) code = read_rate(job, o);
  o->probe.options.dt = o->interval; // of Ad and Bd
  if (code == EXIT_FINE) code = sim_directions(&job->plan, &run->directions, &o->probe.options.directions);
  if (code == EXIT_FINE) code = read_channels(job, o);
  if (code != EXIT_FINE) return code;
  o->row = sim_zeros(o->probe.count + 1);
  return o->row ? EXIT_FINE : sim_out_of_memory(&job->plan);
}

int sim_plan_outputs(sim_job* job)
{
  const limb_run* run = &job->plan.run;
  sim_outputs* all = calloc(1, sizeof *all);
  int code = EXIT_FINE;
  job->outputs = all;
  if (!all) return sim_out_of_memory(&job->plan);
  all->one = calloc((size_t)run->noutput + 1, sizeof *all->one);
  if (!all->one) return sim_out_of_memory(&job->plan);
  for (int i = 0; i < run->noutput && code == EXIT_FINE; i++) {
    all->count++;
    code = plan_one(job, &all->one[i], &run->output[i]);
  }
  return code;
}

static int is_same(const struct stat* a, const struct stat* b)
{
  return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

// What is read is not written over: tables, the run file or the model.
static int check_inputs(const sim_job* job, const one_output* o)
{
  struct stat own, operand;
  if (stat(o->at->text, &own) != 0 || !S_ISREG(own.st_mode)) return EXIT_FINE;
  int same = stat(cli_operand(job->plan.args, 0), &operand) == 0 && is_same(&own, &operand);
  for (int i = 0; i < job->ninput; i++) same |= is_same(&own, &job->input[i]);
  return same ? sim_wrong(&job->plan, o->at, "'%s' is an input of this run", o->at->text) : EXIT_FINE;
}

// Two names of one file, such as a.csv and ./a.csv: it would be neither table.
static int check_same(const sim_job* job, const one_output* o)
{
  struct stat own, others;
  if (stat(o->at->text, &own) != 0 || !S_ISREG(own.st_mode)) return EXIT_FINE;
  for (const one_output* other = job->outputs->one; other < o; other++)
    if (stat(other->at->text, &others) == 0 && is_same(&own, &others))
      return sim_wrong(&job->plan, o->at, "'%s' and '%s' are one file", other->at->text, o->at->text);
  return EXIT_FINE;
}

int sim_open_outputs(sim_job* job)
{
  sim_outputs* all = job->outputs;
  int code = EXIT_FINE;
  for (int i = 0; i < all->count && code == EXIT_FINE; i++) {
    if ((code = check_inputs(job, &all->one[i])) != EXIT_FINE) break;
    all->one[i].open = 1;
    code = all->one[i].writer.format->open(&all->one[i].writer);
    if (code == EXIT_FINE) code = check_same(job, &all->one[i]);
    if (code != EXIT_FINE) all->one[i].open = -1;
  }
  return code;
}

void sim_close_outputs(sim_job* job)
{
  sim_outputs* all = job->outputs;
  if (!all) return;
  for (int i = 0; i < all->count; i++) {
    one_output* o = &all->one[i];
    if (o->open) o->writer.format->free(&o->writer);
    sim_probe_free(&o->probe);
    free(o->row);
  }
  free(all->one);
  free(all);
  job->outputs = NULL;
}

// ---- rows ------------------------------------------------------------------------------------------------

static double due(const sim_job* job, const one_output* o)
{
  const double k = (double)o->k;
  return job->start + (o->rate > 0 ? k / o->rate : k * o->interval);
}

// Times of different files that differ by rounding only are one.
static int is_due(const sim_job* job, const one_output* o) { return due(job, o) <= job->now + 1e-9 * o->interval; }

double sim_next_row(const sim_job* job)
{
  double first = HUGE_VAL;
  for (int i = 0; i < job->outputs->count; i++) {
    const one_output* o = &job->outputs->one[i];
    const double t = due(job, o);
    first = fmin(first, t >= job->end - 1e-9 * o->interval ? job->end : t);
  }
  return first;
}

static int cannot_compute(sim_job* job, const one_output* o, limb_status s)
{
  (void)snprintf(job->trouble, sizeof job->trouble, "channel %s at %.9g s: %s", sim_probe_culprit(&o->probe), job->now,
                 o->probe.reason);
  (void)cli_usage(job->plan.args, "%s", job->trouble);
  const int code = cli_exit_code(s);
  return code == EXIT_MODEL ? EXIT_NUMERICAL : code;
}

static int write_row(sim_job* job, one_output* o, const limb_sim_state* at)
{
  const limb_status s = sim_probe_read(&o->probe, at, o->row + 1);
  if (s != LIMB_OK) return cannot_compute(job, o, s);
  o->row[0] = at->time;
  o->last = at->time;
  const int code = o->writer.format->row(&o->writer, o->row);
  if (code == EXIT_FINE) o->writer.rows++;
  return code;
}

int sim_write_rows(sim_job* job, const limb_sim_state* at, int last)
{
  int code = EXIT_FINE;
  for (int i = 0; i < job->outputs->count && code == EXIT_FINE; i++) {
    one_output* o = &job->outputs->one[i];
    if (o->open <= 0 || !(is_due(job, o) || (last && o->last != job->now))) continue;
    code = write_row(job, o, at);
    while (is_due(job, o)) o->k++;
  }
  return code;
}

void sim_write_last_good(sim_job* job)
{
  limb_sim_state at;
  if (limb_sim_now(job->sim, &at) != LIMB_OK) return;
  for (int i = 0; i < job->outputs->count; i++) {
    one_output* o = &job->outputs->one[i];
    if (o->open <= 0 || o->writer.broken || o->last == at.time) continue;
    if (sim_probe_read(&o->probe, &at, o->row + 1) == LIMB_OK) (void)write_row(job, o, &at);
  }
}

int sim_flush_outputs(sim_job* job)
{
  int code = EXIT_FINE;
  for (int i = 0; i < job->outputs->count && code == EXIT_FINE; i++) {
    one_output* o = &job->outputs->one[i];
    if (o->open > 0 && o->writer.format->flush) code = o->writer.format->flush(&o->writer);
  }
  return code;
}

int sim_end_outputs(sim_job* job)
{
  int code = EXIT_FINE;
  for (int i = 0; i < job->outputs->count; i++) {
    one_output* o = &job->outputs->one[i];
    if (o->open <= 0) continue;
    const int one = o->writer.format->end(&o->writer);
    if (one != EXIT_FINE) code = one;
  }
  return code;
}
