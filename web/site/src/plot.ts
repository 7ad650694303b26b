// Curves over time.
import uPlot from "uplot";
import { element, unitText } from "./dom.js";

const COLOURS = ["#3b73af", "#d1701a", "#3d8b40", "#b23a48", "#7c58a6", "#0d8488", "#a67c00", "#9c4f8f", "#5d6d7e"];

export interface Curve {
  name: string;
  unit: string;
}

/** Colours of axes and grid, which the page's theme decides. */
function axisColours(): { text: string; line: string } {
  const style = getComputedStyle(document.documentElement);
  return { text: style.getPropertyValue("--faint").trim(), line: style.getPropertyValue("--line").trim() };
}

export class Plot {
  readonly place: HTMLElement;
  #plot: uPlot;
  #fit: ResizeObserver;
  #colours = axisColours();

  /** point: the moment that is pointed at; null: none. */
  constructor(title: string, curves: Curve[], point: (index: number | null) => void) {
    this.place = element("figure", { className: "plot", ariaLabel: title });
    this.place.append(element("figcaption", { textContent: title }));
    this.#plot = new uPlot(this.#options(curves, point), [[], ...curves.map(() => [])] as uPlot.AlignedData, this.place);
    this.#fit = new ResizeObserver(() => this.resize());
    this.#fit.observe(this.place);
  }

  #options(curves: Curve[], point: (index: number | null) => void): uPlot.Options {
    const axis: uPlot.Axis = {
      stroke: () => this.#colours.text,
      grid: { stroke: () => this.#colours.line, width: 1 },
      ticks: { stroke: () => this.#colours.line, width: 1 },
      font: "12px system-ui, sans-serif",
    };
    const units = [...new Set(curves.map(({ unit }) => unitText(unit)))].join(", ");
    const shown = (_: uPlot, x: number | null) => (x === null || x === undefined ? "–" : String(Number(x.toPrecision(5))));
    return {
      width: 400,
      height: 190,
      scales: { x: { time: false } },
      legend: { live: true },
      cursor: { drag: { x: true, y: false }, points: { size: 6 } },
      series: [
        { label: "time [s]", value: shown },
        ...curves.map(({ name }, k) => ({
          label: name,
          stroke: COLOURS[k % COLOURS.length]!,
          width: 1.5,
          dash: k >= COLOURS.length ? [6, 3] : undefined,
          value: shown,
        })),
      ],
      axes: [
        { ...axis, label: "time [s]", labelSize: 18, labelFont: axis.font, size: 32 },
        { ...axis, label: units, labelSize: 18, labelFont: axis.font, size: 58 },
      ],
      hooks: { setCursor: [(plot) => point(plot.cursor.idx ?? null)] },
    };
  }

  set(time: number[] | Float64Array, values: (number[] | Float64Array)[]): void {
    this.#plot.setData([time, ...values] as uPlot.AlignedData);
  }

  resize(): void {
    const width = this.place.clientWidth;
    if (width > 50 && width !== this.#plot.width) this.#plot.setSize({ width, height: 190 });
  }

  theme(): void {
    this.#colours = axisColours();
    this.#plot.redraw(false, true);
  }

  destroy(): void {
    this.#fit.disconnect();
    this.#plot.destroy();
    this.place.remove();
  }
}
