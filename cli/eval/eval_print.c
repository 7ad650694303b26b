// `limb eval`: tables, and text for people, row by row.
#include "base/command.h"
#include "base/output.h"
#include "base/print.h"
#include "eval/eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = CLI_NAME_SPACE };

const char* eval_frame_name(const eval_run* r)
{
  limb_frame_info info;
  return r->frame >= 0 && limb_get_frame(r->robot.model, r->frame, &info) == LIMB_OK ? info.name : NULL;
}

// ---- tables ----------------------------------------------------------------------------------------

static int table_status(const eval_run* r, limb_status s)
{
  return s == LIMB_OK ? EXIT_FINE : cli_unwritten(cli_title(r->args), "the table", limb_status_text(s));
}

// Names of all columns, time first: each closed by a zero.
static int put_names(const eval_run* r, cli_text* out)
{
  int count = r->time_first;
  if (count) cli_text_add(out, "time\n");
  for (int i = 0; i < r->count; i++) {
    limb_item item = {0};
    char name[NAME];
    if (limb_evaluator_get(r->e, i, &item) != LIMB_OK) continue;
    for (size_t k = 0; k < item.size; k++, count++) {
      (void)limb_evaluator_column(r->e, i, k, name, sizeof name);
      cli_text_add(out, name);
      cli_text_add(out, "\n");
    }
  }
  for (size_t k = 0; k < out->size && !out->failed; k++)
    if (out->bytes[k] == '\n') out->bytes[k] = '\0';
  return count;
}

// A table without columns, of a robot without joints say, has no rows either.
static int table_begin(eval_run* r)
{
  cli_text names = {0};
  const int count = put_names(r, &names);
  limb_table_column* column = calloc((size_t)count + 1, sizeof *column);
  limb_status s = column && !names.failed ? LIMB_OK : LIMB_E_NOMEM;
  limb_error err = {0};
  const char* at = names.bytes;
  for (int k = 0; k < count && s == LIMB_OK; k++, at += strlen(at) + 1) column[k].name = at;
  if (s == LIMB_OK && count > 0) s = limb_table_create(r->path, r->printer->table, count, column, &r->table, &err);
  if (s == LIMB_OK && r->table && r->states.pool) (void)!limb_table_set_pool(r->table, r->states.pool);
  free(column);
  cli_text_free(&names);
  return s == LIMB_E_ARG ? cli_usage(r->args, "--what: %s", err.text) : table_status(r, s);
}

// Time is in front of the numbers.
static int table_row(eval_run* r)
{
  const int time = r->time_first;
  if (time) r->x[-1] = r->states.time;
  if (r->kept.check) return cli_kept_same(&r->kept, r->x - time);
  return r->table ? table_status(r, limb_table_row(r->table, r->x - time)) : EXIT_FINE;
}

int eval_take_row(void* context, const double* row)
{
  const eval_run* r = context;
  return table_status(r, row ? limb_table_row(r->table, row) : limb_table_flush(r->table));
}

static int table_end(eval_run* r) { return r->table ? table_status(r, limb_table_end(r->table)) : EXIT_FINE; }

const eval_printer eval_tables[] = {{"csv", table_begin, table_row, table_end, NULL, LIMB_TABLE_CSV},
                                    {"npy", table_begin, table_row, table_end, NULL, LIMB_TABLE_NPY},
                                    {"arrow", table_begin, table_row, table_end, NULL, LIMB_TABLE_ARROW},
                                    {"parquet", table_begin, table_row, table_end, NULL, LIMB_TABLE_PARQUET}};

// ---- text ------------------------------------------------------------------------------------------

// "given: a of elbow, wrist", "given: tau of base.wx"; nothing when there is none of that kind.
static void text_given(const eval_run* r, const char* title, const cli_given* given, unsigned char mark)
{
  const cli_dofs* d = &r->robot.dofs;
  int listed = 0;
  for (int k = 0; given && k < d->nv; k++) {
    if (given->mark[k] != mark) continue;
    if (listed == 0) (void)fprintf(r->out, "%s %s of ", title, mark == LIMB_ACCELERATION_GIVEN ? "a" : "tau");
    (void)fprintf(r->out, "%s%s%s", listed++ ? ", " : "", d->v[k].name, given->column[k] < 0 ? " (0)" : "");
  }
  if (listed) (void)fprintf(r->out, "\n");
}

static int text_begin(eval_run* r)
{
  const sp_vec3 g = r->robot.env.gravity;
  const char* frame = eval_frame_name(r);
  const unsigned needs = limb_evaluator_needs(r->e);
  (void)fprintf(r->out, "%s: gravity (%g, %g, %g) m/s^2, friction %s", limb_model_name(r->robot.model), g.x, g.y, g.z,
                r->robot.env.friction ? "as in the model" : "left out");
  if (limb_loop_count(r->robot.model) > 0)
    (void)fprintf(r->out, ", %s", r->options.tree ? "loops cut open (the spanning tree)" : "loops closed");
  if (frame) (void)fprintf(r->out, ", frame '%s'", frame);
  if (needs & LIMB_NEEDS_REFERENCE) (void)fprintf(r->out, ", reference %s", limb_ref_text(r->options.ref));
  if (needs & LIMB_NEEDS_DIRECTIONS && r->options.damping > 0)
    (void)fprintf(r->out, ", damping %g", r->options.damping);
  if (needs & LIMB_NEEDS_DT) (void)fprintf(r->out, ", samples every %g s", r->options.dt);
  (void)fprintf(r->out, "; SI units, angular parts first\n");
  for (int mark = LIMB_ACCELERATION_GIVEN; mark >= LIMB_FORCE_GIVEN; mark--) {
    text_given(r, "given:", eval_given(r, 0), (unsigned char)mark);
    text_given(r, "given for the base:", eval_given(r, 1), (unsigned char)mark);
  }
  return EXIT_FINE;
}

// The size of the numbers around an entry at x: of its item, or of the field of it. Single numbers in fields are of
// different kinds, and have none.
static double size_around(const eval_run* r, const limb_item* item, const double* x)
{
  const double* all = r->x + item->offset;
  const int fields = item->rank > 0 && item->axis[0] == LIMB_AXIS_FIELD;
  for (int axis = 1; axis < item->rank; axis++)
    if (item->axis[axis] == LIMB_AXIS_FIELD) return 0;
  if (!fields) return cli_largest(all, item->size);
  const size_t one = item->size / item->length[0];
  return one == 1 ? 0 : cli_largest(all + (size_t)(x - all) / one * one, one);
}

// A number of an answer.
static void cell_answer(cli_table* t, double x, double size)
{
  x = cli_clean(x, size);
  if (isnan(x))
    cli_cell(t, "%s", "none");
  else if (isinf(x))
    cli_cell(t, "%s", x < 0 ? "-inf" : "inf");
  else
    cli_cell_number(t, x);
}

// "dM_dq (i = elbow; j down, k across)", "d2tau.dqdv (i = elbow; j down, k across)": which matrix of a tensor.
// Fields, joints and bodies have names, not letters.
static void matrix_title(const eval_run* r, int i, const limb_item* item, const size_t* index, char* text, size_t size)
{
  const int first = item->rank > 2 && (item->axis[0] == LIMB_AXIS_FIELD || item->axis[0] == LIMB_AXIS_JOINT ||
                                       item->axis[0] == LIMB_AXIS_BODY);
  (void)snprintf(text, size, "%s%s%s", item->name, first ? "." : "",
                 first ? limb_evaluator_label(r->e, i, 0, index[0]) : "");
  if (item->rank - first < 3) return;
  const char *gap = " (", *letter = "ijkl";
  size_t used = strlen(text);
  for (int axis = first; axis < item->rank - 2 && used < size; axis++, letter++, gap = ", ")
    used += (size_t)snprintf(text + used, size - used, "%s%c = %s", gap, *letter,
                             limb_evaluator_label(r->e, i, axis, index[axis]));
  if (used < size) (void)snprintf(text + used, size - used, "; %c down, %c across)", letter[0], letter[1]);
}

// The last two axes: labels of the last one on top, of the other in front.
static void text_matrix(const eval_run* r, int i, const limb_item* item, const size_t* index, const double* x)
{
  const int rank = item->rank;
  const size_t rows = item->length[rank - 2], columns = item->length[rank - 1];
  const double size = size_around(r, item, x);
  char name[NAME];
  char* form = malloc(2 * columns + 2);
  if (!form) {
    cli_note_out_of_memory(0);
    return;
  }
  for (size_t k = 0; k < columns; k++) memcpy(form + 2 * k + 1, ";>", 2);
  form[0] = '<', form[2 * columns + 1] = '\0';
  cli_table t = cli_table_make(form); // the first row has the headings
  matrix_title(r, i, item, index, name, sizeof name);
  if (rank > 2) // a line of its own: it is longer than what stands below
    (void)fprintf(r->out, "  %s%s%s\n", cli_on(r->out, CLI_BOLD), name, cli_off(r->out, CLI_BOLD));
  cli_cell(&t, "%s", rank > 2 ? "" : name);
  for (size_t k = 0; k < columns; k++) cli_cell(&t, "%s", limb_evaluator_label(r->e, i, rank - 1, k));
  for (size_t j = 0; j < rows; j++) {
    cli_cell(&t, "%s", limb_evaluator_label(r->e, i, rank - 2, j));
    for (size_t k = 0; k < columns; k++) cell_answer(&t, x[j * columns + k], size);
  }
  cli_table_print(&t, r->out, "  ");
  free(form);
}

// The next index of the axes before the last two. 0 at the end.
static int advance(const limb_item* item, size_t* index)
{
  for (int axis = item->rank - 3; axis >= 0; axis--) {
    if (++index[axis] < item->length[axis]) return 1;
    index[axis] = 0;
  }
  return 0;
}

static void text_matrices(const eval_run* r, int i, const limb_item* item)
{
  size_t index[LIMB_QUANTITY_AXES_MAX] = {0};
  const double* x = r->x + item->offset;
  const size_t size = item->length[item->rank - 2] * item->length[item->rank - 1];
  if (item->size == 0) return;
  do {
    text_matrix(r, i, item, index, x);
    x += size;
  } while (advance(item, index));
}

// An item with one axis or none.
static void text_list(const eval_run* r, int i, const limb_item* item)
{
  char name[NAME];
  const double* x = r->x + item->offset;
  cli_table t = cli_table_make("<;>;<");
  if (item->rank > 0) cli_cell(&t, "%s", item->name), cli_cell(&t, "%s", ""), cli_cell(&t, "%s", "");
  for (size_t k = 0; k < item->size; k++) {
    if (item->rank == 0) (void)limb_evaluator_column(r->e, i, 0, name, sizeof name);
    cli_cell(&t, "%s", item->rank > 0 ? limb_evaluator_label(r->e, i, 0, k) : name);
    cell_answer(&t, x[k], size_around(r, item, x + k));
    cli_cell(&t, "%s", limb_evaluator_unit(r->e, i, k));
  }
  cli_table_print(&t, r->out, "  ");
}

static int text_row(eval_run* r)
{
  (void)fprintf(r->out, "\nrow %llu", (unsigned long long)r->states.count);
  if (r->states.has_time) (void)fprintf(r->out, ", time %g", r->states.time);
  (void)fprintf(r->out, "\n");
  for (int i = 0; i < r->count; i++) {
    limb_item item;
    if (limb_evaluator_get(r->e, i, &item) != LIMB_OK) continue;
    if (item.rank > 1)
      text_matrices(r, i, &item);
    else
      text_list(r, i, &item);
  }
  return EXIT_FINE;
}

const eval_printer eval_text = {"text", text_begin, text_row, NULL, NULL, LIMB_TABLE_NONE};
