// Axes of quantities: how long they are, what their indices are called, units of entries.
#include "base/memory.h"
#include "base/status.h"
#include "quantities/evaluator_impl.h"

#include <string.h>

// How an axis is called: its length, and its labels.
static const struct axis_words {
  const char *length, *labels;
} axis_words[] = {
  [LIMB_AXIS_NONE] = {"1", "one number"},
  [LIMB_AXIS_V] = {"nv", "velocities"},
  [LIMB_AXIS_Q] = {"nq", "coordinates"},
  [LIMB_AXIS_STATE] = {"2nv", "q.<velocity>, then v.<velocity>"},
  [LIMB_AXIS_MOTION] = {"6", "wx wy wz vx vy vz"},
  [LIMB_AXIS_FORCE] = {"6", "mx my mz fx fy fz"},
  [LIMB_AXIS_VECTOR] = {"3", "x y z"},
  [LIMB_AXIS_POSE] = {"position 3, quaternion 4, rotation 3 x 3", "position.x ... quaternion.w ... rotation.zz"},
  [LIMB_AXIS_TASK] = {"directions", "directions of the frame"},
  [LIMB_AXIS_PARAMETER] = {"np", "parameters"},
  [LIMB_AXIS_BASE] = {"nb", "base parameters"},
  [LIMB_AXIS_FLOATING] = {"base", "velocities of the moving base"},
  [LIMB_AXIS_ARM] = {"arm", "velocities of the other joints"},
  [LIMB_AXIS_JOINT] = {"joints", "joints, keyed by joint in JSON"},
  [LIMB_AXIS_LOOP] = {"loops", "loops, keyed by loop in JSON"},
  [LIMB_AXIS_CONSTRAINT] = {"nc", "equations of the loops, <loop>.<equation>"},
  [LIMB_AXIS_FIELD] = {"fields", "named fields, keyed by field in JSON"},
  [LIMB_AXIS_BODY] = {"bodies", "bodies as described, without the world, keyed by body in JSON"},
  [LIMB_AXIS_STACKED] = {"6n", "<body>.wx ... <body>.vz of the same bodies"},
  [LIMB_AXIS_INDEPENDENT] = {"ny", "independent velocities"},
  [LIMB_AXIS_GEOMETRY] = {"ng", "parameters of the geometry"},
};

enum { AXIS_KINDS = sizeof axis_words / sizeof *axis_words };

const char* limb_axis_length_text(limb_quantity_axis axis)
{
  return (int)axis >= 0 && (int)axis < AXIS_KINDS ? axis_words[axis].length : "?";
}

const char* limb_axis_text(limb_quantity_axis axis)
{
  return (int)axis >= 0 && (int)axis < AXIS_KINDS ? axis_words[axis].labels : "?";
}

const char* limb_robots_text(limb_quantity_robots robots)
{
  switch (robots) {
  case LIMB_ROBOTS_ALL: return "all";
  case LIMB_ROBOTS_TREES: return "trees";
  case LIMB_ROBOTS_LOOPS: return "with loops";
  case LIMB_ROBOTS_MOVING_BASE: return "trees with a moving base";
  case LIMB_ROBOTS_ELASTIC: return "trees with elastic joints";
  }
  return "?";
}

const char* limb_ref_text(limb_ref ref) { return ref == LIMB_BODY ? "body" : ref == LIMB_WORLD ? "world" : "aligned"; }

int limb_quantity_rank(const limb_quantity_info* q)
{
  int n = 0;
  while (q->axis[n] != LIMB_AXIS_NONE) n++;
  return n;
}

// ---- labels that are the same for all robots ------------------------------------------------------------

static const char* const motion[] = {"wx", "wy", "wz", "vx", "vy", "vz", NULL};
static const char* const force[] = {"mx", "my", "mz", "fx", "fy", "fz", NULL};
static const char* const vector[] = {"x", "y", "z", NULL};
static const char* const pose[] = {
  "position.x",  "position.y",  "position.z",  "quaternion.x", "quaternion.y", "quaternion.z", "quaternion.w",
  "rotation.xx", "rotation.xy", "rotation.xz", "rotation.yx",  "rotation.yy",  "rotation.yz",  "rotation.zx",
  "rotation.zy", "rotation.zz", NULL};

static const char* const* constants(const limb_quantity_info* q, limb_quantity_axis axis)
{
  return axis == LIMB_AXIS_MOTION   ? motion
         : axis == LIMB_AXIS_FORCE  ? force
         : axis == LIMB_AXIS_VECTOR ? vector
         : axis == LIMB_AXIS_POSE   ? pose
         : axis == LIMB_AXIS_FIELD  ? q->fields
                                    : NULL;
}

// ---- labels of a robot ----------------------------------------------------------------------------------

static int count_of(const limb_evaluator* e, limb_quantity_axis axis)
{
  switch (axis) {
  case LIMB_AXIS_V: return e->nv;
  case LIMB_AXIS_Q: return e->nq;
  case LIMB_AXIS_STATE: return 2 * e->nv;
  case LIMB_AXIS_TASK: return e->ntask;
  case LIMB_AXIS_PARAMETER: return e->np;
  case LIMB_AXIS_BASE: return limb_base_count(e->base_parameters);
  case LIMB_AXIS_FLOATING: return e->nbase;
  case LIMB_AXIS_ARM: return e->nv - e->nbase;
  case LIMB_AXIS_JOINT: return limb_joint_count(e->model);
  case LIMB_AXIS_LOOP: return limb_loop_count(e->model);
  case LIMB_AXIS_CONSTRAINT: return e->nc;
  case LIMB_AXIS_BODY: return e->nbody;
  case LIMB_AXIS_STACKED: return 6 * e->nbody;
  case LIMB_AXIS_INDEPENDENT: return e->nindependent;
  case LIMB_AXIS_GEOMETRY: return limb_geometry_count(e->geometry);
  case LIMB_AXIS_NONE:
  case LIMB_AXIS_MOTION:
  case LIMB_AXIS_FORCE:
  case LIMB_AXIS_VECTOR:
  case LIMB_AXIS_POSE:
  case LIMB_AXIS_FIELD: break;
  }
  return 0;
}

// A label is two texts with a dot between them, or one: the other is "".
typedef struct word {
  const char *first, *second;
} word;

// The k-th velocity whose mark is like that.
static const char* marked(const limb_evaluator* e, const unsigned char* marks, int mark, int k)
{
  for (int i = 0; i < e->nv; i++)
    if ((marks[i] != 0) == mark && k-- == 0) return limb_get_velocity(e->dofs, i)->name;
  return "";
}

static const char* direction(const limb_evaluator* e, int k)
{
  for (int bit = 0; bit < 6; bit++)
    if (e->options.directions >> bit & 1U && k-- == 0) return motion[bit];
  return "";
}

static word constraint(const limb_evaluator* e, int k)
{
  limb_loop_info x;
  for (int i = 0; i < limb_loop_count(e->model); i++) {
    if (limb_get_loop(e->model, i, &x) != LIMB_OK || k < x.constraint || k >= x.constraint + x.nconstraint) continue;
    const char* name = limb_loop_constraint_name(&x.def, k - x.constraint);
    return (word){x.def.name, name ? name : "?"};
  }
  return (word){"?", ""};
}

static const char* joint_name(const limb_evaluator* e, int k)
{
  limb_joint_info x;
  return limb_get_joint(e->model, k, &x) == LIMB_OK ? x.def.name : "?";
}

static const char* body_name(const limb_evaluator* e, int k)
{
  limb_body_info x;
  return limb_get_body(e->model, e->body[k], &x) == LIMB_OK ? x.name : "?";
}

const char* limb_name_of_loop(const limb_model* m, int loop)
{
  limb_loop_info x;
  return limb_get_loop(m, loop, &x) == LIMB_OK ? x.def.name : "?";
}

static const char* geometry_name(const limb_evaluator* e, int k)
{
  limb_geometry_info x;
  return limb_geometry_get(e->geometry, k, &x) == LIMB_OK ? x.name : "?";
}

static word label_of(const limb_evaluator* e, limb_quantity_axis axis, int k)
{
  const int nv = e->nv;
  switch (axis) {
  case LIMB_AXIS_V: return (word){limb_get_velocity(e->dofs, k)->name, ""};
  case LIMB_AXIS_Q: return (word){limb_get_coordinate(e->dofs, k)->name, ""};
  case LIMB_AXIS_STATE: return (word){k < nv ? "q" : "v", limb_get_velocity(e->dofs, k < nv ? k : k - nv)->name};
  case LIMB_AXIS_TASK: return (word){direction(e, k), ""};
  case LIMB_AXIS_PARAMETER: return (word){e->parameter[k].of, e->parameter[k].symbol};
  case LIMB_AXIS_GEOMETRY: return (word){geometry_name(e, k), ""};
  case LIMB_AXIS_BASE: return (word){limb_base_name(e->base_parameters, k), ""};
  case LIMB_AXIS_FLOATING: return (word){marked(e, e->base, 1, k), ""};
  case LIMB_AXIS_ARM: return (word){marked(e, e->base, 0, k), ""};
  case LIMB_AXIS_JOINT: return (word){joint_name(e, k), ""};
  case LIMB_AXIS_LOOP: return (word){limb_name_of_loop(e->model, k), ""};
  case LIMB_AXIS_CONSTRAINT: return constraint(e, k);
  case LIMB_AXIS_BODY: return (word){body_name(e, k), ""};
  case LIMB_AXIS_STACKED: return (word){body_name(e, k / 6), motion[k % 6]};
  case LIMB_AXIS_INDEPENDENT: return (word){marked(e, e->independent, 1, k), ""};
  case LIMB_AXIS_NONE:
  case LIMB_AXIS_MOTION:
  case LIMB_AXIS_FORCE:
  case LIMB_AXIS_VECTOR:
  case LIMB_AXIS_POSE:
  case LIMB_AXIS_FIELD: break;
  }
  return (word){"", ""};
}

static size_t put_label(word w, char* text)
{
  const size_t first = strlen(w.first), second = strlen(w.second);
  if (text) {
    memcpy(text, w.first, first + 1);
    if (second > 0) text[first] = '.', memcpy(text + first + 1, w.second, second + 1);
  }
  return first + 1 + (second > 0 ? second + 1 : 0);
}

static limb_status make_axis(limb_evaluator* e, limb_quantity_axis axis)
{
  limb_labels* l = &e->labels[axis];
  const int n = count_of(e, axis);
  if (l->text || n == 0) return LIMB_OK;
  size_t size = 0;
  for (int k = 0; k < n; k++) size += put_label(label_of(e, axis, k), NULL);
  const char** text = limb_alloc(&e->alloc, (size_t)n * sizeof *text);
  char* bytes = limb_alloc(&e->alloc, size);
  if (!text || !bytes) {
    limb_free(&e->alloc, text, (size_t)n * sizeof *text);
    limb_free(&e->alloc, bytes, size);
    return LIMB_E_NOMEM;
  }
  char* next = bytes;
  for (int k = 0; k < n; k++) {
    text[k] = next;
    next += put_label(label_of(e, axis, k), next);
  }
  *l = (limb_labels){n, text, bytes, size};
  return LIMB_OK;
}

void limb_labels_free(limb_evaluator* e)
{
  for (int axis = 0; axis < AXES; axis++) {
    limb_labels* l = &e->labels[axis];
    limb_free(&e->alloc, l->text, (size_t)l->count * sizeof *l->text);
    limb_free(&e->alloc, l->bytes, l->size);
  }
  limb_free(&e->alloc, e->parameter, (size_t)(e->np + 1) * sizeof *e->parameter);
  limb_base_destroy(e->base_parameters);
  limb_geometry_destroy(e->geometry);
}

// ---- parameters -----------------------------------------------------------------------------------------

static limb_status find_parameters(limb_evaluator* e)
{
  if (e->parameter) return LIMB_OK;
  const int np = limb_parameter_count(e->model);
  e->parameter = limb_alloc(&e->alloc, (size_t)(np + 1) * sizeof *e->parameter);
  if (!e->parameter) return LIMB_E_NOMEM;
  e->np = np;
  limb_status s = LIMB_OK;
  for (int k = 0; k < np && s == LIMB_OK; k++) s = limb_get_parameter(e->model, k, &e->parameter[k]);
  return s;
}

// Springs belong to the set when the robot has some, as in `limb base`.
static unsigned base_flags(const limb_model* m)
{
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info x;
    if (limb_get_joint(m, j, &x) == LIMB_OK && (x.def.stiffness != 0 || x.shaft >= 0)) return 0;
  }
  return LIMB_BASE_NO_SPRINGS;
}

static limb_status find_base_parameters(limb_evaluator* e, limb_error* err)
{
  if (e->base_parameters) return LIMB_OK;
  limb_environment env = e->env;
  env.nwrench = 0, env.wrench = NULL, env.nlaw = 0, env.law = NULL;
  const limb_status s = limb_base_create(e->model, &env, base_flags(e->model), &e->alloc, &e->base_parameters);
  if (s == LIMB_E_UNSUPPORTED)
    return limb_fail(err, s, "base parameters", "the model has more than %d parameters", LIMB_BASE_MAX);
  return s == LIMB_OK ? s : limb_fail(err, s, "base parameters", "%s", limb_status_text(s));
}

limb_status limb_labels_make(limb_evaluator* e, const limb_quantity_row* row, limb_error* err)
{
  limb_status s = row->uses & USES_PARAMETERS ? find_parameters(e) : LIMB_OK;
  if (s == LIMB_OK && row->uses & USES_BASE) {
    s = find_base_parameters(e, err);
    if (s != LIMB_OK) return s;
  }
  if (s == LIMB_OK && row->uses & USES_GEOMETRY && !e->geometry) {
    s = limb_geometry_create(e->model, e->options.form, &e->alloc, &e->geometry, err);
    if (s != LIMB_OK) return s;
  }
  if (s == LIMB_OK && row->uses & USES_INDEPENDENT) {
    s = limb_find_independent(e, err);
    if (s != LIMB_OK) return s;
  }
  for (int axis = 0; axis < limb_quantity_rank(&row->about) && s == LIMB_OK; axis++)
    s = make_axis(e, row->about.axis[axis]);
  return s == LIMB_OK ? s : limb_fail(err, s, row->about.name, "%s", limb_status_text(s));
}

// ---- access ---------------------------------------------------------------------------------------------

size_t limb_axis_count(const limb_evaluator* e, const limb_quantity_info* q, int axis)
{
  const char* const* text = constants(q, q->axis[axis]);
  size_t n = 0;
  if (!text) return (size_t)count_of(e, q->axis[axis]);
  while (text[n]) n++;
  return n;
}

const char* limb_axis_label(const limb_evaluator* e, const limb_quantity_info* q, int axis, size_t k)
{
  const char* const* text = constants(q, q->axis[axis]);
  return text ? text[k] : e->labels[q->axis[axis]].text[k];
}
