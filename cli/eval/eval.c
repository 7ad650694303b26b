// `limb eval`: any quantity of the library, for each row of a table of states or for one state.
#include "eval/eval.h"
#include "base/command.h"
#include "base/output.h"
#include "robot/robot.h"

#include <stdlib.h>
#include <string.h>

static const cli_option own_options[] = {
  {"", NULL, "what to compute"},
  {"what", "LIST", "quantities, with commas between them: M,J.tool0,energy.kinetic; all: everything there is"},
  {"states", "FILE", "table of states, one row each, CSV, NPY or Parquet; - is standard input"},
  {"frame", "NAME", "body or frame of quantities that do not name one themselves, as J.tool0 does"},
  {"ref", "body|world|aligned",
   "axes and point of quantities that do not name them, as J@body does (default: aligned)"},
  {"directions", "LIST",
   "of the task of Lambda, eta, mu, p, Jbar, N, condition: some of wx,wy,wz,vx,vy,vz, or angular, or linear (default: "
   "all six)"},
  {"damping", "X", "added to the diagonal of J M^-1 J' before it becomes Lambda (default: 0)"},
  {"dt", "T", "time between samples of Ad and Bd in s"},
  {"form", "poses|mdh|dh|poe", "of the parameters of dtau_dgeometry and so on (default: that of the file)"},
  {"tree", NULL, "of a robot with loops: compute its spanning tree, the loops cut open"},
  {"list", NULL, "print the quantities, what each needs, its shape; as text, or by --format json or markdown"},
  {0},
};

static const cli_option output_options[] = {
  {"", NULL, "the output"},
  {"format", "json|csv|npy|arrow|parquet|text|markdown",
   "how results are printed (default: by the ending of --output, else json)"},
  {"output", "FILE", "where to: .json, .csv, .npy, .arrow, .parquet or .txt (default: standard output)"},
  {0},
};

static const cli_option* const options[] = {own_options,        cli_state_options,  cli_model_options,
                                            cli_change_options, cli_world_options,  cli_wrench_options,
                                            output_options,     cli_thread_options, NULL};

static const char about[] = //
  "Computes the quantities that --what lists, for each row of a table of states or for one state of the command "
  "line. limb eval --list and docs/quantities.md name all quantities, with equation, shape, unit and what they need. "
  "A name is\n"
  "    <quantity>[@body|@world|@aligned][.<frame>][.<label>...]\n"
  "as in M, M.elbow.wrist, J.tool0, velocity@body.tool0.vx, energy.kinetic. Channels and formulas of limb sim use "
  "the same names.\n"
  "Columns of a table are called q.<joint>, v.<joint>, a.<joint> and tau.<joint>; joints with several components "
  "have suffixes (limb --conventions). A column time is optional. Nothing is assumed: a missing column is an error "
  "if a quantity needs it, and unused columns are reported. Tables that eval and sim wrote can be read back.\n"
  "--q, --v, --a and --tau give one state by joint, with units: --q elbow=1, shoulder=-30deg. Joints that are not "
  "named are at the start of the model and at rest. Accelerations and forces need their option: --a 0 stands for a "
  "motion without acceleration. When both --a and --tau name joints, each gives those that it names, for hybrid and "
  "base_acc.\n"
  "External wrenches act on the robot: columns wrench.<frame>.mx .my .mz .fx .fy .fz, at the frame's origin, in "
  "world axes (see --wrench-ref); those that are missing are zero. They enter tau, acc, hybrid, base_acc, "
  "deflection, reactions, power, and the derivatives of tau, acc and hybrid.\n"
  "hybrid takes the acceleration or the force of each joint, whichever column exists, a.<joint> or tau.<joint>, and "
  "returns both for all joints. On a joint without a motor (limb info names them) and without a column acts no force. "
  "base_acc is for a moving base: the joints without a motor between the world and the first joint that has one. It "
  "takes their tau, or zero, and a of the other joints, or else tau. In a robot without such joints, the base "
  "consists of the joints on the world that have a column tau and no column a.\n"
  "References: body is the frame's axes at its origin, aligned the world's axes at the frame's origin, world the "
  "world's axes at its own origin. Spatial vectors are angular first; J has 6 rows.\n"
  "Robots with loops: all quantities are those with the loops closed. Rows that do not close them are errors, exit "
  "code 4, and columns q, v and a of joints that follow from the others may be missing. Matrices have the same size "
  "as for trees; rows and columns of dependent velocities are zero, and independent reports the others. reactions, "
  "lambda and loop_loads are those of the given motion if there are columns a, otherwise of the one that tau causes. "
  "Prescribed motions are taken at the time of a row. The positions that follow from --q are on the branch of the "
  "start; --branch start reports which of limb assemble --branches it is, and --branch K selects the K-th. "
  "--tree computes the spanning tree instead: the loops are cut open, every column is needed, and nothing is "
  "checked.\n"
  "A derivative with respect to q is one along the tangent, per unit of v. Derivatives of Coulomb friction are zero "
  "unless it is smooth: --coulomb-width.\n"
  "JSON is one object with schema, model, gravity, friction, mimic, base, frame, ref, joints, dofs, nq, nv, and "
  "results: an array of one object per row. Matrices and tensors are nested arrays, the last index innermost; axes "
  "of joints, loops and fields are objects. pose has position, quaternion (x y z w) and rotation. directions, "
  "parameters, base_parameters, geometry_parameters, constraints and coordinates label indices where there are any; "
  "given and base_given list which input hybrid and base_acc used for each of dofs. Numbers have 17 digits. CSV and "
  "NPY "
  "have a column per number, such as M.<dof>.<dof>, J.wx.<dof>, A.q.<dof>.v.<dof>, pose.position.x, "
  "reactions.<joint>.mx. When a row fails, the rows before it are kept, JSON with an object error behind the "
  "results; a file of --output is not written then.";

static const char* const examples[] = {
  "limb eval --list",
  "the quantities, what they need, their shapes",
  "limb eval ur5 --q elbow=1,shoulder_lift=-30deg --what M --format text",
  "mass matrix of the built-in UR5 at one state, as text",
  "limb eval ur5 --states states.csv --what tau,M --output answers.npy",
  "torques and mass matrix of every row, for NumPy",
  "limb eval arm.urdf --states states.csv --what J@body.tool0,pose.tool0,velocity.elbow",
  "Jacobian and pose of a frame, velocity of another, as JSON",
  "limb eval dog.urdf --base floating --states s.csv --what reactions --output loads.json",
  "loads on all joints of a robot that walks, to a file",
  "limb eval acrobot --states examples/acrobot_up.csv --what A,B",
  "linear model about a state, for a controller",
  "limb eval panda --q joint4=-90deg --what dpose_dgeometry.flange --format text",
  "how the pose of the flange depends on lengths and angles of the robot",
  "limb eval panda --states s.csv --what Lambda --frame flange --directions linear",
  "effective mass of the hand in each direction",
  "limb eval elastic2r --states s.csv --what hybrid --format text",
  "a.joint1 is a column: torque of joint1, acceleration of the elastic joint2",
  "limb eval five_bar --q left_shoulder=60deg --a 0 --what tau,lambda,M",
  "torques of the motors with the loop closed, and the force in its pin",
  NULL,
};

// ---- the output ------------------------------------------------------------------------------------

static const eval_printer* printer_of(const char* name)
{
  for (int k = 0; name && k < EVAL_TABLES; k++)
    if (strcmp(eval_tables[k].name, name) == 0) return &eval_tables[k];
  return !name ? NULL : strcmp(name, "json") == 0 ? &eval_json : strcmp(name, "text") == 0 ? &eval_text : NULL;
}

// A contradiction is an error before anything is computed.
static int choose_printer(eval_run* r)
{
  const char *format = cli_format(r->args, "json"), *path = cli_get(r->args, "output");
  r->printer = printer_of(format);
  if (!format) return EXIT_USAGE;
  if (!r->printer) return cli_usage(r->args, "--format %s is for --list", format);
  const limb_table_format table = r->printer->table;
  if (table > LIMB_TABLE_CSV && (!path || limb_table_format_of(path) != table))
    return cli_usage(r->args, "--format %s goes to a file: --output FILE.%s", format, format);
  return EXIT_FINE;
}

// ---- options ---------------------------------------------------------------------------------------

static int read_frame(eval_run* r)
{
  const int code = cli_find_frame(r->args, r->robot.model, cli_get(r->args, "frame"), &r->frame);
  r->options.frame = r->frame;
  return code;
}

static limb_form read_form(const cli_args* args, const limb_reading* reading)
{
  const char* form = cli_get(args, "form");
  if (!form) return limb_reading_form(reading);
  return *form == 'm'               ? LIMB_FORM_MDH
         : *form == 'd'             ? LIMB_FORM_DH
         : strcmp(form, "poe") == 0 ? LIMB_FORM_POE
                                    : LIMB_FORM_POSES;
}

static int read_options(eval_run* r)
{
  const cli_args* args = r->args;
  limb_evaluator_options* o = &r->options;
  *o = limb_default_evaluator_options();
  o->env = &r->robot.env;
  o->tree = cli_has(args, "tree");
  o->form = read_form(args, r->robot.reading);
  o->ref = cli_ref(args, "ref");
  if (o->tree && limb_loop_count(r->robot.model) == 0)
    return cli_usage(args, "--tree is for robots with loops, and '%s' has none", limb_model_name(r->robot.model));
  const int code = read_frame(r);
  if (code != EXIT_FINE) return code;
  if (cli_has(args, "damping")) {
    if (!cli_numbers(args, "damping", 1, &o->damping)) return EXIT_USAGE;
    if (o->damping < 0) return cli_usage(args, "--damping must not be negative");
  }
  if (cli_positive(args, "dt", &o->dt) != EXIT_FINE) return EXIT_USAGE;
  return cli_directions(r->args, &r->options.directions);
}

// An option that nothing asks for is a mistake in --what.
static int refuse_idle(const eval_run* r)
{
  static const struct {
    const char *option, *of;
    unsigned bit;
  } known[] = {{"directions", "the task at a frame, as Lambda", LIMB_NEEDS_DIRECTIONS},
               {"damping", "the task at a frame, as Lambda", LIMB_NEEDS_DIRECTIONS},
               {"dt", "samples, as Ad and Bd", LIMB_NEEDS_DT}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (cli_has(r->args, known[k].option) && !(limb_evaluator_needs(r->e) & known[k].bit))
      return cli_usage(r->args, "--%s has no effect: nothing in --what is of %s", known[k].option, known[k].of);
  return EXIT_FINE;
}

// ---- names -----------------------------------------------------------------------------------------

// Calls for every name of --what. EXIT_FINE, or the first exit code that is not.
static int each_name(eval_run* r, int (*call)(eval_run* r, const char* name))
{
  const char* list = cli_get(r->args, "what");
  if (!list || !*list) return cli_usage(r->args, "--what LIST is missing: what shall be computed? limb eval --list");
  for (;;) {
    const size_t length = strcspn(list, ",");
    char name[CLI_NAME_SPACE];
    if (length >= sizeof name) return cli_usage(r->args, "--what: a name is too long");
    memcpy(name, list, length);
    name[length] = '\0';
    const int code = call(r, name);
    if (code != EXIT_FINE || !list[length]) return code;
    list += length + 1;
  }
}

// Unknown names are reported before anything is opened.
static int check_name(eval_run* r, const char* name)
{
  const limb_quantity_info* q = eval_quantity(name);
  const int all = strcmp(name, "all") == 0;
  if (!q && !all) {
    char head[64];
    (void)snprintf(head, sizeof head, "%.*s", (int)strcspn(name, ".@"), name);
    const char* near = limb_nearest_quantity(head);
    return cli_usage(r->args, "--what: there is no quantity '%s'%s%s%s", head, near ? "; did you mean '" : "",
                     near ? near : "", near ? "'?" : "; limb eval --list names them");
  }
  const unsigned state = q ? q->needs & ~(unsigned)(LIMB_NEEDS_FRAME | LIMB_NEEDS_CLOSED) : 0;
  if (state && !cli_get(r->args, "states") && !cli_has_state_line(r->args))
    return cli_usage(r->args, "--states FILE is missing: the states to compute '%s' for; or --q for one", q->name);
  return EXIT_FINE;
}

// What to do about a name that was refused, in options of this command; "": the message has it.
static const char* hint(const eval_run* r, const char* name, limb_status s)
{
  const limb_quantity_info* q = eval_quantity(name);
  const int loops = limb_loop_count(r->robot.model) > 0 && !r->options.tree;
  if (!q) return "";
  if (s == LIMB_E_ARG && q->needs & LIMB_NEEDS_FRAME && !strchr(name, '.')) return ", or for all by --frame";
  if (s != LIMB_E_UNSUPPORTED) return "";
  if (loops && q->robots != LIMB_ROBOTS_ALL && q->robots != LIMB_ROBOTS_LOOPS) return ": --tree";
  if (q->robots != LIMB_ROBOTS_MOVING_BASE) return "";
  return "; such a joint is the base when the table has its tau. columns and not its a. columns, or without a motor: "
         "drive: passive in limb YAML, <limb drive=\"passive\"/> in URDF; --base floating adds a free joint where the "
         "file has none";
}

static int add_name(eval_run* r, const char* name)
{
  limb_error err = {0};
  int first = 0, count = 0;
  const limb_status s = limb_evaluator_add(r->e, name, &first, &count, &err);
  if (s != LIMB_OK) {
    (void)cli_usage(r->args, "--what: %s%s", err.text, hint(r, name, s));
    return strcmp(err.where, "base parameters") == 0 ? cli_exit_code(s) : EXIT_USAGE;
  }
  for (int i = first; i < first + count; i++) {
    limb_item item, other;
    if (limb_evaluator_get(r->e, i, &item) != LIMB_OK) continue;
    for (int k = 0; k < first; k++) {
      char a[CLI_NAME_SPACE], b[CLI_NAME_SPACE];
      if (limb_evaluator_get(r->e, k, &other) != LIMB_OK || other.size != item.size) continue;
      if (item.size == 0) continue;
      (void)limb_evaluator_column(r->e, i, 0, a, sizeof a);
      (void)limb_evaluator_column(r->e, k, 0, b, sizeof b);
      if (strcmp(a, b) == 0) return cli_usage(r->args, "--what: '%s' is there twice", name);
    }
  }
  r->count = limb_evaluator_count(r->e);
  return EXIT_FINE;
}

static int has_item(const eval_run* r, const char* name)
{
  limb_item item;
  for (int i = 0; i < r->count; i++)
    if (limb_evaluator_get(r->e, i, &item) == LIMB_OK && strcmp(item.name, name) == 0) return 1;
  return 0;
}

// ---- rows ------------------------------------------------------------------------------------------

static void warn_open(eval_run* r)
{
  const cli_states* t = &r->states;
  int loop = -1;
  double apart = 0;
  if (!cli_states_open_loops(t, &r->watch, &loop, &apart) || r->open++ > 0) return;
  char line[24] = ""; // the command line and NPY have none
  if (t->line > 0) (void)snprintf(line, sizeof line, ":%d", t->line);
  (void)fprintf(stderr, "%s%s: warning: row %llu does not close the loops: loop '%s' is %.3g apart\n", t->path, line,
                (unsigned long long)t->count, cli_loop_name(t->model, loop), apart);
}

static int row_failed(eval_run* r, limb_status status)
{
  limb_error err = {0};
  limb_item item = {0};
  const int i = limb_evaluator_failure(r->e, &err);
  if (i < 0 || limb_evaluator_get(r->e, i, &item) != LIMB_OK || !item.from_all)
    return cli_states_failed(&r->states, status, err.where, *err.text ? err.text : limb_status_text(status));
  if (r->nan_reported++ == 0)
    (void)fprintf(stderr, "%s: note: row %llu: '%s' has no value: %s\n", r->states.path,
                  (unsigned long long)r->states.count, item.name, err.text);
  return EXIT_FINE;
}

static int compute_row(eval_run* r)
{
  const cli_states* t = &r->states;
  const unsigned wanted = t->wanted;
  const int given = t->given.mark || t->base.mark;
  const limb_state state = {.q = wanted & STATES_Q ? t->q : NULL,
                            .v = wanted & STATES_V ? t->v : NULL,
                            .a = wanted & STATES_A || given ? t->a : NULL,
                            .tau = wanted & STATES_TAU || given ? t->tau : NULL,
                            .v_r = wanted & STATES_V_R ? t->v_r : NULL,
                            .a_r = wanted & STATES_A_R ? t->a_r : NULL,
                            .time = t->has_time ? t->time : 0,
                            .env = &r->robot.env};
  const int loops = limb_loop_count(r->robot.model) > 0 && !r->options.tree;
  if (loops && !t->completion && wanted & STATES_Q) warn_open(r);
  const limb_status s = limb_evaluator_run(r->e, &state, r->x);
  return s == LIMB_OK ? EXIT_FINE : row_failed(r, s);
}

typedef struct eval_rows {
  eval_run* r;
  int printed;
} eval_rows;

static int do_row(void* context, const double* x)
{
  eval_rows* rows = context;
  eval_run* r = rows->r;
  const int code = x ? EXIT_FINE : compute_row(r);
  if (x) memcpy(r->x, x, limb_evaluator_width(r->e) * sizeof *x);
  return code == EXIT_FINE ? rows->printed = r->printer->row(r) : code;
}

static int open_kept(eval_run* r)
{
  int code = r->table && cli_has(r->args, "resume") ? eval_take_row(r, NULL) : EXIT_FINE;
  if (code == EXIT_FINE) code = cli_kept_open(&r->kept, r->args, &r->output, r->table && r->states.repeats);
  r->states.kept = &r->kept, r->states.take = eval_take_row, r->states.take_context = r;
  return code;
}

static int run_rows(eval_run* r)
{
  const eval_printer* p = r->printer;
  eval_rows rows = {r, p->begin(r)};
  int code = rows.printed;
  if (code == EXIT_FINE) code = open_kept(r);
  if (code == EXIT_FINE) code = cli_states_stream(&r->states, r->e, &r->robot.env, do_row, &rows);
  if (code == EXIT_FINE || !p->fail) // the rows so far are a table
    rows.printed = rows.printed == EXIT_FINE && p->end ? p->end(r) : rows.printed;
  else if (rows.printed == EXIT_FINE)
    (void)p->fail(r, code); // the row is what was reported
  return code == EXIT_FINE ? rows.printed : code;
}

static int print_rows(eval_run* r)
{
  const char* title = cli_title(r->args);
  const int table = r->printer->table != LIMB_TABLE_NONE;
  int code = (table ? cli_output_reserve : cli_output_open)(&r->output, title, cli_get(r->args, "output"));
  if (code != EXIT_FINE) return code;
  r->out = r->output.stream;
  r->path = cli_output_path(&r->output);
  code = run_rows(r);
  if (code == EXIT_FINE) code = cli_output_commit(&r->output, title);
  if (code != EXIT_FINE) cli_kept_stop(&r->kept, r->states.written);
  cli_kept_close(&r->kept);
  cli_output_abandon(&r->output);
  if (r->open > 1)
    (void)fprintf(stderr, "%s: warning: %llu more rows do not close the loops\n", r->states.path,
                  (unsigned long long)(r->open - 1));
  if (code == EXIT_FINE) cli_report_loops(r->e, r->robot.model, r->states.path);
  return code;
}

// ---- running ---------------------------------------------------------------------------------------

static int open_states(eval_run* r)
{
  const char* path = cli_get(r->args, "states");
  if (path && cli_has_state_line(r->args))
    return cli_usage(r->args, "--states and --q, --v, --a, --tau, --branch: one of them");
  if (path) return cli_states_open(&r->states, r->args, &r->robot, path);
  if (cli_has_state_line(r->args)) return cli_states_line(&r->states, r->args, &r->robot);
  cli_states_none(&r->states, r->args, &r->robot);
  return EXIT_FINE;
}

static int create(eval_run* r)
{
  const size_t nv = (size_t)r->robot.dofs.nv;
  unsigned char* base = calloc(nv + 1, 1);
  const char* what = cli_get(r->args, "what");
  const int all = strcmp(what, "all") == 0 || strncmp(what, "all,", 4) == 0 || strstr(what, ",all") != NULL;
  limb_status s = LIMB_E_NOMEM;
  for (size_t k = 0; k < nv && base; k++)
    base[k] = r->robot.dofs.v[k].base ? LIMB_FORCE_GIVEN : LIMB_ACCELERATION_GIVEN;
  r->options.base = base;
  r->options.given = r->states.given.mark ? r->states.given.mark : r->states.base.mark;
  r->options.known = all ? eval_known_columns(r) : r->options.known | LIMB_NEEDS_V_R | LIMB_NEEDS_A_R;
  const int code = cli_threads_open(&r->states, &r->threads);
  r->options.pool = limb_threads_pool(r->threads);
  if (base && code == EXIT_FINE) s = limb_evaluator_create(r->robot.model, &r->options, NULL, &r->e);
  free(base);
  if (all) r->states.wanted |= r->options.known;
  if (code != EXIT_FINE) return code;
  return s == LIMB_OK ? EXIT_FINE : cli_usage(r->args, "%s", limb_status_text(s));
}

// Where nothing is elastic the answer is right, and perhaps not what was meant.
static void note_stiff(const eval_run* r)
{
  const limb_model* m = r->robot.model;
  unsigned char* marks = calloc((size_t)r->robot.dofs.nv + 1, 1);
  int asked = 0;
  for (int i = 0; i < r->count; i++) {
    limb_item item;
    asked |=
      limb_evaluator_get(r->e, i, &item) == LIMB_OK && item.quantity->robots == LIMB_ROBOTS_ELASTIC && !item.from_all;
  }
  if (asked && marks && limb_given_for_elastic(m, marks) == LIMB_OK &&
      limb_count_given(m, marks, LIMB_FORCE_GIVEN) == 0)
    (void)fprintf(stderr, "%s: note: deflection is zero: '%s' has no elastic joint, nothing gives way\n",
                  r->states.path, limb_model_name(m));
  free(marks);
}

static int run_states(eval_run* r)
{
  int code = each_name(r, eval_find_base);
  if (code == EXIT_FINE) code = each_name(r, eval_need_given);
  if (code == EXIT_FINE) code = create(r);
  if (code == EXIT_FINE) code = each_name(r, add_name);
  if (code == EXIT_FINE) code = refuse_idle(r);
  if (code == EXIT_FINE) code = eval_check_columns(r);
  if (code == EXIT_FINE) code = eval_complete_rows(r);
  if (code != EXIT_FINE) return code;
  note_stiff(r);
  r->time_first = r->states.has_time && !has_item(r, "time");
  double* numbers = calloc(limb_evaluator_width(r->e) + 2, sizeof *numbers);
  if (!numbers) return cli_out_of_memory(r->args);
  r->x = numbers + 1; // NPY has the time in front
  code = print_rows(r);
  free(numbers);
  return code;
}

static int run_eval(const cli_args* args)
{
  const char* model = cli_operand(args, 0);
  eval_run r = {.args = args, .frame = -1};
  if (cli_has(args, "list")) return eval_list(args);
  if (!model) return cli_usage(args, "nothing to work on: name a model; limb eval --help");
  int code = each_name(&r, check_name);
  if (code == EXIT_FINE) code = choose_printer(&r);
  if (code == EXIT_FINE) code = cli_robot_open(args, model, &r.robot);
  if (code == EXIT_FINE) code = read_options(&r);
  if (code == EXIT_FINE) code = open_states(&r);
  if (code == EXIT_FINE) code = run_states(&r);
  cli_states_close(&r.states);
  limb_evaluator_destroy(r.e);
  limb_threads_destroy(r.threads);
  limb_data_destroy(r.watch);
  limb_table_destroy(r.table);
  cli_robot_close(&r.robot);
  return code;
}

const cli_command cli_eval = {
  .name = "eval",
  .operands = "[MODEL]",
  .summary = "compute any quantity for each row of a table of states, or for one state",
  .about = about,
  .examples = examples,
  .options = options,
  .run = run_eval,
  .writes = (const cli_written[]){{"output", ".json .txt " CLI_TABLES}, {0}},
};
