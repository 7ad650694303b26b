// Simulation, live: a run file, computed in the worker, drawn as it comes.
import type { Column } from "../../limb-wasm/index.js";
import { Chart } from "./chart.js";
import { button, choice, download, element, field, message, number, reason, say } from "./dom.js";
import { Editor } from "./editor.js";
import type { Engine, RunEnd, RunPart } from "./engine.js";
import type { Model } from "./model.js";
import { RUNS, ownRun } from "./runs.js";
import type { Viewer } from "./viewer.js";

const RATE = 60; // rows per second
const DRAW = 100; // ms between two looks at the curves

export class SimulateTab {
  readonly place = element("div", { className: "simulate-tab" });
  #model: Model;
  #engine: Engine;
  #viewer: Viewer;
  #editor: Editor;
  #runs = choice([["", "Choose an example …"], ...RUNS.map(({ title }, k): [string, string] => [String(k), title])], () => this.#example());
  #speed = choice(
    [
      ["1", "real time"],
      ["4", "4 times faster"],
      ["0.25", "4 times slower"],
      ["0", "as fast as possible"],
    ],
    () => undefined,
  );
  #start: HTMLButtonElement;
  #stop: HTMLButtonElement;
  #save: HTMLButtonElement;
  #message = message();
  #clock = element("output", { className: "clock" });
  #charts = element("div");
  #chart: Chart | null = null;
  #columns: Column[] = [];
  #rows: Float64Array[] = [];
  #next: string | null = null; // run file of the model that is about to open
  #drawn = 0;

  constructor(model: Model, engine: Engine, viewer: Viewer) {
    this.#model = model;
    this.#engine = engine;
    this.#viewer = viewer;
    const host = element("div", { className: "editor short" });
    this.#editor = new Editor(host, "Run file", () => undefined);
    this.#start = button("Simulate", () => this.run(), { className: "main" });
    this.#stop = button("Stop", () => engine.stop(), { hidden: true });
    this.#save = button("Save CSV", () => download(`${model.robot?.name || "robot"}.csv`, this.csv()), { hidden: true });
    const runFile = button("Save run file", () => download(`${model.robot?.name || "robot"}.run.yaml`, this.#editor.text));
    const row = element("div", { className: "row" }, this.#start, this.#stop, field("Speed", this.#speed), this.#clock);
    this.place.append(
      element("div", { className: "row" }, field("Example", this.#runs), element("span", { className: "gap" }), runFile, this.#save),
      host,
      row,
      this.#message,
      this.#charts,
    );
    model.addEventListener("open", () => this.#opened());
    model.addEventListener("check", () => this.#clear());
  }

  #opened(): void {
    const text = this.#next ?? ownRun(this.#model);
    if (this.#next === null) this.#runs.value = "";
    this.#next = null;
    this.#editor.open("robot.run.yaml", text);
  }

  #example(): void {
    const example = RUNS[Number(this.#runs.value)];
    if (!this.#runs.value || !example) return;
    this.#next = example.text;
    this.#model.openBuiltIn(example.model);
  }

  /** A run file that was dropped. Its model: that of the page, or a built-in robot that it names. */
  open(text: string): void {
    try {
      const { model } = this.#model.limb.run({ name: "dropped.run.yaml", text });
      const known = this.#model.limb.robots().some(({ name }) => name === model);
      if (known) {
        this.#next = text;
        this.#model.openBuiltIn(model!);
        return;
      }
    } catch (error) {
      say(this.#message, reason(error), "error");
    }
    this.#editor.open("robot.run.yaml", text);
  }

  #clear(): void {
    this.#chart?.destroy();
    this.#chart = null;
    this.#rows = [];
    this.#save.hidden = true;
    this.#clock.textContent = "";
    say(this.#message, "");
  }

  async run(): Promise<void> {
    if (!this.#model.robot || this.#start.disabled) return;
    this.#clear();
    this.#start.disabled = true;
    this.#stop.hidden = false;
    const before = performance.now();
    try {
      const settings = { channels: "q,v,tau,energy", rate: RATE };
      const file = { name: "robot.run.yaml", text: this.#editor.text };
      const end = await this.#engine.simulate(settings, file, Number(this.#speed.value), (part) => this.#take(part));
      this.#ended(end, performance.now() - before);
    } catch (error) {
      say(this.#message, reason(error), "error");
    }
    this.#start.disabled = false;
    this.#stop.hidden = true;
  }

  #take({ columns, rows }: RunPart): void {
    if (columns) this.#begin(columns);
    if (!rows) return;
    this.#rows.push(...rows);
    const last = rows.at(-1)!;
    const { nq, nv } = this.#model.robot!;
    const part = (first: number, count: number) => last.subarray(1 + first, 1 + first + count);
    this.#viewer.show(part(0, nq), part(nq, nv), part(nq + nv, nv));
    this.#clock.textContent = `${last[0]!.toFixed(2)} s`;
    if (performance.now() - this.#drawn > DRAW) this.#draw();
  }

  #begin(columns: Column[]): void {
    this.#columns = columns;
    const group = (title: string, prefix: string) => ({
      title,
      curves: columns.filter(({ name }) => name.startsWith(prefix)).slice(0, 12),
    });
    const groups = [
      group("Positions", "q."),
      group("Velocities", "v."),
      group("Torques and forces", "tau."),
      group("Energy", "energy."),
    ];
    this.#shown = groups.flatMap(({ curves }) => curves.map((curve) => 1 + columns.indexOf(curve)));
    this.#chart = new Chart(groups, (row) => this.#point(row));
    this.#charts.replaceChildren(this.#chart.place);
  }
  #shown: number[] = []; // columns of the curves

  #draw(): void {
    this.#drawn = performance.now();
    const column = (k: number) => Float64Array.from(this.#rows, (row) => row[k]!);
    this.#chart?.set(column(0), this.#shown.map(column));
  }

  #point(row: number): void {
    const { nq } = this.#model.robot!;
    const at = this.#rows[row];
    if (at && this.#stop.hidden) this.#viewer.show(at.subarray(1, 1 + nq));
  }

  #ended({ error, events, summary, time, stopped }: RunEnd, took: number): void {
    this.#draw();
    this.#save.hidden = this.#rows.length === 0;
    const steps = summary ? `${summary.method}, ${summary.steps} steps` : "";
    const drift = summary ? summary.energy - summary.energyAtStart - summary.work : 0;
    const words = [
      `${number(time)} s ${stopped ? "until stopped" : "simulated"} in ${number(took / 1000, 3)} s`,
      steps,
      summary && `energy balance ${number(drift, 2)} J`,
      ...events.slice(0, 8).map(({ time: at, text }) => `${number(at)} s: ${text}`),
    ].filter(Boolean);
    say(this.#message, error ? `${error} (at ${number(time)} s)` : words.join(" · "), error ? "error" : "");
    if (this.#rows.length > 1) this.#viewer.play(this.#motion(events));
  }

  #motion(events: RunEnd["events"]) {
    const { nq, nv } = this.#model.robot!;
    const rows = this.#rows;
    const block = (first: number, count: number) => {
      const all = new Float64Array(rows.length * count);
      rows.forEach((row, i) => all.set(row.subarray(1 + first, 1 + first + count), i * count));
      return all;
    };
    return {
      time: Float64Array.from(rows, (row) => row[0]!),
      q: block(0, nq),
      v: block(nq, nv),
      tau: block(nq + nv, nv),
      events: events.map(({ time, text }) => ({ time, text })),
    };
  }

  /** As `limb sim` writes it. */
  csv(): string {
    const head = ["time", ...this.#columns.map(({ name }) => (/[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name))];
    return [head.join(","), ...this.#rows.map((row) => row.join(","))].join("\n") + "\n";
  }

  theme(): void {
    this.#chart?.theme();
  }
}
