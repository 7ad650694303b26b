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
           cli_body_name(m, x.def.child), x.nv, x.passive ? "passive" : "active");
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

// "poses: home, folded": for --pose.
static void print_poses(const limb_reading* r)
{
  limb_named_pose p;
  for (int i = 0; limb_reading_get_pose(r, i, &p) == LIMB_OK; i++) printf("%s%s", i ? ", " : "  poses: ", p.name);
  if (limb_reading_pose_count(r) > 0) printf("\n");
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
  print_poses(r->reading);
}

// ---- what was found --------------------------------------------------------------------------------
//
// Findings and notes, by kind: what the compiler suspects is not printed, as the doctor reports it with a line; nor are
// notes on auxiliary bodies.

enum { ANY = -1 };

// 1 if there is a finding with this index, of this rule; on request it is printed.
static int has_finding(const info_run* run, int index, int rule, int prints)
{
  limb_finding f;
  if (!cli_robot_finding(&run->robot, index, &f) || (rule != ANY && limb_find_rule(f.rule) != rule)) return 0;
  if (!prints) return 1;
  printf("    ");
  if (f.line > 0) printf("%s:%d: ", *f.file ? f.file : limb_reading_source(run->robot.reading), f.line);
  printf("%s%s%s\n", f.where, *f.where ? ": " : "", f.text);
  return 1;
}

static int is_shown(const info_run* r, const limb_note* note)
{
  const int suspected = note->kind == LIMB_NOTE_MASSLESS || note->kind == LIMB_NOTE_NONPHYSICAL;
  return !suspected && (r->compiled || !cli_note_is_auxiliary(r->m, note));
}

static int has_note(const info_run* run, int index, int kind, int prints)
{
  limb_note x;
  if (limb_model_note(run->m, index, &x) != LIMB_OK || (kind != ANY && (int)x.kind != kind)) return 0;
  if (!is_shown(run, &x)) return 0;
  if (prints) printf("    %s: %s\n", x.subject, x.text);
  return 1;
}

typedef struct entries {
  int count; // of all kinds
  int (*has)(const info_run* run, int index, int kind, int prints);
} entries;

static int count_entries(const info_run* run, entries e, int kind)
{
  int count = 0;
  for (int i = 0; i < e.count; i++) count += e.has(run, i, kind, 0);
  return count;
}

// The first few of a kind, or all; 'about' follows their number.
static void print_kind(const info_run* run, entries e, int kind, const char* about)
{
  const int count = count_entries(run, e, kind), shown = run->all || count < SHOWN ? count : SHOWN;
  if (count == 0) return;
  printf("  %d %s\n", count, about);
  for (int i = 0, left = shown; left > 0; i++) left -= e.has(run, i, kind, 1);
  if (count > shown) printf("    ... and %d more: --all\n", count - shown);
}

static void print_findings_and_notes(const info_run* run)
{
  const entries findings = {limb_findings_count(limb_reading_findings(run->robot.reading)), has_finding};
  const entries notes = {limb_model_note_count(run->m), has_note};
  char about[600];
  limb_rule_info x;
  info_heading("found"), printf(": "), print_count(count_entries(run, findings, ANY), "finding", "findings", "\n");
  for (int rule = 0; limb_get_rule(rule, &x) == LIMB_OK; rule++) {
    (void)snprintf(about, sizeof about, "%s (%s): %s", x.name, limb_severity_name(x.severity), x.why);
    print_kind(run, findings, rule, about);
  }
  info_heading("compiled"), printf(": "), print_count(count_entries(run, notes, ANY), "note", "notes", "\n");
  for (int kind = 0; limb_note_kind_name((limb_note_kind)kind); kind++)
    print_kind(run, notes, kind, limb_note_kind_name((limb_note_kind)kind));
}

// ---- JSON ------------------------------------------------------------------------------------------

static json_t* base_json(const info_run* run)
{
  const limb_model* m = run->m;
  json_t* r = json_array();
  limb_joint_info x;
  for (int j = 0; j < limb_joint_count(m); j++) {
    if (limb_get_joint(m, j, &x) != LIMB_OK || !is_base(&run->robot.dofs, &x)) continue;
    (void)json_array_append_new(r,
                                cli_json_object("type joint body nv passive", cli_json_text(cli_base_type(x.def.type)),
                                                cli_json_text(x.def.name), cli_json_text(cli_body_name(m, x.def.child)),
                                                json_integer(x.nv), json_boolean(x.passive)));
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
    (void)json_array_append_new(r, cli_json_object("kind subject text", cli_json_text(limb_note_kind_name(x.kind)),
                                                   cli_json_text(x.subject), cli_json_text(x.text)));
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

// Where each pose holds the joints that it names.
static json_t* poses_json(const limb_reading* r)
{
  json_t* out = json_object();
  limb_named_pose p;
  for (int i = 0; limb_reading_get_pose(r, i, &p) == LIMB_OK; i++) {
    json_t* joints = json_object();
    for (int k = 0; k < p.count; k++) {
      const limb_pose_value* v = &p.value[k];
      (void)json_object_set_new(joints, v->joint,
                                v->count == 1 ? cli_json_number(v->q[0]) : cli_json_numbers(v->count, v->q));
    }
    (void)json_object_set_new(out, p.name, joints);
  }
  return out;
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
  if (limb_reading_pose_count(r->reading) > 0) (void)json_object_set_new(out, "poses", poses_json(r->reading));
  cli_json_set(out, "findings notes", findings_json(r), notes_json(run));
  return out;
}

// ---- the command -----------------------------------------------------------------------------------

static int print_text(const cli_args* args, const info_run* r)
{
  const int tree = cli_has(args, "tree");
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
  print_findings_and_notes(r);
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
                  "of %d starts\n",
                  limb_reading_source(r->robot.reading), cli_loop_name(r->m, c->report.loop), c->report.residual,
                  c->report.starts);
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
  if (!json) return print_text(args, r);
  json_t* out = info_json(r);
  const int code = info_add_notations(args, r->m, out);
  if (code == EXIT_FINE) return cli_json_print(out, stdout, cli_title(args));
  json_decref(out);
  return code;
}

static int run(const cli_args* args)
{
  const char* source = cli_operand(args, 0);
  const int json = cli_is(args, "format", "json");
  const int shows_findings = json || (!cli_has(args, "tree") && !info_wants_notation(args));
  info_run r = {.compiled = cli_has(args, "compiled"), .all = cli_has(args, "all")};
  int code = shows_findings ? cli_robot_open_quietly(args, source, &r.robot) : cli_robot_open(args, source, &r.robot);
  r.m = r.robot.model;
  if (code == EXIT_FINE) code = cli_failed(args, "", find_facts(&r), NULL);
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
  .options = (const cli_option* const[]){cli_model_options, cli_change_options, options, NULL},
  .run = run,
};
