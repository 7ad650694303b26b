// The sizing table on paper: text for people, JSON and CSV for programs.
#include "limb/table.h"

#include "cli.h"
#include "json.h"
#include "output.h"
#include "sizing.h"
#include "table.h"

#include <errno.h>
#include <string.h>

// ---- text ------------------------------------------------------------------------------------------

// "12.3 N m"
static void cell_unit(cli_table* t, double x, const char* unit)
{
  if (isfinite(x)) {
    cli_cell(t, "%.4g %s", x == 0 ? 0.0 : x, unit);
  } else {
    cli_cell(t, "-");
  }
}

// How much of a limit is used: "37 %", "112 % OVER", "-" without one.
static void cell_used(cli_table* t, double x, double limit)
{
  if (!isfinite(limit)) {
    cli_cell(t, "-");
  } else if (limit == 0) {
    cli_cell(t, "%s", x == 0 ? "0 %" : "OVER");
  } else {
    cli_cell(t, "%.0f %%%s", 100 * fabs(x) / limit, fabs(x) > limit ? " OVER" : "");
  }
}

static void heading(cli_table* t, const char* const* words)
{
  for (; *words; words++) cli_cell(t, "%s", *words);
}

static void text_torques(const cli_sizing* s, FILE* out)
{
  static const char* const words[] = {"torque", "peak", "at", "speed then", "rms", "limit", "used", NULL};
  cli_table t = cli_table_make("lrrrrrl");
  heading(&t, words);
  for (int k = 0; k < s->dofs->nv; k++) {
    const sizing_dof* d = &s->dof[k];
    const cli_dof* dof = &s->dofs->v[k];
    cli_cell(&t, "%s", dof->name);
    cell_unit(&t, d->torque.value, cli_force_unit(dof));
    cell_unit(&t, d->torque.time, "s");
    cell_unit(&t, d->torque.other, cli_speed_unit(dof));
    cell_unit(&t, cli_sizing_rms(s, k), cli_force_unit(dof));
    cell_unit(&t, d->effort_max, cli_force_unit(dof));
    cell_used(&t, d->torque.value, d->effort_max);
  }
  cli_table_print(&t, out, "");
}

static void speed_row(cli_table* t, const sizing_dof* d, const cli_dof* dof, double torque)
{
  cli_cell(t, "%s", dof->name);
  cell_unit(t, d->speed.value, cli_speed_unit(dof));
  cell_unit(t, d->speed.time, "s");
  cell_unit(t, torque, cli_force_unit(dof));
  cell_unit(t, d->v_max, cli_speed_unit(dof));
  cell_used(t, d->speed.value, d->v_max);
}

static void text_speeds(const cli_sizing* s, FILE* out)
{
  static const char* const words[] = {"speed", "peak", "at", "torque then", "limit", "used", NULL};
  cli_table t = cli_table_make("lrrrrl");
  heading(&t, words);
  sizing_follower f;
  for (int k = 0; k < s->dofs->nv; k++) speed_row(&t, &s->dof[k], &s->dofs->v[k], s->dof[k].speed.other);
  for (int k = 0; cli_sizing_follower(s, k, &f); k++) speed_row(&t, &f.motion, &f.dof, HUGE_VAL);
  cli_table_print(&t, out, "");
}

static void text_powers(const cli_sizing* s, FILE* out)
{
  static const char* const words[] = {"power", "peak", "at", "mean of |P|", "work done", "work taken", NULL};
  cli_table t = cli_table_make("lrrrrr");
  double done = 0, taken = 0;
  heading(&t, words);
  for (int k = 0; k < s->dofs->nv; k++) {
    const sizing_dof* d = &s->dof[k];
    cli_cell(&t, "%s", s->dofs->v[k].name);
    cell_unit(&t, d->power.value, "W");
    cell_unit(&t, d->power.time, "s");
    cell_unit(&t, cli_sizing_mean_power(s, k), "W");
    cell_unit(&t, d->done, "J");
    cell_unit(&t, d->taken, "J");
    done += d->done, taken += d->taken;
  }
  cli_cell(&t, "all together"), cli_cell(&t, "%s", ""), cli_cell(&t, "%s", "");
  cli_cell(&t, "%s", ""), cell_unit(&t, done, "J"), cell_unit(&t, taken, "J");
  cli_table_print(&t, out, "");
}

static void position_row(cli_table* t, const sizing_dof* d, const cli_dof* dof)
{
  const char* unit = cli_position_unit(dof);
  const double room = cli_sizing_room(d);
  if (!d->has_q) return;
  cli_cell(t, "%s", dof->name);
  cell_unit(t, d->q_least, unit);
  cell_unit(t, d->q_least_time, "s");
  cell_unit(t, d->q_most, unit);
  cell_unit(t, d->q_most_time, "s");
  if (isfinite(d->q_min) || isfinite(d->q_max)) {
    cli_cell(t, "%.4g ... %.4g %s", d->q_min, d->q_max, unit);
  } else {
    cli_cell(t, "-");
  }
  if (isfinite(room)) {
    cli_cell(t, "%.4g %s%s", room == 0 ? 0.0 : room, unit, room < 0 ? " OVER" : "");
  } else {
    cli_cell(t, "-");
  }
}

static void text_positions(const cli_sizing* s, FILE* out)
{
  static const char* const words[] = {"position", "least", "at", "most", "at", "limits", "room to one", NULL};
  cli_table t = cli_table_make("lrrrrrl");
  heading(&t, words);
  sizing_follower f;
  for (int k = 0; k < s->dofs->nv; k++) position_row(&t, &s->dof[k], &s->dofs->v[k]);
  for (int k = 0; cli_sizing_follower(s, k, &f); k++) position_row(&t, &f.motion, &f.dof);
  cli_table_print(&t, out, "");
}

static void load_cells(cli_table* t, const char* name, const sizing_load* l)
{
  cli_cell(t, "%s", name);
  cell_unit(t, l->force, "N");
  cell_unit(t, l->force_time, "s");
  cell_unit(t, l->moment, "N m");
  cell_unit(t, l->moment_time, "s");
}

static void text_loads(const cli_sizing* s, FILE* out)
{
  static const char* const words[] = {"load on the joint", "peak force", "at", "peak moment", "at", NULL};
  cli_table t = cli_table_make("lrrrr");
  int idle = 0; // frames without mass hang on them
  heading(&t, words);
  for (int j = 0; j < limb_joint_count(s->model); j++) {
    const sizing_load* l = &s->load[j];
    limb_joint_info info;
    if (limb_get_joint(s->model, j, &info) != LIMB_OK) continue;
    if (info.nv == 0 && l->force == 0 && l->moment == 0) {
      idle++;
      continue;
    }
    load_cells(&t, info.def.name, l);
  }
  cli_table_print(&t, out, "");
  if (idle) (void)fprintf(out, "%d fixed joint%s nothing\n", idle, idle == 1 ? " carries" : "s carry");
}

// Of the closures that transmit wrenches.
static void text_closures(const cli_sizing* s, FILE* out)
{
  static const char* const words[] = {"load on the closure", "peak force", "at", "peak moment", "at", NULL};
  limb_loop_info x;
  int first = 0;
  while (first < limb_loop_count(s->model) && !cli_sizing_has_wrench(s, first, &x)) first++;
  if (first == limb_loop_count(s->model)) return;
  cli_table t = cli_table_make("lrrrr");
  heading(&t, words);
  for (int i = first; i < limb_loop_count(s->model); i++)
    if (cli_sizing_has_wrench(s, i, &x)) load_cells(&t, x.def.name, &s->loop[i]);
  (void)fputs("\n", out);
  cli_table_print(&t, out, "");
}

static int print_text(const cli_sizing* s, const cli_robot* robot, const char* path, FILE* out)
{
  const sp_vec3 g = robot->env.gravity;
  (void)fprintf(out, "%s along %s: %llu row%s, %.6g s\n", limb_model_name(s->model), path, (unsigned long long)s->rows,
                s->rows == 1 ? "" : "s", cli_sizing_duration(s));
  (void)fprintf(out, "gravity (%g, %g, %g) m/s^2, friction %s\n\n", g.x, g.y, g.z,
                robot->env.friction ? "as in the model" : "left out");
  text_torques(s, out);
  (void)fputs("\n", out);
  text_speeds(s, out);
  (void)fputs("\n", out);
  text_powers(s, out);
  (void)fputs("\n", out);
  text_positions(s, out);
  (void)fputs("\n", out);
  text_loads(s, out);
  text_closures(s, out);
  (void)fputs("\nPeaks are the largest magnitudes, with their signs. Work done is by the actuator, work "
              "taken "
              "is put into it\n(braking). Loads are of the whole wrench through the joint, the driven axis "
              "included.\n",
              out);
  return EXIT_FINE;
}

// ---- JSON ------------------------------------------------------------------------------------------

static json_t* json_peak(const sizing_peak* p, const char* other)
{
  json_t* r = json_object();
  (void)json_object_set_new(r, "value", cli_json_number(p->value));
  (void)json_object_set_new(r, "time", cli_json_number(p->time));
  if (other) (void)json_object_set_new(r, other, cli_json_number(p->other));
  return r;
}

// What is left of a limit in percent, negative beyond it; null without one.
static json_t* json_margin(double x, double limit)
{
  return limit > 0 && isfinite(limit) ? cli_json_number(100 * (1 - fabs(x) / limit)) : json_null();
}

static json_t* json_position(const sizing_dof* d)
{
  json_t* r = json_object();
  if (!d->has_q) {
    json_decref(r);
    return json_null();
  }
  (void)json_object_set_new(r, "least", cli_json_number(d->q_least));
  (void)json_object_set_new(r, "least_time", cli_json_number(d->q_least_time));
  (void)json_object_set_new(r, "most", cli_json_number(d->q_most));
  (void)json_object_set_new(r, "most_time", cli_json_number(d->q_most_time));
  (void)json_object_set_new(r, "lower_limit", cli_json_number(d->q_min));
  (void)json_object_set_new(r, "upper_limit", cli_json_number(d->q_max));
  (void)json_object_set_new(r, "room", cli_json_number(cli_sizing_room(d)));
  return r;
}

static json_t* json_dof(const cli_sizing* s, int k)
{
  const sizing_dof* d = &s->dof[k];
  const cli_dof* dof = &s->dofs->v[k];
  json_t* r = json_object();
  (void)json_object_set_new(r, "name", cli_json_text(dof->name));
  (void)json_object_set_new(r, "torque_unit", cli_json_text(cli_force_unit(dof)));
  (void)json_object_set_new(r, "speed_unit", cli_json_text(cli_speed_unit(dof)));
  (void)json_object_set_new(r, "peak_torque", json_peak(&d->torque, "speed"));
  (void)json_object_set_new(r, "rms_torque", cli_json_number(cli_sizing_rms(s, k)));
  (void)json_object_set_new(r, "torque_limit", cli_json_number(d->effort_max));
  (void)json_object_set_new(r, "torque_margin_percent", json_margin(d->torque.value, d->effort_max));
  (void)json_object_set_new(r, "peak_speed", json_peak(&d->speed, "torque"));
  (void)json_object_set_new(r, "speed_limit", cli_json_number(d->v_max));
  (void)json_object_set_new(r, "speed_margin_percent", json_margin(d->speed.value, d->v_max));
  (void)json_object_set_new(r, "peak_power", json_peak(&d->power, NULL));
  (void)json_object_set_new(r, "mean_absolute_power", cli_json_number(cli_sizing_mean_power(s, k)));
  (void)json_object_set_new(r, "work_done", cli_json_number(d->done));
  (void)json_object_set_new(r, "work_taken", cli_json_number(d->taken));
  (void)json_object_set_new(r, "position", json_position(d));
  return r;
}

// Joints that follow others: their motion against their own limits.
static json_t* json_followers(const cli_sizing* s)
{
  json_t* r = json_array();
  sizing_follower f;
  for (int k = 0; cli_sizing_follower(s, k, &f); k++) {
    const sizing_dof* d = &f.motion;
    json_t* x = json_object();
    (void)json_object_set_new(x, "joint", cli_json_text(f.dof.name));
    (void)json_object_set_new(x, "follows", cli_json_text(s->dofs->v[f.leader].name));
    (void)json_object_set_new(x, "speed_unit", cli_json_text(cli_speed_unit(&f.dof)));
    (void)json_object_set_new(x, "peak_speed", json_peak(&d->speed, NULL));
    (void)json_object_set_new(x, "speed_limit", cli_json_number(d->v_max));
    (void)json_object_set_new(x, "speed_margin_percent", json_margin(d->speed.value, d->v_max));
    (void)json_object_set_new(x, "position", json_position(d));
    (void)json_array_append_new(r, x);
  }
  return r;
}

static json_t* json_wrench(double value, double time, const sp_force* w)
{
  const double x[6] = {w->m.x, w->m.y, w->m.z, w->f.x, w->f.y, w->f.z};
  json_t* r = json_object();
  (void)json_object_set_new(r, "value", cli_json_number(value));
  (void)json_object_set_new(r, "time", cli_json_number(time));
  (void)json_object_set_new(r, "wrench", cli_json_numbers(6, x));
  return r;
}

static json_t* json_load(const char* kind, const char* name, const sizing_load* l)
{
  json_t* r = json_object();
  (void)json_object_set_new(r, kind, cli_json_text(name));
  (void)json_object_set_new(r, "peak_force", json_wrench(l->force, l->force_time, &l->at_force));
  (void)json_object_set_new(r, "peak_moment", json_wrench(l->moment, l->moment_time, &l->at_moment));
  return r;
}

static json_t* json_joint_loads(const cli_sizing* s)
{
  json_t* r = json_array();
  for (int j = 0; j < limb_joint_count(s->model); j++) {
    limb_joint_info info;
    if (limb_get_joint(s->model, j, &info) != LIMB_OK) continue;
    (void)json_array_append_new(r, json_load("joint", info.def.name, &s->load[j]));
  }
  return r;
}

static json_t* json_loop_loads(const cli_sizing* s)
{
  json_t* r = json_array();
  limb_loop_info x;
  for (int i = 0; i < limb_loop_count(s->model); i++)
    if (cli_sizing_has_wrench(s, i, &x)) (void)json_array_append_new(r, json_load("loop", x.def.name, &s->loop[i]));
  return r;
}

static int print_json(const cli_sizing* s, const cli_robot* robot, const char* path, FILE* out)
{
  json_t *r = cli_json_answer(), *dofs = json_array();
  (void)json_object_set_new(r, "model", cli_json_text(limb_model_name(s->model)));
  (void)json_object_set_new(r, "trajectory", cli_json_text(path));
  (void)json_object_set_new(r, "gravity", cli_json_vec3(robot->env.gravity));
  (void)json_object_set_new(r, "friction", json_boolean(robot->env.friction));
  (void)json_object_set_new(r, "rows", json_integer((json_int_t)s->rows));
  (void)json_object_set_new(r, "duration", cli_json_number(cli_sizing_duration(s)));
  for (int k = 0; k < s->dofs->nv; k++) (void)json_array_append_new(dofs, json_dof(s, k));
  (void)json_object_set_new(r, "dofs", dofs);
  (void)json_object_set_new(r, "followers", json_followers(s));
  (void)json_object_set_new(r, "loads", json_joint_loads(s));
  (void)json_object_set_new(r, "loop_loads", json_loop_loads(s));
  return cli_json_print(r, out, "limb id");
}

// ---- CSV -------------------------------------------------------------------------------------------

static const char* const csv_columns[] = {
  "peak_torque",     "peak_torque_time",    "peak_torque_speed", "rms_torque",  "torque_limit",
  "peak_speed",      "peak_speed_time",     "peak_speed_torque", "speed_limit", "peak_power",
  "peak_power_time", "mean_absolute_power", "work_done",         "work_taken",  "q_least",
  "q_most",          "q_lower_limit",       "q_upper_limit",     "peak_force",  "peak_force_time",
  "peak_moment",     "peak_moment_time"};

enum { CSV_COLUMNS = sizeof csv_columns / sizeof *csv_columns, CSV_DOF = CSV_COLUMNS - 4 };

// What is known of the motion of a joint without coordinate: it may follow another.
static void csv_follower(const cli_sizing* s, int joint, double x[CSV_COLUMNS])
{
  sizing_follower f;
  int k = 0;
  while (cli_sizing_follower(s, k, &f) && f.dof.joint != joint) k++;
  if (!cli_sizing_follower(s, k, &f)) return;
  const sizing_dof* d = &f.motion;
  x[5] = d->speed.value, x[6] = d->speed.time, x[8] = d->v_max;
  x[14] = d->q_least, x[15] = d->q_most, x[16] = d->q_min, x[17] = d->q_max;
}

static void csv_load(const sizing_load* l, double x[CSV_COLUMNS])
{
  x[18] = l->force, x[19] = l->force_time, x[20] = l->moment, x[21] = l->moment_time;
}

// Numbers of one row; k -1: a joint without coordinate. What is not there is infinite.
static void csv_numbers(const cli_sizing* s, int k, int joint, double x[CSV_COLUMNS])
{
  const sizing_dof* d = k >= 0 ? &s->dof[k] : NULL;
  for (int i = 0; i < CSV_DOF; i++) x[i] = HUGE_VAL;
  if (d) {
    x[0] = d->torque.value, x[1] = d->torque.time, x[2] = d->torque.other;
    x[3] = cli_sizing_rms(s, k), x[4] = d->effort_max;
    x[5] = d->speed.value, x[6] = d->speed.time, x[7] = d->speed.other, x[8] = d->v_max;
    x[9] = d->power.value, x[10] = d->power.time, x[11] = cli_sizing_mean_power(s, k);
    x[12] = d->done, x[13] = d->taken;
    x[14] = d->q_least, x[15] = d->q_most, x[16] = d->q_min, x[17] = d->q_max;
  }
  if (!d) csv_follower(s, joint, x);
  csv_load(&s->load[joint], x);
}

static limb_status csv_put(limb_csv_writer* w, const char* dof, const char* joint, const double x[CSV_COLUMNS],
                           const char* loop)
{
  limb_status status = limb_csv_text(w, dof);
  if (status == LIMB_OK) status = limb_csv_text(w, joint);
  for (int i = 0; i < CSV_COLUMNS && status == LIMB_OK; i++) {
    status = isfinite(x[i]) ? limb_csv_number(w, x[i]) : limb_csv_text(w, "");
  }
  if (status == LIMB_OK) status = limb_csv_text(w, loop);
  return status == LIMB_OK ? limb_csv_end_row(w) : status;
}

static limb_status csv_row(limb_csv_writer* w, const cli_sizing* s, int k, int joint)
{
  limb_joint_info info;
  double x[CSV_COLUMNS];
  const limb_status status = limb_get_joint(s->model, joint, &info);
  if (status != LIMB_OK) return status;
  csv_numbers(s, k, joint, x);
  return csv_put(w, k >= 0 ? s->dofs->v[k].name : "", info.def.name, x, "");
}

static limb_status csv_closures(limb_csv_writer* w, const cli_sizing* s)
{
  limb_loop_info loop;
  double x[CSV_COLUMNS];
  limb_status status = LIMB_OK;
  for (int i = 0; i < limb_loop_count(s->model) && status == LIMB_OK; i++) {
    if (!cli_sizing_has_wrench(s, i, &loop)) continue;
    for (int k = 0; k < CSV_DOF; k++) x[k] = HUGE_VAL;
    csv_load(&s->loop[i], x);
    status = csv_put(w, "", "", x, loop.def.name);
  }
  return status;
}

// A row per degree of freedom; joints without any have one for their load, so have closures.
static limb_status csv_rows(limb_csv_writer* w, const cli_sizing* s)
{
  limb_status status = limb_csv_text(w, "dof");
  if (status == LIMB_OK) status = limb_csv_text(w, "joint");
  for (int i = 0; i < CSV_COLUMNS && status == LIMB_OK; i++) status = limb_csv_text(w, csv_columns[i]);
  if (status == LIMB_OK) status = limb_csv_text(w, "loop");
  if (status == LIMB_OK) status = limb_csv_end_row(w);
  for (int j = 0; j < limb_joint_count(s->model) && status == LIMB_OK; j++) {
    limb_joint_info info;
    status = limb_get_joint(s->model, j, &info);
    if (status == LIMB_OK && info.nv == 0) status = csv_row(w, s, -1, j);
    for (int i = 0; i < info.nv && status == LIMB_OK; i++) status = csv_row(w, s, info.v + i, j);
  }
  return status == LIMB_OK ? csv_closures(w, s) : status;
}

static int print_csv(const cli_sizing* s, FILE* out)
{
  limb_csv_writer* w = NULL;
  errno = 0;
  limb_status status = limb_csv_create(out, NULL, &w);
  if (status == LIMB_OK) status = csv_rows(w, s);
  if (status == LIMB_OK) status = limb_csv_finish(w);
  limb_csv_destroy(w);
  if (status == LIMB_OK) return EXIT_FINE;
  return cli_unwritten("limb id", "the CSV", limb_status_text(status));
}

int cli_sizing_print(const cli_sizing* s, const cli_robot* robot, const char* format, const char* trajectory, FILE* out)
{
  if (strcmp(format, "json") == 0) return print_json(s, robot, trajectory, out);
  if (strcmp(format, "csv") == 0) return print_csv(s, out);
  return print_text(s, robot, trajectory, out);
}
