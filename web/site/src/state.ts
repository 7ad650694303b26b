// A state of the robot, and any quantity of it.
import type { Item, QuantityInfo } from "../../limb-wasm/index.js";
import { button, choice, element, field, message, number, reason, say, table, unitText } from "./dom.js";
import type { Model, State } from "./model.js";

/** Groups whose quantities belong to a frame. */
const OF_FRAMES = ["frames", "task"];
const MOST_CELLS = 4000;

export class StateTab {
  readonly place = element("div", { className: "state-tab" });
  #model: Model;
  #chosen: string[] = ["tau", "M"];
  #known: QuantityInfo[] = [];
  #joints = element("div");
  #inputs: { kind: keyof State; k: number; input: HTMLInputElement }[] = [];
  #search = element("input", { type: "search", placeholder: "tau, J, energy, …", autocomplete: "off" });
  #names = element("datalist", { id: "quantities" });
  #frames = choice([], () => undefined);
  #chips = element("ul", { className: "chips" });
  #results = element("div", { className: "results" });
  #message = message();
  #about = element("p", { className: "faint" });

  constructor(model: Model) {
    this.#model = model;
    this.#search.setAttribute("list", "quantities");
    const form = element("form", { className: "row" });
    form.append(field("Quantity", this.#search), field("Frame", this.#frames), button("Add", () => this.#add()), this.#names);
    form.addEventListener("submit", (event) => (event.preventDefault(), this.#add()));
    this.#search.addEventListener("input", () => this.#explain());
    const zero = button("At rest", () => this.#rest());
    const start = button("Start configuration", () => {
      if (model.robot) model.setState({ q: model.robot.start() });
    });
    this.place.append(
      element("div", { className: "row" }, element("h2", { textContent: "State" }), start, zero),
      this.#joints,
      element("h2", { textContent: "Quantities" }),
      form,
      this.#about,
      this.#message,
      this.#chips,
      this.#results,
    );
    model.addEventListener("check", () => this.#opened());
    model.addEventListener("state", () => this.#changed());
  }

  #opened(): void {
    const { robot } = this.#model;
    if (!robot) return;
    this.#known = robot.available();
    this.#names.replaceChildren(...this.#known.map(({ name, meaning }) => new Option(meaning, name)));
    const frames = [...robot.frames, ...robot.bodies.filter(({ standsFor }) => standsFor < 0)].map(({ name }) => name);
    const before = this.#frames.value;
    this.#frames.replaceChildren(...frames.map((name) => new Option(name, name)));
    this.#frames.value = frames.includes(before) ? before : (robot.bodies.at(-1)?.name ?? "");
    this.#build();
  }

  /** The table of joints with what can be typed. */
  #build(): void {
    const { robot } = this.#model;
    if (!robot) return;
    this.#inputs = [];
    const input = (kind: keyof State, k: number, name: string) => {
      const made = element("input", { type: "number", step: "any", ariaLabel: `${kind} of ${name}` });
      made.addEventListener("change", () => this.#typed(kind, k, made));
      this.#inputs.push({ kind, k, input: made });
      return made;
    };
    const rows = robot.coordinates.map(({ name, unit }, k) => [name, input("q", k, name), unit]);
    const rates = robot.velocities.map(({ name, unit }, k) => [name, input("v", k, name), input("a", k, name), unit]);
    const same = robot.nq === robot.nv;
    this.#joints.replaceChildren(
      ...(same
        ? [
            table(
              "Joints",
              ["joint", "q", "v", "a", "unit of q"],
              rows.map(([name, q, unit], k) => [name!, q!, rates[k]![1]!, rates[k]![2]!, unit!]),
            ),
          ]
        : [
            table("Positions", ["coordinate", "q", "unit"], rows as (Node | string)[][]),
            table("Velocities", ["velocity", "v", "a", "unit of v"], rates as (Node | string)[][]),
          ]),
    );
  }

  #typed(kind: keyof State, k: number, input: HTMLInputElement): void {
    const { robot, state } = this.#model;
    const x = input.valueAsNumber;
    if (!robot || !Number.isFinite(x)) return this.#changed();
    const next = Float64Array.from(state[kind]);
    next[k] = x;
    const velocity = robot.velocities.findIndex(({ name }) => name === robot.coordinates[k]?.name);
    if (kind === "q" && robot.loops.length > 0 && velocity >= 0) {
      const moved = robot.move(state.q, velocity, x); // loops stay closed
      say(this.#message, moved.reached ? "" : "the loops do not close there", "warning");
      this.#model.setState({ q: moved.q });
    } else this.#model.setState({ [kind]: next });
  }

  #rest(): void {
    const nv = this.#model.robot?.nv ?? 0;
    this.#model.setState({ v: new Float64Array(nv), a: new Float64Array(nv) });
  }

  #explain(): void {
    const about = this.#known.find(({ name }) => name === this.#search.value.trim().split(/[.@]/)[0]);
    this.#about.textContent = about ? `${about.meaning}. ${about.equation} [${unitText(about.unit)}]` : "";
  }

  #add(): void {
    let name = this.#search.value.trim();
    if (!name) return;
    const about = this.#known.find((quantity) => quantity.name === name);
    if (about && OF_FRAMES.includes(about.group)) name = `${name}.${this.#frames.value}`;
    if (!this.#chosen.includes(name)) this.#chosen.unshift(name);
    this.#search.value = "";
    this.#about.textContent = "";
    this.#changed();
  }

  #remove(name: string): void {
    this.#chosen = this.#chosen.filter((other) => other !== name);
    this.#changed();
  }

  #changed(): void {
    const { robot, state } = this.#model;
    if (!robot) return;
    for (const { kind, k, input } of this.#inputs) {
      const x = state[kind][k] ?? 0;
      if (document.activeElement !== input || input.valueAsNumber !== x) input.value = String(Number(x.toPrecision(7)));
    }
    if (this.place.hidden) return;
    this.#chips.replaceChildren(
      ...this.#chosen.map((name) =>
        element("li", {}, name, button("×", () => this.#remove(name), { ariaLabel: `Remove ${name}` })),
      ),
    );
    this.#evaluate();
  }

  /** Called when the tab is shown: nothing is computed while it is not. */
  show(): void {
    this.#changed();
  }

  #evaluate(): void {
    const { robot, state } = this.#model;
    const made: HTMLElement[] = [];
    for (const name of this.#chosen) {
      try {
        const evaluator = robot!.evaluator(name, { inputs: ["q", "v", "a"] });
        try {
          const values = evaluator.run(state);
          for (const item of evaluator.items) made.push(result(item, values[item.name]!));
        } finally {
          evaluator.free();
        }
      } catch (error) {
        made.push(element("p", { className: "message error", textContent: `${name}: ${reason(error)}` }));
      }
    }
    this.#results.replaceChildren(...made);
  }
}

/** A quantity as a table: by its last axis if it has two or more. */
function result(item: Item, x: Float64Array): HTMLElement {
  const { labels, unit, name, size } = item;
  const caption = `${name}${unit && unit !== "-" ? ` [${unitText(unit)}]` : ""}`;
  if (size > MOST_CELLS) return element("p", { textContent: `${caption}: ${size} numbers, too many to be shown` });
  const across = labels.length > 1 ? labels.at(-1)! : [];
  const width = across.length || 1;
  const down = labels.slice(0, across.length ? -1 : undefined);
  const rowName = (k: number) => {
    const parts: string[] = [];
    for (let axis = down.length - 1, rest = k; axis >= 0; axis--) {
      parts.unshift(down[axis]![rest % down[axis]!.length]!);
      rest = Math.floor(rest / down[axis]!.length);
    }
    return parts.join(" · ");
  };
  // Rounding noise of the largest number is no result.
  const noise = 1e-14 * x.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const rows = Array.from({ length: size / width }, (_, k) => [
    rowName(k),
    ...[...x.subarray(k * width, (k + 1) * width)].map((value) => number(Math.abs(value) < noise ? 0 : value)),
  ]);
  return table(caption, ["", ...(across.length ? across : [""])], rows);
}
