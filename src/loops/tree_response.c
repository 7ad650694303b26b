// How the spanning tree gives way to forces of its closures: M^-1 Psi' lambda and Psi M^-1 Psi' lambda.
//
// Reference: Featherstone 2008, section 7.2 (articulated bodies); K. Kreutz-Delgado, A. Jain, G. Rodriguez, Recursive
//            formulation of operational space control, The International Journal of Robotics Research 11, 1992.
// Cost:      O(n + m) to prepare and O(m) for the response of the closures, O(n) for that of all joints.
//
// With the articulated inertias I^A known, a wrench f on a link passes its joints inward, and accelerations come back:
//
//     D = S' I^A S + rotor,   U = I^A S          f <- f - U D^-1 S' f           a <- a + S D^-1 (S' f - U' a)
//
// Both are linear. On a way without closures and branches they are, seen from its outer end,
//
//     f_inner = L' f,     a_outer = L a_inner + Omega f      L <- L - L S D^-1 U',   Omega <- Omega + L S D^-1 S' L'
//
// so that the links at closures, and where ways to them meet, are all that is left of the tree: the nodes, at most four
// for a closure and as many branches. World axes, each at the origin of its link.

#include "loops/tree_response.h"

#include "kinematics/kinematics_impl.h"

#include <string.h>

enum { SIX = 6 };

typedef struct node {
  int link;
  int parent; // node at the inner end of the way; -1: the world
  int next;   // of the nodes whose ways have arrived at the same link; -1: none
  sp_force L[SIX];
  sp_motion Omega[SIX]; // of the way alone
  sp_motion whole[SIX]; // of all ways to the world
} node;

struct limb_response {
  const sp_pose* X;
  sp_motion* S;        // ncdof, as are
  sp_force* U;         // these
  double *D, *u;       // u: S' f / D of a sweep
  sp_force (*I)[SIX];  // nlink: articulated inertias
  unsigned char* held; // nlink: a closure pushes it
  int* arrived;        // nlink: node whose way has arrived there; -1: none
  int* of_link;        // nlink: its node
  bool in_doubt;       // some pivot is
  int count;           // of nodes; as many fit as closures can make
  node* nodes;         // from the tips on: parents behind children
  sp_force* f;         // on nodes
  sp_motion* a;        // of nodes
  int* path;           // nodes
  sp_force* link_f;    // nlink
  sp_motion* link_a;   // nlink
  int* of_row;         // nrow: loop
  int* end;            // nloop x ends: link; -1: none
  sp_force* push;      // nrow x ends: wrench of a multiplier of 1
};

limb_response* limb_response_lay_out(limb_arena* a, const limb_model* m)
{
  const size_t n = (size_t)m->nlink, nc = (size_t)m->ncdof, nr = (size_t)m->nrow;
  const size_t ends = LIMB_LOOP_ENDS * (size_t)m->nloop, nodes = 2 * ends < n ? 2 * ends : n;
  limb_response* t = limb_arena_take(a, 1, sizeof *t);
  limb_response r = {.count = 0};
  r.S = limb_arena_take(a, nc, sizeof *r.S), r.U = limb_arena_take(a, nc, sizeof *r.U);
  r.D = limb_arena_take(a, nc, sizeof *r.D), r.u = limb_arena_take(a, nc, sizeof *r.u);
  r.I = limb_arena_take(a, n, sizeof *r.I), r.held = limb_arena_take(a, n, 1);
  r.arrived = limb_arena_take(a, n, sizeof *r.arrived), r.of_link = limb_arena_take(a, n, sizeof *r.of_link);
  r.nodes = limb_arena_take(a, nodes, sizeof *r.nodes), r.path = limb_arena_take(a, nodes, sizeof *r.path);
  r.f = limb_arena_take(a, nodes, sizeof *r.f), r.a = limb_arena_take(a, nodes, sizeof *r.a);
  r.link_f = limb_arena_take(a, n, sizeof *r.link_f), r.link_a = limb_arena_take(a, n, sizeof *r.link_a);
  r.of_row = limb_arena_take(a, nr, sizeof *r.of_row), r.end = limb_arena_take(a, ends, sizeof *r.end);
  r.push = limb_arena_take(a, LIMB_LOOP_ENDS * nr, sizeof *r.push);
  if (t) *t = r;
  return t;
}

// ---- small products -----------------------------------------------------------------------------------------

static const sp_force no_force = {{0, 0, 0}, {0, 0, 0}};
static const sp_motion no_motion = {{0, 0, 0}, {0, 0, 0}};

static void parts_of(sp_force f, double x[SIX])
{
  x[0] = f.m.x, x[1] = f.m.y, x[2] = f.m.z, x[3] = f.f.x, x[4] = f.f.y, x[5] = f.f.z;
}

static sp_motion motion_of(const double x[SIX]) { return (sp_motion){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }

// Rows times a motion.
static void rows_times(const sp_force* A, sp_motion v, double y[SIX])
{
  for (int i = 0; i < SIX; i++) y[i] = sp_dot(v, A[i]);
}

// Omega f
static sp_motion give_way(const sp_motion* Omega, sp_force f)
{
  double y[SIX];
  for (int i = 0; i < SIX; i++) y[i] = sp_dot(Omega[i], f);
  return motion_of(y);
}

// L' f
static sp_force pass_in(const sp_force* L, sp_force f)
{
  double x[SIX];
  sp_force sum = no_force;
  parts_of(f, x);
  for (int i = 0; i < SIX; i++) sum = sp_addf(sum, sp_scalef(x[i], L[i]));
  return sum;
}

// L a
static sp_motion pass_out(const sp_force* L, sp_motion a)
{
  double y[SIX];
  rows_times(L, a, y);
  return motion_of(y);
}

// A force at a point, taken at another that is r behind it.
static sp_force shifted(sp_force f, sp_vec3 r) { return (sp_force){sp_add3(f.m, sp_cross3(r, f.f)), f.f}; }

// ---- articulated inertias -----------------------------------------------------------------------------------

static void own_inertia(const limb_moments* Y, const sp_mat3* R, sp_force I[SIX])
{
  for (int c = 0; c < SIX; c++) {
    double e[SIX] = {0};
    e[c] = 1;
    const sp_motion v = motion_of(e);
    const sp_force f = limb_moments_times(Y, (sp_motion){sp_tmulv(*R, v.w), sp_tmulv(*R, v.v)});
    I[c] = (sp_force){sp_mulv(*R, f.m), sp_mulv(*R, f.f)};
  }
}

// I_parent += X' I X with X from the parent's origin to the link's, r away.
static void carry_in(const sp_force I[SIX], sp_vec3 r, sp_force to[SIX])
{
  sp_force A[SIX];
  for (int i = 0; i < SIX; i++) A[i] = shifted(I[i], r);
  A[0] = sp_addf(A[0], sp_addf(sp_scalef(r.y, A[5]), sp_scalef(-r.z, A[4])));
  A[1] = sp_addf(A[1], sp_addf(sp_scalef(r.z, A[3]), sp_scalef(-r.x, A[5])));
  A[2] = sp_addf(A[2], sp_addf(sp_scalef(r.x, A[4]), sp_scalef(-r.y, A[3])));
  for (int i = 0; i < SIX; i++) to[i] = sp_addf(to[i], A[i]);
}

static sp_vec3 way_in(const limb_response* t, const limb_model* m, int link)
{
  return sp_sub3(t->X[link].p, t->X[m->link[link].parent].p);
}

static bool articulate(const limb_model* m, limb_response* t)
{
  t->in_doubt = false;
  for (int i = 0; i < m->nlink; i++) own_inertia(&m->inertia[i], &t->X[i].R, t->I[i]);
  for (int i = m->nlink - 1; i >= 0; i--) {
    for (int k = m->link[i].ndof - 1; k >= 0; k--) {
      const int c = m->link[i].dof + k;
      double U[SIX];
      t->S[c] = limb_link_axis(m, i, k, &t->X[i], t->X[i].p);
      rows_times(t->I[i], t->S[c], U);
      t->U[c] = (sp_force){{U[0], U[1], U[2]}, {U[3], U[4], U[5]}};
      t->D[c] = sp_dot(t->S[c], t->U[c]) + m->actuator[c].rotor;
      if (!(t->D[c] > LIMB_DOUBT / LIMB_DOUBT_SWEEP * m->actuator[c].doubt)) return false;
      t->in_doubt |= !(t->D[c] > m->actuator[c].doubt);
      for (int j = 0; j < SIX; j++) t->I[i][j] = sp_addf(t->I[i][j], sp_scalef(-U[j] / t->D[c], t->U[c]));
    }
    if (m->link[i].parent >= 0) carry_in(t->I[i], way_in(t, m, i), t->I[m->link[i].parent]);
  }
  return true;
}

// ---- nodes --------------------------------------------------------------------------------------------------

// Which links a closure pushes, and how hard per multiplier. Gears push their joints: the wrench with S' f = slope on
// the link of each, and its opposite on what carries it.
static void push_joints(const limb_loops* w, limb_response* t, const limb_loop* loop, int row, int* end)
{
  const limb_model* m = w->m;
  const int joint[2] = {loop->def.joint, loop->def.other};
  for (int k = 0; k < 2; k++) {
    const int link = m->joint[joint[k]].link, parent = m->link[link].parent, c = m->link[link].dof;
    const sp_motion S = t->S[c];
    const double slope = w->reach[(ptrdiff_t)row * SIX + k] / m->dof[c].mult;
    const double size = sp_dot3(S.w, S.w) + sp_dot3(S.v, S.v);
    const sp_force f = sp_scalef(slope / size, (sp_force){S.w, S.v});
    sp_force* push = t->push + (ptrdiff_t)row * LIMB_LOOP_ENDS;
    end[2 * k] = link, push[2 * k] = f;
    end[2 * k + 1] = parent, push[2 * k + 1] = parent < 0 ? no_force : shifted(sp_scalef(-1, f), way_in(t, m, link));
  }
}

static void push_frames(const limb_loops* w, limb_response* t, const limb_loop* loop, int first, int* end)
{
  const int link[2] = {loop->link_b, loop->link_a};
  const sp_vec3 at = loop->link_b < 0 ? loop->in_b.p : sp_point(t->X[loop->link_b], loop->in_b.p);
  for (int k = 0; k < LIMB_LOOP_ENDS; k++) end[k] = k < 2 ? link[k] : -1;
  for (int r = first; r < first + loop->nrow; r++) {
    const double* x = w->reach + (ptrdiff_t)r * SIX;
    const bool live = (w->wanted[t->of_row[r]] & 1U << (unsigned)(r - first)) != 0;
    const sp_force f = live ? (sp_force){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}} : no_force;
    for (int k = 0; k < 2; k++) {
      if (link[k] < 0) continue;
      const sp_force on = k == 0 ? f : sp_scalef(-1, f);
      t->push[(ptrdiff_t)r * LIMB_LOOP_ENDS + k] = shifted(on, sp_sub3(at, t->X[link[k]].p));
    }
  }
}

static void find_ends(const limb_loops* w, limb_response* t)
{
  const limb_model* m = w->m;
  memset(t->held, 0, (size_t)m->nlink);
  for (int l = 0; l < m->nloop; l++) {
    const limb_loop* loop = &m->loop[l];
    int* end = t->end + (ptrdiff_t)l * LIMB_LOOP_ENDS;
    const int first = m->clusters.cluster[loop->cluster].row + loop->local;
    for (int r = 0; r < loop->nrow; r++) t->of_row[first + r] = l;
    if (limb_between_joints(loop))
      push_joints(w, t, loop, first, end);
    else
      push_frames(w, t, loop, first, end);
    for (int k = 0; k < LIMB_LOOP_ENDS; k++)
      if (end[k] >= 0) t->held[end[k]] = 1;
  }
}

// A node at a link; the ways that have arrived there end at it.
static int begin_node(limb_response* t, int link)
{
  const int n = t->count++;
  node* x = &t->nodes[n];
  for (int i = t->arrived[link]; i >= 0; i = t->nodes[i].next) t->nodes[i].parent = n;
  *x = (node){.link = link, .parent = -1, .next = -1};
  for (int i = 0; i < SIX; i++) {
    double e[SIX] = {0};
    e[i] = 1;
    x->L[i] = (sp_force){{e[0], e[1], e[2]}, {e[3], e[4], e[5]}};
    x->Omega[i] = no_motion;
  }
  return n;
}

static void cross_joints(const limb_model* m, const limb_response* t, int link, node* x)
{
  for (int k = m->link[link].ndof - 1; k >= 0; k--) {
    const int c = m->link[link].dof + k;
    double y[SIX];
    rows_times(x->L, t->S[c], y);
    const sp_motion share = sp_scalem(1 / t->D[c], motion_of(y));
    for (int i = 0; i < SIX; i++) {
      x->Omega[i] = sp_addm(x->Omega[i], sp_scalem(y[i], share));
      x->L[i] = sp_addf(x->L[i], sp_scalef(-y[i] / t->D[c], t->U[c]));
    }
  }
}

static void find_nodes(const limb_model* m, limb_response* t)
{
  t->count = 0;
  for (int i = 0; i < m->nlink; i++) t->arrived[i] = -1;
  for (int i = m->nlink - 1; i >= 0; i--) {
    int n = t->arrived[i];
    if (t->held[i] || (n >= 0 && t->nodes[n].next >= 0)) n = begin_node(t, i);
    t->of_link[i] = n;
    if (n < 0) continue;
    node* x = &t->nodes[n];
    const int parent = m->link[i].parent;
    cross_joints(m, t, i, x);
    x->next = -1;
    if (parent < 0) continue;
    const sp_vec3 r = way_in(t, m, i);
    for (int k = 0; k < SIX; k++) x->L[k] = shifted(x->L[k], r);
    x->next = t->arrived[parent], t->arrived[parent] = n;
  }
}

// whole = Omega + L whole_parent L'
static void find_whole(limb_response* t)
{
  for (int n = t->count - 1; n >= 0; n--) {
    node* x = &t->nodes[n];
    memcpy(x->whole, x->Omega, sizeof x->whole);
    if (x->parent < 0) continue;
    for (int c = 0; c < SIX; c++) { // column c of L whole_parent L' is its row c
      const sp_motion y = pass_out(x->L, give_way(t->nodes[x->parent].whole, x->L[c]));
      x->whole[c] = sp_addm(x->whole[c], y);
    }
  }
}

bool limb_response_at(limb_loops* w)
{
  limb_response* t = w->response;
  t->X = w->d->own.X;
  if (!articulate(w->m, t)) return false;
  find_ends(w, t);
  find_nodes(w->m, t);
  find_whole(t);
  limb_response_clear(w);
  return true;
}

// ---- responses ----------------------------------------------------------------------------------------------

void limb_response_clear(limb_loops* w)
{
  for (int n = 0; n < w->response->count; n++) w->response->f[n] = no_force;
}

void limb_response_push(limb_loops* w, int row, double lambda)
{
  limb_response* t = w->response;
  const int* end = t->end + (ptrdiff_t)t->of_row[row] * LIMB_LOOP_ENDS;
  const sp_force* push = t->push + (ptrdiff_t)row * LIMB_LOOP_ENDS;
  for (int k = 0; k < LIMB_LOOP_ENDS; k++) {
    if (end[k] < 0) continue;
    sp_force* f = &t->f[t->of_link[end[k]]];
    *f = sp_addf(*f, sp_scalef(lambda, push[k]));
  }
}

// What constraint `row` of a loop sees of the accelerations of its ends.
static double seen(const limb_response* t, const int* end, int row)
{
  const sp_force* push = t->push + (ptrdiff_t)row * LIMB_LOOP_ENDS;
  double sum = 0;
  for (int k = 0; k < LIMB_LOOP_ENDS; k++)
    if (end[k] >= 0) sum += sp_dot(t->a[t->of_link[end[k]]], push[k]);
  return sum;
}

void limb_response_settle(limb_loops* w, double* y)
{
  const limb_model* m = w->m;
  limb_response* t = w->response;
  for (int n = 0; n < t->count; n++) {
    const node* x = &t->nodes[n];
    if (x->parent >= 0) t->f[x->parent] = sp_addf(t->f[x->parent], pass_in(x->L, t->f[n]));
  }
  for (int n = t->count - 1; n >= 0; n--) {
    const node* x = &t->nodes[n];
    t->a[n] = give_way(x->Omega, t->f[n]);
    if (x->parent >= 0) t->a[n] = sp_addm(t->a[n], pass_out(x->L, t->a[x->parent]));
  }
  for (int l = 0; l < m->nloop; l++) {
    const int first = m->clusters.cluster[m->loop[l].cluster].row + m->loop[l].local;
    for (int r = first; r < first + m->loop[l].nrow; r++) y[r] = seen(t, t->end + (ptrdiff_t)l * LIMB_LOOP_ENDS, r);
  }
}

bool limb_response_in_doubt(const limb_loops* w) { return w->response->in_doubt; }

void limb_response_sweep(limb_loops* w, const double* tau, double* a)
{
  const limb_model* m = w->m;
  limb_response* t = w->response;
  for (int i = 0; i < m->nlink; i++) t->link_f[i] = t->held[i] ? t->f[t->of_link[i]] : no_force;
  for (int i = m->nlink - 1; i >= 0; i--) {
    const int parent = m->link[i].parent;
    for (int k = m->link[i].ndof - 1; k >= 0; k--) { // f in
      const int c = m->link[i].dof + k;
      const double given = tau ? tau[m->dof[c].v] / m->dof[c].mult : 0;
      const double u = (given + sp_dot(t->S[c], t->link_f[i])) / t->D[c];
      t->link_f[i] = sp_addf(t->link_f[i], sp_scalef(-u, t->U[c]));
      t->u[c] = u;
    }
    if (parent >= 0) t->link_f[parent] = sp_addf(t->link_f[parent], shifted(t->link_f[i], way_in(t, m, i)));
  }
  for (int i = 0; i < m->nlink; i++) {
    const int parent = m->link[i].parent;
    sp_motion x = no_motion;
    if (parent >= 0) {
      const sp_motion p = t->link_a[parent];
      x = (sp_motion){p.w, sp_add3(p.v, sp_cross3(p.w, way_in(t, m, i)))};
    }
    for (int k = 0; k < m->link[i].ndof; k++) {
      const int c = m->link[i].dof + k;
      const double rate = t->u[c] - sp_dot(x, t->U[c]) / t->D[c];
      x = sp_addm(x, sp_scalem(rate, t->S[c]));
      a[m->dof[c].v] += rate / m->dof[c].mult;
    }
    t->link_a[i] = x;
  }
}

// The ends of a loop, forces on them: inward until one node has all of it. Returns how many nodes are on the path.
static int meet(limb_response* t, const int* end)
{
  int front[LIMB_LOOP_ENDS], path = 0;
  for (int k = 0; k < LIMB_LOOP_ENDS; k++) front[k] = end[k] < 0 ? -1 : t->of_link[end[k]];
  for (;;) {
    int outermost = t->count, others = 0;
    for (int k = 0; k < LIMB_LOOP_ENDS; k++)
      if (front[k] >= 0 && front[k] < outermost) outermost = front[k];
    for (int k = 0; k < LIMB_LOOP_ENDS; k++) others += front[k] >= 0 && front[k] != outermost;
    t->path[path++] = outermost;
    if (others == 0) return path;
    const node* x = &t->nodes[outermost];
    if (x->parent >= 0) t->f[x->parent] = sp_addf(t->f[x->parent], pass_in(x->L, t->f[outermost]));
    for (int k = 0; k < LIMB_LOOP_ENDS; k++)
      if (front[k] == outermost) front[k] = x->parent;
  }
}

void limb_response_block(limb_loops* w, int loop, double* block)
{
  const limb_loop* l = &w->m->loop[loop];
  limb_response* t = w->response;
  const int first = w->m->clusters.cluster[l->cluster].row + l->local;
  const int* end = t->end + (ptrdiff_t)loop * LIMB_LOOP_ENDS;
  for (int s = 0; s < l->nrow; s++) {
    limb_response_push(w, first + s, 1);
    const int path = meet(t, end);
    for (int p = path - 1; p >= 0; p--) { // back: the innermost node moves against the world
      const int n = t->path[p];
      const node* x = &t->nodes[n];
      const bool innermost = p == path - 1;
      t->a[n] = give_way(innermost ? x->whole : x->Omega, t->f[n]);
      if (!innermost && x->parent >= 0) t->a[n] = sp_addm(t->a[n], pass_out(x->L, t->a[x->parent]));
    }
    for (int r = 0; r < l->nrow; r++) block[r * l->nrow + s] = seen(t, end, first + r);
    for (int p = 0; p < path; p++) t->f[t->path[p]] = no_force;
  }
}
