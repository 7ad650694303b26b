// The library on a microcontroller: a model made of tables in an array, a workspace in another, and the
// answers of the host. Double throughout: in software on a Cortex-M4F.

#include "answers.h"
#include "board.h"
#include "memory.h"

#include <float.h>
#include <string.h>

static _Alignas(LIMB_DATA_ALIGN) unsigned char memory[160 * 1024];

// ---- a model out of tables -------------------------------------------------------------------------

static limb_status describe(const micro_robot* r, limb_builder* b, limb_error* err)
{
  limb_status s = limb_builder_set_name(b, r->name);
  if (s == LIMB_OK) s = limb_builder_set_gravity(b, r->gravity);
  for (int k = 0; k < r->bodies && s == LIMB_OK; k++) s = limb_builder_add_body(b, &r->body[k], NULL, err);
  for (int k = 0; k < r->joints && s == LIMB_OK; k++) s = limb_builder_add_joint(b, &r->joint[k], NULL, err);
  return s;
}

// The model keeps its allocator, and so the bump that it points to.
static limb_status build(const micro_robot* r, bump* from, limb_model** m, limb_error* err)
{
  const limb_allocator alloc = bump_allocator(from);
  limb_builder* b = NULL;
  limb_status s = limb_builder_create(&alloc, &b);
  if (s == LIMB_OK) s = describe(r, b, err);
  if (s == LIMB_OK) s = limb_builder_build(b, m, err);
  limb_builder_destroy(b);
  return s;
}

// ---- questions -------------------------------------------------------------------------------------

typedef struct call {
  limb_data* d;
  const double *q, *v, *a, *drive;
  limb_status status;
  double out[ANSWER_MOST];
} call;

static void load(void* context, const micro_robot* r, int i)
{
  call* c = context;
  c->q = r->q + i * r->nq, c->v = r->v + i * r->nv;
  c->a = r->a + i * r->nv, c->drive = r->drive + i * r->nv;
}

static int result(void* context, int width, double* out)
{
  const call* c = context;
  memcpy(out, c->out, (size_t)width * sizeof *out);
  return c->status == LIMB_OK;
}

static void inverse(void* context)
{
  call* c = context;
  c->status = limb_inverse_dynamics(c->d, c->q, c->v, c->a, NULL, c->out);
}

static void mass(void* context)
{
  call* c = context;
  c->status = limb_mass_matrix(c->d, c->q, c->out);
}

static void forward(void* context)
{
  call* c = context;
  c->status = limb_forward_dynamics(c->d, c->q, c->v, c->drive, NULL, c->out);
}

// The largest difference that is allowed, as a part of the largest number: the compilers of host and board
// fuse products and sums in different places.
static const double allowed = 64 * DBL_EPSILON;

static int ask(const micro_robot* r, limb_data* d)
{
  static call c;
  const question all[] = {
    {"inverse dynamics", load, inverse, result, r->tau, r->nv, allowed},
    {"mass matrix", load, mass, result, r->M, r->nv * r->nv, allowed},
    {"forward dynamics", load, forward, result, r->free, r->nv, allowed},
  };
  int fine = 1;
  c.d = d;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) fine &= answers_check(r, &all[k], &c);
  return fine;
}

static int check(const micro_robot* r)
{
  bump from = {memory, sizeof memory, 0, 0};
  limb_model* m = NULL;
  limb_data* d = NULL;
  limb_error err = {0};
  const limb_status s = build(r, &from, &m, &err);
  if (s != LIMB_OK) {
    board_printf("%s: %s: %s %s\n", r->name, limb_status_text(s), err.where, err.text);
    return 0;
  }
  const size_t building = from.used, model = from.live, size = limb_data_size(m);
  void* work = bump_take(&from, size, LIMB_DATA_ALIGN);
  if (!work || limb_data_init(m, work, size, &d) != LIMB_OK) {
    board_printf("%s: no room for a workspace of %zu bytes\n", r->name, size);
    return 0;
  }
  const int fine = ask(r, d);
  board_printf("| %s | bytes: model %zu, %zu while it is made; workspace %zu | | | | |\n", r->name, model, building,
               size);
  limb_data_destroy(d);
  limb_model_destroy(m);
  return fine;
}

// Without a heap, a call without an allocator has no memory to use, and says so.
static int check_no_heap(void)
{
  limb_builder* b = NULL;
  const limb_status s = limb_builder_create(NULL, &b);
  if (s != LIMB_E_NOMEM) board_print("a builder came out of nowhere\n");
  return s == LIMB_E_NOMEM;
}

int main(void)
{
  answers_begin("The library, in double");
  const int panda = check(&micro_panda), quadruped = check(&micro_quadruped);
  return panda && quadruped && check_no_heap() ? 0 : 1;
}
