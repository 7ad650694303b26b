// Writes the functions of the robots whose generated code is measured: bench_generate DIRECTORY
#include "limb/codegen.h"

#include "support/robots.h"

#include <stdio.h>

static void put(void* file, const char* text) { (void)fputs(text, file); }

static int write_file(const limb_codegen* c, limb_codegen_file which, const char* directory, const char* name,
                      const char* suffix)
{
  char path[4096];
  const int n = snprintf(path, sizeof path, "%s/%s%s", directory, name, suffix);
  FILE* file = n > 0 && (size_t)n < sizeof path ? fopen(path, "w") : NULL;
  if (!file) return -1;
  const limb_status s = limb_codegen_write(c, which, put, file);
  const int bad = ferror(file);
  return (fclose(file) || bad || s != LIMB_OK) ? -1 : 0;
}

static int generate(const char* directory, const char* name, limb_model* m)
{
  limb_codegen_options o = limb_default_codegen_options();
  o.effort = 1.5; // half for each of the three
  o.what = "tau,M,acc";
  o.prefix = name;
  o.sines = LIMB_SINES_OWN;
  limb_codegen* c = NULL;
  limb_error error = {0};
  int bad = limb_codegen_create(m, &o, NULL, &c, &error) != LIMB_OK;
  if (bad) (void)fprintf(stderr, "bench_generate: %s: %s: %s\n", name, error.where, error.text);
  if (!bad) bad = write_file(c, LIMB_FILE_SOURCE, directory, name, ".c");
  if (!bad) bad = write_file(c, LIMB_FILE_HEADER, directory, name, ".h");
  limb_codegen_free(c);
  limb_model_destroy(m);
  return bad;
}

int main(int argc, char** argv)
{
  if (argc != 2) {
    (void)fputs("usage: bench_generate DIRECTORY\n", stderr);
    return 2;
  }
  return generate(argv[1], "ur5", robot_ur5()) || generate(argv[1], "panda", robot_panda());
}
