import { expect } from 'vitest';
import type { Fault } from '../../server/platforms/simulated/vendor/faults.ts';

/** What may pass by itself: platform facts, 8.6. */
export const TROUBLES: readonly Fault[] = [
  { how: 'status', status: 500 },
  { how: 'reset' },
  { how: 'halfBody' },
  { how: 'garbage' },
];

/** What an answer means that does not pass: platform facts, 8.5. */
export const REFUSALS = [
  { status: 401, code: 'credentials_invalid' },
  { status: 402, code: 'payment_required' },
  { status: 403, code: 'permission_missing' },
  { status: 413, code: 'content_refused' },
  { status: 400, code: 'platform_failed' },
] as const;

/** At least 1, 2 and 4 s were waited, with a spread of a fifth (platform facts, 8.6). */
export function expectDoubling(waits: readonly number[], where: string): void {
  for (const ms of [1_000, 2_000, 4_000]) {
    expect(
      waits.some((waited) => waited >= ms && waited < ms * 1.2),
      `a wait of ${ms} ms for ${where}`,
    ).toBe(true);
  }
}
