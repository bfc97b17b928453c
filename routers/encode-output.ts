import superjson from 'superjson';

/** Keys of a place within a value in superjson's form: one with a dot or a backslash would have to be escaped. */
const PLAIN_KEY = /^(?!(?:__proto__|constructor|prototype)$)[^.\\]*$/;

/**
 * Returns an answer in superjson's form: `{ json, meta }`, where `meta` names the places that JSON cannot express. For
 * plain values, dates and `undefined`, which all answers consist of, `json` is the value itself, for `JSON.stringify`,
 * in a tenth of the time that superjson takes for a list. Anything else is left to superjson.
 */
export function encodeOutput(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return superjson.serialize(value);
  const values: Record<string, [kind: 'Date' | 'undefined']> = {};
  if (!note(value, '', values)) return superjson.serialize(value);
  return Object.keys(values).length === 0 ? { json: value } : { json: value, meta: { values, v: 1 } };
}

/** Notes the places within an object; returns false when it holds anything that is left to superjson. */
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
