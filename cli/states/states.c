// Tables of states: columns by their names, rows of CSV, NPY or Parquet; rows of robots with loops completed.
#define _POSIX_C_SOURCE 200809L // fstat, fileno

#include "states/states.h"
#include "base/command.h"
#include "base/output.h"
#include "robot/robot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const cli_option cli_wrench_options[] = {
  {"", NULL, "external wrenches"},
  {"wrench-ref", "body|world|aligned",
   "axes and point of the wrench columns (default: aligned, world axes at the frame's origin)"},
  {0},
};

// ---- opening ---------------------------------------------------------------------------------------

static int out_of_memory(const cli_states* s) { return cli_out_of_memory(s->args); }

static int syntax_error(cli_states* s, limb_status status, const limb_error* err)
{
  cli_print_error(stderr, s->path, status, err);
  s->line = err->line;
  (void)snprintf(s->error, sizeof s->error, "%s%s%s", err->where, *err->where ? ": " : "",
                 *err->text ? err->text : limb_status_text(status));
  return EXIT_USAGE;
}

static int open_file(cli_states* s, const char* path)
{
  struct stat about;
  limb_error err = {0};
  const int code = s->file ? EXIT_FINE : cli_reads(s->args, path);
  if (code != EXIT_FINE) return code;
  if (!s->file && strcmp(path, "-") == 0) {
    s->path = "standard input";
    s->file = stdin;
  } else if (!s->file) {
    s->file = fopen(path, "rb");
    if (!s->file) return cli_usage(s->args, "%s: cannot be opened: %s", path, strerror(errno));
  }
  if (fstat(fileno(s->file), &about) == 0) {
    if (S_ISDIR(about.st_mode)) return cli_usage(s->args, "%s: is a directory", path);
    if (S_ISREG(about.st_mode)) s->bytes = (uint64_t)about.st_size;
    s->repeats = S_ISREG(about.st_mode) && s->file != stdin;
  }
  const limb_status status = limb_csv_open(s->file, NULL, &s->reader, &err);
  return status == LIMB_OK ? EXIT_FINE : syntax_error(s, status, &err);
}

int states_reserve(cli_states* s)
{
  const int columns = states_columns(s);
  s->row = calloc((size_t)columns + 1, sizeof *s->row);
  if (!s->row) return 0;
  for (int g = 0; g < STATES_GROUPS; g++) {
    const size_t width = (size_t)states_width(s->dofs, g) + 1;
    s->column[g] = calloc(width, sizeof **s->column);
    s->value[g] = calloc(width, sizeof **s->value);
    if (!s->column[g] || !s->value[g]) return 0;
  }
  s->q = s->value[0], s->v = s->value[1], s->a = s->value[2], s->tau = s->value[3];
  s->v_r = s->value[4], s->a_r = s->value[5], s->q_r = s->value[GROUP_Q_R];
  // No table has more wrenches than columns.
  s->wrench = calloc((size_t)columns + 1, sizeof *s->wrench);
  s->wrench_column = calloc((size_t)columns + 1, sizeof *s->wrench_column);
  s->quat = calloc((size_t)s->dofs->nq + 1, sizeof *s->quat);
  return s->wrench && s->wrench_column && s->quat;
}

void states_find_quaternions(cli_states* s)
{
  for (int j = 0; j < limb_joint_count(s->model); j++) {
    limb_joint_info info;
    if (limb_get_joint(s->model, j, &info) != LIMB_OK) continue;
    if (info.def.type == LIMB_SPHERICAL) s->quat[s->nquat++] = info.q;
    if (info.def.type == LIMB_FREE) s->quat[s->nquat++] = info.q + 3;
  }
}

int cli_states_open(cli_states* s, const cli_args* args, cli_robot* robot, const char* path)
{
  return cli_states_open_stream(s, args, robot, path, NULL);
}

int cli_states_open_stream(cli_states* s, const cli_args* args, cli_robot* robot, const char* path, FILE* file)
{
  *s = (cli_states){.args = args, .model = robot->model, .dofs = &robot->dofs, .path = path, .file = file};
  int code = open_file(s, path);
  if (code == EXIT_FINE && !states_reserve(s)) code = out_of_memory(s);
  if (code == EXIT_FINE) code = states_find_columns(s);
  if (code == EXIT_FINE) {
    states_find_quaternions(s);
    s->env = &robot->env;
    robot->env.nwrench = s->nwrench;
    robot->env.wrench = s->nwrench ? s->wrench : NULL;
  } else {
    cli_states_close(s);
  }
  return code;
}

void cli_states_none(cli_states* s, const cli_args* args, const cli_robot* robot)
{
  *s = (cli_states){.args = args, .model = robot->model, .dofs = &robot->dofs, .path = "no states"};
}

void cli_states_close(cli_states* s)
{
  limb_csv_close(s->reader);
  limb_completion_destroy(s->completion);
  free(s->branch);
  limb_loop_facts_destroy(s->loops);
  if (s->file && s->file != stdin) (void)fclose(s->file);
  for (int g = 0; g < STATES_GROUPS; g++) {
    free(s->column[g]);
    free(s->value[g]);
  }
  states_free_given(&s->given);
  states_free_given(&s->base);
  free(s->row);
  free(s->option);
  free(s->wrench);
  free(s->wrench_column);
  free(s->quat);
  *s = (cli_states){0};
}

int cli_states_has(const cli_states* s, unsigned what)
{
  if (what & STATES_TIME && s->has_time) return 1;
  for (int g = 0; g < STATES_GROUPS; g++) {
    if (!(what & states_bit(g))) continue;
    for (int k = 0; k < states_width(s->dofs, g); k++)
      if (s->column[g][k] >= 0) return 1;
  }
  return 0;
}

int cli_states_knows(const cli_states* s, unsigned what, int k)
{
  for (int g = 1; g < STATES_GROUPS && s->row; g++)
    if (what & states_bit(g) && s->column[g][k] >= 0) return 1;
  return 0;
}

int cli_states_need(cli_states* s, unsigned what, const char* purpose)
{
  int code = states_check_columns(s, what, purpose);
  if (code == EXIT_FINE) code = states_find_given(s, what, purpose);
  if (code == EXIT_FINE) s->wanted |= what;
  return code;
}

// ---- rows ------------------------------------------------------------------------------------------

static int complete_row(cli_states* s);

// Where messages about the row at hand begin: file and line.
static int row_error(cli_states* s, const char* subject, const char* text)
{
  (void)snprintf(s->error, sizeof s->error, "%s: %s", subject, text);
  if (s->line > 0)
    (void)fprintf(stderr, "%s:%d: error: %s\n", s->path, s->line, s->error);
  else
    (void)fprintf(stderr, "%s: error: row %llu: %s\n", s->path, (unsigned long long)s->count, s->error);
  return EXIT_USAGE;
}

// The library normalises quaternions, and refuses those that are far off: here with the joint's name.
static int check_quaternions(cli_states* s)
{
  for (int i = 0; i < s->nquat; i++) {
    const double* q = s->q + s->quat[i];
    if (s->column[0][s->quat[i]] < 0) continue; // STATES_PART
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (fabs(norm - 1) <= 1e-3) continue;
    char text[200];
    (void)snprintf(text, sizeof text,
                   "the quaternion that begins here is (%g %g %g %g), x y z w; its norm is %g and "
                   "must be within 0.001 of 1",
                   q[0], q[1], q[2], q[3], norm);
    return row_error(s, s->dofs->q[s->quat[i]].name, text);
  }
  return EXIT_FINE;
}

static void pick(const cli_states* s, int g)
{
  const int width = states_width(s->dofs, g);
  const int* column = s->column[g];
  double* value = s->value[g];
  for (int k = 0; k < width; k++) value[k] = column[k] >= 0 ? s->row[column[k]] : 0; // IDLE, PART
}

static void pick_wrenches(cli_states* s)
{
  for (int i = 0; i < s->nwrench; i++) {
    double x[6];
    for (int k = 0; k < 6; k++) {
      const int column = s->wrench_column[i][k];
      x[k] = column >= 0 ? s->row[column] : 0;
    }
    s->wrench[i].wrench = sp_force_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5]));
  }
}

// The motion of the base; what has no column is that of the options.
static void pick_base(cli_states* s)
{
  for (int k = 0; k < 12 && s->env; k++) {
    sp_motion* m = k < 6 ? &s->env->base_velocity : &s->env->base_acceleration;
    double* const x[] = {&m->w.x, &m->w.y, &m->w.z, &m->v.x, &m->v.y, &m->v.z};
    if (s->base_column[k] >= 0) *x[k % 6] = s->row[s->base_column[k]];
  }
}

static int take_time(cli_states* s)
{
  const double before = s->time;
  if (!s->has_time) return EXIT_FINE;
  s->time = s->row[s->time_column];
  if (!(s->wanted & STATES_TIME) || s->count == 1 || s->time > before) return EXIT_FINE;
  char text[120];
  (void)snprintf(text, sizeof text, "%.17g does not come after the %.17g of the row before", s->time, before);
  return row_error(s, "time", text);
}

// The numbers of the next row, from wherever they come.
static int read_row(cli_states* s, int* got)
{
  limb_error err = {0};
  if (s->reader) {
    const limb_status status = limb_csv_next(s->reader, s->row, got, &err);
    if (status != LIMB_OK && cli_interrupted()) return EXIT_USAGE; // while it waited
    return status == LIMB_OK ? EXIT_FINE : syntax_error(s, status, &err);
  }
  *got = s->count == 0; // one row of the command line, or none
  return EXIT_FINE;
}

int cli_states_next(cli_states* s, int* got)
{
  int code = read_row(s, got);
  if (code != EXIT_FINE) return code;
  if (!s->row) { // cli_states_none
    s->count++;
    return EXIT_FINE;
  }
  if (!*got) {
    if (s->count == 0) (void)fprintf(stderr, "%s: warning: there are no rows\n", s->path);
    return EXIT_FINE;
  }
  s->count++;
  s->line = s->reader ? limb_csv_line(s->reader) : 0;
  if (limb_csv_unended(s->reader))
    (void)fprintf(stderr, "%s:%d: warning: the last line does not end: its last number may have been cut off\n",
                  s->path, s->line);
  // What is given of each joint may be an acceleration or a force.
  const unsigned given = s->given.mark || s->base.mark ? STATES_A | STATES_TAU : 0;
  for (int g = 0; g < STATES_GROUPS; g++)
    if ((s->wanted | given) & states_bit(g)) pick(s, g);
  pick_wrenches(s);
  pick_base(s);
  code = take_time(s);
  if (code == EXIT_FINE && s->wanted & STATES_Q) code = check_quaternions(s);
  return code == EXIT_FINE && s->completion ? complete_row(s) : code;
}

int cli_states_failed(cli_states* s, limb_status status, const char* what, const char* text)
{
  // What a state is too much for is not what a model is.
  const int limits = status == LIMB_E_UNSUPPORTED && strcmp(text, limb_status_text(status)) != 0;
  (void)snprintf(s->error, sizeof s->error, "%s: %s", what, text);
  (void)fprintf(stderr, "%s:", s->path);
  if (s->line > 0) (void)fprintf(stderr, "%d:", s->line);
  (void)fprintf(stderr, " error: row %llu", (unsigned long long)s->count);
  if (s->has_time) (void)fprintf(stderr, ", time %.9g", s->time);
  (void)fprintf(stderr, ": %s\n", s->error);
  return limits ? EXIT_NUMERICAL : cli_exit_code(status);
}

int cli_states_failure(cli_states* s, limb_status status, const char* what)
{
  return cli_states_failed(s, status, what, limb_status_text(status));
}

uint64_t cli_states_bytes(const cli_states* s) { return limb_csv_bytes(s->reader); }

// ---- robots with loops -----------------------------------------------------------------------------

// What a row fails by is the state, and not the model: exit code 4.
static int not_closed(cli_states* s, limb_status status, const limb_error* err)
{
  const int code = cli_states_failed(s, status, "loops", err->text);
  return code == EXIT_MODEL ? EXIT_NUMERICAL : code;
}

static limb_status complete(const cli_states* s, limb_error* err)
{
  return limb_complete_state(s->completion, s->has_time ? s->time : 0, s->q, s->completed & STATES_V ? s->v : NULL,
                             s->completed & STATES_A ? s->a : NULL, err);
}

static int complete_row(cli_states* s)
{
  limb_error err = {0};
  limb_completion_facts facts = {0};
  limb_status status = complete(s, &err);
  if (status == LIMB_E_NOCONV && s->option && states_close_rounded(s)) status = complete(s, &err);
  if (status != LIMB_OK) return not_closed(s, status, &err);
  if (s->count == 1 && limb_completion_get_facts(s->completion, &facts) == LIMB_OK && facts.other_branch)
    (void)fprintf(stderr,
                  "%s: note: the first row is not on the branch of the start configuration; limb assemble --branches "
                  "lists the others\n",
                  s->path);
  return s->branch ? states_name_branch(s) : EXIT_FINE;
}

int cli_states_follow_rates(cli_states* s)
{
  limb_error err = {0};
  const limb_status status = limb_complete_rates(s->completion, s->has_time ? s->time : 0, s->q, s->v, s->a, &err);
  return status == LIMB_OK ? EXIT_FINE : not_closed(s, status, &err);
}

int cli_states_open_loops(const cli_states* s, limb_data** watch, int* loop, double* apart)
{
  limb_loop_options o = limb_default_loop_options();
  limb_loop_gap gap;
  *apart = 0;
  if (!*watch && limb_data_create(s->model, NULL, watch) != LIMB_OK) return 0;
  if (s->has_time) o.time = s->time;
  if (limb_loop_gap_of(*watch, s->q, s->wanted & STATES_V ? s->v : NULL, &o, &gap) != LIMB_OK) return 0;
  const int velocity = s->wanted & STATES_V && gap.velocity > gap.position;
  *apart = velocity ? gap.velocity : gap.position;
  *loop = velocity ? gap.velocity_loop : gap.position_loop;
  return *apart > fmax(1e-6, limb_model_loop_tolerance(s->model));
}

// ---- answers ---------------------------------------------------------------------------------------

static int written(const cli_answers* a, limb_status status)
{
  const char* title = cli_title(a->s->args);
  return status == LIMB_OK ? EXIT_FINE : cli_unwritten(title, "the table", limb_status_text(status));
}

static int is_answered(const cli_states* s, int k) { return !s->only_active || !s->dofs->v[k].passive; }

static int open_table(cli_answers* a, limb_table_format format, const char* prefix)
{
  const cli_dofs* d = a->s->dofs;
  const size_t n = (size_t)d->nv + 1;
  limb_table_column* column = calloc(n, sizeof *column);
  char* names = calloc(n, CLI_NAME_SPACE);
  limb_error err = {0};
  int columns = 0;
  a->row = calloc(n, sizeof *a->row);
  if (!column || !names || !a->row) {
    free(column);
    free(names);
    return cli_out_of_memory(a->s->args);
  }
  if (a->s->has_time) column[columns++] = (limb_table_column){.name = "time", .unit = "s"};
  for (int k = 0; k < d->nv; k++) {
    char* name = names + (size_t)k * CLI_NAME_SPACE;
    if (!is_answered(a->s, k)) continue;
    (void)snprintf(name, CLI_NAME_SPACE, "%s%s", prefix, d->v[k].name);
    column[columns++] = (limb_table_column){.name = name};
  }
  errno = 0;
  // without columns there are no rows either
  const limb_status s = columns > 0 ? limb_table_create(cli_output_path(&a->out), format ? format : LIMB_TABLE_CSV,
                                                        columns, column, &a->w, &err)
                                    : LIMB_OK;
  if (s == LIMB_OK && a->w && a->s->pool) (void)!limb_table_set_pool(a->w, a->s->pool); // without memory: one by one
  free(names);
  free(column);
  return written(a, s);
}

static int take_row(void* context, const double* row)
{
  cli_answers* a = context;
  return written(a, row ? limb_table_row(a->w, row) : limb_table_flush(a->w));
}

int cli_answers_open(cli_answers* a, cli_states* s, const char* path, const char* prefix, int alone)
{
  *a = (cli_answers){.s = s};
  int code = cli_output_reserve(&a->out, cli_title(s->args), path);
  if (code == EXIT_FINE) code = open_table(a, limb_table_format_of(path), prefix);
  if (code == EXIT_FINE && a->w && cli_has(s->args, "resume")) code = take_row(a, NULL);
  if (code == EXIT_FINE) code = cli_kept_open(&a->kept, s->args, &a->out, alone && a->w && s->repeats);
  s->kept = &a->kept, s->take = take_row, s->take_context = a;
  return code;
}

int cli_answers_row(cli_answers* a, const double* x)
{
  const cli_states* s = a->s;
  double* to = a->row;
  if (!a->w) return EXIT_FINE;
  if (s->has_time) *to++ = s->time;
  for (int k = 0; k < s->dofs->nv; k++)
    if (is_answered(s, k)) *to++ = x[k];
  return a->kept.check ? cli_kept_same(&a->kept, a->row) : written(a, limb_table_row(a->w, a->row));
}

int cli_answers_end(const cli_answers* a) { return a->w ? written(a, limb_table_end(a->w)) : EXIT_FINE; }

void cli_answers_stop(cli_answers* a)
{
  if (!cli_kept_stays(&a->kept) || limb_table_end(a->w) == LIMB_OK) cli_kept_stop(&a->kept, a->s->written);
}

void cli_answers_close(cli_answers* a)
{
  limb_table_destroy(a->w);
  free(a->row);
  cli_kept_close(&a->kept);
  cli_output_abandon(&a->out);
  if (a->s) a->s->kept = NULL;
  *a = (cli_answers){0};
}
