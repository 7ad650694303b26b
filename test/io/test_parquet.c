// Parquet: files of other programs (parquet/make.py), what is refused, damaged files, and files of our own.
#include "limb/table.h"

#include "io/csv_stream.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER LIMB_TEST_DIR "/io/parquet/"

enum { ROWS = 300, SIZE = 1 << 14, NAMES = 64, SOME_ROWS = 1000 };

// Files of the folder, by name. Returns their number.
static int list_good(char name[NAMES][128])
{
  DIR* folder = opendir(FOLDER "good");
  int n = 0;
  assert_that(folder);
  for (const struct dirent* e; (e = readdir(folder));) {
    if (!strstr(e->d_name, ".parquet")) continue;
    assert_that(n < NAMES);
    (void)snprintf(name[n++], 128, "good/%.100s", e->d_name);
  }
  (void)closedir(folder);
  return n;
}

static size_t read_bytes(const char* name, char bytes[SIZE])
{
  char path[512];
  (void)snprintf(path, sizeof path, FOLDER "%s", name);
  FILE* f = fopen(path, "rb");
  assert_that(f);
  const size_t n = fread(bytes, 1, SIZE, f);
  assert_that(n > 0 && n < SIZE);
  (void)fclose(f);
  return n;
}

// Whether a library of a codec is there; they are not with a WebAssembly runtime, or in a bare system.
static int is_missing(const limb_error* err) { return strstr(err->text, "cannot be loaded") != NULL; }

START_TEST(files_of_others)
{
  static char name[NAMES][128];
  char bytes[SIZE];
  const int n = list_good(name);
  assert_that(n >= 15);
  for (int k = 0; k < n; k++) {
    FILE* f = open_bytes(bytes, read_bytes(name[k], bytes));
    limb_csv_reader* r = NULL;
    limb_error err = {0};
    double row[2];
    int got = 1, i = 0;
    ck_assert_msg(limb_csv_open(f, NULL, &r, &err) == LIMB_OK, "%s: %s: %s", name[k], err.where, err.text);
    assert_that(limb_csv_column_count(r) == 2 && limb_csv_find(r, "time") == 0 && limb_csv_find(r, "q") == 1);
    assert_that(limb_csv_find(r, "a") == -1 && strcmp(limb_csv_column(r, 1), "q") == 0);
    for (; got; i += got) {
      const limb_status s = limb_csv_next(r, row, &got, &err);
      if (s != LIMB_OK && is_missing(&err)) break;
      ck_assert_msg(s == LIMB_OK, "%s, row %d: %s: %s", name[k], i, err.where, err.text);
      if (got)
        ck_assert_msg(row[0] == i / 1000.0 && row[1] == i * i % 7 / 4.0, "%s, row %d: %g %g", name[k], i, row[0],
                      row[1]);
    }
    ck_assert_msg(i == ROWS || is_missing(&err), "%s: %d rows", name[k], i);
    limb_csv_close(r);
    (void)fclose(f);
  }
}
END_TEST

// Reads up to some rows. The status of the first that fails.
static limb_status read_rows(FILE* f, int* rows, limb_error* err)
{
  limb_csv_reader* r = NULL;
  limb_status s = limb_csv_open(f, NULL, &r, err);
  double* row = s == LIMB_OK ? calloc((size_t)limb_csv_column_count(r), sizeof *row) : NULL;
  for (int got = 1; s == LIMB_OK && got && *rows < SOME_ROWS; *rows += got) {
    got = 0;
    s = limb_csv_next(r, row, &got, err);
    for (int k = 0; s == LIMB_OK && got && k < limb_csv_column_count(r); k++) assert_that(isfinite(row[k]));
  }
  free(row);
  limb_csv_close(r);
  return s;
}

START_TEST(what_is_refused)
{
  static const struct {
    const char *name, *where, *text;
    int rows;
  } all[] = {
    {"null", "row 201, column 'q'", "a null", 200},
    {"nan", "row 201, column 'q'", "not a finite number", 200},
    {"text", "column 'label'", "leave the column out", 0},
    {"list", "column 'q'", "nested", 0},
    {"date", "column 'time'", "dates", 0},
    {"decimal", "column 'time'", "write floats", 0},
    {"brotli", "column 'time'", "brotli; write the file with snappy", 0},
  };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    char name[64], bytes[SIZE];
    limb_error err = {0};
    int rows = 0;
    (void)snprintf(name, sizeof name, "%s.parquet", all[k].name);
    FILE* f = open_bytes(bytes, read_bytes(name, bytes));
    const limb_status s = read_rows(f, &rows, &err);
    ck_assert_msg(s != LIMB_OK && rows == all[k].rows && strcmp(err.where, all[k].where) == 0 &&
                    strstr(err.text, all[k].text),
                  "%s: %d rows, %s: %s", name, rows, err.where, err.text);
    (void)fclose(f);
  }
}
END_TEST

START_TEST(whole_numbers_and_none)
{
  static const double expected[3][3] = {{1, 1, -1}, {2147483648.0, 0, 127}, {4294967295.0, 1, -128}};
  char bytes[SIZE];
  double row[3];
  int got, rows = 0;
  limb_csv_reader* r = NULL;
  limb_error err = {0};
  FILE* f = open_bytes(bytes, read_bytes("whole.parquet", bytes));
  assert_ok(limb_csv_open(f, NULL, &r, &err));
  for (int i = 0; i < 3; i++) {
    assert_ok(limb_csv_next(r, row, &got, &err));
    assert_that(got);
    for (int k = 0; k < 3; k++) assert_that(row[k] == expected[i][k]);
  }
  limb_csv_close(r);
  (void)fclose(f);
  f = open_bytes(bytes, read_bytes("empty.parquet", bytes));
  assert_that(read_rows(f, &rows, &err) == LIMB_OK && rows == 0);
  (void)fclose(f);
}
END_TEST

// Files that were cut off, and files with some other bytes: refused with a sentence, or read.
static void read_damaged(const char* bytes, size_t n)
{
  limb_error err = {0};
  int rows = 0;
  FILE* f = open_bytes(bytes, n);
  if (read_rows(f, &rows, &err) != LIMB_OK) assert_that(*err.text && *err.where);
  (void)fclose(f);
}

START_TEST(damaged_files)
{
  static char name[NAMES][128];
  char bytes[SIZE], copy[SIZE];
  uint32_t seed = 1;
  const int n = list_good(name);
  for (int k = 0; k < n; k++) {
    const size_t size = read_bytes(name[k], bytes);
    for (size_t cut = 5; cut < size; cut += size / 20 + 1) {
      limb_error err = {0};
      int rows = 0;
      FILE* f = open_bytes(bytes, cut);
      assert_that(read_rows(f, &rows, &err) == LIMB_E_SYNTAX && rows == 0 && strstr(err.text, "footer"));
      (void)fclose(f);
    }
    for (int i = 0; i < 60; i++) {
      memcpy(copy, bytes, size);
      for (int j = 0; j <= i % 3; j++) {
        seed = seed * 1664525 + 1013904223;
        copy[4 + (seed >> 8) % (size - 4)] = (char)(i % 4 == 0 ? 0xff : seed >> 24);
      }
      read_damaged(copy, size);
    }
  }
}
END_TEST

// Groups of rows, names and whole numbers of our own files.
START_TEST(own_files)
{
  static const limb_table_column columns[] = {
    {.name = "time", .unit = "s"}, {.name = "q.größe"}, {.name = "case", .kind = LIMB_TABLE_INTEGER}};
  enum { MANY = 140000 };
  char path[256];
  const char* folder = getenv("TMPDIR");
  (void)snprintf(path, sizeof path, "%s/limb_test_parquet_%d.parquet", folder ? folder : "/tmp", (int)getpid());
  limb_table_writer* w = NULL;
  limb_csv_reader* r = NULL;
  limb_error err = {0};
  double x[3];
  int got;
  assert_that(limb_table_format_of(path) == LIMB_TABLE_PARQUET);
  assert_ok(limb_table_create(path, LIMB_TABLE_PARQUET, 3, columns, &w, &err));
  for (int i = 0; i < MANY; i++) assert_ok(limb_table_row(w, (const double[]){i / 3.0, -i, 7 - i}));
  assert_ok(limb_table_end(w));
  limb_table_destroy(w);
  FILE* f = fopen(path, "rb");
  assert_ok(limb_csv_open(f, NULL, &r, &err));
  ck_assert_str_eq(limb_csv_column(r, 1), "q.größe");
  for (int i = 0; i < MANY; i++) {
    assert_ok(limb_csv_next(r, x, &got, &err));
    assert_that(got && x[0] == i / 3.0 && x[1] == -i && x[2] == 7 - i && limb_csv_line(r) == 0);
  }
  assert_ok(limb_csv_next(r, x, &got, &err));
  assert_that(!got);
  limb_csv_close(r);
  (void)fclose(f);
  (void)remove(path);
}
END_TEST

CHECK_MAIN("io/parquet", 1, files_of_others, what_is_refused, whole_numbers_and_none, damaged_files, own_files)
