// `limb view --serve`: the page by HTTP, poses of programs as events (server-sent events, WHATWG HTML 9.2).
//
// Everything is on the loopback address, and only for pages from it: requests for another host (DNS rebinding) or from
// another site are refused. Poses arrive as datagrams (limb/view.h). One loop waits for all sockets; none blocks, and
// a slow browser loses poses, never the program that sends them.
#define _POSIX_C_SOURCE 200809L // sockets, open_memstream
#include "commands/view.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
  CLIENTS_MAX = 24,
  REQUEST_SPACE = 8192,
  HEAD_SPACE = 512,
  DATAGRAM_SPACE = 65536,
  POSE_HEAD = 16,
  PATIENCE = 10, // seconds for a request, and without taking a byte of an answer
  TICK = 16      // ms between two poses
};

typedef struct client {
  int socket;
  double since; // when it came, or last took a part of what it is sent
  char request[REQUEST_SPACE];
  size_t got;
  char head[HEAD_SPACE]; // of the answer
  const char* body;      // after the head; NULL: none
  size_t head_size, body_size, sent;
  int events;  // it follows the poses
  int waiting; // it has not taken the last event
  int silent;  // it has closed its side: nothing more comes from it
  int retired; // it has missed a part of an event, or is done
} client;

typedef struct server {
  const cli_robot* robot;
  int listener, poses, port;
  char* page;
  size_t page_size;
  client* client[CLIENTS_MAX];
  int nclient;
  double *q, time;
  int news;          // q is newer than what was passed on
  char* event;       // the newest pose as text
  size_t event_size; // of it
  char refused[160]; // why the last datagram was no pose
  double complained; // when that was passed on
} server;

static double now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- sockets ---------------------------------------------------------------------------------------

static int unblock(int socket)
{
  const int flags = fcntl(socket, F_GETFL);
  return flags >= 0 && fcntl(socket, F_SETFL, flags | O_NONBLOCK) == 0 && fcntl(socket, F_SETFD, FD_CLOEXEC) == 0;
}

// A socket of a type on the loopback address; -1: errno says why.
static int open_socket(int type, int* port)
{
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
  socklen_t size = sizeof at;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int s = socket(AF_INET, type, 0), yes = 1;
  if (s < 0) return -1;
  if (type == SOCK_STREAM) (void)setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const int fine = unblock(s) && bind(s, (const struct sockaddr*)&at, sizeof at) == 0 &&
                   (type == SOCK_DGRAM || listen(s, CLIENTS_MAX) == 0) &&
                   getsockname(s, (struct sockaddr*)&at, &size) == 0;
  if (fine) {
    *port = ntohs(at.sin_port);
    return s;
  }
  const int cause = errno;
  (void)close(s);
  errno = cause;
  return -1;
}

int view_port(const cli_args* args, double* port) { return cli_whole(args, "port", 0, 65535, port); }

static int open_sockets(const cli_args* args, server* s)
{
  double port = LIMB_LIVE_PORT;
  const int code = view_port(args, &port);
  if (code != EXIT_FINE) return code;
  s->port = (int)port;
  s->listener = open_socket(SOCK_STREAM, &s->port);
  if (s->listener >= 0) s->poses = open_socket(SOCK_DGRAM, &s->port);
  if (s->listener >= 0 && s->poses >= 0) return EXIT_FINE;
  return cli_usage(args, "cannot listen on 127.0.0.1:%d: %s; --port takes another one", s->port, strerror(errno));
}

// ---- answers ---------------------------------------------------------------------------------------

static void answer(client* c, const char* status, const char* type, const char* body, size_t size)
{
  const int n = snprintf(c->head, sizeof c->head,
                         "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
                         "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                         "Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n\r\n",
                         status, type, size);
  c->head_size = (size_t)n;
  c->body = body;
  c->body_size = size;
}

static void refuse(client* c, const char* status) { answer(c, status, "text/plain", "", 0); }

static void begin_events(client* c)
{
  c->events = 1;
  c->head_size = (size_t)snprintf(c->head, sizeof c->head,
                                  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
                                  "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n"
                                  "\r\nretry: 2000\n\n");
}

// The value of a header, cut off at the end of its line; NULL: the request does not have it.
static const char* header(const char* request, const char* name, char* out, size_t size)
{
  const size_t n = strlen(name);
  for (const char* line = strstr(request, "\r\n"); line; line = strstr(line, "\r\n")) {
    line += 2;
    if (strncasecmp(line, name, n) != 0 || line[n] != ':') continue;
    line += n + 1;
    line += strspn(line, " \t");
    (void)snprintf(out, size, "%.*s", (int)strcspn(line, "\r\n"), line);
    return out;
  }
  return NULL;
}

// Whether a host with its port is this server. Port 80 goes without saying.
static int is_own(const server* s, const char* host)
{
  char own[40];
  for (int k = 0; k < 4; k++) {
    const char* name = k % 2 ? "localhost" : "127.0.0.1";
    if (k < 2)
      (void)snprintf(own, sizeof own, "%s:%d", name, s->port);
    else
      (void)snprintf(own, sizeof own, "%s", name);
    if ((k < 2 || s->port == 80) && strcasecmp(host, own) == 0) return 1;
  }
  return 0;
}

// Whether a page of another site asks. Old browsers send only one of the two headers.
static int from_elsewhere(const server* s, const char* request)
{
  static const char scheme[] = "http://";
  char value[80];
  const char* site = header(request, "Sec-Fetch-Site", value, sizeof value);
  if (site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0) return 1;
  const char* origin = header(request, "Origin", value, sizeof value);
  if (!origin) return 0;
  return strncasecmp(origin, scheme, sizeof scheme - 1) != 0 || !is_own(s, origin + sizeof scheme - 1);
}

static void take_request(const server* s, client* c)
{
  char value[80];
  const char* host = header(c->request, "Host", value, sizeof value);
  if (!host || !is_own(s, host)) {
    refuse(c, "403 Forbidden");
    return;
  }
  const int foreign = from_elsewhere(s, c->request);
  if (strncmp(c->request, "GET / ", 6) == 0)
    answer(c, "200 OK", "text/html; charset=utf-8", s->page, s->page_size);
  else if (strncmp(c->request, "GET /events ", 12) == 0 && !foreign)
    begin_events(c);
  else if (strncmp(c->request, "GET ", 4) != 0)
    refuse(c, "405 Method Not Allowed");
  else
    refuse(c, foreign ? "403 Forbidden" : "404 Not Found");
}

// ---- clients ---------------------------------------------------------------------------------------

static void accept_client(server* s)
{
  const int socket = accept(s->listener, NULL, NULL);
  if (socket < 0) return;
  client* c = s->nclient < CLIENTS_MAX && unblock(socket) ? calloc(1, sizeof *c) : NULL;
  if (!c) {
    (void)close(socket);
    return;
  }
  c->socket = socket;
  c->since = now();
  s->client[s->nclient++] = c;
}

static void read_request(const server* s, client* c)
{
  char rest[256];
  if (c->head_size > 0) { // it has its answer; an end of the connection is all that can come
    const ssize_t n = recv(c->socket, rest, sizeof rest, 0);
    c->silent |= n == 0; // it may still take the page
    c->retired |= (n == 0 && c->events) || (n < 0 && errno != EAGAIN && errno != EINTR);
    return;
  }
  const ssize_t n = recv(c->socket, c->request + c->got, sizeof c->request - 1 - c->got, 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {
    c->retired = 1;
    return;
  }
  c->got += (size_t)n;
  if (memchr(c->request, '\0', c->got))
    refuse(c, "400 Bad Request");
  else if (strstr(c->request, "\r\n\r\n"))
    take_request(s, c);
  else if (c->got == sizeof c->request - 1)
    refuse(c, "431 Request Header Fields Too Large");
}

static void write_answer(client* c)
{
  while (!c->retired && c->sent < c->head_size + c->body_size) {
    const int head = c->sent < c->head_size;
    const char* from = head ? c->head + c->sent : c->body + (c->sent - c->head_size);
    const size_t size = (head ? c->head_size : c->head_size + c->body_size) - c->sent;
    const ssize_t n = send(c->socket, from, size, MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    c->retired |= n <= 0;
    if (n > 0) c->sent += (size_t)n, c->since = now();
  }
  c->retired |= !c->events;
}

// An event for those that follow. What a browser cannot take at once is lost, but never half of it.
static void send_event(const server* s, const char* text)
{
  const size_t size = strlen(text);
  for (int i = 0; i < s->nclient; i++) {
    client* c = s->client[i];
    if (!c->events || c->sent < c->head_size) continue;
    const ssize_t n = send(c->socket, text, size, MSG_NOSIGNAL);
    c->retired |= n >= 0 ? (size_t)n < size : errno != EAGAIN && errno != EINTR; // it connects again
    c->waiting = n < 0;
    if (n >= 0) c->since = now();
  }
}

static int has_more(const client* c) { return c->head_size > 0 && c->sent < c->head_size + c->body_size; }

// Whoever does not ask, or does not read, gives way to others.
static void drop_retired(server* s)
{
  int kept = 0;
  for (int i = 0; i < s->nclient; i++) {
    client* c = s->client[i];
    const int late = (c->head_size == 0 || has_more(c) || c->waiting) && now() > c->since + PATIENCE;
    if (!c->retired && !late) {
      s->client[kept++] = c;
      continue;
    }
    (void)close(c->socket);
    free(c);
  }
  s->nclient = kept;
}

// ---- poses -----------------------------------------------------------------------------------------

static void take_datagram(server* s, const unsigned char* bytes, size_t size)
{
  const size_t nq = (size_t)limb_nq(s->robot->model), expected = POSE_HEAD + nq * sizeof(double);
  double time, *q = s->q + nq;
  *s->refused = '\0';
  if (size < POSE_HEAD || memcmp(bytes, "limbpose", 8) != 0) {
    (void)snprintf(s->refused, sizeof s->refused, "something arrived that is no pose");
  } else if (size != expected) {
    (void)snprintf(s->refused, sizeof s->refused, "a pose of %zu numbers arrived; this robot has %zu",
                   (size - POSE_HEAD) / sizeof(double), nq);
  } else {
    memcpy(&time, bytes + 8, sizeof time);
    memcpy(q, bytes + POSE_HEAD, nq * sizeof *q);
    const limb_status status = isfinite(time) ? limb_kinematics(s->robot->data, q, NULL, NULL) : LIMB_E_NONFINITE;
    if (status != LIMB_OK) {
      (void)snprintf(s->refused, sizeof s->refused, "a pose arrived that is no configuration: %.100s",
                     limb_status_text(status));
      return;
    }
    memcpy(s->q, q, nq * sizeof *q);
    s->time = time;
    s->news = 1;
  }
}

static void read_poses(server* s)
{
  static unsigned char bytes[DATAGRAM_SPACE];
  for (int k = 0; k < 1000; k++) { // the newest of those that wait; more of them must not keep browsers waiting
    const ssize_t n = recv(s->poses, bytes, sizeof bytes, 0);
    if (n < 0) return;
    take_datagram(s, bytes, (size_t)n);
  }
}

static void pass_on(server* s)
{
  if (*s->refused && now() > s->complained + 1) {
    char text[240];
    (void)snprintf(text, sizeof text, "event: refused\ndata: \"%s\"\n\n", s->refused);
    send_event(s, text);
    s->complained = now();
  }
  if (!s->news) return;
  s->news = 0;
  size_t at = (size_t)snprintf(s->event, s->event_size, "event: pose\ndata: {\"time\":%.17g,\"q\":[", s->time);
  for (int i = 0; i < limb_nq(s->robot->model); i++)
    at += (size_t)snprintf(s->event + at, s->event_size - at, "%s%.17g", i > 0 ? "," : "", s->q[i]);
  (void)snprintf(s->event + at, s->event_size - at, "]}\n\n");
  send_event(s, s->event);
}

// ---- serving ---------------------------------------------------------------------------------------

static void serve_once(server* s)
{
  struct pollfd at[2 + CLIENTS_MAX] = {{.fd = s->listener, .events = POLLIN}, {.fd = s->poses, .events = POLLIN}};
  const int n = s->nclient;
  for (int i = 0; i < n; i++) {
    const client* c = s->client[i];
    at[2 + i] =
      (struct pollfd){.fd = c->socket, .events = (short)((c->silent ? 0 : POLLIN) | (has_more(c) ? POLLOUT : 0))};
  }
  // While poses come, one tick passes between two of them; Ctrl-C is noticed at once, others within a second.
  if (poll(at, (nfds_t)(2 + n), 1000) < 0) return;
  for (int i = 0; i < n; i++) {
    client* c = s->client[i];
    if (at[2 + i].revents & (POLLIN | POLLERR | POLLHUP)) read_request(s, c);
    if (has_more(c)) write_answer(c);
  }
  if (at[1].revents) read_poses(s);
  pass_on(s);
  drop_retired(s);
  if (at[0].revents & POLLIN) accept_client(s);
  if (at[1].revents) (void)nanosleep(&(struct timespec){.tv_nsec = TICK * 1000000L}, NULL);
}

static int make_page(const cli_args* args, server* s, limb_view_page* page)
{
  limb_error err = {0};
  FILE* out = open_memstream(&s->page, &s->page_size);
  if (!out) return cli_out_of_memory(args);
  const limb_status status = limb_view_page_write(page, out, &err);
  const int written = fclose(out) == 0;
  if (status == LIMB_OK && written) return EXIT_FINE;
  return status == LIMB_OK || status == LIMB_E_NOMEM ? cli_out_of_memory(args) : cli_usage(args, "%s", err.text);
}

int view_serve(const cli_args* args, const cli_robot* r, limb_view_page* page)
{
  const size_t nq = (size_t)limb_nq(r->model);
  server s = {.robot = r, .listener = -1, .poses = -1, .complained = -HUGE_VAL, .event_size = 100 + 32 * nq};
  s.q = calloc(2 * nq + 1, sizeof *s.q); // the newest pose, and the one that is examined
  s.event = malloc(s.event_size);
  int code = s.q && s.event ? make_page(args, &s, page) : cli_out_of_memory(args);
  if (code == EXIT_FINE) code = open_sockets(args, &s);
  if (code == EXIT_FINE) {
    cli_wait_for_signals();
    (void)printf("http://%s:%d/\n", "127.0.0.1", s.port);
    (void)fflush(stdout);
    (void)fprintf(stderr, "%s: open this address in a browser; poses are taken on port %d; Ctrl-C ends it\n",
                  cli_operand(args, 0), s.port);
    while (!cli_interrupted()) serve_once(&s);
  }
  for (int i = 0; i < s.nclient; i++) s.client[i]->retired = 1;
  drop_retired(&s);
  if (s.listener >= 0) (void)close(s.listener);
  if (s.poses >= 0) (void)close(s.poses);
  free(s.page);
  free(s.q);
  free(s.event);
  return code;
}
