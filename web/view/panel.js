// The panel: sliders of the joints, switches of the look, the selected body, the findings. All texts of the robot go in
// as text, never as markup.

const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};
const number = (x, digits = 4) => (x === 0 ? "0" : Number(x.toPrecision(digits)).toString());
const degrees = (x) => `${number((x * 180) / Math.PI, 4)}°`;

/** What a value of a coordinate reads. */
export const reading = (unit, x) => (unit === "rad" ? `${number(x)} rad, ${degrees(x)}` : `${number(x)} ${unit}`);

/** The velocities whose coordinate a slider can move: all but those of ball and free joints. */
export function slidable(robot) {
  return robot.velocities.flatMap((velocity, k) => {
    const joint = robot.joints[velocity.joint];
    if (joint.nq !== joint.nv) return [];
    const at = joint.q + (k - joint.v),
      unit = robot.coordinates[at].unit;
    const free = unit === "rad" ? Math.PI : 1;
    const [low, high] = joint.nv === 1 ? [joint.min ?? -free, joint.max ?? free] : [-free, free];
    return [{ k, at, unit, low, high, name: robot.coordinates[at].name, forceUnit: velocity.forceUnit, joint }];
  });
}

/** Sliders; `move` is called with a slider and its value. Returns what shows new positions and forces. */
export function addSliders(place, list, loops, move) {
  const rows = list.map((s, i) => {
    const input = element("input", {
      type: "range",
      id: `joint-${i}`,
      min: s.low,
      max: s.high,
      step: (s.high - s.low) / 1000,
    });
    const value = element("output", { htmlFor: input.id });
    const note = element("small");
    const kind = loops && s.joint.passive ? `${s.joint.type}, passive` : s.joint.type;
    place.append(
      element(
        "div",
        { className: "joint" },
        element("label", { htmlFor: input.id, textContent: s.name, title: kind }),
        value,
        input,
        note,
      ),
    );
    input.addEventListener("input", () => move(s, Number(input.value)));
    return { s, input, value, note, kind };
  });
  return (q, tau) => {
    for (const { s, input, value, note, kind } of rows) {
      input.value = q[s.at];
      value.textContent = reading(s.unit, q[s.at]);
      input.setAttribute("aria-valuetext", value.textContent);
      const limits =
        s.joint.min === null && s.joint.max === null ? "no limits" : `${number(s.low)} to ${number(s.high)} ${s.unit}`;
      const hold = tau ? `; ${number(Math.abs(tau[s.k]) < 1e-9 ? 0 : tau[s.k])} ${s.forceUnit} hold it` : "";
      const outside = limits !== "no limits" && (q[s.at] < s.low - 1e-9 || q[s.at] > s.high + 1e-9);
      note.textContent = `${kind}, ${limits}${outside ? ": beyond its limit" : ""}${hold}`;
    }
  };
}

/** Check boxes. @param {[string, boolean, (on: boolean) => void][]} list */
export function addSwitches(place, list) {
  for (const [text, on, change] of list) {
    const box = element("input", { type: "checkbox", checked: on });
    box.addEventListener("change", () => change(box.checked));
    place.append(element("label", {}, box, ` ${text}`));
  }
}

export function addFindings(place, findings, empty) {
  place.replaceChildren();
  if (findings.length === 0 && empty) place.append(element("li", { textContent: empty }));
  for (const f of findings) {
    const position = f.line > 0 ? `, line ${f.line}` : "";
    place.append(
      element(
        "li",
        { className: f.severity },
        element("strong", { textContent: `${f.severity}${position}${f.where ? `: ${f.where}` : ""}` }),
        f.text,
        ...[f.hint, f.fix].filter(Boolean).map((text) => element("span", { textContent: text })),
      ),
    );
  }
}

/** What is known about a body at a pose. */
export function showBody(place, robot, i, pose) {
  const body = robot.bodies[i],
    joint = robot.joints[body.joint];
  const list = (numbers) => numbers.map((x) => number(Math.abs(x) < 1e-12 ? 0 : x)).join(", ");
  const rows = [
    ["mass", `${number(body.mass)} kg`],
    ["centre of mass", `${list(body.com)} m`],
    ["inertia", `${list(body.inertia)} kg m²`],
    ["position", `${list([...pose.subarray(9)])} m`],
    ["joint", joint ? `${joint.name}, ${joint.type}` : "none"],
    ["parent", body.parent >= 0 ? robot.bodies[body.parent].name : "none"],
    ...robot.frames.filter((frame) => frame.body === i).map((frame) => ["frame", frame.name]),
    ...(body.line > 0 ? [["line", String(body.line)]] : []),
  ];
  place.replaceChildren(
    ...rows.flatMap(([name, text]) => [element("dt", { textContent: name }), element("dd", { textContent: text })]),
  );
}
