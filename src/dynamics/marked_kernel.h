// Articulated bodies: joints whose acceleration is given, whole or in part.
//
// Reference: Featherstone 2008, section 9.2; Khalil 2010, (72)-(82), as corrected in docs/books.md.
//
// A given acceleration is part of the joint's bias, and nothing is eliminated:
//
//   to the parent    I^A and p^A + I^A (c + S q'')
//   force            S' (I^A a + p^A) = U . a + u,   U = I^A S,   u = S' p^A
//
// Of a ball or free joint the force-given components are eliminated one after the other, each as an axis of
// its own, in the inertia that the ones before have left; accelerations follow in reverse.

// What is given, in compiled order: x[c] is an acceleration where given[c], else a force. given NULL: forces
// all. tau takes the forces that are felt where accelerations are given.
typedef struct marks {
  const unsigned char* given;
  const real* x;
  real* tau;
} marks;

KERNEL bool is_given(const marks* s, int c) { return s->given && s->given[c]; }

KERNEL bool any_given(int shape, const marks* s, int c)
{
  bool any = false;
  for (int k = 0; k < dofs_of(shape); k++) any |= is_given(s, c + k);
  return any;
}

// What is kept of a ball or free joint with given accelerations: U and u of a given component, G and
// (tau - S' p) / D of another.
typedef struct marked {
  force G[6];
  real u[6];
} marked;

_Static_assert(sizeof(marked) == LIMB_WS_MARKED * sizeof(real), "workspace layout");

KERNEL real dot_motion(force F, motion a) { return add(dot3(F.n, a.w), dot3(F.f, a.v)); }

// S q'' of a one-dof joint, added to a motion.
KERNEL motion add_axis(int shape, const link_const* k, motion a, real qdd)
{
  if (is_turning(shape)) a.w.z = add(a.w.z, qdd);
  if (shape == SHAPE_TRANS) a.v.z = add(a.v.z, qdd);
  if (shape == SHAPE_SCREW) a.v.z = add(a.v.z, scale(k->pitch, qdd));
  return a;
}

KERNEL artic give_axis(int shape, const link_const* k, aba_link* x, artic I, real qdd)
{
  x->G = axis_column(shape, k, &I);
  x->u = project_axis(shape, k, I.p);
  I.p = with_bias(&I, add_axis(shape, k, axis_bias(shape, k, x), qdd));
  return I;
}

// ---- components of ball and free joints: wx wy wz vx vy vz -------------------------------------------

KERNEL real component(force F, int k)
{
  const real x[6] = {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
  return x[k];
}

KERNEL motion add_component(motion a, int k, real qdd)
{
  real* const x[6] = {&a.w.x, &a.w.y, &a.w.z, &a.v.x, &a.v.y, &a.v.z};
  *x[k] = add(*x[k], qdd);
  return a;
}

// I^A e_k
KERNEL force component_column(const artic* I, int k)
{
  const mat3 A = full(I->A), M = full(I->M);
  switch (k) {
  case 0: return (force){column_x(A), row_x(I->B)};
  case 1: return (force){column_y(A), row_y(I->B)};
  case 2: return (force){column_z(A), row_z(I->B)};
  case 3: return (force){column_x(I->B), column_x(M)};
  case 4: return (force){column_y(I->B), column_y(M)};
  default: return (force){column_z(I->B), column_z(M)};
  }
}

KERNEL artic eliminate_component(marked* y, artic I, int k, sym3 of, real tau, real* least)
{
  const force U = component_column(&I, k);
  const real D = component(U, k), u = sub(tau, component(I.p, k)), inverse = recip(D);
  const force G = {scale3(inverse, U.n), scale3(inverse, U.f)};
  *least = lesser(*least, margin(D, of));
  y->G[k] = G;
  y->u[k] = mul(u, inverse);
  I = less_axis(SHAPE_ROT_ANY, I, G, U);
  I.p = addf(I.p, (force){scale3(u, G.n), scale3(u, G.f)});
  return I;
}

// Rare, so that one function serves ball and free joints. Marks come by value: a compiler that hands on their
// address no longer knows that there are none.
KERNEL_ONCE artic eliminate_marked(int shape, marked* y, artic I, marks s, int c, real* least)
{
  const artic whole = I;
  motion given = {zero3(), zero3()};
  for (int k = 0; k < dofs_of(shape); k++) {
    if (is_given(&s, c + k)) {
      y->G[k] = component_column(&whole, k);
      y->u[k] = component(whole.p, k);
      given = add_component(given, k, s.x[c + k]);
    } else {
      I = eliminate_component(y, I, k, k < 3 ? whole.A : whole.M, s.x[c + k], least);
    }
  }
  I.p = with_bias(&I, given);
  return I;
}

// ---- accelerations ---------------------------------------------------------------------------------

// a: of the link, but for the joint's own.
KERNEL motion accelerate_given(int shape, const link_const* k, const aba_link* x, motion a, const marks* s, int c)
{
  a = add_axis(shape, k, a, s->x[c]);
  s->tau[c] = add(x->u, dot_motion(x->G, a));
  return a;
}

KERNEL_ONCE motion accelerate_marked(int shape, const marked* y, motion a, marks s, int c, real* qdd)
{
  const int n = dofs_of(shape);
  for (int k = 0; k < n; k++) {
    if (!is_given(&s, c + k)) continue;
    qdd[k] = s.x[c + k];
    a = add_component(a, k, qdd[k]);
  }
  for (int k = n - 1; k >= 0; k--) {
    if (is_given(&s, c + k)) continue;
    qdd[k] = sub(y->u[k], dot_motion(y->G[k], a));
    a = add_component(a, k, qdd[k]);
  }
  for (int k = 0; k < n; k++) {
    if (is_given(&s, c + k)) s.tau[c + k] = add(y->u[k], dot_motion(y->G[k], a));
  }
  return a;
}
