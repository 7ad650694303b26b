// The summary of a simulation: text on standard error, JSON on standard output.
#include "base/command.h"
#include "base/print.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

limb_status sim_momentum(sim_job* job, const double* q, const double* v, sp_force* h)
{
  const limb_status s = limb_kinematics(job->robot.data, q, v, NULL);
  return s == LIMB_OK ? limb_momentum(job->robot.data, 1, h) : s;
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

static void print_events(const sim_job* job, FILE* out)
{
  const sim_events* e = &job->events;
  const int shown = e->nhappened < EVENTS_SHOWN ? e->nhappened : EVENTS_SHOWN;
  char text[400];
  for (int i = 0; i < shown; i++) {
    limb_runner_event_text(job->runner, &e->happened[i].event, text, sizeof text);
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
  if (job->setup->conserves_momentum)
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

static json_t* count(uint64_t n) { return json_integer((json_int_t)n); }

// null where there is no such value
static json_t* number_if(int there, double x) { return there ? cli_json_number(x) : json_null(); }

static json_t* events_json(const sim_job* job)
{
  const sim_events* e = &job->events;
  json_t* list = json_array();
  for (int i = 0; i < e->nhappened; i++) {
    const limb_sim_event* x = &e->happened[i].event;
    json_t* one = cli_json_object("time kind name before after ends", cli_json_number(x->time),
                                  cli_json_text(limb_event_kind_name(x->kind)), cli_json_text(e->happened[i].name),
                                  cli_json_number(x->before), cli_json_number(x->after), json_boolean(x->ends));
    if (x->joint >= 0) (void)json_object_set_new(one, "side", json_integer(x->side));
    (void)json_array_append_new(list, one);
  }
  return list;
}

static json_t* work_json(const limb_sim_summary* s)
{
  return cli_json_object("steps rejected evaluations derivatives iterations restarts min_step max_step",
                         count(s->steps), count(s->rejected), count(s->evaluations), count(s->derivatives),
                         count(s->iterations), count(s->restarts), cli_json_number(s->min_step),
                         cli_json_number(s->max_step));
}

static int print_json(const sim_job* job, const sim_outcome* o, const facts* f)
{
  static const char* const endings[] = {"reached", "event", "interrupted", "failed"};
  const limb_sim_summary* s = &f->s;
  const int work = job->setup->sim.work, conserved = job->setup->conserves_momentum, singular = s->singular > 0;
  json_t *r = cli_json_answer(), *method = json_object(), *energy = json_object(), *loops = json_object(),
         *momentum = json_object();
  cli_json_set(method, "name because", cli_json_text(limb_sim_method_name(s->method)), cli_json_text(s->because));
  cli_json_set(energy, "start end work drift", cli_json_number(s->energy_start), cli_json_number(s->energy),
               number_if(work, s->work), number_if(work, f->drift));
  cli_json_set(momentum, "conserved linear_drift angular_drift", json_boolean(conserved),
               number_if(conserved, f->linear), number_if(conserved, f->angular));
  cli_json_set(loops, "position velocity projections singular singular_time singular_distance singular_energy",
               cli_json_number(s->position_residual), cli_json_number(s->velocity_residual), count(s->projections),
               count(s->singular), number_if(singular, s->singular_time), number_if(singular, s->singular_distance),
               number_if(singular, s->singular_energy));
  cli_json_set(r, "model ending error start end method work energy momentum loops events events_not_listed",
               cli_json_text(limb_model_name(job->robot.model)), cli_json_text(endings[o->ending]),
               cli_json_text(o->ending == SIM_FAILED ? o->error : NULL), cli_json_number(job->setup->start),
               cli_json_number(job->now), method, work_json(s), energy, momentum, loops, events_json(job),
               count(job->events.more));
  cli_json_set(r, "wall_time real_time_factor", cli_json_number(o->wall), cli_json_number(f->speed));
  return cli_json_print(r, stdout, cli_title(job->plan.args));
}

#define NO_ENERGY 1e-9 // J: drifts are not judged relative to less
#define DRIFT     1e-3 // of the energy, relative to the largest kinetic energy or work: a warning
#define SINGULAR  2e-8 // the same past singular configurations, where nothing else shows a change of branch

int sim_judge_drift(sim_job* job, const sim_outcome* out)
{
  facts f = {0};
  if (!job->setup->sim.work || out->ending == SIM_FAILED || gather(job, out, &f) != LIMB_OK) return EXIT_FINE;
  const double moved = fmax(fmax(out->kinetic, f.s.kinetic), fabs(f.s.work)),
               share = fabs(f.drift) / fmax(moved, NO_ENERGY);
  const int fails = job->setup->max_drift > 0 && !(share <= job->setup->max_drift);
  if (!fails && share <= (f.s.singular ? SINGULAR : DRIFT)) return EXIT_FINE;
  const int fixed = limb_sim_method_order(f.s.method) > 0;
  (void)fprintf(stderr,
                "limb sim: %s: the energy drifted by %.3g J, %.2g of the largest kinetic energy or work (%.3g J)",
                fails ? "error" : "warning", f.drift, share, moved);
  if (f.s.singular)
    (void)fprintf(stderr, ", in a motion past %llu singular configurations", (unsigned long long)f.s.singular);
  (void)fprintf(stderr, ": use %s\n",
                fixed ? "a shorter --step or a --method of higher order" : "a smaller --rtol and --atol");
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
