import { type FailureFacts, type FailureWords, failureError } from '../../lib/egress/vendor-answers.ts';
import type { AppError } from '../../lib/errors.ts';
import { GOES_ON, LOOKED_AT, TRIED_AGAIN } from '../../lib/remedies.ts';

/**
 * The reasons for a platform's refusal, one code for all platforms. They are error codes of ours; `platform_failed`
 * covers the rest, with the platform's own words.
 */
export type PlatformFailure = keyof typeof FAILURES;

/** A refusal of one vendor, recognized by its status and its words. */
export type RefusalRow = {
  statuses: readonly number[];
  says: RegExp;
  means: PlatformFailure;
  /** Advice in place of that for this kind of failure, where it would not help. */
  remedy?: string;
};

/** Returns the meaning from the first row that fits; undefined when none does, so that the status alone decides. */
export function meaningOf(
  rows: readonly RefusalRow[],
  status: number,
  said: string | null,
): PlatformFailure | undefined {
  return rows.find(({ statuses, says }) => statuses.includes(status) && says.test(said ?? ''))?.means;
}

/** Returns the advice of the first row that fits; undefined to use that of its kind of failure. */
export function remedyOf(rows: readonly RefusalRow[], status: number, said: string | null): string | undefined {
  return rows.find(({ statuses, says }) => statuses.includes(status) && says.test(said ?? ''))?.remedy;
}

/** Another try with the same impossible name or domain would be in vain. */
export const OTHER_NAME = 'Publish these files as a new deployment, with a name of letters, digits and hyphens.';
export const OTHER_DOMAIN = 'Check how the domain is spelled, then add it again.';
export const UPDATE_FAIRLEAD = 'The platform has changed its API: ask the operator to update Fairlead.';
export const PUBLISH_ANEW = 'It cannot be restored there: publish its files as a new release.';
const MEND_IT = 'Fix what is named here or in the log of this release, then publish again.';

/** Returns the error for a release whose reference names nothing at the platform. */
export function neverMade(title: string): AppError {
  return platformError('platform_failed', title, {
    said: 'this release was never made there',
    remedy: PUBLISH_ANEW,
  });
}

/** Returns the error for a release that failed there, or that somebody cancelled there. */
export function endedThere(
  title: string,
  { state, text, remedy }: { state: 'failed' | 'cancelled'; text: string | null; remedy?: string | undefined },
): AppError {
  if (state === 'failed') {
    // The log names the platform before its state, and the sentence does so itself.
    const said = text?.startsWith(`${title}: `) ? text.slice(title.length + 2) : text;
    return platformError('platform_failed', title, { said, remedy: remedy ?? MEND_IT });
  }
  return platformError('platform_failed', title, {
    said: 'it was cancelled there',
    remedy: `Find out who cancelled it at ${title}, and why. Then try again.`,
  });
}

const FAILURES = {
  credentials_invalid: {
    says: (title) => `${title} no longer accepts the token of this connection.`,
    remedy: (title) => `Connect ${title} again, then try again.`,
  },
  permission_missing: {
    says: (title, said) => `${title} refused this because a permission is missing${said}.`,
    remedy: (title) => `Give the token this permission at ${title}, then try again.`,
  },
  payment_required: {
    says: (title, said) => `${title} asks for a payment or a payment method first${said}.`,
    remedy: (title) => `Settle it at ${title}, then try again.`,
  },
  plan_limit: {
    says: (title, said) => `Your plan at ${title} does not allow this${said}.`,
    remedy: (title) => `Change the plan at ${title}, or make room there, then try again.`,
  },
  name_taken: {
    says: (title, said) => `Somebody else has this name at ${title}${said}.`,
    remedy: () => 'Publish these files as a new deployment with another name.',
  },
  domain_taken: {
    says: (title, said) => `Another site at ${title} has this domain${said}.`,
    remedy: (title) =>
      `If that site is yours, take the domain off it, then try again. If not, ask ${title} to release the domain: you can prove through its DNS that it is yours.`,
  },
  rate_limited: {
    says: (title) => `${title} asks us to slow down.`,
    remedy: () => GOES_ON,
  },
  quota_exhausted: {
    says: (title, said) => `The limit of ${title} is used up for now${said}.`,
    remedy: (title) => `Try again later, or publish somewhere other than ${title}.`,
  },
  content_refused: {
    says: (title, said) => `${title} does not accept these files${said}.`,
    remedy: () => 'Change or leave out what is named, then publish again.',
  },
  out_of_sync: {
    says: (title, said) => `The state of this release at ${title} differs from the one here${said}.`,
    remedy: () => LOOKED_AT,
  },
  platform_down: {
    says: (title, said) => `${title} did not respond as expected${said}.`,
    remedy: (title) => ({
      job: `${TRIED_AGAIN.job} If the problem persists, look at the status page of ${title}.`,
      person: `${TRIED_AGAIN.person} If the problem persists, look at the status page of ${title}.`,
    }),
  },
  platform_place_gone: {
    says: (title) => `The site of this deployment was deleted at ${title}.`,
    remedy: () => 'Try again: the site is created again there.',
  },
  platform_failed: {
    says: (title, said) => `${title} could not complete the request${said}.`,
    remedy: (title) => `Try again. If it fails again, check this site at ${title}.`,
  },
} as const satisfies Record<string, FailureWords>;

/** Builds the sentence for a person: which platform, what it said, what to do. */
export function platformError(failure: PlatformFailure, title: string, facts: FailureFacts = {}): AppError {
  return failureError(failure, FAILURES[failure], title, facts);
}
