// Files that are dropped or chosen, and which of them is the model.
import type { Files } from "../../limb-wasm/index.js";

const MOST_BYTES = 400e6;
const MOST_FILES = 5000;

/** By how well an ending speaks for a model. */
const ENDINGS = [".urdf", ".urdf.xacro", ".xacro", ".sdf", ".limb.yaml", ".par", ".xml", ".world", ".yaml", ".yml"];
const TABLE = /\.csv$/i;

export interface Dropped {
  /** Files that can be a model, the likeliest first. */
  models: string[];
  /** A table of states; "": none. */
  table: string;
  /** A run file; "": none. */
  run: string;
  files: Files;
}

interface Named {
  path: string;
  file: File;
}

/** All files of an entry, folders in depth. */
async function walk(entry: FileSystemEntry, path: string, found: Named[]): Promise<void> {
  if (found.length > MOST_FILES || entry.name.startsWith(".")) return;
  const name = path + entry.name;
  if (entry.isFile) {
    const file = await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail));
    found.push({ path: name, file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (part.length === 0) return;
    for (const child of part) await walk(child, `${name}/`, found);
  }
}

async function read(list: Named[]): Promise<Dropped> {
  const bytes = list.reduce((sum, { file }) => sum + file.size, 0);
  if (list.length > MOST_FILES) throw new Error(`more than ${MOST_FILES} files: drop the folder of one robot`);
  if (bytes > MOST_BYTES)
    throw new Error(`${(bytes / 1e6).toFixed(0)} MB: more than the ${MOST_BYTES / 1e6} MB that this page takes`);
  const files: Files = Object.create(null); // a file may have any name, __proto__ as well
  for (const { path, file } of list) files[path] = new Uint8Array(await file.arrayBuffer());
  findPackages(files);
  return sort(files);
}

const isRun = (content: Files[string]) =>
  /^(\s*(#.*)?\n)*schema\s*:/.test(new TextDecoder().decode((content as Uint8Array).subarray(0, 4000)));

/** Folders of robots have tables of other things as well. */
const isStates = (content: Files[string]) =>
  /(^|,)\s*"?(time|q\.[^,]*)\s*"?(,|\n|$)/.test(
    new TextDecoder().decode((content as Uint8Array).subarray(0, 4000)).split("\n", 1)[0]!,
  );

/** What the files are. */
export function sort(files: Files): Dropped {
  const rank = (path: string) => ENDINGS.findIndex((end) => path.toLowerCase().endsWith(end));
  const depth = (path: string) => path.split("/").length;
  const names = Object.keys(files);
  const runs = names.filter((path) => /\.ya?ml$/i.test(path) && isRun(files[path]!));
  const models = names
    .filter((path) => rank(path) >= 0 && !runs.includes(path) && !/(^|\/)package\.xml$/.test(path))
    .sort((a, b) => rank(a) - rank(b) || depth(a) - depth(b) || a.localeCompare(b));
  const tables = names.filter((path) => TABLE.test(path) && (models.length === 0 || isStates(files[path]!)));
  return { models, table: tables[0] ?? "", run: runs[0] ?? "", files };
}

export async function readDropped(items: DataTransferItemList): Promise<Dropped> {
  // Entries must be taken before the first wait: the list is emptied then.
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const files = entries.length === 0 ? [...items].map((item) => item.getAsFile()).filter((file) => file !== null) : [];
  const found: Named[] = files.map((file) => ({ path: file.name, file }));
  for (const entry of entries) await walk(entry, "", found);
  return read(found);
}

export function readChosen(list: FileList): Promise<Dropped> {
  return read([...list].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
}

/**
 * Packages that are not among the files: package://robots/arm/meshes/a.stl is then the file whose path ends with the
 * longest part of that, arm/meshes/a.stl or meshes/a.stl. Returns how many were found that way.
 */
export function findPackages(files: Files): number {
  const names = Object.keys(files);
  const wanted = new Set<string>();
  for (const name of names) {
    if (!/\.(urdf|xacro|sdf|xml)$/i.test(name)) continue;
    const text = new TextDecoder().decode(files[name] as Uint8Array);
    for (const [, path] of text.matchAll(/(?:package|model):\/\/([^"'<>\s]+)/g)) wanted.add(path!);
  }
  let found = 0;
  for (const path of wanted) {
    if (names.some((name) => `/${name}`.endsWith(`/${path}`))) continue; // limb finds it
    const parts = path.split("/");
    for (let k = 1; k < parts.length; k++) {
      const end = `/${parts.slice(k).join("/")}`;
      const file = names.find((name) => `/${name}`.endsWith(end));
      if (!file || parts.includes("..")) continue;
      files[path] = files[file]!;
      found++;
      break;
    }
  }
  return found;
}
