// Builds the page of `limb view`: node web/build.mjs limb.wasm limb-view.html. Everything is inside: three.js, styles,
// limb.wasm. The tool puts a robot in.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const [wasm, output] = process.argv.slice(2);
const here = new URL("./view/", import.meta.url);
const read = (name) => readFileSync(new URL(name, here), "utf8");
const { outputFiles } = await build({
  entryPoints: [new URL("main.js", here).pathname],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "none", // all licences stand at the head of the page
  external: ["node:fs/promises"],
  write: false,
});
const script = outputFiles[0].text.trim();
const licence = (title, file) => `${title}\n${readFileSync(new URL(file, import.meta.url), "utf8").trim()}\n`;
const licences = [
  licence("limb", "../LICENSE"),
  licence("three.js", "node_modules/three/LICENSE"),
  licence("expat, in limb.wasm", "../.deps/web/expat/COPYING"),
  licence("libyaml, in limb.wasm", "../.deps/web/libyaml/License"),
  "wasi-libc and musl, in limb.wasm: MIT licence and Apache License 2.0 with LLVM exception\n",
].join("\n");
const parts = {
  SCRIPT_HASH: `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  STYLE: read("style.css"),
  WASM: gzipSync(readFileSync(wasm), { level: 9 }).toString("base64"),
  SCRIPT: script,
};
const page = read("index.html").replace(/@([A-Z_]+)@/g, (all, name) => parts[name] ?? all);
writeFileSync(
  output,
  page.replace("<html", () => `<!--\n${licences.replaceAll("--", "- -")}-->\n<html`),
);
console.log(`${output}: ${(page.length / 1e6).toFixed(2)} MB, of which ${(script.length / 1e6).toFixed(2)} MB script`);
