// Inverse kinematics: success and time per pose, of random poses within reach.
//
//     limb-bench-ik [ROBOT [FRAME [POSES]]]
//
// Poses are those of a frame at random configurations within the limits; starts are random, too. One thread, processor
// time; of each pose the shortest of SLICES runs, because other programs disturb. A pose counts as solved if its
// errors, computed again from the answer, are below 1e-9 and the answer is within the limits.
//
// Where KDL is installed and the robot is a chain, its two solvers follow, on the same poses from the same starts. They
// try one start only: random ones follow, up to KDL_STARTS of them or for KDL_SECONDS.
#include "limb/ik.h"
#include "limb/read.h"
#include "ik_kdl.h"
#include "robot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SLICES = 5, KDL_STARTS = 100 };

static double processor_time(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void* a, const void* b)
{
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

typedef struct bench bench;
struct bench {
  limb_model* m;
  limb_data* d;
  limb_ik* ik;
  bench_ik_kdl* kdl;
  int frame, poses, nq;
  sp_pose* target;
  double *start, *time, *q, *q_min, *q_max;
  int solved, first, starts;
};

// One pose; starts: those it took (output). @return whether the solver says that q is a solution.
typedef int solve(const bench* b, int pose, int* starts);

static void read_limits(bench* b)
{
  limb_joint_info x;
  for (int i = 0; i < b->nq; i++) b->q_min[i] = -HUGE_VAL, b->q_max[i] = HUGE_VAL;
  for (int j = 0; j < limb_joint_count(b->m); j++) {
    if (limb_get_joint(b->m, j, &x) != LIMB_OK || x.nq != 1) continue;
    b->q_min[x.q] = x.def.q_min, b->q_max[x.q] = x.def.q_max;
  }
}

static int is_within_limits(const bench* b)
{
  for (int i = 0; i < b->nq; i++)
    if (b->q[i] < b->q_min[i] || b->q[i] > b->q_max[i]) return 0;
  return 1;
}

static int is_there(const bench* b, const sp_pose* target)
{
  sp_pose at;
  if (limb_kinematics(b->d, b->q, NULL, NULL) != LIMB_OK || limb_frame_pose(b->d, b->frame, &at) != LIMB_OK) return 0;
  const sp_quat z = sp_quat_rot(sp_mul3(sp_transpose3(at.R), target->R));
  const double angle = 2 * asin(fmin(1, sp_norm3(sp_v3(z.x, z.y, z.z))));
  return angle <= 1e-9 && sp_norm3(sp_sub3(at.p, target->p)) <= 1e-9 && is_within_limits(b);
}

static int prepare(bench* b)
{
  uint64_t seed = 1;
  const size_t n = (size_t)b->poses, nq = (size_t)b->nq;
  b->target = malloc(n * sizeof *b->target);
  b->start = malloc(n * nq * sizeof *b->start);
  b->time = malloc(n * sizeof *b->time);
  b->q = malloc(nq * sizeof *b->q);
  b->q_min = malloc(nq * sizeof *b->q_min);
  b->q_max = malloc(nq * sizeof *b->q_max);
  if (!b->target || !b->start || !b->time || !b->q || !b->q_min || !b->q_max) return 0;
  read_limits(b);
  for (size_t i = 0; i < n; i++) {
    if (limb_random(b->m, &seed, b->q) != LIMB_OK || limb_kinematics(b->d, b->q, NULL, NULL) != LIMB_OK ||
        limb_frame_pose(b->d, b->frame, &b->target[i]) != LIMB_OK ||
        limb_random(b->m, &seed, b->start + i * nq) != LIMB_OK)
      return 0;
  }
  return 1;
}

static int solve_by_limb(const bench* b, int pose, int* starts)
{
  limb_ik_report report = {.starts = 0};
  const double* start = b->start + (size_t)pose * (size_t)b->nq;
  const limb_status s = limb_ik_solve(b->ik, &b->target[pose], start, b->q, &report);
  *starts = report.starts;
  return s == LIMB_OK;
}

static void measure(bench* b, const char* name, solve* run)
{
  const size_t n = (size_t)b->poses;
  b->solved = b->first = b->starts = 0;
  for (int k = 0; k < SLICES * b->poses; k++) {
    const int slice = k / b->poses, i = k % b->poses;
    int starts = 0;
    const double t = processor_time();
    const int fine = run(b, i, &starts);
    const double time = processor_time() - t;
    b->time[i] = slice ? fmin(b->time[i], time) : time;
    if (slice > 0) continue;
    const int solved = fine && is_there(b, &b->target[i]);
    b->solved += solved;
    b->first += solved && starts == 1;
    b->starts += starts;
  }
  qsort(b->time, n, sizeof *b->time, ascending);
  printf("%s, %s: %d of %d poses solved (%.3f %%), %.1f %% from the first start, %.2f starts per pose\n",
         limb_model_name(b->m), name, b->solved, b->poses, 100.0 * b->solved / b->poses, 100.0 * b->first / b->poses,
         (double)b->starts / b->poses);
  printf("time per pose: median %.1f us, 95 %% below %.1f us, longest %.1f us\n", 1e6 * b->time[n / 2],
         1e6 * b->time[n * 95 / 100], 1e6 * b->time[n - 1]);
}

#ifdef BENCH_HAVE_KDL
static const double KDL_SECONDS = 5e-3;

static int solve_by_kdl(const bench* b, int pose, int* starts)
{
  const double until = processor_time() + KDL_SECONDS;
  const double* from = b->start + (size_t)pose * (size_t)b->nq;
  uint64_t seed = (uint64_t)pose + 1;
  for (*starts = 1;; ++*starts) {
    if (bench_ik_kdl_solve(b->kdl, &b->target[pose], from, b->q) && is_within_limits(b)) return 1;
    if (*starts == KDL_STARTS || processor_time() > until || limb_random(b->m, &seed, b->q) != LIMB_OK) return 0;
    from = b->q;
  }
}

static void measure_kdl(bench* b, bench_ik_kdl_method method, const char* name)
{
  bench_robot robot;
  sp_pose at;
  if (bench_robot_init(&robot, limb_model_name(b->m), b->m) != 0) return;
  if (robot.serial && limb_kinematics(b->d, b->start, NULL, NULL) == LIMB_OK &&
      limb_frame_pose(b->d, b->frame, &at) == LIMB_OK) {
    b->kdl = bench_ik_kdl_create(&robot, b->start, &at, b->q_min, b->q_max, method);
    measure(b, name, solve_by_kdl);
    bench_ik_kdl_destroy(b->kdl);
  } else {
    printf("%s, %s: not a plain chain\n", robot.name, name);
  }
  bench_robot_free(&robot);
}
#endif

int main(int argc, char** argv)
{
  limb_error error;
  bench b = {.poses = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 10000};
  if (limb_load(argc > 1 ? argv[1] : "panda", NULL, &b.m, &error) != LIMB_OK) {
    (void)fprintf(stderr, "%s: %s\n", error.where, error.text);
    return 1;
  }
  b.nq = limb_nq(b.m);
  b.frame = argc > 2 ? limb_find_frame(b.m, argv[2]) : limb_frame_count(b.m) - 1;
  const limb_ik_goal goal = limb_default_ik_goal(b.frame);
  const int fine = b.poses > 0 && limb_data_create(b.m, NULL, &b.d) == LIMB_OK &&
                   limb_ik_create(b.m, 1, &goal, NULL, NULL, &b.ik) == LIMB_OK && prepare(&b);
  if (!fine) (void)fprintf(stderr, "no such frame, or out of memory\n");
  if (fine) measure(&b, "limb", solve_by_limb);
#ifdef BENCH_HAVE_KDL
  if (fine) measure_kdl(&b, BENCH_KDL_LMA, "KDL " BENCH_HAVE_KDL " LMA");
  if (fine) measure_kdl(&b, BENCH_KDL_NR_JL, "KDL " BENCH_HAVE_KDL " NR_JL");
#endif
  free(b.target), free(b.start), free(b.time), free(b.q), free(b.q_min), free(b.q_max);
  limb_ik_destroy(b.ik);
  limb_data_destroy(b.d);
  limb_model_destroy(b.m);
  return !fine;
}
