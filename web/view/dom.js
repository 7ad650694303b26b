// Elements of a page. Texts of a robot go in as text, never as markup.

/** An element with properties and children. */
export function element(tag, properties = {}, ...children) {
  const { attributes = {}, ...own } = properties;
  const made = Object.assign(document.createElement(tag), own);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Numbers as they are read: few digits, no rounding noise. */
export const number = (x, digits = 4) =>
  Math.abs(x) < 1e-12 ? "0" : Number.isFinite(x) ? String(Number(x.toPrecision(digits))).replace("-", "\u2212") : String(x);

export const list = (numbers, digits) => [...numbers].map((x) => number(x, digits)).join(", ");

const fixed = (x, digits) => x.toFixed(digits).replace(/^-(?=[0.]*$)/, "").replace("-", "\u2212");

/** What a value of a coordinate reads. */
export const reading = (unit, x) =>
  unit === "rad" ? `${fixed((x * 180) / Math.PI, 2)}° (${fixed(x, 4)} rad)` : `${fixed(x, 4)} ${unit}`;

let count = 0;
/** An id that no other element has. */
export const freshId = (word) => `limb-${word}-${++count}`;

export const button = (text, press, properties = {}) => {
  const made = element("button", { type: "button", textContent: text, ...properties });
  made.addEventListener("click", press);
  return made;
};

/** A list to choose from. @param {[string, string][]} options text and value */
export function choice(label, options, change) {
  const id = freshId("choice");
  const select = element("select", { id }, ...options.map(([text, value]) => new Option(text, value)));
  select.addEventListener("change", () => change(select.value));
  return { select, row: element("div", { className: "lv-row" }, element("label", { htmlFor: id, textContent: label }), select) };
}

/** A check box. */
export function check(text, on, change) {
  const box = element("input", { type: "checkbox", checked: on });
  box.addEventListener("change", () => change(box.checked));
  return { box, row: element("label", { className: "lv-check" }, box, ` ${text}`) };
}

/** A part of the panel that opens and closes. */
export function section(title, open, ...children) {
  return element(
    "details",
    { open },
    element("summary", {}, element("h2", { textContent: title })),
    element("div", { className: "lv-section" }, ...children),
  );
}
