// Rotors, friction and springs: forces between a joint's two sides, in compiled coordinates.
//
//   tau += Ia q'' + Fs sign(q') + Fv q' + k (q - rest)        seed 003 (31); springs as in section 6
//
// The scalar file supplies sign_of(x, width): sign(x), or tanh(x / width) when width > 0.

KERNEL void add_actuators(const limb_model* m, const limb_ws* ws, const real* v, const real* a,
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
