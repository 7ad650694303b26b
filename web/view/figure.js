// The robot: a group per body, with its visual shapes, or what stands for them, and what is shown on request.
import {
  AxesHelper,
  Box3,
  CylinderGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Sphere,
  SphereGeometry,
  Vector3,
  WireframeGeometry,
} from "three";
import { ellipsoidAxes, principal } from "./inertia.js";
import { Shapes } from "./shapes.js";
import { placed, points, solids, stick, vector } from "./solids.js";

const COLOURS = [0x4e79a7, 0xf28e2b, 0x59a14f, 0xb07aa1, 0x76b7b2, 0xe15759, 0xedc948, 0x9c755f];
const CHOSEN = 0xffb300,
  JOINT = 0x5b6770,
  PASSIVE = 0xaab4bb,
  CENTRE = 0xd81b60,
  CLOSURE = 0x8e24aa,
  COLLISION = 0x00a88f;
const BARE = [0.72, 0.75, 0.78]; // shapes without a colour
const UP = new Vector3(0, 1, 0);

export class Figure {
  /** @type {Group[]} one per body, the world included */
  groups;
  root = new Group();
  #robot;
  #scale;
  #shapes;
  #drawn; // bodies with visual shapes
  #materials = [];
  #shown = { visuals: [], solids: [], collisions: [], frames: [], axes: [], joints: [], centres: [], closures: [] };
  #joints = []; // what is coloured by torques: markers of joints
  #ellipsoid = null;
  #chosen = -1;

  /** @param {{shapes?: import("./view.js").Shape[], meshes?: import("./view.js").MeshData[]}} look */
  constructor(robot, poses, look) {
    this.#robot = robot;
    this.#shapes = new Shapes(look.meshes);
    this.groups = robot.bodies.map(() => new Group());
    for (const [i, group] of this.groups.entries()) {
      group.matrixAutoUpdate = false;
      group.userData.body = i;
      this.root.add(group);
    }
    this.move(poses);
    this.#scale = this.#size();
    const shapes = look.shapes ?? [];
    this.#drawn = new Set(shapes.filter((s) => !s.collision && s.body > 0).map((s) => s.body));
    for (const shape of shapes) this.#addShape(shape);
    robot.bodies.forEach((body, i) => this.#addBody(body, i));
    robot.loops.forEach((loop) => this.#addLoop(loop));
    this.root.traverse((part) => {
      const solid = Boolean(part.isMesh) && !part.material.isMeshBasicMaterial;
      part.castShadow = part.receiveShadow = solid;
    });
  }

  get hasVisuals() {
    return this.#drawn.size > 0;
  }
  get hasCollisions() {
    return this.#shown.collisions.length > 0;
  }
  /** How large the robot is: what the thickness of sticks is measured by [m]. */
  get scale() {
    return this.#scale;
  }

  /** Poses of all bodies: twelve numbers each, rotation row by row and position. */
  move(x) {
    this.groups.forEach((group, i) => {
      const k = 12 * i;
      // prettier-ignore
      group.matrix.set(x[k], x[k + 1], x[k + 2], x[k + 9], x[k + 3], x[k + 4], x[k + 5], x[k + 10],
                       x[k + 6], x[k + 7], x[k + 8], x[k + 11], 0, 0, 0, 1);
      group.matrixWorldNeedsUpdate = true;
    });
  }

  #size() {
    const box = new Box3();
    this.#robot.bodies.forEach((body, i) => {
      const own = [new Vector3(), ...points(this.#robot, i), ...(body.mass > 0 ? [vector(body.com)] : [])];
      for (const p of own) box.expandByPoint(p.applyMatrix4(this.groups[i].matrix));
    });
    return Math.max(0.6 * box.getSize(new Vector3()).length(), 1e-3);
  }

  /** A box around what is drawn. */
  box() {
    const box = new Box3(),
      part = new Box3();
    this.root.updateMatrixWorld(true);
    this.root.traverse((object) => {
      if (object.isMesh && object.visible) box.union(part.setFromObject(object));
    });
    return box;
  }

  /** A sphere around what is drawn. */
  bounds() {
    const { center, radius } = this.box().getBoundingSphere(new Sphere());
    return radius > 0 ? { centre: center, radius } : { centre: new Vector3(), radius: 1 };
  }

  /** Where a plane of the world lies that is level and has no end, along up; null: there is none. */
  ground(shapes, up) {
    const [x, y, z] = up;
    for (const { body, kind, size, pose } of shapes) {
      if (body !== 0 || kind !== "plane" || size[0] || size[1]) continue;
      const { p, R } = pose;
      if (x * R[2] + y * R[5] + z * R[8] > 1 - 1e-6) return x * p[0] + y * p[1] + z * p[2];
    }
    return null;
  }

  #addShape(shape) {
    if (shape.kind === "plane" && !shape.size[0] && !shape.size[1]) return; // the ground is the stage's
    const object = this.#shapes.make(shape, BARE);
    if (!object) return;
    if (shape.collision) {
      const lines = new LineSegments(
        new WireframeGeometry(object.geometry),
        new LineBasicMaterial({ color: COLLISION, transparent: true, opacity: 0.5 }),
      );
      lines.matrixAutoUpdate = false;
      lines.matrix.copy(object.matrix);
      lines.userData.untouchable = true;
      this.#show("collisions", lines, false);
      this.groups[shape.body].add(lines);
      return;
    }
    this.#show("visuals", object, true);
    this.groups[shape.body].add(object);
  }

  #material(i) {
    const color = i === 0 ? PASSIVE : COLOURS[i % COLOURS.length]; // the world is grey
    return (this.#materials[i] ??= new MeshStandardMaterial({
      color,
      roughness: 0.55,
      metalness: 0.05,
      userData: { body: i, opacity: 1 },
    }));
  }

  #addBody(body, i) {
    const group = this.groups[i],
      thin = 0.012 * this.#scale,
      bare = !this.#drawn.has(i) && !this.#hidden(i);
    for (const part of solids(this.#robot, i, thin, this.#scale, this.#material(i))) {
      part.userData.bare = bare;
      this.#show("solids", part, bare);
      group.add(part);
    }
    const axes = new AxesHelper(0.12 * this.#scale);
    this.#show("frames", axes, false);
    axes.userData.untouchable = true;
    group.add(axes);
    if (i === 0) return;
    if (body.mass > 0) this.#addCentre(body, group, thin);
    this.#addJoint(this.#robot.joints[body.joint], group, thin, bare);
  }

  /** A body whose sticks only say where it stands: the world below a robot that has shapes. */
  #hidden(i) {
    return i === 0 && this.#drawn.size > 0;
  }

  #addCentre(body, group, thin) {
    const material = new MeshBasicMaterial({ color: CENTRE, depthTest: false, transparent: true });
    const centre = new Mesh(new SphereGeometry(1.5 * thin, 16, 12), material);
    centre.position.copy(vector(body.com));
    centre.renderOrder = 2;
    centre.userData.untouchable = true;
    this.#show("centres", centre, false);
    group.add(centre);
  }

  #addJoint(joint, group, thin, bare) {
    if (!joint || joint.type === "fixed" || joint.auxiliary) return;
    const material = new MeshStandardMaterial({ color: joint.passive ? PASSIVE : JOINT, roughness: 0.5 });
    const axis = vector(joint.axis);
    const round = ["spherical", "free", "universal", "planar"].includes(joint.type);
    const part = new Mesh(
      round ? new SphereGeometry(2 * thin, 24, 16) : new CylinderGeometry(1.9 * thin, 1.9 * thin, 5 * thin, 28),
      material,
    );
    if (!round) part.quaternion.setFromUnitVectors(UP, axis);
    part.userData.bare = bare;
    this.#show("joints", part, bare);
    if (joint.nv === 1) this.#joints.push({ v: joint.v, part, plain: material, hot: null });
    const line = stick(
      axis.clone().multiplyScalar(-12 * thin),
      axis.clone().multiplyScalar(12 * thin),
      0.25 * thin,
      new MeshBasicMaterial({ color: CHOSEN, depthTest: false, transparent: true }),
    );
    if (line) {
      line.renderOrder = 3;
      line.userData.untouchable = true;
      this.#show("axes", line, false);
      group.add(line);
    }
    group.add(part);
  }

  #addLoop(loop) {
    for (const [name, pose] of [
      [loop.bodyA, loop.poseA],
      [loop.bodyB, loop.poseB],
    ]) {
      const i = this.#robot.bodies.findIndex((body) => body.name === name);
      const mark = new Mesh(
        new SphereGeometry(0.02 * this.#scale, 20, 16),
        new MeshStandardMaterial({ color: CLOSURE, roughness: 0.5 }),
      );
      mark.position.copy(vector(pose.p));
      this.#show("closures", mark, true);
      this.groups[i]?.add(mark);
    }
  }

  #show(kind, part, visible) {
    part.visible = visible;
    this.#shown[kind].push(part);
  }

  /**
   * Shows or hides a kind of parts. Boxes and joints: "some" are those of bodies without visual shapes.
   * @param {keyof Figure["#shown"]} kind @param {boolean | "some"} visible
   */
  toggle(kind, visible) {
    for (const part of this.#shown[kind]) part.visible = visible === "some" ? part.userData.bare : visible;
  }

  #all() {
    return [...this.#materials.filter(Boolean), ...this.#shapes.materials];
  }

  transparent(on) {
    for (const material of this.#all()) {
      const own = material.userData.opacity;
      material.transparent = on || own < 1;
      material.opacity = on ? 0.3 * own : own;
      material.depthWrite = !on;
      material.needsUpdate = true;
    }
  }

  /** Colours the joints by numbers from 0 to 1, one per velocity; null: as usual. */
  heat(values) {
    for (const joint of this.#joints) {
      joint.hot ??= new MeshStandardMaterial({ roughness: 0.4 });
      joint.part.material = values ? joint.hot : joint.plain;
      if (values) joint.hot.color.setHSL(0.66 * (1 - Math.min(1, values[joint.v])), 0.85, 0.5);
    }
    this.toggle("joints", values ? true : "some");
  }

  /** Marks a body and shows its inertia ellipsoid. @param {number} i -1: none */
  choose(i) {
    for (const material of this.#all()) material.emissive.set(material.userData.body === i && i > 0 ? 0x6b4500 : 0);
    this.#ellipsoid?.removeFromParent();
    this.#ellipsoid?.geometry.dispose();
    this.#ellipsoid = null;
    this.#chosen = i;
    const body = this.#robot.bodies[i];
    if (i <= 0 || !(body.mass > 0)) return;
    const { moments, axes } = principal(body.inertia),
      thin = 0.006 * this.#scale;
    const size = ellipsoidAxes(body.mass, moments).map((x) => Math.min(Math.max(x, thin), this.#scale));
    const material = new MeshStandardMaterial({
      color: CHOSEN,
      transparent: true,
      opacity: 0.55,
      depthTest: false,
      depthWrite: false,
    });
    this.#ellipsoid = placed(new Mesh(new SphereGeometry(1, 32, 24), material), body, axes, size);
    this.#ellipsoid.renderOrder = 1;
    this.#ellipsoid.userData.untouchable = true;
    this.groups[i].add(this.#ellipsoid);
  }

  get chosen() {
    return this.#chosen;
  }

  /** The body that an object belongs to; -1: none. */
  bodyOf(object) {
    for (let at = object; at; at = at.parent) if (at.userData.body !== undefined) return at.userData.body;
    return -1;
  }
}
