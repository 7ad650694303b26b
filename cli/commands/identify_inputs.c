// What `limb identify` knows beside the logs: what their columns hold, loads of single logs, bounds of bodies.
#include "commands/identify.h"
#include "states/states.h"

#include "limb/edit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// How long the first item of a list is: to a comma outside of parentheses.
static size_t item_length(const char* list)
{
  size_t length = 0;
  for (int depth = 0; list[length] && (depth > 0 || list[length] != ','); length++)
    depth += (list[length] == '(') - (list[length] == ')');
  return length;
}

// The next item of "A,B=X,C=(X,Y),...": its name, and what follows "=", "" if nothing does. 0: no more, or too long.
static int next_item(const char** list, char name[CLI_ITEM], char value[CLI_ITEM])
{
  const size_t length = item_length(*list), head = strcspn(*list, "=,");
  if (length == 0 || length >= CLI_ITEM) return 0;
  (void)snprintf(name, CLI_ITEM, "%.*s", (int)head, *list);
  (void)snprintf(value, CLI_ITEM, "%.*s", (int)(length - head), *list + head);
  if (*value) memmove(value, value + 1, strlen(value));
  *list += length + ((*list)[length] == ',');
  return 1;
}

static int unknown(const cli_args* args, const char* option, const char* what, const char* name, const char* near)
{
  return cli_usage(args, "--%s: there is no %s '%.64s'%s%s%s", option, what, name, near ? "; did you mean '" : "",
                   near ? near : "", near ? "'?" : "");
}

// ---- what columns hold -----------------------------------------------------------------------------

// Marks of the joints that an option names, or of all that have a motor ("all").
static int mark(const cli_args* args, const cli_robot* robot, const char* option, unsigned char as,
                unsigned char* source)
{
  const char* list = cli_get(args, option);
  char name[CLI_ITEM], value[CLI_ITEM];
  if (cli_is(args, option, "all")) {
    for (int k = 0; k < robot->dofs.nv; k++)
      if (!robot->dofs.v[k].passive) source[k] = as;
    return EXIT_FINE;
  }
  while (list && next_item(&list, name, value)) {
    const char* near = NULL;
    const int k = cli_find_dof(&robot->dofs, name, 0, &near);
    if (k < 0) return unknown(args, option, "joint", name, near);
    source[k] = as;
  }
  return EXIT_FINE;
}

// Currents of all motors, and no load that is known: all parameters and gains could be scaled alike.
static int check_gains(const cli_args* args, const cli_robot* robot, const unsigned char* source)
{
  int currents = 0, torques = 0;
  for (int k = 0; k < robot->dofs.nv; k++) {
    currents += source[k] == LIMB_IDENT_CURRENT;
    torques += source[k] == LIMB_IDENT_TORQUE && !robot->dofs.v[k].passive;
  }
  if (currents == 0 || torques > 0 || cli_has(args, "load")) return EXIT_FINE;
  return cli_usage(args, "--current: gains of all drives and parameters cannot be told apart: add a log of the motion "
                         "with a known load, and name it by --load");
}

int cli_identify_sources(const cli_args* args, const cli_robot* robot, identify_inputs* in)
{
  const char* list = cli_get(args, "gain");
  char name[CLI_ITEM], value[CLI_ITEM];
  const size_t nv = (size_t)robot->dofs.nv;
  in->source = calloc(nv + 1, 1);
  in->gain = malloc((nv + 1) * sizeof *in->gain);
  if (!in->source || !in->gain) return cli_out_of_memory(args);
  for (size_t k = 0; k < nv; k++) in->gain[k] = 1;
  int code = mark(args, robot, "current", LIMB_IDENT_CURRENT, in->source);
  if (code == EXIT_FINE) code = mark(args, robot, "unmeasured", LIMB_IDENT_UNMEASURED, in->source);
  while (list && code == EXIT_FINE && next_item(&list, name, value)) {
    const char* near = NULL;
    const int k = cli_find_dof(&robot->dofs, name, 0, &near);
    if (k < 0) return unknown(args, "gain", "joint", name, near);
    code = cli_unit_number(args, "gain", name, value, NULL, &in->gain[k]);
  }
  return code == EXIT_FINE ? check_gains(args, robot, in->source) : code;
}

void cli_identify_free(identify_inputs* in) { free(in->source), free(in->gain); }

// ---- loads -----------------------------------------------------------------------------------------

// What the robot carries in one log.
typedef struct known_load {
  char frame[CLI_ITEM];
  sp_inertia Y;
} known_load;

// "MASS@FRAME[:X:Y:Z]"
static int read_load(const cli_args* args, const char* log, char* text, known_load* out)
{
  char *frame = strchr(text, '@'), *at = frame ? strchr(frame, ':') : NULL;
  double p[3] = {0, 0, 0};
  *out = (known_load){0};
  if (!frame) return cli_usage(args, "--load: %.64s=%.64s: put it on a body or frame, such as 2kg@hand", log, text);
  *frame++ = '\0';
  int code = cli_unit_number(args, "load", log, text, "kg", &out->Y.mass);
  for (int k = 0; k < 3 && at && code == EXIT_FINE; k++) {
    char* number = at + 1;
    *at = '\0', at = strchr(number, ':');
    if (at) *at = '\0';
    code = cli_unit_number(args, "load", log, number, "m", &p[k]);
  }
  if (code != EXIT_FINE) return code;
  if (!(out->Y.mass > 0)) return cli_usage(args, "--load: %.64s: its mass is not above 0", log);
  (void)snprintf(out->frame, sizeof out->frame, "%s", frame);
  out->Y.com = sp_v3(p[0], p[1], p[2]);
  return EXIT_FINE;
}

// com=(X,Y,Z), inertia=(XX,YY,ZZ) or (XX,XY,XZ,YY,YZ,ZZ) about it.
static int extend_load(const cli_args* args, const char* name, char* text, known_load* out)
{
  sp_inertia* Y = &out->Y;
  const int com = strcmp(name, "com") == 0;
  double x[6];
  int count = 0, code = EXIT_FINE;
  const size_t length = strlen(text);
  const int closed = length > 1 && text[0] == '(' && text[length - 1] == ')';
  if (closed) text[length - 1] = '\0';
  for (char *one = closed ? text + 1 : NULL, *next; one && count < 6 && code == EXIT_FINE; one = next) {
    next = strchr(one, ',');
    if (next) *next++ = '\0';
    code = cli_unit_number(args, "load", name, one, com ? "m" : "kg*m^2", &x[count++]);
  }
  if (code != EXIT_FINE) return code;
  if (com && count == 3)
    Y->com = sp_v3(x[0], x[1], x[2]);
  else if (!com && count == 3)
    Y->xx = x[0], Y->yy = x[1], Y->zz = x[2];
  else if (!com && count == 6)
    Y->xx = x[0], Y->xy = x[1], Y->xz = x[2], Y->yy = x[3], Y->yz = x[4], Y->zz = x[5];
  else
    return cli_usage(args, "--load: write %s", com ? "com=(x,y,z)" : "inertia=(xx,yy,zz) or (xx,xy,xz,yy,yz,zz)");
  return EXIT_FINE;
}

// The next load of the list, "LOG=MASS@FRAME[:X:Y:Z][,com=(X,Y,Z)][,inertia=(XX,YY,ZZ)]". 0: no more, or *code is an
// error.
static int next_load(const cli_args* args, const char** list, char log[CLI_ITEM], known_load* out, int* code)
{
  char name[CLI_ITEM], value[CLI_ITEM];
  if (!*list || *code != EXIT_FINE || !next_item(list, log, value)) return 0;
  *code = read_load(args, log, value, out);
  for (const char* ahead = *list; *code == EXIT_FINE && next_item(&ahead, name, value); *list = ahead) {
    if (strcmp(name, "com") != 0 && strcmp(name, "inertia") != 0) break;
    *code = extend_load(args, name, value, out);
  }
  const char* defect = *code == EXIT_FINE ? limb_inertia_defect(&out->Y) : NULL;
  if (defect) *code = cli_usage(args, "--load: %.64s: no body has this mass and inertia: %s", log, defect);
  return *code == EXIT_FINE;
}

int cli_identify_load(const cli_args* args, limb_ident* x, const char* log)
{
  const char* list = cli_get(args, "load");
  char name[CLI_ITEM];
  known_load load;
  limb_error err = {0};
  int code = EXIT_FINE;
  if (limb_ident_set_load(x, NULL, NULL, NULL, &err) != LIMB_OK) return cli_usage(args, "--load: %s", err.text);
  while (next_load(args, &list, name, &load, &code)) {
    if (strcmp(name, log) != 0) continue;
    if (limb_ident_set_load(x, load.frame, NULL, &load.Y, &err) == LIMB_OK) return EXIT_FINE;
    return cli_usage(args, "--load: %.64s: %s", log, err.text);
  }
  return code;
}

int cli_identify_check_loads(const cli_args* args, const limb_model* m)
{
  const char* list = cli_get(args, "load");
  char name[CLI_ITEM], hint[LIMB_FRAME_HINT];
  known_load load;
  int code = EXIT_FINE;
  while (next_load(args, &list, name, &load, &code)) {
    int found = 0;
    for (int k = 1; k < cli_operand_count(args); k++) found |= strcmp(cli_operand(args, k), name) == 0;
    if (!found)
      return cli_usage(args, "--load: '%.100s' is not one of the logs; write it as it is written there", name);
    if (limb_find_frame(m, load.frame) < 0)
      return cli_usage(args, "--load: there is no body or frame '%.64s'%s", load.frame,
                       limb_frame_hint(m, load.frame, hint));
  }
  return code;
}

// ---- bounds ----------------------------------------------------------------------------------------

// "BODY.m=LOW:HIGH", "BODY.x=...": one range.
static int set_range(const cli_args* args, const char* name, char* range, limb_ident_bounds* b)
{
  const char* quantity = strrchr(name, '.');
  char* high = strchr(range, ':');
  const int axis = quantity[1] - 'x';
  if (!high || quantity[2] || (quantity[1] != 'm' && (axis < 0 || axis > 2)))
    return cli_usage(args, "--bound: '%.64s=%.64s' is not BODY.m=LOW:HIGH or BODY.x=, .y=, .z=LOW:HIGH", name, range);
  *high++ = '\0';
  const char* unit = quantity[1] == 'm' ? "kg" : "m";
  double* low = quantity[1] == 'm' ? &b->min_mass : &b->min_com[axis];
  int code = cli_unit_number(args, "bound", name, range, unit, low);
  double* top = quantity[1] == 'm' ? &b->max_mass : &b->max_com[axis];
  if (code == EXIT_FINE) code = cli_unit_number(args, "bound", name, high, unit, top);
  return code;
}

// Half of the edges of the box around a shape in its own axes; of a mesh the factors of its vertices.
static void half_of(const limb_shape_def* s, double half[3])
{
  const double* e = s->extent;
  const double round = s->type == LIMB_SHAPE_CAPSULE ? e[0] : 0;
  memcpy(half, e, 3 * sizeof *half);
  if (s->type == LIMB_SHAPE_BOX) half[0] = e[0] / 2, half[1] = e[1] / 2, half[2] = e[2] / 2;
  if (s->type == LIMB_SHAPE_SPHERE) half[1] = half[2] = e[0];
  if (s->type == LIMB_SHAPE_CYLINDER || s->type == LIMB_SHAPE_CAPSULE) half[1] = e[0], half[2] = e[1] / 2 + round;
}

static void include(const limb_shape_def* s, sp_vec3 at, limb_ident_bounds* out)
{
  const sp_vec3 p = sp_point(s->pose, at);
  const double c[3] = {p.x, p.y, p.z};
  for (int k = 0; k < 3; k++)
    out->min_com[k] = fmin(out->min_com[k], c[k]), out->max_com[k] = fmax(out->max_com[k], c[k]);
}

// Corners of its box, or vertices of its mesh. 0: a mesh that cannot be read.
static int include_shape(const limb_shape_def* s, limb_ident_bounds* out)
{
  double h[3];
  limb_triangles* mesh = NULL;
  half_of(s, h);
  if (s->type == LIMB_SHAPE_MESH && limb_read_triangles(s->path, 0, &mesh, NULL) != LIMB_OK) return 0;
  for (int i = 0; mesh && i < mesh->nvertex; i++) {
    const double* v = mesh->vertex + 3 * (ptrdiff_t)i;
    include(s, sp_v3(h[0] * v[0], h[1] * v[1], h[2] * v[2]), out);
  }
  for (int i = 0; !mesh && i < 8; i++)
    include(s, sp_v3(i & 1 ? h[0] : -h[0], i & 2 ? h[1] : -h[1], i & 4 ? h[2] : -h[2]), out);
  limb_triangles_destroy(mesh);
  return 1;
}

// The smallest box around the shapes of a body, in its axes; 0: it has none.
static int box_of(const limb_builder* b, int body, limb_ident_bounds* out)
{
  limb_shape_def s;
  int found = 0;
  for (int k = 0; limb_builder_get_shape(b, k, &s) == LIMB_OK; k++) {
    if (s.body != body || s.type == LIMB_SHAPE_PLANE) continue;
    for (int i = 0; i < 3 && !found; i++) out->min_com[i] = HUGE_VAL, out->max_com[i] = -HUGE_VAL;
    found |= include_shape(&s, out);
  }
  if (!found) *out = limb_default_ident_bounds();
  return found;
}

static int inside_shapes(const cli_args* args, const limb_model* m, limb_ident_bounds* bounds, unsigned char* given)
{
  limb_read_options opt = limb_default_read_options();
  limb_reading* r = NULL;
  limb_error err = {0};
  int found = 0;
  opt.shapes = 1, opt.any_file = cli_has(args, "any-file"), opt.package_path = cli_get(args, "package-path");
  if (limb_read(cli_operand(args, 0), &opt, &r, &err) != LIMB_OK) {
    limb_reading_destroy(r);
    return cli_usage(args, "--inside-shapes: %s: %s", cli_operand(args, 0), err.text);
  }
  const limb_builder* b = limb_reading_builder(r);
  for (int body = 1; body < limb_body_count(m); body++) {
    limb_body_info info;
    if (limb_get_body(m, body, &info) != LIMB_OK) continue;
    if (box_of(b, limb_builder_find_body(b, info.name), &bounds[body])) given[body] = 1, found++;
  }
  limb_reading_destroy(r);
  return found ? EXIT_FINE : cli_usage(args, "--inside-shapes: the shapes of '%s' are unknown", cli_operand(args, 0));
}

static int unknown_body(const cli_args* args, const limb_model* m, const char* name)
{
  const int count = limb_body_count(m);
  const char** names = calloc((size_t)count + 1, sizeof *names);
  limb_body_info info;
  if (!names) return cli_out_of_memory(args);
  for (int k = 1, n = 0; k < count; k++)
    if (limb_get_body(m, k, &info) == LIMB_OK) names[n++] = info.name;
  const int code = unknown(args, "bound", "body", name, limb_nearest_name(name, names));
  free(names);
  return code;
}

static int named_bounds(const cli_args* args, const limb_model* m, limb_ident_bounds* bounds, unsigned char* given)
{
  const char* list = cli_get(args, "bound");
  char name[CLI_ITEM], value[CLI_ITEM], body[CLI_ITEM];
  while (list && next_item(&list, name, value)) {
    const char* dot = strrchr(name, '.');
    (void)snprintf(body, sizeof body, "%.*s", dot ? (int)(dot - name) : 0, name);
    const int k = limb_find_body(m, body);
    if (k <= 0) return unknown_body(args, m, dot ? body : name);
    const int code = set_range(args, name, value, &bounds[k]);
    if (code != EXIT_FINE) return code;
    given[k] = 1;
  }
  return EXIT_FINE;
}

int cli_identify_bounds(const cli_args* args, const limb_model* m, limb_ident* x)
{
  const int count = limb_body_count(m);
  limb_ident_bounds* bounds = malloc(((size_t)count + 1) * sizeof *bounds);
  unsigned char* given = calloc((size_t)count + 1, 1);
  int code = bounds && given ? EXIT_FINE : cli_out_of_memory(args);
  for (int k = 0; k < count && code == EXIT_FINE; k++) bounds[k] = limb_default_ident_bounds();
  if (code == EXIT_FINE && cli_has(args, "inside-shapes")) code = inside_shapes(args, m, bounds, given);
  if (code == EXIT_FINE) code = named_bounds(args, m, bounds, given);
  for (int k = 1; k < count && code == EXIT_FINE; k++) {
    limb_error err = {0};
    limb_body_info info;
    if (!given[k] || limb_ident_set_bounds(x, k, &bounds[k], &err) == LIMB_OK) continue;
    if (!cli_has(args, "bound") || limb_get_body(m, k, &info) != LIMB_OK) continue; // shapes of what does not move
    code = cli_usage(args, "--bound: %s: %s", info.name, err.text);
  }
  free(bounds), free(given);
  return code;
}
