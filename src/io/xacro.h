// xacro (ROS 2 Humble and later) expanded to URDF: macros, properties, conditions, inclusions and expressions over XML.
//
// The expressions are a subset of Python, evaluated here: nothing is executed. What is not in the subset is an error
// that names it. Work, depth and memory are bounded, whatever a file contains.
#ifndef LIMB_IO_XACRO_H
#define LIMB_IO_XACRO_H

#include "io/files.h"
#include "io/xml.h"

// ---- values ---------------------------------------------------------------------------------------

typedef enum xacro_kind {
  XACRO_NONE,
  XACRO_BOOL,
  XACRO_INT,
  XACRO_FLOAT,
  XACRO_TEXT,
  XACRO_LIST,
  XACRO_DICT,
  XACRO_BLOCK,     // elements, of a block parameter or property
  XACRO_FUNCTION,  // by its name
  XACRO_NAMESPACE, // of an inclusion
} xacro_kind;

typedef struct xacro_value {
  xacro_kind kind;
  union {
    long long i; // BOOL, INT
    double x;
    const char* text; // TEXT, FUNCTION
    struct xacro_list* list;
    struct xacro_dict* dict;
    const xml_node* block;
    struct xacro_scope* scope;
  };
} xacro_value;

typedef struct xacro_list {
  int count, capacity;
  int tuple;
  xacro_value* item;
} xacro_list;

typedef struct xacro_dict {
  int count, capacity, value_capacity;
  xacro_value *key, *value;
} xacro_dict;

static inline xacro_value xacro_none(void) { return (xacro_value){.kind = XACRO_NONE}; }
static inline xacro_value xacro_bool(int b) { return (xacro_value){.kind = XACRO_BOOL, .i = b != 0}; }
static inline xacro_value xacro_int(long long i) { return (xacro_value){.kind = XACRO_INT, .i = i}; }
static inline xacro_value xacro_float(double x) { return (xacro_value){.kind = XACRO_FLOAT, .x = x}; }
static inline xacro_value xacro_text(const char* text) { return (xacro_value){.kind = XACRO_TEXT, .text = text}; }

static inline int xacro_is_number(xacro_value v)
{
  return v.kind == XACRO_BOOL || v.kind == XACRO_INT || v.kind == XACRO_FLOAT;
}

// ---- an expansion ---------------------------------------------------------------------------------

enum {
  XACRO_MAX_DEPTH = 300,     // of macros, inclusions and brackets in each other
  XACRO_MAX_WORK = 20000000, // elements, words of expressions, entries of lists
};

// Names with their values, and the scope around them. Values are evaluated when they are first used.
typedef struct xacro_property {
  const char* name;
  xacro_value value;
  int lazy, evaluating; // lazy: the value is a text that has not been evaluated
} xacro_property;

typedef struct xacro_scope {
  struct xacro_scope* parent;
  int is_namespace;
  int count, capacity;
  xacro_property* item;
} xacro_scope;

typedef struct xacro_argument {
  const char *name, *value;
  int used; // the document declares it, or asks for it
} xacro_argument;

typedef struct xacro {
  memory_pool* pool;
  limb_files* files;
  limb_findings* findings;
  xml_node* root;    // of the document
  xacro_scope top;   // properties
  xacro_scope macro; // blocks: <xacro:macro> elements
  xacro_argument* argument;
  int narguments, argument_capacity;
  file_pos at;            // of the element in work, for messages
  const char* path;       // of its file
  const char* expression; // that is evaluated, for messages; NULL: none
  long long work;
  int depth;
  int failed; // an error was reported, or memory ran out: everything returns
} xacro;

// Reports the first error; later ones would follow from it. Returns None.
LIMB_PRINTF(2, 3) xacro_value limb_xacro_fail(xacro* x, const char* format, ...);
xacro_value limb_xacro_no_memory(xacro* x);

// Counts work; 0 when there was too much of it, or after an error.
int limb_xacro_work(xacro* x, long long amount);

// ---- values (xacro_value.c) -----------------------------------------------------------------------

xacro_value limb_xacro_text_n(xacro* x, const char* text, size_t length);  // a copy
xacro_value limb_xacro_unquote(xacro* x, const char* text, size_t length); // the same, with Python's usual escapes
xacro_value limb_xacro_new_list(xacro* x, int tuple);
xacro_value limb_xacro_new_dict(xacro* x);
void limb_xacro_append(xacro* x, xacro_value list, xacro_value item);
void limb_xacro_put(xacro* x, xacro_value dict, xacro_value key, xacro_value value);
const xacro_value* limb_xacro_find(xacro_value dict, xacro_value key); // NULL: no such key

double limb_xacro_number(xacro_value v); // of a number
int limb_xacro_truth(xacro_value v);
int limb_xacro_equal(xacro_value a, xacro_value b);
int limb_xacro_compare(xacro* x, xacro_value a, xacro_value b); // below 0, 0, above 0; not a number: 2
const char* limb_xacro_str(xacro* x, xacro_value v);            // as Python's str() and repr()
const char* limb_xacro_repr(xacro* x, xacro_value v);

// A text that is a whole number or a number in Python's notation. 0 when it is none.
int limb_xacro_scan_int(const char* text, long long* i);
int limb_xacro_scan_float(const char* text, double* value);

// The value that a text of a property or an attribute stands for: 'text' in quotes, a number, true or false.
xacro_value limb_xacro_literal(xacro* x, xacro_value v);

const char* limb_xacro_kind(xacro_value v); // "a list", for messages

// ---- arithmetic (xacro_arithmetic.c) --------------------------------------------------------------

xacro_value limb_xacro_add(xacro* x, xacro_value a, xacro_value b);
xacro_value limb_xacro_subtract(xacro* x, xacro_value a, xacro_value b);
xacro_value limb_xacro_multiply(xacro* x, xacro_value a, xacro_value b);
xacro_value limb_xacro_divide(xacro* x, const char* sign, xacro_value a, xacro_value b); // "/", "//", "%"
xacro_value limb_xacro_power(xacro* x, xacro_value a, xacro_value b);
xacro_value limb_xacro_join(xacro* x, xacro_value a, xacro_value b); // lists
xacro_value limb_xacro_bad_operands(xacro* x, const char* sign, xacro_value a, xacro_value b);

// a < b and its like; not for NO_RELATION.
typedef enum xacro_relation { NO_RELATION, LT, LE, GT, GE, EQ, NE, IN, NOT_IN, IS, IS_NOT } xacro_relation;
int limb_xacro_holds(xacro* x, xacro_relation r, xacro_value a, xacro_value b);

// v[index], v[from:to]; None: not given.
xacro_value limb_xacro_entry(xacro* x, xacro_value v, xacro_value index);
xacro_value limb_xacro_slice(xacro* x, xacro_value v, xacro_value from, xacro_value to);

// ---- expressions (xacro_expression.c, xacro_function.c, xacro_method.c) ---------------------------

// The value of a Python expression whose names are those of a scope.
xacro_value limb_xacro_expression(xacro* x, const char* text, xacro_scope* scope);

// A name that every expression knows: pi, sin, math. 0 when there is none.
int limb_xacro_global(const char* name, xacro_value* out);

// object.name; a call of a function with arguments; a call of a method of an object.
xacro_value limb_xacro_member(xacro* x, xacro_value object, const char* name);
xacro_value limb_xacro_invoke(xacro* x, const char* name, const xacro_list* arguments);
xacro_value limb_xacro_method(xacro* x, xacro_value object, const char* name, const xacro_list* arguments);

// A list, the keys of a dictionary, or the characters of a text, as a list.
xacro_value limb_xacro_items(xacro* x, xacro_value v);

// A call, while it is evaluated. These report what is wrong: the number of arguments, an argument that is no text.
typedef struct xacro_call {
  xacro* x;
  const char* name;
  const xacro_value* argument;
  int count;
} xacro_call;

int limb_xacro_takes(const xacro_call* c, int min, int max);
const char* limb_xacro_text_at(const xacro_call* c, int i);

// A whole number, unless it is too large.
xacro_value limb_xacro_whole(xacro* x, double value);

// text % value, as in "%d_link" % 3
xacro_value limb_xacro_format(xacro* x, const char* text, xacro_value value);

// ---- texts and names (xacro_text.c) ---------------------------------------------------------------

// A text with ${expressions} and $(substitutions): typed if it is one of them and nothing else.
xacro_value limb_xacro_eval(xacro* x, const char* text, xacro_scope* scope);
const char* limb_xacro_eval_text(xacro* x, const char* text, xacro_scope* scope); // never NULL

// true or false as conditions state it; what: the text of the condition, for messages.
int limb_xacro_condition(xacro* x, xacro_value v, const char* what);

// 1 and the value of a name in a scope or one around it; 0: unknown.
int limb_xacro_lookup(xacro* x, xacro_scope* scope, const char* name, xacro_value* out);
int limb_xacro_knows(const xacro_scope* scope, const char* name);
void limb_xacro_define(xacro* x, xacro_scope* scope, const char* name, xacro_value value, int lazy);
void limb_xacro_remove(xacro_scope* scope, const char* name);

// The text of an argument (xacro:arg, name:=value); NULL: unknown.
const char* limb_xacro_argument(xacro* x, const char* name);
void limb_xacro_set_argument(xacro* x, const char* name, const char* value);

// ---- macros (xacro_macro.c) -----------------------------------------------------------------------

// Gives the scope of a macro, whose parameters are params="", the attributes of a call; the elements inside it for the
// parameters *name and **name, and defaults for the others. caller: the scope of the call.
void limb_xacro_pass_attributes(xacro* x, const xml_node* n, const char* params, xacro_scope* caller,
                                xacro_scope* inner);
void limb_xacro_pass_rest(xacro* x, const xml_node* n, const xml_node* blocks, const char* params, xacro_scope* caller,
                          xacro_scope* inner);

// The text from begin to end, never NULL; the first element among a node and those after it.
const char* limb_xacro_cut(xacro* x, const char* begin, const char* end);
const xml_node* limb_xacro_element(const xml_node* n);

// ---- YAML (xacro_yaml.c) --------------------------------------------------------------------------

// The content of a YAML file, with !degrees and other units.
xacro_value limb_xacro_load_yaml(xacro* x, const char* name);

// ---- documents (xacro.c) --------------------------------------------------------------------------

// Whether a file is xacro, by its name or because it has instructions. ${...} alone is none: it may be a literal.
int limb_xacro_is_needed(const char* name, const char* text, size_t size);

// Expands a text. arguments: name:=value, closed by NULL; or NULL. The tree has texts as nodes "#text".
// NULL after an error, which is reported, or when out of memory.
struct limb_source;
xml_node* limb_xacro_expand(struct limb_source* src, const char* const* arguments, limb_findings* f);

#endif
