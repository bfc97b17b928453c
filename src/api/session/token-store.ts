import { SESSION_EXPIRY_MESSAGE_WINDOW_MS } from '../../../routers/schemas/limits.ts';
import { LOCAL_KEYS, SESSION_KEYS } from '../../lib/storage/storage.ts';

export type Access = { accessToken: string; expiresAt: Date };
export type ExpiryMarker = { reason: string; at: number };

const DEFAULT_EXPIRY_REASON = 'Your session has expired. Please log in again.';

/** Gives access to the session's part of the browser's storage, read again each time, since other tabs write too. */
export function createTokenStore(local: Storage, session: Storage, now: () => number) {
  const readNumber = (key: string): number => Number(local.getItem(key) ?? 0) || 0;

  return {
    token: () => local.getItem(LOCAL_KEYS.accessToken),
    /** Returns the token, unless it has expired by this browser's clock. */
    usableToken: () => (now() < readNumber(LOCAL_KEYS.accessExpiresAt) ? local.getItem(LOCAL_KEYS.accessToken) : null),
    isHeld: () => local.getItem(LOCAL_KEYS.sessionHeld) !== null || local.getItem(LOCAL_KEYS.accessToken) !== null,
    isSignedOut: () => local.getItem(LOCAL_KEYS.signedOut) !== null,
    accountId: () => local.getItem(LOCAL_KEYS.accountId),
    lastRefreshAt: () => readNumber(LOCAL_KEYS.lastRefreshAt),
    refreshRefusedAt: () => readNumber(LOCAL_KEYS.refreshRefusedAt),
    refreshNotBefore: () => readNumber(LOCAL_KEYS.refreshNotBefore),

    /** `clockSkewMs`: the lead of this browser's clock over the server's, so that a wrong clock ends no token early. */
    saveAccess(access: Access, clockSkewMs: number): void {
      local.setItem(LOCAL_KEYS.accessToken, access.accessToken);
      local.setItem(LOCAL_KEYS.accessExpiresAt, String(access.expiresAt.getTime() + clockSkewMs));
      local.setItem(LOCAL_KEYS.sessionHeld, 'true');
      local.removeItem(LOCAL_KEYS.signedOut);
    },
    saveAccountId: (accountId: string) => local.setItem(LOCAL_KEYS.accountId, accountId),
    saveRefreshAttempt(notBefore: number | null): void {
      if (notBefore === null) local.removeItem(LOCAL_KEYS.refreshNotBefore);
      else local.setItem(LOCAL_KEYS.refreshNotBefore, String(notBefore));
    },
    markRefreshStarted: () => local.setItem(LOCAL_KEYS.lastRefreshAt, String(now())),
    markRefreshRefused: () => local.setItem(LOCAL_KEYS.refreshRefusedAt, String(now())),
    dropToken: () => local.removeItem(LOCAL_KEYS.accessToken),
    /**
     * Forgets the session; `isSignedOut` prevents the next start from silently refreshing into an account that was
     * left.
     */
    clear({ isSignedOut }: { isSignedOut: boolean }): void {
      for (const key of [LOCAL_KEYS.accessToken, LOCAL_KEYS.accountId, LOCAL_KEYS.sessionHeld]) local.removeItem(key);
      if (isSignedOut) local.setItem(LOCAL_KEYS.signedOut, 'true');
    },

    isRedirectDone: () => session.getItem(SESSION_KEYS.expiredRedirectDone) !== null,
    rememberPath: (path: string) => session.setItem(SESSION_KEYS.lastPath, path),
    markRedirectDone: () => session.setItem(SESSION_KEYS.expiredRedirectDone, 'true'),
    writeMarker: (reason: string) => session.setItem(SESSION_KEYS.expiryMarker, JSON.stringify({ reason, at: now() })),
    /** Returns the reason of an expiry less than five minutes ago, else null. */
    recentReason(): string | null {
      const marker = parseMarker(session.getItem(SESSION_KEYS.expiryMarker));
      if (marker === null || now() - marker.at >= SESSION_EXPIRY_MESSAGE_WINDOW_MS) return null;
      return marker.reason === '' ? DEFAULT_EXPIRY_REASON : marker.reason;
    },
    clearExpiry(): void {
      session.removeItem(SESSION_KEYS.expiryMarker);
      session.removeItem(SESSION_KEYS.lastPath);
      session.removeItem(SESSION_KEYS.expiredRedirectDone);
    },
  };
}

export type TokenStore = ReturnType<typeof createTokenStore>;

function parseMarker(stored: string | null): ExpiryMarker | null {
  if (stored === null) return null;
  try {
    const value: unknown = JSON.parse(stored);
    if (typeof value !== 'object' || value === null || !('at' in value) || typeof value.at !== 'number') return null;
    return { at: value.at, reason: 'reason' in value && typeof value.reason === 'string' ? value.reason : '' };
  } catch {
    return null;
  }
}
