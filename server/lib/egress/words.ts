const NO_WAY = 'this network has no route to it';
const NOT_TRUSTED = 'its certificate is not trusted';

/** The keys are codes of the system, of undici and of OpenSSL (Node, "tls", X509 certificate error codes). */
const CONNECTION_WORDS: Readonly<Record<string, string>> = {
  ...{ ECONNREFUSED: 'nothing answers there', EHOSTUNREACH: NO_WAY, ENETUNREACH: NO_WAY, EADDRNOTAVAIL: NO_WAY },
  ...{ ETIMEDOUT: 'no answer in time', UND_ERR_CONNECT_TIMEOUT: 'no answer in time' },
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ...{ DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED, SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED },
  ...{ UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED, UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED },
};

/** Returns for a person why no answer came; the system's own words stay in the cause. */
export function connectionWords(error: unknown, code: string): string {
  // The name servers may be what refuses the connection: nothing is known about the address itself then.
  if (isOfLookup(error)) return 'the name servers do not answer';
  if (code.startsWith('ERR_SSL_')) return 'what answers there does not speak TLS as it should';
  return CONNECTION_WORDS[code] ?? 'the connection broke off';
}

/** Returns whether an error is that of a question for an address, so that nothing was sent to anybody else. */
export function isOfLookup(error: unknown): boolean {
  const asked = error instanceof Error && 'syscall' in error ? String(error.syscall) : '';
  return asked.startsWith('query') || asked === 'getaddrinfo';
}
