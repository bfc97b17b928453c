import { hashKey, QueryClient } from '@tanstack/react-query';
import { wasAnswered } from './errors.ts';
import { getCache } from './get-cache.ts';
import { session } from './session/session.ts';

/**
 * Queries never go stale, since every mutation and every event fetches again what is on screen. They are not fetched
 * again on focus, do not poll and do not retry, except those that got no answer once the network is back; nor do
 * mutations.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
      // Without a network a query fails at once and can be retried; the library's default is to wait silently.
      networkMode: 'always',
      refetchOnWindowFocus: false,
      // Nobody has to press Retry for what the network kept away; what was answered stays as it is.
      refetchOnReconnect: ({ state }) => state.status === 'error' && !wasAnswered(state.error) && 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/**
 * Returns whether a query is sent for the first time on this page. One that has an answer or an error is being
 * repeated on purpose, by Retry or because something changed, and must not be answered from the GET cache.
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

/** Reads the input from a key of tRPC's React binding: the procedure, then its input and type. */
function inputOf(queryKey: readonly unknown[]): unknown {
  const details = queryKey[1];
  return typeof details === 'object' && details !== null && 'input' in details ? details.input : undefined;
}

/** Removes cursor and direction: all pages of an infinite query share one key. */
function withoutPage(input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input;
  const { cursor: _cursor, direction: _direction, ...rest } = { cursor: null, direction: null, ...input };
  return rest;
}

let fetchedFor = session.accountId();

/** Drops one account's data before the next account, or a visitor, sees the page. */
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
    // This comes after the guards have closed the screens: queries still on screen are public and fetched again.
    setTimeout(() => {
      queryClient.removeQueries({ type: 'inactive' });
      void queryClient.invalidateQueries();
    }, 0);
  }
});
