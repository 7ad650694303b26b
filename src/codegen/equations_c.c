// The document of the equations in C: one function a quantity, with the expressions as they are read. Fast
// functions are what `limb codegen` writes.
#include "codegen/equations_impl.h"
#include "codegen/words.h"

#include <string.h>

static void put_constants(const limb_equations* x, limb_text* t, const bool* marks)
{
  for (int v = 0; v < x->parameters.count; v++) {
    const limb_parameter_symbol* p = &x->parameters.list[v];
    if (!marks[v]) continue;
    limb_text_print(t, "static const double %s%s = ", p->letters, p->index);
    limb_equations_number(x, t, p->value);
    limb_text_print(t, "; /* [%s] ", limb_parameter_unit(&x->parameters, p));
    limb_parameter_meaning(&x->parameters, p, t);
    limb_text_put(t, " */\n");
  }
}

// The robot's name as a word of C.
static void put_prefix(const limb_equations* x, limb_text* t)
{
  char name[48];
  limb_make_identifier(x->m->name, name, sizeof name);
  limb_text_put(t, name);
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

// Of the function; and of what it fills, where g is gravity's symbol.
static const char* name_of(const limb_equations* x, int quantity)
{
  if (limb_equations_with_loops(x, quantity)) return "tau_and_loops";
  return limb_equations_shape(x, quantity).name;
}

static const char* array_of(const limb_equations* x, int quantity)
{
  return quantity == WHAT_G ? "G" : name_of(x, quantity);
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
  limb_text_print(t, "double %s[%d])\n{\n", array_of(x, quantity), entries);
}

// What this quantity has no use for.
static void put_unused(const limb_equations* x, limb_text* t, int quantity, const bool* marks)
{
  const bool moves = quantity == WHAT_C || quantity == WHAT_H || quantity == WHAT_TAU;
  bool heavy = false;
  for (int i = 0; i < x->nv * x->nv; i++) heavy = heavy || x->M[i].count > 0;
  if (!any_marked(marks, x->first_angle, x->first_sign)) limb_text_put(t, "  (void)q;\n");
  if (moves && !any_marked(marks, x->first_sign, x->first_a)) limb_text_put(t, "  (void)v;\n");
  if (quantity == WHAT_TAU && !heavy) limb_text_put(t, "  (void)a;\n");
}

static void put_entry(const limb_equations* x, limb_text* t, int quantity, int i, int j)
{
  const limb_shape s = limb_equations_shape(x, quantity);
  const int columns = s.columns ? s.columns : 1;
  const char* name = array_of(x, quantity);
  limb_text line = {.alloc = t->alloc};
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

// Every entry is assigned; many zeros by one line.
static void put_entries(const limb_equations* x, limb_text* t, int quantity)
{
  const limb_shape s = limb_equations_shape(x, quantity);
  const int columns = s.columns ? s.columns : 1;
  bool all;
  const bool sparse = limb_equations_sparse(x, quantity, &all);
  if (sparse) {
    limb_text_print(t, "  for (int i = 0; i < %d; i++) %s[i] = 0;%s\n", s.rows * columns, array_of(x, quantity),
                    all ? "" : " /* all but those below */");
  }
  for (int i = 0; i < s.rows; i++) {
    for (int j = 0; j < columns; j++)
      if (!sparse || !limb_equations_is_zero(x, quantity, i, j)) put_entry(x, t, quantity, i, j);
  }
}

static void put_function(const limb_equations* x, limb_text* t, int quantity, bool* marks)
{
  memset(marks, 0, (size_t)limb_ring_count(x->ring) * sizeof *marks);
  limb_equations_mark(x, 1U << quantity, marks);
  limb_text_put(t, "\n");
  if (limb_equations_with_loops(x, quantity))
    limb_text_put(t, "/* tau + Psi^T lambda: what motors and loops apply together */\n");
  limb_text_put(t, "void ");
  put_prefix(x, t);
  limb_text_print(t, "_%s", name_of(x, quantity));
  put_arguments(x, t, quantity);
  put_unused(x, t, quantity, marks);
  put_turns(x, t, marks);
  put_entries(x, t, quantity);
  limb_text_put(t, "}\n");
}

// The comment at the top.
static void put_head(const limb_equations* x, limb_text* t, const bool* marks)
{
  const char *lambda = limb_equations_lambda(x), *axes = limb_equations_axes(x, marks), *remark;
  limb_text_put(t, "/* ");
  limb_text_name(t, x->m->name);
  limb_text_print(t, ": %s\n", limb_equations_motto(x));
  for (int i = 0; i < x->m->nq; i++) {
    limb_text_print(t, "   q[%d] [%s] coordinate of ", i, limb_coordinate_unit(x->m, i));
    limb_coordinate_name(x->m, i, t);
    limb_text_put(t, "\n");
  }
  if (lambda) limb_text_print(t, "   lambda: %s\n", lambda);
  for (int k = 0; (remark = limb_equations_remark(x, k)); k++) limb_text_print(t, "   %s\n", remark);
  if (axes) limb_text_print(t, "   x, y, z: %s\n", axes);
  limb_text_put(t, "   matrices row by row */\n");
}

void limb_equations_document_c(const limb_equations* x, limb_text* t, unsigned what)
{
  bool* marks = limb_ring_take(x->ring, (size_t)limb_ring_count(x->ring), sizeof *marks);
  if (!marks) {
    t->failed = true;
    return;
  }
  limb_equations_mark(x, what, marks);
  put_head(x, t, marks);
  if (any_marked(marks, x->first_angle, x->first_q)) limb_text_put(t, "#include <math.h>\n");
  if (any_marked(marks, 0, x->parameters.count)) limb_text_put(t, "\n");
  put_constants(x, t, marks);
  if (any_marked(marks, x->first_sign, x->first_v))
    limb_text_put(t, "\nstatic double sign(double x) { return (x > 0) - (x < 0); }\n");
  for (int k = 0; k < WHATS; k++)
    if (limb_asks(what, k)) put_function(x, t, k, marks);
}
