// Loops of a robot as commands see them: closed from the start configuration, looked at there, told about.
#ifndef LIMB_CLI_CLOSURE_H
#define LIMB_CLI_CLOSURE_H

#include "limb/limb.h"

enum { CLOSURE_TRIES = 20 }; // starts of an assembly, unless a command is told otherwise

typedef struct cli_closure {
  const limb_model* model;
  limb_loops* loops;
  double* q;                   // nq: closed when `closed` says so; else the best that was found
  limb_assembly_report report; // how well it closes
  int closed;                  // the last assembly went well
  limb_mobility mobility;      // at q, as all below; only when it is closed
  unsigned char* redundant;    // a mark per row
  int* still;                  // velocities that no motion moves ...
  int nstill;                  // ... and how many; -1: the robot is too large to tell
} cli_closure;

// Makes the workspace and puts q where the model begins; nothing is closed yet. LIMB_OK, or what went
// wrong. Free in any case.
limb_status cli_closure_make(const limb_model* m, cli_closure* out);
void cli_closure_free(cli_closure* c);

// Closes the loops from q; how: NULL for the defaults, with CLOSURE_TRIES. That no way was found is told by
// `closed`, not by the status.
limb_status cli_closure_assemble(cli_closure* c, const limb_assembly* how);

// Mobility, redundant rows and what stands still, at q.
limb_status cli_closure_look(cli_closure* c, const limb_loop_options* options);

// The use of a workspace for robots of this size: dense, unless matrices of the whole robot would be too
// large.
limb_loops_use cli_loops_use(const limb_model* m);

// Name of a loop; "?" when there is none.
const char* cli_loop_name(const limb_model* m, int loop);

// 1 when some row follows a prescribed motion.
int cli_has_laws(const limb_model* m);

// Redundant rows of one loop.
int cli_redundant_of(const cli_closure* c, int loop);

// 1 when nothing moves, and no law moves it.
int cli_is_locked(const cli_closure* c);

// Notes about what an evaluator met in all rows of a robot with loops: missing motors, surplus motors, redundant
// equations.
void cli_report_loops(const limb_evaluator* e, const limb_model* m, const char* path);

// "regular", "drives", "platform", "both", "closure"
const char* cli_singularity_name(limb_singularity s);

#endif
