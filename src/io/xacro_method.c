// Methods of texts, lists and dictionaries in xacro expressions, and text % value.
#include "io/file_text.h"
#include "io/xacro.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef xacro_call call;

// ---- methods --------------------------------------------------------------------------------------

static xacro_value split_text(const call* c, const char* text)
{
  xacro_value list = limb_xacro_new_list(c->x, 0);
  const char* by = c->count ? limb_xacro_text_at(c, 0) : NULL;
  if (c->x->failed || (by && !*by)) return list;
  while (!by) { // at blanks
    while (is_blank(*text)) text++;
    if (!*text) return list;
    const size_t n = strcspn(text, " \t\r\n");
    limb_xacro_append(c->x, list, limb_xacro_text_n(c->x, text, n));
    text += n;
  }
  for (;;) {
    const char* next = strstr(text, by);
    limb_xacro_append(c->x, list, limb_xacro_text_n(c->x, text, next ? (size_t)(next - text) : strlen(text)));
    if (!next || c->x->failed) return list;
    text = next + strlen(by);
  }
}

static xacro_value join_list(const call* c, const char* between)
{
  const xacro_value list = limb_xacro_takes(c, 1, 1) ? limb_xacro_items(c->x, c->argument[0]) : xacro_none();
  const char* text = "";
  for (int i = 0; text && list.kind == XACRO_LIST && i < list.list->count; i++) {
    if (list.list->item[i].kind != XACRO_TEXT) return limb_xacro_fail(c->x, "join() takes texts");
    if (!limb_xacro_work(c->x, 1 + (long long)(strlen(text) / 64))) return xacro_none();
    text = limb_mempool_join(c->x->pool, text, i ? between : "", list.list->item[i].text);
  }
  return text ? xacro_text(text) : limb_xacro_no_memory(c->x);
}

static xacro_value replace_text(const call* c, const char* text)
{
  const char *old = limb_xacro_takes(c, 2, 2) ? limb_xacro_text_at(c, 0) : NULL,
             *new = old ? limb_xacro_text_at(c, 1) : NULL, *all = "";
  if (!new || !*old) return xacro_text(text);
  for (const char* next; all && (next = strstr(text, old)) != NULL; text = next + strlen(old)) {
    const xacro_value before = limb_xacro_text_n(c->x, text, (size_t)(next - text));
    if (!limb_xacro_work(c->x, 1 + (long long)(strlen(all) / 64))) return xacro_none();
    all = limb_mempool_join(c->x->pool, all, before.text, new);
  }
  all = all ? limb_mempool_join(c->x->pool, all, text, "") : NULL;
  return all ? xacro_text(all) : limb_xacro_no_memory(c->x);
}

// Cuts blanks, or the characters of the argument, off at the left, the right or both ends.
static xacro_value strip_text(const call* c, const char* text)
{
  const char* set = c->count ? limb_xacro_text_at(c, 0) : " \t\r\n";
  size_t length = strlen(text);
  if (!set) return xacro_none();
  while (*c->name != 'r' && *text && strchr(set, *text)) {
    text++;
    length--;
  }
  while (*c->name != 'l' && length && strchr(set, text[length - 1])) length--;
  return limb_xacro_text_n(c->x, text, length);
}

static xacro_value change_case(const call* c, const char* text)
{
  char* copy = limb_mempool_text(c->x->pool, text, strlen(text));
  if (!copy) return limb_xacro_no_memory(c->x);
  for (char* p = copy; *p; p++) {
    const int upper = *c->name == 'u' ||
                      ((*c->name == 'c' || *c->name == 't') && (p == copy || (*c->name == 't' && !is_letter(p[-1]))));
    if (upper && *p >= 'a' && *p <= 'z') *p = (char)(*p - 'a' + 'A');
    if (!upper) *p = lower_case(*p);
  }
  return xacro_text(copy);
}

static xacro_value text_method(const call* c, const char* text)
{
  const char* name = c->name;
  if (strcmp(name, "split") == 0) return split_text(c, text);
  if (strcmp(name, "join") == 0) return join_list(c, text);
  if (strcmp(name, "replace") == 0) return replace_text(c, text);
  if (limb_has_word("strip lstrip rstrip", name)) return strip_text(c, text);
  if (limb_has_word("lower upper capitalize title", name)) return change_case(c, text);
  if (strcmp(name, "isdigit") == 0) return xacro_bool(*text && text[strspn(text, "0123456789")] == 0);
  if (!limb_has_word("startswith endswith find count", name))
    return limb_xacro_fail(c->x, "the method '%.60s' of texts is not supported", name);
  const char* word = limb_xacro_text_at(c, 0);
  if (!word) return xacro_none();
  const size_t n = strlen(word), length = strlen(text);
  if (*name == 's') return xacro_bool(strncmp(text, word, n) == 0);
  if (*name == 'e') return xacro_bool(n <= length && strcmp(text + length - n, word) == 0);
  const char* at = strstr(text, word);
  if (*name == 'f') return xacro_int(at ? at - text : -1);
  long long count = 0;
  for (; at && n; at = strstr(at + n, word)) count++;
  return xacro_int(count);
}

static xacro_value dict_method(const call* c, xacro_value dict)
{
  const char* name = c->name;
  if (strcmp(name, "get") == 0) {
    if (!limb_xacro_takes(c, 1, 2)) return xacro_none();
    const xacro_value* found = limb_xacro_find(dict, c->argument[0]);
    return found ? *found : c->count == 2 ? c->argument[1] : xacro_none();
  }
  if (!limb_has_word("keys values items", name))
    return limb_xacro_fail(c->x, "the method '%.60s' of dictionaries is not supported", name);
  xacro_value all = limb_xacro_new_list(c->x, 0);
  for (int i = 0; i < dict.dict->count && !c->x->failed; i++) {
    xacro_value pair = *name == 'i' ? limb_xacro_new_list(c->x, 1) : xacro_none();
    if (*name == 'i') {
      limb_xacro_append(c->x, pair, dict.dict->key[i]);
      limb_xacro_append(c->x, pair, dict.dict->value[i]);
    }
    limb_xacro_append(c->x, all, *name == 'i' ? pair : *name == 'k' ? dict.dict->key[i] : dict.dict->value[i]);
  }
  return all;
}

static xacro_value list_method(const call* c, const xacro_list* list)
{
  if (!limb_has_word("index count", c->name))
    return limb_xacro_fail(c->x, "the method '%.60s' of lists is not supported", c->name);
  if (!limb_xacro_takes(c, 1, 1)) return xacro_none();
  long long count = 0;
  for (int i = 0; i < list->count; i++) {
    if (!limb_xacro_equal(list->item[i], c->argument[0])) continue;
    if (*c->name == 'i') return xacro_int(i);
    count++;
  }
  return *c->name == 'i' ? limb_xacro_fail(c->x, "index(): the list does not contain this value") : xacro_int(count);
}

xacro_value limb_xacro_method(xacro* x, xacro_value object, const char* name, const xacro_list* arguments)
{
  const call c = {x, name, arguments->item, arguments->count};
  if (object.kind == XACRO_TEXT) return text_method(&c, object.text);
  if (object.kind == XACRO_DICT) return dict_method(&c, object);
  if (object.kind == XACRO_LIST) return list_method(&c, object.list);
  return limb_xacro_fail(x, "%s has no method '%.60s'", limb_xacro_kind(object), name);
}

// ---- text % value ---------------------------------------------------------------------------------

// One value by a directive such as %-5.3f, checked before it reaches printf.
static xacro_value format_one(xacro* x, const char* directive, size_t length, xacro_value v)
{
  char pattern[24], out[400];
  int n = -1;
  const char letter = directive[length - 1];
  const int whole = letter && strchr("dixX", letter), number = letter && strchr("eEfFgG", letter);
  if (length == 2 && letter == 's') return xacro_text(limb_xacro_str(x, v));
  if (length > 7 || 2 + strspn(directive + 1, "-+ 0#.123456789") != length || (!whole && !number))
    return limb_xacro_fail(x, "the format '%.*s' is not supported", (int)(length < 12 ? length : 12), directive);
  if (!xacro_is_number(v)) return limb_xacro_fail(x, "%%%c takes a number, not %s", letter, limb_xacro_kind(v));
  (void)snprintf(pattern, sizeof pattern, "%.*s%s%c", (int)length - 1, directive, whole ? "ll" : "", letter);
  const xacro_value i = whole && v.kind == XACRO_FLOAT ? limb_xacro_whole(x, trunc(v.x)) : v;
  if (whole)
    n = snprintf(out, sizeof out, pattern, i.i); // NOLINT(clang-diagnostic-format-nonliteral): checked above
  else
    n = snprintf(out, sizeof out, pattern, limb_xacro_number(v)); // NOLINT(clang-diagnostic-format-nonliteral)
  if (n < 0 || n >= (int)sizeof out) return limb_xacro_fail(x, "a formatted number is too long");
  return limb_xacro_text_n(x, out, (size_t)n);
}

xacro_value limb_xacro_format(xacro* x, const char* text, xacro_value value)
{
  const xacro_value* item = value.kind == XACRO_LIST && value.list->tuple ? value.list->item : &value;
  const int count = value.kind == XACRO_LIST && value.list->tuple ? value.list->count : 1;
  const char* all = "";
  int next = 0;
  while (all && *text && !x->failed) {
    const size_t n = strcspn(text, "%");
    xacro_value part = limb_xacro_text_n(x, text, n);
    text += n;
    xacro_value shown = xacro_text("");
    if (text[0] == '%' && text[1] == '%') {
      shown = xacro_text("%");
      text += 2;
    } else if (*text == '%') {
      const size_t length = 1 + strspn(text + 1, "-+ 0#.123456789") + 1;
      if (next >= count) return limb_xacro_fail(x, "there are too few values for the text that is formatted");
      if (length > strlen(text)) return limb_xacro_fail(x, "a directive of the text that is formatted is not complete");
      shown = format_one(x, text, length, item[next++]);
      text += length;
    }
    if (x->failed) return xacro_none();
    all = limb_mempool_join(x->pool, all, part.text, shown.text);
  }
  return all ? xacro_text(all) : limb_xacro_no_memory(x);
}
