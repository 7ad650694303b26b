// The data of a page as JSON: web/view/main.js reads it.
#include "draw/view_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void view_put_part(FILE* out, const char* text)
{
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      (void)fprintf(out, "\\%c", c);
    else if (c < 32 || c == '<' || c == 127)
      (void)fprintf(out, "\\u%04x", c);
    else
      (void)fputc(c, out);
  }
}

void view_put_text(FILE* out, const char* text)
{
  (void)fputc('"', out);
  view_put_part(out, text ? text : "");
  (void)fputc('"', out);
}

void view_put_bytes(FILE* out, const view_packed* p)
{
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  (void)fputc('"', out);
  for (size_t i = 0; i < p->size; i += 3) {
    const unsigned left = p->size - i > 3 ? 3 : (unsigned)(p->size - i);
    unsigned word = 0;
    for (unsigned k = 0; k < 3; k++) word = word << 8 | (k < left ? p->bytes[i + k] : 0);
    for (unsigned k = 0; k < 4; k++) (void)fputc(k <= left ? digit[word >> (18 - 6 * k) & 63] : '=', out);
  }
  (void)fputc('"', out);
}

// Numbers that are not finite have no JSON: null.
void view_put_numbers(FILE* out, const double* x, int n)
{
  (void)fputc('[', out);
  for (int i = 0; i < n; i++) {
    if (i > 0) (void)fputc(',', out);
    if (isfinite(x[i]))
      (void)fprintf(out, "%.9g", x[i]);
    else
      (void)fputs("null", out);
  }
  (void)fputc(']', out);
}

static int is_quiet(const double scale[3]) { return scale[0] == 1 && scale[1] == 1 && scale[2] == 1; }

static void put_shape(FILE* out, const view_shape* s, int collision, int* first)
{
  static const int counts[] = {3, 1, 2, 2, 3, 2, 0};
  const limb_shape_def* def = &s->def;
  const sp_pose* pose = &def->pose;
  if (!*first) (void)fputc(',', out);
  *first = 0;
  (void)fputs("{\"body\":", out);
  view_put_text(out, s->body);
  (void)fprintf(out, ",\"kind\":\"%s\",\"p\":", limb_shape_type_name(def->type));
  view_put_numbers(out, (double[]){pose->p.x, pose->p.y, pose->p.z}, 3);
  (void)fputs(",\"R\":", out);
  view_put_numbers(out, pose->R.m, 9);
  if (def->type == LIMB_SHAPE_MESH) {
    (void)fprintf(out, ",\"mesh\":%d", s->file);
    if (!is_quiet(def->extent)) {
      (void)fputs(",\"scale\":", out);
      view_put_numbers(out, def->extent, 3);
    }
  } else {
    (void)fputs(",\"size\":", out);
    view_put_numbers(out, def->extent, counts[def->type]);
  }
  if (def->has_color && !collision) {
    (void)fputs(",\"colour\":", out);
    view_put_numbers(out, def->color, 4);
  }
  (void)fputs(collision ? ",\"collision\":true}" : "}", out);
}

static void put_mesh(FILE* out, const view_file* f)
{
  if (f->shown == 0) {
    (void)fputs("null", out);
    return;
  }
  (void)fputs("{\"low\":", out);
  view_put_numbers(out, f->packed.low, 3);
  (void)fputs(",\"high\":", out);
  view_put_numbers(out, f->packed.high, 3);
  (void)fprintf(out, ",\"vertices\":%d,\"triangles\":%d,\"compressed\":%s,\"parts\":[", f->mesh.nvertex, f->shown,
                f->packed.compressed ? "true" : "false");
  for (int k = 0; k < f->mesh.npart; k++) {
    const view_part* part = &f->mesh.part[k];
    (void)fprintf(out, "%s{\"first\":%d,\"count\":%d,\"colour\":", k > 0 ? "," : "", part->first, part->count);
    if (part->has_color)
      view_put_numbers(out, part->color, 4);
    else
      (void)fputs("null", out);
    (void)fputc('}', out);
  }
  (void)fputs("],\"bytes\":", out);
  view_put_bytes(out, &f->packed);
  (void)fputc('}', out);
}

void view_put_shapes(FILE* out, const limb_view_page* p)
{
  int first = 1;
  (void)fputs(",\n\"shapes\":[", out);
  for (int i = 0; i < p->nshape; i++) {
    const view_shape* s = &p->shape[i];
    if (s->def.type == LIMB_SHAPE_MESH && (s->file < 0 || p->file[s->file].shown == 0)) continue;
    if (s->def.use & LIMB_SHAPE_VISUAL) put_shape(out, s, 0, &first);
    if (s->def.use & LIMB_SHAPE_COLLISION) put_shape(out, s, 1, &first);
  }
  (void)fputs("],\n\"meshes\":[", out);
  for (int i = 0; i < p->nfile; i++) {
    if (i > 0) (void)fputs(",\n", out);
    put_mesh(out, &p->file[i]);
  }
  (void)fputc(']', out);
}

static void put_finding(FILE* out, const limb_finding* f)
{
  limb_rule_info rule = {.why = "", .fix = ""};
  const int k = limb_find_rule(f->rule);
  if (k >= 0) (void)!limb_get_rule(k, &rule);
  const char* const names[] = {"rule", "severity", "file", "where", "text", "hint", "why", "fix"};
  const char* const texts[] = {f->rule, limb_severity_name(f->severity), f->file, f->where, f->text, f->hint, rule.why,
                               rule.fix};
  (void)fprintf(out, "{\"line\":%d,\"column\":%d", f->line, f->column);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    (void)fprintf(out, ",\"%s\":", names[i]);
    view_put_text(out, texts[i]);
  }
  (void)fputc('}', out);
}

void view_put_findings(FILE* out, const limb_reading* r)
{
  // The list is only read: limb_reading_findings has no form for that.
  const limb_findings* list = r ? limb_reading_findings((limb_reading*)(uintptr_t)r) : NULL;
  (void)fputs(",\n\"findings\":[", out);
  for (int i = 0; i < limb_findings_count(list); i++) {
    limb_finding f;
    if (limb_findings_get(list, i, &f) != LIMB_OK) continue;
    if (i > 0) (void)fputs(",\n", out);
    put_finding(out, &f);
  }
  (void)fputc(']', out);
}

// Columns [from, from + count) of all rows, row by row, as a compressed array.
static limb_status put_array(FILE* out, const view_track* t, const char* name, size_t from, size_t count, int* first)
{
  const size_t rows = t->rows + (size_t)t->has_last;
  double* x = malloc((rows * count + 1) * sizeof *x);
  view_packed packed = {0};
  if (!x) return LIMB_E_NOMEM;
  for (size_t i = 0; i < rows; i++) {
    const double* row = i < t->rows ? t->data + i * t->width : t->last;
    memcpy(x + i * count, row + from, count * sizeof *x);
  }
  const limb_status s = view_compress((const unsigned char*)x, rows * count * sizeof *x, &packed);
  free(x);
  if (s != LIMB_OK) return s;
  (void)fprintf(out, "%s\"%s\":{\"compressed\":%s,\"bytes\":", *first ? "" : ",\n", name,
                packed.compressed ? "true" : "false");
  view_put_bytes(out, &packed);
  (void)fputc('}', out);
  free(packed.bytes);
  *first = 0;
  return LIMB_OK;
}

static limb_status put_arrays(FILE* out, const view_track* t)
{
  const size_t nq = (size_t)t->nq, nv = (size_t)t->nv;
  const struct {
    const char* name;
    size_t count;
    int given;
  } part[] = {{"time", 1, 1}, {"q", nq, 1}, {"v", nv, t->has_v}, {"a", nv, t->has_a}, {"tau", nv, t->has_tau}};
  limb_status s = LIMB_OK;
  size_t from = 0;
  int first = 1;
  for (size_t k = 0; k < sizeof part / sizeof *part && s == LIMB_OK; k++) {
    if (!part[k].given) continue;
    s = put_array(out, t, part[k].name, from, part[k].count, &first);
    from += part[k].count;
  }
  for (int k = 0; k < 2 * t->nforce && s == LIMB_OK; k++, from += 3) {
    char name[40];
    (void)snprintf(name, sizeof name, "%s%d", k % 2 ? "force" : "at", k / 2);
    s = put_array(out, t, name, from, 3, &first);
  }
  return s;
}

limb_status view_put_motion(FILE* out, const limb_view_page* p)
{
  const view_track* t = &p->track;
  if (t->rows == 0) return LIMB_OK;
  (void)fputs(",\n\"motion\":{\"arrays\":{", out);
  const limb_status s = put_arrays(out, t);
  (void)fputs("},\"wrenches\":[", out);
  for (int k = 0; k < t->nforce; k++)
    (void)fprintf(out, "%s{\"at\":\"at%d\",\"force\":\"force%d\"}", k > 0 ? "," : "", k, k);
  (void)fputs("],\"events\":[", out);
  for (int i = 0; i < p->nevent; i++) {
    (void)fprintf(out, "%s{\"time\":%.17g,\"text\":", i > 0 ? "," : "", p->event[i].time);
    view_put_text(out, p->event[i].text);
    (void)fputc('}', out);
  }
  (void)fputs("]}", out);
  return s;
}
