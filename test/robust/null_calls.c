// Every public function without any pointer, and without each of them: none crashes. null_calls.py writes the calls
// from the public headers. What functions return is the business of the other tests.
#include "limb/assemble.h"
#include "limb/codegen.h"
#include "limb/control.h"
#include "limb/draw.h"
#include "limb/ident.h"
#include "limb/ik.h"
#include "limb/lagrange.h"
#include "limb/limb.h"
#include "limb/parallel.h"
#include "limb/read.h"
#include "limb/runner.h"
#include "limb/study.h"
#include "limb/table.h"
#include "limb/verify.h"
#include "limb/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct call {
  const char* name;
  void (*run)(void);
  unsigned pointers; // a bit for each
} call;

enum { ALL = -1, SPACES = 8, SPACE = 1 << 18 };

// ---- arguments -----------------------------------------------------------------------------------------

static int without; // this one, or ALL
static int whole;   // every int

static int is_given(int k) { return without != ALL && without != k; }

static void* given(int k, const void* value)
{
  void* p;
  memcpy(&p, &value, sizeof p); // the cast that drops const
  return is_given(k) ? p : NULL;
}

// Zeros, to be written or to be a struct that nobody initialised.
static void* space(int k)
{
  static _Alignas(64) char memory[SPACES][SPACE];
  return memory[k % SPACES];
}

static const void* numbers(int k)
{
  static double some[SPACES][SPACE / 8];
  for (int i = 0; i < SPACE / 8; i++) some[k % SPACES][i] = 0.1;
  return some[k % SPACES];
}

static FILE* stream(void)
{
  static FILE* file;
  return file ? file : (file = tmpfile());
}

static void ignore_limb_text_fn(void* context, const char* text) { (void)context, (void)text; }

#define HANDLE(type) static type* handle_##type;
#include "null_calls.inc"

// ---- what there is to be called with -------------------------------------------------------------------

static const char run_text[] = "schema: 1\nmodel: planar_2r\nduration: 1 s\n";

static void require(limb_status s, const char* what)
{
  if (s == LIMB_OK) return;
  (void)fprintf(stderr, "%s: %s\n", what, limb_status_text(s));
  exit(2);
}

static void make_models(const char* robot)
{
  require(limb_read(robot, NULL, &handle_limb_reading, NULL), "reading");
  require(limb_load(robot, NULL, &handle_limb_model, NULL), "model");
  limb_model* m = handle_limb_model;
  require(limb_data_create(m, NULL, &handle_limb_data), "data");
  require(limb_builder_from_model(m, NULL, &handle_limb_builder), "builder");
  require(limb_dofs_create(m, NULL, &handle_limb_dofs), "dofs");
  require(limb_findings_create(NULL, &handle_limb_findings), "findings");
  require(limb_threads_create(1, NULL, &handle_limb_threads), "threads");
  require(limb_batch_create(m, NULL, NULL, &handle_limb_batch), "batch");
  if (limb_split_create(m, limb_threads_pool(handle_limb_threads), NULL, NULL, &handle_limb_split)) return;
}

static void make_dynamics(void)
{
  limb_model* m = handle_limb_model;
  const limb_ik_goal goal = limb_default_ik_goal(limb_frame_count(m) - 1);
  limb_verify_options few = limb_default_verify();
  few.states = 1;
  (void)!limb_dual_create(m, LIMB_DUAL_MATRICES, NULL, &handle_limb_dual);
  (void)!limb_series_create(m, NULL, &handle_limb_series);
  (void)!limb_ik_create(m, 1, &goal, NULL, NULL, &handle_limb_ik);
  (void)!limb_base_create(m, NULL, 0, NULL, &handle_limb_base_parameters);
  (void)!limb_ident_create(m, NULL, &handle_limb_ident);
  (void)!limb_completion_create(m, NULL, NULL, &handle_limb_completion, NULL);
  (void)!limb_parallel_create(m, limb_body_count(m) - 1, NULL, &handle_limb_parallel, NULL);
  require(limb_evaluator_create(m, NULL, NULL, &handle_limb_evaluator), "evaluator");
  require(limb_codegen_create(m, NULL, NULL, &handle_limb_codegen, NULL), "code");
  require(limb_verify(m, &few, &handle_limb_verification, NULL), "verification");
}

static void make_studies(void)
{
  limb_model* m = handle_limb_model;
  static limb_reading* run; // whose texts the others refer to
  const double times[2] = {0, 1}, values[2] = {1, 2};
  const limb_samples samples = {.count = 2, .columns = 1, .time = times, .value = values};
  const limb_run_setting none[1] = {{NULL, NULL}};
  const limb_table_column column = {.name = "time", .unit = "s"};
  require(limb_read_run_text(run_text, strlen(run_text), "run", NULL, &run, NULL), "run");
  require(limb_run_override_create(limb_reading_run(run), none, &handle_limb_run_override, NULL), "override");
  require(limb_runner_create(limb_reading_run(run), m, NULL, &handle_limb_runner, NULL), "runner");
  const limb_environment env = limb_default_environment(m);
  require(limb_channels_create(m, &env, NULL, &handle_limb_channels), "channels");
  require(limb_sim_create(m, NULL, NULL, &handle_limb_sim, NULL), "sim");
  require(limb_formula_parse("1 + 2", NULL, NULL, &handle_limb_formula, NULL), "formula");
  require(limb_signal_create(LIMB_SIGNAL_HOLD, &samples, NULL, &handle_limb_signal, NULL), "signal");
  require(limb_animation_create(m, NULL, &handle_limb_animation), "animation");
  (void)!limb_view_page_create(handle_limb_builder, NULL, &handle_limb_view_page, NULL);
  (void)!limb_live_open(1, NULL, &handle_limb_live, NULL);
  require(limb_plot_create(1, &handle_limb_plot), "plot");
  require(limb_envelope_create(&handle_limb_envelope), "envelope");
  require(limb_sizing_create(m, &handle_limb_sizing), "sizing");
  require(limb_track_create(m, &handle_limb_track), "track");
  require(limb_table_create("/dev/null", LIMB_TABLE_CSV, 1, &column, &handle_limb_table_writer, NULL), "table");
  require(limb_csv_create(stream(), NULL, &handle_limb_csv_writer), "csv");
  FILE* table = tmpfile();
  (void)(table && fputs("time,a\n0,1\n1,2\n", table) >= 0 && (rewind(table), 1));
  require(limb_csv_open(table, NULL, &handle_limb_csv_reader, NULL), "csv");
}

// ---- calls, each function in a process of its own ------------------------------------------------------

// Where a process is, for its parent.
static volatile int* at;

static void run_all(const call* c, volatile int* state)
{
  const struct rlimit seconds = {60, 60}; // of the processor: a machine may be busy
  (void)setrlimit(RLIMIT_CPU, &seconds);
  for (whole = 0; whole < 2; whole++) {
    for (int k = ALL; k < 32; k++) {
      if (k != ALL && !(c->pointers >> k & 1u)) continue;
      without = k;
      state[0] = k, state[1] = whole;
      c->run();
    }
  }
}

// 0, or 1 after a message.
static int crashes(const call* c)
{
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    run_all(c, at);
    _exit(0);
  }
  if (child < 0 || waitpid(child, &status, 0) != child) return 1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  const char* how = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit";
  if (at[0] == ALL)
    (void)printf("%s without any pointer: %s\n", c->name, how);
  else
    (void)printf("%s without argument %d, whole numbers %d: %s\n", c->name, at[0] + 1, at[1], how);
  (void)fflush(stdout);
  return 1;
}

int main(int argc, char** argv)
{
  int bad = 0;
  if (argc != 2) return 2;
  make_models(argv[1]);
  make_dynamics();
  make_studies();
  at = mmap(NULL, 64, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return 2;
  for (size_t i = 0; i < sizeof all_calls / sizeof *all_calls; i++) bad += crashes(&all_calls[i]);
  (void)printf("%zu functions, %d crash\n", sizeof all_calls / sizeof *all_calls, bad);
  return bad > 0;
}
