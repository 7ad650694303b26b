// Rotors, friction and springs: forces between a joint's two sides; shafts: forces between two joints. In
// compiled coordinates.
//
//   tau += Ia q'' + Fs sign(q') + Fv q' + k (q - rest)        Khalil 2010, (31); springs as in section 6
//   T = K (qm / n - q - rest) + D (qm' / n - q'),   tau -= T at the joint,   tau += T / n at the motor
//                                      M. Spong, Modeling and control of elastic joint robots, 1987
//
// K counts as a spring, D as friction. T, the shaft's force on the joint, takes as much off what an
// actuator at the joint has to give, and the motor has to give T / n more.
//
// The scalar file supplies sign_of(x, width): sign(x), or tanh(x / width) when width > 0.

KERNEL void add_shafts(const limb_model* m, const limb_ws* ws, const real* v, const limb_terms* terms, real* tau)
{
  const real* q = ws->q;
  for (int s = 0; s < m->nshaft; s++) {
    const limb_shaft* x = &m->shaft[s];
    const par n = parameter(1 / x->def.ratio);
    real T = zero();
    if (terms->springs) {
      const real twist = sub(scale(n, q[x->motor_link]), q[x->joint_link]);
      T = scale(parameter(x->def.stiffness), plus(parameter(-x->rest), twist));
    }
    if (terms->friction) {
      T = kmadd(T, parameter(x->def.damping), sub(scale(n, v[x->motor]), v[x->joint]));
    }
    T = settled(T);
    tau[x->joint] = sub(tau[x->joint], T);
    tau[x->motor] = kmadd(tau[x->motor], n, T);
  }
}

// What joints have of their own.
KERNEL void add_joint_actuators(const limb_model* m, const limb_ws* ws, const real* v, const real* a,
                                const limb_terms* terms, real* tau)
{
  const real* q = ws->q;
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    if (link->ndof != 1) continue;
    const int c = link->dof;
    const limb_actuator* k = &m->actuator[c];
    if (terms->rotors) tau[c] = kmadd(tau[c], parameter(k->rotor), a[c]);
    if (terms->friction) {
      const real sliding = kmadd(tau[c], parameter(k->viscous), v[c]);
      tau[c] = kmadd(sliding, parameter(k->coulomb), sign_of(v[c], terms->width));
    }
    if (terms->springs) {
      tau[c] = kmadd(tau[c], parameter(k->stiffness), plus(parameter(-k->rest), q[i]));
    }
  }
}

KERNEL void add_actuators(const limb_model* m, const limb_ws* ws, const real* v, const real* a, const limb_terms* terms,
                          real* tau)
{
  add_joint_actuators(m, ws, v, a, terms, tau);
  add_shafts(m, ws, v, terms, tau);
}

// What friction, springs and shafts take away, in compiled order; NULL: there is nothing of the kind. It is
// in ws->force, which articulated bodies do not use.
KERNEL const real* lost_forces(const limb_model* m, const limb_ws* ws, const real* cv, const limb_terms* terms)
{
  if (!m->has_actuators) return NULL;
  real* lost = ws->force;
  for (int c = 0; c < m->ncdof; c++) lost[c] = zero();
  const limb_terms no_rotors = {false, terms->friction, terms->springs, terms->width};
  add_actuators(m, ws, cv, cv, &no_rotors, lost);
  return lost;
}

// What is left of the user's forces for the bodies, in compiled order, in ws->tau. Not for mimic joints.
KERNEL const real* left_forces(const limb_model* m, const limb_ws* ws, const real* cv, const real* tau,
                               const limb_terms* terms)
{
  real* ct = ws->tau;
  for (int c = 0; c < m->ncdof; c++) ct[c] = tau[m->dof[c].v];
  const real* lost = lost_forces(m, ws, cv, terms);
  for (int c = 0; lost && c < m->ncdof; c++) ct[c] = sub(ct[c], lost[c]);
  return ct;
}
