// Any bytes as a robot, by calls of a builder, computed in different ways: one state against a batch, to the last bit;
// the model against the one read back from what is written in limb YAML; the library against generated code, which
// limb_codegen_create compares itself.
#include "limb/batch.h"
#include "limb/codegen.h"
#include "limb/limb.h"
#include "limb/read.h"
#include "limb/study.h"

#include "support/page.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 5, STATES = 5, NV = 6 * BODIES, NQ = 7 * BODIES };

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static const limb_builder* robot; // that is examined

static void print(void* context, const char* text)
{
  (void)context;
  (void)fputs(text, stderr);
}

static void fail(const char* what, const limb_error* err)
{
  if (robot) (void)!limb_write(robot, LIMB_FORMAT_YAML, print, NULL, NULL, NULL);
  (void)fprintf(stderr, "%s: %s: %s\n", what, err ? err->where : "", err ? err->text : "");
  abort();
}

// ---- bytes as numbers ----------------------------------------------------------------------------------

typedef struct bytes {
  const uint8_t* at;
  size_t left;
} bytes;

static int next(bytes* b, int below)
{
  if (b->left == 0) return 0;
  b->left--;
  return *b->at++ % below;
}

// Mostly a number near one, now and then one that is not usual.
static double number(bytes* b)
{
  static const double odd[] = {0, -0.0, 1, -1, 1e-3, 1e3, 3.14159265358979312, (double)NAN, HUGE_VAL, -1e-9};
  const int k = next(b, 256);
  return k < (int)(sizeof odd / sizeof *odd) ? odd[k] : k < 100 ? 0 : (k - 178) / 64.0;
}

static sp_vec3 vector(bytes* b)
{
  const double x = number(b), y = number(b), z = number(b);
  return sp_v3(x, y, z);
}

// ---- a robot -------------------------------------------------------------------------------------------

static int add_body(limb_builder* b, bytes* from, int k)
{
  char name[16];
  (void)snprintf(name, sizeof name, "b%d", k);
  limb_body_def body = limb_default_body_def(name);
  double lengths[3] = {0.5, 0.25, 0.125};
  if (next(from, 4) == 0) lengths[next(from, 3)] = number(from);
  if (next(from, 8)) body.inertia = limb_solid_inertia((limb_solid)next(from, 11), 1 + fabs(number(from)), lengths);
  if (next(from, 2)) body.inertia.com = vector(from);
  return limb_builder_add_body(b, &body, NULL, NULL) == LIMB_OK;
}

static int add_joint(limb_builder* b, bytes* from, int k)
{
  char name[16];
  (void)snprintf(name, sizeof name, "j%d", k);
  const limb_joint_type type = (limb_joint_type)(next(from, 3) ? 1 + next(from, 2) : next(from, 9));
  limb_joint_def j = limb_default_joint_def(name, type, next(from, k), k);
  static const sp_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  j.axis = next(from, 2) ? axes[next(from, 3)] : vector(from);
  if (next(from, 2)) j.placement.p = vector(from);
  if (next(from, 4) == 0) j.placement.R = sp_rot_rpy(number(from), number(from), number(from));
  if (type == LIMB_UNIVERSAL) j.axis2 = vector(from);
  if (type == LIMB_HELICAL) j.pitch = number(from);
  if (type >= LIMB_REVOLUTE && type <= LIMB_HELICAL) {
    const int extras = next(from, 64);
    if (extras & 1) j.rotor_inertia = fabs(number(from)), j.gear_ratio = number(from);
    if (extras & 2) j.stiffness = fabs(number(from)), j.rest = number(from);
    if (extras & 4) j.coulomb = fabs(number(from)), j.viscous = fabs(number(from));
    if ((extras & 24) == 24 && k > 1) j.mimic = next(from, k - 1), j.multiplier = number(from), j.offset = number(from);
  }
  return limb_builder_add_joint(b, &j, NULL, NULL) == LIMB_OK;
}

// ---- what is compared ----------------------------------------------------------------------------------

static void compare(const char* what, limb_status one, limb_status many, const double* a, const double* b, int n)
{
  int differ = one != many;
  for (int k = 0; k < n && one == LIMB_OK && !differ; k++) differ = !(a[k] == b[k]); // -0 is 0
  if (!differ) return;
  (void)fprintf(stderr, "one state: %s, in a batch: %s\n", limb_status_text(one), limb_status_text(many));
  for (int k = 0; k < n; k++) (void)fprintf(stderr, "%.17g  %.17g\n", a[k], b[k]);
  fail(what, NULL);
}

// Accelerations by the mass matrix, whose sums a batch takes in another order: the forces for both are equal up to
// rounding, whatever the condition of M.
static void compare_solved(limb_data* d, const double* q, const double* v, const double* tau, limb_status one,
                           limb_status many, const double* a, const double* b)
{
  const char* const what = "forward dynamics of a batch";
  const int nv = limb_nv(limb_data_model(d));
  double x[NV], y[NV], h[NV], size = 0, off = 0;
  const double none[NV] = {0};
  compare(what, one, many, a, b, 0);
  if (one != LIMB_OK || limb_inverse_dynamics(d, q, v, a, NULL, x) != LIMB_OK ||
      limb_inverse_dynamics(d, q, v, b, NULL, y) != LIMB_OK || limb_inverse_dynamics(d, q, v, none, NULL, h) != LIMB_OK)
    return;
  for (int k = 0; k < nv; k++) {
    size = fmax(size, fmax(fabs(tau[k]), fabs(h[k]) + fabs(x[k])));
    off = fmax(off, fabs(x[k] - y[k]));
  }
  if (off > 1e-9 * size) compare(what, one, many, a, b, nv);
}

// The same bits from single calls and from lanes.
static void check_batch(const limb_model* m, bytes* from)
{
  const int nq = limb_nq(m), nv = limb_nv(m);
  const size_t q = (size_t)nq, v = (size_t)nv;
  double Q[STATES * NQ], V[STATES * NV], A[STATES * NV], T[STATES * NV], F[STATES * NV], one[NV];
  limb_status many[STATES];
  uint64_t seed = 1 + (uint64_t)next(from, 256);
  limb_data* d = NULL;
  limb_batch* b = NULL;
  if (limb_data_create(m, NULL, &d) || limb_batch_create(m, NULL, NULL, &b)) fail("workspace", NULL);
  for (size_t k = 0; k < STATES; k++) {
    if (limb_random(m, &seed, Q + k * q)) fail("random", NULL);
    for (size_t i = 0; i < v; i++) V[k * v + i] = number(from), A[k * v + i] = number(from);
  }
  (void)!limb_batch_inverse_dynamics(b, STATES, Q, V, A, NULL, T, many);
  for (size_t k = 0; k < STATES; k++) {
    const limb_status s = limb_inverse_dynamics(d, Q + k * q, V + k * v, A + k * v, NULL, one);
    compare("inverse dynamics of a batch", s, many[k], one, T + k * v, nv);
    if (s != LIMB_OK) memset(T + k * v, 0, v * sizeof *T);
  }
  (void)!limb_batch_forward_dynamics(b, STATES, Q, V, T, NULL, F, many);
  for (size_t k = 0; k < STATES; k++) {
    const limb_status s = limb_forward_dynamics(d, Q + k * q, V + k * v, T + k * v, NULL, one);
    compare_solved(d, Q + k * q, V + k * v, T + k * v, s, many[k], one, F + k * v);
  }
  limb_batch_destroy(b);
  limb_data_destroy(d);
}

static void check_file(const limb_builder* b, const limb_model* m)
{
  page p = {0};
  limb_error err = {0};
  limb_reading* r = NULL;
  limb_model* again = NULL;
  limb_comparison c = {0};
  if (limb_write(b, LIMB_FORMAT_YAML, page_put, &p, NULL, &err)) fail("write", &err);
  if (limb_read_text(p.text, p.size, "again", NULL, &r, &err)) fail("read again", &err);
  if (limb_builder_build(limb_reading_builder(r), &again, &err)) fail("build again", &err);
  const limb_status s = limb_compare(m, again, 2, &c);
  if (*c.why) fail(c.why, NULL);
  if (s == LIMB_OK && !(c.M <= 1e-12 && c.tau <= 1e-12)) fail("another robot", NULL);
  limb_model_destroy(again);
  limb_reading_destroy(r);
  free(p.text);
}

static void check_code(const limb_model* m)
{
  limb_codegen_options o = limb_default_codegen_options();
  limb_codegen* c = NULL;
  limb_error err = {0};
  o.what = "tau,M", o.effort = 0;
  const limb_status s = limb_codegen_create(m, &o, NULL, &c, &err);
  if (s != LIMB_OK && strstr(err.text, "differ")) fail("generated code", &err);
  limb_codegen_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  bytes from = {data, size};
  limb_builder* b = NULL;
  limb_model* m = NULL;
  if (limb_builder_create(NULL, &b)) return 0;
  const int n = 1 + next(&from, BODIES - 1);
  int fine = 1;
  for (int k = 1; k <= n && fine; k++) fine = add_body(b, &from, k) && add_joint(b, &from, k);
  if (fine && limb_builder_build(b, &m, NULL) == LIMB_OK) {
    robot = b;
    check_batch(m, &from);
    check_file(b, m);
    if (limb_nv(m) > 0 && limb_nv(m) <= 4) check_code(m);
  }
  robot = NULL;
  limb_model_destroy(m);
  limb_builder_destroy(b);
  return 0;
}
