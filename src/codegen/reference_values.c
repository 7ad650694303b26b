// Reference values: what the library computes for the functions of a program, by the names of the registry
// (codegen_impl.h).
#include "limb/kinematics.h"

#include "base/numeric.h"
#include "codegen/codegen_impl.h"
#include "codegen/trace.h"
#include "loops/closed.h"

#include <string.h>

static void put_motion(sp_motion x, double* to)
{
  to[0] = x.w.x, to[1] = x.w.y, to[2] = x.w.z, to[3] = x.v.x, to[4] = x.v.y, to[5] = x.v.z;
}

static sp_motion read_motion(const double* x) { return (sp_motion){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }

// ---- creation ------------------------------------------------------------------------------------------------------

enum { STATES = 5 }; // configurations from which one is taken

static limb_status find_independent(limb_reference* x, limb_program* p)
{
  limb_partition partition;
  const limb_status s = limb_partition_choose(x->m, NULL, p, &partition, NULL);
  if (s != LIMB_OK) return s == LIMB_E_NOMEM ? s : LIMB_OK;
  x->ny = partition.ny;
  for (int v = 0; v < x->m->nv; v++) x->independent[v] = !partition.dependent[v];
  return LIMB_OK;
}

// Failures other than missing memory: then no function needs it.
static limb_status make_loops(limb_reference* x, const char* platform, limb_program* p)
{
  const int named = platform ? limb_find_body(x->m, platform) : -1;
  limb_status s = limb_data_create(x->m, &p->alloc, &x->w);
  if (s == LIMB_OK) s = find_independent(x, p);
  if (s == LIMB_OK) s = limb_parallel_create(x->m, named, &p->alloc, &x->parallel, NULL);
  if (s == LIMB_OK) s = limb_parallel_get(x->parallel, &x->platform);
  return s == LIMB_E_NOMEM ? s : LIMB_OK;
}

limb_status limb_reference_begin(const limb_model* m, const limb_codegen_options* options, limb_program* p,
                                 limb_reference* x)
{
  const size_t nv = (size_t)m->nv, nq = (size_t)m->nq;
  *x = (limb_reference){.m = m, .env = limb_default_environment(m)};
  x->env.friction = options->friction;
  x->env.coulomb_width = options->coulomb_width;
  x->independent = limb_program_alloc(p, nv + 1, 1);
  x->work = limb_program_alloc(p, nv * (nv + 1) + STATES * nq + 6 * nv + 1, sizeof *x->work);
  if (!x->independent || !x->work) return LIMB_E_NOMEM;
  memset(x->independent, 1, nv);
  limb_evaluator_options how = limb_default_evaluator_options();
  how.frame = limb_trace_frame(m, options->frame);
  limb_status s = limb_evaluator_create(m, &how, &p->alloc, &x->closed);
  how.tree = 1;
  if (s == LIMB_OK) s = limb_evaluator_create(m, &how, &p->alloc, &x->tree);
  if (s == LIMB_OK) s = limb_data_create(limb_spanning_tree(m), &p->alloc, &x->d);
  return s == LIMB_OK && m->nloop > 0 ? make_loops(x, options->frame, p) : s;
}

void limb_reference_end(limb_reference* x)
{
  limb_parallel_destroy(x->parallel);
  limb_data_destroy(x->w);
  limb_data_destroy(x->d);
  limb_evaluator_destroy(x->tree);
  limb_evaluator_destroy(x->closed);
}

// ---- states --------------------------------------------------------------------------------------------------------

static void fill_random(uint64_t* seed, double size, int n, double* to)
{
  for (int i = 0; to && i < n; i++) to[i] = size * limb_random_sign(seed);
}

static limb_status find_configuration(limb_reference* x, uint64_t* seed, double* q)
{
  if (!x->w) return limb_random(x->m, seed, q);
  int singular;
  const int found = limb_draw_closed_configurations(x->w->loops, *seed, STATES, x->work, &singular);
  if (found == 0) return LIMB_E_NOCONV;
  memcpy(q, x->work + (ptrdiff_t)(*seed % (uint64_t)found) * x->m->nq, (size_t)x->m->nq * sizeof *q);
  return LIMB_OK;
}

// Motion of the platform at q, v and a.
static limb_status find_motion(limb_reference* x, const double* q, const double* v, const double* a,
                               limb_platform_motion* out)
{
  const int frame = x->platform.platform;
  limb_status s = limb_kinematics(x->d, q, v, a);
  if (s == LIMB_OK) s = limb_frame_pose(x->d, frame, &out->pose);
  if (s == LIMB_OK) s = limb_frame_velocity(x->d, frame, LIMB_BODY, &out->velocity);
  if (s == LIMB_OK) s = limb_frame_acceleration(x->d, frame, LIMB_BODY, &out->acceleration);
  return s;
}

limb_status limb_reference_state(limb_reference* x, uint64_t seed, double* const input[INPUT_KINDS])
{
  const int nv = x->m->nv;
  double *q = input[INPUT_Q], *v = input[INPUT_V], *a = input[INPUT_A];
  limb_platform_motion motion;
  limb_status s = find_configuration(x, &seed, q);
  fill_random(&seed, 2, nv, v), fill_random(&seed, 5, nv, a);
  fill_random(&seed, 10, nv, input[INPUT_TAU]), fill_random(&seed, 5, nv, input[INPUT_X]);
  if (s == LIMB_OK && x->w) s = limb_complete_velocities(x->w, q, NULL, NULL, v);
  if (s == LIMB_OK && x->w) s = limb_complete_accelerations(x->w, q, v, NULL, NULL, a);
  if (s != LIMB_OK || !x->parallel) return s;
  s = find_motion(x, q, v, a, &motion);
  if (s == LIMB_OK && input[INPUT_TWIST]) put_motion(motion.velocity, input[INPUT_TWIST]);
  if (s == LIMB_OK && input[INPUT_TWIST_RATE]) put_motion(motion.acceleration, input[INPUT_TWIST_RATE]);
  return s;
}

// ---- values --------------------------------------------------------------------------------------------------------

static limb_status evaluate_items(limb_reference* x, const limb_function* f, const double* const input[INPUT_KINDS],
                                  double* out)
{
  const unsigned in = f->inputs;
  limb_evaluator* e = f->kind->robots == ROBOTS_LOOPS ? x->closed : x->tree;
  const double *a = in >> INPUT_A & 1U ? input[INPUT_A] : NULL, *tau = in >> INPUT_TAU & 1U ? input[INPUT_TAU] : NULL;
  limb_state state = {.q = input[INPUT_Q], .v = input[INPUT_V], .a = a, .tau = tau, .env = &x->env};
  if (in >> INPUT_X & 1U) state.a = state.tau = input[INPUT_X];
  limb_status s = LIMB_OK;
  limb_evaluator_keep(e, 0);
  for (const char* of = f->kind->of; of && s == LIMB_OK;) {
    char word[40];
    of = limb_next_word(of, word, sizeof word);
    s = limb_evaluator_add(e, word, NULL, NULL, NULL);
  }
  return s == LIMB_OK ? limb_evaluator_run(e, &state, out) : s;
}

limb_status limb_reference_values(limb_reference* x, const limb_function* f, const double* const input[INPUT_KINDS],
                                  double* out)
{
  const double* g = input[INPUT_GRAVITY];
  if (g) x->env.gravity = sp_v3(g[0], g[1], g[2]);
  if (!f->kind) return LIMB_E_UNSUPPORTED;
  return f->kind->of ? evaluate_items(x, f, input, out) : f->kind->reference(x, input, out);
}

// ---- what the registry does not have: the independent coordinates of generated code --------------------------------

limb_status limb_reference_velocity_map(limb_reference* x, const double* const* input, double* out)
{
  int found;
  const limb_status s = limb_velocity_map(x->w, input[INPUT_Q], x->independent, NULL, &found, x->work);
  if (s == LIMB_OK) memcpy(out, x->work, (size_t)x->m->nv * (size_t)found * sizeof *out);
  return s;
}

// The call writes up to nv^2 numbers, of which the first are needed.
static limb_status reduce(limb_reference* x, const double* const* input, double* h)
{
  int found;
  const limb_closed_motion motion = {input[INPUT_Q], input[INPUT_V], NULL, &x->env};
  return limb_closed_reduced_dynamics(x->w, &motion, x->independent, NULL, &found, x->work, h);
}

limb_status limb_reference_reduced_mass(limb_reference* x, const double* const* input, double* out)
{
  const size_t nv = (size_t)x->m->nv, ny = (size_t)x->ny;
  const limb_status s = reduce(x, input, x->work + nv * nv);
  memcpy(out, x->work, ny * ny * sizeof *out);
  return s;
}

limb_status limb_reference_reduced_bias(limb_reference* x, const double* const* input, double* out)
{
  double* h = x->work + (size_t)x->m->nv * (size_t)x->m->nv;
  const limb_status s = reduce(x, input, h);
  memcpy(out, h, (size_t)x->ny * sizeof *out);
  return s;
}

// ---- platforms -----------------------------------------------------------------------------------------------------

limb_status limb_reference_platform_tau(limb_reference* x, const double* const* input, double* out)
{
  limb_platform_motion motion;
  limb_status s = limb_kinematics(x->d, input[INPUT_Q], NULL, NULL);
  if (s == LIMB_OK) s = limb_frame_pose(x->d, x->platform.platform, &motion.pose);
  if (s != LIMB_OK) return s;
  motion.velocity = read_motion(input[INPUT_TWIST]);
  motion.acceleration = read_motion(input[INPUT_TWIST_RATE]);
  return limb_parallel_inverse_dynamics(x->parallel, input[INPUT_Q], &motion, &x->env, out);
}

limb_status limb_reference_platform_acc(limb_reference* x, const double* const* input, double* out)
{
  sp_motion rate;
  const limb_status s = limb_parallel_forward_dynamics(x->parallel, input[INPUT_Q], input[INPUT_V], input[INPUT_TAU],
                                                       &x->env, &rate, out + 6);
  if (s == LIMB_OK) put_motion(rate, out);
  return s;
}

limb_status limb_reference_platform_jacobian(limb_reference* x, const double* const* input, double* out)
{
  sp_motion* J = (sp_motion*)(void*)x->work; // 6 nv numbers of it
  const int n = x->platform.drives;
  const limb_status s = limb_parallel_jacobian(x->parallel, input[INPUT_Q], J);
  for (int c = 0; c < n && s == LIMB_OK; c++) {
    double column[6];
    put_motion(J[c], column);
    for (int r = 0; r < 6; r++) out[r * n + c] = column[r];
  }
  return s;
}
