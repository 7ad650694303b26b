// Forward dynamics with many closed loops by every method of limb: how long each takes, how many iterations, and how
// far its accelerations are from those of the usual one.
//
//   ladder       four-bars on each other; no joint is in two loops
//   rope ladder  two hanging ropes with rungs: all loops share joints, and every rung can swing
//   held rope    a chain in an arc, both ends held: one loop of all joints
//   platform     Gough-Stewart, six loops on one body
//
// docs/long-chains.md has the table, and says which method is for what.
#include <limb/limb.h>
#include <limb/read.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct {
  const char* name;
  limb_loop_method method;
} methods[] = {{"clusters", LIMB_LOOP_METHOD_CLUSTERS}, {"Schur", LIMB_LOOP_METHOD_SCHUR},
               {"KKT", LIMB_LOOP_METHOD_KKT},           {"proximal", LIMB_LOOP_METHOD_PROXIMAL},
               {"MEXX", LIMB_LOOP_METHOD_MEXX},         {"sequential", LIMB_LOOP_METHOD_SEQUENTIAL}};
enum { METHODS = sizeof methods / sizeof methods[0] };

// A body on a hinge about y, its mass around the middle of a rod from its origin to `end`.
static limb_status add_rod(limb_builder* b, const char* name, int parent, sp_vec3 at, sp_vec3 end, int* body)
{
  limb_body_def rod = limb_default_body_def(name);
  rod.inertia = limb_inertia_rod(0.2, sp_norm3(end));
  rod.inertia.com = sp_scale3(0.5, end);
  if (fabs(end.x) > fabs(end.z)) { // a rod along x
    const double across = rod.inertia.zz;
    rod.inertia.zz = rod.inertia.xx, rod.inertia.xx = across;
  }
  limb_joint_def hinge = limb_default_joint_def(name, LIMB_REVOLUTE, parent, 0);
  hinge.placement.p = at;
  hinge.axis = sp_v3(0, 1, 0);
  limb_status s = limb_builder_add_body(b, &rod, body, NULL);
  hinge.child = *body;
  if (s == LIMB_OK) s = limb_builder_add_joint(b, &hinge, NULL, NULL);
  return s;
}

static limb_status close_loop(limb_builder* b, const char* name, int one, sp_vec3 at_one, int other, sp_vec3 at_other)
{
  limb_loop_def ball = limb_default_loop_def(name, LIMB_LOOP_BALL, one, other);
  ball.pose_a.p = at_one, ball.pose_b.p = at_other;
  return limb_builder_add_loop(b, &ball, NULL, NULL);
}

// Cells of two posts and a rung. shared: a rung hangs on ropes that go on, else the next cell stands on it.
static limb_status make(int cells, int shared, limb_model** out)
{
  const sp_vec3 post = sp_v3(0, 0, shared ? -0.3 : 0.3), width = sp_v3(0.4, 0, 0), none = sp_v3(0, 0, 0);
  limb_builder* b = NULL;
  limb_status s = limb_builder_create(NULL, &b);
  int left = LIMB_WORLD_BODY, right = LIMB_WORLD_BODY, rung = LIMB_WORLD_BODY;
  for (int k = 0; k < cells && s == LIMB_OK; k++) {
    char name[4][24];
    for (int i = 0; i < 4; i++) (void)snprintf(name[i], sizeof name[i], "%c%d", "lrgc"[i], k);
    const int on[2] = {shared ? left : rung, shared ? right : rung};
    const sp_vec3 from = shared && k ? post : none, to = shared && k ? post : width;
    s = add_rod(b, name[0], on[0], from, post, &left);
    if (s == LIMB_OK) s = add_rod(b, name[1], on[1], to, post, &right);
    if (s == LIMB_OK) s = add_rod(b, name[2], left, post, width, &rung);
    if (s == LIMB_OK) s = close_loop(b, name[3], rung, width, right, post);
  }
  if (s == LIMB_OK) s = limb_builder_build(b, out, NULL);
  limb_builder_destroy(b);
  return s;
}

// A chain in half a circle, held at its end.
static limb_status make_rope(int links, limb_model** out)
{
  const double length = 0.3, turn = 3.14159265358979323846 / links;
  const sp_vec3 rod = sp_v3(0, 0, -length);
  limb_builder* b = NULL;
  limb_status s = limb_builder_create(NULL, &b);
  int body = LIMB_WORLD_BODY;
  sp_vec3 end = sp_v3(0, 0, 0);
  for (int k = 0; k < links && s == LIMB_OK; k++) {
    char name[24];
    (void)snprintf(name, sizeof name, "%d", k);
    s = add_rod(b, name, body, k ? rod : sp_v3(0, 0, 0), rod, &body);
    end = sp_add3(end, sp_mulv(sp_rot_axis(sp_v3(0, 1, 0), -turn * (k + 0.5)), rod));
  }
  if (s == LIMB_OK) s = close_loop(b, "end", LIMB_WORLD_BODY, end, body, rod);
  if (s == LIMB_OK) s = limb_builder_build(b, out, NULL);
  limb_builder_destroy(b);
  return s;
}

static void bend(const limb_model* m, double* q)
{
  const int links = limb_nv(m);
  const double turn = 3.14159265358979323846 / links;
  for (int k = 0; k < links; k++) q[k] = k ? -turn : -turn / 2;
}

// Posts that lean alike, and rungs that stay level: v is the same motion.
static void lean(const limb_model* m, int shared, double* q, double* v)
{
  double angle = 0;
  for (int k = 0; 3 * k < limb_nv(m); k++) {
    const double turn = 0.2 * sin(k + 1.0);
    q[3 * k] = q[3 * k + 1] = turn;
    angle = shared ? angle + turn : turn;
    q[3 * k + 2] = -angle;
  }
  for (int i = 0; i < limb_nv(m); i++) v[i] = q[i];
}

typedef struct robot {
  const char* name;
  limb_model* m;
  limb_data* d;
  double *q, *v, *tau, *a, *usual;
} robot;

static limb_status solve(const robot* r, limb_loop_method method, limb_loop_details* details, double* seconds)
{
  enum { TRIES = 5 };
  limb_loop_settings set = limb_default_loop_settings();
  set.solver.method = method, set.solver.max_iterations = 1000;
  limb_status s = limb_set_loops(r->d, &set);
  *seconds = HUGE_VAL;
  for (int k = 0; k < TRIES && s == LIMB_OK; k++) {
    const clock_t begin = clock();
    int calls = 0;
    for (; s == LIMB_OK && (calls == 0 || clock() - begin < CLOCKS_PER_SEC / 500); calls++)
      s = limb_forward_dynamics(r->d, r->q, r->v, r->tau, NULL, r->a);
    *seconds = fmin(*seconds, (double)(clock() - begin) / CLOCKS_PER_SEC / calls);
  }
  set.report = 1; // once more, for the number of iterations
  if (s == LIMB_OK) s = limb_set_loops(r->d, &set);
  if (s == LIMB_OK) s = limb_forward_dynamics(r->d, r->q, r->v, r->tau, NULL, r->a);
  return s == LIMB_OK ? limb_get_loop_details(r->d, details) : s;
}

// 0: all methods that have room for their matrices agree.
static int compare(const robot* r)
{
  const int nv = limb_nv(r->m);
  int bad = 0;
  printf("%s: %d velocities, %d constraints\n", r->name, nv, limb_constraint_count(r->m));
  for (int i = 0; i < METHODS; i++) {
    limb_loop_details found;
    double seconds, apart = 0, size = 0;
    const limb_status s = solve(r, methods[i].method, &found, &seconds);
    if (s == LIMB_E_ORDER) continue; // larger than LIMB_LOOPS_DENSE_MAX
    if (s != LIMB_OK) {
      printf("  %-10s  %s\n", methods[i].name, limb_status_text(s));
      bad = 1;
      continue;
    }
    for (int j = 0; j < nv; j++) {
      if (i == 0) r->usual[j] = r->a[j];
      size = fmax(size, fabs(r->usual[j]));
      apart = fmax(apart, fabs(r->a[j] - r->usual[j]));
    }
    printf("  %-10s  %10.1f us  %4d iterations  %.0e apart\n", methods[i].name, 1e6 * seconds, found.iterations,
           apart / size);
    bad |= !(apart <= 1e-6 * size); // a long rope is badly conditioned
  }
  return bad;
}

typedef enum shape { LADDER, ROPE_LADDER, HELD_ROPE, PLATFORM } shape;

static int run(shape what, limb_model* m)
{
  const size_t n = (size_t)limb_nq(m);
  static const char* const names[] = {"ladder", "rope ladder", "held rope", "platform"};
  robot r = {.name = names[what], .m = m};
  double* x = calloc(5 * n, sizeof *x);
  int bad = 1;
  if (x && limb_data_create(m, NULL, &r.d) == LIMB_OK) {
    r.q = x, r.v = x + n, r.tau = x + 2 * n, r.a = x + 3 * n, r.usual = x + 4 * n;
    limb_status s = limb_start(m, r.q);
    if (what == LADDER || what == ROPE_LADDER) lean(m, what == ROPE_LADDER, r.q, r.v);
    if (what == HELD_ROPE) bend(m, r.q);
    for (int i = 0; i < limb_nv(m); i++) r.tau[i] = 0.1 * cos(i);
    if (s == LIMB_OK) s = limb_assemble(r.d, NULL, r.q, NULL);
    bad = s == LIMB_OK ? compare(&r) : 1;
  }
  limb_data_destroy(r.d);
  free(x);
  limb_model_destroy(m);
  return bad;
}

int main(int argc, char** argv)
{
  const int sizes[] = {5, 20, argc > 1 ? atoi(argv[1]) : 0};
  int bad = 0;
  for (int k = 0; k < 3 && sizes[k] > 0; k++) {
    limb_model* m[3] = {NULL, NULL, NULL};
    limb_status s = make(sizes[k], 0, &m[LADDER]);
    if (s == LIMB_OK) s = make(sizes[k], 1, &m[ROPE_LADDER]);
    if (s == LIMB_OK) s = make_rope(3 * sizes[k], &m[HELD_ROPE]);
    for (int what = LADDER; what <= HELD_ROPE; what++) bad |= s != LIMB_OK || run((shape)what, m[what]);
  }
  limb_model* platform = NULL;
  if (limb_load("gough_stewart", NULL, &platform, NULL) != LIMB_OK) return 1;
  return bad | run(PLATFORM, platform);
}
