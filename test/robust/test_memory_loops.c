// Memory of robots with loops: workspaces, platforms and cuts survive an allocator that fails at every
// place in turn; hot calls take no memory at all, leave errno alone, do not look at the locale, and leave
// what limb_kinematics found.
#include "robust/hot_loops.h"
#include "robust/purse.h"
#include "support/watch.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>

// ---- cold calls ----------------------------------------------------------------------------------------

// Everything that is made of a model with loops; stops at the first failure.
static limb_status cold_life(const limb_model* m, int joint, const limb_allocator* alloc)
{
  limb_data* d = NULL;
  limb_parallel* p = NULL;
  limb_model* other = NULL;
  limb_error err = {0};
  limb_status s = limb_data_create(m, alloc, &d);
  if (!s) s = limb_parallel_create(m, -1, alloc, &p, &err);
  if (!s) s = limb_recut(m, 0, joint, alloc, &other, &err);
  if (s && d) assert_that(err.status == s && err.text[0] != 0);
  assert_that(s == LIMB_OK || !other);
  limb_data_destroy(d);
  limb_parallel_destroy(p);
  if (other) assert_that(limb_loop_count(other) == limb_loop_count(m));
  limb_model_destroy(other);
  return s;
}

static void fail_everywhere(const char* name)
{
  closed_case c = closed_find(name, 1);
  int joint = -1;
  for (int j = 0; j < limb_joint_count(c.m) && joint < 0; j++) {
    limb_model* other = NULL;
    if (limb_recut(c.m, 0, j, NULL, &other, NULL) == LIMB_OK) joint = j;
    limb_model_destroy(other);
  }
  purse p = {.budget = -1};
  const limb_allocator alloc = {purse_alloc, purse_free, &p};
  check_at("%s", name);
  assert_ok(cold_life(c.m, joint, &alloc));
  assert_that(p.alive == 0 && p.bytes == 0 && !p.misused);
  const long needed = p.granted;
  assert_that(needed > 4);
  for (long n = 0; n < needed; n++) {
    check_at("%s, allocation %ld of %ld fails", name, n + 1, needed);
    p = (purse){.budget = n};
    assert_status(cold_life(c.m, joint, &alloc), LIMB_E_NOMEM);
    assert_that(p.alive == 0 && p.bytes == 0 && !p.misused);
  }
  closed_free(&c);
}

START_TEST(every_allocation_may_fail)
{
  fail_everywhere("gough_stewart");
  fail_everywhere("3rrr");
}
END_TEST

// ---- hot calls -----------------------------------------------------------------------------------------

// Statuses that some robot may give, in a good state.
static int may_be(const loop_bed* b, int i, limb_status s)
{
  const unsigned needs = hot_loops[i].needs;
  if (s == LIMB_E_ARG) {
    return (needs & NEEDS_P && !b->p) || (needs & NEEDS_OTHER && !b->other) ||
           (needs & NEEDS_MORE && b->map.velocity[0] < 0);
  }
  return s == LIMB_OK || s == LIMB_E_SINGULAR || s == LIMB_E_UNSUPPORTED || s == LIMB_E_NOCONV;
}

static void watch_all(loop_bed* b, int* went_well)
{
  const int frame = limb_frame_count(b->c.m) - 1;
  sp_motion before[2], after[2];
  assert_ok(limb_kinematics(b->d, b->c.q, b->c.v, b->a));
  assert_ok(limb_frame_velocity(b->d, frame, LIMB_BODY, &before[0]));
  assert_ok(limb_frame_acceleration(b->d, frame, LIMB_BODY, &before[1]));
  for (int i = 0; i < HOT_LOOPS; i++) {
    const loop_inputs in = loop_inputs_of(b, hot_loops[i].more);
    errno = EXDEV;
    calls = 0, watching = 1;
    const limb_status s = hot_loops[i].call(&in);
    watching = 0;
    const int error = errno;
    check_at("%s, %s: %s", b->c.name, hot_loops[i].name, limb_status_text(s));
    assert_that(may_be(b, i, s));
    assert_that(calls == 0 && error == EXDEV);
    if (s == LIMB_OK) went_well[i]++;
    assert_ok(limb_frame_velocity(b->d, frame, LIMB_BODY, &after[0]));
    assert_ok(limb_frame_acceleration(b->d, frame, LIMB_BODY, &after[1]));
    assert_that(memcmp(before, after, sizeof before) == 0);
  }
}

START_TEST(hot_calls_take_no_memory_and_leave_errno)
{
  int went_well[HOT_LOOPS] = {0};
  for (int k = 0; k < closed_count(); k++) {
    loop_bed b = loop_bed_make(closed_make(k, 2));
    watch_all(&b, went_well);
    loop_bed_free(&b);
  }
  for (int i = 0; i < HOT_LOOPS; i++) {
    check_at("%s went well %d times", hot_loops[i].name, went_well[i]);
    assert_that(went_well[i] > 1);
  }
}
END_TEST

// A workspace in the caller's memory: none is taken there either.
START_TEST(workspaces_in_given_memory)
{
  closed_case c = closed_find("random_large", 1);
  const size_t size = limb_data_size(c.m);
  void* block = aligned_alloc(LIMB_DATA_ALIGN, (size + 63) / 64 * 64);
  limb_data* w = NULL;
  assert_that(block != NULL);
  errno = EXDEV;
  calls = 0, watching = 1;
  const limb_status s = limb_data_init(c.m, block, size, &w);
  limb_data_destroy(w);
  watching = 0;
  const int error = errno;
  assert_ok(s);
  assert_that(calls == 0 && error == EXDEV);
  free(block);
  closed_free(&c);
}
END_TEST

// A locale with a decimal comma, if there is one, changes no answer.
START_TEST(the_locale_does_not_matter)
{
  loop_bed b = loop_bed_gough();
  static const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
  const size_t bytes = loop_room(b.c.m) * sizeof(double);
  double* want = malloc(bytes);
  assert_that(want != NULL);
  for (int i = 0; i < HOT_LOOPS; i++) {
    loop_inputs in = loop_inputs_of(&b, hot_loops[i].more);
    check_at("%s", hot_loops[i].name);
    assert_ok(hot_loops[i].call(&in));
    memcpy(want, b.out[0], bytes);
    const char* set = NULL;
    for (int k = 0; k < 4 && !set; k++) set = setlocale(LC_ALL, names[k]);
    if (!set && i == 0) printf("no locale with a decimal comma here\n");
    const limb_status s = hot_loops[i].call(&in);
    setlocale(LC_ALL, "C");
    assert_ok(s);
    assert_that(memcmp(want, b.out[0], bytes) == 0);
  }
  free(want);
  loop_bed_free(&b);
}
END_TEST

CHECK_MAIN("robust/memory_loops", 1, every_allocation_may_fail, hot_calls_take_no_memory_and_leave_errno,
           workspaces_in_given_memory, the_locale_does_not_matter)
