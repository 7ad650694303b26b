// limb in a worker: what takes longer than a frame. It has a robot of its own, read from the same files.
import type { CodegenOptions, EquationOptions, Limb, Robot, Settings, Simulation, Source } from "../../limb-wasm/index.js";
import { createLimb } from "../../limb-wasm/index.js";

let limb: Limb;
let robot: Robot | null = null;
let run: { simulation: Simulation; stop: boolean } | null = null;

const SLICE = 25; // ms of work between two looks at messages
const LEAD = 0.05; // s that the rows are ahead of the picture

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
const open = () => {
  if (!robot) throw new Error("there is no robot yet");
  return robot;
};

const calls = {
  async start(wasm: WebAssembly.Module) {
    limb = await createLimb(wasm);
  },
  load(source: Source) {
    robot?.free();
    robot = null;
    robot = limb.load(source, { packages: [""], doctor: false });
  },
  equations: (options: EquationOptions) => open().equations(options),
  codegen: (options: CodegenOptions) => open().codegen(options),
  motion: (bytes: Uint8Array, name: string, differentiate: boolean) =>
    open().inverseDynamics(bytes, { name, differentiate }),
  stop() {
    if (run) run.stop = true;
  },
  /** Rows are posted as they come; speed: simulated seconds per second, 0: as fast as possible. */
  async simulate(id: number, settings: Settings, file: { name: string; text: string }, speed: number) {
    if (run) throw new Error("a simulation is running");
    run = { simulation: open().simulation(settings, file), stop: false };
    try {
      const { columns, start, end } = run.simulation.describe();
      self.postMessage({ id, part: { columns, start, end } });
      await advance(id, start, speed);
      const { error, events, summary, time } = run.simulation.describe();
      const why = error && [error.where, error.text].filter(Boolean).join(": ");
      return { error: why, events, summary, time, stopped: run.stop };
    } finally {
      run.simulation.free();
      run = null;
    }
  },
};

/** Computes rows, at most as fast as `speed`, until the run ends or is stopped. */
async function advance(id: number, start: number, speed: number): Promise<void> {
  const began = performance.now();
  const due = () => (speed > 0 ? start + ((performance.now() - began) / 1000) * speed + LEAD * speed : Infinity);
  let time = start;
  for (;;) {
    const rows: Float64Array[] = [];
    const slice = performance.now();
    let over = false;
    while (!over && time <= due() && performance.now() - slice < SLICE) {
      const row = run!.simulation.next();
      if (row) rows.push(row), (time = row[0]!);
      over = row === null;
    }
    if (rows.length > 0) self.postMessage({ id, part: { rows, busy: performance.now() - slice } });
    if (over) return;
    await pause(time > due() ? 8 : 0); // a message may be waiting
    if (run!.stop) return;
  }
}

self.onmessage = async ({ data: { id, call, words } }) => {
  try {
    const action = calls[call as keyof typeof calls] as (...words: unknown[]) => unknown;
    self.postMessage({ id, result: await action(...(call === "simulate" ? [id, ...words] : words)) });
  } catch (error) {
    self.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
};
