import type { RehearsalCheck } from '../../../routers/schemas/certificates.ts';
import { withDnsConnection } from '../../connections/ask-dns.ts';
import { findChallengeTargets, whyNotHeld, zonesOf } from '../../connections/challenge-zones.ts';
import { lossOf, readNames } from '../../connections/dns-connections.ts';
import type { Providers } from '../../context.ts';
import { caaText, judgeCaa, MUTE_REMEDY, muteText } from '../../dns/caa.ts';
import { DnsLookupError } from '../../dns/dns-client.ts';
import { brokenDnssecText } from '../../dns/record-plan/conflicts.ts';
import { isWithin } from '../../dns/zone-names.ts';
import { AppError } from '../../lib/errors.ts';
import type { ChallengeSolver } from './authority/challenges.ts';
import { PERSISTENT } from './authority/persistent-record.ts';
import { hasPersistentRecords } from './persistent-records.ts';
import { probe } from './probe.ts';

/** One round by HTTP and one by DNS fit into a person's wait; the names of a round are tried in parallel. */
const ROUND_MS = 10_000;

export type Challenge = ChallengeSolver['type'];

export type PreflightSubject = {
  accountId: string;
  names: readonly string[];
  /** Our account at the authority, to which a CAA record may be bound; empty when it could not be opened. */
  accountUrl: string;
  /**
   * True when a name does not point here, or the authority has just found another server at it: HTTP-01 is for names
   * without DNS-01.
   */
  prefersDns: boolean;
  /** True when the authority has just validated, in whichever way, and has found something else. */
  wasRefused: boolean;
};

/** `name`: the one that was checked; absent when it is not a single one. */
export type PreflightCheck = RehearsalCheck & { name?: string };

/** The challenge that proves the names, and the results of its checks. */
export type PreflightResult = { challenge: Challenge; checks: PreflightCheck[] };

type CaaSet = {
  name: string;
  /** True when validating resolvers, such as the authority's, refuse every answer of its zone. */
  isBogus: boolean;
  found: { name: string; values: readonly string[] } | null | DnsLookupError | 'unread';
};

/**
 * Tries the conditions of an order, right before it and in a rehearsal, without involving the authority: our answer at
 * each name, CAA and DNSSEC. An existing persistent record comes first, since it needs no work. HTTP-01 comes next if it
 * can work, since it needs nobody's zone; then DNS-01, if a DNS connection holds the zone. Names that do not point here
 * and whose connection has lost the zone fail for that reason first. A check that cannot be made from here is `unknown`
 * and no obstacle.
 */
export async function runPreflight(
  providers: Providers,
  subject: PreflightSubject,
  signal: AbortSignal,
): Promise<PreflightResult> {
  if (!providers.authority.isPublic) return { challenge: 'http-01', checks: [] };
  const isWildcard = subject.names.some((name) => name.startsWith('*.'));
  const caa = readCaa(providers, subject.names, roundSignal(signal));
  const byRecord = await tryPersistent(providers, subject, caa, signal);
  if (byRecord !== null) return byRecord;
  const byHttp = isWildcard || subject.prefersDns ? null : await tryHttp(providers, subject, caa, signal);
  if (byHttp?.checks.every(({ verdict }) => verdict !== 'fail')) return byHttp;
  const byDns = await tryDns(providers, subject, isWildcard, signal);
  if (byDns !== null) {
    return { challenge: 'dns-01', checks: [byDns, ...(await judgeAll(providers, subject, caa, ['dns-01'], signal))] };
  }
  if (byHttp !== null) return byHttp;
  const tried = await tryHttp(providers, subject, caa, signal);
  const isOpen = tried.checks.every(({ verdict }) => verdict !== 'fail');
  const loss = isOpen ? null : await lossOf(subject.accountId, subject.names[0] ?? '');
  if (loss === null) return tried;
  return { ...tried, checks: [{ id: 'challenge', verdict: 'fail', message: loss }, ...tried.checks] };
}

/**
 * Checks whether CAA and DNSSEC let the authority sign for names that do not point here yet, with any of our proofs:
 * all that can be checked before there is an order.
 */
export async function judgeNames(
  providers: Providers,
  { names, accountUrl }: Pick<PreflightSubject, 'names' | 'accountUrl'>,
  signal: AbortSignal,
): Promise<RehearsalCheck[]> {
  if (!providers.authority.isPublic) return [];
  const sets = readCaa(providers, names, roundSignal(signal));
  return judgeAll(providers, { accountUrl }, sets, ['http-01', 'dns-01'], signal);
}

const roundSignal = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(ROUND_MS)]);

/** Returns null unless all name servers of each name show the record in the authority's form. */
async function tryPersistent(
  providers: Providers,
  subject: PreflightSubject,
  caa: Promise<CaaSet[]>,
  signal: AbortSignal,
): Promise<PreflightResult | null> {
  if (subject.wasRefused || !(await hasPersistentRecords(providers, subject, signal))) return null;
  const message = 'The persistent record of this domain is the proof: nothing has to be written.';
  const checks = await judgeAll(providers, subject, caa, [PERSISTENT], signal);
  if (checks.some(({ verdict }) => verdict === 'fail')) return null;
  return { challenge: PERSISTENT, checks: [{ id: 'challenge', verdict: 'pass', message }, ...checks] };
}

async function tryHttp(
  providers: Providers,
  subject: PreflightSubject,
  caa: Promise<CaaSet[]>,
  signal: AbortSignal,
): Promise<PreflightResult> {
  const within = roundSignal(signal);
  const probes = await Promise.all(
    subject.names.map(async (name) => ({ ...(await probe(providers, name, within)), name })),
  );
  const allowed = await judgeAll(providers, subject, caa, ['http-01'], signal);
  signal.throwIfAborted();
  return { challenge: 'http-01', checks: [...probes, ...allowed] };
}

/**
 * Checks whether the connections open the zones and nothing blocks the names of the answers; null when none holds one
 * of them and there is another way.
 */
async function tryDns(
  providers: Providers,
  { accountId, names }: PreflightSubject,
  isOnlyWay: boolean,
  signal: AbortSignal,
): Promise<RehearsalCheck | null> {
  const within = roundSignal(signal);
  const check = (verdict: RehearsalCheck['verdict'], message: string): RehearsalCheck => ({
    ...{ id: 'challenge', verdict, message },
  });
  try {
    const found = await findChallengeTargets(providers, { accountId, names }, within);
    const missing = found.find(({ held }) => held === null);
    if (missing !== undefined) return isOnlyWay ? check('fail', whyNotHeld(missing)) : null;
    const zones = zonesOf(found);
    for (const { connection, zone, targets } of zones) {
      const asked = [...new Set(targets.map(({ at }) => at))];
      const sets = await withDnsConnection(providers, connection, within, (provider, call) =>
        readNames(provider, call, zone, asked),
      );
      const alias = sets.find(({ type }) => type === 'CNAME');
      if (alias === undefined) continue;
      return check('fail', `${alias.name} is a CNAME record, so no proof can be written there: remove it.`);
    }
    const written = zones.map(({ zone }) => zone.name).join(' and ');
    return check('pass', `The proof is written to ${written} through your DNS connection.`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) return check('fail', error.message);
    if (within.aborted) return check('unknown', 'Your DNS provider did not answer in time.');
    throw error;
  }
}

/** Reads CAA sets, and whether their zones are signed rightly, while names are tried; never rejects. */
async function readCaa({ dns }: Providers, names: readonly string[], signal: AbortSignal): Promise<CaaSet[]> {
  const setOf = async (name: string): Promise<CaaSet> => {
    const plain = name.replace(/^\*\./, '');
    const look = () => dns.caaOf(plain, signal);
    const [found, dnssec] = await Promise.all([
      // One lost packet does not count as silence.
      look()
        .catch(look)
        .catch((error: unknown) => (error instanceof DnsLookupError ? error : ('unread' as const))),
      dns.checkDnssec(plain, signal).catch(() => 'unknown' as const),
    ]);
    return { name, isBogus: dnssec === 'bogus', found };
  };
  return Promise.all(names.map(setOf));
}

async function judgeAll(
  { authority }: Providers,
  { accountUrl }: Pick<PreflightSubject, 'accountUrl'>,
  sets: Promise<CaaSet[]>,
  methods: readonly Challenge[],
  signal: AbortSignal,
): Promise<PreflightCheck[]> {
  const identities = await authority.caaIdentities(roundSignal(signal)).catch(() => null);
  const judge = ({ name, isBogus, found }: CaaSet): RehearsalCheck => {
    if (isBogus) {
      const { message, hint } = brokenDnssecText(name.replace(/^\*\./, ''));
      return { id: 'dns', verdict: 'fail', message: `${message} ${hint}` };
    }
    if (found instanceof DnsLookupError && found.muteZone !== null) {
      const message = `${muteText(found.muteZone)}, so the certificate authority refuses. ${MUTE_REMEDY}`;
      return { id: 'caa', verdict: 'fail', message };
    }
    if (found === 'unread' || found instanceof DnsLookupError || identities === null) {
      return { id: 'caa', verdict: 'unknown', message: `The CAA records of ${name} could not be read.` };
    }
    const question = {
      identities,
      accountUrl: accountUrl || undefined,
      methods,
      isWildcard: name.startsWith('*.'),
    };
    const refusal = found === null ? null : judgeCaa(found.values, question);
    if (found === null || refusal === null) {
      return {
        id: 'caa',
        verdict: 'pass',
        message: `CAA allows the certificate authority to issue certificates for ${name}.`,
      };
    }
    const own = refusal.add === null ? 'Remove it.' : `Add the record ${refusal.add}.`;
    const led = `They apply to ${name} because its CNAME record leads there. Point ${name} to your deployment instead.`;
    const remedy = isWithin(name, found.name) ? own : led;
    const message = `${caaText(refusal, found.name, identities[0] ?? authority.name)} ${remedy}`;
    return { id: 'caa', verdict: 'fail', message };
  };
  return (await sets).map((set) => ({ ...judge(set), name: set.name }));
}
