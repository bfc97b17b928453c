import { readSync } from 'node:fs';
import { RandomAccessReader } from 'yauzl';
import { ZipRefusal } from './refusal.ts';

/** An archive on the disk. Its readers work synchronously, because they run in a thread of their own. */
export type OpenZip = { fd: number; sizeBytes: number };

const WINDOW_BYTES = 256 * 1024;

/** Returns the bytes [start, start + length). Throws ZipRefusal when the file has none. */
export function readAt(file: OpenZip, target: Buffer, start: number, length: number): Buffer {
  // NaN and numbers beyond 2^53 fail this as well.
  if (!(start >= 0 && start + length <= file.sizeBytes)) throw new ZipRefusal('out_of_bounds');
  let filled = 0;
  while (filled < length) {
    const bytesRead = readSync(file.fd, target, filled, length - filled, start + filled);
    if (bytesRead === 0) throw new ZipRefusal('out_of_bounds');
    filled += bytesRead;
  }
  return target.subarray(0, length);
}

/**
 * Reads for yauzl, which requests each record of a directory by itself: from a window that moves along, without a wait
 * for each.
 */
export class WindowReader extends RandomAccessReader {
  readonly file: OpenZip;
  readonly #window = Buffer.allocUnsafeSlow(WINDOW_BYTES);
  #start = 0;
  #length = 0;

  constructor(file: OpenZip) {
    super();
    this.file = file;
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    try {
      this.bytes(position, length).copy(target, offset);
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    callback(null);
  }

  /** Returns bytes that are valid until the next call. Throws ZipRefusal when the file has no such bytes. */
  bytes(position: number, length: number): Buffer {
    if (!(position >= 0 && position + length <= this.file.sizeBytes)) throw new ZipRefusal('directory_corrupted');
    if (length > WINDOW_BYTES) return readAt(this.file, Buffer.allocUnsafe(length), position, length);
    const isInside = position >= this.#start && position + length <= this.#start + this.#length;
    if (!isInside) {
      const wanted = Math.max(length, Math.min(WINDOW_BYTES, this.file.sizeBytes - position));
      this.#length = 0;
      readAt(this.file, this.#window, position, wanted);
      this.#start = position;
      this.#length = wanted;
    }
    const from = position - this.#start;
    return this.#window.subarray(from, from + length);
  }
}
