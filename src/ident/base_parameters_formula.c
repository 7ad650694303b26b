// Base parameters: their names and formulas, in the parameters and the geometry of the compiled links.
//
// Cost: O(n depth). The way of every link parameter up to the world is gone once more as in
// base_parameters_matrices.c, with polynomials instead of numbers; what differs in value from the number found
// there (a table of Denavit-Hartenberg loses digits when axes are nearly parallel) is printed as that number.

#include "ident/base_parameters_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 24 }; // capacity for a name such as ZZR12

typedef limb_coefficient coefficient;

// Constant pose of a link in its antecedent, as polynomials.
typedef struct transform {
  coefficient R[3][3], p[3];
} transform;

// One term of a row: a coefficient times a link parameter.
typedef struct term {
  int row, link;
  limb_parameter_kind kind;
  bool negative, done;
  char factor[LIMB_COEFFICIENT_TEXT];
} term;

// All terms of all rows. In a first pass they are only counted.
typedef struct writer {
  const limb_grouping* g;
  const limb_rows* rows;
  double* unit;      // nparameter: of the columns
  double* threshold; // rows: the smallest term that counts
  int* first;        // nlink + 1: rows of a link
  size_t count;      // of terms
  term* terms;       // NULL in the first pass
} writer;

static coefficient times(const coefficient* x, const coefficient* y) { return limb_coefficient_product(x, y); }

static coefficient plus(coefficient x, coefficient y) { return limb_coefficient_sum(&x, &y); }

static coefficient number(double x) { return limb_coefficient_number(x); }

static coefficient minus(const coefficient* x)
{
  const coefficient one = number(-1);
  return times(&one, x);
}

// ---- geometry -----------------------------------------------------------------------------------------------

// Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r); what leaves a joint is the same for all its coordinates,
// so that of a rotation has theta 0, and that of a translation r 0.
static transform transform_of(const limb_model* m, int i)
{
  limb_mdh_row row = {0};
  const limb_status status = limb_get_mdh(m, i, &row);
  assert(status == LIMB_OK); // a link of the model
  (void)status;
  const bool turns = row.type == LIMB_REVOLUTE, slides = row.type == LIMB_PRISMATIC;
  const double theta = turns ? 0 : row.theta;
  const coefficient d = limb_coefficient_constant(i, LIMB_CONSTANT_D, row.d);
  const coefficient r = limb_coefficient_constant(i, LIMB_CONSTANT_R, slides ? 0 : row.r);
  const coefficient b = limb_coefficient_constant(i, LIMB_CONSTANT_B, row.b);
  const coefficient sa = limb_coefficient_constant(i, LIMB_CONSTANT_SA, sin(row.alpha));
  const coefficient ca = limb_coefficient_constant(i, LIMB_CONSTANT_CA, cos(row.alpha));
  const coefficient sg = limb_coefficient_constant(i, LIMB_CONSTANT_SG, sin(row.gamma));
  const coefficient cg = limb_coefficient_constant(i, LIMB_CONSTANT_CG, cos(row.gamma));
  const coefficient st = limb_coefficient_constant(i, LIMB_CONSTANT_ST, sin(theta));
  const coefficient ct = limb_coefficient_constant(i, LIMB_CONSTANT_CT, cos(theta));
  // A = Rx(alpha) Rz(theta)
  const coefficient nst = minus(&st), nsa = minus(&sa), nsg = minus(&sg);
  const coefficient A[3][3] = {
    {ct, nst, number(0)}, {times(&ca, &st), times(&ca, &ct), nsa}, {times(&sa, &st), times(&sa, &ct), ca}};
  const coefficient y = times(&nsa, &r), z = plus(b, times(&ca, &r));
  transform X;
  for (int k = 0; k < 3; k++) {
    X.R[0][k] = plus(times(&cg, &A[0][k]), times(&nsg, &A[1][k]));
    X.R[1][k] = plus(times(&sg, &A[0][k]), times(&cg, &A[1][k]));
    X.R[2][k] = A[2][k];
  }
  X.p[0] = plus(times(&cg, &d), times(&nsg, &y));
  X.p[1] = plus(times(&sg, &d), times(&cg, &y));
  X.p[2] = z;
  return X;
}

// Index of an entry of a symmetric matrix among the ten parameters.
static int moment(int i, int j)
{
  static const int index[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}};
  return index[i][j];
}

// R I R'
static coefficient turned(const transform* X, const coefficient* x, int i, int j)
{
  coefficient sum = number(0);
  for (int k = 0; k < 3; k++) {
    for (int l = 0; l < 3; l++) {
      const coefficient* I = &x[moment(k, l)];
      if (I->count == 0) continue;
      const coefficient RI = times(&X->R[i][k], I);
      sum = plus(sum, times(&RI, &X->R[j][l]));
    }
  }
  return sum;
}

// As limb_parameters_move, but with s = h + m p / 2: I += 2 (p.s) 1 - p s' - s p'.
static void move(const transform* X, const coefficient* x, coefficient* out)
{
  const coefficient half = number(0.5), two = number(2);
  coefficient h[3], s[3], t = number(0);
  for (int i = 0; i < 3; i++) {
    h[i] = number(0);
    for (int k = 0; k < 3; k++) h[i] = plus(h[i], times(&X->R[i][k], &x[1 + k]));
    const coefficient mp = times(&x[0], &X->p[i]);
    s[i] = plus(h[i], times(&half, &mp));
    t = plus(t, times(&X->p[i], &s[i]));
    out[1 + i] = plus(h[i], mp);
  }
  out[0] = x[0];
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) {
      const coefficient cross = plus(times(&X->p[i], &s[j]), times(&s[i], &X->p[j]));
      coefficient I = plus(turned(X, x, i, j), minus(&cross));
      if (i == j) I = plus(I, times(&two, &t));
      out[moment(i, j)] = I;
    }
  }
}

// ---- terms --------------------------------------------------------------------------------------------------

static const char* symbol_of(limb_parameter_kind kind)
{
  static const char* const symbol[] = {"M",  "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ",
                                       "ZZ", "Ia", "Fv", "Fs", "k",  "c",  "ks", "Fd", "cs"};
  return symbol[kind];
}

// The term of a column in a row, when there is one; the number goes before the polynomial if they differ.
static void offer(writer* w, int row, coefficient x, int column, int link, limb_parameter_kind kind)
{
  const double expected = w->rows->row[(size_t)row * (size_t)w->g->nparameter + (size_t)column];
  if (expected == 0 || fabs(expected) * w->unit[column] < w->threshold[row]) return;
  if (x.count < 0 || fabs(x.value - expected) > 1e-9 * fabs(expected)) x.value = expected, x.count = -1;
  if (w->terms) {
    term* t = &w->terms[w->count];
    *t = (term){.row = row, .link = link, .kind = kind};
    limb_coefficient_text(&x, &t->negative, t->factor);
  }
  w->count++;
}

static int find_row(const writer* w, int link, limb_parameter_kind kind)
{
  for (int r = w->first[link]; r < w->first[link + 1]; r++)
    if (w->rows->kept[r].kind == kind) return r;
  return -1;
}

// What a vector x on a link (with rotor and offset) gives to the rows of that link: x_i - sum n_p[i] x_p.
static void give(writer* w, int at, const coefficient* x, int column, int link, limb_parameter_kind kind)
{
  const limb_leaving* v = &w->g->leave[at];
  for (int i = 0; i < LIMB_LEAVE; i++) {
    const int row = find_row(w, at, limb_leave_kind(i));
    if (row < 0) continue;
    coefficient sum = x[i];
    for (int k = 0; k < v->count; k++) {
      const coefficient n = number(-v->basis[k][i]);
      sum = plus(sum, times(&n, &x[v->leaver[k]]));
    }
    offer(w, row, sum, column, link, kind);
  }
}

// From one link to its antecedent: move(sum n_p x_p). False when nothing leaves.
static bool go_up(const writer* w, int at, const transform* X, coefficient* x)
{
  const limb_leaving* v = &w->g->leave[at];
  coefficient gone[LIMB_INERTIAL];
  bool any = false;
  for (int i = 0; i < LIMB_INERTIAL; i++) {
    gone[i] = number(0);
    for (int k = 0; k < v->count; k++) {
      const coefficient n = number(v->basis[k][i]);
      gone[i] = plus(gone[i], times(&n, &x[v->leaver[k]]));
    }
    any |= gone[i].count != 0;
  }
  if (any) move(X, gone, x);
  x[LIMB_LEAVE_ROTOR] = x[LIMB_LEAVE_OFFSET] = number(0);
  return any;
}

// The way of one link parameter from link `at` to the world.
static void walk(writer* w, const transform* transforms, int at, coefficient* x, int column, int link,
                 limb_parameter_kind kind)
{
  for (;;) {
    give(w, at, x, column, link, kind);
    const int p = w->g->m->link[at].parent;
    if (p < 0 || !go_up(w, at, &transforms[at], x)) return;
    at = p;
  }
}

static int source_link(const limb_grouping* g, int actuator)
{
  for (int j = 0; j < g->m->njoint; j++)
    if (g->actuator[j] == g->source[actuator]) return g->m->joint[j].link;
  return -1;
}

// Friction and stiffness of a joint: the row of the same kind on its source, or its own (smooth Coulomb).
static void offer_in_row(writer* w, limb_parameter_kind kind, int column, int at, int own, double mult)
{
  const double weight = kind == LIMB_PARAMETER_COULOMB ? fabs(mult) : mult * mult;
  const int row = find_row(w, at, kind), own_row = at == own ? -1 : find_row(w, own, kind);
  if (row >= 0) offer(w, row, number(weight), column, own, kind);
  if (own_row >= 0) offer(w, own_row, number(1), column, own, kind);
}

// Parameters of an actuator: rotor and offset may leave their link, the others are in one row. Those of a
// mimic joint count as their source's.
static void walk_actuator(writer* w, const transform* transforms, int joint)
{
  const limb_grouping* g = w->g;
  const int a = g->actuator[joint], at = source_link(g, a), own = g->m->joint[joint].link;
  const double mult = g->source[a] == a ? 1 : g->m->joint[joint].multiplier;
  const double offset = g->source[a] == a ? 0 : g->m->joint[joint].offset;
  for (int k = 0; k < LIMB_JOINT_PARAMETERS; k++) {
    const limb_parameter_kind kind = (limb_parameter_kind)(LIMB_PARAMETER_ROTOR + k);
    const int column = limb_actuator_column(g, a, kind);
    coefficient x[LIMB_LEAVE];
    for (int i = 0; i < LIMB_LEAVE; i++) x[i] = number(0);
    if (kind == LIMB_PARAMETER_ROTOR) x[LIMB_LEAVE_ROTOR] = number(mult * mult);
    if (kind == LIMB_PARAMETER_OFFSET) x[LIMB_LEAVE_OFFSET] = number(mult);
    if (kind == LIMB_PARAMETER_STIFFNESS) x[LIMB_LEAVE_OFFSET] = number(mult * offset);
    walk(w, transforms, at, x, column, own, kind);
    if (kind != LIMB_PARAMETER_ROTOR && kind != LIMB_PARAMETER_OFFSET) offer_in_row(w, kind, column, at, own, mult);
  }
}

// Of the terms from there on, one per row: a parameter that came two ways has been offered twice where they
// meet, each time with all that the row has of it.
static void drop_repeated(writer* w, size_t from)
{
  if (!w->terms) return;
  size_t kept = from;
  for (size_t i = from; i < w->count; i++) {
    bool repeated = false;
    for (size_t k = from; k < kept; k++) repeated |= w->terms[k].row == w->terms[i].row;
    if (!repeated) w->terms[kept++] = w->terms[i];
  }
  w->count = kept;
}

// Parameters of a shaft: stiffness and damping are rows of their own, the offset goes the ways of the
// offsets of joint and motor.
static void walk_shaft(writer* w, const transform* transforms, int shaft)
{
  const limb_shaft* s = &w->g->m->shaft[shaft];
  const int own = s->joint_link;
  for (int k = 0; k < LIMB_SHAFT_PARAMETERS; k++) {
    const limb_parameter_kind kind = (limb_parameter_kind)(LIMB_PARAMETER_SHAFT_STIFFNESS + k);
    const int column = limb_shaft_column(w->g, shaft, kind), row = find_row(w, own, kind);
    if (row >= 0) offer(w, row, number(1), column, own, kind);
    if (kind != LIMB_PARAMETER_SHAFT_OFFSET) continue;
    const size_t from = w->count;
    for (int end = 0; end < 2; end++) {
      coefficient x[LIMB_LEAVE];
      for (int i = 0; i < LIMB_LEAVE; i++) x[i] = number(0);
      x[LIMB_LEAVE_OFFSET] = number(end ? 1 / s->def.ratio : -1);
      walk(w, transforms, end ? s->motor_link : own, x, column, own, kind);
    }
    drop_repeated(w, from);
  }
}

static void find_terms(writer* w, const transform* transforms)
{
  const limb_model* m = w->g->m;
  w->count = 0;
  for (int i = 0; i < m->nlink; i++) {
    if (w->g->body[i] < 0) continue;
    for (int k = 0; k < LIMB_INERTIAL; k++) {
      coefficient x[LIMB_LEAVE];
      for (int j = 0; j < LIMB_LEAVE; j++) x[j] = number(j == k);
      walk(w, transforms, i, x, limb_link_column(i, k), i, limb_leave_kind(k));
    }
  }
  for (int j = 0; j < m->njoint; j++)
    if (w->g->actuator[j] >= 0) walk_actuator(w, transforms, j);
  for (int k = 0; k < m->nshaft; k++) walk_shaft(w, transforms, k);
}

// ---- text ---------------------------------------------------------------------------------------------------

// Text that is measured first, then written.
typedef struct text {
  char* at; // NULL: measure
  size_t used;
} text;

static void put(text* t, const char* words)
{
  const size_t length = strlen(words);
  if (t->at) memcpy(t->at + t->used, words, length + 1);
  t->used += length;
}

static void put_name(text* t, const term* x)
{
  char name[NAME];
  (void)snprintf(name, sizeof name, "%s%d", symbol_of(x->kind), x->link + 1);
  put(t, name);
}

// Terms with the same factor as the one at `from`, as one: "d3^2 (M3 + M4)".
static void put_group(text* t, term* from, const term* end)
{
  int mates = 0;
  for (const term* x = from + 1; x < end && *from->factor; x++)
    mates += !x->done && strcmp(x->factor, from->factor) == 0;
  put(t, from->factor);
  if (mates) put(t, "(");
  put_name(t, from);
  for (term* x = from + 1; x < end && mates; x++) {
    if (x->done || strcmp(x->factor, from->factor) != 0) continue;
    put(t, x->negative == from->negative ? " + " : " - ");
    put_name(t, x);
    x->done = true;
  }
  if (mates) put(t, ")");
}

static void put_formula(text* t, term* begin, const term* end)
{
  for (term* x = begin; x < end; x++) x->done = false;
  for (term* x = begin; x < end; x++) {
    if (x->done) continue;
    put(t, x == begin ? (x->negative ? "-" : "") : x->negative ? " - " : " + ");
    put_group(t, x, end);
  }
}

// The row is nothing but the parameter it keeps.
static bool is_plain(const limb_kept* kept, const term* begin, const term* end)
{
  return end - begin == 1 && !begin->negative && !*begin->factor && begin->link == kept->link &&
         begin->kind == kept->kind;
}

// Orders terms by rows, else as they came: counting sort. start: rows + 1.
static void sort_terms(const writer* w, size_t* start, term* sorted)
{
  const size_t n = (size_t)w->rows->count;
  for (size_t i = 0; i < w->count; i++) start[w->terms[i].row + 1]++;
  for (size_t r = 0; r < n; r++) start[r + 1] += start[r];
  for (size_t i = 0; i < w->count; i++) sorted[start[w->terms[i].row]++] = w->terms[i];
  for (size_t r = n; r > 0; r--) start[r] = start[r - 1];
  start[0] = 0;
}

static limb_status write_texts(const writer* w, limb_blocks* keep, limb_blocks* scratch, const char** name,
                               const char** formula)
{
  const size_t n = (size_t)w->rows->count;
  size_t* start = limb_blocks_take(scratch, n + 1, sizeof *start);
  term* sorted = limb_blocks_take(scratch, w->count, sizeof *sorted);
  char* names = limb_blocks_take(keep, n * NAME, 1);
  if (!start || !sorted || !names) return LIMB_E_NOMEM;
  sort_terms(w, start, sorted);
  text all = {0};
  for (size_t r = 0; r < n; r++) put_formula(&all, sorted + start[r], sorted + start[r + 1]);
  char* at = limb_blocks_take(keep, all.used + n, 1);
  if (!at) return LIMB_E_NOMEM;
  for (size_t r = 0; r < n; r++) {
    const limb_kept* kept = &w->rows->kept[r];
    const bool plain = is_plain(kept, sorted + start[r], sorted + start[r + 1]);
    text t = {.at = at};
    put_formula(&t, sorted + start[r], sorted + start[r + 1]);
    (void)snprintf(names + r * NAME, NAME, "%s%s%d", symbol_of(kept->kind), plain ? "" : "R", kept->link + 1);
    name[r] = names + r * NAME, formula[r] = at;
    at += t.used + 1;
  }
  return LIMB_OK;
}

// Where the rows of each link begin; rows are in the order of the links.
static void index_rows(const limb_rows* rows, int nlink, int* first)
{
  int r = 0;
  for (int i = 0; i <= nlink; i++) {
    while (r < rows->count && rows->kept[r].link < i) r++;
    first[i] = r;
  }
}

limb_status limb_grouping_formulas(const limb_grouping* g, const limb_rows* rows, limb_blocks* keep,
                                   limb_blocks* scratch, const char** name, const char** formula)
{
  const size_t nlink = (size_t)g->m->nlink;
  const size_t columns = (size_t)g->nparameter, n = (size_t)rows->count;
  writer w = {.g = g,
              .rows = rows,
              .unit = limb_blocks_take(scratch, columns, sizeof(double)),
              .threshold = limb_blocks_take(scratch, n, sizeof(double)),
              .first = limb_blocks_take(scratch, nlink + 1, sizeof(int))};
  transform* transforms = limb_blocks_take(scratch, nlink, sizeof *transforms);
  if (!w.unit || !w.threshold || !w.first || !transforms) return LIMB_E_NOMEM;
  index_rows(rows, g->m->nlink, w.first);
  limb_grouping_link_units(g, w.unit);
  for (size_t r = 0; r < n; r++) w.threshold[r] = limb_grouping_threshold(columns, w.unit, rows->row + r * columns);
  for (int i = 0; i < g->m->nlink; i++) transforms[i] = transform_of(g->m, i);
  find_terms(&w, transforms);
  w.terms = limb_blocks_take(scratch, w.count, sizeof *w.terms);
  if (!w.terms) return LIMB_E_NOMEM;
  find_terms(&w, transforms);
  return write_texts(&w, keep, scratch, name, formula);
}
