import * as z from 'zod/mini';

/**
 * JSON of somebody else's API, read within bounds: what is parsed and held against a schema holds the process up, and a
 * million small values take hundreds of times the memory of their text.
 */
const VALUES_MAX = 100_000;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** A comma, or the beginning of a list or an object: there are no more values than these, and one. */
const BEFORE_VALUES: ReadonlySet<number> = new Set([0x2c, 0x5b, 0x7b]);

/** Returns what the text says; an object without fields for no text, undefined for what is no JSON or has too much in it. */
export function parseAnswer(text: string, valuesMax = VALUES_MAX): unknown {
  if (text === '') return {};
  if (hasMoreValues(text, valuesMax)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a text of JSON has more values than these. */
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

/** As long as the longest record in DNS (RFC 1035, section 3.2.1); ids, names and messages are far shorter. */
const TEXT_MAX = 64 * 1024;

/**
 * Cuts each text within what `parseAnswer` returned, and strikes these secrets out of it: it is kept, shown and looked
 * through. Returns the same object.
 */
export function cleanTexts(value: unknown, secrets: readonly string[]): unknown {
  // Secrets first: one that the cut went through would no longer be found.
  const struck = (text: string): string =>
    secrets.reduce((kept, secret) => (secret === '' ? kept : kept.replaceAll(secret, '…')), text);
  const clean = (text: string): string => {
    const kept = struck(text);
    return kept.length > TEXT_MAX ? `${kept.slice(0, TEXT_MAX)}…` : kept;
  };
  const whole = { value };
  // Without recursion: it may be nested as deep as it has values.
  const open: object[] = [whole];
  for (let within = open.pop(); within !== undefined; within = open.pop()) {
    for (const [key, inner] of Object.entries(within)) {
      if (typeof inner === 'string') Reflect.set(within, key, clean(inner));
      else if (typeof inner === 'object' && inner !== null) open.push(inner);
    }
  }
  return whole.value;
}

/** A list of which the first item that does not fit is the end: `z.array` notes a fault for each of them. */
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
