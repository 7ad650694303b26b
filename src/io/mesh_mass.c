// Mass properties of meshes, and what shows whether they can be trusted.
//
// References: J. O'Rourke, Computational geometry in C, 1998, 1.3.8: a body is the sum of the pyramids between the
// triangles of its surface and a point; F. Tonon, Explicit exact formulas for the 3-D tetrahedron inertia tensor, J.
// Math. Stat. 1, 2005: with corners d, e, f and the apex at the origin,
//   integral x y dV = V/20 (2 (dx dy + ex ey + fx fy) + dx ey + dx fy + ex dy + ex fy + fx dy + fx ey),
// and with A/12 instead of V/20 for the triangle itself.
#include "io/mesh.h"

#include "io/geometry.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// ---- volume, centre, moments ----------------------------------------------------------------------

typedef struct triangle {
  sp_vec3 d, e, f;
  sp_vec3 centre, normal; // the normal has the length 2 A
} triangle;

static triangle triangle_at(const limb_mesh* m, int i, sp_vec3 origin)
{
  const int* k = m->face[i];
  triangle t = {.d = sp_sub3(m->vertex[k[0]], origin),
                .e = sp_sub3(m->vertex[k[1]], origin),
                .f = sp_sub3(m->vertex[k[2]], origin)};
  t.centre = sp_scale3(1.0 / 3, sp_add3(t.d, sp_add3(t.e, t.f)));
  t.normal = sp_cross3(sp_sub3(t.e, t.d), sp_sub3(t.f, t.d));
  return t;
}

static double area(const triangle* t) { return sp_norm3(t->normal) / 2; }

// The volume of the pyramid between a triangle and the origin, or its area.
static double amount(const triangle* t, mesh_filling filling)
{
  if (filling == MESH_SHELL) return area(t);
  const double V = sp_dot3(t->centre, t->normal) / 6;
  return filling == MESH_PYRAMIDS ? fabs(V) : V;
}

static sp_vec3 centroid_of_surface(const limb_mesh* m)
{
  sp_vec3 sum = sp_v3(0, 0, 0);
  double total = 0;
  for (int i = 0; i < m->nface; i++) {
    const triangle t = triangle_at(m, i, sp_v3(0, 0, 0));
    sum = sp_add3(sum, sp_scale3(area(&t), t.centre));
    total += area(&t);
  }
  return total > 0 ? sp_scale3(1 / total, sum) : sum;
}

// The centre of mass; those of the pyramids are a quarter of the way from the base to the apex.
static sp_vec3 centre_of_mass(const limb_mesh* m, mesh_filling filling)
{
  const sp_vec3 apex = centroid_of_surface(m);
  sp_vec3 sum = sp_v3(0, 0, 0);
  double total = 0;
  if (filling == MESH_SHELL) return apex;
  for (int i = 0; i < m->nface; i++) {
    const triangle t = triangle_at(m, i, apex);
    const double V = amount(&t, filling);
    sum = sp_add3(sum, sp_scale3(0.75 * V, t.centre));
    total += V;
  }
  return total != 0 ? sp_add3(apex, sp_scale3(1 / total, sum)) : apex;
}

// integral x_a x_b over the pyramid or the triangle, divided by V or A, with the factor 20 or 12.
static double product(const double d[3], const double e[3], const double f[3], int a, int b)
{
  return 2 * (d[a] * d[b] + e[a] * e[b] + f[a] * f[b]) + d[a] * e[b] + d[b] * e[a] + d[a] * f[b] + d[b] * f[a] +
         e[a] * f[b] + e[b] * f[a];
}

sp_inertia limb_mesh_inertia(const limb_mesh* m, mesh_filling filling)
{
  const double factor = filling == MESH_SHELL ? 12 : 20;
  sp_inertia Y = {.com = centre_of_mass(m, filling)};
  double P[6] = {0}; // integrals of xx yy zz xy xz yz
  for (int i = 0; i < m->nface; i++) {
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const triangle t = triangle_at(m, i, Y.com);
    const double d[3] = {t.d.x, t.d.y, t.d.z}, e[3] = {t.e.x, t.e.y, t.e.z}, f[3] = {t.f.x, t.f.y, t.f.z};
    const double V = amount(&t, filling);
    Y.mass += V;
    for (int k = 0; k < 6; k++) P[k] += V / factor * product(d, e, f, pair[k][0], pair[k][1]);
  }
  Y.xx = P[1] + P[2], Y.yy = P[0] + P[2], Y.zz = P[0] + P[1];
  Y.xy = -P[3], Y.xz = -P[4], Y.yz = -P[5];
  return Y;
}

// ---- tables ---------------------------------------------------------------------------------------

// An open table of indices by hash, of at least twice the capacity that is asked for; NULL when out of memory.
typedef struct table {
  int* slot; // index + 1; 0: free
  size_t mask;
} table;

static int make_table(table* t, memory_pool* pool, size_t count)
{
  size_t size = 16;
  while (size < 2 * count) size *= 2;
  t->slot = limb_mempool_alloc(pool, size * sizeof *t->slot);
  t->mask = size - 1;
  return t->slot != NULL;
}

static uint64_t mix(uint64_t h, uint64_t x)
{
  h = (h ^ x) * 0x9e3779b97f4a7c15U;
  return h ^ h >> 29;
}

// ---- equal vertices -------------------------------------------------------------------------------

static uint64_t hash_point(sp_vec3 p)
{
  const double x[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0}; // -0 is 0
  uint64_t bits[3];
  memcpy(bits, x, sizeof bits);
  return mix(mix(mix(1, bits[0]), bits[1]), bits[2]);
}

static int same_point(sp_vec3 a, sp_vec3 b) { return !(a.x != b.x || a.y != b.y || a.z != b.z); }

int limb_mesh_weld(limb_mesh* m, memory_pool* pool)
{
  table t;
  int* first = limb_mempool_alloc(pool, (size_t)m->nvertex * sizeof *first);
  if (!first || !make_table(&t, pool, (size_t)m->nvertex)) return 0;
  int kept = 0;
  for (int i = 0; i < m->nvertex; i++) {
    size_t s = (size_t)hash_point(m->vertex[i]) & t.mask;
    while (t.slot[s] && !same_point(m->vertex[t.slot[s] - 1], m->vertex[i])) s = (s + 1) & t.mask;
    if (!t.slot[s]) {
      m->vertex[kept] = m->vertex[i]; // kept <= i
      t.slot[s] = ++kept;
    }
    first[i] = t.slot[s] - 1;
  }
  m->nvertex = kept;
  for (int i = 0; i < m->nface; i++) {
    for (int k = 0; k < 3; k++) m->face[i][k] = first[m->face[i][k]];
  }
  return 1;
}

// ---- edges ----------------------------------------------------------------------------------------

// Directed edge k of all faces, three per face.
static void edge_at(const limb_mesh* m, int k, int v[2])
{
  v[0] = m->face[k / 3][k % 3];
  v[1] = m->face[k / 3][(k % 3 + 1) % 3];
}

// The slot of a directed edge, or the free one where it belongs.
static size_t find_edge(const limb_mesh* m, const table* t, int a, int b)
{
  size_t s = (size_t)mix(mix(1, (uint64_t)a), (uint64_t)b) & t->mask;
  for (; t->slot[s]; s = (s + 1) & t->mask) {
    int v[2];
    edge_at(m, t->slot[s] - 1, v);
    if (v[0] == a && v[1] == b) break;
  }
  return s;
}

int limb_mesh_count_edges(const limb_mesh* m, memory_pool* pool, mesh_edges* out)
{
  table t;
  *out = (mesh_edges){0};
  if (!make_table(&t, pool, 3 * (size_t)m->nface)) return 0;
  for (int k = 0; k < 3 * m->nface; k++) {
    int v[2];
    edge_at(m, k, v);
    const size_t s = find_edge(m, &t, v[0], v[1]);
    if (t.slot[s])
      out->turned++;
    else
      t.slot[s] = k + 1;
  }
  for (int k = 0; k < 3 * m->nface; k++) {
    int v[2];
    edge_at(m, k, v);
    out->open += !t.slot[find_edge(m, &t, v[1], v[0])];
  }
  return 1;
}

// ---- orientation ----------------------------------------------------------------------------------

// The other edge of two faces that meet there, in any direction; -1: there is none, or more than one.
static int* pair_edges(const limb_mesh* m, memory_pool* pool)
{
  const int count = 3 * m->nface;
  table t;
  int* other = limb_mempool_alloc(pool, ((size_t)count + 1) * sizeof *other);
  if (!other || !make_table(&t, pool, (size_t)count)) return NULL;
  for (int k = 0; k < count; k++) {
    int v[2], u[2];
    edge_at(m, k, v);
    const int low = v[0] < v[1] ? v[0] : v[1], high = v[0] < v[1] ? v[1] : v[0];
    size_t s = (size_t)mix(mix(1, (uint64_t)low), (uint64_t)high) & t.mask;
    for (; t.slot[s]; s = (s + 1) & t.mask) {
      edge_at(m, t.slot[s] - 1, u);
      if ((u[0] == low && u[1] == high) || (u[0] == high && u[1] == low)) break;
    }
    other[k] = -1;
    if (!t.slot[s]) {
      t.slot[s] = k + 1;
      continue;
    }
    const int first = t.slot[s] - 1;
    if (other[first] == -1) {
      other[first] = k, other[k] = first;
    } else { // a third face
      if (other[first] >= 0) other[other[first]] = -2;
      other[first] = other[k] = -2;
    }
  }
  return other;
}

// The edges of a face change places with it.
static void turn_face(limb_mesh* m, int i, int* other)
{
  int* f = m->face[i];
  const int corner = f[1], edge = other[3 * i];
  f[1] = f[2], f[2] = corner;
  other[3 * i] = other[3 * i + 2], other[3 * i + 2] = edge;
}

static double volume_of(const limb_mesh* m, const int* face, int count)
{
  double V = 0;
  for (int k = 0; k < count; k++) {
    const triangle t = triangle_at(m, face[k], m->vertex[m->face[face[0]][0]]);
    V += amount(&t, MESH_SOLID);
  }
  return V;
}

int limb_mesh_orient(limb_mesh* m, memory_pool* pool)
{
  int* other = pair_edges(m, pool);
  int* part = limb_mempool_alloc(pool, ((size_t)m->nface + 1) * sizeof *part); // faces of one part, in the order found
  char* seen = limb_mempool_alloc(pool, (size_t)m->nface + 1);
  if (!other || !part || !seen) return 0;
  for (int first = 0; first < m->nface; first++) {
    int count = 0;
    if (seen[first]) continue;
    part[count++] = first;
    seen[first] = 1;
    for (int at = 0; at < count; at++) {
      for (int k = 3 * part[at]; k < 3 * part[at] + 3; k++) {
        const int there = other[k], next = there / 3;
        int v[2], u[2];
        if (there < 0 || seen[next]) continue;
        edge_at(m, k, v);
        edge_at(m, there, u);
        if (u[0] == v[0]) turn_face(m, next, other);
        seen[next] = 1;
        part[count++] = next;
      }
    }
    const int inwards = volume_of(m, part, count) < 0;
    for (int k = 0; inwards && k < count; k++) turn_face(m, part[k], other);
  }
  return 1;
}

// ---- shapes ---------------------------------------------------------------------------------------

double limb_shape_volume(limb_shape type, const double x[3])
{
  switch (type) {
  case SHAPE_SPHERE: return 4 * LIMB_PI / 3 * x[0] * x[0] * x[0];
  case SHAPE_CAPSULE: return 4 * LIMB_PI / 3 * x[0] * x[0] * x[0] + 2 * LIMB_PI * x[0] * x[0] * x[1];
  case SHAPE_ELLIPSOID: return 4 * LIMB_PI / 3 * x[0] * x[1] * x[2];
  case SHAPE_CYLINDER: return 2 * LIMB_PI * x[0] * x[0] * x[1];
  case SHAPE_BOX: break;
  }
  return 8 * x[0] * x[1] * x[2];
}

sp_inertia limb_shape_inertia(limb_shape type, double mass, const double x[3])
{
  switch (type) {
  case SHAPE_SPHERE: return limb_inertia_sphere(mass, x[0]);
  case SHAPE_CAPSULE: return limb_inertia_capsule(mass, x[0], 2 * x[1]);
  case SHAPE_CYLINDER: return limb_inertia_cylinder(mass, x[0], 2 * x[1]);
  case SHAPE_ELLIPSOID: return limb_inertia_ellipsoid(mass, x[0], x[1], x[2]);
  case SHAPE_BOX: break;
  }
  return limb_inertia_box(mass, 2 * x[0], 2 * x[1], 2 * x[2]);
}
