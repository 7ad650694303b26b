// What a body without visual shapes looks like: the box of its mass and inertia, and sticks or a plate between its
// joints.
import { BoxGeometry, CylinderGeometry, Matrix4, Mesh, Vector3 } from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import { boxEdges, principal } from "./inertia.js";

const UP = new Vector3(0, 1, 0);
export const vector = (a) => new Vector3(a[0], a[1], a[2]);

/** A cylinder from a to b; null if they coincide. */
export function stick(a, b, radius, material) {
  const along = b.clone().sub(a),
    length = along.length();
  if (length < 1e-9) return null;
  const mesh = new Mesh(new CylinderGeometry(radius, radius, length, 16), material);
  mesh.position.copy(a).addScaledVector(along, 0.5);
  mesh.quaternion.setFromUnitVectors(UP, along.divideScalar(length));
  return mesh;
}

/** A unit solid at the position and along the principal axes of a body's inertia. */
export function placed(mesh, body, axes, size) {
  mesh.position.copy(vector(body.com));
  mesh.quaternion.setFromRotationMatrix(new Matrix4().makeBasis(...axes.map(vector)));
  mesh.scale.set(...size);
  return mesh;
}

/** The points that make a body: its joints and closures, in its axes. */
export function points(robot, i) {
  const name = robot.bodies[i].name;
  const found = robot.joints.filter((joint) => joint.parent === i).map((joint) => vector(joint.placement.p));
  for (const loop of robot.loops) {
    if (loop.bodyA === name) found.push(vector(loop.poseA.p));
    if (loop.bodyB === name) found.push(vector(loop.poseB.p));
  }
  return found;
}

/** A plate around points that span an area; null: they do not. */
function plate(corners, thin, material) {
  const [a] = corners;
  const area = Math.max(
    ...corners.flatMap((b) => corners.map((c) => b.clone().sub(a).cross(c.clone().sub(a)).length())),
  );
  if (area < 40 * thin * thin) return null;
  const cube = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => new Vector3(x, y, z))));
  return new Mesh(new ConvexGeometry(corners.flatMap((p) => cube.map((c) => c.clone().multiplyScalar(thin).add(p)))), material);
}

/** The parts of a body. thin: the radius of sticks. */
export function solids(robot, i, thin, largest, material) {
  const body = robot.bodies[i],
    made = [];
  const ends = points(robot, i);
  const hull = ends.length > 2 && ends.length < 40 ? plate([new Vector3(), ...ends], thin, material) : null;
  if (hull) made.push(hull);
  else made.push(...ends.map((p) => stick(new Vector3(), p, thin, material)));
  if (i > 0 && body.mass > 0) {
    const { moments, axes } = principal(body.inertia);
    const size = boxEdges(body.mass, moments).map((x) => Math.min(Math.max(x, 1.6 * thin), largest));
    made.push(placed(new Mesh(new BoxGeometry(1, 1, 1), material), body, axes, size));
    made.push(stick(new Vector3(), vector(body.com), thin, material));
  }
  return made.filter(Boolean);
}
