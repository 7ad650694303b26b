// limb in JavaScript: robots, quantities by name, simulation, computed by limb.wasm. index.d.ts has the interface.
import { answer, FOLDER, LimbError, sentence, shortName, within } from "./memory.js";
import { Simulation } from "./simulation.js";
import { Files, wasiImports } from "./wasi.js";

export { LimbError, Simulation };

const FORMATS = ["auto", "urdf", "yaml", "par", "mjcf", "sdf"];
const BASES = ["as-file", "fixed", "floating", "planar"];
const INPUTS = { q: 1, v: 2, a: 4, tau: 8, time: 16 }; // LIMB_NEEDS_Q ... of limb/quantities.h
const LANGUAGES = ["c", "python", "matlab", "julia", "rust", "latex"];
const NOTATIONS = ["text", "latex", "c"];
const SINES = ["libm", "given", "own"];
const SYMBOLS = ["none", "inertia", "all"];
const ORDERS = ["latency", "registers"];

/** The index of a word, as limb.wasm counts. */
function choose(list, value, what) {
  const k = list.indexOf(value);
  if (k < 0) throw new LimbError(`unknown ${what} '${value}'; known: ${list.join(", ")}`);
  return k;
}

/** How to read, as a structure of limb.wasm. */
function readingOptions(memory, options) {
  const args = Object.entries(options.args ?? {}).map(([key, value]) => `${key}:=${value}`);
  const packages = (options.packages ?? []).map((folder) => FOLDER + folder).join(":");
  return memory.words([
    choose(FORMATS, options.format ?? "auto", "format"),
    choose(BASES, options.base ?? "as-file", "base"),
    options.mimic === false ? 1 : 0,
    options.doctor === false ? 0 : 1,
    options.shapes ? 1 : 0,
    packages ? memory.text(packages) : 0,
    args.length > 0 ? memory.list(args) : 0,
  ]);
}

/** Puts the files of a source where limb.wasm reads them, while it works with them. */
function withFiles(files, source, work) {
  const given = typeof source === "string" ? {} : source;
  const { name } = given;
  if (given.text !== undefined && !name)
    throw new LimbError("a text needs a name, such as arm.urdf: messages begin with it");
  if (given.files && !name) throw new LimbError("files need a name: the one of them that is the model");
  try {
    for (const [path, content] of Object.entries(given.files ?? {})) files.set(FOLDER + path, content);
    if (given.text !== undefined) files.set(FOLDER + name, given.text);
    return work(typeof source === "string" ? source : FOLDER + name);
  } finally {
    files.clear();
  }
}

const notShown = (source, file, why) => ({
  rule: "bad-mesh",
  severity: "note",
  file: source,
  line: 0,
  column: 0,
  where: `mesh '${file}'`,
  text: `it is not shown: ${why}`,
  hint: "",
  why: "the body is drawn without it",
  fix: "STL, OBJ, COLLADA, glTF and MSH files up to 64 MB are shown",
});

/** Findings with the names of files that users know. */
function ownNames(findings) {
  for (const finding of findings) finding.file = shortName(finding.file);
  return findings;
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
    return withFiles(this.#files, source, (path) => this.#open(path, options));
  }

  #open(path, options) {
    return within(this.#calls, (memory) => {
      const handle = this.#calls.web_open(memory.text(path), readingOptions(memory, options));
      if (handle === 0) throw new LimbError("out of memory");
      const about = memory.json(this.#calls.web_describe(handle));
      ownNames(about.findings ?? []);
      about.source = shortName(about.source ?? path);
      if (about.error) {
        this.#calls.web_close(handle);
        throw new LimbError(sentence(about.source, about.error), about.error, about.findings);
      }
      delete about.error;
      about.meshes = this.#meshes(about);
      return new Robot(this.#calls, handle, about, this.#files);
    });
  }

  /** The meshes of visual and collision shapes, each file once; a shape gets the index of its mesh. */
  #meshes({ shapes, findings, source }) {
    const found = new Map();
    const list = [];
    for (const shape of shapes) {
      if (!shape.path) continue;
      if (!found.has(shape.path)) {
        found.set(shape.path, list.length);
        list.push(this.#mesh(shape, findings, source));
      }
      shape.mesh = found.get(shape.path);
      shape.path = shortName(shape.path);
    }
    return list;
  }

  /** Triangles of a file; null, and a finding, if it cannot be read. */
  #mesh({ path, file }, findings, source) {
    return within(this.#calls, (memory) => {
      const handle = this.#calls.web_mesh_open(memory.text(path));
      if (handle === 0) throw new LimbError("out of memory");
      try {
        const { error, vertices, triangles, parts } = memory.json(this.#calls.web_mesh_describe(handle));
        if (error) findings.push(notShown(source, file, error.text));
        if (error || triangles === 0) return null;
        const positions = memory.array(this.#calls.web_mesh_vertices(handle), 3 * vertices);
        const corners = new Uint32Array(memory.buffer, this.#calls.web_mesh_triangles(handle), 3 * triangles);
        return { positions: Float32Array.from(positions), triangles: corners.slice(), parts };
      } finally {
        this.#calls.web_mesh_close(handle);
      }
    });
  }

  repair(source, options = {}) {
    return withFiles(this.#files, source, (path) =>
      within(this.#calls, (memory) => {
        const at = this.#calls.web_repair(memory.text(path), readingOptions(memory, options));
        const result = answer(memory, at, shortName(path));
        ownNames(result.findings);
        return result;
      }),
    );
  }

  run(source) {
    return withFiles(this.#files, source, (path) =>
      within(this.#calls, (memory) => answer(memory, this.#calls.web_run(memory.text(path)), shortName(path))),
    );
  }

  codegenQuantities() {
    return within(this.#calls, (memory) => memory.json(this.#calls.web_codegen_quantities()));
  }
}

export class Robot {
  #calls;
  #handle;
  #files;

  constructor(calls, handle, about, files) {
    this.#calls = calls;
    this.#handle = handle;
    this.#files = files;
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

  namedPose(name) {
    const index = this.namedPoses.indexOf(name);
    if (index < 0) throw new LimbError(`no pose '${name}'; known: ${this.namedPoses.join(", ") || "none"}`);
    return within(this.#calls, (memory) => {
      const q = memory.allocate(8 * this.nq);
      if (this.#calls.web_named_pose(this.#open(), index, q) !== 0) this.#fail(memory);
      return memory.array(q, this.nq).slice();
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

  ik(frame, options = {}) {
    const names = [...this.bodies, ...this.frames].map(({ name }) => name);
    const index = typeof frame === "number" ? frame : names.indexOf(frame);
    if (!(index in names)) throw new LimbError(`no frame '${frame}'`);
    return new InverseKinematics(this.#calls, this.#open(), this.nq, index, options);
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

  equations(options = {}) {
    return within(this.#calls, (memory) => {
      const notation = choose(NOTATIONS, options.notation ?? "text", "notation");
      const what = options.what ? memory.text(String(options.what)) : 0;
      const terms = options.maxTerms ?? 0;
      const at = this.#calls.web_equations(this.#open(), what, notation, options.numbers ? 1 : 0, terms);
      return answer(memory, at, "").text;
    });
  }

  codegen(options = {}) {
    return within(this.#calls, (memory) => {
      const text = (value) => (value ? memory.text(String(value)) : 0);
      const how = memory.words([
        text(options.what),
        text(options.prefix),
        text(options.frame),
        choose(LANGUAGES, options.language ?? "c", "language"),
        choose(SINES, options.sines ?? "libm", "sines"),
        choose(SYMBOLS, options.symbols ?? "none", "symbols"),
        choose(ORDERS, options.order ?? "latency", "order"),
        options.float ? 1 : 0,
        options.lanes ?? 1,
        options.split ?? 0,
        options.givenGravity ? 1 : 0,
        options.friction === false ? 0 : 1,
        0,
        0,
      ]);
      memory.array(how + 48, 1)[0] = options.effort ?? 1;
      return answer(memory, this.#calls.web_codegen(this.#open(), how), "");
    });
  }

  inverseDynamics(table, options = {}) {
    const source = { name: options.name ?? "table.csv", files: { [options.name ?? "table.csv"]: table } };
    return withFiles(this.#files, source, (path) =>
      within(this.#calls, (memory) => {
        const handle = this.#calls.web_motion_open(this.#open(), memory.text(path), options.differentiate ? 1 : 0);
        if (handle === 0) throw new LimbError("out of memory");
        try {
          return this.#motion(memory, handle, source.name);
        } finally {
          this.#calls.web_motion_close(handle);
        }
      }),
    );
  }

  /** The rows of a motion as columns by name. */
  #motion(memory, handle, name) {
    const about = answer(memory, this.#calls.web_motion_describe(handle), name);
    const { nq, nv } = this;
    const width = 1 + nq + 3 * nv;
    const all = memory.array(this.#calls.web_motion_numbers(handle), about.rows * width);
    const column = (k) => Float64Array.from({ length: about.rows }, (_, i) => all[i * width + k]);
    const named = (dofs, first) => Object.fromEntries(dofs.map((dof, k) => [dof.name, column(first + k)]));
    return {
      time: column(0),
      hasTime: about.hasTime === 1,
      q: named(this.coordinates, 1),
      v: named(this.velocities, 1 + nq),
      a: named(this.velocities, 1 + nq + nv),
      tau: named(this.velocities, 1 + nq + 2 * nv),
      sizing: Object.fromEntries(about.sizing.map((x, k) => [this.velocities[k].name, x])),
      notes: about.notes,
    };
  }

  simulation(settings, run) {
    const open = (path) => new Simulation(this.#calls, this.#open(), settings, path);
    if (run === undefined) return open(null);
    return withFiles(this.#files, typeof run === "string" ? { name: "run.yaml", text: run } : run, open);
  }

  simulate(settings, file) {
    const run = this.simulation(settings, file);
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

export class InverseKinematics {
  #calls;
  #handle;
  #nq;

  constructor(calls, robot, nq, frame, options) {
    this.#calls = calls;
    this.#nq = nq;
    this.#handle = calls.web_ik_open(robot, frame, options.rotation ? 1 : 0);
    if (this.#handle === 0) throw new LimbError("out of memory");
  }

  solve(position, rotation, q) {
    if (this.#handle === 0) throw new LimbError("the inverse kinematics were freed");
    return within(this.#calls, (memory) => {
      const pose = memory.numbers([...rotation, ...position], 12, "rotation and position");
      const at = memory.numbers(q, this.#nq, "q");
      const status = this.#calls.web_ik_solve(this.#handle, pose, at);
      const { error, reason, reached, distance } = memory.json(this.#calls.web_ik_describe(this.#handle));
      if (error) throw new LimbError(sentence("", error), error);
      if (status !== 0) throw new LimbError(reason);
      return { reached: reached === 1, reason, distance, q: memory.array(at, this.#nq).slice() };
    });
  }

  free() {
    if (this.#handle !== 0) this.#calls.web_ik_close(this.#handle);
    this.#handle = 0;
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

/** The bytes of limb.wasm, beside this file. */
async function ownBytes() {
  const url = new URL(/* @vite-ignore */ "./limb.wasm", import.meta.url);
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
