import { GET_CACHE_ENTRIES, GET_CACHE_MS } from '../../routers/schemas/limits.ts';

type Entry = { value: unknown; until: number };

/** Procedures and paths that are never cached: their answers change by themselves, or belong to the session. */
const EXCEPTIONS = /user|auth|login|register|logout|refresh-token/;

/**
 * A cache of GET answers for five minutes with a hundred entries; the oldest is dropped first. Its keys have account,
 * procedure (or path) and input, so that two accounts of one browser never share an answer.
 */
export function createGetCache(now: () => number) {
  const entries = new Map<string, Entry>();
  let generation = 0;

  return {
    get(key: string): { value: unknown } | null {
      const entry = entries.get(key);
      if (entry === undefined) return null;
      if (entry.until > now()) return { value: entry.value };
      entries.delete(key);
      return null;
    },
    /**
     * `sinceGeneration`: the generation when the request was sent; an answer from before the cache was emptied is
     * dropped.
     */
    set(key: string, value: unknown, sinceGeneration: number): void {
      if (sinceGeneration !== generation) return;
      entries.delete(key);
      entries.set(key, { value, until: now() + GET_CACHE_MS });
      const [oldest] = entries.keys();
      if (entries.size > GET_CACHE_ENTRIES && oldest !== undefined) entries.delete(oldest);
    },
    generation: () => generation,
    clear(): void {
      generation += 1;
      entries.clear();
    },
    size: () => entries.size,
  };
}

/** Returns whether answers to this procedure or path may be cached at all. */
export function isCacheable(name: string): boolean {
  return !EXCEPTIONS.test(name.toLowerCase());
}

/**
 * Returns the key of an answer, or null when it must not be cached: while the account of a token is not known yet,
 * nobody can say whose answer it is.
 */
export function cacheKey(
  session: { hasToken(): boolean; accountId(): string | null },
  name: string,
  input: unknown,
): string | null {
  if (!isCacheable(name)) return null;
  const accountId = session.accountId();
  if (session.hasToken() && accountId === null) return null;
  return JSON.stringify([session.hasToken() ? accountId : '', name, input ?? null]);
}

export const getCache = createGetCache(Date.now);
