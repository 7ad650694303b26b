// C: header files (emit.h).
#include "codegen/emit_c.h"

// Capitals for small letters, and the other way round: prefixes that differ in them have guards that do.
static char exchanged(char c)
{
  if (c >= 'a' && c <= 'z') return (char)(c - 'a' + 'A');
  return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

void limb_emit_c_header(limb_emitter* e)
{
  char guard[sizeof e->prefix];
  for (size_t i = 0; i < sizeof guard; i++) guard[i] = exchanged(e->prefix[i]);
  limb_c_opening(e, "functions for this robot.");
  limb_text_print(e->text, "#ifndef %s_H\n#define %s_H\n\n", guard, guard);
  limb_text_put(e->text, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  limb_c_type(e);
  for (int i = 0; i < e->npiece; i++) {
    limb_c_describe(e, &e->piece[i]);
    limb_c_prototype(e, &e->piece[i], ";");
    limb_text_put(e->text, "\n");
  }
  limb_text_put(e->text, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}
