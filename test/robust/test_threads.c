// Eight threads share one model, each with its own workspace: every answer is bit for bit that of a
// single thread. Run under ThreadSanitizer this also shows that the model is only read.
#include "robust/hot_calls.h"
#include "support/rng.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, STATES = 12, TABLE_STATES = CHECK_SANITIZED ? 1 : 2 };

// Everything the hot calls answer for one state, as one row of doubles.
typedef struct job {
  const limb_model* m;
  const limb_base_parameters* base; // shared as the model is; NULL: not needed
  double* row;                      // STATES rows
  size_t width;
  limb_status worst;
} job;

// Writes results one behind the other.
typedef struct writer {
  double* at;
  limb_status worst;
} writer;

static double* take(writer* w, size_t n)
{
  double* p = w->at;
  w->at += n;
  return p;
}

static void note(writer* w, limb_status s)
{
  if (s != LIMB_OK && s != LIMB_E_UNSUPPORTED) w->worst = s;
}

static size_t width_of(const limb_model* m)
{
  const size_t nv = (size_t)limb_nv(m), joints = (size_t)limb_joint_count(m);
  return 11 * nv + 4 * nv * nv + 6 * joints + 4 * 6 * nv + 100;
}

static void hot_dynamics(writer* w, limb_data* d, const double* q, const double* v, const double* a,
                         const limb_environment* env)
{
  const limb_model* m = limb_data_model(d);
  const size_t nv = (size_t)limb_nv(m);
  double* tau = take(w, nv);
  note(w, limb_inverse_dynamics(d, q, v, a, env, tau));
  note(w, limb_bias_forces(d, q, v, env, take(w, nv)));
  note(w, limb_gravity_forces(d, q, env, take(w, nv)));
  note(w, limb_friction_forces(d, v, env, take(w, nv)));
  note(w, limb_spring_forces(d, q, take(w, nv)));
  note(w, limb_mass_matrix(d, q, take(w, nv * nv)));
  note(w, limb_coriolis_matrix(d, q, v, take(w, nv * nv)));
  note(w, limb_forward_dynamics(d, q, v, tau, env, take(w, nv)));
  note(w, limb_forward_dynamics_aba(d, q, v, tau, env, take(w, nv)));
  double* work = take(w, nv * nv);
  note(w, limb_forward_dynamics_by_mass_matrix(d, q, v, tau, env, work, take(w, nv)));
  note(w, limb_mass_matrix_inverse(d, q, take(w, nv * nv)));
  note(w, limb_mass_matrix_solve(d, q, 1, tau, take(w, nv)));
  limb_energy e = {0};
  limb_power p = {0};
  note(w, limb_energies(d, q, v, env, &e));
  note(w, limb_power_balance(d, q, v, a, env, &p));
  memcpy(take(w, 3), &e, sizeof e);
  memcpy(take(w, 7), &p, sizeof p);
  sp_force* f = (sp_force*)(void*)take(w, 6 * (size_t)limb_joint_count(m));
  note(w, limb_joint_reactions(d, q, v, a, env, LIMB_WORLD, f));
}

static void hot_kinematics(writer* w, limb_data* d, const double* q, const double* v, const double* a)
{
  const limb_model* m = limb_data_model(d);
  const size_t nv = (size_t)limb_nv(m);
  const int frame = limb_frame_count(m) - 1;
  note(w, limb_kinematics(d, q, v, a));
  note(w, limb_frame_pose(d, frame, (sp_pose*)(void*)take(w, 12)));
  note(w, limb_frame_velocity(d, frame, LIMB_BODY, (sp_motion*)(void*)take(w, 6)));
  note(w, limb_frame_acceleration(d, frame, LIMB_WORLD, (sp_motion*)(void*)take(w, 6)));
  note(w, limb_frame_classical_acceleration(d, frame, LIMB_ALIGNED, (sp_motion*)(void*)take(w, 6)));
  note(w, limb_frame_jacobian(d, frame, LIMB_BODY, (sp_motion*)(void*)take(w, 6 * nv)));
  note(w, limb_frame_jacobian_rate(d, frame, LIMB_ALIGNED, (sp_motion*)(void*)take(w, 6 * nv)));
  note(w, limb_frame_jacobian_rate_times_v(d, frame, LIMB_BODY, (sp_motion*)(void*)take(w, 6)));
  sp_vec3* c = (sp_vec3*)(void*)take(w, 9);
  note(w, limb_center_of_mass(d, c, c + 1, c + 2));
  note(w, limb_center_of_mass_jacobian(d, (sp_vec3*)(void*)take(w, 3 * nv)));
  note(w, limb_momentum(d, 1, (sp_force*)(void*)take(w, 6)));
  note(w, limb_momentum_rate(d, 0, (sp_force*)(void*)take(w, 6)));
  note(w, limb_momentum_matrix(d, 1, (sp_force*)(void*)take(w, 6 * nv)));
}

static void one_state(job* j, limb_data* d, int number, double* q, double* v, double* a)
{
  rng r = {(uint64_t)number};
  uint64_t seed = (uint64_t)number;
  const limb_wrench wrench = {limb_frame_count(j->m) - 1, LIMB_ALIGNED, {{1, 2, 3}, {4, 5, 6}}};
  limb_environment env = limb_default_environment(j->m);
  env.nwrench = 1, env.wrench = &wrench;
  writer w = {j->row + (size_t)number * j->width, LIMB_OK};
  note(&w, limb_random(j->m, &seed, q));
  rng_fill(&r, 2, limb_nv(j->m), v);
  rng_fill(&r, 5, limb_nv(j->m), a);
  hot_dynamics(&w, d, q, v, a, &env);
  hot_kinematics(&w, d, q, v, a);
  note(&w, limb_integrate(j->m, q, v, 0.01, q));
  if (w.worst) j->worst = w.worst;
}

// ---- the table of hot calls ---------------------------------------------------------------------

// What a call left, as one number: FNV-1a over its words.
static double mark_of(const double* x, size_t n)
{
  uint64_t h = 14695981039346656037u;
  for (size_t k = 0; k < n; k++) {
    uint64_t word;
    memcpy(&word, &x[k], sizeof word);
    h = (h ^ word) * 1099511628211u;
    h ^= h >> 29;
  }
  return (double)(h >> 11);
}

// One row: a mark per call of the table. x: q, v and a; memory for two inputs.
static void table_row(const job* j, inputs* in, int number, double* x)
{
  const size_t nq = (size_t)limb_nq(j->m), nv = (size_t)limb_nv(j->m), room = hot_room(j->m);
  rng r = {(uint64_t)number};
  uint64_t seed = (uint64_t)number;
  double* row = j->row + (size_t)number * j->width;
  limb_status s = limb_random(j->m, &seed, x);
  rng_fill(&r, 2, (int)nv, x + nq);
  rng_fill(&r, 5, (int)nv, x + nq + nv);
  in->q = x, in->v = x + nq, in->third = x + nq + nv;
  for (int i = 0; i < HOT && s == LIMB_OK; i++) {
    memset(in->out, 0, room * sizeof(double));
    memset(in->work, 0, room * sizeof(double));
    row[2 * i] = hot[i].call(in);
    row[2 * i + 1] = mark_of(in->out, room);
  }
}

static void* run_table(void* context)
{
  job* j = context;
  const size_t nq = (size_t)limb_nq(j->m), nv = (size_t)limb_nv(j->m);
  inputs in = {.base = j->base,
               .out = calloc(hot_room(j->m), sizeof(double)),
               .work = calloc(hot_room(j->m), sizeof(double)),
               .block = (ptrdiff_t)(nv * (nv * nv + 12)),
               .frame = limb_frame_count(j->m) - 1};
  double* x = calloc(nq + 2 * nv + 1, sizeof *x);
  if (!x || !in.out || !in.work || limb_data_create(j->m, NULL, &in.d) ||
      limb_dual_create(j->m, LIMB_DUAL_MATRICES, NULL, &in.w) || limb_series_create(j->m, NULL, &in.series)) {
    j->worst = LIMB_E_NOMEM;
  } else {
    for (int i = 0; i < TABLE_STATES; i++) table_row(j, &in, i, x);
  }
  limb_series_destroy(in.series);
  limb_dual_destroy(in.w);
  limb_data_destroy(in.d);
  free(in.out);
  free(in.work);
  free(x);
  return NULL;
}

// ---- all threads --------------------------------------------------------------------------------

static void* run(void* context)
{
  job* j = context;
  const size_t nq = (size_t)limb_nq(j->m), nv = (size_t)limb_nv(j->m);
  limb_data* d = NULL;
  double* x = calloc(nq + 2 * nv + 1, sizeof *x);
  if (!x || limb_data_create(j->m, NULL, &d)) {
    j->worst = LIMB_E_NOMEM;
  } else {
    for (int i = 0; i < STATES; i++) one_state(j, d, i, x, x + nq, x + nq + nv);
  }
  limb_data_destroy(d);
  free(x);
  return NULL;
}

static void same_answers(const char* name, int table)
{
  check_at("robot %s", name);
  limb_model* m = robot_find(name)->make();
  void* (*const work)(void*) = table ? run_table : run;
  const size_t width = table ? 2 * HOT : width_of(m), size = (size_t)STATES * width;
  limb_base_parameters* base = NULL;
  if (table) assert_ok(limb_base_create(m, NULL, LIMB_BASE_STRUCTURE_ONLY, NULL, &base));
  assert_that(!table || limb_nv(m) <= NV);
  double* rows = calloc((THREADS + 1) * size, sizeof *rows);
  assert_that(rows != NULL);
  job jobs[THREADS + 1];
  pthread_t thread[THREADS];
  for (size_t i = 0; i <= THREADS; i++) jobs[i] = (job){m, base, rows + i * size, width, LIMB_OK};
  work(&jobs[THREADS]);
  for (int i = 0; i < THREADS; i++) {
    assert_that(pthread_create(&thread[i], NULL, work, &jobs[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i <= THREADS; i++) {
    assert_ok(jobs[i].worst);
    assert_that(memcmp(jobs[i].row, jobs[THREADS].row, size * sizeof *rows) == 0);
  }
  free(rows);
  limb_base_destroy(base);
  limb_model_destroy(m);
}

START_TEST(eight_threads_one_model)
{
  same_answers("panda", 0);
  same_answers("hand", 0);
  same_answers("humanoid", 0);
  same_answers("tree_40", 0);
  same_answers("tree_30_mimic", 0);
}
END_TEST

START_TEST(derivatives_too)
{
  same_answers("panda", 1);
  same_answers("hand", 1);
  same_answers("quadruped", 1);
  same_answers("elastic_arm", 1);
}
END_TEST

CHECK_MAIN("robust/threads", 1, eight_threads_one_model, derivatives_too)
