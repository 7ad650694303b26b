// The rows of a run: which library does what on which robot, and whether they agree.
#include "bench_impl.h"
#include "closed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  COMPARED = 8,         // states on which answers are compared
  MATRIX_LINKS = 1000,  // longest chain whose mass matrix is formed
  FACTORED_LINKS = 100, // longest chain whose mass matrix is factored
  SLOPES_LINKS = 200,   // longest chain whose derivatives are taken
  LOOPS_LINKS = 100,    // longest robot with loops for peers, and for matrices of all equations
  QUICK_LINKS = 100,    // longest chain for peers in a quick run: some take seconds to load it
};

static const char* const quantities[BENCH_KERNELS] = {[BENCH_RNEA] = "rnea",
                                                      [BENCH_CRBA] = "crba",
                                                      [BENCH_FD] = "fd",
                                                      [BENCH_JACOBIAN] = "jacobian",
                                                      [BENCH_FD_ABA] = "fd_aba",
                                                      [BENCH_FD_MATRIX] = "fd_matrix",
                                                      [BENCH_CORIOLIS] = "coriolis",
                                                      [BENCH_INVERSE] = "minv",
                                                      [BENCH_ID_DERIVATIVES] = "id_derivatives",
                                                      [BENCH_FD_DERIVATIVES] = "fd_derivatives",
                                                      [BENCH_REGRESSOR] = "regressor",
                                                      [BENCH_ID_SECOND] = "id_second",
                                                      [BENCH_CENTROIDAL] = "centroidal",
                                                      [BENCH_BIAS] = "bias",
                                                      [BENCH_KINEMATICS] = "kinematics",
                                                      [BENCH_HYBRID] = "hybrid",
                                                      [BENCH_HYBRID_FORCES] = "hybrid_forces",
                                                      [BENCH_CLOSED_FD] = "fd_loops",
                                                      [BENCH_CLOSED_SCHUR] = "fd_schur",
                                                      [BENCH_CLOSED_KKT] = "fd_kkt",
                                                      [BENCH_PLATFORM_FD] = "fd_platform",
                                                      [BENCH_CLOSED_ID] = "id_loops",
                                                      [BENCH_CLOSED_ID_FORCES] = "id_forces",
                                                      [BENCH_CLOSED_ID_KKT] = "id_kkt",
                                                      [BENCH_PLATFORM_ID] = "id_platform",
                                                      [BENCH_STEP_RK4] = "rk4_step",
                                                      [BENCH_STEP_WATCHED] = "rk4_watched",
                                                      [BENCH_STEP_IMPLICIT] = "implicit_step",
                                                      [BENCH_STEP_VARIATIONAL] = "variational_step",
                                                      [BENCH_STEP_ERK] = "erk_ms",
                                                      [BENCH_STEP_BDF] = "bdf_ms"};

const char* bench_quantity(bench_kernel kernel) { return quantities[kernel]; }

const char* bench_mode_name(bench_mode mode)
{
  static const char* const names[BENCH_MODES] = {"single", "batch", "float", "threads", "generated"};
  return names[mode];
}

int bench_is_limb(const bench_library* l) { return !strcmp(l->name, bench_limb()->name); }

const bench_row* bench_find(const bench* b, const char* library, bench_mode mode, const bench_robot* robot,
                            bench_kernel kernel)
{
  for (int i = 0; i < b->nrow; i++) {
    const bench_row* row = &b->row[i];
    const bench_library* l = row->library;
    if (row->robot == robot && row->kernel == kernel && l->mode == mode && !l->lanes && !strcmp(l->name, library))
      return row;
  }
  return NULL;
}

const bench_row* bench_find_limb(const bench* b, const bench_robot* robot, bench_kernel kernel)
{
  return bench_find(b, bench_limb()->name, BENCH_SINGLE, robot, kernel);
}

// ---- which there are -----------------------------------------------------------------------------

static int in_reach_closed(const bench_robot* r, bench_kernel kernel)
{
  if (kernel == BENCH_CLOSED_FD || kernel == BENCH_FD_ABA) return 1;
  if (kernel == BENCH_CLOSED_SCHUR || kernel == BENCH_CLOSED_KKT) return r->nlink <= LOOPS_LINKS;
  return kernel > BENCH_CLOSED_FD && bench_is_platform(r);
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
  if (kernel == BENCH_ID_SECOND) return bench_has_tensors((size_t)r->nv);
  if (kernel >= BENCH_CORIOLIS && kernel <= BENCH_REGRESSOR) return r->nlink <= SLOPES_LINKS;
  return 1;
}

static bench_row* new_row(bench* b)
{
  if (b->nrow == b->row_room) {
    const int room = b->row_room ? 2 * b->row_room : 256;
    bench_row* more = realloc(b->row, (size_t)room * sizeof *more);
    if (!more) return NULL;
    b->row = more, b->row_room = room;
  }
  return &b->row[b->nrow++];
}

// Rows of one library on one robot; they share the library's form of the robot. -1: memory ran out.
static int add_rows_of(bench* b, const bench_library* library, int index)
{
  const bench_robot* r = &b->robot[index];
  const bench_states* s = &b->states[index];
  if (r->nlink > library->max_links) return 0;
  if (r->nrow && !bench_is_limb(library) && r->nlink > LOOPS_LINKS) return 0;
  void* self = library->make(library, r, s);
  int used = 0, ok = 1;
  for (int k = 0; k < BENCH_KERNELS && self && ok; k++) {
    const bench_kernel kernel = (bench_kernel)k;
    const int each = library->states ? library->states(self, kernel) : 1;
    if (!library->run[k] || !in_reach(r, kernel) || each == 0) continue;
    bench_row* row = new_row(b);
    ok = row != NULL;
    if (!ok) break;
    *row = (bench_row){
      .library = library, .robot = r, .states = s, .kernel = kernel, .self = self, .each = each, .difference = -1};
    used++;
  }
  if (self && !used) library->destroy(self);
  return ok ? 0 : -1;
}

// Lanes are what kernels work on: shown for two robots.
static int shows_lanes(const bench_robot* r) { return !strcmp(r->name, "panda") || !strcmp(r->name, "chain30"); }

int bench_add_rows(bench* b, int quick)
{
  int bad = 0;
  for (int i = 0; i < b->nrobot && !bad; i++) {
    const bench_robot* r = &b->robot[i];
    bad |= add_rows_of(b, bench_limb(), i);
    bad |= add_rows_of(b, bench_limb_generated(), i);
    if (r->nrow) bad |= add_rows_of(b, bench_limb_closed(), i);
    if (bench_steps(r)) bad |= add_rows_of(b, bench_limb_sim(), i);
    for (int k = 0; k < BENCH_BATCHES; k++)
      if (!b->batch[k].lanes || shows_lanes(r)) bad |= add_rows_of(b, &b->batch[k], i);
    for (int p = 0; p < b->npeer; p++) {
      if (quick && r->nlink > QUICK_LINKS) continue;
      bad |= add_rows_of(b, b->peer[p], i);
    }
  }
  return bad;
}

void bench_free_rows(bench* b)
{
  for (int i = 0; i < b->nrow; i++) {
    if (i && b->row[i - 1].self == b->row[i].self) continue;
    b->row[i].library->destroy(b->row[i].self);
  }
  free(b->row);
}

// ---- whether they agree --------------------------------------------------------------------------

// The answer for state k. A batch has them all after the first.
static int run_once(const bench_row* row, int k, double* out)
{
  if (k == 0 || !row->library->states) row->library->run[row->kernel](row->self, k, 1);
  return row->library->answer(row->self, row->kernel, k, out);
}

// max |y - x| / max |x| over some states; HUGE_VAL when a run fails.
static double compare(const bench_row* row, const bench_row* with)
{
  const size_t n = bench_answer_size(row->robot, row->kernel);
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
    const double share = error == 0 ? 0 : error / size; // some answers are nothing but zeros
    if (!(share <= worst)) worst = share;
  }
  free(x);
  free(y);
  return isnan(worst) ? HUGE_VAL : worst;
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

static void tell(const bench* b, const bench_row* row, const char* what)
{
  (void)fprintf(stderr, "%s: %s (%s) %s: %s of %s\n", b->title, row->library->name, bench_mode_name(row->library->mode),
                what, bench_quantity(row->kernel), row->robot->name);
}

void bench_compare(bench* b)
{
  for (int i = 0; i < b->nrow; i++) {
    bench_row* row = &b->row[i];
    const bench_row* with = bench_find_limb(b, row->robot, first_way(row->kernel));
    if (!with) continue;
    const double difference = compare(row, with);
    if (with != row) row->difference = difference;
    if (difference > 1e-6 + row->library->softness) {
      char text[60];
      (void)snprintf(text, sizeof text, "differs by %.1e", difference);
      tell(b, row, text);
    }
  }
}

void bench_look_for_failures(bench* b)
{
  for (int i = 0; i < b->nrow; i++) {
    bench_row* row = &b->row[i];
    double* x = malloc(bench_answer_size(row->robot, row->kernel) * sizeof *x);
    if (!x || row->library->answer(row->self, row->kernel, 0, x)) {
      tell(b, row, "failed");
      row->best = row->median = HUGE_VAL;
    }
    free(x);
  }
}
