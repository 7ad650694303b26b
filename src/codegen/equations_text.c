// The equations as plain text, and what all notations share: sizes, entries, notes.
//
// Every line of an entry is NAME = EXPRESSION, with * + - ^ and brackets; continuation lines begin with eight blanks.
// Where many entries are zero, one line says so for all of them.
#include "codegen/equations.h"
#include "loops/loops_impl.h"

#include <string.h>

enum { WIDTH = 100, ZEROS_MAX = 3 }; // columns of a line; zeros that are written one by one

// ---- entries -------------------------------------------------------------------------------------------------------

limb_equations_dims limb_equations_size(const limb_equations* x, int quantity)
{
  const int n = x->nv;
  switch (quantity) {
  case EQUATION_M: return (limb_equations_dims){"M", n, n};
  case EQUATION_C: return (limb_equations_dims){"C", n, n};
  case EQUATION_G: return (limb_equations_dims){"g", n, 0};
  case EQUATION_H: return (limb_equations_dims){"h", n, 0};
  case EQUATION_TAU: return (limb_equations_dims){"tau", n, 0};
  case EQUATION_T: return (limb_equations_dims){"T", 1, 0};
  case EQUATION_U: return (limb_equations_dims){"U", 1, 0};
  case EQUATION_L: return (limb_equations_dims){"L", 1, 0};
  case EQUATION_CHRISTOFFEL: return (limb_equations_dims){"christoffel", n, n * n};
  case EQUATION_PSIDOT: return (limb_equations_dims){"Psidot", x->nrow, n};
  default: return (limb_equations_dims){"Psi", x->nrow, n};
  }
}

bool limb_equations_repeats(const limb_equations* x, int quantity, int i, int j, int* i2, int* j2)
{
  const int n = x->nv;
  *i2 = i, *j2 = j;
  if (quantity == EQUATION_M) *i2 = j, *j2 = i;
  if (quantity == EQUATION_CHRISTOFFEL) *j2 = j % n * n + j / n;
  return *i2 < i || (*i2 == i && *j2 < j);
}

// M_ij a_j, with brackets around sums.
static void put_acceleration(const limb_equations* x, limb_text* t, limb_poly m, int j, bool first)
{
  const char* times = x->options.notation == LIMB_NOTATION_LATEX ? " " : "*";
  if (m.count == 0) return;
  if (m.count == 1) {
    limb_equations_sum(x, t, m, first);
  } else {
    limb_text_put(t, first ? "(" : " + (");
    limb_equations_sum(x, t, m, true);
    limb_text_put(t, ")");
  }
  limb_text_put(t, times);
  limb_equations_variable(x, t, x->first_a + j, 1);
}

// tau_i = sum M_ij a_j + (C v)_i + g_i + joint forces
static void put_force(const limb_equations* x, limb_text* t, int i)
{
  const limb_poly rest[3] = {x->Cv[i], x->g[i], x->joint_forces[i]};
  bool first = true;
  for (int j = 0; j < x->nv; j++) {
    put_acceleration(x, t, x->M[i * x->nv + j], j, first);
    first = first && x->M[i * x->nv + j].count == 0;
  }
  for (int k = 0; k < 3; k++) {
    limb_equations_sum(x, t, rest[k], first && k == 2);
    if (rest[k].count == 0) continue;
    first = false;
  }
}

// h_i = (C v)_i + g_i
static void put_bias(const limb_equations* x, limb_text* t, int i)
{
  const bool moves = x->Cv[i].count > 0;
  if (moves) limb_equations_sum(x, t, x->Cv[i], true);
  limb_equations_sum(x, t, x->g[i], !moves);
}

const limb_poly* limb_equations_entry_of(const limb_equations* x, int quantity, int i, int j)
{
  const int at = i * x->nv + j;
  switch (quantity) {
  case EQUATION_M: return &x->M[at];
  case EQUATION_C: return &x->C[at];
  case EQUATION_G: return &x->g[i];
  case EQUATION_PSI: return &x->Psi[at];
  case EQUATION_PSIDOT: return &x->Psidot[at];
  case EQUATION_T: return &x->T;
  case EQUATION_U: return &x->U;
  case EQUATION_L: return &x->L;
  case EQUATION_CHRISTOFFEL: return &x->Gamma[i * x->nv * x->nv + j];
  default: return NULL;
  }
}

void limb_equations_entry(const limb_equations* x, limb_text* t, int quantity, int i, int j)
{
  const limb_poly* a = limb_equations_entry_of(x, quantity, i, j);
  if (a) limb_equations_sum(x, t, *a, true);
  if (quantity == EQUATION_H) put_bias(x, t, i);
  if (quantity == EQUATION_TAU) put_force(x, t, i);
}

bool limb_equations_is_zero(const limb_equations* x, int quantity, int i, int j)
{
  if (quantity != EQUATION_H && quantity != EQUATION_TAU) {
    const limb_poly* a = limb_equations_entry_of(x, quantity, i, j);
    return !a || a->count == 0;
  }
  int terms = x->Cv[i].count + x->g[i].count;
  if (quantity == EQUATION_H) return terms == 0;
  for (int k = 0; k < x->nv; k++) terms += x->M[i * x->nv + k].count;
  return terms + x->joint_forces[i].count == 0;
}

bool limb_equations_sparse(const limb_equations* x, int quantity, bool* all)
{
  const limb_equations_dims s = limb_equations_size(x, quantity);
  int zeros = 0, count = 0, i2, j2;
  for (int i = 0; i < s.rows; i++) {
    for (int j = 0; j < (s.columns ? s.columns : 1); j++) {
      if (limb_equations_repeats(x, quantity, i, j, &i2, &j2)) continue;
      zeros += limb_equations_is_zero(x, quantity, i, j);
      count++;
    }
  }
  *all = zeros == count;
  return zeros > ZEROS_MAX;
}

bool limb_equations_with_loops(const limb_equations* x, int quantity)
{
  return quantity == EQUATION_TAU && x->m->nloop > 0;
}

// ---- notes ---------------------------------------------------------------------------------------------------------

const char* limb_equations_headline(const limb_equations* x)
{
  static const char* const lines[2][3] = {
    {"M(q) a + C(q, v) v + g(q) = tau", "M(q) a + C(q, v) v + g(q) = tau + Psi(q)^T lambda",
     "M(q) a + C(q, v) v + g(q) = tau + Psi(q)^T lambda,  Psi(q) v = 0"},
    {"M(q) a + h(q, v) = tau", "M(q) a + h(q, v) = tau + Psi(q)^T lambda",
     "M(q) a + h(q, v) = tau + Psi(q)^T lambda,  Psi(q) v = 0"},
  };
  if (x->m->nloop == 0) return lines[x->spins][0];
  for (int l = 0; l < x->m->nloop; l++) { // Psi v is the rate of the prescribed motion
    if (x->m->loop[l].prescribed) return lines[x->spins][1];
  }
  return lines[x->spins][2];
}

static bool has_joint_forces(const limb_equations* x)
{
  for (int i = 0; i < x->nv; i++)
    if (x->joint_forces[i].count) return true;
  return false;
}

const char* limb_equations_note(const limb_equations* x, int k)
{
  const char* remarks[4] = {NULL};
  int count = 0;
  if (x->spins)
    remarks[count++] = "quaternions have norm 1; velocities of ball and free joints are in the axes of the body";
  if (has_joint_forces(x)) remarks[count++] = "friction counts in tau only, springs and shafts in tau, U and L";
  if (x->no_constraints) remarks[count++] = "Psi has no rows: no joint moves what the loops constrain";
  return k <= count ? remarks[k] : NULL;
}

const char* limb_equations_lambda(const limb_equations* x)
{
  if (x->m->nloop == 0 || x->no_constraints) return NULL;
  return "forces in the loops, one for each row of Psi";
}

const char* limb_equations_axes(const limb_equations* x, const bool* marks)
{
  for (int v = 0; v < x->parameters.count; v++) {
    const limb_parameter_kind kind = x->parameters.list[v].kind;
    if (!marks[v]) continue;
    if (kind == PARAMETER_LENGTH || kind == PARAMETER_COM || kind == PARAMETER_INERTIA)
      return "axes of the compiled links (limb info MODEL --mdh), not of the model file";
  }
  return NULL;
}

// ---- variables that occur ------------------------------------------------------------------------------------------

static void mark(const limb_equations* x, limb_poly a, bool* marks)
{
  for (int i = 0; i < a.count; i++) {
    const unsigned char* e = limb_monomial(x->ring, a.term[i].monomial);
    for (int v = 0; v < limb_ring_count(x->ring); v++) marks[v] = marks[v] || e[v];
  }
}

void limb_equations_mark_used(const limb_equations* x, unsigned what, bool* marks)
{
  const int n = x->nv;
  const bool tau = limb_equations_has(what, EQUATION_TAU), h = limb_equations_has(what, EQUATION_H) || tau;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      if (limb_equations_has(what, EQUATION_M) || tau) mark(x, x->M[i * n + j], marks);
      if (limb_equations_has(what, EQUATION_C)) mark(x, x->C[i * n + j], marks);
    }
    if (h) mark(x, x->Cv[i], marks);
    if (limb_equations_has(what, EQUATION_G) || h) mark(x, x->g[i], marks);
    if (tau) mark(x, x->joint_forces[i], marks);
  }
  for (int k = EQUATION_T; k < EQUATIONS; k++) {
    const limb_equations_dims s = limb_equations_size(x, k);
    const int columns = s.columns ? s.columns : 1;
    for (int i = 0; limb_equations_has(what, k) && i < s.rows * columns; i++)
      mark(x, *limb_equations_entry_of(x, k, i / columns, i % columns), marks);
  }
}

// ---- lines ---------------------------------------------------------------------------------------------------------

// The last sign where the line may break: in as few brackets as possible if that is not too far back, and never
// inside a function; 0: none.
static size_t break_at(const char* line, size_t width)
{
  size_t outside = 0, inside = 0;
  int depth = 0, min_depth = 1000, function = 0; // depth of the enclosing function's bracket; 0: none
  for (size_t i = 1; line[i] && i < width; i++) {
    if (line[i] == '=') outside = inside = 0, min_depth = 1000; // names are not broken
    if (line[i] == '(' && ++depth && !function && line[i - 1] >= 'a' && line[i - 1] <= 'z')
      function = depth; // sin(, cos(
    if (line[i] == ')' && depth-- == function) function = 0;
    const bool sign = line[i] == ' ' && strchr("+-", line[i + 1]) && line[i + 2] == ' ';
    if (!sign || function) continue;
    inside = i;
    if (depth <= min_depth) outside = i, min_depth = depth;
  }
  return outside > width / 3 ? outside : inside;
}

void limb_equations_break_lines(limb_text* t, const char* line, const char* indent)
{
  size_t width = WIDTH;
  for (;;) {
    size_t at = 0;
    for (size_t limit = width; strlen(line) > limit && at == 0; limit += WIDTH) // longer where no sign fits
      at = break_at(line, limit);
    if (at == 0) break;
    for (size_t i = 0; i < at; i++) {
      const char c[2] = {line[i], '\0'};
      limb_text_put(t, c);
    }
    limb_text_put(t, "\n");
    limb_text_put(t, indent);
    line += at + 1;
    width = WIDTH - strlen(indent);
  }
  limb_text_put(t, line);
}

// ---- text ----------------------------------------------------------------------------------------------------------

static void put_entry_name(const limb_equations* x, limb_text* t, int quantity, int i, int j)
{
  const limb_equations_dims s = limb_equations_size(x, quantity);
  const bool symbols = quantity == EQUATION_CHRISTOFFEL, wide = s.rows > 9 || (!symbols && s.columns > 9);
  limb_text_put(t, s.name);
  if (!limb_equations_is_scalar(quantity)) limb_text_print(t, "%d", i + 1);
  if (symbols) limb_text_print(t, wide ? "_%d" : "%d", j / x->nv + 1);
  if (s.columns) limb_text_print(t, wide ? "_%d" : "%d", (symbols ? j % x->nv : j) + 1);
  if (limb_equations_with_loops(x, quantity)) limb_text_print(t, " + (Psi^T lambda)%d", i + 1);
}

static void put_entry(const limb_equations* x, limb_text* t, int quantity, int i, int j)
{
  limb_text line = {.alloc = t->alloc};
  int i2, j2;
  put_entry_name(x, &line, quantity, i, j);
  (void)limb_equations_repeats(x, quantity, i, j, &i2, &j2);
  if (i2 != i || j2 != j) {
    limb_text_put(&line, " = ");
    put_entry_name(x, &line, quantity, i2, j2);
  }
  limb_text_put(&line, " = ");
  limb_equations_entry(x, &line, quantity, i, j);
  if (!line.failed) limb_equations_break_lines(t, line.at, "        ");
  limb_text_put(t, "\n");
  t->failed = t->failed || line.failed;
  limb_text_end(&line);
}

static void put_quantity(const limb_equations* x, limb_text* t, int quantity)
{
  const limb_equations_dims s = limb_equations_size(x, quantity);
  const char* loops = limb_equations_with_loops(x, quantity) ? " + Psi^T lambda" : "";
  bool all;
  const bool sparse = limb_equations_sparse(x, quantity, &all);
  int i2, j2;
  limb_text_put(t, "\n");
  for (int i = 0; i < s.rows; i++) {
    for (int j = 0; j < (s.columns ? s.columns : 1); j++) {
      if (limb_equations_repeats(x, quantity, i, j, &i2, &j2)) continue;
      if (sparse && limb_equations_is_zero(x, quantity, i, j)) continue;
      put_entry(x, t, quantity, i, j);
    }
  }
  if (sparse) limb_text_print(t, "all %sentries of %s%s are 0\n", all ? "" : "other ", s.name, loops);
}

// "m1 = 12.456 kg"
static void put_value(const limb_equations* x, limb_text* t, int parameter)
{
  const limb_parameter_symbol* p = &x->parameters.list[parameter];
  limb_equations_variable(x, t, parameter, 1);
  limb_text_put(t, " = ");
  limb_equations_number(x, t, p->value);
  limb_text_print(t, " %s", limb_parameter_unit(&x->parameters, p));
}

static void put_parameters(const limb_equations* x, limb_text* t, const bool* marks)
{
  limb_text value = {.alloc = t->alloc};
  size_t widest = 0;
  for (int pass = 0; pass < 2; pass++) { // measure, then write
    for (int v = 0; v < x->parameters.count; v++) {
      if (!marks[v]) continue;
      limb_text_clear(&value);
      put_value(x, &value, v);
      if (pass == 0) {
        widest = value.used > widest ? value.used : widest;
        continue;
      }
      limb_text_print(t, "  %-*s  ", (int)widest, value.at ? value.at : "");
      limb_parameter_meaning(&x->parameters, &x->parameters.list[v], t);
      limb_text_put(t, "\n");
    }
  }
  t->failed = t->failed || value.failed;
  limb_text_end(&value);
}

static void put_symbols(const limb_equations* x, limb_text* t, const bool* marks)
{
  const char *lambda = limb_equations_lambda(x), *axes = limb_equations_axes(x, marks);
  limb_text_put(t, "\nwhere\n");
  for (int i = 0; i < x->m->nq; i++) {
    limb_text_print(t, "  q%d [%s]", i + 1, limb_coordinate_unit(x->m, i));
    if (!x->spins) limb_text_print(t, ", velocity v%d, acceleration a%d", i + 1, i + 1);
    limb_text_put(t, ": ");
    limb_coordinate_name(x->m, i, t);
    limb_text_put(t, "\n");
  }
  for (int i = 0; i < x->nv && x->spins; i++) {
    limb_text_print(t, "  v%d [%s], acceleration a%d: ", i + 1, limb_rate_unit(x->m, i), i + 1);
    limb_rate_name(x->m, i, t);
    limb_text_put(t, "\n");
  }
  if (lambda) limb_text_print(t, "  lambda: %s\n", lambda);
  put_parameters(x, t, marks);
  if (axes) limb_text_print(t, "  x, y, z: %s\n", axes);
}

void limb_equations_document_text(const limb_equations* x, limb_text* t, unsigned what, bool* marks)
{
  const char* remark;
  limb_text_name(t, x->m->name);
  limb_text_print(t, ": %s\n", limb_equations_headline(x));
  for (int k = 0; (remark = limb_equations_note(x, k)); k++) limb_text_print(t, "(%s)\n", remark);
  for (int k = 0; k < EQUATIONS; k++)
    if (limb_equations_has(what, k)) put_quantity(x, t, k);
  put_symbols(x, t, marks);
}
