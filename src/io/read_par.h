// SYMORO .par files: read_par_scan.c turns text into lists of entries, read_par_eval.c entries into numbers, and
// read_par.c numbers into a robot.
#ifndef LIMB_IO_READ_PAR_H
#define LIMB_IO_READ_PAR_H

#include "base/names.h"
#include "io/reading.h"

// X(ENUM, "name", "other spelling", length): the lists of the format. SYMORO+ writes Ant, OpenSYMORO ant.
// Lengths: per frame, per link (one more with body 0 when the base moves), per joint, or fixed.
#define PAR_LIST_LIST(X)             \
  X(ANT, "Ant", "ant", FRAMES)       \
  X(SIGMA, "Sigma", "sigma", FRAMES) \
  X(B, "B", "b", FRAMES)             \
  X(D, "d", "D", FRAMES)             \
  X(R, "R", "r", FRAMES)             \
  X(GAMMA, "gamma", "Gamma", FRAMES) \
  X(ALPHA, "Alpha", "alpha", FRAMES) \
  X(MU, "Mu", "mu", FRAMES)          \
  X(THETA, "Theta", "theta", FRAMES) \
  X(XX, "XX", "XX", LINKS)           \
  X(XY, "XY", "XY", LINKS)           \
  X(XZ, "XZ", "XZ", LINKS)           \
  X(YY, "YY", "YY", LINKS)           \
  X(YZ, "YZ", "YZ", LINKS)           \
  X(ZZ, "ZZ", "ZZ", LINKS)           \
  X(MX, "MX", "MX", LINKS)           \
  X(MY, "MY", "MY", LINKS)           \
  X(MZ, "MZ", "MZ", LINKS)           \
  X(M, "M", "M", LINKS)              \
  X(IA, "IA", "Ia", LINKS)           \
  X(FV, "FV", "Fv", LINKS)           \
  X(FS, "FS", "Fs", LINKS)           \
  X(FX, "FX", "FX", LINKS)           \
  X(FY, "FY", "FY", LINKS)           \
  X(FZ, "FZ", "FZ", LINKS)           \
  X(CX, "CX", "CX", LINKS)           \
  X(CY, "CY", "CY", LINKS)           \
  X(CZ, "CZ", "CZ", LINKS)           \
  X(QP, "QP", "QP", ANY)             \
  X(QDP, "QDP", "QDP", ANY)          \
  X(GAM, "GAM", "GAM", ANY)          \
  X(ETA, "eta", "Eta", JOINTS)       \
  X(K, "k", "K", JOINTS)             \
  X(W0, "W0", "W0", VECTOR)          \
  X(WP0, "WP0", "WP0", VECTOR)       \
  X(V0, "V0", "V0", VECTOR)          \
  X(VP0, "VP0", "VP0", VECTOR)       \
  X(G, "G", "G", VECTOR)             \
  X(Z, "Z", "Z", MATRIX)

typedef enum par_key {
#define PAR_X(id, name, other, length) PAR_##id,
  PAR_LIST_LIST(PAR_X)
#undef PAR_X
    PAR_KEYS
} par_key;

typedef enum par_length { PAR_FRAMES, PAR_LINKS, PAR_JOINTS, PAR_VECTOR, PAR_MATRIX, PAR_ANY } par_length;

// X(ENUM, "name"): the single values.
#define PAR_SCALAR_LIST(X)  \
  X(NF, "NF")               \
  X(NL, "NL")               \
  X(NJ, "NJ")               \
  X(TYPE, "Type")           \
  X(IS_MOBILE, "is_mobile") \
  X(IS_FLOATING, "is_floating")

typedef enum par_scalar {
#define PAR_X(id, name) PAR_##id,
  PAR_SCALAR_LIST(PAR_X)
#undef PAR_X
    PAR_SCALARS
} par_scalar;

// A piece of the text.
typedef struct par_value {
  const char *text, *end; // blanks at both ends removed; text NULL: not in the file
  file_pos pos;
} par_value;

typedef struct par_list {
  const par_value* value;
  int count;
  file_pos pos; // of its name; line 0: not in the file
} par_list;

// A line such as RL4 = 0.5: the value of a symbol.
typedef struct par_symbol {
  const char* name;
  par_value value;
  enum { PAR_NEW, PAR_BUSY, PAR_KNOWN, PAR_FAULTY } state;
  int used;
  double number;
} par_symbol;

typedef struct par_file {
  memory_pool* pool;
  limb_findings* findings;
  const char* robot; // name, from the comment "Robotname = '...'"; NULL: none
  int ended;         // the comment "End of definition" was seen
  par_list list[PAR_KEYS];
  par_value scalar[PAR_SCALARS];
  par_symbol* symbol;
  int nsymbol, symbol_cap;
  limb_names names;      // of the symbols
  const char** variable; // by joint: its variable, when it has an unusual name; NULL: none has
  limb_names variables;
  int no_memory;
} par_file;

// Splits a text into lists, single values and symbols. Faults are reported.
void limb_par_scan(par_file* p, const char* text, size_t size);

// An entry of a list; index PAR_ALL: the list itself, for messages.
typedef struct par_slot {
  par_key key;
  int index;
} par_slot;

enum { PAR_ALL = -1 };

// Value of an entry. A symbol without value is reported by the rule `missing`: an error if that is RULE_MISSING_KEY,
// otherwise it counts as 0. Returns 1, or 0 after an error.
int limb_par_number(par_file* p, par_slot at, limb_rule missing, double* x);

// Value of an entry that may hold the joint variable: constant + sign * variable. sign 0: no variable.
int limb_par_variable(par_file* p, par_slot at, int joint, double* constant, int* sign);

// An entry, or a single value, that must be a whole number.
int limb_par_integer(par_file* p, par_slot at, int* x);
int limb_par_count(par_file* p, par_scalar which, int* x);

// Whether an entry is 0 or has symbols without a value.
int limb_par_is_unset(par_file* p, par_slot at);

typedef struct par_sizes {
  int nlink, njoint, nframe; // NL, NJ, NF: tree, with cut joints, with the second frames of these
  int moving;                // the base moves
  int with_base;             // the lists per link begin with body 0
} par_sizes;

// Reads the sizes, and checks that the lists of a robot are there and have their lengths. 0 after an error.
int limb_par_check(par_file* p, par_sizes* n);

// Whether the file has a list; a list as the subject of reports.
int limb_par_has(const par_file* p, par_key key);
limb_subject limb_par_subject(par_key key);

// Reports a finding about an entry or a list.
LIMB_PRINTF(4, 5) void limb_par_report(par_file* p, limb_rule rule, par_slot at, const char* format, ...);

#endif
