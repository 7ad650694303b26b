// What a robot looks like: its shapes, and the triangles of mesh files.
#include "limb/edit.h"

#include "web.h"

#include <stdlib.h>

static const int extents[] = {
#define LIMB_X(name, value, text, count) [value] = (count),
  LIMB_SHAPE_LIST(LIMB_X)
#undef LIMB_X
};

static void put_shape(json* j, const limb_shape_def* def, int collision)
{
  const sp_pose* x = &def->pose;
  const int is_mesh = def->type == LIMB_SHAPE_MESH;
  json_begin(j, "", '{');
  json_text(j, "name", def->name ? def->name : "");
  json_number(j, "body", def->body);
  json_text(j, "kind", limb_shape_type_name(def->type));
  json_begin(j, "pose", '{');
  json_numbers(j, "p", 3, (double[]){x->p.x, x->p.y, x->p.z});
  json_numbers(j, "R", 9, x->R.m);
  json_end(j, '}');
  json_numbers(j, is_mesh ? "scale" : "size", (size_t)extents[def->type], def->extent);
  if (is_mesh) json_text(j, "file", def->mesh);
  if (is_mesh) json_text(j, "path", def->path && *def->path ? def->path : NULL);
  if (def->has_color && !collision)
    json_numbers(j, "colour", 4, def->color);
  else
    json_text(j, "colour", NULL);
  json_number(j, "collision", collision);
  json_end(j, '}');
}

void web_put_shapes(json* j, limb_reading* reading)
{
  limb_shape_def def;
  const limb_builder* b = limb_reading_builder(reading);
  json_begin(j, "shapes", '[');
  for (int i = 0; i < limb_builder_shape_count(b); i++) {
    if (limb_builder_get_shape(b, i, &def) != LIMB_OK) continue;
    if (def.use & LIMB_SHAPE_VISUAL) put_shape(j, &def, 0);
    if (def.use & LIMB_SHAPE_COLLISION) put_shape(j, &def, 1);
  }
  json_end(j, ']');
}

struct web_mesh {
  limb_triangles* own;
  limb_error failed;
  json text;
};

web_mesh* web_mesh_open(const char* path)
{
  web_mesh* m = calloc(1, sizeof *m);
  if (!m) return NULL;
  const limb_status s = limb_read_triangles(path, 0, &m->own, &m->failed);
  if (s != LIMB_OK && m->failed.status == LIMB_OK) (void)web_fail(&m->failed, s);
  return m;
}

void web_mesh_close(web_mesh* m)
{
  if (!m) return;
  limb_triangles_destroy(m->own);
  json_free(&m->text);
  free(m);
}

const char* web_mesh_describe(web_mesh* m)
{
  json* j = &m->text;
  json_clear(j);
  json_begin(j, "", '{');
  web_put_error(j, &m->failed);
  json_number(j, "vertices", m->own ? m->own->nvertex : 0);
  json_number(j, "triangles", m->own ? m->own->ntriangle : 0);
  json_begin(j, "parts", '[');
  for (int k = 0; m->own && k < m->own->npart; k++) {
    const limb_triangle_part* part = &m->own->part[k];
    json_begin(j, "", '{');
    json_number(j, "first", part->first);
    json_number(j, "count", part->count);
    if (part->has_color)
      json_numbers(j, "colour", 4, part->color);
    else
      json_text(j, "colour", NULL);
    json_end(j, '}');
  }
  json_end(j, ']');
  json_end(j, '}');
  return json_done(j);
}

const double* web_mesh_vertices(const web_mesh* m) { return m->own->vertex; }

const int* web_mesh_triangles(const web_mesh* m) { return m->own->triangle; }
