// Comparing numbers in tests, and running them: a thin layer over Check.
//
// A comparison that fails prints where, the index, both values and the error, and where the test
// stood (check_at: robot, seed, state), so that the case can be replayed. The error of an array is
// measured against the largest entry of the expected array: |got - want| <= rtol max |want| + atol.
#ifndef LIMB_TEST_CHECK_H
#define LIMB_TEST_CHECK_H

#include "limb/spatial.h"

#include <check.h>

#define TOL_ALGEBRA 1e-12 // no inverse involved
#define TOL_SOLVE   1e-10 // a mass matrix was inverted
#define TOL_LONG    1e-8  // the same, of a chain of a thousand links
#define TOL_FD      1e-6  // against finite differences

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CHECK_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CHECK_SANITIZED 1
#endif
#endif
#ifndef CHECK_SANITIZED
#define CHECK_SANITIZED 0
#endif

// How much is tried, by the environment variable LIMB_TEST_EFFORT: `normal` if it is not set, as in
// `make test`, or `all`, the whole proof. Under sanitizers it is always few: every path, as seldom as
// reaches it.
#define CHECK_EFFORT(few, normal, all) (CHECK_SANITIZED ? (few) : check_all() ? (all) : (normal))
int check_all(void);

#define CHECK_SKIPPED 77 // what ctest takes for a test that could not be made

// Place in the source of a comparison, and its text.
typedef struct check_site {
  const char* file;
  int line;
  const char* text;
} check_site;

#define CHECK_SITE(text) ((check_site){__FILE__, __LINE__, text})

#define assert_close(got, want, rtol, atol)          check_close(CHECK_SITE(#got), got, want, rtol, atol)
#define assert_close_array(got, want, n, rtol, atol) check_close_matrix(CHECK_SITE(#got), got, want, n, 1, rtol, atol)
#define assert_close_matrix(got, want, rows, columns, rtol, atol) \
  check_close_matrix(CHECK_SITE(#got), got, want, rows, columns, rtol, atol)
#define assert_close_vec3(got, want, rtol, atol)       check_close_vec3(CHECK_SITE(#got), got, want, rtol, atol)
#define assert_close_motion(got, want, rtol, atol)     check_close_motion(CHECK_SITE(#got), got, want, rtol, atol)
#define assert_close_motions(got, want, n, rtol, atol) check_close_motions(CHECK_SITE(#got), got, want, n, rtol, atol)
#define assert_close_force(got, want, rtol, atol)      check_close_force(CHECK_SITE(#got), got, want, rtol, atol)
#define assert_close_forces(got, want, n, rtol, atol)  check_close_forces(CHECK_SITE(#got), got, want, n, rtol, atol)
#define assert_close_pose(got, want, rtol, atol)       check_close_pose(CHECK_SITE(#got), got, want, rtol, atol)
#define assert_status(call, want)                      check_status(CHECK_SITE(#call), call, want)
#define assert_ok(call)                                check_status(CHECK_SITE(#call), call, LIMB_OK)
#define assert_that(condition)                         check_that(CHECK_SITE(#condition), !!(condition))

// Where the test stands; printed when a comparison fails.
__attribute__((format(printf, 1, 2))) void check_at(const char* format, ...);

void check_close(check_site site, double got, double want, double rtol, double atol);

// One column: an array. The index is printed as [row] or [row, column].
void check_close_matrix(check_site site, const double* got, const double* want, int rows, int columns, double rtol,
                        double atol);
void check_close_vec3(check_site site, sp_vec3 got, sp_vec3 want, double rtol, double atol);
void check_close_motion(check_site site, sp_motion got, sp_motion want, double rtol, double atol);
void check_close_motions(check_site site, const sp_motion* got, const sp_motion* want, int n, double rtol, double atol);
void check_close_force(check_site site, sp_force got, sp_force want, double rtol, double atol);
void check_close_forces(check_site site, const sp_force* got, const sp_force* want, int n, double rtol, double atol);
void check_close_pose(check_site site, sp_pose got, sp_pose want, double rtol, double atol);
void check_status(check_site site, limb_status got, limb_status want);
void check_that(check_site site, int holds);

// Runs the tests of one file, each `loops` times with _i = 0 ... loops-1; NULL ends the list.
// Returns what main returns, CHECK_SKIPPED when LIMB_ISA names an instruction set that cannot be had; of
// several runs, one | the other. Under sanitizers the tests run in this process, else as CK_FORK says.
int check_run(const char* suite, int loops, const TTest* const* tests);

// What a test file defines in place of main: the build passes the name of the file as CHECK_NAME, and the
// main of all tests (test/main.c) calls the one it is asked for.
#ifdef CHECK_NAME
int CHECK_NAME(void);
#endif

// All of it, for most files: CHECK_MAIN("name", loops, test_a, test_b)
#define CHECK_MAIN(suite, loops, ...) \
  int CHECK_NAME(void) { return check_run(suite, loops, (const TTest* const[]){__VA_ARGS__, NULL}); }

// The arguments of the program: its path, the name of the test, what else there is; NULL ends them.
extern char** check_arguments;

#endif
