// A view of a robot in an element of any page: mountView(element, robot, options). It needs style.css, a robot of
// limb-wasm, and no more: no ids, no globals, no network.
import { Ask } from "./ask.js";
import { Drag } from "./drag.js";
import { button, element } from "./dom.js";
import { Figure } from "./figure.js";
import { Marks } from "./marks.js";
import { Track } from "./motion.js";
import { Panel, slidable } from "./panel.js";
import { Player } from "./player.js";
import { Recorder } from "./record.js";
import { Stage } from "./stage.js";

/**
 * A visual or collision shape of a body.
 * @typedef {object} Shape
 * @property {number} body     0: the world
 * @property {{p: number[], R: number[]}} pose  in axes of the body; R row by row
 * @property {"box" | "sphere" | "ellipsoid" | "cylinder" | "capsule" | "plane" | "mesh"} kind
 * @property {number[]} [size] box: edges; sphere: radius; ellipsoid: half axes; cylinder, capsule: radius and length
 *   (along z; of a capsule without its ends); plane: edges, 0: large [m]
 * @property {number} [mesh]   index into the meshes
 * @property {number[]} [scale] of a mesh, along its axes; default 1 1 1
 * @property {number[] | null} [colour] red, green, blue and opacity from 0 to 1; null: the mesh's own, or grey
 * @property {boolean} [collision] true: shown on request only
 */
/**
 * @typedef {object} MeshData
 * @property {Float32Array} positions  three per vertex
 * @property {Uint16Array | Uint32Array} triangles  three vertices each
 * @property {{first: number, count: number, colour: number[] | null}[]} [parts]  triangles by colour
 */
/**
 * @typedef {object} ViewOptions
 * @property {import("../limb-wasm/index.js").Finding[]} [findings]  default: the robot's
 * @property {Shape[]} [shapes]
 * @property {(MeshData | null)[]} [meshes]
 * @property {import("./motion.js").Motion} [motion]
 * @property {{name: string, q: number[]}[]} [poses]  default: those of the model's files
 * @property {string} [title]
 * @property {"auto" | "light" | "dark"} [theme]  default "auto": as the system
 * @property {boolean} [header]  default true
 * @property {boolean} [panel]   default true
 */

/** @param {HTMLElement} host must have a size; its content is replaced @param {ViewOptions} [options] */
export function mountView(host, robot, options = {}) {
  return new View(host, robot, options);
}

/** The direction across which everything lies in one plane; null: none. */
function flatNormal(robot) {
  const moving = robot.joints.filter((joint) => joint.nv > 0);
  const turning = moving.filter((joint) => ["revolute", "continuous"].includes(joint.type)).map((joint) => joint.axis);
  const alike = turning.every((a) => Math.hypot(...a.map((x, k) => Math.abs(x) - Math.abs(turning[0][k]))) < 1e-9);
  const flat = turning.length === moving.length && turning.length > 1 && alike && robot.loops.length > 0;
  return flat ? turning[0].map(Math.abs) : null;
}

/** The lowest corner of a box, along up. */
function lowestOf(box, [x, y, z]) {
  const corner = (k) =>
    x * (k & 1 ? box.max : box.min).x + y * (k & 2 ? box.max : box.min).y + z * (k & 4 ? box.max : box.min).z;
  return Math.min(...[0, 1, 2, 3, 4, 5, 6, 7].map(corner));
}

/** Events: "change" after each new configuration, "select" after another body was selected. */
export class View extends EventTarget {
  #status = element("p", { className: "lv-status", role: "status", attributes: { "aria-live": "polite" } });
  #system = matchMedia("(prefers-color-scheme: dark)");
  #theme;
  #toggle;
  #player = null;
  #known = null; // v, a, tau of the configuration, while a motion plays
  #evaluator;
  #zero;

  constructor(host, robot, options) {
    super();
    this.host = host;
    this.robot = robot;
    this.options = options;
    this.findings = options.findings ?? robot.findings ?? [];
    this.q = robot.start();
    this.sliders = slidable(robot);
    this.#zero = new Float64Array(robot.nv);
    this.#evaluator = robot.nv > 0 ? robot.evaluator("tau", { inputs: ["q", "v", "a"] }) : null;
    this.#build();
    this.#look();
    this.#parts();
    this.theme(options.theme ?? "auto");
    this.choose(-1);
    this.set(this.q);
    this.whole();
    if (options.motion) this.play(options.motion);
  }

  #build() {
    const { robot, options, host } = this;
    const moving = robot.joints.filter((joint) => joint.nv > 0).length;
    const kilograms = Number(robot.mass.toPrecision(4));
    this.#toggle = button("Dark", () => this.theme(this.#toggle.getAttribute("aria-pressed") === "true" ? "light" : "dark"));
    this.title = options.title ?? (robot.name || robot.source);
    const header = element(
      "header",
      { className: "lv-head" },
      element("h1", { textContent: this.title }),
      element("p", { textContent: `${moving} moving joints · ${robot.nv} velocities · ${kilograms} kg` }),
      this.#toggle,
    );
    this.stageElement = element("div", {
      className: "lv-stage",
      role: "application",
      tabIndex: 0,
      ariaLabel:
        "Robot in three dimensions: drag to turn, right button to move, wheel to zoom, click a body to select it",
    });
    this.panelElement = element("aside", { className: "lv-panel", ariaLabel: "Settings and results" }, this.#status);
    this.dockElement = element("div", { className: "lv-dock", hidden: true });
    host.replaceChildren();
    host.classList.add("limb-view");
    host.classList.toggle("lv-alone", options.panel === false);
    host.append(...(options.header === false ? [] : [header]), this.stageElement, this.dockElement);
    if (options.panel !== false) host.append(this.panelElement);
  }

  #look() {
    const { robot, options } = this,
      size = Math.hypot(...robot.gravity);
    this.up = size > 0 ? robot.gravity.map((x) => -x / size) : [0, 0, 1];
    this.weightless = size === 0;
    this.stage = new Stage(this.stageElement, this.up);
    this.figure = new Figure(robot, robot.poses(this.q), {
      shapes: options.shapes ?? [],
      meshes: options.meshes ?? [],
    });
    this.stage.scene.add(this.figure.root);
    this.setGround();
    this.stage.onPick(
      () => this.figure.groups,
      (object) => this.choose(object ? this.#named(this.figure.bodyOf(object)) : -1),
    );
  }

  #parts() {
    this.marks = new Marks(this);
    this.drag = new Drag(this);
    this.recorder = new Recorder(this);
    this.ask = new Ask(this);
    this.panel = new Panel(this);
    this.#system.addEventListener("change", this.#follow);
  }

  /** A grid on the ground: that of the model, or else at 0 or below what hangs. box: of all that is drawn. */
  setGround(box = this.figure.box(), radius = this.figure.bounds().radius) {
    const lowest = lowestOf(box, this.up),
      own = this.figure.ground(this.options.shapes ?? [], this.up);
    this.stage.ground(radius, own ?? (Math.abs(lowest) < 0.05 * radius ? 0 : Math.min(0, lowest)), !this.weightless);
  }

  /** Shows the whole robot. */
  whole() {
    const { centre, radius } = this.figure.bounds();
    this.frameSphere(centre, radius);
  }

  /** Shows a sphere as a whole; planar robots from across their plane. */
  frameSphere(centre, radius) {
    this.stage.frame(centre, radius, flatNormal(this.robot));
  }

  /** Moves the robot. known: v, a and tau of a motion at this moment. */
  set(q, known = null) {
    this.q = Float64Array.from(q);
    this.#known = known;
    this.figure.move(this.poses());
    this.panel.show(this.q, this.forces());
    this.dispatchEvent(new Event("change"));
    this.stage.draw();
  }

  /** v, a and tau of the moment: those of the motion that plays; at rest zero and the forces that hold the pose. */
  get known() {
    return this.#known;
  }

  /** Forces at the joints: those of the motion, or those that hold the pose; null at a singular configuration. */
  forces() {
    if (this.#known?.tau) return this.#known.tau;
    if (!this.#evaluator) return null;
    try {
      return this.#evaluator.run({ q: this.q, v: this.#known?.v ?? this.#zero, a: this.#known?.a ?? this.#zero }).tau;
    } catch {
      return null;
    }
  }

  /** Poses of all bodies, twelve numbers each. */
  poses() {
    return this.robot.poses(this.q);
  }

  /** Moves a coordinate as its slider does: loops stay closed. */
  move(velocity, position) {
    const slider = this.sliders.find((s) => s.k === velocity);
    const moved = this.robot.move(this.q, velocity, position);
    const at = slider && Number(moved.q[slider.at].toPrecision(4));
    this.say(moved.reached ? "" : `${slider.name}: the loops do not close beyond ${at} ${slider.unit}`);
    this.pause();
    this.set(moved.q);
    return moved.reached;
  }

  start() {
    this.say("");
    this.pause();
    this.set(this.robot.start());
  }

  /** Moves to a named pose of the model. q: default: as the model has it. */
  pose(name, q = null) {
    this.pause();
    this.say("");
    try {
      this.set(q ?? this.robot.namedPose(name));
    } catch (error) {
      this.say(`${name}: ${error.message}`);
    }
  }

  /** Selects a body. @param {number} i -1: none */
  choose(i) {
    this.chosen = i;
    this.figure.choose(i);
    this.panel.choose(i);
    this.dispatchEvent(new Event("select"));
    this.stage.draw();
  }

  #named(i) {
    return i >= 0 && this.robot.bodies[i].standsFor >= 0 ? this.robot.bodies[i].standsFor : i;
  }

  say(text) {
    this.#status.textContent = text;
  }

  /** Plays a motion. @param {import("./motion.js").Motion} motion */
  play(motion) {
    this.#player?.destroy();
    this.#player = new Player(this, new Track(this.robot, motion));
    return this.#player;
  }

  get player() {
    return this.#player;
  }

  pause() {
    this.#player?.pause();
  }

  #follow = () => this.theme("auto");

  /** @param {"auto" | "light" | "dark"} theme */
  theme(theme) {
    const dark = theme === "auto" ? this.#system.matches : theme === "dark";
    if (theme !== "auto") this.#system.removeEventListener("change", this.#follow);
    this.#theme = dark ? "dark" : "light";
    this.host.dataset.theme = this.#theme;
    this.#toggle.setAttribute("aria-pressed", String(dark));
    this.stage.theme(this.#theme);
    this.dispatchEvent(new Event("theme"));
  }

  get dark() {
    return this.#theme === "dark";
  }

  /** Frees what the view has taken; the robot stays the caller's. */
  destroy() {
    this.#system.removeEventListener("change", this.#follow);
    this.#player?.destroy();
    this.drag.destroy();
    this.ask.destroy();
    this.#evaluator?.free();
    this.stage.destroy();
    this.host.replaceChildren();
    this.host.classList.remove("limb-view", "lv-alone");
  }
}
