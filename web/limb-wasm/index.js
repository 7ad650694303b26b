// limb in JavaScript: robots, quantities by name, simulation, computed by limb.wasm. index.d.ts has the interface.
import { Files, wasiImports } from "./wasi.js";

const FORMATS = ["auto", "urdf", "yaml", "par", "mjcf", "sdf"];
const BASES = ["as-file", "fixed", "floating", "planar"];
const INPUTS = { q: 1, v: 2, a: 4, tau: 8, time: 16 }; // LIMB_NEEDS_Q ... of limb/quantities.h
const FOLDER = "/model/";

export class LimbError extends Error {
  /** @param {string} message */
  constructor(message, detail = {}, findings = []) {
    super(message);
    this.name = "LimbError";
    this.detail = detail;
    this.findings = findings;
  }
}

/** An error of limb as one line. */
function sentence(source, error) {
  const position = error.line > 0 ? `:${error.line}:${error.column}` : "";
  return [source && source + position, error.where, error.text].filter(Boolean).join(": ");
}

/** Memory of limb.wasm: texts, arrays and lists go in, texts and arrays come out. */
class Memory {
  /** @param {any} calls */
  constructor(calls) {
    this.calls = calls;
    /** @type {number[]} */
    this.blocks = [];
  }

  allocate(size) {
    const at = this.calls.malloc(size || 1);
    if (at === 0) throw new LimbError("out of memory");
    this.blocks.push(at);
    return at;
  }

  /** @param {string | null | undefined} value */
  text(value) {
    if (value === null || value === undefined) return 0;
    if (value.includes("\0")) throw new LimbError("a text contains a zero byte");
    const bytes = new TextEncoder().encode(value);
    const at = this.allocate(bytes.length + 1);
    const place = new Uint8Array(this.calls.memory.buffer, at, bytes.length + 1);
    place.set(bytes);
    place[bytes.length] = 0;
    return at;
  }

  /** A list of texts, closed by NULL. @param {string[]} values */
  list(values) {
    const places = values.map((value) => this.text(value));
    const at = this.allocate(4 * (values.length + 1));
    new Uint32Array(this.calls.memory.buffer, at, values.length + 1).set([...places, 0]);
    return at;
  }

  /** @param {ArrayLike<number> | null | undefined} values */
  numbers(values, count, name) {
    if (values === null || values === undefined) return 0;
    if (values.length !== count) throw new LimbError(`${name} has ${values.length} numbers; the robot needs ${count}`);
    const at = this.allocate(8 * count);
    this.array(at, count).set(values);
    return at;
  }

  array(at, count) {
    return new Float64Array(this.calls.memory.buffer, at, count);
  }

  json(at) {
    if (at === 0) throw new LimbError("out of memory");
    const bytes = new Uint8Array(this.calls.memory.buffer, at);
    return JSON.parse(new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0))));
  }

  free() {
    for (const at of this.blocks) this.calls.free(at);
    this.blocks = [];
  }
}

/** Runs a function with memory that is freed afterwards. */
function within(calls, work) {
  const memory = new Memory(calls);
  try {
    return work(memory);
  } finally {
    memory.free();
  }
}

export class Limb {
  #calls;
  #files;

  constructor(calls, files) {
    this.#calls = calls;
    this.#files = files;
  }

  get memoryBytes() {
    return this.#calls.memory.buffer.byteLength;
  }

  robots() {
    return within(this.#calls, (memory) => memory.json(this.#calls.web_robots()));
  }

  load(source, options = {}) {
    const given = typeof source === "string" ? {} : source;
    let name = typeof source === "string" ? source : given.name;
    if (given.text !== undefined) {
      if (!name) throw new LimbError("a text needs a name, such as arm.urdf: messages begin with it");
      this.#files.set(FOLDER + name, given.text);
    }
    for (const [path, content] of Object.entries(given.files ?? {})) this.#files.set(FOLDER + path, content);
    if (given.files && !name) throw new LimbError("files need a name: the one of them that is the model");
    try {
      return this.#open(typeof source === "string" ? name : FOLDER + name, options);
    } finally {
      this.#files.clear();
    }
  }

  #open(path, options) {
    const choose = (list, value, what) => {
      const k = list.indexOf(value);
      if (k < 0) throw new LimbError(`unknown ${what} '${value}'; known: ${list.join(", ")}`);
      return k;
    };
    return within(this.#calls, (memory) => {
      const how = memory.allocate(24);
      const args = Object.entries(options.args ?? {}).map(([key, value]) => `${key}:=${value}`);
      const packages = (options.packages ?? []).map((folder) => FOLDER + folder).join(":");
      const words = [
        choose(FORMATS, options.format ?? "auto", "format"),
        choose(BASES, options.base ?? "as-file", "base"),
        options.mimic === false ? 1 : 0,
        options.doctor === false ? 0 : 1,
        packages ? memory.text(packages) : 0,
        args.length > 0 ? memory.list(args) : 0,
      ];
      const source = memory.text(path);
      new Uint32Array(this.#calls.memory.buffer, how, words.length).set(words);
      const handle = this.#calls.web_open(source, how);
      if (handle === 0) throw new LimbError("out of memory");
      const about = memory.json(this.#calls.web_describe(handle));
      const short = (file) => (file.startsWith(FOLDER) ? file.slice(FOLDER.length) : file);
      for (const finding of about.findings ?? []) finding.file = short(finding.file);
      about.source = short(about.source ?? path);
      if (about.error) {
        this.#calls.web_close(handle);
        throw new LimbError(sentence(about.source, about.error), about.error, about.findings);
      }
      delete about.error;
      return new Robot(this.#calls, handle, about);
    });
  }
}

export class Robot {
  #calls;
  #handle;

  constructor(calls, handle, about) {
    this.#calls = calls;
    this.#handle = handle;
    Object.assign(this, about);
    this.nq = about.coordinates.length;
    this.nv = about.velocities.length;
  }

  #open() {
    if (this.#handle === 0) throw new LimbError("the robot was freed");
    return this.#handle;
  }

  free() {
    if (this.#handle !== 0) this.#calls.web_close(this.#handle);
    this.#handle = 0;
  }

  available() {
    return within(this.#calls, (memory) => memory.json(this.#calls.web_quantities(this.#open())));
  }

  start() {
    return within(this.#calls, (memory) => {
      const q = memory.allocate(8 * this.nq);
      if (this.#calls.web_start(this.#open(), q) !== 0) this.#fail(memory);
      return memory.array(q, this.nq).slice();
    });
  }

  move(q, velocity, position) {
    const k = typeof velocity === "number" ? velocity : this.velocities.findIndex((v) => v.name === velocity);
    return within(this.#calls, (memory) => {
      const at = memory.numbers(q, this.nq, "q");
      const status = this.#calls.web_move(this.#open(), k, position, at);
      return { reached: status === 0, q: memory.array(at, this.nq).slice() };
    });
  }

  poses(q) {
    return within(this.#calls, (memory) => {
      const count = 12 * this.bodies.length,
        x = memory.allocate(8 * count);
      if (this.#calls.web_poses(this.#open(), memory.numbers(q, this.nq, "q"), x) !== 0) this.#fail(memory);
      return memory.array(x, count).slice();
    });
  }

  #fail(memory) {
    const { error } = memory.json(this.#calls.web_error(this.#open()));
    throw new LimbError(sentence(this.source, error), error);
  }

  evaluator(names, options = {}) {
    return new Evaluator(this.#calls, this.#open(), this, names, options);
  }

  quantities(names, state, options = {}) {
    const inputs = Object.keys(INPUTS).filter((name) => name === "time" || state[name] != null);
    const evaluator = this.evaluator(names, { inputs, ...options });
    try {
      return evaluator.run(state);
    } finally {
      evaluator.free();
    }
  }

  simulation(settings) {
    return new Simulation(this.#calls, this.#open(), settings);
  }

  simulate(settings) {
    const run = this.simulation(settings);
    try {
      const rows = [...run];
      const about = run.describe();
      if (about.error) throw new LimbError(sentence("", about.error), about.error);
      const { columns, events, summary } = about;
      const column = (k) => Float64Array.from(rows, (row) => row[k]);
      const values = Object.fromEntries(columns.map(({ name }, k) => [name, column(k + 1)]));
      return { time: column(0), values, columns, events, summary };
    } finally {
      run.free();
    }
  }
}

export class Evaluator {
  #calls;
  #handle;
  #robot;

  constructor(calls, handle, robot, names, options) {
    this.#calls = calls;
    this.#robot = robot;
    within(calls, (memory) => {
      const gravity = memory.numbers(options.gravity, 3, "gravity");
      const known = (options.inputs ?? []).reduce((bits, name) => bits | INPUTS[name], 0);
      const [tree, tau] = [options.tree ? 1 : 0, options.tauIsGiven ? 1 : 0];
      this.#handle = calls.web_evaluator_open(handle, known, gravity, tree, tau);
      if (this.#handle === 0) throw new LimbError("out of memory");
      for (const name of typeof names === "string" ? [names] : names) {
        if (calls.web_evaluator_add(this.#handle, memory.text(name)) === 0) continue;
        const { error } = memory.json(calls.web_evaluator_error(this.#handle));
        this.free();
        throw new LimbError(sentence(name, error), error);
      }
      const { items, width } = memory.json(calls.web_evaluator_describe(this.#handle));
      this.items = items;
      this.width = width;
    });
  }

  free() {
    if (this.#handle !== 0) this.#calls.web_evaluator_close(this.#handle);
    this.#handle = 0;
  }

  run(state) {
    if (this.#handle === 0) throw new LimbError("the evaluator was freed");
    const { nq, nv } = this.#robot;
    return within(this.#calls, (memory) => {
      const q = memory.numbers(state.q, nq, "q");
      const [v, a, tau] = ["v", "a", "tau"].map((name) => memory.numbers(state[name], nv, name));
      const x = memory.allocate(8 * this.width);
      if (this.#calls.web_evaluator_run(this.#handle, q, v, a, tau, state.time ?? 0, x) !== 0) {
        const { error } = memory.json(this.#calls.web_evaluator_error(this.#handle));
        throw new LimbError(sentence("", error), error);
      }
      const all = memory.array(x, this.width).slice();
      const result = {};
      for (const { name, offset, size } of this.items) result[name] = all.subarray(offset, offset + size);
      return result;
    });
  }
}

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

  constructor(calls, robot, settings) {
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
      this.#handle = calls.web_sim_open(robot, kept.list(words));
      const { error } = this.describe();
      if (!error) return;
      this.free();
      throw new LimbError(sentence("", error), error);
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

/** The bytes of limb.wasm, beside this file. */
async function ownBytes() {
  const url = new URL("./limb.wasm", import.meta.url);
  if (url.protocol !== "file:") return (await fetch(url)).arrayBuffer();
  const { readFile } = await import("node:fs/promises");
  return readFile(url);
}

export async function createLimb(wasm) {
  const source = wasm ?? (await ownBytes());
  const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source);
  const files = new Files();
  /** @type {WebAssembly.Instance} */
  let instance;
  const memory = () => /** @type {WebAssembly.Memory} */ (instance.exports.memory);
  instance = await WebAssembly.instantiate(module, wasiImports(files, memory));
  /** @type {any} */ (instance.exports)._initialize();
  return new Limb(instance.exports, files);
}
