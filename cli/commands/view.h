// limb view: what its files share.
#ifndef LIMB_CLI_VIEW_H
#define LIMB_CLI_VIEW_H

#include "robot/page.h"

// The number of --port; as it is without it. EXIT_FINE, or EXIT_USAGE after a message. view_serve.c
int view_port(const cli_args* args, double* port);

// Serves the page on the loopback address until Ctrl-C, and passes on the poses that programs send. view_serve.c
int view_serve(const cli_args* args, const cli_robot* r, limb_view_page* page);

#endif
