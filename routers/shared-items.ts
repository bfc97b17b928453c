import { type TrackedEnvelope, tracked } from '@trpc/server';
import superjson from 'superjson';
import { decodeInput } from './decode-input.ts';
import { encodeOutput } from './encode-output.ts';

/** Remembers how items of the event stream are written; one that nobody holds any more is forgotten. */
const written = new WeakMap<object, { id: string; text: unknown } | null>();

/**
 * Returns an item with its id, as tRPC tracks it. One that goes to many connections is written down once for all of
 * them.
 */
export function trackShared<Data extends object>(id: string, data: Data): TrackedEnvelope<Data> {
  if (!written.has(data)) written.set(data, null);
  return tracked(id, data);
}

/** The server's transformer, which decodes inputs by rules of its own; the clients use superjson as it is. */
export const transformer = {
  input: { serialize: superjson.serialize, deserialize: decodeInput },
  output: { serialize: serializeOutput, deserialize: superjson.deserialize },
};

/** An item is written once: that is most of what an event costs a socket. */
function serializeOutput(value: unknown): unknown {
  const { id, data } = asItem(value);
  if (typeof id !== 'string' || typeof data !== 'object' || data === null) return encodeOutput(value);
  const known = written.get(data);
  if (known === undefined) return encodeOutput(value);
  if (known?.id === id) return known.text;
  const text = encodeOutput(value);
  written.set(data, { id, text });
  return text;
}

/** Both fields are optional and unknown: reading one of anything else gives undefined. */
function asItem(value: unknown): { id?: unknown; data?: unknown } {
  return typeof value === 'object' && value !== null ? (value as { id?: unknown; data?: unknown }) : {};
}
