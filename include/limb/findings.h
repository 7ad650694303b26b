// limb: robot dynamics in C. What was found in a model file: errors, doubts, assumptions, with lines.
//
// Readers, the doctor and the writers say everything through a list of findings. Each names a rule;
// rules have stable names, and say why a thing matters and how to mend it.
//
// This header belongs to the library limb_io.
#ifndef LIMB_FINDINGS_H
#define LIMB_FINDINGS_H

#include "limb/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How bad it is. Values are pinned.
typedef enum limb_severity {
  LIMB_NOTE = 0,    ///< said for completeness: what was assumed, dropped, merged
  LIMB_WARNING = 1, ///< legal, but probably not what was meant
  LIMB_ERROR = 2    ///< no model comes of it, or one that no real robot can be
} limb_severity;

/// "note", "warning", "error"; NULL for a number that is none.
LIMB_API const char* limb_severity_name(limb_severity severity);

/// One finding. The strings live as long as the list.
typedef struct limb_finding {
  const char* rule; ///< name of the rule, such as "inertia-triangle"
  limb_severity severity;
  int line, column;  ///< in the file, 1-based; 0 when there is no such place
  const char* where; ///< the thing, such as "link 'forearm'"; "" when it is the file as a whole
  const char* text;  ///< what is wrong, with the figures
  const char* hint;  ///< the likely cause in this case, or what to do here; "" when there is none
} limb_finding;

/// A growing list of findings. Belongs to one thread at a time.
typedef struct limb_findings limb_findings;

/// @return LIMB_OK, LIMB_E_ARG (out is NULL, half an allocator) or LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_findings_create(const limb_allocator* alloc, limb_findings** out);

/// Frees a list; NULL is accepted.
LIMB_API void limb_findings_destroy(limb_findings* f);

/// Number of findings; of those at least as bad as severity. 0 for NULL.
LIMB_API int limb_findings_count(const limb_findings* f);
LIMB_API int limb_findings_count_from(const limb_findings* f, limb_severity severity);

/// One finding, in the order in which they were made (limb_findings_sort: by line).
/// @return LIMB_OK or LIMB_E_ARG (NULL, index out of range).
LIMB_NODISCARD LIMB_API limb_status limb_findings_get(const limb_findings* f, int index, limb_finding* out);

/// Sorts by line and column, stable; those without a place go last.
LIMB_API void limb_findings_sort(limb_findings* f);

/// What a rule is about.
typedef struct limb_rule_info {
  const char* name;
  limb_severity severity; ///< of its findings
  const char* why;        ///< why it matters, one sentence
  const char* fix;        ///< what to do about it, one sentence
} limb_rule_info;

/// The rules, all of them: of the readers, the doctor and the writers.
LIMB_API int limb_rule_count(void);
LIMB_NODISCARD LIMB_API limb_status limb_get_rule(int index, limb_rule_info* out);
LIMB_API int limb_find_rule(const char* name); ///< index; -1 when there is none

#ifdef __cplusplus
}
#endif

#endif
