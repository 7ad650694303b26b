// Events of a simulation: conditions of the run, and the list of what happened.
#ifndef LIMB_CLI_SIM_EVENTS_H
#define LIMB_CLI_SIM_EVENTS_H

#include "sim_job.h"

// What happened, with the words for it.
typedef struct sim_happened {
  limb_sim_event event;
  const char* name; // of the condition, or of the joint; "" else
} sim_happened;

enum { SIM_EVENTS_MOST = 100000 }; // kept; the others are counted

// Conditions of the run are 0 ... count - 1 of the simulation's; a watch that can end the run comes after
// them.
struct sim_events {
  int count;
  struct sim_condition* condition;
  int nhappened, happened_room;
  sim_happened* happened;
  uint64_t more; // that were not kept
};

// Keeps an event. LIMB_OK or LIMB_E_NOMEM.
limb_status sim_keep_event(sim_job* job, const limb_sim_event* event);

// "12.236082904 s: condition 'gate'", "impact of 'elbow' at its upper limit, -2 to 1 rad/s".
void sim_event_text(const sim_happened* h, char* text, size_t size);

#endif
