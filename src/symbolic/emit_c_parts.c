// C: a function of many statements as several, called one after the other (emit.h).
//
// What one part computes and a later one needs is kept in an array w of the caller; a place in w is used
// again once its value is no longer needed. Each part begins by reading what it needs from there. Parts are
// cut where the statements they consist of, such reading and keeping included, would become too many.
#include "symbolic/emit_c.h"

#include "base/memory.h"

#include <string.h>

// ---- lines ----------------------------------------------------------------------------------------------

// Where the parts begin: the function itself computes the angles if sines come from arrays.
static uint32_t first_line(const limb_emitter* e, const limb_piece* p)
{
  return limb_line_of(&p->list, limb_emit_arrays(e) ? p->list.sums : 0);
}

static uint32_t end_line(const limb_piece* p) { return limb_line_of(&p->list, p->list.count); }

// Sines that are read from arrays, by every part that needs them, have no place in w.
static bool in_array(const limb_emitter* e, const limb_piece* p, uint32_t at)
{
  const uint32_t node = p->list.node[at];
  return limb_emit_arrays(e) && limb_is_sine((limb_op)limb_graph_node(p->list.g, node)->op);
}

// Lines that go together: a statement, with the answer it is written into; or the store of an answer.
typedef struct unit {
  uint32_t at;         // statement
  uint32_t begin, end; // lines
  bool defines;        // the statement is among them
} unit;

// The edge that a line stores, and into which output.
static limb_edge stored_at(const limb_piece* p, uint32_t at, uint32_t line, int* output)
{
  return limb_entry_edge(p->f, p->list.store[line - at - 1], output, NULL);
}

static unit unit_at(const limb_piece* p, uint32_t line)
{
  const limb_listing* l = &p->list;
  unit u = {.at = limb_statement_at(l, line), .begin = line, .end = line + 1};
  u.defines = line == limb_line_of(l, u.at);
  if (u.defines && limb_emit_is_whole(p, u.at)) u.end++;
  return u;
}

// Calls visit for all that a unit reads.
static void visit_unit(const limb_emitter* e, const limb_piece* p, const unit* u, limb_leaf_fn* visit, void* context)
{
  const limb_listing* l = &p->list;
  const uint32_t node = l->node[u->at];
  if (!u->defines) {
    visit(context, limb_edge_node(stored_at(p, u->at, u->begin, NULL)));
  } else if (limb_graph_node(l->g, node)->op != OP_SYMBOL && !in_array(e, p, u->at)) {
    limb_statement_leaves(l, node, visit, context);
  }
}

// ---- cutting --------------------------------------------------------------------------------------------

// While the parts are cut. A value ends with the last line that reads it.
typedef struct cutting {
  const limb_emitter* e;
  const limb_piece* p;
  const limb_c_parts* to;
  uint32_t begin; // first line of this part
  uint32_t line;  // that is looked at
  uint32_t lines; // of this part: read from elsewhere, computed, stored
  uint32_t open;  // values of this part that end behind this line
} cutting;

static void note_end(void* context, uint32_t leaf)
{
  const cutting* x = context;
  const uint32_t place = x->p->list.place[leaf];
  if (place) x->to->last[place - 1] = x->line;
}

// Where values end, and for every line a list of those that end there: 1 + statement.
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
  for (uint32_t i = 0; i < x->p->list.count; i++) {
    to->next[i] = to->ending[to->last[i]];
    to->ending[to->last[i]] = i + 1;
  }
}

static void add_leaf(void* context, uint32_t leaf)
{
  cutting* x = context;
  const uint32_t place = x->p->list.place[leaf], begin = x->begin;
  if (!place) return;
  const bool here = limb_line_of(&x->p->list, place - 1) >= begin;
  if (x->to->met[place - 1] == begin + 1 || (here && !in_array(x->e, x->p, place - 1))) return;
  x->to->met[place - 1] = begin + 1;
  x->lines++;
}

// A unit more in this part.
static void add_unit(cutting* x, const unit* u)
{
  const bool array = in_array(x->e, x->p, u->at);
  visit_unit(x->e, x->p, u, add_leaf, x);
  x->lines += !(u->defines && array);
  x->open += u->defines && !array;
  for (uint32_t k = x->to->ending[u->begin]; k; k = x->to->next[k - 1]) {
    x->open -= limb_line_of(&x->p->list, k - 1) >= x->begin && !in_array(x->e, x->p, k - 1);
  }
}

// Begins of parts 1, 2 ...: as late as their size allows. A unit alone fits: it has LIMB_LEAVES operands.
static void cut(cutting* x, limb_c_parts* to)
{
  const uint32_t most = (uint32_t)x->e->options.most, end = end_line(x->p);
  uint32_t line = first_line(x->e, x->p);
  to->begin[0] = 0, to->begin[1] = line;
  to->count = line < end ? 1 : 0;
  *x = (cutting){.e = x->e, .p = x->p, .to = to, .begin = line};
  while (line < end) {
    const unit u = unit_at(x->p, line);
    add_unit(x, &u);
    if (x->lines + x->open > most && x->begin < line) {
      to->begin[++to->count] = line;
      *x = (cutting){.e = x->e, .p = x->p, .to = to, .begin = line};
      add_unit(x, &u);
    }
    line = u.end;
  }
  to->begin[to->count + 1] = end;
}

// Places in w, + 1, of the values that later parts need; what ended in a part is free after it.
static void place_slots(limb_emitter* e, const limb_piece* p, limb_c_parts* to)
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

// ---- what a part needs --------------------------------------------------------------------------------

typedef struct needs {
  const limb_emitter* e;
  const limb_piece* p;
  const limb_c_parts* parts;
  uint32_t begin, end;      // lines
  unsigned inputs;          // 1 << kind
  unsigned outputs;         // 1 << output
  bool sines, sine, cosine; // reads arrays of sines; which
  bool loads, writes;       // reads from w, writes to it
  uint32_t count;           // of values that are read from elsewhere, parts->list
} needs;

static void need_leaf(void* context, uint32_t leaf)
{
  needs* x = context;
  const limb_listing* l = &x->p->list;
  const limb_node* node = limb_graph_node(l->g, leaf);
  if (!l->place[leaf]) {
    if (node->op == OP_SYMBOL) x->inputs |= 1U << limb_symbol_kind(node->a);
    return;
  }
  const uint32_t at = l->place[leaf] - 1;
  const bool array = in_array(x->e, x->p, at);
  if (x->parts->met[at] == x->begin + 1 || (limb_line_of(l, at) >= x->begin && !array)) return;
  x->parts->met[at] = x->begin + 1;
  x->parts->list[x->count++] = at;
  x->loads = x->loads || !array;
  x->sines = x->sines || array;
  x->sine = x->sine || (array && node->op == OP_SIN);
  x->cosine = x->cosine || (array && node->op == OP_COS);
}

static void need_unit(needs* x, const unit* u)
{
  const limb_node* node = limb_graph_node(x->p->list.g, x->p->list.node[u->at]);
  if (u->defines && node->op == OP_SYMBOL) x->inputs |= 1U << limb_symbol_kind(node->a);
  visit_unit(x->e, x->p, u, need_leaf, x);
  x->writes = x->writes || (u->defines && x->e->slot[u->at]);
  for (uint32_t line = u->begin + u->defines; line < u->end; line++) {
    int o;
    (void)stored_at(x->p, u->at, line, &o);
    x->outputs |= 1U << o;
  }
}

static needs needs_of(limb_emitter* e, const limb_piece* p, const limb_c_parts* parts, uint32_t k)
{
  needs x = {.e = e, .p = p, .parts = parts, .begin = parts->begin[k], .end = parts->begin[k + 1]};
  for (uint32_t line = x.begin; line < x.end;) {
    const unit u = unit_at(p, line);
    need_unit(&x, &u);
    line = u.end;
  }
  return x;
}

// ---- the text of parts ------------------------------------------------------------------------------------

typedef struct arguments {
  limb_emitter* e;
  bool types; // of a definition; a call has names only
  bool any;
} arguments;

static void put_argument(arguments* a, bool is_const, const char* name, uint32_t count)
{
  limb_text* t = &a->e->scratch;
  if (a->any) limb_text_put(t, ",\v");
  a->any = true;
  if (a->types) limb_text_print(t, "%s%s ", is_const ? "const " : "", a->e->value);
  limb_text_put(t, name);
  if (a->types) limb_text_print(t, "[%u]", count);
}

static void put_arguments(limb_emitter* e, const needs* x, uint32_t places, bool types)
{
  arguments a = {e, types, false};
  for (int k = 0; k < INPUT_KINDS; k++) {
    const limb_input* in = &e->program->input[k];
    if (x->inputs >> k & 1U) put_argument(&a, true, in->name, (uint32_t)in->count);
  }
  if (x->sines) put_argument(&a, true, "sine", limb_c_sines(e, x->p));
  if (x->sines) put_argument(&a, true, "cosine", limb_c_sines(e, x->p));
  if (x->loads || x->writes) put_argument(&a, !x->writes, "w", places);
  for (int o = 0; o < x->p->f->noutput; o++) {
    char name[64];
    limb_emit_output_name(e, x->p->f, o, name);
    const limb_output* out = &x->p->f->output[o];
    const uint32_t count = (uint32_t)out->rows * (uint32_t)out->columns;
    if (x->outputs >> o & 1U) put_argument(&a, false, name, count);
  }
}

// What other parts have computed.
static void put_loads(limb_emitter* e, const needs* x)
{
  for (uint32_t k = 0; k < x->count; k++) {
    const uint32_t at = x->parts->list[k], node = x->p->list.node[at];
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

// Both functions are needed in the list of arguments; not every part reads both.
static void put_part(limb_emitter* e, const needs* x, uint32_t part, uint32_t places)
{
  limb_text_clear(&e->scratch);
  limb_text_print(&e->scratch, "%s_PART void %s_%u(", e->prefix, x->p->name, part);
  put_arguments(e, x, places, true);
  limb_text_put(&e->scratch, ")");
  limb_emit_flush(e);
  limb_text_put(e->text, "{\n");
  if (x->sines && !x->sine) limb_text_put(e->text, "  (void)sine;\n");
  if (x->sines && !x->cosine) limb_text_put(e->text, "  (void)cosine;\n");
  put_loads(e, x);
  limb_emit_lines(e, x->p, x->begin, x->end);
  limb_text_put(e->text, "}\n\n");
}

// ---- all parts --------------------------------------------------------------------------------------------

bool limb_c_parts_begin(limb_emitter* e, const limb_piece* p, limb_c_parts* out)
{
  const size_t n = (size_t)p->list.count + 1, lines = (size_t)end_line(p) + 2;
  *out = (limb_c_parts){.room = 6 * n + 2 * lines};
  uint32_t* at = limb_alloc(&p->list.alloc, out->room * sizeof *at);
  if (!at) return false;
  memset(at, 0, out->room * sizeof *at);
  e->slot = out->memory = at;
  out->last = at + n, out->next = at + 2 * n, out->met = at + 3 * n, out->list = at + 4 * n;
  out->free = at + 5 * n, out->ending = at + 6 * n, out->begin = out->ending + lines;
  cutting x = {.e = e, .p = p, .to = out};
  find_ends(&x);
  cut(&x, out);
  place_slots(e, p, out);
  return true;
}

void limb_c_parts_end(limb_emitter* e, const limb_piece* p, limb_c_parts* parts)
{
  limb_free(&p->list.alloc, parts->memory, parts->room * sizeof *parts->memory);
  e->slot = NULL;
}

void limb_c_parts_define(limb_emitter* e, const limb_piece* p, const limb_c_parts* parts)
{
  memset(parts->met, 0, p->list.count * sizeof *parts->met);
  for (uint32_t k = 1; k <= parts->count; k++) {
    const needs x = needs_of(e, p, parts, k);
    put_part(e, &x, k, parts->places);
  }
}

void limb_c_parts_call(limb_emitter* e, const limb_piece* p, const limb_c_parts* parts)
{
  memset(parts->met, 0, p->list.count * sizeof *parts->met);
  for (uint32_t k = 1; k <= parts->count; k++) {
    const needs x = needs_of(e, p, parts, k);
    limb_emit_begin(e);
    limb_text_print(&e->scratch, "%s_%u(", p->name, k);
    put_arguments(e, &x, parts->places, false);
    limb_text_put(&e->scratch, ");");
    limb_emit_flush(e);
  }
}

// ---- stores of numbers ------------------------------------------------------------------------------------

static uint32_t number_parts(const limb_emitter* e, const limb_piece* p)
{
  const uint32_t n = limb_emit_number_count(p), most = (uint32_t)e->options.most;
  return most > 0 && n > most ? (n + most - 1) / most : 0;
}

// The numbers of a part, and the outputs they belong to.
static needs numbers_of(const limb_emitter* e, const limb_piece* p, uint32_t part)
{
  const uint32_t n = limb_emit_number_count(p), most = (uint32_t)e->options.most;
  needs x = {.e = e, .p = p, .begin = part * most, .end = (part + 1) * most < n ? (part + 1) * most : n};
  for (uint32_t i = x.begin; i < x.end; i++) {
    int o;
    (void)limb_entry_edge(p->f, limb_emit_number_entry(p, i), &o, NULL);
    x.outputs |= 1U << o;
  }
  return x;
}

void limb_c_numbers_define(limb_emitter* e, const limb_piece* p)
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

void limb_c_numbers_call(limb_emitter* e, const limb_piece* p)
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

// ---- the word for parts -----------------------------------------------------------------------------------

// Whether the statements, stores of numbers and what own sines take would be too many.
bool limb_c_is_split(const limb_emitter* e, const limb_piece* p)
{
  const uint32_t most = (uint32_t)e->options.most, end = end_line(p);
  const uint32_t numbers = number_parts(e, p) ? 0 : limb_emit_number_count(p);
  const bool own = e->options.sines == LIMB_SINES_OWN && p->list.nangle;
  uint32_t line = first_line(e, p), units = line + numbers + (own ? 3 + p->list.nangle : 0);
  if (line == end) return false; // nothing to cut
  while (most > 0 && line < end && units <= most) line = unit_at(p, line).end, units++;
  return most > 0 && units > most;
}

// Compilers put functions that are called once into their callers, and take minutes for what comes of it.
void limb_c_part_word(limb_emitter* e)
{
  bool any = false;
  for (int i = 0; i < e->npiece; i++) {
    any = any || limb_c_is_split(e, &e->piece[i]) || number_parts(e, &e->piece[i]) > 0;
  }
  if (!any) return;
  limb_text_print(e->text,
                  "/* Part of a function; not to be put together again. */\n"
                  "#if defined(__GNUC__)\n#define %s_PART __attribute__((noinline)) static\n"
                  "#else\n#define %s_PART static\n#endif\n\n",
                  e->prefix, e->prefix);
}
