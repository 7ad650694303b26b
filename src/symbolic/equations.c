// Equations of motion as text: options, and the steps from the model to the document.
#include "limb/equations.h"

#include "symbolic/equations_impl.h"
#include "symbolic/words.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/status.h"

#include <stddef.h>
#include <string.h>

static const char* const names[WHATS] = {"M", "C", "g", "h", "tau", "Psi"};

// ---- options ----------------------------------------------------------------------------------------------

static limb_status too_large(const limb_equations* x, unsigned what)
{
  const char* less = what & ~(1U << WHAT_G) ? "; g alone may fit" : "";
  return limb_fail(x->error, LIMB_E_UNSUPPORTED, x->m->name,
                   "an entry has more than %d terms: too large to be read%s; `limb codegen` writes "
                   "functions for robots of any size",
                   x->options.most, less);
}

static const char* name_at(const void* context, int i)
{
  (void)context;
  return names[i];
}

static limb_status unknown(const char* word, limb_error* error)
{
  if (!*word)
    return limb_fail(error, LIMB_E_ARG, "what",
                     "an empty word: M, C, g, h, tau and Psi can be written, commas between them");
  const char* near = limb_nearest(word, WHATS, name_at, NULL);
  if (near) return limb_fail(error, LIMB_E_ARG, "what", "no quantity is called '%s'; '%s' is", word, near);
  return limb_fail(error, LIMB_E_ARG, "what", "no quantity is called '%s': M, C, g, h, tau and Psi can be written",
                   word);
}

// Adds the quantity of this name to what is asked for.
static limb_status read_word(const limb_model* m, const char* word, unsigned* what, limb_error* error)
{
  int k = 0;
  while (k < WHATS && strcmp(names[k], word) != 0) k++;
  if (k == WHATS) return unknown(word, error);
  if (limb_asks(*what, k)) return limb_fail(error, LIMB_E_ARG, "what", "'%s' is there twice", word);
  if (k == WHAT_PSI && !m->nloop)
    return limb_fail(error, LIMB_E_ARG, "what", "there is no Psi: the robot has no loops");
  *what |= 1U << k;
  return LIMB_OK;
}

// The quantities that are asked for, one bit each.
static limb_status read_what(const limb_model* m, const char* list, unsigned* what, limb_error* error)
{
  *what = 1U << WHAT_M | 1U << WHAT_C | 1U << WHAT_G | (m->nloop ? 1U << WHAT_PSI : 0);
  if (!list) return LIMB_OK;
  *what = 0;
  limb_status s = LIMB_OK;
  while (list && s == LIMB_OK) {
    char word[40];
    list = limb_next_word(list, word, sizeof word);
    s = read_word(m, word, what, error);
  }
  return s;
}

static limb_status read_options(const limb_equation_options* given, limb_equation_options* out, limb_error* error)
{
  *out = limb_default_equation_options();
  if (given) {
    const limb_status s = limb_sized_read(out, sizeof *out, given, sizeof *out);
    if (s != LIMB_OK) return limb_fail(error, s, "options", "these options are not those of this library");
  }
  if ((unsigned)out->notation > LIMB_NOTATION_C)
    return limb_fail(error, LIMB_E_ARG, "notation", "there is no such notation");
  if (out->most < 1 || out->most > 100000)
    return limb_fail(error, LIMB_E_ARG, "most", "from 1 to 100000 terms an entry");
  return LIMB_OK;
}

static limb_status check_joints(const limb_model* m, limb_error* error)
{
  for (int i = 0; i < m->nlink; i++) {
    if (m->link[i].joint_class < CLASS_BALL) continue;
    return limb_fail(error, LIMB_E_UNSUPPORTED, m->joint[m->link[i].joint].def.name,
                     "equations of ball and free joints are not written: their coordinates are no "
                     "angles; `limb codegen` writes functions for them");
  }
  if (m->nv > 0) return LIMB_OK;
  return limb_fail(error, LIMB_E_UNSUPPORTED, m->name, "nothing moves: there are no equations");
}

// ---- steps ------------------------------------------------------------------------------------------------

static limb_status tidy(limb_equations* x, limb_poly* A, int n)
{
  for (int i = 0; i < n; i++) {
    if (A[i].count > 2 * x->options.most) return LIMB_E_UNSUPPORTED; // two at most become one
    A[i] = limb_equations_tidy(x, A[i]);
    if (A[i].count > x->options.most) return LIMB_E_UNSUPPORTED;
  }
  return limb_ring_status(x->ring);
}

static limb_status tidy_all(limb_equations* x)
{
  const int n = x->nv;
  limb_status s = tidy(x, x->M, n * n);
  if (s == LIMB_OK) s = tidy(x, x->C, n * n);
  if (s == LIMB_OK) s = tidy(x, x->Cv, n);
  if (s == LIMB_OK) s = tidy(x, x->g, n);
  if (s == LIMB_OK) s = tidy(x, x->lost, n);
  return s == LIMB_OK ? tidy(x, x->Psi, x->nrow * n) : s;
}

// Names for the parameters that occur.
static limb_status name_symbols(limb_equations* x, unsigned what)
{
  bool* marks = limb_ring_take(x->ring, (size_t)limb_ring_count(x->ring), sizeof *marks);
  if (!marks) return LIMB_E_NOMEM;
  limb_equations_mark(x, what, marks);
  for (int v = 0; v < x->parameters.count; v++) x->parameters.list[v].used = marks[v];
  limb_parameters_name(&x->parameters);
  return LIMB_OK;
}

static limb_status write(limb_equations* x, unsigned what, limb_text_fn* text, void* context)
{
  limb_text t = {.alloc = x->program->alloc};
  switch (x->options.notation) {
  case LIMB_NOTATION_LATEX: limb_equations_document_latex(x, &t, what); break;
  case LIMB_NOTATION_C: limb_equations_document_c(x, &t, what); break;
  default: limb_equations_document(x, &t, what); break;
  }
  const bool fine = !t.failed && limb_ring_status(x->ring) == LIMB_OK;
  if (fine) text(context, t.at);
  limb_text_end(&t);
  return fine ? LIMB_OK : LIMB_E_NOMEM;
}

static limb_status run(limb_equations* x, unsigned what, limb_text_fn* text, void* context)
{
  limb_status s = limb_equations_form(x, limb_needs(what));
  if (s == LIMB_OK && limb_asks(what, WHAT_PSI)) s = limb_equations_loops(x);
  if (s == LIMB_OK) s = tidy_all(x);
  if (s == LIMB_OK && x->odd)
    return limb_fail(x->error, LIMB_E_UNSUPPORTED, x->m->name, "the equations are no polynomials in sines and cosines");
  if (s == LIMB_OK) s = limb_equations_check(x, what);
  if (limb_asks(what, WHAT_PSI) && x->nrow == 0) { // checked, but nothing to write
    x->rowless = true;
    what &= ~(1U << WHAT_PSI);
  }
  if (s == LIMB_OK && !what)
    return limb_fail(x->error, LIMB_E_UNSUPPORTED, x->m->name, "Psi has no rows: no joint moves what the loops hold");
  if (s == LIMB_OK) s = name_symbols(x, what);
  return s == LIMB_OK ? write(x, what, text, context) : s;
}

limb_status limb_equations_write(const limb_model* m, const limb_equation_options* options, const limb_allocator* alloc,
                                 limb_text_fn* text, void* context, limb_error* error)
{
  limb_error own = {0};
  limb_equations x = {.m = m, .error = &own};
  unsigned what = 0;
  if (!m || !text) return limb_fail(error, LIMB_E_ARG, NULL, "a model and a function are needed");
  if (alloc && (!alloc->alloc || !alloc->free)) return limb_fail(error, LIMB_E_ARG, "alloc", "half an allocator");
  limb_status s = read_options(options, &x.options, error);
  if (s == LIMB_OK) s = read_what(m, x.options.what, &what, error);
  if (s == LIMB_OK) s = check_joints(m, error);
  if (s != LIMB_OK) return s;
  x.program = limb_program_create(alloc);
  s = x.program ? run(&x, what, text, context) : LIMB_E_NOMEM;
  if (s == LIMB_E_UNSUPPORTED && !*own.text) s = too_large(&x, what);
  if (s != LIMB_OK && error) *error = own;
  if (s == LIMB_E_NOMEM) (void)limb_fail(error, s, NULL, "out of memory");
  if (x.memory) limb_arena_release(x.memory, x.room);
  limb_ring_free(x.ring);
  limb_program_free(x.program);
  return s;
}
