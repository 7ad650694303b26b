// Cost of one state against the number of joints: one panel per quantity, a curve per library and mode.
#include "limb/draw.h"

#include "write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* const quantities[] = {"rnea", "crba", "fd"};
static const char* const titles[] = {"inverse dynamics", "mass matrix", "forward dynamics"};

enum { QUANTITIES = 3, CURVES = 8, SERIES = QUANTITIES * CURVES };

// A curve: limb in a mode, or a peer.
static const struct {
  const char *library, *mode, *name;
} curves[CURVES] = {{"limb", "single", "limb"},      {"limb", "batch", "limb batch"},
                    {"limb", "float", "limb float"}, {"limb", "threads", "limb threads"},
                    {"KDL", "single", "KDL"},        {"MuJoCo", "single", "MuJoCo"},
                    {"DART", "single", "DART"},      {"Simbody", "single", "Simbody"}};

int bench_is_chain(const char* robot) { return strncmp(robot, "chain", 5) == 0; }

// A series is a curve of a quantity; those that nobody measured are left out.
typedef struct series_list {
  int count;
  int at[SERIES]; // quantity * CURVES + curve
} series_list;

// What a row belongs to: quantity * CURVES + curve; -1: nothing.
static int place_of(const bench_result* r)
{
  if (!bench_is_chain(r->robot) || (r->layout && strcmp(r->layout, "rows") != 0)) return -1;
  for (int k = 0; k < SERIES; k++) {
    const int c = k % CURVES;
    if (strcmp(r->quantity, quantities[k / CURVES]) == 0 && strcmp(r->library, curves[c].library) == 0 &&
        strcmp(r->mode, curves[c].mode) == 0)
      return k;
  }
  return -1;
}

static series_list list_series(const bench* b)
{
  int found[SERIES] = {0};
  series_list list = {0};
  for (int i = 0; i < bench_result_count(b); i++) {
    bench_result r;
    bench_get_result(b, i, &r);
    const int k = place_of(&r);
    if (k >= 0) found[k] = 1;
  }
  for (int k = 0; k < SERIES; k++)
    if (found[k]) list.at[list.count++] = k;
  return list;
}

// The least number of joints that is larger than the one before; 0 when there is none. Sets times y of it.
static int next_chain(const bench* b, const series_list* list, int before, double y[SERIES])
{
  int dof = 0;
  bench_result r;
  for (int i = 0; i < bench_result_count(b); i++) {
    bench_get_result(b, i, &r);
    if (bench_is_chain(r.robot) && r.dof > before && (dof == 0 || r.dof < dof)) dof = r.dof;
  }
  for (int k = 0; k < SERIES; k++) y[k] = (double)NAN;
  for (int i = 0; i < bench_result_count(b); i++) {
    bench_get_result(b, i, &r);
    if (r.dof != dof) continue;
    for (int k = 0; k < list->count; k++)
      if (place_of(&r) == list->at[k]) y[k] = log10(r.ns);
  }
  return dof;
}

int bench_draw(const bench* b, FILE* out)
{
  limb_plot_series series[SERIES];
  char subtitle[160];
  double y[SERIES];
  bench_summary s;
  limb_plot* p = NULL;
  const series_list list = list_series(b);
  if (limb_plot_create(list.count, &p) != LIMB_OK) return 0;
  for (int k = 0; k < list.count; k++)
    series[k] = (limb_plot_series){
      .name = curves[list.at[k] % CURVES].name, .unit = "ns", .limit = HUGE_VAL, .panel = titles[list.at[k] / CURVES]};
  for (int dof = next_chain(b, &list, 0, y); dof > 0; dof = next_chain(b, &list, dof, y))
    limb_plot_add(p, log10((double)dof), y);
  bench_get_summary(b, &s);
  (void)snprintf(subtitle, sizeof subtitle,
                 "chains; instruction set %s, %d threads, %.1f scalar multiply-add operations per ns", s.isa, s.threads,
                 s.slots_per_ns);
  const limb_plot_labels labels = {
    .title = "time per state against the number of joints", .subtitle = subtitle, .x_label = "joints", .decades = 1};
  limb_plot_write(p, series, &labels, out);
  limb_plot_destroy(p);
  return 1;
}
