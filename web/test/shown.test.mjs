// Shapes, meshes, motions, recordings and live poses in the page of limb view.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { copyFileSync, createWriteStream, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { folder, openAddress, openFile, run, tool } from "./support/browser.mjs";
import { compare, moveAll, open, references, seen } from "./support/page.mjs";

const body = (name, visual) =>
  `<link name="${name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
   ${visual.map((shape) => `<visual>${shape}</visual>`).join("")}</link>`;
const mesh = (name) => `<geometry><mesh filename="${name}"/></geometry>`;

/** A robot of one body with shapes; its file. */
function shaped(...visual) {
  const file = join(folder, "shaped.urdf");
  writeFileSync(
    file,
    `<robot name="shaped"><link name="base"/>${body("tip", visual)}<joint name="turn" type="continuous">
     <parent link="base"/><child link="tip"/><axis xyz="0 0 1"/></joint></robot>`,
  );
  return file;
}

/** A binary STL of small triangles at random places: large ones would take the software renderer minutes. */
function stl(name, triangles) {
  const head = Buffer.alloc(84),
    all = Buffer.alloc(50 * triangles);
  head.writeUInt32LE(triangles, 80);
  let x = 1;
  const random = () => (x = (x * 16807) % 2147483647) / 2147483647;
  for (let t = 0; t < triangles; t++) {
    const at = [random(), random(), random()];
    for (let k = 3; k < 12; k++) all.writeFloatLE(at[k % 3] + 0.01 * random(), 50 * t + 4 * k);
  }
  writeFileSync(join(folder, name), Buffer.concat([head, all]));
}

describe("shapes", () => {
  it("draws a shape where it is", () =>
    open(
      shaped(
        `<origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry>
         <material name="red"><color rgba="1 0 0 1"/></material>`,
        `<geometry><sphere radius="0.5"/></geometry>`,
      ),
      async (page) => {
        const box = await page.evaluate(() => {
          const { min, max } = limbView.figure.box();
          return [min.x, min.y, min.z, max.x, max.y, max.z];
        });
        [-0.5, -1, -0.5, 0.5, 1, 2.5].forEach((x, k) => assert.ok(Math.abs(box[k] - x) < 1e-6, `${box}`));
        const colours = await seen(page);
        const red = colours.filter((x, k) => k % 3 === 0 && x > 120 && colours[k + 1] < x / 2).length;
        assert.ok(red > 5, `${red} red places`);
        await compare(page, join(folder, "shaped.urdf"));
      },
    ));

  it("draws a mesh to the thousandth", async () => {
    stl("few.stl", 500);
    const bytes = readFileSync(join(folder, "few.stl"));
    await open(shaped(mesh("few.stl")), async (page) => {
      const shown = await page.evaluate(() => {
        const { positions, triangles } = limbView.options.meshes[0];
        return { positions: [...positions], triangles: [...triangles] };
      });
      assert.equal(shown.triangles.length, 1500);
      for (let t = 0; t < 500; t++)
        for (let k = 0; k < 9; k++) {
          const found = shown.positions[3 * shown.triangles[3 * t + Math.floor(k / 3)] + (k % 3)];
          assert.ok(Math.abs(found - bytes.readFloatLE(84 + 50 * t + 12 + 4 * k)) < 2e-5);
        }
    });
  });

  it("draws glTF in its colours, upright", async () => {
    for (const name of ["box.gltf", "box.bin"])
      copyFileSync(new URL(`../../test/io/shapes/meshes/${name}`, import.meta.url), join(folder, name));
    await open(shaped(mesh("box.gltf")), async (page) => {
      const { box, parts, materials } = await page.evaluate(() => {
        const { min, max } = limbView.figure.box();
        const materials = [];
        limbView.figure.root.traverse(({ isMesh, visible, material }) => isMesh && visible && materials.push([material].flat()));
        return {
          box: [min, max].flatMap(({ x, y, z }) => [x, y, z]),
          parts: limbView.options.meshes[0].parts,
          materials: materials.flat().map(({ opacity, transparent }) => [opacity, transparent]),
        };
      });
      assert.equal(parts.length, 1);
      const half = 1.055 * 0.5 ** (1 / 2.4) - 0.055; // colours of glTF are linear
      [1, half, 0, 0.25].forEach((x, k) => assert.ok(Math.abs(parts[0].colour[k] - x) < 1e-6, `${parts[0].colour}`));
      assert.deepEqual(materials, [[0.25, true]]);
      [0, 0, 0, 1, 2, 3].forEach((x, k) => assert.ok(Math.abs(box[k] - x) < 1e-4, `${box}`));
      const colours = await seen(page);
      assert.ok(colours.some((x, k) => k % 3 === 0 && x > colours[k + 2] + 20), "nothing is orange");
    });
  });

  it("simplifies 100 MB of triangles", async () => {
    const stream = createWriteStream(join(folder, "huge.stl"));
    stl("part.stl", 100000);
    const part = readFileSync(join(folder, "part.stl")).subarray(84);
    const head = Buffer.alloc(84);
    head.writeUInt32LE(2000000, 80);
    stream.write(head);
    for (let k = 0; k < 20; k++) stream.write(part);
    await new Promise((done) => stream.end(done));
    assert.ok(statSync(join(folder, "huge.stl")).size > 1e8);
    await open(shaped(mesh("huge.stl")), async (page) => {
      assert.ok(statSync(join(folder, "view.html")).size <= 1e7);
      assert.ok((await page.evaluate(() => limbView.options.meshes[0].triangles.length)) > 30000);
    });
  });

  it("opens no mesh outside of the model's folder", () =>
    open(shaped(mesh("../../../../etc/passwd"), mesh("file:///etc/passwd")), async (page) => {
      assert.deepEqual(await page.evaluate(() => limbView.options.shapes), []);
      assert.doesNotMatch(readFileSync(join(folder, "view.html"), "utf8"), /root:x:/);
    }));
});

const shared = resolve(process.env.LIMB_SHARED ?? fileURLToPath(new URL("../../../shared", import.meta.url)));
const packages = ["--package-path", join(shared, "robots-meshes")];
const meshes = {
  // the model, how many of its meshes are there (the trunk of A1 is not), more words for the tool
  hyq: ["robots-meshes/hyq_description/robots/hyq_no_sensors.urdf", 13, ...packages],
  a1: ["robots-meshes/a1_description/urdf/a1.urdf", 12, ...packages],
  allegro: ["robots-meshes/allegro_hand_description/urdf/allegro_left_hand.urdf", 21, ...packages],
  cassie: ["menagerie/agility_cassie/scene.xml", 25],
  "2f85": ["menagerie/robotiq_2f85/scene.xml", 14],
};
describe("robots with meshes", { skip: !existsSync(shared) }, () => {
  const looks = references("pictures-meshes");
  for (const [name, [path, count, ...words]] of Object.entries(meshes))
    it(name, { skip: !existsSync(join(shared, path)) }, () => {
      const model = join(shared, path);
      return open(
        model,
        async (page) => {
          const { shown, missing } = await page.evaluate(() => {
            const { shapes, meshes } = limbView.options;
            const visual = shapes.filter(({ kind, collision }) => kind === "mesh" && !collision);
            return { shown: visual.length, missing: visual.filter(({ mesh }) => !(meshes[mesh]?.triangles.length > 0)).length };
          });
          assert.deepEqual({ shown, missing }, { shown: count, missing: 0 });
          await looks(page, name);
          await moveAll(page, model, ...words);
        },
        {},
        ...words,
      );
    });
});

describe("moving", () => {
  it("drags a frame by inverse kinematics", () =>
    open("panda", async (page) => {
      const { target, reached, found } = await page.evaluate(() => {
        const { robot, drag } = limbView,
          last = robot.bodies.length - 1;
        limbView.set([0.1, 0.2, 0.1, -1.5, 0.1, 1.6, 0]);
        drag.grab(last);
        const at = [...limbView.poses().subarray(12 * last + 9, 12 * last + 12)];
        const target = [at[0] - 0.1, at[1] + 0.15, at[2] - 0.1];
        const reached = drag.moveTo(target);
        return { target, reached, found: [...limbView.poses().subarray(12 * last + 9, 12 * last + 12)] };
      });
      assert.ok(reached);
      target.forEach((x, k) => assert.ok(Math.abs(x - found[k]) < 1e-8));
      await compare(page, "panda");
      assert.equal(await page.evaluate(() => limbView.drag.moveTo([9, 9, 9])), false);
    }));

  it("goes to named poses", async () => {
    const model = join(folder, "posed.limb.yaml");
    const copy = join(folder, "copy.limb.yaml");
    run("convert", "planar_2r", copy);
    writeFileSync(model, `${readFileSync(copy, "utf8")}poses:\n  up: {joint1: 1.5, joint2: -0.5}\n`);
    await open(model, async (page) => {
      await page.getByRole("button", { name: "up" }).click();
      assert.deepEqual(await page.evaluate(() => [...limbView.q]), [1.5, -0.5]);
    });
  });

  it("answers with the digits of the tool", () =>
    open("puma560", async (page) => {
      await page.locator("summary", { hasText: "Ask" }).click();
      await page.getByLabel("Quantity", { exact: true }).fill("M");
      await page.getByLabel("Quantity", { exact: true }).blur();
      const text = await page.textContent(".lv-numbers");
      const shown = text.split("\n").slice(1).flatMap((line) => line.trim().split(/ +/).slice(-6).map(Number));
      const names = await page.evaluate(() => limbView.robot.coordinates.map((c) => c.name));
      const q = names.map((name) => `${name}=0`).join(",");
      const lines = run("eval", "puma560", "--q", q, "--what", "M", "--format", "csv").trim().split("\n");
      const expected = lines[1].split(",").map(Number).slice(-36);
      const found = shown.slice(-36);
      const most = Math.max(...expected.map(Math.abs));
      expected.forEach((x, k) => assert.ok(Math.abs(x - found[k]) <= 1e-12 * most, `${x}, ${found[k]}`));
      for (const name of ["Velocity ellipsoid", "Force ellipsoid", "Reach", "Mass matrix"])
        await page.getByLabel(name).check();
      assert.match(await page.textContent("aside"), /Manipulability/);
    }));
});

describe("motions", () => {
  const file = join(folder, "motion.html");

  it("shows the states of the simulation", async () => {
    run("sim", "acrobot", "--duration", "2", "--q", "shoulder=45deg", "--animate", file, "--quiet");
    const last = run("sim", "acrobot", "--duration", "2", "--q", "shoulder=45deg", "--channels", "q", "--output", "-", "--quiet");
    const expected = last.trim().split("\n").at(-1).split(",").map(Number).slice(1);
    await openFile(file, async (page) => {
      const found = await page.evaluate(() => {
        limbView.player.pause();
        limbView.player.seek(2);
        return [...limbView.q];
      });
      assert.deepEqual(found, expected);
      const energy = await page.evaluate(() => {
        limbView.player.curves("Energy");
        limbView.player.trace(-2);
        limbView.player.seek(1.2345);
        return limbView.player.time;
      });
      assert.equal(energy, 1.2345);
      await page.getByRole("button", { name: "Play" }).click();
      await page.waitForFunction(() => limbView.player.time > 1.3);
      await page.getByRole("button", { name: "Pause" }).click();
      await compare(page, "acrobot");
    });
  });

  it("records pictures and films", () =>
    openFile(file, async (page) => {
      const made = await page.evaluate(async () => {
        const { player, recorder } = limbView;
        player.speed = 8;
        const kinds = async (blob) => [...new Uint8Array(await blob.slice(0, 4).arrayBuffer())];
        const picture = await kinds(await recorder.picture());
        const frames = await recorder.frames();
        const film = await recorder.film();
        return { picture, zip: await kinds(frames), zipSize: frames.size, film: await kinds(film), filmSize: film.size };
      });
      assert.deepEqual(made.picture, [0x89, 0x50, 0x4e, 0x47]);
      assert.deepEqual(made.zip, [0x50, 0x4b, 3, 4]);
      assert.deepEqual(made.film, [0x1a, 0x45, 0xdf, 0xa3]);
      assert.ok(made.zipSize > 20000 && made.filmSize > 1000, JSON.stringify(made));
    }));
});

describe("live", () => {
  it("shows what a program sends", async () => {
    const server = spawn(tool, ["view", "planar_2r", "--serve", "--port", "0"], { stdio: ["ignore", "pipe", "ignore"] });
    try {
      const [address] = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next().then((x) => [x.value]);
      const { port } = new URL(address);
      await openAddress(
        address,
        async (page) => {
          const program = createSocket("udp4"),
            pose = Buffer.alloc(32);
          pose.write("limbpose");
          [3.5, 0.7, -0.2].forEach((x, k) => pose.writeDoubleLE(x, 8 + 8 * k));
          const sending = setInterval(() => program.send(pose, Number(port), "127.0.0.1"), 50);
          await page.waitForFunction(() => limbView.q[0] === 0.7 && limbView.q[1] === -0.2);
          clearInterval(sending);
          program.close();
          await assert.rejects(page.evaluate(() => fetch("https://limb.invalid/")));
          page.removeAllListeners("console"); // it was reported there, as it should be
        },
        { allowed: new RegExp(`^(http://127\\.0\\.0\\.1:${port}/|data:|blob:)`) },
      ).catch((error) => assert.match(error.message, /Content Security Policy/));
    } finally {
      server.kill("SIGINT");
    }
  });
});
