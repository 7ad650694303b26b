// Parallel robots: the Gough-Stewart platform of the numbers of Khalil 2010, section 5.
#include "loops/parallel_bench.h"

#include <stdio.h>

typedef struct angle {
  double x, v, a;
} angle;

static angle wave(double amplitude, double w, double t, double phase)
{
  const double at = w * t + phase;
  return (angle){amplitude * sin(at), amplitude * w * cos(at), -amplitude * w * w * sin(at)};
}

// p = (.08 sin wt, .06 cos wt - .06, .75 + .05 sin 2wt), R = Rz(.15 cos wt) Ry(.1 sin 2wt) Rx(.12 sin(wt +
// .3))
static limb_platform_motion gough_motion(double t)
{
  const angle px = wave(0.08, PI, t, 0), py = wave(0.06, PI, t, PI / 2), pz = wave(0.05, 2 * PI, t, 0);
  const angle roll = wave(0.12, PI, t, 0.3), pitch = wave(0.1, 2 * PI, t, 0);
  const angle yaw = wave(0.15, PI, t, PI / 2);
  limb_platform_motion x;
  x.pose.R = sp_rot_rpy(roll.x, pitch.x, yaw.x);
  x.pose.p = sp_v3(px.x, py.x - 0.06, 0.75 + pz.x);
  // axes of the three turns in those of the platform, and their rates
  const sp_mat3 Rx = sp_rot_rpy(roll.x, 0, 0), Ryx = sp_rot_rpy(roll.x, pitch.x, 0);
  const sp_vec3 r = sp_v3(1, 0, 0), p = sp_tmulv(Rx, sp_v3(0, 1, 0)), y = sp_tmulv(Ryx, sp_v3(0, 0, 1));
  const sp_vec3 wr = sp_scale3(roll.v, r), wp = sp_add3(wr, sp_scale3(pitch.v, p));
  const sp_vec3 p1 = sp_cross3(p, wr), y1 = sp_cross3(y, wp);
  const sp_vec3 w = sp_add3(wp, sp_scale3(yaw.v, y));
  const sp_vec3 w1 = sp_add3(sp_add3(sp_scale3(roll.a, r), sp_add3(sp_scale3(pitch.a, p), sp_scale3(pitch.v, p1))),
                             sp_add3(sp_scale3(yaw.a, y), sp_scale3(yaw.v, y1)));
  const sp_vec3 v = sp_tmulv(x.pose.R, sp_v3(px.v, py.v, pz.v));
  const sp_vec3 v1 = sp_sub3(sp_tmulv(x.pose.R, sp_v3(px.a, py.a, pz.a)), sp_cross3(w, v));
  x.velocity = sp_motion_make(w, v);
  x.acceleration = sp_motion_make(w1, v1);
  return x;
}

typedef struct gough_row {
  double t, length[6], rate[6], force[6];
} gough_row;

// t, lengths and rates of the legs, forces of their motors
static const gough_row gough_rows[] = {
  {0,
   {0.8106961741269303, 0.7730704075937462, 0.804638614996116, 0.7602659184421012, 0.7927713308418731,
    0.7545084451322116},
   {0.11627876012568424, 0.40328765068637906, 0.5042415164198268, 0.48783665054568637, 0.20153139911901954,
    -0.02034240547317157},
   {13.060967833926245, 52.50445973691679, 34.38638703706825, 38.81969491790577, 23.47507024247704, 63.61568915196725}},
  {0.4,
   {0.7948786278767083, 0.868487300799923, 0.8669525467790743, 0.8079918714295463, 0.7894893297839348,
    0.7388594879302333},
   {-0.21556523843768308, -0.030366911993343747, -0.34088212134198365, -0.3899995681752918, -0.25230886413956016,
    -0.08552136607301163},
   {46.533218788413826, 5.709729557252566, 22.531621717856016, 35.26840071912868, 9.916289847393465,
    59.571545534217094}},
  {1.6,
   {0.7830937351655375, 0.721436668407095, 0.7545902129197992, 0.7141383502282068, 0.7605096042762615,
    0.8221799038195553},
   {-0.035782322401975535, -0.22062432549597774, -0.3662007906062085, -0.39149073381469757, -0.14306109792004232,
    -0.29653732963224233},
   {28.23488091452927, 77.0382783200539, 27.225704717100665, 56.45834077788939, 69.52668642434821,
    12.368697198324055}}};

static void assert_gough_row(bench* b, const gough_row* row)
{
  check_at("%s at %g s", b->c.name, row->t);
  const limb_platform_motion motion = gough_motion(row->t);
  assert_ok(limb_parallel_inverse_geometry(b->p, &motion.pose, b->q, NULL));
  assert_ok(limb_parallel_motion(b->p, b->q, &motion, b->x, b->y));
  assert_ok(limb_parallel_inverse_dynamics(b->p, b->q, &motion, NULL, b->tau));
  double length[6], rate[6], force[6];
  for (int k = 0; k < 6; k++) {
    char name[GOUGH_NAME];
    limb_joint_info joint;
    gough_name(name, "piston", k);
    assert_ok(limb_get_joint(b->c.m, limb_find_joint(b->c.m, name), &joint));
    length[k] = b->q[joint.q], rate[k] = b->x[joint.v], force[k] = b->tau[joint.v];
  }
  assert_close_array(length, row->length, 6, 1e-12, 0);
  assert_close_array(rate, row->rate, 6, 1e-11, 0);
  assert_close_array(force, row->force, 6, 1e-11, 0);
}

static void over_gough_rows(limb_model* m, const char* platform)
{
  bench b = bench_of(m, platform, 1);
  memcpy(b.q, b.c.q, (size_t)b.nq * sizeof(double));
  for (size_t k = 0; k < sizeof gough_rows / sizeof gough_rows[0]; k++) assert_gough_row(&b, &gough_rows[k]);
  bench_free(&b);
}

START_TEST(gough_stewart_numbers)
{
  over_gough_rows(gough_floating(), NULL);
  over_gough_rows(gough_robot("gough_hanging", (gough_options){.hanging = 1}), "platform");
  over_gough_rows(gough_upside_down(), NULL);
}
END_TEST

START_TEST(gough_stewart_file)
{
  char path[1024], line[2048];
  const char* folder = getenv("LIMB_SHARED");
  (void)snprintf(path, sizeof path, "%s/numbers/003_gsp_inverse.csv", folder ? folder : ".");
  FILE* file = fopen(path, "r");
  if (!file) {
    printf("skipped: no numbers in $LIMB_SHARED\n");
    return;
  }
  bench b = bench_of(gough_floating(), NULL, 1);
  memcpy(b.q, b.c.q, (size_t)b.nq * sizeof(double));
  int rows = 0;
  assert_that(fgets(line, sizeof line, file) != NULL);
  while (fgets(line, sizeof line, file)) {
    double x[25];
    char* at = line;
    for (int k = 0; k < 25; k++) x[k] = strtod(at, &at), at += *at == ',';
    gough_row row = {.t = x[0]};
    for (int k = 0; k < 6; k++) row.length[k] = x[7 + k], row.rate[k] = x[13 + k], row.force[k] = x[19 + k];
    assert_gough_row(&b, &row);
    rows++;
  }
  assert_that(rows >= 6);
  (void)fclose(file);
  bench_free(&b);
}
END_TEST

CHECK_MAIN("parallel_numbers", 1, gough_stewart_numbers, gough_stewart_file)
