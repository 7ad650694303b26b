// XML as a tree with positions, through expat. No entities except the five of XML, no doctype, limited depth.
#ifndef LIMB_IO_XML_H
#define LIMB_IO_XML_H

#include "io/findings.h"
#include "io/memory_pool.h"

enum { LIMB_XML_MAX_DEPTH = 256 };

typedef struct xml_attribute {
  const char *name, *value;
} xml_attribute;

typedef struct xml_node {
  const char* name; // as written, prefix included: "xacro:macro"
  file_pos pos;     // of its "<"
  size_t byte;      // of its start tag in the text
  unsigned bytes;   // length of that tag
  int nattribute;
  xml_attribute* attribute;
  const char* text; // of an element without children, as written, blanks at both ends removed; "" when none
  struct xml_node *parent, *first, *last, *next; // children in order
} xml_node;

// The root element of a text; NULL when it is not well-formed, which is reported. Strings and nodes live in the pool.
// opaque (closed by NULL, or NULL): elements whose content must be XML, but is not kept. file: of the positions.
xml_node* limb_xml_parse(const char* text, size_t size, int file, const char* const* opaque, memory_pool* pool,
                         limb_findings* f);

// The same with all texts, as children named LIMB_XML_TEXT whose text is what was written, blanks included.
#define LIMB_XML_TEXT "#text"
xml_node* limb_xml_parse_texts(const char* text, size_t size, int file, memory_pool* pool, limb_findings* f);

// A copy without texts as children: an element without other children has its text, as from limb_xml_parse. NULL: out
// of memory.
xml_node* limb_xml_without_texts(const xml_node* n, memory_pool* pool);

// Appends a child; sets an attribute, new or not (0: out of memory).
void limb_xml_append(xml_node* parent, xml_node* child);
int limb_xml_set(xml_node* n, const char* name, const char* value, memory_pool* pool);

// Writes an element as XML, one per line, indented.
void limb_xml_write(const xml_node* n, int depth, limb_text_fn* write, void* context);

// Value of an attribute; NULL when there is none.
const char* limb_xml_get(const xml_node* n, const char* name);

// First child of that name, NULL when there is none; the next of the same name.
const xml_node* limb_xml_child(const xml_node* n, const char* name);
const xml_node* limb_xml_next(const xml_node* n);

#endif
