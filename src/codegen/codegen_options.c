// What can be requested: options with their defaults and checks, the prefix of all names.
#include "codegen/codegen_impl.h"

#include "base/status.h"
#include "codegen/text.h"

#include <stdio.h>
#include <string.h>

enum { SPLIT_MIN = 10, EFFORT_MAX = 1000 };
static const double width_min = 1e-9, width_max = 1e9;

// ---- defaults ------------------------------------------------------------------------------------------------------

limb_codegen_options limb_default_codegen_options(void)
{
  return (limb_codegen_options){.size = sizeof(limb_codegen_options),
                                .what = "tau",
                                .language = LIMB_LANGUAGE_C,
                                .sines = LIMB_SINES_LIBM,
                                .symbols = LIMB_SYMBOLS_NONE,
                                .lanes = 1,
                                .friction = 1,
                                .order = LIMB_ORDER_LATENCY,
                                .effort = 1};
}

// ---- checks --------------------------------------------------------------------------------------------------------

static const char* const languages[] = {"C", "Python", "MATLAB", "Julia", "Rust", "LaTeX"};
static const uint32_t max_statements_of[] = {2000000, 200000, 50000, 50000, 200000, 4000};

static limb_status check_ranges(const limb_codegen_options* o, limb_error* error)
{
  const int n = o->lanes;
  if (!o->what || !o->what[strspn(o->what, " ,")])
    return limb_fail(error, LIMB_E_ARG, "what", "no quantity is named; try \"tau\"");
  if ((int)o->language < 0 || o->language > LIMB_LANGUAGE_LATEX)
    return limb_fail(error, LIMB_E_ARG, "language", "%d is not a language", (int)o->language);
  if ((int)o->sines < 0 || o->sines > LIMB_SINES_OWN)
    return limb_fail(error, LIMB_E_ARG, "sines", "%d is not a source of sines", (int)o->sines);
  if ((int)o->symbols < 0 || o->symbols > LIMB_SYMBOLS_ALL)
    return limb_fail(error, LIMB_E_ARG, "symbols", "%d is not a set of symbols", (int)o->symbols);
  if (!(o->effort >= 0 && o->effort <= EFFORT_MAX))
    return limb_fail(error, LIMB_E_ARG, "effort", "%g is out of range: use 0 to %d", o->effort, EFFORT_MAX);
  const double width = o->coulomb_width;
  if (width != 0 && !(width >= width_min && width <= width_max))
    return limb_fail(error, LIMB_E_ARG, "coulomb_width",
                     "%g is out of range: use a velocity from %g to %g, or 0 for the sign", width, width_min,
                     width_max);
  if ((int)o->order < 0 || o->order > LIMB_ORDER_REGISTERS)
    return limb_fail(error, LIMB_E_ARG, "order", "%d is not an order of statements", (int)o->order);
  if (n != 1 && n != 2 && n != 4 && n != 8 && n != 16)
    return limb_fail(error, LIMB_E_ARG, "lanes", "%d lanes: use 1, 2, 4, 8 or 16", n);
  if (o->max_statements != 0 && o->max_statements < SPLIT_MIN)
    return limb_fail(error, LIMB_E_ARG, "max_statements",
                     "%d statements are too few for a function: use 0 or at least %d", o->max_statements, SPLIT_MIN);
  return LIMB_OK;
}

limb_status limb_codegen_check_options(const limb_codegen_options* o, limb_error* error)
{
  const limb_status s = check_ranges(o, error);
  if (s != LIMB_OK) return s;
  const bool c = o->language == LIMB_LANGUAGE_C, rust = o->language == LIMB_LANGUAGE_RUST;
  const char* name = languages[o->language];
  if (o->single && !c && !rust)
    return limb_fail(error, LIMB_E_ARG, "single", "%s has no float here: use C or Rust", name);
  if (o->lanes > 1 && !c) return limb_fail(error, LIMB_E_ARG, "lanes", "%s has no lanes here: use 1, or C", name);
  if (o->sines == LIMB_SINES_OWN && !c)
    return limb_fail(error, LIMB_E_ARG, "sines", "polynomials for sines are written in C only, not in %s", name);
  if (o->max_statements && !c)
    return limb_fail(error, LIMB_E_ARG, "max_statements", "functions are split in C only, not in %s", name);
  return LIMB_OK;
}

limb_status limb_codegen_check_size(const limb_codegen_options* o, const limb_emitted* p, limb_error* error)
{
  const uint32_t max = max_statements_of[o->language];
  if (p->schedule.count <= max) return LIMB_OK;
  return limb_fail(error, LIMB_E_UNSUPPORTED, p->f->name,
                   "%u statements are too many for %s, whose limit is %u: use %s", p->schedule.count,
                   languages[o->language], max, o->language == LIMB_LANGUAGE_C ? "a smaller robot" : "C");
}

// ---- names ---------------------------------------------------------------------------------------------------------

// Reserved words of the languages, functions that generated code calls, and file names to avoid: headers of C,
// modules of Python.
static const char keywords[] =
  " abstract alignas alignof and as asm assert async auto await baremodule become begin bool box break"
  " case catch char class classdef complex const continue crate def default del delete do double dyn"
  " elif else elseif end enum except export extern final finally float fn for friend from function"
  " global goto if impl import in inline int is lambda let local long loop macro match math mod module"
  " move mut namespace new nonlocal not operator or override parfor pass persistent priv private"
  " protected pub public quote raise ref register restrict return self short signed sizeof spmd static"
  " stdio struct super switch template this throw trait true false try type typedef typename typeof"
  " union unsafe unsigned unsized unwind_protect use using until virtual void volatile where while with"
  " yield otherwise None True False Self sin cos sqrt sign tanh zeros ctype errno fenv inttypes iso646"
  " limits locale os setjmp signal stdarg stdbool stddef stdint stdlib string sys tgmath time wchar"
  " wctype"
  " ";

static bool is_keyword(const char* name)
{
  const size_t n = strlen(name);
  for (const char* s = keywords; (s = strstr(s, name)); s++) {
    if (s[-1] == ' ' && s[n] == ' ') return true;
  }
  return false;
}

// The length limit of a prefix. MATLAB cuts names to 63 letters, which would make the names of functions equal.
static size_t max_letters(limb_language language, size_t size)
{
  enum { MATLAB_MAX = 63 - sizeof "_platform_acc" + 1 };
  return language == LIMB_LANGUAGE_MATLAB ? MATLAB_MAX : size - 1;
}

limb_status limb_codegen_make_prefix(const limb_codegen_options* o, const char* robot, char* prefix, size_t size,
                                     limb_error* error)
{
  const size_t max = max_letters(o->language, size);
  if (o->prefix) {
    if (strlen(o->prefix) > max || !limb_is_identifier(o->prefix) || is_keyword(o->prefix))
      return limb_fail(error, LIMB_E_ARG, "prefix",
                       "'%.60s' is not a valid prefix: use a letter, then letters, digits and underscores, at most %d "
                       "characters, not a reserved word of one of the languages",
                       o->prefix, (int)max);
    (void)snprintf(prefix, size, "%s", o->prefix);
    return LIMB_OK;
  }
  limb_make_identifier(robot, prefix, max + 1);
  const size_t n = strlen(prefix);
  if (is_keyword(prefix)) (void)snprintf(prefix + n, size - n, "_robot");
  return LIMB_OK;
}
