// The equations in LaTeX and in C.
//
// LaTeX (with amsmath): matrices where they fit on a line, else entry by entry. C: one function for each quantity,
// with the expressions as they are read. `limb codegen` writes fast functions.
#include "codegen/equations.h"
#include "codegen/text.h"

#include <string.h>

// ---- LaTeX ---------------------------------------------------------------------------------------------------------

enum { ROW = 240, CUT = 130 }; // characters of LaTeX: a row of a matrix, a line of an entry

// ---- names ---------------------------------------------------------------------------------------------------------

static const char* symbol_of(const limb_equations* x, int quantity)
{
  static const char* const symbols[EQUATIONS] = {"M", "C", "g",       "h",     "\\tau",       "T",
                                                 "U", "L", "\\Gamma", "\\Psi", "\\dot{\\Psi}"};
  if (limb_equations_with_loops(x, quantity)) return "\\tau + \\Psi^T \\lambda";
  return symbols[quantity];
}

static const char* arguments_of(const limb_equations* x, int quantity)
{
  if (quantity == EQUATION_TAU || quantity == EQUATION_CHRISTOFFEL) return "";
  if (!limb_equations_moves(quantity)) return "(q)";
  return x->spins ? "(q, v)" : "(q, \\dot{q})";
}

// Names of the robot with LaTeX's special characters escaped.
static void put_words(limb_text* t, const char* words)
{
  for (; *words; words++) {
    const char c[2] = {*words, '\0'};
    if (strchr("_%&#$", *words)) limb_text_put(t, "\\");
    limb_text_put(t, strchr("\\{}~^", *words) || *words < ' ' || *words > '~' ? "-" : c);
  }
}

// ---- matrices ------------------------------------------------------------------------------------------------------

static void put_matrix(const limb_equations* x, limb_text* t, int quantity)
{
  const limb_equations_dims s = limb_equations_size(x, quantity);
  limb_text_print(t, "%s%s &= \\begin{bmatrix}\n", symbol_of(x, quantity), arguments_of(x, quantity));
  for (int i = 0; i < s.rows; i++) {
    limb_text_put(t, "  ");
    for (int j = 0; j < (s.columns ? s.columns : 1); j++) {
      if (j) limb_text_put(t, " & ");
      limb_equations_entry(x, t, quantity, i, j);
    }
    limb_text_put(t, i + 1 < s.rows ? " \\\\\n" : "\n");
  }
  limb_text_put(t, "\\end{bmatrix}");
}

// Breaks a line at signs outside of brackets, or outside of functions if it is very long.
static void put_folded(limb_text* t, const char* line)
{
  int depth = 0, function = 0; // depth of the enclosing function's bracket; 0: none
  size_t since = 0;
  for (size_t i = 0; line[i]; i++, since++) {
    const char c[2] = {line[i], '\0'};
    if (line[i] == '(' && ++depth && !function && i && line[i - 1] >= 'a' && line[i - 1] <= 'z') function = depth;
    if (line[i] == ')' && depth-- == function) function = 0;
    const bool sign = i && line[i - 1] == ' ' && (line[i] == '+' || line[i] == '-') && line[i + 1] == ' ';
    if (sign && !function && since > (depth == 0 ? CUT : 2 * CUT)) {
      limb_text_put(t, "\\\\\n  &\\quad ");
      since = 0;
    }
    limb_text_put(t, c);
  }
}

static void latex_name(const limb_equations* x, limb_text* t, int quantity, int i, int j)
{
  const limb_equations_dims s = limb_equations_size(x, quantity);
  const bool symbols = quantity == EQUATION_CHRISTOFFEL, wide = s.rows > 9 || (!symbols && s.columns > 9);
  limb_text_print(t, limb_equations_with_loops(x, quantity) ? "(%s)" : "%s", symbol_of(x, quantity));
  if (limb_equations_is_scalar(quantity)) return;
  limb_text_print(t, "_{%d", i + 1);
  if (symbols) limb_text_print(t, wide ? ",%d" : "%d", j / x->nv + 1);
  if (s.columns) limb_text_print(t, wide ? ",%d" : "%d", (symbols ? j % x->nv : j) + 1);
  limb_text_put(t, "}");
}

// Entry (i, j): its name, also that of the mirrored entry of a symmetric matrix, and its expression.
static void latex_entry(const limb_equations* x, limb_text* t, int quantity, int i, int j)
{
  limb_text line = {.alloc = t->alloc};
  int i2, j2;
  limb_equations_entry(x, &line, quantity, i, j);
  latex_name(x, t, quantity, i, j);
  (void)limb_equations_repeats(x, quantity, i, j, &i2, &j2);
  if (i2 != i || j2 != j) {
    limb_text_put(t, " = ");
    latex_name(x, t, quantity, i2, j2);
  }
  limb_text_put(t, " &= ");
  if (line.at) put_folded(t, line.at);
  t->failed = t->failed || line.failed;
  limb_text_end(&line);
}

static void latex_entries(const limb_equations* x, limb_text* t, int quantity)
{
  const limb_equations_dims s = limb_equations_size(x, quantity);
  bool first = true;
  int i2, j2;
  for (int i = 0; i < s.rows; i++) {
    for (int j = 0; j < (s.columns ? s.columns : 1); j++) {
      if (limb_equations_repeats(x, quantity, i, j, &i2, &j2)) continue;
      if (!first) limb_text_put(t, " \\\\\n");
      first = false;
      latex_entry(x, t, quantity, i, j);
    }
  }
}

// Whether a matrix fits on the page. amsmath's matrices have at most COLUMNS_MAX columns.
static bool fits_on_line(const limb_equations* x, limb_text* t, int quantity)
{
  enum { COLUMNS_MAX = 10 };
  const limb_equations_dims s = limb_equations_size(x, quantity);
  bool all = s.columns <= COLUMNS_MAX && !limb_equations_is_scalar(quantity) && quantity != EQUATION_CHRISTOFFEL;
  for (int i = 0; i < s.rows; i++) {
    limb_text row = {.alloc = t->alloc};
    for (int j = 0; j < (s.columns ? s.columns : 1); j++) limb_equations_entry(x, &row, quantity, i, j);
    all = all && row.used <= ROW;
    t->failed = t->failed || row.failed;
    limb_text_end(&row);
  }
  return all;
}

// ---- symbols -------------------------------------------------------------------------------------------------------

static void latex_angles(const limb_equations* x, limb_text* t, const bool* marks)
{
  for (int k = 0; k < x->nangle; k++) {
    char index[16];
    const bool used = marks[limb_cosine(x, k)] || marks[limb_sine(x, k)];
    if (!used || !limb_equations_short_angle(x, k, index, sizeof index)) continue;
    for (int sine = 0; sine < 2; sine++) {
      if (!marks[limb_cosine(x, k) + sine]) continue;
      limb_text_put(t, "$");
      limb_equations_variable(x, t, limb_cosine(x, k) + sine, 1);
      limb_text_put(t, sine ? "$ & & $\\sin(" : "$ & & $\\cos(");
      limb_equations_angle(x, t, k);
      limb_text_put(t, ")$ \\\\\n");
    }
  }
}

// A row of the table: symbol, value, meaning.
static void put_parameter(const limb_equations* x, limb_text* t, int parameter)
{
  const limb_parameter_symbol* p = &x->parameters.list[parameter];
  limb_text meaning = {.alloc = t->alloc};
  limb_text_put(t, "$");
  limb_equations_variable(x, t, parameter, 1);
  limb_text_put(t, "$ & $");
  limb_equations_number(x, t, p->value);
  limb_text_put(t, "\\,\\mathrm{");
  for (const char* u = limb_parameter_unit(&x->parameters, p); *u; u++) {
    const char c[2] = {*u, '\0'};
    limb_text_put(t, *u == ' ' ? "\\," : c);
  }
  limb_text_put(t, "}$ & ");
  limb_parameter_meaning(&x->parameters, p, &meaning);
  if (meaning.at) put_words(t, meaning.at);
  limb_text_put(t, " \\\\\n");
  t->failed = t->failed || meaning.failed;
  limb_text_end(&meaning);
}

static void put_coordinate(const limb_equations* x, limb_text* t, int q)
{
  limb_text name = {.alloc = t->alloc};
  limb_coordinate_name(x->m, q, &name);
  limb_text_put(t, "$");
  limb_equations_variable(x, t, x->first_q + q, 1);
  limb_text_print(t, "$ & [%s] & coordinate of ", limb_coordinate_unit(x->m, q));
  if (name.at) put_words(t, name.at);
  limb_text_put(t, " \\\\\n");
  t->failed = t->failed || name.failed;
  limb_text_end(&name);
}

static void put_velocity(const limb_equations* x, limb_text* t, int v)
{
  limb_text name = {.alloc = t->alloc};
  limb_rate_name(x->m, v, &name);
  limb_text_put(t, "$");
  limb_equations_variable(x, t, x->first_v + v, 1);
  limb_text_print(t, "$ & [%s] & velocity of ", limb_rate_unit(x->m, v));
  if (name.at) put_words(t, name.at);
  limb_text_put(t, " \\\\\n");
  t->failed = t->failed || name.failed;
  limb_text_end(&name);
}

static void latex_symbols(const limb_equations* x, limb_text* t, const bool* marks)
{
  limb_text_put(t, "\\begin{tabular}{lll}\n");
  for (int i = 0; i < x->m->nq; i++) put_coordinate(x, t, i);
  for (int i = 0; i < x->nv && x->spins; i++) put_velocity(x, t, i);
  if (limb_equations_lambda(x))
    limb_text_put(t, "$\\lambda$ & & forces in the loops, one for each row of $\\Psi$ \\\\\n");
  latex_angles(x, t, marks);
  for (int v = 0; v < x->parameters.count; v++)
    if (marks[v]) put_parameter(x, t, v);
  if (limb_equations_axes(x, marks))
    limb_text_put(t, "$x$, $y$, $z$ & & axes of the compiled links "
                     "(\\texttt{limb info MODEL --mdh}), not of the model file \\\\\n");
  limb_text_put(t, "\\end{tabular}\n");
}

void limb_equations_document_latex(const limb_equations* x, limb_text* t, unsigned what, bool* marks)
{
  const char* remark;
  bool first = true;
  limb_text_put(t, "% ");
  limb_text_name(t, x->m->name);
  limb_text_print(t, ": %s\n", limb_equations_headline(x));
  for (int k = 0; (remark = limb_equations_note(x, k)); k++) limb_text_print(t, "%% %s\n", remark);
  limb_text_put(t, "\\begingroup\\allowdisplaybreaks\n\\begin{align*}\n");
  for (int k = 0; k < EQUATIONS; k++) {
    if (!limb_equations_has(what, k)) continue;
    limb_text_put(t, first ? "" : " \\\\\n");
    first = false;
    if (fits_on_line(x, t, k))
      put_matrix(x, t, k);
    else
      latex_entries(x, t, k);
  }
  limb_text_put(t, "\n\\end{align*}\n\\endgroup\n");
  latex_symbols(x, t, marks);
}

// ---- C -------------------------------------------------------------------------------------------------------------

static void c_constants(const limb_equations* x, limb_text* t, const bool* marks)
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

// The robot's name as an identifier.
static void c_prefix(const limb_equations* x, limb_text* t)
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

// Defines sines and cosines, each once.
static void c_angles(const limb_equations* x, limb_text* t, const bool* marks)
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

// Names of the function and of the array it fills; the symbol g is gravity.
static const char* c_name(const limb_equations* x, int quantity)
{
  if (limb_equations_with_loops(x, quantity)) return "tau_and_loops";
  return limb_equations_size(x, quantity).name;
}

static const char* c_array(const limb_equations* x, int quantity)
{
  return quantity == EQUATION_G ? "G" : c_name(x, quantity);
}

static void c_arguments(const limb_equations* x, limb_text* t, int quantity)
{
  const int nq = x->m->nq, nv = x->nv;
  const bool moves = limb_equations_moves(quantity);
  const limb_equations_dims s = limb_equations_size(x, quantity);
  const int entries = s.rows * (s.columns ? s.columns : 1);
  limb_text_print(t, "(const double q[%d], ", nq);
  if (moves) limb_text_print(t, "const double v[%d], ", nv);
  if (quantity == EQUATION_TAU) limb_text_print(t, "const double a[%d], ", nv);
  limb_text_print(t, "double %s[%d])\n{\n", c_array(x, quantity), entries);
}

// Marks arguments that this quantity does not use.
static void c_unused(const limb_equations* x, limb_text* t, int quantity, const bool* marks)
{
  const bool moves = limb_equations_moves(quantity);
  bool heavy = false;
  for (int i = 0; i < x->nv * x->nv; i++) heavy = heavy || x->M[i].count > 0;
  if (!any_marked(marks, x->first_angle, x->first_sign)) limb_text_put(t, "  (void)q;\n");
  if (moves && !any_marked(marks, x->first_sign, x->first_a)) limb_text_put(t, "  (void)v;\n");
  if (quantity == EQUATION_TAU && !heavy) limb_text_put(t, "  (void)a;\n");
}

static void c_entry(const limb_equations* x, limb_text* t, int quantity, int i, int j)
{
  const limb_equations_dims s = limb_equations_size(x, quantity);
  const int columns = s.columns ? s.columns : 1;
  const char* name = c_array(x, quantity);
  limb_text line = {.alloc = t->alloc};
  limb_text_print(&line, "  %s[%d] = ", name, i * columns + j);
  int i2, j2;
  if (limb_equations_repeats(x, quantity, i, j, &i2, &j2))
    limb_text_print(&line, "%s[%d]", name, i2 * columns + j2);
  else
    limb_equations_entry(x, &line, quantity, i, j);
  limb_text_put(&line, ";\n");
  if (line.at) limb_equations_break_lines(t, line.at, "        ");
  t->failed = t->failed || line.failed;
  limb_text_end(&line);
}

// Assigns every entry; many zeros by one loop.
static void c_entries(const limb_equations* x, limb_text* t, int quantity)
{
  const limb_equations_dims s = limb_equations_size(x, quantity);
  const int columns = s.columns ? s.columns : 1;
  bool all;
  const bool sparse = limb_equations_sparse(x, quantity, &all);
  if (sparse) {
    limb_text_print(t, "  for (int i = 0; i < %d; i++) %s[i] = 0;%s\n", s.rows * columns, c_array(x, quantity),
                    all ? "" : " /* all but those below */");
  }
  for (int i = 0; i < s.rows; i++) {
    for (int j = 0; j < columns; j++)
      if (!sparse || !limb_equations_is_zero(x, quantity, i, j)) c_entry(x, t, quantity, i, j);
  }
}

static void c_function(const limb_equations* x, limb_text* t, int quantity, bool* marks)
{
  memset(marks, 0, (size_t)limb_ring_count(x->ring) * sizeof *marks);
  limb_equations_mark_used(x, 1U << quantity, marks);
  limb_text_put(t, "\n");
  if (limb_equations_with_loops(x, quantity))
    limb_text_put(t, "/* tau + Psi^T lambda: what motors and loops apply together */\n");
  limb_text_put(t, "void ");
  c_prefix(x, t);
  limb_text_print(t, "_%s", c_name(x, quantity));
  c_arguments(x, t, quantity);
  c_unused(x, t, quantity, marks);
  c_angles(x, t, marks);
  c_entries(x, t, quantity);
  limb_text_put(t, "}\n");
}

// The comment at the top.
static void c_head(const limb_equations* x, limb_text* t, const bool* marks)
{
  const char *lambda = limb_equations_lambda(x), *axes = limb_equations_axes(x, marks), *remark;
  limb_text_put(t, "/* ");
  limb_text_name(t, x->m->name);
  limb_text_print(t, ": %s\n", limb_equations_headline(x));
  for (int i = 0; i < x->m->nq; i++) {
    limb_text_print(t, "   q[%d] [%s] coordinate of ", i, limb_coordinate_unit(x->m, i));
    limb_coordinate_name(x->m, i, t);
    limb_text_put(t, "\n");
  }
  for (int i = 0; i < x->nv && x->spins; i++) {
    limb_text_print(t, "   v[%d] [%s] velocity of ", i, limb_rate_unit(x->m, i));
    limb_rate_name(x->m, i, t);
    limb_text_put(t, "\n");
  }
  if (lambda) limb_text_print(t, "   lambda: %s\n", lambda);
  for (int k = 0; (remark = limb_equations_note(x, k)); k++) limb_text_print(t, "   %s\n", remark);
  if (axes) limb_text_print(t, "   x, y, z: %s\n", axes);
  limb_text_put(t, "   matrices row by row */\n");
}

void limb_equations_document_c(const limb_equations* x, limb_text* t, unsigned what, bool* marks)
{
  c_head(x, t, marks);
  if (any_marked(marks, x->first_angle, x->first_q)) limb_text_put(t, "#include <math.h>\n");
  if (any_marked(marks, 0, x->parameters.count)) limb_text_put(t, "\n");
  c_constants(x, t, marks);
  if (any_marked(marks, x->first_sign, x->first_v))
    limb_text_put(t, "\nstatic double sign(double x) { return (x > 0) - (x < 0); }\n");
  for (int k = 0; k < EQUATIONS; k++)
    if (limb_equations_has(what, k)) c_function(x, t, k, marks);
}
