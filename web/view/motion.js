// A motion: rows of states over time, and the state between them.

/**
 * @typedef {object} Motion
 * @property {Float64Array} time  of each row, growing [s]
 * @property {Float64Array} q     rows x nq
 * @property {Float64Array} [v]   rows x nv, as a and tau
 * @property {Float64Array} [a]
 * @property {Float64Array} [tau]
 * @property {{time: number, text: string}[]} [events]
 * @property {{name: string, unit: string, values: Float64Array}[]} [curves]  more curves, a number per row
 * @property {{body: number, at: Float64Array, force: Float64Array}[]} [wrenches]  rows x 3: where forces act and what
 *   they are, in world axes
 */

/** Where the quaternions of ball and free joints start in q. */
function quaternions(robot) {
  return robot.joints
    .filter((joint) => joint.nq > joint.nv)
    .map((joint) => joint.q + joint.nq - 4);
}

/** Moves the quaternion at `at` of `out` along the shorter arc; near enough to slerp between rows of a simulation. */
function blend(out, at, from, to, x) {
  let dot = 0;
  for (let k = 0; k < 4; k++) dot += from[k] * to[k];
  const sign = dot < 0 ? -1 : 1;
  let size = 0;
  for (let k = 0; k < 4; k++) {
    out[at + k] = (1 - x) * from[k] + sign * x * to[k];
    size += out[at + k] ** 2;
  }
  for (let k = 0; k < 4; k++) out[at + k] /= Math.sqrt(size);
}

export class Track {
  #robot;
  #quaternions;
  #row = 0;

  /** @param {Motion} motion */
  constructor(robot, motion) {
    const rows = motion.time.length;
    if (rows === 0 || motion.q.length !== rows * robot.nq) throw new Error("the motion does not belong to this robot");
    this.motion = motion;
    this.rows = rows;
    this.start = motion.time[0];
    this.end = motion.time[rows - 1];
    this.#robot = robot;
    this.#quaternions = quaternions(robot);
  }

  /** The last row that is not after a time. */
  row(t) {
    const { time } = this.motion;
    let low = 0,
      high = this.rows - 1;
    if (time[this.#row] <= t && (this.#row + 1 >= this.rows || time[this.#row + 1] > t)) return this.#row;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (time[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return (this.#row = low);
  }

  /** How far a time lies between a row and the next, from 0 to 1. */
  #between(t, i) {
    const { time } = this.motion;
    const step = i + 1 < this.rows ? time[i + 1] - time[i] : 0;
    return step > 0 ? Math.min(1, Math.max(0, (t - time[i]) / step)) : 0;
  }

  /** The configuration at a time. */
  q(t) {
    const i = this.row(t),
      x = this.#between(t, i),
      { nq } = this.#robot;
    const from = this.motion.q.subarray(i * nq, (i + 1) * nq);
    if (x === 0) return Float64Array.from(from);
    const to = this.motion.q.subarray((i + 1) * nq, (i + 2) * nq);
    const q = Float64Array.from(from, (value, k) => value + x * (to[k] - value));
    for (const at of this.#quaternions) blend(q, at, from.subarray(at, at + 4), to.subarray(at, at + 4), x);
    return q;
  }

  /** v, a or tau at a time; null: the motion has none. */
  values(kind, t) {
    const all = this.motion[kind],
      { nv } = this.#robot;
    if (!all) return null;
    const i = this.row(t),
      x = this.#between(t, i),
      next = x > 0 ? nv : 0;
    return Float64Array.from({ length: nv }, (_, k) => all[i * nv + k] + x * (all[i * nv + next + k] - all[i * nv + k]));
  }

  /** A row of a list of rows x 3. */
  point(all, t) {
    const i = this.row(t),
      x = this.#between(t, i),
      next = x > 0 ? 3 : 0;
    return [0, 1, 2].map((k) => all[3 * i + k] + x * (all[3 * i + next + k] - all[3 * i + k]));
  }
}
