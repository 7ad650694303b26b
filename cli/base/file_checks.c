// What a run reads and what it writes: checks before the first byte is written.
#define _POSIX_C_SOURCE 200809L // realpath, lstat, strdup
#define _XOPEN_SOURCE   700     // realpath

#include "limb/draw.h"
#include "base/command.h"
#include "base/output.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- links -----------------------------------------------------------------------------------------

// The target of a symbolic link, one step: a path to be freed; NULL: not a link.
static char* follow(const char* path)
{
  enum { LONGEST = 4096 }; // target of a link
  struct stat about;
  const char* slash = strrchr(path, '/');
  if (lstat(path, &about) != 0 || !S_ISLNK(about.st_mode)) return NULL;
  const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
  const size_t capacity = folder + LONGEST + 1;
  char* to = malloc(capacity);
  if (!to) return NULL;
  memcpy(to, path, folder);
  const ssize_t length = readlink(path, to + folder, LONGEST);
  if (length < 0) {
    free(to);
    return NULL;
  }
  to[folder + (size_t)length] = '\0';
  if (to[folder] == '/') memmove(to, to + folder, (size_t)length + 1);
  return to;
}

char* cli_resolve(const char* path)
{
  char* at = realpath(path, NULL);
  if (at) return at;
  at = strdup(path);
  for (int steps = 0; at && steps < 40; steps++) {
    char* next = follow(at);
    if (!next) break;
    free(at);
    at = next;
  }
  return at;
}

// ---- which file ------------------------------------------------------------------------------------

// A regular file by device and inode; one that does not exist yet by those of its folder, and its name.
typedef struct identity {
  int known; // 0: a device or a pipe, which several may use
  dev_t device;
  ino_t number;
  char* name; // NULL: it exists
} identity;

typedef struct announced {
  identity id;
  int written;
  char *label, *path;
} announced;

static struct {
  announced* file;
  int count, capacity;
} all;

void cli_forget_files(void)
{
  for (int i = 0; i < all.count; i++) {
    free(all.file[i].id.name);
    free(all.file[i].label);
    free(all.file[i].path);
  }
  free(all.file);
  memset(&all, 0, sizeof all);
}

static identity of_stat(const struct stat* about)
{
  return (identity){S_ISREG(about->st_mode) || S_ISDIR(about->st_mode), about->st_dev, about->st_ino, NULL};
}

// Streams have one user, also when they are pipes or terminals.
static identity of_stream(int stream)
{
  struct stat about;
  if (fstat(stream, &about) == 0 && S_ISREG(about.st_mode)) return of_stat(&about);
  return (identity){.known = 1, .name = strdup("-")};
}

// The folder of a path, to be freed.
static char* folder_of(const char* path)
{
  const char* slash = strrchr(path, '/');
  const size_t length = slash ? (size_t)(slash - path) + 1 : 2;
  char* folder = malloc(length + 1);
  if (!folder) return NULL;
  memcpy(folder, slash ? path : "./", length);
  folder[length] = '\0';
  return folder;
}

static identity of_new(const char* path)
{
  struct stat about;
  identity id = {0};
  char *to = cli_resolve(path), *folder = to ? folder_of(to) : NULL;
  if (folder && stat(folder, &about) == 0) {
    const char* slash = strrchr(to, '/');
    id = of_stat(&about);
    id.name = strdup(slash ? slash + 1 : to);
  }
  free(folder);
  free(to);
  return id;
}

static identity identify(const char* path, int written)
{
  struct stat about;
  if (strcmp(path, "-") == 0) return of_stream(written ? STDOUT_FILENO : STDIN_FILENO);
  if (stat(path, &about) == 0) return of_stat(&about);
  return written ? of_new(path) : (identity){0};
}

static int is_same(const identity* a, const identity* b)
{
  if (!a->known || !b->known || a->device != b->device || a->number != b->number) return 0;
  return a->name && b->name ? strcmp(a->name, b->name) == 0 : !a->name && !b->name;
}

// The file that is announced already as one of this kind; NULL: none.
static const announced* find(const identity* id, int written)
{
  for (int i = 0; i < all.count; i++)
    if (all.file[i].written == written && is_same(&all.file[i].id, id)) return &all.file[i];
  return NULL;
}

int cli_is_input(const char* path)
{
  identity id = identify(path, 1);
  const int input = !id.name && find(&id, 0) != NULL;
  free(id.name);
  return input;
}

// ---- announcing ------------------------------------------------------------------------------------

static char why[1200];

static const char* refuse(const char* path, const char* reason)
{
  (void)snprintf(why, sizeof why, "%.500s: %s", path, reason);
  return why;
}

static const char* cannot(const char* path, int code)
{
  (void)snprintf(why, sizeof why, "%.500s: cannot be written: %s", path, strerror(code));
  return why;
}

static const char* keep(identity* id, int written, const char* label, const char* path)
{
  if (all.count == all.capacity) {
    const int more = 2 * all.capacity + 16;
    announced* grown = realloc(all.file, (size_t)more * sizeof *grown);
    if (!grown) return "out of memory";
    all.file = grown;
    all.capacity = more;
  }
  announced x = {*id, written, strdup(label), strdup(path)};
  if (!x.label || !x.path) {
    free(x.label);
    free(x.path);
    return "out of memory";
  }
  all.file[all.count++] = x;
  *id = (identity){0};
  return NULL;
}

static const char* check_input(const identity* id, const char* path)
{
  for (int i = 0; i < all.count && strcmp(path, "-") == 0; i++)
    if (!all.file[i].written && strcmp(all.file[i].path, "-") == 0) return "standard input can be read only once";
  const char* name = strcmp(path, "-") == 0 ? "standard input" : path;
  identity out = of_stream(STDOUT_FILENO);
  const announced* other = id->name ? NULL : find(id, 1);
  const int shared = !id->name && is_same(id, &out);
  free(out.name);
  if (shared) return refuse(name, "is an input of this run, and its standard output");
  if (!other) return NULL;
  (void)snprintf(why, sizeof why, "%s: %.500s is an input of this run", other->label, other->path);
  return why;
}

const char* cli_input_refused(const char* path)
{
  if (!path) return NULL;
  identity id = identify(path, 0);
  const char* refused = id.known ? check_input(&id, path) : NULL;
  if (!refused && id.known) refused = keep(&id, 0, "", path);
  free(id.name);
  return refused;
}

int cli_ends_in(const char* path, const char* endings)
{
  const size_t length = strlen(path);
  while (*endings) {
    const size_t n = strcspn(endings, " ");
    if (length > n && strncmp(path + length - n, endings, n) == 0) return 1;
    endings += n + (endings[n] == ' ');
  }
  return 0;
}

// "ends in none of .csv, .npy and .h5"
static const char* wrong_ending(const char* label, const char* path, const char* endings)
{
  char list[120] = "";
  size_t used = 0;
  const char* first = strchr(endings, ' ') ? "ends in none of " : "does not end in ";
  for (const char* at = endings; *at && used < sizeof list - 1;) {
    const size_t n = strcspn(at, " ");
    const char* gap = at == endings ? "" : at[n] ? ", " : " and ";
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s", gap, (int)n, at);
    at += n + (at[n] == ' ');
  }
  (void)snprintf(why, sizeof why, "%s: '%.500s' %s%s", label, path, first, list);
  return why;
}

// Whether a temporary file beside it can be made and take its place.
static const char* check_folder(const char* path)
{
  struct stat about;
  const int exists = stat(path, &about) == 0;
  if (!exists && errno != ENOENT) return cannot(path, errno);
  if (exists && S_ISDIR(about.st_mode)) return cannot(path, EISDIR);
  if (exists && access(path, W_OK) != 0) return cannot(path, errno);
  if (exists && !S_ISREG(about.st_mode)) return NULL; // written directly
  char *to = cli_resolve(path), *folder = to ? folder_of(to) : NULL;
  const char* refused = NULL;
  if (!folder)
    refused = "out of memory";
  else if (to[strlen(to) - 1] == '/')
    refused = cannot(path, EISDIR);
  else if (access(folder, W_OK | X_OK) != 0)
    refused = cannot(path, errno);
  free(folder);
  free(to);
  return refused;
}

static const char* check_picture(const char* label, const char* path)
{
  limb_error err = {0};
  const limb_picture kind = limb_picture_of(path);
  if (kind == LIMB_PICTURE_NONE || limb_picture_check(kind, &err) == LIMB_OK) return NULL;
  (void)snprintf(why, sizeof why, "%s: %s", label, err.text);
  return why;
}

// Devices and pipes have no ending.
static int is_special(const char* path)
{
  struct stat about;
  return strncmp(path, "/dev/", 5) == 0 || (stat(path, &about) == 0 && !S_ISREG(about.st_mode));
}

static const char* check_others(const identity* id, const char* label, const char* path)
{
  const announced *input = id->name ? NULL : find(id, 0), *other = find(id, 1);
  if (input)
    (void)snprintf(why, sizeof why, "%s: %.500s is an input of this run", label, path);
  else if (other && strcmp(path, "-") == 0 && strcmp(other->path, "-") == 0)
    (void)snprintf(why, sizeof why, "%s and %s cannot share standard output", other->label, label);
  else if (other)
    (void)snprintf(why, sizeof why, "%s %.250s and %s %.250s are the same file", other->label, other->path, label,
                   path);
  return input || other ? why : NULL;
}

const char* cli_output_refused(const char* label, const char* path, const char* endings)
{
  const char* refused = NULL;
  if (strcmp(path, "-") != 0) {
    if (*endings && !is_special(path) && !cli_ends_in(path, endings)) return wrong_ending(label, path, endings);
    refused = check_folder(path);
    if (!refused) refused = check_picture(label, path);
    if (refused) return refused;
  }
  identity id = identify(path, 1);
  if (id.known) refused = check_others(&id, label, path);
  if (!refused && id.known) refused = keep(&id, 1, label, path);
  free(id.name);
  return refused;
}

int cli_reads(const cli_args* args, const char* path)
{
  const char* refused = cli_input_refused(path);
  return refused ? cli_usage(args, "%s", refused) : EXIT_FINE;
}

int cli_writes_to(const cli_args* args, const char* label, const char* path, const char* endings)
{
  const char* refused = cli_output_refused(label, path, endings);
  return refused ? cli_usage(args, "%s", refused) : EXIT_FINE;
}

int cli_writes(const cli_args* args, const char* option, const char* endings)
{
  char label[64];
  const char* path = cli_get(args, option);
  (void)snprintf(label, sizeof label, "--%s", option);
  return path ? cli_writes_to(args, label, path, endings) : EXIT_FINE;
}

const char* cli_format(const cli_args* args, const char* fallback)
{
  static const char* const forms[][2] = {{".txt", "text"},        {".json", "json"},   {".csv", "csv"},
                                         {".npy", "npy"},         {".arrow", "arrow"}, {".feather", "arrow"},
                                         {".parquet", "parquet"}, {".tex", "latex"},   {".html", "html"},
                                         {".htm", "html"},        {".c", "c"},         {".h", "c"}};
  const char *format = cli_get(args, "format"), *path = cli_get(args, "output"), *named = NULL;
  for (size_t k = 0; path && !is_special(path) && k < sizeof forms / sizeof *forms; k++)
    if (cli_ends_in(path, forms[k][0])) named = forms[k][1];
  if (!format || !named || strcmp(format, named) == 0) return format ? format : named ? named : fallback;
  (void)cli_usage(args, "--format %s contradicts the ending of '%s'", format, path);
  return NULL;
}
