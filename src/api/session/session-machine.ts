import {
  REFRESH_THROTTLE_MS,
  SESSION_NOTICE_DELAY_MS,
  SESSION_REDIRECT_DELAY_MS,
} from '../../../routers/schemas/limits.ts';
import { createRefresher, type RefreshOutcome } from './refresher.ts';
import { clockSkew, mayRepeat, type RequestKind, refusesToken, requestHeaders, requestKind } from './request-rules.ts';
import { SESSION_TEXTS, SessionEndedError, SessionUnavailableError } from './session-errors.ts';
import type { Access, TokenStore } from './token-store.ts';

/**
 * The states of the client's session.
 *
 * `unknown`: nothing was asked yet. `held`: a token is, or was, here. `anonymous`: nobody is signed in. `ending`: it
 * was refused; the notice and the redirect are about to come, and the screen stays until then.
 */
export type SessionState = 'unknown' | 'held' | 'anonymous' | 'ending';

/** A message from one tab to the others. */
export type SessionMessage =
  | { kind: 'signed-in'; accountId: string; reason?: undefined }
  | { kind: 'leaving'; reason?: undefined }
  | { kind: 'ended'; reason: string };

export type SessionDeps = {
  fetch: (path: string, init: RequestInit) => Promise<Response>;
  store: TokenStore;
  now: () => number;
  sleep: (ms: number) => Promise<void>;
  exclusively: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Path and query of the page. */
  currentPath: () => string;
  /** Returns whether the page is one of the three addresses of the sign-in screen. */
  isOnAuthScreen: () => boolean;
  /** Shows the session-expired toast. */
  notify: (message: string) => void;
  /** Leads to /auth with the path to return to. */
  redirect: (path: string) => void;
  notifyOtherTabs: (message: SessionMessage) => void;
};

/** An error that `fetch` threw; any other error in here is a defect of this code or of the browser's storage. */
class NetworkFailure extends Error {}

export class SessionMachine {
  readonly #deps: SessionDeps;
  readonly #store: TokenStore;
  readonly #refresh: (rejectedToken: string | null) => Promise<RefreshOutcome>;
  readonly #listeners = new Set<() => void>();
  readonly #accountListeners = new Set<(reason?: string) => void>();
  #state: SessionState;
  #silentStart: Promise<void> | null = null;
  #timers: ReturnType<typeof setTimeout>[] = [];
  /** True while somebody logs out, here or in another tab: then the end of the session is expected. */
  #isLeaving = false;
  /** The lead of this browser's clock over the server's, by the newest answer. */
  #clockSkewMs = 0;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#store = deps.store;
    this.#state = deps.store.isHeld() ? 'held' : 'unknown';
    this.#refresh = createRefresher({ ...deps, accept: (access, response) => this.#keep(access, response) });
  }

  /**
   * Carries one HTTP call of the app. Throws SessionEndedError when the session is over, SessionUnavailableError when
   * that cannot be determined, and the error of `fetch` when the network fails.
   */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const kind = requestKind(path);
    try {
      return await this.#request(kind, path, init);
    } catch (error) {
      if (error instanceof NetworkFailure) throw error.cause;
      if (error instanceof SessionEndedError || error instanceof SessionUnavailableError) throw error;
      return this.#endByFault(kind, error);
    }
  }

  state = (): SessionState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Calls the listener when the data fetched so far belongs to another account, or to nobody for that reason. */
  onAccountChange(listener: (reason?: string) => void): () => void {
    this.#accountListeners.add(listener);
    return () => this.#accountListeners.delete(listener);
  }

  /** Completes the start; returns whether there is a token, for calls that ask for the current user. */
  async whenReady(): Promise<boolean> {
    await this.#ready('user');
    return this.hasToken();
  }

  /** Returns a token for a socket that is about to open; a refusal ends the session like that of any call. */
  async freshToken(): Promise<string> {
    await this.#ready('normal');
    const token = this.#store.token();
    if (token === null) throw new SessionEndedError(SESSION_TEXTS.expired);
    return token;
  }

  accountId(): string | null {
    return this.#store.accountId();
  }

  /** Returns whether a token is stored, for any account. */
  hasToken(): boolean {
    return this.#store.token() !== null;
  }

  rememberAccount(accountId: string): void {
    if (this.hasToken() && this.accountId() !== accountId) this.#store.saveAccountId(accountId);
  }

  /** Replaces the session after login and registration. */
  signIn(access: Access, accountId: string): void {
    this.#stopEnding();
    this.#store.clear({ isSignedOut: false });
    this.#store.saveAccess(access, this.#clockSkewMs);
    this.#store.saveAccountId(accountId);
    this.#store.clearExpiry();
    this.#deps.notifyOtherTabs({ kind: 'signed-in', accountId });
    this.#changeAccount('held');
  }

  /** Removes the token of a failed login; one that another tab may have is refreshed by its cookie. */
  dropToken(): void {
    this.#store.dropToken();
  }

  /** Checks at once whether the session is over, as after a 401, because the server ended one of its sockets. */
  async distrustToken(): Promise<void> {
    const token = this.#store.token();
    if (token !== null && !this.#isLeaving) await this.#demandFresh('normal', token);
  }

  /** Must be called before the logout is sent: the server ends the sockets of the session sooner than it answers. */
  startSignOut(): void {
    this.#isLeaving = true;
    this.#deps.notifyOtherTabs({ kind: 'leaving' });
  }

  /** Ends the session here, whatever the server answered; the other tabs are told the reason. */
  signOut(reason: string = SESSION_TEXTS.loggedOut): void {
    this.#stopEnding();
    this.#store.clear({ isSignedOut: true });
    this.#deps.notifyOtherTabs({ kind: 'ended', reason });
    this.#changeAccount('anonymous', reason);
  }

  /** Handles a message of another tab; its storage is shared with this one. */
  hear(message: SessionMessage): void {
    this.#isLeaving = message.kind === 'leaving';
    if (this.#isLeaving) return;
    this.#stopEnding();
    if (message.kind === 'ended' && ['held', 'ending'].includes(this.#state) && !this.#deps.isOnAuthScreen()) {
      this.#store.writeMarker(message.reason);
    }
    this.#changeAccount(message.kind === 'signed-in' ? 'held' : 'anonymous', message.reason);
  }

  async #request(kind: RequestKind, path: string, init: RequestInit): Promise<Response> {
    if (kind === 'bare' || kind === 'logout') return (await this.#send(kind, path, init)).response;
    await this.#ready(kind);
    const first = await this.#send(kind, path, init);
    if (first.token === null || !mayRepeat(init, first.response) || !(await refusesToken(first.response))) {
      return first.response;
    }
    await this.#demandFresh(kind, first.token);
    const second = await this.#send(kind, path, init);
    if (await refusesToken(second.response)) this.#end(kind, SESSION_TEXTS.failed);
    return second.response;
  }

  /** Ensures that a held session has a usable token before a request is sent. */
  async #ready(kind: RequestKind): Promise<void> {
    if (this.#store.usableToken() !== null) return;
    if (!this.#store.isHeld()) return this.#startSilently();
    await this.#demandFresh(kind, this.#store.token());
  }

  /**
   * Makes the one silent refresh of a browser without a session: there may still be a cookie. The result ends nothing.
   */
  #startSilently(): Promise<void> {
    this.#silentStart ??= (async () => {
      // It was refused a moment ago, before a reload: a visitor need not wait for the same answer. A refresh that a
      // reload cut off gave none.
      const wasJustRefused = this.#deps.now() - this.#store.refreshRefusedAt() < REFRESH_THROTTLE_MS;
      if (!this.#store.isSignedOut() && !wasJustRefused) await this.#refresh(null);
      if (!this.#store.isHeld()) this.#moveTo('anonymous');
    })();
    return this.#silentStart;
  }

  async #demandFresh(kind: RequestKind, rejectedToken: string | null): Promise<void> {
    const outcome = await this.#refresh(rejectedToken);
    if (outcome.kind === 'fresh') return;
    if (outcome.kind === 'unavailable') throw new SessionUnavailableError(SESSION_TEXTS.unavailable);
    this.#end(kind, outcome.reason);
  }

  async #send(
    kind: RequestKind,
    path: string,
    init: RequestInit,
  ): Promise<{ response: Response; token: string | null }> {
    const token = this.#store.token();
    const headers = requestHeaders(kind, token, init.headers);
    const response = await this.#deps
      .fetch(path, { ...init, headers, credentials: 'same-origin' })
      .catch((cause: unknown) => {
        throw new NetworkFailure('no answer', { cause });
      });
    this.#clockSkewMs = clockSkew(response, this.#deps.now());
    if (kind !== 'bare') this.#takeNewToken(response, token);
    return { response, token };
  }

  /**
   * Takes X-New-Access-Token and X-Token-Expiry as the new token, both or none, unless it was replaced or removed
   * meanwhile.
   */
  #takeNewToken(response: Response, usedToken: string | null): void {
    const accessToken = response.headers.get('X-New-Access-Token');
    const expiresAt = new Date(response.headers.get('X-Token-Expiry') ?? Number.NaN);
    if (accessToken === null || Number.isNaN(expiresAt.getTime()) || usedToken === null) return;
    if (this.#store.token() === usedToken) this.#keep({ accessToken, expiresAt }, response);
  }

  #keep(access: Access, response: Response): void {
    this.#clockSkewMs = clockSkew(response, this.#deps.now());
    this.#store.saveAccess(access, this.#clockSkewMs);
    this.#moveTo('held');
  }

  /** Ends the held session once; calls for the current user end it without notice and redirect. */
  #end(kind: RequestKind, reason: string): never {
    if (this.#store.isHeld()) {
      this.#store.clear({ isSignedOut: false });
      this.#deps.notifyOtherTabs({ kind: 'ended', reason });
      const isOnAuthScreen = this.#deps.isOnAuthScreen();
      if (!isOnAuthScreen) this.#store.writeMarker(reason);
      if (kind === 'user' || isOnAuthScreen || this.#store.isRedirectDone()) this.#changeAccount('anonymous', reason);
      else this.#announceEnd(reason);
    }
    throw new SessionEndedError(reason);
  }

  /**
   * Ends the session after a defect in its own code, most likely a throwing storage: then ending it may fail as well.
   */
  #endByFault(kind: RequestKind, cause: unknown): never {
    try {
      this.#end(kind, SESSION_TEXTS.failedByError);
    } catch {
      throw new SessionEndedError(SESSION_TEXTS.failedByError, { cause });
    }
  }

  #announceEnd(reason: string): void {
    const path = this.#deps.currentPath();
    this.#store.rememberPath(path);
    this.#store.markRedirectDone();
    this.#silentStart = Promise.resolve();
    this.#moveTo('ending');
    this.#timers = [
      setTimeout(() => this.#deps.notify(reason), SESSION_NOTICE_DELAY_MS),
      setTimeout(() => {
        if (!this.#deps.isOnAuthScreen()) this.#deps.redirect(path);
        this.#changeAccount('anonymous', reason);
      }, SESSION_REDIRECT_DELAY_MS),
    ];
  }

  #stopEnding(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
  }

  #changeAccount(next: SessionState, reason?: string): void {
    this.#isLeaving = false;
    // The cookie's absence is settled: no silent start after this.
    this.#silentStart = Promise.resolve();
    for (const listener of this.#accountListeners) listener(reason);
    this.#moveTo(next);
  }

  #moveTo(next: SessionState): void {
    if (this.#state === next) return;
    this.#state = next;
    for (const listener of this.#listeners) listener();
  }
}
