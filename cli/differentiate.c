// Derivatives of positions, joint by joint.
#include "differentiate.h"
#include "cli.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

// ---- reading ---------------------------------------------------------------------------------------

static int make_room(cli_track* t)
{
  if (t->rows < t->room) return 1;
  const size_t room = t->room ? 2 * t->room : 1024;
  double* time = realloc(t->time, room * sizeof *time);
  if (time) t->time = time;
  double* value = time ? realloc(t->value, room * t->width * sizeof *value) : NULL;
  if (!value) return 0;
  t->value = value;
  t->room = room;
  return 1;
}

static void keep_row(cli_track* t)
{
  const cli_states* s = t->states;
  double* x = t->value + t->rows * t->width;
  memcpy(x, s->q, (size_t)s->dofs->nq * sizeof *x);
  x += s->dofs->nq;
  for (int i = 0; i < s->nwrench; i++, x += 6) {
    const sp_force w = s->wrench[i].wrench;
    x[0] = w.m.x, x[1] = w.m.y, x[2] = w.m.z, x[3] = w.f.x, x[4] = w.f.y, x[5] = w.f.z;
  }
  t->time[t->rows++] = s->time;
}

static int too_far(const cli_states* s, const char* name, const char* text)
{
  (void)fprintf(stderr, "%s:%d: error: %s: %s\n", s->path, s->line, name, text);
  return EXIT_USAGE;
}

// Unit norm, and of the two signs the one nearer to the row before.
static int straighten(const cli_track* t, int at)
{
  double* q = t->value + (t->rows - 1) * t->width + at;
  const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int k = 0; k < 4; k++) q[k] /= norm;
  if (t->rows == 1) return EXIT_FINE;
  const double* p = q - t->width;
  const double dot = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
  for (int k = 0; dot < 0 && k < 4; k++) q[k] = -q[k];
  if (fabs(dot) >= 0.7071) return EXIT_FINE;
  return too_far(t->states, t->states->dofs->q[at].name,
                 "the rotation turns by more than 90 degrees from one row to the next: too few rows to "
                 "differentiate");
}

// What no spline can follow: an angle that was wrapped, a rotation between rows that are far apart.
static int check_step(const cli_track* t)
{
  const cli_states* s = t->states;
  const double* q = t->value + (t->rows - 1) * t->width;
  for (int i = 0; i < s->nquat; i++) {
    const int code = straighten(t, s->quat[i]);
    if (code != EXIT_FINE) return code;
  }
  for (int k = 0; k < s->dofs->nq && t->rows > 1; k++) {
    if (s->dofs->q[k].linear || fabs(q[k] - (q - t->width)[k]) <= 3.1416) continue;
    return too_far(s, s->dofs->q[k].name,
                   "the angle jumps by more than half a turn from one row to the next: was it wrapped "
                   "to one turn? Unwrap it to differentiate");
  }
  return EXIT_FINE;
}

static int read_rows(cli_track* t)
{
  cli_states* s = t->states;
  cli_progress progress = cli_progress_begin("read", s->bytes);
  int code = EXIT_FINE, got = 0;
  while (code == EXIT_FINE) {
    code = cli_interrupted() ? EXIT_USAGE : cli_states_next(s, &got);
    if (code != EXIT_FINE || !got) break;
    if (!make_room(t)) {
      code = cli_usage(s->args, "--differentiate keeps all rows, and memory ran out after %llu",
                       (unsigned long long)s->count);
      break;
    }
    keep_row(t);
    code = check_step(t);
    cli_progress_update(&progress, cli_states_bytes(s));
  }
  cli_progress_end(&progress);
  return code;
}

static int fit(cli_track* t)
{
  enum { LEAST = 6 }; // rows of a quintic spline
  const cli_states* s = t->states;
  const size_t nq = (size_t)s->dofs->nq;
  if (t->rows < LEAST) {
    return cli_usage(s->args, "%s: --differentiate needs at least %d rows, not %llu", s->path, LEAST,
                     (unsigned long long)t->rows);
  }
  const limb_samples samples = {t->rows, t->time, s->dofs->nq, t->value, t->width};
  limb_error err;
  t->d1 = calloc(nq + 1, sizeof *t->d1);
  t->d2 = calloc(nq + 1, sizeof *t->d2);
  limb_status status = LIMB_E_NOMEM;
  if (t->d1 && t->d2) status = limb_signal_create(LIMB_SIGNAL_SPLINE, &samples, NULL, &t->curve, &err);
  if (status == LIMB_OK) return EXIT_FINE;
  if (status == LIMB_E_NOMEM) return cli_usage(s->args, "--differentiate keeps all rows, and memory ran out");
  return cli_usage(s->args, "%s: --differentiate: %s", s->path, err.text);
}

int cli_track_read(cli_track* t, cli_states* states)
{
  *t = (cli_track){.states = states};
  t->width = (size_t)states->dofs->nq + 6 * (size_t)states->nwrench;
  const int code = read_rows(t);
  return code == EXIT_FINE ? fit(t) : code;
}

void cli_track_free(cli_track* t)
{
  limb_signal_destroy(t->curve);
  free(t->time);
  free(t->value);
  free(t->d1);
  free(t->d2);
  *t = (cli_track){0};
}

// ---- rows ------------------------------------------------------------------------------------------

// Vector part of conj(n) s, for quaternions x y z w.
static sp_vec3 conjugate_times(const double* n, const double* s)
{
  const sp_vec3 u = sp_v3(n[0], n[1], n[2]), v = sp_v3(s[0], s[1], s[2]);
  return sp_sub3(sp_sub3(sp_scale3(n[3], v), sp_scale3(s[3], u)), sp_cross3(u, v));
}

static void put3(sp_vec3 v, double* x) { x[0] = v.x, x[1] = v.y, x[2] = v.z; }

// With n the normalised spline s, |s| = 1 at a sample, and r' = n . s':
//   w = 2 vec(n* s'),    w' = 2 vec(n* s'') - 2 r' w
static void rotate(const double* n, const double* d1, const double* d2, sp_vec3* w, sp_vec3* dw)
{
  const double r = n[0] * d1[0] + n[1] * d1[1] + n[2] * d1[2] + n[3] * d1[3];
  *w = sp_scale3(2, conjugate_times(n, d1));
  *dw = sp_sub3(sp_scale3(2, conjugate_times(n, d2)), sp_scale3(2 * r, *w));
}

// A free joint: v = R' p',  v' = R' p'' - w x v.
static void fly(const double* q, const double* d1, const double* d2, double* v, double* a)
{
  const sp_quat n = {q[3], q[4], q[5], q[6]};
  const sp_mat3 R = sp_rot_quat(n);
  sp_vec3 w, dw;
  rotate(q + 3, d1 + 3, d2 + 3, &w, &dw);
  const sp_vec3 u = sp_tmulv(R, sp_v3(d1[0], d1[1], d1[2]));
  const sp_vec3 du = sp_sub3(sp_tmulv(R, sp_v3(d2[0], d2[1], d2[2])), sp_cross3(w, u));
  put3(w, v), put3(u, v + 3);
  put3(dw, a), put3(du, a + 3);
}

static void joint_rates(const cli_states* s, const limb_joint_info* j, const double* d1, const double* d2)
{
  const double* q = s->q + j->q;
  double *v = s->v + j->v, *a = s->a + j->v;
  if (j->def.type == LIMB_FREE) {
    fly(q, d1, d2, v, a);
  } else if (j->def.type == LIMB_SPHERICAL) {
    sp_vec3 w, dw;
    rotate(q, d1, d2, &w, &dw);
    put3(w, v), put3(dw, a);
  } else {
    for (int k = 0; k < j->nv; k++) v[k] = d1[k], a[k] = d2[k];
  }
}

void cli_track_row(cli_track* t, size_t i)
{
  cli_states* s = t->states;
  const size_t nq = (size_t)s->dofs->nq;
  const double* x = t->value + i * t->width;
  memcpy(s->q, x, nq * sizeof *x);
  x += nq;
  for (int k = 0; k < s->nwrench; k++, x += 6) {
    s->wrench[k].wrench = sp_force_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5]));
  }
  s->time = t->time[i];
  s->count = i + 1;
  s->line = 0;
  // What is not finite is refused by what is computed from it.
  if (limb_signal_at(t->curve, s->time, NULL, t->d1, t->d2) != LIMB_OK)
    for (size_t k = 0; k < nq; k++) t->d1[k] = nan("");
  for (int j = 0; j < limb_joint_count(s->model); j++) {
    limb_joint_info info;
    if (limb_get_joint(s->model, j, &info) != LIMB_OK || info.nq == 0) continue;
    joint_rates(s, &info, t->d1 + info.q, t->d2 + info.q);
  }
}
