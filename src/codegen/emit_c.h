// What the files that write C share.
#ifndef LIMB_EMIT_C_H
#define LIMB_EMIT_C_H

#include "codegen/emit.h"

// ---- words (emit_c_words.c) -----------------------------------------------------------------------------

void limb_c_opening(limb_emitter* e, const char* what); // comment at the top
void limb_c_type(limb_emitter* e);                      // of lanes
void limb_c_prototype(limb_emitter* e, const limb_piece* p, const char* end);
void limb_c_describe(limb_emitter* e, const limb_piece* p);    // comment above a prototype
bool limb_c_given(const limb_emitter* e, const limb_piece* p); // takes arrays of sines

// Length of the arrays of sines that a function reads: those of the program, or its own.
uint32_t limb_c_sines(const limb_emitter* e, const limb_piece* p);

// ---- sines as text (emit_sines.c) -----------------------------------------------------------------------

enum { LIMB_SINES_PAD = 4 }; // angles are done in groups of so many

void limb_c_own_sines(limb_emitter* e);

// ---- functions in parts (emit_c_parts.c) ----------------------------------------------------------------

typedef struct limb_c_parts {
  uint32_t count;              // of parts, besides the function that calls them
  uint32_t places;             // in w
  uint32_t* begin;             // of part k: its first line; part 0 is the function itself
  uint32_t* last;              // of a statement: the last line that reads its value
  uint32_t* ending;            // of a line: 1 + first statement whose value ends there
  uint32_t* next;              // of a statement: 1 + the next one that ends there
  uint32_t *met, *list, *free; // room for each statement
  uint32_t* memory;
  size_t room;
} limb_c_parts;

// Whether some function is in parts; the word that begins one.
bool limb_c_is_split(const limb_emitter* e, const limb_piece* p);
void limb_c_part_word(limb_emitter* e);

// Stores of numbers, in parts where they are many: before the function, and in it.
void limb_c_numbers_define(limb_emitter* e, const limb_piece* p);
void limb_c_numbers_call(limb_emitter* e, const limb_piece* p);

bool limb_c_parts_begin(limb_emitter* e, const limb_piece* p,
                        limb_c_parts* out); // false: no memory
void limb_c_parts_define(limb_emitter* e, const limb_piece* p, const limb_c_parts* parts);
void limb_c_parts_call(limb_emitter* e, const limb_piece* p, const limb_c_parts* parts);
void limb_c_parts_end(limb_emitter* e, const limb_piece* p, limb_c_parts* parts);

#endif
