// A few shapes of SVG. Coordinates are pixels, y down. Text is escaped; what is not UTF-8 is replaced.
#ifndef LIMB_DRAW_SVG_H
#define LIMB_DRAW_SVG_H

#include <stdio.h>

// Text files of this folder, line by line, closed by NULL: style sheets, and the page of an animation.
extern const char* const plot_css[];
extern const char* const map_css[];
extern const char* const animation_svg_css[];
extern const char* const animation_page_css[];
extern const char* const animation_page_html[];
extern const char* const animation_page_js[];
void svg_lines(FILE* out, const char* const* lines);

void svg_begin(FILE* out, double width, double height, const char* title, const char* const* style);
void svg_end(FILE* out);

// Shapes of a class of the style.
void svg_rect(FILE* out, const char* class, double x, double y, double width, double height);
void svg_line(FILE* out, const char* class, double x1, double y1, double x2, double y2);
void svg_circle(FILE* out, const char* class, double x, double y, double radius);

// Text with & < > escaped, for XML and HTML; longer than max characters, it ends in an ellipsis.
void svg_escape(FILE* out, const char* text, int max);

// The same as an element that begins, is centred or ends at x.
typedef enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END } svg_anchor;
void svg_text(FILE* out, const char* class, svg_anchor anchor, double x, double y, int max, const char* text);

// A path, point by point; close 1: back to the first point.
void svg_path_begin(FILE* out, const char* class);
void svg_path_to(FILE* out, int first, double x, double y);
void svg_path_end(FILE* out, int close);

#endif
