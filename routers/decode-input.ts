import { AppError } from '../server/lib/errors.ts';

/** Inputs are small: these limits are ten times what the largest of the contract holds. */
const DEPTH_MAX = 16;
const VALUES_MAX = 2_000;

/**
 * Reads an input in the clients' form: `{ json }`, plain JSON. Annotations are refused, because superjson would build any
 * type that a stranger names (70 bytes can ask for a typed array of two billion numbers); of those that a client of an
 * earlier version writes, one is read: the one for no input at all. Throws `bad_request`.
 */
export function decodeInput(payload: unknown): unknown {
  if (!isObject(payload)) throw refused('Write the input as { "json": … }.');
  const { json, meta } = payload;
  checkSize(json);
  const annotations = isObject(meta) ? meta.values : undefined;
  if (annotations === undefined) return json;
  if (Array.isArray(annotations) && annotations.length === 1 && annotations[0] === 'undefined') return undefined;
  throw refused(
    'Send the input as plain JSON, without “meta”. Reload the page, or update the client that your script uses.',
  );
}

/** Walks without recursion: a stranger's nesting must not decide how deep our stack goes. */
function checkSize(json: unknown): void {
  const waiting = [{ value: json, depth: 0 }];
  let count = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, depth } = next;
    count += 1;
    if (count + waiting.length > VALUES_MAX) throw refused(`An input can have at most ${VALUES_MAX} values.`);
    if (!isObject(value)) continue;
    if (depth === DEPTH_MAX) throw refused(`An input can be nested at most ${DEPTH_MAX} levels deep.`);
    for (const key in value) {
      if (key === '__proto__') throw refused('An input cannot have a field "__proto__".');
      if (waiting.push({ value: value[key], depth: depth + 1 }) > VALUES_MAX) break;
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function refused(message: string): AppError {
  return new AppError('bad_request', message);
}
