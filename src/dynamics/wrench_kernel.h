// External wrenches as forces on the links: link axes and origins.
//
// A wrench is given in the axes of its frame, or of the world, at the frame's origin or the world's; `on`
// has a force for every link, X its pose in the world. Cost O(1).

static void set_add_wrench(const limb_model* m, const real* X, int frame, limb_ref ref, const real* F, real* on)
{
  const limb_site site = limb_site_of(m, frame);
  if (site.link < 0) return; // on a body that cannot move
  const pose at = given_pose(&site.in_link), link = ((const pose*)X)[site.link];
  const force w = *(const force*)F;
  force* sum = (force*)on + site.link;
  if (ref == LIMB_BODY) {
    *sum = addf(*sum, force_at(mulv(at.R, w.n), mulv(at.R, w.f), at.p));
  } else if (ref == LIMB_WORLD) { // n - p x f: the moment about the link's origin
    *sum = addf(*sum, (force){tmulv(link.R, sub3(w.n, cross3(link.p, w.f))), tmulv(link.R, w.f)});
  } else {
    *sum = addf(*sum, force_at(tmulv(link.R, w.n), tmulv(link.R, w.f), at.p));
  }
}
