// Derivatives of inverse and forward dynamics, and the Coriolis matrix: the steps on the sheet.
//
// Reference: Singh, Russell, Wensing 2022 (row_kernel.h); forward dynamics by implicit differentiation,
//
//   M a + h = tau   =>   da/dx = -M^-1 (d tau / dx)(q, v, a),   da/dtau = M^-1
//
// Cost O(n depth), and for forward dynamics O(n^3) of the inverse and two products, by lanes.

KERNEL void fill_row(const limb_model* m, const limb_ws* ws, int row, const real* x)
{
  for (int c = 0; c < m->ncdof; c++) *sheet_entry(&ws->sheet, row, c) = x[c];
}

// Zeros, where products are added and not put.
KERNEL void clear_matrix(const limb_model* m, real* A)
{
  if (!A || m->identity) return;
  const size_t count = (size_t)m->nv * (size_t)m->nv;
  for (size_t i = 0; i < count; i++) A[i] = zero();
}

// Entry (c, c) of compiled dofs.
KERNEL void add_diagonal(const limb_model* m, real* A, int c, real x)
{
  if (!A) return;
  const limb_dof* dof = &m->dof[c];
  real* entry = &A[(size_t)dof->v * (size_t)m->nv + (size_t)dof->v];
  *entry = add(*entry, scale(parameter(dof->mult * dof->mult), x));
}

// Rotors, friction and springs (actuator_kernel.h), differentiated: tanh' = (1 - tanh^2) / width.
KERNEL void add_actuator_slopes(const limb_model* m, const limb_terms* terms, const real* v,
                                const slopes* inverse)
{
  for (int i = 0; i < m->nlink; i++) {
    if (m->link[i].ndof != 1) continue;
    const int c = m->link[i].dof;
    const limb_actuator* k = &m->actuator[c];
    if (terms->rotors) add_diagonal(m, inverse->dx, c, given(k->rotor));
    if (terms->springs) add_diagonal(m, inverse->dq, c, given(k->stiffness));
    if (!terms->friction) continue;
    real slope = given(k->viscous);
    if (terms->width > 0) {
      const real t = sign_of(v[c], terms->width);
      slope = kmadd(slope, parameter(k->coulomb / terms->width), sub(one(), mul(t, t)));
    }
    add_diagonal(m, inverse->dv, c, slope);
  }
}

// Bases at rest, whatever the surroundings.
KERNEL void stop_bases(const limb_model* m, const limb_sheet* s)
{
  for (int r = 0; r < m->nroot; r++) {
    real* v = (real*)s->base + 12 * (ptrdiff_t)r;
    for (int k = 0; k < 6; k++) v[k] = zero();
  }
}

// Poses, axes, velocities.
KERNEL void sheet_velocities(const limb_model* m, const link_const* k, const limb_ws* ws,
                             const real* cv, limb_slopes kind)
{
  sheet_poses(m, k, ws);
  if (kind != SLOPES_FORCE) stop_bases(m, &ws->sheet);
  fill_row(m, ws, ROW_RATE, cv);
  ROWS.velocities(m, &ws->sheet, kind);
}

// Accelerations, inertias and forces; columns of M and d tau / d v.
KERNEL void sheet_dynamics(const limb_model* m, const limb_ws* ws, const real* ca)
{
  fill_row(m, ws, ROW_ACC, ca);
  ROWS.accelerations(m, &ws->sheet);
  ROWS.bodies(m, &ws->sheet, true);
  ROWS.columns_v(m, &ws->sheet, SLOPES_FORCE);
}

// Joint forces in the user's order: rigid bodies', actuators', less what the wrenches do.
KERNEL void sheet_forces(const limb_model* m, const link_const* k, const limb_ws* ws,
                         const motion_in* in, const real* cv, const real* ca, real* tau)
{
  real* ct = ws->force; // compiled order
  ROWS.tau(m, &ws->sheet);
  for (int c = 0; c < m->ncdof; c++) ct[c] = *sheet_entry(&ws->sheet, ROW_TAU, c);
  for (int l = 0; l < in->nwrench; l++) take_load(m, ws, load_of(m, k, ws, &in->wrench[l]), ct);
  if (m->has_actuators) add_actuators(m, ws, cv, ca, in->terms, ct);
  in_user_order(m, ct, tau);
}

// d tau / d q and d tau / d v with all that is not a rigid body; dx, if wanted, is M.
KERNEL void sheet_slopes(const limb_model* m, const link_const* k, const limb_ws* ws,
                         const motion_in* in, const real* cv, const slopes* out)
{
  clear_matrix(m, out->dx), clear_matrix(m, out->dq), clear_matrix(m, out->dv);
  if (out->dq) ROWS.columns_q(m, &ws->sheet);
  ROWS.products(m, &ws->sheet, out->dx, out->dq, out->dv);
  if (m->has_actuators) add_actuator_slopes(m, in->terms, cv, out);
  for (int l = 0; l < in->nwrench && out->dq; l++) {
    take_load_slopes(m, ws, load_of(m, k, ws, &in->wrench[l]), out->dq);
  }
}

static void set_id_derivatives(const limb_model* m, const link_const* k, const limb_ws* ws,
                               const motion_in* in, const slopes* out)
{
  load_coordinates(m, k, ws, in->q);
  const real *cv = in_compiled_order(m, in->v, ws->v), *ca = in_compiled_order(m, in->x, ws->a);
  sheet_velocities(m, k, ws, cv, SLOPES_FORCE);
  sheet_dynamics(m, ws, ca);
  if (out->y) sheet_forces(m, k, ws, in, cv, ca, out->y);
  sheet_slopes(m, k, ws, in, cv, out);
}

// a = M^-1 (tau - h)
KERNEL void accelerate(int n, const real* Minv, const real* tau, const real* h, real* a)
{
  for (int i = 0; i < n; i++) {
    const real* row = Minv + (size_t)i * (size_t)n;
    a[i] = zero();
    for (int j = 0; j < n; j++) a[i] = madd(a[i], row[j], sub(tau[j], h[j]));
  }
}

static real set_fd_derivatives(const limb_model* m, const link_const* k, const limb_ws* ws,
                               const motion_in* in, const slopes* out)
{
  const limb_sheet* s = &ws->sheet;
  const slopes mass = {NULL, NULL, NULL, out->dx}, by_state = {NULL, out->dq, out->dv, NULL};
  load_coordinates(m, k, ws, in->q);
  const real* cv = in_compiled_order(m, in->v, ws->v);
  real *h = ws->tau, *a = out->y ? out->y : ws->a, *work = s->cell;
  sheet_velocities(m, k, ws, cv, SLOPES_FORCE);
  sheet_dynamics(m, ws, no_acceleration(m, ws));
  sheet_forces(m, k, ws, in, cv, ws->a, h);
  sheet_slopes(m, k, ws, in, cv, &mass);
  const real least = ROWS.invert(m->nv, out->dx, ws->a);
  accelerate(m->nv, out->dx, in->x, h, a);
  fill_row(m, ws, ROW_ACC, in_compiled_order(m, a, ws->force));
  ROWS.accelerations(m, s);
  ROWS.forces(m, s);
  sheet_slopes(m, k, ws, in, cv, &by_state);
  ROWS.take_product(m->nv, out->dx, out->dq, work);
  ROWS.take_product(m->nv, out->dx, out->dv, work);
  return least;
}

static void set_coriolis_matrix(const limb_model* m, const link_const* k, const limb_ws* ws,
                                const real* q, const real* v, limb_slopes kind, real* C)
{
  load_coordinates(m, k, ws, q);
  sheet_velocities(m, k, ws, in_compiled_order(m, v, ws->v), kind);
  ROWS.bodies(m, &ws->sheet, false);
  ROWS.columns_v(m, &ws->sheet, kind);
  clear_matrix(m, C);
  ROWS.products(m, &ws->sheet, NULL, NULL, C);
}
