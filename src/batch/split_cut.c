// The parts of a robot, laid out: each a model and a workspace of its own.
//
// Links are numbered depth first: a part is a range of them, and the trunk is what is left, closed up.
// Parents come first in both, and a first child still follows its parent.

#include "base/memory.h"
#include "base/status.h"
#include "batch/batch_impl.h"

// Links of the next part that a guess of all it holds is made from. The effect of what lies behind falls by a
// factor of ten every fifteen links or so.
enum { VIEW = 128 };

static void set_branches(limb_part* p)
{
  limb_model* m = &p->m;
  m->nbranch = 0;
  for (int i = 0; i < m->nlink; i++) {
    const int parent = p->link[i].parent;
    if (i == 0 || parent != i - 1) p->branch[m->nbranch++] = (limb_branch){i, i, parent};
    p->branch[m->nbranch - 1].end = i + 1;
    p->link[i].first = p->branch[m->nbranch - 1].begin;
  }
}

static void take_workspace(limb_arena* a, limb_split_way way, limb_part* p)
{
  const limb_model* m = &p->m;
  const size_t nl = (size_t)m->nlink;
  p->link = limb_arena_take(a, nl, sizeof *p->link);
  p->branch = limb_arena_take(a, nl, sizeof *p->branch);
  limb_ws_lay_out_recursion(a, m, sizeof(double), &p->ws);
  if (way == LIMB_SPLIT_INVERSE) return;
  p->ws.aba = limb_arena_take(a, nl * LIMB_WS_ABA, sizeof(double));
  p->ws.aba_aux = limb_arena_take(a, (size_t)m->naux * LIMB_WS_ABA_AUX, sizeof(double));
  double* artic = limb_arena_take(a, (nl + 1) * LIMB_WS_ARTIC, sizeof(double));
  p->ws.artic = artic ? artic + LIMB_WS_ARTIC : NULL; // [-1]: what is handed to the base
  if (p->next >= 0) p->tip.share = limb_arena_take(a, nl, sizeof *p->tip.share);
}

// ---- parts --------------------------------------------------------------------------------------------------

// Links begin ... end - 1 as a robot.
static void size_range(const limb_model* m, int begin, int end, limb_part* p)
{
  int naux = 0, first_aux = 0;
  for (int i = begin; i < end; i++) {
    if (m->link[i].aux < 0) continue;
    if (naux++ == 0) first_aux = m->link[i].aux;
  }
  const limb_link* last = &m->link[end - 1];
  *p = (limb_part){.m = *m, .begin = begin, .dof = m->link[begin].dof, .previous = -1, .next = -1};
  p->m.nlink = p->m.nkept = end - begin;
  p->m.ncdof = last->dof + last->ndof - p->dof;
  p->m.naux = naux;
  p->m.nroot = 1;
  p->m.k64 = m->k64 + begin;
  p->m.given = NULL; // the dof table's numbers are those of the whole robot
  p->m.dof = m->dof + p->dof;
  p->m.actuator = m->actuator + p->dof;
  p->m.aux_pose = m->aux_pose + first_aux;
  p->ws.base_turns = 1;
}

static void fill_part(const limb_model* m, limb_part* p)
{
  const int begin = p->begin;
  const int aux = (int)(p->m.aux_pose - m->aux_pose);
  int last_root = 0;
  for (int i = 0; i < p->m.nlink; i++) {
    limb_link* link = &p->link[i];
    *link = m->link[begin + i];
    const bool root = link->parent < begin;
    link->parent = root ? -1 : link->parent - begin;
    link->root = root ? 0 : -1;
    link->dof -= p->dof;
    link->aux = link->aux < 0 ? -1 : link->aux - aux;
    link->end -= begin;
    if (root) link->last = 0, last_root = i;
  }
  p->link[last_root].last = 1;
  if (p->next >= 0) p->link[p->m.nlink - 1].keep = 1;
  p->m.link = p->link;
  p->m.branch = p->branch;
  set_branches(p);
}

// ---- the trunk ----------------------------------------------------------------------------------------------

static void size_trunk(const limb_model* m, const limb_plan* plan, limb_part* p)
{
  *p = (limb_part){.m = *m, .previous = -1, .next = -1};
  p->m.identity = false;
  p->m.ncdof = 0;
  p->m.nlink = 0;
  for (int i = 0, part = 0; i < m->nlink; i++) {
    while (part < plan->count && i == plan->part[part].begin) i = plan->part[part++].end;
    if (i >= m->nlink) break;
    p->m.nlink++;
    p->m.ncdof += m->link[i].ndof;
  }
  p->m.nkept = p->m.nlink;
}

// Index in the trunk of link i of the robot: less what parts before it have.
static int in_trunk(const limb_plan* plan, int i)
{
  int less = 0;
  for (int k = 0; k < plan->count && plan->part[k].begin <= i; k++) less += plan->part[k].end - plan->part[k].begin;
  return i - less;
}

static void fill_trunk(const limb_model* m, const limb_plan* plan, limb_cut* cut)
{
  limb_part* p = &cut->trunk;
  int dof = 0, at = 0;
  for (int i = 0, part = 0; i < m->nlink; i++, at++) {
    while (part < plan->count && i == plan->part[part].begin) i = plan->part[part++].end;
    if (i >= m->nlink) break;
    limb_link* link = &p->link[at];
    *link = m->link[i];
    link->parent = link->parent < 0 ? -1 : in_trunk(plan, link->parent);
    link->dof = dof;
    for (int k = 0; k < link->ndof; k++, dof++) {
      cut->dof[dof] = m->dof[m->link[i].dof + k];
      cut->actuator[dof] = m->actuator[m->link[i].dof + k];
    }
    cut->k64[at] = m->k64[i];
    cut->link[at] = i;
  }
  for (int k = 0; k < plan->count; k++) {
    if (plan->part[k].previous >= 0) continue;
    cut->part[k].trunk_link = in_trunk(plan, plan->part[k].begin - 1);
    p->link[cut->part[k].trunk_link].keep = 1;
  }
  p->m.link = p->link;
  p->m.branch = p->branch;
  p->m.k64 = cut->k64;
  p->m.dof = cut->dof;
  p->m.actuator = cut->actuator;
  set_branches(p);
}

// A part and, if it is to hold the next one, its view of that.
static void take_part(limb_arena* a, const limb_model* m, const limb_plan* plan, int k, limb_split_way way,
                      limb_cut* out)
{
  limb_part p, view;
  size_range(m, plan->part[k].begin, plan->part[k].end, &p);
  p.previous = plan->part[k].previous;
  if (k + 1 < plan->count && plan->part[k + 1].previous == k) p.next = k + 1;
  out->rows |= p.next >= 0;
  take_workspace(a, way, &p);
  if (out->part) {
    fill_part(m, &p);
    out->part[k] = p;
  }
  if (way == LIMB_SPLIT_INVERSE || p.next < 0) return;
  const int begin = plan->part[k + 1].begin, end = plan->part[k + 1].end;
  size_range(m, begin, end - begin < VIEW ? end : begin + VIEW, &view);
  take_workspace(a, way, &view);
  if (!out->part) return;
  fill_part(m, &view);
  out->view[k] = view;
}

// Lays a cut out, and fills it when there is memory.
static void lay_out_cut(limb_arena* a, const limb_model* m, const limb_plan* plan, limb_split_way way, limb_cut* out)
{
  *out = (limb_cut){.count = plan->count};
  if (plan->count == 0) return;
  size_trunk(m, plan, &out->trunk);
  const size_t nl = (size_t)out->trunk.m.nlink, nc = (size_t)out->trunk.m.ncdof;
  out->k64 = limb_arena_take(a, nl, sizeof *out->k64);
  out->dof = limb_arena_take(a, nc, sizeof *out->dof);
  out->actuator = limb_arena_take(a, nc, sizeof *out->actuator);
  out->wrench = limb_arena_take(a, nl, sizeof *out->wrench);
  out->link = limb_arena_take(a, nl, sizeof *out->link);
  take_workspace(a, way, &out->trunk);
  out->part = limb_arena_take(a, (size_t)plan->count, sizeof *out->part);
  out->view = limb_arena_take(a, (size_t)plan->count, sizeof *out->view);
  for (int k = 0; k < plan->count; k++) take_part(a, m, plan, k, way, out);
  if (out->part) fill_trunk(m, plan, out);
}

// ---- the workspace ------------------------------------------------------------------------------------------

// One layout function that measures and lays out.

static limb_split* lay_out(limb_arena* a, const limb_model* m, const limb_split_options* options, void** data)
{
  limb_split* s = limb_arena_take(a, 1, sizeof *s);
  limb_split t = {.m = m};
  *data = limb_arena_take(a, limb_data_size(m), 1);
  for (int way = LIMB_SPLIT_INVERSE; way <= LIMB_SPLIT_FORWARD; way++) {
    const limb_plan plan = limb_plan_cut(m, (limb_split_way)way, options);
    lay_out_cut(a, m, &plan, (limb_split_way)way, &t.cut[way]);
  }
  if (s) *s = t;
  return s;
}

limb_split_options limb_default_split_options(void)
{
  return (limb_split_options){.size = sizeof(limb_split_options), .processors = 2};
}

// NULL: the defaults. LIMB_E_ARG or LIMB_E_UNSUPPORTED for invalid options.
static limb_status read_options(const limb_split_options* given, limb_split_options* out)
{
  *out = limb_default_split_options();
  if (!given) return LIMB_OK;
  const limb_status s = limb_sized_read(out, sizeof *out, given, sizeof *out);
  if (s != LIMB_OK) return s;
  if (out->processors < 1 || out->processors > LIMB_SPLIT_PROCESSORS_MAX || out->min_saving < 0) return LIMB_E_ARG;
  return LIMB_OK;
}

size_t limb_split_size(const limb_model* m, const limb_split_options* options)
{
  limb_split_options o;
  limb_arena a = {0};
  void* data;
  if (m && read_options(options, &o) == LIMB_OK) (void)lay_out(&a, m, &o, &data);
  return a.used;
}

limb_status limb_split_init(const limb_model* m, const limb_pool* pool, const limb_split_options* options, void* memory,
                            size_t size, limb_split** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  limb_split_options o;
  if (!m || !limb_pool_valid(pool) || !memory || (uintptr_t)memory % LIMB_DATA_ALIGN) return LIMB_E_ARG;
  if (read_options(options, &o) != LIMB_OK) return LIMB_E_ARG;
  if (m->nloop > 0) return LIMB_E_UNSUPPORTED;
  if (size < limb_split_size(m, &o)) return LIMB_E_NOMEM;
  limb_arena a = limb_arena_over(memory, size);
  void* data;
  limb_split* s = lay_out(&a, m, &o, &data);
  const limb_status status = limb_data_init(m, data, limb_data_size(m), &s->d);
  if (status != LIMB_OK) return status;
  s->pool = pool;
  s->kernels = limb_split_kernels_here();
  s->memory = (limb_memory){.block = memory, .size = size};
  *out = s;
  return LIMB_OK;
}

limb_status limb_split_create(const limb_model* m, const limb_pool* pool, const limb_split_options* options,
                              const limb_allocator* alloc, limb_split** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  const size_t size = limb_split_size(m, options);
  if (size == 0) return LIMB_E_ARG;
  limb_memory memory;
  limb_status s = limb_memory_take(alloc, size, &memory);
  if (s != LIMB_OK) return s;
  s = limb_split_init(m, pool, options, memory.block, memory.size, out);
  if (s == LIMB_OK)
    (*out)->memory = memory;
  else
    limb_memory_end(memory);
  return s;
}

void limb_split_destroy(limb_split* s)
{
  if (s) limb_memory_end(s->memory);
}

const limb_model* limb_split_model(const limb_split* s) { return s ? s->m : NULL; }

static int parts(const limb_split* s, limb_split_way way)
{
  if (!s) return 0;
  return s->cut[way].count > 0 ? s->cut[way].count : 1;
}

int limb_split_inverse_parts(const limb_split* s) { return parts(s, LIMB_SPLIT_INVERSE); }
int limb_split_forward_parts(const limb_split* s) { return parts(s, LIMB_SPLIT_FORWARD); }
