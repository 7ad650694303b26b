// Base parameters: the grouping as rows over link parameters, and as matrices over the user's parameters.
//
// Reference: as base_parameters_structure.c. Cost: O(n depth) products with rows of np numbers.
//
// Rows. Every parameter of a link begins as itself. From the tips on, a leaver x_p takes with it what its vector
// n_p has at the other entries, and goes to the antecedent, moved:
//
//   x_i -= sum n_p[i] x_p,      x_i of the antecedent += sum (move n_p)[i] x_p
//
// What is left of the others are the base parameters. Because a parameter that stays adds nothing to any
// other row, the regressor of the base parameters consists of the columns of those that stay.
//
// Matrices, theta_b = K theta, Y_b = Y Z. A link parameter that stays is one direction of the parameters of its
// body, so Z has a column for it: K Z = 1, because what stays adds nothing to other rows. Links inside compound
// joints have no body: their rows hold what left the links above them. Those that depend on each other are
// dropped, and Z gets the columns of some parameters T^-1 that these rows contain, less what these give to the
// other rows:
//
//   K_c E = T,   Z_c = (E - Z_0 K_0 E) T^-1        so that K_0 Z_c = 0, K_c Z_c = 1

#include "ident/base_parameters_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- units, actuators ---------------------------------------------------------------------------------------

double limb_grouping_unit(const limb_grouping* g, limb_parameter_kind kind, bool turns)
{
  const double L = g->length;
  switch (kind) {
  case LIMB_PARAMETER_M: return 1;
  case LIMB_PARAMETER_MX:
  case LIMB_PARAMETER_MY:
  case LIMB_PARAMETER_MZ: return L;
  case LIMB_PARAMETER_ROTOR:
  case LIMB_PARAMETER_VISCOUS:
  case LIMB_PARAMETER_STIFFNESS:
  case LIMB_PARAMETER_SHAFT_STIFFNESS:
  case LIMB_PARAMETER_SHAFT_DAMPING: return turns ? L * L : 1;
  case LIMB_PARAMETER_COULOMB:
  case LIMB_PARAMETER_OFFSET:
  case LIMB_PARAMETER_SHAFT_OFFSET: return turns ? L * L : L;
  default: return L * L; // moments of inertia
  }
}

// Of `parts` bodies or links, of the joints that have an actuator, of the shafts.
static void fill_units(const limb_grouping* g, int parts, double* unit)
{
  const limb_model* m = g->m;
  for (int i = 0; i < parts; i++) {
    for (int k = 0; k < LIMB_INERTIAL; k++) *unit++ = limb_grouping_unit(g, limb_leave_kind(k), true);
  }
  for (int j = 0; j < m->njoint; j++) {
    if (!limb_has_actuator(m, j)) continue;
    const bool turns = limb_grouping_turns(m, m->joint[j].link);
    for (int k = 0; k < LIMB_JOINT_PARAMETERS; k++)
      *unit++ = limb_grouping_unit(g, (limb_parameter_kind)(LIMB_PARAMETER_ROTOR + k), turns);
  }
  for (int s = 0; s < m->nshaft; s++) {
    const bool turns = limb_grouping_turns(m, m->shaft[s].joint_link);
    for (int k = 0; k < LIMB_SHAFT_PARAMETERS; k++)
      *unit++ = limb_grouping_unit(g, (limb_parameter_kind)(LIMB_PARAMETER_SHAFT_STIFFNESS + k), turns);
  }
}

void limb_grouping_units(const limb_grouping* g, double* unit)
{
  int bodies = 0;
  for (int b = 0; b < g->m->nbody; b++) bodies += limb_has_parameters(g->m, b);
  fill_units(g, bodies, unit);
}

int limb_grouping_actuator(const limb_grouping* g, int link)
{
  const int a = g->actuator[g->m->link[link].joint];
  return a >= 0 && g->source[a] == a ? a : -1;
}

bool limb_grouping_leaves_out(const limb_grouping* g, limb_parameter_kind kind)
{
  switch (kind) {
  case LIMB_PARAMETER_ROTOR: return g->flags & LIMB_BASE_NO_ROTORS;
  case LIMB_PARAMETER_VISCOUS:
  case LIMB_PARAMETER_COULOMB:
  case LIMB_PARAMETER_SHAFT_DAMPING: return !g->env.friction;
  case LIMB_PARAMETER_STIFFNESS:
  case LIMB_PARAMETER_OFFSET:
  case LIMB_PARAMETER_SHAFT_STIFFNESS:
  case LIMB_PARAMETER_SHAFT_OFFSET: return g->flags & LIMB_BASE_NO_SPRINGS;
  default: return false;
  }
}

void limb_grouping_link_units(const limb_grouping* g, double* unit) { fill_units(g, g->m->nlink, unit); }

double limb_grouping_threshold(size_t n, const double* unit, const double* row)
{
  double largest = 0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(row[i]) * unit[i]);
  return largest <= DBL_MAX ? LIMB_BASE_DUST * largest : 0;
}

void limb_parameters_move(const sp_pose* X, const double* theta, double* out)
{
  const double m = theta[0];
  const sp_vec3 p = X->p, h = sp_mulv(X->R, sp_v3(theta[1], theta[2], theta[3]));
  const sp_vec3 s = sp_add3(sp_scale3(2, h), sp_scale3(m, p)); // I += (p.s) 1 - (p s' + s p') / 2
  const sp_mat3 I = {{theta[4], theta[5], theta[6], theta[5], theta[7], theta[8], theta[6], theta[8], theta[9]}};
  const sp_mat3 T = sp_mul3(sp_mul3(X->R, I), sp_transpose3(X->R));
  const double t = sp_dot3(p, s);
  out[0] = m;
  out[1] = h.x + m * p.x, out[2] = h.y + m * p.y, out[3] = h.z + m * p.z;
  out[4] = T.m[0] + t - p.x * s.x;
  out[5] = T.m[1] - (p.x * s.y + p.y * s.x) / 2;
  out[6] = T.m[2] - (p.x * s.z + p.z * s.x) / 2;
  out[7] = T.m[4] + t - p.y * s.y;
  out[8] = T.m[5] - (p.y * s.z + p.z * s.y) / 2;
  out[9] = T.m[8] + t - p.z * s.z;
}

// ---- rows in link parameters --------------------------------------------------------------------------------

// Rows while they are added up: inertial ones of the links, and those of the actuators.
typedef struct sums {
  const limb_grouping* g;
  size_t np;
  double* row; // nparameter rows, the row of a column has its number
} sums;

static double* row_of(const sums* s, int column) { return s->row + (size_t)column * s->np; }

static void add_row(size_t n, double k, const double* x, double* sum)
{
  for (size_t i = 0; i < n && k != 0; i++) sum[i] += k * x[i];
}

// The row of an entry of a vector that may leave the link; NULL: it has no such entry.
static double* entry_row(const sums* s, int link, int entry)
{
  if (entry < LIMB_INERTIAL) return row_of(s, limb_link_column(link, entry));
  const int a = limb_grouping_actuator(s->g, link);
  return a < 0 ? NULL : row_of(s, limb_actuator_column(s->g, a, limb_leave_kind(entry)));
}

static void set_one(const sums* s, int row, int column, double x) { row_of(s, row)[column] += x; }

// Parameters of actuators; those of a mimic joint count as their source's, whose coordinate it has:
//   q = mult q_s + o:   tau_s = mult (Ia mult a + Fv mult v + Fs sign(mult v) + k (mult q_s + o) + c)
static void begin_actuator(const sums* s, int joint)
{
  const limb_grouping* g = s->g;
  const int a = g->actuator[joint], to = g->source[a];
  const double mult = to == a ? 1 : g->m->joint[joint].multiplier;
  const double offset = to == a ? 0 : g->m->joint[joint].offset;
  const double weight[LIMB_JOINT_PARAMETERS] = {mult * mult, mult * mult, fabs(mult), mult * mult, mult};
  for (int k = 0; k < LIMB_JOINT_PARAMETERS; k++) {
    const limb_parameter_kind kind = (limb_parameter_kind)(LIMB_PARAMETER_ROTOR + k);
    if (limb_grouping_leaves_out(g, kind)) continue;
    const int column = limb_actuator_column(g, a, kind);
    // smoothed Coulomb friction of a faster or slower joint has another form
    const bool own = kind == LIMB_PARAMETER_COULOMB && g->env.coulomb_width > 0 && fabs(mult) != 1;
    set_one(s, own ? column : limb_actuator_column(g, to, kind), column, own ? 1 : weight[k]);
    if (kind == LIMB_PARAMETER_STIFFNESS && offset != 0)
      set_one(s, limb_actuator_column(g, to, LIMB_PARAMETER_OFFSET), column, mult * offset);
  }
}

// Stiffness and damping of a shaft stand alone; its offset is a torque on the joint and one on the motor,
// as theirs are:   tau = -c at the joint, c / ratio at the motor
static void begin_shaft(const sums* s, int shaft)
{
  const limb_grouping* g = s->g;
  const limb_shaft_def* def = &g->m->shaft[shaft].def;
  for (int k = 0; k < LIMB_SHAFT_PARAMETERS; k++) {
    const limb_parameter_kind kind = (limb_parameter_kind)(LIMB_PARAMETER_SHAFT_STIFFNESS + k);
    const int column = limb_shaft_column(g, shaft, kind);
    if (limb_grouping_leaves_out(g, kind)) continue;
    if (kind != LIMB_PARAMETER_SHAFT_OFFSET) {
      set_one(s, column, column, 1);
      continue;
    }
    const int joint = g->actuator[def->joint], motor = g->actuator[def->motor];
    set_one(s, limb_actuator_column(g, joint, LIMB_PARAMETER_OFFSET), column, -1);
    set_one(s, limb_actuator_column(g, motor, LIMB_PARAMETER_OFFSET), column, 1 / def->ratio);
  }
}

static void begin_rows(const sums* s)
{
  const limb_model* m = s->g->m;
  for (int i = 0; i < m->nlink; i++) {
    if (s->g->body[i] < 0) continue; // has no parameters of its own
    for (int k = 0; k < LIMB_INERTIAL; k++) {
      const int column = limb_link_column(i, k);
      set_one(s, column, column, 1);
    }
  }
  for (int j = 0; j < m->njoint; j++)
    if (s->g->actuator[j] >= 0) begin_actuator(s, j);
  for (int k = 0; k < m->nshaft; k++) begin_shaft(s, k);
}

static bool leaves(const limb_leaving* v, int entry)
{
  for (int k = 0; k < v->count; k++)
    if (v->leaver[k] == entry) return true;
  return false;
}

// One vector leaves a link: its leaver's row goes to the other entries and to the antecedent.
static void let_go(const sums* s, int link, int k)
{
  const limb_leaving* v = &s->g->leave[link];
  const int p = s->g->m->link[link].parent;
  double* gone = entry_row(s, link, v->leaver[k]);
  double moved[LIMB_INERTIAL];
  for (int i = 0; i < LIMB_LEAVE; i++) {
    if (v->basis[k][i] != 0 && !leaves(v, i)) add_row(s->np, -v->basis[k][i], gone, entry_row(s, link, i));
  }
  limb_parameters_move(&s->g->joint_pose[link], v->basis[k], moved);
  const bool turns = limb_grouping_turns(s->g->m, link);
  const double leaver = limb_grouping_unit(s->g, limb_leave_kind(v->leaver[k]), turns);
  for (int i = 0; i < LIMB_INERTIAL && p >= 0; i++) {
    const double unit = limb_grouping_unit(s->g, limb_leave_kind(i), true) / leaver;
    if (fabs(moved[i]) > 1e-12 * unit) add_row(s->np, moved[i], gone, row_of(s, limb_link_column(p, i)));
  }
  memset(gone, 0, s->np * sizeof *gone);
}

static bool is_empty(size_t n, const double* x)
{
  for (size_t i = 0; i < n; i++)
    if (x[i] != 0) return false;
  return true;
}

// Rows that are left, link by link: its inertial parameters, then those of its joint and shaft.
static void keep_rows(const sums* s, limb_rows* out)
{
  const limb_grouping* g = s->g;
  for (int i = 0; i < g->m->nlink; i++) {
    const int joint = g->m->link[i].joint;
    const int last = LIMB_INERTIAL + (g->actuator[joint] >= 0 ? LIMB_JOINT_PARAMETERS : 0) +
                     (g->m->joint[joint].shaft >= 0 ? LIMB_SHAFT_PARAMETERS : 0);
    for (int k = 0; k < last; k++) {
      const limb_kept kept = {i, (limb_parameter_kind)k};
      const double* row = row_of(s, limb_kept_column(g, &kept));
      if (is_empty(s->np, row)) continue;
      out->kept[out->count] = kept;
      memmove(out->row + (size_t)out->count++ * s->np, row, s->np * sizeof *row);
    }
  }
}

limb_status limb_grouping_rows(const limb_grouping* g, limb_blocks* scratch, limb_rows* out)
{
  const size_t np = (size_t)g->nparameter;
  sums s = {g, np, limb_blocks_take(scratch, np * np, sizeof(double))};
  *out = (limb_rows){.kept = limb_blocks_take(scratch, np, sizeof *out->kept),
                     .row = limb_blocks_take(scratch, np * np, sizeof(double))};
  if (!s.row || !out->kept || !out->row) return LIMB_E_NOMEM;
  begin_rows(&s);
  for (int i = g->m->nlink - 1; i >= 0; i--)
    for (int k = 0; k < g->leave[i].count; k++) let_go(&s, i, k);
  keep_rows(&s, out);
  return LIMB_OK;
}

// ---- the grouping as matrices -------------------------------------------------------------------------------

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

// ---- links without a body -----------------------------------------------------------------------------------

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
  double largest = LIMB_BASE_ZERO;
  *row = -1;
  for (int i = x->rank; i < x->count; i++) {
    for (size_t c = 0; c < np; c++) {
      if (fabs(reduced_row(x, i)[c]) <= largest) continue;
      largest = fabs(reduced_row(x, i)[c]), *row = i, *column = (int)c;
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
