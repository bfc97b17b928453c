/** The way in which the session machine treats a request. */
export type RequestKind =
  /** Sent without auth headers and without refresh: login, register, refresh. */
  | 'bare'
  /** Sent with the present auth headers; no refresh, no retry, no expiry handling. */
  | 'logout'
  /** Sent with refresh and retry, but a refusal only means that nobody is signed in. */
  | 'user'
  | 'normal';

const KINDS: Record<string, RequestKind> = {
  '/api/login': 'bare',
  '/api/register': 'bare',
  '/api/refresh-token': 'bare',
  'auth.login': 'bare',
  'auth.register': 'bare',
  'auth.refresh': 'bare',
  '/api/logout': 'logout',
  'auth.logout': 'logout',
  '/api/user': 'user',
  'user.get': 'user',
};
const TRPC_PREFIX = '/api/trpc/';

/** Returns the procedures of a batch, or the plain path itself. */
function calledNames(path: string): string[] {
  const pathname = path.split('?', 1)[0] ?? path;
  if (!pathname.startsWith(TRPC_PREFIX)) return [pathname];
  return decodeURIComponent(pathname.slice(TRPC_PREFIX.length)).split(',');
}

/** Returns the kind of a request; a batch is treated like its least exempt call. */
export function requestKind(path: string): RequestKind {
  const kinds = new Set(calledNames(path).map((name) => KINDS[name] ?? 'normal'));
  const [only] = kinds;
  return kinds.size === 1 && only !== undefined ? only : 'normal';
}

/**
 * Returns the headers of a request: login, register and refresh carry none of the three, and others carry the token's
 * two if there is a token.
 */
export function requestHeaders(kind: RequestKind, token: string | null, given: HeadersInit | undefined): Headers {
  const headers = new Headers(given);
  if (kind === 'bare') return headers;
  headers.set('X-Requested-With', 'XMLHttpRequest');
  if (token === null) return headers;
  headers.set('Authorization', `Bearer ${token}`);
  headers.set('X-Auth-Token', token);
  return headers;
}

/**
 * Returns whether the answer says that the token is invalid. A wrong password is a 401 too and no reason to refresh; a
 * batch with some successful calls is a 207, whose body is checked.
 */
export async function refusesToken(response: Response): Promise<boolean> {
  if (response.status !== 401 && response.status !== 207) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  const codes = (Array.isArray(body) ? body : [body]).map(errorCodeOf);
  if (response.status === 401 && codes.every((code) => code === undefined)) return true;
  return codes.some((code) => code === 'unauthenticated' || code === 'session_ended');
}

/**
 * Returns whether a request may be repeated: a body that was read once cannot be sent again, and in a batch of changes
 * some have already happened.
 */
export function mayRepeat(init: RequestInit, response: Response): boolean {
  if (init.body instanceof ReadableStream) return false;
  return response.status !== 207 || (init.method ?? 'GET') === 'GET';
}

/**
 * Returns how far this browser's clock is ahead of the server's, by the answer's Date header; small differences count
 * as none.
 */
export function clockSkew(response: Response, now: number): number {
  const serverTime = new Date(response.headers.get('Date') ?? Number.NaN).getTime();
  if (Number.isNaN(serverTime)) return 0;
  const skew = now - serverTime;
  return Math.abs(skew) < 5_000 ? 0 : skew;
}

/** Returns the stable code of an error body: at the top of a plain answer, in `error.json.data` of a tRPC answer. */
function errorCodeOf(body: unknown): unknown {
  if (!isRecord(body)) return undefined;
  if (!isRecord(body.error)) return body.code;
  const shape = isRecord(body.error.json) ? body.error.json : body.error;
  return isRecord(shape.data) ? shape.data.code : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
