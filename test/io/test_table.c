// Tables over time: what is written, what is read back, what is refused.
#include "limb/table.h"

#include "io/csv_stream.h"

#include <stdlib.h>
#include <string.h>

static const limb_table_column columns[] = {{"time", "s"}, {"q.it's", "rad"}};

// A path beside other temporary files.
static const char* path_of(const char* name, char text[256])
{
  const char* folder = getenv("TMPDIR");
  (void)snprintf(text, 256, "%s/limb_test_table_%s", folder ? folder : "/tmp", name);
  return text;
}

static size_t read_file(const char* path, char* text, size_t size)
{
  FILE* f = fopen(path, "rb");
  assert_that(f);
  const size_t n = fread(text, 1, size - 1, f);
  text[n] = 0;
  (void)fclose(f);
  return n;
}

static void write_rows(const char* path, limb_table_format format)
{
  limb_table_writer* w = NULL;
  limb_error err = {0};
  assert_ok(limb_table_create(path, format, 2, columns, &w, &err));
  for (int i = 0; i < 3; i++) {
    const double x[2] = {0.5 * i, -i};
    assert_ok(limb_table_row(w, x));
    if (i == 1) assert_ok(limb_table_flush(w));
  }
  assert_ok(limb_table_end(w));
  limb_table_destroy(w);
}

START_TEST(formats_by_suffix)
{
  assert_that(limb_table_format_of("a.csv") == LIMB_TABLE_CSV && limb_table_format_of("-") == LIMB_TABLE_CSV);
  assert_that(limb_table_format_of("a.b.npy") == LIMB_TABLE_NPY && limb_table_format_of("a.h5") == LIMB_TABLE_HDF5);
  assert_that(limb_table_format_of("a.txt") == LIMB_TABLE_NONE && limb_table_format_of(NULL) == LIMB_TABLE_NONE);
}
END_TEST

START_TEST(csv_is_text)
{
  char path[256], text[1000];
  write_rows(path_of("a.csv", path), LIMB_TABLE_CSV);
  (void)read_file(path, text, sizeof text);
  ck_assert_str_eq(text, "time,q.it's\n0,0\n0.5,-1\n1,-2\n");
  (void)remove(path);
}
END_TEST

// Numpy enhancement proposal 1: magic, version, length, header with the number of rows, numbers.
START_TEST(npy_is_an_array)
{
  char path[256], text[2000];
  write_rows(path_of("a.npy", path), LIMB_TABLE_NPY);
  const size_t n = read_file(path, text, sizeof text);
  const size_t head = 12 + (size_t)(unsigned char)text[8] + 256 * (size_t)(unsigned char)text[9];
  assert_that(memcmp(text, "\x93NUMPY\x03", 7) == 0 && head % 64 == 0 && text[head - 1] == '\n');
  assert_that(strstr(text + 12, "('q.it\\'s', '") && strstr(text + 12, "3,), }"));
  double x[6];
  assert_that(n == head + sizeof x);
  memcpy(x, text + head, sizeof x);
  assert_that(x[2] == 0.5 && x[3] == -1 && x[5] == -2);
  (void)remove(path);
}
END_TEST

START_TEST(writers_refuse)
{
  limb_table_writer* w = NULL;
  limb_error err = {0};
  assert_status(limb_table_create("/no/such/folder/a.csv", LIMB_TABLE_CSV, 2, columns, &w, &err), LIMB_E_IO);
  assert_status(limb_table_create("/no/such/folder/a.npy", LIMB_TABLE_NPY, 2, columns, &w, &err), LIMB_E_IO);
  assert_status(limb_table_create("a.csv", LIMB_TABLE_NONE, 2, columns, &w, &err), LIMB_E_ARG);
  assert_status(limb_table_create("a.csv", LIMB_TABLE_CSV, 0, columns, &w, &err), LIMB_E_ARG);
  assert_that(!w);
  assert_status(limb_table_row(NULL, NULL), LIMB_E_ARG);
  limb_table_destroy(NULL);
}
END_TEST

static limb_status read_text(const char* text, limb_table* out, limb_error* err)
{
  static const int wanted[] = {2};
  FILE* stream = open_text(text);
  limb_csv_reader* r = NULL;
  assert_ok(limb_csv_open(stream, NULL, &r, err));
  const limb_status s = limb_table_read(r, 0, 1, wanted, out, err);
  limb_csv_close(r);
  (void)fclose(stream);
  return s;
}

START_TEST(columns_are_read)
{
  limb_table t = {0};
  limb_error err = {0};
  assert_ok(read_text("time,a,b\n0,1,2\n1,3,4\n", &t, &err));
  assert_that(t.rows == 2 && t.columns == 1 && t.time[1] == 1 && t.value[0] == 2 && t.value[1] == 4);
  limb_table_free(&t);
  assert_status(read_text("time,a,b\n1,1,2\n1,3,4\n", &t, &err), LIMB_E_SYNTAX);
  assert_that(err.line == 3 && strstr(err.text, "does not come after") && !t.time);
  assert_status(read_text("time,a,b\n", &t, &err), LIMB_E_SYNTAX);
  assert_that(strstr(err.text, "no rows"));
  assert_status(read_text("time,a,b\n0,1\n", &t, &err), LIMB_E_SYNTAX);
}
END_TEST

CHECK_MAIN("io/table", 1, formats_by_suffix, csv_is_text, npy_is_an_array, writers_refuse, columns_are_read)
