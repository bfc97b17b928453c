/**
 * What is counted for a whole instance, however many processes it has (PROCESSES): in the memory of the one process, or of
 * the first one, which the others ask (process-group/tally-by-message.ts). Limits that guard accounts over several
 * instances are counted in the database (services/rate-limit.ts).
 *
 *   calls a minute of a session, token or address           counted here
 *   uploads at once of an account                           places here
 *   downloads at once of an account, and of a process       places here
 *   lists of files that calls read at once                  places here
 *   sockets of an account and of an address                 places here
 *   connections of an address to the built-in host          places here
 *   passwords that are hashed at once, and that wait        places here
 *   connections to the built-in host in all, its memory     divided: each process has a share, though connections come
 *   for files, loops of the job worker                      to whichever is free to take them
 *   subscriptions and messages of a socket, names that      by process: a socket has one, and the others guard the
 *   are looked up at once, lists of files in memory         memory of the process that they are in
 */
export interface Tally {
  /** Adds `amount` to what was counted under this key in the running window; all windows of one length end together. */
  count(key: string, amount: number, windowMs: number): Promise<Counted>;
  /** One of the places under this key, to be given back; waits for one in line; null when the line is full as well. */
  take(key: string, places: Places): Promise<GiveBack | null>;
}

export type Counted = { count: number; leftMs: number };
export type Places = { limit: number; inLine?: number };
/** May be called twice. */
export type GiveBack = () => void;

type CountWindow = { endsAt: number; counts: Map<string, number> };
type Room = { taken: number; line: (() => void)[] };

/**
 * Counts in the memory of this process. One window for all keys of a length, thrown away when it ends, stays small.
 * `now` counts on whatever becomes of the machine's clock: set back by a day, that would keep a full window for a day.
 */
export function createTally(now: () => number = () => performance.now()): Tally {
  const windows = new Map<number, CountWindow>();
  const rooms = new Map<string, Room>();

  function windowOf(lengthMs: number): CountWindow {
    const running = windows.get(lengthMs);
    if (running !== undefined && running.endsAt > now()) return running;
    const next = { endsAt: now() + lengthMs, counts: new Map<string, number>() };
    windows.set(lengthMs, next);
    return next;
  }

  function leave(key: string, room: Room): void {
    // Whoever leaves hands its place over, so `taken` stays as it is.
    const next = room.line.shift();
    if (next === undefined) room.taken -= 1;
    else next();
    if (room.taken === 0) rooms.delete(key);
  }

  return {
    async count(key, amount, windowMs) {
      const { counts, endsAt } = windowOf(windowMs);
      const count = (counts.get(key) ?? 0) + amount;
      counts.set(key, count);
      return { count, leftMs: Math.ceil(endsAt - now()) };
    },
    async take(key, { limit, inLine = 0 }) {
      const room = rooms.get(key) ?? { taken: 0, line: [] };
      if (room.taken >= limit && room.line.length >= inLine) return null;
      if (room.taken < limit) {
        room.taken += 1;
        rooms.set(key, room);
      } else {
        await new Promise<void>((resolve) => room.line.push(resolve));
      }
      return once(() => leave(key, room));
    },
  };
}

/** `act` at the first call, nothing at every other: what was taken is given back once. */
export function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
