// The files of a robot: the one that is read, and those it refers to. Where they are, whether they may be opened, and
// their content.
//
// A model comes from anywhere, and must not be a way to other files of the machine. So names lead to files below the
// folder of the model or of a ROS package, links resolved; anywhere else only with limb_read_options.any_file.
#ifndef LIMB_IO_FILES_H
#define LIMB_IO_FILES_H

#include "limb/read.h"

#include "io/findings.h"
#include "io/memory_pool.h"

#include <stdio.h>

typedef struct file_bytes {
  const char* text; // zero-terminated, in the pool
  size_t size;
  const char* path; // as opened; its folder is where relative names of this file begin
  int file;         // for file_pos
} file_bytes;

enum { LIMB_MAX_FOLDERS = 64 };

// What a reading may open.
typedef struct limb_files {
  memory_pool* pool;
  limb_findings* findings;
  const char* source;   // path of the model; NULL: a text, which refers to no files
  const char* packages; // package path
  int any_file;
  size_t left;                          // bytes that may still be loaded
  int loaded;                           // files
  int places;                           // decimal places of a number in the texts that were loaded, the most
  const char* folder[LIMB_MAX_FOLDERS]; // resolved: files below these may be opened
  int nfolder;
} limb_files;

// Files that the source, a path or NULL, may refer to. 0 when out of memory.
int limb_files_begin(limb_files* f, const char* source, const limb_read_options* opt, memory_pool* pool,
                     limb_findings* findings);

// Resolves a name as files write them: a path, relative to the folder of the file `from`, file://path,
// package://package/path or model://package/path. NULL when there is no such file or it may not be opened, which is
// reported for `about` at `at` by the rule; or out of memory.
const char* limb_files_find(limb_files* f, const char* name, const char* from, limb_rule rule, file_pos at,
                            limb_subject about);

// Whether the name leads to a file that may be opened; nothing is reported.
int limb_files_exists(limb_files* f, const char* name, const char* from);

// The same for a mesh, or a part of an MJCF file; without a report.
const char* limb_files_find_mesh(limb_files* files, const char* name, const char* from, file_pos at);

// The folder of a ROS package, by the first of these that has it: the package path; the folders above the source, up to
// the home folder of the user, and packages (with package.xml or model.config) beside them; ROS_PACKAGE_PATH;
// AMENT_PREFIX_PATH. Its files may be opened from then on. NULL: not found, or out of memory.
const char* limb_files_package(limb_files* f, const char* name, size_t length);

// Loads a file that limb_files_find has found: a text of the model, and any bytes, such as a mesh. 0 when that fails,
// which is reported likewise, or out of memory.
int limb_files_load(limb_files* f, const char* path, limb_rule rule, file_pos at, limb_subject about, file_bytes* out);
int limb_files_load_bytes(limb_files* f, const char* path, limb_rule rule, file_pos at, limb_subject about,
                          file_bytes* out);

// The most decimal places of a number in a text: 8 in 1.5 0.33333333.
int limb_decimal_places(const char* text, size_t size);

// ---- any stream -----------------------------------------------------------------------------------

// Loads a stream of at most limit bytes into the pool. *large: it has more. LIMB_E_IO: errno has the reason.
limb_status limb_load_stream(memory_pool* pool, FILE* stream, size_t limit, const char** text, size_t* size,
                             int* large);

int limb_is_folder(const char* path);

// Why a file cannot be read, independent of the locale.
const char* limb_io_reason(int code);

#endif
