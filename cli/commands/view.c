// `limb view`: the robot as one HTML file, or live. The page, limb-view.html, is made from web/ by `make web`; it has
// three.js and limb.wasm inside. This command writes a copy with the robot in it (limb/view.h).
#include "commands/view.h"

#include <string.h>

// What the words say, before anything is opened.
static int check(const cli_args* args, const char* path, int live)
{
  double port = 0;
  size_t bytes = 0;
  if (live && cli_has(args, "output"))
    return cli_usage(args, "--serve and --output exclude each other: a page that is live has a server");
  if (!live && cli_has(args, "port")) return cli_usage(args, "--port belongs to --serve");
  int code = view_port(args, &port);
  if (code == EXIT_FINE && cli_has(args, "size-limit")) code = cli_page_limit(args, &bytes);
  if (code == EXIT_FINE && !cli_has(args, "output") && !live) code = cli_writes_to(args, "the page", path, "");
  return code;
}

static int run(const cli_args* args)
{
  const char *source = cli_operand(args, 0), *given = cli_get(args, "output"), *path = given ? given : "view.html";
  const int live = cli_has(args, "serve");
  cli_robot r = {0};
  limb_view_page* page = NULL;
  limb_read_options how;
  int code = check(args, path, live);
  if (code == EXIT_FINE) code = cli_read_options(args, &how);
  if (code != EXIT_FINE) return code;
  how.shapes = 1;
  code = cli_robot_open_as(args, source, &how, NULL, &r);
  if (code != EXIT_FINE) return code;
  (void)!limb_check_loops(r.reading, NULL); // its findings are all that is wanted
  limb_findings_sort(limb_reading_findings(r.reading));
  code = cli_page_check(args, live || strcmp(path, "-") == 0 ? "view.html" : path);
  if (code == EXIT_FINE) code = cli_page_create(args, &r, NULL, &page);
  if (code == EXIT_FINE) code = live ? view_serve(args, &r, page) : cli_page_save(args, page, path);
  limb_view_page_destroy(page);
  cli_robot_close(&r);
  return code;
}

static const cli_option options[] = {
  {"", NULL, "output"},
  {"output", "FILE", "the page (default: view.html); - is standard output"},
  {"size-limit", "MB", "of the page: meshes are simplified until it fits (default: 10)"},
  {"", NULL, "live"},
  {"serve", NULL, "serve the page on this machine, and show the poses that a program sends"},
  {"port", "N", "of --serve (default: 8417; 0: any that is free)"},
  {0},
};

static const cli_written written[] = {{"output", ".html .htm"}, {0}};

const cli_command cli_view = {
  .name = "view",
  .operands = "MODEL",
  .summary = "the robot in three dimensions, as a page for any browser",
  .about =
    "Writes one HTML file that needs neither a server nor the network: the robot with its shapes and meshes, a slider "
    "for each joint, the torques that hold it, ellipsoids, reach, mass matrix, and what limb check finds. Loops stay "
    "closed and mimic joints follow: limb itself computes in the page.\n"
    "Meshes (.stl, .obj, .dae, .gltf, .glb, .msh) are simplified until the page has the size of --size-limit; each "
    "that was is a "
    "note. Bodies without visual shapes are drawn as boxes of their mass and inertia, and as sticks between their "
    "joints.\n"
    "--serve listens on 127.0.0.1 only, until Ctrl-C. Programs send poses by limb_live_send (limb/view.h) or, from "
    "Python, by limb.Live. limb sim and limb id --animate motion.html show a motion in the same page.\n"
    "The page is made from limb-view.html, a file beside the program or in share/limb, which make web builds.",
  .examples = (const char* const[]){"limb view arm.urdf --output arm.html", "a page with the robot of a file",
                                    "limb view four_bar", "a built-in robot, to view.html", "limb view panda --serve",
                                    "what a running program does", NULL},
  .options = (const cli_option* const[]){options, cli_model_options, cli_change_options, NULL},
  .run = run,
  .writes = written,
};
