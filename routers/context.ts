import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { authenticate } from '../server/account/auth/index.ts';
import { countsAddress } from '../server/account/rate-limit.ts';
import type {
  AccountContext,
  Actor,
  CallOrigin,
  CookieJar,
  Providers,
  ServiceContext,
  SubscriptionSocket,
} from '../server/context.ts';
import { clientAddress } from '../server/lib/client-address.ts';
import { AppError } from '../server/lib/errors.ts';
import { announcedBytes } from './announced-bytes.ts';
import { type Called, countCalls, requireMayCall } from './call-limit.ts';
import { createCookieJar } from './cookie-jar.ts';

/** The context of every procedure; its service gets it unchanged. */
export type Context = ServiceContext;

export const REQUEST_ID_HEADER = 'X-Request-Id';

const NO_JAR: CookieJar = { read: () => undefined, write: () => undefined };
const ANONYMOUS: Actor = { kind: 'anonymous' };

/** Returns the id of a request, which its answer and the log carry. */
export function newRequestId(): string {
  return randomUUID();
}

type InnerOptions = {
  actor?: Actor;
  origin?: Partial<CallOrigin>;
  jar?: CookieJar;
  requestId?: string;
  connection?: SubscriptionSocket;
};

/**
 * Returns a context that needs no request: for callers in process, and as the common part of HTTP and WebSocket
 * requests.
 */
function innerContext(providers: Providers, { actor, origin, jar, requestId, connection }: InnerOptions = {}): Context {
  return {
    actor: actor ?? ANONYMOUS,
    providers,
    origin: { address: 'process', userAgent: '', bearer: undefined, ...origin },
    jar: jar ?? NO_JAR,
    now: () => providers.now(),
    requestId: requestId ?? newRequestId(),
    ...(connection !== undefined && { connection }),
  };
}

/**
 * Turns a request over HTTP into a context. Only the bearer token identifies the caller; a fresh access token goes
 * back in the headers when the old one is about to expire, so that a busy page never has to wait for a refresh.
 * `calls` is the number of procedure calls in the request: each counts against the caller's limit. The bytes of an
 * upload do not count as calls, but an anonymous request counts as one. Throws `bad_request` (X-Auth-Token differs),
 * `rate_limited`, `database_unavailable`.
 */
export async function contextFor(
  providers: Providers,
  request: IncomingMessage,
  response: ServerResponse,
  { calls = 1 }: { calls?: number } = {},
): Promise<Context> {
  const bearer = bearerOf(request);
  const { addresses } = providers;
  if (bearer !== undefined && calls > 0) requireMayCall(providers, bearer);
  const { actor, freshAccess } = bearer === undefined ? { actor: ANONYMOUS } : await authenticate(providers, bearer);
  const sentId = response.getHeader(REQUEST_ID_HEADER);
  const context = innerContext(providers, {
    actor,
    origin: originOf(providers, request, bearer),
    jar: createCookieJar(request, response, {
      isSecure: addresses.publicUrl.startsWith('https:'),
      mayReadRefresh: takesRefreshCookie(request),
    }),
    ...(typeof sentId === 'string' && { requestId: sentId }),
  });
  const counted = actor.kind === 'anonymous' ? Math.max(1, calls) : calls;
  if (counted > 0) await countContextCalls(context, { calls: counted, bytes: announcedBytes(request) });
  if (freshAccess !== undefined) {
    response.setHeader('X-New-Access-Token', freshAccess.accessToken);
    response.setHeader('X-Token-Expiry', freshAccess.expiresAt.toISOString());
  }
  return context;
}

/**
 * Turns a WebSocket connection into a context, once a connection, from `connectionParams.token`. Cookies are ignored.
 * Messages in `said` until now count as calls. Throws `unauthenticated` unless the token is valid: without an account
 * there is nothing to subscribe to.
 */
export async function contextForSocket(
  providers: Providers,
  request: IncomingMessage,
  { token, connection, said }: { token: string | undefined; connection: SubscriptionSocket; said: Called },
): Promise<AccountContext> {
  if (token !== undefined) requireMayCall(providers, token);
  const { actor } = token === undefined ? { actor: ANONYMOUS } : await authenticate(providers, token);
  if (actor.kind === 'anonymous') throw new AppError('unauthenticated', 'Log in to receive events.');
  const context = innerContext(providers, { actor, origin: originOf(providers, request, token), connection });
  await countContextCalls(context, said);
  return { ...context, actor };
}

/** Counts calls of the caller of this context. Throws `rate_limited`. */
export function countContextCalls(context: Context, called: Called): Promise<void> {
  const { actor, origin, providers } = context;
  return countCalls(providers, { actor, ...origin, isCounted: countsAddress(context) }, called);
}

function originOf(providers: Providers, request: IncomingMessage, bearer: string | undefined): CallOrigin {
  return {
    address: clientAddress(request, providers.addresses.trustedProxies ?? 0),
    userAgent: request.headers['user-agent'] ?? '',
    bearer,
  };
}

/**
 * Returns the token. The client sends it in two headers, and two different ones are refused, since either could be the
 * intended one.
 */
function bearerOf(request: IncomingMessage): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const repeated = request.headers['x-auth-token'];
  if (repeated !== undefined && repeated !== '' && repeated !== bearer) {
    throw new AppError('bad_request', 'The headers Authorization and X-Auth-Token name different tokens.');
  }
  return bearer;
}

const REFRESH_COOKIE_CALLS: ReadonlySet<string> = new Set(['/api/refresh-token', '/api/logout']);
const REFRESH_COOKIE_PROCEDURES: ReadonlySet<string> = new Set(['/api/trpc/auth.refresh', '/api/trpc/auth.logout']);

/**
 * Returns whether the request may read the refresh cookie: only refreshing and logging out may, by REST or as a
 * procedure on its own. In a batch the other calls would share it.
 */
function takesRefreshCookie(request: IncomingMessage): boolean {
  if (request.method !== 'POST') return false;
  // Express cuts its mount path off `url` and keeps the whole in `originalUrl`.
  const whole = 'originalUrl' in request ? String(request.originalUrl) : (request.url ?? '');
  const { pathname, searchParams } = new URL(whole, 'http://local.invalid');
  if (REFRESH_COOKIE_CALLS.has(pathname)) return true;
  return REFRESH_COOKIE_PROCEDURES.has(pathname) && !searchParams.has('batch');
}
