// The page of limb report in a real browser, offline, and on paper: node --test web/test. LIMB_TOOL, LIMB_BROWSER: as
// for view.test.mjs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const tool = process.env.LIMB_TOOL ?? "build/release/limb";
const folder = mkdtempSync(join(tmpdir(), "limb-report-"));
const axe = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const run = (...words) => execFileSync(tool, words, { stdio: ["ignore", "ignore", "ignore"] });

let browser;
before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.LIMB_BROWSER ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

/** Opens the report of these words; every request and every message of the page is a failure. */
async function open(words, look) {
  const file = join(folder, "report.html"),
    troubles = [];
  run("report", ...words, "--output", file);
  const context = await browser.newContext({ offline: true, viewport: { width: 1000, height: 800 }, bypassCSP: true });
  try {
    const page = await context.newPage();
    page.on("request", (request) => /^(file|data):/.test(request.url()) || troubles.push(`request: ${request.url()}`));
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && troubles.push(message.text()));
    page.on("pageerror", (error) => troubles.push(error.message));
    page.on("dialog", (dialog) => (troubles.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
    await page.goto(pathToFileURL(file).href);
    await look(page);
    assert.deepEqual(troubles, []);
  } finally {
    await context.close();
  }
}

/** Elements of main that are wider than the page. */
const wide = (page) =>
  page.evaluate(() => {
    const edge = document.body.getBoundingClientRect().right;
    return [...document.querySelectorAll("main *")]
      .filter((element) => element.getBoundingClientRect().right > edge + 1)
      .map((element) => element.outerHTML.slice(0, 80));
  });

const motion = ["panda", "examples/pick_and_place.csv", "--differentiate", "--motors", "examples/panda_motors.yaml"];

describe("limb report", () => {
  it("shows pictures of every joint, and nothing that is too wide", async () => {
    await open([...motion, "--compare", "examples/pick_and_place.csv"], async (page) => {
      const sizes = await page.$$eval("img", (all) => all.map((one) => [one.naturalWidth, one.alt.length]));
      assert.equal(sizes.length, 16);
      for (const [width, words] of sizes) assert.ok(width > 200 && words > 10);
      assert.deepEqual(await wide(page), []);
      await page.emulateMedia({ media: "print" });
      await page.setViewportSize({ width: 680, height: 900 }); // what A4 has between its margins
      assert.deepEqual(await wide(page), []);
    });
  });

  it("prints on A4, two joints to a page", async () => {
    await open(motion, async (page) => {
      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
      const pages = pdf.match(/\/Type\s*\/Page\b/g).length;
      assert.ok(pages >= 7 && pages <= 10, `${pages} pages`);
      assert.match(pdf, /MediaBox\s*\[\s*0 0 59[45](\.\d+)? 84[12]/);
    });
  });

  it("is accessible", async () => {
    for (const words of [motion, ["humanoid"], ["examples/sick_arm.urdf"]])
      await open(words, async (page) => {
        await page.evaluate(axe);
        const found = await page.evaluate(() => globalThis.axe.run());
        const bad = found.violations.filter((one) => ["serious", "critical"].includes(one.impact));
        assert.deepEqual(
          bad.map((one) => [one.id, one.nodes.length, one.nodes[0].html.slice(0, 100)]),
          [],
        );
      });
  });

  it("takes hostile names as text", async () => {
    const name = `a "b" <c> & 'd' </script><script>alert(1)</script><img src=x onerror=alert(2)>`;
    const model = join(folder, "arm.limb.yaml");
    writeFileSync(
      model,
      `limb: 1
name: ${JSON.stringify(name)}
bodies:
  - {name: ${JSON.stringify(name + " body")}, mass: 2, com: [0.5, 0, 0], inertia: [0.01, 0, 0, 0.01, 0, 0.01]}
joints:
  - {name: ${JSON.stringify(name + " hinge")}, type: revolute, parent: world, child: ${JSON.stringify(name + " body")},
     axis: [0, 1, 0], limits: {effort: 1}}
`,
    );
    await open([model], async (page) => {
      assert.equal(await page.textContent("h1"), name);
      assert.equal(await page.$$eval("script, [onerror]", (all) => all.length), 0);
    });
  });
});
