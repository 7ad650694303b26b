// limb.wasm against the tool: quantities of all built-in robots, simulations, messages; and what users can get wrong.
//   LIMB_WASM=build/wasm/web/limb.wasm LIMB_TOOL=build/release/limb node --test web/limb-wasm/test
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createLimb, LimbError } from "../index.js";

const tool = process.env.LIMB_TOOL ?? "build/release/limb";
const bytes = readFileSync(process.env.LIMB_WASM ?? "build/wasm/web/limb.wasm");
const limb = await createLimb(bytes);
const folder = mkdtempSync(join(tmpdir(), "limb-wasm-"));
after(() => rmSync(folder, { recursive: true }));

const run = (...words) => execFileSync(tool, words, { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });

/** A table of the tool: names of columns, rows of numbers. */
function table(text) {
  const [head, ...lines] = String(text).trim().split("\n");
  return { names: head.split(","), rows: lines.map((line) => line.split(",").map(Number)) };
}

/** The largest difference, relative to the largest number, or to 1 if that is smaller. */
function difference(a, b) {
  assert.equal(a.length, b.length);
  const size = a.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
  return a.reduce((most, x, k) => Math.max(most, Math.abs(x - b[k])), 0) / size;
}

/** A short run that moves every robot: its first motor pushes. */
function push(robot) {
  const motor = robot.velocities.find(({ joint }) => !robot.joints[joint].passive) ?? robot.velocities[0];
  return { duration: 0.05, method: "rk4", step: 0.001, rate: 100, torque: { [motor.name]: "0.1+0.3*sin(9*t)" } };
}
const options = (settings) =>
  Object.entries(settings).flatMap(([name, value]) => [
    `--${name}`,
    typeof value === "object"
      ? Object.entries(value)
          .map(([key, x]) => `'${key}'=${x}`)
          .join(",")
      : String(value),
  ]);

describe("the digits of the tool", () => {
  const names = limb.robots().map(({ name }) => name);
  it("has all built-in robots", () => {
    const { models } = JSON.parse(run("models", "--format", "json"));
    assert.deepEqual(
      names,
      models.map(({ name }) => name),
    );
  });

  for (const name of names) {
    it(name, () => {
      const robot = limb.load(name);
      const long = robot.nv > 100;
      const settings = { ...push(robot), channels: "q,v,a,tau", ...(long && { duration: 0.002, rate: 1000 }) };
      const states = join(folder, `${name}.csv`);
      run("sim", name, ...options(settings), "--output", states, "--quiet");
      const native = table(readFileSync(states));
      const here = robot.simulate(settings);
      assert.deepEqual(native.names, ["time", ...here.columns.map((column) => column.name)]);
      assert.equal(native.rows.length, here.time.length);
      const last = native.rows.at(-1);
      const end = [here.time.at(-1), ...here.columns.map((column) => here.values[column.name].at(-1))];
      assert.ok(difference(last, end) < 1e-9, `end of the simulation: ${difference(last, end)}`);

      const tip = robot.bodies.at(-1).name;
      const what = long ? ["tau", "energy"] : ["tau", "acc", "M", "h", "energy", "com", "momentum", "reactions"];
      if (!long) what.push(`pose.${tip}`, `J.${tip}`);
      const expected = table(run("eval", name, "--states", states, "--what", what.join(","), "--format", "csv"));
      const evaluator = robot.evaluator(what);
      const { nq, nv } = robot;
      expected.rows.forEach((row, k) => {
        const from = native.rows[k];
        const part = (first, count) => from.slice(1 + first, 1 + first + count);
        const state = { q: part(0, nq), v: part(nq, nv), a: part(nq + nv, nv), tau: part(nq + 2 * nv, nv) };
        const result = evaluator.run({ ...state, time: from[0] });
        let at = 1;
        for (const item of evaluator.items) {
          const off = difference(row.slice(at, (at += item.size)), [...result[item.name]]);
          assert.ok(off < (long ? 1e-9 : 1e-12), `${item.name} in row ${k}: ${off}`);
        }
        assert.equal(at, row.length);
      });
      evaluator.free();
      robot.free();
    });
  }
});

describe("loading", () => {
  const arm = `<robot name="arm"><link name="base"/><link name="upper"><inertial><mass value="2"/>
    <origin xyz="0 0 0.5"/><inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="hinge" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/></joint></robot>`;

  it("reads a text", () => {
    const robot = limb.load({ name: "arm.urdf", text: arm });
    assert.equal(robot.name, "arm");
    const hinge = robot.joints.find(({ name }) => name === "hinge");
    assert.deepEqual([hinge.min, hinge.max, hinge.maxEffort], [-1, 2, 10]);
    const { tau } = robot.quantities("tau", { q: [0.3], v: [0], a: [0] });
    assert.ok(Math.abs(tau[0] + 2 * 9.81 * 0.5 * Math.sin(0.3)) < 1e-12);
    robot.free();
  });

  it("reads a model of several files", () => {
    const files = {
      "scene/robot.xml": `<mujoco model="m"><include file="parts/arm.xml"/></mujoco>`,
      "scene/parts/arm.xml": `<mujoco><worldbody><body name="b"><joint name="j" axis="0 1 0"/>
        <inertial pos="0 0 1" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>`,
    };
    const robot = limb.load({ name: "scene/robot.xml", files });
    assert.deepEqual(
      robot.velocities.map(({ name }) => name),
      ["j"],
    );
    robot.free();
  });

  it("has the findings of the doctor", () => {
    const sick = readFileSync(new URL("../../../examples/sick_arm.urdf", import.meta.url));
    const path = new URL("../../../examples/sick_arm.urdf", import.meta.url).pathname;
    let text;
    try {
      text = run("check", path, "--format", "json");
    } catch (error) {
      text = error.stdout; // exit code 1: there are findings
    }
    const [checked] = JSON.parse(text).files ?? JSON.parse(text).models ?? [JSON.parse(text)];
    const key = ({ rule, line, where }) => `${line} ${rule} ${where}`;
    let findings;
    try {
      const robot = limb.load({ name: "sick_arm.urdf", files: { "sick_arm.urdf": sick } });
      findings = robot.findings;
      robot.free();
    } catch (error) {
      findings = error.findings;
    }
    assert.ok(findings.length > 0);
    assert.deepEqual(findings.map(key).sort(), checked.findings.map(key).sort());
  });

  it("says where a text is wrong", () => {
    assert.throws(
      () => limb.load({ name: "arm.urdf", text: arm.replace("</robot>", "") }),
      (error) => {
        assert.ok(error instanceof LimbError);
        assert.match(error.message, /^arm\.urdf:\d+:\d+: .*not well-formed XML/);
        assert.equal(error.findings[0].severity, "error");
        return true;
      },
    );
  });

  it("opens no file outside", () => {
    assert.throws(() => limb.load("/etc/passwd"), /no such file/);
    assert.throws(() => limb.load({ name: "../../etc/passwd", text: arm }), /path/);
    assert.throws(() => limb.load(""), LimbError);
  });

  it("survives texts cut off anywhere", () => {
    for (let size = 0; size < arm.length; size += 9) {
      assert.throws(() => limb.load({ name: "arm.urdf", text: arm.slice(0, size) }), LimbError);
    }
  });
});

describe("mistakes", () => {
  let robot;
  before(() => (robot = limb.load("panda")));
  const zeros = new Float64Array(7);

  it("names what is wrong", () => {
    assert.throws(() => robot.quantities("tauu", { q: zeros }), /there is no quantity 'tauu'; did you mean 'tau'/);
    assert.throws(() => robot.quantities("M", { q: [1, 2] }), /q has 2 numbers; the robot needs 7/);
    assert.throws(() => robot.quantities("M", { q: [NaN, 0, 0, 0, 0, 0, 0] }), /not finite/);
    assert.throws(() => robot.quantities("tau", { q: zeros }), /tau/);
    assert.throws(() => robot.simulate({ durration: 1 }), /durration/);
    assert.throws(() => robot.simulate({ duration: 1, torque: { elbw: 1 } }), /elbw/);
    assert.throws(() => limb.load("panda", { base: "flying" }), /unknown base 'flying'; known: as-file, fixed/);
  });

  it("goes on after failures", () => {
    const { energy } = robot.quantities("energy", { q: zeros, v: zeros });
    assert.equal(energy.length, 4);
  });

  it("refuses what was freed", () => {
    const other = limb.load("ur5");
    other.free();
    other.free();
    assert.throws(() => other.start(), /was freed/);
  });

  it("gives memory back", () => {
    const use = () => {
      const other = limb.load("quadruped");
      other.simulate({ duration: 0.002, method: "rk4" });
      other.quantities("all", { q: other.start() });
      other.free();
    };
    for (let i = 0; i < 3; i++) use();
    const size = limb.memoryBytes;
    for (let i = 0; i < 20; i++) use();
    assert.equal(limb.memoryBytes, size);
  });
});

describe("the package", () => {
  it("runs the program of its README", async () => {
    const text = readFileSync(new URL("../README.md", import.meta.url), "utf8").match(/```js\n([^]*?)```/)[1];
    const program = text
      .replace(/^import.*$/m, "")
      .replace("createLimb()", "createLimb(bytes)")
      .replaceAll("console.log", "log");
    const printed = [];
    const AsyncFunction = (async () => {}).constructor;
    await new AsyncFunction("createLimb", "bytes", "log", program)(createLimb, bytes, (...words) =>
      printed.push(...words),
    );
    assert.equal(printed.length, 3);
    assert.ok(Math.abs(printed[0]) > 1 && printed.every(Number.isFinite));
  });
});

describe("moving", () => {
  it("keeps loops closed", () => {
    const robot = limb.load("four_bar");
    let q = robot.start();
    for (const goal of [0.8, 1.4, 2.5, 0.1]) {
      const moved = robot.move(q, "theta1", goal);
      assert.ok(moved.reached);
      assert.ok(Math.abs(moved.q[0] - goal) < 1e-12);
      q = moved.q;
      const gap = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));
      const { "position.coupler": coupler } = robot.quantities("position.coupler", { q });
      assert.ok(gap([...coupler], [0.35 * Math.cos(goal), 0.35 * Math.sin(goal), 0]) < 1e-12);
      robot.quantities("M", { q }); // would refuse an open loop
    }
    robot.free();
  });

  it("stops where the branch ends", () => {
    const robot = limb.load("slider_crank");
    const names = robot.velocities.map(({ name }) => name);
    const slider = robot.velocities.findIndex(({ joint }) => robot.joints[joint].type === "prismatic");
    const { reached, q } = robot.move(robot.start(), slider, 100);
    assert.equal(reached, false, names.join());
    robot.quantities("M", { q });
    robot.free();
  });
});
