// What the library itself says of functions of robots with loops.
#include "symbolic/loop_reference.h"

#include "base/numeric.h"

#include "limb/kinematics.h"
#include "limb/parallel.h"

#include "symbolic/loop_split.h"

#include <string.h>

struct limb_loop_reference {
  const limb_model* m;
  limb_environment env;
  limb_data* d;
  limb_loops* w;           // NULL: the robot has no loops
  limb_parallel* parallel; // NULL: it is no parallel robot
  limb_parallel_info platform;
  int ny;
  unsigned char* independent; // nv marks; all of them where no choice holds everywhere
  double* room;               // for what the calls want more room for than there is to answer
};

enum { STATES = 5 }; // configurations that one is taken from

// ---- life ---------------------------------------------------------------------------------------------

static limb_status find_independent(limb_loop_reference* r, limb_program* p)
{
  limb_split split;
  const limb_status s = limb_split_choose(r->m, NULL, p, &split, NULL);
  if (s != LIMB_OK) return s == LIMB_E_NOMEM ? s : LIMB_OK;
  r->ny = split.ny;
  for (int v = 0; v < r->m->nv; v++) r->independent[v] = !split.dependent[v];
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
  return s == LIMB_E_NOMEM ? s : LIMB_OK; // none of its functions can be asked for
}

limb_status limb_loop_reference_begin(const limb_model* m, const limb_codegen_options* options, limb_program* p,
                                      limb_loop_reference** out)
{
  const size_t nv = (size_t)m->nv, nq = (size_t)m->nq;
  limb_loop_reference* r = limb_program_take(p, 1, sizeof *r);
  *out = NULL;
  if (!r) return LIMB_E_NOMEM;
  r->m = m;
  r->env = limb_default_environment(m);
  r->env.friction = options->friction;
  r->env.coulomb_width = options->coulomb_width;
  r->independent = limb_program_take(p, nv + 1, 1);
  r->room = limb_program_take(p, nv * (nv + 1) + STATES * nq + 6 * nv + 1, sizeof *r->room);
  if (!r->independent || !r->room) return LIMB_E_NOMEM;
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

// ---- states -------------------------------------------------------------------------------------------

static void fill(uint64_t* seed, double size, int n, double* x)
{
  for (int i = 0; x && i < n; i++) x[i] = size * limb_random_sign(seed);
}

static limb_status find_configuration(limb_loop_reference* r, uint64_t* seed, double* q)
{
  if (!r->w) return limb_random(r->m, seed, q);
  int singular;
  const int found = limb_closed_configurations(r->w, *seed, STATES, r->room, &singular);
  if (found == 0) return LIMB_E_NOCONV;
  memcpy(q, r->room + (ptrdiff_t)(*seed % (uint64_t)found) * r->m->nq, (size_t)r->m->nq * sizeof *q);
  return LIMB_OK;
}

static void put_motion(sp_motion x, double* to)
{
  to[0] = x.w.x, to[1] = x.w.y, to[2] = x.w.z, to[3] = x.v.x, to[4] = x.v.y, to[5] = x.v.z;
}

// How the platform moves at q, v and a.
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
  fill(&seed, 2, nv, v), fill(&seed, 5, nv, a);
  fill(&seed, 10, nv, input[INPUT_TAU]), fill(&seed, 5, nv, input[INPUT_X]);
  if (s == LIMB_OK && r->w) s = limb_complete_velocities(r->w, q, NULL, NULL, v);
  if (s == LIMB_OK && r->w) s = limb_complete_accelerations(r->w, q, v, NULL, NULL, a);
  if (s != LIMB_OK || !r->parallel) return s;
  s = find_motion(r, q, v, a, &motion);
  if (s == LIMB_OK && input[INPUT_TWIST]) put_motion(motion.velocity, input[INPUT_TWIST]);
  if (s == LIMB_OK && input[INPUT_TWIST_RATE]) put_motion(motion.acceleration, input[INPUT_TWIST_RATE]);
  return s;
}

// ---- answers ------------------------------------------------------------------------------------------

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

static limb_status map(limb_loop_reference* r, inputs in, double* out)
{
  int ny;
  const limb_status s = limb_velocity_map(r->w, in[INPUT_Q], r->independent, NULL, &ny, r->room);
  if (s == LIMB_OK) memcpy(out, r->room, (size_t)r->m->nv * (size_t)ny * sizeof *out);
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

// Joints in no loop may have no motor: what they need is left.
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

// A_c and H_c, in room: nv^2 and nv.
static limb_status reduced(limb_loop_reference* r, inputs in, const double* v)
{
  const limb_closed_motion motion = {in[INPUT_Q], v, NULL, &r->env};
  int ny;
  return limb_closed_reduced_dynamics(r->w, &motion, r->independent, NULL, &ny, r->room,
                                      r->room + (ptrdiff_t)r->m->nv * r->m->nv);
}

static limb_status reduced_mass(limb_loop_reference* r, inputs in, double* out)
{
  const limb_status s = reduced(r, in, in[INPUT_V]);
  memcpy(out, r->room, (size_t)r->ny * (size_t)r->ny * sizeof *out);
  return s;
}

static limb_status reduced_bias(limb_loop_reference* r, inputs in, double* out)
{
  const limb_status s = reduced(r, in, in[INPUT_V]);
  memcpy(out, r->room + (ptrdiff_t)r->m->nv * r->m->nv, (size_t)r->ny * sizeof *out);
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
  sp_motion* J = (sp_motion*)(void*)r->room; // 6 nv numbers of it
  const limb_status s = limb_parallel_jacobian(r->parallel, in[INPUT_Q], J);
  for (int k = 0; s == LIMB_OK && k < n; k++) {
    double column[6];
    put_motion(J[k], column);
    for (int i = 0; i < 6; i++) out[i * n + k] = column[i];
  }
  return s;
}

limb_status limb_loop_reference_answer(limb_loop_reference* r, const limb_function* f,
                                       const double* const input[INPUT_KINDS], double* out)
{
  static const struct {
    const char* name;
    limb_status (*answer)(limb_loop_reference* r, inputs in, double* out);
  } list[] = {{"psi", psi},
              {"gamma", gamma_rows},
              {"G", map},
              {"passive", passive},
              {"tau_active", tau_active},
              {"closed_acc", closed_acc},
              {"lambda", multipliers},
              {"closed_M", reduced_mass},
              {"closed_h", reduced_bias},
              {"platform_tau", platform_tau},
              {"platform_acc", platform_acc},
              {"platform_J", platform_J}};
  const double* g = input[INPUT_GRAVITY];
  if (g) r->env.gravity = sp_v3(g[0], g[1], g[2]);
  for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
    if (strcmp(list[k].name, f->name) == 0) return list[k].answer(r, input, out);
  }
  return LIMB_E_UNSUPPORTED;
}
