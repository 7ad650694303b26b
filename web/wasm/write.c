// Texts that limb writes about a robot: a repaired file, equations of motion, code.
#include "limb/codegen.h"

#include "web.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
  char* bytes;
  size_t size, capacity;
  int failed; // out of memory
} text;

static void add_text(void* context, const char* piece)
{
  text* t = context;
  const size_t length = strlen(piece);
  if (t->failed) return;
  if (t->size + length + 1 > t->capacity) {
    const size_t capacity = 2 * (t->size + length + 1);
    char* more = realloc(t->bytes, capacity);
    if (!more) {
      t->failed = 1;
      return;
    }
    t->bytes = more;
    t->capacity = capacity;
  }
  memcpy(t->bytes + t->size, piece, length + 1);
  t->size += length;
}

// Begins the answer of a call: its error, or none.
static limb_status begin_answer(json* j, limb_status s, limb_error* err)
{
  if (s != LIMB_OK && err->status == LIMB_OK) (void)web_fail(err, s);
  json_clear(j);
  json_begin(j, "", '{');
  web_put_error(j, err);
  return s;
}

// ---- repair ----------------------------------------------------------------------------------------

// A URDF keeps every byte but the numbers that change; a file in limb YAML is written anew.
static limb_status repair(limb_reading* r, int* changed, text* t, limb_error* err)
{
  const limb_format format = limb_reading_format(r);
  if (format != LIMB_FORMAT_URDF && format != LIMB_FORMAT_YAML) {
    (void)web_fail(err, LIMB_E_UNSUPPORTED);
    (void)snprintf(err->text, sizeof err->text, "%s files are not repaired, URDF and limb YAML are",
                   limb_format_name(format));
    return LIMB_E_UNSUPPORTED;
  }
  limb_status s = limb_repair(r, changed, err);
  if (s == LIMB_OK && format == LIMB_FORMAT_URDF) s = limb_write_repaired(r, add_text, t, err);
  if (s == LIMB_OK && format == LIMB_FORMAT_YAML)
    s = limb_write(limb_reading_builder(r), format, add_text, t, limb_reading_findings(r), err);
  return s == LIMB_OK && t->failed ? LIMB_E_NOMEM : s;
}

const char* web_repair(const char* source, const web_reading_options* how)
{
  static json j;
  const limb_read_options opt = web_read_options(how);
  limb_reading* r = NULL;
  limb_error err = {0};
  text t = {0};
  int changed = 0;
  limb_status s = limb_read(source, &opt, &r, &err);
  const int before = s == LIMB_OK ? limb_findings_count(limb_reading_findings(r)) : 0;
  if (s == LIMB_OK) s = repair(r, &changed, &t, &err);
  if (begin_answer(&j, s, &err) == LIMB_OK) {
    json_text(&j, "text", t.bytes ? t.bytes : "");
    json_number(&j, "changed", changed);
    web_put_findings(&j, r, before);
  }
  json_end(&j, '}');
  limb_reading_destroy(r);
  free(t.bytes);
  return json_done(&j);
}

// ---- equations -------------------------------------------------------------------------------------

const char* web_equations(web_robot* r, const char* what, int notation, int numbers, int max_terms)
{
  limb_equation_options options = limb_default_equation_options();
  limb_error err = {0};
  text t = {0};
  options.what = what;
  options.notation = (limb_notation)notation;
  options.numbers = numbers;
  if (max_terms > 0) options.max_terms = max_terms;
  limb_status s = limb_equations_write(r->model, &options, NULL, add_text, &t, &err);
  if (s == LIMB_OK && t.failed) s = LIMB_E_NOMEM;
  if (begin_answer(&r->text, s, &err) == LIMB_OK) json_text(&r->text, "text", t.bytes ? t.bytes : "");
  json_end(&r->text, '}');
  free(t.bytes);
  return json_done(&r->text);
}

// ---- code ------------------------------------------------------------------------------------------

static limb_codegen_options codegen_options(const web_codegen_options* from)
{
  limb_codegen_options o = limb_default_codegen_options();
  if (from->what) o.what = from->what;
  o.prefix = from->prefix;
  o.frame = from->frame;
  o.language = (limb_language)from->language;
  o.sines = (limb_sines)from->sines;
  o.symbols = (limb_symbols)from->symbols;
  o.order = (limb_statement_order)from->order;
  o.single = from->single;
  o.lanes = from->lanes;
  o.max_statements = from->max_statements;
  o.gravity_argument = from->gravity_argument;
  o.friction = from->friction;
  o.effort = from->effort;
  return o;
}

static limb_status put_file(json* j, const limb_codegen* c, limb_codegen_file file, const char* name)
{
  text t = {0};
  limb_status s = limb_codegen_write(c, file, add_text, &t);
  if (s == LIMB_OK && t.failed) s = LIMB_E_NOMEM;
  if (s == LIMB_OK && t.size > 0) {
    json_begin(j, "", '{');
    json_text(j, "name", name);
    json_text(j, "text", t.bytes);
    json_end(j, '}');
  }
  free(t.bytes);
  return s;
}

static limb_status put_files(json* j, const limb_codegen* c, limb_language language)
{
  static const char* const ending[] = {"c", "py", "m", "jl", "rs", "tex"};
  static const char* const suffix[] = {".", ".", "_test."};
  limb_status s = LIMB_OK;
  json_begin(j, "files", '[');
  for (int k = 0; k < 3 && s == LIMB_OK; k++) {
    char name[300];
    (void)snprintf(name, sizeof name, "%s%s%s", limb_codegen_prefix(c), suffix[k],
                   k == LIMB_FILE_HEADER ? "h" : ending[language]);
    s = put_file(j, c, (limb_codegen_file)k, name);
  }
  json_end(j, ']');
  return s;
}

static void put_functions(json* j, const limb_codegen* c)
{
  limb_codegen_facts f;
  json_begin(j, "functions", '[');
  for (int k = 0; limb_codegen_get(c, k, &f) == LIMB_OK; k++) {
    json_begin(j, "", '{');
    json_text(j, "name", f.name);
    json_text(j, "quantity", f.quantity);
    json_number(j, "mul", (double)f.mul);
    json_number(j, "add", (double)f.add);
    json_number(j, "div", (double)f.div);
    json_number(j, "sines", (double)f.sines);
    json_number(j, "other", (double)f.other);
    json_number(j, "statements", (double)f.statements);
    json_number(j, "stack", (double)f.stack);
    json_number(j, "difference", f.difference);
    json_end(j, '}');
  }
  json_end(j, ']');
}

const char* web_codegen(web_robot* r, const web_codegen_options* how)
{
  const limb_codegen_options options = codegen_options(how);
  limb_codegen* c = NULL;
  limb_error err = {0};
  const limb_status s = limb_codegen_create(r->model, &options, NULL, &c, &err);
  if (begin_answer(&r->text, s, &err) == LIMB_OK) {
    json_text(&r->text, "prefix", limb_codegen_prefix(c));
    if (put_files(&r->text, c, options.language) != LIMB_OK) r->text.failed = 1;
    put_functions(&r->text, c);
  }
  json_end(&r->text, '}');
  limb_codegen_free(c);
  return json_done(&r->text);
}

const char* web_codegen_quantities(void)
{
  static json j;
  json_clear(&j);
  json_begin(&j, "", '[');
  for (int k = 0; limb_codegen_quantity_name(k); k++) {
    json_begin(&j, "", '{');
    json_text(&j, "name", limb_codegen_quantity_name(k));
    json_text(&j, "meaning", limb_codegen_quantity_meaning(k));
    json_text(&j, "robots", limb_codegen_quantity_robots(k));
    json_end(&j, '}');
  }
  json_end(&j, ']');
  return json_done(&j);
}
