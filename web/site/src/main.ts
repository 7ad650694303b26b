// The page: a model at the left, with what can be done with it; the robot at the right.
import "katex/dist/katex.css";
import "uplot/dist/uPlot.min.css";
import "../../view/style.css";
import "./style.css";
import { createLimb } from "../../limb-wasm/index.js";
import { about } from "./about.js";
import { CheckTab } from "./check.js";
import { CodeTab } from "./codegen.js";
import { button, choice, element, message, reason, say } from "./dom.js";
import { Engine } from "./engine.js";
import { EquationsTab } from "./equations.js";
import { Model } from "./model.js";
import { MotionTab } from "./motion.js";
import { type Dropped, readChosen, readDropped } from "./open.js";
import { SimulateTab } from "./simulate.js";
import { StateTab } from "./state.js";
import { Viewer } from "./viewer.js";

const FIRST = "panda";
const get = (id: string) => document.getElementById(id)!;

/** The module in this page: gzip in base 64. */
async function wasmModule(): Promise<WebAssembly.Module> {
  const packed = Uint8Array.from(atob(get("wasm").textContent!), (letter) => letter.charCodeAt(0));
  const bytes = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  get("wasm").remove();
  return WebAssembly.compile(await new Response(bytes).arrayBuffer());
}

interface Tab {
  place: HTMLElement;
  show?: () => void;
}

/** Tabs with their panels; arrow keys move between them. */
class Tabs {
  #tabs: { name: string; head: HTMLButtonElement; tab: Tab }[] = [];

  constructor(list: HTMLElement, body: HTMLElement, tabs: [name: string, tab: Tab][]) {
    for (const [name, tab] of tabs) {
      const id = name.toLowerCase();
      const head = button(name, () => this.open(name), { id: `tab-${id}`, role: "tab" });
      head.setAttribute("aria-controls", `panel-${id}`);
      Object.assign(tab.place, { id: `panel-${id}`, role: "tabpanel" });
      tab.place.setAttribute("aria-labelledby", head.id);
      tab.place.classList.add("panel");
      this.#tabs.push({ name, head, tab });
      list.append(head);
      body.append(tab.place);
    }
    list.addEventListener("keydown", (event) => this.#key(event));
  }

  open(name: string): void {
    for (const { name: other, head, tab } of this.#tabs) {
      const here = other === name;
      head.setAttribute("aria-selected", String(here));
      head.tabIndex = here ? 0 : -1;
      tab.place.hidden = !here;
      if (here) tab.show?.();
    }
  }

  #key(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = this.#tabs.findIndex(({ head }) => head.tabIndex === 0);
    const next = this.#tabs[(at + step + this.#tabs.length) % this.#tabs.length]!;
    this.open(next.name);
    next.head.focus();
  }
}

/** Light or dark: as the system, until the button is pressed. */
function followTheme(change: (dark: boolean) => void): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const toggle = get("theme");
  const apply = (dark: boolean) => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    toggle.setAttribute("aria-pressed", String(dark));
    change(dark);
  };
  const follow = () => apply(system.matches);
  system.addEventListener("change", follow);
  toggle.addEventListener("click", () => {
    system.removeEventListener("change", follow);
    apply(document.documentElement.dataset.theme !== "dark");
  });
  follow();
}

class Page {
  #model: Model;
  #tabs: Tabs;
  #motion: MotionTab;
  #simulate: SimulateTab;
  #message = message();
  #robots: HTMLSelectElement;

  constructor(model: Model, engine: Engine) {
    this.#model = model;
    model.addEventListener("check", () => engine.use(model.source));
    const viewer = new Viewer(get("picture"), model);
    this.#motion = new MotionTab(model, engine, viewer);
    this.#simulate = new SimulateTab(model, engine, viewer);
    this.#tabs = new Tabs(get("tabs"), get("work"), [
      ["Check", new CheckTab(model)],
      ["State", new StateTab(model)],
      ["Simulate", this.#simulate],
      ["Torques", this.#motion],
      ["Equations", new EquationsTab(model, engine)],
      ["Code", new CodeTab(model, engine)],
    ]);
    get("work").prepend(this.#message);
    const robots: [string, string][] = model.limb
      .robots()
      .filter(({ name }) => name !== "protein")
      .map(({ name, title }) => [name, `${name} – ${title}`]);
    this.#robots = choice([["", "Built-in robots …"], ...robots], () => this.#builtIn(this.#robots.value));
    this.#robots.ariaLabel = "Built-in robot";
    get("open").append(this.#robots, ...this.#choosers());
    this.#dropping();
    model.addEventListener("check", () => this.#title());
    followTheme((dark) => {
      viewer.theme(dark);
      this.#simulate.theme();
      this.#motion.theme();
    });
  }

  begin(name: string): void {
    const known = this.#model.limb.robots().some((robot) => robot.name === name);
    this.#builtIn(known ? name : FIRST);
    this.#tabs.open("Check");
  }

  #builtIn(name: string): void {
    if (!name) return;
    say(this.#message, "");
    this.#model.openBuiltIn(name);
  }

  #title(): void {
    const { robot, opened } = this.#model;
    const name = robot?.name || opened.name;
    const builtIn = opened.builtIn ? opened.name.replace(".limb.yaml", "") : "";
    this.#robots.value = builtIn;
    document.title = `${name} – limb`;
    get("name").textContent = name;
    get("facts").textContent = robot
      ? `${robot.joints.filter(({ nv }) => nv > 0).length} moving joints, ${Number(robot.mass.toPrecision(4))} kg`
      : "";
  }

  #choosers(): HTMLElement[] {
    const chooser = (text: string, folder: boolean) => {
      const input = element("input", { type: "file", multiple: true, hidden: true, webkitdirectory: folder });
      input.addEventListener("change", () => {
        if (input.files?.length) void this.#take(readChosen(input.files));
        input.value = "";
      });
      return [button(text, () => input.click()), input];
    };
    return [...chooser("Open file", false), ...chooser("Open folder", true)];
  }

  #dropping(): void {
    const shade = get("shade");
    const files = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    addEventListener("dragover", (event) => {
      if (!files(event)) return;
      event.preventDefault();
      shade.hidden = false;
    });
    addEventListener("dragleave", (event) => {
      if (event.relatedTarget === null) shade.hidden = true;
    });
    addEventListener("drop", (event) => {
      if (!files(event)) return;
      event.preventDefault();
      shade.hidden = true;
      void this.#take(readDropped(event.dataTransfer!.items));
    });
  }

  async #take(reading: Promise<Dropped>): Promise<void> {
    try {
      const { models, table, run, files } = await reading;
      say(this.#message, "");
      if (models.length > 0) {
        this.#model.open({ name: models[0]!, builtIn: false, files });
        this.#tabs.open("Check");
      }
      if (run) {
        this.#simulate.open(new TextDecoder().decode(files[run] as Uint8Array));
        this.#tabs.open("Simulate");
      } else if (table) {
        this.#motion.open(table, files[table] as Uint8Array);
        this.#tabs.open("Torques");
      } else if (models.length === 0)
        say(this.#message, "No robot among these files: URDF, xacro, SDF, MJCF, .par or YAML; a CSV table; or a run file.", "error");
    } catch (error) {
      say(this.#message, reason(error), "error");
    }
  }
}

/** Offline after the first visit; a page opened from the disk needs none. */
function keepOffline(): void {
  if (location.protocol.startsWith("http")) void navigator.serviceWorker?.register("sw.js").catch(() => undefined);
}

const root = document.documentElement;
try {
  const wasm = await wasmModule();
  const limb = await createLimb(wasm);
  const model = new Model(limb);
  const { dialog, open } = about(root.dataset.version ?? "");
  document.body.append(dialog);
  get("about").addEventListener("click", open);
  get("private").addEventListener("click", open);
  const page = new Page(model, new Engine(wasm));
  page.begin(decodeURIComponent(location.hash.slice(1)));
  addEventListener("hashchange", () => page.begin(decodeURIComponent(location.hash.slice(1))));
  root.dataset.ready = "yes";
  requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("robot drawn"))); // the first frame is done
  keepOffline();
} catch (error) {
  get("facts").textContent = `limb cannot run here: ${reason(error)}`;
  root.dataset.ready = "no";
}
