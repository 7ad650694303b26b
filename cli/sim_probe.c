// Numbers of a simulated state by their names: what a name stands for, and what it is at a state.
#include "sim_probe.h"
#include "cli.h"
#include "closure.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void sim_probe_begin(sim_probe* p, const cli_args* args, const cli_robot* robot, cli_dofs* dofs, unsigned known)
{
  *p = (sim_probe){.robot = *robot, .dofs = dofs, .known = known};
  p->run = (eval_run){.robot = &p->robot, .states = &p->states, .dofs = dofs, .frame = -1};
  p->run.task.directions = LIMB_TWIST;
  p->run.task_options = limb_default_task_options();
  p->sheet = (eval_sheet){.args = args, .run = &p->run};
  cli_states_none(&p->states, args, robot, dofs);
  p->states.has_time = 1;
  p->states.path = "channels";
}

void sim_probe_free(sim_probe* p)
{
  if (!p->dofs) return; // it was never begun
  eval_free(&p->sheet);
  if (p->run.loops) limb_loops_destroy(p->run.loops);
  free(p->states.given.mark);
  free(p->states.given.column);
  free(p->states.given.x);
  free(p->states.base.mark);
  free(p->states.base.column);
  free(p->states.base.x);
  free(p->pick);
  cli_text_free(&p->words);
  *p = (sim_probe){0};
}

// ---- names -----------------------------------------------------------------------------------------------

// The simulation's own quantities come first.
static const eval_quantity* quantity_of(const char* name, size_t length)
{
  for (const eval_quantity* e = sim_quantities; e->name; e++)
    if (strlen(e->name) == length && strncmp(e->name, name, length) == 0) return e;
  for (int k = 0; eval_get(k); k++) {
    const char* known = eval_get(k)->name;
    if (strlen(known) == length && strncmp(known, name, length) == 0) return eval_get(k);
  }
  return NULL;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static int
refuse(sim_probe* p, const char* format, ...)
{
  va_list list;
  va_start(list, format);
  (void)vsnprintf(p->because, sizeof p->because, format, list);
  va_end(list);
  return 0;
}

// 1, or 0 when the quantity cannot be told here.
static int is_known(sim_probe* p, const eval_quantity* e)
{
  const unsigned all = STATES_Q | STATES_V | STATES_A | STATES_TAU;
  unsigned needs = e->needs;
  if (needs & (STATES_GIVEN | STATES_BASE)) needs |= STATES_A | STATES_TAU;
  if (needs & all & ~p->known)
    return refuse(p,
                  "'%s' follows from the forces, and is not known while they are computed: formulas "
                  "of inputs are of time, q, v and what follows from them",
                  e->name);
  if (e->of & OF_LOOPS && limb_loop_count(p->robot.model) == 0)
    return refuse(p, "'%s' is of robots with loops, and this one has none", e->name);
  if (e->of & OF_STEP && p->run.dt == 0)
    return refuse(p, "'%s' is of samples: it is a channel, and no name in formulas", e->name);
  return 1;
}

// The longest name of a frame that the text begins with; -1: none.
static int frame_of(const limb_model* m, const char* text, size_t* length)
{
  int found = -1;
  *length = 0;
  for (int i = 0; i < limb_frame_count(m); i++) {
    limb_frame_info info;
    if (limb_get_frame(m, i, &info) != LIMB_OK) continue;
    const size_t n = strlen(info.name);
    if (strncmp(info.name, text, n) != 0 || (text[n] != '\0' && text[n] != '.')) continue;
    if (found < 0 || n > *length) found = i, *length = n;
  }
  return found;
}

// The block of a quantity, at a frame, in a reference: the one that is there, or a new one; -1: no room.
static int block_of(sim_probe* p, const eval_quantity* e, int frame, limb_ref ref)
{
  eval_sheet* s = &p->sheet;
  for (int i = 0; i < s->count; i++)
    if (s->quantity[i] == e && p->frame[i] == frame && p->ref[i] == ref) return i;
  if (s->count == EVAL_MOST || p->ready) return -1;
  s->quantity[s->count] = e;
  p->frame[s->count] = frame;
  p->ref[s->count] = ref;
  return s->count++;
}

typedef struct sim_word {
  const eval_quantity* e;
  int block;
  const char* entry; // what follows; "": all
} sim_word;

static int read_ref(sim_probe* p, const char** at, limb_ref* ref)
{
  static const limb_ref refs[] = {LIMB_BODY, LIMB_WORLD, LIMB_ALIGNED};
  *ref = LIMB_ALIGNED;
  if (**at != '@') return 1;
  const size_t n = strcspn(++*at, ".");
  for (int k = 0; k < 3; k++) {
    const char* name = eval_ref_name(refs[k]);
    if (strlen(name) != n || strncmp(name, *at, n) != 0) continue;
    *ref = refs[k], *at += n;
    return 1;
  }
  return refuse(p, "'@%.*s' is none of @body, @world and @aligned", (int)n, *at);
}

// "tool.vx" behind the name of a quantity of a frame.
static int read_frame(sim_probe* p, const eval_quantity* e, const char** at, int* frame)
{
  const limb_model* m = p->robot.model;
  size_t length = 0;
  if (**at != '.') return refuse(p, "'%s' is of a frame: name it, as in %s.<frame>", e->name, e->name);
  *frame = frame_of(m, ++*at, &length);
  *at += length;
  if (*frame >= 0) return 1;
  char wrong[64];
  (void)snprintf(wrong, sizeof wrong, "%.*s", (int)strcspn(*at, "."), *at);
  const char* near = cli_nearest_frame(m, wrong);
  return refuse(p, "the model has no frame '%s'%s%s%s", wrong, near ? "; did you mean '" : "", near ? near : "",
                near ? "'?" : "");
}

// Takes a name apart. 1, or 0 after p->because was written.
static int read_word(sim_probe* p, const char* name, sim_word* w)
{
  const size_t length = strcspn(name, ".@");
  const char* at = name + length;
  limb_ref ref = LIMB_ALIGNED;
  int frame = -1;
  *p->because = '\0';
  w->e = quantity_of(name, length);
  if (!w->e) {
    char wrong[64];
    (void)snprintf(wrong, sizeof wrong, "%.*s", (int)length, name);
    const char* near = eval_nearest(wrong);
    return refuse(p, "there is no quantity '%s'%s%s%s", wrong, near ? "; did you mean '" : "", near ? near : "",
                  near ? "'?" : "; limb eval --list names them");
  }
  if (!is_known(p, w->e)) return 0;
  if (*at == '@' && !(w->e->of & OF_REF)) return refuse(p, "'%s' is the same in all references", w->e->name);
  if (!read_ref(p, &at, &ref)) return 0;
  if (w->e->of & OF_FRAME && !read_frame(p, w->e, &at, &frame)) return 0;
  w->block = block_of(p, w->e, frame, ref);
  if (w->block < 0) return refuse(p, "too many different quantities: %d at most", EVAL_MOST);
  w->entry = *at == '.' ? at + 1 : at;
  return 1;
}

// ---- picking ---------------------------------------------------------------------------------------------

static int pick(sim_probe* p, int block, size_t offset)
{
  if (p->count >= SIM_PICKS_MOST) return 0;
  if (p->count == p->room) {
    const int room = p->room ? 2 * p->room : 64;
    sim_pick* more = realloc(p->pick, (size_t)room * sizeof *more);
    if (!more) return 0;
    p->pick = more;
    p->room = room;
  }
  p->pick[p->count++] = (sim_pick){block, offset};
  return 1;
}

// Rows of closures are forces: lambda.<loop>.fx is another name for .move_x, mx for turn_x.
static void spell_row(const char* entry, char* text, size_t size)
{
  const size_t n = strlen(entry);
  const char* end = n > 3 ? entry + n - 3 : "";
  const int force = strncmp(end, ".f", 2) == 0, moment = strncmp(end, ".m", 2) == 0;
  if ((force || moment) && strchr("xyz", end[2]))
    (void)snprintf(text, size, "%.*s.%s_%c", (int)(n - 3), entry, force ? "move" : "turn", end[2]);
  else
    (void)snprintf(text, size, "%s", entry);
}

// Names behind that of the quantity.
static void entry_name(const sim_probe* p, const eval_quantity* e, const size_t* index, char* text, size_t size)
{
  const int rank = eval_rank(e);
  const size_t own = strlen(e->name);
  char name[SIM_NAME_SPACE];
  eval_name(e, &p->run, rank, index, name, sizeof name);
  (void)snprintf(text, size, "%s", rank > 0 ? name + own + 1 : "");
}

// All entries that are, or begin with, these words. How many; -1: no memory.
static int pick_entries(sim_probe* p, const sim_word* w)
{
  size_t index[EVAL_AXES] = {0}, offset = 0;
  char wanted[SIM_NAME_SPACE], name[SIM_NAME_SPACE];
  const int rank = eval_rank(w->e), before = p->count;
  if (eval_size(w->e, &p->run) == 0) return 0;
  if (w->e->axes[0] == AXIS_ROW && rank == 1)
    spell_row(w->entry, wanted, sizeof wanted);
  else
    (void)snprintf(wanted, sizeof wanted, "%s", w->entry);
  const size_t n = strlen(wanted);
  do {
    int fits = n == 0;
    if (!fits) {
      entry_name(p, w->e, index, name, sizeof name);
      fits = strncmp(name, wanted, n) == 0 && (name[n] == '\0' || name[n] == '.');
    }
    if (fits && !pick(p, w->block, offset)) return -1;
    offset++;
  } while (eval_advance(w->e, &p->run, rank, index));
  return p->count - before;
}

static int no_entry(sim_probe* p, const sim_word* w, const char* name)
{
  size_t index[EVAL_AXES] = {0};
  char first[SIM_NAME_SPACE];
  if (eval_size(w->e, &p->run) == 0) return refuse(p, "'%s' has no entries for this robot", w->e->name);
  if (eval_rank(w->e) == 0) return refuse(p, "'%s' is one number, without entries", w->e->name);
  entry_name(p, w->e, index, first, sizeof first);
  return refuse(p, "there is no '%s'; the first entry of %s is '%.60s'", name, w->e->name, first);
}

int sim_probe_add(sim_probe* p, const char* name)
{
  sim_word w = {.block = -1, .entry = ""};
  p->missing = 0;
  if (!read_word(p, name, &w)) return 0;
  if (eval_name_axes(&p->sheet, w.e->of) != EXIT_FINE) return refuse(p, "'%s' cannot be told of this robot", w.e->name);
  const int n = pick_entries(p, &w);
  p->missing = n == 0;
  return n != 0 ? n : no_entry(p, &w, name);
}

int sim_probe_find(void* probe, const char* name)
{
  sim_probe* p = probe;
  const int before = p->count;
  const char* other = strcmp(name, "t") == 0 ? "time" : strcmp(name, "energy") == 0 ? "total_energy" : name;
  const int n = sim_probe_add(p, other);
  if (n == 1) return before;
  p->count = before;
  // An entry that a quantity has not: the formula knows which one was meant.
  if (p->missing) *p->because = '\0';
  if (n > 1) (void)refuse(p, "'%s' stands for %d numbers: name one of them", name, n);
  return -1;
}

// What is suggested in place of a wrong name: coordinates, velocities and what else is known of joints. The
// texts must stay while one of them is chosen.
static void make_names(sim_probe* p)
{
  static const char* const words[] = {"time", "energy", "energy.kinetic", "energy.potential"};
  static const char* const groups[] = {"q.", "v.", "a.", "tau."};
  const cli_dofs* d = p->dofs;
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    cli_text_add(&p->words, words[k]);
    cli_text_add(&p->words, "\n");
  }
  for (int g = 0; g < 4; g++) {
    const int n = !(p->known & 1U << g) ? 0 : g == 0 ? d->nq : d->nv;
    for (int k = 0; k < n; k++) {
      cli_text_add(&p->words, groups[g]);
      cli_text_add(&p->words, (g == 0 ? d->q : d->v)[k].name);
      cli_text_add(&p->words, "\n");
    }
  }
  for (size_t k = 0; k < p->words.size; k++)
    if (p->words.bytes[k] == '\n') p->words.bytes[k] = '\0';
}

// They are asked for one after the other.
static const char* suggest(void* probe, int i)
{
  sim_probe* p = probe;
  if (p->words.size == 0) make_names(p);
  if (p->words.failed) return NULL;
  if (i == 0) p->word = 0, p->word_at = 0;
  for (; p->word < i && p->word_at < p->words.size; p->word++) p->word_at += strlen(p->words.bytes + p->word_at) + 1;
  return p->word == i && p->word_at < p->words.size ? p->words.bytes + p->word_at : NULL;
}

limb_formula_names sim_probe_names(sim_probe* p) { return (limb_formula_names){sim_probe_find, suggest, p}; }

void sim_probe_name(const sim_probe* p, int k, char* text, size_t size)
{
  const sim_pick at = p->pick[k];
  const eval_quantity* e = p->sheet.quantity[at.of];
  size_t index[EVAL_AXES] = {0}, rest = at.offset;
  char entry[SIM_NAME_SPACE];
  limb_frame_info info = {.name = ""};
  for (int axis = eval_rank(e) - 1; axis >= 0; axis--) {
    const size_t n = eval_length(e, &p->run, axis);
    index[axis] = rest % n;
    rest /= n;
  }
  entry_name(p, e, index, entry, sizeof entry);
  const int framed = p->frame[at.of] >= 0;
  if (framed && limb_get_frame(p->robot.model, p->frame[at.of], &info) != LIMB_OK) info.name = "?";
  const int ref = p->ref[at.of] != LIMB_ALIGNED;
  (void)snprintf(text, size, "%s%s%s%s%s%s%s", e->name, ref ? "@" : "", ref ? eval_ref_name(p->ref[at.of]) : "",
                 framed ? "." : "", info.name, *entry ? "." : "", entry);
}

const char* sim_probe_unit(const sim_probe* p, int k)
{
  const sim_pick at = p->pick[k];
  const eval_quantity* e = p->sheet.quantity[at.of];
  if (e->unit) return e->unit;
  const cli_dofs* d = p->dofs;
  if (e->axes[0] == AXIS_Q && e->axes[1] == AXIS_NONE) {
    const cli_dof* dof = &d->q[at.offset];
    limb_joint_info x;
    const int turns = limb_get_joint(p->robot.model, dof->joint, &x) == LIMB_OK && x.nq == x.nv;
    return dof->linear ? "m" : turns ? "rad" : ""; // components of a quaternion have none
  }
  if (e->axes[0] != AXIS_DOF || e->axes[1] != AXIS_NONE) return "";
  const cli_dof* dof = &d->v[at.offset];
  if (strcmp(e->name, "v") == 0) return cli_speed_unit(dof);
  if (strcmp(e->name, "a") == 0 || strcmp(e->name, "acc") == 0) return dof->linear ? "m/s^2" : "rad/s^2";
  return cli_force_unit(dof);
}

int sim_probe_needs_dynamics(const sim_probe* p)
{
  const unsigned all = STATES_A | STATES_TAU | STATES_GIVEN | STATES_BASE;
  for (int i = 0; i < p->sheet.count; i++)
    if (p->sheet.quantity[i]->needs & all) return 1;
  return 0;
}
