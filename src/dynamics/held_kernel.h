// Articulated bodies that hold something: a part of a chain whose last link carries what is known up to a
// difference only. Link axes; joints with one degree of freedom.
//
// Reference: Featherstone, A divide-and-conquer articulated-body algorithm, 1999: a part seen from both its
//            ends; here its far end is six more right-hand sides of the articulated-body algorithm.
//
//   h         what it takes to move what is held, less what was assumed
//   Phi       columns: what a link feels of h, p^A(h) = p^A + Phi h
//   s         S' Phi, a row; its share of u is s h / D
//   Lambda    sum of s' s / D
//   beta      acceleration of the last link when the part's base does not accelerate and h = 0
//
// Across a joint, with G = U / D, and by the duality of accelerations and forces
//
//   Phi <- Phi - G s,    a_last = Phi' a + beta - Lambda h
//
// Columns come in HELD, a width that vectors fill; those behind the sixth are zero.

enum { HELD = 8 };

typedef struct held {
  real nx[HELD], ny[HELD], nz[HELD], fx[HELD], fy[HELD], fz[HELD]; // Phi
  real beta[HELD];
  real Lambda[6][HELD];
  real h[HELD];
  real (*share)[HELD]; // nlink: s / D
} held;

KERNEL force held_column(const held* t, int c)
{
  return (force){v3(t->nx[c], t->ny[c], t->nz[c]), v3(t->fx[c], t->fy[c], t->fz[c])};
}

KERNEL void set_held_column(held* t, int c, force F)
{
  t->nx[c] = F.n.x, t->ny[c] = F.n.y, t->nz[c] = F.n.z;
  t->fx[c] = F.f.x, t->fy[c] = F.f.y, t->fz[c] = F.f.z;
}

// The last link itself: Phi = 1.
KERNEL void hold_nothing(held* t)
{
  for (int c = 0; c < HELD; c++) {
    set_held_column(t, c, zerof());
    t->beta[c] = zero();
    for (int r = 0; r < 6; r++) t->Lambda[r][c] = zero();
  }
  t->nx[0] = t->ny[1] = t->nz[2] = t->fx[3] = t->fy[4] = t->fz[5] = one();
}

// Across the joint of link i, whose articulated inertia was I before. x holds G and u / D.
KERNEL void hold_joint(int shape, const limb_model* m, const link_const* k, const aba_link* x, int i, const artic* I,
                       held* t)
{
  if (is_dense(shape)) return; // not in a part that holds something
  real D = project_axis(shape, k, axis_column(shape, k, I)), s[HELD];
  if (shape >= SHAPE_ROT_ANY) D = plus(parameter(m->actuator[m->link[i].dof].rotor), D);
  const real inverse = recip(D);
  const force G = x->G;
  const motion bias = axis_bias(shape, k, x);
  for (int c = 0; c < HELD; c++) {
    force F = held_column(t, c);
    s[c] = project_axis(shape, k, F);
    F = (force){sub3(F.n, scale3(s[c], G.n)), sub3(F.f, scale3(s[c], G.f))};
    if (shape < SHAPE_ROT_ANY) F.n.z = zero();
    t->beta[c] = add(madd(t->beta[c], s[c], x->u), dot_motion(F, bias));
    t->share[i][c] = mul(inverse, s[c]);
    set_held_column(t, c, F);
  }
  for (int r = 0; r < 6; r++) {
    const real share = t->share[i][r];
    for (int c = 0; c < HELD; c++) t->Lambda[r][c] = madd(t->Lambda[r][c], share, s[c]);
  }
}

// The same in the parent's axes at its origin, with the bias of the offset.
KERNEL void hold_parent(const place* P, const aba_link* x, held* t)
{
  if (is_dense(P->shape)) return;
  const vec3 wp = x->wp;
  for (int c = 0; c < HELD; c++) {
    const force F = force_out(P, held_column(t, c));
    t->beta[c] = add(t->beta[c], dot3(F.f, wp));
    set_held_column(t, c, F);
  }
}

// What h takes from u / D of link i.
KERNEL real held_share(const held* t, int i)
{
  const real *s = t->share[i], *h = t->h;
  return add(add(dot2(s[0], h[0], s[1], h[1]), dot2(s[2], h[2], s[3], h[3])), dot2(s[4], h[4], s[5], h[5]));
}
