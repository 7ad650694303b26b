// Numbers of a robot that a run replaces, by name: `parameters: {link5.mass: 3.2, elbow.viscous: 2*was}`. A number is a
// formula in which `was` is what the robot has.
#include "run/run_impl.h"

#include "limb/edit.h"
#include "base/names.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what a body and a joint have -------------------------------------------------------------------------

typedef struct number_key {
  const char* name;
  size_t at;
} number_key;

#define BODY(word, member)                        \
  {                                               \
    word, offsetof(limb_body_def, inertia.member) \
  }
#define JOINT(word)                       \
  {                                       \
#word, offsetof(limb_joint_def, word) \
  }

static const number_key body_keys[] = {BODY("mass", mass),     BODY("com.x", com.x),   BODY("com.y", com.y),
                                       BODY("com.z", com.z),   BODY("inertia.xx", xx), BODY("inertia.xy", xy),
                                       BODY("inertia.xz", xz), BODY("inertia.yy", yy), BODY("inertia.yz", yz),
                                       BODY("inertia.zz", zz)};

static const number_key joint_keys[] = {
  JOINT(q_min),    JOINT(q_max),         JOINT(v_max),      JOINT(effort_max), JOINT(a_max),   JOINT(deceleration_max),
  JOINT(jerk_max), JOINT(rotor_inertia), JOINT(gear_ratio), JOINT(coulomb),    JOINT(viscous), JOINT(stiffness),
  JOINT(rest),     JOINT(offset),        JOINT(multiplier), JOINT(pitch)};

enum { BODY_KEYS = sizeof body_keys / sizeof *body_keys, JOINT_KEYS = sizeof joint_keys / sizeof *joint_keys };

static const char scale[] = "scale"; // of a body: mass and inertia alike

typedef struct replacement {
  limb_builder* b;
  const limb_run_value* at;
  limb_error* err;
} replacement;

// ---- names ------------------------------------------------------------------------------------------------

// All names: those of bodies, then those of joints.
enum { PER_BODY = BODY_KEYS + 1 };

static const char* name_of(const void* names, int i) { return ((char* const*)names)[i]; }

static char* make_name(const limb_builder* b, int i)
{
  limb_body_def body = {.name = ""};
  limb_joint_def joint = {.name = ""};
  const int bodies = limb_builder_body_count(b) * PER_BODY, j = i - bodies;
  const char *owner = "", *key = i % PER_BODY < BODY_KEYS ? body_keys[i % PER_BODY].name : scale;
  if (i < bodies && limb_builder_get_body(b, i / PER_BODY, &body) == LIMB_OK) owner = body.name;
  if (j >= 0 && limb_builder_get_joint(b, j / JOINT_KEYS, &joint) == LIMB_OK) owner = joint.name;
  if (j >= 0) key = joint_keys[j % JOINT_KEYS].name;
  const size_t size = strlen(owner) + strlen(key) + 2;
  char* name = malloc(size);
  if (name) (void)snprintf(name, size, "%s.%s", owner, key);
  return name;
}

static limb_status unknown(const replacement* r)
{
  const int count = limb_builder_body_count(r->b) * PER_BODY + limb_builder_joint_count(r->b) * (int)JOINT_KEYS;
  char** names = calloc((size_t)count + 1, sizeof *names);
  int made = 0;
  while (names && made < count && (names[made] = make_name(r->b, made))) made++;
  const char* near = names ? limb_nearest(r->at->name, made, name_of, names) : NULL;
  if (near)
    (void)limb_run_wrong(r->err, r->at, "the model has no number '%.80s'; did you mean '%.80s'?", r->at->name, near);
  else
    (void)limb_run_wrong(r->err, r->at,
                         "the model has no number '%.60s': bodies have mass, com.x, inertia.xx, scale; joints q_min, "
                         "v_max, rotor_inertia, coulomb, viscous, stiffness ...",
                         r->at->name);
  for (int i = 0; i < made; i++) free(names[i]);
  free(names);
  return LIMB_E_ARG;
}

// ---- values -----------------------------------------------------------------------------------------------

static int find_was(void* context, const char* name)
{
  (void)context;
  return strcmp(name, "was") == 0 ? 0 : -1;
}

static limb_status evaluate(const replacement* r, double was, double* out)
{
  const limb_formula_names names = {find_was, NULL, NULL};
  limb_formula* f = NULL;
  limb_error why = {0};
  const limb_status s = limb_formula_parse(r->at->text, &names, NULL, &f, &why);
  if (s == LIMB_E_NOMEM) return s;
  if (s != LIMB_OK) return limb_run_wrong(r->err, r->at, "'%.80s' is not a number: %s", r->at->text, why.text);
  const double x = limb_formula_value(f, &was);
  limb_formula_destroy(f);
  if (!isfinite(x)) return limb_run_wrong(r->err, r->at, "'%.80s' is not finite", r->at->text);
  *out = x;
  return LIMB_OK;
}

static limb_status replace(const replacement* r, void* def, const number_key* keys, int count, const char* key,
                           bool* found)
{
  for (int k = 0; k < count; k++) {
    if (strcmp(keys[k].name, key) != 0) continue;
    double x;
    char* at = (char*)def + keys[k].at;
    memcpy(&x, at, sizeof x);
    const limb_status s = evaluate(r, x, &x);
    if (s == LIMB_OK) memcpy(at, &x, sizeof x);
    *found = true;
    return s;
  }
  return LIMB_OK;
}

static limb_status replace_in_body(const replacement* r, int body, limb_body_def* def, const char* key, bool* found)
{
  limb_error why = {0};
  const bool was_physical = !limb_inertia_defect(&def->inertia);
  limb_status s = replace(r, def, body_keys, BODY_KEYS, key, found);
  if (s == LIMB_OK && strcmp(key, scale) == 0) {
    double x = 1;
    *found = true;
    s = evaluate(r, 1, &x);
    sp_inertia* Y = &def->inertia;
    Y->mass *= x;
    Y->xx *= x, Y->xy *= x, Y->xz *= x, Y->yy *= x, Y->yz *= x, Y->zz *= x;
  }
  if (s != LIMB_OK || !*found) return s;
  const char* defect = limb_inertia_defect(&def->inertia);
  if (was_physical && defect) return limb_run_wrong(r->err, r->at, "no body has this inertia: %s", defect);
  s = limb_builder_set_body(r->b, body, def, &why);
  return s == LIMB_OK ? s : limb_run_wrong(r->err, r->at, "%s", *why.text ? why.text : limb_status_text(s));
}

static limb_status replace_in_joint(const replacement* r, int joint, limb_joint_def* def, const char* key, bool* found)
{
  limb_error why = {0};
  limb_status s = replace(r, def, joint_keys, JOINT_KEYS, key, found);
  if (s != LIMB_OK || !*found) return s;
  s = limb_builder_set_joint(r->b, joint, def, &why);
  return s == LIMB_OK ? s : limb_run_wrong(r->err, r->at, "%s", *why.text ? why.text : limb_status_text(s));
}

// What follows the name of a part: "mass" in "link5.mass"; NULL: another part.
static const char* key_of(const char* path, const char* name)
{
  const size_t n = strlen(name);
  return n > 0 && strncmp(path, name, n) == 0 && path[n] == '.' ? path + n + 1 : NULL;
}

limb_status limb_run_replace_number(const limb_run_value* at, limb_builder* b, limb_error* err)
{
  const replacement r = {b, at, err};
  limb_body_def body;
  limb_joint_def joint;
  limb_status s = LIMB_OK;
  bool found = false;
  for (int i = 0; !found && s == LIMB_OK && limb_builder_get_body(b, i, &body) == LIMB_OK; i++) {
    const char* key = key_of(at->name, body.name);
    if (key) s = replace_in_body(&r, i, &body, key, &found);
  }
  for (int j = 0; !found && s == LIMB_OK && limb_builder_get_joint(b, j, &joint) == LIMB_OK; j++) {
    const char* key = key_of(at->name, joint.name);
    if (key) s = replace_in_joint(&r, j, &joint, key, &found);
  }
  return found || s != LIMB_OK ? s : unknown(&r);
}
