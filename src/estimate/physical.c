// Parameters that rigid bodies can have: the same equations in all standard parameters, and a divergence from the model
// as it was that grows without bound where an inertia stops being physical.
//
// Reference: T. Lee, P. Wensing, F. Park, Geometric robot dynamic identification: a convex programming approach, IEEE
//            Trans. Robotics 36(2), 2020; S. Boyd, L. Vandenberghe, Convex optimization, 2004, section 9.5 (Newton's
//            method).
// Cost:      some ten steps of n u^2 + u^3 / 3, for u parameters; six weights, each on five folds and on the whole.
//
//   min over u = (theta, friction):  |R M u - z|^2 / 2 + g sum D(P_b, P0_b) - B sum log p,     M = [K 0; 0 1]
//
// p are rotor inertias and coefficients of friction, which are positive. g is chosen by cross-validation.
#include "estimate/physical_impl.h"

#include "base/status.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 60, NEAR_WALLS = 4 };

static const double BARRIER = 1e-2, FIRST_BARRIER = 1e4, SMALLEST = 1e-6;

// ---- the problem ------------------------------------------------------------------------------------------

static double distance_to(const half_space* w, const double* u)
{
  double sum = w->c;
  for (int k = 0; k < 4; k++) sum += w->a[k] * u[w->first + k];
  return sum;
}

double limb_physical_divergence(const physical* p)
{
  double sum = 0;
  for (int b = 0; b < p->bodies; b++) {
    const matrix4 P = limb_pseudo_inertia(p->u + (ptrdiff_t)b * BODY);
    matrix4 inverse;
    double log_det, log_prior;
    if (!p->free[b * BODY] || !limb_pseudo_invert(&P, &inverse, &log_det) ||
        !limb_pseudo_invert(&p->prior[b], &inverse, &log_prior))
      continue;
    sum += limb_pseudo_trace(&p->prior[b], &P) - log_det - log_prior - 4;
  }
  return sum;
}

// Value at u.
double limb_physical_value(const physical* p, const double* u)
{
  const int n = p->x->n;
  double value = 0;
  for (int b = 0; b < p->bodies; b++) {
    if (!p->free[b * BODY]) continue;
    const matrix4 P = limb_pseudo_inertia(u + (ptrdiff_t)b * BODY);
    matrix4 inverse;
    double log_det;
    if (!limb_pseudo_invert(&P, &inverse, &log_det)) return HUGE_VAL;
    value += p->weight * (limb_pseudo_trace(&p->prior[b], &P) - log_det);
  }
  for (int k = 0; k < p->nu; k++) {
    if (!p->sign[k]) continue;
    if (!(u[k] > 0)) return HUGE_VAL;
    value -= p->barrier * log(u[k]);
  }
  for (int w = 0; w < p->walls; w++) {
    const double distance = distance_to(&p->wall[w], u);
    if (!(distance > 0)) return HUGE_VAL;
    value -= p->barrier * log(distance);
  }
  for (int i = 0; i < n; i++) {
    double r = -p->z[i];
    for (int k = 0; k < p->nu; k++) r += p->A[i + (ptrdiff_t)k * n] * u[k];
    value += r * r / 2, p->residual[i] = r;
  }
  return value;
}

// Gradient and Hessian of the divergence of one body.
static void add_divergence(physical* p, int body)
{
  const ptrdiff_t first = (ptrdiff_t)body * BODY;
  if (p->free[first])
    limb_pseudo_divergence(&p->prior[body], p->u + first, p->weight, p->g + first, p->H + first + first * p->nu, p->nu);
}

// Gradient and Hessian of -B log(a . u + c).
static void add_wall(physical* p, const half_space* w)
{
  const double distance = distance_to(w, p->u);
  for (int k = 0; k < 4; k++) {
    p->g[w->first + k] -= p->barrier * w->a[k] / distance;
    for (int l = 0; l < 4; l++)
      p->H[w->first + k + (ptrdiff_t)(w->first + l) * p->nu] += p->barrier * w->a[k] * w->a[l] / distance / distance;
  }
}

// g and H at u, whose residual is known. What is no variable has a unit row.
static void differentiate(physical* p)
{
  const int n = p->x->n, nu = p->nu;
  for (int k = 0; k < nu; k++) {
    const double* a = p->A + (ptrdiff_t)k * n;
    p->g[k] = 0;
    for (int i = 0; i < n; i++) p->g[k] += a[i] * p->residual[i];
  }
  memcpy(p->H, p->gram, (size_t)nu * (size_t)nu * sizeof *p->H);
  for (int b = 0; b < p->bodies; b++) add_divergence(p, b);
  for (int w = 0; w < p->walls; w++) add_wall(p, &p->wall[w]);
  for (int k = 0; k < nu; k++) {
    if (p->sign[k]) p->g[k] -= p->barrier / p->u[k], p->H[k + (ptrdiff_t)k * nu] += p->barrier / p->u[k] / p->u[k];
    if (p->free[k]) continue;
    p->g[k] = 0;
    for (int l = 0; l < nu; l++) p->H[k + (ptrdiff_t)l * nu] = p->H[l + (ptrdiff_t)k * nu] = k == l;
  }
}

// Newton's direction, in g: H with a unit diagonal, so that units do not matter, and a trace of it where nothing else
// determines a parameter, such as an offset that the motion hides.
static bool direction(physical* p)
{
  const int nu = p->nu;
  for (int k = 0; k < nu; k++) {
    const double diagonal = p->H[k + (ptrdiff_t)k * nu];
    p->scale[k] = diagonal > 0 ? 1 / sqrt(diagonal) : 1;
  }
  for (int k = 0; k < nu; k++) {
    for (int l = 0; l < nu; l++) p->H[k + (ptrdiff_t)l * nu] *= p->scale[k] * p->scale[l];
    p->H[k + (ptrdiff_t)k * nu] += 1e-10;
    p->g[k] *= -p->scale[k];
  }
  if (!limb_cholesky(nu, p->H)) return false;
  limb_cholesky_solve(nu, p->H, p->g);
  for (int k = 0; k < nu; k++) p->g[k] *= p->scale[k];
  return true;
}

// Damped Newton from u.
static limb_status descend(physical* p)
{
  double value = limb_physical_value(p, p->u);
  for (int step = 0; step < (p->walls ? NEAR_WALLS : 1) * MAX_STEPS; step++) {
    differentiate(p);
    double slope = 0;
    memcpy(p->next, p->g, (size_t)p->nu * sizeof *p->g);
    if (!direction(p)) return LIMB_E_SINGULAR;
    for (int k = 0; k < p->nu; k++) slope += p->next[k] * p->g[k];
    if (-slope < 1e-10 * (1 + fabs(value))) return LIMB_OK;
    double other = HUGE_VAL, t = 2;
    do {
      t /= 2;
      if (t < 1e-12) return LIMB_OK; // less than rounding
      for (int k = 0; k < p->nu; k++) p->next[k] = p->u[k] + t * p->g[k];
      other = limb_physical_value(p, p->next);
    } while (!(other <= value + 1e-4 * t * slope));
    if (!(other < value)) return LIMB_OK; // the same but for rounding
    value = other;
    memcpy(p->u, p->next, (size_t)p->nu * sizeof *p->u);
  }
  return LIMB_E_NOCONV;
}

// Towards walls by smaller and smaller barriers.
limb_status limb_physical_minimise(physical* p)
{
  limb_status s = LIMB_OK;
  for (p->barrier = p->walls ? FIRST_BARRIER : BARRIER; p->barrier > 2 * BARRIER && s == LIMB_OK;) {
    s = descend(p);
    if (s == LIMB_E_NOCONV) s = LIMB_OK; // the next one goes on
    p->barrier = fmax(p->barrier / 10, BARRIER);
  }
  return s == LIMB_OK ? descend(p) : s;
}

// A = R M, A' A, z of a triangle.
void limb_physical_equations(physical* p, const limb_triangle* t)
{
  const int n = p->x->n, nb = p->x->nb;
  const ptrdiff_t size = n + 1;
  const double* K = limb_base_matrix(p->x->base);
  for (int k = 0; k < p->nu; k++) {
    double* a = p->A + (ptrdiff_t)k * n;
    memset(a, 0, (size_t)n * sizeof *a);
    for (int j = 0; j < nb && k < p->np; j++)
      for (int i = 0; i <= j && K[(ptrdiff_t)j * p->np + k] != 0; i++)
        a[i] += t->R[i + j * size] * K[(ptrdiff_t)j * p->np + k];
    for (int i = 0; i < n && k >= p->np; i++) a[i] = i <= nb + k - p->np ? t->R[i + (nb + k - p->np) * size] : 0;
  }
  memcpy(p->z, t->R + n * size, (size_t)n * sizeof *p->z);
  for (int k = 0; k < p->nu; k++)
    for (int l = 0; l <= k; l++)
      p->gram[k + (ptrdiff_t)l * p->nu] = p->gram[l + (ptrdiff_t)k * p->nu] =
        limb_dot((size_t)n, p->A + (ptrdiff_t)k * n, p->A + (ptrdiff_t)l * n);
}

// By larger weights first, each solution the start of the next: the smaller the weight, the nearer to the bounds.
static limb_status solve(physical* p, const limb_triangle* t, double weight)
{
  limb_status s = LIMB_OK;
  limb_physical_equations(p, t);
  memcpy(p->u, p->start, (size_t)p->nu * sizeof *p->u);
  p->weight = LARGEST_WEIGHT;
  while (p->weight > weight * sqrt(WEIGHT_RATIO) && s == LIMB_OK) {
    s = limb_physical_minimise(p);
    p->weight /= WEIGHT_RATIO;
  }
  p->weight = weight;
  return s == LIMB_OK ? limb_physical_minimise(p) : s;
}

// ---- the start: the model, made physical --------------------------------------------------------------------

// The prior of a body: where its pseudo-inertia is not positive, mass moves away from its centre until it is.
static void prior_of(physical* p, int body)
{
  double* t = p->start + (ptrdiff_t)body * BODY;
  limb_parameter_info info;
  matrix4 P;
  double log_det;
  const bool known = limb_get_parameter(p->x->m, body * BODY, &info) == LIMB_OK;
  for (int k = 0; k < BODY; k++) p->free[body * BODY + k] = t[0] > 0;
  if (!(t[0] > 0)) return; // it stays without mass
  double radius = 0;
  while (P = limb_pseudo_inertia(t), !limb_pseudo_invert(&P, &p->prior[body], &log_det)) {
    if (radius == 0)
      limb_ident_report(p->x,
                        "the model's inertia of '%s' is not that of a rigid body: the fit starts from a thicker one",
                        known ? info.of : "?");
    radius = 2 * radius + 0.01;
    const double more = t[0] * radius * radius;
    t[4] += more, t[7] += more, t[9] += more;
  }
}

// ---- bounds -----------------------------------------------------------------------------------------------

limb_ident_bounds limb_default_ident_bounds(void)
{
  return (limb_ident_bounds){.size = sizeof(limb_ident_bounds),
                             .max_mass = HUGE_VAL,
                             .min_com = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL},
                             .max_com = {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
}

static int first_of_body(const limb_model* m, int body)
{
  limb_parameter_info info;
  for (int k = 0; k < limb_inertial_parameter_count(m); k += BODY)
    if (limb_get_parameter(m, k, &info) == LIMB_OK && info.body == body) return k;
  return -1;
}

static bool in_order(const limb_ident_bounds* b)
{
  bool fine = b->min_mass >= 0 && b->min_mass < b->max_mass && isfinite(b->min_mass);
  for (int k = 0; k < 3; k++) fine = fine && b->min_com[k] < b->max_com[k];
  return fine;
}

limb_status limb_ident_set_bounds(limb_ident* x, int body, const limb_ident_bounds* bounds, limb_error* err)
{
  limb_ident_bounds read = limb_default_ident_bounds();
  if (!x || !bounds) return limb_fail(err, LIMB_E_ARG, "bounds", "there are none");
  if (x->theta) return limb_fail(err, LIMB_E_ORDER, "bounds", "they come before the physical fit");
  const limb_status s = limb_sized_read(&read, sizeof read, bounds, sizeof read);
  if (s != LIMB_OK || !in_order(&read))
    return limb_fail(err, s == LIMB_OK ? LIMB_E_ARG : s, "bounds", "the lower one must be below the upper one");
  const int first = first_of_body(x->m, body);
  if (first < 0) return limb_fail(err, LIMB_E_ARG, "bounds", "body %d has no parameters of its own", body);
  const int bodies = limb_inertial_parameter_count(x->m) / BODY;
  if (!x->bounds) {
    x->bounds = malloc((size_t)bodies * sizeof *x->bounds);
    if (!x->bounds) return limb_fail(err, LIMB_E_NOMEM, "bounds", "%s", limb_status_text(LIMB_E_NOMEM));
    for (int b = 0; b < bodies; b++) x->bounds[b] = limb_default_ident_bounds();
  }
  x->bounds[first / BODY] = read;
  return LIMB_OK;
}

// A number between bounds: itself, or where they cut it off, a hundredth of what is between inside.
static double inside(double value, double low, double high)
{
  const double margin = isfinite(high - low) ? (high - low) / 100 : 1e-3 * (1 + fabs(isfinite(low) ? low : high));
  if (value < low + margin && isfinite(low)) return low + margin;
  return value > high - margin && isfinite(high) ? high - margin : value;
}

// sign (x_k - bound) > 0, where x_0 is the mass and x_k = h_k / m a coordinate of the centre of mass.
static void add_wall_at(physical* p, int first, int k, double sign, double bound)
{
  half_space* w = &p->wall[p->walls];
  if (!isfinite(bound)) return;
  *w = (half_space){.first = first};
  w->a[k] = sign;
  if (k == 0) w->c = -sign * bound;
  if (k > 0) w->a[0] = -sign * bound;
  p->walls++;
}

// The walls of a body, and a start between them: as the model but for mass and centre of mass.
static void bound_body(physical* p, int body, const limb_ident_bounds* b)
{
  double* t = p->start + (ptrdiff_t)body * BODY;
  if (!p->free[body * BODY]) return;
  sp_inertia Y = limb_inertia_from_parameters(t);
  const double mass = inside(Y.mass, b->min_mass, b->max_mass), more = mass / Y.mass;
  double* com[3] = {&Y.com.x, &Y.com.y, &Y.com.z};
  if (b->min_mass > 0) add_wall_at(p, body * BODY, 0, 1, b->min_mass);
  add_wall_at(p, body * BODY, 0, -1, b->max_mass);
  for (int k = 0; k < 3; k++) {
    *com[k] = inside(*com[k], b->min_com[k], b->max_com[k]);
    add_wall_at(p, body * BODY, k + 1, 1, b->min_com[k]);
    add_wall_at(p, body * BODY, k + 1, -1, b->max_com[k]);
  }
  Y.mass = mass, Y.xx *= more, Y.xy *= more, Y.xz *= more, Y.yy *= more, Y.yz *= more, Y.zz *= more;
  limb_inertia_to_parameters(&Y, t);
}

static void set_start(physical* p)
{
  const limb_ident* x = p->x;
  for (int b = 0; b < p->bodies; b++) prior_of(p, b);
  for (int b = 0; b < p->bodies && x->bounds; b++) bound_body(p, b, &x->bounds[b]);
  for (int k = p->bodies * BODY; k < p->np; k++) {
    limb_parameter_info info;
    if (limb_get_parameter(x->m, k, &info) != LIMB_OK) continue;
    p->free[k] = limb_base_effect_of(x->base, k) != LIMB_EFFECT_LEFT_OUT;
    p->sign[k] = p->free[k] && (info.kind == LIMB_PARAMETER_ROTOR || info.kind == LIMB_PARAMETER_VISCOUS ||
                                info.kind == LIMB_PARAMETER_COULOMB || info.kind == LIMB_PARAMETER_STIFFNESS);
    if (!p->free[k]) p->start[k] = 0; // not in the equations
    if (p->sign[k]) p->start[k] = fmax(p->start[k], 0.01);
  }
  for (int k = p->np; k < p->nu; k++) p->free[k] = 1, p->start[k] = 0;
}

static bool reserve(physical* p)
{
  const size_t nu = (size_t)p->nu, n = (size_t)p->x->n;
  p->free = calloc(2 * nu, 1), p->sign = p->free + nu;
  p->prior = calloc((size_t)p->bodies + 1, sizeof *p->prior);
  p->wall = calloc(8 * (size_t)p->bodies + 1, sizeof *p->wall);
  p->start = calloc(6 * nu + 2 * nu * nu + n * nu + 2 * n, sizeof(double));
  if (!p->free || !p->prior || !p->start || !p->wall) return false;
  p->u = p->start + nu, p->g = p->u + nu, p->next = p->g + nu, p->scale = p->next + nu;
  p->H = p->scale + 2 * nu, p->gram = p->H + nu * nu, p->A = p->gram + nu * nu, p->z = p->A + n * nu,
  p->residual = p->z + n;
  return limb_parameters(p->x->m, p->start) == LIMB_OK;
}

// ---- answers ----------------------------------------------------------------------------------------------

// theta, and the residuals of its base parameters and friction.
static limb_status take(physical* p)
{
  limb_ident* x = p->x;
  x->estimate = calloc((size_t)x->n + 1, sizeof *x->estimate);
  if (!x->estimate) return LIMB_E_NOMEM;
  limb_status s = limb_base_values(x->base, p->u, x->estimate);
  memcpy(x->estimate + x->nb, p->u + p->np, (size_t)(p->nu - p->np) * sizeof *x->estimate);
  if (s == LIMB_OK) s = limb_residuals(x, x->estimate);
  if (s == LIMB_OK) limb_summarise(x, x->summary + 2 * (x->nv + 1));
  for (int k = 0; k < p->np; k++)
    x->theta[k] = fabs(p->u[k]) < SMALLEST && p->sign[k] ? 0 : p->free[k] ? p->u[k] : x->theta[k];
  x->facts.weight = p->weight;
  return s;
}

static limb_status fit(physical* p, double weight)
{
  limb_ident* x = p->x;
  limb_triangle fold[FOLDS] = {{0}}, all = {0};
  limb_status s = limb_physical_folds(x, fold);
  if (s == LIMB_OK) s = limb_physical_merge(x, fold, -1, &all);
  if (s == LIMB_OK && weight == 0) s = limb_cross_validate(p, fold, &weight);
  if (s == LIMB_OK && weight == LIMB_IDENT_L_CURVE) s = limb_l_curve(p, &all, &weight);
  if (s == LIMB_OK) s = solve(p, &all, weight);
  if (s == LIMB_OK) s = take(p);
  for (int f = 0; f < FOLDS; f++) limb_triangle_free(&fold[f]);
  limb_triangle_free(&all);
  return s;
}

limb_status limb_ident_fit_physical(limb_ident* x, double weight, limb_error* err)
{
  if (!x || !isfinite(weight) || (weight < 0 && weight != LIMB_IDENT_L_CURVE))
    return limb_fail(err, LIMB_E_ARG, "weight", "it is not a number >= 0");
  if (!x->fitted || x->theta)
    return limb_fail(err, LIMB_E_ORDER, "log", "it is %s", x->theta ? "fitted already" : "not fitted yet");
  physical p = {.x = x, .np = limb_parameter_count(x->m), .bodies = limb_inertial_parameter_count(x->m) / BODY};
  p.nu = p.np + x->n - x->nb;
  limb_status s = reserve(&p) ? LIMB_OK : LIMB_E_NOMEM;
  if (s == LIMB_OK) x->theta = calloc((size_t)p.np + 1, sizeof *x->theta);
  if (s == LIMB_OK) s = x->theta ? limb_parameters(x->m, x->theta) : LIMB_E_NOMEM;
  if (s == LIMB_OK) set_start(&p), s = fit(&p, weight);
  free(p.free), free(p.prior), free(p.start), free(p.wall);
  if (s != LIMB_OK) free(x->theta), x->theta = NULL;
  if (s != LIMB_OK) free(x->estimate), x->estimate = NULL;
  return s == LIMB_OK ? s : limb_fail(err, s, "physical fit", "%s", limb_status_text(s));
}

const double* limb_ident_theta(const limb_ident* x) { return x ? x->theta : NULL; }
