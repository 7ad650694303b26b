// Any bytes as a run file that is run: what is refused must say where and why, what is set up must advance some steps,
// and its channels must have numbers or a reason.
#define _XOPEN_SOURCE 700 // mkdtemp

#include "limb/read.h"
#include "limb/runner.h"

#include "fuzz/folder.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 12, NUMBERS = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void fail(const char* what, const limb_error* err)
{
  (void)fprintf(stderr, "%s: %d: %s: %s\n", what, err->line, err->where, err->text);
  abort();
}

static void check_error(limb_status s, const limb_error* err)
{
  if (s == LIMB_OK) return;
  if (err->status != s || !*err->text || !memchr(err->text, 0, sizeof err->text)) fail("no reason", err);
}

// After some steps, whatever they were.
static double few_steps(void* context, const limb_sim_state* at)
{
  (void)at;
  int* left = context;
  return --*left > 0 ? 1 : -1;
}

static void read_channels(const limb_run_output* o, const limb_model* m, const limb_environment* env,
                          const limb_sim_state* at)
{
  limb_evaluator_options how = limb_default_evaluator_options();
  limb_channels* c = NULL;
  double x[NUMBERS];
  limb_error err = {0};
  how.known = LIMB_NEEDS_Q | LIMB_NEEDS_V | LIMB_NEEDS_TIME | LIMB_NEEDS_A | LIMB_NEEDS_TAU;
  how.dt = 0.01;
  if (limb_channels_create(m, env, &how, &c) != LIMB_OK) return;
  for (int i = 0; i < o->channels.count; i++) check_error(limb_channels_add(c, o->channels.value[i].text, &err), &err);
  if (limb_channels_count(c) <= NUMBERS) (void)!limb_channels_read(c, at, x, &err);
  for (int i = 0; i < limb_channels_count(c); i++) {
    char name[64];
    limb_channels_name(c, i, name, sizeof name);
    if (!*name || !limb_channels_unit(c, i)) fail("a number without name", &err);
  }
  limb_channels_destroy(c);
}

static void go(limb_runner* r, const limb_run* run, const limb_model* m)
{
  int left = STEPS;
  limb_error err = {0};
  limb_sim_event event;
  limb_sim_state at;
  limb_sim* sim = limb_runner_sim(r);
  const limb_runner_setup* setup = limb_runner_setup_of(r);
  const limb_sim_condition stop = {.value = few_steps, .context = &left, .ends = 1, .polled = 1};
  if (!(setup->end >= setup->start) || !isfinite(setup->end)) fail("an end before the start", &err);
  if (limb_sim_add_condition(sim, &stop, NULL) != LIMB_OK) return;
  limb_status s = limb_runner_start(r, &err);
  check_error(s, &err);
  for (int k = 0; k < STEPS && s == LIMB_OK && !limb_sim_over(sim); k++) {
    s = limb_sim_advance(sim, setup->end, &event);
    if (s != LIMB_OK && !*limb_runner_error(r)) fail("the simulation ends without a reason", &err);
    if (s == LIMB_OK && event.kind == LIMB_EVENT_NONE) break;
  }
  if (s != LIMB_OK || limb_sim_now(sim, &at) != LIMB_OK) return;
  for (int k = 0; k < limb_nq(m); k++)
    if (!isfinite(at.q[k])) fail("a position that is not finite", &err);
  for (int i = 0; i < run->noutput; i++) read_channels(&run->output[i], m, &setup->sim.env, &at);
}

// The robot of a run, if it is a small built-in one.
static limb_model* robot_of(const limb_run* run)
{
  const char* name = run->model.name.text;
  limb_read_options how = limb_default_read_options();
  limb_model* m = NULL;
  limb_error err = {0};
  const limb_status s = limb_run_model_options(run, &how, &err);
  check_error(s, &err);
  if (s != LIMB_OK || strchr(name, '.') || strcmp(name, "protein") == 0) return NULL;
  return limb_load(name, &how, &m, NULL) == LIMB_OK ? m : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  static int ready;
  limb_reading* reading = NULL;
  limb_read_options opt = limb_default_read_options();
  opt.max_bytes = (size_t)1 << 16;
  if (!ready++ && !work_in_new_folder()) abort(); // where none of the files is that a run names
  if (memchr(data, '/', size)) return 0;
  if (limb_read_run_text((const char*)data, size, "fuzz", &opt, &reading, NULL) == LIMB_OK) {
    const limb_run* run = limb_reading_run(reading);
    limb_model* m = robot_of(run);
    limb_runner* r = NULL;
    limb_error err = {0};
    const limb_status s = m ? limb_runner_create(run, m, NULL, &r, &err) : LIMB_OK;
    check_error(s, &err);
    if (r) go(r, run, m);
    limb_runner_destroy(r);
    limb_model_destroy(m);
  }
  limb_reading_destroy(reading);
  return 0;
}
