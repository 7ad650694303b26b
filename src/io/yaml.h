// YAML as a tree with places, through libyaml: scalars, lists and mappings. Anchors, aliases, tags and
// several documents are refused, keys are unique words, depth and size are limited. Model files use it, and
// whatever else people write for limb by hand.
#ifndef LIMB_YAML_H
#define LIMB_YAML_H

#include "io/findings.h"
#include "io/store.h"

enum {
  LIMB_YAML_MAX_DEPTH = 64,     // of nesting
  LIMB_YAML_MAX_NODES = 4000000 // of a document: some 300 MB
};

typedef enum yml_kind {
  YML_REFUSED, // a value that was reported already: nothing more is said about it
  YML_SCALAR,
  YML_LIST,
  YML_MAP
} yml_kind;

typedef struct yml_node {
  yml_kind kind;
  int quoted;             // scalar: in quotes or a block, so text and never a number
  int count;              // list, mapping: of entries
  int index;              // in the list it is an entry of; -1 for a value of a mapping, and the root
  limb_mark mark;         // where it begins
  limb_mark key_mark;     // value of a mapping: where its key begins
  const char* key;        // value of a mapping: its key; entry of a list: the key of the list, or NULL
  const char* text;       // scalar
  struct yml_node* first; // list, mapping: the entries, in order
  struct yml_node* next;  // in the list or mapping it is in
} yml_node;

// How values are asked for: whom they belong to, and how many errors there were.
typedef struct yml_check {
  limb_findings* findings;
  limb_subject about;
  int errors;
} yml_check;

// Reports an error and counts it.
LIMB_PRINTF(4, 5)
void limb_yml_error(yml_check* c, limb_rule rule, limb_mark at, const char* format, ...);

// Parses a text. Nodes and strings live in the pool. With LIMB_OK the tree is whole, but c->errors may have
// grown: twice the same key, a tag.
// LIMB_OK; LIMB_E_SYNTAX: no tree, findings tell; LIMB_E_NOMEM.
limb_status limb_yaml_parse(const char* text, size_t size, limb_store* pool, yml_check* c, const yml_node** root);

// ---- asking (yaml_value.c) ------------------------------------------------------------------------
//
// A node may be NULL where a value is asked for: it was left out. The answer is 0 then, as it is after an
// error, which is reported with its place; 1 means that there is a value. An output is touched only then,
// but for lists of numbers.

// Value of a key; NULL when there is none, or when map is not a mapping.
const yml_node* limb_yml_get(const yml_node* map, const char* key);

// The same, but it must be there.
const yml_node* limb_yml_need(yml_check* c, const yml_node* map, const char* key);

int limb_yml_is(yml_check* c, const yml_node* n, yml_kind kind);

// All keys that are not among the known ones are errors.
void limb_yml_check_keys(yml_check* c, const yml_node* map, const char* const* known, int count);

// At most one of the keys may be there: it, or NULL. Others are errors.
const yml_node* limb_yml_one_of(yml_check* c, const yml_node* map, const char* const* keys, int count);

// Text that is not empty. One of the words: its index is given.
int limb_yml_text(yml_check* c, const yml_node* n, const char** text);
int limb_yml_choice(yml_check* c, const yml_node* n, const char* const* words, int count, int* index);

// A finite number; the same, or infinite (.inf, -.inf); a whole number from lowest to highest.
int limb_yml_number(yml_check* c, const yml_node* n, double* value);
int limb_yml_limit(yml_check* c, const yml_node* n, double* value);
int limb_yml_integer(yml_check* c, const yml_node* n, int lowest, int highest, int* value);

// A number of the given unit in radians (1, or pi/180); with unit 1 also pi, -pi/2, 3*pi, 2*pi/3.
int limb_yml_angle(yml_check* c, const yml_node* n, double unit, double* radians);

// A list of exactly count of them.
int limb_yml_numbers(yml_check* c, const yml_node* n, int count, double* values);
int limb_yml_angles(yml_check* c, const yml_node* n, int count, double unit, double* radians);

// For messages: what a value is called ("mass", "entry 2 of com"), and a user's text, cut to a bearable
// length. In text, returned.
enum { YML_LABEL_SPACE = 96 };
const char* limb_yml_label(const yml_node* n, char text[YML_LABEL_SPACE]);

#endif
