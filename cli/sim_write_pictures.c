// Pictures of a simulation: curves of its channels, and the robot in motion. They are drawn at the end, also
// when that is early.
#include "limb/draw.h"

#include "cli.h"
#include "output.h"
#include "sim_events.h"
#include "sim_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* title_of(const sim_writer* w)
{
  const limb_run* run = &w->job->plan.run;
  return w->run->title.text ? w->run->title.text
         : run->title.text  ? run->title.text
                            : limb_model_name(w->job->robot.model);
}

// ---- curves ----------------------------------------------------------------------------------------------

enum { MARKS_MOST = 24 }; // events

static int plot_open(sim_writer* w)
{
  limb_plot* p = NULL;
  if (w->probe->count > LIMB_PLOT_MAX)
    return sim_wrong(&w->job->plan, &w->run->plot,
                     "%d curves are too many for one picture: %d at most; name fewer channels", w->probe->count,
                     LIMB_PLOT_MAX);
  const limb_status s = limb_plot_create(w->probe->count, &p);
  w->own = p;
  return s == LIMB_OK ? EXIT_FINE : sim_out_of_memory(&w->job->plan);
}

static int plot_row(sim_writer* w, const double* x)
{
  limb_plot_add(w->own, x[0], x + 1);
  return EXIT_FINE;
}

// Events as upright lines; when there are so many that they would hide the curves, none. How many.
static int mark_events(const sim_events* e, limb_plot_event mark[MARKS_MOST])
{
  if (!e || e->nhappened > MARKS_MOST) return 0;
  for (int i = 0; i < e->nhappened; i++) {
    const sim_happened* h = &e->happened[i];
    const int own = h->event.kind == LIMB_EVENT_CONDITION;
    mark[i] = (limb_plot_event){h->event.time, own ? h->name : limb_event_kind_name(h->event.kind)};
  }
  return e->nhappened;
}

static void draw_plot(const sim_writer* w, char (*names)[SIM_NAME_SPACE], limb_plot_series* series, FILE* out)
{
  char subtitle[160];
  const limb_model* m = w->job->robot.model;
  for (int k = 0; k < w->probe->count; k++) {
    sim_probe_name(w->probe, k, names[k], SIM_NAME_SPACE);
    series[k] = (limb_plot_series){names[k], sim_probe_unit(w->probe, k), HUGE_VAL, NULL};
  }
  (void)snprintf(subtitle, sizeof subtitle, "%.100s, %.9g to %.9g s", limb_model_name(m), w->job->start, w->job->now);
  limb_plot_event mark[MARKS_MOST];
  const int marks = mark_events(w->job->events, mark);
  const limb_plot_labels labels = {title_of(w), subtitle, "time in s", mark, marks, 0};
  limb_plot_write(w->own, series, &labels, out);
}

static int plot_end(sim_writer* w)
{
  const size_t n = (size_t)w->probe->count + 1;
  const char* title = cli_title(w->job->plan.args);
  char(*names)[SIM_NAME_SPACE] = calloc(n, sizeof *names);
  limb_plot_series* series = calloc(n, sizeof *series);
  cli_output out = {0};
  int code = EXIT_FINE;
  if (!names || !series) {
    code = sim_out_of_memory(&w->job->plan);
  } else if ((code = cli_output_open(&out, title, w->path)) == EXIT_FINE) {
    draw_plot(w, names, series, out.stream);
    code = cli_output_commit(&out, title);
    cli_output_abandon(&out);
  }
  free(names);
  free(series);
  return code;
}

static void plot_free(sim_writer* w) { limb_plot_destroy(w->own); }

const sim_format sim_plot = {"plot", 1, plot_open, plot_row, NULL, plot_end, plot_free};

// ---- the robot in motion ---------------------------------------------------------------------------------

static int animation_open(sim_writer* w)
{
  limb_animation_options o = limb_default_animation();
  limb_animation* a = NULL;
  o.title = title_of(w);
  if (limb_picture_of(w->path) == LIMB_PICTURE_NONE)
    return sim_wrong(&w->job->plan, &w->run->animation, "'%s' does not end in .svg or .html", w->path);
  const limb_status s = limb_animation_create(w->job->robot.model, &o, &a);
  w->own = a;
  return s == LIMB_OK ? EXIT_FINE : sim_failed(w->job, s, "animation");
}

static int animation_row(sim_writer* w, const double* x)
{
  const limb_status s = limb_animation_add(w->own, x[0], x + 1);
  return s == LIMB_OK ? EXIT_FINE : sim_failed(w->job, s, "animation");
}

static int animation_end(sim_writer* w)
{
  const char* title = cli_title(w->job->plan.args);
  cli_output out = {0};
  if (limb_animation_count(w->own) == 0) return EXIT_FINE;
  int code = cli_output_open(&out, title, w->path);
  if (code != EXIT_FINE) return code;
  const limb_status s = limb_animation_write(w->own, limb_picture_of(w->path), out.stream);
  code = s == LIMB_OK ? cli_output_commit(&out, title) : sim_failed(w->job, s, "animation");
  cli_output_abandon(&out);
  return code;
}

static void animation_free(sim_writer* w) { limb_animation_destroy(w->own); }

const sim_format sim_animation = {"animation", 0, animation_open, animation_row, NULL, animation_end, animation_free};
