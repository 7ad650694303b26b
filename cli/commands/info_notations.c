// `limb info --mdh`, `--dh`, `--poe`: the robot in the notations of books, as described and as compiled.
#include "base/command.h"
#include "commands/info.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the compiled robot ----------------------------------------------------------------------------

// Twelve digits; what rounding has left of a zero is one.
static void length_text(double x, char* text, size_t size)
{
  (void)snprintf(text, size, "%.12g", fabs(x) < 1e-14 ? 0.0 : x);
}

// Quarter turns by name.
static void angle_text(double x, char* text, size_t size)
{
  const double right = acos(0.0);
  static const char* const names[] = {"-pi", "-pi/2", "0", "pi/2", "pi"};
  for (int k = -2; k <= 2; k++) {
    if (fabs(x - k * right) > 1e-14) continue;
    (void)snprintf(text, size, "%s", names[k + 2]);
    return;
  }
  length_text(x, text, size);
}

// What is constant in theta and r, with the coordinate that is added: "q3 + pi/2", "-2 q0".
static void variable_cell(cli_table* t, const limb_mdh_row* row, double rate, const char* constant)
{
  char q[64];
  const int is_zero = constant[0] == '0' && !constant[1], is_negative = constant[0] == '-';
  if (rate == 1) {
    (void)snprintf(q, sizeof q, "q%d", row->q);
  } else {
    (void)snprintf(q, sizeof q, "%.6g q%d", rate, row->q);
  }
  if (is_zero) {
    cli_cell(t, "%s", q);
  } else {
    cli_cell(t, "%s %s %s", q, is_negative ? "-" : "+", constant + is_negative);
  }
}

// A number of a row, with the coordinate that is added to it.
static void row_cell(cli_table* t, double x, int angle, const limb_mdh_row* variable, double rate)
{
  char text[48];
  (angle ? angle_text : length_text)(x, text, sizeof text);
  if (variable)
    variable_cell(t, variable, rate, text);
  else
    cli_cell(t, "%s", text);
}

static void geometry_row(cli_table* t, const limb_model* m, int i, const limb_mdh_row* row)
{
  const int turns = row->type == LIMB_REVOLUTE || row->type == LIMB_HELICAL;
  const int slides = row->type == LIMB_PRISMATIC || row->type == LIMB_HELICAL;
  const double slide = row->type == LIMB_HELICAL ? row->pitch : 1;
  cli_cell(t, "%d", i + 1);
  cli_cell(t, "%d", row->antecedent + 1);
  if (row->type == LIMB_REVOLUTE || row->type == LIMB_PRISMATIC) {
    cli_cell(t, "%d", row->type == LIMB_PRISMATIC);
  } else {
    cli_cell(t, "%s", limb_joint_type_name(row->type));
  }
  row_cell(t, row->gamma, 1, NULL, 0), row_cell(t, row->b, 0, NULL, 0);
  row_cell(t, row->alpha, 1, NULL, 0), row_cell(t, row->d, 0, NULL, 0);
  row_cell(t, row->theta, 1, turns ? row : NULL, row->multiplier);
  row_cell(t, row->r, 0, slides ? row : NULL, slide * row->multiplier);
  cli_cell(t, "%s", info_joint_name(m, row->joint));
}

static void parameter_table(const limb_model* m, int grouped)
{
  static const char* const names[] = {"link", "m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz"};
  cli_table t = cli_table_make("rrrrrrrrrrr");
  limb_mdh_row row;
  for (int k = 0; k < 11; k++) cli_cell(&t, "%s", names[k]);
  for (int i = 0; i < limb_mdh_count(m); i++) {
    if (limb_get_mdh(m, i, &row) != LIMB_OK) continue;
    cli_cell(&t, "%d", i + 1);
    const double *numbers = grouped ? row.grouped : row.inertia, size = cli_largest(numbers, 10);
    for (int k = 0; k < 10; k++) cli_cell_number(&t, cli_clean(numbers[k], size));
  }
  cli_table_print(&t, stdout, "  ");
}

static void print_compiled(const limb_model* m)
{
  static const char* const names[] = {"link", "ant", "sigma", "gamma", "b", "alpha", "d", "theta", "r", "joint"};
  cli_table t = cli_table_make("rrrrrrrrrl");
  limb_mdh_row row;
  printf("modified Denavit-Hartenberg table of the compiled robot\n"
         "  link in antecedent (0: world): Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)  [rad, m]\n"
         "  sigma 0: rotation about z, 1: translation along z; q0 is the first number of q\n"
         "  (17 digits: --format json)\n\n");
  for (int k = 0; k < 10; k++) cli_cell(&t, "%s", names[k]);
  for (int i = 0; i < limb_mdh_count(m); i++)
    if (limb_get_mdh(m, i, &row) == LIMB_OK) geometry_row(&t, m, i, &row);
  cli_table_print(&t, stdout, "  ");
  printf("\ninertial parameters about the origins of the links, fixed bodies merged\n");
  parameter_table(m, 0);
  printf("\nthe same, regrouped: what has no effect of its own has moved to the antecedent\n");
  parameter_table(m, 1);
}

static json_t* row_json(const limb_model* m, int i, const limb_mdh_row* row)
{
  json_t* r = json_object();
  cli_json_set(r, "link joint antecedent type", json_integer(i + 1), cli_json_text(info_joint_name(m, row->joint)),
               json_integer(row->antecedent + 1), cli_json_text(limb_joint_type_name(row->type)));
  if (row->type == LIMB_REVOLUTE || row->type == LIMB_PRISMATIC)
    (void)json_object_set_new(r, "sigma", json_integer(row->type == LIMB_PRISMATIC));
  (void)json_object_set_new(r, "q", json_integer(row->q));
  const struct {
    const char* name;
    double value;
  } numbers[] = {
    {"multiplier", row->multiplier}, {"gamma", row->gamma}, {"b", row->b},        {"alpha", row->alpha}, {"d", row->d},
    {"theta", row->theta},           {"r", row->r},         {"pitch", row->pitch}};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    (void)json_object_set_new(r, numbers[k].name, cli_json_number(numbers[k].value));
  cli_json_set(r, "parameters regrouped", cli_json_numbers(10, row->inertia), cli_json_numbers(10, row->grouped));
  return r;
}

// ---- rows as described -----------------------------------------------------------------------------

// Joints in their order, whose rows exist. standard: those of limb_get_joint_dh.
typedef struct described_row {
  limb_joint_info joint;
  int child;
  limb_mdh mdh;
  limb_dh dh;
} described_row;

static int described(const limb_model* m, int joint, int standard, described_row* out)
{
  *out = (described_row){.child = -1};
  if (limb_get_joint(m, joint, &out->joint) != LIMB_OK) return 0;
  const int behind = limb_stands_for(m, out->joint.def.child);
  out->child = behind >= 0 ? behind : out->joint.def.child;
  return (standard ? limb_get_joint_dh(m, joint, &out->dh) : limb_get_joint_mdh(m, joint, &out->mdh)) == LIMB_OK;
}

static int sigma_of(limb_joint_type type) { return type == LIMB_FIXED ? 2 : type == LIMB_PRISMATIC; }

static int has_frames(const limb_model* m, int standard)
{
  return standard ? limb_has_dh_frames(m) : limb_has_mdh_frames(m);
}

static void described_cells(cli_table* t, const limb_model* m, const described_row* x, int standard)
{
  const limb_joint_type type = x->joint.def.type;
  const limb_mdh_row q = {.q = x->joint.q};
  const limb_mdh_row* turn = type == LIMB_REVOLUTE || type == LIMB_HELICAL ? &q : NULL;
  const limb_mdh_row* slide = type == LIMB_PRISMATIC || type == LIMB_HELICAL ? &q : NULL;
  const double rate = x->joint.multiplier, pitch = type == LIMB_HELICAL ? x->joint.def.pitch : 1;
  cli_cell(t, "%s", x->joint.def.name);
  cli_cell(t, "%s", info_body_name(m, x->joint.def.parent));
  cli_cell(t, "%s", info_body_name(m, x->child));
  cli_cell(t, "%d", sigma_of(type));
  if (standard) {
    row_cell(t, x->dh.theta, 1, turn, rate), row_cell(t, x->dh.d, 0, slide, pitch * rate);
    row_cell(t, x->dh.a, 0, NULL, 0), row_cell(t, x->dh.alpha, 1, NULL, 0);
    return;
  }
  row_cell(t, x->mdh.gamma, 1, NULL, 0), row_cell(t, x->mdh.b, 0, NULL, 0);
  row_cell(t, x->mdh.alpha, 1, NULL, 0), row_cell(t, x->mdh.d, 0, NULL, 0);
  row_cell(t, x->mdh.theta, 1, turn, rate), row_cell(t, x->mdh.r, 0, slide, pitch * rate);
}

static void print_described(const limb_model* m, int standard)
{
  static const char* const names[][11] = {
    {"joint", "antecedent", "child", "sigma", "gamma", "b", "alpha", "d", "theta", "r", NULL},
    {"joint", "antecedent", "child", "sigma", "theta", "d", "a", "alpha", NULL}};
  cli_table t = cli_table_make(standard ? "lllrrrrr" : "lllrrrrrrr");
  described_row x;
  printf("%s Denavit-Hartenberg rows of the joints, in the frames of the bodies  [rad, m]\n"
         "  child in antecedent: %s\n"
         "  sigma 0: rotation about z%s, 1: translation along it, 2: fixed; q0 is the first number of q\n\n",
         standard ? "standard" : "modified",
         standard ? "Rz(theta) Tz(d) Tx(a) Rx(alpha)" : "Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)",
         standard ? " of the antecedent" : "");
  for (int k = 0; names[standard][k]; k++) cli_cell(&t, "%s", names[standard][k]);
  for (int j = 0; j < limb_joint_count(m); j++)
    if (described(m, j, standard, &x)) described_cells(&t, m, &x, standard);
  cli_table_print(&t, stdout, "  ");
}

static json_t* described_json(const limb_model* m, int standard)
{
  described_row x;
  if (!has_frames(m, standard)) return json_null();
  json_t* list = json_array();
  for (int j = 0; j < limb_joint_count(m); j++) {
    if (!described(m, j, standard, &x)) continue;
    json_t* r = json_object();
    cli_json_set(r, "joint antecedent child sigma q multiplier", cli_json_text(x.joint.def.name),
                 cli_json_text(info_body_name(m, x.joint.def.parent)), cli_json_text(info_body_name(m, x.child)),
                 json_integer(sigma_of(x.joint.def.type)), json_integer(x.joint.q),
                 cli_json_number(x.joint.multiplier));
    if (standard)
      cli_json_set(r, "theta d a alpha", cli_json_number(x.dh.theta), cli_json_number(x.dh.d), cli_json_number(x.dh.a),
                   cli_json_number(x.dh.alpha));
    else
      cli_json_set(r, "gamma b alpha d theta r", cli_json_number(x.mdh.gamma), cli_json_number(x.mdh.b),
                   cli_json_number(x.mdh.alpha), cli_json_number(x.mdh.d), cli_json_number(x.mdh.theta),
                   cli_json_number(x.mdh.r));
    (void)json_array_append_new(list, r);
  }
  return list;
}

static json_t* compiled_json(const limb_model* m)
{
  json_t* r = json_array();
  limb_mdh_row row;
  for (int i = 0; i < limb_mdh_count(m); i++)
    if (limb_get_mdh(m, i, &row) == LIMB_OK) (void)json_array_append_new(r, row_json(m, i, &row));
  return r;
}

static void print_mdh(const limb_model* m)
{
  if (limb_has_mdh_frames(m)) print_described(m, 0), printf("\n");
  print_compiled(m);
}

// ---- standard rows ---------------------------------------------------------------------------------

static void print_pose(const char* name, sp_pose X)
{
  char text[48];
  printf("  %s", name);
  for (int i = 0; i < 3; i++) {
    const double row[] = {X.R.m[3 * i], X.R.m[3 * i + 1], X.R.m[3 * i + 2], i == 0 ? X.p.x : i == 1 ? X.p.y : X.p.z};
    for (int k = 0; k < 4; k++) length_text(row[k], text, sizeof text), printf("%s%s", k ? "  " : " [", text);
    printf("]");
  }
  printf("\n");
}

// The rows of a chain, to be freed; NULL: this robot has none.
static limb_dh_row* chain_of(const limb_model* m, sp_pose* base, int* count, sp_pose* tool)
{
  const int n = limb_mdh_count(m);
  limb_dh_row* rows = calloc((size_t)n + 1, sizeof *rows);
  if (rows && limb_get_dh_table(m, base, n, rows, count, tool) == LIMB_OK && *count > 0) return rows;
  free(rows);
  return NULL;
}

static int print_dh(const cli_args* args, const limb_model* m)
{
  static const char* const names[] = {"joint", "sigma", "theta", "d", "a", "alpha"};
  sp_pose base, tool;
  int count = 0;
  if (limb_has_dh_frames(m)) {
    print_described(m, 1);
    return EXIT_FINE;
  }
  limb_dh_row* rows = chain_of(m, &base, &count, &tool);
  if (!rows)
    return cli_usage(args,
                     "--dh: '%s' is not a chain of revolute and prismatic joints: use --mdh, which has rows for "
                     "all robots",
                     limb_model_name(m));
  cli_table t = cli_table_make("lrrrrr");
  for (int k = 0; k < COUNT_OF(names); k++) cli_cell(&t, "%s", names[k]);
  for (int i = 0; i < count; i++) {
    const limb_mdh_row q = {.q = rows[i].q};
    const int slides = rows[i].type == LIMB_PRISMATIC;
    cli_cell(&t, "%s", info_joint_name(m, rows[i].joint)), cli_cell(&t, "%d", slides);
    row_cell(&t, rows[i].row.theta, 1, slides ? NULL : &q, rows[i].multiplier);
    row_cell(&t, rows[i].row.d, 0, slides ? &q : NULL, rows[i].multiplier);
    row_cell(&t, rows[i].row.a, 0, NULL, 0), row_cell(&t, rows[i].row.alpha, 1, NULL, 0);
  }
  free(rows);
  printf("standard Denavit-Hartenberg table of the chain, on the common normals of its axes  [rad, m]\n"
         "  last body in the world: base, then Rz(theta) Tz(d) Tx(a) Rx(alpha) of every row, then tool\n\n");
  cli_table_print(&t, stdout, "  ");
  printf("\n");
  print_pose("base", base), print_pose("tool", tool);
  return EXIT_FINE;
}

static json_t* dh_json(const limb_model* m)
{
  sp_pose base, tool;
  int count = 0;
  json_t* x = json_object();
  limb_dh_row* rows = chain_of(m, &base, &count, &tool);
  (void)json_object_set_new(x, "joints", described_json(m, 1));
  if (!rows) return x;
  json_t* list = json_array();
  for (int i = 0; i < count; i++) {
    json_t* r = json_object();
    cli_json_set(r, "joint sigma q multiplier theta d a alpha", cli_json_text(info_joint_name(m, rows[i].joint)),
                 json_integer(rows[i].type == LIMB_PRISMATIC), json_integer(rows[i].q),
                 cli_json_number(rows[i].multiplier), cli_json_number(rows[i].row.theta),
                 cli_json_number(rows[i].row.d), cli_json_number(rows[i].row.a), cli_json_number(rows[i].row.alpha));
    (void)json_array_append_new(list, r);
  }
  free(rows);
  cli_json_set(x, "base chain tool", cli_json_pose(base), list, cli_json_pose(tool));
  return x;
}

// ---- screws ----------------------------------------------------------------------------------------

// The frame of the screws B_i: that of --frame, or else the last one.
static int tool_of(const cli_args* args, const limb_model* m, int* frame)
{
  *frame = limb_frame_count(m) - 1;
  return cli_has(args, "frame") ? cli_find_frame(args, m, cli_get(args, "frame"), frame) : EXIT_FINE;
}

static sp_pose home_of(const limb_model* m, int frame)
{
  sp_pose M = sp_pose_identity();
  return limb_frame_home(m, frame, &M) == LIMB_OK ? M : sp_pose_identity();
}

static void motion_cells(cli_table* t, const char* name, sp_motion S)
{
  const double x[] = {S.w.x, S.w.y, S.w.z, S.v.x, S.v.y, S.v.z};
  char text[48];
  cli_cell(t, "%s", name);
  for (int k = 0; k < 6; k++) length_text(x[k], text, sizeof text), cli_cell(t, "%s", text);
}

static void pose_cells(cli_table* t, sp_pose X)
{
  char text[48];
  const double p[] = {X.p.x, X.p.y, X.p.z};
  for (int k = 0; k < 12; k++) {
    length_text(k < 3 ? p[k] : X.R.m[k - 3], text, sizeof text);
    cli_cell(t, "%s", text);
  }
}

// Calls for every row: of every component of every joint that is not auxiliary.
static void each_screw(const limb_model* m, void (*call)(void* context, const limb_screw_row* row), void* context)
{
  limb_screw_row row;
  for (int j = 0; j < limb_joint_count(m); j++)
    for (int k = 0; limb_get_screw(m, j, k, &row) == LIMB_OK; k++) call(context, &row);
}

typedef struct screw_output {
  const limb_model* m;
  const char* form; // "S", "A", "B", "M", "M in parent"
  sp_pose tool;
  cli_table* t;
  json_t* list;
} screw_output;

static void screw_cells(void* context, const limb_screw_row* row)
{
  const screw_output* o = context;
  const sp_motion S = row->space;
  limb_joint_info joint;
  if (limb_get_joint(o->m, row->joint, &joint) != LIMB_OK || (joint.def.type == LIMB_FIXED && *o->form != 'M')) return;
  if (*o->form == 'M' && row->component > 0) return;
  cli_cell(o->t, "%s%s", joint.def.name, *o->form == 'M' ? "" : limb_v_suffix(joint.def.type, row->component));
  if (*o->form != 'M') {
    motion_cells(o->t, limb_joint_type_name(row->type),
                 *o->form == 'S'   ? S
                 : *o->form == 'A' ? row->body
                                   : sp_motion_in(o->tool, S));
    return;
  }
  cli_cell(o->t, "%s", info_body_name(o->m, row->child));
  pose_cells(o->t, o->form[1] ? row->in_parent : row->home);
}

static void screw_table(const limb_model* m, const char* form, const char* title, sp_pose tool)
{
  static const char* const motion[] = {"joint", "type", "wx", "wy", "wz", "vx", "vy", "vz"};
  static const char* const pose[] = {"joint", "body", "x",  "y",  "z",  "xx", "xy",
                                     "xz",    "yx",   "yy", "yz", "zx", "zy", "zz"};
  const int poses = *form == 'M', n = poses ? COUNT_OF(pose) : COUNT_OF(motion);
  cli_table t = cli_table_make(poses ? "llrrrrrrrrrrrr" : "llrrrrrr");
  screw_output o = {.m = m, .form = form, .tool = tool, .t = &t};
  for (int k = 0; k < n; k++) cli_cell(&t, "%s", (poses ? pose : motion)[k]);
  each_screw(m, screw_cells, &o);
  printf("\n%s\n", title);
  cli_table_print(&t, stdout, "  ");
}

static int print_poe(const cli_args* args, const limb_model* m)
{
  int frame = 0;
  char title[200];
  limb_frame_info tool;
  const int code = tool_of(args, m, &frame);
  if (code != EXIT_FINE || limb_get_frame(m, frame, &tool) != LIMB_OK) return code;
  printf("product of exponentials: pose of body i = exp(S_1 q_1) ... exp(S_i q_i) M_i  [rad, m]\n");
  screw_table(m, "S", "S_i: screws in the axes of the world, all joints at 0", sp_pose_identity());
  screw_table(m, "A", "A_i = Ad(M_i^-1) S_i: the same in the axes of the child", sp_pose_identity());
  (void)snprintf(title, sizeof title, "B_i = Ad(M^-1) S_i: the same in the axes of '%.80s' (--frame)", tool.name);
  screw_table(m, "B", title, home_of(m, frame));
  screw_table(m, "M", "M_i: home poses in the world", sp_pose_identity());
  screw_table(m, "M in parent", "M_{i-1,i} = M_{i-1}^-1 M_i: home poses in the parent", sp_pose_identity());
  printf("\n");
  (void)snprintf(title, sizeof title, "M of '%.80s'", tool.name);
  print_pose(title, home_of(m, frame));
  return EXIT_FINE;
}

static json_t* motion_json(sp_motion S)
{
  return cli_json_numbers(6, (const double[]){S.w.x, S.w.y, S.w.z, S.v.x, S.v.y, S.v.z});
}

static void add_screw(void* context, const limb_screw_row* row)
{
  const screw_output* o = context;
  json_t* r = json_object();
  cli_json_set(r, "joint component type parent child S A B M M_in_parent",
               cli_json_text(info_joint_name(o->m, row->joint)), json_integer(row->component),
               cli_json_text(limb_joint_type_name(row->type)), cli_json_text(info_body_name(o->m, row->parent)),
               cli_json_text(info_body_name(o->m, row->child)), motion_json(row->space), motion_json(row->body),
               motion_json(sp_motion_in(o->tool, row->space)), cli_json_pose(row->home), cli_json_pose(row->in_parent));
  (void)json_array_append_new(o->list, r);
}

static json_t* poe_json(const limb_model* m, int frame)
{
  limb_frame_info tool = {.name = ""};
  json_t* x = json_object();
  screw_output o = {.m = m, .tool = home_of(m, frame), .list = json_array()};
  each_screw(m, add_screw, &o);
  if (limb_get_frame(m, frame, &tool) != LIMB_OK) tool.name = "";
  cli_json_set(x, "frame M screws", cli_json_text(tool.name), cli_json_pose(o.tool), o.list);
  return x;
}

// ---- all of them -----------------------------------------------------------------------------------

int info_wants_notation(const cli_args* args)
{
  return cli_has(args, "mdh") || cli_has(args, "dh") || cli_has(args, "poe");
}

int info_print_notations(const cli_args* args, const limb_model* m)
{
  int code = EXIT_FINE, printed = cli_has(args, "tree");
  if (cli_has(args, "mdh")) {
    if (printed++) printf("\n");
    print_mdh(m);
  }
  if (cli_has(args, "dh")) {
    if (printed++) printf("\n");
    code = print_dh(args, m);
  }
  if (code == EXIT_FINE && cli_has(args, "poe")) {
    if (printed) printf("\n");
    code = print_poe(args, m);
  }
  return code;
}

int info_add_notations(const cli_args* args, const limb_model* m, json_t* out)
{
  int frame = 0;
  const int code = tool_of(args, m, &frame);
  if (code != EXIT_FINE) return code;
  if (cli_has(args, "mdh")) cli_json_set(out, "mdh mdh_rows", compiled_json(m), described_json(m, 0));
  if (cli_has(args, "dh")) (void)json_object_set_new(out, "dh", dh_json(m));
  if (cli_has(args, "poe")) (void)json_object_set_new(out, "poe", poe_json(m, frame));
  return EXIT_FINE;
}
