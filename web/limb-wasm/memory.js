// Memory of limb.wasm, its files and its errors.

/** Where limb.wasm has the files of a model. */
export const FOLDER = "/model/";
export const shortName = (file) => (file.startsWith(FOLDER) ? file.slice(FOLDER.length) : file);

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
export function sentence(source, error) {
  const position = error.line > 0 ? `:${error.line}:${error.column}` : "";
  return [source && source + position, error.where, error.text].filter(Boolean).join(": ");
}

/** Memory of limb.wasm: texts, arrays and lists go in, texts and arrays come out. */
export class Memory {
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
    return this.words([...places, 0]);
  }

  /** Whole numbers and places of texts, as a structure. @param {number[]} values */
  words(values) {
    const at = this.allocate(4 * values.length);
    new Uint32Array(this.calls.memory.buffer, at, values.length).set(values);
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

  get buffer() {
    return this.calls.memory.buffer;
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
export function within(calls, work) {
  const memory = new Memory(calls);
  try {
    return work(memory);
  } finally {
    memory.free();
  }
}

/** What limb answered as JSON; its error is thrown. */
export function answer(memory, at, source) {
  const { error, ...result } = memory.json(at);
  if (error) throw new LimbError(sentence(source, error), error);
  return result;
}
