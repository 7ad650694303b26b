// Answers of the library to compare with (answer.h).
#include "symbolic/answer.h"

#include "limb/derivatives.h"
#include "limb/hybrid.h"
#include "limb/kinematics.h"
#include "limb/regressor.h"

#include "base/memory.h"

#include <string.h>

typedef struct state {
  const limb_answering* x;
  const double *q, *v, *a, *tau, *given;
  size_t nv;
} state;

typedef limb_status answer_fn(const state* s, double* out);

static limb_status id(const state* s, double* out)
{
  return limb_inverse_dynamics(s->x->d, s->q, s->v, s->a, &s->x->env, out);
}

static limb_status fd(const state* s, double* out)
{
  return limb_forward_dynamics(s->x->d, s->q, s->v, s->tau, &s->x->env, out);
}

static limb_status mass_matrix(const state* s, double* out) { return limb_mass_matrix(s->x->d, s->q, out); }

static limb_status inverse(const state* s, double* out) { return limb_mass_matrix_inverse(s->x->d, s->q, out); }

static limb_status coriolis(const state* s, double* out) { return limb_coriolis_matrix(s->x->d, s->q, s->v, out); }

static limb_status gravity(const state* s, double* out) { return limb_gravity_forces(s->x->d, s->q, &s->x->env, out); }

static limb_status bias(const state* s, double* out) { return limb_bias_forces(s->x->d, s->q, s->v, &s->x->env, out); }

static limb_status jacobian(const state* s, double* out)
{
  const limb_allocator alloc = s->x->alloc;
  const size_t nv = s->nv, size = (nv + 1) * sizeof(sp_motion);
  sp_motion* J = limb_alloc(&alloc, size);
  if (!J) return LIMB_E_NOMEM;
  limb_status status = limb_kinematics(s->x->d, s->q, NULL, NULL);
  if (status == LIMB_OK) status = limb_frame_jacobian(s->x->d, s->x->frame, LIMB_ALIGNED, J);
  for (size_t c = 0; c < nv && status == LIMB_OK; c++) {
    const double column[6] = {J[c].w.x, J[c].w.y, J[c].w.z, J[c].v.x, J[c].v.y, J[c].v.z};
    for (size_t r = 0; r < 6; r++) out[r * nv + c] = column[r];
  }
  limb_free(&alloc, J, size);
  return status;
}

static limb_status pose(const state* s, double* out)
{
  sp_pose X;
  limb_status status = limb_kinematics(s->x->d, s->q, NULL, NULL);
  if (status == LIMB_OK) status = limb_frame_pose(s->x->d, s->x->frame, &X);
  if (status != LIMB_OK) return status;
  memcpy(out, X.R.m, 9 * sizeof *out);
  out[9] = X.p.x, out[10] = X.p.y, out[11] = X.p.z;
  return LIMB_OK;
}

static limb_status id_slopes(const state* s, double* out)
{
  limb_id_derivatives to = {0};
  to.dtau_dq = out, to.dtau_dv = out + s->nv * s->nv;
  return limb_inverse_dynamics_derivatives(s->x->d, s->q, s->v, s->a, &s->x->env, &to);
}

static limb_status fd_slopes(const state* s, double* out)
{
  const size_t n = s->nv * s->nv;
  limb_fd_derivatives to = {0};
  to.dacc_dq = out, to.dacc_dv = out + n, to.dacc_dtau = out + 2 * n;
  return limb_forward_dynamics_derivatives(s->x->d, s->q, s->v, s->tau, &s->x->env, &to);
}

static limb_status regressor(const state* s, double* out)
{
  return limb_regressor(s->x->d, s->q, s->v, s->a, &s->x->env, out);
}

static limb_status hybrid(const state* s, double* out)
{
  const limb_allocator alloc = s->x->alloc;
  unsigned char* marks = limb_alloc(&alloc, s->nv + 1);
  if (!marks) return LIMB_E_NOMEM;
  limb_status status = limb_mark_passive(s->x->m, marks);
  if (status == LIMB_OK) {
    status = limb_hybrid_dynamics(s->x->d, s->q, s->v, marks, s->given, &s->x->env, out, out + s->nv);
  }
  limb_free(&alloc, marks, s->nv + 1);
  return status;
}

static const struct {
  const char* name;
  answer_fn* answer;
} answers[] = {{"id", id},          {"fd", fd},       {"M", mass_matrix}, {"Minv", inverse}, {"C", coriolis},
               {"g", gravity},      {"h", bias},      {"J", jacobian},    {"pose", pose},    {"dtau", id_slopes},
               {"dacc", fd_slopes}, {"Y", regressor}, {"hybrid", hybrid}};

limb_status limb_answer(const limb_answering* x, const limb_function* f, const double* const input[INPUT_KINDS],
                        double* out)
{
  const state s = {.x = x,
                   .q = input[INPUT_Q],
                   .v = input[INPUT_V],
                   .a = input[INPUT_A],
                   .tau = input[INPUT_TAU],
                   .given = input[INPUT_X],
                   .nv = (size_t)limb_nv(x->m)};
  for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
    if (strcmp(answers[i].name, f->name) == 0) return answers[i].answer(&s, out);
  }
  return x->loops ? limb_loop_reference_answer(x->loops, f, input, out) : LIMB_E_UNSUPPORTED;
}
