// `limb eval`: what the answers rest on, and the forms CSV and text for people, row by row.
#include "cli.h"
#include "eval.h"
#include "output.h"
#include "table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- what the answer rests on ----------------------------------------------------------------------

const char* eval_ref_name(limb_ref ref) { return ref == LIMB_BODY ? "body" : ref == LIMB_WORLD ? "world" : "aligned"; }

const char* eval_frame_name(const eval_run* run)
{
  limb_frame_info info;
  if (run->frame < 0 || limb_get_frame(run->robot->model, run->frame, &info) != LIMB_OK) return NULL;
  return info.name;
}

// ---- CSV -------------------------------------------------------------------------------------------

static int csv_status(const eval_sheet* s, limb_status status)
{
  if (status == LIMB_OK) return EXIT_FINE;
  return cli_unwritten(cli_title(s->args), "the CSV", limb_status_text(status));
}

// The columns of a quantity.
static limb_status csv_names(const eval_sheet* s, const eval_quantity* e)
{
  size_t index[EVAL_AXES] = {0};
  const int rank = eval_rank(e);
  limb_status status = LIMB_OK;
  if (eval_size(e, s->run) == 0) return status;
  do {
    char name[2400];
    eval_name(e, s->run, rank, index, name, sizeof name);
    status = limb_csv_text(s->writer, name);
  } while (status == LIMB_OK && eval_advance(e, s->run, rank, index));
  return status;
}

// The end of a row. A table without columns, of a robot without joints say, has no rows either.
static limb_status csv_end_row(const eval_sheet* s)
{
  double columns = s->run->states->has_time;
  for (int i = 0; i < s->count; i++) columns += eval_size(s->quantity[i], s->run);
  return columns > 0 ? limb_csv_end_row(s->writer) : LIMB_OK;
}

static int csv_begin(eval_sheet* s)
{
  errno = 0;
  limb_status status = limb_csv_create(s->out, NULL, &s->writer);
  if (status == LIMB_OK && s->run->states->has_time) status = limb_csv_text(s->writer, "time");
  for (int i = 0; i < s->count && status == LIMB_OK; i++) status = csv_names(s, s->quantity[i]);
  if (status == LIMB_OK) status = csv_end_row(s);
  return csv_status(s, status);
}

static int csv_row(eval_sheet* s)
{
  const cli_states* states = s->run->states;
  limb_status status = LIMB_OK;
  errno = 0;
  if (states->has_time) status = limb_csv_number(s->writer, states->time);
  for (int i = 0; i < s->count && status == LIMB_OK; i++) // not more than most_numbers
    status = limb_csv_numbers(s->writer, s->x[i], (int)eval_size(s->quantity[i], s->run));
  if (status == LIMB_OK) status = csv_end_row(s);
  return csv_status(s, status);
}

static int csv_end(eval_sheet* s)
{
  errno = 0;
  return csv_status(s, limb_csv_finish(s->writer));
}

// The rows so far are a table.
static int csv_fail(eval_sheet* s, int code)
{
  (void)code;
  return csv_end(s);
}

const eval_printer eval_csv = {"csv", csv_begin, csv_row, csv_end, csv_fail};

// ---- text ------------------------------------------------------------------------------------------

// "given: a of elbow, wrist", "given: tau of base.wx"; nothing when there is none of that kind.
static void text_given(const eval_sheet* s, const char* title, const cli_given* given, unsigned char mark)
{
  const cli_dofs* d = s->run->dofs;
  int told = 0;
  for (int k = 0; k < d->nv && given->mark; k++) {
    if (given->mark[k] != mark) continue;
    if (told == 0) {
      (void)fprintf(s->out, "%s %s of ", title, mark == LIMB_ACCELERATION_GIVEN ? "a" : "tau");
    }
    (void)fprintf(s->out, "%s%s%s", told++ ? ", " : "", d->v[k].name, given->column[k] < 0 ? " (0)" : "");
  }
  if (told) (void)fprintf(s->out, "\n");
}

static int text_begin(eval_sheet* s)
{
  const cli_robot* r = s->run->robot;
  const sp_vec3 g = r->env.gravity;
  const char* frame = eval_frame_name(s->run);
  (void)fprintf(s->out, "%s: gravity (%g, %g, %g) m/s^2, friction %s", limb_model_name(r->model), g.x, g.y, g.z,
                r->env.friction ? "as in the model" : "left out");
  if (frame) (void)fprintf(s->out, ", frame '%s'", frame);
  if (eval_of(s) & OF_REF) (void)fprintf(s->out, ", reference %s", eval_ref_name(s->run->ref));
  if (eval_of(s) & OF_TASK && s->run->task_options.damping > 0)
    (void)fprintf(s->out, ", damping %g", s->run->task_options.damping);
  if (eval_of(s) & OF_STEP) (void)fprintf(s->out, ", samples every %g s", s->run->dt);
  (void)fprintf(s->out, "; SI units, angular parts first\n");
  for (int mark = LIMB_ACCELERATION_GIVEN; mark >= LIMB_FORCE_GIVEN; mark--) {
    text_given(s, "given:", &s->run->states->given, (unsigned char)mark);
    text_given(s, "given for the base:", &s->run->states->base, (unsigned char)mark);
  }
  return EXIT_FINE;
}

// "dM_dq (i = elbow; j down, k across)", "d2tau.dqdv (i = elbow; j down, k across)": what a matrix is of a
// tensor. Fields have names, not letters.
static void matrix_title(const eval_quantity* e, const eval_run* run, const size_t* index, char* text, size_t size)
{
  const int rank = eval_rank(e), first = e->axes[0] == AXIS_FIELD || e->axes[0] == AXIS_JOINT;
  eval_name(e, run, rank > 2 ? first : 0, index, text, size);
  if (rank - first < 3) return;
  const char *gap = " (", *letter = "ijkl";
  for (int axis = first; axis < rank - 2; axis++, letter++, gap = ", ") {
    char name[600];
    const size_t used = strlen(text);
    eval_index_name(e, run, axis, index[axis], name, sizeof name);
    (void)snprintf(text + used, size - used, "%s%c = %s", gap, *letter, name);
  }
  const size_t used = strlen(text);
  (void)snprintf(text + used, size - used, "; %c down, %c across)", letter[0], letter[1]);
}

// A number of an answer: infinite ones are told.
static void cell_answer(cli_table* t, double x)
{
  if (isinf(x)) {
    cli_cell(t, "%s", x < 0 ? "-inf" : "inf");
  } else {
    cli_cell_number(t, x);
  }
}

// The last two axes: names of the last one on top, of the other in front.
static void text_matrix(const eval_quantity* e, const eval_run* run, const size_t* index, const double* x, FILE* out)
{
  const int rank = eval_rank(e);
  const size_t rows = eval_length(e, run, rank - 2), columns = eval_length(e, run, rank - 1);
  char name[2400];
  char* align = malloc(columns + 2);
  if (!align) return;
  memset(align, 'r', columns + 1);
  align[0] = 'l';
  align[columns + 1] = '\0';
  cli_table t = cli_table_make(align);
  matrix_title(e, run, index, name, sizeof name);
  if (rank > 2) // a line of its own: it is longer than what stands below
    (void)fprintf(out, "  %s%s%s\n", cli_on(out, CLI_BOLD), name, cli_off(out, CLI_BOLD));
  cli_cell(&t, "%s", rank > 2 ? "" : name);
  for (size_t k = 0; k < columns; k++) {
    eval_index_name(e, run, rank - 1, k, name, sizeof name);
    cli_cell(&t, "%s", name);
  }
  for (size_t i = 0; i < rows; i++) {
    eval_index_name(e, run, rank - 2, i, name, sizeof name);
    cli_cell(&t, "%s", name);
    for (size_t k = 0; k < columns; k++) cell_answer(&t, x[i * columns + k]);
  }
  cli_table_print(&t, out, "  ");
  free(align);
}

static void text_matrices(const eval_quantity* e, const eval_run* run, const double* x, FILE* out)
{
  size_t index[EVAL_AXES] = {0};
  const int rank = eval_rank(e);
  if (eval_size(e, run) == 0) return;
  const size_t size = eval_length(e, run, rank - 2) * eval_length(e, run, rank - 1);
  do {
    text_matrix(e, run, index, x, out);
    x += size;
  } while (eval_advance(e, run, rank - 2, index));
}

// A quantity with one axis or none.
static void text_list(const eval_quantity* e, const eval_run* run, const double* x, FILE* out)
{
  const int rank = eval_rank(e);
  const size_t n = eval_length(e, run, 0);
  char name[600];
  cli_table t = cli_table_make("lrl");
  if (rank > 0) cli_cell(&t, "%s", e->name), cli_cell(&t, "%s", ""), cli_cell(&t, "%s", "");
  for (size_t k = 0; k < n; k++) {
    eval_index_name(e, run, 0, k, name, sizeof name);
    cli_cell(&t, "%s", rank > 0 ? name : e->name);
    cell_answer(&t, x[k]);
    cli_cell(&t, "%s", e->unit ? e->unit : "");
  }
  cli_table_print(&t, out, "  ");
}

static int text_row(eval_sheet* s)
{
  const cli_states* states = s->run->states;
  (void)fprintf(s->out, "\nrow %llu", (unsigned long long)states->count);
  if (states->has_time) (void)fprintf(s->out, ", time %g", states->time);
  (void)fprintf(s->out, "\n");
  for (int i = 0; i < s->count; i++) {
    const eval_quantity* e = s->quantity[i];
    if (eval_rank(e) > 1) {
      text_matrices(e, s->run, s->x[i], s->out);
    } else {
      text_list(e, s->run, s->x[i], s->out);
    }
  }
  return EXIT_FINE;
}

static int text_end(eval_sheet* s)
{
  (void)s;
  return EXIT_FINE;
}

static int text_fail(eval_sheet* s, int code)
{
  (void)code;
  return text_end(s);
}

const eval_printer eval_text = {"text", text_begin, text_row, text_end, text_fail};
