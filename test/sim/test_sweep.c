// Studies from C: numbers of cases by what was published, cases that do not depend on who runs them, rows on disk that
// survive being cut off, and what is wrong with a study.
#include "limb/runner.h"
#include "run/sweep_impl.h"
#include "support/check.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- numbers -------------------------------------------------------------------------------------------------

// The file kat_vectors of Random123, rows philox4x32 10.
START_TEST(philox_is_that_of_the_paper)
{
  static const struct {
    uint32_t counter[4], key[2], want[4];
  } all[] = {{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
             {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
              {0xffffffff, 0xffffffff},
              {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
             {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
              {0xa4093822, 0x299f31d0},
              {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  uint32_t out[4];
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    limb_philox(all[i].counter, all[i].key, out);
    for (int k = 0; k < 4; k++) ck_assert_uint_eq(out[k], all[i].want[k]);
  }
}
END_TEST

// The first points of Joe and Kuo's sequence in four dimensions, and of the last one the thousandth (SciPy).
START_TEST(sobol_is_that_of_joe_and_kuo)
{
  static const double first[6][4] = {{0, 0, 0, 0},
                                     {0.5, 0.5, 0.5, 0.5},
                                     {0.75, 0.25, 0.25, 0.25},
                                     {0.25, 0.75, 0.75, 0.75},
                                     {0.375, 0.375, 0.625, 0.875},
                                     {0.875, 0.875, 0.125, 0.375}};
  for (uint32_t i = 0; i < 6; i++)
    for (uint32_t d = 0; d < 4; d++) {
      check_at("point %u, dimension %u", i, d);
      assert_that(limb_sobol_bits(i, d) * 0x1p-32 == first[i][d]);
    }
  assert_that(limb_sobol_bits(1000, 19) == 3116367872U && limb_sobol_bits(1000, 31) == 624951296U);
}
END_TEST

// Every dimension puts one of 2^10 points into each of 2^10 intervals; so does a Latin hypercube of any size.
START_TEST(strata)
{
  enum { N = 1024, ODD = 1000 };
  static unsigned char seen[N];
  for (uint32_t d = 0; d < SOBOL_DIMENSIONS; d++) {
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < N; i++) seen[(int)(limb_sample_sobol(7, i, d) * N)]++;
    check_at("sobol %u", d);
    for (int k = 0; k < N; k++) ck_assert_int_eq(seen[k], 1);
  }
  for (uint64_t n = 1; n <= ODD; n = 3 * n + 1) {
    memset(seen, 0, sizeof seen);
    for (uint64_t i = 0; i < n; i++) seen[(int)(limb_sample_latin(3, i, n, 5) * (double)n)]++;
    check_at("latin %d", (int)n);
    for (uint64_t k = 0; k < n; k++) ck_assert_int_eq(seen[k], 1);
  }
}
END_TEST

START_TEST(distributions)
{
  static const double p[] = {1e-300, 1e-12, 0.001, 0.02, 0.3, 0.5, 0.9, 0.9999};
  for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
    const double x = limb_normal_quantile(p[i]);
    assert_close(0.5 * erfc(-x / sqrt(2)) / p[i], 1, 1e-12, 0);
  }
  assert_close(limb_normal_quantile(0.975), 1.959963984540054, 1e-15, 0);
  double sum = 0, squares = 0;
  const int n = 20000;
  for (int i = 0; i < n; i++) {
    const double x = limb_normal_quantile(limb_sample_random(11, (uint64_t)i, 0));
    sum += x, squares += x * x;
  }
  assert_that(fabs(sum / n) < 4 / sqrt(n) && fabs(squares / n - 1) < 4 * sqrt(2.0 / n));
  assert_that(limb_sample_random(11, 5, 0) != limb_sample_random(12, 5, 0));
  assert_that(limb_sample_random(11, 5, 0) != limb_sample_random(11, 5, 1));
}
END_TEST

// ---- studies -------------------------------------------------------------------------------------------------

static char folder[64];

static void make_folder(void)
{
  const char* temporary = getenv("TMPDIR");
  (void)snprintf(folder, sizeof folder, "%.40s/limb_sweep_XXXXXX", temporary ? temporary : "/tmp");
  assert_that(mkdtemp(folder) != NULL);
}

static void remove_folder(void)
{
  char path[200];
  (void)snprintf(path, sizeof path, "%s/study.yaml", folder);
  (void)remove(path);
  assert_that(rmdir(folder) == 0);
}

static const char good[] =
  "study: 1\n"
  "run:\n"
  "  model: planar_2r\n"
  "  start: {q: {joint1: 30deg}}\n"
  "  inputs: {torques: {joint1: -5*v.joint1}}\n"
  "  events: [{name: level, when: q.joint1 < 0}]\n"
  "  solver: {method: rk4, step: 5ms}\n"
  "  duration: 0.5 s\n"
  "samples: 8\n"
  "seed: 3\n"
  "vary:\n"
  "  start.q.joint2: [0, 10deg]\n"
  "  model.parameters.link2.mass: {normal: [1, 0.1], limits: [0.5, 1.5]}\n"
  "  load: {log_uniform: [0.1, 2], set: {model.payload: \"{}kg@tip\"}}\n"
  "  damping: {uniform: [1, 9], set: {inputs.torques.joint1: \"-{}*v.joint1\"}}\n"
  "collect: {final: [q], max: [v.joint2], mean: [q.joint1], events: [level], series: [q.joint1],\n"
  "  points: 3}\n";

static limb_sweep* open_text(const char* text, char path[200], limb_status* status, limb_error* err)
{
  limb_sweep* s = NULL;
  (void)snprintf(path, 200, "%s/study.yaml", folder);
  FILE* f = fopen(path, "w");
  assert_that(f && fputs(text, f) >= 0 && fclose(f) == 0);
  *status = limb_sweep_open(path, NULL, &s, err);
  return s;
}

static limb_sweep* open_good(void)
{
  char path[200];
  limb_error err = {0};
  limb_status status;
  limb_sweep* s = open_text(good, path, &status, &err);
  check_at("%s", err.text);
  assert_ok(status);
  return s;
}

// The same as a run that has these values.
START_TEST(case_is_its_run)
{
  make_folder();
  limb_sweep* s = open_good();
  char text[1000];
  double x[16];
  limb_error err = {0};
  ck_assert_int_eq(limb_sweep_columns(s), 4 + 1 + 2 + 1 + 1 + 3 + 2);
  ck_assert_int_eq((int)limb_sweep_cases(s), 16);
  ck_assert_str_eq(limb_sweep_column(s, 5), "final.q.joint1");
  ck_assert_str_eq(limb_sweep_column(s, 11), "series.q.joint1.2");
  ck_assert_str_eq(limb_sweep_column(s, 12), "first.level");
  assert_ok(limb_sweep_case(s, 11, x, &err));
  assert_that(x[0] == acos(-1) / 18 && x[1] > 0.5 && x[1] < 1.5 && x[2] > 0.1 && x[2] < 2);
  (void)snprintf(text, sizeof text,
                 "schema: 1\nmodel: {name: planar_2r, payload: \"%.17gkg@tip\", parameters: {link2.mass: %.17g}}\n"
                 "start: {q: {joint1: 30deg, joint2: %.17g}}\ninputs: {torques: {joint1: -%.17g*v.joint1}}\n"
                 "solver: {method: rk4, step: 5ms}\nduration: 0.5 s\n",
                 x[2], x[1], x[0], x[3]);
  limb_reading *r = NULL, *robot = NULL;
  limb_model* m = NULL;
  limb_runner* runner = NULL;
  assert_ok(limb_read_run_text(text, strlen(text), "run", NULL, &r, &err));
  assert_ok(limb_read("planar_2r", NULL, &robot, &err));
  assert_ok(limb_run_change_model(limb_reading_run(r), NULL, NULL, limb_reading_builder(robot), &err));
  assert_ok(limb_builder_build(limb_reading_builder(robot), &m, &err));
  assert_ok(limb_runner_create(limb_reading_run(r), m, NULL, &runner, &err));
  assert_ok(limb_runner_start(runner, &err));
  limb_sim_event event;
  limb_sim_state at;
  assert_ok(limb_sim_advance(limb_runner_sim(runner), 0.5, &event));
  assert_ok(limb_sim_now(limb_runner_sim(runner), &at));
  assert_close_array(x + 5, at.q, 2, 1e-7, 0); // the event, and rows, divide steps
  assert_that(x[4] == 0.5 && x[11] == x[5] && x[9] == acos(-1) / 6);
  limb_runner_destroy(runner);
  limb_model_destroy(m);
  limb_reading_destroy(robot);
  limb_reading_destroy(r);
  limb_sweep_close(s);
  remove_folder();
}
END_TEST

START_TEST(any_order_any_copy)
{
  make_folder();
  limb_sweep *s = open_good(), *copy = NULL;
  double x[16][16], y[16];
  limb_error err = {0};
  assert_ok(limb_sweep_copy(s, &copy, &err));
  ck_assert_str_eq(limb_sweep_hash(s), limb_sweep_hash(copy));
  for (int k = 0; k < 16; k++) assert_ok(limb_sweep_case(s, (uint64_t)k, x[k], &err));
  for (int k = 15; k >= 0; k--) {
    assert_ok(limb_sweep_case(copy, (uint64_t)k, y, &err));
    for (int i = 0; i < limb_sweep_columns(s); i++)
      ck_assert(memcmp(&x[k][i], &y[i], sizeof *y) == 0 || (x[k][i] != x[k][i] && y[i] != y[i]));
  }
  // Every point of the grid sees the same samples.
  for (int k = 0; k < 8; k++) assert_that(x[k][1] == x[k + 8][1] && x[k][0] != x[k + 8][0]);
  limb_sweep_close(copy);
  limb_sweep_close(s);
  remove_folder();
}
END_TEST

// ---- rows ----------------------------------------------------------------------------------------------------

static limb_status run_part(limb_sweep* s, const char* rows, uint64_t part, uint64_t parts, int resume, uint64_t* done,
                            limb_error* err)
{
  limb_sweep_queue* q = NULL;
  limb_sweep_job job = {.place = {rows, part, parts, resume, 2}, .threads = 2, .next = limb_sweep_queue_next};
  limb_status status = limb_sweep_queue_create(s, &job.place, &q, err);
  job.queue = q;
  if (status == LIMB_OK) status = limb_sweep_run(s, &job, done, err);
  limb_sweep_queue_destroy(q);
  return status;
}

// Cuts the longest file of rows off in the middle of a row.
static void cut_off(const char* rows)
{
  char path[600], longest[600] = "";
  long most = 0;
  DIR* d = opendir(rows);
  assert_that(d != NULL);
  for (const struct dirent* e; (e = readdir(d));) {
    (void)snprintf(path, sizeof path, "%s/%s", rows, e->d_name);
    FILE* f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END)) continue;
    if (ftell(f) > most && strstr(path, ".rows")) most = ftell(f), memcpy(longest, path, sizeof path);
    (void)fclose(f);
  }
  (void)closedir(d);
  assert_that(truncate(longest, most - 20) == 0);
}

START_TEST(rows_survive)
{
  make_folder();
  limb_sweep* s = open_good();
  char rows[200], path[200];
  limb_error err = {0};
  limb_sweep_state x;
  uint64_t done = 0;
  (void)snprintf(rows, sizeof rows, "%s/rows", folder);
  (void)snprintf(path, sizeof path, "%s/out.csv", folder);
  assert_ok(run_part(s, rows, 2, 3, 0, &done, &err));
  ck_assert_int_eq((int)done, 5);
  assert_status(limb_sweep_write(s, rows, path, LIMB_TABLE_NONE, 0, &x, &err), LIMB_E_ORDER);
  assert_that(strstr(err.text, "11 of 16 cases are missing, the first is 0: part 1 has 0 of 6, part 3 has 0 of 5"));
  assert_status(run_part(s, rows, 2, 3, 0, &done, &err), LIMB_E_ORDER); // these rows are there
  assert_status(run_part(s, rows, 1, 1, 1, &done, &err), LIMB_E_ORDER); // other parts
  cut_off(rows);
  assert_ok(limb_sweep_write(s, rows, NULL, LIMB_TABLE_NONE, 1, &x, &err));
  assert_that(x.rows == 4 && x.failed == 0 && x.missing == 12);
  assert_ok(run_part(s, rows, 2, 3, 1, &done, &err));
  ck_assert_int_eq((int)done, 1);
  assert_ok(run_part(s, rows, 1, 3, 1, &done, &err));
  assert_ok(run_part(s, rows, 3, 3, 0, &done, &err));
  assert_ok(limb_sweep_write(s, rows, path, LIMB_TABLE_NONE, 0, &x, &err));
  assert_that(x.rows == 16 && x.missing == 0);
  limb_sweep_close(s);
  // Another study does not take them.
  char text[sizeof good], own[200];
  limb_status status;
  memcpy(text, good, sizeof good);
  *strstr(text, "seed: 3") = 's', strstr(text, "seed: 3")[6] = '4';
  s = open_text(text, own, &status, &err);
  assert_ok(status);
  assert_status(run_part(s, rows, 2, 3, 1, &done, &err), LIMB_E_MODEL);
  assert_that(strstr(err.text, "rows of another study"));
  limb_sweep_close(s);
  assert_ok(limb_sweep_clear(rows, 1, 1, &err));
  (void)remove(path);
  assert_that(access(rows, F_OK) != 0);
  remove_folder();
}
END_TEST

START_TEST(faulty)
{
  make_folder();
  static const struct {
    const char *rest, *text;
  } all[] = {
    {"vary: {start.q.jiont1: [1]}\n", "study.yaml:4:8: start.q.jiont1: the model has no joint 'jiont1'; did you mean"},
    {"vary: {sovler.step: [1]}\n", "a run has no 'sovler.step': unknown key 'sovler'; did you mean 'solver'?"},
    {"vary: {outputs.1.rate: [1]}\n", "is no part of a case"},
    {"vary: {start.q: [1]}\n", "lacks a name"},
    {"vary: {events.3.when: [1]}\n", "must have the number of an entry"},
    {"vary: {model.parameters.link1.mas: [1]}\n", "no number 'link1.mas'; did you mean 'link1.mass'?"},
    {"vary: {model.parameters.link1.mass: [-1]}\n", "no body has this inertia"},
    {"vary: {start.q.joint1: []}\n", "is empty: there would be no case"},
    {"vary: {start.q.joint1: {grid: [0, 1, 0]}}\n", "4:8: vary.start.q.joint1: the grid is empty"},
    {"vary: {start.q.joint1: {uniform: [0, nan]}}\nsamples: 2\n", "4:38: vary.start.q.joint1.uniform: 'nan' is not"},
    {"vary: {start.q.joint1: {uniform: [1, 0]}}\nsamples: 2\n", "low must be below high"},
    {"vary: {start.q.joint1: {normal: [1, 0]}}\nsamples: 2\n", "must be above zero"},
    {"vary: {start.q.joint1: {log_uniform: [0, 1]}}\nsamples: 2\n", "above zero"},
    {"vary: {start.q.joint1: {normal: [1, 1], limits: [2, 1]}}\nsamples: 2\n", "must be below the upper"},
    {"vary: {start.q.joint1: {uniform: [0, 1]}}\n", "state how many samples to draw"},
    {"vary: {start.q.joint1: {uniform: [0, 1]}}\nsamples: 1000000000000\n", "1e+12 cases, and at most 2^32"},
    {"vary: {a: {list: [1], set: {start.q.joint1: 5}}}\n", "does not vary: {} stands for the value"},
    {"vary: {start.q.joint1: {uniform: [0, 1], grid: [1, 2, 3]}}\n", "exclude each other"},
    {"vary: {start.q.joint1: {list: [1], limits: [0, 1]}}\n", "limits are for normal"},
    {"samples: 5\n", "nothing is sampled"},
    {"vary: {time: {list: [1, 2], set: {start.q.joint1: \"{}\"}}}\n", "the column 'time' is there twice"},
    {"sampling: sobl\n", "did you mean 'sobol'?"},
  };
  char text[600], path[200];
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    limb_error err = {0};
    limb_status status;
    (void)snprintf(text, sizeof text,
                   "study: 1\nrun: {model: planar_2r, duration: 0.1, solver: {method: rk4}}\ncollect: {final: [q]}\n%s",
                   all[i].rest);
    limb_sweep* s = open_text(text, path, &status, &err);
    check_at("%s%s", all[i].rest, err.text);
    assert_that(status != LIMB_OK && s == NULL && strstr(err.text, all[i].text) != NULL);
  }
  remove_folder();
}
END_TEST

// A case that fails has its reason, and others go on.
START_TEST(failures_are_rows)
{
  make_folder();
  char path[200];
  limb_error err = {0};
  limb_status status;
  limb_sweep* s = open_text("study: 1\nrun: {model: planar_2r, duration: 0.1}\ncollect: {final: [q]}\n"
                            "vary: {solver.step: [-1ms, 1ms], solver.method: [rk4, euler]}\n",
                            path, &status, &err);
  double x[5];
  assert_ok(status);
  assert_status(limb_sweep_case(s, 0, x, &err), LIMB_E_ARG);
  assert_that(x[0] == -1e-3 && isnan(x[2]) && isnan(x[4]) && strstr(err.text, "solver.step: must be positive"));
  assert_ok(limb_sweep_case(s, 3, x, &err));
  assert_that(x[0] == 1e-3 && x[1] == 1 && x[2] == 0.1);
  ck_assert_str_eq(limb_sweep_word(s, 1, x[1]), "euler");
  assert_that(limb_sweep_word(s, 0, 0) == NULL);
  assert_status(limb_sweep_case(s, 4, x, &err), LIMB_E_ARG);
  limb_sweep_close(s);
  remove_folder();
}
END_TEST

// Without a duration all rows and points are the start.
START_TEST(a_run_of_no_duration_ends)
{
  make_folder();
  char path[200];
  limb_error err = {0};
  limb_status status;
  limb_sweep* s = open_text("study: 1\nrun: {model: planar_2r, duration: 0}\nvary: {start.q.joint1: [0.5]}\n"
                            "collect: {max: [q.joint1], mean: [q.joint1], series: [q.joint1], points: 3}\n",
                            path, &status, &err);
  double x[7];
  assert_ok(status);
  assert_that(limb_sweep_columns(s) == 7);
  assert_ok(limb_sweep_case(s, 0, x, &err));
  assert_close_array(x, ((double[]){0.5, 0, 0.5, 0.5, 0.5, 0.5, 0.5}), 7, 0, 0);
  limb_sweep_close(s);
  s = open_text("study: 1\nrun: {model: planar_2r, duration: 1}\nvary: {start.q.joint1: [0.5]}\n"
                "collect: {max: [q.joint1], rate: 1e300}\n",
                path, &status, &err);
  assert_that(status == LIMB_E_ARG && s == NULL && strstr(err.text, "rate: must be at most 1 GHz"));
  remove_folder();
}
END_TEST

START_TEST(too_many_columns_are_refused)
{
  make_folder();
  char path[200], text[1000] = "study: 1\nrun: {model: planar_2r, duration: 1}\ncollect: {points: 1e6, series: [";
  limb_error err = {0};
  limb_status status;
  for (int i = 0; i < 17; i++) strcat(text, "q.joint1, ");
  limb_sweep* s = open_text(strcat(text, "q]}\n"), path, &status, &err);
  assert_that(status == LIMB_E_ARG && s == NULL && strstr(err.text, "collect: 19000001 columns are collected"));
  remove_folder();
}
END_TEST

static void write_arm(const char* path, double mass, const char* joint)
{
  FILE* f = fopen(path, "w");
  assert_that(f != NULL);
  (void)fprintf(f,
                "<robot name='arm'><link name='base'/><link name='link'><inertial><mass value='%g'/><inertia ixx='1' "
                "iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='%s' type='continuous'>"
                "<parent link='base'/><child link='link'/><axis xyz='0 0 1'/></joint></robot>",
                mass, joint);
  assert_that(fclose(f) == 0);
}

// Rows of a robot that has changed since are of another study, also if a template or chance names its file.
START_TEST(files_that_cases_name_count)
{
  make_folder();
  static const char* const ways[] = {"list: [b, c]", "choose: [b, c]"};
  char path[200], arm[2][200], text[300], hash[33];
  for (int i = 0; i < 2; i++) (void)snprintf(arm[i], sizeof arm[i], "%s/arm_%c.urdf", folder, "bc"[i]);
  for (int i = 0; i < 2; i++) {
    limb_error err = {0};
    limb_status status;
    write_arm(arm[0], 1, "j"), write_arm(arm[1], 1, "j");
    (void)snprintf(text, sizeof text,
                   "study: 1\nrun: {model: arm_b.urdf, duration: 0.1}\ncollect: {final: [q]}\n%s"
                   "vary: {robot: {%s, set: {model.name: \"arm_{}.urdf\"}}}\n",
                   i ? "samples: 9\n" : "", ways[i]);
    for (int k = 0; k < 2; k++) {
      limb_sweep* s = open_text(text, path, &status, &err);
      check_at("%s %s", ways[i], err.text);
      assert_ok(status);
      if (k == 0) memcpy(hash, limb_sweep_hash(s), sizeof hash);
      if (k == 1) assert_that(strcmp(hash, limb_sweep_hash(s)) != 0);
      limb_sweep_close(s);
      write_arm(arm[1], 2, "j");
    }
  }
  assert_that(remove(arm[0]) == 0 && remove(arm[1]) == 0);
  remove_folder();
}
END_TEST

// Numbers of a robot with other joints are not put under the names of the first.
START_TEST(columns_are_those_of_the_first_robot)
{
  make_folder();
  char path[200], arm[2][200];
  double x[3];
  limb_error err = {0};
  limb_status status;
  for (int i = 0; i < 2; i++) (void)snprintf(arm[i], sizeof arm[i], "%s/arm_%c.urdf", folder, "bc"[i]);
  write_arm(arm[0], 1, "j"), write_arm(arm[1], 1, "k");
  limb_sweep* s = open_text("study: 1\nrun: {model: arm_b.urdf, duration: 0.1}\ncollect: {final: [q]}\n"
                            "vary: {model.name: [arm_b.urdf, arm_c.urdf]}\n",
                            path, &status, &err);
  assert_ok(status);
  assert_that(limb_sweep_columns(s) == 3 && strcmp(limb_sweep_column(s, 2), "final.q.j") == 0);
  assert_ok(limb_sweep_case(s, 0, x, &err));
  assert_status(limb_sweep_case(s, 1, x, &err), LIMB_E_ARG);
  assert_that(isnan(x[2]) && strstr(err.text, "other columns"));
  limb_sweep_close(s);
  assert_that(remove(arm[0]) == 0 && remove(arm[1]) == 0);
  remove_folder();
}
END_TEST

CHECK_MAIN("sim/sweep", 1, philox_is_that_of_the_paper, sobol_is_that_of_joe_and_kuo, strata, distributions,
           case_is_its_run, any_order_any_copy, rows_survive, faulty, failures_are_rows, a_run_of_no_duration_ends,
           files_that_cases_name_count, too_many_columns_are_refused, columns_are_those_of_the_first_robot)
