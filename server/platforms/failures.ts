import { AppError } from '../errors.ts';
import { GOES_ON, LOOKED_AT, TRIED_AGAIN } from '../waiting-words.ts';

/**
 * Why a platform did not do what it was asked, one word for all of them. The words are error
 * codes of ours; `platform_failed` is the rest, with the platform's own words.
 */
export type PlatformFailure = keyof typeof FAILURES;

/** One of a vendor's own refusals, known by its status and its words. */
export type RefusalRow = { statuses: readonly number[]; says: RegExp; means: PlatformFailure };

/** Returns what the first row that fits says; undefined where none does, so that the status alone decides. */
export function meaningOf(
  rows: readonly RefusalRow[],
  status: number,
  said: string | null,
): PlatformFailure | undefined {
  return rows.find(({ statuses, says }) => statuses.includes(status) && says.test(said ?? ''))?.means;
}

export type FailureFacts = {
  said?: string | null;
  raw?: string | undefined;
  /** How long it asks us to wait. */
  retryAfterMs?: number | undefined;
  link?: string;
  cause?: unknown;
};

type Words = { says(title: string, said: string): string; remedy(title: string): string };

const FAILURES = {
  credentials_invalid: {
    says: (title) => `${title} does not accept the token of this connection any more.`,
    remedy: (title) => `Connect ${title} again, then try again.`,
  },
  permission_missing: {
    says: (title, said) => `${title} refused this for want of a permission${said}.`,
    remedy: (title) => `Give the token this permission at ${title}, then try again.`,
  },
  payment_required: {
    says: (title, said) => `${title} asks for a payment or a means of payment first${said}.`,
    remedy: (title) => `Settle it at ${title}, then try again.`,
  },
  plan_limit: {
    says: (title, said) => `Your plan at ${title} does not allow this${said}.`,
    remedy: (title) => `Change the plan at ${title}, or make room there, then try again.`,
  },
  name_taken: {
    says: (title, said) => `Somebody else has this name at ${title}${said}.`,
    remedy: () => 'Give the deployment another address, then try again.',
  },
  domain_taken: {
    says: (title, said) => `Another site at ${title} has this domain${said}.`,
    remedy: (title) =>
      `If that site is yours, take the domain off it, then try again. If not, ask ${title} to release the domain: who runs its DNS can prove it.`,
  },
  rate_limited: {
    says: (title) => `${title} asks us to slow down.`,
    remedy: () => GOES_ON.job,
  },
  quota_exhausted: {
    says: (title, said) => `What ${title} allows for now is used up${said}.`,
    remedy: (title) => `Try again later, or publish somewhere other than ${title}.`,
  },
  content_refused: {
    says: (title, said) => `${title} does not take these files${said}.`,
    remedy: () => 'Change or leave out what is named, then publish again.',
  },
  out_of_sync: {
    says: (title, said) => `${title} knows this release in another state than we do${said}.`,
    remedy: () => LOOKED_AT.job,
  },
  platform_down: {
    says: (title, said) => `${title} does not answer as it should${said}.`,
    remedy: (title) => `${TRIED_AGAIN.job} If it lasts, look at the status page of ${title}.`,
  },
  platform_place_gone: {
    says: (title) => `The site of this deployment was deleted at ${title}.`,
    remedy: () => 'Try again: the site is created again there.',
  },
  platform_failed: {
    says: (title, said) => `${title} could not do it${said}.`,
    remedy: (title) => `Try again. If it fails the same way, look at ${title} what it says of this site.`,
  },
} as const satisfies Record<string, Words>;

/** Returns the sentence for a person: which platform, what it said, what to do. */
export function platformError(failure: PlatformFailure, title: string, facts: FailureFacts = {}): AppError {
  const { says, remedy }: Words = FAILURES[failure];
  const said = facts.said === undefined || facts.said === null || facts.said === '' ? '' : `: ${facts.said}`;
  const hint = facts.link === undefined ? remedy(title) : `${remedy(title)} ${facts.link}`;
  return new AppError(failure, says(title, said).replace(/([.!?])\.$/, '$1'), {
    hint,
    retryAfterMs: facts.retryAfterMs,
    raw: facts.raw,
    cause: facts.cause,
  });
}

const WORDS_MAX = 200;
const ANSWER_MAX = 2_000;
/** The part of a text that is looked at: it may have megabytes, most of it markup. */
const LOOKED_AT_MAX = 16_000;
const TAG = /<[^<>]*>/g;
/** Elements whose content is for programs. */
const SILENT_TAG = /^<(\/?)(script|style)\b/i;
const BLANK = /[\p{Cc}\p{Cf}\s]+/gu;

/**
 * Returns a platform's words as they may be shown: one line, cut, without markup and without the secrets of the call.
 */
export function redactedLine(text: string, secrets: readonly (string | null)[]): string {
  return cut(withoutMarkup(text, secrets).replace(BLANK, ' ').trim(), WORDS_MAX);
}

/** Another's whole answer, cleaned in the same way; it keeps its lines. */
export function redactedAnswer(status: number, text: string, secrets: readonly (string | null)[]): string {
  const lines = withoutMarkup(text, secrets).replace(BLANK, (blank) => (blank.includes('\n') ? '\n' : ' '));
  return cut(`HTTP ${status}\n${lines.trim()}`.trim(), ANSWER_MAX);
}

/** Secrets first: one that a cut went through would no longer be found. */
function withoutMarkup(text: string, secrets: readonly (string | null)[]): string {
  const withoutSecrets = secrets.reduce<string>(
    (kept, secret) => (secret === null || secret === '' ? kept : kept.replaceAll(secret, '…')),
    text,
  );
  return withoutTags(withoutSecrets.slice(0, LOOKED_AT_MAX));
}

/** Walks from tag to tag: a script that never ends must not be looked for anew from each of its letters. */
function withoutTags(text: string): string {
  let shown = '';
  let silent: string | null = null;
  let at = 0;
  for (const { 0: tag, index } of text.matchAll(TAG)) {
    if (silent === null) shown += `${text.slice(at, index)} `;
    const [, slash = '', name = ''] = SILENT_TAG.exec(tag) ?? [];
    if (silent === null && name !== '' && slash === '') silent = name.toLowerCase();
    else if (slash === '/' && name.toLowerCase() === silent) silent = null;
    at = index + tag.length;
  }
  return silent === null ? shown + text.slice(at) : shown;
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}
