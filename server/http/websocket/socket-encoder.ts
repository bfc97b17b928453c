import type { Encoder } from '@trpc/server/adapters/ws';

/** The fields of a tRPC message that its text depends on. */
type Message = { id?: unknown; jsonrpc?: unknown; result?: { data?: unknown } };

/** Encodes tRPC's JSON for one connection. `onMessages` gets the number of messages in each frame. */
export function createSocketEncoder(onMessages: (count: number) => void): Encoder {
  return {
    encode: (data) => textOf(data, asMessage(data).result?.data),
    decode(data) {
      const decoded: unknown = JSON.parse(typeof data === 'string' ? data : new TextDecoder().decode(data));
      onMessages(Array.isArray(decoded) ? Math.max(1, decoded.length) : 1);
      return decoded;
    },
  };
}

/** Caches the last text of each item: most sockets have one subscription, with the same id, and get the same text. */
const texts = new WeakMap<object, { id: unknown; jsonrpc: unknown; text: string }>();

/**
 * Encodes a message. An item that goes to many sockets is the same object for all of them (routers/shared-items.ts).
 */
function textOf(message: unknown, item: unknown): string {
  if (typeof item !== 'object' || item === null) return JSON.stringify(message);
  const { id, jsonrpc } = asMessage(message);
  const known = texts.get(item);
  if (known !== undefined && known.id === id && known.jsonrpc === jsonrpc) return known.text;
  const text = JSON.stringify(message);
  texts.set(item, { id, jsonrpc, text });
  return text;
}

/** The assertion holds because all fields are optional and unknown: reading one from anything else gives undefined. */
function asMessage(value: unknown): Message {
  return typeof value === 'object' && value !== null ? (value as Message) : {};
}
