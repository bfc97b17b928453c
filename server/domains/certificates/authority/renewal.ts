import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/durations.ts';

/**
 * `signedAt`: the time it was received, because authorities backdate certificates by an hour. Those stored by older
 * versions have none.
 */
export type Lifetime = { notBefore: Date; notAfter: Date; signedAt?: Date | null };
export type RenewalWindow = { start: Date; end: Date };

/** Below this lifetime a third is too short to outlast an outage of some days (Let's Encrypt, "Integration Guide"). */
const SHORT_MS = 10 * DAY_MS;
const EMERGENCY_SHARE = 20;
/**
 * A quarter of the lifetime, at most two days: this stays below the five certificates that Let's Encrypt signs for the
 * same names a week.
 */
const SPACING_SHARE = 4;
const SPACING_MAX_MS = 2 * DAY_MS;

/**
 * Returns when a certificate is renewed. If its authority suggests no time, that is at two thirds of its lifetime, or
 * at half of a lifetime below ten days. Otherwise it is the instant `chosen`, from 0 to 1, of the suggested span,
 * which is kept until the span changes. An emergency overrides both: when a twentieth of the lifetime or a day is
 * left, whichever is more, but never above a third of the lifetime, since a certificate of minutes would be renewed
 * for ever. A new one is never renewed at once, whatever its authority suggests: one that is always reported as late
 * would be ordered again without end.
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

/**
 * Let's Encrypt, "Integration Guide": 1, 10 and 100 minutes, then daily; one more step shortens the wait in between.
 */
const RETRY_TABLE_MS = [MINUTE_MS, 10 * MINUTE_MS, 100 * MINUTE_MS, 6 * HOUR_MS, DAY_MS];
const DAILY_MS = DAY_MS;

/**
 * Used when the authority has found something other than our answer: three validations a day, so that a fault that
 * nobody repairs stays far below its limits (Let's Encrypt: five an hour, and a pause after a thousand).
 */
const VALIDATION_TABLE_MS = [MINUTE_MS, 100 * MINUTE_MS, DAY_MS];
export const VALIDATIONS_A_DAY = VALIDATION_TABLE_MS.length;

/** Returns the wait after this many failures in a row, at least one. */
export function retryDelayMs(failures: number, { isValidation = false } = {}): number {
  const table = isValidation ? VALIDATION_TABLE_MS : RETRY_TABLE_MS;
  return table[Math.max(0, failures - 1)] ?? DAILY_MS;
}

function instantIn({ start, end }: RenewalWindow, chosen: number): number {
  return start.getTime() + chosen * (end.getTime() - start.getTime());
}
