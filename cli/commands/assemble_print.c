// `limb assemble`: the configurations that were found as CSV, JSON and text, joints outside their limits, and maps.
#include "base/command.h"
#include "base/output.h"
#include "base/print.h"
#include "commands/assemble.h"

#include "limb/draw.h"
#include "limb/study.h"
#include "limb/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = CLI_NAME_SPACE, POSE = 7 };

static const double MAX_POINTS = 1e6;

// ---- limits ----------------------------------------------------------------------------------------

enum { MAX_REPORTED = 8 };

void assemble_report_limits(const assemble_run* r)
{
  const char *name = limb_reading_source(r->robot.reading), *severity = r->at->closed ? "warning" : "note";
  limb_limit_violation x[MAX_REPORTED];
  int all = 0;
  for (int i = 0; i < (r->count > 0 ? r->count : 1); i++) {
    int n = 0;
    if (limb_outside_limits(r->robot.model, r->q + (size_t)i * (size_t)r->robot.dofs.nq, MAX_REPORTED, x, &n) !=
        LIMB_OK)
      return;
    for (int k = 0; k < n && k < MAX_REPORTED && all + k < MAX_REPORTED; k++) {
      limb_joint_info joint;
      if (limb_get_joint(r->robot.model, x[k].joint, &joint) != LIMB_OK) continue;
      (void)fprintf(stderr, "%s: %s: ", name, severity);
      if (r->count > 1) (void)fprintf(stderr, "configuration %d: ", i + 1);
      (void)fprintf(stderr, "joint '%s' is at %.6g %s, outside its limits %.6g ... %.6g\n", joint.def.name,
                    x[k].position, joint.def.type == LIMB_PRISMATIC ? "m" : "rad", x[k].lower, x[k].upper);
    }
    all += n;
  }
  if (all > MAX_REPORTED) (void)fprintf(stderr, "%s: note: so are %d more\n", name, all - MAX_REPORTED);
  if (all > 0 && r->at->closed)
    (void)fprintf(stderr, "%s: note: --within-limits searches for configurations within them\n", name);
}

static json_t* limits_json(const assemble_run* r, const double* q)
{
  const int joints = limb_joint_count(r->robot.model);
  limb_limit_violation* x = calloc((size_t)joints + 1, sizeof *x);
  json_t* list = json_array();
  int n = 0;
  if (!x || limb_outside_limits(r->robot.model, q, joints, x, &n) != LIMB_OK) n = 0;
  for (int k = 0; k < n; k++) {
    limb_joint_info joint;
    json_t* one = json_object();
    if (limb_get_joint(r->robot.model, x[k].joint, &joint) == LIMB_OK)
      cli_json_set(one, "joint position lower upper", cli_json_text(joint.def.name), cli_json_number(x[k].position),
                   cli_json_number(x[k].lower), cli_json_number(x[k].upper));
    (void)json_array_append_new(list, one);
  }
  free(x);
  return list;
}

// ---- configurations --------------------------------------------------------------------------------

static limb_status csv_configurations(limb_csv_writer* w, const void* run)
{
  const assemble_run* r = run;
  const int nq = r->robot.dofs.nq;
  limb_status s = cli_csv_coordinates(w, &r->robot.dofs);
  if (s == LIMB_OK && nq > 0) s = limb_csv_end_row(w);
  for (int i = 0; i < r->count && nq > 0 && s == LIMB_OK; i++) {
    s = limb_csv_numbers(w, r->q + (size_t)i * (size_t)nq, nq);
    if (s == LIMB_OK) s = limb_csv_end_row(w);
  }
  return s;
}

static int print_json(const assemble_run* r, FILE* out)
{
  const limb_loop_facts* c = r->at;
  const size_t nq = (size_t)r->robot.dofs.nq;
  const int loops = limb_loop_count(c->model);
  json_t *x = cli_json_answer(), *list = json_array(), *beyond = json_array();
  cli_json_set(x, "model closed residual loop iterations starts limits", cli_json_text(limb_model_name(c->model)),
               json_boolean(c->closed), cli_json_number(c->report.residual),
               cli_json_text(loops > 0 ? cli_loop_name(c->model, c->report.loop) : NULL),
               json_integer(c->report.iterations), json_integer(c->report.starts), json_boolean(c->report.limits));
  if (c->closed)
    cli_json_set(x, "mobility redundant locked singularity", json_integer(c->mobility.mobility),
                 json_integer(c->mobility.redundant), json_boolean(limb_is_locked(c)),
                 cli_json_text(limb_singularity_name(c->mobility.singularity)));
  cli_json_set(x, "held coordinates", cli_json_dofs(r->robot.dofs.nv, r->robot.dofs.v, r->held),
               cli_json_dofs(r->robot.dofs.nq, r->robot.dofs.q, NULL));
  for (int i = 0; i < r->count; i++) {
    (void)json_array_append_new(list, cli_json_numbers(r->robot.dofs.nq, r->q + (size_t)i * nq));
    (void)json_array_append_new(beyond, limits_json(r, r->q + (size_t)i * nq));
  }
  cli_json_set(x, "configurations beyond_limits", list, beyond);
  if (!c->closed)
    cli_json_set(x, "best best_beyond_limits", cli_json_numbers(r->robot.dofs.nq, c->q), limits_json(r, c->q));
  return cli_json_print(x, out, cli_title(r->args));
}

int assemble_print(const assemble_run* r, FILE* out)
{
  if (strcmp(r->format, "json") == 0) return print_json(r, out);
  if (strcmp(r->format, "text") == 0) {
    cli_print_configurations(out, r->at->model, &r->robot.dofs, r->count, r->q);
    return EXIT_FINE;
  }
  return cli_csv_print(out, cli_title(r->args), csv_configurations, r);
}

// ---- maps: workspace and singularities over a grid of one or two coordinates -----------------------

static double grid_value(const assemble_axis* axis, int i)
{
  if (axis->count < 2) return axis->lower;
  return axis->lower + (axis->upper - axis->lower) * i / (axis->count - 1);
}

// ---- maps: options ---------------------------------------------------------------------------------

// ":LOWER:UPPER:COUNT" after a name; 1 if it has this form.
static int read_numbers(const char* text, assemble_axis* axis)
{
  double x[3];
  for (int k = 0; k < 3; k++) {
    char* end = NULL;
    if (*text != ':') return 0;
    x[k] = strtod(text + 1, &end); // no locale is ever set
    if (end == text + 1 || !isfinite(x[k])) return 0;
    text = end;
  }
  if (*text || x[2] < 1 || x[2] > MAX_POINTS || x[2] != floor(x[2])) return 0;
  axis->lower = x[0], axis->upper = x[1], axis->count = (int)x[2];
  return 1;
}

// Length of the name in NAME:LOWER:UPPER:COUNT; 0 if it does not have this form.
static size_t name_length(const char* text)
{
  assemble_axis any;
  size_t length = strlen(text);
  while (length > 0 && !(text[length] == ':' && read_numbers(text + length, &any))) length--;
  return length;
}

// NAME:LOWER:UPPER:COUNT. Names may contain colons: the numbers are searched from the end.
static int read_axis(const assemble_run* r, const char* option, assemble_axis* axis)
{
  const char* text = cli_get(r->args, option);
  const limb_model* m = r->robot.model;
  limb_joint_info joint;
  char name[NAME_SIZE];
  *axis = (assemble_axis){.velocity = -1, .count = 1};
  if (!text) return EXIT_FINE;
  for (int k = 0; k < r->robot.dofs.nq; k++) {
    const cli_dof* d = &r->robot.dofs.q[k];
    const size_t length = strlen(d->name);
    if (strncmp(text, d->name, length) != 0 || !read_numbers(text + length, axis)) continue;
    if (limb_get_joint(m, d->joint, &joint) != LIMB_OK) continue;
    if (joint.def.type == LIMB_SPHERICAL || joint.def.type == LIMB_FREE)
      return cli_usage(r->args, "--%s: '%s' is part of a rotation or free joint", option, d->name);
    axis->velocity = joint.v + d->index;
    axis->name = d->name;
    return EXIT_FINE;
  }
  const size_t length = name_length(text);
  (void)snprintf(name, sizeof name, "%.*s", (int)length, text);
  if (length > 0 && length < sizeof name) return assemble_unknown(r, option, name);
  return cli_usage(r->args,
                   "--%s takes NAME:LOWER:UPPER:COUNT with the name of a coordinate, two numbers "
                   "and a whole one, not '%s'",
                   option, text);
}

static int read_map(const assemble_run* r, assemble_map* map)
{
  const char* frame = cli_get(r->args, "frame");
  int code = read_axis(r, "map", &map->axis[0]);
  if (code == EXIT_FINE) code = read_axis(r, "map2", &map->axis[1]);
  if (code != EXIT_FINE) return code;
  if (map->axis[0].velocity == map->axis[1].velocity)
    return cli_usage(r->args, "--map and --map2 are of the same coordinate");
  map->frame_name = frame;
  code = cli_find_frame(r->args, r->at->model, frame, &map->frame);
  if (code != EXIT_FINE) return code;
  const double points = (double)map->axis[0].count * map->axis[1].count;
  if (points > MAX_POINTS)
    return cli_usage(r->args, "a map of %.0f points is too large: %.0f at most", points, MAX_POINTS);
  map->points = (size_t)points;
  return EXIT_FINE;
}

// ---- maps: the table -------------------------------------------------------------------------------

static limb_status put_head(const assemble_run* r, const assemble_map* map, limb_csv_writer* w)
{
  static const char* const plain[] = {"closed",           "mobility",   "condition", "condition_passive",
                                      "condition_active", "singularity"};
  static const char* const part[POSE] = {"px", "py", "pz", "qx", "qy", "qz", "qw"};
  char name[NAME_SIZE];
  limb_status s = LIMB_OK;
  for (int k = 0; k < 2 && s == LIMB_OK; k++) {
    if (map->axis[k].velocity < 0) continue;
    (void)snprintf(name, sizeof name, "grid.%s", map->axis[k].name);
    s = limb_csv_text(w, name);
  }
  for (int k = 0; k < 6 && s == LIMB_OK; k++) s = limb_csv_text(w, plain[k]);
  for (int k = 0; k < POSE && map->frame >= 0 && s == LIMB_OK; k++) s = limb_csv_text(w, part[k]);
  if (s == LIMB_OK) s = cli_csv_coordinates(w, &r->robot.dofs);
  return s == LIMB_OK ? limb_csv_end_row(w) : s;
}

// Numbers ("inf" if infinite), or as many empty fields.
static limb_status put(limb_csv_writer* w, int closed, int n, const double* x)
{
  limb_status s = LIMB_OK;
  for (int k = 0; k < n && s == LIMB_OK; k++)
    if (!closed)
      s = limb_csv_text(w, "");
    else
      s = isfinite(x[k]) ? limb_csv_number(w, x[k]) : limb_csv_text(w, "inf");
  return s;
}

static limb_status put_point(const assemble_run* r, const assemble_map* map, size_t i, limb_csv_writer* w)
{
  const limb_map_point* p = &map->point[i];
  const limb_mobility* m = &p->mobility;
  const int second = map->axis[1].count;
  const double grid[] = {grid_value(&map->axis[0], (int)i / second), grid_value(&map->axis[1], (int)i % second)};
  const double state[] = {(double)m->mobility, m->condition, m->condition_passive, m->condition_active,
                          (double)m->singularity};
  const sp_quat q = sp_quat_rot(p->pose.R);
  const double pose[POSE] = {p->pose.p.x, p->pose.p.y, p->pose.p.z, q.x, q.y, q.z, q.w};
  limb_status s = limb_csv_numbers(w, grid, map->axis[1].velocity < 0 ? 1 : 2);
  if (s == LIMB_OK) s = limb_csv_number(w, p->closed);
  if (s == LIMB_OK) s = put(w, p->closed, 5, state);
  if (s == LIMB_OK && map->frame >= 0) s = put(w, p->closed, POSE, pose);
  if (s == LIMB_OK) s = put(w, p->closed, r->robot.dofs.nq, map->q + i * (size_t)r->robot.dofs.nq);
  return s == LIMB_OK ? limb_csv_end_row(w) : s;
}

static limb_status csv_map(limb_csv_writer* w, const void* of)
{
  const assemble_map* map = of;
  limb_status s = put_head(map->run, map, w);
  for (size_t i = 0; i < map->points && s == LIMB_OK; i++) s = put_point(map->run, map, i, w);
  return s;
}

// ---- maps: running ---------------------------------------------------------------------------------

static void report_map(const assemble_run* r, const assemble_map* map)
{
  size_t closed = 0, singular = 0;
  for (size_t i = 0; i < map->points; i++) {
    closed += map->point[i].closed != 0;
    singular += map->point[i].closed && map->point[i].mobility.singularity != LIMB_REGULAR;
  }
  (void)fprintf(stderr, "%s: map: the loops close at %zu of %zu points, %zu of them singular\n",
                limb_reading_source(r->robot.reading), closed, map->points, singular);
}

static limb_status make(assemble_run* r, assemble_map* map)
{
  limb_map* o = &map->grid;
  limb_loop_options options = limb_default_loop_options();
  map->point = calloc(map->points + 1, sizeof *map->point);
  map->q = calloc(map->points * (size_t)r->robot.dofs.nq + 1, sizeof *map->q);
  if (!map->point || !map->q) return LIMB_E_NOMEM;
  for (int k = 0; k < 2; k++) {
    o->velocity[k] = map->axis[k].velocity;
    o->lower[k] = map->axis[k].lower, o->upper[k] = map->axis[k].upper;
    o->count[k] = map->axis[k].count;
  }
  o->frame = map->frame;
  options.time = r->how.time;
  return limb_map_over(r->at->data, r->at->q, o, &options, map->point, map->q);
}

static int draw(const assemble_run* r, const assemble_map* map, const char* path)
{
  cli_output out;
  int code = cli_output_open_drawing(&out, cli_title(r->args), path);
  if (code != EXIT_FINE) return code;
  char title[300];
  const limb_map_drawing drawing = {title, &map->grid, map->point, {map->axis[0].name, map->axis[1].name}};
  (void)snprintf(title, sizeof title, "%.100s: where the loops close%s%.100s", limb_model_name(r->robot.model),
                 map->frame >= 0 ? ", and the positions of " : "", map->frame >= 0 ? map->frame_name : "");
  limb_map_write(&drawing, out.stream);
  code = cli_output_commit(&out, cli_title(r->args));
  cli_output_abandon(&out);
  return code;
}

int assemble_run_map(assemble_run* r, FILE* out)
{
  const char* path = cli_get(r->args, "plot");
  assemble_map map = {.run = r, .grid = limb_default_map(), .frame = -1};
  int code = read_map(r, &map);
  if (code == EXIT_FINE) code = cli_failed(r->args, "--map", make(r, &map), NULL);
  if (code == EXIT_FINE) report_map(r, &map);
  if (code == EXIT_FINE) code = cli_csv_print(out, cli_title(r->args), csv_map, &map);
  if (code == EXIT_FINE && path) code = draw(r, &map, path);
  free(map.point);
  free(map.q);
  return code;
}
