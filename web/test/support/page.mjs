// What the tests of pages share: a real browser, offline, in which every request and every message of a page fails.
// LIMB_TOOL: a tool with limb-view.html beside it; LIMB_BROWSER: default /usr/bin/chromium.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const tool = process.env.LIMB_TOOL ?? "build/release/limb";
export const folder = mkdtempSync(join(tmpdir(), "limb-view-"));
export const run = (...words) =>
  String(execFileSync(tool, words, { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }));

let browser;
before(async () => {
  const executablePath = process.env.LIMB_BROWSER ?? "/usr/bin/chromium";
  browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** Opens an address; `look` examines the page. allowed: requests that are no failure. */
export async function openAddress(address, look, { allowed = /^(file|data|blob):/, ...options } = {}) {
  const troubles = [];
  const context = await browser.newContext({
    offline: address.startsWith("file:"),
    viewport: { width: 900, height: 600 },
    colorScheme: "light",
    acceptDownloads: true,
    ...options,
  });
  try {
    context.setDefaultTimeout(600000); // a machine may be busy
    const page = await context.newPage();
    page.on("request", (request) => allowed.test(request.url()) || troubles.push(`request: ${request.url()}`));
    page.on(
      "console",
      (message) =>
        ["error", "warning"].includes(message.type()) &&
        !/GPU stall/.test(message.text()) &&
        troubles.push(message.text()),
    );
    page.on("pageerror", (error) => troubles.push(error.message));
    page.on("dialog", (dialog) => (troubles.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
    await page.goto(address);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    const ready = await page.evaluate(() => document.documentElement.dataset.ready);
    assert.equal(ready, "yes", await page.textContent("main"));
    await look(page);
    assert.deepEqual(troubles, []);
  } finally {
    await context.close();
  }
}

export const openFile = (file, look, options) => openAddress(pathToFileURL(file).href, look, options);

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

/** The page's configuration, and its positions beside the tool's. */
export async function compare(page, model) {
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
  const [, line] = run("eval", model, "--states", states, "--what", what, "--format", "csv").trim().split("\n");
  const expected = line
    .split(",")
    .map(Number)
    .slice(-3 * (bodies.length - 1));
  const found = bodies.flatMap((_, i) => poses.slice(12 * i + 9, 12 * i + 12)).slice(3);
  found.forEach((x, k) =>
    assert.ok(Math.abs(x - expected[k]) < 1e-9, `${bodies[1 + Math.floor(k / 3)]}: ${x}, ${expected[k]}`),
  );
}
