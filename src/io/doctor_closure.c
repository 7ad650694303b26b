// The doctor on loops: whether they can be closed, what they leave to move, which of them say nothing.
//
// The robot is assembled from its start, then from random configurations; cost as limb_assemble. Ranks are
// those of the configuration that was found.
#include "limb/assemble.h"
#include "limb/check.h"

#include "base/memory.h"
#include "base/status.h"
#include "io/reading.h"

enum { TRIES = 20 };

// A robot and its loops.
typedef struct closure {
  limb_reading* r;
  limb_model* m;
  limb_loops* w;
  double* q;                // nq: closed
  unsigned char* redundant; // a mark per row
} closure;

static limb_mark mark_of(const closure* c, int loop)
{
  const sketch_marks* m = &c->r->marks;
  return m->loop && loop < m->nloop ? m->loop[loop] : (limb_mark){0, 0};
}

static int has_law(const limb_loop_def* x) { return x->law.rate != 0 || x->law.amplitude != 0 || x->law.fn != NULL; }

// The body that a moving joint carries, of those that fixed joints weld together; or the world.
static int head_of(const limb_model* m, int body)
{
  limb_joint_info x;
  for (int j = limb_joint_count(m) - 1; j >= 0; j--) {
    if (limb_get_joint(m, j, &x) != LIMB_OK || x.def.child != body) continue;
    if (x.def.type != LIMB_FIXED) return body;
    body = x.def.parent;
    j = limb_joint_count(m);
  }
  return body;
}

// Rows of a loop that others do not imply.
static int own_rows(const closure* c, const limb_loop_info* x)
{
  int n = 0;
  for (int r = 0; r < x->nrow; r++) n += !c->redundant[x->row + r];
  return n;
}

// Loops that say nothing, but for those whose ends are fixed to each other: limb_check tells them. Then
// whether all together leave nothing to move.
static void look_at_rows(const closure* c, const limb_mobility* x)
{
  limb_loop_info loop;
  int last = -1, laws = 0;
  for (int i = 0; limb_get_loop(c->m, i, &loop) == LIMB_OK; i++) {
    const limb_loop_def* def = &loop.def;
    laws |= has_law(def);
    if (own_rows(c, &loop) > 0) last = i;
    if (last == i || head_of(c->m, def->body_a) == head_of(c->m, def->body_b)) continue;
    limb_report(c->r->findings, RULE_LOOP_REPEATED, mark_of(c, i), (limb_subject){"loop", def->name},
                "its %d equation%s from those of the others", loop.nrow, loop.nrow == 1 ? " follows" : "s follow");
  }
  if (x->mobility > 0 || x->nv == 0 || laws || limb_get_loop(c->m, last, &loop) != LIMB_OK) return;
  limb_report(c->r->findings, RULE_LOOP_LOCKED, mark_of(c, last), (limb_subject){"loop", loop.def.name},
              "it is the last of those that leave nothing of %d velocities", x->nv);
}

static limb_status look(const closure* c)
{
  limb_assembly how = limb_default_assembly();
  limb_assembly_report report = {0};
  limb_mobility x;
  limb_loop_info loop;
  how.tries = TRIES;
  limb_status s = limb_start(c->m, c->q);
  if (s == LIMB_OK) s = limb_assemble(c->w, &how, c->q, &report);
  if (s == LIMB_E_NOCONV && limb_get_loop(c->m, report.loop, &loop) == LIMB_OK)
    limb_report(c->r->findings, RULE_LOOP_OPEN, mark_of(c, report.loop), (limb_subject){"loop", loop.def.name},
                "it stays %.3g apart, at best of %d starts", report.residual, report.tries);
  if (s == LIMB_OK) s = limb_mobility_at(c->w, c->q, NULL, &x);
  if (s == LIMB_OK) s = limb_redundant_rows(c->w, c->q, NULL, c->redundant);
  if (s == LIMB_OK) look_at_rows(c, &x);
  return s;
}

static limb_status examine(closure* c, limb_store* pool)
{
  limb_status s = limb_builder_build(c->r->builder, &c->m, NULL);
  if (s == LIMB_OK) s = limb_loops_create(c->m, LIMB_LOOPS_LINEAR, &c->r->alloc, &c->w);
  if (s != LIMB_OK) return s;
  c->q = limb_store_take(pool, ((size_t)limb_nq(c->m) + 1) * sizeof *c->q);
  c->redundant = limb_store_take(pool, (size_t)limb_row_count(c->m) + 1);
  return c->q && c->redundant ? look(c) : LIMB_E_NOMEM;
}

limb_status limb_check_loops(limb_reading* r, limb_error* err)
{
  if (!r || !r->builder) return limb_fail(err, LIMB_E_ARG, "reading", "there is no robot to be examined");
  if (limb_builder_loop_count(r->builder) == 0) return LIMB_OK;
  closure c = {.r = r};
  limb_store pool = limb_store_make(&r->alloc);
  const limb_status s = examine(&c, &pool); // ranks that cannot be told are no findings
  limb_loops_destroy(c.w);
  limb_model_destroy(c.m);
  limb_store_free(&pool);
  if (s == LIMB_E_NOMEM || limb_findings_lost(r->findings))
    return limb_fail(err, LIMB_E_NOMEM, r->source.name, "the examination ran out of memory");
  return LIMB_OK;
}
