// Which torques hold a robot still? It is read from a model file, or built in.
//
//     00_load [MODEL]     default: panda
#include <limb/limb.h>
#include <limb/read.h>
#include <stdio.h>

enum { MAX_COORDINATES = 64 };

int main(int argc, char** argv)
{
  const char* name = argc > 1 ? argv[1] : "panda";
  double q[MAX_COORDINATES], v[MAX_COORDINATES] = {0}, a[MAX_COORDINATES] = {0}, tau[MAX_COORDINATES];
  limb_model* robot = NULL; // immutable, shared by threads
  limb_data* work = NULL;   // workspace of one thread
  limb_error err = {0};     // what is wrong, and where
  limb_status s = limb_load(name, NULL, &robot, &err);
  if (s == LIMB_OK && limb_nq(robot) > MAX_COORDINATES) s = LIMB_E_NOMEM;
  if (s == LIMB_OK) s = limb_data_create(robot, NULL, &work);
  if (s == LIMB_OK) s = limb_neutral(robot, q);
  if (s == LIMB_OK) s = limb_inverse_dynamics(work, q, v, a, NULL, tau); // allocates nothing
  for (int k = 0; s == LIMB_OK && k < limb_nv(robot); k++) printf("%9.4f\n", tau[k]);
  if (s != LIMB_OK) (void)fprintf(stderr, "%s: %s\n", name, *err.text ? err.text : limb_status_text(s));
  limb_data_destroy(work);
  limb_model_destroy(robot);
  return s == LIMB_OK ? 0 : 1;
}
