// Sines as text: C without math.h (emit.h).
//
// Method: W. J. Cody and W. Waite, Software Manual for the Elementary Functions (1980), ch. 8, without bits:
//
//   x = k pi/2 + r + t,  k = round(2 x / pi),  |r| <= pi/4,  t what r is rounded by
//   sin(r + t) = r + (t + r^3 S(r^2)),  cos(r + t) = 1 - r^2/2 + (r^4 C(r^2) - r t)
//   k = 4 i + m with m in {-2 ... 2},  k = 2 j + p with p in {-1, 0, 1}:
//   u = cos(k pi/2) = 1 - (m^2 + p^2) / 2,  w = sin(k pi/2) = m p^2
//   sin x = u sin(r + t) + w cos(r + t),  cos x = u cos(r + t) - w sin(r + t)
//
// Reduction: pi/2 in parts of which k times each but the last is exact. The polynomials do not wait for t,
// nor the quadrant for either: few operations follow on each other. Coefficients: minimax; of double as in
// fdlibm (Sun Microsystems, 1993). Numbers are rounded to whole ones by adding and subtracting a large one.
// The last line multiplies by 0, 1 or -1 only, and is exact. There are no branches and no conversions, so
// compilers do several angles at once.
//
// Accuracy in |x| <= 1e5, measured: 1.2 units in the last place; of float next to zeros of the function 4e-12
// absolute.
#include "codegen/emit_c.h"

#include <string.h>

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
  "      (z4 * (2.08757232129817482790e-09 + (-1.13596475577881948265e-11 * z)));\n";

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
  "    const value pc = (0x1.55554ap-5f + (-0x1.6c0c1ap-10f * z)) + (0x1.99e0eep-16f * z2);\n";

// @1 stands for the suffix of literals, @B for the large number.
static const char text_quadrant[] = "    const value sr = r + (t + ((r * z) * ps));\n"
                                    "    const value half = 0.5@1 * z;\n"
                                    "    const value rest = 1.0@1 - half;\n"
                                    "    const value cr = rest + (((1.0@1 - rest) - half) + ((z2 * pc) - (r * t)));\n"
                                    "    const value m = k - (4.0@1 * (((0.25@1 * k) + @B) - @B));\n"
                                    "    const value p = k - (2.0@1 * (((0.5@1 * k) + @B) - @B));\n"
                                    "    const value odd = p * p;\n"
                                    "    const value u = 1.0@1 - (0.5@1 * ((m * m) + odd));\n"
                                    "    const value w = m * odd;\n"
                                    "    s[i] = (u * sr) + (w * cr);\n"
                                    "    c[i] = (u * cr) - (w * sr);\n"
                                    "  }\n"
                                    "}\n"
                                    "\n";

static const char text_head[] =
  "#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)\n"
  "#error \"the sines below need arithmetic as written: no -ffast-math, no -fassociative-math\"\n"
  "#endif\n"
  "#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ != 0) && (__FLT_EVAL_METHOD__ != 16)\n"
  "#error \"the sines below need every operation rounded: on x86, -mfpmath=sse\"\n"
  "#endif\n"
  "\n"
  "/*\n"
  " * Sines and cosines of n angles within +-1e5; beyond, and for what is not finite, the results\n"
  " * mean nothing.\n"
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
  "  for (int i = 0; i < n; i++) {\n";

// A text with its marks replaced.
static void put_template(limb_emitter* e, const char* s)
{
  const bool single = e->options.single;
  while (*s) {
    const char* mark = strchr(s, '@');
    const int n = mark ? (int)(mark - s) : (int)strlen(s);
    for (int i = 0; i < n; i += 400) limb_text_print(e->text, "%.*s", n - i < 400 ? n - i : 400, s + i);
    if (!mark) return;
    switch (mark[1]) {
    case 'V': limb_text_put(e->text, e->value); break;
    case 'P': limb_text_put(e->text, e->prefix); break;
    case 'B': limb_text_put(e->text, single ? "0x1.8p+23f" : "0x1.8p+52"); break;
    default: limb_text_put(e->text, single ? "f" : ""); break;
    }
    s = mark + 2;
  }
}

void limb_c_own_sines(limb_emitter* e)
{
  put_template(e, text_head);
  put_template(e, e->options.single ? text_single : text_double);
  put_template(e, text_quadrant);
}
