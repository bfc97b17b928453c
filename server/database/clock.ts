import mongoose from 'mongoose';

/** The database is asked for its time at this interval. */
const ASK_EVERY_MS = 30_000;
/**
 * A larger difference between this machine's clock and its monotonic one means that the clock was set or the machine
 * has slept.
 */
const JUMP_MS = 1_000;

export type DatabaseClock = { now(): Date; stop(): void };

/**
 * The database's time, by which plans, sessions and tokens begin and end, whatever the clock of this machine says: all
 * instances share it. The monotonic clock counts on from one answer to the next, also while there is none. Mongoose
 * takes its dates from it, too.
 */
export async function startDatabaseClock(): Promise<DatabaseClock> {
  /** The offsets of the database's time, and of this machine's, from the monotonic clock. */
  let databaseAheadMs = Number.NaN;
  let machineAheadMs = 0;

  async function ask(): Promise<void> {
    const askedAt = performance.now();
    const answer = await mongoose.connection.db?.admin().command({ hello: 1 });
    const answeredAt = performance.now();
    const time: unknown = answer?.localTime;
    if (!(time instanceof Date)) throw new Error('The database does not say its time.');
    const least = time.getTime() - answeredAt;
    const most = time.getTime() - askedAt;
    // A difference within the round trip of the answer changes nothing, so that the time does not jitter.
    if (!(databaseAheadMs >= least && databaseAheadMs <= most)) databaseAheadMs = (least + most) / 2;
    machineAheadMs = Date.now() - answeredAt;
  }

  const askQuietly = (): void => void ask().catch(() => undefined);
  await ask();
  const timer = setInterval(askQuietly, ASK_EVERY_MS);
  timer.unref();

  const now = (): Date => {
    const monotonic = performance.now();
    const machine = Date.now() - monotonic;
    if (Math.abs(machine - machineAheadMs) > JUMP_MS) {
      machineAheadMs = machine;
      askQuietly();
    }
    return new Date(monotonic + databaseAheadMs);
  };
  // Mongoose takes the time of `createdAt` and `updatedAt` from here (mongoosejs.com, API, `Mongoose.prototype.now`).
  const { now: before } = mongoose;
  Object.assign(mongoose, { now });
  return {
    now,
    stop() {
      clearInterval(timer);
      Object.assign(mongoose, { now: before });
    },
  };
}
