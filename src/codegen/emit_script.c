// Python, MATLAB and Octave, Julia, Rust, LaTeX: the text around the statements (codegen_impl.h).
#include "codegen/codegen_impl.h"

#include <string.h>

static void text(limb_emitter* e, const char* piece) { limb_text_put(e->text, piece); }

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

// ---- templates -----------------------------------------------------------------------------------------------------

static void put_arguments(limb_emitter* e, const limb_emitted* p)
{
  const limb_arguments all = limb_emit_all_arguments(e, p, true);
  limb_emit_arguments(e, p, &all);
}

// Marks of the function p, and of its output o.
static void put_function_mark(limb_emitter* e, const limb_emitted* p, int o, char mark)
{
  limb_text* t = &e->scratch;
  char name[64];
  switch (mark) {
  case 'N': limb_text_put(t, p->name); break;
  case 'A': put_arguments(e, p); break;
  case 'T': put_rust_types(e, p->f); break;
  case 'O': put_answers(e, p->f); break;
  case '<': limb_text_put(t, p->f->judged ? "Option<" : ""); break;
  case '>': limb_text_put(t, p->f->judged ? ">" : ""); break;
  case '{': limb_text_put(t, p->f->judged ? "Some(" : ""); break;
  case '}': limb_text_put(t, p->f->judged ? ")" : ""); break;
  case '(': limb_text_put(t, p->f->noutput > 1 ? "(" : ""); break;
  case ')': limb_text_put(t, p->f->noutput > 1 ? ")" : ""); break;
  case 'o':
    limb_emit_output_name(e, p->f, o, name);
    limb_text_put(t, name);
    break;
  case 'r': limb_text_print(t, "%d", p->f->output[o].rows); break;
  default: limb_text_print(t, "%d", p->f->output[o].columns); // 'c'
  }
}

static void put_mark(limb_emitter* e, const limb_emitted* p, int o, char mark)
{
  const bool single = e->options.single;
  limb_text* t = &e->scratch;
  switch (mark) {
  case 'P': limb_text_put(t, e->prefix); break;
  case 'R': limb_text_put(t, e->real); break;
  case 'V': limb_text_put(t, e->value); break;
  case 'S': limb_text_put(t, single ? "f" : ""); break;
  case 'B': limb_text_put(t, single ? "0x1.8p+23f" : "0x1.8p+52"); break;
  case 'D': limb_text_put(t, single ? "" : " as f64"); break;
  case 'F':
    for (int i = 0; i < e->nfunction; i++)
      limb_text_print(t, "  f.%s = @%s;\n", e->function[i].f->name, e->function[i].name);
    break;
  default:
    if (p) put_function_mark(e, p, o, mark);
  }
}

void limb_emit_template(limb_emitter* e, const limb_emitted* p, int o, const char* lines)
{
  if (!lines) return;
  limb_text_clear(&e->scratch);
  for (; *lines; lines++) {
    const char piece[2] = {*lines, '\0'};
    if (*lines == '@')
      put_mark(e, p, o, *++lines);
    else
      limb_text_put(&e->scratch, piece);
  }
  limb_emit_flush(e);
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
  if (limb_emit_sines_given(e, p))
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
  if (p->f->judged)
    limb_text_print(e->text, "%sWhere a matrix to be inverted is singular or nearly so: %s.\n", comment,
                    e->syntax->judged);
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

void limb_emit_script(limb_emitter* e)
{
  const limb_syntax* syntax = e->syntax;
  put_opening(e);
  limb_emit_template(e, NULL, 0, syntax->opening);
  if (limb_emit_any_uses(e, OP_SIGN)) limb_emit_template(e, NULL, 0, syntax->sign);
  for (int i = 0; i < e->nfunction; i++) {
    const limb_emitted* p = &e->function[i];
    put_description(e, p);
    limb_emit_template(e, p, 0, syntax->begin);
    limb_emit_reset_joints(e);
    for (int o = 0; o < p->f->noutput + p->f->judged; o++)
      limb_emit_template(e, p, o, p->f->output[o].columns == 1 ? syntax->zeros : syntax->zero_rows);
    limb_emit_statements(e, p, 0, p->schedule.count);
    limb_emit_numbers(e, p, 0, limb_emit_number_count(p));
    if (p->f->judged) limb_emit_template(e, p, p->f->noutput, syntax->judge);
    limb_emit_template(e, p, 0, syntax->finish);
  }
}
