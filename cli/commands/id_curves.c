// The curves of `limb id --plot`. Panels in which nothing happens are left out by limb_plot_write.
#include "commands/id_curves.h"

#include <stdlib.h>
#include <string.h>

enum { QUANTITIES = 4, NAME_SIZE = CLI_NAME_SPACE };

// A joint's load are two curves, its force and its moment.
static const struct quantity {
  const char *word, *title;
  unsigned what;
} quantities[] = {{"torque", "torques", CURVES_TORQUE},
                  {"speed", "speeds", CURVES_SPEED},
                  {"power", "power", CURVES_POWER},
                  {"load", "loads", CURVES_LOAD}};

int id_curves_read(id_curves* c, const cli_args* args)
{
  const char* list = cli_get(args, "curves");
  *c = (id_curves){.args = args, .what = list ? 0 : CURVES_TORQUE};
  if (list && !cli_has(args, "plot")) return cli_usage(args, "--curves is for --plot");
  while (list) {
    const size_t length = strcspn(list, ",");
    unsigned what = 0;
    for (int k = 0; k < QUANTITIES; k++)
      if (strlen(quantities[k].word) == length && strncmp(quantities[k].word, list, length) == 0)
        what = quantities[k].what;
    if (!what) return cli_usage(args, "--curves: '%.*s' is none of torque, speed, power and load", (int)length, list);
    c->what |= what;
    list = list[length] ? list + length + 1 : NULL;
  }
  return EXIT_FINE;
}

// Torques and loads are sums of weights and their moments: what is below their rounding is zero.
static void find_rounding(id_curves* c, const cli_robot* robot)
{
  limb_facts f;
  if (limb_facts_of(robot->model, &f) != LIMB_OK) return;
  c->force = 1e-12 * f.mass * fmax(1, sp_norm3(robot->env.gravity));
  c->moment = c->force * (isfinite(f.reach) ? fmax(0.1, f.reach) : 1);
}

int id_curves_open(id_curves* c, const cli_robot* robot)
{
  find_rounding(c, robot);
  int each = 0; // per velocity
  for (int k = 0; k < QUANTITIES; k++) each += (c->what & quantities[k].what & ~(unsigned)CURVES_LOAD) != 0;
  c->robot = robot;
  c->count = each * robot->dofs.nv + (c->what & CURVES_LOAD ? 2 * limb_joint_count(robot->model) : 0);
  c->y = calloc((size_t)c->count + 1, sizeof *c->y);
  const int drawn = c->count < LIMB_PLOT_MAX ? c->count : LIMB_PLOT_MAX;
  if (!c->y || limb_plot_create(drawn, &c->plot) != LIMB_OK) return cli_out_of_memory(c->args);
  if (c->count > LIMB_PLOT_MAX)
    (void)fprintf(stderr, "%s: warning: only the first %d of %d curves are drawn\n", cli_get(c->args, "plot"),
                  LIMB_PLOT_MAX, c->count);
  return EXIT_FINE;
}

void id_curves_close(id_curves* c)
{
  limb_plot_destroy(c->plot);
  free(c->y);
}

void id_curves_add(id_curves* c, double x, const double* v, const double* tau, const sp_force* load)
{
  const int nv = c->robot->dofs.nv, joints = limb_joint_count(c->robot->model);
  double* y = c->y;
  for (int k = 0; k < nv && c->what & CURVES_TORQUE; k++) *y++ = tau[k];
  for (int k = 0; k < nv && c->what & CURVES_SPEED; k++) *y++ = v[k];
  for (int k = 0; k < nv && c->what & CURVES_POWER; k++) *y++ = tau[k] * v[k];
  for (int k = 0; k < joints && c->what & CURVES_LOAD; k++) {
    *y++ = sp_norm3(load[k].f);
    *y++ = sp_norm3(load[k].m);
  }
  limb_plot_add(c->plot, x, c->y);
}

// ---- the drawing -----------------------------------------------------------------------------------

// Panels are named by their joints, with several quantities also by these.
static void name_panel(const id_curves* c, const char* joint, const char* quantity, char* name)
{
  const int one = (c->what & (c->what - 1)) == 0 && c->what != CURVES_LOAD;
  (void)snprintf(name, NAME_SIZE, one ? "%s" : "%s: %s", joint, quantity);
}

static void add_velocities(const id_curves* c, unsigned what, limb_plot_series** series, char (**name)[NAME_SIZE])
{
  for (int k = 0; k < c->robot->dofs.nv; k++) {
    const cli_dof* d = &c->robot->dofs.v[k];
    limb_joint_info x;
    const int limited = limb_get_joint(c->robot->model, d->joint, &x) == LIMB_OK && x.nv == 1 && what != CURVES_POWER;
    name_panel(c, d->name, what == CURVES_TORQUE ? "torque" : what == CURVES_SPEED ? "speed" : "power", **name);
    *(*series)++ = (limb_plot_series){.name = *(*name)++,
                                      .unit = what == CURVES_TORQUE  ? limb_force_unit(d)
                                              : what == CURVES_SPEED ? limb_velocity_unit(d)
                                                                     : "W",
                                      .zero = what == CURVES_SPEED ? 0
                                              : d->linear          ? c->force
                                                                   : c->moment,
                                      .limit = !limited                ? HUGE_VAL
                                               : what == CURVES_TORQUE ? x.def.effort_max
                                                                       : x.def.v_max};
  }
}

static void add_loads(const id_curves* c, limb_plot_series** series, char (**name)[NAME_SIZE])
{
  limb_joint_info x;
  for (int k = 0; k < limb_joint_count(c->robot->model); k++) {
    for (int moment = 0; moment <= 1; moment++) {
      const char* joint = limb_get_joint(c->robot->model, k, &x) == LIMB_OK ? x.def.name : "";
      name_panel(c, joint, moment ? "moment" : "force", **name);
      *(*series)++ = (limb_plot_series){
        .name = *(*name)++, .unit = moment ? "N m" : "N", .limit = HUGE_VAL, .zero = moment ? c->moment : c->force};
    }
  }
}

static void name_picture(const id_curves* c, char* title, size_t size)
{
  size_t used = (size_t)snprintf(title, size, "%.200s:", limb_model_name(c->robot->model));
  unsigned left = c->what;
  for (int k = 0; k < QUANTITIES; k++) {
    if (!(c->what & quantities[k].what)) continue;
    left &= ~quantities[k].what;
    used += (size_t)snprintf(title + used, size - used, " %s%s", quantities[k].title,
                             !left                 ? " of the joints"
                             : (left & (left - 1)) ? ","
                                                   : " and");
  }
}

int id_curves_write(const id_curves* c, const cli_states* s, FILE* out)
{
  const sp_vec3 g = c->robot->env.gravity;
  const char* slash = strrchr(s->path, '/');
  char title[300], subtitle[400];
  char(*names)[NAME_SIZE] = calloc((size_t)c->count + 1, sizeof *names), (*name)[NAME_SIZE] = names;
  limb_plot_series *series = calloc((size_t)c->count + 1, sizeof *series), *next = series;
  if (!names || !series) {
    free(names);
    free(series);
    return cli_out_of_memory(c->args);
  }
  for (unsigned what = CURVES_TORQUE; what <= CURVES_POWER; what *= 2)
    if (c->what & what) add_velocities(c, what, &next, &name);
  if (c->what & CURVES_LOAD) add_loads(c, &next, &name);
  name_picture(c, title, sizeof title);
  (void)snprintf(subtitle, sizeof subtitle, "%.200s, %llu row%s; gravity (%g, %g, %g) m/s\xc2\xb2; friction %s%s",
                 slash ? slash + 1 : s->path, (unsigned long long)s->count, s->count == 1 ? "" : "s", g.x, g.y, g.z,
                 c->robot->env.friction ? "as in the model" : "left out",
                 c->count > LIMB_PLOT_MAX ? "; only the first curves are drawn" : "");
  const limb_plot_labels labels = {.title = title, .subtitle = subtitle, .x_label = s->has_time ? "time [s]" : "row"};
  limb_plot_write(c->plot, series, &labels, out);
  free(names);
  free(series);
  return EXIT_FINE;
}
