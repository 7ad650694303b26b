// Second derivatives of inverse dynamics: all tensors in closed form, over pairs and triples of dofs on one path.
//
// Reference: Singh, Russell, Wensing, Second-order analytical derivatives of rigid-body dynamics, 2022; here with the
//            body matrix B over particles (kernel/inertia.h), which makes vectors of most of their matrices.
// Cost:      O(n depth) for vectors, 7 for each pair (r, j) on one path; O(n depth^2) for entries, one product of two
//            vectors each; n^3 to write zeros.
//
// All on the dof table, in the axes of the root link. An entry is not zero only if its three dofs are on one path, and
// then it is about what the deepest one, r, carries, which moves as one body with every dof of the path. Let
// delta_j x = dx/dq_j - S_j x x be the change that is seen from there. For j above r or on its link (ROW_* otherwise):
//
//   delta_j v = psi_j      delta_j a = psidot_j - v x psi_j
//   delta_j S_k = 0, delta_j psi_k = psi_j x S_k, delta_j psidot_k = psidot_j x S_k + 2 psi_j x psi_k
//                                            if k is on the link of j or behind it; otherwise -S_j x S_k and so on
//
// With B(x) for the matrix B of what r carries when it moves by x, I and B those of the state, and the rates
//
//   I' = S_r x* I - I S_r x     B' = S_r x* B - B S_r x + B(psi_r)         mass zero; both made of few numbers
//   U_j = 2 B' psi_j + I' psidot_j      Y_j = S_j x* T2_r          W_j = 2 B' S_j + I' sigma_j
//   Z_j = 2 B(S_r) psi_j                X_j = S_j x* T3_r          R_j = I' S_j           N_j = 2 B(S_r) S_j
//   g_j = S_j x* T1_r      h_j = S_j x* T4_r - 2 B(S_r)' psi_j     m_j = -2 B(S_r)' S_j
//
// the entries [i][j][k] by x_j and y_k are: i above r, d2tau_i by r and another,
//
//   q_r q_j   S_i' U_j, + S_i' Y_j if j is below i      v_r v_j   S_i' N_j
//   q_j v_r   S_i' Z_j, + S_i' X_j if j is below i      q_r v_j   S_i' W_j
//   q_j a_r   g_j' S_i if j is below i, else 0          q_r a_j   S_i' R_j
//
// and i = r, for s above d or on its link,
//
//   q_d q_s   g_d' psidot_s + h_d' psi_s                v_d v_s   m_d' S_s
//   q_s v_d   m_d' psi_s                                q_d v_s   g_d' sigma_s + h_d' S_s, not of one link
//   q_s a_d   0                                         q_d a_s   g_d' S_s, not of one link
//
// v_d v_s of one link with several dofs is half of that, and half of the same with d and s changed over.
#ifndef LIMB_KERNEL_SECOND_KERNEL_H
#define LIMB_KERNEL_SECOND_KERNEL_H

#include "kernel/lane_columns_kernel.h"

enum {              // rows of a table with a column per dof
  RATE_OWN = 0,     // 12: B(S)
  RATE_TURNED = 12, // 12: B'
  RATE_COUNT = 24
};

enum { // rows of a table with a column per place on the path
  PATH_S = 0,
  PATH_PSI = 6,
  PATH_PSIDOT = 12,
  PATH_SIGMA = 18,
  PATH_U = 24,
  PATH_UY = 30,
  PATH_W = 36,
  PATH_Z = 42,
  PATH_ZX = 48,
  PATH_R = 54,
  PATH_N = 60,
  PATH_G = 66,
  PATH_H = 72, // 3
  PATH_M = 75, // 3
  PATH_COUNT = 78
};

_Static_assert((int)RATE_COUNT + (int)PATH_COUNT == (int)LIMB_SECOND_CELLS, "the work of second_out holds both");

// The way from the root to a link, dof by dof.
typedef struct path {
  const limb_model* m;
  cell* cells;  // of PATH_COUNT rows
  int* v;       // of a place: the user's velocity
  int* start;   // of a place: that of the first dof of its link
  int* end;     // and the place behind the last one
  int* of_link; // of a link: place of its first dof
  int length;   // up to the link that it leads to, this included
  int above;    // places above that link
} path;

KERNEL path path_in(const limb_model* m, const second_out* out)
{
  const ptrdiff_t n = m->ncdof;
  return (path){m,
                out->work + RATE_COUNT * limb_second_columns(m),
                out->path,
                out->path + n,
                out->path + 2 * n,
                out->path + 3 * n,
                0,
                0};
}

KERNEL cell* place_at(const path* p, int i) { return p->cells + table_column(i, PATH_COUNT); }

KERNEL cell* rates_at(const second_out* out, int i) { return out->work + table_column(i, RATE_COUNT); }

// ---- rates --------------------------------------------------------------------------------------------------

KERNEL void set_drift_at(cell* at, int k, drift D)
{
  set3(at, k, D.P);
  set3(at, k + 3, column_x(D.K)), set3(at, k + 6, column_y(D.K)), set3(at, k + 9, column_z(D.K));
}

// B' from B, B(psi) and S: P' = w x P + P(psi),  K' = [w] K - K [w] + P v' + K(psi)
KERNEL drift drift_rate(drift D, drift by_psi, motion S)
{
  const mat3 left = columns(cross3(S.w, column_x(D.K)), cross3(S.w, column_y(D.K)), cross3(S.w, column_z(D.K)));
  const mat3 right = rows(cross3(S.w, row_x(D.K)), cross3(S.w, row_y(D.K)), cross3(S.w, row_z(D.K)));
  const mat3 across = columns(scale3(S.v.x, D.P), scale3(S.v.y, D.P), scale3(S.v.z, D.P));
  return (drift){add3(cross3(S.w, D.P), by_psi.P), addM(addM(left, right), addM(across, by_psi.K))};
}

KERNEL void lane_second_rates(const table* t, const second_out* out)
{
  FOR_BLOCKS(i, t)
  {
    const cell* at = column_at(t, i);
    const motion S = get_motion(at, ROW_S);
    const composite C = carried_inertia(t, at, i);
    set_drift_at(rates_at(out, i), RATE_OWN, drift_of(C, S));
    set_drift_at(rates_at(out, i), RATE_TURNED, drift_rate(carried_drift(at), drift_of(C, get_motion(at, ROW_PSI)), S));
  }
}

// ---- pairs: the vectors of the deepest dof with all on its path ---------------------------------------------------

// Of the deepest dof, in all lanes.
typedef struct deepest {
  force T1, T2, T3;
  vec3 T4;
  drift own, turned;
  composite moved; // I'
} deepest;

KERNEL force force_spread(const table* t, int row, int i)
{
  return (force){entry3_spread(t, row, i), entry3_spread(t, row + 3, i)};
}

KERNEL drift drift_spread(const cell* at, int k)
{
  real x[12];
  for (int r = 0; r < 12; r++) x[r] = every_lane(at[(ptrdiff_t)(k + r) * APART]);
  return (drift){v3(x[0], x[1], x[2]), columns(v3(x[3], x[4], x[5]), v3(x[6], x[7], x[8]), v3(x[9], x[10], x[11]))};
}

KERNEL composite moved_of(drift own) // I', of B(S): first moments P, second ones K + K'
{
  const mat3 K = own.K;
  const sym3 J = {add(K.xx, K.xx), add(K.xy, K.yx), add(K.xz, K.zx), add(K.yy, K.yy), add(K.yz, K.zy), add(K.zz, K.zz)};
  return (composite){zero(), own.P, J};
}

KERNEL deepest deepest_of(const table* t, const second_out* out, int r)
{
  const drift own = drift_spread(rates_at(out, r), RATE_OWN), turned = drift_spread(rates_at(out, r), RATE_TURNED);
  return (deepest){force_spread(t, ROW_T1, r),
                   force_spread(t, ROW_T2, r),
                   force_spread(t, ROW_T3, r),
                   entry3_spread(t, ROW_T4, r),
                   own,
                   turned,
                   moved_of(own)};
}

KERNEL force twice_drift(drift D, motion x) { return kscalef(constant(2), drift_times(D, x)); }
KERNEL vec3 twice_back(drift D, motion x) { return kscale3(constant(2), drift_transposed_times(D, x)); }

KERNEL void lane_pairs(const path* p, const deepest* r)
{
  for (int b = 0; b < p->length; b += LANES) {
    cell* at = place_at(p, b);
    const motion S = get_motion(at, PATH_S), psi = get_motion(at, PATH_PSI);
    const force U = addf(twice_drift(r->turned, psi), inertia_times(r->moved, get_motion(at, PATH_PSIDOT)));
    const force Z = twice_drift(r->own, psi);
    set_force(at, PATH_U, U), set_force(at, PATH_UY, addf(U, crossf(S, r->T2)));
    set_force(at, PATH_Z, Z), set_force(at, PATH_ZX, addf(Z, crossf(S, r->T3)));
    set_force(at, PATH_W, addf(twice_drift(r->turned, S), inertia_times(r->moved, get_motion(at, PATH_SIGMA))));
    set_force(at, PATH_R, inertia_times(r->moved, S));
    set_force(at, PATH_N, twice_drift(r->own, S));
    set_force(at, PATH_G, crossf(S, r->T1));
    set3(at, PATH_H, sub3(cross3(S.w, r->T4), twice_back(r->own, psi)));
    set3(at, PATH_M, sub3(zero3(), twice_back(r->own, S)));
  }
}

// ---- triples ------------------------------------------------------------------------------------------------------

KERNEL motion motion_spread(const cell* at, int k)
{
  real x[6];
  for (int r = 0; r < 6; r++) x[r] = every_lane(at[(ptrdiff_t)(k + r) * APART]);
  return (motion){v3(x[0], x[1], x[2]), v3(x[3], x[4], x[5])};
}

KERNEL vec3 vec3_spread(const cell* at, int k)
{
  const ptrdiff_t wide = APART;
  return v3(every_lane(at[k * wide]), every_lane(at[(k + 1) * wide]), every_lane(at[(k + 2) * wide]));
}

// Lanes of a block of places, by where they go: entries [i][a][j] of a row, and [i][j][a] of a column, for all
// places j of the block below `end`.
KERNEL void put_row_of(const path* p, cell* T, int i, int a, int b, int end, const cell* x)
{
  const ptrdiff_t n = p->m->nv;
  cell* row = T + ((ptrdiff_t)i * n + a) * n;
  for (int j = b; j < end && j < b + LANES; j++) row[p->v[j]] = x[j - b];
}

KERNEL void put_column_of(const path* p, cell* T, int i, int a, int b, int end, const cell* x)
{
  const ptrdiff_t n = p->m->nv;
  cell* column = T + (ptrdiff_t)i * n * n + a;
  for (int j = b; j < end && j < b + LANES; j++) column[p->v[j] * n] = x[j - b];
}

// Both of a symmetric tensor, and halves of the entries whose dofs j and a belong to one link, which come twice.
KERNEL void put_symmetric(const path* p, cell* T, int i, int a, int b, int above, int end, const cell* x)
{
  const ptrdiff_t n = p->m->nv;
  put_row_of(p, T, i, a, b, above, x);
  put_column_of(p, T, i, a, b, above, x);
  for (int j = b > above ? b : above; j < end && j < b + LANES; j++) {
    const cell half = scale_cell(constant(0.5), x[j - b]);
    cell *one_half = T + ((ptrdiff_t)i * n + a) * n + p->v[j], *other_half = T + ((ptrdiff_t)i * n + p->v[j]) * n + a;
    *one_half = add_cell(*one_half, half);
    *other_half = add_cell(*other_half, half);
  }
}

// d2 tau_i by the deepest dof and another, in a block of places, for place i above.
KERNEL real entries_above(const path* p, const second_out* out, int i, int r, int b)
{
  const cell* at = place_at(p, b);
  const motion S = motion_spread(place_at(p, i), PATH_S);
  const lane_set below = lanes_within(p->end[i] - b, p->length - b);
  const int v = p->v[i], first = p->end[i] > b ? p->end[i] : b;
  real sum = zero();
  cell x[LANES];
  if (out->dqdq) {
    const real y = choose(below, dot6(S, get_force(at, PATH_UY)), dot6(S, get_force(at, PATH_U)));
    put_lanes(x, y), sum = add(sum, y);
    put_row_of(p, out->dqdq, v, r, b, p->length, x);
    put_column_of(p, out->dqdq, v, r, b, p->above, x);
  }
  if (out->dqdv) {
    const real y = choose(below, dot6(S, get_force(at, PATH_ZX)), dot6(S, get_force(at, PATH_Z)));
    const real z = dot6(S, get_force(at, PATH_W));
    put_lanes(x, y), sum = add(sum, y);
    put_column_of(p, out->dqdv, v, r, b, p->length, x);
    put_lanes(x, z), sum = add(sum, z);
    put_row_of(p, out->dqdv, v, r, b, p->above, x);
  }
  if (out->dvdv) {
    const real y = dot6(S, get_force(at, PATH_N));
    put_lanes(x, y), sum = add(sum, y);
    put_symmetric(p, out->dvdv, v, r, b, p->above, p->length, x);
  }
  if (out->dqdx) {
    put_lanes(x, dot6(S, get_force(at, PATH_R)));
    put_row_of(p, out->dqdx, v, r, b, p->above, x);
    put_lanes(x, dot6(S, get_force(at, PATH_G)));
    if (first < b + LANES)
      put_column_of(p, out->dqdx, v, r, first, p->length < b + LANES ? p->length : b + LANES, x + first - b);
  }
  return sum;
}

// d2 tau_r of the deepest dof, by place d and those above it or on its link, in a block of places.
KERNEL real entries_of_deepest(const path* p, const second_out* out, int d, int r, int b)
{
  const cell *at = place_at(p, b), *of = place_at(p, d);
  const motion g = motion_spread(of, PATH_G), S = get_motion(at, PATH_S);
  const force G = {g.w, g.v};
  const vec3 h = vec3_spread(of, PATH_H), m = vec3_spread(of, PATH_M), psi = get3(at, PATH_PSI);
  const int v = p->v[d], above = p->start[d], end = p->end[d];
  real sum = zero();
  cell x[LANES];
  if (out->dqdq) {
    const real y = add(dot6(get_motion(at, PATH_PSIDOT), G), dot3(psi, h));
    put_lanes(x, y), sum = add(sum, y);
    put_row_of(p, out->dqdq, r, v, b, end, x);
    put_column_of(p, out->dqdq, r, v, b, above, x);
  }
  if (out->dqdv) {
    const real y = dot3(psi, m), z = add(dot6(get_motion(at, PATH_SIGMA), G), dot3(S.w, h));
    put_lanes(x, y), sum = add(sum, y);
    put_column_of(p, out->dqdv, r, v, b, end, x);
    put_lanes(x, z), sum = add(sum, z);
    put_row_of(p, out->dqdv, r, v, b, above, x);
  }
  if (out->dvdv) {
    const real y = dot3(S.w, m);
    put_lanes(x, y), sum = add(sum, y);
    put_symmetric(p, out->dvdv, r, v, b, above, end, x);
  }
  if (out->dqdx) {
    put_lanes(x, dot6(S, G));
    put_row_of(p, out->dqdx, r, v, b, above, x);
  }
  return sum;
}

// ---- the whole ------------------------------------------------------------------------------------------------------

// Adds a link's dofs at the end of the path to its parent.
KERNEL void go_to_link(const table* t, path* p, int l)
{
  const limb_link* link = &t->m->link[l];
  const int up = link->parent;
  p->above = up < 0 ? 0 : p->of_link[up] + t->m->link[up].ndof;
  p->length = p->above + link->ndof;
  p->of_link[l] = p->above;
  for (int k = 0; k < link->ndof; k++) {
    const int i = p->above + k, c = link->dof + k;
    cell* to = place_at(p, i);
    p->v[i] = t->m->dof[c].v, p->start[i] = p->above, p->end[i] = p->length;
    for (int r = 0; r < 6; r++) {
      const ptrdiff_t row = (ptrdiff_t)r * APART, wide = 6 * (ptrdiff_t)APART;
      const cell psi = *entry_at(t, ROW_PSI + r, c);
      to[row] = *entry_at(t, ROW_S + r, c);
      to[row + wide] = psi;
      to[row + 2 * wide] = *entry_at(t, ROW_PSIDOT + r, c);
      to[row + 3 * wide] = has_sigma(t) ? *entry_at(t, ROW_SIGMA + r, c) : scale_cell(constant(2), psi);
    }
  }
}

// The dof table with all columns, and the rates.
KERNEL_ONCE void lane_columns(const limb_model* m, const limb_dof_table* s, const lane_in* in, const second_out* out)
{
  const table t = table_of(m, s, FORM_TREE);
  const path p = path_in(m, out);
  memset(p.cells, 0, (size_t)(PATH_COUNT * limb_second_columns(m)) * sizeof *p.cells); // lanes behind the end are read
  lane_dynamics(&t, in);
  lane_columns_m(&t);
  lane_columns_v(&t, SLOPES_FORCE);
  lane_forces(&t);
  lane_columns_q(&t);
  lane_second_rates(&t, out);
}

// All tensors that are wanted, in the user's order; without mimic joints, actuators and wrenches. False: something is
// not finite.
KERNEL_ENTRY bool lane_second(const limb_model* m, const limb_dof_table* s, const lane_in* in, const second_out* out)
{
  const table t = table_of(m, s, FORM_TREE);
  const size_t n = (size_t)m->nv, bytes = n * n * n * sizeof(cell);
  cell* const to[4] = {out->dqdq, out->dqdv, out->dvdv, out->dqdx};
  for (int k = 0; k < 4; k++)
    if (to[k]) memset(to[k], 0, bytes);
  path p = path_in(m, out);
  real sum = zero();
  lane_columns(m, s, in, out);
  for (int l = 0; l < m->nlink; l++) {
    go_to_link(&t, &p, l);
    for (int c = m->link[l].dof; c < end_of_dofs(&m->link[l]); c++) {
      const int r = m->dof[c].v;
      const deepest own = deepest_of(&t, out, c);
      lane_pairs(&p, &own);
      for (int i = 0; i < p.above; i++)
        for (int b = 0; b < p.length; b += LANES) sum = add(sum, entries_above(&p, out, i, r, b));
      for (int d = 0; d < p.length; d++)
        for (int b = 0; b < p.end[d]; b += LANES) sum = add(sum, entries_of_deepest(&p, out, d, r, b));
    }
  }
  return finite_lanes(sum);
}

#endif
