// MJCF: attributes as numbers, words and poses.
#include "io/read_mjcf_impl.h"

#include "io/angles.h"
#include "io/numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

limb_subject limb_mjcf_subject(const xml_node* n)
{
  const char* name = limb_xml_get(n, "name");
  if (name) return (limb_subject){n->name, name};
  return (limb_subject){"element", n->name};
}

const char* limb_mjcf_join(mjcf* m, const char* a, const char* middle, const char* b)
{
  const size_t size = strlen(a) + strlen(middle) + strlen(b) + 1;
  char* text = limb_store_take(m->pool, size);
  if (text)
    (void)snprintf(text, size, "%s%s%s", a, middle, b);
  else
    m->no_memory = 1;
  return text;
}

void* limb_mjcf_more(mjcf* m, void* items, int* cap, int count, size_t size)
{
  if (count < *cap) return items;
  const int larger = *cap ? 2 * *cap : 8;
  void* more = limb_store_take(m->pool, (size_t)larger * size);
  if (!more) {
    m->no_memory = 1;
    return NULL;
  }
  if (count) memcpy(more, items, (size_t)count * size);
  *cap = larger;
  return more;
}

int limb_mjcf_is_turned(const sp_mat3* R)
{
  const sp_mat3 one = sp_identity3();
  for (int i = 0; i < 9; i++) {
    if (R->m[i] != one.m[i]) return 1;
  }
  return 0;
}

// ---- numbers and words ----------------------------------------------------------------------------

// Takes least to most numbers; reports a text that is something else: 0 then.
static int take_numbers(mjcf* m, mjcf_item it, const char* name, const char* text, int least, int most, double* x)
{
  const number_list list = limb_scan_list(text, most, x);
  if (!list.bad && list.count >= least && list.count <= most) return list.count;
  char count[40];
  if (least == most)
    (void)snprintf(count, sizeof count, "%d number%s", least, least == 1 ? "" : "s");
  else
    (void)snprintf(count, sizeof count, "%d to %d numbers", least, most);
  if (list.bad)
    limb_report(m->findings, RULE_BAD_NUMBER, it.node->mark, limb_mjcf_subject(it.node), "%s=\"%.60s\" should be %s",
                name, text, count);
  else
    limb_report(m->findings, RULE_WRONG_COUNT, it.node->mark, limb_mjcf_subject(it.node),
                "%s=\"%.60s\" should be %s, found %d", name, text, count, list.count);
  return 0;
}

int limb_mjcf_numbers(mjcf* m, mjcf_item it, const char* name, int least, int most, double* x)
{
  enum { MOST = 8 };
  double found[MOST];
  const char* text = limb_mjcf_get(m, it, name);
  if (!text) return 0;
  const int n = take_numbers(m, it, name, text, least, most < MOST ? most : MOST, found);
  if (n) memcpy(x, found, (size_t)n * sizeof *x);
  return n;
}

int limb_mjcf_layered(mjcf* m, mjcf_item it, const char* name, double x[3])
{
  int given = 0; // numbers that a nearer layer has set
  const char* text = limb_xml_get(it.node, name);
  for (int c = it.class_index;; c = m->class_list[c].parent) {
    double own[3];
    const int n = text ? take_numbers(m, it, name, text, 1, 3, own) : 0;
    if (text && n == 0) return -1;
    for (; given < n; given++) x[given] = own[given];
    if (c < 0) return given;
    const xml_node* layer = m->class_list[c].item[it.kind];
    text = layer ? limb_xml_get(layer, name) : NULL;
  }
}

// Place of a word among words separated by blanks; -1 when it is not there.
static int find_word(const char* words, const char* word)
{
  const size_t length = strlen(word);
  for (int place = 0; *words; place++) {
    const size_t n = strcspn(words, " ");
    if (n == length && memcmp(words, word, n) == 0) return place;
    words += n + (words[n] == ' ');
  }
  return -1;
}

int limb_mjcf_word(mjcf* m, mjcf_item it, const char* name, const char* words, int fallback)
{
  const char* text = limb_mjcf_get(m, it, name);
  if (!text) return fallback;
  const int place = find_word(words, text);
  if (place >= 0) return place;
  limb_report(m->findings, RULE_BAD_VALUE, it.node->mark, limb_mjcf_subject(it.node),
              "%s=\"%.60s\" should be one of: %s", name, text, words);
  return fallback;
}

static const char* word_of(const void* list, int i) { return ((const char* const*)list)[i]; }

// "; did you mean ...", of words separated by blanks.
static const char* suggest(const mjcf* m, const char* wrong, const char* words, char text[LIMB_WHERE_SPACE])
{
  enum { LENGTH = 512, MOST = 64 };
  char copy[LENGTH];
  const char* list[MOST];
  int count = 0;
  (void)snprintf(copy, sizeof copy, "%s", words);
  for (char* w = copy; *w && count < MOST;) {
    list[count++] = w;
    w += strcspn(w, " ");
    if (*w) *w++ = 0;
  }
  return limb_did_you_mean(m->findings, wrong, count, word_of, list, text);
}

void limb_mjcf_check_attributes(mjcf* m, const xml_node* n, const char* used, const char* ignored, int quiet)
{
  for (int i = 0; i < n->nattribute; i++) {
    const char* name = n->attribute[i].name;
    if (find_word(used, name) >= 0) continue;
    char both[LIMB_WHERE_SPACE];
    (void)snprintf(both, sizeof both, "%.40s %.40s", n->name, name);
    if (ignored && find_word(ignored, name) >= 0) {
      if (!quiet)
        limb_report_once(m->findings, RULE_IGNORED, n->mark, (limb_subject){"attribute", both},
                         "it has no effect here");
    } else if (m->findings) {
      char mean[LIMB_WHERE_SPACE];
      limb_report_once(m->findings, RULE_UNKNOWN_TAG, n->mark, (limb_subject){"attribute", both},
                       "<%s> has no attribute of this name that limb knows%s", n->name, suggest(m, name, used, mean));
    }
  }
}

// ---- orientations ---------------------------------------------------------------------------------

// The smallest rotation that takes z to the direction of v.
static sp_mat3 rotation_to(sp_vec3 v) { return limb_rot_to(sp_v3(0, 0, 1), sp_scale3(1 / sp_norm3(v), v)); }

static sp_mat3 from_euler(const mjcf* m, const double x[3])
{
  sp_mat3 R = sp_identity3();
  for (int i = 0; i < 3; i++) {
    const char letter = m->eulerseq[i];
    const int fixed = letter < 'a'; // upper case: axes of the parent
    const char low = (char)(fixed ? letter - 'A' + 'a' : letter);
    double rpy[3] = {0, 0, 0};
    rpy[low - 'x'] = m->angle * x[i];
    const sp_mat3 one = limb_rot_rpy(rpy);
    R = fixed ? sp_mul3(one, R) : sp_mul3(R, one);
  }
  return R;
}

static sp_mat3 from_axes(sp_vec3 x, sp_vec3 y)
{
  x = sp_scale3(1 / sp_norm3(x), x);
  y = sp_sub3(y, sp_scale3(sp_dot3(x, y), x));
  y = sp_scale3(1 / sp_norm3(y), y);
  const sp_vec3 z = sp_cross3(x, y);
  const sp_mat3 R = {{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
  return R;
}

typedef enum turn { QUAT, AXISANGLE, XYAXES, ZAXIS, EULER, TURNS } turn;

// 0 when the numbers say no rotation.
static int to_rotation(const mjcf* m, turn how, const double x[6], sp_mat3* R)
{
  const double tiny = 1e-14;
  const sp_vec3 a = sp_v3(x[0], x[1], x[2]), b = sp_v3(x[3], x[4], x[5]);
  const double length = sp_norm3(a);
  switch (how) {
  case QUAT:
    if (sp_dot3(a, a) + x[3] * x[3] < tiny) return 0;
    *R = limb_rot_quat(x[1], x[2], x[3], x[0]);
    return 1;
  case AXISANGLE:
    if (length < tiny) return 0;
    *R = limb_rot_axis(sp_scale3(1 / length, a), m->angle * x[3]);
    return 1;
  case XYAXES:
    if (length < tiny || sp_norm3(sp_cross3(a, b)) < tiny * length) return 0;
    *R = from_axes(a, b);
    return 1;
  case ZAXIS:
    if (length < tiny) return 0;
    *R = rotation_to(a);
    return 1;
  case EULER: *R = from_euler(m, x); return 1;
  case TURNS: break;
  }
  return 0;
}

static sp_mat3 orientation(mjcf* m, mjcf_item it)
{
  static const char* const names[TURNS] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
  static const int counts[TURNS] = {4, 4, 6, 3, 3};
  sp_mat3 R = sp_identity3();
  int given = -1;
  for (int how = 0; how < TURNS; how++) {
    if (!limb_mjcf_get(m, it, names[how])) continue;
    if (given >= 0) {
      limb_report(m->findings, RULE_DUPLICATE_KEY, it.node->mark, limb_mjcf_subject(it.node),
                  "its orientation is given twice, as %s and as %s", names[given], names[how]);
      return R;
    }
    given = how;
  }
  double x[6] = {0};
  if (given < 0 || !limb_mjcf_numbers(m, it, names[given], counts[given], counts[given], x)) return R;
  if (!to_rotation(m, (turn)given, x, &R))
    limb_report(m->findings, RULE_BAD_VALUE, it.node->mark, limb_mjcf_subject(it.node),
                "%s=\"%.60s\" is no orientation", names[given], limb_mjcf_get(m, it, names[given]));
  return R;
}

sp_pose limb_mjcf_pose(mjcf* m, mjcf_item it)
{
  double p[3] = {0, 0, 0};
  (void)limb_mjcf_numbers(m, it, "pos", 3, 3, p);
  return sp_pose_make(orientation(m, it), sp_v3(p[0], p[1], p[2]));
}

int limb_mjcf_fromto(mjcf* m, mjcf_item it, sp_pose* X, double* half)
{
  double x[6];
  if (!limb_mjcf_numbers(m, it, "fromto", 6, 6, x)) return 0;
  const sp_vec3 a = sp_v3(x[0], x[1], x[2]), b = sp_v3(x[3], x[4], x[5]);
  const sp_vec3 along = sp_sub3(a, b); // z, as MuJoCo has it
  if (sp_norm3(along) < 1e-14) {
    limb_report(m->findings, RULE_BAD_VALUE, it.node->mark, limb_mjcf_subject(it.node),
                "both points of its fromto are the same");
    return 0;
  }
  *half = sp_norm3(along) / 2;
  *X = sp_pose_make(rotation_to(along), sp_scale3(0.5, sp_add3(a, b)));
  return 1;
}
