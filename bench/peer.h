// The benchmark's one interface: a robot in neutral form, a ring of states, and a library that
// computes on them. limb itself (*_rows.c) and every peer (peer_*.cpp) stand behind it, so that
// all are driven by the same loop. C++ may include this.
//
// Peers are modules, limb_bench_peers.so and limb_bench_pinocchio_*.so, that are loaded when they are there
// (peers.c). A module exports one constant, limb_bench_peers of type bench_peers.
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "limb/batch.h"
#include "limb/limb.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is measured. BENCH_FD_ABA and BENCH_FD_MATRIX are further ways of limb to compute BENCH_FD; of what
/// stands behind them peers are asked for what they offer, BENCH_CLOSED_FD and BENCH_STEP_RK4 among it. Those
/// from BENCH_CLOSED_FD to BENCH_PLATFORM_ID are for robots with loops; of the others, these see BENCH_FD_ABA,
/// which takes no notice of loops.
typedef enum bench_kernel {
  BENCH_RNEA,     ///< tau from q, v, a
  BENCH_CRBA,     ///< full mass matrix from q
  BENCH_FD,       ///< a from q, v, tau, by the library's own choice of algorithm
  BENCH_JACOBIAN, ///< aligned Jacobian of the tip from q
  BENCH_FD_ABA,
  BENCH_FD_MATRIX,
  BENCH_CORIOLIS,         ///< Coriolis matrix from q, v
  BENCH_INVERSE,          ///< inverse of the mass matrix from q
  BENCH_ID_DERIVATIVES,   ///< tau with its derivatives by q, v and a
  BENCH_FD_DERIVATIVES,   ///< a with its derivatives by q, v and tau
  BENCH_REGRESSOR,        ///< of tau from q, v, a: the ten inertial columns of every link
  BENCH_ID_SECOND,        ///< all tensors of second derivatives of tau from q, v, a; that by v and v is compared
  BENCH_CENTROIDAL,       ///< centroidal momentum matrix from q
  BENCH_BIAS,             ///< tau from q, v at a = 0
  BENCH_KINEMATICS,       ///< of all bodies from q, v, a; compared is the spatial acceleration of the tip
  BENCH_HYBRID,           ///< a and tau from forces of passive joints and accelerations of the others
  BENCH_HYBRID_FORCES,    ///< the same from all forces: what the marks cost
  BENCH_CLOSED_FD,        ///< a from q, v, tau, loops closed, by the library's own choice
  BENCH_CLOSED_SCHUR,     ///< the same through Psi M^-1 Psi'
  BENCH_CLOSED_KKT,       ///< the same from all equations at once
  BENCH_PLATFORM_FD,      ///< the same in the space of the platform
  BENCH_CLOSED_ID,        ///< tau of the motors from q, v, a, loops closed
  BENCH_CLOSED_ID_FORCES, ///< the same: motors and multipliers from the equations of motion
  BENCH_CLOSED_ID_KKT,    ///< the same from all equations at once, the motion of the platform given
  BENCH_PLATFORM_ID,      ///< the same from q and the motion of the platform
  BENCH_STEP_RK4,         ///< one step of a simulation, bench_step long; peers are asked for this, too
  BENCH_STEP_WATCHED,     ///< the same, and a condition looked at
  BENCH_STEP_IMPLICIT,
  BENCH_STEP_VARIATIONAL,
  BENCH_STEP_ERK, ///< adaptive: as much motion as one step
  BENCH_STEP_BDF,
  BENCH_KERNELS
} bench_kernel;

static const double bench_step = 1e-3; ///< [s]

/// How a library is called. Peers: one state after the other.
typedef enum bench_mode {
  BENCH_SINGLE,
  BENCH_BATCH,     ///< many states a call, on one thread
  BENCH_FLOAT,     ///< the same over float
  BENCH_THREADED,  ///< over double, on all threads
  BENCH_GENERATED, ///< one state, by code generated for this robot
  BENCH_MODES
} bench_mode;

enum { BENCH_INERTIAL = 10 }; ///< columns of a link in a regressor

/// Whether the answer is nv x nv; of derivatives the one by q is compared.
static inline int bench_is_matrix(bench_kernel kernel)
{
  return kernel == BENCH_CRBA || (kernel >= BENCH_CORIOLIS && kernel <= BENCH_FD_DERIVATIVES);
}

/// A moving body with the joint that carries it. Bodies fixed to it are merged into its inertia.
typedef struct bench_link {
  int body;             ///< in the model of limb
  int parent;           ///< link; -1: the world
  limb_joint_type type; ///< revolute, prismatic or free when the robot is plain
  sp_pose placement;    ///< of the link frame in the parent link at q = 0
  sp_vec3 axis;         ///< unit, in the link frame
  sp_inertia inertia;
  int q, v; ///< first coordinate in q and v of limb
} bench_link;

/// A closure of a loop: points of two links, -1: the world, that stay together.
typedef struct bench_loop {
  int link_a, link_b;
  sp_vec3 a, b;
} bench_loop;

/// A robot as any library can take it. Links stand in depth-first order, parents before children.
typedef struct bench_robot {
  const char* name;
  const limb_model* model;
  int nq, nv, nlink;
  bench_link* link;
  int npassive; ///< velocities of joints without motor
  int tip;      ///< the link at the end of the longest branch, last of these
  int plain;    ///< only revolute, prismatic and free joints; no friction, rotors, springs, mimics
  int serial;   ///< plain, fixed base, one chain
  sp_vec3 gravity;
  int nloop, nrow; ///< closures, and the rows of their equations
  bench_loop* loop;
  int points; ///< the loops are closed when these points stay together; 0: it takes more
} bench_robot;

/// Whether rows and motors together are as many as velocities: the robots that are also taken as platforms.
static inline int bench_is_exact(const bench_robot* r) { return r->nrow && r->nrow == r->npassive; }

/// Whether a robot is simulated, with RK4; with all methods. On a free base libraries write velocities
/// differently, and stiff springs make RK4 explode: both are passive.
static inline int bench_steps(const bench_robot* r) { return !r->nloop && r->npassive == 0; }
static inline int bench_steps_all(const bench_robot* r) { return bench_steps(r) && r->nv <= 7; }

/// Whether a robot with nv velocities is small enough for tensors of second derivatives.
static inline int bench_has_tensors(size_t nv) { return nv <= 64; }

/// How many numbers an answer has (bench_library).
static inline size_t bench_answer_size(const bench_robot* r, bench_kernel kernel)
{
  const size_t nv = (size_t)r->nv;
  switch (kernel) {
  case BENCH_JACOBIAN:
  case BENCH_CENTROIDAL: return 6 * nv;
  case BENCH_REGRESSOR: return nv * BENCH_INERTIAL * (size_t)r->nlink;
  case BENCH_ID_SECOND: return nv * nv * nv;
  case BENCH_KINEMATICS: return 6;
  default: return bench_is_matrix(kernel) ? nv * nv : nv;
  }
}

/// A ring of states; row k of each array is one state. tau is what gives a; loops are closed.
typedef struct bench_states {
  int count; ///< a power of two
  double *q, *v, *a, *tau;
} bench_states;

/// Computes on the states first, first + 1, ..., first + count - 1 of the ring.
typedef void bench_call(void* self, int first, int count);

/// A library that is measured.
typedef struct bench_library bench_library;
struct bench_library {
  const char* name;
  const char* version;
  const char* build; ///< of a peer: who compiled it, and how
  int max_links;     ///< longest robot that is worth waiting for
  /// Turns the robot and all states into the library's own form; NULL when it cannot take it.
  void* (*make)(const bench_library* library, const bench_robot* robot, const bench_states* states);
  void (*destroy)(void* self);
  bench_call* run[BENCH_KERNELS]; ///< NULL: the library does not offer this
  /// The answer of the last run, for state k, in the coordinates of limb: bench_answer_size() values. Spatial
  /// vectors are angular first, columns of 6 x nv stand one after the other, links in the order of their bodies in
  /// limb. @return 0, or -1 when the run failed.
  int (*answer)(void* self, bench_kernel kernel, int k, double* out);
  /// Closures that give way, float: answers may differ by this share. Exact ones: 0.
  double softness;
  bench_mode mode;
  int lanes;             ///< 1: the native layout of batch calls
  const limb_pool* pool; ///< of BENCH_THREADED
  /// States that one count of a run stands for, which then ignores first; NULL: one.
  int (*states)(const void* self, bench_kernel kernel);
};

enum { BENCH_PEERS = 8, BENCH_INTERFACE = 3 }; ///< counted up when anything in this file changes

/// What a module of peers exports. A program looks at nothing else before it has seen that `interface` is
/// the BENCH_INTERFACE it was compiled with.
typedef struct bench_peers {
  int interface;
  int (*list)(const bench_library** peers); ///< at most BENCH_PEERS of them, those that were there at build time
} bench_peers;

#define BENCH_TEXT_OF(a, b, c) #a "." #b "." #c
#define BENCH_TEXT_BY(a, b, c) BENCH_TEXT_OF(a, b, c)
#define BENCH_LIMB_VERSION     BENCH_TEXT_BY(LIMB_VERSION_MAJOR, LIMB_VERSION_MINOR, LIMB_VERSION_PATCH)

const bench_library* bench_limb(void);
const bench_library* bench_limb_closed(void); ///< the kernels for robots with loops
const bench_library* bench_limb_sim(void);    ///< simulation
const bench_library* bench_limb_generated(void);

/// limb's batch calls. @param pool  of BENCH_THREADED, otherwise NULL
bench_library bench_limb_batch(bench_mode mode, int lanes, const limb_pool* pool);

const bench_library* bench_kdl(void);
const bench_library* bench_mujoco(void);
const bench_library* bench_dart(void);
const bench_library* bench_simbody(void);
const bench_library* bench_pinocchio(void); ///< in every module of its own: one for each compiler
const bench_library* bench_pinocchio_generated(void);

#ifdef __cplusplus
}
#endif

#endif
