import { hashKey, QueryClient } from '@tanstack/react-query';
import { getCache } from './get-cache.ts';
import { session } from './session.ts';

/**
 * Queries never go stale, since every mutation and every event asks again what is on screen. They are not fetched again
 * on focus, do not poll and do not retry; nor do mutations.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
      // Without a network a question fails at once and can be asked again; the library's own way is to wait, in silence.
      networkMode: 'always',
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/**
 * Whether a query is asked for the first time, as far as the page knows: one that has an answer or an error already is
 * being asked again on purpose, by Retry or because something changed, and must not be answered from the GET cache.
 */
export function isFirstLook(path: string, input: unknown): boolean {
  const procedure = path.split('.');
  const wanted = hashKey([withoutPage(input)]);
  return !queryClient
    .getQueryCache()
    .findAll({ queryKey: [procedure] })
    .some(({ queryKey, state }) => {
      const isKnown = state.dataUpdateCount > 0 || state.errorUpdateCount > 0 || state.isInvalidated;
      return isKnown && hashKey([withoutPage(inputOf(queryKey))]) === wanted;
    });
}

/** Key of tRPC's React binding: the procedure, then its input and type. */
function inputOf(queryKey: readonly unknown[]): unknown {
  const details = queryKey[1];
  return typeof details === 'object' && details !== null && 'input' in details ? details.input : undefined;
}

/** All pages of an infinite query share one key, without cursor and direction. */
function withoutPage(input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input;
  const { cursor: _cursor, direction: _direction, ...rest } = { cursor: null, direction: null, ...input };
  return rest;
}

let fetchedFor = session.accountId();

/** Whatever was fetched for one account is gone before the next one, or nobody, looks at the page. */
session.onAccountChange(() => {
  getCache.clear();
  const isSameAccount = session.hasToken() && session.accountId() === fetchedFor;
  fetchedFor = session.accountId();
  if (isSameAccount) {
    void queryClient.invalidateQueries();
  } else if (session.hasToken()) {
    queryClient.removeQueries({ type: 'inactive' });
    void queryClient.resetQueries();
  } else {
    // After the guards have closed the screens: what is still on screen is public and is asked again.
    setTimeout(() => {
      queryClient.removeQueries({ type: 'inactive' });
      void queryClient.invalidateQueries();
    }, 0);
  }
});
