// The page of limb report in a real browser, offline, and on paper: node --test web/test (support/browser.mjs has its
// settings).
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { barriers, example, folder, openFile, run } from "./support/browser.mjs";

/** Opens the report of these words. */
function open(words, look) {
  const file = join(folder, "report.html");
  run("report", ...words, "--output", file);
  return openFile(file, look, { viewport: { width: 1000, height: 800 }, bypassCSP: true, isReady: () => {} });
}

/** Elements of main that are wider than the page. */
const wide = (page) =>
  page.evaluate(() => {
    const edge = document.body.getBoundingClientRect().right;
    return [...document.querySelectorAll("main *")]
      .filter((element) => element.getBoundingClientRect().right > edge + 1)
      .map((element) => element.outerHTML.slice(0, 80));
  });

const motion = ["panda", example("pick_and_place.csv"), "--differentiate", "--motors", example("panda_motors.yaml")];

describe("limb report", () => {
  it("shows pictures of every joint, and nothing that is too wide", async () => {
    await open([...motion, "--compare", example("pick_and_place.csv")], async (page) => {
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
    for (const words of [motion, ["humanoid"], [example("sick_arm.urdf")]])
      await open(words, async (page) => {
        assert.deepEqual(await barriers(page), []);
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
