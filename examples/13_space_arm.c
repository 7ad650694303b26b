// An arm on a satellite: nothing holds the base, so whatever the arm does, the base answers.
//
// First the hand goes straight to a point. The ordinary Jacobian takes the base for fixed, and the hand
// misses the line; the generalised one, J* = J_m - J_b M_bb^-1 M_bm, knows how the base gives way. Then the
// arm moves within the reaction-null space, M_bm v_m = 0, and the base stays where it is.
#include <limb/limb.h>
#include <stdio.h>
#include <string.h>

enum { ARM = 9, NQ = 7 + ARM, NV = 6 + ARM, WORK = 600 };
static const double DT = 0.01, GAIN = 1.5; // [s, 1/s]

typedef struct satellite {
  limb_model* m;
  limb_data* d;
  int hand;
  double work[WORK];
} satellite;

// The hull floats; on it are hinges along and across the arm in turn.
static limb_status describe(limb_builder* b, limb_error* err)
{
  char name[] = "0";
  int body = LIMB_WORLD_BODY;
  limb_status s = LIMB_OK;
  for (int i = 0; i <= ARM && s == LIMB_OK; i++, name[0]++) {
    const double length = i % 2 ? 0.12 : 0.4;
    limb_body_def link = limb_default_body_def(name);
    link.inertia = limb_inertia_box(i < 5 ? 4 : 2, 0.1, 0.1, length);
    link.inertia.com.z = length / 2;
    if (i == 0) link.inertia = limb_inertia_box(60, 0.8, 0.8, 0.6);
    limb_joint_def joint = limb_default_joint_def(name, i ? LIMB_REVOLUTE : LIMB_FREE, body, 0);
    if (i > 0) joint.placement.p = i == 1 ? sp_v3(0.3, 0.1, 0.3) : sp_v3(0, 0, 0.52 - length);
    joint.axis = i % 2 ? sp_v3(0, 0, 1) : sp_v3(0, 1, 0);
    s = limb_builder_add_body(b, &link, &joint.child, err);
    body = joint.child;
    if (s == LIMB_OK) s = limb_builder_add_joint(b, &joint, NULL, err);
  }
  const sp_pose tip = sp_pose_make(sp_identity3(), sp_v3(0, 0, 0.15));
  return s == LIMB_OK ? limb_builder_add_frame(b, "hand", body, &tip, NULL, err) : s;
}

static limb_status where(satellite* a, const double* q, sp_pose* hand)
{
  const limb_status s = limb_kinematics(a->d, q, NULL, NULL);
  return s == LIMB_OK ? limb_frame_pose(a->d, a->hand, hand) : s;
}

// No momentum: the base moves as the arm's velocities make it.
static limb_status advance(satellite* a, double* v, double* q)
{
  const limb_status s = limb_velocity_from_momentum(a->d, q, NULL, NULL, a->work, v);
  return s == LIMB_OK ? limb_integrate(a->m, q, v, DT, q) : s;
}

// The joint velocities, as small as can be, for a velocity u of the hand: v = J' (J J')^-1 u.
static void least_velocities(const sp_motion* J, sp_vec3 u, double* v)
{
  sp_vec3 a = {0, 0, 0}, b = a, c = a; // columns of J J'
  for (int i = 0; i < ARM; i++) {
    a = sp_add3(a, sp_scale3(J[i].v.x, J[i].v));
    b = sp_add3(b, sp_scale3(J[i].v.y, J[i].v));
    c = sp_add3(c, sp_scale3(J[i].v.z, J[i].v));
  }
  const sp_vec3 bc = sp_cross3(b, c), ca = sp_cross3(c, a), ab = sp_cross3(a, b); // Cramer's rule
  const sp_vec3 y = sp_scale3(1 / sp_dot3(a, bc), sp_v3(sp_dot3(u, bc), sp_dot3(u, ca), sp_dot3(u, ab)));
  for (int i = 0; i < ARM; i++) v[i] = sp_dot3(J[i].v, y);
}

// Goes to a point; off: how far the hand was from the straight line at worst, and from the point in the end.
static limb_status reach(satellite* a, double* q, sp_vec3 goal, int knows, double off[2])
{
  sp_motion J[NV];
  sp_pose X = sp_pose_identity();
  limb_status s = where(a, q, &X);
  const sp_vec3 way = sp_sub3(goal, X.p);
  off[0] = 0;
  for (int k = 0; k < 800 && s == LIMB_OK; k++) {
    double v[NV] = {0};
    s = where(a, q, &X);
    const sp_vec3 left = sp_sub3(goal, X.p);
    off[0] = fmax(off[0], sp_norm3(sp_cross3(left, way)) / sp_norm3(way)), off[1] = sp_norm3(left);
    if (s == LIMB_OK && knows) s = limb_generalized_jacobian(a->d, q, NULL, a->hand, LIMB_ALIGNED, a->work, J);
    if (s == LIMB_OK && !knows) s = limb_frame_jacobian_at(a->d, q, a->hand, LIMB_ALIGNED, J);
    if (s != LIMB_OK) return s;
    least_velocities(knows ? J : J + 6, sp_scale3(GAIN, left), v + 6);
    s = advance(a, v, q);
  }
  return s;
}

// Moves the arm for four seconds so that the base does not feel it.
static limb_status swim(satellite* a, double* q)
{
  double P[ARM * ARM];
  limb_status s = LIMB_OK;
  for (int k = 0; k < 400 && s == LIMB_OK; k++) {
    double v[NV] = {0};
    s = limb_reaction_null_space(a->d, q, NULL, a->work, P, NULL);
    for (int i = 0; i < ARM; i++) v[6 + i] = 4 * P[ARM * i + 1]; // what is left of moving j2
    if (s == LIMB_OK) s = advance(a, v, q);
  }
  return s;
}

static limb_status show(satellite* a)
{
  static const double q0[NQ] = {0, 0, 0, 0, 0, 0, 1, 0.2, 0.7, -0.4, 1.1, 0.3, -0.9, 0.1, 0.5, 0};
  double q[NQ], off[2][2] = {{0}}, before[NQ], moved = 0;
  sp_pose X = sp_pose_identity();
  limb_status s = where(a, q0, &X);
  const sp_vec3 goal = sp_add3(X.p, sp_v3(-0.35, 0.4, -0.3));
  for (int k = 0; k < 2 && s == LIMB_OK; k++) {
    memcpy(q, q0, sizeof q);
    s = reach(a, q, goal, k, off[k]);
    printf("%-11s Jacobian: up to %5.1f mm off the line, ends %.3f mm from the goal\n", k ? "generalised" : "ordinary",
           1e3 * off[k][0], 1e3 * off[k][1]);
  }
  if (s != LIMB_OK) return s;
  printf("meanwhile the base drifts by %.1f mm and turns by %.1f degrees\n", 1e3 * sp_norm3(sp_v3(q[0], q[1], q[2])),
         114.591559 * acos(fmin(1, fabs(q[6]))));
  memcpy(before, q, sizeof q);
  s = swim(a, q);
  if (s == LIMB_OK) s = where(a, q, &X);
  for (int i = 0; i < 7; i++) moved = fmax(moved, fabs(q[i] - before[i]));
  printf("reaction-null space:  the hand goes %.1f mm, the base %.1e mm\n", 1e3 * sp_norm3(sp_sub3(X.p, goal)),
         1e3 * moved);
  const int good = off[1][0] < 0.05 * off[0][0] && off[1][1] < 1e-4 && moved < 1e-9;
  return s == LIMB_OK && !good ? LIMB_E_NOCONV : s;
}

int main(void)
{
  limb_builder* b = NULL;
  satellite a = {0};
  limb_error err = {LIMB_OK, 0, 0, "", ""};
  limb_status s = limb_builder_create(NULL, &b);
  if (s == LIMB_OK) s = describe(b, &err);
  if (s == LIMB_OK) s = limb_builder_build(b, &a.m, &err);
  if (s == LIMB_OK) s = limb_data_create(a.m, NULL, &a.d);
  a.hand = limb_find_frame(a.m, "hand");
  if (s == LIMB_OK) s = limb_moving_base_work(a.m) > WORK ? LIMB_E_MODEL : show(&a);
  if (s != LIMB_OK) (void)fprintf(stderr, "%s %s %s\n", limb_status_text(s), err.where, err.text);
  limb_data_destroy(a.d);
  limb_model_destroy(a.m);
  limb_builder_destroy(b);
  return s == LIMB_OK ? 0 : 1;
}
