// What the tests of pages share: the tool, and a real browser in which every request and every message of a page fails.
//   LIMB_TOOL: default build/release/limb, with limb-view.html beside it; LIMB_BROWSER: default /usr/bin/chromium
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const tool = resolve(process.env.LIMB_TOOL ?? "build/release/limb");
export const folder = mkdtempSync(join(tmpdir(), "limb-web-"));
export const example = (name) => new URL(`../../../examples/${name}`, import.meta.url).pathname;
const axe = readFileSync(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** What the tool prints, run in the folder of the tests; a failure throws. */
export const run = (...words) =>
  String(execFileSync(tool, words, { cwd: folder, maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }));

/** The same, whatever its exit code. */
export function printed(...words) {
  try {
    return run(...words);
  } catch (error) {
    return String(error.stdout);
  }
}

let browser;
before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.LIMB_BROWSER ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

export const newContext = (options) => browser.newContext(options);

/** Waits until a page has said that it is ready. */
export async function ready(page) {
  await page.waitForFunction(() => document.documentElement.dataset.ready);
  const state = await page.evaluate(() => [document.documentElement.dataset.ready, document.body.innerText.slice(0, 500)]);
  assert.equal(state[0], "yes", state[1]);
}

/**
 * Opens an address; `look` examines the page. allowed: requests that are no failure; isReady: waits for it; page.troubles
 * has what went wrong.
 */
export async function openAddress(address, look, { allowed = /^(file|data|blob):/, isReady = ready, ...options } = {}) {
  const context = await newContext({ viewport: { width: 900, height: 600 }, colorScheme: "light", acceptDownloads: true, ...options });
  try {
    context.setDefaultTimeout(600000); // a machine may be busy
    const page = await context.newPage();
    page.troubles = [];
    context.on("request", (request) => allowed.test(request.url()) || page.troubles.push(`request: ${request.url()}`));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type()) && !/GPU stall/.test(message.text()))
        page.troubles.push(message.text());
    });
    page.on("pageerror", (error) => page.troubles.push(error.message));
    page.on("dialog", (dialog) => (page.troubles.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
    await page.goto(address);
    await isReady(page);
    await look(page);
    assert.deepEqual(page.troubles, []);
  } finally {
    await context.close();
  }
}

/** Opens a file as a user does who has no network. */
export const openFile = (file, look, options) =>
  openAddress(pathToFileURL(file).href, look, { offline: true, ...options });

/** What axe finds serious in a page that was opened with bypassCSP. */
export async function barriers(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => [id, nodes.length, nodes[0].html.slice(0, 200), nodes[0].failureSummary]);
}
