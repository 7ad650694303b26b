// limb: robot dynamics in C. Code generation: functions for one robot as source text, and its equations of motion.
//
//     limb_codegen_options o = limb_default_codegen_options();
//     limb_codegen* c = NULL;
//     o.what = "tau,M";
//     if (limb_codegen_create(model, &o, NULL, &c, &error) != LIMB_OK) return report(&error);
//     if (limb_codegen_write(c, LIMB_FILE_SOURCE, print, file) != LIMB_OK) return 1;
//     limb_codegen_free(c);
//
// The library's algorithms run on symbols instead of numbers. The operations they perform are recorded and simplified
// for this robot: terms that are zero, factors of one, constants and common subexpressions are eliminated.
//
// The second part of this header writes the equations of motion of a small robot in symbols, for people to read:
//
//     if (limb_equations_write(model, NULL, NULL, print, stdout, &error) != LIMB_OK) return report(&error);
//
// All results are checked: expressions are evaluated in random states and compared with the values of the library. If
// they differ, the call fails.
#ifndef LIMB_CODEGEN_H
#define LIMB_CODEGEN_H

#include "limb/model.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- code generation ----------------------------------------------------------------------------------------------

/// Languages. Values are pinned, here and below.
typedef enum limb_language {
  LIMB_LANGUAGE_C = 0, ///< C99
  LIMB_LANGUAGE_PYTHON = 1,
  LIMB_LANGUAGE_MATLAB = 2, ///< and Octave
  LIMB_LANGUAGE_JULIA = 3,
  LIMB_LANGUAGE_RUST = 4,
  LIMB_LANGUAGE_LATEX = 5
} limb_language;

/// Source of sines and cosines.
typedef enum limb_sines {
  LIMB_SINES_LIBM = 0,  ///< math.h
  LIMB_SINES_GIVEN = 1, ///< the caller passes arrays with the sines and cosines of the angles
  LIMB_SINES_OWN = 2    ///< polynomials in the generated text, for angles within +-1e5 rad; C only
} limb_sines;

/// Numbers of the robot that remain symbols, in an argument p. A function <prefix>_parameters(p) sets p to the numbers
/// of the robot; docs/codegen.md explains the components.
typedef enum limb_symbols {
  LIMB_SYMBOLS_NONE = 0,    ///< all numbers are inserted
  LIMB_SYMBOLS_INERTIA = 1, ///< base (regrouped) inertial parameters that are not zero
  LIMB_SYMBOLS_ALL = 2      ///< lengths between joints as well
} limb_symbols;

/// Order of statements, and of the terms of sums.
typedef enum limb_statement_order {
  LIMB_ORDER_LATENCY = 0,  ///< scheduled for latency: for processors that execute out of order
  LIMB_ORDER_REGISTERS = 1 ///< scheduled for few live values: for small processors
} limb_statement_order;

typedef enum limb_codegen_file {
  LIMB_FILE_SOURCE = 0,
  LIMB_FILE_HEADER = 1, ///< C: prototypes, meaning of the arguments, operation counts; others: empty
  LIMB_FILE_TEST = 2    ///< C: a program that compares with values of the library; others: empty
} limb_codegen_file;

/// Start from limb_default_codegen_options(); NULL: these defaults.
typedef struct limb_codegen_options {
  size_t size;            ///< sizeof(limb_codegen_options), set by the default function
  const char* what;       ///< quantities, separated by commas; "all": all that the robot has; default "tau"
  limb_language language; ///< default C
  limb_sines sines;       ///< default math.h
  limb_symbols symbols;   ///< default none
  const char* prefix;     ///< of all names; NULL: derived from the name of the robot
  const char* frame;      ///< of J and pose, and the platform; NULL: the last body that is a leaf
  int single;             ///< not 0: float instead of double (C, Rust); default 0
  int lanes;              ///< states per call, in vectors of GCC and clang: 1, 2, 4, 8 or 16; default 1 (C)
  int max_statements;     ///< per function, at least 10; longer functions are divided into parts; 0: no limit (C)
  int gravity_argument;   ///< not 0: gravity is an argument; default 0: the gravity of the model
  int friction;           ///< not 0: forces and derived quantities include friction; default 1
  limb_statement_order order;
  double effort;        ///< approximate time of the search for fewer operations [s]; 0: no search; default 1
  double coulomb_width; ///< 1e-9 to 1e9: Coulomb friction by tanh(v / width); default 0: by the sign of v
} limb_codegen_options;

LIMB_API limb_codegen_options limb_default_codegen_options(void);

/// The functions that options.what may name; NULL if the index is out of range. Names and meanings are those of
/// limb/quantities.h; docs/codegen.md lists functions that return several quantities, and functions that are not in the
/// registry. Robots: "all", "without loops" or "with loops"; tree_tau and similar names are those of the spanning tree
/// of a robot with loops.
LIMB_API const char* limb_codegen_quantity_name(int index);
LIMB_API const char* limb_codegen_quantity_meaning(int index);
LIMB_API const char* limb_codegen_quantity_robots(int index);

/// Generated and checked text.
typedef struct limb_codegen limb_codegen;

/// Generates the text for a robot.
/// @param error  which option or quantity is wrong, and what to do; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL, unknown quantity or frame, options that exclude each other); LIMB_E_UNSUPPORTED
///         (a quantity that this robot does not have or that has no closed form, too many operations, float with too
///         few digits, a robot without moving joints); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_codegen_create(const limb_model* m, const limb_codegen_options* options,
                                                        const limb_allocator* alloc, limb_codegen** out,
                                                        limb_error* error);
LIMB_API void limb_codegen_free(limb_codegen* c); ///< NULL is accepted

/// Prefix of all names; NULL if c is NULL. The files must be named <prefix>.c, <prefix>.h and <prefix>_test.c.
LIMB_API const char* limb_codegen_prefix(const limb_codegen* c);

/// Passes the text of a file to `text`, piece by piece.
/// @return LIMB_OK; LIMB_E_ARG (NULL, unknown file).
LIMB_NODISCARD LIMB_API limb_status limb_codegen_write(const limb_codegen* c, limb_codegen_file file,
                                                       limb_text_fn* text, void* context);

/// Properties of one function.
typedef struct limb_codegen_facts {
  const char* name; ///< of the function in the text
  const char* quantity;
  long mul, add, div; ///< operations; add: additions and subtractions
  long sines;         ///< angles whose sine and cosine are computed or passed
  long other;         ///< square roots, signs, hyperbolic tangents
  long statements;
  long stack;        ///< largest number of bytes of intermediate results that are live at the same time
  double difference; ///< largest relative difference from the library in the states tried, in the text's precision
} limb_codegen_facts;

/// The functions: "angles" if sines are passed, then the quantities, then "parameters" if there are symbols.
LIMB_API int limb_codegen_count(const limb_codegen* c);
LIMB_NODISCARD LIMB_API limb_status limb_codegen_get(const limb_codegen* c, int function, limb_codegen_facts* out);

// ---- equations of motion ------------------------------------------------------------------------------------------
//
//     M(q) a + C(q, v) v + g(q) = tau,      with loops  ... = tau + Psi(q)^T lambda,  Psi(q) v = 0
//
// Lengths, masses and inertias are symbols; terms that are zero for this robot are omitted. Sums of angles about
// parallel axes are abbreviated: c12 = cos(q1 + q2). Numbers are rounded to 13 digits in text and LaTeX, and exact in
// C. With loops, M a + C v + g is not tau alone: the rows of "tau" are then called tau + Psi^T lambda. Ball and free
// joints have quaternions of norm 1, and velocities that are not derivatives of coordinates: there is no C then, but h.

typedef enum limb_notation { LIMB_NOTATION_TEXT = 0, LIMB_NOTATION_LATEX = 1, LIMB_NOTATION_C = 2 } limb_notation;

/// Start from limb_default_equation_options(); NULL: these defaults.
typedef struct limb_equation_options {
  size_t size;            ///< sizeof(limb_equation_options), set by the default function
  const char* what;       ///< from "M,C,g,h,tau,T,U,L,christoffel,Psi,Psidot"; NULL: M, C, g (M, h with ball and free
                          ///< joints), and Psi if there are loops
  limb_notation notation; ///< default: text
  int numbers;            ///< not 0: the robot's numbers instead of symbols
  int max_terms;          ///< largest number of terms of an entry of M, C, g or Psi (LIMB_E_UNSUPPORTED); default 2000
} limb_equation_options;

LIMB_API limb_equation_options limb_default_equation_options(void);

/// Passes the equations to `text`, piece by piece, after all of them have been derived.
/// @param error  which option or quantity is wrong, and what to do; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL, a quantity that is unknown or named twice, options out of range);
///         LIMB_E_UNSUPPORTED (too many terms, C of ball and free joints, a robot without moving joints);
///         LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_equations_write(const limb_model* m, const limb_equation_options* options,
                                                         const limb_allocator* alloc, limb_text_fn* text, void* context,
                                                         limb_error* error);

#ifdef __cplusplus
}
#endif

#endif
