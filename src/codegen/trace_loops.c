// Quantities of robots with loops: the constraint equations, and dynamics in the reduced form.
//
// q must close the loops (limb_assemble, limb_project); v and a must satisfy them.
#include "codegen/trace.h"

enum { Q = 1U << INPUT_Q, V = 1U << INPUT_V, A = 1U << INPUT_A, TAU = 1U << INPUT_TAU };

// Adds an output with labels of its own; NULL pointers mean that memory was exhausted.
static limb_status put(limb_tracer* t, limb_function* f, limb_output shape, const limb_scalar* x)
{
  return x && (shape.label || shape.column) ? limb_trace_output(t, f, shape, x) : LIMB_E_NOMEM;
}

// ---- the equations -------------------------------------------------------------------------------------------------

// Labels of rows: "<loop>.move_x".
static const char** row_labels(const limb_loop_trace* c)
{
  const limb_model* m = &c->m;
  const char** label = limb_program_alloc(c->t->program, (size_t)m->nrow + 1, sizeof *label);
  for (int l = 0; label && l < m->nloop; l++) {
    const limb_loop* loop = &m->loop[l];
    for (int r = 0; r < loop->nrow; r++) {
      const char* row = limb_loop_constraint_name(&loop->def, r);
      const char* const parts[] = {loop->def.name, ".", row ? row : "?", NULL};
      label[loop->row + r] = limb_program_text(c->t->program, parts);
      if (!label[loop->row + r]) return NULL;
    }
  }
  return label;
}

// From the order of the clusters to the user's.
static limb_scalar* rows_to_user(const limb_loop_trace* c, const limb_scalar* x)
{
  const limb_model* m = &c->m;
  limb_scalar* to = limb_trace_scalars(c->t, (size_t)m->nrow);
  for (int l = 0; to && l < m->nloop; l++) {
    const limb_loop* loop = &m->loop[l];
    const int first = m->clusters.cluster[loop->cluster].row + loop->local;
    for (int r = 0; r < loop->nrow; r++) to[loop->row + r] = x[first + r];
  }
  return to;
}

static limb_scalar* full_psi(const limb_loop_trace* c)
{
  const limb_model* m = &c->m;
  limb_scalar* to = limb_trace_scalars(c->t, (size_t)m->nrow * (size_t)m->nv);
  for (int l = 0; to && l < m->nloop; l++) {
    const limb_loop* loop = &m->loop[l];
    const limb_cluster* k = &m->clusters.cluster[loop->cluster];
    for (int r = 0; r < loop->nrow; r++) {
      const limb_scalar* row = c->Psi + k->block + (ptrdiff_t)(loop->local + r) * k->nv;
      for (int j = 0; j < k->nv; j++) to[(ptrdiff_t)(loop->row + r) * m->nv + k->v[j]] = row[j];
    }
  }
  return to;
}

limb_status limb_trace_psi(limb_tracer* t, limb_function* f)
{
  limb_loop_trace c;
  limb_trace_set_inputs_no_gravity(t, f, Q);
  const limb_status s = limb_trace_constraints(t, false, &c);
  if (s != LIMB_OK) return s;
  const limb_output shape = {.name = "Psi",
                             .meaning = "rates of the loop equations per velocity",
                             .rows = t->m->nrow,
                             .columns = t->m->nv,
                             .label = row_labels(&c)};
  return put(t, f, shape, full_psi(&c));
}

limb_status limb_trace_gamma(limb_tracer* t, limb_function* f)
{
  limb_loop_trace c;
  limb_trace_set_inputs_no_gravity(t, f, Q | V);
  const limb_status s = limb_trace_constraints(t, true, &c);
  if (s != LIMB_OK) return s;
  const limb_output shape = {
    .name = "gamma", .meaning = "the required Psi a", .rows = t->m->nrow, .columns = 1, .label = row_labels(&c)};
  return put(t, f, shape, rows_to_user(&c, c.gamma));
}

// ---- independent velocities ----------------------------------------------------------------------------------------

static const char** independent_labels(const limb_loop_trace* c)
{
  const char** label = limb_program_alloc(c->t->program, (size_t)c->partition.ny + 1, sizeof *label);
  for (int j = 0; label && j < c->partition.ny; j++) label[j] = c->t->program->input[INPUT_V].label[c->partition.y[j]];
  return label;
}

limb_status limb_trace_velocity_map(limb_tracer* t, limb_function* f)
{
  limb_loop_trace c;
  limb_trace_set_inputs_no_gravity(t, f, Q);
  const limb_status s = limb_trace_reduce(t, NULL, false, &c);
  if (s != LIMB_OK) return s;
  const limb_output shape = {.name = "G",
                             .meaning = "velocities of all joints per independent one",
                             .rows = t->m->nv,
                             .columns = c.partition.ny,
                             .column = independent_labels(&c)};
  return put(t, f, shape, c.G);
}

// The independent components of x.
static limb_scalar* independent(const limb_loop_trace* c, const limb_scalar* x)
{
  limb_scalar* y = limb_trace_scalars(c->t, (size_t)c->partition.ny);
  for (int j = 0; y && j < c->partition.ny; j++) y[j] = x[c->partition.y[j]];
  return y;
}

// g depends on all velocities: the dependent ones replace symbols before g is traced.
limb_status limb_trace_passive(limb_tracer* t, limb_function* f)
{
  limb_loop_trace c;
  limb_trace_set_inputs_no_gravity(t, f, Q | V | A);
  limb_status s = limb_trace_reduce(t, NULL, false, &c);
  if (s != LIMB_OK) return s;
  f->note = "q must close the loops. Of v and a the independent components are read:";
  f->noted = independent_labels(&c), f->nnoted = c.partition.ny;
  if (!f->noted) return LIMB_E_NOMEM;
  limb_scalar* const symbols = t->v;
  limb_scalar* v = limb_trace_scalars(t, (size_t)t->m->nv);
  limb_scalar* a = limb_trace_scalars(t, (size_t)t->m->nv);
  const limb_scalar *rate = independent(&c, t->v), *second = independent(&c, t->a);
  if (!v || !a || !rate || !second) return LIMB_E_NOMEM;
  limb_trace_from_independent(&c, rate, NULL, v);
  limb_trace_clear(t);
  t->v = v;
  s = limb_trace_reduce(t, NULL, true, &c);
  t->v = symbols;
  if (s != LIMB_OK) return s;
  limb_trace_from_independent(&c, second, c.g, a);
  s = limb_trace_vector(t, f, "v_all", "velocities of all joints", v);
  return s == LIMB_OK ? limb_trace_vector(t, f, "a_all", "accelerations of all joints", a) : s;
}

// ---- dynamics ------------------------------------------------------------------------------------------------------

// Records a quantity, with the velocities marked by prefer as dependent ones if possible.
typedef limb_status recorder(limb_tracer* t, limb_function* f, const unsigned char* prefer, limb_loop_trace* c);

// Marks velocities that move one loop only. If those that move several (such as a platform's) are independent, the
// loops decouple.
static unsigned char* single_marks(limb_tracer* t)
{
  const limb_model* m = t->m;
  unsigned char* loops = limb_program_alloc(t->program, (size_t)m->nv + 1, 1);
  for (int l = 0; loops && l < m->nloop; l++) {
    const limb_loop* loop = &m->loop[l];
    const limb_cluster* k = &m->clusters.cluster[loop->cluster];
    for (int x = 0; x < loop->naxis; x++) {
      unsigned char* n = &loops[k->v[loop->axis[x].column]];
      if (*n < 2) ++*n;
    }
  }
  for (int v = 0; loops && v < m->nv; v++) loops[v] = loops[v] < 2;
  return loops;
}

#define PIVOT_SHARE 0.1 // of the other way's smallest pivot

// The result does not depend on the choice of independent coordinates: records the one with fewer operations, unless
// it loses digits.
static limb_status record_cheaper(limb_tracer* t, limb_function* f, recorder* record)
{
  limb_error* const error = t->error;
  limb_error why = {0}; // the message of the first way
  const unsigned char* single = single_marks(t);
  limb_function other = {.kind = f->kind, .name = f->name, .meaning = f->meaning};
  limb_loop_trace c, d;
  t->error = &why;
  limb_status s = record(t, f, NULL, &c);
  if (s == LIMB_OK) s = limb_trace_judge(t, f);
  limb_graph_forget_demands(t->graph);
  t->error = NULL;
  if (!single || s == LIMB_E_NOMEM) return LIMB_E_NOMEM;
  limb_trace_clear(t);
  limb_status second = record(t, &other, single, &d);
  if (second == LIMB_OK) second = limb_trace_judge(t, &other);
  t->error = error;
  if (second != LIMB_OK) {
    if (error && s != LIMB_OK) *error = why;
    return s;
  }
  if (s == LIMB_OK && d.partition.min_pivot < PIVOT_SHARE * c.partition.min_pivot) return s;
  limb_operations x = {0}, y = {0};
  if (s == LIMB_OK && (!limb_count_operations(t->graph, f, &x) || !limb_count_operations(t->graph, &other, &y)))
    return LIMB_E_NOMEM;
  if (s != LIMB_OK || limb_operations_weight(&y) < limb_operations_weight(&x)) *f = other;
  return LIMB_OK;
}

// Sets the note about conditions on the inputs and the independent coordinates.
static limb_status note_elimination(const limb_loop_trace* c, limb_function* f)
{
  f->note = f->inputs & A ? "q must close the loops, v and a satisfy them. Not valid where these do not "
                            "determine the others:"
                          : "q must close the loops, v satisfy them. Not valid where these do not "
                            "determine the others:";
  f->noted = independent_labels(c), f->nnoted = c->partition.ny;
  return f->noted ? LIMB_OK : LIMB_E_NOMEM;
}

static limb_status record_inverse(limb_tracer* t, limb_function* f, const unsigned char* prefer, limb_loop_trace* c)
{
  limb_trace_set_inputs(t, f, Q | V | A);
  limb_status s = limb_trace_reduce(t, prefer, false, c);
  if (s == LIMB_OK) s = note_elimination(c, f);
  if (s != LIMB_OK) return s;
  limb_scalar* tree = limb_trace_scalars(t, (size_t)t->m->nv);
  limb_scalar* tau = limb_trace_scalars(t, (size_t)t->m->nv);
  if (!tree || !tau) return LIMB_E_NOMEM;
  limb_trace_tree_forces(c, t->v, t->a, tree);
  s = limb_trace_motor_forces(c, tree, tau);
  for (int v = 0; v < t->m->nv; v++) { // joints that no loop ties get the force that the motion needs
    if (c->m.clusters.of_v[v] < 0) tau[v] = tree[v];
  }
  return s == LIMB_OK ? limb_trace_vector(t, f, "tau", "forces of motors; zero at passive joints of loops", tau) : s;
}

// Accelerations under tau.
static limb_status forward(limb_tracer* t, limb_function* f, const unsigned char* prefer, limb_loop_trace* c,
                           limb_scalar** a)
{
  limb_trace_set_inputs(t, f, Q | V | TAU);
  limb_status s = limb_trace_reduce(t, prefer, true, c);
  if (s == LIMB_OK) s = note_elimination(c, f);
  if (s != LIMB_OK) return s;
  *a = limb_trace_scalars(t, (size_t)t->m->nv);
  if (!*a) return LIMB_E_NOMEM;
  s = limb_trace_forward(c, t->tau, *a);
  return s == LIMB_OK ? limb_trace_vector(t, f, "a", "joint accelerations", *a) : s;
}

static limb_status record_forward(limb_tracer* t, limb_function* f, const unsigned char* prefer, limb_loop_trace* c)
{
  limb_scalar* a;
  return forward(t, f, prefer, c, &a);
}

// Psi' lambda = inverse dynamics of a - tau.
static limb_status record_multipliers(limb_tracer* t, limb_function* f, const unsigned char* prefer, limb_loop_trace* c)
{
  limb_scalar* a;
  limb_status s = forward(t, f, prefer, c, &a);
  if (s != LIMB_OK) return s;
  limb_scalar* left = limb_trace_scalars(t, (size_t)t->m->nv);
  limb_scalar* lambda = limb_trace_scalars(t, (size_t)t->m->nrow);
  if (!left || !lambda) return LIMB_E_NOMEM;
  limb_trace_clear(t);
  limb_trace_tree_forces(c, t->v, a, left);
  for (int v = 0; v < t->m->nv; v++) left[v] = sub(left[v], t->tau[v]);
  s = limb_trace_multipliers(c, left, lambda);
  if (s != LIMB_OK) return s;
  const limb_output shape = {.name = "multipliers",
                             .meaning = "forces of the closures along their rows, on frame b",
                             .rows = t->m->nrow,
                             .columns = 1,
                             .label = row_labels(c)};
  return put(t, f, shape, rows_to_user(c, lambda));
}

limb_status limb_trace_closed_inverse(limb_tracer* t, limb_function* f) { return record_cheaper(t, f, record_inverse); }

limb_status limb_trace_closed_forward(limb_tracer* t, limb_function* f) { return record_cheaper(t, f, record_forward); }

limb_status limb_trace_lambda(limb_tracer* t, limb_function* f) { return record_cheaper(t, f, record_multipliers); }

limb_status limb_trace_closed_mass(limb_tracer* t, limb_function* f)
{
  limb_loop_trace c;
  limb_trace_set_inputs_no_gravity(t, f, Q);
  limb_status s = limb_trace_reduce(t, NULL, false, &c);
  if (s != LIMB_OK) return s;
  const size_t ny = (size_t)c.partition.ny;
  limb_scalar* M = limb_trace_scalars(t, ny * ny);
  if (!M) return LIMB_E_NOMEM;
  s = limb_trace_reduced_mass(&c, M);
  const limb_output shape = {.name = "M",
                             .meaning = "mass matrix of the independent coordinates",
                             .rows = c.partition.ny,
                             .columns = c.partition.ny,
                             .label = independent_labels(&c)};
  return s == LIMB_OK ? put(t, f, shape, M) : s;
}

limb_status limb_trace_closed_bias(limb_tracer* t, limb_function* f)
{
  limb_loop_trace c;
  limb_trace_set_inputs(t, f, Q | V);
  const limb_status s = limb_trace_reduce(t, NULL, true, &c);
  if (s != LIMB_OK) return s;
  limb_scalar* tree = limb_trace_scalars(t, (size_t)t->m->nv);
  limb_scalar* h = limb_trace_scalars(t, (size_t)c.partition.ny);
  if (!tree || !h) return LIMB_E_NOMEM;
  limb_trace_tree_forces(&c, t->v, c.g, tree);
  limb_trace_to_independent(&c, tree, h);
  const limb_output shape = {.name = "h",
                             .meaning = "forces along the independent coordinates without "
                                        "acceleration, with friction and springs",
                             .rows = c.partition.ny,
                             .columns = 1,
                             .label = independent_labels(&c)};
  return put(t, f, shape, h);
}
