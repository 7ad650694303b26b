// The page of `limb view`: a robot that the tool wrote into it, computed here by limb.wasm.
import { createLimb } from "../limb-wasm/index.js";
import { Figure } from "./figure.js";
import { addFindings, addSliders, addSwitches, showBody, slidable } from "./panel.js";
import { Stage } from "./stage.js";

const get = (id) => document.getElementById(id);

/** The module in this page: gzip in base 64. */
async function wasmBytes() {
  const packed = Uint8Array.from(atob(get("wasm").textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

function say(text) {
  get("status").textContent = text;
}

/** Light or dark: as the system, until the button says otherwise. */
function followTheme(change) {
  const system = matchMedia("(prefers-color-scheme: dark)"),
    button = get("theme");
  const apply = (dark) => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    button.setAttribute("aria-pressed", String(dark));
    change(dark ? "dark" : "light");
  };
  system.addEventListener("change", () => apply(system.matches));
  button.addEventListener("click", () => apply(button.getAttribute("aria-pressed") === "false"));
  apply(system.matches);
}

/** The direction across which everything lies in one plane; null: none. */
function flatNormal(robot) {
  const axes = robot.joints
    .filter((j) => j.nv > 0)
    .map((j) => (["revolute", "continuous"].includes(j.type) ? j.axis : null));
  const turning = axes.filter(Boolean);
  const alike = turning.every((a) => Math.hypot(...a.map((x, k) => Math.abs(x) - Math.abs(turning[0][k]))) < 1e-9);
  return turning.length === axes.length && turning.length > 1 && alike && robot.loops.length > 0
    ? turning[0].map(Math.abs)
    : null;
}

function open(robot, findings) {
  const { nv } = robot,
    zero = new Float64Array(nv);
  const gravity = robot.gravity,
    size = Math.hypot(...gravity);
  const up = size > 0 ? gravity.map((x) => -x / size) : [0, 0, 1];
  let q = robot.start();
  const stage = new Stage(get("stage"), up);
  const figure = new Figure(robot, robot.poses(q));
  stage.scene.add(figure.root);
  const evaluator = robot.evaluator("tau", { inputs: ["q", "v", "a"] });
  let theme = "light",
    grid = true,
    chosen = -1;

  const floor = Math.min(0, figure.lowest(up)); // below what hangs
  const drawGrid = () => stage.grid(figure.bounds().radius, floor, grid, theme);
  const whole = () => {
    const { centre, radius } = figure.bounds();
    stage.frame(centre, radius, flatNormal(robot));
  };
  const hold = () => {
    try {
      return evaluator.run({ q, v: zero, a: zero }).tau;
    } catch {
      return null; // a singular configuration
    }
  };
  const choose = (i) => {
    chosen = i;
    figure.choose(i);
    get("body").value = String(i);
    if (i < 0) get("details").replaceChildren();
    else showBody(get("details"), robot, i, robot.poses(q).subarray(12 * i, 12 * i + 12));
    const name = i < 0 ? null : robot.bodies[i].name;
    const joint = i < 0 ? null : robot.joints[robot.bodies[i].joint]?.name;
    addFindings(
      get("body-findings"),
      findings.filter((f) => [name, joint].some((x) => x && f.where.includes(`'${x}'`))),
    );
    stage.draw();
  };
  const named = (i) => (i >= 0 && robot.bodies[i].standsFor >= 0 ? robot.bodies[i].standsFor : i);
  const sliders = slidable(robot);
  const show = addSliders(get("joints"), sliders, robot.loops.length > 0, (s, position) => {
    const moved = robot.move(q, s.k, position);
    say(moved.reached ? "" : `${s.name}: the loops do not close beyond ${moved.q[s.at].toPrecision(4)} ${s.unit}`);
    set(moved.q);
  });
  function set(next) {
    q = Float64Array.from(next);
    figure.move(robot.poses(q));
    show(q, hold());
    if (chosen >= 0) choose(chosen);
    stage.draw();
  }

  get("name").textContent = document.title = robot.name || robot.source;
  const moving = robot.joints.filter((joint) => joint.nv > 0).length;
  get("facts").textContent = `${moving} moving joints, ${nv} velocities, ${Number(robot.mass.toPrecision(4))} kg`;
  get("body").append(new Option("none", "-1"));
  robot.bodies.forEach((body, i) => {
    if (body.standsFor < 0) get("body").append(new Option(body.name, String(i)));
  });
  get("body").addEventListener("change", () => choose(Number(get("body").value)));
  addFindings(get("findings"), findings, "none: nothing is wrong or doubtful");
  const part = (kind) => (on) => (figure.toggle(kind, on), stage.draw());
  addSwitches(get("look"), [
    ["Boxes of mass and inertia", true, part("solids")],
    ["Transparent", false, (on) => (figure.transparent(on), stage.draw())],
    ["Centres of mass", false, part("centres")],
    ["Axes of joints", false, part("axes")],
    ["Frames of bodies", false, part("frames")],
    ...(robot.loops.length > 0 ? [["Closures", true, part("closures")]] : []),
    ["Grid", true, (on) => ((grid = on), drawGrid())],
  ]);
  get("start").addEventListener("click", () => (say(""), set(robot.start())));
  get("home").addEventListener("click", whole);
  stage.onPick(
    () => figure.groups,
    (object) => choose(object ? named(figure.bodyOf(object)) : -1),
  );
  followTheme((next) => {
    theme = next;
    stage.theme(next);
    drawGrid();
  });
  choose(-1);
  set(q);
  whole();
  return {
    robot,
    set,
    get q() {
      return q;
    },
    poses: () => robot.poses(q),
    sliders,
    choose,
  };
}

try {
  const data = JSON.parse(get("robot").textContent);
  if (!data) throw new Error("this page has no robot: limb view MODEL writes one with a robot in it");
  const limb = await createLimb(await wasmBytes());
  const robot = limb.load({ name: "robot.limb.yaml", text: data.model }, { doctor: false });
  globalThis.limbView = open(robot, data.findings);
  document.documentElement.dataset.ready = "yes";
} catch (error) {
  say(error.message);
  document.documentElement.dataset.ready = "failed";
}
