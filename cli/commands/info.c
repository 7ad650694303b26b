// `limb info`: describes a model: what was read, assumed, merged, lowered, dropped; the robot as a whole; its tree.
#include "commands/info.h"
#include "base/command.h"
#include "base/print.h"
#include "robot/robot.h"

#include "limb/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 8 }; // findings of one kind unless --all is given; joints of the base

const char* info_body_name(const limb_model* m, int body)
{
  limb_body_info x;
  return limb_get_body(m, body, &x) == LIMB_OK ? x.name : "?";
}

const char* info_joint_name(const limb_model* m, int joint)
{
  limb_joint_info x;
  return limb_get_joint(m, joint, &x) == LIMB_OK ? x.def.name : "?";
}

void info_heading(const char* text) { printf("\n%s%s%s", cli_on(stdout, CLI_BOLD), text, cli_off(stdout, CLI_BOLD)); }

// ---- the base and the summary ----------------------------------------------------------------------

// 1 if the joint is part of a moving base (cli_dof).
static int is_base(const cli_dofs* d, const limb_joint_info* x) { return x->nv > 0 && d->v[x->v].moves; }

static void print_base(const info_run* run)
{
  const limb_model* m = run->m;
  const int passive = run->facts.passive;
  int joints = 0;
  limb_joint_info x;
  const cli_dofs* d = &run->robot.dofs;
  for (int j = 0; j < limb_joint_count(m); j++) {
    if (limb_get_joint(m, j, &x) != LIMB_OK) continue;
    if (!is_base(d, &x) || joints++ >= SHOWN) continue;
    printf("  base: %s, joint '%s', body '%s', %d dof, %s\n", cli_base_type(x.def.type), x.def.name,
           info_body_name(m, x.def.child), x.nv, x.passive ? "passive" : "active");
  }
  if (joints > SHOWN) printf("  base: ... and %d more\n", joints - SHOWN);
  if (joints == 0) printf("  base: %s\n", cli_base_name(m, d));
  if (passive > 0) printf("  motors: %d of %d dof are active, %d passive\n", limb_nv(m) - passive, limb_nv(m), passive);
}

// "1 body", "2 bodies"
static void print_count(int n, const char* one, const char* many, const char* end)
{
  printf("%d %s%s", n, n == 1 ? one : many, end);
}

static void print_summary(const info_run* run)
{
  const cli_robot* r = &run->robot;
  const limb_facts* x = &run->facts;
  const limb_model* m = run->m;
  const sp_vec3 g = limb_model_gravity(m);
  const sp_inertia* Y = &x->inertia;
  printf("%s%s%s, %s (%s)\n\n", cli_on(stdout, CLI_BOLD), limb_model_name(m), cli_off(stdout, CLI_BOLD),
         limb_reading_source(r->reading), limb_format_name(limb_reading_format(r->reading)));
  printf("  ");
  print_count(run->compiled ? limb_body_count(m) - 1 : x->bodies, "body", "bodies", ", ");
  print_count(run->compiled ? limb_joint_count(m) : x->joints, "joint", "joints", ", ");
  print_count(x->frames, "added frame", "added frames", "; ");
  printf("nq %d, nv %d\n", limb_nq(m), limb_nv(m));
  print_base(run);
  printf("  gravity %.6g %.6g %.6g m/s^2\n", g.x, g.y, g.z);
  printf("  mass %.6g kg\n", x->mass);
  if (x->has_inertia) {
    const double trace = Y->xx + Y->yy + Y->zz, size = sp_norm3(Y->com) + sqrt(trace / x->mass);
    printf("  centre of mass %.6g %.6g %.6g m, at the neutral configuration\n", cli_clean(Y->com.x, size),
           cli_clean(Y->com.y, size), cli_clean(Y->com.z, size));
    printf("  inertia about it xx %.6g  yy %.6g  zz %.6g  xy %.6g  xz %.6g  yz %.6g kg m^2\n", Y->xx, Y->yy, Y->zz,
           cli_clean(Y->xy, trace), cli_clean(Y->xz, trace), cli_clean(Y->yz, trace));
  }
  printf("  reach %.6g m: bound on the distance of any frame from the base", x->reach);
  limb_joint_info joint;
  if (limb_get_joint(m, x->unlimited_joint, &joint) == LIMB_OK)
    printf(", not counting the travel of %s", joint.def.name);
  if (x->unlimited > 1)
    printf(" and %d other%s, which have no limits", x->unlimited - 1, x->unlimited > 2 ? "s" : "");
  else if (x->unlimited == 1)
    printf(", which has no limit");
  printf("\n");
}

// ---- what was found --------------------------------------------------------------------------------

static void print_finding(const char* file, const limb_finding* f)
{
  printf("    ");
  if (f->line > 0) printf("%s:%d: ", *f->file ? f->file : file, f->line);
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

static void print_findings(const cli_robot* r, int all)
{
  int count = 0;
  limb_finding x;
  for (int i = 0; i < limb_findings_count(limb_reading_findings(r->reading)); i++) count += cli_robot_finding(r, i, &x);
  info_heading("found");
  printf(": %d finding%s\n", count, count == 1 ? "" : "s");
  for (int rule = 0; rule < limb_rule_count() && count > 0; rule++) print_rule(r, rule, all);
}

// What the compiler suspects is not printed: the doctor reports it with a line. Nor are notes on auxiliary bodies.
static int is_shown(const info_run* r, const limb_note* note)
{
  const int suspected = note->kind == LIMB_NOTE_MASSLESS || note->kind == LIMB_NOTE_NONPHYSICAL;
  return !suspected && (r->compiled || !cli_note_is_auxiliary(r->m, note));
}

static void print_kind(const info_run* r, limb_note_kind kind, int all)
{
  const limb_model* m = r->m;
  limb_note note;
  int count = 0;
  for (int i = 0; i < limb_model_note_count(m); i++)
    count += limb_model_note(m, i, &note) == LIMB_OK && note.kind == kind && is_shown(r, &note);
  if (count == 0) return;
  printf("  %d %s\n", count, limb_note_kind_name(kind));
  int left = all ? count : SHOWN;
  for (int i = 0; i < limb_model_note_count(m) && left > 0; i++) {
    if (limb_model_note(m, i, &note) != LIMB_OK || note.kind != kind || !is_shown(r, &note)) continue;
    printf("    %s: %s\n", note.subject, note.text);
    left--;
  }
  if (!all && count > SHOWN) printf("    ... and %d more: --all\n", count - SHOWN);
}

static void print_notes(const info_run* r, int all)
{
  const limb_model* m = r->m;
  limb_note note;
  int count = 0;
  for (int i = 0; i < limb_model_note_count(m); i++)
    count += limb_model_note(m, i, &note) == LIMB_OK && is_shown(r, &note);
  info_heading("compiled");
  printf(": %d note%s\n", count, count == 1 ? "" : "s");
  for (int kind = 0; limb_note_kind_name((limb_note_kind)kind); kind++) print_kind(r, (limb_note_kind)kind, all);
}

// ---- JSON ------------------------------------------------------------------------------------------

static json_t* base_json(const info_run* run)
{
  const limb_model* m = run->m;
  json_t* r = json_array();
  limb_joint_info x;
  for (int j = 0; j < limb_joint_count(m); j++) {
    if (limb_get_joint(m, j, &x) != LIMB_OK || !is_base(&run->robot.dofs, &x)) continue;
    json_t* joint = json_object();
    cli_json_set(joint, "type joint body nv passive", cli_json_text(cli_base_type(x.def.type)),
                 cli_json_text(x.def.name), cli_json_text(info_body_name(m, x.def.child)), json_integer(x.nv),
                 json_boolean(x.passive));
    (void)json_array_append_new(r, joint);
  }
  return r;
}

static json_t* notes_json(const info_run* run)
{
  const limb_model* m = run->m;
  json_t* r = json_array();
  limb_note x;
  for (int i = 0; i < limb_model_note_count(m); i++) {
    if (limb_model_note(m, i, &x) != LIMB_OK || !is_shown(run, &x)) continue;
    json_t* note = json_object();
    cli_json_set(note, "kind subject text", cli_json_text(limb_note_kind_name(x.kind)), cli_json_text(x.subject),
                 cli_json_text(x.text));
    (void)json_array_append_new(r, note);
  }
  return r;
}

static json_t* findings_json(const cli_robot* r)
{
  json_t* list = json_array();
  limb_finding x;
  for (int i = 0; i < limb_findings_count(limb_reading_findings(r->reading)); i++)
    if (cli_robot_finding(r, i, &x)) (void)json_array_append_new(list, cli_json_finding(&x));
  return list;
}

static json_t* info_json(const info_run* run)
{
  const limb_model* m = run->m;
  const cli_robot* r = &run->robot;
  const limb_facts* x = &run->facts;
  json_t* out = cli_json_answer();
  cli_json_set(out, "model source format nq nv gravity mass reach", cli_json_text(limb_model_name(m)),
               cli_json_text(limb_reading_source(r->reading)),
               cli_json_text(limb_format_name(limb_reading_format(r->reading))), json_integer(limb_nq(m)),
               json_integer(limb_nv(m)), cli_json_vec3(limb_model_gravity(m)), cli_json_number(x->mass),
               cli_json_number(x->reach));
  if (x->has_inertia) (void)json_object_set_new(out, "whole", cli_json_inertia(&x->inertia));
  cli_json_set(out, "base active passive joints bodies frames loops", base_json(run),
               json_integer(limb_nv(m) - x->passive), json_integer(x->passive), info_json_joints(run),
               info_json_bodies(m), info_json_frames(m), info_json_loops(m));
  if (limb_loop_count(m) > 0) (void)json_object_set_new(out, "mobility", info_json_mobility(run));
  cli_json_set(out, "findings notes", findings_json(r), notes_json(run));
  return out;
}

// ---- the command -----------------------------------------------------------------------------------

static int print_text(const cli_args* args, const info_run* r)
{
  const int tree = cli_has(args, "tree"), all = cli_has(args, "all");
  if (tree) {
    const limb_tree_drawing drawing = {r->m, r->compiled, cli_on(stdout, CLI_FAINT), cli_off(stdout, CLI_FAINT)};
    if (limb_tree_write(&drawing, stdout) != LIMB_OK) cli_note_out_of_memory(0);
  }
  if (tree) info_print_loops(r->m);
  if (info_wants_notation(args)) return info_print_notations(args, r->m);
  if (tree) return EXIT_FINE;
  print_summary(r);
  info_print_joints(r);
  info_print_elastic(r);
  info_print_loops(r->m);
  info_print_mobility(r);
  info_print_bodies(r);
  info_print_principal(r);
  print_findings(&r->robot, all);
  print_notes(r, all);
  return EXIT_FINE;
}

// Closed from the start configuration, if possible. Loops that stay open are always reported.
static limb_status close_loops(info_run* r)
{
  if (limb_loop_count(r->m) == 0) return LIMB_OK;
  limb_status s = limb_loop_facts_create(r->m, &r->closure);
  limb_loop_facts* c = r->closure;
  if (s == LIMB_OK) s = limb_close_loops(c, NULL);
  if (s == LIMB_OK && c->closed) return limb_examine_loops(c, NULL);
  if (s == LIMB_OK)
    (void)fprintf(stderr,
                  "%s: warning: loop '%s': cannot be closed from the start configuration: it stays %.3g apart, at best "
                  "of %d tries\n",
                  limb_reading_source(r->robot.reading), cli_loop_name(r->m, c->report.loop), c->report.residual,
                  c->report.tries);
  return s;
}

static limb_status find_facts(info_run* r)
{
  limb_status s = limb_facts_of(r->m, &r->facts);
  const size_t joints = (size_t)limb_joint_count(r->m);
  r->elastic = calloc(joints + 1, sizeof *r->elastic);
  if (!r->elastic) return LIMB_E_NOMEM;
  if (s == LIMB_OK) s = limb_elastic_joints(r->m, (int)joints, r->elastic, &r->nelastic);
  return s == LIMB_OK ? close_loops(r) : s;
}

static int print(const cli_args* args, const info_run* r, int json)
{
  int code = EXIT_FINE;
  if (json) {
    json_t* out = info_json(r);
    code = info_add_notations(args, r->m, out);
    if (code != EXIT_FINE) {
      json_decref(out);
      return code;
    }
    code = cli_json_print(out, stdout, cli_title(args));
  } else {
    code = print_text(args, r);
  }
  return code == EXIT_FINE ? limb_cli_close_output(cli_title(args)) : code;
}

static int run(const cli_args* args)
{
  const char* source = cli_operand(args, 0);
  const int json = cli_is(args, "format", "json");
  const int shows_findings = json || (!cli_has(args, "tree") && !info_wants_notation(args));
  info_run r = {.compiled = cli_has(args, "compiled")};
  int code = shows_findings ? cli_robot_open_quietly(args, source, &r.robot) : cli_robot_open(args, source, &r.robot);
  if (code != EXIT_FINE) return code;
  r.m = r.robot.model;
  code = cli_failed(args, "", find_facts(&r), NULL);
  if (code == EXIT_FINE) code = print(args, &r, json);
  free(r.elastic);
  limb_loop_facts_destroy(r.closure);
  cli_robot_close(&r.robot);
  return code;
}

static const cli_option options[] = {
  {"", NULL, "the output"},
  {"tree", NULL, "only the tree of bodies and joints"},
  {"mdh", NULL,
   "only the tables of modified Denavit-Hartenberg parameters: as described, if the bodies have such frames; of the "
   "compiled robot, with its inertial parameters as described and regrouped"},
  {"dh", NULL, "only the table of standard Denavit-Hartenberg parameters, of a chain"},
  {"poe", NULL, "only the product of exponentials: screws in the axes of world, child and tool, and home poses"},
  {"frame", "NAME", "the tool of --poe (default: the last frame)"},
  {"compiled", NULL,
   "also the auxiliary bodies and joints that readers add, to place bodies away from the axes of their joints"},
  {"all", NULL, "every finding and note, not only the first of each kind"},
  {"format", "text|json", "JSON always has everything, the tables of --mdh, --dh and --poe only on request"},
  {0},
};

const cli_command cli_info = {
  .name = "info",
  .operands = "MODEL",
  .summary = "describe a model: bodies, joints, inertia, loops, findings",
  .about =
    "Prints what was read, assumed and dropped (findings of the reader), what is physically impossible (errors of "
    "the doctor), what was merged, lowered and regrouped (notes of the compiler), and the base, joints, limits, "
    "motors, elasticity, masses, reach and inertia of the robot. limb check reports all that is wrong or suspicious.\n"
    "For a robot with loops also its mobility, with the loops closed from the start configuration: by counting "
    "(Gruebler), the actual mobility there, redundant constraints and their loops, motors and motions, condition "
    "numbers and the kind of singularity. Loops that do not close are reported with their gap; limb assemble "
    "searches harder.",
  .examples =
    (const char* const[]){"limb info arm.urdf", "everything about a file", "limb info panda --tree",
                          "how the bodies of a built-in robot are connected", "limb info --mdh --format json arm.urdf",
                          "the compiled frames and inertial parameters, in 17 digits",
                          "limb info --poe arm.urdf --frame tool0", "screws and home poses of any robot", NULL},
  .options = (const cli_option* const[]){cli_model_options, options, NULL},
  .min_operands = 1,
  .max_operands = 1,
  .run = run,
};
