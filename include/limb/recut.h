// limb: robot dynamics in C. The same robot, its loops cut elsewhere.
//
// Where a loop is cut is a matter of description: any joint of it may be the closure. Another cut gives
// another tree, other coordinates and other rows, and the same motion.
#ifndef LIMB_RECUT_H
#define LIMB_RECUT_H

#include "limb/loops.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Cuts a loop elsewhere: its closure becomes a passive joint, and one of its joints becomes the closure.
///     pin - revolute   ball - spherical   slider - prismatic   cylindrical   universal   planar   weld -
///     fixed
/// The joint must be on the loop, passive or fixed, without friction, spring, rotor, mimic (either way),
/// shaft or gear; a universal joint must have its axes at right angles. Its limits and its start are lost.
///
/// What hung on the joint up to the closure now hangs on the closure: joints in between are turned round.
/// Bodies, frames, and joints keep index and name; the new joint has the old one's index and the closure's
/// name, the new closure the other way round (with "_joint" or "_loop" behind when that is taken). A joint
/// that is turned round keeps its coordinate where it has one, its axis the other way; a universal joint has
/// them in reverse order. Massless bodies and fixed joints called "<joint>_turned" are added at the end where
/// a joint's axis would miss the frame of its body.
/// @param loop   closure
/// @param joint  between its two frames
/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range, half an allocator, a joint that is not on the
///         loop); LIMB_E_UNSUPPORTED (a closure or joint that cannot change places: err says why);
///         LIMB_E_MODEL (another closure would hold bodies that are then rigidly connected); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_recut(const limb_model* m, int loop, int joint, const limb_allocator* alloc,
                                               limb_model** out, limb_error* err);

/// A state of the robot in the coordinates of its other cut.
/// @param d   workspace of the model that was cut; what limb_kinematics left in it stays
/// @param to  what limb_recut made of that model
/// @param q   closes the loops
/// @param v   consistent; NULL: not wanted
/// @param q_to, v_to  state of `to` (output); an angle of the new joint is within -pi and pi
/// @return LIMB_OK; LIMB_E_ARG (NULL, another robot, a quaternion far from unit norm); LIMB_E_NONFINITE.
///         O(n).
LIMB_NODISCARD LIMB_API limb_status limb_recut_state(limb_data* d, const limb_model* to, const double* q,
                                                     const double* v, double* q_to, double* v_to);

#ifdef __cplusplus
}
#endif

#endif
