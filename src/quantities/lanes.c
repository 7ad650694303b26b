// Workspaces of threads: memory for what the blocks need, and the numbers of all blocks at one state.
#include "base/memory.h"
#include "base/status.h"
#include "quantities/evaluator_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const double max_numbers = 134217728; // that are held at once: 1 GiB of them

// ---- memory ---------------------------------------------------------------------------------------------

static limb_status too_large(const limb_evaluator* e, const limb_quantity_info* q, double numbers, limb_error* err)
{
  return limb_fail(err, LIMB_E_UNSUPPORTED, q->name,
                   "'%s' of a robot with %d velocities takes %.0f numbers (%.3g GB of memory); more than %.0f are not "
                   "computed at once",
                   q->name, e->nv, numbers, 8e-9 * numbers, max_numbers);
}

// Scratch for the block that needs most, and numbers of all blocks.
static limb_status measure(const limb_evaluator* e, size_t* work, size_t* value, limb_error* err)
{
  double sum = 0, largest = 0;
  for (int i = 0; i < e->nblock; i++) {
    const limb_quantity_row* row = e->block[i].row;
    const double own = row->work ? row->work(e) : 0;
    double size = 1;
    for (int axis = 0; axis < limb_quantity_rank(&row->about); axis++)
      size *= (double)limb_axis_count(e, &row->about, axis);
    sum += size;
    largest = fmax(largest, own);
    if (sum + largest > max_numbers) return too_large(e, &row->about, size + own, err);
  }
  *work = (size_t)largest + 1, *value = (size_t)sum + 1;
  return LIMB_OK;
}

// Memory for more numbers; what was there is lost.
static limb_status reserve(const limb_evaluator* e, double** x, size_t* size, size_t wanted)
{
  if (*size >= wanted) return LIMB_OK;
  double* more = limb_alloc(&e->alloc, wanted * sizeof *more);
  if (!more) return LIMB_E_NOMEM;
  memset(more, 0, wanted * sizeof *more);
  limb_free(&e->alloc, *x, *size * sizeof **x);
  *x = more, *size = wanted;
  return LIMB_OK;
}

limb_status limb_lane_set_loops(limb_lane* w, int independent)
{
  limb_loop_settings how = limb_default_loop_settings();
  how.solver.method = w->e->options.method;
  how.multipliers = 1, how.report = 1;
  how.independent = independent ? w->e->independent : NULL;
  return limb_set_loops(w->data, &how);
}

static limb_status open_data(const limb_evaluator* e, limb_lane* w)
{
  const limb_status s = limb_data_create(e->model, &e->alloc, &w->data);
  return s == LIMB_OK ? limb_lane_set_loops(w, 0) : s;
}

static limb_status ready(limb_evaluator* e, limb_lane* w, size_t work, size_t value)
{
  const size_t nv = (size_t)e->nv + 1, nc = (size_t)e->nc + 1;
  unsigned uses = 0;
  size_t none = 0;
  limb_status s = LIMB_OK;
  for (int i = 0; i < e->nblock; i++) uses |= e->block[i].row->uses;
  if (!w->data) s = open_data(e, w);
  if (s == LIMB_OK && !w->x) s = reserve(e, &w->x, &none, 4 * nv + 2 * nc);
  if (s == LIMB_OK) {
    w->zero = w->x + nv;
    w->inverse.x = w->zero + nv, w->inverse.lambda = w->inverse.x + nv;
    w->forward.x = w->inverse.lambda + nc, w->forward.lambda = w->forward.x + nv;
  }
  if (s == LIMB_OK) s = reserve(e, &w->work, &w->work_size, work);
  if (s == LIMB_OK) s = reserve(e, &w->value, &w->value_size, value);
  if (s == LIMB_OK && uses & USES_GEOMETRY && !w->geometry)
    s = limb_geometry_create(e->model, e->options.form, &e->alloc, &w->geometry, NULL);
  if (s == LIMB_OK && uses & USES_DUAL && !w->dual)
    s = limb_dual_create(e->model, LIMB_DUAL_MATRICES, &e->alloc, &w->dual);
  return s;
}

limb_status limb_lanes_ready(limb_evaluator* e, limb_error* err)
{
  size_t work = 0, value = 0;
  limb_status s = measure(e, &work, &value, err);
  if (s != LIMB_OK) return s;
  if (work < (size_t)e->nq) work = (size_t)e->nq; // of the start
  for (int i = 0; i < e->nlane && s == LIMB_OK; i++) s = ready(e, &e->lane[i], work, value);
  if (s == LIMB_OK && e->closed && e->undriven < 0) s = limb_count_undriven(e, e->lane[0].work);
  return s == LIMB_OK ? s : limb_fail(err, s, "workspace", "%s", limb_status_text(s));
}

void limb_lanes_free(limb_evaluator* e)
{
  const size_t numbers = 4 * ((size_t)e->nv + 1) + 2 * ((size_t)e->nc + 1);
  for (int i = 0; i < e->nlane; i++) {
    limb_lane* w = &e->lane[i];
    limb_data_destroy(w->data);
    limb_dual_destroy(w->dual);
    limb_geometry_destroy(w->geometry);
    limb_free(&e->alloc, w->x, numbers * sizeof *w->x);
    limb_free(&e->alloc, w->work, w->work_size * sizeof *w->work);
    limb_free(&e->alloc, w->value, w->value_size * sizeof *w->value);
    limb_free(&e->alloc, w->wrench, (size_t)w->wrench_capacity * sizeof *w->wrench);
  }
  limb_free(&e->alloc, e->lane, (size_t)e->nlane * sizeof *e->lane);
}

limb_status limb_copy_environment(const limb_model* m, const limb_environment* from, limb_environment* to)
{
  *to = limb_default_environment(m);
  return from ? limb_sized_read(to, sizeof *to, from, offsetof(limb_environment, base_velocity)) : LIMB_OK;
}

// ---- one state ------------------------------------------------------------------------------------------

void limb_lane_take(limb_lane* w, const limb_state* s)
{
  w->q = s->q, w->v = s->v, w->a = s->a, w->tau = s->tau;
  w->time = s->time, w->lambda = s->lambda;
  w->v_r = s->v_r, w->a_r = s->a_r;
  w->env = s->env ? s->env : &w->e->env;
  // Prescribed motions of loops are taken at the time of the state.
  if (w->e->closed && limb_copy_environment(w->e->model, w->env, &w->env_now) == LIMB_OK) {
    w->env_now.time = s->time;
    w->env = &w->env_now;
  }
  w->inverse.known = w->forward.known = 0;
}

limb_status limb_lane_move(limb_lane* w)
{
  const int level = w->e->level;
  if (level == 0) return LIMB_OK;
  return limb_kinematics(w->data, w->q, level > 1 ? w->v : NULL, level > 2 ? w->a : NULL);
}

// What a block needs, and the state does not have.
static limb_status check_state(limb_lane* w, const limb_quantity_info* q)
{
  const unsigned needs = w->e->options.tau_is_given && strcmp(q->name, "tau") == 0 ? LIMB_NEEDS_TAU : q->needs;
  const int lacks = (needs & LIMB_NEEDS_Q && !w->q) || (needs & LIMB_NEEDS_V && !w->v) ||
                    (needs & LIMB_NEEDS_A && !w->a) || (needs & LIMB_NEEDS_TAU && !w->tau) ||
                    (needs & LIMB_NEEDS_V_R && !w->v_r) || (needs & LIMB_NEEDS_A_R && !w->a_r) ||
                    (needs & LIMB_NEEDS_A_OR_TAU && !w->a && !w->tau && !w->lambda);
  return lacks ? limb_because(w, LIMB_E_ARG, "the state lacks what '%s' needs", q->name) : LIMB_OK;
}

static limb_status compute(limb_lane* w, const limb_block* b, limb_status moved)
{
  const limb_quantity_row* row = b->row;
  double* x = w->value + b->offset;
  w->frame = b->frame, w->ref = b->ref;
  *w->because = '\0';
  limb_status s = check_state(w, &row->about);
  if (s == LIMB_OK && row->level > 0) s = moved;
  if (s == LIMB_OK) s = w->e->closed && row->closed ? row->closed(w, x) : row->compute(w, x);
  for (size_t k = 0; k < b->size && s != LIMB_OK; k++) x[k] = (double)NAN;
  return s;
}

limb_status limb_lane_compute(limb_lane* w, const unsigned char* skip, int* failed)
{
  const limb_evaluator* e = w->e;
  const limb_status moved = limb_lane_move(w);
  limb_status first = LIMB_OK;
  char because[sizeof w->because] = "";
  *failed = -1;
  for (int i = 0; i < e->nblock; i++) {
    if (skip && skip[i]) continue;
    const limb_status s = compute(w, &e->block[i], moved);
    if (s == LIMB_OK || first != LIMB_OK) continue;
    first = s, *failed = i;
    memcpy(because, w->because, sizeof because);
  }
  memcpy(w->because, because, sizeof because);
  return first;
}

limb_status limb_because(limb_lane* w, limb_status s, const char* format, ...)
{
  va_list list;
  va_start(list, format);
  (void)vsnprintf(w->because, sizeof w->because, format, list);
  va_end(list);
  return s;
}

// The joints that move no inertia, by the model's own note; without one the state alone is singular.
static void explain_singular(limb_evaluator* e, limb_status s, const char* quantity)
{
  limb_note note;
  for (int i = 0; limb_model_note(e->model, i, &note) == LIMB_OK; i++) {
    if (note.kind != LIMB_NOTE_MASSLESS) continue;
    (void)limb_fail(&e->failure, s, quantity, "%s; joint '%s': %s", limb_status_text(s), note.subject, note.text);
    return;
  }
  (void)limb_fail(&e->failure, s, quantity, "%s; a joint that moves no mass and no rotor has no acceleration",
                  limb_status_text(s));
}

void limb_explain(limb_evaluator* e, const limb_lane* w, int block, limb_status s)
{
  const int reason = *w->because != '\0', own = reason && (s == LIMB_E_UNSUPPORTED || s == LIMB_E_ARG);
  for (e->failed = 0; e->failed < e->nitem && e->item[e->failed].block != block;) e->failed++;
  if (e->failed == e->nitem) e->failed = -1;
  const char* quantity = e->block[block].row->about.name;
  if (!reason && s == LIMB_E_SINGULAR)
    explain_singular(e, s, quantity);
  else
    (void)limb_fail(&e->failure, s, quantity, "%s%s%s", own ? "" : limb_status_text(s), reason && !own ? ": " : "",
                    reason ? w->because : "");
}
