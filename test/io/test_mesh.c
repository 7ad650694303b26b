// Meshes: files that are read and files that are refused, mass properties, hulls.
#include "limb/limb.h"

#include "base/memory.h"
#include "io/mesh.h"

#include "support/check.h"
#include "support/rng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const mesh_options mujoco = {.by_mujoco = 1};

static memory_pool new_pool(void)
{
  const limb_allocator a = limb_default_allocator();
  return limb_mempool_make(&a);
}

// A box with sides 1, 2, 3 and a corner at the origin, as an OBJ file with quadrilaterals.
static const char box[] = "# box\nv 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 0 0 3\nv 1 0 3\nv 1 2 3\nv 0 2 3\n"
                          "o hull\nf 1 4 3 2\nf 5/1 6/2 7/3 8/4\nf 1//1 2//1 6//1 5//1\nf -5 -8 -4 -1\n"
                          "f 2 3 7 6\r\nf 3 4 8 7\n";

static void check_box(const limb_mesh* m, double sign)
{
  const sp_inertia Y = limb_mesh_inertia(m, MESH_SOLID), want = limb_inertia_box(6, 1, 2, 3);
  assert_close(Y.mass, sign * 6, 1e-15, 0);
  assert_close_vec3(Y.com, sp_v3(0.5, 1, 1.5), 1e-15, 0);
  const double got[6] = {Y.xx, Y.yy, Y.zz, Y.xy, Y.xz, Y.yz};
  const double moments[6] = {sign * want.xx, sign * want.yy, sign * want.zz, 0, 0, 0};
  assert_close_array(got, moments, 6, 1e-14, 0);
}

START_TEST(a_box_has_the_moments_of_a_box)
{
  memory_pool p = new_pool();
  limb_mesh m;
  limb_error err;
  mesh_edges edges;
  assert_ok(limb_mesh_read(box, sizeof box - 1, MESH_OBJ, NULL, &p, &m, &err));
  assert_that(m.nvertex == 8 && m.nface == 12);
  check_box(&m, 1);
  const sp_inertia legacy = limb_mesh_inertia(&m, MESH_PYRAMIDS); // the same for convex bodies
  assert_close(legacy.mass, 6, 1e-15, 0);
  const sp_inertia shell = limb_mesh_inertia(&m, MESH_SHELL);
  assert_close(shell.mass, 22, 1e-15, 0);
  // Faces 2 x 3 at x = 0, 1: 12 (1/4); 1 x 3: 6/12 + ...: integral of (x - 1/2)^2 over all faces
  assert_close((shell.yy + shell.zz - shell.xx) / 2, 12 * 0.25 + 10.0 / 12, 1e-14, 0);
  assert_that(limb_mesh_count_edges(&m, &p, &edges) && edges.open == 0 && edges.turned == 0);
  for (int i = 0; i < m.nface; i++) { // inside out
    const int keep = m.face[i][0];
    m.face[i][0] = m.face[i][1];
    m.face[i][1] = keep;
  }
  check_box(&m, -1);
  m.nface--;
  assert_that(limb_mesh_count_edges(&m, &p, &edges) && edges.open == 3 && edges.turned == 0);
  limb_mempool_free(&p);
}
END_TEST

static void put_word(char* to, uint32_t x)
{
  for (int k = 0; k < 4; k++) to[k] = (char)(x >> 8 * k);
}

static void put_float(char* to, double x)
{
  const float f = (float)x;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  put_word(to, bits);
}

enum { STL_SIZE = 84 + 50 * 12 };

static void write_stl(const limb_mesh* m, char text[STL_SIZE])
{
  memset(text, 0, STL_SIZE);
  memcpy(text, "solid but binary", 16);
  put_word(text + 80, 12);
  for (int i = 0; i < 36; i++) {
    const sp_vec3 v = m->vertex[m->face[i / 3][i % 3]];
    char* at = text + 84 + 50 * (i / 3) + 12 * (i % 3 + 1);
    put_float(at, v.x), put_float(at + 4, v.y), put_float(at + 8, v.z);
  }
}

// Whichever faces look inwards, and for each of two boxes.
START_TEST(faces_are_turned_outwards)
{
  for (int turned = 0; turned < 1 << 12; turned += 7) {
    memory_pool p = new_pool();
    limb_mesh m;
    limb_error err;
    mesh_edges edges;
    assert_ok(limb_mesh_read(box, sizeof box - 1, MESH_OBJ, NULL, &p, &m, &err));
    for (int i = 0; i < m.nface; i++) {
      const int keep = m.face[i][0];
      if (!(turned >> i & 1)) continue;
      m.face[i][0] = m.face[i][1];
      m.face[i][1] = keep;
    }
    assert_that(limb_mesh_orient(&m, &p) && limb_mesh_count_edges(&m, &p, &edges));
    assert_that(edges.open == 0 && edges.turned == 0);
    check_box(&m, 1);
    limb_mempool_free(&p);
  }
}
END_TEST

// A third face at an edge ends the neighbourhood there; nothing else is lost.
START_TEST(edges_of_three_faces)
{
  static const char fin[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 1 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 3 2 4\nf 1 2 5\n";
  memory_pool p = new_pool();
  limb_mesh m;
  limb_error err;
  assert_ok(limb_mesh_read(fin, sizeof fin - 1, MESH_OBJ, NULL, &p, &m, &err));
  assert_that(limb_mesh_orient(&m, &p) && m.nface == 5);
  limb_mempool_free(&p);
}
END_TEST

START_TEST(stl_is_read_as_binary_and_as_text)
{
  memory_pool p = new_pool();
  limb_mesh m, again;
  limb_error err;
  char text[STL_SIZE];
  assert_ok(limb_mesh_read(box, sizeof box - 1, MESH_OBJ, NULL, &p, &m, &err));
  write_stl(&m, text);
  assert_ok(limb_mesh_read(text, sizeof text, MESH_STL, NULL, &p, &again, &err));
  assert_that(again.nvertex == 36 && again.nface == 12);
  check_box(&again, 1);
  assert_that(limb_mesh_weld(&again, &p) && again.nvertex == 8);
  check_box(&again, 1);
  char page[8192] = "solid box\n";
  for (int i = 0; i < 36; i++) {
    const sp_vec3 v = m.vertex[m.face[i / 3][i % 3]];
    const size_t used = strlen(page);
    (void)snprintf(page + used, sizeof page - used, "%s  vertex %g %g %g\n", i % 3 ? "" : "facet normal 0 0 0\n", v.x,
                   v.y, v.z);
  }
  assert_ok(limb_mesh_read(page, strlen(page), MESH_STL, NULL, &p, &again, &err));
  check_box(&again, 1);
  limb_mempool_free(&p);
}
END_TEST

START_TEST(only_the_first_object_counts_if_asked)
{
  static const char two[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\no a\nf 1 2 3\nf 1 3 4\no b\nv 5 5 5\nf 1 2 5\n";
  memory_pool p = new_pool();
  limb_mesh m;
  limb_error err;
  assert_ok(limb_mesh_read(two, sizeof two - 1, MESH_OBJ, &mujoco, &p, &m, &err));
  assert_that(m.nface == 2);
  assert_ok(limb_mesh_read(two, sizeof two - 1, MESH_OBJ, NULL, &p, &m, &err));
  assert_that(m.nface == 3 && m.nvertex == 5);
  limb_mempool_free(&p);
}
END_TEST

static void refuse(const char* text, size_t size, mesh_format format, const char* why)
{
  memory_pool p = new_pool();
  limb_mesh m;
  limb_error err;
  check_at("%s", why);
  assert_status(limb_mesh_read(text, size, format, NULL, &p, &m, &err), LIMB_E_SYNTAX);
  assert_that(strstr(err.text, why) != NULL);
  limb_mempool_free(&p);
}

START_TEST(faulty_files_are_refused)
{
  static const struct {
    const char *text, *why;
  } obj[] = {{"v 0 0\n", "three numbers"},
             {"v 0 0 nan\n", "three numbers"},
             {"v 0 0 1e999\n", "not a finite"},
             {"v 0 0 0\nf 1 2 3\n", "does not exist"},
             {"v 0 0 0\nf 0 0 0\n", "does not exist"},
             {"v 0 0 0\nf -2 1 1\n", "does not exist"},
             {"v 0 0 0\nf 1 1\n", "less than three"},
             {"v 0 0 0\nf 99999999999999999999 1 1\n", "does not exist"},
             {"# nothing\n", "no vertices"}};
  for (int i = 0; i < (int)(sizeof obj / sizeof obj[0]); i++)
    refuse(obj[i].text, strlen(obj[i].text), MESH_OBJ, obj[i].why);
  char stl[STL_SIZE] = {0};
  refuse(stl, 10, MESH_STL, "shorter than the header");
  put_word(stl + 80, 0xffffffff); // 200 GB
  refuse(stl, sizeof stl, MESH_STL, "does not agree");
  put_word(stl + 80, 12);
  put_word(stl + 84 + 12, 0x7fc00000); // NaN
  refuse(stl, sizeof stl, MESH_STL, "not a finite");
  refuse(stl, sizeof stl - 1, MESH_STL, "does not agree");
  refuse("solid\nvertex 0 0 0\n", 19, MESH_STL, "inside a triangle");
  char msh[16 + 12 + 12] = {0};
  put_word(msh, 0x20000001), put_word(msh + 12, 0x20000001);
  refuse(msh, sizeof msh, MESH_MSH, "do not agree");
  put_word(msh, 1), put_word(msh + 12, 1), put_word(msh + 28, 1);
  refuse(msh, sizeof msh, MESH_MSH, "does not exist");
  refuse(msh, 15, MESH_MSH, "shorter than the header");
  refuse("x", 1, MESH_UNKNOWN, "not known");
}
END_TEST

// All points are below all faces, and the surface is closed.
static void check_hull(const limb_mesh* m, const limb_mesh* h, memory_pool* p)
{
  mesh_edges edges;
  double above = 0;
  assert_that(limb_mesh_count_edges(h, p, &edges) && edges.open == 0 && edges.turned == 0);
  for (int i = 0; i < h->nface; i++) {
    const sp_vec3 a = h->vertex[h->face[i][0]];
    const sp_vec3 n = sp_cross3(sp_sub3(h->vertex[h->face[i][1]], a), sp_sub3(h->vertex[h->face[i][2]], a));
    for (int k = 0; k < m->nvertex; k++)
      above = fmax(above, sp_dot3(n, sp_sub3(m->vertex[k], a)) / fmax(sp_norm3(n), 1e-12));
  }
  assert_that(above < 1e-12);
}

START_TEST(hulls_enclose_their_points)
{
  memory_pool p = new_pool();
  rng g = {7};
  sp_vec3 point[500];
  for (int kind = 0; kind < 3; kind++) {
    for (int i = 0; i < 500; i++) {
      const double x = rng_uniform(&g, -1, 1), y = rng_uniform(&g, -1, 1), z = rng_uniform(&g, -1, 1);
      point[i] = sp_v3(x, y, z);
      if (kind == 1) point[i] = sp_scale3(1 / sp_norm3(point[i]), point[i]);
      if (kind == 2) point[i] = sp_v3(round(2 * x) / 2, round(2 * y) / 2, round(2 * z) / 2); // coplanar, repeated
      if (kind == 2 && i < 8) point[i] = sp_v3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    }
    limb_mesh m = {.vertex = point, .nvertex = 500}, h;
    assert_ok(limb_mesh_hull(&m, &p, &h));
    check_hull(&m, &h, &p);
    if (kind == 2) assert_close(limb_mesh_inertia(&h, MESH_SOLID).mass, 8, 1e-14, 0);
  }
  for (int i = 0; i < 500; i++) point[i].z = point[i].x;
  const limb_mesh flat = {.vertex = point, .nvertex = 500};
  limb_mesh h;
  assert_status(limb_mesh_hull(&flat, &p, &h), LIMB_E_SINGULAR);
  limb_mempool_free(&p);
}
END_TEST

// ---- COLLADA ---------------------------------------------------------------------------------------

static limb_status read_dae(const char* text, memory_pool* p, limb_mesh* m, limb_error* err)
{
  return limb_mesh_read(text, strlen(text), MESH_DAE, NULL, p, m, err);
}

START_TEST(a_scene_places_colors_and_scales_its_boxes)
{
  limb_triangles* t = NULL;
  limb_error err;
  static const int counts[] = {4, 4, 4, 4, 4, 4};
  assert_ok(limb_read_triangles(LIMB_TEST_DIR "/io/shapes/meshes/boxes.dae", 0, &t, &err));
  assert_that(t->nvertex == 16 && t->ntriangle == 24 && t->npart == 6);
  for (int i = 0; i < 6; i++) assert_that(t->part[i].first == 4 * i && t->part[i].count == counts[i]);
  assert_that(strcmp(t->part[0].name, "paint") == 0 && strcmp(t->part[1].name, "blue") == 0);
  assert_close_array(t->part[0].color, ((double[]){1, 0, 0, 0.5}), 4, 0, 0);
  assert_close_array(t->part[2].color, ((double[]){0, 0, 1, 1}), 4, 0, 0);
  assert_that(t->part[0].has_color && !t->part[3].has_color && strcmp(t->part[3].name, "a") == 0);
  // Corner (1, 2, 3) cm: turned by 90 degrees and moved; doubled, mirrored and lifted.
  assert_close_array(t->vertex + 3 * 6, ((double[]){0.98, 0.01, 0.03}), 3, 1e-15, 0);
  assert_close_array(t->vertex + 3 * 14, ((double[]){-0.02, 0.04, 0.16}), 3, 1e-15, 0);
  limb_triangles_destroy(t);
}
END_TEST

START_TEST(mirrored_boxes_are_not_inside_out)
{
  memory_pool p = new_pool();
  limb_mesh m;
  limb_error err;
  char text[20000] = "";
  FILE* file = fopen(LIMB_TEST_DIR "/io/shapes/meshes/boxes.dae", "rb");
  assert_that(file && fread(text, 1, sizeof text - 1, file) > 1000);
  (void)fclose(file);
  assert_ok(read_dae(text, &p, &m, &err));
  const int faces = m.nface;
  m.nface = 12;
  assert_close(limb_mesh_inertia(&m, MESH_SOLID).mass, 6e-6, 1e-14, 0);
  m.face += 12, m.nface = faces - 12;
  assert_close(limb_mesh_inertia(&m, MESH_SOLID).mass, 48e-6, 1e-14, 0);
  assert_status(limb_mesh_read(text, strlen(text), MESH_DAE, &mujoco, &p, &m, &err),
                LIMB_E_SYNTAX);                           // MuJoCo has no COLLADA
  for (size_t n = strlen(text); n > 0; n -= n / 40 + 1) { // cut off
    text[n] = 0;
    if (n < strlen(text)) assert_status(read_dae(text, &p, &m, &err), LIMB_E_SYNTAX);
  }
  limb_mempool_free(&p);
}
END_TEST

#define DAE(inside)                                                                                                 \
  "<COLLADA><library_geometries><geometry id='g'><mesh><source id='p'><float_array>0 0 0 1 0 0 0 1 0</float_array>" \
  "</source><vertices><input semantic='POSITION' source='#p'/></vertices>" inside "</mesh></geometry>"              \
  "</library_geometries></COLLADA>"
#define TRIANGLES(p) "<triangles><input semantic='VERTEX' offset='0'/><p>" p "</p></triangles>"

START_TEST(faulty_collada_is_refused)
{
  static const char* const faulty[] = {
    "", "<robot/>", DAE(TRIANGLES("0 1 3")), DAE(TRIANGLES("0 1 -1")), DAE(TRIANGLES("0 1")), DAE(TRIANGLES("0 1 nan")),
    DAE(TRIANGLES("0 1 2 <b/> 0 1 2")), DAE(TRIANGLES("0 1 2 <![CDATA[ < ]]> 0 1 2")),
    DAE("<triangles><p>0 1 2</p></triangles>"), DAE("<tristrips><p>0 1 2</p></tristrips>"),
    DAE("<triangles><input semantic='VERTEX' offset='1e9'/><p>0 1 2</p></triangles>"),
    DAE("<polylist><input semantic='VERTEX' offset='0'/><vcount>1e9</vcount><p>0 1 2</p></polylist>"),
    DAE("<polylist><input semantic='VERTEX' offset='0'/><vcount>3 3</vcount><p>0 1 2</p></polylist>"),
    DAE("<polylist><input semantic='VERTEX' offset='0'/><vcount>3 3 3</vcount><p>0 1 2</p></polylist>"),
    DAE(TRIANGLES("0 1 2 none 0 1 2")), "<COLLADA><asset><unit meter='-1'/></asset></COLLADA>",
    "<COLLADA><library_geometries><geometry><mesh><source id='p'><float_array>0 0 1e999</float_array></source>"
    "<vertices><input semantic='POSITION' source='#p'/></vertices></mesh></geometry></library_geometries></COLLADA>",
    // a node that shows itself, and nodes that show the one before twice
    "<COLLADA><library_visual_scenes><visual_scene><node id='a'><instance_node url='#a'/></node></visual_scene>"
    "</library_visual_scenes></COLLADA>",
    "<!DOCTYPE a [<!ENTITY b 'c'>]><COLLADA/>"};
  memory_pool p = new_pool();
  limb_mesh m;
  limb_error err;
  assert_ok(read_dae(DAE(TRIANGLES("0 1 2")), &p, &m, &err));
  assert_that(m.nface == 1 && m.npart == 1);
  // Comments, instructions and CDATA are no ends of a list.
  assert_ok(read_dae(DAE(TRIANGLES("0 1 2 <!-- </p> 5 --> 0 <?x y?>2 <![CDATA[1 1 0]]> 2")), &p, &m, &err));
  assert_that(m.nface == 3 && m.face[2][2] == 2);
  for (int i = 0; i < (int)(sizeof faulty / sizeof *faulty); i++) {
    check_at("%s", faulty[i]);
    err.text[0] = 0;
    assert_status(read_dae(faulty[i], &p, &m, &err), LIMB_E_SYNTAX);
    assert_that(*err.text);
  }
  limb_mempool_free(&p);
}
END_TEST

START_TEST(a_bomb_of_nodes_ends)
{
  memory_pool p = new_pool();
  limb_mesh m;
  limb_error err;
  static char text[20000];
  int n = snprintf(text, sizeof text,
                   "<COLLADA><library_geometries><geometry id='g'><mesh><source id='p'><float_array>0 0 0</float_array>"
                   "</source><vertices><input semantic='POSITION' source='#p'/></vertices></mesh></geometry>"
                   "</library_geometries><library_visual_scenes><visual_scene><node id='n0'>"
                   "<instance_geometry url='#g'/></node>");
  for (int i = 1; i < 60; i++)
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "<node id='n%d'><instance_node url='#n%d'/><instance_node url='#n%d'/></node>", i, i - 1, i - 1);
  (void)snprintf(text + n, sizeof text - (size_t)n, "</visual_scene></library_visual_scenes></COLLADA>");
  assert_status(read_dae(text, &p, &m, &err), LIMB_E_SYNTAX);
  limb_mempool_free(&p);
}
END_TEST

// A list of edges, which are no faces, shown by many nodes.
START_TEST(a_bomb_of_edges_ends)
{
  enum { EDGES = 20000, NODES = 20000 };
  static char text[EDGES * 6 + NODES * 80 + 1000];
  memory_pool p = new_pool();
  limb_mesh m;
  limb_error err;
  size_t n = (size_t)snprintf(text, sizeof text,
                              "<COLLADA><library_geometries><geometry id='g'><mesh><source id='p'><float_array>0 0 0"
                              "</float_array></source><vertices><input semantic='POSITION' source='#p'/></vertices>"
                              "<polylist><input semantic='VERTEX' offset='0'/><vcount>");
  for (int i = 0; i < EDGES; i++) text[n++] = '1', text[n++] = ' ';
  n += (size_t)snprintf(text + n, sizeof text - n, "</vcount><p>");
  for (int i = 0; i < EDGES; i++) text[n++] = '0', text[n++] = ' ';
  n += (size_t)snprintf(text + n, sizeof text - n,
                        "</p></polylist></mesh></geometry></library_geometries>"
                        "<library_visual_scenes><visual_scene><node>");
  for (int i = 0; i < NODES; i++) n += (size_t)snprintf(text + n, sizeof text - n, "<instance_geometry url='#g'/>");
  (void)snprintf(text + n, sizeof text - n, "</node></visual_scene></library_visual_scenes></COLLADA>");
  assert_status(read_dae(text, &p, &m, &err), LIMB_E_SYNTAX);
  assert_that(strstr(err.text, "too many corners") != NULL);
  limb_mempool_free(&p);
}
END_TEST

CHECK_MAIN("mesh", 1, a_box_has_the_moments_of_a_box, faces_are_turned_outwards, edges_of_three_faces,
           stl_is_read_as_binary_and_as_text, only_the_first_object_counts_if_asked, faulty_files_are_refused,
           hulls_enclose_their_points, a_scene_places_colors_and_scales_its_boxes, mirrored_boxes_are_not_inside_out,
           faulty_collada_is_refused, a_bomb_of_nodes_ends, a_bomb_of_edges_ends)
