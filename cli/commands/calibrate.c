// `limb calibrate`: joint offsets and placements of joints from measured poses, positions or distances.
#include "limb/edit.h"
#include "limb/table.h"

#include "base/command.h"
#include "base/output.h"
#include "base/print.h"
#include "commands/identify.h"
#include "robot/robot.h"
#include "states/states.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option own_options[] = {
  {"", NULL, "the measurements"},
  {"frame", "NAME", "what carries the target (default: the last frame of the model)"},
  {"unknown", "device|target|both",
   "what is also estimated: the pose of the device, that of the target on the frame, or both"},
  {"device", "X,Y,Z,R,P,Y",
   "pose of the world in the device, in m and rad or with units: 1,0,35cm,0,0,90deg; with --unknown a first guess "
   "(default: identity)"},
  {"target", "X,Y,Z,R,P,Y", "pose of the target in the frame; with --unknown a first guess (default: identity)"},
  {"train", "SHARE",
   "the share of the measurements that is fitted, from the first on; the rest validates (default: 0.7)"},
  {"", NULL, "the calibration"},
  {"offsets", NULL, "estimate joint offsets only"},
  {"output", "FILE", "the calibrated model, .yaml or .urdf; a URDF is changed in place"},
  {0},
};

static const cli_option* const options[] = {own_options, cli_model_options, cli_format_options, NULL};

static const cli_written writes[] = {{"output", ".urdf .yaml .yml"}, {0}};

static const char about[] = //
  "Reads a table with the columns q.<joint> and what was measured of a target on the robot: pose.position.x .y .z, "
  "pose.quaternion.x .y .z .w (both as limb eval --what pose writes them, also with the name of the frame), or "
  "distance, from the origin of the device; in m. The device is in the world, and the target at the frame, unless "
  "--device, --target or --unknown state otherwise.\n"
  "Parameters are an offset per joint and a small motion of the placement of each joint in its own axes: .x .y .z .rx "
  ".ry .rz. QR with column pivoting finds those that the measurements determine, offsets before placements; the others "
  "are hidden and stay as in the model. Standard deviations follow from the residuals.\n"
  "The last 30 % of the measurements (--train) are not fitted: they validate. --output writes the model with the new "
  "placements, "
  "of which offsets are part. docs/identification.md has the theory and an example.";

static const char* const examples[] = {
  "limb calibrate arm.urdf poses.csv --unknown both --output calibrated.urdf",
  "a laser tracker that stands anywhere, a reflector on the flange",
  "limb calibrate ur5 poses.csv --offsets --format json",
  "joint offsets only, for a program",
  NULL,
};

enum { COLUMNS = 8 };

typedef struct calibrate_run {
  const cli_args* args;
  cli_robot robot;
  limb_calibration_options o;
  limb_calibration* x;
  const char* path;
  FILE* file;
  limb_csv_reader* reader;
  double *row, *q;
  int *column, measured[COLUMNS]; // of q; position, quaternion, distance
  unsigned what;
} calibrate_run;

// ---- options ---------------------------------------------------------------------------------------

static int read_pose(const calibrate_run* r, const char* name, sp_pose* out)
{
  const char* list = cli_get(r->args, name);
  double x[6];
  for (int k = 0; list && k < 6; k++) {
    char number[64];
    const size_t length = strcspn(list, ",");
    if ((list[length] == ',') != (k < 5) || length >= sizeof number)
      return cli_usage(r->args, "--%s takes six numbers: x,y,z,roll,pitch,yaw, such as 1.2,0,35cm,0,0,90deg", name);
    (void)snprintf(number, sizeof number, "%.*s", (int)length, list);
    const int code = cli_unit_number(r->args, name, "pose", number, k < 3 ? "m" : "rad", &x[k]);
    if (code != EXIT_FINE) return code;
    list += length + (list[length] == ',');
  }
  if (!list) return EXIT_FINE;
  *out = sp_pose_make(sp_rot_rpy(x[3], x[4], x[5]), sp_v3(x[0], x[1], x[2]));
  return EXIT_FINE;
}

static int read_options(calibrate_run* r)
{
  static const unsigned unknown[] = {LIMB_UNKNOWN_DEVICE, LIMB_UNKNOWN_TARGET,
                                     LIMB_UNKNOWN_DEVICE | LIMB_UNKNOWN_TARGET};
  const char* frame = cli_get(r->args, "frame");
  r->o = limb_default_calibration_options(limb_frame_count(r->robot.model) - 1);
  int code = frame ? cli_find_frame(r->args, r->robot.model, frame, &r->o.frame) : EXIT_FINE;
  if (cli_has(r->args, "unknown")) r->o.unknown = unknown[cli_choice(r->args, "unknown")];
  r->o.offsets_only = cli_has(r->args, "offsets");
  if (code == EXIT_FINE) code = read_pose(r, "device", &r->o.device);
  if (code == EXIT_FINE) code = read_pose(r, "target", &r->o.target);
  if (code == EXIT_FINE) code = cli_positive(r->args, "train", &r->o.train);
  if (code == EXIT_FINE && r->o.train > 1) return cli_usage(r->args, "--train is a share, at most 1");
  return code;
}

// ---- the table -------------------------------------------------------------------------------------

static int table_error(const calibrate_run* r, const limb_error* e)
{
  char position[48] = "";
  if (e->line > 0) (void)snprintf(position, sizeof position, ":%d:%d", e->line, e->column);
  (void)fprintf(stderr, "%s%s: error: %s: %s\n", r->path, position, e->where, e->text);
  return EXIT_USAGE;
}

// pose.<part>, or with the name of the frame; -1: none.
static int find_part(const calibrate_run* r, const char* part)
{
  char name[CLI_NAME_SPACE];
  limb_frame_info frame;
  (void)snprintf(name, sizeof name, "pose.%s", part);
  const int column = limb_csv_find(r->reader, name);
  if (column >= 0 || limb_get_frame(r->robot.model, r->o.frame, &frame) != LIMB_OK) return column;
  (void)snprintf(name, sizeof name, "pose.%s.%s", frame.name, part);
  return limb_csv_find(r->reader, name);
}

static int find_columns(calibrate_run* r)
{
  static const char* const part[] = {"position.x",   "position.y",   "position.z",  "quaternion.x",
                                     "quaternion.y", "quaternion.z", "quaternion.w"};
  char name[CLI_NAME_SPACE];
  int there = 0, missing = 0;
  for (int k = 0; k < r->robot.dofs.nq; k++) {
    (void)snprintf(name, sizeof name, "q.%s", r->robot.dofs.q[k].name);
    r->column[k] = limb_csv_find(r->reader, name);
    if (r->column[k] >= 0) continue;
    if (missing++ == 0)
      (void)fprintf(stderr, "%s: %s: there is no column %s", cli_title(r->args), r->path, name);
    else
      (void)fprintf(stderr, ", %s", name);
  }
  if (missing) return (void)fprintf(stderr, "\n"), EXIT_USAGE;
  for (int k = 0; k < 7; k++) {
    r->measured[k] = find_part(r, part[k]);
    if (r->measured[k] >= 0) there |= 1 << k;
  }
  r->measured[7] = limb_csv_find(r->reader, "distance");
  if (((there & 7) && (there & 7) != 7) || ((there & 120) && (there & 120) != 120))
    return cli_usage(r->args, "%s: of pose.position.x .y .z or pose.quaternion.x .y .z .w some columns are missing",
                     r->path);
  r->what = ((there & 7) ? LIMB_MEASURE_POSITION : 0U) | ((there & 120) ? LIMB_MEASURE_ROTATION : 0U) |
            (r->measured[7] >= 0 ? LIMB_MEASURE_DISTANCE : 0U);
  if (r->what) return EXIT_FINE;
  return cli_usage(r->args,
                   "%s: nothing was measured: it needs columns pose.position.x .y .z, pose.quaternion.x .y .z "
                   ".w or distance",
                   r->path);
}

static int open_table(calibrate_run* r)
{
  limb_error err;
  r->path = cli_operand(r->args, 1);
  const char* refused = cli_input_refused(r->path);
  if (refused) return cli_usage(r->args, "%s: %s", r->path, refused);
  r->file = strcmp(r->path, "-") == 0 ? stdin : fopen(r->path, "rb");
  if (!r->file) return cli_usage(r->args, "%s: cannot be opened: %s", r->path, strerror(errno));
  const limb_status s = limb_csv_open(r->file, NULL, &r->reader, &err);
  if (s == LIMB_E_NOMEM) return cli_out_of_memory(r->args);
  if (s != LIMB_OK) return table_error(r, &err);
  const size_t nq = (size_t)r->robot.dofs.nq;
  r->row = calloc((size_t)limb_csv_column_count(r->reader) + 1, sizeof *r->row);
  r->q = calloc(nq + 1, sizeof *r->q), r->column = calloc(nq + 1, sizeof *r->column);
  return r->row && r->q && r->column ? find_columns(r) : cli_out_of_memory(r->args);
}

static int add_row(calibrate_run* r)
{
  limb_error err = {0};
  double y[COLUMNS] = {0, 0, 0, 0, 0, 0, 1, 0};
  for (int k = 0; k < r->robot.dofs.nq; k++) r->q[k] = r->row[r->column[k]];
  for (int k = 0; k < COLUMNS; k++)
    if (r->measured[k] >= 0) y[k] = r->row[r->measured[k]];
  const double norm = sqrt(y[3] * y[3] + y[4] * y[4] + y[5] * y[5] + y[6] * y[6]);
  const int line = limb_csv_line(r->reader);
  if (r->what & LIMB_MEASURE_ROTATION && !(fabs(norm - 1) <= 1e-3))
    return cli_usage(r->args, "%s:%d: the quaternion has norm %g; it must be 1", r->path, line, norm);
  const sp_quat turn = {y[3] / norm, y[4] / norm, y[5] / norm, y[6] / norm};
  const limb_measurement m = {r->q, r->what, sp_pose_make(sp_rot_quat(turn), sp_v3(y[0], y[1], y[2])), y[7]};
  const limb_status s = limb_calibration_add(r->x, &m, &err);
  return s == LIMB_OK ? EXIT_FINE : cli_usage(r->args, "%s:%d: %s", r->path, line, err.text);
}

static int read_table(calibrate_run* r)
{
  limb_error err;
  int code = EXIT_FINE, got = 0;
  while (code == EXIT_FINE) {
    const limb_status s = limb_csv_next(r->reader, r->row, &got, &err);
    if (s == LIMB_E_NOMEM) return cli_out_of_memory(r->args);
    if (s != LIMB_OK) return table_error(r, &err);
    if (!got) break;
    code = add_row(r);
  }
  return code;
}

// ---- the answer ------------------------------------------------------------------------------------

static cli_table errors(const limb_calibration_facts* f)
{
  static const char* const part[] = {"fitted", "validation"};
  const int count[] = {f->fitted, f->measurements - f->fitted};
  cli_table t = cli_table_make("<rms errors=part;>measurements=count;>position before [m]=position_before;>after="
                               "position_after;>rotation before [rad]=rotation_before;>after=rotation_after;"
                               ">distance before [m]=distance_before;>after=distance_after;>largest [m]=largest_after");
  for (int i = 0; i < 2; i++) {
    const limb_calibration_error *a = &f->before[i], *b = &f->after[i];
    cli_cell(&t, "%s", part[i]);
    cli_cell_integer(&t, count[i]);
    cli_cell_number(&t, a->position), cli_cell_number(&t, b->position);
    cli_cell_number(&t, a->rotation), cli_cell_number(&t, b->rotation);
    cli_cell_number(&t, a->distance), cli_cell_number(&t, b->distance);
    cli_cell_number(&t, b->largest);
  }
  return t;
}

// all: also hidden parameters, and in JSON.
static cli_table parameters(const limb_calibration* x, int all)
{
  cli_table t = cli_table_make("<parameter=name;>change;>std;<unit;<verdict");
  limb_calibration_parameter p;
  for (int k = 0; limb_calibration_get_parameter(x, k, &p) == LIMB_OK; k++) {
    const char* verdict = !p.found ? "hidden" : fabs(p.change) < 2 * p.std ? "uncertain" : "";
    if (!p.found && !all) continue;
    cli_cell(&t, "%s", p.name);
    cli_cell_number(&t, p.change);
    cli_cell_number(&t, p.found ? p.std : HUGE_VAL);
    cli_cell(&t, "%s", p.angle ? "rad" : "m");
    cli_cell(&t, "%s", verdict);
  }
  return t;
}

static limb_status write_csv(limb_csv_writer* w, const void* calibration)
{
  limb_calibration_parameter p;
  limb_status s = cli_csv_head(w, (const char* const[]){"name", "change", "std", NULL});
  for (int k = 0; s == LIMB_OK && limb_calibration_get_parameter(calibration, k, &p) == LIMB_OK; k++) {
    s = limb_csv_text(w, p.name);
    if (s == LIMB_OK) s = limb_csv_numbers(w, (const double[]){p.change, p.std}, 2);
    if (s == LIMB_OK) s = limb_csv_end_row(w);
  }
  return s;
}

static int print_json(const calibrate_run* r, const limb_calibration_facts* f)
{
  json_t *answer = cli_json_answer(), *notes = json_array();
  const char* note;
  cli_table rms = errors(f), all = parameters(r->x, 1);
  for (int k = 0; (note = limb_calibration_note(r->x, k)); k++) (void)json_array_append_new(notes, cli_json_text(note));
  cli_json_set(answer, "model measurements fitted parameters found kept dropped device target errors calibration notes",
               cli_json_text(limb_model_name(r->robot.model)), json_integer(f->measurements), json_integer(f->fitted),
               json_integer(f->parameters), json_integer(f->found), cli_json_number(f->kept),
               cli_json_number(f->dropped), cli_json_pose(f->device), cli_json_pose(f->target), cli_table_json(&rms),
               cli_table_json(&all), notes);
  return cli_json_print(answer, stdout, cli_title(r->args));
}

static int print_text(const calibrate_run* r, const limb_calibration_facts* f)
{
  printf("%s%s%s: %d measurements, %d of them fitted; %d of %d parameters are determined\n\n", cli_on(stdout, CLI_BOLD),
         limb_model_name(r->robot.model), cli_off(stdout, CLI_BOLD), f->measurements, f->fitted, f->found,
         f->parameters);
  cli_table t = errors(f);
  cli_table_print(&t, stdout, "");
  printf("\n");
  t = parameters(r->x, 0);
  cli_table_print(&t, stdout, "");
  if (r->o.unknown)
    printf("\ndevice: the world is at %.6g %.6g %.6g m; target at %.6g %.6g %.6g m in the frame\n", f->device.p.x,
           f->device.p.y, f->device.p.z, f->target.p.x, f->target.p.y, f->target.p.z);
  return EXIT_FINE;
}

static int write_model(const calibrate_run* r)
{
  const char* path = cli_get(r->args, "output");
  limb_error err = {0};
  limb_builder* b = limb_reading_builder(r->robot.reading);
  const limb_status s = limb_calibration_apply(r->x, b, &err);
  return s == LIMB_OK ? cli_write_model(r->args, r->robot.reading, b, path) : cli_failed(r->args, path, s, &err);
}

static int calibrate(calibrate_run* r)
{
  limb_error err = {0};
  limb_calibration_facts f;
  const char* note;
  int code = read_options(r);
  if (code == EXIT_FINE) code = open_table(r);
  if (code != EXIT_FINE) return code;
  limb_status s = limb_calibration_create(r->robot.model, &r->o, &r->x, &err);
  if (s != LIMB_OK) return cli_failed(r->args, cli_operand(r->args, 0), s, &err);
  code = read_table(r);
  if (code != EXIT_FINE) return code;
  s = limb_calibration_fit(r->x, &err);
  for (int k = 0; (note = limb_calibration_note(r->x, k)); k++)
    (void)fprintf(stderr, "%s: warning: %s\n", r->path, note);
  if (s == LIMB_OK) s = limb_calibration_get_facts(r->x, &f);
  if (s != LIMB_OK) return cli_failed(r->args, r->path, s, &err);
  if (cli_has(r->args, "output")) code = write_model(r);
  if (code != EXIT_FINE) return code;
  if (cli_is(r->args, "format", "json")) return print_json(r, &f);
  if (cli_is(r->args, "format", "csv")) return cli_csv_print(stdout, cli_title(r->args), write_csv, r->x);
  return print_text(r, &f);
}

static int run(const cli_args* args)
{
  calibrate_run r = {.args = args};
  int code = cli_robot_open(args, cli_operand(args, 0), &r.robot);
  if (code != EXIT_FINE) return code;
  code = calibrate(&r);
  limb_calibration_destroy(r.x);
  limb_csv_close(r.reader);
  if (r.file && r.file != stdin) (void)fclose(r.file);
  free(r.row), free(r.q), free(r.column);
  cli_robot_close(&r.robot);
  return code;
}

const cli_command cli_calibrate = {
  .name = "calibrate",
  .operands = "MODEL POSES.csv",
  .summary = "joint offsets and placements from measured poses",
  .about = about,
  .examples = examples,
  .options = options,
  .run = run,
  .writes = writes,
};
