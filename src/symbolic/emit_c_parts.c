// C: a function of many statements as several, called one after the other (emit.h).
//
// What one part computes and a later one needs is kept in an array w of the caller; a place in w is used
// again once its value is no longer needed. Each part begins by reading what it needs from there.
#include "symbolic/emit_c.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

// ---- parts ----------------------------------------------------------------------------------------------

// Which part a statement is in: 0 is the function itself, which has the angles if sines come from arrays; the
// sines are read from there by the parts that need them.
static uint32_t part_of(const limb_emitter* e, const limb_piece* p, uint32_t at)
{
  const uint32_t before = limb_emit_arrays(e) ? p->list.early : 0;
  return at < before ? 0 : 1 + (at - before) / (uint32_t)e->options.most;
}

static uint32_t begin_of(const limb_emitter* e, const limb_piece* p, uint32_t part)
{
  const uint32_t before = limb_emit_arrays(e) ? p->list.early : 0;
  const uint32_t at = part == 0 ? 0 : before + (part - 1) * (uint32_t)e->options.most;
  return at < p->list.count ? at : p->list.count;
}

// Sines that are read from arrays need no place in w.
static bool in_array(const limb_emitter* e, const limb_piece* p, uint32_t at)
{
  const uint32_t node = p->list.node[at];
  return limb_emit_arrays(e) && limb_is_sine((limb_op)limb_graph_node(p->list.g, node)->op);
}

// Places in w, + 1, of the statements that later parts need; how many places there are. free_list holds the
// places that are free; ends: for each part, a list of the statements that end there, linked through
// ends[parts + 1 + statement].
static uint32_t place_slots(limb_emitter* e, const limb_piece* p, uint32_t* free_list,
                            uint32_t* ends)
{
  const limb_listing* l = &p->list;
  const uint32_t parts = l->count ? part_of(e, p, l->count - 1) : 0;
  uint32_t places = 0, nfree = 0;
  for (uint32_t k = 0; k <= parts; k++) ends[k] = UINT32_MAX;
  uint32_t now = 0;
  for (uint32_t i = 0; i < l->count; i++) {
    e->slot[i] = 0;
    for (; now < part_of(e, p, i); now++) { // all that ended in the part before is free
      for (uint32_t k = ends[now]; k != UINT32_MAX; k = ends[parts + 1 + k]) {
        free_list[nfree++] = e->slot[k] - 1;
      }
    }
    const uint32_t last = part_of(e, p, l->last[i]);
    if (last == now || in_array(e, p, i)) continue;
    e->slot[i] = 1 + (nfree ? free_list[--nfree] : places++);
    ends[parts + 1 + i] = ends[last];
    ends[last] = i;
  }
  return places;
}

// ---- what a part needs --------------------------------------------------------------------------------

typedef struct needs {
  const limb_emitter* e;
  const limb_piece* p;
  uint32_t begin, end;
  unsigned inputs;          // 1 << kind
  unsigned outputs;         // 1 << output
  bool sines, sine, cosine; // reads arrays of sines; which
  bool loads, writes;       // reads from w, writes to it
  uint32_t* met;            // statement of others that is needed: 1 + part that met it last
  uint32_t* list;           // of those
  uint32_t count;
} needs;

static void need_sine(needs* x, uint32_t node)
{
  x->sines = true;
  if (limb_graph_node(x->p->list.g, node)->op == OP_SIN) {
    x->sine = true;
  } else {
    x->cosine = true;
  }
}

static void need_leaf(void* context, uint32_t leaf)
{
  needs* x = context;
  const limb_listing* l = &x->p->list;
  const limb_node* node = limb_graph_node(l->g, leaf);
  if (l->place[leaf]) {
    const uint32_t at = l->place[leaf] - 1;
    if ((at >= x->begin && at < x->end) || x->met[at] == x->begin + 1) return;
    x->met[at] = x->begin + 1;
    x->list[x->count++] = at;
    if (in_array(x->e, x->p, at)) {
      need_sine(x, leaf);
    } else {
      x->loads = true;
    }
  } else if (node->op == OP_SYMBOL) {
    x->inputs |= 1U << limb_symbol_kind(node->a);
  }
}

// An answer that is stored in this part, and computed in another.
static void need_stores(needs* x, uint32_t at)
{
  const limb_listing* l = &x->p->list;
  for (uint32_t k = l->stores[at]; k < l->stores[at + 1]; k++) {
    int o;
    const limb_edge edge = limb_entry_edge(x->p->f, l->store[k], &o, NULL);
    x->outputs |= 1U << o;
    if (l->place[limb_edge_node(edge)]) need_leaf(x, limb_edge_node(edge));
  }
}

static void need_all(needs* x)
{
  const limb_listing* l = &x->p->list;
  for (uint32_t i = x->begin; i < x->end; i++) {
    const uint32_t node = l->node[i];
    if (in_array(x->e, x->p, i)) {
      need_sine(x, node);
    } else if (limb_graph_node(l->g, node)->op == OP_SYMBOL) {
      x->inputs |= 1U << limb_symbol_kind(limb_graph_node(l->g, node)->a);
    } else {
      limb_statement_leaves(l, node, need_leaf, x);
    }
    x->writes = x->writes || x->e->slot[i];
    need_stores(x, i);
  }
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
    const uint32_t at = x->list[k], node = x->p->list.node[at];
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
  limb_emit_statements(e, x->p, x->begin, x->end);
  limb_text_put(e->text, "}\n\n");
}

// ---- all parts --------------------------------------------------------------------------------------------

bool limb_c_parts_begin(limb_emitter* e, const limb_piece* p, limb_c_parts* out)
{
  const size_t n = (size_t)p->list.count + 1;
  *out = (limb_c_parts){.count = p->list.count ? part_of(e, p, p->list.count - 1) : 0};
  out->room = 4 * n + out->count + 1;
  out->memory = limb_alloc(&p->list.alloc, out->room * sizeof *out->memory);
  if (!out->memory) return false;
  memset(out->memory, 0, out->room * sizeof *out->memory);
  e->slot = out->memory;
  out->places = place_slots(e, p, out->memory + n, out->memory + 3 * n);
  return true;
}

void limb_c_parts_end(limb_emitter* e, const limb_piece* p, limb_c_parts* parts)
{
  limb_free(&p->list.alloc, parts->memory, parts->room * sizeof *parts->memory);
  e->slot = NULL;
}

static needs needs_of(limb_emitter* e, const limb_piece* p, const limb_c_parts* parts,
                      uint32_t part)
{
  const size_t n = (size_t)p->list.count + 1;
  needs x = {.e = e, .p = p, .begin = begin_of(e, p, part), .end = begin_of(e, p, part + 1)};
  x.met = parts->memory + n, x.list = parts->memory + 2 * n;
  need_all(&x);
  return x;
}

void limb_c_parts_define(limb_emitter* e, const limb_piece* p, const limb_c_parts* parts)
{
  memset(parts->memory + p->list.count + 1, 0, (p->list.count + 1) * sizeof *parts->memory);
  for (uint32_t k = 1; k <= parts->count; k++) {
    const needs x = needs_of(e, p, parts, k);
    put_part(e, &x, k, parts->places);
  }
}

void limb_c_parts_call(limb_emitter* e, const limb_piece* p, const limb_c_parts* parts)
{
  memset(parts->memory + p->list.count + 1, 0, (p->list.count + 1) * sizeof *parts->memory);
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
  needs x = {
    .e = e, .p = p, .begin = part * most, .end = (part + 1) * most < n ? (part + 1) * most : n};
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

bool limb_c_is_split(const limb_emitter* e, const limb_piece* p)
{
  const uint32_t sines = limb_emit_arrays(e) ? p->list.early : 0;
  return e->options.most > 0 && p->list.count > (uint32_t)e->options.most + sines;
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
