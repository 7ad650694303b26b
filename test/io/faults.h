// What tests of readers share: files of broken/ with what must be found in them, texts cut off or changed by
// a byte, and memory that runs out.
#ifndef LIMB_TEST_FAULTS_H
#define LIMB_TEST_FAULTS_H

#include "limb/limb.h"
#include "limb/read.h"

#include "support/check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fault {
  const char* file; // in broken/, without its ending
  limb_status status;
  const char* rule;
  int line;
} fault;

// The finding of that rule, on that line (0: anywhere), about that thing (NULL: any); NULL: there is none.
static inline const limb_finding* find_finding(limb_reading* r, const char* rule, int line, const char* where,
                                               limb_finding* f)
{
  for (int i = 0; limb_findings_get(limb_reading_findings(r), i, f) == LIMB_OK; i++) {
    if (strcmp(f->rule, rule) == 0 && (line == 0 || f->line == line) && (!where || strcmp(f->where, where) == 0))
      return f;
  }
  return NULL;
}

static inline int has_finding(limb_reading* r, const char* rule, int line, const char* where)
{
  limb_finding f;
  return find_finding(r, rule, line, where, &f) != NULL;
}

static inline int count_findings(limb_reading* r, const char* rule)
{
  limb_finding f;
  int count = 0;
  for (int i = 0; limb_findings_get(limb_reading_findings(r), i, &f) == LIMB_OK; i++)
    count += strcmp(f.rule, rule) == 0;
  return count;
}

static inline void print_findings(limb_reading* r)
{
  limb_finding f;
  for (int i = 0; i < 50 && limb_findings_get(limb_reading_findings(r), i, &f) == LIMB_OK; i++)
    printf("  %d:%d %s %s: %s %s\n", f.line, f.column, f.rule, f.where, f.text, f.hint);
}

// No robot without an error, no error with a robot; every finding says something, and its rule what to do.
static inline void check_reading(limb_reading* r, limb_status status)
{
  limb_finding f;
  limb_rule_info rule;
  for (int i = 0; limb_findings_get(limb_reading_findings(r), i, &f) == LIMB_OK; i++) {
    assert_that(*f.text != 0);
    assert_ok(limb_get_rule(limb_find_rule(f.rule), &rule));
    assert_that(*rule.fix != 0);
  }
  const int errors = limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR);
  if ((errors > 0) != (status != LIMB_OK)) print_findings(r);
  assert_that((errors > 0) == (status != LIMB_OK));
  assert_that((limb_reading_builder(r) == NULL) == (status != LIMB_OK));
}

static inline void check_fault(const fault* x, const char* ending)
{
  char path[1024];
  limb_reading* r = NULL;
  limb_error err = {0};
  (void)snprintf(path, sizeof path, "%s/io/broken/%s%s", LIMB_TEST_DIR, x->file, ending);
  check_at("%s", x->file);
  const limb_status status = limb_read(path, NULL, &r, &err);
  if (status != x->status || !has_finding(r, x->rule, x->line, NULL)) print_findings(r);
  assert_status(status, x->status);
  assert_that(has_finding(r, x->rule, x->line, NULL));
  check_reading(r, status);
  if (status != LIMB_OK) assert_that(err.status == status && *err.text != 0);
  limb_reading_destroy(r);
}

// A file that no row names would be a file that nobody looks at.
static inline void check_rows(const fault* faults, int count, const char* ending)
{
  DIR* folder = opendir(LIMB_TEST_DIR "/io/broken");
  int files = 0;
  assert_that(folder != NULL);
  for (const struct dirent* d = readdir(folder); d; d = readdir(folder)) {
    const size_t n = strlen(d->d_name), m = strlen(ending);
    if (n < m || strcmp(d->d_name + n - m, ending) != 0) continue;
    int found = 0;
    for (int i = 0; i < count; i++)
      found |= strlen(faults[i].file) == n - m && strncmp(faults[i].file, d->d_name, n - m) == 0;
    check_at("%s", d->d_name);
    assert_that(found);
    files++;
  }
  (void)closedir(folder);
  ck_assert_int_eq(files, count);
}

// All rows of a language, which are all its files.
static inline void check_faults(const fault* faults, size_t count, const char* ending)
{
  for (size_t i = 0; i < count; i++) check_fault(&faults[i], ending);
  check_rows(faults, (int)count, ending);
}

// A whole file of the tests; size without the closing zero. The caller frees it.
static inline char* file_text(const char* name, size_t* size)
{
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/io/%s", LIMB_TEST_DIR, name);
  FILE* f = fopen(path, "rb");
  check_at("%s", path);
  assert_that(f != NULL && fseek(f, 0, SEEK_END) == 0);
  const long length = ftell(f);
  rewind(f);
  char* text = malloc((size_t)length + 1);
  assert_that(text && fread(text, 1, (size_t)length, f) == (size_t)length);
  text[length] = 0;
  (void)fclose(f);
  *size = (size_t)length;
  return text;
}

static inline limb_status read_as(limb_format format, const char* text, size_t size, limb_reading** r)
{
  limb_read_options opt = limb_default_read_options();
  opt.format = format;
  return limb_read_text(text, size, "test", &opt, r, NULL);
}

// Reads a text, which must come to the status with a finding of the rule.
static inline void expect_text(limb_format format, const char* text, size_t size, limb_status status, const char* rule)
{
  limb_reading* r = NULL;
  check_at("%.60s ...", text);
  const limb_status got = read_as(format, text, size, &r);
  if (got != status || !has_finding(r, rule, 0, NULL)) print_findings(r);
  assert_status(got, status);
  assert_that(has_finding(r, rule, 0, NULL));
  check_reading(r, status);
  limb_reading_destroy(r);
}

// One byte changed, everywhere: any answer but a crash.
static inline void change_bytes(limb_format format, const char* text, size_t size, const char* bytes)
{
  char* copy = malloc(size + 1);
  assert_that(copy != NULL);
  memcpy(copy, text, size + 1);
  const size_t n = strlen(bytes), step = CHECK_SANITIZED ? 5 : 2;
  for (size_t i = 0; i < size; i++) {
    for (size_t k = i % step; k < n; k += step) {
      limb_reading* r = NULL;
      copy[i] = bytes[k];
      check_at("byte %zu is '%c'", i, bytes[k]);
      const limb_status status = read_as(format, copy, size, &r);
      check_reading(r, status);
      limb_reading_destroy(r);
    }
    copy[i] = text[i];
  }
  free(copy);
}

// ---- memory that runs out ---------------------------------------------------------------------------

typedef struct purse {
  long left, held;
} purse;

static inline void* purse_alloc(void* context, size_t size, size_t align)
{
  purse* p = context;
  if (p->left-- <= 0) return NULL;
  void* memory = aligned_alloc(align, (size + align - 1) / align * align);
  if (memory) p->held++;
  return memory;
}

static inline void purse_free(void* context, void* memory, size_t size)
{
  (void)size;
  if (memory) ((purse*)context)->held--;
  free(memory);
}

// Reads with the n-th allocation failing, for all n: LIMB_E_NOMEM and nothing lost, until it succeeds.
static inline void starve(limb_format format, const char* text, size_t size)
{
  limb_status status = LIMB_E_NOMEM;
  for (long n = 0; status != LIMB_OK; n++) {
    purse p = {n, 0};
    const limb_allocator a = {purse_alloc, purse_free, &p};
    limb_read_options opt = limb_default_read_options();
    limb_reading* r = NULL;
    opt.format = format;
    opt.alloc = &a;
    status = limb_read_text(text, size, "test", &opt, &r, NULL);
    check_at("allocation %ld fails", n);
    assert_that(status == LIMB_OK || status == LIMB_E_NOMEM);
    limb_reading_destroy(r);
    assert_that(p.held == 0);
    assert_that(n < 10000);
  }
}

#endif
