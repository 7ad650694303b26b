// The model behind the opaque type: the robot as described, and the robot as compiled.
#ifndef LIMB_MODEL_IMPL_H
#define LIMB_MODEL_IMPL_H

#include "limb/dynamics.h"
#include "limb/model.h"

#include "base/names.h"
#include "base/numeric.h"
#include "model/link.h"

#include <stdbool.h>

// Sine or cosine of a twist that counts as zero: what rounding leaves of one.
#define LIMB_SQUARE 4e-15

// Share of an inertia below which a pivot of its elimination may be rounding: such a state is judged
// (dynamics/regular.c).
#define LIMB_DOUBT 1e-8

// Share below which articulated bodies lose so many digits that the factors of M are used instead: what they eliminate
// has the rounding of all that is carried, and one elimination hands it on to the next.
#define LIMB_DOUBT_SWEEP 1e-5

// The same where the first row is eliminated first, whatever the tree: two small pivots may make one tiny eigenvalue.
#define LIMB_DOUBT_SQUARE 1e-6

// How many times as large these are for the scalar of a kernel.
#ifndef DOUBTS
#define DOUBTS 1
#endif

// ---- as described -------------------------------------------------------------------------------------------

typedef struct limb_body {
  const char* name;
  int joint;          // to the parent; -1: world
  int parent;         // body; -1: world
  int carrier;        // body whose moving joint carries this one (itself unless fixed); 0: world
  int parameters;     // of a carrier: the body in whose frame its parameters are, itself or the one it stands for
  sp_inertia inertia; // as given
  int link;           // compiled link; -1: fixed to the world
  sp_pose in_link;    // pose in that link's frame, or in the world
} limb_body;

typedef struct limb_joint {
  limb_joint_def def;        // names owned by the model, axes normalised, mimic and its numbers as given
  int q, nq, v, nv;          // index in the user's vectors; mimic: the source's, nq = nv = 0
  double multiplier, offset; // mimic chains resolved: q_joint = multiplier q[q] + offset
  int link, nlink;           // first compiled link and their number; fixed joints: -1, 0
  bool passive;              // no motor drives it (limb_drive); false for fixed and mimic joints
  int shaft;                 // that drives it; -1: none
} limb_joint;

typedef struct limb_frame { // the added frames only
  const char* name;
  int body;
  sp_pose pose; // in the body
} limb_frame;

// Numbers of coordinates and velocities of a joint type, mimic or not (tree.c).
int limb_type_nq(limb_joint_type type);
int limb_type_nv(limb_joint_type type);

// ---- as compiled --------------------------------------------------------------------------------------------

// A compiled degree of freedom: of the user's velocity v[v] it is mult times.
typedef struct limb_dof {
  int v;
  double mult;
} limb_dof;

// Forces between a joint's two sides, per compiled degree of freedom.
typedef struct limb_actuator {
  double rotor; // as the joint feels it: gear^2 Jm
  double doubt; // articulated bodies are not trusted with a pivot below this (model/regularity.c)
  double coulomb, viscous;
  double stiffness, rest; // rest in the compiled coordinate
} limb_actuator;

// An elastic shaft. At the joint its force is T, at the motor -T / ratio (limb/builder.h), with
//   stretch = q_motor / ratio - q_joint - rest.
// Neither end is a mimic joint: of both, the compiled velocity is the user's.
typedef struct limb_shaft {
  limb_shaft_def def; // as given
  int joint, motor;   // compiled degrees of freedom
  int joint_link, motor_link;
} limb_shaft;

// A spring and damper between joints, in compiled coordinates: with
//   length = sum coefficient q,   T = stiffness (length - rest) + damping length',   each of its joints gives
// coefficient T. Shafts first, of which the length is q_motor / ratio - q_joint; then the tendons. Those through points
// of bodies are cords: count is 0, and npoint is not (kernel/cord_kernel.h).
typedef struct limb_pull {
  int link, dof;
  double coefficient;
} limb_pull;

typedef struct limb_cord_point {
  int link;     // -1: fixed to the world
  sp_vec3 at;   // in the frame of that link, or of the world
  double share; // of the line from the point before in the length; 0: a branch starts here
} limb_cord_point;

typedef struct limb_coupling {
  int count, npoint;
  limb_pull* pull;
  limb_cord_point* point;
  double stiffness, damping, rest;
} limb_coupling;

// A joint on the way between the two frames of a loop: axis k of a link moves them against each other.
typedef struct limb_loop_axis {
  int link, k;
  int column;  // of its velocity in the cluster
  double mult; // of that velocity; negative on the way to frame a
} limb_loop_axis;

// A closure of a loop. Geometric: frames on links; gear, polynomial: joint coordinates, as the user's
//   q_joint = mult q[q] + off
typedef struct limb_loop {
  limb_loop_def def;  // names owned by the model, rotations orthonormal
  unsigned locked;    // of the kind, or as given
  int row, nrow;      // in the user's list of constraints
  int holonomic;      // constraints, the first ones
  int angle;          // axis of the rotation whose motion is prescribed; -1: none
  bool prescribed;    // one of the constraints has a prescribed motion
  int link_a, link_b; // compiled; -1: the world
  sp_pose in_a, in_b; // poses of the cut frames in those links' frames, or in the world
  int q[2], v[2];     // of joint and other; -1: none
  double mult[2], off[2];
  int cluster; // model/clusters.c
  int local;   // first constraint in the cluster
  int naxis;   // geometric: joints that move the frames against each other
  limb_loop_axis* axis;
  int column[2]; // gear, polynomial: of joint and other in the cluster
} limb_loop;

// Loops that share joints, and all velocities of those joints (model/clusters.c).
typedef struct limb_cluster {
  int nlink,
    *link;          // whose joints they are, ascending; the parent of each is among them, or is the base
  int base;         // link; -1: the world
  int nv, *v;       // the user's velocities, ascending
  int nloop, *loop; // ascending
  int nrow;         // of these loops; local constraints are in that order
  int row;          // constraints of the clusters before
  ptrdiff_t block;  // entries of the blocks (nrow x nv) of the clusters before
} limb_cluster;

typedef struct limb_clusters {
  void* memory; // of its own
  size_t size;
  int count;
  limb_cluster* cluster; // in the order of their first links
  int* of_link;          // nlink: cluster; -1: none
  int* of_v;             // nv: cluster; -1: none
  int max_nv, max_nrow;  // of a cluster
  ptrdiff_t entries;     // of all blocks
} limb_clusters;

// Rows of an elimination that follow one another, each the parent of the next. Only the last may be the parent of
// several.
typedef struct limb_row_run {
  int first, count; // at most LIMB_RUN_ROWS rows
  int up;           // the run that carries it; -1: none
  int above;        // depth of the first row
  int path;         // the user's velocities from the root to its last row: path[path] ..., above + count of them
  int width;        // of its rows in wide storage, whole vectors: as long as that path and a vector behind `above`
  ptrdiff_t place;  // where they start there, one behind the other
} limb_row_run;

enum { LIMB_RUN_ROWS = 8, LIMB_RUNS_MAX = 512 };

// Order in which L'DL eliminates the independent coordinates, last to first.
typedef struct limb_elimination {
  int* dof;       // ncdof: row of a compiled dof
  int* v;         // nv: the user's velocity of a row
  int* parent;    // nv: row; every nonzero of row k lies on its path to the root; -1: none
  int* depth;     // nv: length of that path
  ptrdiff_t* row; // nv: where row k starts in packed storage; entry (k, a) is at row[k] + depth[a]
  size_t packed;  // length of packed storage
  bool chain;     // every row is the user's, and carried by the one before
  int nrun;       // 0: not kept, as for short chains and robots of more than LIMB_RUNS_MAX velocities
  limb_row_run* run;
  int* path;     // see there
  int* run_of;   // nv: run of the user's velocity
  int* wide_row; // nv: where the row of the user's velocity starts in wide storage
  size_t wide;   // length of wide storage
} limb_elimination;

// A chain of links, each the child of the one before and with one degree of freedom, or one link with more.
typedef struct limb_run {
  int begin, end; // links
  int dof;        // of the first
  int parent;     // link that carries the first one; -1: the world
} limb_run;

struct limb_loop_calls;

struct limb_model {
  limb_allocator alloc;
  void* block; // everything but the notes lives in one block
  size_t block_size;

  const char* name;
  sp_vec3 gravity;
  double loop_tolerance; // residual that least squares may leave of loops [m, rad]
  double total_mass;

  int nbody, njoint, nframe, nshaft, nloop;
  int nrow; // of all loops
  limb_body* body;
  limb_joint* joint;
  limb_frame* frame;
  limb_shaft* shaft;
  int ncoupling; // shafts and tendons
  bool has_cords;
  limb_coupling* coupling;
  limb_tendon_def* tendon; // as given, ncoupling - nshaft; names and lists owned by the model
  limb_loop* loop;
  limb_clusters clusters;
  int* body_order; // bodies, parents first; body_order[0] is the world
  limb_names body_names, joint_names, frame_names, loop_names;
  int nnote;
  limb_note* note; // in a block of its own, texts included
  size_t note_size;

  int nq, nv;      // the user's
  int nlink;       // compiled
  int ncdof;       // compiled degrees of freedom, mimic joints included
  int naux, nroot; // ball and free links; links on the world
  limb_link* link;
  int nkept; // links up to the last one whose state must be kept; all of them in robots with loops
  int nbranch;
  limb_branch* branch; // in the order of the links
  limb_link_f64* k64;
  limb_moments* inertia; // per link, not regrouped
  limb_moments fixed;    // bodies fixed to the world, in the world frame
  sp_pose* aux_pose;     // naux: R0 and p of ball and free links
  int* quaternion;       // naux: where their quaternions start in q
  sp_pose* base;         // nroot: pose of a root's base frame in the world (W)
  limb_dof* dof;
  limb_actuator* actuator; // ncdof
  bool has_actuators;      // any friction or spring or rotor or coupling
  bool has_ball_springs;
  bool geared; // a ball or free joint has rotors
  bool has_mimic;
  bool identity;      // compiled dofs are the user's, in the user's order
  bool serial;        // one chain
  bool mixed;         // some joint is not a rotation about z
  bool singular;      // M is, wherever the robot is (model/regularity.c); with loops: they are closed
  bool tree_singular; // the same for the spanning tree
  unsigned char*
    weightless; // nv: marks of the joints that move together without moving any mass; all zero: M is regular
  limb_elimination elim;
  double* given; // numbers of the dof table (model/dof_table.h); NULL for robots too large for one
  int nrun;
  limb_run* run; // in the order of the links

  const struct limb_loop_calls* loop_calls; // how workspaces answer with loops closed; NULL: there are no loops
  struct limb_model* tree;                  // this model without its loops, as a view; NULL: there are none
};

// Where a body or an added frame sits on the compiled robot: a constant offset of a link's frame, or of the world.
typedef struct limb_site {
  int link;        // -1: fixed to the world
  sp_pose in_link; // pose in that link's frame, or in the world
} limb_site;

// Site of a body or added frame; the index must be in range.
limb_site limb_site_of(const limb_model* m, int frame);

// A moving joint carries the body; those fixed to it are part of it: it has inertial parameters of its own. Where the
// joint carries an auxiliary body that a reader added, the body that was described has them.
static inline bool limb_has_parameters(const limb_model* m, int body)
{
  const int carrier = m->body[body].carrier;
  return carrier != LIMB_WORLD_BODY && m->body[carrier].parameters == body;
}

static inline bool limb_has_actuator(const limb_model* m, int joint)
{
  return limb_type_nv(m->joint[joint].def.type) == 1;
}

// What the motor is ahead of the joint, and how much of that stretches the shaft; q is the user's.
static inline double limb_shaft_twist(const limb_model* m, const limb_shaft_def* s, const double* q)
{
  return q[m->joint[s->motor].q] / s->ratio - q[m->joint[s->joint].q];
}

static inline double limb_shaft_stretch(const limb_model* m, const limb_shaft_def* s, const double* q)
{
  return limb_shaft_twist(m, s, q) - s->rest;
}

// Length of a coupling beyond its rest; q is the user's. Not of cords.
static inline double limb_coupling_stretch(const limb_model* m, const limb_coupling* x, const double* q)
{
  double sum = -x->rest;
  for (int k = 0; k < x->count; k++) {
    const limb_link_f64* s = &m->k64[x->pull[k].link];
    sum += x->pull[k].coefficient * (s->mult * q[m->link[x->pull[k].link].q] + s->off);
  }
  return sum;
}

// ---- the instruction set that this process uses (limb/base.h) -----------------------------------------------

// Its index in a list of { base, v3, v4 }.
int limb_isa_here(void);

// Whether this processor runs that set; if not, `limb_isa_name` is what it would have to run.
bool limb_isa_runs(void);

// ---- clusters of loops --------------------------------------------------------------------------------------

// Loops that share joints.

// Fills m->clusters and what the loops know of them, in memory of its own. LIMB_OK or LIMB_E_NOMEM.
limb_status limb_find_clusters(limb_model* m);

void limb_free_clusters(limb_model* m);

// Whether a closure is a gear or polynomial between joints, not between frames.
static inline bool limb_between_joints(const limb_loop* loop) { return loop->q[0] >= 0; }

// Sets of numbers, each of which leads to another of its set (union and find): the one that leads to
// itself, the smallest; and two sets made one.
static inline int limb_set_leader(int* set, int i)
{
  while (set[i] != i) i = set[i] = set[set[i]];
  return i;
}

static inline void limb_set_join(int* set, int a, int b)
{
  a = limb_set_leader(set, a), b = limb_set_leader(set, b);
  if (a < b)
    set[b] = a;
  else
    set[a] = b;
}

// Where a velocity of the cluster is in its list.
static inline int limb_cluster_column(const limb_cluster* s, int v)
{
  int low = 0, high = s->nv - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (s->v[middle] < v)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// ---- the configuration manifold -----------------------------------------------------------------------------

// The configuration manifold: tangents, for derivatives with respect to q; checks.

// d q / d t for velocities v: a step along it is what a derivative with respect to q means. The norm of
// a quaternion, which need not be 1, does not change.
void limb_configuration_rate(const limb_model* m, const double* q, const double* v, double* dq);

// ---- checks of configurations; those of states are in kernel/tables.h ---------------------------------------

// Norms of the quaternions in q within 1e-3 of 1.
static inline bool limb_unit_quaternions(const limb_model* m, const double* q)
{
  for (int x = 0; x < m->naux; x++) {
    const double* u = q + m->quaternion[x];
    const double norm2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3];
    if (!(norm2 > 0.998001 && norm2 < 1.002001)) return false; // 0.999^2, 1.001^2
  }
  return true;
}

// A configuration, without a workspace: LIMB_OK, LIMB_E_NONFINITE or LIMB_E_ARG (a quaternion).
static inline limb_status limb_check_q(const limb_model* m, const double* q)
{
  if (!limb_finite(m->nq, q)) return LIMB_E_NONFINITE;
  return limb_unit_quaternions(m, q) ? LIMB_OK : LIMB_E_ARG;
}

#endif
