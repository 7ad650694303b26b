// The parameter vector of a model: its entries and their values. Regressors: inverse dynamics, momentum and energy as
// matrices times that vector.
//
// Reference: C. Atkeson, C. An, J. Hollerbach, Estimation of inertial parameters of manipulator loads and
//            links, Int. J. Robotics Research 5(3), 1986; W. Khalil, E. Dombre, Modeling, identification
//            and control of robots, 2002, chapter 9 (energy models, rotors, friction).
// Cost:      O(n depth): every body on every axis between it and the world; O(n) for energies.
//
//   paper     code     meaning
//   V         v        velocity of a body, its axes and origin
//   J_k       s        axis k: the body's velocity per unit of v_k, the same axes and point
//
// The regressor of inverse dynamics is a kernel (regressor_kernel.h). A joint coordinate is mult v of the
// user's (mimic joints): a column of its axis counts mult times in the user's row. Positions are taken
// relative to the root of the tree, so that a robot far from the world's origin keeps its digits.

#include "limb/regressor.h"

#include "base/numeric.h"
#include "dynamics/environment.h"
#include "ident/base_parameters_impl.h"
#include "kernel/tables.h"
#include "kinematics/kinematics_impl.h"
#include "model/data_impl.h"
#include "model/loop_calls.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// ---- the parameter vector -----------------------------------------------------------------------------------

int limb_inertial_parameter_count(const limb_model* m)
{
  int count = 0;
  for (int b = 0; m && b < m->nbody; b++)
    if (limb_has_parameters(m, b)) count += LIMB_BODY_PARAMETERS;
  return count;
}

int limb_parameter_count(const limb_model* m)
{
  if (!m) return 0;
  int count = limb_inertial_parameter_count(m);
  for (int j = 0; j < m->njoint; j++)
    if (limb_has_actuator(m, j)) count += LIMB_JOINT_PARAMETERS;
  return count + LIMB_SHAFT_PARAMETERS * m->nshaft;
}

static const char* symbol_of(limb_parameter_kind kind)
{
  static const char* const symbol[] = {
#define LIMB_X(name, value, text) [value] = text,
    LIMB_PARAMETER_LIST(LIMB_X)
#undef LIMB_X
  };
  return symbol[kind];
}

// Of a parameter of a joint that turns or slides.
static const char* joint_unit(limb_parameter_kind kind, bool turns)
{
  switch (kind) {
  case LIMB_PARAMETER_ROTOR: return turns ? "kg m^2" : "kg";
  case LIMB_PARAMETER_SHAFT_DAMPING:
  case LIMB_PARAMETER_VISCOUS: return turns ? "N m s/rad" : "N s/m";
  case LIMB_PARAMETER_SHAFT_STIFFNESS:
  case LIMB_PARAMETER_STIFFNESS: return turns ? "N m/rad" : "N/m";
  default: return turns ? "N m" : "N"; // Coulomb friction, offsets
  }
}

static limb_parameter_info body_parameter(const limb_model* m, int body, int k)
{
  const char* unit = k == 0 ? "kg" : k < 4 ? "kg m" : "kg m^2";
  const limb_parameter_kind kind = (limb_parameter_kind)k;
  return (limb_parameter_info){kind, body, -1, m->body[body].name, symbol_of(kind), unit};
}

static limb_parameter_info joint_parameter(const limb_model* m, int joint, limb_parameter_kind kind)
{
  const limb_joint_def* def = &m->joint[joint].def;
  const char* unit = joint_unit(kind, def->type != LIMB_PRISMATIC);
  return (limb_parameter_info){kind, -1, joint, def->name, symbol_of(kind), unit};
}

limb_status limb_get_parameter(const limb_model* m, int index, limb_parameter_info* out)
{
  if (!m || !out || index < 0) return LIMB_E_ARG;
  int k = index;
  for (int b = 0; b < m->nbody; b++) {
    if (!limb_has_parameters(m, b)) continue;
    if (k < LIMB_BODY_PARAMETERS) {
      *out = body_parameter(m, b, k);
      return LIMB_OK;
    }
    k -= LIMB_BODY_PARAMETERS;
  }
  for (int j = 0; j < m->njoint; j++) {
    if (!limb_has_actuator(m, j)) continue;
    if (k < LIMB_JOINT_PARAMETERS) {
      *out = joint_parameter(m, j, (limb_parameter_kind)(LIMB_PARAMETER_ROTOR + k));
      return LIMB_OK;
    }
    k -= LIMB_JOINT_PARAMETERS;
  }
  const int shaft = k / LIMB_SHAFT_PARAMETERS, own = k % LIMB_SHAFT_PARAMETERS;
  if (shaft >= m->nshaft) return LIMB_E_ARG;
  *out = joint_parameter(m, m->shaft[shaft].def.joint, (limb_parameter_kind)(LIMB_PARAMETER_SHAFT_STIFFNESS + own));
  return LIMB_OK;
}

// Where the parameters of a body that has some begin.
static int first_parameter(const limb_model* m, int body)
{
  int before = 0;
  for (int b = 0; b < body; b++) before += limb_has_parameters(m, b);
  return before * LIMB_BODY_PARAMETERS;
}

// Adds the inertia of a body that is fixed to one with parameters to those.
static void add_fixed_body(const limb_model* m, int body, double* theta)
{
  const limb_body* own = &m->body[body];
  const int to = m->body[own->carrier].parameters;
  const sp_pose X = sp_compose(sp_invert(m->body[to].in_link), own->in_link);
  const sp_inertia Y = limb_inertia_move(X, own->inertia);
  double part[LIMB_BODY_PARAMETERS];
  limb_inertia_to_parameters(&Y, part);
  double* sum = theta + first_parameter(m, to);
  for (int k = 0; k < LIMB_BODY_PARAMETERS; k++) sum[k] += part[k];
}

limb_status limb_parameters(const limb_model* m, double* theta)
{
  if (!m || !theta) return LIMB_E_ARG;
  double* at = theta;
  for (int b = 0; b < m->nbody; b++) {
    if (!limb_has_parameters(m, b)) continue;
    limb_inertia_to_parameters(&m->body[b].inertia, at);
    at += LIMB_BODY_PARAMETERS;
  }
  for (int b = 0; b < m->nbody; b++) {
    if (m->body[b].carrier != LIMB_WORLD_BODY && !limb_has_parameters(m, b)) add_fixed_body(m, b, theta);
  }
  for (int j = 0; j < m->njoint; j++) {
    if (!limb_has_actuator(m, j)) continue;
    const limb_joint_def* def = &m->joint[j].def;
    at[0] = def->gear_ratio * def->gear_ratio * def->rotor_inertia;
    at[1] = def->viscous;
    at[2] = def->coulomb;
    at[3] = def->stiffness;
    at[4] = 0 - def->stiffness * def->rest; // no -0
    at += LIMB_JOINT_PARAMETERS;
  }
  for (int k = 0; k < m->nshaft; k++, at += LIMB_SHAFT_PARAMETERS) {
    const limb_shaft_def* def = &m->shaft[k].def;
    at[0] = def->stiffness;
    at[1] = def->damping;
    at[2] = 0 - def->stiffness * def->rest;
  }
  return limb_finite(at - theta, theta) ? LIMB_OK : LIMB_E_NONFINITE;
}

// ---- regressors ---------------------------------------------------------------------------------------------

static void clear(size_t rows, size_t np, double* Y) { memset(Y, 0, rows * np * sizeof *Y); }

static bool is_finite(size_t rows, int np, const double* Y)
{
  for (size_t i = 0; i < rows; i++)
    if (!limb_finite(np, Y + i * (size_t)np)) return false;
  return true;
}

static limb_status regressor(limb_data* d, const double* q, const double* v, const double* a,
                             const limb_environment* env, int np, double* Y)
{
  if (!d || !q || !v || !a || !Y) return LIMB_E_ARG;
  const limb_model* m = d->m;
  limb_status s = limb_check_state(d, q, v, a);
  if (s != LIMB_OK) return s;
  limb_call_environment x;
  s = limb_enter(d, env, NULL, NULL, &x);
  if (s != LIMB_OK) return s;
  const limb_kernels_motion in = {q, v, a, &x.terms, NULL, 0, NULL, 0};
  if (!limb_kernels_of(d)->regressor(m, m->k64, &d->ws, &in, np, Y)) return LIMB_E_NONFINITE;
  return d->loops ? m->loop_calls->reduce(d->loops, q, np, Y) : LIMB_OK;
}

limb_status limb_regressor(limb_data* d, const double* q, const double* v, const double* a, const limb_environment* env,
                           double* Y)
{
  return regressor(d, q, v, a, env, d ? limb_parameter_count(d->m) : 0, Y);
}

limb_status limb_inertial_regressor(limb_data* d, const double* q, const double* v, const double* a,
                                    const limb_environment* env, double* Y)
{
  return regressor(d, q, v, a, env, d ? limb_inertial_parameter_count(d->m) : 0, Y);
}

// s . I v in the ten columns of one body, row by row, from its link to the world; positions relative to
// the root.
static void body_momenta(const limb_model* m, const limb_link_motion* of, int body, size_t np, double* Y)
{
  const limb_body* own = &m->body[body];
  const sp_pose X = sp_compose(of->X[own->link], own->in_link);
  const sp_motion v = sp_motion_in(own->in_link, of->v[own->link]);
  for (int i = own->link; i >= 0; i = m->link[i].parent) {
    for (int k = 0; k < m->link[i].ndof; k++) {
      const limb_dof* dof = &m->dof[m->link[i].dof + k];
      const sp_motion axis = limb_link_axis(m, i, k, &of->X[i], X.p);
      const sp_motion s = {sp_tmulv(X.R, axis.w), sp_tmulv(X.R, axis.v)};
      limb_add_inertia_row(dof->mult, s, v, Y + (size_t)dof->v * np);
    }
  }
}

limb_status limb_generalized_momentum_regressor(limb_data* d, const double* q, const double* v, double* Y)
{
  if (!d || !q || !v || !Y) return LIMB_E_ARG;
  const limb_model* m = d->m;
  const limb_link_motion* s = &d->own;
  const limb_status status = limb_link_kinematics(d, q, v, NULL, s);
  if (status != LIMB_OK) return status;
  limb_measure_from_root(m, q, s->X);
  const int np = limb_parameter_count(m);
  clear((size_t)m->nv, (size_t)np, Y);
  double* at = Y;
  for (int b = 0; b < m->nbody; b++) {
    if (!limb_has_parameters(m, b)) continue;
    body_momenta(m, s, b, (size_t)np, at);
    at += LIMB_BODY_PARAMETERS;
  }
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    if (!limb_has_actuator(m, j)) continue;
    at[(size_t)joint->v * (size_t)np] = joint->multiplier * (joint->multiplier * v[joint->v]);
    at += LIMB_JOINT_PARAMETERS;
  }
  if (!is_finite((size_t)m->nv, np, Y)) return LIMB_E_NONFINITE;
  return d->loops ? m->loop_calls->reduce(d->loops, q, np, Y) : LIMB_OK;
}

// ---- Slotine and Li ------------------------------------------------------------------------------------------

// Reference: J.-J. Slotine, W. Li, On the adaptive control of robot manipulators, Int. J. Robotics Research 6(3), 1987;
//            S. Echeandia, P. Wensing, 2021, (10), for the factor B of a body's velocity forces.
//
//   V, V_r   v, v_r   velocity of a body; sum J_k v_r,k
//   A_r      a_r      sum J_k a_r,k + (dJ_k/dt) v_r,k - g, spatial; dJ_k/dt = V_link x J_k
//
//   J' (I A_r + B V_r),   B = (V x* I + (I V) x* - I V x) / 2,   where (f x*) V_r = V_r x* f
//
// Each term is a product x . I y, linear in the parameters: with s a column of J
//
//   s . B V_r = -((V x s) . I V_r + (V_r x s) . I V + s . I (V x V_r)) / 2

typedef struct reference_motion {
  const double *v_r, *a_r; // nv
  sp_vec3 gravity;
} reference_motion;

// Motion of link i in the axes of X at its origin; X and the poses of the links are in the same frame.
static sp_motion seen_from(const limb_link_motion* of, int i, sp_pose X)
{
  const sp_motion w = limb_link_motion_at(of->X, of->v, i, X.p);
  return sp_motion_make(sp_tmulv(X.R, w.w), sp_tmulv(X.R, w.v));
}

static sp_motion axis_seen_from(const limb_model* m, const limb_link_motion* of, int i, int k, sp_pose X)
{
  const sp_motion axis = limb_link_axis(m, i, k, &of->X[i], X.p);
  return sp_motion_make(sp_tmulv(X.R, axis.w), sp_tmulv(X.R, axis.v));
}

static void slotine_li_body(const limb_model* m, const limb_link_motion* of, int body, const reference_motion* r,
                            size_t np, double* Y)
{
  const limb_body* own = &m->body[body];
  const sp_pose X = sp_compose(of->X[own->link], own->in_link);
  const sp_motion v = seen_from(of, own->link, X);
  sp_motion v_r = {{0, 0, 0}, {0, 0, 0}}, a_r = {{0, 0, 0}, sp_tmulv(X.R, sp_scale3(-1, r->gravity))};
  for (int i = own->link; i >= 0; i = m->link[i].parent) {
    const sp_motion turning = seen_from(of, i, X);
    for (int k = 0; k < m->link[i].ndof; k++) {
      const limb_dof* dof = &m->dof[m->link[i].dof + k];
      const sp_motion s = sp_scalem(dof->mult, axis_seen_from(m, of, i, k, X));
      v_r = sp_addm(v_r, sp_scalem(r->v_r[dof->v], s));
      a_r = sp_addm(a_r, sp_addm(sp_scalem(r->a_r[dof->v], s), sp_scalem(r->v_r[dof->v], sp_crm(turning, s))));
    }
  }
  const sp_motion along = sp_addm(a_r, sp_scalem(-0.5, sp_crm(v, v_r)));
  for (int i = own->link; i >= 0; i = m->link[i].parent) {
    for (int k = 0; k < m->link[i].ndof; k++) {
      const limb_dof* dof = &m->dof[m->link[i].dof + k];
      const sp_motion s = axis_seen_from(m, of, i, k, X);
      double* row = Y + (size_t)dof->v * np;
      limb_add_inertia_row(dof->mult, s, along, row);
      limb_add_inertia_row(-dof->mult / 2, sp_crm(v, s), v_r, row);
      limb_add_inertia_row(-dof->mult / 2, sp_crm(v_r, s), v, row);
    }
  }
}

// Columns of joints and shafts: those of limb_regressor, at v_r and a_r.
static void slotine_li_actuators(const limb_model* m, const double* q, const reference_motion* r,
                                 const limb_terms* terms, size_t np, double* at)
{
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    if (!limb_has_actuator(m, j)) continue;
    const double k = joint->multiplier, rate = k * r->v_r[joint->v];
    const double sign = terms->width > 0 ? tanh(rate / terms->width) : (rate > 0) - (rate < 0);
    double* row = at + (size_t)joint->v * np;
    row[0] = k * (k * r->a_r[joint->v]);
    row[1] = terms->friction ? k * rate : 0;
    row[2] = terms->friction ? k * sign : 0;
    row[3] = k * (k * q[joint->q] + joint->offset);
    row[4] = k;
    at += LIMB_JOINT_PARAMETERS;
  }
  for (int s = 0; s < m->nshaft; s++, at += LIMB_SHAFT_PARAMETERS) {
    const limb_shaft_def* def = &m->shaft[s].def;
    const int joint = m->joint[def->joint].v, motor = m->joint[def->motor].v;
    const double rate = terms->friction ? r->v_r[motor] / def->ratio - r->v_r[joint] : 0;
    const double column[LIMB_SHAFT_PARAMETERS] = {limb_shaft_twist(m, def, q), rate, 1};
    for (int i = 0; i < LIMB_SHAFT_PARAMETERS; i++) {
      at[(size_t)joint * np + (size_t)i] = -column[i];
      at[(size_t)motor * np + (size_t)i] = column[i] / def->ratio;
    }
  }
}

limb_status limb_slotine_li_regressor(limb_data* d, const double* q, const double* v, const double* v_r,
                                      const double* a_r, const limb_environment* env, double* Y)
{
  if (!d || !q || !v || !v_r || !a_r || !Y) return LIMB_E_ARG;
  const limb_model* m = d->m;
  if (d->loops) return LIMB_E_UNSUPPORTED;
  limb_environment e;
  limb_status s = limb_environment_read(m, env, &e);
  if (s == LIMB_OK && !limb_base_rests(&e)) s = LIMB_E_ARG;
  if (s == LIMB_OK && !(limb_finite(m->nv, v_r) && limb_finite(m->nv, a_r))) s = LIMB_E_NONFINITE;
  if (s == LIMB_OK) s = limb_link_kinematics(d, q, v, NULL, &d->own);
  if (s != LIMB_OK) return s;
  limb_measure_from_root(m, q, d->own.X);
  const reference_motion r = {v_r, a_r, e.gravity};
  const limb_terms terms = {.friction = e.friction != 0, .width = e.coulomb_width};
  const int np = limb_parameter_count(m);
  double* at = Y;
  clear((size_t)m->nv, (size_t)np, Y);
  for (int b = 0; b < m->nbody; b++) {
    if (!limb_has_parameters(m, b)) continue;
    slotine_li_body(m, &d->own, b, &r, (size_t)np, at);
    at += LIMB_BODY_PARAMETERS;
  }
  slotine_li_actuators(m, q, &r, &terms, (size_t)np, at);
  return is_finite((size_t)m->nv, np, Y) ? LIMB_OK : LIMB_E_NONFINITE;
}

// ---- momentum and energy -------------------------------------------------------------------------------------

limb_status limb_momentum_regressor(limb_data* d, const double* q, const double* v, double* Y)
{
  if (!d || !q || !v || !Y) return LIMB_E_ARG;
  const limb_model* m = d->m;
  const limb_status status = limb_link_kinematics(d, q, v, NULL, &d->own);
  if (status != LIMB_OK) return status;
  const int np = limb_parameter_count(m);
  clear(6, (size_t)np, Y);
  double* at = Y;
  for (int b = 0; b < m->nbody; b++) {
    if (!limb_has_parameters(m, b)) continue;
    const limb_body* own = &m->body[b];
    const sp_pose X = sp_compose(d->own.X[own->link], own->in_link);
    const sp_motion vb = sp_motion_in(own->in_link, d->own.v[own->link]);
    for (int k = 0; k < 6; k++) { // the momentum along a unit motion of the world
      double e[6] = {0};
      e[k] = 1;
      const sp_motion unit = {sp_v3(e[0], e[1], e[2]), sp_v3(e[3], e[4], e[5])};
      limb_add_inertia_row(1, sp_motion_in(X, unit), vb, at + (size_t)k * (size_t)np);
    }
    at += LIMB_BODY_PARAMETERS;
  }
  return is_finite(6, np, Y) ? LIMB_OK : LIMB_E_NONFINITE;
}

// Of one body: kinetic v . I v / 2, potential -g . (m p + R h).
static void body_energies(const limb_data* d, int body, sp_vec3 gravity, double* kinetic, double* potential)
{
  const limb_body* own = &d->m->body[body];
  const sp_motion v = sp_motion_in(own->in_link, d->own.v[own->link]);
  if (kinetic) limb_add_inertia_row(0.5, v, v, kinetic);
  if (!potential) return;
  const sp_pose X = sp_compose(d->own.X[own->link], own->in_link);
  const sp_vec3 g = sp_tmulv(X.R, gravity);
  potential[0] = -sp_dot3(gravity, X.p);
  potential[1] = -g.x, potential[2] = -g.y, potential[3] = -g.z;
}

// Columns of joints and shafts in the rows of both energies.
static void actuator_energies(const limb_model* m, const double* q, const double* v, size_t at, double* kinetic,
                              double* potential)
{
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    if (!limb_has_actuator(m, j)) continue;
    const double rate = joint->multiplier * v[joint->v];
    const double x = joint->multiplier * q[joint->q] + joint->offset;
    if (kinetic) kinetic[at] = rate * rate / 2;
    if (potential) potential[at + 3] = x * x / 2, potential[at + 4] = x;
    at += LIMB_JOINT_PARAMETERS;
  }
  for (int k = 0; k < m->nshaft && potential; k++, at += LIMB_SHAFT_PARAMETERS) {
    const double x = limb_shaft_twist(m, &m->shaft[k].def, q);
    potential[at] = x * x / 2, potential[at + 2] = x;
  }
}

limb_status limb_energy_regressor(limb_data* d, const double* q, const double* v, const limb_environment* env,
                                  double* kinetic, double* potential)
{
  if (!d || !q || !v || (!kinetic && !potential)) return LIMB_E_ARG;
  const limb_model* m = d->m;
  limb_environment e;
  limb_status status = limb_environment_read(m, env, &e);
  if (status == LIMB_OK) status = limb_link_kinematics(d, q, v, NULL, &d->own);
  if (status != LIMB_OK) return status;
  const int np = limb_parameter_count(m);
  if (kinetic) clear(1, (size_t)np, kinetic);
  if (potential) clear(1, (size_t)np, potential);
  size_t at = 0;
  for (int b = 0; b < m->nbody; b++) {
    if (!limb_has_parameters(m, b)) continue;
    body_energies(d, b, e.gravity, kinetic ? kinetic + at : NULL, potential ? potential + at : NULL);
    at += LIMB_BODY_PARAMETERS;
  }
  actuator_energies(m, q, v, at, kinetic, potential);
  const bool finite = (!kinetic || limb_finite(np, kinetic)) && (!potential || limb_finite(np, potential));
  return finite ? LIMB_OK : LIMB_E_NONFINITE;
}
