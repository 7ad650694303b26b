// SYMORO .par files (SYMORO+ and OpenSYMORO): a tree of links, and closures of loops, in the notation of
// Khalil and Kleinfinger.
//
// Frame j lies in that of its antecedent at Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r), its z axis is
// the axis of joint j. Inertial parameters are about the origin of the link's frame. G is the acceleration of
// gravity in the axes of frame 0 (SYMORO starts its recursion with VP0 - G); Z is the pose of frame 0 in the
// world, four rows of four. Links are called link1, link2, ..., joints joint1, joint2, ...; a base that moves
// is link0.
#include "io/read_par_impl.h"

#include <math.h>
#include <string.h>

static const limb_mark nowhere = {0, 0};

// ---- sizes ----------------------------------------------------------------------------------------

// A count of the header; what it is taken as when the file does not say. 0 after an error.
static int take_count(par_file* p, par_scalar which, int fallback, int* x)
{
  *x = fallback;
  return !p->scalar[which].text || limb_par_count(p, which, x);
}

// Links, joints and frames: one joint more than links for each loop, and one frame more than joints.
static int check_sizes(const par_robot* r, int type)
{
  par_file* p = r->p;
  const int NL = r->nlink, NJ = r->njoint, NF = r->nframe;
  if (NJ < NL || NF != 2 * NJ - NL) {
    const par_scalar which = p->scalar[PAR_NJ].text ? PAR_NJ : PAR_NL;
    limb_report(p->findings, RULE_BAD_VALUE, p->scalar[which].mark, (limb_subject){"value", "NJ"},
                "NL = %d, NJ = %d and NF = %d do not go together", NL, NJ, NF);
    limb_report_hint(p->findings, "a tree has NL = NJ = NF; with B loops, NJ = NL + B and NF = NL + 2 B");
    return 0;
  }
  if (p->scalar[PAR_TYPE].text && (type == 2) != (NJ > NL)) {
    limb_report(p->findings, RULE_ASSUMED, p->scalar[PAR_TYPE].mark, (limb_subject){"value", "Type"},
                "Type = %d says that the robot has %s, NL = %d and NJ = %d that it has %s: the latter "
                "counts",
                type, type == 2 ? "loops" : "no loops", NL, NJ, NJ > NL ? "some" : "none");
    limb_report_as(p->findings, LIMB_WARNING);
  }
  return 1;
}

// Number of links and what moves. 0 after an error.
static int take_header(par_robot* r)
{
  par_file* p = r->p;
  int type = 0, mobile = 0, floating = 0;
  if (!p->scalar[PAR_NL].text) {
    limb_report(p->findings, RULE_MISSING_KEY, nowhere, (limb_subject){"value", "NL"},
                "the number of links is not given");
    return 0;
  }
  int good = take_count(p, PAR_NL, 0, &r->nlink);
  good &= take_count(p, PAR_NJ, r->nlink,
                     &r->njoint); // one after the other: each fallback needs the last
  good &= take_count(p, PAR_NF, 2 * r->njoint - r->nlink, &r->nframe);
  good &= take_count(p, PAR_TYPE, 0, &type);
  good &= take_count(p, PAR_IS_MOBILE, 0, &mobile);
  good &= take_count(p, PAR_IS_FLOATING, 0, &floating);
  if (!good) return 0;
  if (r->nlink < 1 || type < 0 || type > 2) {
    const par_scalar which = r->nlink < 1 ? PAR_NL : PAR_TYPE;
    limb_report(p->findings, RULE_BAD_VALUE, p->scalar[which].mark, (limb_subject){"value", NULL},
                r->nlink < 1 ? "a robot has at least one link" : "Type is 0, 1 or 2");
    return 0;
  }
  r->moving = mobile || floating;
  return check_sizes(r, type);
}

// ---- lists ----------------------------------------------------------------------------------------

static int wanted_length(const par_robot* r, par_key key)
{
  switch (limb_par_list_length(key)) {
  case PAR_FRAMES: return r->nframe;
  case PAR_JOINTS: return r->njoint;
  case PAR_LINKS: return r->nlink + r->with_base;
  case PAR_VECTOR: return 3;
  case PAR_MATRIX: return 16;
  case PAR_ANY: break;
  }
  return -1;
}

// Every list there is has its length. 0 when one has not.
static int check_lengths(const par_robot* r)
{
  int good = 1;
  for (par_key key = 0; key < PAR_KEYS; key++) {
    const par_list* list = &r->p->list[key];
    const int wanted = wanted_length(r, key);
    if (!limb_par_has(r->p, key) || wanted < 0 || list->count == wanted) continue;
    limb_report(r->p->findings, RULE_WRONG_COUNT, list->mark, limb_par_subject(key),
                "it has %d entries, and should have %d", list->count, wanted);
    good = 0;
  }
  return good;
}

// What a robot cannot do without, and what may be left out. 0 when something is missing.
static int check_lists(const par_robot* r)
{
  static const par_key needed[] = {PAR_ANT, PAR_SIGMA, PAR_D,  PAR_R,  PAR_ALPHA, PAR_THETA, PAR_XX, PAR_XY,
                                   PAR_XZ,  PAR_YY,    PAR_YZ, PAR_ZZ, PAR_MX,    PAR_MY,    PAR_MZ, PAR_M};
  static const par_key usual[] = {PAR_B, PAR_GAMMA, PAR_IA, PAR_FV, PAR_FS};
  int good = check_lengths(r);
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
    if (limb_par_has(r->p, needed[i])) continue;
    limb_report(r->p->findings, RULE_MISSING_KEY, nowhere, limb_par_subject(needed[i]), "this list is missing");
    if (!r->p->ended) limb_report_hint(r->p->findings, "the file may have been cut off");
    good = 0;
  }
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
    if (!limb_par_has(r->p, usual[i]))
      limb_report(r->p->findings, RULE_ASSUMED, nowhere, limb_par_subject(usual[i]),
                  "this list is missing: all its entries are taken as 0");
  }
  return good;
}

// Friction: a symbol without value leaves it out, with a warning.
static int friction_entry(const par_robot* r, par_key key, int index, double* x)
{
  *x = 0;
  return !limb_par_has(r->p, key) || limb_par_number(r->p, (par_slot){key, index}, RULE_DROPPED, x);
}

// ---- bodies ---------------------------------------------------------------------------------------

// Inertia of body j, whose parameters stand at the given index of the lists.
static void take_inertia(const par_robot* r, int j, int index, sp_inertia* Y)
{
  static const par_key keys[10] = {PAR_M, PAR_MX, PAR_MY, PAR_MZ, PAR_XX, PAR_XY, PAR_XZ, PAR_YY, PAR_YZ, PAR_ZZ};
  double theta[10];
  int good = 1;
  for (int i = 0; i < 10; i++) good &= limb_par_entry(r, keys[i], index, &theta[i]);
  if (!good) return;
  *Y = limb_inertia_from_parameters(theta);
  if (theta[0] == 0 && (theta[1] != 0 || theta[2] != 0 || theta[3] != 0)) {
    limb_report(r->p->findings, RULE_UNSUPPORTED, r->p->list[PAR_M].value[index].mark,
                (limb_subject){"body", r->names[j]},
                "it has a first moment (MX, MY, MZ) and no mass: grouped parameters have no body of "
                "their own");
    limb_report_hint(r->p->findings, "give the parameters of the links before they were grouped");
  }
}

static void take_bodies(par_robot* r)
{
  const limb_mark at = r->p->list[PAR_M].mark;
  for (int j = r->moving ? 0 : 1; j <= r->nlink && !r->p->no_memory; j++) {
    const int index = j - 1 + r->with_base;
    r->names[j] = limb_par_numbered(r, "link", j);
    sketch_body* b = limb_sketch_body(r->s, r->names[j], index < 0 ? at : r->p->list[PAR_M].value[index].mark);
    if (!b) {
      r->p->no_memory = 1;
    } else if (index >= 0) {
      take_inertia(r, j, index, &b->inertia);
    } else {
      limb_report(r->p->findings, RULE_NO_INERTIAL, at, (limb_subject){"body", r->names[j]},
                  "the base moves, and the lists have no entry for its inertia");
      limb_report_as(r->p->findings, LIMB_WARNING);
    }
  }
}

// ---- joints ---------------------------------------------------------------------------------------

// Rotor, friction, spring and motor of joint i; what cannot be negative is not.
static void take_drive(const par_robot* r, int i, limb_joint_def* def)
{
  static const par_key keys[3] = {PAR_IA, PAR_FV, PAR_FS};
  par_file* p = r->p;
  const int index = i + r->with_base;
  double x[3], eta = 0, k = 0;
  if (!(limb_par_entry(r, PAR_IA, index, &x[0]) & friction_entry(r, PAR_FV, index, &x[1]) &
        friction_entry(r, PAR_FS, index, &x[2]) & limb_par_entry(r, PAR_ETA, i, &eta)))
    return;
  for (int n = 0; n < 3; n++) {
    if (x[n] >= 0) continue;
    limb_report(p->findings, RULE_BAD_VALUE, p->list[keys[n]].value[index].mark, limb_par_subject(keys[n]),
                "entry %d is negative", index + 1);
    x[n] = 0;
  }
  if (eta != 0 && limb_par_entry(r, PAR_K, i, &k) && k < 0)
    limb_report(p->findings, RULE_BAD_VALUE, p->list[PAR_K].value[i].mark, limb_par_subject(PAR_K),
                "entry %d is negative", i + 1);
  if (def->type == LIMB_FIXED) {
    if (x[0] != 0 || x[1] != 0 || x[2] != 0 || k != 0)
      limb_report(p->findings, RULE_DROPPED, p->list[PAR_SIGMA].value[i].mark, limb_par_subject(PAR_SIGMA),
                  "joint %d is fixed: its IA, FV, FS and k have no effect", i + 1);
    return;
  }
  def->rotor_inertia = x[0];
  def->viscous = x[1];
  def->coulomb = x[2];
  def->stiffness = k < 0 ? 0 : k;
  // No motor: mu 0, and whatever mu says, elastic joints (Khalil 2010, section 6).
  if (eta != 0 || limb_par_is_passive(r, i)) def->drive = LIMB_DRIVE_PASSIVE;
}

static void take_joint(const par_robot* r, int i)
{
  static const limb_joint_type types[3] = {LIMB_REVOLUTE, LIMB_PRISMATIC, LIMB_FIXED};
  par_row m = {0};
  const int good = limb_par_take_row(r, i, &m);
  const char* name = limb_par_numbered(r, "joint", i + 1);
  sketch_joint* j = name ? limb_sketch_joint(r->s, name, r->p->list[PAR_ANT].value[i].mark) : NULL;
  if (!j) {
    r->p->no_memory = 1;
    return;
  }
  j->child = r->names[i + 1];
  if (!good) return; // it was reported; hanging on the world it causes no other errors
  j->parent = m.ant == 0 && !r->moving ? NULL : r->names[m.ant];
  j->def.type = types[m.sigma];
  j->def.placement = limb_par_row_pose(&m);
  if (m.ant == 0 && !r->moving) j->def.placement = sp_compose(r->base, j->def.placement);
  j->def.axis = sp_v3(0, 0, m.sign);
  take_drive(r, i, &j->def);
}

// ---- base and gravity -----------------------------------------------------------------------------

static void take_base(par_robot* r)
{
  par_file* p = r->p;
  r->base = sp_pose_identity();
  if (!limb_par_has(p, PAR_Z)) return;
  double T[16];
  for (int i = 0; i < 16; i++) {
    if (!limb_par_entry(r, PAR_Z, i, &T[i])) return;
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
    limb_report(p->findings, RULE_BAD_VALUE, p->list[PAR_Z].mark, limb_par_subject(PAR_Z),
                "it is not a pose: a rotation, a position, and 0 0 0 1 as the last row");
    return;
  }
  r->base = sp_pose_make(R, sp_v3(T[3], T[7], T[11]));
  if (r->moving && moved_by != 0)
    limb_report(p->findings, RULE_IGNORED, p->list[PAR_Z].mark, limb_par_subject(PAR_Z),
                "the pose of a base that moves is part of q");
}

// Whether a gravity entry is the usual symbol without a value.
static int is_unknown_gravity(par_file* p, int i)
{
  static const char* const usual[3][2] = {{"G1", "GX"}, {"G2", "GY"}, {"G3", "GZ"}};
  const par_value* v = &p->list[PAR_G].value[i];
  for (int k = 0; k < 2; k++) {
    const char* name = usual[i][k];
    if (v->end - v->text == 2 && memcmp(v->text, name, 2) == 0) return limb_par_is_idle(p, (par_slot){PAR_G, i});
  }
  return 0;
}

static void take_gravity(par_robot* r)
{
  par_file* p = r->p;
  double g[3] = {0, 0, -9.81};
  if (!limb_par_has(p, PAR_G)) {
    limb_report(p->findings, RULE_ASSUMED, nowhere, limb_par_subject(PAR_G),
                "this list is missing: gravity is taken as 0 0 -9.81");
  } else {
    const int unknown = is_unknown_gravity(p, 2);
    for (int i = 0; i < (unknown ? 2 : 3); i++) {
      if (!limb_par_entry(r, PAR_G, i, &g[i])) return;
    }
    if (unknown) {
      limb_report(p->findings, RULE_ASSUMED, p->list[PAR_G].value[2].mark, limb_par_subject(PAR_G),
                  "the third entry has no value: -9.81 is taken, so that z points upwards");
      limb_report_as(p->findings, LIMB_WARNING);
      limb_report_hint(p->findings, "add a line G3 = -9.81, or G3 = 9.81 if z points downwards");
    }
  }
  sp_vec3* gravity = limb_store_take(p->pool, sizeof *gravity);
  if (!gravity) {
    p->no_memory = 1;
    return;
  }
  const sp_vec3 own = sp_v3(g[0], g[1], g[2]);
  *gravity = r->moving ? own : sp_mulv(r->base.R, own);
  r->s->gravity = gravity;
}

// ---- what is not used -----------------------------------------------------------------------------

// A list that is no part of the model: a note, or a warning when it states numbers other than 0.
static void note_unused(const par_robot* r, par_key key, const char* what)
{
  par_file* p = r->p;
  if (!limb_par_has(p, key)) return;
  for (int i = 0; i < p->list[key].count; i++) {
    if (limb_par_is_idle(p, (par_slot){key, i})) continue;
    limb_report(p->findings, RULE_DROPPED, p->list[key].value[i].mark, limb_par_subject(key),
                "%s: it has numbers other than 0, which have no effect", what);
    return;
  }
  limb_report(p->findings, RULE_IGNORED, p->list[key].mark, limb_par_subject(key), "%s", what);
}

static void note_rest(const par_robot* r)
{
  static const struct {
    par_key key;
    const char* what;
  } unused[] = {{PAR_FX, "an external force is a state, not part of the robot"},
                {PAR_FY, "an external force is a state, not part of the robot"},
                {PAR_FZ, "an external force is a state, not part of the robot"},
                {PAR_CX, "an external moment is a state, not part of the robot"},
                {PAR_CY, "an external moment is a state, not part of the robot"},
                {PAR_CZ, "an external moment is a state, not part of the robot"},
                {PAR_QP, "velocities are a state, not part of the robot"},
                {PAR_QDP, "accelerations are a state, not part of the robot"},
                {PAR_GAM, "torques are a state, not part of the robot"},
                {PAR_W0, "the motion of the base is a state, not part of the robot"},
                {PAR_WP0, "the motion of the base is a state, not part of the robot"},
                {PAR_V0, "the motion of the base is a state, not part of the robot"},
                {PAR_VP0, "the motion of the base is a state, not part of the robot"}};
  par_file* p = r->p;
  for (size_t i = 0; i < sizeof unused / sizeof *unused; i++) note_unused(r, unused[i].key, unused[i].what);
  for (int i = 0; i < p->nsymbol; i++) {
    if (!p->symbol[i].used)
      limb_report(p->findings, RULE_UNUSED, p->symbol[i].value.mark, (limb_subject){"symbol", p->symbol[i].name},
                  "it has a value, and stands nowhere");
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
  if (!take_header(r)) return;
  r->with_base = r->moving && p->list[PAR_M].count == r->nlink + 1;
  if (!check_lists(r)) return;
  r->names = limb_store_take(p->pool, ((size_t)r->nlink + 1) * sizeof *r->names);
  if (!r->names) {
    p->no_memory = 1;
    return;
  }
  if (r->moving) r->s->base = LIMB_BASE_FLOATING;
  take_base(r);
  take_gravity(r);
  take_bodies(r);
  for (int i = 0; i < r->nlink && !p->no_memory; i++) take_joint(r, i);
  for (int i = r->nlink; i < r->njoint && !p->no_memory; i++) limb_par_cut(r, i);
  note_rest(r);
}

limb_status limb_read_par(limb_source* src, const limb_read_options* opt, limb_sketch* s)
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
