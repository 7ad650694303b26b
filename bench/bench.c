// A run: every library is given the same robots (neutral form, robot.c) and the same ring of random states;
// answers are compared before anything is timed, and all rows are measured in the same rounds (measure.c).
#include "bench_impl.h"
#include "closed.h"
#include "counts.h"
#include "machine.h"
#include "peers.h"
#include "power.h"
#include "robot.h"
#include "robot_list.h"
#include "targets.h"

#include "limb/base.h"
#include "limb/batch.h"
#include "limb/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- running -------------------------------------------------------------------------------------

static int is_wanted(const bench_options* o, const char* name)
{
  if (!o->robots) return 1;
  for (const char* const* r = o->robots; *r; r++)
    if (!strcmp(*r, name)) return 1;
  return 0;
}

// Takes the model, also when it fails.
static int add_robot(bench* b, const char* name, limb_model* model)
{
  const int i = b->nrobot;
  if (i < BENCH_ROBOTS_MAX && model && bench_robot_init(&b->robot[i], name, model) == 0) {
    b->model[i] = model;
    b->nrobot++;
    if (bench_states_init(&b->states[i], &b->robot[i]) == 0) return 0;
  } else {
    limb_model_destroy(model);
  }
  (void)fprintf(stderr, "%s: the robot '%s' cannot be prepared\n", b->title, name);
  return -1;
}

int bench_is_file(const char* name) { return strpbrk(name, "/.") != NULL; }

static const char free_base[] = "+free", on_feet[] = "+feet";

// Cuts an ending off a path. 1: it was there.
static int cut(char* path, const char* ending)
{
  const size_t n = strlen(path), tail = strlen(ending);
  if (n <= tail || strcmp(path + n - tail, ending) != 0) return 0;
  path[n - tail] = '\0';
  return 1;
}

// A robot from a file; in tables it has the file's name without folder.
static int add_file(bench* b, const char* given)
{
  char path[4096];
  limb_model* model = NULL;
  limb_error error = {0};
  limb_read_options how = limb_default_read_options();
  how.no_mimic = 1;
  (void)snprintf(path, sizeof path, "%s", given);
  const int stands = cut(path, on_feet);
  if (cut(path, free_base) || stands) how.base = LIMB_BASE_FLOATING;
  if (limb_load(path, &how, &model, &error) != LIMB_OK) {
    (void)fprintf(stderr, "%s: %s:%d: %s\n", b->title, path, error.line, error.text);
    return -1;
  }
  if (b->nrobot == BENCH_ROBOTS_MAX) return add_robot(b, path, model);
  char* name = b->name[b->nrobot];
  const char* slash = strrchr(path, '/');
  (void)snprintf(name, BENCH_NAME, "%.*s%s", BENCH_NAME - (int)sizeof on_feet, slash ? slash + 1 : path,
                 stands ? on_feet : "");
  limb_model* bare = bench_bare(model, stands ? 0.5 : 0);
  limb_model_destroy(model);
  return add_robot(b, name, stands ? bench_on_feet(bare) : bare);
}

static int add_robots(bench* b, const bench_options* o)
{
  int bad = 0;
  for (const bench_entry* e = bench_list(); e->name && !bad; e++)
    if (is_wanted(o, e->name)) bad = add_robot(b, e->name, e->make(e->n));
  for (const char* const* r = o->robots; r && *r && !bad; r++)
    if (bench_is_file(*r)) bad = add_file(b, *r);
  return bad;
}

// Threads first: they would inherit the one processor that this thread is held on later.
static int add_batches(bench* b, const bench_options* o)
{
  if (limb_threads_create(o->threads, NULL, &b->threads) != LIMB_OK) {
    (void)fprintf(stderr, "%s: threads cannot be started\n", b->title);
    return -1;
  }
  b->batch[0] = bench_limb_batch(BENCH_BATCH, 0, NULL);
  b->batch[1] = bench_limb_batch(BENCH_FLOAT, 0, NULL);
  b->batch[2] = bench_limb_batch(BENCH_THREADED, 0, limb_threads_pool(b->threads));
  b->batch[3] = bench_limb_batch(BENCH_BATCH, 1, NULL);
  return 0;
}

// Enough for each row, and not too much for all of them [s].
static double time_for(int rows, int quick) { return quick ? fmin(5, 0.01 * rows) : fmin(60, 0.2 * rows); }

static int run(bench* b, const bench_options* o)
{
  b->isa = limb_isa_name();
  bench_describe_machine(&b->machine);
  if (bench_load_peers(b, o) || add_batches(b, o) || add_robots(b, o)) return -1;
  bench_pin();
  int bad = bench_add_rows(b, o->quick);
  if (!bad) bench_compare(b);
  const bench_measuring how = {time_for(b->nrow, o->quick), b->isa, o->progress, o->context};
  if (!bad) bad = bench_measure(b->row, b->nrow, &how, b->rate);
  if (bad) (void)fprintf(stderr, "%s: out of memory\n", b->title);
  if (bad) return -1;
  bench_look_for_failures(b);
  bench_measure_power(b);
  bench_count_rows(b);
  return 0;
}

bench* bench_run(const bench_options* options, const char* title)
{
  bench* b = calloc(1, sizeof *b);
  if (!b) return NULL;
  b->title = title;
  if (run(b, options) == 0) return b;
  bench_free(b);
  return NULL;
}

void bench_free(bench* b)
{
  if (!b) return;
  bench_free_rows(b);
  for (int i = 0; i < b->nrobot; i++) {
    bench_states_free(&b->states[i]);
    bench_robot_free(&b->robot[i]);
    limb_model_destroy(b->model[i]);
  }
  limb_threads_destroy(b->threads);
  free(b);
}

// ---- results -------------------------------------------------------------------------------------

int bench_peer_count(const bench* b) { return b->npeer; }

bench_peer bench_get_peer(const bench* b, int index)
{
  const bench_library* l = b->peer[index];
  return (bench_peer){l->name, l->version, l->build};
}

int bench_result_count(const bench* b) { return b->nrow; }

static int threads_of(const bench* b) { return limb_threads_pool(b->threads)->threads; }

void bench_get_summary(const bench* b, bench_summary* out)
{
  *out = b->machine;
  out->isa = b->isa;
  out->threads = threads_of(b);
  out->slots_per_ns = b->rate[BENCH_SCALAR];
  out->peak_f64 = b->rate[BENCH_VECTOR_F64];
  out->peak_f32 = b->rate[BENCH_VECTOR_F32];
  out->peers = b->npeer ? NULL : b->no_peers;
}

// What the processor could do in that mode [1/ns].
static double peak_of(const bench* b, bench_mode mode)
{
  switch (mode) {
  case BENCH_BATCH: return b->rate[BENCH_VECTOR_F64];
  case BENCH_FLOAT: return b->rate[BENCH_VECTOR_F32];
  case BENCH_THREADED: return b->rate[BENCH_VECTOR_F64] * threads_of(b);
  default: return b->rate[BENCH_SCALAR];
  }
}

static void set_operations(const bench* b, const bench_row* row, bench_result* out)
{
  const limb_count* c = &row->operations;
  out->mul = out->add = out->div = out->sqrt = out->sincos = out->gflops = out->peak = (double)NAN;
  if (!row->counted) return;
  out->mul = (double)c->mul, out->add = (double)c->add, out->div = (double)c->div;
  out->sqrt = (double)c->sqrt, out->sincos = (double)c->sincos;
  const int pair = row->library->mode == BENCH_FLOAT ? BENCH_SINCOS_F32 : BENCH_SINCOS_F64;
  out->gflops = (out->mul + out->add + pair * out->sincos) / out->ns;
  out->peak = out->gflops / peak_of(b, row->library->mode);
}

void bench_get_result(const bench* b, int index, bench_result* out)
{
  const bench_row* row = &b->row[index];
  const bench_library* l = row->library;
  const double target = bench_target_of(b, row);
  *out = (bench_result){.robot = row->robot->name,
                        .quantity = bench_quantity(row->kernel),
                        .mode = bench_mode_name(l->mode),
                        .library = l->name,
                        .version = l->version,
                        .layout = l->mode == BENCH_SINGLE || l->mode == BENCH_GENERATED ? NULL
                                  : l->lanes                                            ? "lanes"
                                                                                        : "rows",
                        .dof = row->robot->nv,
                        .threads = l->mode == BENCH_THREADED ? threads_of(b) : 1,
                        .states = row->each,
                        .ns = row->best,
                        .median_ns = row->median,
                        .slots = row->best * b->rate[BENCH_SCALAR],
                        .target = target > 0 ? target : (double)NAN,
                        .difference = row->difference >= 0 ? row->difference : (double)NAN};
  set_operations(b, row, out);
}
