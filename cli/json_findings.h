// Findings as JSON, each with the words of its rule.
#ifndef LIMB_CLI_JSON_FINDINGS_H
#define LIMB_CLI_JSON_FINDINGS_H

#include "limb/read.h"

#include <jansson.h>

json_t* cli_json_finding(const limb_finding* f);
json_t* cli_json_findings(const limb_findings* f); // an array

#endif
