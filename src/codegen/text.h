// Text that grows in memory, for what is written down of a program.
//
// When there is no memory for a piece, the text says so (failed) and takes nothing more.
#ifndef LIMB_TEXT_H
#define LIMB_TEXT_H

#include "limb/base.h"

#include <stdbool.h>

typedef struct limb_text {
  limb_allocator alloc;
  char* at; // closed by a zero; NULL: empty
  size_t used, room;
  bool failed;
} limb_text;

void limb_text_put(limb_text* t, const char* piece);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void limb_text_print(limb_text* t, const char* format, ...);

// A name from a file, fit for a comment of any language: printable ASCII that ends none and begins none.
void limb_text_name(limb_text* t, const char* name);

// An error, which is not negative, with two digits and a point whatever the locale: 1.2e-16
void limb_text_error(limb_text* t, double x);

// A number as LaTeX has it, where 2e-06 would be a product: 2 \cdot 10^{-6}
void limb_text_tex_number(limb_text* t, const char* number);

void limb_text_clear(limb_text* t); // empty, with its memory
void limb_text_end(limb_text* t);   // gives the memory back

#endif
