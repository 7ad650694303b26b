// `limb convert`: writes a model in another language. The result is read back and compared before it is saved.
#define _POSIX_C_SOURCE 200809L // strdup
#define _XOPEN_SOURCE   700     // realpath
#include "limb/study.h"
#include "base/command.h"
#include "base/output.h"
#include "robot/robot.h"

#include "limb/edit.h"
#include "limb/read.h"

#include <stdlib.h>
#include <string.h>

enum { STATES = 5 };

static const double SAME = 1e-9; // a larger difference is another robot

// By --to, otherwise by the name of the output; AUTO after an error.
static limb_format output_format(const cli_args* args, const char* path)
{
  const char* to = cli_get(args, "to");
  const limb_format named = strcmp(path, "-") == 0      ? LIMB_FORMAT_AUTO
                            : cli_ends_in(path, ".xml") ? LIMB_FORMAT_MJCF
                                                        : limb_format_of_name(path);
  static const limb_format formats[] = {LIMB_FORMAT_YAML, LIMB_FORMAT_URDF, LIMB_FORMAT_MJCF, LIMB_FORMAT_SDF,
                                        LIMB_FORMAT_PAR};
  const limb_format wanted = to ? formats[cli_choice(args, "to")] : named;
  if (to && named && named != wanted) {
    (void)cli_usage(args, "--to %s contradicts the ending of '%s'", to, path);
    return LIMB_FORMAT_AUTO;
  }
  if (to) return wanted;
  if (named) return named;
  (void)cli_usage(args, "%s: the language is not clear from the name; use --to yaml|urdf|mjcf|sdf|par", path);
  return LIMB_FORMAT_AUTO;
}

// Builds a model from the written text.
static limb_status read_back(const cli_text* text, limb_format format, const char* path, limb_model** out,
                             limb_error* err)
{
  limb_reading* r = NULL;
  limb_status s = cli_text_read(text, format, path, &r, err);
  if (s == LIMB_OK) s = limb_builder_build(limb_reading_builder(r), out, err);
  limb_reading_destroy(r);
  return s;
}

// A shaft as MJCF has it: its length is q_motor / ratio - q_joint.
static limb_status add_as_tendon(limb_builder* to, const limb_shaft_def* shaft, int number)
{
  char name[32];
  (void)snprintf(name, sizeof name, "shaft %d", number);
  limb_tendon_def t = limb_default_tendon_def(name);
  t.count = 2, t.joint = (const int[2]){shaft->motor, shaft->joint};
  t.coefficient = (const double[2]){1 / shaft->ratio, -1};
  t.stiffness = shaft->stiffness, t.damping = shaft->damping, t.rest = shaft->rest;
  return limb_builder_add_tendon(to, &t, NULL, NULL);
}

// Joints without starts and drives. A .par file numbers them.
static limb_status add_plain_joints(const limb_builder* b, limb_format format, limb_builder* to)
{
  limb_joint_def joint;
  char name[32];
  int number = 0;
  limb_status s = LIMB_OK;
  for (int i = 0; s == LIMB_OK && limb_builder_get_joint(b, i, &joint) == LIMB_OK; i++) {
    joint.start = 0, joint.drive = LIMB_DRIVE_AUTO;
    if (limb_builder_find_joint(b, "base") < 0 && joint.type == LIMB_FREE && joint.parent == LIMB_WORLD_BODY)
      joint.name = "base"; // as readers call the joint of a floating model
    if (format == LIMB_FORMAT_PAR && (joint.type == LIMB_REVOLUTE || joint.type == LIMB_PRISMATIC)) {
      (void)snprintf(name, sizeof name, "joint%d", ++number);
      joint.name = name, joint.rest = 0;
    }
    s = limb_builder_add_joint(to, &joint, NULL, NULL);
  }
  return s;
}

// Ball loops are points in SDF; a .par file numbers its loops.
static limb_status add_plain_loops(const limb_builder* b, limb_format format, limb_builder* to)
{
  limb_loop_def loop;
  char name[32];
  limb_status s = LIMB_OK;
  for (int i = 0; s == LIMB_OK && limb_builder_get_loop(b, i, &loop) == LIMB_OK; i++) {
    if (loop.kind == LIMB_LOOP_BALL) loop.pose_a.R = loop.pose_b.R = sp_identity3();
    (void)snprintf(name, sizeof name, "loop%d", i);
    if (format == LIMB_FORMAT_PAR) loop.name = name;
    s = limb_builder_add_loop(to, &loop, NULL, NULL);
  }
  return s;
}

// The robot without what MJCF, SDF and .par do not say, which was reported. NULL: out of memory.
static limb_model* plain(const limb_model* m, limb_format format)
{
  limb_builder *b = NULL, *to = NULL;
  limb_model* out = NULL;
  limb_body_def body;
  limb_shaft_def shaft;
  limb_tendon_def tendon;
  limb_status s = limb_builder_from_model(m, NULL, &b);
  if (s == LIMB_OK) s = limb_builder_create(NULL, &to);
  if (s == LIMB_OK) s = limb_builder_set_gravity(to, limb_builder_gravity(b));
  for (int i = 1; s == LIMB_OK && limb_builder_get_body(b, i, &body) == LIMB_OK; i++)
    s = limb_builder_add_body(to, &body, NULL, NULL);
  if (s == LIMB_OK) s = add_plain_joints(b, format, to);
  for (int i = 0; s == LIMB_OK && limb_builder_get_shaft(b, i, &shaft) == LIMB_OK; i++)
    s = add_as_tendon(to, &shaft, i);
  for (int i = 0; s == LIMB_OK && limb_builder_get_tendon(b, i, &tendon) == LIMB_OK; i++)
    s = limb_builder_add_tendon(to, &tendon, NULL, NULL);
  if (s == LIMB_OK) s = add_plain_loops(b, format, to);
  if (s == LIMB_OK && limb_builder_build(to, &out, NULL) != LIMB_OK) out = NULL;
  limb_builder_destroy(b);
  limb_builder_destroy(to);
  return out;
}

// limb_compare of what the language can say.
static limb_status compare_models(const limb_model* was, const limb_model* is, limb_format format,
                                  limb_comparison* same)
{
  if (format == LIMB_FORMAT_YAML || format == LIMB_FORMAT_URDF) return limb_compare(was, is, STATES, same);
  limb_model *a = plain(was, format), *b = plain(is, format);
  const limb_status s = a && b ? limb_compare(a, b, STATES, same) : LIMB_E_NOMEM;
  limb_model_destroy(a);
  limb_model_destroy(b);
  return s;
}

// Compares; EXIT_FINE when it is the same robot.
static int compare(const cli_args* args, const cli_robot* r, const cli_text* text, limb_format format, const char* path,
                   limb_comparison* same)
{
  limb_model* m = NULL;
  limb_error err = {0};
  limb_status s = read_back(text, format, path, &m, &err);
  if (s == LIMB_E_NOMEM) return cli_out_of_memory(args);
  if (s != LIMB_OK) {
    (void)cli_usage(args, "%s: the result cannot be read back: %s: %s; it was not saved", path, err.where, err.text);
    return EXIT_FINDINGS;
  }
  s = compare_models(r->model, m, format, same);
  limb_model_destroy(m);
  if (s != LIMB_OK) {
    (void)cli_usage(args, "%s: the result cannot be compared: %s", path, limb_status_text(s));
    return cli_exit_code(s);
  }
  if (*same->why) {
    const int richer = format != LIMB_FORMAT_YAML && format != LIMB_FORMAT_URDF; // languages that can express more
    (void)cli_usage(args, "%s: the result is another robot: %s; it was not saved%s", path, same->why,
                    richer ? ": limb YAML (.limb.yaml) can express it, and mostly URDF" : "");
    return EXIT_FINDINGS;
  }
  if (same->tau <= SAME && same->M <= SAME) return EXIT_FINE;
  (void)cli_usage(args, "%s: the result is another robot: M differs by %.2g, tau by %.2g; it was not saved", path,
                  same->M, same->tau);
  return EXIT_FINDINGS;
}

static const char* output_name(const char* path) { return strcmp(path, "-") == 0 ? "standard output" : path; }

static void print_result(FILE* out, const char* path, const limb_comparison* same)
{
  (void)fprintf(out, "%s: written; read back, at %d random states ", output_name(path), same->states);
  if (same->M >= 0) (void)fprintf(out, "M differs by %.2g and ", same->M);
  (void)fprintf(out, "tau differs by %.2g (relative)\n", same->tau);
}

// ---- what is not written ---------------------------------------------------------------------------

// The thing that was not read according to a finding: visual of "element 'visual'", parts of "joint 'j'"; "" for none.
static void not_read(const limb_finding* f, char* name, size_t size)
{
  static const char* const rules[] = {"ignored", "dropped", "unknown-tag"};
  static const char* const kinds[] = {"element '", "section '", "attribute '", "list '"};
  int matches = 0;
  *name = '\0';
  for (int k = 0; k < 3; k++) matches |= strcmp(f->rule, rules[k]) == 0;
  if (!matches || !*f->where) return;
  (void)snprintf(name, size, "details of %s", f->where); // such as the limits of a joint
  for (int k = 0; k < 4; k++) {
    const size_t length = strlen(kinds[k]);
    if (strncmp(f->where, kinds[k], length) != 0) continue;
    (void)snprintf(name, size, "%s", f->where + length);
    if (*name) name[strcspn(name, "'")] = '\0';
  }
}

// One line: what of the source is not in the result, each once.
static void print_not_written(const cli_robot* r, const char* path)
{
  enum { MAX_NAMES = 12 };
  const limb_findings* f = limb_reading_findings(r->reading);
  char names[MAX_NAMES][128], name[128];
  int count = 0, more = 0;
  limb_finding x;
  for (int i = 0; i < r->nread; i++) {
    if (limb_findings_get(f, i, &x) != LIMB_OK) continue;
    not_read(&x, name, sizeof name);
    int known = 0;
    while (known < count && strcmp(names[known], name) != 0) known++;
    if (!*name || known < count) continue;
    if (count < MAX_NAMES)
      memcpy(names[count++], name, sizeof name);
    else
      more++;
  }
  if (count == 0) return;
  (void)fprintf(stderr, "%s: not written: ", output_name(path));
  for (int k = 0; k < count; k++) (void)fprintf(stderr, "%s%s", k ? ", " : "", names[k]);
  if (more) (void)fprintf(stderr, " and %d more", more);
  (void)fprintf(stderr, "\n");
}

// ---- writing ---------------------------------------------------------------------------------------

// By --as, where the language has forms.
static int read_form(const cli_args* args, limb_format format, limb_form* out)
{
  const char* as = cli_get(args, "as");
  *out = !as || strcmp(as, "poses") == 0 ? LIMB_FORM_POSES : strcmp(as, "mdh") == 0 ? LIMB_FORM_MDH : LIMB_FORM_POE;
  if (!as || format == LIMB_FORMAT_YAML) return EXIT_FINE;
  return cli_usage(args, "--as is for limb YAML: %s places joints by poses only", limb_format_name(format));
}

// ---- meshes ----------------------------------------------------------------------------------------

// The folder of a path, links and dots resolved; NULL when there is none.
static char* folder_of(const char* path)
{
  char* copy = strdup(path);
  char* slash = copy ? strrchr(copy, '/') : NULL;
  if (slash) slash[slash == copy] = '\0';
  char* full = copy ? realpath(slash ? copy : ".", NULL) : NULL;
  free(copy);
  return full;
}

// The path of a file seen from a folder: ../meshes/arm.stl. Both are resolved.
static void put_relative(cli_text* out, const char* folder, const char* file)
{
  size_t same = 0; // up to and with the last slash that both have
  size_t i = 0;
  for (; folder[i] && folder[i] == file[i]; i++) same = file[i] == '/' ? i + 1 : same;
  if (!folder[i] && file[i] == '/') same = i + 1;
  for (const char* rest = folder + (same < strlen(folder) ? same : strlen(folder)); *rest;) {
    cli_text_add(out, "../");
    rest += strcspn(rest, "/");
    rest += *rest == '/';
  }
  cli_text_add(out, file + same);
}

// The resolved path of a mesh, with the part behind the # of a file that contains several; NULL: there is no such file.
static char* resolve_mesh(const char* path)
{
  char* full = realpath(path, NULL);
  const char* part = full ? NULL : strrchr(path, '#');
  char* file = part ? strndup(path, (size_t)(part - path)) : NULL;
  char* found = file ? realpath(file, NULL) : NULL;
  char* both = found ? realloc(found, strlen(found) + strlen(part) + 1) : NULL;
  if (both)
    memcpy(both + strlen(both), part, strlen(part) + 1);
  else
    free(found);
  free(file);
  return full ? full : both;
}

// Meshes that the model names relative to itself are named relative to the result.
static limb_status name_meshes(limb_builder* b, const char* path)
{
  limb_shape_def shape;
  limb_status s = LIMB_OK;
  char* folder = folder_of(strcmp(path, "-") == 0 ? "" : path);
  for (int i = 0; folder && s == LIMB_OK && limb_builder_get_shape(b, i, &shape) == LIMB_OK; i++) {
    if (!*shape.path || *shape.mesh == '/' || strstr(shape.mesh, "://")) continue;
    cli_text name = {0};
    char* full = resolve_mesh(shape.path);
    if (full) put_relative(&name, folder, full);
    if (full && !name.failed) {
      shape.mesh = name.bytes;
      s = limb_builder_set_shape(b, i, &shape, NULL);
    }
    cli_text_free(&name);
    free(full);
  }
  free(folder);
  return s;
}

// ---- writing the text ------------------------------------------------------------------------------

// The robot as it is written; rows need frames on the axes, and may need auxiliary bodies for them.
static limb_status write_text(const cli_robot* r, limb_format format, limb_form form, cli_text* text,
                              limb_findings* findings, limb_error* err)
{
  const limb_builder* b = limb_reading_builder(r->reading);
  limb_builder* rows = NULL;
  if (form == LIMB_FORM_POSES && format != LIMB_FORMAT_PAR)
    return limb_write(b, format, cli_text_add, text, findings, err);
  if (form == LIMB_FORM_POE) return limb_write_form(b, form, cli_text_add, text, findings, err);
  limb_status s = limb_builder_with_mdh(r->model, NULL, &rows);
  if (s == LIMB_OK) s = limb_builder_take_shapes(rows, b);
  if (s == LIMB_OK && format == LIMB_FORMAT_PAR)
    s = limb_write(rows, format, cli_text_add, text, findings, err);
  else if (s == LIMB_OK)
    s = limb_write_form(rows, form, cli_text_add, text, findings, err);
  limb_builder_destroy(rows);
  return s;
}

static int write_model(const cli_args* args, const cli_robot* r, limb_format format, const char* path)
{
  cli_text text = {0};
  limb_form form;
  limb_findings* findings = NULL;
  limb_error err = {0};
  limb_comparison same = {0};
  if (read_form(args, format, &form) != EXIT_FINE) return EXIT_USAGE;
  limb_status s = limb_findings_create(NULL, &findings);
  if (s == LIMB_OK) s = name_meshes(limb_reading_builder(r->reading), path);
  if (s == LIMB_OK) s = write_text(r, format, form, &text, findings, &err);
  if (s == LIMB_OK && format == LIMB_FORMAT_YAML)
    s = limb_write_poses(r->reading, limb_reading_builder(r->reading), cli_text_add, &text);
  if (s == LIMB_OK && text.failed) s = LIMB_E_NOMEM;
  cli_print_findings(stderr, path, findings, LIMB_NOTE);
  limb_findings_destroy(findings);
  int code = s == LIMB_E_NOMEM ? cli_out_of_memory(args) : cli_exit_code(s);
  if (s != LIMB_OK)
    (void)cli_usage(args, "%s: cannot be written as %s: %s", path, limb_format_name(format),
                    *err.text ? err.text : limb_status_text(s));
  if (code == EXIT_FINE) code = compare(args, r, &text, format, path, &same);
  if (code == EXIT_FINE) code = cli_text_save(&text, cli_title(args), path);
  if (code == EXIT_FINE) print_not_written(r, path);
  if (code == EXIT_FINE && format != LIMB_FORMAT_YAML && limb_reading_pose_count(r->reading) > 0)
    (void)fprintf(stderr, "%s: note: named poses are not written: limb YAML has them\n", output_name(path));
  if (code == EXIT_FINE && cli_ends_in(path, ".xacro"))
    (void)fprintf(stderr, "%s: note: it is plain URDF, which xacro reads as it is\n", path);
  if (code == EXIT_FINE) print_result(stderr, path, &same);
  cli_text_free(&text);
  return code;
}

static int run(const cli_args* args)
{
  const char *source = cli_operand(args, 0), *path = cli_operand(args, 1);
  cli_robot r = {0};
  limb_read_options opt = {0};
  const limb_format format = output_format(args, path);
  if (!format) return EXIT_USAGE;
  int code = cli_writes_to(args, "OUT", path, "");
  if (code == EXIT_FINE) code = cli_read_options(args, &opt);
  opt.shapes = 1;
  if (code == EXIT_FINE) code = cli_robot_open_as(args, source, &opt, NULL, &r);
  if (code == EXIT_FINE) code = write_model(args, &r, format, path);
  cli_robot_close(&r);
  return code;
}

static const cli_option options[] = {
  {"", NULL, "output"},
  {"to", "yaml|urdf|mjcf|sdf|par", "its language (default: by its name)"},
  {"as", "poses|mdh|poe",
   "limb YAML: how joints are placed: by poses, by modified Denavit-Hartenberg rows, or by screws and home poses, the "
   "product of exponentials (default: poses)"},
  {0},
};

const cli_command cli_convert = {
  .name = "convert",
  .operands = "MODEL OUT",
  .summary = "write a model in another language: limb YAML, URDF, MJCF, SDF or .par",
  .about =
    "limb YAML keeps all of the dynamics. What URDF cannot express is written in elements that other readers skip, "
    "and is reported. MJCF (.xml) is for MuJoCo, which has the same mass matrix and torques; what MJCF, SDF and "
    "SYMORO .par cannot express is reported, and refused where it would make another robot. Shapes are carried along, "
    "with their colours "
    "and the paths of their meshes; what else does not affect dynamics is not written, which is reported. The model "
    "itself is never overwritten.\n"
    "Before the file is saved, it is read back, and mass matrix and torques of both robots are compared. If they "
    "differ, nothing is saved, and the exit code is 1.",
  .examples =
    (const char* const[]){"limb convert arm.urdf arm.limb.yaml", "from URDF to limb YAML",
                          "limb convert arm.urdf arm.xml", "an MJCF file for MuJoCo",
                          "limb convert puma560 - --to urdf", "a built-in robot as URDF, on standard output",
                          "limb convert arm.urdf arm.limb.yaml --as poe", "as a product of exponentials", NULL},
  .options = (const cli_option* const[]){options, cli_model_options, cli_change_options, NULL},
  .run = run,
};
