import { hashKey, type Query, useQuery } from '@tanstack/react-query';
import { getQueryKey } from '@trpc/react-query';
import { useSyncExternalStore } from 'react';
import type { SignedIn } from '../../routers/schemas/auth.ts';
import type { User } from '../../routers/schemas/user.ts';
import { isSignedOutError } from './errors.ts';
import { getCache } from './get-cache.ts';
import { queryClient } from './query-client.ts';
import { session } from './session.ts';
import { trpc, trpcClient } from './trpc.ts';

/** The key of `user.get` for the hooks of tRPC too, so that everybody sees the same user. */
export const userKey = getQueryKey(trpc.user.get, undefined, 'query');

/**
 * The signed-in person, `null` for a visitor. While a session is ending, `user` stays what it was, or loading, so that
 * the screen stands until the notice has been read. `error` only when nobody could say who is signed in.
 */
export function useUser(): { user: User | null; isLoading: boolean; error: Error | null; retry: () => void } {
  const query = useQuery({ queryKey: userKey, queryFn: fetchUser });
  const state = useSyncExternalStore(session.subscribe, session.state);
  const user = query.data ?? null;
  const isLoading = query.isPending || (state === 'ending' && user === null);
  return { user, isLoading, error: query.data === undefined ? query.error : null, retry: () => void query.refetch() };
}

/** After login and registration: stores the token, drops what was fetched for whoever was here, and knows the new user at once. */
export function signInAs({ accessToken, expiresAt, ...user }: SignedIn): void {
  session.signIn({ accessToken, expiresAt }, user.id);
  queryClient.setQueryData<User | null>(userKey, user);
}

/** A 401 yields the null user (specification, section 7); without a token there is nobody to ask about. */
async function fetchUser(): Promise<User | null> {
  try {
    if (!(await session.whenReady())) return null;
    const user = await trpcClient.user.get.query();
    session.rememberAccount(user.id);
    return user;
  } catch (error) {
    if (isSignedOutError(error)) return null;
    throw error;
  }
}

const userHash = hashKey(userKey);
const isOtherQuery = (query: Query): boolean => query.queryHash !== userHash;

/** Whatever was fetched for one account is gone before the next one, or nobody, looks at the page. */
session.onAccountChange(() => {
  getCache.clear();
  const known = queryClient.getQueryData<User | null>(userKey);
  if (!session.hasToken()) {
    queryClient.setQueryData<User | null>(userKey, null);
    // After the guards have closed the screens: what is still on screen is public and is asked again.
    setTimeout(() => {
      queryClient.removeQueries({ predicate: isOtherQuery, type: 'inactive' });
      void queryClient.invalidateQueries({ predicate: isOtherQuery });
    }, 0);
  } else if (known?.id === session.accountId()) {
    void queryClient.invalidateQueries();
  } else {
    queryClient.removeQueries({ predicate: isOtherQuery, type: 'inactive' });
    void queryClient.resetQueries();
  }
});
