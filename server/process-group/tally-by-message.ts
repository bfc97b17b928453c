import { type Counted, type GiveBack, once, type Places, type Tally } from '../tally.ts';

/** What a process asks of the tally in the first process. `id` numbers the asks of one process. */
export type Ask =
  | { id: number; kind: 'count'; key: string; amount: number; windowMs: number }
  | { id: number; kind: 'take'; key: string; places: Places }
  | { id: number; kind: 'giveBack' };
export type Answer = { id: number; counted: Counted } | { id: number; isTaken: boolean };

export type RemoteTally = {
  tally: Tally;
  /** Takes the answers that came. */
  receive(answers: readonly Answer[]): void;
};

/** The tally as a process sees it that is not the first: asks of one turn of the event loop go out as one message. */
export function createRemoteTally(send: (asks: Ask[]) => void): RemoteTally {
  const waiting = new Map<number, (answer: Answer) => void>();
  const post = inBatches(send);
  let asked = 0;

  function ask(toAsk: (id: number) => Ask): Promise<Answer> {
    asked += 1;
    const id = asked;
    post(toAsk(id));
    return new Promise((resolve) => waiting.set(id, resolve));
  }

  return {
    tally: {
      async count(key, amount, windowMs) {
        const answer = await ask((id) => ({ id, kind: 'count', key, amount, windowMs }));
        if (!('counted' in answer)) throw new Error('The tally answered something else than was asked.');
        return answer.counted;
      },
      async take(key, places) {
        const answer = await ask((id) => ({ id, kind: 'take', key, places }));
        if (!('isTaken' in answer && answer.isTaken)) return null;
        return once(() => post({ id: answer.id, kind: 'giveBack' }));
      },
    },
    receive(answers) {
      for (const answer of answers) {
        waiting.get(answer.id)?.(answer);
        waiting.delete(answer.id);
      }
    },
  };
}

export type TallyDesk = {
  receive(asks: readonly Ask[]): void;
  /** The process has ended: what it held is given back, and what it waits for is given on. */
  close(): void;
};

/** The other end: answers the asks of one process from the tally of all. */
export function createTallyDesk(tally: Tally, send: (answers: Answer[]) => void): TallyDesk {
  const held = new Map<number, GiveBack>();
  const post = inBatches(send);
  let isClosed = false;

  async function take(id: number, key: string, places: Places): Promise<void> {
    const giveBack = await tally.take(key, places);
    if (giveBack !== null && isClosed) return giveBack();
    if (giveBack !== null) held.set(id, giveBack);
    post({ id, isTaken: giveBack !== null });
  }

  async function count(id: number, key: string, amount: number, windowMs: number): Promise<void> {
    post({ id, counted: await tally.count(key, amount, windowMs) });
  }

  return {
    receive(asks) {
      for (const ask of asks) {
        if (ask.kind === 'count') void count(ask.id, ask.key, ask.amount, ask.windowMs);
        else if (ask.kind === 'take') void take(ask.id, ask.key, ask.places);
        else {
          held.get(ask.id)?.();
          held.delete(ask.id);
        }
      }
    },
    close() {
      isClosed = true;
      for (const giveBack of held.values()) giveBack();
      held.clear();
    },
  };
}

/** Gathers what is posted in one turn: a message costs more than what it carries. */
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
