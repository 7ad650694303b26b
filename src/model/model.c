// What a model answers about itself: sizes, names, properties, the compiler's report.
#include "limb/model.h"

#include "limb/dynamics.h"

#include "base/memory.h"
#include "model/model_impl.h"

#include <stdio.h>
#include <string.h>

void limb_model_destroy(limb_model* m)
{
  if (!m) return;
  const limb_allocator alloc = m->alloc; // m itself lives in the block
  limb_free(&alloc, m->note, m->note_size);
  limb_free_clusters(m);
  void* block = m->block;
  const size_t size = m->block_size;
  limb_arena_release(block, size);
  limb_free(&alloc, block, size);
}

// ---- sizes and names ----------------------------------------------------------------------------------------

const char* limb_model_name(const limb_model* m) { return m ? m->name : NULL; }

int limb_nq(const limb_model* m) { return m ? m->nq : 0; }

int limb_nv(const limb_model* m) { return m ? m->nv : 0; }

int limb_body_count(const limb_model* m) { return m ? m->nbody : 0; }

int limb_joint_count(const limb_model* m) { return m ? m->njoint : 0; }

int limb_frame_count(const limb_model* m) { return m ? m->nbody + m->nframe : 0; }

sp_vec3 limb_model_gravity(const limb_model* m) { return m ? m->gravity : sp_v3(0, 0, 0); }

double limb_model_loop_tolerance(const limb_model* m) { return m ? m->loop_tolerance : 0; }

double limb_total_mass(const limb_model* m) { return m ? m->total_mass : 0; }

static const char* body_name(const void* m, int i) { return ((const limb_model*)m)->body[i].name; }

static const char* joint_name(const void* m, int i) { return ((const limb_model*)m)->joint[i].def.name; }

static const char* frame_name(const void* m, int i) { return ((const limb_model*)m)->frame[i].name; }

static const char* loop_name(const void* m, int i) { return ((const limb_model*)m)->loop[i].def.name; }

int limb_find_body(const limb_model* m, const char* name)
{
  return m && name ? limb_names_find(&m->body_names, name, body_name, m) : -1;
}

int limb_find_joint(const limb_model* m, const char* name)
{
  return m && name ? limb_names_find(&m->joint_names, name, joint_name, m) : -1;
}

int limb_find_frame(const limb_model* m, const char* name)
{
  const int body = limb_find_body(m, name);
  if (body >= 0 || !m || !name) return body;
  const int frame = limb_names_find(&m->frame_names, name, frame_name, m);
  return frame >= 0 ? m->nbody + frame : -1;
}

int limb_find_loop(const limb_model* m, const char* name)
{
  return m && m->nloop > 0 && name ? limb_names_find(&m->loop_names, name, loop_name, m) : -1;
}

const limb_model* limb_spanning_tree(const limb_model* m) { return m && m->tree ? m->tree : m; }

// ---- properties ---------------------------------------------------------------------------------------------

limb_status limb_get_body(const limb_model* m, int body, limb_body_info* out)
{
  if (!m || !out || body < 0 || body >= m->nbody) return LIMB_E_ARG;
  const limb_body* b = &m->body[body];
  *out = (limb_body_info){
    .name = b->name, .parent = b->parent, .joint = b->joint, .moved_by = b->carrier, .inertia = b->inertia};
  return LIMB_OK;
}

// ---- what readers added -------------------------------------------------------------------------------------

// 1 if text is name with the suffix.
static int is_suffixed(const char* text, const char* name, const char* suffix)
{
  const size_t n = strlen(name);
  return strncmp(text, name, n) == 0 && strcmp(text + n, suffix) == 0;
}

int limb_joint_is_auxiliary(const limb_model* m, int joint)
{
  limb_joint_info x;
  limb_body_info parent, child;
  return limb_get_joint(m, joint, &x) == LIMB_OK && x.def.type == LIMB_FIXED &&
         limb_get_body(m, x.def.parent, &parent) == LIMB_OK && limb_get_body(m, x.def.child, &child) == LIMB_OK &&
         parent.inertia.mass == 0 && is_suffixed(parent.name, child.name, ".axis") &&
         is_suffixed(x.def.name, child.name, ".offset");
}

// "NAME.axis", with the joint "NAME.offset".
int limb_stands_for(const limb_model* m, int body)
{
  limb_body_info x, named;
  if (body <= 0 || limb_get_body(m, body, &x) != LIMB_OK || x.inertia.mass != 0) return -1;
  const char* dot = strrchr(x.name, '.');
  if (!dot || strcmp(dot, ".axis") != 0) return -1;
  for (int b = 1; b < limb_body_count(m); b++) {
    if (limb_get_body(m, b, &named) != LIMB_OK || named.parent != body) continue;
    if (limb_joint_is_auxiliary(m, named.joint)) return b;
  }
  return -1;
}

static const char* any_frame_name(const void* model, int i)
{
  limb_frame_info info;
  return limb_get_frame(model, i, &info) == LIMB_OK ? info.name : "";
}

const char* limb_frame_hint(const limb_model* m, const char* wrong, char text[LIMB_FRAME_HINT])
{
  if (text) text[0] = 0;
  if (!m || !wrong || !text) return text;
  const int joint = limb_find_joint(m, wrong);
  if (joint >= 0) {
    const int child = m->joint[joint].def.child, own = limb_stands_for(m, child);
    (void)snprintf(text, LIMB_FRAME_HINT, "; the joint of that name carries '%.100s'",
                   m->body[own >= 0 ? own : child].name);
    return text;
  }
  const char* near = limb_nearest(wrong, limb_frame_count(m), any_frame_name, m);
  if (near) (void)snprintf(text, LIMB_FRAME_HINT, "; did you mean '%.100s'?", near);
  return text;
}

// The bodies that a body carries directly.
static int children(const limb_model* m, int body)
{
  int n = 0;
  for (int b = 1; b < m->nbody; b++) n += m->body[b].parent == body;
  return n;
}

int limb_described_bodies(const limb_model* m, int* body)
{
  int n = 0;
  for (int b = 1; m && b < m->nbody; b++) {
    if (limb_stands_for(m, b) >= 0 && children(m, b) == 1) continue;
    if (body) body[n] = b;
    n++;
  }
  return n;
}

limb_status limb_get_joint(const limb_model* m, int joint, limb_joint_info* out)
{
  if (!m || !out || joint < 0 || joint >= m->njoint) return LIMB_E_ARG;
  const limb_joint* j = &m->joint[joint];
  *out = (limb_joint_info){.def = j->def,
                           .q = j->q,
                           .nq = j->nq,
                           .v = j->v,
                           .nv = j->nv,
                           .multiplier = j->multiplier,
                           .offset = j->offset,
                           .passive = j->passive,
                           .shaft = j->shaft};
  return LIMB_OK;
}

int limb_shaft_count(const limb_model* m) { return m ? m->nshaft : 0; }

limb_status limb_get_shaft(const limb_model* m, int shaft, limb_shaft_def* out)
{
  if (!m || !out || shaft < 0 || shaft >= m->nshaft) return LIMB_E_ARG;
  *out = m->shaft[shaft].def;
  return LIMB_OK;
}

int limb_loop_count(const limb_model* m) { return m ? m->nloop : 0; }

int limb_constraint_count(const limb_model* m) { return m ? m->nrow : 0; }

limb_status limb_get_loop(const limb_model* m, int loop, limb_loop_info* out)
{
  if (!m || !out || loop < 0 || loop >= m->nloop) return LIMB_E_ARG;
  const limb_loop* l = &m->loop[loop];
  *out = (limb_loop_info){.def = l->def, .constraint = l->row, .nconstraint = l->nrow, .holonomic = l->holonomic};
  return LIMB_OK;
}

limb_status limb_get_frame(const limb_model* m, int frame, limb_frame_info* out)
{
  if (!m || !out || frame < 0 || frame >= limb_frame_count(m)) return LIMB_E_ARG;
  if (frame < m->nbody) {
    *out = (limb_frame_info){m->body[frame].name, frame, sp_pose_identity()};
  } else {
    const limb_frame* f = &m->frame[frame - m->nbody];
    *out = (limb_frame_info){f->name, f->body, f->pose};
  }
  return LIMB_OK;
}

// ---- joint types --------------------------------------------------------------------------------------------

// Names of the components, in the joint's own terms: z is the axis, x and y span the plane.
static const char* const q_suffix[][8] = {
  [LIMB_FIXED] = {NULL},
  [LIMB_REVOLUTE] = {"", NULL},
  [LIMB_PRISMATIC] = {"", NULL},
  [LIMB_HELICAL] = {"", NULL},
  [LIMB_CYLINDRICAL] = {".rz", ".pz", NULL},
  [LIMB_UNIVERSAL] = {".r1", ".r2", NULL},
  [LIMB_PLANAR] = {".px", ".py", ".rz", NULL},
  [LIMB_SPHERICAL] = {".qx", ".qy", ".qz", ".qw", NULL},
  [LIMB_FREE] = {".px", ".py", ".pz", ".qx", ".qy", ".qz", ".qw", NULL},
};

static const char* const v_suffix[][8] = {
  [LIMB_FIXED] = {NULL},
  [LIMB_REVOLUTE] = {"", NULL},
  [LIMB_PRISMATIC] = {"", NULL},
  [LIMB_HELICAL] = {"", NULL},
  [LIMB_CYLINDRICAL] = {".wz", ".vz", NULL},
  [LIMB_UNIVERSAL] = {".w1", ".w2", NULL},
  [LIMB_PLANAR] = {".vx", ".vy", ".wz", NULL},
  [LIMB_SPHERICAL] = {".wx", ".wy", ".wz", NULL},
  [LIMB_FREE] = {".wx", ".wy", ".wz", ".vx", ".vy", ".vz", NULL},
};

const char* limb_joint_type_name(limb_joint_type type)
{
  switch (type) {
#define LIMB_X(name, value, text, nq, nv) \
  case LIMB_##name: return text;
    LIMB_JOINT_LIST(LIMB_X)
#undef LIMB_X
  }
  return NULL;
}

const char* limb_q_suffix(limb_joint_type type, int k)
{
  return limb_joint_type_name(type) && k >= 0 && k < 8 ? q_suffix[type][k] : NULL;
}

const char* limb_v_suffix(limb_joint_type type, int k)
{
  return limb_joint_type_name(type) && k >= 0 && k < 8 ? v_suffix[type][k] : NULL;
}

// ---- report -------------------------------------------------------------------------------------------------

int limb_model_note_count(const limb_model* m) { return m ? m->nnote : 0; }

limb_status limb_model_note(const limb_model* m, int index, limb_note* out)
{
  if (!m || !out || index < 0 || index >= m->nnote) return LIMB_E_ARG;
  *out = m->note[index];
  return LIMB_OK;
}

const char* limb_note_kind_name(limb_note_kind kind)
{
  switch (kind) {
  case LIMB_NOTE_MERGED: return "merged";
  case LIMB_NOTE_LOWERED: return "lowered";
  case LIMB_NOTE_REGROUPED: return "regrouped";
  case LIMB_NOTE_MASSLESS: return "massless";
  case LIMB_NOTE_NONPHYSICAL: return "non-physical";
  case LIMB_NOTE_MIMIC: return "mimic";
  case LIMB_NOTE_NEARLY_SQUARE: return "nearly square";
  case LIMB_NOTE_UNLISTED: return "unlisted";
  }
  return NULL;
}

limb_status limb_model_report(const limb_model* m, limb_text_fn* write, void* context)
{
  if (!m || !write) return LIMB_E_ARG;
  for (int i = 0; i < m->nnote; i++) {
    const limb_note* n = &m->note[i];
    const char* const line[] = {limb_note_kind_name(n->kind), ": ", n->subject, ": ", n->text, "\n"};
    for (size_t k = 0; k < sizeof line / sizeof line[0]; k++) write(context, line[k]);
  }
  return LIMB_OK;
}

limb_site limb_site_of(const limb_model* m, int frame)
{
  const limb_frame* added = frame < m->nbody ? NULL : &m->frame[frame - m->nbody];
  const limb_body* body = &m->body[added ? added->body : frame];
  const limb_site s = {body->link, added ? sp_compose(body->in_link, added->pose) : body->in_link};
  return s;
}

// ---- which degrees of freedom have their force given, and which their acceleration ---------------------------

static void mark(const limb_joint* joint, limb_given how, unsigned char* given)
{
  if (joint->nv > 0) memset(given + joint->v, (int)how, (size_t)joint->nv);
}

int limb_count_given(const limb_model* m, const unsigned char* given, limb_given how)
{
  if (!m || !given) return -1;
  int count = 0;
  for (int k = 0; k < m->nv; k++) count += given[k] == how;
  return count;
}

limb_status limb_given_for_passive(const limb_model* m, unsigned char* given)
{
  if (!m || !given) return LIMB_E_ARG;
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    mark(joint, joint->passive ? LIMB_FORCE_GIVEN : LIMB_ACCELERATION_GIVEN, given);
  }
  return LIMB_OK;
}

// Whether a body is the world, fixed to it, or moved by a joint that was marked as one of the base.
static bool on_base(const limb_model* m, int body, const unsigned char* given)
{
  const int carrier = m->body[body].carrier;
  if (carrier == LIMB_WORLD_BODY) return true;
  const limb_joint* joint = &m->joint[m->body[carrier].joint];
  return joint->nv > 0 && given[joint->v] == LIMB_FORCE_GIVEN;
}

limb_status limb_given_for_base(const limb_model* m, unsigned char* given)
{
  if (!m || !given) return LIMB_E_ARG;
  for (int k = 1; k < m->nbody; k++) { // parents first
    const limb_body* body = &m->body[m->body_order[k]];
    const limb_joint* joint = &m->joint[body->joint];
    const bool held = m->nloop > 0 && joint->nv > 0 && m->clusters.of_v[joint->v] >= 0; // by loops
    const bool floats = joint->passive && !held && joint->shaft < 0 && on_base(m, body->parent, given);
    mark(joint, floats ? LIMB_FORCE_GIVEN : LIMB_ACCELERATION_GIVEN, given);
  }
  return LIMB_OK;
}

limb_status limb_given_for_elastic(const limb_model* m, unsigned char* given)
{
  if (!m || !given) return LIMB_E_ARG;
  memset(given, LIMB_ACCELERATION_GIVEN, (size_t)m->nv);
  for (int j = 0; j < m->njoint; j++) {                        // a mimic joint's spring is one of its source
    const int count = m->joint[j].nv > 1 ? m->joint[j].nv : 1; // a ball's spring is about all axes
    if (m->joint[j].def.stiffness > 0) memset(given + m->joint[j].v, LIMB_FORCE_GIVEN, (size_t)count);
  }
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    if (joint->nv == 0) continue;
    if (joint->shaft >= 0)
      given[joint->v] = LIMB_FORCE_GIVEN;
    else if (!joint->passive)
      memset(given + joint->v, LIMB_ACCELERATION_GIVEN, (size_t)joint->nv);
  }
  return LIMB_OK;
}

limb_status limb_set_given(const limb_model* m, int joint, limb_given how, unsigned char* given)
{
  if (!m || !given || joint < 0 || joint >= m->njoint) return LIMB_E_ARG;
  if (how != LIMB_FORCE_GIVEN && how != LIMB_ACCELERATION_GIVEN) return LIMB_E_ARG;
  if (m->joint[joint].def.mimic >= 0) return LIMB_E_ARG;
  mark(&m->joint[joint], how, given);
  return LIMB_OK;
}
