// What the SDF reader's files share: a document of nested models, and the frames in which it states its poses.
#ifndef LIMB_IO_READ_SDF_H
#define LIMB_IO_READ_SDF_H

#include "io/read_urdf.h"

typedef enum sdf_kind { SDF_MODEL, SDF_LINK, SDF_JOINT, SDF_FRAME } sdf_kind;

// Anything that has a pose. Names are those of the robot: of things in nested models model::name.
typedef struct sdf_frame {
  const char* name;
  sdf_kind kind;
  const xml_node* node;
  int model;            // the model that it is in; of a model the one around it; -1: none
  const char* relative; // the frame that its pose is relative to, as written; NULL: the default of its kind
  const char* attached; // <frame attached_to>, child of a joint, as written; NULL: its model
  sp_pose given;        // the pose as written
  sp_pose X;            // in the frame of the robot, once it is known
  int state;            // 0: not known, 1: being computed, 2: known
  int link;             // that it is part of, + 1; 0: not known
} sdf_frame;

typedef struct sdf {
  urdf_reader r; // values and reports are read as those of URDF are
  int minor;     // of the version: 7 of 1.7
  sdf_frame* frame;
  int nframe, capacity;
  limb_names names;
  sp_pose world; // the pose of the robot in the world
  int depth;     // of nested models, of frames that are relative to frames
} sdf;

// ---- the document (read_sdf.c) --------------------------------------------------------------------

// The text of a child as one word or number; NULL, or 0, when there is none. Numbers that are not are reported.
const char* limb_sdf_text(const xml_node* n, const char* child);
int limb_sdf_number(sdf* s, const xml_node* n, const char* child, double* x);
int limb_sdf_flag(const xml_node* n, const char* child, int otherwise);

// The pose that an element states: numbers, and what they are relative to (NULL: not stated).
sp_pose limb_sdf_pose(sdf* s, const xml_node* parent, const char** relative);

// ---- frames (read_sdf_frames.c) -------------------------------------------------------------------

// Lists the frames of a model and of those in it, and indexes them. 0 when out of memory.
int limb_sdf_list(sdf* s, const xml_node* model);

// The frame of a name that is written in a model; -1: none, which is reported for `what` at a node.
int limb_sdf_find(sdf* s, int model, const char* name, const xml_node* at, const char* what);

// The pose of a frame in that of the robot; the identity after an error.
sp_pose limb_sdf_resolve(sdf* s, int frame);

// The link that a frame is fixed to; -1 after an error.
int limb_sdf_link_of(sdf* s, int frame);

// The file of <include>, whose <uri> is model://name, package://name/path, file://path or a path. NULL after an error.
const xml_node* limb_sdf_include(sdf* s, const xml_node* n);

// ---- joints (read_sdf_joint.c) --------------------------------------------------------------------

// 0 when out of memory.
int limb_sdf_joint(sdf* s, int frame);

// <drake:ball_constraint> number k of the model, which closes a loop. 0 when out of memory.
int limb_sdf_ball(sdf* s, const xml_node* n, int k);

// ---- shapes (read_sdf_shape.c) --------------------------------------------------------------------

// Elements that are not kept (limb_xml_parse).
const char* const* limb_sdf_not_read(const limb_read_options* opt);

// Shapes of a link by its frame, which is a body of the raw robot. 0 when out of memory.
int limb_sdf_shapes(sdf* s, int frame, int body);

#endif
