// Tables in CSV, reading: what is understood, what is refused and with which words, sizes.
#include "limb/table.h"

#include "io/csv_stream.h"
#include "support/rng.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 16 };

// ---- what is understood ----------------------------------------------------------------------------

START_TEST(test_read)
{
  FILE* stream = open_text("time,q.j1,q.j2\n0,1.5,-2\n0.001,1e-3,+.5\n");
  limb_csv_reader* r;
  limb_error err;
  assert_ok(limb_csv_open(stream, NULL, &r, &err));
  assert_that(limb_csv_column_count(r) == 3);
  ck_assert_str_eq(limb_csv_column(r, 0), "time");
  ck_assert_str_eq(limb_csv_column(r, 2), "q.j2");
  ck_assert_ptr_null(limb_csv_column(r, 3));
  ck_assert_ptr_null(limb_csv_column(r, -1));
  assert_that(limb_csv_find(r, "q.j2") == 2 && limb_csv_find(r, "time") == 0);
  assert_that(limb_csv_find(r, "q.j") == -1 && limb_csv_find(r, "") == -1);

  double row[3];
  int got;
  assert_ok(limb_csv_next(r, row, &got, &err));
  assert_that(got == 1 && row[0] == 0 && row[1] == 1.5 && row[2] == -2 && limb_csv_line(r) == 2);
  assert_ok(limb_csv_next(r, row, &got, &err));
  assert_that(got == 1 && row[0] == 0.001 && row[1] == 1e-3 && row[2] == 0.5);
  assert_that(limb_csv_line(r) == 3);
  for (int i = 0; i < 2; i++) { // the end stays the end
    assert_ok(limb_csv_next(r, row, &got, &err));
    assert_that(got == 0);
  }
  assert_that(limb_csv_bytes(r) == 39);
  limb_csv_close(r);
  (void)fclose(stream);
}
END_TEST

// Each of these is the table a, b with the rows 1, 2 and 3, 4.
START_TEST(test_read_forms)
{
  static const char* const forms[] = {
    "a,b\n1,2\n3,4\n",
    "a,b\n1,2\n3,4",
    "a,b\r\n1,2\r\n3,4\r\n",
    "a,b\r\n1,2\r\n3,4\r\n\r\n\r\n",
    ("\xef\xbb\xbf"
     "a,b\n1,2\n3,4\n"),
    "a,b\n1,2\n3,4\n\n \n\t\n",
    " a , b\t\n 1 , 2 \n\t3,4 \n",
    "\"a\",\"b\"\n\"1\",\"2\"\n 3 , \" 4 \" \n",
    "a,b\n1.,+2.0\n3e0,.4e+1\n",
    "a,b\n001,2.000000000000000000000000000000\n3,40000000000000000000000e-22\n",
  };
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    check_at("form %d", (int)i);
    FILE* stream = open_text(forms[i]);
    limb_csv_reader* r;
    assert_ok(limb_csv_open(stream, NULL, &r, NULL));
    assert_that(limb_csv_column_count(r) == 2);
    assert_that(limb_csv_find(r, "a") == 0 && limb_csv_find(r, "b") == 1);
    double row[2];
    int got;
    for (int k = 0; k < 2; k++) {
      assert_ok(limb_csv_next(r, row, &got, NULL));
      assert_that(got == 1 && row[0] == 1 + 2 * k && row[1] == 2 + 2 * k);
      assert_that(limb_csv_line(r) == 2 + k);
    }
    assert_ok(limb_csv_next(r, row, &got, NULL));
    assert_that(got == 0);
    limb_csv_close(r);
    (void)fclose(stream);
  }
}
END_TEST

START_TEST(test_read_names)
{
  static const struct {
    const char* header;
    const char* first;
    int count;
  } known[] = {
    {"\"a,b\",c\n", "a,b", 2},
    {"\"say \"\"x\"\"\"\n", "say \"x\"", 1},
    {"\"a;b\"\n", "a;b", 1},
    {"q.joint 1 ,b\n", "q.joint 1", 2},
    {"\" a\",b\n", " a", 2},
    {"gr\xc3\xb6\xc3\x9f"
     "e\n",
     "gr\xc3\xb6\xc3\x9f"
     "e",
     1},
    {"time", "time", 1},
    {"\"#1\"\n", "#1", 1},
    {"1a,nan\n", "1a", 2},
    {"\xf0\x9f\xa6\xbe\r\n", "\xf0\x9f\xa6\xbe", 1},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    check_at("%s", known[i].header);
    FILE* stream = open_text(known[i].header);
    limb_csv_reader* r;
    assert_ok(limb_csv_open(stream, NULL, &r, NULL));
    assert_that(limb_csv_column_count(r) == known[i].count);
    ck_assert_str_eq(limb_csv_column(r, 0), known[i].first);
    assert_that(limb_csv_find(r, known[i].first) == 0);
    double row[2];
    int got = 1;
    assert_ok(limb_csv_next(r, row, &got, NULL)); // no rows: an empty table
    assert_that(got == 0);
    limb_csv_close(r);
    (void)fclose(stream);
  }
}
END_TEST

// ---- what is refused -------------------------------------------------------------------------------

typedef struct broken {
  const char* text;
  int length; // 0: up to its end
  int line, column;
  const char *where, *words;
} broken;

// Reads until something is wrong.
static limb_status read_all(const char* text, size_t length, int* rows, limb_error* err)
{
  FILE* stream = open_bytes(text, length);
  limb_csv_reader* r;
  *rows = 0;
  limb_status status = limb_csv_open(stream, NULL, &r, err);
  if (status != LIMB_OK) ck_assert_ptr_null(r);
  double row[MAX_COLUMNS];
  assert_that(limb_csv_column_count(r) <= MAX_COLUMNS);
  for (int got = 1; status == LIMB_OK && got; *rows += got) {
    status = limb_csv_next(r, row, &got, err);
    if (status != LIMB_OK) assert_that(got == 0);
  }
  limb_csv_close(r);
  (void)fclose(stream);
  return status;
}

static void check_broken(const broken* b, int count)
{
  for (int i = 0; i < count; i++, b++) {
    limb_error err = {0};
    int rows;
    const size_t length = b->length ? (size_t)b->length : strlen(b->text);
    check_at("case %d: '%s'", i, b->text);
    assert_status(read_all(b->text, length, &rows, &err), LIMB_E_SYNTAX);
    check_at("case %d: '%s': %d:%d: %s: %s", i, b->text, err.line, err.column, err.where, err.text);
    assert_that(err.status == LIMB_E_SYNTAX);
    assert_that(err.line == b->line && err.column == b->column);
    assert_that(strcmp(err.where, b->where) == 0);
    assert_that(strstr(err.text, b->words));
    assert_status(read_all(b->text, length, &rows, NULL), LIMB_E_SYNTAX);
  }
}

START_TEST(test_broken_headers)
{
  static const broken cases[] = {
    {"", 0, 0, 0, "header", "is empty; the first row must name the columns"},
    {"\n1,2\n", 0, 1, 1, "header", "the first line is empty"},
    {"\xef\xbb\xbf", 0, 1, 1, "header", "the first line is empty"},
    {"0,1.5,2\n1,2,3\n", 0, 1, 1, "column 1", "'0' is a number; the first row must name the columns"},
    {"time,-1.5e3\n", 0, 1, 6, "column 2", "'-1.5e3' is a number"},
    {"time;q.a;q.b\n0;1;2\n", 0, 1, 1, "column 1", "use commas, and points as decimal marks"},
    {"time\tq.a\n0\t1\n", 0, 1, 1, "column 1", "tabs separate the names; use commas"},
    {"a,,c\n", 0, 1, 3, "column 2", "has no name"},
    {"a,b,\n", 0, 1, 5, "column 3", "remove the extra comma"},
    {",a\n", 0, 1, 1, "column 1", "has no name"},
    {"a,\"\",c\n", 0, 1, 3, "column 2", "has no name"},
    {"a, b,c ,b\n", 0, 1, 9, "column 4", "'b' is also that of column 2"},
    {"a,\"x,y\",\"x,y\"\n", 0, 1, 9, "column 3", "is also that of column 2"},
    {"a,\"b\n1,2\n", 0, 1, 3, "column 2", "the quote is not closed"},
    {"\"a\"b,c\n", 0, 1, 1, "column 1", "text behind a quoted name"},
    {"a\"b,c\n", 0, 1, 1, "column 1", "a quote inside a name"},
    {"# time,q.a\n0,1\n", 0, 1, 1, "column 1", "remove the '#'"},
    {"time,q.a\r0,1\r0,2\r", 0, 1, 6, "column 2", "end lines with LF or CR LF"},
    {"a,b\0c\n1,2\n", 10, 1, 3, "column 2", "invisible character"},
    {"a,gr\xf6\xdf"
     "e\n",
     0, 1, 3, "column 2", "save the file as UTF-8"},
    {"\xc3\xa9,\xed\xa0\x80\n", 0, 1, 3, "column 2", "save the file as UTF-8"},
    {"\xc3\xa9\xc3\xa9,\xc0\xaf\n", 0, 1, 4, "column 2", "save the file as UTF-8"},
    {"\xff\xfe"
     "a\0,\0b\0\n\0",
     10, 1, 1, "header", "UTF-16; save it as UTF-8"},
    {"\xef\xbb\xbf\xef\xbb\xbf"
     "a,b\n",
     0, 1, 1, "column 1", "invisible character"},
    {"\xfe\xff\0a\0\n", 6, 1, 1, "header", "UTF-16; save it as UTF-8"},
  };
  check_broken(cases, (int)(sizeof cases / sizeof cases[0]));
}
END_TEST

START_TEST(test_broken_rows)
{
  static const broken cases[] = {
    {"a,b\n1,2\n3,x\n", 0, 3, 3, "column 'b'", "'x' is not a number; write it like 0.5"},
    {"a,b\n1,2 rad\n", 0, 2, 3, "column 'b'", "leave out units"},
    {"a,b\n1,2rad\n", 0, 2, 3, "column 'b'", "'2rad' is not a number"},
    {"a,b\n,2\n", 0, 2, 1, "column 'a'", "there is no number"},
    {"a,b\n1, \n", 0, 2, 4, "column 'b'", "there is no number"},
    {"a,b\n1,\"\"\n", 0, 2, 3, "column 'b'", "there is no number"},
    {"a,b\n1,nan\n", 0, 2, 3, "column 'b'", "'nan' is not a finite number"},
    {"a,b\n-INF,2\n", 0, 2, 1, "column 'a'", "'-INF' is not a finite number"},
    {"a,b\n1,1.#IND\n", 0, 2, 3, "column 'b'", "is not a finite number"},
    {"a,b\n1,1e999\n", 0, 2, 3, "column 'b'", "'1e999' is too large"},
    {"a,b\n1,0x10\n", 0, 2, 3, "column 'b'", "'0x10' is not a number"},
    {"a,b\n1,\"2,5\"\n", 0, 2, 3, "column 'b'", "'2,5' has a decimal comma; write a point"},
    {"a,b\n1;2\n", 0, 2, 1, "column 'a'", "separate fields by commas"},
    {"a,b\n1\t2\n", 0, 2, 1, "column 'a'", "separate fields by commas"},
    {"a,b\n1,\"2\n", 0, 2, 3, "column 'b'", "the quotes do not enclose the whole field"},
    {"a,b\n1,\"2\"3\n", 0, 2, 3, "column 'b'", "the quotes do not enclose the whole field"},
    {"a,b\n1,2\"\n", 0, 2, 3, "column 'b'", "'2\"' is not a number"},
    {"a,b\n1,2\0\n", 9, 2, 3, "column 'b'", "a zero byte"},
    {"a,b\n\0\0\0\0", 8, 2, 1, "column 'a'", "a zero byte"},
    {"a,b\n1,2\r3,4\r", 0, 2, 3, "column 'b'", "a carriage return inside the line"},
    {"a,b\n1\n", 0, 2, 2, "row", "1 field, but 2 columns; the file may be cut off here"},
    {"a,b\n1\n2,3\n", 0, 2, 2, "row", "1 field, but 2 columns; write one number"},
    {"a,b\n1,2,\n", 0, 2, 5, "row", "3 fields, but 2 columns"},
    {"a,b\n1,2,3\n", 0, 2, 5, "row", "3 fields, but 2 columns; write one number"},
    {"a,b,c,d\n1,2,3,4,5\n", 0, 2, 9, "row", "5 fields, but 4 columns; write one number"},
    {"a,b\n0,5,1,5\n", 0, 2, 5, "row", "with decimal points, not commas"},
    {"a\n1\n\n2\n", 0, 3, 1, "line", "an empty line inside the table; remove it"},
    {"a\n1\n \n\r\n2", 0, 3, 1, "line", "an empty line inside the table"},
    {"a,\xc3\xa9\xc3\xa9\n1,\xe2\x82\xac\n", 0, 2, 3, "column '\xc3\xa9\xc3\xa9'", "'\xe2\x82\xac' is not"},
    {"a,b\n\xc3\xa9,\n", 0, 2, 1, "column 'a'", "'\xc3\xa9' is not"},
    {"a,b\n1,\xff\x01\n", 0, 2, 3, "column 'b'", "'?\?' is not a number"},
    {"a,b\n1,x123456789012345678901234567890123456789012345678901234567890\n", 0, 2, 3, "column 'b'",
     "'x12345678901234567890123456789012345678901234567...' is not"},
  };
  check_broken(cases, (int)(sizeof cases / sizeof cases[0]));
}
END_TEST

// An error costs its row and no other.
START_TEST(test_read_on)
{
  FILE* stream = open_text("a\n1\nx\n\n2\n");
  limb_csv_reader* r;
  limb_error err;
  assert_ok(limb_csv_open(stream, NULL, &r, &err));
  double x = 0;
  int got;
  assert_ok(limb_csv_next(r, &x, &got, &err));
  assert_status(limb_csv_next(r, &x, &got, &err), LIMB_E_SYNTAX);
  assert_that(err.line == 3 && got == 0);
  assert_status(limb_csv_next(r, &x, &got, &err), LIMB_E_SYNTAX);
  assert_that(err.line == 4 && got == 0);
  assert_ok(limb_csv_next(r, &x, &got, &err));
  assert_that(got == 1 && x == 2 && limb_csv_line(r) == 5);
  assert_ok(limb_csv_next(r, &x, &got, &err));
  assert_that(got == 0);
  limb_csv_close(r);
  (void)fclose(stream);
}
END_TEST

// A file that ends too early gives the rows that are whole, and an error that names its last line.
START_TEST(test_cut_off)
{
  const char* whole = "time,q.a,\"q.b\"\r\n0,1,2\r\n0.5,-1.25e-3,\"4\"\n1,2,3\n";
  for (size_t length = 0; length <= strlen(whole); length++) {
    int lines = 0, rows;
    for (size_t i = 0; i < length; i++) lines += whole[i] == '\n';
    limb_error err = {0};
    const limb_status status = read_all(whole, length, &rows, &err);
    check_at("first %d bytes: %d rows, %d:%d: %s", (int)length, rows, err.line, err.column, err.text);
    assert_that(status == LIMB_OK || status == LIMB_E_SYNTAX);
    if (status == LIMB_OK)
      assert_that(rows == lines - 1 || rows == lines || lines == 0);
    else
      assert_that(length == 0 || err.line == lines + 1);
    if (status != LIMB_OK) assert_that(rows == (lines ? lines - 1 : 0));
  }
}
END_TEST

// ---- sizes -----------------------------------------------------------------------------------------

// A header longer than the buffer, and rows as long.
START_TEST(test_wide)
{
  enum { COLUMNS = 60000 };
  FILE* stream = tmpfile();
  limb_csv_writer* w;
  assert_ok(limb_csv_create(stream, NULL, &w));
  for (int k = 0; k < COLUMNS; k++) {
    char name[32];
    (void)snprintf(name, sizeof name, "column.%d", k);
    assert_ok(limb_csv_text(w, name));
  }
  assert_ok(limb_csv_end_row(w));
  double* x = malloc(2 * COLUMNS * sizeof *x);
  assert_that(x);
  double *row = x + COLUMNS, count = 0;
  for (int i = 0; i < 5; i++) {
    for (int k = 0; k < COLUMNS; k++) x[k] = sqrt(count++);
    assert_ok(limb_csv_numbers(w, x, COLUMNS));
    assert_ok(limb_csv_end_row(w));
  }
  assert_ok(limb_csv_finish(w));
  limb_csv_destroy(w);
  rewind(stream);

  limb_csv_reader* r;
  limb_error err;
  assert_ok(limb_csv_open(stream, NULL, &r, &err));
  assert_that(limb_csv_column_count(r) == COLUMNS);
  assert_that(limb_csv_find(r, "column.59999") == 59999);
  count = 0;
  for (int i = 0; i < 5; i++) {
    int got;
    assert_ok(limb_csv_next(r, row, &got, &err));
    assert_that(got);
    for (int k = 0; k < COLUMNS; k++) x[k] = sqrt(count++);
    assert_that(memcmp(x, row, COLUMNS * sizeof *x) == 0);
  }
  limb_csv_close(r);
  (void)fclose(stream);
  free(x);
}
END_TEST

// Lines without end are refused at 16 MiB, in the header and in a row; reading does not go on.
START_TEST(test_endless_line)
{
  enum { N = 17 << 20 };
  char* text = malloc(N);
  assert_that(text);
  memset(text, '1', N);
  limb_error err;
  int rows;
  assert_status(read_all(text, N, &rows, &err), LIMB_E_SYNTAX);
  assert_that(err.line == 1 && strstr(err.text, "longer than 16 MiB"));
  memcpy(text, "a\n", 2);
  assert_status(read_all(text, N, &rows, &err), LIMB_E_SYNTAX);
  assert_that(err.line == 2 && strstr(err.text, "longer than 16 MiB"));

  FILE* stream = open_bytes(text, N);
  limb_csv_reader* r;
  double x;
  int got;
  assert_ok(limb_csv_open(stream, NULL, &r, &err));
  assert_status(limb_csv_next(r, &x, &got, &err), LIMB_E_SYNTAX);
  assert_status(limb_csv_next(r, &x, &got, &err), LIMB_E_SYNTAX);
  assert_that(strstr(err.text, "earlier error"));
  limb_csv_close(r);
  (void)fclose(stream);
  free(text);
}
END_TEST

CHECK_MAIN("csv", 1, test_read, test_read_forms, test_read_names, test_broken_headers, test_broken_rows, test_read_on,
           test_cut_off, test_wide, test_endless_line)
