// Pictures and films of what is seen: PNG, the frames of a motion as PNG in a .zip, WebM.
import { button, element } from "./dom.js";
import { zip } from "./zip.js";

const RATE = 30; // frames per second of a film
const MOST = 3000; // frames in a .zip

/** Hands a file to the user. */
function save(name, blob) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

export class Recorder {
  #view;
  #note = element("p", { className: "lv-note", role: "status" });
  #film = null;
  #button;

  constructor(view) {
    this.#view = view;
  }

  controls() {
    this.#button = button("Film (WebM)", () => this.#filmPressed());
    this.#button.disabled = typeof MediaRecorder === "undefined";
    return [
      element("p", {
        className: "lv-note",
        textContent: "A motion is recorded from its start to its end, at the speed chosen; otherwise until stopped.",
      }),
      element(
        "div",
        { className: "lv-buttons" },
        button("Picture (PNG)", () => this.picture().then((blob) => save(`${this.#name()}.png`, blob))),
        button("Frames (PNG in .zip)", () => this.frames().then((blob) => blob && save(`${this.#name()}.zip`, blob))),
        this.#button,
      ),
      this.#note,
    ];
  }

  /** A file name without what file systems refuse. */
  #name() {
    return this.#view.title.replace(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 80) || "robot";
  }

  /** What is seen, as PNG. */
  picture() {
    const { stage } = this.#view;
    stage.drawNow();
    return new Promise((done) => stage.canvas.toBlob(done, "image/png"));
  }

  /** Pictures of the motion at 30 per second of playing, in a .zip; null: there is no motion. */
  async frames() {
    const { player } = this.#view;
    if (!player) return void (this.#note.textContent = "There is no motion.");
    const count = Math.min(MOST, 1 + Math.ceil(((player.end - player.start) / player.speed) * RATE)),
      files = [];
    player.pause();
    for (let k = 0; k < count; k++) {
      player.seek(player.start + (k * player.speed) / RATE);
      const blob = await this.picture();
      files.push({ name: `${String(k).padStart(5, "0")}.png`, bytes: new Uint8Array(await blob.arrayBuffer()) });
      this.#note.textContent = `${k + 1} of ${count} frames`;
    }
    return zip(files);
  }

  #filmPressed() {
    if (this.#film) return this.#film.stop();
    this.film().then((blob) => save(`${this.#name()}.webm`, blob));
  }

  /** A film, until the motion ends or stop is pressed. @returns {Promise<Blob>} */
  film() {
    const { stage, player } = this.#view;
    const kinds = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];
    const mimeType = kinds.find((kind) => MediaRecorder.isTypeSupported(kind));
    const stream = stage.canvas.captureStream(RATE),
      parts = [];
    const film = (this.#film = new MediaRecorder(stream, { mimeType, videoBitsPerSecond: 12e6 }));
    const again = player?.loop;
    const watch = () => {
      if (film.state === "recording" && player && !player.playing) film.stop();
      else stage.draw(); // every frame is drawn, so that every frame is recorded
    };
    this.#button.textContent = "Stop recording";
    return new Promise((done) => {
      film.addEventListener("dataavailable", ({ data }) => parts.push(data));
      film.addEventListener("stop", () => {
        stage.before.delete(watch);
        if (player) player.loop = again;
        for (const track of stream.getTracks()) track.stop();
        this.#film = null;
        this.#button.textContent = "Film (WebM)";
        done(new Blob(parts, { type: "video/webm" }));
      });
      if (player) {
        player.loop = false;
        player.seek(player.start);
        player.resume();
      }
      film.start();
      const keep = () => film.state === "recording" && (watch(), requestAnimationFrame(keep));
      requestAnimationFrame(keep);
    });
  }
}
