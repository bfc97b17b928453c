import type { Providers } from '../context.ts';
import { CertificateModel } from '../database/models/domains/certificate.ts';
import { type DomainRow, namesOf } from '../database/models/domains/domain.ts';
import { dayInWords, HOUR_MS } from '../lib/durations.ts';
import type { SeenCertificate } from '../lib/egress/reach.ts';
import { type DnsAnswers, setKey } from './records/dns-answers.ts';
import type { Problem } from './records/name-server-problem.ts';

/** A handshake takes a fraction of this; a slower server is checked again by the next check. */
const LOOK_MS = 1_500;
/**
 * Some installations cannot reach themselves, for instance behind a router: they are not made to wait each half hour.
 */
const UNREACHED_MS = 6 * HOUR_MS;
/** The limit for a name; load-balanced hosts have some. */
const ADDRESSES_MAX = 4;
const HTTPS_PORT = 443;
export const REPLACED = 'certificate_replaced';

export type WatchedCertificate = NonNullable<DomainRow['watchedCertificate']>;

/** The stored result of a check, and the problem that it shows. */
export type CertificateWatch = { watched: WatchedCertificate; problem: Problem | null };

type Watched = Pick<
  DomainRow,
  '_id' | 'accountId' | 'name' | 'counterpart' | 'state' | 'problem' | 'watchedCertificate'
>;

/**
 * Reads the certificate that visitors of a domain get at its addresses, and compares it with those issued here.
 * Another one is only a problem where ours was seen before: a proxy that was always in front has its own. If no
 * address can be reached, nothing changes. Null when there is no certificate to watch.
 */
export async function watchCertificate(
  providers: Pick<Providers, 'reach' | 'authority' | 'addresses' | 'now'>,
  domain: Watched,
  answers: DnsAnswers,
  signal: AbortSignal,
): Promise<CertificateWatch | null> {
  const { _id: domainId, accountId, state, problem } = domain;
  const now = providers.now();
  const { serial: lastSerial = null, seenAt = null, lookAt = null } = domain.watchedCertificate ?? {};
  const watched = { serial: lastSerial, seenAt, lookAt: now };
  if (state !== 'active' && state !== 'misconfigured') return null;
  const isKnown = state === 'misconfigured' && problem?.code === REPLACED;
  const known = isKnown ? { code: REPLACED, message: problem.message, hint: problem.hint ?? null } : null;
  if (lookAt !== null && lookAt > now) return { watched: { ...watched, lookAt }, problem: known };
  const issued = await CertificateModel.find({ accountId, domainId, issued: { $ne: null } }, { issued: 1 }).lean();
  const own = issued.flatMap(({ issued: one }) => (one ? [one] : []));
  const names = namesOf(domain).filter((name) => own.some((one) => one.names.some((covered) => isFor(covered, name))));
  if (names.length === 0) return null;
  const shown = await look(providers, names, answers, signal);
  if (shown.length === 0) {
    const later = new Date(now.getTime() + UNREACHED_MS);
    return { watched: { ...watched, lookAt: later }, problem: known };
  }
  const serials = [...own.map(({ serial }) => serial), lastSerial];
  const other = shown.find(({ certificate }) => !serials.includes(certificate.serial));
  if (other === undefined) {
    const serial = shown[0]?.certificate.serial ?? null;
    return { watched: { serial, seenAt: now, lookAt: now }, problem: null };
  }
  return { watched, problem: seenAt === null ? null : replacedBy(other, seenAt) };
}

type Shown = { name: string; address: string; certificate: SeenCertificate };

async function look(
  { reach, authority, addresses }: Pick<Providers, 'reach' | 'authority' | 'addresses'>,
  names: readonly string[],
  answers: DnsAnswers,
  signal: AbortSignal,
): Promise<Shown[]> {
  const roots = [await authority.root?.()].flatMap((pem) => pem ?? []);
  const within = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);
  // An active domain has no address but ours.
  const common = { port: addresses.sitesTlsPort ?? HTTPS_PORT, roots, isOwn: true, signal: within };
  const places = names.flatMap((name) => addressesOf(name, answers).map((address) => ({ name, address })));
  const shown = await Promise.all(
    places.map(async (place) => {
      const seen = await reach.handshake({ ...common, ...place }).catch(() => null);
      return seen?.kind === 'secured' ? [{ ...place, certificate: seen.certificate }] : [];
    }),
  );
  signal.throwIfAborted();
  return shown.flat();
}

function addressesOf(name: string, { nameServers }: DnsAnswers): string[] {
  const found = ['A', 'AAAA'].flatMap((type) => nameServers.get(setKey({ name, type })) ?? []);
  return [...new Set(found.flatMap(({ values }) => values ?? []))].sort().slice(0, ADDRESSES_MAX);
}

function isFor(covered: string, name: string): boolean {
  return covered === name || covered === `*.${name.slice(name.indexOf('.') + 1)}`;
}

function replacedBy({ name, address, certificate }: Shown, seenAt: Date): Problem {
  const { issuer, notAfter, error } = certificate;
  const refused = error === null ? '' : ' Browsers refuse it.';
  return {
    code: REPLACED,
    message: `At ${address}, visitors of ${name} get a certificate that is not yours: from ${issuer}, until ${dayInWords(notAfter)}.${refused}`,
    hint: `Yours was last seen there on ${dayInWords(seenAt)}. Another server or a proxy answers at ${address} now: have it forward https to Fairlead, or remove that server.`,
  };
}
