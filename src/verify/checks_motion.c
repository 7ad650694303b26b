// Checks of kinematics, energy and momentum, of the linear parameter form and of the dynamics at a frame.
#include "verify/verify_impl.h"

#include <string.h>

static double* of_motion(sp_motion* x) { return &x->w.x; }
static double* of_force(sp_force* x) { return &x->m.x; }

// Adds the sum of x_k J_k.
static void add_columns(const verify* t, const double* x, sp_motion* sum, double* size)
{
  verify_combine(t->nv, 6, of_motion(t->J), x, of_motion(sum), size);
}

// ---- kinematics ------------------------------------------------------------------------------------

static limb_status poses(verify* t, double* off)
{
  limb_status s = limb_reference_poses(t->m, t->q, t->poses);
  if (s == LIMB_OK) s = limb_kinematics(t->d, t->q, NULL, NULL);
  double size = 1; // as of rotations
  for (int b = 0; b < t->nbody && s == LIMB_OK; b++) size = fmax(size, sp_norm3(t->poses[b].p));
  for (int b = 0; b < t->nbody && s == LIMB_OK; b++) {
    sp_pose X;
    s = limb_frame_pose(t->d, b, &X);
    s = verify_compare(s, off, 9, X.R.m, t->poses[b].R.m, 1);
    s = verify_compare(s, off, 3, &X.p.x, &t->poses[b].p.x, size);
  }
  return s;
}

static limb_status velocity(verify* t, double* off)
{
  const limb_ref ref = verify_ref(t);
  sp_motion v = {0}, Jv = {0};
  double size = VERIFY_PART * t->size.speed; // joints that follow can turn against each other
  limb_status s = limb_kinematics(t->d, t->q, t->v, NULL);
  if (s == LIMB_OK) s = limb_frame_velocity(t->d, t->frame, ref, &v);
  if (s == LIMB_OK) s = limb_frame_jacobian(t->d, t->frame, ref, t->J);
  add_columns(t, t->v, &Jv, &size);
  return verify_compare(s, off, 6, of_motion(&v), of_motion(&Jv), size);
}

static limb_status sample_velocity(verify* t, double h, double* out)
{
  sp_motion v = {0};
  limb_status s = verify_move(t, 0, h);
  if (s == LIMB_OK) s = limb_kinematics(t->d, t->qt, t->vt, NULL);
  if (s == LIMB_OK) s = limb_frame_velocity(t->d, t->frame, verify_ref(t), &v);
  memcpy(out, of_motion(&v), sizeof v);
  return s;
}

// With constant joint velocities the velocity J v changes by Jdot v.
static limb_status jacobian_rate(verify* t, double* off)
{
  double rate[6];
  sp_motion got = {0}, v = {0};
  limb_status s = limb_kinematics(t->d, t->q, t->v, NULL);
  if (s == LIMB_OK) s = limb_frame_jacobian_rate_times_v(t->d, t->frame, verify_ref(t), &got);
  if (s == LIMB_OK) s = limb_frame_velocity(t->d, t->frame, verify_ref(t), &v);
  const double size = fmax(verify_largest(6, of_motion(&v)), VERIFY_PART_DIFFERENCES * t->size.speed); // over 1 s
  if (s == LIMB_OK) s = verify_rate(t, size, sample_velocity, 6, rate);
  return verify_compare(s, off, 6, of_motion(&got), rate, size);
}

static limb_status acceleration(verify* t, double* off)
{
  const limb_ref ref = verify_ref(t);
  sp_motion a = {0}, sum = {0};
  double size = VERIFY_PART * fmax(t->size.speed, t->size.change);
  limb_status s = limb_kinematics(t->d, t->q, t->v, t->a);
  if (s == LIMB_OK && ref == LIMB_ALIGNED) s = limb_frame_classical_acceleration(t->d, t->frame, ref, &a);
  if (s == LIMB_OK && ref != LIMB_ALIGNED) s = limb_frame_acceleration(t->d, t->frame, ref, &a);
  if (s == LIMB_OK) s = limb_frame_jacobian_rate(t->d, t->frame, ref, t->J);
  add_columns(t, t->v, &sum, &size);
  if (s == LIMB_OK) s = limb_frame_jacobian(t->d, t->frame, ref, t->J);
  add_columns(t, t->a, &sum, &size);
  return verify_compare(s, off, 6, of_motion(&a), of_motion(&sum), size);
}

static limb_status com_velocity(verify* t, double* off)
{
  sp_vec3 v = {0}, sum = {0};
  const double mass = limb_total_mass(t->m);
  double size = mass > 0 ? VERIFY_PART * t->size.speed * t->size.moment / mass : 0;
  limb_status s = limb_kinematics(t->d, t->q, t->v, NULL);
  if (s == LIMB_OK) s = limb_center_of_mass(t->d, NULL, &v, NULL);
  if (s == LIMB_OK) s = limb_center_of_mass_jacobian(t->d, t->c);
  verify_combine(t->nv, 3, &t->c->x, t->v, &sum.x, &size);
  return verify_compare(s, off, 3, &v.x, &sum.x, size);
}

// ---- derivatives of kinematics -----------------------------------------------------------------------

// The longest arm of the frame about a joint, or 1: rates of columns that cancel are rounded in proportion.
static limb_status find_arm(verify* t, limb_ref ref, double* arm)
{
  const limb_status s = limb_frame_jacobian(t->d, t->frame, ref, t->J);
  *arm = fmax(1, s == LIMB_OK ? verify_largest(6 * t->nv, of_motion(t->J)) : 0);
  return s;
}

// With constant joint velocities the velocity of a frame changes by its derivative along them, by Jdot v.
static limb_status velocity_derivative(verify* t, double* off)
{
  const limb_ref ref = verify_ref(t);
  sp_motion rate = {0}, sum = {0};
  double arm = 1;
  limb_status s = limb_kinematics(t->d, t->q, t->v, NULL);
  if (s == LIMB_OK) s = find_arm(t, ref, &arm);
  double size = VERIFY_PART * t->size.speed * t->size.speed * arm;
  if (s == LIMB_OK) s = limb_frame_velocity_derivatives(t->d, t->frame, ref, t->J, NULL);
  add_columns(t, t->v, &sum, &size);
  if (s == LIMB_OK) s = limb_frame_jacobian_rate_times_v(t->d, t->frame, ref, &rate);
  return verify_compare(s, off, 6, of_motion(&sum), of_motion(&rate), size);
}

// d(J a)/dq along v is Jdot a.
static limb_status jacobian_derivative(verify* t, double* off)
{
  const limb_ref ref = verify_ref(t);
  sp_motion rate = {0}, sum = {0};
  double arm = 1;
  limb_status s = limb_kinematics(t->d, t->q, t->v, NULL);
  if (s == LIMB_OK) s = find_arm(t, ref, &arm);
  double size = VERIFY_PART * t->size.speed * t->size.change * arm;
  if (s == LIMB_OK) s = limb_frame_jacobian_derivative_times(t->d, t->frame, ref, t->a, t->J);
  add_columns(t, t->v, &sum, &size);
  if (s == LIMB_OK) s = limb_frame_jacobian_rate(t->d, t->frame, ref, t->J);
  add_columns(t, t->a, &rate, &size);
  return verify_compare(s, off, 6, of_motion(&sum), of_motion(&rate), size);
}

// The rate of the momentum is dh/dq v and the momentum matrix times a.
static limb_status momentum_derivative(verify* t, double* off)
{
  sp_force rate = {0}, sum = {0};
  double size = VERIFY_PART * fmax(t->size.moment, t->size.inertia) * t->size.speed;
  limb_status s = limb_kinematics(t->d, t->q, t->v, t->a);
  if (s == LIMB_OK) s = limb_momentum_rate(t->d, 0, &rate);
  if (s == LIMB_OK) s = limb_momentum_derivative(t->d, 0, t->F);
  verify_combine(t->nv, 6, of_force(t->F), t->v, of_force(&sum), &size);
  if (s == LIMB_OK) s = limb_momentum_matrix(t->d, 0, t->F);
  verify_combine(t->nv, 6, of_force(t->F), t->a, of_force(&sum), &size);
  return verify_compare(s, off, 6, of_force(&rate), of_force(&sum), size);
}

// ---- energy ----------------------------------------------------------------------------------------

static limb_status power(verify* t, double* off)
{
  const double nothing = 0;
  limb_power p = {0};
  const limb_status s = limb_power_balance(t->d, t->q, t->v, t->a, &t->env, &p);
  const double size = fabs(p.actuators) + fabs(p.wrenches) + fabs(p.kinetic) + fabs(p.gravity) + fabs(p.springs) +
                      fabs(p.friction) + t->size.force * t->size.speed;
  return verify_compare(s, off, 1, &p.residual, &nothing, size);
}

// Size of the energies of the bodies: the rounding of their sum is relative to it.
static double energies(const verify* t)
{
  return t->size.moment * sp_norm3(t->env.gravity) + t->size.inertia * t->size.speed * t->size.speed;
}

static limb_status sample_energy(verify* t, double h, double* out)
{
  limb_energy e = {0};
  limb_status s = verify_move(t, 1, h);
  if (s == LIMB_OK) s = limb_energies(t->d, t->qt, t->vt, &t->env, &e);
  *out = e.kinetic + e.gravity + e.springs;
  return s;
}

// The energy grows by what the actuators deliver, less friction.
static limb_status energy_rate(verify* t, double* off)
{
  double rate = 0, energy = 0, delivered = 0;
  limb_status s = sample_energy(t, 0, &energy);
  double size = VERIFY_PART_DIFFERENCES * fmax(energies(t), fabs(energy));
  if (s == LIMB_OK && t->env.friction) s = limb_friction_forces_at(t->d, t->q, t->v, &t->env, t->x);
  for (int k = 0; k < t->nv && s == LIMB_OK; k++) {
    const double friction = t->env.friction ? t->x[k] : 0;
    delivered += (t->tau[k] - friction) * t->v[k];
    size += fabs(t->tau[k] * t->v[k]);
  }
  if (s == LIMB_OK) s = verify_rate(t, size, sample_energy, 1, &rate);
  return verify_compare(s, off, 1, &rate, &delivered, size);
}

// ---- momentum --------------------------------------------------------------------------------------

static limb_status momentum(verify* t, double* off)
{
  sp_force h = {0}, sum = {0};
  double size = VERIFY_PART * fmax(t->size.moment, t->size.inertia) * t->size.speed;
  limb_status s = limb_kinematics(t->d, t->q, t->v, NULL);
  if (s == LIMB_OK) s = limb_momentum(t->d, 0, &h);
  if (s == LIMB_OK) s = limb_momentum_matrix(t->d, 0, t->F);
  verify_combine(t->nv, 6, of_force(t->F), t->v, of_force(&sum), &size);
  return verify_compare(s, off, 6, of_force(&h), of_force(&sum), size);
}

static limb_status sample_momentum(verify* t, double h, double* out)
{
  sp_force p = {0};
  limb_status s = verify_move(t, 1, h);
  if (s == LIMB_OK) s = limb_kinematics(t->d, t->qt, t->vt, NULL);
  if (s == LIMB_OK) s = limb_momentum(t->d, 0, &p);
  memcpy(out, of_force(&p), sizeof p);
  return s;
}

static limb_status momentum_rate(verify* t, double* off)
{
  double rate[6];
  sp_force got = {0}, h = {0};
  limb_status s = limb_kinematics(t->d, t->q, t->v, t->a);
  if (s == LIMB_OK) s = limb_momentum_rate(t->d, 0, &got);
  if (s == LIMB_OK) s = limb_momentum(t->d, 0, &h);
  const double bound = fmax(t->size.moment, t->size.inertia) * t->size.speed;
  const double size = fmax(sp_norm3(h.m) + sp_norm3(h.f), VERIFY_PART_DIFFERENCES * bound);
  if (s == LIMB_OK) s = verify_rate(t, size, sample_momentum, 6, rate);
  return verify_compare(s, off, 6, of_force(&got), rate, size);
}

// The reactions of the joints on the world and the weight change the momentum.
static limb_status reactions(verify* t, double* off)
{
  sp_force sum = {0}, rate = {0};
  double size = fmax(t->size.force, VERIFY_PART * t->size.moment * t->size.change);
  limb_status s = limb_joint_reactions(t->d, t->q, t->v, t->a, &t->env, LIMB_WORLD, t->F);
  if (s == LIMB_OK) s = verify_on_world(t, &sum, &size);
  if (s == LIMB_OK) s = limb_kinematics(t->d, t->q, t->v, t->a);
  if (s == LIMB_OK) s = limb_momentum_rate(t->d, 0, &rate);
  if (s == LIMB_OK) s = verify_weight(t, &sum, &size);
  return verify_compare(s, off, 6, of_force(&sum), of_force(&rate), size);
}

const verify_check verify_motion[] = {
  {"pose", "kinematics", "product of exponentials", VERIFY_ALGEBRA, 1, poses, 0, NULL},
  {"velocity", "kinematics", "J v", VERIFY_ALGEBRA, 1, velocity, 0, NULL},
  {"acceleration", "kinematics", "J a + Jdotv", VERIFY_ALGEBRA, 1, acceleration, 0, NULL},
  {"Jdotv", "recursion", "d(J v)/dt by differences", VERIFY_DIFFERENCES, 1, jacobian_rate, 0, NULL},
  {"dvelocity_dq", "d(J v)/dq v", "Jdotv", VERIFY_ALGEBRA, 1, velocity_derivative, 0, NULL},
  {"dJ_dq", "d(J a)/dq v", "Jdot a", VERIFY_ALGEBRA, 1, jacobian_derivative, 0, NULL},
  {"vcom", "velocity", "J v", VERIFY_ALGEBRA, 1, com_velocity, 0, NULL},
  {"power", "power delivered", "power stored and lost", VERIFY_ALGEBRA, 1, power, 0, NULL},
  {"total_energy", "(tau - friction) v", "dE/dt by differences", VERIFY_DIFFERENCES, 1, energy_rate, 0, NULL},
  {"momentum", "of the bodies", "momentum matrix times v", VERIFY_ALGEBRA, 1, momentum, 0, NULL},
  {"momentum_rate", "recursion", "dh/dt by differences", VERIFY_DIFFERENCES, 1, momentum_rate, 0, NULL},
  {"momentum_rate", "recursion", "dh/dq v + dh/dv a", VERIFY_ALGEBRA, 1, momentum_derivative, 0, NULL},
  {"reactions", "at the base, with weight", "rate of momentum", VERIFY_ALGEBRA, 1, reactions, 0, NULL},
  {0},
};

// ==== linear in the parameters; at a frame ========================================================

// ---- parameters ------------------------------------------------------------------------------------

// x is Y theta: what theta does not have is added.
static void add_unlisted(verify* t, double* x) { verify_add_unlisted(t, t->q, t->v, t->a, t->env.friction, x); }

static limb_status regressor(verify* t, double* off)
{
  limb_status s = limb_regressor(t->d, t->q, t->v, t->a, &t->env, t->big);
  verify_times(t->nv, t->np, t->big, t->theta, t->x);
  add_unlisted(t, t->x);
  return verify_compare(s, off, t->nv, t->tau, t->x, t->size.force);
}

// Slotine and Li's, with a for v_r and v for a_r: M v + C a + g and springs, without friction.
static limb_status reference_regressor(verify* t, double* off)
{
  limb_environment env = t->env;
  env.friction = 0;
  limb_status s = limb_slotine_li_regressor(t->d, t->q, t->v, t->a, t->v, &env, t->big);
  if (s != LIMB_OK) return s;
  verify_times(t->nv, t->np, t->big, t->theta, t->x);
  verify_add_unlisted(t, t->q, t->a, t->v, 0, t->x);
  s = limb_mass_matrix(t->d, t->q, t->M);
  if (s == LIMB_OK) s = limb_coriolis_matrix(t->d, t->q, t->v, t->A);
  if (s == LIMB_OK) s = limb_gravity_forces(t->d, t->q, &env, t->y);
  if (s == LIMB_OK) s = limb_spring_forces(t->d, t->q, t->z);
  for (int k = 0; k < t->nv; k++) t->y[k] += t->z[k];
  verify_times(t->nv, t->nv, t->M, t->v, t->z);
  verify_times(t->nv, t->nv, t->A, t->a, t->w);
  for (int k = 0; k < t->nv; k++) t->y[k] += t->z[k] + t->w[k];
  return verify_compare(s, off, t->nv, t->x, t->y, t->size.force);
}

static limb_status base_regressor(verify* t, double* off)
{
  limb_status s = verify_base(t);
  if (s != LIMB_OK) return s;
  const int nb = limb_base_count(t->base);
  const size_t size = (size_t)t->nv * (size_t)t->np;
  double *work = t->big, *Y = work + size, *theta = Y + size;
  s = limb_base_regressor(t->base, t->d, t->q, t->v, t->a, work, Y);
  if (s == LIMB_OK) s = limb_base_values(t->base, NULL, theta);
  verify_times(t->nv, nb, Y, theta, t->x);
  add_unlisted(t, t->x);
  return verify_compare(s, off, t->nv, t->tau, t->x, t->size.force);
}

static limb_status energy_regressor(verify* t, double* off)
{
  limb_energy e = {0};
  double sum = 0, size = VERIFY_PART * t->size.inertia * t->size.speed * t->size.speed;
  limb_status s = limb_energy_regressor(t->d, t->q, t->v, &t->env, t->big, NULL);
  if (s == LIMB_OK) s = limb_energies(t->d, t->q, t->v, &t->env, &e);
  for (int k = 0; k < t->np && s == LIMB_OK; k++) {
    sum += t->big[k] * t->theta[k];
    size = fmax(size, fabs(t->big[k] * t->theta[k]));
  }
  // rotors that are not in theta: v' (rotor v) / 2
  for (int k = 0; k < t->nv; k++) t->x[k] = 0;
  verify_add_rotors(t->m, t->v, t->x);
  for (int k = 0; k < t->nv; k++) sum += t->x[k] * t->v[k] / 2;
  return verify_compare(s, off, 1, &e.kinetic, &sum, size);
}

// ---- the task: all directions of a frame -----------------------------------------------------------

enum { SIX = 6 };

typedef struct task_space {
  double Lambda[SIX * SIX], mobility[SIX * SIX], mu[SIX], p[SIX], other[SIX], Jdot_v[SIX];
  double *J, *Jbar;
  limb_task_space out;
} task_space;

// Damped as far as needed: the equations hold with damping. *moves 0: the frame cannot move.
static limb_status at_frame(verify* t, task_space* r, int* moves)
{
  const limb_task task = {t->frame, verify_ref(t), LIMB_TWIST};
  const limb_task_stack tasks = {1, &task};
  limb_task_options o = limb_default_task_options();
  o.raise_damping = 1, o.condition_limit = 1e4;
  r->J = t->big, r->Jbar = r->J + SIX * (size_t)t->nv;
  double* work = r->Jbar + SIX * (size_t)t->nv;
  r->out = (limb_task_space){.J = r->J,
                             .Jdot_v = r->Jdot_v,
                             .mobility = r->mobility,
                             .Lambda = r->Lambda,
                             .mu = r->mu,
                             .p = r->p,
                             .other = r->other,
                             .Jbar = r->Jbar};
  const limb_status s = limb_task_dynamics(t->d, t->q, t->v, &t->env, &tasks, &o, work, &r->out);
  *moves = s != LIMB_E_SINGULAR || verify_largest(SIX * t->nv, r->J) > 0;
  return *moves ? s : LIMB_OK;
}

// Lambda (J M^-1 J' + damping) = 1
static limb_status task_inertia(verify* t, double* off)
{
  task_space r;
  double product[SIX * SIX], unit[SIX * SIX];
  int moves = 0;
  const limb_status s = at_frame(t, &r, &moves);
  if (s != LIMB_OK || !moves) return s;
  for (int i = 0; i < SIX; i++) {
    for (int j = 0; j < SIX; j++) {
      const int ij = SIX * i + j;
      unit[ij] = i == j;
      product[ij] = r.Lambda[ij] * r.out.damping;
      for (int k = 0; k < SIX; k++) product[ij] += r.Lambda[SIX * i + k] * r.mobility[SIX * k + j];
    }
  }
  return verify_compare(s, off, SIX * SIX, product, unit, 0);
}

// Jbar' tau = Lambda (J a + Jdot v) + mu + p + other
static limb_status task_equation(verify* t, double* off)
{
  task_space r;
  double F[SIX], sum[SIX], acceleration[SIX], size = 0;
  int moves = 0;
  const limb_status s = at_frame(t, &r, &moves);
  if (s != LIMB_OK || !moves) return s;
  for (size_t i = 0; i < SIX; i++) {
    F[i] = 0, acceleration[i] = r.Jdot_v[i];
    for (size_t k = 0; k < (size_t)t->nv; k++) {
      const double part = r.Jbar[k * SIX + i] * t->tau[k];
      F[i] += part;
      size = fmax(size, fabs(part));
      acceleration[i] += r.J[i * (size_t)t->nv + k] * t->a[k];
    }
  }
  for (int i = 0; i < SIX; i++) {
    sum[i] = r.mu[i] + r.p[i] + r.other[i];
    size = fmax(size, fmax(fabs(r.mu[i]), fabs(r.p[i])));
    for (int k = 0; k < SIX; k++) {
      const double part = r.Lambda[SIX * i + k] * acceleration[k];
      sum[i] += part;
      size = fmax(size, fabs(part));
    }
  }
  return verify_compare(s, off, SIX, F, sum, size);
}

const verify_check verify_forms[] = {
  {"tau", "RNEA", "Y theta", VERIFY_ALGEBRA, 2, regressor, VERIFY_WIDE, NULL},
  {"Y_r", "Y_r theta", "M a_r + C v_r + g + springs", VERIFY_ALGEBRA, 2, reference_regressor, VERIFY_WIDE, NULL},
  {"tau", "RNEA", "Y_base theta_base", VERIFY_ALGEBRA, 2, base_regressor, VERIFY_BASE,
   "its base parameters are not certain"},
  {"energy", "of the bodies", "regressor times theta", VERIFY_ALGEBRA, 1, energy_regressor, 0, NULL},
  {"Lambda", "times J M^-1 J'", "1", VERIFY_INVERSE, 2, task_inertia, 0, NULL},
  {"Lambda, eta", "Lambda xddot + eta", "force of tau at the frame", VERIFY_INVERSE, 2, task_equation, 0, NULL},
  {0},
};
