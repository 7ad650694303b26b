// Curves over time beside the robot: a canvas with axes, events, and a cursor that goes with the robot.
import { element } from "./dom.js";

const COLOURS = ["#3b7dd8", "#e4572e", "#2e9e5b", "#9b5de5", "#d69c00", "#0fa3b1", "#d81b60", "#7a6a58"];
const LEFT = 58,
  RIGHT = 12,
  TOP = 10,
  BOTTOM = 22;

/** Round numbers between two bounds. */
export function ticks(low, high, most) {
  const rough = (high - low) / most;
  if (!(rough > 0)) return [low];
  const size = 10 ** Math.floor(Math.log10(rough)),
    step = [1, 2, 5, 10].map((x) => x * size).find((x) => x >= rough);
  const made = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) made.push(Number((k * step).toPrecision(12)));
  return made;
}

/** Colours of curves, also for their legend. */
export const colourOf = (k) => COLOURS[k % COLOURS.length];

export class Curves {
  #canvas = element("canvas", { className: "lv-curves", role: "img" });
  #picture = document.createElement("canvas"); // all but the cursor
  #time = null;
  #series = [];
  #unit = "";
  #events = [];
  #range = [0, 1];
  #now = 0;
  #watch = new ResizeObserver(() => this.redraw());

  /** @param {(time: number) => void} seek is called with the time under the pointer */
  constructor(seek) {
    this.#watch.observe(this.#canvas);
    const follow = (event) => {
      const place = this.#canvas.getBoundingClientRect(),
        x = (event.clientX - place.left - LEFT) / (place.width - LEFT - RIGHT);
      const [a, b] = this.#span();
      seek(a + Math.min(1, Math.max(0, x)) * (b - a));
    };
    this.#canvas.addEventListener("pointerdown", (event) => {
      this.#canvas.setPointerCapture(event.pointerId);
      follow(event);
    });
    this.#canvas.addEventListener("pointermove", (event) => event.buttons === 1 && follow(event));
  }

  get element() {
    return this.#canvas;
  }

  /** @param {{name: string, values: Float64Array}[]} series */
  show(time, series, unit, events) {
    this.#time = time;
    this.#series = series;
    this.#unit = unit;
    this.#events = events;
    let [low, high] = [Infinity, -Infinity];
    for (const { values } of series)
      for (const x of values)
        if (Number.isFinite(x)) {
          low = Math.min(low, x);
          high = Math.max(high, x);
        }
    if (!(low <= high)) [low, high] = [0, 1];
    const room = 0.06 * (high - low) || Math.max(1e-9, 0.1 * Math.abs(high)) || 1;
    this.#range = [low - room, high + room];
    this.#canvas.setAttribute("aria-label", `Curves over time: ${series.map(({ name }) => name).join(", ")}${unit && ` [${unit}]`}`);
    this.redraw();
  }

  /** Moves the cursor. */
  cursor(t) {
    this.#now = t;
    this.#draw();
  }

  #span() {
    return [this.#time[0], this.#time[this.#time.length - 1]];
  }

  redraw() {
    const { clientWidth: width, clientHeight: height } = this.#canvas,
      sharp = Math.min(2, devicePixelRatio);
    if (!this.#time || width === 0) return;
    for (const canvas of [this.#canvas, this.#picture]) [canvas.width, canvas.height] = [width * sharp, height * sharp];
    const context = this.#picture.getContext("2d"),
      style = getComputedStyle(this.#canvas);
    context.setTransform(sharp, 0, 0, sharp, 0, 0);
    this.text = style.getPropertyValue("--lv-faint") || "#555";
    this.line = style.getPropertyValue("--lv-line") || "#ccc";
    this.accent = style.getPropertyValue("--lv-accent") || "#00695c";
    context.font = "11px system-ui, sans-serif";
    this.#axes(context, width, height);
    context.save();
    context.beginPath();
    context.rect(LEFT, TOP, width - LEFT - RIGHT, height - TOP - BOTTOM);
    context.clip();
    this.#series.forEach((one) => this.#curve(context, one, width, height));
    context.restore();
    this.#draw();
  }

  #x(t, width) {
    const [a, b] = this.#span();
    return LEFT + (b > a ? (t - a) / (b - a) : 0) * (width - LEFT - RIGHT);
  }

  #y(value, height) {
    const [low, high] = this.#range;
    return height - BOTTOM - ((value - low) / (high - low)) * (height - TOP - BOTTOM);
  }

  #axes(context, width, height) {
    context.strokeStyle = this.line;
    context.fillStyle = this.text;
    context.lineWidth = 1;
    context.textAlign = "right";
    context.textBaseline = "middle";
    const rule = (x0, y0, x1, y1) => {
      context.beginPath();
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
      context.stroke();
    };
    for (const value of ticks(...this.#range, Math.max(3, height / 28))) {
      const y = Math.round(this.#y(value, height)) + 0.5;
      rule(LEFT, y, width - RIGHT, y);
      context.fillText(String(value).replace("-", "\u2212"), LEFT - 6, y);
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const t of ticks(...this.#span(), Math.max(2, width / 110))) {
      const x = Math.round(this.#x(t, width)) + 0.5;
      rule(x, height - BOTTOM, x, height - BOTTOM + 4);
      context.fillText(`${t} s`, x, height - BOTTOM + 6);
    }
    context.save();
    context.setLineDash([4, 3]);
    context.strokeStyle = this.text;
    for (const { time } of this.#events) rule(this.#x(time, width), TOP, this.#x(time, width), height - BOTTOM);
    context.restore();
    context.textAlign = "left";
    context.fillText(this.#unit && `[${this.#unit}]`, 4, TOP - 8);
  }

  /** One curve; of many rows in a pixel the lowest and the highest, so that peaks stay. */
  #curve(context, { values, colour }, width, height) {
    context.strokeStyle = colour;
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    context.beginPath();
    let pixel = -1,
      low = 0,
      high = 0,
      broken = true;
    for (let k = 0; k < values.length; k++) {
      const x = this.#x(this.#time[k], width),
        y = this.#y(values[k], height);
      if (!Number.isFinite(y)) {
        broken = true;
        continue;
      }
      if (Math.floor(2 * x) === pixel && !broken) {
        if (y >= low && y <= high) continue;
      } else [pixel, low, high] = [Math.floor(2 * x), y, y];
      low = Math.min(low, y);
      high = Math.max(high, y);
      if (broken) context.moveTo(x, y);
      else context.lineTo(x, y);
      broken = false;
    }
    context.stroke();
  }

  #draw() {
    if (!this.#time || this.#canvas.width === 0) return;
    const context = this.#canvas.getContext("2d"),
      sharp = Math.min(2, devicePixelRatio);
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    context.drawImage(this.#picture, 0, 0);
    context.setTransform(sharp, 0, 0, sharp, 0, 0);
    context.strokeStyle = this.accent;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(this.#x(this.#now, width), TOP);
    context.lineTo(this.#x(this.#now, width), height - BOTTOM);
    context.stroke();
  }

  destroy() {
    this.#watch.disconnect();
  }
}
