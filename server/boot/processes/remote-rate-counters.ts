import {
  type Counted,
  callOnce,
  createRefund,
  type FreeSlot,
  type RateCounters,
  type Refund,
  type SlotLimit,
} from '../../lib/rate-counters.ts';

/** A request to the counters in the first process. `id` numbers the requests of one process. */
export type CounterRequest =
  | { id: number; kind: 'count'; key: string; amount: number; windowMs: number }
  | { id: number; kind: 'takeSlot'; key: string; slots: SlotLimit }
  | { id: number; kind: 'freeSlot' }
  | { id: number; kind: 'hold'; key: string; amount: number; limit: number }
  | { id: number; kind: 'giveBack'; amount: number };
export type CounterReply = { id: number; counted: Counted } | { id: number; hasSlot: boolean };

export type RemoteRateCounters = {
  counters: RateCounters;
  /** Settles the requests that these replies answer. */
  receive(replies: readonly CounterReply[]): void;
};

/**
 * Gives a child process access to the shared counters. All requests of one turn of its event loop go out as one
 * message.
 */
export function createRemoteRateCounters(send: (requests: CounterRequest[]) => void): RemoteRateCounters {
  const waiting = new Map<number, (reply: CounterReply) => void>();
  const post = inBatches(send);
  let requested = 0;

  function request(withId: (id: number) => CounterRequest): Promise<CounterReply> {
    requested += 1;
    const id = requested;
    post(withId(id));
    return new Promise((resolve) => waiting.set(id, resolve));
  }

  return {
    counters: {
      async count(key, amount, windowMs) {
        const reply = await request((id) => ({ id, kind: 'count', key, amount, windowMs }));
        if (!('counted' in reply)) throw new Error('The counters replied something else than was asked.');
        return reply.counted;
      },
      async takeSlot(key, slots) {
        const reply = await request((id) => ({ id, kind: 'takeSlot', key, slots }));
        if (!('hasSlot' in reply && reply.hasSlot)) return null;
        return callOnce(() => post({ id: reply.id, kind: 'freeSlot' }));
      },
      async hold(key, amount, limit) {
        const reply = await request((id) => ({ id, kind: 'hold', key, amount, limit }));
        if (!('hasSlot' in reply && reply.hasSlot)) return null;
        return createRefund(amount, (part) => post({ id: reply.id, kind: 'giveBack', amount: part }));
      },
    },
    receive(replies) {
      for (const reply of replies) {
        waiting.get(reply.id)?.(reply);
        waiting.delete(reply.id);
      }
    },
  };
}

export type RateCounterServer = {
  receive(requests: readonly CounterRequest[]): void;
  /** Called when the process has ended: its slots and amounts are released, and its waiting requests are dropped. */
  close(): void;
};

/** Serves the counters in the first process: it answers the requests of one child. */
export function createRateCounterServer(
  rateCounters: RateCounters,
  send: (replies: CounterReply[]) => void,
): RateCounterServer {
  const held = new Map<number, FreeSlot>();
  const amounts = new Map<number, Refund>();
  const post = inBatches(send);
  let isClosed = false;

  async function takeSlot(id: number, key: string, slots: SlotLimit): Promise<void> {
    const freeSlot = await rateCounters.takeSlot(key, slots);
    if (freeSlot !== null && isClosed) return freeSlot();
    if (freeSlot !== null) held.set(id, freeSlot);
    post({ id, hasSlot: freeSlot !== null });
  }

  async function hold({ id, key, amount, limit }: Extract<CounterRequest, { kind: 'hold' }>): Promise<void> {
    const giveBack = await rateCounters.hold(key, amount, limit);
    if (giveBack !== null && isClosed) giveBack(amount);
    else if (giveBack !== null && amount > 0) amounts.set(id, giveBack);
    post({ id, hasSlot: giveBack !== null });
  }

  async function count(id: number, key: string, amount: number, windowMs: number): Promise<void> {
    post({ id, counted: await rateCounters.count(key, amount, windowMs) });
  }

  return {
    receive(requests) {
      for (const request of requests) {
        if (request.kind === 'count') void count(request.id, request.key, request.amount, request.windowMs);
        else if (request.kind === 'takeSlot') void takeSlot(request.id, request.key, request.slots);
        else if (request.kind === 'hold') void hold(request);
        else if (request.kind === 'giveBack') {
          if (amounts.get(request.id)?.(request.amount) === 0) amounts.delete(request.id);
        } else {
          held.get(request.id)?.();
          held.delete(request.id);
        }
      }
    },
    close() {
      isClosed = true;
      for (const freeSlot of held.values()) freeSlot();
      held.clear();
      for (const giveBack of amounts.values()) giveBack(Number.POSITIVE_INFINITY);
      amounts.clear();
    },
  };
}

/** Collects what is posted in one turn of the event loop, because a message costs more than its content. */
function inBatches<T>(send: (items: T[]) => void): (item: T) => void {
  let gathered: T[] = [];
  return (item) => {
    gathered.push(item);
    if (gathered.length > 1) return;
    setImmediate(() => {
      const items = gathered;
      gathered = [];
      send(items);
    });
  };
}
