// A simulation, row by row.
import { LimbError, Memory, sentence, shortName, within } from "./memory.js";

/** The text of a setting, as on the command line of `limb sim`. */
function settingText(value) {
  if (value === true) return "";
  if (Array.isArray(value)) return value.join(",");
  if (typeof value === "object")
    return Object.entries(value)
      .map(([name, x]) => `${/[,='\s]/.test(name) ? `'${name}'` : name}=${x}`)
      .join(",");
  return String(value);
}

export class Simulation {
  #calls;
  #handle;

  constructor(calls, robot, settings, path) {
    this.#calls = calls;
    within(calls, (memory) => {
      const words = [];
      for (const [name, value] of Object.entries(settings)) {
        if (value === undefined || value === false) continue;
        words.push(
          name.replace(/[A-Z]/g, (c) => "-" + c.toLowerCase()),
          settingText(value),
        );
      }
      if (words.length > 128) throw new LimbError("more than 64 settings");
      // The settings must outlive the run.
      const kept = new Memory(calls);
      this.kept = kept;
      this.#handle = calls.web_sim_open(robot, kept.text(path), kept.list(words));
      const { error } = this.describe();
      if (!error) return;
      this.free();
      throw new LimbError(sentence(path && error.line ? shortName(path) : "", error), error);
    });
  }

  describe() {
    return within(this.#calls, (memory) => memory.json(this.#calls.web_sim_describe(this.#handle)));
  }

  next() {
    if (this.#handle === 0) throw new LimbError("the simulation was freed");
    const row = this.#calls.web_sim_next(this.#handle);
    if (row === 0) return null;
    this.count ??= this.describe().columns.length + 1;
    return new Float64Array(this.#calls.memory.buffer, row, this.count).slice();
  }

  *[Symbol.iterator]() {
    for (let row = this.next(); row; row = this.next()) yield row;
  }

  free() {
    if (this.#handle !== 0) this.#calls.web_sim_close(this.#handle);
    this.#handle = 0;
    this.kept.free();
  }
}
