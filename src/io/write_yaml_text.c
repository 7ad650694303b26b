// Text of limb YAML: numbers in the digits that read back to the same bits, names in quotes where they need
// them, poses. A rotation is written as angles or a quaternion where these give exactly the same matrix, else
// as the matrix.
#include "io/write_yaml_impl.h"

#include "base/number.h"
#include "io/angles.h"
#include "io/utf8.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

static bool same_number(double a, double b) { return limb_same_bits(&a, &b, sizeof a); }

// ---- numbers ----------------------------------------------------------------------------------------

void limb_yaml_put_number(const yaml_output* o, double x)
{
  char text[LIMB_NUMBER_SPACE];
  (void)limb_print_number(x, text);
  put(o, isinf(x) ? x > 0 ? ".inf" : "-.inf" : text);
}

static void put_angle(const yaml_output* o, double x)
{
  static const struct {
    double angle;
    const char* text;
  } known[] = {{PI, "pi"}, {-PI, "-pi"}, {PI / 2, "pi/2"}, {-PI / 2, "-pi/2"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (!same_number(x, known[i].angle)) continue;
    put(o, known[i].text);
    return;
  }
  limb_yaml_put_number(o, x);
}

void limb_yaml_put_list(const yaml_output* o, int n, const double* x, void (*item)(const yaml_output*, double))
{
  put(o, "[");
  for (int i = 0; i < n; i++) {
    if (i) put(o, ", ");
    item(o, x[i]);
  }
  put(o, "]");
}

void limb_yaml_put_vec3(const yaml_output* o, sp_vec3 x)
{
  limb_yaml_put_list(o, 3, (const double[3]){x.x, x.y, x.z}, limb_yaml_put_number);
}

// ---- names ------------------------------------------------------------------------------------------

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What other readers of YAML take for a truth value or nothing, in any case of its letters.
static bool is_special(const char* text)
{
  static const char* const words[] = {"y", "n", "yes", "no", "true", "false", "null", "on", "off", "inf", "nan", NULL};
  for (int i = 0; words[i]; i++) {
    size_t k = 0;
    while (words[i][k] && (text[k] | 0x20) == words[i][k]) k++;
    if (!words[i][k] && !text[k]) return true;
  }
  return false;
}

static bool is_plain(const char* text)
{
  if (!is_letter(text[0]) || is_special(text)) return false;
  for (const char* c = text; *c; c++) {
    if (!is_letter(*c) && !is_digit(*c) && *c != '.' && *c != '-' && *c != '/') return false;
  }
  return true;
}

// In double quotes unless it is a plain word.
void limb_yaml_put_name(const yaml_output* o, const char* name)
{
  if (is_plain(name)) {
    put(o, name);
    return;
  }
  put(o, "\"");
  const char* end = name + strlen(name);
  for (size_t n = 1; name < end; name += n) {
    char text[16];
    uint32_t code = 0;
    n = limb_utf8(name, end, &code);
    const bool odd = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
                     code == 0xfeff || code == 0xfffe || code == 0xffff;
    if (code == '"' || code == '\\')
      (void)snprintf(text, sizeof text, "\\%c", (char)code);
    else if (odd)
      (void)snprintf(text, sizeof text, "\\u%04x", (unsigned)code);
    else
      (void)snprintf(text, sizeof text, "%.*s", (int)n, name);
    put(o, text);
  }
  put(o, "\"");
}

// ---- poses ------------------------------------------------------------------------------------------

// The same matrix, whatever the signs of its zeros.
static bool same_rotation(const sp_mat3* A, const sp_mat3* B)
{
  for (int i = 0; i < 9; i++) {
    if (A->m[i] != B->m[i]) return false;
  }
  return true;
}

// Angles that give exactly R: as they come, or in fewer digits, as somebody may have written them.
static bool find_rpy(const sp_mat3* R, double rpy[3])
{
  const sp_vec3 angles = limb_rpy_of(R);
  const double raw[3] = {angles.x, angles.y, angles.z};
  static const double grids[] = {0, 1e12, 1e6};
  for (size_t k = 0; k < sizeof grids / sizeof *grids; k++) {
    for (int i = 0; i < 3; i++) rpy[i] = grids[k] == 0 ? raw[i] : round(raw[i] * grids[k]) / grids[k] + 0.0;
    const sp_mat3 again = limb_rot_rpy(rpy);
    if (same_rotation(R, &again)) return true;
  }
  return false;
}

static void put_rotation(const yaml_output* o, const sp_mat3* R)
{
  double rpy[3];
  const sp_quat q = sp_quat_rot(*R);
  const double xyzw[4] = {q.x, q.y, q.z, q.w};
  const sp_mat3 by_quaternion = limb_rot_quat(q.x, q.y, q.z, q.w);
  if (find_rpy(R, rpy)) {
    put(o, "rpy: ");
    limb_yaml_put_list(o, 3, rpy, put_angle);
  } else if (same_rotation(R, &by_quaternion)) {
    put(o, "quaternion: ");
    limb_yaml_put_list(o, 4, xyzw, limb_yaml_put_number);
  } else {
    put(o, "matrix: ");
    limb_yaml_put_list(o, 9, R->m, limb_yaml_put_number);
  }
}

// What of the pose is not the identity, between the texts, such as {xyz: [...], rpy: [...]}; nothing for the
// identity.
void limb_yaml_put_pose(const yaml_output* o, const char* before, const sp_pose* X, const char* after)
{
  const sp_pose one = sp_pose_identity();
  const bool moved = !limb_same_bits(&X->p, &one.p, sizeof one.p), turned = !same_rotation(&X->R, &one.R);
  if (!moved && !turned) return;
  put(o, before);
  if (moved) {
    put(o, "xyz: ");
    limb_yaml_put_vec3(o, X->p);
  }
  if (moved && turned) put(o, ", ");
  if (turned) put_rotation(o, &X->R);
  put(o, after);
}

// ---- properties -------------------------------------------------------------------------------------

static double value_at(const void* def, size_t at)
{
  double x;
  memcpy(&x, (const char*)def + at, sizeof x);
  return x;
}

bool limb_yaml_put_property(const yaml_output* o, const char* before, const yaml_property* p, const void* def,
                            const void* unset)
{
  const double x = value_at(def, p->at);
  if (same_number(x, value_at(unset, p->at))) return false;
  put(o, before);
  put(o, p->key);
  put(o, ": ");
  limb_yaml_put_number(o, x);
  return true;
}
