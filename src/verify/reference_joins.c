// Reference forward dynamics: divide and conquer, a tree of joins of depth O(log n).
//
// Reference: R. Featherstone, A divide-and-conquer articulated-body algorithm for parallel O(log(n)) calculation of
//            rigid-body dynamics, parts 1 and 2, 1999; here seen from one end as an articulated body, from the other as
//            a mobility, so that bodies without mass and springs of any kind are no exception.
// Cost:      O(n) work; O(log n) steps for a chain, O(log^2 n) for a tree, on n processors.
//
// A part is a row of links. Its base is the link in front of the first one, its tip the last one:
//
//   f_base = I a_base + p + Phi h,    a_tip = Phi' a_base + beta - Lambda h,    h: force on what follows the tip
//
// A part of one link is made of the link and its joint, with U = K S, D = S' K S + rotor. Two parts are joined where
// B begins at the tip of A: with d = I_B - I*, dp = p_B,
//
//   C = 1 + d Lambda_A,  W = C^-1 d,  h0 = C^-1 (d beta_A + dp),  h_A = W Phi_A' a + h0 + C^-1 Phi_B h
//
//   I = I_A + Phi_A W Phi_A'          p = p_A + Phi_A h0              Phi = Phi_A C^-1 Phi_B
//   Lambda = Lambda_B + Phi_B' Lambda_A C^-1 Phi_B                    beta = beta_B + Phi_B' (beta_A - Lambda_A h0)
//
// I* is an inertia that every tip but the last is assumed to hold, so that D > 0 also where a link has no mass of its
// own; d takes it back. Any value is exact.
//
// Digits. Alone, a part responds to forces that were meant for the whole rest. So the tree solves M x = r only, for
// r = tau - ID(q, v, a), from a = 0 on and again with what was found: iterative refinement, each time with the factors
// that are there. ID is made of sweeps over the same tree.
//
// A tree is cut into chains, at each link the longest goes on. A chain that a link carries adds its I and p to the
// link's: chains whose side chains are done are worked on together (rank).
//
//   rounds       nodes that do not depend on each other, one after the other; a sweep up or down passes all
//   operations   additions, multiplications and divisions, counted while they are made

#include "verify/reference_joins_impl.h"

#include "base/numeric.h"
#include "dynamics/environment.h"
#include "kernel/tables.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef limb_joins joins;
typedef limb_joins_node node;
typedef limb_joins_link leaf;
typedef double task(joins* x, node* n);

static joins lay_out(limb_arena* a, const limb_model* m)
{
  const size_t n = (size_t)m->nbody, nv = (size_t)m->nv + 1;
  joins x = {.m = m};
  x.node = limb_arena_take(a, 2 * n, sizeof *x.node);
  x.leaf = limb_arena_take(a, n, sizeof *x.leaf);
  x.T = limb_arena_take(a, n, sizeof *x.T), x.V = limb_arena_take(a, n, sizeof *x.V);
  x.F = limb_arena_take(a, n, sizeof *x.F);
  int** const number[] = {&x.order, &x.round, &x.height, &x.rank, &x.heavy};
  for (size_t k = 0; k < sizeof number / sizeof *number; k++) *number[k] = limb_arena_take(a, 2 * n + 2, sizeof(int));
  double** const vector[] = {&x.a, &x.passive, &x.r};
  for (size_t k = 0; k < sizeof vector / sizeof *vector; k++) *vector[k] = limb_arena_take(a, nv, sizeof(double));
  return x;
}

// ---- the tree ----------------------------------------------------------------------------------------------

// A chain from a body on as a balanced tree: bodies at[0 ... count-1]; returns its root.
static int build(joins* x, const int* at, int count, bool has_tip)
{
  const int i = x->nnode++;
  node* n = &x->node[i];
  *n = (node){.left = -1, .right = -1, .carrier = -1, .next = -1, .is_tip = has_tip};
  x->height[i] = 0;
  if (count == 1) {
    n->body = at[0];
    return i;
  }
  const int half = count / 2;
  n->left = build(x, at, half, false); // depth: log2 n
  n->right = build(x, at + half, count - half, has_tip);
  const int l = x->height[n->left], r = x->height[n->right];
  x->height[i] = 1 + (l > r ? l : r);
  return i;
}

// Sizes of subtrees, and the child with which each chain goes on.
static void find_heavy(joins* x, int* size)
{
  const limb_model* m = x->m;
  for (int i = 0; i < m->nbody; i++) size[i] = 1, x->heavy[i] = -1, x->leaf[i].side = -1;
  for (int s = m->nbody - 1; s > 0; s--) {
    const int i = m->body_order[s], p = m->body[i].parent;
    size[p] += size[i];
    if (p > 0 && (x->heavy[p] < 0 || size[i] > size[x->heavy[p]])) x->heavy[p] = i;
  }
}

// Nodes of a chain and of its side chains are done one rank after the other; rank of a chain: above all it carries.
static void sort_rounds(joins* x, const int* rank_of, int ranks, int* first)
{
  memset(first, 0, ((size_t)ranks + 1) * sizeof *first);
  for (int i = 0; i < x->nnode; i++) {
    int* to = &first[rank_of[i] + 1];
    if (x->height[i] + 1 > *to) *to = x->height[i] + 1;
  }
  for (int k = 0; k < ranks; k++) first[k + 1] += first[k];
  x->nround = first[ranks];
  memset(x->round, 0, ((size_t)x->nround + 1) * sizeof *x->round);
  for (int i = 0; i < x->nnode; i++) x->round[first[rank_of[i]] + x->height[i] + 1]++;
  for (int k = 0; k < x->nround; k++) x->round[k + 1] += x->round[k];
  for (int i = 0; i < x->nnode; i++) x->order[x->round[first[rank_of[i]] + x->height[i]]++] = i;
  for (int k = x->nround; k > 0; k--) x->round[k] = x->round[k - 1];
  x->round[0] = 0;
}

// work: 4 nbody numbers.
static void make_tree(joins* x, int* work)
{
  const limb_model* m = x->m;
  int *row = work, *rank_of = work + m->nbody, ranks = 0;
  find_heavy(x, row);
  memset(x->rank, 0, (size_t)m->nbody * sizeof *x->rank);
  for (int s = m->nbody - 1; s > 0; s--) {
    const int head = m->body_order[s], p = m->body[head].parent;
    if (p > 0 && x->heavy[p] == head) continue;
    int count = 0, rank = 0;
    for (int i = head; i >= 0; i = x->heavy[i]) {
      row[count++] = i;
      if (x->rank[i] > rank) rank = x->rank[i]; // above the chains on it
    }
    const int from = x->nnode, root = build(x, row, count, true);
    for (int i = from; i < x->nnode; i++) rank_of[i] = rank;
    x->node[root].carrier = p;
    if (rank + 1 > ranks) ranks = rank + 1;
    if (p == 0) continue;
    if (rank + 1 > x->rank[p]) x->rank[p] = rank + 1;
    x->node[root].next = x->leaf[p].side, x->leaf[p].side = root;
  }
  sort_rounds(x, rank_of, ranks, row);
}

// ---- sweeps ------------------------------------------------------------------------------------------------

typedef struct sweep {
  joins* x;
  task* what;
  int from, count;
} sweep;

static void run_part(void* argument, int index)
{
  const sweep* s = argument;
  const int threads = s->x->pool ? s->x->pool->threads : 1;
  const int begin = (int)((int64_t)s->count * index / threads), end = (int)((int64_t)s->count * (index + 1) / threads);
  for (int i = begin; i < end; i++) {
    node* n = &s->x->node[s->x->order[s->from + i]];
    n->ops = s->what(s->x, n);
  }
}

// One round, and its operations: on P processors each takes as many nodes as any, rounded up.
static void run_round(joins* x, int round, task* what)
{
  sweep s = {x, what, x->round[round], x->round[round + 1] - x->round[round]};
  if (x->pool)
    x->pool->run(x->pool->context, x->pool->threads, run_part, &s);
  else
    run_part(&s, 0);
  double longest = 0;
  for (int i = 0; i < s.count; i++) {
    const double ops = x->node[x->order[s.from + i]].ops;
    if (ops < 0) x->singular = true;
    x->report->work += ops, longest = fmax(longest, ops);
  }
  x->report->path += longest;
  for (int k = 0; k < LIMB_REFERENCE_JOINS_TIMES; k++) x->report->time[k] += longest * ceil(ldexp(s.count, -k));
}

static void up(joins* x, task* what)
{
  for (int k = 0; k < x->nround; k++) run_round(x, k, what);
}

static void down(joins* x, task* what)
{
  for (int k = x->nround - 1; k >= 0; k--) run_round(x, k, what);
}

// ---- motion ------------------------------------------------------------------------------------------------

static double place(joins* x, node* n)
{
  leaf* l = &x->leaf[n->body];
  if (!limb_joins_is_link(n)) {
    const node *A = &x->node[n->left], *B = &x->node[n->right];
    n->X = sp_compose(A->X, B->X);
    n->v = sp_addm(sp_motion_in(B->X, A->v), B->v);
    return 3 * TURN + TURN + ADD3 + ACROSS + 6;
  }
  const limb_joint* joint = &x->m->joint[x->m->body[n->body].joint];
  l->J = limb_reference_joint_at(joint, x->q);
  for (int k = 0; k < l->J.n; k++) l->rotor[k] = limb_reference_rotor(joint, k);
  n->X = l->J.T;
  n->v = limb_reference_joint_times(&l->J, x->v);
  return 90 + 12 * l->J.n; // a rotation about an axis, and its place
}

// a_tip = X a_base + (X V_base) x v + a
static double accelerate(joins* x, node* n)
{
  if (!limb_joins_is_link(n)) {
    const node *A = &x->node[n->left], *B = &x->node[n->right];
    n->a = sp_addm(sp_motion_in(B->X, A->a), sp_addm(sp_crm(sp_motion_in(B->X, A->v), B->v), B->a));
    return 2 * ACROSS + 3 * CROSS + ADD3 + 12;
  }
  const limb_reference_joint* J = &x->leaf[n->body].J;
  n->a = sp_addm(limb_reference_joint_times(J, x->a), limb_reference_joint_drift(J, x->v));
  return 18 * J->n;
}

// Motion of bases, then of links, and what moves them: F = I A + V x* I V.
static double carry_motion(joins* x, node* n)
{
  if (n->carrier >= 0) n->T = x->T[n->carrier], n->V = x->V[n->carrier], n->A = x->leaf[n->carrier].link;
  const sp_motion V = n->V, A = n->A;
  const node* from = limb_joins_is_link(n) ? n : &x->node[n->left];
  const sp_motion carried = sp_motion_in(from->X, V), tip = sp_addm(carried, from->v);
  const sp_motion tip_a = sp_addm(sp_motion_in(from->X, A), sp_addm(sp_crm(carried, from->v), from->a));
  const double ops = 2 * ACROSS + 3 * CROSS + ADD3 + 24 + 4 * TURN + ADD3;
  if (!limb_joins_is_link(n)) {
    node *L = &x->node[n->left], *R = &x->node[n->right];
    L->T = n->T, L->V = V, L->A = A;
    R->T = sp_compose(n->T, L->X), R->V = tip, R->A = tip_a;
    return ops;
  }
  const sp_inertia* Y = &x->m->body[n->body].inertia;
  x->T[n->body] = sp_compose(n->T, n->X), x->V[n->body] = tip, x->leaf[n->body].link = tip_a;
  x->F[n->body] = sp_addf(sp_inertia_times(Y, tip_a), sp_crf(tip, sp_inertia_times(Y, tip)));
  return ops + 2 * (15 + 3 * CROSS + 3 * ADD3) + 3 * CROSS + ADD3 + 6;
}

// ---- forces ------------------------------------------------------------------------------------------------

static double gather_force(joins* x, node* n)
{
  if (!limb_joins_is_link(n)) {
    const node *A = &x->node[n->left], *B = &x->node[n->right];
    n->G = sp_addf(A->G, sp_force_out(A->X, B->G));
    return ACROSS + 6;
  }
  double ops = ACROSS;
  for (int s = x->leaf[n->body].side; s >= 0; s = x->node[s].next) {
    x->F[n->body] = sp_addf(x->F[n->body], x->node[s].G);
    ops += 6;
  }
  n->G = sp_force_out(n->X, x->F[n->body]);
  return ops;
}

// r = tau - friction, springs, rotors - S' F
static double spread_force(joins* x, node* n)
{
  if (n->carrier >= 0) n->more = sp_force_make(sp_v3(0, 0, 0), sp_v3(0, 0, 0));
  if (!limb_joins_is_link(n)) {
    node *A = &x->node[n->left], *B = &x->node[n->right];
    B->more = n->more;
    A->more = sp_addf(B->G, sp_force_out(B->X, n->more));
    return ACROSS + 6;
  }
  leaf* l = &x->leaf[n->body];
  const sp_force F = sp_addf(x->F[n->body], n->more);
  for (int k = 0; k < l->J.n; k++) {
    const int v = l->J.v + k;
    x->r[v] = l->r[k] = x->tau[v] - x->passive[v] - sp_dot(l->J.A[k], F);
  }
  return 6 + 13 * l->J.n;
}

// ---- the call ----------------------------------------------------------------------------------------------

// What a tip is assumed to hold: a ball as heavy as a link on average, as wide as the chain's steps.
static sp_inertia usual_inertia(const limb_model* m, const node* nodes, int count)
{
  double mass = 0, step = 0, own = 0;
  int links = 0;
  for (int i = 0; i < count; i++) {
    if (!limb_joins_is_link(&nodes[i])) continue;
    const sp_inertia* Y = &m->body[nodes[i].body].inertia;
    mass += Y->mass, own += Y->xx + Y->yy + Y->zz + Y->mass * sp_dot3(Y->com, Y->com);
    step += sp_dot3(nodes[i].X.p, nodes[i].X.p), links++;
  }
  if (links > 0) mass /= links, step /= links, own /= links;
  if (!(mass > 0)) mass = 1;
  double moment = mass * step + own;
  if (!(moment > 0)) moment = mass;
  return (sp_inertia){mass, {0, 0, 0}, moment, 0, 0, moment, 0, moment};
}

// r = tau - ID(q, v, a); its largest.
static limb_status find_rest(joins* x, double* largest)
{
  const limb_environment* e = &x->env;
  memset(x->passive, 0, (size_t)x->m->nv * sizeof *x->passive);
  limb_reference_actuators(x->m, x->q, x->v, x->a, e, x->passive);
  x->T[0] = sp_pose_identity(), x->V[0] = e->base_velocity;
  const sp_vec3 turned = sp_cross3(e->base_velocity.w, e->base_velocity.v);
  const sp_vec3 a0 = sp_sub3(sp_sub3(e->base_acceleration.v, turned), e->gravity);
  x->leaf[0].link = sp_motion_make(e->base_acceleration.w, a0);
  up(x, accelerate);
  down(x, carry_motion);
  const limb_status s = limb_reference_wrenches(x->m, x->T, x->V, e, -1, x->F);
  up(x, gather_force);
  down(x, spread_force);
  *largest = limb_largest((size_t)x->m->nv, x->r);
  return s;
}

static limb_status solve(joins* x, double* a)
{
  const size_t nv = (size_t)x->m->nv;
  limb_reference_joins_report* r = x->report;
  double rest, before = HUGE_VAL, first = 0;
  up(x, place);
  x->guess = usual_inertia(x->m, x->node, x->nnode);
  limb_status s = find_rest(x, &rest);
  if (s != LIMB_OK) return s;
  up(x, limb_joins_factor);
  if (x->singular) return LIMB_E_SINGULAR;
  for (first = fmax(rest, limb_largest(nv, x->tau)); r->solves < SOLVES && rest < before / 2; r->solves++) {
    memcpy(a, x->a, nv * sizeof *a);
    before = rest;
    if (rest <= DBL_EPSILON * first) break;
    up(x, limb_joins_gather);
    down(x, limb_joins_spread);
    if (!limb_finite(x->m->nv, x->a)) return r->solves ? LIMB_OK : LIMB_E_NONFINITE;
    s = find_rest(x, &rest);
    if (s != LIMB_OK) return s;
  }
  if (rest < before) memcpy(a, x->a, nv * sizeof *a), before = rest;
  r->residual = first > 0 ? before / first : 0;
  return LIMB_OK;
}

limb_status limb_reference_joins(const limb_model* m, const limb_pool* pool, const double* q, const double* v,
                                 const double* tau, const limb_environment* env, double* a,
                                 limb_reference_joins_report* report)
{
  if (!m || !q || !v || !tau || !a) return LIMB_E_ARG;
  if (pool && (pool->size < sizeof *pool || pool->threads < 1 || !pool->run)) return LIMB_E_ARG;
  if (m->has_mimic || m->nloop > 0) return LIMB_E_UNSUPPORTED;
  limb_reference_joins_report own = {0};
  limb_environment e;
  limb_memory memory;
  limb_arena count = {0};
  (void)lay_out(&count, m);
  const size_t size = count.used + 4 * ((size_t)m->nbody + 1) * sizeof(int);
  limb_status s = limb_reference_open(m, q, v, tau, env, size, &e, &memory);
  if (s != LIMB_OK) return s;
  limb_arena arena = limb_arena_over(memory.block, memory.size);
  joins x = lay_out(&arena, m);
  x.env = e, x.pool = pool, x.q = q, x.v = v, x.tau = tau, x.report = &own;
  make_tree(&x, (int*)((char*)memory.block + count.used));
  own.links = m->nbody - 1, own.levels = x.nround;
  s = solve(&x, a);
  if (report) *report = own;
  limb_memory_end(memory);
  return s == LIMB_OK && !limb_finite(m->nv, a) ? LIMB_E_NONFINITE : s;
}
