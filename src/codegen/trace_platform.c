// Quantities of parallel robots in terms of their platform.
//
// Reference: Khalil 2010, (59)-(66). The same equations as loops/parallel_dynamics.c, in another order: the reduced
// form (trace.h) with the velocities of the platform's own joint as the independent ones, so that every leg is a
// block of its own where the platform is free to move.
//
//   V = B y',   B = J_0 G              J_0: twist of the platform per velocity of the tree, its own axes
//   y' = B^+ V,   y'' = B^+ (V' - J_0 g - a_v)              a_v: what V' has without accelerations of joints
//   tau from G_a' tau = G' (M a + h)
//
// B^+ is a least-squares inverse where the legs forbid some twists: V must be one that they allow.
#include "limb/parallel.h"

#include "base/status.h"
#include "codegen/trace.h"
#include "kernel/vectors.h"

#include "codegen/solve_kernel.h"

enum {
  Q = 1U << INPUT_Q,
  V = 1U << INPUT_V,
  TAU = 1U << INPUT_TAU,
  TWIST = 1U << INPUT_TWIST,
  RATE = 1U << INPUT_TWIST_RATE,
  SIX = 6
};

typedef struct platform {
  limb_tracer* t;
  const char* name;      // name of the body
  int link;              // its link
  sp_pose in_link;       // its pose in the link
  unsigned char* prefer; // nv: marks of velocities that do not move it
  limb_loop_trace c;
  limb_scalar* J; // J_0: nv columns of six
  dense B;        // six rows
} platform;

// ---- the platform --------------------------------------------------------------------------------------------------

// The body that options.frame names, or the one that most legs are attached to.
static limb_status find_platform(platform* p)
{
  limb_tracer* t = p->t;
  const limb_model* m = t->m;
  limb_parallel* parallel;
  limb_parallel_info info;
  const int named = t->options.frame ? limb_find_body(m, t->options.frame) : -1;
  if (t->options.frame && named < 0)
    return limb_fail(t->error, LIMB_E_ARG, "frame",
                     "'%s' is not a body: a platform is a body, and its twist is taken at its origin",
                     t->options.frame);
  limb_status s = limb_parallel_create(m, named, &t->program->alloc, &parallel, t->error);
  if (s == LIMB_E_NOMEM) return s;
  if (s != LIMB_OK) { // the message is set
    if (t->error) t->error->status = LIMB_E_UNSUPPORTED;
    return LIMB_E_UNSUPPORTED;
  }
  s = limb_parallel_get(parallel, &info);
  limb_parallel_destroy(parallel);
  if (s != LIMB_OK) return s;
  p->name = m->body[info.platform].name;
  p->link = m->body[info.platform].link;
  p->in_link = limb_clean_pose(m->body[info.platform].in_link);
  p->prefer = limb_program_alloc(t->program, (size_t)m->nv + 1, 1);
  if (!p->prefer) return LIMB_E_NOMEM;
  for (int v = 0; v < m->nv; v++) p->prefer[v] = 1;
  for (int i = p->link; i >= 0; i = m->link[i].parent) {
    for (int k = 0; k < m->link[i].ndof; k++) p->prefer[m->dof[m->link[i].dof + k].v] = 0;
  }
  return LIMB_OK;
}

// Adds J x to six numbers.
static void add_twist(const platform* p, const limb_scalar* x, limb_scalar* out)
{
  for (int r = 0; r < SIX; r++) {
    for (int v = 0; v < p->t->m->nv; v++) out[r] = madd(out[r], p->J[v * SIX + r], x[v]);
  }
}

// Adds the part of V' without joint accelerations: a_v of the link at the platform, in its axes.
static void add_bias(const platform* p, limb_scalar* out)
{
  const limb_scalar* x = p->c.acc_v + (ptrdiff_t)p->link * SIX;
  const vec3 w = v3(x[0], x[1], x[2]), v = v3(x[3], x[4], x[5]);
  const sp_vec3 at = p->in_link.p;
  const mat3 R = given_matrix(p->in_link.R.m);
  const vec3 turn = tmulv(R, w), set_velocities = tmulv(R, sub3(v, cross3(given3(at.x, at.y, at.z), w)));
  const limb_scalar bias[SIX] = {turn.x, turn.y, turn.z, set_velocities.x, set_velocities.y, set_velocities.z};
  for (int r = 0; r < SIX; r++) out[r] = add(out[r], bias[r]);
}

// J_0. The velocity of a free joint at the world is the twist of its link.
static void set_jacobian(platform* p)
{
  const limb_tracer* t = p->t;
  const limb_link* link = &t->m->link[p->link];
  if (link->joint_class != CLASS_FREE || link->parent >= 0) {
    limb_trace_kernels.frame_jacobian(&p->c.m, t->k, p->c.X, p->link, &p->in_link, LIMB_BODY, p->J);
    return;
  }
  for (int k = 0; k < SIX; k++) {
    const sp_vec3 unit = sp_v3(k % 3 == 0, k % 3 == 1, k % 3 == 2), none = sp_v3(0, 0, 0);
    const sp_motion x = sp_motion_in(p->in_link, (sp_motion){k < 3 ? unit : none, k < 3 ? none : unit});
    const double column[SIX] = {x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z};
    limb_scalar* to = p->J + (ptrdiff_t)t->m->dof[link->dof + k].v * SIX;
    for (int r = 0; r < SIX; r++) to[r] = plain(column[r]);
  }
}

// The reduced form in velocities that move the platform, J_0, and B.
static limb_status set_map(platform* p, bool moving)
{
  limb_tracer* t = p->t;
  limb_trace_clear(t);
  const limb_status s = limb_trace_reduce(t, p->prefer, moving, &p->c);
  if (s != LIMB_OK) return s;
  const int nv = t->m->nv, ny = p->c.partition.ny;
  if (ny > SIX)
    return limb_fail(t->error, LIMB_E_UNSUPPORTED, t->m->name,
                     "the platform's motion does not determine that of all joints");
  p->J = limb_trace_scalars(t, SIX * (size_t)nv);
  p->B = (dense){SIX, ny, false, limb_trace_scalars(t, SIX * SIX), limb_trace_scalars(t, SIX * SIX)};
  if (!p->J || !p->B.Q || !p->B.R) return LIMB_E_NOMEM;
  set_jacobian(p);
  for (int r = 0; r < SIX; r++) {
    for (int j = 0; j < ny; j++) {
      for (ptrdiff_t v = 0; v < nv; v++)
        p->B.Q[r * ny + j] = madd(p->B.Q[r * ny + j], p->J[v * SIX + r], p->c.G[v * ny + j]);
    }
  }
  return LIMB_OK;
}

// x = G B^+ twist + more; overwrites twist. B must be factored.
static void from_twist(const platform* p, limb_scalar* twist, const limb_scalar* more, limb_scalar* x)
{
  limb_scalar y[SIX];
  solve_dense(&p->B, twist, y);
  limb_trace_from_independent(&p->c, y, more, x);
}

static limb_status begin(platform* p, limb_tracer* t, limb_function* f, bool moving)
{
  *p = (platform){.t = t};
  const limb_status s = find_platform(p);
  if (s != LIMB_OK) return s;
  f->noted = limb_program_alloc(t->program, 1, sizeof *f->noted);
  if (!f->noted) return LIMB_E_NOMEM;
  f->noted[0] = p->name, f->nnoted = 1;
  f->note = f->inputs & V ? "q must close the loops, and v satisfy them. Twists are those of this body at "
                            "its origin:"
                          : "q must close the loops. Twists are those of this body at its origin:";
  return set_map(p, moving);
}

// ---- quantities ----------------------------------------------------------------------------------------------------

// Velocities of all joints from the platform's twist, and the reduced form at these velocities.
static limb_status set_velocities(platform* p, limb_scalar* v)
{
  limb_tracer* t = p->t;
  limb_scalar* const symbols = t->v;
  limb_scalar* twist = limb_trace_input(t, INPUT_TWIST);
  if (!twist) return LIMB_E_NOMEM;
  factor_dense(&p->B);
  from_twist(p, twist, NULL, v);
  t->v = v;
  const limb_status s = set_map(p, true);
  t->v = symbols;
  return s;
}

limb_status limb_trace_platform_inverse(limb_tracer* t, limb_function* f)
{
  platform p;
  limb_trace_set_inputs(t, f, Q | TWIST | RATE);
  limb_status s = begin(&p, t, f, false);
  if (s != LIMB_OK) return s;
  const size_t nv = (size_t)t->m->nv;
  limb_scalar *v = limb_trace_scalars(t, nv), *a = limb_trace_scalars(t, nv);
  limb_scalar *tree = limb_trace_scalars(t, nv), *tau = limb_trace_scalars(t, nv);
  limb_scalar* rate = limb_trace_input(t, INPUT_TWIST_RATE);
  if (!v || !a || !tree || !tau || !rate) return LIMB_E_NOMEM;
  s = set_velocities(&p, v);
  if (s != LIMB_OK) return s;
  limb_scalar bias[SIX] = {0};
  add_bias(&p, bias);
  add_twist(&p, p.c.g, bias);
  for (int r = 0; r < SIX; r++) rate[r] = sub(rate[r], bias[r]);
  factor_dense(&p.B);
  from_twist(&p, rate, p.c.g, a);
  limb_trace_clear(t);
  limb_trace_tree_forces(&p.c, v, a, tree);
  s = limb_trace_motor_forces(&p.c, tree, tau);
  return s == LIMB_OK ? limb_trace_vector(t, f, "tau", "forces of motors; zero at joints without", tau) : s;
}

limb_status limb_trace_platform_forward(limb_tracer* t, limb_function* f)
{
  platform p;
  limb_trace_set_inputs(t, f, Q | V | TAU);
  limb_status s = begin(&p, t, f, true);
  if (s != LIMB_OK) return s;
  limb_scalar* a = limb_trace_scalars(t, (size_t)t->m->nv);
  if (!a) return LIMB_E_NOMEM;
  limb_trace_clear(t);
  s = limb_trace_forward(&p.c, t->tau, a);
  if (s != LIMB_OK) return s;
  limb_scalar rate[SIX] = {0};
  add_bias(&p, rate);
  add_twist(&p, a, rate);
  const limb_output of_rate = {.name = "twist_rate",
                               .meaning = "spatial acceleration of the platform, its own axes",
                               .rows = SIX,
                               .columns = 1,
                               .label = t->program->input[INPUT_TWIST].label};
  s = limb_trace_output(t, f, of_rate, rate);
  return s == LIMB_OK ? limb_trace_vector(t, f, "a", "joint accelerations", a) : s;
}

// J_p = B G_a^-1: SIX x n, row-major. active: n velocities.
static limb_status jacobian_by(platform* p, int n, const int* active, limb_scalar* J)
{
  const int ny = p->c.partition.ny;
  const size_t entries = (size_t)n * (size_t)n;
  dense A = {.rows = n, .n = ny, .Q = limb_trace_scalars(p->t, entries), .R = limb_trace_scalars(p->t, entries)};
  limb_scalar* work = limb_trace_scalars(p->t, 2 * (size_t)n);
  if (!A.Q || !A.R || !work) return LIMB_E_NOMEM;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < ny; j++) A.Q[i * ny + j] = p->c.G[(ptrdiff_t)active[i] * ny + j];
  }
  factor_dense(&A);
  for (int k = 0; k < n; k++) {
    limb_scalar *unit = work, *y = work + n;
    for (int i = 0; i < n; i++) unit[i] = plain(i == k);
    solve_dense(&A, unit, y);
    for (int r = 0; r < SIX; r++) {
      for (int j = 0; j < ny; j++) J[r * n + k] = madd(J[r * n + k], p->B.Q[r * ny + j], y[j]);
    }
  }
  return LIMB_OK;
}

static bool is_undriven(const platform* p)
{
  bool some = false;
  for (int k = 0; k < p->t->m->clusters.count; k++) some = some || p->c.partition.undriven[k] > 0;
  return some;
}

limb_status limb_trace_platform_jacobian(limb_tracer* t, limb_function* f)
{
  platform p;
  limb_trace_set_inputs_no_gravity(t, f, Q);
  limb_status s = begin(&p, t, f, false);
  if (s != LIMB_OK) return s;
  const int nv = t->m->nv;
  unsigned char* driven = limb_program_alloc(t->program, (size_t)nv + 1, 1);
  int* active = limb_program_alloc(t->program, (size_t)nv + 1, sizeof *active);
  limb_scalar* J = limb_trace_scalars(t, SIX * (size_t)nv);
  if (!driven || !active || !J) return LIMB_E_NOMEM;
  s = limb_given_for_passive(t->m, driven);
  if (s != LIMB_OK) return s;
  int n = 0;
  for (int v = 0; v < nv; v++) {
    if (driven[v]) active[n++] = v;
  }
  if (n != p.c.partition.ny || is_undriven(&p))
    return limb_fail(t->error, LIMB_E_UNSUPPORTED, t->m->name,
                     "%d motors for %d motions: the twist of the platform is not a function of the motors' velocities",
                     n, p.c.partition.ny);
  s = jacobian_by(&p, n, active, J);
  const char** column = limb_program_alloc(t->program, (size_t)n + 1, sizeof *column);
  if (!column) return LIMB_E_NOMEM;
  for (int k = 0; k < n; k++) column[k] = t->program->input[INPUT_V].label[active[k]];
  const limb_output shape = {.name = "J",
                             .meaning = "twist of the platform, its own axes, per velocity of "
                                        "the motors",
                             .rows = SIX,
                             .columns = n,
                             .label = t->program->input[INPUT_TWIST].label,
                             .column = column};
  return s == LIMB_OK ? limb_trace_output(t, f, shape, J) : s;
}
