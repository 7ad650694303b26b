// `limb info --mdh`, `--dh`, `--poe`: the robot in the notations of books, as described and as compiled.
#include "base/command.h"
#include "commands/info.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- parameters ------------------------------------------------------------------------------------

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

// A parameter, with the coordinate q that is added to it: "q3 + pi/2", "-2 q0"; q < 0: none.
static void parameter_cell(cli_table* t, double x, int angle, int q, double rate)
{
  char constant[48], variable[64];
  (angle ? angle_text : length_text)(x, constant, sizeof constant);
  const int is_zero = constant[0] == '0' && !constant[1], is_negative = constant[0] == '-';
  if (rate == 1)
    (void)snprintf(variable, sizeof variable, "q%d", q);
  else
    (void)snprintf(variable, sizeof variable, "%.6g q%d", rate, q);
  if (q < 0)
    cli_cell_json(t, cli_json_number(x), "%s", constant);
  else if (is_zero)
    cli_cell_json(t, cli_json_number(x), "%s", variable);
  else
    cli_cell_json(t, cli_json_number(x), "%s %s %s", variable, is_negative ? "-" : "+", constant + is_negative);
}

// What the coordinate of a joint is added to.
typedef struct motion {
  int turn, slide; // the coordinate that turns, that slides; -1: none
  double rate, lead;
} motion;

static motion motion_of(limb_joint_type type, int q, double rate, double pitch)
{
  return (motion){.turn = type == LIMB_REVOLUTE || type == LIMB_HELICAL ? q : -1,
                  .slide = type == LIMB_PRISMATIC || type == LIMB_HELICAL ? q : -1,
                  .rate = rate,
                  .lead = rate * (type == LIMB_HELICAL ? pitch : 1)};
}

static void mdh_cells(cli_table* t, const limb_mdh* x, const motion* q)
{
  parameter_cell(t, x->gamma, 1, -1, 0), parameter_cell(t, x->b, 0, -1, 0);
  parameter_cell(t, x->alpha, 1, -1, 0), parameter_cell(t, x->d, 0, -1, 0);
  parameter_cell(t, x->theta, 1, q->turn, q->rate), parameter_cell(t, x->r, 0, q->slide, q->lead);
}

static void dh_cells(cli_table* t, const limb_dh* x, const motion* q)
{
  parameter_cell(t, x->theta, 1, q->turn, q->rate), parameter_cell(t, x->d, 0, q->slide, q->lead);
  parameter_cell(t, x->a, 0, -1, 0), parameter_cell(t, x->alpha, 1, -1, 0);
}

// ---- the compiled robot ----------------------------------------------------------------------------

static cli_table compiled_table(const limb_model* m)
{
  cli_table t = cli_table_make(">link;>ant=antecedent;>sigma;>gamma;>b;>alpha;>d;>theta;>r;<joint;=type;=q;"
                               "=multiplier;=pitch;=parameters;=regrouped");
  limb_mdh_row x;
  for (int i = 0; limb_get_mdh(m, i, &x) == LIMB_OK; i++) {
    const motion q = motion_of(x.type, x.q, x.multiplier, x.pitch);
    const limb_mdh row = {.gamma = x.gamma, .b = x.b, .alpha = x.alpha, .d = x.d, .theta = x.theta, .r = x.r};
    const char* type = limb_joint_type_name(x.type);
    const int slides = x.type == LIMB_PRISMATIC;
    cli_cell_integer(&t, i + 1), cli_cell_integer(&t, x.antecedent + 1);
    if (slides || x.type == LIMB_REVOLUTE)
      cli_cell_integer(&t, slides);
    else
      cli_cell_json(&t, NULL, "%s", type);
    mdh_cells(&t, &row, &q);
    cli_cell(&t, "%s", cli_joint_name(m, x.joint)), cli_cell(&t, "%s", type), cli_cell_integer(&t, x.q);
    cli_cell_number(&t, x.multiplier), cli_cell_number(&t, x.pitch);
    cli_cell_json(&t, cli_json_numbers(10, x.inertia), "-"), cli_cell_json(&t, cli_json_numbers(10, x.grouped), "-");
  }
  return t;
}

static void print_parameters(const limb_model* m, int grouped)
{
  cli_table t = cli_table_make(">link;>m;>mx;>my;>mz;>Ixx;>Ixy;>Ixz;>Iyy;>Iyz;>Izz");
  limb_mdh_row row;
  for (int i = 0; limb_get_mdh(m, i, &row) == LIMB_OK; i++) {
    const double *numbers = grouped ? row.grouped : row.inertia, size = cli_largest(numbers, 10);
    cli_cell_integer(&t, i + 1);
    for (int k = 0; k < 10; k++) cli_cell_number(&t, cli_clean(numbers[k], size));
  }
  cli_table_print(&t, stdout, "  ");
}

static void print_compiled(const limb_model* m)
{
  cli_table t = compiled_table(m);
  printf("modified Denavit-Hartenberg table of the compiled robot\n"
         "  link in antecedent (0: world): Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)  [rad, m]\n"
         "  sigma 0: rotation about z, 1: translation along z; q0 is the first number of q\n"
         "  (17 digits: --format json)\n\n");
  cli_table_print(&t, stdout, "  ");
  printf("\ninertial parameters about the origins of the links, fixed bodies merged\n");
  print_parameters(m, 0);
  printf("\nthe same, regrouped: what has no effect of its own has moved to the antecedent\n");
  print_parameters(m, 1);
}

// ---- rows as described -----------------------------------------------------------------------------

static int has_frames(const limb_model* m, int standard)
{
  return standard ? limb_has_dh_frames(m) : limb_has_mdh_frames(m);
}

// Joints in their order, whose rows exist. standard: those of limb_get_joint_dh.
static cli_table described_table(const limb_model* m, int standard)
{
  static const char* const forms[] = {"<joint;<antecedent;<child;>sigma;>gamma;>b;>alpha;>d;>theta;>r;=q;=multiplier",
                                      "<joint;<antecedent;<child;>sigma;>theta;>d;>a;>alpha;=q;=multiplier"};
  cli_table t = cli_table_make(forms[standard]);
  limb_joint_info x;
  limb_mdh mdh;
  limb_dh dh;
  for (int j = 0; limb_get_joint(m, j, &x) == LIMB_OK; j++) {
    const int behind = limb_stands_for(m, x.def.child);
    const motion q = motion_of(x.def.type, x.q, x.multiplier, x.def.pitch);
    if ((standard ? limb_get_joint_dh(m, j, &dh) : limb_get_joint_mdh(m, j, &mdh)) != LIMB_OK) continue;
    cli_cell(&t, "%s", x.def.name), cli_cell(&t, "%s", cli_body_name(m, x.def.parent));
    cli_cell(&t, "%s", cli_body_name(m, behind >= 0 ? behind : x.def.child));
    cli_cell_integer(&t, x.def.type == LIMB_FIXED ? 2 : x.def.type == LIMB_PRISMATIC);
    if (standard)
      dh_cells(&t, &dh, &q);
    else
      mdh_cells(&t, &mdh, &q);
    cli_cell_integer(&t, x.q), cli_cell_number(&t, x.multiplier);
  }
  return t;
}

static json_t* described_json(const limb_model* m, int standard)
{
  cli_table t = described_table(m, standard);
  json_t* rows = cli_table_json(&t);
  if (has_frames(m, standard)) return rows;
  json_decref(rows);
  return json_null();
}

static void print_described(const limb_model* m, int standard)
{
  cli_table t = described_table(m, standard);
  printf("%s Denavit-Hartenberg rows of the joints, in the frames of the bodies  [rad, m]\n"
         "  child in antecedent: %s\n"
         "  sigma 0: rotation about z%s, 1: translation along it, 2: fixed; q0 is the first number of q\n\n",
         standard ? "standard" : "modified",
         standard ? "Rz(theta) Tz(d) Tx(a) Rx(alpha)" : "Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)",
         standard ? " of the antecedent" : "");
  cli_table_print(&t, stdout, "  ");
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

// The table of a chain, without rows for other robots.
static cli_table chain_table(const limb_model* m, sp_pose* base, sp_pose* tool)
{
  cli_table t = cli_table_make("<joint;>sigma;>theta;>d;>a;>alpha;=q;=multiplier");
  int n = limb_mdh_count(m), count = 0;
  limb_dh_row* rows = calloc((size_t)n + 1, sizeof *rows);
  if (!rows || limb_get_dh_table(m, base, n, rows, &count, tool) != LIMB_OK) count = 0;
  for (int i = 0; i < count; i++) {
    const motion q = motion_of(rows[i].type, rows[i].q, rows[i].multiplier, 1);
    cli_cell(&t, "%s", cli_joint_name(m, rows[i].joint)), cli_cell_integer(&t, rows[i].type == LIMB_PRISMATIC);
    dh_cells(&t, &rows[i].row, &q);
    cli_cell_integer(&t, rows[i].q), cli_cell_number(&t, rows[i].multiplier);
  }
  free(rows);
  return t;
}

static int print_dh(const cli_args* args, const limb_model* m)
{
  sp_pose base, tool;
  if (limb_has_dh_frames(m)) {
    print_described(m, 1);
    return EXIT_FINE;
  }
  cli_table t = chain_table(m, &base, &tool);
  if (t.count == 0)
    return cli_usage(
      args, "--dh: '%s' is not a chain of revolute and prismatic joints: use --mdh, which has rows for all robots",
      limb_model_name(m));
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
  json_t* x = json_object();
  cli_table t = chain_table(m, &base, &tool);
  const int rows = t.count;
  json_t* chain = cli_table_json(&t);
  (void)json_object_set_new(x, "joints", described_json(m, 1));
  if (rows > 0)
    cli_json_set(x, "base chain tool", cli_json_pose(base), chain, cli_json_pose(tool));
  else
    json_decref(chain);
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

static void motion_cells(cli_table* t, sp_motion S)
{
  const double x[] = {S.w.x, S.w.y, S.w.z, S.v.x, S.v.y, S.v.z};
  for (int k = 0; k < 6; k++) parameter_cell(t, x[k], 0, -1, 0);
}

static void pose_cells(cli_table* t, sp_pose X)
{
  const double p[] = {X.p.x, X.p.y, X.p.z};
  for (int k = 0; k < 12; k++) parameter_cell(t, k < 3 ? p[k] : X.R.m[k - 3], 0, -1, 0);
}

static int is_pose(char which) { return which == 'M' || which == 'P'; }

static void screw_row(cli_table* t, const limb_model* m, char which, const limb_screw_row* x, sp_pose tool)
{
  limb_joint_info joint;
  if (limb_get_joint(m, x->joint, &joint) != LIMB_OK) return;
  cli_cell(t, "%s%s", joint.def.name, is_pose(which) ? "" : limb_v_suffix(joint.def.type, x->component));
  cli_cell(t, "%s", is_pose(which) ? cli_body_name(m, x->child) : limb_joint_type_name(x->type));
  switch (which) {
  case 'S': motion_cells(t, x->space); break;
  case 'A': motion_cells(t, x->body); break;
  case 'B': motion_cells(t, sp_motion_in(tool, x->space)); break;
  case 'M': pose_cells(t, x->home); break;
  default: pose_cells(t, x->in_parent); break;
  }
}

// Screws S, A or B of the joints that move; home poses M, or those in the parent (P), of all.
static void print_screws(const limb_model* m, char which, const char* title, sp_pose tool)
{
  static const char pose[] = "<joint;<body;>x;>y;>z;>xx;>xy;>xz;>yx;>yy;>yz;>zx;>zy;>zz";
  static const char screw[] = "<joint;<type;>wx;>wy;>wz;>vx;>vy;>vz";
  cli_table t = cli_table_make(is_pose(which) ? pose : screw);
  limb_joint_info joint;
  limb_screw_row x;
  for (int j = 0; limb_get_joint(m, j, &joint) == LIMB_OK; j++)
    for (int k = 0; limb_get_screw(m, j, k, &x) == LIMB_OK; k++)
      if (is_pose(which) ? k == 0 : joint.def.type != LIMB_FIXED) screw_row(&t, m, which, &x, tool);
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
  const sp_pose M = home_of(m, frame);
  printf("product of exponentials: pose of body i = exp(S_1 q_1) ... exp(S_i q_i) M_i  [rad, m]\n");
  print_screws(m, 'S', "S_i: screws in the axes of the world, all joints at 0", M);
  print_screws(m, 'A', "A_i = Ad(M_i^-1) S_i: the same in the axes of the child", M);
  (void)snprintf(title, sizeof title, "B_i = Ad(M^-1) S_i: the same in the axes of '%.80s' (--frame)", tool.name);
  print_screws(m, 'B', title, M);
  print_screws(m, 'M', "M_i: home poses in the world", M);
  print_screws(m, 'P', "M_{i-1,i} = M_{i-1}^-1 M_i: home poses in the parent", M);
  printf("\n");
  (void)snprintf(title, sizeof title, "M of '%.80s'", tool.name);
  print_pose(title, M);
  return EXIT_FINE;
}

static json_t* motion_json(sp_motion S)
{
  return cli_json_numbers(6, (const double[]){S.w.x, S.w.y, S.w.z, S.v.x, S.v.y, S.v.z});
}

static json_t* poe_json(const limb_model* m, int frame)
{
  const sp_pose M = home_of(m, frame);
  limb_frame_info tool = {.name = ""};
  json_t *out = json_object(), *list = json_array();
  limb_screw_row x;
  for (int j = 0; j < limb_joint_count(m); j++) {
    for (int k = 0; limb_get_screw(m, j, k, &x) == LIMB_OK; k++) {
      (void)json_array_append_new(
        list,
        cli_json_object("joint component type parent child S A B M M_in_parent",
                        cli_json_text(cli_joint_name(m, x.joint)), json_integer(x.component),
                        cli_json_text(limb_joint_type_name(x.type)), cli_json_text(cli_body_name(m, x.parent)),
                        cli_json_text(cli_body_name(m, x.child)), motion_json(x.space), motion_json(x.body),
                        motion_json(sp_motion_in(M, x.space)), cli_json_pose(x.home), cli_json_pose(x.in_parent)));
    }
  }
  if (limb_get_frame(m, frame, &tool) != LIMB_OK) tool.name = "";
  cli_json_set(out, "frame M screws", cli_json_text(tool.name), cli_json_pose(M), list);
  return out;
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
    if (limb_has_mdh_frames(m)) print_described(m, 0), printf("\n");
    print_compiled(m);
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
  if (cli_has(args, "mdh")) {
    cli_table t = compiled_table(m);
    cli_json_set(out, "mdh mdh_rows", cli_table_json(&t), described_json(m, 0));
  }
  if (cli_has(args, "dh")) (void)json_object_set_new(out, "dh", dh_json(m));
  if (cli_has(args, "poe")) (void)json_object_set_new(out, "poe", poe_json(m, frame));
  return EXIT_FINE;
}
