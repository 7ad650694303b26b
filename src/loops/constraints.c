// The equations of closures: prescribed motions, biases, and the public calls that show them.
//
// Reference: Khalil 2010, (3) and (4); Ghosal 2010, (12)-(20). Cost O(n) for the motion of the links, then O(joints
//            between the frames) per constraint.

#include "base/numeric.h"
#include "base/status.h"
#include "kinematics/kinematics_impl.h"
#include "loops/loops_impl.h"

#include <math.h>
#include <string.h>

limb_loop_options limb_default_loop_options(void)
{
  return (limb_loop_options){.size = sizeof(limb_loop_options), .tolerance = 1e-9};
}

limb_status limb_loop_options_read(const limb_loop_options* given, limb_loop_options* out)
{
  *out = limb_default_loop_options();
  const size_t min_size = offsetof(limb_loop_options, tolerance) + sizeof out->tolerance;
  if (given) {
    const limb_status s = limb_sized_read(out, sizeof *out, given, min_size);
    if (s != LIMB_OK) return s;
  }
  if (!limb_finite(1, &out->time) || !limb_finite(1, &out->tolerance)) return LIMB_E_NONFINITE;
  return out->tolerance > 0 && out->tolerance < 1 ? LIMB_OK : LIMB_E_ARG;
}

// ---- prescribed motions -------------------------------------------------------------------------------------

#define FULL_TURN 6.28318530717958647692

// s, s' and s'' of a prescribed motion
static void ask_law(const limb_prescribed_motion* law, double time, double s[3])
{
  const double turn = FULL_TURN * law->frequency, angle = turn * time + law->phase;
  s[0] = law->constant + law->rate * time + law->amplitude * sin(angle);
  s[1] = law->rate + law->amplitude * turn * cos(angle);
  s[2] = -law->amplitude * turn * turn * sin(angle);
  if (!law->fn) return;
  double more[3] = {0, 0, 0};
  law->fn(law->context, time, more);
  for (int k = 0; k < 3; k++) s[k] += more[k];
}

// Axes of the two frames of a closure, in the world. Needs the poses of the links.
static void frames_of(const limb_loops* w, const limb_loop* loop, sp_mat3* A, sp_mat3* B)
{
  const sp_pose* X = w->d->own.X;
  *A = loop->link_a < 0 ? loop->in_a.R : sp_mul3(X[loop->link_a].R, loop->in_a.R);
  *B = loop->link_b < 0 ? loop->in_b.R : sp_mul3(X[loop->link_b].R, loop->in_b.R);
}

// The angle of a rotation whose motion is prescribed, as in kernel/constraint_kernel.h.
static double angle_of(const limb_loops* w, const limb_loop* loop)
{
  sp_mat3 A, B;
  frames_of(w, loop, &A, &B);
  const sp_mat3 R = sp_mul3(sp_transpose3(A), B);
  const int c = loop->angle, a = (c + 1) % 3, b = (c + 2) % 3;
  const double down = R.m[3 * b + a], up = R.m[3 * a + b], first = R.m[4 * a], second = R.m[4 * b];
  const unsigned turns = loop->locked & 7U;
  if (turns == 7U) return atan2(down - up, first + second);
  return turns >> b & 1U ? atan2(down, first) : atan2(-up, second);
}

// phi -= s, rate = s', gamma = s'' - bias. Angles count modulo whole turns.
static void take_laws(limb_loops* w, double time)
{
  const limb_model* m = w->m;
  for (int r = 0; r < m->nrow; r++) w->rate[r] = 0, w->gamma[r] = -w->bias[r];
  for (int l = 0; w->has_prescribed && l < m->nloop; l++) {
    const limb_loop* loop = &m->loop[l];
    const limb_prescribed_motion* law = &loop->def.motion;
    if (!loop->prescribed) continue;
    double s[3];
    ask_law(law, time, s);
    const int r = m->clusters.cluster[loop->cluster].row + loop->local + law->constraint;
    if (loop->angle >= 0)
      w->phi[r] = remainder(angle_of(w, loop) - s[0], FULL_TURN);
    else if (law->constraint < loop->holonomic)
      w->phi[r] -= s[0];
    w->rate[r] = s[1];
    w->gamma[r] += s[2];
  }
}

// ---- constraints --------------------------------------------------------------------------------------------

#define FLAT 1e-7 // sine between the axis of a wheel and the normal of its plane

// Whether some wheel lies on its side: it has no track and no lowest point there, its constraints are rounding.
static bool lies_flat(const limb_loops* w)
{
  for (int l = 0; l < w->m->nloop; l++) {
    const limb_loop* loop = &w->m->loop[l];
    if (!limb_is_wheel(loop)) continue;
    sp_mat3 A, B;
    frames_of(w, loop, &A, &B);
    const sp_vec3 n = sp_v3(B.m[2], B.m[5], B.m[8]), z = sp_v3(A.m[2], A.m[5], A.m[8]);
    if (sp_norm3(sp_cross3(n, z)) < FLAT) return true;
  }
  return false;
}

limb_status limb_constraints_at(limb_loops* w, const double* q, const double* v, double time, unsigned need)
{
  const limb_model* m = w->m;
  const limb_link_motion* own = &w->d->own;
  const limb_status s = limb_link_kinematics(w->d, q, v, NULL, own);
  if (s != LIMB_OK) return s;
  const bool moves = v && (need & LIMB_NEED_GAMMA), lean = need & LIMB_NEED_LEAN;
  for (int r = 0; lean && r < m->nrow; r++) w->phi[r] = w->bias[r] = 0;
  const limb_loop_kernels_in in = {.q = q,
                                   .v = moves ? v : NULL,
                                   .X = &own->X->R.m[0],
                                   .vel = moves ? &own->v->w.x : NULL,
                                   .acc = moves ? &own->a_v->w.x : NULL,
                                   .wanted = lean ? w->wanted : NULL};
  const limb_loop_kernels_out out = {.Psi = need & LIMB_NEED_PSI ? w->Psi : NULL,
                                     .phi = lean ? NULL : w->phi,
                                     .bias = w->bias,
                                     .reach = need & LIMB_NEED_REACH ? w->reach : NULL};
  if (w->has_wheels && lies_flat(w)) return LIMB_E_SINGULAR;
  w->kernels->rows(m, m->k64, &in, &out);
  take_laws(w, time);
  if (need & LIMB_NEED_RAW) return LIMB_OK;
  const bool fine = (lean || limb_finite(m->nrow, w->phi)) && (!w->has_prescribed || limb_finite(m->nrow, w->rate)) &&
                    limb_finite(m->nrow, w->gamma) && (!out.Psi || limb_finite(m->clusters.entries, w->Psi));
  return fine ? LIMB_OK : LIMB_E_NONFINITE;
}

void limb_constraints_to_user(const limb_loops* w, const double* x, double* user)
{
  for (int r = 0; r < w->m->nrow; r++) user[w->user_index[r]] = x[r];
}

void limb_constraints_from_user(const limb_loops* w, const double* user, double* x)
{
  for (int r = 0; r < w->m->nrow; r++) x[r] = user[w->user_index[r]];
}

void limb_psi_times(const limb_loops* w, const double* x, double* y)
{
  for (int c = 0; c < w->m->clusters.count; c++) {
    const limb_cluster* k = &w->m->clusters.cluster[c];
    for (int r = 0; r < k->nrow; r++) {
      const double* row = w->Psi + k->block + (ptrdiff_t)r * k->nv;
      double sum = 0;
      for (int j = 0; j < k->nv; j++) sum += row[j] * x[k->v[j]];
      y[k->row + r] = sum;
    }
  }
}

void limb_psi_row(const limb_loops* w, int row, double* out)
{
  const limb_model* m = w->m;
  memset(out, 0, (size_t)m->nv * sizeof *out);
  int c = 0;
  while (row >= m->clusters.cluster[c].row + m->clusters.cluster[c].nrow) c++;
  const limb_cluster* k = &m->clusters.cluster[c];
  const double* Psi = w->Psi + k->block + (ptrdiff_t)(row - k->row) * k->nv;
  for (int j = 0; j < k->nv; j++) out[k->v[j]] = Psi[j];
}

static void copy_psi(const limb_loops* w, double* Psi)
{
  const limb_model* m = w->m;
  memset(Psi, 0, (size_t)m->nrow * (size_t)m->nv * sizeof *Psi);
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_cluster* k = &m->clusters.cluster[c];
    for (int r = 0; r < k->nrow; r++) {
      const double* row = w->Psi + k->block + (ptrdiff_t)r * k->nv;
      double* to = Psi + (ptrdiff_t)w->user_index[k->row + r] * m->nv;
      for (int j = 0; j < k->nv; j++) to[k->v[j]] = row[j];
    }
  }
}

limb_status limb_check_tree_state(limb_data* d, const double* q, const double* v)
{
  return limb_link_kinematics(d, q, v, NULL, &d->own);
}

limb_status limb_loop_equations_at(limb_data* d, const double* q, const double* v, const limb_loop_options* options,
                                   const limb_loop_equations* out)
{
  if (!d || !q || !out) return LIMB_E_ARG;
  limb_loops* w = d->loops;
  limb_loop_options o;
  limb_status s = limb_loop_options_read(options, &o);
  if (!w) return s == LIMB_OK ? limb_check_tree_state(d, q, v) : s;
  const unsigned need = (out->Psi ? LIMB_NEED_PSI : 0U) | (out->gamma ? LIMB_NEED_GAMMA : 0U);
  if (s == LIMB_OK) s = limb_constraints_at(w, q, v, o.time, need);
  if (s != LIMB_OK) return s;
  if (out->residual) limb_constraints_to_user(w, w->phi, out->residual);
  if (out->rate) limb_constraints_to_user(w, w->rate, out->rate);
  if (out->gamma) limb_constraints_to_user(w, w->gamma, out->gamma);
  if (out->Psi) copy_psi(w, out->Psi);
  return LIMB_OK;
}

// ---- gaps ---------------------------------------------------------------------------------------------------

// Of a closure whose constraints vanish, too, when it is turned round: does it stand that way? The axes that should
// agree do so with a cosine of 1 then, not -1. Needs the poses of the links.
bool limb_loop_is_flipped(const limb_loops* w, int index)
{
  const limb_loop* loop = &w->m->loop[index];
  const unsigned turns = loop->locked & 7U;
  if (limb_between_joints(loop) || turns == 0 || turns == 1 || turns == 2 || turns == 4) return false;
  if (loop->angle >= 0 && turns != 7) return false; // an angle has one side
  sp_mat3 A, B;
  frames_of(w, loop, &A, &B);
  double cosine[3];
  for (int k = 0; k < 3; k++) cosine[k] = A.m[k] * B.m[k] + A.m[3 + k] * B.m[3 + k] + A.m[6 + k] * B.m[6 + k];
  if (loop->angle >= 0) return cosine[loop->angle] < 0;
  if (turns == 7) return cosine[0] + cosine[1] + cosine[2] < 1; // beyond a right angle
  const int free_axis = turns == 6 ? 0 : turns == 5 ? 1 : 2;
  return cosine[free_axis] < 0;
}

static void widen(double size, int loop, double* largest, int* whose)
{
  if (*whose >= 0 && !(size > *largest)) return;
  *largest = size, *whose = loop;
}

limb_status limb_loop_gap_of(limb_data* d, const double* q, const double* v, const limb_loop_options* options,
                             limb_loop_gap* out)
{
  if (!d || !q || !out) return LIMB_E_ARG;
  *out = (limb_loop_gap){0, 0, -1, -1};
  limb_loops* w = d->loops;
  limb_loop_options o;
  limb_status s = limb_loop_options_read(options, &o);
  if (!w) return s == LIMB_OK ? limb_check_tree_state(d, q, v) : s;
  if (s == LIMB_OK) s = limb_constraints_at(w, q, v, o.time, v ? LIMB_NEED_PSI : 0);
  if (s != LIMB_OK) return s;
  const limb_model* m = w->m;
  if (v) limb_psi_times(w, v, w->r1);
  for (int l = 0; l < m->nloop; l++) {
    const limb_loop* loop = &m->loop[l];
    const int first = m->clusters.cluster[loop->cluster].row + loop->local;
    for (int r = first; r < first + loop->nrow; r++) {
      widen(fabs(w->phi[r]), l, &out->position, &out->position_loop);
      if (v) widen(fabs(w->r1[r] - w->rate[r]), l, &out->velocity, &out->velocity_loop);
    }
    if (limb_loop_is_flipped(w, l)) widen(2, l, &out->position, &out->position_loop);
  }
  return LIMB_OK;
}
