// The quantities of `limb eval`: one row per name, one small function per call of the library.
#include "eval.h"

#include <string.h>

// ---- dynamics --------------------------------------------------------------------------------------

static limb_status tau(eval_run* r, double* x)
{
  const cli_states* s = r->states;
  return limb_inverse_dynamics(r->robot->data, s->q, s->v, s->a, &r->robot->env, x);
}

static limb_status acc(eval_run* r, double* x)
{
  const cli_states* s = r->states;
  return limb_forward_dynamics(r->robot->data, s->q, s->v, s->tau, &r->robot->env, x);
}

static limb_status mass_matrix(eval_run* r, double* x)
{
  return limb_mass_matrix(r->robot->data, r->states->q, x);
}

static limb_status mass_matrix_inverse(eval_run* r, double* x)
{
  return limb_mass_matrix_inverse(r->robot->data, r->states->q, x);
}

static limb_status bias(eval_run* r, double* x)
{
  return limb_bias_forces(r->robot->data, r->states->q, r->states->v, &r->robot->env, x);
}

static limb_status gravity(eval_run* r, double* x)
{
  return limb_gravity_forces(r->robot->data, r->states->q, &r->robot->env, x);
}

static limb_status coriolis(eval_run* r, double* x)
{
  return limb_coriolis_matrix(r->robot->data, r->states->q, r->states->v, x);
}

static limb_status friction(eval_run* r, double* x)
{
  return limb_friction_forces(r->robot->data, r->states->v, &r->robot->env, x);
}

static limb_status springs(eval_run* r, double* x)
{
  return limb_spring_forces(r->robot->data, r->states->q, x);
}

static limb_status energy(eval_run* r, double* x)
{
  limb_energy e = {0, 0, 0};
  const limb_status s =
    limb_energies(r->robot->data, r->states->q, r->states->v, &r->robot->env, &e);
  x[0] = e.kinetic, x[1] = e.gravity + e.springs, x[2] = e.gravity, x[3] = e.springs;
  return s;
}

static limb_status power(eval_run* r, double* x)
{
  const cli_states* s = r->states;
  limb_power p = {0};
  const limb_status status =
    limb_power_balance(r->robot->data, s->q, s->v, s->a, &r->robot->env, &p);
  x[0] = p.actuators, x[1] = p.wrenches, x[2] = p.kinetic, x[3] = p.gravity, x[4] = p.springs;
  x[5] = p.friction, x[6] = p.residual;
  return status;
}

// ---- kinematics ------------------------------------------------------------------------------------

static void put3(sp_vec3 v, double* x) { x[0] = v.x, x[1] = v.y, x[2] = v.z; }

static limb_status put_motion(limb_status s, const sp_motion* m, double* x)
{
  put3(m->w, x), put3(m->v, x + 3);
  return s;
}

static limb_status put_force(limb_status s, const sp_force* f, double* x)
{
  put3(f->m, x), put3(f->f, x + 3);
  return s;
}

static limb_status reactions(eval_run* r, double* x)
{
  const cli_states* s = r->states;
  const limb_status status =
    limb_joint_reactions(r->robot->data, s->q, s->v, s->a, &r->robot->env, r->ref, r->reactions);
  const int n = limb_joint_count(r->robot->model);
  for (int j = 0; status == LIMB_OK && j < n; j++) {
    (void)put_force(status, &r->reactions[j], x + 6 * (size_t)j);
  }
  return status;
}

static limb_status pose(eval_run* r, double* x)
{
  sp_pose X = sp_pose_identity();
  const limb_status s = limb_frame_pose(r->robot->data, r->frame, &X);
  const sp_quat q = sp_quat_rot(X.R);
  put3(X.p, x);
  x[3] = q.x, x[4] = q.y, x[5] = q.z, x[6] = q.w;
  memcpy(x + 7, X.R.m, sizeof X.R.m);
  return s;
}

// Columns in memory, rows on paper.
static limb_status jacobian(eval_run* r, double* x)
{
  const size_t nv = (size_t)r->dofs->nv;
  const limb_status s = limb_frame_jacobian(r->robot->data, r->frame, r->ref, r->columns);
  for (size_t k = 0; s == LIMB_OK && k < nv; k++) {
    const sp_motion J = r->columns[k];
    const double c[6] = {J.w.x, J.w.y, J.w.z, J.v.x, J.v.y, J.v.z};
    for (size_t i = 0; i < 6; i++) x[i * nv + k] = c[i];
  }
  return s;
}

static limb_status jacobian_rate_times_v(eval_run* r, double* x)
{
  sp_motion m = {{0, 0, 0}, {0, 0, 0}};
  const limb_status s = limb_frame_jacobian_rate_times_v(r->robot->data, r->frame, r->ref, &m);
  return put_motion(s, &m, x);
}

static limb_status velocity(eval_run* r, double* x)
{
  sp_motion m = {{0, 0, 0}, {0, 0, 0}};
  const limb_status s = limb_frame_velocity(r->robot->data, r->frame, r->ref, &m);
  return put_motion(s, &m, x);
}

// J a + Jdot v, whatever the reference: docs/conventions.md.
static limb_status acceleration(eval_run* r, double* x)
{
  sp_motion m = {{0, 0, 0}, {0, 0, 0}};
  const limb_status s = r->ref == LIMB_ALIGNED
                          ? limb_frame_classical_acceleration(r->robot->data, r->frame, r->ref, &m)
                          : limb_frame_acceleration(r->robot->data, r->frame, r->ref, &m);
  return put_motion(s, &m, x);
}

static limb_status center(eval_run* r, double* x)
{
  sp_vec3 c = {0, 0, 0};
  const limb_status s = limb_center_of_mass(r->robot->data, &c, NULL, NULL);
  put3(c, x);
  return s;
}

static limb_status center_velocity(eval_run* r, double* x)
{
  sp_vec3 c = {0, 0, 0};
  const limb_status s = limb_center_of_mass(r->robot->data, NULL, &c, NULL);
  put3(c, x);
  return s;
}

static limb_status center_acceleration(eval_run* r, double* x)
{
  sp_vec3 c = {0, 0, 0};
  const limb_status s = limb_center_of_mass(r->robot->data, NULL, NULL, &c);
  put3(c, x);
  return s;
}

static limb_status momentum(eval_run* r, double* x)
{
  sp_force h = {{0, 0, 0}, {0, 0, 0}};
  return put_force(limb_momentum(r->robot->data, 1, &h), &h, x);
}

static limb_status momentum_rate(eval_run* r, double* x)
{
  sp_force h = {{0, 0, 0}, {0, 0, 0}};
  return put_force(limb_momentum_rate(r->robot->data, 1, &h), &h, x);
}

// ---- the table -------------------------------------------------------------------------------------

static const char* const energy_fields[] = {"kinetic", "potential", "gravity", "springs", NULL};
static const char* const power_fields[] = {"actuators", "wrenches", "kinetic",  "gravity",
                                           "springs",   "friction", "residual", NULL};

enum { Q = STATES_Q, QV = STATES_Q | STATES_V, QVA = STATES_Q | STATES_V | STATES_A };
enum { QVT = STATES_Q | STATES_V | STATES_TAU };

const eval_quantity eval_quantities[] = {
  {"tau", "torques and forces of the actuators", EVAL_DOFS, QVA, 0, 0, NULL, NULL, tau},
  {"acc", "accelerations under tau", EVAL_DOFS, QVT, 0, 0, NULL, NULL, acc},
  {"M", "mass matrix", EVAL_MATRIX, Q, 0, 0, NULL, NULL, mass_matrix},
  {"Minv", "its inverse", EVAL_MATRIX, Q, 0, 0, NULL, NULL, mass_matrix_inverse},
  {"h", "bias forces C v + g", EVAL_DOFS, QV, 0, 0, NULL, NULL, bias},
  {"g", "gravity forces", EVAL_DOFS, Q, 0, 0, NULL, NULL, gravity},
  {"C", "Coriolis matrix: C v = h - g, rate of M minus 2 C is skew", EVAL_MATRIX, QV, 0, 0, NULL,
   NULL, coriolis},
  {"J", "Jacobian of the frame", EVAL_JACOBIAN, Q, 1, 1, NULL, NULL, jacobian},
  {"Jdotv", "rate of J times v", EVAL_MOTION, QV, 2, 1, NULL, NULL, jacobian_rate_times_v},
  {"pose", "pose of the frame in the world", EVAL_POSE, Q, 1, 1, NULL, NULL, pose},
  {"velocity", "velocity of the frame", EVAL_MOTION, QV, 2, 1, NULL, NULL, velocity},
  {"acceleration", "J a + Jdot v of the frame: classical in aligned, spatial in body and world",
   EVAL_MOTION, QVA, 3, 1, NULL, NULL, acceleration},
  {"energy", "kinetic, potential (gravity + springs), gravity, springs", EVAL_RECORD, QV, 0, 0, "J",
   energy_fields, energy},
  {"com", "centre of mass", EVAL_VECTOR, Q, 1, 0, "m", NULL, center},
  {"vcom", "its velocity", EVAL_VECTOR, QV, 2, 0, "m/s", NULL, center_velocity},
  {"acom", "its acceleration", EVAL_VECTOR, QVA, 3, 0, "m/s^2", NULL, center_acceleration},
  {"momentum", "momentum, angular about the centre of mass, world axes", EVAL_FORCE, QV, 2, 0, NULL,
   NULL, momentum},
  {"momentum_rate", "its rate", EVAL_FORCE, QVA, 3, 0, NULL, NULL, momentum_rate},
  {"friction", "friction, as the actuators feel it", EVAL_DOFS, STATES_V, 0, 0, NULL, NULL,
   friction},
  {"springs", "springs beside the joints, as the actuators feel them", EVAL_DOFS, Q, 0, 0, NULL,
   NULL, springs},
  {"reactions", "wrench that each joint transmits to its child, at the joint, in --ref",
   EVAL_REACTIONS, QVA, 0, 0, NULL, NULL, reactions},
  {"power", "actuators, wrenches; kinetic, gravity, springs, friction; residual", EVAL_RECORD, QVA,
   0, 0, "W", power_fields, power},
  {0},
};

// ---- forms -----------------------------------------------------------------------------------------

const char* const* eval_components(eval_form form)
{
  static const char* const motion[] = {"wx", "wy", "wz", "vx", "vy", "vz", NULL};
  static const char* const force[] = {"mx", "my", "mz", "fx", "fy", "fz", NULL};
  static const char* const vector[] = {"x", "y", "z", NULL};
  static const char* const poses[] = {"px",  "py",  "pz",  "qx",  "qy",  "qz",  "qw",  "Rxx", "Rxy",
                                      "Rxz", "Ryx", "Ryy", "Ryz", "Rzx", "Rzy", "Rzz", NULL};
  switch (form) {
  case EVAL_JACOBIAN:
  case EVAL_MOTION: return motion;
  case EVAL_FORCE:
  case EVAL_REACTIONS: return force;
  case EVAL_VECTOR: return vector;
  case EVAL_POSE: return poses;
  case EVAL_DOFS:
  case EVAL_MATRIX:
  case EVAL_RECORD: break;
  }
  return NULL;
}

size_t eval_size(const eval_quantity* e, const eval_run* run)
{
  const size_t nv = (size_t)run->dofs->nv;
  size_t n = 0;
  switch (e->form) {
  case EVAL_DOFS: return nv;
  case EVAL_MATRIX: return nv * nv;
  case EVAL_JACOBIAN: return 6 * nv;
  case EVAL_MOTION:
  case EVAL_FORCE: return 6;
  case EVAL_VECTOR: return 3;
  case EVAL_POSE: return 16;
  case EVAL_REACTIONS: return 6 * (size_t)limb_joint_count(run->robot->model);
  case EVAL_RECORD: break;
  }
  while (e->fields[n]) n++;
  return n;
}

static const char* joint_name(const eval_run* run, size_t j)
{
  limb_joint_info info;
  return limb_get_joint(run->robot->model, (int)j, &info) == LIMB_OK ? info.def.name : "";
}

void eval_name(const eval_quantity* e, const eval_run* run, size_t k, char* text, size_t size)
{
  const cli_dof* dof = run->dofs->v;
  const size_t nv = (size_t)run->dofs->nv;
  const char* const* part = eval_components(e->form);
  switch (e->form) {
  case EVAL_DOFS: (void)snprintf(text, size, "%s", dof[k].name); break;
  case EVAL_MATRIX: (void)snprintf(text, size, "%s.%s", dof[k / nv].name, dof[k % nv].name); break;
  case EVAL_JACOBIAN: (void)snprintf(text, size, "%s.%s", part[k / nv], dof[k % nv].name); break;
  case EVAL_MOTION:
  case EVAL_FORCE:
  case EVAL_VECTOR:
  case EVAL_POSE: (void)snprintf(text, size, "%s", part[k]); break;
  case EVAL_RECORD: (void)snprintf(text, size, "%s", e->fields[k]); break;
  case EVAL_REACTIONS:
    (void)snprintf(text, size, "%s.%s", joint_name(run, k / 6), part[k % 6]);
    break;
  }
}
