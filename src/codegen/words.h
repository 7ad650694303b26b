// Words: of a list that a user writes, and as names in sources.
#ifndef LIMB_WORDS_H
#define LIMB_WORDS_H

#include <stdbool.h>
#include <stddef.h>

// The next word of a list with commas between them, without blanks around it; where the list goes on, NULL at
// its end. Longer words are cut, and so are unknown to whoever looks them up.
const char* limb_next_word(const char* list, char* word, size_t room);

// Whether the list is the word `all`, and nothing else.
bool limb_is_all(const char* list);

// Letters, digits and underscores, a letter first.
bool limb_is_identifier(const char* name);

// An identifier from any name, the same one for the same name: one underscore for what is none, `robot_` in
// front where it begins with no letter.
void limb_make_identifier(const char* name, char* out, size_t room);

#endif
