// Scalars that count: the vocabulary of kernel/scalar_native.h over structs, so that arithmetic in a kernel
// past that vocabulary does not compile.
//
// Every operation is written on a tape, with the operations that made its operands; at the end those
// count whose result was stored or used (count_live). A compiled kernel has one copy of its formulas
// per class of link (FOR_JOINT_CLASS), and inside such an arm the compiler knows the constants: an operation
// on a known 0, 1 or -1 is none. What a value was in another arm it does not know, nor what the
// parameters of the robot are.
#ifndef LIMB_TEST_REAL_COUNT_H
#define LIMB_TEST_REAL_COUNT_H
#define LIMB_SCALAR 1

#include "support/count.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define KERNEL      static inline __attribute__((unused))
#define KERNEL_ONCE static
#define KERNEL_PASS KERNEL

typedef struct real {
  double x;
  uint32_t node;  // on the tape; 0: no operation made it
  uint32_t known; // arm in which it is a known constant; 0: none
} real;

typedef struct par {
  double x;
  uint32_t known;
} par;

typedef enum operation { OP_NONE, OP_MUL, OP_ADD, OP_DIV, OP_SINCOS } operation;

typedef struct tape_node {
  uint32_t a, b; // operands
  uint8_t op, live;
} tape_node;

// The words of the vocabulary have no place for a context, so there is one tape.
static struct {
  tape_node* node;
  uint32_t used, room;
  uint32_t arm;  // 0: between arms
  uint32_t arms; // so far
} tape;

// ---- the tape -------------------------------------------------------------------------------------

KERNEL uint32_t record(operation op, uint32_t a, uint32_t b)
{
  if (tape.used + 1 >= tape.room) {
    tape.room = tape.room ? 2 * tape.room : 4096;
    tape.node = realloc(tape.node, tape.room * sizeof *tape.node);
    if (!tape.node) abort();
  }
  if (tape.used == 0) tape.node[tape.used++] = (tape_node){.op = OP_NONE};
  tape.node[tape.used] = (tape_node){a, b, (uint8_t)op, 0};
  return tape.used++;
}

KERNEL void begin_case(void) { tape.arm = ++tape.arms; }
KERNEL void end_case(void) { tape.arm = 0; }

// Values that were stored.
KERNEL void keep_live(const real* x, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    if (x[i].node) tape.node[x[i].node].live = 1;
  }
}

// The operations that live values need. Ends the tape.
KERNEL limb_count count_live(void)
{
  limb_count count = {0};
  for (uint32_t i = tape.used; i-- > 1;) { // operands stand before their operation
    const tape_node* n = &tape.node[i];
    if (!n->live) continue;
    tape.node[n->a].live = tape.node[n->b].live = 1;
    count.mul += n->op == OP_MUL;
    count.add += n->op == OP_ADD;
    count.div += n->op == OP_DIV;
    count.sincos += n->op == OP_SINCOS;
  }
  free(tape.node);
  tape.node = NULL;
  tape.used = tape.room = tape.arm = tape.arms = 0;
  return count;
}

// ---- the vocabulary -------------------------------------------------------------------------------

KERNEL bool is_known(real a) { return tape.arm && a.known == tape.arm; }
KERNEL bool is_constant(real a, double x) { return is_known(a) && a.x == x; }
KERNEL real known(double x) { return (real){x, 0, tape.arm}; }

KERNEL par constant(double x) { return (par){x, tape.arm}; }
KERNEL par parameter(double x) { return (par){x, 0}; }
KERNEL real number(par k) { return (real){k.x, 0, k.known}; }
KERNEL real neg(real a) { return (real){-a.x, a.node, a.known}; } // goes into the next operation

KERNEL real add(real a, real b)
{
  if (is_known(a) && is_known(b)) return known(a.x + b.x);
  if (is_constant(a, 0)) return b;
  if (is_constant(b, 0)) return a;
  return (real){a.x + b.x, record(OP_ADD, a.node, b.node), 0};
}

KERNEL real mul(real a, real b)
{
  if (is_known(a) && is_known(b)) return known(a.x * b.x);
  if (is_constant(a, 0) || is_constant(b, 0)) return known(0);
  if (is_constant(a, 1)) return b;
  if (is_constant(b, 1)) return a;
  if (is_constant(a, -1)) return neg(b);
  if (is_constant(b, -1)) return neg(a);
  return (real){a.x * b.x, record(OP_MUL, a.node, b.node), 0};
}

KERNEL real over(real a, real b)
{
  if (is_known(a) && is_known(b)) return known(a.x / b.x);
  if (is_constant(a, 0)) return known(0);
  if (is_constant(b, 1)) return a;
  return (real){a.x / b.x, record(OP_DIV, a.node, b.node), 0};
}

KERNEL real sub(real a, real b) { return add(a, neg(b)); }
KERNEL real scale(par k, real a) { return mul(number(k), a); }
KERNEL real plus(par k, real a) { return add(number(k), a); }
KERNEL real recip(real a) { return over(number(constant(1)), a); }

// A comparison is no arithmetic, but both sides are needed.
KERNEL real lesser(real a, real b) { return (real){a.x < b.x ? a.x : b.x, record(OP_NONE, a.node, b.node), 0}; }

#endif
