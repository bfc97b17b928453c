import { redactedLine } from '../../lib/egress/vendor-answers.ts';
import type { PlatformDomain } from './platform.ts';

/**
 * A platform's answer about a domain, in codes that all platforms share, each with its state and its sentence.
 * `waiting` may take a day and asks nothing of the platform; `problem` does not pass by itself.
 */
export type DomainAnswer = { state: 'ok' | 'waiting' | 'problem'; code: DomainCode; text: string };
export type DomainCode = keyof typeof ANSWERS;

type Words = { state: DomainAnswer['state']; says(title: string, said: string): string };

const ANSWERS = {
  attached: { state: 'ok', says: (title) => `${title} has this domain for this deployment.` },
  proof_missing: {
    state: 'waiting',
    says: (title) => `${title} is waiting for the record that proves the domain is yours.`,
  },
  not_attached: { state: 'problem', says: (title) => `${title} does not have this domain for this deployment.` },
  points_there: { state: 'ok', says: (title) => `The records of this domain point to ${title}.` },
  records_missing: { state: 'waiting', says: (title) => `${title} does not see the records of this domain yet.` },
  points_elsewhere: {
    state: 'problem',
    says: (title) => `The records of this domain do not point to ${title}.`,
  },
  certificate_issued: { state: 'ok', says: (title) => `${title} has a certificate for this domain.` },
  certificate_missing: { state: 'waiting', says: (title) => `${title} can issue a certificate now.` },
  certificate_coming: { state: 'waiting', says: (title) => `${title} is issuing the certificate.` },
  certificate_refused: {
    state: 'problem',
    says: (title, said) => `${title} could not get a certificate for this domain${said}.`,
  },
  unclear: { state: 'waiting', says: (title, said) => `The answer of ${title} is not clear yet${said}.` },
} as const satisfies Record<string, Words>;

/** Returns the answer with its sentence for a person, naming the platform. */
export function domainAnswer(code: DomainCode, title: string, said = ''): DomainAnswer {
  const { state, says }: Words = ANSWERS[code];
  return { state, code, text: says(title, said === '' ? '' : `: ${redactedLine(said, [])}`) };
}

/** Returns the answer for a name that the site does not have. */
export function notAttached(title: string): PlatformDomain {
  const missing = domainAnswer('records_missing', title);
  const certificate = { ...missing, expiresAt: null };
  return { ownership: domainAnswer('not_attached', title), dns: missing, certificate };
}

/**
 * Translates a platform's answer by the adapter's own table. A missing answer, and one that is not in the table, mean
 * "wait" and never a problem.
 */
export function domainAnswerOf(
  codes: Readonly<Record<string, DomainCode>>,
  word: string | null,
  title: string,
): DomainAnswer {
  const code = word !== null && Object.hasOwn(codes, word) ? codes[word] : undefined;
  return code === undefined ? domainAnswer('unclear', title, word ?? '') : domainAnswer(code, title);
}
