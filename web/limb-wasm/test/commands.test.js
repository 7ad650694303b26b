// What limb.wasm writes and computes as commands of the tool do: repair, equations, code, inverse dynamics, run files.
//   LIMB_WASM=build/wasm/web/limb.wasm LIMB_TOOL=build/release/limb node --test web/limb-wasm/test
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, describe, it } from "node:test";
import { createLimb, LimbError } from "../index.js";

const tool = resolve(process.env.LIMB_TOOL ?? "build/release/limb");
const limb = await createLimb(readFileSync(process.env.LIMB_WASM ?? "build/wasm/web/limb.wasm"));
const folder = mkdtempSync(join(tmpdir(), "limb-wasm-"));
after(() => rmSync(folder, { recursive: true }));
const example = (name) => new URL(`../../../examples/${name}`, import.meta.url).pathname;
const run = (...words) => String(execFileSync(tool, words, { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }));

function table(text) {
  const [head, ...lines] = text.trim().split("\n");
  const rows = lines.map((line) => line.split(",").map(Number));
  return Object.fromEntries(head.split(",").map((name, k) => [name, rows.map((row) => row[k])]));
}

/** All columns of the tool, relative to their largest number. */
function compare(expected, found) {
  for (const [name, numbers] of Object.entries(expected)) {
    const here = found(name);
    assert.equal(here?.length, numbers.length, name);
    const size = numbers.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
    numbers.forEach((x, k) => assert.ok(Math.abs(x - here[k]) < 1e-9 * size, `${name} ${k}: ${here[k]}, not ${x}`));
  }
}

describe("repair", () => {
  const sick = readFileSync(example("sick_arm.urdf"), "utf8");
  it("writes what limb check --repair writes", () => {
    const fixed = join(folder, "fixed.urdf");
    try {
      run("check", example("sick_arm.urdf"), "--repair", fixed);
    } catch (error) {
      assert.equal(error.status, 1); // other errors are left
    }
    const { text, changed, findings } = limb.repair({ name: "sick_arm.urdf", text: sick });
    assert.equal(text, readFileSync(fixed, "utf8"));
    assert.equal(changed, 1);
    assert.deepEqual(
      findings.map(({ rule, where, file }) => [rule, where, file]),
      [["repaired", "link 'upper_arm'", "sick_arm.urdf"]],
    );
  });
  it("refuses what it cannot repair", () => {
    const text = `<mujoco><worldbody><body><joint/><inertial pos="0 0 1" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>`;
    assert.throws(() => limb.repair({ name: "m.xml", text }), /files are not repaired, URDF and limb YAML are/);
    assert.throws(() => limb.repair({ name: "m.urdf", text: "<robot" }), LimbError);
  });
});

describe("equations", () => {
  for (const name of ["planar_2r", "four_bar", "ur5"])
    it(name, () => {
      const robot = limb.load(name);
      for (const notation of ["text", "latex", "c"])
        assert.equal(robot.equations({ notation }), run("equations", name, "--format", notation));
      assert.equal(robot.equations({ what: "tau", numbers: true }), run("equations", name, "--what", "tau", "--numbers"));
      robot.free();
    });
  it("refuses what is too long to read", () => {
    const robot = limb.load("panda");
    assert.throws(() => robot.equations(), /more than 2000 terms/);
    assert.throws(() => robot.equations({ what: "MM" }), /what/);
    assert.throws(() => robot.equations({ notation: "word" }), /unknown notation 'word'; known: text, latex, c/);
    robot.free();
  });
});

describe("code", () => {
  // Texts differ from the tool's in the order of terms: candidates are compared by their rounding.
  it("compiles, and gives the digits of the library", () => {
    const robot = limb.load("scara");
    const { prefix, files, functions } = robot.codegen({ what: "tau,M,acc" });
    assert.deepEqual(
      files.map(({ name }) => name),
      [`${prefix}.c`, `${prefix}.h`, `${prefix}_test.c`],
    );
    for (const { name, text } of files) writeFileSync(join(folder, name), text);
    const program = join(folder, "check");
    execFileSync("cc", ["-o", program, ...files.filter(({ name }) => name.endsWith(".c")).map(({ name }) => name), "-lm"], {
      cwd: folder,
    });
    execFileSync(program); // compares with values of the library
    assert.deepEqual(
      functions.map(({ quantity }) => quantity),
      ["tau", "M", "acc"],
    );
    assert.ok(functions.every(({ difference, mul }) => difference < 1e-12 && mul > 0));
    robot.free();
  });
  it("is in six languages", () => {
    const robot = limb.load("planar_2r");
    const ending = { python: "py", matlab: "m", julia: "jl", rust: "rs", latex: "tex" };
    for (const [language, end] of Object.entries(ending)) {
      const { files } = robot.codegen({ language, effort: 0 });
      assert.deepEqual(
        files.map(({ name }) => name),
        [`planar_2r.${end}`],
      );
      run("codegen", "planar_2r", "--lang", language, "--effort", "0", "--output", folder);
      const lines = (text) => text.trim().split("\n").length;
      assert.equal(lines(files[0].text), lines(readFileSync(join(folder, files[0].name), "utf8")));
    }
    robot.free();
  });
  it("names what is wrong", () => {
    const robot = limb.load("scara");
    assert.throws(() => robot.codegen({ what: "tauu" }), /tauu/);
    assert.throws(() => robot.codegen({ language: "basic" }), /unknown language 'basic'/);
    assert.throws(() => robot.codegen({ lanes: 3 }), /lanes/);
    assert.ok(limb.codegenQuantities().some(({ name }) => name === "tau"));
    robot.free();
  });
});

describe("inverse dynamics of a table", () => {
  const cases = [
    ["ur5", "books/ur5.csv", ""],
    ["planar_2r", "books/planar_2r.csv", ""],
    ["four_bar", "books/four_bar.csv", ""],
    ["five_bar", "books/five_bar.csv", ""],
    ["gough_stewart", "books/gough_stewart.csv", ""],
    ["panda", "pick_and_place.csv", "--differentiate"],
  ];
  for (const [name, file, more] of cases)
    it(`${name} ${file} ${more}`, () => {
      const robot = limb.load(name);
      const expected = table(run("id", name, example(file), ...more.split(" ").filter(Boolean)));
      const motion = robot.inverseDynamics(readFileSync(example(file)), { differentiate: more !== "" });
      compare(expected, (column) => (column === "time" ? motion.time : motion.tau[column.slice(4)]));
      robot.free();
    });

  it("has the sizing table", () => {
    const robot = limb.load("panda");
    const file = example("pick_and_place.csv");
    const { sizing } = robot.inverseDynamics(readFileSync(file), { differentiate: true });
    const { dofs } = JSON.parse(run("id", "panda", file, "--differentiate", "--size", "--format", "json"));
    assert.equal(dofs.length, robot.nv);
    for (const x of dofs) {
      const here = sizing[x.name];
      compare(
        { rms: [x.rms_torque], peak: [x.peak_torque.value], speed: [x.peak_speed.value], limit: [x.torque_limit] },
        (name) =>
          [{ rms: here.torqueRms, peak: here.torque.value, speed: here.speed.value, limit: here.torqueLimit }[name]],
      );
    }
    robot.free();
  });

  it("reads wrenches", () => {
    const robot = limb.load("planar_2r");
    const head = "time,q.joint1,q.joint2,v.joint1,v.joint2,a.joint1,a.joint2,wrench.tip.fy\n";
    const text = `${head}0,0.1,0.2,0,0,0,0,5\n1,0.3,0.2,0,0,0,0,-2\n`;
    const file = join(folder, "wrench.csv");
    writeFileSync(file, text);
    const motion = robot.inverseDynamics(text);
    compare(table(run("id", "planar_2r", file)), (c) => (c === "time" ? motion.time : motion.tau[c.slice(4)]));
    robot.free();
  });

  it("names what is wrong", () => {
    const robot = limb.load("planar_2r");
    const good = "time,q.joint1,q.joint2,v.joint1,v.joint2,a.joint1,a.joint2\n";
    const wrong = (text, message, options) => assert.throws(() => robot.inverseDynamics(text, options), message);
    wrong("", /table\.csv/);
    wrong(good, /there are no rows/);
    wrong("time,q.joint1\n0,1\n", /1 of 2 columns q\. are missing, such as q\.joint2/);
    wrong("time,q.joint1,q.joint2\n0,1,1\n", /2 of 2 columns v\. are missing.*differentiate/);
    wrong(`${good}0,0,0,0,0,0,0\n0,0,0,0,0,0,0\n`, /table\.csv:3.*time 0 does not come after the 0/);
    wrong(`${good}0,0,x,0,0,0,0\n`, /table\.csv:2:\d+/);
    wrong(`${good}0,0,nan,0,0,0,0\n`, /table\.csv:2/);
    wrong(`${good.trim()},wrench.tipp.fx\n0,0,0,0,0,0,0,1\n`, /wrench\.tipp\.fx/);
    wrong("time,q.joint1,q.joint2\n0,1,1\n1,1,1\n", /rows/, { differentiate: true });
    const { notes } = robot.inverseDynamics(`${good.trim()},speed,tau.joint1\n0,0,0,0,0,0,0,1,2\n`);
    assert.match(notes.join("\n"), /'speed' is not used[^]*columns of results are not used: 1/);
    robot.free();
  });
});

describe("shapes", () => {
  const here = new URL("../../../test/io/shapes/", import.meta.url);
  const files = {
    "arm.urdf": readFileSync(new URL("arm.urdf", here)),
    "meshes/wedge.obj": readFileSync(new URL("meshes/wedge.obj", here)),
  };
  it("come with the triangles of their meshes", () => {
    const robot = limb.load({ name: "arm.urdf", files }, { shapes: true });
    const meshes = robot.shapes.filter(({ kind }) => kind === "mesh");
    assert.ok(meshes.length > 0 && robot.shapes.some(({ kind, size }) => kind !== "mesh" && size.every((x) => x >= 0)));
    assert.ok(robot.shapes.every(({ body }) => body < robot.bodies.length));
    const { positions, triangles, parts } = robot.meshes[meshes[0].mesh];
    assert.ok(triangles.length % 3 === 0 && triangles.every((corner) => 3 * corner < positions.length));
    assert.equal(parts.reduce((sum, { count }) => sum + 3 * count, 0), triangles.length);
    robot.free();
    assert.deepEqual(limb.load({ name: "arm.urdf", files }).shapes, []);
  });
  it("are missing with a finding", () => {
    const broken = { ...files, "meshes/wedge.obj": "f 1 2 9\n" };
    const robot = limb.load({ name: "arm.urdf", files: broken }, { shapes: true });
    assert.deepEqual(robot.meshes, [null]);
    assert.ok(robot.findings.some(({ text }) => /it is not shown/.test(text)));
    robot.free();
  });
});

describe("run files", () => {
  for (const name of ["panda", "car"])
    it(`simulates ${name}.run.yaml`, () => {
      const path = example(`gallery/${name}.run.yaml`);
      const text = readFileSync(path, "utf8");
      assert.equal(limb.run({ name: "x.run.yaml", text }).model, name);
      const robot = limb.load(name);
      const settings = { duration: 1, channels: "q,v", rate: 20 };
      const file = join(folder, "run.csv");
      execFileSync(
        tool,
        ["sim", path, "--duration", "1", "--channels", "q,v", "--rate", "20", "--output", file, "--quiet"],
        { cwd: folder, stdio: "ignore" },
      );
      const motion = robot.simulate(settings, text);
      compare(table(readFileSync(file, "utf8")), (c) => (c === "time" ? motion.time : motion.values[c]));
      robot.free();
    });
  it("says where a file is wrong", () => {
    assert.throws(() => limb.run({ name: "a.run.yaml", text: "schema: 1\nmodel: panda\nduratio: 3\n" }), /a\.run\.yaml:3:1/);
    const robot = limb.load("panda");
    assert.throws(() => robot.simulate({}, "schema: 1\nmodel: panda\nstart: {q: {elbow: 1}}\nduration: 1\n"), /elbow/);
    assert.throws(() => robot.simulate({}, "schema: 1\n&"), LimbError);
    robot.free();
  });
});
