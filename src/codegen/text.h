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
  char* at; // zero-terminated; NULL: empty
  size_t used, capacity;
  bool failed;
} limb_text;

void limb_text_put(limb_text* t, const char* piece);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void limb_text_print(limb_text* t, const char* format, ...);

// A name from a file, made safe for a comment in any language: printable ASCII that neither opens nor closes one.
void limb_text_name(limb_text* t, const char* name);

// A nonnegative error with two digits and a decimal point in every locale: 1.2e-16
void limb_text_error(limb_text* t, double x);

// A number in LaTeX, where 2e-06 would read as a product: 2 \cdot 10^{-6}
void limb_text_tex_number(limb_text* t, const char* number);

void limb_text_clear(limb_text* t); // makes it empty, keeps the memory
void limb_text_end(limb_text* t);   // frees the memory

// ---- words and identifiers -----------------------------------------------------------------------------------------

// Copies the next word of a comma-separated list, without surrounding blanks. Returns the rest of the list, NULL at
// its end. Words that do not fit are cut, and so match no known name.
const char* limb_next_word(const char* list, char* word, size_t capacity);

// Whether the list is the single word `all`.
bool limb_is_all(const char* list);

// Whether a name consists of letters, digits and underscores, with a letter first.
bool limb_is_identifier(const char* name);

// An identifier made from any name, always the same for the same name: runs of other characters become one
// underscore, and `robot_` goes in front unless it begins with a letter.
void limb_make_identifier(const char* name, char* out, size_t capacity);

#endif
