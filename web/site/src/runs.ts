// Run files to start from: examples, and a free fall or a hold for any other robot.
import car from "../runs/car.run.yaml?raw";
import fourBar from "../runs/four_bar.run.yaml?raw";
import panda from "../runs/panda.run.yaml?raw";
import type { Model } from "./model.js";

export const RUNS = [
  { title: "Panda, computed torque at 1 kHz", model: "panda", text: panda },
  { title: "Four-bar that a spring unfolds", model: "four_bar_spring", text: fourBar },
  { title: "Car drives a figure of eight", model: "car", text: car },
];

const FREE = `schema: 1
title: Motion without motors
model: MODEL
duration: 5 s
# start: {q: {JOINT: 45deg}}
# inputs: {torques: {JOINT: 2 Nm * sin(2*pi*t)}}
# controller: {type: pd_gravity, kp: 100, kd: 20}
solver: {method: rk4, step: 1 ms}
`;

/** For a robot that was opened: it moves as its weight decides. */
export function ownRun({ robot, opened }: Model): string {
  const model = JSON.stringify(opened.builtIn ? opened.name.replace(".limb.yaml", "") : opened.name);
  const free = FREE.replace("MODEL", () => model);
  const name = robot?.velocities.find(({ joint }) => !robot.joints[joint]!.passive)?.name ?? robot?.velocities[0]?.name;
  return name && /^[\w.]+$/.test(name) ? free.replaceAll("JOINT", name) : free;
}
