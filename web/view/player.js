// The dock below the robot: play, time line with events, speed, curves, traces.
import { button, check, choice, element, number } from "./dom.js";
import { Curves, colourOf } from "./curves.js";
import { frameChoices, framePosition } from "./marks.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8];
const SHOWN = 8; // curves at first
const TRACED = 3000; // points of a trace

export class Player {
  #view;
  #track;
  #time;
  #last = null;
  #curves;
  #legend = element("div", { className: "lv-legend", role: "group", ariaLabel: "Curves shown" });
  #hidden = new Map(); // of each group of curves, those that are hidden
  #group = "";
  #groups;
  #kinds; // the choice of curves, and that of traces
  #trace;
  speed = 1;
  playing = false;
  loop = true;

  constructor(view, track) {
    this.#view = view;
    this.#track = track;
    this.#time = track.start;
    this.#groups = curveGroups(view.robot, track);
    this.#build();
    view.stage.before.add(this.#step);
    view.marks.scaleHeat(this.#largest());
    this.#fitGround();
    this.seek(track.start);
  }

  get start() {
    return this.#track.start;
  }
  get end() {
    return this.#track.end;
  }
  get time() {
    return this.#time;
  }

  #build() {
    const { start, end } = this.#track,
      view = this.#view;
    this.#curves = new Curves((t) => (this.pause(), this.seek(t)));
    this.play = button("Play", () => (this.playing ? this.pause() : this.resume()), { className: "lv-play" });
    this.line = element("input", {
      type: "range",
      min: start,
      max: end,
      step: (end - start) / 10000 || 1,
      ariaLabel: "Time",
    });
    this.line.addEventListener("input", () => (this.pause(), this.seek(Number(this.line.value))));
    this.clock = element("output", { className: "lv-clock" });
    const speeds = SPEEDS.map((x) => [`${x} ×`, String(x)]),
      speed = choice("Speed", speeds, (x) => (this.speed = Number(x)));
    this.speed = fittingSpeed(end - start);
    speed.select.value = String(this.speed);
    const frames = frameChoices(view.robot).map(([name, i]) => [name, String(i)]);
    const trace = (this.#trace = choice("Trace", [["none", "-1"], ["all ends", "-2"], ...frames], (i) => this.trace(Number(i))));
    const kinds = (this.#kinds = choice("Curves", [...this.#groups.map((g) => [g.title, g.title]), ["none", ""]], (g) => this.curves(g)));
    const bar = element(
      "div",
      { className: "lv-bar" },
      this.play,
      element("div", { className: "lv-line" }, this.line, this.#marks()),
      this.clock,
      speed.row,
      kinds.row,
      trace.row,
      check("Repeat", true, (on) => (this.loop = on)).row,
    );
    view.dockElement.replaceChildren(this.#curves.element, this.#legend, bar);
    view.dockElement.hidden = false;
    this.curves(this.#groups[0]?.title ?? "");
    view.addEventListener("theme", this.#redraw);
  }

  #redraw = () => this.#curves.redraw();

  /** Events on the time line: ticks that jump there. */
  #marks() {
    const { start, end, motion } = this.#track,
      marks = element("div", { className: "lv-events" });
    for (const { time, text } of motion.events ?? []) {
      const label = `${number(time)} s: ${text}`;
      const mark = button("", () => (this.pause(), this.seek(time)), { title: label, ariaLabel: label });
      mark.style.left = `${(100 * (time - start)) / (end - start || 1)}%`;
      marks.append(mark);
    }
    return marks;
  }

  /** Largest force of each velocity. */
  #largest() {
    const { tau } = this.#track.motion,
      { nv } = this.#view.robot;
    if (!tau) return null;
    const most = new Float64Array(nv);
    tau.forEach((x, k) => (most[k % nv] = Math.max(most[k % nv], Math.abs(x))));
    return most;
  }

  /** A grid below all of the motion, and a camera that sees it. */
  #fitGround() {
    const view = this.#view,
      { figure } = view,
      steps = Math.min(40, this.#track.rows);
    const all = figure.box();
    for (let k = 0; k <= steps; k++) {
      figure.move(view.robot.poses(this.#track.q(this.start + ((this.end - this.start) * k) / steps)));
      all.union(figure.box());
    }
    const centre = all.getCenter(all.min.clone()),
      radius = Math.max(all.getSize(all.min.clone()).length() / 2, 1e-6),
      own = figure.bounds().radius;
    if (radius < 4 * own) view.frameSphere(centre, radius);
    view.setGround(all, Math.min(radius, 4 * own));
  }

  /** Shows a group of curves by its title; "": none. */
  curves(title) {
    const group = this.#groups.find((g) => g.title === title);
    this.#group = this.#kinds.select.value = title;
    this.#curves.element.hidden = this.#legend.hidden = !group;
    if (!group) return;
    if (!this.#hidden.has(title)) this.#hidden.set(title, new Set(group.series.slice(SHOWN).map((_, k) => k + SHOWN)));
    const hidden = this.#hidden.get(title);
    this.#legend.replaceChildren(
      ...group.series.map(({ name }, k) => {
        const { box, row } = check(name, !hidden.has(k), (on) => {
          if (on) hidden.delete(k);
          else hidden.add(k);
          this.#plot(group, hidden);
        });
        box.style.accentColor = colourOf(k);
        row.style.setProperty("--lv-colour", colourOf(k));
        return row;
      }),
    );
    this.#plot(group, hidden);
  }

  #plot(group, hidden) {
    const series = group.series.map((one, k) => ({ ...one, values: one.values(), colour: colourOf(k) }));
    const { time, events } = this.#track.motion;
    this.#curves.show(time, series.filter((_, k) => !hidden.has(k)), group.unit, events ?? []);
    this.#curves.cursor(this.#time);
  }

  /** Draws the path of a frame; -1: none, -2: those of all ends. */
  trace(frame) {
    const { robot, marks } = this.#view;
    this.#trace.select.value = String(frame);
    marks.clearTraces();
    const parents = new Set(robot.joints.map((joint) => joint.parent));
    const ends = robot.bodies.flatMap((body, i) => (i > 0 && body.standsFor < 0 && !parents.has(i) ? [i] : []));
    const { rows, motion } = this.#track,
      skip = Math.ceil(rows / TRACED);
    const wanted = frame === -2 ? ends.slice(0, 8) : frame >= 0 ? [frame] : [];
    const paths = wanted.map(() => []);
    for (let i = 0; i < rows && wanted.length > 0; i += skip) {
      const poses = robot.poses(motion.q.subarray(i * robot.nq, (i + 1) * robot.nq));
      // The origin of an end lies on its joint: its centre of mass tells more.
      wanted.forEach((f, k) => paths[k].push(...framePosition(robot, poses, f, frame === -2 ? robot.bodies[f].com : null)));
    }
    for (const path of paths) marks.trace(path);
  }

  seek(t) {
    const view = this.#view,
      track = this.#track;
    this.#time = Math.min(track.end, Math.max(track.start, t));
    this.line.value = this.#time;
    this.clock.textContent = `${this.#time.toFixed(3)} s`;
    this.line.setAttribute("aria-valuetext", this.clock.textContent);
    const [v, a, tau] = ["v", "a", "tau"].map((kind) => track.values(kind, this.#time));
    view.set(track.q(this.#time), v ? { v, a, tau } : null);
    const wrenches = track.motion.wrenches ?? [];
    view.marks.showWrenches(
      wrenches.map(({ at, force }) => ({ at: track.point(at, this.#time), force: track.point(force, this.#time) })),
    );
    if (this.#group) this.#curves.cursor(this.#time);
  }

  resume() {
    if (this.#time >= this.#track.end) this.seek(this.#track.start);
    this.playing = true;
    this.#last = null;
    this.play.textContent = "Pause";
    this.#view.stage.draw();
  }

  pause() {
    this.playing = false;
    this.play.textContent = "Play";
  }

  /** Before each frame. */
  #step = (now) => {
    if (!this.playing) return;
    const elapsed = this.#last === null ? 0 : Math.min(0.25, (now - this.#last) / 1000);
    this.#last = now;
    let t = this.#time + elapsed * this.speed;
    if (t >= this.#track.end) {
      if (!this.loop) {
        this.seek(this.#track.end);
        return this.pause();
      }
      t = this.#track.start;
    }
    this.seek(t);
    queueMicrotask(() => this.#view.stage.draw());
  };

  destroy() {
    this.pause();
    this.#view.stage.before.delete(this.#step);
    this.#view.removeEventListener("theme", this.#redraw);
    this.#view.marks.clearTraces();
    this.#view.marks.showWrenches([]);
    this.#curves.destroy();
    this.#view.dockElement.replaceChildren();
    this.#view.dockElement.hidden = true;
  }
}

/** Short motions play slower and long ones faster, so that they last about 3 to 40 s. */
function fittingSpeed(duration) {
  if (duration > 0 && duration < 1.5) return SPEEDS.findLast((x) => duration / x >= 3) ?? SPEEDS[0];
  return duration > 60 ? (SPEEDS.find((x) => duration / x <= 40) ?? 8) : 1;
}

/** What can be drawn over time. Values are computed when they are shown. */
function curveGroups(robot, track) {
  const { motion, rows } = track,
    groups = [];
  const column = (all, width, k) => () => Float64Array.from({ length: rows }, (_, i) => all[i * width + k]);
  const split = (title, list) => {
    for (const unit of new Set(list.map((one) => one.unit)))
      groups.push({
        title: new Set(list.map((one) => one.unit)).size > 1 ? `${title} [${unit}]` : title,
        unit,
        series: list.filter((one) => one.unit === unit),
      });
  };
  const { nq, nv } = robot;
  split(
    "Positions",
    robot.coordinates.map(({ name, unit }, k) => ({ name, unit, values: column(motion.q, nq, k) })),
  );
  const rate = (unit) => `${unit}/s`;
  if (motion.v)
    split(
      "Velocities",
      robot.velocities.map(({ name, unit }, k) => ({ name, unit: unit.includes("/") ? unit : rate(unit), values: column(motion.v, nv, k) })),
    );
  if (motion.tau) {
    const driven = robot.velocities.flatMap(({ name, forceUnit }, k) => {
      const values = column(motion.tau, nv, k);
      return values().some((x) => Math.abs(x) > 1e-9) ? [{ name, unit: forceUnit, values }] : [];
    });
    split("Forces", driven);
    const powers = driven.map((one, j) => {
      const k = robot.velocities.findIndex(({ name }) => name === one.name);
      const values = () => Float64Array.from({ length: rows }, (_, i) => motion.tau[i * nv + k] * motion.v[i * nv + k]);
      return { name: driven[j].name, unit: "W", values };
    });
    if (motion.v && powers.length > 0) groups.push({ title: "Power", unit: "W", series: powers });
  }
  if (motion.v) groups.push(energyGroup(robot, track));
  for (const unit of new Set((motion.curves ?? []).map((c) => c.unit)))
    groups.push({
      title: `Channels${unit && unit !== "-" ? ` [${unit}]` : ""}`,
      unit: unit === "-" ? "" : unit,
      series: motion.curves.filter((c) => c.unit === unit).map((c) => ({ name: c.name, unit, values: () => c.values })),
    });
  return groups;
}

/** Kinetic and potential energy and their sum, by limb.wasm, once. */
function energyGroup(robot, track) {
  const { motion, rows } = track,
    { nq, nv } = robot;
  let made = null;
  const compute = () => {
    const evaluator = robot.evaluator(["T", "U"], { inputs: ["q", "v"] });
    made = { T: new Float64Array(rows), U: new Float64Array(rows), sum: new Float64Array(rows) };
    for (let i = 0; i < rows; i++) {
      const state = { q: motion.q.subarray(i * nq, (i + 1) * nq), v: motion.v.subarray(i * nv, (i + 1) * nv) };
      try {
        const { T, U } = evaluator.run(state);
        [made.T[i], made.U[i], made.sum[i]] = [T[0], U[0], T[0] + U[0]];
      } catch {
        made.T[i] = made.U[i] = made.sum[i] = NaN;
      }
    }
    evaluator.free();
  };
  const values = (kind) => () => {
    if (!made) compute();
    return made[kind];
  };
  return {
    title: "Energy",
    unit: "J",
    series: [
      { name: "kinetic", values: values("T") },
      { name: "potential", values: values("U") },
      { name: "sum", values: values("sum") },
    ],
  };
}
