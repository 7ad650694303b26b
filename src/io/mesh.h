// Triangle meshes from STL (binary and text), OBJ, MSH and COLLADA files, and mass properties of the bodies that they
// enclose.
//
// Files are hostile until proven otherwise: sizes must agree with the number of bytes, coordinates must be finite, and
// faces must refer to vertices.
#ifndef LIMB_IO_MESH_H
#define LIMB_IO_MESH_H

#include "limb/read.h"
#include "limb/spatial.h"

#include "io/memory_pool.h"

typedef struct limb_mesh {
  sp_vec3* vertex;
  int nvertex;
  int (*face)[3];           // indices of vertices, counter-clockwise seen from outside
  int nface;                // 0: a cloud of points
  limb_triangle_part* part; // of formats with materials: in order, all faces
  int npart;
} limb_mesh;

#define LIMB_MESH_FORMATS ".stl, .obj, .msh, .dae"

typedef enum mesh_format { MESH_UNKNOWN, MESH_STL, MESH_OBJ, MESH_MSH, MESH_DAE } mesh_format;

// By the end of the name, in any case.
mesh_format limb_mesh_format_of_name(const char* path);

// Reads a mesh into the pool, polygons as triangles. by_mujoco: OBJ files as MuJoCo reads them, which are their first
// object or group with faces, without polygons of more than 100 corners.
// LIMB_OK; LIMB_E_SYNTAX (err says why); LIMB_E_NOMEM.
limb_status limb_mesh_read(const char* text, size_t size, mesh_format format, int by_mujoco, memory_pool* pool,
                           limb_mesh* out, limb_error* err);

// A mesh while it is read.
typedef struct mesh_reader {
  const char *text, *end;
  memory_pool* pool;
  limb_mesh* m;
  int vertex_cap, face_cap, part_cap;
  int *corner, corner_cap; // of a polygon
  int by_mujoco;
  limb_error* err;
} mesh_reader;

limb_status limb_mesh_fault(const mesh_reader* r, const char* what);
limb_status limb_mesh_add_vertex(mesh_reader* r, sp_vec3 p);

// Cuts a polygon into triangles; v is used up.
limb_status limb_mesh_add_polygon(mesh_reader* r, int* v, int n);

// COLLADA (mesh_dae.c), as LIMB_E_SYNTAX what it cannot be.
limb_status limb_mesh_read_dae(mesh_reader* r);

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
