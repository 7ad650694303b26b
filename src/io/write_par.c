// Writing .par files of SYMORO: a tree of revolute and prismatic joints, a fixed or floating base, and loops that a cut
// joint closes. Fixed bodies are parts of what carries them; links and joints are numbered.
//
// The frame of link j has its z axis on joint j, and is that of the body where that has it already
// (limb_builder_with_mdh makes such bodies). Any pose in the antecedent is a row
//     Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r).
#include "base/memory.h"
#include "base/status.h"
#include "io/file_text.h"
#include "io/geometry.h"
#include "io/reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const file_pos nowhere = {0, 0, 0};

// A link: a moving joint with all that is fixed to its child. Link 0 is the base.
typedef struct par_link {
  limb_joint_def joint;
  int ant;
  sp_pose X; // of its frame in that of the antecedent, at q = 0
  sp_inertia Y;
} par_link;

typedef struct par_writer {
  const limb_writer* out;
  par_link* link;
  int nlink, nloop;
  int* of;     // per body: its link; -1: not known yet
  sp_pose* in; // per body: its pose in that link
  int floats;
} par_writer;

// ---- links ----------------------------------------------------------------------------------------------

static limb_status refuse(limb_error* err, const char* name, const char* why)
{
  return limb_fail(err, LIMB_E_UNSUPPORTED, name, "%s", why);
}

static void add_inertia(par_link* to, sp_pose X, const sp_inertia* Y)
{
  const sp_inertia moved = limb_inertia_move(X, *Y);
  if (!limb_has_inertia(Y)) return;
  to->Y = limb_has_inertia(&to->Y) ? limb_inertia_add(to->Y, moved) : moved;
}

// The child of a joint becomes a part of a link, or a link of its own.
static limb_status place_child(par_writer* w, const limb_joint_def* j, limb_error* err)
{
  limb_body_def body;
  const limb_status s = limb_builder_get_body(w->out->b, j->child, &body);
  const int carrier = w->of[j->parent];
  if (s) return s;
  if (j->type == LIMB_FIXED || j->type == LIMB_FREE) {
    w->of[j->child] = carrier;
    w->in[j->child] = j->type == LIMB_FREE ? sp_pose_identity() : sp_compose(w->in[j->parent], j->placement);
    w->floats |= j->type == LIMB_FREE;
    if (carrier > 0 || w->floats) add_inertia(&w->link[carrier], w->in[j->child], &body.inertia);
    return LIMB_OK;
  }
  if (j->type != LIMB_REVOLUTE && j->type != LIMB_PRISMATIC)
    return refuse(err, j->name, "the .par format has revolute and prismatic joints only");
  if (j->mimic >= 0) return refuse(err, j->name, "the .par format has no joints that follow others");
  par_link* l = &w->link[++w->nlink];
  const sp_pose turned = sp_pose_make(limb_rot_to(sp_v3(0, 0, 1), limb_unit(j->axis)), sp_v3(0, 0, 0));
  *l = (par_link){.joint = *j, .ant = carrier};
  l->X = sp_compose(sp_compose(w->in[j->parent], j->placement), turned);
  w->of[j->child] = w->nlink;
  w->in[j->child] = sp_invert(turned);
  add_inertia(l, w->in[j->child], &body.inertia);
  return LIMB_OK;
}

// A free joint is the base if nothing else is on the world.
static limb_status check_base(const limb_builder* b, limb_error* err)
{
  limb_joint_def j, base = {.type = LIMB_FIXED};
  limb_loop_def loop;
  int count = 0;
  for (int k = 0; limb_builder_get_joint(b, k, &j) == LIMB_OK; k++) {
    count += j.parent == LIMB_WORLD_BODY;
    if (j.type == LIMB_FREE) base = j;
  }
  for (int i = 0; limb_builder_get_loop(b, i, &loop) == LIMB_OK; i++)
    count += loop.body_a == LIMB_WORLD_BODY || loop.body_b == LIMB_WORLD_BODY;
  if (base.type != LIMB_FREE || (count == 1 && base.parent == LIMB_WORLD_BODY && limb_is_identity(&base.placement)))
    return LIMB_OK;
  return refuse(err, base.name, "a .par file has one free joint, of the base, with nothing else on the world");
}

// Joints after those that carry them, otherwise in their order, which is that of q.
static limb_status find_links(par_writer* w, limb_error* err)
{
  const limb_builder* b = w->out->b;
  const int bodies = limb_builder_body_count(b);
  limb_joint_def j;
  limb_status s = check_base(b, err);
  for (int i = 0; i < bodies; i++) w->of[i] = i == LIMB_WORLD_BODY ? 0 : -1;
  w->in[LIMB_WORLD_BODY] = sp_pose_identity();
  for (int placed = 1; placed && s == LIMB_OK;) {
    int waits = 0;
    placed = 0;
    for (int k = 0; s == LIMB_OK && limb_builder_get_joint(b, k, &j) == LIMB_OK; k++) {
      if (w->of[j.child] >= 0) continue;
      const int moves = j.type != LIMB_FIXED && j.type != LIMB_FREE;
      if (w->of[j.parent] < 0 || (moves && waits)) {
        waits |= moves; // later joints wait, so that the order stays
        continue;
      }
      s = place_child(w, &j, err);
      placed = 1;
    }
  }
  for (int i = 0; i < bodies && s == LIMB_OK; i++)
    if (w->of[i] < 0) s = refuse(err, "joints", "a .par file numbers joints after those that carry them");
  return s;
}

// ---- lists ----------------------------------------------------------------------------------------------

static int can_close(const limb_loop_def* def)
{
  return def->kind == LIMB_LOOP_PIN || def->kind == LIMB_LOOP_SLIDER || def->kind == LIMB_LOOP_WELD;
}

// Loop number k of those that can be written; its two ends are rows of the table of frames.
static int get_loop(const par_writer* w, int k, limb_loop_def* def)
{
  for (int i = 0; limb_builder_get_loop(w->out->b, i, def) == LIMB_OK; i++)
    if (can_close(def) && k-- == 0) return 1;
  return 0;
}

// A row of the table of frames: links, cut joints, their second frames.
typedef struct frame_row {
  int ant, sigma, passive;
  limb_mdh m;
} frame_row;

static frame_row row_of(const par_writer* w, int i)
{
  frame_row row = {.sigma = 2, .passive = 1};
  limb_loop_def def;
  if (i < w->nlink) {
    const par_link* l = &w->link[i + 1];
    return (frame_row){l->ant, l->joint.type == LIMB_PRISMATIC, l->joint.drive == LIMB_DRIVE_PASSIVE,
                       limb_mdh_of_pose(l->X)};
  }
  const int k = i - w->nlink, second = k >= w->nloop;
  if (!get_loop(w, second ? k - w->nloop : k, &def)) return row;
  const int body = second ? def.body_b : def.body_a;
  row.ant = w->of[body];
  row.m = limb_mdh_of_pose(sp_compose(w->in[body], second ? def.pose_b : def.pose_a));
  if (!second) row.sigma = def.kind == LIMB_LOOP_PIN ? 0 : def.kind == LIMB_LOOP_SLIDER ? 1 : 2;
  return row;
}

static void put_int(const limb_writer* o, int i, int x)
{
  char text[24];
  (void)snprintf(text, sizeof text, "%s%d", i ? ", " : "", x);
  limb_put(o, "%s", text);
}

// A number, or a variable and its offset: t3+0.5.
static void put_entry(const limb_writer* o, int i, const char* variable, int number, double x)
{
  char text[24] = "";
  if (i) limb_put(o, ", ");
  if (variable) (void)snprintf(text, sizeof text, "%s%d%s", variable, number, x > 0 ? "+" : "");
  limb_put(o, "%s", text);
  if (!variable || x != 0) limb_put(o, "%n", 1, &x);
}

static void put_row(const limb_writer* o, int key, int i, const frame_row* row)
{
  const limb_mdh* m = &row->m;
  const double numbers[] = {0, 0, m->b, m->d, m->r, m->gamma, m->alpha, 0, m->theta};
  const char* variable = key == 4 && row->sigma == 1 ? "r" : key == 8 && row->sigma == 0 ? "t" : NULL;
  if (key == 0 || key == 1 || key == 7)
    put_int(o, i, key == 0 ? row->ant : key == 1 ? row->sigma : !row->passive);
  else
    put_entry(o, i, variable, i + 1, numbers[key]);
}

static void put_geometry(const par_writer* w)
{
  static const char* const names[] = {"Ant", "Sigma", "B", "d", "R", "gamma", "Alpha", "Mu", "Theta"};
  const limb_writer* o = w->out;
  limb_put(o, "(* Geometric parameters *)\n");
  for (int key = 0; key < COUNT(names); key++) {
    limb_put(o, "%s = {", names[key]);
    for (int i = 0; i < w->nlink + 2 * w->nloop; i++) {
      const frame_row row = row_of(w, i);
      put_row(o, key, i, &row);
    }
    limb_put(o, "}\n");
  }
}

// About the origin of the link; of the joint: rotor, friction.
static void put_dynamics(const par_writer* w)
{
  static const char* const names[] = {"XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M", "IA", "FV", "FS"};
  static const int place[] = {4, 5, 6, 7, 8, 9, 1, 2, 3, 0};
  const limb_writer* o = w->out;
  limb_put(o, "\n(* Dynamic parameters *)\n");
  for (int key = 0; key < COUNT(names); key++) {
    limb_put(o, "%s = {", names[key]);
    for (int i = !w->floats; i <= w->nlink; i++) {
      const limb_joint_def* j = &w->link[i].joint;
      double x[13] = {0};
      limb_inertia_to_parameters(&w->link[i].Y, x);
      x[10] = i ? j->gear_ratio * j->gear_ratio * j->rotor_inertia : 0;
      x[11] = i ? j->viscous : 0, x[12] = i ? j->coulomb : 0;
      put_entry(o, i - !w->floats, NULL, 0, x[key < 10 ? place[key] : key]);
    }
    limb_put(o, "}\n");
  }
}

static void put_springs(const par_writer* w)
{
  const limb_writer* o = w->out;
  int any = 0;
  for (int i = 1; i <= w->nlink; i++) any |= w->link[i].joint.stiffness > 0;
  if (!any) return;
  limb_put(o, "\n(* Springs *)\neta = {");
  for (int i = 0; i < w->nlink + w->nloop; i++) put_int(o, i, i < w->nlink && w->link[i + 1].joint.stiffness > 0);
  limb_put(o, "}\nk = {");
  for (int i = 0; i < w->nlink + w->nloop; i++)
    put_entry(o, i, NULL, 0, i < w->nlink ? w->link[i + 1].joint.stiffness : 0);
  limb_put(o, "}\n");
}

// ---- what is lost -----------------------------------------------------------------------------------------

static void report_lost(const par_writer* w)
{
  const limb_writer* o = w->out;
  limb_joint_def j;
  limb_loop_def loop;
  int limits = 0, starts = 0, rests = 0, springs = 0;
  for (int k = 0; limb_builder_get_joint(o->b, k, &j) == LIMB_OK; k++) {
    limits +=
      isfinite(j.q_min) || isfinite(j.q_max) || isfinite(j.v_max) || isfinite(j.effort_max) || has_motion_limits(&j);
    starts += j.start != 0;
    rests += j.stiffness > 0 && j.rest != 0;
    springs += j.stiffness > 0 && j.drive != LIMB_DRIVE_PASSIVE;
  }
  const struct {
    int count;
    const char* what;
  } lost[] = {{limits, "limits of joints"},
              {starts, "starting values for closing loops"},
              {rests, "where springs are relaxed: they are at zero"},
              {springs, "that a joint with a spring has a motor as well"},
              {limb_builder_frame_count(o->b), "frames"},
              {limb_builder_shaft_count(o->b), "shafts"},
              {limb_builder_tendon_count(o->b), "tendons"},
              {limb_builder_shape_count(o->b), "shapes"}};
  for (int i = 0; i < COUNT(lost); i++)
    if (lost[i].count > 0)
      limb_report(o->findings, RULE_NOT_WRITTEN, nowhere, (limb_subject){"format", ".par"}, "%s", lost[i].what);
  for (int i = 0; limb_builder_get_loop(o->b, i, &loop) == LIMB_OK; i++)
    if (!can_close(&loop))
      limb_report(o->findings, RULE_NOT_WRITTEN, nowhere, (limb_subject){"loop", loop.name},
                  "the .par format has no loops of the kind %s", loop_words[loop.kind]);
}

// ---- the robot ------------------------------------------------------------------------------------------

static void put_robot(const par_writer* w)
{
  const limb_writer* o = w->out;
  const sp_vec3 g = limb_builder_gravity(o->b);
  char head[200];
  (void)snprintf(head, sizeof head, "NL = %d\nNJ = %d\nNF = %d\nType = %d\n", w->nlink, w->nlink + w->nloop,
                 w->nlink + 2 * w->nloop, w->nloop ? 2 : 1);
  limb_put(o, "(* Robotname = 'robot' *)\n(* Units: m, kg, s, rad, N, N m. Frames by Khalil and Kleinfinger *)\n%s",
           head);
  if (w->floats) limb_put(o, "is_floating = True\nis_mobile = False\n");
  limb_put(o, "\n");
  put_geometry(w);
  put_dynamics(w);
  put_springs(w);
  limb_put(o, "\n(* Acceleration of gravity *)\nG = {%n, %n, %n}\n\n(* End of definition *)\n", 1, &g.x, 1, &g.y, 1,
           &g.z);
  for (int i = 1; i <= w->nlink; i++) {
    char name[24];
    (void)snprintf(name, sizeof name, "joint%d", i);
    if (strcmp(name, w->link[i].joint.name) == 0) continue;
    limb_report(o->findings, RULE_REPHRASED, nowhere, (limb_subject){"joint", w->link[i].joint.name},
                "a .par file numbers joints: it reads back as '%s'; so do the others", name);
    break;
  }
}

limb_status limb_write_par(const limb_writer* o, limb_error* err)
{
  const limb_allocator a = limb_default_allocator();
  const size_t bodies = (size_t)limb_builder_body_count(o->b);
  const size_t size = bodies * (sizeof(par_link) + sizeof(sp_pose) + sizeof(int));
  par_writer w = {.out = o, .link = limb_alloc(&a, size)};
  limb_loop_def def;
  if (!w.link) return LIMB_E_NOMEM;
  memset(w.link, 0, size);
  w.in = (sp_pose*)(w.link + bodies);
  w.of = (int*)(w.in + bodies);
  while (get_loop(&w, w.nloop, &def)) w.nloop++;
  limb_status s = find_links(&w, err);
  if (s == LIMB_OK && w.nlink == 0) s = refuse(err, "robot", "a .par file has at least one moving joint");
  if (s == LIMB_OK) put_robot(&w);
  if (s == LIMB_OK) report_lost(&w);
  limb_free(&a, w.link, size);
  return s;
}
