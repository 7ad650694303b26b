// The registry of quantities, and every quantity of trees by its name against the call that computes it.
#include "limb/derivatives.h"
#include "limb/dynamics.h"
#include "limb/kinematics.h"
#include "limb/lagrange.h"
#include "limb/regressor.h"

#include "quantities/station.h"

#include <math.h>

// ---- the registry ---------------------------------------------------------------------------------------

START_TEST(registry)
{
  const int n = limb_quantity_count();
  assert_that(n > 70);
  for (int k = 0; k < n; k++) {
    const limb_quantity_info* q = limb_get_quantity(k);
    check_at("%s", q->name);
    assert_that(q->name && *q->group && *q->equation && *q->meaning && q->unit && q->functions && q->note);
    assert_that(limb_find_quantity(q->name) == q);
    assert_that(!strchr(q->equation, '\n') && strlen(q->equation) < 120);
    int rank = 0, fields = 0;
    for (; q->axis[rank] != LIMB_AXIS_NONE; rank++) fields += q->axis[rank] == LIMB_AXIS_FIELD;
    assert_that(rank <= LIMB_QUANTITY_AXES_MAX && fields == (q->fields != NULL));
    for (const char* c = q->equation; *c; c++) assert_that(*c >= ' ' && *c < 127);
  }
  assert_that(!limb_get_quantity(n) && !limb_get_quantity(-1) && !limb_find_quantity(NULL));
  assert_that(!limb_find_quantity("nothing"));
}
END_TEST

START_TEST(short_and_wrong_names)
{
  static const char* const short_name[][2] = {{"t", "time"}, {"pos", "position"}, {"body", "velocity"}};
  static const char* const near[][2] = {{"rnea", "tau"},
                                        {"vellocity", "velocity"},
                                        {"closed_M", "reduced_M"},
                                        {"inertia", "M"},
                                        {"jacobian", "J"},
                                        {"closed_acc", "acc"},
                                        {"tau_active", "tau"},
                                        {"joint_loads", "reactions"},
                                        {"dacc_closed_dq", "dacc_dq"},
                                        {"q_closed", "q"},
                                        {"psi", "Psi"}};
  for (size_t k = 0; k < sizeof short_name / sizeof *short_name; k++)
    ck_assert_str_eq(limb_find_quantity(short_name[k][0])->name, short_name[k][1]);
  assert_that(!limb_find_quantity("closed_acc") && !limb_find_quantity("q_closed"));
  for (size_t k = 0; k < sizeof near / sizeof *near; k++)
    ck_assert_str_eq(limb_nearest_quantity(near[k][0]), near[k][1]);
  static const char* const words[] = {"verify", "version", "sim", NULL};
  static const char* const typed[][2] = {
    {"VERIFY", "verify"}, {"verfiy", "verify"}, {"vers", "version"}, {"SIM", "sim"}};
  for (size_t k = 0; k < sizeof typed / sizeof *typed; k++)
    ck_assert_str_eq(limb_nearest_name(typed[k][0], words), typed[k][1]);
  assert_that(!limb_nearest_name("xy", words) && !limb_nearest_name("", words) && !limb_nearest_name(NULL, words));
  assert_that(!limb_nearest_quantity("zzzzz") && !limb_nearest_quantity("x") && !limb_nearest_quantity(NULL));
}
END_TEST

// ---- trees ----------------------------------------------------------------------------------------------

static void put_columns(const sp_motion* c, int n, double* x)
{
  for (int k = 0; k < n; k++) {
    const double column[] = {c[k].w.x, c[k].w.y, c[k].w.z, c[k].v.x, c[k].v.y, c[k].v.z};
    for (int i = 0; i < 6; i++) x[i * n + k] = column[i];
  }
}

static void put_forces(const sp_force* f, int n, double* x)
{
  for (int k = 0; k < n; k++, x += 6) {
    const double one[] = {f[k].m.x, f[k].m.y, f[k].m.z, f[k].f.x, f[k].f.y, f[k].f.z};
    memcpy(x, one, sizeof one);
  }
}

// Compares the quantity that was asked for last with t->y.
static void compare(station* t, const limb_item* item, double tol)
{
  assert_close_array(t->x, t->y, (int)item->size, tol, 1e-300);
}

static void dynamics(station* t)
{
  const limb_environment* env = &t->env;
  limb_item i = station_ask(t, "tau");
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, env, t->y)), compare(t, &i, 0);
  i = station_ask(t, "acc");
  assert_ok(limb_forward_dynamics(t->d, t->q, t->v, t->tau, env, t->y)), compare(t, &i, 0);
  i = station_ask(t, "M");
  assert_ok(limb_mass_matrix(t->d, t->q, t->y)), compare(t, &i, 0);
  i = station_ask(t, "Minv");
  assert_ok(limb_mass_matrix_inverse(t->d, t->q, t->y)), compare(t, &i, 0);
  i = station_ask(t, "dacc_dtau"), compare(t, &i, 0);
  i = station_ask(t, "h");
  assert_ok(limb_bias_forces(t->d, t->q, t->v, env, t->y)), compare(t, &i, 0);
  i = station_ask(t, "g");
  assert_ok(limb_gravity_forces(t->d, t->q, env, t->y)), compare(t, &i, 0);
  i = station_ask(t, "C");
  assert_ok(limb_coriolis_matrix(t->d, t->q, t->v, t->y)), compare(t, &i, 0);
  i = station_ask(t, "friction");
  assert_ok(limb_friction_forces(t->d, t->v, env, t->y)), compare(t, &i, 0);
  i = station_ask(t, "springs");
  assert_ok(limb_spring_forces(t->d, t->q, t->y)), compare(t, &i, 0);
  limb_energy e;
  i = station_ask(t, "energy");
  assert_ok(limb_energies(t->d, t->q, t->v, env, &e));
  t->y[0] = e.kinetic, t->y[1] = e.gravity + e.springs, t->y[2] = e.gravity, t->y[3] = e.springs;
  compare(t, &i, 0);
  i = station_ask(t, "total_energy");
  t->y[0] = e.kinetic + e.gravity + e.springs, compare(t, &i, 0);
  limb_power p;
  i = station_ask(t, "power");
  assert_ok(limb_power_balance(t->d, t->q, t->v, t->a, env, &p));
  const double all[] = {p.actuators, p.wrenches, p.kinetic, p.gravity, p.springs, p.friction, p.residual};
  memcpy(t->y, all, sizeof all), compare(t, &i, 0);
  sp_force f[STATION_NV];
  i = station_ask(t, "reactions@body");
  assert_ok(limb_joint_reactions(t->d, t->q, t->v, t->a, env, LIMB_BODY, f));
  put_forces(f, limb_joint_count(t->m), t->y), compare(t, &i, 0);
  static const char* const state[] = {"q", "v", "a"};
  const double* const own[] = {t->q, t->v, t->a};
  for (int k = 0; k < 3; k++) i = station_ask(t, state[k]), assert_close_array(t->x, own[k], (int)i.size, 0, 0);
}

static void frames(station* t)
{
  const int f = t->frame;
  sp_motion m[STATION_NV], one;
  sp_pose X;
  sp_vec3 c, vc, ac;
  sp_force h;
  assert_ok(limb_kinematics(t->d, t->q, t->v, t->a));
  limb_item i = station_ask(t, "pose");
  assert_ok(limb_frame_pose(t->d, f, &X));
  assert_close_array(t->x, &X.p.x, 3, 0, 0);
  assert_close_array(t->x + 7, X.R.m, 9, 0, 0);
  i = station_ask(t, "position"), assert_close_array(t->x, &X.p.x, 3, 0, 0);
  for (int ref = LIMB_BODY; ref <= LIMB_ALIGNED; ref++) {
    char name[40];
    (void)snprintf(name, sizeof name, "velocity@%s", limb_ref_text((limb_ref)ref));
    i = station_ask(t, name);
    assert_ok(limb_frame_velocity(t->d, f, (limb_ref)ref, &one)), put_columns(&one, 1, t->y), compare(t, &i, 0);
    (void)snprintf(name, sizeof name, "J@%s", limb_ref_text((limb_ref)ref));
    i = station_ask(t, name);
    assert_ok(limb_frame_jacobian(t->d, f, (limb_ref)ref, m)), put_columns(m, t->nv, t->y), compare(t, &i, 0);
    (void)snprintf(name, sizeof name, "Jdotv@%s", limb_ref_text((limb_ref)ref));
    i = station_ask(t, name);
    assert_ok(limb_frame_jacobian_rate_times_v(t->d, f, (limb_ref)ref, &one));
    put_columns(&one, 1, t->y), compare(t, &i, 0);
    (void)snprintf(name, sizeof name, "dvelocity_dq@%s", limb_ref_text((limb_ref)ref));
    i = station_ask(t, name);
    assert_ok(limb_frame_velocity_derivatives(t->d, f, (limb_ref)ref, m, NULL));
    put_columns(m, t->nv, t->y), compare(t, &i, 0);
  }
  i = station_ask(t, "acceleration@body");
  assert_ok(limb_frame_acceleration(t->d, f, LIMB_BODY, &one)), put_columns(&one, 1, t->y), compare(t, &i, 0);
  i = station_ask(t, "acceleration");
  assert_ok(limb_frame_classical_acceleration(t->d, f, LIMB_ALIGNED, &one));
  put_columns(&one, 1, t->y), compare(t, &i, 0);
  i = station_ask(t, "dacceleration_dq@world");
  assert_ok(limb_frame_acceleration_derivatives(t->d, f, LIMB_WORLD, m, NULL, NULL));
  put_columns(m, t->nv, t->y), compare(t, &i, 0);
  i = station_ask(t, "dacceleration_dv");
  assert_ok(limb_frame_classical_acceleration_derivatives(t->d, f, LIMB_ALIGNED, NULL, m, NULL));
  put_columns(m, t->nv, t->y), compare(t, &i, 0);
  assert_ok(limb_center_of_mass(t->d, &c, &vc, &ac));
  i = station_ask(t, "com"), assert_close_array(t->x, &c.x, 3, 0, 0);
  i = station_ask(t, "vcom"), assert_close_array(t->x, &vc.x, 3, 0, 0);
  i = station_ask(t, "acom"), assert_close_array(t->x, &ac.x, 3, 0, 0);
  i = station_ask(t, "momentum");
  assert_ok(limb_momentum(t->d, 1, &h)), put_forces(&h, 1, t->y), compare(t, &i, 0);
  i = station_ask(t, "momentum_rate");
  assert_ok(limb_momentum_rate(t->d, 1, &h)), put_forces(&h, 1, t->y), compare(t, &i, 0);
  // dJ_dq is a tensor: contracted with v twice it is Jdotv of one-dof joints; here entry by entry.
  i = station_ask(t, "dJ_dq");
  sp_motion* H = calloc((size_t)(t->nv * t->nv) + 1, sizeof *H);
  assert_that(H != NULL);
  assert_ok(limb_frame_jacobian_derivative(t->d, f, LIMB_ALIGNED, H));
  for (int k = 0; k < t->nv; k++)
    for (int j = 0; j < t->nv; j++) {
      double column[6];
      put_columns(&H[k * t->nv + j], 1, column);
      for (int r = 0; r < 6; r++) t->y[(r * t->nv + j) * t->nv + k] = column[r];
    }
  compare(t, &i, 0);
  free(H);
}

static void derivatives(station* t)
{
  const limb_environment* env = &t->env;
  const int nv = t->nv;
  const size_t nn = (size_t)nv * (size_t)nv;
  double* y = t->y;
  limb_item i = station_ask(t, "dtau_dq");
  assert_ok(limb_inverse_dynamics_derivatives(t->d, t->q, t->v, t->a, env, &(limb_id_derivatives){.dtau_dq = y}));
  compare(t, &i, 0);
  i = station_ask(t, "dtau_dv");
  assert_ok(limb_inverse_dynamics_derivatives(t->d, t->q, t->v, t->a, env, &(limb_id_derivatives){.dtau_dv = y}));
  compare(t, &i, 0);
  const limb_fd_derivatives by_q = {NULL, y, y + nn, y + 2 * nn}, by_v = {NULL, y + nn, y, y + 2 * nn};
  i = station_ask(t, "dacc_dq");
  assert_ok(limb_forward_dynamics_derivatives(t->d, t->q, t->v, t->tau, env, &by_q)), compare(t, &i, 0);
  i = station_ask(t, "dacc_dv");
  assert_ok(limb_forward_dynamics_derivatives(t->d, t->q, t->v, t->tau, env, &by_v)), compare(t, &i, 0);
  i = station_ask(t, "dtau_dgravity");
  assert_ok(limb_inverse_dynamics_by_gravity(t->d, t->q, y)), compare(t, &i, 0);
  i = station_ask(t, "dacc_dgravity");
  assert_ok(limb_forward_dynamics_by_gravity(t->d, t->q, y)), compare(t, &i, 0);
  i = station_ask(t, "dtau_dwrench@body");
  assert_ok(limb_inverse_dynamics_by_wrench(t->d, t->q, t->frame, LIMB_BODY, y)), compare(t, &i, 0);
  i = station_ask(t, "dacc_dwrench@body");
  assert_ok(limb_forward_dynamics_by_wrench(t->d, t->q, t->frame, LIMB_BODY, y)), compare(t, &i, 0);
  double* B = y + 4 * nn;
  i = station_ask(t, "A");
  assert_ok(limb_linearise(t->d, t->q, t->v, t->tau, env, y, B)), compare(t, &i, 0);
  i = station_ask(t, "B"), assert_close_array(t->x, B, (int)i.size, 0, 0);
  double *Ad = B + 2 * nn, *Bd = Ad + 4 * nn, *work = Bd + 2 * nn;
  assert_ok(limb_discretise(2 * nv, nv, y, B, 0.01, Ad, Bd, work));
  i = station_ask(t, "Ad"), assert_close_array(t->x, Ad, (int)i.size, 0, 0);
  i = station_ask(t, "Bd"), assert_close_array(t->x, Bd, (int)i.size, 0, 0);
  limb_dual* dual = NULL;
  const size_t n3 = nn * (size_t)nv;
  const limb_second_derivatives out = {y, y + n3, y + 2 * n3, y + 3 * n3};
  assert_ok(limb_dual_create(t->m, LIMB_DUAL_MATRICES, NULL, &dual));
  i = station_ask(t, "d2tau");
  assert_ok(limb_inverse_dynamics_second_derivatives(dual, t->q, t->v, t->a, env, &out)), compare(t, &i, 0);
  i = station_ask(t, "d2acc");
  assert_ok(limb_forward_dynamics_second_derivatives(dual, t->q, t->v, t->tau, env, &out)), compare(t, &i, 0);
  limb_dual_destroy(dual);
}

static void geometry(station* t)
{
  const size_t n = (size_t)t->nv;
  double *y = t->y, *work = y + n * n * n * n;
  limb_item i = station_ask(t, "Mdot");
  assert_ok(limb_mass_matrix_rate(t->d, t->q, t->v, y)), compare(t, &i, 0);
  i = station_ask(t, "dM_dq");
  assert_ok(limb_mass_matrix_derivative(t->d, t->q, y)), compare(t, &i, 0);
  i = station_ask(t, "christoffel");
  assert_ok(limb_christoffel(t->d, t->q, y)), compare(t, &i, 0);
  i = station_ask(t, "christoffel2");
  assert_ok(limb_christoffel_second(t->d, t->q, work, y)), compare(t, &i, 0);
  i = station_ask(t, "curvature");
  assert_ok(limb_curvature(t->d, t->q, work, y)), compare(t, &i, 0);
  i = station_ask(t, "ricci");
  assert_ok(limb_ricci_curvature(t->d, t->q, work, y)), compare(t, &i, 0);
  i = station_ask(t, "scalar_curvature");
  assert_ok(limb_scalar_curvature(t->d, t->q, work, y)), compare(t, &i, 0);
}

static void parameters(station* t)
{
  limb_item i = station_ask(t, "theta");
  assert_ok(limb_parameters(t->m, t->y)), compare(t, &i, 0);
  i = station_ask(t, "Y");
  assert_ok(limb_regressor(t->d, t->q, t->v, t->a, &t->env, t->y)), compare(t, &i, 0);
  i = station_ask(t, "Y_base");
  const int nb = (int)i.length[1];
  double* Yb = calloc(i.size, sizeof *Yb);
  assert_that(Yb != NULL);
  memcpy(Yb, t->x, i.size * sizeof *Yb);
  i = station_ask(t, "theta_base");
  // tau = Y_base theta_base without wrenches: all that a robot has is in the set.
  limb_environment env = limb_default_environment(t->m);
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &env, t->y));
  for (int r = 0; r < t->nv; r++) {
    double sum = 0;
    for (int k = 0; k < nb; k++) sum += Yb[r * nb + k] * t->x[k];
    t->y[1000 + r] = sum;
  }
  assert_close_array(t->y + 1000, t->y, t->nv, 1e-9, 1e-9);
  free(Yb);
}

static void task(station* t)
{
  const limb_task one = {t->frame, LIMB_ALIGNED, LIMB_VX | LIMB_VZ};
  const limb_task_stack tasks = {1, &one};
  double *work = t->y + 300000, *y = t->y;
  static const char* const name[] = {"Lambda", "eta", "mu", "p", "Jbar", "N"};
  for (int k = 0; k < 6; k++) {
    limb_task_space out = {0};
    double** const member[] = {&out.Lambda, &out.eta, &out.mu, &out.p, &out.Jbar, &out.N};
    const limb_item i = station_ask(t, name[k]);
    *member[k] = y;
    assert_ok(limb_task_dynamics(t->d, t->q, t->v, &t->env, &tasks, NULL, work, &out));
    compare(t, &i, k == 3 ? 1e-14 : 0);
  }
}

START_TEST(trees)
{
  static const char* const robot[] = {"panda", "elastic2r", "series_elastic_arm", "cart_pole", "tree5"};
  limb_evaluator_options o = limb_default_evaluator_options();
  station t;
  o.directions = LIMB_VX | LIMB_VZ;
  for (size_t k = 0; k < sizeof robot / sizeof *robot; k++) {
    station_open(&t, robot[k], &o);
    dynamics(&t), frames(&t), derivatives(&t), geometry(&t), parameters(&t);
    if (k == 0) task(&t);
    station_end(&t);
  }
}
END_TEST

START_TEST(hybrid)
{
  station t;
  double a[STATION_NV], tau[STATION_NV], x[STATION_NV];
  unsigned char marks[STATION_NV];
  station_open(&t, "elastic2r", NULL);
  assert_ok(limb_given_for_passive(t.m, marks));
  for (int k = 0; k < t.nv; k++) x[k] = marks[k] == LIMB_ACCELERATION_GIVEN ? t.a[k] : t.tau[k];
  (void)station_ask(&t, "hybrid");
  assert_ok(limb_hybrid_dynamics(t.d, t.q, t.v, marks, x, &t.env, a, tau));
  assert_close_array(t.x, a, t.nv, 0, 0);
  assert_close_array(t.x + t.nv, tau, t.nv, 0, 0);
  const limb_hybrid in = {t.q, t.v, marks, x, &t.env};
  double *dq = t.y, *dv = dq + 100, *dx = dv + 100;
  assert_ok(limb_hybrid_dynamics_derivatives(t.d, &in, &(limb_hybrid_derivatives){NULL, dq, dv, dx}));
  (void)station_ask(&t, "dhybrid_dq"), assert_close_array(t.x, dq, t.nv * t.nv, 0, 0);
  (void)station_ask(&t, "dhybrid_dv"), assert_close_array(t.x, dv, t.nv * t.nv, 0, 0);
  (void)station_ask(&t, "dhybrid_dx"), assert_close_array(t.x, dx, t.nv * t.nv, 0, 0);
  sp_force f[STATION_NV];
  const limb_item i = station_ask(&t, "hybrid_reactions");
  assert_ok(limb_joint_reactions(t.d, t.q, t.v, a, &t.env, LIMB_ALIGNED, f));
  put_forces(f, limb_joint_count(t.m), t.y), compare(&t, &i, 0);
  (void)station_ask(&t, "deflection");
  double q[STATION_NV], d[STATION_NV];
  memcpy(q, t.q, sizeof q);
  assert_ok(limb_static_deflection(t.d, NULL, NULL, &t.env, NULL, t.y, q));
  assert_ok(limb_difference(t.m, t.q, q, d));
  assert_close_array(t.x, d, t.nv, 0, 0);
  station_end(&t);
}
END_TEST

START_TEST(moving_base)
{
  station t;
  unsigned char marks[STATION_NV];
  double a[STATION_NV], x[STATION_NV];
  sp_motion J[STATION_NV], A;
  station_open(&t, "space_arm", NULL);
  assert_ok(limb_given_for_base(t.m, marks));
  const int nb = limb_count_given(t.m, marks, LIMB_FORCE_GIVEN), nm = t.nv - nb;
  for (int k = 0; k < t.nv; k++) x[k] = marks[k] == LIMB_ACCELERATION_GIVEN ? t.a[k] : t.tau[k];
  assert_ok(limb_hybrid_dynamics(t.d, t.q, t.v, marks, x, &t.env, a, NULL));
  limb_item i = station_ask(&t, "base_acc");
  assert_that((int)i.size == nb);
  assert_close_array(t.x, a, nb, 0, 0);
  i = station_ask(&t, "base_acc_frame");
  assert_ok(limb_kinematics(t.d, t.q, t.v, a));
  assert_ok(limb_frame_classical_acceleration(t.d, t.frame, LIMB_ALIGNED, &A));
  put_columns(&A, 1, t.y), compare(&t, &i, 0);
  i = station_ask(&t, "generalized_jacobian@body");
  assert_that((int)i.length[1] == nm);
  assert_ok(limb_generalized_jacobian(t.d, t.q, marks, t.frame, LIMB_BODY, t.y + 1000, J));
  put_columns(J, nm, t.y), compare(&t, &i, 0);
  i = station_ask(&t, "reaction_null_space");
  assert_ok(limb_reaction_null_space(t.d, t.q, marks, t.y + 1000, t.y, NULL)), compare(&t, &i, 0);
  dynamics(&t), frames(&t), derivatives(&t);
  station_end(&t);
}
END_TEST

// Base parameters: springs where the robot has some, as `limb base` has it.
START_TEST(base_parameters)
{
  station t;
  station_open(&t, "panda", NULL);
  assert_that(station_ask(&t, "theta_base").size == 62);
  station_end(&t);
  station_open(&t, "point_mass_2r", NULL);
  assert_that(station_ask(&t, "theta_base").size == 11);
  station_end(&t);
}
END_TEST

CHECK_MAIN("quantities", 1, registry, short_and_wrong_names, trees, hybrid, moving_base, base_parameters)
