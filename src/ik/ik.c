// Inverse kinematics: goals and options, the workspace, what is kept of a solve.
#include "ik/ik_impl.h"

#include "base/numeric.h"
#include "base/status.h"

#include <string.h>

limb_ik_goal limb_default_ik_goal(int frame)
{
  return (limb_ik_goal){.task = {frame, LIMB_BODY, LIMB_TWIST}, .angular = 1, .linear = 1};
}

limb_ik_options limb_default_ik_options(void)
{
  return (limb_ik_options){.size = sizeof(limb_ik_options), .tolerance = 1e-10, .max_iterations = 200, .restarts = 200};
}

const char* limb_ik_reason_text(limb_ik_reason reason)
{
  switch (reason) {
  case LIMB_IK_SOLVED: return "solved";
  case LIMB_IK_OUT_OF_REACH: return "out of reach";
  case LIMB_IK_LIMITS: return "joints are at their limits";
  case LIMB_IK_SINGULAR: return "the robot cannot move in the direction of the target here";
  case LIMB_IK_ITERATIONS: return "the iterations ended before it was reached";
  case LIMB_IK_LOOPS: return "the loops of the robot could not be closed";
  }
  return NULL;
}

// ---- checks -------------------------------------------------------------------------------------------------

static limb_status check_goals(const limb_model* m, int count, const limb_ik_goal* goals)
{
  if (!m || !goals || count < 1) return LIMB_E_ARG;
  for (int k = 0; k < count; k++) {
    const limb_task* t = &goals[k].task;
    if (t->frame < 0 || t->frame >= limb_frame_count(m) || (unsigned)t->ref > (unsigned)LIMB_ALIGNED) return LIMB_E_ARG;
    if (t->directions == 0 || (t->directions & ~(unsigned)LIMB_TWIST)) return LIMB_E_ARG;
    const double weight[2] = {goals[k].angular, goals[k].linear};
    if (!limb_finite(2, weight)) return LIMB_E_NONFINITE;
    if (!(weight[0] > 0 && weight[1] > 0)) return LIMB_E_ARG;
  }
  return LIMB_OK;
}

// Ball and free joints are held as a whole.
static limb_status check_held_joints(const limb_model* m, const unsigned char* held)
{
  limb_joint_info x;
  for (int j = 0; held && j < limb_joint_count(m); j++) {
    if (limb_get_joint(m, j, &x) != LIMB_OK || x.nq == x.nv) continue;
    for (int k = 1; k < x.nv; k++) {
      if (!held[x.v + k] != !held[x.v]) return LIMB_E_ARG;
    }
  }
  return LIMB_OK;
}

static limb_status read_options(const limb_model* m, const limb_ik_options* given, limb_ik_options* out)
{
  *out = limb_default_ik_options();
  limb_status s = given ? limb_sized_read(out, sizeof *out, given, sizeof *out) : LIMB_OK;
  if (s != LIMB_OK) return s;
  const double number[2] = {out->tolerance, out->time};
  if (!limb_finite(2, number) || !limb_finite_if(limb_nq(m), out->reference)) return LIMB_E_NONFINITE;
  if (!(out->tolerance > 0) || out->max_iterations < 1 || out->restarts < 0) return LIMB_E_ARG;
  const limb_pool* p = out->pool;
  if (p && (p->size < sizeof *p || p->threads < 1 || !p->run)) return LIMB_E_ARG;
  return check_held_joints(m, out->held);
}

// ---- workspace ----------------------------------------------------------------------------------------------

static void* doubles(limb_arena* a, size_t rows, size_t columns)
{
  return limb_arena_take(a, rows * columns, sizeof(double));
}

// Workspaces for dynamics and loops are laid out later, in place.
static void lay_out_space(limb_arena* a, const limb_ik* t, limb_ik_space* s)
{
  const size_t nq = (size_t)t->nq, nv = (size_t)t->nv, rows = (size_t)t->rows;
  double** const vectors[] = {&s->q, &s->q_try, &s->q_best, &s->q_start};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = doubles(a, nq + 1, 1);
  s->e = doubles(a, rows, 1), s->e_try = doubles(a, rows, 1), s->y = doubles(a, rows, 1);
  s->A = doubles(a, rows, nv + 1), s->A_try = doubles(a, rows, nv + 1), s->Af = doubles(a, rows, nv + 1);
  s->B = doubles(a, rows, rows);
  s->step = doubles(a, nv + 1, 1), s->pull = doubles(a, nv + 1, 1);
  s->J = limb_arena_take(a, nv + 1, sizeof *s->J);
  s->fixed = limb_arena_take(a, nv + 1, 1);
  s->limits = limb_arena_take(a, nv + 1, 1);
  s->d = limb_arena_take(a, limb_data_size(limb_spanning_tree(t->m)), 1);
  s->loops = t->nc > 0 ? limb_arena_take(a, limb_data_size(t->m), 1) : NULL;
}

static limb_ik* lay_out(limb_arena* a, const limb_ik* sizes)
{
  limb_ik t = *sizes;
  limb_ik* out = limb_arena_take(a, 1, sizeof *out);
  const size_t nq = (size_t)t.nq + 1, nv = (size_t)t.nv + 1;
  t.goal = limb_arena_take(a, (size_t)t.ngoal, sizeof *t.goal);
  t.result = limb_arena_take(a, (size_t)t.ngoal, sizeof *t.result);
  t.held = limb_arena_take(a, nv, 1);
  t.turns = limb_arena_take(a, nv, 1);
  t.angle = limb_arena_take(a, nv, sizeof *t.angle);
  t.kept = limb_arena_take(a, nq, 1);
  t.closes = limb_arena_take(a, (size_t)t.nc + 1, 1);
  t.reference = doubles(a, nq, 1);
  t.coordinate = limb_arena_take(a, nv, sizeof *t.coordinate);
  t.lower = doubles(a, nv, 1), t.upper = doubles(a, nv, 1);
  t.space = limb_arena_take(a, (size_t)t.nspace, sizeof *t.space);
  for (int k = 0; k < t.nspace; k++) {
    limb_ik_space s = {.target = NULL};
    lay_out_space(a, &t, &s);
    if (t.space) t.space[k] = s;
  }
  if (out) *out = t;
  return out;
}

// ---- the joints ---------------------------------------------------------------------------------------------

// Limits of a joint with one coordinate; a mimic joint, multiplier q + offset, has its source's.
static void read_limits(limb_ik* ik, const limb_joint_info* x)
{
  double low = (x->def.q_min - x->offset) / x->multiplier, high = (x->def.q_max - x->offset) / x->multiplier;
  if (low > high) {
    const double swap = low;
    low = high, high = swap;
  }
  if (low > ik->lower[x->v]) ik->lower[x->v] = low;
  if (high < ik->upper[x->v]) ik->upper[x->v] = high;
  if (low > -HUGE_VAL || high < HUGE_VAL) ik->coordinate[x->v] = x->q;
}

static void read_joint(limb_ik* ik, const limb_joint_info* x)
{
  const limb_joint_type type = x->def.type;
  const bool single = type == LIMB_REVOLUTE || type == LIMB_PRISMATIC || type == LIMB_HELICAL;
  if (single) read_limits(ik, x);
  if (x->nq != x->nv) ik->flat = false;
  for (int k = 0; k < x->nv; k++) {
    const bool turns = type == LIMB_REVOLUTE || type == LIMB_UNIVERSAL || (type == LIMB_CYLINDRICAL && k == 0) ||
                       (type == LIMB_PLANAR && k == 2);
    ik->turns[x->v + k] = turns && x->nq > 0;
    ik->angle[x->v + k] = turns && x->nq > 0 && ik->nc == 0 && !ik->held[x->v + k] ? x->q + k : -1;
  }
  for (int k = 0; k < x->nq; k++) // a free joint stays, so that restarts do not move the robot away
    ik->kept[x->q + k] = type == LIMB_FREE || ik->held[x->v + (x->nq == x->nv ? k : 0)];
}

static limb_status read_joints(limb_ik* ik)
{
  limb_joint_info x;
  ik->flat = true;
  for (int k = 0; k < ik->nv; k++) ik->coordinate[k] = -1, ik->lower[k] = -HUGE_VAL, ik->upper[k] = HUGE_VAL;
  for (int j = 0; j < limb_joint_count(ik->m); j++) {
    const limb_status s = limb_get_joint(ik->m, j, &x);
    if (s != LIMB_OK) return s;
    if (x.def.type != LIMB_FIXED) read_joint(ik, &x);
  }
  for (int j = 0; j < limb_joint_count(ik->m); j++) { // whole turns of a joint need not be whole turns of its mimics
    if (limb_get_joint(ik->m, j, &x) == LIMB_OK && x.def.mimic >= 0) ik->turns[x.v] = 0, ik->angle[x.v] = -1;
  }
  for (int k = 0; k < ik->nv; k++) {
    if (ik->lower[k] > ik->upper[k]) return LIMB_E_ARG; // of joints that mimic each other
  }
  return LIMB_OK;
}

// Rolling and knife edges constrain velocities only.
static limb_status read_loops(limb_ik* ik)
{
  limb_loop_info x;
  limb_status s = LIMB_OK;
  for (int i = 0; i < limb_loop_count(ik->m) && s == LIMB_OK; i++) {
    s = limb_get_loop(ik->m, i, &x);
    for (int k = 0; s == LIMB_OK && k < x.nconstraint; k++) ik->closes[x.constraint + k] = k < x.holonomic;
  }
  return s;
}

static limb_status begin_spaces(limb_ik* ik)
{
  const limb_model* tree = limb_spanning_tree(ik->m);
  limb_status s = LIMB_OK;
  for (int k = 0; k < ik->nspace && s == LIMB_OK; k++) {
    limb_ik_space* space = &ik->space[k];
    memset(space->limits, 0, (size_t)ik->nv);
    s = limb_data_init(tree, space->d, limb_data_size(tree), &space->d);
    if (s == LIMB_OK && space->loops) s = limb_data_init(ik->m, space->loops, limb_data_size(ik->m), &space->loops);
  }
  return s;
}

// Rows of all goals.
static int count_rows(int count, const limb_ik_goal* goals)
{
  int rows = 0;
  for (int k = 0; k < count; k++) rows += limb_task_rows(&(limb_task_stack){1, &goals[k].task});
  return rows;
}

// ---- create, destroy, results -------------------------------------------------------------------------------

limb_status limb_ik_create(const limb_model* m, int count, const limb_ik_goal* goals, const limb_ik_options* options,
                           const limb_allocator* alloc, limb_ik** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  limb_ik sizes = {.m = m, .ngoal = count, .nq = limb_nq(m), .nv = limb_nv(m), .nc = limb_constraint_count(m)};
  limb_status s = check_goals(m, count, goals);
  if (s == LIMB_OK) s = read_options(m, options, &sizes.options);
  if (s != LIMB_OK) return s;
  sizes.rows = count_rows(count, goals) + sizes.nc;
  sizes.nspace = sizes.options.pool ? sizes.options.pool->threads : 1;
  limb_arena measure = {.base = NULL};
  (void)lay_out(&measure, &sizes);
  limb_memory memory;
  s = limb_memory_take(alloc, measure.used, &memory);
  if (s != LIMB_OK) return s;
  limb_arena a = limb_arena_over(memory.block, memory.size);
  limb_ik* ik = lay_out(&a, &sizes);
  ik->memory = memory;
  ik->limited = !ik->options.ignore_limits;
  memcpy(ik->goal, goals, (size_t)count * sizeof *goals);
  memset(ik->held, 0, (size_t)ik->nv + 1);
  memset(ik->kept, 0, (size_t)ik->nq + 1);
  for (int k = 0; sizes.options.held && k < ik->nv; k++) ik->held[k] = sizes.options.held[k] != 0;
  if (sizes.options.reference) {
    memcpy(ik->reference, sizes.options.reference, (size_t)ik->nq * sizeof *ik->reference);
    s = limb_normalize(m, ik->reference);
  }
  ik->options.held = ik->held;
  ik->options.reference = sizes.options.reference ? ik->reference : NULL;
  if (s == LIMB_OK) s = read_joints(ik);
  if (s == LIMB_OK) s = read_loops(ik);
  if (s == LIMB_OK) s = begin_spaces(ik);
  if (s == LIMB_OK) {
    *out = ik;
  } else {
    limb_memory_end(memory);
  }
  return s;
}

void limb_ik_destroy(limb_ik* ik)
{
  if (ik) limb_memory_end(ik->memory);
}

// Poses and errors of the goals at q.
static limb_status keep_results(limb_ik* ik, const sp_pose* targets, const double* q)
{
  limb_data* d = ik->space[0].d;
  limb_status s = limb_kinematics(d, q, NULL, NULL);
  for (int k = 0; k < ik->ngoal && s == LIMB_OK; k++) {
    limb_ik_result* r = &ik->result[k];
    s = limb_frame_pose(d, ik->goal[k].task.frame, &r->pose);
    if (s != LIMB_OK) break;
    const limb_ik_error x = limb_ik_goal_error(&ik->goal[k], &targets[k], &r->pose);
    r->error = x.error, r->angle = x.angle, r->position = x.position;
  }
  ik->has_result = s == LIMB_OK;
  return s;
}

limb_status limb_ik_solve(limb_ik* ik, const sp_pose* targets, const double* start, double* q, limb_ik_report* report)
{
  if (!ik || !targets || !q) return LIMB_E_ARG;
  const limb_status s = limb_ik_solve_in(ik, &ik->space[0], 0, targets, start, q, report);
  if (s != LIMB_OK && s != LIMB_E_NOCONV) return s;
  const limb_status kept = keep_results(ik, targets, q);
  return kept == LIMB_OK ? s : kept;
}

limb_status limb_ik_get_result(const limb_ik* ik, int goal, limb_ik_result* out)
{
  if (!ik || !out || goal < 0 || goal >= ik->ngoal) return LIMB_E_ARG;
  if (!ik->has_result) return LIMB_E_ORDER;
  *out = ik->result[goal];
  return LIMB_OK;
}

const signed char* limb_ik_limits(const limb_ik* ik) { return ik ? ik->space[0].limits : NULL; }
