// Curves of a motion in groups, and the robot at the moment that is pointed at.
import { element } from "./dom.js";
import { type Curve, Plot } from "./plot.js";

const MOST_POINTS = 4000;

export interface Group {
  title: string;
  curves: Curve[];
}

/** Plots, one below the other, with the same time. */
export class Chart {
  readonly place = element("div", { className: "chart" });
  #plots: Plot[] = [];
  #groups: Group[];
  #every = 1;

  /** point: the index of the row that is pointed at. */
  constructor(groups: Group[], point: (row: number) => void) {
    this.#groups = groups.filter(({ curves }) => curves.length > 0);
    for (const { title, curves } of this.#groups) {
      const plot = new Plot(title, curves, (index) => index !== null && point(index * this.#every));
      this.#plots.push(plot);
      this.place.append(plot.place);
    }
  }

  /** Curves in the order of the groups. Long ones are thinned out evenly. */
  set(time: ArrayLike<number>, values: ArrayLike<number>[]): void {
    this.#every = Math.max(1, Math.ceil(time.length / MOST_POINTS));
    const every = this.#every;
    const thin = (x: ArrayLike<number>) => Float64Array.from({ length: Math.ceil(x.length / every) }, (_, k) => x[k * every]!);
    const t = thin(time);
    let at = 0;
    this.#groups.forEach(({ curves }, k) => {
      this.#plots[k]!.set(t, values.slice(at, at + curves.length).map(thin));
      at += curves.length;
    });
  }

  theme(): void {
    for (const plot of this.#plots) plot.theme();
  }

  destroy(): void {
    for (const plot of this.#plots) plot.destroy();
    this.place.remove();
  }
}
