// Shapes: read from each language, kept by changes of the robot, and their meshes as triangles.
#include "limb/edit.h"

#include "io/built.h"
#include "io/faults.h"
#include "io/written.h"

#include <math.h>

#define FOLDER LIMB_TEST_DIR "/io/shapes/"

static limb_reading* read_shapes(const char* name, int shapes)
{
  char path[500];
  limb_reading* r = NULL;
  limb_read_options o = limb_default_read_options();
  o.shapes = shapes;
  (void)snprintf(path, sizeof path, FOLDER "%s", name);
  check_at("%s", path);
  const limb_status s = limb_read(path, &o, &r, NULL);
  if (s) print_findings(r);
  assert_ok(s);
  return r;
}

// Shape number k of a body; every one of them counts.
static limb_shape_def shape_of(const limb_builder* b, const char* body, int k)
{
  limb_shape_def x = {0};
  const int at = limb_builder_find_body(b, body);
  for (int i = 0; limb_builder_get_shape(b, i, &x) == LIMB_OK; i++) {
    if (x.body == at && k-- == 0) return x;
  }
  ck_abort_msg("%s has fewer shapes", body);
  return x;
}

static void check_extent(const limb_shape_def* x, limb_shape_type type, unsigned use, double a, double b, double c)
{
  assert_that(x->type == type && x->use == use);
  assert_close_array(x->extent, ((double[]){a, b, c}), 3, 1e-15, 0);
}

static int ends_in(const char* text, const char* end)
{
  const size_t n = strlen(text), k = strlen(end);
  return n >= k && strcmp(text + n - k, end) == 0;
}

static void check_color(const limb_shape_def* x, double r, double g, double b, double a)
{
  assert_that(x->has_color);
  assert_close_array(x->color, ((double[]){r, g, b, a}), 4, 1e-15, 0);
}

enum { V = LIMB_SHAPE_VISUAL, C = LIMB_SHAPE_COLLISION };

START_TEST(every_language_has_the_same_shapes)
{
  static const char* const files[] = {"arm.urdf", "arm.xml", "arm.sdf", "arm.limb.yaml"};
  const sp_pose place = sp_pose_make(sp_rot_rpy(0, 0, 1), sp_v3(0.1, 0, 0));
  for (int i = 0; i < 4; i++) {
    limb_reading* r = read_shapes(files[i], 1);
    const limb_builder* b = limb_reading_builder(r);
    limb_shape_def x = shape_of(b, "base", 0);
    check_extent(&x, LIMB_SHAPE_BOX, V, 0.4, 0.3, 0.2);
    check_color(&x, 0.5, 0.5, 0.6, 1);
    assert_that(strcmp(x.name, "foot") == 0);
    assert_close_vec3(x.pose.p, sp_v3(0, 0, 0.1), 1e-15, 0);
    x = shape_of(b, "base", 1);
    check_extent(&x, LIMB_SHAPE_SPHERE, C, 0.25, 0, 0);
    assert_that(!x.has_color);
    x = shape_of(b, "forearm", 0);
    check_extent(&x, LIMB_SHAPE_MESH, V, 0.1, 0.2, -0.3);
    check_color(&x, 1, 0, 0, 0.5);
    assert_that(strcmp(x.mesh, "meshes/wedge.obj") == 0 && ends_in(x.path, "/io/shapes/meshes/wedge.obj"));
    sp_pose want = place;
    if (i == 1) want = sp_compose(place, sp_pose_make(sp_identity3(), sp_v3(-0.1, -0.2, 0.3))); // refpos
    assert_close_pose(x.pose, want, 1e-15, 1e-16);
    x = shape_of(b, "forearm", 1);
    check_extent(&x, LIMB_SHAPE_CYLINDER, C, 0.05, 0.6, 0);
    limb_reading_destroy(r);
  }
}
END_TEST

START_TEST(each_language_has_its_own)
{
  limb_reading* r = read_shapes("arm.urdf", 1);
  const limb_builder* b = limb_reading_builder(r);
  limb_shape_def x = shape_of(b, "forearm", 2);
  check_extent(&x, LIMB_SHAPE_CAPSULE, C, 0.05, 0.5, 0);
  assert_that(strcmp(shape_of(b, "forearm", 0).texture, "grain.png") == 0);
  assert_that(*shape_of(b, "forearm", 3).path == 0 && *shape_of(b, "forearm", 4).path == 0);
  assert_that(limb_builder_shape_count(b) == 7);
  assert_that(has_finding(r, "missing-mesh", 22, NULL));
  assert_that(limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR) == 0);
  assert_that(has_finding(r, "wrong-count", 23, NULL) && has_finding(r, "bad-value", 24, NULL));
  limb_reading_destroy(r);

  r = read_shapes("arm.xml", 1);
  b = limb_reading_builder(r);
  x = shape_of(b, "world", 0);
  check_extent(&x, LIMB_SHAPE_PLANE, V | C, 4, 0, 0);
  x = shape_of(b, "forearm", 2);
  check_extent(&x, LIMB_SHAPE_CAPSULE, C, 0.05, 0.5, 0);
  assert_close_vec3(x.pose.p, sp_v3(0, 0, 0.05), 1e-15, 0);
  x = shape_of(b, "forearm", 3);
  check_extent(&x, LIMB_SHAPE_ELLIPSOID, V, 0.1, 0.2, 0.3);
  assert_that(limb_builder_shape_count(b) == 8);
  limb_reading_destroy(r);

  r = read_shapes("arm.sdf", 1);
  x = shape_of(limb_reading_builder(r), "base", 2);
  check_extent(&x, LIMB_SHAPE_PLANE, V, 3, 4, 0);
  assert_close_vec3(sp_mulv(x.pose.R, sp_v3(0, 0, 1)), sp_v3(1, 0, 0), 1e-15, 1e-16);
  assert_that(limb_builder_shape_count(limb_reading_builder(r)) == 5 && has_finding(r, "bad-shape", 0, NULL));
  limb_reading_destroy(r);

  r = read_shapes("arm.limb.yaml", 1);
  x = shape_of(limb_reading_builder(r), "world", 0);
  check_extent(&x, LIMB_SHAPE_PLANE, V | C, 2, 0, 0);
  assert_that(limb_builder_shape_count(limb_reading_builder(r)) == 6);
  assert_that(*shape_of(limb_reading_builder(r), "forearm", 2).path == 0);
  assert_that(limb_findings_count_from(limb_reading_findings(r), LIMB_WARNING) == 2);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(shapes_are_read_on_request)
{
  static const char* const files[] = {"arm.urdf", "arm.xml", "arm.sdf", "arm.limb.yaml"};
  for (int i = 0; i < 4; i++) {
    limb_reading* r = read_shapes(files[i], 0);
    assert_that(limb_builder_shape_count(limb_reading_builder(r)) == 0);
    assert_that(limb_findings_count_from(limb_reading_findings(r), LIMB_WARNING) == 0);
    limb_reading_destroy(r);
  }
}
END_TEST

START_TEST(changes_keep_shapes_on_their_bodies)
{
  limb_error err;
  limb_shape_def x;
  limb_model* m = NULL;
  limb_builder *rows = NULL, *plain = NULL;
  limb_reading *r = read_shapes("arm.limb.yaml", 1), *other = read_shapes("arm.xml", 1);
  limb_builder* b = limb_reading_builder(r);
  assert_ok(limb_builder_attach(b, "forearm", limb_reading_builder(other), "left_", &err));
  assert_that(limb_builder_shape_count(b) == 6 + 8);
  x = shape_of(b, "left_forearm", 3);
  check_extent(&x, LIMB_SHAPE_ELLIPSOID, V, 0.1, 0.2, 0.3);
  x = shape_of(b, "forearm", 3); // the floor of the other
  check_extent(&x, LIMB_SHAPE_PLANE, V | C, 4, 0, 0);
  assert_ok(limb_builder_lock(b, limb_builder_find_joint(b, "elbow"), NULL, &err));
  assert_ok(limb_builder_rename(b, LIMB_PART_BODY, limb_builder_find_body(b, "base"), "foot", &err));
  assert_that(strcmp(shape_of(b, "foot", 0).name, "foot") == 0);
  assert_ok(limb_builder_build(b, &m, &err));
  assert_ok(limb_builder_with_mdh(m, NULL, &rows));
  assert_that(limb_builder_shape_count(rows) == 0);
  assert_ok(limb_builder_take_shapes(rows, b));
  assert_that(limb_builder_shape_count(rows) == 14);
  assert_ok(limb_builder_remove(b, limb_builder_find_body(b, "left_base"), &err));
  assert_that(limb_builder_shape_count(b) == 7);
  assert_ok(limb_builder_create(NULL, &plain));
  assert_ok(limb_builder_take_shapes(plain, rows)); // but the floor, there is no body
  assert_that(limb_builder_shape_count(plain) == 1);
  limb_builder_destroy(plain);
  limb_builder_destroy(rows);
  limb_model_destroy(m);
  limb_reading_destroy(r);
  limb_reading_destroy(other);
}
END_TEST

START_TEST(faulty_definitions_are_refused)
{
  limb_builder* b = NULL;
  limb_error err;
  int at = -1;
  assert_ok(limb_builder_create(NULL, &b));
  limb_shape_def good = limb_default_shape_def(LIMB_SHAPE_SPHERE, 0), x = good;
  good.extent[0] = 1, good.name = good.mesh = good.path = good.texture = NULL;
  assert_ok(limb_builder_add_shape(b, &good, &at, &err));
  assert_ok(limb_builder_get_shape(b, at, &x));
  assert_that(at == 0 && *x.name == 0 && *x.texture == 0);
  x = good, x.extent[0] = 0;
  assert_status(limb_builder_add_shape(b, &x, NULL, &err), LIMB_E_ARG);
  x = good, x.extent[0] = (double)NAN;
  assert_status(limb_builder_add_shape(b, &x, NULL, &err), LIMB_E_NONFINITE);
  x = good, x.pose.R.m[0] = 2;
  assert_status(limb_builder_add_shape(b, &x, NULL, &err), LIMB_E_ARG);
  x = good, x.body = 1;
  assert_status(limb_builder_add_shape(b, &x, NULL, &err), LIMB_E_ARG);
  x = good, x.use = 0;
  assert_status(limb_builder_add_shape(b, &x, NULL, &err), LIMB_E_ARG);
  x = good, x.type = (limb_shape_type)7;
  assert_status(limb_builder_add_shape(b, &x, NULL, &err), LIMB_E_ARG);
  x = limb_default_shape_def(LIMB_SHAPE_MESH, 0);
  assert_status(limb_builder_add_shape(b, &x, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_add_shape(b, NULL, NULL, &err), LIMB_E_ARG);
  assert_status(limb_builder_get_shape(b, 1, &x), LIMB_E_ARG);
  assert_that(limb_builder_shape_count(b) == 1 && limb_builder_shape_count(NULL) == 0);
  assert_that(strcmp(limb_shape_type_name(LIMB_SHAPE_PLANE), "plane") == 0 &&
              !limb_shape_type_name((limb_shape_type)7));
  limb_builder_destroy(b);
}
END_TEST

START_TEST(meshes_are_triangles)
{
  limb_triangles* t = NULL;
  limb_error err;
  assert_ok(limb_read_triangles(FOLDER "meshes/wedge.obj", 0, &t, &err));
  assert_that(t->nvertex == 4 && t->ntriangle == 4 && t->npart == 1 && t->part->count == 4 && !t->part->has_color);
  assert_close_array(t->vertex, ((double[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}), 12, 0, 0);
  assert_that(t->triangle[9] == 1 && t->triangle[10] == 2 && t->triangle[11] == 3);
  limb_triangles_destroy(t);
  assert_status(limb_read_triangles(FOLDER "meshes/gone.stl", 0, &t, &err), LIMB_E_IO);
  assert_status(limb_read_triangles(FOLDER "arm.urdf", 0, &t, &err), LIMB_E_UNSUPPORTED);
  assert_status(limb_read_triangles(FOLDER "meshes/wedge.obj", 10, &t, &err), LIMB_E_IO);
  assert_status(limb_read_triangles(NULL, 0, &t, &err), LIMB_E_ARG);
  assert_that(t == NULL);
  limb_triangles_destroy(NULL);
}
END_TEST

// ---- round trips -------------------------------------------------------------------------------------

static limb_reading* write_and_read(const limb_builder* b, limb_format format)
{
  static const char* const names[] = {"", "arm.urdf", "arm.limb.yaml", "", "arm.xml", "arm.sdf"};
  limb_read_options o = limb_default_read_options();
  limb_reading* r = NULL;
  page p = written(b, format, NULL);
  o.shapes = 1;
  const limb_status s = limb_read_text(p.text, p.size, names[format], &o, &r, NULL);
  if (s) print_findings(r);
  assert_ok(s);
  free(p.text);
  return r;
}

// Colors of what only collides are lost in URDF and SDF.
static int is_same(const limb_shape_def* a, const limb_shape_def* b, unsigned use)
{
  double off = sp_norm3(sp_sub3(a->pose.p, b->pose.p)), color = 0;
  for (int k = 0; k < 9; k++) off = fmax(off, fabs(a->pose.R.m[k] - b->pose.R.m[k]));
  for (int k = 0; k < 3; k++) off = fmax(off, fabs(a->extent[k] - b->extent[k]));
  for (int k = 0; k < 4; k++) color = fmax(color, fabs(a->color[k] - b->color[k]));
  if (use == C) return off < 1e-12 && a->type == b->type && strcmp(a->mesh, b->mesh) == 0;
  return off < 1e-12 && a->type == b->type && strcmp(a->mesh, b->mesh) == 0 && a->has_color == b->has_color &&
         color < 1e-12;
}

// A shape with two uses may be two shapes.
static int has_shape(const limb_builder* b, const limb_shape_def* want, const char* body, unsigned use)
{
  limb_shape_def x;
  char link[100]; // in SDF, where a joint has the same name
  (void)snprintf(link, sizeof link, "%s_link", body);
  const int same = limb_builder_find_body(b, body), at = same >= 0 ? same : limb_builder_find_body(b, link);
  int found = 0;
  for (int i = 0; limb_builder_get_shape(b, i, &x) == LIMB_OK; i++)
    found |= x.body == at && x.use & use && is_same(&x, want, use);
  return found;
}

// What a format cannot say.
static int is_lost(const limb_shape_def* x, limb_format format)
{
  const int world = x->body == LIMB_WORLD_BODY, plane = x->type == LIMB_SHAPE_PLANE;
  if (format == LIMB_FORMAT_URDF) return world || plane || x->type == LIMB_SHAPE_ELLIPSOID;
  if (format == LIMB_FORMAT_SDF) return world;
  return format == LIMB_FORMAT_MJCF && ((plane && !world) || (x->type == LIMB_SHAPE_MESH && !*x->path));
}

// Meshes by their vertices and height fields are parts of the MJCF file; pictures are not read.
START_TEST(a_model_contains_meshes)
{
  limb_reading* r = read_shapes("inside.xml", 1);
  const limb_builder* b = limb_reading_builder(r);
  limb_triangles* t = NULL;
  limb_error err;
  assert_that(limb_builder_shape_count(b) == 4); // without the picture
  limb_shape_def x = shape_of(b, "world", 0);
  assert_that(strcmp(x.mesh, "inside.xml#hfield/hill") == 0 && x.pose.p.z == 1);
  assert_ok(limb_read_triangles(x.path, 0, &t, &err));
  assert_that(t->nvertex == 6 && t->ntriangle == 4);
  // By MuJoCo's rays: 0.3 at -x -y, 0.5 at x -y, 0 at -x y.
  assert_close_array(t->vertex, ((double[]){-1, -2, 0.3, 0, -2, 0.4, 1, -2, 0.5, -1, 2, 0}), 12, 1e-15, 0);
  limb_triangles_destroy(t);
  x = shape_of(b, "arm", 0);
  assert_that(ends_in(x.path, "inside.xml#mesh/wedge"));
  assert_ok(limb_read_triangles(x.path, 0, &t, &err));
  assert_close_array(t->vertex, ((double[]){-2, 0, 0, 0, 0, 0, -2, 1, 0, -2, 0, 1}), 12, 0, 0); // moved, then scaled
  limb_triangles_destroy(t);
  x = shape_of(b, "arm", 1);
  assert_ok(limb_read_triangles(x.path, 0, &t, &err));
  assert_that(t->ntriangle == 4); // the hull of the points
  limb_triangles_destroy(t);
  assert_status(limb_read_triangles(FOLDER "inside.xml#mesh/none", 0, &t, &err), LIMB_E_SYNTAX);
  assert_status(limb_read_triangles(FOLDER "inside.xml#hfield/map", 0, &t, &err), LIMB_E_SYNTAX);
  assert_status(limb_read_triangles(FOLDER "gone.xml#mesh/wedge", 0, &t, &err), LIMB_E_IO);
  limb_reading_destroy(r);
}
END_TEST

// As of MuJoCo's box: half of the height and the base.
START_TEST(height_fields_have_the_inertia_of_a_box)
{
  static const char text[] =
    "<mujoco><asset><hfield name='h' nrow='2' ncol='2' size='1 2 0.5 0.1'/></asset><worldbody><body name='a'><joint/>"
    "<geom type='hfield' hfield='h' mass='2'/></body></worldbody></mujoco>";
  limb_reading* r = NULL;
  limb_body_def a;
  assert_ok(limb_read_text(text, sizeof text - 1, "h.xml", NULL, &r, NULL));
  assert_ok(limb_builder_get_body(limb_reading_builder(r), 1, &a));
  assert_close_array(((double[]){a.inertia.mass, a.inertia.xx, a.inertia.yy, a.inertia.zz}),
                     ((double[]){2, 2.6870833333333333, 0.6870833333333333, 3.3333333333333333}), 4, 1e-14, 0);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(what_is_written_reads_back)
{
  static const char* const files[] = {"arm.urdf", "arm.xml", "arm.sdf", "arm.limb.yaml"};
  static const limb_format formats[] = {LIMB_FORMAT_URDF, LIMB_FORMAT_MJCF, LIMB_FORMAT_SDF, LIMB_FORMAT_YAML};
  limb_shape_def x;
  limb_body_def body;
  for (int k = 0; k < 16; k++) {
    const limb_format format = formats[k / 4];
    limb_reading* r = read_shapes(files[k % 4], 1);
    const limb_builder* b = limb_reading_builder(r);
    limb_reading* other = write_and_read(b, format);
    check_at("%s as %s", files[k % 4], limb_format_name(format));
    int missing = 0;
    for (int i = 0; limb_builder_get_shape(b, i, &x) == LIMB_OK; i++) {
      assert_ok(limb_builder_get_body(b, x.body, &body));
      for (unsigned use = V; use <= C && !is_lost(&x, format); use++)
        missing += x.use & use && !has_shape(limb_reading_builder(other), &x, body.name, use);
    }
    assert_that(missing == 0);
    limb_reading_destroy(other);
    limb_reading_destroy(r);
  }
}
END_TEST

CHECK_MAIN("shapes", 1, a_model_contains_meshes, height_fields_have_the_inertia_of_a_box,
           every_language_has_the_same_shapes, each_language_has_its_own, shapes_are_read_on_request,
           changes_keep_shapes_on_their_bodies, faulty_definitions_are_refused, meshes_are_triangles,
           what_is_written_reads_back)
