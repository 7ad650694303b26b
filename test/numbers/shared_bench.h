// Real robots of an independent library's file, in our conventions.
//
// Theirs: linear part first; a continuous joint has two coordinates (cos, sin); the free joint's velocity is
// linear first, too; what is fixed to the world has been dropped.
#ifndef LIMB_TEST_SHARED_BENCH_H
#define LIMB_TEST_SHARED_BENCH_H

#include "support/check.h"
#include "support/robots_impl.h"
#include "support/shared.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NV = 64 };

// A robot, the file's joints, and where the file has each of our velocities.
typedef struct bench {
  json_t *file, *joints;
  limb_model* m;
  limb_data* d;
  int nv, frame;
  int theirs[MAX_NV];
} bench;

// One state in our conventions.
typedef struct state {
  json_t* s;
  double q[MAX_NV + 8], v[MAX_NV], a[MAX_NV], tau[MAX_NV];
} state;

// ---- reading ------------------------------------------------------------------------------------

static inline double number(const json_t* object, const char* key)
{
  const json_t* x = json_object_get(object, key);
  if (!json_is_number(x)) ck_abort_msg("no number %s", key);
  return json_number_value(x);
}

static inline int integer(const json_t* object, const char* key) { return (int)number(object, key); }

static inline void numbers(const json_t* object, const char* key, int count, double* x)
{
  const json_t* list = json_object_get(object, key);
  if ((int)json_array_size(list) != count) ck_abort_msg("%s is not a list of %d", key, count);
  for (int i = 0; i < count; i++) x[i] = json_number_value(json_array_get(list, (size_t)i));
}

static inline sp_vec3 vector(const json_t* object, const char* key)
{
  double x[3];
  numbers(object, key, 3, x);
  return sp_v3(x[0], x[1], x[2]);
}

static inline sp_pose placement(const json_t* object)
{
  sp_pose X;
  numbers(object, "placement_R", 9, X.R.m);
  X.p = vector(object, "placement_p");
  return X;
}

static inline sp_motion motion(const json_t* object, const char* key)
{
  double x[6];
  numbers(object, key, 6, x);
  return sp_motion_from_linear_first(x);
}

static inline sp_force force(const json_t* object, const char* key)
{
  double x[6];
  numbers(object, key, 6, x);
  return sp_force_from_linear_first(x);
}

// A list over velocities, in our order.
static inline void velocities(const bench* b, const json_t* object, const char* key, double* x)
{
  double y[MAX_NV];
  numbers(object, key, b->nv, y);
  for (int k = 0; k < b->nv; k++) x[k] = y[b->theirs[k]];
}

// A matrix over velocities, in our order.
static inline void matrix(const bench* b, const json_t* object, const char* key, double* x)
{
  static double y[MAX_NV * MAX_NV];
  numbers(object, key, b->nv * b->nv, y);
  for (int i = 0; i < b->nv; i++) {
    for (int j = 0; j < b->nv; j++) x[i * b->nv + j] = y[b->theirs[i] * b->nv + b->theirs[j]];
  }
}

// A 6 x nv matrix as columns in our order; each column is six numbers, linear first.
static inline void columns(const bench* b, const json_t* object, const char* key, double (*x)[6])
{
  static double y[6 * MAX_NV];
  numbers(object, key, 6 * b->nv, y);
  for (int k = 0; k < b->nv; k++) {
    for (int i = 0; i < 6; i++) x[k][i] = y[i * b->nv + b->theirs[k]];
  }
}

// ---- the robot ----------------------------------------------------------------------------------

static inline limb_joint_type type_of(const json_t* joint)
{
  const char* type = json_string_value(json_object_get(joint, "type"));
  if (!strcmp(type, "revolute") || !strcmp(type, "continuous")) return LIMB_REVOLUTE;
  if (!strcmp(type, "prismatic")) return LIMB_PRISMATIC;
  if (!strcmp(type, "spherical")) return LIMB_SPHERICAL;
  if (!strcmp(type, "free_flyer")) return LIMB_FREE;
  ck_abort_msg("unknown joint type %s", type);
}

// Body i of ours is what their joint i moves.
static inline limb_model* build(const json_t* file, const json_t* joints)
{
  limb_builder* b = fixture_begin(json_string_value(json_object_get(file, "robot")));
  for (size_t i = 0; i < json_array_size(joints); i++) {
    const json_t* j = json_array_get(joints, i);
    double I[9];
    numbers(j, "inertia_com", 9, I);
    const double six[6] = {I[0], I[1], I[2], I[4], I[5], I[8]};
    const sp_inertia Y = fixture_inertia(number(j, "mass"), vector(j, "com"), six);
    const char* name = json_string_value(json_object_get(j, "name"));
    const int body = fixture_body(b, name, Y);
    assert_that(body == integer(j, "index"));
    limb_joint_def def = limb_default_joint_def(name, type_of(j), integer(j, "parent"), body);
    def.placement = placement(j);
    if (def.type == LIMB_REVOLUTE || def.type == LIMB_PRISMATIC) def.axis = vector(j, "axis");
    fixture_joint(b, &def);
  }
  const json_t* frame = json_object_get(file, "frame");
  fixture_frame(b, "the end frame", integer(frame, "parent_joint"), placement(frame));
  return fixture_end(b);
}

static inline bench bench_of(json_t* file)
{
  bench b = {0};
  b.file = file, b.joints = json_object_get(file, "joints");
  b.m = build(file, b.joints);
  b.nv = limb_nv(b.m);
  assert_that(b.nv == integer(file, "nv") && b.nv <= MAX_NV);
  for (size_t i = 0; i < json_array_size(b.joints); i++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(b.m, (int)i, &info));
    const int first = integer(json_array_get(b.joints, i), "idx_v"), free = info.nv == 6;
    for (int k = 0; k < info.nv; k++) b.theirs[info.v + k] = first + (free ? (k + 3) % 6 : k);
  }
  b.frame = limb_find_frame(b.m, "the end frame");
  assert_ok(limb_data_create(b.m, NULL, &b.d));
  return b;
}

static inline void read_state(const bench* b, json_t* s, state* x)
{
  double q[MAX_NV + 16];
  numbers(s, "q", integer(b->file, "nq"), q);
  for (size_t i = 0; i < json_array_size(b->joints); i++) {
    const json_t* j = json_array_get(b->joints, i);
    const double* from = q + integer(j, "idx_q");
    limb_joint_info info;
    assert_ok(limb_get_joint(b->m, (int)i, &info));
    const int continuous = !strcmp(json_string_value(json_object_get(j, "type")), "continuous");
    if (continuous)
      x->q[info.q] = atan2(from[1], from[0]);
    else
      memcpy(x->q + info.q, from, (size_t)info.nq * sizeof *from);
  }
  x->s = s;
  velocities(b, s, "v", x->v);
  velocities(b, s, "a", x->a);
  velocities(b, s, "tau", x->tau);
}

static inline void bench_end(bench* b)
{
  limb_data_destroy(b->d);
  limb_model_destroy(b->m);
  json_decref(b->file);
}

#endif
