// The robot in three dimensions: the view of `limb view` in this page, and the model it follows.
import { type View, type ViewOptions, mountView } from "../../view/view.js";
import type { Robot } from "../../limb-wasm/index.js";
import { element, reason } from "./dom.js";
import type { Model } from "./model.js";

/** Rows of a motion, as the view plays them. */
export interface Rows {
  time: Float64Array;
  q: Float64Array;
  v?: Float64Array;
  tau?: Float64Array;
  events?: { time: number; text: string }[];
}

/** What is used of the player of the view. */
interface Player {
  end: number;
  seek(time: number): void;
  curves(title: string): void;
}

/** Shapes that can be drawn: a body whose meshes are missing keeps its box. */
const visible = ({ shapes, meshes }: Robot) =>
  shapes.filter(({ kind, mesh }) => kind !== "mesh" || (mesh !== undefined && meshes[mesh] !== null));

export class Viewer {
  readonly place = element("div", { className: "view" });
  #model: Model;
  #view: View | null = null;
  #robot: Robot | null = null;
  #own = false; // the view has moved the robot
  #dark = false;
  #stale = element("p", { className: "stale", role: "status", hidden: true });

  constructor(host: HTMLElement, model: Model) {
    this.#model = model;
    host.append(this.place, this.#stale);
    model.addEventListener("check", () => this.#mount());
    model.addEventListener("state", () => this.#follow());
  }

  #mount(): void {
    const { robot, failure } = this.#model;
    this.#stale.textContent = robot ? "The picture is of the last version that was a robot." : "No picture: this is no robot yet.";
    this.#stale.hidden = failure === "";
    if (robot === this.#robot) return;
    this.#view?.destroy();
    this.#view = null;
    this.#robot = robot;
    if (!robot) return;
    try {
      this.#view = mountView(this.place, robot, {
        header: false,
        shapes: visible(robot) as unknown as ViewOptions["shapes"], // collision: 0 or 1 there
        meshes: robot.meshes,
        theme: this.#dark ? "dark" : "light",
      });
      this.#view.addEventListener("change", () => this.#moved());
      this.#follow();
    } catch (error) {
      this.#stale.textContent = `The robot cannot be drawn: ${reason(error)}`;
      this.#stale.hidden = false;
    }
  }

  /** A slider of the view moved the robot. */
  #moved(): void {
    if (this.#own || !this.#view) return;
    this.#own = true;
    this.#model.setState({ q: Float64Array.from(this.#view.q) });
    this.#own = false;
  }

  #follow(): void {
    const { q } = this.#model.state;
    if (this.#own || !this.#view || q.length !== this.#robot!.nq) return;
    this.#own = true;
    this.#view.set(q);
    this.#own = false;
  }

  /** Shows a moment of a motion; the state of the model stays. */
  show(q: Float64Array, v?: Float64Array, tau?: Float64Array): void {
    if (!this.#view || q.length !== this.#robot!.nq) return;
    this.#own = true;
    this.#view.set(q, (v && tau ? { v, tau } : null) as null);
    this.#own = false;
  }

  /** A finished motion, with a time line. */
  play(rows: Rows): void {
    this.#own = true;
    const player = this.#view?.play(rows) as unknown as Player | undefined;
    if (player) {
      this.#hideCurves(player);
      player.seek(player.end);
    }
    this.#own = false;
  }

  /** The page has curves of its own; those beside the robot can be chosen again. */
  #hideCurves(player: Player): void {
    player.curves("");
    for (const select of this.place.querySelectorAll<HTMLSelectElement>(".lv-bar select"))
      if ([...select.options].some(({ value }) => value === "")) select.value = "";
  }

  theme(dark: boolean): void {
    this.#dark = dark;
    this.#view?.theme(dark ? "dark" : "light");
  }
}
