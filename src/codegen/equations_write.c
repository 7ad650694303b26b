// Equations of motion as text: options, the steps from the model to the document, and the comparison with the library.
#include "limb/assemble.h"
#include "limb/quantities.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/numeric.h"
#include "base/status.h"
#include "codegen/equations.h"
#include "codegen/text.h"
#include "linalg/dense.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// Those of the registry, but for the last.
static const char* const names[EQUATIONS] = {"M", "C", "g", "h", "tau", "T", "U", "L", "christoffel", "Psi", "Psidot"};
#define NAMES "M, C, g, h, tau, T, U, L, christoffel, Psi"

// ---- options -------------------------------------------------------------------------------------------------------

limb_equation_options limb_default_equation_options(void)
{
  return (limb_equation_options){
    .size = sizeof(limb_equation_options), .notation = LIMB_NOTATION_TEXT, .max_terms = 2000};
}

static limb_status too_large(const limb_equations* x, unsigned what)
{
  const char* less = what & ~(1U << EQUATION_G) ? "; g alone may fit" : "";
  return limb_fail(
    x->error, LIMB_E_UNSUPPORTED, x->m->name,
    "an entry has more than %d terms, too many to read%s; `limb codegen` writes functions for robots of any size",
    x->options.max_terms, less);
}

static const char* name_at(const void* context, int i)
{
  (void)context;
  return names[i];
}

static limb_status unknown(const char* word, limb_error* error)
{
  if (!*word)
    return limb_fail(error, LIMB_E_ARG, "what", "an empty word; use " NAMES " and Psidot, separated by commas");
  const char* near = limb_nearest(word, EQUATIONS, name_at, NULL);
  if (near) return limb_fail(error, LIMB_E_ARG, "what", "no quantity is called '%s'; did you mean '%s'?", word, near);
  return limb_fail(error, LIMB_E_ARG, "what", "no quantity is called '%s'; use " NAMES " or Psidot", word);
}

// Adds the quantity of this name to those requested.
static limb_status read_word(const limb_model* m, const char* word, unsigned* what, limb_error* error)
{
  int k = 0;
  while (k < EQUATIONS && strcmp(names[k], word) != 0) k++;
  if (k == EQUATIONS) return unknown(word, error);
  if (limb_equations_has(*what, k)) return limb_fail(error, LIMB_E_ARG, "what", "'%s' is named twice", word);
  if (k >= EQUATION_PSI && !m->nloop)
    return limb_fail(error, LIMB_E_ARG, "what", "there is no %s: the robot has no loops", names[k]);
  *what |= 1U << k;
  return LIMB_OK;
}

// The first ball or free joint; NULL: there is none.
static const char* spinning_joint(const limb_model* m)
{
  for (int i = 0; i < m->nlink; i++)
    if (m->link[i].joint_class >= CLASS_BALL) return m->joint[m->link[i].joint].def.name;
  return NULL;
}

// The requested quantities, one bit each.
static limb_status read_what(const limb_model* m, const char* list, unsigned* what, limb_error* error)
{
  *what = 1U << EQUATION_M | (spinning_joint(m) ? 1U << EQUATION_H : 1U << EQUATION_C | 1U << EQUATION_G) |
          (m->nloop ? 1U << EQUATION_PSI : 0);
  if (!list) return LIMB_OK;
  *what = 0;
  limb_status s = LIMB_OK;
  while (list && s == LIMB_OK) {
    char word[40];
    list = limb_next_word(list, word, sizeof word);
    s = read_word(m, word, what, error);
  }
  return s;
}

static limb_status read_options(const limb_equation_options* given, limb_equation_options* out, limb_error* error)
{
  *out = limb_default_equation_options();
  if (given) {
    const limb_status s = limb_sized_read(out, sizeof *out, given, sizeof *out);
    if (s != LIMB_OK) return limb_fail(error, s, "options", "start from the default options");
  }
  if ((unsigned)out->notation > LIMB_NOTATION_C)
    return limb_fail(error, LIMB_E_ARG, "notation", "there is no such notation");
  if (out->max_terms < 1 || out->max_terms > 100000)
    return limb_fail(error, LIMB_E_ARG, "max_terms", "use 1 to 100000 terms for an entry");
  return LIMB_OK;
}

static limb_status check_joints(const limb_model* m, unsigned what, limb_error* error)
{
  const char* spinning = spinning_joint(m);
  if (spinning && what & (1U << EQUATION_C | 1U << EQUATION_CHRISTOFFEL))
    return limb_fail(error, LIMB_E_UNSUPPORTED, spinning,
                     "%s has no symbols here: velocities of ball and free joints are not derivatives of coordinates; "
                     "ask for h",
                     limb_equations_has(what, EQUATION_C) ? "C" : "christoffel");
  if (m->nv > 0) return LIMB_OK;
  return limb_fail(error, LIMB_E_UNSUPPORTED, m->name, "no joint moves: there are no equations");
}

// ---- steps ---------------------------------------------------------------------------------------------------------

static limb_status tidy(limb_equations* x, limb_poly* A, int n)
{
  for (int i = 0; i < n; i++) {
    if (A[i].count > 2 * x->options.max_terms) return LIMB_E_UNSUPPORTED; // at most two terms become one
    A[i] = limb_equations_tidy(x, A[i]);
    if (A[i].count > x->options.max_terms) return LIMB_E_UNSUPPORTED;
  }
  return limb_ring_status(x->ring);
}

static limb_status tidy_all(limb_equations* x)
{
  const int n = x->nv;
  limb_status s = tidy(x, x->M, n * n);
  if (s == LIMB_OK) s = tidy(x, x->C, n * n);
  if (s == LIMB_OK) s = tidy(x, x->Cv, n);
  if (s == LIMB_OK) s = tidy(x, x->g, n);
  if (s == LIMB_OK) s = tidy(x, x->joint_forces, n);
  if (s == LIMB_OK) s = tidy(x, &x->T, 1);
  if (s == LIMB_OK) s = tidy(x, &x->U, 1);
  if (s == LIMB_OK) s = tidy(x, &x->L, 1);
  if (s == LIMB_OK && x->Gamma) s = tidy(x, x->Gamma, n * n * n);
  if (s == LIMB_OK) s = tidy(x, x->Psidot, x->nrow * n);
  return s == LIMB_OK ? tidy(x, x->Psi, x->nrow * n) : s;
}

// Names the parameters that occur, and writes.
static limb_status write_document(limb_equations* x, unsigned what, limb_text_fn* text, void* context)
{
  limb_text t = {.alloc = x->program->alloc};
  bool* marks = limb_ring_alloc(x->ring, (size_t)limb_ring_count(x->ring), sizeof *marks);
  if (!marks) return LIMB_E_NOMEM;
  limb_equations_mark_used(x, what, marks);
  for (int v = 0; v < x->parameters.count; v++) x->parameters.list[v].used = marks[v];
  limb_parameters_name(&x->parameters);
  switch (x->options.notation) {
  case LIMB_NOTATION_LATEX: limb_equations_document_latex(x, &t, what, marks); break;
  case LIMB_NOTATION_C: limb_equations_document_c(x, &t, what, marks); break;
  default: limb_equations_document_text(x, &t, what, marks); break;
  }
  const bool fine = !t.failed && limb_ring_status(x->ring) == LIMB_OK;
  if (fine) text(context, t.at);
  limb_text_end(&t);
  return fine ? LIMB_OK : LIMB_E_NOMEM;
}

static limb_status run_steps(limb_equations* x, unsigned what, limb_text_fn* text, void* context)
{
  limb_status s = limb_equations_form(x, limb_equations_needed(what));
  const unsigned rows = 1U << EQUATION_PSI | 1U << EQUATION_PSIDOT;
  if (s == LIMB_OK && what & rows) s = limb_equations_form_loops(x);
  if (s == LIMB_OK) s = tidy_all(x);
  if (s == LIMB_OK && x->not_polynomial)
    return limb_fail(x->error, LIMB_E_UNSUPPORTED, x->m->name,
                     "the equations are not polynomials in sines and cosines");
  if (s == LIMB_OK) s = limb_equations_check(x, what);
  if (what & rows && x->nrow == 0) { // checked, but nothing to write
    x->no_constraints = true;
    what &= ~rows;
  }
  if (s == LIMB_OK && !what)
    return limb_fail(x->error, LIMB_E_UNSUPPORTED, x->m->name,
                     "Psi has no rows: no joint moves what the loops constrain");
  return s == LIMB_OK ? write_document(x, what, text, context) : s;
}

limb_status limb_equations_write(const limb_model* m, const limb_equation_options* options, const limb_allocator* alloc,
                                 limb_text_fn* text, void* context, limb_error* error)
{
  limb_error own = {0};
  limb_equations x = {.m = m, .error = &own};
  unsigned what = 0;
  if (!m || !text) return limb_fail(error, LIMB_E_ARG, NULL, "a model and a function are required");
  if (alloc && (!alloc->alloc || !alloc->free))
    return limb_fail(error, LIMB_E_ARG, "alloc", "the allocator lacks a function");
  limb_status s = read_options(options, &x.options, error);
  if (s == LIMB_OK) s = read_what(m, x.options.what, &what, error);
  if (s == LIMB_OK) s = check_joints(m, what, error);
  if (s != LIMB_OK) return s;
  x.program = limb_program_create(alloc);
  s = x.program ? run_steps(&x, what, text, context) : LIMB_E_NOMEM;
  if (s == LIMB_E_UNSUPPORTED && !*own.text) s = too_large(&x, what);
  if (s != LIMB_OK && error) *error = own;
  if (s == LIMB_E_NOMEM) (void)limb_fail(error, s, NULL, "out of memory");
  limb_trace_close(&x.t);
  limb_program_free(x.program);
  return s;
}

// ---- comparison with the library -----------------------------------------------------------------------------------

enum { STATES = 5, TRIES = 20 };

static const double TOLERANCE = 1e-9, SAME_ROWS = 1e-7;

typedef struct trial {
  limb_equations* x;
  limb_evaluator* library;
  limb_data* loops;
  double* value; // of all variables
  double *q, *v, *a, *ours, *theirs;
  double scale; // differences are relative to at least this
  double level; // U of the library less ours, which has no constant terms; NaN: not known yet
} trial;

// ---- states --------------------------------------------------------------------------------------------------------

static void set_values(const trial* t)
{
  const limb_equations* x = t->x;
  const limb_model* m = x->m;
  for (int i = 0; i < x->parameters.count; i++) t->value[i] = x->parameters.list[i].value;
  for (int k = 0; k < x->nangle; k++) {
    double angle = x->angle[k].offset;
    for (int i = 0; i < m->nq; i++) angle += x->angle[k].weight[i] * t->q[i];
    t->value[limb_cosine(x, k)] = cos(angle), t->value[limb_sine(x, k)] = sin(angle);
  }
  for (int i = 0; i < m->nq; i++) t->value[x->first_q + i] = t->q[i];
  for (int i = 0; i < m->nv; i++) {
    t->value[x->first_sign + i] = (t->v[i] > 0) - (t->v[i] < 0);
    t->value[x->first_v + i] = t->v[i], t->value[x->first_a + i] = t->a[i];
  }
}

static double value(const trial* t, limb_poly a) { return limb_poly_value(t->x->ring, a, t->value); }

// ---- comparing -----------------------------------------------------------------------------------------------------

static limb_status agree(const trial* t, const char* what, int n)
{
  double apart = 0;
  const double size = fmax(limb_largest((size_t)n, t->theirs), t->scale);
  for (int i = 0; i < n; i++) {
    const double d = fabs(t->ours[i] - t->theirs[i]);
    if (!(d <= apart)) apart = d; // NaN stays, and does not agree
    if (isnan(d)) break;
  }
  if (apart <= TOLERANCE * size) return LIMB_OK;
  return limb_fail(t->x->error, LIMB_E_UNSUPPORTED, what,
                   "the equations differ from the library by %.2g of %.2g, so nothing is written", apart, size);
}

// h = C v + g;  tau = M a + h + joint forces
static double entry_value(const trial* t, int quantity, int i, int j)
{
  const limb_equations* x = t->x;
  const int at = i * x->nv + j;
  if (quantity == EQUATION_M) return value(t, x->M[at]);
  if (quantity == EQUATION_C) return value(t, x->C[at]);
  if (quantity > EQUATION_TAU) return value(t, *limb_equations_entry_of(x, quantity, i, j));
  double sum = value(t, x->g[i]);
  if (quantity != EQUATION_G) sum += value(t, x->Cv[i]);
  if (quantity != EQUATION_TAU) return sum;
  for (int k = 0; k < x->nv; k++) sum += value(t, x->M[i * x->nv + k]) * t->a[k];
  return sum + value(t, x->joint_forces[i]);
}

// Entries of a quantity, at most all of a matrix.
static int value_entries(const trial* t, int quantity)
{
  const limb_equations_dims size = limb_equations_size(t->x, quantity);
  for (int i = 0; i < size.rows; i++) {
    for (int j = 0; j < (size.columns ? size.columns : 1); j++)
      t->ours[i * (size.columns ? size.columns : 1) + j] = entry_value(t, quantity, i, j);
  }
  return size.rows * (size.columns ? size.columns : 1);
}

// Compares every quantity with that of its name in the registry, for the spanning tree.
static limb_status check_quantities(trial* t, unsigned what)
{
  const limb_state state = {.q = t->q, .v = t->v, .a = t->a};
  limb_status s = LIMB_OK;
  for (int k = 0; k < EQUATION_PSI && s == LIMB_OK; k++) {
    if (k > EQUATION_M && (!limb_equations_has(what, k) || (k == EQUATION_C && t->x->spins))) continue;
    limb_evaluator_keep(t->library, 0);
    s = limb_evaluator_add(t->library, names[k], NULL, NULL, NULL);
    if (s == LIMB_OK) s = limb_evaluator_run(t->library, &state, t->theirs);
    if (k == EQUATION_M && s == LIMB_OK) t->scale = 1e-6 * limb_largest((size_t)(t->x->nv * t->x->nv), t->theirs);
    if (s != LIMB_OK || !limb_equations_has(what, k)) continue;
    const int entries = value_entries(t, k);
    if (k == EQUATION_U && isnan(t->level)) t->level = *t->theirs - *t->ours;
    if (k == EQUATION_U) *t->ours += t->level;
    if (k == EQUATION_L) *t->ours -= t->level;
    s = agree(t, names[k], entries);
  }
  return s;
}

// ---- loops ---------------------------------------------------------------------------------------------------------

// The rank of the first `ours` rows of Psi and the first `theirs` of the library's, each scaled to length one unless it
// is rounding.
static int rank_of(const trial* t, int ours, int theirs)
{
  const int n = t->x->nv, count = ours + theirs;
  double* A = limb_ring_alloc(t->x->ring, (size_t)count * (size_t)(n + 2), sizeof *A);
  int* pivot = limb_ring_alloc(t->x->ring, (size_t)count, sizeof *pivot);
  if (!A || !pivot) return -1;
  for (int r = 0; r < count; r++) {
    const double* row = r < ours ? t->ours + (ptrdiff_t)r * n : t->theirs + (ptrdiff_t)(r - ours) * n;
    const double length = sqrt(limb_dot((size_t)n, row, row));
    const double largest = limb_largest((size_t)((r < ours ? ours : theirs) * n), r < ours ? t->ours : t->theirs);
    for (int k = 0; k < n && length > SAME_ROWS * largest; k++) A[r * n + k] = row[k] / length;
  }
  limb_qr_factor(n, count, A, pivot, A + (ptrdiff_t)count * n);
  return limb_qr_rank(n, count, A, SAME_ROWS).rank;
}

// Where the loops are closed, the rows of both matrices span the same space.
static limb_status check_rows(const trial* t)
{
  const limb_equations* x = t->x;
  const int nc = limb_constraint_count(x->m);
  const limb_loop_equations out = {.Psi = t->theirs};
  limb_status s = limb_loop_equations_at(t->loops, t->q, NULL, NULL, &out);
  if (s != LIMB_OK) return s;
  for (int i = 0; i < x->nrow * x->nv; i++) t->ours[i] = value(t, x->Psi[i]);
  const int ours = rank_of(t, x->nrow, 0), theirs = rank_of(t, 0, nc), both = rank_of(t, x->nrow, nc);
  if (ours == both && theirs == both) return limb_ring_status(x->ring);
  return limb_fail(x->error, LIMB_E_UNSUPPORTED, "Psi",
                   "the rows differ from those of the library (rank %d, %d, together %d), so nothing is written", ours,
                   theirs, both);
}

static limb_status check_loops(const trial* t)
{
  uint64_t seed = 7;
  limb_status s = limb_start(t->x->m, t->q);
  int checked = 0;
  for (int k = 0; k < TRIES && s == LIMB_OK && checked < STATES; k++) {
    const bool closed = limb_assemble(t->loops, NULL, t->q, NULL) == LIMB_OK;
    set_values(t);
    if (closed) s = check_rows(t), checked++;
    if (s == LIMB_OK) s = limb_random(t->x->m, &seed, t->q);
  }
  if (s == LIMB_OK && checked == 0)
    return limb_fail(t->x->error, LIMB_E_UNSUPPORTED, "Psi",
                     "no configuration was found that closes the loops: the rows cannot be compared");
  return s;
}

// ---- entry point ---------------------------------------------------------------------------------------------------

// dPsi/dt v against the rows of Psi a little before and after.
static limb_status check_rate(trial* t)
{
  enum { SIDES = 2 };
  static const double STEP = 1e-5, CLOSE = 1e-7;
  const limb_equations* x = t->x;
  const int n = x->nrow * x->nv;
  double apart = 0, size = 1;
  for (int i = 0; i < n; i++) t->ours[i] = value(t, x->Psidot[i]), t->theirs[i] = 0;
  for (int side = 0; side < SIDES; side++) {
    const limb_status s = limb_integrate(x->m, t->q, t->v, (side ? -2 : 1) * STEP, t->q);
    if (s != LIMB_OK) return s;
    set_values(t);
    for (int i = 0; i < n; i++) t->theirs[i] += (side ? -1 : 1) * value(t, x->Psi[i]) / (2 * STEP);
  }
  for (int i = 0; i < n; i++) {
    apart = fmax(apart, fabs(t->ours[i] - t->theirs[i]));
    size = fmax(size, fabs(t->theirs[i]));
  }
  if (apart <= CLOSE * size) return LIMB_OK;
  return limb_fail(x->error, LIMB_E_UNSUPPORTED, "Psidot", "it differs from the change of Psi by %.2g of %.2g", apart,
                   size);
}

static limb_status check_states(trial* t, unsigned what)
{
  uint64_t seed = 3;
  limb_status s = LIMB_OK;
  for (int k = 0; k < STATES && s == LIMB_OK; k++) {
    s = limb_random(t->x->m, &seed, t->q);
    for (int i = 0; i < t->x->nv; i++) t->v[i] = limb_random_sign(&seed), t->a[i] = limb_random_sign(&seed);
    set_values(t);
    if (s == LIMB_OK) s = check_quantities(t, limb_equations_needed(what));
  }
  if (s == LIMB_OK && limb_equations_has(what, EQUATION_PSIDOT)) s = check_rate(t);
  if (s == LIMB_OK && limb_equations_has(limb_equations_needed(what), EQUATION_PSI)) s = check_loops(t);
  return s;
}

limb_status limb_equations_check(limb_equations* x, unsigned what)
{
  const limb_model* m = x->m;
  const limb_allocator* alloc = &x->program->alloc;
  const size_t n = (size_t)m->nv, rows = (size_t)limb_constraint_count(m) + (size_t)x->nrow + n + 1;
  trial t = {.x = x, .level = (double)NAN};
  t.value = limb_ring_alloc(x->ring, (size_t)limb_ring_count(x->ring), sizeof *t.value);
  t.q = limb_ring_alloc(x->ring, (size_t)m->nq, sizeof *t.q);
  t.v = limb_ring_alloc(x->ring, n, sizeof *t.v);
  t.a = limb_ring_alloc(x->ring, n, sizeof *t.a);
  t.ours = limb_ring_alloc(x->ring, n * (rows + n * n), sizeof *t.ours);
  t.theirs = limb_ring_alloc(x->ring, n * (rows + n * n), sizeof *t.theirs);
  limb_status s = limb_ring_status(x->ring);
  limb_evaluator_options how = limb_default_evaluator_options();
  how.tree = 1;
  if (s == LIMB_OK) s = limb_evaluator_create(m, &how, alloc, &t.library);
  if (s == LIMB_OK && limb_equations_has(limb_equations_needed(what), EQUATION_PSI))
    s = limb_data_create(m, alloc, &t.loops);
  if (s == LIMB_OK) s = check_states(&t, what);
  limb_data_destroy(t.loops);
  limb_evaluator_destroy(t.library);
  return s;
}
