// Every question that a batch answers, under one name.
#include "support/batch.h"

#include "limb/regressor.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const char* batch_name(batch_what what)
{
  static const char* const name[BATCH_WHATS] = {
    "inverse dynamics", "forward dynamics", "bias",  "gravity",  "mass matrix", "its inverse",       "Coriolis matrix",
    "id derivatives",   "fd derivatives",   "poses", "Jacobian", "regressor",   "inertial regressor"};
  return name[what];
}

bool batch_solves(batch_what what)
{
  return what == BATCH_FORWARD || what == BATCH_MASS_INVERSE || what == BATCH_FD_SLOPES;
}

bool batch_has_forces(batch_what what) { return what == BATCH_FORWARD || what == BATCH_FD_SLOPES; }

bool batch_moves(batch_what what)
{
  return what == BATCH_INVERSE || what == BATCH_FORWARD || what == BATCH_BIAS || what == BATCH_ID_SLOPES ||
         what == BATCH_FD_SLOPES || what == BATCH_REGRESSOR || what == BATCH_INERTIAL || what == BATCH_CORIOLIS;
}

bool batch_has_x(batch_what what) { return batch_moves(what) && what != BATCH_BIAS && what != BATCH_CORIOLIS; }

size_t batch_width(const limb_model* m, batch_what what, int nframe, int k)
{
  const size_t nv = (size_t)limb_nv(m);
  switch (what) {
  case BATCH_ID_SLOPES:
  case BATCH_FD_SLOPES: return k == 0 ? nv : nv * nv;
  case BATCH_CORIOLIS:
  case BATCH_MASS:
  case BATCH_MASS_INVERSE: return k == 0 ? nv * nv : 0;
  case BATCH_POSES: return k == 0 ? 12 * (size_t)nframe : 0;
  case BATCH_JACOBIAN: return k == 0 ? 6 * nv : 0;
  case BATCH_INERTIAL: return k == 0 ? nv * (size_t)limb_inertial_parameter_count(m) : 0;
  case BATCH_REGRESSOR: return k == 0 ? nv * (size_t)limb_parameter_count(m) : 0;
  default: return k == 0 ? nv : 0;
  }
}

// ---- asking ----------------------------------------------------------------------------------------------

static limb_status answer_f64(const batch_ask* a)
{
  double* const* y = (double* const*)a->out;
  const limb_id_derivatives id = {y[0], y[1], y[2], y[3]};
  const limb_fd_derivatives fd = {y[0], y[1], y[2], y[3]};
  limb_batch* b = a->b;
  const size_t n = a->n;
  limb_status* s = a->status;
  switch (a->what) {
  case BATCH_INVERSE: return limb_batch_inverse_dynamics(b, n, a->q, a->v, a->x, a->env, y[0], s);
  case BATCH_FORWARD: return limb_batch_forward_dynamics(b, n, a->q, a->v, a->x, a->env, y[0], s);
  case BATCH_BIAS: return limb_batch_bias_forces(b, n, a->q, a->v, a->env, y[0], s);
  case BATCH_GRAVITY: return limb_batch_gravity_forces(b, n, a->q, a->env, y[0], s);
  case BATCH_MASS: return limb_batch_mass_matrix(b, n, a->q, y[0], s);
  case BATCH_MASS_INVERSE: return limb_batch_mass_matrix_inverse(b, n, a->q, y[0], s);
  case BATCH_CORIOLIS: return limb_batch_coriolis_matrix(b, n, a->q, a->v, y[0], s);
  case BATCH_ID_SLOPES: return limb_batch_inverse_dynamics_derivatives(b, n, a->q, a->v, a->x, a->env, &id, s);
  case BATCH_FD_SLOPES: return limb_batch_forward_dynamics_derivatives(b, n, a->q, a->v, a->x, a->env, &fd, s);
  case BATCH_POSES: return limb_batch_frame_poses(b, n, a->q, a->nframe, a->frame, y[0], s);
  case BATCH_JACOBIAN: return limb_batch_frame_jacobian(b, n, a->q, *a->frame, a->ref, y[0], s);
  case BATCH_INERTIAL: return limb_batch_inertial_regressor(b, n, a->q, a->v, a->x, a->env, y[0], s);
  default: return limb_batch_regressor(b, n, a->q, a->v, a->x, a->env, y[0], s);
  }
}

static limb_status answer_f32(const batch_ask* a)
{
  float* const* y = (float* const*)a->out;
  const limb_id_derivatives_f32 id = {y[0], y[1], y[2], y[3]};
  const limb_fd_derivatives_f32 fd = {y[0], y[1], y[2], y[3]};
  limb_batch* b = a->b;
  const size_t n = a->n;
  limb_status* s = a->status;
  switch (a->what) {
  case BATCH_INVERSE: return limb_batch_inverse_dynamics_f32(b, n, a->q, a->v, a->x, a->env, y[0], s);
  case BATCH_FORWARD: return limb_batch_forward_dynamics_f32(b, n, a->q, a->v, a->x, a->env, y[0], s);
  case BATCH_BIAS: return limb_batch_bias_forces_f32(b, n, a->q, a->v, a->env, y[0], s);
  case BATCH_GRAVITY: return limb_batch_gravity_forces_f32(b, n, a->q, a->env, y[0], s);
  case BATCH_MASS: return limb_batch_mass_matrix_f32(b, n, a->q, y[0], s);
  case BATCH_MASS_INVERSE: return limb_batch_mass_matrix_inverse_f32(b, n, a->q, y[0], s);
  case BATCH_CORIOLIS: return limb_batch_coriolis_matrix_f32(b, n, a->q, a->v, y[0], s);
  case BATCH_ID_SLOPES: return limb_batch_inverse_dynamics_derivatives_f32(b, n, a->q, a->v, a->x, a->env, &id, s);
  case BATCH_FD_SLOPES: return limb_batch_forward_dynamics_derivatives_f32(b, n, a->q, a->v, a->x, a->env, &fd, s);
  case BATCH_POSES: return limb_batch_frame_poses_f32(b, n, a->q, a->nframe, a->frame, y[0], s);
  case BATCH_JACOBIAN: return limb_batch_frame_jacobian_f32(b, n, a->q, *a->frame, a->ref, y[0], s);
  case BATCH_INERTIAL: return limb_batch_inertial_regressor_f32(b, n, a->q, a->v, a->x, a->env, y[0], s);
  default: return limb_batch_regressor_f32(b, n, a->q, a->v, a->x, a->env, y[0], s);
  }
}

limb_status batch_answer(const batch_ask* a) { return a->f32 ? answer_f32(a) : answer_f64(a); }

// ---- asking about one state ------------------------------------------------------------------------------

static limb_status poses_one(limb_data* d, const batch_ask* a, double* X)
{
  limb_status s = limb_kinematics(d, a->q, NULL, NULL);
  for (int k = 0; k < a->nframe && s == LIMB_OK; k++) {
    sp_pose pose;
    s = limb_frame_pose(d, a->frame[k], &pose);
    if (s == LIMB_OK) {
      memcpy(X + 12 * k, pose.R.m, sizeof pose.R.m);
      memcpy(X + 12 * k + 9, &pose.p, sizeof pose.p);
    }
  }
  return s;
}

static limb_status jacobian_one(limb_data* d, const batch_ask* a, double* J)
{
  const limb_status s = limb_kinematics(d, a->q, NULL, NULL);
  return s == LIMB_OK ? limb_frame_jacobian(d, *a->frame, a->ref, (sp_motion*)(void*)J) : s;
}

limb_status batch_answer_one(limb_data* d, const batch_ask* a, const limb_environment* env)
{
  double* const* y = (double* const*)a->out;
  const limb_id_derivatives id = {y[0], y[1], y[2], y[3]};
  const limb_fd_derivatives fd = {y[0], y[1], y[2], y[3]};
  switch (a->what) {
  case BATCH_INVERSE: return limb_inverse_dynamics(d, a->q, a->v, a->x, env, y[0]);
  case BATCH_FORWARD: return limb_forward_dynamics(d, a->q, a->v, a->x, env, y[0]);
  case BATCH_BIAS: return limb_bias_forces(d, a->q, a->v, env, y[0]);
  case BATCH_GRAVITY: return limb_gravity_forces(d, a->q, env, y[0]);
  case BATCH_MASS: return limb_mass_matrix(d, a->q, y[0]);
  case BATCH_MASS_INVERSE: return limb_mass_matrix_inverse(d, a->q, y[0]);
  case BATCH_CORIOLIS: return limb_coriolis_matrix(d, a->q, a->v, y[0]);
  case BATCH_ID_SLOPES: return limb_inverse_dynamics_derivatives(d, a->q, a->v, a->x, env, &id);
  case BATCH_FD_SLOPES: return limb_forward_dynamics_derivatives(d, a->q, a->v, a->x, env, &fd);
  case BATCH_POSES: return poses_one(d, a, y[0]);
  case BATCH_JACOBIAN: return jacobian_one(d, a, y[0]);
  case BATCH_INERTIAL: return limb_inertial_regressor(d, a->q, a->v, a->x, env, y[0]);
  default: return limb_regressor(d, a->q, a->v, a->x, env, y[0]);
  }
}

// ---- states ----------------------------------------------------------------------------------------------

static void* room(size_t n, size_t size)
{
  void* x = calloc(n ? n : 1, size);
  if (!x) abort();
  return x;
}

static float* rounded(const double* x, size_t n)
{
  float* y = room(n, sizeof *y);
  for (size_t i = 0; i < n; i++) y[i] = (float)x[i];
  return y;
}

// Wrenches, the same in all states and not, and frames: the world's is the first of three.
static void draw_wrenches(batch_states* s)
{
  static const limb_ref refs[BATCH_VARIED] = {LIMB_BODY, LIMB_WORLD, LIMB_ALIGNED};
  const int frames = limb_frame_count(s->m);
  s->wrench = room(BATCH_VARIED * s->n * 6, sizeof(double));
  rng_fill(&s->r, 10, (int)(BATCH_VARIED * s->n * 6), s->wrench);
  s->wrenchf = rounded(s->wrench, BATCH_VARIED * s->n * 6);
  for (int k = 0; k < BATCH_VARIED; k++) {
    const size_t first = (size_t)k * s->n * 6;
    const sp_force F = {rng_vec3(&s->r, 5), rng_vec3(&s->r, 20)};
    s->frame[k] = k == 0 ? 0 : rng_below(&s->r, frames);
    s->fixed[k] = (limb_wrench){rng_below(&s->r, frames), refs[k], F};
    s->varied[k] = (limb_batch_wrench){rng_below(&s->r, frames), refs[k], s->wrench + first, s->wrenchf + first};
  }
}

batch_states batch_states_make(limb_model* m, size_t n, uint64_t seed)
{
  batch_states s = {.m = m, .n = n, .nq = (size_t)limb_nq(m), .nv = (size_t)limb_nv(m), .r = {seed}};
  const size_t nx = n * s.nv;
  uint64_t manifold = seed;
  s.q = room(n * s.nq, sizeof(double)), s.v = room(nx, sizeof(double));
  s.a = room(nx, sizeof(double)), s.tau = room(nx, sizeof(double));
  for (size_t i = 0; i < n; i++) assert_ok(limb_random(m, &manifold, s.q + i * s.nq));
  rng_fill(&s.r, 2, (int)nx, s.v);
  rng_fill(&s.r, 5, (int)nx, s.a);
  rng_fill(&s.r, 20, (int)nx, s.tau);
  s.qf = rounded(s.q, n * s.nq), s.vf = rounded(s.v, nx);
  s.af = rounded(s.a, nx), s.tauf = rounded(s.tau, nx);
  draw_wrenches(&s);
  return s;
}

void batch_states_free(batch_states* s)
{
  void* const all[] = {s->q, s->v, s->a, s->tau, s->qf, s->vf, s->af, s->tauf, s->wrench, s->wrenchf};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) free(all[k]);
  limb_model_destroy(s->m);
}

static void widen(double* x, const float* y, size_t n)
{
  for (size_t i = 0; i < n; i++) x[i] = (double)y[i];
}

void batch_states_round(batch_states* s)
{
  const size_t nx = s->n * s->nv;
  widen(s->q, s->qf, s->n * s->nq), widen(s->v, s->vf, nx);
  widen(s->a, s->af, nx), widen(s->tau, s->tauf, nx);
  widen(s->wrench, s->wrenchf, BATCH_VARIED * s->n * 6);
}

batch_ask batch_ask_for(const batch_states* s, batch_what what, bool f32)
{
  const bool forces = batch_has_forces(what);
  const void* x64 = forces ? s->tau : s->a;
  const void* x32 = forces ? s->tauf : s->af;
  return (batch_ask){.what = what,
                     .f32 = f32,
                     .n = s->n,
                     .q = f32 ? (const void*)s->qf : s->q,
                     .v = f32 ? (const void*)s->vf : s->v,
                     .x = f32 ? x32 : x64,
                     .nframe = limb_frame_count(s->m) < BATCH_VARIED ? 1 : BATCH_VARIED,
                     .frame = s->frame,
                     .ref = LIMB_WORLD};
}

limb_environment batch_env_of(const limb_model* m, const limb_batch_environment* env, size_t i, limb_wrench* room)
{
  limb_environment e = limb_default_environment(m);
  if (!env) return e;
  if (env->all) e = *env->all;
  if (e.nwrench > 0) memcpy(room, e.wrench, (size_t)e.nwrench * sizeof *room);
  for (int k = 0; k < env->nwrench; k++) {
    const limb_batch_wrench* w = &env->wrench[k];
    const double* F = w->f64 + 6 * i;
    room[e.nwrench++] = (limb_wrench){w->frame, w->ref, {sp_v3(F[0], F[1], F[2]), sp_v3(F[3], F[4], F[5])}};
  }
  e.wrench = e.nwrench > 0 ? room : NULL;
  return e;
}

batch_ask batch_ask_one(const batch_states* s, const batch_ask* a, size_t i)
{
  batch_ask r = *a;
  r.q = (const double*)a->q + i * s->nq;
  r.v = (const double*)a->v + i * s->nv;
  r.x = (const double*)a->x + i * s->nv;
  for (int k = 0; k < BATCH_OUTS; k++)
    if (r.out[k]) r.out[k] = (double*)a->out[k] + i * batch_width(s->m, a->what, a->nframe, k);
  return r;
}

limb_batch* batch_make(const limb_model* m, const limb_batch_options* options)
{
  limb_batch* b = NULL;
  assert_ok(limb_batch_create(m, options, NULL, &b));
  assert_that(b != NULL);
  return b;
}

// ---- memory ----------------------------------------------------------------------------------------------

void* batch_aligned(size_t bytes)
{
  const size_t whole = (bytes / LIMB_DATA_ALIGN + 1) * LIMB_DATA_ALIGN;
  void* x = aligned_alloc(LIMB_DATA_ALIGN, whole);
  if (!x) abort();
  return memset(x, 0, whole);
}

void* batch_unaligned(size_t bytes, size_t off) { return (char*)room(bytes + off, 1) + off; }

void batch_unaligned_free(void* x, size_t off) { free((char*)x - off); }

// ---- comparing -------------------------------------------------------------------------------------------

double batch_unit(const double* x, size_t n)
{
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return nextafter(most, HUGE_VAL) - most;
}

void check_same(check_site site, const double* got, const double* want, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    if (got[i] == want[i]) continue;
    check_close_matrix(site, got + i, want + i, 1, 1, 0, 0); // says where we are
  }
}

void check_same_bytes(check_site site, const void* got, const void* want, size_t bytes)
{
  check_that(site, memcmp(got, want, bytes) == 0);
}
