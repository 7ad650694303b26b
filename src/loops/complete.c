// What follows from what: dependent velocities and accelerations from independent ones.
//
// Reference: Khalil 2010, (4) and (56): Psi_p v_p = rate - Psi_y v_y, v = G v_y. Cost O(rows^2 velocities) per
//            cluster.
//
//   y, p       independent velocities, the others
//   reduced    unit matrix in the columns p, B beside it: v_p = b - B v_y

#include "loops/forward_impl.h"

#include "base/numeric.h"
#include "dynamics/dynamics_impl.h"

#include <math.h>
#include <string.h>

// A tenth of the share of what a row is made of that may be left of it: more contradicts.
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
  for (int j = 0; j < k->nv; j++) // what is to follow; unless it is said, passive joints first
    w->prefer[k->v[j]] = x->independent ? !x->independent[k->v[j]] : !w->active[k->v[j]];
  const limb_reduction* r = limb_reduce_cluster(w, cluster, w->prefer, x->carry, x->tolerance);
  w->doubtful |= limb_is_doubtful(r);
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

limb_status limb_independent_velocities(limb_loops* w, const double* q, const limb_loop_options* options,
                                        unsigned char* independent)
{
  if (!w || !q || !independent) return LIMB_E_ARG;
  limb_loop_options o;
  limb_status s = limb_loop_options_read(options, &o);
  if (s == LIMB_OK) s = limb_loop_rows_at(w, q, NULL, o.time, LIMB_ROWS_PSI);
  if (s != LIMB_OK) return s;
  for (int v = 0; v < w->m->nv; v++) independent[v] = 1;
  const request x = {NULL, LIMB_CARRY_NOTHING, o.tolerance};
  w->doubtful = false;
  for (int c = 0; c < w->m->clusters.count; c++) {
    const limb_reduction* r = follow_cluster(w, c, &x);
    for (int i = 0; i < r->rank; i++) independent[w->m->clusters.cluster[c].v[r->pivot[i]]] = 0;
  }
  return w->doubtful ? limb_check_distance(w, o.tolerance, NULL) : LIMB_OK;
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

// vector: what is carried. slack: what counts as rounding in a row.
static limb_status complete(limb_loops* w, const request* x, const double* vector, double slack, double* v)
{
  const limb_model* m = w->m;
  if (!determines_others(m, x->independent)) return LIMB_E_SINGULAR;
  for (int u = 0; u < m->nv; u++) w->v1[u] = v[u];
  w->doubtful = false;
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_reduction* r = follow_cluster(w, c, x);
    if (!r) return LIMB_E_SINGULAR;
    fill_in(&m->clusters.cluster[c], r, w->v1);
  }
  if (!limb_finite(m->nv, w->v1)) return LIMB_E_NONFINITE;
  if (!limb_rows_hold(w, w->v1, vector, slack, fmax(LEFT_OVER, x->tolerance), NULL)) return LIMB_E_SINGULAR;
  if (w->doubtful && limb_check_distance(w, x->tolerance, NULL) != LIMB_OK) return LIMB_E_SINGULAR;
  for (int u = 0; u < m->nv; u++) v[u] = w->v1[u];
  return LIMB_OK;
}

// ---- along the independent velocities -------------------------------------------------------------------

// y = a x + y
static void add_scaled(int n, double a, const double* x, double* y)
{
  for (int k = 0; k < n; k++) y[k] += a * x[k];
}

// Ghat' x: what acts along a dependent velocity acts along the independent ones that move it, G_p = -B.
limb_status limb_reduce_rows(limb_loops* w, int columns, double* x)
{
  const limb_model* m = w->m;
  const request ask = {w->settings.independent, LIMB_CARRY_NOTHING, w->settings.forward.loops.tolerance};
  if (!determines_others(m, ask.independent)) return LIMB_E_SINGULAR;
  for (int v = 0; v < m->nv; v++) w->chosen[v] = 1;
  w->doubtful = false;
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
  return w->doubtful ? limb_check_distance(w, ask.tolerance, NULL) : LIMB_OK;
}

limb_status limb_expand_rows(limb_loops* w, double* x)
{
  const request ask = {w->settings.independent, LIMB_CARRY_NOTHING, w->settings.forward.loops.tolerance};
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

limb_status limb_follow_rows(limb_loops* w, int count, double tolerance, const double* right, double* x)
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

limb_status limb_complete_velocities(limb_loops* w, const double* q, const unsigned char* independent,
                                     const limb_loop_options* options, double* v)
{
  if (!w || !q || !v || (independent && !limb_given_valid(w->m, independent))) return LIMB_E_ARG;
  limb_loop_options o;
  limb_status s = limb_loop_options_read(options, &o);
  if (s == LIMB_OK) s = limb_loop_rows_at(w, q, NULL, o.time, LIMB_ROWS_PSI);
  if (s != LIMB_OK) return s;
  const request x = {independent, LIMB_CARRY_RATE, o.tolerance};
  return complete(w, &x, w->rate, LIMB_ROW_ROUNDING, v);
}

limb_status limb_complete_accelerations(limb_loops* w, const double* q, const double* v,
                                        const unsigned char* independent, const limb_loop_options* options, double* a)
{
  if (!w || !q || !v || !a || (independent && !limb_given_valid(w->m, independent))) return LIMB_E_ARG;
  limb_loop_options o;
  limb_status s = limb_loop_options_read(options, &o);
  if (s == LIMB_OK) s = limb_loop_rows_at(w, q, v, o.time, LIMB_ROWS_PSI | LIMB_ROWS_GAMMA);
  if (s != LIMB_OK) return s;
  const request x = {independent, LIMB_CARRY_GAMMA, o.tolerance};
  return complete(w, &x, w->gamma, limb_rounding_at(w->m, v), a);
}

// Columns of G are numbered in v1.
static int number_columns(limb_loops* w, const unsigned char* independent, double* G)
{
  const int nv = w->m->nv;
  int ny = 0;
  for (int v = 0; v < nv; v++) {
    w->v1[v] = ny;
    ny += independent[v];
  }
  for (ptrdiff_t i = 0; i < (ptrdiff_t)nv * ny; i++) G[i] = 0;
  for (int v = 0; v < nv; v++) {
    if (independent[v]) G[(ptrdiff_t)v * ny + (ptrdiff_t)w->v1[v]] = 1;
  }
  return ny;
}

limb_status limb_velocity_map(limb_loops* w, const double* q, const unsigned char* independent,
                              const limb_loop_options* options, int* count, double* G)
{
  if (!w || !q || !count || !G || (independent && !limb_given_valid(w->m, independent))) return LIMB_E_ARG;
  *count = 0;
  limb_loop_options o;
  limb_status s = limb_loop_options_read(options, &o);
  if (s == LIMB_OK && !determines_others(w->m, independent)) s = LIMB_E_SINGULAR;
  if (s == LIMB_OK && !independent) s = limb_independent_velocities(w, q, options, w->chosen);
  if (s == LIMB_OK && independent) s = limb_loop_rows_at(w, q, NULL, o.time, LIMB_ROWS_PSI);
  if (s != LIMB_OK) return s;
  const unsigned char* mark = independent ? independent : w->chosen;
  const int ny = number_columns(w, mark, G);
  const request x = {mark, LIMB_CARRY_NOTHING, o.tolerance};
  w->doubtful = false;
  for (int c = 0; c < w->m->clusters.count; c++) {
    const limb_cluster* k = &w->m->clusters.cluster[c];
    const limb_reduction* r = follow_cluster(w, c, &x);
    if (!r) return LIMB_E_SINGULAR;
    for (int i = 0; i < r->rank; i++) { // G_p = -B
      double* row = G + (ptrdiff_t)k->v[r->pivot[i]] * ny;
      for (int j = r->rank; j < r->columns; j++)
        row[(ptrdiff_t)w->v1[k->v[r->pivot[j]]]] = -r->A[i * (ptrdiff_t)r->columns + r->pivot[j]];
    }
  }
  s = w->doubtful ? limb_check_distance(w, o.tolerance, NULL) : LIMB_OK;
  *count = s == LIMB_OK ? ny : 0;
  return s;
}
