// Tables of joints and bodies, and what was found, for people.
#include "info.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 8 }; // findings of one kind, unless all are wanted

// ---- joints ----------------------------------------------------------------------------------------

// Columns that are printed only when some joint has something to say in them.
typedef struct columns {
  int range, speed, effort, friction, rotor, spring, mimic, passive;
} columns;

static columns used_columns(const limb_model* m)
{
  columns c = {0};
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info x;
    if (limb_get_joint(m, j, &x) != LIMB_OK) continue;
    c.range |= isfinite(x.def.q_min) || isfinite(x.def.q_max);
    c.speed |= isfinite(x.def.v_max);
    c.effort |= isfinite(x.def.effort_max);
    c.friction |= x.def.coulomb > 0 || x.def.viscous > 0;
    c.rotor |= x.def.rotor_inertia > 0;
    c.spring |= x.def.stiffness > 0;
    c.mimic |= x.def.mimic >= 0;
    c.passive |= x.passive;
  }
  return c;
}

static void joint_heading(cli_table* t, const columns* c)
{
  cli_cell(t, "joint");
  cli_cell(t, "type");
  cli_cell(t, "parent -> child");
  cli_cell(t, "q");
  if (c->range) cli_cell(t, "from"), cli_cell(t, "to");
  if (c->speed) cli_cell(t, "speed");
  if (c->effort) cli_cell(t, "effort");
  if (c->friction) cli_cell(t, "Fs"), cli_cell(t, "Fv");
  if (c->rotor) cli_cell(t, "rotor");
  if (c->spring) cli_cell(t, "spring");
  if (c->mimic) cli_cell(t, "follows");
  if (c->passive) cli_cell(t, "drive");
}

static void mimic_cell(cli_table* t, const limb_model* m, const limb_joint_def* def)
{
  limb_joint_info leader;
  if (def->mimic < 0 || limb_get_joint(m, def->mimic, &leader) != LIMB_OK) {
    cli_cell(t, "%s", "");
  } else if (def->offset != 0) {
    cli_cell(t, "%.6g %s %+.6g", def->multiplier, leader.def.name, def->offset);
  } else {
    cli_cell(t, "%.6g %s", def->multiplier, leader.def.name);
  }
}

static void joint_row(cli_table* t, const columns* c, const limb_model* m, const limb_joint_info* x)
{
  const limb_joint_def* def = &x->def;
  limb_body_info parent = {.name = "?"}, child = {.name = "?"};
  (void)!limb_get_body(m, def->parent, &parent);
  (void)!limb_get_body(m, def->child, &child);
  cli_cell(t, "%s", def->name);
  cli_cell(t, "%s", limb_joint_type_name(def->type));
  cli_cell(t, "%s -> %s", parent.name, child.name);
  if (x->nq == 0) cli_cell(t, "%s", "");
  if (x->nq == 1) cli_cell(t, "%d", x->q);
  if (x->nq > 1) cli_cell(t, "%d-%d", x->q, x->q + x->nq - 1);
  if (c->range) cli_cell_number(t, def->q_min), cli_cell_number(t, def->q_max);
  if (c->speed) cli_cell_number(t, def->v_max);
  if (c->effort) cli_cell_number(t, def->effort_max);
  if (c->friction) cli_cell_number(t, def->coulomb), cli_cell_number(t, def->viscous);
  if (c->rotor) cli_cell_number(t, def->gear_ratio * def->gear_ratio * def->rotor_inertia);
  if (c->spring) cli_cell_number(t, def->stiffness);
  if (c->mimic) mimic_cell(t, m, def);
  if (c->passive) cli_cell(t, "%s", x->passive ? "passive" : "");
}

void info_print_joints(const limb_model* m)
{
  const columns c = used_columns(m);
  char align[16] = "lllr";
  const int numbers = 2 * c.range + c.speed + c.effort + 2 * c.friction + c.rotor + c.spring;
  memset(align + 4, 'r', (size_t)numbers);
  memset(align + 4 + numbers, 'l', (size_t)(c.mimic + c.passive)); // the rest is zero
  cli_table t = cli_table_make(align);
  joint_heading(&t, &c);
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info x;
    if (limb_get_joint(m, j, &x) == LIMB_OK) joint_row(&t, &c, m, &x);
  }
  printf("\n%sjoints%s (rad, m, N m, N; q: place in the vector of coordinates%s)\n", cli_on(stdout, CLI_BOLD),
         cli_off(stdout, CLI_BOLD), c.rotor ? "; rotor: reflected inertia" : "");
  cli_table_print(&t, stdout, "  ");
}

// ---- bodies ----------------------------------------------------------------------------------------

void info_print_bodies(const limb_model* m)
{
  static const char* const names[] = {"body", "mass", "cx", "cy", "cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"};
  cli_table t = cli_table_make("lrrrrrrrrrr");
  for (int k = 0; k < 11; k++) cli_cell(&t, "%s", names[k]);
  for (int b = 1; b < limb_body_count(m); b++) {
    limb_body_info x;
    if (limb_get_body(m, b, &x) != LIMB_OK) continue;
    const sp_inertia* Y = &x.inertia;
    const double numbers[] = {Y->mass, Y->com.x, Y->com.y, Y->com.z, Y->xx, Y->yy, Y->zz, Y->xy, Y->xz, Y->yz};
    cli_cell(&t, "%s", x.name);
    for (int k = 0; k < 10; k++) cli_cell_number(&t, numbers[k]);
  }
  printf("\n%sbodies%s (kg, m, kg m^2 about the centre of mass)\n", cli_on(stdout, CLI_BOLD),
         cli_off(stdout, CLI_BOLD));
  cli_table_print(&t, stdout, "  ");
}

// ---- what was found --------------------------------------------------------------------------------

static void print_finding(const char* file, const limb_finding* f)
{
  printf("    ");
  if (f->line > 0) printf("%s:%d: ", file, f->line);
  printf("%s%s%s\n", f->where, *f->where ? ": " : "", f->text);
}

static void print_rule(const cli_robot* r, int rule, int all)
{
  const int all_found = limb_findings_count(limb_reading_findings(r->reading));
  limb_rule_info info;
  limb_finding x;
  int count = 0;
  if (limb_get_rule(rule, &info) != LIMB_OK) return;
  for (int i = 0; i < all_found; i++) count += cli_robot_finding(r, i, &x) && strcmp(x.rule, info.name) == 0;
  if (count == 0) return;
  printf("  %d %s (%s): %s\n", count, info.name, limb_severity_name(info.severity), info.why);
  int left = all ? count : SHOWN;
  for (int i = 0; i < all_found && left > 0; i++) {
    if (!cli_robot_finding(r, i, &x) || strcmp(x.rule, info.name) != 0) continue;
    print_finding(limb_reading_source(r->reading), &x);
    left--;
  }
  if (!all && count > SHOWN) printf("    ... and %d more: --all\n", count - SHOWN);
}

void info_print_findings(const cli_robot* r, int all)
{
  int count = 0;
  limb_finding x;
  for (int i = 0; i < limb_findings_count(limb_reading_findings(r->reading)); i++) count += cli_robot_finding(r, i, &x);
  printf("\n%sfound%s: %d finding%s\n", cli_on(stdout, CLI_BOLD), cli_off(stdout, CLI_BOLD), count,
         count == 1 ? "" : "s");
  for (int rule = 0; rule < limb_rule_count() && count > 0; rule++) print_rule(r, rule, all);
}

int info_tells(limb_note_kind kind) { return kind != LIMB_NOTE_MASSLESS && kind != LIMB_NOTE_NONPHYSICAL; }

static void print_kind(const limb_model* m, limb_note_kind kind, int all)
{
  limb_note note;
  int count = 0;
  for (int i = 0; i < limb_model_note_count(m); i++)
    count += limb_model_note(m, i, &note) == LIMB_OK && note.kind == kind;
  if (count == 0) return;
  printf("  %d %s\n", count, limb_note_kind_name(kind));
  int left = all ? count : SHOWN;
  for (int i = 0; i < limb_model_note_count(m) && left > 0; i++) {
    if (limb_model_note(m, i, &note) != LIMB_OK || note.kind != kind) continue;
    printf("    %s: %s\n", note.subject, note.text);
    left--;
  }
  if (!all && count > SHOWN) printf("    ... and %d more: --all\n", count - SHOWN);
}

void info_print_notes(const limb_model* m, int all)
{
  limb_note note;
  int count = 0;
  for (int i = 0; i < limb_model_note_count(m); i++)
    count += limb_model_note(m, i, &note) == LIMB_OK && info_tells(note.kind);
  printf("\n%scompiled%s: %d note%s\n", cli_on(stdout, CLI_BOLD), cli_off(stdout, CLI_BOLD), count,
         count == 1 ? "" : "s");
  for (int kind = 0; limb_note_kind_name((limb_note_kind)kind); kind++)
    if (info_tells((limb_note_kind)kind)) print_kind(m, (limb_note_kind)kind, all);
}
