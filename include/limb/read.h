// limb: robot dynamics in C. Read robots from files: URDF, limb YAML, SYMORO .par, MJCF; built-in robots.
//
//     limb_model* robot = NULL;
//     limb_error err;
//     if (limb_load("arm.urdf", NULL, &robot, &err) != LIMB_OK)
//       fprintf(stderr, "arm.urdf:%d: %s: %s\n", err.line, err.where, err.text);
//
// limb_read() gives more: every finding with its line, and the builder, to be changed before it is built.
// Reading never needs meshes or other files, never runs anything, and does not look at the locale.
//
// This header belongs to the library limb_io (CMake limb::io, pkg-config limb-io).
#ifndef LIMB_READ_H
#define LIMB_READ_H

#include "limb/builder.h"
#include "limb/findings.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Languages of model files. Values are pinned.
typedef enum limb_format {
  LIMB_FORMAT_AUTO = 0, ///< by the name of the file, then by its content
  LIMB_FORMAT_URDF = 1, ///< .urdf
  LIMB_FORMAT_YAML = 2, ///< .limb.yaml, .yaml, .yml: docs/model-files.md
  LIMB_FORMAT_PAR = 3,  ///< .par of SYMORO+
  LIMB_FORMAT_MJCF = 4  ///< .xml, .mjcf: the part that is dynamics
} limb_format;

/// "urdf", "yaml", ...; NULL for a number that is none.
LIMB_API const char* limb_format_name(limb_format format);

/// The format that a file of this name is taken to have; LIMB_FORMAT_AUTO when its name does not tell.
LIMB_API limb_format limb_format_of_name(const char* path);

/// How a root body without a joint of its own hangs on the world. Values are pinned.
typedef enum limb_base {
  LIMB_BASE_AS_FILE = 0, ///< what the file says; fixed when it says nothing
  LIMB_BASE_FIXED = 1,
  LIMB_BASE_FLOATING = 2, ///< a free joint
  LIMB_BASE_PLANAR = 3    ///< a planar joint in the plane normal to z
} limb_base;

/// How to read. Start from limb_default_read_options().
typedef struct limb_read_options {
  size_t size;                 ///< sizeof(limb_read_options), set by the default function
  limb_format format;          ///< default AUTO
  limb_base base;              ///< the joint it adds is called "base"
  int no_mimic;                ///< 1: mimic joints become joints of their own; default 0
  size_t max_bytes;            ///< longer files are refused; default 64 MiB
  const limb_allocator* alloc; ///< NULL: malloc; expat and libyaml use malloc in any case
} limb_read_options;

static inline limb_read_options limb_default_read_options(void)
{
  const limb_read_options opt = {
    sizeof(limb_read_options), LIMB_FORMAT_AUTO, LIMB_BASE_AS_FILE, 0, (size_t)64 << 20, NULL};
  return opt;
}

/// What was read: a builder, findings, and where in the file each thing stands.
typedef struct limb_reading limb_reading;

/// Reads a robot.
/// @param source  path of a file, "-" for standard input, or the name of a built-in robot
///                (limb_robot_count); a file of that name goes first
/// @param opt     NULL: the defaults
/// @param out     the reading. It is also given when the file is faulty, for its findings: destroy it
///                whatever the status, NULL is fine
/// @return LIMB_OK; LIMB_E_IO (cannot be read, too large); LIMB_E_SYNTAX (not this language);
///         LIMB_E_MODEL (well-formed, but no robot); LIMB_E_UNSUPPORTED; LIMB_E_ARG; LIMB_E_NOMEM. err
///         holds the first error, the findings hold all.
LIMB_NODISCARD LIMB_API limb_status limb_read(const char* source, const limb_read_options* opt, limb_reading** out,
                                              limb_error* err);

/// The same from memory; format AUTO looks at the text. name is for messages.
LIMB_NODISCARD LIMB_API limb_status limb_read_text(const char* text, size_t size, const char* name,
                                                   const limb_read_options* opt, limb_reading** out, limb_error* err);

/// Frees a reading with its builder and findings; NULL is accepted.
LIMB_API void limb_reading_destroy(limb_reading* r);

LIMB_API const char* limb_reading_source(const limb_reading* r); ///< file name, for messages
LIMB_API limb_format limb_reading_format(const limb_reading* r);

/// The robot as read, owned by the reading; NULL when the file was faulty. Change it and build it.
LIMB_API limb_builder* limb_reading_builder(limb_reading* r);

/// Everything that was found; owned by the reading.
LIMB_API limb_findings* limb_reading_findings(limb_reading* r);

/// Line on which a body or joint of the builder begins; 0 when it is not from the file.
LIMB_API int limb_reading_body_line(const limb_reading* r, int body);
LIMB_API int limb_reading_joint_line(const limb_reading* r, int joint);

/// limb_read and limb_builder_build in one call.
LIMB_NODISCARD LIMB_API limb_status limb_load(const char* source, const limb_read_options* opt, limb_model** out,
                                              limb_error* err);

// ---- built-in robots -------------------------------------------------------------------------------

typedef struct limb_robot_info {
  const char* name;   ///< to be given to limb_read
  const char* title;  ///< one line
  const char* origin; ///< where its figures are from
  const char* text;   ///< the whole file, limb YAML; NULL for a robot made by a program
} limb_robot_info;

/// Reads a built-in robot, also where a file has its name.
/// @return as limb_read; LIMB_E_IO when there is none of that name.
LIMB_NODISCARD LIMB_API limb_status limb_read_robot(const char* name, const limb_read_options* opt, limb_reading** out,
                                                    limb_error* err);

LIMB_API int limb_robot_count(void);
LIMB_NODISCARD LIMB_API limb_status limb_get_robot(int index, limb_robot_info* out);

#ifdef __cplusplus
}
#endif

#endif
