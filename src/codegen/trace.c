// Tracing: inputs as symbols, numbers of the robot as scalars, and the requested quantities.
#include "codegen/trace.h"
#include "limb/quantities.h"
#include "codegen/text.h"

#include "base/names.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- inputs --------------------------------------------------------------------------------------------------------

static const char* joined(limb_program* p, const char* a, const char* b)
{
  const char* const parts[] = {a, b, NULL};
  return limb_program_text(p, parts);
}

// Labels of all components of coordinates or velocities: joint and suffix.
static const char** labels(limb_program* p, const limb_model* m, bool of_q)
{
  const char** label = limb_program_alloc(p, (size_t)(of_q ? m->nq : m->nv) + 1, sizeof *label);
  for (int j = 0; label && j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    for (int i = 0; i < (of_q ? joint->nq : joint->nv); i++) {
      const limb_joint_type type = joint->def.type;
      const char* suffix = of_q ? limb_q_suffix(type, i) : limb_v_suffix(type, i);
      const char* text = joined(p, joint->def.name, suffix);
      if (!text) return NULL;
      label[(of_q ? joint->q : joint->v) + i] = text;
    }
  }
  return label;
}

static limb_status describe_inputs(limb_program* p, const limb_model* m)
{
  static const char* const axes[] = {"x", "y", "z"};
  static const char* const components[] = {"wx", "wy", "wz", "vx", "vy", "vz"};
  const bool turns = m->nq != m->nv;
  const char **q = labels(p, m, true), **v = labels(p, m, false);
  const char** world = limb_program_alloc(p, 3, sizeof *world);
  const char** twist = limb_program_alloc(p, 6, sizeof *twist);
  double* gravity = limb_program_alloc(p, 3, sizeof *gravity);
  if (!q || !v || !world || !twist || !gravity) return LIMB_E_NOMEM;
  memcpy(world, axes, sizeof axes);
  memcpy(twist, components, sizeof components);
  gravity[0] = m->gravity.x, gravity[1] = m->gravity.y, gravity[2] = m->gravity.z;
  const limb_input input[INPUT_KINDS] = {
    [INPUT_Q] = {"q", "joint coordinates", m->nq, q, NULL},
    [INPUT_V] = {"v", turns ? "joint velocities, of ball and free joints in axes of the body" : "joint velocities",
                 m->nv, v, NULL},
    [INPUT_A] = {"a", turns ? "joint accelerations, the rates of v" : "joint accelerations", m->nv, v, NULL},
    [INPUT_TAU] = {"tau", "joint forces", m->nv, v, NULL},
    [INPUT_X] = {"x", "joint accelerations where these are given, else joint forces", m->nv, v, NULL},
    [INPUT_TWIST] = {"twist", "velocity of the platform, angular and linear, its own axes", 6, twist, NULL},
    [INPUT_TWIST_RATE] = {"twist_rate", "spatial acceleration of the platform, its own axes", 6, twist, NULL},
    [INPUT_GRAVITY] = {"gravity", "acceleration of gravity, world axes", 3, world, gravity},
    [INPUT_PARAMETER] = {"p", "parameters of the links; see docs/codegen.md of limb", 0, NULL, NULL}};
  memcpy(p->input, input, sizeof input);
  return LIMB_OK;
}

limb_scalar* limb_trace_scalars(limb_tracer* t, size_t count)
{
  return limb_program_alloc(t->program, count + 1, sizeof(limb_scalar));
}

limb_scalar* limb_trace_input(limb_tracer* t, limb_input_kind kind)
{
  const int n = t->program->input[kind].count;
  limb_scalar* x = limb_trace_scalars(t, (size_t)n);
  for (int i = 0; x && i < n; i++)
    x[i] = of_edge(t->graph, limb_symbol_edge(t->graph, limb_symbol_of(kind, (uint32_t)i)));
  return x;
}

// ---- numbers of the robot ------------------------------------------------------------------------------------------

enum { CONSTANTS = sizeof(limb_link_f64) / sizeof(double) };
_Static_assert(sizeof(limb_link_symbol) == CONSTANTS * sizeof(limb_scalar), "of one type");

// Names and units of a link's constants, in the order of LIMB_LINK_CONST. Offsets of rotations are named as in
// Khalil's table (limb info --mdh): d along x, r along z.
typedef enum constant_kind { TURNS, LENGTH, MASS, FIRST, SECOND, MAP, KINDS } constant_kind;

static const struct {
  const char* name;
  constant_kind kind;
} constants[CONSTANTS] = {{".ca", TURNS},  {".sa", TURNS},  {".d", LENGTH},  {".r", LENGTH},  {".px", LENGTH},
                          {".py", LENGTH}, {".pz", LENGTH}, {".hx", FIRST},  {".hy", FIRST},  {".xx", SECOND},
                          {".xy", SECOND}, {".xz", SECOND}, {".yy", SECOND}, {".yz", SECOND}, {".mult", MAP},
                          {".off", MAP},   {".cg", TURNS},  {".sg", TURNS},  {".ct", TURNS},  {".st", TURNS},
                          {".pitch", MAP}, {".m", MASS},    {".hz", FIRST},  {".zz", SECOND}};

double limb_clean_direction(double x)
{
  if (fabs(x) < LIMB_SQUARE) return 0;
  return fabs(fabs(x) - 1) < LIMB_SQUARE ? copysign(1, x) : x;
}

// Removes rounding around 0, 1 and -1. largest: of the same unit in the same link.
static double clean_number(double x, constant_kind kind, double largest)
{
  if (kind == MAP) return x;
  if (kind == TURNS) return limb_clean_direction(x);
  return fabs(x) < LIMB_SQUARE * largest ? 0 : x;
}

// The constants of a link, cleaned of rounding.
static void link_numbers(const limb_model* m, int i, double* x)
{
  double largest[KINDS] = {0};
  memcpy(x, &m->k64[i], CONSTANTS * sizeof *x);
  for (int c = 0; c < CONSTANTS; c++) largest[constants[c].kind] = fmax(largest[constants[c].kind], fabs(x[c]));
  for (int c = 0; c < CONSTANTS; c++) x[c] = clean_number(x[c], constants[c].kind, largest[constants[c].kind]);
}

static bool stays_symbol(limb_symbols symbols, constant_kind kind)
{
  if (symbols == LIMB_SYMBOLS_NONE) return false;
  return kind == MASS || kind == FIRST || kind == SECOND || (symbols == LIMB_SYMBOLS_ALL && kind == LENGTH);
}

// Adds a parameter, and returns its symbol.
static limb_scalar add_parameter(limb_tracer* t, const char* name, double value)
{
  limb_input* in = &t->program->input[INPUT_PARAMETER];
  in->label[in->count] = name, in->value[in->count] = value;
  const uint32_t symbol = limb_symbol_of(INPUT_PARAMETER, (uint32_t)in->count++);
  return of_edge(t->graph, limb_symbol_edge(t->graph, symbol));
}

// Lengths that follow from others are not parameters.
static bool is_derived_length(const limb_link* link, int constant)
{
  const bool place = strcmp(constants[constant].name, ".px") == 0 || strcmp(constants[constant].name, ".py") == 0 ||
                     strcmp(constants[constant].name, ".pz") == 0;
  return place && link->joint_class < CLASS_ROT_ANY;
}

// "elbow.xx"; with the component if the joint consists of several links, "hook.r2.xx".
static const char* parameter_name(limb_tracer* t, int link, const char* constant)
{
  const limb_joint* joint = &t->m->joint[t->m->link[link].joint];
  const bool several = joint->nq > 1 && t->m->link[link].joint_class < CLASS_BALL;
  const char* which = several ? limb_q_suffix(joint->def.type, t->m->link[link].q - joint->q) : "";
  const char* const parts[] = {joint->def.name, which, constant, NULL};
  return limb_program_text(t->program, parts);
}

static limb_status link_scalars(limb_tracer* t)
{
  const limb_model* m = t->m;
  const size_t max_count = (size_t)m->nlink * CONSTANTS + 1;
  limb_input* in = &t->program->input[INPUT_PARAMETER];
  in->label = limb_program_alloc(t->program, max_count, sizeof *in->label);
  in->value = limb_program_alloc(t->program, max_count, sizeof *in->value);
  t->k = limb_program_alloc(t->program, (size_t)m->nlink + 1, sizeof *t->k);
  if (!in->label || !in->value || !t->k) return LIMB_E_NOMEM;
  for (int i = 0; i < m->nlink; i++) {
    double from[CONSTANTS];
    limb_scalar to[CONSTANTS];
    link_numbers(m, i, from);
    for (int c = 0; c < CONSTANTS; c++) {
      const constant_kind kind = constants[c].kind;
      const double x = from[c];
      to[c] = plain(x);
      if (x == 0 || !stays_symbol(t->options.symbols, kind) || is_derived_length(&m->link[i], c)) continue;
      const char* name = parameter_name(t, i, constants[c].name);
      if (!name) return LIMB_E_NOMEM;
      to[c] = add_parameter(t, name, x);
    }
    memcpy(&t->k[i], to, sizeof to);
    if (t->options.symbols == LIMB_SYMBOLS_ALL && m->link[i].joint_class < CLASS_ROT_ANY)
      limb_position_by_offsets(&t->k[i]);
  }
  return LIMB_OK;
}

// ---- the workspace -------------------------------------------------------------------------------------------------

limb_status limb_trace_open(limb_tracer* t)
{
  t->ws_size = limb_trace_ws_size(t->m);
  t->memory = limb_program_alloc(t->program, t->ws_size, 1);
  t->base = limb_trace_scalars(t, (size_t)t->m->nroot * LIMB_WS_STATE);
  return t->memory && t->base ? describe_inputs(t->program, t->m) : LIMB_E_NOMEM;
}

void limb_trace_close(limb_tracer* t)
{
  if (t->memory) limb_arena_release(t->memory, t->ws_size);
}

// Base frames at rest, accelerated against gravity: a = -R' g.
static void set_base(limb_tracer* t, const limb_scalar* gravity)
{
  for (int r = 0; r < t->m->nroot; r++) {
    const double* R = t->m->base[r].R.m;
    for (int i = 0; i < 3; i++) {
      limb_scalar a = plain(0);
      for (int j = 0; j < 3; j++) a = sub(a, mul(plain(limb_clean_direction(R[3 * j + i])), gravity[j]));
      t->base[r * LIMB_WS_STATE + 6 + i] = a;
    }
  }
}

void limb_trace_clear(limb_tracer* t) { limb_trace_ws_clear(t->m, t->memory, t->ws_size, t->base, &t->ws); }

static limb_status begin(limb_tracer* t)
{
  limb_status s = limb_trace_open(t);
  if (s == LIMB_OK) s = link_scalars(t);
  if (s != LIMB_OK) return s;
  limb_trace_clear(t);
  if (t->options.symbols == LIMB_SYMBOLS_NONE) limb_trace_regroup(t->m, &t->ws, KEEP_ROUND, t->k);
  t->q = limb_trace_input(t, INPUT_Q), t->v = limb_trace_input(t, INPUT_V);
  t->a = limb_trace_input(t, INPUT_A), t->tau = limb_trace_input(t, INPUT_TAU);
  t->x = limb_trace_input(t, INPUT_X);
  const limb_scalar* symbols = limb_trace_input(t, INPUT_GRAVITY);
  if (!t->q || !t->v || !t->a || !t->tau || !t->x || !symbols) return LIMB_E_NOMEM;
  const sp_vec3 g = t->m->gravity;
  const limb_scalar given[3] = {plain(g.x), plain(g.y), plain(g.z)};
  set_base(t, t->options.gravity_argument ? symbols : given);
  return LIMB_OK;
}

// ---- outputs -------------------------------------------------------------------------------------------------------

limb_status limb_trace_too_large(const limb_tracer* t, const limb_function* f)
{
  return limb_fail(t->error, LIMB_E_UNSUPPORTED, f->name,
                   "too large for straight-line code; call the library, or request less");
}

limb_status limb_trace_output(limb_tracer* t, limb_function* f, limb_output shape, const limb_scalar* x)
{
  const size_t n = (size_t)shape.rows * (size_t)shape.columns;
  if (!shape.label && !shape.unlabelled && shape.rows == t->m->nv) shape.label = t->program->input[INPUT_V].label;
  shape.entry = limb_program_alloc(t->program, n + 1, sizeof *shape.entry);
  if (!shape.entry || f->noutput == LIMB_OUTPUTS_MAX) return LIMB_E_NOMEM;
  for (size_t i = 0; i < n; i++) shape.entry[i] = edge_of(t->graph, x[i]);
  f->output[f->noutput++] = shape;
  return limb_graph_full(t->graph) ? LIMB_E_NOMEM : LIMB_OK;
}

const char limb_not_judged[] =
  "Where a matrix to be inverted is singular or nearly so, which is not judged, results have "
  "no digits or are not finite.";

limb_status limb_trace_judge(limb_tracer* t, limb_function* f)
{
  const limb_edge* list;
  const uint32_t n = limb_graph_demands(t->graph, &list);
  limb_graph_forget_demands(t->graph);
  if (n == 0 || f->judged) return LIMB_OK;
  if (t->options.symbols != LIMB_SYMBOLS_NONE) {
    if (!f->note) f->note = limb_not_judged;
    return LIMB_OK;
  }
  limb_output margin = {
    .name = "margin", .meaning = "pivots less their rounding", .rows = (int)n, .columns = 1, .unlabelled = true};
  margin.entry = limb_program_alloc(t->program, n, sizeof *margin.entry);
  if (!margin.entry || f->noutput == LIMB_OUTPUTS_MAX) return LIMB_E_NOMEM;
  memcpy(margin.entry, list, n * sizeof *list);
  f->output[f->noutput] = margin;
  f->judged = 1;
  return LIMB_OK;
}

// ---- the list of quantities ----------------------------------------------------------------------------------------

static const char* name_at(const void* context, int i)
{
  (void)context;
  return limb_codegen_quantity_name(i);
}

static limb_status unknown(const char* word, limb_error* error)
{
  const char* name;
  if (limb_is_all(word)) return limb_fail(error, LIMB_E_ARG, "what", "'all' means all quantities, and stands alone");
  int count = 0;
  while (limb_codegen_quantity_name(count)) count++;
  const char* near = limb_nearest_quantity(word); // knows the words of other libraries
  if (!near || !limb_find_generated(near, ROBOTS_ALL, &name)) near = limb_nearest(word, count, name_at, NULL);
  if (near && limb_find_generated(near, ROBOTS_ALL, &name))
    return limb_fail(error, LIMB_E_ARG, "what", "no quantity is called '%s'; did you mean '%s'?", word, near);
  return limb_fail(error, LIMB_E_ARG, "what", "no quantity is called '%s'; `limb codegen --list` lists them", word);
}

// A quantity of other robots: which name to use instead.
static limb_status other_robots(const limb_tracer* t, const limb_generated* x, const char* name)
{
  char reduced[40];
  const char* found;
  if (x->robots != ROBOTS_TREES)
    return limb_fail(t->error, LIMB_E_UNSUPPORTED, name, "the robot has no loops: it is a tree of joints");
  if (name == x->name)
    return limb_fail(t->error, LIMB_E_UNSUPPORTED, name, "the robot has no loops; use '%s'", strchr(name, '_') + 1);
  (void)snprintf(reduced, sizeof reduced, "reduced_%s", name);
  const bool both = limb_find_generated(reduced, ROBOTS_LOOPS, &found) != NULL;
  return limb_fail(t->error, LIMB_E_UNSUPPORTED, name,
                   "not available with loops closed; use '%s' for the spanning tree%s%s%s", x->name, both ? ", '" : "",
                   both ? reduced : "", both ? "' for the independent coordinates" : "");
}

static limb_status trace_quantity(limb_tracer* t, const limb_generated* x, const char* name)
{
  limb_program* p = t->program;
  limb_function* f = &p->function[p->nfunction++];
  char* meaning = limb_program_alloc(p, strlen(limb_generated_meaning(x)) + 1, 1);
  if (!meaning) return LIMB_E_NOMEM;
  memcpy(meaning, limb_generated_meaning(x), strcspn(limb_generated_meaning(x), ";")); // in short
  *f = (limb_function){.kind = x, .name = name, .meaning = meaning};
  limb_trace_clear(t);
  limb_graph_forget_demands(t->graph);
  limb_status s = x->trace(t, f);
  if (s == LIMB_OK) s = limb_trace_judge(t, f);
  const bool at_limit = limb_graph_count(t->graph) >= LIMB_GRAPH_MAX;
  if (s == LIMB_E_NOMEM && limb_graph_full(t->graph) && at_limit) s = limb_trace_too_large(t, f);
  if (s == LIMB_OK && limb_graph_singular(t->graph))
    s = limb_fail(t->error, LIMB_E_UNSUPPORTED, name,
                  "it divides by zero in every state: there is no closed form to write");
  if (s != LIMB_OK && t->error && strcmp(t->error->where, t->m->name) == 0) // name the quantity instead
    (void)snprintf(t->error->where, sizeof t->error->where, "%s", name);
  if (!f->note && x->robots == ROBOTS_LOOPS) {
    const bool moves = f->inputs >> INPUT_V & 1U;
    f->note = moves ? "q must close the loops, and velocities must satisfy them." : "q must close the loops.";
  }
  return s;
}

static unsigned robots_of(const limb_model* m) { return m->nloop > 0 ? ROBOTS_LOOPS : ROBOTS_TREES; }

static limb_status trace_word(limb_tracer* t, const char* word)
{
  const char* name;
  const limb_generated* x = limb_find_generated(word, robots_of(t->m), &name);
  const bool there = x != NULL;
  if (!there) x = limb_find_generated(word, ROBOTS_ALL, &name);
  if (!x) return unknown(word, t->error);
  for (int i = 0; i < t->program->nfunction; i++) {
    if (strcmp(t->program->function[i].name, name) != 0) continue;
    return limb_fail(t->error, LIMB_E_ARG, "what", "'%s' is named twice", word);
  }
  return there ? trace_quantity(t, x, name) : other_robots(t, x, name);
}

// Traces every quantity that the robot has, and removes what failed ones have recorded.
static limb_status trace_all(limb_tracer* t)
{
  limb_error* const error = t->error;
  const limb_generated* x;
  const char* name;
  unsigned robots;
  t->error = NULL; // a missing quantity is not an error here
  limb_status s = LIMB_OK;
  for (int k = 0; (x = limb_generated_at(k, &name, &robots)) && s != LIMB_E_NOMEM; k++) {
    const uint32_t before = limb_graph_count(t->graph);
    if (!(robots & robots_of(t->m))) continue;
    s = trace_quantity(t, x, name);
    if (s == LIMB_OK || s == LIMB_E_NOMEM) continue;
    t->program->nfunction--;
    limb_graph_shrink(t->graph, before);
  }
  t->error = error;
  return s == LIMB_E_NOMEM ? s : LIMB_OK;
}

static limb_status trace_list(limb_tracer* t, const char* what)
{
  const bool all = limb_is_all(what);
  size_t words = 1;
  for (const char* c = what; *c; c++) words += *c == ',';
  const char* name;
  unsigned robots;
  for (int k = 0; all && limb_generated_at(k, &name, &robots); k++) words++;
  t->program->function = limb_program_alloc(t->program, words + LIMB_HELPERS, sizeof *t->program->function);
  if (!t->program->function) return LIMB_E_NOMEM;
  if (all) return trace_all(t);
  limb_status s = LIMB_OK;
  while (what && s == LIMB_OK) {
    char word[64];
    what = limb_next_word(what, word, sizeof word);
    s = trace_word(t, word);
  }
  return s;
}

// ---- options -------------------------------------------------------------------------------------------------------

// The last body that carries no other.
static int last_leaf(const limb_model* m)
{
  for (int b = m->nbody - 1; b > 0; b--) {
    bool carries = false;
    for (int c = 1; c < m->nbody; c++) carries = carries || m->body[c].parent == b;
    if (!carries) return b;
  }
  return 0;
}

int limb_trace_frame(const limb_model* m, const char* name) { return name ? limb_find_frame(m, name) : last_leaf(m); }

static limb_status find_frame(limb_tracer* t)
{
  const char* name = t->options.frame;
  t->frame = limb_trace_frame(t->m, name);
  if (t->frame >= 0) return LIMB_OK;
  return limb_fail(t->error, LIMB_E_ARG, "frame", "the robot has no frame '%s'", name);
}

limb_status limb_trace(const limb_model* m, const limb_codegen_options* options, const limb_allocator* alloc,
                       limb_program** out, limb_error* error)
{
  *out = NULL;
  limb_tracer t = {.m = m, .options = *options, .error = error};
  t.terms = (limb_terms){.rotors = true, .friction = options->friction != 0, .springs = true};
  t.terms.width = options->coulomb_width;
  t.program = limb_program_create(alloc);
  if (!t.program) return limb_fail(error, LIMB_E_NOMEM, NULL, "out of memory");
  t.graph = t.program->graph;
  t.program->robot = m->name;
  limb_status s = m->nv > 0 ? find_frame(&t)
                            : limb_fail(error, LIMB_E_UNSUPPORTED, NULL,
                                        "the robot has no joint that moves: there is nothing to compute");
  if (s == LIMB_OK) s = begin(&t);
  if (s == LIMB_OK) s = trace_list(&t, options->what);
  if (s == LIMB_E_NOMEM) limb_fail(error, s, NULL, "out of memory");
  limb_trace_close(&t);
  if (s == LIMB_OK) {
    *out = t.program;
  } else {
    limb_program_free(t.program);
  }
  return s;
}
