// Clusters reduced: which velocities follow from which, which constraints from which, and the multipliers of least
// norm.
//
// With Psi_y left beside the unit matrix of the pivot columns p, v_p = rate - Psi_y v_y (Khalil 2010, (56)).
//
// Multipliers: f = Psi' lambda is read off in the pivot columns. With T for the steps, T Psi = [1 B; 0 0],
//
//     lambda' Psi = f'   holds for   lambda' = f_p' T_i        T_i: the first rank rows
//
// and so it does with any combination of the rows of T_r, those of zeros, added: of least norm is the one at right
// angles to them, lambda - T_r' (T_r T_r')^-1 T_r lambda. Cost O(constraints^2 (constraints + columns)) per cluster.

#include "base/numeric.h"
#include "dynamics/dynamics_impl.h"
#include "linalg/dense.h"
#include "loops/loops_impl.h"

#include <math.h>
#include <string.h>

// ---- constraints of different units -------------------------------------------------------------------------

typedef enum constraint_kind { ROTATION, POSITION, OF_JOINTS } constraint_kind;

// Of live constraint i of a cluster. *loop: where to look for it from; 0 to begin with, constraints ascending.
static constraint_kind kind_of(const limb_loops* w, int cluster, int i, int* loop)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  const int r = w->live[k->row + i];
  const limb_loop* x = &w->m->loop[k->loop[*loop]];
  for (; r >= x->local + x->nrow; x = &w->m->loop[k->loop[*loop]]) ++*loop;
  const unsigned turns = x->locked & 7U;
  if (limb_between_joints(x)) return OF_JOINTS;
  return r - x->local < (int)((turns & 1U) + (turns >> 1 & 1U) + (turns >> 2)) ? ROTATION : POSITION;
}

void limb_even_constraints(const limb_loops* w, int cluster, bool apart, limb_reduction* r)
{
  const ptrdiff_t wide = r->columns + r->extra;
  double largest[2] = {0, 0};
  int loop = 0;
  for (int i = 0; i < r->rows; i++) {
    const constraint_kind kind = kind_of(w, cluster, i, &loop);
    if (kind != OF_JOINTS) largest[kind] = fmax(largest[kind], limb_largest((size_t)r->columns, r->A + i * wide));
  }
  const double geometric = fmax(largest[ROTATION], largest[POSITION]);
  loop = 0;
  for (int i = 0; i < r->rows; i++) {
    const constraint_kind kind = kind_of(w, cluster, i, &loop);
    double* row = r->A + i * wide;
    double factor = apart && kind != OF_JOINTS && largest[kind] > 0 ? 1 / largest[kind] : 1;
    if (kind == OF_JOINTS) // its first entry is that of a joint: not zero
      factor = (!apart && geometric > 0 ? geometric : 1) / limb_largest((size_t)r->columns, row);
    for (ptrdiff_t j = 0; j < wide; j++) row[j] *= factor;
  }
}

// ---- reductions ---------------------------------------------------------------------------------------------

// A cluster before anything is reduced, in w->reduced.
static limb_reduction* load_cluster(limb_loops* w, int cluster, limb_carry carry)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  const int *live = w->live + k->row, rows = w->nlive[cluster];
  const double* vector = carry == LIMB_CARRY_RESIDUAL ? w->phi : carry == LIMB_CARRY_RATE ? w->rate : w->gamma;
  limb_reduction* r = &w->reduced;
  r->rows = rows, r->columns = k->nv;
  r->extra = carry == LIMB_CARRY_NOTHING ? 0 : carry == LIMB_CARRY_STEPS ? rows : 1;
  const ptrdiff_t wide = r->columns + r->extra;
  for (int i = 0; i < rows; i++) {
    double* row = r->A + i * wide;
    memcpy(row, w->Psi + k->block + (ptrdiff_t)live[i] * k->nv, (size_t)k->nv * sizeof *row);
    for (int j = 0; j < r->extra; j++) row[k->nv + j] = carry == LIMB_CARRY_STEPS ? (i == j) : vector[k->row + live[i]];
  }
  return r;
}

const limb_reduction* limb_reduce_cluster(limb_loops* w, int cluster, const unsigned char* prefer, limb_carry carry,
                                          double tolerance)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  limb_reduction* r = load_cluster(w, cluster, carry);
  tolerance = limb_rank_tolerance(w, cluster, tolerance);
  if (w->mixed[cluster]) limb_even_constraints(w, cluster, false, r);
  if (!prefer) {
    limb_row_reduce(r, NULL, tolerance);
    return r;
  }
  for (int j = 0; j < k->nv; j++) w->marks[j] = prefer[k->v[j]];
  limb_row_reduce(r, w->marks, tolerance);
  return r;
}

// ---- ranks --------------------------------------------------------------------------------------------------

// Whether the rank of a cluster's constraints can be trusted.
//
// Cost: that of a reduction or two per cluster, and once the constraints at another velocity. Only where a rank is
// suspect.
//
// Distance. Constraints may depend on each other on the surface of the constraints only (Bennett's do). So far from
// it that the residual is phi they leave pivots of the size of phi. A smallest pivot that is not far above
// phi may be one of those, or belong to a robot next to a singularity: the two cannot be distinguished here.
// Sizes are relative, constraints of rotations, of positions and of joints each to their own.
//
// Redundancy. Let c' Psi = 0 here. When this holds at all configurations around, the motion goes on along every
// velocity with Psi v = 0: there is an a with Psi a = -Psi' v (Psi' here: dPsi/dt), so c' Psi' v = 0. One
// random velocity for which it does not vanish shows that the rank is missing here only. (Where all of that
// vanishes, too, and only a higher order does not, the test does not detect it.) Poses that are wrong by the gap of
// rounded loops bend the paths of their points by as much: then c' Psi' v is no more than a few gaps, as v is about 1.

#define NO_BIAS 1e-6 // of what c' Psi' v is the sum of

int limb_loop_of_constraint(const limb_loops* w, int cluster, int i)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  const int r = w->live[k->row + i];
  int l = 0;
  while (r >= w->m->loop[k->loop[l]].local + w->m->loop[k->loop[l]].nrow) l++;
  return k->loop[l];
}

void limb_find_suspect_ranks(limb_loops* w, double tolerance)
{
  w->full = true, w->suspect = false, w->pivot_ratio = 1;
  for (int c = 0; c < w->m->clusters.count; c++)
    limb_note_rank(w, limb_reduce_cluster(w, c, NULL, LIMB_CARRY_NOTHING, tolerance));
}

// ---- distance -----------------------------------------------------------------------------------------------

static limb_status check_cluster(limb_loops* w, int cluster, double tolerance, limb_suspect* out)
{
  limb_reduction* r = load_cluster(w, cluster, LIMB_CARRY_RESIDUAL);
  limb_even_constraints(w, cluster, true, r);
  const ptrdiff_t wide = r->columns + r->extra;
  double gap = 0;
  int worst = 0;
  for (int i = 0; i < r->rows; i++) {
    const double size = fabs(r->A[i * wide + r->columns]);
    if (size > gap) gap = size, worst = i;
  }
  limb_row_reduce(r, NULL, limb_rank_tolerance(w, cluster, tolerance));
  if (!limb_is_suspect(r) || gap <= LIMB_FAR_BELOW * r->min_pivot) return LIMB_OK;
  const int row = w->m->clusters.cluster[cluster].row;
  if (out) *out = (limb_suspect){limb_loop_of_constraint(w, cluster, worst), fabs(w->phi[row + w->live[row + worst]])};
  return LIMB_E_SINGULAR;
}

limb_status limb_check_distance(limb_loops* w, double tolerance, limb_suspect* out)
{
  limb_status s = LIMB_OK;
  for (int c = 0; s == LIMB_OK && c < w->m->clusters.count; c++) {
    const limb_reduction* r = limb_reduce_cluster(w, c, NULL, LIMB_CARRY_NOTHING, tolerance);
    if (limb_is_suspect(r)) s = check_cluster(w, c, tolerance, out);
  }
  return s;
}

// ---- redundancy ---------------------------------------------------------------------------------------------

// Numbers that have nothing to do with the robot: fractions of multiples of the golden ratio.
static double some_number(int i)
{
  const double x = 0.61803398874989485 * (i + 1);
  return (i % 2 ? -1 : 1) * (0.5 + x - floor(x));
}

// A velocity that the closures allow, its largest entry 1, of each cluster with constraints that depend on others,
// in v1; the rest is zero.
static void allowed_velocity(limb_loops* w, double tolerance)
{
  const limb_model* m = w->m;
  for (int v = 0; v < m->nv; v++) w->v1[v] = 0;
  for (int c = 0; c < m->clusters.count; c++) {
    const int* v = m->clusters.cluster[c].v;
    const limb_reduction* r = limb_reduce_cluster(w, c, NULL, LIMB_CARRY_NOTHING, tolerance);
    if (r->rank == r->rows) continue;
    double largest = 0;
    for (int j = r->rank; j < r->columns; j++) w->v1[v[r->pivot[j]]] = some_number(j);
    for (int i = 0; i < r->rank; i++) { // v_p = -B v_y
      for (int j = r->rank; j < r->columns; j++)
        w->v1[v[r->pivot[i]]] -= r->A[i * (ptrdiff_t)r->columns + r->pivot[j]] * w->v1[v[r->pivot[j]]];
    }
    for (int j = 0; j < r->columns; j++) largest = fmax(largest, fabs(w->v1[v[j]]));
    for (int j = 0; j < r->columns && largest > 0; j++) w->v1[v[j]] /= largest;
  }
}

// c' Psi' v for the constraints of a cluster that depend on others.
static limb_status check_dependent(limb_loops* w, int cluster, double tolerance, limb_suspect* out)
{
  const int first = w->m->clusters.cluster[cluster].row;
  const limb_reduction* r = limb_reduce_cluster(w, cluster, NULL, LIMB_CARRY_STEPS, tolerance);
  const double share = fmax(NO_BIAS, fmax(LIMB_CONTRADICTION * tolerance, limb_rank_tolerance(w, cluster, tolerance)));
  const double slack = LIMB_CONSTRAINT_ROUNDING + LIMB_BENT * limb_rounded_gap(w, cluster);
  for (int i = r->rank; i < r->rows; i++) {
    const double* c = r->A + (ptrdiff_t)i * (r->columns + r->extra) + r->columns;
    double sum = 0, size = 0, parts = 0;
    for (int j = 0; j < r->rows; j++) {
      const double bias = c[j] * w->bias[first + w->live[first + j]];
      sum += bias, size += fabs(bias), parts += fabs(c[j]);
    }
    if (fabs(sum) <= share * size + slack * parts) continue;
    if (out) *out = (limb_suspect){limb_loop_of_constraint(w, cluster, r->row[i]), fabs(sum)};
    return LIMB_E_SINGULAR;
  }
  return LIMB_OK;
}

limb_status limb_check_redundancy(limb_loops* w, const double* q, double time, double tolerance, limb_suspect* out)
{
  allowed_velocity(w, tolerance);
  limb_status s = limb_constraints_at(w, q, w->v1, time, LIMB_NEED_PSI | LIMB_NEED_GAMMA);
  for (int c = 0; s == LIMB_OK && c < w->m->clusters.count; c++) s = check_dependent(w, c, tolerance, out);
  return s;
}

// ---- dependent velocities and accelerations -----------------------------------------------------------------

// Reference: Khalil 2010, (4) and (56): Psi_p v_p = rate - Psi_y v_y, v = G v_y. Cost O(constraints^2 velocities) per
//            cluster.
//
//   y, p       independent velocities, the others
//   reduced    unit matrix in the columns p, B beside it: v_p = b - B v_y

// A tenth of the share of what a constraint is made of that may be left of it: more contradicts.
#define LEFT_OVER 1e-7

typedef struct request {
  const unsigned char* independent; // the user's; NULL: a choice is made
  limb_carry carry;
  double tolerance;
} request;

// A cluster, reduced to what follows; NULL when the marked velocities do not determine the others, or not
// freely.
static const limb_reduction* follow_cluster(limb_loops* w, int cluster, const request* x)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  for (int j = 0; j < k->nv; j++) // dependent velocities: as requested, or else passive joints first
    w->prefer[k->v[j]] = x->independent ? !x->independent[k->v[j]] : !w->active[k->v[j]];
  const limb_reduction* r = limb_reduce_cluster(w, cluster, w->prefer, x->carry, x->tolerance);
  w->suspect |= limb_is_suspect(r);
  if (x->independent) {
    int dependent = 0;
    for (int j = 0; j < k->nv; j++) dependent += w->prefer[k->v[j]];
    if (r->rank != dependent || r->preferred != dependent) return NULL;
  }
  return r;
}

// Velocities that no loop ties follow from none.
static bool determines_others(const limb_model* m, const unsigned char* independent)
{
  for (int v = 0; independent && v < m->nv; v++) {
    const bool tied = m->clusters.count > 0 && m->clusters.of_v[v] >= 0;
    if (!tied && !independent[v]) return false;
  }
  return true;
}

limb_status limb_independent_velocities(limb_data* d, const double* q, const limb_loop_options* options,
                                        unsigned char* independent)
{
  if (!d || !q || !independent) return LIMB_E_ARG;
  limb_loops* w = d->loops;
  limb_loop_options o;
  limb_status s = limb_loop_options_read(options, &o);
  if (s == LIMB_OK) s = w ? limb_constraints_at(w, q, NULL, o.time, LIMB_NEED_PSI) : limb_check_tree_state(d, q, NULL);
  if (s != LIMB_OK) return s;
  for (int v = 0; v < d->m->nv; v++) independent[v] = 1;
  if (!w) return LIMB_OK;
  const request x = {NULL, LIMB_CARRY_NOTHING, o.tolerance};
  w->suspect = false;
  for (int c = 0; c < w->m->clusters.count; c++) {
    const limb_reduction* r = follow_cluster(w, c, &x);
    for (int i = 0; i < r->rank; i++) independent[w->m->clusters.cluster[c].v[r->pivot[i]]] = 0;
  }
  return w->suspect ? limb_check_distance(w, o.tolerance, NULL) : LIMB_OK;
}

// v_p = b - B v_y
static void fill_in(const limb_cluster* k, const limb_reduction* r, double* v)
{
  const ptrdiff_t wide = r->columns + r->extra;
  for (int i = 0; i < r->rank; i++) {
    const double* row = r->A + i * wide;
    double sum = row[r->columns];
    for (int j = r->rank; j < r->columns; j++) sum -= row[r->pivot[j]] * v[k->v[r->pivot[j]]];
    v[k->v[r->pivot[i]]] = sum;
  }
}

// vector: what is carried. slack: what counts as rounding in a constraint.
static limb_status complete(limb_loops* w, const request* x, const double* vector, double slack, double* v)
{
  const limb_model* m = w->m;
  if (!determines_others(m, x->independent)) return LIMB_E_SINGULAR;
  for (int u = 0; u < m->nv; u++) w->v1[u] = v[u];
  w->suspect = false;
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_reduction* r = follow_cluster(w, c, x);
    if (!r) return LIMB_E_SINGULAR;
    fill_in(&m->clusters.cluster[c], r, w->v1);
  }
  if (!limb_finite(m->nv, w->v1)) return LIMB_E_NONFINITE;
  if (!limb_constraints_hold(w, w->v1, vector, slack, fmax(LEFT_OVER, x->tolerance), NULL)) return LIMB_E_SINGULAR;
  if (w->suspect && limb_check_distance(w, x->tolerance, NULL) != LIMB_OK) return LIMB_E_SINGULAR;
  for (int u = 0; u < m->nv; u++) v[u] = w->v1[u];
  return LIMB_OK;
}

// ---- along the independent velocities -----------------------------------------------------------------------

// y = a x + y
static void add_scaled(int n, double a, const double* x, double* y)
{
  for (int k = 0; k < n; k++) y[k] += a * x[k];
}

// Ghat' x: what acts along a dependent velocity acts along the independent ones that move it, G_p = -B.
limb_status limb_to_independent(limb_loops* w, int columns, double* x)
{
  const limb_model* m = w->m;
  const request ask = {w->settings.independent, LIMB_CARRY_NOTHING, w->settings.solver.loops.tolerance};
  if (!determines_others(m, ask.independent)) return LIMB_E_SINGULAR;
  for (int v = 0; v < m->nv; v++) w->chosen[v] = 1;
  w->suspect = false;
  for (int c = 0; c < m->clusters.count; c++) {
    const int* v = m->clusters.cluster[c].v;
    const limb_reduction* r = follow_cluster(w, c, &ask);
    if (!r) return LIMB_E_SINGULAR;
    for (int i = 0; i < r->rank; i++) {
      double* dependent = x + (ptrdiff_t)v[r->pivot[i]] * columns;
      for (int j = r->rank; j < r->columns; j++)
        add_scaled(columns, -r->A[(ptrdiff_t)i * r->columns + r->pivot[j]], dependent,
                   x + (ptrdiff_t)v[r->pivot[j]] * columns);
      memset(dependent, 0, (size_t)columns * sizeof *dependent);
      w->chosen[v[r->pivot[i]]] = 0;
    }
  }
  return w->suspect ? limb_check_distance(w, ask.tolerance, NULL) : LIMB_OK;
}

limb_status limb_from_independent(limb_loops* w, double* x)
{
  const request ask = {w->settings.independent, LIMB_CARRY_NOTHING, w->settings.solver.loops.tolerance};
  for (int c = 0; c < w->m->clusters.count; c++) {
    const int* v = w->m->clusters.cluster[c].v;
    const limb_reduction* r = follow_cluster(w, c, &ask);
    if (!r) return LIMB_E_SINGULAR;
    for (int i = 0; i < r->rank; i++) {
      double sum = 0;
      for (int j = r->rank; j < r->columns; j++)
        sum -= r->A[(ptrdiff_t)i * r->columns + r->pivot[j]] * x[v[r->pivot[j]]];
      x[v[r->pivot[i]]] = sum;
    }
  }
  return LIMB_OK;
}

limb_status limb_follow_constraints(limb_loops* w, int count, double tolerance, const double* right, double* x)
{
  const limb_model* m = w->m;
  for (int v = 0; v < m->nv; v++) w->prefer[v] = !w->chosen[v];
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_cluster* k = &m->clusters.cluster[c];
    const limb_reduction* r = limb_reduce_cluster(w, c, w->prefer, LIMB_CARRY_STEPS, tolerance);
    if (r->preferred < r->rank) return LIMB_E_SINGULAR;
    const ptrdiff_t wide = r->columns + r->extra;
    for (ptrdiff_t d = 0; d < count; d++) {
      const double* b = right + d * m->nrow + k->row;
      for (int i = 0; i < r->rank; i++) {
        double sum = 0;
        for (int j = 0; j < r->rows; j++) sum -= r->A[i * wide + r->columns + j] * b[w->live[k->row + j]];
        x[d * m->nv + k->v[r->pivot[i]]] = sum;
      }
    }
  }
  return LIMB_OK;
}

// Of a robot without loops all velocities are independent: nothing follows from them.
static limb_status complete_tree(limb_data* d, const double* q, const double* v, const unsigned char* independent,
                                 const double* x)
{
  const limb_status s = limb_check_tree_state(d, q, v);
  if (s != LIMB_OK) return s;
  if (!determines_others(d->m, independent)) return LIMB_E_SINGULAR;
  return limb_finite(d->m->nv, x) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_complete_velocities(limb_data* d, const double* q, const unsigned char* independent,
                                     const limb_loop_options* options, double* v)
{
  if (!d || !q || !v || (independent && !limb_given_valid(d->m, independent))) return LIMB_E_ARG;
  limb_loops* w = d->loops;
  limb_loop_options o;
  limb_status s = limb_loop_options_read(options, &o);
  if (!w) return s == LIMB_OK ? complete_tree(d, q, NULL, independent, v) : s;
  if (s == LIMB_OK) s = limb_constraints_at(w, q, NULL, o.time, LIMB_NEED_PSI);
  if (s != LIMB_OK) return s;
  const request x = {independent, LIMB_CARRY_RATE, o.tolerance};
  return complete(w, &x, w->rate, LIMB_CONSTRAINT_ROUNDING, v);
}

limb_status limb_complete_accelerations(limb_data* d, const double* q, const double* v,
                                        const unsigned char* independent, const limb_loop_options* options, double* a)
{
  if (!d || !q || !v || !a || (independent && !limb_given_valid(d->m, independent))) return LIMB_E_ARG;
  limb_loops* w = d->loops;
  limb_loop_options o;
  limb_status s = limb_loop_options_read(options, &o);
  if (!w) return s == LIMB_OK ? complete_tree(d, q, v, independent, a) : s;
  if (s == LIMB_OK) s = limb_constraints_at(w, q, v, o.time, LIMB_NEED_PSI | LIMB_NEED_GAMMA);
  if (s != LIMB_OK) return s;
  const request x = {independent, LIMB_CARRY_GAMMA, o.tolerance};
  return complete(w, &x, w->gamma, limb_rounding_at(w->m, v), a);
}

// Columns of G are numbered in `column`, nv numbers. independent NULL: all are.
static int number_columns(int nv, const unsigned char* independent, double* column, double* G)
{
  int ny = 0;
  for (int v = 0; v < nv; v++) {
    column[v] = ny;
    ny += !independent || independent[v];
  }
  for (ptrdiff_t i = 0; i < (ptrdiff_t)nv * ny; i++) G[i] = 0;
  for (int v = 0; v < nv; v++) {
    if (!independent || independent[v]) G[(ptrdiff_t)v * ny + (ptrdiff_t)column[v]] = 1;
  }
  return ny;
}

// The columns of G that are not those of a unit matrix, numbered in v1, at the constraints that are there.
static limb_status fill_dependent(limb_loops* w, const request* x, int ny, double* G)
{
  w->suspect = false;
  for (int c = 0; c < w->m->clusters.count; c++) {
    const limb_cluster* k = &w->m->clusters.cluster[c];
    const limb_reduction* r = follow_cluster(w, c, x);
    if (!r) return LIMB_E_SINGULAR;
    for (int i = 0; i < r->rank; i++) { // G_p = -B
      double* row = G + (ptrdiff_t)k->v[r->pivot[i]] * ny;
      for (int j = r->rank; j < r->columns; j++)
        row[(ptrdiff_t)w->v1[k->v[r->pivot[j]]]] = -r->A[i * (ptrdiff_t)r->columns + r->pivot[j]];
    }
  }
  return w->suspect ? limb_check_distance(w, x->tolerance, NULL) : LIMB_OK;
}

limb_status limb_velocity_map(limb_data* d, const double* q, const unsigned char* independent,
                              const limb_loop_options* options, int* count, double* G)
{
  if (!d || !q || !count || !G || (independent && !limb_given_valid(d->m, independent))) return LIMB_E_ARG;
  *count = 0;
  limb_loops* w = d->loops;
  limb_loop_options o;
  limb_status s = limb_loop_options_read(options, &o);
  if (s == LIMB_OK && !determines_others(d->m, independent)) s = LIMB_E_SINGULAR;
  if (s != LIMB_OK) return s;
  if (!w) {
    s = limb_check_tree_state(d, q, NULL);
    if (s == LIMB_OK) *count = number_columns(d->m->nv, NULL, d->user_v, G);
    return s;
  }
  s = independent ? limb_constraints_at(w, q, NULL, o.time, LIMB_NEED_PSI)
                  : limb_independent_velocities(d, q, options, w->chosen);
  if (s != LIMB_OK) return s;
  const request x = {independent ? independent : w->chosen, LIMB_CARRY_NOTHING, o.tolerance};
  const int ny = number_columns(w->m->nv, x.independent, w->v1, G);
  s = fill_dependent(w, &x, ny, G);
  if (s == LIMB_OK) *count = ny;
  return s;
}
