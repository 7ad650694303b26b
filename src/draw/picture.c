// Drawings in other forms than SVG: PNG and PDF by librsvg and cairo, HTML as a page around the drawing.
//
// librsvg is loaded at run time: it brings some forty other libraries along, cairo and GObject among them, which every
// program would load otherwise. The types and functions below are those of librsvg 2.52, cairo 1.16 and later.
#include "draw/figure.h"

#include "base/status.h"

#include <dlfcn.h>
#include <string.h>

// ---- the libraries -----------------------------------------------------------------------------------------

typedef struct rectangle {
  double x, y, width, height;
} rectangle;

typedef int write_fn(void* to, const unsigned char* bytes, unsigned count); // 0, or a status of cairo

enum { CAIRO_ARGB32 = 0, CAIRO_WRITE_ERROR = 11, CAIRO_CREATE_DATE = 5 };

#define CAIRO_FUNCTIONS(X)                                                                                 \
  X(void*, rsvg_handle_new_from_data, (const unsigned char* bytes, size_t length, void** error))           \
  X(int, rsvg_handle_get_intrinsic_size_in_pixels, (void* drawing, double* width, double* height))         \
  X(int, rsvg_handle_render_document, (void* drawing, void* context, const rectangle* at, void** error))   \
  X(void, g_object_unref, (void* object))                                                                  \
  X(void, g_error_free, (void* error))                                                                     \
  X(void*, cairo_image_surface_create, (int format, int width, int height))                                \
  X(void*, cairo_pdf_surface_create_for_stream, (write_fn * write, void* to, double width, double height)) \
  X(void, cairo_pdf_surface_set_metadata, (void* surface, int what, const char* text))                     \
  X(int, cairo_surface_write_to_png_stream, (void* surface, write_fn* write, void* to))                    \
  X(void, cairo_surface_finish, (void* surface))                                                           \
  X(int, cairo_surface_status, (void* surface))                                                            \
  X(void, cairo_surface_destroy, (void* surface))                                                          \
  X(void*, cairo_create, (void* surface))                                                                  \
  X(void, cairo_set_source_rgb, (void* context, double red, double green, double blue))                    \
  X(void, cairo_paint, (void* context))                                                                    \
  X(int, cairo_status, (void* context))                                                                    \
  X(void, cairo_destroy, (void* context))

typedef struct cairo {
#define MEMBER(type, name, parameters) type(*name) parameters;
  CAIRO_FUNCTIONS(MEMBER)
#undef MEMBER
} cairo;

// NULL, or why the libraries cannot be used. Symbols of the libraries that librsvg depends on are found through it;
// POSIX allows the conversion to function pointers.
static const char* load(cairo* c)
{
  int found = 1;
  void* library = dlopen("librsvg-2.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) return "PNG and PDF need librsvg, which is not installed (Debian: librsvg2-2); .svg and .html do not";
#define FIND(type, name, parameters) found &= (*(void**)& c->name = dlsym(library, #name)) != NULL;
  CAIRO_FUNCTIONS(FIND)
#undef FIND
  return found ? NULL : "PNG and PDF need librsvg 2.52 and cairo 1.16, or later; .svg and .html do not";
}

// ---- PNG and PDF -------------------------------------------------------------------------------------------

#define SCALE   2.0  // pixels of a PNG per unit of the drawing
#define POINTS  0.75 // of a PDF per unit: 96 units and 72 points are an inch
#define LARGEST 16384

static int put_bytes(void* to, const unsigned char* bytes, unsigned count)
{
  return fwrite(bytes, 1, count, to) == count ? 0 : CAIRO_WRITE_ERROR;
}

static void* make_surface(const cairo* c, limb_picture kind, double width, double height, FILE* out)
{
  if (kind == LIMB_PICTURE_PNG) return c->cairo_image_surface_create(CAIRO_ARGB32, (int)width, (int)height);
  void* surface = c->cairo_pdf_surface_create_for_stream(put_bytes, out, width, height);
  c->cairo_pdf_surface_set_metadata(surface, CAIRO_CREATE_DATE, "2000-01-01T00:00:00Z"); // the same bits every time
  return surface;
}

static limb_status draw(const cairo* c, void* drawing, limb_picture kind, FILE* out)
{
  const double scale = kind == LIMB_PICTURE_PNG ? SCALE : POINTS;
  rectangle page = {0};
  if (!c->rsvg_handle_get_intrinsic_size_in_pixels(drawing, &page.width, &page.height)) return LIMB_E_ARG;
  page.width *= scale, page.height *= scale;
  if (!(page.width >= 1 && page.height >= 1 && page.width <= LARGEST && page.height <= LARGEST)) return LIMB_E_ARG;
  void *surface = make_surface(c, kind, page.width, page.height, out), *context = c->cairo_create(surface);
  void* error = NULL;
  c->cairo_set_source_rgb(context, 1, 1, 1);
  c->cairo_paint(context);
  const int drawn = c->rsvg_handle_render_document(drawing, context, &page, &error);
  if (error) c->g_error_free(error);
  int status = c->cairo_status(context);
  c->cairo_destroy(context);
  if (kind == LIMB_PICTURE_PNG && status == 0) status = c->cairo_surface_write_to_png_stream(surface, put_bytes, out);
  c->cairo_surface_finish(surface);
  if (status == 0) status = c->cairo_surface_status(surface);
  c->cairo_surface_destroy(surface);
  return status == CAIRO_WRITE_ERROR ? LIMB_E_IO : status != 0 ? LIMB_E_NOMEM : drawn ? LIMB_OK : LIMB_E_ARG;
}

static limb_status convert(const char* svg, size_t length, limb_picture kind, FILE* out, limb_error* err)
{
  cairo c;
  void* error = NULL;
  const char* missing = load(&c);
  if (missing) return limb_fail(err, LIMB_E_UNSUPPORTED, "", "%s", missing);
  void* drawing = c.rsvg_handle_new_from_data((const unsigned char*)svg, length, &error);
  if (error) c.g_error_free(error);
  if (!drawing) return limb_fail(err, LIMB_E_ARG, "", "the drawing is not SVG");
  const limb_status s = draw(&c, drawing, kind, out);
  c.g_object_unref(drawing);
  return s == LIMB_OK ? s : limb_fail(err, s, "", "the picture: %s", limb_status_text(s));
}

// ---- all forms ---------------------------------------------------------------------------------------------

limb_picture limb_picture_of(const char* path)
{
  static const struct {
    const char* suffix;
    limb_picture kind;
  } kinds[] = {{".svg", LIMB_PICTURE_SVG},
               {".html", LIMB_PICTURE_HTML},
               {".htm", LIMB_PICTURE_HTML},
               {".png", LIMB_PICTURE_PNG},
               {".pdf", LIMB_PICTURE_PDF}};
  const size_t n = path ? strlen(path) : 0;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    const size_t length = strlen(kinds[k].suffix);
    if (n > length && strcmp(path + n - length, kinds[k].suffix) == 0) return kinds[k].kind;
  }
  return LIMB_PICTURE_NONE;
}

limb_status limb_picture_check(limb_picture kind, limb_error* err)
{
  cairo c;
  if (kind < LIMB_PICTURE_SVG || kind > LIMB_PICTURE_PDF) return limb_fail(err, LIMB_E_ARG, "", "no kind of picture");
  const char* missing = kind == LIMB_PICTURE_PNG || kind == LIMB_PICTURE_PDF ? load(&c) : NULL;
  return missing ? limb_fail(err, LIMB_E_UNSUPPORTED, "", "%s", missing) : LIMB_OK;
}

limb_status limb_picture_write(const char* svg, size_t length, limb_picture kind, FILE* out, limb_error* err)
{
  if (!svg || !out) return limb_fail(err, LIMB_E_ARG, "", "%s", limb_status_text(LIMB_E_ARG));
  switch (kind) {
  case LIMB_PICTURE_HTML:
    (void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>limb</title>\n<style>\n"
                "body { margin: 0; display: grid; place-items: center; }\nsvg { max-width: 100%; height: auto; }\n"
                "</style>\n",
                out);
    (void)fwrite(svg, 1, length, out);
    (void)fputs("</html>\n", out);
    return LIMB_OK;
  case LIMB_PICTURE_SVG: (void)fwrite(svg, 1, length, out); return LIMB_OK;
  case LIMB_PICTURE_PNG:
  case LIMB_PICTURE_PDF: return convert(svg, length, kind, out, err);
  default: return limb_fail(err, LIMB_E_ARG, "", "no kind of picture");
  }
}
