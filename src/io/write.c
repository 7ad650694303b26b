// Writing a robot: checks that a reader will accept it, then calls the writer of the language. And what both writers
// share: texts with values in the form of the language.
#include "limb/read.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/numeric.h"
#include "base/status.h"
#include "io/file_text.h"
#include "io/reading.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- values ---------------------------------------------------------------------------------------

static void put(const limb_writer* w, const char* text) { w->write(w->context, text); }

static int is_xml(const limb_writer* w) { return w->format != LIMB_FORMAT_YAML; }

// XML has no sign of a zero and no infinity.
static void put_number(const limb_writer* w, double x)
{
  char text[LIMB_NUMBER_SPACE];
  (void)limb_print_number(is_xml(w) && x == 0 ? 0 : x, text);
  put(w, isinf(x) ? x > 0 ? ".inf" : "-.inf" : text);
}

static void put_numbers(const limb_writer* w, int count, const double* x, const char* between)
{
  for (int i = 0; i < count; i++) {
    if (i) put(w, between);
    put_number(w, x[i]);
  }
}

static void put_list(const limb_writer* w, int count, const double* x)
{
  const int xml = is_xml(w);
  put(w, xml ? "\"" : "[");
  put_numbers(w, count, x, xml ? " " : ", ");
  put(w, xml ? "\"" : "]");
}

static void put_xml_text(const limb_writer* w, const char* name)
{
  static const char special[] = "&<>\"\t\n\r";
  static const char* const escaped[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#9;", "&#10;", "&#13;"};
  for (; *name; name++) {
    const char plain[2] = {*name, 0}, *at = strchr(special, *name);
    put(w, at ? escaped[at - special] : plain);
  }
}

static void put_xml_name(const limb_writer* w, const char* name)
{
  put(w, "\"");
  put_xml_text(w, name);
  put(w, "\"");
}

// A word that other YAML readers do not take for a truth value or for nothing either.
static int is_plain(const char* text)
{
  char low[8] = "";
  const size_t n = strlen(text);
  for (size_t i = 0; i < n && i < sizeof low - 1; i++) low[i] = lower_case(text[i]);
  if (n < sizeof low - 1 && limb_has_word("y n yes no true false null on off inf nan", low)) return 0;
  for (const char* c = text; *c; c++) {
    if (!is_letter(*c) && !is_digit(*c) && *c != '.' && *c != '-' && *c != '/') return 0;
  }
  return is_letter(text[0]);
}

static void put_yaml_name(const limb_writer* w, const char* name)
{
  if (is_plain(name)) {
    put(w, name);
    return;
  }
  put(w, "\"");
  const char* end = name + strlen(name);
  for (size_t n = 1; name < end; name += n) {
    char text[16];
    uint32_t code = 0;
    n = limb_utf8(name, end, &code);
    const int escaped = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
                        code == 0xfeff || code == 0xfffe || code == 0xffff;
    if (code == '"' || code == '\\')
      (void)snprintf(text, sizeof text, "\\%c", (char)code);
    else if (escaped)
      (void)snprintf(text, sizeof text, "\\u%04x", (unsigned)code);
    else
      (void)snprintf(text, sizeof text, "%.*s", (int)n, name);
    put(w, text);
  }
  put(w, "\"");
}

static const char* body_name(const limb_writer* w, int body)
{
  limb_body_def def;
  return limb_builder_get_body(w->b, body, &def) ? "" : def.name;
}

static const char* joint_name(const limb_writer* w, int joint)
{
  limb_joint_def def;
  return limb_builder_get_joint(w->b, joint, &def) ? "" : def.name;
}

// ---- texts with values ----------------------------------------------------------------------------

static void put_name(const limb_writer* w, const char* name) { (is_xml(w) ? put_xml_name : put_yaml_name)(w, name); }

static void put_int(const limb_writer* w, int x)
{
  char text[16];
  (void)snprintf(text, sizeof text, is_xml(w) ? "\"%d\"" : "%d", x);
  put(w, text);
}

static void put_double(const limb_writer* w, double x)
{
  if (is_xml(w))
    put_list(w, 1, &x);
  else
    put_number(w, x);
}

void limb_put(const limb_writer* w, const char* format, ...)
{
  char piece[160];
  const sp_vec3* v;
  int count;
  va_list args;
  va_start(args, format);
  while (*format) {
    const size_t n = strcspn(format, "%"), length = n < sizeof piece - 1 ? n : sizeof piece - 1;
    memcpy(piece, format, length);
    piece[length] = 0;
    if (length) put(w, piece);
    format += length;
    if (*format != '%') continue;
    switch (format[1]) {
    case 's': put(w, va_arg(args, const char*)); break;
    case 'd': put_int(w, va_arg(args, int)); break;
    case 'g': put_double(w, va_arg(args, double)); break;
    case 'q': put_name(w, va_arg(args, const char*)); break;
    case 'B': put_name(w, body_name(w, va_arg(args, int))); break;
    case 'J': put_name(w, joint_name(w, va_arg(args, int))); break;
    case 'v':
      v = va_arg(args, const sp_vec3*);
      put_list(w, 3, (const double[3]){v->x, v->y, v->z});
      break;
    case 't': put_xml_text(w, va_arg(args, const char*)); break;
    case 'n':
      count = va_arg(args, int);
      put_numbers(w, count, va_arg(args, const double*), " ");
      break;
    case 'l':
      count = va_arg(args, int);
      put_list(w, count, va_arg(args, const double*));
      break;
    default: break;
    }
    format += 2;
  }
  va_end(args);
}

int limb_put_properties(const limb_writer* w, const property* p, int count, const void* def, const void* unset,
                        const char* before, const char* between)
{
  int begun = 0;
  for (int i = 0; i < count; i++) {
    const double x = get_property(&p[i], def), none = unset ? get_property(&p[i], unset) : 0;
    if (unset && limb_same_number(x, none)) continue; // zeros with a sign are written
    limb_put(w, is_xml(w) ? "%s%s=%g" : "%s%s: %g", begun ? between : before, p[i].key, x);
    begun = 1;
  }
  return begun;
}

// ---- checks ---------------------------------------------------------------------------------------

// Each body needs exactly one joint.
static limb_status check_tree(const limb_builder* b, limb_error* err)
{
  const limb_allocator a = limb_default_allocator();
  const int bodies = limb_builder_body_count(b);
  if (bodies < 2) return limb_fail(err, LIMB_E_MODEL, "robot", "it has no body");
  int* joints = limb_alloc(&a, (size_t)bodies * sizeof *joints);
  if (!joints) return limb_fail(err, LIMB_E_NOMEM, "robot", "out of memory");
  memset(joints, 0, (size_t)bodies * sizeof *joints);
  limb_joint_def joint;
  for (int i = 0; limb_builder_get_joint(b, i, &joint) == LIMB_OK; i++) joints[joint.child]++;
  int wrong = 1;
  while (wrong < bodies && joints[wrong] == 1) wrong++;
  const int count = wrong < bodies ? joints[wrong] : 1;
  limb_free(&a, joints, (size_t)bodies * sizeof *joints);
  if (wrong == bodies) return LIMB_OK;
  limb_body_def body = limb_default_body_def("");
  (void)!limb_builder_get_body(b, wrong, &body);
  return limb_fail(err, LIMB_E_MODEL, body.name, "%s",
                   count ? "more than one joint carries this body" : "no joint carries this body");
}

// Names that readers reject: with control characters, not in UTF-8, or, in XML, with one of the two noncharacters.
int limb_is_writable(const char* name, limb_format format)
{
  int good = !limb_has_control(name);
  for (const char *c = name, *end = name + strlen(name); good && c < end;) {
    uint32_t code = 0;
    const size_t n = limb_utf8(c, end, &code);
    good = n > 0 && !(format != LIMB_FORMAT_YAML && (code == 0xfffe || code == 0xffff));
    c += n;
  }
  return good;
}

static limb_status check_name(const char* kind, const char* name, limb_format format, limb_error* err)
{
  if (limb_is_writable(name, format)) return LIMB_OK;
  return limb_fail(err, LIMB_E_UNSUPPORTED, kind,
                   "its name contains control characters, or bytes that are not UTF-8: rename the %s", kind);
}

static limb_status check_names(const limb_builder* b, limb_format format, limb_error* err)
{
  limb_body_def body;
  limb_joint_def joint;
  limb_frame_info frame;
  limb_loop_def loop;
  limb_status status = LIMB_OK;
  for (int i = 0; !status && limb_builder_get_loop(b, i, &loop) == LIMB_OK; i++) {
    if (loop.motion.fn)
      status = limb_fail(err, LIMB_E_UNSUPPORTED, loop.name,
                         "the prescribed motion of this loop is a function of the program, which cannot be written");
  }
  if (!status) status = check_name("robot", limb_builder_name(b), format, err);
  for (int i = 0; !status && limb_builder_get_body(b, i, &body) == LIMB_OK; i++)
    status = check_name("body", body.name, format, err);
  for (int i = 0; !status && limb_builder_get_joint(b, i, &joint) == LIMB_OK; i++)
    status = check_name("joint", joint.name, format, err);
  for (int i = 0; !status && limb_builder_get_frame(b, i, &frame) == LIMB_OK; i++)
    status = check_name("frame", frame.name, format, err);
  for (int i = 0; !status && limb_builder_get_loop(b, i, &loop) == LIMB_OK; i++)
    status = check_name("loop", loop.name, format, err);
  return status;
}

static limb_status write_in(const limb_builder* b, limb_format format, limb_form form, limb_writer* w, limb_error* err)
{
  if (!b || !w->write) return limb_fail(err, LIMB_E_ARG, NULL, "%s is NULL", b ? "the function to write" : "builder");
  if (format != LIMB_FORMAT_YAML && format != LIMB_FORMAT_URDF && format != LIMB_FORMAT_MJCF &&
      format != LIMB_FORMAT_SDF && format != LIMB_FORMAT_PAR)
    return limb_fail(err, LIMB_E_UNSUPPORTED, NULL, "only yaml, urdf, mjcf, sdf and par can be written");
  if (form != LIMB_FORM_POSES && form != LIMB_FORM_MDH && form != LIMB_FORM_POE)
    return limb_fail(err, LIMB_E_UNSUPPORTED, NULL, "only poses, modified rows and screws can be written");
  limb_status status = check_tree(b, err);
  if (!status) status = check_names(b, format, err);
  if (status) return status;
  w->b = b, w->format = format;
  if (form != LIMB_FORM_POSES)
    status = limb_write_yaml_in(w, form);
  else if (format == LIMB_FORMAT_MJCF)
    status = limb_write_mjcf(w, err);
  else if (format == LIMB_FORMAT_SDF)
    status = limb_write_sdf(w, err);
  else if (format == LIMB_FORMAT_PAR)
    status = limb_write_par(w, err);
  else if (format == LIMB_FORMAT_URDF)
    limb_write_urdf(w);
  else
    limb_write_yaml(w);
  if (status == LIMB_E_UNSUPPORTED || status == LIMB_E_MODEL) return status;
  if (status || limb_findings_lost(w->findings)) return limb_fail(err, LIMB_E_NOMEM, NULL, "out of memory");
  return LIMB_OK;
}

limb_status limb_write(const limb_builder* b, limb_format format, limb_text_fn* write, void* context,
                       limb_findings* findings, limb_error* err)
{
  limb_writer w = {.write = write, .context = context, .findings = findings};
  return write_in(b, format, LIMB_FORM_POSES, &w, err);
}

limb_status limb_write_form(const limb_builder* b, limb_form form, limb_text_fn* write, void* context,
                            limb_findings* findings, limb_error* err)
{
  limb_writer w = {.write = write, .context = context, .findings = findings};
  return write_in(b, LIMB_FORMAT_YAML, form, &w, err);
}
