// Inverse dynamics along a table of states: what `limb id` does with a CSV file. All rows are kept, to be drawn.
#include "limb/study.h"
#include "limb/table.h"

#include "web.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 1100, Q = 0, V = 1, A = 2, GROUPS = 3 };

struct web_motion {
  const web_robot* robot;
  int nq, nv, loops, differentiate;
  FILE* file;
  limb_csv_reader* reader;
  int columns, time_column;
  int* column[GROUPS]; // of the table, for each number of q, v and a; -1: none
  char* used;          // a mark per column of the table
  double* cells;       // a row of it
  int nwrench;
  limb_wrench* wrench;
  int (*wrench_column)[6];
  limb_environment env;
  limb_completion* completion; // of robots with loops
  limb_track* track;
  limb_evaluator* e;
  limb_sizing* sizing;
  double* x; // what the evaluator computes: torques, reactions
  sp_force* load;
  size_t width; // of a kept row: time, q, v, a, tau
  size_t rows, capacity;
  double* kept;
  sp_force* kept_wrench;
  limb_error failed;
  json notes, text;
};

static const char* const prefix[GROUPS] = {"q.", "v.", "a."};

static int width_of(const web_motion* m, int group) { return group == Q ? m->nq : m->nv; }

static const limb_dof_info* dof_of(const web_motion* m, int group, int k)
{
  return group == Q ? limb_get_coordinate(m->robot->dofs, k) : limb_get_velocity(m->robot->dofs, k);
}

__attribute__((format(printf, 3, 4))) static limb_status fail(web_motion* m, limb_status s, const char* format, ...)
{
  va_list list;
  (void)web_fail(&m->failed, s);
  va_start(list, format);
  (void)vsnprintf(m->failed.text, sizeof m->failed.text, format, list);
  va_end(list);
  m->failed.line = m->reader && m->rows > 0 ? limb_csv_line(m->reader) : 0;
  return s;
}

__attribute__((format(printf, 2, 3))) static void note(web_motion* m, const char* format, ...)
{
  char text[2000];
  va_list list;
  va_start(list, format);
  (void)vsnprintf(text, sizeof text, format, list);
  va_end(list);
  json_text(&m->notes, "", text);
}

// ---- columns ---------------------------------------------------------------------------------------

static void find_group(web_motion* m, int g)
{
  for (int k = 0; k < width_of(m, g); k++) {
    char name[NAME_SIZE];
    (void)snprintf(name, sizeof name, "%s%s", prefix[g], dof_of(m, g, k)->name);
    int at = limb_csv_find(m->reader, name);
    if (at < 0 && g == A) { // as limb eval writes it
      (void)snprintf(name, sizeof name, "acc.%s", dof_of(m, g, k)->name);
      at = limb_csv_find(m->reader, name);
    }
    m->column[g][k] = at;
    if (at >= 0) m->used[at] = 1;
  }
}

// A column wrench.<frame>.<part>; the name of the frame may have dots.
static limb_status find_wrench(web_motion* m, int column, const char* name)
{
  static const char* const part[] = {".mx", ".my", ".mz", ".fx", ".fy", ".fz"};
  const size_t length = strlen(name);
  char frame[NAME_SIZE] = "";
  int p = 0, i = 0;
  while (p < 6 && (length < 11 || strcmp(name + length - 3, part[p]) != 0)) p++;
  if (p < 6 && length < NAME_SIZE) (void)snprintf(frame, sizeof frame, "%.*s", (int)length - 10, name + 7);
  const int index = *frame ? limb_find_frame(m->robot->model, frame) : -1;
  if (index < 0)
    return fail(m, LIMB_E_ARG, "column '%s': a wrench is wrench.<frame>. and one of mx my mz fx fy fz", name);
  while (i < m->nwrench && m->wrench[i].frame != index) i++;
  if (i == m->nwrench) {
    m->wrench[i] = (limb_wrench){.frame = index, .ref = LIMB_ALIGNED};
    for (int k = 0; k < 6; k++) m->wrench_column[i][k] = -1;
    m->nwrench++;
  }
  m->wrench_column[i][p] = column;
  return LIMB_OK;
}

// A column of results, such as M.elbow.wrist, or torques: of a quantity that is no part of what is given.
static int is_result(const char* name)
{
  char head[64];
  (void)snprintf(head, sizeof head, "%.*s", (int)strcspn(name, ".@"), name);
  for (int g = 0; g < GROUPS; g++)
    if (strncmp(name, prefix[g], strlen(prefix[g])) == 0) return 0;
  return limb_find_quantity(head) != NULL;
}

static limb_status find_rest(web_motion* m)
{
  limb_status s = LIMB_OK;
  int results = 0;
  for (int i = 0; i < m->columns && s == LIMB_OK; i++) {
    const char* name = limb_csv_column(m->reader, i);
    if (m->used[i]) continue;
    if (strncmp(name, "wrench.", 7) == 0)
      s = find_wrench(m, i, name);
    else if (strncmp(name, "base_velocity.", 14) == 0 || strncmp(name, "base_acceleration.", 18) == 0)
      s = fail(m, LIMB_E_UNSUPPORTED, "column '%s': the motion of a base needs the tool, limb id", name);
    else if (is_result(name))
      results++;
    else
      note(m, "column '%s' is not used: the robot has nothing of that name", name);
  }
  if (results > 0) note(m, "columns of results are not used: %d", results);
  return s;
}

static int missing(const web_motion* m, int g, const limb_dof_info** first)
{
  int count = 0;
  for (int k = width_of(m, g) - 1; k >= 0; k--)
    if (m->column[g][k] < 0) count++, *first = dof_of(m, g, k);
  return count;
}

// Of robots with loops some columns may be missing: they follow from the others.
static limb_status check_columns(web_motion* m)
{
  const limb_dof_info* first = NULL;
  for (int g = Q; g <= (m->differentiate ? Q : A); g++) {
    const int count = missing(m, g, &first), all = width_of(m, g);
    if (count == 0 || (m->loops && count < all)) continue;
    return fail(m, LIMB_E_ARG, "%d of %d columns %s are missing, such as %s%s%s", count, all, prefix[g], prefix[g],
                first->name, g == Q ? "" : "; they can be derived from the positions (differentiate)");
  }
  if (m->differentiate && m->time_column < 0) return fail(m, LIMB_E_ARG, "there is no column called time");
  if (m->time_column < 0) note(m, "there is no column called time: rows are numbered");
  return LIMB_OK;
}

static limb_status open_table(web_motion* m, const char* path)
{
  m->file = fopen(path, "rb");
  if (!m->file) return fail(m, LIMB_E_IO, "the table cannot be opened");
  const limb_status s = limb_csv_open(m->file, NULL, &m->reader, &m->failed);
  if (s != LIMB_OK) return s;
  m->columns = limb_csv_column_count(m->reader);
  const size_t n = (size_t)m->columns + 1;
  m->used = calloc(n, 1);
  m->cells = calloc(n, sizeof *m->cells);
  m->wrench = calloc(n, sizeof *m->wrench);
  m->wrench_column = calloc(n, sizeof *m->wrench_column);
  for (int g = 0; g < GROUPS; g++) m->column[g] = calloc((size_t)width_of(m, g) + 1, sizeof *m->column[g]);
  return m->used && m->cells && m->wrench && m->wrench_column && m->column[Q] && m->column[V] && m->column[A]
           ? LIMB_OK
           : LIMB_E_NOMEM;
}

static limb_status find_columns(web_motion* m)
{
  m->time_column = limb_csv_find(m->reader, "time");
  if (m->time_column >= 0) m->used[m->time_column] = 1;
  for (int g = 0; g < GROUPS; g++) find_group(m, g);
  const limb_status s = find_rest(m);
  return s == LIMB_OK ? check_columns(m) : s;
}

// ---- what computes ---------------------------------------------------------------------------------

static limb_status create_completion(web_motion* m)
{
  limb_completion_options o = limb_default_completion_options();
  unsigned char* given[GROUPS] = {NULL};
  limb_status s = LIMB_OK;
  for (int g = 0; g < GROUPS; g++) {
    given[g] = calloc((size_t)width_of(m, g) + 1, 1);
    if (!given[g]) s = LIMB_E_NOMEM;
    for (int k = 0; k < width_of(m, g) && given[g]; k++) given[g][k] = m->column[g][k] >= 0;
  }
  o.velocities = o.accelerations = !m->differentiate;
  o.given_q = given[Q], o.given_v = given[V], o.given_a = given[A];
  if (s == LIMB_OK) s = limb_completion_create(m->robot->model, &o, NULL, &m->completion, &m->failed);
  for (int g = 0; g < GROUPS; g++) free(given[g]);
  return s;
}

static limb_status prepare(web_motion* m)
{
  static const char* const names[] = {"tau", "reactions@body"};
  const limb_model* model = m->robot->model;
  limb_status s = m->loops ? create_completion(m) : LIMB_OK;
  if (s == LIMB_OK) s = limb_evaluator_create(model, NULL, NULL, &m->e);
  for (int k = 0; k < 2 && s == LIMB_OK; k++) s = limb_evaluator_add(m->e, names[k], NULL, NULL, &m->failed);
  if (s == LIMB_OK && m->time_column >= 0) s = limb_sizing_create(model, &m->sizing);
  if (s == LIMB_OK && m->differentiate) s = limb_track_create(model, &m->track);
  if (s != LIMB_OK) return s;
  m->x = calloc(limb_evaluator_width(m->e) + 1, sizeof *m->x);
  m->load = calloc((size_t)limb_joint_count(model) + 1, sizeof *m->load);
  m->env = limb_default_environment(model);
  m->env.nwrench = m->nwrench;
  m->env.wrench = m->nwrench > 0 ? m->wrench : NULL;
  m->width = 1 + (size_t)m->nq + 3 * (size_t)m->nv;
  return m->x && m->load ? LIMB_OK : LIMB_E_NOMEM;
}

// ---- rows ------------------------------------------------------------------------------------------

// Room for another row; NULL: out of memory.
static double* next_row(web_motion* m)
{
  if (m->rows == m->capacity) {
    const size_t capacity = m->capacity ? 2 * m->capacity : 256;
    double* more = realloc(m->kept, capacity * m->width * sizeof *more);
    if (more) m->kept = more;
    sp_force* wrenches = realloc(m->kept_wrench, (capacity * (size_t)m->nwrench + 1) * sizeof *wrenches);
    if (wrenches) m->kept_wrench = wrenches;
    if (!more || !wrenches) return NULL;
    m->capacity = capacity;
  }
  return m->kept + m->rows * m->width;
}

static double* part_of(const web_motion* m, double* row, int group)
{
  return row + 1 + (group == Q ? 0 : m->nq + (group - 1) * m->nv);
}

static void take_row(web_motion* m, double* row)
{
  row[0] = m->time_column >= 0 ? m->cells[m->time_column] : (double)m->rows;
  for (int g = 0; g < GROUPS; g++)
    for (int k = 0; k < width_of(m, g); k++)
      part_of(m, row, g)[k] = m->column[g][k] >= 0 ? m->cells[m->column[g][k]] : 0;
  for (int i = 0; i < m->nwrench; i++) {
    double f[6];
    for (int k = 0; k < 6; k++) f[k] = m->wrench_column[i][k] >= 0 ? m->cells[m->wrench_column[i][k]] : 0;
    m->kept_wrench[m->rows * (size_t)m->nwrench + (size_t)i] =
      sp_force_make(sp_v3(f[0], f[1], f[2]), sp_v3(f[3], f[4], f[5]));
  }
}

// The state of the row, completed where loops determine it.
static limb_status complete_row(web_motion* m, double* row)
{
  double *q = part_of(m, row, Q), *v = part_of(m, row, V), *a = part_of(m, row, A);
  const double time = m->time_column >= 0 ? row[0] : 0;
  if (m->time_column >= 0 && m->rows > 0 && !(time > row[-(ptrdiff_t)m->width])) {
    m->rows++; // the message is about this row
    return fail(m, LIMB_E_ARG, "time %.9g does not come after the %.9g of the row before", time,
                row[-(ptrdiff_t)m->width]);
  }
  if (m->completion) {
    const limb_status s = m->differentiate ? limb_complete_state(m->completion, time, q, NULL, NULL, &m->failed)
                                           : limb_complete_state(m->completion, time, q, v, a, &m->failed);
    if (s != LIMB_OK) return s;
  }
  return m->track ? limb_track_add(m->track, time, q, &m->failed) : LIMB_OK;
}

static limb_status read_rows(web_motion* m)
{
  int got = 0;
  for (;;) {
    limb_status s = limb_csv_next(m->reader, m->cells, &got, &m->failed);
    if (s != LIMB_OK || !got) return s;
    double* row = next_row(m);
    if (!row) return LIMB_E_NOMEM;
    take_row(m, row);
    s = complete_row(m, row);
    if (s != LIMB_OK) {
      m->failed.line = limb_csv_line(m->reader);
      return s;
    }
    m->rows++;
    if (limb_csv_unended(m->reader)) note(m, "the last line does not end: its last number may have been cut off");
  }
}

static limb_status compute_row(web_motion* m, size_t i)
{
  double* row = m->kept + i * m->width;
  double *q = part_of(m, row, Q), *v = part_of(m, row, V), *a = part_of(m, row, A);
  limb_status s = LIMB_OK;
  if (m->track) s = limb_track_get(m->track, i, row, q, v, a);
  if (s == LIMB_OK && m->track && m->completion) s = limb_complete_rates(m->completion, row[0], q, v, a, &m->failed);
  for (int k = 0; k < m->nwrench; k++) m->wrench[k].wrench = m->kept_wrench[i * (size_t)m->nwrench + (size_t)k];
  const limb_state state = {.q = q, .v = v, .a = a, .time = m->time_column >= 0 ? row[0] : 0, .env = &m->env};
  if (s == LIMB_OK) s = limb_evaluator_run(m->e, &state, m->x);
  if (s != LIMB_OK) {
    limb_error detail = {0};
    (void)limb_evaluator_failure(m->e, &detail);
    return fail(m, s, "row %zu: %s", i + 1, *detail.text ? detail.text : limb_status_text(s));
  }
  memcpy(row + 1 + m->nq + 2 * m->nv, m->x, (size_t)m->nv * sizeof *m->x);
  const double* f = m->x + m->nv;
  for (int k = 0; k < limb_joint_count(m->robot->model); k++, f += 6)
    m->load[k] = sp_force_make(sp_v3(f[0], f[1], f[2]), sp_v3(f[3], f[4], f[5]));
  if (m->sizing) {
    const limb_sizing_row at = {.time = row[0], .q = q, .v = v, .a = a, .tau = m->x, .load = m->load};
    limb_sizing_add(m->sizing, &at);
  }
  return LIMB_OK;
}

// A motion that needs a motor where there is none is not the robot's own.
static void note_unmet(web_motion* m)
{
  double largest = 0, unmet = 0;
  int at = 0;
  for (size_t i = 0; i < m->rows && !m->loops; i++)
    for (int k = 0; k < m->nv; k++) {
      const double size = fabs(m->kept[i * m->width + 1 + (size_t)(m->nq + 2 * m->nv + k)]);
      largest = fmax(largest, size);
      if (!limb_get_velocity(m->robot->dofs, k)->passive || size <= unmet) continue;
      unmet = size;
      at = k;
    }
  const limb_dof_info* dof = limb_get_velocity(m->robot->dofs, at);
  if (unmet > 1e-6 * largest)
    note(m, "the motion takes up to %.3g %s at '%s', which has no motor: something else must deliver it", unmet,
         limb_force_unit(dof), dof->name);
}

static limb_status run(web_motion* m, const char* path)
{
  limb_status s = open_table(m, path);
  if (s == LIMB_OK) s = find_columns(m);
  if (s == LIMB_OK) s = prepare(m);
  if (s == LIMB_OK) s = read_rows(m);
  if (s == LIMB_OK && m->rows == 0) s = fail(m, LIMB_E_ARG, "there are no rows");
  if (s == LIMB_OK && m->track) s = limb_track_fit(m->track, &m->failed);
  for (size_t i = 0; i < m->rows && s == LIMB_OK; i++) s = compute_row(m, i);
  if (s == LIMB_OK) note_unmet(m);
  return s;
}

web_motion* web_motion_open(const web_robot* r, const char* path, int differentiate)
{
  web_motion* m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->robot = r;
  m->nq = limb_nq(r->model), m->nv = limb_nv(r->model);
  m->loops = limb_loop_count(r->model) > 0;
  m->differentiate = differentiate;
  const limb_status s = run(m, path);
  if (s != LIMB_OK && m->failed.status == LIMB_OK) (void)web_fail(&m->failed, s);
  return m;
}

void web_motion_close(web_motion* m)
{
  if (!m) return;
  limb_csv_close(m->reader);
  if (m->file) (void)fclose(m->file);
  limb_completion_destroy(m->completion);
  limb_track_destroy(m->track);
  limb_evaluator_destroy(m->e);
  limb_sizing_destroy(m->sizing);
  for (int g = 0; g < GROUPS; g++) free(m->column[g]);
  free(m->used);
  free(m->cells);
  free(m->wrench);
  free(m->wrench_column);
  free(m->x);
  free(m->load);
  free(m->kept);
  free(m->kept_wrench);
  json_free(&m->notes);
  json_free(&m->text);
  free(m);
}

const double* web_motion_numbers(const web_motion* m) { return m->kept; }

// ---- description -----------------------------------------------------------------------------------

static void put_peak(json* j, const char* key, const limb_peak* p)
{
  json_begin(j, key, '{');
  json_number(j, "value", p->value);
  json_number(j, "time", p->time);
  json_number(j, "other", p->other);
  json_end(j, '}');
}

static void put_sizing(web_motion* m)
{
  json* j = &m->text;
  limb_sizing_dof x;
  json_begin(j, "sizing", '[');
  for (int k = 0; m->sizing && k < m->nv; k++) {
    if (limb_sizing_get_dof(m->sizing, k, &x) != LIMB_OK) continue;
    json_begin(j, "", '{');
    put_peak(j, "torque", &x.torque);
    put_peak(j, "speed", &x.speed);
    put_peak(j, "power", &x.power);
    json_number(j, "torqueRms", x.torque_rms);
    json_number(j, "meanPower", x.mean_power);
    json_number(j, "energyDelivered", x.energy_delivered);
    json_number(j, "energyAbsorbed", x.energy_absorbed);
    json_number(j, "torqueLimit", x.torque_limit);
    json_number(j, "speedLimit", x.speed_limit);
    json_number(j, "min", x.has_position ? x.q_min : nan(""));
    json_number(j, "max", x.has_position ? x.q_max : nan(""));
    json_number(j, "margin", x.has_position ? x.margin : nan(""));
    json_end(j, '}');
  }
  json_end(j, ']');
}

const char* web_motion_describe(web_motion* m)
{
  json* j = &m->text;
  json_clear(j);
  json_begin(j, "", '{');
  web_put_error(j, &m->failed);
  json_number(j, "rows", (double)m->rows);
  json_number(j, "hasTime", m->time_column >= 0);
  json_entries(j, "notes", &m->notes);
  put_sizing(m);
  json_end(j, '}');
  return json_done(j);
}
