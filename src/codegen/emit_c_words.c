// What the texts in C share: comments, the type of lanes, prototypes (emit.h).
#include "codegen/emit_c.h"

#include <string.h>

static void text(limb_emitter* e, const char* piece) { limb_text_put(e->text, piece); }

// ---- comments -------------------------------------------------------------------------------------------

void limb_c_opening(limb_emitter* e, const char* what)
{
  text(e, "/*\n * ");
  limb_text_name(e->text, e->program->robot);
  limb_text_print(e->text, ": %s Written by limb %d.%d.%d.\n", what, LIMB_VERSION_MAJOR, LIMB_VERSION_MINOR,
                  LIMB_VERSION_PATCH);
  if (strcmp(e->prefix, e->program->robot) != 0) {
    limb_text_print(e->text, " * Names begin with %s.\n", e->prefix);
  }
  if (!e->options.friction) text(e, " * Friction of the joints is left out.\n");
  text(e, " */\n");
}

// Names in a list of several lines, each of which begins with a star.
static void list_names(limb_emitter* e, const char* const* label, int count)
{
  enum { INDENT = 14 };
  size_t column = LIMB_LINE;
  for (int i = 0; i < count; i++) {
    const size_t n = strlen(label[i]) + 2;
    if (column + n > LIMB_LINE) {
      text(e, "\n *              ");
      column = INDENT + 2;
    } else {
      text(e, " ");
    }
    limb_text_name(e->text, label[i]);
    text(e, i + 1 < count ? "," : ".");
    column += n;
  }
}

static const char* unit_of(limb_input_kind kind)
{
  switch (kind) {
  case INPUT_Q: return " [rad, m]";
  case INPUT_V: return " [rad/s, m/s]";
  case INPUT_A: return " [rad/s^2, m/s^2]";
  case INPUT_TAU: return " [N m, N]";
  case INPUT_GRAVITY: return " [m/s^2]";
  default: return "";
  }
}

static void describe_inputs(limb_emitter* e, const limb_piece* p)
{
  for (int k = 0; k < INPUT_KINDS; k++) {
    const limb_input* in = &e->program->input[k];
    if (!limb_emit_takes(e, p->f, (limb_input_kind)k)) continue;
    limb_text_print(e->text, " *   in   %s[%d]: %s%s", in->name, in->count, in->meaning, unit_of((limb_input_kind)k));
    if (in->label) {
      text(e, ":");
      list_names(e, in->label, in->count);
    }
    text(e, "\n");
  }
  if (!limb_c_given(e, p)) return;
  limb_text_print(e->text, " *   in   sine[%u], cosine[%u]: of the angles that %s_angles gives.\n", e->nangle,
                  e->nangle, e->prefix);
}

static bool is_parameters(const limb_function* f) { return strcmp(f->name, "parameters") == 0; }

// Of vectors; units of matrices follow from theirs.
static const char* unit_of_output(const limb_output* out)
{
  static const char* const units[][2] = {
    {"tau", "N m, N"},           {"g", "N m, N"},         {"h", "N m, N"}, {"a", "rad/s^2, m/s^2"},
    {"a_all", "rad/s^2, m/s^2"}, {"v_all", "rad/s, m/s"}, {"p", "m"}};
  for (size_t i = 0; i < sizeof units / sizeof units[0] && out->columns == 1; i++) {
    if (strcmp(out->name, units[i][0]) == 0) return units[i][1];
  }
  return NULL;
}

static void describe_outputs(limb_emitter* e, const limb_piece* p)
{
  for (int o = 0; o < p->f->noutput; o++) {
    const limb_output* out = &p->f->output[o];
    char name[64];
    limb_emit_output_name(e, p->f, o, name);
    const char* unit = is_parameters(p->f) ? NULL : unit_of_output(out);
    const bool rows = out->label && out->label != e->program->input[INPUT_V].label;
    limb_text_print(e->text, " *   out  %s[%d]: %s", name, out->rows * out->columns, out->meaning);
    if (unit) limb_text_print(e->text, " [%s]", unit);
    if (out->columns > 1) {
      limb_text_print(e->text, "; %d x %d, row by row", out->rows, out->columns);
    }
    if (rows) {
      text(e, out->columns > 1 ? "; rows:" : ":");
      list_names(e, out->label, out->rows);
    }
    if (out->column) {
      text(e, rows ? "\n *              columns:" : "; columns:");
      list_names(e, out->column, out->columns);
    }
    text(e, rows || out->column ? "\n" : ".\n");
  }
}

// How often inputs are read, sines that are inputs included.
static long reads_of(const limb_emitter* e, const limb_piece* p)
{
  const limb_listing* l = &p->list;
  long reads = limb_c_given(e, p) ? 2 * (long)l->nangle : 0;
  for (uint32_t n = 0; n < l->nodes; n++)
    if (limb_graph_node(l->g, n)->op == OP_SYMBOL) reads += (long)l->uses[n];
  return reads;
}

// Bytes that compilers take at most, without optimisation: a place for every result, and where lanes are
// wider than the processor for every operation, answer and input that is read; frames, and that of sines.
static long worst_stack(const limb_emitter* e, const limb_piece* p)
{
  enum { FRAMES = 512, OF_SINES = 128 };
  const limb_operations* n = &p->operations;
  const bool own = e->options.sines == LIMB_SINES_OWN && p->list.nangle;
  long values = (long)p->list.count + (own ? OF_SINES : 0);
  if (e->options.lanes > 1) {
    values += n->mul + n->add + n->div + n->other * e->options.lanes + (long)p->list.entries;
    values += reads_of(e, p);
  }
  return FRAMES + p->kept + values * limb_emit_bytes(e);
}

void limb_c_describe(limb_emitter* e, const limb_piece* p)
{
  const limb_operations* n = &p->operations;
  limb_text_print(e->text, "/*\n * %s: %s.\n *\n", p->name, p->f->meaning);
  describe_inputs(e, p);
  describe_outputs(e, p);
  text(e, " *\n");
  if (p->f->note) {
    limb_text_print(e->text, " * %s", p->f->note);
    if (p->f->nnoted) list_names(e, p->f->noted, p->f->nnoted);
    text(e, "\n");
  }
  limb_emit_gravity(e, p->f, " * ");
  if (e->options.sines == LIMB_SINES_OWN && p->list.nangle) {
    text(e, " * Angles must be within +-1e5 rad.\n");
  }
  limb_text_print(e->text,
                  " * Operations: %ld multiplications, %ld additions, %ld divisions, %ld angles, %ld"
                  " others.\n",
                  n->mul, n->add, n->div, n->sines, n->other);
  limb_text_print(e->text,
                  " * Statements: %u. Stack: %ld bytes of results live at once; compilers take at most %ld\n"
                  " * (without optimisation), besides what math.h takes.\n",
                  p->list.count, p->stack, worst_stack(e, p));
  if (limb_emit_is_quantity(p->f)) {
    limb_text_print(e->text, " * Tried in %d random states: agrees with %s to ", e->states, limb_emit_reference(p));
    limb_text_error(e->text, p->disagrees);
    limb_text_print(e->text, ",\n * relative to the largest entry%s, when computed in %s.\n",
                    limb_emit_may_vanish(p->f) ? " or force in motion"
                    : p->vanishes              ? " or acceleration"
                                               : "",
                    e->real);
  }
  limb_text_print(e->text, " * Outputs may lie in the memory of inputs%s, but not in that of each other.\n */\n",
                  limb_c_given(e, p) ? " other than sine and cosine" : "");
}

// ---- arrays of sines ------------------------------------------------------------------------------------

bool limb_c_given(const limb_emitter* e, const limb_piece* p)
{
  return e->options.sines == LIMB_SINES_GIVEN && p->list.nangle > 0;
}

uint32_t limb_c_sines(const limb_emitter* e, const limb_piece* p)
{
  if (e->options.sines == LIMB_SINES_GIVEN) return e->nangle;
  const uint32_t pad = e->options.lanes > 1 ? 1 : LIMB_SINES_PAD;
  return (p->list.nangle + pad - 1) / pad * pad;
}

// ---- types and prototypes -------------------------------------------------------------------------------

void limb_c_type(limb_emitter* e)
{
  const int lanes = e->options.lanes;
  if (lanes == 1) return;
  limb_text_print(e->text, "/* %d states at once, one in each lane. */\n", lanes);
  limb_text_print(e->text, "typedef %s %s __attribute__((vector_size(%ld)));\n\n", e->real, e->value,
                  limb_emit_bytes(e));
}

static void argument(limb_emitter* e, const char* begin, const char* name, int count)
{
  const bool first = e->scratch.at[e->scratch.used - 1] == '(';
  limb_text_print(&e->scratch, "%s%s%s %s[%d]", first ? "" : ",\v", begin, e->value, name, count > 0 ? count : 1);
}

void limb_c_prototype(limb_emitter* e, const limb_piece* p, const char* end)
{
  limb_text_clear(&e->scratch);
  limb_text_print(&e->scratch, "void %s(", p->name);
  if (e->scratch.failed) return;
  for (int k = 0; k < INPUT_KINDS; k++) {
    const limb_input* in = &e->program->input[k];
    if (limb_emit_takes(e, p->f, (limb_input_kind)k)) argument(e, "const ", in->name, in->count);
  }
  if (limb_c_given(e, p)) {
    argument(e, "const ", "sine", (int)e->nangle);
    argument(e, "const ", "cosine", (int)e->nangle);
  }
  for (int o = 0; o < p->f->noutput; o++) {
    char name[64];
    limb_emit_output_name(e, p->f, o, name);
    argument(e, "", name, p->f->output[o].rows * p->f->output[o].columns);
  }
  limb_text_put(&e->scratch, ")");
  limb_text_put(&e->scratch, end);
  limb_emit_flush(e);
}
