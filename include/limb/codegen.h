// limb: robot dynamics in C. Code generation: functions for one robot as source text, and its equations of motion.
//
// The library's algorithms run over symbols instead of numbers, and the operations they perform are written down,
// simplified for this robot: whatever is zero, one, constant or a common subexpression is gone.
//
//     limb_codegen_options o = limb_default_codegen_options();
//     limb_codegen* c;
//     o.what = "tau,M";
//     if (limb_codegen_create(model, &o, NULL, &c, &error) != LIMB_OK) return report(&error);
//     limb_codegen_write(c, LIMB_FILE_SOURCE, print, file);
//     limb_codegen_free(c);
//
// The second part of this header writes the equations of motion of a small robot in symbols, for people to read:
//
//     limb_equations_write(model, NULL, NULL, print, stdout, &error);
//
// Nothing is handed out unchecked: all expressions are evaluated in random states and compared with the values of
// the library. If they differ, the call fails.
#ifndef LIMB_CODEGEN_H
#define LIMB_CODEGEN_H

#include "limb/model.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- code generation ----------------------------------------------------------------------------------------------

/// Values are pinned, here and below.
typedef enum limb_language {
  LIMB_LANGUAGE_C = 0, ///< C99
  LIMB_LANGUAGE_PYTHON = 1,
  LIMB_LANGUAGE_MATLAB = 2, ///< and Octave
  LIMB_LANGUAGE_JULIA = 3,
  LIMB_LANGUAGE_RUST = 4,
  LIMB_LANGUAGE_LATEX = 5
} limb_language;

/// Where sines and cosines come from.
typedef enum limb_sines {
  LIMB_SINES_LIBM = 0,  ///< math.h
  LIMB_SINES_GIVEN = 1, ///< the caller passes arrays of sines and cosines of the angles
  LIMB_SINES_OWN = 2    ///< polynomials in the generated text, for angles within +-1e5 rad; C only
} limb_sines;

/// Which numbers of the robot stay symbols, and become an argument p. A function <prefix>_parameters(p) fills p with
/// the robot's own numbers; docs/codegen.md explains the components.
typedef enum limb_symbols {
  LIMB_SYMBOLS_NONE = 0,    ///< all numbers are inserted
  LIMB_SYMBOLS_INERTIA = 1, ///< base (regrouped) inertial parameters that are not zero
  LIMB_SYMBOLS_ALL = 2      ///< lengths between joints as well
} limb_symbols;

/// Instruction scheduling: the order of statements, and of the terms of sums.
typedef enum limb_statement_order {
  LIMB_ORDER_LATENCY = 0,  ///< list scheduling for latency: for processors that execute out of order
  LIMB_ORDER_REGISTERS = 1 ///< low register pressure, few live values: for small processors
} limb_statement_order;

typedef enum limb_codegen_file {
  LIMB_FILE_SOURCE = 0,
  LIMB_FILE_HEADER = 1, ///< C: prototypes, meaning of the arguments, operation counts; others: empty
  LIMB_FILE_TEST = 2    ///< C: a program that compares with values of the library; others: empty
} limb_codegen_file;

/// Start from limb_default_codegen_options(); NULL means these defaults.
typedef struct limb_codegen_options {
  size_t size;            ///< sizeof(limb_codegen_options), set by the default function
  const char* what;       ///< quantities, separated by commas; "all": every one that the robot has; default "tau"
  limb_language language; ///< default C
  limb_sines sines;       ///< default math.h
  limb_symbols symbols;   ///< default none
  const char* prefix;     ///< of all names; NULL: made from the name of the robot
  const char* frame;      ///< of J and pose (NULL: the last body that is a leaf), and the platform
  int single;             ///< not 0: float instead of double (C, Rust)
  int lanes;              ///< states at once, in vectors of GCC and clang: 1, 2, 4, 8 or 16; default 1 (C)
  int max_statements;     ///< of a function, at least 10; longer functions are split into parts; 0: never (C)
  int gravity_argument;   ///< not 0: gravity is an argument; default: the gravity of the model is inserted
  int friction;           ///< not 0: friction counts in forces and what follows from them; default 1
  limb_statement_order order;
  double effort;        ///< time to search for fewer operations, about in seconds; 0: none; default 1
  double coulomb_width; ///< 1e-9 to 1e9: Coulomb friction by tanh(v / width); default 0: by the sign of v
} limb_codegen_options;

LIMB_API limb_codegen_options limb_default_codegen_options(void);

/// The functions that options.what may name; NULL beyond the last. Names and meanings are those of limb/quantities.h:
/// docs/codegen.md says which functions return several quantities, and which are not in the registry. Robots: "all",
/// "without loops" or "with loops"; tree_tau and so on are those of the spanning tree of a robot with loops.
LIMB_API const char* limb_codegen_quantity_name(int index);
LIMB_API const char* limb_codegen_quantity_meaning(int index);
LIMB_API const char* limb_codegen_quantity_robots(int index);

/// Generated text, complete and checked.
typedef struct limb_codegen limb_codegen;

/// @return LIMB_OK; LIMB_E_ARG (NULL, unknown quantity or frame, options that exclude each other);
///         LIMB_E_UNSUPPORTED (a quantity that this robot does not have, or that has no closed form; too large;
///         float, where it has too few digits; a robot without a joint that moves); LIMB_E_NOMEM.
///         error, if given, says which and what to do.
LIMB_NODISCARD LIMB_API limb_status limb_codegen_create(const limb_model* m, const limb_codegen_options* options,
                                                        const limb_allocator* alloc, limb_codegen** out,
                                                        limb_error* error);
LIMB_API void limb_codegen_free(limb_codegen* c); ///< NULL is accepted

/// Of all names; NULL for NULL. Source, header and test expect the file names <prefix>.c, <prefix>.h and
/// <prefix>_test.c.
LIMB_API const char* limb_codegen_prefix(const limb_codegen* c);

/// Notes about the request, such as "'id' is called 'tau' now"; NULL beyond the last.
LIMB_API const char* limb_codegen_note(const limb_codegen* c, int index);

/// Passes the text of a file to `text`, piece by piece.
LIMB_NODISCARD LIMB_API limb_status limb_codegen_write(const limb_codegen* c, limb_codegen_file file,
                                                       limb_text_fn* text, void* context);

/// Name, cost and accuracy of one function.
typedef struct limb_codegen_facts {
  const char* name; ///< of the function in the text
  const char* quantity;
  long mul, add, div; ///< add: subtractions as well
  long sines;         ///< angles whose sine and cosine are computed, or given
  long other;         ///< square roots, signs, hyperbolic tangents
  long statements;
  long stack;        ///< bytes of intermediate results that are live at once, at most
  double difference; ///< largest relative difference from the library in the states tried, in the text's precision
} limb_codegen_facts;

/// The functions: the quantities, after "angles" if sines are given, and before "parameters" if there are symbols.
LIMB_API int limb_codegen_count(const limb_codegen* c);
LIMB_NODISCARD LIMB_API limb_status limb_codegen_get(const limb_codegen* c, int function, limb_codegen_facts* out);

// ---- equations of motion ------------------------------------------------------------------------------------------
//
//     M(q) a + C(q, v) v + g(q) = tau,      with loops  ... = tau + Psi(q)^T lambda,  Psi(q) v = 0
//
// Lengths, masses and inertias are symbols; what is zero for this robot is left out. Sums of angles about parallel
// axes are written as such: c12 = cos(q1 + q2). Numbers are rounded to 13 digits in text and LaTeX, and complete in
// C. With loops, M a + C v + g does not give tau alone: the rows of "tau" are then called tau + Psi^T lambda.

typedef enum limb_notation { LIMB_NOTATION_TEXT = 0, LIMB_NOTATION_LATEX = 1, LIMB_NOTATION_C = 2 } limb_notation;

/// Start from limb_default_equation_options(); NULL means these defaults.
typedef struct limb_equation_options {
  size_t size;            ///< sizeof(limb_equation_options), set by the default function
  const char* what;       ///< from "M,C,g,h,tau,Psi"; NULL: M, C, g, and Psi if there are loops
  limb_notation notation; ///< default: text
  int numbers;            ///< not 0: the robot's numbers instead of symbols
  int max_terms;          ///< of one entry of M, C, g or Psi; larger robots are refused; default 2000
} limb_equation_options;

LIMB_API limb_equation_options limb_default_equation_options(void);

/// Passes the equations to `text`, piece by piece, once they are complete.
/// @return LIMB_OK; LIMB_E_ARG (NULL, a quantity that is unknown or named twice, options out of range);
///         LIMB_E_UNSUPPORTED (too large to read; ball and free joints; nothing moves); LIMB_E_NOMEM.
///         error, if given, says which and what to do.
LIMB_NODISCARD LIMB_API limb_status limb_equations_write(const limb_model* m, const limb_equation_options* options,
                                                         const limb_allocator* alloc, limb_text_fn* text, void* context,
                                                         limb_error* error);

#ifdef __cplusplus
}
#endif

#endif
