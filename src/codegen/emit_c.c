// C: source files, functions of straight-line code (emit.h).
#include "codegen/emit_c.h"

const limb_syntax limb_syntax_c = {
  .language = LIMB_LANGUAGE_C,
  .note = "/* ",
  .note_end = " */",
  .indent = "  ",
  .let = "const ",
  .typed = "%s ",
  .is = " = ",
  .end = ";",
  .go_on = "",
  .margin = "  ",
  .open = "[",
  .close = "]",
  .times = " *\v",
  .over = " /\v",
  .call = {"sin", "cos", "sqrt", NULL, "tanh"},
};

static void text(limb_emitter* e, const char* piece) { limb_text_put(e->text, piece); }

// ---- beginning of a function ----------------------------------------------------------------------------

// Arguments that this robot has no use for.
static void put_unused(limb_emitter* e, const limb_piece* p)
{
  const limb_listing* l = &p->list;
  bool used[INPUT_KINDS] = {false};
  for (uint32_t n = 0; n < l->nodes; n++) {
    const limb_node* x = limb_graph_node(l->g, n);
    if (l->uses[n] && x->op == OP_SYMBOL) used[limb_symbol_kind(x->a)] = true;
  }
  for (int k = 0; k < INPUT_KINDS; k++) {
    if (used[k] || !limb_emit_takes(e, p->f, (limb_input_kind)k)) continue;
    limb_text_print(e->text, "  (void)%s;\n", e->program->input[k].name);
  }
  if (!limb_c_given(e, p)) return;
  if (!limb_emit_uses(p, OP_SIN)) text(e, "  (void)sine;\n");
  if (!limb_emit_uses(p, OP_COS)) text(e, "  (void)cosine;\n");
}

// Whether the angles are coordinates one after the other, whole groups of them; the first.
static bool are_coordinates(const limb_emitter* e, const limb_piece* p, uint32_t* first)
{
  const limb_listing* l = &p->list;
  if (e->options.lanes > 1 || l->nangle < LIMB_SINES_PAD) return false;
  for (uint32_t i = 0; i < l->nangle; i++) {
    const limb_node* x = limb_graph_node(l->g, l->angle[i].node);
    if (x->op != OP_SYMBOL || limb_symbol_kind(x->a) != INPUT_Q) return false;
    if (i == 0) *first = limb_symbol_index(x->a);
    if (limb_symbol_index(x->a) != *first + i) return false;
  }
  return true;
}

// Sines of coordinates where they are: copied one by one, a group would wait for the copies. The last group
// begins so early that it is whole.
static void put_sines_of_coordinates(limb_emitter* e, const limb_piece* p, uint32_t first)
{
  const uint32_t n = p->list.nangle;
  for (uint32_t i = 0; i < n; i += LIMB_SINES_PAD) {
    const uint32_t at = i + LIMB_SINES_PAD <= n ? i : n - LIMB_SINES_PAD;
    limb_text_print(e->text, "  %s_sines(%d, &%s[%u], &sine[%u], &cosine[%u]);\n", e->prefix, LIMB_SINES_PAD,
                    e->program->input[INPUT_Q].name, first + at, at, at);
  }
}

// Arrays of angles, and of their sines by the text's own function.
static void put_own_sines(limb_emitter* e, const limb_piece* p)
{
  const uint32_t n = limb_c_sines(e, p);
  uint32_t first;
  if (are_coordinates(e, p, &first)) {
    limb_text_print(e->text, "  %s sine[%u];\n  %s cosine[%u];\n", e->value, n, e->value, n);
    put_sines_of_coordinates(e, p, first);
    return;
  }
  limb_emit_begin(e);
  limb_text_print(&e->scratch, "const %s angle[%u] = {", e->value, n);
  for (uint32_t i = 0; i < n; i++) {
    if (i) limb_text_put(&e->scratch, ",\v");
    if (i < p->list.nangle) {
      limb_emit_leaf(e, p, p->list.angle[i].node);
    } else {
      limb_emit_literal(e, 0);
    }
  }
  limb_text_put(&e->scratch, "};");
  limb_emit_flush(e);
  limb_text_print(e->text, "  %s sine[%u];\n  %s cosine[%u];\n", e->value, n, e->value, n);
  limb_text_print(e->text, "  %s_sines(%u, angle, sine, cosine);\n", e->prefix, n);
}

// ---- functions ------------------------------------------------------------------------------------------

static void put_whole(limb_emitter* e, const limb_piece* p)
{
  const bool own = e->options.sines == LIMB_SINES_OWN && p->list.nangle;
  const uint32_t sums = own ? p->list.sums : 0;
  limb_emit_statements(e, p, 0, sums);
  if (own) put_own_sines(e, p);
  limb_emit_statements(e, p, sums, p->list.count);
}

static void put_function(limb_emitter* e, limb_piece* p)
{
  const bool split = limb_c_is_split(e, p);
  const bool own = e->options.sines == LIMB_SINES_OWN && p->list.nangle;
  limb_c_parts parts = {0};
  limb_emit_forget(e);
  if (own) p->kept = 3 * (long)limb_c_sines(e, p) * limb_emit_bytes(e);
  if (split) {
    if (!limb_c_parts_begin(e, p, &parts)) {
      e->text->failed = true;
      return;
    }
    p->kept += (long)parts.places * limb_emit_bytes(e);
    limb_c_parts_define(e, p, &parts);
    limb_emit_forget(e);
  }
  p->stack += p->kept;
  limb_c_numbers_define(e, p);
  limb_c_prototype(e, p, "");
  text(e, "{\n");
  put_unused(e, p);
  if (split) {
    if (parts.places) limb_text_print(e->text, "  %s w[%u];\n", e->value, parts.places);
    if (limb_emit_arrays(e)) limb_emit_statements(e, p, 0, p->list.sums);
    if (own) put_own_sines(e, p);
    limb_c_parts_call(e, p, &parts);
    limb_c_parts_end(e, p, &parts);
  } else {
    put_whole(e, p);
  }
  limb_c_numbers_call(e, p);
  text(e, "}\n");
}

// ---- the file -------------------------------------------------------------------------------------------

static void put_sign(limb_emitter* e)
{
  const char* zero = e->options.single ? "0.0f" : "0.0";
  limb_text_print(e->text, "/* -1, 0 or 1 */\nstatic inline %s %s_sign(const %s x)\n{\n", e->real, e->prefix, e->real);
  limb_text_print(e->text, "  return (%s)((x > %s) - (x < %s));\n}\n\n", e->real, zero, zero);
}

void limb_emit_c_source(limb_emitter* e)
{
  const bool libm = e->options.sines == LIMB_SINES_LIBM;
  const bool sines = limb_emit_any(e, OP_SIN) || limb_emit_any(e, OP_COS);
  const bool others = limb_emit_any(e, OP_SQRT) || limb_emit_any(e, OP_TANH);
  limb_c_opening(e, "functions for this robot.");
  if ((libm && sines) || others) text(e, "#include <math.h>\n");
  text(e, "\n");
  limb_c_type(e);
  for (int i = 0; i < e->npiece; i++) limb_c_prototype(e, &e->piece[i], ";");
  text(e, "\n");
  limb_c_part_word(e);
  if (limb_emit_any(e, OP_SIGN)) put_sign(e);
  if (e->options.sines == LIMB_SINES_OWN && sines) limb_c_own_sines(e);
  for (int i = 0; i < e->npiece; i++) {
    if (i) text(e, "\n");
    limb_text_print(e->text, "/* %s */\n", e->piece[i].f->meaning);
    put_function(e, &e->piece[i]);
  }
}
