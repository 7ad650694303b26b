// Outputs of a simulation: tables (limb/table.h), plots and animations; which rows they get, and when.
#include "limb/draw.h"
#include "limb/table.h"

#include "base/command.h"
#include "base/output.h"
#include "robot/page.h"
#include "sim/sim.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer writer;

// A kind of file. Functions return EXIT_FINE, or an exit code after a message.
typedef struct file_kind {
  const char* endings;
  int (*open)(writer* w);
  int (*row)(writer* w, const double* x); // time, and one number per column
  int (*flush)(writer* w);                // NULL: written at the end
  int (*end)(writer* w);
  void (*free)(writer* w);
} file_kind;

struct writer {
  const file_kind* kind;
  const sim_job* job;
  const limb_run_output* run;
  const char* path;
  const limb_channels* channels; // names and units of the columns after time
  const limb_sim_state* at;      // of the row
  cli_output out;                // of a table
  uint64_t rows;                 // written
  int broken;                    // writing failed, which was reported
  void* own;                     // of the kind
};

// ---- tables ----------------------------------------------------------------------------------------

// Reports, once, that the file could not be written.
static int written(writer* w, limb_status s)
{
  if (s == LIMB_OK) return EXIT_FINE;
  if (w->broken) return EXIT_USAGE;
  w->broken = 1;
  if (s == LIMB_E_NOMEM) return sim_out_of_memory(&w->job->plan);
  return cli_unwritten(cli_title(w->job->plan.args), strcmp(w->path, "-") == 0 ? "the table" : w->path,
                       "unknown error");
}

// 0: out of memory.
static int copy_names(const limb_channels* c, char** names)
{
  char name[SIM_NAME_SPACE];
  for (int k = 0; k < limb_channels_count(c); k++) {
    limb_channels_name(c, k, name, sizeof name);
    names[k] = strdup(name);
    if (!names[k]) return 0;
  }
  return 1;
}

static int table_open(writer* w)
{
  const size_t n = (size_t)limb_channels_count(w->channels) + 1;
  char** names = calloc(n, sizeof *names);
  limb_table_column* column = calloc(n, sizeof *column);
  limb_table_writer* table = NULL;
  limb_error err = {0};
  limb_status s = LIMB_E_NOMEM;
  const int code = cli_output_reserve(&w->out, cli_title(w->job->plan.args), w->path);
  if (code == EXIT_FINE && names && column && copy_names(w->channels, names)) {
    column[0] = (limb_table_column){.name = "time", .unit = "s"};
    for (size_t k = 1; k < n; k++)
      column[k] = (limb_table_column){.name = names[k - 1], .unit = limb_channels_unit(w->channels, (int)k - 1)};
    const limb_table_format format = limb_table_format_of(w->path); // none: a device
    s = limb_table_create(cli_output_path(&w->out), format ? format : LIMB_TABLE_CSV, (int)n, column, &table, &err);
  }
  w->own = table;
  const int cause = errno;
  for (size_t k = 0; names && k < n; k++) free(names[k]);
  free(names);
  free(column);
  errno = cause;
  if (code != EXIT_FINE) return code;
  if (s == LIMB_E_UNSUPPORTED || s == LIMB_E_ARG)
    return sim_wrong(&w->job->plan, &w->run->file, "%s: %s", w->path, err.text);
  return written(w, s);
}

static int table_row(writer* w, const double* x)
{
  const int same = sim_resume_check(w->job, limb_channels_count(w->channels) + 1, x);
  if (same != EXIT_FINE) {
    w->broken = 1;
    return same;
  }
  w->rows++;
  return written(w, limb_table_row(w->own, x));
}

static int table_flush(writer* w) { return written(w, limb_table_flush(w->own)); }

// A table that could not be written keeps its whole rows, unless it would replace another one.
static int table_end(writer* w)
{
  const char* title = cli_title(w->job->plan.args);
  const int code = written(w, limb_table_end(w->own));
  if (code == EXIT_FINE && !w->broken && w->rows + w->job->resumed.rows > 0) return cli_output_commit(&w->out, title);
  cli_output_salvage(&w->out, title);
  return code;
}

static void table_free(writer* w)
{
  limb_table_destroy(w->own);
  cli_output_abandon(&w->out);
}

static const file_kind table_kind = {
  CLI_TABLES " .h5 .hdf5", table_open, table_row, table_flush, table_end, table_free};

static const char* title_of(const writer* w)
{
  const limb_run* run = &w->job->plan.run;
  return w->run->title.text ? w->run->title.text
         : run->title.text  ? run->title.text
                            : limb_model_name(w->job->robot.model);
}

// ---- plots -----------------------------------------------------------------------------------------

enum { MAX_MARKS = 24 }; // events

static int plot_open(writer* w)
{
  limb_plot* p = NULL;
  if (limb_channels_count(w->channels) > LIMB_PLOT_MAX)
    return sim_wrong(&w->job->plan, &w->run->plot,
                     "%d curves are too many for one plot, which has at most %d; name fewer channels",
                     limb_channels_count(w->channels), LIMB_PLOT_MAX);
  const limb_status s = limb_plot_create(limb_channels_count(w->channels), &p);
  w->own = p;
  return s == LIMB_OK ? EXIT_FINE : sim_out_of_memory(&w->job->plan);
}

static int plot_row(writer* w, const double* x)
{
  limb_plot_add(w->own, x[0], x + 1);
  return EXIT_FINE;
}

// Events as vertical lines; none if they would hide the curves. Their number.
static int mark_events(const sim_events* e, limb_plot_event mark[MAX_MARKS])
{
  if (e->nhappened > MAX_MARKS) return 0;
  for (int i = 0; i < e->nhappened; i++) {
    const sim_happened* h = &e->happened[i];
    const int own = h->event.kind == LIMB_EVENT_CONDITION;
    mark[i] = (limb_plot_event){h->event.time, own ? h->name : limb_event_kind_name(h->event.kind)};
  }
  return e->nhappened;
}

static void draw_plot(const writer* w, char (*names)[SIM_NAME_SPACE], limb_plot_series* series, FILE* out)
{
  char subtitle[160];
  const limb_model* m = w->job->robot.model;
  for (int k = 0; k < limb_channels_count(w->channels); k++) {
    limb_channels_name(w->channels, k, names[k], SIM_NAME_SPACE);
    series[k] = (limb_plot_series){.name = names[k], .unit = limb_channels_unit(w->channels, k), .limit = HUGE_VAL};
  }
  (void)snprintf(subtitle, sizeof subtitle, "%.100s, %.9g to %.9g s", limb_model_name(m), w->job->setup->start,
                 w->job->now);
  limb_plot_event mark[MAX_MARKS];
  const int marks = mark_events(&w->job->events, mark);
  const limb_plot_labels labels = {
    .title = title_of(w), .subtitle = subtitle, .x_label = "time [s]", .event = mark, .events = marks};
  limb_plot_write(w->own, series, &labels, out);
}

static int plot_end(writer* w)
{
  const size_t n = (size_t)limb_channels_count(w->channels) + 1;
  const char* title = cli_title(w->job->plan.args);
  char(*names)[SIM_NAME_SPACE] = calloc(n, sizeof *names);
  limb_plot_series* series = calloc(n, sizeof *series);
  cli_output out = {0};
  int code = EXIT_FINE;
  if (!names || !series) {
    code = sim_out_of_memory(&w->job->plan);
  } else if ((code = cli_output_open_drawing(&out, title, w->path)) == EXIT_FINE) {
    draw_plot(w, names, series, out.stream);
    code = cli_output_commit(&out, title);
    cli_output_abandon(&out);
  }
  free(names);
  free(series);
  return code;
}

static void plot_free(writer* w) { limb_plot_destroy(w->own); }

static const file_kind plot_kind = {CLI_DRAWINGS, plot_open, plot_row, NULL, plot_end, plot_free};

// ---- animations ------------------------------------------------------------------------------------

static int animation_open(writer* w)
{
  limb_animation_options o = limb_default_animation();
  limb_animation* a = NULL;
  o.title = title_of(w);
  o.still = limb_picture_of(w->path) != LIMB_PICTURE_SVG; // on paper nothing moves
  const limb_status s = limb_animation_create(w->job->robot.model, &o, &a);
  w->own = a;
  return s == LIMB_OK ? EXIT_FINE : sim_failed(w->job, s, "animation");
}

static int animation_row(writer* w, const double* x)
{
  const limb_status s = limb_animation_add(w->own, x[0], x + 1);
  return s == LIMB_OK ? EXIT_FINE : sim_failed(w->job, s, "animation");
}

static int animation_end(writer* w)
{
  const char* title = cli_title(w->job->plan.args);
  cli_output out = {0};
  if (limb_animation_count(w->own) == 0) return EXIT_FINE;
  int code = cli_output_open_drawing(&out, title, w->path);
  if (code != EXIT_FINE) return code;
  const limb_status s = limb_animation_write(w->own, LIMB_PICTURE_SVG, out.stream);
  code = s == LIMB_OK ? cli_output_commit(&out, title) : sim_failed(w->job, s, "animation");
  cli_output_abandon(&out);
  return code;
}

static void animation_free(writer* w) { limb_animation_destroy(w->own); }

static const file_kind animation_kind = {".svg .png .pdf", animation_open, animation_row, NULL,
                                         animation_end,    animation_free};

// ---- pages -----------------------------------------------------------------------------------------

enum { MAX_FORCES = 40 };

static int page_open(writer* w)
{
  limb_view_page* page = NULL;
  const int code = cli_page_create(w->job->plan.args, &w->job->robot, title_of(w), &page);
  w->own = page;
  return code;
}

// Forces from outside, at the origins of their frames.
static limb_status find_forces(const writer* w, limb_view_force force[MAX_FORCES])
{
  const limb_sim_state* at = w->at;
  limb_data* data = w->job->robot.data;
  limb_status s = at->nwrench > 0 ? limb_kinematics(data, at->q, NULL, NULL) : LIMB_OK;
  for (int k = 0; k < at->nwrench && k < MAX_FORCES && s == LIMB_OK; k++) {
    const limb_wrench* wrench = &at->wrench[k];
    sp_pose pose;
    s = limb_frame_pose(data, wrench->frame, &pose);
    if (s != LIMB_OK) break;
    const sp_vec3 f = wrench->ref == LIMB_BODY ? sp_mulv(pose.R, wrench->wrench.f) : wrench->wrench.f;
    force[k] = (limb_view_force){{pose.p.x, pose.p.y, pose.p.z}, {f.x, f.y, f.z}};
  }
  return s;
}

static int page_row(writer* w, const double* x)
{
  const limb_sim_state* at = w->at;
  const limb_model* m = w->job->robot.model;
  limb_view_force force[MAX_FORCES];
  limb_status s = find_forces(w, force);
  if (s == LIMB_OK && w->rows++ == 0)
    s = limb_view_page_motion(w->own, limb_nq(m), limb_nv(m), at->nwrench < MAX_FORCES ? at->nwrench : MAX_FORCES);
  if (s == LIMB_OK) s = limb_view_page_add(w->own, &(limb_view_row){x[0], at->q, at->v, at->a, at->tau, force});
  return s == LIMB_OK ? EXIT_FINE : sim_failed(w->job, s, "animation");
}

static int page_end(writer* w)
{
  const sim_events* e = &w->job->events;
  limb_status s = LIMB_OK;
  if (w->rows == 0) return EXIT_FINE;
  for (int i = 0; i < e->nhappened && s == LIMB_OK; i++) {
    char text[500];
    limb_runner_event_text(w->job->runner, &e->happened[i].event, text, sizeof text);
    s = limb_view_page_event(w->own, e->happened[i].event.time, text);
  }
  return s == LIMB_OK ? cli_page_save(w->job->plan.args, w->own, w->path) : sim_failed(w->job, s, "animation");
}

static void page_free(writer* w) { limb_view_page_destroy(w->own); }

static const file_kind page_kind = {".html .htm", page_open, page_row, NULL, page_end, page_free};

// ---- planning --------------------------------------------------------------------------------------

typedef struct one_output {
  writer writer;
  limb_run_rows* rows;
  int open;
} one_output;

struct sim_outputs {
  int count;
  one_output* one;
};

static int plan_one(sim_job* job, one_output* o, const limb_run_output* run)
{
  const limb_run_value* at = run->file.text ? &run->file : run->plot.text ? &run->plot : &run->animation;
  limb_error err = {0};
  o->writer = (writer){.job = job, .run = run, .path = at->text};
  o->writer.kind = run->file.text          ? &table_kind
                   : run->plot.text        ? &plot_kind
                   : cli_is_page(at->text) ? &page_kind
                                           : &animation_kind;
  const char* endings = run->animation.text ? CLI_ANIMATIONS : o->writer.kind->endings;
  int code = sim_check_output(&job->plan, at, endings);
  if (code == EXIT_FINE && o->writer.kind == &page_kind) code = cli_page_check(job->plan.args, at->text);
  if (code != EXIT_FINE) return code;
  const limb_status s = limb_run_rows_create(job->runner, run, &o->rows, &err);
  o->writer.channels = limb_run_rows_channels(o->rows);
  if (s == LIMB_E_NOMEM) return sim_out_of_memory(&job->plan);
  return s == LIMB_OK ? EXIT_FINE : sim_refused(&job->plan, s, &err);
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
  if (cli_is(job->plan.args, "summary", "json")) code = cli_writes_to(job->plan.args, "--summary json", "-", "");
  for (int i = 0; i < run->noutput && code == EXIT_FINE; i++) {
    all->count++;
    code = plan_one(job, &all->one[i], &run->output[i]);
  }
  return code;
}

int sim_find_resumed(sim_job* job)
{
  const one_output* o = job->outputs->one;
  const int table = job->outputs->count == 1 && o->writer.kind == &table_kind && strcmp(o->writer.path, "-") != 0;
  return cli_has(job->plan.args, "resume") ? sim_resume(job, table ? o->writer.path : NULL, o->rows) : EXIT_FINE;
}

// Fixed steps end at rows: a rate that does not fit makes them shorter.
static void note_steps(const sim_job* job)
{
  limb_sim_summary sum = {.method = LIMB_SIM_AUTO};
  const double step = job->setup->sim.step;
  const limb_status s = limb_sim_summary_of(job->sim, &sum);
  if (job->quiet || s != LIMB_OK || limb_sim_method_order(sum.method) == 0 || !job->plan.run.solver.step.text) return;
  for (int i = 0; i < job->outputs->count; i++) {
    const double interval = limb_run_rows_interval(job->outputs->one[i].rows),
                 made = interval / ceil(interval / step - 1e-9);
    if (!(made < step * (1 - 1e-9))) continue;
    (void)fprintf(stderr, "%s: note: steps end at rows: a row every %.9g s makes steps of %.9g s, not %.9g s\n",
                  cli_title(job->plan.args), interval, made, step);
    return;
  }
}

// Rows of an earlier run, and a file that survives kill -9.
static int go_on(sim_job* job, one_output* o)
{
  writer* w = &o->writer;
  int code = job->resumed.rows > 0 ? sim_resume_copy(job, w->channels, w->own) : EXIT_FINE;
  if (code == EXIT_FINE && job->resumed.rows > 0) limb_run_rows_go_on(o->rows, job->resumed.time);
  if (code == EXIT_FINE) code = table_flush(w);
  return code == EXIT_FINE ? cli_output_keep(&w->out, cli_title(job->plan.args)) : code;
}

int sim_open_outputs(sim_job* job)
{
  sim_outputs* all = job->outputs;
  int code = EXIT_FINE;
  for (int i = 0; i < all->count && code == EXIT_FINE; i++) {
    all->one[i].open = 1;
    code = all->one[i].writer.kind->open(&all->one[i].writer);
    if (code != EXIT_FINE) all->one[i].open = -1;
  }
  if (code == EXIT_FINE && cli_has(job->plan.args, "resume")) code = go_on(job, &all->one[0]);
  if (code == EXIT_FINE) note_steps(job);
  return code;
}

void sim_close_outputs(sim_job* job)
{
  sim_outputs* all = job->outputs;
  if (!all) return;
  for (int i = 0; i < all->count; i++) {
    one_output* o = &all->one[i];
    if (o->open) o->writer.kind->free(&o->writer);
    limb_run_rows_destroy(o->rows);
  }
  free(all->one);
  free(all);
  job->outputs = NULL;
}

// ---- rows ------------------------------------------------------------------------------------------

double sim_next_row(const sim_job* job)
{
  double first = HUGE_VAL;
  for (int i = 0; i < job->outputs->count; i++) first = fmin(first, limb_run_rows_next(job->outputs->one[i].rows));
  return first;
}

static int cannot_compute(sim_job* job, limb_status s, const limb_error* err)
{
  (void)snprintf(job->trouble, sizeof job->trouble, "channel %s at %.9g s: %s", err->where, job->now, err->text);
  (void)cli_usage(job->plan.args, "%s", job->trouble);
  const int code = cli_exit_code(s);
  return code == EXIT_MODEL ? EXIT_NUMERICAL : code;
}

int sim_write_rows(sim_job* job, const limb_sim_state* at, int last)
{
  int code = EXIT_FINE;
  for (int i = 0; i < job->outputs->count && code == EXIT_FINE; i++) {
    one_output* o = &job->outputs->one[i];
    const double* row = NULL;
    limb_error err = {0};
    const limb_status s = o->open > 0 ? limb_run_rows_read(o->rows, at, last, &row, &err) : LIMB_OK;
    if (s != LIMB_OK) code = cannot_compute(job, s, &err);
    o->writer.at = at;
    if (row) code = o->writer.kind->row(&o->writer, row);
  }
  return code;
}

void sim_write_last_good(sim_job* job)
{
  limb_sim_state at;
  if (limb_sim_now(job->sim, &at) != LIMB_OK) return;
  for (int i = 0; i < job->outputs->count; i++) {
    one_output* o = &job->outputs->one[i];
    const double* row = NULL;
    if (o->open <= 0 || o->writer.broken) continue;
    o->writer.at = &at;
    if (limb_run_rows_read(o->rows, &at, 1, &row, NULL) == LIMB_OK && row) (void)o->writer.kind->row(&o->writer, row);
  }
}

int sim_flush_outputs(sim_job* job)
{
  int code = EXIT_FINE;
  for (int i = 0; i < job->outputs->count && code == EXIT_FINE; i++) {
    one_output* o = &job->outputs->one[i];
    if (o->open > 0 && o->writer.kind->flush) code = o->writer.kind->flush(&o->writer);
  }
  return code;
}

int sim_end_outputs(sim_job* job)
{
  int code = EXIT_FINE;
  for (int i = 0; i < job->outputs->count; i++) {
    one_output* o = &job->outputs->one[i];
    if (o->open <= 0) continue;
    const int one = o->writer.kind->end(&o->writer);
    if (one != EXIT_FINE) code = one;
  }
  return code;
}
