// Targets of `limb ik`: of the command line, or row by row of a table of poses.
#define _POSIX_C_SOURCE 200809L // fstat, fileno

#include "base/output.h"
#include "commands/ik.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char* const components[IK_POSE] = {"position.x",   "position.y",   "position.z",  "quaternion.x",
                                                "quaternion.y", "quaternion.z", "quaternion.w"};

// Goals without angular directions.
static int positions_only(ik_run* r, const char* why)
{
  for (int k = 0; k < r->frames; k++) {
    if (cli_has(r->args, "directions") && r->goal[k].task.directions & LIMB_ANGULAR)
      return cli_usage(r->args, "--directions has rotations, and %s", why);
    r->goal[k].task.directions &= LIMB_LINEAR;
    if (r->goal[k].task.directions == 0) return cli_usage(r->args, "%s", why);
  }
  return EXIT_FINE;
}

// x y z and a quaternion of norm 1; subject: where they are from.
static int make_pose(const ik_run* r, const char* subject, const double* x, sp_pose* out)
{
  const double norm = sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5] + x[6] * x[6]);
  if (!(fabs(norm - 1) <= 1e-3)) {
    (void)cli_usage(r->args, "%s: the quaternion has norm %g; it must be 1", subject, norm);
    return EXIT_USAGE;
  }
  *out = sp_pose_make(sp_rot_quat((sp_quat){x[3], x[4], x[5], x[6]}), sp_v3(x[0], x[1], x[2]));
  return EXIT_FINE;
}

// --target and --rpy
static int read_pose(ik_run* r)
{
  const char* text = cli_get(r->args, "target");
  double x[IK_POSE] = {0, 0, 0, 0, 0, 0, 1}, rpy[3] = {0};
  int commas = 0;
  if (!text) return cli_usage(r->args, "give a table of poses, or one pose by --target x,y,z,qx,qy,qz,qw");
  if (r->frames > 1) return cli_usage(r->args, "--target is for one frame; poses of several are columns of a table");
  for (const char* c = text; *c; c++) commas += *c == ',';
  const int numbers = commas >= 3 ? IK_POSE : 3;
  if (commas != numbers - 1) return cli_usage(r->args, "--target takes 3 or 7 numbers, not '%s'", text);
  if (!cli_numbers(r->args, "target", numbers, x)) return EXIT_USAGE;
  if (cli_has(r->args, "rpy")) {
    if (numbers == IK_POSE) return cli_usage(r->args, "--target has a quaternion already: leave --rpy out");
    if (!cli_numbers(r->args, "rpy", 3, rpy)) return EXIT_USAGE;
    r->target[0] = sp_pose_make(sp_rot_rpy(rpy[0], rpy[1], rpy[2]), sp_v3(x[0], x[1], x[2]));
    return EXIT_FINE;
  }
  if (numbers == 3) {
    const int code = positions_only(r, "--target has none: add a quaternion or --rpy");
    if (code != EXIT_FINE) return code;
  }
  return make_pose(r, "--target", x, &r->target[0]);
}

// Columns of frame k: pose.<frame>.position.x ..., with one frame also pose.position.x. Returns how many of them,
// counted from the first, are there.
static int find_columns(ik_run* r, int k, char* missing, size_t size)
{
  char name[CLI_NAME_SPACE];
  for (int i = 0; i < IK_POSE; i++) {
    (void)snprintf(name, sizeof name, "pose.%s.%s", r->frame[k], components[i]);
    r->column[k][i] = limb_csv_find(r->reader, name);
    (void)snprintf(missing, size, "%s", name);
    (void)snprintf(name, sizeof name, "pose.%s", components[i]);
    if (r->column[k][i] < 0 && r->frames == 1) r->column[k][i] = limb_csv_find(r->reader, name);
    if (r->column[k][i] < 0) return i;
  }
  return IK_POSE;
}

static int find_all_columns(ik_run* r)
{
  int rotations = 1;
  char missing[CLI_NAME_SPACE];
  for (int k = 0; k < r->frames; k++) {
    const int there = find_columns(r, k, missing, sizeof missing);
    const int ends_at_position = there == 3;
    if (there < 3 || (there < IK_POSE && !ends_at_position))
      return cli_usage(r->args, "%s: there is no column %s", r->path, missing);
    rotations &= there == IK_POSE;
  }
  r->time_column = limb_csv_find(r->reader, "time");
  return rotations ? EXIT_FINE : positions_only(r, "the table has no quaternions");
}

static int table_error(const ik_run* r, const limb_error* error)
{
  char position[48] = "";
  if (error->line > 0) (void)snprintf(position, sizeof position, ":%d:%d", error->line, error->column);
  (void)fprintf(stderr, "%s%s: error: %s: %s\n", r->path, position, error->where, error->text);
  return EXIT_USAGE;
}

int ik_targets_open(ik_run* r)
{
  struct stat about;
  limb_error error;
  r->time_column = -1;
  r->path = cli_operand_count(r->args) > 1 ? cli_operand(r->args, 1) : NULL;
  if (!r->path) return read_pose(r);
  if (cli_has(r->args, "target")) return cli_usage(r->args, "--target and a table of poses exclude each other");
  const char* refused = cli_input_refused(r->path);
  if (refused) return cli_usage(r->args, "%s: %s", r->path, refused);
  r->file = strcmp(r->path, "-") == 0 ? stdin : fopen(r->path, "rb");
  if (!r->file && errno == ENOMEM) return cli_out_of_memory(r->args);
  if (!r->file) return cli_usage(r->args, "cannot read %s: %s", r->path, strerror(errno));
  if (fstat(fileno(r->file), &about) == 0 && S_ISREG(about.st_mode))
    r->bytes = (uint64_t)about.st_size, r->repeats = r->file != stdin;
  const limb_status s = limb_csv_open(r->file, NULL, &r->reader, &error);
  if (s == LIMB_E_NOMEM) return cli_out_of_memory(r->args);
  if (s != LIMB_OK) return table_error(r, &error);
  r->row = calloc((size_t)limb_csv_column_count(r->reader) + 1, sizeof *r->row);
  return r->row ? find_all_columns(r) : cli_out_of_memory(r->args);
}

void ik_targets_close(ik_run* r)
{
  limb_csv_close(r->reader);
  if (r->file && r->file != stdin) (void)fclose(r->file);
  free(r->row);
}

const char* ik_position(const ik_run* r, char text[IK_POSITION])
{
  if (r->line > 0)
    (void)snprintf(text, IK_POSITION, "%.250s:%d", r->path, r->line);
  else
    (void)snprintf(text, IK_POSITION, "%.250s: row %d", r->path, r->rows);
  return text;
}

int ik_targets_next(ik_run* r, int* got)
{
  limb_error error;
  char subject[CLI_NAME_SPACE], position[IK_POSITION];
  const limb_status s = limb_csv_next(r->reader, r->row, got, &error);
  if (s == LIMB_E_NOMEM) return cli_out_of_memory(r->args);
  if (s != LIMB_OK && cli_interrupted()) return EXIT_USAGE; // while it waited
  if (s != LIMB_OK) return table_error(r, &error);
  if (!*got) return EXIT_FINE;
  r->line = limb_csv_line(r->reader);
  r->rows++;
  if (limb_csv_unended(r->reader))
    (void)fprintf(stderr, "%s: warning: the last line does not end: its last number may have been cut off\n",
                  ik_position(r, position));
  if (r->time_column >= 0) r->time = r->row[r->time_column];
  for (int k = 0; k < r->frames; k++) {
    double x[IK_POSE] = {0, 0, 0, 0, 0, 0, 1};
    for (int i = 0; i < IK_POSE && r->column[k][i] >= 0; i++) x[i] = r->row[r->column[k][i]];
    (void)snprintf(subject, sizeof subject, "%s: frame '%.200s'", ik_position(r, position), r->frame[k]);
    const int code = make_pose(r, subject, x, &r->target[k]);
    if (code != EXIT_FINE) return code;
  }
  return EXIT_FINE;
}
