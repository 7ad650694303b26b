// C: comments and prototypes, the header file, and the test program.
//
// The test program compares the functions with values of the library. States and values are tables in the text. Its
// names end in words that no quantity has, so that they differ from those of functions whatever the prefix is. With
// several lanes, lane k of state i is state i + k.
#include "codegen/codegen_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void text(limb_emitter* e, const char* piece) { limb_text_put(e->text, piece); }

// ---- comments ------------------------------------------------------------------------------------------------------

void limb_c_head_comment(limb_emitter* e, const char* what)
{
  text(e, "/*\n * ");
  limb_text_name(e->text, e->program->robot);
  limb_text_print(e->text, ": %s Written by limb %d.%d.%d.\n", what, LIMB_VERSION_MAJOR, LIMB_VERSION_MINOR,
                  LIMB_VERSION_PATCH);
  if (strcmp(e->prefix, e->program->robot) != 0) limb_text_print(e->text, " * Names begin with %s.\n", e->prefix);
  if (!e->options.friction) text(e, " * Joint friction is left out.\n");
  text(e, " */\n");
}

// Names in a list over several comment lines.
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

// The unit of the quantity of the registry with that name, "v_all" as "v"; NULL: there is none.
static const char* unit_of(const char* name)
{
  char word[64];
  (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "_"), name);
  const limb_quantity_info* known = limb_find_quantity(word);
  return known && strcmp(known->unit, "SI") != 0 ? known->unit : NULL;
}

static void put_unit(limb_emitter* e, const char* unit)
{
  if (unit) limb_text_print(e->text, " [%s]", unit);
}

static void describe_inputs(limb_emitter* e, const limb_emitted* p)
{
  for (int k = 0; k < INPUT_KINDS; k++) {
    const limb_input* in = &e->program->input[k];
    if (!limb_emit_takes_input(e, p->f, (limb_input_kind)k)) continue;
    limb_text_print(e->text, " *   in   %s[%d]: %s", in->name, in->count, in->meaning);
    put_unit(e, k < INPUT_X ? unit_of(in->name) : k == INPUT_GRAVITY ? "m/s^2" : NULL);
    if (in->label) {
      text(e, ":");
      list_names(e, in->label, in->count);
    }
    text(e, "\n");
  }
  if (!limb_emit_sines_given(e, p)) return;
  limb_text_print(e->text, " *   in   sine[%u], cosine[%u]: of the angles from %s_angles.\n", e->nangle, e->nangle,
                  e->prefix);
}

static void describe_outputs(limb_emitter* e, const limb_emitted* p)
{
  for (int o = 0; o < p->f->noutput; o++) {
    const limb_output* out = &p->f->output[o];
    char name[64];
    limb_emit_output_name(e, p->f, o, name);
    const bool rows = out->label && out->label != e->program->input[INPUT_V].label;
    limb_text_print(e->text, " *   out  %s[%d]: %s", name, out->rows * out->columns, out->meaning);
    if (p->f->kind && out->columns == 1) put_unit(e, unit_of(out->name)); // those of matrices follow
    if (out->columns > 1) limb_text_print(e->text, "; %d x %d, row by row", out->rows, out->columns);
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

// Number of reads of inputs, given sines included.
static long reads_of(const limb_emitter* e, const limb_emitted* p)
{
  const limb_schedule* l = &p->schedule;
  long reads = limb_emit_sines_given(e, p) ? 2 * (long)l->nangle : 0;
  for (uint32_t n = 0; n < l->nodes; n++)
    if (limb_graph_node(l->g, n)->op == OP_SYMBOL) reads += (long)l->uses[n];
  return reads;
}

// Upper bound of the stack without optimisation: one slot for every result; with lanes wider than the processor also
// for every operation, output and read of an input; frames, and the frame of the sines.
static long worst_stack(const limb_emitter* e, const limb_emitted* p)
{
  enum { FRAMES = 512, OF_SINES = 128 };
  const limb_operations* n = &p->operations;
  const bool own = e->options.sines == LIMB_SINES_OWN && p->schedule.nangle;
  long values = (long)p->schedule.count + (own ? OF_SINES : 0);
  if (e->options.lanes > 1) {
    values += n->mul + n->add + n->div + n->other * e->options.lanes + (long)p->schedule.entries;
    values += reads_of(e, p);
  }
  return FRAMES + p->kept + values * limb_emit_bytes(e);
}

void limb_c_describe(limb_emitter* e, const limb_emitted* p)
{
  const limb_operations* n = &p->operations;
  limb_text_print(e->text, "/*\n * %s: %s.\n *\n", p->name, p->f->meaning);
  describe_inputs(e, p);
  describe_outputs(e, p);
  text(e, " *\n");
  if (p->f->judged)
    limb_text_print(e->text,
                    " * Returns 0%s where matrices to be inverted are singular or nearly so: outputs have\n"
                    " * few digits or none there.\n",
                    e->options.lanes > 1 ? ", or the sum of 2^k of the lanes k" : ", or 1");
  if (p->f->note) {
    limb_text_print(e->text, " * %s", p->f->note);
    if (p->f->nnoted) list_names(e, p->f->noted, p->f->nnoted);
    text(e, "\n");
  }
  limb_emit_gravity(e, p->f, " * ");
  if (e->options.sines == LIMB_SINES_OWN && p->schedule.nangle) text(e, " * Angles must be within +-1e5 rad.\n");
  limb_text_print(e->text,
                  " * Operations: %ld multiplications, %ld additions, %ld divisions, %ld angles, %ld"
                  " others.\n",
                  n->mul, n->add, n->div, n->sines, n->other);
  limb_text_print(e->text,
                  " * Statements: %u. Stack: %ld bytes of live results at once; compilers take at most %ld bytes\n"
                  " * (without optimisation), plus the stack of math.h.\n",
                  p->schedule.count, p->stack, worst_stack(e, p));
  if (p->f->kind) {
    limb_text_print(e->text, " * In %d random states it agrees with %s to ", e->states, limb_emit_reference(p));
    limb_text_error(e->text, p->difference);
    limb_text_print(e->text, ",\n * relative to the largest entry%s, computed in %s.\n",
                    limb_has_fact(p->f, LIMB_MAY_VANISH) ? " or force of a motion"
                    : p->by_acceleration                 ? " or acceleration"
                                                         : "",
                    e->real);
  }
  limb_text_print(e->text, " * Outputs may overlap inputs%s, but not each other.\n */\n",
                  limb_emit_sines_given(e, p) ? " other than sine and cosine" : "");
}

// ---- arrays of sines -----------------------------------------------------------------------------------------------

uint32_t limb_c_sine_count(const limb_emitter* e, const limb_emitted* p)
{
  if (e->options.sines == LIMB_SINES_GIVEN) return e->nangle;
  const uint32_t pad = e->options.lanes > 1 ? 1 : LIMB_SINES_PAD;
  return (p->schedule.nangle + pad - 1) / pad * pad;
}

// ---- types and prototypes ------------------------------------------------------------------------------------------

void limb_c_lane_type(limb_emitter* e)
{
  const int lanes = e->options.lanes;
  if (lanes == 1) return;
  limb_text_print(e->text, "/* %d states at once, one in each lane. */\n", lanes);
  limb_text_print(e->text, "typedef %s %s __attribute__((vector_size(%ld)));\n\n", e->real, e->value,
                  limb_emit_bytes(e));
}

// name(arguments)
static void put_signature(limb_emitter* e, const limb_emitted* p, bool types)
{
  const limb_arguments all = limb_emit_all_arguments(e, p, types);
  limb_text_print(&e->scratch, "%s(", p->name);
  limb_emit_arguments(e, p, &all);
  limb_text_put(&e->scratch, ")");
}

void limb_c_prototype(limb_emitter* e, const limb_emitted* p, const char* end)
{
  limb_text_clear(&e->scratch);
  limb_text_put(&e->scratch, p->f->judged ? "int " : "void ");
  put_signature(e, p, true);
  limb_text_put(&e->scratch, end);
  limb_emit_flush(e);
}

// ---- the header file -----------------------------------------------------------------------------------------------

// Swaps upper and lower case: prefixes that differ in case have guards that differ.
static char exchanged(char c)
{
  if (c >= 'a' && c <= 'z') return (char)(c - 'a' + 'A');
  return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

void limb_emit_c_header(limb_emitter* e)
{
  char guard[sizeof e->prefix];
  for (size_t i = 0; i < sizeof guard; i++) guard[i] = exchanged(e->prefix[i]);
  limb_c_head_comment(e, "functions for this robot.");
  limb_text_print(e->text, "#ifndef %s_H\n#define %s_H\n\n", guard, guard);
  limb_text_put(e->text, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  limb_c_lane_type(e);
  for (int i = 0; i < e->nfunction; i++) {
    limb_c_describe(e, &e->function[i]);
    limb_c_prototype(e, &e->function[i], ";");
    limb_text_put(e->text, "\n");
  }
  limb_text_put(e->text, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

// ---- the test program ----------------------------------------------------------------------------------------------

static uint32_t entries_of(const limb_output* out) { return (uint32_t)out->rows * (uint32_t)out->columns; }

// A table of numbers with one row for each state.
static void put_table(limb_emitter* e, const char* name, const double* x, int rows, uint32_t count, uint32_t stride)
{
  limb_text_print(e->text, "static const %s %s[STATES][%u] = {\n", e->real, name, count ? count : 1);
  for (int r = 0; r < rows; r++) {
    limb_emit_begin(e);
    limb_text_put(&e->scratch, "{");
    for (uint32_t i = 0; i < (count ? count : 1); i++) {
      const double y = i < count ? x[(size_t)r * stride + i] : 0;
      if (i) limb_text_put(&e->scratch, ",\v");
      if (signbit(y)) limb_text_put(&e->scratch, "-");
      limb_emit_literal(e, fabs(y));
    }
    limb_text_put(&e->scratch, r + 1 < rows ? "}," : "}");
    limb_emit_flush(e);
  }
  text(e, "};\n\n");
}

static void put_inputs(limb_emitter* e, const limb_trial* t)
{
  for (int k = 0; k < INPUT_KINDS; k++) {
    const limb_input* in = &e->program->input[k];
    bool wanted = false;
    for (int i = 0; i < e->nfunction; i++)
      wanted = wanted || limb_emit_takes_input(e, e->function[i].f, (limb_input_kind)k);
    if (!wanted) continue;
    char name[80];
    (void)snprintf(name, sizeof name, "%s_given", in->name);
    put_table(e, name, t->input[k], t->states, (uint32_t)in->count, (uint32_t)in->count);
  }
}

// ---- one function --------------------------------------------------------------------------------------------------

// Fills an array of inputs in all lanes.
static void put_fill(limb_emitter* e, const char* name, int count)
{
  limb_text_print(e->text, "    %s %s[%d];\n    for (int i = 0; i < %d; i++) {\n", e->value, name, count, count);
  if (e->options.lanes > 1) {
    limb_text_print(e->text, "      for (int k = 0; k < %d; k++) %s[i][k] = %s_given[(n + k) %% STATES][i];\n",
                    e->options.lanes, name, name);
  } else {
    limb_text_print(e->text, "      %s[i] = %s_given[n][i];\n", name, name);
  }
  text(e, "    }\n");
}

static void put_call(limb_emitter* e, const limb_emitted* p)
{
  limb_emit_begin(e);
  limb_text_put(&e->scratch, "  ");
  if (p->f->judged) limb_text_put(&e->scratch, "const int status = ");
  put_signature(e, p, false);
  limb_text_put(&e->scratch, ";");
  limb_emit_flush(e);
}

// Sines and cosines of the angles, where they are arguments.
static void put_sines(limb_emitter* e)
{
  const char* suffix = e->options.single ? "f" : "";
  limb_text_print(e->text, "    %s angle[%u];\n    %s sine[%u];\n    %s cosine[%u];\n", e->value, e->nangle, e->value,
                  e->nangle, e->value, e->nangle);
  put_call(e, &e->function[0]);
  limb_text_print(e->text, "    for (int i = 0; i < %u; i++) {\n", e->nangle);
  if (e->options.lanes > 1) {
    limb_text_print(e->text,
                    "      for (int k = 0; k < %d; k++) {\n"
                    "        sine[i][k] = sin%s(angle[i][k]);\n"
                    "        cosine[i][k] = cos%s(angle[i][k]);\n      }\n",
                    e->options.lanes, suffix, suffix);
  } else {
    limb_text_print(e->text, "      sine[i] = sin%s(angle[i]);\n      cosine[i] = cos%s(angle[i]);\n", suffix, suffix);
  }
  text(e, "    }\n");
}

// Compares every lane of an output with its table.
static void put_comparison(limb_emitter* e, const limb_emitted* p, int o, double smallest)
{
  const uint32_t count = entries_of(&p->f->output[o]);
  const char* suffix = e->options.single ? "f" : "";
  char name[64];
  limb_emit_output_name(e, p->f, o, name);
  if (e->options.lanes > 1) {
    limb_text_print(e->text,
                    "    for (int k = 0; k < %d; k++) {\n      %s lane[%u];\n"
                    "      for (int i = 0; i < %u; i++) lane[i] = %s[i][k];\n"
                    "      worst = difference(%u, lane, %s_%s_wanted[(n + k) %% STATES], %.0e%s, "
                    "worst);\n    }\n",
                    e->options.lanes, e->real, count, count, name, count, p->f->name, name, smallest, suffix);
  } else {
    limb_text_print(e->text, "    worst = difference(%u, %s, %s_%s_wanted[n], %.0e%s, worst);\n", count, name,
                    p->f->name, name, smallest, suffix);
  }
}

static void put_status_test(limb_emitter* e)
{
  limb_text_print(e->text, "    worst = (status == 0) ? worst : %s;\n", e->options.single ? "1.0f" : "1.0");
}

static void put_function_test(limb_emitter* e, const limb_trial* t, int index)
{
  const limb_emitted* p = &e->function[index];
  const limb_function* f = p->f;
  uint32_t at = 0;
  const uint32_t all = limb_entry_count(f);
  for (int o = 0; o < f->noutput; o++) {
    char name[64], table[160];
    limb_emit_output_name(e, f, o, name);
    (void)snprintf(table, sizeof table, "%s_%s_wanted", f->name, name);
    put_table(e, table, t->of[index].reference + at, t->states, entries_of(&f->output[o]), all);
    at += entries_of(&f->output[o]);
  }
  limb_text_print(e->text, "static int %s_is_wrong(void)\n{\n  %s worst = %s;\n", f->name, e->real,
                  e->options.single ? "0.0f" : "0.0");
  text(e, "  for (int n = 0; n < STATES; n++) {\n");
  for (int k = 0; k < INPUT_KINDS; k++) {
    const bool angles = limb_emit_sines_given(e, p) && limb_emit_takes_input(e, e->function[0].f, (limb_input_kind)k);
    if (angles || limb_emit_takes_input(e, f, (limb_input_kind)k))
      put_fill(e, e->program->input[k].name, e->program->input[k].count);
  }
  if (limb_emit_sines_given(e, p)) put_sines(e);
  for (int o = 0; o < f->noutput; o++) {
    char name[64];
    limb_emit_output_name(e, f, o, name);
    limb_text_print(e->text, "    %s %s[%u];\n", e->value, name, entries_of(&f->output[o]));
  }
  put_call(e, p);
  if (f->judged) put_status_test(e);
  for (int o = 0; o < f->noutput; o++) put_comparison(e, p, o, t->of[index].scale);
  text(e, "  }\n");
  limb_text_print(e->text, "  return report(\"%s\", worst, %.0e%s);\n}\n\n", p->name, t->of[index].tolerance,
                  e->options.single ? "f" : "");
}

// ---- the file ------------------------------------------------------------------------------------------------------

static const char helpers[] =
  "/* The larger of worst and the largest difference, relative to the largest entry wanted and to "
  "smallest. */\n"
  "static @R difference(const int count, const @R got[], const @R want[], const @R smallest, const @R "
  "worst)\n"
  "{\n"
  "  @R size = smallest;\n"
  "  @R apart = 0;\n"
  "  for (int i = 0; i < count; i++) {\n"
  "    const @R off = fabs@S(got[i] - want[i]);\n"
  "    const @R large = fabs@S(want[i]);\n"
  "    size = (large > size) ? large : size;\n"
  "    apart = ((off <= apart) || (apart != apart)) ? apart : off; /* NaN stays */\n"
  "  }\n"
  "  apart = (size > 0) ? (apart / size) : apart;\n"
  "  return ((apart <= worst) || (worst != worst)) ? worst : apart;\n"
  "}\n"
  "\n"
  "static int report(const char* name, const @R worst, const @R tolerance)\n"
  "{\n"
  "  const int good = worst <= tolerance;\n"
  "  (void)printf(\"%s %s: differs by %.1e, allowed %.1e\\n\", good ? \"ok  \" : \"FAIL\", name,\n"
  "               (double)worst, (double)tolerance);\n"
  "  return good ? 0 : 1;\n"
  "}\n";

void limb_emit_c_test(limb_emitter* e, const limb_trial* t)
{
  limb_c_head_comment(e, "compares the functions with values of the library.");
  limb_text_print(e->text, "#include \"%s.h\"\n\n", e->prefix);
  text(e, "#include <math.h>\n#include <stdio.h>\n\n");
  limb_text_print(e->text, "#define STATES %d\n\n", t->states);
  put_inputs(e, t);
  limb_emit_template(e, NULL, 0, helpers);
  for (int i = 0; i < e->nfunction; i++) put_function_test(e, t, i);
  text(e, "int main(void)\n{\n  int failed = 0;\n");
  for (int i = 0; i < e->nfunction; i++) {
    limb_text_print(e->text, "  failed += %s_is_wrong();\n", e->function[i].f->name);
  }
  text(e, "  return (failed == 0) ? 0 : 1;\n}\n");
}
