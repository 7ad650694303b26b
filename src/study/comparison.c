// Whether two models are the same robot.
#include "limb/study.h"

#include "limb/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NV_FOR_M = 2000 };

static const double SAME = 1e-9; // of starts and loop constraints, relative

typedef struct pair {
  const limb_model *a, *b;
  limb_data *da, *db;
  limb_data *la, *lb; // NULL: there are none
  int nq, nv;
  int *q, *v; // where number k of b is in a's vectors
  double* memory;
  double *qa, *va, *aa, *ta, *Ma, *qb, *vb, *ab, *tb, *Mb;
  double* Mc; // Ma in b's order
} pair;

// A number in [-1, 1).
static double draw(uint64_t* seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

// The largest difference relative to the largest number; infinite when one is not a number.
static double differ(size_t n, const double* x, const double* y, double size)
{
  double off = 0;
  for (size_t i = 0; i < n; i++) {
    const double d = fabs(x[i] - y[i]);
    if (!isfinite(d)) return HUGE_VAL; // fmax would forget it
    off = fmax(off, d);
    size = fmax(size, fmax(fabs(x[i]), fabs(y[i])));
  }
  return size > 0 ? off / size : 0;
}

// Where a coordinate of this name is among those of a: a joint of b may be one coordinate of a joint of a.
static int find_component(const limb_dofs* of_a, const limb_model* a, const char* name, limb_joint_info* joint)
{
  for (int k = 0; k < limb_nq(a); k++) {
    const limb_dof_info* x = limb_get_coordinate(of_a, k);
    if (!x || strcmp(x->name, name) != 0 || limb_get_joint(a, x->joint, joint) != LIMB_OK) continue;
    return joint->nq == joint->nv ? k - joint->q : -1;
  }
  return -1;
}

// Finds every joint of b in a. Sets why when one is missing or different.
static void match(pair* p, const limb_dofs* of_a, limb_comparison* out)
{
  for (int j = 0; j < limb_joint_count(p->b); j++) {
    limb_joint_info jb, ja;
    if (limb_get_joint(p->b, j, &jb) != LIMB_OK) continue;
    const int k = limb_find_joint(p->a, jb.def.name);
    // A frame may have become a body on a fixed joint.
    if (k < 0 && jb.def.type == LIMB_FIXED) continue;
    if (limb_get_joint(p->a, k, &ja) != LIMB_OK) {
      const int component = jb.nq == 1 && jb.nv == 1 ? find_component(of_a, p->a, jb.def.name, &ja) : -1;
      if (component >= 0) {
        p->q[jb.q] = ja.q + component, p->v[jb.v] = ja.v + component;
        continue;
      }
      (void)snprintf(out->why, sizeof out->why, "joint '%.64s' is new", jb.def.name);
      return;
    }
    if (ja.nq != jb.nq || ja.nv != jb.nv) {
      (void)snprintf(out->why, sizeof out->why, "joint '%.64s' has another number of coordinates", jb.def.name);
      return;
    }
    for (int i = 0; i < jb.nq; i++) p->q[jb.q + i] = ja.q + i;
    for (int i = 0; i < jb.nv; i++) p->v[jb.v + i] = ja.v + i;
  }
}

// The joint of a model at one end of a shaft, by name.
static const char* joint_name(const limb_model* m, int joint)
{
  limb_joint_info x;
  return limb_get_joint(m, joint, &x) == LIMB_OK ? x.def.name : "";
}

// Drives, starts and shafts of joints. Sets why when one is different.
static void match_drives(const pair* p, limb_comparison* out)
{
  for (int j = 0; j < limb_joint_count(p->b) && !*out->why; j++) {
    limb_joint_info jb, ja;
    limb_shaft_def sa, sb;
    if (limb_get_joint(p->b, j, &jb) != LIMB_OK ||
        limb_get_joint(p->a, limb_find_joint(p->a, jb.def.name), &ja) != LIMB_OK)
      continue;
    if (ja.passive != jb.passive) {
      (void)snprintf(out->why, sizeof out->why, "joint '%.64s' is %s", jb.def.name, jb.passive ? "passive" : "driven");
      return;
    }
    if (fabs(ja.def.start - jb.def.start) > SAME * fmax(1, fabs(ja.def.start))) {
      (void)snprintf(out->why, sizeof out->why, "joint '%.64s' starts elsewhere", jb.def.name);
      return;
    }
    const int a = limb_get_shaft(p->a, ja.shaft, &sa) == LIMB_OK, b = limb_get_shaft(p->b, jb.shaft, &sb) == LIMB_OK;
    if (!a && !b) continue;
    if (a != b || strcmp(joint_name(p->a, sa.motor), joint_name(p->b, sb.motor)) != 0 || sa.ratio != sb.ratio ||
        sa.stiffness != sb.stiffness || sa.damping != sb.damping || sa.rest != sb.rest)
      (void)snprintf(out->why, sizeof out->why, "the shaft of joint '%.64s' is another one", jb.def.name);
  }
}

// Loops by name and number of constraints. Sets why when one is different.
static void match_loops(const pair* p, limb_comparison* out)
{
  const int count = limb_loop_count(p->a);
  limb_loop_info xa, xb;
  if (limb_loop_count(p->b) != count)
    (void)snprintf(out->why, sizeof out->why, "%d loops instead of %d", limb_loop_count(p->b), count);
  for (int i = 0; i < count && !*out->why; i++) {
    if (limb_get_loop(p->b, i, &xb) != LIMB_OK) continue;
    if (limb_get_loop(p->a, limb_find_loop(p->a, xb.def.name), &xa) != LIMB_OK)
      (void)snprintf(out->why, sizeof out->why, "loop '%.64s' is new", xb.def.name);
    else if (xa.nconstraint != xb.nconstraint || xa.holonomic != xb.holonomic)
      (void)snprintf(out->why, sizeof out->why, "loop '%.64s' has other equations", xb.def.name);
  }
}

// The difference of constraint ra of a and rb of b, with matching columns; Psi only if it was computed.
static double constraint_difference(const pair* p, const limb_loop_equations* ea, const limb_loop_equations* eb,
                                    size_t ra, size_t rb)
{
  const size_t nv = (size_t)p->nv;
  double max = fabs(ea->residual[ra] - eb->residual[rb]), size = fmax(1, fabs(ea->gamma[ra]));
  max = fmax(max, fabs(ea->rate[ra] - eb->rate[rb]) / fmax(1, fabs(ea->rate[ra])));
  for (size_t k = 0; k < nv && ea->Psi; k++) {
    const double x = ea->Psi[ra * nv + (size_t)p->v[k]];
    max = fmax(max, fabs(x - eb->Psi[rb * nv + k]) / fmax(1, fabs(x)));
  }
  return fmax(max, fabs(ea->gamma[ra] - eb->gamma[rb]) / size);
}

// Loop constraints at the state of compare_state, before it is changed, and at a random time.
static limb_status compare_loops(pair* p, double time, limb_comparison* out)
{
  const size_t nc = (size_t)limb_constraint_count(p->a), n = p->Ma ? nc * (size_t)p->nv : 0;
  limb_loop_options o = limb_default_loop_options();
  if (nc == 0) return LIMB_OK;
  o.time = time;
  double* x = calloc(2 * (3 * nc + n), sizeof *x);
  if (!x) return LIMB_E_NOMEM;
  double* y = x + 3 * nc + n;
  const limb_loop_equations ea = {x, n ? x + 3 * nc : NULL, x + nc, x + 2 * nc},
                            eb = {y, n ? y + 3 * nc : NULL, y + nc, y + 2 * nc};
  limb_status s = limb_loop_equations_at(p->la, p->qa, p->va, &o, &ea);
  if (s == LIMB_OK) s = limb_loop_equations_at(p->lb, p->qb, p->vb, &o, &eb);
  limb_loop_info xa, xb;
  for (int i = 0; i < limb_loop_count(p->b) && s == LIMB_OK && !*out->why; i++) {
    s = limb_get_loop(p->b, i, &xb);
    if (s == LIMB_OK) s = limb_get_loop(p->a, limb_find_loop(p->a, xb.def.name), &xa);
    for (int r = 0; s == LIMB_OK && r < xb.nconstraint; r++)
      if (!(constraint_difference(p, &ea, &eb, (size_t)(xa.constraint + r), (size_t)(xb.constraint + r)) <= SAME))
        (void)snprintf(out->why, sizeof out->why, "loop '%.64s' has other equations", xb.def.name);
  }
  free(x);
  return s;
}

static limb_status compare_state(pair* p, uint64_t* seed, limb_comparison* out)
{
  const size_t nv = (size_t)p->nv;
  limb_status s = limb_random(p->a, seed, p->qa);
  for (int k = 0; k < p->nv; k++) p->va[k] = draw(seed), p->aa[k] = draw(seed);
  for (int k = 0; k < p->nq; k++) p->qb[k] = p->qa[p->q[k]];
  for (int k = 0; k < p->nv; k++) p->vb[k] = p->va[p->v[k]], p->ab[k] = p->aa[p->v[k]];
  if (s == LIMB_OK) s = compare_loops(p, draw(seed), out);
  if (s == LIMB_OK) s = limb_inverse_dynamics(p->da, p->qa, p->va, p->aa, NULL, p->ta);
  if (s == LIMB_OK) s = limb_inverse_dynamics(p->db, p->qb, p->vb, p->ab, NULL, p->tb);
  if (s != LIMB_OK) return s;
  for (int k = 0; k < p->nv; k++) p->vb[k] = p->ta[p->v[k]]; // in b's order
  out->tau = fmax(out->tau, differ(nv, p->vb, p->tb, 0));
  if (!p->Ma) return LIMB_OK;
  s = limb_mass_matrix(p->da, p->qa, p->Ma);
  if (s == LIMB_OK) s = limb_mass_matrix(p->db, p->qb, p->Mb);
  for (size_t i = 0; i < nv && s == LIMB_OK; i++)
    for (size_t j = 0; j < nv; j++) p->Mc[i * nv + j] = p->Ma[(size_t)p->v[i] * nv + (size_t)p->v[j]];
  if (s == LIMB_OK) out->M = fmax(out->M, differ(nv * nv, p->Mc, p->Mb, 0));
  return s;
}

static limb_status prepare(pair* p)
{
  const size_t nq = (size_t)p->nq, nv = (size_t)p->nv, nn = p->nv > MAX_NV_FOR_M ? 0 : nv * nv;
  p->q = calloc(nq + nv + 1, sizeof(int));
  p->memory = calloc(2 * (nq + 3 * nv) + 3 * nn + 1, sizeof(double));
  if (!p->q || !p->memory) return LIMB_E_NOMEM;
  p->v = p->q + nq;
  double* at = p->memory;
  double** const parts[] = {&p->qa, &p->qb, &p->va, &p->vb, &p->aa, &p->ab, &p->ta, &p->tb};
  for (int i = 0; i < 8; i++) {
    *parts[i] = at;
    at += i < 2 ? nq : nv;
  }
  if (nn > 0) p->Ma = at, p->Mb = at + nn, p->Mc = at + 2 * nn;
  limb_status s = limb_data_create(limb_spanning_tree(p->a), NULL, &p->da);
  if (s == LIMB_OK) s = limb_data_create(limb_spanning_tree(p->b), NULL, &p->db);
  if (s == LIMB_OK && limb_loop_count(p->a) > 0) s = limb_data_create(p->a, NULL, &p->la);
  if (s == LIMB_OK && limb_loop_count(p->b) > 0) s = limb_data_create(p->b, NULL, &p->lb);
  return s;
}

limb_status limb_compare(const limb_model* a, const limb_model* b, int states, limb_comparison* out)
{
  pair p = {.a = a, .b = b, .nq = limb_nq(a), .nv = limb_nv(a)};
  uint64_t seed = 20261;
  if (!a || !b || !out) return LIMB_E_ARG;
  *out = (limb_comparison){.states = states};
  if (limb_nq(b) != p.nq || limb_nv(b) != p.nv) {
    (void)snprintf(out->why, sizeof out->why, "nq %d and nv %d instead of %d and %d", limb_nq(b), limb_nv(b), p.nq,
                   p.nv);
    return LIMB_OK;
  }
  limb_status s = prepare(&p);
  limb_dofs* of_a = NULL;
  if (s == LIMB_OK) s = limb_dofs_create(a, NULL, &of_a);
  if (s == LIMB_OK) match(&p, of_a, out);
  limb_dofs_destroy(of_a);
  if (s == LIMB_OK && !*out->why) match_drives(&p, out);
  if (s == LIMB_OK && !*out->why) match_loops(&p, out);
  if (!p.Ma) out->M = -1;
  for (int i = 0; i < states && s == LIMB_OK && !*out->why; i++) s = compare_state(&p, &seed, out);
  limb_data_destroy(p.da);
  limb_data_destroy(p.db);
  limb_data_destroy(p.la);
  limb_data_destroy(p.lb);
  free(p.q);
  free(p.memory);
  return s;
}
