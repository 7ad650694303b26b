// Coriolis matrix: C(q, v) of the Levi-Civita connection of M, in link axes.
//
// Reference: S. Echeandia, P. Wensing, Numerical methods to compute the Coriolis matrix and Christoffel
//            symbols for rigid-body systems, 2021; the body matrix B is written here over the particles of
//            the body, whose space is flat. Cost O(nlink depth).
//
// A particle at r moves with u = v + w x r. Its Jacobian is [-[r], 1], the derivative of that [-[u], 0]:
//
//   C = sum over bodies of J' (I Jdot + B J),   B = sum m [-[r], 1]' [-[u], 0] = [tr(K) 1 - K, 0; -[P], 0]
//   P = sum m u     = m v + w x h
//   K = sum m u r'  = v h' + [w] Sigma                     Sigma: second moments; its rate is K + K'
//
// Mdot - 2 C is skew, C v are the Coriolis and centrifugal forces; for joints with one degree of freedom C is
// the matrix of Christoffel symbols. P and K of a subtree add up like its mass and moments do.
//
//   f1 = I Sdot_k + B S_k    C_jk = S_j' f1                    j: ancestor of k, or k's own link
//   f2 = I S_k               C_kj = Sdot_j' f2 + S_j' f3       Sdot = v_link x S
//   f3 = B' S_k

typedef struct drift {
  vec3 P;
  mat3 K;
} drift;

typedef struct coriolis_column {
  force f1, f2, f3;
} coriolis_column;

typedef struct moving_composite {
  composite C;
  drift D;
} moving_composite;

KERNEL drift drift_of(moments s, motion v)
{
  const kvec3 h = {s.hx, s.hy, s.hz};
  const kvec3 x = {s.xx, s.xy, s.xz}, y = {s.xy, s.yy, s.yz}, z = {s.xz, s.yz, s.zz};
  return (drift){add3(kscale3(s.m, v.v), crossk3(v.w, h)),
                 columns(add3(kscale3(h.x, v.v), crossk3(v.w, x)),
                         add3(kscale3(h.y, v.v), crossk3(v.w, y)),
                         add3(kscale3(h.z, v.v), crossk3(v.w, z)))};
}

KERNEL drift add_drift(drift a, drift b) { return (drift){add3(a.P, b.P), addM(a.K, b.K)}; }

KERNEL moving_composite both(moving_composite a, moving_composite b)
{
  return (moving_composite){sum(a.C, b.C), add_drift(a.D, b.D)};
}

// Of a link, expressed in its parent: r -> R r + o.  P = R P,  K = R K R' + (R P) o'
KERNEL drift drift_out(const place* X, drift D)
{
  const mat3 R = turn_matrix(X);
  const vec3 P = out_of(X, D.P), o = offset(X);
  const mat3 Po = columns(scale3(o.x, P), scale3(o.y, P), scale3(o.z, P));
  return (drift){P, addM(mulMT(mulM(R, D.K), R), Po)};
}

// I S
KERNEL force inertia_times(composite C, motion S)
{
  const sym3 J = C.J;
  const sym3 moment = {add(J.yy, J.zz), neg(J.xy), neg(J.xz),
                       add(J.xx, J.zz), neg(J.yz), add(J.xx, J.yy)};
  return (force){add3(symv(moment, S.w), cross3(C.h, S.v)),
                 add3(scale3(C.m, S.v), cross3(S.w, C.h))};
}

KERNEL real traceM(mat3 A) { return add(add(A.xx, A.yy), A.zz); }

// B S and B' S
KERNEL force drift_times(drift D, motion S)
{
  return (force){sub3(scale3(traceM(D.K), S.w), mulv(D.K, S.w)), cross3(S.w, D.P)};
}

KERNEL force drift_transposed_times(drift D, motion S)
{
  const vec3 n = sub3(scale3(traceM(D.K), S.w), tmulv(D.K, S.w));
  return (force){add3(n, cross3(D.P, S.v)), zero3()};
}

// v x F, as a force: (v x S)' F = -S' (v x F)
KERNEL force crossf(motion v, force F)
{
  return (force){add3(cross3(v.w, F.n), cross3(v.v, F.f)), cross3(v.w, F.f)};
}

// S_k of dof k of the link.
KERNEL motion axis(int shape, const link_const* k, int dof)
{
  real x[6];
  for (int r = 0; r < 6; r++) x[r] = r == dof ? one() : zero();
  return along_joint(shape, k, x);
}

// Entry (j, k) of compiled dofs.
KERNEL void put_one(const limb_model* m, const target* to, int j, int k, real x)
{
  if (to->mode == M_COMPILED) {
    to->M[(size_t)j * (size_t)m->nv + (size_t)k] = x;
    return;
  }
  const limb_dof *dj = &m->dof[j], *dk = &m->dof[k];
  real* entry = &to->M[(size_t)dj->v * (size_t)m->nv + (size_t)dk->v];
  *entry = add(*entry, scale(parameter(dj->mult * dk->mult), x));
}

KERNEL coriolis_column column_out(const place* P, coriolis_column c)
{
  return (coriolis_column){force_out(P, c.f1), force_out(P, c.f2), force_out(P, c.f3)};
}

// The link's own columns, and the entries among them; P NULL: nothing behind the base.
KERNEL void put_own_columns(int shape, const limb_model* m, const link_const* k, int dof,
                            const target* to, const moving_composite* B, motion v, const place* P,
                            coriolis_column* F)
{
  for (int c = 0; c < dofs_of(shape); c++) {
    const motion S = axis(shape, k, c);
    const coriolis_column own = {addf(inertia_times(B->C, crossm(v, S)), drift_times(B->D, S)),
                                 inertia_times(B->C, S), drift_transposed_times(B->D, S)};
    real row[6];
    project(shape, k, own.f1, row);
    for (int r = 0; r < dofs_of(shape); r++) put_one(m, to, dof + r, dof + c, row[r]);
    if (P) F[dof + c] = column_out(P, own);
  }
}

// Entries of the link's dofs with those behind it, whose columns go on to the parent.
KERNEL void put_behind(int shape, const limb_model* m, const link_const* k, const limb_link* link,
                       const target* to, motion v, const place* P, coriolis_column* F)
{
  const int dof = link->dof, last = last_dof(m, link);
  for (int c = dof + dofs_of(shape); c <= last; c++) {
    const coriolis_column behind = F[c];
    real above[6], below[6];
    project(shape, k, behind.f1, above);
    project(shape, k, subf(behind.f3, crossf(v, behind.f2)), below);
    for (int r = 0; r < dofs_of(shape); r++) {
      put_one(m, to, dof + r, c, above[r]);
      put_one(m, to, c, dof + r, below[r]);
    }
    if (P) F[c] = column_out(P, behind);
  }
}

// Velocities of the links, in their own axes; the base is at rest.
KERNEL void link_velocities(const limb_model* m, const link_const* k, const limb_ws* ws,
                            const real* v, motion* out)
{
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    const int p = link->parent;
#define STEP(shape)                                             \
  {                                                             \
    const place P = place_of(shape, &k[i], ws, i, link->aux);   \
    out[i] = along_joint(shape, &k[i], v + link->dof);          \
    if (p >= 0) out[i] = addm(motion_into(&P, out[p]), out[i]); \
  }
    FOR_SHAPE(link->shape, STEP)
#undef STEP
  }
}

KERNEL void coriolis(const limb_model* m, const link_const* k, const limb_ws* ws, const real* v,
                     const target* to)
{
  motion* vel = ws->state;
  moving_composite* kept = ws->artic;
  coriolis_column* F = ws->columns3;
  const composite no_mass = {zero(), zero3(), {zero(), zero(), zero(), zero(), zero(), zero()}};
  const moving_composite none = {no_mass, {zero3(), columns(zero3(), zero3(), zero3())}};
  moving_composite B = none;
  link_velocities(m, k, ws, v, vel);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const limb_link* link = &m->link[i];
    const int p = link->parent;
    if (link->keep) B = both(B, kept[i]);
#define OWN(shape)                                             \
  B.C = add_own(B.C, moments_of(shape, &k[i]), link->massive); \
  B.D = add_drift(B.D, drift_of(moments_of(shape, &k[i]), vel[i]));
#define STEP(shape)                                                     \
  {                                                                     \
    const place P = place_of(shape, &k[i], ws, i, link->aux);           \
    OWN(shape)                                                          \
    put_own_columns(shape, m, &k[i], link->dof, to, &B, vel[i], &P, F); \
    put_behind(shape, m, &k[i], link, to, vel[i], &P, F);               \
    B = (moving_composite){composite_out(&P, B.C), drift_out(&P, B.D)}; \
  }
#define ROOT_STEP(shape)                                                  \
  {                                                                       \
    OWN(shape)                                                            \
    put_own_columns(shape, m, &k[i], link->dof, to, &B, vel[i], NULL, F); \
    put_behind(shape, m, &k[i], link, to, vel[i], NULL, F);               \
  }
    if (p < 0) {
      FOR_ROOT_SHAPE(link->shape, ROOT_STEP)
    } else {
      FOR_SHAPE(link->shape, STEP)
    }
#undef ROOT_STEP
#undef STEP
#undef OWN
    if (p != i - 1) {
      if (p >= 0) kept[p] = link->last ? B : both(kept[p], B);
      B = none;
    }
  }
}
