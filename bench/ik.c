// Inverse kinematics: success and time per pose, of random poses within reach.
//
//     limb-bench-ik [ROBOT [FRAME [POSES]]]
//
// Poses are those of a frame at random configurations within the limits; starts are random, too. One thread, processor
// time; of each pose the shortest of SLICES runs, because other programs disturb. A pose counts as solved if its
// errors, computed again from the answer, are below 1e-9 and the answer is within the limits.
#include "limb/ik.h"
#include "limb/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SLICES = 5 };

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

typedef struct bench {
  limb_model* m;
  limb_data* d;
  limb_ik* ik;
  int frame, poses, nq;
  sp_pose* target;
  double *start, *time, *q;
  int solved, first, starts;
} bench;

static int is_within_limits(const bench* b)
{
  limb_joint_info x;
  for (int j = 0; j < limb_joint_count(b->m); j++) {
    if (limb_get_joint(b->m, j, &x) != LIMB_OK || x.nq != 1) continue;
    if (b->q[x.q] < x.def.q_min || b->q[x.q] > x.def.q_max) return 0;
  }
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
  if (!b->target || !b->start || !b->time || !b->q) return 0;
  for (size_t i = 0; i < n; i++) {
    if (limb_random(b->m, &seed, b->q) != LIMB_OK || limb_kinematics(b->d, b->q, NULL, NULL) != LIMB_OK ||
        limb_frame_pose(b->d, b->frame, &b->target[i]) != LIMB_OK ||
        limb_random(b->m, &seed, b->start + i * nq) != LIMB_OK)
      return 0;
    b->time[i] = HUGE_VAL;
  }
  return 1;
}

static void measure(bench* b, int slice)
{
  for (int i = 0; i < b->poses; i++) {
    limb_ik_report report = {.starts = 0};
    const double t = processor_time();
    const limb_status s = limb_ik_solve(b->ik, &b->target[i], b->start + (size_t)i * (size_t)b->nq, b->q, &report);
    b->time[i] = fmin(b->time[i], processor_time() - t);
    if (slice > 0) continue;
    b->solved += s == LIMB_OK && is_there(b, &b->target[i]);
    b->first += report.starts == 1;
    b->starts += report.starts;
  }
}

static void print(const bench* b)
{
  const size_t n = (size_t)b->poses;
  qsort(b->time, n, sizeof *b->time, ascending);
  printf("%s: %d of %d poses solved (%.3f %%), %.1f %% from the first start, %.2f starts per pose\n",
         limb_model_name(b->m), b->solved, b->poses, 100.0 * b->solved / b->poses, 100.0 * b->first / b->poses,
         (double)b->starts / b->poses);
  printf("time per pose: median %.1f us, 95 %% below %.1f us, longest %.1f us\n", 1e6 * b->time[n / 2],
         1e6 * b->time[n * 95 / 100], 1e6 * b->time[n - 1]);
}

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
  int fine = b.poses > 0 && limb_data_create(b.m, NULL, &b.d) == LIMB_OK &&
             limb_ik_create(b.m, 1, &goal, NULL, NULL, &b.ik) == LIMB_OK && prepare(&b);
  if (!fine) (void)fprintf(stderr, "no such frame, or out of memory\n");
  for (int k = 0; k < SLICES && fine; k++) measure(&b, k);
  if (fine) print(&b);
  free(b.target), free(b.start), free(b.time), free(b.q);
  limb_ik_destroy(b.ik);
  limb_data_destroy(b.d);
  limb_model_destroy(b.m);
  return !fine;
}
