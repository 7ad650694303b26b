// The symbols of the equations: names, meanings and scalars of the robot's numbers (equations.h).
#include "codegen/equations.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Relative sizes that are rounding: of lengths, and of moments about the centre of mass relative to those about the
// origin.
static const double LENGTH_ROUNDING = 1e-12, MOMENT_ROUNDING = 1e-11;

// ---- scalars -------------------------------------------------------------------------------------------------------

static bool same(const limb_parameter_symbol* a, const limb_parameter_symbol* b)
{
  return a->kind == b->kind && a->owner == b->owner && a->end == b->end && a->component == b->component;
}

limb_scalar limb_parameter_scalar(limb_parameters* p, limb_parameter_symbol what)
{
  if (what.value == 0 || p->numbers) return plain(what.value);
  int i = 0;
  while (i < p->count && !same(&p->list[i], &what)) i++;
  assert(i < p->capacity); // capacity for all numbers of a robot
  if (i == p->count) p->list[p->count++] = what;
  limb_graph* g = p->program->graph;
  return of_edge(g, limb_symbol_edge(g, limb_symbol_of(INPUT_PARAMETER, (uint32_t)i)));
}

static limb_scalar length_scalar(limb_parameters* p, int owner, int end, int component, double value)
{
  if (fabs(value) <= LENGTH_ROUNDING * p->longest) return plain(0);
  return limb_parameter_scalar(
    p, (limb_parameter_symbol){
         .kind = PARAMETER_LENGTH, .owner = owner, .end = end, .component = component, .value = value});
}

limb_scalar limb_gravity_scalar(limb_parameters* p)
{
  const sp_vec3 g = p->m->gravity;
  return limb_parameter_scalar(
    p, (limb_parameter_symbol){.kind = PARAMETER_GRAVITY, .owner = -1, .value = hypot(hypot(g.x, g.y), g.z)});
}

static limb_scalar of_link(limb_parameters* p, limb_parameter_kind kind, int link, int component, double value)
{
  return limb_parameter_scalar(
    p, (limb_parameter_symbol){.kind = kind, .owner = link, .component = component, .value = value});
}

// ---- constants of the links ----------------------------------------------------------------------------------------

static double longest_of(const limb_model* m)
{
  double longest = 0;
  for (int i = 0; i < m->nlink; i++) {
    const limb_link_f64* k = &m->k64[i];
    longest = fmax(longest, fmax(fabs(k->px), fmax(fabs(k->py), fabs(k->pz))));
  }
  for (int l = 0; l < m->nloop; l++) {
    const sp_vec3 a = m->loop[l].in_a.p, b = m->loop[l].in_b.p;
    longest = fmax(longest, fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))));
    longest = fmax(longest, fmax(fabs(b.x), fmax(fabs(b.y), fabs(b.z))));
  }
  return longest;
}

// Constants that are neither lengths nor inertias.
static void put_map(limb_parameters* p, int i)
{
  const limb_link_f64* from = &p->m->k64[i];
  limb_link_symbol* k = &p->k[i];
  k->ca = plain(limb_clean_direction(from->ca)), k->sa = plain(limb_clean_direction(from->sa));
  k->cg = plain(limb_clean_direction(from->cg)), k->sg = plain(limb_clean_direction(from->sg));
  k->ct = plain(limb_clean_direction(from->ct)), k->st = plain(limb_clean_direction(from->st));
  k->mult = plain(from->mult), k->off = plain(from->off);
}

static void put_lengths(limb_parameters* p, int i)
{
  const limb_link* link = &p->m->link[i];
  const limb_link_f64* from = &p->m->k64[i];
  limb_link_symbol* k = &p->k[i];
  const int parent = link->parent, end = i;
  if (link->joint_class >= CLASS_ROT_ANY) {
    k->px = length_scalar(p, parent, end, 0, from->px);
    k->py = length_scalar(p, parent, end, 1, from->py);
    k->pz = length_scalar(p, parent, end, 2, from->pz);
    return;
  }
  k->a = length_scalar(p, parent, end, 0, from->a);
  k->d = length_scalar(p, parent, end, 3, from->d);
  limb_position_by_offsets(k);
}

// Moments about the origin from those about the centre of mass c:  sum m x y = m cx cy + (the same about c)
static void put_moments(limb_link_symbol* k, limb_scalar m, const limb_scalar c[3], const limb_scalar about[6])
{
  const limb_scalar half = plain(0.5);
  const limb_scalar *xx = &about[0], *yy = &about[3], *zz = &about[5];
  limb_scalar h[3];
  for (int x = 0; x < 3; x++) h[x] = mul(m, c[x]);
  k->m = m, k->hx = h[0], k->hy = h[1], k->hz = h[2];
  k->xx = add(mul(half, sub(add(*yy, *zz), *xx)), mul(h[0], c[0]));
  k->yy = add(mul(half, sub(add(*zz, *xx), *yy)), mul(h[1], c[1]));
  k->zz = add(mul(half, sub(add(*xx, *yy), *zz)), mul(h[2], c[2]));
  k->xy = sub(mul(h[0], c[1]), about[1]);
  k->xz = sub(mul(h[0], c[2]), about[2]);
  k->yz = sub(mul(h[1], c[2]), about[4]);
}

// Centre of mass of a link, and its moments of inertia about it.
typedef struct central {
  double c[3], about[6];
} central;

static central central_of(const limb_moments* s)
{
  central x = {{0}, {0}};
  const double h[3] = {s->hx, s->hy, s->hz};
  const double J[6] = {s->xx, s->xy, s->xz, s->yy, s->yz, s->zz};
  static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
  double r[6], reach = 0;
  for (int k = 0; k < 3; k++) reach = fmax(reach, fabs(h[k]));
  for (int k = 0; k < 3; k++) {
    if (s->m != 0 && fabs(h[k]) > MOMENT_ROUNDING * reach) x.c[k] = h[k] / s->m;
  }
  const double size = fabs(J[0]) + fabs(J[3]) + fabs(J[5]);
  for (int k = 0; k < 6; k++) r[k] = J[k] - h[row[k]] * x.c[column[k]];
  const double I[6] = {r[3] + r[5], -r[1], -r[2], r[0] + r[5], -r[4], r[0] + r[3]};
  for (int k = 0; k < 6; k++) x.about[k] = fabs(I[k]) > MOMENT_ROUNDING * size ? I[k] : 0;
  return x;
}

static void put_inertia(limb_parameters* p, int i)
{
  const limb_moments* s = &p->m->inertia[i];
  const central x = central_of(s);
  limb_scalar c[3], about[6];
  for (int k = 0; k < 3; k++) c[k] = of_link(p, PARAMETER_COM, i, k, x.c[k]);
  for (int k = 0; k < 6; k++) about[k] = of_link(p, PARAMETER_INERTIA, i, k, x.about[k]);
  put_moments(&p->k[i], of_link(p, PARAMETER_MASS, i, 0, s->m), c, about);
}

limb_scalar limb_cut_scalar(limb_parameters* p, int loop, int frame, int component)
{
  const limb_loop* x = &p->m->loop[loop];
  const sp_vec3 at = frame ? x->in_b.p : x->in_a.p;
  const double value[3] = {at.x, at.y, at.z};
  const int link = frame ? x->link_b : x->link_a;
  if (link < 0) return plain(value[component]);
  return length_scalar(p, link, p->m->nlink + 2 * loop + frame, component, value[component]);
}

// Lists all lengths that start at a link.
static void list_lengths(limb_parameters* p, int owner)
{
  const limb_model* m = p->m;
  for (int i = 0; i < m->nlink; i++)
    if (m->link[i].parent == owner) put_lengths(p, i);
  for (int l = 0; l < m->nloop; l++) {
    const limb_loop* loop = &m->loop[l];
    for (int f = 0; f < 2 && loop->q[0] < 0; f++) {
      if ((f ? loop->link_b : loop->link_a) != owner) continue;
      for (int k = 0; k < 3; k++) (void)limb_cut_scalar(p, l, f, k);
    }
  }
}

// Lists symbols in the order in which factors are written.
static void list_symbols(limb_parameters* p)
{
  const limb_model* m = p->m;
  for (int i = 0; i < m->nlink; i++) (void)of_link(p, PARAMETER_MASS, i, 0, m->inertia[i].m);
  (void)limb_gravity_scalar(p);
  for (int i = -1; i < m->nlink; i++) list_lengths(p, i);
  for (int i = 0; i < m->nlink; i++) {
    const central x = central_of(&m->inertia[i]);
    for (int k = 0; k < 3; k++) (void)of_link(p, PARAMETER_COM, i, k, x.c[k]);
  }
}

limb_status limb_parameters_create(limb_parameters* p, const limb_model* m, limb_program* program, bool numbers)
{
  enum { OF_A_LINK = 16, OF_A_LOOP = 6 };
  *p = (limb_parameters){.m = m, .program = program, .numbers = numbers, .longest = longest_of(m)};
  p->capacity = m->nlink * OF_A_LINK + m->nloop * OF_A_LOOP + m->nv + 1;
  p->list = limb_program_alloc(program, (size_t)p->capacity, sizeof *p->list);
  p->k = limb_program_alloc(program, (size_t)m->nlink + 1, sizeof *p->k);
  if (!p->list || !p->k) return LIMB_E_NOMEM;
  for (int i = 0; i < m->nlink; i++) put_map(p, i);
  list_symbols(p);
  for (int i = 0; i < m->nlink; i++) {
    put_inertia(p, i);
    p->k[i].pitch = of_link(p, PARAMETER_PITCH, i, 0, m->k64[i].pitch);
  }
  return LIMB_OK;
}

// ---- names ---------------------------------------------------------------------------------------------------------

static const char* const axes[] = {"x", "y", "z"};
static const char* const pairs[] = {"xx", "xy", "xz", "yy", "yz", "zz"};

// How many symbols of the same kind and owner are used; of lengths, those to the same end, without the axial one.
static int same_kind_count(const limb_parameters* p, const limb_parameter_symbol* x)
{
  int count = 0;
  for (int i = 0; i < p->count; i++) {
    const limb_parameter_symbol* y = &p->list[i];
    const bool axial = x->kind == PARAMETER_LENGTH && (x->component == 3 || y->component == 3);
    count += y->used && y->kind == x->kind && y->owner == x->owner && y->end == x->end && !axial;
  }
  return count;
}

// The index of its end among those of its owner that occur; -1: there is only one.
static int index_among_ends(const limb_parameters* p, const limb_parameter_symbol* x)
{
  int before = 0, others = 0;
  for (int i = 0; i < p->count; i++) {
    const limb_parameter_symbol* y = &p->list[i];
    if (!y->used || y->kind != PARAMETER_LENGTH || y->owner != x->owner || y->end == x->end) continue;
    bool first = true; // of its end
    for (int j = 0; j < i; j++)
      first = first && !(p->list[j].used && p->list[j].kind == PARAMETER_LENGTH && p->list[j].owner == y->owner &&
                         p->list[j].end == y->end);
    others += first, before += first && y->end < x->end;
  }
  return others ? before : -1;
}

static void name(const limb_parameters* p, limb_parameter_symbol* x)
{
  static const char* const letters[] = {"m", "g", "l", "r", "I", "p", "J"};
  const bool several = same_kind_count(p, x) > 1;
  const char* which = "";
  if (x->kind == PARAMETER_INERTIA)
    which = several || x->component != 5 ? pairs[x->component] : "";
  else if (several && x->component < 3)
    which = axes[x->component];
  const bool axial = x->kind == PARAMETER_LENGTH && x->component == 3;
  (void)snprintf(x->letters, sizeof x->letters, "%s%s", axial ? "d" : letters[x->kind], which);
  (void)snprintf(x->index, sizeof x->index, "%d", x->owner + 1);
  if (x->kind == PARAMETER_GRAVITY) x->index[0] = '\0';
  const int end = x->kind == PARAMETER_LENGTH ? index_among_ends(p, x) : -1;
  if (end >= 26)
    (void)snprintf(x->index, sizeof x->index, "%d_%d", x->owner + 1, end + 1);
  else if (end >= 0)
    (void)snprintf(x->index, sizeof x->index, "%d%c", x->owner + 1, 'a' + end);
}

void limb_parameters_name(limb_parameters* p)
{
  for (int i = 0; i < p->count; i++) {
    if (p->list[i].used) name(p, &p->list[i]);
  }
}

// ---- coordinates ---------------------------------------------------------------------------------------------------

// The joint of a coordinate. Mimic joints have none.
static const limb_joint* joint_of(const limb_model* m, int q)
{
  const limb_joint* joint = m->joint;
  const limb_joint* end = joint + m->njoint;
  while (joint < end && (q < joint->q || q >= joint->q + joint->nq)) joint++;
  assert(joint < end);
  return joint;
}

// Whether a coordinate is a length for its own joint; mimic joints that follow it may differ.
static bool is_length(const limb_model* m, int q)
{
  const limb_joint* joint = joint_of(m, q);
  const char* suffix = limb_q_suffix(joint->def.type, q - joint->q);
  return *suffix ? suffix[1] == 'p' : joint->def.type == LIMB_PRISMATIC;
}

void limb_coordinate_name(const limb_model* m, int q, limb_text* t)
{
  const limb_joint* joint = joint_of(m, q);
  limb_text_name(t, joint->def.name);
  limb_text_put(t, limb_q_suffix(joint->def.type, q - joint->q));
}

const char* limb_coordinate_unit(const limb_model* m, int q)
{
  const limb_joint* joint = joint_of(m, q);
  const char* suffix = limb_q_suffix(joint->def.type, q - joint->q);
  return *suffix && suffix[1] == 'q' ? "1" : is_length(m, q) ? "m" : "rad";
}

static const limb_joint* joint_of_velocity(const limb_model* m, int v)
{
  const limb_joint* joint = m->joint;
  while (v < joint->v || v >= joint->v + joint->nv) joint++;
  return joint;
}

void limb_rate_name(const limb_model* m, int v, limb_text* t)
{
  const limb_joint* joint = joint_of_velocity(m, v);
  limb_text_name(t, joint->def.name);
  limb_text_put(t, limb_v_suffix(joint->def.type, v - joint->v));
}

const char* limb_rate_unit(const limb_model* m, int v)
{
  const limb_joint* joint = joint_of_velocity(m, v);
  if (joint->nq > joint->nv) return v - joint->v < 3 ? "rad/s" : "m/s";
  return is_length(m, joint->q + v - joint->v) ? "m/s" : "rad/s";
}

// ---- meanings ------------------------------------------------------------------------------------------------------

// The body that names a link: the first that moves with its joint, if any.
static void put_body(const limb_model* m, int link, limb_text* t)
{
  int count = 0, first = -1;
  for (int b = 0; b < m->nbody; b++) {
    if (m->body[b].link != link) continue;
    if (count++ == 0) first = b;
  }
  if (first < 0)
    limb_text_put(t, "a link without body");
  else
    limb_text_name(t, m->body[first].name);
  if (count > 1) limb_text_put(t, " and what is fixed to it");
}

// The joint of a link, with the component if the joint consists of several links.
static void put_joint(const limb_model* m, int link, limb_text* t)
{
  if (link < 0) {
    limb_text_put(t, "the world");
    return;
  }
  const limb_joint* joint = &m->joint[m->link[link].joint];
  limb_text_name(t, joint->def.name);
  if (joint->nq > 1) limb_text_put(t, limb_q_suffix(joint->def.type, m->link[link].q - joint->q));
}

static void put_length(const limb_parameters* p, const limb_parameter_symbol* x, limb_text* t)
{
  const limb_model* m = p->m;
  limb_text_put(t, "from ");
  put_joint(m, x->owner, t);
  if (x->end < m->nlink) {
    limb_text_put(t, " to ");
    put_joint(m, x->end, t);
  } else {
    limb_text_put(t, " to the cut of ");
    limb_text_name(t, m->loop[(x->end - m->nlink) / 2].def.name);
  }
  limb_text_print(t, ", along %s", x->component == 3 ? "its axis" : axes[x->component]);
}

void limb_parameter_meaning(const limb_parameters* p, const limb_parameter_symbol* x, limb_text* t)
{
  switch (x->kind) {
  case PARAMETER_MASS:
    limb_text_put(t, "mass of ");
    put_body(p->m, x->owner, t);
    break;
  case PARAMETER_GRAVITY: limb_text_put(t, "acceleration of gravity"); break;
  case PARAMETER_LENGTH: put_length(p, x, t); break;
  case PARAMETER_COM:
    limb_text_put(t, "centre of mass of ");
    put_body(p->m, x->owner, t);
    limb_text_print(t, ", along %s", axes[x->component]);
    break;
  case PARAMETER_INERTIA:
    limb_text_print(t, "inertia %s of ", pairs[x->component]);
    put_body(p->m, x->owner, t);
    limb_text_put(t, " about its centre of mass");
    break;
  case PARAMETER_PITCH:
    limb_text_put(t, "pitch of ");
    put_joint(p->m, x->owner, t);
    break;
  case PARAMETER_ROTOR:
    limb_text_print(t, "inertia of the rotor at %c%d", p->m->nq == p->m->nv ? 'q' : 'v', x->owner + 1);
    break;
  }
}

const char* limb_parameter_unit(const limb_parameters* p, const limb_parameter_symbol* x)
{
  static const char* const units[] = {"kg", "m/s^2", "m", "m", "kg m^2", "m/rad", "kg m^2"};
  // at a sliding joint a rotor acts as a mass
  if (x->kind == PARAMETER_ROTOR && *limb_rate_unit(p->m, x->owner) == 'm') return "kg";
  return units[x->kind];
}
