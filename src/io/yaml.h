// YAML as a tree with positions, through libyaml: scalars, lists and mappings. Anchors, aliases, tags and several
// documents are refused, keys are unique words, depth and size are limited. Model files and run files use it.
#ifndef LIMB_IO_YAML_H
#define LIMB_IO_YAML_H

#include "io/findings.h"
#include "io/memory_pool.h"

enum {
  LIMB_YAML_MAX_DEPTH = 64,     // of nesting
  LIMB_YAML_MAX_NODES = 4000000 // of a document: about 300 MB
};

typedef enum yml_kind {
  YML_REFUSED, // a value that was reported already
  YML_SCALAR,
  YML_LIST,
  YML_MAP
} yml_kind;

typedef struct yml_node {
  yml_kind kind;
  int quoted;             // scalar: in quotes or a block, so text and not a number
  int count;              // list, mapping: number of entries
  int index;              // entry of a list: its index there; -1 for a value of a mapping, and the root
  file_pos pos;           // where it begins
  file_pos key_pos;       // value of a mapping: where its key begins
  const char* key;        // value of a mapping: its key; entry of a list: the key of the list, or NULL
  const char* text;       // scalar
  struct yml_node* first; // list, mapping: the entries, in order
  struct yml_node* next;  // in the same list or mapping
} yml_node;

// Parses a text. Nodes and strings live in the pool. With LIMB_OK the tree is complete, but there may be errors, such
// as a repeated key or a tag.
// LIMB_OK; LIMB_E_SYNTAX: no tree, reported; LIMB_E_NOMEM.
limb_status limb_yaml_parse(const char* text, size_t size, memory_pool* pool, limb_reporter* c, const yml_node** root);

// ---- values (yaml_value.c) ------------------------------------------------------------------------
//
// A node may be NULL: the value is not given. The functions then return 0, as after an error, which is reported; 1
// means that there is a value. Outputs are only set in this case, except lists of numbers.

// Value of a key; NULL when there is none, or when map is not a mapping.
const yml_node* limb_yml_get(const yml_node* map, const char* key);

// The same; a missing key is an error.
const yml_node* limb_yml_need(limb_reporter* c, const yml_node* map, const char* key);

// Whether a value is of this kind; another one is an error.
int limb_yml_is(limb_reporter* c, const yml_node* n, yml_kind kind);

// Lists of words are one string, separated by single blanks.

// Keys that are not known are errors.
void limb_yml_check_keys(limb_reporter* c, const yml_node* map, const char* known);

// The first key of the file states the version of its schema; file: "limb YAML", "run".
void limb_yml_check_schema(limb_reporter* c, const yml_node* root, const char* key, int version, const char* file);

// The first of the keys that is given, or NULL; a second one is an error.
const yml_node* limb_yml_one_of(limb_reporter* c, const yml_node* map, const char* keys);

// Text that is not empty; the index of one of the words.
int limb_yml_text(limb_reporter* c, const yml_node* n, const char** text);
int limb_yml_choice(limb_reporter* c, const yml_node* n, const char* words, int* index);

// A finite number; the same, or infinite (.inf, -.inf); a whole number from lowest to highest.
int limb_yml_number(limb_reporter* c, const yml_node* n, double* value);
int limb_yml_quantity(limb_reporter* c, const yml_node* n, const char* unit, double* value); // below
int limb_yml_limit(limb_reporter* c, const yml_node* n, double* value);
int limb_yml_integer(limb_reporter* c, const yml_node* n, int lowest, int highest, int* value);

// Numbers may have units: 12mm, 3 g, 50 g*cm^2; those of an angle only where an angle is expected.
// limb_yml_quantity and limb_yml_quantities refuse units of another dimension than that of the unit; NULL: any.

// A number of the given unit in radians (1, or pi/180), or with a unit of its own: 90deg; with unit 1 also pi, -pi/2,
// 3*pi, 2*pi/3.
int limb_yml_angle(limb_reporter* c, const yml_node* n, double unit, double* radians);

// A list of exactly count numbers or angles.
int limb_yml_numbers(limb_reporter* c, const yml_node* n, int count, double* values);
int limb_yml_quantities(limb_reporter* c, const yml_node* n, int count, const char* unit, double* values);
int limb_yml_angles(limb_reporter* c, const yml_node* n, int count, double unit, double* radians);

// 1 when a scalar is a number without a unit.
int limb_yml_is_bare(const yml_node* n);

// The name of a value in messages: "mass", "entry 2 of com". Returns text.
enum { YML_LABEL_SPACE = 96 };
const char* limb_yml_label(const yml_node* n, char text[YML_LABEL_SPACE]);

#endif
