// The host's answers, compared and paid for (answers.h).

#include "answers.h"
#include "board.h"

#include <math.h>

enum { TIMES = 8 };

// Largest difference over largest number; infinite when one of them is none.
static double difference(int n, const double* got, const double* expected)
{
  double most = 0, size = 0;
  for (int i = 0; i < n; i++) {
    const double off = fabs(got[i] - expected[i]);
    if (!isfinite(off)) return HUGE_VAL;
    most = fmax(most, off), size = fmax(size, fabs(expected[i]));
  }
  return most / size;
}

void answers_begin(const char* title)
{
  board_printf("\n%s\n\n", title);
  board_print("| robot | | off by | allowed | instructions | stack |\n");
  board_print("|---|---|--:|--:|--:|--:|\n");
}

int answers_check(const micro_robot* r, const question* what, void* context)
{
  static double out[ANSWER_MOST];
  double worst = 0;
  long instructions = 0, stack = 0;
  int fine = what->width <= ANSWER_MOST;
  for (int i = 0; i < r->states && fine; i++) {
    what->load(context, r, i);
    const board_cost cost = board_measure(what->run, context, TIMES);
    instructions += cost.instructions;
    if (cost.stack > stack) stack = cost.stack;
    fine = what->result(context, what->width, out);
    worst = fmax(worst, difference(what->width, out, what->expected + i * what->width));
  }
  fine = fine && worst <= what->allowed;
  board_printf("| %s | %s | %.2g | %.2g | %ld | %ld |%s\n", r->name, what->what, worst, what->allowed,
               instructions / r->states, stack, fine ? "" : " WRONG");
  return fine;
}
