// limb view: what its files share.
#ifndef LIMB_CLI_VIEW_H
#define LIMB_CLI_VIEW_H

#include "robot/page.h"

// Serves the page on the loopback address until Ctrl-C, and passes on the poses that programs send. view_serve.c
int view_serve(const cli_args* args, const cli_robot* r, limb_view_page* page);

#endif
