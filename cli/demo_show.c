// Sections of the demonstration: what the compiler did, torques along a trajectory, the mass matrix.
#include "demo.h"

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
    if (s != LIMB_OK || (int)note.kind != kind) continue;
    if (count++ == 0) *first = note;
  }
  return count;
}

void demo_show_compiled(demo_run* run, const demo_robot* r)
{
  const limb_model* m = r->model;
  printf("  %d bodies, %d joints, %d degrees of freedom, %.3f kg; a workspace takes %zu bytes\n",
         limb_body_count(m) - 1, limb_joint_count(m), r->nv, limb_total_mass(m), limb_data_size(m));
  for (int k = 0; limb_note_kind_name((limb_note_kind)k); k++) {
    limb_note first = {LIMB_NOTE_MERGED, "", ""};
    const int count = count_notes(run, m, k, &first);
    if (count == 0) continue;
    const int length = (int)strcspn(first.text, ";"); // what was done; why comes after
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

static void print_torque(const demo_robot* r, int k, double tau[INSTANTS][DEMO_MOST], double most)
{
  char name[32] = "";
  const char* unit = "";
  double line[INSTANTS];
  for (int i = 0; i < INSTANTS; i++) line[i] = fabs(tau[i][k]) > 1e-9 * most ? tau[i][k] : 0;
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
  double tau[INSTANTS][DEMO_MOST], most = 0;
  for (int i = 0; i < INSTANTS; i++) {
    double s[3], q[DEMO_MOST], v[DEMO_MOST], a[DEMO_MOST];
    quintic(i / (double)(INSTANTS - 1), s);
    for (int k = 0; k < r->nv; k++) {
      v[k] = r->change[k] * s[1] / duration;
      a[k] = r->change[k] * s[2] / (duration * duration);
    }
    demo_keep(run, limb_integrate(r->model, r->start, r->change, s[0], q));
    demo_keep(run, limb_inverse_dynamics(r->data, q, v, a, NULL, tau[i]));
    if (run->status != LIMB_OK) return;
    for (int k = 0; k < r->nv; k++) most = fmax(most, fabs(tau[i][k]));
  }
  demo_print(DEMO_BOLD, "\n  Torques");
  printf(": %s, %.1f s from rest to rest\n    %-10s", r->move, duration, "");
  for (int c = 0; c < COLUMNS; c++) printf(" %6.1f s", duration * c / (COLUMNS - 1));
  puts("");
  for (int k = 0; k < r->rows && k < r->nv; k++) print_torque(r, k, tau, most);
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
  double most = 0;
  for (int i = 0; i < r->nv; i++) most = fmax(most, M[i * r->nv + i]);
  const int large = most > 0.1;
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
  printf("    %d of %d entries are exactly 0: branches feel each other only through what carries them\n", zeros, n * n);
}

void demo_show_mass_matrix(demo_run* run, const demo_robot* r)
{
  double M[DEMO_MOST * DEMO_MOST];
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
