// Files that appear whole or not at all, the progress bar, and the end of standard output.
#define _POSIX_C_SOURCE 200809L // open, sigaction, clock_gettime
#define _XOPEN_SOURCE   700     // SIGXCPU

#include "base/output.h"
#include "base/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// ---- signals ---------------------------------------------------------------------------------------

enum { MAX_FILES = 64 };

// Read by the signal handler. Slots change only while its signals are blocked.
static char* unfinished[MAX_FILES];
static volatile sig_atomic_t caught;  // number of the signal
static volatile sig_atomic_t patient; // the first signal only asks the command to end
static volatile sig_atomic_t ticking; // since the first signal

static const int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGXCPU, SIGXFSZ, SIGUSR1, SIGUSR2};
enum { WATCHED = sizeof watched / sizeof *watched };

void cli_remove_unfinished(void)
{
  for (int i = 0; i < MAX_FILES; i++)
    if (unfinished[i]) (void)unlink(unfinished[i]);
}

static void end_by(int number)
{
  (void)signal(number, SIG_DFL);
  (void)raise(number);
}

// A signal every tenth of a second, or none: it wakes whoever waits for input. A system call on all systems that the
// tool runs on, though POSIX does not list it among those that handlers may call.
static void tick(long microseconds)
{
  const struct itimerval every = {{0, microseconds}, {0, microseconds}};
  (void)setitimer(ITIMER_REAL, &every, NULL);
}

// The first Ctrl-C asks the command to stop, and gives it a tenth of a second, or as long as it takes if it is patient.
// Any other signal, and every second one, ends the process. A write beyond the largest allowed file fails, which is
// reported where it is made: the kernel's signal about it, which seems to come from the process itself, does nothing.
static void on_signal(int number, siginfo_t* about, void* context)
{
  const int first = caught == 0;
  (void)context;
  if (number == SIGXFSZ && (about->si_code > 0 || about->si_pid == getpid())) return;
  if (number == SIGALRM && ticking && patient) return;
  if (number != SIGALRM || first) caught = number;
  if (first && (patient || number == SIGINT)) {
    ticking = 1;
    tick(100000);
    return;
  }
  cli_remove_unfinished();
  end_by((int)caught); // raised when the handler returns
}

// No SA_RESTART: a read that waits for input must return.
static void watch_signals(void)
{
  struct sigaction act = {0}, old;
  act.sa_sigaction = on_signal;
  act.sa_flags = SA_SIGINFO;
  (void)sigemptyset(&act.sa_mask);
  for (int i = 0; i < WATCHED; i++)
    // A signal that is ignored stays ignored (nohup).
    if (sigaction(watched[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) (void)sigaction(watched[i], &act, NULL);
}

static void block_signals(int how)
{
  sigset_t set;
  (void)sigemptyset(&set);
  for (int i = 0; i < WATCHED; i++) (void)sigaddset(&set, watched[i]);
  (void)sigprocmask(how, &set, NULL);
}

void cli_wait_for_signals(void)
{
  (void)signal(SIGPIPE, SIG_IGN); // a closed pipe is an error of writing
  patient = 1;
  watch_signals();
}

void cli_end_patience(void) { patient = 0; }

// A patient command that asks knows it now, and may write without being disturbed.
int cli_interrupted(void)
{
  if (caught && patient && ticking) tick(0);
  return (int)caught;
}

void cli_end_interrupted(void)
{
  if (caught && !patient) end_by((int)caught);
}

// Adds a name to the list of the handler, or removes it; 0 if the list is full.
static int replace_unfinished(const char* from, char* to)
{
  int done = 0;
  block_signals(SIG_BLOCK);
  for (int i = 0; i < MAX_FILES && !done; i++) {
    if (unfinished[i] != from) continue;
    unfinished[i] = to;
    done = 1;
  }
  block_signals(SIG_UNBLOCK);
  return done;
}

// ---- files -----------------------------------------------------------------------------------------

static int cannot(const char* command, const char* path, const char* what)
{
  if (errno == ENOMEM) {
    cli_note_out_of_memory(0);
    return EXIT_USAGE;
  }
  (void)fprintf(stderr, "%s: %s: %s: %s\n", command, path, what, strerror(errno));
  return EXIT_USAGE;
}

int cli_unwritten(const char* command, const char* what, const char* why)
{
  if (errno == ENOMEM)
    cli_note_out_of_memory(0);
  else if (errno != EPIPE)
    (void)fprintf(stderr, "%s: %s could not be written: %s\n", command, what, errno ? strerror(errno) : why);
  return EXIT_USAGE;
}

static void forget(cli_output* o)
{
  if (o->lock > 0) (void)close(o->lock);
  free(o->path);
  free(o->temporary);
  free(o->drawing);
  *o = (cli_output){0};
}

// <folder>/.limb.<pid>.<number>.tmp: short, so that any name that fits fits.
static char* temporary_name(const char* path)
{
  static int number;
  const char* slash = strrchr(path, '/');
  const int folder = slash ? (int)(slash - path) + 1 : 0;
  const size_t size = (size_t)folder + 48;
  char* name = malloc(size);
  if (name) (void)snprintf(name, size, "%.*s.limb.%ld.%d.tmp", folder, path, (long)getpid(), ++number);
  return name;
}

static int unwritable(cli_output* o, const char* command)
{
  const int code = cannot(command, o->path, "cannot be written");
  cli_output_abandon(o);
  return code;
}

// A file that is replaced keeps its permissions.
static int make_temporary(cli_output* o, const char* command, const struct stat* old)
{
  int file = -1;
  o->temporary = temporary_name(o->path);
  if (o->temporary && replace_unfinished(NULL, o->temporary)) {
    (void)unlink(o->temporary); // left by a killed process with this number
    file = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
  }
  if (file < 0) return unwritable(o, command);
  if (old) (void)fchmod(file, old->st_mode & 0777);
  (void)close(file);
  return EXIT_FINE;
}

int cli_output_reserve(cli_output* o, const char* command, const char* path)
{
  struct stat old;
  *o = (cli_output){0};
  if (!path || strcmp(path, "-") == 0) {
    o->stream = stdout;
    return EXIT_FINE;
  }
  const int exists = stat(path, &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) {
    errno = EISDIR;
    return cannot(command, path, "cannot be written");
  }
  if (!exists && errno == ELOOP) return cannot(command, path, "cannot be written");
  if (exists && access(path, W_OK) != 0) return cannot(command, path, "cannot be written");
  o->replaces = exists;
  o->path = cli_resolve(path);
  if (!o->path) return cannot(command, path, "cannot be written");
  if (exists && !S_ISREG(old.st_mode)) return EXIT_FINE; // written directly
  watch_signals();
  return make_temporary(o, command, exists ? &old : NULL);
}

const char* cli_output_path(const cli_output* o) { return !o->path ? "-" : o->temporary ? o->temporary : o->path; }

int cli_output_open(cli_output* o, const char* command, const char* path)
{
  const int code = cli_output_reserve(o, command, path);
  if (code != EXIT_FINE || o->stream) return code;
  o->stream = fopen(cli_output_path(o), "w");
  return o->stream ? EXIT_FINE : unwritable(o, command);
}

int cli_output_open_drawing(cli_output* o, const char* command, const char* path)
{
  const limb_picture kind = limb_picture_of(path);
  if (kind <= LIMB_PICTURE_SVG) return cli_output_open(o, command, path);
  const int code = cli_output_reserve(o, command, path);
  if (code != EXIT_FINE) return code;
  o->picture = kind;
  o->stream = open_memstream(&o->drawing, &o->length);
  return o->stream ? EXIT_FINE : unwritable(o, command);
}

// Makes the picture of a drawing, which becomes the stream. EXIT_USAGE with a message.
static int make_picture(cli_output* o, const char* command)
{
  limb_error err = {0};
  const int complete = !ferror(o->stream) && fclose(o->stream) == 0;
  o->stream = complete ? fopen(cli_output_path(o), "w") : NULL;
  if (!o->stream) return unwritable(o, command);
  const limb_status s = limb_picture_write(o->drawing, o->length, o->picture, o->stream, &err);
  if (s == LIMB_OK || ferror(o->stream)) return EXIT_FINE; // what cannot be written is reported when the file is closed
  (void)fprintf(stderr, "%s: %s: %s\n", command, o->path, err.text);
  cli_output_abandon(o);
  return EXIT_USAGE;
}

void cli_output_salvage(cli_output* o, const char* command)
{
  if (!o->replaces && o->temporary && !o->kept)
    (void)cli_output_commit(o, command);
  else
    cli_output_abandon(o);
}

char* cli_output_part(const cli_output* o)
{
  const size_t size = o->temporary ? strlen(o->path) + sizeof ".part" : 0;
  char* part = size ? malloc(size) : NULL;
  if (part) (void)snprintf(part, size, "%s.part", o->path);
  return part;
}

int cli_output_keep(cli_output* o, const char* command)
{
  char* part = cli_output_part(o);
  if (!part) return cannot(command, o->path ? o->path : "-", "cannot be kept");
  if (o->kept) {
    free(part);
    return EXIT_FINE;
  }
  o->lock = open(o->temporary, O_RDONLY | O_CLOEXEC);
  if (o->lock >= 0) (void)flock(o->lock, LOCK_EX | LOCK_NB);
  if (rename(o->temporary, part) != 0) {
    const int code = cannot(command, part, "cannot be written");
    free(part);
    return code;
  }
  (void)replace_unfinished(o->temporary, NULL);
  free(o->temporary);
  o->temporary = part;
  o->kept = 1;
  return EXIT_FINE;
}

int cli_output_commit(cli_output* o, const char* command)
{
  if (!o->path) {
    *o = (cli_output){0};
    return limb_cli_close_output(command);
  }
  errno = 0;
  if (o->picture != LIMB_PICTURE_NONE && make_picture(o, command) != EXIT_FINE) return EXIT_USAGE;
  const int failed = o->stream && ferror(o->stream);
  const int closed = o->stream ? fclose(o->stream) : 0;
  o->stream = NULL;
  if (failed && errno == 0) errno = EIO; // of an earlier write
  if (o->temporary && cli_is_input(o->path)) {
    (void)fprintf(stderr, "%s: %s is an input of this run\n", command, o->path);
    cli_output_abandon(o);
    return EXIT_USAGE;
  }
  if (failed || closed != 0 || (o->temporary && rename(o->temporary, o->path) != 0)) {
    const int code = cannot(command, o->path, "cannot be written");
    cli_output_abandon(o);
    return code;
  }
  if (o->temporary && !o->kept) (void)replace_unfinished(o->temporary, NULL);
  forget(o);
  return EXIT_FINE;
}

void cli_output_abandon(cli_output* o)
{
  if (o->path && o->stream) (void)fclose(o->stream);
  if (o->temporary && !o->kept) {
    (void)unlink(o->temporary);
    (void)replace_unfinished(o->temporary, NULL);
  }
  forget(o);
}

// ---- text ------------------------------------------------------------------------------------------

void cli_text_add(void* text, const char* more)
{
  cli_text* t = text;
  const size_t length = strlen(more);
  if (t->failed) return;
  if (t->size + length + 1 > t->capacity) {
    const size_t capacity = 2 * (t->size + length + 1);
    char* bytes = realloc(t->bytes, capacity);
    if (!bytes) {
      t->failed = 1;
      cli_note_out_of_memory(0);
      return;
    }
    t->bytes = bytes;
    t->capacity = capacity;
  }
  memcpy(t->bytes + t->size, more, length + 1);
  t->size += length;
}

void cli_text_free(cli_text* text)
{
  free(text->bytes);
  *text = (cli_text){0};
}

int cli_text_save(const cli_text* text, const char* command, const char* path)
{
  cli_output o;
  const int code = cli_output_open(&o, command, path);
  if (code != EXIT_FINE) return code;
  errno = 0;
  if (text->size > 0 && fwrite(text->bytes, 1, text->size, o.stream) < text->size) {
    const int failed = cli_unwritten(command, path ? path : "-", "unknown error");
    cli_output_abandon(&o);
    return failed;
  }
  return cli_output_commit(&o, command);
}

// ---- progress --------------------------------------------------------------------------------------

static double now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

cli_progress cli_progress_begin(const char* what, uint64_t total)
{
  const char* term = getenv("TERM");
  cli_progress p = {.what = what, .total = total};
  p.terminal = isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
  p.start = p.terminal ? now() : 0;
  return p;
}

// "3 s", "12 min 5 s", "3 h 12 min"
static void print_left(double s)
{
  const double h = floor(s / 3600), min = floor(s / 60);
  if (s < 100)
    (void)fprintf(stderr, "%.0f s", s);
  else if (h < 1)
    (void)fprintf(stderr, "%.0f min %.0f s", min, floor(s - 60 * min));
  else
    (void)fprintf(stderr, "%.0f h %.0f min", h, min - 60 * h);
}

static void draw(const cli_progress* p, uint64_t done, double elapsed)
{
  enum { WIDTH = 30 };
  static const char full[] = "##############################";
  const uint64_t now = done < p->total ? done : p->total;
  const double made = (double)(now - (p->from < now ? p->from : now));
  (void)fprintf(stderr, "\r%s", p->what);
  if (p->total > 0) {
    const double part = (double)now / (double)p->total;
    (void)fprintf(stderr, " [%-*.*s] %3.0f%%", WIDTH, (int)(WIDTH * part), full, 100 * part);
  } else {
    (void)fprintf(stderr, ": %.0f s", elapsed);
  }
  if (p->unit) (void)fprintf(stderr, ", %.3g %s/s", (p->counted > 0 ? p->counted : (double)done) / elapsed, p->unit);
  if (p->total > 0 && made > 0) {
    (void)fprintf(stderr, ", ");
    print_left(elapsed * (double)(p->total - now) / made);
    (void)fprintf(stderr, " left");
  }
  (void)fprintf(stderr, "\033[K");
  (void)fflush(stderr);
}

// The bar appears after half a second; then it is updated ten times per second.
void cli_progress_update(cli_progress* p, uint64_t done)
{
  if (!p->terminal) return;
  const double t = now() - p->start;
  if (t < 0.5 || t - p->shown < 0.1) return;
  p->shown = t;
  draw(p, done, t);
}

void cli_progress_skip(cli_progress* p, uint64_t done)
{
  p->from = done;
  if (p->terminal) p->start = now(), p->shown = 0;
}

void cli_progress_end(cli_progress* p)
{
  if (p->terminal && p->shown > 0) (void)fprintf(stderr, "\r\033[K");
  p->shown = 0;
}

void cli_progress_report(void* progress, uint64_t done, uint64_t total)
{
  ((cli_progress*)progress)->total = total;
  cli_progress_update(progress, done);
}

// ---- standard output -------------------------------------------------------------------------------

void cli_hold_output(void)
{
  static char held[1 << 16];
  if (!isatty(STDOUT_FILENO)) (void)setvbuf(stdout, held, _IOFBF, sizeof held);
}

// There is no portable call for this: what is held goes to /dev/null.
void cli_discard_output(void)
{
  const int real = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
  if (real >= 0 && nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0) {
    (void)fflush(stdout);
    (void)dup2(real, STDOUT_FILENO);
  }
  if (nowhere >= 0) (void)close(nowhere);
  if (real >= 0) (void)close(real);
}

// A reader that closes the pipe (head, less) needs no message.
int limb_cli_close_output(const char* command)
{
  if (cli_is_out_of_memory()) return EXIT_USAGE; // cli_run reports it
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return EXIT_FINE;
  if (errno != EPIPE)
    (void)fprintf(stderr, "%s: the output could not be written%s%s\n", command, errno ? ": " : "",
                  errno ? strerror(errno) : "");
  return EXIT_USAGE;
}
