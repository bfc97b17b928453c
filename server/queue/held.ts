import { MINUTE_MS } from '../lib/durations.ts';

/**
 * How long a job has held a place of its lane, by the database's clock: noted with the job at its claim and whenever it is
 * given back. So all processes share by it, and the time of one that is killed is counted by whoever takes its job over.
 */
const LATELY_MS = 10 * MINUTE_MS;
/** Shorter runs are not noted: who has many of them has turns with the others all the same. */
const NOTED_MS = 1_000;

const ranMs = { $cond: [{ $eq: [{ $type: '$claimedAt' }, 'date'] }, { $subtract: ['$$NOW', '$claimedAt'] }, 0] };

/** Whether a job has held a place lately: what was before is forgotten, so that nobody stands behind others for good. */
export const WAS_HELD_LATELY = { $gt: ['$heldAt', { $subtract: ['$$NOW', LATELY_MS] }] };

export const HELD = {
  heldMs: { $add: [{ $cond: [WAS_HELD_LATELY, '$heldMs', 0] }, ranMs] },
  heldAt: { $cond: [{ $gte: [ranMs, NOTED_MS] }, '$$NOW', '$heldAt'] },
  claimedAt: null,
};
