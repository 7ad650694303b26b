// Motions for identification: the problem, searches from many starts, the best of them.
//
// Reference: M. Gautier, W. Khalil, Exciting trajectories for the identification of base inertial parameters of
//            robots, Int. J. Robotics Research 11(4), 1992; J. Swevers, C. Ganseman, D. Tukel, J. De Schutter,
//            H. Van Brussel, Optimal robot excitation and identification, IEEE Trans. Robotics and Automation 13(5),
//            1997.
// Cost:      starts x steps evaluations of the criterion (excite_criterion.c).
#include "estimate/excite_impl.h"

#include "base/numeric.h"
#include "base/status.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HARMONICS = 64, STARTS = 10000, STATES = 200 };

// What is left of a column beside those before it, squared: below this it is a combination of them.
static const double DEPENDENT = 1e-10;

static const double PI = 3.14159265358979323846;

limb_excite_options limb_default_excite_options(void)
{
  return (limb_excite_options){.size = sizeof(limb_excite_options),
                               .friction = LIMB_IDENT_OFFSET,
                               .exclude = LIMB_BASE_NO_SPRINGS,
                               .duration = 10,
                               .harmonics = 5,
                               .share = 0.9,
                               .starts = 8,
                               .steps = 120,
                               .seed = 1};
}

// ---- the problem ------------------------------------------------------------------------------------------

static limb_status check_options(const limb_excite_problem* p, limb_error* err)
{
  const limb_excite_options* o = &p->o;
  const bool fine = (unsigned)o->criterion <= LIMB_EXCITE_LOGDET && !(o->friction & ~(unsigned)LIMB_IDENT_OFFSET) &&
                    !(o->exclude & ~3U) && o->duration > 0 && isfinite(o->duration) && o->harmonics >= 1 &&
                    o->harmonics <= HARMONICS && o->share > 0 && o->share <= 1 && o->max_acceleration >= 0 &&
                    o->starts >= 1 && o->starts <= STARTS && o->steps >= 1 && o->nkeep >= 0 && (o->keep || !o->nkeep) &&
                    limb_finite_if(p->nv, o->start);
  if (!fine) return limb_fail(err, LIMB_E_ARG, "options", "one of them is out of range");
  for (int k = 0; k < o->nkeep; k++) {
    limb_frame_info frame;
    const double *min = &o->keep[k].min.x, *max = &o->keep[k].max.x;
    if (limb_get_frame(p->m, o->keep[k].frame, &frame) != LIMB_OK)
      return limb_fail(err, LIMB_E_ARG, "box", "there is no frame %d", o->keep[k].frame);
    for (int i = 0; i < 3; i++)
      if (!(min[i] < max[i]))
        return limb_fail(err, LIMB_E_ARG, "box", "the box of frame '%.200s' is empty along %c: %g to %g", frame.name,
                         "xyz"[i], min[i], max[i]);
  }
  return LIMB_OK;
}

// Limits of velocity k of a joint. Without a limit on one side, as far from the other one.
static limb_limits limits_of(const limb_excite_problem* p, const limb_joint_info* info, int k)
{
  const limb_joint_def* def = &info->def;
  const double free = limb_get_velocity(p->dofs, info->v + k)->linear ? 1 : PI;
  limb_limits l = {-free, free, HUGE_VAL, HUGE_VAL, HUGE_VAL};
  if (p->o.max_acceleration > 0) l.a = p->o.max_acceleration;
  if (info->nv > 1) return l;
  l.v = def->v_max, l.tau = def->effort_max;
  l.a = fmin(l.a, fmin(def->a_max, def->deceleration_max));
  if (isfinite(def->q_min)) l.q_min = def->q_min, l.q_max = def->q_min + 2 * free;
  if (isfinite(def->q_max)) l.q_max = def->q_max, l.q_min = isfinite(def->q_min) ? def->q_min : def->q_max - 2 * free;
  return l;
}

// Why no motion is found for a joint; NULL: nothing is wrong.
static const char* refuse(const limb_joint_info* info)
{
  if (info->nq != info->nv)
    return "turns in space, and its Fourier series would be no motion of three angles: fix it (--lock), or model it as "
           "three revolute joints";
  if (info->shaft >= 0) return "is behind an elastic shaft: take the robot without the shaft";
  return info->passive ? "has no motor, so that its motion follows from the others: fix it (--lock)" : NULL;
}

static limb_status read_joint(limb_excite_problem* p, int joint, limb_error* err)
{
  limb_joint_info info;
  const limb_status s = limb_get_joint(p->m, joint, &info);
  if (s != LIMB_OK) return s;
  const char* why = refuse(&info);
  if (why) return limb_fail(err, LIMB_E_UNSUPPORTED, "robot", "joint '%.200s' %s", info.def.name, why);
  for (int k = 0; k < info.nv; k++) {
    const limb_limits l = p->limit[info.v + k] = limits_of(p, &info, k);
    if (l.v == 0 || l.a == 0 || l.tau == 0)
      return limb_fail(err, LIMB_E_ARG, "robot", "the limit of the %s of joint '%.200s' is 0: it cannot move",
                       l.v == 0   ? "speed"
                       : l.a == 0 ? "acceleration"
                                  : "torque",
                       info.def.name);
  }
  return LIMB_OK;
}

// What columns of theta are lines of single joints.
static limb_status read_terms(limb_excite_problem* p)
{
  p->bodies = limb_inertial_parameter_count(p->m) / LIMB_BODY_PARAMETERS;
  p->body = malloc(((size_t)p->bodies + 1) * sizeof *p->body);
  p->term = malloc(((size_t)p->np + 1) * sizeof *p->term);
  if (!p->body || !p->term) return LIMB_E_NOMEM;
  for (int k = 0; k < p->np; k++) {
    limb_parameter_info info;
    limb_joint_info joint;
    limb_status s = limb_get_parameter(p->m, k, &info);
    if (s == LIMB_OK && info.body >= 0) p->body[k / LIMB_BODY_PARAMETERS] = info.body;
    if (s == LIMB_OK && info.body < 0) s = limb_get_joint(p->m, info.joint, &joint);
    if (s != LIMB_OK) return s;
    if (info.body < 0) p->term[p->terms++] = (limb_line_term){k, info.kind, joint.v, joint.multiplier};
  }
  return LIMB_OK;
}

// E = K' (K K')^-1
static limb_status invert_grouping(limb_excite_problem* p)
{
  const int nb = p->nb, np = p->np;
  const double* K = limb_base_matrix(p->base);
  double *square = malloc(2 * ((size_t)nb * (size_t)nb + 1) * sizeof *square), *inverse = NULL;
  p->expand = malloc(((size_t)nb * (size_t)np + 1) * sizeof *p->expand);
  limb_status s = square && p->expand ? LIMB_OK : LIMB_E_NOMEM;
  for (int i = 0; i < nb && s == LIMB_OK; i++)
    for (int j = 0; j < nb; j++)
      square[i * nb + j] = limb_dot((size_t)np, K + (size_t)i * (size_t)np, K + (size_t)j * (size_t)np);
  if (s == LIMB_OK && !limb_cholesky(nb, square)) s = LIMB_E_SINGULAR;
  if (s == LIMB_OK) {
    inverse = square + (size_t)nb * (size_t)nb;
    limb_cholesky_inverse(nb, square, inverse);
    limb_matrix_product(nb, nb, np, inverse, K, p->expand);
    limb_transpose(nb, np, p->expand);
  }
  free(square);
  return s;
}

// Columns that random states within the limits can tell apart, first come first served: base parameters, then offsets.
static limb_status choose_columns(limb_excite_problem* p)
{
  const int all = p->n;
  limb_excite_search s;
  uint64_t seed = 1;
  limb_status status = limb_excite_search_make(p, &s) ? LIMB_OK : LIMB_E_NOMEM;
  for (int k = 0; k < STATES && status == LIMB_OK; k++) {
    for (int j = 0; j < p->nv; j++) {
      const limb_limits* l = &p->limit[j];
      const double moves = l->q_max > l->q_min;
      s.q[j] = (l->q_min + l->q_max) / 2 + (l->q_max - l->q_min) / 2 * limb_random_sign(&seed);
      s.v[j] = moves * limb_random_sign(&seed), s.a[j] = moves * 3 * limb_random_sign(&seed);
    }
    status = limb_excite_equations(&s, false, s.Y);
    if (status == LIMB_OK) limb_excite_add_square(p->nv, all, s.Y, s.N);
  }
  p->n = p->nb_kept = 0;
  for (int c = 0; c < all && status == LIMB_OK; c++) { // Cholesky, of the columns that remain
    const double before = s.N[c * all + c];
    double* row = s.C + (size_t)c * (size_t)all;
    double left = before;
    for (int k = 0; k < p->n; k++) {
      const double* other = s.C + (size_t)p->column[k] * (size_t)all;
      row[k] = (s.N[c * all + p->column[k]] - limb_dot((size_t)k, row, other)) / other[k];
      left -= row[k] * row[k];
    }
    if (!(left > DEPENDENT * before)) continue;
    row[p->n] = sqrt(left);
    p->column[p->n++] = c;
    if (c < p->nb) p->nb_kept++;
  }
  for (int l = 0; l < p->np; l++)
    for (int k = 0; k < p->nb_kept; k++) p->expand[l * p->nb_kept + k] = p->expand[l * p->nb + p->column[k]];
  limb_excite_search_free(&s);
  return status;
}

static limb_status make_base(limb_excite_problem* p)
{
  double speed = HUGE_VAL;
  p->env = p->o.env ? *p->o.env : limb_default_environment(p->m);
  p->env.nwrench = 0, p->env.wrench = NULL, p->env.nlaw = 0, p->env.law = NULL;
  p->smooth = p->env;
  for (int j = 0; j < p->nv; j++) speed = fmin(speed, p->limit[j].v);
  if (!(p->smooth.coulomb_width > 0)) p->smooth.coulomb_width = 0.03 * fmin(speed, 2);
  limb_status s = limb_base_create(p->m, &p->env, p->o.exclude, NULL, &p->base);
  if (s != LIMB_OK) return s;
  p->nb = limb_base_count(p->base), p->np = limb_parameter_count(p->m);
  p->offsets = p->o.friction & LIMB_IDENT_OFFSET && p->o.exclude & LIMB_BASE_NO_SPRINGS ? p->nv : 0;
  return LIMB_OK;
}

static limb_status make_problem(limb_excite_problem* p, limb_error* err)
{
  const limb_model* m = p->m;
  if (limb_loop_count(m) > 0)
    return limb_fail(err, LIMB_E_UNSUPPORTED, "robot",
                     "it has loops, and motions are searched for trees: move its motors along sines whose frequencies "
                     "are no multiples of each other, and compare the condition that limb identify prints");
  p->nv = limb_nv(m), p->width = 2 * p->o.harmonics, p->samples = SAMPLES_PER_HARMONIC * p->o.harmonics + 1;
  if (p->samples < 4 * SAMPLES_PER_HARMONIC) p->samples = 4 * SAMPLES_PER_HARMONIC;
  if (p->nv == 0) return limb_fail(err, LIMB_E_UNSUPPORTED, "robot", "it has no joint that moves");
  limb_status s = check_options(p, err);
  if (s == LIMB_OK) s = limb_dofs_create(m, NULL, &p->dofs);
  p->limit = calloc((size_t)p->nv, sizeof *p->limit);
  p->basis = malloc((size_t)p->samples * 3 * (size_t)p->width * sizeof *p->basis);
  if (s == LIMB_OK && (!p->limit || !p->basis)) s = LIMB_E_NOMEM;
  for (int j = 0; j < limb_joint_count(m) && s == LIMB_OK; j++) {
    limb_joint_info info;
    if (limb_get_joint(m, j, &info) == LIMB_OK && info.nv + info.nq > 0) s = read_joint(p, j, err);
  }
  if (s == LIMB_OK) s = make_base(p);
  if (s != LIMB_OK) return s;
  for (int t = 0; t < p->samples; t++)
    limb_excite_basis(p->o.duration, p->o.harmonics, p->o.duration * t / (p->samples - 1),
                      p->basis + (size_t)t * 3 * (size_t)p->width);
  p->n = p->nb + p->offsets, p->nb_kept = p->nb;
  p->column = malloc(((size_t)p->n + 1) * sizeof *p->column);
  if (!p->column) return LIMB_E_NOMEM;
  for (int k = 0; k < p->n; k++) p->column[k] = k;
  s = read_terms(p);
  if (s == LIMB_OK) s = invert_grouping(p);
  if (s == LIMB_OK) s = choose_columns(p);
  if (s == LIMB_OK && p->n == 0) return limb_fail(err, LIMB_E_SINGULAR, "robot", "no motion shows any parameter");
  return s;
}

static void free_problem(limb_excite_problem* p)
{
  limb_base_destroy(p->base), limb_dofs_destroy(p->dofs);
  free(p->limit), free(p->basis), free(p->column), free(p->expand), free(p->body), free(p->term);
}

// ---- searches ---------------------------------------------------------------------------------------------

typedef struct outcome {
  bool found;
  double condition, logdet, random;
  double *center, *x; // of one block
  limb_error err;
} outcome;

typedef struct searches {
  const limb_excite_problem* p;
  outcome* result;
} searches;

static void run_search(void* argument, int index)
{
  const searches* all = argument;
  const limb_excite_problem* p = all->p;
  outcome* r = &all->result[index];
  limb_excite_search s;
  if (!limb_excite_search_make(p, &s)) {
    (void)limb_fail(&r->err, LIMB_E_NOMEM, "motion", "%s", limb_status_text(LIMB_E_NOMEM));
  } else {
    limb_excite_descend(&s, limb_mixed_bits(p->o.seed + (uint64_t)index * UINT64_C(0x9e3779b97f4a7c15)));
    r->err = s.err, r->random = s.condition;
    if (s.found && limb_excite_judge(&s, JUDGED, true, NULL) == LIMB_OK) {
      r->condition = limb_excite_condition(&s, p->n, &r->logdet);
      r->found = r->condition < HUGE_VAL;
      memcpy(r->center, s.center, (size_t)p->nv * sizeof *s.center);
      memcpy(r->x, s.x, (size_t)p->nv * (size_t)p->width * sizeof *s.x);
    }
  }
  limb_excite_search_free(&s);
}

static bool better(const limb_excite_problem* p, const outcome* a, const outcome* b)
{
  return p->o.criterion == LIMB_EXCITE_LOGDET ? a->logdet > b->logdet : a->condition < b->condition;
}

static int ascending(const void* a, const void* b)
{
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// The best of the results; the random motions that they began with.
static limb_status take_best(limb_excitation* x, outcome* r, limb_error* err)
{
  const limb_excite_problem* p = &x->p;
  const outcome* best = NULL;
  double* random = malloc((size_t)p->o.starts * sizeof *random);
  if (!random) return LIMB_E_NOMEM;
  for (int k = 0; k < p->o.starts; k++) {
    random[k] = r[k].random;
    if (r[k].found && (!best || better(p, &r[k], best))) best = &r[k];
  }
  qsort(random, (size_t)p->o.starts, sizeof *random, ascending);
  x->facts.random = random[p->o.starts / 2], x->facts.random_best = random[0];
  free(random);
  if (!best) {
    if (err) *err = r[0].err;
    const limb_status status = r[0].err.status;
    return status != LIMB_OK ? status : limb_fail(err, LIMB_E_SINGULAR, "motion", "none shows the parameters");
  }
  memcpy(x->center, best->center, (size_t)p->nv * sizeof *x->center);
  memcpy(x->x, best->x, (size_t)p->nv * (size_t)p->width * sizeof *x->x);
  return LIMB_OK;
}

// What the motion is worth, by all of its samples.
static limb_status state_facts(limb_excitation* x)
{
  const limb_excite_problem* p = &x->p;
  limb_excitation_facts* f = &x->facts;
  limb_excite_search s;
  limb_limit_use u = {{0}, {0}};
  double ignored;
  limb_status status = limb_excite_search_make(p, &s) ? LIMB_OK : LIMB_E_NOMEM;
  if (status == LIMB_OK) {
    memcpy(s.center, x->center, (size_t)p->nv * sizeof *s.center);
    memcpy(s.x, x->x, (size_t)p->nv * (size_t)p->width * sizeof *s.x);
    status = limb_excite_judge(&s, JUDGED, true, &u);
  }
  if (status == LIMB_OK) {
    f->parameters = p->n, f->hidden = p->nb + p->offsets - p->n, f->duration = p->o.duration;
    f->condition = limb_excite_condition(&s, p->n, &f->logdet);
    f->base_condition = limb_excite_condition(&s, p->nb_kept, &ignored);
    f->position = u.use[USE_POSITION] * p->o.share, f->speed = u.use[USE_SPEED] * p->o.share;
    f->acceleration = u.use[USE_ACCELERATION] * p->o.share, f->torque = u.use[USE_TORQUE] * p->o.share;
  }
  limb_excite_search_free(&s);
  return status;
}

static limb_status name_hidden(limb_excitation* x)
{
  const limb_excite_problem* p = &x->p;
  int next = 0, line = 0;
  x->hidden = calloc((size_t)(p->nb + p->offsets - p->n) + 1, sizeof *x->hidden);
  if (!x->hidden) return LIMB_E_NOMEM;
  for (int c = 0; c < p->nb + p->offsets; c++) {
    if (next < p->n && p->column[next] == c) {
      next++;
    } else if (c < p->nb) {
      (void)snprintf(x->hidden[line++], sizeof *x->hidden, "no motion within the limits shows %.60s",
                     limb_base_name(p->base, c));
    } else {
      (void)snprintf(x->hidden[line++], sizeof *x->hidden,
                     "a constant torque of '%.60s' cannot be told from its weight: base parameters have both",
                     limb_get_velocity(p->dofs, c - p->nb)->name);
    }
  }
  return LIMB_OK;
}

static limb_status excite(limb_excitation* x, limb_error* err)
{
  limb_excite_problem* p = &x->p;
  limb_status s = make_problem(p, err);
  if (s != LIMB_OK) return s;
  const size_t starts = (size_t)p->o.starts, nv = (size_t)p->nv, each = nv * ((size_t)p->width + 1);
  outcome* r = calloc(starts, sizeof *r);
  double* block = calloc(starts * each + 1, sizeof *block);
  x->center = calloc(nv + 1, sizeof *x->center), x->x = calloc(nv * (size_t)p->width + 1, sizeof *x->x);
  s = r && block && x->center && x->x ? LIMB_OK : LIMB_E_NOMEM;
  for (size_t k = 0; k < starts && s == LIMB_OK; k++)
    r[k].center = block + k * each, r[k].x = r[k].center + nv, r[k].random = HUGE_VAL;
  searches all = {p, r};
  limb_excite_watch watch = {.busy = ATOMIC_FLAG_INIT};
  p->watch = p->o.progress ? &watch : NULL;
  if (s == LIMB_OK && p->o.pool) p->o.pool->run(p->o.pool->context, p->o.starts, run_search, &all);
  for (int k = 0; k < p->o.starts && s == LIMB_OK && !p->o.pool; k++) run_search(&all, k);
  p->watch = NULL;
  if (s == LIMB_OK) s = take_best(x, r, err);
  if (s == LIMB_OK) s = state_facts(x);
  if (s == LIMB_OK) s = name_hidden(x);
  free(r), free(block);
  return s;
}

limb_status limb_excite(const limb_model* m, const limb_excite_options* options, limb_excitation** out, limb_error* err)
{
  if (err) *err = (limb_error){0};
  if (!out) return limb_fail(err, LIMB_E_ARG, "motion", "there is no place for it");
  *out = NULL;
  if (!m) return limb_fail(err, LIMB_E_ARG, "robot", "there is none");
  limb_excitation* x = calloc(1, sizeof *x);
  if (!x) return limb_fail(err, LIMB_E_NOMEM, "motion", "%s", limb_status_text(LIMB_E_NOMEM));
  x->p.m = m, x->p.o = limb_default_excite_options();
  limb_status s = options ? limb_sized_read(&x->p.o, sizeof x->p.o, options, sizeof x->p.o) : LIMB_OK;
  if (s == LIMB_OK) s = excite(x, err);
  x->p.o.start = NULL, x->p.o.keep = NULL, x->p.o.pool = NULL, x->p.o.env = NULL; // the caller's
  if (s == LIMB_OK) {
    *out = x;
    return s;
  }
  limb_excitation_destroy(x);
  return err && *err->text ? s : limb_fail(err, s, "motion", "%s", limb_status_text(s));
}

void limb_excitation_destroy(limb_excitation* x)
{
  if (!x) return;
  free_problem(&x->p);
  free(x->center), free(x->x), free(x->hidden);
  free(x);
}

// ---- answers ----------------------------------------------------------------------------------------------

limb_status limb_excitation_at(const limb_excitation* x, double t, double* q, double* v, double* a)
{
  double basis[3 * 2 * HARMONICS];
  if (!x || !q || !v || !a || isnan(t)) return LIMB_E_ARG;
  limb_excite_basis(x->p.o.duration, x->p.o.harmonics, fmin(fmax(t, 0), x->p.o.duration), basis);
  limb_excite_state(&x->p, basis, x->center, x->x, q, v, a);
  return LIMB_OK;
}

limb_status limb_excitation_get_facts(const limb_excitation* x, limb_excitation_facts* out)
{
  if (!x || !out) return LIMB_E_ARG;
  *out = x->facts;
  return LIMB_OK;
}

const char* limb_excitation_hidden(const limb_excitation* x, int k)
{
  return x && k >= 0 && k < x->facts.hidden ? x->hidden[k] : NULL;
}
