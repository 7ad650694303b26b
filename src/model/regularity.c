// Sixth step of compiling: can the mass matrix be regular? Where some joints move together, wherever the robot is,
// without moving any mass, it cannot.
//
// M is the sum of A'A over all that has inertia, with A the velocities that count times what moves them: those of the
// centre of mass of a body, turns about the axes with a moment of inertia, and rates of rotors. So M has the rank of
// the A below each other, whatever the masses are. With loops, motions obey Psi v = 0, and the rows of Psi come below.
// The rank at random configurations is that of nearly all; where it is less than nv, the columns that depend on
// others name the joints. Configurations do not close the loops: the rank may count too much, never too little.
//
// Cost: nothing when each link has a body or a rotor of its own to move; else O(nbody nv^2).

#include "base/memory.h"
#include "linalg/dense.h"
#include "model/compile_impl.h"
#include "model/loop_calls.h"

#include <string.h>

enum { BODY_ROWS = 6, TRIES = 3 };

#define NO_MOMENT 1e-12 // of the largest one
#define DEPENDENT 1e-10 // what is left of a column, columns having length 1
#define INVOLVED  1e-7

// The axes about which a body has a moment of inertia: all three, two across a rod, none of a point.
static int turning_axes(const sp_inertia* Y, sp_mat3* axes)
{
  double moment[3];
  limb_inertia_principal(Y, moment, axes);
  const double largest = fmax(fabs(moment[0]), fabs(moment[2]));
  int none = 0;
  while (none < 3 && fabs(moment[none]) <= NO_MOMENT * largest) none++;
  return 3 - none;
}

// Each degree of freedom of a link turns or slides a rotor.
static bool is_geared(const limb_model* m, const limb_link* link)
{
  for (int c = link->dof; c < link->dof + link->ndof; c++)
    if (!(m->actuator[c].rotor > 0)) return false;
  return true;
}

// Each joint moves an inertia that is all its own.
static bool is_plain(const limb_model* m, unsigned char* full)
{
  memset(full, 0, (size_t)m->nlink);
  for (int b = 1; b < m->nbody; b++) {
    const limb_body* body = &m->body[b];
    sp_mat3 axes;
    if (body->link >= 0 && body->inertia.mass > 0 && !full[body->link])
      full[body->link] = turning_axes(&body->inertia, &axes) == 3;
  }
  for (int i = 0; i < m->nlink; i++)
    if (!full[i] && !is_geared(m, &m->link[i])) return false;
  return true;
}

// Everything at one configuration. Motions of the degrees of freedom are in the axes of the root's base frame.
typedef struct work {
  const limb_model* m;
  int rows;
  double length; // of the robot: lengths count in it
  double *q, *A; // A: rows x nv, column by column
  sp_pose* X;    // nlink
  sp_motion* S;  // ncdof
  int* pivot;    // nv
  double* norm;  // 2 nv
  double* Psi;   // nrow x nv
} work;

static sp_pose joint_pose(const limb_model* m, const double* q, int i)
{
  const limb_link* link = &m->link[i];
  const limb_link_f64* k = &m->k64[i];
  if (link->aux >= 0) {
    const double* u = q + m->quaternion[link->aux];
    const sp_mat3 R = sp_rot_quat((sp_quat){u[0], u[1], u[2], u[3]});
    return sp_pose_make(R, link->joint_class == CLASS_FREE ? limb_read3(q + link->q) : sp_v3(0, 0, 0));
  }
  const double x = k->mult * q[link->q] + k->off;
  if (link->joint_class == CLASS_TRANS) return sp_pose_make(sp_identity3(), sp_v3(0, 0, x));
  return sp_pose_make(sp_rot_axis(sp_v3(0, 0, 1), x), sp_v3(0, 0, k->pitch * x));
}

// Motion k of a link along its own axes.
static sp_motion axis_of(const limb_model* m, int i, int k)
{
  const limb_link* link = &m->link[i];
  const sp_vec3 zero = sp_v3(0, 0, 0), e = sp_v3(k % 3 == 0, k % 3 == 1, k % 3 == 2), z = sp_v3(0, 0, 1);
  if (link->ndof > 1) return k < 3 ? sp_motion_make(e, zero) : sp_motion_make(zero, e);
  if (link->joint_class == CLASS_TRANS) return sp_motion_make(zero, z);
  return sp_motion_make(z, sp_scale3(m->k64[i].pitch, z));
}

static void move_links(work* w)
{
  const limb_model* m = w->m;
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    const sp_pose own = sp_compose(limb_rest_pose(m, i), joint_pose(m, w->q, i));
    w->X[i] = link->parent < 0 ? own : sp_compose(w->X[link->parent], own);
    for (int k = 0; k < link->ndof; k++) w->S[link->dof + k] = sp_motion_in(sp_invert(w->X[i]), axis_of(m, i, k));
  }
}

static void add(work* w, int row, int c, double x)
{
  w->A[(ptrdiff_t)w->m->dof[c].v * w->rows + row] += w->m->dof[c].mult * x;
}

// Velocities of a body by every degree of freedom that carries it; the next row.
static int body_rows(work* w, const limb_body* body, int row)
{
  const limb_model* m = w->m;
  const sp_pose X = sp_compose(w->X[body->link], body->in_link);
  const sp_vec3 place = sp_point(X, body->inertia.com);
  sp_mat3 axes;
  const int turns = turning_axes(&body->inertia, &axes), moves = body->inertia.mass != 0 ? 3 : 0;
  for (int i = body->link; i >= 0; i = m->link[i].parent) {
    for (int c = m->link[i].dof; c < m->link[i].dof + m->link[i].ndof; c++) {
      const sp_motion S = w->S[c];
      const sp_vec3 turn = sp_tmulv(axes, sp_tmulv(X.R, S.w));
      const sp_vec3 speed = sp_scale3(1 / w->length, sp_add3(S.v, sp_cross3(S.w, place)));
      const double x[BODY_ROWS] = {turn.x, turn.y, turn.z, speed.x, speed.y, speed.z};
      for (int k = 0; k < turns; k++) add(w, row + k, c, x[3 - turns + k]); // the least moment comes first
      for (int k = 0; k < moves; k++) add(w, row + turns + k, c, x[3 + k]);
    }
  }
  return row + turns + moves;
}

static void fill_rows(work* w)
{
  const limb_model* m = w->m;
  int row = 0;
  memset(w->A, 0, (size_t)w->rows * (size_t)m->nv * sizeof *w->A);
  for (int b = 1; b < m->nbody; b++)
    if (m->body[b].link >= 0) row = body_rows(w, &m->body[b], row);
  for (int c = 0; c < m->ncdof; c++)
    if (m->actuator[c].rotor > 0) add(w, row++, c, 1);
  for (int v = 0; v < m->nv; v++) {
    double* a = w->A + (ptrdiff_t)v * w->rows;
    for (int r = 0; w->Psi && r < m->nrow; r++) a[row + r] = w->Psi[(ptrdiff_t)r * m->nv + v];
    const double size = sqrt(limb_dot((size_t)w->rows, a, a));
    for (int r = 0; r < w->rows; r++) a[r] = size > DEPENDENT ? a[r] / size : 0; // rounding is no direction
  }
}

// False: M is regular at a random configuration. True: idle marks who moves nothing.
static bool is_deficient(work* w, unsigned char* idle)
{
  const limb_model* m = w->m;
  fill_rows(w);
  limb_qr_factor(w->rows, m->nv, w->A, w->pivot, w->norm);
  const int rank = limb_qr_rank(w->rows, m->nv, w->A, DEPENDENT).rank;
  if (rank == m->nv) return false;
  limb_qr_combinations(w->rows, m->nv, rank, w->A);
  memset(idle, 0, (size_t)m->nv);
  for (int r = rank; r < m->nv; r++) {
    idle[w->pivot[r]] = 1;
    for (int k = 0; k < rank; k++) idle[w->pivot[k]] |= fabs(w->A[(ptrdiff_t)r * w->rows + k]) > INVOLVED;
  }
  return true;
}

static double largest_of(sp_vec3 p) { return fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))); }

// The largest offset between joints, or on a body.
static double length_of(const limb_model* m)
{
  double length = 0;
  for (int i = 0; i < m->nlink; i++) length = fmax(length, largest_of(limb_rest_pose(m, i).p));
  for (int b = 1; b < m->nbody; b++)
    length = fmax(length, largest_of(sp_point(m->body[b].in_link, m->body[b].inertia.com)));
  return length > 0 ? length : 1;
}

static void* take(limb_arena* a, int count, size_t size) { return limb_arena_take(a, (size_t)count + 1, size); }

static work lay_out(limb_arena* a, const limb_model* m)
{
  work w = {.m = m, .rows = BODY_ROWS * m->nbody + m->ncdof + m->nrow + m->nv};
  w.q = take(a, m->nq, sizeof *w.q), w.A = take(a, w.rows * m->nv, sizeof *w.A);
  w.X = take(a, m->nlink, sizeof *w.X), w.S = take(a, m->ncdof, sizeof *w.S);
  w.pivot = take(a, m->nv, sizeof *w.pivot), w.norm = take(a, 2 * m->nv, sizeof *w.norm);
  w.Psi = m->nrow > 0 ? take(a, m->nrow * m->nv, sizeof *w.Psi) : NULL;
  return w;
}

// Tries a few configurations. Without loops first; with_loops: with them.
static limb_status judge(work* w, bool with_loops, unsigned char* idle, bool* singular)
{
  double* Psi = w->Psi;
  uint64_t seed = 1;
  limb_status s = LIMB_OK;
  *singular = true;
  for (int i = 0; i < TRIES && *singular && s == LIMB_OK; i++) {
    s = limb_random(w->m, &seed, w->q);
    if (s == LIMB_OK && with_loops) s = w->m->loop_calls->rows(w->m, w->q, Psi);
    if (s == LIMB_E_SINGULAR) { // a wheel lies flat
      s = LIMB_OK, *singular = false;
      break;
    }
    w->Psi = with_loops ? Psi : NULL;
    move_links(w);
    if (s == LIMB_OK) *singular = is_deficient(w, idle);
  }
  w->Psi = Psi;
  return s;
}

limb_status limb_find_weightless(limb_model* m)
{
  memset(m->weightless, 0, (size_t)m->nv);
  if (m->nv == 0 || m->nv > LIMB_WEIGHTLESS_MAX) return LIMB_OK;
  limb_arena count = {0};
  (void)lay_out(&count, m);
  (void)limb_arena_take(&count, (size_t)m->nlink, 1);
  void* block = limb_alloc(&m->alloc, count.used);
  if (!block) return LIMB_E_NOMEM;
  limb_arena arena = limb_arena_over(block, count.used);
  work w = lay_out(&arena, m);
  unsigned char* full = limb_arena_take(&arena, (size_t)m->nlink, 1);
  limb_status s = LIMB_OK;
  if (!is_plain(m, full)) {
    w.length = length_of(m);
    s = judge(&w, false, m->weightless, &m->tree_singular);
    m->singular = m->tree_singular;
    if (s == LIMB_OK && m->nloop > 0 && m->singular) s = judge(&w, true, m->weightless, &m->singular);
    if (!m->singular) memset(m->weightless, 0, (size_t)m->nv);
  }
  limb_arena_release(block, count.used);
  limb_free(&m->alloc, block, count.used);
  return s;
}

// ---- pivots that may be rounding ----------------------------------------------------------------------------

// What is left of the inertia of a link and all it carries, when the joints behind have been eliminated, is a
// difference of numbers of the size of that inertia, and has its rounding. Here that size is bounded: m, |h| and the
// second moments of what a link carries, however the joints behind are placed.

static double farthest(const limb_joint_def* def, double length)
{
  const bool limited = isfinite(def->q_min) && isfinite(def->q_max);
  return limited ? fmax(fabs(def->q_min), fabs(def->q_max)) : length;
}

// How far from the origin of its parent a link may be.
static double reach_of(const limb_model* m, int i, double length)
{
  const limb_link* link = &m->link[i];
  const double offset = sp_norm3(limb_rest_pose(m, i).p);
  switch (link->joint_class) {
  case CLASS_TRANS:
  case CLASS_FREE: return offset + farthest(&m->joint[link->joint].def, length);
  case CLASS_SCREW: return offset + fabs(m->k64[i].pitch) * 3;
  default: return offset;
  }
}

void limb_set_doubts(limb_model* m, limb_moments* carried)
{
  const double length = length_of(m);
  for (int i = 0; i < m->nlink; i++) {
    const limb_link_f64* k = &m->k64[i];
    carried[i] = (limb_moments){
      .m = fabs(k->m), .hx = fabs(k->hx) + fabs(k->hy) + fabs(k->hz), .xx = fabs(k->xx) + fabs(k->yy) + fabs(k->zz)};
  }
  for (int i = m->nlink - 1; i >= 0; i--) {
    const limb_link* link = &m->link[i];
    const limb_moments* s = &carried[i];
    const double pitch = fabs(m->k64[i].pitch), r = reach_of(m, i, length);
    for (int k = 0; k < link->ndof; k++) {
      const bool slides = link->joint_class == CLASS_TRANS || k > 2;
      const double turned = s->xx + 2 * pitch * s->hx + pitch * pitch * s->m;
      m->actuator[link->dof + k].doubt = LIMB_DOUBT_SWEEP * (slides ? s->m : turned);
    }
    if (link->parent < 0) continue;
    limb_moments* to = &carried[link->parent];
    to->m += s->m, to->hx += s->hx + r * s->m, to->xx += s->xx + 2 * r * s->hx + r * r * s->m;
  }
}
