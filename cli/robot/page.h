// Pages of the view: what limb view, limb id and limb sim write as .html.
#ifndef LIMB_CLI_PAGE_H
#define LIMB_CLI_PAGE_H

#include "limb/view.h"

#include "robot/robot.h"

// Starts the page of a robot, whose shapes were read. title: NULL: the name of the robot. Notes go to standard error.
// EXIT_FINE, or an exit code after a message.
int cli_page_create(const cli_args* args, const cli_robot* r, const char* title, limb_view_page** page);

// Writes it to a path, NULL or "-": standard output. EXIT_FINE, or an exit code after a message.
int cli_page_save(const cli_args* args, limb_view_page* page, const char* path);

// The bytes of --size-limit, or as they are without it. EXIT_FINE, or EXIT_USAGE after a message.
int cli_page_limit(const cli_args* args, size_t* bytes);

// Whether a path asks for a page: shapes are read for it then.
int cli_is_page(const char* path);

// EXIT_FINE if limb-view.html is there, from which a page at this path will be made; else EXIT_USAGE after a message.
int cli_page_check(const cli_args* args, const char* path);

#endif
