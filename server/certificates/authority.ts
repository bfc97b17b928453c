import type { Problem } from './problems.ts';

/**
 * An authority that signs certificates, as RFC 8555 (ACME) has them: an account orders a certificate for some names; the
 * order holds one authorization a name, each with challenges of which one is answered; the authority looks, and the order
 * becomes `ready`; a request with the certificate's own key is sent, and the chain comes back.
 *
 * Every step can be taken again by whoever knows the account's key, the address of the order and the certificate's key:
 * `register` with a known key gives the same account, `answer` twice is one answer, and `finish` reads the order first
 * and downloads what was signed before. So the caller keeps these three **before** each call, and a crash between any
 * two calls loses nothing.
 *
 * An authority refuses with `AuthorityError`, whose `problem` server/certificates/problems.ts sorts: what the person has to do,
 * and when it may be tried again.
 */
export interface CertificateAuthority {
  /** Accounts and budgets belong to it: the address of the directory, or `local`. */
  readonly id: string;
  /** For a person. */
  readonly name: string;
  /** Whether somebody else signs, so that browsers may trust it. */
  readonly isPublic: boolean;
  /** Makes an account for this key, or finds the one it has. Returns the account's address. */
  register(accountKey: string, signal: AbortSignal): Promise<string>;
  /** Orders a certificate. Returns the address of the order. */
  order(call: AuthorityCall, request: OrderRequest): Promise<string>;
  /** Returns an order as it stands; null when the authority does not know it any more. */
  read(call: AuthorityCall, orderUrl: string): Promise<Order | null>;
  /** Asks for the look at a challenge that is in place. */
  answer(call: AuthorityCall, challengeUrl: string): Promise<void>;
  /** Waits until the authority has looked at all answers: the order is `ready`, or over. Null as for `read`. */
  awaitValidation(call: AuthorityCall, orderUrl: string): Promise<Order | null>;
  /** Has a ready order signed and returns the chain in PEM, the certificate first; of one that was signed, its chain. */
  finish(call: AuthorityCall, orderUrl: string, csr: Uint8Array): Promise<string>;
  /** A certificate that was revoked before is no error. */
  revoke(call: AuthorityCall, chain: string, reason: RevocationReason): Promise<void>;
  /** Returns when the authority would like a certificate renewed (RFC 9773); null where it does not say. Never throws for an answer that makes no sense. */
  renewalInfo(chain: string, signal: AbortSignal): Promise<RenewalInfo | null>;
  /** Returns the certificate to install so that a browser trusts it, in PEM; absent where browsers trust it. */
  root?(): Promise<string>;
  /** Returns what a CAA record may name for this authority to be allowed; empty where it does not say. */
  caaIdentities(signal: AbortSignal): Promise<string[]>;
}

export type AuthorityCall = {
  /** The account's key, PKCS#8 in PEM: never that of a certificate. */
  accountKey: string;
  accountUrl: string;
  signal: AbortSignal;
};

export type OrderRequest = {
  /** Lower case, in ASCII; `*.example.com` for a wildcard. */
  names: readonly string[];
  /** The certificate that gives way to this one, in PEM: such a renewal counts against no limit at Let's Encrypt. */
  replaces?: string | undefined;
  /** Awaited before an order goes out after all without what it `replaces`: that one counts against limits. Throws to stop it. */
  beforeNewOrder?: (() => Promise<void>) | undefined;
};

export type Order = {
  url: string;
  status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';
  authorizations: Authorization[];
  /** Why it is `invalid`. */
  problem: Problem | null;
};

export type Authorization = {
  /** Without the `*.` of a wildcard. */
  name: string;
  isWildcard: boolean;
  status: 'pending' | 'valid' | 'invalid' | 'deactivated' | 'expired' | 'revoked';
  challenges: Challenge[];
};

export type Challenge = {
  /** `http-01`, `dns-01`, `dns-persist-01`, or another that we do not answer. */
  type: string;
  url: string;
  token: string;
  /** Of `dns-persist-01`: what the authority calls itself in the record. */
  issuers?: readonly string[] | undefined;
  status: 'pending' | 'processing' | 'valid' | 'invalid';
  problem: Problem | null;
};

/** The id of the app's own authority. */
export const LOCAL_AUTHORITY = 'local';

/** The root of the app's own authority; `key` is sealed. */
export type SealedRoot = { certificate: string; key: string };

/** Where the root is kept: one for all instances. */
export type LocalRoots = {
  find(): Promise<SealedRoot | null>;
  /** Keeps it unless another is kept already; returns the one that is. */
  keepFirst(root: SealedRoot): Promise<SealedRoot>;
};

/** RFC 5280, section 5.3.1. */
export const REVOCATION_REASONS = { unspecified: 0, keyCompromise: 1, superseded: 4, cessationOfOperation: 5 } as const;
export type RevocationReason = keyof typeof REVOCATION_REASONS;

export type RenewalInfo = {
  start: Date;
  end: Date;
  /** A page that says why, for the operator. */
  explanationUrl: string | null;
  askAgainMs: number;
};

export class AuthorityError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, cause?: unknown) {
    super(`${problem.type}: ${problem.detail}`, { cause });
    this.name = 'AuthorityError';
    this.problem = problem;
  }
}
