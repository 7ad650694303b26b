// Principal axes of a rotational inertia, and the solids of uniform density that have it.

/**
 * Eigenvalues and eigenvectors of a symmetric 3 x 3 matrix by Jacobi rotations.
 * @param {number[]} I Ixx Ixy Ixz Iyy Iyz Izz
 * @returns {{moments: number[], axes: number[][]}} axes: unit vectors, right-handed
 */
export function principal(I) {
  const a = [
    [I[0], I[1], I[2]],
    [I[1], I[3], I[4]],
    [I[2], I[4], I[5]],
  ];
  const v = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  for (let sweep = 0; sweep < 30; sweep++) {
    if (Math.hypot(a[0][1], a[0][2], a[1][2]) === 0) break;
    for (const [p, q] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      if (a[p][q] === 0) continue;
      const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
      const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.hypot(theta, 1));
      const c = 1 / Math.hypot(t, 1),
        s = t * c;
      for (let k = 0; k < 3; k++) [a[k][p], a[k][q]] = [c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]];
      for (let k = 0; k < 3; k++) [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]];
      for (let k = 0; k < 3; k++) [v[k][p], v[k][q]] = [c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]];
    }
  }
  const axes = [0, 1, 2].map((k) => [v[0][k], v[1][k], v[2][k]]);
  return { moments: [a[0][0], a[1][1], a[2][2]], axes }; // rotations keep v right-handed
}

/** Of the moments about each axis: (I_i + I_j - I_k) / 2 = integral of x_k^2 dm, not below 0. */
const second = (m) => [0, 1, 2].map((k) => Math.max(0, (m[(k + 1) % 3] + m[(k + 2) % 3] - m[k]) / 2));

/** Edges of the box of that mass: L_k^2 = 12 / m times the second moment. */
export const boxEdges = (mass, moments) => second(moments).map((x) => Math.sqrt((12 * x) / mass));

/** Half axes of the ellipsoid of that mass: a_k^2 = 5 / m times the second moment. */
export const ellipsoidAxes = (mass, moments) => second(moments).map((x) => Math.sqrt((5 * x) / mass));
