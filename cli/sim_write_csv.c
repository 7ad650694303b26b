// Rows of a simulation as CSV.
#include "limb/table.h"

#include "cli.h"
#include "output.h"
#include "sim_writer.h"

#include <errno.h>
#include <string.h>

const sim_format* sim_format_of(const char* path)
{
  const char* dot = strrchr(path, '.');
  if (strcmp(path, "-") == 0 || (dot && strcmp(dot, ".csv") == 0)) return &sim_csv;
  if (dot && strcmp(dot, ".npy") == 0) return &sim_npy;
  if (dot && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0)) return &sim_hdf5;
  return NULL;
}

int sim_writer_stream(sim_writer* w, const char* mode)
{
  errno = 0;
  w->stream = strcmp(w->path, "-") == 0 ? stdout : fopen(w->path, mode);
  return w->stream ? EXIT_FINE : sim_unwritten(w);
}

int sim_unwritten(sim_writer* w)
{
  const char* what = strcmp(w->path, "-") == 0 ? "the table" : w->path;
  if (w->broken) return EXIT_USAGE;
  w->broken = 1;
  return cli_unwritten(cli_title(w->job->plan.args), what, "unknown error");
}

static int done(sim_writer* w, limb_status s) { return s == LIMB_OK ? EXIT_FINE : sim_unwritten(w); }

static int csv_open(sim_writer* w)
{
  limb_csv_writer* csv = NULL;
  const int code = sim_writer_stream(w, "w");
  if (code != EXIT_FINE) return code;
  if (limb_csv_create(w->stream, NULL, &csv) != LIMB_OK) return sim_out_of_memory(&w->job->plan);
  w->own = csv;
  limb_status s = limb_csv_text(csv, "time");
  for (int k = 0; k < w->probe->count && s == LIMB_OK; k++) {
    char name[SIM_NAME_SPACE];
    sim_probe_name(w->probe, k, name, sizeof name);
    s = limb_csv_text(csv, name);
  }
  if (s == LIMB_OK) s = limb_csv_end_row(csv);
  return done(w, s);
}

static int csv_row(sim_writer* w, const double* x)
{
  errno = 0;
  limb_status s = limb_csv_numbers(w->own, x, w->probe->count + 1);
  if (s == LIMB_OK) s = limb_csv_end_row(w->own);
  return done(w, s);
}

static int csv_flush(sim_writer* w)
{
  errno = 0;
  return done(w, limb_csv_finish(w->own));
}

static int csv_end(sim_writer* w)
{
  const int code = csv_flush(w);
  if (w->stream == stdout) return code;
  errno = 0;
  const int failed = fclose(w->stream);
  w->stream = NULL;
  return code == EXIT_FINE && failed ? sim_unwritten(w) : code;
}

static void csv_free(sim_writer* w)
{
  limb_csv_destroy(w->own);
  if (w->stream && w->stream != stdout) (void)fclose(w->stream);
}

const sim_format sim_csv = {"CSV", 1, csv_open, csv_row, csv_flush, csv_end, csv_free};
