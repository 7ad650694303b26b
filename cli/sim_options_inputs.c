// Options of `limb sim` about what acts: tables, wrenches, given motion.
#include "cli.h"
#include "sim_options.h"

#include <string.h>

// "file.csv:spline": the word behind the last colon, when it is one of those known; else NULL.
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

// The last word of "tool.fx", cut off; NULL: there is none.
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
    if (k < 0) return sim_wrong(p, &list.value[i], "is named <frame>.fx, or .fy, .fz, .mx, .my, .mz: tool.fx=5N");
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
                       "is named <joint>.q, .v, .a, .constant, .rate, .amplitude, .frequency, "
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
