// Coefficients of formulas: small polynomials in the constants of the table of Denavit-Hartenberg, which
// know their value. A polynomial that grows too long remains as its value.
#ifndef LIMB_BASE_PARAMETERS_COEFFICIENT_H
#define LIMB_BASE_PARAMETERS_COEFFICIENT_H

#include "base/number.h"

#include <stdbool.h>
#include <stddef.h>

enum {
  LIMB_COEFFICIENT_TERMS = 4,
  LIMB_COEFFICIENT_FACTORS = 4,
  LIMB_COEFFICIENT_TEXT = 256 // room for the text of any
};

// Constants of a link: d3, r3, b3, and the sines and cosines of alpha, gamma and theta.
typedef enum limb_constant {
  LIMB_CONSTANT_D,
  LIMB_CONSTANT_R,
  LIMB_CONSTANT_B,
  LIMB_CONSTANT_SA,
  LIMB_CONSTANT_CA,
  LIMB_CONSTANT_SG,
  LIMB_CONSTANT_CG,
  LIMB_CONSTANT_ST,
  LIMB_CONSTANT_CT
} limb_constant;

// number times the product of symbols
typedef struct limb_monomial {
  double number;
  int count;
  int symbol[LIMB_COEFFICIENT_FACTORS]; // in rising order, repeated for powers
} limb_monomial;

typedef struct limb_coefficient {
  double value;
  int count; // of terms; 0: the coefficient is zero; -1: only the value is known
  limb_monomial term[LIMB_COEFFICIENT_TERMS];
} limb_coefficient;

limb_coefficient limb_coefficient_number(double x);

// A constant of a link. A length of 0, and a sine or cosine of 0, 1 or -1, are numbers, not symbols.
limb_coefficient limb_coefficient_constant(int link, limb_constant what, double value);

limb_coefficient limb_coefficient_sum(const limb_coefficient* x, const limb_coefficient* y);
limb_coefficient limb_coefficient_product(const limb_coefficient* x, const limb_coefficient* y);

// Text of |x| to stand before a name, such as "d3^2 " or "(d3^2 + r4^2) "; empty for 1. *negative tells that
// the sign must be written in front.
void limb_coefficient_text(const limb_coefficient* x, bool* negative, char buffer[LIMB_COEFFICIENT_TEXT]);

// Text of a positive number in at most ten digits, whatever the locale; false when they say 1, which need not
// be written as a factor.
bool limb_coefficient_factor(double x, char text[LIMB_NUMBER_SPACE]);

#endif
