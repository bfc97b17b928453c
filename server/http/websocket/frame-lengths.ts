const FINAL = 0x80;
const OPCODE = 0x0f;
const MASKED = 0x80;
const LENGTH = 0x7f;
/** A length up to 125 is in the second byte itself; the next two values say that 2 or 8 bytes follow. */
const [LENGTH_OF_2_BYTES, LENGTH_OF_8_BYTES] = [126, 127];
const MASK_BYTES = 4;
/** Pings, pongs and the close frame; all opcodes below carry messages. */
const FIRST_CONTROL = 0x08;

/**
 * Returns a reader for the bytes that a client sends over a WebSocket, in pieces of any size. It returns how many
 * bytes the current message has announced so far, or 0 between messages: the lengths are in the frames' heads (RFC
 * 6455, section 5.2). `ws` checks whether the frames are well formed.
 */
export function createFrameLengths(): (piece: Uint8Array) => number {
  let head: number[] = [];
  let left = 0;
  let announced = 0;

  function endFrame(): void {
    const [first = 0] = head;
    if (isData(first) && (first & FINAL) !== 0) announced = 0;
    head = [];
  }

  return (piece) => {
    let offset = 0;
    while (offset < piece.length) {
      if (left > 0) {
        const part = Math.min(left, piece.length - offset);
        offset += part;
        left -= part;
      } else {
        head.push(piece[offset] ?? 0);
        offset += 1;
        if (head.length < headLength(head)) continue;
        left = payloadLength(head);
        if (isData(head[0] ?? 0)) announced += left;
      }
      if (left === 0) endFrame();
    }
    return announced;
  };
}

function isData(first: number): boolean {
  return (first & OPCODE) < FIRST_CONTROL;
}

function headLength([, second]: readonly number[]): number {
  if (second === undefined) return 2;
  const length = second & LENGTH;
  const extended = length === LENGTH_OF_8_BYTES ? 8 : length === LENGTH_OF_2_BYTES ? 2 : 0;
  return 2 + extended + ((second & MASKED) === 0 ? 0 : MASK_BYTES);
}

function payloadLength([, second = 0, ...rest]: readonly number[]): number {
  const length = second & LENGTH;
  if (length < LENGTH_OF_2_BYTES) return length;
  const bytes = rest.slice(0, length === LENGTH_OF_2_BYTES ? 2 : 8);
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}
