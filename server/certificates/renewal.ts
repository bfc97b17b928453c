import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/durations.ts';

/** `signedAt`: when it came; authorities date certificates back by an hour. Those kept by older versions have none. */
export type Lifetime = { notBefore: Date; notAfter: Date; signedAt?: Date | null };
export type RenewalWindow = { start: Date; end: Date };

/** Below this lifetime a third is too little to get over an outage of some days (Let's Encrypt, "Integration Guide"). */
const SHORT_MS = 10 * DAY_MS;
const EMERGENCY_SHARE = 20;
/** A quarter of a lifetime, of long ones two days: below the five certificates that Let's Encrypt signs for the same names a week. */
const SPACING_SHARE = 4;
const SPACING_MAX_MS = 2 * DAY_MS;

/**
 * Returns when a certificate is renewed. Where its authority suggests no time: at two thirds of its lifetime, or at half of
 * a lifetime below ten days. Else at the instant `chosen` between the suggested ones, from 0 to 1, which is kept until they change.
 * An emergency goes before both: a twentieth of the lifetime or a day is left, whichever is more, and never above a third
 * of the lifetime, since a certificate of minutes would else be renewed for ever. A new one is left alone at first,
 * whatever its authority suggests: one that is always told to be late would be ordered again without end.
 */
export function renewAt(lifetime: Lifetime, suggested: RenewalWindow | null, chosen: number): Date {
  const from = Math.max(lifetime.notBefore.getTime(), lifetime.signedAt?.getTime() ?? 0);
  const until = lifetime.notAfter.getTime();
  const lifetimeMs = until - from;
  const byLifetime = from + (lifetimeMs < SHORT_MS ? lifetimeMs / 2 : (lifetimeMs * 2) / 3);
  const bySuggestion = suggested === null ? byLifetime : instantIn(suggested, chosen);
  const emergencyMs = Math.min(Math.max(lifetimeMs / EMERGENCY_SHARE, DAY_MS), lifetimeMs / 3);
  const spacingMs = Math.min(lifetimeMs / SPACING_SHARE, SPACING_MAX_MS);
  return new Date(Math.max(from + spacingMs, Math.min(bySuggestion, until - emergencyMs)));
}

/** Let's Encrypt, "Integration Guide": 1, 10 and 100 minutes, then daily; a step between eases the night in between. */
const RETRY_TABLE_MS = [MINUTE_MS, 10 * MINUTE_MS, 100 * MINUTE_MS, 6 * HOUR_MS, DAY_MS];
const DAILY_MS = DAY_MS;

/**
 * Where the authority itself has looked and found something else than our answer: three looks a day, so that a fault that
 * nobody mends stays far below what authorities put up with (Let's Encrypt: five an hour, and a pause after a thousand).
 */
const VALIDATION_TABLE_MS = [MINUTE_MS, 100 * MINUTE_MS, DAY_MS];

/** Returns how long to wait after so many failures in a row, of which there was at least one. */
export function retryDelayMs(failures: number, { isValidation = false } = {}): number {
  const table = isValidation ? VALIDATION_TABLE_MS : RETRY_TABLE_MS;
  return table[Math.max(0, failures - 1)] ?? DAILY_MS;
}

function instantIn({ start, end }: RenewalWindow, chosen: number): number {
  return start.getTime() + chosen * (end.getTime() - start.getTime());
}
