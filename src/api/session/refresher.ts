import { REFRESH_THROTTLE_MS } from '../../../routers/schemas/limits.ts';
import { SESSION_TEXTS } from './session-errors.ts';
import type { Access, TokenStore } from './token-store.ts';

/**
 * The result of a refresh. `over`: the session is, for one of `SESSION_TEXTS`. `unavailable`: there was no answer, or
 * not now, and nothing ends.
 */
export type RefreshOutcome = { kind: 'fresh' } | { kind: 'over'; reason: string } | { kind: 'unavailable' };

export type RefresherDeps = {
  fetch: (path: string, init: RequestInit) => Promise<Response>;
  store: TokenStore;
  now: () => number;
  sleep: (ms: number) => Promise<void>;
  /** Runs one at a time over all tabs of the browser. */
  exclusively: <Result>(work: () => Promise<Result>) => Promise<Result>;
  accept: (access: Access, response: Response) => void;
};

/** A hanging refresh would hold up every call of every tab. */
const REFRESH_TIMEOUT_MS = 15_000;

/**
 * Creates a refresh that many calls share, with at most one attempt in two seconds over all tabs. `rejectedToken` is
 * the one that the server has just refused; a different usable one in the store means that another tab was faster, and
 * nothing is sent.
 */
export function createRefresher(deps: RefresherDeps): (rejectedToken: string | null) => Promise<RefreshOutcome> {
  let running: Promise<RefreshOutcome> | null = null;

  return (rejectedToken) => {
    running ??= deps
      .exclusively(() => attempt(deps, rejectedToken))
      .finally(() => {
        running = null;
      });
    return running;
  };
}

async function attempt(deps: RefresherDeps, rejectedToken: string | null): Promise<RefreshOutcome> {
  const { store } = deps;
  const usable = store.usableToken();
  if (usable !== null && usable !== rejectedToken) return { kind: 'fresh' };

  const waitMs = Math.max(remaining(store.lastRefreshAt() + REFRESH_THROTTLE_MS), remaining(store.refreshNotBefore()));
  // If the server asks for a longer wait than one throttle, the call fails and the session stays.
  if (waitMs > REFRESH_THROTTLE_MS) return { kind: 'unavailable' };
  if (waitMs > 0) await deps.sleep(waitMs);
  store.markRefreshStarted();

  const response = await deps
    .fetch('/api/refresh-token', {
      method: 'POST',
      credentials: 'same-origin',
      signal: AbortSignal.timeout(REFRESH_TIMEOUT_MS),
    })
    .catch(() => null);
  // The body is read in any case: an unread one keeps its connection until the timeout.
  const body: unknown = await response?.json().catch(() => null);
  if (response === null || isPassing(response.status)) {
    store.saveRefreshAttempt(notBefore(response, deps.now()));
    return { kind: 'unavailable' };
  }
  store.saveRefreshAttempt(null);
  if (!response.ok) {
    store.markRefreshRefused();
    const isDeleted = Object(body).code === 'account_deleted';
    return { kind: 'over', reason: isDeleted ? SESSION_TEXTS.accountDeleted : SESSION_TEXTS.expired };
  }
  const access = readAccess(body);
  if (access === null) return { kind: 'over', reason: SESSION_TEXTS.other('the answer held no access token') };
  deps.accept(access, response);
  return { kind: 'fresh' };

  /** Returns the remaining time, never more than a day: a clock that was set back must not block the refresh. */
  function remaining(until: number): number {
    const ms = until - deps.now();
    return ms > 0 && ms < 24 * 60 * 60_000 ? ms : 0;
  }
}

/** Returns whether the status says nothing about the session: no answer, 408, 429 and 5xx end none. */
function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

function notBefore(response: Response | null, now: number): number | null {
  const seconds = Number(response?.headers.get('Retry-After') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? now + seconds * 1_000 : null;
}

/** The answer to a refresh, as JSON. */
function readAccess(body: unknown): Access | null {
  if (typeof body !== 'object' || body === null || !('accessToken' in body) || !('expiresAt' in body)) return null;
  const { accessToken, expiresAt } = body;
  if (typeof accessToken !== 'string' || accessToken === '') return null;
  if (typeof expiresAt !== 'string' && typeof expiresAt !== 'number') return null;
  const end = new Date(expiresAt);
  return Number.isNaN(end.getTime()) ? null : { accessToken, expiresAt: end };
}
