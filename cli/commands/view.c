// `limb view`: the robot as one HTML file. The page, limb-view.html, is made from web/ by `make web`; it has three.js
// and limb.wasm inside. This command writes a copy with the robot in it.
#include "base/command.h"
#include "base/output.h"
#include "base/print.h"
#include "robot/robot.h"

#include "limb/read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SPACE = 4096 };

static const char page_name[] = "limb-view.html";
// What the page has in place of a robot.
static const char slot[] = "id=\"robot\">null<";

// The file beside this program, or in the share of the prefix that it is installed in. NULL: neither is there.
static FILE* open_page(char path[PATH_SPACE])
{
  static const char* const places[] = {"", "../share/limb/"};
  char folder[PATH_SPACE - 64];
  const ssize_t n = readlink("/proc/self/exe", folder, sizeof folder);
  folder[n > 0 && (size_t)n < sizeof folder ? n : 0] = '\0';
  char* slash = strrchr(folder, '/');
  if (slash) slash[1] = '\0';
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
    const int size = snprintf(path, PATH_SPACE, "%s%s%s", folder, places[k], page_name);
    FILE* page = size < PATH_SPACE ? fopen(path, "rb") : NULL;
    if (page) return page;
  }
  (void)snprintf(path, PATH_SPACE, "%s%s", folder, page_name);
  return NULL;
}

// All of a file, closed by a zero; to be freed. 0 after a message.
static char* read_page(const cli_args* args)
{
  char path[PATH_SPACE];
  FILE* page = open_page(path);
  if (!page) {
    const char* why = errno == ENOENT ? "is not there; `make web` in the sources of limb builds it" : strerror(errno);
    (void)cli_usage(args, "%s %s", path, why);
    return NULL;
  }
  cli_text text = {0};
  char block[65536];
  for (size_t n; (n = fread(block, 1, sizeof block - 1, page)) > 0;) {
    block[n] = '\0';
    cli_text_add(&text, block);
  }
  const int broken = ferror(page);
  (void)fclose(page);
  if (!broken && !text.failed && text.bytes && strstr(text.bytes, slot)) return text.bytes;
  if (text.failed)
    (void)cli_out_of_memory(args);
  else
    (void)cli_usage(args, "%s is not the page of this version; `make web` in the sources of limb builds it", path);
  cli_text_free(&text);
  return NULL;
}

// The robot as limb YAML, which every reader of this version understands, and what was found in its file.
static json_t* describe(const cli_args* args, const cli_robot* r, const char* yaml)
{
  json_t* out = json_object();
  cli_json_set(out, "schema source model findings", json_integer(1), cli_json_text(cli_operand(args, 0)),
               cli_json_text(yaml), cli_json_findings(limb_reading_findings(r->reading), 0));
  return out;
}

// JSON within a page: no text of the robot can end the element that holds it.
static void add_json(cli_text* page, const char* json)
{
  char piece[2] = "";
  for (; *json; json++) {
    *piece = *json;
    cli_text_add(page, *json == '<' ? "\\u003c" : piece);
  }
}

static int write_page(const cli_args* args, const cli_robot* r, const char* page, const char* path)
{
  cli_text yaml = {0}, out = {0};
  limb_error err = {0};
  char* json = NULL;
  limb_status s = limb_write(limb_reading_builder(r->reading), LIMB_FORMAT_YAML, cli_text_add, &yaml, NULL, &err);
  json_t* robot = s == LIMB_OK && !yaml.failed ? describe(args, r, yaml.bytes) : NULL;
  if (robot) json = json_dumps(robot, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(robot);
  int code = EXIT_FINE;
  if (s != LIMB_OK && s != LIMB_E_NOMEM) {
    code = cli_failed(args, cli_operand(args, 0), s, &err);
  } else if (json) {
    const char* gap = strstr(page, slot) + sizeof slot - sizeof "null<";
    char* head = strndup(page, (size_t)(gap - page));
    cli_text_add(&out, head ? head : "");
    out.failed |= !head;
    free(head);
    add_json(&out, json);
    cli_text_add(&out, gap + sizeof "null" - 1);
  }
  if (code == EXIT_FINE && (!json || out.failed)) code = cli_out_of_memory(args);
  if (code == EXIT_FINE) code = cli_text_save(&out, cli_title(args), path);
  if (code == EXIT_FINE && strcmp(path, "-") != 0)
    (void)fprintf(stderr, "%s: written, %.1f MB; open it in a browser\n", path, (double)out.size / 1e6);
  free(json);
  cli_text_free(&out);
  cli_text_free(&yaml);
  return code;
}

static int run(const cli_args* args)
{
  const char *source = cli_operand(args, 0), *given = cli_get(args, "output"), *path = given ? given : "view.html";
  cli_robot r = {0};
  int code = given ? EXIT_FINE : cli_writes_to(args, "the page", path, "");
  if (code != EXIT_FINE) return code;
  char* page = read_page(args);
  if (!page) return EXIT_USAGE;
  code = cli_robot_open(args, source, &r);
  if (code == EXIT_FINE) {
    (void)!limb_check_loops(r.reading, NULL); // its findings are all that is wanted
    limb_findings_sort(limb_reading_findings(r.reading));
    code = write_page(args, &r, page, path);
    cli_robot_close(&r);
  }
  free(page);
  return code;
}

static const cli_option options[] = {
  {"", NULL, "output"},
  {"output", "FILE", "the page (default: view.html); - is standard output"},
  {0},
};

static const cli_written written[] = {{"output", ".html .htm"}, {0}};

const cli_command cli_view = {
  .name = "view",
  .operands = "MODEL",
  .summary = "the robot in three dimensions, as a page for any browser",
  .about =
    "Writes one HTML file that needs neither a server nor the network: the robot to turn and to move, a slider for "
    "each joint, the torques that hold it, mass, centre of mass and inertia of each body, and what limb check finds. "
    "Loops stay closed and mimic joints follow: limb itself computes in the page.\n"
    "Bodies are drawn as boxes of their mass and inertia, and as sticks between their joints; visual shapes and "
    "meshes are not drawn.\n"
    "The page is made from limb-view.html, a file beside the program or in share/limb, which make web builds.",
  .examples = (const char* const[]){"limb view arm.urdf --output arm.html", "a page with the robot of a file",
                                    "limb view four_bar", "a built-in robot, to view.html", NULL},
  .options = (const cli_option* const[]){options, cli_model_options, cli_change_options, NULL},
  .run = run,
  .writes = written,
};
