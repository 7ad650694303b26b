// limb_micro_describe MODEL: a robot as C tables (robot.h), for programs that have no files to read.
//
// Runs on the host. Reads a model file or a built-in robot, writes its bodies and joints, random states, and
// the answers of this library for them, to standard output.

#include "limb/dynamics.h"
#include "limb/read.h"
#include "support/rng.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STATES = 8 };

// ---- tables ----------------------------------------------------------------------------------------

static void put_number(double x)
{
  if (isinf(x)) {
    printf("%sINFINITY", x < 0 ? "-" : "");
  } else {
    printf("%.17g", x);
  }
}

static void put_member(const char* name, double x)
{
  printf(" .%s = ", name);
  put_number(x);
  printf(",");
}

// A name as a string of C.
static void put_string(const char* member, const char* name)
{
  printf(".%s = \"", member);
  for (const char* c = name; *c; c++) {
    const unsigned char u = (unsigned char)*c;
    if (u < ' ' || u > '~' || u == '"' || u == '\\' || u == '?') {
      printf("\\%03o", u);
    } else {
      putchar(u);
    }
  }
  printf("\"");
}

// And as a word.
static void put_word(const char* name)
{
  for (const char* c = name; *c; c++) putchar(isalnum((unsigned char)*c) ? *c : '_');
}

static void put_vector(const char* name, sp_vec3 x) { printf(" .%s = {%.17g, %.17g, %.17g},", name, x.x, x.y, x.z); }

static int put_bodies(const limb_model* m)
{
  printf("static const limb_body_def body[] = {\n");
  for (int k = 1; k < limb_body_count(m); k++) {
    limb_body_info info;
    if (limb_get_body(m, k, &info)) return 0;
    const sp_inertia Y = info.inertia;
    printf("  {.size = sizeof(limb_body_def), ");
    put_string("name", info.name);
    printf(",\n   .inertia = {");
    put_member("mass", Y.mass);
    put_vector("com", Y.com);
    put_member("xx", Y.xx), put_member("xy", Y.xy), put_member("xz", Y.xz);
    put_member("yy", Y.yy), put_member("yz", Y.yz), put_member("zz", Y.zz);
    printf("}},\n");
  }
  printf("};\n\n");
  return 1;
}

static void put_joint(const limb_joint_def* d)
{
  printf("  {.size = sizeof(limb_joint_def), ");
  put_string("name", d->name);
  printf(", .type = %d, .parent = %d, .child = %d,\n", (int)d->type, d->parent, d->child);
  printf("   .placement = {.R = {{");
  for (int i = 0; i < 9; i++) printf("%.17g, ", d->placement.R.m[i]);
  printf("}},");
  put_vector("p", d->placement.p);
  printf("},\n  ");
  put_vector("axis", d->axis);
  put_vector("axis2", d->axis2);
  const struct {
    const char* name;
    double x;
  } member[] = {{"pitch", d->pitch},
                {"q_min", d->q_min},
                {"q_max", d->q_max},
                {"v_max", d->v_max},
                {"effort_max", d->effort_max},
                {"rotor_inertia", d->rotor_inertia},
                {"gear_ratio", d->gear_ratio},
                {"coulomb", d->coulomb},
                {"viscous", d->viscous},
                {"stiffness", d->stiffness},
                {"rest", d->rest},
                {"mimic", d->mimic},
                {"multiplier", d->multiplier},
                {"offset", d->offset},
                {"drive", d->drive},
                {"start", d->start}};
  for (size_t i = 0; i < sizeof member / sizeof *member; i++) put_member(member[i].name, member[i].x);
  printf("},\n");
}

static int put_joints(const limb_model* m)
{
  printf("static const limb_joint_def joint[] = {\n");
  for (int k = 0; k < limb_joint_count(m); k++) {
    limb_joint_info info;
    if (limb_get_joint(m, k, &info)) return 0;
    put_joint(&info.def);
  }
  printf("};\n\n");
  return 1;
}

static void put_array(const char* name, int n, const double* x)
{
  printf("static const double %s[] = {", name);
  for (int i = 0; i < n; i++) {
    printf(i % 4 ? " " : "\n  ");
    put_number(x[i]);
    printf(",");
  }
  printf("\n};\n\n");
}

// ---- states and answers ----------------------------------------------------------------------------

typedef struct answers {
  double *q, *v, *a, *tau, *M, *drive, *free; // as in micro_robot
} answers;

static double* room(int width)
{
  double* x = malloc((size_t)STATES * (size_t)width * sizeof *x);
  if (!x) {
    fputs("limb_micro_describe: out of memory\n", stderr);
    exit(1);
  }
  return x;
}

static int answer(limb_data* d, const answers* x)
{
  const limb_model* m = limb_data_model(d);
  const int nq = limb_nq(m), nv = limb_nv(m);
  uint64_t seed = 1;
  rng r = {2};
  for (int i = 0; i < STATES; i++) {
    double *q = x->q + i * nq, *v = x->v + i * nv, *a = x->a + i * nv, *drive = x->drive + i * nv;
    rng_fill(&r, 2, nv, v), rng_fill(&r, 5, nv, a), rng_fill(&r, 20, nv, drive);
    if (limb_random(m, &seed, q) || limb_inverse_dynamics(d, q, v, a, NULL, x->tau + i * nv) ||
        limb_mass_matrix(d, q, x->M + i * nv * nv) || limb_forward_dynamics(d, q, v, drive, NULL, x->free + i * nv))
      return 0;
  }
  return 1;
}

static int put_answers(const limb_model* m)
{
  const int nq = limb_nq(m), nv = limb_nv(m);
  const answers x = {room(nq), room(nv), room(nv), room(nv), room(nv * nv), room(nv), room(nv)};
  limb_data* d = NULL;
  const int fine = limb_data_create(m, NULL, &d) == LIMB_OK && answer(d, &x);
  if (fine) {
    put_array("q", STATES * nq, x.q), put_array("v", STATES * nv, x.v);
    put_array("a", STATES * nv, x.a), put_array("tau", STATES * nv, x.tau);
    put_array("M", STATES * nv * nv, x.M), put_array("drive", STATES * nv, x.drive);
    put_array("accelerations", STATES * nv, x.free);
  }
  limb_data_destroy(d);
  free(x.q), free(x.v), free(x.a), free(x.tau), free(x.M), free(x.drive), free(x.free);
  return fine;
}

// ---- the file --------------------------------------------------------------------------------------

// Rotors or friction of joints with several degrees of freedom.
static int has_dofs(const limb_model* m)
{
  limb_joint_info joint;
  int any = 0;
  for (int j = 0; limb_get_joint(m, j, &joint) == LIMB_OK; j++)
    for (int k = 0; k < LIMB_JOINT_DOFS; k++) any |= joint.def.armature[k] > 0 || joint.def.damping[k] > 0;
  return any;
}

static int describe(const limb_model* m)
{
  if (limb_loop_count(m) > 0 || limb_shaft_count(m) > 0 || limb_tendon_count(m) > 0 || has_dofs(m)) {
    fputs("limb_micro_describe: loops, shafts, tendons, and rotors and friction of joints with several degrees of "
          "freedom are not written\n",
          stderr);
    return 0;
  }
  printf("// Written by limb_micro_describe.\n");
  printf("#include \"robot.h\"\n\n#include <math.h>\n\n");
  if (!put_bodies(m) || !put_joints(m) || !put_answers(m)) return 0;
  printf("const micro_robot micro_");
  put_word(limb_model_name(m));
  printf(" = {\n  ");
  put_string("name", limb_model_name(m));
  printf(",");
  put_vector("gravity", limb_model_gravity(m));
  printf("\n  .bodies = %d, .joints = %d, .body = body, .joint = joint,\n", limb_body_count(m) - 1,
         limb_joint_count(m));
  printf("  .nq = %d, .nv = %d, .states = %d,\n", limb_nq(m), limb_nv(m), STATES);
  printf("  .q = q, .v = v, .a = a, .tau = tau, .M = M, .drive = drive, .free = accelerations};\n");
  return 1;
}

int main(int argc, char** argv)
{
  limb_model* m = NULL;
  limb_error err = {0};
  if (argc != 2) {
    fputs("usage: limb_micro_describe MODEL\n", stderr);
    return 2;
  }
  if (limb_load(argv[1], NULL, &m, &err)) {
    fprintf(stderr, "limb_micro_describe: %s: %s: %s\n", argv[1], err.where, err.text);
    return 1;
  }
  const int fine = describe(m);
  limb_model_destroy(m);
  return fine && fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
