// Names of files and packages to paths, and paths to texts.
#include "io/files.h"

#include "base/names.h"
#include "io/file_text.h"
#include "io/mesh.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FILES = 1000, MAX_UPWARDS = 8 };

// ---- streams --------------------------------------------------------------------------------------

// The size of a regular file; 0 for anything else, and for files that do not know theirs (as in /proc).
static size_t regular_size(FILE* stream)
{
  struct stat about;
  if (fstat(fileno(stream), &about) != 0 || !S_ISREG(about.st_mode)) return 0;
  return about.st_size > 0 ? (size_t)about.st_size : 0;
}

limb_status limb_load_stream(memory_pool* pool, FILE* stream, size_t limit, const char** text, size_t* size, int* large)
{
  const size_t whole = regular_size(stream);
  size_t capacity = whole ? whole + 1 : (size_t)1 << 16, used = 0;
  *large = whole > limit;
  char* bytes = *large ? NULL : limb_mempool_alloc(pool, capacity + 1);
  if (!bytes) return *large ? LIMB_OK : LIMB_E_NOMEM;
  while (!feof(stream) && !ferror(stream) && used <= limit) {
    if (used == capacity) {
      char* more = limb_mempool_alloc(pool, 2 * capacity + 1);
      if (!more) return LIMB_E_NOMEM;
      bytes = memcpy(more, bytes, used);
      capacity *= 2;
    }
    used += fread(bytes + used, 1, capacity - used, stream);
  }
  *large = used > limit;
  bytes[used] = 0;
  *text = bytes;
  *size = used;
  return ferror(stream) ? LIMB_E_IO : LIMB_OK;
}

int limb_is_folder(const char* path)
{
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int is_regular(const char* path)
{
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

const char* limb_io_reason(int code)
{
  switch (code) {
  case ENOENT: return "no such file";
  case EACCES: return "permission denied";
  case ENOTDIR: return "part of the path is not a folder";
  case EISDIR: return "it is a folder";
  case ENAMETOOLONG: return "the name is too long";
  case ELOOP: return "the path contains a loop of links";
  case EMFILE:
  case ENFILE: return "too many open files";
  case EIO: return "the device reports an error";
  default: return "the system refuses it";
  }
}

// ---- folders --------------------------------------------------------------------------------------

// The folder of a path, with its slash: "" for a file in the current one.
static char* folder_of(memory_pool* p, const char* path)
{
  const char* slash = strrchr(path, '/');
  return limb_mempool_text(p, path, slash ? (size_t)(slash - path) + 1 : 0);
}

// A path with all links and dots resolved; NULL when there is no such file, or out of memory.
static char* resolve(memory_pool* p, const char* path)
{
  char resolved[PATH_MAX];
  return realpath(*path ? path : ".", resolved) ? limb_mempool_text(p, resolved, strlen(resolved)) : NULL;
}

// Whether a resolved path is in a resolved folder.
static int is_below(const char* path, const char* folder)
{
  const size_t length = folder ? strlen(folder) : 0;
  if (!length || strncmp(path, folder, length) != 0) return 0;
  return path[length] == '/' || path[length] == 0 || folder[length - 1] == '/';
}

// Cuts the last part of a resolved path off; 0 at the root.
static int cut(char* path)
{
  char* slash = strrchr(path, '/');
  if (!slash || slash == path) return 0;
  *slash = 0;
  return 1;
}

// The folder with package.xml that a resolved folder belongs to; NULL: none, or out of memory.
static char* package_above(memory_pool* p, const char* folder)
{
  char* up = limb_mempool_text(p, folder, strlen(folder));
  for (int i = 0; up && i < MAX_UPWARDS; i++) {
    const char* manifest = limb_mempool_join(p, up, "/package.xml", "");
    if (manifest && is_regular(manifest)) return up;
    if (!cut(up)) return NULL;
  }
  return NULL;
}

// Files below a folder may be opened.
static void trust(limb_files* f, const char* folder)
{
  const char* full = f->nfolder < LIMB_MAX_FOLDERS ? resolve(f->pool, folder) : NULL;
  for (int i = 0; full && i < f->nfolder; i++) {
    if (strcmp(f->folder[i], full) == 0) return;
  }
  if (full) f->folder[f->nfolder++] = full;
}

static const char* trust_each(limb_files* f, const char* folder, const char* name)
{
  (void)name;
  trust(f, folder);
  return NULL;
}

// Calls a function with each folder of a path (a:b:c), until one gives a result.
typedef const char* folder_fn(limb_files* f, const char* folder, const char* name);

static const char* each_folder(limb_files* f, const char* path, const char* name, folder_fn* visit)
{
  while (path && *path) {
    const size_t length = strcspn(path, ":");
    const char* folder = length ? limb_mempool_text(f->pool, path, length) : NULL;
    const char* found = folder ? visit(f, folder, name) : NULL;
    if (found) return found;
    path += length + (path[length] == ':');
  }
  return NULL;
}

int limb_files_begin(limb_files* f, const char* source, const limb_read_options* opt, memory_pool* pool,
                     limb_findings* findings)
{
  *f = (limb_files){.pool = pool,
                    .findings = findings,
                    .source = source,
                    .packages = opt->package_path ? opt->package_path : "",
                    .any_file = opt->any_file,
                    .left = opt->max_bytes};
  if (!source) return 1;
  const char* folder = folder_of(pool, source);
  const char* home = folder ? resolve(pool, folder) : NULL;
  const char* package = home ? package_above(pool, home) : NULL;
  if (home) trust(f, package ? package : home);
  (void)each_folder(f, f->packages, NULL, trust_each);
  return folder != NULL;
}

// ---- packages -------------------------------------------------------------------------------------

// folder/name, if it is a folder.
static const char* package_in(limb_files* f, const char* folder, const char* name)
{
  const char* path = limb_mempool_join(f->pool, folder, "/", name);
  return path && limb_is_folder(path) ? path : NULL;
}

// The folder itself, if that is its name: paths of packages list workspaces as well as packages.
static const char* package_or_in(limb_files* f, const char* folder, const char* name)
{
  const char* inside = package_in(f, folder, name);
  if (inside) return inside;
  const char* full = resolve(f->pool, folder);
  const char* slash = full ? strrchr(full, '/') : NULL;
  return slash && strcmp(slash + 1, name) == 0 ? full : NULL;
}

// Installed packages of ROS 2: prefix/share/name.
static const char* package_of_prefix(limb_files* f, const char* folder, const char* name)
{
  const char* share = limb_mempool_join(f->pool, folder, "/share", "");
  return share ? package_in(f, share, name) : NULL;
}

// Whether a folder says that it is a package of ROS or a model of Gazebo. Any other folder beside a model that a file
// names would be open to it.
static int is_package(limb_files* f, const char* folder)
{
  const char* ros = limb_mempool_join(f->pool, folder, "/package.xml", "");
  const char* gazebo = limb_mempool_join(f->pool, folder, "/model.config", "");
  return (ros && is_regular(ros)) || (gazebo && is_regular(gazebo));
}

// The folder that has the package's name, upwards from the source; or a package of that name beside one of these.
static const char* package_upwards(limb_files* f, const char* name)
{
  const char* folder = f->source ? folder_of(f->pool, f->source) : NULL;
  char* up = folder ? resolve(f->pool, folder) : NULL;
  const char* home = getenv("HOME");
  for (int i = 0; up && i < MAX_UPWARDS; i++) {
    const char *slash = strrchr(up, '/'), *beside = package_in(f, up, name);
    if (beside && is_package(f, beside)) return beside;
    if (slash && strcmp(slash + 1, name) == 0) return up;
    if ((home && is_below(home, up)) || !cut(up)) return NULL;
  }
  return NULL;
}

// The path of a mesh, or of a part of an MJCF file; NULL: not found, or out of memory.
const char* limb_files_find_mesh(limb_files* files, const char* name, const char* from, file_pos at)
{
  const char* part = limb_mjcf_fragment(name);
  const char* file = part ? limb_mempool_text(files->pool, name, (size_t)(part - name) - 1) : name;
  limb_findings* reports = files->findings;
  files->findings = NULL;
  const char* path =
    file ? limb_files_find(files, file, from, RULE_MISSING_MESH, at, (limb_subject){NULL, NULL}) : NULL;
  files->findings = reports;
  return path && part ? limb_mempool_join(files->pool, path, "#", part) : path;
}

const char* limb_files_package(limb_files* f, const char* name, size_t length)
{
  const char* copy = length && length <= LIMB_NAME_MAX ? limb_mempool_text(f->pool, name, length) : NULL;
  if (!copy || strchr(copy, '/') || copy[0] == '.') return NULL;
  const char* found = each_folder(f, f->packages, copy, package_or_in);
  if (!found) found = package_upwards(f, copy);
  if (!found) found = each_folder(f, getenv("ROS_PACKAGE_PATH"), copy, package_or_in);
  if (!found) found = each_folder(f, getenv("AMENT_PREFIX_PATH"), copy, package_of_prefix);
  if (found) trust(f, found);
  return found;
}

// The longest end of a path that is a file below a folder: meshes/a.stl of robots/arm/meshes/a.stl.
static const char* end_in(limb_files* f, const char* folder, const char* path)
{
  for (const char* end = strchr(path, '/'); end; end = strchr(end + 1, '/')) {
    const char* file = limb_mempool_join(f->pool, folder, end, "");
    if (strncmp(end, "/../", 4) != 0 && file && is_regular(file)) return file;
  }
  return NULL;
}

// ---- files ----------------------------------------------------------------------------------------

static const char* not_found(limb_files* f, limb_rule rule, file_pos at, limb_subject about, const char* name,
                             const char* why)
{
  limb_report(f->findings, rule, at, about, "the file '%s' cannot be read: %s", limb_excerpt(name, NULL).text, why);
  return NULL;
}

static const char* unknown_package(limb_files* f, limb_rule rule, file_pos at, limb_subject about, const char* name,
                                   size_t length)
{
  limb_report(f->findings, rule, at, about, "the package '%s' is not found",
              limb_excerpt(name, name + (length < LIMB_NAME_MAX ? length : LIMB_NAME_MAX)).text);
  limb_report_hint(f->findings, "name the folder that contains it: --package-path FOLDER, or ROS_PACKAGE_PATH");
  return NULL;
}

static int may_open(limb_files* f, const char* path)
{
  const char* full = resolve(f->pool, path);
  int allowed = full && f->any_file;
  for (int i = 0; full && i < f->nfolder; i++) allowed |= is_below(full, f->folder[i]);
  return allowed;
}

// The package and the path in it of package://name/path, or model://name/path as SDF has it; NULL for other names.
static const char* in_package(const char* name)
{
  return strncmp(name, "package://", 10) == 0 ? name + 10 : strncmp(name, "model://", 8) == 0 ? name + 8 : NULL;
}

// A path in a package, file://path or a path relative to the folder of a file. NULL: no such package, or out of memory.
static const char* path_of(limb_files* f, const char* name, const char* from)
{
  const char* inside = in_package(name);
  if (inside) {
    const size_t length = strcspn(inside, "/");
    const char* package = limb_files_package(f, inside, length);
    // Descriptions that were copied out of their package: the user has named the folder.
    return package ? limb_mempool_join(f->pool, package, inside + length, "")
                   : each_folder(f, f->packages, inside, end_in);
  }
  if (strncmp(name, "file://", 7) == 0) name += 7;
  const char* folder = *name == '/' ? "" : folder_of(f->pool, from);
  return folder ? limb_mempool_join(f->pool, folder, name, "") : NULL;
}

int limb_files_exists(limb_files* f, const char* name, const char* from)
{
  const char* path = f->source ? path_of(f, name, from) : NULL;
  return path && is_regular(path) && may_open(f, path);
}

const char* limb_files_find(limb_files* f, const char* name, const char* from, limb_rule rule, file_pos at,
                            limb_subject about)
{
  if (!f->source) return not_found(f, rule, at, about, name, "a text that is not in a file refers to no others");
  const char* path = path_of(f, name, from);
  const char* inside = in_package(name);
  if (!path && inside) return unknown_package(f, rule, at, about, inside, strcspn(inside, "/"));
  if (!path) return NULL;
  struct stat information;
  errno = 0;
  if (stat(path, &information) != 0) return not_found(f, rule, at, about, name, limb_io_reason(errno));
  if (!S_ISREG(information.st_mode)) return not_found(f, rule, at, about, name, "it is not a regular file");
  if (may_open(f, path)) return path;
  (void)not_found(f, rule, at, about, name, "it is outside the folder of the model");
  limb_report_hint(f->findings, "if you trust the model, allow it: --any-file, or --package-path FOLDER");
  return NULL;
}

int limb_decimal_places(const char* text, size_t size)
{
  int max = 0, places = -1; // -1: not behind a point
  for (size_t i = 0; i < size; i++) {
    if (is_digit(text[i])) {
      places += places >= 0;
    } else {
      max = places > max ? places : max;
      places = text[i] == '.' && i > 0 && (is_digit(text[i - 1]) || is_blank(text[i - 1])) ? 0 : -1;
    }
  }
  return max;
}

int limb_files_load_bytes(limb_files* f, const char* path, limb_rule rule, file_pos at, limb_subject about,
                          file_bytes* out)
{
  int large = 0;
  *out = (file_bytes){.path = path};
  if (f->loaded++ >= MAX_FILES)
    return not_found(f, rule, at, about, path, "the model refers to too many files") != NULL;
  FILE* stream = fopen(path, "rb");
  if (!stream) return not_found(f, rule, at, about, path, limb_io_reason(errno)) != NULL;
  errno = 0;
  const limb_status status = limb_load_stream(f->pool, stream, f->left, &out->text, &out->size, &large);
  const int code = errno;
  (void)fclose(stream);
  if (status == LIMB_E_IO) return not_found(f, rule, at, about, path, limb_io_reason(code)) != NULL;
  if (large) {
    (void)not_found(f, rule, at, about, path, "the files of the model are too large together");
    limb_report_hint(f->findings, "raise the limit (--max-bytes) if these are the right files");
    return 0;
  }
  if (status) return 0;
  f->left -= out->size;
  out->file = limb_findings_add_file(f->findings, path);
  return out->file > 0;
}

int limb_files_load(limb_files* f, const char* path, limb_rule rule, file_pos at, limb_subject about, file_bytes* out)
{
  if (!limb_files_load_bytes(f, path, rule, at, about, out)) return 0;
  const int places = limb_decimal_places(out->text, out->size);
  f->places = places > f->places ? places : f->places;
  return 1;
}
