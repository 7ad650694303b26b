// What is reported about a compiled robot: the notes of the last step of compiling, and its Denavit-Hartenberg table.
//
// Notes are written twice by the same text: once to measure, once into a block of their own.

#include "base/memory.h"
#include "model/compile_impl.h"
#include "model/model_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- notes --------------------------------------------------------------------------------------------------

typedef struct pen {
  limb_note* note; // NULL: only counting
  char* text;
  int count;
  size_t used; // characters of text
} pen;

__attribute__((format(printf, 4, 5))) static void write_note(pen* out, limb_note_kind kind, const char* subject,
                                                             const char* format, ...)
{
  char line[400];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(line, sizeof line, format, args);
  va_end(args);
  const size_t size = strlen(line) + 1;
  if (out->note) {
    char* text = memcpy(out->text + out->used, line, size);
    out->note[out->count] = (limb_note){kind, subject, text};
  }
  out->count++;
  out->used += size;
}

static void note_bodies(const limb_model* m, pen* out)
{
  for (int b = 1; b < m->nbody; b++) {
    const limb_body* body = &m->body[b];
    if (body->carrier != b) {
      write_note(out, LIMB_NOTE_MERGED, body->name, "fixed to '%s'; computed with it, reported by its own name",
                 m->body[body->carrier].name);
    }
    const char* defect = limb_inertia_defect(&body->inertia);
    if (defect) {
      write_note(out, LIMB_NOTE_NONPHYSICAL, body->name,
                 "%s (mass %.9g, inertia about the centre of mass xx %.9g, yy %.9g, zz %.9g)", defect,
                 body->inertia.mass, body->inertia.xx, body->inertia.yy, body->inertia.zz);
    }
  }
}

static const char unlisted[] = "not among the parameters: theta, its regressors and base parameters leave them out";

static bool is_unlisted(const limb_joint_def* def)
{
  bool any = false;
  for (int k = 0; k < LIMB_JOINT_DOFS; k++) any |= def->armature[k] > 0 || def->damping[k] > 0;
  return any;
}

static void note_unlisted(const limb_model* m, pen* out)
{
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint_def* def = &m->joint[j].def;
    const bool ball = def->type == LIMB_SPHERICAL && def->stiffness > 0;
    if (is_unlisted(def) || ball)
      write_note(out, LIMB_NOTE_UNLISTED, def->name, "its armature, damping and spring are %s", unlisted);
  }
  for (int k = 0; k < limb_tendon_count(m); k++)
    write_note(out, LIMB_NOTE_UNLISTED, m->tendon[k].name, "the forces of this tendon are %s", unlisted);
}

static void note_joints(const limb_model* m, pen* out)
{
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    if (joint->nlink > 1) {
      write_note(out, LIMB_NOTE_LOWERED, joint->def.name, "%s joint computed as a chain of %d one-degree joints",
                 limb_joint_type_name(joint->def.type), joint->nlink);
    }
    if (joint->def.mimic >= 0) {
      write_note(out, LIMB_NOTE_MIMIC, joint->def.name,
                 "follows '%s': q = %.9g q + %.9g; it has no coordinate of its own",
                 m->joint[joint->def.mimic].def.name, joint->def.multiplier, joint->def.offset);
    }
  }
}

// A twist off 0 or 90 degrees by less than this is probably 1.5708 or 1.57079632679 in a file.
static const double SUSPICIOUS = 1e-4;

static void note_links(const limb_model* m, pen* out)
{
  for (int i = 0; i < m->nlink; i++) {
    const limb_link_f64* k = &m->k64[i];
    const uint8_t joint_class = m->link[i].joint_class;
    const bool general = joint_class == CLASS_ROT_TWIST || joint_class == CLASS_ROT_ANY;
    const double off = fmin(fabs(k->ca), fabs(k->sa));
    if (general && off > 0 && off < SUSPICIOUS) {
      write_note(out, LIMB_NOTE_NEARLY_SQUARE, m->joint[m->link[i].joint].def.name,
                 "its axis is %.3g rad off parallel or square to the one before: taken as given; if "
                 "that is rounded input, exact angles compute faster",
                 off);
    }
  }
}

// What regroup.c moves to the parent, by joint class; NULL: nothing.
static const char* indistinct(uint8_t joint_class)
{
  if (joint_class <= CLASS_ROT_ANY) return "mass, first and second moment on its axis";
  if (joint_class == CLASS_TRANS) return "second moments";
  return joint_class == CLASS_BALL ? "mass" : NULL;
}

static void note_regrouped(const limb_model* m, pen* out)
{
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    const char* what = indistinct(link->joint_class);
    if (!what) continue;
    const char* to = link->parent < 0 ? "the world" : m->joint[m->link[link->parent].joint].def.name;
    write_note(out, LIMB_NOTE_REGROUPED, m->joint[link->joint].def.name,
               "%s of what it moves computed as part of %s%s%s; the originals are kept for reactions "
               "and energies",
               what, link->parent < 0 ? "" : "what '", to, link->parent < 0 ? "" : "' moves");
  }
}

static bool is_weightless(const limb_model* m, const limb_joint* joint)
{
  bool weightless = false;
  for (int k = 0; k < joint->nv; k++) weightless |= m->weightless[joint->v + k];
  return weightless;
}

// Joints that move no inertia, not even a rotor; followers have no coordinate to be singular in. Loops may hold them.
static bool moves_nothing(const limb_model* m, const limb_joint* joint)
{
  bool loaded = joint->def.rotor_inertia > 0 || joint->def.mimic >= 0;
  for (int k = 0; k < LIMB_JOINT_DOFS; k++) loaded |= joint->def.armature[k] > 0;
  for (int i = joint->link; i < joint->link + joint->nlink; i++) loaded |= m->link[i].loaded;
  return !loaded && joint->nlink > 0 && (m->nloop == 0 || m->nv > LIMB_WEIGHTLESS_MAX || is_weightless(m, joint));
}

enum { NAMED = 6 };

// Joints that move something each, but can move together without moving anything.
static void note_weightless(const limb_model* m, pen* out)
{
  char names[256] = "";
  size_t used = 0;
  const limb_joint* first = NULL;
  int count = 0;
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    if (!is_weightless(m, joint) || moves_nothing(m, joint)) continue;
    if (!first) first = joint;
    if (++count > NAMED || used >= sizeof names) continue;
    const int n = snprintf(names + used, sizeof names - used, "%s'%.24s'", count > 1 ? ", " : "", joint->def.name);
    used += (size_t)n;
  }
  if (!first) return;
  write_note(out, LIMB_NOTE_MASSLESS, first->def.name,
             "%s%s can move%s without moving any inertia, wherever the robot is: the mass matrix is singular and "
             "forward dynamics has no answer",
             names, count > NAMED ? " and others" : "", count > 1 ? " together" : "");
}

static void note_massless(const limb_model* m, pen* out)
{
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    if (!moves_nothing(m, joint)) continue;
    write_note(out, LIMB_NOTE_MASSLESS, joint->def.name,
               "it moves no inertia, not by body '%s' nor by what is behind it: the mass matrix is "
               "singular and forward dynamics has no answer",
               m->body[joint->def.child].name);
  }
  note_weightless(m, out);
}

static void write_all(const limb_model* m, pen* out)
{
  note_bodies(m, out);
  note_joints(m, out);
  note_unlisted(m, out);
  note_links(m, out);
  note_regrouped(m, out);
  note_massless(m, out);
}

limb_status limb_write_notes(limb_model* m)
{
  pen measure = {0};
  write_all(m, &measure);
  if (measure.count == 0) return LIMB_OK;
  const size_t notes = (size_t)measure.count * sizeof(limb_note);
  m->note_size = notes + measure.used;
  m->note = limb_alloc(&m->alloc, m->note_size);
  if (!m->note) return LIMB_E_NOMEM;
  pen write = {.note = m->note, .text = (char*)m->note + notes};
  write_all(m, &write);
  m->nnote = write.count;
  return LIMB_OK;
}

// ---- table of Denavit-Hartenberg parameters -----------------------------------------------------------------

// The compiled robot as a table of modified Denavit-Hartenberg parameters with the two parameters of trees
// (Khalil 2010, section 2.1). The compiler keeps a general offset p instead of b, d and r (model/link.h).

static void to_parameters(const limb_moments* s, double theta[10])
{
  theta[0] = s->m;
  theta[1] = s->hx, theta[2] = s->hy, theta[3] = s->hz;
  theta[4] = s->yy + s->zz, theta[5] = 0 - s->xy, theta[6] = 0 - s->xz; // no -0
  theta[7] = s->xx + s->zz, theta[8] = 0 - s->yz, theta[9] = s->xx + s->yy;
}

static limb_joint_type type_of(uint8_t joint_class)
{
  switch (joint_class) {
  case CLASS_TRANS: return LIMB_PRISMATIC;
  case CLASS_SCREW: return LIMB_HELICAL;
  case CLASS_BALL: return LIMB_SPHERICAL;
  case CLASS_FREE: return LIMB_FREE;
  default: return LIMB_REVOLUTE;
  }
}

int limb_mdh_count(const limb_model* m) { return m ? m->nlink : 0; }

limb_status limb_get_mdh(const limb_model* m, int index, limb_mdh_row* out)
{
  if (!m || !out || index < 0 || index >= m->nlink) return LIMB_E_ARG;
  const limb_link* link = &m->link[index];
  const limb_link_f64* k = &m->k64[index];
  const limb_moments grouped = {k->m, k->hx, k->hy, k->hz, k->xx, k->xy, k->xz, k->yy, k->yz, k->zz};
  const sp_pose rest = limb_rest_pose(m, index);
  const sp_pose T = link->parent < 0 ? sp_compose(m->base[link->root], rest) : rest;
  *out = (limb_mdh_row){.joint = link->joint,
                        .antecedent = link->parent,
                        .type = type_of(link->joint_class),
                        .q = link->q,
                        .multiplier = k->mult,
                        .pitch = k->pitch};
  const limb_mdh row = limb_mdh_of_pose(T);
  out->gamma = row.gamma, out->b = row.b, out->alpha = row.alpha;
  out->d = row.d, out->theta = row.theta, out->r = row.r;
  if (out->type == LIMB_PRISMATIC) {
    out->r += k->off;
  } else if (link->aux < 0) {
    out->theta = remainder(out->theta + k->off, 4 * acos(0.0)); // within half a turn
    out->r += k->pitch * k->off;
  }
  to_parameters(&m->inertia[index], out->inertia);
  to_parameters(&grouped, out->grouped);
  return LIMB_OK;
}
