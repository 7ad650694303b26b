// Identification of robots that are known, and of long logs.
//
//     limb-bench-identify draws N [ROBOT...]    N draws of noise per built-in robot: how many 95 % intervals hold the
//                                               true value, how many physical fits are physical
//     limb-bench-identify samples N [ROBOT]     processor seconds and memory for N samples at 1 kHz
//
// Noise is white, with 2 % of the rms of each torque; friction, which has kinks that a filter rounds, is off. Trees
// with passive joints have the forces that the motion needs in all of them, and so have loops that motors do not drive.
// "bias" compares mean errors of parameters with what chance gives them: near 1 there is none.
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

enum { SINES = 4, SECONDS = 40, DOFS = 64, STEPS = 5, HALVINGS = 6, PARAMETERS = 1024 };

typedef struct robot {
  limb_model* m;
  limb_data *d, *tree; // tree: of the spanning tree; NULL without loops
  limb_environment env;
  int nq, nv;
  double share, size[DOFS][SINES], phase[DOFS][SINES], start[DOFS];
  unsigned char independent[DOFS]; // velocities that are sines: all without loops
} robot;

// Numbers of a log without noise: q, v, tau per sample; standard deviations of the noise.
typedef struct motion {
  int samples, width;
  double rate, *x;
  double noise[DOFS];
} motion;

// In [-1, 1): splitmix64 (Steele, Lea, Flood 2014), whose streams of nearby seeds are independent once they are mixed.
static unsigned long long mixed(unsigned long long x)
{
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

static double uniform(unsigned long long* seed)
{
  *seed += 0x9e3779b97f4a7c15ULL;
  return (double)(mixed(*seed) >> 11) / 4503599627370496.0 - 1;
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
  limb_data_destroy(r->tree);
  limb_data_destroy(r->d);
  limb_model_destroy(r->m);
}

// Where the motion starts: loops closed.
static limb_status start_at(robot* r)
{
  limb_status s = limb_neutral(r->m, r->start);
  for (int j = 0; j < limb_joint_count(r->m) && s == LIMB_OK; j++) {
    limb_joint_info joint;
    s = limb_get_joint(r->m, j, &joint);
    if (joint.nv == 1) r->start[joint.q] = joint.def.start;
  }
  memset(r->independent, 1, sizeof r->independent);
  if (limb_loop_count(r->m) == 0 || s != LIMB_OK) return s;
  s = limb_data_create(limb_spanning_tree(r->m), NULL, &r->tree);
  if (s == LIMB_OK) s = limb_assemble(r->d, NULL, r->start, NULL);
  return s == LIMB_OK ? limb_independent_velocities(r->d, r->start, NULL, r->independent) : s;
}

static limb_status open_robot(const char* name, robot* r)
{
  unsigned long long seed = 7;
  *r = (robot){0};
  limb_status s = limb_load(name, NULL, &r->m, NULL);
  if (s == LIMB_OK) s = limb_data_create(r->m, NULL, &r->d);
  if (s != LIMB_OK) return s;
  r->nq = limb_nq(r->m), r->nv = limb_nv(r->m);
  if (r->nq > DOFS) return LIMB_E_UNSUPPORTED;
  r->env = limb_default_environment(r->m);
  r->env.friction = 0;
  r->share = limb_loop_count(r->m) > 0 ? 0.25 : 0.5;
  for (int j = 0; j < r->nv; j++)
    for (int h = 0; h < SINES; h++) r->size[j][h] = uniform(&seed), r->phase[j][h] = 3 * uniform(&seed);
  return start_at(r);
}

// Sines and their first two derivatives.
static void sines(const robot* r, double t, double* s, double* s1, double* s2)
{
  for (int j = 0; j < r->nv; j++) {
    s[j] = s1[j] = s2[j] = 0;
    for (int h = 0; h < SINES; h++) {
      const double w = 0.7 + 0.6 * h, size = r->share * r->size[j][h], angle = w * t + r->phase[j][h];
      s[j] += size * sin(angle), s1[j] += size * w * cos(angle), s2[j] -= size * w * w * sin(angle);
    }
  }
}

// v and a at q: the independent ones are rates of sines, the others close the loops.
static limb_status rates(robot* r, double t, const double* q, double* v, double* a)
{
  double s[DOFS];
  sines(r, t, s, v, a);
  const limb_status status = limb_complete_velocities(r->d, q, r->independent, NULL, v);
  return status == LIMB_OK ? limb_complete_accelerations(r->d, q, v, r->independent, NULL, a) : status;
}

// From q at t to t + h along the loops, by the midpoint rule.
static limb_status follow(robot* r, double t, double h, double* q)
{
  double middle[DOFS], v[DOFS], a[DOFS];
  limb_status s = rates(r, t, q, v, a);
  if (s == LIMB_OK) s = limb_integrate(r->m, q, v, h / 2, middle);
  if (s == LIMB_OK) s = rates(r, t + h / 2, middle, v, a);
  if (s == LIMB_OK) s = limb_integrate(r->m, q, v, h, q);
  return s == LIMB_OK ? limb_project(r->d, NULL, q, NULL, NULL) : s;
}

// q, v, a of a tree at a time: sines from the start along the manifold; rates are differences.
static limb_status place(const robot* r, double t, double* q, double* v, double* a)
{
  const double h = 1e-3;
  double s[3][DOFS], at[3][DOFS];
  limb_status status = LIMB_OK;
  for (int k = 0; k < 3 && status == LIMB_OK; k++) {
    sines(r, t + (k - 1) * h, s[k], v, a);
    status = limb_integrate(r->m, r->start, s[k], 1, at[k]);
  }
  if (status == LIMB_OK) status = limb_difference(r->m, at[0], at[1], s[0]);
  if (status == LIMB_OK) status = limb_difference(r->m, at[1], at[2], s[1]);
  memcpy(q, at[1], (size_t)r->nq * sizeof *q);
  for (int j = 0; j < r->nv; j++) v[j] = (s[0][j] + s[1][j]) / (2 * h), a[j] = (s[1][j] - s[0][j]) / h / h;
  return status;
}

// q, v, tau at sample i; of a robot with loops q is where it was one sample before. Loops that motors do not drive
// have torques in all joints.
static limb_status move(robot* r, int i, double rate, double* q)
{
  double a[DOFS], *v = q + r->nq, *tau = v + r->nv;
  limb_status s = LIMB_OK;
  if (!r->tree) {
    s = place(r, i / rate, q, v, a);
  } else {
    for (int k = 0; k < STEPS && i > 0 && s == LIMB_OK; k++)
      s = follow(r, (i - 1 + k / (double)STEPS) / rate, 1 / rate / STEPS, q);
    if (s == LIMB_OK) s = rates(r, i / rate, q, v, a);
  }
  if (s != LIMB_OK) return s;
  s = limb_inverse_dynamics(r->d, q, v, a, &r->env, tau);
  return s != LIMB_OK && r->tree ? limb_inverse_dynamics(r->tree, q, v, a, &r->env, tau) : s;
}

static limb_status record_once(robot* r, motion* out)
{
  limb_status s = LIMB_OK;
  memset(out->noise, 0, sizeof out->noise);
  for (int i = 0; i < out->samples && s == LIMB_OK; i++) {
    double* x = out->x + (ptrdiff_t)i * out->width;
    memcpy(x, i ? x - out->width : r->start, (size_t)r->nq * sizeof *x);
    s = move(r, i, out->rate, x);
    const double* tau = x + r->nq + r->nv;
    for (int j = 0; j < r->nv; j++) out->noise[j] += tau[j] * tau[j] / out->samples;
  }
  for (int j = 0; j < r->nv; j++) out->noise[j] = 0.02 * sqrt(out->noise[j]) + 1e-6;
  return s;
}

// The log without noise. The motion of loops is made smaller until they close everywhere.
static limb_status record(robot* r, double rate, motion* out)
{
  const int samples = (int)(SECONDS * rate);
  *out = (motion){.samples = samples, .rate = rate, .width = r->nq + 2 * r->nv};
  out->x = malloc((size_t)samples * (size_t)out->width * sizeof *out->x);
  if (!out->x) return LIMB_E_NOMEM;
  limb_status s = record_once(r, out);
  for (int k = 0; k < HALVINGS && s != LIMB_OK && r->tree; k++) r->share /= 2, s = record_once(r, out);
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
  int inside, all, physical, fits, parameters;
  double mean[PARAMETERS]; // of each: sum of its errors in its standard deviations
} tally;

static int is_physical(const robot* r, const limb_ident* x)
{
  for (int k = 0; k < limb_inertial_parameter_count(r->m); k += LIMB_BODY_PARAMETERS) {
    const sp_inertia Y = limb_inertia_from_parameters(limb_ident_theta(x) + k);
    if (Y.mass != 0 && limb_inertia_defect(&Y)) return 0;
  }
  return 1;
}

static limb_status draw(const robot* r, const motion* log, unsigned long long seed, int physical, tally* t)
{
  limb_ident* x = NULL;
  limb_ident_parameter p;
  limb_status s = identify(r, log, log->samples, seed, &x);
  for (int k = 0; s == LIMB_OK && k < PARAMETERS && limb_ident_get_parameter(x, k, &p) == LIMB_OK; k++) {
    t->parameters = k + 1;
    if (p.verdict == LIMB_IDENT_HIDDEN) continue;
    const double z = (p.value - p.model) / p.std;
    t->inside += fabs(z) < 1.96, t->all++, t->mean[k] += z;
  }
  if (s == LIMB_OK && physical) {
    s = limb_ident_fit_physical(x, 1, NULL);
    t->physical += s == LIMB_OK && is_physical(r, x), t->fits++;
  }
  limb_ident_destroy(x);
  return s;
}

// Root mean square over the parameters of their mean errors, by what chance gives these: 1 without bias.
static double bias_of(const tally* t, int draws)
{
  double sum = 0;
  int count = 0;
  for (int k = 0; k < t->parameters; k++)
    if (t->mean[k] != 0) sum += t->mean[k] * t->mean[k] / draws, count++;
  return count ? sqrt(sum / count) : 0;
}

static int draw_robot(const char* name, int draws, int physical)
{
  robot r;
  motion log = {0};
  tally t = {0};
  const double start = seconds();
  limb_status s = open_robot(name, &r);
  if (s == LIMB_OK) s = record(&r, 100, &log);
  for (int i = 0; i < draws && s == LIMB_OK; i++)
    s = draw(&r, &log, mixed(1000 + (unsigned long long)i), i < physical, &t);
  if (s != LIMB_OK)
    printf("%-22s %s\n", name, limb_status_text(s));
  else
    printf("%-22s %6.1f %% of %7d intervals hold, bias %.2f, %d of %d physical, %.1f s\n", name,
           100.0 * t.inside / t.all, t.all, bias_of(&t, draws), t.physical, t.fits, seconds() - start);
  (void)fflush(stdout);
  free(log.x);
  close_robot(&r);
  return s == LIMB_OK && t.physical == t.fits ? 0 : 1;
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
  int failed = 0;
  if (count > 0 && strcmp(argv[1], "samples") == 0) return long_log(argc > 3 ? argv[3] : "panda", count);
  if (count <= 0 || strcmp(argv[1], "draws") != 0) {
    (void)fprintf(stderr, "limb-bench-identify draws N [ROBOT...] | samples N [ROBOT]\n");
    return 2;
  }
  for (int k = 3; k < argc; k++) failed |= draw_robot(argv[k], count, count);
  limb_robot_info info;
  for (int k = 0; argc == 3 && limb_get_robot(k, &info) == LIMB_OK; k++) failed |= draw_robot(info.name, count, count);
  return failed;
}
