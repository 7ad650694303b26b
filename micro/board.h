// What a program needs of the board: text out, an end, a count of instructions, the depth of the stack.
//
// The board is emulated (qemu-system-arm, machines mps2-an386 and mps2-an500). Text and the exit code leave
// it by semihosting: ARM, Semihosting for AArch32 and AArch64, release 2.0, operations SYS_WRITE0 and
// SYS_EXIT_EXTENDED. No heap, no stdio.
#ifndef LIMB_MICRO_BOARD_H
#define LIMB_MICRO_BOARD_H

#include <stdint.h>

/// Prints a text that a zero ends.
void board_print(const char* text);

/// Prints by snprintf (text.c), up to 160 characters.
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void board_printf(const char* format, ...);

/// Ends the emulation; qemu's exit code is 0 or 1.
_Noreturn void board_exit(int failed);

typedef struct board_cost {
  long instructions; ///< of one call
  long stack;        ///< bytes below the caller's frame
} board_cost;

/// Runs a task: how many instructions it takes, as the mean of `times` runs, and how deep its stack goes.
///
/// With -icount shift=0 the emulator lets a nanosecond pass with every instruction. SysTick, at 25 MHz,
/// counts 40 of them at a time and wraps round after 671 million. No real processor takes the same time for
/// all instructions: this is a count and not a time.
board_cost board_measure(void (*task)(void* argument), void* argument, int times);

#endif
