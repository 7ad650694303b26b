// Forward dynamics of a rope of hinges by divide and conquer: a tree of joins, as deep as the logarithm of the number
// of links. The program compares its digits with the plain recursion, and prints what the operations that were counted
// would take on 1 to 1024 processors, beside the parts in a row of limb_split.
//
// Counts of the other methods, per joint, are those of docs/long-chains.md: 406 operations of the articulated-body
// recursion, 420 more in a part that carries the next one, 128 joints in front to see what it carries, and 1600
// multiplications and as many additions per join, one after the other.
#include <limb/limb.h>
#include <limb/verify.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4096 };
static const double PLAIN = 406, TIP = 420, VIEW = 128, JOIN = 3200;

static limb_status make_rope(int hinges, limb_model** rope)
{
  limb_builder* b = NULL;
  limb_status s = limb_builder_create(NULL, &b);
  for (int i = 0; s == LIMB_OK && i < hinges; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "%d", i);
    limb_body_def rod = limb_default_body_def(name);
    rod.inertia = limb_inertia_rod(0.01, 0.02);
    rod.inertia.com = sp_v3(0, 0, -0.01);
    s = limb_builder_add_body(b, &rod, NULL, NULL);
    limb_joint_def hinge = limb_default_joint_def(name, LIMB_REVOLUTE, i, i + 1);
    hinge.placement.p = sp_v3(0, 0, i > 0 ? -0.02 : 0);
    hinge.axis = i % 2 ? sp_v3(1, 0, 0) : sp_v3(0, 1, 0);
    if (s == LIMB_OK) s = limb_builder_add_joint(b, &hinge, NULL, NULL);
  }
  if (s == LIMB_OK) s = limb_builder_build(b, rope, NULL);
  limb_builder_destroy(b);
  return s;
}

// Operations of limb_split_forward_dynamics, one after the other, with p parts in a row; 0: too short for that.
static double in_a_row(int n, int p)
{
  const double part = (double)n / p;
  if (p == 1) return PLAIN * n;
  return part < 2 ? 0 : part * (PLAIN + TIP) + PLAIN * fmin(VIEW, part) + JOIN * (p - 1);
}

// Solves a rope; apart: how far the two accelerations are apart, relative to the largest.
static limb_status solve(int n, limb_reference_joins_report* r, double* apart)
{
  static double q[MOST], v[MOST], tau[MOST], a[MOST], plain[MOST];
  limb_model* rope = NULL;
  limb_data* data = NULL;
  double size = 0;
  for (int i = 0; i < n; i++) q[i] = 0.3 * sin(0.01 * i), v[i] = 0.1 * cos(0.02 * i);
  limb_status s = make_rope(n, &rope);
  if (s == LIMB_OK) s = limb_data_create(rope, NULL, &data);
  if (s == LIMB_OK) s = limb_forward_dynamics_aba(data, q, v, tau, NULL, plain);
  if (s == LIMB_OK) s = limb_reference_joins(rope, NULL, q, v, tau, NULL, a, r);
  *apart = 0;
  for (int i = 0; i < n; i++) {
    size = fmax(size, fabs(plain[i]));
    *apart = fmax(*apart, fabs(a[i] - plain[i]));
  }
  *apart /= size;
  limb_data_destroy(data);
  limb_model_destroy(rope);
  return s;
}

int main(void)
{
  const int lengths[] = {64, 256, 1000, 4096};
  double path[4] = {0}, apart[4] = {0};
  limb_status s = LIMB_OK;
  for (int i = 0; i < 4 && s == LIMB_OK; i++) {
    limb_reference_joins_report r;
    const int n = lengths[i];
    s = solve(n, &r, &apart[i]);
    if (s != LIMB_OK) break;
    path[i] = r.path;
    printf("%d links: %d levels, %d solutions, residual %.0e, apart %.0e; %.3g operations, longest path %.3g\n", n,
           r.levels, r.solves, r.residual, apart[i], r.work, r.path);
    printf("  processors   operations, tree of joins     parts in a row     times faster than one recursion\n");
    for (int k = 0; k < LIMB_REFERENCE_JOINS_TIMES; k++) {
      const double row = in_a_row(n, 1 << k), one = PLAIN * n;
      printf("  %10d   %26.0f   %16.0f   %7.2f, %6.2f\n", 1 << k, r.time[k], row, one / r.time[k],
             row > 0 ? one / row : 0);
    }
  }
  if (s != LIMB_OK) {
    (void)fprintf(stderr, "%s\n", limb_status_text(s));
    return 1;
  }
  // sixty-four times as many links take six levels more, and the same digits
  const double levels = (path[3] - path[0]) / (path[1] - path[0]);
  return apart[2] <= 1e-8 && levels < 4 ? 0 : 1;
}
