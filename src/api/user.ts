import { useSyncExternalStore } from 'react';
import type { SignedIn } from '../../routers/schemas/auth.ts';
import type { User } from '../../routers/schemas/user.ts';
import { onMutation } from './after-mutation.ts';
import { isSignedOutError } from './errors.ts';
import { session } from './session.ts';

type UserState = { user: User | null; isLoading: boolean; error: Error | null };

/** Beside the query cache, so that a visitor's first page needs no tRPC: a visitor is asked about by the refresh alone. */
let current: UserState = { user: null, isLoading: true, error: null };
const listeners = new Set<() => void>();
/** Counts the questions: an answer to an older one is not believed. */
let asked = 0;

/**
 * The signed-in person, `null` for a visitor. While a session is ending, `user` stays what it was, or loading, so that
 * the screen stands until the notice has been read. `error` only when nobody could say who is signed in.
 */
export function useUser(): UserState & { retry: () => void } {
  const { user, isLoading, error } = useSyncExternalStore(subscribe, () => current);
  const state = useSyncExternalStore(session.subscribe, session.state);
  return {
    user,
    isLoading: isLoading || (state === 'ending' && user === null),
    error,
    retry: () => void refreshUser(),
  };
}

/** Asks again who is signed in; what is known stays shown meanwhile. */
export async function refreshUser(): Promise<void> {
  asked += 1;
  const question = asked;
  if (current.error !== null) set({ user: null, isLoading: true, error: null });
  const next = await fetchUser().then(
    (user) => ({ user, isLoading: false, error: null }),
    (cause: unknown) => ({
      user: current.user,
      isLoading: false,
      error: current.user === null ? asError(cause) : null,
    }),
  );
  if (question === asked) set(next);
}

/** After login and registration: stores the token, drops what was fetched for whoever was here, and knows the new user at once. */
export function signInAs({ accessToken, expiresAt, ...user }: SignedIn): void {
  asked += 1;
  set({ user, isLoading: false, error: null });
  session.signIn({ accessToken, expiresAt }, user.id);
}

/** A 401 yields the null user (specification, section 7); without a token there is nobody to ask about. */
async function fetchUser(): Promise<User | null> {
  try {
    if (!(await session.whenReady())) return null;
    const { trpcClient } = await import('./trpc.ts');
    const user = await trpcClient.user.get.query();
    session.rememberAccount(user.id);
    return user;
  } catch (error) {
    if (isSignedOutError(error)) return null;
    throw error;
  }
}

function set(next: UserState): void {
  current = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (asked === 0) void refreshUser();
  return () => listeners.delete(listener);
}

function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}

onMutation(refreshUser);

session.onAccountChange(() => {
  if (session.hasToken() && current.user?.id === session.accountId()) return;
  asked += 1;
  set({ user: null, isLoading: session.hasToken(), error: null });
  if (session.hasToken()) void refreshUser();
});
