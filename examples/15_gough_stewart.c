// A platform on six telescopic legs, which weigh something, is swung about: which forces do the motors need?
//
// Twice: by the platform form, leg by leg (limb/parallel.h), and by the generic form, with all 24 coordinates
// and 18 equations at once (limb/loops.h). Both must give forces that were computed elsewhere. Then back:
// from these forces the acceleration of the platform, from the lengths its pose.
#include <limb/limb.h>
#include <limb/read.h>
#include <stdio.h>

enum { LEGS = 6, NQ = 25, NV = 24, TIMES = 5 };
static const double PI = 3.14159265358979323846;

// Forces of the legs every 0.4 s [N].
static const double known[TIMES][LEGS] = {
  {13.060967833926245, 52.50445973691679, 34.38638703706825, 38.81969491790577, 23.47507024247704, 63.61568915196725},
  {46.533218788413826, 5.709729557252566, 22.531621717856016, 35.26840071912868, 9.916289847393465, 59.571545534217094},
  {89.75306208845093, -6.720109634255065, 42.918880170961145, 89.49503842158525, 46.516848644495255, 32.27436310900442},
  {53.061104454278464, 36.610664027536146, -15.133420275332206, 31.581141630284083, 63.29732512994194,
   -23.840445987212767},
  {28.23488091452927, 77.0382783200539, 27.225704717100665, 56.45834077788939, 69.52668642434821, 12.368697198324055}};

typedef struct wave {
  double x, v, a;
} wave;

static wave wave_at(double amplitude, double w, double t, double phase)
{
  const double s = sin(w * t + phase), c = cos(w * t + phase);
  return (wave){amplitude * s, amplitude * w * c, -amplitude * w * w * s};
}

// The platform heaves, sways and turns: p and R = Rz(yaw) Ry(pitch) Rx(roll), with both derivatives.
static limb_platform_motion motion_at(double t)
{
  const wave x = wave_at(0.08, PI, t, 0), y = wave_at(0.06, PI, t, PI / 2);
  const wave z = wave_at(0.05, 2 * PI, t, 0), roll = wave_at(0.12, PI, t, 0.3);
  const wave pitch = wave_at(0.1, 2 * PI, t, 0), yaw = wave_at(0.15, PI, t, PI / 2);
  const sp_mat3 R = sp_rot_rpy(roll.x, pitch.x, yaw.x);
  // axes of pitch and yaw in those of the platform; w and what it is without yaw
  const sp_vec3 p = sp_tmulv(sp_rot_rpy(roll.x, 0, 0), sp_v3(0, 1, 0));
  const sp_vec3 u = sp_tmulv(sp_rot_rpy(roll.x, pitch.x, 0), sp_v3(0, 0, 1));
  const sp_vec3 rolling = sp_v3(roll.v, 0, 0), tilting = sp_add3(rolling, sp_scale3(pitch.v, p));
  const sp_vec3 w = sp_add3(tilting, sp_scale3(yaw.v, u));
  sp_vec3 w1 = sp_add3(sp_v3(roll.a, 0, 0), sp_scale3(pitch.a, p));
  w1 = sp_add3(w1, sp_add3(sp_scale3(yaw.a, u), sp_scale3(pitch.v, sp_cross3(p, rolling))));
  w1 = sp_add3(w1, sp_scale3(yaw.v, sp_cross3(u, tilting)));
  const sp_vec3 v = sp_tmulv(R, sp_v3(x.v, y.v, z.v));
  const sp_vec3 v1 = sp_sub3(sp_tmulv(R, sp_v3(x.a, y.a, z.a)), sp_cross3(w, v));
  return (limb_platform_motion){sp_pose_make(R, sp_v3(x.x, y.x - 0.06, 0.75 + z.x)), sp_motion_make(w, v),
                                sp_motion_make(w1, v1)};
}

typedef struct robot {
  limb_model* m;
  limb_parallel* p;
  limb_data* d;
  int slide[LEGS], length[LEGS]; // velocities and coordinates of the motors
  double off, apart, back;       // largest errors: from what is known, between forms, of the way back
} robot;

static limb_status find_slides(robot* r)
{
  limb_status s = LIMB_OK;
  for (int i = 0; i < LEGS && s == LIMB_OK; i++) {
    char name[32];
    limb_joint_info joint = {.v = 0};
    (void)snprintf(name, sizeof name, "leg%d_slide", i + 1);
    s = limb_get_joint(r->m, limb_find_joint(r->m, name), &joint);
    r->slide[i] = joint.v, r->length[i] = joint.q;
  }
  return s;
}

// The way back: acceleration of the platform from the forces, its pose from the lengths.
static limb_status look_back(robot* r, const limb_platform_motion* x, const double* q, const double* v,
                             const double* tau)
{
  double guess[NQ];
  sp_motion got = x->acceleration;
  sp_pose X = x->pose;
  limb_status s = limb_parallel_forward_dynamics(r->p, q, v, tau, NULL, &got, NULL);
  if (s == LIMB_OK) s = limb_start(r->m, guess);
  for (int i = 0; i < LEGS; i++) guess[r->length[i]] = q[r->length[i]];
  if (s == LIMB_OK) s = limb_parallel_forward_geometry(r->p, guess, &X);
  r->back = fmax(r->back, sp_norm3(sp_sub3(got.w, x->acceleration.w)));
  r->back = fmax(r->back, sp_norm3(sp_sub3(got.v, x->acceleration.v)));
  r->back = fmax(r->back, sp_norm3(sp_sub3(X.p, x->pose.p)));
  return s;
}

static limb_status moment(robot* r, int k, double* q)
{
  const limb_platform_motion x = motion_at(0.1 * k);
  double v[NV], a[NV], tau[NV] = {0}, generic[NV] = {0};
  limb_status s = limb_parallel_inverse_geometry(r->p, &x.pose, q, NULL);
  if (s == LIMB_OK) s = limb_parallel_inverse_dynamics(r->p, q, &x, NULL, tau);
  if (s == LIMB_OK) s = limb_parallel_motion(r->p, q, &x, v, a);
  if (s == LIMB_OK) s = limb_inverse_dynamics(r->d, q, v, a, NULL, generic);
  if (s == LIMB_OK) s = look_back(r, &x, q, v, tau);
  printf("%4.1f s", 0.1 * k);
  for (int i = 0; i < LEGS; i++) {
    const double f = tau[r->slide[i]];
    printf(" %7.2f N", f);
    r->apart = fmax(r->apart, fabs(f - generic[r->slide[i]]));
    if (k % 4 == 0) r->off = fmax(r->off, fabs(f - known[k / 4 % TIMES][i]));
  }
  printf("  |%*c\n", 10 + (int)(tau[r->slide[0]] / 4), '1');
  return s;
}

static limb_status swing(robot* r)
{
  limb_parallel_info info = {.legs = 0};
  double q[NQ] = {0};
  limb_status s = limb_parallel_get(r->p, &info);
  if (s == LIMB_OK) s = limb_start(r->m, q);
  printf("%d legs, %d drives; the platform has %d degrees of freedom\n", info.legs, info.drives, info.mobility);
  for (int k = 0; k <= 20 && s == LIMB_OK; k++) s = moment(r, k, q);
  printf("Off what is known by %.0e N; the two forms by %.0e N; and back by %.0e.\n", r->off, r->apart, r->back);
  if (s != LIMB_OK) return s;
  return r->off < 1e-10 && r->apart < 1e-10 && r->back < 1e-9 ? LIMB_OK : LIMB_E_NOCONV;
}

int main(void)
{
  robot r = {.m = NULL};
  limb_error err = {LIMB_OK, 0, 0, "", ""};
  limb_status s = limb_load("gough_stewart", NULL, &r.m, &err);
  if (s == LIMB_OK) s = limb_parallel_create(r.m, -1, NULL, &r.p, &err);
  if (s == LIMB_OK) s = limb_data_create(r.m, NULL, &r.d);
  if (s == LIMB_OK) s = find_slides(&r);
  if (s == LIMB_OK) s = swing(&r);
  if (s != LIMB_OK) (void)fprintf(stderr, "%s %s %s\n", limb_status_text(s), err.where, err.text);
  limb_data_destroy(r.d);
  limb_parallel_destroy(r.p);
  limb_model_destroy(r.m);
  return s == LIMB_OK ? 0 : 1;
}
