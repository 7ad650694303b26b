// The panel: sliders of the joints, poses, the look, the selected body, questions, findings.
import { button, check, choice, element, freshId, list, number, reading, section } from "./dom.js";

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

/** A slider with its name, value, limits and force. */
class Slider {
  constructor(s, loops, move) {
    this.s = s;
    const id = freshId("joint");
    this.input = element("input", { type: "range", id, min: s.low, max: s.high, step: (s.high - s.low) / 2000 });
    this.value = element("output", { htmlFor: id });
    this.note = element("small");
    this.kind = loops && s.joint.passive ? `${s.joint.type}, passive` : s.joint.type;
    const { min, max } = s.joint,
      bound = (x) => (s.unit === "rad" ? `${number((x * 180) / Math.PI)}°` : `${number(x)} ${s.unit}`);
    this.limits = min === null && max === null ? "no limits" : `${bound(s.low)} to ${bound(s.high)}`;
    this.limited = min !== null || max !== null;
    this.row = element(
      "div",
      { className: "lv-joint" },
      element("label", { htmlFor: id, textContent: s.name, title: this.kind }),
      this.value,
      this.input,
      this.note,
    );
    this.input.addEventListener("input", () => move(s.k, Number(this.input.value)));
  }

  /** noise: forces up to this are rounding. */
  show(q, tau, noise) {
    const { s } = this,
      x = q[s.at];
    this.input.value = x;
    this.value.textContent = reading(s.unit, x);
    this.input.setAttribute("aria-valuetext", this.value.textContent);
    const outside = this.limited && (x < s.low - 1e-9 || x > s.high + 1e-9);
    const most = s.joint.maxEffort;
    const computed = tau ? tau[s.k] : NaN;
    const force = Math.abs(computed) <= noise ? 0 : computed;
    const over = most !== null && Math.abs(force) > most;
    const text = Number.isFinite(force) ? ` · ${number(force)} ${s.forceUnit}` : "";
    this.note.textContent = `${this.kind} · ${this.limits}${outside ? ": beyond its limit" : ""}${text}${
      over ? `: above its ${number(most)} ${s.forceUnit}` : ""
    }`;
    this.row.classList.toggle("lv-over", outside || over);
  }
}

const LOOK = [
  ["visuals", "Visual shapes", true],
  ["collisions", "Collision shapes", false],
  ["solids", "Boxes of mass and inertia", false],
  ["centres", "Centres of mass", false],
  ["axes", "Axes of joints", false],
  ["frames", "Frames of bodies", false],
  ["closures", "Closures of loops", true],
];

export class Panel {
  #view;
  #sliders;
  #bodies;
  #details = element("dl", { className: "lv-details" });
  #bodyFindings = element("ul", { className: "lv-findings" });
  #shown = "";

  constructor(view) {
    this.#view = view;
    const { robot, findings } = view;
    this.#sliders = view.sliders.map((s) => new Slider(s, robot.loops.length > 0, (k, x) => view.move(k, x)));
    const counts = ["error", "warning"].map((kind) => findings.filter((f) => f.severity === kind).length);
    view.panelElement.append(
      section("Joints", true, ...this.#poses(), ...this.#sliders.map((slider) => slider.row)),
      section("Look", true, ...this.#switches()),
      section("Body", true, ...this.#body()),
      section("Drag a frame", false, ...view.drag.controls()),
      section("Ask", false, ...view.ask.controls()),
      section("Record", false, ...view.recorder.controls()),
      section(
        findings.length > 0 ? `Findings (${findings.length})` : "Findings",
        counts[0] + counts[1] > 0 || findings.length === 0,
        this.#list(findings, "none: nothing is wrong or doubtful"),
      ),
    );
  }

  #poses() {
    const view = this.#view;
    const { robot } = view;
    const given = view.options.poses ?? robot.namedPoses.map((name) => ({ name, q: null }));
    const named = given.map(({ name, q }) => button(name, () => view.pose(name, q)));
    return [
      element(
        "div",
        { className: "lv-buttons", role: "group", ariaLabel: "Poses" },
        button("Start configuration", () => view.start()),
        ...named,
      ),
    ];
  }

  #switches() {
    const view = this.#view,
      { figure, robot } = view;
    const draw = (change) => (on) => (change(on), view.stage.draw());
    const there = { visuals: figure.hasVisuals, collisions: figure.hasCollisions, closures: robot.loops.length > 0 };
    const kinds = LOOK.filter(([kind]) => there[kind] ?? true).map(([kind, text, on]) => {
      const bare = kind === "solids" && !figure.hasVisuals; // then boxes are all that there is to see
      return check(text, on || bare, draw((x) => this.#toggle(kind, x))).row;
    });
    return [
      ...kinds,
      check("Transparent", false, draw((on) => figure.transparent(on))).row,
      check("Torques as colour", false, (on) => view.marks.showHeat(on)).row,
      check("Forces at joints", false, (on) => view.marks.showForces(on)).row,
      check("Weights", false, (on) => view.marks.showWeights(on)).row,
      check("Ground", !view.weightless, (on) => view.stage.showGround(on)).row,
      check("Shadows", true, (on) => view.stage.shadows(on)).row,
      element("div", { className: "lv-buttons" }, button("Whole robot", () => view.whole())),
    ];
  }

  #toggle(kind, on) {
    const { figure } = this.#view;
    if (kind === "solids" && figure.hasVisuals) {
      figure.toggle("solids", on ? true : "some");
      figure.toggle("joints", on ? true : "some");
    } else figure.toggle(kind, on);
  }

  #body() {
    const view = this.#view,
      named = view.robot.bodies.flatMap((body, i) => (body.standsFor < 0 ? [[body.name, String(i)]] : []));
    const { select, row } = choice("Selected", [["none", "-1"], ...named], (value) => view.choose(Number(value)));
    this.#bodies = select;
    return [row, this.#details, this.#bodyFindings];
  }

  #list(findings, empty) {
    const made = element("ul", { className: "lv-findings" });
    this.#fill(made, findings, empty);
    return made;
  }

  #fill(place, findings, empty) {
    place.replaceChildren(...(findings.length === 0 && empty ? [element("li", { textContent: empty })] : []));
    for (const f of findings) {
      const position = f.line > 0 ? `, line ${f.line}` : "";
      place.append(
        element(
          "li",
          { className: `lv-${f.severity}` },
          element("strong", { textContent: `${f.severity}${position}${f.where ? `: ${f.where}` : ""}` }),
          f.text,
          ...[f.hint, f.fix].filter(Boolean).map((text) => element("span", { textContent: text })),
        ),
      );
    }
  }

  /** Shows a configuration and forces. */
  show(q, tau) {
    const noise = 1e-9 * Math.max(1, ...(tau ?? []).map(Math.abs).filter(Number.isFinite));
    for (const slider of this.#sliders) slider.show(q, tau, noise);
    const { chosen } = this.#view;
    if (chosen >= 0) this.#describe(chosen);
  }

  choose(i) {
    const { robot, findings } = this.#view;
    this.#bodies.value = String(i);
    this.#shown = "";
    if (i < 0) this.#details.replaceChildren();
    else this.#describe(i);
    const names = i < 0 ? [] : [robot.bodies[i].name, robot.joints[robot.bodies[i].joint]?.name];
    this.#fill(
      this.#bodyFindings,
      findings.filter((f) => names.some((x) => x && f.where.includes(`'${x}'`))),
    );
  }

  /** What is known about a body where it is. */
  #describe(i) {
    const { robot } = this.#view,
      body = robot.bodies[i],
      joint = robot.joints[body.joint];
    const pose = this.#view.poses().subarray(12 * i, 12 * i + 12);
    const rows = [
      ["mass", `${number(body.mass)} kg`],
      ["centre of mass", `${list(body.com)} m`],
      ["inertia", `${list(body.inertia)} kg m²`],
      ["position", `${list(pose.subarray(9))} m`],
      ["joint", joint ? `${joint.name}, ${joint.type}` : "none"],
      ["parent", body.parent >= 0 ? robot.bodies[body.parent].name : "none"],
      ...robot.frames.filter((frame) => frame.body === i).map((frame) => ["frame", frame.name]),
      ...(body.line > 0 ? [["line", String(body.line)]] : []),
    ];
    const text = rows.flat().join("\n");
    if (text === this.#shown) return;
    this.#shown = text;
    this.#details.replaceChildren(
      ...rows.flatMap(([name, value]) => [element("dt", { textContent: name }), element("dd", { textContent: value })]),
    );
  }
}
