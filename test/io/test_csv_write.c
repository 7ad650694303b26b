// Tables in CSV: round trips across the edges of the buffers, writing, streams and memory that fail.
#include "limb/table.h"

#include "io/csv_stream.h"
#include "support/rng.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 16 };

// Rows of every length across the edges of the buffers: the same bits come back.
START_TEST(test_round_trip)
{
  enum { COLUMNS = 7, ROWS = CHECK_SANITIZED ? 5000 : 40000 };
  FILE* stream = tmpfile();
  limb_csv_writer* w;
  assert_ok(limb_csv_create(stream, NULL, &w));
  for (int k = 0; k < COLUMNS; k++) assert_ok(limb_csv_text(w, (const char[]){(char)('a' + k), 0}));
  assert_ok(limb_csv_end_row(w));
  double x[COLUMNS], y[COLUMNS];
  for (int i = 0; i < ROWS; i++) {
    rng s = {.state = (uint64_t)i};
    rng_fill(&s, exp(rng_uniform(&s, -40, 40)), COLUMNS, x);
    if (i % 3 == 0) x[i % COLUMNS] = i % 2 ? -0.0 : DBL_MAX;
    if (i % 3 == 1) x[i % COLUMNS] = i * 0.001;
    assert_ok(limb_csv_number(w, x[0]));
    assert_ok(limb_csv_numbers(w, x + 1, COLUMNS - 1));
    assert_ok(limb_csv_end_row(w));
  }
  assert_ok(limb_csv_finish(w));
  limb_csv_destroy(w);
  const long size = ftell(stream);
  rewind(stream);

  limb_csv_reader* r;
  limb_error err;
  assert_ok(limb_csv_open(stream, NULL, &r, &err));
  int got;
  for (int i = 0; i < ROWS; i++) {
    rng s = {.state = (uint64_t)i};
    rng_fill(&s, exp(rng_uniform(&s, -40, 40)), COLUMNS, x);
    if (i % 3 == 0) x[i % COLUMNS] = i % 2 ? -0.0 : DBL_MAX;
    if (i % 3 == 1) x[i % COLUMNS] = i * 0.001;
    check_at("row %d", i);
    assert_ok(limb_csv_next(r, y, &got, &err));
    assert_that(got == 1 && memcmp(x, y, sizeof x) == 0 && limb_csv_line(r) == i + 2);
  }
  assert_ok(limb_csv_next(r, y, &got, &err));
  assert_that(got == 0 && limb_csv_bytes(r) == (uint64_t)size);
  limb_csv_close(r);
  (void)fclose(stream);
}
END_TEST

// ---- writing ---------------------------------------------------------------------------------------

START_TEST(test_write)
{
  char text[512] = "";
  FILE* stream = fmemopen(text, sizeof text, "w");
  limb_csv_writer* w;
  assert_ok(limb_csv_create(stream, NULL, &w));
  static const char* const names[] = {"time", "a,b", "say \"x\"", " c", "d ", "e;f", "#", "two\nlines", "g h"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) assert_ok(limb_csv_text(w, names[i]));
  assert_ok(limb_csv_end_row(w));
  assert_ok(limb_csv_text(w, "x"));
  assert_ok(limb_csv_numbers(w, (const double[]){0.1, -2, 1e-7, 1e22}, 4));
  assert_ok(limb_csv_text(w, ""));
  assert_ok(limb_csv_number(w, nan("")));
  assert_ok(limb_csv_end_row(w));
  assert_ok(limb_csv_text(w, "")); // alone in its row, it must not look like an empty line
  assert_ok(limb_csv_end_row(w));
  assert_ok(limb_csv_text(w, ""));
  assert_ok(limb_csv_number(w, 5));
  assert_ok(limb_csv_end_row(w));
  assert_ok(limb_csv_finish(w));
  ck_assert_str_eq(text, "time,\"a,b\",\"say \"\"x\"\"\",\" c\",\"d \",\"e;f\",\"#\",\"two\nlines\",g h\n"
                         "x,0.1,-2,1e-07,1e+22,,nan\n\"\"\n,5\n");
  limb_csv_destroy(w);
  (void)fclose(stream);
}
END_TEST

// Whatever can be a name is read as it was written.
START_TEST(test_write_names)
{
  static const char* const names[] = {"#a", "b,c", " d", "e\"f", "\"", "g;h", "i ", "j k", "\xc3\xa9", "'"};
  const int count = (int)(sizeof names / sizeof names[0]);
  FILE* stream = tmpfile();
  limb_csv_writer* w;
  assert_ok(limb_csv_create(stream, NULL, &w));
  for (int i = 0; i < count; i++) assert_ok(limb_csv_text(w, names[i]));
  assert_ok(limb_csv_end_row(w));
  assert_ok(limb_csv_finish(w));
  limb_csv_destroy(w);
  rewind(stream);
  limb_csv_reader* r;
  assert_ok(limb_csv_open(stream, NULL, &r, NULL));
  assert_that(limb_csv_column_count(r) == count);
  for (int i = 0; i < count; i++) ck_assert_str_eq(limb_csv_column(r, i), names[i]);
  limb_csv_close(r);
  (void)fclose(stream);
}
END_TEST

// ---- what fails ------------------------------------------------------------------------------------

START_TEST(test_streams_that_fail)
{
  char room[64] = "a\n1\n";
  FILE* stream = fmemopen(room, sizeof room, "w"); // cannot be read
  limb_csv_reader* r;
  limb_error err = {0};
  assert_status(limb_csv_open(stream, NULL, &r, &err), LIMB_E_IO);
  assert_that(err.status == LIMB_E_IO && err.text[0] && !r);
  (void)fclose(stream);

  stream = fmemopen(room, sizeof room, "w"); // too small
  limb_csv_writer* w;
  assert_ok(limb_csv_create(stream, NULL, &w));
  for (int i = 0; i < 100; i++) assert_ok(limb_csv_number(w, 1.0 / 3));
  assert_ok(limb_csv_end_row(w));
  assert_status(limb_csv_finish(w), LIMB_E_IO);
  assert_status(limb_csv_number(w, 1), LIMB_E_IO);
  assert_status(limb_csv_text(w, "x"), LIMB_E_IO);
  assert_status(limb_csv_end_row(w), LIMB_E_IO);
  assert_status(limb_csv_finish(w), LIMB_E_IO);
  limb_csv_destroy(w);
  (void)fclose(stream);

  stream = fmemopen(room, sizeof room, "r"); // cannot be written; noticed before the end
  (void)setvbuf(stream, NULL, _IONBF, 0);
  assert_ok(limb_csv_create(stream, NULL, &w));
  limb_status status = LIMB_OK;
  for (int i = 0; i < 100000 && status == LIMB_OK; i++) status = limb_csv_number(w, 1.0 / 3);
  assert_status(status, LIMB_E_IO);
  limb_csv_destroy(w);
  (void)fclose(stream);
}
END_TEST

START_TEST(test_arguments)
{
  FILE* stream = open_text("a\n1\n");
  limb_csv_reader* r;
  limb_error err;
  double x;
  int got;
  const limb_allocator half = {0};
  assert_status(limb_csv_open(NULL, NULL, &r, &err), LIMB_E_ARG);
  ck_assert_ptr_null(r);
  assert_status(limb_csv_open(stream, NULL, NULL, &err), LIMB_E_ARG);
  assert_status(limb_csv_open(stream, &half, &r, &err), LIMB_E_ARG);
  assert_ok(limb_csv_open(stream, NULL, &r, NULL));
  assert_status(limb_csv_next(NULL, &x, &got, &err), LIMB_E_ARG);
  assert_status(limb_csv_next(r, NULL, &got, &err), LIMB_E_ARG);
  assert_status(limb_csv_next(r, &x, NULL, &err), LIMB_E_ARG);
  assert_that(err.status == LIMB_E_ARG);
  assert_that(limb_csv_find(r, NULL) == -1 && limb_csv_find(NULL, "a") == -1);
  assert_that(limb_csv_column_count(NULL) == 0 && limb_csv_line(NULL) == 0);
  assert_that(!limb_csv_column(NULL, 0) && limb_csv_bytes(NULL) == 0);
  limb_csv_close(r);
  limb_csv_close(NULL);

  limb_csv_writer* w;
  assert_status(limb_csv_create(NULL, NULL, &w), LIMB_E_ARG);
  ck_assert_ptr_null(w);
  assert_status(limb_csv_create(stream, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_csv_create(stream, &half, &w), LIMB_E_ARG);
  assert_ok(limb_csv_create(stream, NULL, &w));
  assert_status(limb_csv_text(w, NULL), LIMB_E_ARG);
  assert_status(limb_csv_text(NULL, "a"), LIMB_E_ARG);
  assert_status(limb_csv_number(NULL, 1), LIMB_E_ARG);
  assert_status(limb_csv_numbers(w, NULL, 1), LIMB_E_ARG);
  assert_status(limb_csv_numbers(w, &x, -1), LIMB_E_ARG);
  assert_ok(limb_csv_numbers(w, NULL, 0));
  assert_status(limb_csv_end_row(w), LIMB_E_ARG); // a row without fields
  assert_status(limb_csv_end_row(NULL), LIMB_E_ARG);
  assert_status(limb_csv_finish(NULL), LIMB_E_ARG);
  limb_csv_destroy(w);
  limb_csv_destroy(NULL);
  (void)fclose(stream);
}
END_TEST

// Memory that runs out at the n-th request.
typedef struct purse {
  int left, alive, asked;
  size_t bytes;
} purse;

static void* purse_alloc(void* context, size_t size, size_t align)
{
  purse* p = context;
  p->asked++;
  if (p->left-- <= 0) return NULL;
  p->alive++;
  p->bytes += size;
  return aligned_alloc(align, (size + align - 1) / align * align);
}

static void purse_free(void* context, void* memory, size_t size)
{
  purse* p = context;
  p->alive--;
  p->bytes -= size;
  free(memory);
}

START_TEST(test_memory)
{
  enum { N = 1 << 20 }; // the header makes the buffer grow
  char* text = malloc(N);
  assert_that(text);
  memset(text, 'n', N);
  memcpy(text + N - 5, "\n1,2\n", 5);
  text[N / 2] = ',';
  text[N / 2 + 1] = 'm';
  int granted = 0;
  for (limb_status status = LIMB_E_NOMEM; status != LIMB_OK; granted++) {
    purse p = {.left = granted};
    const limb_allocator a = {.alloc = purse_alloc, .free = purse_free, .context = &p};
    FILE* stream = open_bytes(text, N);
    limb_csv_reader* r;
    limb_error err = {0};
    status = limb_csv_open(stream, &a, &r, &err);
    if (status == LIMB_OK) {
      const int asked = p.asked;
      double row[2];
      int got;
      assert_ok(limb_csv_next(r, row, &got, &err));
      assert_that(got == 1 && row[1] == 2 && p.asked == asked); // rows take nothing
      limb_csv_close(r);
    } else {
      assert_status(status, LIMB_E_NOMEM);
      assert_that(err.status == LIMB_E_NOMEM && !r);
    }
    assert_that(p.alive == 0 && p.bytes == 0);
    (void)fclose(stream);
  }
  assert_that(granted > 5);
  free(text);

  purse p = {.left = 0};
  const limb_allocator a = {.alloc = purse_alloc, .free = purse_free, .context = &p};
  limb_csv_writer* w;
  assert_status(limb_csv_create(stdout, &a, &w), LIMB_E_NOMEM);
  p.left = 1;
  assert_ok(limb_csv_create(stdout, &a, &w));
  limb_csv_destroy(w);
  assert_that(p.alive == 0 && p.bytes == 0);
}
END_TEST

CHECK_MAIN("csv_write", 1, test_round_trip, test_write, test_write_names, test_streams_that_fail, test_arguments,
           test_memory)
