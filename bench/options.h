// The command line of the benchmark.
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

typedef enum bench_format { BENCH_TEXT, BENCH_CSV, BENCH_JSON } bench_format;

typedef struct bench_options {
  bench_format format;
  const char* robots; ///< comma-separated names; NULL: all
  int peers, quick, help;
} bench_options;

/// @return 0, or -1 after a message on standard error
int bench_options_parse(bench_options* o, int argc, char** argv);

/// Whether a robot of this name is wanted.
int bench_options_wants(const bench_options* o, const char* robot);

/// How many robots were named; -1 when none were, so that all are meant.
int bench_options_named(const bench_options* o);

extern const char bench_usage[];

#endif
