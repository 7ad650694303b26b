// The document of the equations in C: one function a quantity, with the expressions as they are read. Fast
// functions are what `limb codegen` writes.
#include "symbolic/equations_impl.h"

#include "base/number.h"

#include <string.h>

static void put_constants(const limb_equations* x, limb_text* t, const bool* marks)
{
  for (int v = 0; v < x->parameters.count; v++) {
    const limb_parameter_symbol* p = &x->parameters.list[v];
    char meaning[200], value[LIMB_NUMBER_SPACE];
    if (!marks[v]) continue;
    limb_parameter_meaning(&x->parameters, p, meaning, sizeof meaning);
    limb_print_number(p->value, value);
    limb_text_print(t, "static const double %s%s = %s; /* [%s] ", p->letters, p->index, value,
                    limb_parameter_unit(p));
    limb_text_name(t, meaning);
    limb_text_put(t, " */\n");
  }
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The robot's name as a word of C.
static void put_prefix(const limb_equations* x, limb_text* t)
{
  const char* name = x->m->name;
  if (!is_letter(name[0])) limb_text_put(t, "robot_");
  for (int i = 0; name[i] && i < 40; i++) {
    const bool fits = is_letter(name[i]) || (name[i] >= '0' && name[i] <= '9');
    const char c[2] = {(char)(fits ? name[i] : '_'), '\0'};
    limb_text_put(t, c);
  }
}

static bool any_marked(const bool* marks, int begin, int end)
{
  for (int v = begin; v < end; v++)
    if (marks[v]) return true;
  return false;
}

// Sines and cosines, each once.
static void put_turns(const limb_equations* x, limb_text* t, const bool* marks)
{
  for (int v = x->first_angle; v < x->first_q; v++) {
    if (!marks[v]) continue;
    limb_text_put(t, "  const double ");
    limb_equations_variable(x, t, v, 1);
    limb_text_put(t, (v - x->first_angle) % 2 ? " = sin(" : " = cos(");
    limb_equations_angle(x, t, (v - x->first_angle) / 2);
    limb_text_put(t, ");\n");
  }
}

static void put_arguments(const limb_equations* x, limb_text* t, int quantity)
{
  const int nq = x->m->nq, nv = x->nv;
  const bool moves = quantity == WHAT_C || quantity == WHAT_H || quantity == WHAT_TAU;
  const limb_shape s = limb_equations_shape(x, quantity);
  const int entries = s.rows * (s.columns ? s.columns : 1);
  limb_text_print(t, "(const double q[%d], ", nq);
  if (moves) limb_text_print(t, "const double v[%d], ", nv);
  if (quantity == WHAT_TAU) limb_text_print(t, "const double a[%d], ", nv);
  limb_text_print(t, "double %s[%d])\n{\n", quantity == WHAT_G ? "G" : s.name, entries);
}

// What this quantity has no use for.
static void put_unused(const limb_equations* x, limb_text* t, int quantity, const bool* marks)
{
  const bool moves = quantity == WHAT_C || quantity == WHAT_H || quantity == WHAT_TAU;
  if (!any_marked(marks, x->first_angle, x->first_sign)) limb_text_put(t, "  (void)q;\n");
  if (moves && !any_marked(marks, x->first_sign, x->first_a)) limb_text_put(t, "  (void)v;\n");
}

static void put_function(const limb_equations* x, limb_text* t, int quantity, bool* marks)
{
  const limb_shape s = limb_equations_shape(x, quantity);
  const int columns = s.columns ? s.columns : 1;
  memset(marks, 0, (size_t)limb_ring_count(x->ring) * sizeof *marks);
  limb_equations_mark(x, 1U << quantity, marks);
  limb_text_put(t, "\nvoid ");
  put_prefix(x, t);
  limb_text_print(t, "_%s", s.name);
  put_arguments(x, t, quantity);
  put_unused(x, t, quantity, marks);
  put_turns(x, t, marks);
  for (int i = 0; i < s.rows; i++) {
    for (int j = 0; j < columns; j++) {
      limb_text line = {.alloc = t->alloc};
      const char* name = quantity == WHAT_G ? "G" : s.name;
      limb_text_print(&line, "  %s[%d] = ", name, i * columns + j);
      if (quantity == WHAT_M && j < i)
        limb_text_print(&line, "%s[%d]", name, j * columns + i);
      else
        limb_equations_entry(x, &line, quantity, i, j);
      limb_text_put(&line, ";\n");
      if (line.at) limb_equations_fold(t, line.at, "        ");
      t->failed = t->failed || line.failed;
      limb_text_end(&line);
    }
  }
  limb_text_put(t, "}\n");
}

void limb_equations_document_c(const limb_equations* x, limb_text* t, unsigned what)
{
  bool* marks = limb_ring_take(x->ring, (size_t)limb_ring_count(x->ring), sizeof *marks);
  if (!marks) {
    t->failed = true;
    return;
  }
  limb_equations_mark(x, what, marks);
  limb_text_put(t, "/* ");
  limb_text_name(t, x->m->name);
  limb_text_print(t, ": %s\n", limb_equations_motto(x));
  for (int i = 0; i < x->m->nq; i++) {
    const char* unit;
    const char* joint = limb_equations_coordinate(x, i, &unit);
    limb_text_print(t, "   q[%d] [%s] coordinate of ", i, unit);
    limb_text_name(t, joint);
    limb_text_put(t, "\n");
  }
  if (limb_equations_loses(x))
    limb_text_put(t, "   friction, springs and shafts count in tau only\n");
  limb_text_put(t, "   matrices row by row */\n");
  if (any_marked(marks, x->first_angle, x->first_q)) limb_text_put(t, "#include <math.h>\n");
  limb_text_put(t, "\n");
  put_constants(x, t, marks);
  if (any_marked(marks, x->first_sign, x->first_v))
    limb_text_put(t, "\nstatic double sign(double x) { return (x > 0) - (x < 0); }\n");
  for (int k = 0; k < WHATS; k++)
    if (limb_asks(what, k)) put_function(x, t, k, marks);
}
