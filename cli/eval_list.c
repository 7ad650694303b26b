// `limb eval --list`: the quantities, for people and for programs; and which one a word was meant to be.
#include "cli.h"
#include "eval.h"
#include "json.h"
#include "table.h"

#include <string.h>

// In the order of the bits STATES_Q ...
static const char* const group[] = {"q", "v", "a", "tau", "time", "a or tau", "a or tau"};

enum { GROUPS = sizeof group / sizeof *group };

// "nv x nv x nv", "dqdq, dqdv: nv x nv"
static void shape(const eval_quantity* e, char* text, size_t size)
{
  const int rank = eval_rank(e);
  const int record = rank > 1 && e->axes[0] == AXIS_FIELD;
  size_t used = 0;
  *text = '\0';
  for (int k = 0; record && e->fields[k]; k++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", k ? ", " : "", e->fields[k]);
  for (int k = record; k < (rank ? rank : 1); k++)
    used += (size_t)snprintf(text + used, size - used, "%s%s",
                             k > record ? " x "
                             : record   ? ": "
                                        : "",
                             eval_axis_text(e->axes[k]));
}

// "q v, --frame"
static void needs(const eval_quantity* e, char* text, size_t size)
{
  const char *gap = "", *frame = e->of & OF_FRAME ? "--frame" : "", *step = e->of & OF_STEP ? "--dt" : "";
  const char* loops = e->of & OF_LOOPS ? "loops" : "";
  size_t used = 0;
  *text = '\0';
  for (int g = 0; g < GROUPS; g++) {
    if (!(e->needs & 1U << g)) continue;
    used += (size_t)snprintf(text + used, size - used, "%s%s", gap, group[g]);
    gap = " ";
  }
  if (*frame || *step || *loops)
    (void)snprintf(text + used, size - used, "%s%s%s%s", used ? ", " : "", frame, step, loops);
}

static void add_to_list(cli_table* t, const eval_quantity* e)
{
  char what[60], form[120];
  needs(e, what, sizeof what);
  shape(e, form, sizeof form);
  cli_cell(t, "%s", e->name);
  cli_cell(t, "%s", what);
  cli_cell(t, "%s", form);
  cli_cell(t, "%s", e->meaning);
}

// Of robots with loops: what is there in place of quantities of the tree.
static void print_closed(void)
{
  (void)fputs("\n  Of a robot with loops most of the dynamics is that of its tree of joints, the "
              "loops cut open. Closed there are\n",
              stdout);
  for (int k = 0; eval_get(k); k++) {
    const char* closed = eval_closed_name(eval_get(k));
    if (closed) (void)printf("    %s for %s\n", closed, eval_get(k)->name);
  }
  (void)fputs("  and the others that need loops. limb info tells whether a robot has any.\n", stdout);
}

static void print_text(void)
{
  cli_table t = cli_table_make("llll");
  cli_cell(&t, "name"), cli_cell(&t, "needs"), cli_cell(&t, "shape"), cli_cell(&t, "what it is");
  for (int k = 0; eval_get(k); k++) add_to_list(&t, eval_get(k));
  cli_table_print(&t, stdout, "");
  print_closed();
}

static json_t* quantity_json(const eval_quantity* e)
{
  json_t *r = json_object(), *states = json_array(), *fields = json_array();
  char form[120];
  shape(e, form, sizeof form);
  for (int g = 0; g < GROUPS; g++)
    if (e->needs & 1U << g) (void)json_array_append_new(states, cli_json_text(group[g]));
  for (int k = 0; e->fields && e->fields[k]; k++) (void)json_array_append_new(fields, cli_json_text(e->fields[k]));
  (void)json_object_set_new(r, "name", cli_json_text(e->name));
  (void)json_object_set_new(r, "meaning", cli_json_text(e->meaning));
  (void)json_object_set_new(r, "needs", states);
  (void)json_object_set_new(r, "frame", json_boolean((e->of & OF_FRAME) != 0));
  (void)json_object_set_new(r, "loops", json_boolean((e->of & OF_LOOPS) != 0));
  (void)json_object_set_new(r, "closed", cli_json_text(eval_closed_name(e)));
  (void)json_object_set_new(r, "shape", cli_json_text(form));
  (void)json_object_set_new(r, "unit", cli_json_text(e->unit));
  (void)json_object_set_new(r, "fields", fields);
  return r;
}

static int print_json(const char* title)
{
  json_t *answer = cli_json_answer(), *list = json_array();
  for (int k = 0; eval_get(k); k++) (void)json_array_append_new(list, quantity_json(eval_get(k)));
  (void)json_object_set_new(answer, "quantities", list);
  return cli_json_print(answer, stdout, title);
}

int eval_list(const cli_args* args)
{
  const char *format = cli_get(args, "format"), *title = cli_title(args);
  int code = EXIT_FINE;
  if (format && strcmp(format, "csv") == 0) return cli_usage(args, "--list is text or json");
  if (format && strcmp(format, "json") == 0) {
    code = print_json(title);
  } else {
    print_text();
  }
  return code == EXIT_FINE ? limb_cli_close_output(title) : code;
}

// ---- did you mean ----------------------------------------------------------------------------------

const char* eval_nearest(const char* wrong)
{
  static const struct {
    const char *word, *name;
  } other[] = {
    {"torque", "tau"},
    {"qdd", "acc"},
    {"mass", "M"},
    {"inertia", "M"},
    {"inverse", "Minv"},
    {"bias", "h"},
    {"gravity", "g"},
    {"coriolis", "C"},
    {"jacobian", "J"},
    {"Jdot", "Jdotv"},
    {"frame", "pose"},
    {"position", "pose"},
    {"transform", "pose"},
    {"kinetic", "energy"},
    {"potential", "energy"},
    {"loads", "reactions"},
    {"regressor", "Y"},
    {"parameters", "theta"},
    {"mass_rate", "Mdot"},
    {"riemann", "curvature"},
    {"hessian", "d2tau"},
    {"projector", "N"},
    {"did_dq", "dtau_dq"},
    {"dfd_dq", "dacc_dq"},
    {"dqdd_dq", "dacc_dq"},
    {"ddq_dq", "dacc_dq"},
    {"ddq_dv", "dacc_dv"},
    {"ddq_dtau", "dacc_dtau"},
    {"rnea", "tau"},
    {"aba", "acc"},
    {"base_acceleration", "base_acc"},
    {"constraint_jacobian", "psi"},
    {"constraints", "psi"},
    {"multipliers", "lambda"},
    {"tau_closed", "tau_active"},
    {"closed_tau", "tau_active"},
    {"acc_closed", "closed_acc"},
    {"closed_dacc_dq", "dacc_closed_dq"},
    {"dclosed_acc_dq", "dacc_closed_dq"},
    {"closure", "loop_residual"},
    {"gruebler", "mobility"},
    {"wrenches", "joint_loads"},
  };
  enum { OTHER = sizeof other / sizeof *other };
  const char *names[EVAL_MOST + 1] = {NULL}, *words[OTHER + 1] = {NULL};
  for (int n = 0; eval_get(n) && n < EVAL_MOST; n++) names[n] = eval_get(n)->name;
  for (int k = 0; k < OTHER; k++) words[k] = other[k].word;
  // A word of the list, as it is, goes before a name that is only near.
  const char *word = NULL, *close = NULL;
  for (int k = 0; k < OTHER; k++)
    if (strcmp(words[k], wrong) == 0) word = words[k];
  if (!word) close = cli_nearest(wrong, names);
  if (!word && !close) word = cli_nearest(wrong, words);
  for (int k = 0; word && k < OTHER; k++)
    if (words[k] == word) close = other[k].name;
  return close;
}
