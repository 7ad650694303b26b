// The equations as polynomials: the robot's kernels run over symbols, and the recorded expressions are expanded.
//
//   M      composite rigid bodies (kernel/crba_kernel.h)
//   g      Newton-Euler without motion (kernel/rnea_kernel.h)
//   T, U   v' M v / 2; the potential of gravity at the centres of mass, springs, shafts
//   C      Christoffel symbols of M, so that dM/dt - 2 C is skew (Zhang, MEE5114, page 16, corrected):
//          C_ij = sum_k 1/2 (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) v_k
#include "codegen/equations.h"

#include "base/status.h"

#include <math.h>

enum { LINKS_MAX = 40, VARIABLES_MAX = 1500 };

// ---- from edges to polynomials -------------------------------------------------------------------------------------

static limb_poly of_symbol(limb_equations* x, uint32_t symbol)
{
  const int i = (int)limb_symbol_index(symbol);
  switch (limb_symbol_kind(symbol)) {
  case INPUT_PARAMETER: return limb_poly_variable(x->ring, i);
  case INPUT_Q: return limb_poly_variable(x->ring, x->first_q + i);
  case INPUT_V: return limb_poly_variable(x->ring, x->first_v + i);
  default: return limb_poly_variable(x->ring, x->first_a + i);
  }
}

// The one variable of a monomial; -1: none, -2: more than one.
static int lone_variable(const limb_equations* x, int monomial)
{
  const unsigned char* e = limb_monomial(x->ring, monomial);
  int found = -1;
  for (int v = 0; v < limb_ring_count(x->ring); v++) {
    if (e[v]) found = found == -1 && e[v] == 1 ? v : -2;
  }
  return found;
}

// Sine or cosine of weight . q + offset.
static bool of_turn(limb_equations* x, limb_op op, limb_poly angle, limb_poly* out)
{
  const int nq = x->m->nq;
  double* weight = limb_ring_alloc(x->ring, (size_t)nq, sizeof *weight);
  double offset = 0;
  limb_direction_poly d;
  for (int i = 0; weight && i < angle.count; i++) {
    const int v = lone_variable(x, angle.term[i].monomial);
    if (v == -1) {
      offset = angle.term[i].k;
    } else if (v >= x->first_q && v < x->first_q + nq) {
      weight[v - x->first_q] = angle.term[i].k;
    } else {
      return false;
    }
  }
  if (!weight || !limb_equations_direction(x, weight, offset, &d)) return false;
  *out = op == OP_SIN ? d.s : d.c;
  return true;
}

// Sign of k v is sign(k) sign(v).
static bool of_sign(limb_equations* x, limb_poly a, limb_poly* out)
{
  const int v = a.count == 1 ? lone_variable(x, a.term[0].monomial) : -1;
  if (v < x->first_v || v >= x->first_a) return false;
  const limb_poly sign = limb_poly_variable(x->ring, x->first_sign + v - x->first_v);
  *out = limb_poly_scale(x->ring, sign, a.term[0].k > 0 ? 1 : -1);
  return true;
}

static limb_poly operand(const limb_equations* x, limb_edge e)
{
  const limb_poly a = x->of_node[limb_edge_node(e)];
  return limb_edge_minus(e) ? limb_poly_scale(x->ring, a, -1) : a;
}

// Whether this is x^2 + y^2 + z^2 + w^2 of a quaternion: 1.
static bool is_norm(const limb_equations* x, limb_poly a)
{
  enum { FOUR = 4 };
  int squares = 0, first = VARIABLES_MAX;
  for (int i = 0; i < a.count; i++) {
    const unsigned char* e = limb_monomial(x->ring, a.term[i].monomial);
    for (int v = 0; v < limb_ring_count(x->ring); v++) {
      if (!e[v]) continue;
      if (e[v] != 2 || a.term[i].k != 1 || v < x->first_q || v >= x->first_sign) return false;
      squares++, first = v < first ? v : first;
    }
  }
  return x->spins && squares == FOUR && a.count == FOUR;
}

static limb_poly operand(const limb_equations* x, limb_edge e);

// Operands are earlier nodes, whose polynomials exist.
static bool of_node(limb_equations* x, uint32_t node, limb_poly* out)
{
  limb_graph* g = x->program->graph;
  const limb_node n = *limb_graph_node(g, node);
  switch (n.op) {
  case OP_NUMBER: *out = limb_poly_number(x->ring, limb_graph_number(g, node)); return true;
  case OP_SYMBOL: *out = of_symbol(x, n.a); return true;
  case OP_ADD: *out = limb_poly_sum(x->ring, operand(x, n.a), operand(x, n.b), 1); return true;
  case OP_MUL: *out = limb_poly_product(x->ring, operand(x, n.a), operand(x, n.b)); return true;
  case OP_DIV: *out = operand(x, n.a); return is_norm(x, operand(x, n.b));
  case OP_SIN:
  case OP_COS: return of_turn(x, (limb_op)n.op, operand(x, n.a), out);
  case OP_SIGN: return of_sign(x, operand(x, n.a), out);
  default: return false;
  }
}

// Marks the nodes that a node needs and that are not made yet by count -2.
static void mark(limb_equations* x, uint32_t top)
{
  const limb_graph* g = x->program->graph;
  x->of_node[top].count = -2;
  for (uint32_t i = top;; i--) {
    const limb_node* n = limb_graph_node(g, i);
    if (x->of_node[i].count == -2 && !limb_op_leaf(n->op)) {
      limb_poly *a = &x->of_node[limb_edge_node(n->a)], *b = &x->of_node[limb_edge_node(n->b)];
      if (a->count == -1) a->count = -2;
      if (limb_op_binary(n->op) && b->count == -1) b->count = -2;
    }
    if (i == 0) return;
  }
}

// Allocates the polynomials of all nodes.
static bool grow_nodes(limb_equations* x)
{
  const uint32_t count = limb_graph_count(x->program->graph);
  if (count <= x->nodes) return true;
  limb_poly* to = limb_ring_alloc(x->ring, count, sizeof *to);
  if (!to) return false;
  for (uint32_t i = 0; i < count; i++) to[i] = i < x->nodes ? x->of_node[i] : (limb_poly){-1, NULL};
  x->of_node = to, x->nodes = count;
  return true;
}

limb_poly limb_equations_poly(limb_equations* x, limb_scalar a)
{
  const limb_poly none = {0, NULL};
  if (!a.graph) return limb_poly_number(x->ring, a.x);
  const uint32_t top = limb_edge_node(a.edge);
  if (limb_ring_status(x->ring) != LIMB_OK || !grow_nodes(x)) return none;
  if (x->of_node[top].count < 0) mark(x, top);
  for (uint32_t i = 0; i <= top; i++) {
    if (x->of_node[i].count != -2) continue;
    limb_poly made = none;
    if (!of_node(x, i, &made)) x->not_polynomial = true;
    x->of_node[i] = made;
    if (limb_ring_status(x->ring) != LIMB_OK || x->not_polynomial) return none;
  }
  return operand(x, a.edge);
}

// ---- running the kernels -------------------------------------------------------------------------------------------

// Base frames at rest, accelerated against gravity: a = -R' g.
static limb_status set_bases(limb_equations* x)
{
  const limb_model* m = x->m;
  const size_t n = (size_t)m->nroot;
  sp_pose* pose = limb_program_alloc(x->program, n + 1, sizeof *pose);
  if (!pose) return LIMB_E_NOMEM;
  sp_pose* aux = limb_program_alloc(x->program, (size_t)m->naux + 1, sizeof *aux);
  if (!aux) return LIMB_E_NOMEM;
  for (int i = 0; i < m->naux; i++) {
    aux[i] = m->aux_pose[i];
    for (int k = 0; k < 9; k++) aux[i].R.m[k] = limb_clean_direction(aux[i].R.m[k]);
  }
  x->view.aux_pose = aux;
  const limb_scalar g = limb_gravity_scalar(&x->parameters);
  const double size = hypot(hypot(m->gravity.x, m->gravity.y), m->gravity.z);
  const sp_vec3 down = size > 0 ? sp_scale3(1 / size, m->gravity) : m->gravity;
  for (size_t r = 0; r < n; r++) {
    pose[r] = m->base[r];
    for (int k = 0; k < 9; k++) pose[r].R.m[k] = limb_clean_direction(pose[r].R.m[k]);
    const sp_vec3 d = sp_mulv(sp_transpose3(pose[r].R), down);
    const double along[3] = {d.x, d.y, d.z};
    for (int k = 0; k < 3; k++)
      x->t.base[r * LIMB_WS_STATE + 6 + (size_t)k] = mul(plain(limb_clean_direction(-along[k])), g);
  }
  x->view.base = pose;
  return LIMB_OK;
}

static limb_status begin(limb_equations* x)
{
  const limb_model* m = x->m;
  limb_status s = limb_parameters_create(&x->parameters, m, x->program, x->options.numbers != 0);
  x->t = (limb_tracer){.m = m, .program = x->program, .graph = x->program->graph};
  if (s == LIMB_OK) s = limb_equations_map_velocities(x);
  if (s == LIMB_OK) s = limb_trace_open(&x->t);
  if (s == LIMB_OK) s = set_bases(x);
  if (s != LIMB_OK) return s;
  limb_trace_clear(&x->t);
  limb_trace_regroup(m, &x->t.ws, MOVE_ALL, x->parameters.k);
  x->t.q = limb_trace_input(&x->t, INPUT_Q), x->t.v = limb_trace_input(&x->t, INPUT_V);
  return x->t.q && x->t.v ? limb_equations_angles(x) : LIMB_E_NOMEM;
}

// Creates the ring of all variables. Symbols of rotors are added to the list later.
static limb_status open_ring(limb_equations* x)
{
  const limb_model* m = x->m;
  if (m->has_cords || m->has_ball_springs)
    return limb_fail(x->error, LIMB_E_UNSUPPORTED, m->name,
                     "a tendon runs through points, or a ball joint has a spring: their forces are no polynomials; "
                     "`limb codegen` writes functions for such robots");
  x->first_angle = x->parameters.count + m->nv;
  x->first_q = x->first_angle + 2 * x->nangle;
  x->first_sign = x->first_q + m->nq;
  x->first_v = x->first_sign + m->nv;
  x->first_a = x->first_v + m->nv;
  const int count = x->first_a + m->nv;
  if (count > VARIABLES_MAX)
    return limb_fail(
      x->error, LIMB_E_UNSUPPORTED, m->name,
      "it has more than %d symbols, too many to read; `limb codegen` writes functions for robots of any size",
      VARIABLES_MAX);
  enum { INTERMEDIATE = 8 }; // intermediate polynomials may have this many times the terms
  x->ring = limb_ring_create(x->program, count, INTERMEDIATE * x->options.max_terms);
  if (!x->ring) return LIMB_E_NOMEM;
  limb_equations_pair_angles(x);
  const size_t n = (size_t)m->nv;
  x->nv = m->nv;
  x->M = limb_ring_alloc(x->ring, n * n, sizeof *x->M);
  x->C = limb_ring_alloc(x->ring, n * n, sizeof *x->C);
  x->Cv = limb_ring_alloc(x->ring, n, sizeof *x->Cv);
  x->g = limb_ring_alloc(x->ring, n, sizeof *x->g);
  x->joint_forces = limb_ring_alloc(x->ring, n, sizeof *x->joint_forces);
  return limb_ring_status(x->ring);
}

// The status so far.
static limb_status status_now(const limb_equations* x)
{
  if (limb_graph_full(x->program->graph)) return LIMB_E_NOMEM;
  return limb_ring_status(x->ring);
}

// ---- the quantities ------------------------------------------------------------------------------------------------

// A constant term of M is the inertia of a rotor: it gets a symbol.
static limb_poly with_rotor(limb_equations* x, limb_poly a, int v)
{
  for (int i = 0; i < a.count && !x->options.numbers; i++) {
    if (lone_variable(x, a.term[i].monomial) != -1) continue;
    const limb_parameter_symbol J = {.kind = PARAMETER_ROTOR, .owner = v, .value = a.term[i].k};
    const limb_poly number = limb_poly_number(x->ring, a.term[i].k);
    const limb_poly symbol = limb_equations_poly(x, limb_parameter_scalar(&x->parameters, J));
    return limb_poly_sum(x->ring, limb_poly_sum(x->ring, a, number, -1), symbol, 1);
  }
  return a;
}

static limb_status form_mass_matrix(limb_equations* x)
{
  const int n = x->nv;
  limb_scalar* M = limb_program_alloc(x->program, (size_t)n * (size_t)n + 1, sizeof *M);
  if (!M) return LIMB_E_NOMEM;
  limb_trace_clear(&x->t);
  limb_trace_kernels.mass_matrix(x->m, x->parameters.k, &x->t.ws, x->t.q, M);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      limb_poly a = limb_equations_poly(x, M[i * n + j]);
      if (i == j && x->m->has_actuators) a = with_rotor(x, a, i);
      x->M[i * n + j] = x->M[j * n + i] = a;
      if (status_now(x) != LIMB_OK) return status_now(x);
    }
  }
  return LIMB_OK;
}

// The Christoffel symbols, from all three derivatives of M.
static limb_status form_coriolis(limb_equations* x)
{
  const int n = x->nv;
  limb_ring* r = x->ring;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      limb_poly C = {0, NULL};
      for (int k = 0; k < n; k++) {
        limb_poly two = limb_equations_derivative(x, x->M[i * n + j], k);
        two = limb_poly_sum(r, two, limb_equations_derivative(x, x->M[i * n + k], j), 1);
        two = limb_poly_sum(r, two, limb_equations_derivative(x, x->M[j * n + k], i), -1);
        const limb_poly v = limb_poly_variable(r, x->first_v + k);
        C = limb_poly_sum(r, C, limb_poly_product(r, two, v), 0.5);
      }
      x->C[i * n + j] = C;
      const limb_poly v = limb_poly_variable(r, x->first_v + j);
      x->Cv[i] = limb_poly_sum(r, x->Cv[i], limb_poly_product(r, C, v), 1);
      if (status_now(x) != LIMB_OK) return status_now(x);
    }
  }
  return LIMB_OK;
}

// G_ijk = 1/2 (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i), symmetric in j and k
static limb_status form_symbols(limb_equations* x)
{
  const int n = x->nv;
  x->Gamma = limb_ring_alloc(x->ring, (size_t)n * (size_t)n * (size_t)n, sizeof *x->Gamma);
  for (int i = 0; i < n && x->Gamma; i++) {
    for (int j = 0; j < n; j++) {
      for (int k = 0; k <= j; k++) {
        limb_poly two = limb_equations_derivative(x, x->M[i * n + j], k);
        two = limb_poly_sum(x->ring, two, limb_equations_derivative(x, x->M[i * n + k], j), 1);
        two = limb_poly_sum(x->ring, two, limb_equations_derivative(x, x->M[j * n + k], i), -1);
        x->Gamma[(i * n + j) * n + k] = x->Gamma[(i * n + k) * n + j] = limb_poly_scale(x->ring, two, 0.5);
      }
      if (status_now(x) != LIMB_OK) return status_now(x);
    }
  }
  return status_now(x);
}

// ---- energies ------------------------------------------------------------------------------------------------------

// T = v' M v / 2
static void form_kinetic(limb_equations* x)
{
  const int n = x->nv;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      const limb_poly vi = limb_poly_variable(x->ring, x->first_v + i),
                      vj = limb_poly_variable(x->ring, x->first_v + j);
      const limb_poly vv = limb_poly_product(x->ring, vi, vj);
      x->T = limb_poly_sum(x->ring, x->T, limb_poly_product(x->ring, x->M[i * n + j], vv), 0.5);
    }
  }
}

// The terms with coordinates, or sines and cosines of them: energies are determined up to a constant.
static limb_poly varying(const limb_equations* x, limb_poly a)
{
  limb_poly sum = {0, NULL};
  for (int i = 0; i < a.count; i++) {
    const unsigned char* e = limb_monomial(x->ring, a.term[i].monomial);
    bool varies = false;
    for (int v = x->first_angle; v < x->first_sign; v++) varies = varies || e[v];
    if (varies) sum = limb_poly_sum(x->ring, sum, (limb_poly){1, &a.term[i]}, 1);
  }
  return sum;
}

// U += stiffness stretch^2 / 2
static void add_spring(limb_equations* x, double stiffness, limb_poly stretch)
{
  if (stiffness == 0) return;
  x->U = limb_poly_sum(x->ring, x->U, limb_poly_product(x->ring, stretch, stretch), stiffness / 2);
}

static void form_springs(limb_equations* x)
{
  const limb_model* m = x->m;
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    if (link->ndof != 1) continue;
    const limb_actuator* s = &m->actuator[link->dof];
    const limb_poly q = limb_poly_variable(x->ring, x->first_q + link->q);
    const limb_poly rest = limb_poly_number(x->ring, m->k64[i].off - s->rest);
    add_spring(x, s->stiffness, limb_poly_sum(x->ring, rest, q, m->k64[i].mult));
  }
  for (int k = 0; k < m->ncoupling; k++) {
    const limb_coupling* s = &m->coupling[k];
    limb_poly stretch = limb_poly_number(x->ring, -s->rest);
    for (int i = 0; i < s->count; i++) {
      const int link = s->pull[i].link;
      const limb_poly q = limb_poly_variable(x->ring, x->first_q + m->link[link].q);
      const double c = s->pull[i].coefficient;
      stretch = limb_poly_sum(x->ring, stretch, limb_poly_number(x->ring, m->k64[link].off), c);
      stretch = limb_poly_sum(x->ring, stretch, q, c * m->k64[link].mult);
    }
    add_spring(x, s->stiffness, stretch);
  }
}

// U = -sum g . (m_i p_i + R_i h_i), springs and shafts. Regrouped inertias change it by a constant.
static limb_status form_potential(limb_equations* x)
{
  const limb_model* m = x->m;
  limb_scalar* X = limb_program_alloc(x->program, 12 * (size_t)m->nlink + 1, sizeof *X);
  if (!X) return LIMB_E_NOMEM;
  const double size = hypot(hypot(m->gravity.x, m->gravity.y), m->gravity.z);
  const sp_vec3 down = size > 0 ? sp_scale3(1 / size, m->gravity) : m->gravity;
  const double along[3] = {down.x, down.y, down.z};
  const limb_scalar g = limb_gravity_scalar(&x->parameters);
  limb_trace_clear(&x->t);
  limb_trace_kernels.link_motion(&x->view, x->parameters.k, &x->t.ws, x->t.q, NULL, NULL, X, NULL, NULL, NULL);
  for (int i = 0; i < m->nlink; i++) {
    const limb_link_symbol* k = &x->parameters.k[i];
    const limb_scalar h[3] = {k->hx, k->hy, k->hz}, *at = X + 12 * (ptrdiff_t)i;
    limb_scalar sum = plain(0);
    for (int axis = 0; axis < 3; axis++) {
      limb_scalar moment = mul(k->m, at[9 + axis]);
      for (int c = 0; c < 3; c++) moment = add(moment, mul(at[3 * axis + c], h[c]));
      sum = add(sum, mul(plain(limb_clean_direction(-along[axis])), moment));
    }
    x->U = limb_poly_sum(x->ring, x->U, limb_equations_poly(x, mul(g, sum)), 1);
    if (status_now(x) != LIMB_OK) return status_now(x);
  }
  form_springs(x);
  x->U = varying(x, x->U);
  return status_now(x);
}

// Gravity forces: Newton-Euler at rest.
static limb_status form_gravity(limb_equations* x)
{
  const size_t n = (size_t)x->nv;
  const limb_terms none = {0};
  limb_scalar* tau = limb_program_alloc(x->program, 2 * n + 1, sizeof *tau);
  if (!tau) return LIMB_E_NOMEM;
  const limb_scalar* rest = tau + n;
  limb_trace_clear(&x->t);
  limb_trace_kernels.inverse_dynamics(&x->view, x->parameters.k, &x->t.ws, x->t.q, rest, rest, &none, NULL, tau);
  for (size_t i = 0; i < n; i++) x->g[i] = limb_equations_poly(x, tau[i]);
  return status_now(x);
}

// C v of ball and free joints: Newton-Euler without accelerations, less gravity forces.
static limb_status form_velocity_forces(limb_equations* x)
{
  const size_t n = (size_t)x->nv;
  const limb_terms none = {0};
  limb_scalar* tau = limb_program_alloc(x->program, 2 * n + 1, sizeof *tau);
  if (!tau) return LIMB_E_NOMEM;
  limb_trace_clear(&x->t);
  limb_trace_kernels.inverse_dynamics(&x->view, x->parameters.k, &x->t.ws, x->t.q, x->t.v, tau + n, &none, NULL, tau);
  for (size_t i = 0; i < n; i++) {
    x->Cv[i] = limb_poly_sum(x->ring, limb_equations_poly(x, tau[i]), x->g[i], -1);
    if (status_now(x) != LIMB_OK) return status_now(x);
  }
  return status_now(x);
}

// Friction, springs and shafts: the forces of the same robot with massless bodies.
static limb_status form_joint_forces(limb_equations* x)
{
  const limb_model* m = x->m;
  const size_t n = (size_t)x->nv;
  const limb_terms terms = {.friction = true, .springs = true};
  limb_scalar* tau = limb_program_alloc(x->program, 2 * n + 1, sizeof *tau);
  limb_link_symbol* light = limb_program_alloc(x->program, (size_t)m->nlink + 1, sizeof *light);
  if (!tau || !light) return LIMB_E_NOMEM;
  const limb_scalar* rest = tau + n;
  for (int i = 0; i < m->nlink; i++) light[i].mult = x->parameters.k[i].mult, light[i].off = x->parameters.k[i].off;
  limb_trace_clear(&x->t);
  limb_trace_kernels.inverse_dynamics(m, light, &x->t.ws, x->t.q, x->t.v, rest, &terms, NULL, tau);
  for (size_t i = 0; i < n; i++) x->joint_forces[i] = limb_equations_poly(x, tau[i]);
  return status_now(x);
}

limb_status limb_equations_form(limb_equations* x, unsigned needs)
{
  x->view = *x->m;
  x->view.has_actuators = false;
  if (x->m->nlink > LINKS_MAX)
    return limb_fail(
      x->error, LIMB_E_UNSUPPORTED, x->m->name,
      "it has %d links, and the limit for equations is %d; `limb codegen` writes functions for robots of any size",
      x->m->nlink, LINKS_MAX);
  limb_status s = begin(x);
  if (s == LIMB_OK) s = open_ring(x);
  const bool coriolis = limb_equations_has(needs, EQUATION_C),
             symbols = limb_equations_has(needs, EQUATION_CHRISTOFFEL);
  const bool kinetic = limb_equations_has(needs, EQUATION_T), M = limb_equations_has(needs, EQUATION_M);
  if (s == LIMB_OK && (coriolis || M || kinetic || symbols)) s = form_mass_matrix(x);
  if (s == LIMB_OK && symbols) s = form_symbols(x);
  if (s == LIMB_OK && kinetic) form_kinetic(x);
  if (s == LIMB_OK && limb_equations_has(needs, EQUATION_U)) s = form_potential(x);
  if (s == LIMB_OK) x->L = limb_poly_sum(x->ring, x->T, x->U, -1);
  if (s == LIMB_OK && coriolis && !x->spins) s = form_coriolis(x);
  if (s == LIMB_OK && limb_equations_has(needs, EQUATION_G)) s = form_gravity(x);
  if (s == LIMB_OK && coriolis && x->spins) s = form_velocity_forces(x);
  if (s == LIMB_OK && x->m->has_actuators) s = form_joint_forces(x);
  return s;
}
