// Settings put over a run: start, inputs, controllers, events, outputs (run_impl.h).
#include "run/run_impl.h"

#include "base/status.h"

#include <stddef.h>
#include <string.h>

// ---- start and inputs --------------------------------------------------------------------------------------

// "file.csv:spline": the word after the last colon if it is one of a list, or a number (words NULL); else NULL.
static char* split_suffix(char* text, const char* const* words)
{
  char* colon = strrchr(text, ':');
  if (!colon) return NULL;
  const char* word = colon + 1;
  const bool known = words ? limb_run_index_of(word, words) >= 0 : *word && !word[strspn(word, "0123456789")];
  if (known) *colon = '\0';
  return known ? colon + 1 : NULL;
}

// A file with its suffix, as two values.
static limb_status put_file(override* o, const char* option, const char* const* words, limb_run_value* file,
                            limb_run_value* suffix)
{
  const char* text = limb_override_given(o, option);
  char* path = limb_override_extended(o, text, (int)strlen(text), 1);
  if (!path) return LIMB_E_NOMEM;
  const char* word = split_suffix(path, words);
  *file = limb_override_value(o, option, path);
  *suffix = word ? limb_override_value(o, option, word) : (limb_run_value){0};
  return LIMB_OK;
}

limb_status limb_override_put_start(override* o)
{
  limb_run_start* start = &o->run.start;
  limb_status s = limb_override_put_pairs(o, "q", &start->q);
  if (s == LIMB_OK) s = limb_override_put_pairs(o, "v", &start->v);
  if (s == LIMB_OK) s = limb_override_put_words(o, "hold", limb_override_given(o, "hold"), ',', &start->hold);
  if (s == LIMB_OK && limb_override_given(o, "start")) s = put_file(o, "start", NULL, &start->file, &start->row);
  return s;
}

limb_status limb_override_put_table(override* o)
{
  static const char* const kinds[] = {"hold", "linear", "spline", NULL};
  limb_run_inputs* in = &o->run.inputs;
  if (!limb_override_given(o, "torques")) return LIMB_OK;
  limb_run_table* table = limb_override_append(o, (array){&in->table, &in->ntable, sizeof *table});
  return table ? put_file(o, "torques", kinds, &table->file, &table->interpolation) : LIMB_E_NOMEM;
}

// "tool.fx" into "tool" and the index of "fx" among the parts; -1: none of them.
static int split_part(override* o, const limb_run_value* v, const char* const* parts, const char** owner)
{
  char* name = limb_override_extended(o, v->name, (int)strlen(v->name), 1);
  char* dot = name ? strrchr(name, '.') : NULL;
  if (!dot || dot == name) return -1;
  *dot = '\0';
  *owner = name;
  return limb_run_index_of(dot + 1, parts);
}

static limb_run_wrench* wrench_on(override* o, int first, const limb_run_value* v, const char* frame)
{
  limb_run_inputs* in = &o->run.inputs;
  for (int i = first; i < in->nwrench; i++)
    if (strcmp(in->wrench[i].frame.text, frame) == 0) return &in->wrench[i];
  limb_run_wrench* w = limb_override_append(o, (array){&in->wrench, &in->nwrench, sizeof *w});
  if (!w) return NULL;
  const char* ref = limb_override_given(o, "wrench-ref");
  *w = (limb_run_wrench){.frame = *v};
  w->frame.text = frame;
  if (ref) w->reference = limb_override_value(o, "wrench-ref", ref);
  return w;
}

limb_status limb_override_put_wrenches(override* o)
{
  static const char* const parts[] = {"mx", "my", "mz", "fx", "fy", "fz", NULL};
  const int first = o->run.inputs.nwrench;
  limb_run_values list = {0};
  limb_status s = limb_override_put_pairs(o, "wrench", &list);
  for (int i = 0; i < list.count && s == LIMB_OK; i++) {
    const char* frame = NULL;
    const int k = split_part(o, &list.value[i], parts, &frame);
    if (k < 0)
      return limb_run_wrong(o->err, &list.value[i], "must be named <frame>.fx, or .fy, .fz, .mx, .my, .mz: tool.fx=5N");
    limb_run_wrench* w = wrench_on(o, first, &list.value[i], frame);
    if (w) w->part[k] = list.value[i];
    s = w ? LIMB_OK : LIMB_E_NOMEM;
  }
  return s;
}

static limb_run_motion* motion_of(override* o, const char* name)
{
  limb_run_inputs* in = &o->run.inputs;
  for (int i = 0; i < in->nmotion; i++)
    if (strcmp(in->motion[i].name, name) == 0) return &in->motion[i];
  limb_run_motion* m = limb_override_append(o, (array){&in->motion, &in->nmotion, sizeof *m});
  if (m) m->name = name;
  return m;
}

limb_status limb_override_put_motion(override* o)
{
  static const char* const parts[] = {"q",         "v",         "a",     "constant", "rate",
                                      "amplitude", "frequency", "phase", "file",     NULL};
  limb_run_values list = {0};
  limb_status s = limb_override_put_pairs(o, "motion", &list);
  for (int i = 0; i < list.count && s == LIMB_OK; i++) {
    const char* joint = NULL;
    const int k = split_part(o, &list.value[i], parts, &joint);
    if (k < 0)
      return limb_run_wrong(o->err, &list.value[i],
                            "must be named <joint>.q, .v, .a, .constant, .rate, .amplitude, .frequency, "
                            ".phase or .file");
    limb_run_motion* m = motion_of(o, joint);
    if (!m) return LIMB_E_NOMEM;
    limb_run_value* const to[] = {&m->q,         &m->v,         &m->a,     &m->constant, &m->rate,
                                  &m->amplitude, &m->frequency, &m->phase, &m->file};
    *to[k] = list.value[i];
  }
  return s;
}

// ---- controllers -------------------------------------------------------------------------------------------

// "kp.elbow=3": into the list of its first word, under the rest of its name.
static limb_status put_control(override* o, limb_run_controller* c, limb_run_value v)
{
  const struct {
    const char* key;
    limb_run_value* one;   // a single value
    limb_run_values* list; // or values by name: key.<name>; key alone: for all
  } known[] = {{"kp", NULL, &c->kp},
               {"kd", NULL, &c->kd},
               {"q", NULL, &c->q},
               {"v", NULL, &c->v},
               {"a", NULL, &c->a},
               {"position", NULL, &c->position},
               {"orientation", NULL, &c->orientation},
               {"velocity", NULL, &c->velocity},
               {"acceleration", NULL, &c->acceleration},
               {"inertia", NULL, &c->inertia},
               {"posture_kp", NULL, &c->posture_kp},
               {"posture_kd", NULL, &c->posture_kd},
               {"axes", &c->axes, NULL},
               {"rate", &c->rate, NULL},
               {"delay", &c->delay, NULL},
               {"saturate", &c->saturate, NULL},
               {"frame", &c->frame, NULL},
               {"file", &c->file, NULL}};
  const size_t n = strcspn(v.name, ".");
  if (strcmp(v.name, "directions") == 0) return limb_override_put_words(o, "controller", v.text, ' ', &c->directions);
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    if (strlen(known[k].key) != n || strncmp(known[k].key, v.name, n) != 0) continue;
    if (known[k].one && v.name[n]) break;
    if (known[k].one) *known[k].one = v;
    v.name += v.name[n] ? n + 1 : n;
    return known[k].one ? LIMB_OK : limb_override_put_named(o, known[k].list, v);
  }
  return limb_run_wrong(o->err, &v,
                        "is no setting of a controller; these are kp, kd, q.<joint>, v.<joint>, a.<joint>, rate, "
                        "delay, saturate, file; for impedance frame, axes, directions, position.x, orientation.x, "
                        "velocity.vx, acceleration.vx, inertia, posture_kp, posture_kd");
}

limb_status limb_override_put_controller(override* o)
{
  const char* at = limb_override_given(o, "controller");
  limb_run_controller* c = &o->run.controller;
  if (!at) return LIMB_OK;
  char* entry = limb_override_next(o, &at, ',');
  if (!entry) return limb_fail(o->err, LIMB_E_ARG, "", "--controller requires a type");
  if (!strchr(entry, '=')) {
    if (c->type.text && strcmp(c->type.text, entry) != 0) *c = (limb_run_controller){0};
    c->type = limb_override_value(o, "controller", entry);
    entry = limb_override_next(o, &at, ',');
  }
  limb_status s = LIMB_OK;
  for (; entry && s == LIMB_OK; entry = limb_override_next(o, &at, ',')) {
    limb_run_value v;
    s = limb_override_read_pair(o, "controller", entry, &v);
    if (s == LIMB_OK) s = put_control(o, c, v);
  }
  return s;
}

// ---- events and outputs ------------------------------------------------------------------------------------

// "low: energy < 1": the name precedes a colon, unless the colon belongs to c ? a : b.
static char* after_name(char* entry, char** name)
{
  char* colon = strchr(entry, ':');
  *name = NULL;
  if (!colon || memchr(entry, '?', (size_t)(colon - entry))) return entry;
  for (char* end = colon; end > entry && end[-1] == ' '; end--) end[-1] = '\0';
  *colon = '\0';
  *name = entry;
  return colon + 1 + strspn(colon + 1, " ");
}

limb_status limb_override_put_events(override* o, const char* option, const char* action)
{
  const char* at = limb_override_given(o, option);
  char* entry = NULL;
  while ((entry = limb_override_next(o, &at, ';'))) {
    char* name;
    if (!*entry) continue;
    entry = after_name(entry, &name);
    limb_run_event* event = limb_override_append(o, (array){&o->run.event, &o->run.nevent, sizeof *event});
    if (!event) return LIMB_E_NOMEM;
    event->when = limb_override_value(o, option, entry), event->action = limb_override_value(o, option, action);
    if (name) event->name = limb_override_value(o, option, name);
  }
  return LIMB_OK;
}

// Replaces the outputs of one kind; at is the member of limb_run_output that has their path.
static limb_status put_files(override* o, const char* option, size_t at)
{
  const char* list = limb_override_given(o, option);
  limb_run* run = &o->run;
  char* path = NULL;
  int kept = 0;
  if (!list) return LIMB_OK;
  limb_run_output* own = limb_override_extended(o, run->output, run->noutput, sizeof *own);
  if (!own) return LIMB_E_NOMEM;
  for (int i = 0; i < run->noutput; i++)
    if (!((limb_run_value*)(void*)((char*)&own[i] + at))->text) own[kept++] = own[i];
  run->output = own, run->noutput = kept;
  while ((path = limb_override_next(o, &list, ','))) {
    limb_run_output* out = limb_override_append(o, (array){&run->output, &run->noutput, sizeof *out});
    if (!out) return LIMB_E_NOMEM;
    *(limb_run_value*)(void*)((char*)out + at) = limb_override_value(o, option, path);
  }
  return LIMB_OK;
}

limb_status limb_override_put_outputs(override* o)
{
  limb_run_values channels = {0}, directions = {0};
  const char *rate = limb_override_given(o, "rate"), *interval = limb_override_given(o, "interval");
  limb_status s = put_files(o, "output", offsetof(limb_run_output, file));
  if (s == LIMB_OK) s = put_files(o, "plot", offsetof(limb_run_output, plot));
  if (s == LIMB_OK) s = put_files(o, "animate", offsetof(limb_run_output, animation));
  if (s == LIMB_OK) s = limb_override_put_words(o, "channels", limb_override_given(o, "channels"), ',', &channels);
  if (s == LIMB_OK)
    s = limb_override_put_words(o, "directions", limb_override_given(o, "directions"), ',', &directions);
  if (s != LIMB_OK) return s;
  limb_run_output* own = limb_override_extended(o, o->run.output, o->run.noutput, sizeof *own);
  if (!own) return LIMB_E_NOMEM;
  for (int i = 0; i < o->run.noutput; i++) {
    if (channels.count > 0 && !own[i].animation.text) own[i].channels = channels;
    if (directions.count > 0) own[i].directions = directions;
    if (!rate && !interval) continue;
    own[i].rate = rate ? limb_override_value(o, "rate", rate) : (limb_run_value){0};
    own[i].interval = interval ? limb_override_value(o, "interval", interval) : (limb_run_value){0};
  }
  o->run.output = own;
  return LIMB_OK;
}
