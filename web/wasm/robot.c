// Robots of the page: reading, moving.
#include "web.h"

#include <stdio.h>
#include <stdlib.h>

limb_status web_fail(limb_error* err, limb_status s)
{
  *err = (limb_error){.status = s};
  if (s != LIMB_OK) (void)snprintf(err->text, sizeof err->text, "%s", limb_status_text(s));
  return s;
}

void web_put_error(json* j, const limb_error* err)
{
  if (err->status == LIMB_OK) {
    json_text(j, "error", NULL);
    return;
  }
  json_begin(j, "error", '{');
  json_text(j, "status", limb_status_text(err->status));
  json_number(j, "line", err->line);
  json_number(j, "column", err->column);
  json_text(j, "where", err->where);
  json_text(j, "text", err->text);
  json_end(j, '}');
}

const char* web_robots(void)
{
  static json j;
  json_clear(&j);
  json_begin(&j, "", '[');
  for (int i = 0; i < limb_robot_count(); i++) {
    limb_robot_info about;
    if (limb_get_robot(i, &about) != LIMB_OK) continue;
    json_begin(&j, "", '{');
    json_text(&j, "name", about.name);
    json_text(&j, "title", about.title);
    json_text(&j, "origin", about.origin);
    json_text(&j, "text", about.text);
    json_end(&j, '}');
  }
  json_end(&j, ']');
  return json_done(&j);
}

limb_read_options web_read_options(const web_reading_options* how)
{
  limb_read_options opt = limb_default_read_options();
  opt.format = (limb_format)how->format;
  opt.base = (limb_base)how->base;
  opt.no_mimic = how->no_mimic;
  opt.package_path = how->packages;
  opt.xacro_arguments = how->xacro_arguments;
  opt.shapes = how->shapes;
  return opt;
}

// Reads, has the doctor look, builds.
static limb_status open_robot(web_robot* r, const char* source, const web_reading_options* how)
{
  const limb_read_options opt = web_read_options(how);
  limb_status s = limb_read(source, &opt, &r->reading, &r->failed);
  if (s != LIMB_OK) return s;
  if (how->doctor) {
    s = limb_check(r->reading, &r->failed);
    if (s == LIMB_OK) s = limb_check_loops(r->reading, &r->failed);
    if (s != LIMB_OK) return s;
  }
  s = limb_builder_build(limb_reading_builder(r->reading), &r->model, &r->failed);
  if (s != LIMB_OK) return s;
  s = limb_data_create(r->model, NULL, &r->data);
  if (s == LIMB_OK) s = limb_dofs_create(r->model, NULL, &r->dofs);
  return web_fail(&r->failed, s);
}

web_robot* web_open(const char* source, const web_reading_options* how)
{
  web_robot* r = calloc(1, sizeof *r);
  if (!r) return NULL;
  const limb_status s = open_robot(r, source, how);
  if (s != LIMB_OK && r->failed.status == LIMB_OK) (void)web_fail(&r->failed, s);
  return r;
}

void web_close(web_robot* r)
{
  if (!r) return;
  limb_dofs_destroy(r->dofs);
  limb_data_destroy(r->data);
  limb_model_destroy(r->model);
  limb_reading_destroy(r->reading);
  json_free(&r->text);
  free(r);
}

const char* web_error(web_robot* r)
{
  json_clear(&r->text);
  json_begin(&r->text, "", '{');
  web_put_error(&r->text, &r->failed);
  json_end(&r->text, '}');
  return json_done(&r->text);
}

int web_start(web_robot* r, double* q)
{
  limb_assembly options = limb_default_assembly();
  options.restarts = 20; // as limb_check_loops
  limb_status s = limb_start(r->model, q);
  if (s == LIMB_OK && limb_loop_count(r->model) > 0) s = limb_assemble(r->data, &options, q, NULL);
  return web_fail(&r->failed, s);
}

int web_named_pose(web_robot* r, int index, double* q)
{
  limb_named_pose pose;
  limb_status s = limb_reading_get_pose(r->reading, index, &pose);
  if (s == LIMB_OK) s = limb_start(r->model, q);
  if (s == LIMB_OK) s = limb_run_take_pose(r->reading, pose.name, r->model, q, NULL, &r->failed);
  if (s == LIMB_OK && limb_loop_count(r->model) > 0) s = limb_assemble(r->data, NULL, q, NULL);
  return web_fail(&r->failed, s);
}

int web_poses(web_robot* r, const double* q, double* x)
{
  limb_status s = limb_kinematics(r->data, q, NULL, NULL);
  for (int i = 0; s == LIMB_OK && i < limb_body_count(r->model); i++) {
    sp_pose pose;
    s = limb_frame_pose(r->data, i, &pose);
    for (int k = 0; k < 9; k++) x[12 * i + k] = pose.R.m[k];
    x[12 * i + 9] = pose.p.x;
    x[12 * i + 10] = pose.p.y;
    x[12 * i + 11] = pose.p.z;
  }
  return web_fail(&r->failed, s);
}

// The coordinate that belongs to a velocity of a joint with as many of both; -1: there is none.
static int coordinate_of(const web_robot* r, int k)
{
  const limb_dof_info* v = limb_get_velocity(r->dofs, k);
  limb_joint_info joint;
  if (!v || limb_get_joint(r->model, v->joint, &joint) != LIMB_OK || joint.nq != joint.nv) return -1;
  return joint.q + v->index;
}

int web_move(web_robot* r, int k, double position, double* q)
{
  const int at = coordinate_of(r, k), nv = limb_nv(r->model), nq = limb_nq(r->model);
  if (at < 0) return web_fail(&r->failed, LIMB_E_ARG);
  if (limb_loop_count(r->model) == 0) {
    q[at] = position;
    return web_fail(&r->failed, LIMB_OK);
  }
  unsigned char* held = calloc((size_t)nv + 1, 1);
  double* goal = calloc((size_t)nq + 1, sizeof *goal);
  limb_status s = held && goal ? LIMB_OK : LIMB_E_NOMEM;
  if (s == LIMB_OK) {
    for (int i = 0; i < nq; i++) goal[i] = q[i];
    goal[at] = position;
    held[k] = 1;
    s = limb_follow_branch(r->data, goal, held, NULL, q);
  }
  free(goal);
  free(held);
  return web_fail(&r->failed, s);
}
