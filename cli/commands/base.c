// `limb base`: the base parameters of a robot, as formulas and values, and parameters without effect.
#include "base/command.h"
#include "base/output.h"
#include "base/print.h"
#include "robot/robot.h"

#include "limb/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct base_run {
  const cli_args* args;
  const limb_model* m;
  limb_environment env;
  limb_base_parameters* base;
  limb_base_facts facts;
  int np, nb;
  int springs;            // count
  double *theta, *values; // np, nb
} base_run;

static const char* const effects[] = {"none", "combined", "alone", "left out"};

// ---- computing -------------------------------------------------------------------------------------

// Springs and offsets count if there is a spring, or on request: most robots have none.
static int wants_springs(const base_run* x)
{
  if (cli_has(x->args, "no-springs")) return 0;
  if (cli_has(x->args, "springs")) return 1;
  for (int j = 0; j < limb_joint_count(x->m); j++) {
    limb_joint_info joint;
    if (limb_get_joint(x->m, j, &joint) != LIMB_OK) continue;
    if (joint.def.stiffness != 0 || joint.shaft >= 0) return 1;
  }
  return 0;
}

static limb_status compute(base_run* x)
{
  unsigned flags = 0;
  x->springs = wants_springs(x);
  if (cli_has(x->args, "no-rotors")) flags |= LIMB_BASE_NO_ROTORS;
  if (!x->springs) flags |= LIMB_BASE_NO_SPRINGS;
  limb_status s = limb_base_create(x->m, &x->env, flags, NULL, &x->base);
  if (s == LIMB_OK) s = limb_base_get_facts(x->base, &x->facts);
  if (s != LIMB_OK) return s;
  x->np = limb_parameter_count(x->m), x->nb = limb_base_count(x->base);
  x->theta = calloc((size_t)x->np + 1, sizeof *x->theta);
  x->values = calloc((size_t)x->nb + 1, sizeof *x->values);
  if (!x->theta || !x->values) return LIMB_E_NOMEM;
  s = limb_parameters(x->m, x->theta);
  return s == LIMB_OK ? limb_base_values(x->base, x->theta, x->values) : s;
}

// Combinations that the structure did not show were found by numbers, and the set is minimal.
static int is_completed(const base_run* x)
{
  return x->nb == x->facts.numeric && x->facts.numeric < x->facts.structure;
}

// The limits are those of limb_base_facts.
static int is_clear(const base_run* x) { return x->facts.kept > 1e-6 && x->facts.dropped < 1e-11; }

static const char* verdict(const base_run* x)
{
  const limb_base_facts* f = &x->facts;
  if (f->agree) return "they agree";
  if (is_completed(x)) return "more can be combined than the rules of structure find (mimic joints?)";
  if (f->structure != f->numeric) return "they do NOT agree: the set may not be minimal";
  return is_clear(x) ? "the same number, but Y and Y_b K differ" : "the same number, but the rank is NOT clear";
}

static limb_parameter_info parameter(const base_run* x, int index)
{
  limb_parameter_info p;
  if (limb_get_parameter(x->m, index, &p) != LIMB_OK) {
    memset(&p, 0, sizeof p);
    p.of = p.symbol = p.unit = "";
  }
  return p;
}

// How many base parameters have names that start with one of these letters: see print_formulas.
static int count_named(const base_run* x, const char* letters)
{
  int count = 0;
  for (int i = 0; i < x->nb; i++) count += strchr(letters, limb_base_name(x->base, i)[0]) != NULL;
  return count;
}

static const char BODIES[] = "MXYZ", ROTORS[] = "I", FRICTION[] = "F", SPRINGS[] = "kc";

// ---- text ------------------------------------------------------------------------------------------

static void print_facts(const base_run* x)
{
  const limb_base_facts* f = &x->facts;
  const sp_vec3 g = x->env.gravity;
  printf("%s%s%s: %d base parameters of %d\n\n", cli_on(stdout, CLI_BOLD), limb_model_name(x->m),
         cli_off(stdout, CLI_BOLD), x->nb, f->considered);
  printf("  %d of bodies, %d of rotors, %d of friction, %d of springs and offsets\n", count_named(x, BODIES),
         count_named(x, ROTORS), count_named(x, FRICTION), count_named(x, SPRINGS));
  printf("  by structure %d, by the rank of the regressor at random states %d: %s\n", f->structure, f->numeric,
         verdict(x));
  printf("  last pivot that counts %.1e, first that does not %.1e; |Y - Y_b K| %.1e\n", f->kept, f->dropped,
         f->residual);
  printf("  gravity %.6g %.6g %.6g m/s^2; friction %s, rotors %s, springs and offsets %s\n", g.x, g.y, g.z,
         x->env.friction ? "counts" : "left out", cli_has(x->args, "no-rotors") ? "left out" : "count",
         x->springs ? "count" : "left out");
}

// The body that a row of the table of Denavit-Hartenberg moves, as described: that of the last row of a joint.
static const char* body_of(const limb_model* m, int link)
{
  limb_mdh_row row, next;
  limb_joint_info joint;
  limb_body_info body;
  if (limb_get_mdh(m, link, &row) != LIMB_OK) return "";
  if (limb_get_mdh(m, link + 1, &next) == LIMB_OK && next.joint == row.joint) return "";
  if (limb_get_joint(m, row.joint, &joint) != LIMB_OK) return "";
  const int described = limb_stands_for(m, joint.def.child);
  return limb_get_body(m, described >= 0 ? described : joint.def.child, &body) == LIMB_OK ? body.name : "";
}

// The links that formulas name by their numbers; compiled: with their frames.
static void print_links(const base_run* x, int compiled)
{
  cli_table t =
    cli_table_make(compiled ? ">link;>ant;>gamma;>b;>alpha;>d;>theta;>r;<joint;<body" : ">link;<joint;<body");
  if (compiled)
    printf("\nlinks: names in the formulas end with the number of the link; parameters are about its\n"
           "origin, in its axes: Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r) from its antecedent's\n");
  else
    printf("\nlinks: names in the formulas end with the number of the link; --compiled prints its frame\n");
  for (int i = 0; i < limb_mdh_count(x->m); i++) {
    limb_mdh_row row;
    limb_joint_info joint;
    if (limb_get_mdh(x->m, i, &row) != LIMB_OK) continue;
    if (limb_get_joint(x->m, row.joint, &joint) != LIMB_OK) continue;
    const double numbers[6] = {row.gamma, row.b, row.alpha, row.d, row.theta, row.r};
    cli_cell_integer(&t, i + 1);
    if (compiled) cli_cell_integer(&t, row.antecedent + 1);
    for (int k = 0; k < 6 && compiled; k++) cli_cell_number(&t, fabs(numbers[k]) < 1e-12 ? 0 : numbers[k]);
    cli_cell(&t, "%s", joint.def.name), cli_cell(&t, "%s", body_of(x->m, i));
  }
  cli_table_print(&t, stdout, "  ");
}

// Characters of a formula on one line: up to the last sign that fits, outside of brackets if possible, else up to the
// next blank.
static int line_length(const char* formula)
{
  enum { MAX_WIDTH = 76 };
  const size_t length = strlen(formula);
  size_t inside = 0, outside = 0;
  int depth = 0;
  if (length <= MAX_WIDTH) return (int)length;
  for (size_t k = 0; k <= MAX_WIDTH; k++) {
    depth += (formula[k] == '(') - (formula[k] == ')');
    if (k == 0 || formula[k] != ' ' || (formula[k + 1] != '+' && formula[k + 1] != '-')) continue;
    inside = k;
    if (depth == 0) outside = k;
  }
  const size_t fits = outside ? outside : inside;
  return (int)(fits ? fits : MAX_WIDTH + strcspn(formula + MAX_WIDTH, " "));
}

// Lines below the first have empty cells in front.
static void put_formula(cli_table* t, const char* formula)
{
  for (;;) {
    const int length = line_length(formula);
    cli_cell(t, "%.*s", length, formula);
    formula += length;
    if (!*formula) return;
    formula++; // the blank
    cli_cell(t, "%s", "");
    cli_cell(t, "%s", "");
  }
}

static void print_formulas(const base_run* x)
{
  cli_table t = cli_table_make("<name;>value;<formula");
  const double size = cli_largest(x->values, (size_t)x->nb);
  printf("\nbase parameters: M mass, MX MY MZ first moments, XX ... ZZ inertia, Ia rotor, Fv and Fs\n"
         "viscous and Coulomb friction, k stiffness, c offset, ks Fd cs stiffness, damping and\n"
         "offset of a shaft; S and C are sine and cosine of a alpha, g gamma, t theta\n");
  for (int i = 0; i < x->nb; i++) {
    cli_cell(&t, "%s", limb_base_name(x->base, i));
    cli_cell_number(&t, cli_clean(x->values[i], size));
    put_formula(&t, limb_base_formula(x->base, i));
  }
  cli_table_print(&t, stdout, "  ");
}

// Names of parameters with one effect, in lines of some 96 columns.
static void print_effect(const base_run* x, limb_base_effect effect, const char* title)
{
  size_t width = 0;
  int count = 0;
  for (int c = 0; c < x->np; c++) count += limb_base_effect_of(x->base, c) == effect;
  if (count == 0) return;
  printf("\n%s: %d\n ", title, count);
  for (int c = 0; c < x->np; c++) {
    if (limb_base_effect_of(x->base, c) != effect) continue;
    const limb_parameter_info p = parameter(x, c);
    const size_t length = strlen(p.of) + strlen(p.symbol) + 2;
    if (width > 0 && width + length > 94) printf("\n "), width = 0;
    printf(" %s.%s", p.of, p.symbol);
    width += length;
  }
  printf("\n");
}

static int print_text(const base_run* x)
{
  print_facts(x);
  print_links(x, cli_has(x->args, "compiled"));
  print_formulas(x);
  print_effect(x, LIMB_EFFECT_NONE, "no influence on the torques");
  print_effect(x, LIMB_EFFECT_COMBINED, "known only in combination with others");
  print_effect(x, LIMB_EFFECT_ALONE, "known by itself");
  return EXIT_FINE;
}

// ---- for programs ----------------------------------------------------------------------------------

static json_t* facts_json(const base_run* x)
{
  const limb_base_facts* f = &x->facts;
  json_t* r = cli_json_object("base bodies rotors friction springs structure numeric agree", json_integer(x->nb),
                              json_integer(count_named(x, BODIES)), json_integer(count_named(x, ROTORS)),
                              json_integer(count_named(x, FRICTION)), json_integer(count_named(x, SPRINGS)),
                              json_integer(f->structure), json_integer(f->numeric), json_boolean(f->agree));
  cli_json_set(r, "kept dropped residual", cli_json_number(f->kept), cli_json_number(f->dropped),
               cli_json_number(f->residual));
  return r;
}

static json_t* parameters_json(const base_run* x)
{
  json_t* list = json_array();
  for (int c = 0; c < x->np; c++) {
    const limb_parameter_info p = parameter(x, c);
    (void)json_array_append_new(list, cli_json_object("of symbol unit value effect", cli_json_text(p.of),
                                                      cli_json_text(p.symbol), cli_json_text(p.unit),
                                                      cli_json_number(x->theta[c]),
                                                      cli_json_text(effects[limb_base_effect_of(x->base, c)])));
  }
  return list;
}

static int print_json(const base_run* x)
{
  json_t *answer = cli_json_answer(), *list = json_array();
  cli_json_set(answer, "model gravity friction rotors springs count", cli_json_text(limb_model_name(x->m)),
               cli_json_vec3(x->env.gravity), json_boolean(x->env.friction),
               json_boolean(!cli_has(x->args, "no-rotors")), json_boolean(x->springs), facts_json(x));
  for (int i = 0; i < x->nb; i++) {
    (void)json_array_append_new(list, cli_json_object("name value formula", cli_json_text(limb_base_name(x->base, i)),
                                                      cli_json_number(x->values[i]),
                                                      cli_json_text(limb_base_formula(x->base, i))));
  }
  cli_json_set(answer, "base parameters matrix", list, parameters_json(x),
               cli_json_matrix(x->nb, x->np, limb_base_matrix(x->base)));
  return cli_json_print(answer, stdout, cli_title(x->args));
}

static limb_status write_csv(limb_csv_writer* w, const void* run)
{
  const base_run* x = run;
  limb_status s = cli_csv_head(w, (const char* const[]){"name", "value", "formula", NULL});
  for (int i = 0; i < x->nb && s == LIMB_OK; i++) {
    s = limb_csv_text(w, limb_base_name(x->base, i));
    if (s == LIMB_OK) s = limb_csv_number(w, x->values[i]);
    if (s == LIMB_OK) s = limb_csv_text(w, limb_base_formula(x->base, i));
    if (s == LIMB_OK) s = limb_csv_end_row(w);
  }
  return s;
}

// ---- the command -----------------------------------------------------------------------------------

// Why the set is not proven minimal. An exit code.
static int report_doubt(const base_run* x)
{
  static const char cause[] = "axes that are nearly, but not quite, parallel or at right angles?";
  const limb_base_facts* f = &x->facts;
  if (f->agree || is_completed(x)) return EXIT_FINE;
  if (f->structure != f->numeric) {
    (void)cli_usage(x->args, "structure (%d) and numbers (%d) do not agree: %s", f->structure, f->numeric, cause);
  } else if (!is_clear(x)) {
    (void)cli_usage(x->args,
                    "the rank is not clear: the last pivot that counts is %.1e, the first that "
                    "does not %.1e; above 1e-06 and below 1e-11 they are clear: %s",
                    f->kept, f->dropped, cause);
  } else {
    (void)cli_usage(x->args, "|Y - Y_b K| is %.1e, more than rounding: %s", f->residual, cause);
  }
  return EXIT_FINDINGS;
}

static int print(const base_run* x)
{
  const char* format = cli_get(x->args, "format");
  const int code = !format || strcmp(format, "text") == 0 ? print_text(x)
                   : strcmp(format, "json") == 0          ? print_json(x)
                                                          : cli_csv_print(stdout, cli_title(x->args), write_csv, x);
  return code == EXIT_FINE ? report_doubt(x) : code;
}

static int run(const cli_args* args)
{
  cli_robot robot;
  base_run x = {.args = args};
  if (cli_has(args, "springs") && cli_has(args, "no-springs"))
    return cli_usage(args, "--springs and --no-springs exclude each other");
  int code = cli_robot_open(args, cli_operand(args, 0), &robot);
  if (code != EXIT_FINE) return code;
  x.m = robot.model, x.env = robot.env;
  if (limb_loop_count(robot.model) > 0)
    (void)fprintf(stderr,
                  "%s: note: with the loops cut open, as a tree of joints: with closed loops, fewer parameters "
                  "can be identified\n",
                  limb_reading_source(robot.reading));
  const limb_status s = compute(&x);
  if (s == LIMB_E_UNSUPPORTED) {
    code = cli_usage(args,
                     "the model has %d parameters, more than %d: make joints fixed that need not "
                     "move, or take a part of the robot",
                     limb_parameter_count(x.m), LIMB_BASE_MAX);
  } else {
    code = s == LIMB_OK ? print(&x) : cli_failed(args, "", s, NULL);
  }
  limb_base_destroy(x.base);
  free(x.theta);
  free(x.values);
  cli_robot_close(&robot);
  return code;
}

static const cli_option options[] = {
  {"", NULL, "what counts"},
  {"no-rotors", NULL, "leave rotor inertias out"},
  {"springs", NULL, "count springs and constant offsets of the torques, also where there is no spring"},
  {"no-springs", NULL, "leave them out, also where there is one"},
  {"compiled", NULL, "also the frames of the links (modified Denavit-Hartenberg)"},
  {0},
};

const cli_command cli_base = {
  .name = "base",
  .operands = "MODEL",
  .summary = "base parameters: the minimal set that determines the torques, as formulas",
  .about =
    "The torques are linear in the parameters of the bodies and joints, but some have no influence, and some only in "
    "combination: no experiment with the robot can separate them. limb base prints the base parameters, which can "
    "be: the formulas of the combinations, their values, and which parameters have no influence.\n"
    "They are found from the structure of the robot (Gautier, Khalil 1990), and by the rank of the regressor at "
    "random states (pivoted QR). If the two disagree, or the rank is not clear, this is reported, and the exit code "
    "is 1. Robots with mimic joints are the exception: they may have more combinations than the structure shows. The "
    "set then includes those that the QR finds; agree is false in JSON, and the exit code is 0. Terms below 1e-10 of "
    "the largest are left out of a formula.\n"
    "JSON has the matrix of the combinations, a row per base parameter and a column per parameter.",
  .examples =
    (const char* const[]){"limb base puma560 --no-friction --no-rotors",
                          "the 36 base inertial parameters of the Puma 560", "limb base arm.urdf --format json",
                          "everything, with the matrix of the combinations", NULL},
  .options = (const cli_option* const[]){options, cli_model_options, cli_change_options, cli_world_options,
                                         cli_format_options, NULL},
  .run = run,
};
