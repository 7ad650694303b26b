// C: a function of many statements as several, called one after the other.
//
// Values that one part computes and a later one needs are kept in an array w of the caller; an element of w is reused
// once its value is dead. Each part begins by loading what it needs. A part ends where its statements, loads and
// stores included, would become too many.
#include "base/memory.h"
#include "codegen/codegen_impl.h"

#include <string.h>

// ---- lines ---------------------------------------------------------------------------------------------------------

// The first line of part 1. The calling function computes the angles if sines come from arrays.
static uint32_t first_line(const limb_emitter* e, const limb_emitted* p)
{
  return limb_line_of(&p->schedule, limb_emit_sines_in_arrays(e) ? p->schedule.angle_sums : 0);
}

static uint32_t end_line(const limb_emitted* p) { return limb_line_of(&p->schedule, p->schedule.count); }

// Sines in arrays are read by every part that needs them, and are not kept in w.
static bool in_array(const limb_emitter* e, const limb_emitted* p, uint32_t at)
{
  const uint32_t node = p->schedule.node[at];
  return limb_emit_sines_in_arrays(e) && limb_is_sine((limb_op)limb_graph_node(p->schedule.g, node)->op);
}

// Lines that stay together: a statement with the output it is written into, or a store of an output.
typedef struct unit {
  uint32_t at;         // statement
  uint32_t begin, end; // lines
  bool defines;        // the statement is one of them
} unit;

// The edge that a line stores, and the output.
static limb_edge stored_at(const limb_emitted* p, uint32_t at, uint32_t line, int* output)
{
  return limb_entry_edge(p->f, p->schedule.store[line - at - 1], output, NULL);
}

static unit unit_at(const limb_emitted* p, uint32_t line)
{
  const limb_schedule* l = &p->schedule;
  unit u = {.at = limb_statement_at(l, line), .begin = line, .end = line + 1};
  u.defines = line == limb_line_of(l, u.at);
  if (u.defines && limb_emit_is_inline(p, u.at)) u.end++;
  return u;
}

// Calls visit for every value that a unit reads.
static void visit_unit(const limb_emitter* e, const limb_emitted* p, const unit* u, limb_leaf_fn* visit, void* context)
{
  const limb_schedule* l = &p->schedule;
  const uint32_t node = l->node[u->at];
  if (!u->defines) {
    visit(context, limb_edge_node(stored_at(p, u->at, u->begin, NULL)));
  } else if (limb_graph_node(l->g, node)->op != OP_SYMBOL && !in_array(e, p, u->at)) {
    limb_statement_leaves(l, node, visit, context);
  }
}

// ---- splitting -----------------------------------------------------------------------------------------------------

// The state of splitting. A value dies with the last line that reads it.
typedef struct cutting {
  const limb_emitter* e;
  const limb_emitted* p;
  const limb_c_parts* to;
  uint32_t begin; // first line of this part
  uint32_t line;  // current line
  uint32_t lines; // lines of this part: loads, statements, stores
  uint32_t open;  // values of this part that are live after this line
} cutting;

static void note_end(void* context, uint32_t leaf)
{
  const cutting* x = context;
  const uint32_t place = x->p->schedule.position[leaf];
  if (place) x->to->last[place - 1] = x->line;
}

// Finds where values die, and lists for every line those that die there.
static void find_ends(cutting* x)
{
  const limb_c_parts* to = x->to;
  const uint32_t end = end_line(x->p);
  while (x->line < end) {
    const unit u = unit_at(x->p, x->line);
    if (u.defines) to->last[u.at] = u.begin;
    visit_unit(x->e, x->p, &u, note_end, x);
    x->line = u.end;
  }
  for (uint32_t i = 0; i < x->p->schedule.count; i++) {
    to->next[i] = to->ending[to->last[i]];
    to->ending[to->last[i]] = i + 1;
  }
}

static void add_leaf(void* context, uint32_t leaf)
{
  cutting* x = context;
  const uint32_t place = x->p->schedule.position[leaf], begin = x->begin;
  if (!place) return;
  const bool here = limb_line_of(&x->p->schedule, place - 1) >= begin;
  if (x->to->seen[place - 1] == begin + 1 || (here && !in_array(x->e, x->p, place - 1))) return;
  x->to->seen[place - 1] = begin + 1;
  x->lines++;
}

// Adds a unit to this part.
static void add_unit(cutting* x, const unit* u)
{
  const bool array = in_array(x->e, x->p, u->at);
  visit_unit(x->e, x->p, u, add_leaf, x);
  x->lines += !(u->defines && array);
  x->open += u->defines && !array;
  for (uint32_t k = x->to->ending[u->begin]; k; k = x->to->next[k - 1])
    x->open -= limb_line_of(&x->p->schedule, k - 1) >= x->begin && !in_array(x->e, x->p, k - 1);
}

// Splits into parts as large as allowed. A single unit always fits: it has at most LIMB_LEAVES_MAX operands.
static void cut(cutting* x, limb_c_parts* to)
{
  const uint32_t max_statements = (uint32_t)x->e->options.max_statements, end = end_line(x->p);
  uint32_t line = first_line(x->e, x->p);
  to->begin[0] = 0, to->begin[1] = line;
  to->count = line < end ? 1 : 0;
  *x = (cutting){.e = x->e, .p = x->p, .to = to, .begin = line};
  while (line < end) {
    const unit u = unit_at(x->p, line);
    add_unit(x, &u);
    if (x->lines + x->open > max_statements && x->begin < line) {
      to->begin[++to->count] = line;
      *x = (cutting){.e = x->e, .p = x->p, .to = to, .begin = line};
      add_unit(x, &u);
    }
    line = u.end;
  }
  to->begin[to->count + 1] = end;
}

// Assigns elements of w (index + 1) to values that later parts need; those of dead values are reused in the next
// part.
static void place_slots(limb_emitter* e, const limb_emitted* p, limb_c_parts* to)
{
  uint32_t nfree = 0;
  for (uint32_t k = 0; k <= to->count; k++) {
    for (uint32_t line = to->begin[k], end = to->begin[k + 1]; line < end; line++) {
      const unit u = unit_at(p, line);
      if (!u.defines || to->last[u.at] < end || in_array(e, p, u.at)) continue;
      e->slot[u.at] = 1 + (nfree ? to->free[--nfree] : to->places++);
    }
    for (uint32_t line = to->begin[k]; line < to->begin[k + 1]; line++) {
      for (uint32_t i = to->ending[line]; i; i = to->next[i - 1]) {
        if (e->slot[i - 1]) to->free[nfree++] = e->slot[i - 1] - 1;
      }
    }
  }
}

// ---- arguments of a part -------------------------------------------------------------------------------------------

typedef struct needs {
  const limb_emitter* e;
  const limb_emitted* p;
  const limb_c_parts* parts;
  uint32_t begin, end; // lines
  limb_arguments a;
  bool sine, cosine; // which of the arrays of sines are read
  uint32_t count;    // number of values to load, in parts->list
} needs;

static void need_leaf(void* context, uint32_t leaf)
{
  needs* x = context;
  const limb_schedule* l = &x->p->schedule;
  const limb_node* node = limb_graph_node(l->g, leaf);
  if (!l->position[leaf]) {
    if (node->op == OP_SYMBOL) x->a.inputs |= 1U << limb_symbol_kind(node->a);
    return;
  }
  const uint32_t at = l->position[leaf] - 1;
  const bool array = in_array(x->e, x->p, at);
  if (x->parts->seen[at] == x->begin + 1 || (limb_line_of(l, at) >= x->begin && !array)) return;
  x->parts->seen[at] = x->begin + 1;
  x->parts->list[x->count++] = at;
  x->a.reads = x->a.reads || !array;
  x->a.sines = x->a.sines || array;
  x->sine = x->sine || (array && node->op == OP_SIN);
  x->cosine = x->cosine || (array && node->op == OP_COS);
}

static void need_unit(needs* x, const unit* u)
{
  const limb_node* node = limb_graph_node(x->p->schedule.g, x->p->schedule.node[u->at]);
  if (u->defines && node->op == OP_SYMBOL) x->a.inputs |= 1U << limb_symbol_kind(node->a);
  visit_unit(x->e, x->p, u, need_leaf, x);
  x->a.writes = x->a.writes || (u->defines && x->e->slot[u->at]);
  for (uint32_t line = u->begin + u->defines; line < u->end; line++) {
    int o;
    (void)stored_at(x->p, u->at, line, &o);
    x->a.outputs |= 1U << o;
  }
}

static needs needs_of(limb_emitter* e, const limb_emitted* p, const limb_c_parts* parts, uint32_t k)
{
  needs x = {.e = e, .p = p, .parts = parts, .begin = parts->begin[k], .end = parts->begin[k + 1]};
  for (uint32_t line = x.begin; line < x.end;) {
    const unit u = unit_at(p, line);
    need_unit(&x, &u);
    line = u.end;
  }
  return x;
}

// ---- the text of parts ---------------------------------------------------------------------------------------------

static void put_arguments(limb_emitter* e, const needs* x, uint32_t places, bool types)
{
  limb_arguments a = x->a;
  a.places = places, a.types = types;
  limb_emit_arguments(e, x->p, &a);
}

// Loads values that other parts have computed.
static void put_loads(limb_emitter* e, const needs* x)
{
  for (uint32_t k = 0; k < x->count; k++) {
    const uint32_t at = x->parts->list[k], node = x->p->schedule.node[at];
    limb_emit_begin(e);
    limb_text_print(&e->scratch, "const %s ", e->value);
    limb_emit_value(e, x->p, node);
    if (in_array(e, x->p, at)) {
      limb_text_put(&e->scratch, " = ");
      limb_emit_array_sine(e, x->p, node);
      limb_text_put(&e->scratch, ";");
    } else {
      limb_text_print(&e->scratch, " = w[%u];", e->slot[at] - 1);
    }
    limb_emit_flush(e);
  }
}

// A part that reads one of the arrays of sines gets both as arguments.
static void put_part(limb_emitter* e, const needs* x, uint32_t part, uint32_t places)
{
  limb_text_clear(&e->scratch);
  limb_text_print(&e->scratch, "%s_PART void %s_%u(", e->prefix, x->p->name, part);
  put_arguments(e, x, places, true);
  limb_text_put(&e->scratch, ")");
  limb_emit_flush(e);
  limb_text_put(e->text, "{\n");
  if (x->a.sines && !x->sine) limb_text_put(e->text, "  (void)sine;\n");
  if (x->a.sines && !x->cosine) limb_text_put(e->text, "  (void)cosine;\n");
  put_loads(e, x);
  limb_emit_lines(e, x->p, x->begin, x->end);
  limb_text_put(e->text, "}\n\n");
}

// ---- all parts -----------------------------------------------------------------------------------------------------

bool limb_c_parts_begin(limb_emitter* e, const limb_emitted* p, limb_c_parts* out)
{
  const size_t n = (size_t)p->schedule.count + 1, lines = (size_t)end_line(p) + 2;
  *out = (limb_c_parts){.size = 6 * n + 2 * lines};
  uint32_t* at = limb_alloc(&p->schedule.alloc, out->size * sizeof *at);
  if (!at) return false;
  memset(at, 0, out->size * sizeof *at);
  e->slot = out->memory = at;
  out->last = at + n, out->next = at + 2 * n, out->seen = at + 3 * n, out->list = at + 4 * n;
  out->free = at + 5 * n, out->ending = at + 6 * n, out->begin = out->ending + lines;
  cutting x = {.e = e, .p = p, .to = out};
  find_ends(&x);
  cut(&x, out);
  place_slots(e, p, out);
  return true;
}

void limb_c_parts_end(limb_emitter* e, const limb_emitted* p, limb_c_parts* parts)
{
  limb_free(&p->schedule.alloc, parts->memory, parts->size * sizeof *parts->memory);
  e->slot = NULL;
}

void limb_c_parts_define(limb_emitter* e, const limb_emitted* p, const limb_c_parts* parts)
{
  memset(parts->seen, 0, p->schedule.count * sizeof *parts->seen);
  for (uint32_t k = 1; k <= parts->count; k++) {
    const needs x = needs_of(e, p, parts, k);
    put_part(e, &x, k, parts->places);
  }
}

void limb_c_parts_call(limb_emitter* e, const limb_emitted* p, const limb_c_parts* parts)
{
  memset(parts->seen, 0, p->schedule.count * sizeof *parts->seen);
  for (uint32_t k = 1; k <= parts->count; k++) {
    const needs x = needs_of(e, p, parts, k);
    limb_emit_begin(e);
    limb_text_print(&e->scratch, "%s_%u(", p->name, k);
    put_arguments(e, &x, parts->places, false);
    limb_text_put(&e->scratch, ");");
    limb_emit_flush(e);
  }
}

// ---- stores of constants -------------------------------------------------------------------------------------------

static uint32_t number_parts(const limb_emitter* e, const limb_emitted* p)
{
  const uint32_t n = limb_emit_number_count(p), max_statements = (uint32_t)e->options.max_statements;
  return max_statements > 0 && n > max_statements ? (n + max_statements - 1) / max_statements : 0;
}

// The constants of a part, and the outputs they belong to.
static needs numbers_of(const limb_emitter* e, const limb_emitted* p, uint32_t part)
{
  const uint32_t n = limb_emit_number_count(p), max_statements = (uint32_t)e->options.max_statements;
  needs x = {.e = e,
             .p = p,
             .begin = part * max_statements,
             .end = (part + 1) * max_statements < n ? (part + 1) * max_statements : n};
  for (uint32_t i = x.begin; i < x.end; i++) {
    int o;
    (void)limb_entry_edge(p->f, limb_emit_number_entry(p, i), &o, NULL);
    x.a.outputs |= 1U << o;
  }
  return x;
}

void limb_c_numbers_define(limb_emitter* e, const limb_emitted* p)
{
  for (uint32_t k = 0; k < number_parts(e, p); k++) {
    const needs x = numbers_of(e, p, k);
    limb_text_clear(&e->scratch);
    limb_text_print(&e->scratch, "%s_PART void %s_n%u(", e->prefix, p->name, k + 1);
    put_arguments(e, &x, 0, true);
    limb_text_put(&e->scratch, ")");
    limb_emit_flush(e);
    limb_text_put(e->text, "{\n");
    limb_emit_numbers(e, p, x.begin, x.end);
    limb_text_put(e->text, "}\n\n");
  }
}

void limb_c_numbers_call(limb_emitter* e, const limb_emitted* p)
{
  const uint32_t parts = number_parts(e, p);
  if (parts == 0) limb_emit_numbers(e, p, 0, limb_emit_number_count(p));
  for (uint32_t k = 0; k < parts; k++) {
    const needs x = numbers_of(e, p, k);
    limb_emit_begin(e);
    limb_text_print(&e->scratch, "%s_n%u(", p->name, k + 1);
    put_arguments(e, &x, 0, false);
    limb_text_put(&e->scratch, ");");
    limb_emit_flush(e);
  }
}

// ---- the macro for parts -------------------------------------------------------------------------------------------

// Whether statements, stores of constants and own sines are more than allowed.
bool limb_c_is_split(const limb_emitter* e, const limb_emitted* p)
{
  const uint32_t max_statements = (uint32_t)e->options.max_statements, end = end_line(p);
  const uint32_t numbers = number_parts(e, p) ? 0 : limb_emit_number_count(p);
  const bool own = e->options.sines == LIMB_SINES_OWN && p->schedule.nangle;
  uint32_t line = first_line(e, p), units = line + numbers + (own ? 3 + p->schedule.nangle : 0);
  if (line == end) return false; // nothing to split
  while (max_statements > 0 && line < end && units <= max_statements) line = unit_at(p, line).end, units++;
  return max_statements > 0 && units > max_statements;
}

// Compilers inline functions that are called once, and take minutes for the result.
void limb_c_part_macro(limb_emitter* e)
{
  bool any = false;
  for (int i = 0; i < e->nfunction; i++)
    any = any || limb_c_is_split(e, &e->function[i]) || number_parts(e, &e->function[i]) > 0;
  if (!any) return;
  limb_text_print(e->text,
                  "/* Part of a function; must not be inlined again. */\n"
                  "#if defined(__GNUC__)\n#define %s_PART __attribute__((noinline)) static\n"
                  "#else\n#define %s_PART static\n#endif\n\n",
                  e->prefix, e->prefix);
}
