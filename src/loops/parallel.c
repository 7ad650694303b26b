// Parallel robots taken apart: platform and legs found in a robot, and the workspace of what was found.
//
// Joints and closures belong together where they touch the same body, unless that is the world or the platform. What
// belongs together is a leg when it reaches from the world to the platform. Cost: O(joints + closures) per set and
// platform tried.

#include "limb/assemble.h"

#include "base/memory.h"
#include "base/status.h"
#include "loops/parallel_impl.h"

#include <string.h>

// ---- sets of joints and closures: number of the link, or nlink + number of the loop -------------------------

// A free joint on the world holds a body to nothing.
static bool floats(const limb_model* m, int link)
{
  return m->link[link].joint_class == CLASS_FREE && m->link[link].parent < 0;
}

// All joints that move with velocity v.
static void join_velocity(const limb_model* m, int* set, int v, int with)
{
  for (int i = 0; i < m->nlink; i++) {
    if (m->dof[m->link[i].dof].v == v) limb_set_join(set, i, with);
  }
}

static void make_sets(const limb_model* m, int platform, int* set)
{
  for (int i = 0; i < m->nlink + m->nloop; i++) set[i] = i;
  for (int i = 0; i < m->nlink; i++) {
    const int p = m->link[i].parent;
    if (p >= 0 && p != platform) limb_set_join(set, i, p);
  }
  for (int l = 0; l < m->nloop; l++) {
    const limb_loop* loop = &m->loop[l];
    if (limb_between_joints(loop)) {
      for (int e = 0; e < 2; e++) join_velocity(m, set, loop->v[e], m->nlink + l);
      continue;
    }
    const int end[2] = {loop->link_a, loop->link_b};
    for (int e = 0; e < 2; e++) {
      if (end[e] >= 0 && end[e] != platform) limb_set_join(set, m->nlink + l, end[e]);
    }
  }
  for (int i = 0; m->has_mimic && i < m->nlink; i++) join_velocity(m, set, m->dof[m->link[i].dof].v, i);
}

enum { HAS_JOINT = 1, AT_WORLD = 2, AT_PLATFORM = 4, LEG = 7 };

// What a joint or closure touches.
static unsigned touches(const limb_model* m, int platform, int x)
{
  unsigned t = 0;
  if (x < m->nlink) {
    const int p = m->link[x].parent;
    t = HAS_JOINT | (p < 0 && !floats(m, x) ? AT_WORLD : 0U);
    return t | (p == platform || x == platform ? AT_PLATFORM : 0U);
  }
  const limb_loop* loop = &m->loop[x - m->nlink];
  if (limb_between_joints(loop)) return 0;
  const int end[2] = {loop->link_a, loop->link_b};
  for (int e = 0; e < 2; e++) t |= end[e] < 0 ? AT_WORLD : end[e] == platform ? AT_PLATFORM : 0U;
  return t;
}

static unsigned set_touches(const limb_model* m, int platform, int* set, int first)
{
  unsigned t = 0;
  for (int x = 0; x < m->nlink + m->nloop; x++) {
    if (limb_set_leader(set, x) == first) t |= touches(m, platform, x);
  }
  return t;
}

// Whether a set is a passive planar joint between world and platform: no leg, but the plane that it moves in.
static bool is_plane(const limb_model* m, int platform, int* set, int first)
{
  const int own = m->link[platform].joint;
  if (m->joint[own].def.type != LIMB_PLANAR || !m->joint[own].passive) return false;
  for (int x = 0; x < m->nlink + m->nloop; x++) {
    if (limb_set_leader(set, x) != first) continue;
    if (x >= m->nlink || m->link[x].joint != own) return false;
  }
  return true;
}

static int count_legs(const limb_model* m, int platform, int* set)
{
  int legs = 0;
  make_sets(m, platform, set);
  for (int x = 0; x < m->nlink; x++) {
    if (limb_set_leader(set, x) != x || (x == platform && floats(m, x))) continue;
    legs += set_touches(m, platform, set, x) == LEG && !is_plane(m, platform, set, x);
  }
  return legs;
}

// ---- the platform -------------------------------------------------------------------------------------------

// The platform when the caller names none. LIMB_E_MODEL or LIMB_E_NOMEM.
static limb_status find_platform(const limb_model* m, const limb_allocator* alloc, int* platform, limb_error* err)
{
  const size_t size = (size_t)(m->nlink + m->nloop + 1) * sizeof(int);
  int* set = limb_alloc(alloc, size);
  if (!set) return limb_fail(err, LIMB_E_NOMEM, m->name, "out of memory");
  int largest = 0, second = -1;
  for (int b = 1; b < m->nbody; b++) {
    if (m->body[b].carrier != b || m->body[b].link < 0) continue;
    const int legs = count_legs(m, m->body[b].link, set);
    if (legs == largest) second = b;
    if (legs > largest) largest = legs, *platform = b, second = -1;
  }
  limb_free(alloc, set, size);
  if (largest < 2)
    return limb_fail(err, LIMB_E_MODEL, m->name, "no body is held by two legs: this is no parallel robot");
  if (second >= 0)
    return limb_fail(err, LIMB_E_MODEL, m->name, "'%s' and '%s' are both held by %d legs: name the platform",
                     m->body[*platform].name, m->body[second].name, largest);
  return LIMB_OK;
}

// ---- the legs -----------------------------------------------------------------------------------------------

static limb_status refuse(const limb_model* m, int platform, int x, unsigned t, limb_error* err)
{
  const char* name = m->body[platform].name;
  const char* joint = m->joint[m->link[x].joint].def.name;
  if (!(t & AT_PLATFORM))
    return limb_fail(err, LIMB_E_UNSUPPORTED, joint,
                     "this joint does not lead to platform '%s': its motion does not follow from "
                     "the platform's; see limb/loops.h",
                     name);
  return limb_fail(err, LIMB_E_UNSUPPORTED, joint,
                   "this joint is carried by platform '%s' and does not lead back to the world: "
                   "take stages and arms on a platform apart, or see limb/loops.h",
                   name);
}

// Refuses loops whose equations are not of positions, or depend on time.
static limb_status check_loops(const limb_model* m, limb_error* err)
{
  for (int l = 0; l < m->nloop; l++) {
    const limb_loop* loop = &m->loop[l];
    const limb_prescribed_motion* law = &loop->def.motion;
    if (loop->holonomic < loop->nrow)
      return limb_fail(err, LIMB_E_UNSUPPORTED, loop->def.name,
                       "a closure of kind %s holds velocities, not places: see limb/loops.h",
                       limb_loop_kind_name(loop->def.kind));
    if (law->fn || law->rate != 0 || law->amplitude != 0)
      return limb_fail(err, LIMB_E_UNSUPPORTED, loop->def.name, "this closure moves in time: see limb/loops.h");
  }
  return LIMB_OK;
}

// Number of the group that x leads: legs, then the plane, then closures between platform and world.
static limb_status number_group(const limb_model* m, int platform, int* set, int x, limb_parts* parts, int* of,
                                limb_error* err)
{
  const int link = m->body[platform].link;
  const unsigned t = set_touches(m, link, set, x);
  if (x < m->nlink && t != LEG) return refuse(m, platform, x, t, err);
  *of = parts->ngroup++;
  parts->nleg += x < m->nlink;
  return LIMB_OK;
}

// Joint or closure x gets the number of its group; that of left_out stays without.
static limb_status number_member(const limb_model* m, int platform, int* set, int x, int left_out, limb_parts* parts,
                                 limb_error* err)
{
  int* of = x < m->nlink ? &parts->of_link[x] : &parts->of_loop[x - m->nlink];
  const int first = limb_set_leader(set, x);
  *of = -1;
  if (first == left_out) return LIMB_OK;
  if (first == x) return number_group(m, platform, set, x, parts, of, err);
  *of = first < m->nlink ? parts->of_link[first] : parts->of_loop[first - m->nlink];
  return LIMB_OK;
}

// The joints of a platform in a plane are a group of their own.
static void number_plane(const limb_model* m, int* set, int own, limb_parts* parts)
{
  for (int i = 0; i < m->nlink; i++) {
    if (limb_set_leader(set, i) == own) parts->of_link[i] = parts->ngroup;
  }
  parts->ngroup++;
}

// Fills parts, whose arrays have their sizes. `set`: scratch, nlink + nloop numbers.
static limb_status find_legs(const limb_model* m, int platform, int* set, limb_parts* parts, limb_error* err)
{
  const int link = m->body[platform].link;
  const bool free = floats(m, link);
  limb_status s = check_loops(m, err);
  if (s != LIMB_OK) return s;
  make_sets(m, link, set);
  const int own = limb_set_leader(set, link);
  const bool plane = !free && is_plane(m, link, set, own);
  parts->ngroup = parts->nleg = 0;
  const int left_out = free || plane ? own : -1; // the platform's own joint is no leg
  // leaders come first: joints before closures
  for (int x = 0; x < m->nlink && s == LIMB_OK; x++) s = number_member(m, platform, set, x, left_out, parts, err);
  if (s == LIMB_OK && plane) number_plane(m, set, own, parts);
  for (int x = m->nlink; x < m->nlink + m->nloop && s == LIMB_OK; x++)
    s = number_member(m, platform, set, x, left_out, parts, err);
  if (s != LIMB_OK) return s;
  if (parts->nleg < 2)
    return limb_fail(err, LIMB_E_MODEL, m->body[platform].name,
                     "this body is held by %d leg%s: a platform has two at least", parts->nleg,
                     parts->nleg == 1 ? "" : "s");
  if (!free || m->joint[m->link[link].joint].passive) return LIMB_OK;
  return limb_fail(err, LIMB_E_UNSUPPORTED, m->joint[m->link[link].joint].def.name,
                   "the platform's free joint has a motor of its own: see limb/loops.h");
}

// ---- layout -------------------------------------------------------------------------------------------------

static double* take(limb_arena* a, size_t n) { return limb_arena_take(a, n, sizeof(double)); }

static int* take_ints(limb_arena* a, size_t n) { return limb_arena_take(a, n, sizeof(int)); }

// Velocities of a group, ascending; v NULL: their number only.
static int velocities_of(const limb_model* m, const limb_parts* parts, int group, int* v)
{
  int n = 0;
  for (int i = 0; i < m->nv; i++) {
    bool has = false;
    for (int l = 0; l < m->nlink && !has; l++) {
      const int first = m->dof[m->link[l].dof].v;
      has = parts->of_link[l] == group && i >= first && i < first + m->link[l].ndof;
    }
    if (has && v) v[n] = i;
    n += has;
  }
  return n;
}

static limb_reduction take_reduction(limb_arena* a, int rows, int columns, int extra)
{
  return (limb_reduction){
    .rows = rows,
    .columns = columns,
    .extra = extra,
    .A = take(a, (size_t)rows * ((size_t)columns + (size_t)extra)),
    .pivot = take_ints(a, (size_t)columns),
    .row = take_ints(a, (size_t)rows),
  };
}

static limb_leg take_leg(limb_arena* a, const limb_model* m, const limb_parts* parts, int group, int platform)
{
  limb_leg x = {.nv = velocities_of(m, parts, group, NULL)};
  x.carries = parts->of_link[platform] == group;
  for (int l = 0; l < m->nloop; l++) {
    if (parts->of_loop[l] != group) continue;
    x.nloop++;
    x.nrow += m->loop[l].nrow;
  }
  if (x.carries) x.nrow += PLATFORM;
  x.v = take_ints(a, (size_t)x.nv);
  x.loop = take_ints(a, (size_t)x.nloop);
  x.side = limb_arena_take(a, (size_t)x.nloop, 1);
  x.at = limb_arena_take(a, (size_t)x.nrow * (size_t)x.nv, sizeof *x.at);
  x.eqs = take_reduction(a, x.nrow, x.nv, PLATFORM + x.nrow);
  x.size = take(a, (size_t)x.nrow);
  x.g = take(a, (size_t)x.nrow);
  return x;
}

static void fill_leg(const limb_model* m, const limb_parts* parts, int group, limb_leg* x)
{
  (void)velocities_of(m, parts, group, x->v);
  int n = 0;
  for (int l = 0; l < m->nloop; l++) {
    if (parts->of_loop[l] == group) x->loop[n++] = l;
  }
}

static int count_active(const limb_model* m)
{
  int n = 0;
  for (int j = 0; j < m->njoint; j++) n += m->joint[j].passive ? 0 : m->joint[j].nv;
  return n;
}

static limb_parallel* lay_out(limb_arena* a, const limb_model* m, const limb_parts* parts, int link, void** data)
{
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
  limb_parallel* p = limb_arena_take(a, 1, sizeof *p);
  limb_parallel t = {.m = m, .ngroup = parts->ngroup, .nleg = parts->nleg, .link = link};
  *data = limb_arena_take(a, limb_data_lean_size(m), 1);
  t.leg = limb_arena_take(a, (size_t)t.ngroup, sizeof *t.leg);
  t.of_link = take_ints(a, (size_t)m->nlink);
  int rows = 0;
  for (int i = 0; i < t.ngroup; i++) {
    const limb_leg leg = take_leg(a, m, parts, i, link);
    if (t.leg) t.leg[i] = leg;
    if (t.leg) fill_leg(m, parts, i, &t.leg[i]);
    rows += leg.nrow;
  }
  t.nactive = count_active(m);
  t.active = take_ints(a, (size_t)t.nactive);
  t.B = take(a, nv * PLATFORM);
  t.terms = take(a, nv);
  t.allowed = take_reduction(a, rows, PLATFORM, 1);
  // the largest: drives and what is forbidden against V; drives against y with their unit matrix
  t.drives = take_reduction(a, rows + t.nactive + PLATFORM, PLATFORM + t.nactive, 1);
  t.v = take(a, nv), t.a = take(a, nv), t.tree = take(a, nv), t.step = take(a, nv);
  t.q = take(a, nq), t.q_try = take(a, nq);
  t.M = take(a, nv * nv);
  t.share = take(a, (size_t)t.nactive * (size_t)t.nactive);
  t.rates = take(a, (size_t)t.nactive * PLATFORM);
  if (p) *p = t;
  return p;
}

// ---- life ---------------------------------------------------------------------------------------------------

static void find_active(limb_parallel* p)
{
  int n = 0;
  for (int v = 0; v < p->m->nv; v++) {
    if (p->w->active[v]) p->active[n++] = v;
  }
}

// The coordinates of a leg follow from the platform's pose, or do not anywhere: configurations taken at
// random agree.
static limb_status check_legs(limb_parallel* p, limb_error* err)
{
  for (int i = 0; i < p->nleg; i++) {
    const limb_leg* leg = &p->leg[i];
    const char* joint = NULL;
    for (int l = p->m->nlink - 1; l >= 0; l--) {
      if (p->of_link[l] == i) joint = p->m->joint[p->m->link[l].joint].def.name;
    }
    if (leg->nrow < leg->nv)
      return limb_fail(err, LIMB_E_UNSUPPORTED, joint,
                       "the leg with this joint has %d velocities and %d rows of closures: they do "
                       "not follow from the platform's; see limb/loops.h",
                       leg->nv, leg->nrow);
  }
  enum { TRIES = 3 };
  uint64_t seed = 1;
  int failed = 0;
  for (int i = 0; i < TRIES; i++) {
    limb_status s = limb_random(p->m, &seed, p->q);
    if (s == LIMB_OK) s = limb_legs_at(p, p->q, &failed);
    if (s != LIMB_E_SINGULAR) return s;
  }
  return limb_fail(err, LIMB_E_UNSUPPORTED, p->m->name,
                   "the velocities of leg %d do not follow from the platform's, as those of a rod "
                   "that can turn about itself do not; see limb/loops.h",
                   failed);
}

// The platform's mobility at the start configuration, if that can be closed.
static int mobility_at_start(limb_parallel* p)
{
  const limb_assembly o = limb_default_assembly();
  if (limb_start(p->m, p->q) != LIMB_OK || limb_assemble(p->w->owner, &o, p->q, NULL) != LIMB_OK ||
      limb_legs_at(p, p->q, NULL) != LIMB_OK)
    return -1;
  limb_legs_set(p, 0, p->w->phi, (const double[PLATFORM]){0});
  limb_legs_restrict(p);
  return p->free;
}

static limb_status set_up(limb_parallel* p, const limb_parts* parts, int platform, limb_error* err)
{
  const limb_model* m = p->m;
  memcpy(p->of_link, parts->of_link, (size_t)m->nlink * sizeof *p->of_link);
  p->platform = platform;
  p->in_link = m->body[platform].in_link;
  p->floats = p->of_link[p->link] < 0;
  find_active(p);
  limb_legs_prepare(p);
  limb_status s = limb_neutral(m, p->q);
  if (s == LIMB_OK) s = limb_constraints_at(p->w, p->q, NULL, 0, 0);
  if (s != LIMB_OK) return s;
  p->home = p->w->d->own.X[p->link];
  s = check_legs(p, err);
  if (s == LIMB_OK) p->mobility = mobility_at_start(p);
  return s;
}

static limb_status create(const limb_model* m, int platform, const limb_allocator* alloc, const limb_parts* parts,
                          limb_parallel** out, limb_error* err)
{
  const int link = m->body[platform].link;
  limb_arena measured = {0};
  void* data;
  limb_data* d;
  (void)lay_out(&measured, m, parts, link, &data);
  limb_memory memory;
  limb_status s = limb_memory_take(alloc, measured.used, &memory);
  if (s != LIMB_OK) return limb_fail(err, s, m->name, "out of memory");
  limb_arena arena = limb_arena_over(memory.block, memory.size);
  limb_parallel* p = lay_out(&arena, m, parts, link, &data);
  p->memory = memory;
  s = limb_data_init_lean(m, data, limb_data_lean_size(m), &d);
  if (s == LIMB_OK) p->w = d->loops;
  if (s == LIMB_OK) s = set_up(p, parts, platform, err);
  if (s == LIMB_OK)
    *out = p;
  else
    limb_parallel_destroy(p);
  return s;
}

limb_status limb_parallel_create(const limb_model* m, int platform, const limb_allocator* alloc, limb_parallel** out,
                                 limb_error* err)
{
  if (!out) return limb_fail(err, LIMB_E_ARG, NULL, "out is NULL");
  *out = NULL;
  if (!m || (alloc && (!alloc->alloc || !alloc->free)))
    return limb_fail(err, LIMB_E_ARG, NULL, "no model, or an incomplete allocator");
  if (platform < -1 || platform >= m->nbody)
    return limb_fail(err, LIMB_E_ARG, m->name, "platform is %d: there are bodies 0 to %d", platform, m->nbody - 1);
  const limb_allocator from = alloc ? *alloc : limb_default_allocator();
  limb_status s = LIMB_OK;
  if (platform < 0) s = find_platform(m, &from, &platform, err);
  if (s != LIMB_OK) return s;
  if (m->body[platform].link < 0)
    return limb_fail(err, LIMB_E_MODEL, m->body[platform].name, "this body cannot move: a platform does");
  const size_t n = (size_t)(m->nlink + m->nloop), size = 2 * n * sizeof(int);
  int* found = limb_alloc(&from, size);
  if (!found) return limb_fail(err, LIMB_E_NOMEM, m->name, "out of memory");
  limb_parts parts = {.of_link = found, .of_loop = found + m->nlink};
  s = find_legs(m, platform, found + n, &parts, err);
  if (s == LIMB_OK) s = create(m, platform, &from, &parts, out, err);
  limb_free(&from, found, size);
  return s;
}

void limb_parallel_destroy(limb_parallel* p)
{
  if (p) limb_memory_end(p->memory);
}

// ---- what was found -----------------------------------------------------------------------------------------

limb_status limb_parallel_get(const limb_parallel* p, limb_parallel_info* out)
{
  if (!p || !out) return LIMB_E_ARG;
  *out = (limb_parallel_info){p->platform, p->nleg, p->mobility, p->nactive};
  return LIMB_OK;
}

int limb_parallel_leg_of(const limb_parallel* p, int joint)
{
  if (!p || joint < 0 || joint >= p->m->njoint) return -2;
  const int link = p->m->joint[joint].link;
  const int leg = link < 0 ? -1 : p->of_link[link];
  return leg < p->nleg ? leg : -1;
}
