/** Where a finding or an error is, and what it says. */
export interface Finding {
  /** Name of the rule, such as "inertia-triangle"; docs/doctor.md explains each. */
  rule: string;
  severity: "note" | "warning" | "error";
  file: string;
  /** From 1; 0: none. */
  line: number;
  column: number;
  /** The subject, such as "link 'forearm'"; "" for the file as a whole. */
  where: string;
  /** What is wrong, with the numbers. */
  text: string;
  /** The likely cause in this case; "": none. */
  hint: string;
  /** Why the rule matters, and what to do. */
  why: string;
  fix: string;
}

export interface ErrorDetail {
  status: string;
  line: number;
  column: number;
  where: string;
  text: string;
}

/** What every call throws that fails. The message is one line: file, position, subject, sentence. */
export class LimbError extends Error {
  detail: Partial<ErrorDetail>;
  /** Of a model that could not be loaded: everything that was found in it. */
  findings: Finding[];
}

export interface Pose {
  /** m */
  p: [number, number, number];
  /** Rotation, row by row. */
  R: number[];
}

export interface Body {
  name: string;
  /** Body; -1 for the world, which is body 0. */
  parent: number;
  /** The joint that connects it to its parent; -1 for the world. */
  joint: number;
  /** The body that an auxiliary body belongs to; otherwise -1. */
  standsFor: number;
  /** Line of the definition in the file; 0: none. */
  line: number;
  /** kg */
  mass: number;
  /** Centre of mass, in axes of the body [m]. */
  com: [number, number, number];
  /** Ixx Ixy Ixz Iyy Iyz Izz about the centre of mass [kg m^2]. */
  inertia: [number, number, number, number, number, number];
}

export interface Joint {
  name: string;
  type: string;
  /** Bodies. */
  parent: number;
  child: number;
  /** Of the joint frame in the parent. */
  placement: Pose;
  /** In the joint frame. */
  axis: [number, number, number];
  /** First coordinate in q and their number; the same in v. A mimic joint has its source's q, and nq 0. */
  q: number;
  nq: number;
  v: number;
  nv: number;
  /** Limits [rad, m]; null: none. */
  min: number | null;
  max: number | null;
  maxVelocity: number | null;
  maxEffort: number | null;
  /** 1: no motor. */
  passive: 0 | 1;
  /** Joint that this one follows; -1: none. */
  mimic: number;
  /** 1: between an auxiliary body and the body to which it belongs. */
  auxiliary: 0 | 1;
}

export interface Coordinate {
  name: string;
  /** Index of its joint. */
  joint: number;
  unit: string;
}

export interface Velocity extends Coordinate {
  forceUnit: string;
}

export interface Frame {
  name: string;
  body: number;
  pose: Pose;
}

export interface Loop {
  name: string;
  bodyA: string;
  bodyB: string;
  poseA: Pose;
  poseB: Pose;
}

/** A visual or collision shape; cylinders and capsules lie along z, planes are normal to z. */
export interface Shape {
  name: string;
  /** Index of its body; 0: the world. */
  body: number;
  kind: "box" | "sphere" | "ellipsoid" | "cylinder" | "capsule" | "plane" | "mesh";
  /** In axes of the body. */
  pose: Pose;
  /** Box: edges; sphere: radius; ellipsoid: half axes; cylinder, capsule: radius, length; plane: edges, 0: no end [m]. */
  size?: number[];
  /** Of a mesh: factors along its axes, and its index in robot.meshes if its file was found. */
  scale?: number[];
  mesh?: number;
  file?: string;
  path?: string | null;
  /** Red, green, blue, opacity from 0 to 1; null: that of the mesh, or any. */
  colour: [number, number, number, number] | null;
  /** 0: a visual shape; what is seen and collides is there twice. */
  collision: 0 | 1;
}

export interface Mesh {
  /** Three numbers per vertex. */
  positions: Float32Array;
  /** Three vertices per triangle. */
  triangles: Uint32Array;
  /** Runs of triangles by colour. */
  parts: { first: number; count: number; colour: number[] | null }[];
}

export interface BuiltIn {
  name: string;
  title: string;
  origin: string;
  /** The model file; null for a robot that a program generates. */
  text: string | null;
}

/** A model as one text, or as several files by their paths; `name` is the path of the model. */
export type Source =
  | string
  | { name: string; text: string; files?: Files }
  | { name: string; text?: undefined; files: Files };

/** Contents by path. */
export type Files = Record<string, string | Uint8Array | ArrayBuffer>;

export interface LoadOptions {
  /** Default "auto": by the name of the file, then by its content. */
  format?: "auto" | "urdf" | "yaml" | "par" | "mjcf" | "sdf";
  /** How the root is attached to the world; default "as-file". */
  base?: "as-file" | "fixed" | "floating" | "planar";
  /** false: mimic joints become independent. */
  mimic?: boolean;
  /** false: findings are those of the reader only. */
  doctor?: boolean;
  /** true: shapes and meshes, for display. */
  shapes?: boolean;
  /** Folders of ROS packages among the files. */
  packages?: string[];
  /** Arguments of a xacro file. */
  args?: Record<string, string | number>;
}

export interface State {
  q?: ArrayLike<number>;
  v?: ArrayLike<number>;
  a?: ArrayLike<number>;
  tau?: ArrayLike<number>;
  /** Of prescribed motions [s]. */
  time?: number;
}

export interface EvaluatorOptions {
  /** What states will have; "all" selects what follows from them. Default: all five. */
  inputs?: ("q" | "v" | "a" | "tau" | "time")[];
  /** m/s^2; default: the model's. */
  gravity?: ArrayLike<number>;
  /** true: of a robot with loops its spanning tree, the loops cut open. */
  tree?: boolean;
  /** true: "tau" is that of the state; otherwise inverse dynamics. */
  tauIsGiven?: boolean;
}

/** One quantity of an evaluator. */
export interface Item {
  name: string;
  quantity: string;
  /** Of its first number. */
  unit: string;
  offset: number;
  size: number;
  /** What the indices mean, axis by axis. */
  labels: string[][];
}

export interface QuantityInfo {
  name: string;
  group: string;
  equation: string;
  meaning: string;
  unit: string;
  robots: string;
}

/** Follows a target from one configuration to the next, within limits, with closed loops. */
export class InverseKinematics {
  /**
   * @param position  of the frame in the world [m]
   * @param rotation  of the frame, row by row
   * @param q         where it starts
   * @returns the solution, or the nearest configuration with the reason and the distance left [m]
   */
  solve(
    position: ArrayLike<number>,
    rotation: ArrayLike<number>,
    q: ArrayLike<number>,
  ): { reached: boolean; reason: string; distance: number; q: Float64Array };
  free(): void;
}

/** Computes the same quantities at many states. */
export class Evaluator {
  readonly items: Item[];
  readonly width: number;
  /** The numbers of each quantity by name, row by row. */
  run(state: State): Record<string, Float64Array>;
  free(): void;
}

/**
 * The settings of `limb sim`, by the names of its options (docs/simulation.md): duration, method, step, torque,
 * controller, event, channels, rate, ... Values may have units: "45deg". Names may be in camel case: startTime.
 */
export type Settings = Record<
  string,
  string | number | boolean | undefined | (string | number)[] | Record<string, string | number>
>;

export interface SimulationEvent {
  time: number;
  kind: string;
  name: string;
  text: string;
}

export interface Column {
  name: string;
  unit: string;
}

export interface SimulationSummary {
  method: string;
  steps: number;
  evaluations: number;
  energyAtStart: number;
  energy: number;
  work: number;
  loopResidual: number;
}

export interface SimulationDescription {
  error: ErrorDetail | null;
  /** Reached so far [s]. */
  time: number;
  start: number;
  end: number;
  interval: number;
  columns: Column[];
  events: SimulationEvent[];
  summary?: SimulationSummary;
}

export interface Motion {
  time: Float64Array;
  /** By the names of the columns. */
  values: Record<string, Float64Array>;
  columns: Column[];
  events: SimulationEvent[];
  summary: SimulationSummary;
}

/** A run file as text, or with the files that it names. */
export type RunSource = string | { name: string; text: string; files?: Files };

export interface RunDescription {
  title: string | null;
  /** A built-in robot, or the path of a model. */
  model: string | null;
  duration: string | null;
}

/** What is known of one joint component along a motion, as `limb id --size` prints it; null: no limit, no position. */
export interface Sizing {
  torque: Peak;
  speed: Peak;
  power: Peak;
  torqueRms: number;
  meanPower: number;
  energyDelivered: number;
  energyAbsorbed: number;
  torqueLimit: number | null;
  speedLimit: number | null;
  min: number | null;
  max: number | null;
  /** To the nearest limit of position; negative beyond it. */
  margin: number | null;
}

export interface Peak {
  value: number;
  time: number;
  /** Of a torque the speed at that time, of a speed the torque. */
  other: number;
}

/** Inverse dynamics along a table; columns by the names of coordinates and velocities. */
export interface TableMotion {
  /** Numbers of rows, if there is no column called time. */
  time: Float64Array;
  hasTime: boolean;
  q: Record<string, Float64Array>;
  v: Record<string, Float64Array>;
  a: Record<string, Float64Array>;
  tau: Record<string, Float64Array>;
  /** By velocity; empty without time. */
  sizing: Record<string, Sizing>;
  /** What was not used, or is doubtful. */
  notes: string[];
}

export interface EquationOptions {
  /** From "M,C,g,h,tau,T,U,L,christoffel,Psi,Psidot"; default: M, C, g, and Psi if there are loops. */
  what?: string;
  notation?: "text" | "latex" | "c";
  /** true: the robot's numbers instead of symbols. */
  numbers?: boolean;
  /** Default 2000: larger entries are an error. */
  maxTerms?: number;
}

/** As the options of `limb codegen` (docs/codegen.md). */
export interface CodegenOptions {
  /** Quantities, separated by commas, or "all"; default "tau". */
  what?: string;
  prefix?: string;
  frame?: string;
  language?: "c" | "python" | "matlab" | "julia" | "rust" | "latex";
  sines?: "libm" | "given" | "own";
  symbols?: "none" | "inertia" | "all";
  order?: "latency" | "registers";
  float?: boolean;
  lanes?: 1 | 2 | 4 | 8 | 16;
  split?: number;
  givenGravity?: boolean;
  friction?: boolean;
  /** Time of the search for fewer operations, about in seconds; default 1. */
  effort?: number;
}

export interface CodegenFunction {
  name: string;
  quantity: string;
  mul: number;
  add: number;
  div: number;
  sines: number;
  other: number;
  statements: number;
  /** Bytes of intermediate results that are live at once. */
  stack: number;
  /** From the library in random states, relative to the largest entry. */
  difference: number;
}

export interface Generated {
  prefix: string;
  files: { name: string; text: string }[];
  functions: CodegenFunction[];
}

/** A simulation, row by row: each row is the time and the columns. Free it before its robot. */
export class Simulation implements Iterable<Float64Array> {
  /** The next row; null: the end, or a failure, which describe().error tells. */
  next(): Float64Array | null;
  describe(): SimulationDescription;
  [Symbol.iterator](): IterableIterator<Float64Array>;
  free(): void;
}

/** A robot. Its memory is that of limb.wasm: free it when it is no longer needed. */
export class Robot {
  readonly name: string;
  readonly source: string;
  readonly format: string;
  readonly nq: number;
  readonly nv: number;
  /** kg */
  readonly mass: number;
  readonly gravity: [number, number, number];
  readonly coordinates: Coordinate[];
  readonly velocities: Velocity[];
  readonly bodies: Body[];
  readonly joints: Joint[];
  readonly frames: Frame[];
  readonly loops: Loop[];
  readonly findings: Finding[];
  /** With the option shapes; otherwise empty. null: a mesh that cannot be read, which is a finding. */
  readonly shapes: Shape[];
  readonly meshes: (Mesh | null)[];
  /** All quantities that limb knows (docs/quantities.md). */
  available(): QuantityInfo[];
  /** The start configuration, with closed loops. */
  start(): Float64Array;
  /**
   * Moves one coordinate, by the name or index of its velocity; the others of closed loops follow.
   * reached: false if the loops do not close there; q is then the last configuration on the way.
   */
  move(q: ArrayLike<number>, velocity: string | number, position: number): { reached: boolean; q: Float64Array };
  /** Names of the poses that the files of the model define. */
  readonly namedPoses: string[];
  /** The configuration of a named pose, with closed loops. */
  namedPose(name: string): Float64Array;
  /**
   * Inverse kinematics of a body or frame, by name or index (frames follow the bodies). rotation: true: its pose is to
   * be reached, otherwise its position. Free joints stay. Free it before the robot.
   */
  ik(frame: string | number, options?: { rotation?: boolean }): InverseKinematics;
  /** Poses of all bodies in the world: twelve numbers each, rotation row by row and position. */
  poses(q: ArrayLike<number>): Float64Array;
  evaluator(names: string | string[], options?: EvaluatorOptions): Evaluator;
  /** Quantities by name at one state: robot.quantities(["tau", "M.elbow"], { q, v, a }). */
  quantities(names: string | string[], state: State, options?: EvaluatorOptions): Record<string, Float64Array>;
  /** run: a run file that the settings override; its model and the files that it writes do not matter here. */
  simulation(settings: Settings, run?: RunSource): Simulation;
  simulate(settings: Settings, run?: RunSource): Motion;
  /** `limb id`: torques along a CSV table. differentiate: v and a are derivatives of the positions. */
  inverseDynamics(
    table: string | Uint8Array | ArrayBuffer,
    options?: { differentiate?: boolean; name?: string },
  ): TableMotion;
  /** `limb equations`: the equations of motion of a small robot. */
  equations(options?: EquationOptions): string;
  /** `limb codegen`: code for this robot. */
  codegen(options?: CodegenOptions): Generated;
  free(): void;
}

export class Limb {
  /** The built-in robots. */
  robots(): BuiltIn[];
  /** Loads a built-in robot by its name, or a model from memory. */
  load(source: Source, options?: LoadOptions): Robot;
  /**
   * `limb check --repair`: the file with the nearest inertias that bodies can have; a URDF keeps every other byte, limb
   * YAML is written anew. findings: what changed, with the old and the new numbers.
   */
  repair(source: Source, options?: LoadOptions): { text: string; changed: number; findings: Finding[] };
  /** What a run file is about; faulty ones are errors. */
  run(source: Source): RunDescription;
  /** What codegen can be asked for. */
  codegenQuantities(): { name: string; meaning: string; robots: string }[];
  /** Bytes of memory that limb.wasm has taken. */
  readonly memoryBytes: number;
}

/** Starts limb. wasm: the bytes of limb.wasm or the compiled module; default: the file beside this one. */
export function createLimb(wasm?: BufferSource | WebAssembly.Module): Promise<Limb>;
