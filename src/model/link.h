// Compiled links: what the kernels see of a robot.
//
// A compiled robot is a list of links, each moved by one elementary joint (rotation, translation,
// screw, ball or free). Links are numbered depth first, so a parent comes before its children, the
// first child right after it, and a subtree is a contiguous range. One-dof joints move about or along
// z of their own link frame (modified Denavit-Hartenberg frames, Khalil 2010, section 2.1, with the
// parameters gamma and b of trees replaced by a general offset p).
//
//   joint class    pose of link i in its parent
//   ROT (0..7)     X(alpha, a) Z(theta, d)              alpha 0 or 90 degrees, a and d zero or not
//   ROT_TWIST      the same with any alpha, a and d
//   ROT_ANY        p Z(gamma) X(alpha) Z(theta)
//   TRANS          p Z(gamma) X(alpha) Z(theta0) z r
//   SCREW          p Z(gamma) X(alpha) Z(theta) z pitch theta
//   BALL           p R0 R(quaternion)
//   FREE           p R0 (position, R(quaternion))
//
// X(alpha, a) turns about x by alpha and moves along x by a; Z likewise about z. The parent of a root
// is its base frame, chosen so that nothing but the joint is left: W[root] is its pose in the world.
#ifndef LIMB_LINK_H
#define LIMB_LINK_H

#include <stdint.h>

// The class of a ROT joint with a square twist is (alpha != 0) * 4 + (a != 0) * 2 + (d != 0). Twists of -90
// degrees are rare: links.c lays x so that it is +90 where it has the choice.
enum { CLASS_ROT = 0, CLASS_ROT_TWIST = 8, CLASS_ROT_ANY, CLASS_TRANS, CLASS_SCREW, CLASS_BALL, CLASS_FREE };

// Topology of one link, the same for every scalar type.
typedef struct limb_link {
  int parent; // link; -1: the world
  int end;    // one past the last link of its subtree
  int dof;    // first compiled degree of freedom
  int q;      // first coordinate in the user's q
  int aux;    // BALL, FREE: index among those; else -1
  int root;   // index among the links whose parent is the world; else -1
  int joint;  // the user's joint
  int first;  // first link of its branch
  uint8_t joint_class;
  uint8_t aba_class; // class for articulated bodies: ROT_ANY where a rotor spoils the shortcut of ROT
  uint8_t ndof;
  uint8_t keep;    // a link other than the next one has this parent: its state must be kept
  uint8_t last;    // the last child of a parent that is kept: first to arrive on the way back
  uint8_t massive; // the composite inertia handed to the parent has a mass (regrouped parameters)
  uint8_t loaded;  // the joint moves some inertia
  uint8_t geared;  // a ball or free joint with rotors
} limb_link;

// A run of links, each the child of the one before: kernels go along branches without asking.
typedef struct limb_branch {
  int begin, end; // links
  int parent;     // link that the first one is attached to; -1: the world
} limb_branch;

// Constants of one link over the parameter type: geometry, regrouped inertia, coordinate map.
// The inertia is mass m, first moments h and second moments about the link origin (xx = sum m x x,
// not the moment of inertia); of a ROT link m, hz and zz have gone to the parent.
// ROT links need the first sixteen numbers only: two cache lines of double.
#define LIMB_LINK_CONST(par)                             \
  struct {                                               \
    par ca, sa; /* cos and sin of alpha */               \
    par a, d;   /* ROT: offsets along x and z */         \
    par px, py, pz;                                      \
    par hx, hy, xx, xy, xz, yy, yz;                      \
    par mult, off; /* joint coordinate = mult q + off */ \
    par cg, sg;    /* cos and sin of gamma */            \
    par ct, st;    /* TRANS: cos and sin of theta0 */    \
    par pitch;                                           \
    par m, hz, zz;                                       \
  }

typedef LIMB_LINK_CONST(double) limb_link_f64;
typedef LIMB_LINK_CONST(float) limb_link_f32; // for kernels over float

// Mass, first and second moments about the link origin: the merged bodies' own inertia.
typedef struct limb_moments {
  double m, hx, hy, hz, xx, xy, xz, yy, yz, zz;
} limb_moments;

#endif
