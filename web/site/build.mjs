// Builds limb in the browser: node web/site/build.mjs limb.wasm build/web. One page that holds everything, so that it
// also opens from the disk; beside it the service worker that keeps it for offline use.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "vite";

const [wasm, output] = process.argv.slice(2);
const here = new URL("./", import.meta.url);
const read = (name) => readFileSync(new URL(name, here), "utf8");

/** KaTeX names each font in three forms: woff2 is enough. */
const oneFontEach = {
  name: "one-font-each",
  enforce: "pre",
  transform(code, id) {
    if (id.endsWith("katex.css")) return code.replace(/,\s*url\([^)]*\.(woff|ttf)\)\s*format\([^)]*\)/g, "");
  },
};

const [{ output: chunks }] = [
  await build({
    configFile: false,
    root: here.pathname,
    logLevel: "warn",
    plugins: [oneFontEach],
    build: {
      write: false,
      target: "es2022",
      assetsInlineLimit: 1e9,
      cssCodeSplit: false,
      modulePreload: false,
      rollupOptions: {
        input: new URL("src/main.ts", here).pathname,
        external: ["node:fs/promises"],
        checks: { pluginTimings: false },
        output: { codeSplitting: false },
      },
    },
    worker: { format: "iife", rollupOptions: { external: ["node:fs/promises"], checks: { pluginTimings: false } } },
  }),
].flat();

const script = chunks.find(({ type }) => type === "chunk").code.trim();
const style = chunks
  .filter(({ fileName }) => fileName.endsWith(".css"))
  .map(({ source }) => String(source).trim())
  .join("\n");
if (/<\/script/i.test(script)) throw new Error("the script contains what ends it");

const packages = ["three", "uplot", "katex", "@codemirror/view", "@codemirror/state", "@codemirror/lint"];
packages.push("@codemirror/commands", "@codemirror/search", "@codemirror/language", "@codemirror/lang-xml");
packages.push("@codemirror/lang-yaml", "@lezer/common", "@lezer/highlight", "@lezer/lr", "@lezer/xml", "@lezer/yaml");
packages.push("@codemirror/autocomplete", "style-mod", "w3c-keyname", "crelt", "@marijn/find-cluster-break");
const texts = new Map(); // packages of the same licence together
const licence = (title, text) => texts.set(text.trim(), [...(texts.get(text.trim()) ?? []), title]);
licence("limb", read("../../LICENSE"));
for (const name of packages) {
  const { version } = JSON.parse(read(`../node_modules/${name}/package.json`));
  licence(`${name} ${version}`, read(`../node_modules/${name}/LICENSE`));
}
licence("expat, in limb.wasm", read("../../.deps/web/expat/COPYING"));
licence("libyaml, in limb.wasm", read("../../.deps/web/libyaml/License"));
licence("wasi-libc and musl, in limb.wasm", "MIT licence, and Apache License 2.0 with LLVM exception");
const licences = [...texts].map(([text, titles]) => `${titles.join(", ")}\n\n${text}`).join(`\n\n${"-".repeat(60)}\n\n`);

const base = read("../../include/limb/base.h");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const parts = {
  VERSION: ["MAJOR", "MINOR", "PATCH"].map((part) => new RegExp(`LIMB_VERSION_${part} ([0-9]+)`).exec(base)[1]).join("."),
  SCRIPT_HASH: hash(script),
  STYLE_HASH: hash(style),
  STYLE: style,
  LICENCES: licences.replaceAll("</", "< /"),
  WASM: gzipSync(readFileSync(wasm), { level: 9 }).toString("base64"),
  SCRIPT: script,
};
const page = read("index.html").replace(/@([A-Z_]+)@/g, (all, name) => parts[name] ?? all);
mkdirSync(output, { recursive: true });
writeFileSync(`${output}/index.html`, page);
writeFileSync(`${output}/sw.js`, read("sw.js"));
const megabytes = (size) => (size / 1e6).toFixed(2);
console.log(
  `${output}/index.html: ${megabytes(page.length)} MB, ${megabytes(gzipSync(page).length)} compressed; ` +
    `script ${megabytes(script.length)}, styles and fonts ${megabytes(style.length)}, wasm ${megabytes(parts.WASM.length)}`,
);
