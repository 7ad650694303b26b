// YAML as a tree: kinds, places and what values can be asked for. What readers make of it is in
// test_yaml_read.c, what they refuse in test_yaml_broken.c.
#include "io/yaml.h"

#include "base/memory.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

// A document and what was found in it.
typedef struct page {
  limb_allocator alloc;
  memory_pool pool;
  limb_reporter check;
  const yml_node* root;
} page;

static page open_page(const char* text)
{
  page p = {.alloc = limb_default_allocator()};
  p.pool = limb_mempool_make(&p.alloc);
  assert_ok(limb_findings_create(NULL, &p.check.findings));
  assert_ok(limb_yaml_parse(text, strlen(text), &p.pool, &p.check, &p.root));
  return p;
}

static void close_page(page* p)
{
  limb_findings_destroy(p->check.findings);
  limb_mempool_free(&p->pool);
}

// The newest finding, an error of this rule at this place that says this.
static void expect_last(const page* p, const char* rule, int line, int column, const char* says)
{
  limb_finding f = {0};
  assert_ok(limb_findings_get(p->check.findings, limb_findings_count(p->check.findings) - 1, &f));
  check_at("%d:%d %s: %s", f.line, f.column, f.rule, f.text);
  ck_assert_str_eq(f.rule, rule);
  ck_assert_int_eq(f.line, line);
  ck_assert_int_eq(f.column, column);
  ck_assert_ptr_nonnull(strstr(f.text, says));
}

START_TEST(tree)
{
  page p = open_page("a: 1\n"
                     "b: [x, 'y z', [], {}]\n"
                     "c:\n"
                     "  d: |\n"
                     "    text\n"
                     "  \xc3\xa4: # nothing\n");
  const yml_node *a = limb_yml_get(p.root, "a"), *b = limb_yml_get(p.root, "b"), *c = limb_yml_get(p.root, "c");
  assert_that(p.root->kind == YML_MAP && p.root->count == 3 && p.root->first == a && a->next == b);
  assert_that(a->kind == YML_SCALAR && !a->quoted && a->index == -1 && strcmp(a->text, "1") == 0);
  assert_that(a->pos.line == 1 && a->pos.column == 4 && a->key_pos.column == 1);
  assert_that(b->kind == YML_LIST && b->count == 4 && b->pos.line == 2 && b->pos.column == 4);
  const yml_node* y = b->first->next;
  assert_that(y->quoted && strcmp(y->text, "y z") == 0 && y->index == 1 && strcmp(y->key, "b") == 0);
  assert_that(y->pos.line == 2 && y->pos.column == 8);
  assert_that(y->next->kind == YML_LIST && y->next->count == 0 && y->next->next->kind == YML_MAP);
  assert_that(c->kind == YML_MAP && c->pos.line == 4 && c->pos.column == 3);
  assert_that(strcmp(limb_yml_get(c, "d")->text, "text\n") == 0 && limb_yml_get(c, "d")->quoted);
  assert_that(*limb_yml_get(c, "\xc3\xa4")->text == 0 && limb_yml_get(c, "\xc3\xa4")->key_pos.line == 6);
  assert_that(limb_yml_get(c, "e") == NULL && limb_yml_get(a, "a") == NULL && limb_yml_get(NULL, "a") == NULL);
  ck_assert_int_eq(p.check.errors, 0);
  close_page(&p);
}
END_TEST

START_TEST(numbers)
{
  page p = open_page("a: -1.5e3\nb: x\nc: [1, 2, q]\nd: {}\ne: .inf\nf: -.inf\ng: 7\nh: 7.5\ni: '3'\n");
  double x = 5, v[3];
  int k = -1;
  assert_that(limb_yml_number(&p.check, limb_yml_get(p.root, "a"), &x) && x == -1500);
  assert_that(!limb_yml_number(&p.check, NULL, &x) && x == -1500);
  ck_assert_int_eq(p.check.errors, 0);
  assert_that(!limb_yml_number(&p.check, limb_yml_get(p.root, "b"), &x) && x == -1500);
  expect_last(&p, "bad-number", 2, 4, "b must be a number, found 'x'");
  assert_that(!limb_yml_numbers(&p.check, limb_yml_get(p.root, "c"), 3, v));
  expect_last(&p, "bad-number", 3, 11, "entry 3 of c must be a number, found 'q'");
  assert_that(!limb_yml_numbers(&p.check, limb_yml_get(p.root, "c"), 2, v));
  expect_last(&p, "wrong-count", 3, 4, "c must be a list of 2 numbers, found 3 entries");
  assert_that(!limb_yml_numbers(&p.check, limb_yml_get(p.root, "d"), 2, v));
  expect_last(&p, "bad-value", 4, 4, "d must be a list of 2 numbers, found a mapping");
  assert_that(limb_yml_limit(&p.check, limb_yml_get(p.root, "e"), &x) && x == HUGE_VAL);
  assert_that(limb_yml_limit(&p.check, limb_yml_get(p.root, "f"), &x) && x == -HUGE_VAL);
  assert_that(limb_yml_limit(&p.check, limb_yml_get(p.root, "g"), &x) && x == 7);
  assert_that(!limb_yml_number(&p.check, limb_yml_get(p.root, "e"), &x));
  assert_that(limb_yml_integer(&p.check, limb_yml_get(p.root, "g"), 0, 9, &k) && k == 7);
  assert_that(!limb_yml_integer(&p.check, limb_yml_get(p.root, "g"), 0, 6, &k) && k == 7);
  expect_last(&p, "bad-number", 7, 4, "g must be a whole number from 0 to 6, found '7'");
  assert_that(!limb_yml_integer(&p.check, limb_yml_get(p.root, "h"), 0, 9, &k));
  assert_that(!limb_yml_number(&p.check, limb_yml_get(p.root, "i"), &x));
  expect_last(&p, "bad-number", 9, 4, "found the text \"3\"");
  ck_assert_int_eq(p.check.errors, 8);
  close_page(&p);
}
END_TEST

START_TEST(angles)
{
  static const struct {
    const char* text;
    double angle; // NAN: none
  } table[] = {{"pi", PI},         {"-pi", -PI},      {"+pi", PI},          {"pi/2", PI / 2},
               {"-pi/4", -PI / 4}, {"2*pi", 2 * PI},  {"-0.5*pi", -PI / 2}, {"3*pi/4", 3 * PI / 4},
               {"1.25", 1.25},     {"-1", -1},        {"pi/0", -77},        {"pi/-2", -77},
               {"--pi", -77},      {"2pi", -77},      {"pi*2", -77},        {"pix", -77},
               {"pi/", -77},       {"2**pi", -77},    {"pi/2/2", -77},      {"p", -77},
               {"-", -77},         {"1e400*pi", -77}, {"*pi", -77},         {"-+2*pi", -77}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    char text[64] = "a: \"\"\n";
    page p = open_page(text);
    yml_node n = *limb_yml_get(p.root, "a");
    n.text = table[i].text;
    n.quoted = 0;
    double x = -77;
    check_at("%s", table[i].text);
    const int good = limb_yml_angle(&p.check, &n, 1, &x);
    assert_close(x, table[i].angle, 1e-16, 0);
    assert_that(good == (table[i].angle != -77));
    close_page(&p);
  }
  page p = open_page("a: [90, -45, pi]\n");
  double x[3] = {0};
  assert_that(!limb_yml_angles(&p.check, limb_yml_get(p.root, "a"), 3, PI / 180, x));
  expect_last(&p, "bad-number", 1, 14, "must be a number of degrees");
  assert_close(x[0], PI / 2, 1e-16, 0);
  assert_close(x[1], -PI / 4, 1e-16, 0);
  close_page(&p);
}
END_TEST

START_TEST(words)
{
  static const char animals[] = "cat dog emu";
  page p = open_page("a: dog\nb: cow\nc: no\nd: yes\ne: ''\nf: [cat]\n");
  const char* text = NULL;
  int k = -1;
  assert_that(limb_yml_choice(&p.check, limb_yml_get(p.root, "a"), animals, &k) && k == 1);
  assert_that(!limb_yml_choice(&p.check, limb_yml_get(p.root, "b"), animals, &k) && k == 1);
  expect_last(&p, "bad-value", 2, 4, "b must be cat, dog or emu, found 'cow'");

  assert_that(limb_yml_text(&p.check, limb_yml_get(p.root, "d"), &text) && strcmp(text, "yes") == 0);
  assert_that(!limb_yml_text(&p.check, limb_yml_get(p.root, "e"), &text));
  assert_that(!limb_yml_text(&p.check, limb_yml_get(p.root, "f"), &text));
  expect_last(&p, "bad-value", 6, 4, "f must be a single value, found a list");
  assert_that(!limb_yml_is(&p.check, limb_yml_get(p.root, "a"), YML_MAP));
  expect_last(&p, "bad-value", 1, 4, "a must be a mapping (key: value), found 'dog'");
  assert_that(limb_yml_need(&p.check, p.root, "g") == NULL);
  expect_last(&p, "missing-key", 1, 1, "the key 'g' is missing");
  close_page(&p);
}
END_TEST

START_TEST(keys)
{
  static const char known[] = "mass inertia name";
  page p = open_page("name: x\nmas: 1\ninertia: 2\nmass: 3\n\"\\tbell\\e\": 4\nz: 5\n");
  limb_yml_check_keys(&p.check, p.root, known);
  ck_assert_int_eq(p.check.errors, 3);
  limb_finding f;
  assert_ok(limb_findings_get(p.check.findings, 0, &f));
  ck_assert_str_eq(f.text, "unknown key 'mas'; did you mean 'mass'?");
  assert_ok(limb_findings_get(p.check.findings, 1, &f));
  ck_assert_str_eq(f.text, "unknown key '?bell?'");
  const yml_node* one = limb_yml_one_of(&p.check, p.root, known);
  assert_that(one && strcmp(one->key, "mass") == 0);
  ck_assert_int_eq(p.check.errors, 5);
  expect_last(&p, "bad-value", 1, 1, "mass and name exclude each other");
  assert_that(limb_yml_one_of(&p.check, p.root, "q r") == NULL);
  close_page(&p);
}
END_TEST

// Twice the same key among many, and long texts in messages end at a whole character.
START_TEST(messages)
{
  page p = open_page("a: 1\nb: {a: 1, c: 2, a: 3}\nc: 4\na: 5\n");
  ck_assert_int_eq(p.check.errors, 2);
  expect_last(&p, "duplicate-key", 4, 1, "the key 'a' was already given on line 1");
  close_page(&p);
  p = open_page("a: x\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
                "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
                "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\n");
  double x;
  assert_that(!limb_yml_number(&p.check, limb_yml_get(p.root, "a"), &x));
  expect_last(&p, "bad-number", 1, 4, "\xc3\xa4...'");
  close_page(&p);
}
END_TEST

CHECK_MAIN("yaml", 1, tree, numbers, angles, words, keys, messages)
