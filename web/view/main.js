// The page of `limb view`: a robot that the tool wrote into it, computed here by limb.wasm.
import { createLimb } from "../limb-wasm/index.js";
import { follow } from "./live.js";
import { bytesOf, doublesOf, meshOf, unpacked } from "./pack.js";
import { mountView } from "./view.js";

const get = (id) => document.getElementById(id);

/** The module in this page: gzip in base 64. */
async function wasmBytes() {
  const stream = new Blob([bytesOf(get("wasm").textContent)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** Meshes of the page; null for those that the tool left out. */
async function meshes(list) {
  return Promise.all(list.map(async (mesh) => mesh && meshOf(mesh, await unpacked(mesh.bytes, mesh.compressed))));
}

/** The motion of the page: an array per kind of number. */
async function motion(data) {
  const all = {};
  for (const [name, { bytes, compressed }] of Object.entries(data.arrays))
    all[name] = doublesOf(await unpacked(bytes, compressed));
  const { time, q, v, a, tau, ...others } = all;
  const curves = (data.curves ?? []).map(({ name, unit, array }) => ({ name, unit, values: others[array] }));
  const wrenches = (data.wrenches ?? []).map(({ body, at, force }) => ({ body, at: others[at], force: others[force] }));
  return { time, q, v, a, tau, events: data.events, curves, wrenches };
}

/** Shapes, whose bodies the tool names. */
function shapes(list, robot) {
  const bodies = new Map(robot.bodies.map(({ name }, i) => [name, i]));
  return list.flatMap(({ body, p, R, ...others }) =>
    bodies.has(body) ? [{ ...others, body: bodies.get(body), pose: { p, R } }] : [],
  );
}

async function open() {
  const data = JSON.parse(get("robot").textContent);
  if (!data) throw new Error("this page has no robot: limb view MODEL writes one with a robot in it");
  const limb = await createLimb(await wasmBytes());
  const robot = limb.load({ name: "robot.limb.yaml", text: data.model }, { doctor: false });
  const view = mountView(get("view"), robot, {
    findings: data.findings,
    title: data.title ?? undefined,
    shapes: shapes(data.shapes ?? [], robot),
    meshes: await meshes(data.meshes ?? []),
    motion: data.motion ? await motion(data.motion) : undefined,
    ...data.options,
  });
  document.title = view.title;
  if (data.live) view.live = follow(view, data.live);
  if (data.motion) view.player.resume();
  return view;
}

try {
  globalThis.limbView = await open(); // for tests and for the console
  document.documentElement.dataset.ready = "yes";
} catch (error) {
  get("view").textContent = error.message;
  document.documentElement.dataset.ready = "failed";
}
