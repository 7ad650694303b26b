// Sections of the demonstration: the compiled robot, torques along a trajectory, the mass matrix, a fall, loops.
#include "demo/demo.h"
#include "robot/robot.h"

#include "limb/sim.h"
#include "limb/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- what the compiler did ----------------------------------------------------------------------

// Number of notes of a kind; the first of them.
static int count_notes(demo_run* run, const limb_model* m, int kind, limb_note* first)
{
  int count = 0;
  for (int i = 0; i < limb_model_note_count(m); i++) {
    limb_note note;
    const limb_status s = limb_model_note(m, i, &note);
    demo_keep(run, s);
    if (s != LIMB_OK || (int)note.kind != kind || cli_note_is_auxiliary(m, &note)) continue;
    if (count++ == 0) *first = note;
  }
  return count;
}

void demo_show_compiled(demo_run* run, const demo_robot* r)
{
  const limb_model* m = r->model;
  limb_facts facts = {0};
  demo_keep(run, limb_facts_of(m, &facts));
  printf("  %d bodies, %d joints, %d degrees of freedom, %.3f kg; a workspace takes %zu bytes\n", facts.bodies,
         facts.joints, r->nv, facts.mass, limb_data_size(m));
  for (int k = 0; limb_note_kind_name((limb_note_kind)k); k++) {
    limb_note first = {LIMB_NOTE_MERGED, "", ""};
    const int count = count_notes(run, m, k, &first);
    if (count == 0) continue;
    const int length = (int)strcspn(first.text, ";"); // what was done, without the reason
    printf("  %s: ", limb_note_kind_name((limb_note_kind)k));
    if (strcmp(first.subject, limb_model_name(m)) != 0)
      printf("%d, %s%s: ", count, count > 1 ? "such as " : "", first.subject);
    printf("%.*s\n", length, first.text);
  }
}

// ---- torques ------------------------------------------------------------------------------------

enum { INSTANTS = 21, COLUMNS = 6, EVERY = (INSTANTS - 1) / (COLUMNS - 1) };

// From rest to rest: s(x) = 10 x^3 - 15 x^4 + 6 x^5 for x in [0, 1], and its derivatives.
static void quintic(double x, double s[3])
{
  s[0] = x * x * x * (10 + x * (6 * x - 15));
  s[1] = 30 * x * x * (1 - x) * (1 - x);
  s[2] = 60 * x * (1 - x) * (1 - 2 * x);
}

static void print_torque(const demo_robot* r, int k, double tau[INSTANTS][DEMO_MAX], double max)
{
  char name[32] = "";
  const char* unit = "";
  double line[INSTANTS];
  for (int i = 0; i < INSTANTS; i++) line[i] = fabs(tau[i][k]) > 1e-9 * max ? tau[i][k] : 0;
  demo_velocity_name(r->model, k, name, sizeof name, &unit);
  printf("    %-13s", name);
  for (int c = 0; c < COLUMNS; c++) {
    const double x = line[c * EVERY];
    printf(" %8.3f", fabs(x) < 5e-4 ? 0 : x); // no -0.000
  }
  printf(" %-3s  ", unit);
  demo_sparkline(INSTANTS, line);
  puts("");
}

void demo_show_torques(demo_run* run, const demo_robot* r)
{
  const double duration = 1.5;
  double tau[INSTANTS][DEMO_MAX], max = 0;
  for (int i = 0; i < INSTANTS; i++) {
    double s[3], q[DEMO_MAX], v[DEMO_MAX], a[DEMO_MAX];
    quintic(i / (double)(INSTANTS - 1), s);
    for (int k = 0; k < r->nv; k++) {
      v[k] = r->change[k] * s[1] / duration;
      a[k] = r->change[k] * s[2] / (duration * duration);
    }
    demo_keep(run, limb_integrate(r->model, r->start, r->change, s[0], q));
    demo_keep(run, limb_inverse_dynamics(r->data, q, v, a, NULL, tau[i]));
    if (run->status != LIMB_OK) return;
    for (int k = 0; k < r->nv; k++) max = fmax(max, fabs(tau[i][k]));
  }
  demo_print(DEMO_BOLD, "\n  Torques");
  printf(": %s, %.1f s from rest to rest\n    %-10s", r->move, duration, "");
  for (int c = 0; c < COLUMNS; c++) printf(" %6.1f s", duration * c / (COLUMNS - 1));
  puts("");
  for (int k = 0; k < r->rows && k < r->nv; k++) print_torque(r, k, tau, max);
  if (r->rows < r->nv) printf("    (%d more)\n", r->nv - r->rows);
}

// ---- mass matrix --------------------------------------------------------------------------------

static void print_row_name(const demo_robot* r, int i)
{
  char name[32] = "";
  const char* unit = "";
  demo_velocity_name(r->model, i, name, sizeof name, &unit);
  printf("    %-13s", name);
}

// In kg m^2, or in thousandths of it when all are small.
static void print_numbers(const demo_robot* r, const double* M)
{
  double max = 0;
  for (int i = 0; i < r->nv; i++) max = fmax(max, M[i * r->nv + i]);
  const int large = max > 0.1;
  puts(large ? " [kg m^2]" : " [1e-3 kg m^2]");
  for (int i = 0; i < r->nv; i++) {
    print_row_name(r, i);
    for (int j = 0; j < r->nv; j++) printf(" %9.4f", M[i * r->nv + j] * (large ? 1 : 1e3));
    puts("");
  }
}

// A picture: coupling |M_ij| / sqrt(M_ii M_jj), from nothing to full.
static void print_picture(const demo_robot* r, const double* M)
{
  static const char* const shade[5] = {" ·", "░░", "▒▒", "▓▓", "██"};
  static const double step[4] = {0, 0.03, 0.1, 0.3};
  const int n = r->nv;
  int zeros = 0;
  puts(": |M_ij| / sqrt(M_ii M_jj)");
  for (int i = 0; i < n; i++) {
    print_row_name(r, i);
    printf(" ");
    for (int j = 0; j < n; j++) {
      const double x = fabs(M[i * n + j]) / sqrt(M[i * n + i] * M[j * n + j]);
      int level = 0;
      while (level < 4 && x > step[level]) level++;
      zeros += x == 0;
      printf("%s", shade[level]);
    }
    puts("");
  }
  puts("    ██ above 0.3, ▓▓ above 0.1, ▒▒ above 0.03, ░░ above 0, · exactly 0");
  printf("    %d of %d entries are exactly 0: branches act on each other only through the bodies that carry them\n",
         zeros, n * n);
}

void demo_show_mass_matrix(demo_run* run, const demo_robot* r)
{
  double M[DEMO_MAX * DEMO_MAX];
  demo_keep(run, limb_mass_matrix(r->data, r->start, M));
  if (run->status != LIMB_OK) return;
  demo_print(DEMO_BOLD, "\n  Mass matrix");
  printf(" at the start of that move");
  if (r->nv <= 7) {
    print_numbers(r, M);
  } else {
    print_picture(r, M);
  }
}

// ---- the fall: every robot moves for two seconds without torques; where does its energy go? --------
//
// The energy lost to friction is integrated along the motion: kinetic + gravity + springs + friction must stay
// constant, up to the error of the integrator.

static const double STEP = 1e-3, DURATION = 2; // [s]
static const double BALANCED = 1e-6;           // error of the balance, relative to the energy moved

// A robot on a free base: its centre of mass follows a parabola, and its spin is constant.
typedef struct flight {
  sp_vec3 com, velocity;
  sp_force momentum;
} flight;

static flight flight_of(demo_run* run, const demo_robot* r, const limb_sim_state* x)
{
  flight f = {.com = {0, 0, 0}};
  demo_keep(run, limb_kinematics(r->data, x->q, x->v, NULL));
  demo_keep(run, limb_center_of_mass(r->data, &f.com, &f.velocity, NULL));
  demo_keep(run, limb_momentum(r->data, 1, &f.momentum));
  return f;
}

static void print_flight(demo_run* run, const demo_robot* r, const flight* from, const flight* to)
{
  const sp_vec3 g = limb_model_gravity(r->model), one = from->momentum.m;
  const sp_vec3 path = sp_add3(sp_scale3(DURATION, from->velocity), sp_scale3(DURATION * DURATION / 2, g));
  const double off = sp_norm3(sp_sub3(to->com, sp_add3(from->com, path)));
  const double spin = sp_norm3(sp_sub3(to->momentum.m, one)) / sp_norm3(one);
  printf("    the centre of mass fell %.3f m, %.1e m off the parabola; the spin of %.3f kg m^2/s\n"
         "    changed by %.1e of itself\n",
         from->com.z - to->com.z, off, sp_norm3(one), spin);
  if (!(off <= BALANCED && spin <= BALANCED)) run->findings++;
}

// What a robot has besides kinetic and gravity energy, and whether it flies.
typedef struct traits {
  int springs, friction, flies;
} traits;

static traits traits_of(const limb_model* m)
{
  traits t = {0, 0, 0};
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info info;
    if (limb_get_joint(m, j, &info) != LIMB_OK) continue;
    t.springs |= info.def.stiffness > 0 || info.shaft >= 0;
    t.friction |= info.def.coulomb > 0 || info.def.viscous > 0 || info.shaft >= 0;
    t.flies |= info.def.type == LIMB_FREE;
  }
  return t;
}

static void print_heading(traits has, const char* text)
{
  demo_print(DEMO_BOLD, "\n  Fall");
  printf(": %s\n    %8s %13s %13s", text, "time", "kinetic", "gravity");
  if (has.springs) printf(" %13s", "springs");
  if (has.friction) printf(" %13s", "to friction");
  printf(" %18s\n", "sum");
}

static void print_energies(traits has, double time, const limb_energy* e, double lost, double sum)
{
  printf("    %6.1f s %11.4f J %11.4f J", time, e->kinetic, e->gravity);
  if (has.springs) printf(" %11.4f J", e->springs);
  if (has.friction) printf(" %11.4f J", lost);
  printf(" %16.9f J\n", sum);
}

// Energies at one instant; e and *lost, by friction, are outputs.
static void energy_of(demo_run* run, const demo_robot* r, limb_sim* sim, limb_energy* e, double* lost)
{
  limb_sim_state x = {0};
  limb_sim_summary sum = {0};
  demo_keep(run, limb_sim_now(sim, &x));
  demo_keep(run, limb_sim_summary_of(sim, &sum));
  if (run->status == LIMB_OK) demo_keep(run, limb_energies(r->data, x.q, x.v, NULL, e));
  *lost = 0 - sum.work;
}

static limb_sim* begin_fall(demo_run* run, const demo_robot* r)
{
  limb_sim_options o = limb_default_sim_options(r->model);
  limb_sim* sim = NULL;
  double q[DEMO_MAX];
  o.method = LIMB_SIM_RK4, o.step = STEP, o.work = 1, o.stop = LIMB_STOP_NONE;
  o.stiction = LIMB_STICTION_SMOOTH, o.env.coulomb_width = 0.05;
  demo_keep(run, limb_integrate(r->model, r->start, r->change, 1, q));
  demo_keep(run, limb_sim_create(r->model, &o, NULL, &sim, NULL));
  if (sim) demo_keep(run, limb_sim_start(sim, 0, q, r->fall_v, NULL));
  return sim;
}

static void fall(demo_run* run, const demo_robot* r, limb_sim* sim, traits has)
{
  const int steps = (int)(DURATION / STEP + 0.5), every = steps / 4;
  limb_sim_state x = {0};
  limb_energy begin = {0, 0, 0};
  double moved = 0, drift = 0, lost = 0;
  demo_keep(run, limb_sim_now(sim, &x));
  if (run->status != LIMB_OK) return;
  const flight before = flight_of(run, r, &x);
  energy_of(run, r, sim, &begin, &lost);
  const double first = begin.kinetic + begin.gravity + begin.springs;
  for (int i = 0; i <= steps && run->status == LIMB_OK; i++) {
    limb_energy e = {0, 0, 0};
    if (i > 0) demo_keep(run, limb_sim_advance(sim, i * STEP, NULL));
    energy_of(run, r, sim, &e, &lost);
    const double sum = e.kinetic + e.gravity + e.springs + lost;
    drift = fmax(drift, fabs(sum - first));
    moved = fmax(moved, fmax(e.kinetic, fabs(e.gravity - begin.gravity)));
    if (i % every == 0) print_energies(has, i * STEP, &e, lost, sum);
  }
  if (run->status != LIMB_OK) return;
  printf("    the sum is off by %.1e J at most, %.1e of the energy that moved (%d steps of %.0f ms)\n", drift,
         drift / moved, steps, STEP * 1e3);
  if (!(drift <= BALANCED * moved)) run->findings++;
  demo_keep(run, limb_sim_now(sim, &x));
  const flight after = flight_of(run, r, &x);
  if (has.flies) print_flight(run, r, &before, &after);
}

void demo_show_fall(demo_run* run, const demo_robot* r)
{
  const traits has = traits_of(r->model);
  limb_sim* sim = begin_fall(run, r);
  print_heading(has, r->fall);
  if (sim && run->status == LIMB_OK) fall(run, r, sim, has);
  limb_sim_destroy(sim);
}

// ---- a robot with closed loops: a platform on six legs ----------------------------------------------
//
// What moves, which forces hold it, and how it falls when they stop: in five ways to the same answer.

enum { MAX_COORDINATES = 32, LEGS = 6 };

static const double AGREED = 1e-9;

typedef struct closed_robot {
  limb_model* model;
  limb_loops* loops;
  limb_parallel* parallel;
  double q[MAX_COORDINATES];
} closed_robot;

static void make_closed(demo_run* run, const char* name, closed_robot* r)
{
  limb_error err = {.status = LIMB_OK};
  const limb_assembly how = limb_default_assembly();
  limb_status s = cli_load_built_in(name, &r->model, &err);
  if (s == LIMB_OK) s = limb_loops_create(r->model, LIMB_LOOPS_DENSE, NULL, &r->loops);
  if (s == LIMB_OK) s = limb_parallel_create(r->model, -1, NULL, &r->parallel, &err);
  if (s == LIMB_OK && limb_nq(r->model) > MAX_COORDINATES) s = LIMB_E_MODEL;
  if (s == LIMB_OK) s = limb_start(r->model, r->q);
  if (s == LIMB_OK) s = limb_assemble(r->loops, &how, r->q, NULL);
  demo_keep(run, s);
}

static void show_mobility(demo_run* run, closed_robot* r)
{
  limb_mobility x = {.mobility = 0};
  limb_loop_gap gap = {.place = 0};
  demo_keep(run, limb_mobility_at(r->loops, r->q, NULL, &x));
  demo_keep(run, limb_loop_gap_of(r->loops, r->q, NULL, NULL, &gap));
  demo_print(DEMO_BOLD, "\n  Loops");
  printf(": %d velocities less %d constraints: %d motions, %d motors; closed to %.1e m\n", x.nv, x.rows, x.mobility,
         x.active, gap.place);
}

// Forces of the legs that hold the platform still.
static void show_forces(demo_run* run, closed_robot* r)
{
  static const double none[MAX_COORDINATES] = {0};
  double tau[MAX_COORDINATES] = {0};
  limb_closed_forces out = {.tau = tau};
  const limb_closed_motion rest = {r->q, none, none, NULL};
  demo_keep(run, limb_closed_inverse_dynamics(r->loops, &rest, NULL, NULL, &out));
  demo_print(DEMO_BOLD, "\n  Hold");
  printf(": the motors of the legs give");
  for (int v = 0, shown = 0; v < limb_nv(r->model) && shown < LEGS; v++) {
    if (tau[v] != 0) printf("%s %.2f", shown++ ? "," : "", tau[v]);
  }
  puts(" N");
}

// Ways to the accelerations; auto stands for platform and legs, solved one by one.
static const struct {
  const char* name;
  limb_closed_method method;
} ways[] = {
  {"articulated bodies, loops as joints", LIMB_CLOSED_CLUSTERS},
  {"Schur complement", LIMB_CLOSED_SCHUR},
  {"all equations at once", LIMB_CLOSED_KKT},
  {"proximal iteration", LIMB_CLOSED_PROXIMAL},
  {"platform and legs", LIMB_CLOSED_AUTO},
};

// All accelerations at rest without motors.
static limb_status fall_by(closed_robot* r, limb_closed_method method, double* a)
{
  static const double none[MAX_COORDINATES] = {0};
  const limb_closed_motion rest = {.q = r->q, .v = none};
  limb_closed_options how = limb_default_closed_options();
  how.method = method;
  if (method == LIMB_CLOSED_AUTO) return limb_parallel_forward_dynamics(r->parallel, r->q, none, none, NULL, NULL, a);
  return limb_closed_forward_dynamics(r->loops, &rest, none, &how, a, NULL, NULL);
}

static void show_methods(demo_run* run, closed_robot* r)
{
  double first[MAX_COORDINATES] = {0}, a[MAX_COORDINATES] = {0};
  demo_print(DEMO_BOLD, "\n  Let go");
  puts(": how fast the platform falls");
  demo_keep(run, fall_by(r, ways[0].method, first));
  for (size_t k = 0; k < sizeof ways / sizeof *ways && run->status == LIMB_OK; k++) {
    double off = 0;
    demo_keep(run, fall_by(r, ways[k].method, a));
    for (int v = 0; v < limb_nv(r->model); v++) off = fmax(off, fabs(a[v] - first[v]));
    printf("    %-36s %16.12f m/s^2", ways[k].name,
           -a[5]); // down; the platform's joint comes first
    if (k > 0) printf("   all accelerations within %.1e", off);
    puts("");
    if (!(off <= AGREED)) run->findings++;
  }
}

void demo_show_loops(demo_run* run, int number)
{
  char heading[96];
  closed_robot r = {.model = NULL};
  make_closed(run, "gough_stewart", &r);
  (void)snprintf(heading, sizeof heading, "%d. gough_stewart: a platform on six driven legs", number);
  demo_print(DEMO_BOLD, heading);
  puts("");
  if (run->status == LIMB_OK) show_mobility(run, &r);
  if (run->status == LIMB_OK) show_forces(run, &r);
  if (run->status == LIMB_OK) show_methods(run, &r);
  puts("\n");
  limb_parallel_destroy(r.parallel);
  limb_loops_destroy(r.loops);
  limb_model_destroy(r.model);
}
