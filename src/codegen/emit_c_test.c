// C: a program that compares the functions with answers of the library (emit.h).
//
// Its names end in words that no quantity is called by, and so are not those of functions, whatever the
// prefix. States and answers are tables in the text. With several lanes, lane k of state i is state i + k.
#include "codegen/emit_c.h"

#include <math.h>
#include <stdio.h>

static void text(limb_emitter* e, const char* piece) { limb_text_put(e->text, piece); }

static uint32_t entries_of(const limb_output* out) { return (uint32_t)out->rows * (uint32_t)out->columns; }

// A table of numbers, a row per state.
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
    for (int i = 0; i < e->npiece; i++) {
      wanted = wanted || limb_emit_takes(e, e->piece[i].f, (limb_input_kind)k);
    }
    if (!wanted) continue;
    char name[80];
    (void)snprintf(name, sizeof name, "%s_given", in->name);
    put_table(e, name, t->input[k], t->states, (uint32_t)in->count, (uint32_t)in->count);
  }
}

// ---- one function ---------------------------------------------------------------------------------------

// Fills an array of inputs, in all lanes.
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

// Sines and cosines of the angles, where they are arguments.
static void put_sines(limb_emitter* e)
{
  const limb_function* f = e->piece[0].f;
  const char* suffix = e->options.single ? "f" : "";
  limb_text_print(e->text, "    %s angle[%u];\n    %s sine[%u];\n    %s cosine[%u];\n", e->value, e->nangle, e->value,
                  e->nangle, e->value, e->nangle);
  limb_text_print(e->text, "    %s(", e->piece[0].name);
  for (int k = 0; k < INPUT_KINDS; k++) {
    if (limb_emit_takes(e, f, (limb_input_kind)k)) {
      limb_text_print(e->text, "%s, ", e->program->input[k].name);
    }
  }
  limb_text_print(e->text, "angle);\n    for (int i = 0; i < %u; i++) {\n", e->nangle);
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

static void put_call(limb_emitter* e, const limb_piece* p)
{
  const char* comma = "";
  limb_emit_begin(e);
  limb_text_print(&e->scratch, "  %s(", p->name);
  for (int k = 0; k < INPUT_KINDS; k++) {
    if (!limb_emit_takes(e, p->f, (limb_input_kind)k)) continue;
    limb_text_print(&e->scratch, "%s%s", comma, e->program->input[k].name);
    comma = ",\v";
  }
  if (limb_c_given(e, p)) {
    limb_text_print(&e->scratch, "%ssine,\vcosine", comma);
    comma = ",\v";
  }
  for (int o = 0; o < p->f->noutput; o++) {
    char name[64];
    limb_emit_output_name(e, p->f, o, name);
    limb_text_print(&e->scratch, "%s%s", comma, name);
    comma = ",\v";
  }
  limb_text_put(&e->scratch, ");");
  limb_emit_flush(e);
}

// Every lane of every output against its table.
static void put_comparison(limb_emitter* e, const limb_piece* p, int o, double least)
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
                    e->options.lanes, e->real, count, count, name, count, p->f->name, name, least, suffix);
  } else {
    limb_text_print(e->text, "    worst = difference(%u, %s, %s_%s_wanted[n], %.0e%s, worst);\n", count, name,
                    p->f->name, name, least, suffix);
  }
}

static void put_function_test(limb_emitter* e, const limb_trial* t, int piece)
{
  const limb_piece* p = &e->piece[piece];
  const limb_function* f = p->f;
  uint32_t at = 0, all = 0;
  for (int o = 0; o < f->noutput; o++) all += entries_of(&f->output[o]);
  for (int o = 0; o < f->noutput; o++) {
    char name[64], table[160];
    limb_emit_output_name(e, f, o, name);
    (void)snprintf(table, sizeof table, "%s_%s_wanted", f->name, name);
    put_table(e, table, t->answer[piece] + at, t->states, entries_of(&f->output[o]), all);
    at += entries_of(&f->output[o]);
  }
  limb_text_print(e->text, "static int %s_is_wrong(void)\n{\n  %s worst = %s;\n", f->name, e->real,
                  e->options.single ? "0.0f" : "0.0");
  text(e, "  for (int n = 0; n < STATES; n++) {\n");
  for (int k = 0; k < INPUT_KINDS; k++) {
    const bool angles = limb_c_given(e, p) && limb_emit_takes(e, e->piece[0].f, (limb_input_kind)k);
    if (angles || limb_emit_takes(e, f, (limb_input_kind)k))
      put_fill(e, e->program->input[k].name, e->program->input[k].count);
  }
  if (limb_c_given(e, p)) put_sines(e);
  for (int o = 0; o < f->noutput; o++) {
    char name[64];
    limb_emit_output_name(e, f, o, name);
    limb_text_print(e->text, "    %s %s[%u];\n", e->value, name, entries_of(&f->output[o]));
  }
  put_call(e, p);
  for (int o = 0; o < f->noutput; o++) put_comparison(e, p, o, t->least[piece]);
  text(e, "  }\n");
  limb_text_print(e->text, "  return report(\"%s\", worst, %.0e%s);\n}\n\n", p->name, t->tolerance[piece],
                  e->options.single ? "f" : "");
}

// ---- the file -------------------------------------------------------------------------------------------

static const char helpers[] =
  "/* The larger of worst and the largest difference, relative to the largest entry wanted and to "
  "least. */\n"
  "static @ difference(const int count, const @ got[], const @ want[], const @ least, const @ "
  "worst)\n"
  "{\n"
  "  @ size = least;\n"
  "  @ apart = 0;\n"
  "  for (int i = 0; i < count; i++) {\n"
  "    const @ off = fabs%(got[i] - want[i]);\n"
  "    const @ large = fabs%(want[i]);\n"
  "    size = (large > size) ? large : size;\n"
  "    apart = ((off <= apart) || (apart != apart)) ? apart : off; /* NaN stays */\n"
  "  }\n"
  "  apart = (size > 0) ? (apart / size) : apart;\n"
  "  return ((apart <= worst) || (worst != worst)) ? worst : apart;\n"
  "}\n"
  "\n"
  "static int report(const char* name, const @ worst, const @ tolerance)\n"
  "{\n"
  "  const int good = worst <= tolerance;\n"
  "  (void)printf(\"%s %s: differs by %.1e, allowed %.1e\\n\", good ? \"ok  \" : \"FAIL\", name,\n"
  "               (double)worst, (double)tolerance);\n"
  "  return good ? 0 : 1;\n"
  "}\n"
  "\n";

// @: the type; a % before a bracket: its suffix in names of functions.
static void put_helpers(limb_emitter* e)
{
  for (const char* s = helpers; *s; s++) {
    const char piece[2] = {*s, '\0'};
    if (*s == '@') {
      text(e, e->real);
    } else if (*s == '%' && s[1] == '(') {
      text(e, e->options.single ? "f" : "");
    } else {
      text(e, piece);
    }
  }
}

void limb_emit_c_test(limb_emitter* e, const limb_trial* t)
{
  limb_c_opening(e, "compares the functions with answers of the library.");
  limb_text_print(e->text, "#include \"%s.h\"\n\n", e->prefix);
  text(e, "#include <math.h>\n#include <stdio.h>\n\n");
  limb_text_print(e->text, "#define STATES %d\n\n", t->states);
  put_inputs(e, t);
  put_helpers(e);
  for (int i = 0; i < e->npiece; i++) put_function_test(e, t, i);
  text(e, "int main(void)\n{\n  int failed = 0;\n");
  for (int i = 0; i < e->npiece; i++) {
    limb_text_print(e->text, "  failed += %s_is_wrong();\n", e->piece[i].f->name);
  }
  text(e, "  return (failed == 0) ? 0 : 1;\n}\n");
}
