// Every hot call about loops, in one signature, so that tests can give each of them every kind of bad
// input.
#ifndef LIMB_TEST_HOT_LOOPS_H
#define LIMB_TEST_HOT_LOOPS_H

#include "loops/closed.h"
#include "robust/loop_bed.h"

// ---- the equations, and what follows from what ---------------------------------------------------------

static limb_status equations(const loop_inputs* i)
{
  const limb_loop_equations out = {i->out[0], i->out[1], i->out[2], i->out[3]};
  return limb_loop_equations_at(i->w, i->q, i->v, i->options, &out);
}

static limb_status gap(const loop_inputs* i) { return limb_loop_gap_of(i->w, i->q, i->v, i->options, i->out[0]); }

// Padding has no defined value, and answers are compared byte by byte.
static void clear_padding(limb_mobility* m)
{
  const size_t end = offsetof(limb_mobility, singularity) + sizeof(limb_singularity);
  memset((char*)m + end, 0, sizeof *m - end);
}

static limb_status mobility(const loop_inputs* i)
{
  const limb_status s = limb_mobility_at(i->w, i->q, i->options, i->out[0]);
  if (i->out[0]) clear_padding(i->out[0]);
  return s;
}

static limb_status redundant(const loop_inputs* i)
{
  return limb_redundant_constraints(i->w, i->q, i->options, i->out[0]);
}

static limb_status independent(const loop_inputs* i)
{
  return limb_independent_velocities(i->w, i->q, i->options, i->out[0]);
}

static limb_status complete_velocities(const loop_inputs* i)
{
  double* v = copied(i, 0, i->v, i->nv);
  return limb_complete_velocities(i->w, i->q, i->marks, i->options, v);
}

static limb_status complete_accelerations(const loop_inputs* i)
{
  double* a = copied(i, 0, i->a, i->nv);
  return limb_complete_accelerations(i->w, i->q, i->v, i->marks, i->options, a);
}

static limb_status velocity_map(const loop_inputs* i)
{
  return limb_velocity_map(i->w, i->q, i->marks, i->options, i->out[0], i->out[1]);
}

// ---- closing -------------------------------------------------------------------------------------------

static limb_status assemble(const loop_inputs* i)
{
  return limb_assemble(i->w, i->options, copied(i, 0, i->q, i->nq), i->out[1]);
}

static limb_status branches(const loop_inputs* i)
{
  return limb_assembly_branches(i->w, i->q, i->options, 2, i->out[0], i->out[1]);
}

static limb_status project(const loop_inputs* i)
{
  double *q = copied(i, 0, i->q, i->nq), *v = copied(i, 1, i->v, i->nv);
  return limb_project(i->w, i->options, q, v, i->out[2]);
}

static limb_status follow(const loop_inputs* i)
{
  return limb_follow_branch(i->w, i->q, NULL, i->options, copied(i, 0, i->q, i->nq));
}

static limb_status map(const loop_inputs* i)
{
  const limb_map* map = i->more;
  limb_map_point* point = i->out[0];
  const limb_status s = limb_map_over(i->w, i->q, map, i->options, point, i->out[1]);
  const size_t end = offsetof(limb_map_point, closed) + sizeof point->closed;
  for (int k = 0; s == LIMB_OK && k < map->count[0] * map->count[1]; k++) {
    clear_padding(&point[k].mobility);
    memset((char*)&point[k] + end, 0, offsetof(limb_map_point, mobility) - end);
  }
  return s;
}

// ---- dynamics ------------------------------------------------------------------------------------------

static limb_closed_motion motion_of(const loop_inputs* i) { return (limb_closed_motion){i->q, i->v, i->a, i->env}; }

static limb_status closed_inverse(const loop_inputs* i)
{
  const limb_closed_motion in = motion_of(i);
  limb_closed_forces out = {.tau = i->out[0], .tree = i->out[1], .lambda = i->out[2]};
  return limb_closed_inverse_dynamics(i->w, &in, i->more, i->options, &out);
}

static limb_status reduced(const loop_inputs* i)
{
  const limb_closed_motion in = motion_of(i);
  return limb_closed_reduced_dynamics(i->w, &in, i->marks, i->options, i->out[0], i->out[1], i->out[2]);
}

static limb_status loads(const loop_inputs* i)
{
  const limb_closed_motion in = motion_of(i);
  return limb_closed_loads(i->w, &in, i->lambda, LIMB_ALIGNED, i->options, i->out[0], i->out[1]);
}

static limb_status closed_forward(const loop_inputs* i)
{
  const limb_closed_motion in = motion_of(i);
  return limb_closed_forward_dynamics(i->w, &in, i->tau, i->options, i->out[0], i->out[1], i->out[2]);
}

static limb_status by_method(const loop_inputs* i, limb_loop_method method)
{
  const limb_closed_motion in = motion_of(i);
  limb_loop_solver o = limb_default_loop_solver();
  o.method = method;
  return limb_closed_forward_dynamics(i->w, &in, i->tau, &o, i->out[0], i->out[1], i->out[2]);
}

static limb_status by_schur(const loop_inputs* i) { return by_method(i, LIMB_LOOP_METHOD_SCHUR); }

static limb_status by_kkt(const loop_inputs* i) { return by_method(i, LIMB_LOOP_METHOD_KKT); }

static limb_status by_mexx(const loop_inputs* i) { return by_method(i, LIMB_LOOP_METHOD_MEXX); }

static limb_status by_sequence(const loop_inputs* i) { return by_method(i, LIMB_LOOP_METHOD_SEQUENTIAL); }

static limb_status by_proximal(const loop_inputs* i) { return by_method(i, LIMB_LOOP_METHOD_PROXIMAL); }

static limb_status impulse(const loop_inputs* i)
{
  return limb_closed_impulse(i->w, i->q, i->v, i->options, i->out[0], i->out[1], i->out[2]);
}

static limb_status forward_derivatives(const loop_inputs* i)
{
  const limb_closed_motion in = motion_of(i);
  double* const x = i->out[3];
  const ptrdiff_t n = i->nv + i->nc, nn = n * n;
  const limb_closed_derivatives out = {i->out[0],
                                       i->out[1],
                                       i->out[2],
                                       x,
                                       x ? x + nn : NULL,
                                       x ? x + 2 * nn : NULL,
                                       x ? x + 3 * nn : NULL,
                                       x ? x + 4 * nn : NULL};
  return limb_closed_forward_dynamics_derivatives(i->w, i->dual, &in, i->tau, i->options, &out);
}

static limb_status inverse_derivatives(const loop_inputs* i)
{
  const limb_closed_motion in = motion_of(i);
  double* const x = i->out[1];
  const limb_closed_inverse_derivatives out = {x, x ? x + i->nv : NULL, i->out[2], i->out[3]};
  return limb_closed_inverse_dynamics_derivatives(i->w, i->dual, &in, i->marks, i->options, i->out[0], &out);
}

// ---- platforms, and other cuts -------------------------------------------------------------------------

static limb_status inverse_geometry(const loop_inputs* i)
{
  const sp_pose* pose = i->motion ? &i->motion->pose : NULL;
  return limb_parallel_inverse_geometry(i->p, pose, copied(i, 0, i->q, i->nq), i->out[1]);
}

static limb_status forward_geometry(const loop_inputs* i)
{
  return limb_parallel_forward_geometry(i->p, copied(i, 0, i->q, i->nq), i->out[1]);
}

static limb_status platform_motion(const loop_inputs* i)
{
  return limb_parallel_motion(i->p, i->q, i->motion, i->out[0], i->out[1]);
}

static limb_status platform_jacobian(const loop_inputs* i) { return limb_parallel_jacobian(i->p, i->q, i->out[0]); }

static limb_status platform_inverse(const loop_inputs* i)
{
  return limb_parallel_inverse_dynamics(i->p, i->q, i->motion, i->env, i->out[0]);
}

static limb_status platform_forward(const loop_inputs* i)
{
  return limb_parallel_forward_dynamics(i->p, i->q, i->v, i->tau, i->env, i->out[0], i->out[1]);
}

static limb_status recut_state(const loop_inputs* i)
{
  return limb_recut_state(i->d, i->other, i->q, i->v, i->out[0], i->out[1]);
}

// ---- the table -----------------------------------------------------------------------------------------

enum {
  WQ = NEEDS_W | NEEDS_Q,
  WQV = NEEDS_W | NEEDS_Q | NEEDS_V,
  WQVA = NEEDS_W | NEEDS_Q | NEEDS_V | NEEDS_A,
  WQVT = NEEDS_W | NEEDS_Q | NEEDS_V | NEEDS_TAU,
  PQ = NEEDS_P | NEEDS_Q,
};

static const struct {
  const char* name;
  loop_fn* call;
  unsigned needs; // pointers without which there is no call
  unsigned reads; // other arrays whose numbers must be finite
  unsigned flags;
  option_kind options, more;
} hot_loops[] = {
  {"loop_equations_at", equations, WQ, NEEDS_V, 0, LOOP_OPTIONS, NO_OPTIONS},
  {"loop_gap_of", gap, WQ | NEEDS_OUT0, NEEDS_V, 0, LOOP_OPTIONS, NO_OPTIONS},
  {"mobility_at", mobility, WQ | NEEDS_OUT0, 0, 0, LOOP_OPTIONS, NO_OPTIONS},
  {"redundant_rows", redundant, WQ | NEEDS_OUT0, 0, 0, LOOP_OPTIONS, NO_OPTIONS},
  {"independent_velocities", independent, WQ | NEEDS_OUT0, 0, 0, LOOP_OPTIONS, NO_OPTIONS},
  {"complete_velocities", complete_velocities, WQV | NEEDS_OUT0, 0, TAKES_MARKS | READS_SOME_V, LOOP_OPTIONS,
   NO_OPTIONS},
  {"complete_accelerations", complete_accelerations, WQVA | NEEDS_OUT0, 0, TAKES_MARKS | READS_SOME_A, LOOP_OPTIONS,
   NO_OPTIONS},
  {"velocity_map", velocity_map, WQ | NEEDS_OUT0 | NEEDS_OUT1, 0, TAKES_MARKS, LOOP_OPTIONS, NO_OPTIONS},
  {"assemble", assemble, WQ | NEEDS_OUT0, 0, 0, ASSEMBLY, NO_OPTIONS},
  {"assembly_branches", branches, WQ | NEEDS_OUT0 | NEEDS_OUT1, 0, 0, ASSEMBLY, NO_OPTIONS},
  {"project", project, WQ | NEEDS_OUT0, NEEDS_V, 0, LOOP_OPTIONS, NO_OPTIONS},
  {"follow_branch", follow, WQ | NEEDS_OUT0, 0, 0, LOOP_OPTIONS, NO_OPTIONS},
  {"map_over", map, WQ | NEEDS_MORE | NEEDS_OUT0 | NEEDS_OUT1, 0, 0, LOOP_OPTIONS, MAP},
  {"closed_inverse_dynamics", closed_inverse, WQVA, 0, NO_TREES | TAKES_ENVIRONMENT, LOOP_OPTIONS, ACTUATION},
  {"closed_reduced_dynamics", reduced, WQV | NEEDS_OUT0 | NEEDS_OUT1 | NEEDS_OUT2, 0,
   NO_TREES | TAKES_ENVIRONMENT | TAKES_MARKS | WANTS_DENSE, LOOP_OPTIONS, NO_OPTIONS},
  {"closed_loads", loads, WQVA | NEEDS_LAMBDA, 0, NO_TREES | TAKES_ENVIRONMENT, LOOP_OPTIONS, NO_OPTIONS},
  {"closed_forward_dynamics", closed_forward, WQVT | NEEDS_OUT0, 0, NO_TREES | TAKES_ENVIRONMENT, CLOSED_OPTIONS,
   NO_OPTIONS},
  {"by Schur", by_schur, WQVT | NEEDS_OUT0, 0, NO_TREES | TAKES_ENVIRONMENT | WANTS_DENSE, NO_OPTIONS, NO_OPTIONS},
  {"by KKT", by_kkt, WQVT | NEEDS_OUT0, 0, NO_TREES | TAKES_ENVIRONMENT | WANTS_DENSE, NO_OPTIONS, NO_OPTIONS},
  {"proximal", by_proximal, WQVT | NEEDS_OUT0, 0, NO_TREES | TAKES_ENVIRONMENT | WANTS_DENSE, NO_OPTIONS, NO_OPTIONS},
  {"by MEXX", by_mexx, WQVT | NEEDS_OUT0, 0, NO_TREES | TAKES_ENVIRONMENT | WANTS_DENSE, NO_OPTIONS, NO_OPTIONS},
  {"sequential", by_sequence, WQVT | NEEDS_OUT0, 0, NO_TREES | TAKES_ENVIRONMENT, NO_OPTIONS, NO_OPTIONS},
  {"closed_impulse", impulse, WQV | NEEDS_OUT0, 0, NO_TREES | WANTS_DENSE, CLOSED_OPTIONS, NO_OPTIONS},
  {"closed_forward_dynamics_derivatives", forward_derivatives, WQVT | NEEDS_DUAL, 0,
   NO_TREES | TAKES_ENVIRONMENT | WANTS_DENSE, CLOSED_OPTIONS, NO_OPTIONS},
  {"closed_inverse_dynamics_derivatives", inverse_derivatives, WQVA | NEEDS_DUAL | NEEDS_OUT0, 0,
   NO_TREES | TAKES_ENVIRONMENT | TAKES_MARKS | WANTS_DENSE | READS_SOME_A, LOOP_OPTIONS, NO_OPTIONS},
  {"parallel_inverse_geometry", inverse_geometry, PQ | NEEDS_MOTION | NEEDS_OUT0, 0, READS_POSE, NO_OPTIONS,
   NO_OPTIONS},
  {"parallel_forward_geometry", forward_geometry, PQ | NEEDS_OUT0, 0, 0, NO_OPTIONS, NO_OPTIONS},
  {"parallel_motion", platform_motion, PQ | NEEDS_MOTION | NEEDS_OUT0, 0, READS_MOTION, NO_OPTIONS, NO_OPTIONS},
  {"parallel_jacobian", platform_jacobian, PQ | NEEDS_OUT0, 0, 0, NO_OPTIONS, NO_OPTIONS},
  {"parallel_inverse_dynamics", platform_inverse, PQ | NEEDS_MOTION | NEEDS_OUT0, 0, READS_MOTION | TAKES_ENVIRONMENT,
   NO_OPTIONS, NO_OPTIONS},
  {"parallel_forward_dynamics", platform_forward, PQ | NEEDS_V | NEEDS_TAU, 0, TAKES_ENVIRONMENT, NO_OPTIONS,
   NO_OPTIONS},
  {"recut_state", recut_state, NEEDS_D | NEEDS_OTHER | NEEDS_Q | NEEDS_OUT0 | NEEDS_OUT1, NEEDS_V, 0, NO_OPTIONS,
   NO_OPTIONS},
};

enum { HOT_LOOPS = sizeof hot_loops / sizeof hot_loops[0] };

#endif
