// Operation counts. The kernels are compiled once more over a scalar that counts instead of
// computing, so that the numbers are those of the code that is timed: a multiply-add is one
// multiplication and one addition, and what a kernel skips for the class of a joint is not counted.
// A state of a batch takes as many as a single call.
#include "counts.h"

#include "limb/codegen.h"

#include <math.h>

typedef limb_count count_fn(const limb_model* model);

// No robot here has mimic joints.
static const struct {
  count_fn* count;
  bench_kernel kernel;
  int links; // longest robot: counting keeps a record of every operation
} counted[] = {{limb_count_rnea, BENCH_RNEA, 10000},
               {limb_count_crba, BENCH_CRBA, 200},
               {limb_count_forward, BENCH_FD, 10000},
               {limb_count_aba, BENCH_FD_ABA, 10000},
               {limb_count_coriolis, BENCH_CORIOLIS, 100},
               {limb_count_minv, BENCH_INVERSE, 100},
               {limb_count_regressor, BENCH_REGRESSOR, 100},
               {limb_count_id_derivatives, BENCH_ID_DERIVATIVES, 100},
               {limb_count_fd_derivatives, BENCH_FD_DERIVATIVES, 100}};

static void count_row(bench_row* row)
{
  for (size_t k = 0; k < sizeof counted / sizeof *counted; k++) {
    if (counted[k].kernel != row->kernel || row->robot->nlink > counted[k].links) continue;
    row->operations = counted[k].count(row->robot->model);
    row->counted = 1;
  }
}

// Of the text that was generated.
static void count_generated(bench_row* row)
{
  limb_codegen_options o = limb_default_codegen_options();
  o.what = row->kernel == BENCH_RNEA ? "tau" : row->kernel == BENCH_CRBA ? "M" : "acc";
  limb_codegen* c = NULL;
  limb_codegen_facts facts;
  if (limb_codegen_create(row->robot->model, &o, NULL, &c, NULL) == LIMB_OK &&
      limb_codegen_get(c, 0, &facts) == LIMB_OK) {
    row->operations = (limb_count){facts.mul, facts.add, facts.div, 0, facts.sines};
    row->counted = 1;
  }
  limb_codegen_free(c);
}

void bench_count_rows(bench* b)
{
  for (int i = 0; i < b->nrow; i++) {
    bench_row* row = &b->row[i];
    if (!bench_is_limb(row->library) || isinf(row->best)) continue;
    const bench_row* single = bench_find_limb(b, row->robot, row->kernel);
    if (row->library->mode == BENCH_GENERATED) {
      count_generated(row);
    } else if (single == row) {
      count_row(row);
    } else if (single) { // it comes first
      row->operations = single->operations;
      row->counted = single->counted;
    }
  }
}
