import type { Asked, Report } from '../../routers/schemas/diagnostics.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import type { Subject, Tools } from '../diagnostics/checks/check.ts';
import { checksFor } from '../diagnostics/checks/index.ts';
import { runChecks } from '../diagnostics/checks/run.ts';
import { notedTools, type Ways } from '../diagnostics/noted-tools.ts';
import { findServers } from '../diagnostics/tools.ts';
import { DnsLookupError, type Lookups } from '../dns/dns-client.ts';
import { unitOf } from '../domains/records/names.ts';
import { type Cast, DOMAIN, SIMULATED_ID, SITE_ADDRESS, SITE_URL } from './cast.ts';
import type { CheckFailure } from './check-failures.ts';
import { PROOF } from './domain-failures.ts';
import { wantedRecords } from './play-domain.ts';
import { type SimulatedZone, simulatedDns } from './simulated-dns.ts';
import { ENTRY_SHA256, NO_FAULT, simulatedHost, WITNESS } from './simulated-host.ts';

export type Played = {
  /** The DNS of the domain at the end; null when the site has its own address alone. */
  domain: { zone: SimulatedZone; isCertified: boolean } | null;
  failure: CheckFailure | null;
};

/** The number of checks between two looks. */
const CHECKS_A_LOOK = 4;
const AUTHORITY = 'authority.example';

/**
 * Plays the report at the end of the pipeline, and returns how it fills. The checks are the real ones: only their
 * tools ask nobody.
 */
export async function playReport(cast: Cast, played: Played): Promise<Report[]> {
  const subject = subjectOf(cast, played);
  const zone = played.domain?.zone ?? ownZone(subject.name);
  return simulatedDns(zone).withLookups(new AbortController().signal, (lookups) =>
    fill(cast, subject, toolsOf(cast, { subject, zone, lookups, failure: played.failure })),
  );
}

/** Plays the report of a domain that works except for the finding of this check. */
export async function playChecks(cast: Cast, failure: CheckFailure): Promise<Report[]> {
  const records = wantedRecords(cast);
  return playReport(cast, { domain: { zone: failure.zone?.(records) ?? { records }, isCertified: true }, failure });
}

async function fill(cast: Cast, subject: Subject, toolsFor: (asked: Asked[]) => Tools): Promise<Report[]> {
  const checks = checksFor(subject, { isWhole: true });
  const { startedAt } = cast;
  let report: Report = {
    ...{ id: SIMULATED_ID, deploymentId: SIMULATED_ID, name: subject.name, state: 'running', isWhole: true },
    ...{ checks: [], checkCount: checks.length, cause: null, changes: [], since: null, sharedUntil: null },
    ...{ startedAt, finishedAt: null },
  };
  const looks = [report];
  for await (const { result } of runChecks(checks, subject, toolsFor)) {
    const cause = report.cause ?? (result.verdict === 'fail' ? result.id : null);
    // There is no repair, since nothing exists.
    report = { ...report, cause, checks: [...report.checks, { ...result, repair: null, tookMs: 0 }] };
    if (report.checks.length % CHECKS_A_LOOK === 0) looks.push(report);
  }
  return [...looks, { ...report, state: 'done', finishedAt: startedAt }];
}

/** Returns the expectations, as for every deployment (server/diagnostics/subject.ts). */
function subjectOf(cast: Cast, { domain }: Played): Subject {
  const isServedHere = PLATFORMS[cast.platform].isServedHere === true;
  const site = { entrySha256: ENTRY_SHA256, witness: WITNESS };
  const own = { deploymentId: SIMULATED_ID, isServedHere, renewAt: null };
  if (domain === null) {
    return {
      ...{ name: new URL(SITE_URL).hostname, isDomain: !isServedHere, counterpart: null, url: `${SITE_URL}/`, ...site },
      hasTls: !isServedHere,
      own: { ...own, records: [], proof: null, domainId: null, certificateId: null },
    };
  }
  const { isCertified } = domain;
  return {
    ...{ name: DOMAIN, isDomain: true, counterpart: unitOf(DOMAIN).counterpart, ...site, hasTls: isCertified },
    url: `${isCertified ? 'https' : 'http'}://${DOMAIN}/`,
    own: { ...own, records: wantedRecords(cast), proof: PROOF, domainId: SIMULATED_ID, certificateId: null },
  };
}

function ownZone(apex: string): SimulatedZone {
  return { apex, records: [{ type: 'A', name: apex, value: SITE_ADDRESS }] };
}

type Around = { subject: Subject; zone: SimulatedZone; lookups: Lookups; failure: CheckFailure | null };

function toolsOf(cast: Cast, { subject, zone, lookups, failure }: Around): (asked: Asked[]) => Tools {
  const ours = Promise.resolve(new Set([SITE_ADDRESS]));
  const serversOf = (name: string) => findServers(lookups, name, ours);
  const { visit, handshake, ...host } = simulatedHost(cast, { subject, serversOf, fault: failure?.host ?? NO_FAULT });
  const ways: Ways = { lookups, visit, handshake, portAt: () => 443, caaOf: async () => caaIn(zone) };
  return (asked) => ({
    ...notedTools(ways, asked),
    ...host,
    serversOf,
    now: () => cast.startedAt,
    caaQuestion: async () =>
      subject.own?.isServedHere === true ? { identities: [AUTHORITY], isWildcard: false } : null,
    authorityTrouble: async () => failure?.trouble ?? null,
    mailBefore: async () => failure?.mailBefore ?? null,
  });
}

function caaIn({ records, fault }: SimulatedZone): Awaited<ReturnType<Ways['caaOf']>> {
  if (fault !== undefined && fault !== 'unregistered') {
    throw new DnsLookupError('timeout', `No name server of ${DOMAIN} answers.`);
  }
  const values = records.flatMap((record) => (record.type === 'CAA' ? [record.value] : []));
  return values.length === 0 ? null : { name: DOMAIN, values };
}
