// XML as a tree with places, through expat. No entities but the five of XML, no doctype, depth limited.
#ifndef LIMB_XML_H
#define LIMB_XML_H

#include "io/findings.h"
#include "io/store.h"

enum { LIMB_XML_MAX_DEPTH = 256 };

typedef struct xml_attribute {
  const char *name, *value;
} xml_attribute;

typedef struct xml_node {
  const char* name; // as written, prefix included: "xacro:macro"
  limb_mark mark;   // of its "<"
  size_t byte;      // its start tag (or empty-element tag) in the text
  unsigned bytes;   // of that tag
  int nattribute;
  const xml_attribute* attribute;
  const char* text; // of an element without children, as written, blanks at both ends removed; "" when none
  struct xml_node *parent, *first, *last, *next; // children in order
} xml_node;

// The root element of a text; NULL when it is not well-formed: findings tell, by rule.
// Strings and nodes live in the pool. opaque (NULL-closed, or NULL): elements whose inside is checked to be
// XML, but not kept.
xml_node* limb_xml_parse(const char* text, size_t size, const char* const* opaque, limb_store* pool, limb_findings* f);

// Value of an attribute; NULL when there is none.
const char* limb_xml_get(const xml_node* n, const char* name);

// First child of that name, NULL when there is none; the next of the same name.
const xml_node* limb_xml_child(const xml_node* n, const char* name);
const xml_node* limb_xml_next(const xml_node* n);

#endif
