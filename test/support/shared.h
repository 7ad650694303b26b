// Real robots with results of another library, where that folder is: $LIMB_SHARED/robots/<robot>/.
#ifndef LIMB_TEST_SHARED_H
#define LIMB_TEST_SHARED_H

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static const char* const shared_robots[] = {"allegro_right_hand",
                                            "anymal_b",
                                            "baxter",
                                            "double_pendulum_continuous",
                                            "panda",
                                            "simple_humanoid",
                                            "solo12",
                                            "tiago",
                                            "ur5"};

enum { SHARED_ROBOTS = sizeof shared_robots / sizeof shared_robots[0] };

// A file of a robot's folder.
static inline void shared_path(char* path, size_t size, const char* name, const char* file)
{
  const char* folder = getenv("LIMB_SHARED");
  (void)snprintf(path, size, "%s/robots/%s/%s", folder ? folder : ".", name, file);
}

// Its results, to be freed with json_decref; NULL, and a line that it was skipped, when they are not there.
static inline json_t* shared_vectors(const char* name)
{
  char path[1024];
  json_error_t error;
  shared_path(path, sizeof path, name, "vectors.json");
  json_t* file = json_load_file(path, 0, &error);
  if (!file) printf("skipped: %s: not in $LIMB_SHARED/robots\n", name);
  return file;
}

#endif
