// The built-in robots: the embedded files, then those made by a program.
#include "limb/spatial.h"

#include "io/geometry.h"
#include "io/reading.h"

#include <math.h>
#include <string.h>

static const limb_robot_info made[] = {
  {"protein", "Polyalanine of 500 residues, enlarged: a chain of 1000 rotations",
   "bond lengths and angles of R. A. Engh, R. Huber: Accurate bond and angle parameters for X-ray protein structure "
   "refinement, Acta Crystallographica A47, 1991 (alanine, trans peptides); bonds to hydrogen (1.09 to carbon, 1.01 to "
   "nitrogen) and atomic masses are textbook values. Two rotations per residue, phi and psi, with their usual zeros, "
   "as in A. Ghosal: Robotics, Advanced Concepts and Analysis, module 6. The scale is ours: 1 angstrom is 0.01 m, 1 "
   "dalton is 1 g. Atoms are points, a methyl group is one of them; nothing acts between atoms, and there is no "
   "gravity.",
   NULL}};

static int file_count(void)
{
  int n = 0;
  while (limb_robot_files[n].name) n++;
  return n;
}

// Robot of an index that is in range.
static const limb_robot_info* robot_at(int index, int files)
{
  return index < files ? &limb_robot_files[index] : &made[index - files];
}

int limb_robot_count(void) { return file_count() + (int)(sizeof made / sizeof made[0]); }

limb_status limb_get_robot(int index, limb_robot_info* out)
{
  if (!out || index < 0 || index >= limb_robot_count()) return LIMB_E_ARG;
  *out = *robot_at(index, file_count());
  return LIMB_OK;
}

int limb_find_robot(const char* name)
{
  if (!name) return -1;
  const int count = limb_robot_count(), files = file_count();
  for (int i = 0; i < count; i++) {
    if (!strcmp(robot_at(i, files)->name, name)) return i;
  }
  return -1;
}

// ---- protein: polyalanine, two rotations per residue ------------------------------------------------
//
// Bonds N-CA (angle phi), CA-C (psi) and C-N (fixed at 180 degrees: a trans peptide) follow each other. The frame of a
// bond lies at its first atom, with z towards the second, and the atom before the first has x = 0 and y < 0. The next
// frame is reached by a step along z and a rotation about x by 180 degrees less the bond angle. Every joint angle is
// then the dihedral angle of its bond in the usual sense: zero when the outer atoms are on one side (cis), 180 degrees
// in a stretched chain.
//
// Two rigid bodies per residue: what turns with phi (CA, its hydrogen, the methyl group), and the peptide plane behind
// psi (C, O, and N, H of the next residue; an amide behind the last). The first N lies at the origin of the world.

enum { RESIDUES = 500 };

// Engh and Huber 1991; angstrom, degrees.
static const double n_ca = 1.458, ca_c = 1.525, c_n = 1.329, c_o = 1.231, ca_cb = 1.521;
static const double n_ca_c = 111.2, ca_c_n = 116.2, c_n_ca = 121.7, ca_c_o = 120.8;
static const double n_ca_cb = 110.4, c_ca_cb = 110.5;
static const double c_h = 1.09, n_h = 1.01;

// Atomic masses, dalton.
static const double mass_H = 1.008, mass_C = 12.011, mass_N = 14.007, mass_O = 15.999;

// The scale of the robot: an angstrom [m] and a dalton [kg].
static const double angstrom = 0.01, dalton = 1e-3;

static double cos_degrees(double angle) { return cos(angle * (LIMB_PI / 180)); }
static double sin_degrees(double angle) { return sin(angle * (LIMB_PI / 180)); }

// An atom at p [angstrom].
static sp_inertia atom(double mass, sp_vec3 p) { return limb_inertia_point(mass * dalton, sp_scale3(angstrom, p)); }

// From the frame of a bond to that of the next one.
static sp_pose next_bond(double length, double bond_angle)
{
  const sp_mat3 R = sp_rot_axis(sp_v3(1, 0, 0), (180 - bond_angle) * (LIMB_PI / 180));
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

// A body and the rotation that carries it. Returns the name of the body; NULL when out of memory.
static const char* add_link(limb_raw_robot* s, const char* joint_name, const char* body_name, const char* parent,
                            sp_pose placement, sp_inertia inertia)
{
  static const file_pos nowhere = {0, 0, 0};
  if (!joint_name || !body_name) return NULL;
  raw_body* body = limb_raw_add_body(s, body_name, nowhere);
  raw_joint* joint = limb_raw_add_joint(s, joint_name, nowhere);
  if (!body || !joint) return NULL;
  body->inertia = inertia;
  joint->parent = parent, joint->child = body_name;
  joint->def.type = LIMB_REVOLUTE;
  placement.p = sp_scale3(angstrom, placement.p);
  joint->def.placement = placement;
  return body_name;
}

static limb_status make_protein(limb_raw_robot* s)
{
  if (!limb_raw_set_gravity(s, sp_v3(0, 0, 0))) return LIMB_E_NOMEM;
  s->name = "protein";
  const sp_inertia alpha = alpha_carbon(), plane = peptide_plane();
  const sp_pose to_psi = next_bond(n_ca, n_ca_c), to_phi = across_peptide();
  const char* parent = "world";
  for (int i = 1; i <= RESIDUES; i++) {
    const char* middle =
      add_link(s, limb_mempool_numbered(s->pool, "phi", i), limb_mempool_numbered(s->pool, "alpha", i), parent,
               i == 1 ? sp_pose_identity() : to_phi, alpha);
    if (!middle) return LIMB_E_NOMEM;
    parent = add_link(s, limb_mempool_numbered(s->pool, "psi", i), limb_mempool_numbered(s->pool, "peptide", i), middle,
                      to_psi, plane);
    if (!parent) return LIMB_E_NOMEM;
  }
  return LIMB_OK;
}

limb_status limb_make_robot(const char* name, limb_raw_robot* s)
{
  return strcmp(name, "protein") ? LIMB_E_ARG : make_protein(s);
}
