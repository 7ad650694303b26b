// Code generation: from a robot to source text (limb/codegen.h).
//
// trace -> reference values -> simplify -> compare -> schedule -> write, all in memory. Only complete text is handed
// out.
#include "codegen/codegen_impl.h"

#include "base/memory.h"
#include "base/status.h"
#include "codegen/schedule.h"
#include "codegen/simplify.h"
#include "codegen/text.h"
#include "codegen/trace.h"

#include <stdio.h>
#include <string.h>

enum { FILES = 3 };

typedef struct facts_of {
  char name[sizeof((limb_emitted*)0)->name];
  limb_codegen_facts facts;
} facts_of;

struct limb_codegen {
  limb_allocator alloc;
  char prefix[sizeof((limb_emitter*)0)->prefix];
  limb_text text[FILES];
  facts_of* function;
  int count;
};

// The state of a generation.
typedef struct generation {
  const limb_model* m;
  limb_codegen* c;
  limb_program* program;
  limb_emitter e;
  limb_trial trial;
  limb_reference reference;
  limb_error* error;
} generation;

// ---- simplification ------------------------------------------------------------------------------------------------

static void set_entries(limb_function* f, const limb_edge* list)
{
  for (uint32_t i = 0; i < limb_entry_count(f); i++) {
    int o;
    uint32_t index;
    (void)limb_entry_edge(f, i, &o, &index);
    f->output[o].entry[index] = list[i];
  }
}

#define LOSS_MAX 1e-11 // relative loss of accuracy beyond which simplified expressions are rejected

// All functions share the effort.
static uint64_t work_for(double effort, int functions) { return (uint64_t)(LIMB_SIMPLIFY_WORK * effort / functions); }

// Whether the graph can hold two more copies: simplified expressions, and balanced sums.
static bool fits_in_graph(const limb_graph* g, const limb_operations* n)
{
  const long all = n->mul + n->add + n->div + 2 * n->sines + n->other;
  return limb_graph_count(g) + 2 * (double)all < LIMB_GRAPH_MAX;
}

// Reordered sums may lose digits near singularities; then the expressions as traced are kept.
static limb_status simplify(generation* x, int k)
{
  limb_function* f = &x->program->function[k];
  const uint32_t n = limb_entry_count(f);
  limb_edge* list = limb_program_alloc(x->program, 2 * (size_t)n + 1, sizeof *list);
  if (!list) return LIMB_E_NOMEM;
  limb_edge* traced = list + n;
  for (uint32_t i = 0; i < n; i++) list[i] = limb_entry_edge(f, i, NULL, NULL);
  if (!limb_fold_zeros(x->program->graph, list, n)) return LIMB_E_NOMEM;
  memcpy(traced, list, n * sizeof *list);
  limb_operations now;
  if (!limb_count_operations(x->program->graph, f, &now)) return LIMB_E_NOMEM;
  if (!fits_in_graph(x->program->graph, &now)) { // it may still be written as it is
    set_entries(f, traced);
    return LIMB_OK;
  }
  const double effort = x->e.options.effort;
  if (effort > 0 && !limb_simplify(x->program->graph, list, n, work_for(effort, x->program->nfunction)))
    return LIMB_E_NOMEM;
  if (x->e.options.order == LIMB_ORDER_LATENCY && !limb_balance_sums(x->program->graph, list, n)) return LIMB_E_NOMEM;
  set_entries(f, list);
  double off;
  const limb_status s = limb_trial_compare(&x->trial, x->program, k, false, &off, NULL);
  if (s == LIMB_E_NOMEM) return s;
  if (s != LIMB_OK || off > LOSS_MAX) set_entries(f, traced);
  return LIMB_OK;
}

// Removes function k. There are no reference values of later functions yet.
static void drop_function(limb_program* p, int k)
{
  p->nfunction--;
  memmove(&p->function[k], &p->function[k + 1], (size_t)(p->nfunction - k) * sizeof *p->function);
}

// Reference values, then simplification. When all quantities were requested, singular ones are left out, as long as
// others remain.
static limb_status prepare(generation* x)
{
  const limb_codegen_options* o = &x->e.options;
  limb_status s = limb_trial_create(x->m, x->program, o->gravity_argument, &x->trial);
  if (s == LIMB_OK && x->reference.w) limb_trial_close(&x->trial, x->program, &x->reference);
  const bool all = limb_is_all(o->what);
  for (int k = 0; k < x->program->nfunction && s == LIMB_OK; k++) {
    if (!x->e.syntax->judge && o->language != LIMB_LANGUAGE_C) x->program->function[k].judged = 0;
    const bool optional = all && x->program->nfunction > 1;
    s = limb_trial_judge(&x->trial, x->program, k, o->single);
    if (s == LIMB_OK) s = limb_trial_reference(&x->trial, &x->reference, x->program, k, optional ? NULL : x->error);
    if (s == LIMB_OK) s = simplify(x, k);
    if (s != LIMB_E_UNSUPPORTED || !optional) continue;
    drop_function(x->program, k--);
    s = LIMB_OK;
  }
  return s;
}

// ---- angles as a function ------------------------------------------------------------------------------------------

// Lists the angles of the program, each once; mark holds their index + 1.
static uint32_t gather_angles(const limb_program* p, uint32_t* uses, uint32_t* mark, limb_edge* list)
{
  const uint32_t nodes = limb_graph_count(p->graph);
  uint32_t count = 0;
  for (int k = 0; k < p->nfunction; k++) {
    memset(uses, 0, nodes * sizeof *uses);
    limb_count_uses(p->graph, &p->function[k], false, uses, nodes);
    for (uint32_t n = 0; n < nodes; n++) {
      const limb_node* x = limb_graph_node(p->graph, n);
      if (!uses[n] || !limb_is_sine((limb_op)x->op) || mark[limb_edge_node(x->a)]) continue;
      list[count] = limb_edge_of(limb_edge_node(x->a));
      mark[limb_edge_node(x->a)] = ++count;
    }
  }
  return count;
}

// Sets the inputs of the function of angles. false if an angle depends on sines.
static bool set_inputs(const limb_graph* g, limb_function* f, uint32_t* uses)
{
  const uint32_t nodes = limb_graph_count(g);
  memset(uses, 0, nodes * sizeof *uses);
  limb_count_uses(g, f, false, uses, nodes);
  for (uint32_t n = 0; n < nodes; n++) {
    const limb_node* x = limb_graph_node(g, n);
    if (uses[n] && limb_is_sine((limb_op)x->op)) return false;
    if (uses[n] && x->op == OP_SYMBOL) f->inputs |= 1U << limb_symbol_kind(x->a);
  }
  return true;
}

static limb_status nested_sines(const generation* x, const char* where)
{
  return limb_fail(x->error, LIMB_E_UNSUPPORTED, where, "some of its angles depend on sines: use the sines of math.h");
}

// Puts a function in front of the others that returns the angles whose sines they take.
static limb_status add_angles(generation* x)
{
  limb_program* p = x->program;
  const uint32_t nodes = limb_graph_count(p->graph);
  uint32_t* uses = limb_program_alloc(p, nodes, sizeof *uses);
  uint32_t* mark = limb_program_alloc(p, nodes, sizeof *mark);
  limb_edge* list = limb_program_alloc(p, nodes, sizeof *list);
  if (!uses || !mark || !list) return LIMB_E_NOMEM;
  const uint32_t count = gather_angles(p, uses, mark, list);
  x->e.nangle = count;
  if (count == 0) return LIMB_OK;
  limb_function f = {
    .name = "angles", .meaning = "angles whose sines and cosines the other functions take", .noutput = 1};
  f.output[0] = (limb_output){.name = "angle", .meaning = "angles", .rows = (int)count, .columns = 1, .entry = list};
  if (!set_inputs(p->graph, &f, uses)) return nested_sines(x, "sines");
  memmove(p->function + 1, p->function, (size_t)p->nfunction++ * sizeof f);
  memmove(x->trial.of + 1, x->trial.of, (size_t)(p->nfunction - 1) * sizeof *x->trial.of);
  p->function[0] = f;
  return limb_trial_reference(&x->trial, &x->reference, p, 0, x->error);
}

// ---- parameters as a function --------------------------------------------------------------------------------------

// Appends a function that returns this robot's own numbers for p.
static limb_status add_parameters(generation* x)
{
  limb_program* p = x->program;
  const limb_input* in = &p->input[INPUT_PARAMETER];
  if (in->count == 0) return LIMB_OK;
  limb_edge* list = limb_program_alloc(p, (size_t)in->count, sizeof *list);
  if (!list) return LIMB_E_NOMEM;
  for (int i = 0; i < in->count; i++) list[i] = limb_number_edge(p->graph, in->value[i]);
  if (limb_graph_full(p->graph)) return LIMB_E_NOMEM;
  limb_function* f = &p->function[p->nfunction];
  *f = (limb_function){.name = "parameters", .meaning = "this robot's own numbers for p", .noutput = 1};
  f->output[0] = (limb_output){
    .name = in->name, .meaning = in->meaning, .rows = in->count, .columns = 1, .label = in->label, .entry = list};
  return limb_trial_reference(&x->trial, &x->reference, p, p->nfunction++, x->error);
}

// ---- functions -----------------------------------------------------------------------------------------------------

// Finds the angles of a function among those of the program.
static limb_status place_angles(generation* x, limb_emitted* p)
{
  const limb_output* all = &x->program->function[0].output[0];
  p->given = limb_program_alloc(x->program, (size_t)p->schedule.nangle + 1, sizeof *p->given);
  if (!p->given) return LIMB_E_NOMEM;
  for (uint32_t i = 0; i < p->schedule.nangle; i++) {
    while (limb_edge_node(all->entry[p->given[i]]) != p->schedule.angle[i].node) p->given[i]++;
  }
  return LIMB_OK;
}

static limb_status make_piece(generation* x, int k)
{
  limb_program* program = x->program;
  const limb_codegen_options* o = &x->e.options;
  limb_emitted* p = &x->e.function[k];
  const limb_schedule_options how = {.order = o->order == LIMB_ORDER_LATENCY ? SCHEDULE_LATENCY : SCHEDULE_REGISTERS,
                                     .named_arguments = o->lanes > 1 || o->sines == LIMB_SINES_OWN,
                                     .given_sines = o->sines == LIMB_SINES_GIVEN};
  p->f = &program->function[k];
  (void)snprintf(p->name, sizeof p->name, "%s_%s", x->e.prefix, p->f->name);
  limb_status s = limb_trial_compare(&x->trial, program, k, o->single, &p->difference, x->error);
  p->by_acceleration = x->trial.of[k].scale > 0 && !limb_has_fact(p->f, LIMB_MAY_VANISH);
  if (s != LIMB_OK) return s;
  p->from_library = x->trial.of[k].from_library;
  if (!limb_schedule_create(program->graph, p->f, &program->alloc, how, &p->schedule)) return LIMB_E_NOMEM;
  x->e.nfunction = k + 1;
  p->operations = limb_schedule_operations(&p->schedule);
  if (p->schedule.nested_sines && o->sines == LIMB_SINES_OWN) return nested_sines(x, p->f->name);
  s = limb_codegen_check_size(o, p, x->error);
  if (s == LIMB_OK && x->e.nangle) s = place_angles(x, p);
  p->stack = (long)p->schedule.max_live * limb_emit_bytes(&x->e);
  return s;
}

static limb_status make_pieces(generation* x)
{
  limb_program* p = x->program;
  x->e.function = limb_program_alloc(p, (size_t)p->nfunction + 1, sizeof *x->e.function);
  x->e.named = limb_program_alloc(p, limb_emit_joints_size(), 1);
  if (!x->e.function || !x->e.named) return LIMB_E_NOMEM;
  limb_status s = LIMB_OK;
  for (int k = 0; k < p->nfunction && s == LIMB_OK; k++) s = make_piece(x, k);
  return s;
}

// ---- texts ---------------------------------------------------------------------------------------------------------

// The number of states of the test program, smaller for large functions.
static void choose_states(generation* x)
{
  enum { NUMBERS_MAX = 20000 };
  uint32_t n = 1;
  for (int k = 0; k < x->program->nfunction; k++) n += limb_entry_count(&x->program->function[k]);
  const int fit = (int)(NUMBERS_MAX / n);
  if (x->trial.states > fit) x->trial.states = fit > 0 ? fit : 1;
}

static limb_status write_texts(generation* x)
{
  limb_emitter* e = &x->e;
  limb_text* to = x->c->text;
  e->scratch.alloc = x->c->alloc;
  e->states = x->trial.states;
  choose_states(x);
  e->text = &to[LIMB_FILE_SOURCE];
  if (e->options.language == LIMB_LANGUAGE_C) {
    limb_emit_c_source(e);
    e->text = &to[LIMB_FILE_HEADER];
    limb_emit_c_header(e);
    e->text = &to[LIMB_FILE_TEST];
    limb_emit_c_test(e, &x->trial);
  } else {
    limb_emit_script(e);
  }
  bool failed = e->scratch.failed;
  for (int i = 0; i < FILES; i++) failed = failed || to[i].failed;
  limb_text_end(&e->scratch);
  return failed ? LIMB_E_NOMEM : LIMB_OK;
}

static limb_status keep_facts(generation* x)
{
  limb_codegen* c = x->c;
  c->function = limb_alloc(&c->alloc, ((size_t)x->e.nfunction + 1) * sizeof *c->function);
  if (!c->function) return LIMB_E_NOMEM;
  c->count = x->e.nfunction;
  for (int k = 0; k < c->count; k++) {
    const limb_emitted* p = &x->e.function[k];
    facts_of* to = &c->function[k];
    memcpy(to->name, p->name, sizeof to->name);
    to->facts = (limb_codegen_facts){.quantity = p->f->name,
                                     .mul = p->operations.mul,
                                     .add = p->operations.add,
                                     .div = p->operations.div,
                                     .sines = p->operations.sines,
                                     .other = p->operations.other,
                                     .statements = (long)p->schedule.count,
                                     .stack = p->stack,
                                     .difference = p->difference};
  }
  return LIMB_OK;
}

// ---- generation ----------------------------------------------------------------------------------------------------

static void set_types(limb_emitter* e)
{
  const limb_codegen_options* o = &e->options;
  const bool rust = o->language == LIMB_LANGUAGE_RUST;
  e->real = o->single ? (rust ? "f32" : "float") : (rust ? "f64" : "double");
  e->syntax = &limb_syntaxes[o->language];
  if (o->lanes > 1) {
    (void)snprintf(e->value, sizeof e->value, "%s_lanes", e->prefix);
  } else {
    (void)snprintf(e->value, sizeof e->value, "%s", e->real);
  }
}

static limb_status generate(generation* x)
{
  const limb_codegen_options* o = &x->e.options;
  limb_status s = limb_trace(x->m, o, &x->c->alloc, &x->program, x->error);
  if (s != LIMB_OK) return s;
  x->e.program = x->program;
  set_types(&x->e);
  s = limb_reference_begin(x->m, o, x->program, &x->reference);
  if (s == LIMB_OK) s = prepare(x);
  if (s == LIMB_OK) s = add_parameters(x);
  if (s == LIMB_OK && o->sines == LIMB_SINES_GIVEN) s = add_angles(x);
  if (s == LIMB_OK) s = make_pieces(x);
  if (s == LIMB_OK) s = write_texts(x);
  if (s == LIMB_OK) s = keep_facts(x);
  return s;
}

static void free_generation(generation* x)
{
  for (int k = 0; k < x->e.nfunction; k++) limb_schedule_free(&x->e.function[k].schedule);
  limb_reference_end(&x->reference);
  limb_program_free(x->program);
}

// Out of memory, or beyond the size limit of a graph.
static limb_status out_of_memory(const generation* x)
{
  if (!x->program || limb_graph_count(x->program->graph) < LIMB_GRAPH_MAX)
    return limb_fail(x->error, LIMB_E_NOMEM, NULL, "out of memory");
  return limb_fail(x->error, LIMB_E_UNSUPPORTED, NULL,
                   "too large for straight-line code; call the library, or request less");
}

limb_status limb_codegen_create(const limb_model* m, const limb_codegen_options* options, const limb_allocator* alloc,
                                limb_codegen** out, limb_error* error)
{
  if (out) *out = NULL;
  if (!m || !out) return limb_fail(error, LIMB_E_ARG, NULL, "a model and a place for the result are required");
  if (alloc && (!alloc->alloc || !alloc->free))
    return limb_fail(error, LIMB_E_ARG, "alloc", "the allocator lacks a function");
  generation x = {.m = m, .error = error};
  x.e.options = limb_default_codegen_options();
  limb_status s = LIMB_OK;
  if (options) {
    s = limb_sized_read(&x.e.options, sizeof x.e.options, options, sizeof *options);
    if (s != LIMB_OK) return limb_fail(error, s, "options", "start from the default options");
  }
  s = limb_codegen_check_options(&x.e.options, error);
  if (s != LIMB_OK) return s;
  s = limb_codegen_make_prefix(&x.e.options, limb_model_name(m), x.e.prefix, sizeof x.e.prefix, error);
  if (s != LIMB_OK) return s;
  const limb_allocator use = alloc ? *alloc : limb_default_allocator();
  x.c = limb_alloc(&use, sizeof *x.c);
  if (!x.c) return limb_fail(error, LIMB_E_NOMEM, NULL, "out of memory");
  *x.c = (limb_codegen){.alloc = use};
  memcpy(x.c->prefix, x.e.prefix, sizeof x.c->prefix);
  for (int i = 0; i < FILES; i++) x.c->text[i].alloc = use;
  s = generate(&x);
  if (s == LIMB_E_NOMEM) s = out_of_memory(&x);
  free_generation(&x);
  if (s == LIMB_OK) {
    *out = x.c;
  } else {
    limb_codegen_free(x.c);
  }
  return s;
}

void limb_codegen_free(limb_codegen* c)
{
  if (!c) return;
  const limb_allocator use = c->alloc;
  for (int i = 0; i < FILES; i++) limb_text_end(&c->text[i]);
  limb_free(&use, c->function, ((size_t)c->count + 1) * sizeof *c->function);
  limb_free(&use, c, sizeof *c);
}

// ---- access --------------------------------------------------------------------------------------------------------

limb_status limb_codegen_write(const limb_codegen* c, limb_codegen_file file, limb_text_fn* text, void* context)
{
  if (!c || !text || (int)file < 0 || (int)file >= FILES) return LIMB_E_ARG;
  if (c->text[file].used) text(context, c->text[file].at);
  return LIMB_OK;
}

const char* limb_codegen_prefix(const limb_codegen* c) { return c ? c->prefix : NULL; }

int limb_codegen_count(const limb_codegen* c) { return c ? c->count : 0; }

limb_status limb_codegen_get(const limb_codegen* c, int function, limb_codegen_facts* out)
{
  if (!c || !out || function < 0 || function >= c->count) return LIMB_E_ARG;
  *out = c->function[function].facts;
  out->name = c->function[function].name;
  return LIMB_OK;
}
