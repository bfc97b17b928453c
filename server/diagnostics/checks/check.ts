import type { Asked, CheckId, CheckVerdict, Repair } from '../../../routers/schemas/diagnostics.ts';
import type { CaaQuestion } from '../../dns/caa.ts';
import type { DnssecState, RecordType, ServerAnswer, Zone } from '../../dns/dns-client.ts';
import type { Handshake } from '../../lib/egress/reach.ts';
import type { DomainRecord } from '../../publishing/platforms/platform.ts';

/**
 * A check looks at one link of the chain from a name to the page behind it, and reports what it saw; it repairs
 * nothing.
 *
 * The service that runs them (server/diagnostics) supplies the subject, with its expected state, and the
 * tools, which are the only way out; the answers that one check gets are cached for the others. A check throws only
 * the reason of the signal, DnsLookupError, which counts as unknown, and defects of ours. A failure of our own network
 * is `unknown`, never `fail`. For a name that no deployment of the account has, nothing is expected, so its aim is not
 * judged.
 *
 * To add one: its id in routers/schemas/diagnostics.ts, at its place in the chain; one file here; one line in
 * index.ts; the checks that it explains in causes.ts; a test in which a real server fails in that way.
 */
export type Check = {
  id: CheckId;
  /** Explains to a person why the check matters. */
  why: string;
  /** Returns whether the check makes sense for this subject; always when absent. */
  applies?(subject: Subject): boolean;
  run(subject: Subject, tools: Tools): Promise<Finding>;
};

export type Finding = {
  verdict: CheckVerdict;
  /** The observation, in a sentence or two. */
  seen: string;
  fix?: string;
  repair?: Repair | null;
  /** The next report is compared with these: `{ 'AAAA of example.com': ['2001:db8::1'] }`. */
  facts?: Facts;
};
export type Facts = Readonly<Record<string, readonly string[]>>;

export type Subject = {
  name: string;
  /** True for a DNS name; for a deployment without a domain only its own address is checked. */
  isDomain: boolean;
  /** The `www` of the name or the name below it, when both belong to one domain of the account. */
  counterpart: string | null;
  /** Present when a deployment of the account has the name. */
  own: {
    deploymentId: string;
    isServedHere: boolean;
    /** The records that the domain needs; empty while the platform has not named any. */
    records: readonly DomainRecord[];
    proof: { name: string; value: string } | null;
    domainId: string | null;
    certificateId: string | null;
    /** The planned time of the renewal. */
    renewAt: Date | null;
    /** The serial of a certificate by an authority of the operator's own, which browsers need not know. */
    privateSerial?: string | null;
  } | null;
  /** The address that visitors type. */
  url: string;
  /** True when the live release has no start page, so that its bare address is “not found”. */
  lacksStartPage?: boolean;
  /** The expected hash of its entry page; null when it is not known. */
  entrySha256: string | null;
  /**
   * A file of the release that proxies do not rewrite, as they do pages: it shows whether the release itself is
   * served. Null when there is none.
   */
  witness: { path: string; sha256: string } | null;
  /** True when a visit over http must be redirected to https, because there is a certificate. */
  hasTls: boolean;
};

/** One address of a name that can be visited. */
export type ServerAddress = { address: string; isOwn: boolean };

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
  /** Asks each authority; the addresses include those at the end of an alias. */
  askNameServers(name: string, type: RecordType): Promise<readonly ServerAnswer[]>;
  askResolvers(name: string, type: RecordType): Promise<readonly ServerAnswer[]>;
  caaOf(name: string): Promise<{ name: string; values: string[] } | null>;
  checkDnssec(name: string): Promise<DnssecState>;
  /** Returns the addresses of a name from its authorities; a few of each family. */
  serversOf(name: string): Promise<readonly ServerAddress[]>;
  isAllowed(address: string): boolean;
  /** Requests one address, at this server if one is given; redirects are not followed. */
  visit(url: string, server?: ServerAddress): Promise<Visit>;
  handshake(name: string, server: ServerAddress, onlyVersion?: 'TLSv1.1' | 'TLSv1.2'): Promise<Handshake>;
  /** Returns the answer that only we give at `/.well-known/acme-challenge/{token}`. */
  challengeToken(): Promise<string>;
  /** Returns HTML pages of the release, or the answering page when the release is not ours; a few of them. */
  pages(): Promise<readonly Page[]>;
  /** Returns the question for CAA records about our authority; null when it does not apply. */
  caaQuestion(): Promise<CaaQuestion | null>;
  /** Returns the reason why the authority would not sign now; `isNear`: more than four fifths of a limit are used. */
  authorityTrouble(): Promise<{ message: string; until: Date | null; isNear: boolean } | null>;
  /** Returns the mail records of the previous report, and whether we have written records since. */
  mailBefore(): Promise<{ facts: Facts; isWrittenSince: boolean } | null>;
};

/** Collects the questions of a check, a bounded number with bounded answers. */
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

/** Returns the usable answers. */
export function usable(answers: readonly ServerAnswer[]): readonly (ServerAnswer & { values: string[] })[] {
  return answers.flatMap((answer) => (answer.values === null ? [] : [{ ...answer, values: answer.values }]));
}

/** Returns all values, without duplicates and sorted. */
export function valuesOf(answers: readonly ServerAnswer[]): string[] {
  return [...new Set(usable(answers).flatMap(({ values }) => values))].sort();
}

/** Returns the names that a check covers. */
export function namesOf({ name, counterpart }: Subject): string[] {
  return counterpart === null ? [name] : [name, counterpart];
}

/** Offers to write the records of the domain, if the app knows it. */
export function recordsRepair({ own }: Pick<Subject, 'own'>): Repair | null {
  return own?.domainId ? { kind: 'records', domainId: own.domainId } : null;
}

/** Returns whether the obstacle is on our side, so that it says nothing about the server. */
export function isOurs({ fault }: Visit): boolean {
  return fault === 'no_route' || fault === 'not_allowed';
}

const FAULT_TEXTS: Record<VisitFault, string> = {
  refused: 'refuses connections',
  silent: 'does not answer in time',
  tls: 'shows a certificate that browsers refuse',
  no_address: 'leads nowhere',
  no_route: 'cannot be reached from here',
  not_allowed: 'is an address that Fairlead must not contact',
  broken: 'closes the connection',
};

/** Describes a visit that got no answer. */
export function faultText(visit: Exclude<Visit, Answered>): string {
  return FAULT_TEXTS[visit.fault];
}
