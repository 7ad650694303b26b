// The model that the page is about: its files, the robot that limb makes of them, and a state of it.
import type { Files, Finding, Limb, Robot, Source } from "../../limb-wasm/index.js";
import { LimbError } from "../../limb-wasm/index.js";

/** Texts are edited up to this size; larger files are read, but not shown. */
export const MOST_TEXT = 2_000_000;

/** All files that were dropped may be packages. */
export const READING = { packages: [""] };

/** What is open: a built-in robot, or files. */
export interface Opened {
  /** The file that is the model, or the name of a built-in robot. */
  name: string;
  builtIn: boolean;
  files: Files;
}

export type State = { q: Float64Array; v: Float64Array; a: Float64Array };

const asText = (content: Files[string]) =>
  typeof content === "string" ? content : new TextDecoder().decode(content);

/**
 * Events: "open" another model; "check" it was read anew: robot, findings and failure are new; "state" q, v or a
 * changed; "files" the names of files changed.
 */
export class Model extends EventTarget {
  opened: Opened = { name: "", builtIn: false, files: {} };
  /** The last one that could be read; null: none yet. */
  robot: Robot | null = null;
  findings: Finding[] = [];
  /** Why the files as they are now are no robot; "": they are one. */
  failure = "";
  state: State = { q: new Float64Array(), v: new Float64Array(), a: new Float64Array() };

  readonly limb: Limb;

  constructor(limb: Limb) {
    super();
    this.limb = limb;
  }

  /** What limb loads, here and in the worker. */
  get source(): Source {
    const { name, files } = this.opened;
    return name in files ? { name, files } : name;
  }

  openBuiltIn(name: string): void {
    const about = this.limb.robots().find((robot) => robot.name === name);
    if (!about) return;
    const file = `${name}.limb.yaml`;
    if (about.text === null) this.open({ name, builtIn: true, files: {} });
    else this.open({ name: file, builtIn: true, files: { [file]: about.text } });
  }

  open(opened: Opened): void {
    this.opened = opened;
    this.robot?.free();
    this.robot = null;
    this.#load();
    this.dispatchEvent(new Event("open"));
    this.dispatchEvent(new Event("check"));
    this.dispatchEvent(new Event("state"));
  }

  text(name = this.opened.name): string {
    return asText(this.opened.files[name] ?? "");
  }

  /** A file was edited. */
  setText(name: string, text: string): void {
    this.opened.files[name] = text;
    this.#load();
    this.dispatchEvent(new Event("check"));
    this.dispatchEvent(new Event("state"));
  }

  /** Another of the files is the model. */
  choose(name: string): void {
    this.open({ ...this.opened, name });
  }

  setState(part: Partial<State>): void {
    Object.assign(this.state, part);
    this.dispatchEvent(new Event("state"));
  }

  #load(): void {
    try {
      const robot = this.limb.load(this.source, { ...READING, shapes: true });
      const before = this.robot;
      this.findings = robot.findings;
      this.failure = "";
      this.robot = robot;
      this.#keepState(before);
      before?.free();
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
      this.findings = error instanceof LimbError ? (error.findings ?? []) : [];
    }
  }

  /** The state of before, where the robot has the same coordinates; otherwise its start. */
  #keepState(before: Robot | null): void {
    const robot = this.robot!;
    const names = (r: Robot | null) => r?.coordinates.map(({ name }) => name).join("\n");
    if (names(before) === names(robot) && robot.loops.length === 0) return;
    this.state = { q: robot.start(), v: new Float64Array(robot.nv), a: new Float64Array(robot.nv) };
  }
}
