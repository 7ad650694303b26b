// Quantities by name: what `limb eval` does, from a program. An evaluator is asked for some names, tells shapes, labels
// and units, and computes them for one state and for a motion of many.
#include <limb/limb.h>
#include <limb/read.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STATES = 50, MOST = 512 };

// Every number of an item, with its name and unit.
static void print_item(const limb_evaluator* e, int index, const double* x)
{
  limb_item item;
  char name[100];
  if (limb_evaluator_get(e, index, &item) != LIMB_OK) return;
  printf("%s: %s\n", item.name, item.quantity->equation);
  for (size_t k = 0; k < item.size; k++) {
    (void)limb_evaluator_column(e, index, k, name, sizeof name);
    printf("  %-28s %10.4f %s\n", name, x[item.offset + k], limb_evaluator_unit(e, index, k));
  }
}

// The largest torque of the elbow in a motion, and where it is: all states in one call.
static limb_status sweep(limb_evaluator* e, int nq, int nv)
{
  static double q[STATES * 8], v[STATES * 8], a[STATES * 8], torque[STATES];
  double* const out[] = {torque};
  const limb_states motion = {.n = STATES, .q = q, .v = v, .a = a};
  int peak = 0;
  limb_evaluator_keep(e, 0);
  limb_status s = limb_evaluator_add(e, "tau.joint4", NULL, NULL, NULL);
  for (int i = 0; i < STATES; i++) {
    const double t = 2.0 * i / STATES;
    for (int k = 0; k < nv; k++) {
      q[i * nq + k] = 0.5 * sin(3 * t) - (k == 3 ? 1.5 : 0);
      v[i * nv + k] = 1.5 * cos(3 * t), a[i * nv + k] = -4.5 * sin(3 * t);
    }
  }
  if (s == LIMB_OK) s = limb_evaluator_run_many(e, &motion, out, NULL);
  for (int i = 0; i < STATES && s == LIMB_OK; i++)
    if (fabs(torque[i]) > fabs(torque[peak])) peak = i;
  if (s == LIMB_OK) printf("largest torque of joint4: %.2f N m, in state %d of %d\n", torque[peak], peak + 1, STATES);
  return s;
}

int main(void)
{
  static const char* const names[] = {"tau", "velocity@body.flange", "pose.flange.position", "M.joint2.joint4",
                                      "energy.kinetic"};
  const double q[7] = {0, 0.3, 0, -1.5, 0, 1.8, 0}, v[7] = {0.5, 0, 0, 0.2, 0, 0, 0}, a[7] = {0};
  const limb_state state = {.q = q, .v = v, .a = a};
  limb_model* m = NULL;
  limb_evaluator* e = NULL;
  limb_error err = {0};
  double x[MOST];
  limb_status s = limb_load("panda", NULL, &m, &err);
  if (s == LIMB_OK) s = limb_evaluator_create(m, NULL, NULL, &e);
  for (size_t k = 0; k < sizeof names / sizeof *names && s == LIMB_OK; k++)
    s = limb_evaluator_add(e, names[k], NULL, NULL, &err);
  if (s == LIMB_OK && limb_evaluator_width(e) <= MOST) s = limb_evaluator_run(e, &state, x);
  for (int i = 0; i < limb_evaluator_count(e) && s == LIMB_OK; i++) print_item(e, i, x);
  // Mistakes are explained.
  if (s == LIMB_OK && limb_evaluator_add(e, "velocity.flage", NULL, NULL, &err) != LIMB_OK) printf("%s\n", err.text);
  if (s == LIMB_OK) s = sweep(e, limb_nq(m), limb_nv(m));
  if (s != LIMB_OK) fprintf(stderr, "%s\n", *err.text ? err.text : limb_status_text(s));
  limb_evaluator_destroy(e);
  limb_model_destroy(m);
  return s == LIMB_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
