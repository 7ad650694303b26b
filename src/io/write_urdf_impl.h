// What the parts of the URDF writer share.
#ifndef LIMB_WRITE_URDF_IMPL_H
#define LIMB_WRITE_URDF_IMPL_H

#include "limb/builder.h"
#include "limb/findings.h"
#include "limb/read.h"

// What is not of the standard, counted so that each kind is told once.
enum {
  USES_ROTOR,
  USES_GEAR,
  USES_SPRING,
  USES_PITCH,
  USES_AXIS2,
  USES_DRIVE,
  USES_SHAFT,
  USES_START,
  USES_TYPE,
  USES_COUNT
};

typedef struct urdf_writer {
  const limb_builder* b;
  limb_text_fn* write;
  void* context;
  limb_findings* findings;
  limb_base base; // how the root hangs on the world; AS_FILE: the world is a link of its own
  int uses[USES_COUNT];
  const char* first[USES_COUNT]; // the first joint that does
} urdf_writer;

static inline void put(const urdf_writer* w, const char* text) { w->write(w->context, text); }

static inline void use(urdf_writer* w, int what, const char* joint)
{
  if (w->uses[what]++ == 0) w->first[what] = joint;
}

static inline int zero3(sp_vec3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }

static inline const char* limb_urdf_body_name(const urdf_writer* w, int body)
{
  limb_body_def def;
  return limb_builder_get_body(w->b, body, &def) ? "" : def.name;
}

// ---- write_urdf_text.c ------------------------------------------------------------------------------

// ` name="value"`; text is escaped.
void limb_urdf_put_number(const urdf_writer* w, double x);
void limb_urdf_put_text(const urdf_writer* w, const char* name, const char* text);
void limb_urdf_put_value(const urdf_writer* w, const char* name, double x);
void limb_urdf_put_vector(const urdf_writer* w, const char* name, sp_vec3 x);

// A line with an element <origin>; nothing for the identity. 1: the rotation is the identity.
void limb_urdf_put_origin(const urdf_writer* w, const char* indent, const sp_pose* X);
int limb_urdf_no_turn(const sp_mat3* R);

// ---- write_urdf_check.c, write_urdf_loop.c ----------------------------------------------------------

// LIMB_OK; LIMB_E_UNSUPPORTED: the robot is no tree, or a name is no text that XML can hold.
limb_status limb_urdf_can_say(const limb_builder* b, limb_error* err);

// All loops, each as <loop_joint>.
void limb_urdf_put_loops(const urdf_writer* w);

#endif
