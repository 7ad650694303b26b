// Checks of robots with loops against the same robot described otherwise: cut elsewhere, as a platform on
// legs.
#include "closure.h"
#include "verify_loops.h"

#include <stdlib.h>
#include <string.h>

// ---- pins ------------------------------------------------------------------------------------------

static limb_status tell_tree(const limb_model* m, limb_builder* b)
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
  return s;
}

// In the plane a point on a line is a pin, which says the rest twice, and a pin is what a joint can take
// the place of.
static limb_status tell_loops(const limb_model* m, limb_builder* b)
{
  limb_status s = LIMB_OK;
  for (int i = 0; i < limb_loop_count(m) && s == LIMB_OK; i++) {
    limb_loop_info loop;
    s = limb_get_loop(m, i, &loop);
    if (s != LIMB_OK) break;
    if (loop.def.kind == LIMB_LOOP_POINT_ON_LINE && loop.def.law.amplitude == 0 && loop.def.law.constant == 0 &&
        loop.def.law.rate == 0 && !loop.def.law.fn)
      loop.def.kind = LIMB_LOOP_PIN;
    s = limb_builder_add_loop(b, &loop.def, NULL, NULL);
  }
  return s;
}

// Pins in the place of points on lines; kept when they close where the robot does: in the plane.
static limb_status make_pinned(verify* t)
{
  verify_closed* c = t->closed;
  limb_builder* b = NULL;
  limb_loops* w = NULL;
  limb_loop_gap gap = {.place = 1};
  limb_status s = limb_builder_create(NULL, &b);
  if (s == LIMB_OK) s = tell_tree(t->m, b);
  if (s == LIMB_OK) s = tell_loops(t->m, b);
  if (s == LIMB_OK) s = limb_builder_build(b, &c->pinned, NULL);
  if (s == LIMB_OK) s = limb_data_create(limb_spanning_tree(c->pinned), NULL, &c->pinned_data);
  if (s == LIMB_OK) s = limb_loops_create(c->pinned, LIMB_LOOPS_LINEAR, NULL, &w);
  if (s == LIMB_OK) s = limb_loop_gap_of(w, c->q, NULL, NULL, &gap);
  limb_loops_destroy(w);
  limb_builder_destroy(b);
  if (s == LIMB_OK && gap.place < 1e-9) return LIMB_OK;
  limb_data_destroy(c->pinned_data);
  limb_model_destroy(c->pinned);
  c->pinned = NULL, c->pinned_data = NULL;
  return s == LIMB_E_NOMEM ? s : LIMB_OK; // then the robot is taken as it is
}

// ---- cuts ------------------------------------------------------------------------------------------

static limb_status make_cut_workspace(verify_cut* x)
{
  const size_t nq = (size_t)limb_nq(x->m), nv = (size_t)limb_nv(x->m);
  x->q = calloc(nq + 3 * nv + 1, sizeof *x->q);
  if (!x->q) return LIMB_E_NOMEM;
  x->v = x->q + nq, x->a = x->v + nv, x->tau = x->a + nv;
  const limb_status s = limb_data_create(limb_spanning_tree(x->m), NULL, &x->d);
  return s == LIMB_OK ? limb_loops_create(x->m, cli_loops_use(x->m), NULL, &x->w) : s;
}

// A joint in the loop that the closure can change places with: the first that does.
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
    limb_loops_destroy(c->cut[i].w);
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
  limb_closed_forces f = {.tau = c->y};
  limb_status s = at_platform(t, &motion);
  if (s != LIMB_OK) return s;
  if (c->mobility.undriven > 0) return LIMB_E_UNSUPPORTED;
  const limb_closed_motion in = {c->q, c->v, c->a, &t->env};
  s = limb_parallel_inverse_dynamics(c->platform, c->q, &motion, &t->env, c->x);
  if (s == LIMB_OK) s = limb_closed_inverse_dynamics(c->w, &in, NULL, NULL, &f);
  *off = cli_differ((size_t)t->nv, c->x, c->y, c->size_force);
  return s;
}

static limb_status platform_forward(verify* t, double* off)
{
  verify_closed* c = t->closed;
  limb_platform_motion motion;
  limb_status s = at_platform(t, &motion);
  if (s == LIMB_OK) s = limb_parallel_forward_dynamics(c->platform, c->q, c->v, c->tau, &t->env, NULL, c->x);
  *off = cli_differ((size_t)t->nv, c->x, c->acc, c->size_acc);
  return s;
}

// Torques of joints with one degree of freedom, which keep it when they are turned round; those of others:
// zero.
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
    sp_motion here = {{0, 0, 0}, {0, 0, 0}}, there = here;
    s = limb_frame_acceleration(t->d, b, LIMB_WORLD, &here);
    if (s == LIMB_OK) s = limb_frame_acceleration(x->d, b, LIMB_WORLD, &there);
    *off = fmax(*off, cli_differ(6, &here.w.x, &there.w.x, size));
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
  *off = 0;
  for (int i = 0; i < c->ncut && s == LIMB_OK; i++) {
    verify_cut* x = &c->cut[i];
    const limb_closed_motion here = {.q = c->q, .v = c->v, .env = &t->env};
    const limb_closed_motion there = {.q = x->q, .v = x->v, .env = &t->env};
    s = carry_torques(t, x, c->y);
    if (s == LIMB_OK) s = limb_closed_forward_dynamics(c->w, &here, c->y, NULL, c->x, NULL, NULL);
    if (s == LIMB_OK) s = limb_recut_state(d, x->m, c->q, c->v, x->q, x->v);
    if (s == LIMB_OK) s = limb_closed_forward_dynamics(x->w, &there, x->tau, NULL, x->a, NULL, NULL);
    if (s == LIMB_OK) s = limb_kinematics(t->d, c->q, c->v, c->x);
    if (s == LIMB_OK) s = limb_kinematics(x->d, x->q, x->v, x->a);
    if (s == LIMB_OK) s = compare_bodies(t, x, off);
  }
  return s;
}

static const char no_legs[] = "it is not a platform on legs";
static const char no_drives[] = "it is not a platform on driven legs";
static const char no_joint[] = "no joint can be cut in the place of a closure";

const verify_check verify_other_forms[] = {
  {"platform", "legs and platform, inverse", "generic form", VERIFY_INVERSE, 3, platform_inverse, VERIFY_WIDE,
   no_drives},
  {"platform", "legs and platform, forward", "generic form", VERIFY_INVERSE, 3, platform_forward, VERIFY_WIDE, no_legs},
  {"closed a", "accelerations of bodies", "the same, cut elsewhere", VERIFY_INVERSE, 3, cut_elsewhere, VERIFY_WIDE,
   no_joint},
  {0},
};
