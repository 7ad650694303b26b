// An identification from its creation to its answers, and to a robot.
#include "limb/edit.h"

#include "estimate/ident_impl.h"

#include "base/status.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

limb_ident_options limb_default_ident_options(void)
{
  return (limb_ident_options){.size = sizeof(limb_ident_options),
                              .method = LIMB_IDENT_WEIGHTED,
                              .friction = LIMB_IDENT_OFFSET,
                              .exclude = LIMB_BASE_NO_SPRINGS,
                              .train = 0.7};
}

// ---- creation ---------------------------------------------------------------------------------------------

static limb_status read_options(limb_ident* x, const limb_ident_options* given)
{
  x->o = limb_default_ident_options();
  const limb_status s = given ? limb_sized_read(&x->o, sizeof x->o, given, sizeof x->o) : LIMB_OK;
  if (s != LIMB_OK) return s;
  const limb_ident_options* o = &x->o;
  const bool fine = (unsigned)o->method <= LIMB_IDENT_INSTRUMENTAL && o->train > 0 && o->train <= 1 && o->cutoff >= 0 &&
                    isfinite(o->cutoff) && o->min_speed >= 0 && isfinite(o->min_speed) && !(o->friction & ~7U) &&
                    !(o->exclude & ~3U);
  return fine ? LIMB_OK : LIMB_E_ARG;
}

// Motions that depend on time alone are not in a log.
static limb_status check_robot(const limb_model* m)
{
  if (limb_nv(m) == 0) return LIMB_E_UNSUPPORTED;
  for (int k = 0; k < limb_loop_count(m); k++) {
    limb_loop_info loop;
    const limb_status s = limb_get_loop(m, k, &loop);
    if (s != LIMB_OK) return s;
    if (loop.def.motion.constraint != 0) return LIMB_E_UNSUPPORTED;
  }
  return LIMB_OK;
}

static limb_status read_sources(limb_ident* x)
{
  x->source = calloc(2 * (size_t)x->nv, 1);
  if (!x->source) return LIMB_E_NOMEM;
  x->counts = x->source + x->nv;
  int count = 0;
  for (int j = 0; j < x->nv; j++) {
    if (x->o.source) x->source[j] = x->o.source[j];
    if (x->source[j] > LIMB_IDENT_UNMEASURED) return LIMB_E_ARG;
    x->counts[j] = x->source[j] != LIMB_IDENT_UNMEASURED;
    if (!x->counts[j] && limb_loop_count(x->m) > 0) return LIMB_E_UNSUPPORTED;
    count += x->counts[j];
  }
  x->o.source = NULL;
  return count > 0 ? LIMB_OK : LIMB_E_ARG;
}

// Columns of friction that the base parameters do not have. Offsets are among those with springs.
static int number_terms(limb_ident* x)
{
  int next = x->nb;
  const bool offset = x->o.friction & LIMB_IDENT_OFFSET && x->o.exclude & LIMB_BASE_NO_SPRINGS;
  for (int j = 0; j < x->nv; j++) {
    limb_terms_of_joint* term = &x->term[j];
    *term = (limb_terms_of_joint){-1, -1, -1, -1, 0.05};
    if (offset) term->offset = next++;
    if (x->o.friction & LIMB_IDENT_ASYMMETRY) term->asymmetry = next++;
    if (x->o.friction & LIMB_IDENT_STRIBECK) term->stribeck = next++;
    if (x->source[j] == LIMB_IDENT_CURRENT) term->gain = next++;
  }
  return next;
}

static bool reserve(limb_ident* x)
{
  const size_t nv = (size_t)x->nv, n = (size_t)x->n;
  x->noise = calloc(nv * nv, sizeof *x->noise);
  x->parameter = calloc(n + 1, sizeof *x->parameter);
  x->name = calloc(n + 1, sizeof *x->name);
  x->summary = calloc(4 * (nv + 1), sizeof *x->summary);
  x->Y = malloc((nv * (size_t)x->nb + limb_base_work(x->base)) * sizeof *x->Y);
  x->block = malloc(limb_equations_work(x) * sizeof *x->block);
  x->known = calloc(nv, sizeof *x->known);
  x->exact = calloc(n + 1, 1);
  x->why = calloc(n + 1, sizeof *x->why);
  x->joint = calloc(nv, sizeof *x->joint);
  for (size_t j = 0; j < nv && x->joint; j++)
    if (!limb_triangle_make(x->n, &x->joint[j])) return false;
  if (limb_loop_count(x->m) > 0) x->G = malloc(nv * nv * sizeof *x->G);
  if (limb_loop_count(x->m) > 0 && !x->G) return false;
  return x->noise && x->parameter && x->name && x->summary && x->Y && x->block && x->exact && x->why && x->known &&
         x->joint && limb_solution_make(x->n, &x->best);
}

static void name_terms(limb_ident* x, int joint)
{
  const limb_terms_of_joint* term = &x->term[joint];
  const int column[TERMS] = {term->offset, term->asymmetry, term->stribeck, term->gain};
  static const char* const word[TERMS] = {"offset", "asymmetry", "stribeck", "gain"};
  if (term->offset >= 0) x->exact[term->offset] = 1;
  for (int i = 0; i < TERMS; i++) {
    if (column[i] < 0) continue;
    (void)snprintf(x->name[column[i]], sizeof *x->name, "%.80s.%s", limb_get_velocity(x->dofs, joint)->name, word[i]);
    x->parameter[column[i]] = (limb_ident_parameter){.name = x->name[column[i]], .formula = ""};
  }
}

// Names, and values by the model: the estimates of what stays hidden.
static limb_status describe(limb_ident* x)
{
  const limb_status s = limb_base_values(x->base, NULL, x->best.x);
  for (int k = 0; k < x->nb; k++)
    x->parameter[k] = (limb_ident_parameter){
      .name = limb_base_name(x->base, k), .formula = limb_base_formula(x->base, k), .model = x->best.x[k]};
  for (int j = 0; j < x->nv; j++) name_terms(x, j);
  return s;
}

static limb_status create(limb_ident* x, const limb_ident_options* options)
{
  limb_status s = check_robot(x->m);
  if (s == LIMB_OK) s = read_options(x, options);
  if (s != LIMB_OK) return s;
  x->env = x->o.env ? *x->o.env : limb_default_environment(x->m);
  x->env.nwrench = 0, x->env.wrench = NULL, x->env.nlaw = 0, x->env.law = NULL;
  x->nq = x->log.nq = limb_nq(x->m), x->nv = x->log.nv = limb_nv(x->m), x->carried = -1;
  s = read_sources(x);
  if (s == LIMB_OK) s = limb_base_create(x->m, &x->env, x->o.exclude, NULL, &x->base);
  if (s == LIMB_OK) s = limb_data_create(x->m, NULL, &x->d);
  if (s == LIMB_OK && limb_loop_count(x->m) > 0) s = limb_data_create(limb_spanning_tree(x->m), NULL, &x->tree);
  if (s == LIMB_OK && !x->tree) x->tree = x->d;
  if (s == LIMB_OK) s = limb_dofs_create(x->m, NULL, &x->dofs);
  if (s == LIMB_OK) s = limb_rows_make(x);
  if (s != LIMB_OK) return s;
  x->nb = limb_base_count(x->base);
  x->term = calloc((size_t)x->nv, sizeof *x->term);
  if (!x->term) return LIMB_E_NOMEM;
  x->n = number_terms(x);
  if (!reserve(x)) return LIMB_E_NOMEM;
  s = describe(x);
  return s == LIMB_OK ? limb_find_known(x) : s;
}

limb_status limb_ident_create(const limb_model* m, const limb_ident_options* options, limb_ident** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (!m) return LIMB_E_ARG;
  limb_ident* x = calloc(1, sizeof *x);
  if (!x) return LIMB_E_NOMEM;
  x->m = m;
  const limb_status s = create(x, options);
  if (s == LIMB_OK)
    *out = x;
  else
    limb_ident_destroy(x);
  return s;
}

void limb_ident_destroy(limb_ident* x)
{
  if (!x) return;
  if (x->tree != x->d) limb_data_destroy(x->tree);
  limb_base_destroy(x->base), limb_data_destroy(x->d), limb_dofs_destroy(x->dofs);
  limb_log_free(&x->log), limb_filter_free(&x->filter);
  free(x->middle), free(x->measured.single), free(x->measured.row), free(x->instruments.single);
  free(x->instruments.row), free(x->smooth), free(x->source), free(x->independent), free(x->coordinate), free(x->turn);
  free(x->G), free(x->known), free(x->load), free(x->load_of), free(x->exact), free(x->why), free(x->estimate),
    free(x->bounds);
  limb_solution_free(&x->best);
  for (int j = 0; j < x->nv && x->joint; j++) limb_triangle_free(&x->joint[j]);
  free(x->joint);
  for (int k = 0; k < x->notes; k++) free(x->note[k]);
  free(x->note), free(x->term), free(x->role), free(x->noise), free(x->residual), free(x->parameter);
  free(x->name), free(x->summary), free(x->block), free(x->Y), free(x->theta);
  free(x);
}

// ---- notes ------------------------------------------------------------------------------------------------

void limb_ident_report(limb_ident* x, const char* format, ...)
{
  char** longer = realloc(x->note, ((size_t)x->notes + 1) * sizeof *longer);
  if (!longer) return;
  x->note = longer;
  char* text = malloc(600);
  if (!text) return;
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, 600, format, arguments);
  va_end(arguments);
  x->note[x->notes++] = text;
}

const char* limb_ident_note(const limb_ident* x, int k) { return x && k >= 0 && k < x->notes ? x->note[k] : NULL; }

// ---- answers ----------------------------------------------------------------------------------------------

int limb_ident_count(const limb_ident* x) { return x && x->fitted ? x->n : 0; }

const double* limb_ident_covariance(const limb_ident* x) { return x && x->fitted ? x->best.covariance : NULL; }

limb_status limb_ident_get_parameter(const limb_ident* x, int k, limb_ident_parameter* out)
{
  if (!x || !out) return LIMB_E_ARG;
  if (!x->fitted) return LIMB_E_ORDER;
  if (k < 0 || k >= x->n) return LIMB_E_ARG;
  *out = x->parameter[k];
  return LIMB_OK;
}

limb_status limb_ident_get_residual(const limb_ident* x, int joint, limb_ident_part part, limb_ident_residual* out)
{
  if (!x || !out) return LIMB_E_ARG;
  if (!x->fitted || (part >= LIMB_IDENT_PHYSICAL_FITTED && !x->theta)) return LIMB_E_ORDER;
  if (joint < -1 || joint >= x->nv || (unsigned)part > LIMB_IDENT_PHYSICAL_VALIDATION) return LIMB_E_ARG;
  *out = x->summary[(int)part * (x->nv + 1) + (joint < 0 ? x->nv : joint)];
  return LIMB_OK;
}

limb_status limb_ident_get_row(limb_ident* x, int k, limb_ident_row* out)
{
  if (!x || !out) return LIMB_E_ARG;
  if (!x->fitted) return LIMB_E_ORDER;
  if (k < 0 || k >= x->count) return LIMB_E_ARG;
  const limb_row r = limb_middle_row(x, k);
  const double *estimate = x->estimate ? x->estimate : x->best.x, *A = x->block;
  out->time = r.time, out->log = r.log, out->fitted = x->role[k], out->q = r.q, out->v = r.v, out->a = r.a;
  const limb_status s = out->tau || out->predicted ? limb_equations_of(x, k, x->block) : LIMB_OK;
  for (int j = 0; j < x->nv && s == LIMB_OK && (out->tau || out->predicted); j++, A += x->n + 1) {
    const int gain = x->term[j].gain;
    double predicted = 0;
    for (int i = 0; i < x->n; i++) predicted += i == gain ? 0 : A[i] * estimate[i];
    if (out->tau) out->tau[j] = A[x->n] - (gain >= 0 ? A[gain] * estimate[gain] : 0);
    if (out->predicted) out->predicted[j] = predicted;
  }
  return s;
}

limb_status limb_ident_get_facts(const limb_ident* x, limb_ident_facts* out)
{
  if (!x || !out) return LIMB_E_ARG;
  if (!x->fitted) return LIMB_E_ORDER;
  *out = x->facts;
  return LIMB_OK;
}

// ---- a robot ----------------------------------------------------------------------------------------------
//
// theta has one inertia for a body and all that is fixed to it. The body that it is named after takes the difference
// from what they have together; where that would not be physical, it takes all, and what is fixed to it has no mass.

enum { BODY = LIMB_BODY_PARAMETERS };

// The joint that carries a body; -1: none.
static int carrier(const limb_model* m, int body, limb_joint_info* out)
{
  for (int j = 0; j < limb_joint_count(m); j++)
    if (limb_get_joint(m, j, out) == LIMB_OK && out->def.child == body) return j;
  return -1;
}

// The body on a moving joint that a body is fixed to, or itself; the world for what does not move.
static int moved_with(const limb_model* m, int body)
{
  limb_joint_info joint;
  while (body != LIMB_WORLD_BODY && carrier(m, body, &joint) >= 0 && joint.def.type == LIMB_FIXED)
    body = joint.def.parent;
  return body;
}

static limb_status empty_others(const limb_ident* x, limb_builder* b, int body)
{
  const sp_inertia none = {0};
  limb_status s = LIMB_OK;
  for (int i = 1; i < limb_body_count(x->m) && s == LIMB_OK; i++)
    if (i != body && moved_with(x->m, i) == moved_with(x->m, body)) s = limb_builder_set_inertia(b, i, &none);
  return s;
}

static limb_status apply_body(const limb_ident* x, limb_builder* b, int body, const double* before, const double* theta)
{
  limb_body_def def;
  double own[BODY];
  limb_status s = limb_builder_get_body(b, body, &def);
  if (s != LIMB_OK) return s;
  limb_inertia_to_parameters(&def.inertia, own);
  for (int k = 0; k < BODY; k++) own[k] += theta[k] - before[k];
  sp_inertia Y = limb_inertia_from_parameters(own);
  if (!(Y.mass > 0) || limb_inertia_defect(&Y)) {
    Y = limb_inertia_from_parameters(theta);
    s = empty_others(x, b, body);
  }
  return s == LIMB_OK ? limb_builder_set_inertia(b, body, &Y) : s;
}

static limb_status apply_joint(limb_builder* b, const limb_parameter_info* info, double value, limb_error* err)
{
  limb_joint_def def;
  const limb_status s = limb_builder_get_joint(b, info->joint, &def);
  if (s != LIMB_OK) return s;
  switch (info->kind) {
  case LIMB_PARAMETER_ROTOR: def.rotor_inertia = value / (def.gear_ratio * def.gear_ratio); break;
  case LIMB_PARAMETER_VISCOUS: def.viscous = value; break;
  case LIMB_PARAMETER_COULOMB: def.coulomb = value; break;
  default: return LIMB_OK; // springs and shafts stay as they are
  }
  return limb_builder_set_joint(b, info->joint, &def, err);
}

limb_status limb_ident_apply(const limb_ident* x, limb_builder* b, limb_error* err)
{
  if (!x || !b) return limb_fail(err, LIMB_E_ARG, "robot", "there is none");
  if (!x->theta) return limb_fail(err, LIMB_E_ORDER, "robot", "there is no physical fit yet: limb_ident_fit_physical");
  if (limb_builder_body_count(b) != limb_body_count(x->m) || limb_builder_joint_count(b) != limb_joint_count(x->m))
    return limb_fail(err, LIMB_E_ARG, "robot", "it is another one than was identified");
  const int np = limb_parameter_count(x->m);
  double* before = x->block; // which is larger than np
  limb_status s = limb_parameters(x->m, before);
  for (int k = 0; k < np && s == LIMB_OK; k++) {
    limb_parameter_info info;
    s = limb_get_parameter(x->m, k, &info);
    if (s != LIMB_OK || x->theta[k] == before[k]) continue;
    if (info.body >= 0) {
      const int first = k - (int)info.kind;
      s = apply_body(x, b, info.body, before + first, x->theta + first);
      k = first + BODY - 1;
    } else {
      s = apply_joint(b, &info, x->theta[k], err);
    }
  }
  return s;
}
