// Options of `limb sim` that are lists: inputs, controllers, events, outputs.
#include "base/command.h"
#include "sim/sim.h"

#include <string.h>

// ---- inputs ----------------------------------------------------------------------------------------

// "file.csv:spline": the word after the last colon, if it is known; else NULL.
static char* split_suffix(char* text, int (*known)(const char*))
{
  char* colon = strrchr(text, ':');
  if (!colon || !known(colon + 1)) return NULL;
  *colon = '\0';
  return colon + 1;
}

static int is_interpolation(const char* word)
{
  return strcmp(word, "hold") == 0 || strcmp(word, "linear") == 0 || strcmp(word, "spline") == 0;
}

static int is_number(const char* word) { return *word && word[strspn(word, "0123456789")] == '\0'; }

static int take_start(sim_plan* p)
{
  const char* given = cli_get(p->args, "start");
  if (!given) return EXIT_FINE;
  char* path = sim_longer(p, given, (int)strlen(given), 1);
  if (!path) return sim_out_of_memory(p);
  const char* row = split_suffix(path, is_number);
  p->run.start.file = sim_option_value(p, "start", path);
  p->run.start.row = (limb_run_value){0};
  if (row) p->run.start.row = sim_option_value(p, "start", row);
  return EXIT_FINE;
}

static int take_table(sim_plan* p)
{
  limb_run_inputs* in = &p->run.inputs;
  const char* given = cli_get(p->args, "torques");
  if (!given) return EXIT_FINE;
  char* path = sim_longer(p, given, (int)strlen(given), 1);
  limb_run_table* table = sim_longer(p, in->table, in->ntable, sizeof *table);
  if (!path || !table) return sim_out_of_memory(p);
  const char* kind = split_suffix(path, is_interpolation);
  in->table = table;
  table[in->ntable] = (limb_run_table){.file = sim_option_value(p, "torques", path)};
  if (kind) table[in->ntable].interpolation = sim_option_value(p, "torques", kind);
  in->ntable++;
  return EXIT_FINE;
}

// Cuts off the last word of "tool.fx"; NULL: none.
static char* cut_last(char* name)
{
  char* dot = strrchr(name, '.');
  if (!dot || dot == name || !dot[1]) return NULL;
  *dot = '\0';
  return dot + 1;
}

static limb_run_wrench* wrench_of(sim_plan* p, int first, const limb_run_value* v, const char* frame)
{
  limb_run_inputs* in = &p->run.inputs;
  for (int i = first; i < in->nwrench; i++)
    if (strcmp(in->wrench[i].frame.text, frame) == 0) return &in->wrench[i];
  limb_run_wrench* more = sim_longer(p, in->wrench, in->nwrench, sizeof *more);
  if (!more) return NULL;
  in->wrench = more;
  limb_run_wrench* w = &more[in->nwrench++];
  const char* ref = cli_get(p->args, "wrench-ref");
  *w = (limb_run_wrench){.frame = *v};
  w->frame.text = frame;
  if (ref) w->reference = sim_option_value(p, "wrench-ref", ref);
  return w;
}

static int take_wrenches(sim_plan* p)
{
  static const char* const parts[] = {"mx", "my", "mz", "fx", "fy", "fz", NULL};
  const int first = p->run.inputs.nwrench;
  limb_run_values list = {0};
  int code = sim_take_pairs(p, "wrench", &list);
  for (int i = 0; i < list.count && code == EXIT_FINE; i++) {
    char* name = sim_longer(p, list.value[i].name, (int)strlen(list.value[i].name), 1);
    const char* last = name ? cut_last(name) : NULL;
    const int k = last ? sim_index_of(last, parts) : -1;
    if (k < 0) return sim_wrong(p, &list.value[i], "must be named <frame>.fx, or .fy, .fz, .mx, .my, .mz: tool.fx=5N");
    limb_run_wrench* w = wrench_of(p, first, &list.value[i], name);
    if (!w) return sim_out_of_memory(p);
    w->part[k] = list.value[i];
  }
  return code;
}

static limb_run_motion* motion_of(sim_plan* p, const char* name)
{
  limb_run_inputs* in = &p->run.inputs;
  for (int i = 0; i < in->nmotion; i++)
    if (strcmp(in->motion[i].name, name) == 0) return &in->motion[i];
  limb_run_motion* more = sim_longer(p, in->motion, in->nmotion, sizeof *more);
  if (!more) return NULL;
  in->motion = more;
  more[in->nmotion] = (limb_run_motion){.name = name};
  return &more[in->nmotion++];
}

static int take_motion(sim_plan* p)
{
  static const char* const parts[] = {"q",         "v",         "a",     "constant", "rate",
                                      "amplitude", "frequency", "phase", "file",     NULL};
  limb_run_values list = {0};
  int code = sim_take_pairs(p, "motion", &list);
  for (int i = 0; i < list.count && code == EXIT_FINE; i++) {
    char* name = sim_longer(p, list.value[i].name, (int)strlen(list.value[i].name), 1);
    const char* last = name ? cut_last(name) : NULL;
    const int k = last ? sim_index_of(last, parts) : -1;
    if (k < 0)
      return sim_wrong(p, &list.value[i],
                       "must be named <joint>.q, .v, .a, .constant, .rate, .amplitude, .frequency, "
                       ".phase or .file");
    limb_run_motion* m = motion_of(p, name);
    if (!m) return sim_out_of_memory(p);
    limb_run_value* const to[] = {&m->q,         &m->v,         &m->a,     &m->constant, &m->rate,
                                  &m->amplitude, &m->frequency, &m->phase, &m->file};
    *to[k] = list.value[i];
  }
  return code;
}

int sim_take_inputs(sim_plan* p)
{
  int code = take_start(p);
  if (code == EXIT_FINE) code = sim_take_pairs(p, "torque", &p->run.inputs.torques);
  if (code == EXIT_FINE) code = take_table(p);
  if (code == EXIT_FINE) code = take_wrenches(p);
  return code == EXIT_FINE ? take_motion(p) : code;
}

// ---- events ----------------------------------------------------------------------------------------

// "low: energy < 1": the name precedes a colon, unless the colon belongs to c ? a : b.
static char* after_name(char* part, char** name)
{
  char* colon = strchr(part, ':');
  *name = NULL;
  if (!colon || memchr(part, '?', (size_t)(colon - part))) return part;
  for (char* end = colon; end > part && end[-1] == ' '; end--) end[-1] = '\0';
  *colon = '\0';
  *name = part;
  return colon + 1 + strspn(colon + 1, " ");
}

static int add_events(sim_plan* p, const char* option, const char* action)
{
  const char* at = cli_get(p->args, option);
  char* part = NULL;
  while ((part = sim_next_part(p, &at, ';'))) {
    char* name;
    if (!*part) continue;
    part = after_name(part, &name);
    limb_run_event* more = sim_longer(p, p->run.event, p->run.nevent, sizeof *more);
    if (!more) return sim_out_of_memory(p);
    more[p->run.nevent] =
      (limb_run_event){.when = sim_option_value(p, option, part), .action = sim_option_value(p, option, action)};
    if (name) more[p->run.nevent].name = sim_option_value(p, option, name);
    p->run.event = more;
    p->run.nevent++;
  }
  return EXIT_FINE;
}

int sim_take_events(sim_plan* p)
{
  const int code = add_events(p, "event", "log");
  return code == EXIT_FINE ? add_events(p, "stop-at", "stop") : code;
}

// ---- outputs ---------------------------------------------------------------------------------------

enum { KIND_FILE, KIND_PLOT, KIND_ANIMATION };

static limb_run_value* path_of(limb_run_output* o, int kind)
{
  return kind == KIND_FILE ? &o->file : kind == KIND_PLOT ? &o->plot : &o->animation;
}

// Outputs of the option replace those of the same kind in the run file.
static int replace_outputs(sim_plan* p, const char* option, int kind)
{
  const char* at = cli_get(p->args, option);
  limb_run* run = &p->run;
  char* part = NULL;
  int kept = 0;
  if (!at) return EXIT_FINE;
  limb_run_output* own = sim_longer(p, run->output, run->noutput, sizeof *own);
  if (!own) return sim_out_of_memory(p);
  for (int i = 0; i < run->noutput; i++)
    if (!path_of(&own[i], kind)->text) own[kept++] = own[i];
  run->output = own;
  run->noutput = kept;
  while ((part = sim_next_part(p, &at, ','))) {
    limb_run_output* more = sim_longer(p, run->output, run->noutput, sizeof *more);
    if (!more) return sim_out_of_memory(p);
    more[run->noutput] = (limb_run_output){0};
    *path_of(&more[run->noutput], kind) = sim_option_value(p, option, part);
    run->output = more;
    run->noutput++;
  }
  return EXIT_FINE;
}

// Without outputs: a table on standard output, unless the summary goes there.
static int add_default(sim_plan* p)
{
  const char* summary = cli_get(p->args, "summary");
  if (p->run.noutput > 0 || (summary && strcmp(summary, "json") == 0)) return EXIT_FINE;
  limb_run_output* one = sim_longer(p, NULL, 0, sizeof *one);
  if (!one) return sim_out_of_memory(p);
  one->file = sim_option_value(p, "output", "-");
  p->run.output = one;
  p->run.noutput = 1;
  return EXIT_FINE;
}

int sim_take_outputs(sim_plan* p)
{
  limb_run_values channels = {0}, directions = {0};
  const char *rate = cli_get(p->args, "rate"), *interval = cli_get(p->args, "interval");
  int code = replace_outputs(p, "output", KIND_FILE);
  if (code == EXIT_FINE) code = replace_outputs(p, "plot", KIND_PLOT);
  if (code == EXIT_FINE) code = replace_outputs(p, "animate", KIND_ANIMATION);
  if (code == EXIT_FINE) code = add_default(p);
  if (code == EXIT_FINE) code = sim_take_words(p, "channels", &channels);
  if (code == EXIT_FINE) code = sim_take_words(p, "directions", &directions);
  if (code != EXIT_FINE) return code;
  limb_run_output* own = sim_longer(p, p->run.output, p->run.noutput, sizeof *own);
  if (!own) return sim_out_of_memory(p);
  for (int i = 0; i < p->run.noutput; i++) {
    if (channels.count > 0 && !own[i].animation.text) own[i].channels = channels;
    if (directions.count > 0) own[i].directions = directions;
    if (!rate && !interval) continue;
    own[i].rate = rate ? sim_option_value(p, "rate", rate) : (limb_run_value){0};
    own[i].interval = interval ? sim_option_value(p, "interval", interval) : (limb_run_value){0};
  }
  p->run.output = own;
  return EXIT_FINE;
}

// ---- controllers -----------------------------------------------------------------------------------

typedef struct setting {
  const char* key;
  limb_run_value* one;   // a single value
  limb_run_values* list; // or values by name: key.<name>; key alone: for all
} setting;

// "directions=vx vy": words with spaces between them.
static int take_directions(sim_plan* p, limb_run_controller* c, const char* at)
{
  char* part = NULL;
  int code = EXIT_FINE;
  c->directions = (limb_run_values){0};
  while (code == EXIT_FINE && (part = sim_next_part(p, &at, ' ')))
    if (*part) code = sim_append(p, &c->directions, sim_option_value(p, "controller", part));
  return code;
}

// "kp.elbow=3": into the list of its first word, under the rest of its name.
static int take_setting(sim_plan* p, limb_run_controller* c, limb_run_value v)
{
  const setting known[] = {{"kp", NULL, &c->kp},
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
  if (strcmp(v.name, "directions") == 0) return take_directions(p, c, v.text);
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    if (strlen(known[k].key) != n || strncmp(known[k].key, v.name, n) != 0) continue;
    if (known[k].one && v.name[n]) break;
    if (known[k].one) {
      *known[k].one = v;
      return EXIT_FINE;
    }
    v.name += v.name[n] ? n + 1 : n;
    return sim_put(p, known[k].list, v);
  }
  return sim_wrong(p, &v,
                   "is not a setting of a controller; these are kp, kd, q.<joint>, v.<joint>, a.<joint>, "
                   "rate, delay, saturate, file; for impedance also frame, axes, directions, position.x, "
                   "orientation.x, velocity.vx, acceleration.vx, inertia, posture_kp, posture_kd");
}

int sim_take_controller(sim_plan* p)
{
  const char* at = cli_get(p->args, "controller");
  limb_run_controller* c = &p->run.controller;
  if (!at) return EXIT_FINE;
  char* part = sim_next_part(p, &at, ',');
  if (!part) return cli_usage(p->args, "--controller requires a type");
  if (!strchr(part, '=')) {
    if (c->type.text && strcmp(c->type.text, part) != 0) *c = (limb_run_controller){0};
    c->type = sim_option_value(p, "controller", part);
    part = sim_next_part(p, &at, ',');
  }
  int code = EXIT_FINE;
  for (; part && code == EXIT_FINE; part = sim_next_part(p, &at, ',')) {
    limb_run_value v;
    code = sim_take_pair(p, "controller", part, &v);
    if (code == EXIT_FINE) code = take_setting(p, c, v);
  }
  return code;
}
