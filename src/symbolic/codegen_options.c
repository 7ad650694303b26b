// Options of generated code: what goes together, and names (codegen_impl.h).
#include "symbolic/codegen_impl.h"

#include "base/status.h"
#include "symbolic/words.h"

#include <stdio.h>
#include <string.h>

enum { PARTS_LEAST = 10, EFFORT_MOST = 1000 };
static const double width_least = 1e-9, width_most = 1e9;

// ---- options --------------------------------------------------------------------------------------------

static const char* const languages[] = {"C", "Python", "MATLAB", "Julia", "Rust", "LaTeX"};
static const uint32_t most_statements[] = {2000000, 200000, 50000, 50000, 200000, 4000};

static limb_status check_ranges(const limb_codegen_options* o, limb_error* error)
{
  const int n = o->lanes;
  if (!o->what || !o->what[strspn(o->what, " ,")]) {
    return limb_fail(error, LIMB_E_ARG, "what", "no quantity is asked for; try \"id\"");
  }
  if ((int)o->language < 0 || o->language > LIMB_LANGUAGE_LATEX) {
    return limb_fail(error, LIMB_E_ARG, "language", "%d is no language", (int)o->language);
  }
  if ((int)o->sines < 0 || o->sines > LIMB_SINES_OWN) {
    return limb_fail(error, LIMB_E_ARG, "sines", "%d is no source of sines", (int)o->sines);
  }
  if ((int)o->symbols < 0 || o->symbols > LIMB_SYMBOLS_ALL) {
    return limb_fail(error, LIMB_E_ARG, "symbols", "%d is no set of symbols", (int)o->symbols);
  }
  if (!(o->effort >= 0 && o->effort <= EFFORT_MOST)) {
    return limb_fail(error, LIMB_E_ARG, "effort", "%g is no effort: take 0 to %d", o->effort, EFFORT_MOST);
  }
  const double width = o->coulomb_width;
  if (width != 0 && !(width >= width_least && width <= width_most)) {
    return limb_fail(error, LIMB_E_ARG, "coulomb_width",
                     "%g is no velocity below which friction fades: take %g to %g, or 0 for none", width, width_least,
                     width_most);
  }
  if ((int)o->order < 0 || o->order > LIMB_ORDER_REGISTERS) {
    return limb_fail(error, LIMB_E_ARG, "order", "%d is no order of statements", (int)o->order);
  }
  if (n != 1 && n != 2 && n != 4 && n != 8 && n != 16) {
    return limb_fail(error, LIMB_E_ARG, "lanes", "%d lanes: take 1, 2, 4, 8 or 16", n);
  }
  if (o->most != 0 && o->most < PARTS_LEAST) {
    return limb_fail(error, LIMB_E_ARG, "most", "%d statements are too few for a function: take 0 or at least %d",
                     o->most, PARTS_LEAST);
  }
  return LIMB_OK;
}

limb_status limb_codegen_check_options(const limb_codegen_options* o, limb_error* error)
{
  const limb_status s = check_ranges(o, error);
  if (s != LIMB_OK) return s;
  const bool c = o->language == LIMB_LANGUAGE_C, rust = o->language == LIMB_LANGUAGE_RUST;
  const char* name = languages[o->language];
  if (o->single && !c && !rust) {
    return limb_fail(error, LIMB_E_ARG, "single", "numbers of %s are double: take C or Rust for float", name);
  }
  if (o->lanes > 1 && !c) {
    return limb_fail(error, LIMB_E_ARG, "lanes", "%s has no lanes here: take 1, or C", name);
  }
  if (o->sines == LIMB_SINES_OWN && !c) {
    return limb_fail(error, LIMB_E_ARG, "sines", "%s has sines of its own: polynomials are written in C only", name);
  }
  if (o->most && !c) {
    return limb_fail(error, LIMB_E_ARG, "most", "functions are split in C only: leave it out for %s", name);
  }
  return LIMB_OK;
}

limb_status limb_codegen_check_size(const limb_codegen_options* o, const limb_piece* p, limb_error* error)
{
  const uint32_t most = most_statements[o->language];
  if (p->list.count <= most) return LIMB_OK;
  return limb_fail(error, LIMB_E_UNSUPPORTED, p->f->name,
                   "%u statements are too many for %s, where %u are the most: take %s", p->list.count,
                   languages[o->language], most, o->language == LIMB_LANGUAGE_C ? "a smaller robot" : "C");
}

// ---- names ----------------------------------------------------------------------------------------------

// Words that some of the languages keep for themselves, functions that texts call, and what files may not be
// called: headers of C, modules of Python.
static const char* const keywords[] = {"abstract", "alignas",   "alignof",    "and",
                                       "as",       "asm",       "assert",     "async",
                                       "auto",     "await",     "baremodule", "become",
                                       "begin",    "bool",      "box",        "break",
                                       "case",     "catch",     "char",       "class",
                                       "classdef", "complex",   "const",      "continue",
                                       "crate",    "def",       "default",    "del",
                                       "delete",   "do",        "double",     "dyn",
                                       "elif",     "else",      "elseif",     "end",
                                       "enum",     "except",    "export",     "extern",
                                       "final",    "finally",   "float",      "fn",
                                       "for",      "friend",    "from",       "function",
                                       "global",   "goto",      "if",         "impl",
                                       "import",   "in",        "inline",     "int",
                                       "is",       "lambda",    "let",        "local",
                                       "long",     "loop",      "macro",      "match",
                                       "math",     "mod",       "module",     "move",
                                       "mut",      "namespace", "new",        "nonlocal",
                                       "not",      "operator",  "or",         "override",
                                       "parfor",   "pass",      "persistent", "priv",
                                       "private",  "protected", "pub",        "public",
                                       "quote",    "raise",     "ref",        "register",
                                       "restrict", "return",    "self",       "short",
                                       "signed",   "sizeof",    "spmd",       "static",
                                       "stdio",    "struct",    "super",      "switch",
                                       "template", "this",      "throw",      "trait",
                                       "true",     "false",     "try",        "type",
                                       "typedef",  "typename",  "typeof",     "union",
                                       "unsafe",   "unsigned",  "unsized",    "unwind_protect",
                                       "use",      "using",     "until",      "virtual",
                                       "void",     "volatile",  "where",      "while",
                                       "with",     "yield",     "otherwise",  "None",
                                       "True",     "False",     "Self",       "sin",
                                       "cos",      "sqrt",      "sign",       "tanh",
                                       "zeros",    "ctype",     "errno",      "fenv",
                                       "inttypes", "iso646",    "limits",     "locale",
                                       "os",       "setjmp",    "signal",     "stdarg",
                                       "stdbool",  "stddef",    "stdint",     "stdlib",
                                       "string",   "sys",       "tgmath",     "time",
                                       "wchar",    "wctype"};

static bool is_keyword(const char* name)
{
  for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
    if (strcmp(keywords[i], name) == 0) return true;
  }
  return false;
}

// Letters of a prefix, at most. MATLAB cuts names to 63 letters, which then are one name for all functions.
static size_t most_letters(limb_language language, size_t room)
{
  enum { MATLAB_MOST = 63 - sizeof "_platform_acc" + 1 };
  return language == LIMB_LANGUAGE_MATLAB ? MATLAB_MOST : room - 1;
}

limb_status limb_codegen_make_prefix(const limb_codegen_options* o, const char* robot, char* prefix, size_t room,
                                     limb_error* error)
{
  const size_t most = most_letters(o->language, room);
  if (o->prefix) {
    if (strlen(o->prefix) > most || !limb_is_identifier(o->prefix) || is_keyword(o->prefix)) {
      return limb_fail(error, LIMB_E_ARG, "prefix",
                       "'%.60s' cannot begin a name: take a letter, then letters, digits and"
                       " underscores (at most %d), no word that one of the languages has already",
                       o->prefix, (int)most);
    }
    (void)snprintf(prefix, room, "%s", o->prefix);
    return LIMB_OK;
  }
  limb_make_identifier(robot, prefix, most + 1);
  const size_t n = strlen(prefix);
  if (is_keyword(prefix)) (void)snprintf(prefix + n, room - n, "_robot");
  return LIMB_OK;
}
