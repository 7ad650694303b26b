// Inverse dynamics of a table: torques of a motion, curves, and what a motor must be able to do.
import type { TableMotion } from "../../limb-wasm/index.js";
import { Chart } from "./chart.js";
import { button, check, download, element, field, message, number, reason, say, table } from "./dom.js";
import type { Engine } from "./engine.js";
import type { Model } from "./model.js";
import type { Viewer } from "./viewer.js";

export class MotionTab {
  readonly place = element("div", { className: "motion-tab" });
  #model: Model;
  #engine: Engine;
  #viewer: Viewer;
  #file = element("input", { type: "file", accept: ".csv,text/csv" });
  #differentiate: HTMLInputElement;
  #message = message();
  #notes = element("ul", { className: "notes" });
  #result = element("div", { className: "results" });
  #save: HTMLButtonElement;
  #chart: Chart | null = null;
  #table: { name: string; bytes: Uint8Array } | null = null;
  #motion: TableMotion | null = null;

  constructor(model: Model, engine: Engine, viewer: Viewer) {
    this.#model = model;
    this.#engine = engine;
    this.#viewer = viewer;
    const [box, label] = check("velocities and accelerations from the positions", false, () => this.#run());
    this.#differentiate = box;
    this.#file.addEventListener("change", () => this.#chosen());
    this.#save = button("Save torques", () => download("torques.csv", this.csv()), { hidden: true });
    const example = button("Example motion", () => this.#example());
    const about =
      "A table of states over time: columns time, q.<joint>, v.<joint>, a.<joint>. What comes out is what the motors " +
      "deliver, as limb id computes it.";
    this.place.append(
      element("p", { className: "faint", textContent: about }),
      element("div", { className: "row" }, field("CSV table", this.#file), label, example, this.#save),
      this.#message,
      this.#notes,
      this.#result,
    );
    model.addEventListener("open", () => this.#clear());
  }

  #clear(): void {
    this.#table = null;
    this.#motion = null;
    this.#file.value = "";
    this.#empty();
    say(this.#message, "");
  }

  #empty(): void {
    this.#chart?.destroy();
    this.#chart = null;
    this.#result.replaceChildren();
    this.#notes.replaceChildren();
    this.#save.hidden = true;
  }

  async #chosen(): Promise<void> {
    const file = this.#file.files?.[0];
    if (file) this.open(file.name, new Uint8Array(await file.arrayBuffer()));
  }

  open(name: string, bytes: Uint8Array): void {
    this.#table = { name: name.split("/").pop()!, bytes };
    // Positions alone are differentiated without being asked for.
    const head = new TextDecoder().decode(bytes.subarray(0, 20_000)).split("\n", 1)[0]!;
    this.#differentiate.checked = !/(^|,)\s*"?(v|a|acc)\./.test(head);
    void this.#run();
  }

  /** Joints swing about where they stand, within their limits. */
  #example(): void {
    const { robot, state } = this.#model;
    if (!robot) return;
    const moving = robot.joints.filter(({ nq, nv, mimic }) => nq === 1 && nv === 1 && mimic < 0);
    const free = robot.loops.length === 0 ? moving : [];
    const rows = Array.from({ length: 201 }, (_, i) => {
      const q = Float64Array.from(state.q);
      free.forEach(({ q: k, min, max }, j) => {
        const [low, high] = [min ?? -Infinity, max ?? Infinity];
        const room = Math.min(0.3, (high - low) / 4);
        const middle = Math.min(Math.max(q[k]!, low + room), high - room);
        q[k] = middle + room * Math.sin((i / 200) * 2 * Math.PI * (1 + (j % 3))) ** 3;
      });
      return [i * 0.01, ...q].join(",");
    });
    const head = ["time", ...robot.coordinates.map(({ name }) => `q.${name}`)];
    this.open("example.csv", new TextEncoder().encode(`${head.join(",")}\n${rows.join("\n")}\n`));
  }

  async #run(): Promise<void> {
    if (!this.#table) return;
    const { name, bytes } = this.#table;
    say(this.#message, `Computing ${name} …`);
    this.#empty();
    try {
      this.#motion = await this.#engine.motion(bytes, name, this.#differentiate.checked);
      this.#show(this.#motion);
      say(this.#message, `${name}: ${this.#motion.time.length} rows`);
    } catch (error) {
      say(this.#message, reason(error), "error");
    }
  }

  /** Velocities whose joints have a motor; of robots with loops only they have torques. */
  #motors() {
    const { velocities, joints, loops } = this.#model.robot!;
    return velocities.filter(({ joint }) => loops.length === 0 || !joints[joint]!.passive);
  }

  #show(motion: TableMotion): void {
    const robot = this.#model.robot!;
    const motors = this.#motors();
    const groups = [
      { title: "Torques and forces", curves: motors.map(({ name, forceUnit }) => ({ name: `tau.${name}`, unit: forceUnit })) },
      { title: "Velocities", curves: robot.velocities.map(({ name, unit }) => ({ name: `v.${name}`, unit })) },
      { title: "Positions", curves: robot.coordinates.map(({ name, unit }) => ({ name: `q.${name}`, unit })) },
    ].map(({ title, curves }) => ({ title, curves: curves.slice(0, 12) }));
    this.#chart = new Chart(groups, (row) => this.#point(row));
    const values = groups.flatMap(({ curves }) =>
      curves.map(({ name }) => {
        const [kind, ...rest] = name.split(".");
        return motion[kind as "q" | "v" | "tau"][rest.join(".")]!;
      }),
    );
    this.#result.append(this.#chart.place, ...this.#sizing(motion));
    this.#chart.set(motion.time, values);
    this.#notes.replaceChildren(...motion.notes.map((text) => element("li", { textContent: text })));
    this.#save.hidden = false;
    this.#play(motion);
  }

  #point(row: number): void {
    const { coordinates } = this.#model.robot!;
    const q = Float64Array.from(coordinates, ({ name }) => this.#motion!.q[name]![row] ?? NaN);
    if (q.every(Number.isFinite)) this.#viewer.show(q);
  }

  #play(motion: TableMotion): void {
    if (!motion.hasTime || motion.time.length < 2) return;
    const robot = this.#model.robot!;
    const rows = motion.time.length;
    const block = (names: { name: string }[], kind: "q" | "v" | "tau") => {
      const all = new Float64Array(rows * names.length);
      names.forEach(({ name }, k) => motion[kind][name]!.forEach((x, i) => (all[i * names.length + k] = x)));
      return all;
    };
    this.#viewer.play({
      time: motion.time,
      q: block(robot.coordinates, "q"),
      v: block(robot.velocities, "v"),
      tau: block(robot.velocities, "tau"),
    });
  }

  #sizing({ sizing }: TableMotion): HTMLElement[] {
    const rows = this.#motors()
      .filter(({ name }) => sizing[name])
      .map(({ name, forceUnit }) => {
        const x = sizing[name]!;
        const over = x.torqueLimit !== null && Math.abs(x.torque.value) > x.torqueLimit;
        const peak = element("span", { className: over ? "over" : "" }, number(x.torque.value), over ? " over the limit" : "");
        return [
          name,
          peak,
          number(x.torqueLimit),
          number(x.torqueRms),
          forceUnit,
          number(x.speed.value),
          number(x.speedLimit),
          number(x.power.value),
          number(x.energyDelivered),
          number(x.energyAbsorbed),
        ];
      });
    const head = ["joint", "peak", "limit", "RMS", "unit", "peak speed", "limit", "peak power [W]", "delivered [J]", "absorbed [J]"];
    return rows.length > 0 ? [table("What each motor must deliver", head, rows)] : [];
  }

  /** As `limb id` writes it. */
  csv(): string {
    const { time, tau, hasTime } = this.#motion!;
    const motors = this.#motors();
    const head = [...(hasTime ? ["time"] : []), ...motors.map(({ name }) => `tau.${name}`)];
    const rows = Array.from(time, (t, i) => [...(hasTime ? [t] : []), ...motors.map(({ name }) => tau[name]![i])].join(","));
    return `${head.join(",")}\n${rows.join("\n")}\n`;
  }

  theme(): void {
    this.#chart?.theme();
  }
}
