// Hostile texts of one piece again and again: four times the text may take a few times the time, and memory
// in proportion to the text. A reader that is quadratic anywhere takes minutes for a file of some megabytes.
#include "limb/read.h"

#include "support/check.h"
#include "support/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  SMALL = CHECK_SANITIZED ? 40000 : 160000, // bytes
  TIMES = 4,
  BYTES_PER_BYTE = 650,     // of memory: an element <body/> of MJCF is a body and a joint
  BYTES_AT_LEAST = 12 << 20 // findings, of which there may be so many
};

// The first, third and fifth part stand once, the second and fourth again and again. @ is the number of the
// repetition from 1, ~ the number before it, ^ the one after it.
typedef struct hostile {
  const char* what;
  limb_format format;
  int scale; // of its size
  const char* part[5];
} hostile;

#define ROBOT "<robot name='r'><link name='l0'/>"
#define WORLD "<mujoco><worldbody>"
#define LINK                                                                          \
  "NL=1\nAnt={0}\nSigma={0}\nB={0}\nd={0}\nR={0}\ngamma={0}\nAlpha={0}\nTheta={t1}\n" \
  "XX={1}\nXY={0}\nXZ={0}\nYY={1}\nYZ={0}\nZZ={1}\nMX={0}\nMY={0}\nMZ={0}\nM={1}\n"
#define HINGE "type='continuous'><parent link='l0'/><child link='l"
#define YAML  "limb: 1\nname: r\n"

// clang-format off
static const hostile texts[] = {
  {"unknown elements", LIMB_FORMAT_URDF, 1, {ROBOT, "<tag@ attribute@='1'/>", "</robot>"}},
  {"ignored elements", LIMB_FORMAT_URDF, 1, {ROBOT, "<gazebo/>", "</robot>"}},
  {"one huge tag", LIMB_FORMAT_URDF, 1, {ROBOT "<limb", " a@='1'", "/></robot>"}},
  {"faults behind a huge value", LIMB_FORMAT_URDF, 8,
   {ROBOT "<limb gravity='", "1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 ", "'", " a@='1'", "/></robot>"}},
  {"a list without end", LIMB_FORMAT_URDF, 1, {ROBOT "<limb gravity='", "1 ", "'/></robot>"}},
  {"lines of text", LIMB_FORMAT_URDF, 1, {ROBOT "<x>", "a\n", "</x></robot>"}},
  {"text in pieces", LIMB_FORMAT_URDF, 1, {ROBOT "<x>", "&lt;", "</x></robot>"}},
  {"blank text", LIMB_FORMAT_URDF, 1, {ROBOT "<x>", " \n", "</x></robot>"}},
  {"comments", LIMB_FORMAT_URDF, 1, {ROBOT, "<!-- @ -->\n", "</robot>"}},
  {"loose links", LIMB_FORMAT_URDF, 1, {ROBOT, "<link name='l@'/>", "</robot>"}},
  {"one name for all", LIMB_FORMAT_URDF, 1, {ROBOT, "<link name='l0'/>", "</robot>"}},
  {"no numbers", LIMB_FORMAT_URDF, 1,
   {ROBOT, "<link name='l@'><inertial><mass value='x'/></inertial></link>", "</robot>"}},
  {"children twice", LIMB_FORMAT_URDF, 1,
   {ROBOT "<link name='a'>", "<inertial/>", "</link></robot>"}},
  {"undefined parents", LIMB_FORMAT_URDF, 1,
   {ROBOT, "<link name='link_of_@'/><joint name='j@' type='fixed'><parent link='a_link_of_@'/>"
           "<child link='link_of_@'/></joint>", "</robot>"}},
  {"a long chain", LIMB_FORMAT_URDF, 1,
   {ROBOT, "<link name='l@'/><joint name='j@' type='continuous'><parent link='l~'/>"
           "<child link='l@'/></joint>", "</robot>"}},
  {"a long chain, each link tied to the first", LIMB_FORMAT_URDF, 1,
   {ROBOT, "<link name='l@'/><joint name='j@' type='continuous'><parent link='l~'/>"
           "<child link='l@'/></joint><loop_joint name='c@' type='ball'><link1 link='l0'/>"
           "<link2 link='l@'/></loop_joint>", "</robot>"}},
  {"a cycle", LIMB_FORMAT_URDF, 1,
   {ROBOT, "<link name='l@'/><joint name='j@' type='continuous'><parent link='l~'/>"
           "<child link='l@'/></joint>",
    "<joint name='last' type='continuous'><parent link='l~'/><child link='l0'/></joint></robot>"}},
  {"each joint follows the last", LIMB_FORMAT_URDF, 8,
   {ROBOT "<link name='m'/><joint name='j0' type='continuous'><parent link='l0'/><child link='m'/>"
          "</joint>",
    "<link name='l@'/><joint name='j@' " HINGE "@'/><mimic joint='j~'/></joint>", "</robot>"}},
  {"each joint follows the next", LIMB_FORMAT_URDF, 8,
   {ROBOT, "<link name='l@'/><joint name='j@' " HINGE "@'/><mimic joint='j^'/></joint>",
    "<link name='l@'/><joint name='j@' " HINGE "@'/></joint></robot>"}},
  {"undefined leaders", LIMB_FORMAT_URDF, 1,
   {ROBOT, "<link name='l@'/><joint name='j@' " HINGE "@'/><mimic joint='k@'/></joint>",
    "</robot>"}},
  {"transmissions of nothing", LIMB_FORMAT_URDF, 1,
   {ROBOT, "<transmission name='t@'><joint name='none@'/><mechanicalReduction>2"
           "</mechanicalReduction></transmission>", "</robot>"}},

  {"unknown sections", LIMB_FORMAT_MJCF, 1, {"<mujoco>", "<odd@/>", "</mujoco>"}},
  {"unknown attributes", LIMB_FORMAT_MJCF, 1,
   {WORLD, "<body name='b@' odd@='1'/>", "</worldbody></mujoco>"}},
  {"unknown classes", LIMB_FORMAT_MJCF, 1,
   {"<mujoco><default>", "<default class='class_@'/>", "</default><worldbody>",
    "<body name='b@'><joint class='of_class_@'/></body>", "</worldbody></mujoco>"}},
  {"unknown classes of actuators", LIMB_FORMAT_MJCF, 1,
   {"<mujoco><actuator>", "<motor class='none@'/>", "</actuator></mujoco>"}},
  {"one huge tag", LIMB_FORMAT_MJCF, 1, {WORLD "<body", " a@='1'", "/></worldbody></mujoco>"}},
  {"lines of text", LIMB_FORMAT_MJCF, 1, {WORLD, "a\n", "</worldbody></mujoco>"}},
  {"bodies without a name", LIMB_FORMAT_MJCF, 1, {WORLD, "<body/>", "</worldbody></mujoco>"}},
  {"joints of one body", LIMB_FORMAT_MJCF, 1,
   {WORLD "<body name='a'><geom size='1'/>", "<joint/>", "</body></worldbody></mujoco>"}},
  {"sites like bodies", LIMB_FORMAT_MJCF, 1,
   {WORLD, "<body name='b@'><geom size='1'/><site name='b@'/></body>", "</worldbody></mujoco>"}},
  {"faulty geoms", LIMB_FORMAT_MJCF, 1,
   {WORLD "<body name='a'>", "<geom size='x'/>", "</body></worldbody></mujoco>"}},
  {"couplings in a chain", LIMB_FORMAT_MJCF, 1,
   {WORLD, "<body name='b@'><joint name='j@'/><geom size='1'/></body>", "</worldbody><equality>",
    "<joint joint1='j@' joint2='j^'/>", "</equality></mujoco>"}},
  {"couplings of nothing", LIMB_FORMAT_MJCF, 1,
   {WORLD, "<body name='b@'><joint name='j@'/><geom size='1'/></body>", "</worldbody><equality>",
    "<joint joint1='none@' joint2='nor@'/>", "</equality></mujoco>"}},

  {"one symbol without value", LIMB_FORMAT_PAR, 1, {LINK "FV={a", "+a", "}\n"}},
  {"symbols without value", LIMB_FORMAT_PAR, 1, {LINK "FV={a", "+a@\n", "}\n"}},
  {"names of the robot", LIMB_FORMAT_PAR, 1, {"(* ", "Robotname ", "*)\n" LINK}},
  {"open names of the robot", LIMB_FORMAT_PAR, 1, {"(* ", "Robotname=\"x\n", "*)\n" LINK}},
  {"symbols in a chain", LIMB_FORMAT_PAR, 1, {"s0=1\n", "s@=s~+1\n", LINK}},
  {"symbols of the next", LIMB_FORMAT_PAR, 1, {LINK "Z={s1}\n", "s@=s^+1\n", "s@=1\n"}},
  {"unused symbols", LIMB_FORMAT_PAR, 1, {LINK, "x@=1\n", ""}},
  {"unknown lists", LIMB_FORMAT_PAR, 1, {LINK, "x@={1}\n", ""}},
  {"entries of one list", LIMB_FORMAT_PAR, 1, {LINK "QP={0", ",1", "}\n"}},
  {"variables of others", LIMB_FORMAT_PAR, 1,
   {"NL=2\nTheta={t1", ",x@", "}\n"}},
  {"open parentheses", LIMB_FORMAT_PAR, 1, {LINK "FV={", "(", "}\n"}},
  {"open comments", LIMB_FORMAT_PAR, 1, {LINK, "(*\n", ""}},
  {"open lists", LIMB_FORMAT_PAR, 1, {LINK, "x@={1\n", ""}},
  {"signs", LIMB_FORMAT_PAR, 1, {LINK "FV={1", "+-1", "}\n"}},

  {"unknown keys", LIMB_FORMAT_YAML, 1, {YAML, "key_@: 1\n", ""}},
  {"one key for all", LIMB_FORMAT_YAML, 1, {YAML, "a: 1\n", ""}},
  {"a list without end", LIMB_FORMAT_YAML, 1, {YAML "gravity: [1", ",1", "]\n"}},
  {"brackets", LIMB_FORMAT_YAML, 1, {YAML "gravity: ", "[", "\n"}},
  {"lines of text", LIMB_FORMAT_YAML, 1, {YAML "title: |\n", "  a\n", ""}},
  {"comments", LIMB_FORMAT_YAML, 1, {YAML, "# a\n", ""}},
  {"anchors", LIMB_FORMAT_YAML, 1, {YAML "gravity: [1", ", &a@ 1", "]\n"}},
  {"aliases", LIMB_FORMAT_YAML, 1, {YAML "gravity: [1", ", *a", "]\n"}},
  {"loose bodies", LIMB_FORMAT_YAML, 1, {YAML "bodies:\n", "  - {name: b@}\n", ""}},
  {"one name for all", LIMB_FORMAT_YAML, 1, {YAML "bodies:\n", "  - {name: b}\n", ""}},
  {"undefined bodies", LIMB_FORMAT_YAML, 1,
   {YAML "bodies:\n", "  - {name: body_@}\n", "joints:\n",
    "  - {name: j@, type: revolute, parent: of_body_@, child: body_@}\n", ""}},
  {"each joint follows the next", LIMB_FORMAT_YAML, 1,
   {YAML "bodies:\n  - {name: l0}\n", "  - {name: b@}\n", "joints:\n",
    "  - {name: j@, type: revolute, parent: l0, child: b@, mimic: {joint: j^}}\n", ""}},
  {"a motor for each joint", LIMB_FORMAT_YAML, 1,
   {YAML "bodies:\n  - {name: l0}\n", "  - {name: b@, mass: 1}\n", "joints:\n",
    "  - {name: j@, type: revolute, parent: l0, child: b@, axis: [0, 0, 1], "
    "elastic: {stiffness: 1, motor: {inertia: 1}}}\n", ""}},
  {"shafts to nowhere", LIMB_FORMAT_YAML, 1,
   {YAML "bodies:\n  - {name: l0}\nshafts:\n", "  - {joint: a@, motor: b@}\n", ""}},
  {"loops to nowhere", LIMB_FORMAT_YAML, 1,
   {YAML "bodies:\n  - {name: l0}\nloops:\n",
    "  - {name: c@, type: pin, a: {body: a@}, b: {frame: b@}}\n", ""}},
  {"loops of nothing", LIMB_FORMAT_YAML, 1,
   {YAML "bodies:\n  - {name: l0}\nloops:\n", "  - {name: c@, type: gear}\n", ""}},
};
// clang-format on

// ---- texts ------------------------------------------------------------------------------------------

static void add_part(page* p, const char* part, int number)
{
  while (*part) {
    char piece[128];
    const size_t plain = strcspn(part, "@~^");
    if (plain > 0)
      (void)snprintf(piece, sizeof piece, "%.*s", (int)(plain < 100 ? plain : 100), part);
    else
      (void)snprintf(piece, sizeof piece, "%d", number + (*part == '^') - (*part == '~'));
    page_put(p, piece);
    part += plain == 0 ? 1 : plain < 100 ? plain : 100;
  }
}

// At least that many bytes; both repeated parts are repeated the same number of times.
static page make_text(const hostile* h, size_t bytes)
{
  page once = {0}, p = {0};
  for (int k = 1; k < 5; k += 2) {
    if (h->part[k]) add_part(&once, h->part[k], 10000);
  }
  const int count = (int)(bytes / once.size) + 1;
  for (int k = 0; k < 5 && h->part[k]; k++) {
    if (k % 2 == 0) add_part(&p, h->part[k], k == 0 ? 0 : count + 1);
    for (int i = 1; k % 2 == 1 && i <= count; i++) add_part(&p, h->part[k], i);
  }
  free(once.text);
  return p;
}

// ---- costs ------------------------------------------------------------------------------------------

typedef struct ledger {
  size_t held, most;
} ledger;

static void* ledger_alloc(void* context, size_t size, size_t align)
{
  ledger* l = context;
  void* memory = aligned_alloc(align, (size + align - 1) / align * align);
  if (memory) l->held += size;
  if (l->held > l->most) l->most = l->held;
  return memory;
}

static void ledger_free(void* context, void* memory, size_t size)
{
  if (memory) ((ledger*)context)->held -= size;
  free(memory);
}

static void forget(void* context, const char* text) { *(size_t*)context += strlen(text); }

// Seconds of reading a text and of all that can be done with its robot; the most memory that was held.
static double spend(const page* p, limb_format format, size_t* memory)
{
  ledger l = {0};
  const limb_allocator alloc = {ledger_alloc, ledger_free, &l};
  limb_read_options opt = limb_default_read_options();
  opt.format = format;
  opt.alloc = &alloc;
  limb_reading* r = NULL;
  size_t written = 0;
  const clock_t start = clock();
  if (limb_read_text(p->text, p->size, "hostile", &opt, &r, NULL) == LIMB_OK) {
    assert_ok(limb_check(r, NULL));
    assert_ok(limb_repair(r, NULL, NULL));
    const limb_builder* b = limb_reading_builder(r);
    const limb_status writes = limb_builder_body_count(b) > 1 ? LIMB_OK : LIMB_E_MODEL; // no body but the world
    assert_status(limb_write(b, LIMB_FORMAT_YAML, forget, &written, limb_reading_findings(r), NULL), writes);
    assert_status(limb_write(b, LIMB_FORMAT_URDF, forget, &written, limb_reading_findings(r), NULL), writes);
    if (format == LIMB_FORMAT_URDF) assert_ok(limb_write_repaired(r, forget, &written, NULL));
  }
  limb_findings_sort(limb_reading_findings(r));
  limb_reading_destroy(r);
  assert_that(l.held == 0);
  *memory = l.most;
  return (double)(clock() - start) / CLOCKS_PER_SEC;
}

// A quadratic part would take sixteen times the time; a microsecond per byte is ten times what is usual. What
// goes beyond the bounds is measured again: the machine may have been busy.
static void check_growth(const hostile* h)
{
  const size_t bytes = (size_t)SMALL * (size_t)h->scale;
  page small = make_text(h, bytes), large = make_text(h, TIMES * bytes);
  double less = 0, more = 0;
  size_t memory = 0;
  for (int attempt = 0; attempt < 3; attempt++) {
    const double one = spend(&small, h->format, &memory), four = spend(&large, h->format, &memory);
    if (attempt == 0 || one > less) less = one;
    if (attempt == 0 || four < more) more = four;
    if (more < 2 * TIMES * less + 0.05 && more < 1) break;
  }
  check_at("%s, %s: %zu bytes in %.3f s, %zu in %.3f s with %zu bytes of memory", limb_format_name(h->format), h->what,
           small.size, less, large.size, more, memory);

  assert_that(more < 2 * TIMES * less + 0.05);
  assert_that(more < (CHECK_SANITIZED ? 5 : 1) * (1 + 1e-6 * (double)large.size));
  assert_that(memory < BYTES_PER_BYTE * large.size + BYTES_AT_LEAST);
  free(small.text);
  free(large.text);
}

static void check_language(limb_format format)
{
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    if (texts[i].format == format) check_growth(&texts[i]);
  }
}

START_TEST(urdf) { check_language(LIMB_FORMAT_URDF); }
END_TEST

START_TEST(mjcf) { check_language(LIMB_FORMAT_MJCF); }
END_TEST

START_TEST(par) { check_language(LIMB_FORMAT_PAR); }
END_TEST

START_TEST(yaml) { check_language(LIMB_FORMAT_YAML); }
END_TEST

CHECK_MAIN("growth", 1, urdf, mjcf, par, yaml)
