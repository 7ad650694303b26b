// `limb eval --list`: the quantities, for people and for programs; and which one a word was meant to be.
#include "cli.h"
#include "eval.h"
#include "json.h"
#include "table.h"

#include <string.h>

static const char* const group[] = {"q", "v", "a", "tau"};

static const char* shape(const eval_quantity* e)
{
  switch (e->form) {
  case EVAL_DOFS: return "nv";
  case EVAL_MATRIX: return "nv x nv";
  case EVAL_JACOBIAN: return "6 x nv";
  case EVAL_MOTION: return "6: w, v";
  case EVAL_FORCE: return "6: m, f";
  case EVAL_VECTOR: return "3";
  case EVAL_POSE: return "p 3, quaternion 4, R 3 x 3";
  case EVAL_RECORD: return "named fields";
  case EVAL_REACTIONS: return "6 per joint: m, f";
  }
  return "";
}

static void add_to_list(cli_table* t, const eval_quantity* e)
{
  char needs[40] = "";
  for (int g = 0; g < STATES_GROUPS; g++) {
    const size_t used = strlen(needs);
    if (!(e->needs & 1U << g)) continue;
    (void)snprintf(needs + used, sizeof needs - used, "%s%s", used ? " " : "", group[g]);
  }
  cli_cell(t, "%s", e->name);
  cli_cell(t, "%s%s", needs, e->frame ? ", --frame" : "");
  cli_cell(t, "%s", shape(e));
  cli_cell(t, "%s", e->meaning);
}

static void print_text(void)
{
  cli_table t = cli_table_make("llll");
  cli_cell(&t, "name"), cli_cell(&t, "needs"), cli_cell(&t, "shape"), cli_cell(&t, "what it is");
  for (const eval_quantity* e = eval_quantities; e->name; e++) add_to_list(&t, e);
  cli_table_print(&t, stdout, "");
}

static json_t* quantity_json(const eval_quantity* e)
{
  json_t *r = json_object(), *needs = json_array(), *fields = json_array();
  for (int g = 0; g < STATES_GROUPS; g++)
    if (e->needs & 1U << g) (void)json_array_append_new(needs, cli_json_text(group[g]));
  for (int k = 0; e->fields && e->fields[k]; k++)
    (void)json_array_append_new(fields, cli_json_text(e->fields[k]));
  (void)json_object_set_new(r, "name", cli_json_text(e->name));
  (void)json_object_set_new(r, "meaning", cli_json_text(e->meaning));
  (void)json_object_set_new(r, "needs", needs);
  (void)json_object_set_new(r, "frame", json_boolean(e->frame));
  (void)json_object_set_new(r, "shape", cli_json_text(shape(e)));
  (void)json_object_set_new(r, "unit", cli_json_text(e->unit));
  (void)json_object_set_new(r, "fields", fields);
  return r;
}

static int print_json(const char* title)
{
  json_t *answer = cli_json_answer(), *list = json_array();
  for (const eval_quantity* e = eval_quantities; e->name; e++)
    (void)json_array_append_new(list, quantity_json(e));
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
    {"torque", "tau"},     {"qdd", "acc"},        {"mass", "M"},           {"inertia", "M"},
    {"inverse", "Minv"},   {"bias", "h"},         {"gravity", "g"},        {"coriolis", "C"},
    {"jacobian", "J"},     {"Jdot", "Jdotv"},     {"frame", "pose"},       {"position", "pose"},
    {"transform", "pose"}, {"kinetic", "energy"}, {"potential", "energy"}, {"loads", "reactions"},
  };
  enum { OTHER = sizeof other / sizeof *other };
  const char *names[EVAL_MOST + 1] = {NULL}, *words[OTHER + 1] = {NULL};
  for (int n = 0; eval_quantities[n].name && n < EVAL_MOST; n++) names[n] = eval_quantities[n].name;
  for (int k = 0; k < OTHER; k++) words[k] = other[k].word;
  const char* close = cli_nearest(wrong, names);
  const char* word = close ? NULL : cli_nearest(wrong, words);
  for (int k = 0; word && k < OTHER; k++)
    if (words[k] == word) close = other[k].name;
  return close;
}
