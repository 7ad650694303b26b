// SYMORO .par files (SYMORO+ and OpenSYMORO): a tree of links, and loops, in the notation of Khalil and Kleinfinger.
//
// Frame j lies in that of its antecedent at Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r); its z axis is the axis of
// joint j. Inertial parameters are about the origin of the link's frame. G is the acceleration of gravity in the axes
// of frame 0 (SYMORO starts its recursion with VP0 - G); Z is the pose of frame 0 in the world, four rows of four.
// Links are called link1, link2, ..., joints joint1, joint2, ...; a base that moves is link0.
//
// Loops (Khalil 2010, section 2.2): a robot with NJ = NL + B joints has B loops, each cut at a passive joint k = NL +
// 1, ..., NJ. Frame k is that of the joint on one of its links, frame k + B is fixed in the other, and both are the
// same except for the joint variable, (3): a rotation about z is a pin, a translation along z a slider.
#include "io/read_par.h"

#include "limb/spatial.h"

#include "io/file_text.h"
#include "io/geometry.h"

#include <math.h>
#include <string.h>

typedef struct par_robot {
  par_file* p;
  limb_raw_robot* s;
  par_sizes n;
  sp_pose base;       // of frame 0 in the world
  const char** names; // of bodies 0 ... nlink
} par_robot;

// A frame in that of its antecedent.
typedef struct par_row {
  int ant, sigma, sign; // sign of the joint variable
  double b, d, r, gamma, alpha, theta;
} par_row;

static const file_pos nowhere = {0, 0, 0};

// Entry of a list, 0 when there is no such list. Returns 1, or 0 after an error.
static int take_entry(const par_robot* r, par_key key, int index, double* x)
{
  *x = 0;
  return !limb_par_has(r->p, key) || limb_par_number(r->p, (par_slot){key, index}, RULE_MISSING_KEY, x);
}

// A name such as link3; NULL when out of memory.
static const char* numbered(const par_robot* r, const char* stem, int number)
{
  const char* name = limb_mempool_numbered(r->p->pool, stem, number);
  r->p->no_memory |= !name;
  return name;
}

// Friction: a symbol without value is ignored, with a warning.
static int take_friction(const par_robot* r, par_key key, int index, double* x)
{
  *x = 0;
  return !limb_par_has(r->p, key) || limb_par_number(r->p, (par_slot){key, index}, RULE_DROPPED, x);
}

// ---- the table of frames -----------------------------------------------------------------------------------------

// Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r), with the joint variable at zero.
static sp_pose row_pose(const par_row* m)
{
  const sp_pose first = limb_screw_z(m->gamma, m->b), second = limb_screw_x(m->alpha, m->d);
  return sp_compose(first, sp_compose(second, limb_screw_z(m->theta, m->r)));
}

// theta or r of joint i: constant unless it is the joint variable.
static int moved(const par_robot* r, par_key key, int i, int moves, par_row* m, double* x)
{
  if (!moves) return take_entry(r, key, i, x);
  if (!limb_par_variable(r->p, (par_slot){key, i}, i + 1, x, &m->sign)) return 0;
  if (m->sign == 0) {
    limb_par_report(r->p, RULE_ASSUMED, (par_slot){key, i},
                    "entry %d has no joint variable: it is used as the value at q = 0", i + 1);
    m->sign = 1;
  }
  return 1;
}

// Angles are in radians. Reported once per list.
static void check_angles(const par_robot* r, int i, const par_row* m)
{
  static const par_key keys[3] = {PAR_GAMMA, PAR_ALPHA, PAR_THETA};
  const double angle[3] = {m->gamma, m->alpha, m->theta};
  for (int n = 0; n < 3; n++) {
    if (!limb_looks_like_degrees(angle[n])) continue;
    const par_value* v = &r->p->list[keys[n]].value[i];
    const int length = v->end - v->text > 60 ? 60 : (int)(v->end - v->text);
    limb_report_once(r->p->findings, RULE_ANGLE_DEGREES, v->pos, limb_par_subject(keys[n]),
                     "entry %d, '%.*s', is more than one turn", i + 1, length, v->text);
    limb_report_hint(r->p->findings, "a right angle is Pi/2");
  }
}

// Links carry links and frames. The second frames of cut joints are fixed, and can carry each other as well.
static int can_carry(const par_robot* r, int ant, int i)
{
  if (ant >= 0 && ant <= r->n.nlink) return ant != i + 1;
  return i >= r->n.njoint && ant > r->n.njoint && ant <= r->n.nframe && ant != i + 1;
}

// Row i of the table of frames, from 0 on. 0 after an error.
static int take_row(const par_robot* r, int i, par_row* m)
{
  par_file* p = r->p;
  m->sign = 1;
  int good =
    limb_par_integer(p, (par_slot){PAR_ANT, i}, &m->ant) & limb_par_integer(p, (par_slot){PAR_SIGMA, i}, &m->sigma);
  if (!good) return 0;
  if (!can_carry(r, m->ant, i)) {
    limb_par_report(p, RULE_BAD_VALUE, (par_slot){PAR_ANT, i},
                    i < r->n.nlink ? "link %d cannot be attached to link %d"
                                   : "frame %d cannot be attached to frame %d",
                    i + 1, m->ant);
    good = 0;
  }
  if (m->sigma < 0 || m->sigma > 2) {
    limb_par_report(p, RULE_BAD_VALUE, (par_slot){PAR_SIGMA, i},
                    "entry %d is %d; 0 is a rotation, 1 a translation, 2 fixed", i + 1, m->sigma);
    good = 0;
  }
  good &= take_entry(r, PAR_B, i, &m->b) & take_entry(r, PAR_D, i, &m->d);
  good &= take_entry(r, PAR_GAMMA, i, &m->gamma) & take_entry(r, PAR_ALPHA, i, &m->alpha);
  good &= moved(r, PAR_THETA, i, m->sigma == 0, m, &m->theta);
  good &= moved(r, PAR_R, i, m->sigma == 1, m, &m->r);
  if (good) check_angles(r, i, m);
  return good;
}

// mu: 0 for a passive joint, 1 for one with a motor; without the list all have one.
static int is_passive(const par_robot* r, int i)
{
  double mu = 1;
  if (!limb_par_has(r->p, PAR_MU) || !take_entry(r, PAR_MU, i, &mu)) return 0;
  if (mu != 0 && mu != 1)
    limb_par_report(r->p, RULE_BAD_VALUE, (par_slot){PAR_MU, i}, "entry %d is neither 0 (passive) nor 1 (with a motor)",
                    i + 1);
  return mu == 0;
}

// ---- bodies ---------------------------------------------------------------------------------------

// Inertia of body j, whose parameters have this index in the lists.
static void take_inertia(const par_robot* r, int j, int index, sp_inertia* Y)
{
  static const par_key keys[10] = {PAR_M, PAR_MX, PAR_MY, PAR_MZ, PAR_XX, PAR_XY, PAR_XZ, PAR_YY, PAR_YZ, PAR_ZZ};
  double theta[10];
  int good = 1;
  for (int i = 0; i < 10; i++) good &= take_entry(r, keys[i], index, &theta[i]);
  if (!good) return;
  *Y = limb_inertia_from_parameters(theta);
  if (theta[0] == 0 && (theta[1] != 0 || theta[2] != 0 || theta[3] != 0)) {
    limb_report(r->p->findings, RULE_UNSUPPORTED, r->p->list[PAR_M].value[index].pos,
                (limb_subject){"body", r->names[j]},
                "it has a first moment (MX, MY, MZ) but no mass: grouped parameters do not belong to one body");
    limb_report_hint(r->p->findings, "use the parameters of the links before they were grouped");
  }
}

static void take_bodies(par_robot* r)
{
  const file_pos at = r->p->list[PAR_M].pos;
  for (int j = r->n.moving ? 0 : 1; j <= r->n.nlink && !r->p->no_memory; j++) {
    const int index = j - 1 + r->n.with_base;
    r->names[j] = numbered(r, "link", j);
    raw_body* b = limb_raw_add_body(r->s, r->names[j], index < 0 ? at : r->p->list[PAR_M].value[index].pos);
    if (!b) {
      r->p->no_memory = 1;
    } else if (index >= 0) {
      take_inertia(r, j, index, &b->inertia);
    } else {
      limb_report(r->p->findings, RULE_NO_INERTIAL, at, (limb_subject){"body", r->names[j]},
                  "the base moves, but the lists have no entry for its inertia");
      limb_report_as(r->p->findings, LIMB_WARNING);
    }
  }
}

// ---- joints ---------------------------------------------------------------------------------------

// Rotor, friction, spring and motor of joint i.
static void take_drive(const par_robot* r, int i, limb_joint_def* def)
{
  static const par_key keys[3] = {PAR_IA, PAR_FV, PAR_FS};
  par_file* p = r->p;
  const int index = i + r->n.with_base;
  double x[3], eta = 0, k = 0;
  if (!(take_entry(r, PAR_IA, index, &x[0]) & take_friction(r, PAR_FV, index, &x[1]) &
        take_friction(r, PAR_FS, index, &x[2]) & take_entry(r, PAR_ETA, i, &eta)))
    return;
  for (int n = 0; n < 3; n++) {
    if (x[n] >= 0) continue;
    limb_par_report(p, RULE_BAD_VALUE, (par_slot){keys[n], index}, "entry %d is negative", index + 1);
    x[n] = 0;
  }
  if (eta != 0 && take_entry(r, PAR_K, i, &k) && k < 0)
    limb_par_report(p, RULE_BAD_VALUE, (par_slot){PAR_K, i}, "entry %d is negative", i + 1);
  if (def->type == LIMB_FIXED) {
    if (x[0] != 0 || x[1] != 0 || x[2] != 0 || k != 0)
      limb_par_report(p, RULE_DROPPED, (par_slot){PAR_SIGMA, i},
                      "joint %d is fixed: its IA, FV, FS and k have no effect", i + 1);
    return;
  }
  def->rotor_inertia = x[0];
  def->viscous = x[1];
  def->coulomb = x[2];
  def->stiffness = k < 0 ? 0 : k;
  // No motor: mu 0, and elastic joints, whatever their mu is (Khalil 2010, section 6).
  if (eta != 0 || is_passive(r, i)) def->drive = LIMB_DRIVE_PASSIVE;
}

static void take_joint(const par_robot* r, int i)
{
  static const limb_joint_type types[3] = {LIMB_REVOLUTE, LIMB_PRISMATIC, LIMB_FIXED};
  par_row m = {0};
  const int good = take_row(r, i, &m);
  const char* name = numbered(r, "joint", i + 1);
  raw_joint* j = name ? limb_raw_add_joint(r->s, name, r->p->list[PAR_ANT].value[i].pos) : NULL;
  if (!j) {
    r->p->no_memory = 1;
    return;
  }
  j->child = r->names[i + 1];
  if (!good) return; // reported; attached to the world it causes no other errors
  j->parent = m.ant == 0 && !r->n.moving ? NULL : r->names[m.ant];
  j->def.type = types[m.sigma];
  j->def.placement = row_pose(&m);
  if (m.ant == 0 && !r->n.moving) j->def.placement = sp_compose(r->base, j->def.placement);
  j->def.axis = sp_v3(0, 0, m.sign);
  take_drive(r, i, &j->def);
}

// ---- loops ----------------------------------------------------------------------------------------

// Frame i in the body that carries it, NULL for the world, through frames that carry each other.
static int place_frame(const par_robot* r, int i, const par_row* row, raw_end* end)
{
  enum { MAX_DEPTH = 64 };
  par_row m = *row;
  sp_pose X = row_pose(&m);
  for (int depth = 0; m.ant > r->n.nlink; depth++) {
    if (depth == MAX_DEPTH) {
      limb_par_report(r->p, RULE_CYCLE, (par_slot){PAR_ANT, i},
                      "frame %d is attached to other frames, but not to a link", i + 1);
      return 0;
    }
    if (!take_row(r, m.ant - 1, &m)) return 0;
    X = sp_compose(row_pose(&m), X);
  }
  const int on_ground = m.ant == 0 && !r->n.moving;
  end->body = on_ground ? NULL : r->names[m.ant];
  end->pose = on_ground ? sp_compose(r->base, X) : X;
  end->pos = r->p->list[PAR_ANT].value[i].pos;
  return 1;
}

// A cut joint has no coordinate: it can have neither motor nor spring.
static int check_cut(const par_robot* r, int i)
{
  par_file* p = r->p;
  double eta = 0;
  if (limb_par_has(p, PAR_MU) && !is_passive(r, i)) {
    limb_par_report(p, RULE_BAD_LOOP, (par_slot){PAR_MU, i}, "joint %d is cut, but has a motor", i + 1);
    limb_report_hint(p->findings, "cut the loop at a passive joint, or set mu of this one to 0");
    return 0;
  }
  if (!take_entry(r, PAR_ETA, i, &eta)) return 0;
  if (eta != 0)
    limb_par_report(p, RULE_DROPPED, (par_slot){PAR_ETA, i}, "joint %d is cut: its spring has no effect", i + 1);
  return 1;
}

// The loop that joint i closes.
static void take_cut(const par_robot* r, int i)
{
  static const limb_loop_kind kinds[3] = {LIMB_LOOP_PIN, LIMB_LOOP_SLIDER, LIMB_LOOP_WELD};
  par_file* p = r->p;
  const int twin = i + r->n.njoint - r->n.nlink; // k + B
  par_row a = {0}, b = {0};
  if (!(take_row(r, i, &a) & take_row(r, twin, &b) & check_cut(r, i))) return;
  if (b.sigma != 2) {
    limb_par_report(p, RULE_BAD_VALUE, (par_slot){PAR_SIGMA, twin},
                    "frame %d is the second frame of joint %d, which is cut: it must be fixed (2)", twin + 1, i + 1);
    return;
  }
  raw_end end[2] = {{.body = ""}, {.body = ""}};
  if (!(place_frame(r, i, &a, &end[0]) & place_frame(r, twin, &b, &end[1]))) return;
  const char* name = numbered(r, "joint", i + 1);
  raw_loop* x = name ? limb_raw_add_loop(r->s, name, kinds[a.sigma], p->list[PAR_ANT].value[i].pos) : NULL;
  if (!x) {
    p->no_memory = 1;
    return;
  }
  for (int k = 0; k < 2; k++) x->end[k] = end[k];
}

// ---- base and gravity -----------------------------------------------------------------------------

static void take_base(par_robot* r)
{
  par_file* p = r->p;
  r->base = sp_pose_identity();
  if (!limb_par_has(p, PAR_Z)) return;
  double T[16];
  for (int i = 0; i < 16; i++) {
    if (!take_entry(r, PAR_Z, i, &T[i])) return;
  }
  const sp_mat3 R = {{T[0], T[1], T[2], T[4], T[5], T[6], T[8], T[9], T[10]}};
  const sp_mat3 one = sp_mul3(R, sp_transpose3(R)), identity = sp_identity3();
  double off = fabs(T[12]) + fabs(T[13]) + fabs(T[14]) + fabs(T[15] - 1);
  double moved_by = fabs(T[3]) + fabs(T[7]) + fabs(T[11]);
  for (int i = 0; i < 9; i++) {
    off += fabs(one.m[i] - identity.m[i]);
    moved_by += fabs(R.m[i] - identity.m[i]);
  }
  const sp_vec3 x = sp_v3(R.m[0], R.m[3], R.m[6]), y = sp_v3(R.m[1], R.m[4], R.m[7]);
  const sp_vec3 z = sp_v3(R.m[2], R.m[5], R.m[8]);
  if (!(off < 1e-6) || sp_dot3(sp_cross3(x, y), z) < 0) {
    limb_par_report(p, RULE_BAD_VALUE, (par_slot){PAR_Z, PAR_ALL},
                    "it is not a pose: a rotation, a position, and 0 0 0 1 in the last row");
    return;
  }
  r->base = sp_pose_make(R, sp_v3(T[3], T[7], T[11]));
  if (r->n.moving && moved_by != 0)
    limb_par_report(p, RULE_IGNORED, (par_slot){PAR_Z, PAR_ALL}, "the pose of a base that moves is part of q");
}

// Whether an entry of G is the usual symbol without a value.
static int is_unknown_gravity(par_file* p, int i)
{
  static const char* const usual[3][2] = {{"G1", "GX"}, {"G2", "GY"}, {"G3", "GZ"}};
  const par_value* v = &p->list[PAR_G].value[i];
  for (int k = 0; k < 2; k++) {
    const char* name = usual[i][k];
    if (v->end - v->text == 2 && memcmp(v->text, name, 2) == 0) return limb_par_is_unset(p, (par_slot){PAR_G, i});
  }
  return 0;
}

static void take_gravity(par_robot* r)
{
  par_file* p = r->p;
  double g[3] = {0, 0, -9.81};
  if (!limb_par_has(p, PAR_G)) {
    limb_par_report(p, RULE_ASSUMED, (par_slot){PAR_G, PAR_ALL},
                    "this list is missing: gravity is assumed to be 0 0 -9.81");
  } else {
    const int unknown = is_unknown_gravity(p, 2);
    for (int i = 0; i < (unknown ? 2 : 3); i++) {
      if (!take_entry(r, PAR_G, i, &g[i])) return;
    }
    if (unknown) {
      limb_par_report(p, RULE_ASSUMED, (par_slot){PAR_G, 2},
                      "the third entry has no value: -9.81 is assumed, so that z points upwards");
      limb_report_as(p->findings, LIMB_WARNING);
      limb_report_hint(p->findings, "add a line G3 = -9.81, or G3 = 9.81 if z points downwards");
    }
  }
  const sp_vec3 own = sp_v3(g[0], g[1], g[2]);
  p->no_memory |= !limb_raw_set_gravity(r->s, r->n.moving ? own : sp_mulv(r->base.R, own));
}

// ---- unused data -----------------------------------------------------------------------------

// A list that is not part of the model: a note, or a warning when it has numbers other than 0.
static void report_unused(const par_robot* r, par_key key, const char* what)
{
  par_file* p = r->p;
  if (!limb_par_has(p, key)) return;
  for (int i = 0; i < p->list[key].count; i++) {
    if (limb_par_is_unset(p, (par_slot){key, i})) continue;
    limb_par_report(p, RULE_DROPPED, (par_slot){key, i}, "%s: its numbers other than 0 have no effect", what);
    return;
  }
  limb_par_report(p, RULE_IGNORED, (par_slot){key, PAR_ALL}, "%s", what);
}

static void report_rest(const par_robot* r)
{
  static const char force[] = "an external force is part of the state, not of the robot";
  static const char moment[] = "an external moment is part of the state, not of the robot";
  static const char base[] = "the motion of the base is part of the state, not of the robot";
  static const struct {
    par_key key;
    const char* what;
  } unused[] = {{PAR_FX, force},
                {PAR_FY, force},
                {PAR_FZ, force},
                {PAR_CX, moment},
                {PAR_CY, moment},
                {PAR_CZ, moment},
                {PAR_W0, base},
                {PAR_WP0, base},
                {PAR_V0, base},
                {PAR_VP0, base},
                {PAR_QP, "velocities are part of the state, not of the robot"},
                {PAR_QDP, "accelerations are part of the state, not of the robot"},
                {PAR_GAM, "torques are part of the state, not of the robot"}};
  par_file* p = r->p;
  for (int i = 0; i < COUNT(unused); i++) report_unused(r, unused[i].key, unused[i].what);
  for (int i = 0; i < p->nsymbol; i++) {
    if (!p->symbol[i].used)
      limb_report(p->findings, RULE_UNUSED, p->symbol[i].value.pos, (limb_subject){"symbol", p->symbol[i].name},
                  "it has a value, but is not used");
  }
  if (!p->ended) {
    limb_report(p->findings, RULE_ASSUMED, nowhere, (limb_subject){NULL, NULL},
                "'(* End of definition *)' is missing: the file may have been cut off");
    limb_report_as(p->findings, LIMB_WARNING);
  }
}

static void take_robot(par_robot* r)
{
  par_file* p = r->p;
  if (!limb_par_check(p, &r->n)) return;
  r->names = limb_mempool_alloc(p->pool, ((size_t)r->n.nlink + 1) * sizeof *r->names);
  if (!r->names) {
    p->no_memory = 1;
    return;
  }
  if (r->n.moving) r->s->base = LIMB_BASE_FLOATING;
  take_base(r);
  take_gravity(r);
  take_bodies(r);
  for (int i = 0; i < r->n.nlink && !p->no_memory; i++) take_joint(r, i);
  for (int i = r->n.nlink; i < r->n.njoint && !p->no_memory; i++) take_cut(r, i);
  report_rest(r);
}

limb_status limb_read_par(limb_source* src, const limb_read_options* opt, limb_raw_robot* s)
{
  (void)opt;
  par_file p = {.pool = src->pool, .findings = s->findings};
  limb_par_scan(&p, src->text, src->size);
  par_robot r = {.p = &p, .s = s, .base = sp_pose_identity()};
  s->name = p.robot;
  const int broken = limb_findings_count_from(s->findings, LIMB_ERROR) > 0;
  if (!p.no_memory && !broken) take_robot(&r);
  if (p.no_memory) return LIMB_E_NOMEM;
  if (broken) return LIMB_E_SYNTAX;
  return limb_findings_count_from(s->findings, LIMB_ERROR) > 0 ? LIMB_E_MODEL : LIMB_OK;
}
