// Runs a run file from C: reads it, loads its robot, advances the simulation, and prints a channel and the events.
//
// limb/run.h reads the file, limb/runner.h sets up what it describes, limb/sim.h advances it. The same run with the
// tool: limb sim fall.yaml
#include <limb/limb.h>
#include <limb/runner.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "schema: 1\n"
                           "title: A falling arm with a damped shoulder\n"
                           "model: {name: planar_2r}\n"
                           "start: {q: {joint1: 30deg, joint2: -20deg}}\n"
                           "inputs:\n"
                           "  torques: {joint1: -5*v.joint1}\n"
                           "events: [{name: level, when: q.joint1 < 0}]\n"
                           "solver: {method: rk4, step: 1ms}\n"
                           "duration: 2 s\n";

static limb_status run_to_end(limb_runner* r, limb_channels* energy)
{
  const limb_runner_setup* setup = limb_runner_setup_of(r);
  limb_sim* sim = limb_runner_sim(r);
  limb_sim_event event = {.kind = LIMB_EVENT_NONE};
  limb_error err = {0};
  for (int row = 0; row <= 4; row++) {
    const double goal = setup->start + (setup->end - setup->start) * row / 4;
    limb_status s = limb_sim_advance(sim, goal, &event);
    while (s == LIMB_OK && event.kind != LIMB_EVENT_NONE) {
      printf("  %.4f s: %s\n", event.time, limb_runner_event_name(r, &event));
      s = limb_sim_advance(sim, goal, &event);
    }
    limb_sim_state at;
    double x[1];
    if (s == LIMB_OK) s = limb_sim_now(sim, &at);
    if (s == LIMB_OK) s = limb_channels_read(energy, &at, x, &err);
    if (s != LIMB_OK) return printf("at %.4f s: %s\n", goal, limb_runner_error(r)), s;
    printf("%5.2f s  joint1 %8.4f rad  energy %8.3f J\n", at.time, at.q[0], x[0]);
  }
  return LIMB_OK;
}

static limb_status simulate(const limb_run* run, const limb_model* robot, limb_error* err)
{
  limb_runner* runner = NULL;
  limb_channels* energy = NULL;
  limb_status s = limb_runner_create(run, robot, NULL, &runner, err);
  if (s == LIMB_OK) s = limb_channels_create(robot, &limb_runner_setup_of(runner)->sim.env, NULL, &energy);
  if (s == LIMB_OK) s = limb_channels_add(energy, "total_energy", err);
  if (s == LIMB_OK) s = limb_runner_start(runner, err);
  if (s == LIMB_OK) s = run_to_end(runner, energy);
  limb_channels_destroy(energy);
  limb_runner_destroy(runner);
  return s;
}

int main(void)
{
  limb_reading* reading = NULL;
  limb_model* robot = NULL;
  limb_error err = {0};
  limb_read_options how = limb_default_read_options();
  limb_status s = limb_read_run_text(text, strlen(text), "fall.yaml", NULL, &reading, &err);
  const limb_run* run = limb_reading_run(reading);
  if (s == LIMB_OK) s = limb_run_model_options(run, &how, &err);
  if (s == LIMB_OK) s = limb_load(run->model.name.text, &how, &robot, &err);
  if (s == LIMB_OK) s = simulate(run, robot, &err);
  if (s != LIMB_OK) printf("%d:%d: %s: %s\n", err.line, err.column, err.where, err.text);
  limb_model_destroy(robot);
  limb_reading_destroy(reading);
  return s != LIMB_OK;
}
