import mongoose from 'mongoose';

/** How often the database is asked for its time. */
const ASK_EVERY_MS = 30_000;
/** Of this machine's clock against its own monotonic one: it was put right or wrong, or the machine has slept. */
const JUMP_MS = 1_000;

export type DatabaseClock = { now(): Date; stop(): void };

/**
 * The database's time, by which plans, sessions and tokens begin and end, whatever the clock of this machine says or
 * jumps to: all instances have the same. The monotonic clock counts on from one answer to
 * the next, and through the time in which there is none. Mongoose dates what it writes by it, too.
 */
export async function startDatabaseClock(): Promise<DatabaseClock> {
  /** How far the database's time, and this machine's, are ahead of the monotonic clock. */
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
    // Within what the way of the answer leaves open nothing is moved, so that time does not tremble.
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
  // Where it asks for the time of `createdAt` and `updatedAt` (mongoosejs.com, API, `Mongoose.prototype.now`).
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
