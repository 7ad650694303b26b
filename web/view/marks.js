// What is drawn beside the robot: arrows of forces, traces of frames, joints coloured by their forces.
import { ConeGeometry, CylinderGeometry, Group, Matrix4, Mesh, MeshStandardMaterial, Vector3 } from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";

const UP = new Vector3(0, 1, 0);
const FORCE = 0xd1495b,
  WEIGHT = 0x2e86ab,
  OUTSIDE = 0xe07a1f,
  TRACES = [0xe4572e, 0x17bebb, 0xa463f2, 0x76b041];

class Arrow {
  object = new Group();
  #shaft;
  #head;

  constructor(colour, thin) {
    const material = new MeshStandardMaterial({ color: colour, roughness: 0.5, depthTest: false, transparent: true });
    this.thin = thin;
    this.#shaft = new Mesh(new CylinderGeometry(thin, thin, 1, 12).translate(0, 0.5, 0), material);
    this.#head = new Mesh(new ConeGeometry(2.6 * thin, 6 * thin, 16).translate(0, 3 * thin, 0), material);
    this.object.add(this.#shaft, this.#head);
    this.object.renderOrder = 4;
    for (const part of this.object.children) part.renderOrder = 4;
  }

  /** From a point along a vector, whose length is that of the arrow [m]. */
  point(at, along) {
    const length = along.length();
    this.object.visible = length > 3 * this.thin;
    if (!this.object.visible) return;
    this.object.position.copy(at);
    this.object.quaternion.setFromUnitVectors(UP, along.clone().divideScalar(length));
    const shaft = Math.max(length - 6 * this.thin, 1e-6);
    this.#shaft.scale.y = shaft;
    this.#head.position.y = shaft;
  }
}

export class Marks {
  #view;
  #groups = { forces: null, weights: null, wrenches: null };
  #reactions = null;
  #traces = [];
  #heat = false;
  #largest = null; // of each velocity, along a motion

  constructor(view) {
    this.#view = view;
    view.addEventListener("change", () => this.update());
  }

  /** Moves all marks to the state of the view. */
  update() {
    if (this.#heat) this.#showHeat();
    if (this.#groups.forces) this.#placeForces();
    if (this.#groups.weights) this.#placeWeights();
  }

  #add(kind, count, colour) {
    const group = new Group();
    group.arrows = Array.from({ length: count }, () => new Arrow(colour, 0.005 * this.#view.figure.scale));
    group.add(...group.arrows.map((arrow) => arrow.object));
    this.#view.stage.scene.add(group);
    this.#groups[kind] = group;
  }

  #remove(kind) {
    this.#groups[kind]?.removeFromParent();
    this.#groups[kind] = null;
  }

  // ---- forces -------------------------------------------------------------------------------------------------------

  /** The largest force is drawn half as long as the robot is large: the scale of all arrows [m/N]. */
  #metres(forces) {
    const { figure, robot } = this.#view;
    const weight = robot.mass * Math.hypot(...robot.gravity);
    return (0.35 * figure.scale) / Math.max(weight, ...forces.map((f) => f.length()), 1e-9);
  }

  /** The force that each joint transmits to its child. */
  showForces(on) {
    const { robot, stage } = this.#view;
    this.#remove("forces");
    this.#reactions?.free();
    this.#reactions = null;
    if (on) {
      this.#reactions = robot.evaluator("reactions@aligned", { inputs: ["q", "v", "a"] });
      this.#add("forces", robot.joints.length, FORCE);
      this.#placeForces();
    }
    stage.draw();
  }

  #placeForces() {
    const { robot, q, known, figure } = this.#view,
      zero = new Float64Array(robot.nv);
    let values;
    try {
      values = this.#reactions.run({ q, v: known?.v ?? zero, a: known?.a ?? zero })["reactions@aligned"];
    } catch {
      this.#groups.forces.visible = false; // a singular configuration
      return;
    }
    this.#groups.forces.visible = true;
    const forces = robot.joints.map((_, i) => new Vector3(values[6 * i + 3], values[6 * i + 4], values[6 * i + 5]));
    const metres = this.#metres(forces);
    robot.joints.forEach((joint, i) => {
      const at = new Vector3().setFromMatrixPosition(figure.groups[joint.child].matrix);
      this.#groups.forces.arrows[i].point(at, forces[i].multiplyScalar(joint.auxiliary ? 0 : metres));
    });
  }

  showWeights(on) {
    const { robot, stage } = this.#view;
    this.#remove("weights");
    if (on) {
      this.#add("weights", robot.bodies.length, WEIGHT);
      this.#placeWeights();
    }
    stage.draw();
  }

  #placeWeights() {
    const { robot, figure } = this.#view;
    const forces = robot.bodies.map((body) => new Vector3(...robot.gravity).multiplyScalar(body.mass));
    const metres = this.#metres(forces);
    robot.bodies.forEach((body, i) => {
      const at = new Vector3(...body.com).applyMatrix4(figure.groups[i].matrix);
      this.#groups.weights.arrows[i].point(at, forces[i].multiplyScalar(i === 0 ? 0 : metres));
    });
  }

  /** Forces from outside along a motion, as it recorded them. @param {{at: number[], force: number[]}[]} list */
  showWrenches(list) {
    if (list.length === 0) return this.#remove("wrenches");
    if (!this.#groups.wrenches) this.#add("wrenches", list.length, OUTSIDE);
    const forces = list.map(({ force }) => new Vector3(...force)),
      metres = this.#metres(forces);
    list.forEach(({ at }, k) =>
      this.#groups.wrenches.arrows[k].point(new Vector3(...at), forces[k].multiplyScalar(metres)),
    );
  }

  // ---- torques as colour --------------------------------------------------------------------------------------------

  showHeat(on) {
    this.#heat = on;
    if (on) this.#showHeat();
    else this.#view.figure.heat(null);
    this.#view.stage.draw();
  }

  /** Largest forces of a motion, against which joints without a limit are coloured. */
  scaleHeat(largest) {
    this.#largest = largest;
  }

  #showHeat() {
    const { robot, figure } = this.#view,
      tau = this.#view.forces() ?? new Float64Array(robot.nv);
    const most = Math.max(...tau.map(Math.abs), 1e-9);
    figure.heat(
      Array.from(tau, (x, k) => {
        const limit = robot.joints[robot.velocities[k].joint].maxEffort;
        return Math.abs(x) / (limit || this.#largest?.[k] || most);
      }),
    );
  }

  // ---- traces -------------------------------------------------------------------------------------------------------

  /** A smooth curve through points, three numbers each, that a frame passes. */
  trace(points) {
    const line = new LineGeometry().setPositions(smooth(points));
    const material = new LineMaterial({ color: TRACES[this.#traces.length % TRACES.length], linewidth: 2.5 });
    const object = new Line2(line, material);
    object.userData.untouchable = true;
    this.#traces.push(object);
    this.#view.stage.scene.add(object);
    this.#view.stage.draw();
  }

  clearTraces() {
    for (const line of this.#traces) {
      line.removeFromParent();
      line.geometry.dispose();
      line.material.dispose();
    }
    this.#traces = [];
    this.#view.stage.draw();
  }
}

/** Catmull and Rom's spline through points, drawn finely where they turn. */
function smooth(points) {
  const n = points.length / 3,
    at = (i, k) => points[3 * Math.min(n - 1, Math.max(0, i)) + k],
    parts = n > 2 && n < 4000 ? Math.min(8, Math.ceil(4000 / n)) : 1,
    out = [];
  for (let i = 0; i + 1 < n; i++)
    for (let s = 0; s < parts; s++) {
      const t = s / parts;
      for (let k = 0; k < 3; k++) {
        const [a, b, c, d] = [at(i - 1, k), at(i, k), at(i + 1, k), at(i + 2, k)];
        out.push(b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a))));
      }
    }
  out.push(at(n - 1, 0), at(n - 1, 1), at(n - 1, 2));
  return out.length < 6 ? [...out, ...out] : out;
}

/** Position of a frame, or of another point of a body, in the world by the poses of the bodies. */
export function framePosition(robot, poses, frame, point = null) {
  const body = frame < robot.bodies.length ? frame : robot.frames[frame - robot.bodies.length].body;
  const p = point ?? (frame < robot.bodies.length ? [0, 0, 0] : robot.frames[frame - robot.bodies.length].pose.p);
  const x = poses.subarray(12 * body, 12 * body + 12);
  return [0, 1, 2].map((k) => x[3 * k] * p[0] + x[3 * k + 1] * p[1] + x[3 * k + 2] * p[2] + x[9 + k]);
}

/** The pose of a frame as a matrix of three.js. */
export function frameMatrix(robot, poses, frame) {
  const body = frame < robot.bodies.length ? frame : robot.frames[frame - robot.bodies.length].body;
  const x = poses.subarray(12 * body, 12 * body + 12);
  // prettier-ignore
  const matrix = new Matrix4().set(x[0], x[1], x[2], x[9], x[3], x[4], x[5], x[10],
                                   x[6], x[7], x[8], x[11], 0, 0, 0, 1);
  if (frame < robot.bodies.length) return matrix;
  const { p, R } = robot.frames[frame - robot.bodies.length].pose;
  // prettier-ignore
  return matrix.multiply(new Matrix4().set(R[0], R[1], R[2], p[0], R[3], R[4], R[5], p[1],
                                           R[6], R[7], R[8], p[2], 0, 0, 0, 1));
}

/** Frames to choose from, the most interesting one first: the ends of the robot, frames, then all bodies. */
export function frameChoices(robot) {
  const n = robot.bodies.length;
  const frames = robot.frames.map((frame, k) => [frame.name, n + k]);
  const bodies = robot.bodies.flatMap((body, i) => (i > 0 && body.standsFor < 0 ? [[body.name, i]] : []));
  const parents = new Set(robot.joints.map((joint) => joint.parent));
  const [ends, others] = [true, false].map((end) => bodies.filter(([, i]) => !parents.has(i) === end));
  const tools = frames.filter(([, i]) => robot.frames[i - n].body > 0);
  return [...tools, ...ends.reverse(), ...others];
}
