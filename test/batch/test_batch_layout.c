// Where a batch's numbers are: any number of states from 0, arrays at any address, nothing written beside
// them, rows and lanes the same, and a state's answer the same wherever it stands.
#include "support/batch.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100, GUARD = 64, FILL = 0xa5, WIDEST = 40 };

static const char* const names[] = {"pendulum", "panda", "two_roots", "quadruped", "tree_12_mimic"};
enum { ROBOTS = sizeof names / sizeof names[0] };

// A robot, its states and the answers for all of them.
typedef struct bench {
  batch_states s;
  limb_batch *rows, *lanes;
  batch_ask ask; // in rows, with answers
  size_t scalar; // bytes of a number
} bench;

static size_t width_of(const bench* x, int k) { return batch_width(x->s.m, x->ask.what, x->ask.nframe, k); }

static void bench_make(bench* x, int index, batch_what what, bool f32)
{
  x->s = batch_states_make(robot_find(names[index])->make(), MOST, (uint64_t)index + 7);
  limb_batch_options o = limb_default_batch_options();
  x->rows = batch_make(x->s.m, NULL);
  o.layout = LIMB_BATCH_BY_LANE;
  x->lanes = batch_make(x->s.m, &o);
  x->ask = batch_ask_for(&x->s, what, f32);
  x->scalar = f32 ? sizeof(float) : sizeof(double);
  x->ask.b = x->rows;
  for (int k = 0; k < BATCH_OUTS; k++)
    if (width_of(x, k) > 0) x->ask.out[k] = calloc(MOST * width_of(x, k), x->scalar);
  check_at("robot %s, %s%s", names[index], batch_name(what), f32 ? " over float" : "");
  assert_ok(batch_answer(&x->ask));
}

static void bench_end(bench* x)
{
  for (int k = 0; k < BATCH_OUTS; k++) free(x->ask.out[k]);
  limb_batch_destroy(x->rows);
  limb_batch_destroy(x->lanes);
  batch_states_free(&x->s);
}

static void over_all(int index, void (*f)(bench* x))
{
  for (batch_what what = 0; what < BATCH_WHATS; what++) {
    for (int f32 = 0; f32 < 2; f32++) {
      bench x;
      bench_make(&x, index, what, f32);
      f(&x);
      bench_end(&x);
    }
  }
}

// Numbers of states around whole blocks.
static int counts_for(const bench* x, size_t* out)
{
  const size_t w = (size_t)(x->ask.f32 ? limb_batch_lanes_f32(x->rows) : limb_batch_lanes(x->rows));
  const size_t all[] = {0, 1, w - 1, w, w + 1, 2 * w, 3 * w + 1, MOST};
  memcpy(out, all, sizeof all);
  return sizeof all / sizeof all[0];
}

// ---- rows ------------------------------------------------------------------------------------------------

// A copy of an array, its last number the last of its memory, at an address that is a multiple of a number's
// size only.
static void* copy_at(const void* x, size_t bytes, size_t off)
{
  void* y = batch_unaligned(bytes, off);
  return memcpy(y, x, bytes);
}

// Guards around an answer are as they were.
static void check_guards(const unsigned char* x, size_t bytes)
{
  for (size_t i = 0; i < GUARD; i++) {
    assert_that(x[i] == FILL);
    assert_that(x[GUARD + bytes + i] == FILL);
  }
}

static void one_count(bench* x, size_t n)
{
  const size_t b = x->scalar, nq = x->s.nq, nv = x->s.nv;
  batch_ask ask = x->ask;
  void *q = copy_at(x->ask.q, n * nq * b, b), *v = copy_at(x->ask.v, n * nv * b, b),
       *a = copy_at(x->ask.x, n * nv * b, b);
  unsigned char* out[BATCH_OUTS] = {NULL};
  limb_status status[MOST + 1];
  for (size_t i = 0; i <= MOST; i++) status[i] = LIMB_E_ORDER;
  ask.n = n, ask.q = q, ask.v = v, ask.x = a, ask.status = status;
  for (int k = 0; k < BATCH_OUTS && ask.out[k]; k++) {
    const size_t bytes = n * width_of(x, k) * b;
    out[k] = batch_unaligned(bytes + 2 * GUARD, b);
    memset(out[k], FILL, bytes + 2 * GUARD);
    ask.out[k] = out[k] + GUARD;
  }
  assert_ok(batch_answer(&ask));
  for (size_t i = 0; i <= MOST; i++) assert_status(status[i], i < n ? LIMB_OK : LIMB_E_ORDER);
  for (int k = 0; k < BATCH_OUTS && ask.out[k]; k++) {
    const size_t bytes = n * width_of(x, k) * b;
    assert_same_bytes(ask.out[k], x->ask.out[k], bytes);
    check_guards(out[k], bytes);
    batch_unaligned_free(out[k], b);
  }
  batch_unaligned_free(q, b), batch_unaligned_free(v, b), batch_unaligned_free(a, b);
}

static void all_counts(bench* x)
{
  size_t counts[8];
  const int n = counts_for(x, counts);
  for (int i = 0; i < n; i++) one_count(x, counts[i]);
}

START_TEST(any_number_of_states_anywhere)
{
  if (_i < ROBOTS) over_all(_i, all_counts);
}
END_TEST

// ---- split -----------------------------------------------------------------------------------------------

static const void* states_from(const void* x, size_t numbers, size_t scalar)
{
  return (const char*)x + numbers * scalar;
}

// One array, answered by two calls, the second one first.
static void two_calls(bench* x)
{
  enum { N = 19, STEP = CHECK_SANITIZED ? 5 : 1 };
  const size_t b = x->scalar;
  batch_ask ask = x->ask;
  for (int k = 0; k < BATCH_OUTS && ask.out[k]; k++) ask.out[k] = calloc(N * width_of(x, k), b);
  for (size_t cut = 0; cut <= N; cut += STEP) {
    batch_ask part[2] = {ask, ask};
    part[0].n = cut, part[1].n = N - cut;
    part[1].q = states_from(ask.q, cut * x->s.nq, b);
    part[1].v = states_from(ask.v, cut * x->s.nv, b);
    part[1].x = states_from(ask.x, cut * x->s.nv, b);
    for (int k = 0; k < BATCH_OUTS && ask.out[k]; k++) {
      memset(ask.out[k], FILL, N * width_of(x, k) * b);
      part[1].out[k] = (char*)ask.out[k] + cut * width_of(x, k) * b;
    }
    assert_ok(batch_answer(&part[1]));
    assert_ok(batch_answer(&part[0]));
    for (int k = 0; k < BATCH_OUTS && ask.out[k]; k++)
      assert_same_bytes(ask.out[k], x->ask.out[k], N * width_of(x, k) * b);
  }
  for (int k = 0; k < BATCH_OUTS; k++) free(ask.out[k]);
}

START_TEST(any_split)
{
  if (_i < ROBOTS) over_all(_i, two_calls);
}
END_TEST

// ---- lanes -----------------------------------------------------------------------------------------------

static size_t room_of(const bench* x, size_t n, size_t width)
{
  return x->ask.f32 ? limb_batch_array_length_f32(x->lanes, n, width) : limb_batch_array_length(x->lanes, n, width);
}

static limb_status to_lanes(const bench* x, size_t n, size_t width, const void* rows, void* lanes)
{
  return x->ask.f32 ? limb_batch_to_lanes_f32(x->lanes, n, width, rows, lanes)
                    : limb_batch_to_lanes(x->lanes, n, width, rows, lanes);
}

static limb_status to_rows(const bench* x, size_t n, size_t width, const void* lanes, void* rows)
{
  return x->ask.f32 ? limb_batch_to_states_f32(x->lanes, n, width, lanes, rows)
                    : limb_batch_to_states(x->lanes, n, width, lanes, rows);
}

// Rows in lanes, in as much memory as limb_batch_array_length says.
static void* in_lanes(const bench* x, size_t n, size_t width, const void* rows)
{
  void* y = batch_aligned(room_of(x, n, width) * x->scalar);
  assert_ok(to_lanes(x, n, width, rows, y));
  return y;
}

static void one_count_in_lanes(bench* x, size_t n)
{
  const size_t b = x->scalar;
  batch_ask ask = x->ask;
  void *q = in_lanes(x, n, x->s.nq, ask.q), *v = in_lanes(x, n, x->s.nv, ask.v), *a = in_lanes(x, n, x->s.nv, ask.x);
  ask.b = x->lanes, ask.n = n, ask.q = q, ask.v = v, ask.x = a;
  for (int k = 0; k < BATCH_OUTS && ask.out[k]; k++) ask.out[k] = batch_aligned(room_of(x, n, width_of(x, k)) * b);
  assert_ok(batch_answer(&ask));
  for (int k = 0; k < BATCH_OUTS && ask.out[k]; k++) {
    unsigned char* rows = batch_aligned(n * width_of(x, k) * b + 2 * GUARD);
    memset(rows, FILL, n * width_of(x, k) * b + 2 * GUARD);
    assert_ok(to_rows(x, n, width_of(x, k), ask.out[k], rows + GUARD));
    assert_same_bytes(rows + GUARD, x->ask.out[k], n * width_of(x, k) * b);
    check_guards(rows, n * width_of(x, k) * b);
    free(rows);
    free(ask.out[k]);
  }
  free(q), free(v), free(a);
}

static void all_counts_in_lanes(bench* x)
{
  size_t counts[8];
  const int n = counts_for(x, counts);
  for (int i = 0; i < n; i++) one_count_in_lanes(x, counts[i]);
}

START_TEST(lanes_as_rows)
{
  if (_i < ROBOTS) over_all(_i, all_counts_in_lanes);
}
END_TEST

// Arrays in lanes are refused at every address that is none for vectors: each of them in turn.
static void shifted(bench* x)
{
  const size_t b = x->scalar, n = 3;
  void* y = batch_aligned(room_of(x, n, 64 * x->s.nv * x->s.nv + 1024) * b);
  batch_ask ask = x->ask;
  ask.b = x->lanes, ask.n = n;
  ask.q = in_lanes(x, n, x->s.nq, x->ask.q);
  ask.v = in_lanes(x, n, x->s.nv, x->ask.v), ask.x = in_lanes(x, n, x->s.nv, x->ask.x);
  for (int k = 0; k < BATCH_OUTS; k++) ask.out[k] = x->ask.out[k] ? y : NULL;
  const batch_ask good = ask;
  ask.q = (const char*)good.q + b;
  assert_status(batch_answer(&ask), LIMB_E_ARG);
  ask = good, ask.v = (const char*)good.v + b;
  if (batch_moves(ask.what)) assert_status(batch_answer(&ask), LIMB_E_ARG);
  ask = good, ask.x = (const char*)good.x + LIMB_DATA_ALIGN / 2;
  if (batch_has_x(ask.what)) assert_status(batch_answer(&ask), LIMB_E_ARG);
  for (int k = 0; k < BATCH_OUTS && good.out[k]; k++) {
    ask = good, ask.out[k] = (char*)y + b;
    assert_status(batch_answer(&ask), LIMB_E_ARG);
  }
  const void* const all[] = {good.q, good.v, good.x};
  for (int k = 0; k < 3; k++) free((void*)(uintptr_t)all[k]);
  free(y);
}

START_TEST(lanes_are_aligned)
{
  if (_i < ROBOTS) over_all(_i, shifted);
}
END_TEST

// Where every number goes: [block][width][lane], the last state again behind the last.
static void check_places(limb_batch* b, size_t n, size_t width)
{
  const size_t w = (size_t)limb_batch_lanes(b), all = limb_batch_array_length(b, n, width);
  double* rows = batch_aligned(n * width * sizeof *rows);
  double *lanes = batch_aligned(all * sizeof *lanes), *back = batch_aligned(n * width * sizeof *back);
  for (size_t i = 0; i < n * width; i++) rows[i] = (double)i + 0.5;
  assert_that(all == (n + w - 1) / w * w * width);
  assert_ok(limb_batch_to_lanes(b, n, width, rows, lanes));
  for (size_t at = 0; at < all; at++) {
    const size_t block = at / (w * width), k = at / w % width, state = block * w + at % w;
    assert_that(lanes[at] == rows[(state < n ? state : n - 1) * width + k]);
  }
  assert_ok(limb_batch_to_states(b, n, width, lanes, back));
  assert_same_bytes(back, rows, n * width * sizeof *back);
  free(rows), free(lanes), free(back);
}

START_TEST(there_and_back)
{
  if (_i > 0) return;
  limb_model* m = robot_pendulum();
  limb_batch* b = batch_make(m, NULL);
  const int lanes = limb_batch_lanes(b);
  assert_that(lanes == 2 || lanes == 4 || lanes == 8);
  assert_that(limb_batch_lanes_f32(b) == 2 * lanes);
  for (size_t width = 1; width < 20; width++) {
    for (size_t n = 0; n < 20; n++) check_places(b, n, width);
  }
  assert_that(limb_batch_array_length(b, SIZE_MAX, 2) == 0 && limb_batch_array_length(b, SIZE_MAX / 2, 3) == 0);
  assert_that(limb_batch_array_length_f32(b, 2, SIZE_MAX) == 0 && limb_batch_array_length(b, 5, 0) == 0);
  assert_that(limb_batch_array_length(b, SIZE_MAX, 1) == 0 && limb_batch_array_length(b, 0, 7) == 0);
  assert_that(limb_batch_array_length(NULL, 1, 1) == 0 && limb_batch_array_length_f32(NULL, 1, 1) == 0);
  double x[64] = {0};
  float y[64] = {0};
  assert_status(limb_batch_to_lanes(NULL, 1, 1, x, x + 32), LIMB_E_ARG);
  assert_status(limb_batch_to_states(b, 1, 1, NULL, x), LIMB_E_ARG);
  assert_status(limb_batch_to_lanes_f32(b, 1, 1, y, NULL), LIMB_E_ARG);
  assert_status(limb_batch_to_states_f32(NULL, 1, 1, y, y + 32), LIMB_E_ARG);
  limb_batch_destroy(b);
  limb_model_destroy(m);
}
END_TEST

// ---- every width -----------------------------------------------------------------------------------------

// Chains of any length fill squares of any kind; answers for one state stand for themselves.
static void try_width(int joints, bool f32)
{
  enum { N = 21 };
  batch_states s = batch_states_make(robot_chain(joints), N, (uint64_t)joints);
  limb_batch* b = batch_make(s.m, NULL);
  const size_t scalar = f32 ? sizeof(float) : sizeof(double), nv = s.nv;
  batch_ask ask = batch_ask_for(&s, BATCH_INVERSE, f32);
  check_at("chain of %d joints%s", joints, f32 ? ", float" : "");
  unsigned char* out = batch_unaligned(N * nv * scalar + 2 * GUARD, scalar);
  char* one = batch_unaligned(nv * scalar, scalar);
  memset(out, FILL, N * nv * scalar + 2 * GUARD);
  ask.b = b, ask.out[0] = out + GUARD;
  assert_ok(batch_answer(&ask));
  check_guards(out, N * nv * scalar);
  for (size_t i = 0; i < N; i++) {
    batch_ask alone = ask;
    alone.n = 1, alone.out[0] = one;
    alone.q = states_from(ask.q, i * s.nq, scalar);
    alone.v = states_from(ask.v, i * nv, scalar), alone.x = states_from(ask.x, i * nv, scalar);
    assert_ok(batch_answer(&alone));
    assert_same_bytes(one, out + GUARD + i * nv * scalar, nv * scalar);
  }
  batch_unaligned_free(one, scalar), batch_unaligned_free(out, scalar);
  limb_batch_destroy(b);
  batch_states_free(&s);
}

START_TEST(every_width)
{
  try_width(_i + 1, false);
  try_width(_i + 1, true);
}
END_TEST

CHECK_MAIN("batch/layout", WIDEST, any_number_of_states_anywhere, any_split, lanes_as_rows, lanes_are_aligned,
           there_and_back, every_width)
