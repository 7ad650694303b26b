// A robot along a trajectory: its torques, the loads on its joints, its motors.
#include "commands/motion.h"

#include "limb/read.h"

#include "commands/id.h"

#include <stdlib.h>
#include <string.h>

// ---- rows ------------------------------------------------------------------------------------------

// Remembers what joints without motor would have to deliver.
static void watch_passive(cli_motion* m)
{
  for (int k = 0; k < m->robot.dofs.nv; k++) {
    const double size = fabs(m->tau[k]);
    m->largest = fmax(m->largest, size);
    if (!m->robot.dofs.v[k].passive || size <= m->unmet) continue;
    m->unmet = size;
    m->unmet_at = k;
  }
}

// Torques, and for --size the loads on joints and closures.
static int compute(cli_motion* m)
{
  cli_states* s = &m->states;
  limb_error err = {0};
  const limb_state state = {.q = s->q, .v = s->v, .a = s->a, .time = s->has_time ? s->time : 0, .env = &m->robot.env};
  const limb_status status = limb_evaluator_run(m->e, &state, m->tau);
  if (status == LIMB_OK) return EXIT_FINE;
  (void)limb_evaluator_failure(m->e, &err);
  return cli_states_failed(s, status, "inverse dynamics", err.text);
}

static void take_loads(const double* x, int n, sp_force* f)
{
  for (int k = 0; k < n; k++, x += 6) f[k] = sp_force_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5]));
}

typedef struct motion_rows {
  cli_motion* m;
  cli_motion_fn* row;
  void* context;
} motion_rows;

static int do_row(void* context, const double* numbers)
{
  const motion_rows* r = context;
  cli_motion* m = r->m;
  const int joints = limb_joint_count(m->robot.model), loops = limb_loop_count(m->robot.model);
  const int code = numbers ? EXIT_FINE : compute(m);
  if (code != EXIT_FINE) return code;
  if (numbers) memcpy(m->tau, numbers, limb_evaluator_width(m->e) * sizeof *numbers);
  if (!m->loops) watch_passive(m);
  const double* x = m->tau + m->robot.dofs.nv;
  if (m->loads) take_loads(x, joints, m->load);
  if (m->loads && m->loops) take_loads(x + 6 * joints, loops, m->loop_load);
  return r->row(r->context, m);
}

static int differentiate_rows(motion_rows* r)
{
  cli_motion* m = r->m;
  cli_track track;
  int code = cli_track_read(&track, &m->states);
  cli_progress progress = cli_progress_begin("motion", track.rows);
  for (size_t i = 0; i < track.rows && code == EXIT_FINE; i++) {
    cli_track_row(&track, i);
    if (m->loops) code = cli_states_follow_rates(&m->states);
    if (code == EXIT_FINE) code = cli_interrupted() ? EXIT_USAGE : do_row(r, NULL);
    cli_progress_update(&progress, i);
  }
  cli_progress_end(&progress);
  cli_track_free(&track);
  return code;
}

int cli_motion_run(cli_motion* m, cli_motion_fn* row, void* context)
{
  motion_rows r = {m, row, context};
  return m->differentiate ? differentiate_rows(&r) : cli_states_stream(&m->states, m->e, &m->robot.env, do_row, &r);
}

limb_sizing_row cli_motion_row(const cli_motion* m)
{
  const cli_states* s = &m->states;
  return (limb_sizing_row){s->time, s->q, s->v, m->tau, m->load, m->loops ? m->loop_load : NULL, s->a};
}

// ---- opening ---------------------------------------------------------------------------------------

static int check_columns(cli_motion* m, const char* needs_time)
{
  cli_states* s = &m->states;
  const unsigned part = m->loops ? STATES_PART : 0;
  int code = EXIT_FINE;
  if (m->differentiate) {
    code = cli_states_need(s, STATES_Q | STATES_TIME | part, "--differentiate");
    if (code == EXIT_FINE && cli_states_has(s, STATES_V | STATES_A))
      (void)fprintf(stderr, "%s:1: warning: the columns v. and a. are not used: --differentiate\n", s->path);
    if (code == EXIT_FINE)
      (void)fprintf(stderr,
                    "%s: note: v and a are derivatives of a quintic spline through the rows, not-a-knot at its ends\n",
                    s->path);
  } else {
    code = cli_states_need(s, STATES_Q | STATES_V | STATES_A | part, "inverse dynamics");
    if (code != EXIT_FINE && !cli_states_has(s, STATES_V | STATES_A))
      (void)fprintf(stderr, "  --differentiate computes v and a from the positions\n");
  }
  if (code == EXIT_FINE && needs_time) code = cli_states_need(s, STATES_TIME, needs_time);
  return code;
}

// Of a robot with loops, only motors have torques.
static int open_loops(cli_motion* m)
{
  const unsigned rates = m->differentiate ? 0 : STATES_V | STATES_A;
  int motors = 0;
  for (int k = 0; k < m->robot.dofs.nv; k++) motors += !m->robot.dofs.v[k].passive;
  if (motors == 0)
    (void)fprintf(stderr, "%s: note: no joint has a motor: there are no torques to write\n", m->states.path);
  m->states.only_active = 1;
  return cli_states_complete(&m->states, STATES_Q | rates);
}

// Torques; if needed the loads on joints, in their own axes, and on closures.
static int open_evaluator(cli_motion* m)
{
  static const char* const names[] = {"tau", "reactions@body", "loop_loads@body"};
  const int n = !m->loads ? 1 : m->loops ? 3 : 2;
  limb_error err = {0};
  limb_evaluator_options o = limb_default_evaluator_options();
  const int code = cli_threads_open(&m->states, &m->threads);
  if (code != EXIT_FINE) return code;
  o.pool = limb_threads_pool(m->threads);
  limb_status s = limb_evaluator_create(m->robot.model, &o, NULL, &m->e);
  for (int k = 0; k < n && s == LIMB_OK; k++) s = limb_evaluator_add(m->e, names[k], NULL, NULL, &err);
  return cli_failed(m->args, "inverse dynamics", s, &err);
}

int cli_motion_open(cli_motion* m, const char* needs_time)
{
  m->loops = limb_loop_count(m->robot.model) > 0;
  int code = check_columns(m, needs_time);
  if (code == EXIT_FINE && m->loops) code = open_loops(m);
  if (code == EXIT_FINE) code = open_evaluator(m);
  if (code != EXIT_FINE) return code;
  m->tau = calloc(limb_evaluator_width(m->e) + 1, sizeof *m->tau);
  m->load = calloc((size_t)limb_joint_count(m->robot.model) + 1, sizeof *m->load);
  m->loop_load = calloc((size_t)limb_loop_count(m->robot.model) + 1, sizeof *m->loop_load);
  return m->tau && m->load && m->loop_load ? EXIT_FINE : cli_out_of_memory(m->args);
}

void cli_motion_close(cli_motion* m)
{
  limb_evaluator_destroy(m->e);
  limb_threads_destroy(m->threads);
  free(m->tau);
  free(m->load);
  free(m->loop_load);
  cli_states_close(&m->states);
  cli_robot_close(&m->robot);
}

// A motion that needs a motor where there is none is not the robot's own.
static void report_unmet(const cli_motion* m)
{
  const cli_dof* at = &m->robot.dofs.v[m->unmet_at];
  if (m->unmet <= fmax(1e-11, 1e-6 * m->largest)) return; // rounding
  (void)fprintf(stderr,
                "%s: note: the motion takes up to %.3g %s at '%s', which has no motor: something "
                "else must deliver it; limb eval --what hybrid computes motions without\n",
                m->states.path, m->unmet, limb_force_unit(at), at->name);
}

void cli_motion_report(const cli_motion* m)
{
  if (m->loops)
    cli_report_loops(m->e, m->robot.model, m->states.path);
  else
    report_unmet(m);
}

// ---- motors ----------------------------------------------------------------------------------------

const cli_option cli_motor_options[] = {
  {"", NULL, "motors"},
  {"motors", "FILE.yaml", "motors and gearboxes of the joints (docs/for-design.md)"},
  {"safety", "X", "by which torques must stay below their limits (default: 1)"},
  {0},
};

// The joint whose name is most similar; NULL: none is.
static const char* nearest_joint(const limb_model* m, const char* wrong)
{
  const int count = limb_joint_count(m);
  const char** names = calloc((size_t)count + 1, sizeof *names);
  for (int j = 0; names && j < count; j++) names[j] = cli_joint_name(m, j);
  const char* near = names ? limb_nearest_name(wrong, names) : NULL;
  free(names);
  return near;
}

// An error in the file of motors, at the line of a joint.
static int wrong_motor(const char* path, const limb_gearmotor* g, const char* text, const char* more)
{
  (void)fprintf(stderr, "%s:%d: error: joint '%s' %s%s\n", path, g->line, g->joint, text, more);
  return EXIT_USAGE;
}

static int take_motor(const char* path, const limb_model* m, const limb_gearmotor* g, limb_sizing* s)
{
  limb_joint_info x;
  char hint[LIMB_FRAME_HINT + 40] = "; limb info names them";
  const char* near = nearest_joint(m, g->joint);
  if (near) (void)snprintf(hint, sizeof hint, "; did you mean '%.64s'?", near);
  if (limb_get_joint(m, limb_find_joint(m, g->joint), &x) != LIMB_OK)
    return wrong_motor(path, g, "is not in the model", hint);
  if (x.nv != 1) return wrong_motor(path, g, "does not have one degree of freedom of its own", "");
  if ((x.def.type == LIMB_PRISMATIC) != g->slides)
    return wrong_motor(
      path, g, g->slides ? "turns: its gearbox has a ratio, and no lead" : "slides: its gearbox needs a lead", "");
  if (x.passive) return wrong_motor(path, g, "has no motor in the model (drive: passive)", "");
  return limb_sizing_set_gearmotor(s, x.v, g) == LIMB_OK ? EXIT_FINE : wrong_motor(path, g, "cannot have it", "");
}

int cli_read_motors(const cli_args* args, limb_reading** file)
{
  const char* path = cli_get(args, "motors");
  limb_error err = {0};
  double safety = 1;
  int code = cli_positive(args, "safety", &safety);
  if (code == EXIT_FINE && safety < 1) code = cli_usage(args, "--safety is a factor of at least 1");
  if (code == EXIT_FINE) code = cli_reads(args, path);
  if (code != EXIT_FINE || !path) return code;
  const limb_status status = limb_read_motors(path, NULL, file, &err);
  cli_print_findings(stderr, path, limb_reading_findings(*file), LIMB_WARNING);
  if (status == LIMB_OK) return EXIT_FINE;
  if (limb_findings_count(limb_reading_findings(*file)) == 0) cli_print_error(stderr, path, status, &err);
  return cli_exit_code(status);
}

int cli_take_motors(const cli_args* args, const cli_robot* robot, const limb_reading* file, limb_sizing* s)
{
  double safety = 1;
  const limb_gearmotor* g;
  int code = cli_positive(args, "safety", &safety);
  if (code == EXIT_FINE && limb_sizing_set_safety(s, safety) != LIMB_OK) code = EXIT_USAGE;
  for (int k = 0; code == EXIT_FINE && file && (g = limb_reading_motor(file, k)); k++)
    code = take_motor(cli_get(args, "motors"), robot->model, g, s);
  return code;
}
