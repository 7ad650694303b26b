// A URDF file with the inertias, friction, rotors and placements of joints of another robot of the same parts: the
// numbers are replaced in the text, all other bytes stay.
//
// The file is read anew; what differs from the robot is an edit: bytes that go, and a text in their place. <inertial>
// keeps the axes of its <origin>; an element or attribute that is missing is inserted.
#include "limb/read.h"
#include "limb/spatial.h"

#include "base/number.h"
#include "base/status.h"
#include "io/doctor.h"
#include "io/file_text.h"
#include "io/geometry.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct edit {
  size_t byte, bytes; // that go
  char text[480];     // in their place
} edit;

typedef struct rewriter {
  const limb_builder *robot, *file;
  const char* text;
  memory_pool pool;
  edit* edit;
  int count, capacity;
  int failed; // out of memory
} rewriter;

static edit* add(rewriter* w, size_t byte, size_t bytes)
{
  edit* more = limb_mempool_grow(&w->pool, w->edit, &w->capacity, w->count, sizeof *more);
  if (!more) {
    w->failed = 1;
    return NULL;
  }
  w->edit = more;
  edit* e = &w->edit[w->count++];
  *e = (edit){.byte = byte, .bytes = bytes};
  return e;
}

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static void
replace(rewriter* w, size_t byte, size_t bytes, const char* format, ...)
{
  edit* e = add(w, byte, bytes);
  va_list arguments;
  va_start(arguments, format);
  if (e) (void)vsnprintf(e->text, sizeof e->text, format, arguments);
  va_end(arguments);
}

// ---- tags -----------------------------------------------------------------------------------------

// The value of an attribute in a start tag, which expat has accepted; bytes: its length. NULL: not there.
static const char* value_of(const char* tag, const char* end, const char* name, size_t* bytes)
{
  const char* p = tag;
  while (p < end && !strchr(" \t\r\n/>", *p)) p++; // "<inertia"
  for (;;) {
    while (p < end && strchr(" \t\r\n", *p)) p++;
    const char* start = p;
    while (p < end && !strchr("= \t\r\n/>", *p)) p++;
    const size_t length = (size_t)(p - start);
    while (p < end && *p != '"' && *p != '\'') p++;
    if (length == 0 || p >= end) return NULL;
    const char quote = *p++;
    const char* value = p;
    while (p < end && *p != quote) p++;
    *bytes = (size_t)(p - value);
    if (length == strlen(name) && memcmp(start, name, length) == 0) return value;
    if (p < end) p++;
  }
}

// Where an attribute can be added: behind the last one.
static size_t end_of_attributes(const rewriter* w, const xml_node* n)
{
  size_t end = n->byte + n->bytes;
  while (end > n->byte && strchr("/> \t\r\n", w->text[end - 1])) end--;
  return end;
}

static void set(rewriter* w, const xml_node* n, const char* name, const char* value)
{
  size_t bytes = 0;
  const char *tag = w->text + n->byte, *old = value_of(tag, tag + n->bytes, name, &bytes);
  if (old) replace(w, (size_t)(old - w->text), bytes, "%s", value);
  if (!old) replace(w, end_of_attributes(w, n), 0, " %s=\"%s\"", name, value);
}

static int is_empty_tag(const rewriter* w, const xml_node* n) { return w->text[n->byte + n->bytes - 2] == '/'; }

// An element as the first child of another, on a line of its own.
static void insert(rewriter* w, const xml_node* parent, const char* child)
{
  const size_t end = parent->byte + parent->bytes;
  const char* name = parent->name;
  if (is_empty_tag(w, parent))
    replace(w, end - 2, 2, ">\n    %s\n  </%s>", child, name);
  else
    replace(w, end, 0, "\n    %s", child);
}

// ---- links ----------------------------------------------------------------------------------------

static int same(double a, double b, double size) { return fabs(a - b) <= 1e-14 * size; }

static int same_inertia(const sp_inertia* a, const sp_inertia* b)
{
  double x[6], y[6], size = 0;
  limb_get_moments(a, x), limb_get_moments(b, y);
  int alike = same(a->mass, b->mass, fabs(a->mass)) && same(a->com.x, b->com.x, 1) && same(a->com.y, b->com.y, 1) &&
              same(a->com.z, b->com.z, 1);
  for (int k = 0; k < 6; k++) size = fmax(size, fabs(x[k]));
  for (int k = 0; k < 6; k++) alike = alike && same(x[k], y[k], size);
  return alike;
}

static void print_vector(sp_vec3 a, char text[3 * LIMB_NUMBER_SPACE])
{
  (void)snprintf(text, 3 * LIMB_NUMBER_SPACE, "%s %s %s", limb_show(a.x).text, limb_show(a.y).text,
                 limb_show(a.z).text);
}

static void insert_inertial(rewriter* w, const xml_node* link, const sp_inertia* Y)
{
  char com[3 * LIMB_NUMBER_SPACE], text[460];
  double I[6];
  print_vector(Y->com, com);
  limb_get_moments(Y, I);
  (void)snprintf(text, sizeof text,
                 "<inertial><origin xyz=\"%s\"/><mass value=\"%s\"/><inertia ixx=\"%s\" ixy=\"%s\" ixz=\"%s\" "
                 "iyy=\"%s\" iyz=\"%s\" izz=\"%s\"/></inertial>",
                 com, limb_show(Y->mass).text, limb_show(I[0]).text, limb_show(I[1]).text, limb_show(I[2]).text,
                 limb_show(I[3]).text, limb_show(I[4]).text, limb_show(I[5]).text);
  insert(w, link, text);
}

// The axes of <inertial>, as the file has them: R with I_link = R I R'.
static inertia_tag axes_of(const xml_node* origin)
{
  inertia_tag tag = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const char* rpy = origin ? limb_xml_get(origin, "rpy") : NULL;
  double a[3] = {0, 0, 0};
  for (int k = 0; rpy && k < 3; k++) {
    while (*rpy && strchr(" \t\r\n", *rpy)) rpy++;
    rpy = limb_scan_number(rpy, rpy + strlen(rpy), &a[k]);
  }
  const sp_mat3 R = sp_rot_rpy(a[0], a[1], a[2]);
  memcpy(tag.R, R.m, sizeof tag.R);
  return tag;
}

static void rewrite_inertial(rewriter* w, const xml_node* inertial, const sp_inertia* Y)
{
  const xml_node *origin = limb_xml_child(inertial, "origin"), *mass = limb_xml_child(inertial, "mass");
  const xml_node* moments = limb_xml_child(inertial, "inertia");
  const inertia_tag axes = axes_of(origin);
  char com[3 * LIMB_NUMBER_SPACE], text[3 * LIMB_NUMBER_SPACE + 32];
  double I[6];
  print_vector(Y->com, com);
  limb_tag_from_body(&axes, Y, I);
  (void)snprintf(text, sizeof text, "<origin xyz=\"%s\"/>", com);
  if (origin) set(w, origin, "xyz", com);
  if (!origin && !limb_is_zero(Y->com)) insert(w, inertial, text);
  if (mass) set(w, mass, "value", limb_show(Y->mass).text);
  for (int k = 0; k < 6 && moments; k++)
    if (I[k] != 0 || limb_xml_get(moments, limb_tag_names[k])) set(w, moments, limb_tag_names[k], limb_show(I[k]).text);
  char all[6 * LIMB_NUMBER_SPACE + 64];
  (void)snprintf(all, sizeof all, "<inertia ixx=\"%s\" ixy=\"%s\" ixz=\"%s\" iyy=\"%s\" iyz=\"%s\" izz=\"%s\"/>",
                 limb_show(I[0]).text, limb_show(I[1]).text, limb_show(I[2]).text, limb_show(I[3]).text,
                 limb_show(I[4]).text, limb_show(I[5]).text);
  if (!moments) insert(w, inertial, all);
}

static void rewrite_link(rewriter* w, const xml_node* link)
{
  const char* name = limb_xml_get(link, "name");
  limb_body_def old, new;
  if (!name || limb_builder_get_body(w->file, limb_builder_find_body(w->file, name), &old) != LIMB_OK) return;
  if (limb_builder_get_body(w->robot, limb_builder_find_body(w->robot, name), &new) != LIMB_OK) return;
  const xml_node* inertial = limb_xml_child(link, "inertial");
  if (same_inertia(&old.inertia, &new.inertia)) return;
  if (inertial)
    rewrite_inertial(w, inertial, &new.inertia);
  else
    insert_inertial(w, link, &new.inertia);
}

// ---- joints ---------------------------------------------------------------------------------------

// <origin> of a joint: its pose in the link before it.
static void rewrite_origin(rewriter* w, const xml_node* joint, const sp_pose* old, const sp_pose* new)
{
  const xml_node* origin = limb_xml_child(joint, "origin");
  const sp_vec3 moved = sp_sub3(new->p, old->p);
  char xyz[3 * LIMB_NUMBER_SPACE], rpy[3 * LIMB_NUMBER_SPACE], text[6 * LIMB_NUMBER_SPACE + 32];
  double turned = 0;
  for (int k = 0; k < 9; k++) turned = fmax(turned, fabs(new->R.m[k] - old->R.m[k]));
  const int moves = sp_dot3(moved, moved) > 1e-28, turns = turned > 1e-14;
  print_vector(new->p, xyz), print_vector(sp_rpy_rot(new->R), rpy);
  (void)snprintf(text, sizeof text, "<origin xyz=\"%s\" rpy=\"%s\"/>", xyz, rpy);
  if (!origin && (moves || turns)) insert(w, joint, text);
  if (origin && moves) set(w, origin, "xyz", xyz);
  if (origin && turns) set(w, origin, "rpy", rpy);
}

static void rewrite_joint(rewriter* w, const xml_node* joint)
{
  const char* name = limb_xml_get(joint, "name");
  limb_joint_def old, new;
  char text[3 * LIMB_NUMBER_SPACE + 64];
  if (!name || limb_builder_get_joint(w->file, limb_builder_find_joint(w->file, name), &old) != LIMB_OK) return;
  if (limb_builder_get_joint(w->robot, limb_builder_find_joint(w->robot, name), &new) != LIMB_OK) return;
  rewrite_origin(w, joint, &old.placement, &new.placement);
  const xml_node *dynamics = limb_xml_child(joint, "dynamics"), *own = limb_xml_child(joint, "limb");
  if (dynamics && new.viscous != old.viscous) set(w, dynamics, "damping", limb_show(new.viscous).text);
  if (dynamics && new.coulomb != old.coulomb) set(w, dynamics, "friction", limb_show(new.coulomb).text);
  if (!dynamics && (new.viscous != old.viscous || new.coulomb != old.coulomb)) {
    (void)snprintf(text, sizeof text, "<dynamics damping=\"%s\" friction=\"%s\"/>", limb_show(new.viscous).text,
                   limb_show(new.coulomb).text);
    insert(w, joint, text);
  }
  const struct {
    const char* name;
    double old, new;
  } value[3] = {{"rotor_inertia", old.rotor_inertia, new.rotor_inertia},
                {"stiffness", old.stiffness, new.stiffness},
                {"rest", old.rest, new.rest}};
  size_t used = 0;
  for (int k = 0; k < 3; k++) {
    if (value[k].old == value[k].new) continue;
    if (own) set(w, own, value[k].name, limb_show(value[k].new).text);
    const int n = snprintf(text + used, sizeof text - used, " %s=\"%s\"", value[k].name, limb_show(value[k].new).text);
    used += n > 0 ? (size_t)n : 0;
  }
  if (used == 0 || own) return;
  char element[sizeof text + 16];
  (void)snprintf(element, sizeof element, "<limb%s/>", text);
  insert(w, joint, element);
}

// ---- the file -------------------------------------------------------------------------------------

static int by_byte(const void* a, const void* b)
{
  const edit *x = a, *y = b;
  return (x->byte > y->byte) - (x->byte < y->byte);
}

static void put(rewriter* w, size_t size, limb_text_fn* write, void* context)
{
  size_t done = 0;
  if (w->count > 0) qsort(w->edit, (size_t)w->count, sizeof *w->edit, by_byte);
  for (int i = 0; i <= w->count; i++) {
    const size_t end = i < w->count ? w->edit[i].byte : size;
    char piece[2048];
    while (done < end) {
      const size_t n = end - done < sizeof piece - 1 ? end - done : sizeof piece - 1;
      memcpy(piece, w->text + done, n);
      piece[n] = 0;
      write(context, piece);
      done += n;
    }
    if (i == w->count) break;
    write(context, w->edit[i].text);
    done += w->edit[i].bytes;
  }
}

static limb_status rewrite(rewriter* w, const limb_reading* r, limb_text_fn* write, void* context)
{
  limb_findings* ignored = NULL;
  limb_status s = limb_findings_create(NULL, &ignored);
  const xml_node* root = s == LIMB_OK ? limb_xml_parse(w->text, r->source.size, 0, NULL, &w->pool, ignored) : NULL;
  if (s == LIMB_OK && !root) s = LIMB_E_NOMEM; // it was read before
  for (const xml_node* n = root ? root->first : NULL; n; n = n->next) {
    if (strcmp(n->name, "link") == 0) rewrite_link(w, n);
    if (strcmp(n->name, "joint") == 0) rewrite_joint(w, n);
  }
  limb_findings_destroy(ignored);
  if (s == LIMB_OK && w->failed) s = LIMB_E_NOMEM;
  if (s == LIMB_OK) put(w, r->source.size, write, context);
  return s;
}

limb_status limb_write_in_place(const limb_reading* r, const limb_builder* b, limb_text_fn* write, void* context,
                                limb_error* err)
{
  if (!r || !b || !write) return limb_fail(err, LIMB_E_ARG, "reading", "there is no robot to write");
  if (r->format != LIMB_FORMAT_URDF || r->source.expanded || memchr(r->source.text, 0, r->source.size))
    return limb_fail(err, LIMB_E_UNSUPPORTED, r->source.name,
                     "only a URDF in UTF-8, without xacro, can be changed in place: use limb_write");
  limb_reading* again = NULL;
  limb_status s = limb_read_text(r->source.text, r->source.size, r->source.name, NULL, &again, err);
  if (s != LIMB_OK) return s;
  rewriter w = {.robot = b, .file = limb_reading_builder(again), .text = r->source.text};
  w.pool = limb_mempool_make(&r->alloc);
  s = w.file ? rewrite(&w, r, write, context) : LIMB_E_MODEL;
  limb_mempool_free(&w.pool);
  limb_reading_destroy(again);
  return s == LIMB_OK ? s : limb_fail(err, s, r->source.name, "%s", limb_status_text(s));
}
