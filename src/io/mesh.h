// Triangle meshes from STL (binary and text), OBJ, MSH, COLLADA and glTF files, and mass properties of the bodies that
// they enclose.
//
// Files are hostile until proven otherwise: sizes must agree with the number of bytes, coordinates must be finite, and
// faces must refer to vertices.
#ifndef LIMB_IO_MESH_H
#define LIMB_IO_MESH_H

#include "limb/read.h"
#include "limb/spatial.h"

#include "io/files.h"
#include "io/memory_pool.h"

#include <stdint.h>
#include <string.h>

typedef struct limb_mesh {
  sp_vec3* vertex;
  int nvertex;
  int (*face)[3];           // indices of vertices, counter-clockwise seen from outside
  int nface;                // 0: a cloud of points
  limb_triangle_part* part; // of formats with materials: in order, all faces
  int npart;
} limb_mesh;

#define LIMB_MESH_FORMATS ".stl, .obj, .msh, .dae, .gltf, .glb"

typedef enum mesh_format {
  MESH_UNKNOWN,
  MESH_STL,
  MESH_OBJ,
  MESH_MSH,
  MESH_DAE,
  MESH_GLTF, // or GLB, which its first bytes show
  MESH_FORMATS
} mesh_format;

// By the end of the name, in any case.
mesh_format limb_mesh_format_of_name(const char* path);

// What surrounds the text of a mesh, and how it is read.
typedef struct mesh_options {
  int by_mujoco;     // OBJ files as MuJoCo reads them, which are their first object or group with faces, without
                     // polygons of more than 100 corners and without materials; no COLLADA, no glTF
  limb_files* files; // in which files may be opened that the mesh refers to: buffers of glTF, materials of OBJ
  const char* path;  // of the mesh. NULL: it can refer to none
} mesh_options;

// Reads a mesh into the pool, polygons as triangles. opt NULL: a text that refers to no files.
// LIMB_OK; LIMB_E_SYNTAX (err says why); LIMB_E_NOMEM.
limb_status limb_mesh_read(const char* text, size_t size, mesh_format format, const mesh_options* opt,
                           memory_pool* pool, limb_mesh* out, limb_error* err);

// A mesh while it is read.
typedef struct mesh_reader {
  const char *text, *end;
  memory_pool* pool;
  limb_mesh* m;
  int vertex_cap, face_cap, part_cap;
  int *corner, corner_cap; // of a polygon
  mesh_options opt;
  limb_error* err;
} mesh_reader;

LIMB_PRINTF(2, 3) limb_status limb_mesh_fault(const mesh_reader* r, const char* format, ...);
limb_status limb_mesh_add_vertex(mesh_reader* r, sp_vec3 p);
limb_status limb_mesh_add_face(mesh_reader* r, int a, int b, int c);

// Cuts a polygon into triangles; v is used up.
limb_status limb_mesh_add_polygon(mesh_reader* r, int* v, int n);

// Ends a part at the last face; one without faces is left out.
limb_status limb_mesh_add_part(mesh_reader* r, limb_triangle_part part);

// A file that the mesh refers to, relative to its own folder. 0: there is none, or it may not be opened.
int limb_mesh_load(mesh_reader* r, const char* name, file_bytes* out);

// OBJ (mesh_obj.c), COLLADA (mesh_dae.c), glTF (mesh_gltf.c); as LIMB_E_SYNTAX what they cannot be.
limb_status limb_mesh_read_obj(mesh_reader* r);
limb_status limb_mesh_read_dae(mesh_reader* r);
limb_status limb_mesh_read_gltf(mesh_reader* r);

// The next line without blanks before it, NULL at the end; whether it starts with a word; three numbers, 0 when there
// are not as many.
const char* limb_mesh_next_line(const char** text, const char* end, const char** line_end);
int limb_mesh_starts(const char* line, const char* end, const char* word);
int limb_mesh_scan_point(const char* text, const char* end, sp_vec3* p);

// Numbers of a binary file, little-endian.
static inline uint32_t mesh_word_at(const char* p)
{
  const unsigned char* b = (const unsigned char*)p;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline double mesh_float_at(const char* p)
{
  const uint32_t bits = mesh_word_at(p);
  float x;
  memcpy(&x, &bits, sizeof x);
  return (double)x;
}

// ---- scenes: nodes that show geometries -------------------------------------------------------------

enum {
  MESH_MAX_SHOWN = 1 << 22,   // vertices, triangles: a scene can show a geometry any number of times
  MESH_MAX_VISITED = 1 << 22, // elements, likewise
  MESH_MAX_DEPTH = 64         // of nodes that show nodes
};

// x -> A x + p
typedef struct mesh_affine {
  sp_mat3 A;
  sp_vec3 p;
} mesh_affine;

static inline mesh_affine mesh_compose(mesh_affine a, mesh_affine b)
{
  return (mesh_affine){sp_mul3(a.A, b.A), sp_add3(sp_mulv(a.A, b.p), a.p)};
}

// Whether it turns faces inside out.
static inline int mesh_is_mirror(const mesh_affine* X)
{
  const double* m = X->A.m;
  return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]) <
         0;
}

// What an MJCF file contains itself (read_mjcf_mesh.c): the part of a path behind .xml#, mesh/NAME or hfield/NAME;
// NULL: it has none. The triangles of a part. LIMB_OK; LIMB_E_SYNTAX; LIMB_E_NOMEM.
const char* limb_mjcf_fragment(const char* path);
limb_status limb_mjcf_read_part(const file_bytes* file, const char* part, limb_files* files, memory_pool* pool,
                                limb_mesh* out, limb_error* err);

// Merges vertices with equal coordinates, as STL repeats them per triangle. 0 when out of memory.
int limb_mesh_weld(limb_mesh* m, memory_pool* pool);

// The convex hull. LIMB_OK; LIMB_E_SINGULAR: all points lie in a plane; LIMB_E_NOMEM.
limb_status limb_mesh_hull(const limb_mesh* m, memory_pool* pool, limb_mesh* out);

// How a mesh encloses mass.
typedef enum mesh_filling {
  MESH_SOLID,    // signed pyramids: exact when it is closed and its faces are oriented alike
  MESH_PYRAMIDS, // pyramids to the centroid of the surface, all counted as positive: "legacy" of MuJoCo
  MESH_SHELL     // all mass on the surface
} mesh_filling;

// Mass properties at density 1: the mass is the volume, or the area of a shell. The volume of a solid is negative when
// its faces look inwards, then its centre and moments are those of the body it encloses, with the sign of the volume.
// Mass 0: no surface.
sp_inertia limb_mesh_inertia(const limb_mesh* m, mesh_filling filling);

// The edges of a welded mesh: those with one face (the mesh is open), and those that two faces pass in the same
// direction (faces look both inwards and outwards). 0 when out of memory.
typedef struct mesh_edges {
  int open, turned;
} mesh_edges;

int limb_mesh_count_edges(const limb_mesh* m, memory_pool* pool, mesh_edges* out);

// Turns faces until neighbours look to the same side, each connected part outwards. Two faces at an edge are
// neighbours. 0 when out of memory.
int limb_mesh_orient(limb_mesh* m, memory_pool* pool);

// Solids at density 1, in their own frame: radii and half lengths along x, y, z; of capsules and cylinders radius and
// half length along z.
typedef enum limb_shape { SHAPE_SPHERE, SHAPE_CAPSULE, SHAPE_ELLIPSOID, SHAPE_CYLINDER, SHAPE_BOX } limb_shape;

double limb_shape_volume(limb_shape type, const double x[3]);
sp_inertia limb_shape_inertia(limb_shape type, double mass, const double x[3]);

#endif
