// JSON of the tool.
#include "base/json.h"
#include "base/cli.h"
#include "base/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

json_t* cli_json_number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

json_t* cli_json_text(const char* text)
{
  if (!text) return json_null();
  json_t* r = json_string(text);
  char* copy = r ? NULL : malloc(strlen(text) + 1);
  if (!copy) return r;
  // Not UTF-8: what is not ASCII becomes a question mark.
  size_t n = 0;
  for (; text[n]; n++) {
    copy[n] = text[n];
    if ((unsigned char)text[n] >= 128) copy[n] = '?';
  }
  copy[n] = '\0';
  r = json_string(copy);
  free(copy);
  return r;
}

json_t* cli_json_numbers(int n, const double* x)
{
  json_t* r = json_array();
  for (int i = 0; i < n; i++) (void)json_array_append_new(r, cli_json_number(x[i]));
  return r;
}

json_t* cli_json_matrix(int rows, int columns, const double* x)
{
  json_t* r = json_array();
  for (int i = 0; i < rows; i++)
    (void)json_array_append_new(r, cli_json_numbers(columns, x + (size_t)i * (size_t)columns));
  return r;
}

json_t* cli_json_vec3(sp_vec3 x)
{
  const double c[3] = {x.x, x.y, x.z};
  return cli_json_numbers(3, c);
}

json_t* cli_json_pose(sp_pose X)
{
  const sp_quat q = sp_quat_rot(X.R);
  const double parts[4] = {q.x, q.y, q.z, q.w};
  json_t* r = json_object();
  (void)json_object_set_new(r, "position", cli_json_vec3(X.p));
  (void)json_object_set_new(r, "quaternion", cli_json_numbers(4, parts));
  (void)json_object_set_new(r, "rotation", cli_json_matrix(3, 3, X.R.m));
  return r;
}

json_t* cli_json_inertia(const sp_inertia* Y)
{
  const double moments[6] = {Y->xx, Y->xy, Y->xz, Y->yy, Y->yz, Y->zz};
  json_t* r = json_object();
  (void)json_object_set_new(r, "mass", cli_json_number(Y->mass));
  (void)json_object_set_new(r, "com", cli_json_vec3(Y->com));
  (void)json_object_set_new(r, "inertia", cli_json_numbers(6, moments));
  return r;
}

void cli_json_set(json_t* object, const char* keys, ...)
{
  va_list values;
  va_start(values, keys);
  while (*keys) {
    const size_t length = strcspn(keys, " ");
    char key[64];
    (void)snprintf(key, sizeof key, "%.*s", (int)length, keys);
    (void)json_object_set_new(object, key, va_arg(values, json_t*));
    keys += length + (keys[length] == ' ');
  }
  va_end(values);
}

json_t* cli_json_answer(void)
{
  json_t* r = json_object();
  (void)json_object_set_new(r, "schema", json_integer(1));
  return r;
}

int cli_json_print(json_t* root, FILE* out, const char* command)
{
  errno = root ? 0 : ENOMEM;
  const int failed = !root || json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) != 0 ||
                     fputc('\n', out) == EOF || fflush(out) != 0;
  const int code = errno;
  json_decref(root);
  if (!failed) return EXIT_FINE;
  errno = code;
  return cli_unwritten(command, "the JSON", "unknown error");
}
