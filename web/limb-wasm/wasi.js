// The few calls of WASI (snapshot preview 1) that the C library of limb.wasm makes, over files in memory. Nothing is
// written: limb.wasm reads models and the files that they name. Standard error goes to the console.

const SUCCESS = 0,
  BADF = 8,
  INVAL = 28,
  ISDIR = 31,
  NOENT = 44,
  NOTDIR = 54,
  NOTSUP = 58,
  ROFS = 69;
const FOLDER = 3,
  REGULAR = 4,
  CHARACTERS = 2;
const ROOT = 3; // the descriptor of "/", after the standard streams

/** Parts of a path without "." and ".."; null above the root. */
function parts(path) {
  const list = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") list.push(part);
    else if (list.pop() === undefined) return null;
  }
  return list;
}

export class Files {
  /** @type {Map<string, Uint8Array>} by path without the leading slash */
  #bytes = new Map();

  /** @param {string} path @param {string | Uint8Array | ArrayBuffer} content */
  set(path, content) {
    const list = parts(path);
    if (!list || list.length === 0) throw new RangeError(`'${path}' is not the path of a file`);
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
    this.#bytes.set(list.join("/"), bytes);
  }

  clear() {
    this.#bytes.clear();
  }

  /** The bytes of a file, "folder", or null: neither. @param {string} path */
  find(path) {
    const list = parts(path);
    if (!list) return null;
    const name = list.join("/");
    const file = this.#bytes.get(name);
    if (file) return file;
    if (name === "") return "folder";
    for (const other of this.#bytes.keys()) if (other.startsWith(name + "/")) return "folder";
    return null;
  }
}

/**
 * The import object of limb.wasm.
 * @param {Files} files
 * @param {() => WebAssembly.Memory} memory
 */
export function wasiImports(files, memory) {
  /** @type {Map<number, {bytes: Uint8Array, at: number} | null>} open files; null: a folder */
  const open = new Map([[ROOT, null]]);
  let next = ROOT + 1;
  let line = "";
  const view = () => new DataView(memory().buffer);
  const text = (at, size) => new TextDecoder().decode(new Uint8Array(memory().buffer, at, size));
  const inode = new Map(); // one number per path: limb compares files by it
  const numberOf = (path) => {
    const key = (parts(path) ?? []).join("/");
    if (!inode.has(key)) inode.set(key, inode.size + 1);
    return inode.get(key);
  };

  function putStat(at, kind, size, number) {
    new Uint8Array(memory().buffer, at, 64).fill(0);
    const v = view();
    v.setBigUint64(at + 8, BigInt(number), true);
    v.setUint8(at + 16, kind);
    v.setBigUint64(at + 24, 1n, true);
    v.setBigUint64(at + 32, BigInt(size), true);
  }

  function forEachBlock(list, count, each) {
    for (let i = 0; i < count; i++) {
      const v = view();
      if (!each(v.getUint32(list + 8 * i, true), v.getUint32(list + 8 * i + 4, true))) break;
    }
  }

  const calls = {
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return SUCCESS;
    },
    environ_get: () => SUCCESS,
    clock_time_get(_id, _precision, at) {
      view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return SUCCESS;
    },
    random_get(at, size) {
      const bytes = new Uint8Array(size);
      for (let i = 0; i < size; i += 65536) globalThis.crypto.getRandomValues(bytes.subarray(i, i + 65536));
      new Uint8Array(memory().buffer, at, size).set(bytes);
      return SUCCESS;
    },
    proc_exit(code) {
      throw new Error(`limb.wasm ended itself with code ${code}`);
    },
    fd_prestat_get(fd, at) {
      if (fd !== ROOT) return BADF;
      view().setUint32(at, 0, true);
      view().setUint32(at + 4, 1, true);
      return SUCCESS;
    },
    fd_prestat_dir_name(fd, at) {
      if (fd !== ROOT) return BADF;
      view().setUint8(at, "/".charCodeAt(0));
      return SUCCESS;
    },
    fd_fdstat_get(fd, at) {
      if (fd >= ROOT && !open.has(fd)) return BADF;
      new Uint8Array(memory().buffer, at, 24).fill(0);
      view().setUint8(at, fd < ROOT ? CHARACTERS : open.get(fd) ? REGULAR : FOLDER);
      view().setBigUint64(at + 8, ~0n, true);
      view().setBigUint64(at + 16, ~0n, true);
      return SUCCESS;
    },
    fd_fdstat_set_flags: () => NOTSUP,
    fd_filestat_get(fd, at) {
      if (fd < ROOT) return (putStat(at, CHARACTERS, 0, 0), SUCCESS);
      if (!open.has(fd)) return BADF;
      const file = open.get(fd);
      putStat(at, file ? REGULAR : FOLDER, file ? file.bytes.length : 0, file ? file.number : numberOf(""));
      return SUCCESS;
    },
    path_filestat_get(_fd, _flags, path, size, at) {
      const name = text(path, size);
      const found = files.find(name);
      if (!found) return NOENT;
      putStat(at, found === "folder" ? FOLDER : REGULAR, found === "folder" ? 0 : found.length, numberOf(name));
      return SUCCESS;
    },
    path_open(_fd, _links, path, size, flags, _rights, _inherited, _fdflags, at) {
      const name = text(path, size);
      const found = files.find(name);
      const CREATE = 1,
        DIRECTORY = 2;
      if (flags & CREATE) return ROFS;
      if (!found) return NOENT;
      if (flags & DIRECTORY && found !== "folder") return NOTDIR;
      open.set(next, found === "folder" ? null : { bytes: found, at: 0, number: numberOf(name) });
      view().setUint32(at, next++, true);
      return SUCCESS;
    },
    fd_read(fd, list, count, read) {
      if (fd < ROOT) return (view().setUint32(read, 0, true), SUCCESS); // standard input is empty
      if (!open.has(fd)) return BADF;
      const file = open.get(fd);
      if (!file) return ISDIR;
      let total = 0;
      forEachBlock(list, count, (to, size) => {
        const piece = file.bytes.subarray(file.at, file.at + size);
        new Uint8Array(memory().buffer, to, size).set(piece);
        file.at += piece.length;
        total += piece.length;
        return piece.length === size;
      });
      view().setUint32(read, total, true);
      return SUCCESS;
    },
    fd_write(fd, list, count, written) {
      if (fd !== 1 && fd !== 2) return open.has(fd) ? ROFS : BADF;
      let total = 0;
      forEachBlock(list, count, (from, size) => {
        line += text(from, size);
        total += size;
        return true;
      });
      const lines = line.split("\n");
      line = /** @type {string} */ (lines.pop());
      for (const whole of lines) console.error(whole);
      view().setUint32(written, total, true);
      return SUCCESS;
    },
    fd_seek(fd, offset, whence, at) {
      if (fd < ROOT) return NOTSUP;
      const file = open.get(fd);
      if (!file) return BADF;
      const from = [0, file.at, file.bytes.length][whence];
      const to = from === undefined ? -1 : from + Number(offset);
      if (to < 0) return INVAL;
      file.at = to;
      view().setBigUint64(at, BigInt(to), true);
      return SUCCESS;
    },
    fd_close(fd) {
      if (fd > ROOT) open.delete(fd);
      return SUCCESS;
    },
  };
  return { wasi_snapshot_preview1: calls };
}
