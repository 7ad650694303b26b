// Named poses of a model (limb/read.h) as configurations.
#include "run/run_impl.h"

#include "base/names.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

static const char* pose_name(const void* reading, int i)
{
  limb_named_pose p;
  return limb_reading_get_pose(reading, i, &p) == LIMB_OK ? p.name : "";
}

// "there are home, folded", or none.
static limb_status no_such_pose(const limb_reading* r, const char* name, limb_error* err)
{
  char all[120] = "";
  const int count = limb_reading_pose_count(r);
  const char* near = limb_nearest(name, count, pose_name, r);
  size_t used = 0;
  if (near)
    return limb_fail(err, LIMB_E_ARG, "pose", "the model has no pose '%.60s'; did you mean '%.60s'?", name, near);
  for (int i = 0; i < count && used < sizeof all - 1; i++)
    used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", pose_name(r, i));
  if (count == 0)
    return limb_fail(
      err, LIMB_E_ARG, "pose",
      "the model has no named poses, and so no '%.60s': they are in poses of limb YAML, <key> of MJCF and "
      "SRDF (--srdf)",
      name);
  return limb_fail(err, LIMB_E_ARG, "pose", "the model has no pose '%.60s'; it has %s", name, all);
}

limb_status limb_run_take_pose(const limb_reading* r, const char* name, const limb_model* m, double* q,
                               unsigned char* held, limb_error* err)
{
  if (!r || !name || !m || !q) return limb_fail(err, LIMB_E_ARG, "pose", "an argument is NULL");
  limb_named_pose p = {0};
  int i = 0;
  while (limb_reading_get_pose(r, i, &p) == LIMB_OK && strcmp(p.name, name) != 0) i++;
  if (i >= limb_reading_pose_count(r)) return no_such_pose(r, name, err);
  if (held) memset(held, 0, (size_t)limb_nq(m));
  for (int k = 0; k < p.count; k++) {
    limb_joint_info x;
    const limb_pose_value* v = &p.value[k];
    if (limb_get_joint(m, limb_find_joint(m, v->joint), &x) != LIMB_OK || x.nq != v->count) continue;
    memcpy(q + x.q, v->q, (size_t)x.nq * sizeof *q);
    if (held) memset(held + x.q, 1, (size_t)x.nq);
  }
  return LIMB_OK;
}
