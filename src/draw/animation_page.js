'use strict';
(() => {
const $ = id => document.getElementById(id);
const S = JSON.parse($('scene').textContent);
const D = S.space ? 3 : 2, N = S.points, F = S.frames;
// Positions: 16-bit integers, low byte first, frame by frame, point by point.
const bytes = Uint8Array.from(atob(S.data), c => c.charCodeAt(0));
const raw = new DataView(bytes.buffer);
const value = (frame, i) =>
  S.low[i % D] + S.unit * raw.getUint16(2 * (frame * N * D + i), true);
const canvas = $('stage'), g = canvas.getContext('2d');
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const LIGHT = { page: '#fff', ink: '#17202b', soft: '#5b6573', grid: '#e3e7ec',
  ground: '#7d8896', pad: '#d5dae1', shadow: 'rgba(23,32,43,.09)', closure: '#d9730d',
  trace: '#c43d5b', core: '#1f5fa6', axes: ['#c0392b', '#2e8b57', '#2b65c4'],
  tones: ['#173f73', '#1f5fa6', '#2980c0', '#2b9cb8', '#2fae9f', '#45b37e'] };
const DARK = { page: '#12171e', ink: '#eef2f6', soft: '#9aa7b6', grid: '#28303a',
  ground: '#8794a3', pad: '#39434f', shadow: 'rgba(0,0,0,.4)', closure: '#ffab52',
  trace: '#ff7d98', core: '#63b4ee', axes: ['#ff7b6b', '#62d394', '#7fb0ff'],
  tones: ['#6fa5e6', '#63b4ee', '#5bc5ea', '#5fd3da', '#6cdcbd', '#8fe39c'] };
let C = LIGHT, W = 1, H = 1, scale = 1, weight = 1, crowded = false;
let playing = F > 1, time = 0, speed = S.speed, before = null;
const home = { azimuth: S.azimuth, elevation: S.elevation, zoom: 1, x: 0, y: 0 };
let view = { ...home };
// ---- from positions to pixels
const at = new Float64Array(3 * N), px = new Float64Array(3 * N);
let ca, sa, ce, se;
function look() {
  ca = Math.cos(view.azimuth); sa = Math.sin(view.azimuth);
  ce = Math.cos(view.elevation); se = Math.sin(view.elevation);
  scale = view.zoom * .86 * Math.min(W / S.span[0], H / S.span[1]);
}
// Across, down, towards the viewer, of a vector.
function turn(x, y, z) {
  if (D === 2) return [x, -y, 0];
  const w = ca * x + sa * y;
  return [-sa * x + ca * y, se * w - ce * z, ce * w + se * z];
}
function pixel(x, y, z) {
  const [a, b, c] = turn(x - S.target[0], y - S.target[1], z - S.target[2]);
  return [W / 2 + view.x + scale * a, H / 2 + view.y + scale * b, scale * c];
}
function pose(t) {
  const s = F > 1 ? t / S.length * (F - 1) : 0;
  const k = Math.min(Math.floor(s), Math.max(F - 2, 0)), r = F > 1 ? s - k : 0;
  for (let i = 0; i < N; i++) {
    for (let d = 0; d < D; d++) {
      const a = value(k, i * D + d), b = F > 1 ? value(k + 1, i * D + d) : a;
      at[3 * i + d] = a + r * (b - a);
    }
    px.set(pixel(at[3 * i], at[3 * i + 1], at[3 * i + 2]), 3 * i);
  }
}
const P = i => [px[3 * i], px[3 * i + 1], px[3 * i + 2]];
const minus = (a, b) => a.map((x, k) => x - b[k]);
const plus = (a, b, s) => a.map((x, k) => x + s * b[k]);
// ---- strokes
function line(points, color, width, options = {}) {
  g.beginPath();
  points.forEach((p, k) => k ? g.lineTo(p[0], p[1]) : g.moveTo(p[0], p[1]));
  if (options.close) g.closePath();
  if (options.fill) {
    g.globalAlpha = options.alpha || 1; g.fillStyle = options.fill; g.fill();
    g.globalAlpha = 1;
  }
  g.strokeStyle = color; g.lineWidth = width;
  g.lineCap = options.cap || 'round'; g.lineJoin = 'round';
  g.setLineDash(options.dash || []);
  g.stroke();
}
function dot(p, radius, color) {
  g.beginPath(); g.arc(p[0], p[1], radius, 0, 2 * Math.PI); g.fillStyle = color; g.fill();
}
function oval(c, u, v, color, width, fill, alpha) {
  const rim = [];
  for (let a = 0; a < 6.28; a += Math.PI / 20)
    rim.push(plus(plus(c, u, Math.cos(a)), v, Math.sin(a)));
  line(rim, color, width, { close: true, fill, alpha });
}
function box([c, ...faces]) {
  const [a, b, d] = faces.map(f => minus(f, c)), quads = [];
  for (const [n, u, v] of [[a, b, d], [b, d, a], [d, a, b]])
    for (const side of [-1, 1]) {
      const m = plus(c, n, side);
      const corners = [[1, 1], [1, -1], [-1, -1], [-1, 1]];
      quads.push(corners.map(([i, j]) => plus(plus(m, u, i), v, j)));
    }
  return quads;
}
function ground(p) {
  const k = Math.max(weight, .5);
  if (D === 3) {
    const [u, v] = [turn(18 * k, 0, 0), turn(0, 18 * k, 0)];
    return oval(p, u, v, C.ground, 1.2 * k, C.pad);
  }
  const q = (x, y) => [p[0] + k * x, p[1] + k * y];
  line([q(0, 0), q(11, 19), q(-11, 19)], C.ground, 1.6 * k, { close: true, fill: C.pad });
  line([q(-17, 19), q(17, 19)], C.ground, 1.6 * k);
  for (let x = -13; x < 17; x += 8) line([q(x, 19), q(x - 6, 26)], C.ground, 1.6 * k);
}
// ---- shapes: kind, tone, points
const draw = {
  frame: p => line(p, C.ground, 1.6, { dash: [6, 6] }),
  guide: p => line([p[0], p[1]], C.ground, 2.2),
  pedestal: p => line(p, C.ground, 9 * weight),
  ground: p => ground(p[0]),
  box: (p, c) => {
    for (const q of box(p)) line(q, c, 1.8 * weight, { close: true, fill: c, alpha: .08 });
  },
  disc: (p, c) => {
    oval(p[0], minus(p[1], p[0]), minus(p[2], p[0]), c, 2.6 * weight, c, .14);
    line([p[0], p[1]], c, 2.6 * weight);
  },
  plate: (p, c) => line(p, c, 4.5 * weight, { close: true, fill: c, alpha: .16 }),
  link: (p, c) => line(p, c, 7 * weight),
  rod: (p, c) => line(p, c, 3.4 * weight),
  tie: p => line(p, C.closure, 2.6 * weight, { dash: [8, 6] }),
  blade: p => line(p, C.ink, 4 * weight),
  block: p => line(p, C.ink, 15 * weight, { cap: 'butt' }),
  pin: p => { dot(p[0], 6.8 * weight, C.ink); dot(p[0], 4.3 * weight, C.page); },
  motor: p => {
    dot(p[0], 7.3 * weight, C.ink); dot(p[0], 5 * weight, C.page);
    dot(p[0], 2.8 * weight, C.core);
  },
  closure: p => { dot(p[0], 6.8 * weight, C.closure); dot(p[0], 3.5 * weight, C.page); },
  tip: p => { dot(p[0], 5.5 * weight, C.page); dot(p[0], 4 * weight, C.trace); },
};
const FLAT = { frame: 1, guide: 1, pedestal: 1, ground: 1 };
const below = S.shapes.filter(s => FLAT[s[0]]), above = S.shapes.filter(s => !FLAT[s[0]]);
const DOTS = { pin: 1, motor: 1, closure: 1, tip: 1, block: 1 };
function paint(s) {
  if (crowded && (s[0] === 'pin' || s[0] === 'motor')) return;
  draw[s[0]](s.slice(2).map(P), C.tones[s[1]]);
}
function depth(s) {
  let sum = 0;
  for (let k = 2; k < s.length; k++) sum += px[3 * s[k] + 2];
  return sum / (s.length - 2) + (DOTS[s[0]] ? 1e9 : 0);
}
function shadows() {
  for (const [kind, width] of [['link', 7], ['rod', 3.4], ['plate', 4.5]]) {
    g.beginPath();
    for (const s of above) {
      if (s[0] !== kind) continue;
      s.slice(2).forEach((i, k) => {
        const p = pixel(at[3 * i], at[3 * i + 1], S.floor.height);
        if (k) g.lineTo(p[0], p[1]); else g.moveTo(p[0], p[1]);
      });
      if (kind === 'plate') g.closePath();
    }
    g.strokeStyle = C.shadow; g.lineWidth = width * weight;
    g.lineCap = g.lineJoin = 'round'; g.setLineDash([]);
    g.stroke();
  }
}
function floor() {
  const { low, high, step, height } = S.floor;
  for (let k = 0; k < 2; k++)
    for (let i = 0; i <= Math.round((high[k] - low[k]) / step); i++) {
      const c = low[k] + i * step, o = 1 - k;
      const ends = [low[o], high[o]];
      line(ends.map(e => k ? pixel(e, c, height) : pixel(c, e, height)), C.grid, 1);
    }
}
function trace() {
  if (S.trace < 0 || F < 2) return;
  const path = [], now = time / S.length * (F - 1);
  for (let k = 0; k < F; k++) {
    const p = [0, 0, 0];
    for (let d = 0; d < D; d++) p[d] = value(k, S.trace * D + d);
    path.push(pixel(p[0], p[1], p[2]));
  }
  g.globalAlpha = .25; line(path, C.trace, 1.8);
  g.globalAlpha = .7;
  line(path.slice(0, Math.floor(now) + 1).concat([P(S.trace)]), C.trace, 2);
  g.globalAlpha = 1;
}
// ---- around it
function axes() {
  const o = [46, H - 44];
  g.font = '12px ' + getComputedStyle(document.body).fontFamily;
  g.textAlign = 'center'; g.textBaseline = 'middle';
  S.axes.forEach((e, k) => {
    const t = turn(e[0], e[1], e[2]);
    if (Math.hypot(t[0], t[1]) < .1) return;
    line([o, plus(o, t, 28)], C.axes[k], 2);
    g.fillStyle = C.soft; g.fillText('xyz'[k], o[0] + 38 * t[0], o[1] + 38 * t[1]);
  });
}
function bar() {
  const most = 170 / scale, power = 10 ** Math.floor(Math.log10(most)), f = most / power;
  const length = power * (f >= 5 ? 5 : f >= 2 ? 2 : 1);
  const y = H - 24, right = W - 4, left = right - length * scale;
  const [number, unit] = length < .0099 ? [length * 1000, ' mm'] : [length, ' m'];
  line([[left, y], [right, y]], C.soft, 1.5);
  for (const x of [left, right]) line([[x, y - 4], [x, y + 4]], C.soft, 1.5);
  g.fillStyle = C.soft; g.textAlign = 'center'; g.textBaseline = 'alphabetic';
  g.fillText(+number.toPrecision(3) + unit, (left + right) / 2, y - 8);
}
function show() {
  C = dark.matches ? DARK : LIGHT;
  look(); pose(time);
  weight = S.link > 0 ? Math.max(.35, Math.min(1, S.link * scale / 45)) : 1;
  weight *= Math.max(.7, Math.min(1.8, view.zoom ** .4));
  crowded = S.link > 0 && S.link * scale < 8;
  g.clearRect(0, 0, W, H);
  if (S.floor) { floor(); shadows(); }
  below.forEach(paint);
  trace();
  const order = above.map((s, k) => [D === 3 ? depth(s) : k, s]);
  for (const s of order.sort((a, b) => a[0] - b[0])) paint(s[1]);
  axes(); bar();
  $('clock').textContent = (S.first + time).toFixed(S.digits) + ' s';
  $('slider').value = F > 1 ? 1000 * time / S.length : 0;
}
function resize() {
  const ratio = window.devicePixelRatio || 1;
  W = canvas.clientWidth; H = canvas.clientHeight;
  canvas.width = W * ratio; canvas.height = H * ratio;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  show();
}
function tick(now) {
  if (playing && before !== null) {
    time += speed * Math.min(now - before, 100) / 1000;
    if (time > S.length) time %= S.length;
    show();
  }
  before = now;
  requestAnimationFrame(tick);
}
// ---- hands on
function play(on) {
  playing = on && F > 1;
  $('play').textContent = playing ? 'Pause' : 'Play';
}
function step(by) {
  play(false);
  time = Math.max(0, Math.min(S.length, time + by * S.length / Math.max(F - 1, 1)));
  show();
}
$('play').onclick = () => play(!playing);
$('slider').oninput = e => { play(false); time = e.target.value / 1000 * S.length; show(); };
$('home').onclick = () => { view = { ...home }; show(); };
for (const f of [.1, .25, .5, 1, 2, 4, 10]) {
  const o = document.createElement('option');
  o.value = f * S.speed; o.selected = f === 1;
  o.textContent = '\u00d7 ' + +(f * S.speed).toPrecision(3);
  $('speed').append(o);
}
$('speed').onchange = e => { speed = +e.target.value; };
document.onkeydown = e => {
  if (e.target.tagName === 'SELECT') return;
  if (e.key === ' ' && e.target.tagName !== 'BUTTON') {
    play(!playing);
    e.preventDefault();
  }
  if (e.target.tagName === 'INPUT') return;
  if (e.key === 'ArrowRight') step(1);
  if (e.key === 'ArrowLeft') step(-1);
};
canvas.onpointerdown = e => canvas.setPointerCapture(e.pointerId);
canvas.onpointermove = e => {
  if (!e.buttons) return;
  if (D === 2 || e.shiftKey || e.buttons > 1) {
    view.x += e.movementX; view.y += e.movementY;
  } else {
    view.azimuth -= e.movementX * .008;
    view.elevation = Math.max(-1.57, Math.min(1.57, view.elevation + e.movementY * .008));
  }
  show();
};
canvas.oncontextmenu = e => e.preventDefault();
canvas.addEventListener('wheel', e => {
  e.preventDefault();
  const f = Math.exp(-e.deltaY * (e.deltaMode ? .05 : .0015));
  const zoom = Math.max(.05, Math.min(200, view.zoom * f));
  const x = e.offsetX - W / 2, y = e.offsetY - H / 2, k = zoom / view.zoom;
  view.x = x + (view.x - x) * k; view.y = y + (view.y - y) * k; view.zoom = zoom;
  show();
}, { passive: false });
dark.addEventListener('change', show);
new ResizeObserver(resize).observe(canvas);
if (F < 2) for (const id of ['play', 'slider', 'speed']) $(id).disabled = true;
play(F > 1);
resize();
requestAnimationFrame(tick);
})();
