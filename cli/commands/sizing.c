// The sizing table: one list of numbers per degree of freedom, as text tables, JSON and CSV.
#include "limb/table.h"

#include "base/command.h"
#include "base/output.h"
#include "base/print.h"
#include "commands/id.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define AT(member)         offsetof(limb_sizing_dof, member)
#define NUMBER(record, at) (*(const double*)((const char*)(record) + (at)))

// One number of a degree of freedom: its column in CSV, its key in JSON, its column in a text table.
typedef struct field {
  const char* csv;   // NULL: not in CSV
  const char* group; // object in JSON; NULL: none
  const char* key;
  size_t at;
  const char* table;  // name of the text table
  const char* column; // its heading; NULL: not shown
  int follower;       // 1: followers have it, too
  enum { TORQUE, SPEED, POSITION, SECONDS, WATT, JOULE, TORQUE_LIMIT, SPEED_LIMIT, RANGE, MARGIN } kind;
} field;

static const field fields[] = {
  {"peak_torque", "peak_torque", "value", AT(torque.value), "torque", "peak", 0, TORQUE},
  {"peak_torque_time", "peak_torque", "time", AT(torque.time), "torque", "at", 0, SECONDS},
  {"peak_torque_speed", "peak_torque", "speed", AT(torque.other), "torque", "speed then", 0, SPEED},
  {"rms_torque", NULL, "rms_torque", AT(torque_rms), "torque", "rms", 0, TORQUE},
  {"torque_limit", NULL, "torque_limit", AT(torque_limit), "torque", "limit", 0, TORQUE_LIMIT},
  {"peak_speed", "peak_speed", "value", AT(speed.value), "speed", "peak", 1, SPEED},
  {"peak_speed_time", "peak_speed", "time", AT(speed.time), "speed", "at", 1, SECONDS},
  {"peak_speed_torque", "peak_speed", "torque", AT(speed.other), "speed", "torque then", 0, TORQUE},
  {"speed_limit", NULL, "speed_limit", AT(speed_limit), "speed", "limit", 1, SPEED_LIMIT},
  {"peak_power", "peak_power", "value", AT(power.value), "power", "peak", 0, WATT},
  {"peak_power_time", "peak_power", "time", AT(power.time), "power", "at", 0, SECONDS},
  {"mean_absolute_power", NULL, "mean_absolute_power", AT(mean_power), "power", "mean of |P|", 0, WATT},
  {"energy_delivered", NULL, "energy_delivered", AT(energy_delivered), "power", "energy delivered", 0, JOULE},
  {"energy_absorbed", NULL, "energy_absorbed", AT(energy_absorbed), "power", "energy absorbed", 0, JOULE},
  {"q_min", "position", "min", AT(q_min), "position", "min", 1, POSITION},
  {NULL, "position", "min_time", AT(q_min_time), "position", "at", 1, SECONDS},
  {"q_max", "position", "max", AT(q_max), "position", "max", 1, POSITION},
  {NULL, "position", "max_time", AT(q_max_time), "position", "at", 1, SECONDS},
  {"q_lower_limit", "position", "lower_limit", AT(q_lower), "position", "limits", 1, RANGE},
  {"q_upper_limit", "position", "upper_limit", AT(q_upper), "position", NULL, 1, RANGE},
  {NULL, "position", "margin", AT(margin), "position", "margin to the nearest limit", 1, MARGIN},
};

// The load of a joint that a user described.
static int has_load(const cli_sizing* s, int joint, limb_sizing_load* out)
{
  return limb_sizing_get_load(s->sizing, joint, out) == LIMB_OK && !limb_joint_is_auxiliary(s->robot->model, joint);
}

// Name and units of a follower.
static cli_dof follower_dof(const cli_sizing* s, const limb_sizing_follower* f)
{
  limb_joint_info x = {.def = {.name = "?"}};
  (void)!limb_get_joint(s->robot->model, f->motion.joint, &x);
  return (cli_dof){.name = x.def.name, .joint = f->motion.joint, .linear = x.def.type == LIMB_PRISMATIC};
}

static const double NOISE = 1e-11; // rad/s, N m ...: what rounding leaves of zero

// ---- text ------------------------------------------------------------------------------------------

// "12.3 N m"; rounding is zero.
static void cell_unit(cli_table* t, double x, const char* unit)
{
  if (isfinite(x))
    cli_cell(t, "%.4g %s", fabs(x) < NOISE ? 0.0 : x, unit);
  else
    cli_cell(t, "-");
}

// How much of a limit is used: "37 %", "112 % OVER", "-" without one.
static void cell_used(cli_table* t, double x, double limit)
{
  if (!isfinite(limit))
    cli_cell(t, "-");
  else if (limit == 0)
    cli_cell(t, "%s", x == 0 ? "0 %" : "OVER");
  else
    cli_cell(t, "%.0f %%%s", 100 * fabs(x) / limit, fabs(x) > limit ? " OVER" : "");
}

static void put_range(cli_table* t, const limb_sizing_dof* d, const char* unit)
{
  if (isfinite(d->q_lower) || isfinite(d->q_upper))
    cli_cell(t, "%.4g ... %.4g %s", d->q_lower, d->q_upper, unit);
  else
    cli_cell(t, "-");
}

static void put_margin(cli_table* t, double x, const char* unit)
{
  if (isfinite(x))
    cli_cell(t, "%.4g %s%s", x == 0 ? 0.0 : x, unit, x < 0 ? " OVER" : "");
  else
    cli_cell(t, "-");
}

// A number with its unit; limits also with how much of them is used.
static void put_cells(cli_table* t, const field* f, const limb_sizing_dof* d, const cli_dof* dof)
{
  const double x = NUMBER(d, f->at);
  switch (f->kind) {
  case TORQUE: cell_unit(t, x, limb_force_unit(dof)); break;
  case SPEED: cell_unit(t, x, limb_velocity_unit(dof)); break;
  case POSITION: cell_unit(t, x, limb_position_unit(dof)); break;
  case SECONDS: cell_unit(t, x, "s"); break;
  case WATT: cell_unit(t, x, "W"); break;
  case JOULE: cell_unit(t, x, "J"); break;
  case TORQUE_LIMIT: cell_unit(t, x, limb_force_unit(dof)), cell_used(t, d->torque.value, x); break;
  case SPEED_LIMIT: cell_unit(t, x, limb_velocity_unit(dof)), cell_used(t, d->speed.value, x); break;
  case RANGE: put_range(t, d, limb_position_unit(dof)); break;
  case MARGIN: put_margin(t, x, limb_position_unit(dof)); break;
  }
}

static int is_shown(const field* f, const char* table) { return f->column && strcmp(f->table, table) == 0; }

static void put_row(cli_table* t, const char* table, const limb_sizing_dof* d, const cli_dof* dof)
{
  if (!d->has_position && strcmp(table, "position") == 0) return;
  cli_cell(t, "%s", dof->name);
  for (int i = 0; i < COUNT_OF(fields); i++)
    if (is_shown(&fields[i], table)) put_cells(t, &fields[i], d, dof);
}

static void print_table(const cli_sizing* s, const char* table, FILE* out)
{
  const int power = strcmp(table, "power") == 0, followers = !power && strcmp(table, "torque") != 0;
  char form[400];
  size_t n = (size_t)snprintf(form, sizeof form, "<%s", table);
  limb_sizing_dof d;
  limb_sizing_follower f;
  for (int i = 0; i < COUNT_OF(fields); i++) {
    if (!is_shown(&fields[i], table)) continue;
    const int limit = fields[i].kind == TORQUE_LIMIT || fields[i].kind == SPEED_LIMIT;
    n += (size_t)snprintf(form + n, sizeof form - n, ";%c%s%s", fields[i].kind == MARGIN ? '<' : '>', fields[i].column,
                          limit ? ";<used" : "");
  }
  cli_table t = cli_table_make(form);
  for (int k = 0; limb_sizing_get_dof(s->sizing, k, &d) == LIMB_OK; k++) put_row(&t, table, &d, &s->robot->dofs.v[k]);
  for (int k = 0; followers && limb_sizing_get_follower(s->sizing, k, &f) == LIMB_OK; k++) {
    const cli_dof dof = follower_dof(s, &f);
    f.motion.speed.other = HUGE_VAL;
    put_row(&t, table, &f.motion, &dof);
  }
  if (power) {
    const limb_sizing_summary sum = limb_sizing_get_summary(s->sizing);
    cli_cell(&t, "all together"), cli_cell(&t, "%s", ""), cli_cell(&t, "%s", ""), cli_cell(&t, "%s", "");
    cell_unit(&t, sum.energy_delivered, "J"), cell_unit(&t, sum.energy_absorbed, "J");
  }
  cli_table_print(&t, out, "");
  (void)fputs("\n", out);
}

static void load_row(cli_table* t, const char* name, const limb_sizing_load* l)
{
  cli_cell(t, "%s", name);
  cell_unit(t, l->force, "N"), cell_unit(t, l->force_time, "s");
  cell_unit(t, l->moment, "N m"), cell_unit(t, l->moment_time, "s");
}

// Loads on joints, and on the closures that transmit wrenches.
static void print_loads(const cli_sizing* s, FILE* out)
{
  const limb_model* m = s->robot->model;
  cli_table t = cli_table_make("<load on the joint;>peak force;>at;>peak moment;>at");
  limb_joint_info joint;
  limb_loop_info loop;
  limb_sizing_load l;
  int idle = 0, closures = 0; // idle: only frames without mass are attached to them
  for (int j = 0; limb_get_joint(m, j, &joint) == LIMB_OK; j++) {
    if (!has_load(s, j, &l)) continue;
    if (joint.nv == 0 && l.force == 0 && l.moment == 0)
      idle++;
    else
      load_row(&t, joint.def.name, &l);
  }
  cli_table_print(&t, out, "");
  if (idle) (void)fprintf(out, "%d fixed joint%s nothing\n", idle, idle == 1 ? " carries" : "s carry");
  t = cli_table_make("<load on the closure;>peak force;>at;>peak moment;>at");
  for (int i = 0; limb_get_loop(m, i, &loop) == LIMB_OK; i++) {
    if (limb_sizing_get_loop_load(s->sizing, i, &l) != LIMB_OK) continue;
    load_row(&t, loop.def.name, &l);
    closures++;
  }
  if (closures) (void)fputs("\n", out);
  if (closures)
    cli_table_print(&t, out, "");
  else
    cli_table_free(&t);
}

static void cell_wear(cli_table* t, limb_sizing_wear w, const char* unit)
{
  cell_unit(t, w.peak, unit), cell_unit(t, w.mean, unit);
}

static void print_bearings(const cli_sizing* s, FILE* out)
{
  cli_table t = cli_table_make("<bearing;>axial: peak;>mean;>radial: peak;>mean;>tilting moment: peak;>mean");
  limb_joint_info joint;
  limb_sizing_load l;
  limb_sizing_bearing b;
  int rows = 0;
  for (int j = 0; limb_get_joint(s->robot->model, j, &joint) == LIMB_OK; j++) {
    if (!has_load(s, j, &l) || limb_sizing_get_bearing(s->sizing, j, &b) != LIMB_OK) continue;
    cli_cell(&t, "%s", joint.def.name);
    cell_wear(&t, b.axial, "N"), cell_wear(&t, b.radial, "N"), cell_wear(&t, b.tilting, "N m");
    rows++;
  }
  if (rows)
    (void)fputs("\n", out), cli_table_print(&t, out, "");
  else
    cli_table_free(&t);
}

static int print_text(const cli_sizing* s, FILE* out)
{
  const sp_vec3 g = s->robot->env.gravity;
  const limb_sizing_summary sum = limb_sizing_get_summary(s->sizing);
  (void)fprintf(out, "%s along %s: %llu row%s, %.6g s\n", limb_model_name(s->robot->model), s->trajectory,
                (unsigned long long)sum.rows, sum.rows == 1 ? "" : "s", sum.duration);
  (void)fprintf(out, "gravity (%g, %g, %g) m/s^2, friction %s\n\n", g.x, g.y, g.z,
                s->robot->env.friction ? "as in the model" : "left out");
  print_table(s, "torque", out);
  print_table(s, "speed", out);
  print_table(s, "power", out);
  print_table(s, "position", out);
  print_loads(s, out);
  print_bearings(s, out);
  (void)fputs(
    "\nPeaks are the largest magnitudes, with their signs. Energy is delivered by the actuator, or absorbed by "
    "it\n(braking). Loads are of the whole wrench through the joint, the driven axis included; bearings carry all but "
    "that.\nMeans of bearings are cubic over the travel of the joint (ISO 281).\n",
    out);
  return EXIT_FINE;
}

// ---- JSON ------------------------------------------------------------------------------------------

// What is left of a limit in percent, negative beyond it; null without one.
static json_t* json_margin(double x, double limit)
{
  return limit > 0 && isfinite(limit) ? cli_json_number(100 * (1 - fabs(x) / limit)) : json_null();
}

static void put_fields(json_t* r, const limb_sizing_dof* d, int follower)
{
  for (int i = 0; i < COUNT_OF(fields); i++) {
    const field* f = &fields[i];
    if (follower && !f->follower) continue;
    json_t *group = f->group ? json_object_get(r, f->group) : r, *x = cli_json_number(NUMBER(d, f->at));
    if (!group) {
      group = json_object();
      (void)json_object_set_new(r, f->group, group);
    }
    (void)json_object_set_new(group, f->key, x);
  }
  if (!d->has_position) (void)json_object_set_new(r, "position", json_null());
  if (!follower) cli_json_set(r, "torque_margin_percent", json_margin(d->torque.value, d->torque_limit));
  cli_json_set(r, "speed_margin_percent", json_margin(d->speed.value, d->speed_limit));
}

static json_t* json_dofs(const cli_sizing* s)
{
  json_t* list = json_array();
  limb_sizing_dof d;
  for (int k = 0; limb_sizing_get_dof(s->sizing, k, &d) == LIMB_OK; k++) {
    const cli_dof* dof = &s->robot->dofs.v[k];
    json_t* r = cli_json_object("name torque_unit speed_unit", cli_json_text(dof->name),
                                cli_json_text(limb_force_unit(dof)), cli_json_text(limb_velocity_unit(dof)));
    put_fields(r, &d, 0);
    (void)json_array_append_new(list, r);
  }
  return list;
}

// Joints that follow others: their motion against their own limits.
static json_t* json_followers(const cli_sizing* s)
{
  json_t* list = json_array();
  limb_sizing_follower f;
  for (int k = 0; limb_sizing_get_follower(s->sizing, k, &f) == LIMB_OK; k++) {
    const cli_dof dof = follower_dof(s, &f);
    json_t* r =
      cli_json_object("joint follows speed_unit", cli_json_text(dof.name),
                      cli_json_text(s->robot->dofs.v[f.leader].name), cli_json_text(limb_velocity_unit(&dof)));
    put_fields(r, &f.motion, 1);
    (void)json_array_append_new(list, r);
  }
  return list;
}

static json_t* json_wrench(double value, double time, const sp_force* w)
{
  const double x[6] = {w->m.x, w->m.y, w->m.z, w->f.x, w->f.y, w->f.z};
  return cli_json_object("value time wrench", cli_json_number(value), cli_json_number(time), cli_json_numbers(6, x));
}

static json_t* json_wear(limb_sizing_wear w)
{
  return cli_json_object("peak mean", cli_json_number(w.peak), cli_json_number(w.mean));
}

static json_t* json_bearing(const cli_sizing* s, int joint)
{
  limb_sizing_bearing b;
  if (limb_sizing_get_bearing(s->sizing, joint, &b) != LIMB_OK) return json_null();
  return cli_json_object("axial radial tilting travel", json_wear(b.axial), json_wear(b.radial), json_wear(b.tilting),
                         cli_json_number(b.travel));
}

static json_t* add_load(json_t* list, const char* kind, const char* name, const limb_sizing_load* l)
{
  json_t* r = json_object();
  (void)json_object_set_new(r, kind, cli_json_text(name));
  cli_json_set(r, "peak_force peak_moment", json_wrench(l->force, l->force_time, &l->at_force),
               json_wrench(l->moment, l->moment_time, &l->at_moment));
  (void)json_array_append_new(list, r);
  return r;
}

static int print_json(const cli_sizing* s, FILE* out)
{
  const limb_sizing_summary sum = limb_sizing_get_summary(s->sizing);
  json_t *r = cli_json_answer(), *joints = json_array(), *loops = json_array();
  limb_loop_info loop;
  limb_sizing_load l;
  for (int j = 0; j < limb_joint_count(s->robot->model); j++)
    if (has_load(s, j, &l))
      cli_json_set(add_load(joints, "joint", cli_joint_name(s->robot->model, j), &l), "bearing", json_bearing(s, j));
  for (int i = 0; limb_get_loop(s->robot->model, i, &loop) == LIMB_OK; i++)
    if (limb_sizing_get_loop_load(s->sizing, i, &l) == LIMB_OK) (void)add_load(loops, "loop", loop.def.name, &l);
  cli_json_set(r, "model trajectory gravity friction rows duration", cli_json_text(limb_model_name(s->robot->model)),
               cli_json_text(s->trajectory), cli_json_vec3(s->robot->env.gravity), json_boolean(s->robot->env.friction),
               json_integer((json_int_t)sum.rows), cli_json_number(sum.duration));
  cli_json_set(r, "dofs followers loads loop_loads", json_dofs(s), json_followers(s), joints, loops);
  return cli_json_print(r, out, "limb id");
}

// ---- CSV -------------------------------------------------------------------------------------------

// Numbers of a degree of freedom or of a follower; d NULL: none. What is not there is an empty field.
static limb_status csv_fields(limb_csv_writer* w, const limb_sizing_dof* d, int follower)
{
  limb_status status = LIMB_OK;
  for (int i = 0; i < COUNT_OF(fields) && status == LIMB_OK; i++) {
    if (!fields[i].csv) continue;
    const double x = d && (!follower || fields[i].follower) ? NUMBER(d, fields[i].at) : HUGE_VAL;
    status = isfinite(x) ? limb_csv_number(w, x) : limb_csv_text(w, "");
  }
  return status;
}

// What the bearing carries; NULL: there is none.
static limb_status csv_bearing(limb_csv_writer* w, const limb_sizing_bearing* b)
{
  limb_status status = LIMB_OK;
  if (b)
    return limb_csv_numbers(
      w,
      (const double[]){b->axial.peak, b->axial.mean, b->radial.peak, b->radial.mean, b->tilting.peak, b->tilting.mean},
      6);
  for (int k = 0; k < 6 && status == LIMB_OK; k++) status = limb_csv_text(w, "");
  return status;
}

// One row: names, numbers of the motion, the load, the bearing.
static limb_status csv_row(limb_csv_writer* w, const char* const names[3], const limb_sizing_dof* d, int follower,
                           const limb_sizing_load* l, const limb_sizing_bearing* b)
{
  const double load[] = {l->force, l->force_time, l->moment, l->moment_time};
  limb_status status = limb_csv_text(w, names[0]);
  if (status == LIMB_OK) status = limb_csv_text(w, names[1]);
  if (status == LIMB_OK) status = csv_fields(w, d, follower);
  if (status == LIMB_OK) status = limb_csv_numbers(w, load, 4);
  if (status == LIMB_OK) status = csv_bearing(w, b);
  if (status == LIMB_OK) status = limb_csv_text(w, names[2]);
  return status == LIMB_OK ? limb_csv_end_row(w) : status;
}

static limb_status csv_head(limb_csv_writer* w)
{
  static const char* const load[] = {"peak_force",
                                     "peak_force_time",
                                     "peak_moment",
                                     "peak_moment_time",
                                     "peak_axial_force",
                                     "mean_axial_force",
                                     "peak_radial_force",
                                     "mean_radial_force",
                                     "peak_tilting_moment",
                                     "mean_tilting_moment",
                                     "loop"};
  limb_status status = limb_csv_text(w, "dof");
  if (status == LIMB_OK) status = limb_csv_text(w, "joint");
  for (int i = 0; i < COUNT_OF(fields) && status == LIMB_OK; i++)
    if (fields[i].csv) status = limb_csv_text(w, fields[i].csv);
  for (int i = 0; i < COUNT_OF(load) && status == LIMB_OK; i++) status = limb_csv_text(w, load[i]);
  return status == LIMB_OK ? limb_csv_end_row(w) : status;
}

// A joint without coordinate: it may follow another.
static limb_status csv_still(limb_csv_writer* w, const cli_sizing* s, int joint, const limb_sizing_load* l,
                             const limb_sizing_bearing* b)
{
  limb_sizing_follower f;
  int k = 0;
  while (limb_sizing_get_follower(s->sizing, k, &f) == LIMB_OK && f.motion.joint != joint) k++;
  const int follows = limb_sizing_get_follower(s->sizing, k, &f) == LIMB_OK;
  return csv_row(w, (const char* const[]){"", cli_joint_name(s->robot->model, joint), ""}, follows ? &f.motion : NULL,
                 1, l, b);
}

// A row per degree of freedom; joints and closures without any have one for their load.
static limb_status csv_rows(limb_csv_writer* w, const void* sizing)
{
  const cli_sizing* s = sizing;
  limb_status status = csv_head(w);
  limb_sizing_load l;
  limb_loop_info loop;
  for (int j = 0; j < limb_joint_count(s->robot->model) && status == LIMB_OK; j++) {
    limb_joint_info x;
    limb_sizing_dof d;
    if (!has_load(s, j, &l)) continue;
    limb_sizing_bearing bearing;
    const limb_sizing_bearing* b = limb_sizing_get_bearing(s->sizing, j, &bearing) == LIMB_OK ? &bearing : NULL;
    status = limb_get_joint(s->robot->model, j, &x);
    if (status == LIMB_OK && x.nv == 0) status = csv_still(w, s, j, &l, b);
    for (int k = x.v; k < x.v + x.nv && status == LIMB_OK; k++) {
      status = limb_sizing_get_dof(s->sizing, k, &d);
      if (status == LIMB_OK)
        status = csv_row(w, (const char* const[]){s->robot->dofs.v[k].name, x.def.name, ""}, &d, 0, &l, b);
    }
  }
  for (int i = 0; status == LIMB_OK && limb_get_loop(s->robot->model, i, &loop) == LIMB_OK; i++)
    if (limb_sizing_get_loop_load(s->sizing, i, &l) == LIMB_OK)
      status = csv_row(w, (const char* const[]){"", "", loop.def.name}, NULL, 0, &l, NULL);
  return status;
}

int cli_sizing_print(const cli_sizing* s, const char* format, FILE* out)
{
  if (strcmp(format, "json") == 0) return print_json(s, out);
  if (strcmp(format, "csv") == 0) return cli_csv_print(out, "limb id", csv_rows, s);
  return print_text(s, out);
}
