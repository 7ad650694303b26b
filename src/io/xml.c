// XML through expat: elements with places, attributes and text, nothing else.
//
// Hostile input: entity declarations stop the parser before anything can expand, depth is limited, and the
// caller has limited the size. expat itself checks UTF-8 and well-formedness.
#include "io/xml.h"

#include "io/blank.h"

#include <expat.h>
#include <stdint.h>
#include <string.h>

enum { NAMES = 64 };

typedef struct builder {
  XML_Parser parser;
  limb_store* pool;
  limb_findings* findings;
  xml_node *root, *open; // open: the element at hand
  int depth;
  const char* const* opaque;
  int closed;       // depth inside an opaque element; 0: none
  const char* text; // all of it
  size_t size;
  size_t counted;           // bytes in front of the last place that was asked for
  limb_mark mark;           // that place
  const char* known[NAMES]; // names that were kept, to be kept once
  limb_status status;       // LIMB_OK until something stops the parser
} builder;

// Names are short: a loop is done before a call of strcmp is.
static int same(const char* a, const char* b)
{
  while (*a && *a == *b) {
    a++;
    b++;
  }
  return *a == *b;
}

// Place of what expat is at, counted on from the last one: expat's own count looks at every character again.
static limb_mark here(builder* b)
{
  const long long index = XML_GetCurrentByteIndex(b->parser);
  const size_t byte = index < 0 ? 0 : (size_t)index < b->size ? (size_t)index : b->size;
  if (byte < b->counted) return b->mark;
  for (;;) {
    const char* from = b->text + b->counted;
    const char* end = memchr(from, '\n', byte - b->counted);
    if (!end) break;
    b->mark.line++;
    b->mark.column = 1;
    b->counted = (size_t)(end + 1 - b->text);
  }
  for (; b->counted < byte; b->counted++) // bytes that begin a character
    b->mark.column += ((unsigned char)b->text[b->counted] & 0xc0) != 0x80;
  return b->mark;
}

static void stop(builder* b, limb_status status)
{
  if (!b->status) b->status = status;
  (void)XML_StopParser(b->parser, XML_FALSE);
}

static const char* keep(builder* b, const char* text) { return limb_store_text(b->pool, text, strlen(text)); }

// The same for the name of an element or attribute: few names come again and again.
static const char* keep_name(builder* b, const char* name)
{
  const char** slot = &b->known[((uintptr_t)name >> 3) % NAMES];
  if (!*slot || !same(*slot, name)) *slot = keep(b, name);
  return *slot;
}

// An element with room for its attributes, copied from expat's list of names and values; NULL when out of
// memory.
static xml_node* new_node(builder* b, const char* name, const char** list)
{
  int count = 0;
  while (list[2 * count]) count++;
  xml_node* n = limb_store_take(b->pool, sizeof *n + (size_t)count * sizeof(xml_attribute));
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

static void append_child(xml_node* parent, xml_node* child)
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

static void on_start(void* context, const char* name, const char** list)
{
  builder* b = context;
  if (b->status) return;
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
  n->mark = here(b);
  n->byte = (size_t)XML_GetCurrentByteIndex(b->parser);
  n->bytes = (unsigned)XML_GetCurrentByteCount(b->parser);
  if (b->open)
    append_child(b->open, n);
  else
    b->root = n;
  b->open = n;
  b->closed = is_opaque(b, name);
}

// Behind blanks and comments.
static const char* skip_comments(const char* text, const char* end)
{
  for (;;) {
    while (text < end && is_blank(*text)) text++;
    if (end - text < 7 || memcmp(text, "<!--", 4) != 0) return text;
    for (text += 4; end - text >= 3 && memcmp(text, "-->", 3) != 0;) text++;
    text += 3;
  }
}

// The text of an element without children: elements of model files hold one value or none. Taken from the
// source, because to be handed every line break between elements would cost a tenth of the time. Of longer
// texts the beginning is kept.
static void keep_text(builder* b, xml_node* n)
{
  enum { LONGEST = 256 };
  const char* text = b->text + n->byte + n->bytes;
  const char* end = b->text + (size_t)XML_GetCurrentByteIndex(b->parser);
  if (is_opaque(b, n->name)) return;
  text = skip_comments(text, end);
  while (text < end && is_blank(end[-1])) end--;
  if (text >= end) return;
  const size_t length = (size_t)(end - text);
  n->text = limb_store_text(b->pool, text, length < LONGEST ? length : LONGEST);
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
  if (!n->first) keep_text(b, n);
  b->open = n->parent;
}

static void on_doctype(void* context, const char* name, const char* system, const char* public, int internal)
{
  builder* b = context;
  (void)name, (void)system, (void)public;
  if (!internal) return; // a bare <!DOCTYPE robot> declares nothing
  limb_report(b->findings, RULE_ENTITY, here(b), (limb_subject){"DOCTYPE", NULL},
              "the file declares entities or other grammar of its own, which is refused");
  stop(b, LIMB_E_SYNTAX);
}

static void report_syntax(builder* b)
{
  const enum XML_Error code = XML_GetErrorCode(b->parser);
  const limb_mark at = here(b);
  limb_report(b->findings, RULE_SYNTAX, at,
              b->open ? (limb_subject){"element", b->open->name} : (limb_subject){NULL, NULL},
              "not well-formed XML: %s", XML_ErrorString(code));
  const size_t byte = (size_t)XML_GetCurrentByteIndex(b->parser);
  if (byte >= b->size && b->open)
    limb_report_hint(b->findings, "the file ends inside <%s> of line %d: it may have been cut off", b->open->name,
                     b->open->mark.line);
}

xml_node* limb_xml_parse(const char* text, size_t size, const char* const* opaque, limb_store* pool, limb_findings* f)
{
  builder b = {.parser = XML_ParserCreate(NULL),
               .opaque = opaque,
               .pool = pool,
               .findings = f,
               .text = text,
               .size = size,
               .mark = {1, 1}};
  if (!b.parser) return NULL;
  XML_SetUserData(b.parser, &b);
  XML_SetElementHandler(b.parser, on_start, on_end);
  XML_SetStartDoctypeDeclHandler(b.parser, on_doctype);
  enum { PIECE = 1 << 20 }; // expat counts in int
  enum XML_Status told = XML_STATUS_OK;
  size_t done = 0;
  do {
    const size_t piece = size - done < PIECE ? size - done : PIECE;
    told = XML_Parse(b.parser, text + done, (int)piece, done + piece == size);
    done += piece;
  } while (told == XML_STATUS_OK && done < size);
  if (told != XML_STATUS_OK && !b.status) {
    if (XML_GetErrorCode(b.parser) != XML_ERROR_NO_MEMORY) report_syntax(&b);
    b.status = LIMB_E_SYNTAX;
  }
  XML_ParserFree(b.parser);
  return b.status ? NULL : b.root;
}

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
