import type { ErrorCode } from '../../../routers/schemas/errors.ts';
import { AppError } from '../errors.ts';
import { hintsOf, type Remedy } from '../waiting-words.ts';

/** What is known of a failure beside its kind. */
export type FailureFacts = {
  /** In the vendor's own words, without the secrets of the call; the sentence has one line of them, cut. */
  said?: string | null;
  raw?: string | undefined;
  /** How long it asks us to wait. */
  retryAfterMs?: number | undefined;
  /** Where a person settles it. */
  link?: string;
  /** What to do, in place of what its kind says. */
  remedy?: string;
  cause?: unknown;
};

/** How one kind of failure is told: `said` is empty, or a colon and the vendor's words. */
export type FailureWords = { says(title: string, said: string): string; remedy(title: string): string | Remedy };

/** Returns the sentence for a person: which vendor, what it said, what to do. */
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
/** The part of a text that is looked at: it may have megabytes, most of it markup. */
const LOOKED_AT_MAX = 16_000;
const TAG = /<[^<>]*>/g;
/** Elements whose content is for programs. */
const SILENT_TAG = /^<(\/?)(script|style)\b/i;
const BLANK = /[\p{Cc}\p{Cf}\s]+/gu;

/**
 * Returns another service's words as they may be shown: one line, cut, without markup and without the secrets of the call.
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

/**
 * Returns what another service asks us to wait, in ms: seconds from now, seconds since 1970, or a date; 0 when it names
 * nothing.
 */
export function waitHintMs(status: number, headers: Headers, now: Date): number {
  // The reset of a limit stands in every answer, and means a wait only in one that was refused for it.
  const isLimited = status === 429 || headers.get('x-ratelimit-remaining') === '0';
  for (const name of isLimited ? ['retry-after', 'x-ratelimit-reset', 'ratelimit-reset'] : ['retry-after']) {
    const ms = hintMs(headers.get(name) ?? '', now.getTime());
    if (ms !== null) return Math.max(0, ms);
  }
  return 0;
}

/** A number this large is a time and not a wait: it would be 30 years. */
const SECONDS_SINCE_1970 = 1_000_000_000;

function hintMs(value: string, nowMs: number): number | null {
  const seconds = Number(value);
  if (value.trim() !== '' && Number.isFinite(seconds)) {
    return seconds > SECONDS_SINCE_1970 ? seconds * 1_000 - nowMs : seconds * 1_000;
  }
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : at - nowMs;
}
