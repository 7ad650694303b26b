// Fixture robots with loops: the table, and states that close them.
#include "support/closed.h"

#include "support/closed_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- shorthand --------------------------------------------------------------------------------------

int closed_add(limb_builder* b, const closed_link* link)
{
  const int body = fixture_body(b, link->name, link->inertia);
  limb_joint_def def = limb_default_joint_def(link->name, link->type, link->parent, body);
  def.placement = link->placement;
  def.axis = link->axis, def.axis2 = link->axis2;
  def.start = link->start;
  def.drive = link->active ? LIMB_DRIVE_ACTIVE : LIMB_DRIVE_PASSIVE;
  fixture_joint(b, &def);
  return body;
}

void closed_add_loop(limb_builder* b, const limb_loop_def* def)
{
  limb_error err = {0};
  fixture_ok(limb_builder_add_loop(b, def, NULL, &err), &err);
}

void closed_join(limb_builder* b, const char* name, limb_loop_kind kind, int body_a, sp_pose a, int body_b, sp_pose bb)
{
  limb_loop_def def = limb_default_loop_def(name, kind, body_a, body_b);
  def.pose_a = a, def.pose_b = bb;
  closed_add_loop(b, &def);
}

// ---- equations by orthogonal rows -------------------------------------------------------------------

typedef struct equations {
  int rows, columns;
  double *A, *b; // A x = b
  unsigned char* used;
} equations;

static equations equations_of(const limb_model* m)
{
  const int rows = limb_constraint_count(m), columns = limb_nv(m);
  equations e = {rows, columns, numbers(rows * columns), numbers(rows), calloc((size_t)rows + 1, 1)};
  if (!e.used) abort();
  return e;
}

static void free_equations(equations* e)
{
  free(e->A);
  free(e->b);
  free(e->used);
}

static double dot(int n, const double* x, const double* y)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// The longest row that is left; -1: what is left is rounding.
static int longest(const equations* e, double least)
{
  int best = -1;
  double length = least;
  for (int i = 0; i < e->rows; i++) {
    const double* row = &e->A[(size_t)i * (size_t)e->columns];
    const double l = e->used[i] ? 0 : sqrt(dot(e->columns, row, row));
    if (l > length) best = i, length = l;
  }
  return best;
}

// x becomes the nearest solution of those rows that do not depend on others, by Gram and Schmidt with the
// longest row first. Rows of A change with their b: orthogonal, of unit length.
static void nearest_solution(equations* e, double* x)
{
  const int n = e->columns;
  double greatest = 0;
  for (int i = 0; i < e->rows * n; i++) greatest = fmax(greatest, fabs(e->A[i]));
  for (int k = longest(e, 1e-8 * greatest); k >= 0; k = longest(e, 1e-8 * greatest)) {
    double* row = &e->A[(size_t)k * (size_t)n];
    const double length = sqrt(dot(n, row, row));
    for (int j = 0; j < n; j++) row[j] /= length;
    e->b[k] /= length;
    e->used[k] = 1;
    const double miss = e->b[k] - dot(n, row, x);
    for (int j = 0; j < n; j++) x[j] += miss * row[j];
    for (int i = 0; i < e->rows; i++) {
      double* other = &e->A[(size_t)i * (size_t)n];
      const double c = e->used[i] ? 0 : dot(n, row, other);
      for (int j = 0; j < n; j++) other[j] -= c * row[j];
      e->b[i] -= c * e->b[k];
    }
  }
}

// ---- states -----------------------------------------------------------------------------------------

static limb_data* workspace_of(const limb_model* m)
{
  limb_data* d = NULL;
  fixture_ok(limb_data_create(m, NULL, &d), NULL);
  return d;
}

static void leave_out_nonholonomic(const limb_model* m, equations* e)
{
  for (int l = 0; l < limb_loop_count(m); l++) {
    limb_loop_info info;
    fixture_ok(limb_get_loop(m, l, &info), NULL);
    for (int r = info.holonomic; r < info.nconstraint; r++) e->used[info.constraint + r] = 1;
  }
}

static double largest(int n, const double* x)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// One step; the residual before it.
static double newton_step(const limb_model* m, limb_data* w, double* q)
{
  equations e = equations_of(m);
  double* step = numbers(e.columns);
  fixture_ok(limb_loop_equations_at(w, q, NULL, NULL, &(limb_loop_equations){.residual = e.b, .Psi = e.A}), NULL);
  const double residual = largest(e.rows, e.b);
  for (int i = 0; i < e.rows; i++) e.b[i] = -e.b[i];
  leave_out_nonholonomic(m, &e);
  nearest_solution(&e, step);
  const double length = largest(e.columns, step);
  if (residual > 1e-14) fixture_ok(limb_integrate(m, q, step, length > 0.3 ? 0.3 / length : 1, q), NULL);
  free(step);
  free_equations(&e);
  return residual;
}

int closed_close(const limb_model* m, double* q)
{
  limb_data* w = workspace_of(m);
  double residual = 1, before = 2;
  for (int k = 0; k < 100 && (residual > 1e-13 || residual < before); k++) {
    before = residual;
    residual = newton_step(m, w, q);
  }
  limb_loop_gap gap = {0};
  fixture_ok(limb_loop_gap_of(w, q, NULL, NULL, &gap), NULL);
  limb_data_destroy(w);
  return gap.position <= 1e-13;
}

// The nearest x with Psi x = b, b = s' or gamma.
static void consistent(const limb_model* m, const double* q, const double* v, double* x)
{
  limb_data* w = workspace_of(m);
  for (int again = 0; again < 3; again++) { // what rounding left
    equations e = equations_of(m);
    const limb_loop_equations out = {NULL, e.A, v ? NULL : e.b, v ? e.b : NULL};
    fixture_ok(limb_loop_equations_at(w, q, v, NULL, &out), NULL);
    nearest_solution(&e, x);
    free_equations(&e);
  }
  limb_data_destroy(w);
}

void closed_velocity(const closed_case* c, uint64_t seed, double* v)
{
  rng r = {seed};
  rng_fill(&r, 2, limb_nv(c->m), v);
  consistent(c->m, c->q, NULL, v);
}

void closed_acceleration(const closed_case* c, uint64_t seed, double* a)
{
  rng r = {seed + 1};
  rng_fill(&r, 5, limb_nv(c->m), a);
  consistent(c->m, c->q, c->v, a);
}

// ---- the table --------------------------------------------------------------------------------------

static limb_model* usual_four_bar(void) { return closed_four_bar(1, 0.35, 0.9, 0.7); }

static const struct {
  const char* name;
  limb_model* (*make)(void); // NULL: random
  int bodies;
  unsigned flags;
} table[] = {{"four_bar", usual_four_bar, 0, 0},
             {"four_bar_tilted", closed_four_bar_tilted, 0, 0},
             {"five_bar", closed_five_bar, 0, 0},
             {"slider_crank", closed_slider_crank, 0, 0},
             {"3rrr", closed_3rrr, 0, 0},
             {"gear_pair", closed_gear_pair, 0, 0},
             {"bennett", closed_bennett, 0, CLOSED_REDUNDANT},
             {"gough_stewart", closed_gough_stewart, 0, CLOSED_FREE_BASE},
             {"ladder", closed_ladder5, 0, 0},
             {"floating", closed_floating, 0, CLOSED_FREE_BASE},
             {"rolling_disc", closed_rolling_disc, 0, CLOSED_NONHOLONOMIC | CLOSED_FREE_BASE},
             {"sled", closed_sled, 0, CLOSED_NONHOLONOMIC},
             {"diff_drive", closed_diff_drive, 0, CLOSED_NONHOLONOMIC | CLOSED_REDUNDANT},
             {"driven_arm", closed_driven_arm, 0, CLOSED_LAW},
             {"random", NULL, 14, CLOSED_RANDOM | CLOSED_NONHOLONOMIC},
             {"random_mimic", NULL, 20, CLOSED_RANDOM | CLOSED_NONHOLONOMIC | CLOSED_MIMIC},
             {"random_redundant", NULL, 18, CLOSED_RANDOM | CLOSED_NONHOLONOMIC | CLOSED_REDUNDANT},
             {"random_large", NULL, 40, CLOSED_RANDOM | CLOSED_NONHOLONOMIC}};

int closed_count(void) { return (int)(sizeof table / sizeof table[0]); }

// Near the start, elsewhere for every seed.
static int close_near_start(closed_case* c, rng* r)
{
  const int nv = limb_nv(c->m);
  double* step = numbers(nv);
  for (int attempt = 0; attempt < 20; attempt++) {
    fixture_ok(limb_start(c->m, c->q), NULL);
    rng_fill(r, 0.15, nv, step);
    fixture_ok(limb_integrate(c->m, c->q, step, 1, c->q), NULL);
    if (closed_close(c->m, c->q)) {
      free(step);
      return 1;
    }
  }
  free(step);
  return 0;
}

closed_case closed_make(int which, uint64_t seed)
{
  closed_case c = {table[which].name, NULL, NULL, NULL, table[which].flags};
  rng r = {seed};
  if (table[which].make) {
    c.m = table[which].make();
    c.q = numbers(limb_nq(c.m));
    if (!close_near_start(&c, &r)) {
      fprintf(stderr, "broken fixture: %s: does not close\n", c.name);
      abort();
    }
  } else {
    c.m = closed_random(seed + 77, table[which].bodies, c.flags, &c.q);
    if (!closed_close(c.m, c.q)) {
      fprintf(stderr, "broken fixture: %s: seed %llu does not close\n", c.name, (unsigned long long)seed);
      abort();
    }
  }
  c.v = numbers(limb_nv(c.m));
  closed_velocity(&c, rng_next(&r), c.v);
  return c;
}

closed_case closed_find(const char* name, uint64_t seed)
{
  for (int k = 0; k < closed_count(); k++) {
    if (!strcmp(table[k].name, name)) return closed_make(k, seed);
  }
  fprintf(stderr, "broken fixture: no closed robot %s\n", name);
  abort();
}

void closed_free(closed_case* c)
{
  limb_model_destroy(c->m);
  free(c->q);
  free(c->v);
}
