// The built-in robot "protein": polyalanine, two rotations per residue.
//
// Bonds N-CA (angle phi), CA-C (psi) and C-N (fixed at 180 degrees: a trans peptide) follow each other.
// The frame of a bond lies at its first atom, z towards the second, and the atom before the first has
// x = 0 and y < 0. The next frame is reached by a step along z and a turn about x by 180 degrees less
// the bond angle; with that every joint angle is the dihedral angle of its bond in the usual sense: zero
// when the outer atoms are on one side (cis), 180 degrees in a stretched chain.
//
// Two rigid bodies per residue: what turns with phi (CA, its hydrogen, the methyl group), and the peptide
// plane behind psi (C, O, and N, H of the next residue; behind the last residue an amide). The first N
// stands at the origin of the world.
#include "io/robots.h"

#include <math.h>
#include <stdio.h>

enum { RESIDUES = 500 };

#define PI 3.14159265358979323846

// Engh and Huber 1991; angstrom, degrees.
static const double n_ca = 1.458, ca_c = 1.525, c_n = 1.329, c_o = 1.231, ca_cb = 1.521;
static const double n_ca_c = 111.2, ca_c_n = 116.2, c_n_ca = 121.7, ca_c_o = 120.8;
static const double n_ca_cb = 110.4, c_ca_cb = 110.5;
static const double c_h = 1.09, n_h = 1.01;

// Dalton.
static const double mass_H = 1.008, mass_C = 12.011, mass_N = 14.007, mass_O = 15.999;

// What stands for an angstrom [m] and a dalton [kg].
static const double angstrom = 0.01, dalton = 1e-3;

static double cos_degrees(double angle) { return cos(angle * (PI / 180)); }
static double sin_degrees(double angle) { return sin(angle * (PI / 180)); }

// An atom at p [angstrom].
static sp_inertia atom(double mass, sp_vec3 p) { return limb_inertia_point(mass * dalton, sp_scale3(angstrom, p)); }

// From the frame of a bond to that of the next one.
static sp_pose next_bond(double length, double bond_angle)
{
  const sp_mat3 R = sp_rot_axis(sp_v3(1, 0, 0), (180 - bond_angle) * (PI / 180));
  return sp_pose_make(R, sp_v3(0, 0, length));
}

// Direction away from two directions.
static sp_vec3 away_from(sp_vec3 a, sp_vec3 b)
{
  const sp_vec3 sum = sp_add3(a, b);
  return sp_scale3(-1 / sp_norm3(sum), sum);
}

// What turns with phi, in the frame of N-CA [angstrom].
static sp_inertia alpha_carbon(void)
{
  const sp_vec3 CA = sp_v3(0, 0, n_ca), to_N = sp_v3(0, 0, -1);
  const sp_vec3 to_C = sp_v3(0, -sin_degrees(n_ca_c), -cos_degrees(n_ca_c));
  // CB by its angles to N and C, on the side of x < 0: an L amino acid.
  const double z = -cos_degrees(n_ca_cb);
  const double y = (to_C.z * z - cos_degrees(c_ca_cb)) / -to_C.y;
  const sp_vec3 to_CB = sp_v3(-sqrt(1 - y * y - z * z), y, z);
  const sp_vec3 to_H = away_from(to_CB, sp_add3(to_N, to_C));
  const sp_inertia carbon = atom(mass_C, CA);
  const sp_inertia methyl = atom(mass_C + 3 * mass_H, sp_add3(CA, sp_scale3(ca_cb, to_CB)));
  const sp_inertia hydrogen = atom(mass_H, sp_add3(CA, sp_scale3(c_h, to_H)));
  return limb_inertia_add(limb_inertia_add(carbon, methyl), hydrogen);
}

// From the frame of CA-C to that of the next N-CA, across the peptide bond [angstrom].
static sp_pose across_peptide(void)
{
  static const sp_mat3 half_turn = {{-1, 0, 0, 0, -1, 0, 0, 0, 1}};
  const sp_pose trans = sp_pose_make(half_turn, sp_v3(0, 0, 0));
  return sp_compose(next_bond(ca_c, ca_c_n), sp_compose(trans, next_bond(c_n, c_n_ca)));
}

// What turns with psi, in the frame of CA-C [angstrom].
static sp_inertia peptide_plane(void)
{
  const sp_pose next = across_peptide();
  const sp_vec3 C = sp_v3(0, 0, ca_c), N = next.p;
  const sp_vec3 to_O = sp_v3(0, sin_degrees(ca_c_o), -cos_degrees(ca_c_o));
  const sp_vec3 back = sp_scale3(1 / c_n, sp_sub3(C, N));
  const sp_vec3 to_H = away_from(back, sp_mulv(next.R, sp_v3(0, 0, 1)));
  const sp_inertia CO = limb_inertia_add(atom(mass_C, C), atom(mass_O, sp_add3(C, sp_scale3(c_o, to_O))));
  const sp_inertia NH = limb_inertia_add(atom(mass_N, N), atom(mass_H, sp_add3(N, sp_scale3(n_h, to_H))));
  return limb_inertia_add(CO, NH);
}

// A name that lasts: what and the number of the residue.
static const char* numbered(limb_store* pool, const char* what, int number)
{
  char text[24];
  const int length = snprintf(text, sizeof text, "%s%d", what, number);
  return limb_store_text(pool, text, (size_t)length);
}

// A body and the rotation that carries it. Returns the name of the body; NULL when out of memory.
static const char* add_link(limb_sketch* s, const char* joint_name, const char* body_name, const char* parent,
                            sp_pose placement, sp_inertia inertia)
{
  static const limb_mark nowhere = {0, 0};
  if (!joint_name || !body_name) return NULL;
  sketch_body* body = limb_sketch_body(s, body_name, nowhere);
  sketch_joint* joint = limb_sketch_joint(s, joint_name, nowhere);
  if (!body || !joint) return NULL;
  body->inertia = inertia;
  joint->parent = parent, joint->child = body_name;
  joint->def.type = LIMB_REVOLUTE;
  placement.p = sp_scale3(angstrom, placement.p);
  joint->def.placement = placement;
  return body_name;
}

limb_status limb_make_protein(limb_sketch* s)
{
  sp_vec3* gravity = limb_store_take(s->pool, sizeof *gravity); // zeroed: weightless
  if (!gravity) return LIMB_E_NOMEM;
  s->gravity = gravity;
  s->name = "protein";
  const sp_inertia alpha = alpha_carbon(), plane = peptide_plane();
  const sp_pose to_psi = next_bond(n_ca, n_ca_c), to_phi = across_peptide();
  const char* parent = "world";
  for (int i = 1; i <= RESIDUES; i++) {
    const char* middle = add_link(s, numbered(s->pool, "phi", i), numbered(s->pool, "alpha", i), parent,
                                  i == 1 ? sp_pose_identity() : to_phi, alpha);
    if (!middle) return LIMB_E_NOMEM;
    parent = add_link(s, numbered(s->pool, "psi", i), numbered(s->pool, "peptide", i), middle, to_psi, plane);
    if (!parent) return LIMB_E_NOMEM;
  }
  return LIMB_OK;
}
