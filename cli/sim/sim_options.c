// The options of `limb sim`, put over the run file: single values replace those of the file; entries of lists are
// added, or replace those of the same name.
#include "base/command.h"
#include "sim/sim.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

const cli_option sim_plan_options[] = {
  {"", NULL, "simulation; numbers may have units: 10s, 45deg, 1kHz (docs/simulation.md)"},
  {"duration", "T", "length of the simulation"},
  {"end", "T", "or its end time"},
  {"q", "JOINT=X,...", "start position by joint: shoulder=45deg,elbow=0.2"},
  {"v", "JOINT=X,...", "start velocity by joint (default: at rest)"},
  {"start", "FILE.csv[:ROW]", "start from a row of a table of states (default: the first)"},
  {"start-time", "T", "start time (default: 0, or that of the row)"},
  {"assemble", "true|false", "close the loops at the start (default: true)"},
  {"start-tolerance", "X", "what given values may change by to close the loops (default: 1e-3)"},
  {"keep", "JOINTS", "joints that stay fixed while loops are closed"},
  {"method", "NAME",
   "auto, euler, semi-implicit, rk4, variational, implicit, erk, adams, bdf or ida (default: "
   "auto)"},
  {"step", "H", "largest fixed step (default: 1ms)"},
  {"rtol", "X", "relative tolerance of adaptive methods (default: 1e-8)"},
  {"atol", "X", "absolute tolerance of adaptive methods (default: 1e-10)"},
  {"max-step", "H", "largest adaptive step (default: unlimited)"},
  {"order", "N", "highest order of adaptive methods"},
  {"max-steps", "N", "stop with an error after this many steps"},
  {"project", "X", "project loops back if open by more than this (default: 1e-13); off: never"},
  {"closed", "NAME", "solver for the loop equations: auto, clusters, schur, kkt, proximal"},
  {"baumgarte", "on|off", "stabilise loops by Baumgarte's terms in addition"},
  {"stiction", "exact|smooth", "exact Coulomb friction, or smoothed by --coulomb-width"},
  {"stops", "none|hold|spring|impact|end", "what happens at the limits of joints (default: none)"},
  {"restitution", "X", "restitution of impact stops, 0 to 1 (default: 0.5)"},
  {"stiffness", "K", "stiffness of spring stops (default: 1e4)"},
  {"damping", "D", "damping of spring stops (default: 100)"},
  {"condition", "X", "event if the condition number of the loops exceeds this"},
  {"work", "true|false", "integrate the work of forces, to report energy drift (default: true)"},
  {"max-drift", "X", "fail if the energy drifts by more than this share of the largest kinetic energy"},
  {0},
};

const cli_option sim_input_options[] = {
  {"", NULL, "inputs and events"},
  {"torque", "JOINT=X,...", "actuator forces as formulas: 'elbow=2Nm*sin(2*pi*t),shoulder=-3*v.shoulder'"},
  {"torques", "FILE.csv[:KIND]",
   "actuator forces and wrenches from a table; interpolation: hold, linear or spline (default: "
   "linear)"},
  {"wrench", "FRAME.FX=X,...", "forces on frames as formulas: 'tool.fx=5N,tool.mz=-0.1*body.tool.wz'"},
  {"wrench-ref", "aligned|body|world", "axes and point of --wrench and of tables (default: aligned)"},
  {"motion", "JOINT.RATE=X,...", "prescribed motion: 'crank.constant=1,crank.rate=30rpm', or .q= .v= .a="},
  {"controller", "TYPE,KP=X,...",
   "pd_gravity, computed_torque, impedance or feedforward, and its settings: "
   "'pd_gravity,kp=100,kd=20,q.elbow=1,rate=1kHz'"},
  {"event", "CONDITIONS",
   "conditions to report, separated by semicolons, with an optional name: 'q.elbow > 90deg; low: energy < 1'"},
  {"stop-at", "CONDITIONS", "conditions that end the simulation"},
  {0},
};

const cli_option sim_output_options[] = {
  {"", NULL, "output"},
  {"output", "FILE,...",
   "tables, by suffix .csv, .npy or .h5; -: CSV on standard output (default, unless there are pictures)"},
  {"channels", "LIST", "columns of the tables: q,v,energy,pos.tool.x,M.elbow (default: q,v)"},
  {"directions", "WX,...",
   "directions of tasks at frames, as for Lambda: wx,wy,wz,vx,vy,vz, angular, linear (default: all six)"},
  {"rate", "F", "rows per second of simulated time: 100 or 100Hz (default: about 500 rows)"},
  {"interval", "T", "or the time between rows"},
  {"title", "TEXT", "title of the pictures"},
  {"plot", "FILE.svg", "curves of the channels"},
  {"animate", "FILE", "animation of the robot, .svg or .html"},
  {"summary", "text|json|none", "summary: text on standard error (default), or JSON on standard output"},
  {"quiet", NULL, "no summary, no notes"},
  {"no-progress", NULL, "no progress bar"},
  {0},
};

// ---- single values ---------------------------------------------------------------------------------

typedef struct single {
  const char* option;
  size_t at; // of its limb_run_value in limb_run
} single;

#define AT(member) offsetof(limb_run, member)

static const single singles[] = {
  {"duration", AT(duration)},
  {"end", AT(end)},
  {"title", AT(title)},
  {"work", AT(solver.work)},
  {"start-time", AT(start.time)},
  {"assemble", AT(start.assemble)},
  {"start-tolerance", AT(start.tolerance)},
  {"max-drift", AT(solver.max_drift)},
  {"method", AT(solver.method)},
  {"step", AT(solver.step)},
  {"rtol", AT(solver.relative)},
  {"atol", AT(solver.absolute)},
  {"max-step", AT(solver.max_step)},
  {"order", AT(solver.order)},
  {"max-steps", AT(solver.max_steps)},
  {"project", AT(solver.project)},
  {"closed", AT(solver.closed)},
  {"baumgarte", AT(solver.baumgarte)},
  {"stiction", AT(solver.stiction)},
  {"stops", AT(solver.stop)},
  {"restitution", AT(solver.restitution)},
  {"stiffness", AT(solver.stiffness)},
  {"damping", AT(solver.damping)},
  {"condition", AT(solver.condition)},
  {"base", AT(model.base)},
  {"coulomb-width", AT(environment.coulomb_width)},
};

#undef AT

// The key of a value from an option: "--step".
static const char* option_key(sim_plan* p, const char* option, const char* name)
{
  const size_t size = strlen(option) + strlen(name) + 4;
  char* key = sim_keep(p, size, 1);
  if (key) (void)snprintf(key, size, "--%s%s%s", option, *name ? " " : "", name);
  return key ? key : "--";
}

limb_run_value sim_option_value(sim_plan* p, const char* option, const char* text)
{
  const char* key = option_key(p, option, "");
  return (limb_run_value){text, key, key + 2, 0, 0};
}

static void take_singles(sim_plan* p)
{
  static const char *const on[] = {"baumgarte", "on"}, *const off[] = {"baumgarte", "off"};
  for (size_t k = 0; k < sizeof singles / sizeof *singles; k++) {
    const char *name = singles[k].option, *text = cli_get(p->args, name);
    if (!text) continue;
    limb_run_value* to = (limb_run_value*)(void*)((char*)&p->run + singles[k].at);
    if (!*text) text = "true"; // a flag
    if (strcmp(name, on[0]) == 0 && strcmp(text, on[1]) == 0) text = "true";
    if (strcmp(name, off[0]) == 0 && strcmp(text, off[1]) == 0) text = "false";
    *to = sim_option_value(p, name, text);
  }
  if (cli_has(p->args, "duration") && !cli_has(p->args, "end")) p->run.end = (limb_run_value){0};
  if (cli_has(p->args, "end") && !cli_has(p->args, "duration")) p->run.duration = (limb_run_value){0};
  if (cli_has(p->args, "no-friction")) p->run.environment.no_friction = sim_option_value(p, "no-friction", "true");
  if (cli_has(p->args, "no-mimic")) p->run.model.mimic = sim_option_value(p, "no-mimic", "false");
  if (cli_has(p->args, "gravity")) p->run.environment.gravity = (limb_run_values){0};
}

// ---- lists -----------------------------------------------------------------------------------------

void* sim_longer(sim_plan* p, const void* items, int count, size_t size)
{
  char* more = sim_keep(p, (size_t)count + 1, size);
  if (more && count > 0) memcpy(more, items, (size_t)count * size);
  return more;
}

int sim_append(sim_plan* p, limb_run_values* list, limb_run_value v)
{
  limb_run_value* more = sim_longer(p, list->value, list->count, sizeof *more);
  if (!more) return sim_out_of_memory(p);
  more[list->count] = v;
  list->value = more;
  list->count++;
  return EXIT_FINE;
}

int sim_put(sim_plan* p, limb_run_values* list, limb_run_value v)
{
  for (int i = 0; i < list->count; i++) {
    if (strcmp(list->value[i].name, v.name) != 0) continue;
    limb_run_value* own = sim_longer(p, list->value, list->count, sizeof *own);
    if (!own) return sim_out_of_memory(p);
    own[i] = v;
    list->value = own;
    return EXIT_FINE;
  }
  return sim_append(p, list, v);
}

char* sim_next_part(sim_plan* p, const char** at, char separator)
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
  char* part = sim_keep(p, (size_t)(end - begin) + 1, 1);
  if (part) memcpy(part, begin, (size_t)(end - begin));
  return part;
}

// 'name' without the quotes, which protect commas and equals signs.
static char* unquoted(char* name)
{
  const size_t n = strlen(name);
  if (n < 3 || name[0] != '\'' || name[n - 1] != '\'') return name;
  name[n - 1] = '\0';
  return name + 1;
}

// The first equals sign outside quotes; NULL: none.
static char* find_equals(char* part)
{
  int quoted = 0;
  for (; *part && (quoted || *part != '='); part++) quoted ^= *part == '\'';
  return *part ? part : NULL;
}

int sim_take_pair(sim_plan* p, const char* option, char* part, limb_run_value* out)
{
  char* equals = find_equals(part);
  if (!equals || equals == part || !equals[1])
    return cli_usage(p->args, "--%s takes name=formula, with commas between several, not '%s'", option, part);
  *equals = '\0';
  for (char* c = equals; c > part && c[-1] == ' ';) *--c = '\0';
  const char *name = unquoted(part), *key = option_key(p, option, name);
  *out = (limb_run_value){equals + 1, key, name, 0, 0};
  return EXIT_FINE;
}

int sim_take_pairs(sim_plan* p, const char* option, limb_run_values* list)
{
  const char* at = cli_get(p->args, option);
  char* part = NULL;
  int code = EXIT_FINE;
  while (code == EXIT_FINE && (part = sim_next_part(p, &at, ','))) {
    limb_run_value v;
    code = sim_take_pair(p, option, part, &v);
    if (code == EXIT_FINE) code = sim_put(p, list, v);
  }
  return code;
}

int sim_take_words(sim_plan* p, const char* option, limb_run_values* list)
{
  const char* at = cli_get(p->args, option);
  char* part = NULL;
  int code = EXIT_FINE;
  if (at) *list = (limb_run_values){0};
  while (code == EXIT_FINE && (part = sim_next_part(p, &at, ',')))
    code = sim_append(p, list, sim_option_value(p, option, unquoted(part)));
  return code;
}

// ---- all options -----------------------------------------------------------------------------------

// Two options for the same thing.
static int check_either(const sim_plan* p, const char* one, const char* other)
{
  if (!cli_has(p->args, one) || !cli_has(p->args, other)) return EXIT_FINE;
  return cli_usage(p->args, "--%s and --%s exclude each other", one, other);
}

int sim_take_options(sim_plan* p)
{
  take_singles(p);
  int code = check_either(p, "duration", "end");
  if (code == EXIT_FINE) code = check_either(p, "rate", "interval");
  if (code == EXIT_FINE) code = sim_take_pairs(p, "q", &p->run.start.q);
  if (code == EXIT_FINE) code = sim_take_pairs(p, "v", &p->run.start.v);
  if (code == EXIT_FINE) code = sim_take_words(p, "keep", &p->run.start.keep);
  if (code == EXIT_FINE) code = sim_take_inputs(p);
  if (code == EXIT_FINE) code = sim_take_controller(p);
  if (code == EXIT_FINE) code = sim_take_events(p);
  if (code == EXIT_FINE) code = sim_take_outputs(p);
  return cli_is_out_of_memory() ? sim_out_of_memory(p) : code; // an option may be lost
}
