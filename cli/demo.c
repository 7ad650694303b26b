// `limb demo`: what limb computes, for a few built-in robots, and how well it agrees with itself.
#include "demo.h"
#include "cli.h"

#include <stdio.h>

static void show_robot(demo_run* run, int number, const demo_robot* r)
{
  char heading[96];
  (void)snprintf(heading, sizeof heading, "%d. %s: %s", number, r->name, r->about);
  demo_print(DEMO_BOLD, heading);
  puts("");
  demo_show_compiled(run, r);
  demo_show_torques(run, r);
  demo_show_mass_matrix(run, r);
  demo_show_fall(run, r);
  puts("\n");
}

static void show_verdict(const demo_run* run)
{
  puts("");
  if (run->findings == 0) demo_print(DEMO_GOOD, "Every check passed.");
  if (run->findings > 0) demo_print(DEMO_BAD, "A CHECK FAILED: see above.");
  puts(" How to do this in C: README.md, examples/. Signs, orders: limb --conventions.");
  puts("Robots in motion: docs/gallery.md; limb sim planar_2r --duration 10s --animate fall.html");
}

static int finish(const demo_run* run)
{
  if (run->status != LIMB_OK) {
    (void)fprintf(stderr, "limb demo: %s\n", limb_status_text(run->status));
    return EXIT_NUMERICAL;
  }
  if (limb_cli_close_output("limb demo") != EXIT_FINE) return EXIT_USAGE;
  return run->findings == 0 ? EXIT_FINE : EXIT_FINDINGS;
}

int limb_cmd_demo(void)
{
  demo_robot robots[DEMO_ROBOTS];
  demo_run run = {.status = demo_robots_make(robots)};
  const uint32_t v = limb_version();
  if (run.status == LIMB_OK) {
    printf("limb %u.%u.%u, robot dynamics in C. SI units, radians; gravity 9.81 m/s^2.\n\n", v >> 16, v >> 8 & 0xff,
           v & 0xff);
    for (int i = 0; i < DEMO_ROBOTS && run.status == LIMB_OK; i++) show_robot(&run, i + 1, &robots[i]);
  }
  if (run.status == LIMB_OK) demo_show_loops(&run, DEMO_ROBOTS + 1);
  if (run.status == LIMB_OK) demo_show_agreement(&run, robots);
  if (run.status == LIMB_OK) demo_show_speed(&run, robots);
  if (run.status == LIMB_OK) show_verdict(&run);
  demo_robots_free(robots);
  return finish(&run);
}
