// Builder -> model (design: "a model is compiled"). The steps are listed in compile_impl.h.
//
// Memory: a draft with temporary arrays in one block, the model in another; both are laid out by one
// function each, which first measures. No step recurses, so a chain of 100,000 links is no trouble.

#include "limb/base.h"

#include "base/memory.h"
#include "base/status.h"
#include "model/compile_impl.h"
#include "model/dof_table.h"
#include "model/model_impl.h"

#include <assert.h>
#include <string.h>

static void lay_out_draft(limb_arena* a, limb_draft* t)
{
  const size_t nb = (size_t)t->b->nbody, nj = (size_t)t->b->njoint;
  const size_t max_links = MAX_STEPS * nj;
  t->body_joint = limb_arena_take(a, nb, sizeof(int));
  t->carrier = limb_arena_take(a, nb, sizeof(int));
  t->in_carrier = limb_arena_take(a, nb, sizeof(sp_pose));
  t->body_in_draft = limb_arena_take(a, nb, sizeof(sp_pose));
  t->body_order = limb_arena_take(a, nb, sizeof(int));
  t->child_start = limb_arena_take(a, nb + 1, sizeof(int));
  t->child = limb_arena_take(a, nj, sizeof(int));
  t->key = limb_arena_take(a, nj, sizeof(int));
  t->stack = limb_arena_take(a, nb + nj, sizeof(int));
  t->link = limb_arena_take(a, max_links, sizeof(limb_draft_link));
  t->grouped = limb_arena_take(a, max_links, sizeof(limb_moments));
}

typedef struct layout {
  limb_model* m;
  char* text;
} layout;

static void take_names(limb_arena* a, limb_names* t, int count)
{
  const size_t capacity = limb_names_capacity((size_t)count);
  int* slot = limb_arena_take(a, capacity, sizeof(int));
  if (slot) limb_names_clear(t, slot, capacity);
}

static layout lay_out_model(limb_arena* a, const limb_draft* t)
{
  const limb_builder* b = t->b;
  limb_model* m = limb_arena_take(a, 1, sizeof *m);
  limb_model x = {.nbody = b->nbody, .njoint = b->njoint, .nframe = b->nframe};
  x.nshaft = b->nshaft, x.nloop = b->nloop;
  x.nq = t->nq, x.nv = t->nv, x.nlink = t->nlink, x.ncdof = t->ncdof;
  x.naux = t->naux, x.nroot = t->nroot;
  const size_t nl = (size_t)t->nlink, nc = (size_t)t->ncdof, nv = (size_t)t->nv;
  x.body = limb_arena_take(a, (size_t)b->nbody, sizeof *x.body);
  x.joint = limb_arena_take(a, (size_t)b->njoint, sizeof *x.joint);
  x.frame = limb_arena_take(a, (size_t)b->nframe, sizeof *x.frame);
  x.shaft = limb_arena_take(a, (size_t)b->nshaft, sizeof *x.shaft);
  x.loop = limb_arena_take(a, (size_t)b->nloop, sizeof *x.loop);
  limb_lay_out_couplings(a, b, &x);
  if (b->nloop > 0) x.tree = limb_arena_take(a, 1, sizeof *x.tree), x.loop_calls = b->loop_calls;
  x.body_order = limb_arena_take(a, (size_t)b->nbody, sizeof(int));
  take_names(a, &x.body_names, b->nbody);
  take_names(a, &x.joint_names, b->njoint);
  take_names(a, &x.frame_names, b->nframe);
  take_names(a, &x.loop_names, b->nloop);
  x.link = limb_arena_take(a, nl, sizeof *x.link);
  x.branch = limb_arena_take(a, nl, sizeof *x.branch);
  x.run = limb_arena_take(a, nl, sizeof *x.run);
  x.k64 = limb_arena_take(a, nl, sizeof *x.k64);
  x.inertia = limb_arena_take(a, nl, sizeof *x.inertia);
  x.aux_pose = limb_arena_take(a, (size_t)t->naux, sizeof *x.aux_pose);
  x.quaternion = limb_arena_take(a, (size_t)t->naux, sizeof(int));
  x.base = limb_arena_take(a, (size_t)t->nroot, sizeof *x.base);
  x.dof = limb_arena_take(a, nc, sizeof *x.dof);
  x.actuator = limb_arena_take(a, nc, sizeof *x.actuator);
  x.elim.dof = limb_arena_take(a, nc, sizeof(int));
  x.elim.v = limb_arena_take(a, nv, sizeof(int));
  x.elim.parent = limb_arena_take(a, nv, sizeof(int));
  x.elim.depth = limb_arena_take(a, nv, sizeof(int));
  x.elim.row = limb_arena_take(a, nv, sizeof(ptrdiff_t));
  limb_lay_out_row_runs(a, t->nv, &x.elim);
  x.given = limb_dof_table_given(a, t->ncdof);
  x.weightless = limb_arena_take(a, nv, 1);
  char* text = limb_arena_take(a, t->text, 1);
  if (m) *m = x;
  return (layout){m, text};
}

static const char* copy_name(char** text, const char* name)
{
  const size_t size = strlen(name) + 1;
  char* copy = memcpy(*text, name, size);
  *text += size;
  return copy;
}

static size_t text_size(const limb_builder* b)
{
  size_t size = strlen(b->name) + 1;
  for (int i = 0; i < b->nbody; i++) size += strlen(b->body[i].name) + 1;
  for (int j = 0; j < b->njoint; j++) size += strlen(b->joint[j].name) + 1;
  for (int f = 0; f < b->nframe; f++) size += strlen(b->frame[f].name) + 1;
  for (int k = 0; k < b->nloop; k++) size += strlen(b->loop[k].name) + 1;
  for (int k = 0; k < b->ntendon; k++) size += strlen(b->tendon[k].name) + 1;
  return size;
}

// The robot as described.
static void copy_description(const limb_draft* t, limb_model* m, char* text)
{
  const limb_builder* b = t->b;
  m->alloc = b->alloc;
  m->gravity = b->gravity;
  m->loop_tolerance = b->loop_tolerance;
  m->name = copy_name(&text, b->name);
  for (int i = 0; i < b->nbody; i++) {
    const int j = t->body_joint[i];
    m->body[i] = (limb_body){.name = copy_name(&text, b->body[i].name),
                             .joint = j,
                             .parent = j < 0 ? -1 : b->joint[j].parent,
                             .inertia = b->body[i].inertia};
    limb_names_put(&m->body_names, m->body[i].name, i);
    m->body_order[i] = t->body_order[i];
  }
  for (int j = 0; j < b->njoint; j++) {
    m->joint[j] = (limb_joint){.def = b->joint[j], .link = -1, .shaft = -1};
    m->joint[j].def.name = copy_name(&text, b->joint[j].name);
    limb_names_put(&m->joint_names, m->joint[j].def.name, j);
    m->has_mimic |= b->joint[j].mimic >= 0;
  }
  for (int f = 0; f < b->nframe; f++) {
    m->frame[f] = b->frame[f];
    m->frame[f].name = copy_name(&text, b->frame[f].name);
    limb_names_put(&m->frame_names, m->frame[f].name, f);
  }
  for (int k = 0; k < b->nloop; k++) {
    m->loop[k] = (limb_loop){.def = b->loop[k]};
    m->loop[k].def.name = copy_name(&text, b->loop[k].name);
    limb_names_put(&m->loop_names, m->loop[k].def.name, k);
  }
  for (int k = 0; k < b->ntendon; k++) m->tendon[k].name = copy_name(&text, b->tendon[k].name);
}

// Shafts, and who is left without a motor.
static void set_shafts(const limb_builder* b, limb_model* m)
{
  for (int s = 0; s < b->nshaft; s++) {
    const limb_shaft_def* def = &b->shaft[s];
    const limb_joint *joint = &m->joint[def->joint], *motor = &m->joint[def->motor];
    m->joint[def->joint].shaft = s;
    m->shaft[s] = (limb_shaft){.def = *def,
                               .joint = m->link[joint->link].dof,
                               .motor = m->link[motor->link].dof,
                               .joint_link = joint->link,
                               .motor_link = motor->link};
  }
  for (int j = 0; j < m->njoint; j++) {
    limb_joint* joint = &m->joint[j];
    const limb_drive drive = joint->def.drive;
    const bool left_alone = joint->def.type == LIMB_FREE || joint->shaft >= 0;
    joint->passive = drive == LIMB_DRIVE_PASSIVE || (drive == LIMB_DRIVE_AUTO && left_alone);
  }
}

// Rotors, friction and springs of a joint with several degrees of freedom.
static void set_dofs(limb_model* m, const limb_joint* joint)
{
  const limb_joint_def* def = &joint->def;
  for (int i = joint->link, k = 0; i < joint->link + joint->nlink; i++) {
    limb_link* link = &m->link[i];
    for (int n = 0; n < link->ndof; n++, k++) {
      m->actuator[link->dof + n] =
        (limb_actuator){.rotor = def->armature[k], .viscous = def->damping[k], .stiffness = def->stiffness};
      if (def->armature[k] > 0 && link->aux >= 0) link->geared = 1, m->geared = true;
      if (def->armature[k] > 0 && link->joint_class < CLASS_ROT_ANY) link->aba_class = CLASS_ROT_ANY;
      m->has_actuators |= def->armature[k] > 0 || def->damping[k] > 0 || def->stiffness > 0;
    }
  }
  m->has_ball_springs |= def->stiffness > 0;
}

// Friction, rotors and springs of the joints, in compiled coordinates; shortcuts.
static void set_actuators(limb_model* m)
{
  m->identity = true;
  m->has_ball_springs = false;
  for (int c = 0; c < m->ncdof; c++) {
    m->actuator[c] = (limb_actuator){0};
    m->identity &= m->dof[c].v == c && m->dof[c].mult == 1;
  }
  m->identity &= m->ncdof == m->nv;
  for (int i = 0; i < m->nlink; i++) {
    m->mixed |= m->link[i].joint_class > CLASS_ROT_ANY;
    m->link[i].aba_class = m->link[i].joint_class;
    const int aux = m->link[i].aux;
    if (aux >= 0) m->quaternion[aux] = m->link[i].q + (m->link[i].joint_class == CLASS_FREE ? 3 : 0);
  }
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    const limb_joint_def* def = &joint->def;
    if (limb_type_nv(def->type) > 1) set_dofs(m, joint);
    if (limb_type_nv(def->type) != 1) continue;
    limb_link* link = &m->link[joint->link];
    if (def->rotor_inertia > 0 && link->joint_class < CLASS_ROT_ANY) link->aba_class = CLASS_ROT_ANY;
    m->actuator[link->dof] = (limb_actuator){.rotor = def->gear_ratio * def->gear_ratio * def->rotor_inertia,
                                             .coulomb = def->coulomb,
                                             .viscous = def->viscous,
                                             .stiffness = def->stiffness,
                                             .rest = def->rest + limb_shift_of(m, joint)};
    m->has_actuators |= def->rotor_inertia > 0 || def->coulomb > 0 || def->viscous > 0 || def->stiffness > 0;
  }
}

static void find_branches(limb_model* m)
{
  for (int i = 0; i < m->nlink; i++) {
    const int p = m->link[i].parent;
    if (i == 0 || p != i - 1) m->branch[m->nbranch++] = (limb_branch){i, i, p};
    m->branch[m->nbranch - 1].end = i + 1;
    m->link[i].first = m->branch[m->nbranch - 1].begin;
    const bool same = i > 0 && p == i - 1 && m->link[i].ndof == 1 && m->link[i - 1].ndof == 1;
    if (!same) m->run[m->nrun++] = (limb_run){i, i, m->link[i].dof, p};
    m->run[m->nrun - 1].end = i + 1;
  }
  m->serial = m->nbranch <= 1;
  for (int i = 0; i < m->nlink; i++)
    if (m->link[i].keep || m->nloop > 0) m->nkept = i + 1;
}

// The same robot without its loops. It owns nothing.
static void view_tree(limb_model* m)
{
  if (m->nloop == 0) return;
  *m->tree = *m;
  m->tree->nloop = m->tree->nrow = 0;
  m->tree->loop = NULL;
  m->tree->clusters = (limb_clusters){0};
  m->tree->loop_names = (limb_names){0};
  m->tree->loop_calls = NULL;
  m->tree->tree = NULL;
  m->tree->singular = m->tree_singular;
}

static limb_status fill_model(limb_draft* t, limb_model* m, char* text, limb_error* err)
{
  copy_description(t, m, text);
  limb_status s = limb_resolve_mimic(t, m, err);
  if (s != LIMB_OK) return s;
  limb_lower(t, m);
  limb_reframe(t, m);
  s = limb_attach_loops(m, err);
  if (s != LIMB_OK) return s;
  limb_regroup(t, m);
  set_actuators(m);
  limb_set_doubts(m, t->grouped);
  set_shafts(t->b, m);
  limb_set_couplings(m);
  find_branches(m);
  limb_dof_table_fill(m);
  s = limb_eliminate(m);
  if (s == LIMB_OK) s = limb_find_clusters(m);
  view_tree(m);
  if (s == LIMB_OK) s = limb_find_weightless(m);
  if (s == LIMB_OK) s = limb_write_notes(m);
  view_tree(m);
  if (s != LIMB_OK) return limb_fail(err, s, "model", "out of memory while compiling");
  return LIMB_OK;
}

static limb_status make_model(limb_draft* t, limb_model** out, limb_error* err)
{
  limb_arena count = {0};
  (void)lay_out_model(&count, t);
  void* block = limb_alloc(&t->b->alloc, count.used);
  if (!block) {
    return limb_fail(err, LIMB_E_NOMEM, "model", "out of memory: %zu bytes wanted", count.used);
  }
  limb_arena arena = limb_arena_over(block, count.used);
  const layout at = lay_out_model(&arena, t);
  assert(at.m && at.text); // measured by the same function
  at.m->block = block;
  at.m->block_size = count.used;
  const limb_status s = fill_model(t, at.m, at.text, err);
  if (s == LIMB_OK) {
    *out = at.m;
  } else {
    limb_model_destroy(at.m);
  }
  return s;
}

limb_status limb_compile(const limb_builder* b, limb_model** out, limb_error* err)
{
  limb_draft t = {.b = b, .text = text_size(b)};
  limb_arena count = {0};
  if (!limb_isa_runs()) { // chosen now: hot calls do not read environment variables
    return limb_fail(err, LIMB_E_UNSUPPORTED, "model",
                     "this limb was built for x86-64-%s, which this processor does not run: build "
                     "it here, or with the preset dist",
                     limb_isa_name());
  }
  lay_out_draft(&count, &t);
  void* block = limb_alloc(&b->alloc, count.used);
  if (!block) {
    return limb_fail(err, LIMB_E_NOMEM, "model", "out of memory: %zu bytes wanted", count.used);
  }
  limb_arena arena = limb_arena_over(block, count.used);
  lay_out_draft(&arena, &t);
  limb_status s = limb_draft_tree(&t, err);
  if (s == LIMB_OK) s = make_model(&t, out, err);
  limb_arena_release(block, count.used);
  limb_free(&b->alloc, block, count.used);
  return s;
}
