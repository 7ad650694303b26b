// limb_bench: how long one call takes, next to other libraries, in one run.
//
// Every library is given the same robots (neutral form, robot.c) and the same ring of random
// states; answers are compared before anything is timed, and all rows are measured in the same
// rounds (measure.c). Peers are what Debian ships; those that are not installed are left out and
// named.
#include "closed.h"
#include "elastic.h"
#include "measure.h"
#include "options.h"
#include "report.h"
#include "robot.h"
#include "support/robots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ROBOTS_MAX = 24,
  LIBRARIES = 5,
  ROWS_MAX = ROBOTS_MAX * LIBRARIES * BENCH_KERNELS,
  COMPARED = 8,         // states on which answers are compared
  MATRIX_LINKS = 1000,  // longest chain whose mass matrix is formed
  FACTORED_LINKS = 100, // longest chain whose mass matrix is factored
  SLOPES_LINKS = 200,   // longest chain whose derivatives are taken
  LOOPS_LINKS = 100,    // longest robot with loops for peers, and for matrices of all equations
  QUICK_LINKS = 100,    // longest chain for peers in a quick run: some take seconds to load it
};

typedef struct bench {
  limb_model* model[ROBOTS_MAX];
  bench_robot robot[ROBOTS_MAX];
  bench_states states[ROBOTS_MAX];
  int nrobot;
  bench_peer peer[LIBRARIES];
  int npeer;
  bench_row row[ROWS_MAX];
  int nrow;
} bench;

// ---- robots --------------------------------------------------------------------------------------

static int add_robot(bench* b, const bench_options* o, const char* name, limb_model* (*make)(int),
                     int n)
{
  if (!bench_options_wants(o, name)) return 0;
  const int i = b->nrobot;
  b->model[i] = make(n);
  if (!b->model[i]) return -1;
  if (bench_robot_init(&b->robot[i], name, b->model[i])) {
    limb_model_destroy(b->model[i]);
    return -1;
  }
  b->nrobot++;
  return bench_states_init(&b->states[i], &b->robot[i]);
}

static limb_model* make_2r(int n) { return (void)n, robot_planar_2r(); }
static limb_model* make_ur5(int n) { return (void)n, robot_ur5(); }
static limb_model* make_panda(int n) { return (void)n, robot_panda(); }
// Springs in joints 4 and 6, stiffness as of harmonic drives.
static limb_model* make_elastic(int n)
{
  return (void)n, bench_elastic(robot_panda(), 1U << 3 | 1U << 5, 1e4);
}
static limb_model* make_quadruped(int n) { return (void)n, robot_quadruped(); }
static limb_model* make_humanoid(int n) { return (void)n, robot_humanoid(); }

static int add_robots(bench* b, const bench_options* o)
{
  static const struct {
    const char* name;
    limb_model* (*make)(int);
    int n;
  } all[] = {{"2r", make_2r, 0},
             {"ur5", make_ur5, 0},
             {"panda", make_panda, 0},
             {"panda_elastic", make_elastic, 0},
             {"quadruped", make_quadruped, 0},
             {"humanoid", make_humanoid, 0},
             {"chain10", robot_chain, 10},
             {"chain30", robot_chain, 30},
             {"chain100", robot_chain, 100},
             {"chain200", robot_chain, 200},
             {"chain1000", robot_chain, 1000},
             {"chain100000", robot_chain, 100000},
             {"four_bar", bench_four_bar, 0},
             {"five_bar", bench_five_bar, 0},
             {"gough_stewart", bench_gough_stewart, 0},
             {"humanoid_ankles", bench_humanoid_ankles, 0},
             {"ladder10", bench_ladder, 10},
             {"ladder100", bench_ladder, 100},
             {"ladder1000", bench_ladder, 1000}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if (add_robot(b, o, all[i].name, all[i].make, all[i].n)) {
      fprintf(stderr, "limb_bench: cannot prepare robot '%s'\n", all[i].name);
      return -1;
    }
  }
  if (bench_options_named(o) >= 0 && bench_options_named(o) != b->nrobot) {
    fprintf(stderr, "limb_bench: '%s' has a robot that is not in the list, see --help\n",
            o->robots);
    return -1;
  }
  return 0;
}

static void list_peers(bench* b)
{
  const bench_peer all[] = {
#ifdef BENCH_HAVE_KDL
    {"KDL", bench_kdl()},
#else
    {"KDL", NULL},
#endif
#ifdef BENCH_HAVE_MUJOCO
    {"MuJoCo", bench_mujoco()},
#else
    {"MuJoCo", NULL},
#endif
#ifdef BENCH_HAVE_DART
    {"DART", bench_dart()},
#else
    {"DART", NULL},
#endif
#ifdef BENCH_HAVE_SIMBODY
    {"Simbody", bench_simbody()}
#else
    {"Simbody", NULL}
#endif
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) b->peer[b->npeer++] = all[i];
}

// ---- rows ----------------------------------------------------------------------------------------

static size_t answer_size(const bench_robot* r, bench_kernel kernel)
{
  const size_t nv = (size_t)r->nv;
  return bench_is_matrix(kernel) ? nv * nv : kernel == BENCH_JACOBIAN ? 6 * nv : nv;
}

static int in_reach_closed(const bench_robot* r, bench_kernel kernel)
{
  if (kernel == BENCH_CLOSED_FD || kernel == BENCH_FD_ABA) return 1;
  if (kernel == BENCH_CLOSED_SCHUR || kernel == BENCH_CLOSED_KKT) return r->nlink <= LOOPS_LINKS;
  return kernel > BENCH_CLOSED_FD && bench_is_exact(r);
}

// Whether a kernel is within reach on a robot, whatever the library.
static int in_reach(const bench_robot* r, bench_kernel kernel)
{
  if (kernel == BENCH_STEP_RK4) return bench_steps(r);
  if (kernel > BENCH_STEP_RK4) return bench_steps_all(r);
  if (r->nrow || kernel >= BENCH_CLOSED_FD) return r->nrow && in_reach_closed(r, kernel);
  if (kernel == BENCH_CRBA) return r->nlink <= MATRIX_LINKS;
  if (kernel == BENCH_FD_MATRIX) return r->nlink <= FACTORED_LINKS;
  if (kernel == BENCH_HYBRID) return r->npassive > 0;
  if (kernel == BENCH_HYBRID_FORCES) return r->nlink <= FACTORED_LINKS;
  if (kernel >= BENCH_CORIOLIS) return r->nlink <= SLOPES_LINKS;
  return 1;
}

static int run_once(const bench_row* row, int k, double* out)
{
  row->library->run[row->kernel](row->self, k, 1);
  return row->library->answer(row->self, row->kernel, k, out);
}

// max |y - x| / max |x| over some states; HUGE_VAL when a run fails.
static double compare(const bench_row* row, const bench_row* with)
{
  const size_t n = answer_size(row->robot, row->kernel);
  double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
  const int count = row->states->count < COMPARED ? row->states->count : COMPARED;
  double worst = x && y ? 0 : HUGE_VAL;
  for (int k = 0; k < count && worst < HUGE_VAL; k++) {
    if (run_once(with, k, x) || run_once(row, k, y)) {
      worst = HUGE_VAL;
      break;
    }
    double size = 0, error = 0;
    for (size_t i = 0; i < n; i++) {
      size = fmax(size, fabs(x[i]));
      error = fabs(y[i] - x[i]) <= error ? error : fabs(y[i] - x[i]); // keeps NaN
    }
    if (!(error / size <= worst)) worst = error / size;
  }
  free(x);
  free(y);
  return isnan(worst) ? HUGE_VAL : worst;
}

// limb is in here several times: by what its kernels need.
static int is_limb(const bench_library* l) { return !strcmp(l->name, bench_limb()->name); }

// Rows of one library on one robot; they share the library's form of the robot.
static void add_rows(bench* b, const bench_library* library, int index)
{
  const bench_robot* r = &b->robot[index];
  const bench_states* s = &b->states[index];
  if (r->nlink > library->max_links) return;
  if (r->nrow && !is_limb(library) && r->nlink > LOOPS_LINKS) return;
  void* self = library->make(r, s);
  int used = 0;
  for (int k = 0; k < BENCH_KERNELS && self; k++) {
    const bench_kernel kernel = (bench_kernel)k;
    if (!library->run[k] || !in_reach(r, kernel)) continue;
    b->row[b->nrow++] = (bench_row){.library = library,
                                    .robot = r,
                                    .states = s,
                                    .kernel = kernel,
                                    .self = self,
                                    .difference = -1};
    used++;
  }
  if (self && !used) library->destroy(self);
}

// The kernel that gives the same answer, of those that do.
static bench_kernel first_way(bench_kernel kernel)
{
  switch (kernel) {
  case BENCH_FD_ABA:
  case BENCH_FD_MATRIX:
  case BENCH_HYBRID:
  case BENCH_HYBRID_FORCES: return BENCH_FD;
  case BENCH_CLOSED_SCHUR:
  case BENCH_CLOSED_KKT:
  case BENCH_PLATFORM_FD: return BENCH_CLOSED_FD;
  case BENCH_CLOSED_ID_FORCES:
  case BENCH_CLOSED_ID_KKT:
  case BENCH_PLATFORM_ID: return BENCH_CLOSED_ID;
  default: return kernel;
  }
}

static const bench_row* row_of_limb(const bench* b, const bench_row* like)
{
  const bench_kernel kernel = first_way(like->kernel);
  for (int i = 0; i < b->nrow; i++) {
    const bench_row* row = &b->row[i];
    if (is_limb(row->library) && row->robot == like->robot && row->kernel == kernel) {
      return row;
    }
  }
  return NULL;
}

// Compares every row with limb; says which ones differ so much that times mean nothing.
static void compare_rows(bench* b)
{
  for (int i = 0; i < b->nrow; i++) {
    bench_row* row = &b->row[i];
    const bench_row* with = row_of_limb(b, row);
    if (!with) continue;
    const double difference = compare(row, with);
    if (with != row) row->difference = difference;
    if (difference > 1e-6 + row->library->softness) {
      fprintf(stderr, "limb_bench: %s and limb differ by %.1e on %s, kernel %d\n",
              row->library->name, difference, row->robot->name, (int)row->kernel);
    }
  }
}

// Names rows of limb that failed in a state while they were timed: failing is fast.
static void look_for_failures(const bench* b)
{
  for (int i = 0; i < b->nrow; i++) {
    const bench_row* row = &b->row[i];
    double* x = malloc(answer_size(row->robot, row->kernel) * sizeof *x);
    if (!x || row->library->answer(row->self, row->kernel, 0, x)) {
      fprintf(stderr, "limb_bench: %s failed on %s, kernel %d\n", row->library->name,
              row->robot->name, (int)row->kernel);
    }
    free(x);
  }
}

static void free_all(bench* b)
{
  for (int i = 0; i < b->nrow; i++) {
    if (i && b->row[i - 1].self == b->row[i].self) continue;
    b->row[i].library->destroy(b->row[i].self);
  }
  for (int i = 0; i < b->nrobot; i++) {
    bench_states_free(&b->states[i]);
    bench_robot_free(&b->robot[i]);
    limb_model_destroy(b->model[i]);
  }
}

static int run(bench* b, const bench_options* o)
{
  if (add_robots(b, o)) return 1;
  if (o->peers) list_peers(b);
  for (int i = 0; i < b->nrobot; i++) {
    add_rows(b, bench_limb(), i);
    if (b->robot[i].nrow) add_rows(b, bench_limb_closed(), i);
#ifdef BENCH_HAVE_SIM
    if (bench_steps(&b->robot[i])) add_rows(b, bench_limb_sim(), i);
#endif
    for (int p = 0; p < b->npeer; p++) {
      if (o->quick && b->robot[i].nlink > QUICK_LINKS) continue;
      if (b->peer[p].library) add_rows(b, b->peer[p].library, i);
    }
  }
  compare_rows(b);
  bench_report report = {b->robot, b->nrobot, b->row, b->nrow, b->peer, b->npeer, 0};
  if (bench_measure(b->row, b->nrow, o->quick ? 6 : 60, &report.fma_rate)) return 1;
  look_for_failures(b);
  bench_report_print(&report, o->format);
  return 0;
}

int main(int argc, char** argv)
{
  bench_options o;
  if (bench_options_parse(&o, argc, argv)) return 2;
  if (o.help) {
    printf("%s", bench_usage);
    return 0;
  }
  bench* b = calloc(1, sizeof *b);
  if (!b) return 1;
  bench_pin();
  const int code = run(b, &o);
  free_all(b);
  free(b);
  return code;
}
