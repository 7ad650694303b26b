// From a file or a text to a reading: load, detect the language, read, check, pass on to a builder.
#include "io/reading.h"

#include "base/memory.h"
#include "base/status.h"
#include "io/file_text.h"
#include "io/files.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const file_pos nowhere = {0, 0, 0}, first_line = {1, 1, 0};
static const limb_subject whole_file = {NULL, NULL};

// ---- readings -----------------------------------------------------------------------------------------

// path: of the source if it is a file, otherwise NULL; name: for messages
static limb_status new_reading(const limb_read_options* opt, const char* path, const char* name, limb_reading** out)
{
  const limb_allocator a = opt->alloc ? *opt->alloc : limb_default_allocator();
  limb_reading* r = limb_alloc(&a, sizeof *r);
  if (!r) return LIMB_E_NOMEM;
  *r = (limb_reading){.alloc = a, .pool = limb_mempool_make(&a), .format = opt->format, .massless = -1};
  r->source.pool = &r->pool;
  r->source.files = &r->files;
  r->source.name = limb_mempool_text(&r->pool, name, strlen(name));
  r->source.text = "";
  if (!r->source.name || limb_findings_create(&a, &r->findings) != LIMB_OK ||
      !limb_files_begin(&r->files, path, opt, &r->pool, r->findings)) {
    limb_reading_destroy(r);
    return LIMB_E_NOMEM;
  }
  *out = r;
  return LIMB_OK;
}

void limb_reading_destroy(limb_reading* r)
{
  if (!r) return;
  const limb_allocator a = r->alloc;
  limb_builder_destroy(r->builder);
  limb_findings_destroy(r->findings);
  limb_mempool_free(&r->pool);
  limb_free(&a, r, sizeof *r);
}

const char* limb_reading_source(const limb_reading* r) { return r ? r->source.name : NULL; }

limb_format limb_reading_format(const limb_reading* r) { return r ? r->format : LIMB_FORMAT_AUTO; }

limb_form limb_reading_form(const limb_reading* r) { return r ? r->form : LIMB_FORM_POSES; }

limb_builder* limb_reading_builder(limb_reading* r) { return r ? r->builder : NULL; }

limb_findings* limb_reading_findings(limb_reading* r) { return r ? r->findings : NULL; }

const limb_run* limb_reading_run(const limb_reading* r) { return r ? r->run : NULL; }

const limb_study* limb_reading_study(const limb_reading* r) { return r ? r->study : NULL; }

static int own_line(file_pos at) { return at.file ? 0 : at.line; }

int limb_reading_body_line(const limb_reading* r, int body)
{
  return r && body >= 0 && body < r->positions.nbody ? own_line(r->positions.body[body]) : 0;
}

int limb_reading_joint_line(const limb_reading* r, int joint)
{
  return r && joint >= 0 && joint < r->positions.njoint ? own_line(r->positions.joint[joint]) : 0;
}

limb_status limb_write_expanded(const limb_reading* r, limb_text_fn* write, void* context, limb_error* err)
{
  if (!r || !write) return limb_fail(err, LIMB_E_ARG, "reading", "reading or callback is NULL");
  if (!r->source.expanded) return limb_fail(err, LIMB_E_UNSUPPORTED, r->source.name, "nothing was expanded");
  write(context, "<?xml version=\"1.0\"?>\n");
  limb_xml_write(r->source.expanded, 0, write, context);
  return LIMB_OK;
}

// ---- reading a text -------------------------------------------------------------------------------

static int is_xml(limb_format f) { return f == LIMB_FORMAT_URDF || f == LIMB_FORMAT_MJCF || f == LIMB_FORMAT_SDF; }

// The language of the text, by option, name and content; AUTO when it cannot be recognised, which is reported.
static limb_format detect_format(limb_reading* r)
{
  const limb_source* src = &r->source;
  const limb_format by_name = r->format ? r->format : limb_format_of_name(src->name);
  const limb_format by_text = limb_format_of_text(src->text, src->size);
  const int xml_named = is_xml(by_name);
  const int xml_inside = is_xml(by_text);
  if (by_name && by_text && xml_named != xml_inside) {
    limb_report(r->findings, RULE_WRONG_FORMAT, first_line, whole_file, "the file should be %s, but it looks like %s",
                limb_format_name(by_name), limb_format_name(by_text));
    return LIMB_FORMAT_AUTO;
  }
  if (by_name || by_text) return by_name ? by_name : by_text;
  limb_report(r->findings, RULE_UNKNOWN_FORMAT, nowhere, whole_file,
              "the language is not clear from the name or the content of the file");
  return LIMB_FORMAT_AUTO;
}

// Poses with few digits leave overconstrained loops open by a few units of their last place.
static limb_status set_loop_tolerance(limb_reading* r, const limb_read_options* opt, double stated)
{
  if (limb_builder_loop_count(r->builder) == 0) return LIMB_OK;
  const int here = limb_decimal_places(r->source.text, r->source.size);
  const int places = here > r->files.places ? here : r->files.places;
  const double by_digits = fmin(fmax(10 * pow(10, -places), 1e-7), 1e-4);
  const double tolerance = opt->loop_tolerance > 0 ? opt->loop_tolerance : stated > 0 ? stated : by_digits;
  return limb_builder_set_loop_tolerance(r->builder, tolerance);
}

static limb_status run_reader(limb_reading* r, const limb_read_options* opt)
{
  static const raw_words urdf = {"link", "joint", "frame"}, plain = {"body", "joint", "frame"},
                         mjcf = {"body", "joint", "site"};
  limb_raw_robot s = limb_raw_robot_make(&r->pool, r->findings, plain);
  limb_status status = LIMB_E_SYNTAX;
  switch (r->format) {
  case LIMB_FORMAT_URDF:
    s.words = urdf;
    status = limb_read_urdf(&r->source, opt, &s);
    break;
  case LIMB_FORMAT_YAML: status = limb_read_yaml(&r->source, opt, &s); break;
  case LIMB_FORMAT_PAR:
    s.form = LIMB_FORM_MDH;
    status = limb_read_par(&r->source, opt, &s);
    break;
  case LIMB_FORMAT_MJCF:
    s.words = mjcf;
    status = limb_read_mjcf(&r->source, opt, &s);
    break;
  case LIMB_FORMAT_SDF:
    s.words = urdf;
    status = limb_read_sdf(&r->source, opt, &s);
    break;
  case LIMB_FORMAT_AUTO: break;
  }
  r->form = s.form;
  if (s.too_large) return LIMB_E_IO;
  // A robot with faulty parts is still checked as a whole, so that one run finds everything that is wrong.
  if (status && status != LIMB_E_MODEL) return status;
  if (opt->xacro_arguments && *opt->xacro_arguments && !r->source.expanded)
    limb_report(r->findings, RULE_UNKNOWN_TAG, nowhere, whole_file, "arguments are given, but the file is not xacro");
  if (opt->srdf && limb_read_srdf(&r->source, opt->srdf, &s) == LIMB_E_NOMEM) return LIMB_E_NOMEM;
  limb_status built = limb_raw_robot_build(&s, opt, &r->builder, &r->positions);
  if (!built) limb_check_poses(&s, r->builder);
  r->pose = s.pose, r->npose = s.npose;
  if (!built && limb_findings_count_from(r->findings, LIMB_ERROR) > 0) built = LIMB_E_MODEL;
  if (!built) built = set_loop_tolerance(r, opt, s.loop_tolerance);
  return built ? built : status;
}

static int is_empty(const char* text, size_t size)
{
  while (size > 0 && is_blank(text[size - 1])) size--;
  return size == 0;
}

// What an error is about, after the position in a file that the source refers to: limb_error has no space for that.
static const char* subject_and_file(const limb_finding* f, char where[LIMB_WHERE_SPACE])
{
  const char* slash = strrchr(f->file, '/');
  if (!*f->file) return f->where;
  (void)snprintf(where, LIMB_WHERE_SPACE, "%.50s:%d:%d%s%s", slash ? slash + 1 : f->file, f->line, f->column,
                 *f->where ? ": " : "", f->where);
  return where;
}

// The end of every reading: err gets the first error, and a faulty file has no builder.
static limb_status conclude(limb_reading* r, limb_status status, limb_error* err)
{
  const int lost = limb_findings_lost(r->findings); // then the list is not complete
  if (!status && !lost) return LIMB_OK;
  limb_builder_destroy(r->builder);
  r->builder = NULL;
  r->run = NULL;
  r->study = NULL;
  limb_findings_sort(r->findings);
  limb_finding first;
  char where[LIMB_WHERE_SPACE];
  for (int i = 0; !lost && limb_findings_get(r->findings, i, &first) == LIMB_OK; i++) {
    if (first.severity < LIMB_ERROR) continue;
    (void)limb_fail(err, status, subject_and_file(&first, where), "%s", first.text);
    if (err && !*first.file) {
      err->line = first.line;
      err->column = first.column;
    }
    return status;
  }
  return limb_fail(err, LIMB_E_NOMEM, r->source.name, "out of memory");
}

static limb_status read_source(limb_reading* r, const limb_read_options* opt, limb_error* err)
{
  if (is_empty(r->source.text, r->source.size)) {
    limb_report(r->findings, RULE_EMPTY, nowhere, whole_file, "the file is empty");
    return conclude(r, LIMB_E_SYNTAX, err);
  }
  if (limb_report_not_model(r->findings, r->source.text, r->source.size)) return conclude(r, LIMB_E_SYNTAX, err);
  if (r->kind == READING_RUN) return conclude(r, limb_read_run_yaml(&r->source, r->findings, &r->run), err);
  if (r->kind == READING_MOTORS)
    return conclude(r, limb_read_motors_yaml(&r->source, r->findings, &r->motor, &r->nmotor), err);
  if (r->kind == READING_STUDY)
    return conclude(r, limb_read_study_yaml(&r->source, r->findings, &r->study, &r->run), err);
  r->format = detect_format(r);
  if (!r->format) return conclude(r, LIMB_E_SYNTAX, err);
  return conclude(r, run_reader(r, opt), err);
}

limb_read_options limb_default_read_options(void)
{
  limb_read_options o = {.size = sizeof o};
  o.format = LIMB_FORMAT_AUTO;
  o.base = LIMB_BASE_AS_FILE;
  o.no_mimic = 0;
  o.max_bytes = (size_t)64 << 20;
  o.alloc = NULL;
  o.package_path = NULL;
  o.model_name = NULL;
  o.xacro_arguments = NULL;
  o.any_file = 0;
  o.loop_tolerance = 0;
  o.srdf = NULL;
  return o;
}

// The caller's options over the defaults.
static limb_status check_options(const limb_read_options* given, limb_read_options* own, limb_error* err)
{
  *own = limb_default_read_options();
  if (!given) return LIMB_OK;
  const limb_status status = limb_sized_read(own, sizeof *own, given, offsetof(limb_read_options, max_bytes));
  if (status) return limb_fail(err, status, "options", "start from limb_default_read_options()");
  if (!limb_format_name(own->format) || own->base < LIMB_BASE_AS_FILE || own->base > LIMB_BASE_PLANAR)
    return limb_fail(err, LIMB_E_ARG, "options", "no such format or base");
  if (own->alloc && (!own->alloc->alloc || !own->alloc->free))
    return limb_fail(err, LIMB_E_ARG, "options", "incomplete allocator");
  if (!(own->loop_tolerance >= 0 && own->loop_tolerance <= LIMB_LOOP_TOLERANCE_MAX))
    return limb_fail(err, LIMB_E_ARG, "options", "loop_tolerance must be from 0 to %g", LIMB_LOOP_TOLERANCE_MAX);
  return LIMB_OK;
}

static limb_status too_large(limb_reading* r, size_t limit, limb_error* err)
{
  limb_report(r->findings, RULE_TOO_LARGE, nowhere, whole_file, "the file has more than %zu bytes", limit);
  return conclude(r, LIMB_E_IO, err);
}

static limb_status read_text(const char* text, size_t size, const char* name, reading_kind kind,
                             const limb_read_options* opt, limb_reading** out, limb_error* err)
{
  if (out) *out = NULL;
  if (!out || (!text && size) || !name) return limb_fail(err, LIMB_E_ARG, "text", "text, name or output is NULL");
  limb_read_options own;
  limb_status status = check_options(opt, &own, err);
  if (status) return status;
  status = new_reading(&own, NULL, name, out);
  if (status) return limb_fail(err, status, name, "out of memory");
  limb_reading* r = *out;
  r->kind = kind;
  if (size > own.max_bytes) return too_large(r, own.max_bytes, err);
  r->source.text = limb_mempool_text(&r->pool, text, size);
  if (!r->source.text) return conclude(r, LIMB_E_NOMEM, err);
  r->source.size = size;
  return read_source(r, &own, err);
}

limb_status limb_read_text(const char* text, size_t size, const char* name, const limb_read_options* opt,
                           limb_reading** out, limb_error* err)
{
  return read_text(text, size, name, READING_ROBOT, opt, out, err);
}

limb_status limb_read_run_text(const char* text, size_t size, const char* name, const limb_read_options* opt,
                               limb_reading** out, limb_error* err)
{
  return read_text(text, size, name, READING_RUN, opt, out, err);
}

// ---- reading a file -------------------------------------------------------------------------------

static limb_status unreadable(limb_reading* r, const char* why, const char* more, limb_error* err)
{
  limb_report(r->findings, RULE_UNREADABLE, nowhere, whole_file, "the file cannot be read: %s%s", why, more);
  return conclude(r, LIMB_E_IO, err);
}

// The system refuses, with this errno.
static limb_status refused(limb_reading* r, int code, limb_error* err)
{
  return code == ENOMEM ? conclude(r, LIMB_E_NOMEM, err) : unreadable(r, limb_io_reason(code), "", err);
}

static limb_status read_stream(limb_reading* r, FILE* stream, const limb_read_options* opt, limb_error* err)
{
  int large = 0;
  errno = 0;
  const limb_status status =
    limb_load_stream(&r->pool, stream, opt->max_bytes, &r->source.text, &r->source.size, &large);
  if (status == LIMB_E_IO) return refused(r, errno, err);
  if (status) return conclude(r, status, err);
  if (large) return too_large(r, opt->max_bytes, err);
  return read_source(r, opt, err);
}

// A built-in robot: a text, or a program that fills a raw robot.
static limb_status read_robot(limb_reading* r, int index, const limb_read_options* opt, limb_error* err)
{
  limb_robot_info robot;
  limb_status status = limb_get_robot(index, &robot);
  r->format = LIMB_FORMAT_YAML;
  if (!status && robot.text) {
    r->source.text = robot.text;
    r->source.size = strlen(robot.text);
    return conclude(r, run_reader(r, opt), err);
  }
  limb_raw_robot s = limb_raw_robot_make(&r->pool, r->findings, (raw_words){"body", "joint", "frame"});
  if (!status) status = limb_make_robot(robot.name, &s);
  if (!status) status = limb_raw_robot_build(&s, opt, &r->builder, &r->positions);
  return conclude(r, status, err);
}

// An empty reading for a source, in *out, with checked options; NULL and the status after an error.
static limb_reading* begin(const char* source, const limb_read_options* opt, limb_read_options* own, limb_reading** out,
                           limb_error* err, limb_status* status)
{
  if (out) *out = NULL;
  if (!out || !source || !*source) {
    *status = limb_fail(err, LIMB_E_ARG, "source", "name or output is NULL or empty");
    return NULL;
  }
  *status = check_options(opt, own, err);
  if (*status) return NULL;
  const int standard = strcmp(source, "-") == 0;
  *status = new_reading(own, standard ? NULL : source, standard ? "standard input" : source, out);
  if (*status) (void)limb_fail(err, *status, source, "out of memory");
  return *out;
}

static const char* robot_name(const void* context, int i)
{
  limb_robot_info info;
  (void)context;
  return limb_get_robot(i, &info) == LIMB_OK ? info.name : "";
}

limb_status limb_read_robot(const char* name, const limb_read_options* opt, limb_reading** out, limb_error* err)
{
  limb_read_options own = limb_default_read_options();
  limb_status status = LIMB_OK;
  limb_reading* r = begin(name, opt, &own, out, err, &status);
  if (!r) return status;
  const int robot = limb_find_robot(name);
  if (robot < 0)
    return unreadable(r, "no built-in robot has this name",
                      limb_did_you_mean(r->findings, name, limb_robot_count(), robot_name, NULL).text, err);
  return read_robot(r, robot, &own, err);
}

static limb_status read_path(const char* path, reading_kind kind, const limb_read_options* opt, limb_reading** out,
                             limb_error* err)
{
  limb_read_options own = limb_default_read_options();
  limb_status status = LIMB_OK;
  limb_reading* r = begin(path, opt, &own, out, err, &status);
  if (!r) return status;
  r->kind = kind;
  if (strcmp(path, "-") == 0) return read_stream(r, stdin, &own, err);
  const int robot = kind != READING_ROBOT ? -1 : limb_find_robot(path), folder = limb_is_folder(path);
  errno = 0;
  FILE* stream = folder ? NULL : fopen(path, "rb");
  const int code = errno;
  if (!stream && robot >= 0 && (folder || code == ENOENT)) return read_robot(r, robot, &own, err);
  if (folder) return unreadable(r, "it is a folder", ": name a file in it", err);
  if (!stream && code == ENOENT && kind == READING_ROBOT && !strpbrk(path, "/.")) {
    char more[LIMB_WHERE_SPACE + 40];
    const limb_phrase mean = limb_did_you_mean(r->findings, path, limb_robot_count(), robot_name, NULL);
    (void)snprintf(more, sizeof more, ", and no built-in robot of this name%s", mean.text);
    return unreadable(r, limb_io_reason(code), more, err);
  }
  if (!stream) return refused(r, code, err);
  status = read_stream(r, stream, &own, err);
  (void)fclose(stream);
  return status;
}

limb_status limb_read(const char* source, const limb_read_options* opt, limb_reading** out, limb_error* err)
{
  return read_path(source, READING_ROBOT, opt, out, err);
}

limb_status limb_read_run(const char* path, const limb_read_options* opt, limb_reading** out, limb_error* err)
{
  return read_path(path, READING_RUN, opt, out, err);
}

limb_status limb_read_study(const char* path, const limb_read_options* opt, limb_reading** out, limb_error* err)
{
  return read_path(path, READING_STUDY, opt, out, err);
}

limb_status limb_read_motors(const char* path, const limb_read_options* opt, limb_reading** out, limb_error* err)
{
  return read_path(path, READING_MOTORS, opt, out, err);
}

limb_status limb_read_motors_text(const char* text, size_t size, const char* name, const limb_read_options* opt,
                                  limb_reading** out, limb_error* err)
{
  return read_text(text, size, name, READING_MOTORS, opt, out, err);
}

const limb_gearmotor* limb_reading_motor(const limb_reading* r, int k)
{
  return r && r->motor && k >= 0 && k < r->nmotor ? &r->motor[k] : NULL;
}

// The first warning, and how many there are.
static void pass_warnings(limb_findings* f, limb_error* err)
{
  const int count = limb_findings_count_from(f, LIMB_WARNING);
  limb_finding x;
  limb_findings_sort(f);
  for (int i = 0; limb_findings_get(f, i, &x) == LIMB_OK; i++) {
    if (x.severity < LIMB_WARNING) continue;
    if (count > 1)
      (void)limb_fail(err, LIMB_OK, x.where, "%.160s (the first of %d warnings; limb_read has all)", x.text, count);
    else
      (void)limb_fail(err, LIMB_OK, x.where, "%s", x.text);
    err->line = x.line, err->column = x.column;
    return;
  }
}

limb_status limb_load(const char* source, const limb_read_options* opt, limb_model** out, limb_error* err)
{
  if (out) *out = NULL;
  if (!out) return limb_fail(err, LIMB_E_ARG, "model", "output is NULL");
  limb_reading* r = NULL;
  limb_status status = limb_read(source, opt, &r, err);
  if (!status) status = limb_builder_build(limb_reading_builder(r), out, err);
  if (!status && err) {
    *err = (limb_error){.status = LIMB_OK};
    pass_warnings(limb_reading_findings(r), err);
  }
  limb_reading_destroy(r);
  return status;
}
