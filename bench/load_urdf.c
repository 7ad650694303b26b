// How long it takes to read and compile a large URDF: the first time in a process, and the best of many.
//
//     limb_bench_load [LINKS]     default 2000
#include "limb/limb.h"
#include "limb/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 50, LINK_SPACE = 1024 };

static double milliseconds(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

// A link as exporters write them, with a mesh, and the joint that carries it. Returns behind it.
static char* add_link(char* to, int i)
{
  to += sprintf(to,
                "  <link name=\"link_%d\">\n    <inertial>\n"
                "      <origin xyz=\"0.01 -0.02 0.%d\" rpy=\"0.1 0 0\"/>\n      <mass value=\"1.%d\"/>\n"
                "      <inertia ixx=\"0.0123\" ixy=\"0.0001\" ixz=\"-0.0002\" iyy=\"0.0234\" "
                "iyz=\"0.0003\" izz=\"0.0345\"/>\n    </inertial>\n    <visual>\n"
                "      <geometry><mesh filename=\"package://r/link_%d.stl\"/></geometry>\n"
                "    </visual>\n  </link>\n",
                i, 10 + i % 80, i, i);
  if (i == 0) return to;
  return to + sprintf(to,
                      "  <joint name=\"joint_%d\" type=\"revolute\">\n"
                      "    <origin xyz=\"0 0 0.1\" rpy=\"%s 0 0\"/>\n"
                      "    <parent link=\"link_%d\"/>\n    <child link=\"link_%d\"/>\n"
                      "    <axis xyz=\"0 0 1\"/>\n    <limit lower=\"-2.5\" upper=\"2.5\" "
                      "effort=\"87\" velocity=\"2.175\"/>\n    <dynamics damping=\"0.5\" "
                      "friction=\"0.1\"/>\n  </joint>\n",
                      i, i % 2 ? "1.5707963267948966" : "-0.3", i - 1, i);
}

// One load; what the two halves took, in ms.
static int load(const char* text, size_t size, double* read, double* compile)
{
  limb_reading* r = NULL;
  limb_model* m = NULL;
  limb_error err;
  const double start = milliseconds();
  limb_status s = limb_read_text(text, size, "bench.urdf", NULL, &r, &err);
  const double between = milliseconds();
  if (s == LIMB_OK) s = limb_builder_build(limb_reading_builder(r), &m, &err);
  *compile = milliseconds() - between;
  *read = between - start;
  if (s != LIMB_OK) (void)fprintf(stderr, "%d: %s: %s\n", err.line, err.where, err.text);
  limb_model_destroy(m);
  limb_reading_destroy(r);
  return s == LIMB_OK;
}

int main(int argc, char** argv)
{
  const long links = argc > 1 ? strtol(argv[1], NULL, 10) : 2000;
  if (links < 1 || links > 100000) return 2;
  char* text = malloc((size_t)links * LINK_SPACE + LINK_SPACE);
  if (!text) return 1;
  char* end = text + sprintf(text, "<?xml version=\"1.0\"?>\n<robot name=\"long\">\n");
  for (int i = 0; i < (int)links; i++) end = add_link(end, i);
  end += sprintf(end, "</robot>\n");
  const size_t size = (size_t)(end - text);
  double read = 0, compile = 0, best_read = HUGE_VAL, best_compile = HUGE_VAL;
  int ok = load(text, size, &read, &compile);
  printf("%ld links, %.2f MB; first load: read %.1f ms, compiled %.1f ms\n", links, 1e-6 * (double)size, read, compile);
  for (int i = 0; ok && i < RUNS; i++) {
    ok = load(text, size, &read, &compile);
    best_read = fmin(best_read, read);
    best_compile = fmin(best_compile, compile);
  }
  printf("best of %d: read %.1f ms, compiled %.1f ms\n", RUNS, best_read, best_compile);
  free(text);
  return ok ? 0 : 1;
}
