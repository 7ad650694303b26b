// From reset to main: vectors, the floating-point unit, variables. ARMv7-M Architecture Reference Manual,
// B1.5 (reset, vector table) and B3.2.20 (CPACR).

#include "board.h"

#include <string.h>

extern uint32_t stack_high[], data_start[], data_end[], bss_start[], bss_end[];
extern const uint32_t data_stored[];

int main(void);
_Noreturn void reset(void);

static void fault(void)
{
  board_print("the processor stopped at a fault\n");
  board_exit(1);
}

enum { FAULTS = 14 }; // NMI, the faults and what is never enabled

typedef struct vectors {
  uint32_t* stack;
  void (*reset)(void);
  void (*other[FAULTS])(void);
} vectors;

__attribute__((section(".vectors"), used)) static const vectors table = {
  stack_high,
  reset,
  {fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault}};

void reset(void)
{
  volatile uint32_t* const coprocessors = (volatile uint32_t*)0xe000ed88;
  *coprocessors |= 0xfu << 20; // CP10 and CP11, the floating-point unit, are free to use
  __asm__ volatile("dsb\n\tisb" ::: "memory");
  memcpy(data_start, data_stored, (size_t)((char*)data_end - (char*)data_start));
  memset(bss_start, 0, (size_t)((char*)bss_end - (char*)bss_start));
  board_exit(main());
}
