// The model that the cases of a study share, and a hash of all that its results depend on.
#include "run/sweep_impl.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what the results depend on ---------------------------------------------------------------------------

// FNV-1a with 64 bits, twice.
typedef struct hasher {
  uint64_t a, b;
} hasher;

static void hash_bytes(hasher* h, const void* bytes, size_t size)
{
  const unsigned char* c = bytes;
  for (size_t i = 0; i < size; i++) {
    h->a = (h->a ^ c[i]) * 0x100000001b3U;
    h->b = (h->b ^ c[i] ^ 0x55U) * 0x100000001b3U;
  }
}

static void hash_text(void* h, const char* text) { hash_bytes(h, text, strlen(text)); }

// A file that cannot be read is an error of who needs it.
static void hash_file(hasher* h, const char* path)
{
  char bytes[4096];
  FILE* f = path ? fopen(path, "rb") : NULL;
  size_t n = 0;
  while (f && (n = fread(bytes, 1, sizeof bytes, f)) > 0) hash_bytes(h, bytes, n);
  if (f) (void)fclose(f);
}

static void hash_input(const limb_sweep* s, hasher* h, const limb_run_value* at)
{
  char path[4096];
  if (!at->text || limb_run_path(s->run_path, at, path, sizeof path) >= sizeof path) return;
  hash_file(h, path);
}

static void hash_attached(const limb_sweep* s, hasher* h, const limb_run_value* at)
{
  char name[1024];
  (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(at->text, ":"), at->text);
  const limb_run_value file = {name, at->key, at->name, at->line, at->column};
  hash_input(s, h, &file);
}

// The files that cases name: models, tables, whatever a word that varies is part of.
static limb_status hash_target(const limb_sweep* s, hasher* h, const limb_study_vary* v, const limb_study_target* t)
{
  char* text = malloc(t->size);
  if (!text) return LIMB_E_NOMEM;
  for (int i = 0; i < v->values.count; i++) {
    limb_sweep_fill(t, v->values.value[i].text, text);
    const limb_run_value file = {text, t->as.key, t->as.name, t->as.line, t->as.column};
    if (strncmp(t->as.name, "model.attach", 12) == 0)
      hash_attached(s, h, &file);
    else
      hash_input(s, h, &file);
  }
  free(text);
  return LIMB_OK;
}

static limb_status hash_words(const limb_sweep* s, hasher* h)
{
  limb_status status = LIMB_OK;
  for (int i = 0; i < s->study->nvary; i++) {
    const limb_study_vary* v = &s->study->vary[i];
    if (v->kind != LIMB_STUDY_LIST && v->kind != LIMB_STUDY_CHOOSE) continue;
    for (int k = 0; k < v->ntarget && status == LIMB_OK; k++) status = hash_target(s, h, v, &v->target[k]);
  }
  return status;
}

static limb_status make_hash(limb_sweep* s, limb_model* model)
{
  const limb_run* run = s->run;
  hasher h = {0xcbf29ce484222325U, 0x84222325cbf29ce4U};
  const uint32_t version = limb_version();
  limb_builder* b = NULL;
  hash_bytes(&h, &version, sizeof version);
  hash_file(&h, s->path);
  hash_file(&h, s->study->run_path);
  if (model && limb_builder_from_model(model, NULL, &b) == LIMB_OK)
    (void)!limb_write(b, LIMB_FORMAT_YAML, hash_text, &h, NULL, NULL);
  limb_builder_destroy(b);
  if (!model) hash_input(s, &h, &run->model.name);
  const limb_status status = hash_words(s, &h);
  for (int i = 0; i < run->model.attach.count; i++) hash_attached(s, &h, &run->model.attach.value[i]);
  hash_input(s, &h, &run->start.file);
  hash_input(s, &h, &run->controller.file);
  for (int i = 0; i < run->inputs.ntable; i++) hash_input(s, &h, &run->inputs.table[i].file);
  for (int i = 0; i < run->inputs.nmotion; i++) hash_input(s, &h, &run->inputs.motion[i].file);
  (void)snprintf(s->shared.hash, sizeof s->shared.hash, "%016llx%016llx", (unsigned long long)h.a,
                 (unsigned long long)h.b);
  return status;
}

// ---- the model that cases share ---------------------------------------------------------------------------

// What of the model varies: nothing, how it is changed, or which it is.
typedef enum model_variation { MODEL_SAME, MODEL_CHANGED, MODEL_OTHER } model_variation;

// What limb_run_change_model does to a robot that was read; all else of a model is how it is read.
static bool is_change(const char* path)
{
  static const char* const changes[] = {"model.attach", "model.parameters.", "model.root", "model.lock",
                                        "model.payload"};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
    if (strncmp(path, changes[i], strlen(changes[i])) == 0) return true;
  return false;
}

static model_variation variation(const limb_study* t)
{
  model_variation found = MODEL_SAME;
  for (int i = 0; i < t->nvary; i++)
    for (int k = 0; k < t->vary[i].ntarget; k++) {
      const char* path = t->vary[i].target[k].as.name;
      if (strncmp(path, "model", 5) != 0 || (path[5] != '.' && path[5] != '\0')) continue;
      if (!is_change(path)) return MODEL_OTHER;
      found = MODEL_CHANGED;
    }
  return found;
}

static limb_status read_robot(limb_sweep* s, limb_reading** out, limb_error* err)
{
  const limb_run_value* name = &s->run->model.name;
  limb_read_options opt = s->read;
  limb_robot_info info;
  char path[4096];
  limb_status status = limb_run_model_options(s->run, &opt, err);
  if (status != LIMB_OK) return status;
  for (int i = 0; limb_get_robot(i, &info) == LIMB_OK; i++)
    if (strcmp(info.name, name->text) == 0) return limb_read_robot(name->text, &opt, out, err);
  if (limb_run_path(s->run_path, name, path, sizeof path) >= sizeof path)
    return limb_run_wrong(err, name, "the path is too long");
  limb_error why = {0};
  status = limb_read(path, &opt, out, &why);
  if (status == LIMB_OK) return status;
  char line[LIMB_ERROR_LINE];
  (void)limb_run_wrong(err, name, "%.200s", limb_error_line(path, &why, line));
  if (err) err->status = status;
  return status;
}

static limb_status change_and_build(limb_sweep* s, limb_builder* b, limb_model** out, limb_error* err)
{
  const limb_status status = limb_run_change_model(s->run, s->run_path, &s->read, b, err);
  return status == LIMB_OK ? limb_builder_build(b, out, err) : status;
}

limb_status limb_sweep_open_model(limb_sweep* s, limb_model** own, const limb_model** out, limb_error* err)
{
  const sweep_shared* shared = s->owner ? &s->owner->shared : &s->shared;
  limb_builder* b = NULL;
  limb_status status;
  *own = NULL;
  *out = shared->model;
  if (*out) return LIMB_OK;
  if (shared->base) {
    status = limb_builder_from_model(shared->base, NULL, &b);
    if (status == LIMB_OK) status = change_and_build(s, b, own, err);
    limb_builder_destroy(b);
  } else {
    limb_reading_destroy(s->own_robot);
    s->own_robot = NULL;
    status = read_robot(s, &s->own_robot, err);
    if (status == LIMB_OK) status = change_and_build(s, limb_reading_builder(s->own_robot), own, err);
  }
  *out = *own;
  return status;
}

limb_status limb_sweep_open_shared(limb_sweep* s, limb_error* err)
{
  const model_variation varies = variation(s->study);
  limb_status status = LIMB_OK;
  if (varies != MODEL_OTHER) status = read_robot(s, &s->shared.robot, err);
  if (status == LIMB_OK && varies == MODEL_SAME)
    status = change_and_build(s, limb_reading_builder(s->shared.robot), &s->shared.model, err);
  if (status == LIMB_OK && varies == MODEL_CHANGED)
    status = limb_builder_build(limb_reading_builder(s->shared.robot), &s->shared.base, err);
  return status == LIMB_OK ? make_hash(s, s->shared.model ? s->shared.model : s->shared.base) : status;
}
