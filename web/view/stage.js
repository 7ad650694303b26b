// The stage: camera, lights, controls, and drawing when something has changed.
import {
  Color,
  DirectionalLight,
  GridHelper,
  HemisphereLight,
  PerspectiveCamera,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

const COLOURS = {
  light: { back: 0xf4f6f7, grid: 0xc9d2d9, sky: 0xffffff, ground: 0x8f9aa3 },
  dark: { back: 0x12181d, grid: 0x2d3942, sky: 0xdfe9f0, ground: 0x30383e },
};

export class Stage {
  #element;
  #renderer;
  #controls;
  #sky = new HemisphereLight(0xffffff, 0x8f9aa3, 1.6);
  #sun = new DirectionalLight(0xffffff, 2.2);
  #grid = null;
  #waiting = false;
  #up;

  /** @param {HTMLElement} element @param {number[]} up */
  constructor(element, up) {
    this.#element = element;
    this.#up = new Vector3(...up);
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(40, 1, 0.01, 1000);
    this.camera.up.copy(this.#up);
    this.#renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.#renderer.shadowMap.enabled = true;
    this.#renderer.domElement.setAttribute("aria-hidden", "true");
    element.append(this.#renderer.domElement);
    this.#controls = new OrbitControls(this.camera, this.#renderer.domElement);
    this.#controls.listenToKeyEvents(element);
    this.#controls.addEventListener("change", () => this.draw());
    this.#sun.castShadow = true;
    this.#sun.shadow.mapSize.set(1024, 1024);
    this.#sun.shadow.bias = -0.0005;
    this.scene.add(this.#sky, this.#sun, this.#sun.target);
    new ResizeObserver(() => this.#resize()).observe(element);
    this.#resize();
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.#element;
    if (width === 0 || height === 0) return;
    this.#renderer.setPixelRatio(Math.min(2, globalThis.devicePixelRatio));
    this.#renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  /** Draws before the next frame. */
  draw() {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.#renderer.render(this.scene, this.camera);
    });
  }

  /** Two directions across `up`. */
  #across() {
    const side = Math.abs(this.#up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    const a = side.addScaledVector(this.#up, -side.dot(this.#up)).normalize();
    return [a, new Vector3().crossVectors(this.#up, a)];
  }

  /** Shows a sphere as a whole. flat: a direction to look along, of planar robots; null: none. */
  frame(centre, radius, flat) {
    const [a, b] = this.#across();
    const from = flat
      ? new Vector3(...flat)
      : a.clone().multiplyScalar(0.75).addScaledVector(b, -0.85).addScaledVector(this.#up, 0.5);
    const distance = (1.15 * radius) / Math.sin(((this.camera.fov / 2) * Math.PI) / 180);
    this.#controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(from.normalize(), distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 50;
    this.camera.updateProjectionMatrix();
    this.#sun.position
      .copy(centre)
      .addScaledVector(this.#up, 3 * radius)
      .addScaledVector(a, 1.5 * radius)
      .addScaledVector(b, -radius);
    this.#sun.target.position.copy(centre);
    const box = this.#sun.shadow.camera;
    [box.left, box.right, box.bottom, box.top] = [-radius, radius, -radius, radius].map((x) => 1.5 * x);
    [box.near, box.far] = [0.1 * radius, 8 * radius];
    box.updateProjectionMatrix();
    this.#controls.update();
    this.draw();
  }

  /** A grid across `up`, at a height. */
  grid(size, height, visible, theme) {
    if (this.#grid) (this.scene.remove(this.#grid), this.#grid.dispose());
    this.#grid = null;
    if (visible) {
      const step = 10 ** Math.floor(Math.log10(size));
      const cells = 2 * Math.ceil((2 * size) / step);
      this.#grid = new GridHelper(cells * step, cells, COLOURS[theme].grid, COLOURS[theme].grid);
      this.#grid.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), this.#up);
      this.#grid.position.copy(this.#up).multiplyScalar(height);
      this.scene.add(this.#grid);
    }
    this.draw();
  }

  /** @param {"light" | "dark"} theme */
  theme(theme) {
    const c = COLOURS[theme];
    this.scene.background = new Color(c.back);
    this.#sky.color.set(c.sky);
    this.#sky.groundColor.set(c.ground);
    this.draw();
  }

  /** Calls back with the first object under a click, or null. */
  onPick(objects, pick) {
    const canvas = this.#renderer.domElement;
    let down = null;
    canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    canvas.addEventListener("pointerup", (event) => {
      if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
      const place = canvas.getBoundingClientRect();
      const x = (2 * (event.clientX - place.left)) / place.width - 1;
      const y = 1 - (2 * (event.clientY - place.top)) / place.height;
      const ray = new Raycaster();
      ray.setFromCamera(new Vector2(x, y), this.camera);
      pick(ray.intersectObjects(objects(), true)[0]?.object ?? null);
    });
  }
}
