// Psi: the constraint Jacobian of the loops, and its rate, as polynomials.
//
// Position constraints are d, from the origin of frame a to that of frame b, along the locked axes of a. Where these
// span a fixed plane or line, or all directions are locked, axes of the world are used instead, as in
// textbooks (Ghosal 2010, (31)): both span the same rows where the loops are closed. Constraints of rotations, gears
// and polynomials are the library's own (kernel/constraint_kernel.h). Rows that no joint moves are left out.
#include "codegen/equations.h"
#include "codegen/trace.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

typedef struct vector {
  limb_poly x[3];
} vector;

typedef struct loop_cuts {
  limb_equations* e;
  const limb_scalar* X;   // poses of the links: R row by row, then p
  const limb_scalar* phi; // the library's constraints, in the order of the clusters
} loop_cuts;

// ---- geometry ------------------------------------------------------------------------------------------------------

static limb_scalar rotated_row(const limb_scalar* R, int row, const limb_scalar at[3])
{
  limb_scalar sum = plain(0);
  for (int k = 0; k < 3; k++) sum = add(sum, mul(R[3 * row + k], at[k]));
  return sum;
}

// A vector of frame f (0: a, 1: b) of a loop in world axes; is_point: a position, from the world's origin.
static vector in_world(const loop_cuts* c, int loop, int f, const limb_scalar at[3], bool is_point)
{
  const limb_loop* x = &c->e->m->loop[loop];
  const int link = f ? x->link_b : x->link_a;
  const limb_scalar* X = c->X + 12 * (ptrdiff_t)link;
  vector v;
  for (int k = 0; k < 3; k++) {
    limb_scalar sum = link < 0 ? at[k] : rotated_row(X, k, at);
    if (is_point && link >= 0) sum = add(sum, X[9 + k]);
    v.x[k] = limb_equations_poly(c->e, sum);
  }
  return v;
}

static vector origin(const loop_cuts* c, int loop, int f)
{
  limb_scalar at[3];
  for (int k = 0; k < 3; k++) at[k] = limb_cut_scalar(&c->e->parameters, loop, f, k);
  return in_world(c, loop, f, at, true);
}

// Axis k of frame a.
static vector axis_of(const loop_cuts* c, int loop, int k)
{
  const double* R = c->e->m->loop[loop].in_a.R.m;
  limb_scalar at[3];
  for (int i = 0; i < 3; i++) at[i] = plain(limb_clean_direction(R[3 * i + k]));
  return in_world(c, loop, 0, at, false);
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static bool constant_of(const limb_equations* e, limb_poly a, double* x)
{
  *x = 0;
  if (a.count == 0) return true;
  const unsigned char* exponent = limb_monomial(e->ring, a.term[0].monomial);
  for (int v = 0; v < limb_ring_count(e->ring); v++)
    if (exponent[v]) return false;
  *x = a.term[0].k;
  return a.count == 1;
}

static bool constant_vector(const limb_equations* e, const vector* v, double* x)
{
  return constant_of(e, v->x[0], &x[0]) && constant_of(e, v->x[1], &x[1]) && constant_of(e, v->x[2], &x[2]);
}

// The world axis that a direction is parallel to; -1: none.
static int world_axis(const double* n)
{
  for (int k = 0; k < 3; k++)
    if (fabs(n[k]) == 1) return k;
  return -1;
}

// dPsi/dt = sum_k dPsi/dq_k v_k
static limb_poly rate_of(limb_equations* e, limb_poly entry)
{
  limb_poly sum = {0, NULL};
  for (int k = 0; k < e->nv; k++) {
    const limb_poly v = limb_poly_variable(e->ring, e->first_v + k);
    sum = limb_poly_sum(e->ring, sum, limb_poly_product(e->ring, limb_equations_derivative(e, entry, k), v), 1);
  }
  return sum;
}

static void add_row(limb_equations* e, limb_poly phi)
{
  bool moves = false;
  limb_poly *row = &e->Psi[(ptrdiff_t)e->nrow * e->nv], *rate = &e->Psidot[(ptrdiff_t)e->nrow * e->nv];
  for (int j = 0; j < e->nv; j++) {
    row[j] = limb_equations_derivative(e, phi, j);
    rate[j] = rate_of(e, row[j]);
    moves = moves || row[j].count > 0;
  }
  if (moves) e->nrow++;
}

// Adds the position constraints along the locked axes of a.
static void add_position_rows(const loop_cuts* c, int loop, unsigned locked_axes)
{
  limb_equations* e = c->e;
  const vector a = origin(c, loop, 0), b = origin(c, loop, 1);
  vector d, axis[3];
  double n[3];
  int free_axis = -1, count = 0;
  for (int k = 0; k < 3; k++) {
    d.x[k] = limb_poly_sum(e->ring, b.x[k], a.x[k], -1);
    axis[k] = axis_of(c, loop, k);
    if (locked_axes >> k & 1U)
      count++;
    else
      free_axis = k;
  }
  int left_out = -1; // world axis
  if (count == 2 && constant_vector(e, &axis[free_axis], n)) left_out = world_axis(n);
  if (count == 3 || left_out >= 0) {
    for (int k = 0; k < 3; k++)
      if (k != left_out) add_row(e, d.x[k]);
    return;
  }
  for (int k = 0; k < 3; k++) {
    limb_poly phi = {0, NULL};
    for (int i = 0; i < 3; i++) phi = limb_poly_sum(e->ring, phi, limb_poly_product(e->ring, axis[k].x[i], d.x[i]), 1);
    if (locked_axes >> k & 1U) add_row(e, phi);
  }
}

static void add_loop(const loop_cuts* c, int loop)
{
  const limb_model* m = c->e->m;
  const limb_loop* x = &m->loop[loop];
  const limb_scalar* phi = c->phi + m->clusters.cluster[x->cluster].row + x->local;
  const unsigned positions = x->locked >> 3 & 7U;
  const int own = x->nrow - (int)((positions & 1U) + (positions >> 1 & 1U) + (positions >> 2 & 1U));
  for (int r = 0; r < own; r++) add_row(c->e, limb_equations_poly(c->e, phi[r]));
  if (positions) add_position_rows(c, loop, positions);
}

limb_status limb_equations_form_loops(limb_equations* e)
{
  const limb_model* m = e->m;
  const size_t nc = (size_t)limb_constraint_count(m);
  limb_scalar* X = limb_program_alloc(e->program, 12 * (size_t)m->nlink + 1, sizeof *X);
  limb_scalar* phi = limb_program_alloc(e->program, nc + 1, sizeof *phi);
  e->Psi = limb_ring_alloc(e->ring, (nc + 1) * (size_t)e->nv, sizeof *e->Psi);
  e->Psidot = limb_ring_alloc(e->ring, (nc + 1) * (size_t)e->nv, sizeof *e->Psidot);
  if (!X || !phi || !e->Psi || !e->Psidot) return LIMB_E_NOMEM;
  for (int l = 0; l < m->nloop; l++) {
    if (m->loop[l].prescribed)
      return limb_fail(e->error, LIMB_E_UNSUPPORTED, m->loop[l].def.name,
                       "the loop has a prescribed motion, which equations do not support; request M, C and g alone "
                       "(--what M,C,g), or remove it");
    if (m->loop[l].holonomic == m->loop[l].nrow) continue;
    return limb_fail(e->error, LIMB_E_UNSUPPORTED, m->loop[l].def.name,
                     "rolling and sliding constraints are not written as equations; request M, C and g alone (--what "
                     "M,C,g), or use `limb codegen`");
  }
  const limb_loop_kernels_symbol_in in = {.q = e->t.q, .X = X};
  const limb_loop_kernels_symbol_out out = {.phi = phi};
  limb_trace_clear(&e->t);
  limb_trace_kernels.link_motion(&e->view, e->parameters.k, &e->t.ws, e->t.q, NULL, NULL, X, NULL, NULL, NULL);
  limb_loop_trace_kernels.rows(&e->view, e->parameters.k, &in, &out);
  const loop_cuts c = {e, X, phi};
  for (int l = 0; l < m->nloop; l++) add_loop(&c, l);
  return limb_graph_full(e->program->graph) ? LIMB_E_NOMEM : limb_ring_status(e->ring);
}
