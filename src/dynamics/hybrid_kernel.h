// Hybrid dynamics: of every degree of freedom the force or the acceleration is given.
//
// Reference: Featherstone 2008, section 9.2 and tables 9.1, 9.3. With f for force-given, g for the others,
//
//   articulated bodies   one sweep with marks (aba_kernel.h)                               O(nlink)
//   mass matrix          M_ff a_f = tau_f - (M_fg a_g + h_f),  then tau_g = inverse dynamics of a
//
// Vectors are in the user's order. A force-given coordinate that several joints follow needs the second
// form: their forces are not known apart.

static real set_hybrid(const limb_model* m, const link_const* k, const limb_ws* ws, const hybrid_in* in, real* a,
                       real* tau)
{
  load_coordinates(m, k, ws, in->q);
  const real* cv = in_compiled_order(m, in->v, ws->v);
  const real* lost = lost_forces(m, ws, cv, in->terms);
  unsigned char* given = ws->given;
  real *x = ws->tau, *felt = ws->columns, *ca = ws->a;
  for (int c = 0; c < m->ncdof; c++) {
    const limb_dof* dof = &m->dof[c];
    given[c] = in->given[dof->v];
    x[c] = in->x[dof->v];
    if (given[c]) x[c] = scale(parameter(dof->mult), x[c]);
    if (!given[c] && lost) x[c] = sub(x[c], lost[c]);
  }
  const marks s = {given, x, felt};
  const real least = articulated_passes(m, k, ws, cv, in->wrench, &s, ca);
  for (int v = 0; v < m->nv; v++) {
    a[v] = in->x[v];
    tau[v] = in->given[v] ? zero() : in->x[v];
  }
  for (int c = 0; c < m->ncdof; c++) {
    const limb_dof* dof = &m->dof[c];
    if (!given[c]) {
      a[dof->v] = ca[c];
    } else {
      if (lost) felt[c] = kmadd(add(felt[c], lost[c]), parameter(m->actuator[c].rotor), ca[c]);
      tau[dof->v] = add(tau[dof->v], scale(parameter(dof->mult), felt[c]));
    }
  }
  return least;
}

// Rows and columns of M that are given become those of a multiple of the unit matrix: the factors are those
// of M_ff. The multiple is of the size of M, so that pivots of M_ff that are rounding are seen beside it; it
// is never zero.
KERNEL void keep_force_given(const limb_elimination* e, int n, const unsigned char* given, real* packed)
{
  real size = number(constant(1e-30));
  for (int k = 0; k < n; k++) size = add(size, packed[e->row[k] + e->depth[k]]);
  for (int k = 0; k < n; k++) {
    real* row = packed + e->row[k];
    const bool gone = given[e->v[k]];
    for (int a = e->parent[k]; a >= 0; a = e->parent[a]) {
      if (gone || given[e->v[a]]) row[e->depth[a]] = zero();
    }
    if (gone) row[e->depth[k]] = size;
  }
}

static real set_hybrid_by_mass_matrix(const limb_model* m, const link_const* k, const limb_ws* ws, const hybrid_in* in,
                                      real* packed, real* a, real* tau)
{
  load_coordinates(m, k, ws, in->q);
  put_packed_rows(m, k, ws, packed);
  keep_force_given(&m->elim, m->nv, in->given, packed);
  const real least = ltl_factor(&m->elim, m->nv, packed, ws->a);
  for (int v = 0; v < m->nv; v++) a[v] = in->given[v] ? in->x[v] : zero();
  set_loaded_inverse_dynamics(m, k, ws, in->v, a, in->terms, in->wrench, tau); // M_fg a_g + h_f
  for (int v = 0; v < m->nv; v++) a[v] = in->given[v] ? zero() : sub(in->x[v], tau[v]);
  set_solve(m, ws, packed, a);
  for (int v = 0; v < m->nv; v++) {
    if (in->given[v]) a[v] = in->x[v];
  }
  set_loaded_inverse_dynamics(m, k, ws, in->v, a, in->terms, in->wrench, tau);
  for (int v = 0; v < m->nv; v++) {
    if (!in->given[v]) tau[v] = in->x[v];
  }
  return least;
}
