// Meshes for display: any format as triangles, with its materials.
#include "limb/read.h"

#include "base/memory.h"
#include "base/status.h"
#include "io/files.h"
#include "io/mesh.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct owned {
  limb_triangles mesh; // first
  memory_pool pool;
} owned;

// Files that the mesh refers to lie in its folder.
static limb_status read(const char* text, size_t size, const char* path, size_t limit, memory_pool* pool,
                        limb_mesh* mesh, limb_error* err)
{
  limb_read_options read = limb_default_read_options();
  limb_files files;
  read.max_bytes = limit;
  if (!limb_files_begin(&files, path, &read, pool, NULL)) return LIMB_E_NOMEM;
  const mesh_options opt = {.files = &files, .path = path};
  return limb_mesh_read(text, size, limb_mesh_format_of_name(path), &opt, pool, mesh, err);
}

static limb_status load(const char* path, size_t limit, memory_pool* pool, limb_mesh* mesh, limb_error* err)
{
  const char* text = NULL;
  size_t size = 0;
  int large = 0;
  if (limb_mesh_format_of_name(path) == MESH_UNKNOWN)
    return limb_fail(err, LIMB_E_UNSUPPORTED, path, "the ending of the file is none of: " LIMB_MESH_FORMATS);
  FILE* stream = fopen(path, "rb");
  if (!stream) return limb_fail(err, LIMB_E_IO, path, "%s", limb_io_reason(errno));
  errno = 0;
  limb_status s = limb_load_stream(pool, stream, limit, &text, &size, &large);
  const int code = errno;
  (void)fclose(stream);
  if (s == LIMB_E_IO) return limb_fail(err, s, path, "%s", limb_io_reason(code));
  if (large) return limb_fail(err, LIMB_E_IO, path, "the file has more than %zu bytes", limit);
  if (s == LIMB_OK) s = read(text, size, path, limit, pool, mesh, err);
  return s == LIMB_E_NOMEM ? limb_fail(err, s, path, "out of memory") : s;
}

// A mesh without parts is one.
static int take(owned* o, const limb_mesh* m)
{
  limb_triangle_part* part = limb_mempool_alloc(&o->pool, sizeof *part);
  if (!part) return 0;
  *part = (limb_triangle_part){.count = m->nface, .name = ""};
  const int own = m->npart > 0;
  o->mesh = (limb_triangles){.nvertex = m->nvertex,
                             .ntriangle = m->nface,
                             .npart = own ? m->npart : 1,
                             .vertex = &m->vertex->x,
                             .triangle = m->nface > 0 ? m->face[0] : NULL,
                             .part = own ? m->part : part};
  return 1;
}

limb_status limb_read_triangles(const char* path, size_t max_bytes, limb_triangles** out, limb_error* err)
{
  if (out) *out = NULL;
  if (!path || !out) return limb_fail(err, LIMB_E_ARG, "mesh", "path or output is NULL");
  const limb_allocator a = limb_default_allocator();
  owned* o = limb_alloc(&a, sizeof *o);
  if (!o) return limb_fail(err, LIMB_E_NOMEM, path, "out of memory");
  limb_mesh m = {0};
  *o = (owned){.pool = limb_mempool_make(&a)};
  limb_status s = load(path, max_bytes ? max_bytes : (size_t)64 << 20, &o->pool, &m, err);
  if (s == LIMB_OK && !take(o, &m)) s = limb_fail(err, LIMB_E_NOMEM, path, "out of memory");
  if (s == LIMB_OK)
    *out = &o->mesh;
  else
    limb_triangles_destroy(&o->mesh);
  return s;
}

void limb_triangles_destroy(limb_triangles* mesh)
{
  if (!mesh) return;
  owned* o = (owned*)mesh;
  const limb_allocator a = o->pool.alloc;
  limb_mempool_free(&o->pool);
  limb_free(&a, o, sizeof *o);
}
