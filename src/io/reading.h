// From files to robots and back: what a reading holds, and the readers and writers, one per language.
#ifndef LIMB_IO_READING_H
#define LIMB_IO_READING_H

#include "limb/read.h"
#include "limb/run.h"

#include "io/files.h"
#include "io/findings.h"
#include "io/memory_pool.h"
#include "io/properties.h"
#include "io/raw_robot.h"
#include "io/xml.h"

// ---- the source -----------------------------------------------------------------------------------

// The tag that states the rotational inertia of a link in a URDF, for repairs in place.
typedef struct inertia_tag {
  int body;           // index in the raw robot
  size_t byte, bytes; // of the tag in the text
  double value[6];    // ixx ixy ixz iyy iyz izz as written; 0 when not given
  double R[9];        // axes of these numbers in the axes of the body, row-major
} inertia_tag;

typedef struct limb_source {
  const char* text;
  size_t size;
  const char* name; // of the file, for messages
  memory_pool* pool;
  limb_files* files;        // that the text may refer to
  const xml_node* expanded; // the file after xacro, with its texts; NULL: it needs none (output)
  inertia_tag* tag;         // URDF: one per <inertia>, in the pool (output)
  int ntag;
} limb_source;

// What a file is.
typedef enum reading_kind { READING_ROBOT, READING_RUN, READING_MOTORS, READING_STUDY } reading_kind;

struct limb_reading {
  limb_allocator alloc;
  memory_pool pool; // document, names, positions
  limb_format format;
  limb_form form;
  limb_source source; // with a copy of the text
  limb_files files;
  limb_findings* findings;
  limb_builder* builder;   // NULL when the file was faulty
  raw_positions positions; // by the builder's indices
  int massless;            // a joint without mass behind it, but with a loop that may hold it; -1: none (limb_check)
  reading_kind kind;
  const limb_run* run;         // NULL when the file was faulty
  const limb_gearmotor* motor; // the same
  const limb_study* study;     // the same
  int nmotor;
  const raw_pose* pose; // named configurations, of joints of the builder
  int npose;
};

// ---- readers --------------------------------------------------------------------------------------

// Turn a text into a raw robot. What cannot be used is reported.
// LIMB_OK; LIMB_E_SYNTAX: not this language; LIMB_E_MODEL: errors among the findings; LIMB_E_NOMEM.
limb_status limb_read_urdf(limb_source* src, const limb_read_options* opt, limb_raw_robot* s);
limb_status limb_read_yaml(limb_source* src, const limb_read_options* opt, limb_raw_robot* s);
limb_status limb_read_par(limb_source* src, const limb_read_options* opt, limb_raw_robot* s);
limb_status limb_read_sdf(limb_source* src, const limb_read_options* opt, limb_raw_robot* robot);
limb_status limb_read_mjcf(limb_source* src, const limb_read_options* opt, limb_raw_robot* s);

// A run file; out lives in the pool. Status as above.
limb_status limb_read_run_yaml(limb_source* src, limb_findings* findings, const limb_run** out);

// A file of motors; out lives in the pool. Status as above.
limb_status limb_read_motors_yaml(limb_source* src, limb_findings* findings, const limb_gearmotor** out, int* count);

// A study, with the run that it names.
limb_status limb_read_study_yaml(limb_source* src, limb_findings* findings, const limb_study** out,
                                 const limb_run** run);

// The poses of a SRDF file, for a robot that was read; and of all poses only what fits the joints of the builder, what
// does not is reported (read_poses.c). LIMB_OK; LIMB_E_MODEL; LIMB_E_NOMEM.
limb_status limb_read_srdf(limb_source* src, const char* path, limb_raw_robot* s);
void limb_check_poses(const limb_raw_robot* s, const limb_builder* b);

// ---- recognition (recognise.c) --------------------------------------------------------------------

// The language of a text by content alone; LIMB_FORMAT_AUTO when it cannot be recognised.
limb_format limb_format_of_text(const char* text, size_t size);

// ---- files that are not models --------------------------------------------------------------------

// Web pages, Git LFS pointers and notes are often taken for models. A parser would only complain about a character
// on line 1. Returns 1 when the text is one of these, which is reported.
int limb_report_not_model(limb_findings* f, const char* text, size_t size);

// The same for a file that should be XML; language: what it should be, for the message.
int limb_report_not_xml(limb_findings* f, const char* text, size_t size, const char* language);

// ---- built-in robots ------------------------------------------------------------------------------

// The embedded files of models/ by name; the last has no name (made by cmake/LimbModels.cmake).
extern const limb_robot_info limb_robot_files[];

// Index of the built-in robot of this name; -1 when there is none.
int limb_find_robot(const char* name);

// Makes a built-in robot that has no text. LIMB_OK; LIMB_E_ARG: none of that name; LIMB_E_NOMEM.
limb_status limb_make_robot(const char* name, limb_raw_robot* s);

// ---- writers --------------------------------------------------------------------------------------

typedef struct limb_writer {
  const limb_builder* b; // its tree and names were checked
  limb_text_fn* write;
  void* context;
  limb_findings* findings; // may be NULL
  limb_format format;
  limb_form form;
  const struct limb_homes* homes; // POE: where the bodies are at q = 0; otherwise NULL
  int has_world;                  // URDF: the world is a link of the file
} limb_writer;

// Writes a text with values in the form of the language, XML attributes with their quotes:
//   %s a text as it is, %d an int, %g a double, %v a vector (const sp_vec3*), %l a list (int, const double*),
//   %q a name, %B %J the name of a body, of a joint (int); in elements of XML, without quotes: %n a list, %t a text
void limb_put(const limb_writer* w, const char* format, ...);

// Whether readers of the language accept a name: no control characters, and UTF-8.
int limb_is_writable(const char* name, limb_format format);

// Writes the properties of a table that differ from those of `unset` (NULL: all), each after the text before it, which
// for all but the first is `between`. Returns whether there was one.
int limb_put_properties(const limb_writer* w, const property* p, int count, const void* def, const void* unset,
                        const char* before, const char* between);

// Write the robot of a writer. What the language has no standard form for is reported.
void limb_write_yaml(const limb_writer* w);
void limb_write_urdf(limb_writer* o);

// The same; also LIMB_E_UNSUPPORTED for what the language cannot say without being another robot.
limb_status limb_write_mjcf(const limb_writer* o, limb_error* err);
limb_status limb_write_sdf(const limb_writer* o, limb_error* err);
limb_status limb_write_par(const limb_writer* o, limb_error* err);

// Shapes (write_shapes.c): those of a body as elements; meshes that geoms refer to; a shape as an entry without its
// pose and closing brace. What cannot be written is left out, and reported by the last function.
void limb_put_urdf_shapes(const limb_writer* o, int body);
void limb_put_sdf_shapes(const limb_writer* o, int body);
void limb_put_mjcf_assets(const limb_writer* o);
void limb_put_mjcf_geoms(const limb_writer* o, int body, int depth);
int limb_put_yaml_shape(const limb_writer* o, const limb_shape_def* shape);
void limb_report_shapes(const limb_writer* o);

// limb YAML with the joints in another form than poses. LIMB_OK; LIMB_E_NOMEM.
limb_status limb_write_yaml_in(limb_writer* w, limb_form form);

#endif
