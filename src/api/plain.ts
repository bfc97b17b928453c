import { ResponseError, throwIfNotOk } from './errors.ts';
import { cacheKey, getCache } from './get-cache.ts';
import { session, sessionFetch } from './session.ts';
import { SessionEndedError } from './session-errors.ts';

/**
 * One call of the REST contract (specification, section 7): a JSON body only with a payload, an error `status: body`.
 * Throws ResponseError, and what sessionFetch throws.
 */
export async function callApi(method: string, path: string, payload?: unknown): Promise<Response> {
  const body =
    payload === undefined ? {} : { body: JSON.stringify(payload), headers: { 'Content-Type': 'application/json' } };
  if (method !== 'GET') getCache.clear();
  try {
    return await throwIfNotOk(await sessionFetch(path, { method, ...body }));
  } finally {
    if (method !== 'GET') getCache.clear();
  }
}

/**
 * A GET of the REST contract through the GET cache; the query key of a plain query is its path.
 * `on401: 'null'` answers null where nobody is signed in, instead of throwing. `isAgain` goes past the cache (Retry).
 */
export async function getApi(
  path: string,
  { on401 = 'throw', isAgain = false }: { on401?: 'null' | 'throw'; isAgain?: boolean } = {},
): Promise<unknown> {
  const key = cacheKey(session, path, null);
  const hit = key === null || isAgain ? null : getCache.get(key);
  if (hit !== null) return hit.value;
  const generation = getCache.generation();
  try {
    const value: unknown = await (await callApi('GET', path)).json();
    if (key !== null) getCache.set(key, value, generation);
    return value;
  } catch (error) {
    const isSignedOut = error instanceof SessionEndedError || (error instanceof ResponseError && error.status === 401);
    if (on401 === 'null' && isSignedOut) return null;
    throw error;
  }
}
