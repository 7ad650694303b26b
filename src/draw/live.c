// Poses of a running program, one datagram each, to `limb view --serve` (limb/view.h).
#define _POSIX_C_SOURCE 200809L // sockets
#include "limb/view.h"

#include "base/status.h"

#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEAD = 16, NUMBERS_MAX = 8000, LAST_PORT = 65535 };

struct limb_live {
  int socket, nq;
  double every, next; // the time from which on a pose is due
  double last;
  unsigned char message[];
};

limb_live_options limb_default_live(void)
{
  return (limb_live_options){.size = sizeof(limb_live_options), .port = LIMB_LIVE_PORT, .every = 1.0 / 60};
}

limb_status limb_live_open(int nq, const limb_live_options* options, limb_live** out, limb_error* err)
{
  limb_live_options o = limb_default_live();
  if (!out) return limb_fail(err, LIMB_E_ARG, "", "NULL");
  *out = NULL;
  const limb_status read = options ? limb_sized_read(&o, sizeof o, options, sizeof o) : LIMB_OK;
  if (read != LIMB_OK) return limb_fail(err, read, "", "options that are not of limb_default_live()");
  if (nq < 1 || nq > NUMBERS_MAX) return limb_fail(err, LIMB_E_ARG, "", "nq is not from 1 to %d", NUMBERS_MAX);
  if (o.port < 1 || o.port > LAST_PORT)
    return limb_fail(err, LIMB_E_ARG, "", "the port is not from 1 to %d", LAST_PORT);
  if (!(o.every >= 0)) return limb_fail(err, LIMB_E_ARG, "", "the time between two poses is negative");
  limb_live* live = calloc(1, sizeof *live + HEAD + (size_t)nq * sizeof(double));
  if (!live) return limb_fail(err, LIMB_E_NOMEM, "", "out of memory");
  *live = (limb_live){.nq = nq, .every = o.every, .next = -HUGE_VAL, .last = -HUGE_VAL};
  memcpy(live->message, "limbpose", 8);
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)o.port)};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  live->socket = socket(AF_INET, SOCK_DGRAM, 0);
  if (live->socket < 0 || connect(live->socket, (const struct sockaddr*)&to, sizeof to) != 0) {
    const int cause = errno;
    limb_live_close(live);
    return limb_fail(err, LIMB_E_IO, "", "no socket: %s", strerror(cause));
  }
  *out = live;
  return LIMB_OK;
}

void limb_live_send(limb_live* live, double time, const double* q)
{
  if (!live || !q) return;
  if (time >= live->last && time < live->next) { // a time before the last one is a new run
    live->last = time;
    return;
  }
  const int cause = errno;
  live->last = time;
  live->next = time + (1 - 1e-6) * live->every; // times are rounded
  memcpy(live->message + 8, &time, sizeof time);
  memcpy(live->message + HEAD, q, (size_t)live->nq * sizeof *q);
  // Nobody listens, or the queue is full: the pose is lost, and the next one is newer.
  (void)!send(live->socket, live->message, HEAD + (size_t)live->nq * sizeof *q, MSG_DONTWAIT | MSG_NOSIGNAL);
  errno = cause;
}

void limb_live_close(limb_live* live)
{
  if (!live) return;
  if (live->socket >= 0) (void)close(live->socket);
  free(live);
}
