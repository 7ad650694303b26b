// Maps: where the loops close, and how well conditioned the robot is there, on a grid of held coordinates.
//
// Breadth first from the grid points around the start, each followed from a neighbour that closes
// (loops/assemble.c): all belong to one branch. The list of points whose neighbours are still to be tried goes
// through the points themselves: mobility.constraints is the next of the list until a point is filled in.
//
// Cost: for every point at most one way from each of its four neighbours, and one limb_mobility_at.

#include "limb/assemble.h"

#include "base/numeric.h"
#include "base/status.h"
#include "loops/loops_impl.h"

#include <math.h>
#include <string.h>

typedef struct grid {
  limb_data *d, *poses; // the workspace, and the one for poses: of the tree
  unsigned char* held;  // nv
  double* goal;         // nq
  limb_map map;
  const limb_loop_options* options;
  int at[2];        // indices in q
  int lines, count; // coordinates that there are; points
  limb_map_point* point;
  double* q;       // count x nq
  int first, last; // of the list
} grid;

static double value_at(const limb_map* map, int line, int index)
{
  const int n = map->count[line];
  const double share = n > 1 ? (double)index / (n - 1) : 0;
  return map->lower[line] + share * (map->upper[line] - map->lower[line]);
}

// The index in q of a velocity that is the rate of a coordinate; -1: none.
static int coordinate_of(const limb_model* m, int v)
{
  for (int i = 0; i < m->njoint; i++) {
    const limb_joint* j = &m->joint[i];
    if (j->nq == j->nv && v >= j->v && v < j->v + j->nv) return j->q + v - j->v;
  }
  return -1;
}

limb_map limb_default_map(void)
{
  return (limb_map){.size = sizeof(limb_map), .velocity = {-1, -1}, .count = {1, 1}, .frame = -1};
}

static limb_status read_map(const limb_model* m, const limb_map* given, grid* g)
{
  g->map = limb_default_map();
  const size_t min_size = offsetof(limb_map, frame) + sizeof g->map.frame;
  const limb_status s = limb_sized_read(&g->map, sizeof g->map, given, min_size);
  if (s != LIMB_OK) return s;
  const limb_map* map = &g->map;
  if (!limb_finite(2, map->lower) || !limb_finite(2, map->upper)) return LIMB_E_NONFINITE;
  const int frames = limb_frame_count(m);
  if (map->frame < -1 || map->frame >= frames) return LIMB_E_ARG;
  g->lines = map->velocity[1] < 0 ? 1 : 2;
  if (g->lines == 2 && map->velocity[0] == map->velocity[1]) return LIMB_E_ARG;
  for (int i = 0; i < g->lines; i++) {
    g->at[i] = map->velocity[i] < 0 ? -1 : coordinate_of(m, map->velocity[i]);
    if (g->at[i] < 0 || map->count[i] < 1) return LIMB_E_ARG;
  }
  if (g->lines == 1 && map->count[1] != 1) return LIMB_E_ARG;
  if (map->count[0] > INT32_MAX / map->count[1]) return LIMB_E_ARG;
  g->count = map->count[0] * map->count[1];
  return LIMB_OK;
}

// Held: the coordinates of the map; when all of them are active and no more joints are than move freely, the
// other active ones as well.
static limb_status choose_held(grid* g, const double* q)
{
  const unsigned char* given = g->d->inverse; // LIMB_ACCELERATION_GIVEN where a motor is
  limb_mobility mobility;
  const limb_status s = limb_mobility_at(g->d, q, g->options, &mobility);
  bool with_drives = mobility.overdriven == 0;
  for (int i = 0; i < g->lines; i++) with_drives &= given[g->map.velocity[i]] == LIMB_ACCELERATION_GIVEN;
  for (int v = 0; v < g->d->m->nv; v++) g->held[v] = with_drives && given[v] == LIMB_ACCELERATION_GIVEN;
  for (int i = 0; i < g->lines; i++) g->held[g->map.velocity[i]] = 1;
  return s;
}

// Fills in a point that closes: its configuration is there.
static limb_status fill_point(grid* g, int index)
{
  limb_map_point* p = &g->point[index];
  const double* q = g->q + (ptrdiff_t)index * g->d->m->nq;
  limb_status s = limb_mobility_at(g->d, q, g->options, &p->mobility);
  if (s == LIMB_OK && g->map.frame >= 0) s = limb_kinematics(g->poses, q, NULL, NULL);
  if (s == LIMB_OK && g->map.frame >= 0) s = limb_frame_pose(g->poses, g->map.frame, &p->pose);
  return s;
}

// Goes to a point from a configuration; a point that closes joins the list. What stops the way is no error.
static limb_status reach(grid* g, int index, const double* from)
{
  const int nq = g->d->m->nq;
  if (g->point[index].closed) return LIMB_OK;
  double* q = g->q + (ptrdiff_t)index * nq;
  memcpy(q, from, (size_t)nq * sizeof *q);
  memcpy(g->goal, from, (size_t)nq * sizeof *q);
  g->goal[g->at[0]] = value_at(&g->map, 0, index / g->map.count[1]);
  if (g->lines == 2) g->goal[g->at[1]] = value_at(&g->map, 1, index % g->map.count[1]);
  const limb_status s = limb_follow_branch(g->d, g->goal, g->held, g->options, q);
  if (s == LIMB_E_SINGULAR || s == LIMB_E_NOCONV) return LIMB_OK;
  if (s != LIMB_OK) return s;
  g->point[index].closed = 1;
  g->point[index].mobility.constraints = -1;
  if (g->last >= 0) g->point[g->last].mobility.constraints = index;
  if (g->first < 0) g->first = index;
  g->last = index;
  return LIMB_OK;
}

// Tries all neighbours of a point of the grid: from `from`, or from itself.
static limb_status spread(grid* g, int i, int j, int reach_of_corners, const double* from)
{
  limb_status s = LIMB_OK;
  for (int k = 0; s == LIMB_OK && k < 9; k++) {
    const int x = i + k / 3 - 1, y = j + k % 3 - 1;
    if (x < 0 || y < 0 || x >= g->map.count[0] || y >= g->map.count[1]) continue;
    if (k % 2 == 0 && k != 4 && !reach_of_corners) continue;
    s = reach(g, x * g->map.count[1] + y, from);
  }
  return s;
}

static int nearest(const grid* g, int line, const double* q)
{
  int best = 0;
  for (int i = 1; line < g->lines && i < g->map.count[line]; i++) {
    const double x = q[g->at[line]];
    if (fabs(value_at(&g->map, line, i) - x) < fabs(value_at(&g->map, line, best) - x)) best = i;
  }
  return best;
}

limb_status limb_map_over(limb_data* d, const double* q, const limb_map* map, const limb_loop_options* options,
                          limb_map_point* point, double* q_out)
{
  if (!d || !map || !q || !point || !q_out) return LIMB_E_ARG;
  const size_t nq = (size_t)d->m->nq;
  limb_loops* w = d->loops;
  grid g = {.d = d, .poses = w ? w->d : d, .options = options, .point = point, .q = q_out, .first = -1, .last = -1};
  g.held = w ? w->chosen : (unsigned char*)(void*)d->probe, g.goal = w ? w->q3 : d->probe_q;
  limb_status s = read_map(d->m, map, &g);
  if (s != LIMB_OK) return s;
  memset(point, 0, (size_t)g.count * sizeof *point);
  memset(q_out, 0, (size_t)g.count * nq * sizeof *q_out);
  s = choose_held(&g, q);
  if (s == LIMB_OK) s = spread(&g, nearest(&g, 0, q), nearest(&g, 1, q), 1, q);
  while (s == LIMB_OK && g.first >= 0) {
    const int index = g.first;
    s = spread(&g, index / g.map.count[1], index % g.map.count[1], 0, q_out + (size_t)index * nq);
    g.first = point[index].mobility.constraints;
    if (g.first < 0) g.last = -1;
    if (s == LIMB_OK) s = fill_point(&g, index);
  }
  for (int i = 0; i < g.count; i++) { // a way that was stopped leaves its last configuration
    if (!point[i].closed) memset(q_out + (size_t)i * nq, 0, nq * sizeof *q_out);
  }
  return s;
}
