// The axes of the quantities of `limb eval`: how long they are, what their indices are called.
#include "closure.h"
#include "eval.h"

#include <string.h>

const eval_quantity* eval_get(int k)
{
  static const eval_quantity* const tables[] = {eval_dynamics, eval_hybrid, eval_kinematics, eval_derivatives,
                                                eval_geometry, eval_task,   eval_parameters, eval_loops};
  const size_t count = sizeof tables / sizeof tables[0];
  for (size_t t = 0; t < count; t++) {
    for (const eval_quantity* e = tables[t]; e->name; e++, k--)
      if (k == 0) return e;
  }
  return NULL;
}

// Names of components; NULL for other axes.
static const char* const* components(const eval_quantity* e, eval_axis axis)
{
  static const char* const motion[] = {"wx", "wy", "wz", "vx", "vy", "vz", NULL};
  static const char* const force[] = {"mx", "my", "mz", "fx", "fy", "fz", NULL};
  static const char* const vector[] = {"x", "y", "z", NULL};
  static const char* const poses[] = {"px",  "py",  "pz",  "qx",  "qy",  "qz",  "qw",  "Rxx", "Rxy",
                                      "Rxz", "Ryx", "Ryy", "Ryz", "Rzx", "Rzy", "Rzz", NULL};
  switch (axis) {
  case AXIS_MOTION:
  case AXIS_TASK: return motion;
  case AXIS_FORCE: return force;
  case AXIS_VECTOR: return vector;
  case AXIS_POSE: return poses;
  case AXIS_FIELD: return e->fields;
  case AXIS_NONE:
  case AXIS_DOF:
  case AXIS_STATE:
  case AXIS_PARAMETER:
  case AXIS_BASE:
  case AXIS_FLOATING:
  case AXIS_ARM:
  case AXIS_JOINT:
  case AXIS_Q:
  case AXIS_ACTIVE:
  case AXIS_ROW:
  case AXIS_LOOP: break;
  }
  return NULL;
}

const char* eval_axis_text(eval_axis axis)
{
  switch (axis) {
  case AXIS_DOF: return "nv";
  case AXIS_STATE: return "2nv";
  case AXIS_MOTION:
  case AXIS_FORCE: return "6";
  case AXIS_VECTOR: return "3";
  case AXIS_POSE: return "p 3, quaternion 4, R 3 x 3";
  case AXIS_TASK: return "rows";
  case AXIS_PARAMETER: return "np";
  case AXIS_BASE: return "nb";
  case AXIS_FLOATING: return "base";
  case AXIS_ARM: return "arm";
  case AXIS_JOINT: return "joints";
  case AXIS_Q: return "nq";
  case AXIS_ACTIVE: return "active";
  case AXIS_ROW: return "nc";
  case AXIS_LOOP: return "loops";
  case AXIS_FIELD: return "named fields";
  case AXIS_NONE: break;
  }
  return "1";
}

int eval_rank(const eval_quantity* e)
{
  int n = 0;
  while (e->axes[n] != AXIS_NONE) n++;
  return n;
}

// The k-th degree of freedom with a motor; how many there are, when there are not so many.
static size_t active_dof(const cli_dofs* d, size_t k)
{
  size_t count = 0;
  for (size_t i = 0; i < (size_t)d->nv; i++)
    if (!d->v[i].passive && count++ == k) return i;
  return count;
}

size_t eval_length(const eval_quantity* e, const eval_run* run, int axis)
{
  const size_t nv = (size_t)run->dofs->nv;
  const limb_task_stack tasks = {1, &run->task};
  size_t n = 0;
  switch (e->axes[axis]) {
  case AXIS_NONE: return 1;
  case AXIS_DOF: return nv;
  case AXIS_STATE: return 2 * nv;
  case AXIS_TASK: return (size_t)limb_task_rows(&tasks); // the option was read: never -1
  case AXIS_PARAMETER: return (size_t)run->np;
  case AXIS_BASE: return (size_t)limb_base_count(run->base);
  case AXIS_FLOATING: return (size_t)run->dofs->nbase;
  case AXIS_ARM: return nv - (size_t)run->dofs->nbase;
  case AXIS_JOINT: return (size_t)limb_joint_count(run->robot->model);
  case AXIS_Q: return (size_t)run->dofs->nq;
  case AXIS_ACTIVE: return active_dof(run->dofs, nv);
  case AXIS_ROW: return (size_t)limb_row_count(run->robot->model);
  case AXIS_LOOP: return (size_t)limb_loop_count(run->robot->model);
  case AXIS_MOTION:
  case AXIS_FORCE:
  case AXIS_VECTOR:
  case AXIS_POSE:
  case AXIS_FIELD: break;
  }
  const char* const* names = components(e, e->axes[axis]);
  while (names[n]) n++;
  return n;
}

double eval_size(const eval_quantity* e, const eval_run* run)
{
  double n = 1;
  for (int axis = 0; axis < eval_rank(e); axis++) n *= (double)eval_length(e, run, axis);
  return n;
}

static const char* joint_name(const eval_run* run, size_t j)
{
  limb_joint_info info;
  return limb_get_joint(run->robot->model, (int)j, &info) == LIMB_OK ? info.def.name : "";
}

// The k-th direction of the task.
static size_t direction(const eval_run* run, size_t k)
{
  size_t bit = 0;
  for (;; bit++) {
    if (run->task.directions >> bit & 1U && k-- == 0) return bit;
  }
}

void eval_index_name(const eval_quantity* e, const eval_run* run, int axis, size_t k, char* text, size_t size)
{
  const cli_dof* dof = run->dofs->v;
  const int* split = run->dofs->split;
  const size_t nv = (size_t)run->dofs->nv;
  const eval_axis kind = e->axes[axis];
  const char* const* part = components(e, kind);
  switch (kind) {
  case AXIS_NONE: *text = '\0'; break;
  case AXIS_DOF: (void)snprintf(text, size, "%s", dof[k].name); break;
  case AXIS_STATE: (void)snprintf(text, size, "%s.%s", k < nv ? "q" : "v", dof[k < nv ? k : k - nv].name); break;
  case AXIS_TASK: (void)snprintf(text, size, "%s", part[direction(run, k)]); break;
  case AXIS_PARAMETER: (void)snprintf(text, size, "%s.%s", run->parameter[k].of, run->parameter[k].symbol); break;
  case AXIS_BASE: (void)snprintf(text, size, "%s", limb_base_name(run->base, (int)k)); break;
  case AXIS_FLOATING: (void)snprintf(text, size, "%s", dof[split[k]].name); break;
  case AXIS_ARM: (void)snprintf(text, size, "%s", dof[split[run->dofs->nbase + (int)k]].name); break;
  case AXIS_JOINT: (void)snprintf(text, size, "%s", joint_name(run, k)); break;
  case AXIS_Q: (void)snprintf(text, size, "%s", run->dofs->q[k].name); break;
  case AXIS_ACTIVE: (void)snprintf(text, size, "%s", dof[active_dof(run->dofs, k)].name); break;
  case AXIS_ROW: eval_row_name(run->robot->model, (int)k, text, size); break;
  case AXIS_LOOP: (void)snprintf(text, size, "%s", cli_loop_name(run->robot->model, (int)k)); break;
  case AXIS_MOTION:
  case AXIS_FORCE:
  case AXIS_VECTOR:
  case AXIS_POSE:
  case AXIS_FIELD: (void)snprintf(text, size, "%s", part[k]); break;
  }
}

void eval_name(const eval_quantity* e, const eval_run* run, int axes, const size_t* index, char* text, size_t size)
{
  (void)snprintf(text, size, "%s", e->name);
  for (int axis = 0; axis < axes; axis++) {
    const size_t used = strlen(text);
    if (used + 1 >= size) return;
    text[used] = '.';
    eval_index_name(e, run, axis, index[axis], text + used + 1, size - used - 1);
  }
}

int eval_advance(const eval_quantity* e, const eval_run* run, int axes, size_t* index)
{
  for (int axis = axes - 1; axis >= 0; axis--) {
    if (++index[axis] < eval_length(e, run, axis)) return 1;
    index[axis] = 0;
  }
  return 0;
}
