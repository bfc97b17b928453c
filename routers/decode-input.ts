import { AppError } from '../server/lib/errors.ts';

/** Inputs are small: these limits are ten times what the largest of the contract holds. */
const DEPTH_MAX = 16;
const VALUES_MAX = 2_000;
const ANNOTATIONS_MAX = 200;
/** JSON cannot express an optional field that is set to `undefined`, the one such value in inputs of the contract. */
const UNDEFINED = 'undefined';

/**
 * Reads an input in superjson's form: `{ json, meta: { values } }`, where `values` says which places of `json` stand
 * for something that JSON cannot hold. superjson itself would build any named type (70 bytes can ask for a typed array
 * of two billion numbers), so only `undefined` is accepted, and sizes are checked before anything is changed.
 * Identities of objects (`referentialEqualities`) make no difference to an input and are not read. The parsed JSON
 * becomes the input: it is changed in place. Throws `bad_request`.
 */
export function decodeInput(payload: unknown): unknown {
  if (!isObject(payload)) throw refused('The input is not written as { "json": … }.');
  const { json, meta } = payload;
  checkSize(json);
  const annotations = isObject(meta) ? meta.values : undefined;
  if (annotations === undefined) return json;
  if (Array.isArray(annotations)) {
    checkAnnotation(annotations);
    return undefined;
  }
  if (!isObject(annotations)) throw refused('The annotations of the input cannot be read.');
  const places = Object.keys(annotations);
  if (places.length > ANNOTATIONS_MAX) throw refused(`An input has at most ${ANNOTATIONS_MAX} annotations.`);
  for (const place of places) checkAnnotation(annotations[place]);
  for (const place of places) setUndefined(json, place);
  return json;
}

/** Walks without recursion: a stranger's nesting must not decide how deep our stack goes. */
function checkSize(json: unknown): void {
  const waiting = [{ value: json, depth: 0 }];
  let count = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, depth } = next;
    count += 1;
    if (count + waiting.length > VALUES_MAX) throw refused(`An input has at most ${VALUES_MAX} values.`);
    if (!isObject(value)) continue;
    if (depth === DEPTH_MAX) throw refused(`An input is nested at most ${DEPTH_MAX} deep.`);
    for (const key in value) {
      if (key === '__proto__') throw refused('An input has no field "__proto__".');
      if (waiting.push({ value: value[key], depth: depth + 1 }) > VALUES_MAX) break;
    }
  }
}

/** Checks an annotation: a list of its kind, followed by annotations inside; `undefined` has none. */
function checkAnnotation(annotation: unknown): void {
  if (!Array.isArray(annotation)) throw refused('The annotations of the input cannot be read.');
  const [kind] = annotation;
  if (kind === UNDEFINED && annotation.length === 1) return;
  const name = String(Array.isArray(kind) ? kind[0] : kind).slice(0, 40);
  throw refused(`An input holds no value of the kind "${name}": send it as plain JSON.`);
}

/**
 * Sets a place to undefined. A place is its keys joined by dots; no field of an input has a dot or a backslash in its
 * name.
 */
function setUndefined(json: unknown, place: string): void {
  const keys = place.split('.', DEPTH_MAX + 1);
  const last = keys.pop() ?? '';
  let parent = json;
  for (const key of keys) parent = isObject(parent) && holds(parent, key) ? parent[key] : null;
  if (!isObject(parent) || !holds(parent, last)) {
    throw refused(`The input has nothing at "${place.slice(0, 100)}", which it annotates.`);
  }
  parent[last] = undefined;
}

/** Returns whether the key is own and enumerable: neither an inherited property nor the length of a list. */
function holds(object: Record<string, unknown>, key: string): boolean {
  return Object.prototype.propertyIsEnumerable.call(object, key);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function refused(message: string): AppError {
  return new AppError('bad_request', message);
}
