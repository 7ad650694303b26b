// Visual and collision shapes of a model file: primitives and meshes.
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  PlaneGeometry,
  SphereGeometry,
} from "three";
import { mergeVertices, toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";

const SMOOTH = 0.6; // rad: edges that are sharper stay edges
const MANY = 150000; // triangles of a mesh above which its normals are averaged over all edges: edges cost memory

/** Cylinders and capsules of three.js lie along y, those of model files along z. */
const upright = (geometry) => geometry.rotateX(Math.PI / 2);

/** The geometry of a primitive shape. size: as in `Shape` of view.js. */
function primitive({ kind, size: s }) {
  switch (kind) {
    case "box":
      return new BoxGeometry(s[0], s[1], s[2]);
    case "sphere":
      return new SphereGeometry(s[0], 40, 24);
    case "ellipsoid":
      return new SphereGeometry(1, 40, 24).scale(s[0], s[1], s[2]);
    case "cylinder":
      return upright(new CylinderGeometry(s[0], s[0], s[1], 48));
    case "capsule":
      return upright(new CapsuleGeometry(s[0], s[1], 12, 32));
    case "plane":
      return new PlaneGeometry(s[0] || 20, s[1] || 20);
    default:
      return null;
  }
}

/** The geometry of a mesh, with normals and the materials of its parts as groups. */
export function meshGeometry({ positions, triangles, parts }) {
  let geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setIndex(new BufferAttribute(triangles, 1));
  if (triangles.length / 3 > MANY) geometry.computeVertexNormals();
  else geometry = mergeVertices(toCreasedNormals(geometry, SMOOTH), 1e-9);
  for (const [k, part] of (parts ?? []).entries()) geometry.addGroup(3 * part.first, 3 * part.count, k);
  return geometry;
}

const colourKey = (c) => c.map((x) => x.toFixed(4)).join(" ");

/** Makes objects of shapes; meshes and materials that are the same are shared. */
export class Shapes {
  #geometries = new Map();
  #materials = new Map();
  #meshes;

  /** @param {import("./view.js").MeshData[]} meshes */
  constructor(meshes) {
    this.#meshes = meshes ?? [];
  }

  /** All materials that were made, for looks that change all of them. */
  get materials() {
    return [...this.#materials.values()];
  }

  /** One material per colour of a body, so that bodies light up by themselves. */
  #material(body, colour, make) {
    const key = `${body} ${colourKey(colour)}`;
    if (!this.#materials.has(key)) this.#materials.set(key, make());
    return this.#materials.get(key);
  }

  #plain(body, colour) {
    return this.#material(body, colour, () => {
      const [r, g, b, a = 1] = colour;
      const material = new MeshStandardMaterial({ roughness: 0.55, metalness: 0.08, side: 2 });
      material.color.setRGB(r, g, b, "srgb");
      material.userData.opacity = a;
      material.opacity = a;
      material.transparent = a < 1;
      material.userData.body = body;
      return material;
    });
  }

  #geometry(shape) {
    const key = shape.kind === "mesh" ? `mesh ${shape.mesh}` : `${shape.kind} ${shape.size}`;
    if (!this.#geometries.has(key)) {
      const mesh = shape.kind === "mesh" ? this.#meshes[shape.mesh] : null;
      this.#geometries.set(key, shape.kind === "mesh" ? mesh && meshGeometry(mesh) : primitive(shape));
    }
    return this.#geometries.get(key);
  }

  /** An object in axes of its body; null for a kind that is not known or a mesh that is not there. */
  make(shape, fallback) {
    const geometry = this.#geometry(shape);
    if (!geometry) return null;
    const own = shape.colour ?? null;
    const parts = shape.kind === "mesh" ? (this.#meshes[shape.mesh].parts ?? []) : [];
    const material =
      parts.length > 0
        ? parts.map((part) => this.#plain(shape.body, own ?? part.colour ?? fallback))
        : this.#plain(shape.body, own ?? fallback);
    const mesh = new Mesh(geometry, material);
    const [x, y, z] = shape.pose.p,
      R = shape.pose.R,
      [a, b, c] = shape.scale ?? [1, 1, 1];
    mesh.matrixAutoUpdate = false;
    mesh.matrix.copy(
      // prettier-ignore
      new Matrix4().set(a * R[0], b * R[1], c * R[2], x, a * R[3], b * R[4], c * R[5], y,
                        a * R[6], b * R[7], c * R[8], z, 0, 0, 0, 1),
    );
    return mesh;
  }
}
