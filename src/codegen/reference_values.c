// Reference values: what the library computes for the quantities of a program (codegen_impl.h).
#include "limb/derivatives.h"
#include "limb/hybrid.h"
#include "limb/kinematics.h"
#include "limb/parallel.h"
#include "limb/regressor.h"

#include "base/alloc.h"
#include "base/random.h"
#include "codegen/codegen_impl.h"
#include "codegen/trace.h"

#include <string.h>

// ---- trees ---------------------------------------------------------------------------------------------------------

typedef struct state {
  const limb_reference* x;
  const double *q, *v, *a, *tau, *given;
  size_t nv;
} state;

typedef limb_status reference_fn(const state* s, double* out);

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

static limb_status id_derivatives(const state* s, double* out)
{
  limb_id_derivatives to = {0};
  to.dtau_dq = out, to.dtau_dv = out + s->nv * s->nv;
  return limb_inverse_dynamics_derivatives(s->x->d, s->q, s->v, s->a, &s->x->env, &to);
}

static limb_status fd_derivatives(const state* s, double* out)
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
  unsigned char* given_marks = limb_alloc(&alloc, s->nv + 1);
  if (!given_marks) return LIMB_E_NOMEM;
  limb_status status = limb_mark_passive(s->x->m, given_marks);
  if (status == LIMB_OK)
    status = limb_hybrid_dynamics(s->x->d, s->q, s->v, given_marks, s->given, &s->x->env, out, out + s->nv);
  limb_free(&alloc, given_marks, s->nv + 1);
  return status;
}

static reference_fn* const references[QUANTITY_IDS] = {[QUANTITY_TAU] = id,
                                                       [QUANTITY_ACC] = fd,
                                                       [QUANTITY_M] = mass_matrix,
                                                       [QUANTITY_MINV] = inverse,
                                                       [QUANTITY_C] = coriolis,
                                                       [QUANTITY_G] = gravity,
                                                       [QUANTITY_H] = bias,
                                                       [QUANTITY_J] = jacobian,
                                                       [QUANTITY_POSE] = pose,
                                                       [QUANTITY_DTAU] = id_derivatives,
                                                       [QUANTITY_DACC] = fd_derivatives,
                                                       [QUANTITY_Y] = regressor,
                                                       [QUANTITY_HYBRID] = hybrid};

limb_status limb_reference_values(const limb_reference* x, const limb_function* f,
                                  const double* const input[INPUT_KINDS], double* out)
{
  const state s = {.x = x,
                   .q = input[INPUT_Q],
                   .v = input[INPUT_V],
                   .a = input[INPUT_A],
                   .tau = input[INPUT_TAU],
                   .given = input[INPUT_X],
                   .nv = (size_t)limb_nv(x->m)};
  if (references[f->quantity]) return references[f->quantity](&s, out);
  return x->loops ? limb_loop_reference_values(x->loops, f, input, out) : LIMB_E_UNSUPPORTED;
}

struct limb_loop_reference {
  const limb_model* m;
  limb_environment env;
  limb_data* d;
  limb_loops* w;           // NULL: the robot has no loops
  limb_parallel* parallel; // NULL: not a parallel robot
  limb_parallel_info platform;
  int ny;
  unsigned char* independent; // nv marks; all 1 where no choice holds everywhere
  double* work;               // scratch for calls that write more than is needed
};

enum { STATES = 5 }; // configurations from which one is taken

// ---- loops: creation -----------------------------------------------------------------------------------------------

static limb_status find_independent(limb_loop_reference* r, limb_program* p)
{
  limb_partition partition;
  const limb_status s = limb_partition_choose(r->m, NULL, p, &partition, NULL);
  if (s != LIMB_OK) return s == LIMB_E_NOMEM ? s : LIMB_OK;
  r->ny = partition.ny;
  for (int v = 0; v < r->m->nv; v++) r->independent[v] = !partition.dependent[v];
  return LIMB_OK;
}

static limb_status make_workspaces(limb_loop_reference* r, const limb_codegen_options* options, limb_program* p)
{
  const limb_model* m = r->m;
  limb_status s = limb_data_create(m, &p->alloc, &r->d);
  if (s != LIMB_OK || m->nloop == 0) return s;
  s = limb_loops_create(m, LIMB_LOOPS_DENSE, &p->alloc, &r->w);
  if (s == LIMB_OK) s = find_independent(r, p);
  if (s != LIMB_OK) return s;
  const int named = options->frame ? limb_find_body(m, options->frame) : -1;
  s = limb_parallel_create(m, named, &p->alloc, &r->parallel, NULL);
  if (s == LIMB_OK) return limb_parallel_get(r->parallel, &r->platform);
  return s == LIMB_E_NOMEM ? s : LIMB_OK; // then no platform quantity exists
}

limb_status limb_loop_reference_begin(const limb_model* m, const limb_codegen_options* options, limb_program* p,
                                      limb_loop_reference** out)
{
  const size_t nv = (size_t)m->nv, nq = (size_t)m->nq;
  limb_loop_reference* r = limb_program_alloc(p, 1, sizeof *r);
  *out = NULL;
  if (!r) return LIMB_E_NOMEM;
  r->m = m;
  r->env = limb_default_environment(m);
  r->env.friction = options->friction;
  r->env.coulomb_width = options->coulomb_width;
  r->independent = limb_program_alloc(p, nv + 1, 1);
  r->work = limb_program_alloc(p, nv * (nv + 1) + STATES * nq + 6 * nv + 1, sizeof *r->work);
  if (!r->independent || !r->work) return LIMB_E_NOMEM;
  memset(r->independent, 1, nv);
  const limb_status s = make_workspaces(r, options, p);
  if (s == LIMB_OK)
    *out = r;
  else
    limb_loop_reference_end(r);
  return s;
}

void limb_loop_reference_end(limb_loop_reference* r)
{
  if (!r) return;
  limb_parallel_destroy(r->parallel);
  limb_loops_destroy(r->w);
  limb_data_destroy(r->d);
}

// ---- loops: states -------------------------------------------------------------------------------------------------

static void fill_random(uint64_t* seed, double size, int n, double* x)
{
  for (int i = 0; x && i < n; i++) x[i] = size * limb_random_sign(seed);
}

static limb_status find_configuration(limb_loop_reference* r, uint64_t* seed, double* q)
{
  if (!r->w) return limb_random(r->m, seed, q);
  int singular;
  const int found = limb_closed_configurations(r->w, *seed, STATES, r->work, &singular);
  if (found == 0) return LIMB_E_NOCONV;
  memcpy(q, r->work + (ptrdiff_t)(*seed % (uint64_t)found) * r->m->nq, (size_t)r->m->nq * sizeof *q);
  return LIMB_OK;
}

static void put_motion(sp_motion x, double* to)
{
  to[0] = x.w.x, to[1] = x.w.y, to[2] = x.w.z, to[3] = x.v.x, to[4] = x.v.y, to[5] = x.v.z;
}

// Motion of the platform at q, v and a.
static limb_status find_motion(limb_loop_reference* r, const double* q, const double* v, const double* a,
                               limb_platform_motion* out)
{
  const int frame = r->platform.platform;
  limb_status s = limb_kinematics(r->d, q, v, a);
  if (s == LIMB_OK) s = limb_frame_pose(r->d, frame, &out->pose);
  if (s == LIMB_OK) s = limb_frame_velocity(r->d, frame, LIMB_BODY, &out->velocity);
  if (s == LIMB_OK) s = limb_frame_acceleration(r->d, frame, LIMB_BODY, &out->acceleration);
  return s;
}

limb_status limb_loop_reference_state(limb_loop_reference* r, uint64_t seed, double* const input[INPUT_KINDS])
{
  const int nv = r->m->nv;
  double *q = input[INPUT_Q], *v = input[INPUT_V], *a = input[INPUT_A];
  limb_platform_motion motion;
  limb_status s = find_configuration(r, &seed, q);
  fill_random(&seed, 2, nv, v), fill_random(&seed, 5, nv, a);
  fill_random(&seed, 10, nv, input[INPUT_TAU]), fill_random(&seed, 5, nv, input[INPUT_X]);
  if (s == LIMB_OK && r->w) s = limb_complete_velocities(r->w, q, NULL, NULL, v);
  if (s == LIMB_OK && r->w) s = limb_complete_accelerations(r->w, q, v, NULL, NULL, a);
  if (s != LIMB_OK || !r->parallel) return s;
  s = find_motion(r, q, v, a, &motion);
  if (s == LIMB_OK && input[INPUT_TWIST]) put_motion(motion.velocity, input[INPUT_TWIST]);
  if (s == LIMB_OK && input[INPUT_TWIST_RATE]) put_motion(motion.acceleration, input[INPUT_TWIST_RATE]);
  return s;
}

// ---- loops: values -------------------------------------------------------------------------------------------------

typedef const double* const* inputs;

static limb_closed_motion closed_motion(const limb_loop_reference* r, inputs in)
{
  return (limb_closed_motion){in[INPUT_Q], in[INPUT_V], in[INPUT_A], &r->env};
}

static limb_status psi(limb_loop_reference* r, inputs in, double* out)
{
  limb_loop_equations e = {0};
  e.Psi = out;
  return limb_loop_equations_at(r->w, in[INPUT_Q], NULL, NULL, &e);
}

static limb_status gamma_rows(limb_loop_reference* r, inputs in, double* out)
{
  limb_loop_equations e = {0};
  e.gamma = out;
  return limb_loop_equations_at(r->w, in[INPUT_Q], in[INPUT_V], NULL, &e);
}

static limb_status velocity_map(limb_loop_reference* r, inputs in, double* out)
{
  int ny;
  const limb_status s = limb_velocity_map(r->w, in[INPUT_Q], r->independent, NULL, &ny, r->work);
  if (s == LIMB_OK) memcpy(out, r->work, (size_t)r->m->nv * (size_t)ny * sizeof *out);
  return s;
}

static limb_status passive(limb_loop_reference* r, inputs in, double* out)
{
  const size_t nv = (size_t)r->m->nv;
  double *v = out, *a = out + nv;
  memcpy(v, in[INPUT_V], nv * sizeof *v);
  memcpy(a, in[INPUT_A], nv * sizeof *a);
  const limb_status s = limb_complete_velocities(r->w, in[INPUT_Q], r->independent, NULL, v);
  if (s != LIMB_OK) return s;
  return limb_complete_accelerations(r->w, in[INPUT_Q], v, r->independent, NULL, a);
}

// Joints outside loops may have no motor: forces that they need are ignored.
static limb_status tau_active(limb_loop_reference* r, inputs in, double* out)
{
  const limb_closed_motion motion = closed_motion(r, in);
  limb_closed_forces to = {0};
  to.tau = out;
  const limb_status s = limb_closed_inverse_dynamics(r->w, &motion, NULL, NULL, &to);
  return s == LIMB_E_SINGULAR && to.undriven > 0 ? LIMB_OK : s;
}

static limb_status closed_acc(limb_loop_reference* r, inputs in, double* out)
{
  const limb_closed_motion motion = closed_motion(r, in);
  return limb_closed_forward_dynamics(r->w, &motion, in[INPUT_TAU], NULL, out, NULL, NULL);
}

static limb_status multipliers(limb_loop_reference* r, inputs in, double* out)
{
  const limb_closed_motion motion = closed_motion(r, in);
  return limb_closed_forward_dynamics(r->w, &motion, in[INPUT_TAU], NULL, out, out + r->m->nv, NULL);
}

// Reduced mass matrix and bias forces, in work: nv^2 and nv numbers.
static limb_status reduced(limb_loop_reference* r, inputs in, const double* v)
{
  const limb_closed_motion motion = {in[INPUT_Q], v, NULL, &r->env};
  int ny;
  return limb_closed_reduced_dynamics(r->w, &motion, r->independent, NULL, &ny, r->work,
                                      r->work + (ptrdiff_t)r->m->nv * r->m->nv);
}

static limb_status reduced_mass(limb_loop_reference* r, inputs in, double* out)
{
  const limb_status s = reduced(r, in, in[INPUT_V]);
  memcpy(out, r->work, (size_t)r->ny * (size_t)r->ny * sizeof *out);
  return s;
}

static limb_status reduced_bias(limb_loop_reference* r, inputs in, double* out)
{
  const limb_status s = reduced(r, in, in[INPUT_V]);
  memcpy(out, r->work + (ptrdiff_t)r->m->nv * r->m->nv, (size_t)r->ny * sizeof *out);
  return s;
}

static sp_motion read_motion(const double* x) { return (sp_motion){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }

static limb_status platform_tau(limb_loop_reference* r, inputs in, double* out)
{
  limb_platform_motion motion;
  limb_status s = limb_kinematics(r->d, in[INPUT_Q], NULL, NULL);
  if (s == LIMB_OK) s = limb_frame_pose(r->d, r->platform.platform, &motion.pose);
  if (s != LIMB_OK) return s;
  motion.velocity = read_motion(in[INPUT_TWIST]);
  motion.acceleration = read_motion(in[INPUT_TWIST_RATE]);
  return limb_parallel_inverse_dynamics(r->parallel, in[INPUT_Q], &motion, &r->env, out);
}

static limb_status platform_acc(limb_loop_reference* r, inputs in, double* out)
{
  sp_motion rate;
  const limb_status s =
    limb_parallel_forward_dynamics(r->parallel, in[INPUT_Q], in[INPUT_V], in[INPUT_TAU], &r->env, &rate, out + 6);
  if (s == LIMB_OK) put_motion(rate, out);
  return s;
}

static limb_status platform_J(limb_loop_reference* r, inputs in, double* out)
{
  const int n = r->platform.drives;
  sp_motion* J = (sp_motion*)(void*)r->work; // 6 nv numbers of it
  const limb_status s = limb_parallel_jacobian(r->parallel, in[INPUT_Q], J);
  for (int k = 0; s == LIMB_OK && k < n; k++) {
    double column[6];
    put_motion(J[k], column);
    for (int i = 0; i < 6; i++) out[i * n + k] = column[i];
  }
  return s;
}

limb_status limb_loop_reference_values(limb_loop_reference* r, const limb_function* f,
                                       const double* const input[INPUT_KINDS], double* out)
{
  static limb_status (*const list[QUANTITY_IDS])(limb_loop_reference*, inputs,
                                                 double*) = {[QUANTITY_PSI] = psi,
                                                             [QUANTITY_GAMMA] = gamma_rows,
                                                             [QUANTITY_VELOCITY_MAP] = velocity_map,
                                                             [QUANTITY_PASSIVE] = passive,
                                                             [QUANTITY_CLOSED_TAU] = tau_active,
                                                             [QUANTITY_CLOSED_ACC] = closed_acc,
                                                             [QUANTITY_LAMBDA] = multipliers,
                                                             [QUANTITY_CLOSED_M] = reduced_mass,
                                                             [QUANTITY_CLOSED_H] = reduced_bias,
                                                             [QUANTITY_PLATFORM_TAU] = platform_tau,
                                                             [QUANTITY_PLATFORM_ACC] = platform_acc,
                                                             [QUANTITY_PLATFORM_J] = platform_J};
  const double* g = input[INPUT_GRAVITY];
  if (g) r->env.gravity = sp_v3(g[0], g[1], g[2]);
  return list[f->quantity] ? list[f->quantity](r, input, out) : LIMB_E_UNSUPPORTED;
}
