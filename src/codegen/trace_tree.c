// Quantities of trees: what the kernels of dynamics compute, each as a function.
//
// Forward dynamics can be had in three ways: articulated bodies, factors of the mass matrix, and a kernel for short
// chains. Derivatives and the Coriolis matrix can be had in two: the kernels of the library, and derivatives of the
// expressions of inverse dynamics and of the mass matrix. The former share more between links, the latter start from
// expressions in which only this robot is left. The way with the fewest operations is written. Where numbers of the
// robot stay symbols, only derivatives of expressions know of them.
//
//   C_ij = 1/2 sum_k (d M_ij / d q_k + d M_ik / d q_j - d M_jk / d q_i) v_k        Christoffel symbols
#include "limb/derivatives.h"
#include "limb/regressor.h"

#include "base/status.h"
#include "codegen/graph.h"
#include "codegen/text.h"
#include "codegen/trace.h"
#include "dynamics/dynamics_impl.h"
#include "kinematics/kinematics_impl.h"

#include <stdio.h>
#include <string.h>

static const limb_kernels_symbol* const kernels = &limb_trace_kernels;
static const limb_terms bodies_only = {0};

static size_t square(const limb_tracer* t) { return (size_t)t->m->nv * (size_t)t->m->nv; }

limb_status limb_trace_vector(limb_tracer* t, limb_function* f, const char* name, const char* meaning,
                              const limb_scalar* x)
{
  const limb_output shape = {.name = name, .meaning = meaning, .rows = t->m->nv, .columns = 1};
  return limb_trace_output(t, f, shape, x);
}

static limb_status put_matrix(limb_tracer* t, limb_function* f, const char* name, const char* meaning,
                              const limb_scalar* x)
{
  const limb_output shape = {.name = name, .meaning = meaning, .rows = t->m->nv, .columns = t->m->nv};
  return limb_trace_output(t, f, shape, x);
}

// Takes the outputs of an alternative, if f has none yet or those of f need more operations.
static limb_status keep_cheaper(limb_tracer* t, limb_function* f, const limb_function* way)
{
  limb_operations have, other;
  limb_function now = *f, next = *way;
  now.judged = next.judged = 0; // margins are few
  if (!limb_count_operations(t->graph, &now, &have)) return LIMB_E_NOMEM;
  if (!limb_count_operations(t->graph, &next, &other)) return LIMB_E_NOMEM;
  if (f->noutput && limb_operations_weight(&have) <= limb_operations_weight(&other)) return LIMB_OK;
  f->noutput = way->noutput, f->judged = way->judged;
  if (way->note) f->note = way->note;
  memcpy(f->output, way->output, sizeof f->output);
  return LIMB_OK;
}

enum { Q = 1U << INPUT_Q, V = 1U << INPUT_V, A = 1U << INPUT_A, TAU = 1U << INPUT_TAU };

// ---- forces --------------------------------------------------------------------------------------------------------

static limb_status forces(limb_tracer* t, limb_function* f, const limb_scalar* v, const limb_scalar* a,
                          const limb_terms* terms, const char* name, const char* meaning)
{
  limb_scalar* tau = limb_trace_scalars(t, (size_t)t->m->nv);
  if (!tau) return LIMB_E_NOMEM;
  kernels->inverse_dynamics(t->m, t->k, &t->ws, t->q, v, a, terms, NULL, tau);
  return limb_trace_vector(t, f, name, meaning, tau);
}

limb_status limb_trace_inverse_dynamics(limb_tracer* t, limb_function* f)
{
  limb_trace_set_inputs(t, f, Q | V | A);
  return forces(t, f, t->v, t->a, &t->terms, "tau", "joint forces");
}

limb_status limb_trace_bias(limb_tracer* t, limb_function* f)
{
  limb_trace_set_inputs(t, f, Q | V);
  const limb_scalar* zeros = limb_trace_scalars(t, (size_t)t->m->nv);
  return zeros ? forces(t, f, t->v, zeros, &bodies_only, "h", "joint forces without acceleration") : LIMB_E_NOMEM;
}

limb_status limb_trace_gravity(limb_tracer* t, limb_function* f)
{
  limb_trace_set_inputs(t, f, Q);
  const limb_scalar* zeros = limb_trace_scalars(t, (size_t)t->m->nv);
  return zeros ? forces(t, f, zeros, zeros, &bodies_only, "g", "joint forces that hold the robot") : LIMB_E_NOMEM;
}

// ---- matrices ------------------------------------------------------------------------------------------------------

limb_status limb_trace_mass_matrix(limb_tracer* t, limb_function* f)
{
  if (t->m->nv > LIMB_TRACE_SQUARE_MAX) return limb_trace_too_large(t, f);
  limb_scalar* M = limb_trace_scalars(t, square(t));
  if (!M) return LIMB_E_NOMEM;
  limb_trace_set_inputs_no_gravity(t, f, Q);
  kernels->mass_matrix(t->m, t->k, &t->ws, t->q, M);
  return put_matrix(t, f, "M", "mass matrix", M);
}

limb_status limb_trace_inverse_mass_matrix(limb_tracer* t, limb_function* f)
{
  if (t->m->nv > LIMB_TRACE_CUBE_MAX) return limb_trace_too_large(t, f);
  limb_scalar* X = limb_trace_scalars(t, square(t));
  limb_scalar* packed = limb_trace_scalars(t, t->m->elim.packed);
  if (!X || !packed) return LIMB_E_NOMEM;
  limb_trace_set_inputs_no_gravity(t, f, Q);
  kernels->invert(t->m, t->k, &t->ws, t->q, packed, X);
  return put_matrix(t, f, "Minv", "inverse of the mass matrix", X);
}

// ---- forward dynamics ----------------------------------------------------------------------------------------------

// Accelerations by one of the ways; LIMB_E_UNSUPPORTED: not for this robot.
enum { BY_MASS_MATRIX, BY_BODIES, BY_CHAIN, WAYS };

static limb_status accelerations(limb_tracer* t, int way, limb_scalar* a)
{
  const limb_model* m = t->m;
  limb_scalar* packed = limb_trace_scalars(t, m->elim.packed);
  if (!packed) return LIMB_E_NOMEM;
  limb_trace_clear(t);
  if (way == BY_MASS_MATRIX && (m->nv <= LIMB_TRACE_CUBE_MAX || m->has_mimic)) {
    kernels->by_mass_matrix(m, t->k, &t->ws, t->q, t->v, t->tau, &t->terms, NULL, packed, a);
  } else if (way == BY_BODIES && !m->has_mimic) {
    kernels->aba(m, t->k, &t->ws, t->q, t->v, t->tau, &t->terms, NULL, a);
  } else if (way == BY_CHAIN && limb_is_short_chain(m)) {
    kernels->forward_chain(m, t->k, &t->ws, t->q, t->v, t->tau, &t->terms, NULL, a);
  } else {
    return LIMB_E_UNSUPPORTED;
  }
  return LIMB_OK;
}

limb_status limb_trace_forward_dynamics(limb_tracer* t, limb_function* f)
{
  limb_scalar* a = limb_trace_scalars(t, (size_t)t->m->nv);
  if (!a) return LIMB_E_NOMEM;
  limb_trace_set_inputs(t, f, Q | V | TAU);
  for (int way = 0; way < WAYS; way++) {
    limb_status s = accelerations(t, way, a);
    if (s == LIMB_E_UNSUPPORTED) continue;
    limb_function other = {.name = f->name};
    if (s == LIMB_OK) s = limb_trace_vector(t, &other, "a", "joint accelerations", a);
    if (s == LIMB_OK) s = limb_trace_judge(t, &other);
    if (s == LIMB_OK) s = keep_cheaper(t, f, &other);
    if (s != LIMB_OK) return s;
  }
  return LIMB_OK;
}

// ---- parameters ----------------------------------------------------------------------------------------------------

limb_status limb_trace_regressor(limb_tracer* t, limb_function* f)
{
  const int np = limb_parameter_count(t->m);
  limb_scalar* Y = limb_trace_scalars(t, (size_t)t->m->nv * (size_t)np);
  if (!Y) return LIMB_E_NOMEM;
  limb_trace_set_inputs(t, f, Q | V | A);
  const char** column = limb_program_alloc(t->program, (size_t)np + 1, sizeof *column);
  if (!column) return LIMB_E_NOMEM;
  for (int i = 0; i < np; i++) {
    limb_parameter_info x;
    const limb_status s = limb_get_parameter(t->m, i, &x);
    if (s != LIMB_OK) return s;
    const char* const parts[] = {x.of, ".", x.symbol, NULL};
    column[i] = limb_program_text(t->program, parts);
    if (!column[i]) return LIMB_E_NOMEM;
  }
  const limb_kernels_symbol_motion in = {t->q, t->v, t->a, &t->terms, NULL, 0, NULL, 0};
  kernels->regressor(t->m, t->k, &t->ws, &in, np, Y);
  const limb_output shape = {.name = "Y",
                             .meaning = "regressor: Y times the parameters of the bodies is tau",
                             .rows = t->m->nv,
                             .columns = np,
                             .column = column};
  return limb_trace_output(t, f, shape, Y);
}

// ---- frames --------------------------------------------------------------------------------------------------------

enum { POSE = 12, COMPONENTS = 6 };

static limb_scalar* link_poses(limb_tracer* t)
{
  limb_scalar* X = limb_trace_scalars(t, (size_t)t->m->nlink * POSE);
  if (X) kernels->link_motion(t->m, t->k, &t->ws, t->q, NULL, NULL, X, NULL, NULL, NULL);
  return X;
}

// The description of an output of the frame; NULL when out of memory.
static const char* about_frame(limb_tracer* t, const char* text)
{
  limb_frame_info frame;
  limb_text name = {.alloc = t->program->alloc};
  if (limb_get_frame(t->m, t->frame, &frame) != LIMB_OK) return text;
  limb_text_name(&name, frame.name);
  const char* const parts[] = {text, " of frame ", name.at, NULL};
  const char* whole = name.failed ? NULL : limb_program_text(t->program, parts);
  limb_text_end(&name);
  return whole;
}

static bool is_origin(const sp_pose* X) { return X->p.x == 0 && X->p.y == 0 && X->p.z == 0; }

// Positions of frames in their links, of bases in the world, and of ball and free joints are always inserted as
// numbers. Where lengths are symbols, these positions must be zero.
static bool is_free_of_lengths(const limb_tracer* t, const limb_site* site)
{
  if (t->options.symbols != LIMB_SYMBOLS_ALL) return true;
  bool all = is_origin(&site->in_link);
  for (int r = 0; r < t->m->nroot; r++) all = all && is_origin(&t->m->base[r]);
  for (int i = 0; i < t->m->naux; i++) all = all && is_origin(&t->m->aux_pose[i]);
  return all;
}

static limb_status refuse_frame(const limb_tracer* t, const limb_function* f)
{
  return limb_fail(t->error, LIMB_E_UNSUPPORTED, f->name,
                   "its frame, a base or a ball joint is not at the origin of a link, and that position is not a "
                   "symbol: use another frame, or symbols of inertia or none");
}

limb_status limb_trace_jacobian(limb_tracer* t, limb_function* f)
{
  static const char* const rows[COMPONENTS] = {"wx", "wy", "wz", "vx", "vy", "vz"};
  const size_t nv = (size_t)t->m->nv;
  const limb_scalar* X = link_poses(t);
  limb_scalar* column = limb_trace_scalars(t, COMPONENTS * nv);
  limb_scalar* J = limb_trace_scalars(t, COMPONENTS * nv);
  const char** label = limb_program_alloc(t->program, COMPONENTS, sizeof *label);
  if (!X || !column || !J || !label) return LIMB_E_NOMEM;
  limb_trace_set_inputs_no_gravity(t, f, Q);
  const limb_site site = limb_site_of(t->m, t->frame);
  if (!is_free_of_lengths(t, &site)) return refuse_frame(t, f);
  kernels->frame_jacobian(t->m, t->k, X, site.link, &site.in_link, LIMB_ALIGNED, column);
  for (size_t r = 0; r < COMPONENTS; r++) {
    label[r] = rows[r];
    for (size_t c = 0; c < nv; c++) J[r * nv + c] = column[c * COMPONENTS + r];
  }
  const char* meaning = about_frame(t, "velocity per velocity of the joints, world axes,");
  if (!meaning) return LIMB_E_NOMEM;
  const limb_output shape = {.name = "J", .meaning = meaning, .rows = COMPONENTS, .columns = t->m->nv, .label = label};
  return limb_trace_output(t, f, shape, J);
}

limb_status limb_trace_pose(limb_tracer* t, limb_function* f)
{
  limb_scalar T[POSE];
  const limb_scalar* X = link_poses(t);
  if (!X) return LIMB_E_NOMEM;
  limb_trace_set_inputs_no_gravity(t, f, Q);
  const limb_site site = limb_site_of(t->m, t->frame);
  if (!is_free_of_lengths(t, &site)) return refuse_frame(t, f);
  kernels->frame_pose(X, site.link, &site.in_link, T);
  const limb_output R = {.name = "rotation",
                         .meaning = about_frame(t, "axes in the world, as columns,"),
                         .rows = 3,
                         .columns = 3,
                         .unlabelled = true};
  const limb_output p = {.name = "position",
                         .meaning = about_frame(t, "origin in the world"),
                         .rows = 3,
                         .columns = 1,
                         .label = t->program->input[INPUT_GRAVITY].label};
  if (!R.meaning || !p.meaning) return LIMB_E_NOMEM;
  const limb_status s = limb_trace_output(t, f, R, T);
  return s == LIMB_OK ? limb_trace_output(t, f, p, T + 9) : s;
}

enum { DERIVED_MAX = 12 }; // limit of nv for derivatives of expressions

// For ball and free joints, derivatives are along velocities, and q has other components.
static bool can_derive(const limb_model* m) { return m->nq == m->nv && m->nv <= DERIVED_MAX; }

// The kernels for derivatives take the robot's own numbers only.
static bool has_kernels(const limb_tracer* t) { return t->m->given && t->options.symbols == LIMB_SYMBOLS_NONE; }

static limb_status refuse(const limb_tracer* t, const limb_function* f)
{
  if (t->m->nv == 0) return limb_fail(t->error, LIMB_E_UNSUPPORTED, f->name, "the robot cannot move");
  if (!t->m->given)
    return limb_fail(t->error, LIMB_E_UNSUPPORTED, f->name, "the robot has more than %d velocities",
                     LIMB_DERIVATIVES_MAX);
  return limb_fail(t->error, LIMB_E_UNSUPPORTED, f->name,
                   "numbers of this robot cannot stay symbols here (ball or free joints, more than %d velocities, or "
                   "forward dynamics); request it without symbols",
                   DERIVED_MAX);
}

// ---- derivatives of expressions ------------------------------------------------------------------------------------

// d of[i] / d x_j for all components of an input with nv: n x nv.
static limb_status derive(limb_tracer* t, const limb_scalar* of, size_t n, limb_input_kind by, limb_scalar* out)
{
  const size_t nv = (size_t)t->m->nv;
  limb_edge* edge = limb_program_alloc(t->program, n * (nv + 1) + 1, sizeof *edge);
  uint32_t* symbol = limb_program_alloc(t->program, nv + 1, sizeof *symbol);
  if (!edge || !symbol) return LIMB_E_NOMEM;
  limb_edge* slope = edge + n;
  for (size_t i = 0; i < n; i++) edge[i] = edge_of(t->graph, of[i]);
  for (size_t j = 0; j < nv; j++) symbol[j] = limb_symbol_of(by, (uint32_t)j);
  if (!limb_derive(t->graph, edge, n, symbol, nv, slope)) return LIMB_E_NOMEM;
  for (size_t i = 0; i < n * nv; i++) out[i] = of_edge(t->graph, slope[i]);
  return LIMB_OK;
}

static limb_status derived_coriolis(limb_tracer* t, limb_scalar* C)
{
  const size_t n = (size_t)t->m->nv;
  limb_scalar *M = limb_trace_scalars(t, n * n), *dM = limb_trace_scalars(t, n * n * n);
  if (!M || !dM) return LIMB_E_NOMEM;
  limb_trace_clear(t);
  limb_trace_kernels.mass_matrix(t->m, t->k, &t->ws, t->q, M);
  const limb_status s = derive(t, M, n * n, INPUT_Q, dM);
  if (s != LIMB_OK) return s;
#define DM(i, j, k) dM[((i)*n + (j)) * n + (k)]
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      limb_scalar sum = plain(0);
      for (size_t k = 0; k < n; k++) {
        const limb_scalar symbol = add(DM(i, j, k), sub(DM(i, k, j), DM(j, k, i)));
        sum = add(sum, mul(symbol, t->v[k]));
      }
      C[i * n + j] = mul(plain(0.5), sum);
    }
  }
#undef DM
  return LIMB_OK;
}

static limb_status derived_inverse(limb_tracer* t, limb_scalar* dq, limb_scalar* dv)
{
  const size_t n = (size_t)t->m->nv;
  limb_scalar* tau = limb_trace_scalars(t, n);
  if (!tau) return LIMB_E_NOMEM;
  limb_trace_clear(t);
  limb_trace_kernels.inverse_dynamics(t->m, t->k, &t->ws, t->q, t->v, t->a, &t->terms, NULL, tau);
  const limb_status s = derive(t, tau, n, INPUT_Q, dq);
  return s == LIMB_OK ? derive(t, tau, n, INPUT_V, dv) : s;
}

// ---- derivatives as quantities -------------------------------------------------------------------------------------

static limb_status put_coriolis(limb_tracer* t, limb_function* f, const limb_scalar* C)
{
  limb_function way = {.name = f->name};
  limb_status s = put_matrix(t, &way, "C", "Coriolis matrix, dM/dt - 2 C skew-symmetric", C);
  return s == LIMB_OK ? keep_cheaper(t, f, &way) : s;
}

limb_status limb_trace_coriolis(limb_tracer* t, limb_function* f)
{
  const size_t n = (size_t)t->m->nv;
  limb_scalar* C = limb_trace_scalars(t, n * n);
  if (!C) return LIMB_E_NOMEM;
  if (t->m->nv > LIMB_TRACE_SQUARE_MAX) return limb_trace_too_large(t, f);
  if (!has_kernels(t) && !can_derive(t->m)) return refuse(t, f);
  limb_trace_set_inputs_no_gravity(t, f, 1U << INPUT_Q | 1U << INPUT_V);
  limb_status s = LIMB_OK;
  if (has_kernels(t)) {
    limb_trace_kernels.coriolis_matrix(t->m, t->k, &t->ws, t->q, t->v, SLOPES_SKEW, C);
    s = put_coriolis(t, f, C);
  }
  if (s != LIMB_OK || !can_derive(t->m)) return s;
  s = derived_coriolis(t, C);
  return s == LIMB_OK ? put_coriolis(t, f, C) : s;
}

static limb_status put_inverse(limb_tracer* t, limb_function* f, const limb_scalar* dq, const limb_scalar* dv)
{
  limb_function way = {.name = f->name};
  limb_status s = put_matrix(t, &way, "dtau_dq", "d tau / d q", dq);
  if (s == LIMB_OK) s = put_matrix(t, &way, "dtau_dv", "d tau / d v", dv);
  return s == LIMB_OK ? keep_cheaper(t, f, &way) : s;
}

limb_status limb_trace_id_derivatives(limb_tracer* t, limb_function* f)
{
  const size_t n = (size_t)t->m->nv;
  limb_scalar *dq = limb_trace_scalars(t, n * n), *dv = limb_trace_scalars(t, n * n);
  if (!dq || !dv) return LIMB_E_NOMEM;
  if (t->m->nv > LIMB_TRACE_SQUARE_MAX) return limb_trace_too_large(t, f);
  if (!has_kernels(t) && !can_derive(t->m)) return refuse(t, f);
  limb_trace_set_inputs(t, f, 1U << INPUT_Q | 1U << INPUT_V | 1U << INPUT_A);
  limb_status s = LIMB_OK;
  if (has_kernels(t)) {
    const limb_kernels_symbol_motion in = {t->q, t->v, t->a, &t->terms, NULL, 0, NULL, 0};
    const limb_kernels_symbol_slopes out = {NULL, dq, dv, NULL};
    limb_trace_kernels.id_derivatives(t->m, t->k, &t->ws, &in, &out);
    s = put_inverse(t, f, dq, dv);
  }
  if (s != LIMB_OK || !can_derive(t->m)) return s;
  s = derived_inverse(t, dq, dv);
  return s == LIMB_OK ? put_inverse(t, f, dq, dv) : s;
}

limb_status limb_trace_fd_derivatives(limb_tracer* t, limb_function* f)
{
  const size_t n = (size_t)t->m->nv;
  const limb_kernels_symbol_slopes out = {limb_trace_scalars(t, n), limb_trace_scalars(t, n * n),
                                          limb_trace_scalars(t, n * n), limb_trace_scalars(t, n * n)};
  if (!out.y || !out.dq || !out.dv || !out.dx) return LIMB_E_NOMEM;
  if (!has_kernels(t)) return refuse(t, f);
  if (t->m->nv > LIMB_TRACE_CUBE_MAX) return limb_trace_too_large(t, f);
  limb_trace_set_inputs(t, f, 1U << INPUT_Q | 1U << INPUT_V | 1U << INPUT_TAU);
  const limb_kernels_symbol_motion in = {t->q, t->v, t->tau, &t->terms, NULL, 0, NULL, 0};
  limb_trace_kernels.fd_derivatives(t->m, t->k, &t->ws, &in, &out);
  limb_status s = put_matrix(t, f, "da_dq", "d a / d q", out.dq);
  if (s == LIMB_OK) s = put_matrix(t, f, "da_dv", "d a / d v", out.dv);
  return s == LIMB_OK ? put_matrix(t, f, "da_dtau", "d a / d tau: M^-1", out.dx) : s;
}

// ---- hybrid dynamics -----------------------------------------------------------------------------------------------

// Sets the note about the meaning of x. LIMB_E_NOMEM.
static limb_status note_given(const limb_tracer* t, const unsigned char* given, limb_function* f)
{
  const char** label = t->program->input[INPUT_V].label;
  f->noted = limb_program_alloc(t->program, (size_t)t->m->nv + 1, sizeof *f->noted);
  if (!f->noted) return LIMB_E_NOMEM;
  for (int v = 0; v < t->m->nv; v++) {
    if (!given[v]) f->noted[f->nnoted++] = label[v];
  }
  f->note = f->nnoted ? "x holds accelerations, except forces of the joints without motor:"
                      : "Every joint has a motor: x holds accelerations.";
  return LIMB_OK;
}

limb_status limb_trace_hybrid(limb_tracer* t, limb_function* f)
{
  const limb_model* m = t->m;
  const size_t nv = (size_t)m->nv;
  unsigned char* given = limb_program_alloc(t->program, nv + 1, 1);
  limb_scalar *a = limb_trace_scalars(t, nv), *tau = limb_trace_scalars(t, nv);
  limb_scalar* packed = limb_trace_scalars(t, m->elim.packed);
  if (!given || !a || !tau || !packed) return LIMB_E_NOMEM;
  limb_status s = limb_given_for_passive(m, given);
  if (s == LIMB_OK) s = note_given(t, given, f);
  if (s != LIMB_OK) return s;
  limb_trace_set_inputs(t, f, 1U << INPUT_Q | 1U << INPUT_V | 1U << INPUT_X);
  const limb_kernels_symbol_hybrid in = {t->q, t->v, given, t->x, &t->terms, NULL};
  if (f->nnoted == 0) { // inverse dynamics
    limb_trace_kernels.inverse_dynamics(m, t->k, &t->ws, t->q, t->v, t->x, &t->terms, NULL, tau);
    a = t->x;
  } else if (limb_given_sweeps(m, given)) {
    limb_trace_kernels.hybrid(m, t->k, &t->ws, &in, a, tau);
  } else {
    limb_trace_kernels.hybrid_by_mass_matrix(m, t->k, &t->ws, &in, packed, a, tau);
  }
  s = limb_trace_vector(t, f, "a", "joint accelerations", a);
  return s == LIMB_OK ? limb_trace_vector(t, f, "tau", "joint forces", tau) : s;
}
