// One robot in five languages: a table of modified Denavit-Hartenberg parameters, screws, poses (limb
// YAML), URDF and SYMORO .par. All of them, and the built-in robot, are the same to 1e-13.
//
// Body frames and the axes of the inertias differ between the files of same/; what moves is the same. Their
// figures follow from the tables of models/, computed with sixty digits and written with seventeen.
#include "limb/read.h"

#include "numbers/rig.h"
#include "support/rng.h"

#include <stdio.h>

enum { STATES = 100, LANGUAGES = 5, MAX_NV = 7 };

#define TOL_SAME 1e-13

static const char* const robots[] = {"ur5", "tree5", "panda"};
static const char* const language[LANGUAGES] = {"_mdh.limb.yaml", "_poe.limb.yaml", "_pose.limb.yaml", ".urdf", ".par"};

static rig load(const char* source)
{
  limb_model* m = NULL;
  limb_error err = {0};
  const limb_status status = limb_load(source, NULL, &m, &err);
  check_at("%s:%d: %s: %s", source, err.line, err.where, err.text);
  assert_ok(status);
  return rig_of(m);
}

static void compare(const rig* file, const rig* reference, const double* q, const double* v, const double* a)
{
  const int nv = limb_nv(reference->m);
  double got[MAX_NV * MAX_NV], want[MAX_NV * MAX_NV];
  assert_ok(limb_mass_matrix(file->d, q, got));
  assert_ok(limb_mass_matrix(reference->d, q, want));
  assert_close_matrix(got, want, nv, nv, TOL_SAME, 0);
  assert_ok(limb_inverse_dynamics(file->d, q, v, a, NULL, got));
  assert_ok(limb_inverse_dynamics(reference->d, q, v, a, NULL, want));
  assert_close_array(got, want, nv, TOL_SAME, 0);
}

START_TEST(five_languages)
{
  const char* name = robots[_i];
  rig reference = load(name);
  const int nv = limb_nv(reference.m);
  for (int k = 0; k < LANGUAGES; k++) {
    char path[1024];
    snprintf(path, sizeof path, "%s/io/same/%s%s", LIMB_TEST_DIR, name, language[k]);
    rig file = load(path);
    ck_assert_int_eq(limb_nv(file.m), nv);
    rng r = {(uint64_t)(10 * _i + k)};
    for (int i = 0; i < STATES; i++) {
      double q[MAX_NV], v[MAX_NV], a[MAX_NV];
      rng_fill(&r, 3.14, nv, q);
      rng_fill(&r, 2, nv, v);
      rng_fill(&r, 5, nv, a);
      check_at("%s, state %d", path, i);
      compare(&file, &reference, q, v, a);
    }
    rig_free(&file);
  }
  rig_free(&reference);
}
END_TEST

CHECK_MAIN("same robot", 3, five_languages)
