// Inverse dynamics: recursive Newton-Euler algorithm in link axes.
//
// Reference: W. Khalil, seed 003, (18)-(31), corrected as in the errata; inertial parameters regrouped
//            and twists specialised (model/link.h). Cost O(nlink), one pass out and one back.
//
//   paper        code      meaning
//   w_j          w         angular velocity of the link
//   dw_j         al        angular acceleration
//   dV_j         a         acceleration of the link's origin (classical); of the base: minus gravity
//   U_j          U         [al] + [w][w]: acceleration of a point r of the link is a + U r
//   F_j, M_j     N.f, N.n  inertial force and moment about the link's origin
//   f_j, m_j     F         what the joint must transmit

typedef struct state {
  vec3 w, al, a;
} state;

// U = [al] + [w][w]
KERNEL mat3 spin(vec3 w, vec3 al)
{
  const real x2 = mul(w.x, w.x), y2 = mul(w.y, w.y), z2 = mul(w.z, w.z);
  const real xy = mul(w.x, w.y), xz = mul(w.x, w.z), yz = mul(w.y, w.z);
  return (mat3){neg(add(y2, z2)), sub(xy, al.z), add(xz, al.y), add(xy, al.z),   neg(add(x2, z2)),
                sub(yz, al.x),    sub(xz, al.y), add(yz, al.x), neg(add(x2, y2))};
}

// Motion of a link from its parent's: (18)-(22).
KERNEL state move_on(const place* P, const link_const* k, const state* p, mat3 U, const real* v,
                     const real* qdd)
{
  const int shape = P->shape;
  // acceleration of the parent's point at the link's origin
  const vec3 at_origin = add3(p->a, times_offset(P, U));
  vec3 w = into(P, p->w), al = into(P, p->al), a = into(P, at_origin);
  if (is_sliding(shape)) { // a += 2 w x z r' + z r''
    const real rate = shape == SHAPE_SCREW ? scale(k->pitch, v[0]) : v[0];
    const real rate2 = shape == SHAPE_SCREW ? scale(k->pitch, qdd[0]) : qdd[0];
    const real twice = scale(constant(2), rate);
    a = v3(madd(a.x, w.y, twice), msub(a.y, w.x, twice), add(a.z, rate2));
  }
  if (is_turning(shape)) { // al += w x z q' + z q'';  w += z q'
    al = v3(madd(al.x, w.y, v[0]), msub(al.y, w.x, v[0]), add(al.z, qdd[0]));
    w.z = add(w.z, v[0]);
  }
  if (is_dense(shape)) {
    const vec3 wr = v3(v[0], v[1], v[2]);
    if (shape == SHAPE_FREE) { // a += 2 w x v_r + w_r x v_r + v_r'
      const vec3 vr = v3(v[3], v[4], v[5]), turning = add3(kscale3(constant(2), w), wr);
      a = add3(add3(a, cross3(turning, vr)), v3(qdd[3], qdd[4], qdd[5]));
    }
    al = add3(add3(al, cross3(w, wr)), v3(qdd[0], qdd[1], qdd[2]));
    w = add3(w, wr);
  }
  return (state){w, al, a};
}

// Inertial force: f = m a + U h;  n = h x a + sum m r x U r.
KERNEL force newton_euler(moments s, vec3 a, mat3 U)
{
  const kvec3 h = {s.hx, s.hy, s.hz};
  const vec3 f = add3(kscale3(s.m, a), mulk(U, h));
  const vec3 ha = kcross3(h, a);
  const real nx =
    add(kdot2(s.xy, U.zx, s.yy, U.zy), kmsub(kdet2(s.yz, sub(U.zz, U.yy), s.xz, U.yx), s.zz, U.yz));
  const real ny =
    sub(kmadd(kdot2(s.xz, sub(U.xx, U.zz), s.yz, U.xy), s.zz, U.xz), kdot2(s.xx, U.zx, s.xy, U.zy));
  const real nz =
    add(kdot2(s.xx, U.yx, s.xy, sub(U.yy, U.xx)), kmsub(kdet2(s.xz, U.yz, s.yy, U.xy), s.yz, U.xz));
  return (force){v3(add(nx, ha.x), add(ny, ha.y), add(nz, ha.z)), f};
}

KERNEL state base_state(const limb_ws* ws, int root)
{
  const double* b = ws->base + LIMB_WS_STATE * root;
  return (state){v3(number((par)b[0]), number((par)b[1]), number((par)b[2])),
                 v3(number((par)b[3]), number((par)b[4]), number((par)b[5])),
                 v3(number((par)b[6]), number((par)b[7]), number((par)b[8]))};
}

// Out from the base: motions, and the inertial force of every link.
KERNEL void rnea_out(const limb_model* m, const link_const* k, const limb_ws* ws, const real* v,
                     const real* a)
{
  state* kept = ws->state;
  force* F = ws->force;
  state x = {zero3(), zero3(), zero3()};
  mat3 U = spin(x.w, x.al);
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    if (link->parent != i - 1 || i == 0) {
      x = link->parent < 0 ? base_state(ws, link->root) : kept[link->parent];
      U = spin(x.w, x.al);
    }
#define STEP(shape)                                              \
  {                                                              \
    const place P = place_of(shape, &k[i], ws, i, link->aux);    \
    x = move_on(&P, &k[i], &x, U, v + link->dof, a + link->dof); \
    U = spin(x.w, x.al);                                         \
    F[i] = newton_euler(moments_of(shape, &k[i]), x.a, U);       \
  }
    FOR_SHAPE(link->shape, STEP)
#undef STEP
    if (link->keep) kept[i] = x;
  }
}

// Back to the base: joint forces. carried is what the next link hands to this one.
KERNEL void rnea_back(const limb_model* m, const link_const* k, const limb_ws* ws, real* tau)
{
  force* own = ws->force;
  force F = zerof();
  for (int i = m->nlink - 1; i >= 0; i--) {
    const limb_link* link = &m->link[i];
    const int p = link->parent;
    F = addf(own[i], F);
#define STEP(shape)                                             \
  {                                                             \
    project(shape, &k[i], F, tau + link->dof);                  \
    if (p >= 0) {                                               \
      const place P = place_of(shape, &k[i], ws, i, link->aux); \
      F = force_out(&P, F);                                     \
    }                                                           \
  }
    FOR_SHAPE(link->shape, STEP)
#undef STEP
    if (p != i - 1 || p < 0) {
      if (p >= 0) own[p] = addf(own[p], F);
      F = zerof();
    }
  }
}
