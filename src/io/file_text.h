// Text of model files: blanks, words, lists of numbers, UTF-8. Nothing here depends on the locale.
#ifndef LIMB_IO_FILE_TEXT_H
#define LIMB_IO_FILE_TEXT_H

#include <stddef.h>
#include <stdint.h>

static inline int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static inline int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static inline int is_digit(char c) { return c >= '0' && c <= '9'; }

static inline char lower_case(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

// The number of entries of an array.
#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

// ---- words ----------------------------------------------------------------------------------------

// Lists of words are one string, separated by single blanks: "name type". NULL is an empty list.
// The index of a word of given length; -1 when it is not in the list.
int limb_find_word(const char* words, const char* word, size_t length);
int limb_has_word(const char* words, const char* word);

// ---- numbers --------------------------------------------------------------------------------------

// Numbers separated by blanks, as in XML attributes.
typedef struct number_list {
  int count;       // of words
  const char* bad; // the first word that is not a finite number; NULL: all are
  int bad_length;
} number_list;

// Splits a text. The first max numbers are stored in x, unless one of them is bad.
number_list limb_scan_list(const char* text, int max, double* x);

// ---- UTF-8 ----------------------------------------------------------------------------------------

// The number of bytes of the character at text < end, 0 when they are not UTF-8; its code (output, may be NULL).
size_t limb_utf8(const char* text, const char* end, uint32_t* code);

int limb_is_utf8(const char* text, const char* end);

// The text without a UTF-8 byte-order mark; the same without blanks at its beginning.
const char* limb_skip_byte_order_mark(const char* text, const char* end);
const char* limb_skip_to_text(const char* text, const char* end);

// 1 when a zero-terminated text contains a control character, such as a line break.
int limb_has_control(const char* text);

// Replaces what is not UTF-8 and control characters by question marks, in a zero-terminated text.
void limb_mask_controls(char* text);

enum { LIMB_EXCERPT = 48 }; // bytes of a text from a file that a message quotes

typedef struct limb_quote {
  char text[LIMB_EXCERPT + 8]; // with dots and the terminating zero
} limb_quote;

// The start of a text, masked, with dots when it is longer. end NULL: zero-terminated. limb_excerpt(text, NULL).text
limb_quote limb_excerpt(const char* text, const char* end);

#endif
