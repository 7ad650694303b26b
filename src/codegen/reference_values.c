// Reference values: what the library computes for the quantities of a program (codegen_impl.h).
#include "limb/derivatives.h"
#include "limb/dynamics.h"
#include "limb/kinematics.h"
#include "limb/parallel.h"
#include "limb/regressor.h"

#include "base/memory.h"
#include "base/numeric.h"
#include "codegen/codegen_impl.h"
#include "codegen/trace.h"

#include <string.h>

// ---- trees ---------------------------------------------------------------------------------------------------------

static void put_motion(sp_motion x, double* to)
{
  to[0] = x.w.x, to[1] = x.w.y, to[2] = x.w.z, to[3] = x.v.x, to[4] = x.v.y, to[5] = x.v.z;
}

// Columns of a Jacobian as rows of six numbers each, n to a row.
static void put_jacobian(const sp_motion* J, int n, double* out)
{
  for (int c = 0; c < n; c++) {
    double column[6];
    put_motion(J[c], column);
    for (int r = 0; r < 6; r++) out[r * n + c] = column[r];
  }
}

static limb_status jacobian(const limb_reference* x, double* out)
{
  const int nv = limb_nv(x->m);
  const size_t size = ((size_t)nv + 1) * sizeof(sp_motion);
  sp_motion* J = limb_alloc(&x->alloc, size);
  if (!J) return LIMB_E_NOMEM;
  const limb_status s = limb_frame_jacobian(x->d, x->frame, LIMB_ALIGNED, J);
  if (s == LIMB_OK) put_jacobian(J, nv, out);
  limb_free(&x->alloc, J, size);
  return s;
}

static limb_status pose(const limb_reference* x, double* out)
{
  sp_pose X;
  const limb_status s = limb_frame_pose(x->d, x->frame, &X);
  if (s != LIMB_OK) return s;
  memcpy(out, X.R.m, 9 * sizeof *out);
  out[9] = X.p.x, out[10] = X.p.y, out[11] = X.p.z;
  return LIMB_OK;
}

static limb_status hybrid(const limb_reference* x, const double* q, const double* v, const double* known, double* out)
{
  const size_t nv = (size_t)limb_nv(x->m);
  unsigned char* given = limb_alloc(&x->alloc, nv + 1);
  if (!given) return LIMB_E_NOMEM;
  limb_status s = limb_mark_passive(x->m, given);
  if (s == LIMB_OK) s = limb_hybrid_dynamics(x->d, q, v, given, known, &x->env, out, out + nv);
  limb_free(&x->alloc, given, nv + 1);
  return s;
}

limb_status limb_reference_values(const limb_reference* x, const limb_function* f,
                                  const double* const input[INPUT_KINDS], double* out)
{
  const double *q = input[INPUT_Q], *v = input[INPUT_V], *a = input[INPUT_A], *tau = input[INPUT_TAU];
  const size_t n = (size_t)limb_nv(x->m) * (size_t)limb_nv(x->m);
  limb_id_derivatives dtau = {0};
  limb_fd_derivatives dacc = {0};
  limb_status s;
  switch (f->quantity) {
  case QUANTITY_TAU: return limb_inverse_dynamics(x->d, q, v, a, &x->env, out);
  case QUANTITY_ACC: return limb_forward_dynamics(x->d, q, v, tau, &x->env, out);
  case QUANTITY_M: return limb_mass_matrix(x->d, q, out);
  case QUANTITY_MINV: return limb_mass_matrix_inverse(x->d, q, out);
  case QUANTITY_C: return limb_coriolis_matrix(x->d, q, v, out);
  case QUANTITY_G: return limb_gravity_forces(x->d, q, &x->env, out);
  case QUANTITY_H: return limb_bias_forces(x->d, q, v, &x->env, out);
  case QUANTITY_Y: return limb_regressor(x->d, q, v, a, &x->env, out);
  case QUANTITY_HYBRID: return hybrid(x, q, v, input[INPUT_X], out);
  case QUANTITY_J:
  case QUANTITY_POSE:
    s = limb_kinematics(x->d, q, NULL, NULL);
    return s != LIMB_OK ? s : f->quantity == QUANTITY_J ? jacobian(x, out) : pose(x, out);
  case QUANTITY_DTAU:
    dtau.dtau_dq = out, dtau.dtau_dv = out + n;
    return limb_inverse_dynamics_derivatives(x->d, q, v, a, &x->env, &dtau);
  case QUANTITY_DACC:
    dacc.dacc_dq = out, dacc.dacc_dv = out + n, dacc.dacc_dtau = out + 2 * n;
    return limb_forward_dynamics_derivatives(x->d, q, v, tau, &x->env, &dacc);
  default: return x->loops ? limb_loop_reference_values(x->loops, f, input, out) : LIMB_E_UNSUPPORTED;
  }
}

// ---- loops: creation -----------------------------------------------------------------------------------------------

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
  limb_status s = limb_data_create(limb_spanning_tree(m), &p->alloc, &r->d);
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

static limb_status passive(limb_loop_reference* r, const double* const* input, double* out)
{
  const size_t nv = (size_t)r->m->nv;
  double *v = out, *a = out + nv;
  memcpy(v, input[INPUT_V], nv * sizeof *v);
  memcpy(a, input[INPUT_A], nv * sizeof *a);
  const limb_status s = limb_complete_velocities(r->w, input[INPUT_Q], r->independent, NULL, v);
  return s == LIMB_OK ? limb_complete_accelerations(r->w, input[INPUT_Q], v, r->independent, NULL, a) : s;
}

// Joints outside loops may have no motor: forces that they need are ignored.
static limb_status closed_tau(limb_loop_reference* r, const limb_closed_motion* motion, double* out)
{
  limb_closed_forces to = {0};
  to.tau = out;
  const limb_status s = limb_closed_inverse_dynamics(r->w, motion, NULL, NULL, &to);
  return s == LIMB_E_SINGULAR && to.undriven > 0 ? LIMB_OK : s;
}

// Velocity map, reduced mass matrix or reduced bias forces. The calls write up to nv^2 numbers, of which the first are
// needed.
static limb_status reduced(limb_loop_reference* r, limb_quantity_id id, const limb_closed_motion* motion, double* out)
{
  const size_t nv = (size_t)r->m->nv, ny = (size_t)r->ny;
  double *work = r->work, *h = r->work + nv * nv;
  int found;
  if (id == QUANTITY_VELOCITY_MAP) {
    const limb_status s = limb_velocity_map(r->w, motion->q, r->independent, NULL, &found, work);
    if (s == LIMB_OK) memcpy(out, work, nv * (size_t)found * sizeof *out);
    return s;
  }
  const limb_closed_motion still = {motion->q, motion->v, NULL, motion->env};
  const limb_status s = limb_closed_reduced_dynamics(r->w, &still, r->independent, NULL, &found, work, h);
  memcpy(out, id == QUANTITY_CLOSED_M ? work : h, (id == QUANTITY_CLOSED_M ? ny * ny : ny) * sizeof *out);
  return s;
}

static sp_motion read_motion(const double* x) { return (sp_motion){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }

static limb_status platform_tau(limb_loop_reference* r, const double* const* input, double* out)
{
  limb_platform_motion motion;
  limb_status s = limb_kinematics(r->d, input[INPUT_Q], NULL, NULL);
  if (s == LIMB_OK) s = limb_frame_pose(r->d, r->platform.platform, &motion.pose);
  if (s != LIMB_OK) return s;
  motion.velocity = read_motion(input[INPUT_TWIST]);
  motion.acceleration = read_motion(input[INPUT_TWIST_RATE]);
  return limb_parallel_inverse_dynamics(r->parallel, input[INPUT_Q], &motion, &r->env, out);
}

static limb_status platform_acc(limb_loop_reference* r, const double* const* input, double* out)
{
  sp_motion rate;
  const limb_status s = limb_parallel_forward_dynamics(r->parallel, input[INPUT_Q], input[INPUT_V], input[INPUT_TAU],
                                                       &r->env, &rate, out + 6);
  if (s == LIMB_OK) put_motion(rate, out);
  return s;
}

static limb_status platform_jacobian(limb_loop_reference* r, const double* q, double* out)
{
  sp_motion* J = (sp_motion*)(void*)r->work; // 6 nv numbers of it
  const limb_status s = limb_parallel_jacobian(r->parallel, q, J);
  if (s == LIMB_OK) put_jacobian(J, r->platform.drives, out);
  return s;
}

limb_status limb_loop_reference_values(limb_loop_reference* r, const limb_function* f,
                                       const double* const input[INPUT_KINDS], double* out)
{
  const double *q = input[INPUT_Q], *v = input[INPUT_V], *tau = input[INPUT_TAU], *g = input[INPUT_GRAVITY];
  const limb_closed_motion motion = {q, v, input[INPUT_A], &r->env};
  limb_loop_equations rows = {0};
  if (g) r->env.gravity = sp_v3(g[0], g[1], g[2]);
  switch (f->quantity) {
  case QUANTITY_PSI: rows.Psi = out; return limb_loop_equations_at(r->w, q, NULL, NULL, &rows);
  case QUANTITY_GAMMA: rows.gamma = out; return limb_loop_equations_at(r->w, q, v, NULL, &rows);
  case QUANTITY_PASSIVE: return passive(r, input, out);
  case QUANTITY_CLOSED_TAU: return closed_tau(r, &motion, out);
  case QUANTITY_CLOSED_ACC: return limb_closed_forward_dynamics(r->w, &motion, tau, NULL, out, NULL, NULL);
  case QUANTITY_LAMBDA: return limb_closed_forward_dynamics(r->w, &motion, tau, NULL, out, out + r->m->nv, NULL);
  case QUANTITY_VELOCITY_MAP:
  case QUANTITY_CLOSED_M:
  case QUANTITY_CLOSED_H: return reduced(r, f->quantity, &motion, out);
  case QUANTITY_PLATFORM_TAU: return platform_tau(r, input, out);
  case QUANTITY_PLATFORM_ACC: return platform_acc(r, input, out);
  case QUANTITY_PLATFORM_J: return platform_jacobian(r, q, out);
  default: return LIMB_E_UNSUPPORTED;
  }
}
