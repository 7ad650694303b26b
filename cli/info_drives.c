// What moves as a base, what a motor drives, and through what: text and JSON.
//
// A joint is elastic in one of two ways (limb/elastic.h): lumped, a passive joint with a spring; series, a
// joint behind a shaft. Its frequency is sqrt(k / M_jj) / (2 pi) at the neutral configuration: all other
// joints, and its motor, hold still.
#include "dofs.h"
#include "info.h"

#include <stdlib.h>

enum {
  SHOWN = 8,        // joints of the base
  MOST_FOR_M = 2000 // velocities: beyond that there are no frequencies
};

static const double TURN = 6.283185307179586;

// ---- the base and the motors -----------------------------------------------------------------------

// 1 when the joint is part of a moving base (cli_dof).
static int is_base(const cli_dofs* d, const limb_joint_info* x) { return x->nv > 0 && d->v[x->v].moves; }

int info_passive(const limb_model* m)
{
  limb_joint_info x;
  int n = 0;
  for (int j = 0; j < limb_joint_count(m); j++)
    if (limb_get_joint(m, j, &x) == LIMB_OK && x.passive) n += x.nv;
  return n;
}

void info_print_base(const limb_model* m)
{
  const int passive = info_passive(m);
  int joints = 0;
  limb_joint_info x;
  cli_dofs d;
  if (!cli_dofs_make(m, &d)) return; // out of memory
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_body_info body = {.name = "?"};
    if (limb_get_joint(m, j, &x) != LIMB_OK) continue;
    if (!is_base(&d, &x) || joints++ >= SHOWN) continue;
    (void)!limb_get_body(m, x.def.child, &body);
    printf("  base: %s, joint '%s', body '%s', %d dof, %s\n", cli_base_type(x.def.type), x.def.name, body.name, x.nv,
           x.passive ? "passive" : "active");
  }
  if (joints > SHOWN) printf("  base: ... and %d more\n", joints - SHOWN);
  if (joints == 0) printf("  base: %s\n", cli_base_name(m, &d));
  if (passive > 0) printf("  motors: %d of %d dof are active, %d passive\n", limb_nv(m) - passive, limb_nv(m), passive);
  cli_dofs_free(&d);
}

json_t* info_json_base(const limb_model* m)
{
  json_t* r = json_array();
  limb_joint_info x;
  cli_dofs d;
  if (!cli_dofs_make(m, &d)) return r; // out of memory
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_body_info body = {0};
    if (limb_get_joint(m, j, &x) != LIMB_OK || !is_base(&d, &x)) continue;
    (void)!limb_get_body(m, x.def.child, &body);
    json_t* joint = json_object();
    (void)json_object_set_new(joint, "type", cli_json_text(cli_base_type(x.def.type)));
    (void)json_object_set_new(joint, "joint", cli_json_text(x.def.name));
    (void)json_object_set_new(joint, "body", cli_json_text(body.name));
    (void)json_object_set_new(joint, "nv", json_integer(x.nv));
    (void)json_object_set_new(joint, "passive", json_boolean(x.passive));
    (void)json_array_append_new(r, joint);
  }
  cli_dofs_free(&d);
  return r;
}

// ---- elastic joints --------------------------------------------------------------------------------

// Both kinds of elastic joints, in one form.
typedef struct elastic {
  int series; // 0: lumped
  double stiffness, rest, damping;
  double inertia;   // of the rotor about its axis, at the motor; lumped: as the joint feels it
  double frequency; // [Hz]; NaN: not known
  double ratio;     // from here on of series ones only
  const char *motor, *model;
} elastic;

// Inertia of a motor about its axis: of its joint, and of the body on it.
static double rotor_inertia(const limb_joint_info* motor, const sp_inertia* Y)
{
  const limb_joint_def* def = &motor->def;
  const sp_mat3 I = {{Y->xx, Y->xy, Y->xz, Y->xy, Y->yy, Y->yz, Y->xz, Y->yz, Y->zz}};
  const sp_vec3 arm = sp_cross3(def->axis, Y->com);
  const double own = def->gear_ratio * def->gear_ratio * def->rotor_inertia;
  if (def->type == LIMB_PRISMATIC) return own + Y->mass;
  return own + sp_dot3(def->axis, sp_mulv(I, def->axis)) + Y->mass * sp_dot3(arm, arm);
}

// 1 when the joint is elastic. diagonal: of M at the neutral configuration; NULL: not known.
static int describe(const limb_model* m, const limb_joint_info* x, const double* diagonal, elastic* out)
{
  const limb_joint_def* def = &x->def;
  limb_shaft_def shaft;
  limb_joint_info motor;
  limb_body_info rotor;
  if (limb_get_shaft(m, x->shaft, &shaft) == LIMB_OK && limb_get_joint(m, shaft.motor, &motor) == LIMB_OK &&
      limb_get_body(m, motor.def.child, &rotor) == LIMB_OK) {
    *out = (elastic){.series = 1,
                     .stiffness = shaft.stiffness,
                     .rest = shaft.rest,
                     .damping = shaft.damping,
                     .inertia = rotor_inertia(&motor, &rotor.inertia),
                     .ratio = shaft.ratio,
                     .motor = motor.def.name,
                     .model = rotor.inertia.mass > 0 ? "full" : "spong"};
  } else if (x->passive && def->stiffness > 0) {
    *out = (elastic){.stiffness = def->stiffness,
                     .rest = def->rest,
                     .damping = def->viscous,
                     .inertia = def->gear_ratio * def->gear_ratio * def->rotor_inertia};
  } else {
    return 0;
  }
  out->frequency = diagonal ? sqrt(out->stiffness / diagonal[x->v]) / TURN : nan("");
  return 1;
}

double* info_inertia_diagonal(const cli_robot* r)
{
  const size_t nq = (size_t)limb_nq(r->model), nv = (size_t)limb_nv(r->model);
  double* M = nv > MOST_FOR_M ? NULL : calloc(nv * nv + nq + 1, sizeof *M);
  if (!M) return NULL;
  double* q = M + nv * nv;
  if (limb_neutral(r->model, q) != LIMB_OK || limb_mass_matrix(r->data, q, M) != LIMB_OK) {
    free(M);
    return NULL;
  }
  for (size_t k = 0; k < nv; k++) M[k] = M[k * nv + k]; // never overtakes what is still to be read
  return M;
}

static void elastic_row(cli_table* t, const char* joint, const elastic* e, int series)
{
  cli_cell(t, "%s", joint);
  cli_cell(t, "%s", e->series ? "series" : "lumped");
  cli_cell_number(t, e->stiffness);
  cli_cell_number(t, e->rest);
  cli_cell_number(t, e->damping);
  cli_cell_number(t, e->frequency);
  cli_cell_number(t, e->inertia);
  if (!series) return;
  if (e->series)
    cli_cell_number(t, e->ratio);
  else
    cli_cell(t, "%s", "");
  cli_cell(t, "%s", e->series ? e->motor : "");
  cli_cell(t, "%s", e->series ? e->model : "");
}

void info_print_elastic(const limb_model* m, const double* diagonal)
{
  static const char* const names[] = {"joint", "kind",  "k",     "rest",  "damping",
                                      "Hz",    "rotor", "ratio", "motor", "model"};
  const int series = limb_shaft_count(m) > 0;
  cli_table t = cli_table_make(series ? "llrrrrrrll" : "llrrrrr");
  limb_joint_info x;
  elastic e;
  int rows = 0;
  for (int k = 0; k < (series ? 10 : 7); k++) cli_cell(&t, "%s", names[k]);
  for (int j = 0; j < limb_joint_count(m); j++) {
    if (limb_get_joint(m, j, &x) != LIMB_OK || !describe(m, &x, diagonal, &e)) continue;
    elastic_row(&t, x.def.name, &e, series);
    rows++;
  }
  if (rows > 0)
    printf("\n%selastic%s (N m/rad, N m s/rad, kg m^2; or N/m, N s/m, kg; Hz: alone, at the neutral "
           "configuration)\n",
           cli_on(stdout, CLI_BOLD), cli_off(stdout, CLI_BOLD));
  if (rows > 0)
    cli_table_print(&t, stdout, "  ");
  else
    cli_table_free(&t);
}

json_t* info_json_elastic(const limb_model* m, const limb_joint_info* x, const double* diagonal)
{
  elastic e;
  if (!describe(m, x, diagonal, &e)) return NULL;
  json_t* r = json_object();
  (void)json_object_set_new(r, "kind", cli_json_text(e.series ? "series" : "lumped"));
  (void)json_object_set_new(r, "stiffness", cli_json_number(e.stiffness));
  (void)json_object_set_new(r, "rest", cli_json_number(e.rest));
  (void)json_object_set_new(r, "damping", cli_json_number(e.damping));
  (void)json_object_set_new(r, "frequency", cli_json_number(e.frequency));
  (void)json_object_set_new(r, "rotor_inertia", cli_json_number(e.inertia));
  if (!e.series) return r;
  (void)json_object_set_new(r, "ratio", cli_json_number(e.ratio));
  (void)json_object_set_new(r, "motor", cli_json_text(e.motor));
  (void)json_object_set_new(r, "model", cli_json_text(e.model));
  return r;
}
