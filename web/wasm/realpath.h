// What stdlib.h of wasi-libc lacks (realpath.c).
#ifndef LIMB_WASM_REALPATH_H
#define LIMB_WASM_REALPATH_H

char* realpath(const char* path, char* resolved);

#endif
