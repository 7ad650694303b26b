// Settings put over a run: the options of `limb sim` as texts. A single value replaces that of the run; entries of a
// list are added to it, or replace those of the same name; outputs replace those of their kind.
//
// Lists separate their entries by commas (events by semicolons) outside brackets and quotes: elbow=max(1, t),'a,b'=2.
#include "run/run_impl.h"

#include "base/status.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- memory ------------------------------------------------------------------------------------------------

// Zeroed memory that lives as long as the override. NULL: out of memory, and remembered.
static void* keep(override* o, size_t count, size_t size)
{
  void** kept = realloc(o->kept, ((size_t)o->nkept + 1) * sizeof *kept);
  if (kept) o->kept = kept;
  void* block = kept ? calloc(count + 1, size) : NULL;
  if (block) o->kept[o->nkept++] = block;
  o->no_memory |= !block;
  return block;
}

// A copy of an array, with one more entry, zeroed: of a text, a copy.
void* limb_override_extended(override* o, const void* items, int count, size_t size)
{
  char* more = keep(o, (size_t)count + 1, size);
  if (more && count > 0) memcpy(more, items, (size_t)count * size);
  return more;
}

// The new entry at the end, in a copy of the array.
void* limb_override_append(override* o, array a)
{
  void* items;
  memcpy(&items, a.items, sizeof items);
  char* more = limb_override_extended(o, items, *a.count, a.size);
  if (!more) return NULL;
  items = more;
  memcpy(a.items, &items, sizeof items);
  return more + a.size * (size_t)(*a.count)++;
}

// ---- texts and values --------------------------------------------------------------------------------------

const char* limb_override_given(const override* o, const char* name)
{
  for (const limb_run_setting* s = o->settings; s && s->name; s++)
    if (strcmp(s->name, name) == 0) return s->text;
  return NULL;
}

// "--step", "--torque elbow": the key of a value.
static const char* key_of(override* o, const char* option, const char* name)
{
  const size_t size = strlen(option) + strlen(name) + 4;
  char* key = keep(o, size, 1);
  if (key) (void)snprintf(key, size, "--%s%s%s", option, *name ? " " : "", name);
  return key ? key : "--";
}

limb_run_value limb_override_value(override* o, const char* option, const char* text)
{
  const char* key = key_of(o, option, "");
  return (limb_run_value){text, key, key + 2, 0, 0};
}

static limb_status put_value(override* o, limb_run_values* list, limb_run_value v)
{
  limb_run_value* more = limb_override_append(o, (array){&list->value, &list->count, sizeof v});
  if (more) *more = v;
  return more ? LIMB_OK : LIMB_E_NOMEM;
}

// Replaces the value of the same name, or appends. A name that the same setting has already is an error.
limb_status limb_override_put_named(override* o, limb_run_values* list, limb_run_value v)
{
  for (int i = 0; i < list->count; i++) {
    if (strcmp(list->value[i].name, v.name) != 0) continue;
    if (list->value[i].line == 0 && strcmp(list->value[i].key, v.key) == 0)
      return limb_fail(o->err, LIMB_E_ARG, "", "%s is given twice", v.key);
    limb_run_value* own = limb_override_extended(o, list->value, list->count, sizeof v);
    if (!own) return LIMB_E_NOMEM;
    own[i] = v;
    list->value = own;
    return LIMB_OK;
  }
  return put_value(o, list, v);
}

// The next entry of a list, up to a separator outside brackets and quotes, without blanks around it. NULL at the
// end, or out of memory.
char* limb_override_next(override* o, const char** at, char separator)
{
  const char *begin = *at, *end = begin;
  int depth = 0, quoted = 0;
  if (!begin || !*begin) return NULL;
  for (; *end && (quoted || depth > 0 || *end != separator); end++) {
    if (*end == '\'') quoted = !quoted;
    if (quoted) continue;
    if (*end == '(') depth++;
    if (*end == ')') depth--;
  }
  *at = *end ? end + 1 : end;
  while (begin < end && *begin == ' ') begin++;
  while (end > begin && end[-1] == ' ') end--;
  char* entry = keep(o, (size_t)(end - begin) + 1, 1);
  if (entry) memcpy(entry, begin, (size_t)(end - begin));
  return entry;
}

// 'name' without the quotes, which protect commas and equals signs.
static char* unquoted(char* name)
{
  const size_t n = strlen(name);
  if (n < 3 || name[0] != '\'' || name[n - 1] != '\'') return name;
  name[n - 1] = '\0';
  return name + 1;
}

// "elbow=2*t" as a value of that name.
limb_status limb_override_read_pair(override* o, const char* option, char* entry, limb_run_value* out)
{
  char* equals = entry;
  for (int quoted = 0; *equals && (quoted || *equals != '='); equals++) quoted ^= *equals == '\'';
  if (!*equals || equals == entry || !equals[1])
    return limb_fail(o->err, LIMB_E_ARG, "", "--%s takes name=formula, with commas between several, not '%s'", option,
                     entry);
  *equals = '\0';
  for (char* c = equals; c > entry && c[-1] == ' ';) *--c = '\0';
  const char *name = unquoted(entry), *key = key_of(o, option, name);
  *out = (limb_run_value){equals + 1, key, name, 0, 0};
  return LIMB_OK;
}

limb_status limb_override_put_pairs(override* o, const char* option, limb_run_values* list)
{
  const char* at = limb_override_given(o, option);
  char* entry = NULL;
  limb_status s = LIMB_OK;
  while (s == LIMB_OK && (entry = limb_override_next(o, &at, ','))) {
    limb_run_value v;
    s = limb_override_read_pair(o, option, entry, &v);
    if (s == LIMB_OK) s = limb_override_put_named(o, list, v);
  }
  return s;
}

// Replaces the list.
limb_status limb_override_put_words(override* o, const char* option, const char* at, char separator,
                                    limb_run_values* list)
{
  char* entry = NULL;
  limb_status s = LIMB_OK;
  if (at) *list = (limb_run_values){0};
  while (s == LIMB_OK && (entry = limb_override_next(o, &at, separator)))
    if (*entry || separator == ',') s = put_value(o, list, limb_override_value(o, option, unquoted(entry)));
  return s;
}

// ---- single values -----------------------------------------------------------------------------------------

#define AT(member) offsetof(limb_run, member)

static const struct {
  const char* option;
  size_t at; // of its limb_run_value
} singles[] = {
  {"duration", AT(duration)},
  {"end", AT(end)},
  {"title", AT(title)},
  {"base", AT(model.base)},
  {"root", AT(model.root)},
  {"coulomb-width", AT(environment.coulomb_width)},
  {"no-friction", AT(environment.no_friction)},
  {"start-time", AT(start.time)},
  {"assemble", AT(start.assemble)},
  {"start-tolerance", AT(start.tolerance)},
  {"target", AT(start.target)},
  {"pose", AT(start.pose)},
  {"method", AT(solver.method)},
  {"step", AT(solver.step)},
  {"rtol", AT(solver.relative)},
  {"atol", AT(solver.absolute)},
  {"max-step", AT(solver.max_step)},
  {"order", AT(solver.order)},
  {"max-steps", AT(solver.max_steps)},
  {"project", AT(solver.project)},
  {"loop-method", AT(solver.loop_method)},
  {"baumgarte", AT(solver.baumgarte)},
  {"stiction", AT(solver.stiction)},
  {"stops", AT(solver.stop)},
  {"restitution", AT(solver.restitution)},
  {"stop-stiffness", AT(solver.stop_stiffness)},
  {"stop-damping", AT(solver.stop_damping)},
  {"condition", AT(solver.condition)},
  {"work", AT(solver.work)},
  {"max-drift", AT(solver.max_drift)},
};

static limb_status put_singles(override* o)
{
  const char *on = limb_override_given(o, "baumgarte"), *duration = limb_override_given(o, "duration"),
             *end = limb_override_given(o, "end");
  for (size_t k = 0; k < sizeof singles / sizeof *singles; k++) {
    const char* text = limb_override_given(o, singles[k].option);
    if (!text) continue;
    if (!*text || (text == on && strcmp(text, "on") == 0)) text = "true"; // a flag
    if (text == on && strcmp(text, "off") == 0) text = "false";
    *(limb_run_value*)(void*)((char*)&o->run + singles[k].at) = limb_override_value(o, singles[k].option, text);
  }
  if (limb_override_given(o, "no-mimic")) o->run.model.mimic = limb_override_value(o, "no-mimic", "false");
  if (duration && !end) o->run.end = (limb_run_value){0};
  if (end && !duration) o->run.duration = (limb_run_value){0};
  return limb_override_put_words(o, "gravity", limb_override_given(o, "gravity"), ',', &o->run.environment.gravity);
}

// com=(...) and inertia=(...) after a comma belong to the load before it.
static limb_status put_payloads(override* o)
{
  limb_run_values* list = &o->run.model.payload;
  const char* at = limb_override_given(o, "payload");
  char* entry = NULL;
  limb_status s = LIMB_OK;
  if (at) *list = (limb_run_values){0};
  while (s == LIMB_OK && (entry = limb_override_next(o, &at, ','))) {
    limb_run_value* last = list->count > 0 ? &list->value[list->count - 1] : NULL;
    const int extends = strncmp(entry, "com=", 4) == 0 || strncmp(entry, "inertia=", 8) == 0;
    if (!extends || !last) {
      s = put_value(o, list, limb_override_value(o, "payload", unquoted(entry)));
      continue;
    }
    const size_t size = strlen(last->text) + strlen(entry) + 2;
    char* whole = keep(o, size, 1);
    if (!whole) return LIMB_E_NOMEM;
    (void)snprintf(whole, size, "%s,%s", last->text, entry);
    last->text = whole;
  }
  return s;
}

static limb_status put_changes(override* o)
{
  static const struct {
    const char* option;
    size_t at; // of its limb_run_values
  } lists[] = {{"attach", AT(model.attach)}, {"lock", AT(model.lock)}};
  limb_status s = put_payloads(o);
  for (size_t k = 0; s == LIMB_OK && k < sizeof lists / sizeof *lists; k++) {
    limb_run_values* list = (limb_run_values*)(void*)((char*)&o->run + lists[k].at);
    s = limb_override_put_words(o, lists[k].option, limb_override_given(o, lists[k].option), ',', list);
  }
  return s;
}

#undef AT

// ---- all of them -------------------------------------------------------------------------------------------

static limb_status check_either(const override* o, const char* one, const char* other)
{
  if (!limb_override_given(o, one) || !limb_override_given(o, other)) return LIMB_OK;
  return limb_fail(o->err, LIMB_E_ARG, "", "--%s and --%s exclude each other", one, other);
}

// Settings of this list, besides the single ones.
static const char* const others[] = {"no-mimic", "gravity",    "q",          "v",        "hold",   "start",    "torque",
                                     "torques",  "wrench",     "wrench-ref", "motion",   "event",  "stop-at",  "output",
                                     "plot",     "animate",    "rate",       "interval", "attach", "channels", "lock",
                                     "payload",  "directions", "controller", NULL};

static limb_status check_names(const override* o)
{
  for (const limb_run_setting* s = o->settings; s->name; s++) {
    bool known = limb_run_index_of(s->name, others) >= 0;
    for (size_t k = 0; k < sizeof singles / sizeof *singles; k++) known |= strcmp(s->name, singles[k].option) == 0;
    if (!known || !s->text)
      return limb_fail(o->err, LIMB_E_ARG, s->name, known ? "has no text" : "is not a setting of a run");
  }
  return LIMB_OK;
}

static limb_status put_all(override* o)
{
  limb_status s = check_names(o);
  if (s == LIMB_OK) s = check_either(o, "duration", "end");
  if (s == LIMB_OK) s = check_either(o, "rate", "interval");
  if (s == LIMB_OK) s = put_singles(o);
  if (s == LIMB_OK) s = put_changes(o);
  if (s == LIMB_OK) s = limb_override_put_start(o);
  if (s == LIMB_OK) s = limb_override_put_pairs(o, "torque", &o->run.inputs.torques);
  if (s == LIMB_OK) s = limb_override_put_table(o);
  if (s == LIMB_OK) s = limb_override_put_wrenches(o);
  if (s == LIMB_OK) s = limb_override_put_motion(o);
  if (s == LIMB_OK) s = limb_override_put_controller(o);
  if (s == LIMB_OK) s = limb_override_put_events(o, "event", "log");
  if (s == LIMB_OK) s = limb_override_put_events(o, "stop-at", "stop");
  if (s == LIMB_OK) s = limb_override_put_outputs(o);
  return s;
}

limb_status limb_run_override_create(const limb_run* run, const limb_run_setting* settings, limb_run_override** out,
                                     limb_error* err)
{
  if (out) *out = NULL;
  if (!out || !settings) return LIMB_E_ARG;
  override* o = calloc(1, sizeof *o);
  if (!o) return limb_fail(err, LIMB_E_NOMEM, "", "out of memory");
  if (run) o->run = *run;
  o->settings = settings, o->err = err;
  limb_status s = put_all(o);
  if (o->no_memory) s = limb_fail(err, LIMB_E_NOMEM, "", "out of memory"); // a setting may be lost
  o->settings = NULL, o->err = NULL;
  if (s != LIMB_OK)
    limb_run_override_destroy(o);
  else
    *out = o;
  return s;
}

void limb_run_override_destroy(limb_run_override* o)
{
  if (!o) return;
  for (int i = 0; i < o->nkept; i++) free(o->kept[i]);
  free(o->kept);
  free(o);
}

const limb_run* limb_run_override_run(const limb_run_override* o) { return o ? &o->run : NULL; }
