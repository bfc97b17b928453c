import type { Problem } from './problems.ts';

/**
 * An authority signs certificates as RFC 8555 (ACME) describes: an account orders a certificate for some names; the
 * order holds one authorization a name, each with challenges of which one is answered; the authority validates them,
 * and the order becomes `ready`; a request with the certificate's own key is sent, and the chain comes back.
 *
 * Every step can be repeated with the account's key, the address of the order and the certificate's key: `register`
 * with a known key returns the same account, `answer` twice is one answer, and `finish` reads the order first and
 * downloads a chain that was already signed. So the caller stores these three **before** each call, and a crash
 * between any two calls loses nothing.
 *
 * An authority refuses with `AuthorityError`, whose `problem` server/domains/certificates/authority/problems.ts sorts: what the person
 * has to do, and when to try again.
 */
export interface CertificateAuthority {
  /** Accounts and budgets belong to this id: the address of the directory, or `local`. */
  readonly id: string;
  /** The name in sentences for a person. */
  readonly name: string;
  /** True when somebody else signs, so that browsers may trust it. */
  readonly isPublic: boolean;
  /** True for an authority that the operator runs: browsers trust it only where its root is installed. */
  readonly isPrivate?: boolean;
  /** Makes an account for this key, or finds the existing one. Returns the account's address. */
  register(accountKey: string, signal: AbortSignal): Promise<string>;
  /** Orders a certificate. Returns the address of the order. */
  order(call: AuthorityCall, request: OrderRequest): Promise<string>;
  /** Returns the address of an order for just these names that can be continued, or null; absent where none is kept. */
  openOrder?(call: AuthorityCall, names: readonly string[]): Promise<string | null>;
  /** Returns the current state of an order; null when the authority does not know it any more. */
  read(call: AuthorityCall, orderUrl: string): Promise<Order | null>;
  /** Requests the validation of a challenge whose answer is in place. */
  answer(call: AuthorityCall, challengeUrl: string): Promise<void>;
  /**
   * Waits until the authority has validated all answers, so that the order is `ready` or over; or until it is done with
   * this challenge. Null as for `read`.
   */
  awaitValidation(call: AuthorityCall, orderUrl: string, challengeUrl?: string): Promise<Order | null>;
  /** Has a ready order signed and returns the chain in PEM, the certificate first; for a signed order, its chain. */
  finish(call: AuthorityCall, orderUrl: string, csr: Uint8Array): Promise<string>;
  /** Revokes a certificate; one that is already revoked is no error. */
  revoke(call: AuthorityCall, chain: string, reason: RevocationReason): Promise<void>;
  /**
   * Returns when the authority suggests renewing a certificate (RFC 9773); null when it does not say. An absurd answer
   * never throws.
   */
  renewalInfo(chain: string, signal: AbortSignal): Promise<RenewalInfo | null>;
  /** Returns the root certificate to install in browsers, in PEM; absent when they trust it already. */
  root?(): Promise<string>;
  /** Returns the names that a CAA record may hold to allow this authority; empty when it does not say. */
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
  /** The certificate that this one replaces, in PEM: such a renewal counts against no limit at Let's Encrypt. */
  replaces?: string | undefined;
  /**
   * Called before an order is repeated without `replaces`, which then counts against limits. It throws to stop the
   * order.
   */
  beforeNewOrder?: (() => Promise<void>) | undefined;
};

export type Order = {
  url: string;
  status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';
  authorizations: Authorization[];
  /** The reason when the order is `invalid`. */
  problem: Problem | null;
};

export type Authorization = {
  /** The name without the `*.` of a wildcard. */
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
  /** Names of the authority, for a record of `dns-persist-01`. */
  issuers?: readonly string[] | undefined;
  status: 'pending' | 'processing' | 'valid' | 'invalid';
  problem: Problem | null;
};

/** The id of the app's own authority. */
export const LOCAL_AUTHORITY = 'local';

/** The root of the app's own authority; `key` is sealed. */
export type SealedRoot = { certificate: string; key: string };

/** The store of the root: one for all instances. */
export type LocalRoots = {
  find(): Promise<SealedRoot | null>;
  /** Stores the root unless there is one already; returns the stored one. */
  storeFirst(root: SealedRoot): Promise<SealedRoot>;
};

/** RFC 5280, section 5.3.1. */
export const REVOCATION_REASONS = { unspecified: 0, keyCompromise: 1, superseded: 4, cessationOfOperation: 5 } as const;
export type RevocationReason = keyof typeof REVOCATION_REASONS;

export type RenewalInfo = {
  start: Date;
  end: Date;
  /** A page with an explanation, for the operator. */
  explanationUrl: string | null;
  askAgainMs: number;
};

/** Returns whether the authority is done with a challenge of the order, right or wrong, or with the whole order. */
export function isValidated({ status, authorizations }: Order, challengeUrl: string | undefined): boolean {
  const its = authorizations.flatMap(({ challenges }) => challenges).find(({ url }) => url === challengeUrl);
  return status !== 'pending' || its?.status === 'valid' || its?.status === 'invalid';
}

export class AuthorityError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, cause?: unknown) {
    super(`${problem.type}: ${problem.detail}`, { cause });
    this.name = 'AuthorityError';
    this.problem = problem;
  }
}
