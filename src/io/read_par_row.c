// SYMORO .par files, the rows of the table of frames: antecedent, kind of joint, six geometric parameters,
// motor.
#include "io/read_par_impl.h"

#include "io/angles.h"

#include <stdio.h>

limb_subject limb_par_subject(par_key key) { return (limb_subject){"list", limb_par_list_name((int)key)}; }

int limb_par_has(const par_file* p, par_key key) { return p->list[key].mark.line > 0; }

int limb_par_entry(const par_robot* r, par_key key, int index, double* x)
{
  *x = 0;
  return !limb_par_has(r->p, key) || limb_par_number(r->p, (par_slot){key, index}, RULE_MISSING_KEY, x);
}

const char* limb_par_numbered(const par_robot* r, const char* stem, int number)
{
  char text[32];
  const int n = snprintf(text, sizeof text, "%s%d", stem, number);
  const char* name = limb_store_text(r->p->pool, text, (size_t)n);
  if (!name) r->p->no_memory = 1;
  return name;
}

// ---- rows -----------------------------------------------------------------------------------------

static sp_mat3 rot_x(double angle) { return limb_rot_rpy((const double[3]){angle, 0, 0}); }
static sp_mat3 rot_z(double angle) { return limb_rot_rpy((const double[3]){0, 0, angle}); }

sp_pose limb_par_row_pose(const par_row* m)
{
  const sp_pose first = sp_pose_make(rot_z(m->gamma), sp_v3(0, 0, m->b));
  const sp_pose second = sp_pose_make(rot_x(m->alpha), sp_v3(m->d, 0, 0));
  const sp_pose third = sp_pose_make(rot_z(m->theta), sp_v3(0, 0, m->r));
  return sp_compose(first, sp_compose(second, third));
}

// theta or r of joint i: constant when the joint does not move it.
static int moved(const par_robot* r, par_key key, int i, int moves, par_row* m, double* x)
{
  if (!moves) return limb_par_entry(r, key, i, x);
  if (!limb_par_variable(r->p, (par_slot){key, i}, i + 1, x, &m->sign)) return 0;
  if (m->sign == 0) {
    limb_report(r->p->findings, RULE_ASSUMED, r->p->list[key].value[i].mark, limb_par_subject(key),
                "entry %d has no joint variable: it is taken as the value at q = 0", i + 1);
    m->sign = 1;
  }
  return 1;
}

// Angles are in radians. Told once per list.
static void doubt_angles(const par_robot* r, int i, const par_row* m)
{
  static const par_key keys[3] = {PAR_GAMMA, PAR_ALPHA, PAR_THETA};
  const double angle[3] = {m->gamma, m->alpha, m->theta};
  for (int n = 0; n < 3; n++) {
    if (!limb_looks_like_degrees(angle[n])) continue;
    const par_value* v = &r->p->list[keys[n]].value[i];
    const int length = v->end - v->text > 60 ? 60 : (int)(v->end - v->text);
    limb_report_once(r->p->findings, RULE_ANGLE_DEGREES, v->mark, limb_par_subject(keys[n]),
                     "entry %d, '%.*s', is more than a turn", i + 1, length, v->text);
    limb_report_hint(r->p->findings, "a right angle is Pi/2");
  }
}

// Links carry links and frames. Frames behind those of the joints are fixed, and carry each other as well.
static int can_carry(const par_robot* r, int ant, int i)
{
  if (ant >= 0 && ant <= r->nlink) return ant != i + 1;
  return i >= r->njoint && ant > r->njoint && ant <= r->nframe && ant != i + 1;
}

int limb_par_take_row(const par_robot* r, int i, par_row* m)
{
  par_file* p = r->p;
  m->sign = 1;
  int good =
    limb_par_integer(p, (par_slot){PAR_ANT, i}, &m->ant) & limb_par_integer(p, (par_slot){PAR_SIGMA, i}, &m->sigma);
  if (!good) return 0;
  if (!can_carry(r, m->ant, i)) {
    limb_report(p->findings, RULE_BAD_VALUE, p->list[PAR_ANT].value[i].mark, limb_par_subject(PAR_ANT),
                i < r->nlink ? "link %d cannot hang on link %d" : "frame %d cannot hang on frame %d", i + 1, m->ant);
    good = 0;
  }
  if (m->sigma < 0 || m->sigma > 2) {
    limb_report(p->findings, RULE_BAD_VALUE, p->list[PAR_SIGMA].value[i].mark, limb_par_subject(PAR_SIGMA),
                "entry %d is %d; 0 is a rotation, 1 a translation, 2 fixed", i + 1, m->sigma);
    good = 0;
  }
  good &= limb_par_entry(r, PAR_B, i, &m->b) & limb_par_entry(r, PAR_D, i, &m->d);
  good &= limb_par_entry(r, PAR_GAMMA, i, &m->gamma) & limb_par_entry(r, PAR_ALPHA, i, &m->alpha);
  good &= moved(r, PAR_THETA, i, m->sigma == 0, m, &m->theta);
  good &= moved(r, PAR_R, i, m->sigma == 1, m, &m->r);
  if (good) doubt_angles(r, i, m);
  return good;
}

int limb_par_is_passive(const par_robot* r, int i)
{
  double mu = 1;
  if (!limb_par_has(r->p, PAR_MU) || !limb_par_entry(r, PAR_MU, i, &mu)) return 0;
  if (mu != 0 && mu != 1)
    limb_report(r->p->findings, RULE_BAD_VALUE, r->p->list[PAR_MU].value[i].mark, limb_par_subject(PAR_MU),
                "entry %d is neither 0 (passive) nor 1 (with a motor)", i + 1);
  return mu == 0;
}
