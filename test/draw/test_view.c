// Pages of the view and poses of running programs: arguments, motions, meshes. test/cli/test_cli_view.py has the tool's
// pages, web/test what they look like.
#define _POSIX_C_SOURCE 200809L // sockets, open_memstream, setenv

#include "limb/edit.h"
#include "limb/view.h"

#include "draw/view_mesh.h"
#include "draw/view_page.h"
#include "support/check.h"

#include <math.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char* html(void)
{
  static char path[1000];
  (void)snprintf(path, sizeof path, "%s/cli/limb-view.html", getenv("LIMB_TEST_DIR"));
  return path;
}

static limb_reading* read_robot(void)
{
  limb_reading* r = NULL;
  assert_ok(limb_read_robot("planar_2r", NULL, &r, NULL));
  return r;
}

static limb_view_page* open_page(limb_reading* r)
{
  limb_view_page* page = NULL;
  limb_view_page_options o = limb_default_view_page();
  o.html = html();
  o.reading = r;
  assert_ok(limb_view_page_create(limb_reading_builder(r), &o, &page, NULL));
  return page;
}

// ---- pages -----------------------------------------------------------------------------------------

START_TEST(pages_are_refused)
{
  limb_reading* r = read_robot();
  limb_view_page* page = NULL;
  limb_error err;
  limb_view_page_options o = limb_default_view_page();
  o.html = "nowhere.html";
  assert_status(limb_view_page_create(limb_reading_builder(r), &o, &page, &err), LIMB_E_IO);
  assert_that(page == NULL && strstr(err.text, "make web"));
  char other[1000];
  (void)snprintf(other, sizeof other, "%s/CMakeLists.txt", getenv("LIMB_TEST_DIR"));
  o.html = other;
  assert_status(limb_view_page_create(limb_reading_builder(r), &o, &page, &err), LIMB_E_SYNTAX);
  o.html = html();
  o.size = 1;
  assert_status(limb_view_page_create(limb_reading_builder(r), &o, &page, &err), LIMB_E_ARG);
  o.size = sizeof o;
  o.max_bytes = 1000;
  assert_status(limb_view_page_create(limb_reading_builder(r), &o, &page, &err), LIMB_E_ARG);
  assert_status(limb_view_page_create(NULL, NULL, &page, NULL), LIMB_E_ARG);
  assert_status(limb_view_page_write(NULL, stdout, NULL), LIMB_E_ARG);
  limb_view_page_destroy(NULL);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(rows_are_refused)
{
  limb_reading* r = read_robot();
  limb_view_page* page = open_page(r);
  const double q[] = {1, 2}, bad[] = {1, (double)NAN};
  limb_view_row row = {.time = 1, .q = q, .v = q};
  assert_status(limb_view_page_add(page, &row), LIMB_E_ORDER);
  assert_status(limb_view_page_motion(page, -1, 2, 0), LIMB_E_ARG);
  assert_ok(limb_view_page_motion(page, 2, 2, 0));
  assert_ok(limb_view_page_add(page, &row));
  assert_status(limb_view_page_motion(page, 2, 2, 0), LIMB_E_ORDER);
  row.time = 0.5;
  assert_status(limb_view_page_add(page, &row), LIMB_E_ARG);
  row.time = 2;
  row.v = NULL;
  assert_status(limb_view_page_add(page, &row), LIMB_E_ARG);
  row.v = bad;
  assert_status(limb_view_page_add(page, &row), LIMB_E_NONFINITE);
  row.v = q;
  assert_ok(limb_view_page_add(page, &row));
  assert_status(limb_view_page_event(page, (double)NAN, "x"), LIMB_E_ARG);
  for (int k = 0; k < 1100; k++) assert_ok(limb_view_page_event(page, k, "again"));
  assert_that(page->track.rows == 2 && page->nevent == 1000);
  limb_view_page_destroy(page);
  limb_reading_destroy(r);
}
END_TEST

// A million rows: thinned evenly, from the first to the last.
START_TEST(rows_are_thinned)
{
  limb_reading* r = read_robot();
  limb_view_page* page = open_page(r);
  const int rows = 1000001;
  assert_ok(limb_view_page_motion(page, 2, 2, 0));
  for (int i = 0; i < rows; i++) {
    const double q[] = {i, -i};
    assert_ok(limb_view_page_add(page, &(limb_view_row){.time = 1e-3 * i, .q = q, .v = q, .a = q, .tau = q}));
  }
  const view_track* t = &page->track;
  assert_that(t->rows > 20000 && t->rows * t->width * sizeof(double) <= 4 << 20);
  for (size_t i = 0; i < t->rows; i++) {
    assert_close(t->data[i * t->width + 1], (double)(i * t->stride), 0, 0);
    assert_close(t->data[i * t->width], 1e-3 * (double)(i * t->stride), 1e-12, 0);
  }
  const double last = t->has_last ? t->last[1] : t->data[(t->rows - 1) * t->width + 1];
  assert_close(last, rows - 1, 0, 0);
  limb_view_page_destroy(page);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(pages_hold_their_data)
{
  limb_reading* r = read_robot();
  limb_view_page* page = open_page(r);
  char* text = NULL;
  size_t size = 0;
  assert_ok(limb_view_page_event(page, 0.5, "</script> \"quoted\" \\ \n"));
  assert_ok(limb_view_page_motion(page, 2, 2, 1));
  const double q[] = {1, 2};
  const limb_view_force force = {{1, 2, 3}, {4, 5, 6}};
  assert_ok(limb_view_page_add(page, &(limb_view_row){.time = 0, .q = q, .forces = &force}));
  FILE* out = open_memstream(&text, &size);
  assert_ok(limb_view_page_write(page, out, NULL));
  assert_that(fclose(out) == 0);
  assert_that(strstr(text, "connect-src 'none'") && !strstr(text, "</script> \\\""));
  assert_that(strstr(text, "\\u003c/script> \\\"quoted\\\" \\\\ \\u000a"));
  assert_that(strstr(text, "\"force0\"") && strstr(text, "\"wrenches\":[{\"at\":\"at0\",\"force\":\"force0\"}]"));
  free(text);
  limb_view_page_destroy(page);
  limb_reading_destroy(r);
}
END_TEST

// ---- meshes ----------------------------------------------------------------------------------------

enum { SIDE = 60 };

// A wavy square as a reader returns it: each triangle with vertices of its own, in two colours.
static void wavy(limb_triangles* out, limb_triangle_part part[2])
{
  const int n = 6 * SIDE * SIDE;
  double* vertex = malloc((size_t)n * 3 * sizeof *vertex);
  int* triangle = malloc((size_t)n * sizeof *triangle);
  static const int corner[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
  for (int k = 0; k < n; k++) {
    const int cell = k / 6, x = cell % SIDE + corner[k % 6][0], y = cell / SIDE + corner[k % 6][1];
    vertex[3 * k] = x;
    vertex[3 * k + 1] = y;
    vertex[3 * k + 2] = sin(0.1 * x) * sin(0.1 * y);
    triangle[k] = k;
  }
  part[0] = (limb_triangle_part){.first = 0, .count = n / 6, .name = "", .has_color = 1, .color = {1, 0, 0, 1}};
  part[1] = (limb_triangle_part){.first = n / 6, .count = n / 6, .name = ""};
  *out = (limb_triangles){
    .nvertex = n, .ntriangle = n / 3, .npart = 2, .vertex = vertex, .triangle = triangle, .part = part};
}

START_TEST(meshes_are_welded_and_simplified)
{
  limb_triangles all;
  limb_triangle_part part[2];
  view_mesh m, small;
  wavy(&all, part);
  assert_ok(view_mesh_weld(&all, &m));
  assert_that(m.nvertex == (SIDE + 1) * (SIDE + 1) && m.ntriangle == 2 * SIDE * SIDE && m.npart == 2);
  for (int most = 2; most < m.ntriangle; most *= 3) {
    assert_ok(view_mesh_simplify(&m, most, &small));
    assert_that(small.ntriangle <= most && (most < 100 || small.ntriangle > most / 4));
    assert_that(small.part[0].count + small.part[1].count == small.ntriangle && small.part[0].has_color);
    for (int i = 0; i < small.nvertex && most > 100; i++) { // it lies on the surface, about
      const double* p = small.vertex[i];
      assert_that(p[0] >= -1 && p[0] <= SIDE + 1 && p[1] >= -1 && p[1] <= SIDE + 1);
      if (most > 600) assert_close(p[2], sin(0.1 * p[0]) * sin(0.1 * p[1]), 0, 0.1);
    }
    view_mesh_free(&small);
  }
  view_mesh_free(&m);
  free((void*)(uintptr_t)all.vertex);
  free((void*)(uintptr_t)all.triangle);
}
END_TEST

// Corners that are no numbers, points, lines, and nothing at all.
START_TEST(poor_meshes)
{
  const double vertex[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, (double)NAN, 0, 0, HUGE_VAL, 0, 0, 0, 0, -0.0};
  const int triangle[] = {0, 1, 2, 0, 1, 3, 0, 1, 4, 0, 0, 1, 0, 1, 5};
  const limb_triangles all = {.nvertex = 6, .ntriangle = 5, .vertex = vertex, .triangle = triangle};
  const limb_triangles none = {.nvertex = 0};
  const double far[] = {0, 0, 0, 1e30, 0, 0, 0, -1e30, 0, 0, 1.1e30, 0, 1e308, -1e308, 1e308};
  const int to[] = {0, 1, 2, 0, 1, 3, 4, 1, 2};
  const limb_triangles large = {.nvertex = 5, .ntriangle = 3, .vertex = far, .triangle = to};
  view_mesh m, small;
  view_packed packed;
  assert_ok(view_mesh_weld(&all, &m));
  assert_that(m.ntriangle == 1 && m.nvertex == 3 && m.npart == 1 && m.lost == 2);
  assert_ok(view_mesh_simplify(&m, 1, &small));
  assert_ok(view_mesh_pack(&small, &packed));
  free(packed.bytes);
  view_mesh_free(&small);
  view_mesh_free(&m);
  for (int k = 0; k < 2; k++) { // as large and as small as numbers can be
    assert_ok(view_mesh_weld(&large, &m));
    assert_that(m.ntriangle == 1 && m.lost == 2);
    for (int i = 0; k == 1 && i < m.nvertex; i++)
      for (int j = 0; j < 3; j++) m.vertex[i][j] *= 1e-305;
    assert_ok(view_mesh_simplify(&m, 1, &small));
    assert_ok(view_mesh_pack(&small, &packed));
    assert_that(packed.high[0] - packed.low[0] <= 1e30);
    free(packed.bytes);
    view_mesh_free(&small);
    view_mesh_free(&m);
  }
  assert_ok(view_mesh_weld(&none, &m));
  assert_ok(view_mesh_pack(&m, &packed));
  free(packed.bytes);
  view_mesh_free(&m);
}
END_TEST

// ---- live ------------------------------------------------------------------------------------------

static int open_viewer(int* port)
{
  struct sockaddr_in at = {.sin_family = AF_INET};
  socklen_t size = sizeof at;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int viewer = socket(AF_INET, SOCK_DGRAM, 0);
  assert_that(viewer >= 0 && bind(viewer, (const struct sockaddr*)&at, sizeof at) == 0);
  assert_that(getsockname(viewer, (struct sockaddr*)&at, &size) == 0);
  *port = ntohs(at.sin_port);
  return viewer;
}

START_TEST(poses_are_sent)
{
  limb_live_options o = limb_default_live();
  limb_live* live = NULL;
  const int viewer = open_viewer(&o.port);
  o.every = 0.01;
  assert_ok(limb_live_open(2, &o, &live, NULL));
  for (int k = 0; k <= 100; k++) limb_live_send(live, 1e-3 * k, (const double[]){k, -k});
  limb_live_send(live, 0, (const double[]){7, 7}); // a new run
  for (int k = 0; k <= 11; k++) {
    char text[8];
    double x[3];
    unsigned char bytes[100];
    assert_that(recv(viewer, bytes, sizeof bytes, 0) == 32);
    memcpy(text, bytes, 8);
    memcpy(x, bytes + 8, sizeof x);
    assert_that(memcmp(text, "limbpose", 8) == 0);
    assert_close(x[1], k <= 10 ? 10 * k : 7, 0, 0);
    assert_close(x[0], k <= 10 ? 1e-2 * k : 0, 0, 1e-9);
  }
  limb_live_close(live);
  (void)close(viewer);
}
END_TEST

START_TEST(live_is_refused)
{
  limb_live_options o = limb_default_live();
  limb_live* live = NULL;
  assert_status(limb_live_open(0, NULL, &live, NULL), LIMB_E_ARG);
  assert_status(limb_live_open(8001, NULL, &live, NULL), LIMB_E_ARG);
  assert_status(limb_live_open(2, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_live_open(2, &(limb_live_options){.size = 8}, &live, NULL), LIMB_E_ARG);
  o.port = 0;
  assert_status(limb_live_open(2, &o, &live, NULL), LIMB_E_ARG);
  o = limb_default_live();
  o.every = (double)NAN;
  assert_status(limb_live_open(2, &o, &live, NULL), LIMB_E_ARG);
  limb_live_send(NULL, 0, NULL);
  limb_live_close(NULL);
}
END_TEST

CHECK_MAIN("view", 1, pages_are_refused, rows_are_refused, rows_are_thinned, pages_hold_their_data,
           meshes_are_welded_and_simplified, poor_meshes, poses_are_sent, live_is_refused)
