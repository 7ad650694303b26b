// Equations of motion as typeset formulas.
import katex from "katex";
import { button, check, download, element, message, reason, say, table } from "./dom.js";
import type { Engine } from "./engine.js";
import type { Model } from "./model.js";

const CHOICES = ["M", "C", "g", "h", "tau", "T", "U", "L", "Psi", "Psidot"];

/** A formula; what KaTeX cannot set is shown as it is. */
function formula(text: string, display: boolean): HTMLElement {
  const place = element(display ? "div" : "span", display ? { className: "formula", tabIndex: 0, role: "math" } : {});
  try {
    katex.render(text, place, { displayMode: display, trust: false, strict: "ignore", maxExpand: 100, output: "htmlAndMathml" });
  } catch {
    place.textContent = text;
  }
  return place;
}

/** Text of LaTeX between formulas. */
const plain = (text: string) =>
  text
    .replace(/\\texttt\{([^{}]*)\}/g, "$1")
    .replace(/\\text(backslash|asciitilde|asciicircum)(\{\})?/g, (_, word: string) =>
      word === "backslash" ? "\\" : word === "asciitilde" ? "~" : "^",
    )
    .replace(/\\([_#&%${}])/g, "$1");

/** A cell of the table of symbols: text with formulas in dollars. */
function cell(text: string): HTMLElement {
  const parts = text.trim().split(/(?<!\\)\$/);
  return element("span", {}, ...parts.map((part, k) => (k % 2 ? formula(part, false) : plain(part))));
}

/** The equations and the table of symbols in the LaTeX of limb. */
export function parts(latex: string): { equations: string[]; symbols: string[][] } {
  const body = /\\begin\{align\*\}\n([^]*?)\n\\end\{align\*\}/.exec(latex)?.[1] ?? "";
  const equations = body.split(/ \\\\\n(?=\S[^\n]*&=)/).map((text) => text.replace("&=", "="));
  const rows = /\\begin\{tabular\}\{lll\}\n([^]*?)\\end\{tabular\}/.exec(latex)?.[1] ?? "";
  const symbols = rows
    .split(/ \\\\\n/)
    .filter((row) => row.trim())
    .map((row) => row.split(/(?<!\\)&/).map((text) => text.trim()));
  return { equations, symbols };
}

export class EquationsTab {
  readonly place = element("div", { className: "equations-tab" });
  #model: Model;
  #engine: Engine;
  #boxes: [string, HTMLInputElement][] = [];
  #numbers: HTMLInputElement;
  #message = message();
  #result = element("div", { className: "results" });
  #latex = "";
  #due = true;
  #ticket = 0;

  constructor(model: Model, engine: Engine) {
    this.#model = model;
    this.#engine = engine;
    const what = element("fieldset", { className: "row" }, element("legend", { textContent: "Write" }));
    for (const name of CHOICES) {
      const [box, label] = check(name, false, () => this.#write());
      this.#boxes.push([name, box]);
      what.append(label);
    }
    const [numbers, label] = check("numbers instead of symbols", false, () => this.#write());
    this.#numbers = numbers;
    const save = button("Save LaTeX", () => download(`${model.robot?.name || "robot"}.tex`, this.#latex));
    what.append(label);
    const about = "M(q) a + C(q, v) v + g(q) = τ, with loops + Ψᵀλ. Without a choice: M, C, g, and Ψ if there are loops.";
    this.place.append(
      element("p", { className: "faint", textContent: about }),
      what,
      element("div", { className: "row" }, save),
      this.#message,
      this.#result,
    );
    model.addEventListener("check", () => {
      this.#due = true;
      if (!this.place.hidden) this.show();
    });
  }

  show(): void {
    if (this.#due && this.#model.robot) void this.#write();
  }

  async #write(): Promise<void> {
    this.#due = false;
    const ticket = ++this.#ticket;
    const what = this.#boxes.filter(([, box]) => box.checked).map(([name]) => name);
    say(this.#message, "Deriving …");
    this.#result.replaceChildren();
    try {
      const latex = await this.#engine.equations({
        notation: "latex",
        numbers: this.#numbers.checked,
        ...(what.length > 0 && { what: what.join(",") }),
      });
      if (ticket !== this.#ticket) return;
      this.#latex = latex;
      say(this.#message, "");
      const { equations, symbols } = parts(latex);
      this.#result.append(
        ...equations.map((text) => formula(text, true)),
        table("Symbols", ["symbol", "value", "meaning"], symbols.map((row) => row.map((text) => cell(text)))),
      );
    } catch (error) {
      if (ticket === this.#ticket) say(this.#message, reason(error), "error");
    }
  }
}

