// The robot as solids: of each body the box of its mass and inertia, sticks from joint to joint, joints, and what is
// shown of a selected body.
import {
  AxesHelper,
  Box3,
  BoxGeometry,
  CylinderGeometry,
  Group,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Sphere,
  SphereGeometry,
  Vector3,
} from "three";
import { boxEdges, ellipsoidAxes, principal } from "./inertia.js";

const COLOURS = [0x4e79a7, 0xf28e2b, 0x59a14f, 0xb07aa1, 0x76b7b2, 0xe15759, 0xedc948, 0x9c755f];
const CHOSEN = 0xffb300,
  JOINT = 0x5b6770,
  PASSIVE = 0xaab4bb,
  CENTRE = 0xd81b60,
  CLOSURE = 0x8e24aa;
const UP = new Vector3(0, 1, 0);
const vector = (a) => new Vector3(a[0], a[1], a[2]);

/** A cylinder from a to b; null if they coincide. */
function stick(a, b, radius, material) {
  const along = b.clone().sub(a),
    length = along.length();
  if (length < 1e-9) return null;
  const mesh = new Mesh(new CylinderGeometry(radius, radius, length, 12), material);
  mesh.position.copy(a).addScaledVector(along, 0.5);
  mesh.quaternion.setFromUnitVectors(UP, along.divideScalar(length));
  return mesh;
}

/** Position and principal axes of a body's inertia, for a unit solid that is scaled to its size. */
function placed(mesh, body, axes, size) {
  const rotation = new Matrix4().makeBasis(...axes.map(vector));
  mesh.position.copy(vector(body.com));
  mesh.quaternion.setFromRotationMatrix(rotation);
  mesh.scale.set(...size);
  return mesh;
}

export class Figure {
  /** @type {Group[]} one per body, the world included */
  groups;
  root = new Group();
  #robot;
  #scale;
  #materials = [];
  #shown = { frames: [], axes: [], centres: [], solids: [], closures: [] };
  #ellipsoid = null;
  #chosen = -1;

  constructor(robot, poses) {
    this.#robot = robot;
    this.groups = robot.bodies.map(() => new Group());
    for (const group of this.groups) {
      group.matrixAutoUpdate = false;
      this.root.add(group);
    }
    this.move(poses);
    this.#scale = this.#size();
    robot.bodies.forEach((body, i) => this.#addBody(body, i));
    robot.loops.forEach((loop) => this.#addLoop(loop));
    this.root.traverse((part) => (part.castShadow = part.receiveShadow = Boolean(part.isMesh)));
  }

  /** Poses of all bodies: twelve numbers each, rotation row by row and position. */
  move(x) {
    this.groups.forEach((group, i) => {
      const [a, b, c, d, e, f, g, h, k, px, py, pz] = x.subarray(12 * i, 12 * i + 12);
      group.matrix.set(a, b, c, px, d, e, f, py, g, h, k, pz, 0, 0, 0, 1);
      group.matrixWorldNeedsUpdate = true;
    });
  }

  /** The points by which a body is drawn, in its axes: its origin, its centre, its joints and closures. */
  #points(i) {
    const { bodies, joints, loops } = this.#robot,
      body = bodies[i];
    const list = joints.filter((joint) => joint.parent === i).map((joint) => vector(joint.placement.p));
    for (const loop of loops) {
      if (loop.bodyA === body.name) list.push(vector(loop.poseA.p));
      if (loop.bodyB === body.name) list.push(vector(loop.poseB.p));
    }
    return list;
  }

  /** How large the robot is: what the thickness of sticks is measured by. */
  #size() {
    const box = new Box3();
    this.#robot.bodies.forEach((body, i) => {
      const own = [new Vector3(), ...this.#points(i), ...(body.mass > 0 ? [vector(body.com)] : [])];
      for (const p of own) box.expandByPoint(p.applyMatrix4(this.groups[i].matrix));
    });
    return Math.max(0.6 * box.getSize(new Vector3()).length(), 1e-3);
  }

  /** A sphere around what is drawn. */
  bounds() {
    const box = new Box3(),
      part = new Box3();
    this.root.updateMatrixWorld(true);
    this.root.traverse((object) => object.isMesh && object.visible && box.union(part.setFromObject(object)));
    const { center, radius } = box.getBoundingSphere(new Sphere());
    return radius > 0 ? { centre: center, radius } : { centre: new Vector3(), radius: 1 };
  }

  /** The height of the lowest corner of what is drawn. */
  lowest(up) {
    const corner = new Vector3();
    let low = Infinity;
    this.root.updateMatrixWorld(true);
    this.root.traverse((object) => {
      if (!object.isMesh || !object.visible) return;
      const at = object.geometry.attributes.position;
      for (let k = 0; k < at.count; k++)
        low = Math.min(low, corner.fromBufferAttribute(at, k).applyMatrix4(object.matrixWorld).dot(vector(up)));
    });
    return low;
  }

  #material(i) {
    const color = i === 0 ? PASSIVE : COLOURS[i % COLOURS.length]; // the world is grey
    const material = new MeshStandardMaterial({ color, roughness: 0.6, metalness: 0.05 });
    this.#materials[i] = material;
    return material;
  }

  #addBody(body, i) {
    const group = this.groups[i],
      thin = 0.012 * this.#scale,
      material = this.#material(i);
    group.userData.body = i;
    for (const p of this.#points(i)) {
      const part = stick(new Vector3(), p, thin, material);
      if (part) group.add(part);
    }
    const axes = new AxesHelper(0.12 * this.#scale);
    this.#show("frames", axes, false);
    group.add(axes);
    if (i === 0) return;
    if (body.mass > 0) this.#addSolid(body, group, material, thin);
    this.#addJoint(this.#robot.joints[body.joint], group, thin);
  }

  #addSolid(body, group, material, thin) {
    const { moments, axes } = principal(body.inertia);
    const size = boxEdges(body.mass, moments).map((x) => Math.min(Math.max(x, 1.6 * thin), this.#scale));
    const box = placed(new Mesh(new BoxGeometry(1, 1, 1), material), body, axes, size);
    this.#show("solids", box, true);
    const bar = stick(new Vector3(), vector(body.com), thin, material);
    const centre = new Mesh(
      new SphereGeometry(1.8 * thin, 16, 12),
      new MeshBasicMaterial({ color: CENTRE, depthTest: false }),
    );
    centre.position.copy(vector(body.com));
    centre.renderOrder = 2;
    this.#show("centres", centre, false);
    group.add(box, centre, ...(bar ? [bar] : []));
  }

  #addJoint(joint, group, thin) {
    if (!joint || joint.type === "fixed" || joint.auxiliary) return;
    const material = new MeshStandardMaterial({ color: joint.passive ? PASSIVE : JOINT, roughness: 0.5 });
    const axis = vector(joint.axis);
    const round = ["spherical", "free", "universal", "planar"].includes(joint.type);
    const part = new Mesh(
      round ? new SphereGeometry(2 * thin, 20, 16) : new CylinderGeometry(1.9 * thin, 1.9 * thin, 5 * thin, 24),
      material,
    );
    if (!round) part.quaternion.setFromUnitVectors(UP, axis);
    const line = stick(
      axis.clone().multiplyScalar(-10 * thin),
      axis.clone().multiplyScalar(10 * thin),
      0.3 * thin,
      new MeshBasicMaterial({ color: CHOSEN }),
    );
    this.#show("axes", line, false);
    group.add(part, line);
  }

  #addLoop(loop) {
    for (const [name, pose] of [
      [loop.bodyA, loop.poseA],
      [loop.bodyB, loop.poseB],
    ]) {
      const i = this.#robot.bodies.findIndex((body) => body.name === name);
      const mark = new Mesh(
        new SphereGeometry(0.02 * this.#scale, 16, 12),
        new MeshStandardMaterial({ color: CLOSURE }),
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

  /** Shows or hides a kind of parts: frames, axes, centres, solids, closures. */
  toggle(kind, visible) {
    for (const part of this.#shown[kind]) part.visible = visible;
  }

  transparent(on) {
    this.#materials.forEach((material) => {
      material.transparent = on;
      material.opacity = on ? 0.35 : 1;
      material.depthWrite = !on;
      material.needsUpdate = true;
    });
  }

  /** Marks a body and shows its inertia ellipsoid. @param {number} i -1: none */
  choose(i) {
    if (this.#chosen > 0) this.#materials[this.#chosen].emissive.set(0x000000);
    this.#ellipsoid?.removeFromParent();
    this.#ellipsoid = null;
    this.#chosen = i;
    if (i <= 0) return;
    this.#materials[i].emissive.set(0x5a3d00);
    const body = this.#robot.bodies[i];
    if (!(body.mass > 0)) return;
    const { moments, axes } = principal(body.inertia),
      thin = 0.012 * this.#scale;
    const size = ellipsoidAxes(body.mass, moments).map((x) => Math.min(Math.max(x, thin), this.#scale));
    const material = new MeshStandardMaterial({ color: CHOSEN, transparent: true, opacity: 0.45, depthWrite: false });
    this.#ellipsoid = placed(new Mesh(new SphereGeometry(1, 32, 24), material), body, axes, size);
    this.#ellipsoid.renderOrder = 1;
    this.groups[i].add(this.#ellipsoid);
  }

  /** The body that an object belongs to; -1: none. */
  bodyOf(object) {
    for (let at = object; at; at = at.parent) if (at.userData.body !== undefined) return at.userData.body;
    return -1;
  }
}
