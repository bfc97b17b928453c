import { SESSION_EXPIRED_TOAST_MS } from '../../../routers/schemas/limits.ts';
import { clearToasts, showToast } from '../../components/overlays/toast-store.ts';
import { isAuthScreen } from '../../lib/paths/paths.ts';
import { type CountedInit, requestCounted } from '../counted-request.ts';
import { rewriteApiPath } from './rewrite.ts';
import { SessionMachine, type SessionMessage } from './session-machine.ts';
import { createTokenStore } from './token-store.ts';

const CHANNEL = 'fairlead-session';
const REFRESH_LOCK = 'fairlead-refresh';

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(CHANNEL);
const store = createTokenStore(localStorage, sessionStorage, Date.now);
let leadTo: (path: string) => void = () => {};

/** The session of this page; every HTTP call of the app goes through it. */
export const session = new SessionMachine({
  fetch: (path, init) => send(rewriteApiPath(path, location.host, __FUNCTION_API_HOST__), init),
  store,
  now: Date.now,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  // Without locks (plain http away from localhost) each tab refreshes for itself, which the server tolerates.
  exclusively: async (work) =>
    'locks' in navigator ? await navigator.locks.request(REFRESH_LOCK, work) : await work(),
  currentPath: () => location.pathname + location.search,
  isOnAuthScreen: () => isAuthScreen(location.pathname),
  notify: showSessionExpired,
  redirect: (path) => leadTo(path),
  notifyOtherTabs: (message) => channel?.postMessage(message),
});

channel?.addEventListener('message', (event: MessageEvent<SessionMessage>) => session.hear(event.data));

/** Sets the router's way to /auth; a page load would lose the tab's state. */
export function setSessionRedirect(redirect: (path: string) => void): void {
  leadTo = redirect;
}

function showSessionExpired(message: string): void {
  showToast({
    title: 'Session Expired',
    description: message,
    variant: 'destructive',
    durationMs: SESSION_EXPIRED_TOAST_MS,
  });
}

/** `timeoutMs`: the limit of one attempt, including its whole answer; after it the call fails with a TimeoutError. */
export type CallInit = CountedInit & { timeoutMs?: number };

async function send(path: string, init: CallInit): Promise<Response> {
  const { onSentBytes, timeoutMs, ...plain } = init;
  if (onSentBytes === undefined) return fetch(path, timeoutMs === undefined ? plain : endingAfter(timeoutMs, plain));
  return requestCounted(path, plain, onSentBytes);
}

function endingAfter(ms: number, init: RequestInit): RequestInit {
  const end = AbortSignal.timeout(ms);
  return { ...init, signal: init.signal ? AbortSignal.any([init.signal, end]) : end };
}

/** Carries one call under the rules of the session; for procedures, uploads and downloads alike. */
export function sessionFetch(path: string, init?: CallInit): Promise<Response> {
  return session.fetch(path, init);
}

/** Returns why the session ended, if that was less than five minutes ago: the notice of the sign-in screen. */
export function recentExpiryReason(): string | null {
  return store.recentReason();
}

/** Clears marker, remembered path and redirect flag, as each visit of the sign-in screen does. */
export function clearExpiry(): void {
  store.clearExpiry();
}

/** Returns whether this browser logged out, and did not lose its session. */
export function isSignedOut(): boolean {
  return store.isSignedOut();
}

// Toasts for one account are not for the next one, in other tabs too.
session.onAccountChange(() => {
  if (isSignedOut()) clearToasts();
});
