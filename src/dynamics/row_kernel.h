// Kernels on the sheet (model/sheet.h), a block of lanes at a time: motions, inertias, columns.
//
// Reference: Singh, Russell, Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial
//            vector algebra, 2022; the body matrix B over particles (linalg/composite_ops.h). Cost O(n).
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
// The Coriolis matrix is made of the same columns with B and sigma halved (see limb_slopes).

// Steps through the columns by blocks of lanes.
#define FOR_BLOCKS(i, n) for (int i = 0; i < (n); i += LANES)

KERNEL cell* column_at(const limb_sheet* s, int i)
{
  return (cell*)s->cell + limb_sheet_at(i, ROW_COUNT);
}

KERNEL const double* given_at(const limb_model* m, int i)
{
  return m->given + limb_sheet_at(i, GIVEN_COUNT);
}

// ---- rows of a block: at is a column, k a row ------------------------------------------------------

KERNEL real get(const cell* at, int k) { return lanes_at(at + (ptrdiff_t)k * LIMB_LANES_MOST); }
KERNEL vec3 get3(const cell* at, int k) { return v3(get(at, k), get(at, k + 1), get(at, k + 2)); }
KERNEL motion get_motion(const cell* at, int k) { return (motion){get3(at, k), get3(at, k + 3)}; }
KERNEL force get_force(const cell* at, int k) { return (force){get3(at, k), get3(at, k + 3)}; }

KERNEL mat3 get_columns(const cell* at, int k)
{
  return columns(get3(at, k), get3(at, k + 3), get3(at, k + 6));
}

KERNEL void set(cell* at, int k, real x) { put_lanes(at + (ptrdiff_t)k * LIMB_LANES_MOST, x); }

KERNEL void set3(cell* at, int k, vec3 x)
{
  set(at, k, x.x), set(at, k + 1, x.y), set(at, k + 2, x.z);
}

KERNEL void set_motion(cell* at, int k, motion x) { set3(at, k, x.w), set3(at, k + 3, x.v); }
KERNEL void set_force(cell* at, int k, force x) { set3(at, k, x.n), set3(at, k + 3, x.f); }

KERNEL real get_given(const double* at, int k)
{
  return given_lanes(at + (ptrdiff_t)k * LIMB_LANES_MOST);
}

KERNEL motion scalem(real k, motion x) { return (motion){scale3(k, x.w), scale3(k, x.v)}; }
KERNEL real dot6(motion S, force F) { return add(dot3(S.w, F.n), dot3(S.v, F.f)); }

// ---- sums along the tree ---------------------------------------------------------------------------

KERNEL cell* entry_at(const limb_sheet* s, int k, int i)
{
  return column_at(s, i) + (ptrdiff_t)k * LIMB_LANES_MOST;
}

// Along a run of links: six rows `sum` become what the parent has (start), plus rows ROW_TERM of all links
// up to here; six rows `before` what the link's own parent has.
KERNEL void sum_along(const limb_sheet* s, const limb_run* run, cell* start, int sum, int before)
{
  const int first = run->dof, end = first + run->end - run->begin;
  for (int i = first / LANES * LANES; i < end; i += LANES) {
    cell* at = column_at(s, i);
    const lane_set of_run = lanes_within(first - i, end - i);
    for (int r = 0; r < 6; r++) {
      const real x = choose(of_run, get(at, ROW_TERM + r), zero());
      const real total = add(sum_up(x), every_lane(start[r]));
      set(at, sum + r, choose(of_run, total, get(at, sum + r)));
      set(at, before + r, choose(of_run, sub(total, x), get(at, before + r)));
      start[r] = lane(total, LANES - 1);
    }
  }
}

// The same for one link of several dofs.
KERNEL void sum_over(const limb_sheet* s, const limb_link* link, const cell* start, int sum,
                     int before)
{
  const int end = link->dof + link->ndof;
  for (int r = 0; r < 6; r++) {
    cell total = start[r];
    for (int i = link->dof; i < end; i++) total = add_cell(total, *entry_at(s, ROW_TERM + r, i));
    for (int i = link->dof; i < end; i++) {
      *entry_at(s, sum + r, i) = total;
      *entry_at(s, before + r, i) = start[r];
    }
  }
}

// Out from the bases: six rows of motions.
KERNEL void sum_out(const limb_model* m, const limb_sheet* s, const cell* base, int sum, int before)
{
  for (int b = 0; b < m->nrun; b++) {
    const limb_run* run = &m->run[b];
    const limb_link* link = &m->link[run->begin];
    cell start[6];
    for (int r = 0; r < 6; r++) {
      start[r] = run->parent < 0 ? base[12 * link->root + r]
                                 : *entry_at(s, sum + r, limb_slot(&m->link[run->parent]));
    }
    if (link->ndof == 1) {
      sum_along(s, run, start, sum, before);
    } else {
      sum_over(s, link, start, sum, before);
    }
  }
}

// Back along a run: rows first .. end - 1 of a link become the sums of those from it on, which go to the
// parent of the run as well.
KERNEL void sum_back_along(const limb_sheet* s, const limb_run* run, int up, int first, int end)
{
  const int begin = run->dof, last = begin + run->end - run->begin - 1;
  const int block = last / LANES * LANES;
  for (int k = first; k < end; k++) {
    cell rest = lane(zero(), 0);
    for (int i = block; i + LANES > begin; i -= LANES) {
      cell* at = column_at(s, i);
      const lane_set of_run = lanes_within(begin - i, last + 1 - i);
      const real own = get(at, k);
      const real total = add(sum_down(choose(of_run, own, zero())), every_lane(rest));
      set(at, k, choose(of_run, total, own));
      rest = lane(total, 0); // there is nothing before the first
    }
    if (up < 0) continue;
    cell* to = entry_at(s, k, up);
    *to = add_cell(*to, rest);
  }
}

// The same for one link of several dofs: all get what its slot has.
KERNEL void sum_back_over(const limb_sheet* s, const limb_link* link, int up, int first, int end)
{
  for (int k = first; k < end; k++) {
    const cell total = *entry_at(s, k, limb_slot(link));
    for (int i = link->dof; i < link->dof + link->ndof; i++) *entry_at(s, k, i) = total;
    if (up < 0) continue;
    cell* to = entry_at(s, k, up);
    *to = add_cell(*to, total);
  }
}

// Each link's own rows become those of its subtree.
KERNEL void sum_back(const limb_model* m, const limb_sheet* s, int first, int end)
{
  for (int b = m->nrun - 1; b >= 0; b--) {
    const limb_run* run = &m->run[b];
    const limb_link* link = &m->link[run->begin];
    const int up = run->parent < 0 ? -1 : limb_slot(&m->link[run->parent]);
    if (link->ndof == 1) {
      sum_back_along(s, run, up, first, end);
    } else {
      sum_back_over(s, link, up, first, end);
    }
  }
}

// ---- motions ---------------------------------------------------------------------------------------

// S, and what its rate adds to velocities
static void row_axes(const limb_model* m, const limb_sheet* s)
{
  FOR_BLOCKS(i, m->ncdof)
  {
    cell* at = column_at(s, i);
    const vec3 u = get3(at, ROW_R + 6), p = get3(at, ROW_P);
    motion S = {u, cross3(p, u)};
    if (m->mixed) {
      const double* given = given_at(m, i);
      const real turns = get_given(given, GIVEN_TURN), slides = get_given(given, GIVEN_SLIDE);
      S = (motion){scale3(turns, u), add3(scale3(turns, S.v), scale3(slides, u))};
    }
    set_motion(at, ROW_S, S);
    set_motion(at, ROW_TERM, scalem(get(at, ROW_RATE), S));
  }
}

// sigma, for what is to be made of it
KERNEL motion sigma_of(limb_slopes kind, motion psi, motion rate)
{
  if (kind == SLOPES_FORCE) return addm(psi, rate);
  if (kind == SLOPES_SKEW) return rate;
  return scalem(number(constant(0.5)), addm(psi, rate));
}

// v, psi, sigma
static void row_velocities(const limb_model* m, const limb_sheet* s, limb_slopes kind)
{
  row_axes(m, s);
  sum_out(m, s, s->base, ROW_V, ROW_VP);
  FOR_BLOCKS(i, m->ncdof)
  {
    cell* at = column_at(s, i);
    const motion S = get_motion(at, ROW_S), psi = crossm(get_motion(at, ROW_VP), S);
    const motion rate = m->naux > 0 ? crossm(get_motion(at, ROW_V), S) : psi; // one dof: equal
    set_motion(at, ROW_PSI, psi);
    set_motion(at, ROW_SIGMA, sigma_of(kind, psi, rate));
  }
}

// a, psidot
static void row_accelerations(const limb_model* m, const limb_sheet* s)
{
  FOR_BLOCKS(i, m->ncdof)
  {
    cell* at = column_at(s, i);
    const motion by_rate = scalem(get(at, ROW_RATE), get_motion(at, ROW_PSI));
    set_motion(at, ROW_TERM, addm(by_rate, scalem(get(at, ROW_ACC), get_motion(at, ROW_S))));
  }
  sum_out(m, s, (const cell*)s->base + 6, ROW_A, ROW_AP);
  FOR_BLOCKS(i, m->ncdof)
  {
    cell* at = column_at(s, i);
    const motion by_acc = crossm(get_motion(at, ROW_AP), get_motion(at, ROW_S));
    set_motion(at, ROW_PSIDOT,
               addm(by_acc, crossm(get_motion(at, ROW_VP), get_motion(at, ROW_PSI))));
  }
}

// ---- inertias --------------------------------------------------------------------------------------

KERNEL composite own_inertia(const limb_model* m, const cell* at, int i)
{
  const double* given = given_at(m, i);
  real y[10];
  for (int k = 0; k < 10; k++) y[k] = get_given(given, GIVEN_MOMENTS + k);
  const composite C = {y[0], v3(y[1], y[2], y[3]), {y[4], y[5], y[6], y[7], y[8], y[9]}};
  return composite_at(get_columns(at, ROW_R), get3(at, ROW_P), C);
}

KERNEL void set_inertia(cell* at, composite C)
{
  set3(at, ROW_H, C.h);
  set3(at, ROW_J, v3(C.J.xx, C.J.xy, C.J.xz));
  set3(at, ROW_J + 3, v3(C.J.yy, C.J.yz, C.J.zz));
}

KERNEL void set_drift(cell* at, drift D)
{
  set3(at, ROW_DRIFT_P, D.P);
  set3(at, ROW_DRIFT_K, column_x(D.K));
  set3(at, ROW_DRIFT_K + 3, column_y(D.K));
  set3(at, ROW_DRIFT_K + 6, column_z(D.K));
}

// I, B of the subtrees; with accelerations f as well
static void row_bodies(const limb_model* m, const limb_sheet* s, bool forces)
{
  FOR_BLOCKS(i, m->ncdof)
  {
    cell* at = column_at(s, i);
    const composite C = own_inertia(m, at, i);
    const motion v = get_motion(at, ROW_V);
    const drift D = drift_of(C, v);
    set_inertia(at, C);
    set_drift(at, D);
    if (forces) set_force(at, ROW_F, force_of(C, D, v, get_motion(at, ROW_A)));
  }
  sum_back(m, s, ROW_H, forces ? ROW_F + 6 : ROW_F);
}

// f of the subtrees once more, after the accelerations have changed
static void row_forces(const limb_model* m, const limb_sheet* s)
{
  FOR_BLOCKS(i, m->ncdof)
  {
    cell* at = column_at(s, i);
    const composite C = own_inertia(m, at, i);
    const motion v = get_motion(at, ROW_V);
    set_force(at, ROW_F, force_of(C, drift_of(C, v), v, get_motion(at, ROW_A)));
  }
  sum_back(m, s, ROW_F, ROW_F + 6);
}

// ---- columns ---------------------------------------------------------------------------------------

KERNEL composite carried_inertia(const limb_model* m, const cell* at, int i)
{
  const vec3 x = get3(at, ROW_J), y = get3(at, ROW_J + 3);
  return (composite){
    get_given(given_at(m, i), GIVEN_MASS), get3(at, ROW_H), {x.x, x.y, x.z, y.x, y.y, y.z}};
}

KERNEL drift carried_drift(const cell* at)
{
  return (drift){get3(at, ROW_DRIFT_P), get_columns(at, ROW_DRIFT_K)};
}

KERNEL force kscalef(par k, force x) { return (force){kscale3(k, x.n), kscale3(k, x.f)}; }

// T1, T3, T4: what M and d tau / d v need
static void row_columns_v(const limb_model* m, const limb_sheet* s, limb_slopes kind)
{
  const par share = constant(kind == SLOPES_FORCE ? 2 : 1);
  FOR_BLOCKS(i, m->ncdof)
  {
    cell* at = column_at(s, i);
    const composite C = carried_inertia(m, at, i);
    const drift D = carried_drift(at);
    const motion S = get_motion(at, ROW_S), sigma = get_motion(at, ROW_SIGMA);
    set_force(at, ROW_T1, inertia_times(C, S));
    set_force(at, ROW_T3, addf(kscalef(share, drift_times(D, S)), inertia_times(C, sigma)));
    set3(at, ROW_T4, kscale3(share, drift_transposed_times(D, S)));
  }
}

// T2: what d tau / d q needs besides
static void row_columns_q(const limb_model* m, const limb_sheet* s)
{
  FOR_BLOCKS(i, m->ncdof)
  {
    cell* at = column_at(s, i);
    const force coriolis =
      kscalef(constant(2), drift_times(carried_drift(at), get_motion(at, ROW_PSI)));
    const force inertial = inertia_times(carried_inertia(m, at, i), get_motion(at, ROW_PSIDOT));
    const force turned = crossf(get_motion(at, ROW_S), get_force(at, ROW_F));
    set_force(at, ROW_T2, addf(addf(coriolis, inertial), turned));
  }
}

// tau = S' f
static void row_tau(const limb_model* m, const limb_sheet* s)
{
  FOR_BLOCKS(i, m->ncdof)
  {
    cell* at = column_at(s, i);
    set(at, ROW_TAU, dot6(get_motion(at, ROW_S), get_force(at, ROW_F)));
  }
}
