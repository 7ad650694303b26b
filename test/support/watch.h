// malloc and its kin, watched.
#ifndef LIMB_TEST_WATCH_H
#define LIMB_TEST_WATCH_H

#include "support/check.h"

// Allocations of any kind in this program are counted while watching is set. glibc lets a program
// define malloc; a sanitizer has its own already.
#if defined(__GLIBC__) && !CHECK_SANITIZED
#define CAN_WATCH 1
#else
#define CAN_WATCH 0
#endif

extern volatile int watching;
extern volatile long calls;

#endif
