// limb in the browser (build/web), in a real one: node --test web/test/site.test.mjs (support/browser.mjs has its
// settings). LIMB_SITE: the folder of the page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { barriers, example, folder, newContext, openAddress, printed as run, ready } from "./support/browser.mjs";

const site = resolve(process.env.LIMB_SITE ?? "build/web");
const address = (server) => `http://${server.address().address}:${server.address().port}/`;

/** Opens the page from the disk, with a network that it must not use. */
const open = (look, options) =>
  openAddress(pathToFileURL(join(site, "index.html")).href, look, { viewport: { width: 1440, height: 900 }, ...options });

const tab = (page, name) => page.getByRole("tab", { name }).click();
const choose = (page, files) => page.locator("#open input[type=file]").first().setInputFiles(files);
const chooseFolder = (page, path) => page.locator("#open input[type=file]").nth(1).setInputFiles(path);
const panel = (page) => page.locator(".panel:not([hidden])");
const editorText = (page) =>
  page.evaluate(() => document.querySelector(".check-tab .editor").shadowRoot.querySelector(".cm-content").cmTile?.view.state.doc.toString() ??
    document.querySelector(".check-tab .editor").shadowRoot.querySelector(".cm-content").cmView.view.state.doc.toString());

/** Presses a button and reads the file that is saved. */
async function saved(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), panel(page).getByRole("button", { name }).click()]);
  const file = join(folder, download.suggestedFilename());
  await download.saveAs(file);
  return readFileSync(file, "utf8");
}

function table(text) {
  const [head, ...lines] = text.trim().split("\n");
  return { names: head.split(","), rows: lines.map((line) => line.split(",").map(Number)) };
}

/** Two tables with the same columns and rows, relative to the largest number of each column. */
function compare(found, expected, tolerance) {
  assert.deepEqual(found.names, expected.names);
  assert.equal(found.rows.length, expected.rows.length);
  expected.names.forEach((name, k) => {
    const size = expected.rows.reduce((most, row) => Math.max(most, Math.abs(row[k])), 1);
    const off = expected.rows.reduce((most, row, i) => Math.max(most, Math.abs(row[k] - found.rows[i][k])), 0);
    assert.ok(off <= tolerance * size, `${name}: ${off} of ${size}`);
  });
}

describe("the first robot", () => {
  it("is there at once, without a request", (test) =>
    open(async (page) => {
      await page.waitForFunction(() => performance.getEntriesByName("robot drawn").length > 0);
      const drawn = await page.evaluate(() => performance.getEntriesByName("robot drawn")[0].startTime);
      test.diagnostic(`the first robot is drawn after ${Math.round(drawn)} ms`);
      assert.equal(await page.textContent("#name"), "panda");
      assert.match(await page.textContent("#facts"), /7 moving joints, 16\.06 kg/);
      assert.ok(await page.locator("#picture canvas").first().isVisible());
      assert.match(await page.textContent("header"), /Stays on this machine/);
    }));
  it("is another one by the address", () =>
    open(async (page) => {
      await page.evaluate(() => (location.hash = "#ur5"));
      await page.waitForFunction(() => document.getElementById("name").textContent === "ur5");
    }));
});

describe("a sick file", () => {
  it("is diagnosed and repaired as by limb check", () =>
    open(async (page) => {
      const path = example("sick_arm.urdf");
      await choose(page, path);
      const checked = JSON.parse(run("check", path, "--format", "json"));
      const expected = (checked.files ?? checked.models ?? [checked])[0].findings;
      const items = page.locator(".findings li");
      assert.equal(await items.count(), expected.length);
      const text = await page.textContent(".findings");
      for (const finding of expected) {
        assert.ok(text.includes(`${finding.where}: ${finding.text}`), finding.text);
        assert.ok(text.includes(`line ${finding.line}`));
      }
      assert.equal(await page.textContent(".summary"), "2 errors, 5 warnings, 4 notes");
      const lines = new Set(expected.map(({ line }) => line));
      assert.ok((await page.locator(".cm-lint-marker").count()) > 0 && lines.size > 5);

      // A finding leads to its line.
      await items.filter({ hasText: "limt" }).locator(".finding").click();
      assert.match(await page.locator(".check-tab .cm-line.cm-activeLine").textContent(), /<limt /);

      // One finding repaired, then the file.
      const repaired = join(folder, "repaired.urdf");
      run("check", path, "--repair", repaired);
      await page.getByRole("button", { name: "Repair link 'upper_arm'" }).click();
      assert.equal(await editorText(page), readFileSync(repaired, "utf8"));
      assert.match(await page.textContent(".summary"), /^1 error, /);
      await page.getByRole("button", { name: "Repair element 'limt'" }).click();
      assert.match(await editorText(page), /<limit effort="0"|<limit /);
      assert.doesNotMatch(await editorText(page), /<limt/);
      const file = await saved(page, "Save file");
      assert.equal(file, await editorText(page));
    }));

  it("is read anew as it is typed", () =>
    open(async (page) => {
      await choose(page, example("sick_arm.urdf"));
      await page.locator(".check-tab .cm-content").click();
      await page.keyboard.press("Control+Home");
      await page.keyboard.type("<!-- ");
      await page.getByText("This is no robot yet").waitFor();
      await page.getByText("The picture is of the last version").waitFor();
      for (let k = 0; k < 5; k++) await page.keyboard.press("Backspace");
      await page.getByText("This is no robot yet").waitFor({ state: "hidden" });
      assert.equal(await page.textContent(".summary"), "2 errors, 5 warnings, 4 notes");
    }));
});

describe("a state", () => {
  it("has the numbers of limb eval", () =>
    open(async (page) => {
      await tab(page, "State");
      await page.getByLabel("q of joint2", { exact: true }).fill("0.5");
      await page.getByLabel("q of joint2", { exact: true }).press("Tab");
      await panel(page).getByLabel("Quantity").fill("position");
      await panel(page).getByLabel("Frame").selectOption("link7");
      await panel(page).getByRole("button", { name: "Add" }).click();
      const words = ["--q", "joint2=0.5", "--v", "joint1=0", "--a", "0", "--format", "csv"];
      const { names, rows } = table(run("eval", "panda", ...words, "--what", "tau,position.link7"));
      const cells = await page.locator(".state-tab .results td.number").allTextContents();
      const read = (text) => Number(text.replace("−", "-"));
      const position = rows[0].slice(names.findIndex((name) => name.startsWith("position")));
      position.forEach((x, k) => assert.ok(Math.abs(read(cells[k]) - x) < 1e-4, `${cells[k]}, ${x}`));
      const tau = rows[0].slice(names.indexOf("tau.joint1"), names.indexOf("tau.joint1") + 7);
      tau.forEach((x, k) => assert.ok(Math.abs(read(cells[3 + k]) - x) < 1e-3, `${cells[3 + k]}, ${x}`));
      // The view shows the same configuration.
      assert.match(await page.locator("#picture").textContent(), /28\.65°/);
    }));
});

describe("simulation", () => {
  const runs = ["panda", "four_bar", "car"];
  it("ends as limb sim does, in the worker", () =>
    open(async (page) => {
      await tab(page, "Simulate");
      for (const [k, name] of runs.entries()) {
        await page.getByLabel("Example").selectOption(String(k));
        await page.locator(".simulate-tab").getByLabel("Speed").selectOption("0");
        await page.getByRole("button", { name: "Simulate", exact: true }).click();
        await page.getByText(/ simulated in /).waitFor();
        const found = table(await saved(page, "Save CSV"));
        const file = join(folder, `${name}.csv`);
        const settings = ["--channels", "q,v,tau,energy", "--rate", "60", "--output", file, "--quiet"];
        const path = new URL(`../site/runs/${name}.run.yaml`, import.meta.url).pathname;
        run("sim", path, ...settings);
        const expected = table(readFileSync(file, "utf8"));
        compare({ names: found.names, rows: [found.rows.at(-1)] }, { names: expected.names, rows: [expected.rows.at(-1)] }, 1e-9);
        assert.equal(found.rows.length, expected.rows.length);
      }
    }));

  it("stops, and says what is wrong with a run file", () =>
    open(async (page) => {
      await tab(page, "Simulate");
      await page.getByLabel("Example").selectOption("2"); // 40 s
      await page.getByRole("button", { name: "Simulate", exact: true }).click();
      await page.waitForFunction(() => parseFloat(document.querySelector(".clock").textContent) > 0.1);
      await page.getByRole("button", { name: "Stop" }).click();
      await panel(page).getByText(/until stopped/).waitFor();
      const wrong = join(folder, "wrong.run.yaml");
      writeFileSync(wrong, "schema: 1\nmodel: panda\nduratio: 3\n");
      await choose(page, wrong);
      await page.getByText(/unknown key 'duratio'; did you mean 'duration'/).first().waitFor();
    }));
});

describe("inverse dynamics of a table", () => {
  it("equals limb id", () =>
    open(async (page) => {
      await choose(page, example("pick_and_place.csv"));
      await page.getByText("pick_and_place.csv: 251 rows").waitFor();
      const found = table(await saved(page, "Save torques"));
      const expected = table(run("id", "panda", example("pick_and_place.csv"), "--differentiate"));
      compare(found, expected, 1e-9);
      assert.equal(await page.locator(".motion-tab .uplot").count(), 3);
      assert.match(await panel(page).textContent(), /What each motor must deliver/);
      await page.getByLabel("Built-in robot").selectOption("ur5");
      await choose(page, example("pick_and_place.csv"));
      await page.getByText(/6 of 6 columns q\. are missing/).waitFor();
    }));
});

describe("equations and code", () => {
  it("are those of the tool", () =>
    open(async (page) => {
      await page.getByLabel("Built-in robot").selectOption("four_bar");
      await tab(page, "Equations");
      await page.locator(".formula .katex").first().waitFor();
      assert.equal(await page.locator(".formula").count(), 4);
      assert.equal(await page.locator(".katex-error").count(), 0);
      assert.equal(await saved(page, "Save LaTeX"), run("equations", "four_bar", "--format", "latex"));
      await page.getByLabel("Built-in robot").selectOption("panda");
      await page.getByText(/more than 2000 terms/).waitFor();
      await tab(page, "Code");
      await page.getByRole("button", { name: "Generate" }).click();
      await page.getByRole("button", { name: "Save panda.c" }).waitFor();
      for (const name of ["panda.c", "panda.h", "panda_test.c"]) await saved(page, `Save ${name}`);
      const program = join(folder, "panda");
      execFileSync("cc", ["-o", program, "panda.c", "panda_test.c", "-lm"], { cwd: folder });
      execFileSync(program);
    }));
});

describe("folders", () => {
  it("bring meshes and includes", () =>
    open(async (page) => {
      const arm = join(folder, "arm");
      mkdirSync(join(arm, "meshes"), { recursive: true });
      const here = new URL("../../test/io/shapes/", import.meta.url);
      const text = readFileSync(new URL("arm.urdf", here), "utf8");
      writeFileSync(join(arm, "arm.urdf"), text.replace('"meshes/wedge', '"package://nowhere/robots/arm/meshes/wedge'));
      writeFileSync(join(arm, "meshes/wedge.obj"), readFileSync(new URL("meshes/wedge.obj", here)));
      await chooseFolder(page, arm);
      await page.waitForFunction(() => document.getElementById("name").textContent !== "panda");
      assert.match(await page.textContent(".findings"), /gone\.stl/);
      assert.doesNotMatch(await page.textContent(".findings"), /wedge/);
    }));
});

describe("hostile files", () => {
  const inertial = `<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>`;
  it("show names as text, and nothing else happens", () =>
    open(async (page) => {
      const sly = `&lt;/script>&lt;img src=x onerror=alert(1)>`;
      const path = join(folder, "a'<img src=x onerror=alert(2)>.urdf");
      writeFileSync(
        path,
        `<robot name="${sly}"><link name="base"/><link name="${sly}">${inertial}</link><joint name="${sly}" type="continuous">
         <parent link="base"/><child link="${sly}"/><axis xyz="0 1 0"/></joint></robot>`,
      );
      await choose(page, path);
      await page.waitForFunction(() => document.getElementById("name").textContent.startsWith("</script>"));
      for (const name of ["State", "Equations", "Simulate", "Torques", "Code", "Check"]) {
        await tab(page, name);
        await page.waitForTimeout(50);
      }
      await tab(page, "Torques");
      await page.getByRole("button", { name: "Example motion" }).click();
      await page.getByText(/example\.csv: 201 rows/).waitFor();
      assert.equal(await page.locator("img").count(), 0);
      assert.equal(await page.locator("script").count(), 2);
    }));

  it("are refused in words", () =>
    open(async (page) => {
      const wrong = async (name, content, words) => {
        const path = join(folder, name);
        writeFileSync(path, content);
        await choose(page, path);
        await page.getByText(words).first().waitFor();
      };
      await wrong("empty.urdf", "", /This is no robot yet/);
      await wrong("noise.urdf", Buffer.from(Array.from({ length: 5000 }, (_, k) => (k * 7919) % 256)), /no robot yet/);
      const laughs = Array.from({ length: 20 }, (_, k) => `<!ENTITY e${k + 1} "&e${k};&e${k};&e${k};&e${k};">`).join("");
      await wrong("laughs.urdf", `<!DOCTYPE r [<!ENTITY e0 "ha">${laughs}]><robot name="&e20;"/>`, /no robot yet/);
      await wrong("deep.urdf", "<a>".repeat(200000), /no robot yet/);
      await wrong("other.limb.yaml", "limb: 1\nbodies: {a: [", /no robot yet/);
      await page.getByLabel("Built-in robot").selectOption("ur5");
      await wrong("table.csv", "time;q\n1;2\n", /semicolon|separat/);
      await wrong("picture.png", "PNG", /No robot among these files/);
    }));

  it("cannot reach beyond the folder, nor fill the page", () =>
    open(async (page) => {
      const big = join(folder, "big");
      mkdirSync(join(big, "meshes"), { recursive: true });
      writeFileSync(join(big, "meshes/huge.stl"), Buffer.alloc(84));
      truncateSync(join(big, "meshes/huge.stl"), 100e6);
      const mesh = (name) => `<visual><geometry><mesh filename="${name}"/></geometry></visual>`;
      writeFileSync(
        join(big, "big.urdf"),
        `<robot name="big"><link name="base"/><link name="a">${inertial}${mesh("meshes/huge.stl")}${mesh("../../../../etc/passwd.stl")}
         </link><joint name="j" type="continuous"><parent link="base"/><child link="a"/></joint></robot>`,
      );
      await chooseFolder(page, big);
      await page.waitForFunction(() => document.getElementById("name").textContent === "big");
      assert.match(await page.textContent(".findings"), /huge\.stl.*not shown/);
      assert.match(await page.textContent(".findings"), /passwd/);
    }));

  it("cannot have the page ask for anything", async () => {
    let asked = 0;
    const server = createServer((_, response) => (asked++, response.end()));
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    await open(async (page) => {
      const url = address(server);
      for (const to of [url, "sw.js"])
        assert.match(await page.evaluate((x) => fetch(x).catch((error) => String(error)), to), /TypeError/);
      await page.evaluate((to) => {
        const add = (tag, properties) => document.body.append(Object.assign(document.createElement(tag), properties));
        add("img", { src: `${to}x.png` });
        add("script", { textContent: "globalThis.broken = true" });
        add("link", { rel: "stylesheet", href: `${to}x.css` });
        add("iframe", { src: to });
        navigator.sendBeacon(to, "x");
      }, url);
      await page.waitForTimeout(300);
      assert.equal(await page.evaluate(() => globalThis.broken), undefined);
      assert.ok(page.troubles.filter((text) => /Content Security Policy/.test(text)).length >= 6);
      page.troubles = []; // the browser lists what it refused
    });
    server.close();
    assert.equal(asked, 0);
  });
});

describe("for everybody", () => {
  for (const colorScheme of ["light", "dark"])
    it(`has no serious barrier in any tab, ${colorScheme}`, () =>
      open(
        async (page) => {
          await choose(page, example("sick_arm.urdf"));
          for (const name of ["Check", "State", "Simulate", "Torques", "Equations", "Code"]) {
            await tab(page, name);
            if (name === "Simulate") {
              await page.getByLabel("Example").selectOption("1");
              await page.locator(".simulate-tab").getByLabel("Speed").selectOption("0");
              await page.getByRole("button", { name: "Simulate", exact: true }).click();
              await page.getByText(/ simulated in /).waitFor();
            }
            if (name === "Equations") await page.locator(".formula .katex").first().waitFor();
            assert.deepEqual([name, await barriers(page)], [name, []]);
          }
        },
        { colorScheme, bypassCSP: true },
      ));

  it("works by keyboard", () =>
    open(async (page) => {
      await page.getByRole("tab", { name: "Check" }).focus();
      for (const name of ["State", "Simulate", "Torques", "Equations", "Code", "Check"]) {
        await page.keyboard.press("ArrowRight");
        assert.equal(await page.evaluate(() => document.activeElement.textContent), name);
        assert.equal(await page.locator("[role=tabpanel]:not([hidden])").getAttribute("aria-labelledby"), `tab-${name.toLowerCase()}`);
      }
      await page.getByRole("button", { name: "About" }).press("Enter");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      assert.equal(await page.getByRole("dialog").count(), 0);
    }));
});

describe("from a server", () => {
  it("opens again without it", async () => {
    const types = { "/index.html": "text/html", "/sw.js": "text/javascript" };
    const asked = [];
    const server = createServer((request, response) => {
      const path = request.url === "/" ? "/index.html" : request.url;
      asked.push(path);
      if (!types[path]) return response.writeHead(404).end();
      response.writeHead(200, { "content-type": types[path] });
      response.end(readFileSync(join(site, path)));
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    const context = await newContext();
    try {
      const page = await context.newPage();
      const url = address(server);
      await page.goto(url);
      await ready(page);
      await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
      await page.waitForFunction(() => navigator.serviceWorker.controller);
      assert.ok(asked.every((path) => path in types), asked.join());
      await new Promise((done) => (server.close(done), server.closeAllConnections()));
      await page.goto(`${url}#ur5`);
      await page.reload();
      await ready(page);
      assert.equal(await page.textContent("#name"), "ur5");
    } finally {
      await context.close();
      server.close();
    }
  });
});
