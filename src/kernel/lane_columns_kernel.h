// On the dof table (model/dof_table.h), a block of lanes at a time: motions, inertias, columns.
//
// Reference: Singh, Russell, Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial
//            vector algebra, 2022; the body matrix B over particles (kernel/inertia.h).
// Cost:      O(n).
//
// All in the axes of the root link, at its origin. For dof k of a link with parent p:
//
//   S        axis: (u; p x u) turning, (0; u) sliding
//   psi      v_p x S                          what S gains per unit of time if its joint stands still
//   psidot   a_p x S + v_p x psi              a_p minus gravity
//   sigma    psi + v x S                      v of the link itself; 2 psi for one degree of freedom
//
//   T1 = I S                                          I, B, f: of the link and all it carries
//   T2 = 2 B psi + I psidot + S x* f
//   T3 = 2 B S + I sigma
//   T4 = 2 B' S                                       a moment only
//
// The Coriolis matrix is made of the same columns with B and sigma halved (see limb_slopes). A link of one
// dof moves along its own axis only: v x S is v_p x S there, and a x S + v x psi is psidot.
#ifndef LIMB_KERNEL_LANE_COLUMNS_KERNEL_H
#define LIMB_KERNEL_LANE_COLUMNS_KERNEL_H

#include "kernel/dof_table_kernel.h"

KERNEL motion scalem(real k, motion x) { return (motion){scale3(k, x.w), scale3(k, x.v)}; }
KERNEL real dot6(motion S, force F) { return add(dot3(S.w, F.n), dot3(S.v, F.f)); }

// ---- poses -----------------------------------------------------------------------------------------

KERNEL pose get_pose(const cell* at) { return (pose){get_columns(at, ROW_R), get3(at, ROW_P)}; }

KERNEL void set_pose_in(lane_set s, cell* at, pose X)
{
  set3_in(s, at, ROW_R, column_x(X.R));
  set3_in(s, at, ROW_R + 3, column_y(X.R));
  set3_in(s, at, ROW_R + 6, column_z(X.R));
  set3_in(s, at, ROW_P, X.p);
}

KERNEL void set_pose(cell* at, pose X)
{
  set3(at, ROW_R, column_x(X.R));
  set3(at, ROW_R + 3, column_y(X.R));
  set3(at, ROW_R + 6, column_z(X.R));
  set3(at, ROW_P, X.p);
}

KERNEL pose spread_pose(pose X, int l)
{
  return (pose){columns(spread3(column_x(X.R), l), spread3(column_y(X.R), l), spread3(column_z(X.R), l)),
                spread3(X.p, l)};
}

KERNEL pose pose_spread(const table* t, int i) // of column i, in all lanes
{
  return (pose){columns(entry3_spread(t, ROW_R, i), entry3_spread(t, ROW_R + 3, i), entry3_spread(t, ROW_R + 6, i)),
                entry3_spread(t, ROW_P, i)};
}

// Links of one dof in their parents: Z(gamma) X(alpha) Z(theta), moved by origin + slide z
KERNEL pose transform_in_parent(const table* t, const double* given, real q)
{
  const real x = madd(get_given(given, GIVEN_OFF), get_given(given, GIVEN_MULT), q);
  const vec3 X = v3(get_given(given, GIVEN_FRAME), get_given(given, GIVEN_FRAME + 1), zero());
  const vec3 Y = get_given3(given, GIVEN_FRAME + 2), Z = get_given3(given, GIVEN_FRAME + 5);
  vec3 o = get_given3(given, GIVEN_ORIGIN);
  real s, c;
  sines_of_lanes(x, &s, &c);
  if (t->m->mixed) {
    const real turns = get_given(given, GIVEN_TURN), slide = mul(get_given(given, GIVEN_SLIDE), x);
    c = madd(get_given(given, GIVEN_COS), turns, c);
    s = madd(get_given(given, GIVEN_SIN), turns, s);
    o = add3(o, scale3(slide, Z));
  }
  return (pose){columns(add3(scale3(c, X), scale3(s, Y)), sub3(scale3(c, Y), scale3(s, X)), Z), o};
}

// Lane by lane the pose d lanes below, of the same run; else none.
KERNEL real lanes_below_or(const table* t, lane_set of_run, int d, real x, real none)
{
  const real y = lanes_up(x, d, none);
  return t->form == FORM_TREE ? choose(of_run, y, none) : y;
}

KERNEL vec3 lanes3_below_or(const table* t, lane_set of_run, int d, vec3 x, vec3 none)
{
  return v3(lanes_below_or(t, of_run, d, x.x, none.x), lanes_below_or(t, of_run, d, x.y, none.y),
            lanes_below_or(t, of_run, d, x.z, none.z));
}

// Places within the parents become poses within the run: of the same block.
KERNEL pose compose_up(const table* t, const double* given, pose X)
{
  const pose none = no_pose();
  for (int k = 0; k < LANE_STEPS; k++) {
    const int d = 1 << k;
    const lane_set s = given_set(given + (ptrdiff_t)(GIVEN_UP + k) * LIMB_LANES_MAX);
    const mat3 R = columns(lanes3_below_or(t, s, d, column_x(X.R), column_x(none.R)),
                           lanes3_below_or(t, s, d, column_y(X.R), column_y(none.R)),
                           lanes3_below_or(t, s, d, column_z(X.R), column_z(none.R)));
    X = compose((pose){R, lanes3_below_or(t, s, d, X.p, none.p)}, X);
  }
  return X;
}

// Velocity and acceleration of the base, seen from the root link, which has pose P in it. The dynamics does
// not depend on the velocity of its origin: that is zero, and the acceleration classical and spatial at once.
KERNEL void put_base(const table* t, const lane_in* in, int root, pose P)
{
  motion v = {zero3(), zero3()}, a = v;
  if (in->base) {
    const base_cell* b = (const base_cell*)in->base + LIMB_WS_STATE * (ptrdiff_t)root;
    a.v = base3(b + 6);
    if (in->base_turns) {
      const vec3 w = base3(b), al = base3(b + 3);
      v = (motion){tmulv(P.R, w), tmulv(P.R, cross3(w, P.p))};
      a = (motion){tmulv(P.R, al), add3(a.v, cross3(al, P.p))};
    }
    a.v = tmulv(P.R, a.v);
  }
  const real x[12] = {v.w.x, v.w.y, v.w.z, v.v.x, v.v.y, v.v.z, a.w.x, a.w.y, a.w.z, a.v.x, a.v.y, a.v.z};
  for (int k = 0; k < 12; k++) t->base[12 * root + k] = lane(x[k], 0);
}

// The first link of a run on the world: its frame is where everything is seen from.
KERNEL pose begin_at(const table* t, const lane_in* in, int root, int l, pose X)
{
  const lane_set first = lanes_within(l, l + 1);
  const pose none = no_pose();
  put_base(t, in, root, spread_pose(X, l));
  return (pose){columns(choose3(first, column_x(none.R), column_x(X.R)),
                        choose3(first, column_y(none.R), column_y(X.R)),
                        choose3(first, column_z(none.R), column_z(X.R))),
                choose3(first, none.p, X.p)};
}

// A link of several dofs: its own pose in its slot, direction and point of the axis in every column.
KERNEL void put_axes(const table* t, const limb_link* link, pose X)
{
  const vec3 e[3] = {column_x(X.R), column_y(X.R), column_z(X.R)};
  for (int i = block_of(link->dof); i < end_of_dofs(link); i += LANES) {
    cell* at = column_at(t, i);
    set_pose_in(lanes_within(link->dof - i, end_of_dofs(link) - i), at, X);
    for (int k = 0; k < link->ndof; k++) {
      const int l = link->dof + k - i;
      set3_in(lanes_within(l, l + 1), at, ROW_R + 6, e[k % 3]);
    }
  }
}

KERNEL pose turn_at(const table* t, int aux)
{
  const cell* x = t->dense + 12 * (ptrdiff_t)aux;
  real y[12];
  for (int k = 0; k < 12; k++) y[k] = every_lane(x[k]);
  return (pose){{y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7], y[8]}, v3(y[9], y[10], y[11])};
}

// Along a run: from poses within it to those in the root link.
KERNEL void compose_along(const table* t, const limb_run* run, pose start)
{
  const int end = end_of_run(t, run);
  for (int i = block_of(run->dof); i < end; i += LANES) {
    cell* at = column_at(t, i);
    const pose X = compose(start, get_pose(at));
    set_pose_in(lanes_within(run->dof - i, end - i), at, X);
    start = spread_pose(X, LANES - 1);
  }
}

KERNEL void compose_runs(const table* t, const lane_in* in)
{
  for (int b = 0; b < t->m->nrun; b++) {
    const limb_run* run = &t->m->run[b];
    const limb_link* link = &t->m->link[run->begin];
    const bool root = run->parent < 0;
    const pose from = root ? no_pose() : pose_spread(t, limb_slot(&t->m->link[run->parent]));
    if (link->ndof == 1) {
      compose_along(t, run, from);
    } else if (root) {
      put_base(t, in, link->root, turn_at(t, link->aux));
      put_axes(t, link, from);
    } else {
      put_axes(t, link, compose(from, turn_at(t, link->aux)));
    }
  }
}

// R, p of all links
KERNEL void lane_poses(const table* t, const lane_in* in)
{
  const limb_model* m = t->m;
  const bool all = t->form != FORM_TREE;
  pose start = no_pose();
  int root = 0; // the next run that may start on the world
  FOR_BLOCKS(i, t)
  {
    cell* at = column_at(t, i);
    pose X = transform_in_parent(t, given_at(t, i), some_at(in->q + i, m->ncdof - i));
    if (all && i == 0) X = begin_at(t, in, 0, 0, X);
    for (; !all && root < m->nrun && m->run[root].dof < i + LANES; root++) {
      const limb_link* link = &m->link[m->run[root].begin];
      if (link->parent < 0 && link->ndof == 1) X = begin_at(t, in, link->root, link->dof - i, X);
    }
    X = compose_up(t, given_at(t, i), X);
    if (all && i > 0) X = compose(start, X);
    set_pose(at, X);
    start = spread_pose(X, LANES - 1);
  }
  if (!all) compose_runs(t, in);
}

// ---- motions ---------------------------------------------------------------------------------------

// S, about or along u through p
KERNEL motion axis_along(const table* t, vec3 u, vec3 p, const double* given)
{
  const vec3 moment = cross3(p, u);
  if (!t->m->mixed) return (motion){u, moment};
  const real turns = get_given(given, GIVEN_TURN), slides = get_given(given, GIVEN_SLIDE);
  return (motion){scale3(turns, u), add3(scale3(turns, moment), scale3(slides, u))};
}

KERNEL motion axis_of(const table* t, pose X, const double* given) { return axis_along(t, column_z(X.R), X.p, given); }

// Robots with ball or free joints have rows of parents and of sigma.
KERNEL bool has_sigma(const table* t) { return t->form == FORM_TREE && t->m->naux > 0; }

// sigma, for what is to be made of it
KERNEL motion sigma_of(limb_slopes kind, motion psi, motion rate)
{
  if (kind == SLOPES_FORCE) return addm(psi, rate);
  if (kind == SLOPES_SKEW) return rate;
  return scalem(number(constant(0.5)), addm(psi, rate));
}

// S, v
KERNEL void lane_velocities(const table* t, const lane_in* in)
{
  FOR_BLOCKS(i, t)
  {
    cell* at = column_at(t, i);
    const motion S = axis_of(t, get_pose(at), given_at(t, i));
    set_motion(at, ROW_S, S);
    set_motion(at, ROW_V, scalem(some_at(in->v + i, t->m->ncdof - i), S));
  }
  sum_out(t, t->base, ROW_V, ROW_VP);
}

// psi, sigma
KERNEL void lane_rates(const table* t, limb_slopes kind)
{
  const bool several = has_sigma(t);
  FOR_BLOCKS(i, t)
  {
    cell* at = column_at(t, i);
    const motion S = get_motion(at, ROW_S), rate = crossm(get_motion(at, ROW_V), S);
    const motion psi = several ? crossm(get_motion(at, ROW_VP), S) : rate;
    set_motion(at, ROW_PSI, psi);
    if (several) set_motion(at, ROW_SIGMA, sigma_of(kind, psi, rate));
  }
}

// a, with joint accelerations or without
KERNEL void lane_accelerations(const table* t, const lane_in* in)
{
  FOR_BLOCKS(i, t)
  {
    cell* at = column_at(t, i);
    const int left = t->m->ncdof - i;
    motion term = scalem(some_at(in->v + i, left), get_motion(at, ROW_PSI));
    if (in->a) term = addm(term, scalem(some_at(in->a + i, left), get_motion(at, ROW_S)));
    set_motion(at, ROW_A, term);
  }
  sum_out(t, t->base + 6, ROW_A, ROW_AP);
}

// psidot
KERNEL motion psidot_of(const table* t, const cell* at)
{
  const bool several = has_sigma(t);
  const motion v = get_motion(at, several ? ROW_VP : ROW_V), a = get_motion(at, several ? ROW_AP : ROW_A);
  return addm(crossm(a, get_motion(at, ROW_S)), crossm(v, get_motion(at, ROW_PSI)));
}

// ---- inertias --------------------------------------------------------------------------------------

KERNEL composite own_inertia(pose X, const double* given)
{
  real y[10];
  for (int k = 0; k < 10; k++) y[k] = get_given(given, GIVEN_MOMENTS + k);
  const composite C = {y[0], v3(y[1], y[2], y[3]), {y[4], y[5], y[6], y[7], y[8], y[9]}};
  return composite_at(X.R, X.p, C);
}

// First and second moments, nine rows
KERNEL void set_moments(cell* at, int k, composite C)
{
  set3(at, k, C.h);
  set3(at, k + 3, v3(C.J.xx, C.J.xy, C.J.xz));
  set3(at, k + 6, v3(C.J.yy, C.J.yz, C.J.zz));
}

KERNEL composite get_moments(const cell* at, int k, real mass)
{
  const vec3 x = get3(at, k + 3), y = get3(at, k + 6);
  return (composite){mass, get3(at, k), {x.x, x.y, x.z, y.x, y.y, y.z}};
}

KERNEL void set_drift(cell* at, drift D)
{
  set3(at, ROW_DRIFT_P, D.P);
  set3(at, ROW_DRIFT_K, column_x(D.K));
  set3(at, ROW_DRIFT_K + 3, column_y(D.K));
  set3(at, ROW_DRIFT_K + 6, column_z(D.K));
}

// Moments of the links themselves; a copy of them is to be summed.
KERNEL void lane_inertias(const table* t)
{
  FOR_BLOCKS(i, t)
  {
    cell* at = column_at(t, i);
    const composite C = own_inertia(get_pose(at), given_at(t, i));
    set_moments(at, ROW_OWN, C);
    set_moments(at, ROW_H, C);
  }
}

KERNEL composite own_moments(const table* t, const cell* at, int i)
{
  return get_moments(at, ROW_OWN, get_given(given_at(t, i), GIVEN_MOMENTS));
}

// I, B of the subtrees; of f the part of the velocities, B v, of the links themselves, if it is wanted
KERNEL void lane_bodies(const table* t, bool forces)
{
  FOR_BLOCKS(i, t)
  {
    cell* at = column_at(t, i);
    const motion v = get_motion(at, ROW_V);
    const drift D = drift_of(own_moments(t, at, i), v);
    set_drift(at, D);
    if (forces) set_force(at, ROW_F, drift_times(D, v));
  }
  sum_back(t, ROW_H, ROW_F);
}

// f of the subtrees
KERNEL void lane_forces(const table* t)
{
  FOR_BLOCKS(i, t)
  {
    cell* at = column_at(t, i);
    const force by_a = inertia_times(own_moments(t, at, i), get_motion(at, ROW_A));
    set_force(at, ROW_F, addf(get_force(at, ROW_F), by_a));
  }
  sum_back(t, ROW_F, ROW_F + 6);
}

// Motions and inertias. Sums along lanes are long: what does not need one stands next to it, here and below.
KERNEL void lane_dynamics(const table* t, const lane_in* in)
{
  lane_poses(t, in);
  lane_velocities(t, in);
  lane_inertias(t);
  lane_rates(t, SLOPES_FORCE);
  lane_accelerations(t, in);
  lane_bodies(t, true);
}

// ---- columns ---------------------------------------------------------------------------------------

KERNEL composite carried_inertia(const table* t, const cell* at, int i)
{
  return get_moments(at, ROW_H, get_given(given_at(t, i), GIVEN_MASS));
}

KERNEL drift carried_drift(const cell* at) { return (drift){get3(at, ROW_DRIFT_P), get_columns(at, ROW_DRIFT_K)}; }

KERNEL force kscalef(par k, force x) { return (force){kscale3(k, x.n), kscale3(k, x.f)}; }
KERNEL par share_of(limb_slopes kind) { return constant(kind == SLOPES_FORCE ? 2 : 1); }

// T1: what M needs
KERNEL void lane_columns_m(const table* t)
{
  FOR_BLOCKS(i, t)
  {
    cell* at = column_at(t, i);
    set_force(at, ROW_T1, inertia_times(carried_inertia(t, at, i), get_motion(at, ROW_S)));
  }
}

// T3, T4: what d tau / d v needs besides; sigma is the share of psi where there is no other
KERNEL void lane_columns_v(const table* t, limb_slopes kind)
{
  const bool several = has_sigma(t);
  const par share = share_of(kind);
  FOR_BLOCKS(i, t)
  {
    cell* at = column_at(t, i);
    const composite C = carried_inertia(t, at, i);
    const drift D = carried_drift(at);
    const motion S = get_motion(at, ROW_S);
    const force by_S = drift_times(D, S);
    if (several) {
      set_force(at, ROW_T3, addf(kscalef(share, by_S), inertia_times(C, get_motion(at, ROW_SIGMA))));
    } else {
      set_force(at, ROW_T3, kscalef(share, addf(by_S, inertia_times(C, get_motion(at, ROW_PSI)))));
    }
    set3(at, ROW_T4, kscale3(share, drift_transposed_times(D, S)));
  }
}

// psidot, T2: what d tau / d q needs besides
KERNEL void lane_columns_q(const table* t)
{
  FOR_BLOCKS(i, t)
  {
    cell* at = column_at(t, i);
    const motion psidot = psidot_of(t, at);
    const force coriolis = kscalef(constant(2), drift_times(carried_drift(at), get_motion(at, ROW_PSI)));
    const force inertial = inertia_times(carried_inertia(t, at, i), psidot);
    const force turned = crossf(get_motion(at, ROW_S), get_force(at, ROW_F));
    set_motion(at, ROW_PSIDOT, psidot);
    set_force(at, ROW_T2, addf(addf(coriolis, inertial), turned));
  }
}

// tau = S' f, in compiled order
KERNEL void lane_tau(const table* t, cell* tau)
{
  FOR_BLOCKS(i, t)
  {
    const cell* at = column_at(t, i);
    put_some(tau + i, dot6(get_motion(at, ROW_S), get_force(at, ROW_F)), t->m->ncdof - i);
  }
}

// Joint accelerations that come later: a and f gain what they do.
KERNEL void lane_accelerate(const table* t, const cell* a)
{
  const bool several = has_sigma(t);
  FOR_BLOCKS(i, t)
  {
    cell* at = column_at(t, i);
    set_motion(at, ROW_DA, scalem(some_at(a + i, t->m->ncdof - i), get_motion(at, ROW_S)));
  }
  sum_out(t, NULL, ROW_DA, ROW_DAP);
  FOR_BLOCKS(i, t)
  {
    cell* at = column_at(t, i);
    const motion da = get_motion(at, ROW_DA);
    set_motion(at, ROW_A, addm(get_motion(at, ROW_A), da));
    if (several) set_motion(at, ROW_AP, addm(get_motion(at, ROW_AP), get_motion(at, ROW_DAP)));
    set_force(at, ROW_DF, inertia_times(own_moments(t, at, i), da));
  }
  sum_back(t, ROW_DF, ROW_DF + 6);
  FOR_BLOCKS(i, t)
  {
    cell* at = column_at(t, i);
    set_force(at, ROW_F, addf(get_force(at, ROW_F), get_force(at, ROW_DF)));
  }
}

#endif
