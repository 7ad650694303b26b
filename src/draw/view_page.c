// Pages of the view (limb/view.h): limb-view.html with a robot in it.
#define _POSIX_C_SOURCE 200809L // readlink, strdup, access
#include "draw/view_page.h"

#include "base/status.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  PATH_SPACE = 4096,
  SIZE_MIN = 3000000,
  BYTES_MAX = 4 << 20, // of all rows of a motion
  ROWS_MIN = 200,
  EVENTS_MAX = 1000
};

static const char page_name[] = "limb-view.html";
static const char slot[] = "id=\"robot\">null<";       // what the page has in place of a robot
static const char no_network[] = "connect-src 'none'"; // and in place of the server it may ask

limb_view_page_options limb_default_view_page(void)
{
  return (limb_view_page_options){.size = sizeof(limb_view_page_options), .max_bytes = 10000000};
}

void view_note(const limb_view_page* p, const char* format, ...)
{
  char text[1200];
  va_list arguments;
  if (!p->options.note) return;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  p->options.note(p->options.context, text);
}

// ---- limb-view.html --------------------------------------------------------------------------------

int limb_view_page_find(char* path, size_t size)
{
  static const char* const places[] = {"", "../share/limb/"};
  const char* given = getenv("LIMB_VIEW_PAGE");
  char folder[PATH_SPACE];
  if (!path || size == 0) return 0;
  if (given && *given) return (size_t)snprintf(path, size, "%s", given) < size && access(path, R_OK) == 0;
  const ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
  folder[n > 0 ? n : 0] = '\0';
  char* slash = strrchr(folder, '/');
  if (slash) slash[1] = '\0';
  for (size_t k = 0; k < sizeof places / sizeof *places; k++)
    if ((size_t)snprintf(path, size, "%s%s%s", folder, places[k], page_name) < size && access(path, R_OK) == 0)
      return 1;
  (void)snprintf(path, size, "%s%s", folder, page_name);
  return 0;
}

// All of the file, closed by a zero; to be freed.
static char* read_html(const char* path, size_t* size)
{
  size_t capacity = 1 << 22;
  FILE* f = fopen(path, "rb");
  char* text = f ? malloc(capacity) : NULL;
  *size = 0;
  for (size_t n; text && (n = fread(text + *size, 1, capacity - 1 - *size, f)) > 0;) {
    *size += n;
    if (*size + 1 < capacity) continue;
    char* more = realloc(text, capacity *= 2);
    if (!more) free(text);
    text = more;
  }
  if (text) text[*size] = '\0';
  if (f) (void)fclose(f);
  return text;
}

static limb_status check_html(const char* path, size_t* size, limb_error* err)
{
  errno = 0;
  char* text = read_html(path, size);
  if (!text)
    return limb_fail(err, LIMB_E_IO, "", "%s %s", path,
                     errno == ENOENT || errno == 0 ? "does not exist; run `make web` in the sources of limb to build it"
                                                   : strerror(errno));
  const int fits = strstr(text, slot) && strstr(text, no_network);
  free(text);
  if (fits) return LIMB_OK;
  return limb_fail(err, LIMB_E_SYNTAX, "",
                   "%s is not the page of this version; run `make web` in the sources of limb to build it", path);
}

// ---- the motion: as many rows as fit, evenly --------------------------------------------------------

static void view_track_free(view_track* t)
{
  free(t->data);
  free(t->last);
  *t = (view_track){0};
}

limb_status limb_view_page_motion(limb_view_page* page, int nq, int nv, int nforce)
{
  if (!page || nq < 0 || nv < 0 || nforce < 0) return LIMB_E_ARG;
  view_track* t = &page->track;
  if (t->rows > 0) return LIMB_E_ORDER;
  *t = (view_track){.nq = nq, .nv = nv, .nforce = nforce, .announced = 1, .stride = 1};
  return LIMB_OK;
}

// The first row decides what rows have.
static limb_status reserve(view_track* t, const limb_view_row* row)
{
  t->has_v = row->v != NULL;
  t->has_a = row->a != NULL;
  t->has_tau = row->tau != NULL;
  const int arrays = t->has_v + t->has_a + t->has_tau;
  t->width = 1 + (size_t)t->nq + (size_t)arrays * (size_t)t->nv + 6 * (size_t)t->nforce;
  t->max_rows = BYTES_MAX / (t->width * sizeof *t->data);
  if (t->max_rows < ROWS_MIN) t->max_rows = ROWS_MIN;
  t->last = calloc(t->width, sizeof *t->last);
  return t->last ? LIMB_OK : LIMB_E_NOMEM;
}

static limb_status grow(view_track* t)
{
  if (t->rows < t->capacity) return LIMB_OK;
  size_t capacity = t->capacity > 0 ? 2 * t->capacity : 256;
  if (capacity > t->max_rows) capacity = t->max_rows;
  double* data = realloc(t->data, (capacity * t->width + 1) * sizeof *data);
  if (!data) return LIMB_E_NOMEM;
  t->data = data;
  t->capacity = capacity;
  return LIMB_OK;
}

// Every second row goes; from now on only every second one comes.
static void thin(view_track* t)
{
  for (size_t i = 1; 2 * i < t->rows; i++)
    memcpy(t->data + i * t->width, t->data + 2 * i * t->width, t->width * sizeof *t->data);
  t->rows = (t->rows + 1) / 2;
  t->stride *= 2;
  t->skipped = t->stride; // the next one is kept
}

static double* put(double* to, const double* from, int n)
{
  if (from && n > 0) memcpy(to, from, (size_t)n * sizeof *to);
  return from ? to + n : to;
}

static int all_finite(const double* x, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return 0;
  return 1;
}

// The row in t->last. A state at the time of the one before replaces nothing: both are shown.
static limb_status write_row(view_track* t, const limb_view_row* row)
{
  double* to = put(t->last, &row->time, 1);
  to = put(to, row->q, t->nq);
  to = put(to, row->v, t->nv);
  to = put(to, row->a, t->nv);
  to = put(to, row->tau, t->nv);
  for (int k = 0; k < t->nforce; k++) {
    to = put(to, row->forces[k].at, 3);
    to = put(to, row->forces[k].force, 3);
  }
  return all_finite(t->last, t->width) ? LIMB_OK : LIMB_E_NONFINITE;
}

static double last_time(const view_track* t)
{
  if (t->has_last) return t->last[0];
  return t->rows > 0 ? t->data[(t->rows - 1) * t->width] : -HUGE_VAL;
}

limb_status limb_view_page_add(limb_view_page* page, const limb_view_row* row)
{
  if (!page || !row || !row->q) return LIMB_E_ARG;
  view_track* t = &page->track;
  if (!t->announced) return LIMB_E_ORDER;
  if (t->nforce > 0 && !row->forces) return LIMB_E_ARG;
  if (!t->last) {
    const limb_status s = reserve(t, row);
    if (s != LIMB_OK) return s;
  }
  if ((row->v != NULL) != t->has_v || (row->a != NULL) != t->has_a || (row->tau != NULL) != t->has_tau)
    return LIMB_E_ARG;
  if (row->time < last_time(t)) return LIMB_E_ARG;
  limb_status s = write_row(t, row);
  if (s != LIMB_OK) {
    t->has_last = 0;
    return s;
  }
  t->has_last = t->rows > 0 && ++t->skipped < t->stride;
  if (t->has_last) return LIMB_OK;
  if (t->rows == t->max_rows) thin(t);
  s = grow(t);
  if (s != LIMB_OK) return s;
  memcpy(t->data + t->rows++ * t->width, t->last, t->width * sizeof *t->data);
  t->skipped = 0;
  return LIMB_OK;
}

limb_status limb_view_page_event(limb_view_page* page, double time, const char* text)
{
  if (!page || !text || !isfinite(time)) return LIMB_E_ARG;
  if (page->nevent == EVENTS_MAX) return LIMB_OK;
  view_event* event = realloc(page->event, ((size_t)page->nevent + 1) * sizeof *event);
  if (!event) return LIMB_E_NOMEM;
  page->event = event;
  event[page->nevent] = (view_event){time, strdup(text)};
  if (!event[page->nevent].text) return LIMB_E_NOMEM;
  page->nevent++;
  return LIMB_OK;
}

// ---- making ----------------------------------------------------------------------------------------

static void add_text(void* context, const char* more)
{
  limb_view_page* p = context;
  const size_t n = strlen(more);
  if (p->model_size + n + 1 > p->model_capacity) {
    const size_t capacity = 2 * (p->model_size + n + 1);
    char* model = p->out_of_memory ? NULL : realloc(p->model, capacity);
    if (!model) {
      p->out_of_memory = 1;
      return;
    }
    p->model = model;
    p->model_capacity = capacity;
  }
  memcpy(p->model + p->model_size, more, n + 1);
  p->model_size += n;
}

// limb YAML, which every reader of this version understands, with the named poses; shapes are data of their own.
static limb_status take_model(limb_view_page* p, const limb_builder* robot, limb_error* err)
{
  limb_status s = limb_write(robot, LIMB_FORMAT_YAML, add_text, p, NULL, err);
  if (s == LIMB_OK && p->options.reading) s = limb_write_poses(p->options.reading, robot, add_text, p);
  return s == LIMB_OK && p->out_of_memory ? LIMB_E_NOMEM : s;
}

limb_status limb_view_page_create(const limb_builder* robot, const limb_view_page_options* options,
                                  limb_view_page** out, limb_error* err)
{
  char path[PATH_SPACE];
  size_t html = 0;
  if (!robot || !out) return limb_fail(err, LIMB_E_ARG, "", "NULL");
  *out = NULL;
  limb_view_page_options own = limb_default_view_page();
  const limb_status read = options ? limb_sized_read(&own, sizeof own, options, sizeof own) : LIMB_OK;
  if (read != LIMB_OK) return limb_fail(err, read, "", "options that are not of limb_default_view_page()");
  limb_view_page* p = calloc(1, sizeof *p);
  if (!p) return LIMB_E_NOMEM;
  p->options = own;
  if (!p->options.html) (void)limb_view_page_find(path, sizeof path);
  p->html = strdup(p->options.html ? p->options.html : path);
  p->title = p->options.title ? strdup(p->options.title) : NULL;
  limb_status s = p->html && (p->title || !p->options.title) ? check_html(p->html, &html, err) : LIMB_E_NOMEM;
  if (s == LIMB_OK && p->options.max_bytes < SIZE_MIN)
    s = limb_fail(err, LIMB_E_ARG, "", "a page needs at least %d MB", SIZE_MIN / 1000000);
  if (s == LIMB_OK) s = take_model(p, robot, err);
  if (s == LIMB_OK) s = view_take_shapes(p, robot);
  if (s != LIMB_OK) {
    limb_view_page_destroy(p);
    return s;
  }
  *out = p;
  return LIMB_OK;
}

void limb_view_page_destroy(limb_view_page* page)
{
  if (!page) return;
  view_free_shapes(page);
  view_track_free(&page->track);
  for (int i = 0; i < page->nevent; i++) free(page->event[i].text);
  free(page->event);
  free(page->html);
  free(page->title);
  free(page->model);
  free(page);
}

// ---- writing ---------------------------------------------------------------------------------------

// The head of the page; one that follows its server may ask it, and nobody else.
static void put_head(FILE* out, const char* html, const char* end, int live)
{
  const char* gap = live ? strstr(html, no_network) : NULL;
  if (!gap || gap > end) {
    (void)fwrite(html, 1, (size_t)(end - html), out);
    return;
  }
  (void)fwrite(html, 1, (size_t)(gap - html), out);
  (void)fputs("connect-src 'self'", out);
  gap += sizeof no_network - 1;
  (void)fwrite(gap, 1, (size_t)(end - gap), out);
}

static limb_status put_data(FILE* out, const limb_view_page* p)
{
  (void)fputs("{\"schema\":2,\"title\":", out);
  if (p->title)
    view_put_text(out, p->title);
  else
    (void)fputs("null", out);
  (void)fputs(",\n\"model\":", out);
  view_put_text(out, p->model);
  view_put_findings(out, p->options.reading);
  view_put_shapes(out, p);
  if (p->options.live) (void)fputs(",\n\"live\":\"events\"", out);
  const limb_status s = view_put_motion(out, p);
  (void)fputc('}', out);
  return s;
}

limb_status limb_view_page_write(limb_view_page* page, FILE* out, limb_error* err)
{
  if (!page || !out) return limb_fail(err, LIMB_E_ARG, "", "NULL");
  size_t size = 0;
  char* html = read_html(page->html, &size);
  const char* at = html ? strstr(html, slot) : NULL;
  if (!at) {
    free(html);
    return limb_fail(err, LIMB_E_IO, "", "%s cannot be read", page->html);
  }
  const view_track* t = &page->track;
  const size_t others = size + page->model_size + page->model_size / 8 + t->rows * t->width * 11 + 100000;
  const size_t left = page->options.max_bytes > others ? page->options.max_bytes - others : 0;
  limb_status s = view_fit_meshes(page, left);
  if (s == LIMB_OK) {
    const char* gap = at + sizeof slot - sizeof "null<";
    put_head(out, html, gap, page->options.live);
    s = put_data(out, page);
    (void)fputs(gap + sizeof "null" - 1, out);
  }
  free(html);
  return s;
}
