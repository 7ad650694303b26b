// What `limb view` writes into a page: meshes as whole numbers within their box, arrays as base 64.

/** Bytes of base 64; an ArrayBuffer of their own. */
export function bytesOf(text) {
  const letters = atob(text),
    bytes = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; k++) bytes[k] = letters.charCodeAt(k);
  return bytes;
}

/** What `deflate` of zlib made; plain bytes if they were not compressed. */
export async function unpacked(text, compressed) {
  const bytes = bytesOf(text);
  if (!compressed) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * A mesh: positions as 16-bit numbers between `low` and `high`, corners of triangles; both as the difference to the
 * number before them, in two planes of bytes (low bytes, then high bytes), which compress well.
 */
export function meshOf({ low, high, vertices, triangles, parts }, bytes) {
  const words = planes(bytes.subarray(0, 6 * vertices), 3 * vertices, 2);
  const positions = new Float32Array(3 * vertices);
  for (let k = 0; k < 3; k++) {
    const size = (high[k] - low[k]) / 65535;
    let sum = 0;
    for (let i = 0; i < vertices; i++) {
      sum = (sum + words[k * vertices + i]) & 0xffff;
      positions[3 * i + k] = low[k] + size * sum;
    }
  }
  const steps = planes(bytes.subarray(6 * vertices), 3 * triangles, 4);
  const corners = vertices > 65535 ? new Uint32Array(3 * triangles) : new Uint16Array(3 * triangles);
  let at = 0;
  for (let i = 0; i < 3 * triangles; i++) {
    const step = steps[i];
    at = (at + ((step >>> 1) ^ -(step & 1))) | 0; // zigzag: small numbers of either sign
    if (at < 0 || at >= vertices) throw new Error("a mesh of the page is broken");
    corners[i] = at;
  }
  return { positions, triangles: corners, parts };
}

/** Numbers from planes of their bytes, the lowest first. */
function planes(bytes, count, size) {
  if (bytes.length < count * size) throw new Error("a mesh of the page is broken");
  const out = new Uint32Array(count);
  for (let b = 0; b < size; b++) for (let i = 0; i < count; i++) out[i] |= bytes[b * count + i] << (8 * b);
  return out;
}

/** Doubles, as the tool wrote them: little-endian. */
export const doublesOf = (bytes) => new Float64Array(bytes.buffer, 0, bytes.length >> 3);
