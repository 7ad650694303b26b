// Scalars of the kernels: symbols, whose arithmetic is recorded in a graph.
//
// The vocabulary of kernel/scalar_native.h. A scalar is a number, or an edge of a graph; arithmetic on numbers alone is
// folded at once and needs no graph; every other operation finds the graph in its operands. Parameters are scalars as
// well: they may be symbols of their own. Zeroed memory holds zeros.
#ifndef LIMB_REAL_SYMBOL_H
#define LIMB_REAL_SYMBOL_H
#define LIMB_SCALAR 1

#include "codegen/graph.h"

#define KERNEL      static inline
#define KERNEL_ONCE static
#define KERNEL_PASS KERNEL

typedef struct limb_scalar {
  limb_graph* graph; // NULL: a number
  union {
    double x;
    limb_edge edge;
  };
} limb_scalar;

typedef limb_scalar real;
typedef limb_scalar par;

KERNEL real plain(double x) { return (real){.graph = NULL, .x = x}; }

// An edge, as a number if it is one.
KERNEL real of_edge(limb_graph* g, limb_edge e)
{
  double x;
  if (limb_edge_number(g, e, &x)) return plain(x);
  return (real){.graph = g, .edge = e};
}

KERNEL limb_edge edge_of(limb_graph* g, real a) { return a.graph ? a.edge : limb_number_edge(g, a.x); }

typedef limb_edge operation(limb_graph* g, limb_edge a, limb_edge b);

KERNEL real recorded(operation* f, real a, real b)
{
  limb_graph* g = a.graph ? a.graph : b.graph;
  return of_edge(g, f(g, edge_of(g, a), edge_of(g, b)));
}

KERNEL par constant(double x) { return plain(x); }
KERNEL par parameter(double x) { return plain(x); }
KERNEL real number(par k) { return k; }

KERNEL real neg(real a)
{
  if (a.graph)
    a.edge = limb_edge_neg(a.edge);
  else
    a.x = 0 - a.x;
  return a;
}

KERNEL real add(real a, real b)
{
  if (!a.graph && !b.graph) return plain(a.x + b.x);
  return recorded(limb_add_edge, a, b);
}

KERNEL real mul(real a, real b)
{
  if (!a.graph && !b.graph) return plain(a.x * b.x);
  return recorded(limb_mul_edge, a, b);
}

KERNEL real over(real a, real b)
{
  if (!a.graph && !b.graph) return plain(a.x / b.x);
  return recorded(limb_div_edge, a, b);
}

KERNEL real unary(limb_op op, real a)
{
  if (!a.graph) return plain(limb_op_value(op, a.x));
  return of_edge(a.graph, limb_unary_edge(a.graph, op, a.edge));
}

KERNEL real root(real a) { return unary(OP_SQRT, a); }

KERNEL real sub(real a, real b) { return add(a, neg(b)); }
KERNEL real scale(par k, real a) { return mul(k, a); }
KERNEL real plus(par k, real a) { return add(k, a); }
KERNEL real recip(real a) { return over(plain(1), a); }

// Only margins of pivots are compared: each must be positive.
KERNEL real lesser(real a, real b)
{
  if (b.graph) limb_graph_demand(b.graph, b.edge);
  return a;
}

#endif
