import type { SignedIn } from '../../routers/schemas/auth.ts';
import type { User } from '../../routers/schemas/user.ts';
import { createStore, useStore } from '../lib/store.ts';
import { onMutation } from './after-mutation.ts';
import { isSignedOutError } from './errors.ts';
import { session } from './session/session.ts';

type UserState = { user: User | null; isLoading: boolean; error: Error | null };

/**
 * Held outside the query cache, so that a visitor's first page needs no tRPC: a visitor's page only tries the refresh.
 */
const current = createStore<UserState>({ user: null, isLoading: true, error: null }, askOnce);
/** Counts the requests: an answer to an older one is ignored. */
let asked = 0;

/**
 * Returns the signed-in person, `null` for a visitor. While a session is ending, `user` stays what it was, or loading,
 * so that the screen stays until the notice has been read. `error` is only set when nobody could say who is signed in.
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

/** Fetches the signed-in person again; the present one stays shown meanwhile. */
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

/**
 * Stores the token of a login or registration, drops the data of the previous person, and shows the new one at once.
 */
export function signInAs({ accessToken, expiresAt, ...user }: SignedIn): void {
  asked += 1;
  current.set({ user, isLoading: false, error: null });
  session.signIn({ accessToken, expiresAt }, user.id);
}

/** Fetches the user. A 401 means that nobody is signed in; without a token there is nothing to ask. */
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

/** Starts the first request when somebody first needs the user, and asks again what the network kept away. */
function askOnce(): () => void {
  const askAgain = () => {
    if (current.get().error !== null) void refreshUser();
  };
  addEventListener('online', askAgain);
  if (asked === 0) void refreshUser();
  return () => removeEventListener('online', askAgain);
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
