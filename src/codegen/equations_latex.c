// The document of the equations in LaTeX: matrices where they fit on a line, else entry by entry. Needs
// amsmath.
#include "codegen/equations_impl.h"

#include <string.h>

enum { ROW = 240, CUT = 130 }; // letters of source: a row of a matrix, a line of an entry

// ---- names ------------------------------------------------------------------------------------------------

static const char* symbol_of(const limb_equations* x, int quantity)
{
  static const char* const symbols[WHATS] = {"M", "C", "g", "h", "\\tau", "\\Psi"};
  if (limb_equations_with_loops(x, quantity)) return "\\tau + \\Psi^T \\lambda";
  return symbols[quantity];
}

static const char* arguments_of(int quantity)
{
  static const char* const arguments[WHATS] = {"(q)", "(q, \\dot{q})", "(q)", "(q, \\dot{q})", "", "(q)"};
  return arguments[quantity];
}

// Words of the robot, with what LaTeX would take for commands made harmless.
static void put_words(limb_text* t, const char* words)
{
  for (; *words; words++) {
    const char c[2] = {*words, '\0'};
    if (strchr("_%&#$", *words)) limb_text_put(t, "\\");
    limb_text_put(t, strchr("\\{}~^", *words) || *words < ' ' || *words > '~' ? "-" : c);
  }
}

// ---- matrices ---------------------------------------------------------------------------------------

static void put_matrix(const limb_equations* x, limb_text* t, int quantity)
{
  const limb_shape s = limb_equations_shape(x, quantity);
  limb_text_print(t, "%s%s &= \\begin{bmatrix}\n", symbol_of(x, quantity), arguments_of(quantity));
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

// Signs at which a line goes on below: outside of brackets, or of those of functions if it is very long.
static void put_folded(limb_text* t, const char* line)
{
  int depth = 0, function = 0; // depth of a function's bracket; 0: in none
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

// Entry (i, j): its name, also as the other half of a symmetric matrix, and its expression.
static void put_entry(const limb_equations* x, limb_text* t, int quantity, int i, int j)
{
  const limb_shape s = limb_equations_shape(x, quantity);
  const bool wide = s.rows > 9 || s.columns > 9;
  limb_text line = {.alloc = t->alloc};
  limb_equations_entry(x, &line, quantity, i, j);
  limb_text_print(t, limb_equations_with_loops(x, quantity) ? "(%s)_{%d" : "%s_{%d", symbol_of(x, quantity), i + 1);
  if (s.columns) limb_text_print(t, wide ? ",%d" : "%d", j + 1);
  limb_text_put(t, "}");
  if (quantity == WHAT_M && i != j) limb_text_print(t, wide ? " = M_{%d,%d}" : " = M_{%d%d}", j + 1, i + 1);
  limb_text_put(t, " &= ");
  if (line.at) put_folded(t, line.at);
  t->failed = t->failed || line.failed;
  limb_text_end(&line);
}

static void put_entries(const limb_equations* x, limb_text* t, int quantity)
{
  const limb_shape s = limb_equations_shape(x, quantity);
  bool first = true;
  for (int i = 0; i < s.rows; i++) {
    for (int j = quantity == WHAT_M ? i : 0; j < (s.columns ? s.columns : 1); j++) {
      if (!first) limb_text_put(t, " \\\\\n");
      first = false;
      put_entry(x, t, quantity, i, j);
    }
  }
}

// On a page; amsmath's matrices have no more columns than that.
static bool fits(const limb_equations* x, limb_text* t, int quantity)
{
  enum { COLUMNS_MOST = 10 };
  const limb_shape s = limb_equations_shape(x, quantity);
  bool all = s.columns <= COLUMNS_MOST;
  for (int i = 0; i < s.rows; i++) {
    limb_text row = {.alloc = t->alloc};
    for (int j = 0; j < (s.columns ? s.columns : 1); j++) limb_equations_entry(x, &row, quantity, i, j);
    all = all && row.used <= ROW;
    t->failed = t->failed || row.failed;
    limb_text_end(&row);
  }
  return all;
}

// ---- symbols ----------------------------------------------------------------------------------------

static void put_turns(const limb_equations* x, limb_text* t, const bool* marks)
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

static void put_symbols(const limb_equations* x, limb_text* t, const bool* marks)
{
  limb_text_put(t, "\\begin{tabular}{lll}\n");
  for (int i = 0; i < x->m->nq; i++) put_coordinate(x, t, i);
  if (limb_equations_lambda(x))
    limb_text_put(t, "$\\lambda$ & & forces in the loops, one for each row of $\\Psi$ \\\\\n");
  put_turns(x, t, marks);
  for (int v = 0; v < x->parameters.count; v++)
    if (marks[v]) put_parameter(x, t, v);
  if (limb_equations_axes(x, marks))
    limb_text_put(t, "$x$, $y$, $z$ & & axes of the compiled links "
                     "(\\texttt{limb info MODEL --mdh}), not of the model file \\\\\n");
  limb_text_put(t, "\\end{tabular}\n");
}

void limb_equations_document_latex(const limb_equations* x, limb_text* t, unsigned what)
{
  bool* marks = limb_ring_take(x->ring, (size_t)limb_ring_count(x->ring), sizeof *marks);
  const char* remark;
  bool first = true;
  if (!marks) {
    t->failed = true;
    return;
  }
  limb_equations_mark(x, what, marks);
  limb_text_put(t, "% ");
  limb_text_name(t, x->m->name);
  limb_text_print(t, ": %s\n", limb_equations_motto(x));
  for (int k = 0; (remark = limb_equations_remark(x, k)); k++) limb_text_print(t, "%% %s\n", remark);
  limb_text_put(t, "\\begingroup\\allowdisplaybreaks\n\\begin{align*}\n");
  for (int k = 0; k < WHATS; k++) {
    if (!limb_asks(what, k)) continue;
    limb_text_put(t, first ? "" : " \\\\\n");
    first = false;
    if (fits(x, t, k))
      put_matrix(x, t, k);
    else
      put_entries(x, t, k);
  }
  limb_text_put(t, "\n\\end{align*}\n\\endgroup\n");
  put_symbols(x, t, marks);
}
