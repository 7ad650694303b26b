// Tables over time: what is written, what is read back, what is refused.
#include "limb/batch.h"
#include "limb/table.h"

#include "io/csv_stream.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const limb_table_column columns[] = {{.name = "time", .unit = "s"}, {.name = "q.it's", .unit = "rad"}};

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
  const limb_table_column twice[3] = {{.name = "q.b"}, {.name = "time"}, {.name = "q.b"}},
                          none[2] = {{.name = "time"}, {.name = ""}};
  assert_status(limb_table_create("/dev/null", LIMB_TABLE_CSV, 3, twice, &w, &err), LIMB_E_ARG);
  assert_that(strstr(err.text, "two columns have the name 'q.b'"));
  assert_status(limb_table_create("/dev/null", LIMB_TABLE_CSV, 2, none, &w, &err), LIMB_E_ARG);
  assert_that(!w);
  assert_status(limb_table_row(NULL, NULL), LIMB_E_ARG);
  limb_table_destroy(NULL);
}
END_TEST

// ---- full disks ------------------------------------------------------------------------------------
//
// A limit on the size of files is a disk that is full at any byte that a test wants.

// Writes rows i, -i/3 until the file has this many bytes. Returns how many were flushed without an error.
static int fill(const char* path, limb_table_format format, rlim_t bytes)
{
  struct rlimit old, limit;
  assert_that(getrlimit(RLIMIT_FSIZE, &old) == 0);
  limit = old;
  limit.rlim_cur = bytes;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_that(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  limb_table_writer* w = NULL;
  limb_error err = {0};
  int flushed = 0, fine = limb_table_create(path, format, 2, columns, &w, &err) == LIMB_OK;
  for (int i = 0; i < 4000 && fine; i++) {
    const double x[2] = {i, -i / 3.0};
    fine = limb_table_row(w, x) == LIMB_OK;
    if (i % 300 != 299) continue;
    fine = fine && limb_table_flush(w) == LIMB_OK;
    if (fine) flushed = i + 1;
  }
  if (w) assert_that(limb_table_end(w) != LIMB_OK);
  limb_table_destroy(w);
  assert_that(!fine && setrlimit(RLIMIT_FSIZE, &old) == 0);
  (void)signal(SIGXFSZ, handler);
  return flushed;
}

START_TEST(full_disk_csv)
{
  char path[256], want[64];
  static char text[200000];
  (void)path_of("full.csv", path);
  for (rlim_t bytes = 0; bytes < 20000; bytes += bytes < 200 ? 1 : 997) {
    (void)remove(path);
    const int flushed = fill(path, LIMB_TABLE_CSV, bytes);
    const size_t n = read_file(path, text, sizeof text);
    check_at("%d bytes, %d flushed, %d in the file", (int)bytes, flushed, (int)n);
    assert_that(n == 0 || text[n - 1] == '\n');
    int rows = -1; // the header
    for (char *line = text, *end; *line; line = end + 1, rows++) {
      end = strchr(line, '\n');
      *end = 0;
      (void)snprintf(want, sizeof want, "%d,", rows);
      if (rows >= 0) assert_that(strncmp(line, want, strlen(want)) == 0);
      if (rows > 0) assert_that(strtod(strchr(line, ',') + 1, NULL) == -rows / 3.0);
    }
    assert_that(rows >= flushed || (flushed == 0 && rows == -1));
  }
  (void)remove(path);
}
END_TEST

START_TEST(full_disk_npy)
{
  char path[256];
  static char text[200000];
  (void)path_of("full.npy", path);
  for (rlim_t bytes = 0; bytes < 20000; bytes += bytes < 200 ? 7 : 997) {
    (void)remove(path);
    const int flushed = fill(path, LIMB_TABLE_NPY, bytes);
    const size_t n = read_file(path, text, sizeof text);
    const size_t head = n < 20 ? n : 12 + (size_t)(unsigned char)text[8] + 256 * (size_t)(unsigned char)text[9];
    check_at("%d bytes, %d flushed, %d in the file", (int)bytes, flushed, (int)n);
    if (n < 20 || n < head) {
      assert_that(flushed == 0);
      continue;
    }
    const int rows = (int)strtol(strstr(text + 12, "'shape': (") + 10, NULL, 10);
    assert_that(n == head + (size_t)rows * 16 && rows >= flushed);
    for (int i = 0; i < rows; i++) {
      double x[2];
      memcpy(x, text + head + (size_t)i * 16, sizeof x);
      assert_that(x[0] == i && x[1] == -i / 3.0);
    }
  }
  (void)remove(path);
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

enum { MANY = 30000, BAD = 21234 };

static char* write_many(const limb_pool* pool, size_t* size)
{
  static const limb_table_column three[] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
  char path[256], *text = malloc(1 << 21);
  limb_table_writer* w = NULL;
  assert_that(text);
  assert_ok(limb_table_create(path_of("many.csv", path), LIMB_TABLE_CSV, 3, three, &w, NULL));
  if (pool) assert_ok(limb_table_set_pool(w, pool));
  for (int i = 0; i < MANY; i++) assert_ok(limb_table_row(w, (const double[]){i, i / 3.0, -1e-9 * i * i}));
  assert_ok(limb_table_end(w));
  limb_table_destroy(w);
  *size = read_file(path, text, 1 << 21);
  (void)remove(path);
  return text;
}

// Reads a row with both readers. 0 at the end.
static int same_row(limb_csv_reader* r, limb_csv_reader* s)
{
  limb_error err = {0}, again = {0};
  double x[3], y[3];
  int got, more;
  const limb_status first = limb_csv_next(r, x, &got, &err), second = limb_csv_next(s, y, &more, &again);
  assert_that(first == second && got == more && limb_csv_line(r) == limb_csv_line(s));
  assert_that(limb_csv_unended(r) == limb_csv_unended(s));
  for (int k = 0; k < 3 && got; k++) assert_that(x[k] == y[k]);
  if (first == LIMB_OK) return got;
  assert_that(err.line == BAD && again.line == BAD && err.column == again.column);
  ck_assert_str_eq(err.text, again.text);
  return 1;
}

static void compare_readers(const char* text, const limb_pool* pool)
{
  FILE *plain = open_text(text), *ahead = open_text(text);
  limb_csv_reader *r = NULL, *s = NULL;
  assert_ok(limb_csv_open(plain, NULL, &r, NULL));
  assert_ok(limb_csv_open(ahead, NULL, &s, NULL));
  assert_ok(limb_csv_set_pool(s, pool));
  while (same_row(r, s)) continue;
  assert_that(limb_csv_unended(r) && limb_csv_line(r) == MANY + 1);
  limb_csv_close(r), limb_csv_close(s);
  (void)fclose(plain), (void)fclose(ahead);
}

// Digits on threads: the same bytes, the same rows and lines, the same complaint; also where a line ends with CR LF,
// and where the last line does not end.
START_TEST(threads_change_nothing)
{
  size_t size, more;
  limb_threads* threads = NULL;
  assert_ok(limb_threads_create(3, NULL, &threads));
  const limb_pool* pool = limb_threads_pool(threads);
  char *text = write_many(NULL, &size), *other = write_many(pool, &more), *at = text;
  assert_that(size == more && memcmp(text, other, size) == 0);
  text[size - 1] = '\0';
  strchr(text + size / 2, '\n')[-1] = '\r';
  compare_readers(text, pool);
  for (int line = 1; line < BAD; line++) at = strchr(at, '\n') + 1;
  *at = 'x';
  compare_readers(text, pool);
  free(text), free(other);
  limb_threads_destroy(threads);
}
END_TEST

CHECK_MAIN("io/table", 1, formats_by_suffix, csv_is_text, npy_is_an_array, writers_refuse, full_disk_csv, full_disk_npy,
           columns_are_read, threads_change_nothing)
