// A few shapes of SVG. Coordinates are pixels, y down. Text is escaped; what is not UTF-8 is replaced.
#ifndef LIMB_CLI_SVG_H
#define LIMB_CLI_SVG_H

#include <stdio.h>

void svg_begin(FILE* out, double width, double height, const char* title, const char* style);
void svg_end(FILE* out);

// Shapes of a class of the style.
void svg_rect(FILE* out, const char* class, double x, double y, double width, double height);
void svg_line(FILE* out, const char* class, double x1, double y1, double x2, double y2);
void svg_circle(FILE* out, const char* class, double x, double y, double radius);

// Text alone, with & < > escaped, as XML and HTML want it; beyond most characters there is an ellipsis.
void svg_escape(FILE* out, const char* text, int most);

// Text that begins, is centred or ends at x; bytes beyond most characters become an ellipsis.
typedef enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END } svg_anchor;
void svg_text(FILE* out, const char* class, svg_anchor anchor, double x, double y, int most, const char* text);

// A path, point by point; close 1: back to the first point.
void svg_path_begin(FILE* out, const char* class);
void svg_path_to(FILE* out, int first, double x, double y);
void svg_path_end(FILE* out, int close);

#endif
