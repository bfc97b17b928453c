/**
 * Counts for an instance, in its memory. Limits that guard accounts over several instances are counted in the database
 * (account/rate-limit.ts).
 *
 *   calls a minute of a session, token, account or address  counted here
 *   bytes a minute of the bodies of an account's calls      counted here
 *   uploads at once of an account                           slots here
 *   uploads a minute of an account                          counted here
 *   downloads at once of an account, and of a process       slots here
 *   downloads a minute of an account                        counted here
 *   lists of files that calls read at once                  slots here
 *   sockets of an account and of an address                 slots here
 *   sockets that an address opens in a minute               counted here
 *   connections of an address to a port                     slots here, without a proxy
 *   passwords that are hashed at once, and that wait, of    slots here
 *     a name, of an address and of all
 *   right passwords of an account in ten minutes            counted here
 *   bytes that are about to be written to a disk            held here
 *   bytes of calls of an address, and in a process,         held here
 *     with those of messages over sockets
 */
export interface RateCounters {
  /**
   * Adds `amount` to the count of this key in the running window and returns the sum; all windows of one length end
   * together.
   */
  count(key: string, amount: number, windowMs: number): Promise<Counted>;
  /**
   * Takes one of the slots under this key, waiting in its queue if need be; returns null when the queue is full as
   * well.
   */
  takeSlot(key: string, slots: SlotLimit): Promise<FreeSlot | null>;
  /** Holds `amount` under this key until it is given back; returns null when that would exceed `limit`. */
  hold(key: string, amount: number, limit: number): Promise<Refund | null>;
}

export type Counted = { count: number; leftMs: number };
/** `queueLength` limits how many may wait for a slot; nobody waits when it is absent. */
export type SlotLimit = { limit: number; queueLength?: number };
/** Gives the slot back; calling it twice is harmless. */
export type FreeSlot = () => void;
/** Gives back that much, or what is left if that is less, and returns what is still held. */
export type Refund = (amount: number) => number;

type CountWindow = { endsAt: number; counts: Map<string, number> };
type Slots = { taken: number; queue: (() => void)[] };

/**
 * Counts in the memory of this process. All keys of a window length share one map, which is thrown away when the
 * window ends. `now` must be monotonic: by the machine's clock, a window would stay full while that clock is set back.
 */
export function createRateCounters(now: () => number = () => performance.now()): RateCounters {
  const windows = new Map<number, CountWindow>();
  const slotsByKey = new Map<string, Slots>();
  const heldByKey = new Map<string, number>();

  function windowOf(lengthMs: number): CountWindow {
    const running = windows.get(lengthMs);
    if (running !== undefined && running.endsAt > now()) return running;
    const next = { endsAt: now() + lengthMs, counts: new Map<string, number>() };
    windows.set(lengthMs, next);
    return next;
  }

  function free(key: string, slots: Slots): void {
    // The slot goes to the next in the queue, so `taken` stays as it is.
    const next = slots.queue.shift();
    if (next === undefined) slots.taken -= 1;
    else next();
    if (slots.taken === 0) slotsByKey.delete(key);
  }

  function addHeld(key: string, amount: number): void {
    const held = (heldByKey.get(key) ?? 0) + amount;
    if (held === 0) heldByKey.delete(key);
    else heldByKey.set(key, held);
  }

  return {
    async count(key, amount, windowMs) {
      const { counts, endsAt } = windowOf(windowMs);
      const count = (counts.get(key) ?? 0) + amount;
      counts.set(key, count);
      return { count, leftMs: Math.ceil(endsAt - now()) };
    },
    async takeSlot(key, { limit, queueLength = 0 }) {
      const slots = slotsByKey.get(key) ?? { taken: 0, queue: [] };
      if (slots.taken >= limit && slots.queue.length >= queueLength) return null;
      if (slots.taken < limit) {
        slots.taken += 1;
        slotsByKey.set(key, slots);
      } else {
        await new Promise<void>((resolve) => slots.queue.push(resolve));
      }
      return callOnce(() => free(key, slots));
    },
    async hold(key, amount, limit) {
      if ((heldByKey.get(key) ?? 0) + amount > limit) return null;
      addHeld(key, amount);
      return createRefund(amount, (part) => addHeld(key, -part));
    },
  };
}

/** Runs `act` at the first call only, so that a slot is given back once. */
function callOnce(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}

/** Lets `act` give back parts of `amount`, and never more than all of it. */
function createRefund(amount: number, act: (part: number) => void): Refund {
  let left = amount;
  return (asked) => {
    const part = Math.min(asked, left);
    left -= part;
    if (part > 0) act(part);
    return left;
  };
}
