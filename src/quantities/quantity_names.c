// Names of quantities: the registry by name, the grammar, what a wrong name was perhaps meant to be.
#include "base/names.h"
#include "base/status.h"
#include "quantities/evaluator_impl.h"

#include <stdio.h>
#include <string.h>

// ---- the registry ---------------------------------------------------------------------------------------

static int rows_of(const limb_quantity_row* table)
{
  int n = 0;
  while (table[n].about.name) n++;
  return n;
}

const limb_quantity_row* limb_quantity_row_at(int k)
{
  const int first = rows_of(limb_quantity_rows);
  const limb_quantity_row* r = k < first ? &limb_quantity_rows[k] : &limb_quantity_rows_of_bodies[k - first];
  return r->about.name ? r : NULL;
}

int limb_quantity_count(void) { return rows_of(limb_quantity_rows) + rows_of(limb_quantity_rows_of_bodies); }

const limb_quantity_info* limb_get_quantity(int index)
{
  return index >= 0 && index < limb_quantity_count() ? &limb_quantity_row_at(index)->about : NULL;
}

static const limb_quantity_row* find(const char* name, size_t length)
{
  const limb_quantity_row* r;
  for (int k = 0; (r = limb_quantity_row_at(k)) != NULL; k++)
    if (strlen(r->about.name) == length && strncmp(r->about.name, name, length) == 0) return r;
  return NULL;
}

const limb_quantity_info* limb_find_quantity(const char* name)
{
  if (!name) return NULL;
  const limb_quantity_alias* alias = limb_find_alias(name, strlen(name));
  const char* text = alias ? alias->stands_for : name;
  const limb_quantity_row* r = find(text, strcspn(text, "@"));
  return r ? &r->about : NULL;
}

// ---- did you mean ---------------------------------------------------------------------------------------

typedef struct pair {
  const char *word, *name;
} pair;

// Words of books and of other libraries.
static const pair other[] = {
  {"torque", "tau"},
  {"torques", "tau"},
  {"id", "tau"},
  {"rnea", "tau"},
  {"inverse_dynamics", "tau"},
  {"closed_tau", "tau"},
  {"tau_closed", "tau"},
  {"tau_active", "tau"},
  {"qdd", "acc"},
  {"fd", "acc"},
  {"aba", "acc"},
  {"forward_dynamics", "acc"},
  {"acc_closed", "acc"},
  {"closed_acc", "acc"},
  {"mass", "M"},
  {"inertia", "M"},
  {"mass_matrix", "M"},
  {"closed_M", "reduced_M"},
  {"inverse", "Minv"},
  {"bias", "h"},
  {"closed_h", "reduced_h"},
  {"gravity", "g"},
  {"coriolis", "C"},
  {"q_closed", "q"},
  {"jacobian", "J"},
  {"frame", "pose"},
  {"transform", "pose"},
  {"kinetic", "energy"},
  {"potential", "energy"},
  {"loads", "reactions"},
  {"joint_loads", "reactions"},
  {"wrenches", "reactions"},
  {"regressor", "Y"},
  {"parameters", "theta"},
  {"mass_rate", "Mdot"},
  {"riemann", "curvature"},
  {"sectional", "sectional_curvature"},
  {"A_c", "reduced_M"},
  {"H_c", "reduced_h"},
  {"lagrangian", "L"},
  {"generalized_momentum", "dT_dv"},
  {"generalised_momentum", "dT_dv"},
  {"kinetic_energy", "T"},
  {"potential_energy", "U"},
  {"velocities", "body_velocity"},
  {"accelerations", "body_acceleration"},
  {"jacobians", "body_J"},
  {"poses", "body_pose"},
  {"articulated", "articulated_inertia"},
  {"impulses", "impulse"},
  {"hessian", "d2tau"},
  {"projector", "N"},
  {"dtau", "dtau_dq"},
  {"dacc", "dacc_dq"},
  {"did_dq", "dtau_dq"},
  {"dfd_dq", "dacc_dq"},
  {"dqdd_dq", "dacc_dq"},
  {"ddq_dq", "dacc_dq"},
  {"ddq_dv", "dacc_dv"},
  {"ddq_dtau", "dacc_dtau"},
  {"closed_dacc_dq", "dacc_dq"},
  {"dclosed_acc_dq", "dacc_dq"},
  {"dacc_closed_dq", "dacc_dq"},
  {"dacc_closed_dv", "dacc_dv"},
  {"dacc_closed_dtau", "dacc_dtau"},
  {"base_acceleration", "base_acc"},
  {"constraint_jacobian", "Psi"},
  {"constraints", "Psi"},
  {"multipliers", "lambda"},
  {"closure", "loop_residual"},
  {"gruebler", "mobility"},
};

enum { OTHER = sizeof other / sizeof *other };

static const char* name_of(const void* context, int i)
{
  (void)context;
  return limb_quantity_row_at(i)->about.name;
}

static const char* word_of(const void* context, int i)
{
  (void)context;
  return other[i].word;
}

static char fold(char c)
{
  if (c >= 'A' && c <= 'Z') return (char)(c - 'A' + 'a');
  return c;
}

static const char* meant(const char* word)
{
  for (int k = 0; word && k < OTHER; k++)
    if (strcmp(other[k].word, word) == 0) return other[k].name;
  return NULL;
}

// The same letters, whatever their case: m is M.
static const char* same_letters(const char* wrong)
{
  const limb_quantity_row* r;
  for (int i = 0; (r = limb_quantity_row_at(i)) != NULL; i++) {
    size_t k = 0;
    while (wrong[k] && fold(wrong[k]) == fold(r->about.name[k])) k++;
    if (!wrong[k] && !r->about.name[k]) return r->about.name;
  }
  return NULL;
}

const char* limb_nearest_quantity(const char* wrong)
{
  if (!wrong) return NULL;
  const char* name = meant(wrong);
  if (!name) name = same_letters(wrong);
  if (!name && strlen(wrong) > 1) name = limb_nearest(wrong, limb_quantity_count(), name_of, NULL);
  return name || strlen(wrong) < 3 ? name : meant(limb_nearest(wrong, OTHER, word_of, NULL));
}

// ---- the grammar ----------------------------------------------------------------------------------------

enum { WORD = 80 };

static void cut(const char* from, size_t length, char text[WORD])
{
  (void)snprintf(text, WORD, "%.*s", (int)(length < WORD - 1 ? length : WORD - 1), from);
}

static limb_status no_quantity(const char* name, size_t length, limb_error* err)
{
  char wrong[WORD];
  cut(name, length, wrong);
  const char* near = limb_nearest_quantity(wrong);
  return limb_fail(err, LIMB_E_ARG, wrong, "there is no quantity '%s'%s%s%s", wrong, near ? "; did you mean '" : "",
                   near ? near : "", near ? "'?" : "");
}

// "@body" at *at; *at is moved behind it.
static limb_status read_ref(const char** at, limb_parsed_name* out, limb_error* err)
{
  static const limb_ref refs[] = {LIMB_BODY, LIMB_WORLD, LIMB_ALIGNED};
  char wrong[WORD];
  if (**at != '@') return LIMB_OK;
  const size_t n = strcspn(++*at, ".@");
  for (size_t k = 0; k < sizeof refs / sizeof *refs; k++) {
    const char* name = limb_ref_text(refs[k]);
    if (strlen(name) != n || strncmp(name, *at, n) != 0) continue;
    out->ref = refs[k], out->ref_given = 1;
    *at += n;
    return LIMB_OK;
  }
  cut(*at, n, wrong);
  return limb_fail(err, LIMB_E_ARG, wrong, "'@%s' is none of @body, @world and @aligned", wrong);
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

// A name that no frame has may be a label when the evaluator has a frame of its own.
static limb_status read_frame(const limb_evaluator* e, const char** at, limb_parsed_name* out, limb_error* err)
{
  const limb_quantity_info* q = &out->row->about;
  size_t length = 0;
  char wrong[WORD];
  const int found = **at == '.' ? frame_of(e->model, *at + 1, &length) : -1;
  out->frame = found >= 0 ? found : e->options.frame;
  if (found >= 0) *at += length + 1;
  if (out->frame >= 0) return LIMB_OK;
  if (**at != '.')
    return limb_fail(err, LIMB_E_ARG, q->name, "'%s' is of a frame: name it, as in %s.<frame>", q->name, q->name);
  cut(*at + 1, strcspn(*at + 1, "."), wrong);
  char hint[LIMB_FRAME_HINT];
  return limb_fail(err, LIMB_E_ARG, wrong, "the model has no frame '%s'%s", wrong,
                   limb_frame_hint(e->model, wrong, hint));
}

limb_status limb_parse_name(const limb_evaluator* e, const char* name, limb_parsed_name* out, limb_error* err)
{
  const size_t length = strcspn(name, ".@");
  const char* at = name + length;
  *out = (limb_parsed_name){.frame = -1, .ref = e->options.ref};
  out->alias = limb_find_alias(name, length);
  const char* head = out->alias ? out->alias->stands_for : name;
  const size_t own = out->alias ? strcspn(head, "@") : length;
  out->row = find(head, own);
  if (!out->row) return no_quantity(name, length, err);
  const limb_quantity_info* q = &out->row->about;
  if (*at == '@' && (!(q->needs & LIMB_NEEDS_REFERENCE) || (out->alias && head[own] == '@')))
    return limb_fail(err, LIMB_E_ARG, q->name, "'%.*s' has no reference: it is the same in all of them", (int)length,
                     name);
  limb_status s = LIMB_OK;
  if (out->alias && head[own] == '@') {
    const char* ref = head + own;
    s = read_ref(&ref, out, err);
  }
  if (s == LIMB_OK) s = read_ref(&at, out, err);
  if (s == LIMB_OK && q->needs & LIMB_NEEDS_FRAME) s = read_frame(e, &at, out, err);
  out->labels = *at == '.' ? at + 1 : at;
  if (s == LIMB_OK && *at == '.' && !at[1])
    return limb_fail(err, LIMB_E_ARG, q->name, "'%.80s' ends with a dot: a label is missing", name);
  return s;
}

// ---- what robots and states have ------------------------------------------------------------------------

static limb_status lacks(const limb_quantity_info* q, const char* what, limb_error* err)
{
  return limb_fail(err, LIMB_E_ORDER, q->name, "'%s' needs %s, which is not known here", q->name, what);
}

static limb_status check_known(const limb_evaluator* e, const limb_quantity_info* q, limb_error* err)
{
  static const struct {
    unsigned bit;
    const char* name;
  } input[] = {{LIMB_NEEDS_Q, "q"},           {LIMB_NEEDS_V, "v"},     {LIMB_NEEDS_A, "a"},    {LIMB_NEEDS_TAU, "tau"},
               {LIMB_NEEDS_TIME, "the time"}, {LIMB_NEEDS_V_R, "v_r"}, {LIMB_NEEDS_A_R, "a_r"}};
  unsigned needs = q->needs;
  if (e->options.tau_is_given && strcmp(q->name, "tau") == 0) needs = LIMB_NEEDS_TAU;
  for (size_t k = 0; k < sizeof input / sizeof *input; k++)
    if (needs & ~e->options.known & input[k].bit) return lacks(q, input[k].name, err);
  const unsigned either = LIMB_NEEDS_A_OR_TAU | LIMB_NEEDS_GIVEN | LIMB_NEEDS_BASE;
  if (needs & either && !(e->options.known & (LIMB_NEEDS_A | LIMB_NEEDS_TAU))) return lacks(q, "a or tau", err);
  if (needs & LIMB_NEEDS_DT && !(e->options.dt > 0)) return lacks(q, "the time between samples, dt", err);
  return LIMB_OK;
}

limb_status limb_allows(const limb_evaluator* e, const limb_quantity_row* row, int frame, limb_error* err)
{
  const limb_quantity_info* q = &row->about;
  const char* robot = limb_model_name(e->model);
  const int trees =
    q->robots == LIMB_ROBOTS_TREES || q->robots == LIMB_ROBOTS_MOVING_BASE || q->robots == LIMB_ROBOTS_ELASTIC;
  if (e->closed && trees)
    return limb_fail(err, LIMB_E_UNSUPPORTED, q->name,
                     "'%s' is not defined with the loops of '%s' closed, but for its spanning tree", q->name, robot);
  if (!e->closed && q->robots == LIMB_ROBOTS_LOOPS)
    return limb_fail(err, LIMB_E_UNSUPPORTED, q->name, "'%s' is of robots with loops, and '%s' has none%s", q->name,
                     robot, e->options.tree ? " as a spanning tree" : ": it is a tree of joints");
  if (q->robots == LIMB_ROBOTS_MOVING_BASE && e->nbase == 0)
    return limb_fail(err, LIMB_E_UNSUPPORTED, q->name,
                     "'%s' is of a moving base, and '%s' has none: every joint on the world has a motor", q->name,
                     robot);
  if (q->needs & LIMB_NEEDS_FRAME && frame < 0)
    return limb_fail(err, LIMB_E_ARG, q->name, "'%s' is of a frame: name it, as in %s.<frame>", q->name, q->name);
  return check_known(e, q, err);
}

// ---- labels ---------------------------------------------------------------------------------------------

// Labels of pose and of constraints that were called otherwise: px, qw, Rxx; fx and mx of a closure.
static void spell(const limb_quantity_info* q, int axis, const char* text, char* out, size_t size)
{
  const size_t n = strlen(text);
  const char* dot = strrchr(text, '.');
  (void)snprintf(out, size, "%s", text);
  if (q->axis[axis] == LIMB_AXIS_POSE && (n == 2 || n == 3) && strchr("pqR", text[0]) && strchr("xyzw", text[1]))
    (void)snprintf(out, size, "%s.%s",
                   text[0] == 'p'   ? "position"
                   : text[0] == 'q' ? "quaternion"
                                    : "rotation",
                   text + 1);
  if (q->axis[axis] == LIMB_AXIS_CONSTRAINT && dot && strlen(dot) == 3 && strchr("fm", dot[1]) && strchr("xyz", dot[2]))
    (void)snprintf(out, size, "%.*s.%s_%c", (int)(dot - text), text, dot[1] == 'f' ? "move" : "turn", dot[2]);
}

// The label that the text begins with, the longest of them; or those that begin with all of the text and a dot.
static size_t match(const limb_evaluator* e, const limb_quantity_info* q, int axis, const char* text, size_t* first,
                    size_t* length)
{
  const size_t n = limb_axis_count(e, q, axis), all = strlen(text);
  size_t count = 0;
  *length = 0;
  for (size_t k = 0; k < n; k++) {
    const char* label = limb_axis_label(e, q, axis, k);
    const size_t own = strlen(label);
    if (own <= all && strncmp(label, text, own) == 0 && (text[own] == '\0' || text[own] == '.') && own > *length)
      *first = k, *length = own, count = 1;
  }
  for (size_t k = 0; k < n && count == 0; k++) {
    size_t run = 0;
    while (k + run < n) {
      const char* label = limb_axis_label(e, q, axis, k + run);
      if (strncmp(label, text, all) != 0 || label[all] != '.') break;
      run++;
    }
    if (run > 0) *first = k, *length = all, count = run;
  }
  return count;
}

static limb_status no_label(const limb_evaluator* e, const limb_quantity_info* q, int axis, const char* text,
                            limb_error* err)
{
  const int rank = limb_quantity_rank(q);
  if (rank == 0) return limb_fail(err, LIMB_E_ARG, q->name, "'%s' is one number, without entries", q->name);
  if (axis >= rank)
    return limb_fail(err, LIMB_E_ARG, q->name, "'%s' has %d %s: '%.60s' is too much", q->name, rank,
                     rank == 1 ? "axis" : "axes", text);
  if (limb_axis_count(e, q, axis) == 0)
    return limb_fail(err, LIMB_E_ARG, q->name, "'%s' has no entries for this robot", q->name);
  return limb_fail(err, LIMB_E_ARG, q->name, "there is no '%.60s' in '%s'; the first entry of its axis is '%.60s'",
                   text, q->name, limb_axis_label(e, q, axis, 0));
}

limb_status limb_select(const limb_evaluator* e, const limb_quantity_info* q, const char* labels,
                        limb_evaluator_item* item, limb_error* err)
{
  const int rank = limb_quantity_rank(q);
  char text[QUANTITY_NAME_SPACE];
  const char* at = text;
  size_t stride = 1;
  for (int axis = 0; axis < rank; axis++) stride *= limb_axis_count(e, q, axis);
  item->fixed = 0, item->from = 0, item->first = 0;
  spell(q, rank > 0 ? 0 : LIMB_QUANTITY_AXES_MAX, labels, text, sizeof text);
  item->length = rank > 0 ? limb_axis_count(e, q, 0) : 1;
  item->size = stride;
  while (*at) {
    const int axis = item->fixed;
    size_t first = 0, length = 0;
    const size_t count = axis < rank ? match(e, q, axis, at, &first, &length) : 0;
    if (count == 0) return no_label(e, q, axis, at, err);
    stride /= limb_axis_count(e, q, axis);
    item->from += first * stride;
    item->size = count * stride;
    at += length + (at[length] == '.');
    item->first = first, item->length = count;
    if (count > 1 || axis + 1 > rank) break;
    item->fixed = axis + 1;
    item->first = 0;
    item->length = item->fixed < rank ? limb_axis_count(e, q, item->fixed) : 1;
  }
  return LIMB_OK;
}
