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
