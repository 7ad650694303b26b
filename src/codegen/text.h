// Text: buffers that grow in memory, lists of words, identifiers.
//
// When there is no memory for a piece, the buffer is marked as failed and takes no more.
#ifndef LIMB_CODEGEN_TEXT_H
#define LIMB_CODEGEN_TEXT_H

#include "limb/base.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct limb_text {
  limb_allocator alloc;
  char* at; // closed by a zero; NULL: empty
  size_t used, capacity;
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

// ---- words and identifiers --------------------------------------------------------------------------

// The next word of a list with commas between them, without blanks around it; where the list goes on, NULL at
// its end. Longer words are cut, and so are unknown to whoever looks them up.
const char* limb_next_word(const char* list, char* word, size_t capacity);

// Whether the list is the word `all`, and nothing else.
bool limb_is_all(const char* list);

// Letters, digits and underscores, a letter first.
bool limb_is_identifier(const char* name);

// An identifier from any name, the same one for the same name: one underscore for what is none, `robot_` in
// front where it begins with no letter.
void limb_make_identifier(const char* name, char* out, size_t capacity);

#endif
