// The page of `limb report`: verdict, robot, motion, joints, loads.
#include "commands/report.h"

#include "limb/read.h"
#include "base/output.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1000 };

const char* report_file_name(const char* path)
{
  const char* slash = strrchr(path, '/');
  return strcmp(path, "-") == 0 ? "standard input" : slash ? slash + 1 : path;
}

const char* report_case_name(const cli_report* r, const report_case* c)
{
  return cli_has(r->args, "compare") ? report_file_name(c->table.trajectory) : limb_model_name(c->motion.robot.model);
}

// ---- pieces ----------------------------------------------------------------------------------------

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
say(FILE* out, limb_page_style style, const char* format, ...)
{
  char text[TEXT];
  va_list list;
  va_start(list, format);
  (void)vsnprintf(text, sizeof text, format, list);
  va_end(list);
  limb_page_text(out, style, text);
}

// A table that has rows; returns the number of its cells.
static int put_table(cli_table* t, FILE* out)
{
  const int count = t->count;
  if (count > 0) cli_table_page(t, out);
  cli_table_free(t);
  return count;
}

// A drawing in memory.
typedef struct canvas {
  char* svg;
  size_t length;
  FILE* stream; // NULL: out of memory
} canvas;

static void canvas_open(canvas* c)
{
  *c = (canvas){0};
  c->stream = open_memstream(&c->svg, &c->length);
  if (!c->stream) cli_note_out_of_memory(0);
}

static void canvas_place(canvas* c, FILE* out, const char* words)
{
  if (c->stream && fclose(c->stream) == 0) limb_page_picture(out, c->svg, c->length, words);
  free(c->svg);
}

// ---- the verdict -----------------------------------------------------------------------------------

static void put_limits(const cli_report* r, const report_case* c, FILE* out)
{
  const cli_sizing* s = &c->table;
  const char* name = r->two ? report_case_name(r, c) : "";
  const char* colon = r->two ? ": " : "";
  if (s->checks == 0) {
    say(out, LIMB_PAGE_NOTE, "%s%sthe model has no limits of torque, speed or position: nothing can be judged.", name,
        colon);
    return;
  }
  if (s->over > 0)
    say(out, LIMB_PAGE_BAD, "%s%s%d of %d limits %s exceeded", name, colon, s->over, s->checks,
        s->over == 1 ? "is" : "are");
  else
    say(out, LIMB_PAGE_GOOD, "%s%sall %d limits are kept", name, colon, s->checks);
  cli_table t = cli_sizing_limits(s);
  cli_table_page(&t, out);
}

enum { NUMBER = 60 };

// "12.3 W"; rounding is zero.
static void number(char text[NUMBER], double x, double size, const char* unit)
{
  (void)snprintf(text, NUMBER, "%.4g %s", fabs(x) <= cli_sizing_noise(size) ? 0.0 : x, unit);
}

static void put_tiles(const cli_report* r, FILE* out)
{
  const cli_sizing* t = &r->a.table;
  char value[8][NUMBER];
  const limb_sizing* s = r->a.sizing;
  const limb_sizing_total total = limb_sizing_get_total(s);
  limb_sizing_base base;
  const int stands = limb_sizing_get_base(s, &base) == LIMB_OK;
  (void)snprintf(value[0], sizeof value[0], "%.4g kg", r->facts.mass);
  (void)snprintf(value[1], sizeof value[1], "%.4g s", limb_sizing_get_summary(s).duration);
  number(value[2], total.drive.value, t->size.power, "W");
  number(value[3], total.brake.value, t->size.power, "W");
  number(value[4], total.delivered, t->size.energy, "J");
  number(value[5], total.absorbed, t->size.energy, "J");
  number(value[6], stands ? base.load.force : 0, t->size.force, "N");
  number(value[7], stands ? base.load.moment : 0, t->size.moment, "N m");
  const char* const text[] = {"mass",
                              value[0],
                              "duration",
                              value[1],
                              "largest power, all joints",
                              value[2],
                              "largest braking power",
                              value[3],
                              "energy delivered",
                              value[4],
                              "braking energy",
                              value[5],
                              "peak force on the foundation",
                              value[6],
                              "peak moment there",
                              value[7]};
  limb_page_tiles(out, stands ? 8 : 6, text);
}

// ---- the robot -------------------------------------------------------------------------------------

static int put_picture(const cli_report* r, FILE* out)
{
  const report_case* c = &r->a;
  const cli_robot* robot = &c->motion.robot;
  limb_animation* still = c->animation;
  int code = EXIT_FINE;
  canvas drawing;
  canvas_open(&drawing);
  if (!drawing.stream) return cli_out_of_memory(r->args);
  if (!r->moves) { // the robot at its start
    limb_animation_options o = limb_default_animation();
    double* q = calloc((size_t)robot->dofs.nq + 1, sizeof *q);
    o.still = 1, o.width = 530, o.height = 460, o.title = "";
    limb_status s = q ? limb_closed_start(robot->model, q) : LIMB_E_NOMEM;
    if (s == LIMB_OK) s = limb_animation_create(robot->model, &o, &still);
    if (s == LIMB_OK) s = limb_animation_add(still, 0, q);
    code = cli_failed(r->args, "the picture", s, NULL);
    free(q);
  }
  if (code == EXIT_FINE && limb_animation_write(still, LIMB_PICTURE_SVG, drawing.stream) != LIMB_OK)
    code = cli_out_of_memory(r->args);
  canvas_place(&drawing, out,
               r->moves ? "the robot where the motion begins, and the path of its tool"
                        : "the robot as a stick figure");
  if (!r->moves) limb_animation_destroy(still);
  return code;
}

static void put_masses(const cli_report* r, FILE* out)
{
  enum { SHOWN = 60 };
  const limb_model* m = r->a.motion.robot.model;
  cli_table t = cli_table_make("<body;>mass [kg];>centre of mass x [m];>y [m];>z [m]");
  limb_body_info b;
  int more = 0, shown = 0;
  for (int k = 1; limb_get_body(m, k, &b) == LIMB_OK; k++) {
    const sp_vec3 c = b.inertia.com;
    if (!(b.inertia.mass > 0)) continue;
    if (shown++ >= SHOWN) {
      more++;
      continue;
    }
    const double size = fmax(fmax(fabs(c.x), fabs(c.y)), fabs(c.z));
    cli_cell(&t, "%s", b.name);
    cli_cell(&t, "%.4g", b.inertia.mass);
    cli_cell(&t, "%.3g", cli_clean(c.x, size)), cli_cell(&t, "%.3g", cli_clean(c.y, size));
    cli_cell(&t, "%.3g", cli_clean(c.z, size));
  }
  cli_table_page(&t, out);
  if (more) say(out, LIMB_PAGE_NOTE, "and %d more bodies", more);
}

static void put_findings(const cli_report* r, FILE* out)
{
  const limb_findings* f = limb_reading_findings(r->a.motion.robot.reading);
  cli_table t = cli_table_make("<finding;<about;<what;<what to do");
  limb_rule_info rule;
  limb_finding x;
  int notes = 0;
  for (int k = 0; limb_findings_get(f, k, &x) == LIMB_OK; k++) {
    if (x.severity < LIMB_WARNING) {
      notes++;
      continue;
    }
    cli_cell(&t, "%s", limb_severity_name(x.severity));
    cli_cell(&t, "%s", x.where), cli_cell(&t, "%s", x.text);
    cli_cell(&t, "%s", limb_get_rule(limb_find_rule(x.rule), &rule) == LIMB_OK ? rule.fix : "");
  }
  if (put_table(&t, out) == 0) say(out, LIMB_PAGE_PLAIN, "limb check finds nothing wrong with the model.");
  if (notes)
    say(out, LIMB_PAGE_NOTE, "and %d note%s: limb check lists %s", notes, notes == 1 ? "" : "s",
        notes == 1 ? "it" : "them");
}

static int put_robot(const cli_report* r, FILE* out)
{
  enum { BESIDE = 12 }; // so many masses have space beside the picture
  const limb_facts* f = &r->facts;
  limb_page_heading(out, 2, "The robot");
  limb_page_open(out, 1.15);
  const int code = put_picture(r, out);
  limb_page_next(out);
  say(out, LIMB_PAGE_PLAIN, "%d bodies, %d joints, %d degrees of freedom; %.4g kg in all.", f->bodies, f->joints,
      r->a.motion.robot.dofs.nv, f->mass);
  if (isfinite(f->reach)) say(out, LIMB_PAGE_PLAIN, "No frame is farther from the base than %.4g m.", f->reach);
  if (f->bodies <= BESIDE) put_masses(r, out);
  limb_page_close(out, 1.15);
  if (f->bodies > BESIDE) put_masses(r, out);
  limb_page_heading(out, 3, "Findings about the model");
  put_findings(r, out);
  return code;
}

// ---- curves ----------------------------------------------------------------------------------------

static void put_motion(const cli_report* r, FILE* out)
{
  const cli_dofs *d = &r->a.motion.robot.dofs, *other = &r->b.motion.robot.dofs;
  limb_plot_series series[LIMB_PLOT_MAX] = {{0}};
  int same = r->two && d->nq == other->nq;
  for (int k = 0; k < d->nq && k < LIMB_PLOT_MAX; k++) {
    series[k] = (limb_plot_series){.name = d->q[k].name, .unit = limb_position_unit(&d->q[k]), .limit = HUGE_VAL};
    same = same && strcmp(d->q[k].name, other->q[k].name) == 0;
  }
  canvas drawing;
  canvas_open(&drawing);
  const limb_plot_labels labels = {.title = "",
                                   .subtitle = "",
                                   .x_label = "time [s]",
                                   .other = same ? r->b.positions : NULL,
                                   .name = {report_case_name(r, &r->a), r->two ? report_case_name(r, &r->b) : ""}};
  limb_page_heading(out, 2, "The motion");
  if (drawing.stream) limb_plot_write(r->a.positions, series, &labels, drawing.stream);
  canvas_place(&drawing, out, "positions of the joints over time");
  if (d->nq > LIMB_PLOT_MAX) say(out, LIMB_PAGE_NOTE, "the first %d of %d coordinates", LIMB_PLOT_MAX, d->nq);
}

// The degree of freedom of the other robot with this name; -1: none.
static int find_other(const cli_report* r, const char* name)
{
  const cli_dofs* d = &r->b.motion.robot.dofs;
  for (int k = 0; r->two && k < d->nv && k < REPORT_JOINTS; k++)
    if (strcmp(d->v[k].name, name) == 0) return k;
  return -1;
}

static void put_curves(const cli_report* r, int k, const limb_sizing_dof* d, FILE* out)
{
  const cli_dof* dof = &r->a.motion.robot.dofs.v[k];
  const int other = find_other(r, dof->name);
  const cli_sizing* s = &r->a.table;
  const limb_plot_series series[REPORT_CURVES] = {
    {.name = dof->linear ? "force" : "torque",
     .unit = limb_force_unit(dof),
     .limit = d->torque_limit,
     .rms = d->torque_rms,
     .zero = cli_sizing_noise(s->size.torque)},
    {.name = "speed",
     .unit = limb_velocity_unit(dof),
     .limit = d->speed_limit,
     .zero = cli_sizing_noise(s->size.speed)},
    {.name = "power", .unit = "W", .limit = HUGE_VAL, .zero = cli_sizing_noise(s->size.power)}};
  const limb_plot_labels labels = {.title = "",
                                   .subtitle = "",
                                   .x_label = "time [s]",
                                   .width = 530,
                                   .other = other >= 0 ? r->b.joint[other] : NULL,
                                   .name = {report_case_name(r, &r->a), r->two ? report_case_name(r, &r->b) : ""}};
  canvas drawing;
  canvas_open(&drawing);
  if (drawing.stream) limb_plot_write(r->a.joint[k], series, &labels, drawing.stream);
  canvas_place(&drawing, out, "torque, speed and power over time");
}

static void put_envelope(const cli_report* r, int k, const limb_sizing_dof* d, FILE* out)
{
  const cli_dof* dof = &r->a.motion.robot.dofs.v[k];
  const double rpm = 30 / 3.141592653589793;
  char x[60], y[60];
  limb_sizing_motor m;
  limb_envelope_labels labels;
  if (limb_sizing_get_motor(r->a.sizing, k, &m) == LIMB_OK) {
    labels = (limb_envelope_labels){.x_label = "speed of the motor [rpm]",
                                    .y_label = "torque of the motor [N m]",
                                    .motor = m.data,
                                    .speed_unit = rpm,
                                    .rms = m.torque_rms,
                                    .mean_speed = rpm * m.mean_speed};
  } else {
    (void)snprintf(x, sizeof x, "speed [%s]", limb_velocity_unit(dof));
    (void)snprintf(y, sizeof y, "%s [%s]", dof->linear ? "force" : "torque", limb_force_unit(dof));
    labels = (limb_envelope_labels){.x_label = x, .y_label = y};
    if (isfinite(d->torque_limit)) labels.motor.peak_torque = d->torque_limit;
    if (isfinite(d->speed_limit)) labels.motor.max_speed = d->speed_limit;
  }
  labels.zero = cli_sizing_noise(r->a.table.size.torque);
  canvas drawing;
  canvas_open(&drawing);
  if (drawing.stream) limb_envelope_write(r->a.envelope[k], &labels, drawing.stream);
  canvas_place(&drawing, out, "torque over speed, and what the motor can deliver");
}

// What a joint uses of its limits: all that are exceeded, or the nearest.
static void put_used(const cli_report* r, int k, FILE* out)
{
  enum { SHOWN = 5 };
  const cli_sizing* s = &r->a.table;
  cli_table t = cli_table_make("<limit;>used");
  for (int i = 0; i < s->checks; i++) {
    const limb_sizing_check* c = &s->check[i];
    if (c->dof != k || (!c->over && t.count >= 2 * SHOWN)) continue;
    cli_cell(&t, "%s", limb_sizing_limit_words(c->limit));
    if (isfinite(c->used))
      cli_cell(&t, "%.0f %%%s", 100 * c->used, c->over ? " OVER" : "");
    else
      cli_cell(&t, "OVER");
  }
  put_table(&t, out);
}

static void put_joints(const cli_report* r, FILE* out)
{
  const cli_dofs* d = &r->a.motion.robot.dofs;
  limb_sizing_dof x;
  limb_page_heading(out, 2, "Joints");
  say(
    out, LIMB_PAGE_NOTE,
    "Dashed: limits. Dotted: the root mean square. The diagram has magnitudes: green is what the motor can deliver all "
    "the time, amber what it can deliver for a short time.");
  for (int k = 0; k < d->nv && k < REPORT_JOINTS && limb_sizing_get_dof(r->a.sizing, k, &x) == LIMB_OK; k++) {
    const double none = cli_sizing_noise(r->a.table.size.torque);
    if (d->v[k].passive && fabs(x.torque.value) <= none) continue; // without motor there is nothing to size
    limb_page_open(out, 0);
    limb_page_heading(out, 3, d->v[k].name);
    limb_page_open(out, 1.7);
    put_curves(r, k, &x, out);
    limb_page_next(out);
    put_envelope(r, k, &x, out);
    put_used(r, k, out);
    limb_page_close(out, 1.7);
    limb_page_close(out, 0);
  }
  if (d->nv > REPORT_JOINTS) say(out, LIMB_PAGE_NOTE, "the first %d of %d degrees of freedom", REPORT_JOINTS, d->nv);
}

// ---- tables ----------------------------------------------------------------------------------------

static void put_tables(const cli_report* r, FILE* out)
{
  cli_table t;
  const char* note;
  limb_page_heading(out, 2, "Tables");
  for (int k = 0; cli_sizing_table(&r->a.table, k, &t, &note); k++) {
    if (put_table(&t, out) > 0 && note) limb_page_text(out, LIMB_PAGE_NOTE, note);
  }
}

// Two numbers, and how much larger the second is.
static void put_change(cli_table* t, const double x[2], double size, const char* unit)
{
  const double none = cli_sizing_noise(size);
  for (int k = 0; k < 2; k++) cli_cell(t, "%.4g %s", fabs(x[k]) <= none ? 0 : x[k], unit);
  if (fabs(x[0]) <= none)
    cli_cell(t, "-");
  else
    cli_cell(t, "%+.0f %%", 100 * (fabs(x[1]) / fabs(x[0]) - 1));
}

// Two tables: torques; speeds and energies.
static void put_pair(const cli_report* r, int second, FILE* out)
{
  const cli_dofs* d = &r->a.motion.robot.dofs;
  const cli_sizing* s = &r->a.table;
  cli_table t = cli_table_make(second ? "<joint;>peak speed;>other;>change;>energy delivered;>other;>change"
                                      : "<joint;>peak torque;>other;>change;>RMS torque;>other;>change");
  limb_sizing_dof a, b;
  for (int k = 0; k < d->nv && limb_sizing_get_dof(r->a.sizing, k, &a) == LIMB_OK; k++) {
    const cli_dof* dof = &d->v[k];
    const int other = find_other(r, dof->name);
    if (other < 0 || limb_sizing_get_dof(r->b.sizing, other, &b) != LIMB_OK) continue;
    cli_cell(&t, "%s", dof->name);
    if (second) {
      put_change(&t, (const double[]){a.speed.value, b.speed.value}, s->size.speed, limb_velocity_unit(dof));
      put_change(&t, (const double[]){a.energy_delivered, b.energy_delivered}, s->size.energy, "J");
    } else {
      put_change(&t, (const double[]){a.torque.value, b.torque.value}, s->size.torque, limb_force_unit(dof));
      put_change(&t, (const double[]){a.torque_rms, b.torque_rms}, s->size.torque, limb_force_unit(dof));
    }
  }
  put_table(&t, out);
}

static void put_comparison(const cli_report* r, FILE* out)
{
  limb_page_heading(out, 2, "Comparison");
  say(out, LIMB_PAGE_PLAIN, "%s, and the other: %s.", report_case_name(r, &r->a), report_case_name(r, &r->b));
  for (int second = 0; second < 2; second++) put_pair(r, second, out);
}

// ---- the page --------------------------------------------------------------------------------------

static void put_rest(const cli_report* r, FILE* out)
{
  int over, limits;
  const limb_model* m = r->a.motion.robot.model;
  limb_frame_info frame;
  cli_table t = report_rest_table(r, &over, &limits);
  if (over > 0)
    say(out, LIMB_PAGE_BAD, "%d of %d torque limits cannot hold the robot everywhere", over, limits);
  else if (limits > 0)
    say(out, LIMB_PAGE_GOOD, "all %d torque limits hold the robot in every configuration", limits);
  if (!r->has_rest) {
    say(out, LIMB_PAGE_NOTE,
        "Gravity torques over the workspace are for robots without loops and up to 200 degrees of freedom.");
    cli_table_free(&t);
    return;
  }
  limb_page_heading(out, 2, "Held still");
  say(out, LIMB_PAGE_PLAIN,
      "The largest gravity torques of all configurations within the limits of the joints. Motions need more.");
  cli_table_page(&t, out);
  if (limb_get_frame(m, r->reach.frame, &frame) == LIMB_OK)
    say(out, LIMB_PAGE_PLAIN, "'%s' reaches %.4g m from the origin of the world%s.", frame.name, r->reach.value,
        strcmp(cli_base_name(m, &r->a.motion.robot.dofs), "fixed") == 0 ? "" : "; the base stays where it starts");
}

// What the numbers are of: gravity, friction, loads, motors.
static void subtitle(const cli_report* r, char text[TEXT])
{
  const cli_robot* robot = &r->a.motion.robot;
  const sp_vec3 g = robot->env.gravity;
  const limb_sizing_summary sum = limb_sizing_get_summary(r->a.sizing);
  static const char* const shown[] = {"payload", "attach", "lock", "root"};
  int n = 0;
  if (r->moves)
    n = snprintf(text, TEXT, "%.100s, %llu row%s, %.6g s; ", report_file_name(r->a.table.trajectory),
                 (unsigned long long)sum.rows, sum.rows == 1 ? "" : "s", sum.duration);
  n += snprintf(text + n, (size_t)(TEXT - n), "gravity (%g, %g, %g) m/s\xc2\xb2; friction %s", g.x, g.y, g.z,
                robot->env.friction ? "as in the model" : "left out");
  for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
    if (cli_has(r->args, shown[k]))
      n += snprintf(text + n, (size_t)(TEXT - n), "; %s %.100s", shown[k], cli_get(r->args, shown[k]));
  if (cli_has(r->args, "motors"))
    n += snprintf(text + n, (size_t)(TEXT - n), "; motors of %.60s", report_file_name(cli_get(r->args, "motors")));
  if (r->safety > 1) (void)snprintf(text + n, (size_t)(TEXT - n), "; safety %g for torques", r->safety);
}

// Numbers of a faulty model are worth little.
static void put_errors(const cli_report* r, FILE* out)
{
  const int errors = limb_findings_count_from(limb_reading_findings(r->a.motion.robot.reading), LIMB_ERROR);
  if (errors > 0) say(out, LIMB_PAGE_BAD, "the model has %d error%s: see the findings", errors, errors == 1 ? "" : "s");
}

int report_write_page(cli_report* r, FILE* out)
{
  char text[TEXT], footer[80];
  const unsigned v = limb_version();
  subtitle(r, text);
  limb_page_begin(out, limb_model_name(r->a.motion.robot.model), text);
  put_errors(r, out);
  if (r->moves) {
    put_limits(r, &r->a, out);
    if (r->two) put_limits(r, &r->b, out);
    put_tiles(r, out);
    if (r->two) put_comparison(r, out);
  } else {
    put_rest(r, out);
  }
  const int code = put_robot(r, out);
  if (r->moves) {
    put_motion(r, out);
    put_joints(r, out);
    put_tables(r, out);
  }
  (void)snprintf(footer, sizeof footer, "limb %u.%u.%u, limb report", v >> 16, v >> 8 & 0xff, v & 0xff);
  limb_page_end(out, footer);
  return cli_is_out_of_memory() ? EXIT_USAGE : code;
}
