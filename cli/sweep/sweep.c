// `limb sweep`: the cases of a study, on the threads of this machine, under MPI or as parts of an array of jobs.
//
// Rows are kept in a folder beside the output until all are there; then they become the table. So whatever ends a
// sweep, --resume goes on.
#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "base/command.h"
#include "base/output.h"
#include "robot/robot.h"
#include "sweep/engine.h"

#include "limb/batch.h"
#include "limb/runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const cli_option run_options[] = {
  {"", NULL, "the sweep"},
  {"output", "FILE", "the table: .arrow, .parquet, .csv or .npy (default: that of the study, or its name with .arrow)"},
  {"resume", NULL, "go on with the rows that an earlier sweep has left; begins if there are none"},
  {"restart", NULL, "remove these rows, and begin again"},
  {"list", NULL, "print the cases as CSV, and run none; exit code 1 if some cannot be set up"},
  {0},
};

static const cli_option engine_options[] = {
  {"", NULL, "where"},
  {"threads", "N", "threads of this process; 0: one per processor (the default; under MPI: 1)"},
  {"engine", "auto|threads|mpi", "auto: MPI under mpirun, otherwise threads"},
  {"part", "K/N", "this part only, of N; by default that of a Slurm, Grid Engine or LSF array of jobs"},
  {"merge", NULL, "make the table of the rows of all parts"},
  {"partial", NULL, "of --merge: also if cases are missing"},
  {"quiet", NULL, "no summary"},
  {"no-progress", NULL, "no progress bar"},
  {0},
};

static const cli_option* const options[] = {run_options, engine_options, cli_model_options, NULL};

static const char about[] = //
  "A study is a YAML file that begins with study: 1 and has a run (a run file of limb sim, or its keys), what varies "
  "from case to case, and what is collected of each (docs/scale.md). Anything of a run can vary, models included: "
  "lists, grids, distributions, Latin hypercubes, Sobol's sequence.\n"
  "Case k has the same numbers whoever computes it: any number of threads, processes and parts gives the same table. "
  "Cases that fail are rows with a reason.\n"
  "The table is Arrow, which pandas, polars, R and Julia read (pandas.read_feather), Parquet, CSV or NPY. Until it is "
  "complete, "
  "rows are in the folder OUTPUT.rows: a sweep that was stopped or killed loses at most what it was computing, and "
  "--resume goes on.\n"
  "mpirun -n 64 limb sweep study.yaml runs the study on 64 processes, which take cases as they finish. Arrays of jobs "
  "run a part each, and limb sweep study.yaml --merge makes the table, or names the parts that are missing.";

static const char* const examples[] = {
  "limb sweep study.yaml",
  "all cases on all processors, to study.arrow",
  "limb sweep study.yaml --resume",
  "go on after Ctrl-C, or where the power failed",
  "mpirun -n 64 limb sweep study.yaml --output study.csv",
  "64 processes, on whatever machines mpirun has",
  "limb sweep study.yaml --part 3/10",
  "a tenth of it; limb sweep study.yaml --merge when all are there",
  NULL,
};

typedef struct sweep_task {
  const cli_args* args;
  const char* path; // of the study
  char *output, *folder;
  limb_table_format format;
  limb_sweep* sweep;
  limb_sweep_queue* queue; // rank 0
  limb_sweep_job job;
  cli_mpi mpi;
  cli_progress progress;
  double begin;
  uint64_t done;  // by all processes
  uint64_t wrong; // cases that --list cannot set up
} sweep_task;

static double clock_now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int failed(const sweep_task* t, limb_status s, const limb_error* err)
{
  (void)cli_usage(t->args, "%s%s%s", err->where, *err->where && !strstr(err->text, err->where) ? ": " : "", err->text);
  return s == LIMB_E_ORDER || s == LIMB_E_MODEL ? EXIT_USAGE : cli_exit_code(s);
}

// ---- opening ---------------------------------------------------------------------------------------

// All findings about the study and its run; the first error is one of limb_sweep_open, too.
static int check_study(const sweep_task* t, const limb_read_options* opt)
{
  limb_reading* r = NULL;
  limb_error err = {0};
  const limb_status s = limb_read_study(t->path, opt, &r, &err);
  limb_findings* f = limb_reading_findings(r);
  limb_findings_sort(f);
  cli_print_findings(stderr, t->path, f, LIMB_WARNING);
  if (s != LIMB_OK && limb_findings_count_from(f, LIMB_ERROR) == 0) cli_print_error(stderr, t->path, s, &err);
  limb_reading_destroy(r);
  return s == LIMB_OK ? EXIT_FINE : EXIT_USAGE;
}

static int open_study(sweep_task* t)
{
  limb_read_options opt;
  limb_error err = {0};
  int code = cli_read_options(t->args, &opt);
  if (code == EXIT_FINE) code = cli_reads(t->args, t->path);
  if (code == EXIT_FINE) code = check_study(t, &opt);
  if (code != EXIT_FINE) return code;
  const limb_status s = limb_sweep_open(t->path, &opt, &t->sweep, &err);
  if (s == LIMB_OK) return EXIT_FINE;
  (void)fprintf(stderr, "%s\n", err.text);
  return s == LIMB_E_ARG ? EXIT_USAGE : cli_exit_code(s);
}

// "study.yaml" with another ending; to be freed.
static char* with_ending(const char* path, const char* ending)
{
  const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
  const size_t stem = dot && dot > (slash ? slash + 1 : path) ? (size_t)(dot - path) : strlen(path);
  char* out = malloc(stem + strlen(ending) + 1);
  if (out) memcpy(out, path, stem), memcpy(out + stem, ending, strlen(ending) + 1);
  return out;
}

// --output, or that of the study beside its file.
static int find_output(sweep_task* t)
{
  static const char endings[] = ".arrow .feather .parquet .csv .npy";
  const limb_run_value* own = &limb_sweep_study(t->sweep)->output;
  const char* given = cli_get(t->args, "output");
  if (given) {
    t->output = strdup(given);
  } else if (own->text) {
    const size_t size = limb_run_path(t->path, own, NULL, 0) + 1;
    t->output = malloc(size);
    if (t->output) (void)limb_run_path(t->path, own, t->output, size);
  } else {
    t->output = with_ending(t->path, ".arrow");
  }
  t->folder = t->output ? malloc(strlen(t->output) + 6) : NULL;
  if (!t->folder) return cli_out_of_memory(t->args);
  (void)sprintf(t->folder, "%s.rows", t->output);
  t->format = limb_table_format_of(t->output);
  if (strcmp(t->output, "-") == 0)
    return cli_usage(t->args, "--output: a sweep keeps its rows beside its table, which must be a file");
  return t->mpi.rank == 0 ? cli_writes_to(t->args, "--output", t->output, endings) : EXIT_FINE;
}

// ---- running ---------------------------------------------------------------------------------------

static int stop(void* context)
{
  (void)context;
  return cli_interrupted() != 0;
}

static void tick(void* context)
{
  sweep_task* t = context;
  cli_progress_update(&t->progress, limb_sweep_queue_taken(t->queue));
}

static int open_queue(sweep_task* t)
{
  limb_error err = {0};
  struct stat there;
  const int resume = cli_has(t->args, "resume");
  const limb_sweep_place* at = &t->job.place;
  limb_status s = cli_has(t->args, "restart") ? limb_sweep_clear(t->folder, at->part, at->parts, &err) : LIMB_OK;
  if (s == LIMB_OK && resume && stat(t->folder, &there) != 0 && stat(t->output, &there) == 0)
    return cli_usage(t->args, "nothing to go on with: %s is there, and %s is not; without --resume it is made again",
                     t->output, t->folder);
  if (s == LIMB_OK) s = limb_sweep_queue_create(t->sweep, &t->job.place, &t->queue, &err);
  if (s == LIMB_OK) return EXIT_FINE;
  const int code = failed(t, s, &err);
  if (s == LIMB_E_ORDER && !resume)
    (void)fprintf(stderr, "  --resume goes on with these rows, --restart begins again\n");
  if (s == LIMB_E_MODEL) (void)fprintf(stderr, "  --restart removes these rows, and begins again\n");
  return code;
}

// What workers of this process do; the whole crew must be asked also after a failure.
static int work(sweep_task* t)
{
  limb_error err = {0};
  uint64_t done = 0;
  const limb_status s = limb_sweep_run(t->sweep, &t->job, &done, &err);
  if (t->mpi.leave) t->mpi.leave();
  t->done = t->mpi.total ? t->mpi.total(done) : done;
  if (t->mpi.rank == 0) cli_progress_end(&t->progress);
  return s == LIMB_OK ? EXIT_FINE : failed(t, s, &err);
}

static int run_workers(sweep_task* t)
{
  double threads = t->mpi.size > 1 ? 1 : 0;
  int code = cli_whole(t->args, "threads", 0, CLI_THREADS_MAX, &threads);
  if (code != EXIT_FINE) return code;
  limb_threads* all = NULL;
  if (threads == 0 && limb_threads_create(0, NULL, &all) == LIMB_OK) threads = limb_threads_pool(all)->threads;
  limb_threads_destroy(all);
  t->job.threads = threads < 1 ? 1 : (int)threads;
  t->job.worker = t->mpi.rank * t->job.threads;
  t->job.place.workers = t->mpi.size * t->job.threads;
  if (t->mpi.rank == 0) code = open_queue(t);
  if (t->mpi.share) code = t->mpi.share(code);
  if (code != EXIT_FINE) return code;
  t->job.next = limb_sweep_queue_next, t->job.queue = t->queue;
  t->job.stop = stop;
  if (t->mpi.serve) {
    if (!t->mpi.serve(limb_sweep_queue_next, t->queue)) return cli_usage(t->args, "a thread cannot be started");
    t->job.next = t->mpi.next;
  }
  if (t->mpi.rank == 0) {
    t->progress = cli_progress_begin("sweep", limb_sweep_queue_count(t->queue) - limb_sweep_queue_before(t->queue));
    t->progress.unit = "cases";
    if (cli_has(t->args, "no-progress") || cli_has(t->args, "quiet")) t->progress.terminal = 0;
    t->job.tick = tick, t->job.tick_context = t;
  }
  cli_wait_for_signals();
  code = work(t);
  return t->mpi.largest ? t->mpi.largest(code) : code;
}

// ---- the table -------------------------------------------------------------------------------------

static void summarise(const sweep_task* t, const limb_sweep_state* x)
{
  const limb_sweep_place* at = &t->job.place;
  if (cli_has(t->args, "quiet")) return;
  (void)fprintf(stderr, "%s: %llu cases", cli_title(t->args), (unsigned long long)x->rows);
  if (t->done > 0) (void)fprintf(stderr, ", %llu now in %.3g s", (unsigned long long)t->done, clock_now() - t->begin);
  (void)fprintf(stderr, ": %s\n", at->parts > 1 ? t->folder : t->output);
  if (x->failed > 0)
    (void)fprintf(stderr, "%s: warning: %llu of %llu cases failed (columns status and reason), the first: %s\n",
                  cli_title(t->args), (unsigned long long)x->failed, (unsigned long long)x->rows, x->reason);
}

// Writes the table and removes the rows.
static int make_table(sweep_task* t)
{
  cli_output out;
  limb_error err = {0};
  limb_sweep_state x;
  const char* title = cli_title(t->args);
  int code = cli_output_reserve(&out, title, t->output);
  if (code != EXIT_FINE) return code;
  limb_status s =
    limb_sweep_write(t->sweep, t->folder, cli_output_path(&out), t->format, cli_has(t->args, "partial"), &x, &err);
  if (s == LIMB_OK) code = cli_output_commit(&out, title);
  cli_output_abandon(&out);
  if (s == LIMB_OK && code == EXIT_FINE && x.missing == 0) s = limb_sweep_clear(t->folder, 1, 1, &err);
  if (s != LIMB_OK) {
    code = failed(t, s, &err);
    if (s == LIMB_E_ORDER)
      (void)fprintf(
        stderr,
        "  run these cases with --resume, and the same --part as before; or take what is there: --merge --partial\n");
    return s == LIMB_E_ORDER ? EXIT_FINDINGS : code;
  }
  if (code != EXIT_FINE) return code;
  summarise(t, &x);
  return x.rows > 0 && x.failed == x.rows ? EXIT_NUMERICAL : EXIT_FINE;
}

static int interrupted(const sweep_task* t)
{
  const uint64_t have = limb_sweep_queue_before(t->queue) + t->done;
  (void)fprintf(stderr, "%s: stopped after %llu of %llu cases; to go on: %s %s --resume\n", cli_title(t->args),
                (unsigned long long)have, (unsigned long long)limb_sweep_queue_count(t->queue), cli_title(t->args),
                t->path);
  return 128 + cli_interrupted();
}

static int end_part(sweep_task* t)
{
  limb_error err = {0};
  limb_sweep_state x;
  const limb_status s = limb_sweep_write(t->sweep, t->folder, NULL, LIMB_TABLE_NONE, 1, &x, &err);
  if (s != LIMB_OK) return failed(t, s, &err);
  summarise(t, &x);
  if (x.missing == 0 && !cli_has(t->args, "quiet"))
    (void)fprintf(stderr, "  all parts are there: %s %s --merge makes the table\n", cli_title(t->args), t->path);
  return EXIT_FINE;
}

static int run_cases(sweep_task* t)
{
  const int code = run_workers(t);
  if (t->mpi.rank > 0) return code;
  if (code != EXIT_FINE) return code;
  if (cli_interrupted()) return interrupted(t);
  cli_end_patience(); // the rows stay, whatever ends the merging
  return t->job.place.parts > 1 ? end_part(t) : make_table(t);
}

// ---- the cases alone ---------------------------------------------------------------------------------

enum { CHECKED = 10000, SHOWN = 5 }; // cases of --list that are set up; that are reported

// What is wrong with a case: the run would have a row with that reason.
static void check_case(sweep_task* t, uint64_t k)
{
  limb_error err = {0};
  if (limb_sweep_check(t->sweep, k, &err) == LIMB_OK || t->wrong++ >= SHOWN) return;
  (void)fprintf(stderr, "%s: warning: case %llu cannot be set up: %s\n", cli_title(t->args), (unsigned long long)k,
                err.text);
}

static limb_status list_row(limb_csv_writer* w, limb_sweep* s, uint64_t i, double* x)
{
  limb_status status = limb_sweep_values(s, i, x);
  if (status == LIMB_OK) status = limb_csv_number(w, (double)i);
  for (int k = 0; k < limb_sweep_varied(s) && status == LIMB_OK; k++) {
    const char* word = limb_sweep_word(s, k, x[k]);
    status = word ? limb_csv_text(w, word) : limb_csv_number(w, x[k]);
  }
  return status == LIMB_OK ? limb_csv_end_row(w) : status;
}

static limb_status list_rows(limb_csv_writer* w, const void* context)
{
  sweep_task* t = *(sweep_task* const*)context;
  limb_sweep* s = t->sweep;
  const int n = limb_sweep_varied(s);
  const uint64_t cases = limb_sweep_cases(s), every = cases / CHECKED + 1;
  double* x = calloc((size_t)n + 1, sizeof *x);
  limb_status status = x ? limb_csv_text(w, "case") : LIMB_E_NOMEM;
  for (int k = 0; k < n && status == LIMB_OK; k++) status = limb_csv_text(w, limb_sweep_column(s, k));
  if (status == LIMB_OK) status = limb_csv_end_row(w);
  for (uint64_t i = 0; i < cases && status == LIMB_OK && !cli_interrupted(); i++) {
    if (i % every == 0) check_case(t, i);
    status = list_row(w, s, i, x);
  }
  free(x);
  return status;
}

// EXIT_FINDINGS: there are cases that would fail before their first step.
static int list_cases(sweep_task* t)
{
  if (t->mpi.rank > 0) return EXIT_FINE;
  const int code = cli_csv_print(stdout, cli_title(t->args), list_rows, &t);
  if (t->wrong > SHOWN)
    (void)fprintf(stderr, "%s: warning: %llu more cases cannot be set up\n", cli_title(t->args),
                  (unsigned long long)(t->wrong - SHOWN));
  return code == EXIT_FINE && t->wrong > 0 ? EXIT_FINDINGS : code;
}

// ---- the command -------------------------------------------------------------------------------------

static int check_options(const cli_args* args)
{
  static const char* const pairs[][2] = {
    {"resume", "restart"}, {"merge", "resume"}, {"merge", "restart"}, {"merge", "part"}, {"merge", "list"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (cli_has(args, pairs[i][0]) && cli_has(args, pairs[i][1]))
      return cli_usage(args, "--%s and --%s exclude each other", pairs[i][0], pairs[i][1]);
  if (cli_has(args, "partial") && !cli_has(args, "merge")) return cli_usage(args, "--partial belongs to --merge");
  return EXIT_FINE;
}

static int run_task(sweep_task* t)
{
  int code = EXIT_FINE;
  if (t->mpi.rank == 0) code = open_study(t);
  if (t->mpi.share) code = t->mpi.share(code);
  if (code == EXIT_FINE && t->mpi.rank > 0) code = open_study(t);
  if (code == EXIT_FINE && cli_has(t->args, "list")) return list_cases(t);
  if (code == EXIT_FINE) code = find_output(t);
  if (t->mpi.largest) code = t->mpi.largest(code);
  if (code != EXIT_FINE) return code;
  t->job.place.folder = t->folder;
  t->job.place.resume = cli_has(t->args, "resume");
  return cli_has(t->args, "merge") ? make_table(t) : run_cases(t);
}

static int run_sweep(const cli_args* args)
{
  sweep_task t = {.args = args, .path = cli_operand(args, 0), .begin = clock_now()};
  int code = check_options(args);
  if (code == EXIT_FINE) code = cli_find_part(args, &t.job.place.part, &t.job.place.parts);
  if (code == EXIT_FINE) code = cli_open_mpi(args, &t.mpi);
  if (code == EXIT_FINE) code = run_task(&t);
  if (t.mpi.end) t.mpi.end();
  limb_sweep_queue_destroy(t.queue);
  limb_sweep_close(t.sweep);
  free(t.output);
  free(t.folder);
  return code;
}

const cli_command cli_sweep = {
  .name = "sweep",
  .operands = "STUDY.yaml",
  .summary = "many cases of a run: grids and distributions, on threads, MPI or arrays of jobs",
  .about = about,
  .examples = examples,
  .options = options,
  .run = run_sweep,
};
