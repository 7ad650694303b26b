// Python, MATLAB and Octave, Julia, Rust, LaTeX: the text around the statements (codegen_impl.h).
#include "codegen/codegen_impl.h"

#include <string.h>

static void text(limb_emitter* e, const char* piece) { limb_text_put(e->text, piece); }

// ---- arguments and outputs -----------------------------------------------------------------------------------------

static void put_argument(limb_emitter* e, const char* name, uint32_t count, bool* any)
{
  limb_text_print(&e->scratch, "%s%s", *any ? ",\v" : "", name);
  if (e->syntax->language == LIMB_LANGUAGE_RUST) limb_text_print(&e->scratch, ": &[%s; %u]", e->real, count);
  *any = true;
}

static void put_arguments(limb_emitter* e, const limb_emitted* p)
{
  bool any = false;
  for (int k = 0; k < INPUT_KINDS; k++) {
    const limb_input* in = &e->program->input[k];
    if (!limb_emit_takes_input(e, p->f, (limb_input_kind)k)) continue;
    put_argument(e, in->name, (uint32_t)in->count, &any);
  }
  if (e->options.sines != LIMB_SINES_GIVEN || !p->schedule.nangle) return;
  put_argument(e, "sine", e->nangle, &any);
  put_argument(e, "cosine", e->nangle, &any);
}

// Names of the outputs, separated by commas.
static void put_answers(limb_emitter* e, const limb_function* f)
{
  for (int o = 0; o < f->noutput; o++) {
    char name[64];
    limb_emit_output_name(e, f, o, name);
    limb_text_print(&e->scratch, "%s%s", o ? ", " : "", name);
  }
}

static void put_rust_types(limb_emitter* e, const limb_function* f)
{
  for (int o = 0; o < f->noutput; o++) {
    const limb_output* out = &f->output[o];
    if (o) limb_text_put(&e->scratch, ",\v");
    if (out->columns == 1) {
      limb_text_print(&e->scratch, "[%s; %d]", e->real, out->rows);
    } else {
      limb_text_print(&e->scratch, "[[%s; %d]; %d]", e->real, out->columns, out->rows);
    }
  }
}

// ---- around the statements -----------------------------------------------------------------------------------------

static void put_head(limb_emitter* e, const limb_emitted* p)
{
  const bool several = p->f->noutput > 1;
  limb_text_clear(&e->scratch);
  switch (e->syntax->language) {
  case LIMB_LANGUAGE_PYTHON: limb_text_print(&e->scratch, "def %s(", p->name); break;
  case LIMB_LANGUAGE_RUST: limb_text_print(&e->scratch, "pub fn %s(", p->name); break;
  case LIMB_LANGUAGE_JULIA: limb_text_print(&e->scratch, "function %s(", p->name); break;
  case LIMB_LANGUAGE_MATLAB:
    limb_text_put(&e->scratch, "function [");
    put_answers(e, p->f);
    limb_text_print(&e->scratch, "] = %s(", p->name);
    break;
  default: text(e, "\\begingroup\\allowdisplaybreaks\n\\begin{align*}\n"); return;
  }
  put_arguments(e, p);
  if (e->syntax->language == LIMB_LANGUAGE_RUST) {
    limb_text_put(&e->scratch, several ? ") -> (" : ") -> ");
    put_rust_types(e, p->f);
    limb_text_put(&e->scratch, several ? ") {" : " {");
  } else {
    limb_text_put(&e->scratch, e->syntax->language == LIMB_LANGUAGE_PYTHON ? "):" : ")");
  }
  limb_emit_flush(e);
}

static void put_output(limb_emitter* e, const char* name, int rows, int columns)
{
  const bool vector = columns == 1;
  limb_text* t = e->text;
  switch (e->syntax->language) {
  case LIMB_LANGUAGE_PYTHON:
    if (vector) limb_text_print(t, "    %s = [0.0] * %d\n", name, rows);
    if (!vector) limb_text_print(t, "    %s = [[0.0] * %d for _ in range(%d)]\n", name, columns, rows);
    break;
  case LIMB_LANGUAGE_MATLAB: limb_text_print(t, "  %s = zeros(%d, %d);\n", name, rows, columns); break;
  case LIMB_LANGUAGE_JULIA:
    if (vector) limb_text_print(t, "    %s = zeros(%d)\n", name, rows);
    if (!vector) limb_text_print(t, "    %s = zeros(%d, %d)\n", name, rows, columns);
    break;
  case LIMB_LANGUAGE_RUST:
    if (vector) limb_text_print(t, "    let mut %s = [0.0; %d];\n", name, rows);
    if (!vector) limb_text_print(t, "    let mut %s = [[0.0; %d]; %d];\n", name, columns, rows);
    break;
  default: break;
  }
}

static void put_tail(limb_emitter* e, const limb_emitted* p)
{
  const bool several = p->f->noutput > 1;
  limb_emit_begin(e);
  switch (e->syntax->language) {
  case LIMB_LANGUAGE_PYTHON:
  case LIMB_LANGUAGE_JULIA:
    limb_text_put(&e->scratch, "return ");
    put_answers(e, p->f);
    limb_emit_flush(e);
    if (e->syntax->language == LIMB_LANGUAGE_JULIA) text(e, "end\n");
    break;
  case LIMB_LANGUAGE_RUST:
    limb_text_put(&e->scratch, several ? "(" : "");
    put_answers(e, p->f);
    limb_text_put(&e->scratch, several ? ")" : "");
    limb_emit_flush(e);
    text(e, "}\n");
    break;
  case LIMB_LANGUAGE_MATLAB: text(e, "end\n"); break;
  default: text(e, "\\end{align*}\n\\endgroup\n"); break;
  }
}

// ---- comments ------------------------------------------------------------------------------------------------------

static void put_labels(limb_emitter* e, const char* const* label, int count)
{
  for (int i = 0; i < count && label; i++) {
    const bool new_line = i % 6 == 5;
    if (i) text(e, ",");
    limb_text_put(e->text, new_line ? "\n" : " ");
    if (new_line) limb_text_print(e->text, "%s  ", e->syntax->comment);
    limb_text_name(e->text, label[i]);
  }
  text(e, "\n");
}

static void put_description(limb_emitter* e, const limb_emitted* p)
{
  const char* comment = e->syntax->comment;
  const limb_operations* n = &p->operations;
  if (e->syntax->language == LIMB_LANGUAGE_PYTHON) text(e, "\n"); // PEP 8: two blank lines
  limb_text_print(e->text, "\n%s%s: %s.\n", comment, p->name, p->f->meaning);
  for (int k = 0; k < INPUT_KINDS; k++) {
    const limb_input* in = &e->program->input[k];
    if (!limb_emit_takes_input(e, p->f, (limb_input_kind)k)) continue;
    limb_text_print(e->text, "%sin %s, %d: %s:", comment, in->name, in->count, in->meaning);
    put_labels(e, in->label, in->count);
  }
  if (e->options.sines == LIMB_SINES_GIVEN && p->schedule.nangle)
    limb_text_print(e->text, "%sin sine, cosine, %u: of the angles from %s_angles\n", comment, e->nangle, e->prefix);
  for (int o = 0; o < p->f->noutput; o++) {
    const limb_output* out = &p->f->output[o];
    char name[64];
    limb_emit_output_name(e, p->f, o, name);
    limb_text_print(e->text, "%sout %s, %d x %d: %s", comment, name, out->rows, out->columns, out->meaning);
    if (out->label && out->label != e->program->input[INPUT_V].label) {
      text(e, "; rows:");
      put_labels(e, out->label, out->rows);
    } else {
      text(e, "\n");
    }
    if (!out->column) continue;
    limb_text_print(e->text, "%s  columns:", comment);
    put_labels(e, out->column, out->columns);
  }
  if (p->f->note) {
    limb_text_print(e->text, "%s%s", comment, p->f->note);
    put_labels(e, p->f->noted, p->f->nnoted);
  }
  limb_emit_gravity(e, p->f, comment);
  if (!p->f->kind) return;
  limb_text_print(e->text, "%s%ld multiplications, %ld additions, %ld divisions, %ld angles;", comment, n->mul, n->add,
                  n->div, n->sines);
  limb_text_print(e->text, " agrees with %s to ", limb_emit_reference(p));
  limb_text_error(e->text, p->difference);
  text(e, ".\n");
}

static void put_opening(limb_emitter* e)
{
  // else Python might read an encoding from the robot's name (PEP 263)
  if (e->syntax->language == LIMB_LANGUAGE_PYTHON) text(e, "# -*- coding: utf-8 -*-\n");
  text(e, e->syntax->comment);
  limb_text_name(e->text, e->program->robot);
  limb_text_print(e->text, ": functions for this robot. Written by limb %d.%d.%d.\n", LIMB_VERSION_MAJOR,
                  LIMB_VERSION_MINOR, LIMB_VERSION_PATCH);
  if (strcmp(e->prefix, e->program->robot) != 0)
    limb_text_print(e->text, "%sNames begin with %s.\n", e->syntax->comment, e->prefix);
  if (!e->options.friction) limb_text_print(e->text, "%sJoint friction is left out.\n", e->syntax->comment);
}

// ---- the file ------------------------------------------------------------------------------------------------------

// MATLAB exports the first function of a file only: it returns handles to the others.
static void put_handles(limb_emitter* e)
{
  limb_text_print(e->text, "%% f = %s(); tau = f.tau(q, v, a) and so on.\n", e->prefix);
  limb_text_print(e->text, "function f = %s()\n", e->prefix);
  for (int i = 0; i < e->nfunction; i++) {
    limb_text_print(e->text, "  f.%s = @%s;\n", e->function[i].f->name, e->function[i].name);
  }
  text(e, "end\n");
}

static void put_beginning(limb_emitter* e)
{
  const bool sign = limb_emit_any_uses(e, OP_SIGN);
  put_opening(e);
  switch (e->syntax->language) {
  case LIMB_LANGUAGE_PYTHON:
    text(e, "import math\n");
    if (sign) limb_text_print(e->text, "\n\ndef %s_sign(x):\n    return float((x > 0) - (x < 0))\n", e->prefix);
    break;
  case LIMB_LANGUAGE_MATLAB: put_handles(e); break;
  case LIMB_LANGUAGE_RUST:
    text(e, "// Sines, square roots and hyperbolic tangents are those of std.\n");
    if (!sign) break;
    limb_text_print(e->text, "\n#[allow(non_snake_case)]\nfn %s_sign(x: %s) -> %s {\n", e->prefix, e->real, e->real);
    limb_text_print(e->text, "    f32::from(i8::from(x > 0.0) - i8::from(x < 0.0))%s\n}\n",
                    e->options.single ? "" : " as f64");
    break;
  case LIMB_LANGUAGE_LATEX: text(e, "% Include it where amsmath is loaded.\n"); break;
  default: break;
  }
}

void limb_emit_script(limb_emitter* e)
{
  put_beginning(e);
  for (int i = 0; i < e->nfunction; i++) {
    const limb_emitted* p = &e->function[i];
    put_description(e, p);
    if (e->syntax->language == LIMB_LANGUAGE_RUST) text(e, "#[allow(non_snake_case, unused_variables, clippy::all)]\n");
    put_head(e, p);
    limb_emit_reset_joints(e);
    for (int o = 0; o < p->f->noutput; o++) {
      char name[64];
      limb_emit_output_name(e, p->f, o, name);
      put_output(e, name, p->f->output[o].rows, p->f->output[o].columns);
    }
    limb_emit_statements(e, p, 0, p->schedule.count);
    limb_emit_numbers(e, p, 0, limb_emit_number_count(p));
    put_tail(e, p);
  }
}
