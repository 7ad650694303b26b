// Derivatives of the polynomials along velocities.
//
// Ball and free joints have quaternions u of norm 1, and velocities that are not the rates of coordinates:
//
//   u' = u (w; 0) / 2,   p' = R(u) v
//
// Derivatives are along velocities then. There are no Christoffel symbols of such velocities; C v is what Newton and
// Euler leave of the motion without accelerations and gravity.
#include "codegen/equations.h"

limb_status limb_equations_map_velocities(limb_equations* x)
{
  const limb_model* m = x->m;
  x->spin_of = limb_program_alloc(x->program, (size_t)m->nv + 1, sizeof *x->spin_of);
  x->q_of = limb_program_alloc(x->program, (size_t)m->nv + 1, sizeof *x->q_of);
  x->free_of = limb_program_alloc(x->program, (size_t)m->nv + 1, sizeof *x->free_of);
  if (!x->spin_of || !x->q_of || !x->free_of) return LIMB_E_NOMEM;
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    const bool spins = joint->nq > joint->nv;
    x->spins = x->spins || spins;
    for (int k = 0; k < joint->nv; k++) {
      x->spin_of[joint->v + k] = spins ? joint->q : -1;
      x->q_of[joint->v + k] = spins ? k : joint->q + k;
      x->free_of[joint->v + k] = joint->def.type == LIMB_FREE;
    }
  }
  return LIMB_OK;
}

// By a coordinate.
static limb_poly derivative_by(limb_equations* x, limb_poly a, int q)
{
  limb_ring* r = x->ring;
  limb_poly sum = limb_poly_derivative(r, a, x->first_q + q);
  for (int k = 0; k < x->nlink_angle; k++) {
    const double w = x->angle[k].weight[q];
    if (w == 0) continue;
    const limb_poly c = limb_poly_variable(r, limb_cosine(x, k));
    const limb_poly s = limb_poly_variable(r, limb_sine(x, k));
    const limb_poly by_c = limb_poly_derivative(r, a, limb_cosine(x, k));
    const limb_poly by_s = limb_poly_derivative(r, a, limb_sine(x, k));
    sum = limb_poly_sum(r, sum, limb_poly_product(r, by_c, s), -w);
    sum = limb_poly_sum(r, sum, limb_poly_product(r, by_s, c), w);
  }
  return sum;
}

// Adds k q_i da/dq_j.
static void add_rate(limb_equations* x, limb_poly a, double k, int i, int j, limb_poly* sum)
{
  const limb_poly by = limb_poly_derivative(x->ring, a, x->first_q + j);
  *sum = limb_poly_sum(x->ring, *sum, limb_poly_product(x->ring, by, limb_poly_variable(x->ring, x->first_q + i)), k);
}

// Along angular velocity k of the quaternion at q: u' = (w e_k + u x e_k; -u . e_k) / 2.
static limb_poly along_turn(limb_equations* x, limb_poly a, int q, int k)
{
  limb_poly sum = {0, NULL};
  const int next = (k + 1) % 3, after = (k + 2) % 3;
  add_rate(x, a, 0.5, q + 3, q + k, &sum);
  add_rate(x, a, 0.5, q + after, q + next, &sum);
  add_rate(x, a, -0.5, q + next, q + after, &sum);
  add_rate(x, a, -0.5, q + k, q + 3, &sum);
  return sum;
}

// Column k of R(u), component i.
static limb_poly turned(limb_equations* x, int u, int i, int k)
{
  limb_ring* r = x->ring;
  limb_poly c[4], sum = {0, NULL};
  for (int n = 0; n < 4; n++) c[n] = limb_poly_variable(r, x->first_q + u + n);
  if (i == k) { // 1 - 2 (the squares of the others)
    sum = limb_poly_number(r, 1);
    for (int n = 0; n < 3; n++)
      if (n != i) sum = limb_poly_sum(r, sum, limb_poly_product(r, c[n], c[n]), -2);
    return sum;
  }
  const int third = 3 - i - k;
  const double sign = (i + 1) % 3 == k ? -1 : 1; // R_xy = 2 (x y - z w), R_yx = 2 (x y + z w)
  sum = limb_poly_scale(r, limb_poly_product(r, c[i], c[k]), 2);
  return limb_poly_sum(r, sum, limb_poly_product(r, c[third], c[3]), 2 * sign);
}

limb_poly limb_equations_derivative(limb_equations* x, limb_poly a, int v)
{
  const int first = x->spin_of[v], k = x->q_of[v];
  if (first < 0) return derivative_by(x, a, k);
  const bool free = x->free_of[v];
  if (k < 3) return along_turn(x, a, free ? first + 3 : first, k);
  limb_poly sum = {0, NULL};
  for (int i = 0; i < 3; i++) {
    const limb_poly by = limb_poly_derivative(x->ring, a, x->first_q + first + i);
    sum = limb_poly_sum(x->ring, sum, limb_poly_product(x->ring, by, turned(x, first + 3, i, k - 3)), 1);
  }
  return sum;
}
