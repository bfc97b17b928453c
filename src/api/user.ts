import type { SignedIn } from '../../routers/schemas/auth.ts';
import type { User } from '../../routers/schemas/user.ts';
import { createStore, useStore } from '../lib/store.ts';
import { onMutation } from './after-mutation.ts';
import { isSignedOutError } from './errors.ts';
import { session } from './session.ts';

type UserState = { user: User | null; isLoading: boolean; error: Error | null };

/** Not in the query cache, so that a visitor's first page needs no tRPC: only the refresh asks about a visitor. */
const current = createStore<UserState>({ user: null, isLoading: true, error: null }, askOnce);
/** Counts the questions: an answer to an older one is not believed. */
let asked = 0;

/**
 * The signed-in person, `null` for a visitor. While a session is ending, `user` stays what it was, or loading, so that
 * the screen stands until the notice has been read. `error` only when nobody could say who is signed in.
 */
export function useUser(): UserState & { retry: () => void } {
  const { user, isLoading, error } = useStore(current);
  const state = useStore({ get: session.state, subscribe: session.subscribe });
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
  if (current.get().error !== null) current.set({ user: null, isLoading: true, error: null });
  const next = await fetchUser().then(
    (user) => ({ user, isLoading: false, error: null }),
    (cause: unknown) => ({
      user: current.get().user,
      isLoading: false,
      error: current.get().user === null ? asError(cause) : null,
    }),
  );
  if (question === asked) current.set(next);
}

/** Stores the token of a login or registration, drops what was fetched for whoever was here, and shows the new user at once. */
export function signInAs({ accessToken, expiresAt, ...user }: SignedIn): void {
  asked += 1;
  current.set({ user, isLoading: false, error: null });
  session.signIn({ accessToken, expiresAt }, user.id);
}

/** A 401 means that nobody is signed in; without a token there is nobody to ask about. */
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

/** The first who wants to know makes the app ask. */
function askOnce(): () => void {
  if (asked === 0) void refreshUser();
  return () => undefined;
}

function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}

onMutation(refreshUser);

session.onAccountChange(() => {
  if (session.hasToken() && current.get().user?.id === session.accountId()) return;
  asked += 1;
  current.set({ user: null, isLoading: session.hasToken(), error: null });
  if (session.hasToken()) void refreshUser();
});
