import type { ErrorCode } from '../../../routers/schemas/errors.ts';
import { AppError } from '../errors.ts';
import { hintsOf, type Remedy } from '../remedies.ts';

/** Facts about a failure besides its kind. */
export type FailureFacts = {
  /** The vendor's own words, without the secrets of the call; the sentence shows one shortened line of them. */
  said?: string | null;
  raw?: string | undefined;
  /** The wait that the vendor asks for. */
  retryAfterMs?: number | undefined;
  /** The page where a person resolves the problem. */
  link?: string;
  /** Replaces the usual advice for this kind of failure. */
  remedy?: string;
  cause?: unknown;
};

/** The sentences for one kind of failure; `said` is empty, or a colon and the vendor's words. */
export type FailureWords = { says(title: string, said: string): string; remedy(title: string): string | Remedy };

/** Builds the error for a person: which vendor, what it said, what to do. */
export function failureError(
  code: ErrorCode,
  { says, remedy }: FailureWords,
  title: string,
  facts: FailureFacts,
): AppError {
  const said = facts.said ? `: ${redactedLine(facts.said, [])}` : '';
  return new AppError(code, says(title, said).replace(/([.!?])\.$/, '$1'), {
    ...hintsOf(facts.remedy ?? remedy(title), facts.link),
    retryAfterMs: facts.retryAfterMs,
    raw: facts.raw,
    cause: facts.cause,
  });
}

const WORDS_MAX = 200;
const ANSWER_MAX = 2_000;
/** Only this much of a text is read: it may have megabytes, most of it markup. */
const LOOKED_AT_MAX = 16_000;
const TAG = /<[^<>]*>/g;
/** The content of these elements is not for people. */
const SILENT_TAG = /^<(\/?)(script|style)\b/i;
const BLANK = /[\p{Cc}\p{Cf}\s]+/gu;

/**
 * Returns another service's words in a form that may be shown: one line, shortened, without markup and without the
 * secrets of the call.
 */
export function redactedLine(text: string, secrets: readonly (string | null)[]): string {
  return cut(withoutMarkup(text, secrets).replace(BLANK, ' ').trim(), WORDS_MAX);
}

/** Cleans another service's whole answer in the same way, and keeps its lines. */
export function redactedAnswer(status: number, text: string, secrets: readonly (string | null)[]): string {
  const lines = withoutMarkup(text, secrets).replace(BLANK, (blank) => (blank.includes('\n') ? '\n' : ' '));
  return cut(`HTTP ${status}\n${lines.trim()}`.trim(), ANSWER_MAX);
}

/** Removes secrets first: one that was cut in half would no longer be found. */
function withoutMarkup(text: string, secrets: readonly (string | null)[]): string {
  const withoutSecrets = secrets.reduce<string>(
    (kept, secret) => (secret === null || secret === '' ? kept : kept.replaceAll(secret, '…')),
    text,
  );
  return withoutTags(withoutSecrets.slice(0, LOOKED_AT_MAX));
}

/** Walks from tag to tag, so that an unclosed script is not searched for again at each letter. */
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

/**
 * Reads the wait that another service asks for, in ms; the header holds seconds from now, seconds since 1970, or a
 * date. Returns 0 when there is none.
 */
export function waitHintMs(status: number, headers: Headers, now: Date): number {
  // Every answer carries the reset of a limit, but it means a wait only when the limit refused the request.
  const isLimited = status === 429 || headers.get('x-ratelimit-remaining') === '0';
  for (const name of isLimited ? ['retry-after', 'x-ratelimit-reset', 'ratelimit-reset'] : ['retry-after']) {
    const ms = hintMs(headers.get(name) ?? '', now.getTime());
    if (ms !== null) return Math.max(0, ms);
  }
  return 0;
}

/** A larger number is a point in time: as a wait it would be 30 years. */
const SECONDS_SINCE_1970 = 1_000_000_000;

function hintMs(value: string, nowMs: number): number | null {
  const seconds = Number(value);
  if (value.trim() !== '' && Number.isFinite(seconds)) {
    return seconds > SECONDS_SINCE_1970 ? seconds * 1_000 - nowMs : seconds * 1_000;
  }
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : at - nowMs;
}
