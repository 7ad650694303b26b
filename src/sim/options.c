// Options of a simulation, checked; names of methods and events.
#include "sim/sim_impl.h"

#include "base/status.h"

#include <math.h>

// ---- names -----------------------------------------------------------------------------------------------

typedef struct method_row {
  const char *name, *meaning;
  int order;
} method_row;

static const method_row* row_of(limb_sim_method method)
{
#define LIMB_X(name, value, text, order, meaning) [value] = {(text), (meaning), (order)},
  static const method_row rows[] = {LIMB_SIM_METHOD_LIST(LIMB_X)};
#undef LIMB_X
  const size_t k = (size_t)method;
  return k < sizeof rows / sizeof rows[0] ? &rows[k] : NULL;
}

const char* limb_sim_method_name(limb_sim_method method)
{
  const method_row* r = row_of(method);
  return r ? r->name : NULL;
}

const char* limb_sim_method_meaning(limb_sim_method method)
{
  const method_row* r = row_of(method);
  return r ? r->meaning : NULL;
}

int limb_sim_method_order(limb_sim_method method)
{
  const method_row* r = row_of(method);
  return r ? r->order : 0;
}

const char* limb_event_kind_name(limb_event_kind kind)
{
#define LIMB_X(name, value, text) [value] = (text),
  static const char* const names[] = {LIMB_EVENT_LIST(LIMB_X)};
#undef LIMB_X
  const size_t k = (size_t)kind;
  return k < sizeof names / sizeof names[0] ? names[k] : NULL;
}

// ---- options ---------------------------------------------------------------------------------------------

static bool within(double x, double least, double most) { return x >= least && x <= most; }

static limb_status check_steps(const limb_sim_options* o, limb_error* err)
{
  const char* where = "options";
  if (!row_of(o->method)) return limb_fail(err, LIMB_E_ARG, where, "there is no method %d", (int)o->method);
  if (!within(o->step, 0, 1e100) || (o->step == 0 && row_of(o->method)->order))
    return limb_fail(err, LIMB_E_ARG, where, "step must be above zero");
  if (!within(o->relative, 1e-15, 0.1) || !within(o->absolute, 1e-300, 1))
    return limb_fail(err, LIMB_E_ARG, where, "relative must be in [1e-15, 0.1], absolute in [1e-300, 1]");
  if (!within(o->longest, 0, HUGE_VAL) || o->order < 0)
    return limb_fail(err, LIMB_E_ARG, where, "longest and order must not be negative");
  return LIMB_OK;
}

static limb_status check_edges(const limb_sim_options* o, limb_error* err)
{
  const char* where = "options";
  if ((int)o->stiction < 0 || o->stiction > LIMB_STICTION_SMOOTH)
    return limb_fail(err, LIMB_E_ARG, where, "there is no stiction %d", (int)o->stiction);
  if ((int)o->stop < 0 || o->stop > LIMB_STOP_END)
    return limb_fail(err, LIMB_E_ARG, where, "there is no stop %d", (int)o->stop);
  if (!within(o->restitution, 0, 1)) return limb_fail(err, LIMB_E_ARG, where, "restitution must be in [0, 1]");
  if (!within(o->stiffness, 0, 1e300) || !within(o->damping, 0, 1e300) || o->stiffness == 0)
    return limb_fail(err, LIMB_E_ARG, where, "stiffness of stops must be above zero, damping not below");
  if (!(o->project >= 0) || !within(o->condition, 0, HUGE_VAL))
    return limb_fail(err, LIMB_E_ARG, where, "project and condition must not be negative");
  return LIMB_OK;
}

bool limb_sim_base_moves(const limb_environment* e)
{
  const sp_motion v = e->base_velocity, a = e->base_acceleration;
  return sp_norm3(v.w) + sp_norm3(v.v) + sp_norm3(a.w) + sp_norm3(a.v) != 0;
}

// What the lists say before anyone reads them; the rest as the dynamics do.
limb_status limb_sim_check_environment(limb_sim* sim, limb_error* err)
{
  const limb_environment* e = &sim->o.env;
  if (e->nwrench < 0 || e->nlaw < 0) return limb_fail(err, LIMB_E_ARG, "env", "nwrench and nlaw must not be negative");
  if ((e->nwrench && !e->wrench) || (e->nlaw && !e->law))
    return limb_fail(err, LIMB_E_ARG, "env", "wrenches or force laws are counted, but NULL");
  const limb_status s = limb_friction_forces(sim->d, sim->now.v, e, sim->y);
  return s == LIMB_OK ? s
                      : limb_fail(err, s, "env", "size, gravity, base motion, wrenches, laws or coulomb_width: %s",
                                  limb_status_text(s));
}

// Friction that jumps where the velocity crosses zero leaves no method its order, and adaptive ones hardly
// move.
static limb_status check_smooth(const limb_sim* sim, limb_error* err)
{
  const limb_environment* e = &sim->o.env;
  if (sim->o.stiction != LIMB_STICTION_SMOOTH || !e->friction || e->coulomb_width > 0) return LIMB_OK;
  for (int j = 0; j < limb_joint_count(sim->m); j++) {
    limb_joint_info info;
    const limb_status s = limb_get_joint(sim->m, j, &info);
    if (s != LIMB_OK) return s;
    if (info.v >= 0 && info.def.coulomb > 0)
      return limb_fail(err, LIMB_E_ARG, "options",
                       "smooth stiction needs a coulomb_width above zero: joint '%s' has Coulomb "
                       "friction, which would jump",
                       info.def.name);
  }
  return LIMB_OK;
}

limb_status limb_sim_read_options(limb_sim* sim, const limb_sim_options* options, limb_error* err)
{
  sim->o = limb_default_sim_options(sim->m);
  if (options) {
    const limb_status s = limb_sized_read(&sim->o, sizeof sim->o, options, offsetof(limb_sim_options, most_steps));
    if (s != LIMB_OK) return limb_fail(err, s, "options", "size: begin with limb_default_sim_options()");
  }
  sim->alpha = sim->o.closed.alpha, sim->beta = sim->o.closed.beta;
  limb_status s = check_steps(&sim->o, err);
  if (s == LIMB_OK) s = check_edges(&sim->o, err);
  if (s != LIMB_OK) return s;
  if (sim->o.work && limb_sim_base_moves(&sim->o.env))
    return limb_fail(err, LIMB_E_ARG, "options", "work is not defined while the base is moved");
  if (sim->o.method != LIMB_SIM_AUTO && !limb_sim_stepper_of(sim->o.method))
    return limb_fail(err, LIMB_E_UNSUPPORTED, "options", "this build has no method %s: it lacks SUNDIALS",
                     row_of(sim->o.method)->name);
  return check_smooth(sim, err);
}

int limb_sim_has_method(limb_sim_method method)
{
  return method == LIMB_SIM_AUTO || (row_of(method) && limb_sim_stepper_of(method));
}
