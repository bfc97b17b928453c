import type { Encoder } from '@trpc/server/adapters/ws';

/** Security facts, 8.6. */
const SUBSCRIPTIONS_MAX = 20;

/** The fields of a tRPC message that open or end a subscription (trpc.io/docs/rpc, "WebSockets"). */
type Message = {
  id?: unknown;
  jsonrpc?: unknown;
  method?: unknown;
  error?: unknown;
  result?: { type?: unknown; data?: unknown };
};

/** tRPC's JSON over one connection, counting the subscriptions that are open on it. */
export function countedEncoder(onTooMany: () => void): Encoder {
  const open = new Set<unknown>();
  return {
    encode(data) {
      const { id, error, result } = asMessage(data);
      if (error !== undefined || result?.type === 'stopped') open.delete(id);
      return textOf(data, result?.data);
    },
    decode(data) {
      const decoded: unknown = JSON.parse(typeof data === 'string' ? data : new TextDecoder().decode(data));
      for (const message of Array.isArray(decoded) ? decoded : [decoded]) {
        const { id, method } = asMessage(message);
        if (method === 'subscription') open.add(id);
      }
      if (open.size > SUBSCRIPTIONS_MAX) onTooMany();
      return decoded;
    },
  };
}

/** The last text of each item, for subscriptions that are numbered alike, as the first of most sockets is. */
const texts = new WeakMap<object, { id: unknown; jsonrpc: unknown; text: string }>();

/** An item that goes to many sockets is the same object for all of them (routers/shared-items.ts). */
function textOf(message: unknown, item: unknown): string {
  if (typeof item !== 'object' || item === null) return JSON.stringify(message);
  const { id, jsonrpc } = asMessage(message);
  const known = texts.get(item);
  if (known !== undefined && known.id === id && known.jsonrpc === jsonrpc) return known.text;
  const text = JSON.stringify(message);
  texts.set(item, { id, jsonrpc, text });
  return text;
}

/** All fields are optional and unknown: reading one of anything else gives undefined. */
function asMessage(value: unknown): Message {
  return typeof value === 'object' && value !== null ? (value as Message) : {};
}
