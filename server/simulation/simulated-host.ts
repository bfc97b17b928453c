import { createHash } from 'node:crypto';
import type { Answered, ServerAddress, Subject, Tools, Visit } from '../diagnostics/checks/check.ts';
import { DAY_MS } from '../lib/durations.ts';
import type { Handshake, SeenCertificate } from '../lib/egress/reach.ts';
import { type Cast, DOMAIN, LIFETIME_DAYS } from './cast.ts';

/** A fault in the answers of a site's host. */
export type HostFault = {
  /** Replaces the right answer, unless it is undefined. */
  answer?(url: URL): HostAnswer | undefined;
  /** Added to the right headers. */
  headers?: Readonly<Record<string, string>>;
  certificate?: { error: string; endedDaysAgo: number };
  takesOldTls?: true;
  page?: string;
  firstByteMs?: number;
};

type HostAnswer = { status: number; text?: string; headers?: Readonly<Record<string, string>> };

/** The host answers correctly. */
export const NO_FAULT: HostFault = { answer: () => undefined };
export const CHALLENGES = '/.well-known/acme-challenge/';
/** An address of a private network (RFC 1918) that nothing connects to here. */
export const PRIVATE_ADDRESS = '10.0.0.7';
const TOKEN = 'simulated-token';
const FAST_MS = 40;
const HTTP_PAGE = 200;
const PAGE = '<!doctype html>\n<link rel="stylesheet" href="/site.css">\n<h1>Your site</h1>\n';
const STYLE = { path: 'site.css', text: 'h1 { color: teal }\n' };
const REMEMBER_HTTPS = { 'strict-transport-security': 'max-age=31536000' };

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The expected content of the host. */
export const ENTRY_SHA256 = sha256Of(PAGE);
export const WITNESS = { path: STYLE.path, sha256: sha256Of(STYLE.text) };

type Host = Pick<Tools, 'visit' | 'handshake' | 'isAllowed' | 'challengeToken' | 'pages'>;

/** A host that answers correctly except for its fault; at other addresses somebody else answers. Nobody is asked. */
export function simulatedHost(
  { startedAt }: Cast,
  { subject, serversOf, fault }: { subject: Subject; serversOf: Tools['serversOf']; fault: HostFault },
): Host {
  const answered = (server: string, { status, text = '', headers = {} }: HostAnswer): Answered => ({
    ...{ fault: null, status, headers: new Headers(headers), text, sha256: sha256Of(text), server },
    firstByteMs: fault.firstByteMs ?? FAST_MS,
  });
  const visitAt = (url: URL, { address, isOwn }: ServerAddress): Visit => {
    const server = `${url.hostname} (${address})`;
    if (address === PRIVATE_ADDRESS) return { fault: 'not_allowed', detail: 'not a public address', server };
    const isTls = url.protocol === 'https:';
    if (isTls && !isOwn) return { fault: 'tls', detail: 'the certificate is for another name', server };
    if (!isOwn) return answered(server, { status: 404, text: 'Another server' });
    if (isTls && fault.certificate) return { fault: 'tls', detail: fault.certificate.error, server };
    if (isTls && subject.isDomain && !subject.hasTls) return { fault: 'tls', detail: 'no certificate', server };
    return answered(server, fault.answer?.(url) ?? rightAnswer(url, subject, fault));
  };
  return {
    async visit(address, given) {
      const url = new URL(address);
      const server = given ?? (await serversOf(url.hostname).catch(() => []))[0];
      return server === undefined
        ? { fault: 'no_address', detail: 'the name has no address', server: url.hostname }
        : visitAt(url, server);
    },
    handshake: async (_name, { isOwn }, onlyVersion): Promise<Handshake> => {
      if (onlyVersion === 'TLSv1.1' && fault.takesOldTls !== true) {
        return { kind: 'handshake', detail: 'unsupported protocol' };
      }
      return {
        kind: 'secured',
        protocol: onlyVersion ?? 'TLSv1.3',
        certificate: certificateOf(startedAt, isOwn, fault),
      };
    },
    isAllowed: (address) => address !== PRIVATE_ADDRESS,
    challengeToken: async () => TOKEN,
    pages: async () => [{ path: 'index.html', text: fault.page ?? PAGE }],
  };
}

function rightAnswer(url: URL, { name, hasTls, isDomain }: Subject, { headers }: HostFault): HostAnswer {
  if (url.pathname.startsWith(CHALLENGES)) return { status: HTTP_PAGE, text: TOKEN };
  const scheme = isDomain && hasTls ? 'https:' : url.protocol;
  if (url.protocol !== scheme || url.hostname !== name) {
    return {
      status: 301,
      headers: { location: `${scheme}//${url.protocol === scheme ? name : url.hostname}${url.pathname}` },
    };
  }
  const text = url.pathname === '/' ? PAGE : url.pathname === `/${STYLE.path}` ? STYLE.text : null;
  if (text === null) return { status: 404 };
  const remembered = scheme === 'https:' ? { ...REMEMBER_HTTPS, ...headers } : {};
  return { status: HTTP_PAGE, text, headers: { server: 'simulated', ...remembered } };
}

function certificateOf(startedAt: Date, isOwn: boolean, { certificate }: HostFault): SeenCertificate {
  const days = (count: number): Date => new Date(startedAt.getTime() + count * DAY_MS);
  const ended = certificate?.endedDaysAgo;
  const [notBefore, notAfter] =
    ended === undefined ? [startedAt, days(LIFETIME_DAYS)] : [days(-ended - LIFETIME_DAYS), days(-ended)];
  return {
    error: isOwn ? (certificate?.error ?? null) : 'ERR_TLS_CERT_ALTNAME_INVALID',
    names: isOwn ? [DOMAIN, `www.${DOMAIN}`] : ['another.example'],
    ...{ issuer: 'a simulated authority', serial: 'none', notBefore, notAfter, rsaBits: null },
  };
}
