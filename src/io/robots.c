// The built-in robots by index and by name: the embedded files, then those made by a program.
#include "io/robots.h"

#include <stddef.h>
#include <string.h>

static const limb_robot_info made[] = {
  {"protein", "Polyalanine of 500 residues, enlarged: a chain of 1000 rotations",
   "bond lengths and angles of R. A. Engh, R. Huber: Accurate bond and angle parameters for X-ray "
   "protein structure refinement, Acta Crystallographica A47, 1991 (alanine, trans peptides); "
   "bonds "
   "to hydrogen (1.09 to carbon, 1.01 to nitrogen) and atomic masses are textbook figures. Two "
   "rotations per residue, phi and psi, with their usual zeros, as in A. Ghosal: Robotics, "
   "Advanced "
   "Concepts and Analysis, module 6. The scale is ours: 1 angstrom is 0.01 m, 1 dalton is 1 g. "
   "Atoms "
   "are points, a methyl group is one of them; nothing acts between atoms, and there is no "
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

limb_status limb_make_robot(const char* name, limb_sketch* s)
{
  return strcmp(name, "protein") ? LIMB_E_ARG : limb_make_protein(s);
}
