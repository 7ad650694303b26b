// Names and units of coordinates: the joint's name, and the suffix of the component where there are several.
#include "dofs.h"
#include "command.h"

#include <stdlib.h>
#include <string.h>

// Angles and angular rates have suffixes .r and .w, quaternions .q; the rest are lengths.
static int is_linear(limb_joint_type type, const char* suffix)
{
  return type == LIMB_PRISMATIC || (suffix[0] && (suffix[1] == 'p' || suffix[1] == 'v'));
}

// Appends one name to the text and returns where the next begins.
static char* put(cli_dof* d, int joint, const limb_joint_info* info, int index, const char* suffix, char* text)
{
  const limb_joint_def* def = &info->def;
  const size_t name = strlen(def->name), rest = strlen(suffix);
  memcpy(text, def->name, name);
  memcpy(text + name, suffix, rest + 1);
  *d = (cli_dof){text, joint, index, is_linear(def->type, suffix), info->passive, 0, 0, 0};
  return text + name + rest + 1;
}

// ---- the base --------------------------------------------------------------------------------------

// Whether nothing but fixed joints is between a body and the world. still: per body 1 yes, 0 no, -1 not
// known; the answer is left there, so that the way up is short when parents come first.
static int find_still(const limb_model* m, int body, signed char* still)
{
  int at = body;
  while (still[at] < 0) {
    limb_body_info link;
    limb_joint_info joint;
    if (limb_get_body(m, at, &link) != LIMB_OK || limb_get_joint(m, link.joint, &joint) != LIMB_OK) return 0;
    if (joint.def.type != LIMB_FIXED) return still[body] = 0;
    at = link.parent;
  }
  return still[body] = still[at];
}

void cli_dofs_set_base(cli_dofs* d, const unsigned char* given)
{
  d->nbase = 0;
  for (int k = 0; k < d->nv; k++) {
    d->v[k].base = given[k] == LIMB_FORCE_GIVEN;
    if (d->v[k].base) d->split[d->nbase++] = k;
  }
  int* next = d->split + d->nbase;
  for (int k = 0; k < d->nv; k++)
    if (!d->v[k].base) *next++ = k;
}

// Which degrees of freedom belong to a moving base. 1, or 0 when memory runs out.
static int find_base(const limb_model* m, cli_dofs* d)
{
  const size_t count = (size_t)limb_body_count(m);
  signed char* still = malloc(count + 1);
  unsigned char* given = calloc((size_t)d->nv + 1, 1);
  const int fine = still && given && limb_mark_base(m, given) == LIMB_OK;
  if (fine) {
    memset(still, -1, count + 1);
    still[LIMB_WORLD_BODY] = 1;
    cli_dofs_set_base(d, given);
  }
  for (int k = 0; k < d->nv && fine; k++) {
    limb_joint_info x;
    if (limb_get_joint(m, d->v[k].joint, &x) != LIMB_OK) continue;
    d->v[k].root = find_still(m, x.def.parent, still);
    d->v[k].moves = d->v[k].base || (d->v[k].root && (x.def.type == LIMB_FREE || x.def.type == LIMB_PLANAR));
  }
  free(still);
  free(given);
  return fine;
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

// ---- making ----------------------------------------------------------------------------------------

static size_t text_size(const limb_model* m)
{
  size_t size = 1;
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info info;
    if (limb_get_joint(m, j, &info) != LIMB_OK) continue;
    const size_t each = strlen(info.def.name) + 1;
    for (int k = 0; k < info.nq; k++) size += each + strlen(limb_q_suffix(info.def.type, k));
    for (int k = 0; k < info.nv; k++) size += each + strlen(limb_v_suffix(info.def.type, k));
  }
  return size;
}

int cli_dofs_make(const limb_model* m, cli_dofs* out)
{
  const int nq = limb_nq(m), nv = limb_nv(m);
  *out = (cli_dofs){.nq = nq, .nv = nv};
  out->q = calloc((size_t)nq + 1, sizeof *out->q);
  out->v = calloc((size_t)nv + 1, sizeof *out->v);
  out->split = calloc((size_t)nv + 1, sizeof *out->split);
  out->text = malloc(text_size(m));
  if (!out->q || !out->v || !out->split || !out->text) {
    cli_dofs_free(out);
    return 0;
  }
  char* next = out->text;
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info info;
    if (limb_get_joint(m, j, &info) != LIMB_OK) continue;
    for (int k = 0; k < info.nq; k++) {
      next = put(&out->q[info.q + k], j, &info, k, limb_q_suffix(info.def.type, k), next);
    }
    for (int k = 0; k < info.nv; k++) {
      next = put(&out->v[info.v + k], j, &info, k, limb_v_suffix(info.def.type, k), next);
    }
  }
  if (find_base(m, out)) return 1;
  cli_dofs_free(out);
  return 0;
}

void cli_dofs_free(cli_dofs* d)
{
  free(d->q);
  free(d->v);
  free(d->text);
  free(d->split);
  *d = (cli_dofs){0};
}

const char* cli_force_unit(const cli_dof* d) { return d->linear ? "N" : "N m"; }

const char* cli_speed_unit(const cli_dof* d) { return d->linear ? "m/s" : "rad/s"; }

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
