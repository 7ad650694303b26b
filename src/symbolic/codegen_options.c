// Options of generated code: what goes together, and names (codegen_impl.h).
#include "symbolic/codegen_impl.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { PARTS_LEAST = 10, EFFORT_MOST = 1000 };

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
    return limb_fail(error, LIMB_E_ARG, "effort", "%g is no effort: take 0 to %d", o->effort,
                     EFFORT_MOST);
  }
  if ((int)o->order < 0 || o->order > LIMB_ORDER_REGISTERS) {
    return limb_fail(error, LIMB_E_ARG, "order", "%d is no order of statements", (int)o->order);
  }
  if (n != 1 && n != 2 && n != 4 && n != 8 && n != 16) {
    return limb_fail(error, LIMB_E_ARG, "lanes", "%d lanes: take 1, 2, 4, 8 or 16", n);
  }
  if (o->most != 0 && o->most < PARTS_LEAST) {
    return limb_fail(error, LIMB_E_ARG, "most",
                     "%d statements are too few for a function: take 0 or at least %d", o->most,
                     PARTS_LEAST);
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
    return limb_fail(error, LIMB_E_ARG, "single",
                     "numbers of %s are double: leave single out, or take C or Rust", name);
  }
  if (o->lanes > 1 && !c) {
    return limb_fail(error, LIMB_E_ARG, "lanes", "%s has no lanes here: take 1, or C", name);
  }
  if (o->sines == LIMB_SINES_OWN && !c) {
    return limb_fail(error, LIMB_E_ARG, "sines",
                     "%s has sines of its own: polynomials are written in C only", name);
  }
  if (o->most && !c) {
    return limb_fail(error, LIMB_E_ARG, "most",
                     "functions are split in C only: leave it out for %s", name);
  }
  return LIMB_OK;
}

limb_status limb_codegen_check_size(const limb_codegen_options* o, const limb_piece* p,
                                    limb_error* error)
{
  const uint32_t most = most_statements[o->language];
  if (p->list.count <= most) return LIMB_OK;
  return limb_fail(error, LIMB_E_UNSUPPORTED, p->f->name,
                   "%u statements are too many for %s, where %u are the most: take %s",
                   p->list.count, languages[o->language], most,
                   o->language == LIMB_LANGUAGE_C ? "a smaller robot" : "C");
}

// ---- names ----------------------------------------------------------------------------------------------

static const char* const keywords[] = {
  "auto",       "break",     "case",    "char",     "const",    "continue", "default", "do",
  "double",     "else",      "enum",    "extern",   "float",    "for",      "goto",    "if",
  "inline",     "int",       "long",    "register", "return",   "short",    "signed",  "sizeof",
  "static",     "struct",    "switch",  "typedef",  "union",    "void",     "while",   "restrict",
  "unsigned",   "volatile",  "class",   "def",      "function", "fn",       "lambda",  "module",
  "import",     "template",  "private", "public",   "this",     "end",      "elseif",  "global",
  "persistent", "otherwise", "try",     "catch",    "parfor",   "math",     "stdio"};

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_keyword(const char* name)
{
  for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
    if (strcmp(keywords[i], name) == 0) return true;
  }
  return false;
}

limb_status limb_codegen_make_prefix(const char* asked, const char* robot, char* prefix,
                                     size_t room, limb_error* error)
{
  if (asked) {
    bool good = is_letter(asked[0]) && asked[0] != '_' && strlen(asked) < room;
    for (const char* c = asked; *c && good; c++) good = is_letter(*c) || is_digit(*c);
    if (!good || is_keyword(asked)) {
      return limb_fail(error, LIMB_E_ARG, "prefix",
                       "'%.60s' cannot begin a name: take a letter, then letters, digits and"
                       " underscores (at most %d), no keyword",
                       asked, (int)room - 1);
    }
    (void)snprintf(prefix, room, "%s", asked);
    return LIMB_OK;
  }
  size_t n = 0;
  const char* name = robot && *robot ? robot : "robot";
  name += strspn(name, "_");
  if (!is_letter(name[0])) n = (size_t)snprintf(prefix, room, "robot_");
  for (; *name && n + 1 < room; name++) {
    const bool good = is_letter(*name) || is_digit(*name);
    if (!good && n && prefix[n - 1] == '_') continue; // one underscore for what is none
    prefix[n++] = (char)(good ? *name : '_');
  }
  while (n > 1 && prefix[n - 1] == '_') n--;
  prefix[n] = '\0';
  if (is_keyword(prefix)) (void)snprintf(prefix + n, room - n, "_robot");
  return LIMB_OK;
}
