// Dragging a frame: a gizmo at it, and inverse kinematics of limb.wasm that the robot follows.
import { Object3D, Vector3 } from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import { button, check, choice, element } from "./dom.js";
import { frameChoices, frameMatrix } from "./marks.js";

export class Drag {
  #view;
  #frame = -1;
  #ik = null;
  #turn = false;
  #handle = new Object3D();
  #gizmo = null;
  #helper = null;
  #dragging = false;
  #note = element("p", { className: "lv-note", role: "status" });

  constructor(view) {
    this.#view = view;
    view.addEventListener("change", () => this.#follow());
  }

  controls() {
    const { robot } = this.#view;
    const frames = frameChoices(robot).map(([name, i]) => [name, String(i)]);
    const { select, row } = choice("Frame", [["none", "-1"], ...frames], (value) => this.grab(Number(value)));
    this.select = select;
    return [
      element("p", {
        className: "lv-note",
        textContent: "Drag the arrows: the robot follows within its limits, loops stay closed, a free base stays.",
      }),
      row,
      check("Keep its direction", false, (on) => ((this.#turn = on), this.#open())).row,
      element(
        "div",
        { className: "lv-buttons" },
        button("Move", () => this.#mode("translate")),
        button("Turn", () => this.#mode("rotate")),
      ),
      this.#note,
    ];
  }

  /** Puts the gizmo on a frame; -1: none. */
  grab(frame) {
    this.#frame = frame;
    if (this.select) this.select.value = String(frame);
    this.#open();
    if (!this.#gizmo && frame >= 0) this.#make();
    if (this.#helper) this.#helper.visible = frame >= 0;
    if (this.#gizmo) this.#gizmo.enabled = frame >= 0;
    this.#note.textContent = "";
    this.#follow();
    this.#view.stage.draw();
  }

  #make() {
    const { stage } = this.#view;
    this.#gizmo = new TransformControls(stage.camera, stage.canvas);
    this.#gizmo.setSize(0.8);
    this.#gizmo.attach(this.#handle);
    this.#helper = this.#gizmo.getHelper();
    this.#helper.traverse((part) => (part.userData.untouchable = true));
    this.#gizmo.addEventListener("change", () => stage.draw());
    this.#gizmo.addEventListener("dragging-changed", ({ value }) => {
      this.#dragging = value;
      stage.holdCamera(value);
      this.#follow();
    });
    this.#gizmo.addEventListener("objectChange", () => this.#solve());
    stage.scene.add(this.#handle, this.#helper);
  }

  #mode(mode) {
    this.#gizmo?.setMode(mode);
    if (mode === "rotate" && !this.#turn) {
      this.#turn = true;
      this.#open();
    }
    this.#view.stage.draw();
  }

  #open() {
    this.#ik?.free();
    this.#ik = null;
    if (this.#frame >= 0) this.#ik = this.#view.robot.ik(this.#frame, { rotation: this.#turn });
  }

  /** The gizmo goes with its frame, unless it is what moves the frame. */
  #follow() {
    if (this.#frame < 0 || this.#dragging) return;
    const matrix = frameMatrix(this.#view.robot, this.#view.poses(), this.#frame);
    matrix.decompose(this.#handle.position, this.#handle.quaternion, new Vector3());
  }

  /** Moves the frame towards a position, and with `rotation` to that direction; what was reached. */
  moveTo(position, rotation = null) {
    const R = rotation ?? this.#rotation();
    const { reached, q, reason } = this.#ik.solve(position, R, this.#view.q);
    this.#note.textContent = reached ? "" : reason;
    this.#view.pause();
    this.#view.set(q);
    return reached;
  }

  /** Of the gizmo, row by row. */
  #rotation() {
    this.#handle.updateMatrix();
    const m = this.#handle.matrix.elements;
    return [m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10]];
  }

  #solve() {
    this.moveTo(this.#handle.position.toArray());
  }

  destroy() {
    this.#ik?.free();
    this.#gizmo?.dispose();
  }
}
