import { createHash } from 'node:crypto';
import { keyAuthorization } from './acme/jws.ts';
import type { Authorization, Challenge } from './authority.ts';
import { PERSISTENT } from './persistent-record.ts';

/**
 * Proves the control of names. A solver puts the answers of one order in place so that every process of every instance
 * serves them, and returns once the authority would find them; it removes them when the order is over, including those
 * that a crash has left. Putting the same answer twice is harmless.
 */
export interface ChallengeSolver {
  readonly type: 'http-01' | 'dns-01' | typeof PERSISTENT;
  put(answers: readonly ChallengeAnswer[], signal: AbortSignal): Promise<void>;
  remove(answers: readonly ChallengeAnswer[], signal: AbortSignal, withinMs?: number): Promise<void>;
}

export type ChallengeAnswer = {
  /** The name to prove, without the `*.` of a wildcard. */
  name: string;
  challengeUrl: string;
  token: string;
  /** The text that HTTP-01 serves (RFC 8555, section 8.3). */
  text: string;
};

/** Returns the challenge of this kind in a pending authorization; null when there is none. */
export function challengeOf({ status, challenges }: Authorization, type: ChallengeSolver['type']): Challenge | null {
  if (status !== 'pending') return null;
  return challenges.find((one) => one.type === type && (one.token !== '' || type === PERSISTENT)) ?? null;
}

/** Returns the answer to a challenge under this account. */
export function answerTo({ name }: Authorization, { url, token }: Challenge, accountKey: string): ChallengeAnswer {
  return { name, challengeUrl: url, token, text: keyAuthorization(token, accountKey) };
}

/**
 * Returns the TXT set for DNS-01 (RFC 8555, section 8.4), by name. A name and its wildcard share one: both values must
 * be there at the same time.
 */
export function txtSetsOf(answers: readonly ChallengeAnswer[]): Map<string, string[]> {
  const sets = new Map<string, string[]>();
  for (const { name, text } of answers) {
    const at = `_acme-challenge.${name}`;
    const value = createHash('sha256').update(text).digest('base64url');
    sets.set(at, [...(sets.get(at) ?? []), value]);
  }
  return sets;
}
