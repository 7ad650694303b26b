// limb: robot dynamics in C. Robots from files and to files: URDF, limb YAML, SYMORO .par, MJCF.
//
//     limb_model* robot = NULL;
//     limb_error err;
//     char line[LIMB_ERROR_LINE];
//     if (limb_load("arm.urdf", NULL, &robot, &err) != LIMB_OK)
//       puts(limb_error_line("arm.urdf", &err, line)); // arm.urdf:12:3: joint 'elbow': its axis is zero
//     else if (*err.text)
//       puts(limb_error_line("arm.urdf", &err, line)); // a warning
//
// limb_read() returns more: every finding with its line, and the builder, which can be changed before it is built.
// limb_write() writes a builder to a file. Reading never executes anything, opens only files below the folder of the
// model and of ROS packages unless allowed to, and does not depend on the locale.
//
// This header belongs to the library limb_io (CMake limb::io, pkg-config limb-io).
#ifndef LIMB_READ_H
#define LIMB_READ_H

#include "limb/builder.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LIMB_NAME_MAX = 1000 }; ///< bytes of a name in a model file: longer ones are an error

enum { LIMB_ERROR_LINE = 500 };

/// An error as one line: file, position, subject and sentence, without the parts that it does not have.
/// @return line; "" if a pointer is NULL.
LIMB_API const char* limb_error_line(const char* file, const limb_error* err, char line[LIMB_ERROR_LINE]);

// ---- findings --------------------------------------------------------------------------------------
//
// Readers, writers and the doctor report everything in a list of findings: errors, warnings, assumptions. Each finding
// belongs to a rule. Rules have stable names, and explain why something matters and what to do.

/// Severity of a finding. Values are pinned.
typedef enum limb_severity {
  LIMB_NOTE = 0,    ///< information: assumed, dropped, merged
  LIMB_WARNING = 1, ///< legal, but probably not intended
  LIMB_ERROR = 2    ///< not a model, or one that no real robot can have
} limb_severity;

/// "note", "warning", "error"; NULL for any other number.
LIMB_API const char* limb_severity_name(limb_severity severity);

/// One finding. Strings are valid as long as the list.
typedef struct limb_finding {
  const char* rule; ///< name of the rule, such as "inertia-triangle"
  limb_severity severity;
  int line, column;  ///< position in the file, 1-based; 0: none
  const char* where; ///< subject, such as "link 'forearm'"; "" for the file as a whole
  const char* text;  ///< what is wrong, with the numbers
  const char* hint;  ///< the likely cause in this case, or what to do; "": none
  const char* file;  ///< path of the file of line and column; "": the file that is read
} limb_finding;

/// A growing list of findings. Belongs to one thread at a time.
typedef struct limb_findings limb_findings;

/// @return LIMB_OK; LIMB_E_ARG (out is NULL, incomplete allocator); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_findings_create(const limb_allocator* alloc, limb_findings** out);

/// Frees a list; NULL is accepted.
LIMB_API void limb_findings_destroy(limb_findings* f);

/// Number of all findings, and of those with at least a severity. 0 if f is NULL.
LIMB_API int limb_findings_count(const limb_findings* f);
LIMB_API int limb_findings_count_from(const limb_findings* f, limb_severity severity);

/// One finding, in the order of the reports (after limb_findings_sort: by position).
/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_NODISCARD LIMB_API limb_status limb_findings_get(const limb_findings* f, int index, limb_finding* out);

/// Sorts by line and column (stable); findings without a position are last.
LIMB_API void limb_findings_sort(limb_findings* f);

/// A rule: the explanation shared by its findings.
typedef struct limb_rule_info {
  const char* name;
  limb_severity severity; ///< of its findings
  const char* why;        ///< why it matters, one sentence
  const char* fix;        ///< what to do, one sentence
} limb_rule_info;

/// The rules of readers, doctor and writers.
/// @return of limb_get_rule: LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_API int limb_rule_count(void);
LIMB_NODISCARD LIMB_API limb_status limb_get_rule(int index, limb_rule_info* out);
LIMB_API int limb_find_rule(const char* name); ///< index; -1: none

// ---- reading ---------------------------------------------------------------------------------------

/// Formats of model files. Values are pinned.
typedef enum limb_format {
  LIMB_FORMAT_AUTO = 0, ///< by the name of the file, then by its content
  LIMB_FORMAT_URDF = 1, ///< .urdf
  LIMB_FORMAT_YAML = 2, ///< .limb.yaml, .yaml, .yml: docs/model-files.md
  LIMB_FORMAT_PAR = 3,  ///< .par of SYMORO+
  LIMB_FORMAT_MJCF = 4, ///< .xml, .mjcf: the elements that describe dynamics
  LIMB_FORMAT_SDF = 5   ///< .sdf, .world: a model, or the one of a world
} limb_format;

/// "urdf", "yaml", ...; NULL for any other number.
LIMB_API const char* limb_format_name(limb_format format);

/// The format of a file name; LIMB_FORMAT_AUTO if the name does not determine it.
LIMB_API limb_format limb_format_of_name(const char* path);

/// How a root body without a joint of its own is attached to the world. Values are pinned.
typedef enum limb_base {
  LIMB_BASE_AS_FILE = 0, ///< as stated in the file; fixed if it states nothing
  LIMB_BASE_FIXED = 1,
  LIMB_BASE_FLOATING = 2, ///< a free joint
  LIMB_BASE_PLANAR = 3    ///< a planar joint in the plane normal to z
} limb_base;

/// Options of reading. Start from limb_default_read_options().
typedef struct limb_read_options {
  size_t size;                 ///< sizeof(limb_read_options), set by the default function
  limb_format format;          ///< default AUTO
  limb_base base;              ///< default AS_FILE; a joint that is added has the name "base"
  int no_mimic;                ///< 1: mimic joints become independent joints; default 0
  size_t max_bytes;            ///< larger files are an error; default 64 MiB
  const limb_allocator* alloc; ///< NULL: malloc; expat and libyaml always use malloc
  const char* package_path;    ///< folders of ROS packages, a:b:c, searched first; NULL: none; kept by the caller
  const char* model_name;      ///< the robot, in a file with several models (SDF); NULL: the only one
  const char* const* xacro_arguments; ///< name:=value, closed by NULL; NULL: none; kept by the caller
  int any_file;          ///< 1: the model may refer to any file, not only below its folder, its package and
                         ///< other packages; default 0
  double loop_tolerance; ///< limb_builder_set_loop_tolerance; default 0: what the file states, or ten units of the last
                         ///< decimal place of its numbers, from 1e-7 to 1e-4
  const char* srdf;      ///< path of a SRDF file with named poses and rotors; NULL: none; kept by the caller
  double density;        ///< > 0: links of a URDF file without mass get that of their shapes, <collision> or else
                         ///< <visual>, filled with this density [kg/m^3]; default 0: they have no mass
  int shapes;            ///< 1: the builder gets the shapes of the robot (limb/edit.h), for display and for writers;
                         ///< their meshes are looked for, and not opened. What is wrong with shapes is a warning
} limb_read_options;

LIMB_API limb_read_options limb_default_read_options(void);

/// The result of reading: a builder, findings, and the position of each definition in the file.
typedef struct limb_reading limb_reading;

/// Reads a robot.
/// @param source  path of a file, "-" for standard input, or the name of a built-in robot (limb_robot_count); a
///                file of that name takes precedence
/// @param opt     NULL: the defaults
/// @param out     the reading, also for a faulty file (with its findings): destroy it whatever the status (output)
/// @param err     the first error; the findings have all of them. NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_IO (cannot be read, too large); LIMB_E_SYNTAX (malformed); LIMB_E_MODEL (well-formed, but
///         not a robot); LIMB_E_UNSUPPORTED; LIMB_E_ARG; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_read(const char* source, const limb_read_options* opt, limb_reading** out,
                                              limb_error* err);

/// The same from memory. LIMB_FORMAT_AUTO examines the text. name appears in messages.
LIMB_NODISCARD LIMB_API limb_status limb_read_text(const char* text, size_t size, const char* name,
                                                   const limb_read_options* opt, limb_reading** out, limb_error* err);

/// Frees a reading with its builder and findings; NULL is accepted.
LIMB_API void limb_reading_destroy(limb_reading* r);

LIMB_API const char* limb_reading_source(const limb_reading* r); ///< file name, for messages
LIMB_API limb_format limb_reading_format(const limb_reading* r);

/// How the file places its joints: POE if it has screws, MDH or DH if it has rows; otherwise POSES.
LIMB_API limb_form limb_reading_form(const limb_reading* r);

/// The robot as read, owned by the reading, to be changed or built; NULL if the file was faulty.
LIMB_API limb_builder* limb_reading_builder(limb_reading* r);

/// All findings; owned by the reading.
LIMB_API limb_findings* limb_reading_findings(limb_reading* r);

/// Line on which the definition of a body or joint begins; 0 if it is not from the file.
LIMB_API int limb_reading_body_line(const limb_reading* r, int body);
LIMB_API int limb_reading_joint_line(const limb_reading* r, int joint);

/// Where a pose holds a joint: the numbers of its q, quaternions x y z w.
typedef struct limb_pose_value {
  const char* joint;
  int count;
  double q[7];
} limb_pose_value;

/// A configuration with a name: of `poses` in limb YAML, a <key> of MJCF, a <group_state> of SRDF. Strings and values
/// are valid as long as the reading.
typedef struct limb_named_pose {
  const char* name;
  int count;
  const limb_pose_value* value; ///< of the joints that it names
} limb_named_pose;

/// The poses of the files, whose joints the robot has as it was read. limb_run_take_pose (limb/runner.h) puts one into
/// q.
/// @return of limb_reading_get_pose: LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_API int limb_reading_pose_count(const limb_reading* r);
LIMB_NODISCARD LIMB_API limb_status limb_reading_get_pose(const limb_reading* r, int index, limb_named_pose* out);

/// limb_read and limb_builder_build in one call.
/// @param err  the first error; with LIMB_OK the first warning, as of limits that were swapped and are not used, and
///             how many there are, or an empty text. NULL: not needed (output)
/// @return as limb_read and limb_builder_build.
LIMB_NODISCARD LIMB_API limb_status limb_load(const char* source, const limb_read_options* opt, limb_model** out,
                                              limb_error* err);

// ---- meshes ----------------------------------------------------------------------------------------
//
//     limb_triangles* mesh = NULL;
//     if (limb_read_triangles(shape.path, 0, &mesh, &err) == LIMB_OK) draw(mesh->vertex, mesh->triangle, ...);
//     limb_triangles_destroy(mesh);

/// A run of triangles with one material.
typedef struct limb_triangle_part {
  int first, count; ///< triangles
  const char* name; ///< of the material; "": none
  int has_color;    ///< 1: color is given
  double color[4];  ///< red, green, blue, opacity, from 0 to 1
} limb_triangle_part;

/// A mesh as triangles, in metres: the unit of COLLADA is applied, its up axis is not, as in RViz; the y axis of glTF
/// becomes the z axis, as in RViz, Drake and Blender.
typedef struct limb_triangles {
  int nvertex, ntriangle, npart;
  const double* vertex;           ///< nvertex x 3
  const int* triangle;            ///< ntriangle x 3 vertices, counter-clockwise seen from outside; 0: a cloud of points
  const limb_triangle_part* part; ///< in order, all triangles
} limb_triangles;

/// Reads a mesh: STL (binary and text), OBJ, MSH of MuJoCo, COLLADA (.dae) and glTF (.gltf, .glb), the colors of the
/// last two and of OBJ included; files that it refers to lie in its folder. Vertices are those of the file: multiply
/// them by limb_shape_def.extent.
/// @param path       its ending is the format; model.xml#mesh/NAME and model.xml#hfield/NAME are what an MJCF file
///                   contains itself
/// @param max_bytes  larger files are an error; 0: 64 MiB
/// @return LIMB_OK; LIMB_E_IO (cannot be read, too large); LIMB_E_SYNTAX (faulty); LIMB_E_UNSUPPORTED (another format);
///         LIMB_E_ARG (NULL); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_read_triangles(const char* path, size_t max_bytes, limb_triangles** out,
                                                        limb_error* err);

/// Frees a mesh; NULL is accepted.
LIMB_API void limb_triangles_destroy(limb_triangles* mesh);

// ---- motors and gearboxes ---------------------------------------------------------------------------

/// Reads a file of motors and gearboxes in YAML, for sizing (limb/study.h): catalogues of both, and what drives which
/// joint (docs/for-design.md). The reading is without builder; names of joints are not checked.
/// @param opt  only max_bytes and alloc are used; NULL: the defaults
/// @return as limb_read; LIMB_E_MODEL: the file has errors, which are among the findings.
LIMB_NODISCARD LIMB_API limb_status limb_read_motors(const char* path, const limb_read_options* opt, limb_reading** out,
                                                     limb_error* err);

/// The same from memory.
LIMB_NODISCARD LIMB_API limb_status limb_read_motors_text(const char* text, size_t size, const char* name,
                                                          const limb_read_options* opt, limb_reading** out,
                                                          limb_error* err);

/// The gearmotor of joint k of the file, in its order; NULL: there is none. Names are valid as long as the reading.
LIMB_API const limb_gearmotor* limb_reading_motor(const limb_reading* r, int k);

// ---- built-in robots -------------------------------------------------------------------------------

typedef struct limb_robot_info {
  const char* name;   ///< for limb_read
  const char* title;  ///< one line
  const char* origin; ///< source of its numbers
  const char* text;   ///< the whole file, limb YAML; NULL for a robot that a program generates
} limb_robot_info;

/// Reads a built-in robot, even if a file has its name.
/// @return as limb_read; LIMB_E_IO: no built-in robot has that name.
LIMB_NODISCARD LIMB_API limb_status limb_read_robot(const char* name, const limb_read_options* opt, limb_reading** out,
                                                    limb_error* err);

LIMB_API int limb_robot_count(void);

/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_NODISCARD LIMB_API limb_status limb_get_robot(int index, limb_robot_info* out);

/// Passes the URDF that a xacro file expands to to a callback, piece by piece. The robot itself may be faulty.
/// @return LIMB_OK; LIMB_E_UNSUPPORTED (the file is not xacro, or could not be expanded: the findings have the reason);
///         LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_write_expanded(const limb_reading* r, limb_text_fn* write, void* context,
                                                        limb_error* err);

// ---- writing ---------------------------------------------------------------------------------------

/// Passes a robot in a file format to a callback, piece by piece. To write a model, use limb_builder_from_model.
///
/// limb YAML can express every robot, and reads back to the same bits. URDF cannot: what it lacks is written to an
/// element <limb>, which other readers ignore, and is reported. MJCF is for MuJoCo, whose M and bias forces are the
/// same; joints with several coordinates are several joints, rotors armatures, and what it lacks is reported. So it is
/// for SDF, and for .par, which has revolute and prismatic joints on numbered links.
/// @param format    any but AUTO
/// @param findings  what the format cannot express, or other readers will not understand; NULL: not needed
/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_MODEL (no body, a body without joint or with two); LIMB_E_UNSUPPORTED
///         (another format, a name with control characters or not in UTF-8, a loop whose prescribed motion is a
///         function, a joint that MJCF does not have); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_write(const limb_builder* b, limb_format format, limb_text_fn* write,
                                               void* context, limb_findings* findings, limb_error* err);

/// Passes the poses of a reading to a callback, as the section `poses` that follows limb YAML of that robot. Joints
/// that b does not have, as when it was changed, are left out.
/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_write_poses(const limb_reading* r, const limb_builder* b, limb_text_fn* write,
                                                     void* context);

/// limb YAML with the joints in a form: LIMB_FORM_POSES as limb_write; LIMB_FORM_MDH with rows for all joints
/// about or along z of their child (limb_builder_with_mdh makes a robot of such joints), and poses for others;
/// LIMB_FORM_POE with screws in world axes for revolute, prismatic, helical and cylindrical joints, and homes for
/// all bodies. The robot that is read back differs by rounding only. LIMB_FORM_DH cannot be written.
/// @return as limb_write
LIMB_NODISCARD LIMB_API limb_status limb_write_form(const limb_builder* b, limb_form form, limb_text_fn* write,
                                                    void* context, limb_findings* findings, limb_error* err);

// ---- the doctor: checks a robot critically, and repairs inertias ------------------------------------
//
//     limb_reading* r = NULL;
//     if (limb_read("arm.urdf", NULL, &r, NULL) == LIMB_OK && limb_check(r, NULL) == LIMB_OK)
//       printf("%d warnings and errors\n", limb_findings_count_from(limb_reading_findings(r), LIMB_WARNING));
//
// docs/doctor.md explains every rule.

/// Checks a robot and adds findings to those of the reading: inertias that no body can have, joints that move no mass,
/// placeholders, limits, units, names. Call it once per reading.
/// @return LIMB_OK; LIMB_E_ARG (NULL, a reading without builder); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_check(limb_reading* r, limb_error* err);

/// Compiles a robot, assembles its loops (limb_assemble, 20 starts) and adds findings to those of the reading: errors
/// of the compiler, loops that cannot be closed or do not leave any motion, redundant loops, motions without inertia.
/// It is not part of limb_check because it may take long. Call it once per reading, after limb_check.
/// @return as limb_check.
LIMB_NODISCARD LIMB_API limb_status limb_check_loops(limb_reading* r, limb_error* err);

/// Replaces each inertia that no body can have by the nearest one that a body can have: principal moments are projected
/// onto those that are not negative and satisfy the triangle inequality, axes do not change. Each change is a finding
/// of the rule "repaired", with the old and the new numbers.
/// @param changed  number of changed bodies; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL, a reading without builder); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_repair(limb_reading* r, int* changed, limb_error* err);

/// Writes the file as read, with the inertias that limb_repair changed in place; all other bytes are preserved. URDF
/// only; use limb_write for other formats.
/// @return LIMB_OK; LIMB_E_UNSUPPORTED (not a URDF, or one in UTF-16); LIMB_E_ARG; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_write_repaired(const limb_reading* r, limb_text_fn* write, void* context,
                                                        limb_error* err);

/// Writes the file as read, with the inertias, friction, rotors, springs and placements of joints of a robot with the
/// same parts, such as one with other parameters (limb_ident_apply, limb_calibration_apply). Bodies and joints are
/// found by name; all other bytes are preserved: order, comments, shapes. URDF only; use limb_write for other formats
/// and for robots that were changed otherwise.
/// @return LIMB_OK; LIMB_E_UNSUPPORTED (not a URDF in UTF-8, or one that needs xacro); LIMB_E_ARG; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_write_in_place(const limb_reading* r, const limb_builder* b,
                                                        limb_text_fn* write, void* context, limb_error* err);

/// The nearest inertia that a rigid body can have, in the Frobenius norm of the rotational inertia about the centre of
/// mass. Mass and centre of mass do not change, except that a negative mass becomes zero, and a body without mass has
/// no inertia. NULL gives zero; numbers that are not finite are returned unchanged.
LIMB_API sp_inertia limb_inertia_nearest(const sp_inertia* Y);

#ifdef __cplusplus
}
#endif

#endif
