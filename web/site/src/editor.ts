// An editor for one text, with findings at their lines. It stands in a shadow root: its styles are then adopted
// sheets, which the content security policy of the page allows.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { xml } from "@codemirror/lang-xml";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Finding } from "../../limb-wasm/index.js";

const colours = HighlightStyle.define([
  { tag: [tags.tagName, tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-name)" },
  { tag: [tags.attributeName, tags.labelName], color: "var(--code-key)" },
  { tag: [tags.attributeValue, tags.string, tags.content], color: "var(--code-text)" },
  { tag: [tags.number, tags.bool], color: "var(--code-number)" },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: "var(--faint)", fontStyle: "italic" },
]);

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--panel)", color: "var(--text)" },
  ".cm-scroller": { fontFamily: "ui-monospace, 'DejaVu Sans Mono', monospace", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "var(--back)", color: "var(--faint)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--active)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selected) !important" },
  ".cm-tooltip, .cm-panels": { backgroundColor: "var(--panel)", color: "var(--text)", border: "1px solid var(--line)" },
  ".cm-diagnostic": { padding: "6px 10px", maxWidth: "520px", whiteSpace: "pre-wrap", font: "13px/1.4 system-ui" },
  ".cm-diagnosticAction": { backgroundColor: "var(--accent)", color: "var(--on-accent)", padding: "2px 10px" },
});

const languageOf = (name: string): Extension =>
  /\.(ya?ml)$/i.test(name) ? yaml() : /\.(urdf|xacro|sdf|xml|world|srdf)$/i.test(name) ? xml() : [];

const severity = { error: "error", warning: "warning", note: "info" } as const;

export class Editor {
  readonly view: EditorView;
  #language = new Compartment();
  #silent = false;
  #timer = 0;

  /** change: the text, a moment after the last key. */
  constructor(host: HTMLElement, label: string, change: (text: string) => void) {
    const root = host.attachShadow({ mode: "open" });
    this.view = new EditorView({
      root,
      parent: root,
      extensions: [
        lineNumbers(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        history(),
        drawSelection(),
        indentOnInput(),
        search({ top: true }),
        highlightSelectionMatches(),
        lintGutter(),
        syntaxHighlighting(colours),
        look,
        EditorState.tabSize.of(2),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        // Escape, then Tab leaves the editor.
        keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
        this.#language.of([]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged || this.#silent) return;
          clearTimeout(this.#timer);
          this.#timer = window.setTimeout(() => change(this.text), 250);
        }),
      ],
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Another text: nothing of it can be undone. */
  open(name: string, text: string): void {
    this.#silent = true;
    clearTimeout(this.#timer);
    this.view.dispatch({
      changes: { from: 0, to: this.view.state.doc.length, insert: text },
      effects: this.#language.reconfigure(languageOf(name)),
      selection: { anchor: 0 },
      scrollIntoView: true,
    });
    this.#silent = false;
  }

  /** Changes lines, as a user would: undo takes it back. */
  replace(changes: { from: number; to: number; insert: string }[]): void {
    this.view.dispatch({ changes, userEvent: "input.repair" });
  }

  goTo(line: number): void {
    const { doc } = this.view.state;
    const at = doc.line(Math.min(Math.max(line, 1), doc.lines)).from;
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    this.view.focus();
  }

  /** Marks findings. repair: what a button there does; null: there is none. */
  mark(findings: Finding[], repair: (finding: Finding) => (() => void) | null): void {
    const { doc } = this.view.state;
    const diagnostics = findings
      .filter(({ line }) => line > 0 && line <= doc.lines)
      .map((finding): Diagnostic => {
        const { from, to, text } = doc.line(finding.line);
        const start = from + (text.length - text.trimStart().length);
        const action = repair(finding);
        return {
          from: Math.min(start, to),
          to,
          severity: severity[finding.severity],
          message: [[finding.where, finding.text].filter(Boolean).join(": "), finding.hint && `Likely: ${finding.hint}`, `Fix: ${finding.fix}`]
            .filter(Boolean)
            .join("\n"),
          actions: action ? [{ name: "Repair", apply: action }] : [],
        };
      });
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }
}
