// Loops in a URDF: <loop_joint> beside links and joints, as Drake and Isaac Sim have it, and an element
// <limb> inside for what that has no word for.
#include "io/write_urdf_impl.h"

#include "io/findings.h"
#include "io/loops.h"

// The word of a joint that leaves the same motions free, where there is one; else the loop's own.
static const char* type_word(limb_loop_kind kind)
{
  switch (kind) {
  case LIMB_LOOP_WELD: return "fixed";
  case LIMB_LOOP_PIN: return "revolute";
  case LIMB_LOOP_SLIDER: return "prismatic";
  case LIMB_LOOP_BALL: return "spherical";
  default: return loop_words[kind];
  }
}

static int has_axis(limb_loop_kind kind)
{
  return kind == LIMB_LOOP_PIN || kind == LIMB_LOOP_SLIDER || kind == LIMB_LOOP_CYLINDRICAL || kind == LIMB_LOOP_PLANAR;
}

static void put_end(const urdf_writer* w, const char* element, int body, const sp_pose* pose)
{
  put(w, "    <");
  put(w, element);
  limb_urdf_put_text(w, "link", limb_urdf_body_name(w, body));
  if (zero3(pose->p) && limb_urdf_no_turn(&pose->R)) {
    put(w, "/>\n");
    return;
  }
  put(w, ">\n");
  limb_urdf_put_origin(w, "      ", pose);
  put(w, "    </");
  put(w, element);
  put(w, ">\n");
}

static const char* joint_name(const urdf_writer* w, int joint)
{
  limb_joint_def def;
  return limb_builder_get_joint(w->b, joint, &def) ? "" : def.name;
}

static void put_coefficients(const urdf_writer* w, const limb_loop_def* def)
{
  const int n = loop_coefficients(def);
  put(w, " coefficients=\"");
  for (int k = 0; k < n; k++) {
    if (k) put(w, " ");
    limb_urdf_put_number(w, def->coefficient[k]);
  }
  put(w, "\"");
}

static void put_locked(const urdf_writer* w, unsigned locked)
{
  const char* before = " locked=\"";
  for (int i = 0; i < LOOP_NDIRECTION; i++) {
    if (!(locked & 1u << i)) continue;
    put(w, before);
    put(w, direction_words[i]);
    before = " ";
  }
  put(w, "\"");
}

static int has_law(const limb_time_law* law)
{
  return law->row != 0 || law->constant != 0 || law->rate != 0 || law->amplitude != 0 || law->frequency != 0 ||
         law->phase != 0;
}

static void put_law(const urdf_writer* w, const limb_time_law* law)
{
  put(w, "      <law row=\"");
  limb_urdf_put_number(w, law->row);
  put(w, "\"");
  limb_urdf_put_value(w, "constant", law->constant);
  limb_urdf_put_value(w, "rate", law->rate);
  limb_urdf_put_value(w, "amplitude", law->amplitude);
  limb_urdf_put_value(w, "frequency", law->frequency);
  limb_urdf_put_value(w, "phase", law->phase);
  put(w, "/>\n");
}

static void put_extension(const urdf_writer* w, const limb_loop_def* def)
{
  const limb_loop_kind kind = def->kind;
  const int law = has_law(&def->law), lock = kind == LIMB_LOOP_LOCK;
  const int distance = kind == LIMB_LOOP_DISTANCE;
  if (!law && !lock && !distance && !loop_has_radius(kind) && !loop_of_joints(kind)) return;
  put(w, "    <limb");
  if (lock) put_locked(w, def->locked);
  if (distance) limb_urdf_put_value(w, "length", def->length);
  if (loop_has_radius(kind)) limb_urdf_put_value(w, "radius", def->radius);
  if (loop_of_joints(kind)) {
    limb_urdf_put_text(w, "joint", joint_name(w, def->joint));
    limb_urdf_put_text(w, "other", joint_name(w, def->other));
  }
  if (kind == LIMB_LOOP_GEAR) {
    limb_urdf_put_value(w, "ratio", def->coefficient[1]);
    limb_urdf_put_value(w, "offset", def->coefficient[0]);
  }
  if (kind == LIMB_LOOP_POLYNOMIAL) put_coefficients(w, def);
  put(w, law ? ">\n" : "/>\n");
  if (!law) return;
  put_law(w, &def->law);
  put(w, "    </limb>\n");
}

static void put_loop(const urdf_writer* w, const limb_loop_def* def)
{
  put(w, "  <loop_joint");
  limb_urdf_put_text(w, "name", def->name);
  limb_urdf_put_text(w, "type", type_word(def->kind));
  put(w, ">\n");
  if (!loop_of_joints(def->kind)) {
    put_end(w, "link1", def->body_a, &def->pose_a);
    put_end(w, "link2", def->body_b, &def->pose_b);
  }
  if (has_axis(def->kind)) put(w, "    <axis xyz=\"0 0 1\"/>\n");
  put_extension(w, def);
  put(w, "  </loop_joint>\n");
}

void limb_urdf_put_loops(const urdf_writer* w)
{
  limb_loop_def def;
  for (int i = 0; limb_builder_get_loop(w->b, i, &def) == LIMB_OK; i++) {
    put_loop(w, &def);
    if (i > 0) continue;
    limb_report(w->findings, RULE_EXTENSION, (limb_mark){0, 0}, (limb_subject){"loop", def.name},
                "it is written as <loop_joint>, which few readers know%s",
                limb_builder_loop_count(w->b) > 1 ? ", and so are the others" : "");
  }
}
