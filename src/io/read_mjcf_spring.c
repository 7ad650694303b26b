// MJCF: springs and dampers by <joint springdamper="time ratio">. MuJoCo takes the inertia that a joint moves at qpos0
// with all others free, I = 1 / (M^-1)_ii, and computes (mj_setConst)
//   stiffness = I / (time ratio)^2,  damping = 2 I / time.
// So the tree is compiled here, without its loops and couplings. Tendons through sites whose springlength is not given
// are relaxed where all joints are at springref, which needs poses.
#include "io/read_mjcf.h"

#include "limb/dynamics.h"
#include "limb/kinematics.h"
#include "limb/model.h"

#include <string.h>

// The model of the tree; NULL when it cannot be built, which is reported when the robot is.
static limb_model* build_tree(mjcf* m, limb_findings* findings)
{
  limb_raw_robot tree = *m->s;
  limb_read_options opt = *m->opt;
  limb_builder* b = NULL;
  limb_model* model = NULL;
  raw_positions positions;
  opt.no_mimic = 1;
  tree.findings = findings;
  tree.nloop = 0;
  if (limb_raw_robot_build(&tree, &opt, &b, &positions) == LIMB_E_NOMEM) m->no_memory = 1;
  if (b && limb_builder_build(b, &model, NULL) == LIMB_E_NOMEM) m->no_memory = 1;
  limb_builder_destroy(b);
  return model;
}

// The configuration of the file.
static void set_refs(const mjcf* m, const limb_model* model, double* q)
{
  limb_joint_info info;
  (void)!limb_neutral(model, q);
  for (int k = 0; k < m->s->njoint; k++) {
    const int j = limb_find_joint(model, m->s->joint[k].name);
    if (j >= 0 && limb_get_joint(model, j, &info) == LIMB_OK && info.nq == 1) q[info.q] = m->ref[k];
  }
}

// Of a ball or free joint the mean inertia of its motions; MuJoCo damps all of them alike.
static void set_spring(const mjcf* m, const limb_model* model, const double* Minv, const mjcf_spring* s)
{
  raw_joint* joint = &m->s->joint[s->joint];
  limb_joint_info info;
  const int j = limb_find_joint(model, joint->name), nv = limb_nv(model);
  double sum = 0;
  if (j < 0 || limb_get_joint(model, j, &info) != LIMB_OK || info.nv < 1) return;
  for (int k = info.v; k < info.v + info.nv; k++) sum += Minv[(size_t)k * (size_t)(nv + 1)];
  const double I = info.nv / sum;
  if (joint->def.type != LIMB_FREE) joint->def.stiffness = I / (s->time * s->time * s->ratio * s->ratio);
  for (int k = 0; k < info.nv && info.nv > 1; k++) joint->def.damping[k] = 2 * I / s->time;
  if (info.nv == 1) joint->def.viscous = 2 * I / s->time;
}

static void set_springs(mjcf* m, const limb_model* model, limb_data* d, double* q, double* Minv)
{
  if (m->nspring == 0) return;
  set_refs(m, model, q);
  const limb_status status = limb_mass_matrix_inverse(d, q, Minv);
  for (int i = 0; i < m->nspring && !status; i++) set_spring(m, model, Minv, &m->spring[i]);
  if (!status) return;
  const raw_joint* first = &m->s->joint[m->spring[0].joint];
  limb_report(m->findings, RULE_UNSUPPORTED, first->pos, (limb_subject){"joint", first->name},
              "springdamper needs the inertia of the robot, whose mass matrix is singular");
  limb_report_hint(m->findings, "write stiffness and damping as numbers");
}

// ---- tendons through sites, relaxed at springref ----------------------------------------------------------

static double length_of(limb_data* d, const limb_tendon_def* t)
{
  double sum = 0, pulley = 1;
  sp_vec3 last = {0, 0, 0};
  for (int k = 0; k < t->points; k++) {
    const limb_tendon_point* point = &t->point[k];
    sp_pose X = sp_pose_identity();
    (void)!limb_frame_pose(d, point->body, &X);
    const sp_vec3 p = sp_point(X, point->at);
    const int begins = k == 0 || point->pulley > 0;
    if (point->pulley > 0) pulley = point->pulley;
    if (!begins) sum += sp_norm3(sp_sub3(p, last)) / pulley;
    last = p;
  }
  return sum;
}

static void set_rests(mjcf* m, const limb_model* model, limb_data* d, double* q)
{
  limb_joint_info info;
  limb_tendon_def def;
  if (m->nslack == 0) return;
  (void)!limb_neutral(model, q);
  for (int k = 0; k < m->s->njoint; k++) {
    const int j = limb_find_joint(model, m->s->joint[k].name);
    if (j >= 0 && limb_get_joint(model, j, &info) == LIMB_OK && info.nq == 1) q[info.q] = m->s->joint[k].def.rest;
  }
  if (limb_kinematics(d, q, NULL, NULL) != LIMB_OK) return;
  for (int i = 0; i < m->nslack; i++)
    if (limb_get_tendon(model, m->slack[i], &def) == LIMB_OK) m->s->tendon[m->slack[i]].def.rest = length_of(d, &def);
}

void limb_mjcf_settle_springs(mjcf* m)
{
  limb_findings* findings = NULL;
  limb_data* d = NULL;
  if (m->nspring + m->nslack == 0 || m->no_memory || limb_findings_count_from(m->s->findings, LIMB_ERROR) > 0) return;
  if (limb_findings_create(&m->pool->alloc, &findings) != LIMB_OK) m->no_memory = 1;
  limb_model* model = findings ? build_tree(m, findings) : NULL;
  const size_t nv = (size_t)limb_nv(model);
  double* q = model ? limb_mempool_alloc(m->pool, (size_t)(limb_nq(model) + 1) * sizeof *q) : NULL;
  double* Minv = model ? limb_mempool_alloc(m->pool, (nv * nv + 1) * sizeof *Minv) : NULL;
  if (q && Minv && limb_data_create(model, &m->pool->alloc, &d) == LIMB_OK) {
    set_rests(m, model, d, q);
    set_springs(m, model, d, q, Minv);
  } else if (model) {
    m->no_memory = 1;
  }
  limb_data_destroy(d);
  limb_model_destroy(model);
  limb_findings_destroy(findings);
}
