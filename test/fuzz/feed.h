// What every reader is put through: any bytes are an error with a reason, or a robot that can be examined,
// repaired, written in both languages, read again, and built; in limb YAML it is the same robot, by its mass matrix,
// torques, drives and loops. A fuzz target is a call of feed().
#ifndef LIMB_FUZZ_FEED_H
#define LIMB_FUZZ_FEED_H

#include "limb/limb.h"
#include "limb/read.h"
#include "limb/study.h"

#include "support/page.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static inline void feed_fail(const char* what, const page* p, const limb_error* err)
{
  (void)fprintf(stderr, "%s: %d: %s: %s\n", what, err->line, err->where, err->text);
  if (p && p->text) (void)fwrite(p->text, 1, p->size, stderr);
  abort();
}

static inline limb_status feed_read(const char* text, size_t size, limb_format format, limb_reading** r,
                                    limb_error* err)
{
  limb_read_options opt = limb_default_read_options();
  opt.format = format;
  opt.max_bytes = (size_t)1 << 20;
  opt.shapes = 1;
  const limb_status status = limb_read_text(text, size, "fuzz", &opt, r, err);
  const int errors = limb_findings_count_from(limb_reading_findings(*r), LIMB_ERROR);
  if ((status == LIMB_OK) != (errors == 0) || (status == LIMB_OK) != !!limb_reading_builder(*r))
    feed_fail("refused without a reason, or in spite of one", NULL, err);
  return status;
}

// Reads a page that was written.
static inline limb_reading* feed_again(const page* p, limb_format format)
{
  limb_reading* r = NULL;
  limb_error err = {0};
  if (feed_read(p->text, p->size, format, &r, &err)) feed_fail("read again", p, &err);
  return r;
}

// Frames that a writer left out, and said so: their names were too long.
static inline int feed_left_out(const limb_findings* f)
{
  limb_finding x;
  int count = 0;
  for (int i = 0; limb_findings_get(f, i, &x) == LIMB_OK; i++)
    count += strcmp(x.rule, "not-written") == 0 && strncmp(x.where, "frame", 5) == 0;
  return count;
}

// The same robot by two builders, if both can be built. Huge numbers overflow: what is not finite says nothing.
static inline void feed_compare(const limb_builder* b, const limb_builder* c, const page* p)
{
  limb_model *m = NULL, *again = NULL;
  limb_error err = {0};
  limb_comparison x = {0};
  if (limb_builder_build(b, &m, NULL) == LIMB_OK && limb_nv(m) <= 24) {
    if (limb_builder_build(c, &again, &err)) feed_fail("build again", p, &err);
    const limb_status s = limb_compare(m, again, 1, &x);
    (void)snprintf(err.text, sizeof err.text, "M by %g, tau by %g; %s", x.M, x.tau, x.why);
    if (*x.why || (s == LIMB_OK && (x.M > 1e-9 || x.tau > 1e-9))) feed_fail("another robot", p, &err);
  }
  limb_model_destroy(m);
  limb_model_destroy(again);
}

// What is written holds as many things as the robot.
static inline void feed_write(const limb_builder* b, limb_format format, limb_findings* f)
{
  page p = {0};
  limb_error err = {0};
  const int before = feed_left_out(f);
  if (limb_builder_body_count(b) < 2) return; // nothing but the world cannot be written
  if (limb_write(b, format, page_put, &p, f, &err)) feed_fail("write", &p, &err);
  const int left_out = feed_left_out(f) - before;
  limb_reading* r = feed_again(&p, format);
  const limb_builder* c = limb_reading_builder(r);
  // URDF has no frames: each becomes a body with its joint
  const int frames = limb_builder_frame_count(b) - left_out - limb_builder_frame_count(c);
  if (limb_builder_body_count(c) != limb_builder_body_count(b) + frames ||
      limb_builder_joint_count(c) != limb_builder_joint_count(b) + frames)
    feed_fail("another robot", &p, &err);
  if (format == LIMB_FORMAT_YAML && left_out == 0) feed_compare(b, c, &p);
  limb_reading_destroy(r);
  free(p.text);
}

// The file with its repairs; refused in the alphabets that cannot be repaired in place.
static inline void feed_repaired(const limb_reading* r)
{
  page p = {0};
  limb_error err = {0};
  const limb_status status = limb_write_repaired(r, page_put, &p, &err);
  if (status == LIMB_OK)
    limb_reading_destroy(feed_again(&p, LIMB_FORMAT_URDF));
  else if (status != LIMB_E_UNSUPPORTED || p.size > 0)
    feed_fail("write repaired", &p, &err);
  free(p.text);
}

static inline void feed(const uint8_t* data, size_t size, limb_format format)
{
  limb_reading* r = NULL;
  limb_model* m = NULL;
  limb_error err = {0};
  if (feed_read((const char*)data, size, format, &r, &err) == LIMB_OK) {
    limb_builder* b = limb_reading_builder(r);
    if (limb_check(r, &err)) feed_fail("check", NULL, &err);
    if (limb_repair(r, NULL, &err)) feed_fail("repair", NULL, &err);
    feed_write(b, LIMB_FORMAT_YAML, limb_reading_findings(r));
    feed_write(b, LIMB_FORMAT_URDF, limb_reading_findings(r));
    if (format == LIMB_FORMAT_URDF) feed_repaired(r);
    if (limb_builder_build(b, &m, &err) == LIMB_OK) limb_model_destroy(m);
  }
  limb_reading_destroy(r);
}

#endif
