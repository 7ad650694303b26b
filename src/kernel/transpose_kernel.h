// Rows to lanes and back: a block of STATES rows of numbers, one for each state, becomes one scalar for every
// number, and the other way round. After kernel/scalar_states.h.
//
// PIECE numbers of every row are taken at a time; where a vector is longer, pieces of several rows share one.
// A PIECE x PIECE square is turned in log2(PIECE) rounds that exchange its corners. At the end of a row
// more is loaded and stored than there is: the next row's numbers, which are there, and are stored after it.
#ifndef LIMB_KERNEL_TRANSPOSE_KERNEL_H
#define LIMB_KERNEL_TRANSPOSE_KERNEL_H

#include "kernel/scalar_states.h"

#include <stddef.h>

enum { PIECE = STATES < 8 ? STATES : 8, SHARING = STATES / PIECE };

#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

// Of two rows of a square, distance d apart, the corners that face each other change dense.
KERNEL void exchange(real* a, real* b, int d)
{
  const real x = *a, y = *b;
#if STATES == 2
  (void)d;
  *a = PICK(x, y, 0, 2), *b = PICK(x, y, 1, 3);
#elif STATES == 4
  if (d == 1) *a = PICK(x, y, 0, 4, 2, 6), *b = PICK(x, y, 1, 5, 3, 7);
  if (d == 2) *a = PICK(x, y, 0, 1, 4, 5), *b = PICK(x, y, 2, 3, 6, 7);
#elif STATES == 8
  if (d == 1) *a = PICK(x, y, 0, 8, 2, 10, 4, 12, 6, 14), *b = PICK(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
  if (d == 2) *a = PICK(x, y, 0, 1, 8, 9, 4, 5, 12, 13), *b = PICK(x, y, 2, 3, 10, 11, 6, 7, 14, 15);
  if (d == 4) *a = PICK(x, y, 0, 1, 2, 3, 8, 9, 10, 11), *b = PICK(x, y, 4, 5, 6, 7, 12, 13, 14, 15);
#else
  if (d == 1) {
    *a = PICK(x, y, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
    *b = PICK(x, y, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
  }
  if (d == 2) {
    *a = PICK(x, y, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
    *b = PICK(x, y, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
  }
  if (d == 4) {
    *a = PICK(x, y, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
    *b = PICK(x, y, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
  }
#endif
}

KERNEL void turn_piece(real x[PIECE])
{
#pragma GCC unroll 8
  for (int d = 1; d < PIECE; d *= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < PIECE; i++) {
      if (!(i & d)) exchange(&x[i], &x[i + d], d);
    }
  }
}

// A block of rows: numbers of each, the block's first state, and the states of the whole array.
typedef struct state_block {
  ptrdiff_t width, first, count;
} state_block;

// Lanes are kept in arrays that hold whole squares.
KERNEL ptrdiff_t whole_squares(ptrdiff_t width) { return (width + PIECE - 1) / PIECE * PIECE; }

KERNEL real sum_of_square(const real x[PIECE])
{
  real even = x[0], odd = x[1];
#pragma GCC unroll 8
  for (int p = 2; p < PIECE; p += 2) even = add(even, x[p]), odd = add(odd, x[p + 1]);
  return add(even, odd);
}

// A piece of a row, out of a vector that may hold two.
typedef lane_value piece __attribute__((vector_size(PIECE * sizeof(lane_value))));

KERNEL piece piece_of(real x, int k)
{
#if STATES > 8
  const piece low = PICK(x, x, 0, 1, 2, 3, 4, 5, 6, 7), high = PICK(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
  return k ? high : low;
#else
  return (void)k, x;
#endif
}

// Row p of a square: a piece of row p, and of p + PIECE where they share one.
KERNEL real joined(const lane_value* x, ptrdiff_t stride, int p)
{
  real y;
#if STATES > 8
  memcpy(&y, x + p * stride, sizeof y / SHARING);
  memcpy((lane_value*)&y + PIECE, x + (p + PIECE) * stride, sizeof y / SHARING);
#else
  memcpy(&y, x + p * stride, sizeof y);
#endif
  return y;
}

// The last blocks: numbers that are there only, and the last state again where there is none.
static __attribute__((noinline, cold)) void load_edge(const state_block* b, const lane_value* x, ptrdiff_t i,
                                                      lane_value* padded)
{
  const ptrdiff_t left = b->count - b->first, wide = b->width - i < PIECE ? b->width - i : PIECE;
  for (ptrdiff_t l = 0; l < STATES; l++) {
    const lane_value* row = x + (l < left ? l : left - 1) * b->width + i;
    for (ptrdiff_t p = 0; p < PIECE; p++) padded[l * PIECE + p] = p < wide ? row[p] : 0;
  }
}

// out[i] = number i of all states; out has whole squares. Lanes behind the last state repeat it. Adds all
// numbers to `sum`, and some of the next rows, whatever lane they fall into: it is finite unless one of
// them is not, or nearly.
KERNEL void states_to_lanes(const state_block* b, const lane_value* x, real* out, real* sum)
{
  const ptrdiff_t width = b->width, end = (b->count - b->first) * width;
  x += b->first * width;
  for (ptrdiff_t i = 0; i < width; i += PIECE) {
    lane_value padded[STATES * PIECE];
    const lane_value* from = x + i;
    ptrdiff_t stride = width;
    if (__builtin_expect((STATES - 1) * width + i + PIECE > end, 0)) {
      load_edge(b, x, i, padded);
      from = padded, stride = PIECE;
    }
    real square[PIECE];
#pragma GCC unroll 8
    for (int p = 0; p < PIECE; p++) square[p] = joined(from, stride, p);
    *sum = add(*sum, sum_of_square(square));
    turn_piece(square);
#pragma GCC unroll 8
    for (int p = 0; p < PIECE; p++) out[i + p] = square[p];
  }
}

// Puts a piece of a row: `some` numbers of it, all when they fit.
KERNEL void put_piece(lane_value* to, piece x, ptrdiff_t some)
{
  if (__builtin_expect(some >= PIECE, 1)) {
    memcpy(to, &x, sizeof x);
    return;
  }
#if STATES == 8 && LANE_BITS == 64
  if (some > 0) _mm512_mask_storeu_pd(to, (__mmask8)((1U << some) - 1U), (__m512d)x);
#elif STATES == 16
  if (some > 0) _mm256_mask_storeu_ps(to, (__mmask8)((1U << some) - 1U), (__m256)x);
#else
  lane_value y[PIECE];
  memcpy(y, &x, sizeof x);
  for (ptrdiff_t k = 0; k < some; k++) to[k] = y[k];
#endif
}

// Rows of a square go where they belong. Where only numbers of the same block follow, a whole piece is put.
KERNEL void put_square(const real square[PIECE], const state_block* b, ptrdiff_t i, lane_value* out)
{
  const ptrdiff_t width = b->width, left = b->count - b->first;
  const ptrdiff_t end = (left < STATES ? left : STATES) * width, wide = width - i;
  ptrdiff_t at = i;
#pragma GCC unroll 16
  for (int l = 0; l < STATES; l++) {
    const ptrdiff_t fits = end - at;
    put_piece(out + at, piece_of(square[l % PIECE], l / PIECE), fits < PIECE && wide < fits ? wide : fits);
    at += width;
  }
}

// The other way. The last piece goes first: what it stores behind the end of a row is put right by the first
// piece of the next row.
KERNEL void lanes_to_states(const state_block* b, const real* x, lane_value* out)
{
  out += b->first * b->width;
  for (ptrdiff_t i = whole_squares(b->width) - PIECE; i >= 0; i -= PIECE) {
    real square[PIECE];
#pragma GCC unroll 8
    for (int p = 0; p < PIECE; p++) square[p] = x[i + p];
    turn_piece(square);
    put_square(square, b, i, out);
  }
}

// The same number by number, for arrays in lanes that do not hold whole squares.
KERNEL void states_to_whole_lanes(const state_block* b, const lane_value* rows, real* lanes)
{
  const ptrdiff_t width = b->width, left = b->count - b->first;
  lane_value* to = (lane_value*)lanes;
  for (ptrdiff_t i = 0; i < width; i++) {
    for (ptrdiff_t l = 0; l < STATES; l++)
      to[i * STATES + l] = rows[(b->first + (l < left ? l : left - 1)) * width + i];
  }
}

KERNEL void whole_lanes_to_states(const state_block* b, const real* lanes, lane_value* rows)
{
  const ptrdiff_t width = b->width, left = b->count - b->first;
  const lane_value* from = (const lane_value*)lanes;
  for (ptrdiff_t l = 0; l < STATES && l < left; l++) {
    for (ptrdiff_t i = 0; i < width; i++) rows[(b->first + l) * width + i] = from[i * STATES + l];
  }
}

#endif
