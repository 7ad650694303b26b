// One call on several processors: the order of events.
//
// Reference: trees: the recursions of limb/dynamics.h, branch by branch. Chains: R. Featherstone, A
//            divide-and-conquer articulated-body algorithm, 1999, with parts of many joints instead of one,
//            and one pass along the parts instead of a tree of joins.
//
// The pool runs phases; between them the caller does what takes one processor: trunk, and parts in a row.
//
//   inverse   A  first parts: out; with no next part also back. Others, but the last one: how their last
//                links move against their bases
//             -  motions of the bases, in a row
//             B  other parts: out and back, as if they held nothing; the last one is done with that
//             -  forces, in a row
//             C  parts that hold a next one: back, with its force
//   forward   A  first parts: out (velocities); with no next part also back. Others: as above
//             -  velocities of the bases, in a row
//             B  other parts: out; all in rows: back, seen from both ends if they hold a next one, of which
//                its first links suffice for a guess
//             -  joins from the last part to the first, the trunk, accelerations of the bases in a row
//             C  all: accelerations
//
// Without rows B and, of inverse dynamics, C have nothing to do and are left out.

#include "batch/batch_impl.h"
#include "dynamics/environment.h"
#include "kernel/tables.h"
#include "linalg/dense.h"

#include <string.h>

enum { PHASE_A, PHASE_B, PHASE_C };

static double* base_of(limb_part* p) { return p->ws.base; }
static double* handed(limb_part* p) { return p->ws.force; } // force on the base, or from it

static double* force_of(limb_part* p, int link) { return (double*)p->ws.force + (size_t)(link + 1) * LIMB_WS_FORCE; }

static double* state_of(limb_part* p, int link) { return (double*)p->ws.state + (size_t)link * LIMB_WS_STATE; }

// Of link -1: what is handed to the base.
static double* artic_of(limb_part* p, int link) { return (double*)p->ws.artic + (ptrdiff_t)link * LIMB_WS_ARTIC; }

static double* handed_artic(limb_part* p) { return artic_of(p, -1); }

static int last_of(const limb_part* p) { return p->m.nlink - 1; }

static void copy(double* to, const double* from, int n) { memcpy(to, from, (size_t)n * sizeof *to); }

// Whether a part has something to do.
static bool works(const limb_part* p, limb_split_way way, int phase)
{
  const bool first = p->previous < 0, last = p->next < 0;
  if (phase == PHASE_A) return first || !last || way == LIMB_SPLIT_FORWARD;
  if (phase == PHASE_B) return !first || (!last && way == LIMB_SPLIT_FORWARD);
  return !last || way == LIMB_SPLIT_FORWARD;
}

// Pools hand tasks out from the first on. Where each processor takes one, a part stays with its processor
// from phase to phase: of k + 1 in a row the last one replaces the first, when that rests.
static void run(limb_split* s, limb_split_way way, int phase, limb_pool_task* task)
{
  const limb_cut* cut = &s->cut[way];
  int count = 0;
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 0; i < cut->count; i++) {
      const limb_part* p = &cut->part[i];
      const bool in_place_of_first = way == LIMB_SPLIT_INVERSE && phase == PHASE_B && p->next < 0;
      if (in_place_of_first == (turn == 0) && works(p, way, phase)) s->order[count++] = i;
    }
  }
  s->phase = phase;
  s->pool->run(s->pool->context, count, task, s);
}

// ---- inverse dynamics ---------------------------------------------------------------------------------------

static void inverse_end(limb_split* s, limb_part* p)
{
  s->kernels->inverse_back(p, true, &s->call);
  p->fine = s->kernels->inverse_end(p, &s->call);
}

static void inverse_first(limb_split* s, limb_part* p)
{
  limb_part* trunk = &s->cut[LIMB_SPLIT_INVERSE].trunk;
  copy(base_of(p), state_of(trunk, p->trunk_link), LIMB_WS_STATE);
  s->kernels->inverse_out(p, &s->call);
  copy(handed(p), force_of(trunk, p->trunk_link), LIMB_WS_FORCE);
  if (p->next < 0) inverse_end(s, p);
}

static void inverse_task(void* argument, int index)
{
  limb_split* s = argument;
  const limb_split_kernels* k = s->kernels;
  limb_part* p = &s->cut[LIMB_SPLIT_INVERSE].part[s->order[index]];
  const bool first = p->previous < 0, last = p->next < 0;
  if (s->phase == PHASE_A) {
    k->load(p, &s->call);
    if (first)
      inverse_first(s, p);
    else
      k->relative(p, &s->call, &p->relative);
  } else if (s->phase == PHASE_B) {
    if (last) k->load(p, &s->call);
    k->inverse_out(p, &s->call);
    memset(handed(p), 0, LIMB_WS_FORCE * sizeof(double));
    if (last)
      inverse_end(s, p);
    else
      k->inverse_back(p, true, &s->call);
  } else {
    inverse_end(s, p);
  }
}

// The motion of a part's last link, when its base's is known.
static void motion_of_last(limb_split* s, limb_part* p, double* last)
{
  if (p->previous < 0)
    copy(last, state_of(p, last_of(p)), LIMB_WS_STATE);
  else
    s->kernels->advance(&p->relative, base_of(p), last);
}

static void motions_of_bases(limb_split* s, limb_cut* cut)
{
  for (int i = 0; i < cut->count; i++) {
    limb_part* p = &cut->part[i];
    if (p->next >= 0) motion_of_last(s, p, base_of(&cut->part[p->next]));
  }
}

// Forces from the last part to the first; each is added to its part's last link.
static void forces_in_rows(limb_split* s, limb_cut* cut)
{
  for (int i = cut->count - 1; i >= 0; i--) {
    limb_part* p = &cut->part[i];
    if (p->next < 0) continue;
    const double* F = handed(&cut->part[p->next]);
    double* onto = force_of(p, last_of(p));
    for (int k = 0; k < LIMB_WS_FORCE; k++) onto[k] += F[k];
    if (p->previous >= 0) s->kernels->hand_on(&p->relative, F, handed(p));
  }
  for (int i = 0; i < cut->count; i++) { // the second time they begin with nothing
    limb_part* p = &cut->part[i];
    if (p->previous >= 0 && p->next >= 0) memset(handed(p), 0, LIMB_WS_FORCE * sizeof(double));
  }
}

static bool all_fine(const limb_cut* cut)
{
  bool fine = cut->trunk.fine;
  for (int i = 0; i < cut->count; i++) fine &= cut->part[i].fine;
  return fine;
}

static limb_status inverse(limb_split* s, limb_cut* cut)
{
  const limb_split_kernels* k = s->kernels;
  limb_part* trunk = &cut->trunk;
  k->load(trunk, &s->call);
  k->inverse_out(trunk, &s->call);
  run(s, LIMB_SPLIT_INVERSE, PHASE_A, inverse_task);
  if (cut->rows) {
    motions_of_bases(s, cut);
    run(s, LIMB_SPLIT_INVERSE, PHASE_B, inverse_task);
    forces_in_rows(s, cut);
    run(s, LIMB_SPLIT_INVERSE, PHASE_C, inverse_task);
  }
  for (int i = 0; i < cut->count; i++) {
    limb_part* p = &cut->part[i];
    if (p->previous < 0) copy(force_of(trunk, p->trunk_link), handed(p), LIMB_WS_FORCE);
  }
  k->inverse_back(trunk, false, &s->call);
  trunk->fine = k->inverse_end(trunk, &s->call);
  return all_fine(cut) ? LIMB_OK : LIMB_E_NONFINITE;
}

// ---- parts in a row: a part and what it holds ---------------------------------------------------------------

// The part has been taken through its passes with a guess I*, p* of what it holds; Phi, beta and Lambda
// belong to that (kernel/aba_kernel.h). Now the true I and p are known, seen from the part's last link,
// which accelerates by a_last. With the differences dI = I - I* and dp = p - p* the force differs by
//
//   h = dI a_last + dp,    a_last = Phi' a + beta - Lambda h
//   h = W Phi' a + h0,     W = (1 + dI Lambda)^-1 dI,    h0 = (1 + dI Lambda)^-1 (dI beta + dp)
//
// and seen from the part's base it is
//
//   I_base = I_part + Phi W Phi',    p_base = p_part + Phi h0
//
// Without a guess (zero) the part alone would answer first: under torques that were meant to carry the rest
// of the chain its accelerations are huge, and as many digits are lost when they are taken back. A guess from
// some links of the rest leaves little to take back: what is behind them hardly counts.
//
// I and I* are positive semidefinite, and so is 1 / Lambda + dI: the inverse exists, whatever the robot. Cost
// O(1): about 1600 multiplications.

// Articulated inertia and bias as the kernels keep them: A, B, M and p, where n = A al + B a, f = B' al + M
// a.
enum { AT_A = 0, AT_B = 6, AT_M = 15, AT_P = 21 };

static const int symmetric[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

// Entry r, c of the inertia.
static int entry(int r, int c)
{
  if (r < 3 && c < 3) return AT_A + symmetric[r][c];
  if (r >= 3 && c >= 3) return AT_M + symmetric[r - 3][c - 3];
  return r < c ? AT_B + 3 * r + c - 3 : AT_B + 3 * c + r - 3;
}

// Row r of F is added up: sum of F[r][k] x[k].
static double row_times(const double* F, const double* x)
{
  double sum = 0;
  for (int k = 0; k < 6; k++) sum += F[k] * x[k];
  return sum;
}

// 1 + I Lambda
static void coupling(const limb_tip* t, const double* I, double* C)
{
  for (int r = 0; r < 6; r++) {
    for (int c = 0; c < 6; c++) {
      double sum = r == c;
      for (int k = 0; k < 6; k++) sum += I[entry(r, k)] * t->Lambda[k][c];
      C[6 * r + c] = sum;
    }
  }
}

// W = C^-1 d and h0 = C^-1 (p + d beta), from the factors of C.
static void solve_grip(const limb_tip* t, const double* d, const double* C, const int* pivot, limb_grip* g)
{
  for (int c = 0; c < 6; c++) {
    double column[6];
    for (int r = 0; r < 6; r++) column[r] = d[entry(r, c)];
    limb_lu_solve(6, C, pivot, column);
    for (int r = 0; r < 6; r++) g->W[r][c] = column[r];
  }
  for (int r = 0; r < 6; r++) {
    g->h0[r] = d[AT_P + r];
    for (int k = 0; k < 6; k++) g->h0[r] += d[entry(r, k)] * t->beta[k];
  }
  limb_lu_solve(6, C, pivot, g->h0);
}

// What is held at the end, as the part before feels it: Phi W Phi' and Phi h0.
static void hand_back(const limb_tip* t, const limb_grip* g, double* kept)
{
  for (int r = 0; r < 6; r++) {
    double FW[6]; // row r of Phi W; W is symmetric but for rounding
    for (int k = 0; k < 6; k++) {
      FW[k] = 0;
      for (int l = 0; l < 6; l++) FW[k] += t->Phi[r][l] * (g->W[l][k] + g->W[k][l]) / 2;
    }
    for (int c = r; c < 6; c++) kept[entry(r, c)] += row_times(FW, t->Phi[c]);
    kept[AT_P + r] += row_times(t->Phi[r], g->h0);
  }
}

// A part with its next ones, seen from its base: kept is the articulated inertia and bias of the part with what it
// was guessed to hold, then with next.
static void join_next(limb_part* p, const double* guess, const double* next, double* kept)
{
  double d[LIMB_WS_ARTIC], C[36], scale[6];
  int pivot[6];
  for (int i = 0; i < LIMB_WS_ARTIC; i++) d[i] = next[i] - guess[i];
  coupling(&p->tip, d, C);
  p->fine = limb_lu_factor(6, C, pivot, scale);
  if (!p->fine) return;
  solve_grip(&p->tip, d, C, pivot, &p->grip);
  hand_back(&p->tip, &p->grip, kept);
}

// What the part then holds, and how its last link accelerates, six numbers: from those of its base.
static void let_go(limb_part* p, const double* base, double* last)
{
  limb_tip* t = &p->tip;
  double free[6]; // Phi' a
  for (int c = 0; c < 6; c++) {
    free[c] = 0;
    for (int r = 0; r < 6; r++) free[c] += t->Phi[r][c] * base[r];
  }
  memset(t->h, 0, sizeof t->h);
  for (int r = 0; r < 6; r++) t->h[r] = p->grip.h0[r] + row_times(p->grip.W[r], free);
  for (int r = 0; r < 6; r++) last[r] = free[r] + t->beta[r] - row_times(t->Lambda[r], t->h);
}

// ---- forward dynamics ---------------------------------------------------------------------------------------

static void forward_back(limb_split* s, limb_part* p)
{
  p->min_pivot = s->kernels->forward_back(p, true, p->next >= 0 ? &p->tip : NULL);
}

// A guess of what the part holds, from the first links of the next one.
static void forward_guess(limb_split* s, limb_cut* cut, limb_part* p)
{
  const limb_split_kernels* k = s->kernels;
  limb_part* view = &cut->view[cut->part[p->next].previous];
  copy(base_of(view), base_of(&cut->part[p->next]), 3);
  view->wrench = cut->part[p->next].wrench;
  k->load(view, &s->call);
  k->forward_out(view, &s->call);
  view->min_pivot = k->forward_back(view, true, NULL);
  copy(artic_of(p, last_of(p)), handed_artic(view), LIMB_WS_ARTIC);
}

static void forward_first(limb_split* s, limb_part* p)
{
  limb_part* trunk = &s->cut[LIMB_SPLIT_FORWARD].trunk;
  copy(base_of(p), state_of(trunk, p->trunk_link), 3);
  s->kernels->forward_out(p, &s->call);
  if (p->next < 0) forward_back(s, p);
}

static void forward_task(void* argument, int index)
{
  limb_split* s = argument;
  const limb_split_kernels* k = s->kernels;
  limb_cut* cut = &s->cut[LIMB_SPLIT_FORWARD];
  limb_part* p = &cut->part[s->order[index]];
  const bool first = p->previous < 0, last = p->next < 0;
  if (s->phase == PHASE_A) {
    k->load(p, &s->call);
    if (first)
      forward_first(s, p);
    else if (!last)
      k->relative(p, &s->call, &p->relative);
  } else if (s->phase == PHASE_B) {
    if (!first) k->forward_out(p, &s->call);
    if (!last) forward_guess(s, cut, p);
    forward_back(s, p);
  } else {
    p->fine = k->forward_end(p, &s->call, last ? NULL : &p->tip);
  }
}

// Joins from the last part to the first. False when a part or a guess is singular: the whole need not be.
static bool join_parts(limb_cut* cut)
{
  for (int i = cut->count - 1; i >= 0; i--) {
    limb_part* p = &cut->part[i];
    if (p->next < 0) continue;
    if (!(p->min_pivot > 0) || !(cut->view[i].min_pivot > 0)) return false;
    join_next(p, artic_of(p, last_of(p)), handed_artic(&cut->part[p->next]), handed_artic(p));
    if (!p->fine) return false;
  }
  return true;
}

// Accelerations of the bases: those of the trunk, then along the rows.
static void accelerate_bases(limb_cut* cut)
{
  for (int i = 0; i < cut->count; i++) {
    limb_part* p = &cut->part[i];
    double* base = base_of(p) + 3;
    if (p->previous < 0) copy(base, state_of(&cut->trunk, p->trunk_link) + 3, 6);
    if (p->next >= 0) let_go(p, base, base_of(&cut->part[p->next]) + 3);
  }
}

static double min_pivot_of(const limb_cut* cut)
{
  double smallest = cut->trunk.min_pivot;
  for (int i = 0; i < cut->count; i++) {
    if (!(cut->part[i].min_pivot >= smallest)) smallest = cut->part[i].min_pivot;
  }
  return smallest;
}

// LIMB_E_UNSUPPORTED: not by parts; nothing has been delivered.
static limb_status forward(limb_split* s, limb_cut* cut)
{
  const limb_split_kernels* k = s->kernels;
  limb_part* trunk = &cut->trunk;
  k->load(trunk, &s->call);
  k->forward_out(trunk, &s->call);
  run(s, LIMB_SPLIT_FORWARD, PHASE_A, forward_task);
  if (cut->rows) {
    motions_of_bases(s, cut);
    run(s, LIMB_SPLIT_FORWARD, PHASE_B, forward_task);
    if (!join_parts(cut)) return LIMB_E_UNSUPPORTED;
  }
  for (int i = 0; i < cut->count; i++) {
    limb_part* p = &cut->part[i];
    if (p->previous >= 0) continue;
    copy(artic_of(trunk, p->trunk_link), handed_artic(p), LIMB_WS_ARTIC);
  }
  trunk->min_pivot = k->forward_back(trunk, false, NULL);
  if (!(min_pivot_of(cut) > 0)) return LIMB_E_UNSUPPORTED; // in doubt: judged as a whole
  trunk->fine = k->forward_end(trunk, &s->call, NULL);
  accelerate_bases(cut);
  run(s, LIMB_SPLIT_FORWARD, PHASE_C, forward_task);
  return all_fine(cut) ? LIMB_OK : LIMB_E_NONFINITE;
}

// ---- calls --------------------------------------------------------------------------------------------------

// The environment of the parts.
static void spread_environment(limb_split* s, limb_cut* cut, const limb_call_environment* x)
{
  const limb_ws* ws = &s->d->ws;
  cut->trunk.ws.base = ws->base;
  cut->trunk.ws.base_turns = ws->base_turns;
  cut->trunk.wrench = NULL;
  for (int i = 0; i < cut->count; i++) {
    limb_part* p = &cut->part[i];
    const double* wrench = x->wrench ? x->wrench + (size_t)p->begin * LIMB_WS_FORCE : NULL;
    if (p->wrench != wrench) p->wrench = wrench; // the memory belongs to another processor's cache
  }
  if (!x->wrench) return;
  for (int i = 0; i < cut->trunk.m.nlink; i++) cut->wrench[i] = s->d->link_force[cut->link[i]];
  cut->trunk.wrench = (const double*)cut->wrench;
}

static limb_status call(limb_split* s, limb_split_way way, const limb_split_call* c, const limb_environment* env)
{
  limb_cut* cut = &s->cut[way];
  limb_status status = limb_check_state(s->d, c->q, c->v, c->x);
  if (status != LIMB_OK) return status;
  limb_call_environment x;
  status = limb_enter(s->d, env, c->q, c->v, &x);
  if (status != LIMB_OK) return status;
  spread_environment(s, cut, &x);
  s->call = *c;
  s->call.terms = x.terms;
  status = way == LIMB_SPLIT_INVERSE ? inverse(s, cut) : forward(s, cut);
  limb_leave(s->d, &x);
  return status;
}

limb_status limb_split_inverse_dynamics(limb_split* s, const double* q, const double* v, const double* a,
                                        const limb_environment* env, double* tau)
{
  if (!s || !q || !v || !a || !tau) return LIMB_E_ARG;
  if (s->cut[LIMB_SPLIT_INVERSE].count == 0) return limb_inverse_dynamics(s->d, q, v, a, env, tau);
  const limb_split_call c = {q, v, a, tau, {0}};
  return call(s, LIMB_SPLIT_INVERSE, &c, env);
}

limb_status limb_split_forward_dynamics(limb_split* s, const double* q, const double* v, const double* tau,
                                        const limb_environment* env, double* a)
{
  if (!s || !q || !v || !tau || !a) return LIMB_E_ARG;
  const limb_split_call c = {q, v, tau, a, {0}};
  limb_status status = LIMB_E_UNSUPPORTED;
  if (s->cut[LIMB_SPLIT_FORWARD].count > 0 && !s->d->m->singular) status = call(s, LIMB_SPLIT_FORWARD, &c, env);
  if (status != LIMB_E_UNSUPPORTED) return status;
  return limb_forward_dynamics(s->d, q, v, tau, env, a);
}
