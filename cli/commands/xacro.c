// `limb xacro`: the URDF that a xacro file expands to.
#include "base/command.h"
#include "base/output.h"
#include "robot/robot.h"

#include "limb/read.h"

#include <stdlib.h>
#include <string.h>

// The arguments after the file, closed by NULL; to be freed. NULL: out of memory.
static const char** arguments_of(const cli_args* args)
{
  const char** list = calloc((size_t)cli_operand_count(args), sizeof *list);
  for (int i = 1; list && i < cli_operand_count(args); i++) list[i - 1] = cli_operand(args, i);
  return list;
}

static int write_expanded(const cli_args* args, limb_reading* r, const limb_error* err)
{
  cli_text text = {0};
  const limb_status s = limb_write_expanded(r, cli_text_add, &text, NULL);
  int code = EXIT_FINE;
  if (s == LIMB_E_UNSUPPORTED) {
    cli_print_findings(stderr, limb_reading_source(r), limb_reading_findings(r), LIMB_WARNING);
    code = limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR) > 0
             ? EXIT_MODEL
             : cli_usage(args, "%s: %s", limb_reading_source(r), *err->text ? err->text : "this is not a xacro file");
  } else if (s != LIMB_OK || text.failed) {
    code = cli_out_of_memory(args);
  } else {
    code = cli_text_save(&text, cli_title(args), cli_get(args, "output"));
  }
  cli_text_free(&text);
  return code;
}

static int run(const cli_args* args)
{
  const char* source = cli_operand(args, 0);
  limb_read_options opt;
  limb_reading* r = NULL;
  limb_error err = {0};
  int code = cli_reads(args, source);
  if (code == EXIT_FINE) code = cli_read_options(args, &opt);
  if (code != EXIT_FINE) return code;
  const char** arguments = arguments_of(args);
  if (!arguments) return cli_out_of_memory(args);
  opt.format = LIMB_FORMAT_URDF;
  opt.xacro_arguments = arguments;
  if (limb_read(source, &opt, &r, &err) == LIMB_E_NOMEM || !r)
    code = cli_out_of_memory(args);
  else
    code = write_expanded(args, r, &err);
  limb_reading_destroy(r);
  free(arguments);
  return code;
}

static const cli_option options[] = {
  {"", NULL, "files"},
  {"package-path", "A:B:C", "folders of ROS packages, searched before ROS_PACKAGE_PATH and AMENT_PREFIX_PATH"},
  {"any-file", NULL, "let the file include any other, not only those below its folder and of packages"},
  {"max-bytes", "N", "refuse longer files (default: 67108864)"},
  {"", NULL, "the output"},
  {"output", "FILE", "write to a file (default: standard output)"},
  {0},
};
const cli_command cli_xacro = {
  .name = "xacro",
  .operands = "FILE [NAME:=VALUE...]",
  .summary = "the URDF that a xacro file expands to",
  .about =
    "Expands macros, properties, conditions, inclusions and expressions of xacro (ROS 2 Humble and later) and prints "
    "the URDF. Expressions are the subset of Python that robot descriptions use; anything else is an error with its "
    "line. Nothing is executed. $(find PACKAGE) looks in --package-path, in the folders above the file "
    "and beside them, in ROS_PACKAGE_PATH and AMENT_PREFIX_PATH. Comments are not kept.\n"
    "Every command reads .xacro files directly: limb info arm.urdf.xacro --args \"prefix:=a_\".",
  .examples = (const char* const[]){"limb xacro arm.urdf.xacro ur_type:=ur5e --output arm.urdf",
                                    "the file with its argument ur_type, as URDF", NULL},
  .options = (const cli_option* const[]){options, NULL},
  .run = run,
  .writes = (const cli_written[]){{"output", ".urdf .xml"}, {0}},
};
