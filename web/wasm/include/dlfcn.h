// What wasi-libc lacks: libraries that are loaded at run time. There are none, which is what dlopen says.
#ifndef LIMB_WASM_DLFCN_H
#define LIMB_WASM_DLFCN_H

enum { RTLD_LAZY = 1, RTLD_NOW = 2, RTLD_LOCAL = 0 };

static inline void* dlopen(const char* name, int mode) { return (void)name, (void)mode, (void*)0; }
static inline void* dlsym(void* library, const char* name) { return (void)library, (void)name, (void*)0; }
static inline int dlclose(void* library) { return (void)library, 0; }

#endif
