// How readers, doctor and writers report. Findings never fail: when memory runs out, the list remembers
// that, and limb_findings_lost tells.
#ifndef LIMB_IO_FINDINGS_H
#define LIMB_IO_FINDINGS_H

#include "limb/findings.h"

#include "io/rules.h"

#include <stdarg.h>

// A place in a file, 1-based; zeros when there is none.
typedef struct limb_mark {
  int line, column;
} limb_mark;

enum { LIMB_WHERE_SPACE = 96 };

// What a finding is about: a kind of thing and its name, such as ("link", "forearm"). name NULL: the kind
// alone; both NULL: the file.
typedef struct limb_subject {
  const char* kind;
  const char* name;
} limb_subject;

#if defined(__GNUC__)
#define LIMB_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define LIMB_PRINTF(text, first)
#endif

// Adds a finding. f NULL: nobody wants to know.
LIMB_PRINTF(5, 6)
void limb_report(limb_findings* f, limb_rule rule, limb_mark at, limb_subject about, const char* format, ...);

// Gives the last finding a hint: the likely cause in this case, or what to do here.
LIMB_PRINTF(2, 3) void limb_report_hint(limb_findings* f, const char* format, ...);

// As limb_report, but only the first time for this rule and this name: "<gazebo> is ignored", once.
LIMB_PRINTF(5, 6)
void limb_report_once(limb_findings* f, limb_rule rule, limb_mark at, limb_subject about, const char* format, ...);

// Changes nothing but the severity of the last finding.
void limb_report_as(limb_findings* f, limb_severity severity);

// 1 when a finding was lost for want of memory.
int limb_findings_lost(const limb_findings* f);

// "; did you mean 'x'?" for the nearest of the names, or "" when none is near. In text, returned. After some
// hundreds of times on behalf of the same findings it says nothing any more: a hostile file cannot buy time.
const char* limb_did_you_mean(limb_findings* f, const char* wrong, int count,
                              const char* (*name)(const void* context, int i), const void* context,
                              char text[LIMB_WHERE_SPACE]);

#endif
