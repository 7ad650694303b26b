// xacro: expressions give what Python gives, instructions do what the real xacro does (test_cli_xacro.py compares with
// it), faults are reported where they are, and hostile files end.
#include "io/faults.h"

#include <sys/stat.h>
#include <unistd.h>

static limb_reading* expand(const char* text, limb_status* status)
{
  limb_reading* r = NULL;
  limb_read_options opt = limb_default_read_options();
  opt.format = LIMB_FORMAT_URDF;
  *status = limb_read_text(text, strlen(text), "x.urdf.xacro", &opt, &r, NULL);
  assert_that(r != NULL);
  return r;
}

typedef struct output {
  char text[8192];
} output;

static void collect(void* context, const char* more)
{
  output* o = context;
  assert_that(strlen(o->text) + strlen(more) < sizeof o->text);
  strcat(o->text, more);
}

// What <r x="text"/> becomes, up to the end of the element.
static void value_of(const char* text, output* o)
{
  char file[2048];
  limb_status status = LIMB_OK;
  (void)snprintf(file, sizeof file,
                 "<r xmlns:xacro=\"x\"><xacro:property name='d' value=\"${dict([('a', 1), ('b', [2, 3])])}\"/>"
                 "<v x=\"%s\"/></r>",
                 text);
  limb_reading* r = expand(file, &status);
  *o->text = 0;
  const limb_status written = limb_write_expanded(r, collect, o, NULL);
  if (written) {
    limb_finding f = {.text = ""};
    (void)find_finding(r, "xacro", 0, NULL, &f);
    (void)snprintf(o->text, sizeof o->text, "error: %s", f.text);
  } else {
    const char* begin = strstr(o->text, "<v x=\"");
    assert_that(begin != NULL);
    memmove(o->text, begin + 6, strlen(begin + 6) + 1);
    char* end = strstr(o->text, "\"/>");
    assert_that(end != NULL);
    *end = 0;
  }
  limb_reading_destroy(r);
}

// Left: an attribute. Right: what Python's str() prints for it, computed with Python 3.
static const struct {
  const char *text, *value;
} values[] = {
  {"${1 + 2*3 - 4/2}", "5.0"},
  {"${7 // 2} ${-7 // 2} ${-7 % 3} ${7.5 % 2} ${-7.5 // 2}", "3 -4 2 1.5 -4.0"},
  {"${2**10} ${2**-1} ${-2**2} ${2**3**2}", "1024 0.5 -4 512"},
  {"${0.1 + 0.2} ${1e16} ${1e15} ${1e-5} ${0.0001} ${1/3}",
   "0.30000000000000004 1e+16 1000000000000000.0 1e-05 0.0001 0.3333333333333333"},
  {"${-0.0} ${1e300*1e10} ${100.0} ${123456789.125}", "-0.0 inf 100.0 123456789.125"},
  {"${True} ${not 1} ${None} ${1 == 1.0} ${True + 1}", "True False None True 2"},
  {"${1 &lt; 2 &lt; 3} ${3 > 2 > 2} ${'a' &lt; 'b'} ${1 if 0 else 2 if 0 else 3}", "True False True 3"},
  {"${0 or 'x'} ${'' and 1}|${1 and 2} ${0 and 1/0} ${1 or 1/0}", "x |2 0 1"},
  {"${1/0 if False else 'fine'}", "fine"},
  {"${'a' 'b' + &quot;c&quot;*3} ${'it\\'s'} ${'x\\\\y'}", "abccc it's x\\y"},
  {"${[1, 2.0, 'a', None, True]} ${(1,)} ${(1, 2)} ${[]} ${()}", "[1, 2.0, 'a', None, True] (1,) (1, 2) [] ()"},
  {"${d} ${d.a} ${d['b'][-1]} ${d.b[0:1]} ${len(d)}", "{'a': 1, 'b': [2, 3]} 1 3 [2] 2"},
  {"${[x*x for x in range(4) if x != 2]} ${[[y for y in [x]] for x in [1]]}", "[0, 1, 9] [[1]]"},
  {"${'abc'[1]} ${'abc'[-2:]} ${'abc'[:1]} ${'b' in 'abc'} ${4 in [1, 2]} ${4 not in [1]}", "b bc a True False True"},
  {"${sin(pi/2)} ${math.cos(0)} ${degrees(pi)} ${atan2(1, 1)} ${hypot(3, 4)} ${e}",
   "1.0 1.0 180.0 0.7853981633974483 5.0 2.718281828459045"},
  {"${floor(-1.5)} ${ceil(1.2)} ${int(-1.7)} ${round(2.5)} ${round(0.125, 2)} ${round(-1.5)}", "-2 2 -1 2 0.12 -2"},
  {"${max(1, 2.5)} ${min([3, 2])} ${python.abs(-3)} ${python.sum([1, 2.5])} ${float('1e3')} ${int(' 12 ')}",
   "2.5 2 3 3.5 1000.0 12"},
  {"${'a,b'.split(',')} ${' x y '.split()} ${'-'.join(['a', 'b'])} ${'Ab'.lower()}${'Ab'.upper()}",
   "['a', 'b'] ['x', 'y'] a-b abAB"},
  {"${'%d:%5.2f:%s' % (3, pi, [1])} ${'%03d%%' % 7.9}", "3: 3.14:[1] 007%"},
  {"${list(d.keys())} ${[k for k in d]} ${d.get('c', 7)} ${python.sorted([3, 1, 2])}",
   "['a', 'b'] ['a', 'b'] 7 [1, 2, 3]"},
  {"${str(1) + '2'} ${bool('')} ${is_it if False else 'lazy'}", "12 False lazy"},
  {"$${1} $$(x) $1 a$", "${1} $(x) $1 a$"},
  {"${1}${2}", "12"},
  {" ${1} ", " 1 "},
};

START_TEST(expressions_are_pythons)
{
  output o;
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    value_of(values[i].text, &o);
    ck_assert_str_eq(o.text, values[i].value);
  }
}
END_TEST

static const struct {
  const char *text, *sentence;
} wrong[] = {
  {"${1 +}", "expected a value at 'its end'"},
  {"${(1}", "expected ')'"},
  {"${x1}", "'x1' is not defined"},
  {"${1 + 'a'}", "'+' does not take a whole number and a text"},
  {"${1/0}", "division by zero"},
  {"${'a}", "a quote is not closed"},
  {"${lambda: 1}", "'lambda' of Python is not supported"},
  {"${f'a'}", "'f' of Python is not supported"},
  {"${1 2}", "unexpected text at '2'"},
  {"${}", "expected a value"},
  {"${1", "is not closed"},
  {"$(nothing x)", "only arg, find, env"},
  {"$(arg x)", "there is no argument of this name"},
  {"$(find no_such_package)", "the package 'no_such_package' is not found"},
  {"${[1][3]}", "there is no entry 3 of 1"},
  {"${d.c}", "has no key 'c'"},
  {"${sqrt(-1)}", "sqrt() is not defined there"},
  {"${2**100}", "a whole number is too large"},
  {"${'%999999d' % 1}", "is not supported"},
  {"${'%*d' % 1}", "is not supported"},
  {"${__import__('os')}", "is not defined"},
  {"${'x'.__class__}", "has no '.__class__'"},
  {"${range(10**12)}", "the file expands to too much"},
  {"${'a'*10**12}", "the file expands to too much"},
  {"${[[1]*1000000 for x in range(1000)]}", "the file expands to too much"},
};

START_TEST(faults_of_expressions_are_named)
{
  output o;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    value_of(wrong[i].text, &o);
    check_at("%s gives %.200s", wrong[i].text, o.text);
    assert_that(strncmp(o.text, "error: ", 7) == 0 && strstr(o.text, wrong[i].sentence) != NULL);
  }
}
END_TEST

#define ROBOT(text) "<robot name='r' xmlns:xacro='x'>" text "<link name='a'/></robot>"

static const struct {
  const char *text, *sentence;
} documents[] = {
  {ROBOT("<xacro:gripper side='left'/>"), "<xacro:gripper>: there is no macro of this name"},
  {ROBOT("<xacro:macro name='hand'/><xacro:hnad/>"), "did you mean 'hand'?"},
  {ROBOT("<xacro:macro name='m' params='x'/><xacro:m/>"), "<xacro:m> needs the parameter 'x'"},
  {ROBOT("<xacro:macro name='m'/><xacro:m x='1'/>"), "<xacro:m> has no parameter 'x'"},
  {ROBOT("<xacro:macro name='m' params='*b'/><xacro:m/>"), "needs an element for '*b'"},
  {ROBOT("<xacro:macro name='m'/><xacro:m><a/></xacro:m>"), "has no use for its element <a>"},
  {ROBOT("<xacro:insert_block name='b'/>"), "there is no block 'b'"},
  {ROBOT("<xacro:if/>"), "needs the attribute 'value'"},
  {ROBOT("<xacro:if value='maybe'/>"), "neither true nor false"},
  {ROBOT("<xacro:property name='1a' value='2'/>"), "'1a' is not a name"},
  {ROBOT("<xacro:property name='a' value='1' default='2'/>"), "more than one of value, default and remove"},
  {ROBOT("<xacro:property name='a' value='${b}'/><xacro:property name='b' value='${a}'/><x y='${a}'/>"),
   "is defined by itself"},
  {ROBOT("<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>"), "nested too deep"},
  {ROBOT("<xacro:macro name='m'><b/><xacro:m/><xacro:m/></xacro:macro><xacro:m/>"), "nested too deep"},
  {ROBOT("<xacro:arg name='n'/>"), "the argument 'n' has no default"},
  {ROBOT("<xacro:include filename='parts.xacro'/>"), "a text that is not in a file refers to no others"},
  {ROBOT("<xacro:element/>"), "needs the attribute 'xacro:name'"},
  {ROBOT("<x y='${xacro.fatal(1, 2)}'/>"), "1 2"},
};

START_TEST(faults_of_documents_are_named)
{
  for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
    limb_status status = LIMB_OK;
    limb_reading* r = expand(documents[i].text, &status);
    limb_finding f = {.text = ""};
    (void)find_finding(r, "xacro", 1, NULL, &f);
    check_at("%s: %s", documents[i].text, f.text);
    assert_that(status != LIMB_OK && strstr(f.text, documents[i].sentence) != NULL);
    check_reading(r, status);
    limb_reading_destroy(r);
  }
}
END_TEST

// Doubling a text fifty times, and eleven macros that call each other eleven times each.
START_TEST(bombs_end)
{
  char text[8192] = "<robot name='r' xmlns:xacro='x'><xacro:property name='p0' value='0123456789'/>";
  limb_status status = LIMB_OK;
  for (int i = 1; i < 50; i++) {
    char one[100];
    (void)snprintf(one, sizeof one, "<xacro:property name='p%d' value='${p%d}${p%d}'/>", i, i - 1, i - 1);
    strcat(text, one);
  }
  strcat(text, "<link name='${p49}'/></robot>");
  limb_reading_destroy(expand(text, &status));
  assert_status(status, LIMB_E_SYNTAX);
  strcpy(text, "<robot name='r' xmlns:xacro='x'><xacro:macro name='m0'><link name='a'/></xacro:macro>");
  for (int i = 1; i < 12; i++) {
    char one[40];
    (void)snprintf(one, sizeof one, "<xacro:macro name='m%d'>", i);
    strcat(text, one);
    for (int k = 0; k < 11; k++) {
      (void)snprintf(one, sizeof one, "<xacro:m%d/>", i - 1);
      strcat(text, one);
    }
    strcat(text, "</xacro:macro>");
  }
  strcat(text, "<xacro:m11/></robot>");
  limb_reading_destroy(expand(text, &status));
  assert_status(status, LIMB_E_SYNTAX);
}
END_TEST

// ---- files ----------------------------------------------------------------------------------------

START_TEST(a_robot_in_three_files)
{
  static const char* const arguments[] = {"prefix:=left_", "joints:=2", NULL};
  limb_read_options opt = limb_default_read_options();
  limb_reading* r = NULL;
  limb_body_def body;
  opt.xacro_arguments = arguments;
  assert_ok(limb_read(LIMB_TEST_DIR "/io/xacro/arm.urdf.xacro", &opt, &r, NULL));
  limb_builder* b = limb_reading_builder(r);
  assert_that(limb_builder_find_joint(b, "left_link2_joint") >= 0);
  assert_that(limb_builder_find_body(b, "left_link3") < 0);
  assert_ok(limb_builder_get_body(b, limb_builder_find_body(b, "left_link1"), &body));
  assert_that(body.inertia.mass == 3.142);
  assert_status(limb_write_repaired(r, collect, &(output){""}, NULL), LIMB_E_UNSUPPORTED);
  limb_reading_destroy(r);
}
END_TEST

// A mistyped name is a warning; so are arguments of a file that takes none.
START_TEST(arguments_without_use_are_reported)
{
  static const char* const arguments[] = {"prefix:=left_", "joint:=2", NULL};
  limb_read_options opt = limb_default_read_options();
  limb_reading* r = NULL;
  limb_finding f;
  opt.xacro_arguments = arguments;
  assert_ok(limb_read(LIMB_TEST_DIR "/io/xacro/arm.urdf.xacro", &opt, &r, NULL));
  assert_that(find_finding(r, "unknown-tag", 0, NULL, &f));
  assert_that(f.severity == LIMB_WARNING && strstr(f.text, "'joint' is given"));
  limb_reading_destroy(r);
  assert_ok(limb_read("panda", &opt, &r, NULL));
  assert_that(find_finding(r, "unknown-tag", 0, NULL, &f) && strstr(f.text, "not xacro"));
  limb_reading_destroy(r);
}
END_TEST

typedef struct folder {
  char path[64], file[128], other[128];
} folder;

static void write_file(const char* path, const char* text)
{
  FILE* f = fopen(path, "w");
  assert_that(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static folder make_folder(void)
{
  folder d;
  strcpy(d.path, "limb-xacro-XXXXXX");
  assert_that(mkdtemp(d.path) != NULL);
  (void)snprintf(d.file, sizeof d.file, "%s/in/r.xacro", d.path);
  (void)snprintf(d.other, sizeof d.other, "%s/in", d.path);
  assert_that(mkdir(d.other, 0700) == 0);
  (void)snprintf(d.other, sizeof d.other, "%s/other.xacro", d.path);
  return d;
}

static void remove_folder(const folder* d)
{
  char in[128];
  (void)snprintf(in, sizeof in, "%s/in", d->path);
  (void)remove(d->file);
  (void)remove(d->other);
  (void)rmdir(in);
  (void)rmdir(d->path);
}

// A finding in an included file names that file; the error says where it is, too.
START_TEST(findings_name_the_included_file)
{
  folder d = make_folder();
  limb_read_options opt = limb_default_read_options();
  limb_reading* r = NULL;
  limb_error err = {0};
  limb_finding f = {.file = ""};
  write_file(d.file, "<robot name='r' xmlns:xacro='x'>\n<xacro:include filename='../other.xacro'/></robot>");
  write_file(d.other, "<robot>\n<link name='b'><inertial><mass value='heavy'/></inertial></link>\n</robot>");
  assert_status(limb_read(d.file, &opt, &r, &err), LIMB_E_SYNTAX);
  assert_that(find_finding(r, "xacro", 2, NULL, &f) && strstr(f.text, "outside the folder of the model"));
  limb_reading_destroy(r);
  opt.any_file = 1;
  assert_status(limb_read(d.file, &opt, &r, &err), LIMB_E_MODEL);
  assert_that(find_finding(r, "bad-number", 2, NULL, &f) && strstr(f.file, "other.xacro"));
  assert_that(err.line == 0 && strncmp(err.where, "other.xacro:2:", 14) == 0);
  limb_reading_destroy(r);
  opt.any_file = 0;
  opt.package_path = d.path;
  assert_status(limb_read(d.file, &opt, &r, &err), LIMB_E_MODEL);
  limb_reading_destroy(r);
  remove_folder(&d);
}
END_TEST

START_TEST(hostile_inclusions)
{
  static const char* const names[] = {
    "/etc/passwd",          "../../../../../../etc/passwd", "r.xacro", "", ".", "link.xacro", "/dev/zero",
    "package://etc/passwd", "file:///etc/passwd",           "*.xacro"};
  folder d = make_folder();
  char text[512], link[160];
  (void)snprintf(link, sizeof link, "%s/in/link.xacro", d.path);
  assert_that(symlink("/etc/passwd", link) == 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    limb_reading* r = NULL;
    (void)snprintf(text, sizeof text, ROBOT("<xacro:include filename='%s'/>"), names[i]);
    write_file(d.file, text);
    check_at("%s", names[i]);
    assert_status(limb_read(d.file, NULL, &r, NULL), LIMB_E_SYNTAX);
    limb_finding f = {.text = ""};
    assert_that(find_finding(r, "xacro", 1, NULL, &f));
    check_at("%s: %s", names[i], f.text);
    assert_that(strstr(f.text, "root:") == NULL);
    limb_reading_destroy(r);
  }
  (void)remove(link);
  remove_folder(&d);
}
END_TEST

// Every allocation fails in turn.
START_TEST(memory_that_runs_out)
{
  static const char text[] = ROBOT(
    "<xacro:arg name='n' default='2'/><xacro:property name='d' value='1'/><xacro:property name='m' value='${[x*2 for x "
    "in [1, $(arg n)]]}'/>"
    "<xacro:macro name='box' params='name *o'><link name='${name}_${m[1]}'><inertial><xacro:insert_block name='o'/>"
    "<mass value='${m[0]}'/></inertial></link></xacro:macro>"
    "<xacro:box name='${\"%s\" % \"b\"}'><origin xyz='0 0 ${d}'/></xacro:box>"
    "<joint name='j' type='fixed'><parent link='a'/><child link='b_4'/></joint>");
  starve(LIMB_FORMAT_URDF, text, sizeof text - 1);
}
END_TEST

CHECK_MAIN("xacro", 1, expressions_are_pythons, faults_of_expressions_are_named, faults_of_documents_are_named,
           bombs_end, a_robot_in_three_files, arguments_without_use_are_reported, findings_name_the_included_file,
           hostile_inclusions, memory_that_runs_out)
