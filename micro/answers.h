// The host's answers, compared and paid for: one row of the table per question.
#ifndef LIMB_MICRO_ANSWERS_H
#define LIMB_MICRO_ANSWERS_H

#include "robot.h"

enum { ANSWER_MOST = 18 * 18 }; ///< numbers of one answer

/// A question about a state of a robot. Only `run` is measured.
typedef struct question {
  const char* what;
  void (*load)(void* context, const micro_robot* r, int state); ///< takes the inputs
  void (*run)(void* context);
  int (*result)(void* context, int width, double* out); ///< the answer; 0 when there is none
  const double* expected;                               ///< states times width
  int width;
  double allowed; ///< largest difference, as a part of the largest number of an answer
} question;

/// Heading of the table.
void answers_begin(const char* title);

/// Asks in every state, compares, measures, and prints the row. Returns 1 if all was well, else 0.
int answers_check(const micro_robot* r, const question* what, void* context);

#endif
