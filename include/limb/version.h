// limb: robot dynamics in C. The version of these headers; CMake reads it from here.
#ifndef LIMB_VERSION_H
#define LIMB_VERSION_H

#define LIMB_VERSION_MAJOR 0
#define LIMB_VERSION_MINOR 2
#define LIMB_VERSION_PATCH 0

/// 0x00MMmmpp; compare with limb_version(), which answers for the library that was linked.
#define LIMB_VERSION (LIMB_VERSION_MAJOR << 16 | LIMB_VERSION_MINOR << 8 | LIMB_VERSION_PATCH)

#endif
