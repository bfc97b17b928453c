/** The bytes that answers have handed over and their readers have not taken. */
export type Unread = {
  readonly bytes: number;
  /** The time when a reader last took some of it, or the first of it was handed over, by `performance.now`. */
  readonly since: number;
  hold(piece: Buffer): void;
  take(bytes: number): void;
  /** Ends a `hold`; nobody will take the last `rest` bytes of the piece. */
  release(piece: Buffer, rest: number): void;
};

export type HeldMemory = {
  readonly bytes: number;
  /** Counts one session; `onHold` runs after each piece that it hands over. */
  createUnread(onHold: () => void): Unread;
};

/** Counts the memory that waits for readers over all sessions. A buffer that goes to many of them is in memory once. */
export function createHeldMemory(): HeldMemory {
  const uses = new WeakMap<ArrayBufferLike, number>();
  let held = 0;

  function use(buffer: ArrayBufferLike, change: 1 | -1): void {
    const before = uses.get(buffer) ?? 0;
    const after = before + change;
    uses.set(buffer, after);
    if (before === 0) held += buffer.byteLength;
    if (after === 0) held -= buffer.byteLength;
  }

  return {
    get bytes() {
      return held;
    },
    createUnread(onHold) {
      let bytes = 0;
      let since = 0;
      return {
        get bytes() {
          return bytes;
        },
        get since() {
          return since;
        },
        hold(piece) {
          if (bytes === 0) since = performance.now();
          bytes += piece.length;
          use(piece.buffer, 1);
          onHold();
        },
        take(count) {
          bytes -= count;
          since = performance.now();
        },
        release(piece, rest) {
          bytes -= rest;
          use(piece.buffer, -1);
        },
      };
    },
  };
}
