// How strong must the motors of a Panda be? Torques of many random motions, on all processors.
//
// limb/batch.h computes them for thousands of states in one call, and lends the threads. The bits
// do not depend on their number. One state is given a NaN: it fails, and says so, and harms no other.
#include <limb/batch.h>
#include <limb/limb.h>
#include <limb/read.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 7, STATES = 10000, SPOILED = 1234 };

typedef struct states { // row after row, as programs have them
  double q[STATES][N], v[STATES][N], a[STATES][N], tau[2][STATES][N];
  limb_status status[STATES];
} states;

// Motions within limits: configurations of the robot, up to 1 rad/s and 5 rad/s^2.
static limb_status draw(const limb_model* m, states* s)
{
  uint64_t seed = 8;
  limb_status r = LIMB_OK;
  for (int k = 0; k < STATES && r == LIMB_OK; k++) {
    r = limb_random(m, &seed, s->q[k]);
    for (int j = 0; j < N; j++) s->v[k][j] = sin(3 * k + j), s->a[k][j] = 5 * cos(7 * k + j);
  }
  return r;
}

// All torques, by so many threads.
static limb_status torques(const limb_model* m, int threads, states* s, double* tau)
{
  limb_threads* t = NULL;
  limb_batch* b = NULL;
  limb_batch_options o = limb_default_batch_options();
  limb_status r = limb_threads_create(threads, NULL, &t);
  o.pool = limb_threads_pool(t);
  if (r == LIMB_OK) r = limb_batch_create(m, &o, NULL, &b);
  if (r == LIMB_OK) r = limb_batch_inverse_dynamics(b, STATES, s->q[0], s->v[0], s->a[0], NULL, tau, s->status);
  limb_batch_destroy(b);
  limb_threads_destroy(t);
  return r;
}

static int report(states* s)
{
  for (int j = 0; j < N; j++) {
    double most = 0;
    for (int k = 0; k < STATES; k++) most = fmax(most, fabs(s->tau[0][k][j]));
    printf("joint %d needs %6.2f N m\n", j + 1, most);
  }
  const int same = !memcmp(s->tau[0], s->tau[1], sizeof s->tau[0]);
  printf("one thread and two: %s\n", same ? "the same bits" : "different bits");
  return !same;
}

int main(void)
{
  limb_model* m = NULL;
  limb_error err;
  states* s = malloc(sizeof *s);
  if (!s || limb_load("panda", NULL, &m, &err) != LIMB_OK || draw(m, s) != LIMB_OK) return 1;
  int bad = torques(m, 1, s, s->tau[0][0]) || torques(m, 2, s, s->tau[1][0]) || report(s);
  s->q[SPOILED][3] = nan("");
  bad |= torques(m, 2, s, s->tau[1][0]) != LIMB_E_NONFINITE;
  printf("state %d: %s; state %d: %s\n", SPOILED, limb_status_text(s->status[SPOILED]), SPOILED + 1,
         limb_status_text(s->status[SPOILED + 1]));
  bad |= memcmp(s->tau[0][SPOILED + 1], s->tau[1][SPOILED + 1], sizeof s->tau[0][0]) != 0;
  limb_model_destroy(m);
  free(s);
  return bad;
}
