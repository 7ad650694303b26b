// A .zip of files that are stored as they are (pictures are compressed already): PKWARE's APPNOTE 6.3, 4.3 and 4.4.

const TABLE = Uint32Array.from({ length: 256 }, (_, k) => {
  let x = k;
  for (let bit = 0; bit < 8; bit++) x = x & 1 ? 0xedb88320 ^ (x >>> 1) : x >>> 1;
  return x >>> 0;
});

export function crc32(bytes) {
  let x = 0xffffffff;
  for (const byte of bytes) x = TABLE[(x ^ byte) & 0xff] ^ (x >>> 8);
  return ~x >>> 0;
}

/** Little-endian numbers of 2 and 4 bytes, in the order of a record. @param {[number, 2 | 4][]} fields */
function record(fields) {
  const bytes = new Uint8Array(fields.reduce((sum, [, size]) => sum + size, 0)),
    view = new DataView(bytes.buffer);
  let at = 0;
  for (const [value, size] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

const VERSION = [20, 2],
  UTF8 = [0x0800, 2],
  STORED = [0, 2],
  NO_TIME = [0, 2],
  FIRST_DAY = [0x21, 2]; // 1 January 1980: the same frames make the same file

/** @param {{name: string, bytes: Uint8Array}[]} files */
export function zip(files) {
  const parts = [],
    directory = [];
  let at = 0;
  for (const { name, bytes } of files) {
    const title = new TextEncoder().encode(name);
    // prettier-ignore
    const common = [VERSION, UTF8, STORED, NO_TIME, FIRST_DAY, [crc32(bytes), 4], [bytes.length, 4], [bytes.length, 4],
                    [title.length, 2], [0, 2]];
    const head = record([[0x04034b50, 4], ...common]);
    directory.push(record([[0x02014b50, 4], VERSION, ...common, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]]), title);
    parts.push(head, title, bytes);
    at += head.length + title.length + bytes.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const count = [files.length, 2];
  const end = record([[0x06054b50, 4], [0, 2], [0, 2], count, count, [size, 4], [at, 4], [0, 2]]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}
