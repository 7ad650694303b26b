// Pages of the view.
#define _POSIX_C_SOURCE 200809L // fstat, fileno

#include "robot/page.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_SPACE = 4096 };

int cli_is_page(const char* path) { return path && cli_ends_in(path, ".html .htm"); }

int cli_page_check(const cli_args* args, const char* path)
{
  char html[PATH_SPACE];
  if (!cli_is_page(path) || limb_view_page_find(html, sizeof html)) return EXIT_FINE;
  return cli_usage(
    args,
    "%s cannot be made: there is no %s; run `make web` in the sources of limb, which builds it, or set LIMB_VIEW_PAGE",
    path, html);
}

static void print_note(void* source, const char* text) { (void)fprintf(stderr, "%s: note: %s\n", (char*)source, text); }

int cli_page_limit(const cli_args* args, size_t* bytes)
{
  double megabytes = (double)*bytes / 1e6;
  const int code = cli_positive(args, "size-limit", &megabytes);
  if (code != EXIT_FINE) return code;
  if (megabytes < 3 || megabytes > 1000) return cli_usage(args, "--size-limit is from 3 to 1000 MB");
  *bytes = (size_t)(megabytes * 1e6);
  return EXIT_FINE;
}

int cli_page_create(const cli_args* args, const cli_robot* r, const char* title, limb_view_page** page)
{
  limb_view_page_options o = limb_default_view_page();
  limb_error err = {0};
  o.title = title;
  o.reading = r->reading;
  o.live = cli_has(args, "serve");
  o.note = print_note;
  o.context = (void*)(uintptr_t)cli_operand(args, 0);
  const int code = cli_page_limit(args, &o.max_bytes);
  if (code != EXIT_FINE) return code;
  const limb_status s = limb_view_page_create(limb_reading_builder(r->reading), &o, page, &err);
  if (s == LIMB_OK) return EXIT_FINE;
  if (s == LIMB_E_NOMEM) return cli_out_of_memory(args);
  if (s == LIMB_E_IO || s == LIMB_E_SYNTAX) return cli_usage(args, "%s", err.text);
  return cli_failed(args, cli_operand(args, 0), s, &err);
}

int cli_page_save(const cli_args* args, limb_view_page* page, const char* path)
{
  cli_output out = {0};
  limb_error err = {0};
  int code = cli_output_open(&out, cli_title(args), path);
  if (code != EXIT_FINE) return code;
  const limb_status s = limb_view_page_write(page, out.stream, &err);
  struct stat about = {0};
  if (s == LIMB_OK && fflush(out.stream) == 0) (void)fstat(fileno(out.stream), &about);
  if (s == LIMB_E_NOMEM)
    code = cli_out_of_memory(args);
  else
    code = s == LIMB_OK ? cli_output_commit(&out, cli_title(args)) : cli_usage(args, "%s", err.text);
  cli_output_abandon(&out);
  if (code == EXIT_FINE && path && strcmp(path, "-") != 0)
    (void)fprintf(stderr, "%s: written, %.1f MB; open it in a browser\n", path, (double)about.st_size / 1e6);
  return code;
}
