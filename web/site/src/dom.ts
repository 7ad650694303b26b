// Elements of the page. What comes from files goes in as text, never as markup.

type Properties = Record<string, unknown> & { attributes?: Record<string, string> };
type Child = Node | string;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const { attributes = {}, ...own } = properties;
  const made = Object.assign(document.createElement(tag), own);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function button(text: string, press: () => void, properties: Properties = {}): HTMLButtonElement {
  const made = element("button", { type: "button", textContent: text, ...properties });
  made.addEventListener("click", press);
  return made;
}

let count = 0;
const freshId = () => `field-${++count}`;

/** A field with its label. */
export function field(label: string, input: HTMLElement, hint = ""): HTMLElement {
  input.id ||= freshId();
  const name = element("label", { htmlFor: input.id, textContent: label });
  return element("div", { className: "field" }, name, input, ...(hint ? [element("small", { textContent: hint })] : []));
}

export function choice(options: [value: string, text: string][], change: () => void, value = ""): HTMLSelectElement {
  const made = element("select", {}, ...options.map(([v, text]) => new Option(text, v)));
  if (value) made.value = value;
  made.addEventListener("change", change);
  return made;
}

export function check(text: string, on: boolean, change: () => void): [HTMLInputElement, HTMLElement] {
  const box = element("input", { type: "checkbox", checked: on });
  box.addEventListener("change", change);
  return [box, element("label", { className: "check" }, box, ` ${text}`)];
}

/** A table with a head. Numbers stand at the right. */
export function table(caption: string, head: string[], rows: Child[][]): HTMLElement {
  const cell = (x: Child) => element("td", { className: typeof x === "string" && /^[−\d]/.test(x) ? "number" : "" }, x);
  const made = element(
    "table",
    {},
    element("caption", { textContent: caption }),
    element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col", textContent: text })))),
    element(
      "tbody",
      {},
      ...rows.map(([first, ...rest]) =>
        element("tr", {}, element("th", { scope: "row" }, first ?? ""), ...rest.map(cell)),
      ),
    ),
  );
  return element("div", { className: "wide", tabIndex: 0, role: "region", ariaLabel: caption }, made);
}

/** A number as it is read: few digits, a real minus. */
export function number(x: number | null | undefined, digits = 5): string {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  return String(Math.abs(x) < 1e-13 ? 0 : Number(x.toPrecision(digits))).replaceAll("-", "−");
}

/** A unit as it is written: kg m². */
export const unitText = (unit: string) => unit.replaceAll("^2", "²").replaceAll("^3", "³").replaceAll(" ", " ");

/** Saves a text as a file. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export const say = (place: HTMLElement, text: string, kind = "") => {
  place.textContent = text;
  place.className = `message ${kind}`;
  place.hidden = text === "";
};

/** A line for messages, which screen readers hear. */
export const message = () => element("p", { className: "message", hidden: true, role: "status" });

/** The words of a failure. */
export const reason = (error: unknown) => (error instanceof Error ? error.message : String(error));
