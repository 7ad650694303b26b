// Read a robot from a file, hear what the reader and the doctor say about it, and hold it up.
//
//     05_model_files [MODEL]     a URDF, limb YAML, .par or MJCF file, or a built-in robot; default: panda
#include <limb/limb.h>
#include <limb/read.h>
#include <stdio.h>
#include <stdlib.h>

// Everything that was found, as compilers print it.
static void print_findings(limb_reading* r)
{
  limb_finding f;
  const limb_findings* all = limb_reading_findings(r);
  for (int i = 0; limb_findings_get(all, i, &f) == LIMB_OK; i++)
    printf("%s:%d: %s: %s: %s [%s]\n", limb_reading_source(r), f.line, limb_severity_name(f.severity), f.where, f.text,
           f.rule);
}

// The torques that hold the robot still at q = 0.
static limb_status print_holding_torques(const limb_model* m)
{
  const size_t nq = (size_t)limb_nq(m), nv = (size_t)limb_nv(m);
  double *q = calloc(nq + 1, sizeof *q), *g = calloc(nv + 1, sizeof *g);
  limb_data* d = NULL;
  limb_status s = q && g ? limb_data_create(m, NULL, &d) : LIMB_E_NOMEM;
  if (s == LIMB_OK) s = limb_neutral(m, q);
  if (s == LIMB_OK) s = limb_gravity_forces(d, q, NULL, g);
  for (int i = 0; s == LIMB_OK && i < limb_joint_count(m); i++) {
    limb_joint_info joint;
    s = limb_get_joint(m, i, &joint);
    for (int k = 0; s == LIMB_OK && k < joint.nv; k++)
      printf("%16s%-3s %9.4f\n", joint.def.name, limb_v_suffix(joint.def.type, k), g[joint.v + k]);
  }
  limb_data_destroy(d);
  free(q);
  free(g);
  return s;
}

int main(int argc, char** argv)
{
  limb_reading* r = NULL;
  limb_model* m = NULL;
  limb_error err = {LIMB_OK, 0, 0, "", ""};
  limb_status s = limb_read(argc > 1 ? argv[1] : "panda", NULL, &r, &err);
  if (s == LIMB_OK) s = limb_check(r, &err);
  if (r) print_findings(r);
  if (s == LIMB_OK) s = limb_builder_build(limb_reading_builder(r), &m, &err);
  if (s == LIMB_OK) s = print_holding_torques(m);
  if (s != LIMB_OK) (void)fprintf(stderr, "%s: %s: %s\n", limb_status_text(s), err.where, err.text);
  limb_model_destroy(m);
  limb_reading_destroy(r);
  return s == LIMB_OK ? 0 : 1;
}
