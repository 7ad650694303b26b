// Tasks as rows: counting them, their Jacobian, and Jdot v.
//
// Cost: O(nv + depth) per task.
//
// A row that ought to be zero comes out as rounding where lengths cancel: the radial velocity of a stretched
// arm, the velocity of a point on the axis it turns about. A single row of that kind has no other row to be
// small against, and its inverse would be garbage. Rows whose largest entry is below the floor are therefore
// set to zero:
//
//   angular rows   ROUNDING w              w  largest entry of the frame's three angular rows
//   linear rows    ROUNDING (v + reach w)  v  largest entry of the frame's three linear rows
//
// where reach is the largest coordinate of a point on the way from the frame to the world: positions are
// known to eps times that.

#include "dynamics/task_impl.h"

#include "base/numeric.h"
#include "kinematics/kinematics_impl.h"

#include <limits.h>
#include <math.h>

#define ROUNDING 1e-14

static int directions_of(const limb_task* t)
{
  int n = 0;
  for (unsigned bits = t->directions; bits; bits &= bits - 1) n++;
  return n;
}

int limb_task_rows(const limb_task_stack* tasks)
{
  if (!tasks || tasks->count < 0 || (tasks->count > 0 && !tasks->task)) return -1;
  int rows = 0;
  for (int i = 0; i < tasks->count; i++) {
    if (tasks->task[i].directions & ~(unsigned)LIMB_TWIST || rows > INT_MAX - 6) return -1;
    rows += directions_of(&tasks->task[i]);
  }
  return rows;
}

static double component(sp_motion a, int c)
{
  const double x[6] = {a.w.x, a.w.y, a.w.z, a.v.x, a.v.y, a.v.z};
  return x[c];
}

// Largest coordinate in the world of the frame and of the links that move it.
static double reach_of(const limb_model* m, const limb_site* s, const sp_pose* X)
{
  double reach = limb_largest3(limb_site_pose(s, X).p);
  for (int i = s->link; i >= 0; i = m->link[i].parent) reach = fmax(reach, limb_largest3(X[i].p));
  return reach;
}

// Sizes at which a row of the frame's Jacobian, angular and linear, is rounding.
static void floors_of(const limb_data* d, const limb_task* t, const sp_motion* J, double floor[2])
{
  const limb_site site = limb_site_of(d->m, t->frame);
  double w = 0, v = 0;
  for (int k = 0; k < d->m->nv; k++) w = fmax(w, limb_largest3(J[k].w)), v = fmax(v, limb_largest3(J[k].v));
  floor[0] = ROUNDING * w;
  floor[1] = ROUNDING * v + ROUNDING * reach_of(d->m, &site, d->own.X) * w;
}

// Row c of the columns.
static void take_row(int nv, const sp_motion* J, int c, double floor, double* row)
{
  double size = 0;
  for (int k = 0; k < nv; k++) {
    row[k] = component(J[k], c);
    size = fmax(size, fabs(row[k]));
  }
  if (size > floor) return;
  for (int k = 0; k < nv; k++) row[k] = 0;
}

limb_status limb_task_jacobian(const limb_data* d, const double* q, const double* v, const limb_task_stack* tasks,
                               double* columns, double* J, double* Jdot_v)
{
  // the kinematics calls, as if limb_kinematics had been called with the state
  limb_data view = *d;
  view.motion = d->own;
  view.q = q, view.v = v;
  view.have = LIMB_HAS_POSES | LIMB_HAS_VELOCITIES;
  sp_motion* all = (sp_motion*)columns;
  const int nv = d->m->nv;
  ptrdiff_t row = 0;
  for (int i = 0; i < tasks->count; i++) {
    const limb_task* t = &tasks->task[i];
    sp_motion drift;
    double floor[2];
    limb_status s = limb_frame_jacobian(&view, t->frame, t->ref, all);
    if (s == LIMB_OK) s = limb_frame_jacobian_rate_times_v(&view, t->frame, t->ref, &drift);
    if (s != LIMB_OK) return s;
    floors_of(d, t, all, floor);
    const bool finite = limb_finite(6 * (ptrdiff_t)nv, columns) && limb_finite(2, floor) && limb_finite3(drift.w) &&
                        limb_finite3(drift.v);
    if (!finite) return LIMB_E_NONFINITE;
    for (int c = 0; c < 6; c++) {
      if (!(t->directions & 1u << c)) continue;
      take_row(nv, all, c, floor[c / 3], J + row * nv);
      if (Jdot_v) Jdot_v[row] = component(drift, c);
      row++;
    }
  }
  return LIMB_OK;
}
