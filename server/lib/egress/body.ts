import { Readable } from 'node:stream';
import type { EgressBody } from './egress.ts';

const WRITE_MAX_BYTES = 64 * 1024;

/**
 * Returns a body in the form that the client writes. The timeout counts from the last write, so a body in one piece
 * would be cut off on a slow line however steadily it moves.
 */
export function bodyToWrite(body: EgressBody | undefined): Uint8Array | Readable | null {
  if (body === undefined) return null;
  if (!(body instanceof Uint8Array)) return Readable.from(body.chunks);
  return body.byteLength > WRITE_MAX_BYTES ? Readable.from(slicesOf(body)) : body;
}

function* slicesOf(body: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < body.byteLength; start += WRITE_MAX_BYTES) {
    yield body.subarray(start, start + WRITE_MAX_BYTES);
  }
}

export function lengthOf(body: EgressBody | undefined): Record<string, string> {
  if (body === undefined) return {};
  return { 'content-length': String(body instanceof Uint8Array ? body.byteLength : body.sizeBytes) };
}
