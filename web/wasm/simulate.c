// Simulation, row by row: what `limb sim` does with the same settings.
#include "web.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_SETTINGS = 64 };

struct web_sim {
  limb_reading* file; // NULL: no run file
  limb_run_override* run;
  limb_runner* runner;
  limb_run_rows* rows;
  limb_sim* sim;
  const limb_runner_setup* setup;
  double now;
  int begun, over;
  limb_error failed;
  json events; // entries of an array
  json text;
};

// Reads a run file. An error in it is its first finding of that weight.
static limb_status read_run(const char* path, limb_reading** out, limb_error* err)
{
  limb_finding f;
  const limb_status status = limb_read_run(path, NULL, out, err);
  const limb_findings* list = *out ? limb_reading_findings(*out) : NULL;
  for (int i = 0; status != LIMB_OK && list && i < limb_findings_count(list); i++) {
    if (limb_findings_get(list, i, &f) != LIMB_OK || f.severity != LIMB_ERROR) continue;
    err->line = f.line, err->column = f.column;
    (void)snprintf(err->where, sizeof err->where, "%s", f.where);
    (void)snprintf(err->text, sizeof err->text, "%s", f.text);
    break;
  }
  return status;
}

// Puts the settings over a run, with one table as output.
static limb_status take_settings(web_sim* s, const limb_run* base, const char* const* settings)
{
  limb_run_setting own[MAX_SETTINGS + 2] = {{0}};
  int n = 0;
  for (; settings[2 * n] && n < MAX_SETTINGS; n++) own[n] = (limb_run_setting){settings[2 * n], settings[2 * n + 1]};
  own[n] = (limb_run_setting){"output", "-"};
  return limb_run_override_create(base, own, &s->run, &s->failed);
}

static limb_status begin(web_sim* s, const web_robot* r, const char* path, const char* const* settings)
{
  static const limb_run nothing;
  limb_status status = path ? read_run(path, &s->file, &s->failed) : LIMB_OK;
  if (status == LIMB_OK) status = take_settings(s, path ? limb_reading_run(s->file) : &nothing, settings);
  if (status != LIMB_OK) return status;
  const limb_run* run = limb_run_override_run(s->run);
  limb_runner_options options = limb_default_runner_options(r->model);
  options.path = path;
  options.poses = r->reading;
  status = limb_runner_create(run, r->model, &options, &s->runner, &s->failed);
  if (status != LIMB_OK) return status;
  s->sim = limb_runner_sim(s->runner);
  s->setup = limb_runner_setup_of(s->runner);
  s->now = s->setup->start;
  int table = 0; // the one of take_settings, behind the plots of the file
  while (!run->output[table].file.text) table++;
  status = limb_run_rows_create(s->runner, &run->output[table], &s->rows, &s->failed);
  return status == LIMB_OK ? limb_runner_start(s->runner, &s->failed) : status;
}

web_sim* web_sim_open(const web_robot* r, const char* run, const char* const* settings)
{
  web_sim* s = calloc(1, sizeof *s);
  if (!s) return NULL;
  const limb_status status = begin(s, r, run, settings);
  s->over = status != LIMB_OK;
  if (status != LIMB_OK && s->failed.status == LIMB_OK) (void)web_fail(&s->failed, status);
  return s;
}

void web_sim_close(web_sim* s)
{
  if (!s) return;
  limb_run_rows_destroy(s->rows);
  limb_runner_destroy(s->runner);
  limb_run_override_destroy(s->run);
  limb_reading_destroy(s->file);
  json_free(&s->events);
  json_free(&s->text);
  free(s);
}

static void keep_event(web_sim* s, const limb_sim_event* event)
{
  char text[500];
  limb_runner_event_text(s->runner, event, text, sizeof text);
  json_begin(&s->events, "", '{');
  json_number(&s->events, "time", event->time);
  json_text(&s->events, "kind", limb_event_kind_name(event->kind));
  json_text(&s->events, "name", limb_runner_event_name(s->runner, event));
  json_text(&s->events, "text", text);
  json_end(&s->events, '}');
}

static const double* fail(web_sim* s, limb_status status)
{
  const char* own = limb_runner_error(s->runner);
  (void)web_fail(&s->failed, status);
  if (*own) (void)snprintf(s->failed.text, sizeof s->failed.text, "%s", own);
  s->over = 1;
  return NULL;
}

// The row at the current state; NULL: none is due, or it has no value.
static const double* row_here(web_sim* s, int last)
{
  limb_sim_state at;
  const double* row = NULL;
  limb_status status = limb_sim_now(s->sim, &at);
  if (status != LIMB_OK) return fail(s, status);
  status = limb_run_rows_read(s->rows, &at, last, &row, &s->failed);
  if (status != LIMB_OK) s->over = 1;
  return status == LIMB_OK ? row : NULL;
}

const double* web_sim_next(web_sim* s)
{
  if (!s->begun && !s->over) {
    s->begun = 1;
    const double* first = row_here(s, 0);
    if (first) return first;
  }
  while (!s->over) {
    limb_sim_event event = {.kind = LIMB_EVENT_NONE};
    const double goal = fmin(limb_run_rows_next(s->rows), s->setup->end);
    const limb_status status = limb_sim_advance(s->sim, goal, &event);
    if (status != LIMB_OK) return fail(s, status);
    if (event.kind != LIMB_EVENT_NONE) keep_event(s, &event);
    s->now = event.kind == LIMB_EVENT_NONE ? goal : event.time;
    s->over = event.ends || (event.kind == LIMB_EVENT_NONE && goal >= s->setup->end);
    if (event.kind != LIMB_EVENT_NONE && !event.ends) continue;
    const double* row = row_here(s, s->over);
    if (row) return row;
  }
  return NULL;
}

static void put_summary(web_sim* s)
{
  json* j = &s->text;
  limb_sim_summary about;
  if (!s->sim || !s->begun || limb_sim_summary_of(s->sim, &about) != LIMB_OK) return;
  json_begin(j, "summary", '{');
  json_text(j, "method", limb_sim_method_name(about.method));
  json_number(j, "steps", (double)about.steps);
  json_number(j, "evaluations", (double)about.evaluations);
  json_number(j, "energyAtStart", about.energy_start);
  json_number(j, "energy", about.energy);
  json_number(j, "work", about.work);
  json_number(j, "loopResidual", about.position_residual);
  json_end(j, '}');
}

const char* web_sim_describe(web_sim* s)
{
  json* j = &s->text;
  json_clear(j);
  json_begin(j, "", '{');
  web_put_error(j, &s->failed);
  json_number(j, "time", s->now);
  if (s->rows) {
    const limb_channels* channels = limb_run_rows_channels(s->rows);
    json_number(j, "start", s->setup->start);
    json_number(j, "end", s->setup->end);
    json_number(j, "interval", limb_run_rows_interval(s->rows));
    json_begin(j, "columns", '[');
    for (int k = 0; k < limb_channels_count(channels); k++) {
      char name[5200];
      limb_channels_name(channels, k, name, sizeof name);
      json_begin(j, "", '{');
      json_text(j, "name", name);
      json_text(j, "unit", limb_channels_unit(channels, k));
      json_end(j, '}');
    }
    json_end(j, ']');
  }
  put_summary(s);
  json_entries(j, "events", &s->events);
  json_end(j, '}');
  return json_done(j);
}

const char* web_run(const char* path)
{
  static json j;
  limb_reading* file = NULL;
  limb_error err = {0};
  const limb_status status = read_run(path, &file, &err);
  if (status != LIMB_OK && err.status == LIMB_OK) (void)web_fail(&err, status);
  json_clear(&j);
  json_begin(&j, "", '{');
  web_put_error(&j, &err);
  if (status == LIMB_OK) {
    const limb_run* run = limb_reading_run(file);
    json_text(&j, "title", run->title.text);
    json_text(&j, "model", run->model.name.text);
    json_text(&j, "duration", run->duration.text);
  }
  json_end(&j, '}');
  limb_reading_destroy(file);
  return json_done(&j);
}
