// Tables of `limb info`: joints, bodies, frames, elastic joints, the compiled robot; as text and as JSON.
#include "commands/info.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// ---- joints ----------------------------------------------------------------------------------------

// Numbers of a joint: their keys in JSON; in text their headings, in groups that are shown if some joint has one.
typedef struct joint_field {
  const char *key, *heading; // heading NULL: only in JSON
  char group;
  size_t at;
} joint_field;

#define AT(member) offsetof(limb_joint_def, member)
static const joint_field joint_fields[] = {
  {"q_min", "from", 'q', AT(q_min)},
  {"q_max", "to", 'q', AT(q_max)},
  {"v_max", "speed", 'v', AT(v_max)},
  {"effort_max", "effort", 'e', AT(effort_max)},
  {"a_max", "accel", 'a', AT(a_max)},
  {"deceleration_max", "decel", 'd', AT(deceleration_max)},
  {"jerk_max", "jerk", 'j', AT(jerk_max)},
  {"coulomb", "Fs", 'f', AT(coulomb)},
  {"viscous", "Fv", 'f', AT(viscous)},
  {"rotor_inertia", "rotor", 'r', AT(rotor_inertia)},
  {"gear_ratio", NULL, 0, AT(gear_ratio)},
  {"stiffness", "spring", 's', AT(stiffness)},
  {"rest", NULL, 0, AT(rest)},
  {"start", NULL, 0, AT(start)},
};

static double number_of(const limb_joint_def* def, const joint_field* f)
{
  double x;
  memcpy(&x, (const char*)def + f->at, sizeof x);
  return x;
}

// Limits that are not set are infinite, everything else that is not there is zero.
static int is_set(double x) { return isfinite(x) && x != 0; }

// Groups of which some joint has a number; and 'm' mimic, 'p' passive.
static void used_groups(const limb_model* m, char used[COUNT_OF(joint_fields) + 3])
{
  limb_joint_info x;
  int n = 0, mimic = 0, passive = 0;
  for (int j = 0; limb_get_joint(m, j, &x) == LIMB_OK; j++) mimic |= x.def.mimic >= 0, passive |= x.passive;
  for (int i = 0; i < COUNT_OF(joint_fields); i++) {
    int any = 0;
    for (int j = 0; limb_get_joint(m, j, &x) == LIMB_OK; j++) any |= is_set(number_of(&x.def, &joint_fields[i]));
    if (any && joint_fields[i].heading) used[n++] = joint_fields[i].group;
  }
  if (mimic) used[n++] = 'm';
  if (passive) used[n++] = 'p';
  used[n] = '\0';
}

static int is_shown(const joint_field* f, const char* used) { return f->heading && strchr(used, f->group); }

static void mimic_cell(cli_table* t, const limb_model* m, const limb_joint_def* def)
{
  if (def->mimic < 0)
    cli_cell(t, "%s", "");
  else if (def->offset != 0)
    cli_cell(t, "%.6g %s %+.6g", def->multiplier, cli_joint_name(m, def->mimic), def->offset);
  else
    cli_cell(t, "%.6g %s", def->multiplier, cli_joint_name(m, def->mimic));
}

// The body that a user sees: not an auxiliary one, but the one that it stands for.
static const char* seen_body(const info_run* r, int body)
{
  const int other = r->compiled ? -1 : limb_stands_for(r->m, body);
  return cli_body_name(r->m, other >= 0 ? other : body);
}

static void joint_row(cli_table* t, const info_run* r, const char* used, const limb_joint_info* x)
{
  const limb_joint_def* def = &x->def;
  cli_cell(t, "%s", def->name);
  cli_cell(t, "%s", limb_joint_type_name(def->type));
  cli_cell(t, "%s -> %s", cli_body_name(r->m, def->parent), seen_body(r, def->child));
  if (x->nq == 0) cli_cell(t, "%s", "");
  if (x->nq == 1) cli_cell(t, "%d", x->q);
  if (x->nq > 1) cli_cell(t, "%d-%d", x->q, x->q + x->nq - 1);
  for (int i = 0; i < COUNT_OF(joint_fields); i++) {
    const joint_field* f = &joint_fields[i];
    const double reflected = f->at == AT(rotor_inertia) ? def->gear_ratio * def->gear_ratio : 1;
    if (is_shown(f, used)) cli_cell_number(t, reflected * number_of(def, f));
  }
  if (strchr(used, 'm')) mimic_cell(t, r->m, def);
  if (strchr(used, 'p')) cli_cell(t, "%s", x->passive ? "passive" : "");
}

// Headings of the groups that are used.
static void joint_form(const char* used, char* form, size_t size)
{
  size_t n = (size_t)snprintf(form, size, "<joint;<type;<parent -> child;>q");
  for (int i = 0; i < COUNT_OF(joint_fields); i++)
    if (is_shown(&joint_fields[i], used)) n += (size_t)snprintf(form + n, size - n, ";>%s", joint_fields[i].heading);
  (void)snprintf(form + n, size - n, "%s%s", strchr(used, 'm') ? ";<follows" : "", strchr(used, 'p') ? ";<drive" : "");
}

void info_print_joints(const info_run* r)
{
  char used[COUNT_OF(joint_fields) + 3], form[200];
  limb_joint_info x;
  used_groups(r->m, used);
  joint_form(used, form, sizeof form);
  cli_table t = cli_table_make(form);
  for (int j = 0; limb_get_joint(r->m, j, &x) == LIMB_OK; j++)
    if (r->compiled || !limb_joint_is_auxiliary(r->m, j)) joint_row(&t, r, used, &x);
  info_heading("joints");
  printf(" (rad, m, N m, N; q: index of the first coordinate%s)\n",
         strchr(used, 'r') ? "; rotor: reflected inertia" : "");
  cli_table_print(&t, stdout, "  ");
}

// The elastic joints, or this one; in series with a motor or lumped in the joint. series: some are.
static cli_table elastic_table(const info_run* r, int joint, int series)
{
  static const char lumped[] = "<joint=;<kind;>k=stiffness;>rest;>damping;>Hz=frequency;>rotor=rotor_inertia";
  static const char all[] =
    "<joint=;<kind;>k=stiffness;>rest;>damping;>Hz=frequency;>rotor=rotor_inertia;>ratio;<motor;<model";
  cli_table t = cli_table_make(series ? all : lumped);
  for (int i = 0; i < r->nelastic; i++) {
    const limb_elastic_joint* e = &r->elastic[i];
    if (joint >= 0 && e->joint != joint) continue;
    cli_cell(&t, "%s", cli_joint_name(r->m, e->joint)), cli_cell(&t, "%s", e->series ? "series" : "lumped");
    cli_cell_number(&t, e->stiffness), cli_cell_number(&t, e->rest), cli_cell_number(&t, e->damping);
    cli_cell_number(&t, e->frequency), cli_cell_number(&t, e->rotor_inertia);
    if (!series) continue;
    if (e->series)
      cli_cell_number(&t, e->ratio), cli_cell(&t, "%s", cli_joint_name(r->m, e->motor));
    else
      cli_cell_json(&t, NULL, "%s", ""), cli_cell_json(&t, NULL, "%s", "");
    cli_cell_json(&t, e->series ? cli_json_text(e->rotor_has_mass ? "full" : "spong") : NULL, "%s",
                  !e->series          ? ""
                  : e->rotor_has_mass ? "full"
                                      : "spong");
  }
  return t;
}

void info_print_elastic(const info_run* r)
{
  if (r->nelastic == 0) return;
  cli_table t = elastic_table(r, -1, limb_shaft_count(r->m) > 0);
  info_heading("elastic");
  printf(" (N m/rad, N m s/rad, kg m^2; or N/m, N s/m, kg; Hz: alone, at the neutral configuration)\n");
  cli_table_print(&t, stdout, "  ");
}

static json_t* joint_json(const info_run* r, int joint, const limb_joint_info* x)
{
  const limb_joint_def* def = &x->def;
  json_t* out =
    cli_json_object("name type parent child placement axis q nq", cli_json_text(def->name),
                    cli_json_text(limb_joint_type_name(def->type)), cli_json_text(cli_body_name(r->m, def->parent)),
                    cli_json_text(cli_body_name(r->m, def->child)), cli_json_pose(def->placement),
                    cli_json_vec3(def->axis), json_integer(x->q), json_integer(x->nq));
  cli_json_set(out, "v nv auxiliary passive", json_integer(x->v), json_integer(x->nv),
               json_boolean(limb_joint_is_auxiliary(r->m, joint)), json_boolean(x->passive));
  for (int i = 0; i < COUNT_OF(joint_fields); i++)
    (void)json_object_set_new(out, joint_fields[i].key, cli_json_number(number_of(def, &joint_fields[i])));
  if (def->mimic >= 0) {
    json_t* mimic = cli_json_object("joint multiplier offset", cli_json_text(cli_joint_name(r->m, def->mimic)),
                                    cli_json_number(def->multiplier), cli_json_number(def->offset));
    (void)json_object_set_new(out, "mimic", mimic);
  }
  cli_table elastic = elastic_table(r, joint, 1);
  json_t* rows = cli_table_json(&elastic);
  if (json_array_size(rows) > 0) (void)json_object_set(out, "elastic", json_array_get(rows, 0));
  json_decref(rows);
  return out;
}

json_t* info_json_joints(const info_run* r)
{
  json_t* list = json_array();
  limb_joint_info x;
  for (int j = 0; limb_get_joint(r->m, j, &x) == LIMB_OK; j++) (void)json_array_append_new(list, joint_json(r, j, &x));
  return list;
}

// ---- bodies and frames -----------------------------------------------------------------------------

void info_print_bodies(const info_run* r)
{
  cli_table t = cli_table_make("<body;>mass;>cx;>cy;>cz;>Ixx;>Iyy;>Izz;>Ixy;>Ixz;>Iyz");
  for (int b = 1; b < limb_body_count(r->m); b++) {
    limb_body_info x;
    if (limb_get_body(r->m, b, &x) != LIMB_OK || (!r->compiled && limb_stands_for(r->m, b) >= 0)) continue;
    const sp_inertia* Y = &x.inertia;
    const double numbers[] = {Y->mass, Y->com.x, Y->com.y, Y->com.z, Y->xx, Y->yy, Y->zz, Y->xy, Y->xz, Y->yz};
    cli_cell(&t, "%s", x.name);
    for (int k = 0; k < COUNT_OF(numbers); k++) cli_cell_number(&t, numbers[k]);
  }
  info_heading("bodies");
  printf(" (kg, m, kg m^2 about the centre of mass)\n");
  cli_table_print(&t, stdout, "  ");
}

static int turned(const sp_inertia* Y) { return Y->xy != 0 || Y->xz != 0 || Y->yz != 0; }

// Principal moments and axes of the bodies whose axes are not the principal ones.
void info_print_principal(const info_run* r)
{
  cli_table t = cli_table_make("<body;>I1;>I2;>I3;>axis 1;>;>;>axis 2;>;>;>axis 3;>;>");
  for (int b = 1; b < limb_body_count(r->m); b++) {
    limb_body_info x;
    double moment[3];
    sp_mat3 R;
    if (limb_get_body(r->m, b, &x) != LIMB_OK || !turned(&x.inertia)) continue;
    limb_inertia_principal(&x.inertia, moment, &R);
    R = sp_transpose3(R); // row k: axis k
    cli_cell(&t, "%s", x.name);
    for (int k = 0; k < 3; k++) cli_cell_number(&t, cli_clean(moment[k], moment[2]));
    for (int k = 0; k < 9; k++) cli_cell(&t, "%.6g", fabs(R.m[k]) < 1e-12 ? 0 : R.m[k]);
  }
  if (t.count == 0) return;
  info_heading("principal axes");
  printf(" (kg m^2; unit vectors in body axes; those of other bodies are x, y, z)\n");
  cli_table_print(&t, stdout, "  ");
}

static json_t* axes_json(const sp_mat3* R)
{
  json_t* axes = json_array();
  for (int k = 0; k < 3; k++)
    (void)json_array_append_new(axes, cli_json_vec3(sp_v3(R->m[k], R->m[3 + k], R->m[6 + k])));
  return axes;
}

json_t* info_json_bodies(const limb_model* m)
{
  json_t* list = json_array();
  for (int b = 1; b < limb_body_count(m); b++) {
    limb_body_info x;
    if (limb_get_body(m, b, &x) != LIMB_OK) continue;
    json_t* body = cli_json_inertia(&x.inertia);
    double moment[3];
    sp_mat3 R;
    limb_inertia_principal(&x.inertia, moment, &R);
    cli_json_set(body, "principal_moments principal_axes", cli_json_numbers(3, moment), axes_json(&R));
    cli_json_set(body, "name parent auxiliary", cli_json_text(x.name), cli_json_text(cli_body_name(m, x.parent)),
                 json_boolean(limb_stands_for(m, b) >= 0));
    (void)json_array_append_new(list, body);
  }
  return list;
}

json_t* info_json_frames(const limb_model* m)
{
  json_t* list = json_array();
  limb_frame_info x;
  for (int f = limb_body_count(m); limb_get_frame(m, f, &x) == LIMB_OK; f++) {
    json_t* frame = cli_json_pose(x.pose);
    cli_json_set(frame, "name body", cli_json_text(x.name), cli_json_text(cli_body_name(m, x.body)));
    (void)json_array_append_new(list, frame);
  }
  return list;
}
