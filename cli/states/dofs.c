// Names and units of coordinates, as arrays; what the base of a robot is called; names that are near.
#include "states/dofs.h"
#include "base/command.h"

#include <stdlib.h>
#include <string.h>

int cli_dofs_make(const limb_model* m, cli_dofs* out)
{
  *out = (cli_dofs){.nq = limb_nq(m), .nv = limb_nv(m)};
  out->q = calloc((size_t)out->nq + 1, sizeof *out->q);
  out->v = calloc((size_t)out->nv + 1, sizeof *out->v);
  if (!out->q || !out->v || limb_dofs_create(m, NULL, &out->own) != LIMB_OK) {
    cli_dofs_free(out);
    return 0;
  }
  for (int k = 0; k < out->nq; k++) out->q[k] = *limb_get_coordinate(out->own, k);
  for (int k = 0; k < out->nv; k++) out->v[k] = *limb_get_velocity(out->own, k);
  return 1;
}

void cli_dofs_free(cli_dofs* d)
{
  free(d->q);
  free(d->v);
  limb_dofs_destroy(d->own);
  *d = (cli_dofs){0};
}

const char* cli_base_type(limb_joint_type type) { return type == LIMB_FREE ? "floating" : limb_joint_type_name(type); }

const char* cli_base_name(const limb_model* m, const cli_dofs* d)
{
  const char* name = "fixed";
  int joints = 0, others = 0;
  for (int k = 0; k < d->nv; k++) {
    limb_joint_info x;
    if (d->v[k].index > 0 || limb_get_joint(m, d->v[k].joint, &x) != LIMB_OK) continue;
    const char* type = cli_base_type(x.def.type);
    if (!d->v[k].moves)
      others += d->v[k].root;
    else if (joints++ == 0)
      name = type;
    else
      others += strcmp(name, type) != 0;
  }
  return joints > 0 && others > 0 ? "other" : name;
}

const char* cli_force_unit(const cli_dof* d) { return limb_force_unit(d); }

const char* cli_speed_unit(const cli_dof* d) { return limb_velocity_unit(d); }

const char* cli_position_unit(const cli_dof* d) { return d->linear ? "m" : "rad"; }

const char* cli_nearest_frame(const limb_model* m, const char* wrong)
{
  const int count = limb_frame_count(m);
  const char** names = calloc((size_t)count + 1, sizeof *names);
  if (!names) return NULL;
  for (int i = 0; i < count; i++) {
    limb_frame_info info;
    names[i] = limb_get_frame(m, i, &info) == LIMB_OK ? info.name : "";
  }
  const char* close = cli_nearest(wrong, names);
  free(names);
  return close;
}

int cli_find_dof(const cli_dofs* d, const char* name, int of_q, const char** near)
{
  const int n = of_q ? d->nq : d->nv;
  const cli_dof* dof = of_q ? d->q : d->v;
  const char** names = calloc((size_t)n + 1, sizeof *names);
  int found = -1;
  *near = NULL;
  for (int k = 0; k < n && found < 0; k++) {
    if (strcmp(dof[k].name, name) == 0) found = k;
    if (names) names[k] = dof[k].name;
  }
  if (found < 0 && names) *near = cli_nearest(name, names);
  free(names);
  return found;
}
