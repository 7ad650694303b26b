// SYMORO .par files, closed loops (Khalil 2010, section 2.2): a robot with NJ = NL + B joints has B loops, each
// cut at a passive joint k = NL + 1, ..., NJ. Frame k is that of the joint as seen from one of its links,
// frame k + B is fixed in the other, and both are the same but for the joint's variable, (3): a turn about z
// is a pin, a shift along z a slider.
#include "io/read_par_impl.h"

// Frame i in the body that carries it, NULL for the world; frames that carry each other are gone through.
static int place_frame(const par_robot* r, int i, const par_row* row, sketch_end* end)
{
  enum { DEEPEST = 64 };
  par_row m = *row;
  sp_pose X = limb_par_row_pose(&m);
  for (int depth = 0; m.ant > r->nlink; depth++) {
    if (depth == DEEPEST) {
      limb_report(r->p->findings, RULE_CYCLE, r->p->list[PAR_ANT].value[i].mark, limb_par_subject(PAR_ANT),
                  "frame %d hangs on frames, and on no link", i + 1);
      return 0;
    }
    if (!limb_par_take_row(r, m.ant - 1, &m)) return 0;
    X = sp_compose(limb_par_row_pose(&m), X);
  }
  const int on_ground = m.ant == 0 && !r->moving;
  end->body = on_ground ? NULL : r->names[m.ant];
  end->pose = on_ground ? sp_compose(r->base, X) : X;
  end->mark = r->p->list[PAR_ANT].value[i].mark;
  return 1;
}

// What would be lost of a joint that has no coordinate.
static int check_cut(const par_robot* r, int i)
{
  par_file* p = r->p;
  double eta = 0;
  if (limb_par_has(p, PAR_MU) && !limb_par_is_passive(r, i)) {
    limb_report(p->findings, RULE_BAD_LOOP, p->list[PAR_MU].value[i].mark, limb_par_subject(PAR_MU),
                "joint %d is cut, and has a motor", i + 1);
    limb_report_hint(p->findings, "cut the loop at a passive joint, or set mu of this one to 0");
    return 0;
  }
  if (!limb_par_entry(r, PAR_ETA, i, &eta)) return 0;
  if (eta != 0)
    limb_report(p->findings, RULE_DROPPED, p->list[PAR_ETA].value[i].mark, limb_par_subject(PAR_ETA),
                "joint %d is cut: its spring has no effect", i + 1);
  return 1;
}

void limb_par_cut(const par_robot* r, int i)
{
  static const limb_loop_kind kinds[3] = {LIMB_LOOP_PIN, LIMB_LOOP_SLIDER, LIMB_LOOP_WELD};
  par_file* p = r->p;
  const int twin = i + r->njoint - r->nlink; // k + B
  par_row a = {0}, b = {0};
  if (!(limb_par_take_row(r, i, &a) & limb_par_take_row(r, twin, &b) & check_cut(r, i))) return;
  if (b.sigma != 2) {
    limb_report(p->findings, RULE_BAD_VALUE, p->list[PAR_SIGMA].value[twin].mark, limb_par_subject(PAR_SIGMA),
                "frame %d is the second one of joint %d, which is cut, and is fixed: its entry is 2", twin + 1, i + 1);
    return;
  }
  sketch_end end[2] = {{.body = ""}, {.body = ""}};
  if (!(place_frame(r, i, &a, &end[0]) & place_frame(r, twin, &b, &end[1]))) return;
  const char* name = limb_par_numbered(r, "joint", i + 1);
  sketch_loop* x = name ? limb_sketch_loop(r->s, name, kinds[a.sigma], p->list[PAR_ANT].value[i].mark) : NULL;
  if (!x) {
    p->no_memory = 1;
    return;
  }
  for (int k = 0; k < 2; k++) x->end[k] = end[k];
}
