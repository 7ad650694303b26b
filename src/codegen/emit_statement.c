// Statements of any language: definitions, stores of outputs, and comments with the joints (codegen_impl.h).
#include "codegen/codegen_impl.h"

#include <stdio.h>
#include <string.h>

static void put(limb_emitter* e, const char* piece) { limb_text_put(&e->scratch, piece); }

// ---- inputs and outputs of a function ------------------------------------------------------------------------------

bool limb_emit_takes_input(const limb_emitter* e, const limb_function* f, limb_input_kind kind)
{
  return (f->inputs >> kind & 1U) && e->program->input[kind].count > 0;
}

bool limb_emit_uses(const limb_emitted* p, limb_op op)
{
  for (uint32_t n = 0; n < p->schedule.nodes; n++) {
    if (p->schedule.uses[n] && limb_graph_node(p->schedule.g, n)->op == (uint32_t)op) return true;
  }
  return false;
}

bool limb_emit_any_uses(const limb_emitter* e, limb_op op)
{
  for (int i = 0; i < e->nfunction; i++) {
    if (limb_emit_uses(&e->function[i], op)) return true;
  }
  return false;
}

void limb_emit_output_name(const limb_emitter* e, const limb_function* f, int o, char name[64])
{
  static const char* const taken[] = {"sine", "cosine", "w", "lambda"};
  bool twice = false;
  for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) twice = twice || strcmp(f->output[o].name, taken[i]) == 0;
  for (int k = 0; k < INPUT_KINDS; k++) {
    const bool takes = limb_emit_takes_input(e, f, (limb_input_kind)k);
    twice = twice || (takes && strcmp(e->program->input[k].name, f->output[o].name) == 0);
  }
  (void)snprintf(name, 64, "%s%s", f->output[o].name, twice ? "_out" : "");
}

const char* limb_emit_reference(const limb_emitted* p)
{
  return p->from_library ? "the library" : "the expressions before simplification";
}

// ---- arguments -----------------------------------------------------------------------------------------------------

bool limb_emit_sines_given(const limb_emitter* e, const limb_emitted* p)
{
  return e->options.sines == LIMB_SINES_GIVEN && p->schedule.nangle > 0;
}

limb_arguments limb_emit_all_arguments(const limb_emitter* e, const limb_emitted* p, bool types)
{
  limb_arguments a = {.sines = limb_emit_sines_given(e, p), .types = types};
  for (int k = 0; k < INPUT_KINDS; k++) a.inputs |= (unsigned)limb_emit_takes_input(e, p->f, (limb_input_kind)k) << k;
  if (e->syntax->language == LIMB_LANGUAGE_C) a.outputs = (1U << p->f->noutput) - 1;
  return a;
}

// any: whether one has been written.
static void put_argument(limb_emitter* e, bool types, bool is_const, const char* name, uint32_t count, bool* any)
{
  const limb_language language = e->syntax->language;
  const bool c = types && language == LIMB_LANGUAGE_C;
  put(e, *any ? ",\v" : "");
  *any = true;
  if (c) limb_text_print(&e->scratch, "%s%s ", is_const ? "const " : "", e->value);
  put(e, name);
  if (c) limb_text_print(&e->scratch, "[%u]", count > 0 ? count : 1);
  if (types && language == LIMB_LANGUAGE_RUST) limb_text_print(&e->scratch, ": &[%s; %u]", e->real, count);
}

void limb_emit_arguments(limb_emitter* e, const limb_emitted* p, const limb_arguments* a)
{
  bool any = false;
  for (int k = 0; k < INPUT_KINDS; k++) {
    const limb_input* in = &e->program->input[k];
    if (a->inputs >> k & 1U) put_argument(e, a->types, true, in->name, (uint32_t)in->count, &any);
  }
  if (a->sines) put_argument(e, a->types, true, "sine", limb_c_sine_count(e, p), &any);
  if (a->sines) put_argument(e, a->types, true, "cosine", limb_c_sine_count(e, p), &any);
  if (a->reads || a->writes) put_argument(e, a->types, !a->writes, "w", a->places, &any);
  for (int o = 0; o < p->f->noutput + p->f->judged; o++) {
    char name[64];
    const limb_output* out = &p->f->output[o];
    limb_emit_output_name(e, p->f, o, name);
    if (a->outputs >> o & 1U)
      put_argument(e, a->types, false, name, (uint32_t)out->rows * (uint32_t)out->columns, &any);
  }
}

// ---- gravity -------------------------------------------------------------------------------------------------------

void limb_emit_gravity(limb_emitter* e, const limb_function* f, const char* begin)
{
  const double* g = e->program->input[INPUT_GRAVITY].value;
  if (e->options.gravity_argument || !g || !limb_has_fact(f, LIMB_WEIGHS)) return;
  limb_text_clear(&e->scratch);
  for (int i = 0; i < 3; i++) {
    put(e, i ? ", " : "");
    put(e, g[i] < 0 ? "-" : "");
    limb_emit_literal(e, g[i] < 0 ? -g[i] : g[i]);
  }
  limb_text_print(e->text, "%sGravity: (%s) m/s^2, in world axes.\n", begin, e->scratch.at ? e->scratch.at : "");
}

// ---- joints --------------------------------------------------------------------------------------------------------

enum { KIND_CAPACITY = 1 << 12 }; // components of an input whose joints are named in comments

void limb_emit_reset_joints(limb_emitter* e) { memset(e->named, 0, (size_t)INPUT_KINDS * KIND_CAPACITY); }

size_t limb_emit_joints_size(void) { return (size_t)INPUT_KINDS * KIND_CAPACITY; }

// The name of the joint that a symbol belongs to; NULL: none.
static const char* joint_of(const limb_emitter* e, uint32_t symbol)
{
  const limb_input_kind kind = limb_symbol_kind(symbol);
  if (kind >= INPUT_GRAVITY || !e->program->input[kind].label) return NULL;
  return e->program->input[kind].label[limb_symbol_index(symbol)];
}

// Whether a joint has not been named yet in this function; marks it as named.
static bool first_time(limb_emitter* e, uint32_t symbol)
{
  const uint32_t index = limb_symbol_index(symbol);
  const char* name = joint_of(e, symbol);
  if (!name || index >= KIND_CAPACITY) return false;
  unsigned char* named = &e->named[(size_t)limb_symbol_kind(symbol) * KIND_CAPACITY + index];
  if (*named) return false;
  *named = 1;
  for (int k = 0; k < INPUT_GRAVITY; k++) { // perhaps by another symbol of the joint
    const limb_input* in = &e->program->input[k];
    for (int i = 0; i < in->count && i < KIND_CAPACITY; i++) {
      const bool other = e->named[(size_t)k * KIND_CAPACITY + (size_t)i] == 1;
      const bool self = (uint32_t)k == (uint32_t)limb_symbol_kind(symbol) && (uint32_t)i == index;
      if (other && !self && in->label && strcmp(in->label[i], name) == 0) return false;
    }
  }
  return true;
}

typedef struct introduction {
  limb_emitter* e;
  int count;
} introduction;

static void introduce(void* context, uint32_t leaf)
{
  introduction* x = context;
  const limb_graph* g = x->e->program->graph;
  const limb_node* node = limb_graph_node(g, leaf);
  if (limb_is_sine((limb_op)node->op)) node = limb_graph_node(g, limb_edge_node(node->a));
  if (node->op != OP_SYMBOL || !first_time(x->e, node->a)) return;
  limb_text* t = x->e->text;
  if (x->count++ == 0) {
    limb_text_put(t, x->e->syntax->indent);
    limb_text_put(t, x->e->syntax->comment);
  } else {
    limb_text_put(t, ", ");
  }
  limb_text_name(t, joint_of(x->e, node->a));
}

// Writes a comment before the first statement with symbols of a joint.
static void put_joints(limb_emitter* e, const limb_emitted* p, uint32_t node)
{
  introduction x = {e, 0};
  if (limb_is_sine((limb_op)limb_graph_node(e->program->graph, node)->op)) {
    introduce(&x, node);
  } else {
    limb_statement_leaves(&p->schedule, node, introduce, &x);
  }
  if (!x.count) return;
  limb_text_put(e->text, e->syntax->comment_end);
  limb_text_put(e->text, "\n");
}

// ---- stores --------------------------------------------------------------------------------------------------------

static void put_target(limb_emitter* e, const limb_function* f, int o, uint32_t index)
{
  const limb_syntax* s = e->syntax;
  const uint32_t columns = (uint32_t)f->output[o].columns, row = index / columns;
  char name[64];
  limb_emit_output_name(e, f, o, name);
  if (columns == 1 || !s->matrix) {
    limb_emit_index(e, name, index);
    return;
  }
  limb_emit_name(e, name);
  limb_text_print(&e->scratch, s->matrix, row + (uint32_t)s->first, index % columns + (uint32_t)s->first);
}

// A comment with the joint of a row, or with row and column where the index does not show them.
static void put_target_note(limb_emitter* e, const limb_output* out, uint32_t index)
{
  const uint32_t columns = (uint32_t)out->columns, row = index / columns;
  const bool matrix = columns > 1;
  if (matrix ? e->syntax->matrix != NULL : out->label == NULL) return;
  put(e, e->syntax->language == LIMB_LANGUAGE_LATEX ? " " : "\v");
  put(e, e->syntax->comment);
  if (matrix) {
    limb_text_print(&e->scratch, "%u, %u", row, index % columns);
  } else {
    limb_text_name(&e->scratch, out->label[row]);
  }
  put(e, e->syntax->comment_end);
}

// A constant output, in all lanes.
static void put_number(limb_emitter* e, double x)
{
  const int lanes = e->options.lanes;
  if (lanes > 1) limb_text_print(&e->scratch, "(%s){", e->value);
  for (int k = 0; k < lanes; k++) {
    if (k) put(e, ",\v");
    if (x < 0) put(e, "-");
    limb_emit_literal(e, x < 0 ? -x : x);
  }
  if (lanes > 1) put(e, "}");
}

static void put_store(limb_emitter* e, const limb_emitted* p, uint32_t entry, bool whole)
{
  int o;
  uint32_t index;
  double x;
  const limb_edge edge = limb_entry_edge(p->f, entry, &o, &index);
  const bool minus = limb_edge_minus(edge);
  limb_emit_begin(e);
  put_target(e, p->f, o, index);
  put(e, e->syntax->assign);
  limb_emit_wrap(e, true);
  if (limb_edge_number(e->program->graph, edge, &x)) {
    put_number(e, x);
  } else if (whole) {
    put(e, minus ? "-(" : "");
    limb_emit_expression(e, p, limb_edge_node(edge));
    put(e, minus ? ")" : "");
  } else {
    put(e, minus ? "-" : "");
    limb_emit_value(e, p, limb_edge_node(edge));
  }
  limb_emit_wrap(e, false);
  put(e, e->syntax->end);
  put_target_note(e, &p->f->output[o], index);
  limb_emit_flush(e);
}

uint32_t limb_emit_number_count(const limb_emitted* p)
{
  return p->schedule.stores[p->schedule.count + 1] - p->schedule.stores[p->schedule.count];
}

uint32_t limb_emit_number_entry(const limb_emitted* p, uint32_t i)
{
  return p->schedule.store[p->schedule.stores[p->schedule.count] + i];
}

void limb_emit_numbers(limb_emitter* e, const limb_emitted* p, uint32_t begin, uint32_t end)
{
  for (uint32_t i = begin; i < end; i++) put_store(e, p, limb_emit_number_entry(p, i), false);
}

// ---- statements ----------------------------------------------------------------------------------------------------

// A sine read from an array.
void limb_emit_array_sine(limb_emitter* e, const limb_emitted* p, uint32_t node)
{
  const limb_op op = (limb_op)limb_graph_node(e->program->graph, node)->op;
  const uint32_t k = p->schedule.number[node];
  limb_emit_index(e, op == OP_SIN ? "sine" : "cosine", p->given ? p->given[k] : k);
}

static void put_definition(limb_emitter* e, const limb_emitted* p, uint32_t node)
{
  const bool sine = limb_is_sine((limb_op)limb_graph_node(e->program->graph, node)->op);
  limb_emit_begin(e);
  put(e, e->syntax->declare);
  if (e->syntax->typed) limb_text_print(&e->scratch, e->syntax->typed, e->value);
  limb_emit_value(e, p, node);
  put(e, e->syntax->assign);
  limb_emit_wrap(e, true);
  if (sine && limb_emit_sines_in_arrays(e)) {
    limb_emit_array_sine(e, p, node);
  } else {
    limb_emit_expression(e, p, node);
  }
  limb_emit_wrap(e, false);
  put(e, e->syntax->end);
  limb_emit_flush(e);
}

// Saves a value that another part needs.
static void put_saved_value(limb_emitter* e, const limb_emitted* p, uint32_t at)
{
  if (!e->slot || !e->slot[at]) return;
  limb_emit_begin(e);
  limb_text_print(&e->scratch, "w[%u] = ", e->slot[at] - 1);
  limb_emit_value(e, p, p->schedule.node[at]);
  put(e, ";");
  limb_emit_flush(e);
}

bool limb_emit_is_inline(const limb_emitted* p, uint32_t at)
{
  const uint32_t node = p->schedule.node[at];
  return !limb_is_sine((limb_op)limb_graph_node(p->schedule.g, node)->op) && !p->schedule.number[node];
}

// Parts read sines from arrays where they need them.
static void put_statement(limb_emitter* e, const limb_emitted* p, uint32_t at)
{
  const uint32_t node = p->schedule.node[at];
  const bool sine = limb_is_sine((limb_op)limb_graph_node(p->schedule.g, node)->op);
  if (at == p->schedule.prologue) limb_emit_reset_joints(e);
  if (e->slot && sine && limb_emit_sines_in_arrays(e)) return;
  put_joints(e, p, node);
  if (limb_emit_is_inline(p, at)) return;
  put_definition(e, p, node);
  put_saved_value(e, p, at);
}

void limb_emit_lines(limb_emitter* e, const limb_emitted* p, uint32_t begin, uint32_t end)
{
  const limb_schedule* l = &p->schedule;
  for (uint32_t line = begin, at = limb_statement_at(l, begin); line < end; line++) {
    if (at < l->count && line == limb_line_of(l, at + 1)) at++;
    if (line == limb_line_of(l, at)) {
      put_statement(e, p, at);
    } else {
      put_store(e, p, l->store[line - at - 1], limb_emit_is_inline(p, at));
    }
  }
}

void limb_emit_statements(limb_emitter* e, const limb_emitted* p, uint32_t begin, uint32_t end)
{
  limb_emit_lines(e, p, limb_line_of(&p->schedule, begin), limb_line_of(&p->schedule, end));
}
