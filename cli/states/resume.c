// Tables that go on where an earlier run was stopped: --resume.
//
// A run that is stopped leaves its rows in OUTPUT.part. The next one copies them, and computes some of them again: the
// first, the last and every thousandth must agree, or the rows are of another model, table or other options. From there
// on it writes to OUTPUT.part itself, which becomes OUTPUT when all rows are there.
#define _POSIX_C_SOURCE 200809L // ftruncate, clock_gettime

#include "base/output.h"
#include "states/states.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CHECKED = 1000 }; // one row of so many is computed again

static double now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int wrong(const cli_kept* k, const char* why)
{
  return cli_usage(k->args, "--resume: %s: %s; remove it to begin again", k->part, why);
}

// ---- what is there ---------------------------------------------------------------------------------

// Whoever was killed may have left part of a line. Not through the stream, which would remember it.
static int cut_line(int file)
{
  char block[4096];
  off_t end = lseek(file, 0, SEEK_END);
  while (end > 0) {
    const off_t from = end > (off_t)sizeof block ? end - (off_t)sizeof block : 0;
    const size_t n = (size_t)(end - from);
    if (pread(file, block, n, from) != (ssize_t)n) return 0;
    size_t line = n;
    while (line > 0 && block[line - 1] != '\n') line--;
    end = from + (off_t)line;
    if (line > 0) break;
  }
  return end >= 0 && ftruncate(file, end) == 0 && lseek(file, 0, SEEK_SET) == 0;
}

// Columns are those of the file that is begun now, whose header is on disk.
static int same_columns(const cli_kept* k)
{
  limb_csv_reader* mine = NULL;
  FILE* file = fopen(cli_output_path(k->out), "rb");
  int same = file && limb_csv_open(file, NULL, &mine, NULL) == LIMB_OK &&
             limb_csv_column_count(mine) == limb_csv_column_count(k->reader);
  for (int i = 0; same && i < limb_csv_column_count(mine); i++)
    same = strcmp(limb_csv_column(mine, i), limb_csv_column(k->reader, i)) == 0;
  limb_csv_close(mine);
  if (file) (void)fclose(file);
  return same;
}

static int read_ahead(cli_kept* k)
{
  limb_error err = {0};
  const limb_status s = limb_csv_next(k->reader, k->ahead, &k->more, &err);
  if (s == LIMB_OK) return EXIT_FINE;
  if (s == LIMB_E_NOMEM) return cli_out_of_memory(k->args);
  return cli_interrupted() ? EXIT_USAGE : wrong(k, *err.text ? err.text : limb_status_text(s));
}

static int open_part(cli_kept* k)
{
  struct stat about;
  limb_error err = {0};
  k->file = fopen(k->part, "r+b");
  if (!k->file && errno == ENOENT && k->out->replaces)
    return cli_usage(k->args, "nothing to go on with: %s is there, and %s is not; without --resume it is made again",
                     k->out->path, k->part);
  if (!k->file && errno == ENOENT) return EXIT_FINE;
  if (!k->file) return cli_usage(k->args, "--resume: %s: cannot be opened: %s", k->part, strerror(errno));
  if (flock(fileno(k->file), LOCK_EX | LOCK_NB) != 0)
    return cli_usage(k->args, "--resume: %s is being written by another process", k->part);
  if (cli_ends_in(k->out->path, ".csv") && !cut_line(fileno(k->file))) return wrong(k, strerror(errno));
  if (fstat(fileno(k->file), &about) == 0 && about.st_size == 0) return EXIT_FINE; // killed before its first line
  if (limb_csv_open(k->file, NULL, &k->reader, &err) != LIMB_OK) return wrong(k, err.text);
  if (!same_columns(k)) return wrong(k, "it has other columns");
  k->row = calloc((size_t)limb_csv_column_count(k->reader) + 1, sizeof *k->row);
  k->ahead = calloc((size_t)limb_csv_column_count(k->reader) + 1, sizeof *k->ahead);
  if (!k->row || !k->ahead) return cli_out_of_memory(k->args);
  return read_ahead(k);
}

int cli_kept_open(cli_kept* k, const cli_args* args, cli_output* out, int stays)
{
  const int table = out->temporary && cli_ends_in(out->path, ".csv .npy");
  *k = (cli_kept){.args = args, .out = out, .asked = cli_has(args, "resume")};
  if (k->asked && (!table || !stays))
    return cli_usage(args, "--resume: %s",
                     !table ? "the output must be a file, .csv or .npy: --output FILE"
                            : "rows must come from a file, and go to one table alone");
  if (!table || !stays) return EXIT_FINE;
  k->part = cli_output_part(out);
  if (!k->part) return cli_out_of_memory(args);
  const int code = k->asked ? open_part(k) : EXIT_FINE;
  k->stays = code == EXIT_FINE;
  if (code != EXIT_FINE) return code;
  cli_wait_for_signals();
  return k->asked && !k->more ? cli_output_keep(out, cli_title(args)) : EXIT_FINE;
}

// ---- rows ------------------------------------------------------------------------------------------

int cli_kept_next(cli_kept* k, const double** row)
{
  double* const mine = k->row;
  *row = NULL;
  k->check = 0;
  if (!k->more) return EXIT_FINE;
  k->row = k->ahead, k->ahead = mine;
  const int code = read_ahead(k);
  if (code != EXIT_FINE) return code;
  k->check = k->rows % CHECKED == 0 || !k->more;
  k->rows++;
  *row = k->row;
  return EXIT_FINE;
}

int cli_kept_same(const cli_kept* k, const double* row)
{
  const int n = limb_csv_column_count(k->reader);
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(row[i]));
  for (int i = 0; i < n; i++) {
    char why[400];
    if (fabs(row[i] - k->row[i]) <= 1e-8 * size) continue; // other processors round otherwise
    (void)snprintf(why, sizeof why,
                   "its row %llu has %.9g in column %.100s, and this run %.9g: the model, the input or "
                   "an option has changed",
                   (unsigned long long)k->rows, k->row[i], limb_csv_column(k->reader, i), row[i]);
    return wrong(k, why);
  }
  return EXIT_FINE;
}

int cli_kept_over(cli_kept* k, int got)
{
  if (!got) return wrong(k, "it has more rows than the input");
  if (k->more) return EXIT_FINE;
  return cli_output_keep(k->out, cli_title(k->args));
}

int cli_kept_is_due(cli_kept* k)
{
  if (!k->asked || !k->stays) return 0;
  const double t = now();
  if (t - k->flushed < 1) return 0;
  k->flushed = t;
  return 1;
}

// ---- the end ---------------------------------------------------------------------------------------

int cli_kept_stays(const cli_kept* k) { return k->stays && !k->more && (k->asked || cli_interrupted()); }

void cli_kept_stop(cli_kept* k, uint64_t rows)
{
  const char* title = k->args ? cli_title(k->args) : "";
  const int stays = cli_kept_stays(k) && !cli_is_out_of_memory() && cli_output_keep(k->out, title) == EXIT_FINE;
  if (stays)
    (void)fprintf(stderr, "%s: %s has the first %llu rows; to go on: the same command with --resume\n", title, k->part,
                  (unsigned long long)rows);
  cli_end_patience();
}

void cli_kept_close(cli_kept* k)
{
  limb_csv_close(k->reader);
  if (k->file) (void)fclose(k->file);
  free(k->part), free(k->row), free(k->ahead);
  *k = (cli_kept){0};
}
