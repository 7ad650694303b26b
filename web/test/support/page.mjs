// What the tests of the page of limb view share.
// LIMB_PICTURES=write: what is seen becomes the reference.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { folder, openFile, run } from "./browser.mjs";

/** Opens the page of a model, with more words for the tool. */
export function open(model, look, options = {}, ...words) {
  const file = join(folder, "view.html");
  run("view", model, "--output", file, ...words);
  return openFile(file, look, options);
}

/** What is seen, as 16 x 12 colours. */
export const seen = (page) =>
  page.evaluate(
    () =>
      new Promise((done) =>
        requestAnimationFrame(() =>
          requestAnimationFrame(() => {
            const small = Object.assign(document.createElement("canvas"), { width: 16, height: 12 }),
              context = small.getContext("2d");
            context.imageSmoothingQuality = "high";
            context.drawImage(document.querySelector(".lv-stage canvas"), 0, 0, 16, 12);
            const { data } = context.getImageData(0, 0, 16, 12);
            done([...data].filter((_, k) => k % 4 !== 3));
          }),
        ),
      ),
  );

/** Moves a slider as a user does. */
export const slide = (page, name, value) =>
  page.getByLabel(name, { exact: true }).evaluate((input, x) => {
    input.value = x;
    input.dispatchEvent(new Event("input"));
    return Number(input.value);
  }, value);

/** Pictures of robots, and the file that has how they should look. */
export function references(name) {
  const file = new URL(`../${name}.json`, import.meta.url),
    write = process.env.LIMB_PICTURES === "write";
  const known = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {},
    made = {};
  after(() => write && writeFileSync(file, JSON.stringify({ ...known, ...made }, null, 1) + "\n"));
  /** Compares what is seen with the reference: on average within a thousandth of full colour. */
  return async (page, robot) => {
    const colours = await seen(page);
    assert.ok(new Set(colours).size > 4, "the picture is empty");
    made[robot] = Buffer.from(colours).toString("base64");
    const reference = Buffer.from((write ? made : known)[robot] ?? "", "base64");
    assert.equal(reference.length, colours.length, "there is no reference: LIMB_PICTURES=write makes it");
    const off = colours.reduce((sum, x, k) => sum + Math.abs(x - reference[k]), 0) / colours.length;
    assert.ok(off < 0.3, `the picture differs from its reference by ${off} of 255 on average`);
  };
}

/** Moves every slider; all positions are the tool's. Those that a loop lets move have moved. */
export async function moveAll(page, model, ...options) {
  const names = await page.evaluate(() => limbView.sliders.map(({ name }) => name));
  for (const [k, name] of names.entries()) {
    const { low, high, now } = await page.evaluate((i) => {
      const { low, high, at } = limbView.sliders[i];
      return { low, high, now: limbView.q[at] };
    }, k);
    const goal = now + 0.1 * (high - low) * (now + 0.1 * (high - low) <= high ? 1 : -1);
    const value = await slide(page, name, goal);
    const found = await page.evaluate((i) => limbView.q[limbView.sliders[i].at], k);
    const stopped = /do not close beyond/.test(await page.textContent(".lv-status"));
    assert.ok(stopped || found === value, `${name}: ${found}, ${value}`);
  }
  await compare(page, model, ...options);
}

/** The page's configuration, and its positions beside the tool's. */
export async function compare(page, model, ...options) {
  const { q, names, bodies, poses } = await page.evaluate(() => ({
    q: [...limbView.q],
    names: limbView.robot.coordinates.map((c) => c.name),
    bodies: limbView.robot.bodies.map((b) => b.name),
    poses: [...limbView.poses()],
  }));
  const states = join(folder, "states.csv");
  writeFileSync(states, `${names.map((name) => `q.${name}`).join(",")}\n${q.join(",")}\n`);
  const what = bodies
    .map((name) => `position.${name}`)
    .slice(1)
    .join(",");
  const [, line] = run("eval", model, "--states", states, "--what", what, "--format", "csv", ...options).trim().split("\n");
  const expected = line
    .split(",")
    .map(Number)
    .slice(-3 * (bodies.length - 1));
  const found = bodies.flatMap((_, i) => poses.slice(12 * i + 9, 12 * i + 12)).slice(3);
  const size = Math.max(1, ...expected.map(Math.abs));
  found.forEach((x, k) =>
    assert.ok(Math.abs(x - expected[k]) < 1e-12 * size, `${bodies[1 + Math.floor(k / 3)]}: ${x}, ${expected[k]}`),
  );
}
