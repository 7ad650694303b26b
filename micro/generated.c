// Generated code on a microcontroller: functions that limb codegen wrote for one robot each, in the numbers
// that the processor computes in (MICRO_REAL: float or double), and the answers of the host.

#include "answers.h"
#include "panda.h"
#include "quadruped.h"

#include <float.h>

typedef MICRO_REAL real;

typedef struct call {
  real q[19], v[18], a[18], drive[18], out[ANSWER_MOST];
} call;

static void take(int n, const double* from, real* to)
{
  for (int i = 0; i < n; i++) to[i] = (real)from[i];
}

static void load(void* context, const micro_robot* r, int i)
{
  call* c = context;
  take(r->nq, r->q + i * r->nq, c->q), take(r->nv, r->v + i * r->nv, c->v);
  take(r->nv, r->a + i * r->nv, c->a), take(r->nv, r->drive + i * r->nv, c->drive);
}

static int result(void* context, int width, double* out)
{
  const call* c = context;
  for (int i = 0; i < width; i++) out[i] = (double)c->out[i];
  return 1;
}

#define RUN(robot, what, ...)             \
  static void robot##_run_##what(void* x) \
  {                                       \
    call* c = x;                          \
    robot##_##what(c->q, __VA_ARGS__);    \
  }
#define RUN_ALL(robot)                \
  RUN(robot, tau, c->v, c->a, c->out) \
  RUN(robot, M, c->out)               \
  RUN(robot, acc, c->v, c->drive, c->out)

RUN_ALL(panda)
RUN_ALL(quadruped)

// The largest difference that is allowed, as a part of the largest number: states and parameters are rounded
// to begin with.
static const double allowed = 64 * (sizeof(real) == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON);

static int check(const micro_robot* r, void (*id)(void*), void (*M)(void*), void (*fd)(void*))
{
  static call c;
  const question all[] = {
    {"inverse dynamics", load, id, result, r->tau, r->nv, allowed},
    {"mass matrix", load, M, result, r->M, r->nv * r->nv, allowed},
    {"forward dynamics", load, fd, result, r->free, r->nv, allowed},
  };
  int fine = 1;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) fine &= answers_check(r, &all[k], &c);
  return fine;
}

int main(void)
{
  answers_begin(sizeof(real) == sizeof(float) ? "Generated code, in float" : "Generated code, in double");
  const int panda = check(&micro_panda, panda_run_tau, panda_run_M, panda_run_acc);
  const int quadruped = check(&micro_quadruped, quadruped_run_tau, quadruped_run_M, quadruped_run_acc);
  return panda && quadruped ? 0 : 1;
}
