// SYMORO .par files, text to entries: comments are removed, lists are split, lines such as "RL4 = 0.5" are the values
// of symbols. Nothing is computed here.
#include "io/file_text.h"
#include "io/read_par.h"

#include <string.h>

static const struct {
  const char *name, *other;
  par_length length;
} lists[PAR_KEYS] = {
#define PAR_X(id, name, other, length) {name, other, PAR_##length},
  PAR_LIST_LIST(PAR_X)
#undef PAR_X
};

static const char* const scalars[PAR_SCALARS] = {
#define PAR_X(id, name) name,
  PAR_SCALAR_LIST(PAR_X)
#undef PAR_X
};

limb_subject limb_par_subject(par_key key) { return (limb_subject){"list", lists[key].name}; }

int limb_par_has(const par_file* p, par_key key) { return p->list[key].pos.line > 0; }

void limb_par_report(par_file* p, limb_rule rule, par_slot at, const char* format, ...)
{
  const par_list* list = &p->list[at.key];
  va_list args;
  va_start(args, format);
  limb_report_args(p->findings, rule, at.index == PAR_ALL ? list->pos : list->value[at.index].pos,
                   limb_par_subject(at.key), format, args);
  va_end(args);
}

// ---- the text -------------------------------------------------------------------------------------

typedef struct cursor {
  par_file* p;
  const char *at, *end, *line_start;
  int line;
} cursor;

static file_pos pos_here(const cursor* c) { return at_line(c->line, (int)(c->at - c->line_start) + 1); }

static void step(cursor* c)
{
  if (*c->at++ != '\n') return;
  c->line++;
  c->line_start = c->at;
}

static int is_word(char x) { return is_letter(x) || (x >= '0' && x <= '9'); }

static int in_text(const char* at, const char* end, const char* word)
{
  const size_t n = strlen(word);
  return (size_t)(end - at) >= n && memcmp(at, word, n) == 0;
}

// Names and messages must be UTF-8: other bytes become question marks, and so do control characters.
static void clean(char* text, char* end)
{
  const int utf8 = limb_is_utf8(text, end); // old files have comments in Latin-1
  for (; text < end; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c >= 0x80 ? !utf8 : c == 0x7f || (c < ' ' && !is_blank(*text))) *text = '?';
  }
}

// ---- comments -------------------------------------------------------------------------------------

static const char* skip_spaces(const char* at, const char* end)
{
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  return at;
}

// Robotname = 'RX90' inside a comment, on one line.
static void note_name(par_file* p, const char* at, const char* end)
{
  at = skip_spaces(at + strlen("Robotname"), end);
  if (at == end || *at != '=') return;
  at = skip_spaces(at + 1, end);
  if (at == end || (*at != '\'' && *at != '"')) return;
  const char quote = *at++;
  const char* close = at;
  while (close < end && *close != quote && *close != '\n') close++;
  if (close == end || *close != quote || close == at) return;
  p->robot = limb_mempool_text(p->pool, at, (size_t)(close - at));
  if (!p->robot) p->no_memory = 1;
}

static void note_comment(par_file* p, const char* at, const char* end)
{
  for (; at < end; at++) {
    if (!p->robot && in_text(at, end, "Robotname")) note_name(p, at, end);
    if (in_text(at, end, "End of definition")) p->ended = 1;
  }
}

// Overwrites comments (* ... *) with blanks; line numbers do not change.
static void blank_comments(par_file* p, char* text, char* end)
{
  cursor c = {p, text, end, text, 1};
  while (c.at < c.end) {
    if (!in_text(c.at, c.end, "(*")) {
      step(&c);
      continue;
    }
    const file_pos open = pos_here(&c);
    char* from = text + (c.at - text);
    step(&c);
    step(&c);
    while (c.at < c.end && !in_text(c.at, c.end, "*)")) step(&c);
    note_comment(p, from, c.at);
    if (c.at == c.end)
      limb_report(p->findings, RULE_SYNTAX, open, (limb_subject){"comment", NULL},
                  "this comment is not closed: '*)' is missing");
    char* to = c.at == c.end ? end : text + (c.at - text) + 2;
    while (c.at < to) step(&c);
    for (; from < to; from++) {
      if (*from != '\n') *from = ' ';
    }
  }
}

// ---- statements -----------------------------------------------------------------------------------

static void skip_blanks(cursor* c)
{
  while (c->at < c->end && (is_blank(*c->at) || *c->at == ';')) step(c);
}

static void skip_line(cursor* c)
{
  while (c->at < c->end && *c->at != '\n') step(c);
}

// From the cursor to end, without blanks at either end.
static par_value take_value(cursor* c, const char* end)
{
  while (c->at < end && is_blank(*c->at)) step(c);
  par_value v = {c->at, end, pos_here(c)};
  while (v.end > v.text && is_blank(v.end[-1])) v.end--;
  while (c->at < end) step(c);
  return v;
}

static int find_list(const char* name)
{
  for (int k = 0; k < PAR_KEYS; k++) {
    if (strcmp(name, lists[k].name) == 0 || strcmp(name, lists[k].other) == 0) return k;
  }
  return -1;
}

static int find_scalar(const char* name)
{
  for (int k = 0; k < PAR_SCALARS; k++) {
    if (strcmp(name, scalars[k]) == 0) return k;
  }
  return -1;
}

static const char* name_of_list(const void* context, int i)
{
  (void)context;
  return lists[i].name;
}

static void keep_list(par_file* p, const char* name, file_pos at, par_list list)
{
  const int key = find_list(name);
  list.pos = at;
  if (key < 0)
    limb_report(p->findings, RULE_UNKNOWN_TAG, at, (limb_subject){"list", name},
                "there is no list of this name in SYMORO%s",
                limb_did_you_mean(p->findings, name, PAR_KEYS, name_of_list, NULL).text);
  else if (p->list[key].pos.line)
    limb_report(p->findings, RULE_DUPLICATE_KEY, at, (limb_subject){"list", name},
                "this list was already given on line %d", p->list[key].pos.line);
  else
    p->list[key] = list;
}

// The entries between braces; the cursor is behind the opening one, close is the closing one.
static par_list take_list(cursor* c, const char* name, const char* close)
{
  par_list list = {NULL, 0, {0, 0, 0}};
  int commas = 0, depth = 0;
  for (const char* s = c->at; s < close; s++) commas += *s == ',';
  par_value* value = limb_mempool_alloc(c->p->pool, ((size_t)commas + 1) * sizeof *value);
  if (!value) {
    c->p->no_memory = 1;
    return list;
  }
  while (c->at < close) {
    const char* to = c->at;
    for (; to < close && (*to != ',' || depth > 0); to++) depth += (*to == '(') - (*to == ')');
    value[list.count] = take_value(c, to);
    if (value[list.count].text == value[list.count].end && (to < close || list.count > 0))
      limb_report(c->p->findings, RULE_SYNTAX, value[list.count].pos, (limb_subject){"list", name}, "entry %d is empty",
                  list.count + 1);
    else if (value[list.count].text == value[list.count].end)
      break; // {} has no entries
    list.count++;
    depth = 0;
    if (to < close) step(c);
    if (to + 1 == close)
      limb_report(c->p->findings, RULE_SYNTAX, pos_here(c), (limb_subject){"list", name},
                  "entry %d is empty: remove the extra comma", list.count + 1);
  }
  list.value = value;
  return list;
}

// A list; the cursor is at its opening brace. An equals sign inside means that the list is not closed.
static void scan_list(cursor* c, const char* name, file_pos at)
{
  const file_pos open = pos_here(c);
  step(c);
  const char *close = c->at, *line = c->at;
  while (close < c->end && *close != '}' && *close != '{' && *close != '=') {
    if (*close++ == '\n') line = close;
  }
  if (close < c->end && *close == '}') {
    keep_list(c->p, name, at, take_list(c, name, close));
    while (c->at <= close) step(c);
    return;
  }
  limb_report(c->p->findings, RULE_SYNTAX, open, (limb_subject){"list", name},
              "this list is not closed: '}' is missing");
  const char* resume = close == c->end ? c->end : line > c->at ? line : close + 1;
  while (c->at < resume) step(c);
}

static void keep_symbol(par_file* p, const char* name, par_value value)
{
  par_symbol* all = limb_mempool_grow(p->pool, p->symbol, &p->symbol_cap, p->nsymbol, sizeof *all);
  if (!all) {
    p->no_memory = 1;
    return;
  }
  p->symbol = all;
  p->symbol[p->nsymbol++] = (par_symbol){.name = name, .value = value};
}

// A value up to the end of the line.
static void scan_single(cursor* c, const char* name, file_pos at)
{
  par_file* p = c->p;
  const char* to = c->at;
  while (to < c->end && *to != '\n' && *to != ';') to++;
  const par_value value = take_value(c, to);
  const limb_subject about = {"value", name};
  const int scalar = find_scalar(name), list = find_list(name);
  if (value.text == value.end)
    limb_report(p->findings, RULE_SYNTAX, at, about, "there is no value behind '='");
  else if (list >= 0)
    limb_report(p->findings, RULE_SYNTAX, value.pos, (limb_subject){"list", name},
                "a list in braces is expected, such as %s = {0, 0}", name);
  else if (scalar >= 0 && p->scalar[scalar].text)
    limb_report(p->findings, RULE_DUPLICATE_KEY, at, about, "it was already given on line %d",
                p->scalar[scalar].pos.line);
  else if (scalar >= 0)
    p->scalar[scalar] = value;
  else
    keep_symbol(p, name, value);
}

// name = value, or name = { values }.
static void scan_statement(cursor* c)
{
  const file_pos at = pos_here(c);
  const char* from = c->at;
  while (c->at < c->end && is_word(*c->at)) step(c);
  const char* name = limb_mempool_text(c->p->pool, from, (size_t)(c->at - from));
  if (!name) {
    c->p->no_memory = 1;
    return;
  }
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t')) step(c);
  if (!is_letter(*name) || c->at == c->end || *c->at != '=') {
    limb_report(c->p->findings, RULE_SYNTAX, at, (limb_subject){NULL, NULL},
                "'name = value' or 'name = {list}' is expected here");
    skip_line(c);
    return;
  }
  step(c);
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t')) step(c);
  const char* ahead = c->at;
  while (ahead < c->end && is_blank(*ahead)) ahead++;
  if (ahead < c->end && *ahead == '{') {
    while (c->at < ahead) step(c);
    scan_list(c, name, at);
  } else {
    scan_single(c, name, at);
  }
}

// ---- symbols --------------------------------------------------------------------------------------

static const char* symbol_name(const void* context, int i) { return ((const par_file*)context)->symbol[i].name; }

static void enter_symbols(par_file* p)
{
  if (!limb_mempool_new_names(p->pool, &p->names, p->nsymbol)) {
    p->no_memory = 1;
    return;
  }
  for (int i = 0; i < p->nsymbol; i++) {
    const par_symbol* s = &p->symbol[i];
    const int first = limb_names_find(&p->names, s->name, symbol_name, p);
    if (first < 0)
      limb_names_put(&p->names, s->name, i);
    else
      limb_report(p->findings, RULE_DUPLICATE_KEY, s->value.pos, (limb_subject){"symbol", s->name},
                  "it already has a value, on line %d", p->symbol[first].value.pos.line);
  }
}

void limb_par_scan(par_file* p, const char* text, size_t size)
{
  enum { MAX_FAULTS = 100 }; // a file with more is in another language
  char* copy = limb_mempool_text(p->pool, text, size);
  if (!copy) {
    p->no_memory = 1;
    return;
  }
  clean(copy, copy + size);
  if (size >= 3 && memcmp(copy, "\xef\xbb\xbf", 3) == 0) memset(copy, ' ', 3);
  blank_comments(p, copy, copy + size);
  cursor c = {p, copy, copy + size, copy, 1};
  int faults = 0; // statements with findings, mostly errors
  for (skip_blanks(&c); c.at < c.end && !p->no_memory && faults < MAX_FAULTS; skip_blanks(&c)) {
    const int before = limb_findings_count(p->findings);
    scan_statement(&c);
    faults += limb_findings_count(p->findings) > before;
  }
  if (faults == MAX_FAULTS)
    limb_report(p->findings, RULE_SYNTAX, pos_here(&c), (limb_subject){NULL, NULL},
                "too many errors: reading stops here");
  enter_symbols(p);
}

// ---- sizes and lists ----------------------------------------------------------------------------------------

// A count of the header; fallback when the file does not state it. 0 after an error.
static int take_count(par_file* p, par_scalar which, int fallback, int* x)
{
  *x = fallback;
  return !p->scalar[which].text || limb_par_count(p, which, x);
}

// Links, joints and frames: each loop adds a joint, and one more frame.
static int check_sizes(par_file* p, const par_sizes* r, int type)
{
  const int NL = r->nlink, NJ = r->njoint, NF = r->nframe;
  if (NJ < NL || NF != 2 * NJ - NL) {
    const par_scalar which = p->scalar[PAR_NJ].text ? PAR_NJ : PAR_NL;
    limb_report(p->findings, RULE_BAD_VALUE, p->scalar[which].pos, (limb_subject){"value", "NJ"},
                "NL = %d, NJ = %d and NF = %d do not fit together", NL, NJ, NF);
    limb_report_hint(p->findings, "a tree has NL = NJ = NF; with B loops, NJ = NL + B and NF = NL + 2 B");
    return 0;
  }
  if (p->scalar[PAR_TYPE].text && (type == 2) != (NJ > NL)) {
    limb_report(
      p->findings, RULE_ASSUMED, p->scalar[PAR_TYPE].pos, (limb_subject){"value", "Type"},
      "Type = %d means that the robot has %s, but NL = %d and NJ = %d mean that it has %s: the latter are used", type,
      type == 2 ? "loops" : "no loops", NL, NJ, NJ > NL ? "some" : "none");
    limb_report_as(p->findings, LIMB_WARNING);
  }
  return 1;
}

// Numbers of links, joints and frames, and whether the base moves. 0 after an error.
static int take_header(par_file* p, par_sizes* r)
{
  int type = 0, mobile = 0, floating = 0;
  if (!p->scalar[PAR_NL].text) {
    limb_report(p->findings, RULE_MISSING_KEY, (file_pos){0}, (limb_subject){"value", "NL"},
                "the number of links is not given");
    return 0;
  }
  int good = take_count(p, PAR_NL, 0, &r->nlink);
  good &= take_count(p, PAR_NJ, r->nlink,
                     &r->njoint); // in this order: each fallback needs the one before
  good &= take_count(p, PAR_NF, 2 * r->njoint - r->nlink, &r->nframe);
  good &= take_count(p, PAR_TYPE, 0, &type);
  good &= take_count(p, PAR_IS_MOBILE, 0, &mobile);
  good &= take_count(p, PAR_IS_FLOATING, 0, &floating);
  if (!good) return 0;
  if (r->nlink < 1 || type < 0 || type > 2) {
    const par_scalar which = r->nlink < 1 ? PAR_NL : PAR_TYPE;
    limb_report(p->findings, RULE_BAD_VALUE, p->scalar[which].pos, (limb_subject){"value", NULL},
                r->nlink < 1 ? "a robot has at least one link" : "Type is 0, 1 or 2");
    return 0;
  }
  r->moving = mobile || floating;
  return check_sizes(p, r, type);
}

// ---- lists ----------------------------------------------------------------------------------------

static int expected_length(const par_sizes* r, par_key key)
{
  switch (lists[key].length) {
  case PAR_FRAMES: return r->nframe;
  case PAR_JOINTS: return r->njoint;
  case PAR_LINKS: return r->nlink + r->with_base;
  case PAR_VECTOR: return 3;
  case PAR_MATRIX: return 16;
  case PAR_ANY: break;
  }
  return -1;
}

// Every list must have its length. 0 after an error.
static int check_lengths(par_file* p, const par_sizes* r)
{
  int good = 1;
  for (par_key key = 0; key < PAR_KEYS; key++) {
    const par_list* list = &p->list[key];
    const int length = expected_length(r, key);
    if (!limb_par_has(p, key) || length < 0 || list->count == length) continue;
    limb_par_report(p, RULE_WRONG_COUNT, (par_slot){key, PAR_ALL}, "it has %d entries, but should have %d", list->count,
                    length);
    good = 0;
  }
  return good;
}

// Required and optional lists. 0 when a required one is missing.
static int check_lists(par_file* p, const par_sizes* r)
{
  static const par_key needed[] = {PAR_ANT, PAR_SIGMA, PAR_D,  PAR_R,  PAR_ALPHA, PAR_THETA, PAR_XX, PAR_XY,
                                   PAR_XZ,  PAR_YY,    PAR_YZ, PAR_ZZ, PAR_MX,    PAR_MY,    PAR_MZ, PAR_M};
  static const par_key usual[] = {PAR_B, PAR_GAMMA, PAR_IA, PAR_FV, PAR_FS};
  int good = check_lengths(p, r);
  for (int i = 0; i < COUNT(needed); i++) {
    if (limb_par_has(p, needed[i])) continue;
    limb_par_report(p, RULE_MISSING_KEY, (par_slot){needed[i], PAR_ALL}, "this list is missing");
    if (!p->ended) limb_report_hint(p->findings, "the file may have been cut off");
    good = 0;
  }
  for (int i = 0; i < COUNT(usual); i++) {
    if (!limb_par_has(p, usual[i]))
      limb_par_report(p, RULE_ASSUMED, (par_slot){usual[i], PAR_ALL},
                      "this list is missing: all its entries are assumed to be 0");
  }
  return good;
}

int limb_par_check(par_file* p, par_sizes* n)
{
  if (!take_header(p, n)) return 0;
  n->with_base = n->moving && p->list[PAR_M].count == n->nlink + 1;
  return check_lists(p, n);
}
