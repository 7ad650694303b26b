// Base parameters: the object, and the reduced regressor. The steps are in the files base_parameters_*.c:
// structure (what leaves the links), group (rows), formula, matrix (K and Z), numeric (the comparison).

#include "ident/base_parameters_impl.h"

#include "base/memory.h"
#include "base/numeric.h"
#include "dynamics/environment.h"
#include "kinematics/kinematics_impl.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- memory -------------------------------------------------------------------------------------------------

enum { HEAD = 64 }; // keeps what follows aligned

struct limb_block {
  limb_block* before;
  size_t size;
};

void* limb_blocks_take(limb_blocks* b, size_t count, size_t size)
{
  if (count > 0 && size > ((size_t)-1 - HEAD) / count) return NULL;
  const size_t bytes = HEAD + count * size;
  limb_block* block = limb_alloc(&b->alloc, bytes);
  if (!block) return NULL;
  memset(block, 0, bytes);
  block->before = b->last, block->size = bytes;
  b->last = block;
  return (char*)block + HEAD;
}

static void free_blocks(limb_blocks* b)
{
  const limb_allocator alloc = b->alloc; // b may be in one of them
  for (limb_block* block = b->last; block;) {
    limb_block* before = block->before;
    limb_free(&alloc, block, block->size);
    block = before;
  }
}

// ---- the robot ----------------------------------------------------------------------------------------------

// Lengths that the robot was described with: what the compiler makes of them has their rounding.
static double described_length(const limb_model* m)
{
  double length = 0;
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint_def* def = &m->joint[j].def;
    length = fmax(length, limb_largest3(def->placement.p));
    if (def->type == LIMB_HELICAL) length = fmax(length, fabs(def->pitch));
  }
  return length;
}

// Size of the robot: the longest offset between joints that is one, and no rounding; pitches are lengths, too.
static double size_of(const limb_grouping* g)
{
  const limb_model* m = g->m;
  const double described = described_length(m);
  double length = 0;
  for (int i = 0; i < m->nlink; i++)
    length = fmax(length, fmax(limb_largest3(g->joint_pose[i].p), fabs(m->k64[i].pitch)));
  if (length > 1e-12 * described) return length;
  return described > 0 ? described : 1;
}

// Poses of the links in their antecedents at the neutral configuration, and the size of the robot.
static limb_status set_places(limb_grouping* g, limb_blocks* scratch)
{
  const limb_model* m = g->m;
  limb_data* d = NULL;
  double* q = limb_blocks_take(scratch, (size_t)m->nq, sizeof(double));
  if (!q) return LIMB_E_NOMEM;
  limb_status s = limb_neutral(m, q);
  if (s == LIMB_OK) s = limb_data_create(limb_spanning_tree(m), &scratch->alloc, &d);
  if (s == LIMB_OK) s = limb_link_kinematics(d, q, NULL, NULL, &d->own);
  if (s == LIMB_OK) {
    limb_measure_from_root(m, q, d->own.X);
    for (int i = 0; i < m->nlink; i++) {
      const int p = m->link[i].parent;
      g->joint_pose[i] = p < 0 ? d->own.X[i] : sp_compose(sp_invert(d->own.X[p]), d->own.X[i]);
    }
  }
  limb_data_destroy(d);
  g->length = size_of(g);
  const double square = g->length * g->length; // the unit of moments of inertia
  if (s == LIMB_OK && !(square >= DBL_MIN && square <= DBL_MAX)) s = LIMB_E_NONFINITE;
  return s;
}

static limb_status make_grouping(limb_grouping* g, limb_blocks* scratch)
{
  const limb_model* m = g->m;
  const size_t nl = (size_t)m->nlink, nj = (size_t)m->njoint;
  g->actuator = limb_blocks_take(scratch, nj, sizeof(int));
  g->source = limb_blocks_take(scratch, nj, sizeof(int));
  g->body = limb_blocks_take(scratch, nl, sizeof(int));
  g->joint_pose = limb_blocks_take(scratch, nl, sizeof *g->joint_pose);
  g->leave = limb_blocks_take(scratch, nl, sizeof *g->leave);
  if (!g->actuator || !g->source || !g->body || !g->joint_pose || !g->leave) return LIMB_E_NOMEM;
  for (int j = 0; j < m->njoint; j++) g->actuator[j] = limb_has_actuator(m, j) ? g->nactuator++ : -1;
  for (int j = 0; j < m->njoint; j++) {
    if (g->actuator[j] < 0) continue;
    int source = j;
    while (m->joint[source].def.mimic >= 0) source = m->joint[source].def.mimic;
    g->source[g->actuator[j]] = g->actuator[source];
  }
  for (int i = 0; i < m->nlink; i++) g->body[i] = -1;
  for (int b = 0; b < m->nbody; b++)
    if (limb_has_parameters(m, b)) g->body[m->body[b].link] = b;
  g->nparameter = LIMB_INERTIAL * m->nlink + limb_other_parameters(g);
  return set_places(g, scratch);
}

// ---- the object ---------------------------------------------------------------------------------------------

// One term, perhaps with a sum in brackets behind its factor: no sign between blanks outside of brackets.
static bool is_single(const char* formula)
{
  int depth = 0;
  for (const char* c = formula; *c; c++) {
    depth += (*c == '(') - (*c == ')');
    if (depth == 0 && (strncmp(c, " + ", 3) == 0 || strncmp(c, " - ", 3) == 0)) return false;
  }
  return true;
}

// " + 0.5 (b)", " - b": by times a formula.
static size_t put_merged(char* text, size_t capacity, double by, const char* formula)
{
  char digits[LIMB_NUMBER_SPACE];
  const bool single = is_single(formula), turned = single && *formula == '-';
  const bool minus = (by < 0) != turned, number = limb_coefficient_factor(fabs(by), digits);
  const int used = snprintf(text, capacity, " %c %s%s%s%s%s", minus ? '-' : '+', number ? digits : "",
                            number ? " " : "", single ? "" : "(", formula + turned, single ? "" : ")");
  return used > 0 ? (size_t)used : 0;
}

// "a + 0.5 (b)" for the rows that the structure kept apart.
static char* merged_formula(limb_blocks* keep, int nb, int row, const limb_merge* merge, const char* const* formula)
{
  size_t capacity = strlen(formula[row]) + 1;
  for (int r = 0; r < nb; r++) {
    const bool gains = merge->by[(size_t)row * (size_t)nb + (size_t)r] != 0;
    capacity += gains ? strlen(formula[r]) + LIMB_NUMBER_SPACE + sizeof " +  ()" : 0;
  }
  char* text = limb_blocks_take(keep, capacity, 1);
  if (!text) return NULL;
  size_t used = strlen(formula[row]);
  memcpy(text, formula[row], used);
  for (int r = 0; r < nb; r++) {
    const double by = merge->by[(size_t)row * (size_t)nb + (size_t)r];
    if (by != 0) used += put_merged(text + used, capacity - used, by, formula[r]);
  }
  return text;
}

static void add_merged(const limb_matrices* x, const limb_merge* merge, int row)
{
  const size_t np = (size_t)x->np, nb = (size_t)x->nb;
  for (size_t r = 0; r < nb; r++) {
    const double by = merge->by[(size_t)row * nb + r];
    for (size_t c = 0; c < np && by != 0; c++) x->K[(size_t)row * np + c] += by * x->K[r * np + c];
  }
}

// Takes over the rows that stay, with their texts.
static limb_status take_rows(limb_base_parameters* b, limb_matrices* x, const limb_merge* merge,
                             const char* const* name, const char* const* formula, limb_blocks* scratch)
{
  const size_t np = (size_t)x->np;
  const char** text = limb_blocks_take(scratch, (size_t)x->nb, sizeof *text);
  if (!text) return LIMB_E_NOMEM;
  for (int r = 0; r < x->nb; r++) text[r] = formula[x->row[r]];
  for (int r = 0; r < x->nb; r++) {
    if (merge->dropped && merge->dropped[r]) continue;
    bool gains = false;
    for (int k = 0; k < x->nb && merge->by; k++) gains |= merge->by[(size_t)r * (size_t)x->nb + (size_t)k] != 0;
    if (gains) add_merged(x, merge, r);
    b->name[b->nb] = name[x->row[r]];
    b->formula[b->nb] = gains ? merged_formula(&b->blocks, x->nb, r, merge, text) : text[r];
    if (!b->formula[b->nb]) return LIMB_E_NOMEM;
    memcpy(b->K + (size_t)b->nb * np, x->K + (size_t)r * np, np * sizeof(double));
    b->start[b->nb + 1] = b->start[b->nb];
    for (size_t c = 0; c < np; c++) {
      const double z = x->Z[(size_t)r * np + c];
      if (z == 0) continue;
      b->index[b->start[b->nb + 1]] = (int)c, b->value[b->start[b->nb + 1]++] = z;
    }
    b->nb++;
  }
  return LIMB_OK;
}

static limb_status reserve(limb_base_parameters* b, const limb_matrices* x)
{
  const size_t n = (size_t)x->nb, np = (size_t)x->np;
  size_t entries = 0;
  for (size_t i = 0; i < n * np; i++) entries += x->Z[i] != 0;
  b->theta = limb_blocks_take(&b->blocks, np, sizeof(double));
  b->K = limb_blocks_take(&b->blocks, n * np, sizeof(double));
  b->start = limb_blocks_take(&b->blocks, n + 1, sizeof(int));
  b->index = limb_blocks_take(&b->blocks, entries, sizeof(int));
  b->value = limb_blocks_take(&b->blocks, entries, sizeof(double));
  b->effect = limb_blocks_take(&b->blocks, np, sizeof *b->effect);
  b->name = limb_blocks_take(&b->blocks, n, sizeof *b->name);
  b->formula = limb_blocks_take(&b->blocks, n, sizeof *b->formula);
  const bool fine = b->theta && b->K && b->start && b->index && b->value && b->effect && b->name && b->formula;
  return fine ? limb_parameters(b->m, b->theta) : LIMB_E_NOMEM;
}

static bool counts(double x, double unit, double threshold) { return x != 0 && fabs(x) * unit >= threshold; }

// Which parameters are base parameters themselves, and which have no effect. What formulas leave out makes
// no company.
static limb_status find_effects(const limb_grouping* g, limb_base_parameters* b, limb_blocks* scratch)
{
  const size_t np = (size_t)b->np, nb = (size_t)b->nb;
  double* unit = limb_blocks_take(scratch, np, sizeof(double));
  double* threshold = limb_blocks_take(scratch, nb, sizeof(double));
  int* members = limb_blocks_take(scratch, nb, sizeof(int));
  if (!unit || !threshold || !members) return LIMB_E_NOMEM;
  limb_grouping_units(g, unit);
  for (size_t r = 0; r < nb; r++) {
    const double* row = b->K + r * np;
    threshold[r] = limb_grouping_threshold(np, unit, row);
    for (size_t c = 0; c < np; c++) members[r] += counts(row[c], unit[c], threshold[r]);
  }
  for (int c = 0; c < b->np; c++) {
    limb_parameter_info info;
    int rows = 0, mates = 0;
    for (size_t r = 0; r < nb; r++) {
      if (!counts(b->K[r * np + (size_t)c], unit[c], threshold[r])) continue;
      rows++, mates += members[r];
    }
    b->effect[c] = rows == 0 ? LIMB_EFFECT_NONE : rows == 1 && mates == 1 ? LIMB_EFFECT_ALONE : LIMB_EFFECT_COMBINED;
    const bool out = limb_get_parameter(g->m, c, &info) == LIMB_OK && limb_grouping_leaves_out(g, info.kind);
    if (out) b->effect[c] = LIMB_EFFECT_LEFT_OUT;
    b->facts.considered += !out;
  }
  return LIMB_OK;
}

static limb_status fill(limb_base_parameters* b, limb_grouping* g, limb_blocks* scratch)
{
  limb_rows rows;
  limb_matrices x;
  limb_merge merge = {0};
  limb_status s = make_grouping(g, scratch);
  if (s == LIMB_OK) s = limb_grouping_structure(g, scratch);
  if (s == LIMB_OK) s = limb_grouping_rows(g, scratch, &rows);
  if (s == LIMB_OK) s = limb_grouping_matrices(g, &rows, scratch, &x);
  if (s == LIMB_OK) s = reserve(b, &x);
  if (s != LIMB_OK) return s;
  const size_t n = (size_t)rows.count;
  const char** name = limb_blocks_take(scratch, n, sizeof *name);
  const char** formula = limb_blocks_take(scratch, n, sizeof *formula);
  if (!name || !formula) return LIMB_E_NOMEM;
  s = limb_grouping_formulas(g, &rows, &b->blocks, scratch, name, formula);
  if (s != LIMB_OK) return s;
  b->facts = (limb_base_facts){.parameters = x.np, .structure = x.nb, .numeric = -1, .kept = 1};
  if (!(g->flags & LIMB_BASE_STRUCTURE_ONLY)) s = limb_grouping_check(g, &x, scratch, &b->facts, &merge);
  if (s == LIMB_OK) s = take_rows(b, &x, &merge, name, formula, scratch);
  return s == LIMB_OK ? find_effects(g, b, scratch) : s;
}

limb_status limb_base_create(const limb_model* m, const limb_environment* env, unsigned flags,
                             const limb_allocator* alloc, limb_base_parameters** out)
{
  const unsigned known = LIMB_BASE_NO_ROTORS | LIMB_BASE_NO_SPRINGS | LIMB_BASE_STRUCTURE_ONLY;
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (!m || flags & ~known || (alloc && (!alloc->alloc || !alloc->free))) return LIMB_E_ARG;
  limb_grouping g = {.m = m, .flags = flags};
  limb_status s = limb_environment_read(m, env, &g.env);
  if (s != LIMB_OK) return s;
  g.env.nwrench = 0, g.env.wrench = NULL;
  g.env.nlaw = 0, g.env.law = NULL;
  if (!limb_base_rests(&g.env)) return LIMB_E_ARG;
  const int np = limb_parameter_count(m);
  if (np > LIMB_BASE_MAX) return LIMB_E_UNSUPPORTED;
  limb_blocks own = {.alloc = alloc ? *alloc : limb_default_allocator()}, scratch = own;
  limb_base_parameters* b = limb_blocks_take(&own, 1, sizeof *b);
  if (!b) return LIMB_E_NOMEM;
  b->blocks = own;
  b->m = m, b->env = g.env, b->nv = m->nv, b->np = np;
  s = fill(b, &g, &scratch);
  free_blocks(&scratch);
  if (s == LIMB_OK) {
    *out = b;
  } else {
    limb_base_destroy(b);
  }
  return s;
}

void limb_base_destroy(limb_base_parameters* b)
{
  if (b) free_blocks(&b->blocks);
}

// ---- asking -------------------------------------------------------------------------------------------------

int limb_base_count(const limb_base_parameters* b) { return b ? b->nb : 0; }

limb_status limb_base_get_facts(const limb_base_parameters* b, limb_base_facts* out)
{
  if (!b || !out) return LIMB_E_ARG;
  *out = b->facts;
  return LIMB_OK;
}

static bool has(const limb_base_parameters* b, int index) { return b && index >= 0 && index < b->nb; }

const char* limb_base_name(const limb_base_parameters* b, int index) { return has(b, index) ? b->name[index] : NULL; }

const char* limb_base_formula(const limb_base_parameters* b, int index)
{
  return has(b, index) ? b->formula[index] : NULL;
}

const double* limb_base_matrix(const limb_base_parameters* b) { return b ? b->K : NULL; }

limb_base_effect limb_base_effect_of(const limb_base_parameters* b, int parameter)
{
  return b && parameter >= 0 && parameter < b->np ? b->effect[parameter] : LIMB_EFFECT_NONE;
}

limb_status limb_base_values(const limb_base_parameters* b, const double* theta, double* theta_b)
{
  if (!b || !theta_b) return LIMB_E_ARG;
  const double* x = theta ? theta : b->theta;
  for (int r = 0; r < b->nb; r++) {
    const double* row = b->K + (size_t)r * (size_t)b->np;
    theta_b[r] = limb_dot((size_t)b->np, row, x);
  }
  return limb_finite(b->nb, theta_b) ? LIMB_OK : LIMB_E_NONFINITE;
}

size_t limb_base_work(const limb_base_parameters* b) { return b ? (size_t)b->nv * (size_t)b->np : 0; }

limb_status limb_base_regressor(const limb_base_parameters* b, limb_data* d, const double* q, const double* v,
                                const double* a, double* work, double* Y_b)
{
  if (!b || !d || !work || !Y_b || limb_spanning_tree(d->m) != limb_spanning_tree(b->m)) return LIMB_E_ARG;
  const limb_status s = limb_regressor(d, q, v, a, &b->env, work);
  if (s != LIMB_OK) return s;
  for (int i = 0; i < b->nv; i++) {
    const double* y = work + (size_t)i * (size_t)b->np;
    double* out = Y_b + (size_t)i * (size_t)b->nb;
    for (int r = 0; r < b->nb; r++) {
      out[r] = 0;
      for (int k = b->start[r]; k < b->start[r + 1]; k++) out[r] += b->value[k] * y[b->index[k]];
    }
  }
  return limb_finite((ptrdiff_t)b->nv * b->nb, Y_b) ? LIMB_OK : LIMB_E_NONFINITE;
}
