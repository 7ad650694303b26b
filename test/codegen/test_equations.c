// Equations of motion as text: the textbook's results, what is read back equals the library, requests that
// cannot be fulfilled.
#include "limb/assemble.h"
#include "limb/codegen.h"

#include "base/memory.h"

#include "codegen/written.h"
#include "support/budget.h"
#include "support/closed.h"
#include "support/robots_impl.h"
#include "support/trial.h"

#define TOL_WRITTEN 1e-11 // numbers are written with thirteen digits in text

static limb_status write_to(const limb_model* m, const limb_equation_options* o, written** out, limb_error* error)
{
  *out = calloc(1, sizeof **out);
  return limb_equations_write(m, o, NULL, written_put, *out, error);
}

// ---- textbooks ------------------------------------------------------------------------------------------

static void assert_lines(const limb_model* m, const char* what, const char* const* line)
{
  limb_equation_options o = limb_default_equation_options();
  written* w;
  o.what = what;
  assert_ok(write_to(m, &o, &w, NULL));
  written_begin(w);
  for (; *line; line++) {
    const char* at = strstr(w->text, *line);
    ck_assert_msg(at && at[strlen(*line)] == '\n', "not there: %s\n%s", *line, w->text);
  }
  written_free(w);
}

// Ghosal 2010, (27): the same terms, put together in the same way.
START_TEST(planar_2r_is_the_textbooks)
{
  if (_i > 0) return;
  limb_model* m = robot_planar_2r();
  assert_lines(m, NULL,
               (const char* const[]){"\nM11 = I1 + I2 + m1*r1^2 + m2*l1^2 + m2*r2^2 + 2*m2*l1*r2*cos(q2)",
                                     "\nM12 = M21 = I2 + m2*r2^2 + m2*l1*r2*cos(q2)", "\nM22 = I2 + m2*r2^2",
                                     "\nC11 = -m2*l1*r2*sin(q2)*v2", "\nC12 = -m2*l1*r2*sin(q2)*(v1 + v2)",
                                     "\nC21 = m2*l1*r2*sin(q2)*v1", "\nC22 = 0",
                                     "\ng1 = m1*g*r1*cos(q1) + m2*g*(l1*cos(q1) + r2*cos(q1 + q2))",
                                     "\ng2 = m2*g*r2*cos(q1 + q2)", NULL});
  assert_lines(
    m, "h,tau",
    (const char* const[]){"\nh1 = -m2*l1*r2*sin(q2)*v2*(2*v1 + v2) + m1*g*r1*cos(q1)"
                          " + m2*g*(l1*cos(q1) + r2*cos(q1 + q2))",
                          "\nh2 = m2*l1*r2*sin(q2)*v1^2 + m2*g*r2*cos(q1 + q2)",
                          "\ntau2 = (I2 + m2*r2^2 + m2*l1*r2*cos(q2))*a1 + (I2 + m2*r2^2)*a2 + m2*l1*r2*sin(q2)*v1^2"
                          " + m2*g*r2*cos(q1 + q2)",
                          NULL});
  limb_model_destroy(m);
}
END_TEST

// Euler's equations of a body that is held at a point, and the moment of its weight by the third row of the rotation.
START_TEST(top_is_the_textbooks)
{
  if (_i > 0) return;
  limb_builder* b = fixture_begin("top");
  fixture_gravity(b, sp_v3(0, 0, -9.81));
  const sp_inertia Y = {.mass = 2, .com = {0, 0, 0.3}, .xx = 0.01, .yy = 0.02, .zz = 0.025};
  (void)fixture_link(b, "top", LIMB_SPHERICAL, LIMB_WORLD_BODY, sp_pose_identity(), sp_v3(0, 0, 1), Y);
  limb_model* m = fixture_end(b);
  assert_lines(m, "M,g,h",
               (const char* const[]){"\nM11 = Ixx1 + m1*r1^2", "\nM33 = Izz1", "\nM12 = M21 = 0",
                                     "\nh3 = -Ixx1*v1*v2 + Iyy1*v1*v2", "\ng1 = -2*m1*g*r1*(q1*q4 + q2*q3)",
                                     "\ng2 = 2*m1*g*r1*(q1*q3 - q2*q4)", "\ng3 = 0", NULL});
  limb_model_destroy(m);
}
END_TEST

// The second axis looks the other way: q1 - q2, and the cosine of q2, not of -q2.
START_TEST(axes_against_each_other)
{
  if (_i > 0) return;
  limb_builder* b = fixture_begin("reversed");
  const double I[6] = {0, 0, 0, 0.1, 0, 0.1};
  const sp_inertia Y = fixture_inertia(2, sp_v3(0.3, 0, 0), I);
  fixture_gravity(b, sp_v3(0, -9.81, 0));
  const int one = fixture_link(b, "1", LIMB_REVOLUTE, LIMB_WORLD_BODY, sp_pose_identity(), sp_v3(0, 0, 1), Y);
  (void)fixture_link(b, "2", LIMB_REVOLUTE, one, fixture_at(0.6, 0, 0), sp_v3(0, 0, -1), Y);
  limb_model* m = fixture_end(b);
  assert_lines(m, NULL,
               (const char* const[]){"\nM11 = I1 + I2 + m1*r1^2 + m2*l1^2 + m2*r2^2 + 2*m2*l1*r2*cos(q2)",
                                     "\nM12 = M21 = -I2 - m2*r2^2 - m2*l1*r2*cos(q2)",
                                     "\nC12 = -m2*l1*r2*sin(q2)*(v1 - v2)", "\ng2 = -m2*g*r2*cos(q1 - q2)", NULL});
  limb_model_destroy(m);
}
END_TEST

// Matrices of amsmath have ten columns: wider ones are written entry by entry.
START_TEST(wide_matrices)
{
  if (_i > 1) return;
  limb_equation_options o = limb_default_equation_options();
  limb_builder* b = fixture_begin("carts");
  const double I[6] = {0};
  written* w;
  for (int k = 0; k < 10 + _i; k++) {
    const char name[2] = {(char)('a' + k), 0};
    (void)fixture_link(b, name, LIMB_PRISMATIC, LIMB_WORLD_BODY, fixture_at(0, k, 0), sp_v3(1, 0, 0),
                       fixture_inertia(1, sp_v3(0, 0, 0), I));
  }
  limb_model* m = fixture_end(b);
  o.what = "M", o.notation = LIMB_NOTATION_LATEX;
  assert_ok(write_to(m, &o, &w, NULL));
  ck_assert_int_eq(strstr(w->text, "bmatrix") != NULL, _i == 0);
  written_free(w);
  limb_model_destroy(m);
}
END_TEST

// Ghosal 2010, the matrices of the four-bar after (32), and Psi.
START_TEST(four_bar_is_the_textbooks)
{
  if (_i > 0) return;
  limb_model* m = closed_four_bar(1, 0.35, 0.9, 0.7);
  assert_lines(m, NULL,
               (const char* const[]){"\nM11 = I1 + I2 + m1*r1^2 + m2*l1^2 + m2*r2^2 + 2*m2*l1*r2*cos(q2)",
                                     "\nM33 = I3 + m3*r3^2", "\nC12 = -m2*l1*r2*sin(q2)*(v1 + v2)",
                                     "\ng3 = m3*g*r3*cos(q3)", "\nPsi11 = l1*sin(q1) + l2*sin(q1 + q2)",
                                     "\nPsi12 = l2*sin(q1 + q2)", "\nPsi13 = -l3*sin(q3)",
                                     "\nPsi21 = -l1*cos(q1) - l2*cos(q1 + q2)", "\nPsi23 = l3*cos(q3)", NULL});
  limb_model_destroy(m);
}
END_TEST

// LaTeX and C have other words for the same.
START_TEST(notations)
{
  if (_i > 0) return;
  limb_model* m = robot_planar_2r();
  limb_equation_options o = limb_default_equation_options();
  written* w;
  o.notation = LIMB_NOTATION_LATEX;
  assert_ok(write_to(m, &o, &w, NULL));
  assert_that(strstr(w->text, "2 m_2 l_1 r_2 c_2 & I_2 + m_2 r_2^2 + m_2 l_1 r_2 c_2 \\\\\n"));
  assert_that(strstr(w->text, "-m_2 l_1 r_2 s_2 (\\dot{q}_1 + \\dot{q}_2)"));
  assert_that(strstr(w->text, "$c_{12}$ & & $\\cos(q_1 + q_2)$"));
  written_free(w);
  o.notation = LIMB_NOTATION_C;
  assert_ok(write_to(m, &o, &w, NULL));
  assert_that(strstr(w->text, "  const double c12 = cos(q[0] + q[1]);\n"));
  assert_that(strstr(w->text, "  M[3] = I2 + m2*r2*r2;\n"));
  assert_that(strstr(w->text, "static const double m1 = 12.456; /* [kg] mass of "));
  written_free(w);
  limb_model_destroy(m);
}
END_TEST

static written* notation_of(const limb_model* m, limb_notation notation, const char* what, int numbers)
{
  limb_equation_options o = limb_default_equation_options();
  written* w;
  o.notation = notation, o.what = what, o.numbers = numbers;
  assert_ok(write_to(m, &o, &w, NULL));
  return w;
}

static void assert_has(const limb_model* m, limb_notation notation, const char* what, const char* words)
{
  written* w = notation_of(m, notation, what, 0);
  ck_assert_msg(strstr(w->text, words), "not there: %s\n%s", words, w->text);
  written_free(w);
}

// With loops, M a + C v + g is tau + Psi^T lambda, in every notation.
START_TEST(forces_of_loops)
{
  if (_i > 0) return;
  limb_model* m = closed_four_bar(1, 0.35, 0.9, 0.7);
  assert_has(m, LIMB_NOTATION_TEXT, "tau", "\ntau3 + (Psi^T lambda)3 = (I3 + m3*r3^2)*a3 + m3*g*r3*cos(q3)\n");
  assert_has(m, LIMB_NOTATION_LATEX, "tau", "\n\\tau + \\Psi^T \\lambda &= \\begin{bmatrix}\n");
  assert_has(m, LIMB_NOTATION_C, "tau", "\n/* tau + Psi^T lambda: what motors and loops apply together */\nvoid ");
  assert_has(m, LIMB_NOTATION_C, "tau",
             "_tau_and_loops(const double q[3], const double v[3], const double a[3], "
             "double tau_and_loops[3])\n");
  assert_has(m, LIMB_NOTATION_C, "tau", "\n  tau_and_loops[2] = (I3 + m3*r3*r3)*a[2]");
  limb_model_destroy(m);
  m = robot_planar_2r();
  assert_has(m, LIMB_NOTATION_TEXT, "tau", "\ntau2 = ");
  assert_has(m, LIMB_NOTATION_C, "tau", "_tau(");
  limb_model_destroy(m);
}
END_TEST

// Whose axes x, y and z are is said once where symbols are explained, and not where there are none.
START_TEST(axes_of_symbols)
{
  if (_i > 0) return;
  static const char* const lines[] = {"\n  x, y, z: axes of the compiled links (limb info MODEL --mdh)",
                                      "\n$x$, $y$, $z$ & & axes of the compiled links ",
                                      "\n   x, y, z: axes of the compiled links (limb info MODEL"};
  limb_model* m = robot_planar_2r();
  for (int k = 0; k < 3; k++) {
    written *w = notation_of(m, (limb_notation)k, NULL, 0), *numbers = notation_of(m, (limb_notation)k, NULL, 1);
    const char* at = strstr(w->text, lines[k]);
    ck_assert_msg(at && !strstr(at + 1, lines[k]), "%s", w->text);
    assert_that(!strstr(numbers->text, "axes"));
    written_free(w), written_free(numbers);
  }
  limb_model_destroy(m);
}
END_TEST

// More than three zeros are one line, in C as well; a few are written.
START_TEST(many_zeros)
{
  if (_i > 0) return;
  limb_model* m = closed_four_bar(1, 0.35, 0.9, 0.7);
  assert_has(m, LIMB_NOTATION_TEXT, "C", "\nC21 = m2*l1*r2*sin(q2)*v1\nall other entries of C are 0\n");
  assert_has(m, LIMB_NOTATION_TEXT, "M", "\nM13 = M31 = 0\n");
  assert_has(m, LIMB_NOTATION_C, "C",
             "  for (int i = 0; i < 9; i++) C[i] = 0; /* all but those below */\n"
             "  C[0] = -m2*l1*r2*s2*v[1];\n");
  written* w = notation_of(m, LIMB_NOTATION_TEXT, NULL, 0);
  assert_that(!strstr(w->text, "\nC13 = 0\n"));
  written_free(w);
  limb_model_destroy(m);
}
END_TEST

// ---- read back --------------------------------------------------------------------------------------------

static bool has_dense_joint(const limb_model* m)
{
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info x;
    assert_ok(limb_get_joint(m, j, &x));
    if (x.def.type == LIMB_SPHERICAL || x.def.type == LIMB_FREE) return true;
  }
  return false;
}

static void compare(trial* t, written* w, const char* what)
{
  const int n = t->nv;
  const size_t square = (size_t)n * (size_t)n;
  double *ours = trial_doubles(t, square), *theirs = trial_doubles(t, square);
  written_vector(w, 'q', t->q, t->nq);
  written_vector(w, 'v', t->v, n);
  written_vector(w, 'a', t->a, n);
  written_evaluate(w);
  if (strchr(what, 'M')) {
    assert_ok(limb_mass_matrix(t->d, t->q, theirs));
    written_matrix(w, "M", n, n, ours);
    assert_close_matrix(ours, theirs, n, n, TOL_WRITTEN, 1e-13);
  }
  if (strchr(what, 'C')) {
    assert_ok(limb_coriolis_matrix(t->d, t->q, t->v, theirs));
    written_matrix(w, "C", n, n, ours);
    assert_close_matrix(ours, theirs, n, n, TOL_WRITTEN, 1e-13);
  }
  if (strchr(what, 'h')) {
    assert_ok(limb_bias_forces(t->d, t->q, t->v, NULL, theirs));
    written_matrix(w, "h", n, 0, ours);
    assert_close_array(ours, theirs, n, TOL_WRITTEN, 1e-12);
    assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, NULL, theirs));
    written_matrix(w, "tau", n, 0, ours);
    assert_close_array(ours, theirs, n, TOL_WRITTEN, 1e-12);
  }
  assert_ok(limb_gravity_forces(t->d, t->q, NULL, theirs));
  written_matrix(w, "g", n, 0, ours);
  assert_close_array(ours, theirs, n, TOL_WRITTEN, 1e-12);
}

static void read_back(trial* t)
{
  const bool dense = has_dense_joint(t->m);
  const char* const lists[] = {dense ? "M,g,h,tau" : "M,C,g,h,tau", "g"};
  for (int k = 0; k < 4; k++) {
    limb_equation_options o = limb_default_equation_options();
    limb_error error = {0};
    written* w;
    o.what = lists[k / 2], o.numbers = k % 2;
    o.max_terms = 800;
    const limb_status s = write_to(t->m, &o, &w, &error);
    if (s == LIMB_OK) {
      written_begin(w);
      compare(t, w, o.what);
    } else { // why, and not a word of it
      assert_status(s, LIMB_E_UNSUPPORTED);
      assert_that(strstr(error.text, "limb codegen"));
      assert_that(w->size == 0);
      assert_that(t->nv > 5);
    }
    written_free(w);
  }
}

START_TEST(what_is_written_is_the_library) { trial_over(_i, 1, read_back); }
END_TEST

// ---- loops ------------------------------------------------------------------------------------------------

// Rank by orthogonal rows.
static int rank_of(double* A, int rows, int n)
{
  int rank = 0;
  for (int i = 0; i < rows; i++) {
    double square = 0;
    for (int k = 0; k < rank; k++) {
      double along = 0;
      for (int j = 0; j < n; j++) along += A[k * n + j] * A[i * n + j];
      for (int j = 0; j < n; j++) A[i * n + j] -= along * A[k * n + j];
    }
    for (int j = 0; j < n; j++) square += A[i * n + j] * A[i * n + j];
    if (sqrt(square) < 1e-8) continue;
    for (int j = 0; j < n; j++) A[rank * n + j] = A[i * n + j] / sqrt(square);
    rank++;
  }
  return rank;
}

static bool has_entry(const written* w, int i, int j)
{
  char name[WRITTEN_NAME];
  (void)snprintf(name, sizeof name, strstr(w->text, "\nPsi1_") ? "Psi%d_%d" : "Psi%d%d", i + 1, j + 1);
  return written_find(w, name);
}

// Velocities that close the loops are those that Psi turns to zero.
static void check_rows(const closed_case* c, written* w)
{
  const int n = limb_nv(c->m), most = limb_constraint_count(c->m);
  double* Psi = calloc((size_t)(most * n) + 1, sizeof *Psi);
  limb_data* loops;
  limb_mobility x;
  int rows = 0;
  written_vector(w, 'q', c->q, limb_nq(c->m));
  written_vector(w, 'v', c->v, n);
  written_evaluate(w);
  for (bool there = true; there && rows <= most;) { // no row is zero: some entry of each is there
    there = false;
    for (int j = 0; j < n && !there; j++) there = has_entry(w, rows, j);
    rows += there;
  }
  assert_that(rows <= most);
  written_matrix(w, "Psi", rows, n, Psi);
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += Psi[i * n + j] * c->v[j];
    assert_close(sum, 0, 0, 1e-9);
  }
  assert_ok(limb_data_create(c->m, NULL, &loops));
  assert_ok(limb_mobility_at(loops, c->q, NULL, &x));
  ck_assert_int_eq(rank_of(Psi, rows, n), x.rank);
  limb_data_destroy(loops);
  free(Psi);
}

START_TEST(rows_of_closures)
{
  if (_i > 0) return;
  int done = 0;
  for (int k = 0; k < closed_count(); k++) {
    limb_error error = {0};
    written* w;
    closed_case c = closed_make(k, 5);
    check_at("%s", c.name);
    limb_equation_options o = limb_default_equation_options();
    o.what = "Psi", o.max_terms = 300;
    const limb_status s = write_to(c.m, &o, &w, &error);
    if (s == LIMB_OK) {
      written_begin(w);
      check_rows(&c, w);
      done++;
    } else if (c.flags & CLOSED_LAW) {
      assert_status(s, LIMB_E_UNSUPPORTED);
    } else {
      assert_status(s, LIMB_E_UNSUPPORTED);
      assert_that(strstr(error.text, "limb codegen"));
      assert_that(c.flags & CLOSED_NONHOLONOMIC || limb_nv(c.m) > 12);
    }
    written_free(w);
    closed_free(&c);
  }
  ck_assert_int_ge(done, 6);
}
END_TEST

// ---- requests ---------------------------------------------------------------------------------------------

static void refused(const limb_model* m, limb_equation_options o, limb_status want, const char* word)
{
  limb_error error = {0};
  written* w;
  assert_status(write_to(m, &o, &w, &error), want);
  ck_assert_msg(strstr(error.text, word), "%s", error.text);
  assert_that(w->size == 0);
  written_free(w);
}

START_TEST(bad_requests)
{
  if (_i > 0) return;
  limb_model *m = robot_planar_2r(), *large = robot_panda(), *base = robot_quadruped();
  const limb_equation_options plain = limb_default_equation_options();
  limb_equation_options o = plain;
  written* w = calloc(1, sizeof *w);
  assert_status(limb_equations_write(NULL, NULL, NULL, written_put, w, NULL), LIMB_E_ARG);
  assert_status(limb_equations_write(m, NULL, NULL, NULL, w, NULL), LIMB_E_ARG);
  const limb_allocator half = {NULL, NULL, NULL};
  assert_status(limb_equations_write(m, NULL, &half, written_put, w, NULL), LIMB_E_ARG);
  assert_that(w->size == 0);
  written_free(w);
  static const char* const lists[][2] = {
    {"", "an empty word; use M, C, g, h, tau, T, U, L, christoffel, Psi and Psidot"},
    {" ", "an empty word"},
    {"M,", "an empty word"},
    {"M,,C", "an empty word"},
    {"M;C", "no quantity is called 'M;C'; use M, C, g, h, tau, T, U, L, christoffel, Psi or Psidot"},
    {"M,mass", "no quantity is called 'mass'; use M,"},
    {"m", "no quantity is called 'm'; did you mean 'M'?"},
    {"M,TAU", "no quantity is called 'TAU'; did you mean 'tau'?"},
    {"psi", "no quantity is called 'psi'; did you mean 'Psi'?"},
    {"M,M", "'M' is named twice"},
    {"tau, g ,tau ", "'tau' is named twice"},
    {"a_name_of_more_than_forty_letters_that_nothing_has", "no quantity is called 'a_name_of"},
    {"Psi", "no loops"}};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
    o.what = lists[k][0];
    refused(m, o, LIMB_E_ARG, lists[k][1]);
  }
  o = plain, o.notation = (limb_notation)3;
  refused(m, o, LIMB_E_ARG, "notation");
  o = plain, o.max_terms = 0;
  refused(m, o, LIMB_E_ARG, "terms");
  o = plain, o.size = 3;
  refused(m, o, LIMB_E_ARG, "options");
  o = plain, o.max_terms = 3;
  refused(m, o, LIMB_E_UNSUPPORTED, "more than 3 terms");
  refused(large, plain, LIMB_E_UNSUPPORTED, "limb codegen");
  refused(base, plain, LIMB_E_UNSUPPORTED, "more than 2000 terms");
  o = plain, o.what = "C";
  refused(base, o, LIMB_E_UNSUPPORTED, "C has no symbols here");
  o.what = "M,christoffel";
  refused(base, o, LIMB_E_UNSUPPORTED, "ask for h");
  limb_model_destroy(m), limb_model_destroy(large), limb_model_destroy(base);
}
END_TEST

// Wherever memory ends, it is said, nothing is written, and all of it comes back.
START_TEST(no_memory)
{
  if (_i > 0) return;
  limb_model* m = closed_four_bar(1, 0.35, 0.9, 0.7);
  int left = 0;
  for (limb_status s = LIMB_E_NOMEM; s != LIMB_OK; left++) {
    written* w = calloc(1, sizeof *w);
    budget b = {limb_default_allocator(), left, 0};
    limb_error error = {0};
    const limb_allocator alloc = {budget_alloc, budget_free, &b};
    s = limb_equations_write(m, NULL, &alloc, written_put, w, &error);
    if (s != LIMB_OK) {
      assert_status(s, LIMB_E_NOMEM);
      assert_that(w->size == 0 && strstr(error.text, "memory"));
    }
    ck_assert_int_eq(b.live, 0);
    ck_assert_int_lt(left, 1000);
    written_free(w);
  }
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("codegen/equations", trial_robots(), planar_2r_is_the_textbooks, top_is_the_textbooks,
           axes_against_each_other, wide_matrices, four_bar_is_the_textbooks, notations, forces_of_loops,
           axes_of_symbols, many_zeros, what_is_written_is_the_library, rows_of_closures, bad_requests, no_memory)
