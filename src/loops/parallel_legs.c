// Platform and legs found in a robot.
//
// Joints and closures hang together where they touch the same body, unless that is the world or the platform.
// What hangs together is a leg when it reaches from the world to the platform. Cost O(joints + closures) per
// set and platform tried.

#include "base/memory.h"
#include "base/status.h"
#include "loops/parallel_impl.h"

// ---- sets of joints and closures: number of the link, or nlink + number of the loop ---------------------

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

// ---- the platform ---------------------------------------------------------------------------------------

limb_status limb_find_platform(const limb_model* m, const limb_allocator* alloc, int* platform, limb_error* err)
{
  const size_t size = (size_t)(m->nlink + m->nloop + 1) * sizeof(int);
  int* set = limb_alloc(alloc, size);
  if (!set) return limb_fail(err, LIMB_E_NOMEM, m->name, "out of memory");
  int most = 0, second = -1;
  for (int b = 1; b < m->nbody; b++) {
    if (m->body[b].carrier != b || m->body[b].link < 0) continue;
    const int legs = count_legs(m, m->body[b].link, set);
    if (legs == most) second = b;
    if (legs > most) most = legs, *platform = b, second = -1;
  }
  limb_free(alloc, set, size);
  if (most < 2) return limb_fail(err, LIMB_E_MODEL, m->name, "no body is held by two legs: this is no parallel robot");
  if (second >= 0)
    return limb_fail(err, LIMB_E_MODEL, m->name, "'%s' and '%s' are both held by %d legs: name the platform",
                     m->body[*platform].name, m->body[second].name, most);
  return LIMB_OK;
}

// ---- the legs -------------------------------------------------------------------------------------------

static limb_status refuse(const limb_model* m, int platform, int x, unsigned t, limb_error* err)
{
  const char* name = m->body[platform].name;
  const char* joint = m->joint[m->link[x].joint].def.name;
  if (!(t & AT_PLATFORM))
    return limb_fail(err, LIMB_E_UNSUPPORTED, joint,
                     "this joint does not lead to platform '%s': its motion does not follow from "
                     "the platform's; see limb/closed.h",
                     name);
  return limb_fail(err, LIMB_E_UNSUPPORTED, joint,
                   "this joint is carried by platform '%s' and does not lead back to the world: "
                   "take stages and arms on a platform apart, or see limb/closed.h",
                   name);
}

// Of loops, those whose equations are not of places or not of now.
static limb_status check_loops(const limb_model* m, limb_error* err)
{
  for (int l = 0; l < m->nloop; l++) {
    const limb_loop* loop = &m->loop[l];
    const limb_time_law* law = &loop->def.law;
    if (loop->holonomic < loop->nrow)
      return limb_fail(err, LIMB_E_UNSUPPORTED, loop->def.name,
                       "a closure of kind %s holds velocities, not places: see limb/closed.h",
                       limb_loop_kind_name(loop->def.kind));
    if (law->fn || law->rate != 0 || law->amplitude != 0)
      return limb_fail(err, LIMB_E_UNSUPPORTED, loop->def.name,
                       "this closure moves in time, by its law: see limb/closed.h");
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

limb_status limb_find_legs(const limb_model* m, int platform, int* set, limb_parts* parts, limb_error* err)
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
                   "the platform's free joint has a motor of its own: see limb/closed.h");
}
