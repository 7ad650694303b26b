// Code for one robot, to be saved.
import type { CodegenOptions, Generated } from "../../limb-wasm/index.js";
import { button, check, choice, download, element, field, message, number, reason, say, table } from "./dom.js";
import type { Engine } from "./engine.js";
import type { Model } from "./model.js";

const LANGUAGES: [string, string][] = [
  ["c", "C"],
  ["python", "Python"],
  ["matlab", "MATLAB, Octave"],
  ["julia", "Julia"],
  ["rust", "Rust"],
  ["latex", "LaTeX"],
];
const MOST_SHOWN = 60_000;

export class CodeTab {
  readonly place = element("div", { className: "code-tab" });
  #model: Model;
  #engine: Engine;
  #language = choice(LANGUAGES, () => undefined);
  #sines = choice(
    [
      ["libm", "of math.h"],
      ["given", "as arguments"],
      ["own", "in the text (C)"],
    ],
    () => undefined,
  );
  #what = element("input", { type: "text", value: "tau,M", autocomplete: "off", spellcheck: false });
  #usual = "tau,M"; // what is asked for unless something else is typed
  #single: HTMLInputElement;
  #generate: HTMLButtonElement;
  #cancel: HTMLButtonElement;
  #message = message();
  #result = element("div", { className: "results" });
  #list = element("dl", { className: "quantities" });

  constructor(model: Model, engine: Engine) {
    this.#model = model;
    this.#engine = engine;
    const [single, label] = check("float instead of double", false, () => undefined);
    this.#single = single;
    this.#generate = button("Generate", () => this.#run(), { className: "main" });
    this.#cancel = button("Cancel", () => engine.cancel(), { hidden: true });
    const form = element("form", { className: "row" });
    form.append(
      field("Quantities", this.#what),
      field("Language", this.#language),
      field("Sines", this.#sines),
      label,
      this.#generate,
      this.#cancel,
    );
    form.addEventListener("submit", (event) => (event.preventDefault(), this.#run()));
    const about =
      "Straight-line functions for this one robot: no library, no allocation. Their values are compared with limb's " +
      "before you get them.";
    this.place.append(
      element("p", { className: "faint", textContent: about }),
      form,
      this.#message,
      this.#result,
      element("details", {}, element("summary", { textContent: "All quantities" }), this.#list),
    );
    model.addEventListener("check", () => this.#opened());
  }

  #opened(): void {
    const { robot, limb } = this.#model;
    const usual = robot && robot.loops.length > 0 ? "tau,reduced_M" : "tau,M";
    if (this.#what.value === this.#usual) this.#what.value = this.#usual = usual;
    this.#result.replaceChildren();
    say(this.#message, "");
    const other = robot && robot.loops.length > 0 ? "without loops" : "with loops";
    this.#list.replaceChildren(
      ...limb
        .codegenQuantities()
        .filter(({ robots }) => robots !== other)
        .flatMap(({ name, meaning }) => [
          element("dt", { textContent: name }),
          element("dd", { textContent: meaning }),
        ]),
    );
  }

  async #run(): Promise<void> {
    this.#generate.disabled = true;
    this.#cancel.hidden = false;
    say(this.#message, "Writing …");
    this.#result.replaceChildren();
    try {
      const options = {
        what: this.#what.value.replace(/\s/g, "") || "tau",
        language: this.#language.value as CodegenOptions["language"],
        sines: this.#sines.value as CodegenOptions["sines"],
        float: this.#single.checked,
      } satisfies CodegenOptions;
      this.#show(await this.#engine.codegen(options));
      say(this.#message, "");
    } catch (error) {
      say(this.#message, reason(error), "error");
    }
    this.#generate.disabled = false;
    this.#cancel.hidden = true;
  }

  #show({ files, functions }: Generated): void {
    const rows = functions.map((f) => [
      f.name,
      ...[f.mul, f.add, f.div, f.sines, f.statements, f.stack].map((x) => number(x, 9)),
      number(f.difference, 2),
    ]);
    const head = ["function", "mul", "add", "div", "sines", "statements", "stack [B]", "differs from limb"];
    this.#result.append(
      element("div", { className: "row" }, ...files.map(({ name, text }) => button(`Save ${name}`, () => download(name, text)))),
      table("Operations", head, rows),
      element("pre", {
        tabIndex: 0,
        ariaLabel: files[0]!.name,
        textContent:
          files[0]!.text.length > MOST_SHOWN ? `${files[0]!.text.slice(0, MOST_SHOWN)}\n…` : files[0]!.text,
      }),
    );
  }
}
