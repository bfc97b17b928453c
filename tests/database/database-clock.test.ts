import mongoose from 'mongoose';
import { expect, test, vi } from 'vitest';
import { startDatabaseClock } from '../../server/database/clock.ts';

const HOUR_MS = 3_600_000;
async function databaseTime(): Promise<number> {
  const answer = await mongoose.connection.db?.admin().command({ hello: 1 });
  return answer?.localTime.getTime();
}

/**
 * Returns the difference in whole hours, since the clock of this machine jumps by hours, and the duration of the query
 * must not count.
 */
async function hoursFromDatabase(time: Date): Promise<number> {
  return Math.round(Math.abs(time.getTime() - (await databaseTime())) / HOUR_MS);
}

test('it is the time of the database, whatever the clock of this machine jumps to, and mongoose dates by it', async () => {
  const clock = await startDatabaseClock();
  try {
    for (const shiftMs of [HOUR_MS, -HOUR_MS, 24 * HOUR_MS, 0]) {
      vi.useFakeTimers({ toFake: ['Date'], now: (await databaseTime()) + shiftMs });
      expect(await hoursFromDatabase(clock.now())).toBe(0);
      expect(await hoursFromDatabase(mongoose.now())).toBe(0);
      vi.useRealTimers();
    }
  } finally {
    vi.useRealTimers();
    clock.stop();
  }
});

test('between two answers it never steps back', async () => {
  const clock = await startDatabaseClock();
  let last = clock.now().getTime();
  for (let look = 0; look < 1_000; look += 1) {
    const now = clock.now().getTime();
    expect(now).toBeGreaterThanOrEqual(last);
    last = now;
  }
  clock.stop();
});
