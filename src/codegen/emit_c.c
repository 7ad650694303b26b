// C: source files with functions of straight-line code, and sines and cosines without math.h.
//
// The method for sines is that of W. J. Cody and W. Waite, Software Manual for the Elementary Functions (1980), ch.
// 8, without bit operations:
//
//   x = k pi/2 + r + t,  k = round(2 x / pi),  |r| <= pi/4,  t what r is rounded by
//   sin(r + t) = r + (t + r^3 S(r^2)),  cos(r + t) = 1 - r^2/2 + (r^4 C(r^2) - r t)
//   k = 4 i + m with m in {-2 ... 2},  k = 2 j + p with p in {-1, 0, 1}:
//   u = cos(k pi/2) = 1 - (m^2 + p^2) / 2,  w = sin(k pi/2) = m p^2
//   sin x = u sin(r + t) + w cos(r + t),  cos x = u cos(r + t) - w sin(r + t)
//
// Reduction: pi/2 is split into parts such that k times each part but the last is exact. The polynomials do not wait
// for t, nor the quadrant for either, so the chain of dependent operations is short. Coefficients are minimax; those
// of double are as in fdlibm (Sun Microsystems, 1993). Adding and subtracting a large number rounds to whole numbers.
// The last line multiplies by 0, 1 or -1 only, and is exact. There are no branches and no conversions, so compilers
// vectorise the loop over the angles.
//
// Accuracy in |x| <= 1e5, measured: 1.2 units in the last place; of float next to zeros of the function 4e-12
// absolute.
#include "codegen/codegen_impl.h"

#include <string.h>

// ---- sines and cosines ---------------------------------------------------------------------------------------------

static const char text_double[] =
  "    const value y = x[i];\n"
  "    const value k = ((y * 0x1.45f306dc9c883p-1) + 0x1.8p+52) - 0x1.8p+52;\n"
  "    const value r1 = y - (k * 0x1.921fb544p+0);\n"
  "    const value r = r1 - (k * 0x1.0b4611a6p-34);\n"
  "    const value lost = (r1 - r) - (k * 0x1.0b4611a6p-34);\n"
  "    const value t = lost - (k * 0x1.3198a2e037073p-69);\n"
  "    const value z = r * r;\n"
  "    const value z2 = z * z;\n"
  "    const value z4 = z2 * z2;\n"
  "    const value ps = ((-1.66666666666666324348e-01 + (8.33333333332248946124e-03 * z)) +\n"
  "      (z2 * (-1.98412698298579493134e-04 + (2.75573137070700676789e-06 * z)))) +\n"
  "      (z4 * (-2.50507602534068634195e-08 + (1.58969099521155010221e-10 * z)));\n"
  "    const value pc = ((4.16666666666666019037e-02 + (-1.38888888888741095749e-03 * z)) +\n"
  "      (z2 * (2.48015872894767294178e-05 + (-2.75573143513906633035e-07 * z)))) +\n"
  "      (z4 * (2.08757232129817482790e-09 + (-1.13596475577881948265e-11 * z)));";

static const char text_single[] =
  "    const value y = x[i];\n"
  "    const value k = ((y * 0x1.45f306p-1f) + 0x1.8p+23f) - 0x1.8p+23f;\n"
  "    const value r1 = (y - (k * 0x1.92p+0f)) - (k * 0x1.fap-12f);\n"
  "    const value r2 = r1 - (k * 0x1.54p-20f);\n"
  "    const value lost = (r1 - r2) - (k * 0x1.54p-20f);\n"
  "    const value small = (lost - (k * 0x1.1p-30f)) - (k * 0x1.68c234p-39f);\n"
  "    const value r = r2 + small;\n"
  "    const value t = (r2 - r) + small;\n"
  "    const value z = r * r;\n"
  "    const value z2 = z * z;\n"
  "    const value ps = (-0x1.555546p-3f + (0x1.110772p-7f * z)) + (-0x1.995058p-13f * z2);\n"
  "    const value pc = (0x1.55554ap-5f + (-0x1.6c0c1ap-10f * z)) + (0x1.99e0eep-16f * z2);";

static const char text_quadrant[] = "    const value sr = r + (t + ((r * z) * ps));\n"
                                    "    const value half = 0.5@S * z;\n"
                                    "    const value rest = 1.0@S - half;\n"
                                    "    const value cr = rest + (((1.0@S - rest) - half) + ((z2 * pc) - (r * t)));\n"
                                    "    const value m = k - (4.0@S * (((0.25@S * k) + @B) - @B));\n"
                                    "    const value p = k - (2.0@S * (((0.5@S * k) + @B) - @B));\n"
                                    "    const value odd = p * p;\n"
                                    "    const value u = 1.0@S - (0.5@S * ((m * m) + odd));\n"
                                    "    const value w = m * odd;\n"
                                    "    s[i] = (u * sr) + (w * cr);\n"
                                    "    c[i] = (u * cr) - (w * sr);\n"
                                    "  }\n"
                                    "}\n";

static const char text_head[] =
  "#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)\n"
  "#error \"the sines below need arithmetic as written: no -ffast-math, no -fassociative-math\"\n"
  "#endif\n"
  "#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ != 0) && (__FLT_EVAL_METHOD__ != 16)\n"
  "#error \"the sines below need every operation rounded: on x86, -mfpmath=sse\"\n"
  "#endif\n"
  "\n"
  "/*\n"
  " * Sines and cosines of n angles within +-1e5. For larger angles, and for infinities and NaN, the\n"
  " * results are undefined.\n"
  " */\n"
  "static inline void @P_sines(const int n,\n"
  "  const @V* restrict x,\n"
  "  @V* restrict s,\n"
  "  @V* restrict c)\n"
  "{\n"
  "#if defined(__clang__) && (__clang_major__ >= 12) /* which does not say -fassociative-math */\n"
  "#pragma clang fp reassociate(off)\n"
  "#endif\n"
  "  typedef @V value;\n"
  "  for (int i = 0; i < n; i++) {";

void limb_c_define_sines(limb_emitter* e)
{
  limb_emit_template(e, NULL, 0, text_head);
  limb_emit_template(e, NULL, 0, e->options.single ? text_single : text_double);
  limb_emit_template(e, NULL, 0, text_quadrant);
}

static void text(limb_emitter* e, const char* piece) { limb_text_put(e->text, piece); }

// ---- the beginning of a function -----------------------------------------------------------------------------------

// Marks arguments that are not used for this robot.
static void put_unused(limb_emitter* e, const limb_emitted* p)
{
  const limb_schedule* l = &p->schedule;
  bool used[INPUT_KINDS] = {false};
  for (uint32_t n = 0; n < l->nodes; n++) {
    const limb_node* x = limb_graph_node(l->g, n);
    if (l->uses[n] && x->op == OP_SYMBOL) used[limb_symbol_kind(x->a)] = true;
  }
  for (int k = 0; k < INPUT_KINDS; k++) {
    if (used[k] || !limb_emit_takes_input(e, p->f, (limb_input_kind)k)) continue;
    limb_text_print(e->text, "  (void)%s;\n", e->program->input[k].name);
  }
  if (!limb_emit_sines_given(e, p)) return;
  if (!limb_emit_uses(p, OP_SIN)) text(e, "  (void)sine;\n");
  if (!limb_emit_uses(p, OP_COS)) text(e, "  (void)cosine;\n");
}

// Whether the angles are consecutive coordinates, at least one group of them; the first.
static bool are_coordinates(const limb_emitter* e, const limb_emitted* p, uint32_t* first)
{
  const limb_schedule* l = &p->schedule;
  if (e->options.lanes > 1 || l->nangle < LIMB_SINES_PAD) return false;
  for (uint32_t i = 0; i < l->nangle; i++) {
    const limb_node* x = limb_graph_node(l->g, l->angle[i].node);
    if (x->op != OP_SYMBOL || limb_symbol_kind(x->a) != INPUT_Q) return false;
    if (i == 0) *first = limb_symbol_index(x->a);
    if (limb_symbol_index(x->a) != *first + i) return false;
  }
  return true;
}

// Reads consecutive coordinates in place, because copies would delay each group. The last group overlaps the one
// before so that it is complete.
static void put_sines_of_coordinates(limb_emitter* e, const limb_emitted* p, uint32_t first)
{
  const uint32_t n = p->schedule.nangle;
  for (uint32_t i = 0; i < n; i += LIMB_SINES_PAD) {
    const uint32_t at = i + LIMB_SINES_PAD <= n ? i : n - LIMB_SINES_PAD;
    limb_text_print(e->text, "  %s_sines(%d, &%s[%u], &sine[%u], &cosine[%u]);\n", e->prefix, LIMB_SINES_PAD,
                    e->program->input[INPUT_Q].name, first + at, at, at);
  }
}

// Arrays of angles, and of their sines by the function in the text.
static void put_own_sines(limb_emitter* e, const limb_emitted* p)
{
  const uint32_t n = limb_c_sine_count(e, p);
  uint32_t first = 0;
  if (are_coordinates(e, p, &first)) {
    limb_text_print(e->text, "  %s sine[%u];\n  %s cosine[%u];\n", e->value, n, e->value, n);
    put_sines_of_coordinates(e, p, first);
    return;
  }
  limb_emit_begin(e);
  limb_text_print(&e->scratch, "const %s angle[%u] = {", e->value, n);
  for (uint32_t i = 0; i < n; i++) {
    if (i) limb_text_put(&e->scratch, ",\v");
    if (i < p->schedule.nangle) {
      limb_emit_leaf(e, p, p->schedule.angle[i].node);
    } else {
      limb_emit_literal(e, 0);
    }
  }
  limb_text_put(&e->scratch, "};");
  limb_emit_flush(e);
  limb_text_print(e->text, "  %s sine[%u];\n  %s cosine[%u];\n", e->value, n, e->value, n);
  limb_text_print(e->text, "  %s_sines(%u, angle, sine, cosine);\n", e->prefix, n);
}

// ---- functions -----------------------------------------------------------------------------------------------------

static void put_whole(limb_emitter* e, const limb_emitted* p)
{
  const bool own = e->options.sines == LIMB_SINES_OWN && p->schedule.nangle;
  const uint32_t sums = own ? p->schedule.angle_sums : 0;
  limb_emit_statements(e, p, 0, sums);
  if (own) put_own_sines(e, p);
  limb_emit_statements(e, p, sums, p->schedule.count);
}

// Margins are local. The status is whether all of them are positive, which NaN is not; of lanes a bit for each, as
// vectors that are returned depend on the instruction set.
static void put_margins(limb_emitter* e, const limb_emitted* p)
{
  const limb_output* margin = &p->f->output[p->f->noutput];
  if (p->f->judged) limb_text_print(e->text, "  %s %s[%d];\n", e->value, margin->name, margin->rows);
}

static void put_status(limb_emitter* e, const limb_emitted* p)
{
  const limb_output* margin = &p->f->output[p->f->noutput];
  const bool lanes = e->options.lanes > 1, single = e->options.single != 0;
  const char *type = lanes ? "mask" : "int", *zero = lanes ? "none" : single ? "0.0f" : "0.0";
  if (!p->f->judged) return;
  if (lanes)
    limb_text_print(e->text,
                    "  typedef %s mask __attribute__((vector_size(%ld)));\n  const %s none = {0};\n  int bad = 0;\n",
                    single ? "int" : "long long", limb_emit_bytes(e), e->value);
  limb_text_print(e->text, "  %s good = (%s)(%s[0] > %s);\n", type, type, margin->name, zero);
  for (int i = 1; i < margin->rows; i++)
    limb_text_print(e->text, "  good &= (%s)(%s[%d] > %s);\n", type, margin->name, i, zero);
  if (lanes)
    limb_text_print(e->text, "  for (int k = 0; k < %d; k++) bad |= (good[k] == 0) << k;\n  return bad;\n",
                    e->options.lanes);
  else
    text(e, "  return 1 - good;\n");
}

static void put_function(limb_emitter* e, limb_emitted* p)
{
  const bool split = limb_c_is_split(e, p);
  const bool own = e->options.sines == LIMB_SINES_OWN && p->schedule.nangle;
  limb_c_parts parts = {0};
  limb_emit_reset_joints(e);
  if (own) p->kept = 3 * (long)limb_c_sine_count(e, p) * limb_emit_bytes(e);
  if (split) {
    if (!limb_c_parts_begin(e, p, &parts)) {
      e->text->failed = true;
      return;
    }
    p->kept += (long)parts.places * limb_emit_bytes(e);
    limb_c_parts_define(e, p, &parts);
    limb_emit_reset_joints(e);
  }
  p->stack += p->kept;
  limb_c_numbers_define(e, p);
  limb_c_prototype(e, p, "");
  text(e, "{\n");
  put_unused(e, p);
  put_margins(e, p);
  if (split) {
    if (parts.places) limb_text_print(e->text, "  %s w[%u];\n", e->value, parts.places);
    if (limb_emit_sines_in_arrays(e)) limb_emit_statements(e, p, 0, p->schedule.angle_sums);
    if (own) put_own_sines(e, p);
    limb_c_parts_call(e, p, &parts);
    limb_c_parts_end(e, p, &parts);
  } else {
    put_whole(e, p);
  }
  limb_c_numbers_call(e, p);
  put_status(e, p);
  text(e, "}\n");
}

// ---- the file ------------------------------------------------------------------------------------------------------

void limb_emit_c_source(limb_emitter* e)
{
  const bool libm = e->options.sines == LIMB_SINES_LIBM;
  const bool sines = limb_emit_any_uses(e, OP_SIN) || limb_emit_any_uses(e, OP_COS);
  const bool others = limb_emit_any_uses(e, OP_SQRT) || limb_emit_any_uses(e, OP_TANH);
  limb_c_head_comment(e, "functions for this robot.");
  if ((libm && sines) || others) text(e, "#include <math.h>\n");
  text(e, "\n");
  limb_c_lane_type(e);
  for (int i = 0; i < e->nfunction; i++) limb_c_prototype(e, &e->function[i], ";");
  text(e, "\n");
  limb_c_part_macro(e);
  if (limb_emit_any_uses(e, OP_SIGN)) limb_emit_template(e, NULL, 0, e->syntax->sign);
  if (e->options.sines == LIMB_SINES_OWN && sines) limb_c_define_sines(e);
  for (int i = 0; i < e->nfunction; i++) {
    if (i) text(e, "\n");
    limb_text_print(e->text, "/* %s */\n", e->function[i].f->meaning);
    put_function(e, &e->function[i]);
  }
}
