// The options of `limb sim`, put over the run file by limb_run_override_create.
#include "base/command.h"
#include "sim/sim.h"

#include <string.h>

const cli_option sim_plan_options[] = {
  {"", NULL, "simulation; numbers may have units: 10s, 45deg, 1kHz (docs/simulation.md)"},
  {"duration", "T", "length of the simulation"},
  {"end", "T", "or its end time"},
  {"pose", "NAME", "start from a named pose of the model; limb info lists them"},
  {"q", "JOINT=X,...", "start position by joint: shoulder=45deg,elbow=0.2"},
  {"v", "JOINT=X,...", "start velocity by joint (default: at rest)"},
  {"start", "FILE.csv[:ROW]", "start from a row of a table of states (default: the first)"},
  {"target", "FRAME=X,Y,Z[,QX,QY,QZ,QW]", "start where a frame has this pose; --q says where the search begins"},
  {"start-time", "T", "start time (default: 0, or that of the row)"},
  {"assemble", "true|false", "close the loops at the start (default: true)"},
  {"start-tolerance", "X", "largest change of given values to close the loops (default: 1e-3)"},
  {"hold", "JOINT,...", "joints that stay where they begin while loops are closed"},
  {"method", "NAME", "auto, euler, semi-implicit, rk4, variational, implicit, erk, adams, bdf or ida (default: auto)"},
  {"step", "H", "largest fixed step (default: 1ms)"},
  {"rtol", "X", "relative tolerance of adaptive methods (default: 1e-8, with loops 1e-10)"},
  {"atol", "X", "absolute tolerance of adaptive methods (default: 1e-10, with loops 1e-12)"},
  {"max-step", "H", "largest adaptive step (default: unlimited)"},
  {"order", "N", "highest order of adaptive methods"},
  {"max-steps", "N", "stop with an error after this many steps"},
  {"project", "X", "project loops back if open by more than this (default: 1e-13); off: never"},
  {"loop-method", "NAME", "solver for the loop equations: auto, clusters, schur, kkt, proximal, mexx, sequential"},
  {"baumgarte", "ALPHA,BETA", "stabilise loops by Baumgarte's terms in addition; on: gains of 1 / (50 step); off"},
  {"stiction", "exact|smooth", "exact Coulomb friction, or smoothed by --coulomb-width"},
  {"stops", "none|hold|spring|impact|end", "what happens at the limits of joints (default: none)"},
  {"restitution", "X", "restitution of impact stops, 0 to 1 (default: 0.5)"},
  {"stop-stiffness", "K", "stiffness of spring stops (default: 1e4)"},
  {"stop-damping", "D", "damping of spring stops (default: 100)"},
  {"condition", "X", "event if the condition number of the loops exceeds this"},
  {"work", "true|false", "integrate the work of forces, to report energy drift (default: true)"},
  {"max-drift", "X", "fail if the energy drifts by more than this share of the largest kinetic energy"},
  {0},
};

const cli_option sim_input_options[] = {
  {"", NULL, "inputs and events"},
  {"torque", "JOINT=X,...", "actuator forces as formulas: 'elbow=2Nm*sin(2*pi*t),shoulder=-3*v.shoulder'"},
  {"torques", "FILE.csv[:KIND]",
   "actuator forces and wrenches from a table; interpolation: hold, linear or spline (default: linear)"},
  {"wrench", "FRAME.FX=X,...", "forces on frames as formulas: 'tool.fx=5N,tool.mz=-0.1*body.tool.wz'"},
  {"wrench-ref", "aligned|body|world", "axes and point of --wrench and of tables (default: aligned)"},
  {"motion", "JOINT.RATE=X,...", "prescribed motion: 'crank.constant=1,crank.rate=30rpm', or .q= .v= .a="},
  {"controller", "TYPE,KP=X,...",
   "pd_gravity, computed_torque, impedance or feedforward, and its settings: "
   "'pd_gravity,kp=100,kd=20,q.elbow=1,rate=1kHz'"},
  {"event", "CONDITIONS",
   "conditions to report, separated by semicolons, with an optional name: 'q.elbow > 90deg; low: energy < 1'"},
  {"stop-at", "CONDITIONS", "conditions that end the simulation"},
  {0},
};

const cli_option sim_output_options[] = {
  {"", NULL, "output"},
  {"output", "FILE,...",
   "tables, by suffix .csv, .npy, .arrow, .parquet or .h5; -: CSV on standard output (default, unless there are "
   "pictures)"},
  {"channels", "LIST", "columns of the tables: q,v,energy,pos.tool.x,M.elbow (default: q,v)"},
  {"directions", "WX,...",
   "directions of tasks at frames, as for Lambda: wx,wy,wz,vx,vy,vz, angular, linear (default: all six)"},
  {"rate", "F", "rows per second of simulated time: 100 or 100Hz (default: about 500 rows)"},
  {"interval", "T", "or the time between rows"},
  {"title", "TEXT", "title of the pictures"},
  {"plot", "FILE", "curves of the channels: .svg, .png, .pdf or .html"},
  {"animate", "FILE", "animation of the robot, .svg or .html; .png and .pdf show its start and its path"},
  {0},
};

const cli_option sim_report_options[] = {
  {"resume", NULL, "go on from the last rows of the table that an earlier run has left; begins if there is none"},
  {"summary", "text|json|none", "summary: text on standard error (default), or JSON on standard output"},
  {"quiet", NULL, "no summary, no notes"},
  {"no-progress", NULL, "no progress bar"},
  {0},
};

// ---- over the run file -----------------------------------------------------------------------------

enum { MAX_SETTINGS = 96 };

// Those of a list of options that are given.
static int collect(const cli_args* args, const cli_option* options, limb_run_setting* out, int count)
{
  for (const cli_option* o = options; o->name && count + 2 < MAX_SETTINGS; o++)
    if (*o->name && cli_has(args, o->name)) out[count++] = (limb_run_setting){o->name, cli_get(args, o->name)};
  return count;
}

int sim_take_options(sim_plan* p)
{
  static const cli_option model[] = {{.name = "base"},        {.name = "no-mimic"},      {.name = "gravity"},
                                     {.name = "no-friction"}, {.name = "coulomb-width"}, {0}};
  limb_run_setting settings[MAX_SETTINGS] = {{0}};
  limb_error err = {0};
  int n = collect(p->args, sim_plan_options, settings, 0);
  n = collect(p->args, sim_input_options, settings, n);
  n = collect(p->args, sim_output_options, settings, n);
  n = collect(p->args, model, settings, n);
  n = collect(p->args, cli_change_options, settings, n);
  // Without outputs: a table on standard output, unless the summary goes there.
  const int pictures = cli_has(p->args, "plot") || cli_has(p->args, "animate");
  if (p->run.noutput == 0 && !pictures && !cli_has(p->args, "output") && !cli_is(p->args, "summary", "json"))
    settings[n] = (limb_run_setting){"output", "-"};
  const limb_status s = limb_run_override_create(&p->run, settings, &p->over, &err);
  if (s == LIMB_E_NOMEM) return sim_out_of_memory(p);
  if (s != LIMB_OK) return sim_refused(p, s, &err);
  p->run = *limb_run_override_run(p->over);
  return EXIT_FINE;
}
