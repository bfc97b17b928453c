import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Json = Record<string, unknown>;

/** The vendor's own examples of its objects, whose fields apply unless a test sets them. */
const EXAMPLES: Record<string, Json> = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'specs', 'stripe-objects.json'), 'utf8'),
);

/** Returns an object of this kind with these fields of its own. */
export function make<Fields extends Json>(kind: string, fields: Fields): Json & Fields {
  return { ...structuredClone(EXAMPLES[kind]), ...fields };
}

export function list(url: string, data: readonly unknown[], has_more = false) {
  return { object: 'list', url, has_more, data };
}

/** One page of it, as docs.stripe.com/api/pagination has it. */
export function pageOf<One extends { id: string }>(url: string, all: readonly One[], query: URLSearchParams) {
  const after = query.get('starting_after');
  const start = after === null ? 0 : 1 + all.findIndex(({ id }) => id === after);
  const end = start + Number(query.get('limit') ?? 10);
  return { ...list(url, all.slice(start, end), end < all.length) };
}

/** Reads `a[b][0]=c` as the nested value that it stands for; every leaf is a text. */
export function decodeForm(text: string): Json {
  const form: Json = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const keys = [...name.matchAll(/[^[\]]+/g)].map(([key]) => key);
    put(form, keys, value);
  }
  return Object.fromEntries(Object.entries(form).map(([key, value]) => [key, withArrays(value)]));
}

function put(into: Json, [key = '', ...rest]: string[], value: string): void {
  if (rest.length === 0) {
    into[key] = value;
    return;
  }
  const inner = isJson(into[key]) ? into[key] : {};
  into[key] = inner;
  put(inner, rest, value);
}

function withArrays(value: unknown): unknown {
  if (!isJson(value)) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, withArrays(one)] as const);
  return entries.every(([key]) => /^\d+$/.test(key)) ? entries.map(([, one]) => one) : Object.fromEntries(entries);
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
