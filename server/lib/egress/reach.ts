import { isIP } from 'node:net';
import { connect, rootCertificates, type TLSSocket } from 'node:tls';
import { classifyAddress, type EgressRules, isReachable } from './rules.ts';
import { trusting } from './trust.ts';

/**
 * The checks that a diagnosis needs beside requests (server/lib/egress/egress.ts): whether an address may be reached
 * at all, and what certificate a TLS server shows, even one that no browser trusts. The same rules decide about
 * connections.
 */
export type Reach = {
  /** Returns whether the address is public, or one that the operator allows. */
  isAllowed(address: string): boolean;
  /** Rejects only with the reason of the signal. */
  handshake(request: HandshakeRequest): Promise<Handshake>;
};

export type HandshakeRequest = {
  address: string;
  port: number;
  /** The name that is asked for (SNI), and that the certificate must be for. */
  name: string;
  /** Offers this version alone, to find out whether the server still accepts it. */
  onlyVersion?: 'TLSv1.1' | 'TLSv1.2';
  /** Roots that are trusted in addition to those of browsers. */
  roots?: readonly string[];
  /** True for our own listener: the operator has named it, so the address is not checked. */
  isOwn: boolean;
  signal: AbortSignal;
};

export type Handshake = { kind: 'secured'; protocol: string; certificate: SeenCertificate } | HandshakeFault;

/** `no_route` says nothing about the server. `handshake`: the server accepts connections, but no TLS. */
export type HandshakeFault = { kind: 'refused' | 'silent' | 'no_route' | 'handshake'; detail: string };

export type SeenCertificate = {
  /** The code of OpenSSL or Node, such as `CERT_HAS_EXPIRED`; null when the certificate is valid for the name. */
  error: string | null;
  names: readonly string[];
  issuer: string;
  serial: string;
  notBefore: Date;
  notAfter: Date;
  /** The key length of an RSA key; null for other keys. */
  rsaBits: number | null;
};

const HANDSHAKE_MS = 8_000;
const NAMES_SHOWN = 8;
const NO_ROUTE: ReadonlySet<string> = new Set(['ENETUNREACH', 'EADDRNOTAVAIL', 'EHOSTUNREACH']);

/** Creates the checks with the rules of the way out. */
export function createReach(rules: EgressRules = {}): Reach {
  return {
    isAllowed: (address) => classifyAddress(address, rules.allow) !== 'refused',
    async handshake(request) {
      const { address, port, signal, isOwn } = request;
      signal.throwIfAborted();
      if (!isOwn && !isReachable(address, port, [address], rules))
        return { kind: 'no_route', detail: 'not a public address of the web' };
      const seen = await shake(request, rules);
      signal.throwIfAborted();
      return seen;
    },
  };
}

function shake({ address, port, name, onlyVersion, roots = [], signal }: HandshakeRequest, rules: EgressRules) {
  return new Promise<Handshake>((resolve) => {
    const within = AbortSignal.any([signal, AbortSignal.timeout(HANDSHAKE_MS)]);
    const socket = connect({
      ...{ host: address, port, rejectUnauthorized: false },
      ...(isIP(name) === 0 && { servername: name }),
      secureContext: trusting(rules.ca ?? rootCertificates, roots, onlyVersion && alone(onlyVersion)),
    });
    const end = (outcome: Handshake): void => {
      within.removeEventListener('abort', onLate);
      socket.destroy();
      resolve(outcome);
    };
    const onLate = (): void => end({ kind: 'silent', detail: 'no answer in time' });
    within.addEventListener('abort', onLate);
    let isConnected = false;
    socket.on('connect', () => {
      isConnected = true;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => end(faultOf(error, isConnected)));
    socket.on('close', () => end({ kind: 'handshake', detail: 'the connection was closed' }));
    socket.on('secureConnect', () => end(seenOf(socket)));
  });
}

/** Old versions need old ciphers, which OpenSSL 3 leaves out at its default level. */
function alone(version: NonNullable<HandshakeRequest['onlyVersion']>) {
  return { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
}

function faultOf(error: NodeJS.ErrnoException, isConnected: boolean): HandshakeFault {
  const code = error.code ?? '';
  if (NO_ROUTE.has(code)) return { kind: 'no_route', detail: code };
  if (code === 'ETIMEDOUT') return { kind: 'silent', detail: 'no answer in time' };
  if (!isConnected) return { kind: 'refused', detail: code };
  return { kind: 'handshake', detail: code || error.message };
}

function seenOf(socket: TLSSocket): Handshake {
  const shown = socket.getPeerCertificate();
  const protocol = socket.getProtocol() ?? 'unknown';
  const isShown = Object.keys(shown).length > 0;
  if (!isShown) return { kind: 'handshake', detail: 'no certificate was shown' };
  const names = (shown.subjectaltname ?? '').split(', ').map((name) => name.replace(/^(DNS|IP Address):/, ''));
  const { authorizationError: error } = socket;
  return {
    kind: 'secured',
    protocol,
    certificate: {
      error: error === null || error === undefined ? null : errorCode(error),
      names: names.filter((name) => name !== '').slice(0, NAMES_SHOWN),
      issuer: [shown.issuer?.CN ?? shown.issuer?.O ?? 'nobody'].flat().join(', '),
      serial: shown.serialNumber,
      notBefore: new Date(shown.valid_from),
      notAfter: new Date(shown.valid_to),
      rsaBits: shown.modulus === undefined ? null : (shown.bits ?? null),
    },
  };
}

/** Returns the code. Node types the value as an Error, but it is only the code. */
function errorCode(error: unknown): string {
  if (typeof error === 'string') return error;
  return error instanceof Error && 'code' in error ? String(error.code) : 'untrusted';
}
