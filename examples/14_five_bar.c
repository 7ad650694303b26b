// A five-bar carries a pen: two arms on two motors, joined at their tips. Its loop is cut at that joint, so
// that limb sees a tree of two arms and one closure, which the elbows obey.
// What moves? Which ways are there to put it together? What do the elbows do, what must the motors give, and
// what do elbow and tip bear? The pen draws a closed curve: without friction, the motors do no work in all.
#include <limb/limb.h>
#include <limb/read.h>
#include <stdio.h>
#include <string.h>

enum { N = 4, MOST = 8, STEPS = 400, WIDE = 60, HIGH = 16 };
static const double TURN = 6.283185307179586, PERIOD = 2, DT = 2.0 / STEPS;
enum { LEFT, LEFT_ELBOW, RIGHT, RIGHT_ELBOW }; // coordinates; shoulders have motors, elbows none

typedef struct robot {
  limb_model* m;
  limb_data* d;
} robot;

static sp_vec3 tip_at(robot* r, const double* q)
{
  sp_pose X = sp_pose_identity();
  const int fails = limb_kinematics(r->d, q, NULL, NULL) || limb_frame_pose(r->d, limb_find_frame(r->m, "tip"), &X);
  return fails ? sp_v3(0, 0, 0) : X.p;
}

// What moves, and the branches: with shoulders held, the tip is above or below the line between the elbows.
static limb_status describe(robot* r, const double* q)
{
  static const unsigned char shoulders[N] = {[LEFT] = 1, [RIGHT] = 1};
  limb_assembly how = limb_default_assembly();
  limb_mobility x = {.mobility = 0};
  double way[MOST][N];
  int found = 0;
  how.held = shoulders, how.restarts = 50;
  limb_status s = limb_mobility_at(r->d, q, NULL, &x);
  if (s == LIMB_OK) s = limb_assembly_branches(r->d, q, &how, MOST, way[0], &found);
  printf("%d joints, %d equations: %d motions, %d motors\n", x.nv, x.constraints, x.mobility, x.active);
  for (int k = 0; k < found; k++) {
    const sp_vec3 p = tip_at(r, way[k]);
    printf("  elbows at %6.1f and %6.1f degrees, tip at (%.3f, %6.3f) m\n", way[k][LEFT_ELBOW] * 360 / TURN,
           way[k][RIGHT_ELBOW] * 360 / TURN, p.x, p.y);
  }
  return s != LIMB_OK || (x.mobility == 2 && x.undriven == 0 && found == 2) ? s : LIMB_E_MODEL;
}

typedef struct moment {
  double q[N], v[N], a[N], tau[N];
  double elbow, tip; // forces that joint and closure transmit [N]
} moment;

// Velocities and accelerations of the elbows from those of the shoulders; torques; loads.
static limb_status solve(robot* r, moment* x)
{
  const limb_loop_motion motion = {.q = x->q, .v = x->v, .a = x->a};
  sp_force joint[N], loop;
  limb_status s = limb_complete_velocities(r->d, x->q, NULL, NULL, x->v);
  if (s == LIMB_OK) s = limb_complete_accelerations(r->d, x->q, x->v, NULL, NULL, x->a);
  if (s == LIMB_OK) s = limb_inverse_dynamics(r->d, x->q, x->v, x->a, NULL, x->tau);
  if (s == LIMB_OK) s = limb_loop_loads(r->d, &motion, LIMB_ALIGNED, joint, &loop);
  if (s == LIMB_OK) x->elbow = sp_norm3(joint[LEFT_ELBOW].f), x->tip = sp_norm3(loop.f);
  return s;
}

// A state whose torques and forces are known from elsewhere.
static limb_status compare(robot* r, const double* q)
{
  const double force = hypot(-3.749555271648614, -0.8186990336046837);
  moment x = {.v = {[LEFT] = 0.8, [RIGHT] = -1.1}, .a = {[LEFT] = 0.5, [RIGHT] = 0.9}};
  memcpy(x.q, q, sizeof x.q);
  const limb_status s = solve(r, &x);
  const double off =
    fmax(fabs(x.tau[LEFT] + 0.2526969407657417), fmax(fabs(x.tau[RIGHT] + 0.6935056098339045), fabs(x.tip - force)));
  printf("moving on from the first: %.6f, %.6f N m, %.6f N at the tip; off by %.0e\n", x.tau[LEFT], x.tau[RIGHT], x.tip,
         off);
  return s != LIMB_OK || off < 1e-11 ? s : LIMB_E_NOCONV;
}

// Shoulders on a closed way; the elbows stay on their branch.
static limb_status move(robot* r, double t, moment* x)
{
  const double w = TURN / PERIOD, A = 0.3, B = 0.25;
  const double goal[N] = {[LEFT] = 1.4 + A * sin(w * t), [RIGHT] = 1.7 + B * sin(2 * w * t)};
  x->v[LEFT] = A * w * cos(w * t), x->a[LEFT] = -A * w * w * sin(w * t);
  x->v[RIGHT] = 2 * B * w * cos(2 * w * t), x->a[RIGHT] = -4 * B * w * w * sin(2 * w * t);
  return limb_follow_branch(r->d, goal, NULL, NULL, x->q);
}

static void print_page(const sp_vec3* tip)
{
  char page[HIGH][WIDE];
  memset(page, ' ', sizeof page);
  for (int k = 0; k < STEPS; k++) {
    const int column = (int)((tip[k].x - 0.32) * 250), line = (int)((1.03 - tip[k].y) * 75);
    if (column >= 0 && column < WIDE && line >= 0 && line < HIGH) page[line][column] = '*';
  }
  for (int i = 0; i < HIGH; i++) printf("%.*s\n", WIDE, page[i]);
}

static limb_status draw(robot* r, const double* q)
{
  sp_vec3 tip[STEPS] = {{0, 0, 0}};
  moment x = {.v = {0}};
  double work = 0, moved = 0, off = 0;
  limb_energy e = {0, 0, 0};
  limb_loop_gap gap = {0, 0, 0, 0};
  limb_status s = LIMB_OK;
  memcpy(x.q, q, sizeof x.q);
  printf("   time   torques of the shoulders    force in elbow       and tip\n");
  for (int k = 0; s == LIMB_OK && k < STEPS; k++) {
    s = move(r, k * DT, &x);
    if (s == LIMB_OK) s = solve(r, &x);
    if (s == LIMB_OK) s = limb_loop_gap_of(r->d, x.q, x.v, NULL, &gap);
    if (s == LIMB_OK) s = limb_energies(r->d, x.q, x.v, NULL, &e);
    tip[k] = tip_at(r, x.q);
    work += DT * (x.tau[LEFT] * x.v[LEFT] + x.tau[RIGHT] * x.v[RIGHT]);
    off = fmax(off, fmax(gap.position, gap.velocity)), moved = fmax(moved, e.kinetic);
    if (k % 50 == 0)
      printf("%5.2f s  %8.3f N m  %8.3f N m  %12.3f N  %10.3f N\n", k * DT, x.tau[LEFT], x.tau[RIGHT], x.elbow, x.tip);
  }
  print_page(tip);
  printf("The loop is closed to %.0e. Of %.2f J that went to and fro, %.0e J are missing.\n", off, moved, fabs(work));
  return s != LIMB_OK || (off < 1e-11 && fabs(work) < 1e-9 * moved) ? s : LIMB_E_NOCONV;
}

int main(void)
{
  robot r = {NULL, NULL};
  limb_error err = {LIMB_OK, 0, 0, "", ""};
  double q[N] = {0};
  limb_status s = limb_load("five_bar", NULL, &r.m, &err);
  if (s == LIMB_OK) s = limb_data_create(r.m, NULL, &r.d);
  if (s == LIMB_OK) s = limb_start(r.m, q);
  const limb_assembly how = limb_default_assembly();
  if (s == LIMB_OK) s = limb_assemble(r.d, &how, q, NULL);
  if (s == LIMB_OK) s = describe(&r, q);
  if (s == LIMB_OK) s = compare(&r, q);
  if (s == LIMB_OK) s = draw(&r, q);
  if (s != LIMB_OK) (void)fprintf(stderr, "%s %s %s\n", limb_status_text(s), err.where, err.text);
  limb_data_destroy(r.d);
  limb_model_destroy(r.m);
  return s == LIMB_OK ? 0 : 1;
}
