import { onTestFinished, vi } from 'vitest';

/**
 * After so long a call looks whether the database answers (server/database/mongo.ts); nothing is computed meanwhile.
 */
const PRODUCT_MS = 1_200;
const HERE_MS = 20;

/** Has the calls of this test look sooner, and returns how many looks they have begun to wait for. */
export function countLooks(): () => number {
  const { setTimeout } = globalThis;
  const timed = vi
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation((work, ms) => setTimeout(work, ms === PRODUCT_MS ? HERE_MS : ms));
  onTestFinished(() => timed.mockRestore());
  return () => timed.mock.calls.filter(([, ms]) => ms === PRODUCT_MS).length;
}
