import type { Certificate } from '../../routers/schemas/certificates.ts';
import type { CheckedRecord, Domain } from '../../routers/schemas/domains.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import { classifyProblem } from '../domains/certificates/authority/problems.ts';
import { delayAfter } from '../domains/certificates/outcome.ts';
import { isDead } from '../domains/records/concern.ts';
import { type DnsAnswers, gatherDnsAnswers } from '../domains/records/dns-answers.ts';
import { unitOf } from '../domains/records/names.ts';
import { changeOf, problemOf, recordKey } from '../domains/records/problem.ts';
import { pointsToOf, recordStates } from '../domains/records/record-states.ts';
import { type DomainTarget, requiredRecords, TTL_S } from '../domains/records/required-records.ts';
import { DAY_MS } from '../lib/durations.ts';
import { domainAnswer } from '../publishing/platforms/domain-answers.ts';
import type { DomainRecord } from '../publishing/platforms/platform.ts';
import { type Cast, DOMAIN, LIFETIME_DAYS, SIMULATED_ID, SITE_ADDRESS } from './cast.ts';
import { type DomainFailure, PROOF } from './domain-failures.ts';
import { type SimulatedZone, simulatedDns } from './simulated-dns.ts';

export type DomainScene = { afterMs: number; domain: Domain; certificate: Certificate | null };

const LOOK_MS = 1_800;
const UNIT = unitOf(DOMAIN);
const ROUTE = { ttl: TTL_S, purpose: 'route', alternativeGroup: null } as const;
/** The records that a platform requires. */
const ATTACHED: readonly DomainRecord[] = [
  { ...ROUTE, type: 'A', name: DOMAIN, value: SITE_ADDRESS, required: true },
  { ...ROUTE, type: 'CNAME', name: `www.${DOMAIN}`, value: DOMAIN, required: false },
];

/** The knowledge before a look: a change of an active domain differs from one that does not work yet. */
type Known = { cast: Cast; isProved: boolean; isActive: boolean; refusal?: DomainFailure['refusal'] };

/**
 * Plays a domain from its name to its certificate. Only DNS is simulated: its answers are evaluated as for every
 * domain, and so are an authority's problems.
 */
export async function playDomain(cast: Cast, failure: DomainFailure | null): Promise<DomainScene[]> {
  const scenes: DomainScene[] = [];
  const show = (domain: Domain, certificate: Certificate | null = null): DomainScene => {
    const scene = { afterMs: LOOK_MS, domain, certificate };
    scenes.push(scene);
    return scene;
  };
  const right = wantedRecords(cast);
  const added = await lookAt({ records: [] }, { cast, isProved: false, isActive: false });
  show({ ...added, checkedAt: null });
  if (failure?.isLost === true) show({ ...added, lostTo: 'another account' });
  if (failure?.isLost === true) return scenes;
  const before = failure?.isLater === true ? undefined : failure?.zone?.(right);
  if (before === undefined) {
    const proof = { records: right.filter(({ purpose }) => purpose === 'proof') };
    const refusal = failure?.refusal;
    show(await lookAt(proof, { cast, isProved: true, isActive: false, ...(refusal && { refusal }) }));
    if (refusal !== undefined) return scenes;
  }
  const seen = await lookAt(before ?? { records: right }, { cast, isProved: false, isActive: false });
  show(seen);
  if (seen.state !== 'active') return scenes;
  const { domain, certificate } = playCertificate(seen, cast, failure, show);
  const later = failure?.isLater === true ? failure.zone?.(right) : undefined;
  if (later !== undefined) {
    const changed = await lookAt(later, { cast, isProved: true, isActive: true });
    show({ ...changed, atPlatform: domain.atPlatform }, certificate);
  }
  return scenes;
}

/** Returns the DNS answers at the end of it. */
export function zoneAtEnd(cast: Cast, failure: DomainFailure | null): SimulatedZone {
  const right = wantedRecords(cast);
  if (failure?.refusal !== undefined) return { records: right.filter(({ purpose }) => purpose === 'proof') };
  return failure?.zone?.(right) ?? { records: right };
}

/** Returns the domain after a look at this DNS. */
export async function lookAt(zone: SimulatedZone, known: Known): Promise<Domain> {
  const { cast, isActive, refusal } = known;
  const target = targetOf(cast);
  const wanted = wantedRecords(cast);
  const answers = await gatherDnsAnswers(simulatedDns(zone), DOMAIN, wanted, new AbortController().signal);
  const records = recordStates(wanted, answers, target);
  const isProved = known.isProved || records.some(({ purpose, state }) => purpose === 'proof' && state === 'ok');
  const names = [DOMAIN, `www.${DOMAIN}`];
  const pointed = names.filter((name) => pointsToOf(name, records, answers, target) === 'here');
  const pointsHere = !isDead(UNIT.unit, answers) && pointed.includes(DOMAIN);
  const state = !isProved ? 'unverified' : pointsHere ? 'active' : isActive ? 'misconfigured' : 'pending_dns';
  const provedAt = isProved ? cast.startedAt : null;
  const found = { ...foundOf(known, { records, answers, target, provedAt }), leaving: [] };
  const problem = state === 'misconfigured' ? changeOf(found) : problemOf(found);
  const shown = refusal ? { code: refusal.code, message: refusal.message, hint: refusal.hint ?? null } : problem;
  return {
    ...{ id: SIMULATED_ID, deploymentId: SIMULATED_ID, name: DOMAIN, counterpart: UNIT.counterpart },
    ...{ servedName: DOMAIN, url: `https://${DOMAIN}`, state, proof: { type: 'TXT', ...PROOF } },
    ...{ records, pointedNames: pointed, atPlatform: null, provedAt },
    problem: shown === null ? null : { ...shown, since: cast.startedAt },
    activeSince: state === 'active' ? cast.startedAt : null,
    checkedAt: cast.startedAt,
    ...{ nextCheckAt: null, expiresAt: null, createdAt: cast.startedAt, changedAt: cast.startedAt },
  };
}

type DomainCheckResult = { records: CheckedRecord[]; answers: DnsAnswers; target: DomainTarget; provedAt: Date | null };

function foundOf({ cast, isActive }: Known, { provedAt, ...checked }: DomainCheckResult) {
  const rightRecords = isActive ? wantedRecords(cast).map(recordKey) : [];
  const nameServers = isActive ? (checked.answers.zone?.servers.map(({ name }) => name) ?? []) : [];
  const { unit } = UNIT;
  return {
    ...checked,
    domain: {
      name: DOMAIN,
      servedName: DOMAIN,
      unit,
      proof: PROOF,
      provedAt,
      rightRecords,
      nameServers,
      attached: null,
    },
  };
}

function targetOf({ platform }: Cast): DomainTarget {
  const isServedHere = PLATFORMS[platform].isServedHere === true;
  return { isServedHere, addresses: isServedHere ? [SITE_ADDRESS] : [], alias: null, issuers: [] };
}

export function wantedRecords(cast: Cast): DomainRecord[] {
  return requiredRecords({ name: DOMAIN, ...UNIT, proof: PROOF, attached: { records: ATTACHED } }, targetOf(cast));
}

type Show = (domain: Domain, certificate?: Certificate | null) => DomainScene;

/** Orders the certificate if Fairlead does, and otherwise has the platform report its progress. */
function playCertificate(domain: Domain, cast: Cast, failure: DomainFailure | null, show: Show): DomainScene {
  const { problem, answer } = failure ?? {};
  if (PLATFORMS[cast.platform].isServedHere === true) {
    show(domain, certificateOf(cast, { state: 'validating' }));
    if (problem === undefined) return show(domain, issued(cast));
    const classified = classifyProblem(problem, cast.startedAt);
    const waitMs = delayAfter(classified, 1, problem.status > 0 && classified.kind === 'change');
    const { type, detail, link } = problem;
    return show(
      domain,
      certificateOf(cast, {
        state: 'failed',
        problem: { type, message: classified.message, detail, link, at: cast.startedAt },
        nextTryAt: waitMs === null ? null : new Date(cast.startedAt.getTime() + waitMs),
      }),
    );
  }
  const said = answer ?? domainAnswer('certificate_issued', cast.title);
  const expiresAt = said.state === 'ok' ? new Date(cast.startedAt.getTime() + LIFETIME_DAYS * DAY_MS) : null;
  const ownership = domainAnswer('attached', cast.title);
  const dns = domainAnswer('points_there', cast.title);
  const answers = [{ name: DOMAIN, ownership, dns, certificate: { ...said, expiresAt } }];
  return show({ ...domain, atPlatform: { platform: cast.platform, answers, steps: [], askedAt: cast.startedAt } });
}

function issued(cast: Cast): Certificate {
  const notAfter = new Date(cast.startedAt.getTime() + LIFETIME_DAYS * DAY_MS);
  const dates = { notBefore: cast.startedAt, notAfter, renewAt: null };
  return certificateOf(cast, { state: 'issued', issuer: 'a simulated authority', isPublic: true, ...dates });
}

function certificateOf({ startedAt }: Cast, what: Pick<Certificate, 'state'> & Partial<Certificate>): Certificate {
  return {
    ...{ id: SIMULATED_ID, domainId: SIMULATED_ID, names: [DOMAIN, `www.${DOMAIN}`], serial: null, issuer: null },
    ...{ isPublic: true, notBefore: null, notAfter: null, renewAt: null, problem: null, nextTryAt: null },
    ...{ rehearsal: null, createdAt: startedAt },
    ...what,
  };
}
