// The recursions with all that acts: bodies, wrenches, actuators. Vectors are the user's unless said
// otherwise.

// Needs the coordinates loaded.
KERNEL_PASS void newton_euler_passes(const limb_model* m, const link_const* k, const limb_ws* ws, const real* v,
                                     const real* a, const limb_terms* terms, const real* wrench, real* tau)
{
  const real *cv = in_compiled_order(m, v, ws->v), *ca = in_compiled_order(m, a, ws->a);
  real* ct = m->identity ? tau : ws->tau;
  rnea_out(m, k, ws, cv, ca);
  if (wrench) take_wrenches(m, ws, wrench);
  rnea_back(m, k, ws, ct);
  if (m->has_actuators) add_actuators(m, ws, cv, ca, terms, ct);
  if (!m->identity) in_user_order(m, ct, tau);
}

// The three passes; accelerations in compiled order. Needs the coordinates loaded. With
// MARKS_AT_RUN_TIME forward and hybrid dynamics share one function, which asks at every joint what is given.
#ifdef MARKS_AT_RUN_TIME
KERNEL_ONCE
#else
KERNEL
#endif
real articulated_passes(const limb_model* m, const link_const* k, const limb_ws* ws, const real* cv, const real* wrench,
                        const marks* s, real* ca)
{
  aba_out(m, k, ws, cv);
  if (wrench) aba_wrenches(m, ws, wrench);
  const real least = aba_back(m, k, ws, s);
  aba_accelerate(m, k, ws, s, ca);
  return least;
}
