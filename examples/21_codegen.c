// What is left of the dynamics of a Panda when nothing but this robot has to be computed? C for it alone.
//
// limb/codegen.h runs the library's algorithms over symbols and writes down what they do. The program counts
// operations of a few functions, with the numbers of the robot inserted and with its inertias as arguments,
// and prints the first statements of the torques. `limb codegen panda --what tau,acc,M` writes files.
#include <limb/codegen.h>
#include <limb/limb.h>
#include <limb/read.h>
#include <stdio.h>
#include <string.h>

enum { STATEMENTS = 12 };

// Prints lines of the body of the first function.
typedef struct reader {
  int inside, lines;
  size_t length;
  char line[256];
} reader;

static void end_line(reader* r)
{
  r->line[r->length] = '\0';
  r->length = 0;
  if (r->inside && r->lines++ < STATEMENTS) printf("  %s\n", r->line);
  if (strcmp(r->line, "{") == 0) r->inside = 1;
  if (strcmp(r->line, "}") == 0) r->inside = 0, r->lines = STATEMENTS;
}

static void read_text(void* context, const char* text)
{
  reader* r = context;
  for (; *text; text++) {
    if (*text == '\n') {
      end_line(r);
    } else if (r->length + 1 < sizeof r->line) {
      r->line[r->length++] = *text;
    }
  }
}

static limb_status show(const limb_model* m, limb_symbols symbols, const char* heading)
{
  limb_codegen_options o = limb_default_codegen_options();
  limb_codegen* c = NULL;
  limb_error err = {0};
  reader r = {0};
  o.what = "tau,acc,M,g,J";
  o.symbols = symbols;
  limb_status s = limb_codegen_create(m, &o, NULL, &c, &err);
  if (s != LIMB_OK) printf("%s: %s\n", err.where, err.text);
  if (s == LIMB_OK) printf("%s\n", heading);
  for (int k = 0; k < limb_codegen_count(c); k++) {
    limb_codegen_facts f;
    if (limb_codegen_get(c, k, &f) != LIMB_OK) continue;
    printf("  %-12s %5ld multiplications %5ld additions, differs from the library by %.0e\n", f.name, f.mul, f.add,
           f.difference);
  }
  if (s == LIMB_OK && symbols == LIMB_SYMBOLS_NONE) {
    printf("the torques begin\n");
    s = limb_codegen_write(c, LIMB_FILE_SOURCE, read_text, &r);
  }
  limb_codegen_free(c);
  return s;
}

int main(void)
{
  limb_model* m = NULL;
  limb_error err;
  if (limb_load("panda", NULL, &m, &err) != LIMB_OK) return 1;
  limb_status s = show(m, LIMB_SYMBOLS_NONE, "numbers inserted");
  if (s == LIMB_OK) s = show(m, LIMB_SYMBOLS_INERTIA, "base parameters as an argument");
  limb_model_destroy(m);
  return s != LIMB_OK;
}
