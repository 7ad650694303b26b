// Runners: the steps from a run to a simulation that is ready to start, and its events.
#include "run/run_impl.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run_condition {
  limb_runner* r;
  run_formulas formula;
  const char* name;
};

limb_runner_options limb_default_runner_options(const limb_model* m)
{
  return (limb_runner_options){
    .size = sizeof(limb_runner_options), .env = limb_default_environment(m), .table_ref = LIMB_ALIGNED};
}

// ---- events ------------------------------------------------------------------------------------------------

// NaN, if there is no value, ends the simulation; r->trouble has the reason.
static double value_at(void* context, const limb_sim_state* at)
{
  run_condition* c = context;
  if (limb_run_formulas_read(&c->formula, c->r, at) != LIMB_OK) return nan("");
  return c->formula.value[0];
}

static limb_status open_condition(limb_runner* r, run_condition* c, const limb_run_event* run)
{
  static const char* const actions[] = {"log", "stop", NULL};
  limb_sim_condition how = {.value = value_at, .context = c};
  c->r = r;
  c->name = run->name.text ? run->name.text : run->when.text;
  limb_status s = limb_run_word(&run->action, actions, &how.ends, r->err);
  if (s == LIMB_OK) s = limb_run_formulas_add(&c->formula, r, RUN_KNOWN_ALL, &run->when, &how.direction, NULL);
  if (s == LIMB_OK) s = limb_run_formulas_ready(&c->formula, r);
  if (s != LIMB_OK) return s;
  how.dynamics = limb_channels_need_dynamics(c->formula.channels);
  s = limb_sim_add_condition(r->sim, &how, NULL);
  return s == LIMB_OK ? s : limb_run_failed(r, s, "events");
}

static limb_status open_events(limb_runner* r)
{
  limb_status s = LIMB_OK;
  r->condition = calloc((size_t)r->run.nevent + 1, sizeof *r->condition);
  if (!r->condition) return limb_run_no_memory(r);
  for (int i = 0; i < r->run.nevent && s == LIMB_OK; i++) {
    r->setup.conditions++;
    s = open_condition(r, &r->condition[i], &r->run.event[i]);
  }
  return s;
}

const char* limb_runner_event_name(const limb_runner* r, const limb_sim_event* event)
{
  limb_joint_info info;
  if (!r || !event) return "";
  if (event->kind == LIMB_EVENT_CONDITION && event->condition < r->setup.conditions)
    return r->condition[event->condition].name;
  if (event->joint >= 0 && limb_get_joint(r->model, event->joint, &info) == LIMB_OK) return info.def.name;
  return "";
}

void limb_runner_event_text(const limb_runner* r, const limb_sim_event* e, char* text, size_t size)
{
  if (!text || size == 0) return;
  *text = '\0';
  if (!r || !e) return;
  const char* name = limb_runner_event_name(r, e);
  const char* kind = limb_event_kind_name(e->kind);
  const char* limit = e->side > 0 ? "upper" : "lower";
  const char* end = e->ends ? ", the end" : "";
  switch (e->kind) {
  case LIMB_EVENT_CONDITION: (void)snprintf(text, size, "%.9f s: %s%s", e->time, name, end); return;
  case LIMB_EVENT_STOP_REACHED:
  case LIMB_EVENT_STOP_LEFT:
  case LIMB_EVENT_IMPACT:
    (void)snprintf(text, size, "%.9f s: %s: '%s', its %s limit, velocity %.6g to %.6g%s", e->time, kind, name, limit,
                   e->before, e->after, end);
    return;
  case LIMB_EVENT_STICK:
  case LIMB_EVENT_SLIP:
    (void)snprintf(text, size, "%.9f s: %s: '%s'%s%s", e->time, kind, name,
                   e->side == 0  ? ""
                   : e->side > 0 ? ", upwards"
                                 : ", downwards",
                   end);
    return;
  case LIMB_EVENT_SINGULAR:
    (void)snprintf(text, size, "%.9f s: %s: condition number %.6g%s", e->time, kind, e->after, end);
    return;
  case LIMB_EVENT_NONE: return;
  }
}

// ---- setting up --------------------------------------------------------------------------------------------

static limb_status read_model(limb_runner* r)
{
  r->nq = limb_nq(r->model), r->nv = limb_nv(r->model);
  r->dq = calloc((size_t)r->nq + 1, sizeof *r->dq);
  r->dv = calloc((size_t)r->nv + 1, sizeof *r->dv);
  limb_status s = r->dq && r->dv ? limb_dofs_create(r->model, NULL, &r->dofs) : LIMB_E_NOMEM;
  if (s == LIMB_OK) s = limb_data_create(limb_spanning_tree(r->model), NULL, &r->data);
  if (s != LIMB_OK) return limb_run_failed(r, s, "model");
  for (int k = 0; k < r->nq; k++) r->dq[k] = *limb_get_coordinate(r->dofs, k);
  for (int k = 0; k < r->nv; k++) r->dv[k] = *limb_get_velocity(r->dofs, k);
  return s;
}

static limb_status create_sim(limb_runner* r)
{
  limb_error err = {0};
  const limb_status s = limb_sim_create(r->model, &r->setup.sim, NULL, &r->sim, &err);
  if (s == LIMB_OK) return s;
  // options that the run has, and that this robot or this build does not support
  return limb_fail(r->err, s == LIMB_E_UNSUPPORTED ? LIMB_E_ARG : s, "", "%s",
                   *err.text ? err.text : limb_status_text(s));
}

// 1 if a formula or prescribed motion drives a degree of freedom of this joint.
static bool is_driven(const limb_runner* r, int joint)
{
  const limb_run_inputs* in = &r->run.inputs;
  for (int k = 0; k < r->nv; k++) {
    if (r->dv[k].joint != joint) continue;
    for (int i = 0; i < in->torques.count; i++)
      if (strcmp(in->torques.value[i].name, r->dv[k].name) == 0) return true;
    for (int i = 0; i < in->nmotion; i++)
      if (strcmp(in->motion[i].name, r->dv[k].name) == 0) return true;
  }
  return false;
}

// A controller may drive the base, too.
static bool conserves_momentum(const limb_runner* r)
{
  const sp_vec3 g = r->setup.sim.env.gravity;
  const limb_run_inputs* in = &r->run.inputs;
  limb_loop_info loop;
  limb_joint_info joint;
  int free_joints = 0;
  if (g.x != 0 || g.y != 0 || g.z != 0 || in->nwrench > 0 || in->ntable > 0) return false;
  if (r->run.controller.type.text) return false;
  for (int k = 0; k < r->nv; k++) {
    if (!r->dv[k].root) continue;
    if (limb_get_joint(r->model, r->dv[k].joint, &joint) != LIMB_OK || joint.def.type != LIMB_FREE) return false;
    if (is_driven(r, r->dv[k].joint)) return false;
    free_joints++;
  }
  for (int i = 0; limb_get_loop(r->model, i, &loop) == LIMB_OK; i++)
    if (loop.def.body_a == 0 || loop.def.body_b == 0) return false;
  return free_joints > 0;
}

// Motion comes first: joints that follow it start where it begins.
static limb_status set_up(limb_runner* r)
{
  static limb_status (*const step[])(limb_runner*) = {
    read_model, limb_run_read_settings, limb_run_open_motion, limb_run_read_start,   limb_run_read_times,
    create_sim, limb_run_attach_motion, limb_run_open_inputs, limb_run_open_control, open_events};
  limb_status s = LIMB_OK;
  for (size_t k = 0; k < sizeof step / sizeof *step && s == LIMB_OK; k++) s = step[k](r);
  r->setup.q = r->q, r->setup.v = r->v;
  if (s == LIMB_OK) r->setup.conserves_momentum = conserves_momentum(r);
  return s;
}

limb_status limb_runner_create(const limb_run* run, const limb_model* m, const limb_runner_options* options,
                               limb_runner** out, limb_error* err)
{
  if (!run || !m || !out) return limb_fail(err, LIMB_E_ARG, "", "a run, a model and a place for the runner are needed");
  limb_runner_options o = limb_default_runner_options(m);
  limb_status s = options ? limb_sized_read(&o, sizeof o, options, sizeof o) : LIMB_OK;
  if (s != LIMB_OK) return limb_fail(err, s, "", "options: their size is unknown");
  limb_runner* r = calloc(1, sizeof *r);
  if (!r) return limb_fail(err, LIMB_E_NOMEM, "", "out of memory");
  r->run = *run;
  r->o = o;
  r->err = err;
  r->model = m;
  s = set_up(r);
  r->err = NULL;
  if (s == LIMB_OK)
    *out = r;
  else
    limb_runner_destroy(r);
  return s;
}

void limb_runner_destroy(limb_runner* r)
{
  if (!r) return;
  limb_sim_destroy(r->sim);
  for (int i = 0; i < r->setup.conditions; i++) limb_run_formulas_free(&r->condition[i].formula);
  free(r->condition);
  limb_run_close_control(r);
  limb_run_close_inputs(r);
  free(r->q);
  free(r->v);
  free(r->dq);
  free(r->dv);
  limb_dofs_destroy(r->dofs);
  limb_data_destroy(r->data);
  free(r);
}

// ---- the run -----------------------------------------------------------------------------------------------

limb_status limb_runner_start(limb_runner* r, limb_error* err)
{
  limb_error why = {0};
  if (!r) return limb_fail(err, LIMB_E_ARG, "", "there is no runner");
  const limb_status s = limb_sim_start(r->sim, r->setup.start, r->q, r->v, &why);
  if (s == LIMB_OK) return s;
  return limb_fail(err, s, "", "start: %s", *r->trouble ? r->trouble : *why.text ? why.text : limb_status_text(s));
}

limb_sim* limb_runner_sim(limb_runner* r) { return r ? r->sim : NULL; }

const limb_runner_setup* limb_runner_setup_of(const limb_runner* r) { return r ? &r->setup : NULL; }

const char* limb_runner_error(const limb_runner* r)
{
  if (!r) return "";
  return *r->trouble ? r->trouble : limb_sim_error(r->sim);
}

int limb_runner_error_is_own(const limb_runner* r) { return r && *r->trouble; }
