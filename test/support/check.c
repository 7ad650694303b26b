// Comparing numbers in tests, and running them.
#include "support/check.h"

#include "limb/base.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where the test stands. A test program has one thread that compares.
static char place[256] = "";

void check_at(const char* format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(place, sizeof place, format, args);
  va_end(args);
}

static double largest(const double* x, int n)
{
  double r = 0;
  for (int i = 0; i < n; i++) {
    if (fabs(x[i]) > r) r = fabs(x[i]);
  }
  return r;
}

void check_close(check_site site, double got, double want, double rtol, double atol)
{
  check_close_matrix(site, &got, &want, 1, 1, rtol, atol);
}

void check_close_matrix(check_site site, const double* got, const double* want, int rows, int columns, double rtol,
                        double atol)
{
  const double scale = largest(want, rows * columns), allowed = rtol * scale + atol;
  int worst = -1;
  double worst_error = 0;
  for (int i = 0; i < rows * columns; i++) {
    const double error = fabs(got[i] - want[i]);
    if (error <= allowed) continue;
    if (worst < 0 || !(error <= worst_error)) worst = i, worst_error = error;
  }
  if (worst < 0) return;
  char index[48];
  if (columns == 1)
    snprintf(index, sizeof index, "[%d of %d]", worst, rows);
  else
    snprintf(index, sizeof index, "[%d, %d]", worst / columns, worst % columns);
  ck_abort_msg("%s:%d: %s%s = %.17g, expected %.17g: error %.3g, relative %.3g, allowed %.3g (%s)", site.file,
               site.line, site.text, index, got[worst], want[worst], worst_error, worst_error / scale, allowed, place);
}

void check_close_vec3(check_site site, sp_vec3 got, sp_vec3 want, double rtol, double atol)
{
  const double g[3] = {got.x, got.y, got.z}, w[3] = {want.x, want.y, want.z};
  check_close_matrix(site, g, w, 3, 1, rtol, atol);
}

void check_close_motion(check_site site, sp_motion got, sp_motion want, double rtol, double atol)
{
  check_close_motions(site, &got, &want, 1, rtol, atol);
}

// A motion or force is six doubles in a row; n of them are compared as an n x 6 matrix.
static void close_sixes(check_site site, const void* got, const void* want, int n, double rtol, double atol)
{
  check_close_matrix(site, (const double*)got, (const double*)want, n, 6, rtol, atol);
}

void check_close_motions(check_site site, const sp_motion* got, const sp_motion* want, int n, double rtol, double atol)
{
  close_sixes(site, got, want, n, rtol, atol);
}

void check_close_force(check_site site, sp_force got, sp_force want, double rtol, double atol)
{
  check_close_forces(site, &got, &want, 1, rtol, atol);
}

void check_close_forces(check_site site, const sp_force* got, const sp_force* want, int n, double rtol, double atol)
{
  close_sixes(site, got, want, n, rtol, atol);
}

void check_close_pose(check_site site, sp_pose got, sp_pose want, double rtol, double atol)
{
  check_close_matrix(site, got.R.m, want.R.m, 3, 3, rtol, atol);
  check_close_vec3(site, got.p, want.p, rtol, atol);
}

void check_status(check_site site, limb_status got, limb_status want)
{
  if (got == want) return;
  ck_abort_msg("%s:%d: %s gives %d (%s), expected %d (%s) (%s)", site.file, site.line, site.text, (int)got,
               limb_status_text(got), (int)want, limb_status_text(want), place);
}

void check_that(check_site site, int holds)
{
  if (holds) return;
  ck_abort_msg("%s:%d: %s does not hold (%s)", site.file, site.line, site.text, place);
}

char** check_arguments;

int check_all(void)
{
  const char* effort = getenv("LIMB_TEST_EFFORT");
  return effort && strcmp(effort, "all") == 0;
}

int check_run(const char* suite, int loops, const TTest* const* tests)
{
  if (limb_isa_refused()) {
    printf("%s: skipped, there is no instruction set %s here\n", suite, limb_isa_refused());
    return CHECK_SKIPPED;
  }
  Suite* s = suite_create(suite);
  for (int i = 0; tests[i]; i++) {
    TCase* c = tcase_create(tests[i]->name);
    tcase_set_timeout(c, 0);
    tcase_add_loop_test(c, tests[i], 0, loops);
    suite_add_tcase(s, c);
  }
  SRunner* r = srunner_create(s);
  if (CHECK_SANITIZED) srunner_set_fork_status(r, CK_NOFORK);
  srunner_run_all(r, CK_ENV);
  const int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
