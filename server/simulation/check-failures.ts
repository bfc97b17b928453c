import type { CheckId } from '../../routers/schemas/diagnostics.ts';
import { CHECK_IDS } from '../../routers/schemas/diagnostics.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import type { Tools } from '../diagnostics/checks/check.ts';
import { classifyProblem } from '../domains/certificates/authority/problems.ts';
import type { DomainRecord } from '../publishing/platforms/platform.ts';
import { type Cast, DOMAIN } from './cast.ts';
import { problemOfType, record } from './domain-failures.ts';
import type { SimulatedZone } from './simulated-dns.ts';
import { CHALLENGES, type HostFault, PRIVATE_ADDRESS } from './simulated-host.ts';

/** A failure that a check finds once the site is live and its domain works; the check is the first that fails. */
export type CheckFailure = {
  id: string;
  step: 'checks';
  check: CheckId;
  zone?(right: readonly DomainRecord[]): SimulatedZone;
  host?: HostFault;
  trouble?: Awaited<ReturnType<Tools['authorityTrouble']>>;
  mailBefore?: Awaited<ReturnType<Tools['mailBefore']>>;
};

type Fault = Omit<CheckFailure, 'id' | 'step' | 'check'>;

const DAY_S = 86_400;
const isPage = ({ hostname, pathname }: URL): boolean => hostname === DOMAIN && !pathname.startsWith(CHALLENGES);
const atHttps = (url: URL): boolean => url.protocol === 'https:' && isPage(url);

/** Faults for the checks that a broken zone does not already fail (domain-failures.ts). */
const FAULTS: Partial<Record<CheckId, Fault>> = {
  'reserved-address': { zone: (right) => ({ records: [...right, record('A', DOMAIN, PRIVATE_ADDRESS)] }) },
  ttl: { zone: (right) => ({ records: right, ttlS: 2 * DAY_S }) },
  'port-80': {
    host: { answer: ({ pathname }) => (pathname.startsWith(CHALLENGES) ? { status: 404 } : undefined) },
  },
  proxied: {
    host: { answer: (url) => (atHttps(url) ? { status: 525, headers: { 'cf-ray': 'simulated' } } : undefined) },
  },
  certificate: { host: { certificate: { error: 'CERT_HAS_EXPIRED', endedDaysAgo: 2 } } },
  'url-up': { host: { answer: (url) => (atHttps(url) ? { status: 200, text: 'An older release' } : undefined) } },
  protocol: { host: { takesOldTls: true } },
  redirects: {
    host: { answer: (url) => (atHttps(url) ? { status: 302, headers: { location: `http://${DOMAIN}/` } } : undefined) },
  },
  'https-forced': {
    host: { answer: (url) => (!atHttps(url) && isPage(url) ? { status: 200, text: 'Your site' } : undefined) },
  },
  hsts: { host: { headers: { 'strict-transport-security': 'max-age=31536000; preload' } } },
  'www-and-apex': {
    host: {
      answer: ({ hostname }) => (hostname === `www.${DOMAIN}` ? { status: 200, text: 'Another site' } : undefined),
    },
  },
  'mixed-content': { host: { page: '<h1>Your site</h1>\n<script src="http://old.example/menu.js"></script>\n' } },
  caa: { zone: (right) => ({ records: [...right, record('CAA', DOMAIN, '0 issue "another-authority.example"')] }) },
  'challenge-record': {
    zone: (right) => ({ records: [...right, record('CNAME', `_acme-challenge.${DOMAIN}`, 'gone.hosting.example')] }),
  },
  'ca-side': {
    trouble: {
      message: classifyProblem(problemOfType('rateLimited'), new Date(0)).message,
      until: null,
      isNear: false,
    },
  },
  'reply-time': { host: { firstByteMs: 1_800 } },
  'email-untouched': {
    mailBefore: { facts: { [`MX of ${DOMAIN}`]: [`10 mail.${DOMAIN}`] }, isWrittenSince: true },
  },
};

/** When a platform orders the certificates, obstacles on our side do not matter. */
const OURS: readonly CheckId[] = ['port-80', 'caa', 'ca-side'];

/** Returns the failures that checks may find for a domain there, in the order of the checks. */
export function checkFailures({ platform }: Cast): CheckFailure[] {
  const isServedHere = PLATFORMS[platform].isServedHere === true;
  return CHECK_IDS.flatMap((check): CheckFailure[] => {
    const fault = FAULTS[check];
    if (fault === undefined || (!isServedHere && OURS.includes(check))) return [];
    return [{ ...fault, id: `checks.${check}`, step: 'checks', check }];
  });
}
