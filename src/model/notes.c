// Last step of compiling: the report.
//
// Notes are written twice by the same text: once to measure, once into a block of their own.

#include "base/memory.h"
#include "model/compile_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

// Joints that move no inertia, not even a rotor; followers have no coordinate to be singular in.
static void note_massless(const limb_model* m, pen* out)
{
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    bool loaded = true;
    for (int i = joint->link; i < joint->link + joint->nlink; i++) loaded &= m->link[i].loaded;
    if (loaded || joint->def.rotor_inertia > 0 || joint->def.mimic >= 0) continue;
    write_note(out, LIMB_NOTE_MASSLESS, joint->def.name,
               "it moves no inertia, not by body '%s' nor by what is behind it: the mass matrix is "
               "singular and forward dynamics has no answer%s",
               m->body[joint->def.child].name, m->nloop > 0 ? ", unless loops hold the joint" : "");
  }
}

static void write_all(const limb_model* m, pen* out)
{
  note_bodies(m, out);
  note_joints(m, out);
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
