import superjson from 'superjson';

/** A place within a value, as superjson writes it: a key with a dot or a backslash in it would have to be escaped. */
const PLAIN_KEY = /^(?!(?:__proto__|constructor|prototype)$)[^.\\]*$/;

/**
 * Returns an answer as superjson reads it: `{ json, meta }`, where `meta` names the places of what JSON has no word for. Of
 * plain values, dates and `undefined`, which answers consist of, `json` is the value itself, to be written by
 * `JSON.stringify`, in a tenth of the time that superjson takes for a list. All else is left to superjson.
 */
export function encodeOutput(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return superjson.serialize(value);
  const values: Record<string, [kind: 'Date' | 'undefined']> = {};
  if (!note(value, '', values)) return superjson.serialize(value);
  return Object.keys(values).length === 0 ? { json: value } : { json: value, meta: { values, v: 1 } };
}

/** Notes the places within an object; false when it holds anything that is left to superjson. */
function note(object: object, prefix: string, values: Record<string, [kind: 'Date' | 'undefined']>): boolean {
  const prototype = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return false;
  for (const [key, value] of Object.entries(object)) {
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) continue;
    if (typeof value === 'number' && Number.isFinite(value)) continue;
    if (!PLAIN_KEY.test(key)) return false;
    if (value === undefined) values[prefix + key] = ['undefined'];
    else if (value instanceof Date && !Number.isNaN(value.getTime())) values[prefix + key] = ['Date'];
    else if (typeof value !== 'object' || !note(value, `${prefix}${key}.`, values)) return false;
  }
  return true;
}
