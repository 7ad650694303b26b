// Curves as small multiples: what shares a panel, what is said about it, gaps, events, peaks that survive any
// number of rows.
#include "support/check.h"

#include "limb/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES = 4, ROWS = 5000 };

static const limb_plot_series series[SERIES] = {{"q.one", "rad", HUGE_VAL, "positions", 0, 0},
                                                {"q.two <b>", "rad", HUGE_VAL, "positions", 0, 0},
                                                {"q.slide", "m", HUGE_VAL, "positions", 0, 0},
                                                {"energy", "J", 2.5, NULL, 0, 0}};

static const limb_plot_event events[] = {{-1, "before"}, {2, "stop & go"}, {2.1, "slip"}, {99, "after"}};

// What was written to a file, which is closed; to be freed.
static char* text_of(FILE* out)
{
  const long size = ftell(out);
  char* text = calloc((size_t)size + 1, 1);
  assert_that(size > 0 && text && fseek(out, 0, SEEK_SET) == 0);
  assert_that(fread(text, 1, (size_t)size, out) == (size_t)size && fclose(out) == 0);
  return text;
}

// The drawing of rows whose last series has a gap or is absent; to be freed.
static char* draw(int absent)
{
  limb_plot* p = NULL;
  FILE* out = tmpfile();
  const limb_plot_labels labels = {
    .title = "title", .subtitle = "subtitle", .x_label = "time [s]", .event = events, .events = 4};
  assert_that(out && limb_plot_create(SERIES, &p) == LIMB_OK);
  for (int i = 0; i < ROWS; i++) {
    const double x = 5.0 * i / (ROWS - 1), none = nan("");
    const int gap = absent || (x > 1 && x < 3);
    const double y[SERIES] = {sin(x), i == 2345 ? 7.25 : cos(x), 0.1 * x, gap ? none : 2};
    limb_plot_add(p, x, y);
  }
  limb_plot_write(p, series, &labels, out);
  limb_plot_destroy(p);
  return text_of(out);
}

// Logarithms of values from 30 to 3e8, over 10 to 10^4; the second series has one value only.
static char* draw_decades(void)
{
  const limb_plot_series two[2] = {{"one", "ns", HUGE_VAL, "cost", 0, 0}, {"two", "ns", HUGE_VAL, "cost", 0, 0}};
  const limb_plot_labels labels = {.title = "title", .subtitle = "", .x_label = "n", .decades = 1};
  limb_plot* p = NULL;
  FILE* out = tmpfile();
  assert_that(out && limb_plot_create(2, &p) == LIMB_OK);
  for (int i = 1; i <= 4; i++) {
    const double y[2] = {log10(30) + 7.0 * (i - 1) / 3, i == 2 ? 3 : nan("")};
    limb_plot_add(p, i, y);
  }
  limb_plot_write(p, two, &labels, out);
  limb_plot_destroy(p);
  return text_of(out);
}

static int count(const char* text, const char* what)
{
  int n = 0;
  for (const char* at = strstr(text, what); at; at = strstr(at + 1, what)) n++;
  return n;
}

START_TEST(series_share_panels)
{
  char* text = draw(0);
  assert_that(count(text, "class=\"panel\"") == 3); // another unit is another panel
  assert_that(count(text, ">positions<") == 1);     // a panel of one series has its name
  assert_that(count(text, ">q.one<") == 1 && count(text, ">q.two &lt;b&gt;<") == 1);
  assert_that(count(text, ">q.slide<") == 1 && count(text, ">energy<") == 1);
  assert_that(count(text, "class=\"curve c1\"") == 2); // the curve, and its sample
  assert_that(count(text, "class=\"dot\"") == 2);      // peaks of single series only
  assert_that(count(text, ">peak 2 of 2.5 J<") == 1);
  free(text);
}
END_TEST

START_TEST(events_are_lines)
{
  char* text = draw(0);
  assert_that(count(text, "class=\"event\"") == 2 * 3); // those in the range, in all panels
  assert_that(count(text, ">stop &amp; go<") == 1 && count(text, ">slip<") == 1);
  assert_that(count(text, "before") == 0 && count(text, "after") == 0);
  free(text);
}
END_TEST

START_TEST(gaps_are_gaps)
{
  char *text = draw(0), *empty = draw(1);
  assert_that(count(text, "class=\"area\"") == 1 + 2); // the slide, and two stretches of energy
  assert_that(count(empty, "class=\"area\"") == 1);
  assert_that(count(empty, "class=\"panel\"") == 3 && count(empty, ">energy<") == 1);
  assert_that(count(empty, "peak") == 2 + 1); // of the slide, in the style, and no other
  assert_that(!strstr(text, "nan") && !strstr(text, "inf"));
  assert_that(!strstr(empty, "nan") && !strstr(empty, "inf"));
  free(text);
  free(empty);
}
END_TEST

// One row of five thousand stands out; buckets keep it, and the scale has it.
START_TEST(peaks_survive)
{
  char* text = draw(0);
  assert_that(count(text, ">6<") == 1);
  free(text);
}
END_TEST

// A joint without torque, one that has only rounding, and one that works.
START_TEST(zeros_have_no_panel)
{
  const limb_plot_series three[3] = {{"tau.a", "N m", HUGE_VAL, NULL, 0, 0},
                                     {"tau.b", "N m", HUGE_VAL, NULL, 0, 0},
                                     {"tau.c", "N m", HUGE_VAL, NULL, 0, 0}};
  const limb_plot_labels labels = {.title = "title", .subtitle = "", .x_label = "time"};
  for (int with_c = 0; with_c < 2; with_c++) {
    limb_plot* p = NULL;
    FILE* out = tmpfile();
    assert_that(out && limb_plot_create(3, &p) == LIMB_OK);
    for (int i = 0; i < 10; i++) limb_plot_add(p, i, (const double[]){0, with_c * 3e-13 * i, with_c * 2.0 * i});
    limb_plot_write(p, three, &labels, out);
    limb_plot_destroy(p);
    char* text = text_of(out);
    assert_that(count(text, "class=\"panel\"") == (with_c ? 1 : 3)); // zeros alone are an answer
    assert_that(count(text, ">zero, or rounding: tau.a, tau.b<") == with_c && count(text, ">tau.c<") == 1);
    free(text);
  }
}
END_TEST

// Ticks are powers of ten, and nothing is drawn down to zero.
START_TEST(decades_are_powers)
{
  char* text = draw_decades();
  assert_that(count(text, ">10<") == 1 && count(text, ">1000<") == 1);   // of n alone
  assert_that(count(text, ">100<") == 2 && count(text, ">10000<") == 2); // of both
  assert_that(count(text, ">1e6<") == 1 && count(text, ">1e8<") == 1);
  assert_that(count(text, "class=\"zero\"") == 0 && count(text, "class=\"area\"") == 0);
  assert_that(count(text, "class=\"curve c1\"") == 2); // a value alone is drawn, too
  assert_that(!strstr(text, "nan") && !strstr(text, "inf"));
  free(text);
}
END_TEST

// The RMS is a line on the sides of the curve, rounding is flat, another motion lies behind with its own colour, and a
// drawing without a title begins at its top.
START_TEST(two_motions)
{
  static const limb_plot_series one[2] = {{"torque", "N m", HUGE_VAL, NULL, 0.5, 0},
                                          {"nothing", "W", HUGE_VAL, NULL, 0, 1e-9}};
  limb_plot *p = NULL, *other = NULL;
  assert_ok(limb_plot_create(2, &p));
  assert_ok(limb_plot_create(2, &other));
  for (int i = 0; i <= 100; i++) {
    limb_plot_add(p, i, (const double[2]){sin(0.1 * i), 1e-10 * cos(i)});
    limb_plot_add(other, 2 * i, (const double[2]){3 * sin(0.1 * i), 0});
  }
  for (int two = 0; two < 2; two++) {
    const limb_plot_labels labels = {.title = "",
                                     .subtitle = "",
                                     .x_label = "time [s]",
                                     .width = 500,
                                     .other = two ? other : NULL,
                                     .name = {"fast <b>", "slow"}};
    FILE* out = tmpfile();
    assert_that(out != NULL);
    limb_plot_write(p, one, &labels, out);
    char* text = text_of(out);
    assert_that(strstr(text, "width=\"500\"") && strstr(text, "RMS 0.5 N m") && strstr(text, "class=\"rms\""));
    assert_that(!strstr(text, "e-10") && strstr(text, "zero, or rounding: nothing"));
    assert_that((strstr(text, "class=\"curve other\"") != NULL) == two && (strstr(text, ">200<") != NULL) == two);
    assert_that((strstr(text, "fast &lt;b&gt;") != NULL) == two);
    free(text);
  }
  limb_plot_destroy(p);
  limb_plot_destroy(other);
}
END_TEST

// Torque over speed: thinned rows keep the strongest and the fastest; regions are there when limits are known.
START_TEST(envelope)
{
  limb_envelope* e = NULL;
  static const double curve[] = {0, 5, 1000, 4, 10000, 1};
  const limb_envelope_labels bare = {.x_label = "speed [rpm]", .y_label = "torque [N m]"},
                             full = {.x_label = "speed [rpm]",
                                     .y_label = "torque [N m]",
                                     .motor = {.rated_torque = 2,
                                               .peak_torque = 5,
                                               .rated_speed = 750,
                                               .max_speed = 10000,
                                               .peak_curve = {3, curve}},
                                     .speed_unit = 2,
                                     .rms = 1.5,
                                     .mean_speed = 800};
  assert_ok(limb_envelope_create(&e));
  assert_status(limb_envelope_create(NULL), LIMB_E_ARG);
  for (int pass = 0; pass < 3; pass++) { // nothing, one row, many
    for (int i = 0; i < (pass == 2 ? 20000 : pass); i++)
      limb_envelope_add(e, i == 7777 ? 4321 : 3000 * sin(0.01 * i), i == 4001 ? 4.9 : 2 * cos(0.013 * i));
    limb_envelope_add(e, nan(""), 1), limb_envelope_add(NULL, 1, 1);
    FILE* out = tmpfile();
    assert_that(out != NULL);
    limb_envelope_write(e, pass == 1 ? &bare : &full, out);
    char* text = text_of(out);
    assert_that(!strstr(text, "nan") && !strstr(text, "inf") && strlen(text) < 200000);
    assert_that((strstr(text, ">peak<") != NULL) == (pass > 0));
    if (pass == 2)
      assert_that(strstr(text, "class=\"short\"") && strstr(text, "class=\"long\"") && strstr(text, ">20000<"));
    if (pass == 2) assert_that(strstr(text, "rated 2, peak 5") && strstr(text, "class=\"brake\""));
    free(text);
  }
  limb_envelope_destroy(e);
  limb_envelope_destroy(NULL);
}
END_TEST

CHECK_MAIN("plot", 1, series_share_panels, events_are_lines, gaps_are_gaps, peaks_survive, zeros_have_no_panel,
           decades_are_powers, two_motions, envelope)
