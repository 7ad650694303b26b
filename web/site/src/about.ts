// What this page is, what it does not do, and the licences of what it contains.
import { button, element } from "./dom.js";

/** A dialog; `open` shows it. */
export function about(version: string): { dialog: HTMLDialogElement; open: () => void } {
  const dialog = element("dialog", { ariaLabel: "About this page" });
  const text = (words: string) => element("p", { textContent: words });
  const licences = document.getElementById("licences")!.textContent!.trim();
  dialog.append(
    element("h2", { textContent: `limb ${version} in the browser` }),
    text("Robot dynamics: what is wrong with a model file, torques, simulation, equations of motion, code. The same C library as the command-line tool, compiled to WebAssembly."),
    element("h3", { textContent: "Everything stays on this machine" }),
    text("The page is one file. It has no server, and its content security policy (connect-src 'none') has the browser refuse every request: nothing that you open can be sent anywhere. It works offline; save it, and it opens from your disk."),
    element("h3", { textContent: "Use" }),
    text("Drop a URDF, xacro, SDF, MJCF, SYMORO .par or limb YAML file anywhere, with its folder if it has meshes or includes; a CSV table for inverse dynamics; a run file for simulation. In the editor, F8 goes to the next finding, Ctrl-F searches, and Escape before Tab leaves it."),
    element("h3", { textContent: "Licences" }),
    element("pre", { textContent: licences, tabIndex: 0, ariaLabel: "Licences" }),
    button("Close", () => dialog.close(), { className: "main" }),
  );
  return { dialog, open: () => dialog.showModal() };
}
