// Robots with loops, and states that close them.
//
// A state: from the start of the model every joint moves at random, then all loops are closed
// (limb_assemble); v is random where it is independent. tau is what the tree needs for some acceleration,
// and a random share, so that the closures have to work; a is what comes of it.
#include "closed.h"

#include "elastic.h"
#include "robot.h"
#include "support/closed_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double spread = 0.2; // of the first guess about the start [rad, m]

// ---- robots --------------------------------------------------------------------------------------

limb_model* bench_four_bar(int unused) { return (void)unused, closed_four_bar(1, 0.35, 0.9, 0.7); }
limb_model* bench_five_bar(int unused) { return (void)unused, closed_five_bar(); }
limb_model* bench_gough_stewart(int unused) { return (void)unused, closed_gough_stewart(); }
limb_model* bench_ladder(int cells) { return closed_ladder(cells); }

// A link whose name begins as told; closed_add otherwise.
static int hang(limb_builder* b, const char* prefix, closed_link link)
{
  char name[40];
  snprintf(name, sizeof name, "%s_%s", prefix, link.name);
  link.name = name;
  return closed_add(b, &link);
}

// One linear drive between shank and foot: universal joint as two rotations, slide, ball. lean and length are
// those where the foot is level.
static void add_drive(limb_builder* b, const char* prefix, double y, int shank, int foot)
{
  const double length = 0.3306, lean = 0.0605;
  const int cross = hang(b, prefix,
                         (closed_link){.name = "cross",
                                       .type = LIMB_REVOLUTE,
                                       .parent = shank,
                                       .placement = fixture_at(-0.05, y, -0.05),
                                       .axis = {0, 1, 0},
                                       .inertia = limb_inertia_box(0.04, 0.02, 0.03, 0.02),
                                       .start = lean});
  const sp_inertia cylinder = limb_inertia_cylinder(0.42, 0.018, 0.18);
  const int drive = hang(b, prefix,
                         (closed_link){.name = "drive",
                                       .type = LIMB_REVOLUTE,
                                       .parent = cross,
                                       .placement = sp_pose_identity(),
                                       .axis = {1, 0, 0},
                                       .inertia = limb_inertia_move(fixture_at(0, 0, -0.07), cylinder)});
  const sp_inertia piston = limb_inertia_cylinder(0.11, 0.006, 0.18);
  const int rod = hang(b, prefix,
                       (closed_link){.name = "rod",
                                     .type = LIMB_PRISMATIC,
                                     .parent = drive,
                                     .placement = sp_pose_identity(),
                                     .axis = {0, 0, -1},
                                     .inertia = limb_inertia_move(fixture_at(0, 0, 0.08), piston),
                                     .active = 1,
                                     .start = length});
  closed_join(b, prefix, LIMB_LOOP_BALL, foot, fixture_at(-0.07, y, -0.02), rod, sp_pose_identity());
}

// Joints of the ankles, pitch and roll: 5 and 6 of the left leg, 11 and 12 of the right one.
limb_model* bench_humanoid_ankles(int unused)
{
  (void)unused;
  const unsigned ankles = 1U << 5 | 1U << 6 | 1U << 11 | 1U << 12;
  limb_model* bare = bench_elastic(robot_humanoid(), ankles, 0); // springs of no stiffness: passive
  limb_builder* b = NULL;
  if (!bare) return NULL;
  const limb_status s = limb_builder_from_model(bare, NULL, &b);
  limb_model_destroy(bare);
  if (s != LIMB_OK) return NULL;
  static const char *const shank[2] = {"l_shank", "r_shank"}, *const foot[2] = {"l_foot", "r_foot"};
  static const char* const drive[2][2] = {{"l_left", "l_right"}, {"r_left", "r_right"}};
  for (int k = 0; k < 4; k++)
    add_drive(b, drive[k / 2][k % 2], k % 2 ? -0.045 : 0.045, limb_builder_find_body(b, shank[k / 2]),
              limb_builder_find_body(b, foot[k / 2]));
  return fixture_end(b);
}

// Whether no joint hangs on a body.
static int is_end(const limb_model* m, int body)
{
  for (int i = 1; i < limb_body_count(m); i++) {
    limb_body_info info;
    if (limb_get_body(m, i, &info) != LIMB_OK || info.parent == body) return 0;
  }
  return 1;
}

static sp_vec3 center_of(const limb_model* m, int body)
{
  limb_body_info info;
  return limb_get_body(m, body, &info) == LIMB_OK ? info.inertia.com : sp_v3(0, 0, 0);
}

// Where the centre of mass of a body is.
static sp_vec3 center_at(const limb_data* d, int body)
{
  sp_pose X = sp_pose_identity();
  (void)!limb_frame_pose(d, body, &X);
  return sp_point(X, center_of(limb_data_model(d), body));
}

static limb_status add_feet(const limb_data* d, limb_builder* b)
{
  const limb_model* m = limb_data_model(d);
  double lowest = 0;
  limb_status s = LIMB_OK;
  for (int i = 1; i < limb_body_count(m); i++)
    if (is_end(m, i)) lowest = fmin(lowest, center_at(d, i).z);
  for (int i = 1; i < limb_body_count(m) && s == LIMB_OK; i++) {
    const sp_vec3 at = center_at(d, i);
    if (!is_end(m, i) || at.z > lowest / 2) continue; // legs start bent, each in its own way
    char name[20];
    (void)snprintf(name, sizeof name, "foot%d", i);
    limb_loop_def foot = limb_default_loop_def(name, LIMB_LOOP_BALL, i, LIMB_WORLD_BODY);
    foot.pose_a.p = center_of(m, i), foot.pose_b.p = at;
    s = limb_builder_add_loop(b, &foot, NULL, NULL);
  }
  return s;
}

limb_model* bench_on_feet(limb_model* bare)
{
  limb_builder* b = NULL;
  limb_data* d = NULL;
  limb_model* out = NULL;
  double* q = bare ? calloc((size_t)limb_nq(bare), sizeof *q) : NULL;
  limb_status s = q ? limb_data_create(bare, NULL, &d) : LIMB_E_NOMEM;
  if (s == LIMB_OK) s = limb_start(bare, q);
  if (s == LIMB_OK) s = limb_kinematics(d, q, NULL, NULL);
  if (s == LIMB_OK) s = limb_builder_from_model(bare, NULL, &b);
  if (s == LIMB_OK) s = add_feet(d, b);
  if (s == LIMB_OK) s = limb_builder_build(b, &out, NULL);
  limb_builder_destroy(b);
  limb_data_destroy(d);
  limb_model_destroy(bare);
  free(q);
  return s == LIMB_OK ? out : NULL;
}

int bench_is_platform(const bench_robot* r) { return bench_is_exact(r) && r->link[0].type != LIMB_FREE; }

// ---- states --------------------------------------------------------------------------------------

limb_status bench_closed_mobility(const limb_model* m, limb_mobility* out)
{
  limb_data* w = NULL;
  const limb_assembly how = limb_default_assembly();
  double* q = calloc((size_t)limb_nq(m), sizeof *q);
  limb_status s = q ? limb_data_create(m, NULL, &w) : LIMB_E_NOMEM;
  if (s == LIMB_OK) s = limb_start(m, q);
  if (s == LIMB_OK) s = limb_assemble(w, &how, q, NULL);
  if (s == LIMB_OK) s = limb_mobility_at(w, q, NULL, out);
  limb_data_destroy(w);
  free(q);
  return s;
}

// Closed places next to the start. step: nv, scratch.
static limb_status draw_places(limb_data* w, uint64_t* seed, double* step, double* q)
{
  enum { TRIES = 20 };
  const limb_model* m = limb_data_model(w);
  const limb_assembly how = limb_default_assembly();
  limb_status s = LIMB_E_NOCONV;
  for (int k = 0; k < TRIES && s == LIMB_E_NOCONV; k++) {
    for (int i = 0; i < limb_nv(m); i++) step[i] = spread * bench_uniform(seed);
    s = limb_start(m, q);
    if (s == LIMB_OK) s = limb_integrate(m, q, step, 1, q);
    if (s == LIMB_OK) s = limb_assemble(w, &how, q, NULL);
  }
  return s;
}

static limb_status draw_state(limb_data* closed, limb_data* d, uint64_t* seed, double* q, double* v, double* a,
                              double* tau)
{
  limb_data* w = closed;
  const int nv = limb_nv(limb_data_model(w));
  limb_status s = draw_places(w, seed, v, q);
  for (int i = 0; i < nv; i++) v[i] = bench_uniform(seed), a[i] = bench_uniform(seed);
  if (s == LIMB_OK) s = limb_complete_velocities(w, q, NULL, NULL, v);
  if (s == LIMB_OK) s = limb_complete_accelerations(w, q, v, NULL, NULL, a);
  if (s == LIMB_OK) s = limb_inverse_dynamics(d, q, v, a, NULL, tau);
  for (int i = 0; i < nv && s == LIMB_OK; i++) tau[i] += bench_uniform(seed);
  if (s == LIMB_OK) s = limb_forward_dynamics(closed, q, v, tau, NULL, a);
  return s;
}

int bench_closed_draw(bench_states* states, const bench_robot* r)
{
  const size_t nq = (size_t)r->nq, nv = (size_t)r->nv;
  uint64_t seed = 20;
  limb_data *d = NULL, *closed = NULL;
  limb_status s = limb_data_create(limb_spanning_tree(r->model), NULL, &d);
  if (s == LIMB_OK) s = limb_data_create(r->model, NULL, &closed);
  for (size_t k = 0; k < (size_t)states->count && s == LIMB_OK; k++)
    s = draw_state(closed, d, &seed, states->q + k * nq, states->v + k * nv, states->a + k * nv, states->tau + k * nv);
  limb_data_destroy(d);
  limb_data_destroy(closed);
  return s == LIMB_OK ? 0 : -1;
}
