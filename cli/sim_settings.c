// What a run says about the model, the world, the solver and the time.
#include "cli.h"
#include "sim_job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double* sim_zeros(int n) { return calloc((size_t)n + 1, sizeof(double)); }

int sim_failed(const sim_job* job, limb_status status, const char* what)
{
  (void)cli_usage(job->plan.args, "%s: %s", what, limb_status_text(status));
  return cli_exit_code(status);
}

int sim_find_dof(const sim_job* job, const limb_run_value* at, int of_q)
{
  const cli_dofs* d = &job->dofs;
  const cli_dof* dof = of_q ? d->q : d->v;
  const int n = of_q ? d->nq : d->nv;
  int begins = 0;
  const size_t length = strlen(at->name);
  for (int k = 0; k < n; k++) {
    if (strcmp(dof[k].name, at->name) == 0) return k;
    begins += strncmp(dof[k].name, at->name, length) == 0 && dof[k].name[length] == '.';
  }
  if (begins > 0) {
    for (int k = 0; k < n; k++)
      if (strncmp(dof[k].name, at->name, length) == 0 && dof[k].name[length] == '.')
        return sim_wrong(&job->plan, at, "'%.64s' has %d components: name one, as in %s", at->name, begins,
                         dof[k].name),
               -1;
  }
  const char** names = calloc((size_t)n + 1, sizeof *names);
  for (int k = 0; k < n && names; k++) names[k] = dof[k].name;
  const char* near = names ? cli_nearest(at->name, names) : NULL;
  (void)sim_wrong(&job->plan, at, "the model has no joint '%.64s'%s%s%s", at->name, near ? "; did you mean '" : "",
                  near ? near : "", near ? "'?" : "; limb info names them");
  free(names);
  return -1;
}

int sim_find_frame(const sim_job* job, const limb_run_value* at)
{
  const limb_model* m = job->robot.model;
  const int frame = limb_find_frame(m, at->text);
  if (frame >= 0) return frame;
  const char* near = cli_nearest_frame(m, at->text);
  (void)sim_wrong(&job->plan, at, "the model has no frame '%.64s'%s%s%s", at->text, near ? "; did you mean '" : "",
                  near ? near : "", near ? "'?" : "");
  return -1;
}

// ---- model and world -------------------------------------------------------------------------------------

static int read_model_options(sim_job* job, limb_read_options* opt)
{
  static const char* const bases[] = {"as-file", "fixed", "floating", "planar", NULL};
  static const limb_base base[] = {LIMB_BASE_AS_FILE, LIMB_BASE_FIXED, LIMB_BASE_FLOATING, LIMB_BASE_PLANAR};
  const limb_run_model* m = &job->plan.run.model;
  int word = -1, mimic = 1;
  int code = cli_read_options(job->plan.args, opt);
  if (code == EXIT_FINE) code = sim_word_of(&job->plan, &m->base, bases, &word);
  if (code == EXIT_FINE) code = sim_truth(&job->plan, &m->mimic, &mimic);
  if (word >= 0) opt->base = base[word];
  if (!mimic) opt->no_mimic = 1;
  return code;
}

static int read_environment(sim_job* job)
{
  const limb_run_environment* e = &job->plan.run.environment;
  limb_environment* env = &job->robot.env;
  double* const g[] = {&env->gravity.x, &env->gravity.y, &env->gravity.z};
  int without = !env->friction, code = EXIT_FINE;
  for (int k = 0; k < 3 && k < e->gravity.count && code == EXIT_FINE; k++)
    code = sim_number(&job->plan, &e->gravity.value[k], g[k]);
  if (code == EXIT_FINE) code = sim_truth(&job->plan, &e->no_friction, &without);
  if (code == EXIT_FINE) code = sim_positive(&job->plan, &e->coulomb_width, &env->coulomb_width);
  env->friction = !without;
  return code;
}

int sim_open_robot(sim_job* job)
{
  const limb_run_value* name = &job->plan.run.model.name;
  limb_read_options opt = limb_default_read_options();
  const char* path = name->text;
  limb_robot_info info;
  int built_in = 0, code = read_model_options(job, &opt);
  for (int i = 0; i < limb_robot_count() && !built_in; i++)
    built_in = limb_get_robot(i, &info) == LIMB_OK && strcmp(info.name, path) == 0;
  if (code == EXIT_FINE && !built_in && !(path = sim_beside(&job->plan, name))) code = EXIT_USAGE;
  if (code == EXIT_FINE) code = cli_robot_open_as(job->plan.args, path, &opt, &job->robot);
  if (code != EXIT_FINE) return code;
  if (!cli_dofs_make(job->robot.model, &job->dofs)) return sim_out_of_memory(&job->plan);
  return read_environment(job);
}

// ---- solver ----------------------------------------------------------------------------------------------

static int read_method(sim_job* job)
{
  enum { MOST = 16 };
  const char* words[MOST + 1] = {NULL};
  int k = 0, word = LIMB_SIM_AUTO;
  for (; k < MOST && limb_sim_method_name((limb_sim_method)k); k++) words[k] = limb_sim_method_name((limb_sim_method)k);
  const limb_run_value* at = &job->plan.run.solver.method;
  const int code = sim_word_of(&job->plan, at, words, &word);
  job->options.method = (limb_sim_method)word;
  if (code == EXIT_FINE && !limb_sim_has_method(job->options.method))
    return sim_wrong(&job->plan, at, "this build has no method %s: it lacks SUNDIALS", at->text);
  return code;
}

static int read_steps(sim_job* job)
{
  const sim_plan* p = &job->plan;
  const limb_run_solver* s = &p->run.solver;
  limb_sim_options* o = &job->options;
  double order = 0, most = 0;
  if (limb_sim_method_order(o->method) == 0) o->step = 0; // the first step is found
  int code = sim_positive(p, &s->step, &o->step);
  if (code == EXIT_FINE) code = sim_positive(p, &s->relative, &o->relative);
  if (code == EXIT_FINE) code = sim_positive(p, &s->absolute, &o->absolute);
  if (code == EXIT_FINE) code = sim_positive(p, &s->longest, &o->max_step);
  if (code == EXIT_FINE) code = sim_whole(p, &s->order, 20, &order);
  if (code == EXIT_FINE) code = sim_whole(p, &s->most_steps, 1e15, &most);
  o->order = (int)order;
  o->max_steps = (uint64_t)most;
  if (o->method == LIMB_SIM_AUTO && o->step == 0) o->step = 1e-3;
  return code;
}

static int read_edges(sim_job* job)
{
  static const char* const stops[] = {"none", "hold", "spring", "impact", "end", NULL};
  static const char* const stictions[] = {"exact", "smooth", NULL};
  const sim_plan* p = &job->plan;
  const limb_run_solver* s = &p->run.solver;
  limb_sim_options* o = &job->options;
  int stop = 0, stiction = o->env.coulomb_width > 0 ? LIMB_STICTION_SMOOTH : LIMB_STICTION_EXACT;
  int code = sim_word_of(p, &s->stop, stops, &stop);
  if (code == EXIT_FINE) code = sim_word_of(p, &s->stiction, stictions, &stiction);
  if (code == EXIT_FINE) code = sim_not_negative(p, &s->restitution, &o->restitution);
  if (code == EXIT_FINE && o->restitution > 1) code = sim_wrong(p, &s->restitution, "must be from 0 to 1");
  if (code == EXIT_FINE) code = sim_positive(p, &s->stiffness, &o->stiffness);
  if (code == EXIT_FINE) code = sim_not_negative(p, &s->damping, &o->damping);
  o->stop = (limb_stop)stop;
  o->stiction = (limb_stiction)stiction;
  return code;
}

static int read_loops(sim_job* job)
{
  static const char* const methods[] = {"auto", "clusters", "schur", "kkt", "proximal", NULL};
  const sim_plan* p = &job->plan;
  const limb_run_solver* s = &p->run.solver;
  limb_sim_options* o = &job->options;
  int method = 0, baumgarte = 0, work = 1, code = EXIT_FINE;
  if (s->project.text && strcmp(s->project.text, "off") == 0)
    o->project = HUGE_VAL;
  else
    code = sim_not_negative(p, &s->project, &o->project);
  if (code == EXIT_FINE) code = sim_word_of(p, &s->closed, methods, &method);
  if (code == EXIT_FINE) code = sim_truth(p, &s->baumgarte, &baumgarte);
  if (code == EXIT_FINE) code = sim_not_negative(p, &s->condition, &o->condition);
  if (code == EXIT_FINE) code = sim_truth(p, &s->work, &work);
  if (code != EXIT_FINE) return code;
  o->closed.method = (limb_closed_method)method;
  o->work = work;
  if (baumgarte && limb_baumgarte(o->step > 0 ? o->step : 1e-3, &o->closed) != LIMB_OK)
    return sim_wrong(p, &s->baumgarte, "the step is too small for it");
  return EXIT_FINE;
}

int sim_read_settings(sim_job* job)
{
  job->options = limb_default_sim_options(job->robot.model);
  job->options.env = job->robot.env;
  int code = read_method(job);
  if (code == EXIT_FINE) code = read_steps(job);
  if (code == EXIT_FINE) code = read_edges(job);
  return code == EXIT_FINE ? read_loops(job) : code;
}

// ---- time ------------------------------------------------------------------------------------------------

int sim_read_times(sim_job* job)
{
  const sim_plan* p = &job->plan;
  const limb_run* run = &p->run;
  double duration = 0;
  int code = sim_not_negative(p, &run->duration, &duration);
  job->end = job->start + duration;
  if (code == EXIT_FINE) code = sim_number(p, &run->end, &job->end);
  if (code != EXIT_FINE) return code;
  if (!run->duration.text && !run->end.text)
    return cli_usage(p->args, "how long? --duration T%s", p->path ? ", or duration: in the file" : "");
  if (job->end < job->start)
    return sim_wrong(p, &run->end, "is %.9g s, before the start at %.9g s", job->end, job->start);
  return EXIT_FINE;
}
