/** A piece of this size or more costs next to nothing beyond its bytes. */
const LARGE_BYTES = 4 * 1024;

/**
 * Adds a chunk to pieces that are held together. Small ones are joined on the way, because each object takes some 200
 * bytes of its own, so that a body sent byte by byte would take two hundred times its size.
 */
export function addPiece(pieces: Uint8Array[], chunk: Uint8Array): void {
  let last = chunk;
  // A chunk is joined only with pieces that are not much larger, so that each byte is copied a few times, and not once
  // for every later chunk.
  for (let before = pieces.at(-1); before !== undefined; before = pieces.at(-1)) {
    if (last.byteLength >= LARGE_BYTES || before.byteLength > 2 * last.byteLength) break;
    pieces.pop();
    last = Buffer.concat([before, last]);
  }
  pieces.push(last);
}
