import { GET_CACHE_ENTRIES, GET_CACHE_MS } from '../../routers/schemas/limits.ts';

type Entry = { value: unknown; until: number };

/** What is never cached, by procedure or path: it changes by itself, or belongs to the session. */
const EXCEPTIONS = /user|auth|login|register|logout|refresh-token/;

/**
 * A cache of GET answers: five minutes, a hundred entries, the oldest goes first. Keyed by account, procedure (or path)
 * and input, so that two accounts of one browser never share an answer.
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
    /** `sinceGeneration`: the one that was read when the request left; an answer from before an emptying is not kept. */
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

/** Whether answers to this procedure or path may be kept at all. */
export function isCacheable(name: string): boolean {
  return !EXCEPTIONS.test(name.toLowerCase());
}

/**
 * Key of an answer, or null where it must not be cached: while a token is here whose account is not known yet, nobody
 * can say to whom the answer belongs.
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
