// What the doctor finds in a file, beside the file: findings lead to their lines, and some can be repaired.
import type { Finding } from "../../limb-wasm/index.js";
import { button, choice, download, element, message, reason, say } from "./dom.js";
import { Editor } from "./editor.js";
import { type Model, MOST_TEXT, READING } from "./model.js";

const REPAIRABLE = ["inertia-triangle", "inertia-negative", "inertia-without-mass"];
const MARK = { error: "✕", warning: "▲", note: "•" } as const;

/** A change of lines, as places in the text. */
interface Change {
  line: number;
  from: number;
  to: number;
  insert: string;
}

/** The lines in which two texts of as many lines differ; null: they have not as many. */
export function changedLines(before: string, after: string): Change[] | null {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  if (old.length !== fresh.length) return null;
  const changes: Change[] = [];
  let at = 0;
  old.forEach((text, k) => {
    if (text !== fresh[k]) changes.push({ line: k + 1, from: at, to: at + text.length, insert: fresh[k]! });
    at += text.length + 1;
  });
  return changes;
}

/** A mistyped element or attribute, spelled as the doctor proposes; only where its element ends on the same line. */
function respelled({ where, text, line }: Finding, file: string): Change[] {
  const wrong = /^(element|attribute) '([\w:]+)'$/.exec(where)?.[2];
  const right = /did you mean '([\w:]+)'/.exec(text)?.[1];
  const lines = file.split("\n");
  const old = lines[line - 1] ?? "";
  if (!wrong || !right || !/\/>\s*$|<\/[\w:]+>\s*$/.test(old)) return [];
  const fresh = old.replace(new RegExp(`(?<![\\w:"'])${wrong}(?![\\w:"'])`, "g"), right);
  const from = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  return fresh === old ? [] : [{ line, from, to: from + old.length, insert: fresh }];
}

export class CheckTab {
  readonly place = element("div", { className: "check-tab" });
  #model: Model;
  #editor: Editor;
  #shown = "";
  #files = choice([], () => this.#show(this.#files.value));
  #main = choice([], () => this.#model.choose(this.#main.value));
  #bar = element("div", { className: "bar" });
  #summary = element("p", { className: "summary", role: "status" });
  #list = element("ol", { className: "findings" });
  #message = message();
  #repairAll: HTMLButtonElement;
  #changes: Change[] = [];
  #rewritten = "";

  constructor(model: Model) {
    this.#model = model;
    const host = element("div", { className: "editor" });
    this.#editor = new Editor(host, "The file", (text) => model.setText(this.#shown, text));
    this.#files.ariaLabel = "File in the editor";
    this.#main.ariaLabel = "Model file";
    this.#repairAll = button("Repair inertias", () => this.#repair(null), { className: "main" });
    const save = button("Save file", () => download(this.#shown.split("/").pop()!, this.#editor.text));
    this.#bar.append(this.#main, this.#files, element("span", { className: "gap" }), this.#repairAll, save);
    const findings = element("section", { ariaLabel: "Findings" }, this.#summary, this.#message, this.#list);
    this.place.append(this.#bar, host, findings);
    model.addEventListener("open", () => this.#opened());
    model.addEventListener("check", () => this.#checked());
  }

  #opened(): void {
    const { files, name } = this.#model.opened;
    const texts = Object.keys(files).filter((path) => /\.(urdf|xacro|sdf|xml|world|ya?ml|par|srdf|config)$/i.test(path));
    const options = (list: string[]) => list.map((path) => new Option(path, path));
    this.#files.replaceChildren(...options(texts.includes(name) ? texts : [name, ...texts]));
    const models = this.#model.opened.builtIn ? [name] : texts.filter((path) => !/\.(srdf|config)$/i.test(path));
    this.#main.replaceChildren(...models.map((path) => new Option(`model: ${path}`, path)));
    this.#main.value = name;
    this.#main.hidden = this.#main.length < 2;
    this.#files.hidden = this.#files.length < 2;
    this.#show(name);
  }

  #show(name: string): void {
    const text = this.#model.text(name);
    this.#shown = name;
    this.#files.value = name;
    this.#editor.open(name, text.length > MOST_TEXT ? "The file is too large to be shown here." : text);
    this.#mark();
  }

  #checked(): void {
    const { findings, failure } = this.#model;
    this.#plan();
    const count = (kind: string) => findings.filter(({ severity }) => severity === kind).length;
    const words = (n: number, word: string) => `${n} ${word}${n === 1 ? "" : "s"}`;
    const found = [words(count("error"), "error"), words(count("warning"), "warning"), words(count("note"), "note")];
    this.#summary.textContent = findings.length === 0 ? "The doctor finds nothing." : found.join(", ");
    this.#summary.dataset.worst = count("error") ? "error" : count("warning") ? "warning" : "fine";
    say(this.#message, failure ? `This is no robot yet: ${failure}` : "", "error");
    const worst = ["error", "warning", "note"].flatMap((kind) => findings.filter(({ severity }) => severity === kind));
    this.#list.replaceChildren(...worst.map((finding) => this.#item(finding)));
    this.#repairAll.hidden = this.#changes.length === 0 && !this.#rewritten;
    this.#mark();
  }

  /** What a repair would change. */
  #plan(): void {
    this.#changes = [];
    this.#rewritten = "";
    const { source, findings, opened } = this.#model;
    if (!findings.some(({ rule }) => REPAIRABLE.includes(rule))) return;
    try {
      const { text, changed } = this.#model.limb.repair(source, READING);
      if (changed === 0) return;
      const changes = changedLines(this.#model.text(opened.name), text);
      if (changes && /\.urdf$/i.test(opened.name)) this.#changes = changes;
      else this.#rewritten = text;
    } catch (error) {
      console.info(reason(error)); // a language that is not repaired
    }
  }

  /** The changes that belong to a finding: those from its line to where the next body begins. */
  #changesOf(finding: Finding): Change[] {
    if (finding.file !== this.#model.opened.name) return [];
    if (!REPAIRABLE.includes(finding.rule)) return respelled(finding, this.#model.text());
    const lines = (this.#model.robot?.bodies ?? []).map(({ line }) => line).filter((line) => line > finding.line);
    const end = Math.min(...lines, Infinity);
    return this.#changes.filter(({ line }) => line >= finding.line && line < end);
  }

  /** finding: null: all of them. */
  #repair(finding: Finding | null): void {
    if (this.#shown !== this.#model.opened.name) this.#show(this.#model.opened.name);
    const all = [{ from: 0, to: this.#editor.text.length, insert: this.#rewritten }];
    this.#editor.replace(this.#rewritten ? all : finding ? this.#changesOf(finding) : this.#changes);
    this.#model.setText(this.#shown, this.#editor.text);
  }

  #mark(): void {
    const here = this.#model.findings.filter(({ file }) => file === this.#shown);
    this.#editor.mark(here, (finding) => (this.#changesOf(finding).length > 0 ? () => this.#repair(finding) : null));
  }

  #goTo({ file, line }: Finding): void {
    if (file !== this.#shown && file in this.#model.opened.files) this.#show(file);
    if (line > 0) this.#editor.goTo(line);
  }

  #item(finding: Finding): HTMLElement {
    const { severity, line, where, text, hint, fix, file } = finding;
    const other = file && file !== this.#model.opened.name ? `${file}, ` : "";
    const place = element("span", { className: "place", textContent: line > 0 ? `${other}line ${line}` : other });
    const title = element("strong", { textContent: where ? `${where}: ` : "" });
    const head = element("button", { type: "button", className: "finding" });
    const mark = element("span", { className: "mark", textContent: MARK[severity], ariaHidden: "true" });
    head.append(mark, element("span", { className: "hidden", textContent: `${severity}: ` }));
    head.append(element("span", {}, title, text), place);
    head.addEventListener("click", () => this.#goTo(finding));
    const advice = element("p", {}, ...(hint ? [`Likely: ${hint}. `] : []), `Fix: ${fix}.`);
    const item = element("li", { className: severity }, head, advice);
    if (this.#changesOf(finding).length > 0)
      item.append(button("Repair", () => this.#repair(finding), { ariaLabel: `Repair ${where}` }));
    return item;
  }
}
