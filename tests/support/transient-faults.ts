import { expect } from 'vitest';
import type { Fault } from './standins/faults.ts';

/** Faults that a repetition may cure. */
export const TRANSIENT_FAULTS: readonly { title: string; fault: Fault }[] = [
  { title: 'an error of the server', fault: { how: 'status', status: 500 } },
  { title: 'a page of its gateway', fault: { how: 'garbage', status: 502 } },
  { title: 'a page where an answer should be', fault: { how: 'garbage' } },
  { title: 'an answer that does not fit', fault: { how: 'misshapen' } },
  { title: 'a connection that breaks off', fault: { how: 'reset' } },
  { title: 'a connection cut in the middle of the body', fault: { how: 'cut' } },
  { title: 'a connection cut in the middle of the answer', fault: { how: 'halfBody' } },
];

const secondsSince1970 = (seconds: number, now: Date): string => String(Math.ceil(now.getTime() / 1_000) + seconds);

/** The ways in which platforms tell with 429 how long to wait. */
export const WAIT_HINTS: readonly { title: string; headers(seconds: number, now: Date): Record<string, string> }[] = [
  { title: 'seconds', headers: (seconds) => ({ 'retry-after': String(seconds) }) },
  {
    title: 'a date',
    headers: (seconds, now) => ({ 'retry-after': new Date(now.getTime() + seconds * 1_000).toUTCString() }),
  },
  { title: 'a time since 1970', headers: (seconds, now) => ({ 'x-ratelimit-reset': secondsSince1970(seconds, now) }) },
  { title: 'seconds to the reset', headers: (seconds) => ({ 'ratelimit-reset': String(seconds) }) },
];

/** The meaning of each status that no repetition cures. */
export const REFUSALS = [
  { status: 401, code: 'credentials_invalid' },
  { status: 402, code: 'payment_required' },
  { status: 403, code: 'permission_missing' },
  { status: 413, code: 'content_refused' },
  { status: 400, code: 'platform_failed' },
] as const;

/** Expects waits of at least 1, 2 and 4 s, with a spread of a fifth. */
export function expectDoubling(waits: readonly number[], where: string): void {
  for (const ms of [1_000, 2_000, 4_000]) {
    expect(
      waits.some((waited) => waited >= ms && waited < ms * 1.2),
      `a wait of ${ms} ms for ${where}`,
    ).toBe(true);
  }
}
