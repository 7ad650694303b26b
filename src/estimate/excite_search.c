// One search for a motion: a random one within the limits, from which the criterion descends.
//
// Reference: J. Nocedal, S. Wright, Numerical optimization, 2nd edition, 2006, algorithm 7.4 (L-BFGS) and section
//            19.6 (logarithmic barriers).
// Cost:      per step one to two evaluations of the criterion over all samples.
//
//   min f(x) - mu sum log(1 - use),   mu = 1e-1, 1e-2, 1e-3: each from the solution before
#include "estimate/excite_impl.h"

#include "base/numeric.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY = 12, STAGES = 3, POSES = 20000, HALVINGS = 60 };

static const double PI = 3.14159265358979323846;

// ---- memory -----------------------------------------------------------------------------------------------

// Numbers of a search; with s their places.
static size_t place(const limb_excite_problem* p, limb_excite_search* s, double* block)
{
  const size_t nv = (size_t)p->nv, n = (size_t)p->n, square = n * n, motion = sizeof(sp_motion) / sizeof(double);
  const size_t equations = nv * ((size_t)p->np + n);
  const struct {
    double** at;
    size_t size;
  } part[] = {{&s->center, nv},
              {&s->x, nv * (size_t)p->width},
              {&s->q, nv},
              {&s->v, nv},
              {&s->a, nv},
              {&s->tau, nv},
              {&s->gq, nv},
              {&s->gv, nv},
              {&s->ga, nv},
              {&s->Y, (size_t)p->samples * nv * n},
              {&s->N, square},
              {&s->C, square},
              {&s->H, square},
              {&s->A, square},
              {&s->B, square},
              {&s->D, square},
              {&s->inv, square},
              {&s->work, equations},
              {&s->theta, nv * (size_t)p->np},
              {&s->dtau, 3 * nv * nv},
              {(double**)&s->dV, motion * nv},
              {(double**)&s->J, motion * nv},
              {(double**)&s->Aq, motion * nv},
              {(double**)&s->Av, motion * nv},
              {(double**)&s->hess, motion * nv * nv}};
  size_t used = 0;
  for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
    if (block) *part[k].at = block + used;
    used += part[k].size;
  }
  return used;
}

bool limb_excite_search_make(const limb_excite_problem* p, limb_excite_search* s)
{
  *s = (limb_excite_search){.p = p, .condition = HUGE_VAL};
  double* block = calloc(place(p, s, NULL) + 1, sizeof *block);
  if (!block) return false;
  (void)place(p, s, block);
  return limb_data_create(p->m, NULL, &s->d) == LIMB_OK;
}

void limb_excite_search_free(limb_excite_search* s)
{
  limb_data_destroy(s->d);
  free(s->center);
  *s = (limb_excite_search){0};
}

// ---- the function -----------------------------------------------------------------------------------------

typedef struct objective {
  limb_excite_search* s;
  int n;         // variables: coefficients, then centers unless they are given
  double* scale; // of a variable
  double weight; // of the barrier
} objective;

static void unpack(const objective* o, const double* y)
{
  limb_excite_search* s = o->s;
  const int coefficients = s->p->nv * s->p->width;
  for (int k = 0; k < o->n; k++) {
    if (k < coefficients)
      s->x[k] = o->scale[k] * y[k];
    else if (o->scale[k] > 0)
      s->center[k - coefficients] = o->scale[k] * y[k];
  }
}

static void state_of(limb_excite_search* s, int sample)
{
  const limb_excite_problem* p = s->p;
  limb_excite_state(p, p->basis + (size_t)sample * 3 * (size_t)p->width, s->center, s->x, s->q, s->v, s->a);
}

// Adds gq, gv and ga of a sample to the gradient by the variables.
static void pull_back(const objective* o, int sample, double* g)
{
  const limb_excite_search* s = o->s;
  const int width = s->p->width, nv = s->p->nv;
  const double *B = s->p->basis + (size_t)sample * 3 * (size_t)width, *dB = B + width, *ddB = dB + width;
  for (int j = 0; j < nv; j++) {
    for (int k = 0; k < width; k++)
      g[j * width + k] += o->scale[j * width + k] * (s->gq[j] * B[k] + s->gv[j] * dB[k] + s->ga[j] * ddB[k]);
    if (o->n > nv * width) g[nv * width + j] += o->scale[nv * width + j] * s->gq[j];
  }
}

static void clear_gradient(limb_excite_search* s)
{
  const size_t size = (size_t)s->p->nv * sizeof(double);
  memset(s->gq, 0, size), memset(s->gv, 0, size), memset(s->ga, 0, size);
}

void limb_excite_add_square(int nv, int n, const double* Y, double* N)
{
  for (int i = 0; i < nv; i++)
    for (int r = 0; r < n; r++) {
      const double y = Y[i * n + r];
      for (int c = 0; c < n && y != 0; c++) N[r * n + c] += y * Y[i * n + c];
    }
}

// G = 2 Y H of one sample.
static void weigh(int nv, int n, const double* Y, const double* H, double* G)
{
  memset(G, 0, (size_t)nv * (size_t)n * sizeof *G);
  for (int i = 0; i < nv; i++)
    for (int r = 0; r < n; r++) {
      const double y = 2 * Y[i * n + r];
      for (int c = 0; c < n && y != 0; c++) G[i * n + c] += y * H[r * n + c];
    }
}

// Value and gradient; HUGE_VAL outside of the limits.
static double evaluate(const objective* o, const double* y, double* g)
{
  limb_excite_search* s = o->s;
  const limb_excite_problem* p = s->p;
  const int nv = p->nv, n = p->n;
  const size_t block = (size_t)nv * (size_t)n;
  double value = 0;
  unpack(o, y);
  memset(g, 0, (size_t)o->n * sizeof *g);
  memset(s->N, 0, (size_t)n * (size_t)n * sizeof *s->N);
  for (int t = 0; t < p->samples; t++) {
    state_of(s, t);
    clear_gradient(s);
    if (limb_excite_barrier(s, o->weight / p->samples, true, &value) != LIMB_OK || value == HUGE_VAL) return HUGE_VAL;
    pull_back(o, t, g);
  }
  for (int t = 0; t < p->samples; t++) {
    state_of(s, t);
    if (limb_excite_equations(s, true, s->Y + (size_t)t * block) != LIMB_OK) return HUGE_VAL;
    limb_excite_add_square(nv, n, s->Y + (size_t)t * block, s->N);
  }
  const double f = limb_excite_criterion_of(s, true);
  if (f == HUGE_VAL) return f;
  double* G = s->work; // which the regressor does not need any more
  for (int t = 0; t < p->samples; t++) {
    state_of(s, t);
    clear_gradient(s);
    weigh(nv, n, s->Y + (size_t)t * block, s->H, G);
    if (limb_excite_equations_gradient(s, G) != LIMB_OK) return HUGE_VAL;
    pull_back(o, t, g);
  }
  value += f;
  return isfinite(value) && limb_finite(o->n, g) ? value : HUGE_VAL;
}

// ---- the descent ------------------------------------------------------------------------------------------

typedef struct memory {
  int n, held, next;
  double *s, *y, rho[MEMORY]; // MEMORY x n each
} memory;

static double dot(int n, const double* a, const double* b)
{
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

// d = -H g by the two loops.
static void direction(const memory* m, const double* g, double* d)
{
  const int n = m->n;
  double alpha[MEMORY];
  for (int k = 0; k < n; k++) d[k] = -g[k];
  for (int i = 1; i <= m->held; i++) {
    const int at = (m->next - i + MEMORY) % MEMORY;
    alpha[at] = m->rho[at] * dot(n, m->s + (size_t)at * (size_t)n, d);
    for (int k = 0; k < n; k++) d[k] -= alpha[at] * m->y[(size_t)at * (size_t)n + (size_t)k];
  }
  if (m->held > 0) {
    const int at = (m->next - 1 + MEMORY) % MEMORY;
    const double* y = m->y + (size_t)at * (size_t)n;
    const double gamma = 1 / (m->rho[at] * dot(n, y, y));
    for (int k = 0; k < n; k++) d[k] *= gamma;
  }
  for (int i = m->held; i >= 1; i--) {
    const int at = (m->next - i + MEMORY) % MEMORY;
    const double beta = m->rho[at] * dot(n, m->y + (size_t)at * (size_t)n, d);
    for (int k = 0; k < n; k++) d[k] += (alpha[at] - beta) * m->s[(size_t)at * (size_t)n + (size_t)k];
  }
}

static void remember(memory* m, const double* step, const double* g, const double* before)
{
  const int n = m->n;
  double *s = m->s + (size_t)m->next * (size_t)n, *y = m->y + (size_t)m->next * (size_t)n;
  for (int k = 0; k < n; k++) s[k] = step[k], y[k] = g[k] - before[k];
  const double curvature = dot(n, s, y);
  if (!(curvature > 1e-12 * sqrt(dot(n, s, s) * dot(n, y, y)))) return;
  m->rho[m->next] = 1 / curvature;
  m->next = (m->next + 1) % MEMORY;
  if (m->held < MEMORY) m->held++;
}

static void count_step(const limb_excite_problem* p)
{
  if (!p->watch) return;
  const uint64_t done = atomic_fetch_add(&p->watch->done, 1) + 1;
  if (atomic_flag_test_and_set(&p->watch->busy)) return;
  p->o.progress(p->o.context, done, (uint64_t)p->o.starts * (uint64_t)p->o.steps);
  atomic_flag_clear(&p->watch->busy);
}

// L-BFGS with backtracking; work: (2 MEMORY + 4) n. y has the last point that was accepted.
static void descend(const objective* o, int steps, double* y, double* work)
{
  const int n = o->n;
  memory m = {.n = n};
  m.s = work, m.y = work + MEMORY * (size_t)n;
  double *g = m.y + MEMORY * (size_t)n, *next = g + n, *gn = next + n, *d = gn + n;
  double f = evaluate(o, y, g);
  for (int step = 0; step < steps && f < HUGE_VAL; step++) {
    direction(&m, g, d);
    double slope = dot(n, g, d);
    if (!(slope < 0)) {
      m.held = 0;
      direction(&m, g, d);
      slope = dot(n, g, d);
    }
    const double size = sqrt(dot(n, d, d));
    double length = m.held ? 1 : fmin(1, 0.1 / size), fn = HUGE_VAL;
    for (int halving = 0; halving < 30; halving++) {
      for (int k = 0; k < n; k++) next[k] = y[k] + length * d[k];
      fn = evaluate(o, next, gn);
      if (fn <= f + 1e-4 * length * slope) break;
      length *= fn == HUGE_VAL ? 0.3 : 0.5;
    }
    if (!(fn < f)) break;
    for (int k = 0; k < n; k++) d[k] = next[k] - y[k], y[k] = next[k];
    remember(&m, d, gn, g);
    memcpy(g, gn, (size_t)n * sizeof *g);
    const bool done = f - fn < 1e-7 * (1 + fabs(f));
    f = fn;
    count_step(o->s->p);
    if (done) break;
  }
}

// ---- the start --------------------------------------------------------------------------------------------

// A pose at rest within all limits.
static limb_status find_center(limb_excite_search* s, uint64_t* seed)
{
  const limb_excite_problem* p = s->p;
  limb_limit_use u, best = {{0}, {0}};
  double smallest = HUGE_VAL;
  for (int k = 0; k < POSES; k++) {
    for (int j = 0; j < p->nv; j++) {
      const limb_limits* l = &p->limit[j];
      const double half = 0.7 * p->o.share * (l->q_max - l->q_min) / 2;
      s->center[j] = p->o.start ? p->o.start[j] : (l->q_min + l->q_max) / 2 + half * limb_random_sign(seed);
      s->q[j] = s->center[j], s->v[j] = s->a[j] = 0;
    }
    u = (limb_limit_use){{0}, {0}};
    const limb_status status = limb_excite_use(s, &u);
    if (status != LIMB_OK) return status;
    double largest = 0;
    for (int i = 0; i < USES; i++) largest = fmax(largest, u.use[i]);
    if (largest < (p->o.start ? 1 : 0.98)) return LIMB_OK;
    if (largest < smallest) smallest = largest, best = u;
    if (p->o.start) break;
  }
  limb_excite_describe(p, &best, p->o.start ? "start" : "no pose within all limits; of the best one", &s->err,
                       p->o.start ? LIMB_E_ARG : LIMB_E_NOCONV);
  return s->err.status;
}

// Sizes of coefficients that use the limits of a joint alone.
static void find_scale(const limb_excite_problem* p, double* scale)
{
  const double rate = 2 * PI / p->o.duration;
  for (int j = 0; j < p->nv; j++) {
    const limb_limits* l = &p->limit[j];
    const double half = p->o.share * (l->q_max - l->q_min) / 2;
    for (int k = 0; k < p->width; k++) {
      const int harmonic = k / 2 + 1;
      const double w = rate * harmonic;
      const double size = fmin(half, fmin(p->o.share * l->v / w, p->o.share * l->a / (w * w)));
      scale[j * p->width + k] = size / sqrt(p->width);
    }
    scale[p->nv * p->width + j] = half; // 0: this joint cannot move
  }
}

// A random motion about the center, made smaller until it keeps all limits.
static bool find_motion(objective* o, uint64_t* seed, double* y)
{
  limb_excite_search* s = o->s;
  const limb_excite_problem* p = s->p;
  const int coefficients = p->nv * p->width;
  for (int k = 0; k < coefficients; k++) y[k] = 1.5 * limb_random_sign(seed);
  for (int k = coefficients; k < o->n; k++) y[k] = o->scale[k] > 0 ? s->center[k - coefficients] / o->scale[k] : 0;
  for (int halving = 0; halving < HALVINGS; halving++) {
    double value = 0;
    limb_status status = LIMB_OK;
    unpack(o, y);
    for (int t = 0; t < p->samples && status == LIMB_OK && value < HUGE_VAL; t++) {
      state_of(s, t);
      status = limb_excite_barrier(s, 1, false, &value);
    }
    if (status == LIMB_OK && value < HUGE_VAL) return true;
    for (int k = 0; k < coefficients; k++) y[k] *= 0.75;
  }
  return false;
}

// ---- a search ---------------------------------------------------------------------------------------------

limb_status limb_excite_judge(limb_excite_search* s, int samples, bool information, limb_limit_use* u)
{
  const limb_excite_problem* p = s->p;
  const int n = p->n;
  limb_status status = LIMB_OK;
  double* basis = malloc(3 * (size_t)p->width * sizeof *basis);
  if (!basis) return LIMB_E_NOMEM;
  memset(s->N, 0, (size_t)n * (size_t)n * sizeof *s->N);
  for (int t = 0; t < samples && status == LIMB_OK; t++) {
    limb_excite_basis(p->o.duration, p->o.harmonics, p->o.duration * t / (samples - 1), basis);
    limb_excite_state(p, basis, s->center, s->x, s->q, s->v, s->a);
    if (u) status = limb_excite_use(s, u);
    if (status == LIMB_OK && information) status = limb_excite_equations(s, false, s->Y);
    if (status == LIMB_OK && information) limb_excite_add_square(p->nv, n, s->Y, s->N);
  }
  free(basis);
  return status;
}

// Amplitudes shrink until the limits hold between the samples of the optimisation, too.
static limb_status shrink(limb_excite_search* s)
{
  const limb_excite_problem* p = s->p;
  for (int round = 0; round < 400; round++) {
    limb_limit_use u = {{0}, {0}};
    const limb_status status = limb_excite_judge(s, 4 * JUDGED + 1, false, &u);
    double largest = 0;
    for (int i = 0; i < USES; i++) largest = fmax(largest, u.use[i]);
    if (status != LIMB_OK || largest <= 0.9999) return status;
    const double factor = fmax(0.5, fmin(0.998, 0.9999 / largest));
    for (int k = 0; k < p->nv * p->width; k++) s->x[k] *= factor;
  }
  return LIMB_E_NOCONV;
}

static limb_status search(limb_excite_search* s, uint64_t seed, objective* o, double* y, double* random)
{
  const limb_excite_problem* p = s->p;
  double* work = y + o->n;
  double logdet;
  limb_status status = find_center(s, &seed);
  if (status != LIMB_OK) return status;
  if (!find_motion(o, &seed, y)) return LIMB_E_NOCONV;
  status = limb_excite_judge(s, p->samples, true, NULL);
  if (status != LIMB_OK) return status;
  *random = limb_excite_condition(s, p->n, &logdet);
  for (int stage = 0; stage < STAGES; stage++) {
    o->weight = pow(10, -1 - stage);
    descend(o, (p->o.steps + STAGES - 1 - stage) / STAGES, y, work);
  }
  unpack(o, y);
  return shrink(s);
}

void limb_excite_descend(limb_excite_search* s, uint64_t seed)
{
  const limb_excite_problem* p = s->p;
  const size_t variables = (size_t)p->nv * ((size_t)p->width + 1);
  objective o = {.s = s, .n = p->nv * (p->width + (p->o.start ? 0 : 1)), .scale = calloc(variables, sizeof(double))};
  double* y = calloc((2 * MEMORY + 5) * variables, sizeof *y);
  limb_status status = LIMB_E_NOMEM;
  if (o.scale && y) {
    find_scale(p, o.scale);
    status = search(s, seed, &o, y, &s->condition);
  }
  s->found = status == LIMB_OK;
  if (!s->found && s->err.status == LIMB_OK) (void)limb_fail(&s->err, status, "motion", "%s", limb_status_text(status));
  free(o.scale);
  free(y);
}
