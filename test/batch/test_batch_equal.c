// A batch over double against the call for one state, on every fixture robot, in several surroundings.
//
// Same formulas in the same order: the numbers are equal, bit for bit, where products and sums are rounded
// one by one, and else to a few units of the last place. Sums that the call for one state makes along the
// joints, several at a time, have another order here: mass matrices, what is solved with them, derivatives.
// `nearness_of` has the bounds.
#include "limb/base.h"

#include "support/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What a robot is asked with: as many states as fill blocks of any length, and a few more.
enum { STATES = CHECK_SANITIZED ? 9 : 37, FEW = 3, AROUND = 5 };

// ---- surroundings ----------------------------------------------------------------------------------------

typedef struct around {
  limb_environment all;
  limb_batch_environment env;
} around;

// 0: friction as it is; 1: smooth, wrenches that do not vary; 2: none, wrenches that do; 3: a base that
// moves, both kinds; 4: another gravity, and a base that does not turn
static void surround(batch_states* s, int which, around* x)
{
  x->all = limb_default_environment(s->m);
  x->env = limb_default_batch_environment();
  x->env.all = &x->all;
  if (which == 1 || which == 3) x->all.nwrench = BATCH_VARIED, x->all.wrench = s->fixed;
  if (which == 2 || which == 3) x->env.nwrench = BATCH_VARIED, x->env.wrench = s->varied;
  if (which == 1) x->all.coulomb_width = 0.3;
  if (which == 2) x->all.friction = 0;
  if (which == 3) {
    x->all.base_velocity = (sp_motion){rng_vec3(&s->r, 1), rng_vec3(&s->r, 1)};
    x->all.base_acceleration = (sp_motion){rng_vec3(&s->r, 2), rng_vec3(&s->r, 2)};
  }
  if (which == 4) {
    x->all.gravity = sp_v3(1, -2, 3);
    x->all.base_acceleration.v = rng_vec3(&s->r, 2);
  }
}

// ---- one question ----------------------------------------------------------------------------------------

// Both answers to a question.
typedef struct pair {
  batch_ask got, want;
} pair;

static void ask_both(const batch_states* s, limb_batch* b, limb_data* d, batch_ask ask, pair* p)
{
  limb_wrench room[2 * BATCH_VARIED];
  limb_status* status = calloc(s->n, sizeof *status);
  p->got = p->want = ask;
  for (int k = 0; k < BATCH_OUTS; k++) {
    const size_t width = batch_width(s->m, ask.what, ask.nframe, k);
    if (width == 0) continue;
    p->got.out[k] = calloc(s->n * width, sizeof(double));
    p->want.out[k] = calloc(s->n * width, sizeof(double));
  }
  p->got.b = b, p->got.status = status;
  for (size_t i = 0; i < ask.n; i++) status[i] = LIMB_E_ARG;
  assert_ok(batch_answer(&p->got));
  for (size_t i = 0; i < ask.n; i++) {
    const limb_environment env = batch_env_of(s->m, ask.env, i, room);
    const batch_ask one = batch_ask_one(s, &p->want, i);
    assert_status(status[i], LIMB_OK);
    assert_ok(batch_answer_one(d, &one, ask.env ? &env : NULL));
  }
  free(status);
}

static void end_pair(pair* p)
{
  for (int k = 0; k < BATCH_OUTS; k++) free(p->got.out[k]), free(p->want.out[k]);
}

// ---- how near --------------------------------------------------------------------------------------------

// How answers that are not equal may differ.
typedef struct nearness {
  double ulps;  // of the largest number among the answers for all states
  double sharp; // more of them, for each unit of the condition of M
} nearness;

// Whether products and sums are fused, which compilers do not do alike for one number and for several.
static bool fused(void)
{
#ifdef __x86_64__
  return strcmp(limb_isa_name(), "base") != 0;
#else
  return true;
#endif
}

static nearness nearness_of(batch_what what)
{
  switch (what) {
  case BATCH_POSES: return (nearness){2, 0};
  case BATCH_MASS: return (nearness){4, 0};
  case BATCH_FORWARD:
  case BATCH_MASS_INVERSE: return (nearness){4, 0.5};
  case BATCH_CORIOLIS:
  case BATCH_ID_SLOPES: return (nearness){32, 0};
  case BATCH_FD_SLOPES: return (nearness){32, 1};
  default: return (nearness){fused() ? 4 : 0, 0};
  }
}

// Largest sum of magnitudes along a row.
static double norm(const double* A, size_t n)
{
  double largest = 0;
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += fabs(A[i * n + j]);
    largest = fmax(largest, sum);
  }
  return largest;
}

// Answers of one state for configuration q; unit: a unit of the last place.
static void check_near(limb_data* d, nearness near, size_t nv, const double* q, const double* got, const double* want,
                       size_t width, double unit)
{
  size_t same = 0;
  while (same < width && fabs(got[same] - want[same]) <= near.ulps * unit) same++;
  if (same == width) return;
  if (near.sharp == 0) assert_close_array(got, want, (int)width, 0, near.ulps * unit);
  double *M = calloc(nv * nv, sizeof *M), *Minv = calloc(nv * nv, sizeof *M);
  assert_ok(limb_mass_matrix(d, q, M));
  assert_ok(limb_mass_matrix_inverse(d, q, Minv));
  const double ulps = near.ulps + near.sharp * norm(M, nv) * norm(Minv, nv);
  assert_close_array(got, want, (int)width, 0, ulps * unit);
  free(M), free(Minv);
}

// ---- all of them -----------------------------------------------------------------------------------------

static void try_one(const batch_states* s, limb_batch* b, limb_data* d, batch_ask ask)
{
  pair p = {{0}, {0}};
  ask_both(s, b, d, ask, &p);
  for (int k = 0; k < BATCH_OUTS; k++) {
    const size_t width = batch_width(s->m, ask.what, ask.nframe, k);
    const double unit = batch_unit(p.want.out[k], ask.n * width);
    for (size_t i = 0; i < ask.n && width > 0; i++)
      check_near(d, nearness_of(ask.what), s->nv, s->q + i * s->nq, (const double*)p.got.out[k] + i * width,
                 (const double*)p.want.out[k] + i * width, width, unit);
  }
  end_pair(&p);
}

// What a robot can be asked in so many states: matrices of a long chain in a few, and no slopes of it.
static size_t states_for(const robot* r, batch_what what)
{
  if (!(r->flags & ROBOT_LONG)) return STATES;
  if (what == BATCH_ID_SLOPES || what == BATCH_FD_SLOPES || what == BATCH_REGRESSOR || what == BATCH_INERTIAL) return 0;
  return what == BATCH_MASS || what == BATCH_MASS_INVERSE ? 1 : FEW;
}

// A robot and what answers for it.
typedef struct bench {
  const robot* r;
  batch_states s;
  limb_batch* b;
  limb_data* d;
} bench;

static void bench_make(bench* x, int index)
{
  int count;
  x->r = &robot_table(&count)[index];
  x->s = batch_states_make(x->r->make(), STATES, (uint64_t)index + 1);
  x->b = batch_make(x->s.m, NULL);
  assert_ok(limb_data_create(x->s.m, NULL, &x->d));
}

static void bench_end(bench* x)
{
  limb_data_destroy(x->d);
  limb_batch_destroy(x->b);
  batch_states_free(&x->s);
}

START_TEST(all_quantities)
{
  bench x;
  bench_make(&x, _i);
  for (int e = 0; e < AROUND; e++) {
    around y;
    surround(&x.s, e, &y);
    for (batch_what what = 0; what < BATCH_WHATS; what++) {
      batch_ask ask = batch_ask_for(&x.s, what, false);
      check_at("robot %s, surroundings %d, %s", x.r->name, e, batch_name(what));
      ask.n = states_for(x.r, what), ask.env = e ? &y.env : NULL;
      if (!batch_moves(what) && what != BATCH_GRAVITY && e > 0) continue; // they have none
      if (ask.n > 0) try_one(&x.s, x.b, x.d, ask);
    }
  }
  bench_end(&x);
}
END_TEST

START_TEST(jacobians)
{
  static const limb_ref refs[] = {LIMB_BODY, LIMB_WORLD, LIMB_ALIGNED};
  bench x;
  bench_make(&x, _i);
  for (int k = 0; k < BATCH_VARIED; k++) {
    for (int ref = 0; ref < 3; ref++) {
      batch_ask ask = batch_ask_for(&x.s, BATCH_JACOBIAN, false);
      check_at("robot %s, frame %d in reference %d", x.r->name, x.s.frame[k], ref);
      ask.frame = &x.s.frame[k], ask.ref = refs[ref];
      ask.n = states_for(x.r, BATCH_JACOBIAN);
      try_one(&x.s, x.b, x.d, ask);
    }
  }
  bench_end(&x);
}
END_TEST

// Packed entries put where they belong are M, over double, and over float but for its digits.
START_TEST(packed_mass_matrices)
{
  bench x;
  bench_make(&x, _i);
  check_at("robot %s, packed mass matrices", x.r->name);
  const size_t nv = x.s.nv, count = (size_t)limb_packed_count(x.s.m), n = x.s.n < 11 ? x.s.n : 11;
  int *row = calloc(count, sizeof *row), *column = calloc(count, sizeof *column);
  double *packed = calloc(n * count, sizeof *packed), *M = calloc(n * nv * nv, sizeof *M);
  double* full = calloc(nv * nv, sizeof *full);
  float* packed32 = calloc(n * count, sizeof *packed32);
  assert_ok(limb_packed_entries(x.s.m, row, column));
  const bool fits = nv <= LIMB_BATCH_MATRICES_MAX;
  if (fits) {
    assert_ok(limb_batch_mass_matrix(x.b, n, x.s.q, M, NULL));
    assert_ok(limb_batch_packed_mass_matrix(x.b, n, x.s.q, packed, NULL));
    assert_ok(limb_batch_packed_mass_matrix_f32(x.b, n, x.s.qf, packed32, NULL));
  } else {
    assert_status(limb_batch_packed_mass_matrix(x.b, n, x.s.q, packed, NULL), LIMB_E_UNSUPPORTED);
  }
  for (size_t i = 0; i < n && fits; i++) {
    const double* from = packed + i * count;
    memset(full, 0, nv * nv * sizeof *full);
    for (size_t k = 0; k < count; k++) {
      const size_t r = (size_t)row[k], c = (size_t)column[k];
      full[r * nv + c] = full[c * nv + r] = from[k];
    }
    assert_close_array(full, M + i * nv * nv, (int)(nv * nv), 1e-13, 0);
    if (i > 0) continue;
    for (size_t k = 0; k < count; k++) M[k] = (double)packed32[k]; // M of this state is done with
    assert_close_array(M, from, (int)count, 1e-3, 0);
  }
  free(row), free(column), free(packed), free(packed32), free(M), free(full);
  bench_end(&x);
}
END_TEST

int CHECK_NAME(void)
{
  int robots;
  (void)robot_table(&robots);
  return check_run("batch/equal", robots,
                   (const TTest* const[]){all_quantities, jacobians, packed_mass_matrices, NULL});
}
