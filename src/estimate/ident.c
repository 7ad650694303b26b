// An identification from its creation to its answers.
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
  const bool fine = (unsigned)o->method <= LIMB_IDENT_LIKELIHOOD && o->train > 0 && o->train <= 1 && o->cutoff >= 0 &&
                    isfinite(o->cutoff) && o->min_speed >= 0 && isfinite(o->min_speed) && !(o->friction & ~7U) &&
                    !(o->exclude & ~3U);
  return fine ? LIMB_OK : LIMB_E_ARG;
}

// Joints that the filter can treat one by one.
static limb_status check_robot(const limb_model* m)
{
  if (limb_loop_count(m) > 0 || limb_nv(m) == 0) return LIMB_E_UNSUPPORTED;
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info joint;
    const limb_status s = limb_get_joint(m, j, &joint);
    if (s != LIMB_OK) return s;
    if (joint.nq != joint.nv) return LIMB_E_UNSUPPORTED;
  }
  return LIMB_OK;
}

// Columns of friction that the base parameters do not have. Offsets are among those with springs.
static int number_terms(limb_ident* x)
{
  int next = x->nb;
  const bool offset = x->o.friction & LIMB_IDENT_OFFSET && x->o.exclude & LIMB_BASE_NO_SPRINGS;
  for (int j = 0; j < x->nv; j++) {
    limb_terms_of_joint* term = &x->term[j];
    *term = (limb_terms_of_joint){-1, -1, -1, 0.05};
    if (offset) term->offset = next++;
    if (x->o.friction & LIMB_IDENT_ASYMMETRY) term->asymmetry = next++;
    if (x->o.friction & LIMB_IDENT_STRIBECK) term->stribeck = next++;
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
  const size_t equations = limb_equations_work(x->nv, x->n), sample = 3 * nv + 1;
  x->block = malloc((equations > sample ? equations : sample) * sizeof *x->block);
  return x->noise && x->parameter && x->name && x->summary && x->Y && x->block && limb_solution_make(x->n, &x->best);
}

static void name_terms(limb_ident* x, int joint)
{
  const int column[3] = {x->term[joint].offset, x->term[joint].asymmetry, x->term[joint].stribeck};
  static const char* const word[3] = {"offset", "asymmetry", "stribeck"};
  for (int i = 0; i < 3; i++) {
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
  x->nv = limb_nv(x->m), x->log.n = x->nv;
  s = limb_base_create(x->m, &x->env, x->o.exclude, NULL, &x->base);
  if (s == LIMB_OK) s = limb_data_create(x->m, NULL, &x->d);
  if (s == LIMB_OK) s = limb_dofs_create(x->m, NULL, &x->dofs);
  if (s != LIMB_OK) return s;
  x->nb = limb_base_count(x->base);
  x->term = calloc((size_t)x->nv, sizeof *x->term);
  if (!x->term) return LIMB_E_NOMEM;
  x->n = number_terms(x);
  return reserve(x) ? describe(x) : LIMB_E_NOMEM;
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
  limb_base_destroy(x->base), limb_data_destroy(x->d), limb_dofs_destroy(x->dofs);
  limb_log_free(&x->log), limb_filter_free(&x->filter);
  free(x->middle), free(x->ring), free(x->ring_row);
  limb_solution_free(&x->best);
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

limb_status limb_ident_get_facts(const limb_ident* x, limb_ident_facts* out)
{
  if (!x || !out) return LIMB_E_ARG;
  if (!x->fitted) return LIMB_E_ORDER;
  *out = x->facts;
  return LIMB_OK;
}
