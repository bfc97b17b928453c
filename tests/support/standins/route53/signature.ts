import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A request as a signature covers it. */
type Signed = { request: IncomingMessage; url: URL; body: Buffer };

/** The key id that an Authorization header of AWS names; null where it is none. */
export function keyIdIn({ headers: { authorization } }: Pick<IncomingMessage, 'headers'>): string | null {
  return /^AWS4-HMAC-SHA256 Credential=([^/]+)\//.exec(authorization ?? '')?.[1] ?? null;
}

/**
 * Returns whether the request is signed with this secret, computed as AWS describes it (IAM User Guide, "Create a
 * signed AWS API request").
 */
export function isSignedWith(secret: string, { request, url, body }: Signed): boolean {
  const [, scope, names, signature] =
    /Credential=[^/]+\/(\S+?),\s*SignedHeaders=([^,]+),\s*Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    ) ?? [];
  const date = request.headers['x-amz-date'];
  if (scope === undefined || names === undefined || typeof date !== 'string') return false;
  if (scope !== `${date.slice(0, 8)}/us-east-1/route53/aws4_request`) return false;
  if (!names.split(';').includes('host') || !names.split(';').includes('x-amz-date')) return false;
  const headers = names
    .split(';')
    .map((name) => `${name}:${String(request.headers[name]).trim().replace(/ +/g, ' ')}\n`);
  const canonical = [
    request.method,
    url.pathname.split('/').map(encoded).join('/'),
    canonicalQuery(url),
    headers.join(''),
    names,
    sha256(body),
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<Buffer | string>((secretSoFar, part) => hmac(secretSoFar, part), `AWS4${secret}`);
  return hmac(key, text).toString('hex') === signature;
}

function canonicalQuery({ searchParams }: URL): string {
  return [...searchParams]
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&');
}

/** RFC 3986: everything but letters, digits and `-._~`. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
