// Results of `limb bench` as JSON and CSV: one list of members for both.
#include "write.h"

#include "cli/base/print.h"

#include <math.h>

typedef enum kind { TEXT, WHOLE, NUMBER, TRUTH } kind;

// A member of a row: its name, and what stands there.
typedef struct member {
  const char* name;
  kind kind;
  const char* text; // NULL: none
  double number;    // not finite: none
} member;

enum { MEMBERS = 22 };

static member text(const char* name, const char* x) { return (member){name, TEXT, x, (double)NAN}; }

static member whole(const char* name, double x) { return (member){name, WHOLE, NULL, x}; }

static member number(const char* name, double x) { return (member){name, NUMBER, NULL, x}; }

static member truth(const char* name, int known, int x)
{
  return (member){name, TRUTH, NULL, known ? (double)x : (double)NAN};
}

static void list_members(const bench_result* r, member m[MEMBERS])
{
  const member all[MEMBERS] = {
    text("robot", r->robot),
    whole("dof", r->dof),
    text("quantity", r->quantity),
    text("mode", r->mode),
    text("layout", r->layout),
    whole("threads", r->threads),
    whole("states", r->states),
    text("library", r->library),
    text("version", r->version),
    number("ns", r->ns),
    number("median_ns", r->median_ns),
    number("slots", r->slots),
    number("gflops", r->gflops),
    number("peak_share", r->peak),
    number("difference", r->difference),
    number("target_slots", r->target),
    truth("reached", isfinite(r->target), r->slots <= r->target),
    whole("mul", r->mul),
    whole("add", r->add),
    whole("div", r->div),
    whole("sqrt", r->sqrt),
    whole("sincos", r->sincos),
  };
  for (int k = 0; k < MEMBERS; k++) m[k] = all[k];
}

// ---- JSON ------------------------------------------------------------------------------------------

static json_t* value_json(const member* m)
{
  if (m->kind == TEXT) return cli_json_text(m->text);
  if (!isfinite(m->number)) return json_null();
  if (m->kind == TRUTH) return json_boolean(m->number != 0);
  return m->kind == WHOLE ? json_integer((json_int_t)m->number) : json_real(m->number);
}

static json_t* row_json(const bench_result* r)
{
  json_t* row = json_object();
  member m[MEMBERS];
  list_members(r, m);
  for (int k = 0; k < MEMBERS; k++) (void)json_object_set_new(row, m[k].name, value_json(&m[k]));
  return row;
}

static json_t* peers_json(const bench* b)
{
  json_t* peers = json_array();
  for (int i = 0; i < bench_peer_count(b); i++) {
    const bench_peer peer = bench_get_peer(b, i);
    json_t* one = json_object();
    (void)json_object_set_new(one, "name", cli_json_text(peer.name));
    (void)json_object_set_new(one, "version", cli_json_text(peer.version));
    (void)json_object_set_new(one, "build", cli_json_text(peer.build));
    (void)json_array_append_new(peers, one);
  }
  return peers;
}

json_t* bench_json(const bench* b)
{
  bench_summary s;
  bench_get_summary(b, &s);
  json_t *answer = cli_json_answer(), *peak = json_object(), *rows = json_array();
  (void)json_object_set_new(peak, "scalar", cli_json_number(s.slots_per_ns));
  (void)json_object_set_new(peak, "double", cli_json_number(s.peak_f64));
  (void)json_object_set_new(peak, "float", cli_json_number(s.peak_f32));
  (void)json_object_set_new(answer, "isa", cli_json_text(s.isa));
  (void)json_object_set_new(answer, "threads", json_integer(s.threads));
  (void)json_object_set_new(answer, "slots_per_ns", cli_json_number(s.slots_per_ns));
  (void)json_object_set_new(answer, "peak_gflops", peak);
  (void)json_object_set_new(answer, "processor", cli_json_text(s.processor));
  (void)json_object_set_new(answer, "date", cli_json_text(s.date));
  (void)json_object_set_new(answer, "load", cli_json_number(s.load));
  (void)json_object_set_new(answer, "no_peers", cli_json_text(s.peers));
  (void)json_object_set_new(answer, "peers", peers_json(b));
  for (int i = 0; i < bench_result_count(b); i++) {
    bench_result r;
    bench_get_result(b, i, &r);
    (void)json_array_append_new(rows, row_json(&r));
  }
  (void)json_object_set_new(answer, "rows", rows);
  return answer;
}

// ---- CSV -------------------------------------------------------------------------------------------

static void value_csv(const member* m, FILE* out)
{
  if (m->kind == TEXT) {
    (void)fputs(m->text ? m->text : "", out);
  } else if (isfinite(m->number) && m->kind == TRUTH) {
    (void)fputs(m->number != 0 ? "yes" : "no", out);
  } else if (isfinite(m->number)) {
    (void)fprintf(out, "%.10g", m->number);
  }
}

void bench_csv(const bench* b, FILE* out)
{
  for (int i = -1; i < bench_result_count(b); i++) {
    bench_result r = {0};
    member m[MEMBERS];
    if (i >= 0) bench_get_result(b, i, &r);
    list_members(&r, m);
    for (int k = 0; k < MEMBERS; k++) {
      if (i < 0) (void)fputs(m[k].name, out);
      if (i >= 0) value_csv(&m[k], out);
      (void)fputc(k + 1 < MEMBERS ? ',' : '\n', out);
    }
  }
}
