// Identification of robots that are known, and of long logs.
//
//     limb-bench-identify draws N [ROBOT...]    N draws of noise per built-in robot: how many 95 % intervals hold the
//                                               true value, how many physical fits are physical
//     limb-bench-identify samples N [ROBOT]     processor seconds and memory for N samples at 1 kHz
//
// Noise is white, with 2 % of the rms of each torque; friction, which has kinks that a filter rounds, is off. Robots
// with passive joints have the forces that the motion needs in all of them.
#include "limb/assemble.h"
#include "limb/ident.h"
#include "limb/limb.h"
#include "limb/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { SINES = 4, SECONDS = 40, DOFS = 64 };

typedef struct robot {
  limb_model* m;
  limb_data* d;
  limb_completion* c; // of a robot with loops
  limb_environment env;
  int nq, nv;
  double size[DOFS][SINES], phase[DOFS][SINES], start[DOFS];
  unsigned char given_q[DOFS], given_v[DOFS];
} robot;

// Numbers of a log without noise: q, v, tau per sample; standard deviations of the noise.
typedef struct motion {
  int samples, width;
  double rate, *x;
  double noise[DOFS];
} motion;

static double uniform(unsigned long long* seed) // in [-1, 1)
{
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static double normal(unsigned long long* seed)
{
  double sum = 0;
  for (int i = 0; i < 12; i++) sum += uniform(seed) / 2;
  return sum;
}

static double seconds(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- robots ----------------------------------------------------------------------------------------

static void close_robot(robot* r)
{
  limb_completion_destroy(r->c);
  limb_data_destroy(r->d);
  limb_model_destroy(r->m);
}

static limb_status describe(robot* r)
{
  limb_status s = limb_neutral(r->m, r->start);
  for (int j = 0; j < limb_joint_count(r->m) && s == LIMB_OK; j++) {
    limb_joint_info joint;
    s = limb_get_joint(r->m, j, &joint);
    for (int k = 0; k < joint.nv; k++) r->given_v[joint.v + k] = !joint.passive;
    for (int k = 0; k < joint.nq; k++) r->given_q[joint.q + k] = !joint.passive;
    if (joint.nv == 1) r->start[joint.q] = joint.def.start;
  }
  return s;
}

static limb_status open_robot(const char* name, robot* r)
{
  unsigned long long seed = 7;
  limb_completion_options o = limb_default_completion_options();
  *r = (robot){0};
  limb_status s = limb_load(name, NULL, &r->m, NULL);
  if (s == LIMB_OK) s = limb_data_create(r->m, NULL, &r->d);
  if (s != LIMB_OK) return s;
  r->nq = limb_nq(r->m), r->nv = limb_nv(r->m);
  if (r->nq > DOFS) return LIMB_E_UNSUPPORTED;
  r->env = limb_default_environment(r->m);
  r->env.friction = 0;
  const double share = limb_loop_count(r->m) > 0 ? 0.15 : 0.5;
  for (int j = 0; j < r->nv; j++)
    for (int h = 0; h < SINES; h++) r->size[j][h] = share * uniform(&seed), r->phase[j][h] = 3 * uniform(&seed);
  s = describe(r);
  o.given_q = r->given_q, o.given_v = o.given_a = r->given_v;
  if (s == LIMB_OK && limb_loop_count(r->m) > 0) s = limb_completion_create(r->m, &o, NULL, &r->c, NULL);
  return s;
}

static limb_status place(const robot* r, double t, double* q)
{
  double s[DOFS];
  for (int j = 0; j < r->nv; j++) {
    s[j] = 0;
    for (int h = 0; h < SINES; h++) s[j] += r->size[j][h] * sin((0.7 + 0.6 * h) * t + r->phase[j][h]);
  }
  return limb_integrate(r->m, r->start, s, 1, q);
}

// q, v, tau at a time; rates are differences.
static limb_status move(robot* r, double t, double* q)
{
  const double h = 1e-3;
  double before[DOFS], after[DOFS], a[DOFS], low[DOFS], high[DOFS], *v = q + r->nq, *tau = v + r->nv;
  limb_status s = place(r, t, q);
  if (s == LIMB_OK) s = place(r, t - h, before);
  if (s == LIMB_OK) s = place(r, t + h, after);
  if (s == LIMB_OK) s = limb_difference(r->m, before, q, low);
  if (s == LIMB_OK) s = limb_difference(r->m, q, after, high);
  for (int j = 0; j < r->nv; j++) v[j] = (low[j] + high[j]) / (2 * h), a[j] = (high[j] - low[j]) / h / h;
  if (s == LIMB_OK && r->c) s = limb_complete_state(r->c, 0, q, v, a, NULL);
  return s == LIMB_OK ? limb_inverse_dynamics(r->d, q, v, a, &r->env, tau) : s;
}

static limb_status record(robot* r, double rate, motion* out)
{
  const int samples = (int)(SECONDS * rate);
  limb_status s = LIMB_OK;
  *out = (motion){.samples = samples, .rate = rate, .width = r->nq + 2 * r->nv};
  out->x = malloc((size_t)samples * (size_t)out->width * sizeof *out->x);
  if (!out->x) return LIMB_E_NOMEM;
  for (int i = 0; i < samples && s == LIMB_OK; i++) {
    double* x = out->x + (ptrdiff_t)i * out->width;
    s = move(r, i / rate, x);
    for (int j = 0; j < r->nv; j++) out->noise[j] += x[r->nq + r->nv + j] * x[r->nq + r->nv + j] / samples;
  }
  for (int j = 0; j < r->nv; j++) out->noise[j] = 0.02 * sqrt(out->noise[j]) + 1e-6;
  return s;
}

// ---- draws -----------------------------------------------------------------------------------------

static limb_status identify(const robot* r, const motion* log, int samples, unsigned long long seed, limb_ident** out)
{
  limb_ident_options o = limb_default_ident_options();
  limb_environment env = r->env;
  double tau[DOFS];
  o.env = &env;
  limb_status s = limb_ident_create(r->m, &o, out);
  for (int i = 0; i < samples && s == LIMB_OK; i++) {
    const double *q = log->x + (ptrdiff_t)(i % log->samples) * log->width, *v = q + r->nq;
    for (int j = 0; j < r->nv; j++) tau[j] = v[r->nv + j] + log->noise[j] * normal(&seed);
    const limb_ident_sample sample = {
      .time = i / log->rate, .q = q, .v = v, .tau = tau, .reference = NULL, .nwrench = 0, .wrench = NULL};
    s = limb_ident_add(*out, &sample, NULL);
  }
  return s == LIMB_OK ? limb_ident_fit(*out, NULL) : s;
}

typedef struct tally {
  int inside, all, physical, fits;
} tally;

static limb_status draw(const robot* r, const motion* log, unsigned long long seed, tally* t)
{
  limb_ident* x = NULL;
  limb_ident_parameter p;
  limb_status s = identify(r, log, log->samples, seed, &x);
  for (int k = 0; s == LIMB_OK && limb_ident_get_parameter(x, k, &p) == LIMB_OK; k++)
    if (p.verdict != LIMB_IDENT_HIDDEN) t->inside += fabs(p.value - p.model) < 1.96 * p.std, t->all++;
  if (s == LIMB_OK) s = limb_ident_fit_physical(x, 1, NULL);
  int fine = s == LIMB_OK;
  for (int k = 0; fine && k < limb_inertial_parameter_count(r->m); k += LIMB_BODY_PARAMETERS) {
    const sp_inertia Y = limb_inertia_from_parameters(limb_ident_theta(x) + k);
    fine = Y.mass == 0 || !limb_inertia_defect(&Y);
  }
  t->physical += fine, t->fits++;
  limb_ident_destroy(x);
  return s;
}

static void draw_robot(const char* name, int draws)
{
  robot r;
  motion log = {0};
  tally t = {0};
  const double start = seconds();
  limb_status s = open_robot(name, &r);
  if (s == LIMB_OK) s = record(&r, 100, &log);
  for (int i = 0; i < draws && s == LIMB_OK; i++) s = draw(&r, &log, 1000 + (unsigned long long)i, &t);
  if (s != LIMB_OK)
    printf("%-22s %s\n", name, limb_status_text(s));
  else
    printf("%-22s %6.1f %% of %7d intervals hold, %d of %d physical, %.1f s\n", name, 100.0 * t.inside / t.all, t.all,
           t.physical, t.fits, seconds() - start);
  (void)fflush(stdout);
  free(log.x);
  close_robot(&r);
}

// ---- long logs -------------------------------------------------------------------------------------

static int long_log(const char* name, int samples)
{
  robot r;
  motion log = {0};
  limb_ident* x = NULL;
  limb_status s = open_robot(name, &r);
  if (s == LIMB_OK) s = record(&r, 1000, &log);
  const double start = seconds();
  if (s == LIMB_OK) s = identify(&r, &log, samples, 1, &x);
  const double fit = seconds();
  struct rusage usage;
  (void)getrusage(RUSAGE_SELF, &usage);
  if (s == LIMB_OK)
    printf("%s, %d samples: %.2f s, %.0f MB\n", name, samples, fit - start, (double)usage.ru_maxrss / 1024);
  else
    (void)fprintf(stderr, "%s: %s\n", name, limb_status_text(s));
  limb_ident_destroy(x);
  free(log.x);
  close_robot(&r);
  return s == LIMB_OK ? 0 : 1;
}

int main(int argc, char** argv)
{
  const int count = argc > 2 ? atoi(argv[2]) : 0;
  if (count > 0 && strcmp(argv[1], "samples") == 0) return long_log(argc > 3 ? argv[3] : "panda", count);
  if (count <= 0 || strcmp(argv[1], "draws") != 0) {
    (void)fprintf(stderr, "limb-bench-identify draws N [ROBOT...] | samples N [ROBOT]\n");
    return 2;
  }
  for (int k = 3; k < argc; k++) draw_robot(argv[k], count);
  limb_robot_info info;
  for (int k = 0; argc == 3 && limb_get_robot(k, &info) == LIMB_OK; k++) draw_robot(info.name, count);
  return 0;
}
