// The convex hull of the vertices of a mesh.
//
// Reference: C. B. Barber, D. P. Dobkin, H. Huhdanpaa, The quickhull algorithm for convex hulls, ACM Trans. Math.
// Software 22, 1996. Facets are triangles; each keeps the points above it. The farthest of these points replaces the
// facets that it sees by a cone over their horizon; it also sees those in whose plane it lies, so that no new facet is
// without area. A point above a facet by less than rounding is in the hull.
#include "io/mesh.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct facet {
  int v[3];         // counter-clockwise from outside
  int next[3];      // the facet across the edge v[i], v[i + 1]
  sp_vec3 n;        // unit normal
  double d;         // n x = d on the plane
  int above;        // the first of its points; -1: none
  int farthest;     // of these
  double distance;  // of the farthest
  int seen;         // the last point that was asked whether it sees the facet
  signed char sees; // and the answer
  signed char gone;
} facet;

typedef struct hull {
  memory_pool* pool;
  const sp_vec3* x;
  int n;
  double eps;
  facet* facet;
  int nfacet, facet_cap;
  int* after;            // per point: the next above the same facet
  int *stack, stack_cap; // facets that the point sees
  int *from_edge, nseen; // per point: the new facet whose edge of the horizon begins there; -1
  int (*edge)[3];        // horizon: begin, end, facet outside
  int nedge, edge_cap;
} hull;

static double height(const hull* h, const facet* f, int p) { return sp_dot3(f->n, h->x[p]) - f->d; }

// A new facet; -1 when out of memory.
static int add_facet(hull* h, int a, int b, int c)
{
  facet* all = limb_mempool_grow(h->pool, h->facet, &h->facet_cap, h->nfacet, sizeof *all);
  if (!all) return -1;
  h->facet = all;
  facet* f = &all[h->nfacet];
  const sp_vec3 n = sp_cross3(sp_sub3(h->x[b], h->x[a]), sp_sub3(h->x[c], h->x[a]));
  const double length = sp_norm3(n);
  *f = (facet){.v = {a, b, c}, .next = {-1, -1, -1}, .above = -1, .farthest = -1, .seen = -1};
  f->n = length > 0 ? sp_scale3(1 / length, n) : n;
  f->d = (sp_dot3(f->n, h->x[a]) + sp_dot3(f->n, h->x[b]) + sp_dot3(f->n, h->x[c])) / 3;
  return h->nfacet++;
}

static void put_above(hull* h, facet* f, int p, double distance)
{
  h->after[p] = f->above;
  f->above = p;
  if (f->farthest >= 0 && distance <= f->distance) return;
  f->farthest = p;
  f->distance = distance;
}

// Gives a point to the facet, from `first` on, that it is highest above, if to any.
static void place(hull* h, int first, int p)
{
  int best = -1;
  double largest = h->eps;
  for (int i = first; i < h->nfacet; i++) {
    const double distance = height(h, &h->facet[i], p);
    if (distance > largest) best = i, largest = distance;
  }
  if (best >= 0) put_above(h, &h->facet[best], p, largest);
}

// ---- the first tetrahedron ------------------------------------------------------------------------

static double coordinate(const hull* h, int i, int k) { return k == 0 ? h->x[i].x : k == 1 ? h->x[i].y : h->x[i].z; }

// The two points that are extreme along an axis and farthest apart.
static void extremes(const hull* h, int v[2])
{
  double widest = -1;
  for (int k = 0; k < 3; k++) {
    int low = 0, high = 0;
    for (int i = 1; i < h->n; i++) {
      const double x = coordinate(h, i, k);
      if (x < coordinate(h, low, k)) low = i;
      if (x > coordinate(h, high, k)) high = i;
    }
    const double width = coordinate(h, high, k) - coordinate(h, low, k);
    if (width > widest) widest = width, v[0] = low, v[1] = high;
  }
}

// Four points that span a body; 0 when all lie in a plane.
static int find_corners(const hull* h, int v[4])
{
  extremes(h, v);
  const sp_vec3 a = h->x[v[0]], u = sp_sub3(h->x[v[1]], a);
  double largest = 0;
  for (int i = 0; i < h->n; i++) {
    const double off = sp_norm3(sp_cross3(u, sp_sub3(h->x[i], a)));
    if (off > largest) largest = off, v[2] = i;
  }
  if (!(largest > h->eps * sp_norm3(u))) return 0;
  const sp_vec3 w = sp_cross3(u, sp_sub3(h->x[v[2]], a)), n = sp_scale3(1 / sp_norm3(w), w);
  largest = 0;
  for (int i = 0; i < h->n; i++) {
    const double off = sp_dot3(n, sp_sub3(h->x[i], a));
    if (fabs(off) > fabs(largest)) largest = off, v[3] = i;
  }
  if (largest > 0) { // the fourth corner is below the first three
    const int keep = v[0];
    v[0] = v[1];
    v[1] = keep;
  }
  return fabs(largest) > 10 * h->eps;
}

static int begin(hull* h, const int v[4])
{
  const int faces[4][3] = {{v[0], v[1], v[2]}, {v[1], v[0], v[3]}, {v[2], v[1], v[3]}, {v[0], v[2], v[3]}};
  static const int across[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  for (int i = 0; i < 4; i++) {
    if (add_facet(h, faces[i][0], faces[i][1], faces[i][2]) < 0) return 0;
    memcpy(h->facet[i].next, across[i], sizeof across[i]);
  }
  for (int i = 0; i < h->n; i++) {
    if (i != v[0] && i != v[1] && i != v[2] && i != v[3]) place(h, 0, i);
  }
  return 1;
}

// ---- one point more -------------------------------------------------------------------------------

static int sees(hull* h, int p, int i)
{
  facet* f = &h->facet[i];
  if (f->seen != p) {
    f->seen = p;
    f->sees = (signed char)(height(h, f, p) > -h->eps);
  }
  return f->sees;
}

// All facets that p sees, from one of them on, in the stack; marked as gone. 0 when out of memory.
static int collect(hull* h, int p, int start)
{
  h->nseen = h->nedge = 0;
  int* stack = limb_mempool_grow(h->pool, h->stack, &h->stack_cap, 0, sizeof *stack);
  if (!stack) return 0;
  h->stack = stack;
  h->stack[h->nseen++] = start;
  h->facet[start].gone = 1;
  for (int s = 0; s < h->nseen; s++) {
    for (int k = 0; k < 3; k++) {
      const facet* f = &h->facet[h->stack[s]];
      const int other = f->next[k];
      if (h->facet[other].gone) continue;
      if (sees(h, p, other)) {
        stack = limb_mempool_grow(h->pool, h->stack, &h->stack_cap, h->nseen, sizeof *stack);
        if (!stack) return 0;
        h->stack = stack;
        h->stack[h->nseen++] = other;
        h->facet[other].gone = 1;
        continue;
      }
      int(*edge)[3] = limb_mempool_grow(h->pool, h->edge, &h->edge_cap, h->nedge, sizeof *edge);
      if (!edge) return 0;
      h->edge = edge;
      edge[h->nedge][0] = f->v[k], edge[h->nedge][1] = f->v[(k + 1) % 3], edge[h->nedge][2] = other;
      h->nedge++;
    }
  }
  return 1;
}

// Whether the horizon is one circle, which rounding can spoil. from_edge has its edges by where they begin.
static int is_circle(hull* h)
{
  int good = h->nedge >= 3;
  for (int e = 0; e < h->nedge; e++) {
    good &= h->from_edge[h->edge[e][0]] < 0;
    h->from_edge[h->edge[e][0]] = e;
  }
  int at = h->nedge > 0 ? h->edge[0][0] : -1, steps = 0;
  while (good && steps < h->nedge) {
    const int e = h->from_edge[at];
    if (e < 0) break;
    at = h->edge[e][1];
    steps++;
    if (at == h->edge[0][0]) break;
  }
  good &= steps == h->nedge && at == h->edge[0][0];
  for (int e = 0; e < h->nedge; e++) h->from_edge[h->edge[e][0]] = -1;
  return good;
}

// The cone of p over the horizon. 0 when out of memory.
static int add_cone(hull* h, int p)
{
  const int first = h->nfacet;
  for (int e = 0; e < h->nedge; e++) {
    const int a = h->edge[e][0], b = h->edge[e][1], outside = h->edge[e][2];
    const int i = add_facet(h, a, b, p);
    if (i < 0) return 0;
    h->facet[i].next[0] = outside;
    for (int k = 0; k < 3; k++) {
      facet* f = &h->facet[outside];
      if (f->v[k] == b && f->v[(k + 1) % 3] == a) f->next[k] = i;
    }
    h->from_edge[a] = i;
  }
  for (int i = first; i < h->nfacet; i++) {
    const int right = h->from_edge[h->facet[i].v[1]];
    h->facet[i].next[1] = right;
    h->facet[right].next[2] = i;
  }
  for (int e = 0; e < h->nedge; e++) h->from_edge[h->edge[e][0]] = -1;
  for (int s = 0; s < h->nseen; s++) {
    for (int q = h->facet[h->stack[s]].above; q >= 0;) {
      const int next = h->after[q];
      if (q != p) place(h, first, q);
      q = next;
    }
  }
  return 1;
}

// Adds the farthest point above a facet. A point that rounding makes useless is left out. 0 when out of memory.
static int add_point(hull* h, int start)
{
  const int p = h->facet[start].farthest;
  if (!collect(h, p, start)) return 0;
  if (is_circle(h)) return add_cone(h, p);
  for (int s = 0; s < h->nseen; s++) h->facet[h->stack[s]].gone = 0;
  facet* f = &h->facet[start];
  int rest = f->above;
  f->above = f->farthest = -1;
  while (rest >= 0) {
    const int next = h->after[rest];
    if (rest != p) put_above(h, f, rest, height(h, f, rest));
    rest = next;
  }
  return 1;
}

limb_status limb_mesh_hull(const limb_mesh* m, memory_pool* pool, limb_mesh* out)
{
  double size = 0;
  hull h = {.pool = pool, .x = m->vertex, .n = m->nvertex};
  for (int i = 0; i < m->nvertex; i++)
    size = fmax(size, fmax(fabs(m->vertex[i].x), fmax(fabs(m->vertex[i].y), fabs(m->vertex[i].z))));
  h.eps = 16 * DBL_EPSILON * size;
  *out = *m;
  h.after = limb_mempool_alloc(pool, (size_t)m->nvertex * sizeof *h.after);
  h.from_edge = limb_mempool_alloc(pool, (size_t)m->nvertex * sizeof *h.from_edge);
  if (!h.after || !h.from_edge) return LIMB_E_NOMEM;
  for (int i = 0; i < m->nvertex; i++) h.from_edge[i] = -1;
  int v[4] = {0}, nface = 0;
  if (m->nvertex < 4 || !find_corners(&h, v)) return LIMB_E_SINGULAR;
  if (!begin(&h, v)) return LIMB_E_NOMEM;
  for (int i = 0; i < h.nfacet; i++) { // new facets are behind; a facet may be asked again for its other points
    while (!h.facet[i].gone && h.facet[i].farthest >= 0) {
      if (!add_point(&h, i)) return LIMB_E_NOMEM;
    }
  }
  for (int i = 0; i < h.nfacet; i++) nface += !h.facet[i].gone;
  out->face = limb_mempool_alloc(pool, (size_t)nface * sizeof *out->face);
  if (!out->face) return LIMB_E_NOMEM;
  out->nface = 0;
  for (int i = 0; i < h.nfacet; i++) {
    if (!h.facet[i].gone) memcpy(out->face[out->nface++], h.facet[i].v, sizeof h.facet[i].v);
  }
  return LIMB_OK;
}
