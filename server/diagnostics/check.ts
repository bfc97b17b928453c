import type { Asked, CheckId, CheckVerdict, Repair } from '../../routers/schemas/diagnostics.ts';
import type { CaaQuestion } from '../dns/caa.ts';
import type { DnssecState, RecordType, ServerAnswer, Zone } from '../dns/dns-client.ts';
import type { Handshake } from '../lib/egress/reach.ts';
import type { DomainRecord } from '../platforms/platform.ts';

/**
 * A check looks at one link of the chain from a name to the page behind it, and says what it saw: nothing is mended here.
 *
 * The service that runs them (server/services/diagnostics) brings the subject, with what it is to be, and the tools, which
 * are the only way out; what one check has asked, another gets from memory. A check throws nothing but the reason of the
 * signal, DnsLookupError, which reads as unknown, and what is our own fault. "Our own network failed" is `unknown`, never
 * `fail`. Of a name that no deployment of the account holds nothing is expected, so that nothing about its aim is judged.
 *
 * To add one: its id in routers/schemas/diagnostics.ts, at its place in the chain; one file here; one line in index.ts;
 * what it explains in causes.ts; a test in which a real server fails in that way.
 */
export type Check = {
  id: CheckId;
  /** Why it matters, for a person. */
  why: string;
  /** Whether it has a meaning for this subject; always when absent. */
  applies?(subject: Subject): boolean;
  run(subject: Subject, tools: Tools): Promise<Finding>;
};

export type Finding = {
  verdict: CheckVerdict;
  /** What was seen, in a sentence or two. */
  seen: string;
  fix?: string;
  repair?: Repair | null;
  /** What the next report is compared with: `{ 'AAAA of example.com': ['2001:db8::1'] }`. */
  facts?: Facts;
};
export type Facts = Readonly<Record<string, readonly string[]>>;

export type Subject = {
  name: string;
  /** The name is one of DNS; of a deployment without a domain its own address alone is looked at. */
  isDomain: boolean;
  /** `www` of the name or what is below it, where both belong to one domain of the account. */
  counterpart: string | null;
  /** Present where a deployment of the account holds the name. */
  own: {
    deploymentId: string;
    isServedHere: boolean;
    /** Those that the domain asks for; empty where the platform has not named any yet. */
    records: readonly DomainRecord[];
    proof: { name: string; value: string } | null;
    domainId: string | null;
    certificateId: string | null;
    /** When the certificate was to be renewed. */
    renewAt: Date | null;
  } | null;
  /** The address that visitors type. */
  url: string;
  /** What its entry page has to be; null where nothing is known of that. */
  entrySha256: string | null;
  /**
   * A file of the release that nothing on the way rewrites, as proxies do with pages: it tells whether the release itself is
   * served. Null where there is none.
   */
  witness: { path: string; sha256: string } | null;
  /** Whether a visit of http is to be led to https: a certificate is there. */
  hasTls: boolean;
};

/** One address of a name, with what is asked there. */
export type Place = { address: string; isOwn: boolean };

export type Page = { path: string; text: string };

/** `no_route` and `not_allowed` say nothing about the server. */
export type VisitFault = 'refused' | 'silent' | 'tls' | 'no_address' | 'no_route' | 'not_allowed' | 'broken';
export type Visit =
  | { fault: null; status: number; headers: Headers; text: string; sha256: string; firstByteMs: number; server: string }
  | { fault: VisitFault; detail: string; server: string };
export type Answered = Extract<Visit, { fault: null }>;

export type Tools = {
  now(): Date;
  zoneOf(name: string): Promise<Zone | null>;
  /** Of each authority, the addresses at the end of an alias included. */
  askNameServers(name: string, type: RecordType): Promise<readonly ServerAnswer[]>;
  askResolvers(name: string, type: RecordType): Promise<readonly ServerAnswer[]>;
  caaOf(name: string): Promise<{ name: string; values: string[] } | null>;
  checkDnssec(name: string): Promise<DnssecState>;
  /** The addresses of a name as its authorities give them; a few of each family. */
  placesOf(name: string): Promise<readonly Place[]>;
  isAllowed(address: string): boolean;
  /** Asks for one address, at one of its places where that is given; redirects are not followed. */
  visit(url: string, place?: Place): Promise<Visit>;
  handshake(name: string, place: Place, onlyVersion?: 'TLSv1.1' | 'TLSv1.2'): Promise<Handshake>;
  /** Returns what is to be answered at `/.well-known/acme-challenge/{token}`, by us alone. */
  challengeToken(): Promise<string>;
  /** HTML of the release, or the page that answers where the release is not ours; a few of them. */
  pages(): Promise<readonly Page[]>;
  /** What CAA records may name for our authority; null where they are nobody's business. */
  caaQuestion(): Promise<CaaQuestion | null>;
  /** What keeps the authority from signing right now; `isNear`: not yet, but more than four fifths of a limit are used. */
  authorityTrouble(): Promise<{ message: string; until: Date | null; isNear: boolean } | null>;
  /** The mail records as the report before had them, and whether records were written by us since. */
  mailBefore(): Promise<{ facts: Facts; isWrittenSince: boolean } | null>;
};

/** Keeps what a check has asked, a bounded number of questions with bounded answers. */
export type AskedList = Pick<Asked[], 'push' | 'length'>;

export const pass = (seen: string, more: Partial<Finding> = {}): Finding => ({ ...more, verdict: 'pass', seen });
export const unknown = (seen: string, more: Partial<Finding> = {}): Finding => ({ ...more, verdict: 'unknown', seen });
export const warn = (seen: string, fix: string, more: Partial<Finding> = {}): Finding => ({
  ...more,
  ...{ verdict: 'warn', seen, fix },
});
export const fail = (seen: string, fix: string, more: Partial<Finding> = {}): Finding => ({
  ...more,
  ...{ verdict: 'fail', seen, fix },
});

/** Returns the answers that say what there is. */
export function usable(answers: readonly ServerAnswer[]): readonly (ServerAnswer & { values: string[] })[] {
  return answers.flatMap((answer) => (answer.values === null ? [] : [{ ...answer, values: answer.values }]));
}

/** Returns all values, once each and sorted. */
export function valuesOf(answers: readonly ServerAnswer[]): string[] {
  return [...new Set(usable(answers).flatMap(({ values }) => values))].sort();
}

/** Returns the names that a check speaks of. */
export function namesOf({ name, counterpart }: Subject): string[] {
  return counterpart === null ? [name] : [name, counterpart];
}

/** The records of the domain can be written by the app. */
export function recordsRepair({ own }: Pick<Subject, 'own'>): Repair | null {
  return own?.domainId ? { kind: 'records', domainId: own.domainId } : null;
}

/** Whether what stands in the way is on our side, so that it says nothing about the server. */
export function isOurs({ fault }: Visit): boolean {
  return fault === 'no_route' || fault === 'not_allowed';
}

const FAULT_TEXTS: Record<VisitFault, string> = {
  refused: 'takes no connection',
  silent: 'does not answer in time',
  tls: 'shows a certificate that browsers refuse',
  no_address: 'leads nowhere',
  no_route: 'cannot be reached from here',
  not_allowed: 'is not an address that is gone to',
  broken: 'breaks the connection off',
};

/** Says what became of a visit that got no answer. */
export function faultText(visit: Exclude<Visit, Answered>): string {
  return FAULT_TEXTS[visit.fault];
}
