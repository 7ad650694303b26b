// Derivatives of inverse and forward dynamics, and the Coriolis matrix: the steps on the sheet.
//
// Reference: Singh, Russell, Wensing 2022 (row_kernel.h); forward dynamics by implicit differentiation,
//
//   M a + h = tau   =>   da/dx = -M^-1 (d tau / dx)(q, v, a),   da/dtau = M^-1
//
// Cost O(n depth), and for forward dynamics O(n^3) of the inverse and two products, by lanes.

// Zeros, where products are added and not put.
KERNEL void clear_matrix(const limb_model* m, real* A)
{
  if (!A || m->identity) return;
  const size_t count = (size_t)m->nv * (size_t)m->nv;
  for (size_t i = 0; i < count; i++) A[i] = zero();
}

// What a joint itself adds to M, d tau / d q and d tau / d v on their diagonals: rotors, springs and friction
// (actuator_kernel.h), differentiated: tanh' = (1 - tanh^2) / width.
typedef struct own_slopes {
  real x[3];
} own_slopes;

KERNEL own_slopes own_slopes_of(const limb_model* m, const limb_terms* terms, int c, real v)
{
  const limb_actuator* k = &m->actuator[c];
  own_slopes s = {{zero(), zero(), zero()}};
  if (terms->rotors) s.x[0] = given(k->rotor);
  if (terms->springs) s.x[1] = given(k->stiffness);
  if (!terms->friction) return s;
  s.x[2] = given(k->viscous);
  if (terms->width > 0) {
    const real t = sign_of(v, terms->width);
    s.x[2] = kmadd(s.x[2], parameter(k->coulomb / terms->width), sub(one(), mul(t, t)));
  }
  return s;
}

// What a shaft adds to a matrix in the user's order: k w w', where w = (1 / n, -1) at motor and joint.
KERNEL void add_shaft_to(const limb_model* m, const limb_shaft* x, double k, real* A)
{
  const size_t nv = (size_t)m->nv, j = (size_t)m->dof[x->joint].v, i = (size_t)m->dof[x->motor].v;
  const double n = 1 / x->def.ratio;
  A[j * nv + j] = plus(parameter(k), A[j * nv + j]);
  A[j * nv + i] = plus(parameter(-k * n), A[j * nv + i]);
  A[i * nv + j] = plus(parameter(-k * n), A[i * nv + j]);
  A[i * nv + i] = plus(parameter(k * n * n), A[i * nv + i]);
}

// To the matrices in the user's order, those that are there.
KERNEL void add_own_to(const limb_model* m, const limb_terms* terms, const real* v, const slopes* to)
{
  real* A[3] = {to->dx, to->dq, to->dv};
  for (int i = 0; i < m->nlink; i++) {
    if (m->link[i].ndof != 1) continue;
    const int c = m->link[i].dof;
    const limb_dof* dof = &m->dof[c];
    const own_slopes s = own_slopes_of(m, terms, c, v[c]);
    const size_t at = (size_t)dof->v * ((size_t)m->nv + 1);
    for (int k = 0; k < 3; k++) {
      if (A[k]) A[k][at] = add(A[k][at], scale(parameter(dof->mult * dof->mult), s.x[k]));
    }
  }
  for (int s = 0; s < m->nshaft; s++) {
    const limb_shaft* x = &m->shaft[s];
    if (to->dq && terms->springs) add_shaft_to(m, x, x->def.stiffness, to->dq);
    if (to->dv && terms->friction) add_shaft_to(m, x, x->def.damping, to->dv);
  }
}

// What springs and wrenches want to know besides the sheet.
KERNEL_ONCE void load_others(const limb_model* m, const link_const* k, const limb_ws* ws, const motion_in* in)
{
  real* q = ws->q;
  if (loads_of(in) > 0) {
    load_coordinates(m, k, ws, in->q);
  } else if (m->has_actuators) {
    for (int i = 0; i < m->nlink; i++) q[i] = coordinate(m, k, in->q, i);
  }
}

// Joint forces in the user's order, from those of the rigid bodies in ct: actuators' besides, less what the
// wrenches do.
KERNEL void sheet_forces(const limb_model* m, const link_const* k, const limb_ws* ws, const motion_in* in,
                         const row_in* rows, real* ct, real* tau)
{
  if (loads_of(in) > 0) take_loads(m, k, ws, in, ct);
  if (m->has_actuators) add_actuators(m, ws, rows->v, rows->a, in->terms, ct);
  if (ct != tau) in_user_order(m, ct, tau);
}

// d tau / d q and d tau / d v of all that is not a rigid body; dx, if wanted, is M.
KERNEL void other_slopes(const limb_model* m, const link_const* k, const limb_ws* ws, const motion_in* in,
                         const real* cv, const slopes* out)
{
  if (m->has_actuators) add_own_to(m, in->terms, cv, out);
  if (loads_of(in) > 0 && out->dq) take_loads_slopes(m, k, ws, in, out->dq);
}

static bool set_id_derivatives(const limb_model* m, const link_const* k, const limb_ws* ws, const motion_in* in,
                               const slopes* out)
{
  const row_in rows = {.q = sheet_coordinates(m, &ws->sheet, in->q),
                       .v = in_compiled_order(m, in->v, ws->v),
                       .a = in_compiled_order(m, in->x, ws->a),
                       .base = ws->base,
                       .base_turns = ws->base_turns,
                       .keep = loads_of(in) > 0};
  const bool bodies_only = !m->has_actuators && loads_of(in) == 0;
  real* ct = m->identity && bodies_only && out->y ? out->y : ws->force;
  const row_out to = {ct, out->dx, out->dq, out->dv};
  clear_matrix(m, out->dx), clear_matrix(m, out->dq), clear_matrix(m, out->dv);
  const bool fine = ROWS.inverse(m, &ws->sheet, &rows, &to);
  load_others(m, k, ws, in);
  if (out->y) sheet_forces(m, k, ws, in, &rows, ct, out->y);
  other_slopes(m, k, ws, in, rows.v, out);
  return fine && (loads_of(in) == 0 || !out->dq || set_finite_matrix(m, out->dq));
}

// The packed rows of M, from all of it in the user's order.
KERNEL void pack(const limb_elimination* e, int n, const real* M, real* packed)
{
  for (int k = 0; k < n; k++) {
    const real* row = M + (size_t)e->v[k] * (size_t)n;
    for (int a = k; a >= 0; a = e->parent[a]) packed[e->row[k] + e->depth[a]] = row[e->v[a]];
  }
}

// Forward dynamics with one call: robots of one block whose dofs are the user's, without wrenches or shafts.
KERNEL real forward_block(const limb_model* m, const link_const* k, const limb_ws* ws, const motion_in* in,
                          const slopes* out)
{
  enum { SOME = LIMB_LANES_MOST };
  row_in rows = {.q = in->q, .v = in->v, .base = ws->base, .base_turns = ws->base_turns};
  const row_out to = {out->y ? out->y : ws->a, out->dx, out->dq, out->dv};
  const real* tau = in->x;
  real own[3][SOME];
  if (m->has_actuators) {
    real* lost = ws->tau; // what friction and springs take away
    for (int c = 0; c < m->ncdof; c++) {
      const own_slopes s = own_slopes_of(m, in->terms, c, in->v[c]);
      for (int x = 0; x < 3; x++) own[x][c] = s.x[x];
      lost[c] = zero();
    }
    for (int x = 0; x < 3; x++) rows.slope[x] = own[x];
    load_others(m, k, ws, in);
    add_actuators(m, ws, in->v, no_acceleration(m, ws), in->terms, lost);
    for (int c = 0; c < m->ncdof; c++) lost[c] = sub(in->x[c], lost[c]);
    tau = lost;
  }
  return ROWS.forward_block(m, &ws->sheet, &rows, tau, &to);
}

static real set_fd_derivatives(const limb_model* m, const link_const* k, const limb_ws* ws, const motion_in* in,
                               const slopes* out)
{
  const limb_sheet* s = &ws->sheet;
  const bool one_block = m->nrun == 1 && m->naux == 0 && m->ncdof <= ROWS.lanes;
  if (ROWS.lanes > 1 && one_block && m->identity && loads_of(in) == 0 && m->nshaft == 0)
    return forward_block(m, k, ws, in, out);
  row_in rows = {.q = sheet_coordinates(m, s, in->q),
                 .v = in_compiled_order(m, in->v, ws->v),
                 .base = ws->base,
                 .base_turns = ws->base_turns};
  const row_out to = {ws->force, out->dx, out->dq, out->dv};
  const slopes mass = {NULL, NULL, NULL, out->dx}, by_state = {NULL, out->dq, out->dv, NULL};
  real *a = out->y ? out->y : ws->columns, *packed = limb_ws_packed(m) > 0 ? ws->packed : out->dq;
  clear_matrix(m, out->dx);
  ROWS.bias(m, s, &rows, &to);
  load_others(m, k, ws, in);
  rows.a = no_acceleration(m, ws);
  sheet_forces(m, k, ws, in, &rows, ws->force, a);
  if (m->has_actuators) add_own_to(m, in->terms, rows.v, &mass);
  // a = M^-1 (tau - h)
  pack(&m->elim, m->nv, out->dx, packed);
  const real least = ltl_factor(&m->elim, m->nv, packed, ws->a);
  for (int i = 0; i < m->nv; i++) a[i] = sub(in->x[i], a[i]);
  set_solve(m, ws, packed, a);
  bool fine = ROWS.invert(&m->elim, m->nv, packed, out->dx, s->work);
  clear_matrix(m, out->dq), clear_matrix(m, out->dv);
  ROWS.slopes(m, s, in_compiled_order(m, a, ws->force), &to);
  other_slopes(m, k, ws, in, rows.v, &by_state);
  fine &= ROWS.take_product(m->nv, out->dx, out->dq, s->work);
  fine &= ROWS.take_product(m->nv, out->dx, out->dv, s->work);
  *s->fine = fine;
  return least;
}

static bool set_coriolis_matrix(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,
                                const real* v, limb_slopes kind, real* C)
{
  const row_in rows = {.q = sheet_coordinates(m, &ws->sheet, q), .v = in_compiled_order(m, v, ws->v)};
  const row_out to = {NULL, NULL, NULL, C};
  (void)k;
  clear_matrix(m, C);
  return ROWS.coriolis(m, &ws->sheet, &rows, kind, &to);
}
