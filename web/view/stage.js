// The stage: camera, lights, ground, controls, and drawing when something has changed.
import {
  Color,
  DirectionalLight,
  DoubleSide,
  HemisphereLight,
  Mesh,
  NeutralToneMapping,
  PCFShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  Raycaster,
  Scene,
  ShaderMaterial,
  ShadowMaterial,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

const COLOURS = {
  light: { back: 0xf3f5f7, line: 0x8696a3, shadow: 0.26, sky: 0xffffff, ground: 0xa9a39b, ambient: 2.6 },
  dark: { back: 0x14191e, line: 0x6d7f8d, shadow: 0.5, sky: 0xdfe9f5, ground: 0x4d4a46, ambient: 2.1 },
};

// Lines of a grid whose cells are `step` wide, every tenth stronger; they fade away from the centre, and where they
// would be thinner than a pixel.
const GRID = {
  vertexShader: `varying vec2 at;
    void main() { at = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
  fragmentShader: `uniform vec3 colour; uniform float step, reach; varying vec2 at;
    float lines(float cell) {
      vec2 x = at / cell, width = fwidth(x), d = abs(fract(x - 0.5) - 0.5) / max(width, 1e-6);
      return (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.2, 0.6, max(width.x, width.y)));
    }
    void main() {
      float fade = 1.0 - smoothstep(0.35, 1.0, length(at) / reach);
      gl_FragColor = vec4(colour, fade * max(0.32 * lines(step), 0.6 * lines(10.0 * step)));
      #include <colorspace_fragment>
    }`,
};

export class Stage {
  #element;
  #renderer;
  #controls;
  // No environment map: its shaders alone take seconds to compile where there is no graphics processor.
  #sky = new HemisphereLight();
  #sun = new DirectionalLight(0xfffaf2, 1.9);
  #rim = new DirectionalLight(0xe8f1ff, 0.7); // from behind, so that edges stand out
  #head = new DirectionalLight(0xffffff, 0.6); // from the eye, for what is black
  #grid = null;
  #floor = null;
  #waiting = false;
  #theme = "light";
  #up;
  #watch;
  #stopped = false;
  /** Called before each drawing. @type {Set<(now: number) => void>} */
  before = new Set();

  /** @param {HTMLElement} element @param {number[]} up */
  constructor(element, up) {
    this.#element = element;
    this.#up = new Vector3(...up);
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(36, 1, 0.01, 1000);
    this.camera.up.copy(this.#up);
    this.#renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.#renderer.shadowMap.enabled = true;
    this.#renderer.shadowMap.type = PCFShadowMap;
    this.#renderer.toneMapping = NeutralToneMapping;
    this.canvas = this.#renderer.domElement;
    this.canvas.setAttribute("aria-hidden", "true");
    element.append(this.canvas);
    this.#light();
    this.#controls = new OrbitControls(this.camera, this.canvas);
    this.#controls.listenToKeyEvents(element);
    this.#controls.addEventListener("change", () => this.draw());
    this.#watch = new ResizeObserver(() => this.#resize());
    this.#watch.observe(element);
    this.#resize();
  }

  #light() {
    this.#sun.castShadow = true;
    this.#sun.shadow.mapSize.set(2048, 2048);
    this.#sun.shadow.radius = 4;
    this.#sky.position.copy(this.#up); // where the sky is
    this.scene.add(this.#sky, this.#sun, this.#sun.target, this.#rim, this.#rim.target, this.camera);
    this.camera.add(this.#head);
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
    if (this.#waiting || this.#stopped) return;
    this.#waiting = true;
    requestAnimationFrame((now) => {
      this.#waiting = false;
      if (!this.#stopped) this.drawNow(now);
    });
  }

  /** Draws at once: for recordings. */
  drawNow(now = 0) {
    for (const work of this.before) work(now);
    this.#renderer.render(this.scene, this.camera);
  }

  /** What the last drawing was: triangles and calls, those of the shadows included. */
  get drawn() {
    return this.#renderer.info.render;
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
      : a.clone().multiplyScalar(0.75).addScaledVector(b, -0.85).addScaledVector(this.#up, 0.42);
    const half = ((this.camera.fov / 2) * Math.PI) / 180;
    const distance = (1.08 * radius) / Math.sin(Math.min(half, Math.atan(Math.tan(half) * this.camera.aspect)));
    this.#controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(from.normalize(), distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 50;
    this.camera.updateProjectionMatrix();
    this.#controls.maxDistance = 20 * distance;
    this.#aim(centre, radius, a, b);
    this.#controls.update();
    this.draw();
  }

  #aim(centre, radius, a, b) {
    this.#sun.position
      .copy(centre)
      .addScaledVector(this.#up, 3 * radius)
      .addScaledVector(a, 1.3 * radius)
      .addScaledVector(b, -1.6 * radius);
    this.#sun.target.position.copy(centre);
    this.#rim.target.position.copy(centre);
    this.#rim.position.copy(centre).addScaledVector(this.#up, 1.2 * radius).addScaledVector(a, -2 * radius).addScaledVector(b, 2 * radius);
    const box = this.#sun.shadow.camera;
    [box.left, box.right, box.bottom, box.top] = [-radius, radius, -radius, radius].map((x) => 1.6 * x);
    [box.near, box.far] = [0.1 * radius, 9 * radius];
    box.updateProjectionMatrix();
    this.#sun.shadow.normalBias = 0.006 * radius;
    this.#sun.shadow.needsUpdate = true;
  }

  /** A grid that catches shadows, across `up` at a height; visible: what of it is shown. */
  ground(radius, height, visible) {
    for (const part of [this.#grid, this.#floor]) {
      part?.removeFromParent();
      part?.geometry.dispose();
      part?.material.dispose();
    }
    const reach = 6 * radius,
      plane = new PlaneGeometry(2 * reach, 2 * reach);
    const uniforms = {
      colour: { value: new Color() },
      step: { value: 10 ** Math.floor(Math.log10(radius)) / (radius / 10 ** Math.floor(Math.log10(radius)) < 3 ? 2 : 1) },
      reach: { value: reach },
    };
    this.#grid = new Mesh(
      plane,
      new ShaderMaterial({ ...GRID, uniforms, transparent: true, depthWrite: false, side: DoubleSide }),
    );
    this.#floor = new Mesh(plane.clone(), new ShadowMaterial());
    this.#floor.receiveShadow = true;
    this.#floor.material.depthWrite = false;
    for (const [k, part] of [this.#floor, this.#grid].entries()) {
      part.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), this.#up);
      part.position.copy(this.#up).multiplyScalar(height - 0.001 * radius * k);
      part.renderOrder = -2 + k;
      part.visible = visible;
      part.userData.scenery = true;
      this.scene.add(part);
    }
    this.theme(this.#theme);
  }

  showGround(visible) {
    for (const part of [this.#grid, this.#floor]) if (part) part.visible = visible;
    this.draw();
  }

  shadows(on) {
    this.#sun.castShadow = on;
    this.draw();
  }

  /** @param {"light" | "dark"} theme */
  theme(theme) {
    const c = COLOURS[theme];
    this.#theme = theme;
    this.scene.background = new Color(c.back);
    this.#sky.color.set(c.sky);
    this.#sky.groundColor.set(c.ground);
    this.#sky.intensity = c.ambient;
    this.#grid?.material.uniforms.colour.value.set(c.line);
    if (this.#floor) this.#floor.material.opacity = c.shadow;
    this.draw();
  }

  /** While something else is dragged, the camera stays. */
  holdCamera(on) {
    this.#controls.enabled = !on;
  }

  /** Calls back with the first object under a click, or null. */
  onPick(objects, pick) {
    let down = null;
    this.canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    this.canvas.addEventListener("pointerup", (event) => {
      if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
      const place = this.canvas.getBoundingClientRect();
      const x = (2 * (event.clientX - place.left)) / place.width - 1;
      const y = 1 - (2 * (event.clientY - place.top)) / place.height;
      const ray = new Raycaster();
      ray.setFromCamera(new Vector2(x, y), this.camera);
      pick(ray.intersectObjects(objects(), true).find(({ object }) => shown(object))?.object ?? null);
    });
  }

  destroy() {
    this.#stopped = true;
    this.#watch.disconnect();
    this.#controls.dispose();
    this.scene.traverse((part) => {
      part.geometry?.dispose();
      for (const material of [part.material].flat()) material?.dispose?.();
    });
    this.#renderer.dispose();
    this.canvas.remove();
  }
}

/** Whether an object and all that it hangs on is visible: rays also hit what is hidden. */
function shown(object) {
  for (let at = object; at; at = at.parent) if (!at.visible || at.userData.untouchable) return false;
  return true;
}
