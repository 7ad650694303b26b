// Random states that close the loops of a robot, and checks against the same robot described otherwise: cut elsewhere,
// as a platform on legs.
//
// From the start configuration, closed, joints are moved at random and the loops closed again; independent
// velocities and accelerations are random, the others follow. Configurations next to a singularity are
// drawn again, nearer to the start: dynamics is ill-conditioned there in any formulation.
#include "verify/verify_impl.h"

#include <stdlib.h>
#include <string.h>

enum {
  DRAWS = 20,
  RESTARTS = 20,
  MAX_DENSE = 3000 // velocities and constraints for which matrices of the whole robot are made
};

static const double MAX_CONDITION = 1e3;

int verify_is_dense(const limb_model* m) { return limb_nv(m) + limb_constraint_count(m) <= MAX_DENSE; }

// A workspace with the loops closed, with dense matrices for more robots than limb_data_create.
static limb_status create_closed(const limb_model* m, void** block, limb_data** out)
{
  const size_t size = verify_is_dense(m) ? limb_data_dense_size(m) : limb_data_size(m);
  const size_t whole = (size + LIMB_DATA_ALIGN - 1) / LIMB_DATA_ALIGN * LIMB_DATA_ALIGN;
  *block = aligned_alloc(LIMB_DATA_ALIGN, whole);
  return *block ? limb_data_init(m, *block, whole, out) : LIMB_E_NOMEM;
}

static limb_status allocate(verify* t, verify_closed* c)
{
  const size_t nq = (size_t)t->nq, nv = (size_t)t->nv, nc = (size_t)c->nc;
  const size_t entries = t->nv > VERIFY_LARGE ? 0 : nc * nv;
  c->memory = calloc(3 * nq + 9 * nv + 4 * nc + entries + 1, sizeof *c->memory);
  c->mark = calloc(nv + 1, 1);
  c->loads = calloc((size_t)limb_loop_count(t->m) + 1, sizeof *c->loads);
  if (!c->memory || !c->mark || !c->loads) return LIMB_E_NOMEM;
  double* at = c->memory;
  double** const of_q[] = {&c->start, &c->q, &c->qt};
  double** const of_v[] = {&c->v, &c->a, &c->tau, &c->acc, &c->vt, &c->at, &c->x, &c->y, &c->z};
  double** const of_row[] = {&c->lambda, &c->row, &c->other, &c->rate};
  for (size_t i = 0; i < sizeof of_q / sizeof *of_q; i++) *of_q[i] = at, at += nq;
  for (size_t i = 0; i < sizeof of_v / sizeof *of_v; i++) *of_v[i] = at, at += nv;
  for (size_t i = 0; i < sizeof of_row / sizeof *of_row; i++) *of_row[i] = at, at += nc;
  c->Psi = at;
  return create_closed(t->m, &c->block, &c->d);
}

limb_status verify_loops_open(verify* t, limb_assembly_report* report)
{
  verify_closed* c = calloc(1, sizeof *c);
  limb_assembly how = limb_default_assembly();
  if (!c) return LIMB_E_NOMEM;
  t->closed = c;
  c->nc = limb_constraint_count(t->m);
  c->env = t->env;
  if (c->env.coulomb_width == 0) c->env.coulomb_width = 0.1;
  limb_status s = allocate(t, c);
  if (s == LIMB_OK) s = limb_start(t->m, c->start);
  how.restarts = RESTARTS;
  return s == LIMB_OK ? limb_assemble(c->d, &how, c->start, report) : s;
}

void verify_loops_free(verify* t)
{
  verify_closed* c = t->closed;
  if (!c) return;
  verify_free_cuts(c);
  limb_data_destroy(c->d);
  free(c->block);
  free(c->memory);
  free(c->mark);
  free(c->loads);
  free(c);
  t->closed = NULL;
}

// ---- drawing ---------------------------------------------------------------------------------------

// A joint of the start configuration moves by up to this [rad], and a quarter of it [m].
static limb_status draw_configuration(verify* t, uint64_t* seed, double reach)
{
  verify_closed* c = t->closed;
  const limb_assembly how = limb_default_assembly();
  limb_joint_info x;
  for (int j = 0; j < t->njoint; j++) {
    if (limb_get_joint(t->m, j, &x) != LIMB_OK) continue;
    for (int k = 0; k < x.nv; k++) {
      const int slides = x.def.type == LIMB_PRISMATIC || (x.def.type == LIMB_FREE && k > 2);
      c->x[x.v + k] = reach * limb_random_sign(seed) / (slides ? 4 : 1);
    }
  }
  limb_status s = limb_integrate(t->m, c->start, c->x, 1, c->q);
  if (s == LIMB_OK) s = limb_assemble(c->d, &how, c->q, NULL);
  if (s == LIMB_OK) s = limb_mobility_at(c->d, c->q, NULL, &c->mobility);
  return s;
}

static int is_regular(const limb_mobility* m)
{
  const int drives = m->active == 0 || m->condition_passive < MAX_CONDITION;
  return m->singularity != LIMB_SINGULAR_CLOSURE && m->condition < MAX_CONDITION && drives;
}

// The last draw is the start itself, used if no other was better.
static limb_status find_configuration(verify* t, uint64_t* seed)
{
  double reach = 0.4;
  limb_status s = LIMB_E_NOCONV;
  for (int i = 0; i < DRAWS; i++) {
    s = draw_configuration(t, seed, i + 1 < DRAWS ? reach : 0);
    reach *= 0.8;
    if (s != LIMB_OK && s != LIMB_E_NOCONV) return s;
    if (s == LIMB_OK && is_regular(&t->closed->mobility)) break;
  }
  return s;
}

static limb_status draw_motion(verify* t, uint64_t* seed)
{
  verify_closed* c = t->closed;
  for (int k = 0; k < t->nv; k++) c->v[k] = limb_random_sign(seed), c->a[k] = limb_random_sign(seed);
  limb_status s = limb_complete_velocities(c->d, c->q, NULL, NULL, c->v);
  if (s == LIMB_OK) s = limb_complete_accelerations(c->d, c->q, c->v, NULL, NULL, c->a);
  const double fast = fmax(verify_largest(t->nv, c->v), sqrt(verify_largest(t->nv, c->a)));
  const double worst = fmax(c->mobility.condition, c->mobility.condition_passive);
  const double condition = fmin(MAX_CONDITION, worst);
  c->step = t->step / (fmax(1, fast) * fmax(1, condition / 20));
  return s;
}

limb_status verify_multipliers(verify_closed* c, limb_loop_method method)
{
  limb_loop_settings o = limb_default_loop_settings();
  o.solver.method = method, o.multipliers = 1;
  return limb_set_loops(c->d, &o);
}

void verify_get_multipliers(const verify_closed* c, double* lambda)
{
  limb_loop_details details = {.lambda = NULL};
  if (limb_get_loop_details(c->d, &details) == LIMB_OK && details.lambda)
    memcpy(lambda, details.lambda, (size_t)c->nc * sizeof *lambda);
}

// Torques of about the size of those that the motion needs.
static limb_status draw_torques(verify* t, uint64_t* seed)
{
  verify_closed* c = t->closed;
  limb_status s = verify_multipliers(c, LIMB_LOOP_METHOD_AUTO);
  if (s == LIMB_OK) s = limb_inverse_dynamics(t->d, c->q, c->v, c->a, &t->env, c->x);
  if (s != LIMB_OK) return s;
  s = limb_inverse_dynamics(c->d, c->q, c->v, c->a, &t->env, c->tau);
  verify_get_multipliers(c, c->lambda);
  for (int k = 0; k < t->nv; k++) c->tau[k] *= 1 + 0.5 * limb_random_sign(seed);
  c->size_force = fmax(verify_largest(t->nv, c->x), verify_largest(c->nc, c->lambda));
  return s == LIMB_E_SINGULAR ? LIMB_OK : s; // the nearest ones will do
}

// Forward dynamics, and the size of its terms before they cancel: without the closures.
static limb_status solve(verify* t)
{
  verify_closed* c = t->closed;
  const int dense = t->nv <= VERIFY_KKT && verify_is_dense(t->m);
  limb_status s = limb_forward_dynamics(t->d, c->q, c->v, c->tau, &t->env, c->acc);
  c->size_acc = s == LIMB_OK ? verify_largest(t->nv, c->acc) : 0; // the tree may have no mass
  c->size_acc = fmax(c->size_acc, VERIFY_PART * sp_norm3(t->env.gravity));
  s = verify_multipliers(c, dense ? LIMB_LOOP_METHOD_KKT : LIMB_LOOP_METHOD_AUTO);
  if (s == LIMB_OK) s = limb_forward_dynamics(c->d, c->q, c->v, c->tau, &t->env, c->acc);
  verify_get_multipliers(c, c->lambda);
  c->size_force = fmax(c->size_force, verify_largest(c->nc, c->lambda));
  return s;
}

limb_status verify_close(verify* t)
{
  verify_closed* c = t->closed;
  uint64_t seed = t->seed;
  if (c->made && c->seed == t->seed) return c->status;
  c->made = 1, c->seed = t->seed;
  limb_status s = find_configuration(t, &seed);
  if (s == LIMB_OK) s = draw_motion(t, &seed);
  if (s == LIMB_OK) s = draw_torques(t, &seed);
  if (s == LIMB_OK) s = solve(t);
  for (int closed = 0; closed <= 1 && s == LIMB_OK && t->nv <= VERIFY_WIDE; closed++)
    (void)!verify_condition(t, closed ? c->d : t->d, c->q, c->size_force, c->size_acc);
  return c->status = s;
}

// ==== the same robot described otherwise ==========================================================

// ---- pins ------------------------------------------------------------------------------------------

static limb_status copy_tree(const limb_model* m, limb_builder* b)
{
  limb_status s = limb_builder_set_gravity(b, limb_model_gravity(m));
  for (int i = 1; i < limb_body_count(m) && s == LIMB_OK; i++) {
    limb_body_info body;
    s = limb_get_body(m, i, &body);
    if (s != LIMB_OK) break;
    limb_body_def def = limb_default_body_def(body.name);
    def.inertia = body.inertia;
    s = limb_builder_add_body(b, &def, NULL, NULL);
  }
  for (int j = 0; j < limb_joint_count(m) && s == LIMB_OK; j++) {
    limb_joint_info joint;
    s = limb_get_joint(m, j, &joint);
    if (s == LIMB_OK) s = limb_builder_add_joint(b, &joint.def, NULL, NULL);
  }
  for (int i = 0; i < limb_shaft_count(m) && s == LIMB_OK; i++) {
    limb_shaft_def shaft;
    s = limb_get_shaft(m, i, &shaft);
    if (s == LIMB_OK) s = limb_builder_add_shaft(b, &shaft, NULL);
  }
  for (int i = 0; i < limb_tendon_count(m) && s == LIMB_OK; i++) {
    limb_tendon_def tendon;
    s = limb_get_tendon(m, i, &tendon);
    if (s == LIMB_OK) s = limb_builder_add_tendon(b, &tendon, NULL, NULL);
  }
  return s;
}

// In the plane a point on a line is a pin with redundant constraints, and a pin can be replaced by a joint.
static limb_status copy_loops(const limb_model* m, limb_builder* b)
{
  limb_status s = LIMB_OK;
  for (int i = 0; i < limb_loop_count(m) && s == LIMB_OK; i++) {
    limb_loop_info loop;
    s = limb_get_loop(m, i, &loop);
    if (s != LIMB_OK) break;
    if (loop.def.kind == LIMB_LOOP_POINT_ON_LINE && loop.def.motion.amplitude == 0 && loop.def.motion.constant == 0 &&
        loop.def.motion.rate == 0 && !loop.def.motion.fn)
      loop.def.kind = LIMB_LOOP_PIN;
    s = limb_builder_add_loop(b, &loop.def, NULL, NULL);
  }
  return s;
}

// Pins instead of points on lines; kept if they close where the robot does: in the plane.
static limb_status make_pinned(verify* t)
{
  verify_closed* c = t->closed;
  limb_builder* b = NULL;
  limb_data* w = NULL;
  limb_loop_gap gap = {.position = 1};
  limb_status s = limb_builder_create(NULL, &b);
  if (s == LIMB_OK) s = copy_tree(t->m, b);
  if (s == LIMB_OK) s = copy_loops(t->m, b);
  if (s == LIMB_OK) s = limb_builder_build(b, &c->pinned, NULL);
  if (s == LIMB_OK) s = limb_data_create(limb_spanning_tree(c->pinned), NULL, &c->pinned_data);
  if (s == LIMB_OK) s = limb_data_create(c->pinned, NULL, &w);
  if (s == LIMB_OK) s = limb_loop_gap_of(w, c->q, NULL, NULL, &gap);
  limb_data_destroy(w);
  limb_builder_destroy(b);
  if (s == LIMB_OK && gap.position < 1e-9) return LIMB_OK;
  limb_data_destroy(c->pinned_data);
  limb_model_destroy(c->pinned);
  c->pinned = NULL, c->pinned_data = NULL;
  return s == LIMB_E_NOMEM ? s : LIMB_OK; // then the robot is used as it is
}

// ---- cuts ------------------------------------------------------------------------------------------

static limb_status make_cut_workspace(verify_cut* x)
{
  const size_t nq = (size_t)limb_nq(x->m), nv = (size_t)limb_nv(x->m);
  x->q = calloc(nq + 3 * nv + 1, sizeof *x->q);
  if (!x->q) return LIMB_E_NOMEM;
  x->v = x->q + nq, x->a = x->v + nv, x->tau = x->a + nv;
  const limb_status s = limb_data_create(limb_spanning_tree(x->m), NULL, &x->tree);
  return s == LIMB_OK ? limb_data_create(x->m, NULL, &x->d) : s;
}

// The first joint in the loop that can be exchanged with the closure.
static limb_status cut_loop(const limb_model* m, int loop, verify_cut* out)
{
  limb_status s = LIMB_E_UNSUPPORTED;
  for (int j = 0; j < limb_joint_count(m) && !out->m && s != LIMB_E_NOMEM; j++)
    s = limb_recut(m, loop, j, NULL, &out->m, NULL);
  if (out->m) return make_cut_workspace(out);
  return s == LIMB_E_NOMEM ? s : LIMB_OK;
}

static limb_status make_cuts(verify* t)
{
  verify_closed* c = t->closed;
  if (c->cuts_made) return c->ncut > 0 ? LIMB_OK : LIMB_E_UNSUPPORTED;
  c->cuts_made = 1;
  limb_status s = make_pinned(t);
  const limb_model* m = c->pinned ? c->pinned : t->m;
  for (int i = 0; i < limb_loop_count(m) && c->ncut < VERIFY_CUTS && s == LIMB_OK; i++) {
    s = cut_loop(m, i, &c->cut[c->ncut]);
    c->ncut += c->cut[c->ncut].m != NULL;
  }
  if (s != LIMB_OK) return s;
  return c->ncut > 0 ? LIMB_OK : LIMB_E_UNSUPPORTED;
}

void verify_free_cuts(verify_closed* c)
{
  for (int i = 0; i < VERIFY_CUTS; i++) {
    limb_data_destroy(c->cut[i].tree);
    limb_data_destroy(c->cut[i].d);
    limb_model_destroy(c->cut[i].m);
    free(c->cut[i].q);
  }
  limb_data_destroy(c->pinned_data);
  limb_model_destroy(c->pinned);
  limb_parallel_destroy(c->platform);
}

static limb_status make_platform(verify* t)
{
  verify_closed* c = t->closed;
  limb_status s = LIMB_OK;
  if (!c->platform_made) s = limb_parallel_create(t->m, -1, NULL, &c->platform, NULL);
  c->platform_made = 1;
  if (s == LIMB_E_NOMEM) return s;
  return c->platform ? LIMB_OK : LIMB_E_UNSUPPORTED;
}

// ---- the checks ------------------------------------------------------------------------------------

static limb_status at_platform(verify* t, limb_platform_motion* out)
{
  verify_closed* c = t->closed;
  limb_parallel_info info;
  limb_status s = verify_close(t);
  if (s == LIMB_OK) s = make_platform(t);
  if (s == LIMB_OK) s = limb_parallel_get(c->platform, &info);
  if (s == LIMB_OK) s = limb_kinematics(t->d, c->q, c->v, c->a);
  if (s == LIMB_OK) s = limb_frame_pose(t->d, info.platform, &out->pose);
  if (s == LIMB_OK) s = limb_frame_velocity(t->d, info.platform, LIMB_BODY, &out->velocity);
  if (s == LIMB_OK) s = limb_frame_acceleration(t->d, info.platform, LIMB_BODY, &out->acceleration);
  return s;
}

static limb_status platform_inverse(verify* t, double* off)
{
  verify_closed* c = t->closed;
  limb_platform_motion motion;
  limb_status s = at_platform(t, &motion);
  if (s != LIMB_OK) return s;
  if (c->mobility.undriven > 0) return LIMB_E_UNSUPPORTED;
  s = limb_parallel_inverse_dynamics(c->platform, c->q, &motion, &t->env, c->x);
  if (s == LIMB_OK) s = limb_inverse_dynamics(c->d, c->q, c->v, c->a, &t->env, c->y);
  return verify_compare(s, off, t->nv, c->x, c->y, c->size_force);
}

static limb_status platform_forward(verify* t, double* off)
{
  verify_closed* c = t->closed;
  limb_platform_motion motion;
  limb_status s = at_platform(t, &motion);
  if (s == LIMB_OK) s = limb_parallel_forward_dynamics(c->platform, c->q, c->v, c->tau, &t->env, NULL, c->x);
  return verify_compare(s, off, t->nv, c->x, c->acc, c->size_acc);
}

// Torques of joints with one degree of freedom, which are the same when the joint is reversed; zero for others.
static limb_status carry_torques(const verify* t, const verify_cut* x, double* tau)
{
  limb_status s = LIMB_OK;
  memset(tau, 0, (size_t)t->nv * sizeof *tau);
  memset(x->tau, 0, (size_t)limb_nv(x->m) * sizeof *x->tau);
  for (int j = 0; j < t->njoint && s == LIMB_OK; j++) {
    limb_joint_info from, to;
    s = limb_get_joint(t->m, j, &from);
    if (s == LIMB_OK) s = limb_get_joint(x->m, j, &to);
    if (s != LIMB_OK || from.passive || from.nv != 1 || to.nv != 1) continue;
    tau[from.v] = x->tau[to.v] = t->closed->tau[from.v];
  }
  return s;
}

static limb_status compare_bodies(verify* t, const verify_cut* x, double* off)
{
  const double speed = verify_largest(t->nv, t->closed->v);
  const double size = fmax(t->closed->size_acc, speed * speed);
  limb_status s = LIMB_OK;
  for (int b = 1; b < t->nbody && s == LIMB_OK; b++) {
    sp_motion here = {0}, there = {0};
    s = limb_frame_acceleration(t->d, b, LIMB_WORLD, &here);
    if (s == LIMB_OK) s = limb_frame_acceleration(x->tree, b, LIMB_WORLD, &there);
    s = verify_compare(s, off, 6, &here.w.x, &there.w.x, size);
  }
  return s;
}

// All bodies accelerate alike, wherever the loops are cut.
static limb_status cut_elsewhere(verify* t, double* off)
{
  verify_closed* c = t->closed;
  limb_status s = verify_close(t);
  if (s == LIMB_OK) s = make_cuts(t);
  limb_data* d = c->pinned ? c->pinned_data : t->d;
  for (int i = 0; i < c->ncut && s == LIMB_OK; i++) {
    verify_cut* x = &c->cut[i];
    s = carry_torques(t, x, c->y);
    if (s == LIMB_OK) s = limb_forward_dynamics(c->d, c->q, c->v, c->y, &t->env, c->x);
    if (s == LIMB_OK) s = limb_recut_state(d, x->m, c->q, c->v, x->q, x->v);
    if (s == LIMB_OK) s = limb_forward_dynamics(x->d, x->q, x->v, x->tau, &t->env, x->a);
    if (s == LIMB_OK) s = limb_kinematics(t->d, c->q, c->v, c->x);
    if (s == LIMB_OK) s = limb_kinematics(x->tree, x->q, x->v, x->a);
    if (s == LIMB_OK) s = compare_bodies(t, x, off);
  }
  return s;
}

static const char no_legs[] = "it is not a platform on legs";
static const char no_drives[] = "it is not a platform on driven legs";
static const char no_joint[] = "no joint can be cut instead of a closure";

const verify_check verify_other_forms[] = {
  {"tau", "legs and platform", "generic form", VERIFY_INVERSE, 3, platform_inverse, VERIFY_WIDE, no_drives},
  {"acc", "legs and platform", "generic form", VERIFY_INVERSE, 3, platform_forward, VERIFY_WIDE, no_legs},
  {"acc", "accelerations of bodies", "the same, cut elsewhere", VERIFY_INVERSE, 3, cut_elsewhere, VERIFY_WIDE,
   no_joint},
  {0},
};
