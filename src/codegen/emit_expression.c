// Expressions and lines of any language (codegen_impl.h).
//
// Every product within a sum is in brackets, as the rules for safe C ask. Sums of sums and products of products are
// written without brackets where they are evaluated from the left anyway.
#include "base/number.h"
#include "codegen/codegen_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// clang-format off
const limb_syntax limb_syntaxes[] = {
  [LIMB_LANGUAGE_C] = {LIMB_LANGUAGE_C, .comment = "/* ", .comment_end = " */", .indent = "  ", .declare = "const ",
    .typed = "%s ", .assign = " = ", .end = ";", .continuation = "", .margin = "  ", .open = "[", .close = "]",
    .times = " *\v", .over = " /\v", .call = {"sin", "cos", "sqrt", NULL, "tanh"},
    .sign = "/* -1, 0 or 1 */\nstatic inline @R @P_sign(const @R x)\n{\n"
            "  return (@R)((x > 0.0@S) - (x < 0.0@S));\n}\n"},
  [LIMB_LANGUAGE_PYTHON] = {LIMB_LANGUAGE_PYTHON, .comment = "# ", .comment_end = "", .indent = "    ", .declare = "",
    .assign = " = ", .end = "", .continuation = "", .margin = "    ", .wrapped = true, .open = "[", .close = "]",
    .matrix = "[%u][%u]", .times = " *\v", .over = " /\v",
    .call = {"math.sin", "math.cos", "math.sqrt", NULL, "math.tanh"}, .opening = "import math", .begin = "def @N(@A):",
    .finish = "    return @O", .zeros = "    @o = [0.0] * @r", .zero_rows = "    @o = [[0.0] * @c for _ in range(@r)]",
    .sign = "\n\ndef @P_sign(x):\n    return float((x > 0) - (x < 0))", .judged = "ArithmeticError",
    .judge = "    if not all(x > 0.0 for x in @o):\n        raise ArithmeticError(\"@N: singular, or nearly so\")"},
  [LIMB_LANGUAGE_MATLAB] = {LIMB_LANGUAGE_MATLAB, .comment = "% ", .comment_end = "", .indent = "  ", .declare = "",
    .assign = " = ", .end = ";", .continuation = " ...", .margin = "  ", .open = "(", .close = ")",
    .matrix = "(%u, %u)", .first = 1, .times = " *\v", .over = " /\v", .call = {"sin", "cos", "sqrt", "sign", "tanh"},
    // a file exports its first function only, which returns handles to the others
    .opening = "% f = @P(); tau = f.tau(q, v, a) and so on.\nfunction f = @P()\n@Fend",
    .begin = "function [@O] = @N(@A)", .finish = "end", .zeros = "  @o = zeros(@r, @c);",
    .zero_rows = "  @o = zeros(@r, @c);", .judged = "an error, limb:singular",
    .judge = "  if ~all(@o > 0), error('limb:singular', '@N: singular, or nearly so'); end"},
  [LIMB_LANGUAGE_JULIA] = {LIMB_LANGUAGE_JULIA, .comment = "# ", .comment_end = "", .indent = "    ", .declare = "",
    .assign = " = ", .end = "", .continuation = "", .margin = "    ", .open = "[", .close = "]",
    .matrix = "[%u, %u]", .first = 1, .times = " *\v", .over = " /\v", .call = {"sin", "cos", "sqrt", "sign", "tanh"},
    .begin = "function @N(@A)", .finish = "    return @O\nend", .zeros = "    @o = zeros(@r)",
    .zero_rows = "    @o = zeros(@r, @c)", .judged = "an error",
    .judge = "    minimum(@o) > 0 || error(\"@N: singular, or nearly so\")"},
  [LIMB_LANGUAGE_RUST] = {LIMB_LANGUAGE_RUST, .comment = "// ", .comment_end = "", .indent = "    ", .declare = "let ",
    .assign = " = ", .end = ";", .continuation = "", .margin = "    ", .open = "[", .close = "]",
    .matrix = "[%u][%u]", .times = " *\v", .over = " /\v", .call = {"sin", "cos", "sqrt", NULL, "tanh"},
    .typed_calls = true, .opening = "// Sines, square roots and hyperbolic tangents are those of std.",
    .begin = "#[allow(non_snake_case, unused_variables, clippy::all)]\npub fn @N(@A) -> @<@(@T@)@> {",
    .finish = "    @{@(@O@)@}\n}", .judged = "None",
    .judge = "    if !@o.iter().all(|x| *x > 0.0) {\n        return None;\n    }",
    .zeros = "    let mut @o = [0.0; @r];", .zero_rows = "    let mut @o = [[0.0; @c]; @r];",
    .sign = "\n#[allow(non_snake_case)]\nfn @P_sign(x: @R) -> @R {\n"
            "    f32::from(i8::from(x > 0.0) - i8::from(x < 0.0))@D\n}"},
  [LIMB_LANGUAGE_LATEX] = {LIMB_LANGUAGE_LATEX, .comment = "% ", .comment_end = "", .indent = "  ", .declare = "",
    .assign = " &= ", .end = " \\\\", .continuation = " \\\\", .margin = "&\\quad {}", .open = "_{", .close = "}",
    .matrix = "_{%u,%u}", .first = 1, .times = " \\, ", .over = NULL,
    .call = {"\\sin", "\\cos", "\\sqrt", "\\operatorname{sgn}", "\\tanh"},
    .opening = "% Include it where amsmath is loaded.", .begin = "\\begingroup\\allowdisplaybreaks\n\\begin{align*}",
    .finish = "\\end{align*}\n\\endgroup"},
};
// clang-format on

enum { WRAP = 1, UNWRAP = 2 }; // in scratch: brackets, if the statement spans several lines

static void put(limb_emitter* e, const char* piece) { limb_text_put(&e->scratch, piece); }

void limb_emit_wrap(limb_emitter* e, bool open)
{
  const char piece[2] = {open ? WRAP : UNWRAP, '\0'};
  if (e->syntax->wrapped) put(e, piece);
}

// ---- lines ---------------------------------------------------------------------------------------------------------

void limb_emit_begin(limb_emitter* e)
{
  limb_text_clear(&e->scratch);
  put(e, e->syntax->indent);
}

static void put_char(limb_text* t, char c)
{
  const char piece[2] = {c, '\0'};
  limb_text_put(t, piece);
}

// Columns from here to the next blank where the line may be broken.
static size_t word_length(const char* s)
{
  size_t n = 0;
  for (; *s && *s != '\v'; s++) n += *s != WRAP && *s != UNWRAP;
  return n;
}

void limb_emit_flush(limb_emitter* e)
{
  const char* s = e->scratch.at;
  if (e->scratch.failed || !s) {
    e->text->failed = true;
    return;
  }
  const size_t spare = strlen(e->syntax->continuation) + 1;
  const bool long_one = e->scratch.used > LIMB_LINE;
  size_t column = 0;
  for (; *s; s++) {
    if (*s == WRAP || *s == UNWRAP) {
      if (!long_one) continue;
      put_char(e->text, *s == WRAP ? '(' : ')');
    } else if (*s == '\v' && column + 1 + word_length(s + 1) + spare > LIMB_LINE) {
      limb_text_put(e->text, e->syntax->continuation);
      limb_text_put(e->text, "\n");
      limb_text_put(e->text, e->syntax->indent);
      limb_text_put(e->text, e->syntax->margin);
      column = strlen(e->syntax->indent) + strlen(e->syntax->margin);
      continue;
    } else {
      put_char(e->text, (char)(*s == '\v' ? ' ' : *s));
    }
    column = *s == '\n' ? 0 : column + 1;
  }
  limb_text_put(e->text, "\n");
}

// ---- leaves --------------------------------------------------------------------------------------------------------

// The shortest digits that read back to the same float, found from the shortest ones of the double.
static void print_single(float x, char text[LIMB_NUMBER_SPACE])
{
  char full[LIMB_NUMBER_SPACE];
  limb_print_number((double)x, full);
  const size_t n = strlen(full);
  for (int digits = 1; digits <= 9; digits++) {
    // the number cut to this many digits, or one unit of the last digit more
    char cut[LIMB_NUMBER_SPACE];
    int seen = 0;
    size_t last = n;
    memcpy(cut, full, n + 1);
    for (size_t i = 0; i < n && cut[i] != 'e'; i++) {
      if (cut[i] == '.' || (seen == 0 && cut[i] == '0')) continue;
      if (seen < digits) last = i;
      if (seen++ >= digits) cut[i] = '0';
    }
    for (int up = 0; up < 2 && last < n; up++) {
      double y;
      limb_scan_number(cut, cut + n, &y);
      if ((float)y == x) {
        limb_print_number(y, text);
        return;
      }
      if (cut[last] == '9') break; // a carry would be needed; one digit more will do
      cut[last]++;
    }
  }
  memcpy(text, full, n + 1);
}

void limb_emit_literal(limb_emitter* e, double x)
{
  char text[LIMB_NUMBER_SPACE];
  if (e->options.single) {
    print_single((float)x, text);
  } else {
    limb_print_number(x, text);
  }
  if (e->syntax->language == LIMB_LANGUAGE_LATEX) {
    limb_text_tex_number(&e->scratch, text);
    return;
  }
  put(e, text);
  if (!strpbrk(text, ".en")) put(e, ".0"); // integers, but not 1e+20
  if (e->syntax->language == LIMB_LANGUAGE_C && e->options.single) put(e, "f");
}

void limb_emit_value(limb_emitter* e, const limb_emitted* p, uint32_t node)
{
  const bool tex = e->syntax->language == LIMB_LANGUAGE_LATEX;
  const char *open = tex ? "_{" : "", *close = tex ? "}" : "";
  const limb_op op = (limb_op)limb_graph_node(e->program->graph, node)->op;
  const uint32_t k = p->schedule.number[node];
  if (limb_is_sine(op)) {
    const char* name = p->schedule.angle[k].name;
    limb_text_print(&e->scratch, "%s%s%s%s", op == OP_SIN ? "s" : "c", open, name, close);
  } else {
    limb_text_print(&e->scratch, "t%s%u%s", open, k, close);
  }
}

// Mathematical letters for names in C. Where every coordinate has a rate (not for ball and free joints), velocities
// and accelerations are derivatives of q.
static const char* tex_letter(const limb_program* p, const char* name)
{
  static const char* const letters[][2] = {
    {"tau", "\\tau"}, {"Psi", "\\Psi"}, {"gamma", "\\gamma"}, {"multipliers", "\\lambda"}};
  const bool rates = p->input[INPUT_Q].count == p->input[INPUT_V].count;
  if (rates && strcmp(name, "v") == 0) return "\\dot q";
  if (rates && strcmp(name, "a") == 0) return "\\ddot q";
  for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
    if (strcmp(name, letters[i][0]) == 0) return letters[i][1];
  }
  return name[1] ? NULL : name;
}

void limb_emit_name(limb_emitter* e, const char* name)
{
  const bool tex = e->syntax->language == LIMB_LANGUAGE_LATEX;
  const char* letter = tex ? tex_letter(e->program, name) : NULL;
  if (!tex || letter) {
    put(e, letter ? letter : name);
    return;
  }
  put(e, "\\mathrm{");
  for (const char* c = name; *c; c++) {
    if (*c == '_') put(e, "\\");
    put_char(&e->scratch, *c);
  }
  put(e, "}");
}

void limb_emit_index(limb_emitter* e, const char* name, uint32_t index)
{
  const limb_syntax* s = e->syntax;
  limb_emit_name(e, name);
  limb_text_print(&e->scratch, "%s%u%s", s->open, index + (uint32_t)s->first, s->close);
}

static void put_symbol(limb_emitter* e, uint32_t symbol)
{
  const limb_input* in = &e->program->input[limb_symbol_kind(symbol)];
  limb_emit_index(e, in->name, limb_symbol_index(symbol));
}

void limb_emit_leaf(limb_emitter* e, const limb_emitted* p, uint32_t node)
{
  const limb_graph* g = e->program->graph;
  const limb_node* x = limb_graph_node(g, node);
  if (p->schedule.position[node]) {
    limb_emit_value(e, p, node);
  } else if (x->op == OP_NUMBER) {
    limb_emit_literal(e, limb_graph_number(g, node));
  } else {
    put_symbol(e, x->a);
  }
}

// ---- expressions ---------------------------------------------------------------------------------------------------

// The operation that a node is written as; OP_SYMBOL for a name or a number.
static limb_op written(const limb_emitter* e, const limb_emitted* p, uint32_t node)
{
  const limb_op op = (limb_op)limb_graph_node(e->program->graph, node)->op;
  return p->schedule.position[node] || !limb_operands(op) ? OP_SYMBOL : op;
}

static void put_operand(limb_emitter* e, const limb_emitted* p, uint32_t node, bool brackets)
{
  if (written(e, p, node) == OP_SYMBOL) {
    limb_emit_leaf(e, p, node);
    return;
  }
  if (brackets) put(e, "(");
  limb_emit_expression(e, p, node);
  if (brackets) put(e, ")");
}

static void put_sum(limb_emitter* e, const limb_emitted* p, const limb_node* x)
{
  const bool tex = e->syntax->language == LIMB_LANGUAGE_LATEX;
  const bool minus = limb_edge_minus(x->b);
  uint32_t a = limb_edge_node(x->a), b = limb_edge_node(x->b);
  if (!minus && written(e, p, b) == OP_ADD && written(e, p, a) != OP_ADD) {
    const uint32_t c = a;
    a = b, b = c;
  }
  const limb_op of_a = written(e, p, a), of_b = written(e, p, b);
  const bool call_a = limb_operands(of_a) == 1, call_b = limb_operands(of_b) == 1;
  put_operand(e, p, a, of_a != OP_ADD && !call_a && !tex);
  put(e, minus ? " -" : " +");
  put(e, e->inside ? " " : "\v");
  put_operand(e, p, b, of_b == OP_ADD || (!call_b && !tex));
}

static void put_product(limb_emitter* e, const limb_emitted* p, const limb_node* x)
{
  const bool tex = e->syntax->language == LIMB_LANGUAGE_LATEX;
  uint32_t a = limb_edge_node(x->a), b = limb_edge_node(x->b);
  const bool number = limb_graph_node(e->program->graph, a)->op == OP_NUMBER; // stays in front
  if (written(e, p, b) == OP_MUL && written(e, p, a) != OP_MUL && !number) {
    const uint32_t c = a;
    a = b, b = c;
  }
  const limb_op of_a = written(e, p, a), of_b = written(e, p, b);
  put_operand(e, p, a, of_a == OP_ADD || (of_a == OP_DIV && !tex));
  put(e, e->syntax->times);
  put_operand(e, p, b, of_b == OP_ADD || (!tex && (of_b == OP_MUL || of_b == OP_DIV)));
}

static void put_quotient(limb_emitter* e, const limb_emitted* p, const limb_node* x)
{
  const bool fraction = !e->syntax->over;
  if (fraction) put(e, "\\frac{");
  e->inside += fraction;
  put_operand(e, p, limb_edge_node(x->a), !fraction);
  put(e, fraction ? "}{" : e->syntax->over);
  put_operand(e, p, limb_edge_node(x->b), !fraction);
  e->inside -= fraction;
  if (fraction) put(e, "}");
}

static void put_call_name(limb_emitter* e, limb_op op)
{
  const char* name = e->syntax->call[op - OP_SIN];
  if (!name) {
    limb_text_print(&e->scratch, "%s_sign", e->prefix);
    return;
  }
  if (e->syntax->typed_calls) limb_text_print(&e->scratch, "%s::", e->real);
  put(e, name);
  if (e->syntax->language == LIMB_LANGUAGE_C && e->options.single) put(e, "f");
}

// A call for every lane: (lanes){tanh(t1[0]), tanh(t1[1])}
static void put_lane_calls(limb_emitter* e, const limb_emitted* p, const limb_node* x)
{
  limb_text_print(&e->scratch, "(%s){", e->value);
  for (int k = 0; k < e->options.lanes; k++) {
    if (k) put(e, ",\v");
    put_call_name(e, (limb_op)x->op);
    put(e, limb_edge_minus(x->a) ? "(-" : "(");
    limb_emit_leaf(e, p, limb_edge_node(x->a));
    limb_text_print(&e->scratch, "[%d])", k);
  }
  put(e, "}");
}

static void put_call(limb_emitter* e, const limb_emitted* p, const limb_node* x)
{
  if (e->options.lanes > 1) {
    put_lane_calls(e, p, x);
    return;
  }
  const bool minus = limb_edge_minus(x->a);
  const bool braces = x->op == OP_SQRT && e->syntax->language == LIMB_LANGUAGE_LATEX;
  put_call_name(e, (limb_op)x->op);
  put(e, braces ? "{" : "(");
  put(e, minus ? "-" : "");
  e->inside += braces;
  put_operand(e, p, limb_edge_node(x->a), minus);
  e->inside -= braces;
  put(e, braces ? "}" : ")");
}

void limb_emit_expression(limb_emitter* e, const limb_emitted* p, uint32_t node)
{
  const limb_node* x = limb_graph_node(e->program->graph, node);
  switch ((limb_op)x->op) {
  case OP_NUMBER: limb_emit_literal(e, limb_graph_number(e->program->graph, node)); break;
  case OP_SYMBOL: put_symbol(e, x->a); break;
  case OP_ADD: put_sum(e, p, x); break;
  case OP_MUL: put_product(e, p, x); break;
  case OP_DIV: put_quotient(e, p, x); break;
  default: put_call(e, p, x); break;
  }
}
