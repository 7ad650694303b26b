// The page's side of the worker: calls as promises. A call that takes too long is ended with its worker.
import type {
  CodegenOptions,
  Column,
  EquationOptions,
  Generated,
  Settings,
  SimulationEvent,
  SimulationSummary,
  Source,
  TableMotion,
} from "../../limb-wasm/index.js";
import EngineWorker from "./worker.ts?worker&inline";

export interface RunPart {
  columns?: Column[];
  start?: number;
  end?: number;
  rows?: Float64Array[];
}

export interface RunEnd {
  error: string | null;
  events: SimulationEvent[];
  summary?: SimulationSummary;
  time: number;
  stopped: boolean;
}

interface Call {
  done: (result: any) => void;
  fail: (error: Error) => void;
  part?: (part: any) => void;
}

export class Engine {
  #worker: Worker | null = null; // begun with the first call
  #wasm: WebAssembly.Module;
  #source: Source | null = null;
  #loaded: Promise<unknown> | null = null;
  #calls = new Map<number, Call>();
  #next = 0;

  constructor(wasm: WebAssembly.Module) {
    this.#wasm = wasm;
  }

  #begin(): Worker {
    const worker = (this.#worker = new EngineWorker());
    worker.onmessage = ({ data: { id, result, error, part } }) => {
      const call = this.#calls.get(id);
      if (!call) return;
      if (part) return call.part?.(part);
      this.#calls.delete(id);
      if (error === undefined) call.done(result);
      else call.fail(new Error(error));
    };
    worker.onerror = (event) => this.#end(event.message || "the computation failed");
    this.#send("start", [this.#wasm]).catch(() => undefined); // the call that follows fails, too
    return worker;
  }

  #send(call: string, words: unknown[], part?: (part: any) => void): Promise<any> {
    const worker = this.#worker ?? this.#begin();
    const id = ++this.#next;
    return new Promise((done, fail) => {
      this.#calls.set(id, { done, fail, part });
      worker.postMessage({ id, call, words });
    });
  }

  #end(why: string): void {
    this.#worker?.terminate();
    this.#worker = null;
    for (const call of this.#calls.values()) call.fail(new Error(why));
    this.#calls.clear();
    this.#loaded = null;
  }

  /** Ends whatever runs. */
  cancel(): void {
    this.#end("cancelled");
  }

  /** The robot of the calls that follow; it is read when the first of them comes. */
  use(source: Source): void {
    this.#source = source;
    this.#loaded = null;
  }

  async #ready(): Promise<void> {
    if (!this.#source) throw new Error("there is no robot yet");
    this.#loaded ??= this.#send("load", [this.#source]);
    await this.#loaded;
  }

  async equations(options: EquationOptions): Promise<string> {
    await this.#ready();
    return this.#send("equations", [options]);
  }

  async codegen(options: CodegenOptions): Promise<Generated> {
    await this.#ready();
    return this.#send("codegen", [options]);
  }

  async motion(bytes: Uint8Array, name: string, differentiate: boolean): Promise<TableMotion> {
    await this.#ready();
    return this.#send("motion", [bytes, name, differentiate]);
  }

  async simulate(
    settings: Settings,
    file: { name: string; text: string },
    speed: number,
    part: (part: RunPart) => void,
  ): Promise<RunEnd> {
    await this.#ready();
    return this.#send("simulate", [settings, file, speed], part);
  }

  stop(): void {
    void this.#send("stop", []);
  }
}
