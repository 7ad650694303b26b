// Options of `limb sim` about controllers, events and files.
#include "cli.h"
#include "sim_options.h"

#include <string.h>

// ---- events ----------------------------------------------------------------------------------------------

// "low: energy < 1": what stands before a colon is the name, unless the colon belongs to c ? a : b.
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

// ---- outputs ---------------------------------------------------------------------------------------------

enum { KIND_FILE, KIND_PLOT, KIND_ANIMATION };

static limb_run_value* path_of(limb_run_output* o, int kind)
{
  return kind == KIND_FILE ? &o->file : kind == KIND_PLOT ? &o->plot : &o->animation;
}

// Outputs of this kind that the run file has give way to those of the option.
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

// Nothing was said about outputs: a table on standard output, unless something else goes there.
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

// ---- controllers -----------------------------------------------------------------------------------------

typedef struct setting {
  const char* key;
  limb_run_value* one;   // a single value
  limb_run_values* list; // or one by name: key.<name>, and key alone of all
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
                   "is no setting of a controller: kp, kd, q.<joint>, v.<joint>, a.<joint>, "
                   "rate, delay, saturate, file; of impedance also frame, axes, directions, position.x, "
                   "orientation.x, velocity.vx, acceleration.vx, inertia, posture_kp, posture_kd");
}

int sim_take_controller(sim_plan* p)
{
  const char* at = cli_get(p->args, "controller");
  limb_run_controller* c = &p->run.controller;
  if (!at) return EXIT_FINE;
  char* part = sim_next_part(p, &at, ',');
  if (!part) return cli_usage(p->args, "--controller needs a type");
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
