// Meshes with materials: glTF as text and as .glb, what it refuses, colors of OBJ.
#include "limb/limb.h"

#include "base/memory.h"
#include "io/mesh.h"

#include "support/check.h"

#include <stdio.h>
#include <string.h>

#define MESHES LIMB_TEST_DIR "/io/shapes/meshes/"

static memory_pool new_pool(void)
{
  const limb_allocator a = limb_default_allocator();
  return limb_mempool_make(&a);
}

// ---- a triangle as .glb ------------------------------------------------------------------------------------

#define VIEWS "'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'byteLength':4}],"

#define BUFFER                "'buffers':[{'byteLength':40}],"
#define POINTS                "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}"
#define INDICES               "{'bufferView':1,'componentType':5121,'count':3,'type':'SCALAR'}"
#define ACCESSORS             "'accessors':[" POINTS "," INDICES "],"
#define PRIMITIVE             "{'attributes':{'POSITION':0},'indices':1}"
#define MESHES_OF(primitives) "'meshes':[{'primitives':[" primitives "]}],"
#define NODES(list)           "'nodes':[" list "],'scenes':[{'nodes':[0]}],"
#define ASSET                 "'asset':{'version':'2.0'}}"
#define REST                  VIEWS BUFFER ACCESSORS ASSET
#define GOOD                  "{" NODES("{'mesh':0}") MESHES_OF(PRIMITIVE) REST

static void put_word(char* to, uint32_t x)
{
  for (int k = 0; k < 4; k++) to[k] = (char)(x >> 8 * k);
}

// Corners (1, 0, 0), (0, 2, 0), (0, 0, 3) and the indices 0 1 2 behind a JSON with single quotes.
static size_t make_glb(const char* json, char* out)
{
  static const float corner[9] = {1, 0, 0, 0, 2, 0, 0, 0, 3};
  const size_t n = (strlen(json) + 3) / 4 * 4;
  memset(out + 20, ' ', n);
  for (size_t i = 0; json[i]; i++) out[20 + i] = (char)(json[i] == '\'' ? '"' : json[i]);
  memcpy(out, "glTF\2\0\0\0", 8);
  put_word(out + 8, (uint32_t)(n + 68));
  put_word(out + 12, (uint32_t)n);
  memcpy(out + 16, "JSON", 4);
  char* bin = out + 20 + n;
  put_word(bin, 40);
  memcpy(bin + 4, "BIN\0", 4);
  for (int i = 0; i < 9; i++) {
    uint32_t bits;
    memcpy(&bits, &corner[i], sizeof bits);
    put_word(bin + 8 + 4 * (size_t)i, bits);
  }
  memcpy(bin + 44, "\0\1\2\0", 4);
  return n + 68;
}

static limb_status read_glb(const char* json, memory_pool* p, limb_mesh* m, limb_error* err)
{
  char file[4096];
  const size_t size = make_glb(json, file);
  return limb_mesh_read(file, size, MESH_GLTF, NULL, p, m, err);
}

START_TEST(the_y_axis_of_a_scene_points_up)
{
  memory_pool p = new_pool();
  limb_mesh m;
  limb_error err;
  assert_ok(read_glb(GOOD, &p, &m, &err));
  assert_that(m.nvertex == 3 && m.nface == 1 && m.npart == 1 && m.face[0][2] == 2 && !m.part[0].has_color);
  assert_close_vec3(m.vertex[1], sp_v3(0, 0, 2), 0, 0);
  assert_close_vec3(m.vertex[2], sp_v3(0, -3, 0), 0, 0);
  assert_ok(read_glb("{" MESHES_OF(PRIMITIVE) REST, &p, &m, &err)); // without a scene
  assert_that(m.nface == 1);
  limb_mempool_free(&p);
}
END_TEST

START_TEST(nodes_place_their_meshes)
{
  static const char placed[] = "{'translation':[1,2,3],'rotation':[0,0,0.7071067811865476,0.7071067811865476],"
                               "'scale':[1,-2,1],'mesh':0}",
                    matrix[] = "{'mesh':0,'matrix':[0,1,0,0, 2,0,0,0, 0,0,1,0, 1,2,3,1]}";
  char json[2][1024];
  memory_pool p = new_pool();
  for (int i = 0; i < 2; i++) {
    limb_mesh m;
    limb_error err;
    (void)snprintf(json[i], sizeof json[i], "{'nodes':[{'children':[1]},%s],'scene':0,'scenes':[{'nodes':[0]}],%s%s",
                   i ? matrix : placed, MESHES_OF(PRIMITIVE), REST);
    assert_ok(read_glb(json[i], &p, &m, &err));
    assert_close_vec3(m.vertex[0], sp_v3(1, -3, 3), 1e-15, 0);
    assert_close_vec3(m.vertex[1], sp_v3(5, -3, 2), 1e-15, 0); // (0, 2, 0): scaled, turned, moved, up
    assert_that(m.face[0][1] == 2);                            // a mirror turns faces
  }
  limb_mempool_free(&p);
}
END_TEST

START_TEST(strips_and_fans_are_triangles)
{
  static const char* const modes[] = {"5", "6"};
  memory_pool p = new_pool();
  for (int i = 0; i < 2; i++) {
    char json[1024];
    limb_mesh m;
    limb_error err;
    (void)snprintf(json, sizeof json, "{%s'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':%s}]}],%s",
                   NODES("{'mesh':0}"), modes[i], REST);
    assert_ok(read_glb(json, &p, &m, &err));
    assert_that(m.nface == 1 && m.face[0][0] == i && m.face[0][1] == i + 1);
  }
  limb_mempool_free(&p);
}
END_TEST

START_TEST(faulty_gltf_is_refused)
{
  static const struct {
    const char *json, *why;
  } faulty[] = {
    {"", "nothing but comments"},
    {"{", "did not find expected"},
    {"[]", "not glTF 2.0"},
    {"{'asset':{'version':'1.0'}}", "not glTF 2.0"},
    {"{" ASSET, "no vertices"},
    {"{" NODES("{'mesh':0}") MESHES_OF("{'attributes':{'POSITION':0},'indices':0}") REST, "another type than SCALAR"},
    {"{" NODES("{'mesh':0}") MESHES_OF("{'attributes':{'POSITION':1}}") REST, "another type than VEC3"},
    {"{" NODES("{'mesh':0}") MESHES_OF("{'attributes':{'POSITION':0},'indices':1,'extensions':"
                                       "{'KHR_draco_mesh_compression':{}}}") REST,
     "Draco"},
    {"{" NODES("{'mesh':0,'children':[0]}") MESHES_OF(PRIMITIVE) REST, "shows itself"},
    {"{" NODES("{'mesh':0,'children':[7]}") MESHES_OF(PRIMITIVE) REST, "does not exist"},
    {"{" NODES("{'mesh':0,'scale':[1,1,nan]}") MESHES_OF(PRIMITIVE) REST, "line 1"},
    {"{" NODES("{'mesh':0,'scale':[1,1,1e308]}") MESHES_OF(PRIMITIVE) REST, "not a finite"},
    {"{" NODES("{'mesh':0}") MESHES_OF(PRIMITIVE) VIEWS ACCESSORS ASSET, "no buffer"},
    {"{" NODES("{'mesh':0}") MESHES_OF(PRIMITIVE) VIEWS ACCESSORS "'buffers':[{'byteLength':40},{}]," ASSET, NULL},
    {"{" NODES("{'mesh':0}") MESHES_OF(PRIMITIVE) VIEWS ACCESSORS
     "'buffers':[{'uri':'../secret.bin','byteLength':40}]," ASSET,
     "cannot be read"},
    {"{" NODES("{'mesh':0}") MESHES_OF(PRIMITIVE) VIEWS ACCESSORS
     "'buffers':[{'uri':'data:text/plain,x','byteLength':40}]," ASSET,
     "base 64"},
    {"{" NODES("{'mesh':0}") MESHES_OF(PRIMITIVE) VIEWS ACCESSORS
     "'buffers':[{'uri':'data:application/octet-stream;base64,AAAA'}]," ASSET,
     "shorter than its views"},
    {"{" NODES("{'mesh':0}") MESHES_OF(PRIMITIVE) BUFFER ACCESSORS
     "'bufferViews':[{'buffer':0,'byteLength':41}]," ASSET,
     "shorter than its views"},
    {"{" NODES("{'mesh':0}") MESHES_OF(PRIMITIVE) BUFFER ACCESSORS
     "'bufferViews':[{'buffer':0,'byteOffset':30,'byteLength':-1}]," ASSET,
     "shorter than its views"},
    {"{" NODES("{'mesh':0}") MESHES_OF(PRIMITIVE) BUFFER ACCESSORS
     "'bufferViews':[{'buffer':0,'byteLength':36,'extensions':{'EXT_meshopt_compression':{}}}]," ASSET,
     "meshopt"},
    {"{" NODES("{'mesh':0}") MESHES_OF(PRIMITIVE) VIEWS BUFFER
     "'accessors':[{'bufferView':0,'componentType':5126,'count':4000000000,'type':'VEC3'}]," ASSET,
     "shorter than"},
    {"{" NODES("{'mesh':0}") MESHES_OF(PRIMITIVE) VIEWS BUFFER
     "'accessors':[{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3'}]," ASSET,
     "shorter than"},
    {"{" NODES("{'mesh':0}") MESHES_OF(PRIMITIVE) VIEWS BUFFER
     "'accessors':[{'bufferView':0,'componentType':5124,'count':3,'type':'VEC3'}]," ASSET,
     "component type"},
    {"{" NODES("{'mesh':0}") MESHES_OF(PRIMITIVE) VIEWS BUFFER
     "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','sparse':{}}]," ASSET,
     "sparse"},
    {"{" NODES("{'mesh':0}") MESHES_OF(PRIMITIVE) VIEWS BUFFER
     "'accessors':[" POINTS ",{'bufferView':1,'componentType':5123,'count':2,'type':'SCALAR'}]," ASSET,
     "less than three corners"},
    {"{" NODES("{'mesh':0}") MESHES_OF(PRIMITIVE) VIEWS BUFFER
     "'accessors':[" POINTS ",{'bufferView':0,'componentType':5121,'count':3,'type':'SCALAR','byteOffset':3}]," ASSET,
     "vertex that does not"}};
  memory_pool p = new_pool();
  for (int i = 0; i < (int)(sizeof faulty / sizeof *faulty); i++) {
    limb_mesh m;
    limb_error err = {0};
    check_at("%s", faulty[i].json);
    const limb_status status = read_glb(faulty[i].json, &p, &m, &err);
    assert_status(status, faulty[i].why ? LIMB_E_SYNTAX : LIMB_OK);
    assert_that(!faulty[i].why || strstr(err.text, faulty[i].why));
  }
  char file[4096];
  for (size_t n = make_glb(GOOD, file) - 1; n > 0; n--) { // cut off
    limb_mesh m;
    limb_error err;
    assert_status(limb_mesh_read(file, n, MESH_GLTF, NULL, &p, &m, &err), LIMB_E_SYNTAX);
  }
  limb_mempool_free(&p);
}
END_TEST

// ---- files ---------------------------------------------------------------------------------------------------

START_TEST(buffers_may_be_files_beside_the_mesh)
{
  limb_triangles* t = NULL;
  limb_error err;
  assert_ok(limb_read_triangles(MESHES "box.gltf", 0, &t, &err));
  assert_that(t->nvertex == 8 && t->ntriangle == 12 && t->npart == 1 && t->part[0].has_color);
  assert_that(strcmp(t->part[0].name, "paint") == 0);
  assert_close_array(t->part[0].color, ((double[]){1, 0.7353569830524495, 0, 0.25}), 4, 1e-12, 0); // sRGB
  double size[3] = {0};
  for (int i = 0; i < 24; i++) size[i % 3] = t->vertex[i] > size[i % 3] ? t->vertex[i] : size[i % 3];
  assert_close_array(size, ((double[]){1, 2, 3}), 3, 0, 0);
  limb_triangles_destroy(t);
}
END_TEST

START_TEST(obj_has_the_colors_of_its_materials)
{
  limb_triangles* t = NULL;
  limb_error err;
  assert_ok(limb_read_triangles(MESHES "painted.obj", 0, &t, &err));
  assert_that(t->ntriangle == 4 && t->npart == 3);
  assert_that(!t->part[0].has_color && t->part[0].count == 1);
  assert_close_array(t->part[1].color, ((double[]){1, 0.5, 0, 0.25}), 4, 1e-15, 0);
  assert_close_array(t->part[2].color, ((double[]){0, 0, 1, 1}), 4, 0, 0);
  assert_that(strcmp(t->part[2].name, "deep blue") == 0 && t->part[2].count == 2);
  limb_triangles_destroy(t);
}
END_TEST

CHECK_MAIN("gltf", 1, the_y_axis_of_a_scene_points_up, nodes_place_their_meshes, strips_and_fans_are_triangles,
           faulty_gltf_is_refused, buffers_may_be_files_beside_the_mesh, obj_has_the_colors_of_its_materials)
