// Kernels on one part of a robot: the passes of the recursions, cut where processors exchange something.
//
// Everything is in kernel/rnea_kernel.h and aba_kernel.h; here are the user's vectors, and what a row of
// parts needs: the motion of a part's last link against its base.
//
// Compiled once per instruction set (LIMB_ISA: base, v3 or v4).

#include "kernel/aba_kernel.h"
#include "kernel/batch_tables.h"
#include "kernel/kinematics_kernel.h"
#include "kernel/rnea_kernel.h"

_Static_assert(sizeof(tip) == sizeof(limb_tip) && (int)TIP_COLUMNS == (int)LIMB_TIP_COLUMNS, "one layout");

// The user's vector for a part: in compiled order it begins with the part's first.
KERNEL const real* of_part(const limb_part* p, const real* user) { return p->m.identity ? user + p->dof : user; }

// Where results in compiled order go.
KERNEL real* answer(const limb_part* p, const limb_split_call* c, real* buffer)
{
  return p->m.identity ? c->y + p->dof : buffer;
}

// To the user, one to one: there are no mimic joints. False when something is not finite.
KERNEL bool deliver(const limb_part* p, const real* compiled, real* user)
{
  const limb_model* m = &p->m;
  for (int c = 0; c < m->ncdof && !m->identity; c++) {
    user[m->dof[c].v] = scale(parameter(m->dof[c].mult), compiled[c]);
  }
  return !any_nonfinite(m->ncdof, compiled);
}

KERNEL context context_of(const limb_part* p) { return (context){&p->m, p->m.k64, &p->ws}; }

static void part_load(const limb_part* p, const limb_split_call* c) { load_coordinates(&p->m, p->m.k64, &p->ws, c->q); }

// ---- inverse dynamics ----------------------------------------------------------------------------------

static void part_inverse_out(const limb_part* p, const limb_split_call* c)
{
  const limb_model* m = &p->m;
  const limb_ws* ws = &p->ws;
  const real* v = in_compiled_order(m, of_part(p, c->v), ws->v);
  const real* a = in_compiled_order(m, of_part(p, c->x), ws->a);
  rnea_outward(&p->m, p->m.k64, &p->ws, v, a);
  if (p->wrench) subtract_wrenches(context_of(p), p->wrench);
}

static void part_inverse_back(const limb_part* p, bool is_part, const limb_split_call* c)
{
  real* tau = answer(p, c, p->ws.tau);
  if (is_part) {
    rnea_inward_part(context_of(p), true, tau);
  } else {
    rnea_inward_part(context_of(p), false, tau);
  }
}

static bool part_inverse_end(const limb_part* p, const limb_split_call* c)
{
  const limb_model* m = &p->m;
  const limb_ws* ws = &p->ws;
  real* tau = answer(p, c, ws->tau);
  const real *v = m->identity ? c->v + p->dof : ws->v, *a = m->identity ? c->x + p->dof : ws->a;
  if (m->has_actuators) add_actuators(context_of(p), v, a, &c->terms, tau);
  return deliver(p, tau, c->y);
}

// ---- the last link against the base ----------------------------------------------------------------------

KERNEL void put3(real* to, vec3 v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }
KERNEL vec3 get3(const real* at) { return v3(at[0], at[1], at[2]); }

// Along a chain: the motion of a link against the base, which is at rest, without gravity.
typedef struct relative_walk {
  pose X;
  state x;
  vec3 moves; // linear velocity
  const real *v, *a;
} relative_walk;

KERNEL relative_walk relative_step(int joint_class, context ctx, int i, relative_walk s)
{
  const joint_transform P = joint_transform_of(joint_class, ctx, i);
  const motion joint = along_joint(joint_class, &ctx.k[i], s.v);
  const vec3 carried = add3(s.moves, cross_offset(&P, s.x.w));
  s.moves = add_to_link(joint.v, &P, carried);
  s.x = move_on(&P, &ctx.k[i], &s.x, spin(s.x.w, s.x.al), s.v, s.a);
  s.X = moved_pose(s.X, &P);
  s.v += dofs_of(joint_class), s.a += dofs_of(joint_class);
  return s;
}

static void part_relative(const limb_part* p, const limb_split_call* c, limb_relative* out)
{
  const limb_model* m = &p->m;
  const context ctx = context_of(p);
  relative_walk s = {.X = no_pose(), .x = {zero3(), zero3(), zero3()}, .moves = zero3()};
  s.v = in_compiled_order(m, of_part(p, c->v), ctx.ws->v);
  s.a = in_compiled_order(m, of_part(p, c->x), ctx.ws->a);
  for (int i = 0; i < m->nlink; i++) {
    FOR_JOINT_CLASS(m->link[i].joint_class, s = relative_step(CLASS, ctx, i, s))
  }
  put3(out->R, row_x(s.X.R)), put3(out->R + 3, row_y(s.X.R)), put3(out->R + 6, row_z(s.X.R));
  put3(out->p, s.X.p), put3(out->w, s.x.w), put3(out->v, s.moves), put3(out->al, s.x.al), put3(out->a, s.x.a);
}

// The part as one joint with all freedoms.
KERNEL joint_transform relative_transform(const limb_relative* r)
{
  return (joint_transform){.joint_class = CLASS_FREE,
                           .X = {rows(get3(r->R), get3(r->R + 3), get3(r->R + 6)), get3(r->p)}};
}

static void part_advance(const limb_relative* r, const double* base, double* last)
{
  const joint_transform P = relative_transform(r);
  const state from = {get3(base), get3(base + 3), get3(base + 6)};
  // accelerations over a base at rest hold w x v already, which a free joint adds by itself
  const vec3 a = sub3(get3(r->a), cross3(get3(r->w), get3(r->v)));
  real v[6], qdd[6];
  put3(v, get3(r->w)), put3(v + 3, get3(r->v));
  put3(qdd, get3(r->al)), put3(qdd + 3, a);
  const link_const none = {0};
  const state x = move_on(&P, &none, &from, spin(from.w, from.al), v, qdd);
  put3(last, x.w), put3(last + 3, x.al), put3(last + 6, x.a);
}

static void part_hand_on(const limb_relative* r, const double* given, double* sum)
{
  const joint_transform P = relative_transform(r);
  const force F = force_to_parent(&P, (force){get3(given), get3(given + 3)});
  put3(sum, add3(get3(sum), F.n)), put3(sum + 3, add3(get3(sum + 3), F.f));
}

// ---- forward dynamics ----------------------------------------------------------------------------------

// Velocities; then ws->tau is what is left of the user's forces for the bodies.
static void part_forward_out(const limb_part* p, const limb_split_call* c)
{
  const limb_model* m = &p->m;
  const limb_ws* ws = &p->ws;
  const real* v = in_compiled_order(m, of_part(p, c->v), ws->v);
  aba_outward(context_of(p), v);
  if (p->wrench) aba_wrenches(context_of(p), p->wrench);
  (void)net_forces(context_of(p), v, c->x, &c->terms);
}

static double part_forward_back(const limb_part* p, bool is_part, limb_tip* holds)
{
  const given_inputs forces = {NULL, p->ws.tau, NULL};
  if (holds) start_tip((tip*)holds);
  return aba_inward_part(context_of(p), &forces, is_part, (tip*)holds);
}

static bool part_forward_end(const limb_part* p, const limb_split_call* c, const limb_tip* holds)
{
  real* a = answer(p, c, p->ws.a);
  const given_inputs forces = {NULL, p->ws.tau, NULL};
  aba_accelerate_part(context_of(p), &forces, (const tip*)holds, a);
  return deliver(p, a, c->y);
}

const limb_split_kernels LIMB_JOIN(limb_split_kernels_f64_, LIMB_ISA) = {
  part_load,    part_inverse_out, part_inverse_back, part_inverse_end,  part_relative,
  part_advance, part_hand_on,     part_forward_out,  part_forward_back, part_forward_end};
