// JSON output, by jansson. Numbers have 17 digits; those that are not finite are null. Bytes that are not UTF-8 (file
// names can be anything) are replaced.
#ifndef LIMB_CLI_JSON_H
#define LIMB_CLI_JSON_H

#include "limb/limb.h"

#include <jansson.h>
#include <stdio.h>

json_t* cli_json_number(double x);
json_t* cli_json_text(const char* text); // NULL: null
json_t* cli_json_numbers(int n, const double* x);
json_t* cli_json_matrix(int rows, int columns, const double* x); // array of rows
json_t* cli_json_vec3(sp_vec3 x);
json_t* cli_json_pose(sp_pose X);              // {"position", "quaternion", "rotation"}, as in limb eval
json_t* cli_json_inertia(const sp_inertia* Y); // {"mass", "com", "inertia": [xx, xy, xz, yy, yz, zz]}

// Sets keys of an object, separated by spaces, to as many values (json_t*), which it takes over.
void cli_json_set(json_t* object, const char* keys, ...);

// {"schema": 1}: the beginning of every answer.
json_t* cli_json_answer(void);

// Prints and frees; EXIT_FINE, or EXIT_USAGE with a message. root NULL: memory ran out.
int cli_json_print(json_t* root, FILE* out, const char* command);

#endif
