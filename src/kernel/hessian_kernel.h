// Hessians of lambda' tau of inverse dynamics: sums of the tensors of kernel/second_kernel.h, without the tensors.
//
// Reference: the entries there (Singh, Russell, Wensing 2022), added up over i.
// Cost:      O(n depth), as first derivatives.
//
// Entries with i above the deepest dof r have a factor S_i: their sum has A, that of lambda_i S_i over all dofs above
// the link of r. Entries with i = r are linear in what r carries: they are summed over all r behind a dof d and on its
// link, and the pairs are then those of d. Of dof r, with B, I', B' and T1 ... T4 as there and sums over the subtree
//
//   G1 = sum of lambda T1     G4 = sum of lambda T4     D = sum of lambda B(S)
//
//   a = 2 B'' A + S x G4 - 2 D' psi      F = I' A + S x* G1      b = 2 B(S)' A - 2 D' S      K = A x S
//
// where B'' is the transpose of B'. For all pairs (r, j), j above r or on its link, and a and b moments only,
//
//   qq_rj = a' psi_j + F' psidot_j + K_j' T2_r    and qq_jr, if j is above
//   qv_jr = b' psi_j + K_j' T3_r                  qv_rj = a' S_j + F' sigma_j    if j is above
//   vv_rj = vv_jr = b' S_j                        halves of one link, which come twice
//   qa_jr = K_j' T1_r                             qa_rj = F' S_j                 if j is above
#ifndef LIMB_KERNEL_HESSIAN_KERNEL_H
#define LIMB_KERNEL_HESSIAN_KERNEL_H

#include "kernel/second_kernel.h"

enum { // rows of the dof table that are free by then
  ROW_WEIGHT = ROW_AP,
  ROW_WEIGHT_OF_ONE = ROW_AP + 1, // zero on links of several dofs
  ROW_G1 = ROW_H,
  ROW_G4 = ROW_H + 6,
  ROW_SUM_A = ROW_OWN,
  ROW_SUM_B = ROW_OWN + 3,
  ROW_SUM_F = ROW_F,
  ROW_K = ROW_A,
  PATH_K = PATH_U // of a path
};

_Static_assert(ROW_G4 + 3 == (int)ROW_DRIFT_P && ROW_DRIFT_P + 12 == (int)ROW_F, "what is summed over subtrees");

KERNEL drift scale_drift(real k, drift D)
{
  const mat3 K = D.K;
  return (drift){scale3(k, D.P), columns(scale3(k, column_x(K)), scale3(k, column_y(K)), scale3(k, column_z(K)))};
}

KERNEL drift get_drift_at(const cell* at, int k)
{
  return (drift){get3(at, k), columns(get3(at, k + 3), get3(at, k + 6), get3(at, k + 9))};
}

// What is summed: lambda S outwards, lambda (T1, T4, B(S)) backwards, of links in their slots.
KERNEL void put_weighted(const table* t, const second_out* out, const cell* lambda)
{
  const limb_model* m = t->m;
  for (int l = 0; l < m->nlink; l++) {
    for (int c = m->link[l].dof; c < end_of_dofs(&m->link[l]); c++) {
      *entry_at(t, ROW_WEIGHT, c) = lambda[m->dof[c].v];
      *entry_at(t, ROW_WEIGHT_OF_ONE, c) = m->link[l].ndof == 1 ? lambda[m->dof[c].v] : lane(zero(), 0);
    }
  }
  FOR_BLOCKS(i, t)
  {
    cell* at = column_at(t, i);
    const real weight = get(at, ROW_WEIGHT);
    const force T1 = get_force(at, ROW_T1);
    set_motion(at, ROW_V, scalem(weight, get_motion(at, ROW_S)));
    set_force(at, ROW_G1, (force){scale3(weight, T1.n), scale3(weight, T1.f)});
    set3(at, ROW_G4, scale3(weight, get3(at, ROW_T4)));
    set_drift(at, scale_drift(weight, get_drift_at(rates_at(out, i), RATE_OWN)));
  }
  for (int l = 0; l < m->nlink; l++) {
    const limb_link* link = &m->link[l];
    const int slot = limb_slot(link);
    for (int c = link->dof; c < end_of_dofs(link); c++) {
      for (int r = ROW_G1; r < ROW_F && c != slot; r++)
        *entry_at(t, r, slot) = add_cell(*entry_at(t, r, slot), *entry_at(t, r, c));
    }
  }
}

// a, F, b, K
KERNEL void lane_sums(const table* t, const second_out* out)
{
  FOR_BLOCKS(i, t)
  {
    cell* at = column_at(t, i);
    const motion S = get_motion(at, ROW_S), psi = get_motion(at, ROW_PSI);
    const motion up = scalem(get(at, ROW_WEIGHT_OF_ONE), S), all = get_motion(at, has_sigma(t) ? ROW_VP : ROW_V);
    const motion A = {sub3(all.w, up.w), sub3(all.v, up.v)};
    const drift own = get_drift_at(rates_at(out, i), RATE_OWN), turned = get_drift_at(rates_at(out, i), RATE_TURNED);
    const drift D = carried_drift(at);
    const vec3 h = sub3(cross3(S.w, get3(at, ROW_G4)), twice_back(D, psi));
    const force F = addf(inertia_times(moved_of(own), A), crossf(S, get_force(at, ROW_G1)));
    set3(at, ROW_SUM_A, add3(twice_back(turned, A), h));
    set3(at, ROW_SUM_B, sub3(twice_back(own, A), twice_back(D, S)));
    set_force(at, ROW_SUM_F, F);
    set_motion(at, ROW_K, crossm(A, S));
  }
}

// Entries [r][j] and [j][r] of a Hessian, for the places j of a block below two ends.
KERNEL_ONCE void put_entries(const path* p, cell* H, int r, int b, const int end[2], const cell* by_row,
                             const cell* by_column)
{
  put_row_of(p, H, 0, r, b, end[0], by_row);
  put_column_of(p, H, 0, r, b, end[1], by_column);
}

// Row and column r of the Hessians, in a block of places.
KERNEL real hessian_entries(const table* t, const path* p, const second_out* out, int c, int b)
{
  const cell* at = place_at(p, b);
  const vec3 a = entry3_spread(t, ROW_SUM_A, c), f = entry3_spread(t, ROW_SUM_B, c);
  const force F = force_spread(t, ROW_SUM_F, c);
  const motion S = get_motion(at, PATH_S), psi = get_motion(at, PATH_PSI), K = get_motion(at, PATH_K);
  const int r = t->m->dof[c].v;
  const int all_above[2] = {p->length, p->above}, above_all[2] = {p->above, p->length};
  real sum = zero();
  cell x[LANES], z[LANES];
  if (out->dqdq) {
    const real y = add(add(dot3(psi.w, a), dot6(get_motion(at, PATH_PSIDOT), F)), dot6(K, force_spread(t, ROW_T2, c)));
    put_lanes(x, y), sum = add(sum, y);
    put_entries(p, out->dqdq, r, b, all_above, x, x);
  }
  if (out->dqdv) {
    const real y = add(dot3(psi.w, f), dot6(K, force_spread(t, ROW_T3, c)));
    const real w = add(dot3(S.w, a), dot6(get_motion(at, PATH_SIGMA), F));
    put_lanes(x, w), put_lanes(z, y), sum = add(sum, add(y, w));
    put_entries(p, out->dqdv, r, b, above_all, x, z);
  }
  if (out->dvdv) {
    const real y = dot3(S.w, f);
    put_lanes(x, y), sum = add(sum, y);
    put_symmetric(p, out->dvdv, 0, r, b, p->above, p->length, x);
  }
  if (out->dqdx) {
    const real y = dot6(K, force_spread(t, ROW_T1, c)), w = dot6(S, F);
    put_lanes(x, w), put_lanes(z, y), sum = add(sum, add(y, w));
    put_entries(p, out->dqdx, r, b, above_all, x, z);
  }
  return sum;
}

// All Hessians that are wanted, nv x nv, as lane_second. False: something is not finite.
KERNEL_ENTRY bool lane_hessian(const limb_model* m, const limb_dof_table* s, const lane_in* in, const cell* lambda,
                               const second_out* out)
{
  const table t = table_of(m, s, FORM_TREE);
  const size_t n = (size_t)m->nv;
  cell* const to[4] = {out->dqdq, out->dqdv, out->dvdv, out->dqdx};
  for (int k = 0; k < 4; k++)
    if (to[k]) memset(to[k], 0, n * n * sizeof(cell));
  path p = path_in(m, out);
  real sum = zero();
  lane_columns(m, s, in, out);
  put_weighted(&t, out, lambda);
  sum_out(&t, NULL, ROW_V, ROW_VP);
  sum_back(&t, ROW_G1, ROW_F);
  lane_sums(&t, out);
  for (int l = 0; l < m->nlink; l++) {
    go_to_link(&t, &p, l);
    for (int i = p.above; i < p.length; i++) {
      cell* K = place_at(&p, i) + (ptrdiff_t)PATH_K * APART;
      for (int r = 0; r < 6; r++) K[(ptrdiff_t)r * APART] = *entry_at(&t, ROW_K + r, m->link[l].dof + i - p.above);
    }
    for (int c = m->link[l].dof; c < end_of_dofs(&m->link[l]); c++)
      for (int b = 0; b < p.length; b += LANES) sum = add(sum, hessian_entries(&t, &p, out, c, b));
  }
  return finite_lanes(sum);
}

#endif
