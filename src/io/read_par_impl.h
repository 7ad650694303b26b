// SYMORO .par files in parts: read_par_scan.c turns text into lists of entries, read_par_eval.c entries into
// numbers, read_par_row.c numbers into rows of the table of frames, read_par.c all of it into a robot, and
// read_par_loop.c the cut joints into loops.
#ifndef LIMB_READ_PAR_IMPL_H
#define LIMB_READ_PAR_IMPL_H

#include "base/names.h"
#include "io/readers.h"

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
  limb_mark mark;
} par_value;

typedef struct par_list {
  const par_value* value;
  int count;
  limb_mark mark; // of its name; line 0: not in the file
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
  limb_store* pool;
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

// Canonical names and lengths, by key.
const char* limb_par_list_name(int key);
par_length limb_par_list_length(par_key key);

// Splits a text into lists, single values and symbols. Offenders are findings.
void limb_par_scan(par_file* p, const char* text, size_t size);

// Where an entry stands, for messages: its list and its place there.
typedef struct par_slot {
  par_key key;
  int index;
} par_slot;

// Value of an entry. A symbol without value is reported by the rule: an error with RULE_MISSING_KEY, else it
// counts as 0. Returns 1, or 0 after an error.
int limb_par_number(par_file* p, par_slot at, limb_rule missing, double* x);

// Value of an entry that may hold the joint variable: constant + sign * variable. sign 0: no variable.
int limb_par_variable(par_file* p, par_slot at, int joint, double* constant, int* sign);

// An entry, or a single value, that must be a whole number.
int limb_par_integer(par_file* p, par_slot at, int* x);
int limb_par_count(par_file* p, par_scalar which, int* x);

// Whether an entry is 0 or has symbols without a value: it states nothing.
int limb_par_is_idle(par_file* p, par_slot at);

// ---- the robot

typedef struct par_robot {
  par_file* p;
  limb_sketch* s;
  int nlink, njoint, nframe; // NL, NJ, NF: tree, with cut joints, with the second frames of these
  int moving;                // the base moves
  int with_base;             // the lists per link begin with body 0
  sp_pose base;              // of frame 0 in the world
  const char** names;        // of bodies 0 ... nlink
} par_robot;

// Whether the file has a list; a list, for messages.
int limb_par_has(const par_file* p, par_key key);
limb_subject limb_par_subject(par_key key);

// Entry of a list, 0 when there is no such list. Returns 1, or 0 after an error.
int limb_par_entry(const par_robot* r, par_key key, int index, double* x);

// A name such as link3, in the pool; NULL when out of memory, which the file remembers.
const char* limb_par_numbered(const par_robot* r, const char* stem, int number);

// A frame in that of its antecedent.
typedef struct par_row {
  int ant, sigma, sign; // sign of the joint variable
  double b, d, r, gamma, alpha, theta;
} par_row;

// Row i of the table, from 0 on. 0 after an error.
int limb_par_take_row(const par_robot* r, int i, par_row* m);

// Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r), the joint variable at zero.
sp_pose limb_par_row_pose(const par_row* m);

// mu: 0 for a passive joint, 1 for one with a motor; without the list all have one.
int limb_par_is_passive(const par_robot* r, int i);

// The loop that is closed by joint i.
void limb_par_cut(const par_robot* r, int i);

#endif
