import * as z from 'zod/mini';

/**
 * Reads JSON of somebody else's API within bounds. Parsing and checking it blocks the process, and a million small
 * values take hundreds of times the memory of their text.
 */
const VALUES_MAX = 100_000;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** Each of these is followed by a value, so the number of values is at most their count plus one. */
const BEFORE_VALUES: ReadonlySet<number> = new Set([0x2c, 0x5b, 0x7b]);

/**
 * Parses an answer: an object without fields for empty text, undefined for text that is not JSON or has too many
 * values.
 */
export function parseAnswer(text: string, valuesMax = VALUES_MAX): unknown {
  if (text === '') return {};
  if (hasMoreValues(text, valuesMax)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns whether a JSON text has more than `max` values. */
export function hasMoreValues(text: string, max: number): boolean {
  let values = 1;
  let isInText = false;
  for (let at = 0; at < text.length && values <= max; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInText = !isInText;
    else if (isInText && code === BACKSLASH) at += 1;
    else if (!isInText && BEFORE_VALUES.has(code)) values += 1;
  }
  return values > max;
}

/** Equals the longest record in DNS (RFC 1035, section 3.2.1); ids, names and messages are far shorter. */
const TEXT_MAX = 64 * 1024;

/**
 * Shortens each text within a result of `parseAnswer` and removes these secrets, because the result is kept, shown and
 * searched. Changes and returns the same object.
 */
export function cleanTexts(value: unknown, secrets: readonly string[]): unknown {
  // Secrets go first: one that was cut in half would no longer be found.
  const struck = (text: string): string =>
    secrets.reduce((kept, secret) => (secret === '' ? kept : kept.replaceAll(secret, '…')), text);
  const clean = (text: string): string => {
    const kept = struck(text);
    return kept.length > TEXT_MAX ? `${kept.slice(0, TEXT_MAX)}…` : kept;
  };
  const whole = { value };
  // This is not recursive, because the answer may be nested as deep as it has values.
  const open: object[] = [whole];
  for (let within = open.pop(); within !== undefined; within = open.pop()) {
    for (const [key, inner] of Object.entries(within)) {
      if (typeof inner === 'string') Reflect.set(within, key, clean(inner));
      else if (typeof inner === 'object' && inner !== null) open.push(inner);
    }
  }
  return whole.value;
}

/** Parses a list up to the first item that does not fit: `z.array` would note an issue for each of them. */
export function listOf<T>(item: z.ZodMiniType<T>) {
  return z.pipe(
    z.array(z.unknown()),
    z.transform((items, context): T[] => {
      const list: T[] = [];
      for (const [index, input] of items.entries()) {
        const parsed = item.safeParse(input);
        if (!parsed.success) {
          const [fault] = parsed.error.issues;
          context.issues.push({
            code: 'custom',
            message: fault?.message ?? '',
            path: [index, ...(fault?.path ?? [])],
            input,
          });
          return z.NEVER;
        }
        list.push(parsed.data);
      }
      return list;
    }),
  );
}
