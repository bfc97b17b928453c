import { isIP } from 'node:net';
import { connect, rootCertificates, type TLSSocket } from 'node:tls';
import { classifyAddress, type EgressRules, isReachable } from './rules.ts';

/**
 * What a diagnosis needs beside requests (server/lib/egress/egress.ts): whether an address may be gone to at all, and what a TLS server
 * shows, also one that no browser would trust. The same rules decide who is connected to.
 */
export type Reach = {
  /** Whether the address is public, or one that the operator allows. */
  isAllowed(address: string): boolean;
  /** Never rejects but with the reason of the signal. */
  handshake(request: HandshakeRequest): Promise<Handshake>;
};

export type HandshakeRequest = {
  address: string;
  port: number;
  /** The name that the certificate is asked for by (SNI), and is to be for. */
  name: string;
  /** One version alone, where the server is asked whether it still speaks that. */
  onlyVersion?: 'TLSv1.1' | 'TLSv1.2';
  /** Roots that are trusted besides those of browsers. */
  roots?: readonly string[];
  /** One of our own listeners: the operator has named it, so that it is connected to without a check. */
  isOwn: boolean;
  signal: AbortSignal;
};

export type Handshake = { kind: 'secured'; protocol: string; certificate: SeenCertificate } | HandshakeFault;

/** `no_route`: it says nothing about the server. `handshake`: it takes connections and no TLS. */
export type HandshakeFault = { kind: 'refused' | 'silent' | 'no_route' | 'handshake'; detail: string };

export type SeenCertificate = {
  /** The code of OpenSSL or Node, such as `CERT_HAS_EXPIRED`; null where it is valid for the name. */
  error: string | null;
  names: readonly string[];
  issuer: string;
  serial: string;
  notBefore: Date;
  notAfter: Date;
  /** Of RSA keys; null for others. */
  rsaBits: number | null;
};

const HANDSHAKE_MS = 8_000;
const NAMES_SHOWN = 8;
const NO_ROUTE: ReadonlySet<string> = new Set(['ENETUNREACH', 'EADDRNOTAVAIL', 'EHOSTUNREACH']);

/** Builds it under the rules of the way out. */
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
      ...{ host: address, port, rejectUnauthorized: false, ca: [...(rules.ca ?? rootCertificates), ...roots] },
      ...(isIP(name) === 0 && { servername: name }),
      // Old versions are offered by old ciphers alone, which OpenSSL 3 leaves out at its default level.
      ...(onlyVersion && { minVersion: onlyVersion, maxVersion: onlyVersion, ciphers: 'DEFAULT@SECLEVEL=0' }),
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

/** Node types it as an Error, and gives the code alone. */
function errorCode(error: unknown): string {
  if (typeof error === 'string') return error;
  return error instanceof Error && 'code' in error ? String(error.code) : 'untrusted';
}
