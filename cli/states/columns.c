// Which column is what. Nothing is dropped silently: a column that no number of the model belongs to is named
// in a warning, a wrench that cannot be placed is an error.
#include "base/command.h"
#include "states/states.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LISTED = 10, NAME_SIZE = CLI_NAME_SPACE };

static const char* const prefix[STATES_GROUPS] = {"q.", "v.", "a.", "tau.", "v_r.", "a_r.", "q_r."};
static const char* const wrench_part[6] = {".mx", ".my", ".mz", ".fx", ".fy", ".fz"};

static int has_positions(int group) { return group == 0 || group == GROUP_Q_R; }

int states_width(const cli_dofs* dofs, int group) { return has_positions(group) ? dofs->nq : dofs->nv; }

static const cli_dof* entry(const cli_dofs* dofs, int group, int k)
{
  return has_positions(group) ? &dofs->q[k] : &dofs->v[k];
}

// Name of a column, in text of its own.
static const char* column_name(const cli_dofs* dofs, int group, int k, char text[NAME_SIZE])
{
  (void)snprintf(text, NAME_SIZE, "%s%s", prefix[group], entry(dofs, group, k)->name);
  return text;
}

int states_columns(const cli_states* s) { return s->reader ? limb_csv_column_count(s->reader) : s->options; }

const char* states_column(const cli_states* s, int k)
{
  return s->reader ? limb_csv_column(s->reader, k) : s->option[k];
}

int states_find_column(const cli_states* s, const char* name)
{
  if (s->reader) return limb_csv_find(s->reader, name);
  for (int k = 0; k < states_columns(s); k++)
    if (strcmp(states_column(s, k), name) == 0) return k;
  return -1;
}

// ---- wrenches --------------------------------------------------------------------------------------

static int unknown_frame(const cli_states* s, const char* column, const char* frame)
{
  char hint[LIMB_FRAME_HINT];
  (void)fprintf(stderr, "%s:1: error: column '%s': the model has no frame '%s'%s\n", s->path, column, frame,
                limb_frame_hint(s->model, frame, hint));
  return EXIT_USAGE;
}

// A column wrench.<something> that does not end in a component: was it one in other letters, or was it
// forgotten?
static int unknown_part(const cli_states* s, const char* column)
{
  static const char* const parts[] = {"mx", "my", "mz", "fx", "fy", "fz", NULL};
  const char* frame = column + strlen("wrench.");
  const char* dot = strrchr(frame, '.');
  const char* part = dot && limb_find_frame(s->model, frame) < 0 ? limb_nearest_name(dot + 1, parts) : NULL;
  (void)fprintf(stderr, "%s:1: error: column '%s': a wrench is wrench.<frame>. and one of mx my mz fx fy fz", s->path,
                column);
  if (part)
    (void)fprintf(stderr, "; did you mean '%.*s.%s'?", (int)(dot - column), column, part);
  else if (limb_find_frame(s->model, frame) >= 0)
    (void)fprintf(stderr, "; did you mean '%s.fx' or another of them?", column);
  (void)fprintf(stderr, "\n");
  return EXIT_USAGE;
}

// One column wrench.<frame>.<part>; the frame's own name may have dots. *known: it is one.
static int find_wrench(cli_states* s, int column, int* known)
{
  const char* name = states_column(s, column);
  char frame[NAME_SIZE];
  const size_t length = strlen(name);
  int part = 0;
  *known = 0;
  if (strncmp(name, "wrench.", 7) != 0) return EXIT_FINE;
  while (part < 6 && strcmp(name + length - 3, wrench_part[part]) != 0) part++;
  if (part == 6 || length < 11 || length >= NAME_SIZE) return unknown_part(s, name);
  memcpy(frame, name + 7, length - 10);
  frame[length - 10] = '\0';
  const int index = limb_find_frame(s->model, frame);
  if (index < 0) return unknown_frame(s, name, frame);
  int i = 0;
  while (i < s->nwrench && s->wrench[i].frame != index) i++;
  if (i == s->nwrench) {
    s->wrench[i] = (limb_wrench){.frame = index, .ref = cli_ref(s->args, "wrench-ref")};
    for (int k = 0; k < 6; k++) s->wrench_column[i][k] = -1;
    s->nwrench++;
  }
  s->wrench_column[i][part] = column;
  *known = 1;
  return EXIT_FINE;
}

// ---- columns that are not used ---------------------------------------------------------------------

// The joint in a column such as q.<joint> when that joint has no coordinate; NULL otherwise.
static int joint_without_coordinate(const cli_states* s, const char* name, limb_joint_info* info)
{
  for (int g = 0; g < STATES_GROUPS; g++) {
    const size_t length = strlen(prefix[g]);
    if (strncmp(name, prefix[g], length) != 0) continue;
    const int joint = limb_find_joint(s->model, name + length);
    if (joint >= 0 && limb_get_joint(s->model, joint, info) == LIMB_OK && info->nv == 0) return 1;
  }
  return 0;
}

// What a column was perhaps meant to be called, in text; NULL when there is no guess. Names are compared
// behind the first dot, or as a whole when there is none.
static const char* nearest_column(const cli_states* s, const char* wrong, char text[NAME_SIZE])
{
  static const char* const groups[] = {"q", "v", "a", "tau", "v_r", "a_r", "q_r", "wrench", NULL};
  static const char* const plain[] = {"time", NULL};
  const size_t head = strcspn(wrong, ".");
  char start[12];
  int group = 0;
  (void)snprintf(start, sizeof start, "%.*s", (int)(head < 11 ? head : 11), wrong);
  const char* near_group = wrong[head] ? limb_nearest_name(start, groups) : NULL;
  if (wrong[head] && !near_group) near_group = limb_nearest_quantity(start); // q_closed: q
  if (near_group && strcmp(near_group, "acc") == 0) near_group = groups[GROUP_A];
  if (near_group && !limb_nearest_name(near_group, groups)) near_group = NULL;
  if (wrong[head] && !near_group) return NULL;
  while (near_group && strcmp(near_group, groups[group]) != 0) group++;
  if (group == STATES_GROUPS) {
    (void)snprintf(text, NAME_SIZE, "wrench%s", wrong + head);
    return text;
  }
  const char* name = NULL;
  const int found = cli_find_dof(s->dofs, wrong[head] ? wrong + head + 1 : wrong, has_positions(group), &name);
  if (found >= 0) name = entry(s->dofs, group, found)->name;
  if (!name) return limb_nearest_name(wrong, plain);
  (void)snprintf(text, NAME_SIZE, "%s%s", prefix[group], name);
  return text;
}

// A column of results, such as M.elbow.wrist: of a quantity that is no part of a state.
static int is_result(const char* name)
{
  char head[64];
  (void)snprintf(head, sizeof head, "%.*s", (int)strcspn(name, ".@"), name);
  for (int g = 0; g < STATES_GROUPS; g++)
    if (strncmp(name, prefix[g], strlen(prefix[g])) == 0) return 0;
  return limb_find_quantity(head) != NULL;
}

static void warn_unknown(const cli_states* s, int column)
{
  const char* name = states_column(s, column);
  limb_joint_info info;
  char text[NAME_SIZE];
  (void)fprintf(stderr, "%s:1: warning: column '%s' is not used: ", s->path, name);
  if (joint_without_coordinate(s, name, &info)) {
    if (info.def.mimic >= 0)
      (void)fprintf(stderr, "joint '%s' follows another; --no-mimic frees it\n", info.def.name);
    else
      (void)fprintf(stderr, "joint '%s' is fixed\n", info.def.name);
    return;
  }
  const char* close = nearest_column(s, name, text);
  if (close)
    (void)fprintf(stderr, "the model has nothing of that name; did you mean '%s'?\n", close);
  else
    (void)fprintf(stderr, "the model has nothing of that name\n");
}

// ---- finding ---------------------------------------------------------------------------------------

// Marks the columns of one group; used has a mark per column.
static void find_group(cli_states* s, int g, char* used)
{
  char text[NAME_SIZE];
  for (int k = 0; k < states_width(s->dofs, g); k++) {
    int column = states_find_column(s, column_name(s->dofs, g, k, text));
    if (column < 0 && g == GROUP_A) { // as limb eval writes it
      (void)snprintf(text, sizeof text, "acc.%s", entry(s->dofs, g, k)->name);
      column = states_find_column(s, text);
    }
    s->column[g][k] = column;
    if (column >= 0) used[column] = 1;
  }
}

// base_velocity.wx to base_acceleration.vz
static void find_base(cli_states* s, char* used)
{
  static const char* const part[] = {"wx", "wy", "wz", "vx", "vy", "vz"};
  for (int k = 0; k < 12; k++) {
    char name[NAME_SIZE];
    (void)snprintf(name, sizeof name, "base_%s.%s", k < 6 ? "velocity" : "acceleration", part[k % 6]);
    s->base_column[k] = states_find_column(s, name);
    if (s->base_column[k] >= 0) used[s->base_column[k]] = 1;
  }
}

static int find_rest(cli_states* s, const char* used)
{
  const int count = states_columns(s);
  int unknown = 0, results = 0, code = EXIT_FINE;
  for (int i = 0; i < count; i++) {
    int known = used[i] != 0;
    if (!known) {
      const int c = find_wrench(s, i, &known);
      if (c != EXIT_FINE) code = c;
      known |= c != EXIT_FINE; // it was listed
    }
    if (!known && is_result(states_column(s, i)))
      results++;
    else if (!known && unknown++ < MAX_LISTED)
      warn_unknown(s, i);
  }
  if (results > 0)
    (void)fprintf(stderr, "%s:1: note: %d column%s of results %s not used\n", s->path, results, results == 1 ? "" : "s",
                  results == 1 ? "is" : "are");
  if (unknown > MAX_LISTED)
    (void)fprintf(stderr, "%s:1: warning: %d more column%s not used\n", s->path, unknown - MAX_LISTED,
                  unknown - MAX_LISTED == 1 ? " is" : "s are");
  return code;
}

int states_find_columns(cli_states* s)
{
  char* used = calloc((size_t)states_columns(s) + 1, 1);
  if (!used) return cli_out_of_memory(s->args);
  for (int g = 0; g < STATES_GROUPS; g++) find_group(s, g, used);
  s->time_column = states_find_column(s, "time");
  s->has_time = s->time_column >= 0;
  if (s->has_time) used[s->time_column] = 1;
  find_base(s, used);
  const int code = find_rest(s, used);
  free(used);
  return code;
}

// ---- missing ---------------------------------------------------------------------------------------

// 1 when a column is not there, of joints with a motor or of those without.
static int lacks(const cli_states* s, int g, int k, int passive)
{
  return s->column[g][k] < 0 && entry(s->dofs, g, k)->passive == passive;
}

static int missing_in(const cli_states* s, int g, int passive)
{
  int missing = 0;
  for (int k = 0; k < states_width(s->dofs, g); k++) missing += lacks(s, g, k, passive);
  return missing;
}

// "q.elbow, q.wrist and 3 more", behind what was said: of joints with a motor, without one, or both.
static void list_missing(const cli_states* s, int g, int with, int without)
{
  char text[NAME_SIZE];
  int listed = 0, missing = 0;
  for (int k = 0; k < states_width(s->dofs, g); k++) {
    if (!(with && lacks(s, g, k, 0)) && !(without && lacks(s, g, k, 1))) continue;
    if (missing++ >= MAX_LISTED) continue;
    (void)fprintf(stderr, "%s%s", listed++ ? ", " : "", column_name(s->dofs, g, k, text));
  }
  if (missing > listed) (void)fprintf(stderr, " and %d more", missing - listed);
  (void)fprintf(stderr, "\n");
}

void states_note_zero(const cli_states* s, const char* purpose)
{
  (void)fprintf(stderr, "%s: note: %s takes forces of joints without motor and column for zero: ", s->path, purpose);
}

// idle: columns of joints without motor may be missing; part: some of any joint may.
static int check_group(const cli_states* s, int g, int idle, int part, const char* purpose)
{
  const int with = missing_in(s, g, 0), without = missing_in(s, g, 1);
  if (part && (with + without < states_width(s->dofs, g) || limb_has_prescribed_motion(s->model))) return EXIT_FINE;
  if (idle && with == 0 && without > 0) {
    states_note_zero(s, purpose);
    list_missing(s, g, 0, 1);
  }
  if (with == 0 && (idle || without == 0)) return EXIT_FINE;
  const int code =
    cli_usage(s->args, "%s: %s needs the %s columns; %s", s->path, purpose, prefix[g],
              with + without == states_width(s->dofs, g) ? "there are none of them" : "some are missing");
  (void)fprintf(stderr, "  missing: ");
  list_missing(s, g, 1, !idle);
  if (g == GROUP_A && without > 0 && !part)
    (void)fprintf(stderr, "  of joints without motor a is an answer: limb eval --what hybrid\n");
  return code;
}

int states_check_columns(const cli_states* s, unsigned what, const char* purpose)
{
  int code = EXIT_FINE;
  for (int g = 0; g < STATES_GROUPS; g++) {
    const int idle = g == GROUP_TAU && (what & STATES_IDLE) != 0;
    const int part = g != GROUP_TAU && (what & STATES_PART) != 0;
    if (what & states_bit(g) && check_group(s, g, idle, part, purpose) != EXIT_FINE) code = EXIT_USAGE;
  }
  if (what & STATES_TIME && !s->has_time)
    code = cli_usage(s->args, "%s: %s needs a column called time", s->path, purpose);
  return code;
}

// ---- columns that follow from loops ----------------------------------------------------------------

static void report_missing(const cli_states* s, unsigned groups)
{
  char text[NAME_SIZE];
  int listed = 0, missing = 0;
  for (int g = 0; g < GROUP_TAU; g++) {
    for (int k = 0; k < states_width(s->dofs, g); k++) {
      if (!(groups & states_bit(g)) || s->column[g][k] >= 0) continue;
      if (missing++ == 0) (void)fprintf(stderr, "%s: note: columns that follow from the loops: ", s->path);
      if (missing > MAX_LISTED) continue;
      (void)fprintf(stderr, "%s%s", listed++ ? ", " : "", column_name(s->dofs, g, k, text));
    }
  }
  if (missing > listed) (void)fprintf(stderr, " and %d more", missing - listed);
  if (missing > 0) (void)fprintf(stderr, "\n");
  if (!s->has_time && limb_has_prescribed_motion(s->model))
    (void)fprintf(stderr, "%s: note: there is no column time: prescribed motions are taken at time 0\n", s->path);
}

static int create(cli_states* s, limb_completion_options* o)
{
  limb_error err = {0};
  if (cli_has(s->args, "loop-tolerance") && !cli_numbers(s->args, "loop-tolerance", 1, &o->tolerance))
    return EXIT_USAGE;
  const limb_status status = limb_completion_create(s->model, o, NULL, &s->completion, &err);
  if (status == LIMB_OK) return EXIT_FINE;
  const int code = cli_usage(s->args, "%s: %s", s->path, err.text);
  return status == LIMB_E_ARG || status == LIMB_E_UNSUPPORTED ? code : cli_exit_code(status);
}

int cli_states_complete(cli_states* s, unsigned groups)
{
  limb_completion_options o = limb_default_completion_options();
  unsigned char* marks[GROUP_TAU] = {NULL};
  int code = EXIT_FINE;
  if (s->completion) return EXIT_FINE;
  for (int g = 0; g < GROUP_TAU && code == EXIT_FINE; g++) {
    marks[g] = calloc((size_t)states_width(s->dofs, g) + 1, 1);
    if (!marks[g]) code = cli_out_of_memory(s->args);
    for (int k = 0; k < states_width(s->dofs, g) && marks[g]; k++) marks[g][k] = s->column[g][k] >= 0;
  }
  o.velocities = (groups & STATES_V) != 0, o.accelerations = (groups & STATES_A) != 0;
  o.given_q = marks[0], o.given_v = marks[1], o.given_a = marks[2];
  if (code == EXIT_FINE) code = create(s, &o);
  s->completed = groups;
  if (code == EXIT_FINE && !s->option) report_missing(s, groups);
  for (int g = 0; g < GROUP_TAU; g++) free(marks[g]);
  return code;
}
