// Quantities of trees: what the kernels of dynamics compute, each as a function.
//
// Of forward dynamics there are three ways: articulated bodies, the mass matrix with its factors, and that of
// short chains. The one that takes the fewest operations for this robot is written down.
#include "symbolic/trace_tree.h"

#include "limb/regressor.h"

#include "base/status.h"
#include "kinematics/kinematics_impl.h"

#include <stdio.h>
#include <string.h>

static const limb_kernels_symbol* const kernels = &limb_trace_kernels;
static const limb_terms bodies_only = {0};

static size_t square(const limb_tracer* t) { return (size_t)t->m->nv * (size_t)t->m->nv; }

static limb_status put_vector(limb_tracer* t, limb_function* f, const char* name, const char* meaning,
                              const limb_scalar* x)
{
  const limb_output shape = {.name = name, .meaning = meaning, .rows = t->m->nv, .columns = 1};
  return limb_trace_output(t, f, shape, x);
}

limb_status limb_trace_matrix(limb_tracer* t, limb_function* f, const char* name, const char* meaning,
                              const limb_scalar* x)
{
  const limb_output shape = {.name = name, .meaning = meaning, .rows = t->m->nv, .columns = t->m->nv};
  return limb_trace_output(t, f, shape, x);
}

limb_status limb_trace_keep_cheaper(limb_tracer* t, limb_function* f, const limb_function* way)
{
  limb_operations have, other;
  if (!limb_count_operations(t->graph, f, &have)) return LIMB_E_NOMEM;
  if (!limb_count_operations(t->graph, way, &other)) return LIMB_E_NOMEM;
  if (f->noutput && limb_operations_weight(&have) <= limb_operations_weight(&other)) return LIMB_OK;
  f->noutput = way->noutput;
  memcpy(f->output, way->output, sizeof f->output);
  return LIMB_OK;
}

enum { Q = 1U << INPUT_Q, V = 1U << INPUT_V, A = 1U << INPUT_A, TAU = 1U << INPUT_TAU };

// ---- forces -------------------------------------------------------------------------------------------

static limb_status forces(limb_tracer* t, limb_function* f, const limb_scalar* v, const limb_scalar* a,
                          const limb_terms* terms, const char* meaning)
{
  limb_scalar* tau = limb_trace_scalars(t, (size_t)t->m->nv);
  if (!tau) return LIMB_E_NOMEM;
  kernels->inverse_dynamics(t->m, t->k, &t->ws, t->q, v, a, terms, NULL, tau);
  return put_vector(t, f, f->name[0] == 'i' ? "tau" : f->name, meaning, tau);
}

static limb_status inverse_dynamics(limb_tracer* t, limb_function* f)
{
  limb_trace_takes(t, f, Q | V | A);
  return forces(t, f, t->v, t->a, &t->terms, "joint forces");
}

static limb_status bias(limb_tracer* t, limb_function* f)
{
  limb_trace_takes(t, f, Q | V);
  const limb_scalar* zeros = limb_trace_scalars(t, (size_t)t->m->nv);
  if (!zeros) return LIMB_E_NOMEM;
  return forces(t, f, t->v, zeros, &bodies_only, "joint forces without acceleration");
}

static limb_status gravity(limb_tracer* t, limb_function* f)
{
  limb_trace_takes(t, f, Q);
  const limb_scalar* zeros = limb_trace_scalars(t, (size_t)t->m->nv);
  if (!zeros) return LIMB_E_NOMEM;
  return forces(t, f, zeros, zeros, &bodies_only, "joint forces that hold the robot");
}

// ---- matrices -----------------------------------------------------------------------------------------

static limb_status mass_matrix(limb_tracer* t, limb_function* f)
{
  if (t->m->nv > LIMB_TRACE_SQUARE_MOST) return limb_trace_too_large(t, f);
  limb_scalar* M = limb_trace_scalars(t, square(t));
  if (!M) return LIMB_E_NOMEM;
  limb_trace_takes_no_gravity(t, f, Q);
  kernels->mass_matrix(t->m, t->k, &t->ws, t->q, M);
  return limb_trace_matrix(t, f, "M", "mass matrix", M);
}

static limb_status inverse_mass_matrix(limb_tracer* t, limb_function* f)
{
  if (t->m->nv > LIMB_TRACE_CUBE_MOST) return limb_trace_too_large(t, f);
  limb_scalar* X = limb_trace_scalars(t, square(t));
  limb_scalar* packed = limb_trace_scalars(t, t->m->elim.packed);
  if (!X || !packed) return LIMB_E_NOMEM;
  limb_trace_takes_no_gravity(t, f, Q);
  kernels->invert(t->m, t->k, &t->ws, t->q, packed, X);
  return limb_trace_matrix(t, f, "Minv", "inverse of the mass matrix", X);
}

// ---- forward dynamics ---------------------------------------------------------------------------------

// Accelerations by one of the ways; LIMB_E_UNSUPPORTED: it is none for this robot.
enum { BY_MASS_MATRIX, BY_BODIES, BY_CHAIN, WAYS };

static limb_status accelerations(limb_tracer* t, int way, limb_scalar* a)
{
  const limb_model* m = t->m;
  limb_scalar* packed = limb_trace_scalars(t, m->elim.packed);
  if (!packed) return LIMB_E_NOMEM;
  limb_trace_clear(t);
  if (way == BY_MASS_MATRIX && (m->nv <= LIMB_TRACE_CUBE_MOST || m->has_mimic)) {
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

static limb_status forward_dynamics(limb_tracer* t, limb_function* f)
{
  limb_scalar* a = limb_trace_scalars(t, (size_t)t->m->nv);
  if (!a) return LIMB_E_NOMEM;
  limb_trace_takes(t, f, Q | V | TAU);
  for (int way = 0; way < WAYS; way++) {
    limb_status s = accelerations(t, way, a);
    if (s == LIMB_E_UNSUPPORTED) continue;
    limb_function other = {.name = f->name};
    if (s == LIMB_OK) s = put_vector(t, &other, "a", "joint accelerations", a);
    if (s == LIMB_OK) s = limb_trace_keep_cheaper(t, f, &other);
    if (s != LIMB_OK) return s;
  }
  return LIMB_OK;
}

// ---- parameters ---------------------------------------------------------------------------------------

static limb_status regressor(limb_tracer* t, limb_function* f)
{
  const int np = limb_parameter_count(t->m);
  limb_scalar* Y = limb_trace_scalars(t, (size_t)t->m->nv * (size_t)np);
  if (!Y) return LIMB_E_NOMEM;
  limb_trace_takes(t, f, Q | V | A);
  const char** column = limb_program_take(t->program, (size_t)np + 1, sizeof *column);
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

// ---- frames -------------------------------------------------------------------------------------------

enum { POSE = 12, COMPONENTS = 6 };

static limb_scalar* link_poses(limb_tracer* t)
{
  limb_scalar* X = limb_trace_scalars(t, (size_t)t->m->nlink * POSE);
  if (X) kernels->link_motion(t->m, t->k, &t->ws, t->q, NULL, NULL, X, NULL, NULL, NULL);
  return X;
}

static bool is_plain(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("_-. ", c);
}

// What is said of an output of the frame, with its name, of which letters, digits and a few signs are kept;
// NULL when out of memory.
static const char* about_frame(limb_tracer* t, const char* text)
{
  enum { NAME = 60 };
  limb_frame_info frame;
  if (limb_get_frame(t->m, t->frame, &frame) != LIMB_OK) return text;
  const size_t size = strlen(text) + NAME + 16;
  char* whole = limb_program_take(t->program, size, 1);
  if (!whole) return NULL;
  const int n = snprintf(whole, size, "%s of frame ", text);
  (void)snprintf(whole + n, NAME, "%s", frame.name);
  for (char* c = whole + n; *c; c++) {
    if (!is_plain(*c)) *c = '_';
  }
  return whole;
}

static bool is_origin(const sp_pose* X) { return X->p.x == 0 && X->p.y == 0 && X->p.z == 0; }

// Places of frames in their links, of bases in the world, and of ball and free joints are inserted: beside
// lengths that are symbols they must be none.
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
                   "its frame, a base or a ball joint is not at the origin of a link, and that place is"
                   " no symbol: take another frame, or symbols of inertia or none");
}

static limb_status frame_jacobian(limb_tracer* t, limb_function* f)
{
  static const char* const rows[COMPONENTS] = {"wx", "wy", "wz", "vx", "vy", "vz"};
  const size_t nv = (size_t)t->m->nv;
  const limb_scalar* X = link_poses(t);
  limb_scalar* column = limb_trace_scalars(t, COMPONENTS * nv);
  limb_scalar* J = limb_trace_scalars(t, COMPONENTS * nv);
  const char** label = limb_program_take(t->program, COMPONENTS, sizeof *label);
  if (!X || !column || !J || !label) return LIMB_E_NOMEM;
  limb_trace_takes_no_gravity(t, f, Q);
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

static limb_status frame_pose(limb_tracer* t, limb_function* f)
{
  limb_scalar T[POSE];
  const limb_scalar* X = link_poses(t);
  if (!X) return LIMB_E_NOMEM;
  limb_trace_takes_no_gravity(t, f, Q);
  const limb_site site = limb_site_of(t->m, t->frame);
  if (!is_free_of_lengths(t, &site)) return refuse_frame(t, f);
  kernels->frame_pose(X, site.link, &site.in_link, T);
  const limb_output R = {.name = "R",
                         .meaning = about_frame(t, "axes in the world, as columns,"),
                         .rows = 3,
                         .columns = 3,
                         .unlabelled = true};
  const limb_output p = {.name = "p",
                         .meaning = about_frame(t, "origin in the world"),
                         .rows = 3,
                         .columns = 1,
                         .label = t->program->input[INPUT_GRAVITY].label};
  if (!R.meaning || !p.meaning) return LIMB_E_NOMEM;
  const limb_status s = limb_trace_output(t, f, R, T);
  return s == LIMB_OK ? limb_trace_output(t, f, p, T + 9) : s;
}

const limb_quantity limb_tree_quantities[] = {
  {"id", "inverse dynamics", inverse_dynamics},
  {"fd", "forward dynamics", forward_dynamics},
  {"M", "mass matrix", mass_matrix},
  {"Minv", "inverse of the mass matrix", inverse_mass_matrix},
  {"C", "Coriolis matrix", limb_trace_coriolis},
  {"g", "gravity forces", gravity},
  {"h", "bias forces: those of velocities and gravity", bias},
  {"J", "Jacobian of a frame, world axes at its origin", frame_jacobian},
  {"pose", "pose of a frame", frame_pose},
  {"dtau", "derivatives of inverse dynamics", limb_trace_inverse_slopes},
  {"dacc", "derivatives of forward dynamics", limb_trace_forward_slopes},
  {"Y", "regressor of inverse dynamics", regressor},
  {"hybrid", "accelerations and forces of all joints, from the one that is given of each", limb_trace_hybrid},
  {NULL, NULL, NULL}};
