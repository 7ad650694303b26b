// The doctor on figures that a body could have, but hardly one of this robot: point masses, sizes and
// masses out of proportion, units.
#include "io/doctor.h"
#include "io/eigen3.h"

#include <math.h>

double limb_gyration(const sp_inertia* Y)
{
  double I[3];
  limb_principal(Y, I, NULL);
  return sqrt(fmax(I[2], 0) / Y->mass);
}

double limb_least_density(const sp_inertia* Y)
{
  // The uniform ellipsoid with second moments s_k has half axes sqrt(5 s_k / m), and no body of its
  // density has smaller ones. The ball around it is looked at, so that rods and plates are welcome.
  double I[3];
  limb_principal(Y, I, NULL);
  const double s = (I[1] + I[2] - I[0]) / 2, a = sqrt(5 * fmax(s, 0) / Y->mass);
  return Y->mass / (4.18879020478639098 * a * a * a);
}

static double largest_moment(const sp_inertia* Y)
{
  double I[3];
  limb_principal(Y, I, NULL);
  return I[2];
}

static int has_rotation(const sp_inertia* Y)
{
  return Y->xx != 0 || Y->yy != 0 || Y->zz != 0 || Y->xy != 0 || Y->xz != 0 || Y->yz != 0;
}

// 1 when the robot would not feel it if the body's own figures were others: it is welded to the world,
// or to something far heavier.
static int is_negligible(const doctor* d, int body)
{
  if (limb_doctor_grounded(d, body)) return 1;
  const sp_inertia* Y = &d->body[body].def.inertia;
  const sp_inertia* group = &d->body[d->body[body].head].group;
  return Y->mass < 0.01 * group->mass && largest_moment(Y) < 0.05 * largest_moment(group);
}

// ---- rotational inertia ---------------------------------------------------------------------------

// A robot made of point masses is a textbook's: that is said once, as a note.
static void check_points(const doctor* d)
{
  int points = 0, solids = 0, first = 0;
  for (int i = 1; i < d->nbody; i++) {
    const sp_inertia* Y = &d->body[i].def.inertia;
    if (Y->mass <= 0 || limb_doctor_slides(d, i)) continue;
    if (has_rotation(Y))
      solids++;
    else if (points++ == 0)
      first = i;
  }
  if (points > 0 && solids == 0) {
    limb_report(d->f, RULE_INERTIA_MISSING, limb_doctor_body_mark(d, first), limb_doctor_body(d, first),
                "it is a point mass, as are all bodies that turn");
    limb_report_as(d->f, LIMB_NOTE);
    return;
  }
  for (int i = 1; points > 0 && i < d->nbody; i++) {
    const sp_inertia *Y = &d->body[i].def.inertia, *group = &d->body[d->body[i].head].group;
    if (Y->mass <= 0 || has_rotation(Y) || limb_doctor_slides(d, i)) continue;
    limb_report(d->f, RULE_INERTIA_MISSING, limb_doctor_body_mark(d, i), limb_doctor_body(d, i),
                "it has a mass of %s kg and no rotational inertia", limb_show(Y->mass).text);
    if (Y->mass < 0.5 * group->mass) limb_report_as(d->f, LIMB_NOTE); // welded to what has inertia
  }
}

static void check_gyration(doctor* d, int body)
{
  const sp_inertia* Y = &d->body[body].def.inertia;
  const double size = d->body[d->body[body].head].size;
  const double k = limb_gyration(Y), density = limb_least_density(Y);
  const limb_mark at = limb_doctor_body_mark(d, body);
  const limb_subject about = limb_doctor_body(d, body);
  if (size > 0 ? k > 2.5 * size && k > 0.2 * d->extent : k > 100) {
    limb_report(d->f, RULE_INERTIA_TOO_LARGE, at, about,
                "radius of gyration %s m, where the joints around are at most %s m apart", limb_show_short(k).text,
                limb_show_short(size).text);
    limb_doctor_unit_cause(d, body);
  } else if (density > LIMB_DENSEST) {
    limb_report(d->f, RULE_INERTIA_TOO_SMALL, at, about,
                "%s kg with a radius of gyration of %s m: at least %s times as dense as the densest "
                "metal",
                limb_show(Y->mass).text, limb_show_short(k).text, limb_show_short(density / LIMB_DENSEST).text);
    limb_doctor_unit_cause(d, body);
  }
}

// ---- centre of mass -------------------------------------------------------------------------------

static void check_com(const doctor* d, int body)
{
  const doctor_body* b = &d->body[body];
  const sp_inertia* Y = &b->def.inertia;
  const double away = sp_norm3(Y->com), k = limb_gyration(Y);
  const double size = fmax(d->body[b->head].size, k);
  const sp_vec3 from_world = sp_point(sp_invert(b->in_world), Y->com);
  const int in_world = k > 0 && away > 5 * size && sp_norm3(from_world) < 1.5 * size;
  if (size == 0 || (away <= 20 * size && !in_world)) return;
  limb_report(d->f, RULE_COM_FAR, limb_doctor_body_mark(d, body), limb_doctor_body(d, body),
              "the centre of mass is %s m from the origin of the body, where the joints around are "
              "at most %s m apart",
              limb_show_short(away).text, limb_show_short(size).text);
  if (in_world)
    limb_report_hint(d->f, "it would lie in the body if it is given in the frame of the root");
  else if (1e-3 * away < 3 * size)
    limb_report_hint(d->f, "it would fit if it is in millimetres");
}

// ---- masses and lengths of the robot --------------------------------------------------------------

static void check_masses(const doctor* d)
{
  int moving = 0;
  for (int k = 0; k < d->njoint; k++) moving += d->joint[k].type != LIMB_FIXED;
  if (moving < 3) return; // a bob on a string is no slip
  for (int i = 1; i < d->nbody; i++) {
    if (d->body[i].joint < 0) continue;
    const double mass = d->body[i].def.inertia.mass;
    const int on_world = d->body[d->joint[d->body[i].joint].parent].head == LIMB_WORLD_BODY;
    if (mass <= 0 || on_world || mass < 1000 * (d->mass - mass)) continue;
    limb_report(d->f, RULE_MASS_HUGE, limb_doctor_body_mark(d, i), limb_doctor_body(d, i),
                "its mass of %s kg is more than a thousand times that of all other moving bodies",
                limb_show(mass).text);
  }
}

static void check_lengths(const doctor* d)
{
  double longest = 0, sum = 0;
  int at = -1;
  for (int k = 0; k < d->njoint; k++) {
    const double length = sp_norm3(d->joint[k].placement.p);
    sum += length;
    if (length <= longest) continue;
    longest = length;
    at = k;
  }
  // Robots that large are heavy: a link of 300 m that weighs 3 kg is one of 300 mm.
  if (longest <= 10 || (d->mass > 0.2 * sum && longest <= 1000)) return;
  limb_report(d->f, RULE_LENGTHS_LARGE, limb_doctor_joint_mark(d, at), limb_doctor_joint(d, at),
              "it is %s m away from the joint before it, and all that moves weighs %s kg",
              limb_show_short(longest).text, limb_show_short(d->mass).text);
  limb_report_hint(d->f, "the lengths seem to be in millimetres");
}

void limb_doctor_sizes(doctor* d)
{
  check_points(d);
  for (int i = 1; i < d->nbody; i++) {
    const sp_inertia* Y = &d->body[i].def.inertia;
    if (d->body[i].joint < 0 || Y->mass <= 0 || is_negligible(d, i)) continue;
    const inertia_fault fault = limb_inertia_judge(Y);
    const int possible = has_rotation(Y) && !limb_doctor_slides(d, i) && fault.negative == 0 && fault.excess == 0;
    if (possible && !d->body[i].placeholder) check_gyration(d, i);
    check_com(d, i);
  }
  check_masses(d);
  check_lengths(d);
}
