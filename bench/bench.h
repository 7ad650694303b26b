// Measures limb, next to other libraries, in one run: what limb-bench does.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

/// Names of the robots that can be measured, closed by NULL.
const char* const* bench_robots(void);

/// Whether a name is that of a file: it has a slash or a dot. With "+free" at the end the robot of the file has a free
/// base, with "+feet" it stands on its feet (bench_on_feet) besides.
int bench_is_file(const char* name);

typedef struct bench_options {
  const char* const* robots; ///< names, closed by NULL: of bench_robots(), or files; NULL: all of bench_robots()
  int quick;                 ///< a tenth of the time, coarser
  int threads;               ///< of the rows with threads; 0: as many as there are processors
  int peers;                 ///< 0: limb alone
  const char* peers_file;    ///< the module of peers; NULL: beside the program, if it is there
  /// Told now and then how far the run is, from 0 to 1. NULL: nobody is.
  void (*progress)(void* context, double share);
  void* context;
} bench_options;

/// Everything that was measured.
typedef struct bench bench;

/// Measures. What went wrong on the way, and answers that differ too much, are told on standard error in
/// lines that begin with title.
/// @return NULL after a message: memory ran out, or peers_file is none
bench* bench_run(const bench_options* options, const char* title);
void bench_free(bench* b);

/// The run as a whole.
typedef struct bench_summary {
  const char* isa; ///< instruction set of limb's kernels
  int threads;
  /// Independent multiply-adds of the same rounds, two operations each [1/ns]: scalar, which makes slots, and
  /// in vectors of that instruction set.
  double slots_per_ns, peak_f64, peak_f32;
  const char* peers; ///< why they were not measured; NULL: they were
  char processor[80], date[32];
  double load; ///< of the machine in the minute before the run
} bench_summary;

void bench_get_summary(const bench* b, bench_summary* out);

/// Multiplications and additions of one sine with its cosine (src/kernel/sincos.h).
enum { BENCH_SINCOS_F64 = 39, BENCH_SINCOS_F32 = 26 };

/// One row. What does not apply, or is not known, is NaN; text NULL. Of a row that failed ns is infinite.
typedef struct bench_result {
  const char *robot, *quantity;
  const char* mode; ///< single, batch, float, threads, generated
  const char *library, *version;
  const char* layout; ///< of batch calls: rows, lanes
  int dof, threads;
  int states; ///< that a call answers for
  double ns;  ///< per state, of the best slice
  double median_ns, slots;
  double mul, add, div, sqrt, sincos; ///< operations per state; limb only
  double gflops;                      ///< (mul + add + those of sines and cosines) / ns
  double peak;                        ///< gflops over the peak of that mode, all threads
  double target;                      ///< [slots]
  double difference;                  ///< largest, relative, to limb's single call
} bench_result;

/// A peer that was measured; build says who compiled it, and how.
typedef struct bench_peer {
  const char *name, *version, *build;
} bench_peer;

int bench_peer_count(const bench* b);
bench_peer bench_get_peer(const bench* b, int index);

int bench_result_count(const bench* b);
void bench_get_result(const bench* b, int index, bench_result* out);

/// Tables for people, on standard output.
void bench_print(const bench* b);

#endif
