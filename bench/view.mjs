// How fast the page of limb view is: node bench/view.mjs [MODEL WORDS...]. A robot until it is drawn, and frames per
// second while all its joints move: poses by limb.wasm, and drawing. Without arguments also a hundred arms in one page.
// It shares the browser of web/test: LIMB_TOOL, LIMB_BROWSER.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { folder, openFile, run } from "../web/test/support/browser.mjs";

const SECONDS = 5;

/** A square of pandas in one model. */
function hundred() {
  const file = join(folder, "panda.urdf"),
    out = join(folder, "hundred.urdf");
  run("convert", "panda", file);
  const text = readFileSync(file, "utf8");
  const parts = [...text.matchAll(/<(link|joint) name="[^]*?<\/\1>|<link name="[^"]*"\/>/g)].map(([all]) => all);
  const root = /<link name="([^"]*)"/.exec(text)[1];
  const copy = (k) =>
    parts.map((part) => part.replace(/(<(?:link|joint) name|link|joint)="([^"]*)"/g, (_, key, name) => `${key}="${name}_${k}"`)).join("\n") +
    `<joint name="place_${k}" type="fixed"><origin xyz="${k % 10} ${Math.floor(k / 10)} 0"/><parent link="floor"/><child link="${root}_${k}"/></joint>`;
  writeFileSync(out, `<robot name="hundred"><link name="floor"/>${Array.from({ length: 100 }, (_, k) => copy(k)).join("\n")}</robot>`);
  return out;
}

/** Frames per second, and what of a frame is limb's. */
const frames = (page) =>
  page.evaluate(async (seconds) => {
    const { robot, sliders, stage } = limbView,
      gl = stage.canvas.getContext("webgl2"),
      pixel = new Uint8Array(4);
    const q = robot.start();
    let count = 0,
      poses = 0;
    const start = performance.now();
    for (let t = 0; t < seconds * 1000; t = performance.now() - start, count++) {
      for (const { at, low, high } of robot.loops.length > 0 ? [] : sliders)
        q[at] = (low + high) / 2 + 0.3 * (high - low) * Math.sin(t / 500);
      const before = performance.now();
      limbView.figure.move(robot.poses(q));
      poses += performance.now() - before;
      stage.drawNow();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); // waits until it is drawn
    }
    const took = performance.now() - start;
    const { triangles, calls } = stage.drawn;
    return { fps: (1000 * count) / took, poses: poses / count, triangles, calls };
  }, SECONDS);

function measure(name, ...words) {
  it(name, async () => {
    const file = join(folder, "view.html");
    run("view", ...words, "--output", file);
    await openFile(file, async (page) => {
      const shown = await page.evaluate(() => performance.now());
      const { fps, poses, triangles, calls } = await frames(page);
      console.log(
        `${name}: there after ${(shown / 1000).toFixed(1)} s; ${fps.toFixed(1)} frames/s of 900 x 600, ` +
          `${triangles} triangles in ${calls} calls; poses ${poses.toFixed(3)} ms`,
      );
    });
  });
}

const given = process.argv.slice(2);
if (given.length > 0) measure(given[0], ...given);
else {
  measure("panda", "panda");
  measure("a hundred arms", hundred());
}
