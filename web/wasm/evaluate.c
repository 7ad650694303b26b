// Quantities by name, at one state.
#include "web.h"

#include <stdlib.h>

const char* web_quantities(web_robot* r)
{
  json* j = &r->text;
  json_clear(j);
  json_begin(j, "", '[');
  for (int i = 0; i < limb_quantity_count(); i++) {
    const limb_quantity_info* about = limb_get_quantity(i);
    json_begin(j, "", '{');
    json_text(j, "name", about->name);
    json_text(j, "group", about->group);
    json_text(j, "equation", about->equation);
    json_text(j, "meaning", about->meaning);
    json_text(j, "unit", about->unit);
    json_text(j, "robots", limb_robots_text(about->robots));
    json_end(j, '}');
  }
  json_end(j, ']');
  return json_done(j);
}

web_evaluator* web_evaluator_open(const web_robot* r, unsigned known, const double* gravity, int tree, int given_tau)
{
  web_evaluator* e = calloc(1, sizeof *e);
  if (!e) return NULL;
  e->env = limb_default_environment(r->model);
  if (gravity) e->env.gravity = (sp_vec3){gravity[0], gravity[1], gravity[2]};
  limb_evaluator_options options = limb_default_evaluator_options();
  if (known) options.known = known;
  options.tree = tree;
  options.tau_is_given = given_tau;
  options.env = &e->env;
  (void)web_fail(&e->failed, limb_evaluator_create(r->model, &options, NULL, &e->own));
  return e;
}

void web_evaluator_close(web_evaluator* e)
{
  if (!e) return;
  limb_evaluator_destroy(e->own);
  json_free(&e->text);
  free(e);
}

int web_evaluator_add(web_evaluator* e, const char* name)
{
  if (e->failed.status != LIMB_OK) return e->failed.status;
  return e->failed.status = limb_evaluator_add(e->own, name, NULL, NULL, &e->failed);
}

static void put_item(json* j, const limb_evaluator* e, int k)
{
  limb_item item;
  if (limb_evaluator_get(e, k, &item) != LIMB_OK) return;
  json_begin(j, "", '{');
  json_text(j, "name", item.name);
  json_text(j, "quantity", item.quantity->name);
  json_text(j, "unit", item.size > 0 ? limb_evaluator_unit(e, k, 0) : "");
  json_number(j, "offset", (double)item.offset);
  json_number(j, "size", (double)item.size);
  json_begin(j, "labels", '[');
  for (int axis = 0; axis < item.rank; axis++) {
    json_begin(j, "", '[');
    for (size_t i = 0; i < item.length[axis]; i++) json_text(j, "", limb_evaluator_label(e, k, axis, i));
    json_end(j, ']');
  }
  json_end(j, ']');
  json_end(j, '}');
}

const char* web_evaluator_describe(web_evaluator* e)
{
  json* j = &e->text;
  json_clear(j);
  json_begin(j, "", '{');
  web_put_error(j, &e->failed);
  json_number(j, "width", (double)limb_evaluator_width(e->own));
  json_number(j, "needs", limb_evaluator_needs(e->own));
  json_begin(j, "items", '[');
  for (int k = 0; k < limb_evaluator_count(e->own); k++) put_item(j, e->own, k);
  json_end(j, ']');
  json_end(j, '}');
  return json_done(j);
}

int web_evaluator_run(web_evaluator* e, const double* q, const double* v, const double* a, const double* tau,
                      double time, double* x)
{
  const limb_state state = {.q = q, .v = v, .a = a, .tau = tau, .time = time};
  const limb_status s = limb_evaluator_run(e->own, &state, x);
  (void)web_fail(&e->failed, s);
  limb_error detail = {0};
  if (s != LIMB_OK && limb_evaluator_failure(e->own, &detail) >= 0) e->failed = detail;
  return e->failed.status = s;
}

const char* web_evaluator_error(web_evaluator* e)
{
  json_clear(&e->text);
  json_begin(&e->text, "", '{');
  web_put_error(&e->text, &e->failed);
  json_end(&e->text, '}');
  return json_done(&e->text);
}
