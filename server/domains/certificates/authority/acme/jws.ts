import { createHash, createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

/** The protected header without `alg`: `jwk` for an account that does not exist yet, else its address as `kid`. */
export type JwsHeader = { nonce: string; url: string } & ({ jwk: Jwk } | { kid: string });

/** A P-256 key, with its members in the order of the thumbprint (RFC 7638, section 3.2). */
export type Jwk = { crv: string; kty: string; x: string; y: string };

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns the public part of an account's key. Throws for a key that is not on a curve. */
export function jwkOf(accountKey: string): Jwk {
  const { crv, kty, x, y } = createPublicKey(createPrivateKey(accountKey)).export({ format: 'jwk' });
  if (crv === undefined || kty === undefined || x === undefined || y === undefined) {
    throw new Error('The account key must be a P-256 key.');
  }
  return { crv, kty, x, y };
}

/** Returns the answer to a challenge: its token, and the hash of the account's key (RFC 8555, section 8.1). */
export function keyAuthorization(token: string, accountKey: string): string {
  const thumbprint = createHash('sha256')
    .update(JSON.stringify(jwkOf(accountKey)))
    .digest('base64url');
  return `${token}.${thumbprint}`;
}

/**
 * Signs a request (RFC 7515, ES256). An undefined `payload` means a read: the empty text, which is not an empty
 * object.
 */
export function signJws(accountKey: string, header: JwsHeader, payload: unknown): string {
  const key: KeyObject = createPrivateKey(accountKey);
  const head = encode({ alg: 'ES256', ...header });
  const body = payload === undefined ? '' : encode(payload);
  const signature = sign('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' });
  return JSON.stringify({ protected: head, payload: body, signature: signature.toString('base64url') });
}

/** Returns the key in base64url that was encoded a second time; null when it was not. */
export function keyWithin(hmacKey: string): string | null {
  return /^([A-Za-z0-9_-]{16,})={0,2}$/.exec(Buffer.from(hmacKey, 'base64url').toString('latin1'))?.[1] ?? null;
}

/** Binds a new account to one that the authority already knows (RFC 8555, section 7.3.4); the key is in base64url. */
export function bindExternalAccount(accountKey: string, eab: { kid: string; hmacKey: string }, url: string): unknown {
  const head = encode({ alg: 'HS256', kid: eab.kid, url });
  const body = encode(jwkOf(accountKey));
  const signature = createHmac('sha256', Buffer.from(eab.hmacKey, 'base64url')).update(`${head}.${body}`);
  return { protected: head, payload: body, signature: signature.digest('base64url') };
}
