// Base parameters: the grouping as matrices over the user's parameters, theta_b = K theta, Y_b = Y Z.
//
// A link parameter that stays is one direction of the parameters of its body, so Z has a column for it: K Z
// = 1, because what stays adds nothing to other rows. Links inside compound joints have no body: their
// rows hold what left the links above them. Those that depend on each other are dropped, and Z gets the
// columns of some parameters T^-1 that these rows contain, less what these give to the other rows:
//
//   K_c E = T,   Z_c = (E - Z_0 K_0 E) T^-1        so that K_0 Z_c = 0, K_c Z_c = 1

#include "dynamics/base_parameters_impl.h"

#include <math.h>
#include <string.h>

typedef struct work {
  const limb_grouping* g;
  const limb_rows* rows;
  size_t np;
  const double* unit; // np
  double *K, *Z;      // rows->count x np
} work;

// Unit of what a row keeps.
static double row_unit(const limb_grouping* g, const limb_kept* kept)
{
  return limb_grouping_unit(g, kept->kind, limb_grouping_turns(g->m, kept->link));
}

// Rounding of what would be zero, for a robot of the size 1.
static double without_dust(double x, double unit) { return fabs(x) < 1e-12 * unit ? 0 : x; }

// ten numbers of a row over a link's parameters, over those of its body: x' move.
static void row_of_body(const sp_pose* X, const double* x, double* out)
{
  for (int j = 0; j < LIMB_INERTIAL; j++) {
    double one[LIMB_INERTIAL] = {0}, moved[LIMB_INERTIAL];
    one[j] = 1;
    limb_parameters_move(X, one, moved);
    out[j] = 0;
    for (int i = 0; i < LIMB_INERTIAL; i++) out[j] += x[i] * moved[i];
  }
}

static void fill_K(const work* w, int r)
{
  const limb_model* m = w->g->m;
  const double* row = w->rows->row + (size_t)r * (size_t)w->g->nparameter;
  const double own = row_unit(w->g, &w->rows->kept[r]);
  double* out = w->K + (size_t)r * w->np;
  double* at = out;
  for (int b = 0; b < m->nbody; b++) {
    if (!limb_has_parameters(m, b)) continue;
    const int link = m->body[b].link;
    row_of_body(&m->body[b].in_link, row + limb_link_column(link, 0), at);
    at += LIMB_INERTIAL;
  }
  const int others = limb_other_parameters(w->g);
  memcpy(at, row + LIMB_INERTIAL * m->nlink, (size_t)others * sizeof *at);
  for (size_t c = 0; c < w->np; c++) out[c] = without_dust(out[c], own / w->unit[c]);
}

static int body_column(const limb_model* m, int body)
{
  int column = 0;
  for (int b = 0; b < body; b++)
    if (limb_has_parameters(m, b)) column += LIMB_INERTIAL;
  return column;
}

// Column of Z for a parameter that stays: the unit vector of the link, in the body's parameters.
static void fill_Z(const work* w, int r)
{
  const limb_grouping* g = w->g;
  const limb_kept* kept = &w->rows->kept[r];
  double* out = w->Z + (size_t)r * w->np;
  if (kept->kind >= LIMB_PARAMETER_ROTOR) {
    const int first = (int)w->np - limb_other_parameters(g); // of theirs among the user's
    out[first + limb_kept_column(g, kept) - LIMB_INERTIAL * g->m->nlink] = 1;
    return;
  }
  const int body = g->body[kept->link];
  if (body < 0) return;
  const sp_pose back = sp_invert(g->m->body[body].in_link);
  double one[LIMB_INERTIAL] = {0};
  one[kept->kind] = 1;
  double* at = out + body_column(g->m, body);
  limb_parameters_move(&back, one, at);
  for (int k = 0; k < LIMB_INERTIAL; k++) {
    const limb_parameter_kind kind = limb_leave_kind(k);
    at[k] = without_dust(at[k], limb_grouping_unit(g, kind, true) / row_unit(g, kept));
  }
}

// ---- links without a body ---------------------------------------------------------------------------

static bool is_bodiless(const work* w, int r)
{
  const limb_kept* kept = &w->rows->kept[r];
  return kept->kind < LIMB_PARAMETER_ROTOR && w->g->body[kept->link] < 0;
}

// Rows of bodiless links, reduced by Gauss and Jordan with full pivoting: [K_c | 1] in numbers of the
// robot's own size. row[k] is the row that pivot k came from, column[k] its parameter.
typedef struct reduction {
  int count, rank;
  size_t width; // np + count
  double* A;    // count x width
  int *member, *row, *column;
} reduction;

static double* reduced_row(const reduction* x, int k) { return x->A + (size_t)k * x->width; }

static bool find_pivot(const reduction* x, size_t np, int* row, int* column)
{
  double most = LIMB_BASE_ZERO;
  *row = -1;
  for (int i = x->rank; i < x->count; i++) {
    for (size_t c = 0; c < np; c++) {
      if (fabs(reduced_row(x, i)[c]) <= most) continue;
      most = fabs(reduced_row(x, i)[c]), *row = i, *column = (int)c;
    }
  }
  return *row >= 0;
}

static void eliminate(reduction* x, int from, int column)
{
  double *pivot = reduced_row(x, x->rank), *other = reduced_row(x, from);
  const int member = x->row[x->rank];
  x->row[x->rank] = x->row[from], x->row[from] = member;
  for (size_t c = 0; c < x->width && from != x->rank; c++) {
    const double kept = pivot[c];
    pivot[c] = other[c], other[c] = kept;
  }
  const double scale = 1 / pivot[column];
  for (size_t c = 0; c < x->width; c++) pivot[c] *= scale;
  for (int i = 0; i < x->count; i++) {
    double* y = reduced_row(x, i);
    const double factor = y[column];
    if (i == x->rank || factor == 0) continue;
    for (size_t c = 0; c < x->width; c++) y[c] -= factor * pivot[c];
  }
  x->column[x->rank++] = column;
}

static limb_status reduce(const work* w, limb_blocks* scratch, reduction* x)
{
  for (int r = 0; r < w->rows->count; r++) x->count += is_bodiless(w, r);
  const size_t n = (size_t)x->count;
  x->width = w->np + n;
  x->A = limb_blocks_take(scratch, n * x->width, sizeof(double));
  x->member = limb_blocks_take(scratch, 3 * n, sizeof(int));
  if (!x->A || !x->member) return LIMB_E_NOMEM;
  x->row = x->member + n, x->column = x->row + n;
  int k = 0, row, column;
  for (int r = 0; r < w->rows->count; r++) {
    if (!is_bodiless(w, r)) continue;
    const double own = row_unit(w->g, &w->rows->kept[r]);
    for (size_t c = 0; c < w->np; c++) reduced_row(x, k)[c] = w->K[(size_t)r * w->np + c] * w->unit[c] / own;
    reduced_row(x, k)[w->np + (size_t)k] = 1;
    x->member[k] = r, x->row[k] = k;
    k++;
  }
  while (find_pivot(x, w->np, &row, &column)) eliminate(x, row, column);
  return LIMB_OK;
}

// Column of Z of the k-th row that stays among those of bodiless links.
static void fill_bodiless(const work* w, const reduction* x, int k)
{
  const int own = x->row[k], r = x->member[own];
  double* out = w->Z + (size_t)r * w->np;
  for (int p = 0; p < x->rank; p++) { // E T^-1, back in SI units
    const int c = x->column[p];
    const double inverse = reduced_row(x, p)[w->np + (size_t)own];
    out[c] += inverse * w->unit[c] / row_unit(w->g, &w->rows->kept[r]);
  }
  for (int i = 0; i < w->rows->count; i++) {
    if (is_bodiless(w, i)) continue;
    double gives = 0;
    for (size_t c = 0; c < w->np; c++) gives += w->K[(size_t)i * w->np + c] * out[c];
    const double* other = w->Z + (size_t)i * w->np;
    for (size_t c = 0; c < w->np && gives != 0; c++) out[c] -= gives * other[c];
  }
}

static bool stays(const work* w, const reduction* x, int r)
{
  if (!is_bodiless(w, r)) return true;
  for (int k = 0; k < x->rank; k++)
    if (x->member[x->row[k]] == r) return true;
  return false;
}

limb_status limb_grouping_matrices(const limb_grouping* g, const limb_rows* rows, limb_blocks* scratch,
                                   limb_matrices* out)
{
  const size_t np = (size_t)limb_parameter_count(g->m), n = (size_t)rows->count;
  double* unit = limb_blocks_take(scratch, np, sizeof(double));
  *out = (limb_matrices){.np = (int)np,
                         .row = limb_blocks_take(scratch, n, sizeof(int)),
                         .K = limb_blocks_take(scratch, n * np, sizeof(double)),
                         .Z = limb_blocks_take(scratch, n * np, sizeof(double))};
  if (!unit || !out->row || !out->K || !out->Z) return LIMB_E_NOMEM;
  limb_grouping_units(g, unit);
  const work w = {g, rows, np, unit, out->K, out->Z};
  for (int r = 0; r < rows->count; r++) fill_K(&w, r), fill_Z(&w, r);
  reduction x = {0};
  const limb_status s = reduce(&w, scratch, &x);
  if (s != LIMB_OK) return s;
  for (int k = 0; k < x.rank; k++) fill_bodiless(&w, &x, k);
  for (int r = 0; r < rows->count; r++) { // close the gaps
    if (!stays(&w, &x, r)) continue;
    const size_t to = (size_t)out->nb;
    memmove(out->K + to * np, out->K + (size_t)r * np, np * sizeof(double));
    memmove(out->Z + to * np, out->Z + (size_t)r * np, np * sizeof(double));
    out->row[out->nb++] = r;
  }
  return LIMB_OK;
}
