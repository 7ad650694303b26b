// What can be requested: the table of quantities, options with their defaults and checks, the prefix of all names.
#include "codegen/codegen_impl.h"

#include "base/status.h"
#include "codegen/text.h"
#include "codegen/trace.h"

#include <stdio.h>
#include <string.h>

enum { SPLIT_MIN = 10, EFFORT_MAX = 1000 };
static const double width_min = 1e-9, width_max = 1e9;

// ---- quantities ----------------------------------------------------------------------------------------------------

#define TREES ROBOTS_TREES
#define LOOPS ROBOTS_LOOPS
#define ALL   ROBOTS_ALL

// nv velocities, nc constraints, ny independent velocities, np parameters, na motors clang-format off
const limb_quantity limb_quantities[] = {
  {"tau", TREES, "id", "nv", "inverse dynamics", QUANTITY_TAU, limb_trace_inverse_dynamics},
  {"acc", TREES, "fd", "nv", "forward dynamics", QUANTITY_ACC, limb_trace_forward_dynamics},
  {"M", TREES, NULL, "nv x nv", "mass matrix", QUANTITY_M, limb_trace_mass_matrix},
  {"Minv", TREES, NULL, "nv x nv", "inverse of the mass matrix", QUANTITY_MINV, limb_trace_inverse_mass_matrix},
  {"C", TREES, NULL, "nv x nv", "Coriolis matrix", QUANTITY_C, limb_trace_coriolis},
  {"g", TREES, NULL, "nv", "gravity forces", QUANTITY_G, limb_trace_gravity},
  {"h", TREES, NULL, "nv", "bias forces: those of velocities and gravity", QUANTITY_H, limb_trace_bias},
  {"J", ALL, NULL, "6 x nv", "Jacobian of a frame, world axes at its origin", QUANTITY_J, limb_trace_jacobian},
  {"pose", ALL, NULL, "3 x 3, 3", "pose of a frame", QUANTITY_POSE, limb_trace_pose},
  {"dtau", TREES, NULL, "2 of nv x nv", "derivatives of inverse dynamics by q and v", QUANTITY_DTAU,
   limb_trace_id_derivatives},
  {"dacc", TREES, NULL, "3 of nv x nv", "derivatives of forward dynamics by q, v and tau", QUANTITY_DACC,
   limb_trace_fd_derivatives},
  {"Y", TREES, NULL, "nv x np", "regressor of inverse dynamics", QUANTITY_Y, limb_trace_regressor},
  {"hybrid", TREES, NULL, "2 of nv", "accelerations and forces of all joints, from the one that is given of each",
   QUANTITY_HYBRID, limb_trace_hybrid},
  {"tau", LOOPS, "tau_active", "nv", "inverse dynamics with the loops closed", QUANTITY_CLOSED_TAU,
   limb_trace_closed_inverse},
  {"acc", LOOPS, "closed_acc", "nv", "forward dynamics with the loops closed", QUANTITY_CLOSED_ACC,
   limb_trace_closed_forward},
  {"M", LOOPS, "closed_M", "ny x ny", "mass matrix of the independent coordinates", QUANTITY_CLOSED_M,
   limb_trace_closed_mass},
  {"h", LOOPS, "closed_h", "ny", "bias forces of the independent coordinates", QUANTITY_CLOSED_H,
   limb_trace_closed_bias},
  {"Psi", LOOPS, "psi", "nc x nv", "constraint Jacobian of the loops", QUANTITY_PSI, limb_trace_psi},
  {"gamma", LOOPS, NULL, "nc", "the value of Psi a for which the loops stay closed", QUANTITY_GAMMA, limb_trace_gamma},
  {"G", LOOPS, NULL, "nv x ny", "velocities of all joints per independent one", QUANTITY_VELOCITY_MAP,
   limb_trace_velocity_map},
  {"passive", LOOPS, NULL, "2 of nv", "velocities and accelerations of all joints, from those of the independent ones",
   QUANTITY_PASSIVE, limb_trace_passive},
  {"lambda", LOOPS, NULL, "nv, nc", "forward dynamics with the loops closed, and the forces of the closures",
   QUANTITY_LAMBDA, limb_trace_lambda},
  {"platform_tau", LOOPS, NULL, "nv", "inverse dynamics of a parallel robot, from the motion of its platform",
   QUANTITY_PLATFORM_TAU, limb_trace_platform_inverse},
  {"platform_acc", LOOPS, NULL, "6, nv", "forward dynamics of a parallel robot, and the acceleration of its platform",
   QUANTITY_PLATFORM_ACC, limb_trace_platform_forward},
  {"platform_J", LOOPS, NULL, "6 x na", "twist of the platform of a parallel robot per velocity of its motors",
   QUANTITY_PLATFORM_J, limb_trace_platform_jacobian},
  {"tree_tau", LOOPS, "id", "nv", "inverse dynamics of the spanning tree", QUANTITY_TAU, limb_trace_inverse_dynamics},
  {"tree_acc", LOOPS, "fd", "nv", "forward dynamics of the spanning tree", QUANTITY_ACC, limb_trace_forward_dynamics},
  {"tree_M", LOOPS, NULL, "nv x nv", "mass matrix of the spanning tree", QUANTITY_M, limb_trace_mass_matrix},
  {"tree_Minv", LOOPS, NULL, "nv x nv", "inverse of the mass matrix of the spanning tree", QUANTITY_MINV,
   limb_trace_inverse_mass_matrix},
  {"tree_C", LOOPS, NULL, "nv x nv", "Coriolis matrix of the spanning tree", QUANTITY_C, limb_trace_coriolis},
  {"tree_g", LOOPS, NULL, "nv", "gravity forces of the spanning tree", QUANTITY_G, limb_trace_gravity},
  {"tree_h", LOOPS, NULL, "nv", "bias forces of the spanning tree", QUANTITY_H, limb_trace_bias},
  {"tree_dtau", LOOPS, NULL, "2 of nv x nv", "derivatives of inverse dynamics of the spanning tree", QUANTITY_DTAU,
   limb_trace_id_derivatives},
  {"tree_dacc", LOOPS, NULL, "3 of nv x nv", "derivatives of forward dynamics of the spanning tree", QUANTITY_DACC,
   limb_trace_fd_derivatives},
  {"tree_Y", LOOPS, NULL, "nv x np", "regressor of inverse dynamics of the spanning tree", QUANTITY_Y,
   limb_trace_regressor},
  {"tree_hybrid", LOOPS, NULL, "2 of nv", "hybrid dynamics of the spanning tree", QUANTITY_HYBRID, limb_trace_hybrid},
  {NULL, 0, NULL, NULL, NULL, QUANTITY_NONE, NULL}};
// clang-format on

const limb_quantity* limb_find_codegen_quantity(const char* name, unsigned robots)
{
  const limb_quantity *other = NULL, *former = NULL;
  for (const limb_quantity* x = limb_quantities; x->name; x++) {
    const bool same = strcmp(x->name, name) == 0;
    if (same && x->robots & robots) return x;
    if (same && !other) other = x;
    if (x->former && strcmp(x->former, name) == 0 && (!former || x->robots & robots)) former = x;
  }
  return other ? other : former;
}

// The quantity at an index of the names, each of which counts once.
static const limb_quantity* quantity_at(int index)
{
  for (const limb_quantity* x = limb_quantities; x->name; x++) {
    if (limb_find_codegen_quantity(x->name, ROBOTS_ALL) == x && index-- == 0) return x;
  }
  return NULL;
}

const char* limb_codegen_quantity_name(int index)
{
  const limb_quantity* x = quantity_at(index);
  return x ? x->name : NULL;
}

const char* limb_codegen_quantity_meaning(int index)
{
  const limb_quantity* x = quantity_at(index);
  return x ? x->meaning : NULL;
}

const char* limb_codegen_quantity_robots(int index)
{
  static const char* const texts[] = {"", "without loops", "with loops", "all"};
  const limb_quantity* x = quantity_at(index);
  unsigned robots = 0;
  for (const limb_quantity* y = limb_quantities; x && y->name; y++)
    if (strcmp(y->name, x->name) == 0) robots |= y->robots;
  return x ? texts[robots] : NULL;
}

// ---- defaults ------------------------------------------------------------------------------------------------------

limb_codegen_options limb_default_codegen_options(void)
{
  return (limb_codegen_options){.size = sizeof(limb_codegen_options),
                                .what = "tau",
                                .language = LIMB_LANGUAGE_C,
                                .sines = LIMB_SINES_LIBM,
                                .symbols = LIMB_SYMBOLS_NONE,
                                .lanes = 1,
                                .friction = 1,
                                .order = LIMB_ORDER_LATENCY,
                                .effort = 1};
}

// ---- checks --------------------------------------------------------------------------------------------------------

static const char* const languages[] = {"C", "Python", "MATLAB", "Julia", "Rust", "LaTeX"};
static const uint32_t max_statements_of[] = {2000000, 200000, 50000, 50000, 200000, 4000};

static limb_status check_ranges(const limb_codegen_options* o, limb_error* error)
{
  const int n = o->lanes;
  if (!o->what || !o->what[strspn(o->what, " ,")])
    return limb_fail(error, LIMB_E_ARG, "what", "no quantity is named; try \"tau\"");
  if ((int)o->language < 0 || o->language > LIMB_LANGUAGE_LATEX)
    return limb_fail(error, LIMB_E_ARG, "language", "%d is not a language", (int)o->language);
  if ((int)o->sines < 0 || o->sines > LIMB_SINES_OWN)
    return limb_fail(error, LIMB_E_ARG, "sines", "%d is not a source of sines", (int)o->sines);
  if ((int)o->symbols < 0 || o->symbols > LIMB_SYMBOLS_ALL)
    return limb_fail(error, LIMB_E_ARG, "symbols", "%d is not a set of symbols", (int)o->symbols);
  if (!(o->effort >= 0 && o->effort <= EFFORT_MAX))
    return limb_fail(error, LIMB_E_ARG, "effort", "%g is out of range: use 0 to %d", o->effort, EFFORT_MAX);
  const double width = o->coulomb_width;
  if (width != 0 && !(width >= width_min && width <= width_max))
    return limb_fail(error, LIMB_E_ARG, "coulomb_width",
                     "%g is out of range: use a velocity from %g to %g, or 0 for the sign", width, width_min,
                     width_max);
  if ((int)o->order < 0 || o->order > LIMB_ORDER_REGISTERS)
    return limb_fail(error, LIMB_E_ARG, "order", "%d is not an order of statements", (int)o->order);
  if (n != 1 && n != 2 && n != 4 && n != 8 && n != 16)
    return limb_fail(error, LIMB_E_ARG, "lanes", "%d lanes: use 1, 2, 4, 8 or 16", n);
  if (o->max_statements != 0 && o->max_statements < SPLIT_MIN)
    return limb_fail(error, LIMB_E_ARG, "max_statements",
                     "%d statements are too few for a function: use 0 or at least %d", o->max_statements, SPLIT_MIN);
  return LIMB_OK;
}

limb_status limb_codegen_check_options(const limb_codegen_options* o, limb_error* error)
{
  const limb_status s = check_ranges(o, error);
  if (s != LIMB_OK) return s;
  const bool c = o->language == LIMB_LANGUAGE_C, rust = o->language == LIMB_LANGUAGE_RUST;
  const char* name = languages[o->language];
  if (o->single && !c && !rust)
    return limb_fail(error, LIMB_E_ARG, "single", "%s has no float here: use C or Rust", name);
  if (o->lanes > 1 && !c) return limb_fail(error, LIMB_E_ARG, "lanes", "%s has no lanes here: use 1, or C", name);
  if (o->sines == LIMB_SINES_OWN && !c)
    return limb_fail(error, LIMB_E_ARG, "sines", "polynomials for sines are written in C only, not in %s", name);
  if (o->max_statements && !c)
    return limb_fail(error, LIMB_E_ARG, "max_statements", "functions are split in C only, not in %s", name);
  return LIMB_OK;
}

limb_status limb_codegen_check_size(const limb_codegen_options* o, const limb_emitted* p, limb_error* error)
{
  const uint32_t most = max_statements_of[o->language];
  if (p->schedule.count <= most) return LIMB_OK;
  return limb_fail(error, LIMB_E_UNSUPPORTED, p->f->name,
                   "%u statements are too many for %s, whose limit is %u: use %s", p->schedule.count,
                   languages[o->language], most, o->language == LIMB_LANGUAGE_C ? "a smaller robot" : "C");
}

// ---- names ---------------------------------------------------------------------------------------------------------

// Reserved words of the languages, functions that generated code calls, and file names to avoid: headers of C,
// modules of Python.
static const char keywords[] =
  " abstract alignas alignof and as asm assert async auto await baremodule become begin bool box break"
  " case catch char class classdef complex const continue crate def default del delete do double dyn"
  " elif else elseif end enum except export extern final finally float fn for friend from function"
  " global goto if impl import in inline int is lambda let local long loop macro match math mod module"
  " move mut namespace new nonlocal not operator or override parfor pass persistent priv private"
  " protected pub public quote raise ref register restrict return self short signed sizeof spmd static"
  " stdio struct super switch template this throw trait true false try type typedef typename typeof"
  " union unsafe unsigned unsized unwind_protect use using until virtual void volatile where while with"
  " yield otherwise None True False Self sin cos sqrt sign tanh zeros ctype errno fenv inttypes iso646"
  " limits locale os setjmp signal stdarg stdbool stddef stdint stdlib string sys tgmath time wchar"
  " wctype"
  " ";

static bool is_keyword(const char* name)
{
  const size_t n = strlen(name);
  for (const char* s = keywords; (s = strstr(s, name)); s++) {
    if (s[-1] == ' ' && s[n] == ' ') return true;
  }
  return false;
}

// The length limit of a prefix. MATLAB cuts names to 63 letters, which would make the names of functions equal.
static size_t max_letters(limb_language language, size_t size)
{
  enum { MATLAB_MAX = 63 - sizeof "_platform_acc" + 1 };
  return language == LIMB_LANGUAGE_MATLAB ? MATLAB_MAX : size - 1;
}

limb_status limb_codegen_make_prefix(const limb_codegen_options* o, const char* robot, char* prefix, size_t size,
                                     limb_error* error)
{
  const size_t most = max_letters(o->language, size);
  if (o->prefix) {
    if (strlen(o->prefix) > most || !limb_is_identifier(o->prefix) || is_keyword(o->prefix))
      return limb_fail(error, LIMB_E_ARG, "prefix",
                       "'%.60s' is not a valid prefix: use a letter, then letters, digits and underscores, at most %d "
                       "characters, not a reserved word of one of the languages",
                       o->prefix, (int)most);
    (void)snprintf(prefix, size, "%s", o->prefix);
    return LIMB_OK;
  }
  limb_make_identifier(robot, prefix, most + 1);
  const size_t n = strlen(prefix);
  if (is_keyword(prefix)) (void)snprintf(prefix + n, size - n, "_robot");
  return LIMB_OK;
}
