// Meshes of the view: equal vertices become one, what has no area is dropped; then they are packed as whole numbers,
// compressed by zlib. web/view/pack.js reads them.
//
// zlib is loaded at run time, as librsvg is: only pages need it, and what is not compressed is read as well.
#include "draw/view_mesh.h"

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void view_mesh_free(view_mesh* m)
{
  free(m->vertex);
  free(m->triangle);
  free(m->part);
  *m = (view_mesh){0};
}

// Mixes the bits of three numbers: the finalizer of splitmix64, chained.
static uint64_t mix(const int64_t key[3])
{
  uint64_t x = 0;
  for (int k = 0; k < 3; k++) {
    x = (x ^ (uint64_t)key[k]) + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
  }
  return x;
}

int view_group(int n, int64_t (*key)[3], int* of)
{
  size_t slots = 16;
  while (slots < 2 * (size_t)n) slots *= 2;
  int* first = malloc(slots * sizeof *first); // the first key of the group of a slot
  int groups = 0;
  if (!first) return -1;
  memset(first, -1, slots * sizeof *first);
  for (int i = 0; i < n; i++) {
    size_t at = (size_t)mix(key[i]) & (slots - 1);
    while (first[at] >= 0 && memcmp(key[first[at]], key[i], sizeof key[i]) != 0) at = (at + 1) & (slots - 1);
    if (first[at] < 0) {
      first[at] = i;
      of[i] = groups++;
    } else {
      of[i] = of[first[at]];
    }
  }
  free(first);
  return groups;
}

limb_status view_mesh_tidy(view_mesh* m)
{
  int* to = calloc((size_t)m->nvertex + 1, sizeof *to);
  double(*vertex)[3] = malloc(((size_t)m->nvertex + 1) * sizeof *vertex);
  if (!to || !vertex) {
    free(to);
    free(vertex);
    return LIMB_E_NOMEM;
  }
  int used = 0;
  for (int i = 0; i < m->nvertex; i++) to[i] = -1;
  for (int t = 0; t < m->ntriangle; t++)
    for (int k = 0; k < 3; k++) {
      int* v = &m->triangle[t][k];
      if (to[*v] < 0) {
        to[*v] = used;
        memcpy(vertex[used++], m->vertex[*v], sizeof vertex[0]);
      }
      *v = to[*v];
    }
  free(to);
  free(m->vertex);
  m->vertex = vertex;
  m->nvertex = used;
  return LIMB_OK;
}

// The key of a vertex: the bits of its coordinates, the two zeros being one.
static int64_t bits(double x)
{
  int64_t b = 0;
  const double plain = x + 0.0;
  memcpy(&b, &plain, sizeof b);
  return b;
}

// Beyond it products of coordinates overflow; the page has single precision.
static const double FARTHEST = 1e30; // m

static int is_near(const double* p)
{
  return fabs(p[0]) <= FARTHEST && fabs(p[1]) <= FARTHEST && fabs(p[2]) <= FARTHEST;
}

// Triangles of a part whose corners differ and are near enough.
static void take_part(const limb_triangles* from, const limb_triangle_part* part, const int* group, view_mesh* out)
{
  view_part* own = &out->part[out->npart++];
  *own = (view_part){.first = out->ntriangle, .has_color = part->has_color};
  memcpy(own->color, part->color, sizeof own->color);
  for (int t = part->first; t < part->first + part->count; t++) {
    const int* v = from->triangle + 3 * (size_t)t;
    const int a = group[v[0]], b = group[v[1]], c = group[v[2]];
    if (a == b || b == c || c == a) continue;
    if (!is_near(out->vertex[a]) || !is_near(out->vertex[b]) || !is_near(out->vertex[c])) {
      out->lost++;
      continue;
    }
    memcpy(out->triangle[out->ntriangle++], (int[]){a, b, c}, sizeof out->triangle[0]);
  }
  own->count = out->ntriangle - own->first;
}

limb_status view_mesh_weld(const limb_triangles* from, view_mesh* out)
{
  const size_t n = (size_t)from->nvertex;
  const limb_triangle_part whole = {.count = from->ntriangle, .name = ""};
  const int parts = from->npart > 0 ? from->npart : 1;
  *out = (view_mesh){0};
  int64_t(*key)[3] = malloc((n + 1) * sizeof *key);
  int* group = malloc((n + 1) * sizeof *group);
  out->vertex = malloc((n + 1) * sizeof *out->vertex);
  out->triangle = malloc(((size_t)from->ntriangle + 1) * sizeof *out->triangle);
  out->part = calloc((size_t)parts, sizeof *out->part);
  limb_status s = key && group && out->vertex && out->triangle && out->part ? LIMB_OK : LIMB_E_NOMEM;
  for (size_t i = 0; s == LIMB_OK && i < n; i++)
    for (int k = 0; k < 3; k++) key[i][k] = bits(from->vertex[3 * i + (size_t)k]);
  if (s == LIMB_OK && (out->nvertex = view_group((int)n, key, group)) < 0) s = LIMB_E_NOMEM;
  if (s == LIMB_OK) {
    for (size_t i = 0; i < n; i++) memcpy(out->vertex[group[i]], from->vertex + 3 * i, sizeof out->vertex[0]);
    for (int k = 0; k < parts; k++) take_part(from, from->npart > 0 ? &from->part[k] : &whole, group, out);
    s = view_mesh_tidy(out);
  }
  free(key);
  free(group);
  if (s != LIMB_OK) view_mesh_free(out);
  return s;
}

// ---- simplifying -----------------------------------------------------------------------------------
//
// Simplification is by clustering of vertices: the box of a mesh is cut into cells; the vertices of a cell
// become one, where it is nearest to the planes of their triangles.
//
// References: J. Rossignac, P. Borrel, Multi-resolution 3D approximations, 1993; P. Lindstrom, Out-of-core
// simplification of large polygonal models, 2000 (vertices by quadrics: M. Garland, P. Heckbert, 1997).
//
//   Q(x) = sum of (area n . (x - p))^2 = x' A x - 2 b' x + c      x minimises Q: A x = b, near the mean of the cell
//
// It takes time in proportion to the triangles and any surface, broken ones included. Collapsing edges keeps more of
// flat faces at the same count, at ten times the text and a queue; pages of 10 MB hold half a million triangles, where
// the two look alike.

enum { FINEST = 4096 }; // cells along the longest edge of the box

#define SHORTEST  1e-100 // edge of the box that is cut into cells [m]
#define STIFFNESS 1e-3   // of the mean beside the planes, relative to their largest weight

typedef struct grid {
  double low[3], cell;
  int64_t (*key)[3]; // of each vertex
  int* of;           // its cluster
} grid;

typedef struct quadric {
  double A[6], b[3]; // xx xy xz yy yz zz
  double mean[3];
  int count;
} quadric;

// The box of a mesh; its longest edge.
static double box_of(const view_mesh* m, double low[3])
{
  double longest = 0;
  for (int k = 0; k < 3; k++) {
    double low_k = HUGE_VAL, high_k = -HUGE_VAL;
    for (int i = 0; i < m->nvertex; i++) {
      low_k = fmin(low_k, m->vertex[i][k]);
      high_k = fmax(high_k, m->vertex[i][k]);
    }
    low[k] = low_k;
    longest = fmax(longest, high_k - low_k);
  }
  return longest;
}

// Clusters of a grid with that many cells along the longest edge; -1: out of memory.
static int make_clusters(const view_mesh* m, grid* g, double longest, int cells)
{
  g->cell = longest / cells;
  for (int i = 0; i < m->nvertex; i++)
    for (int k = 0; k < 3; k++) g->key[i][k] = (int64_t)floor((m->vertex[i][k] - g->low[k]) / g->cell);
  return view_group(m->nvertex, g->key, g->of);
}

static int remains(const grid* g, const int v[3])
{
  const int a = g->of[v[0]], b = g->of[v[1]], c = g->of[v[2]];
  return a != b && b != c && c != a;
}

// The finest grid that leaves at most max_triangles, by bisection; -1: out of memory.
static int find_grid(const view_mesh* m, grid* g, double longest, int max_triangles)
{
  int low = 1, high = FINEST;
  while (low < high) {
    const int cells = (low + high + 1) / 2;
    int count = 0;
    if (make_clusters(m, g, longest, cells) < 0) return -1;
    for (int t = 0; t < m->ntriangle; t++) count += remains(g, m->triangle[t]);
    if (count <= max_triangles)
      low = cells;
    else
      high = cells - 1;
  }
  return make_clusters(m, g, longest, low);
}

static void add_planes(const view_mesh* m, const grid* g, quadric* q)
{
  for (int t = 0; t < m->ntriangle; t++) {
    const int* v = m->triangle[t];
    const double *a = m->vertex[v[0]], *b = m->vertex[v[1]], *c = m->vertex[v[2]];
    const double e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, f[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    const double n[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]};
    for (int k = 0; k < 3; k++) {
      quadric* own = &q[g->of[v[k]]];
      // relative to the cell's mean, which keeps digits
      const double d = n[0] * (a[0] - own->mean[0]) + n[1] * (a[1] - own->mean[1]) + n[2] * (a[2] - own->mean[2]);
      for (int i = 0, at = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) own->A[at++] += n[i] * n[j];
        own->b[i] += n[i] * d;
      }
    }
  }
}

// Solves (A + s I) x = b by Cramer's rule: the matrix is symmetric and positive definite.
static void solve(const quadric* q, double x[3])
{
  const double s = STIFFNESS * (q->A[0] + q->A[3] + q->A[5]) + 1e-300;
  const double a = q->A[0] + s, b = q->A[1], c = q->A[2], d = q->A[3] + s, e = q->A[4], f = q->A[5] + s;
  const double p = d * f - e * e, r = c * e - b * f, t = b * e - c * d, det = a * p + b * r + c * t;
  x[0] = (p * q->b[0] + r * q->b[1] + t * q->b[2]) / det;
  x[1] = (r * q->b[0] + (a * f - c * c) * q->b[1] + (b * c - a * e) * q->b[2]) / det;
  x[2] = (t * q->b[0] + (b * c - a * e) * q->b[1] + (a * d - b * b) * q->b[2]) / det;
}

// Vertices of the clusters: within a cell's length of its mean.
static limb_status place_clusters(const view_mesh* m, const grid* g, int clusters, view_mesh* out)
{
  quadric* q = calloc((size_t)clusters + 1, sizeof *q);
  if (!q) return LIMB_E_NOMEM;
  for (int i = 0; i < m->nvertex; i++) {
    quadric* own = &q[g->of[i]];
    own->count++;
    for (int k = 0; k < 3; k++) own->mean[k] += (m->vertex[i][k] - own->mean[k]) / own->count;
  }
  add_planes(m, g, q);
  for (int c = 0; c < clusters; c++) {
    double x[3] = {0};
    solve(&q[c], x);
    const double away = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int k = 0; k < 3; k++) out->vertex[c][k] = q[c].mean[k] + (away <= g->cell ? x[k] : 0); // NaN: the mean
  }
  free(q);
  return LIMB_OK;
}

static void take_triangles(const view_mesh* m, const grid* g, view_mesh* out)
{
  for (int k = 0; k < m->npart; k++) {
    view_part* own = &out->part[out->npart++];
    *own = m->part[k];
    own->first = out->ntriangle;
    for (int t = m->part[k].first; t < m->part[k].first + m->part[k].count; t++) {
      const int* v = m->triangle[t];
      if (!remains(g, v)) continue;
      memcpy(out->triangle[out->ntriangle++], (int[]){g->of[v[0]], g->of[v[1]], g->of[v[2]]}, sizeof out->triangle[0]);
    }
    own->count = out->ntriangle - own->first;
  }
}

limb_status view_mesh_simplify(const view_mesh* from, int max_triangles, view_mesh* out)
{
  const size_t n = (size_t)from->nvertex + 1;
  *out = (view_mesh){0};
  grid g = {.key = malloc(n * sizeof *g.key), .of = malloc(n * sizeof *g.of)};
  const double longest = fmax(box_of(from, g.low), SHORTEST);
  int clusters = g.key && g.of ? find_grid(from, &g, longest, max_triangles) : -1;
  if (clusters >= 0) {
    out->vertex = malloc(((size_t)clusters + 1) * sizeof *out->vertex);
    out->triangle = calloc((size_t)from->ntriangle + 1, sizeof *out->triangle);
    out->part = calloc((size_t)from->npart + 1, sizeof *out->part);
  }
  limb_status s = clusters >= 0 && out->vertex && out->triangle && out->part ? LIMB_OK : LIMB_E_NOMEM;
  if (s == LIMB_OK) s = place_clusters(from, &g, clusters, out);
  if (s == LIMB_OK) {
    out->nvertex = clusters;
    take_triangles(from, &g, out);
    s = view_mesh_tidy(out);
  }
  free(g.key);
  free(g.of);
  if (s != LIMB_OK) view_mesh_free(out);
  return s;
}

// ---- packing ---------------------------------------------------------------------------------------

enum { LEVEL = 7, STEPS = 65535 };

typedef unsigned long bound_fn(unsigned long size);
typedef int compress_fn(unsigned char* to, unsigned long* size, const unsigned char* from, unsigned long count,
                        int level);

limb_status view_compress(const unsigned char* bytes, size_t size, view_packed* out)
{
  void* zlib = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  bound_fn* bound = NULL;
  compress_fn* compress = NULL;
  if (zlib) {
    *(void**)&bound = dlsym(zlib, "compressBound");
    *(void**)&compress = dlsym(zlib, "compress2");
  }
  const int able = bound && compress;
  unsigned long capacity = able ? bound((unsigned long)size) : (unsigned long)size + 1;
  out->bytes = malloc(capacity);
  out->size = size;
  out->compressed = 0;
  if (!out->bytes) return LIMB_E_NOMEM;
  if (able && compress(out->bytes, &capacity, bytes, (unsigned long)size, LEVEL) == 0) {
    out->size = capacity;
    out->compressed = 1;
  } else {
    memcpy(out->bytes, bytes, size);
  }
  return LIMB_OK;
}

// Byte b of number i of count, in planes: the lowest bytes of all numbers come first.
static void put_planes(unsigned char* to, size_t i, size_t count, int size, uint32_t value)
{
  for (int b = 0; b < size; b++) to[(size_t)b * count + i] = (unsigned char)(value >> (8 * b));
}

static void put_vertices(const view_mesh* m, view_packed* p, unsigned char* to)
{
  const size_t n = (size_t)m->nvertex;
  for (size_t k = 0; k < 3; k++) {
    p->low[k] = n > 0 ? HUGE_VAL : 0;
    p->high[k] = n > 0 ? -HUGE_VAL : 0;
    for (size_t i = 0; i < n; i++) {
      p->low[k] = fmin(p->low[k], m->vertex[i][k]);
      p->high[k] = fmax(p->high[k], m->vertex[i][k]);
    }
    const double size = p->high[k] - p->low[k];
    uint32_t last = 0;
    for (size_t i = 0; i < n; i++) {
      const uint32_t x = size > 0 ? (uint32_t)lround((m->vertex[i][k] - p->low[k]) / size * STEPS) : 0;
      put_planes(to, k * n + i, 3 * n, 2, (x - last) & STEPS);
      last = x;
    }
  }
}

static void put_triangles(const view_mesh* m, unsigned char* to)
{
  const size_t count = 3 * (size_t)m->ntriangle;
  int32_t last = 0;
  for (size_t i = 0; i < count; i++) {
    const int32_t v = m->triangle[i / 3][i % 3], step = v - last;
    put_planes(to, i, count, 4, ((uint32_t)step << 1) ^ (step < 0 ? UINT32_MAX : 0)); // zigzag
    last = v;
  }
}

limb_status view_mesh_pack(const view_mesh* m, view_packed* out)
{
  const size_t points = 6 * (size_t)m->nvertex, size = points + 12 * (size_t)m->ntriangle;
  unsigned char* bytes = malloc(size + 1);
  *out = (view_packed){0};
  if (!bytes) return LIMB_E_NOMEM;
  put_vertices(m, out, bytes);
  put_triangles(m, bytes + points);
  const limb_status s = view_compress(bytes, size, out);
  free(bytes);
  return s;
}
