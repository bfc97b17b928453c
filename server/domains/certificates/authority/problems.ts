import * as z from 'zod/mini';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/durations.ts';
import { VALIDATIONS_A_DAY } from './renewal.ts';

/** A failure of a request to an authority, or of the way to it. */
export type Problem = {
  /** The type without `urn:ietf:params:acme:error:` (RFC 8555, section 6.7); `unreachable` when no answer came. */
  type: string;
  /** The authority's own words. */
  detail: string;
  status: number;
  /** The problems of single names, when several were requested. */
  subproblems: { name: string; type: string; detail: string }[];
  /** The wait that the header `Retry-After` asks for. */
  retryAfterMs: number | null;
  /** A page that a person must open: new terms, or the end of a pause. */
  link: string | null;
};

/**
 * `retry`: it passes by itself. `change`: a record, a path or a port must be changed first. `operator`: the settings
 * of this installation must change. `final`: it is refused for good. `new_account`: it passes once the account is made
 * anew.
 */
export type ClassifiedProblem = {
  kind: 'retry' | 'change' | 'operator' | 'final' | 'new_account';
  /** Null leaves the delay to the table of attempts. */
  retryAfterMs: number | null;
  /** A sentence for the owner of the domain. */
  message: string;
};

const PREFIX = 'urn:ietf:params:acme:error:';
const DETAIL_MAX = 1_000;
const TYPE_MAX = 100;
const LINK_MAX = 2_000;
/** RFC 1035, section 2.3.4. */
const NAME_MAX = 253;
const SUBPROBLEMS_MAX = 100;

const text = z.catch(z.optional(z.string()), undefined);
const subproblemSchema = z.object({
  type: text,
  detail: text,
  identifier: z.catch(z.optional(z.object({ value: z.string() })), undefined),
});
const problemSchema = z.object({
  type: text,
  detail: text,
  instance: text,
  subproblems: z.catch(z.optional(z.array(z.unknown())), undefined),
});

export type ProblemParts = { status: number; retryAfterMs?: number | null; termsLink?: string | null };

/** Reads a problem document (RFC 9457); anything else gives a problem that says so. */
export function parseProblem(value: unknown, { status, retryAfterMs = null, termsLink = null }: ProblemParts): Problem {
  const { type, detail, instance, subproblems } = problemSchema.safeParse(value).data ?? {};
  const name = withoutPrefix(type);
  return {
    type: name ?? (status >= 500 || status === 429 ? 'serverInternal' : 'malformed'),
    detail: (detail ?? `The authority answered with status ${status}.`).slice(0, DETAIL_MAX),
    status,
    subproblems: (subproblems ?? []).slice(0, SUBPROBLEMS_MAX).flatMap((part) => {
      const parsed = subproblemSchema.safeParse(part).data;
      if (parsed === undefined) return [];
      const detailText = (parsed.detail ?? '').slice(0, DETAIL_MAX);
      return [
        {
          name: (parsed.identifier?.value ?? '').slice(0, NAME_MAX),
          type: withoutPrefix(parsed.type) ?? 'malformed',
          detail: detailText,
        },
      ];
    }),
    retryAfterMs,
    link: webLink(termsLink ?? undefined) ?? webLink(instance) ?? linkIn(detail),
  };
}

function withoutPrefix(type: string | undefined): string | undefined {
  return type?.startsWith(PREFIX) ? type.slice(PREFIX.length, PREFIX.length + TYPE_MAX) : undefined;
}

function webLink(link: string | undefined): string | null {
  return link?.startsWith('https://') && link.length <= LINK_MAX && URL.canParse(link) ? link : null;
}

/** Finds the link that ends a pause in the text (Let's Encrypt, "Rate Limits", 2026-08-05). */
function linkIn(detail: string | undefined): string | null {
  const link = detail?.split(' ').find((word) => word.startsWith('https://') && word.includes('unpause'));
  return webLink(link?.replace(/[.,]$/, ''));
}

/** Returns the problem of an authority that could not be reached. */
export function unreachable(detail: string): Problem {
  return ownProblem('unreachable', detail);
}

/** Returns the problem of an authority that answered nonsense. */
export function senseless(detail: string): Problem {
  return ownProblem('serverInternal', detail);
}

/** Returns a problem that we have found ourselves. */
export function ownProblem(type: string, detail: string, retryAfterMs: number | null = null): Problem {
  return { type, detail, status: 0, subproblems: [], retryAfterMs, link: null };
}

type Rule = (problem: Problem, now: Date) => Omit<ClassifiedProblem, 'message'> & { message?: string };

const retry: Rule = ({ retryAfterMs }) => ({ kind: 'retry', retryAfterMs });
const change: Rule = ({ retryAfterMs }) => ({ kind: 'change', retryAfterMs });
const operator: Rule = () => ({ kind: 'operator', retryAfterMs: null });
/** A problem that we found has its own advice, which is better than any sentence about its kind. */
const foundByUs: Rule = ({ detail }) => ({ kind: 'change', retryAfterMs: null, message: detail });
const final: Rule = () => ({ kind: 'final', retryAfterMs: null });

const LIMIT_WAIT_MS = HOUR_MS;
const LIMIT_WAIT_MAX_MS = 7 * DAY_MS;

type Row = { rule: Rule; message: string };

const OTHER_ANSWER: Row = {
  rule: change,
  message: 'The certificate authority found an answer at this name that is not ours.',
};
const PASSING_ERROR: Row = {
  rule: retry,
  message: 'The certificate authority reported an error. Fairlead tries again automatically.',
};

const RULES: Readonly<Record<string, Row>> = {
  rateLimited: {
    rule: (problem, now) => {
      if (problem.detail.includes('unpause')) {
        const message =
          'The certificate authority has paused this name after many failures: open the authority’s page to continue.';
        return { kind: 'final', retryAfterMs: null, message };
      }
      const waitMs = problem.retryAfterMs ?? retryAfterIn(problem.detail, now) ?? LIMIT_WAIT_MS;
      return { kind: 'retry', retryAfterMs: Math.min(Math.max(waitMs, MINUTE_MS), LIMIT_WAIT_MAX_MS) };
    },
    message: 'A limit of the certificate authority is reached; Fairlead tries again when the authority allows it.',
  },
  connection: { rule: change, message: 'The certificate authority could not connect to this name at port 80.' },
  tls: { rule: change, message: 'The certificate authority found a server with broken TLS at this name.' },
  dns: { rule: change, message: 'The certificate authority could not look this name up.' },
  unauthorized: OTHER_ANSWER,
  incorrectResponse: OTHER_ANSWER,
  caa: {
    rule: (problem, now) => (problem.status === 0 ? foundByUs(problem, now) : change(problem, now)),
    message: 'The CAA records of this name do not allow this certificate authority to issue certificates.',
  },
  rejectedIdentifier: { rule: final, message: 'The certificate authority does not issue certificates for this name.' },
  unsupportedIdentifier: {
    rule: final,
    message: 'The certificate authority does not issue certificates for names like this.',
  },
  orderNotReady: { rule: retry, message: 'The certificate authority is not done yet.' },
  badNonce: PASSING_ERROR,
  serverInternal: PASSING_ERROR,
  unreachable: {
    rule: retry,
    message: 'The certificate authority cannot be reached. Fairlead tries again automatically.',
  },
  // Our own preflight of an order, and our own count: the authority has not been asked.
  rehearsal: {
    rule: foundByUs,
    message: 'Our own test failed: the certificate authority would not find our answer at this name.',
  },
  // The same holds for these, which the proof by DNS meets on its way to the person's zone.
  dnsConnection: {
    rule: foundByUs,
    message: 'The proof that this name is yours could not be written through your DNS connection.',
  },
  dnsUnseen: { rule: change, message: 'Not all name servers of this name show the proof that was written for it.' },
  dnsZone: {
    rule: change,
    message: 'This name needs a proof in its DNS, and none of your DNS connections holds its zone.',
  },
  budget: {
    rule: retry,
    message: 'A limit of the certificate authority is nearly reached; Fairlead tries again when there is room.',
  },
  unusable: {
    rule: retry,
    message: 'The certificate that the authority sent cannot be used; Fairlead asks for another one.',
  },
  externalAccountRequired: {
    rule: operator,
    message:
      'The certificate authority wants an external account: the operator has to set ACME_EAB_KID and ACME_EAB_HMAC.',
  },
  userActionRequired: {
    rule: operator,
    message: 'The certificate authority has new terms that the operator has to accept.',
  },
  accountDoesNotExist: {
    rule: () => ({ kind: 'new_account', retryAfterMs: null }),
    message: 'The certificate authority no longer knows our account; Fairlead creates a new one.',
  },
};

/** The types that only we find, before the authority is asked to look at a name. */
const FOUND_BY_US: ReadonlySet<string> = new Set(['rehearsal', 'dnsConnection', 'dnsUnseen', 'dnsZone']);

/**
 * Returns whether a problem of this type may be over when a name has come to point here. What the authority found counts
 * as a failed validation each time: after a day's number of them, the next try keeps its time.
 */
export function mayBeOver(type: string, failures: number): boolean {
  if (FOUND_BY_US.has(type)) return true;
  return classifyProblem(ownProblem(type, ''), new Date(0)).kind === 'change' && failures < VALIDATIONS_A_DAY;
}

/** Every type that has a sentence of its own. */
export const PROBLEM_TYPES: readonly string[] = Object.keys(RULES);

const OURS = 'The certificate authority refused the request.';

/** Sorts a problem: who must act, and when the next try makes sense. Unknown types count as `malformed`. */
export function classifyProblem(problem: Problem, now: Date): ClassifiedProblem {
  // Under load Boulder sends 503 with any type (Let's Encrypt, "Rate Limits", 2026-08-05).
  const type = problem.status === 503 ? 'rateLimited' : problem.type;
  const known = Object.hasOwn(RULES, type) ? RULES[type] : undefined;
  if (known === undefined) {
    const kind = problem.status >= 500 ? 'retry' : 'final';
    return { kind, retryAfterMs: problem.retryAfterMs, message: OURS };
  }
  return { message: known.message, ...known.rule(problem, now) };
}

const RETRY_AFTER = /retry after (\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)/;

/** Returns the time at the end of a text about a limit, in UTC. */
function retryAfterIn(detail: string, now: Date): number | null {
  const [, day, time] = RETRY_AFTER.exec(detail) ?? [];
  if (day === undefined || time === undefined) return null;
  const at = Date.parse(`${day}T${time}Z`);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
