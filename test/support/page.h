// A text in memory that writers write to: limb_text_fn page_put, context a page that starts as zeros. Its
// text is closed by a zero once something was written; free(p.text).
#ifndef LIMB_TEST_PAGE_H
#define LIMB_TEST_PAGE_H

#include <stdlib.h>
#include <string.h>

typedef struct page {
  char* text;
  size_t size, room;
} page;

static inline void page_put(void* context, const char* text)
{
  page* p = context;
  const size_t n = strlen(text);
  if (p->size + n + 1 > p->room) {
    p->room = 2 * (p->size + n + 1);
    p->text = realloc(p->text, p->room);
    if (!p->text) abort();
  }
  memcpy(p->text + p->size, text, n + 1);
  p->size += n;
}

#endif
