import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import {
  classifyProblem,
  PROBLEM_TYPES,
  type Problem,
  parseProblem,
} from '../domains/certificates/authority/problems.ts';
import type { AppError } from '../lib/errors.ts';
import { type DomainAnswer, domainAnswer } from '../publishing/platforms/domain-answers.ts';
import { platformError } from '../publishing/platforms/failures.ts';
import type { DomainRecord } from '../publishing/platforms/platform.ts';
import { type Cast, DOMAIN, OTHER_ADDRESSES } from './cast.ts';
import type { SimulatedZone } from './simulated-dns.ts';

export const PROOF = { name: `_fairlead.${DOMAIN}`, value: 'fairlead-simulated-proof' };

/** A failure of a domain; each has one of these causes. */
export type DomainFailure = {
  id: string;
  step: 'domain' | 'dns' | 'certificate';
  /** Another account proves the domain. */
  isLost?: boolean;
  /** The platform refuses the name. */
  refusal?: AppError;
  /** DNS gives this answer and not the required records. */
  zone?(right: readonly DomainRecord[]): SimulatedZone;
  /** It happens once the domain has worked. */
  isLater?: boolean;
  /** The authority, or the platform in its place, gives no certificate. */
  problem?: Problem;
  answer?: DomainAnswer;
};

/** Returns the possible failures of a domain there, in the order in which they occur. */
export function domainFailures(cast: Cast): DomainFailure[] {
  const isServedHere = PLATFORMS[cast.platform].isServedHere === true;
  return [
    { id: 'domain.lost', step: 'domain', isLost: true },
    ...(isServedHere ? [] : refusals(cast)),
    ...ZONES.map(([what, zone]): DomainFailure => ({ id: `dns.${what}`, step: 'dns', zone })),
    ...LATER.map(([what, zone]): DomainFailure => ({ id: `dns.${what}`, step: 'dns', zone, isLater: true })),
    ...(isServedHere ? problems(cast) : [platformsWord(cast)]),
  ];
}

function refusals({ title }: Cast): DomainFailure[] {
  return (['domain_taken', 'plan_limit'] as const).map((word) => ({
    ...{ id: `domain.${word}`, step: 'domain', refusal: platformError(word, title) },
  }));
}

function platformsWord({ title }: Cast): DomainFailure {
  const answer = domainAnswer('certificate_refused', title);
  return { id: 'certificate.refused', step: 'certificate', answer };
}

type Zones = readonly (readonly [string, NonNullable<DomainFailure['zone']>])[];

export const record = (type: DomainRecord['type'], name: string, value: string) => ({ type, name, value });
const without = (right: readonly DomainRecord[], purpose: DomainRecord['purpose']) =>
  right.filter((one) => one.purpose !== purpose);

const ZONES: Zones = [
  ['lookup_failed', () => ({ records: [], fault: 'unanswered' })],
  ['zone_missing', () => ({ records: [], fault: 'unregistered' })],
  ['name_servers_silent', () => ({ records: [], fault: 'timeout' })],
  ['name_servers_failing', () => ({ records: [], fault: 'server_failure' })],
  ['name_servers_lame', () => ({ records: [], fault: 'refused' })],
  [
    'name_doubled',
    (right) => ({ records: [...without(right, 'proof'), record('TXT', `${PROOF.name}.${DOMAIN}`, PROOF.value)] }),
  ],
  [
    'proof_differs',
    (right) => ({ records: [...without(right, 'proof'), record('TXT', PROOF.name, PROOF.value.slice(0, -1))] }),
  ],
  ['dnssec_broken', (right) => ({ records: right, isBogus: true })],
  [
    'alias_dangling',
    (right) => ({ records: [...without(right, 'route'), record('CNAME', DOMAIN, 'gone.hosting.example')] }),
  ],
  ['aaaa_elsewhere', (right) => ({ records: [...right, record('AAAA', DOMAIN, OTHER_ADDRESSES.six)] })],
];

const LATER: Zones = [
  [
    'records_changed',
    (right) => ({
      records: right.map((one) => (one.type === 'A' ? { ...one, value: OTHER_ADDRESSES.four } : one)),
    }),
  ],
  ['records_gone', (right) => ({ records: without(right, 'route') })],
  ['proof_gone', (right) => ({ records: without(right, 'proof') })],
];

/** Returns a refused validation in the form of RFC 8555, section 6.7. */
export const problemOfType = (type: string): Problem =>
  parseProblem(
    { type: `urn:ietf:params:acme:error:${type}`, detail: 'This answer is simulated: no authority was asked.' },
    { status: 403 },
  );

/** Keeps the first of several types with one sentence; a type without a sentence of its own only shows the details. */
function problems({ startedAt }: Cast): DomainFailure[] {
  const byMessage = new Map<string, DomainFailure>();
  for (const type of PROBLEM_TYPES) {
    const problem = problemOfType(type);
    const { message } = classifyProblem(problem, startedAt);
    if (message === problem.detail || byMessage.has(message)) continue;
    byMessage.set(message, { id: `certificate.${type}`, step: 'certificate', problem });
  }
  return [...byMessage.values()];
}
