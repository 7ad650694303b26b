// limb YAML: shapes, for display and for writers: {body: forearm, cylinder: [0.05, 0.3], xyz: [0, 0, 0.15]}.
#include "io/read_yaml.h"

#include <string.h>

#define LIMB_X(name, value, text, count) " " text
static const char types[] = "" LIMB_SHAPE_LIST(LIMB_X); // limb_shape_type
static const char keys[] = "name body use scale color texture " YAML_POSE_KEYS LIMB_SHAPE_LIST(LIMB_X);
#undef LIMB_X
#define LIMB_X(name, value, text, count) count,
static const int counts[] = {LIMB_SHAPE_LIST(LIMB_X)};
#undef LIMB_X

// The type of the shape with its lengths, or the file of its mesh. 0 after an error.
static int read_geometry(yaml_reader* r, const yml_node* map, limb_shape_def* def)
{
  const yml_node *n = limb_yml_one_of(&r->report, map, types + 1), *scale = limb_yml_get(map, "scale");
  if (!n) {
    limb_report_error(&r->report, RULE_MISSING_KEY, map->pos, "a shape is one of:%s", types);
    return 0;
  }
  const int type = limb_find_word(types + 1, n->key, strlen(n->key));
  *def = limb_default_shape_def((limb_shape_type)type, 0);
  if (def->type == LIMB_SHAPE_MESH) {
    if (scale && !limb_yml_numbers(&r->report, scale, 3, def->extent)) return 0;
    return limb_yml_text(&r->report, n, &def->mesh);
  }
  if (counts[type] == 1) return limb_yml_quantity(&r->report, n, "m", def->extent);
  return limb_yml_quantities(&r->report, n, counts[type], "m", def->extent);
}

void limb_yaml_shape(yaml_reader* r, const yml_node* n)
{
  const limb_source* src = r->src;
  const char *name, *body = "";
  limb_shape_def def;
  int use = 0;
  r->report.about = (limb_subject){"shape", NULL};
  if (!limb_yml_is(&r->report, n, YML_MAP)) return;
  limb_yml_check_keys(&r->report, n, keys);
  if (!limb_yml_text(&r->report, limb_yml_need(&r->report, n, "body"), &body) || !read_geometry(r, n, &def)) return;
  if (limb_yml_text(&r->report, limb_yml_get(n, "name"), &name)) def.name = name;
  (void)limb_yaml_pose(r, n, &def.pose);
  (void)limb_yml_text(&r->report, limb_yml_get(n, "texture"), &def.texture);
  def.has_color = limb_yml_numbers(&r->report, limb_yml_get(n, "color"), 4, def.color);
  if (limb_yml_choice(&r->report, limb_yml_get(n, "use"), "visual collision both", &use)) def.use = (unsigned)use + 1;
  const int at = limb_names_find(&r->body_names, body, limb_raw_body_name, r->raw);
  if (at < 0 && strcmp(body, "world") != 0) {
    limb_report_error(&r->report, RULE_UNDEFINED_BODY, n->pos, "there is no body '%.60s'", body);
    return;
  }
  const char* from = src->files->source ? src->files->source : src->name;
  r->out_of_memory |= !limb_raw_add_shape(r->raw, at, &def, src->files, from, n->pos);
}
