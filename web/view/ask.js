// Questions that limb.wasm answers at the configuration shown: ellipsoids, the mass matrix, reach, any quantity.
import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  Points,
  PointsMaterial,
  SphereGeometry,
  Vector3,
} from "three";
import { button, check, choice, element, freshId, number } from "./dom.js";
import { principal } from "./inertia.js";
import { frameChoices, framePosition } from "./marks.js";

const SAMPLES = 30000,
  AT_ONCE = 300; // samples between two frames
const ELLIPSOIDS = { velocity: 0x17a398, force: 0xd1495b };

/** Columns of velocities that motors have: not those of free and passive joints. */
const driven = (robot) =>
  robot.velocities.map(({ joint }) => {
    const { type, passive } = robot.joints[joint];
    return type !== "free" && (!passive || robot.loops.length > 0);
  });

/** Principal axes of J J' of linear velocities: half axes of the velocity ellipsoid. */
export function manipulability(J, nv, use) {
  const s = [0, 1, 2].map((i) =>
    [0, 1, 2].map((j) => {
      let sum = 0;
      for (let k = 0; k < nv; k++) if (use[k]) sum += J[(3 + i) * nv + k] * J[(3 + j) * nv + k];
      return sum;
    }),
  );
  const { moments, axes } = principal([s[0][0], s[0][1], s[0][2], s[1][1], s[1][2], s[2][2]]);
  return { radii: moments.map((x) => Math.sqrt(Math.max(0, x))), axes };
}

export class Ask {
  #view;
  #frame = -1;
  #evaluator = null; // of the Jacobian
  #solids = {};
  #result = element("p", { className: "lv-note" });
  #matrix = element("canvas", { className: "lv-matrix", hidden: true });
  #entry = element("p", { className: "lv-note", role: "status" });
  #mass = null;
  #numbers = element("pre", { className: "lv-numbers", tabIndex: 0, ariaLabel: "Numbers of the quantity" });
  #asked = null;
  #cloud = null;
  #sampling = 0;

  constructor(view) {
    this.#view = view;
    view.addEventListener("change", () => this.update());
    view.addEventListener("theme", () => this.#drawMatrix());
  }

  controls() {
    const { robot } = this.#view,
      frames = frameChoices(robot).map(([name, i]) => [name, String(i)]);
    const { row } = choice("Frame", frames, (value) => this.#of(Number(value)));
    this.#frame = frames.length > 0 ? Number(frames[0][1]) : -1;
    const matrix = check("Mass matrix", false, (on) => this.#showMatrix(on));
    this.#matrix.addEventListener("mousemove", (event) => this.#point(event));
    const own = element("div", {}, ...this.#ownQuantity());
    if (robot.nv === 0) return [own];
    return [
      row,
      check("Velocity ellipsoid", false, (on) => this.#ellipsoid("velocity", on)).row,
      check("Force ellipsoid", false, (on) => this.#ellipsoid("force", on)).row,
      this.#result,
      check("Reach", false, (on) => this.reach(on)).row,
      matrix.row,
      this.#matrix,
      this.#entry,
      own,
    ];
  }

  #of(frame) {
    const shown = Object.keys(this.#solids),
      reach = this.#cloud !== null;
    shown.forEach((kind) => this.#ellipsoid(kind, false));
    this.#frame = frame;
    shown.forEach((kind) => this.#ellipsoid(kind, true));
    if (reach) (this.reach(false), this.reach(true));
  }

  update() {
    if (Object.keys(this.#solids).length > 0) this.#placeEllipsoids();
    this.#drawMatrix();
    if (this.#asked) this.#answer();
  }

  // ---- ellipsoids ---------------------------------------------------------------------------------------------------

  #name() {
    const { robot } = this.#view,
      n = robot.bodies.length;
    return this.#frame < n ? robot.bodies[this.#frame].name : robot.frames[this.#frame - n].name;
  }

  #ellipsoid(kind, on) {
    const { robot, stage } = this.#view;
    this.#solids[kind]?.removeFromParent();
    delete this.#solids[kind];
    if (on && this.#frame >= 0) {
      const material = new MeshStandardMaterial({
        color: ELLIPSOIDS[kind],
        transparent: true,
        opacity: 0.35,
        depthWrite: false,
        side: DoubleSide,
      });
      this.#solids[kind] = new Mesh(new SphereGeometry(1, 40, 28), material);
      this.#solids[kind].matrixAutoUpdate = false;
      this.#solids[kind].userData.untouchable = true;
      stage.scene.add(this.#solids[kind]);
    }
    this.#evaluator?.free();
    const name = `J@aligned.${quoted(this.#name())}`;
    const shown = Object.keys(this.#solids).length > 0;
    this.#evaluator = shown ? robot.evaluator(name, { inputs: ["q"] }) : null;
    this.#result.textContent = "";
    if (shown) this.#placeEllipsoids();
    stage.draw();
  }

  #placeEllipsoids() {
    const { robot, q, figure } = this.#view;
    const [J] = Object.values(this.#evaluator.run({ q }));
    const { radii, axes } = manipulability(J, robot.nv, driven(robot));
    const [small, , large] = [...radii].sort((a, b) => a - b);
    const at = framePosition(robot, this.#view.poses(), this.#frame),
      basis = new Matrix4().makeBasis(...axes.map((a) => new Vector3(...a)));
    const size = 0.22 * figure.scale,
      flat = 0.004 * figure.scale;
    for (const [kind, mesh] of Object.entries(this.#solids)) {
      // Forces are large where velocities are small: the same axes, inverse radii.
      const scaled = radii.map((r) => (kind === "velocity" ? r / large : small / Math.max(r, 1e-12)));
      mesh.matrix.copy(basis).setPosition(...at);
      mesh.matrix.scale(new Vector3(...scaled.map((x) => Math.max(flat, size * x))));
      mesh.matrixWorldNeedsUpdate = true;
    }
    const product = radii.reduce((a, b) => a * b, 1);
    this.#result.textContent =
      `Manipulability ${number(product)}; half axes of the velocity ellipsoid ${radii.map((x) => number(x)).join(", ")} m` +
      `; largest to smallest ${small < 1e-9 * large ? "∞: singular" : number(large / small)}`;
  }

  // ---- mass matrix --------------------------------------------------------------------------------------------------

  #showMatrix(on) {
    this.#mass?.free();
    this.#mass = on ? this.#view.robot.evaluator("M", { inputs: ["q"] }) : null;
    this.#matrix.hidden = !on;
    this.#entry.textContent = "";
    this.#drawMatrix();
  }

  /** Entries by their logarithm beside the largest one; orange: negative. */
  #drawMatrix() {
    if (!this.#mass) return;
    const { nv } = this.#view.robot,
      M = (this.values = this.#mass.run({ q: this.#view.q }).M);
    const cell = Math.max(3, Math.floor(280 / nv)),
      context = this.#matrix.getContext("2d");
    this.#matrix.width = this.#matrix.height = cell * nv;
    const names = this.#view.robot.velocities.map(({ name }) => name).join(", ");
    this.#matrix.setAttribute("role", "img");
    this.#matrix.setAttribute("aria-label", `Mass matrix of ${names}`);
    const largest = Math.max(...M.map(Math.abs), 1e-300);
    for (let i = 0; i < nv; i++)
      for (let j = 0; j < nv; j++) {
        const x = M[i * nv + j] / largest,
          depth = x === 0 ? 0 : Math.max(0.06, 1 + Math.log10(Math.abs(x) + 1e-300) / 5);
        const base = this.#view.dark ? [27, 36, 43] : [255, 255, 255],
          full = x >= 0 ? [0, 120, 140] : [224, 112, 32];
        const mixed = base.map((b, k) => Math.round(b + Math.max(0, depth) * (full[k] - b)));
        context.fillStyle = `rgb(${mixed})`;
        context.fillRect(cell * j, cell * i, cell - (cell > 6 ? 1 : 0), cell - (cell > 6 ? 1 : 0));
      }
  }

  #point(event) {
    const { robot } = this.#view,
      n = robot.nv,
      place = this.#matrix.getBoundingClientRect();
    const [j, i] = [
      (event.clientX - place.left) / place.width,
      (event.clientY - place.top) / place.height,
    ].map((x) => Math.min(n - 1, Math.max(0, Math.floor(n * x))));
    const names = robot.velocities.map(({ name }) => name);
    this.#entry.textContent = `${names[i]}, ${names[j]}: ${number(this.values[i * n + j], 6)}`;
  }

  // ---- reach --------------------------------------------------------------------------------------------------------

  /** The positions that a frame takes at random configurations within the limits. */
  reach(on) {
    const { robot, stage } = this.#view;
    this.#cloud?.removeFromParent();
    this.#cloud?.geometry.dispose();
    this.#cloud = null;
    const turn = ++this.#sampling;
    if (!on || this.#frame < 0) return stage.draw();
    const at = new Float32Array(3 * SAMPLES),
      geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(at, 3));
    const material = new PointsMaterial({
      color: 0x2a9d8f,
      size: 0.008 * this.#view.figure.scale,
      transparent: true,
      opacity: 0.5,
      depthWrite: false,
    });
    this.#cloud = new Points(geometry, material);
    this.#cloud.userData.untouchable = true;
    this.#cloud.frustumCulled = false;
    stage.scene.add(this.#cloud);
    const sample = this.#sampler();
    let count = 0;
    const work = () => {
      if (turn !== this.#sampling) return;
      for (let k = 0; k < AT_ONCE && count < SAMPLES; k++, count++)
        at.set(framePosition(robot, robot.poses(sample()), this.#frame), 3 * count);
      geometry.setDrawRange(0, count);
      geometry.attributes.position.needsUpdate = true;
      stage.draw();
      if (count < SAMPLES) requestAnimationFrame(work);
    };
    work();
  }

  /** Random configurations: independent ones, or, with loops, a walk along their branch. */
  #sampler() {
    const { robot, sliders } = this.#view,
      random = generator(1);
    const q = Float64Array.from(this.#view.q);
    if (robot.loops.length === 0)
      return () => {
        for (const { at, low, high } of sliders) q[at] = low + random() * (high - low);
        return q;
      };
    const movable = sliders.filter((s) => !s.joint.passive);
    let now = q;
    return () => {
      const s = (movable.length > 0 ? movable : sliders)[Math.floor(random() * (movable.length || sliders.length))];
      const step = 0.15 * (s.high - s.low) * (random() - 0.5);
      now = robot.move(now, s.k, Math.min(s.high, Math.max(s.low, now[s.at] + step))).q;
      return now;
    };
  }

  // ---- any quantity -------------------------------------------------------------------------------------------------

  #ownQuantity() {
    const id = freshId("quantity"),
      known = freshId("quantities");
    const input = element("input", { type: "text", id, placeholder: "M, J.tool, energy, ...", spellcheck: false });
    input.setAttribute("list", known);
    input.addEventListener("change", () => this.ask(input.value.trim()));
    const names = this.#view.robot.available().map(({ name, meaning }) => element("option", { value: name, label: meaning }));
    return [
      element("div", { className: "lv-row" }, element("label", { htmlFor: id, textContent: "Quantity" }), input),
      element("datalist", { id: known }, ...names),
      this.#numbers,
    ];
  }

  /** Shows a quantity by its name, as `limb eval` does, with all digits. */
  ask(name) {
    this.#asked?.free();
    this.#asked = null;
    this.#numbers.textContent = "";
    if (!name) return;
    try {
      this.#asked = this.#view.robot.evaluator(name);
      this.#answer();
    } catch (error) {
      this.#numbers.textContent = error.message;
    }
  }

  #answer() {
    const { robot, q, known } = this.#view,
      zero = new Float64Array(robot.nv);
    const state = { q, v: known?.v ?? zero, a: known?.a ?? zero, tau: this.#view.forces() ?? zero };
    try {
      const values = this.#asked.run(state);
      this.#numbers.textContent = this.#asked.items.map((item) => table(item, values[item.name])).join("\n\n");
    } catch (error) {
      this.#numbers.textContent = error.message;
    }
  }

  destroy() {
    this.#sampling++;
    for (const evaluator of [this.#evaluator, this.#mass, this.#asked]) evaluator?.free();
  }
}

/** A name as it stands in that of a quantity. */
const quoted = (name) => (/^[\w-]+$/.test(name) ? name : `'${name}'`);

/** The numbers of a quantity with their labels. */
function table(item, values) {
  const [rows = [], columns] = item.labels;
  const head = `${item.name}${item.unit && item.unit !== "-" ? ` [${item.unit}]` : ""}`;
  const line = (label, x) => `  ${label}  ${x}`;
  if (item.size > 3000) return `${head}: ${item.size} numbers, too many to show`;
  if (columns?.length)
    return [head, ...rows.map((label, i) => line(label, [...values.subarray(i * columns.length, (i + 1) * columns.length)].join(" ")))].join("\n");
  return [head, ...[...values].map((x, i) => line(rows[i] ?? "", x))].join("\n");
}

/** Random numbers that depend on a seed only (mulberry32): pictures repeat. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
