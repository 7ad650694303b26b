// Text of a URDF: attributes with escaped text and numbers, and origins.
#include "io/write_urdf_impl.h"

#include "base/number.h"
#include "io/angles.h"

// ---- text -----------------------------------------------------------------------------------------

void limb_urdf_put_number(const urdf_writer* w, double x)
{
  char text[LIMB_NUMBER_SPACE];
  (void)limb_print_number(x == 0 ? 0 : x, text); // without the sign of a zero
  put(w, text);
}

// The text of a character that an attribute cannot hold as it is; NULL when it can.
static const char* reference(char c)
{
  switch (c) {
  case '&': return "&amp;";
  case '<': return "&lt;";
  case '>': return "&gt;";
  case '"': return "&quot;";
  case '\t': return "&#9;";
  case '\n': return "&#10;";
  case '\r': return "&#13;";
  default: return NULL;
  }
}

// ` name="text"`, escaped.
void limb_urdf_put_text(const urdf_writer* w, const char* name, const char* text)
{
  char piece[64];
  size_t n = 0;
  put(w, " ");
  put(w, name);
  put(w, "=\"");
  for (; *text; text++) {
    const char* known = reference(*text);
    if (!known) piece[n++] = *text;
    if (n && (known || n == sizeof piece - 1)) {
      piece[n] = 0;
      put(w, piece);
      n = 0;
    }
    if (known) put(w, known);
  }
  piece[n] = 0;
  put(w, piece);
  put(w, "\"");
}

void limb_urdf_put_value(const urdf_writer* w, const char* name, double x)
{
  put(w, " ");
  put(w, name);
  put(w, "=\"");
  limb_urdf_put_number(w, x);
  put(w, "\"");
}

void limb_urdf_put_vector(const urdf_writer* w, const char* name, sp_vec3 x)
{
  put(w, " ");
  put(w, name);
  put(w, "=\"");
  limb_urdf_put_number(w, x.x);
  put(w, " ");
  limb_urdf_put_number(w, x.y);
  put(w, " ");
  limb_urdf_put_number(w, x.z);
  put(w, "\"");
}

// ---- poses ----------------------------------------------------------------------------------------

int limb_urdf_no_turn(const sp_mat3* R)
{
  for (int i = 0; i < 9; i++) {
    if (R->m[i] != (i % 4 == 0 ? 1 : 0)) return 0;
  }
  return 1;
}

void limb_urdf_put_origin(const urdf_writer* w, const char* indent, const sp_pose* X)
{
  if (zero3(X->p) && limb_urdf_no_turn(&X->R)) return;
  put(w, indent);
  put(w, "<origin");
  limb_urdf_put_vector(w, "xyz", X->p);
  if (!limb_urdf_no_turn(&X->R)) limb_urdf_put_vector(w, "rpy", limb_rpy_of(&X->R));
  put(w, "/>\n");
}
