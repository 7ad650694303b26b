// The robot as a running program sends it: events of the server of `limb view --serve`, on the page's own origin.

/** Follows the poses of a program. Returns what ends it. */
export function follow(view, address) {
  const source = new EventSource(address);
  let heard = 0,
    newest = null;
  const show = () => {
    const { q, time } = newest;
    newest = null;
    view.set(q);
    view.say(`live: ${time.toFixed(2)} s`);
  };
  source.addEventListener("open", () => view.say("live: waiting for a program"));
  source.addEventListener("pose", ({ data }) => {
    const pose = JSON.parse(data);
    if (pose.q.length !== view.robot.nq || !pose.q.every(Number.isFinite)) return;
    heard++;
    const waiting = newest !== null;
    newest = pose;
    if (!waiting) requestAnimationFrame(show); // what arrives between two frames is not drawn
  });
  source.addEventListener("refused", ({ data }) => view.say(`live: ${JSON.parse(data)}`));
  source.addEventListener("error", () => view.say("live: the server of limb view has ended"));
  return { end: () => source.close(), get heard() { return heard; } }; // prettier-ignore
}
