// Mass properties of meshes, and what shows whether they can be trusted.
//
// References: J. O'Rourke, Computational geometry in C, 1998, 1.3.8: a body is the sum of the pyramids between the
// triangles of its surface and a point; F. Tonon, Explicit exact formulas for the 3-D tetrahedron inertia tensor, J.
// Math. Stat. 1, 2005: with corners d, e, f and the apex at the origin,
//   integral x y dV = V/20 (2 (dx dy + ex ey + fx fy) + dx ey + dx fy + ex dy + ex fy + fx dy + fx ey),
// and with A/12 instead of V/20 for the triangle itself.
#include "io/mesh.h"

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
