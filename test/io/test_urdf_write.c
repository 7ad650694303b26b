// Writing URDF: every fixture robot comes back as it went, and what URDF cannot say is told. Real robots and
// a long one are read here, too.
#include "limb/limb.h"
#include "limb/read.h"

#include "io/elastic_arm.h"
#include "io/looped.h"
#include "io/written.h"
#include "support/rng.h"
#include "support/robots.h"
#include "support/shared.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOL_ROUND_TRIP 1e-13 // rotations go through roll, pitch and yaw
#define TOL_LONG_TRIP  1e-11 // a thousand of them

// ---- text in memory -------------------------------------------------------------------------------

static page write_urdf(const limb_builder* b, limb_findings* f) { return written(b, LIMB_FORMAT_URDF, f); }

static limb_reading* read_page(const page* p)
{
  limb_reading* r = NULL;
  limb_error err = {0};
  const limb_status status = limb_read_text(p->text, p->size, "page.urdf", NULL, &r, &err);
  if (status) printf("%d: %s: %s\n", err.line, err.where, err.text);
  assert_ok(status);
  return r;
}

static int count(const limb_findings* f, const char* rule)
{
  limb_finding x;
  int n = 0;
  for (int i = 0; limb_findings_get(f, i, &x) == LIMB_OK; i++) n += strcmp(x.rule, rule) == 0;
  return n;
}

// ---- the same robot -------------------------------------------------------------------------------

static void same_joint(const limb_joint_def* a, const limb_joint_def* b, int body_of_a, int body_of_b)
{
  check_at("joint %s", a->name);
  assert_that(strcmp(a->name, b->name) == 0 && a->type == b->type && a->mimic == b->mimic && a->drive == b->drive);
  assert_that(body_of_a == body_of_b);
  assert_close_pose(b->placement, a->placement, 4e-15, 0);
  assert_close_vec3(b->axis, a->axis, 0, 0);
  assert_close_vec3(b->axis2, a->axis2, 4 * 2.3e-16, 0); // put into its plane again
  const double x[] = {a->pitch,   a->q_min,     a->q_max,      a->v_max, a->effort_max, a->rotor_inertia, a->coulomb,
                      a->viscous, a->stiffness, a->gear_ratio, a->rest,  a->multiplier, a->offset,        a->start};
  const double y[] = {b->pitch,   b->q_min,     b->q_max,      b->v_max, b->effort_max, b->rotor_inertia, b->coulomb,
                      b->viscous, b->stiffness, b->gear_ratio, b->rest,  b->multiplier, b->offset,        b->start};
  for (size_t i = 0; i < sizeof x / sizeof x[0]; i++) assert_that(x[i] == y[i]);
}

// Names, order, figures: all of a is the beginning of b, which has frames as bodies.
static void same_description(const limb_builder* a, const limb_builder* b)
{
  const int frames = limb_builder_frame_count(a);
  assert_that(strcmp(limb_builder_name(a), limb_builder_name(b)) == 0);
  assert_close_vec3(limb_builder_gravity(b), limb_builder_gravity(a), 0, 0);
  assert_that(limb_builder_body_count(b) == limb_builder_body_count(a) + frames);
  assert_that(limb_builder_joint_count(b) == limb_builder_joint_count(a) + frames);
  for (int i = 0; i < limb_builder_body_count(a); i++) {
    limb_body_def x, y;
    assert_ok(limb_builder_get_body(a, i, &x));
    assert_ok(limb_builder_get_body(b, i, &y));
    assert_that(strcmp(x.name, y.name) == 0);
    assert_that(memcmp(&x.inertia, &y.inertia, sizeof x.inertia) == 0);
  }
  for (int i = 0; i < limb_builder_joint_count(a); i++) {
    limb_joint_def x, y;
    assert_ok(limb_builder_get_joint(a, i, &x));
    assert_ok(limb_builder_get_joint(b, i, &y));
    same_joint(&x, &y, x.child, y.child);
    assert_that(x.parent == y.parent);
  }
  assert_that(limb_builder_shaft_count(a) == limb_builder_shaft_count(b));
  for (int i = 0; i < limb_builder_shaft_count(a); i++) {
    limb_shaft_def x, y;
    assert_ok(limb_builder_get_shaft(a, i, &x));
    assert_ok(limb_builder_get_shaft(b, i, &y));
    assert_that(memcmp(&x, &y, sizeof x) == 0); // without gaps
  }
  assert_same_loops(a, b, 4e-15);
}

// Torques and mass matrix at random states.
static void same_dynamics(const limb_model* a, const limb_model* b, double tolerance)
{
  const int nv = limb_nv(a), nq = limb_nq(a), states = nv > 200 ? 2 : 10;
  const size_t n = (size_t)nv;
  limb_data *da = NULL, *db = NULL;
  double* x = calloc((size_t)nq + 4 * n + 2 * n * n + 1, sizeof *x);
  double *q = x, *v = q + nq, *acc = v + n, *got = acc + n, *want = got + n;
  double *M = want + n, *N = M + n * n;
  assert_that(x != NULL && limb_nv(b) == nv && limb_nq(b) == nq);
  assert_ok(limb_data_create(a, NULL, &da));
  assert_ok(limb_data_create(b, NULL, &db));
  rng r = {7};
  uint64_t seed = 11;
  for (int i = 0; i < states; i++) {
    assert_ok(limb_random(a, &seed, q));
    rng_fill(&r, 2, nv, v);
    rng_fill(&r, 5, nv, acc);
    assert_ok(limb_inverse_dynamics(da, q, v, acc, NULL, want));
    assert_ok(limb_inverse_dynamics(db, q, v, acc, NULL, got));
    assert_close_array(got, want, nv, tolerance, 0);
    assert_ok(limb_mass_matrix(da, q, M));
    assert_ok(limb_mass_matrix(db, q, N));
    assert_close_matrix(N, M, nv, nv, tolerance, 0);
  }
  limb_data_destroy(da);
  limb_data_destroy(db);
  free(x);
}

START_TEST(fixtures_come_back)
{
  int robots;
  const robot* table = robot_table(&robots);
  for (int i = 0; i < robots; i++) {
    limb_model *m = table[i].make(), *back = NULL;
    limb_builder* b = NULL;
    limb_findings* f = NULL;
    check_at("%s", table[i].name);
    assert_ok(limb_builder_from_model(m, NULL, &b));
    assert_ok(limb_findings_create(NULL, &f));
    page p = write_urdf(b, f);
    assert_that(count(f, "rephrased") == limb_builder_frame_count(b));
    limb_reading* r = read_page(&p);
    same_description(b, limb_reading_builder(r));
    assert_ok(limb_builder_build(limb_reading_builder(r), &back, NULL));
    check_at("%s", table[i].name);
    same_dynamics(m, back, table[i].flags & ROBOT_LONG ? TOL_LONG_TRIP : TOL_ROUND_TRIP);
    free(p.text);
    limb_findings_destroy(f);
    limb_reading_destroy(r);
    limb_builder_destroy(b);
    limb_model_destroy(back);
    limb_model_destroy(m);
  }
}
END_TEST

// ---- what hangs on the world ----------------------------------------------------------------------

static limb_builder* on_world(const char* name, limb_joint_type type, limb_drive drive, sp_vec3 at)
{
  limb_builder* b = NULL;
  limb_body_def body = limb_default_body_def("root");
  body.inertia = limb_inertia_box(2, 0.1, 0.2, 0.3);
  limb_joint_def joint = limb_default_joint_def(name, type, LIMB_WORLD_BODY, 1);
  joint.placement.p = at;
  joint.drive = drive;
  assert_ok(limb_builder_create(NULL, &b));
  assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  return b;
}

// The root needs no word when it is fixed, one when it moves, and a link "world" in all other cases.
START_TEST(bases_come_back)
{
  const sp_vec3 zero = sp_v3(0, 0, 0);
  const struct {
    const char* name;
    limb_joint_type type;
    limb_drive drive;
    sp_vec3 at;
    const char *has, *has_not;
  } cases[] = {
    {"base", LIMB_FIXED, LIMB_DRIVE_AUTO, zero, "<link name=\"root\"", "world"},
    {"base", LIMB_FREE, LIMB_DRIVE_AUTO, zero, "<limb base=\"floating\"/>", "<joint"},
    {"base", LIMB_FREE, LIMB_DRIVE_ACTIVE, zero, "<limb drive=\"active\"/>", "base=\"floating"},
    {"base", LIMB_PLANAR, LIMB_DRIVE_PASSIVE, zero, "<limb base=\"planar\"/>", "<joint"},
    {"base", LIMB_PLANAR, LIMB_DRIVE_AUTO, zero, "type=\"planar\"", "<limb"},
    {"base", LIMB_FIXED, LIMB_DRIVE_AUTO, sp_v3(0, 0, 1), "<link name=\"world\"/>", "<limb"},
    {"weld", LIMB_FIXED, LIMB_DRIVE_AUTO, zero, "<link name=\"world\"/>", "<limb"},
    {"flight", LIMB_FREE, LIMB_DRIVE_AUTO, zero, "type=\"floating\"", "<limb"},
    {"base", LIMB_REVOLUTE, LIMB_DRIVE_AUTO, zero, "type=\"continuous\"", "<limit"},
    {"base", LIMB_PRISMATIC, LIMB_DRIVE_AUTO, zero, "<limit lower=\"-1e+308\"", "<limb"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    limb_builder* b = on_world(cases[i].name, cases[i].type, cases[i].drive, cases[i].at);
    page p = write_urdf(b, NULL);
    check_at("case %zu: %s", i, p.text);
    assert_that(strstr(p.text, cases[i].has) && !strstr(p.text, cases[i].has_not));
    limb_reading* r = read_page(&p);
    same_description(b, limb_reading_builder(r));
    assert_that(limb_findings_count_from(limb_reading_findings(r), LIMB_WARNING) == 0);
    free(p.text);
    limb_reading_destroy(r);
    limb_builder_destroy(b);
  }
}
END_TEST

// ---- words ----------------------------------------------------------------------------------------

START_TEST(hard_names_come_back)
{
  static const char* const names[] = {"a \"b\" <c> & 'd'", " x ", "caf\xc3\xa9 \xf0\x9f\xa6\xbe", "${x}"};
  for (int i = 0; i < 4; i++) {
    limb_builder* b = on_world(names[i], LIMB_REVOLUTE, LIMB_DRIVE_AUTO, sp_v3(0, 0, 0));
    assert_ok(limb_builder_set_name(b, names[i]));
    page p = write_urdf(b, NULL);
    limb_reading* r = NULL;
    // An expression of xacro in a name is refused when it is read: it is never a name that was meant.
    const limb_status status = limb_read_text(p.text, p.size, "p.urdf", NULL, &r, NULL);
    check_at("%s", names[i]);
    assert_status(status, i == 3 ? LIMB_E_MODEL : LIMB_OK);
    if (i < 3) same_description(b, limb_reading_builder(r));
    free(p.text);
    limb_reading_destroy(r);
    limb_builder_destroy(b);
  }
}
END_TEST

START_TEST(what_cannot_be_written)
{
  static const char* const names[] = {"bell\x07",     "line\nbreak",      "\xff",       "\xc0\xaf",
                                      "\xed\xa0\x80", "\xf4\x90\x80\x80", "cut\xe2\x82"};
  page p = {0};
  limb_error err;
  for (int i = 0; i < 7; i++) {
    limb_builder* b = on_world(names[i], LIMB_REVOLUTE, LIMB_DRIVE_AUTO, sp_v3(0, 0, 0));
    check_at("name %d", i);
    assert_status(limb_write(b, LIMB_FORMAT_URDF, page_put, &p, NULL, &err), LIMB_E_UNSUPPORTED);
    assert_that(p.size == 0 && *err.text);
    limb_builder_destroy(b);
  }
  limb_builder* b = on_world("j", LIMB_REVOLUTE, LIMB_DRIVE_AUTO, sp_v3(0, 0, 0));
  assert_status(limb_write(b, LIMB_FORMAT_AUTO, page_put, &p, NULL, &err), LIMB_E_UNSUPPORTED);
  assert_status(limb_write(b, (limb_format)99, page_put, &p, NULL, NULL), LIMB_E_UNSUPPORTED);
  assert_status(limb_write(NULL, LIMB_FORMAT_URDF, page_put, &p, NULL, &err), LIMB_E_ARG);
  assert_status(limb_write(b, LIMB_FORMAT_URDF, NULL, &p, NULL, &err), LIMB_E_ARG);
  const limb_body_def loose = limb_default_body_def("loose");
  assert_ok(limb_builder_add_body(b, &loose, NULL, NULL));
  assert_status(limb_write(b, LIMB_FORMAT_URDF, page_put, &p, NULL, &err), LIMB_E_MODEL);
  assert_that(p.size == 0);
  limb_builder_destroy(b);
}
END_TEST

// Drives and shafts, in the element <limb>, in their order and to the same bits.
START_TEST(elastic_comes_back)
{
  limb_builder* b = elastic_arm();
  limb_findings* f = NULL;
  limb_model *m = NULL, *back = NULL;
  assert_ok(limb_findings_create(NULL, &f));
  assert_ok(limb_builder_build(b, &m, NULL));
  page p = write_urdf(b, f);
  check_at("%s", p.text);
  assert_that(strstr(p.text, "  <limb>\n    <shaft joint=\"second\" motor=\"second_motor\" "
                             "ratio=\"-100.1\" stiffness=\"5000\" "
                             "damping=\"0.30000000000000004\" rest=\"0.1\"/>\n"));
  assert_that(count(f, "extension") == 4); // drives, shafts, a spring, rotors
  limb_reading* r = read_page(&p);
  assert_that(limb_findings_count_from(limb_reading_findings(r), LIMB_WARNING) == 0);
  same_description(b, limb_reading_builder(r));
  assert_ok(limb_builder_build(limb_reading_builder(r), &back, NULL));
  same_dynamics(m, back, TOL_ROUND_TRIP);
  free(p.text);
  limb_findings_destroy(f);
  limb_reading_destroy(r);
  limb_builder_destroy(b);
  limb_model_destroy(m);
  limb_model_destroy(back);
}
END_TEST

// Loops of every kind, with their laws, in their order; and where joints start.
START_TEST(loops_come_back)
{
  for (uint64_t seed = 1; seed <= 10; seed++) {
    limb_builder* b = looped_arm(seed);
    limb_findings* f = NULL;
    assert_ok(limb_findings_create(NULL, &f));
    page p = write_urdf(b, f);
    check_at("%s", p.text);
    assert_that(strstr(p.text, "<loop_joint name=\"pin\" type=\"revolute\">\n    <link1 link="));
    assert_that(strstr(p.text, " locked=\"turn_y move_x move_z\""));
    ck_assert_int_eq(count(f, "extension"), 4); // pitch, starts, a type, loops
    limb_reading* r = read_page(&p);
    assert_that(limb_findings_count_from(limb_reading_findings(r), LIMB_WARNING) == 0);
    same_description(b, limb_reading_builder(r));
    free(p.text);
    limb_findings_destroy(f);
    limb_reading_destroy(r);
    limb_builder_destroy(b);
  }
}
END_TEST

// A robot that a loop ties to the world has a link for it, so that all links of the file are there.
START_TEST(loops_on_the_world_come_back)
{
  limb_builder* b = NULL;
  limb_body_def body = limb_default_body_def("crate");
  body.inertia = limb_inertia_box(1, 1, 1, 1);
  assert_ok(limb_builder_create(NULL, &b));
  assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
  const limb_joint_def base = limb_default_joint_def("base", LIMB_FREE, LIMB_WORLD_BODY, 1);
  assert_ok(limb_builder_add_joint(b, &base, NULL, NULL));
  limb_loop_def rope = limb_default_loop_def("rope", LIMB_LOOP_DISTANCE, LIMB_WORLD_BODY, 1);
  rope.length = 2;
  assert_ok(limb_builder_add_loop(b, &rope, NULL, NULL));
  page p = write_urdf(b, NULL);
  assert_that(strstr(p.text, "<link name=\"world\"/>"));
  limb_reading* r = read_page(&p);
  same_description(b, limb_reading_builder(r));
  free(p.text);
  limb_reading_destroy(r);
  limb_builder_destroy(b);
}
END_TEST

START_TEST(extensions_are_told)
{
  limb_builder* b = on_world("j", LIMB_REVOLUTE, LIMB_DRIVE_AUTO, sp_v3(0, 0, 0));
  limb_body_def body = limb_default_body_def("next");
  limb_joint_def joint = limb_default_joint_def("k", LIMB_HELICAL, 1, 2);
  joint.pitch = 0.5;
  joint.rotor_inertia = 1;
  joint.gear_ratio = 3;
  joint.stiffness = 4;
  joint.q_min = -1; // and no other end
  limb_findings* f = NULL;
  const sp_pose one = sp_pose_identity();
  assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  assert_ok(limb_builder_add_frame(b, "tip", 2, &one, NULL, NULL));
  assert_ok(limb_builder_set_gravity(b, sp_v3(0, -9.81, 0)));
  assert_ok(limb_findings_create(NULL, &f));
  page p = write_urdf(b, f);
  assert_that(count(f, "extension") == 6); // gravity, rotor, gear, spring, pitch, type
  assert_that(count(f, "rephrased") == 1);
  limb_reading* r = read_page(&p);
  same_description(b, limb_reading_builder(r));
  free(p.text);
  limb_findings_destroy(f);
  limb_reading_destroy(r);
  limb_builder_destroy(b);
}
END_TEST

// Rotations of all kinds, also those where roll and yaw turn about the same axis.
START_TEST(rotations_come_back)
{
  rng r = {5};
  const double right = 1.5707963267948966;
  for (int i = 0; i < 2000; i++) {
    sp_mat3 R = rng_rotation(&r);
    const double yaw = rng_uniform(&r, -3, 3), off = rng_uniform(&r, 0, 1e-7), roll = rng_uniform(&r, -3, 3);
    if (i % 4 == 1) R = sp_rot_rpy(roll, right, yaw);
    if (i % 4 == 2) R = sp_rot_rpy(roll, -right + off, yaw);
    if (i % 4 == 3) R = sp_mul3(sp_rot_rpy(0, right, 0), sp_rot_rpy((i % 8) * right / 2, 0, 0));
    limb_builder* b = on_world("j", LIMB_FIXED, LIMB_DRIVE_AUTO, sp_v3(0, 0, 0));
    const limb_body_def body = limb_default_body_def("next");
    limb_joint_def joint = limb_default_joint_def("k", LIMB_FIXED, 1, 2), got;
    joint.placement.R = R;
    assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
    assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
    page p = write_urdf(b, NULL);
    limb_reading* reading = read_page(&p);
    assert_ok(limb_builder_get_joint(limb_reading_builder(reading), 1, &got));
    check_at("rotation %d", i);
    assert_close_matrix(got.placement.R.m, R.m, 3, 3, 1e-15, 0);
    free(p.text);
    limb_reading_destroy(reading);
    limb_builder_destroy(b);
  }
}
END_TEST

// ---- real robots ----------------------------------------------------------------------------------

// Sum over the joints of the file of what they carry, and over our moving bodies, must agree.
static void compare_real(const char* name, json_t* file, limb_reading* r)
{
  const json_t* joints = json_object_get(file, "joints");
  const int floating = strcmp(json_string_value(json_object_get(file, "root_joint")), "fixed") != 0;
  limb_model* m = NULL;
  double mass = 0, all = 0;
  int moving = 0;
  check_at("%s", name);
  assert_ok(limb_builder_build(limb_reading_builder(r), &m, NULL));
  assert_that(limb_nv(m) == json_integer_value(json_object_get(file, "nv")));
  for (int i = 0; i < limb_joint_count(m); i++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(m, i, &info));
    moving += info.nv > 0;
  }
  assert_that(moving == (int)json_array_size(joints));
  for (size_t i = 0; i < json_array_size(joints); i++)
    mass += json_number_value(json_object_get(json_array_get(joints, i), "mass"));
  for (int i = 1; i < limb_body_count(m); i++) {
    limb_body_def body;
    assert_ok(limb_builder_get_body(limb_reading_builder(r), i, &body));
    all += body.inertia.mass;
  }
  if (floating)
    assert_close(all, mass, 1e-12, 0);
  else
    assert_that(all >= mass * (1 - 1e-12)); // what is fixed to the world is not in the file
  limb_model_destroy(m);
}

START_TEST(real_robots_load)
{
  for (int i = 0; i < SHARED_ROBOTS; i++) {
    const char* name = shared_robots[i];
    json_t* file = shared_vectors(name);
    if (!file) continue;
    char path[1024], urdf[64];
    (void)snprintf(urdf, sizeof urdf, "%s.urdf", name);
    shared_path(path, sizeof path, name, urdf);
    limb_read_options opt = limb_default_read_options();
    const char* root = json_string_value(json_object_get(file, "root_joint"));
    opt.no_mimic = 1; // as the file was made
    if (strcmp(root, "fixed") != 0) opt.base = LIMB_BASE_FLOATING;
    limb_reading* r = NULL;
    limb_error err = {0};
    const limb_status status = limb_read(path, &opt, &r, &err);
    check_at("%s: %d: %s: %s", name, err.line, err.where, err.text);
    assert_ok(status);
    compare_real(name, file, r);
    limb_reading_destroy(r);
    json_decref(file);
  }
}
END_TEST

CHECK_MAIN("io/urdf_write", 1, fixtures_come_back, bases_come_back, hard_names_come_back, what_cannot_be_written,
           elastic_comes_back, loops_come_back, loops_on_the_world_come_back, extensions_are_told, rotations_come_back,
           real_robots_load)
