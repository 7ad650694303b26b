// A leg that hops: trunk on a vertical guide, thigh and shank with springs in hip and knee, a foot. The
// ground is a force law at the foot: a spring that stiffens and a damper with it (Hunt and Crossley), and
// along the ground a damper that gives way at the friction cone. While the foot is down and the trunk rises
// the knee's motor pushes; after four seconds it rests, and the hops die out.
// The books must balance: energy + what ground and joints took = energy at the start + what the motor gave.
#include <limb/limb.h>
#include <stdio.h>

enum { NV = 3, STEPS = 70000 };
static const double DT = 1e-4, THIGH = 0.3, SHANK = 0.3, PUSH = 12; // [s, m, m, N m]
static const double STIFF = 3e5, DAMP = 0.4, MU = 0.8, DRAG = 200;  // [N/m^1.5, s/m, 1, N s/m]

typedef struct leg {
  limb_data* d;
  limb_environment env;
  double motor, joints, ground; // work: given, taken, given [J]
} leg;

// Where the leg is: its centre of mass, and how deep the foot is in the ground.
typedef struct place {
  double z, vz, depth;
} place;

// The wrench of the ground on the foot, in axes of the world.
static sp_force ground(void* context, const limb_frame_state* at)
{
  (void)context;
  const sp_vec3 v = at->velocity.v;
  const double d = fmax(0, -at->pose.p.z), slip = hypot(v.x, v.y);
  const double N = fmax(0, STIFF * d * sqrt(d) * (1 - DAMP * v.z)); // it never pulls
  const double hold = slip * DRAG < MU * N ? DRAG : MU * N / fmax(slip, 1e-300);
  return sp_force_make(sp_v3(0, 0, 0), sp_v3(-hold * v.x, -hold * v.y, N));
}

static limb_status stack(limb_builder* b, limb_joint_def joint, sp_inertia inertia, limb_error* err)
{
  limb_body_def body = limb_default_body_def(joint.name);
  body.inertia = inertia;
  const limb_status s = limb_builder_add_body(b, &body, &joint.child, err);
  joint.parent = joint.child - 1;
  return s == LIMB_OK ? limb_builder_add_joint(b, &joint, NULL, err) : s;
}

static limb_status describe(limb_builder* b, limb_error* err)
{
  limb_joint_def guide = limb_default_joint_def("guide", LIMB_PRISMATIC, 0, 0);
  limb_joint_def hip = limb_default_joint_def("hip", LIMB_REVOLUTE, 0, 0);
  hip.axis = sp_v3(0, 1, 0), hip.stiffness = 60, hip.rest = 0.5, hip.viscous = 0.2;
  limb_joint_def knee = hip;
  knee.name = "knee", knee.placement.p = sp_v3(0, 0, -THIGH), knee.rest = -1;
  sp_inertia thigh = limb_inertia_rod(0.5, THIGH), shank = limb_inertia_rod(0.3, SHANK);
  thigh.com.z = -THIGH / 2, shank.com.z = -SHANK / 2;
  const sp_pose sole = sp_pose_make(sp_identity3(), sp_v3(0, 0, -SHANK));
  limb_status s = stack(b, guide, limb_inertia_box(3, 0.2, 0.2, 0.1), err);
  if (s == LIMB_OK) s = stack(b, hip, thigh, err);
  if (s == LIMB_OK) s = stack(b, knee, shank, err);
  return s == LIMB_OK ? limb_builder_add_frame(b, "foot", 3, &sole, NULL, err) : s;
}

// One step of Runge and Kutta, with the motor's torque held.
static limb_status step(leg* l, double push, double* q, double* v)
{
  static const double at[4] = {0, 0.5, 0.5, 1}, share[4] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
  const double tau[NV] = {0, 0, push};
  double qs[NV], vs[NV] = {0}, a[NV] = {0}, dq[NV] = {0}, dv[NV] = {0};
  for (int i = 0; i < 4; i++) {
    limb_power p = {.residual = 0};
    limb_status s = limb_integrate(limb_data_model(l->d), q, vs, at[i] * DT, qs);
    for (int j = 0; j < NV; j++) vs[j] = v[j] + at[i] * DT * a[j];
    if (s == LIMB_OK) s = limb_forward_dynamics(l->d, qs, vs, tau, &l->env, a);
    if (s == LIMB_OK) s = limb_power_balance(l->d, qs, vs, a, &l->env, &p);
    if (s != LIMB_OK) return s;
    for (int j = 0; j < NV; j++) dq[j] += share[i] * vs[j], dv[j] += share[i] * a[j];
    l->motor += share[i] * DT * p.actuators, l->joints += share[i] * DT * p.friction;
    l->ground += share[i] * DT * p.wrenches;
  }
  for (int j = 0; j < NV; j++) v[j] += DT * dv[j];
  return limb_integrate(limb_data_model(l->d), q, dq, DT, q);
}

static limb_status look(leg* l, const double* q, const double* v, place* out)
{
  sp_pose X = sp_pose_identity();
  sp_vec3 c = {0, 0, 0}, dc = c;
  limb_status s = limb_kinematics(l->d, q, v, NULL);
  if (s == LIMB_OK) s = limb_frame_pose(l->d, l->env.law->frame, &X);
  if (s == LIMB_OK) s = limb_center_of_mass(l->d, &c, &dc, NULL);
  *out = (place){c.z, dc.z, fmax(0, -X.p.z)};
  return s;
}

static double energy(leg* l, const double* q, const double* v)
{
  limb_energy e = {0, 0, 0};
  return limb_energies(l->d, q, v, &l->env, &e) ? HUGE_VAL : e.kinetic + e.gravity + e.springs;
}

static limb_status hop(leg* l)
{
  double q[NV] = {0.8, 0.5, -1}, v[NV] = {0}, apex = 0, deepest = 0, last = 0, took = 0;
  double off = 0, gap = 0; // of flights from parabolas [m], of the books [J]
  const double start = energy(l, q, v);
  place now, left = {0, 0, 0};         // left: where the flight began
  int flight = 0, hops = 0, grows = 0; // steps; landings; footprints that grow without push
  limb_status s = LIMB_OK;
  printf("hop  landing      apex  footprint   motor gave  ground took\n");
  for (int k = 0; k < STEPS && s == LIMB_OK; k++) {
    s = look(l, q, v, &now);
    if (now.depth > 0 && flight * DT > 0.05) {
      printf("%3d %6.2f s %6.0f mm %7.2f mm %10.2f J %10.2f J  |%*c\n", ++hops, k * DT, 1e3 * apex, 1e3 * deepest,
             l->motor, -l->ground, (int)(80 * (apex - 0.4)), 'o');
      grows += -l->ground < took || (k * DT > 4.5 && deepest > last);
      took = -l->ground, last = deepest, deepest = apex = 0;
    }
    flight = now.depth > 0 ? 0 : flight + 1;
    if (flight == 1) left = now;
    const double t = (flight - 1) * DT, ballistic = left.z + left.vz * t - 9.81 * t * t / 2;
    if (flight) off = fmax(off, fabs(now.z - ballistic));
    apex = fmax(apex, now.z), deepest = fmax(deepest, now.depth);
    const int push = now.depth > 0 && v[0] > 0 && k * DT < 4;
    if (s == LIMB_OK) s = step(l, push ? PUSH : 0, q, v);
    gap = fmax(gap, fabs(start + l->motor + l->ground - l->joints - energy(l, q, v)));
  }
  printf("flights are parabolas to %.0e m, the books of %.1f J balance to %.0e J\n", off, start, gap);
  if (s != LIMB_OK) return s;
  return hops > 8 && !grows && off < 1e-9 && gap < 1e-5 * start ? LIMB_OK : LIMB_E_NOCONV;
}

int main(void)
{
  leg l = {0};
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_error err = {LIMB_OK, 0, 0, "", ""};
  limb_status s = limb_builder_create(NULL, &b);
  if (s == LIMB_OK) s = describe(b, &err);
  if (s == LIMB_OK) s = limb_builder_build(b, &m, &err);
  if (s == LIMB_OK) s = limb_data_create(m, NULL, &l.d);
  if (s == LIMB_OK) l.env = limb_default_environment(m);
  const limb_force_law law = {limb_find_frame(m, "foot"), LIMB_ALIGNED, ground, NULL};
  l.env.nlaw = 1, l.env.law = &law;
  if (s == LIMB_OK) s = hop(&l);
  if (s != LIMB_OK) (void)fprintf(stderr, "%s %s %s\n", limb_status_text(s), err.where, err.text);
  limb_data_destroy(l.d);
  limb_model_destroy(m);
  limb_builder_destroy(b);
  return s == LIMB_OK ? 0 : 1;
}
