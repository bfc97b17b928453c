import { nameNotSet } from '../../../routers/rules/name-not-set.ts';
import type { Certificate } from '../../../routers/schemas/certificates.ts';
import type { Domain } from '../../../routers/schemas/domains.ts';
import { lostText } from '../../../routers/schemas/state-names.ts';
import { formatDate } from '../../lib/format.ts';
import { ON_HOLD, waitsForHost } from '../../lib/loopback.ts';
import { href } from '../../lib/paths/paths.ts';
import { asWritten, writtenName } from '../../lib/written-name.ts';
import { CHECK_TITLES } from './check-titles.ts';
import type { Check } from './checks.ts';

const SERVERS_SHOWN = 4;
const nothing = { verdict: 'nothing', at: null, link: null } as const;

/**
 * Returns the last state of the records and of the certificate of each domain; without a domain, the note that there
 * is none.
 */
export function domainChecks(domains: readonly Domain[], certificates: readonly Certificate[], now: Date): Check[] {
  if (domains.length === 0) {
    const seen = 'This deployment has no custom domain.';
    return [
      { ...nothing, id: 'domain', title: CHECK_TITLES.resolves, seen },
      { ...nothing, id: 'certificate', title: CHECK_TITLES.certificate, seen },
    ];
  }
  return domains.flatMap((domain) =>
    checksOfDomain(domain, certificates, now).map((check) => ({ ...check, seen: asWritten(domain, check.seen) })),
  );
}

function checksOfDomain(domain: Domain, certificates: readonly Certificate[], now: Date): Check[] {
  return [
    {
      id: `domain ${domain.id}`,
      title: `${areServersSilent(domain) ? 'Name servers' : 'DNS records'} of ${writtenName(domain)}`,
      ...recordsSeen(domain),
    },
    ...(domain.problem !== null && isCaa(domain) ? [caaCheck(domain, domain.problem)] : []),
    {
      id: `certificate ${domain.id}`,
      title: `SSL certificate of ${writtenName(domain)}`,
      ...(domain.atPlatform === null
        ? certificateSeen(domain, certificates, now)
        : certificateAtPlatform(domain, domain.atPlatform)),
    },
  ];
}

/** Returns whether no name server answered for the domain, so that nothing is known of its records. */
export function areServersSilent(domain: Domain): boolean {
  const { code = '' } = domain.problem ?? {};
  const isOfServers = code === 'zone_missing' || code.startsWith('name_servers_');
  return isOfServers && !waitsForHost(domain) && nameServersCheck(domain).verdict === 'fail';
}

export function nameServersCheck({ records, problem, checkedAt: at }: Domain): Check {
  const common = { id: 'name-servers', title: CHECK_TITLES.delegation, link: null, at };
  const asked = records.flatMap(({ seen }) => seen.filter(({ isAuthority }) => isAuthority));
  const names = (answered: boolean) => [
    ...new Set(asked.filter(({ values }) => (values !== null) === answered).map(({ server }) => server)),
  ];
  const [there, silent] = [names(true), names(false).filter((server) => !names(true).includes(server))];
  const listed = (servers: readonly string[]): string => servers.slice(0, SERVERS_SHOWN).join(', ');
  if (at === null) return { ...common, verdict: 'unknown', seen: 'Not checked yet.' };
  if (problem?.code === 'lookup_failed')
    return { ...common, verdict: 'unknown', seen: 'Could not be checked from here.' };
  if (there.length === 0) return { ...common, verdict: 'fail', seen: 'No name server answered.' };
  if (silent.length > 0)
    return { ...common, verdict: 'warn', seen: `${listed(there)} answered, and ${listed(silent)} did not.` };
  return { ...common, verdict: 'pass', seen: `${listed(there)} answered.` };
}

type Seen = Omit<Check, 'id' | 'title'>;

const isCaa = ({ problem }: Domain): boolean => problem?.code === 'caa_forbids';

function caaCheck({ id }: Domain, { message: seen, since: at }: NonNullable<Domain['problem']>): Check {
  const link = { to: href.domain(id), label: 'See what to do' };
  return { id: `caa ${id}`, title: CHECK_TITLES.caa, verdict: 'fail', seen, at, link };
}

function recordsSeen(domain: Domain): Seen {
  const { id, checkedAt: at, lostTo } = domain;
  // CAA records stop the next certificate; the domain resolves all the same.
  const problem = isCaa(domain) ? null : domain.problem;
  const state = isCaa(domain) && domain.state === 'misconfigured' ? 'active' : domain.state;
  const link = { to: href.domain(id), label: 'See what to do' };
  if (lostTo !== undefined) return { verdict: 'fail', seen: `${lostText()}.`, at, link };
  if (state === 'removing') return { ...nothing, seen: 'It is being removed.' };
  if (waitsForHost(domain)) return { ...nothing, seen: ON_HOLD };
  // The way to the name servers had no answer, which says nothing about the domain.
  if (problem?.code === 'lookup_failed') return { verdict: 'unknown', seen: problem.message, at, link };
  if (state === 'misconfigured') {
    return { verdict: 'fail', seen: problem?.message ?? 'Its records were changed.', at, link };
  }
  if (problem !== null) {
    return { verdict: areServersSilent(domain) ? 'fail' : 'warn', seen: problem.message, at, link };
  }
  if (state === 'active') {
    const other = nameNotSet(domain);
    const seen = `Its records point to this deployment.${other === undefined ? '' : ` ${other} is not set up yet.`}`;
    return { verdict: 'pass', seen, at, link: null };
  }
  if (at === null) return { verdict: 'unknown', seen: 'Its records have not been looked at yet.', at, link };
  return { verdict: 'warn', seen: 'Not all of its records have been seen yet.', at, link };
}

function certificateSeen({ id, state }: Domain, certificates: readonly Certificate[], now: Date): Seen {
  const own = certificates.filter(({ domainId }) => domainId === id);
  const certificate = own.find(({ notAfter }) => notAfter !== null) ?? own[0];
  const link = { to: href.domain(id), label: 'See what to do' };
  if (certificate === undefined || certificate.notAfter === null) {
    const problem = certificate?.problem;
    if (problem) return { verdict: 'fail', seen: problem.message, at: problem.at, link };
    const seen = state === 'active' ? 'Not issued yet.' : 'It is issued once the records point here.';
    return { verdict: 'unknown', seen, at: null, link: null };
  }
  const { notAfter, problem, uncovered } = certificate;
  if (notAfter <= now) {
    const seen = `It expired on ${formatDate(notAfter)}. ${problem?.message ?? 'It was not renewed in time.'}`;
    return { verdict: 'fail', seen, at: notAfter, link };
  }
  const until = `It is valid until ${formatDate(notAfter)}.`;
  if (problem !== null) {
    const failed = uncovered ? `There is none for ${uncovered.join(', ')} yet.` : 'It could not be renewed.';
    return { verdict: 'warn', seen: `${failed} ${problem.message} ${until}`, at: problem.at, link };
  }
  const seen = certificate.isPublic
    ? until
    : `${until} Browsers trust it once the root certificate of this Fairlead is installed.`;
  return { verdict: 'pass', seen, at: null, link: null };
}

function certificateAtPlatform({ id }: Domain, { answers, askedAt: at }: NonNullable<Domain['atPlatform']>): Seen {
  const certificates = answers.map(({ certificate }) => certificate);
  const problem = certificates.find(({ state }) => state === 'problem');
  const link = { to: href.domain(id), label: 'See what to do' };
  if (problem !== undefined) return { verdict: 'fail', seen: problem.text, at, link };
  const [first] = certificates;
  if (first === undefined) return { verdict: 'unknown', seen: 'Not checked at the platform yet.', at, link: null };
  const waiting = certificates.find(({ state }) => state === 'waiting');
  return { verdict: waiting ? 'unknown' : 'pass', seen: (waiting ?? first).text, at, link: null };
}
