// The equations of legs: set up from the constraints of the closures, reduced, used.
//
// Reference: Khalil 2010, (61)-(65). Cost O(n) for the motion of the links, and constraints^2 (velocities +
//            constraints) for every leg.
//
// A constraint of a closure pulls at the origin of its frame b with (moment; force) = reach, world axes
// (kernel/constraint_kernel.h). On the platform's twist V that is J_V: the same force at the platform's origin, in its
// axes.

#include "kinematics/kinematics_impl.h"
#include "linalg/dense.h"
#include "loops/parallel_impl.h"

#include <math.h>
#include <string.h>

// ---- what does not change -----------------------------------------------------------------------------------

static int place_in(const int* list, int n, int x)
{
  for (int i = 0; i < n; i++) {
    if (list[i] == x) return i;
  }
  return -1;
}

static bool carried_by(const limb_model* m, int link, int platform)
{
  return link >= platform && link < m->link[platform].end;
}

static void prepare_loop(const limb_parallel* p, limb_leg* leg, int k, int* row)
{
  const limb_model* m = p->m;
  const limb_loop* loop = &m->loop[leg->loop[k]];
  const limb_cluster* c = &m->clusters.cluster[loop->cluster];
  const bool a = carried_by(m, loop->link_a, p->link), b = carried_by(m, loop->link_b, p->link);
  // The joints of a leg that carries the platform move it: their columns of Psi have its motion already.
  const bool apart = limb_between_joints(loop) || a == b || leg->carries;
  const int side = b ? 1 : -1;
  leg->side[k] = (signed char)(apart ? 0 : side);
  for (int r = 0; r < loop->nrow; r++, (*row)++) {
    const ptrdiff_t first = c->block + (ptrdiff_t)(loop->local + r) * c->nv;
    for (int j = 0; j < leg->nv; j++) {
      const int column = place_in(c->v, c->nv, leg->v[j]);
      leg->at[(ptrdiff_t)*row * leg->nv + j] = column < 0 ? -1 : first + column;
    }
  }
}

void limb_legs_prepare(limb_parallel* p)
{
  for (int i = 0; i < p->ngroup; i++) {
    int row = 0;
    for (int k = 0; k < p->leg[i].nloop; k++) prepare_loop(p, &p->leg[i], k, &row);
    p->forbids = p->forbids || p->leg[i].nrow > p->leg[i].nv;
  }
  memset(p->B, 0, (size_t)p->m->nv * PLATFORM * sizeof *p->B);
  if (!p->floats) return;
  // V of the link from that of the platform
  double* B = p->B + (ptrdiff_t)p->m->dof[p->m->link[p->link].dof].v * PLATFORM;
  for (int k = 0; k < PLATFORM; k++) {
    double e[PLATFORM] = {0};
    e[k] = 1;
    const sp_motion unit = {{e[0], e[1], e[2]}, {e[3], e[4], e[5]}};
    const sp_motion x = sp_motion_out(p->in_link, unit);
    const double column[PLATFORM] = {x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z};
    for (int i = 0; i < PLATFORM; i++) B[i * PLATFORM + k] = column[i];
  }
}

// ---- at a configuration -------------------------------------------------------------------------------------

sp_pose limb_platform_pose(const limb_parallel* p) { return sp_compose(p->w->d->own.X[p->link], p->in_link); }

// [J J_V 1] of the constraints of a closure, from local constraint *row on.
static void set_loop(const limb_parallel* p, const limb_leg* leg, int k, const sp_pose* X, int* row)
{
  const limb_loops* w = p->w;
  const limb_loop* loop = &p->m->loop[leg->loop[k]];
  const int first = p->m->clusters.cluster[loop->cluster].row + loop->local;
  const double side = leg->side[k];
  sp_vec3 r = {0, 0, 0}; // origin of b, from the platform's
  if (side != 0) {
    const sp_pose* links = w->d->own.X;
    const sp_vec3 b = loop->link_b < 0 ? loop->in_b.p : sp_point(links[loop->link_b], loop->in_b.p);
    r = sp_sub3(b, X->p);
  }
  for (int i = 0; i < loop->nrow; i++, (*row)++) {
    double* A = leg->eqs.A + *row * limb_leg_wide(leg);
    const ptrdiff_t* at = leg->at + (ptrdiff_t)*row * leg->nv;
    for (int j = 0; j < leg->nv; j++) A[j] = at[j] < 0 ? 0 : w->Psi[at[j]];
    const double* F = w->reach + (ptrdiff_t)(first + i) * PLATFORM;
    const sp_vec3 f = sp_v3(side * F[3], side * F[4], side * F[5]);
    const sp_vec3 m = sp_v3(side * F[0], side * F[1], side * F[2]);
    const sp_vec3 fp = sp_tmulv(X->R, f), mp = sp_tmulv(X->R, sp_add3(m, sp_cross3(r, f)));
    double* J_V = A + leg->nv;
    J_V[0] = mp.x, J_V[1] = mp.y, J_V[2] = mp.z, J_V[3] = fp.x, J_V[4] = fp.y, J_V[5] = fp.z;
  }
}

// J_0 v - V: columns of the joints on the way to the platform, in its axes.
static void set_carried(const limb_parallel* p, const limb_leg* leg, const sp_pose* X, int row)
{
  const limb_model* m = p->m;
  const ptrdiff_t wide = limb_leg_wide(leg);
  double* A = leg->eqs.A + row * wide;
  for (int k = 0; k < PLATFORM; k++) {
    for (int j = 0; j < leg->nv + PLATFORM; j++) A[k * wide + j] = j == leg->nv + k ? -1 : 0;
  }
  for (int i = p->link; i >= 0; i = m->link[i].parent) {
    for (int k = 0; k < m->link[i].ndof; k++) {
      const limb_dof* dof = &m->dof[m->link[i].dof + k];
      const sp_motion S = limb_link_axis(m, i, k, &p->w->d->own.X[i], X->p);
      const sp_vec3 w = sp_tmulv(X->R, S.w), v = sp_tmulv(X->R, S.v);
      const double column[PLATFORM] = {w.x, w.y, w.z, v.x, v.y, v.z};
      double* to = A + place_in(leg->v, leg->nv, dof->v);
      for (int c = 0; c < PLATFORM; c++) to[c * wide] += dof->mult * column[c];
    }
  }
}

// Sizes of the terms that E is a sum of, in a reduced row.
static double terms_of_E(const limb_leg* leg, int k)
{
  const double* T = leg->eqs.A + k * limb_leg_wide(leg) + leg->nv + PLATFORM;
  double sum = 0;
  for (int j = 0; j < leg->nrow; j++) sum += fabs(T[j]) * leg->size[j];
  return sum;
}

// Where the platform does not move a closure, J_V is what rounding makes of J.
#define ROUNDED 1e-4 // times LIMB_DEPENDENT

// Sets up and reduces; false when the velocities do not follow from the platform's.
static bool reduce_leg(limb_parallel* p, limb_leg* leg, const sp_pose* X)
{
  const ptrdiff_t wide = limb_leg_wide(leg);
  int row = 0;
  for (int k = 0; k < leg->nloop; k++) set_loop(p, leg, k, X, &row);
  if (leg->carries) set_carried(p, leg, X, row);
  for (int i = 0; i < leg->nrow; i++) {
    double* A = leg->eqs.A + i * wide + leg->nv;
    leg->size[i] = fmax(limb_largest(PLATFORM, A), ROUNDED * limb_largest((size_t)leg->nv, A - leg->nv));
    for (int j = 0; j < leg->nrow; j++) A[PLATFORM + j] = i == j ? 1 : 0;
  }
  limb_row_reduce(&leg->eqs, NULL, LIMB_DEPENDENT);
  if (leg->eqs.rank < leg->nv) return false;
  for (int k = 0; k < leg->nv; k++) { // B = -E
    const double* E = leg->eqs.A + k * wide + leg->nv;
    const int v = leg->v[leg->eqs.pivot[k]];
    double* B = p->B + (ptrdiff_t)v * PLATFORM;
    for (int c = 0; c < PLATFORM; c++) B[c] = -E[c];
    p->terms[v] = terms_of_E(leg, k);
  }
  return true;
}

limb_status limb_legs_at(limb_parallel* p, const double* q, int* failed)
{
  const limb_status s = limb_constraints_at(p->w, q, NULL, 0, LIMB_NEED_PSI | LIMB_NEED_REACH);
  if (s != LIMB_OK) return s;
  const sp_pose X = limb_platform_pose(p);
  for (int i = 0; i < p->ngroup; i++) {
    if (reduce_leg(p, &p->leg[i], &X)) continue;
    if (failed) *failed = i;
    return LIMB_E_SINGULAR;
  }
  return LIMB_OK;
}

// ---- right-hand sides ---------------------------------------------------------------------------------------

void limb_legs_set(limb_parallel* p, double factor, const double* rows, const double* carried)
{
  for (int i = 0; i < p->ngroup; i++) {
    limb_leg* leg = &p->leg[i];
    double* g = leg->g;
    for (int k = 0; k < leg->nloop; k++) {
      const limb_loop* loop = &p->m->loop[leg->loop[k]];
      const double* from = rows + p->m->clusters.cluster[loop->cluster].row + loop->local;
      for (int r = 0; r < loop->nrow; r++) *g++ = factor * from[r];
    }
    for (int k = 0; leg->carries && k < PLATFORM; k++) *g++ = factor * carried[k];
  }
}

// (T g)_k
static double stepped(const limb_leg* leg, int k)
{
  const double* T = leg->eqs.A + k * limb_leg_wide(leg) + leg->nv + PLATFORM;
  double sum = 0;
  for (int j = 0; j < leg->nrow; j++) sum += T[j] * leg->g[j];
  return sum;
}

void limb_legs_follow(const limb_parallel* p, const double* V, double* x)
{
  const int nv = p->m->nv;
  for (int i = 0; i < nv; i++) {
    const double* B = p->B + (ptrdiff_t)i * PLATFORM;
    double sum = 0;
    for (int c = 0; V && c < PLATFORM; c++) sum += B[c] * V[c];
    x[i] = sum;
  }
  for (int i = 0; i < p->ngroup; i++) {
    const limb_leg* leg = &p->leg[i];
    for (int k = 0; k < leg->nv; k++) x[leg->v[leg->eqs.pivot[k]]] += stepped(leg, k);
  }
}

// ---- what the legs forbid -----------------------------------------------------------------------------------

// The same of T g.
static double terms_of_g(const limb_leg* leg, int k)
{
  const double* T = leg->eqs.A + k * limb_leg_wide(leg) + leg->nv + PLATFORM;
  double sum = 0;
  for (int j = 0; j < leg->nrow; j++) sum += fabs(T[j] * leg->g[j]);
  return sum;
}

// Rows of what the legs forbid, each of size 1: [E T g]; how many.
static int gather(const limb_parallel* p, double* A)
{
  int rows = 0;
  for (int i = 0; i < p->ngroup; i++) {
    const limb_leg* leg = &p->leg[i];
    for (int k = leg->nv; k < leg->nrow; k++) {
      const double* E = leg->eqs.A + k * limb_leg_wide(leg) + leg->nv;
      const double size = limb_largest(PLATFORM, E);
      if (!(size > LIMB_DEPENDENT * terms_of_E(leg, k))) continue;
      double* to = A + (ptrdiff_t)(rows++) * (PLATFORM + 1);
      for (int c = 0; c < PLATFORM; c++) to[c] = E[c] / size;
      to[PLATFORM] = stepped(leg, k) / size;
    }
  }
  return rows;
}

void limb_legs_restrict(limb_parallel* p)
{
  limb_reduction* r = &p->allowed;
  r->columns = PLATFORM, r->extra = 1;
  r->rows = gather(p, r->A);
  limb_row_reduce(r, NULL, LIMB_DEPENDENT);
  p->free = PLATFORM - r->rank;
  for (int t = 0; t < p->free; t++) { // V_p = T g - E_y y
    const int c = r->pivot[r->rank + t];
    for (int i = 0; i < PLATFORM; i++) p->N[i * PLATFORM + t] = i == c ? 1 : 0;
    for (int k = 0; k < r->rank; k++) p->N[r->pivot[k] * PLATFORM + t] = -r->A[k * (PLATFORM + 1) + c];
  }
}

double limb_legs_resist(const limb_parallel* p, const double* V)
{
  if (!p->forbids) return 0;
  const double size = limb_largest(PLATFORM, V);
  double largest = 0, terms = 0;
  for (int i = 0; i < p->ngroup; i++) {
    const limb_leg* leg = &p->leg[i];
    for (int k = 0; k < leg->nrow; k++) {
      const double* E = leg->eqs.A + k * limb_leg_wide(leg) + leg->nv;
      terms = fmax(terms, terms_of_E(leg, k) * size + terms_of_g(leg, k));
      if (k < leg->nv) continue;
      double sum = -stepped(leg, k);
      for (int c = 0; c < PLATFORM; c++) sum += E[c] * V[c];
      largest = fmax(largest, fabs(sum));
    }
  }
  return terms > 0 ? largest / terms : 0;
}

double limb_leg_gap(const limb_parallel* p, const limb_leg* leg)
{
  double largest = 0;
  for (int k = 0; k < leg->nloop; k++) {
    const limb_loop* loop = &p->m->loop[leg->loop[k]];
    const double* phi = p->w->phi + p->m->clusters.cluster[loop->cluster].row + loop->local;
    largest = fmax(largest, limb_largest((size_t)loop->nrow, phi));
    if (limb_loop_is_flipped(p->w, leg->loop[k])) largest = fmax(largest, 2);
  }
  return largest;
}
