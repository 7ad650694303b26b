// Events of a simulation: conditions as formulas, and what happened.
#include "sim_events.h"
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sim_condition {
  sim_job* job;
  sim_formulas formula;
  const char* name;
};

typedef struct sim_condition sim_condition;

// What has no value is not a number: the simulation ends there, and job->trouble says why.
static double value_at(void* context, const limb_sim_state* at)
{
  sim_condition* c = context;
  if (sim_formulas_read(&c->formula, c->job, at) != LIMB_OK) return nan("");
  return c->formula.value[0];
}

static int open_condition(sim_job* job, sim_condition* c, const limb_run_event* run)
{
  static const char* const actions[] = {"log", "stop", NULL};
  limb_sim_condition how = {.value = value_at, .context = c};
  int code = sim_word_of(&job->plan, &run->action, actions, &how.ends);
  c->job = job;
  c->name = run->name.text ? run->name.text : run->when.text;
  if (code == EXIT_FINE) code = sim_formulas_add(&c->formula, job, &run->when, &how.direction, NULL);
  if (code == EXIT_FINE) code = sim_formulas_ready(&c->formula);
  if (code != EXIT_FINE) return code;
  how.dynamics = sim_probe_needs_dynamics(&c->formula.probe);
  const limb_status s = limb_sim_add_condition(job->sim, &how, NULL);
  return s == LIMB_OK ? EXIT_FINE : sim_failed(job, s, "events");
}

int sim_open_events(sim_job* job)
{
  const limb_run* run = &job->plan.run;
  sim_events* e = calloc(1, sizeof *e);
  int code = EXIT_FINE;
  job->events = e;
  if (!e) return sim_out_of_memory(&job->plan);
  e->condition = calloc((size_t)run->nevent + 1, sizeof *e->condition);
  if (!e->condition) return sim_out_of_memory(&job->plan);
  for (int i = 0; i < run->nevent && code == EXIT_FINE; i++) {
    sim_formulas_begin(&e->condition[i].formula, job, SIM_KNOWN_ALL);
    e->count++;
    code = open_condition(job, &e->condition[i], &run->event[i]);
  }
  return code;
}

void sim_close_events(sim_job* job)
{
  sim_events* e = job->events;
  if (!e) return;
  for (int i = 0; i < e->count; i++) sim_formulas_free(&e->condition[i].formula);
  free(e->condition);
  free(e->happened);
  free(e);
  job->events = NULL;
}

// ---- what happened ---------------------------------------------------------------------------------------

static const char* name_of(const sim_job* job, const limb_sim_event* event)
{
  limb_joint_info info;
  if (event->kind == LIMB_EVENT_CONDITION && event->condition < job->events->count)
    return job->events->condition[event->condition].name;
  if (event->joint >= 0 && limb_get_joint(job->robot.model, event->joint, &info) == LIMB_OK) return info.def.name;
  return "";
}

limb_status sim_keep_event(sim_job* job, const limb_sim_event* event)
{
  sim_events* e = job->events;
  if (e->nhappened == SIM_EVENTS_MOST) {
    e->more++;
    return LIMB_OK;
  }
  if (e->nhappened == e->happened_room) {
    const int room = e->happened_room ? 2 * e->happened_room : 64;
    sim_happened* more = realloc(e->happened, (size_t)room * sizeof *more);
    if (!more) return LIMB_E_NOMEM;
    e->happened = more;
    e->happened_room = room;
  }
  e->happened[e->nhappened++] = (sim_happened){*event, name_of(job, event)};
  return LIMB_OK;
}

void sim_event_text(const sim_happened* h, char* text, size_t size)
{
  const limb_sim_event* e = &h->event;
  const char* kind = limb_event_kind_name(e->kind);
  const char* limit = e->side > 0 ? "upper" : "lower";
  const char* end = e->ends ? ", the end" : "";
  switch (e->kind) {
  case LIMB_EVENT_CONDITION: (void)snprintf(text, size, "%.9f s: %s%s", e->time, h->name, end); return;
  case LIMB_EVENT_STOP_REACHED:
  case LIMB_EVENT_STOP_LEFT:
  case LIMB_EVENT_IMPACT:
    (void)snprintf(text, size, "%.9f s: %s: '%s', its %s limit, velocity %.6g to %.6g%s", e->time, kind, h->name, limit,
                   e->before, e->after, end);
    return;
  case LIMB_EVENT_STICK:
  case LIMB_EVENT_SLIP:
    (void)snprintf(text, size, "%.9f s: %s: '%s'%s%s", e->time, kind, h->name,
                   e->side == 0  ? ""
                   : e->side > 0 ? ", upwards"
                                 : ", downwards",
                   end);
    return;
  case LIMB_EVENT_SINGULAR:
    (void)snprintf(text, size, "%.9f s: %s: condition number %.6g%s", e->time, kind, e->after, end);
    return;
  case LIMB_EVENT_NONE: break;
  }
  *text = '\0';
}
