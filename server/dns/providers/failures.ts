import { type FailureFacts, type FailureWords, failureError } from '../../lib/egress/vendor-answers.ts';
import { AppError } from '../../lib/errors.ts';
import { GOES_ON, TRIED_AGAIN } from '../../lib/remedies.ts';

/** The reasons for a DNS provider's refusal; each is an error code of ours. */
export type DnsFailure = keyof typeof FAILURES;

const FAILURES = {
  credentials_invalid: {
    says: (title, said) => `${title} does not accept the credentials of this connection${said}.`,
    remedy: (title) => `Replace the connection to ${title} in Settings, then try again.`,
  },
  permission_missing: {
    says: (title, said) => `${title} does not allow this with the credentials of this connection${said}.`,
    remedy: (title) => `Give the credentials this permission at ${title}, then try again.`,
  },
  zone_not_found: {
    says: (title, said) => `${title} no longer has this zone in the connected account${said}.`,
    remedy: () => 'In Settings, connect the account that holds the zone. Then work out the changes again.',
  },
  rate_limited: {
    says: (title) => `${title} asks us to slow down.`,
    remedy: () => GOES_ON,
  },
  quota_exhausted: {
    says: (title, said) => `The limit of ${title} is used up for now${said}.`,
    remedy: () => GOES_ON,
  },
  records_refused: {
    says: (title, said) => `${title} does not accept these records${said}.`,
    remedy: (title) =>
      `Nothing was changed. Look at the records of this name at ${title}, then work out the changes again.`,
  },
  platform_down: {
    says: (title, said) => `${title} did not respond as expected${said}.`,
    remedy: () => TRIED_AGAIN,
  },
  platform_failed: {
    says: (title, said) => `${title} could not complete the request${said}.`,
    remedy: (title) => `Try again. If it fails again, check this zone at ${title}.`,
  },
} as const satisfies Record<string, FailureWords>;

/** Builds the sentence for a person: which provider, what it said, what to do. */
export function dnsError(failure: DnsFailure, title: string, facts: FailureFacts = {}): AppError {
  return failureError(failure, FAILURES[failure], title, facts);
}

/** Returns whether an error is this failure of a provider. */
export function isFailure(error: unknown, failure: DnsFailure): boolean {
  return error instanceof AppError && error.code === failure;
}
