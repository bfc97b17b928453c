const END_MARK = [0x50, 0x4b, 0x05, 0x06];
const END_BYTES = 22;

/**
 * Returns the number of zeros after the end record, given the last bytes of an archive: programs that write to a pipe,
 * such as bsdtar, fill their last block with them. Returns 0 when a record ends the file, when anything else follows
 * it, and when two positions are possible.
 */
export function paddingBehind(tail: Uint8Array): number {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.length);
  const zerosFrom = tail.findLastIndex((byte) => byte !== 0) + 1;
  const ends: number[] = [];
  for (let at = 0; at + END_BYTES <= tail.length; at += 1) {
    if (!END_MARK.every((byte, index) => tail[at + index] === byte)) continue;
    const end = at + END_BYTES + view.getUint16(at + 20, true);
    if (end >= zerosFrom && end <= tail.length) ends.push(end);
  }
  const [end = tail.length] = ends;
  return ends.length === 1 ? tail.length - end : 0;
}
