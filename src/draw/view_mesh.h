// Meshes of the view: triangles that are welded, simplified and packed for a page.
#ifndef LIMB_DRAW_VIEW_MESH_H
#define LIMB_DRAW_VIEW_MESH_H

#include "limb/read.h"

// A run of triangles of one colour.
typedef struct view_part {
  int first, count;
  int has_color;
  double color[4];
} view_part;

typedef struct view_mesh {
  int nvertex, ntriangle, npart;
  double (*vertex)[3];
  int (*triangle)[3];
  view_part* part; // in order, all triangles
  int lost;        // triangles with corners that are no numbers or farther than a page can have
} view_mesh;

void view_mesh_free(view_mesh* m);

// Equal vertices become one; triangles without area, and those that are lost, are dropped.
limb_status view_mesh_weld(const limb_triangles* from, view_mesh* out);

// At most that many triangles, where that is possible.
limb_status view_mesh_simplify(const view_mesh* from, int max_triangles, view_mesh* out);

// Groups n keys of three numbers: of[i] is the group of key i, numbered in the order of their first keys. Returns the
// number of groups; -1: out of memory.
int view_group(int n, int64_t (*key)[3], int* of);

// Removes vertices that no triangle has, and numbers the others in the order of the triangles.
limb_status view_mesh_tidy(view_mesh* m);

// Bytes of a mesh, as web/view/pack.js reads them, compressed if zlib is there. bytes: to be freed.
typedef struct view_packed {
  unsigned char* bytes;
  size_t size;
  int compressed;
  double low[3], high[3]; // the box between whose corners vertices are whole numbers
} view_packed;

limb_status view_mesh_pack(const view_mesh* m, view_packed* out);

// The same for any bytes.
limb_status view_compress(const unsigned char* bytes, size_t size, view_packed* out);

#endif
