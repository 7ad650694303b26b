// Writes generated sources of the fixture robots, with their tests, into a folder: what
// test_generated.py compiles and runs.
//
//     generate_fixtures FOLDER [--few | --normal | --all | --languages]
//
// --few: small robots; --normal: of larger ones a few quantities; --all: also what takes compilers minutes;
// --languages: a few robots, in C and in every other language (test_languages.py).
//
// A line per case on standard output: prefix, variant, statements of all functions, largest
// difference to the library that limb_codegen_create met, condition of the mass matrix (trees;
// 1-norm, the largest of a few random states; 0: not known). Robots are there with all quantities that they
// have, without --all but for the largest; what else can be asked for (variants) is there for a few.
#include "limb/codegen.h"

#include "support/closed.h"
#include "support/robots.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST = 512, PATH = 1024, PART = 300, ALONE = 500, NORMAL_SOURCE = 1000, HUGE_SOURCE = 30000 };

typedef struct variant {
  const char* name;
  limb_codegen_options options; // what, prefix and friction are set later
} variant;

// Short functions with few values that they hand on: large sources compile in seconds.
static const variant plain = {.name = "plain",
                              .options = {.lanes = 1, .max_statements = PART, .order = LIMB_ORDER_REGISTERS}};

// One of these asks for each option, and the last ones for several at once.
static const variant variants[] = {
  {"ahead", {.order = LIMB_ORDER_LATENCY, .lanes = 1}},
  {"float", {.single = 1, .lanes = 1}},
  {"own", {.sines = LIMB_SINES_OWN, .lanes = 1}},
  {"own_float", {.sines = LIMB_SINES_OWN, .single = 1, .lanes = 1}},
  {"given", {.sines = LIMB_SINES_GIVEN, .lanes = 1}},
  {"lanes", {.lanes = 4}},
  {"inertia", {.symbols = LIMB_SYMBOLS_INERTIA, .lanes = 1}},
  {"all", {.symbols = LIMB_SYMBOLS_ALL, .lanes = 1}},
  {"gravity", {.gravity_argument = 1, .lanes = 1}},
  {"smooth", {.coulomb_width = 0.1, .lanes = 1}},
  {"split", {.max_statements = 100, .lanes = 1}},
  {"split_own", {.max_statements = 10, .sines = LIMB_SINES_OWN, .lanes = 1}},
  {"split_given", {.max_statements = 20, .sines = LIMB_SINES_GIVEN, .lanes = 2}},
  {"wide", {.lanes = 16, .sines = LIMB_SINES_GIVEN, .symbols = LIMB_SYMBOLS_INERTIA, .order = LIMB_ORDER_REGISTERS}},
  {"many",
   {.sines = LIMB_SINES_OWN,
    .symbols = LIMB_SYMBOLS_INERTIA,
    .single = 1,
    .lanes = 8,
    .max_statements = 200,
    .gravity_argument = 1}},
};

static const variant languages[] = {
  {"python", {.language = LIMB_LANGUAGE_PYTHON, .lanes = 1}},
  {"matlab", {.language = LIMB_LANGUAGE_MATLAB, .lanes = 1}},
  {"julia", {.language = LIMB_LANGUAGE_JULIA, .lanes = 1}},
  {"rust", {.language = LIMB_LANGUAGE_RUST, .lanes = 1}},
  {"latex", {.language = LIMB_LANGUAGE_LATEX, .lanes = 1}},
  {"rust_float", {.language = LIMB_LANGUAGE_RUST, .lanes = 1, .single = 1}},
  {"python_given",
   {.language = LIMB_LANGUAGE_PYTHON, .sines = LIMB_SINES_GIVEN, .symbols = LIMB_SYMBOLS_INERTIA, .lanes = 1}},
};

static void stop(const char* name, const char* what, const limb_error* err)
{
  (void)fprintf(stderr, "%s: %s: %s %s\n", name, what, err->where, err->text);
  exit(1);
}

// ---- files -----------------------------------------------------------------------------------------

static void print(void* file, const char* text) { (void)fputs(text, file); }

static void write_file(const limb_codegen* c, limb_codegen_file which, const char* folder, const char* prefix,
                       const char* ending)
{
  const limb_error none = {0};
  char path[PATH];
  (void)snprintf(path, sizeof path, "%s/%s%s", folder, prefix, ending);
  FILE* file = fopen(path, "w");
  if (!file) stop(prefix, "cannot be written", &none);
  if (limb_codegen_write(c, which, print, file) != LIMB_OK) stop(prefix, "no text", &none);
  if (fclose(file) != 0) stop(prefix, "cannot be written", &none);
}

static void tell(const limb_codegen* c, const char* prefix, const variant* v, double condition)
{
  long all = 0;
  double most = 0;
  limb_codegen_facts f;
  for (int k = 0; k < limb_codegen_count(c); k++) {
    if (limb_codegen_get(c, k, &f) != LIMB_OK) continue;
    all += f.statements;
    if (!(f.difference <= most)) most = f.difference;
  }
  printf("%s %s %ld %.1e %.1e\n", prefix, v->name, all, most, condition);
}

// ---- condition of the mass matrix ------------------------------------------------------------------

static double norm(int n, const double* A)
{
  double most = 0;
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(A[i * n + j]);
    most = fmax(most, sum);
  }
  return most;
}

static double condition_of(const limb_model* m)
{
  enum { STATES = 5 };
  const int n = limb_nv(m);
  limb_data* data = NULL;
  uint64_t seed = 1;
  double most = 0;
  double* q = malloc(((size_t)limb_nq(m) + 2 * (size_t)n * (size_t)n + 1) * sizeof *q);
  if (!q || limb_data_create(m, NULL, &data) != LIMB_OK) abort();
  double *M = q + limb_nq(m), *inverse = M + n * n;
  for (int k = 0; k < STATES; k++) {
    if (limb_random(m, &seed, q) == LIMB_OK && limb_mass_matrix(data, q, M) == LIMB_OK &&
        limb_mass_matrix_inverse(data, q, inverse) == LIMB_OK)
      most = fmax(most, norm(n, M) * norm(n, inverse));
  }
  limb_data_destroy(data);
  free(q);
  return most;
}

// ---- how much ------------------------------------------------------------------------------------

typedef enum extent { USUAL, FEW, NORMAL, ALL, LANGUAGES } extent;

enum { SMALL = 6, LARGE = 40 }; // degrees of freedom

static long most_of(extent which) { return which == ALL ? LONG_MAX : which == NORMAL ? NORMAL_SOURCE : HUGE_SOURCE; }

// A little effort shows whether there is something, more of it makes what is tested.
static const double to_see = 0.02;
static double to_test(extent which) { return which == USUAL || which == ALL ? 0.2 : 0.05; }

// ---- cases -----------------------------------------------------------------------------------------

// Robots without inertia somewhere, and those whose loops are singular in some states, have no closed forms.
static int is_singular(const limb_model* m)
{
  return strcmp(limb_model_name(m), "weightless") == 0 || limb_loop_count(m) > 0;
}

static limb_codegen* create(const limb_model* m, const variant* v, const char* what, const char* prefix, double effort)
{
  limb_codegen* c = NULL;
  limb_error err = {0};
  limb_codegen_options o = v->options;
  o.size = sizeof o, o.what = what, o.prefix = prefix, o.friction = 1, o.effort = effort;
  const limb_status s = limb_codegen_create(m, &o, NULL, &c, &err);
  // A quantity that a robot does not have must be reported as unsupported, never as a difference from the library.
  if (s != LIMB_OK && (s != LIMB_E_UNSUPPORTED || !*err.text)) stop(prefix, what, &err);
  if (s != LIMB_OK && strstr(err.text, "differ from the library")) stop(prefix, what, &err);
  if (s != LIMB_OK && strstr(err.text, "the library fails") && !is_singular(m)) stop(prefix, what, &err);
  return c;
}

static void write_case(const limb_codegen* c, const variant* v, double condition, const char* folder)
{
  static const char* const ending[] = {".c", ".py", ".m", ".jl", ".rs", ".tex"};
  const char* prefix = limb_codegen_prefix(c);
  write_file(c, LIMB_FILE_SOURCE, folder, prefix, ending[v->options.language]);
  if (v->options.language == LIMB_LANGUAGE_C) {
    write_file(c, LIMB_FILE_HEADER, folder, prefix, ".h");
    write_file(c, LIMB_FILE_TEST, folder, prefix, "_test.c");
  }
  tell(c, prefix, v, condition);
}

typedef struct subject {
  const limb_model* m;
  const char* name;
  double condition;
  extent which;
} subject;

static void generate(const subject* x, const char* what, const variant* v, const char* folder)
{
  char prefix[96];
  (void)snprintf(prefix, sizeof prefix, "%s_%s", x->name, v->name);
  limb_codegen* c = create(x->m, v, what, prefix, to_test(x->which));
  const limb_error all = {.text = "all at once are refused, each alone is not"};
  if (!c) stop(prefix, what, &all);
  write_case(c, v, x->condition, folder);
  limb_codegen_free(c);
}

// A case of all quantities that the robot has, but for some; one of its own for each that has more than ALONE
// statements, and no more than are compiled, plain ones only (the longest are split, plain.options.max_statements).
static void all_quantities(const subject* x, const char* but, const variant* v, const char* folder)
{
  char list[LIST] = "";
  for (int k = 0; limb_codegen_quantity_name(k); k++) {
    const char* what = limb_codegen_quantity_name(k);
    limb_codegen_facts f = {0};
    char word[40], prefix[96];
    (void)snprintf(word, sizeof word, ",%s,", what);
    (void)snprintf(prefix, sizeof prefix, "%s_%s_%s", x->name, what, v->name);
    limb_codegen* c = strstr(but, word) ? NULL : create(x->m, v, what, prefix, to_see);
    if (!c) continue;
    const int given = v->options.sines == LIMB_SINES_GIVEN && limb_codegen_count(c) > 1;
    if (limb_codegen_get(c, given, &f) != LIMB_OK) stop(prefix, what, &(limb_error){0});
    if (f.statements <= ALONE) {
      (void)snprintf(list + strlen(list), LIST - strlen(list), "%s%s", *list ? "," : "", what);
    } else if (v == &plain && f.statements <= most_of(x->which)) {
      write_case(c, v, x->condition, folder);
    }
    limb_codegen_free(c);
  }
  if (*list) generate(x, list, v, folder);
}

// ---- robots ----------------------------------------------------------------------------------------

static int is_one_of(const char* name, const char* const* list)
{
  for (; *list; list++)
    if (strcmp(name, *list) == 0) return 1;
  return 0;
}

static const char* const with_variants[] = {"scara", "elastic_arm", NULL}; // normally the last one
// In other languages: friction and springs; ball and free joints; divisions.
static const char* const in_languages[] = {"scara", "elastic_arm", "two_roots", "four_bar", NULL};

// The quantities of a robot: as plain C, and in variants.
static void write_robot(const subject* x, const char* name, const char* but, const char* folder)
{
  const extent which = x->which;
  if (which == FEW && limb_nv(x->m) > SMALL) return;
  if (which == LANGUAGES && !is_one_of(name, in_languages)) return;
  all_quantities(x, but, &plain, folder);
  if (which == LANGUAGES) {
    for (size_t k = 0; k < sizeof languages / sizeof *languages; k++) all_quantities(x, but, &languages[k], folder);
  } else if (is_one_of(name, which == NORMAL ? with_variants + 1 : with_variants)) {
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) all_quantities(x, but, &variants[k], folder);
  }
}

// Of a thousand joints only what stays small; of large trees not what takes compilers minutes.
static const char* left_out(const robot* r, extent which)
{
  const int is_long = (r->flags & ROBOT_LONG) != 0;
  if (which == ALL) return "";
  if (which == NORMAL && is_long) return ",tau,acc,M,Minv,C,h,J,pose,dtau,dacc,Y,hybrid,";
  if (which == NORMAL && r->nv > SMALL) return ",acc,M,Minv,C,g,h,J,dtau,dacc,Y,hybrid,";
  if (is_long) return ",acc,M,Minv,C,J,dtau,dacc,Y,hybrid,";
  return r->nv > LARGE ? ",Minv,dacc," : "";
}

static void trees(const char* folder, extent which)
{
  int count;
  const robot* table = robot_table(&count);
  for (int i = 0; i < count; i++) {
    limb_model* m = table[i].make();
    const int is_long = (table[i].flags & ROBOT_LONG) != 0;
    const subject x = {m, table[i].name, is_long ? 0 : condition_of(m), which};
    write_robot(&x, x.name, left_out(&table[i], which), folder);
    limb_model_destroy(m);
  }
}

// Quantities of the spanning tree, as for other trees.
#define OF_TREES \
  ",pose,tree_tau,tree_acc,tree_M,tree_Minv,tree_C,tree_g,tree_h,tree_J,tree_dtau,tree_dacc,tree_Y,tree_hybrid,"

static void closed(const char* folder, extent which)
{
  for (int i = 0; i < closed_count(); i++) {
    char name[64];
    closed_case c = closed_make(i, 1);
    (void)snprintf(name, sizeof name, "closed_%s", c.name);
    const subject x = {c.m, name, 0, which};
    const char* but = which == NORMAL && limb_nv(c.m) > SMALL ? OF_TREES
                        "gamma,G,passive,tau,acc,acc_lambda,reduced_M,reduced_h,platform_acc,"
                                                              : OF_TREES;
    write_robot(&x, c.name, but, folder);
    closed_free(&c);
  }
}

int main(int argc, char** argv)
{
  const char* option = argc == 3 ? argv[2] : "";
  const extent which = strcmp(option, "--few") == 0         ? FEW
                       : strcmp(option, "--normal") == 0    ? NORMAL
                       : strcmp(option, "--all") == 0       ? ALL
                       : strcmp(option, "--languages") == 0 ? LANGUAGES
                                                            : USUAL;
  if (argc < 2 || argc > 3 || (argc == 3 && which == USUAL)) {
    (void)fprintf(stderr, "usage: generate_fixtures FOLDER [--few | --normal | --all | --languages]\n");
    return 2;
  }
  trees(argv[1], which);
  closed(argv[1], which);
  return 0;
}
