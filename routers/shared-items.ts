import { type TrackedEnvelope, tracked } from '@trpc/server';
import superjson from 'superjson';
import { decodeInput } from './decode-input.ts';
import { encodeOutput } from './encode-output.ts';
import { PLAIN_INPUT } from './rules/plain-input.ts';

/** Caches the text of items of the event stream; one that nobody holds any more is forgotten. */
const written = new WeakMap<object, { id: string; text: unknown } | null>();

/** Returns an item with its id, as tRPC tracks it. An item for many connections is serialized once for all of them. */
export function trackShared<Data extends object>(id: string, data: Data): TrackedEnvelope<Data> {
  if (!written.has(data)) written.set(data, null);
  return tracked(id, data);
}

/** The server's transformer, which bounds inputs and writes outputs once; the clients read outputs by superjson as it is. */
export const transformer = {
  input: { ...PLAIN_INPUT, deserialize: decodeInput },
  output: { serialize: serializeOutput, deserialize: superjson.deserialize },
};

/** Serializes an item once: that is most of an event's cost for a socket. */
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

/** The assertion holds because both fields are optional and unknown: reading one from anything else gives undefined. */
function asItem(value: unknown): { id?: unknown; data?: unknown } {
  return typeof value === 'object' && value !== null ? (value as { id?: unknown; data?: unknown }) : {};
}
