// Any bytes as a mesh, in each format: an error with a reason, or triangles between vertices that exist, with finite
// mass properties and a hull.
#include "limb/base.h"

#include "base/memory.h"
#include "io/mesh.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void expect(int condition, const char* what)
{
  if (condition) return;
  (void)fprintf(stderr, "%s\n", what);
  abort();
}

static void examine(limb_mesh* m, memory_pool* pool)
{
  mesh_edges edges;
  limb_mesh hull;
  double size = 0;
  for (int i = 0; i < m->nvertex; i++) {
    const double length = sp_norm3(m->vertex[i]);
    size = fmax(size, length);
  }
  int parts = 0;
  for (int i = 0; i < m->npart; i++) {
    expect(m->part[i].first == parts && m->part[i].count > 0, "parts are not in order");
    parts += m->part[i].count;
  }
  expect(m->npart == 0 || parts == m->nface, "parts are not the whole");
  for (int i = 0; i < m->nface; i++) {
    for (int k = 0; k < 3; k++) expect(m->face[i][k] >= 0 && m->face[i][k] < m->nvertex, "a face without its vertex");
  }
  expect(limb_mesh_weld(m, pool) && limb_mesh_count_edges(m, pool, &edges), "memory");
  for (mesh_filling filling = MESH_SOLID; filling <= MESH_SHELL && size < 1e50; filling++) {
    const sp_inertia Y = limb_mesh_inertia(m, filling);
    expect(isfinite(Y.mass) && (filling == MESH_SOLID || Y.mass >= 0), "mass");
  }
  const limb_status status = limb_mesh_hull(m, pool, &hull);
  expect(status == LIMB_OK || status == LIMB_E_SINGULAR, "hull");
  if (status == LIMB_OK && size < 1e50) {
    const double volume = limb_mesh_inertia(&hull, MESH_SOLID).mass;
    if (volume < -1e-9 * size * size * size) (void)fprintf(stderr, "volume %g, size %g\n", volume, size);
    expect(volume >= -1e-9 * size * size * size, "a hull inside out"); // a slice is thinner than rounding
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  const limb_allocator a = limb_default_allocator();
  for (mesh_format format = MESH_STL; format < MESH_FORMATS; format++) {
    memory_pool pool = limb_mempool_make(&a);
    limb_mesh m;
    limb_error err = {0};
    const mesh_options opt = {.by_mujoco = size % 2};
    const limb_status status = limb_mesh_read((const char*)data, size, format, &opt, &pool, &m, &err);
    expect((status == LIMB_OK) == (err.text[0] == 0), "refused without a reason, or in spite of one");
    if (status == LIMB_OK) examine(&m, &pool);
    limb_mempool_free(&pool);
  }
  return 0;
}
