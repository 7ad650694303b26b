// Semihosting, SysTick, and a painted stack (board.h).

#include "board.h"

#include <stdarg.h>
#include <stdio.h>

// ---- semihosting -----------------------------------------------------------------------------------

enum { SYS_WRITE0 = 0x04, SYS_EXIT_EXTENDED = 0x20, APPLICATION_EXIT = 0x20026 };

static void ask_host(int operation, const void* argument)
{
  register int r0 __asm__("r0") = operation;
  register const void* r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void board_print(const char* text) { ask_host(SYS_WRITE0, text); }

void board_printf(const char* format, ...)
{
  char line[161];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(line, sizeof line, format, args);
  va_end(args);
  board_print(line);
}

void board_exit(int failed)
{
  const uint32_t block[2] = {APPLICATION_EXIT, failed != 0};
  for (;;) ask_host(SYS_EXIT_EXTENDED, block);
}

// ---- instructions ----------------------------------------------------------------------------------

enum { TICK = 40, TICKS = 1 << 24 };

typedef struct systick { // ARMv7-M Architecture Reference Manual, B3.3
  uint32_t control, reload, value;
} systick;

static volatile systick* const timer = (volatile systick*)0xe000e010;

static void start_ticks(void)
{
  timer->control = 0;
  timer->reload = TICKS - 1;
  timer->value = 0;
  timer->control = 5; // enabled, no interrupt, the processor's clock
}

// Counts down.
static uint32_t ticks_since(uint32_t start) { return (start - timer->value) & (TICKS - 1); }

// ---- stack -----------------------------------------------------------------------------------------

enum { PAINT = 0x5a5aa5a5 };

extern uint32_t stack_low[];

// Paints from the lowest word of the stack up to some words below this frame.
__attribute__((noinline)) static uint32_t* paint(void)
{
  uint32_t* const here = (uint32_t*)__builtin_frame_address(0) - 16;
  for (volatile uint32_t* at = stack_low; at < here; at++) *at = PAINT;
  return here;
}

static long depth(const uint32_t* from)
{
  const volatile uint32_t* at = stack_low;
  while (at < from && *at == PAINT) at++;
  return (long)((from - at) * (long)sizeof *at);
}

board_cost board_measure(void (*task)(void* argument), void* argument, int times)
{
  board_cost cost;
  const uint32_t* from = paint();
  task(argument);
  cost.stack = depth(from);
  start_ticks();
  const uint32_t start = timer->value;
  for (int i = 0; i < times; i++) task(argument);
  cost.instructions = (long)((uint64_t)ticks_since(start) * TICK / (uint32_t)times);
  return cost;
}
