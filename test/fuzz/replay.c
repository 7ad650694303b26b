// Feeds the files of a folder to a fuzz target, in place of libFuzzer.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// One file; 0 when it cannot be read.
static int replay(const char* folder, const char* name)
{
  char path[4096];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return 0;
  FILE* f = fopen(path, "rb");
  if (!f) return 0;
  uint8_t* data = NULL;
  int ok = fseek(f, 0, SEEK_END) == 0;
  const long size = ok ? ftell(f) : -1;
  ok = size >= 0 && fseek(f, 0, SEEK_SET) == 0;
  // Exactly as long as the file, so that a sanitizer sees a read behind its end.
  if (ok) data = malloc(size > 0 ? (size_t)size : 1);
  ok = data && fread(data, 1, (size_t)size, f) == (size_t)size;
  if (ok) (void)LLVMFuzzerTestOneInput(data, (size_t)size);
  free(data);
  (void)fclose(f);
  return ok;
}

int main(int argc, char** argv)
{
  DIR* folder = argc == 2 ? opendir(argv[1]) : NULL;
  if (!folder) {
    (void)fprintf(stderr, "usage: %s <folder of the corpus>\n", argv[0]);
    return 2;
  }
  int count = 0, failed = 0;
  for (const struct dirent* d = readdir(folder); d; d = readdir(folder)) {
    if (d->d_name[0] == '.') continue;
    if (replay(argv[1], d->d_name))
      count++;
    else
      failed++;
  }
  (void)closedir(folder);
  printf("%d inputs, %d unreadable\n", count, failed);
  return count > 0 && failed == 0 ? 0 : 1;
}
