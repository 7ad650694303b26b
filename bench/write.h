// Results of `limb bench` for programs and for the eye.
#ifndef BENCH_WRITE_H
#define BENCH_WRITE_H

#include "bench.h"

#include <jansson.h>
#include <stdio.h>

json_t* bench_json(const bench* b);

// A table with the members of the rows as columns; nothing stands where one does not apply.
void bench_csv(const bench* b, FILE* out);

// Cost against the number of joints: chains, in all modes and of all libraries, both axes in decades. 0 when
// memory runs out.
int bench_draw(const bench* b, FILE* out);

// 1 when a robot is one of the chains that are drawn.
int bench_is_chain(const char* robot);

#endif
