// The summary of a simulation: text on standard error, JSON on standard output.
#include "base/command.h"
#include "base/print.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// ---- momentum --------------------------------------------------------------------------------------
//
// It is conserved if the robot is attached to the world by free joints without drive only, nothing acts from outside,
// and there is no gravity.

limb_status sim_momentum(sim_job* job, const double* q, const double* v, sp_force* h)
{
  const limb_status s = limb_kinematics(job->robot.data, q, v, NULL);
  return s == LIMB_OK ? limb_momentum(job->robot.data, 1, h) : s;
}

// 1 if a formula or prescribed motion drives a degree of freedom of this joint.
static int is_driven(const sim_job* job, int joint)
{
  const limb_run_inputs* in = &job->plan.run.inputs;
  for (int k = 0; k < job->dofs.nv; k++) {
    if (job->dofs.v[k].joint != joint) continue;
    for (int i = 0; i < in->torques.count; i++)
      if (strcmp(in->torques.value[i].name, job->dofs.v[k].name) == 0) return 1;
    for (int i = 0; i < in->nmotion; i++)
      if (strcmp(in->motion[i].name, job->dofs.v[k].name) == 0) return 1;
  }
  return 0;
}

static int touches_world(const limb_model* m, int loop)
{
  limb_loop_info x;
  return limb_get_loop(m, loop, &x) != LIMB_OK || x.def.body_a == 0 || x.def.body_b == 0;
}

int sim_conserves_momentum(const sim_job* job)
{
  const limb_model* m = job->robot.model;
  const limb_run* run = &job->plan.run;
  const sp_vec3 g = job->setup->sim.env.gravity;
  int free_joints = 0;
  if (g.x != 0 || g.y != 0 || g.z != 0 || run->inputs.nwrench > 0 || run->inputs.ntable > 0) return 0;
  if (run->controller.type.text) return 0; // it may drive the base
  for (int k = 0; k < job->dofs.nv; k++) {
    limb_joint_info x;
    const cli_dof* d = &job->dofs.v[k];
    if (!d->root) continue;
    if (limb_get_joint(m, d->joint, &x) != LIMB_OK || x.def.type != LIMB_FREE) return 0;
    if (is_driven(job, d->joint)) return 0;
    free_joints++;
  }
  for (int i = 0; i < limb_loop_count(m); i++)
    if (touches_world(m, i)) return 0;
  return free_joints > 0;
}

// ---- facts -----------------------------------------------------------------------------------------

enum { EVENTS_SHOWN = 40 };

typedef struct facts {
  limb_sim_summary s;
  double drift;            // energy - energy_start - work
  double linear, angular;  // change of the momentum
  double simulated, speed; // s, real-time factor
} facts;

static limb_status gather(sim_job* job, const sim_outcome* out, facts* f)
{
  const limb_status s = limb_sim_summary_of(job->sim, &f->s);
  f->drift = f->s.energy - f->s.energy_start - f->s.work;
  f->linear = sp_norm3(sp_sub3(out->momentum[1].f, out->momentum[0].f));
  f->angular = sp_norm3(sp_sub3(out->momentum[1].m, out->momentum[0].m));
  f->simulated = job->now - job->setup->start;
  f->speed = out->wall > 0 ? f->simulated / out->wall : 0;
  return s;
}

static const char* ending_text(sim_ending ending)
{
  static const char* const words[] = {"the end was reached", "stopped by an event", "interrupted", "failed"};
  return words[ending];
}

// ---- text ------------------------------------------------------------------------------------------

static void event_text(const sim_happened* h, char* text, size_t size)
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

static void print_events(const sim_job* job, FILE* out)
{
  const sim_events* e = &job->events;
  const int shown = e->nhappened < EVENTS_SHOWN ? e->nhappened : EVENTS_SHOWN;
  char text[400];
  for (int i = 0; i < shown; i++) {
    event_text(&e->happened[i], text, sizeof text);
    (void)fprintf(out, "  event %s\n", text);
  }
  const uint64_t more = (uint64_t)(e->nhappened - shown) + e->more;
  if (more > 0)
    (void)fprintf(out, "  %llu more events%s\n", (unsigned long long)more, e->more ? "" : "; --summary json lists all");
}

static void print_text(const sim_job* job, const sim_outcome* o, const facts* f, FILE* out)
{
  const limb_sim_summary* s = &f->s;
  (void)fprintf(out, "%s: %.9g to %.9g s, %s\n", limb_model_name(job->robot.model), job->setup->start, job->now,
                ending_text(o->ending));
  (void)fprintf(out, "  method       %s%s%s%s\n", limb_sim_method_name(s->method), *s->because ? " (" : "", s->because,
                *s->because ? ")" : "");
  (void)fprintf(out, "  steps        %llu", (unsigned long long)s->steps);
  if (s->rejected) (void)fprintf(out, ", %llu rejected", (unsigned long long)s->rejected);
  if (s->steps) (void)fprintf(out, ", %.3g to %.3g s", s->min_step, s->max_step);
  (void)fprintf(out, "\n  evaluations  %llu", (unsigned long long)s->evaluations);
  if (s->derivatives) (void)fprintf(out, ", %llu of derivatives", (unsigned long long)s->derivatives);
  if (s->iterations) (void)fprintf(out, ", %llu iterations", (unsigned long long)s->iterations);
  if (s->restarts) (void)fprintf(out, ", %llu restarts", (unsigned long long)s->restarts);
  const double size = fmax(o->kinetic, fabs(s->energy_start));
  (void)fprintf(out, "\n  energy       %.9g to %.9g J", cli_clean(s->energy_start, size), cli_clean(s->energy, size));
  if (job->setup->sim.work)
    (void)fprintf(out, ", work %.9g J, drift %.3g J\n", cli_clean(s->work, size), f->drift);
  else
    (void)fprintf(out, "\n");
  if (o->conserved)
    (void)fprintf(out, "  momentum     drift %.3g kg m/s, %.3g kg m^2/s about the centre of mass\n", f->linear,
                  f->angular);
  if (limb_loop_count(job->robot.model) > 0)
    (void)fprintf(out, "  loops        open by at most %.3g, at a rate of %.3g; %llu projections\n",
                  s->position_residual, s->velocity_residual, (unsigned long long)s->projections);
  if (s->singular)
    (void)fprintf(out,
                  "  singular     %llu configurations passed, the closest at %.9g s (%.2g of the usual pivots); energy "
                  "changed by at most %.3g J\n",
                  (unsigned long long)s->singular, s->singular_time, s->singular_distance, s->singular_energy);
  print_events(job, out);
  (void)fprintf(out, "  wall time    %.3g s, %.3g times real time\n", o->wall, f->speed);
}

// ---- JSON ------------------------------------------------------------------------------------------

static void set(json_t* to, const char* key, json_t* value) { (void)json_object_set_new(to, key, value); }

static json_t* count(uint64_t n) { return json_integer((json_int_t)n); }

static json_t* events_json(const sim_job* job)
{
  const sim_events* e = &job->events;
  json_t* list = json_array();
  for (int i = 0; i < e->nhappened; i++) {
    const limb_sim_event* x = &e->happened[i].event;
    json_t* one = json_object();
    set(one, "time", cli_json_number(x->time));
    set(one, "kind", cli_json_text(limb_event_kind_name(x->kind)));
    set(one, "name", cli_json_text(e->happened[i].name));
    if (x->joint >= 0) set(one, "side", json_integer(x->side));
    set(one, "before", cli_json_number(x->before));
    set(one, "after", cli_json_number(x->after));
    set(one, "ends", json_boolean(x->ends));
    (void)json_array_append_new(list, one);
  }
  return list;
}

static json_t* work_json(const limb_sim_summary* s)
{
  json_t* r = json_object();
  set(r, "steps", count(s->steps));
  set(r, "rejected", count(s->rejected));
  set(r, "evaluations", count(s->evaluations));
  set(r, "derivatives", count(s->derivatives));
  set(r, "iterations", count(s->iterations));
  set(r, "restarts", count(s->restarts));
  set(r, "min_step", cli_json_number(s->min_step));
  set(r, "max_step", cli_json_number(s->max_step));
  return r;
}

static int print_json(const sim_job* job, const sim_outcome* o, const facts* f)
{
  static const char* const endings[] = {"reached", "event", "interrupted", "failed"};
  const limb_sim_summary* s = &f->s;
  json_t *r = cli_json_answer(), *method = json_object(), *energy = json_object(), *loops = json_object(),
         *momentum = json_object();
  set(r, "model", cli_json_text(limb_model_name(job->robot.model)));
  set(r, "ending", cli_json_text(endings[o->ending]));
  set(r, "error", cli_json_text(o->ending == SIM_FAILED ? o->error : NULL));
  set(r, "start", cli_json_number(job->setup->start));
  set(r, "end", cli_json_number(job->now));
  set(method, "name", cli_json_text(limb_sim_method_name(s->method)));
  set(method, "because", cli_json_text(s->because));
  set(r, "method", method);
  set(r, "work", work_json(s));
  set(energy, "start", cli_json_number(s->energy_start));
  set(energy, "end", cli_json_number(s->energy));
  set(energy, "work", job->setup->sim.work ? cli_json_number(s->work) : json_null());
  set(energy, "drift", job->setup->sim.work ? cli_json_number(f->drift) : json_null());
  set(r, "energy", energy);
  set(momentum, "conserved", json_boolean(o->conserved));
  set(momentum, "linear_drift", o->conserved ? cli_json_number(f->linear) : json_null());
  set(momentum, "angular_drift", o->conserved ? cli_json_number(f->angular) : json_null());
  set(r, "momentum", momentum);
  set(loops, "position", cli_json_number(s->position_residual));
  set(loops, "velocity", cli_json_number(s->velocity_residual));
  set(loops, "projections", count(s->projections));
  set(loops, "singular", count(s->singular));
  set(loops, "singular_time", s->singular ? cli_json_number(s->singular_time) : json_null());
  set(loops, "singular_distance", s->singular ? cli_json_number(s->singular_distance) : json_null());
  set(loops, "singular_energy", s->singular ? cli_json_number(s->singular_energy) : json_null());
  set(r, "loops", loops);
  set(r, "events", events_json(job));
  set(r, "events_not_listed", count(job->events.more));
  set(r, "wall_time", cli_json_number(o->wall));
  set(r, "real_time_factor", cli_json_number(f->speed));
  return cli_json_print(r, stdout, cli_title(job->plan.args));
}

#define NO_ENERGY 1e-9 // J: drifts are not judged relative to less
#define DRIFT     1e-3 // of the energy, relative to the largest kinetic energy or work: a warning

int sim_judge_drift(sim_job* job, const sim_outcome* out)
{
  facts f = {0};
  if (!job->setup->sim.work || out->ending == SIM_FAILED || gather(job, out, &f) != LIMB_OK) return EXIT_FINE;
  const double moved = fmax(out->kinetic, fabs(f.s.work)), share = fabs(f.drift) / fmax(moved, NO_ENERGY);
  const int fails = job->setup->max_drift > 0 && !(share <= job->setup->max_drift);
  if (!fails && share <= DRIFT) return EXIT_FINE;
  (void)fprintf(stderr,
                "limb sim: %s: the energy drifted by %.3g J, %.2g of the largest kinetic energy or work (%.3g J): use "
                "shorter steps, a tighter tolerance or a method of higher order\n",
                fails ? "error" : "warning", f.drift, share, moved);
  return fails ? EXIT_NUMERICAL : EXIT_FINE;
}

int sim_print_summary(sim_job* job, const sim_outcome* out, int json)
{
  facts f = {0};
  const limb_status s = gather(job, out, &f);
  if (s != LIMB_OK && out->ending != SIM_FAILED) return sim_failed(job, s, "summary");
  if (json) return print_json(job, out, &f);
  print_text(job, out, &f, stderr);
  return EXIT_FINE;
}
