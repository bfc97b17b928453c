import { MINUTE_MS } from '../lib/durations.ts';

/**
 * The time that a job has held a slot of its lane, by the database's clock, is recorded with the job at its claim and
 * whenever the slot is given back. So all processes share the figure, and the next holder of a killed process's job
 * counts that process's time.
 */
const LATELY_MS = 10 * MINUTE_MS;
/** Shorter runs are not recorded: accounts with many of them take turns with the others anyway. */
const NOTED_MS = 1_000;

const ranMs = { $cond: [{ $eq: [{ $type: '$claimedAt' }, 'date'] }, { $subtract: ['$$NOW', '$claimedAt'] }, 0] };

/** Matches jobs that have held a slot lately: older ones are forgotten, so that nobody is last for ever. */
export const WAS_HELD_LATELY = { $gt: ['$heldAt', { $subtract: ['$$NOW', LATELY_MS] }] };

export const HELD = {
  heldMs: { $add: [{ $cond: [WAS_HELD_LATELY, '$heldMs', 0] }, ranMs] },
  heldAt: { $cond: [{ $gte: [ranMs, NOTED_MS] }, '$$NOW', '$heldAt'] },
  claimedAt: null,
};
