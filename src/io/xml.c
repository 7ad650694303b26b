// XML through expat: elements with positions, attributes and text, nothing else.
//
// Hostile input: entity declarations stop the parser before anything can expand, depth is limited, and the caller
// limits the size. expat checks UTF-8 and well-formedness.
#include "io/xml.h"

#include "io/file_text.h"

#include <expat.h>
#include <stdint.h>
#include <string.h>

enum { NAMES = 64, MAX_TEXT = 256 };

typedef struct builder {
  XML_Parser parser;
  memory_pool* pool;
  limb_findings* findings;
  xml_node *root, *open; // open: the current element
  int depth;
  const char* const* opaque;
  int closed;       // depth inside an opaque element; 0: none
  const char* text; // the whole file
  size_t size;
  size_t counted;           // bytes before the last position that was computed
  file_pos pos;             // that position
  const char* known[NAMES]; // names that were kept, to store each once
  int texts;                // keep texts as children
  char* piece;              // of the text that is being read
  int pieces, piece_cap;    // bytes
  file_pos piece_pos;
  limb_status status; // LIMB_OK until something stops the parser
} builder;

// Names are short: a loop is faster than a call of strcmp.
static int same(const char* a, const char* b)
{
  while (*a && *a == *b) {
    a++;
    b++;
  }
  return *a == *b;
}

// The current position of expat, counted from the last one: expat itself would count from the start of the line.
static file_pos here(builder* b)
{
  const long long index = XML_GetCurrentByteIndex(b->parser);
  const size_t byte = index < 0 ? 0 : (size_t)index < b->size ? (size_t)index : b->size;
  if (byte < b->counted) return b->pos;
  for (;;) {
    const char* from = b->text + b->counted;
    const char* end = memchr(from, '\n', byte - b->counted);
    if (!end) break;
    b->pos.line++;
    b->pos.column = 1;
    b->counted = (size_t)(end + 1 - b->text);
  }
  for (; b->counted < byte; b->counted++) // bytes that begin a character
    b->pos.column += ((unsigned char)b->text[b->counted] & 0xc0) != 0x80;
  return b->pos;
}

static void stop(builder* b, limb_status status)
{
  if (!b->status) b->status = status;
  (void)XML_StopParser(b->parser, XML_FALSE);
}

static const char* keep(builder* b, const char* text) { return limb_mempool_text(b->pool, text, strlen(text)); }

// The same for the name of an element or attribute: a few names are repeated often.
static const char* keep_name(builder* b, const char* name)
{
  const char** slot = &b->known[((uintptr_t)name >> 3) % NAMES];
  if (!*slot || !same(*slot, name)) *slot = keep(b, name);
  return *slot;
}

// An element with its attributes, copied from expat's list of names and values; NULL when out of memory.
static xml_node* new_node(builder* b, const char* name, const char** list)
{
  int count = 0;
  while (list[2 * count]) count++;
  xml_node* n = limb_mempool_alloc(b->pool, sizeof *n + (size_t)count * sizeof(xml_attribute));
  if (!n) return NULL;
  xml_attribute* a = (xml_attribute*)(n + 1);
  for (int i = 0; i < count; i++) {
    a[i] = (xml_attribute){keep_name(b, list[2 * i]), keep(b, list[2 * i + 1])};
    if (!a[i].name || !a[i].value) return NULL;
  }
  n->name = keep_name(b, name);
  n->text = "";
  n->attribute = a;
  n->nattribute = count;
  return n->name ? n : NULL;
}

void limb_xml_append(xml_node* parent, xml_node* child)
{
  child->parent = parent;
  if (parent->last)
    parent->last->next = child;
  else
    parent->first = child;
  parent->last = child;
}

static int is_opaque(const builder* b, const char* name)
{
  for (int i = 0; b->opaque && b->opaque[i]; i++) {
    if (same(b->opaque[i], name)) return 1;
  }
  return 0;
}

// Texts come in pieces.
static void on_text(void* context, const char* text, int length)
{
  builder* b = context;
  if (b->status || !b->open) return;
  if (b->pieces == 0) b->piece_pos = here(b);
  for (int i = 0; i < length; i++) {
    char* grown = limb_mempool_grow(b->pool, b->piece, &b->piece_cap, b->pieces, 1);
    if (!grown) {
      stop(b, LIMB_E_NOMEM);
      return;
    }
    b->piece = grown;
    b->piece[b->pieces++] = text[i];
  }
}

// The end of a text: a child of the open element, unless it is blank.
static void end_text(builder* b)
{
  int blank = 1;
  if (!b->open) return;
  for (int i = 0; blank && i < b->pieces; i++) blank = is_blank(b->piece[i]);
  if (!blank) {
    xml_node* n = limb_mempool_alloc(b->pool, sizeof *n);
    const char* text = limb_mempool_text(b->pool, b->piece, (size_t)b->pieces);
    if (n && text) {
      *n = (xml_node){.name = LIMB_XML_TEXT, .pos = b->piece_pos, .text = text};
      limb_xml_append(b->open, n);
    } else {
      stop(b, LIMB_E_NOMEM);
    }
  }
  b->pieces = 0;
}

static void on_start(void* context, const char* name, const char** list)
{
  builder* b = context;
  if (b->status) return;
  end_text(b);
  if (b->depth == LIMB_XML_MAX_DEPTH) {
    limb_report(b->findings, RULE_TOO_DEEP, here(b), (limb_subject){"element", name},
                "elements are nested more than %d deep", LIMB_XML_MAX_DEPTH);
    stop(b, LIMB_E_SYNTAX);
    return;
  }
  b->depth++;
  if (b->closed) {
    b->closed++;
    return;
  }
  xml_node* n = new_node(b, name, list);
  if (!n) {
    stop(b, LIMB_E_NOMEM);
    return;
  }
  n->pos = here(b);
  n->byte = (size_t)XML_GetCurrentByteIndex(b->parser);
  n->bytes = (unsigned)XML_GetCurrentByteCount(b->parser);
  if (b->open)
    limb_xml_append(b->open, n);
  else
    b->root = n;
  b->open = n;
  b->closed = is_opaque(b, name);
}

// The text behind blanks and comments.
static const char* skip_comments(const char* text, const char* end)
{
  for (;;) {
    while (text < end && is_blank(*text)) text++;
    if (end - text < 7 || memcmp(text, "<!--", 4) != 0) return text;
    for (text += 4; end - text >= 3 && memcmp(text, "-->", 3) != 0;) text++;
    text += 3;
  }
}

// The text of an element without children: in model files, one value or none. It is taken from the source, because
// handling every line break between elements would take a tenth of the time. Of longer texts the beginning is kept.
static void keep_text(builder* b, xml_node* n)
{
  const char* text = b->text + n->byte + n->bytes;
  const char* end = b->text + (size_t)XML_GetCurrentByteIndex(b->parser);
  if (is_opaque(b, n->name)) return;
  text = skip_comments(text, end);
  while (text < end && is_blank(end[-1])) end--;
  if (text >= end) return;
  const size_t length = (size_t)(end - text);
  n->text = limb_mempool_text(b->pool, text, length < MAX_TEXT ? length : MAX_TEXT);
  if (!n->text) stop(b, LIMB_E_NOMEM);
}

static void on_end(void* context, const char* name)
{
  builder* b = context;
  (void)name;
  if (b->status) return;
  b->depth--;
  if (b->closed && --b->closed) return;
  xml_node* n = b->open;
  end_text(b);
  if (!n->first && !b->texts) keep_text(b, n);
  b->open = n->parent;
}

static void on_doctype(void* context, const char* name, const char* system, const char* public, int internal)
{
  builder* b = context;
  (void)name, (void)system, (void)public;
  if (!internal) return; // a bare <!DOCTYPE robot> declares nothing
  limb_report(b->findings, RULE_ENTITY, here(b), (limb_subject){"DOCTYPE", NULL},
              "the file declares entities or other grammar, which is refused");
  stop(b, LIMB_E_SYNTAX);
}

static void report_syntax(builder* b)
{
  const enum XML_Error code = XML_GetErrorCode(b->parser);
  const file_pos at = here(b);
  limb_report(b->findings, RULE_SYNTAX, at,
              b->open ? (limb_subject){"element", b->open->name} : (limb_subject){NULL, NULL},
              "not well-formed XML: %s", XML_ErrorString(code));
  const size_t byte = (size_t)XML_GetCurrentByteIndex(b->parser);
  if (code == XML_ERROR_MISPLACED_XML_PI)
    limb_report_hint(b->findings, "<?xml ...?> must be the very beginning of the file: remove what stands before it, "
                                  "such as a blank line");
  if (byte >= b->size && b->open)
    limb_report_hint(b->findings, "the file ends inside <%s> of line %d: it may have been cut off", b->open->name,
                     b->open->pos.line);
}

static xml_node* parse_text(builder* b)
{
  const char* text = b->text;
  const size_t size = b->size;
  if (!b->parser) return NULL;
  XML_SetUserData(b->parser, b);
  XML_SetElementHandler(b->parser, on_start, on_end);
  XML_SetStartDoctypeDeclHandler(b->parser, on_doctype);
  if (b->texts) XML_SetCharacterDataHandler(b->parser, on_text);
  enum { PIECE = 1 << 20 }; // expat counts in int
  enum XML_Status given = XML_STATUS_OK;
  size_t done = 0;
  do {
    const size_t piece = size - done < PIECE ? size - done : PIECE;
    given = XML_Parse(b->parser, text + done, (int)piece, done + piece == size);
    done += piece;
  } while (given == XML_STATUS_OK && done < size);
  if (given != XML_STATUS_OK && !b->status) {
    if (XML_GetErrorCode(b->parser) != XML_ERROR_NO_MEMORY) report_syntax(b);
    b->status = LIMB_E_SYNTAX;
  }
  XML_ParserFree(b->parser);
  return b->status ? NULL : b->root;
}

xml_node* limb_xml_parse(const char* text, size_t size, int file, const char* const* opaque, memory_pool* pool,
                         limb_findings* f)
{
  builder b = {.parser = XML_ParserCreate(NULL),
               .opaque = opaque,
               .pool = pool,
               .findings = f,
               .text = text,
               .size = size,
               .pos = {1, 1, file}};
  return parse_text(&b);
}

xml_node* limb_xml_parse_texts(const char* text, size_t size, int file, memory_pool* pool, limb_findings* f)
{
  builder b = {.parser = XML_ParserCreate(NULL),
               .pool = pool,
               .findings = f,
               .text = text,
               .size = size,
               .pos = {1, 1, file},
               .texts = 1};
  return parse_text(&b);
}

// Without blanks at both ends; of longer texts the beginning.
static const char* trimmed(const char* text, memory_pool* pool)
{
  while (is_blank(*text)) text++;
  size_t length = strlen(text);
  while (length && is_blank(text[length - 1])) length--;
  return limb_mempool_text(pool, text, length < MAX_TEXT ? length : MAX_TEXT);
}

xml_node* limb_xml_without_texts(const xml_node* n, memory_pool* pool)
{
  xml_node* copy = limb_mempool_alloc(pool, sizeof *copy);
  const char* text = "";
  if (!copy) return NULL;
  *copy = (xml_node){.name = n->name, .pos = n->pos, .nattribute = n->nattribute, .attribute = n->attribute};
  for (const xml_node* c = n->first; c; c = c->next) {
    if (same(c->name, LIMB_XML_TEXT)) {
      text = *text ? text : c->text;
      continue;
    }
    xml_node* child = limb_xml_without_texts(c, pool);
    if (!child) return NULL;
    limb_xml_append(copy, child);
  }
  copy->text = copy->first ? "" : trimmed(text, pool);
  return copy->text ? copy : NULL;
}

int limb_xml_set(xml_node* n, const char* name, const char* value, memory_pool* pool)
{
  xml_attribute* list = n->attribute;
  int i = 0;
  while (i < n->nattribute && !same(list[i].name, name)) i++;
  if (i == n->nattribute && (i & (i - 1)) == 0) { // 0, 1, 2, 4, ...: as many as there is space for
    xml_attribute* larger = limb_mempool_alloc(pool, (size_t)(i ? 2 * i : 1) * sizeof *larger);
    if (!larger) return 0;
    if (i) memcpy(larger, list, (size_t)i * sizeof *larger);
    n->attribute = list = larger;
  }
  n->nattribute += i == n->nattribute;
  list[i] = (xml_attribute){name, value};
  return 1;
}

// ---- writing --------------------------------------------------------------------------------------

// What XML writes for a character; NULL: the character itself.
static const char* entity(char c, int attribute)
{
  static const struct {
    char c;
    const char* code;
  } reserved[] = {{'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"}, {'\r', "&#13;"}, // and in attributes
                  {'"', "&quot;"}, {'\n', "&#10;"}, {'\t', "&#9;"}};
  for (int i = 0; i < (attribute ? COUNT(reserved) : 4); i++) {
    if (c == reserved[i].c) return reserved[i].code;
  }
  return NULL;
}

static void write_text(const char* text, int attribute, limb_text_fn* write, void* context)
{
  char piece[256];
  size_t used = 0;
  for (; *text; text++) {
    const char* code = entity(*text, attribute);
    if (used + 8 > sizeof piece) {
      piece[used] = 0;
      write(context, piece);
      used = 0;
    }
    const size_t length = code ? strlen(code) : 1;
    memcpy(piece + used, code ? code : text, length);
    used += length;
  }
  piece[used] = 0;
  write(context, piece);
}

static void indent(int depth, limb_text_fn* write, void* context)
{
  for (int i = 0; i < depth; i++) write(context, "  ");
}

void limb_xml_write(const xml_node* n, int depth, limb_text_fn* write, void* context)
{
  const int inline_text = n->first && !n->first->next && same(n->first->name, LIMB_XML_TEXT);
  indent(depth, write, context);
  if (same(n->name, LIMB_XML_TEXT)) {
    write_text(n->text, 0, write, context);
    write(context, "\n");
    return;
  }
  write(context, "<");
  write(context, n->name);
  for (int i = 0; i < n->nattribute; i++) {
    write(context, " ");
    write(context, n->attribute[i].name);
    write(context, "=\"");
    write_text(n->attribute[i].value, 1, write, context);
    write(context, "\"");
  }
  write(context, !n->first ? "/>\n" : inline_text ? ">" : ">\n");
  if (!n->first) return;
  if (inline_text) write_text(n->first->text, 0, write, context);
  for (const xml_node* c = n->first; c && !inline_text; c = c->next) limb_xml_write(c, depth + 1, write, context);
  if (!inline_text) indent(depth, write, context);
  write(context, "</");
  write(context, n->name);
  write(context, ">\n");
}

// ---- access ---------------------------------------------------------------------------------------

const char* limb_xml_get(const xml_node* n, const char* name)
{
  for (int i = 0; i < n->nattribute; i++) {
    if (same(n->attribute[i].name, name)) return n->attribute[i].value;
  }
  return NULL;
}

static const xml_node* named(const xml_node* n, const char* name)
{
  while (n && !same(n->name, name)) n = n->next;
  return n;
}

const xml_node* limb_xml_child(const xml_node* n, const char* name) { return named(n->first, name); }

const xml_node* limb_xml_next(const xml_node* n) { return named(n->next, n->name); }
