// Mobility: what moves, what drives it, and where a robot is singular.
//
// Reference: C. Gosselin, J. Angeles, Singularity analysis of closed-loop kinematic chains, 1990; D.
//            Zlatanov, R. Fenton, B. Benhabib, A unifying framework for classification and interpretation of
//            mechanism singularities, 1995. Cost O(n), and O(cube of constraints and velocities) per cluster, some
//            times.
//
// Ranks are compared with those at a configuration next to q where the loops close as well: a step along a
// random motion that the closures allow, then projected. Less rank here than there is a singularity, of
//
//   Psi                     closure: branches of motion meet
//   its passive columns     platform: something moves though the drives are held
//   the two sides apart     drives: some drive moves, and the frames of the closures stand still
//
// The two sides of a constraint are its parts from the joints on the way to frame a, and to frame b. Motions with
// both at rest move the frames of no closure.

#include "linalg/dense.h"
#include "loops/loops_impl.h"

#include <math.h>
#include <string.h>

#define NEXT_STEP 1e-3 // to the configuration that ranks are compared with
#define NO_MOTION 1e-6 // of a random motion, when the closures leave nothing of it

// ---- matrices of a cluster ----------------------------------------------------------------------------------

typedef struct form { // of a matrix of a cluster
  bool passive_only;  // active columns are zero
  bool by_sides;      // two rows for each
} form;

// Columns of the joints on the way to frame b: marked in w->marks.
static void mark_side(limb_loops* w, const limb_loop* loop, int columns)
{
  memset(w->marks, 0, (size_t)columns);
  if (limb_between_joints(loop)) {
    w->marks[loop->column[1]] = 1;
    return;
  }
  bool b = false; // the way to a comes first
  for (int x = 0; x < loop->naxis; x++) {
    b |= loop->axis[x].link == loop->link_b;
    w->marks[loop->axis[x].column] = b;
  }
}

// The live constraints of a cluster in that form, in cluster_work; how many.
static int fill_matrix(limb_loops* w, int cluster, form f)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  double* to = w->cluster_work;
  int l = -1;
  for (int i = 0; i < w->nlive[cluster]; i++) {
    const int r = w->live[k->row + i];
    const double* row = w->Psi + k->block + (ptrdiff_t)r * k->nv;
    while (l < 0 || r >= w->m->loop[k->loop[l]].local + w->m->loop[k->loop[l]].nrow)
      mark_side(w, &w->m->loop[k->loop[++l]], k->nv);
    for (int side = 0; side <= f.by_sides; side++, to += k->nv) {
      for (int j = 0; j < k->nv; j++) {
        const bool out = (f.passive_only && w->active[k->v[j]]) || (f.by_sides && (w->marks[j] != 0) != (side == 1));
        to[j] = out ? 0 : row[j];
      }
    }
  }
  return w->nlive[cluster] * (1 + f.by_sides);
}

// Its singular values, largest first; how many rows there are, -1 on failure.
static int spectrum(limb_loops* w, int cluster, form f, const double** sigma)
{
  const int rows = fill_matrix(w, cluster, f), columns = w->m->clusters.cluster[cluster].nv;
  double* values = w->cluster_work + (ptrdiff_t)rows * columns;
  *sigma = values;
  return limb_singular_values(rows, columns, w->cluster_work, values) ? rows : -1;
}

static int rank_of(limb_loops* w, int cluster, form f, double tolerance)
{
  const double* sigma;
  const int rows = spectrum(w, cluster, f, &sigma);
  int rank = rows < 0 ? -1 : 0;
  tolerance = limb_rank_tolerance(w, cluster, tolerance);
  while (rank >= 0 && rank < rows && sigma[rank] > tolerance * sigma[0]) rank++;
  return rank;
}

// ---- ranks --------------------------------------------------------------------------------------------------

typedef struct ranks { // of all clusters together
  int rank, passive;
  int resting; // motions of drives that leave the frames of all closures at rest
} ranks;

static const form whole = {false, false}, passive_part = {true, false};
static const form sides = {false, true}, passive_sides = {true, true};

static int passive_in(const limb_loops* w, const limb_cluster* k)
{
  int count = 0;
  for (int j = 0; j < k->nv; j++) count += !w->active[k->v[j]];
  return count;
}

// At the constraints that are there. Per cluster: r1 rank, r2 that of the passive columns, r3 that by sides.
static limb_status take_ranks(limb_loops* w, double tolerance, ranks* out)
{
  const limb_model* m = w->m;
  *out = (ranks){0, 0, 0};
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_cluster* k = &m->clusters.cluster[c];
    for (int j = 0; j < k->nv; j++) w->prefer[k->v[j]] = !w->active[k->v[j]];
    const limb_reduction* r = limb_reduce_cluster(w, c, w->prefer, LIMB_CARRY_NOTHING, tolerance);
    const int rank = r->rank, passive = r->preferred;
    const int both = rank_of(w, c, sides, tolerance);
    const int both_passive = rank_of(w, c, passive_sides, tolerance);
    if (both < 0 || both_passive < 0) return LIMB_E_NOCONV;
    out->rank += rank, out->passive += passive;
    out->resting += (k->nv - both) - (passive_in(w, k) - both_passive);
    w->r1[c] = rank, w->r2[c] = passive, w->r3[c] = both;
  }
  return LIMB_OK;
}

// ---- a configuration next to this ---------------------------------------------------------------------------

static double largest_of(const limb_cluster* k, const double* x)
{
  double largest = 0;
  for (int j = 0; j < k->nv; j++) largest = fmax(largest, fabs(x[k->v[j]]));
  return largest;
}

// A random motion that the closures allow, in v2: each cluster a step long, or at rest.
static limb_status allowed_step(limb_loops* w, const double* q)
{
  const limb_model* m = w->m;
  uint64_t seed = 1;
  limb_status s = limb_random(m, &seed, w->q1);
  if (s == LIMB_OK) s = limb_difference(m, q, w->q1, w->v3);
  memset(w->v2, 0, (size_t)m->nv * sizeof *w->v2);
  for (int c = 0; s == LIMB_OK && c < m->clusters.count; c++) {
    const limb_cluster* k = &m->clusters.cluster[c];
    const double before = largest_of(k, w->v3);
    for (int j = 0; j < k->nv && before > 0; j++) w->v2[k->v[j]] = w->v3[k->v[j]] / before;
  }
  for (int again = 0; again < 3; again++) { // v -= Psi^+ Psi v
    limb_psi_times(w, w->v2, w->r1);
    for (int c = 0; c < m->clusters.count; c++) {
      const limb_cluster* k = &m->clusters.cluster[c];
      limb_min_norm_step(w, c, LIMB_CONSTRAINTS_ALL, NULL, 0, w->r1, w->v1);
      for (int j = 0; j < k->nv; j++) w->v2[k->v[j]] -= w->v1[k->v[j]];
    }
  }
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_cluster* k = &m->clusters.cluster[c];
    const double left = largest_of(k, w->v2);
    for (int j = 0; j < k->nv; j++) w->v2[k->v[j]] *= left > NO_MOTION ? NEXT_STEP / left : 0;
  }
  return s;
}

// q2: next to q, and closed where a cluster can be. One that falls back to q can move in the first order
// only: it is left where the step took it.
static limb_status go_next(limb_loops* w, const double* q, double time)
{
  const limb_model* m = w->m;
  limb_status s = allowed_step(w, q);
  if (s == LIMB_OK) s = limb_integrate(m, q, w->v2, 1, w->q2);
  limb_set_clusters(w, LIMB_CLUSTER_OPEN);
  const limb_closing closing = {.time = time, .tolerance = 1e-12, .iterations = 30};
  if (s == LIMB_OK) s = limb_close(w, &closing, w->q2, NULL);
  if (s == LIMB_OK) s = limb_difference(m, q, w->q2, w->v3);
  if (s == LIMB_OK) s = limb_integrate(m, q, w->v2, 1, w->q1);
  if (s != LIMB_OK) return s;
  for (int c = 0; c < m->clusters.count; c++) {
    const bool back = largest_of(&m->clusters.cluster[c], w->v3) < NEXT_STEP / 100;
    w->order[c] = back ? LIMB_CLUSTER_STUCK : LIMB_CLUSTER_CLOSED;
  }
  limb_copy_clusters(w, LIMB_CLUSTER_STUCK, NULL, w->q1, w->q2);
  return limb_constraints_at(w, w->q2, NULL, time, LIMB_NEED_PSI);
}

const char* limb_singularity_name(limb_singularity s)
{
  static const char* const name[] = {"regular", "drives", "platform", "both", "closure"};
  return (unsigned)s <= LIMB_SINGULAR_CLOSURE ? name[s] : "?";
}

static limb_singularity classify(ranks here, ranks next)
{
  if (here.rank < next.rank) return LIMB_SINGULAR_CLOSURE;
  const bool platform = here.passive < next.passive;
  const bool drives = here.resting > next.resting;
  if (platform && drives) return LIMB_SINGULAR_BOTH;
  return platform ? LIMB_SINGULAR_PLATFORM : drives ? LIMB_SINGULAR_DRIVES : LIMB_REGULAR;
}

// ---- condition ----------------------------------------------------------------------------------------------

// Largest over smallest singular value of all clusters; of each, its entry of `count` says how many count.
static limb_status condition_of(limb_loops* w, form f, const double* count, double* condition)
{
  double largest = 0, smallest = HUGE_VAL;
  for (int c = 0; c < w->m->clusters.count; c++) {
    const double* sigma;
    if (spectrum(w, c, f, &sigma) < 0) return LIMB_E_NOCONV;
    if (!(count[c] > 0)) continue;
    largest = fmax(largest, sigma[0]);
    smallest = fmin(smallest, sigma[(ptrdiff_t)count[c] - 1]);
  }
  *condition = largest == 0 ? 1 : smallest > 0 ? largest / smallest : HUGE_VAL;
  return LIMB_OK;
}

static void count_all(const limb_data* d, ranks here, limb_mobility* out)
{
  const limb_model* m = d->m;
  const limb_loops* w = d->loops;
  out->nv = m->nv, out->constraints = m->nrow;
  out->rank = here.rank;
  out->gruebler = m->nv - m->nrow;
  out->mobility = m->nv - here.rank;
  out->redundant = m->nrow - here.rank;
  for (int c = 0; w && c < m->clusters.count; c++) out->idle += m->clusters.cluster[c].nrow - w->nlive[c];
  for (int v = 0; v < m->nv; v++) out->active += d->inverse[v] == LIMB_ACCELERATION_GIVEN;
  out->passive = m->nv - out->active;
  out->undriven = out->passive - here.passive;
  out->driven = out->mobility - out->undriven;
  out->overdriven = out->active - out->driven;
}

limb_status limb_mobility_at(limb_data* d, const double* q, const limb_loop_options* options, limb_mobility* out)
{
  if (!d || !q || !out) return LIMB_E_ARG;
  limb_loops* w = d->loops;
  *out = (limb_mobility){.condition = 1, .condition_passive = 1, .condition_active = 1};
  limb_loop_options o;
  limb_status s = limb_loop_options_read(options, &o);
  ranks here = {0, 0, 0}, next;
  if (!w) {
    if (s == LIMB_OK) s = limb_check_tree_state(d, q, NULL);
    if (s == LIMB_OK) count_all(d, here, out);
    return s;
  }
  if (s == LIMB_OK) s = limb_constraints_at(w, q, NULL, o.time, LIMB_NEED_PSI);
  if (s == LIMB_OK) s = limb_check_distance(w, o.tolerance, NULL);
  if (s == LIMB_OK) s = take_ranks(w, o.tolerance, &here);
  if (s == LIMB_OK) s = go_next(w, q, o.time);
  if (s == LIMB_OK) s = take_ranks(w, o.tolerance, &next);
  if (s == LIMB_OK) s = limb_constraints_at(w, q, NULL, o.time, LIMB_NEED_PSI);
  if (s == LIMB_OK) s = condition_of(w, whole, w->r1, &out->condition);
  if (s == LIMB_OK) s = condition_of(w, passive_part, w->r2, &out->condition_passive);
  if (s == LIMB_OK) s = condition_of(w, sides, w->r3, &out->condition_active);
  if (s != LIMB_OK) return s;
  count_all(d, here, out);
  out->singularity = classify(here, next);
  return LIMB_OK;
}

limb_status limb_redundant_constraints(limb_data* d, const double* q, const limb_loop_options* options,
                                       unsigned char* redundant)
{
  if (!d || !q || !redundant) return LIMB_E_ARG;
  const limb_model* m = d->m;
  limb_loops* w = d->loops;
  limb_loop_options o;
  limb_status s = limb_loop_options_read(options, &o);
  if (!w) return s == LIMB_OK ? limb_check_tree_state(d, q, NULL) : s;
  if (s == LIMB_OK) s = limb_constraints_at(w, q, NULL, o.time, LIMB_NEED_PSI);
  if (s == LIMB_OK) s = limb_check_distance(w, o.tolerance, NULL);
  if (s != LIMB_OK) return s;
  for (int r = 0; r < m->nrow; r++) redundant[r] = 1; // those that no joint moves stay so
  for (int c = 0; c < m->clusters.count; c++) {
    const int first = m->clusters.cluster[c].row;
    const limb_reduction* r = limb_reduce_cluster(w, c, NULL, LIMB_CARRY_NOTHING, o.tolerance);
    for (int i = 0; i < r->rank; i++) redundant[w->user_index[first + w->live[first + r->row[i]]]] = 0;
  }
  return LIMB_OK;
}
