// Findings as JSON.
#include "json_findings.h"
#include "json.h"

json_t* cli_json_finding(const limb_finding* f)
{
  json_t* r = json_object();
  limb_rule_info rule = {.why = "", .fix = ""};
  (void)!limb_get_rule(limb_find_rule(f->rule), &rule);
  (void)json_object_set_new(r, "rule", cli_json_text(f->rule));
  (void)json_object_set_new(r, "severity", cli_json_text(limb_severity_name(f->severity)));
  (void)json_object_set_new(r, "line", json_integer(f->line));
  (void)json_object_set_new(r, "column", json_integer(f->column));
  (void)json_object_set_new(r, "where", cli_json_text(f->where));
  (void)json_object_set_new(r, "text", cli_json_text(f->text));
  (void)json_object_set_new(r, "why", cli_json_text(rule.why));
  (void)json_object_set_new(r, "fix", cli_json_text(rule.fix));
  (void)json_object_set_new(r, "hint", cli_json_text(f->hint));
  return r;
}

json_t* cli_json_findings(const limb_findings* f)
{
  json_t* r = json_array();
  limb_finding x;
  for (int i = 0; i < limb_findings_count(f); i++)
    if (limb_findings_get(f, i, &x) == LIMB_OK) (void)json_array_append_new(r, cli_json_finding(&x));
  return r;
}
