// The page of limb view in a real browser, offline: node --test web/test (support/browser.mjs has its settings).
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { barriers, example, folder, run } from "./support/browser.mjs";
import { compare, moveAll, open, references, seen, slide } from "./support/page.mjs";

describe("every built-in robot", () => {
  const { models } = JSON.parse(run("models", "--format", "json"));
  const looks = references("pictures");
  for (const { name } of models.filter(({ nv }) => nv < 100)) {
    it(name, () =>
      open(name, async (page) => {
        await looks(page, name);
        await compare(page, name);
        await moveAll(page, name);
      }),
    );
  }
});

describe("moving", () => {
  it("moves the joint of a slider", () =>
    open("panda", async (page) => {
      const value = await slide(page, "joint2", 1);
      assert.ok(Math.abs(value - 1) < 0.005);
      assert.equal(await page.evaluate(() => limbView.q[1]), value);
      await compare(page, "panda");
      await page.getByRole("button", { name: "Start configuration" }).click();
      assert.equal(await page.evaluate(() => limbView.q[1]), 0);
    }));

  it("keeps loops closed", () =>
    open("four_bar", async (page) => {
      const before = await page.evaluate(() => [...limbView.q]);
      await slide(page, "theta1", 1.5);
      const now = await page.evaluate(() => [...limbView.q]);
      now.forEach((x, k) => assert.ok(Math.abs(x - before[k]) > 0.01));
      await compare(page, "four_bar"); // the tool refuses open loops
    }));

  it("says where loops end", () =>
    open("slider_crank", async (page) => {
      const name = await page.evaluate(() => limbView.sliders.find((s) => s.joint.type === "prismatic").name);
      await slide(page, name, 1);
      assert.match(await page.textContent(".lv-status"), /the loops do not close beyond/);
    }));

  it("moves mimic joints along", async () => {
    const body = (name) =>
      `<link name="${name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>`;
    const joint = (name, parent, child, more) => `<joint name="${name}" type="continuous"><origin xyz="1 0 0"/>
      <parent link="${parent}"/><child link="${child}"/><axis xyz="0 0 1"/>${more}</joint>`;
    const model = join(folder, "fingers.urdf");
    writeFileSync(
      model,
      `<robot name="fingers"><link name="palm"/>${["a", "b", "tip"].map(body).join("")}` +
        joint("left", "palm", "a", "") +
        joint("right", "palm", "b", `<mimic joint="left" multiplier="-2"/>`) +
        joint("end", "b", "tip", "") +
        "</robot>",
    );
    await open(model, async (page) => {
      assert.equal(await page.locator(".lv-joint").count(), 2);
      const x = await slide(page, "left", 0.3);
      const tip = await page.evaluate(() => [...limbView.poses()].slice(-3));
      assert.ok(Math.abs(tip[0] - 1 - Math.cos(2 * x)) < 1e-12 && Math.abs(tip[1] + Math.sin(2 * x)) < 1e-12);
      await compare(page, model);
    });
  });

  it("tells the torque that holds a joint", () =>
    open("planar_2r", async (page) => {
      const [, line] = run(
        "eval",
        "planar_2r",
        "--q",
        "joint1=0",
        "--v",
        "joint1=0",
        "--a",
        "0",
        "--what",
        "tau",
        "--format",
        "csv",
      )
        .trim()
        .split("\n");
      const expected = Number(line.split(",").at(-2)),
        note = await page.textContent(".lv-joint small");
      assert.ok(Math.abs(Number(/([\u2212\d.]+) N m/.exec(note)[1].replace("\u2212", "-")) / expected - 1) < 1e-3, `${note}; ${expected}`);
    }));
});

describe("looking", () => {
  it("selects a body from the list and by a click", () =>
    open("quadruped", async (page) => {
      const name = await page.evaluate(() => limbView.robot.bodies[1].name);
      await page.getByLabel("Selected").selectOption({ label: name });
      const mass = await page.evaluate(() => limbView.robot.bodies[1].mass);
      assert.ok((await page.textContent(".lv-details")).includes(`mass${Number(mass.toPrecision(4))} kg`));
      await page.getByLabel("Selected").selectOption("-1");
      const box = await page.locator(".lv-stage").boundingBox();
      for (let y = 0.3; y < 0.6 && (await page.getByLabel("Selected").inputValue()) === "-1"; y += 0.04)
        await page.mouse.click(box.x + box.width / 2, box.y + box.height * y);
      assert.notEqual(await page.getByLabel("Selected").inputValue(), "-1");
    }));

  it("shows the findings of the doctor", () =>
    open(example("sick_arm.urdf"), async (page) => {
      const text = await page.textContent(".lv-panel details:last-of-type");
      assert.match(text, /line 51/);
      assert.match(text, /principal moments of inertia/);
      await page.getByLabel("Selected").selectOption({ label: "upper_arm" });
      assert.match(await page.textContent(".lv-details + .lv-findings"), /principal moments of inertia/);
    }));

  it("is light or dark", async () => {
    await open(
      "ur5",
      async (page) => {
        assert.equal(await page.evaluate(() => document.querySelector(".limb-view").dataset.theme), "dark");
        await page.getByRole("button", { name: "Dark" }).click();
        assert.equal(await page.evaluate(() => document.querySelector(".limb-view").dataset.theme), "light");
      },
      { colorScheme: "dark" },
    );
  });

  it("changes the picture with every switch", () =>
    open("four_bar", async (page) => {
      for (const box of await page.locator("details", { hasText: "Whole robot" }).locator("input").all()) {
        const before = await page.locator(".lv-stage").screenshot();
        await box.click();
        await seen(page);
        assert.notDeepEqual(
          await page.locator(".lv-stage").screenshot(),
          before,
          await box.evaluate((x) => x.parentElement.textContent),
        );
        await box.click(); // a switch may hide what the next one changes
      }
    }));

  it("has no serious barrier", async () => {
    for (const colorScheme of ["light", "dark"]) {
      await open(
        example("sick_arm.urdf"),
        async (page) => {
          assert.deepEqual(await barriers(page), []);
        },
        { colorScheme, bypassCSP: true },
      );
    }
  });
});

describe("hostile models", () => {
  it("shows names as text", async () => {
    const name = `</script><img src=x onerror=alert(1)><script>alert(2)</script>`;
    const model = join(folder, "sly.limb.yaml"),
      text = JSON.stringify(name);
    writeFileSync(
      model,
      `limb: 1\nname: ${text}\nbodies:\n  - {name: ${text}, mass: 1, inertia: [1, 0, 0, 1, 0, 1]}\njoints:\n` +
        `  - {name: ${text}, type: revolute, parent: world, child: ${text}}\n`,
    );
    await open(model, async (page) => {
      assert.equal(await page.textContent("h1"), name);
      assert.equal(await page.locator("img").count(), 0);
      assert.equal(await page.locator("script").count(), 3);
    });
  });

  it("runs no script but its own", () =>
    open("ur5", async (page) => {
      await page.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "globalThis.broken = true";
        document.body.append(script);
      });
      assert.equal(await page.evaluate(() => globalThis.broken), undefined);
      await assert.rejects(page.evaluate(() => fetch("https://limb.invalid/")));
      page.removeAllListeners("console"); // both were reported there, as they should be
    }).catch((error) => {
      assert.match(error.message, /Content Security Policy/);
    }));
});
