// The doctor: files of test/io/sick, each with what must be found in it and nothing worse; robots that
// are well; what must hold for any robot.
//
// A sick file says so itself, in comments at its start: "finds RULE SEVERITY LINE", then perhaps "hint
// PART OF IT". No other warning or error may come of it. A file "*.well.*" comes close to a rule and
// does not break it.
#include "limb/read.h"

#include "support/check.h"
#include "support/page.h"
#include "support/robots.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WANTED = 8, LINE = 256 };

typedef struct wanted {
  char rule[64], severity[16], hint[128];
  int line;
  int met;
} wanted;

typedef struct sick {
  wanted want[MOST_WANTED];
  int count;
} sick;

// ---- what a file says about itself ----------------------------------------------------------------

static sick read_wants(const char* path)
{
  sick s = {.count = 0};
  FILE* f = fopen(path, "r");
  assert_that(f != NULL);
  char line[LINE];
  while (fgets(line, sizeof line, f)) {
    const char *finds = strstr(line, "finds "), *hint = strstr(line, "hint ");
    if (finds) {
      assert_that(s.count < MOST_WANTED);
      wanted* w = &s.want[s.count++];
      ck_assert_int_eq(sscanf(finds, "finds %63s %15s %d", w->rule, w->severity, &w->line), 3);
    } else if (hint && s.count > 0) {
      wanted* w = &s.want[s.count - 1];
      char* end = strstr(line, " -->");
      if (!end) end = strchr(line, '\n');
      *end = 0;
      (void)snprintf(w->hint, sizeof w->hint, "%s", hint + 5);
    } else {
      break;
    }
  }
  (void)fclose(f);
  return s;
}

static int meets(const limb_finding* f, const wanted* w)
{
  return strcmp(f->rule, w->rule) == 0 && strcmp(limb_severity_name(f->severity), w->severity) == 0 &&
         f->line == w->line && strstr(f->hint, w->hint) != NULL;
}

static limb_reading* examine(const char* path)
{
  limb_reading* r = NULL;
  limb_error err = {0};
  const limb_status status = limb_read(path, NULL, &r, &err);
  check_at("%s: line %d: %s: %s", path, err.line, err.where, err.text);
  assert_ok(status);
  assert_ok(limb_check(r, &err));
  assert_ok(limb_check_loops(r, &err));
  return r;
}

static void compare(const char* path, sick* s)
{
  limb_reading* r = examine(path);
  limb_finding f;
  for (int i = 0; limb_findings_get(limb_reading_findings(r), i, &f) == LIMB_OK; i++) {
    check_at("%s:%d: %s: %s (%s)", path, f.line, f.rule, f.text, f.hint);
    assert_that(*f.text);
    int expected = 0;
    for (int k = 0; k < s->count; k++) {
      if (!meets(&f, &s->want[k]) || s->want[k].met) continue;
      s->want[k].met = expected = 1;
      break;
    }
    assert_that(expected || f.severity == LIMB_NOTE);
  }
  for (int k = 0; k < s->count; k++) {
    const wanted* w = &s->want[k];
    check_at("%s: %s %s in line %d, %s", path, w->severity, w->rule, w->line, w->hint);
    assert_that(w->met);
  }
  limb_reading_destroy(r);
}

// ---- the files ------------------------------------------------------------------------------------

// Calls each file of the folder; returns how many.
typedef void file_fn(const char* path, void* context);

static int each_file(file_fn* call, void* context)
{
  static const char folder[] = LIMB_TEST_DIR "/io/sick";
  DIR* d = opendir(folder);
  assert_that(d != NULL);
  int count = 0;
  for (const struct dirent* e = readdir(d); e; e = readdir(d)) {
    if (e->d_name[0] == '.') continue;
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    call(path, context);
    count++;
  }
  (void)closedir(d);
  return count;
}

static void check_file(const char* path, void* context)
{
  (void)context;
  sick s = read_wants(path);
  assert_that((s.count == 0) == (strstr(path, "well.") != NULL));
  compare(path, &s);
}

START_TEST(sick_files) { ck_assert_int_ge(each_file(check_file, NULL), 66); }
END_TEST

static void mark_rules(const char* path, void* context)
{
  int* seen = context;
  const sick s = read_wants(path);
  for (int k = 0; k < s.count; k++) {
    const int rule = limb_find_rule(s.want[k].rule);
    assert_that(rule >= 0);
    seen[rule] = 1;
  }
}

// The rules of the doctor stand together in the list. Some of them are the readers' to find, and two
// are about repairs.
START_TEST(every_rule_has_a_file)
{
  static const char* const others[] = {"limit-missing", "angle-degrees", "repaired", "not-repaired"};
  int* seen = calloc((size_t)limb_rule_count(), sizeof *seen);
  assert_that(seen != NULL);
  (void)each_file(mark_rules, seen);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) seen[limb_find_rule(others[i])] = 1;
  for (int i = limb_find_rule("not-credible"); i <= limb_find_rule("not-repaired"); i++) {
    limb_rule_info rule;
    assert_ok(limb_get_rule(i, &rule));
    check_at("%s", rule.name);
    assert_that(seen[i]);
  }
  free(seen);
}
END_TEST

// ---- robots of other tests ------------------------------------------------------------------------

static int count_rule(limb_reading* r, const char* start)
{
  int count = 0;
  limb_finding f;
  for (int i = 0; limb_findings_get(limb_reading_findings(r), i, &f) == LIMB_OK; i++) {
    count += f.severity == LIMB_ERROR && strncmp(f.rule, start, strlen(start)) == 0;
  }
  return count;
}

// The inertias of the random robots are those of real bodies, at any size and in any place.
START_TEST(random_robots_are_physical)
{
  for (uint64_t seed = 1; seed <= 20; seed++) {
    check_at("seed %d", (int)seed);
    limb_model* m = robot_random_tree(seed, 40, seed % 2 ? ROBOT_MIMIC : 0);
    limb_builder* b = NULL;
    limb_reading* r = NULL;
    page t = {0};
    assert_ok(limb_builder_from_model(m, NULL, &b));
    assert_ok(limb_write(b, LIMB_FORMAT_YAML, page_put, &t, NULL, NULL));
    assert_ok(limb_read_text(t.text, t.size, "random.limb.yaml", NULL, &r, NULL));
    assert_ok(limb_check(r, NULL));
    assert_ok(limb_check_loops(r, NULL));
    ck_assert_int_eq(count_rule(r, "inertia"), 0);
    ck_assert_int_eq(count_rule(r, "negative"), 0);
    limb_reading_destroy(r);
    limb_builder_destroy(b);
    limb_model_destroy(m);
    free(t.text);
  }
}
END_TEST

// ---- arguments and memory -------------------------------------------------------------------------

START_TEST(arguments)
{
  limb_reading* r = NULL;
  limb_error err;
  assert_status(limb_check(NULL, NULL), LIMB_E_ARG);
  assert_status(limb_check(NULL, &err), LIMB_E_ARG);
  assert_status(limb_check_loops(NULL, &err), LIMB_E_ARG);
  assert_that(limb_read_text("<robot", 6, "cut.urdf", NULL, &r, NULL) != LIMB_OK);
  assert_status(limb_check(r, &err), LIMB_E_ARG);
  assert_status(limb_check_loops(r, &err), LIMB_E_ARG);
  limb_reading_destroy(r);
}
END_TEST

// Grants a number of allocations, then none.
typedef struct purse {
  long budget, alive;
} purse;

static void* purse_alloc(void* context, size_t size, size_t align)
{
  purse* p = context;
  if (p->budget == 0) return NULL;
  p->budget--;
  p->alive++;
  return aligned_alloc(align, (size + align - 1) / align * align);
}

static void purse_free(void* context, void* memory, size_t size)
{
  (void)size;
  purse* p = context;
  p->alive -= memory != NULL;
  free(memory);
}

START_TEST(out_of_memory)
{
  purse p = {.budget = 1000000};
  const limb_allocator alloc = {purse_alloc, purse_free, &p};
  limb_read_options opt = limb_default_read_options();
  opt.alloc = &alloc;
  limb_status status = LIMB_E_NOMEM;
  for (long n = 0; status != LIMB_OK; n++) {
    check_at("%ld allocations", n);
    limb_reading* r = NULL;
    p.budget = 1000000;
    assert_ok(limb_read(LIMB_TEST_DIR "/io/sick/inertia-placeholder-copied.urdf", &opt, &r, NULL));
    p.budget = n;
    status = limb_check(r, NULL);
    if (status == LIMB_OK) status = limb_check_loops(r, NULL);
    assert_that(status == LIMB_OK || status == LIMB_E_NOMEM);
    limb_reading_destroy(r);
    ck_assert_int_eq((int)p.alive, 0);
    assert_that(n < 1000);
  }
}
END_TEST

CHECK_MAIN("doctor", 1, sick_files, every_rule_has_a_file, random_robots_are_physical, arguments, out_of_memory)
