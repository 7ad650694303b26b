// A calibration from its creation to its answers: measurements, the fit, the robot.
#include "estimate/calibrate_impl.h"

#include "base/numeric.h"
#include "base/status.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POSE = 13, NOTES = 16 }; // numbers of a measured pose: distance, position, rotation

limb_calibration_options limb_default_calibration_options(int frame)
{
  return (limb_calibration_options){.size = sizeof(limb_calibration_options),
                                    .frame = frame,
                                    .device = sp_pose_identity(),
                                    .target = sp_pose_identity(),
                                    .train = 0.7};
}

// ---- creation ---------------------------------------------------------------------------------------------

void limb_calibration_state_free(limb_calibration_state* s)
{
  free(s->offset), free(s->placement);
  *s = (limb_calibration_state){0};
}

bool limb_calibration_copy(const limb_calibration* x, const limb_calibration_state* from, limb_calibration_state* out)
{
  const size_t nv = (size_t)x->nv, joints = (size_t)x->joints;
  *out = (limb_calibration_state){.device = from->device, .target = from->target};
  out->offset = calloc(nv + 1, sizeof *out->offset), out->placement = calloc(joints + 1, sizeof *out->placement);
  if (!out->offset || !out->placement) return false;
  if (from->offset) memcpy(out->offset, from->offset, nv * sizeof *out->offset);
  if (from->placement) memcpy(out->placement, from->placement, joints * sizeof *out->placement);
  return true;
}

limb_joint_info limb_calibration_joint(const limb_calibration* x, int j)
{
  limb_joint_info info = {0};
  (void)!limb_get_joint(x->m, x->path[j], &info); // it is there
  return info;
}

// The joints that carry the frame, from the world on.
static limb_status find_path(limb_calibration* x)
{
  limb_frame_info frame;
  limb_body_info body;
  limb_status s = limb_get_frame(x->m, x->o.frame, &frame);
  x->path = calloc((size_t)limb_joint_count(x->m) + 1, sizeof *x->path), x->in_body = frame.pose;
  if (!x->path) return LIMB_E_NOMEM;
  for (int at = frame.body; at > 0 && s == LIMB_OK; at = body.parent) {
    s = limb_get_body(x->m, at, &body);
    if (s != LIMB_OK || body.joint < 0) break;
    memmove(x->path + 1, x->path, (size_t)x->joints++ * sizeof *x->path);
    x->path[0] = body.joint;
  }
  return s;
}

static bool is_rotation(sp_mat3 R)
{
  const sp_mat3 one = sp_mul3(R, sp_transpose3(R));
  double apart = 0;
  for (int i = 0; i < 9; i++) apart = fmax(apart, fabs(one.m[i] - (i % 4 == 0)));
  const sp_vec3 row = sp_cross3(limb_read3(R.m), limb_read3(R.m + 3));
  return apart < 1e-3 && sp_dot3(row, limb_read3(R.m + 6)) > 0;
}

static limb_status check_options(const limb_calibration* x, limb_error* err)
{
  const limb_calibration_options* o = &x->o;
  limb_frame_info f;
  limb_body_info body;
  if (limb_get_frame(x->m, o->frame, &f) != LIMB_OK)
    return limb_fail(err, LIMB_E_ARG, "frame", "there is no frame %d", o->frame);
  if (limb_get_body(x->m, f.body, &body) != LIMB_OK || body.moved_by <= 0)
    return limb_fail(err, LIMB_E_ARG, "frame", "no joint moves '%.200s'", f.name);
  const bool fine = !(o->unknown & ~3U) && o->train > 0 && o->train <= 1 && limb_finite3(o->device.p) &&
                    limb_finite3(o->target.p) && is_rotation(o->device.R) && is_rotation(o->target.R);
  return fine ? LIMB_OK : limb_fail(err, LIMB_E_ARG, "options", "one of them is out of range");
}

static void name_parameters(limb_calibration* x)
{
  static const char* const part[PLACEMENT] = {"x", "y", "z", "rx", "ry", "rz"};
  for (int k = 0; k < PLACEMENT; k++) {
    (void)snprintf(x->name[k], sizeof *x->name, "device.%s", part[k]);
    (void)snprintf(x->name[limb_first_target() + k], sizeof *x->name, "target.%s", part[k]);
  }
  for (int j = 0; j < x->nv; j++)
    (void)snprintf(x->name[limb_first_offset() + j], sizeof *x->name, "%.110s.offset",
                   limb_get_velocity(x->dofs, j)->name);
  for (int k = 0; k < PLACEMENT * x->joints; k++)
    (void)snprintf(x->name[limb_first_placement(x) + k], sizeof *x->name, "%.110s.%s",
                   limb_calibration_joint(x, k / PLACEMENT).def.name, part[k % PLACEMENT]);
}

static limb_status create(limb_calibration* x, const limb_calibration_options* options, limb_error* err)
{
  x->o = limb_default_calibration_options(options->frame);
  limb_status s = limb_sized_read(&x->o, sizeof x->o, options, sizeof x->o);
  if (s == LIMB_OK) s = check_options(x, err);
  if (s == LIMB_OK) s = limb_dofs_create(x->m, NULL, &x->dofs);
  if (s != LIMB_OK) return s;
  x->nq = limb_nq(x->m), x->nv = limb_nv(x->m);
  s = limb_data_create(limb_spanning_tree(x->m), NULL, &x->d);
  if (s == LIMB_OK) s = find_path(x);
  if (s != LIMB_OK) return s;
  x->n = 2 * PLACEMENT + x->nv + PLACEMENT * x->joints;
  const size_t n = (size_t)x->n;
  x->column = calloc(n, sizeof *x->column), x->change = calloc(2 * n, sizeof *x->change);
  x->name = calloc(n, sizeof *x->name), x->note = calloc(NOTES, sizeof *x->note);
  x->shifted = calloc((size_t)x->nq + 1 + MEASURED * n, sizeof *x->shifted);
  x->at = calloc((size_t)x->joints + 1, sizeof *x->at);
  if (!x->column || !x->change || !x->name || !x->note || !x->shifted || !x->at) return LIMB_E_NOMEM;
  x->std = x->change + n, x->scratch = x->shifted + x->nq + 1;
  name_parameters(x);
  const limb_calibration_state start = {.device = x->o.device, .target = x->o.target};
  if (!limb_calibration_copy(x, &start, &x->now)) return LIMB_E_NOMEM;
  for (int j = 0; j < x->joints; j++) x->now.placement[j] = limb_calibration_joint(x, j).def.placement;
  for (int i = 0; i < KINDS; i++) x->sigma[i] = 1;
  return s;
}

limb_status limb_calibration_create(const limb_model* m, const limb_calibration_options* options,
                                    limb_calibration** out, limb_error* err)
{
  if (err) *err = (limb_error){0};
  if (!out) return limb_fail(err, LIMB_E_ARG, "calibration", "there is no place for it");
  *out = NULL;
  if (!m || !options) return limb_fail(err, LIMB_E_ARG, "calibration", "robot or options are missing");
  limb_calibration* x = calloc(1, sizeof *x);
  if (!x) return limb_fail(err, LIMB_E_NOMEM, "calibration", "%s", limb_status_text(LIMB_E_NOMEM));
  x->m = m;
  const limb_status s = create(x, options, err);
  if (s == LIMB_OK) {
    *out = x;
    return s;
  }
  limb_calibration_destroy(x);
  return err && *err->text ? s : limb_fail(err, s, "calibration", "%s", limb_status_text(s));
}

void limb_calibration_destroy(limb_calibration* x)
{
  if (!x) return;
  limb_calibration_state_free(&x->now);
  limb_dofs_destroy(x->dofs), limb_data_destroy(x->d);
  free(x->q), free(x->pose), free(x->what), free(x->column), free(x->change), free(x->name), free(x->note);
  free(x->shifted), free(x->at), free(x->path);
  free(x);
}

// ---- measurements -----------------------------------------------------------------------------------------

static bool reserve(limb_calibration* x)
{
  if (x->count < x->capacity) return true;
  const size_t capacity = x->capacity ? 2 * (size_t)x->capacity : 64;
  double* q = realloc(x->q, capacity * ((size_t)x->nq + 1) * sizeof *q);
  if (q) x->q = q;
  double* pose = realloc(x->pose, capacity * POSE * sizeof *pose);
  if (pose) x->pose = pose;
  unsigned* what = realloc(x->what, capacity * sizeof *what);
  if (what) x->what = what;
  if (q && pose && what) x->capacity = (int)capacity;
  return q && pose && what;
}

limb_status limb_calibration_add(limb_calibration* x, const limb_measurement* y, limb_error* err)
{
  if (!x || !y || !y->q) return limb_fail(err, LIMB_E_ARG, "measurement", "an argument is NULL");
  if (x->done) return limb_fail(err, LIMB_E_ORDER, "measurement", "the calibration is fitted already");
  if (!(y->what & 7U) || y->what & ~7U) return limb_fail(err, LIMB_E_ARG, "measurement", "nothing is measured");
  const bool turn = y->what & LIMB_MEASURE_ROTATION, distance = y->what & LIMB_MEASURE_DISTANCE;
  if (!limb_finite(x->nq, y->q) || (y->what & LIMB_MEASURE_POSITION && !limb_finite3(y->pose.p)) ||
      (distance && !isfinite(y->distance)) || (turn && !limb_finite(9, y->pose.R.m)))
    return limb_fail(err, LIMB_E_NONFINITE, "measurement", "a number is not finite");
  if (distance && y->distance < 0) return limb_fail(err, LIMB_E_ARG, "measurement", "a distance is negative");
  if (turn && !is_rotation(y->pose.R)) return limb_fail(err, LIMB_E_ARG, "measurement", "the matrix is no rotation");
  if (!reserve(x)) return limb_fail(err, LIMB_E_NOMEM, "measurement", "%s", limb_status_text(LIMB_E_NOMEM));
  double* pose = x->pose + (size_t)x->count * POSE;
  const sp_mat3 R = turn ? y->pose.R : sp_identity3();
  memcpy(x->q + (size_t)x->count * (size_t)x->nq, y->q, (size_t)x->nq * sizeof *y->q);
  pose[0] = y->distance;
  limb_write3(y->pose.p, pose + 1);
  memcpy(pose + 4, R.m, sizeof R.m);
  x->what[x->count++] = y->what;
  return LIMB_OK;
}

// ---- suspicions -------------------------------------------------------------------------------------------

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
report(limb_calibration* x, const char* format, ...)
{
  if (x->notes == NOTES) return;
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(x->note[x->notes++], sizeof *x->note, format, arguments);
  va_end(arguments);
}

// Joints whose values hardly change cannot be told from a fixed placement.
static void suspect_joints(limb_calibration* x)
{
  for (int k = 0; k < x->nq && x->nq == x->nv; k++) {
    double min = HUGE_VAL, max = -HUGE_VAL;
    for (int i = 0; i < x->fitted; i++) {
      const double q = x->q[(size_t)i * (size_t)x->nq + (size_t)k];
      min = fmin(min, q), max = fmax(max, q);
    }
    const limb_dof_info* d = limb_get_coordinate(x->dofs, k);
    if (max - min < 0.01)
      report(x, "'%.80s' moves by %.2g %s only: what it adds cannot be told from what is fixed", d->name, max - min,
             limb_position_unit(d));
    else if (!d->linear && fmax(fabs(min), fabs(max)) > 20)
      report(x, "'%.80s' reaches %.4g rad: is it in degrees?", d->name, fmax(fabs(min), fabs(max)));
  }
}

static void suspect_units(limb_calibration* x, const limb_calibration_error* before)
{
  double measured = 0, model = 0;
  for (int k = 0; k < x->count; k++) {
    const double* pose = x->pose + (size_t)k * POSE;
    double e[MEASURED];
    if (limb_calibration_errors(x, k, e, NULL) != LIMB_OK) continue;
    const sp_vec3 p = limb_read3(pose + 1);
    if (x->what[k] & LIMB_MEASURE_POSITION) measured += sp_norm3(p), model += sp_norm3(sp_sub3(p, limb_read3(e)));
    if (x->what[k] & LIMB_MEASURE_DISTANCE) measured += pose[0], model += fabs(pose[0] - e[6]);
  }
  if (measured > 100 * model && model > 0)
    report(x, "the measured positions are %.3g times those of the model: are they in mm?", measured / model);
  else if (before->largest > 0.2 || before->rotation > 0.5)
    report(x,
           "before the calibration the model is off by up to %.3g m and %.3g rad: are frame, order of the joints, "
           "device and target those of the measurements?",
           before->largest, before->rotation);
}

static void suspect_outliers(limb_calibration* x)
{
  for (int k = 0; k < x->count; k++) {
    double e[MEASURED], largest = 0;
    if (limb_calibration_errors(x, k, e, NULL) != LIMB_OK) continue;
    for (int i = 0; i < MEASURED; i++) largest = fmax(largest, fabs(e[i]) / x->sigma[i < 3 ? 0 : i < 6 ? 1 : 2]);
    if (largest > 5 && x->facts.after[0].largest > 1e-9)
      report(x, "measurement %d is off by %.2g standard deviations: is it wrong?", k + 1, largest);
  }
}

// ---- the fit ----------------------------------------------------------------------------------------------

// Errors of the measurements from .. to.
static limb_status sum_errors(limb_calibration* x, int from, int to, limb_calibration_error* out)
{
  double sum[KINDS] = {0}, count[KINDS] = {0};
  *out = (limb_calibration_error){0};
  for (int k = from; k < to; k++) {
    double e[MEASURED];
    const limb_status s = limb_calibration_errors(x, k, e, NULL);
    if (s != LIMB_OK) return s;
    const double square[KINDS] = {limb_dot(3, e, e), limb_dot(3, e + 3, e + 3), e[6] * e[6]};
    for (int i = 0; i < KINDS; i++) sum[i] += square[i], count[i] += (x->what[k] & 1U << i) != 0;
    out->largest = fmax(out->largest, sqrt(fmax(square[0], square[2])));
  }
  out->position = count[0] > 0 ? sqrt(sum[0] / count[0]) : 0;
  out->rotation = count[1] > 0 ? sqrt(sum[1] / count[1]) : 0;
  out->distance = count[2] > 0 ? sqrt(sum[2] / count[2]) : 0;
  return LIMB_OK;
}

static limb_status fit(limb_calibration* x, limb_error* err)
{
  limb_calibration_facts* f = &x->facts;
  if (x->count == 0)
    return limb_fail(err, LIMB_E_ARG, "measurements", "the table has no rows: it needs one for each measured pose");
  x->fitted = (int)ceil(x->o.train * x->count);
  limb_status s = sum_errors(x, 0, x->fitted, &f->before[0]);
  if (s == LIMB_OK) s = sum_errors(x, x->fitted, x->count, &f->before[1]);
  if (s != LIMB_OK) return s;
  suspect_joints(x), suspect_units(x, &f->before[0]);
  s = limb_calibration_solve(x, err);
  if (s == LIMB_OK) s = sum_errors(x, 0, x->fitted, &f->after[0]);
  if (s == LIMB_OK) s = sum_errors(x, x->fitted, x->count, &f->after[1]);
  if (s != LIMB_OK) return s;
  suspect_outliers(x);
  f->measurements = x->count, f->fitted = x->fitted, f->parameters = x->n, f->found = x->found;
  f->device = x->now.device, f->target = x->now.target;
  return LIMB_OK;
}

limb_status limb_calibration_fit(limb_calibration* x, limb_error* err)
{
  if (err) *err = (limb_error){0};
  if (!x) return limb_fail(err, LIMB_E_ARG, "calibration", "there is none");
  if (x->done) return limb_fail(err, LIMB_E_ORDER, "calibration", "it is fitted already");
  const limb_status s = fit(x, err);
  x->done = s == LIMB_OK;
  return s == LIMB_OK || (err && *err->text) ? s : limb_fail(err, s, "calibration", "%s", limb_status_text(s));
}

// ---- answers ----------------------------------------------------------------------------------------------

int limb_calibration_count(const limb_calibration* x) { return x && x->done ? x->n : 0; }

limb_status limb_calibration_get_parameter(const limb_calibration* x, int k, limb_calibration_parameter* out)
{
  if (!x || !out) return LIMB_E_ARG;
  if (!x->done) return LIMB_E_ORDER;
  if (k < 0 || k >= x->n) return LIMB_E_ARG;
  *out = (limb_calibration_parameter){.name = x->name[k], .change = x->change[k], .std = x->std[k]};
  if (k < limb_first_offset())
    out->angle = k % PLACEMENT >= 3;
  else if (k < limb_first_placement(x))
    out->angle = !limb_get_velocity(x->dofs, k - limb_first_offset())->linear;
  else
    out->angle = (k - limb_first_placement(x)) % PLACEMENT >= 3;
  for (int i = 0; i < x->found; i++) out->found |= x->column[i] == k;
  return LIMB_OK;
}

limb_status limb_calibration_get_facts(const limb_calibration* x, limb_calibration_facts* out)
{
  if (!x || !out) return LIMB_E_ARG;
  if (!x->done) return LIMB_E_ORDER;
  *out = x->facts;
  return LIMB_OK;
}

const char* limb_calibration_note(const limb_calibration* x, int k)
{
  return x && k >= 0 && k < x->notes ? x->note[k] : NULL;
}

// ---- the robot --------------------------------------------------------------------------------------------

// What an offset of its coordinate adds to the placement of a joint.
static sp_pose offset_of(const limb_joint_info* j, const double* offset)
{
  const double x = j->v >= 0 ? j->multiplier * offset[j->v] : 0;
  const bool turns = j->def.type == LIMB_REVOLUTE || j->def.type == LIMB_HELICAL;
  const double shift = j->def.type == LIMB_PRISMATIC ? x : j->def.type == LIMB_HELICAL ? j->def.pitch * x : 0;
  return sp_pose_make(turns ? sp_rot_axis(j->def.axis, x) : sp_identity3(), sp_scale3(shift, j->def.axis));
}

limb_status limb_calibration_apply(const limb_calibration* x, limb_builder* b, limb_error* err)
{
  if (!x || !b) return limb_fail(err, LIMB_E_ARG, "robot", "there is none");
  if (!x->done) return limb_fail(err, LIMB_E_ORDER, "robot", "there is no calibration yet: limb_calibration_fit");
  if (limb_builder_body_count(b) != limb_body_count(x->m) || limb_builder_joint_count(b) != limb_joint_count(x->m))
    return limb_fail(err, LIMB_E_ARG, "robot", "it is another one than was calibrated");
  limb_status s = LIMB_OK;
  for (int j = 0; j < x->joints && s == LIMB_OK; j++) {
    limb_joint_info own = limb_calibration_joint(x, j);
    limb_joint_def def;
    s = limb_builder_get_joint(b, x->path[j], &def);
    if (s != LIMB_OK) break;
    def.placement = sp_compose(x->now.placement[j], offset_of(&own, x->now.offset));
    s = limb_builder_set_joint(b, x->path[j], &def, err);
  }
  return s;
}
