// What the parts of the writer of limb YAML share.
#ifndef LIMB_WRITE_YAML_IMPL_H
#define LIMB_WRITE_YAML_IMPL_H

#include "limb/builder.h"
#include "limb/findings.h"

#include "io/yaml_schema.h"

#include <stdbool.h>
#include <string.h>

typedef struct yaml_output {
  limb_text_fn* write;
  void* context;
} yaml_output;

static inline void put(const yaml_output* o, const char* text) { o->write(o->context, text); }

static inline bool limb_same_bits(const void* a, const void* b, size_t size) { return memcmp(a, b, size) == 0; }

// ---- write_yaml_text.c ------------------------------------------------------------------------------

void limb_yaml_put_number(const yaml_output* o, double x);
void limb_yaml_put_vec3(const yaml_output* o, sp_vec3 x);
void limb_yaml_put_list(const yaml_output* o, int n, const double* x, void (*item)(const yaml_output*, double));

// In double quotes unless it is a plain word.
void limb_yaml_put_name(const yaml_output* o, const char* name);

// What of the pose is not the identity, between the texts, such as {xyz: [...], rpy: [...]}; nothing for the
// identity.
void limb_yaml_put_pose(const yaml_output* o, const char* before, const sp_pose* X, const char* after);

// The key and number of a property after the text, if it is not what it is in unset: whether it was written.
bool limb_yaml_put_property(const yaml_output* o, const char* before, const yaml_property* p, const void* def,
                            const void* unset);

// ---- write_yaml_loop.c ------------------------------------------------------------------------------

limb_status limb_yaml_put_loop(const yaml_output* o, const limb_builder* b, int loop);

#endif
