import { type TrackedEnvelope, tracked } from '@trpc/server';
import superjson from 'superjson';

/** Written items of the event stream; one that nobody holds any more is forgotten. */
const written = new WeakMap<object, { id: string; text: unknown } | null>();

/** An item with its id, as tRPC tracks it. One that goes to many connections is written down once for all of them. */
export function trackShared<Data extends object>(id: string, data: Data): TrackedEnvelope<Data> {
  if (!written.has(data)) written.set(data, null);
  return tracked(id, data);
}

/** superjson is the dearest part of an answer (performance facts, section 2.3), and most of what an event costs a socket. */
export const transformer = {
  serialize(value: unknown): unknown {
    const { id, data } = asItem(value);
    if (typeof id !== 'string' || typeof data !== 'object' || data === null) return superjson.serialize(value);
    const known = written.get(data);
    if (known === undefined) return superjson.serialize(value);
    if (known?.id === id) return known.text;
    const text = superjson.serialize(value);
    written.set(data, { id, text });
    return text;
  },
  deserialize: superjson.deserialize.bind(superjson),
};

/** Both fields are optional and unknown: reading one of anything else gives undefined. */
function asItem(value: unknown): { id?: unknown; data?: unknown } {
  return typeof value === 'object' && value !== null ? (value as { id?: unknown; data?: unknown }) : {};
}
