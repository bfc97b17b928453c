import { AppError } from '../server/lib/errors.ts';
import { BATCH_MAX_CALLS } from './schemas/limits.ts';

/** An account may begin a second call beside its first one while fewer than this many are under way in all. */
const AT_ONCE = 2;
/** A script may send at once as many calls as it may make within some seconds. */
const WAITING_MAX = 200;
const RETRY_MS = 1_000;

type Party = { underWay: number; begun: number; waiting: (() => void)[] };
/** The accounts with calls under way, in the order of their second calls. */
const parties = new Map<string, Party>();
let underWay = 0;

/**
 * Does the work of a call in the account's turn. One event loop works for everybody, and an account with ten calls
 * under way would make all others ten times as slow. So the first call of an account begins at once, and the others
 * one after the other, unless hardly anything else is under way. An account that has more waiting than a page needs
 * rests after each call for as long as it took, while others are there. Each process counts for itself, since each has
 * its own loop. After `longestTurnMs` a call has no turn any more and holds nobody up. Throws `rate_limited`.
 */
export async function inTurn<T>(accountId: string, longestTurnMs: number, work: () => Promise<T>): Promise<T> {
  const party = parties.get(accountId) ?? { underWay: 0, begun: 0, waiting: [] };
  parties.set(accountId, party);
  if (mayBegin(party)) begin(party);
  else if (party.waiting.length >= WAITING_MAX) throw tooManyAtOnce();
  else await new Promise<void>((resolve) => party.waiting.push(resolve));
  const begunAt = performance.now();
  let isOver = false;
  const giveBack = (): void => {
    if (!isOver) end(accountId, party);
    isOver = true;
  };
  const timer = setTimeout(giveBack, longestTurnMs).unref();
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    const rests = party.begun > BATCH_MAX_CALLS && party.waiting.length > 0 && parties.size > 1;
    if (!rests) giveBack();
    else setTimeout(giveBack, performance.now() - begunAt).unref();
  }
}

function mayBegin(party: Party): boolean {
  return party.underWay === 0 || underWay < AT_ONCE;
}

function begin(party: Party): void {
  party.underWay += 1;
  party.begun += 1;
  underWay += 1;
}

function end(accountId: string, party: Party): void {
  party.underWay -= 1;
  underWay -= 1;
  if (!beginNext(party) && party.underWay === 0) parties.delete(accountId);
  for (const [id, next] of parties) {
    if (underWay >= AT_ONCE) return;
    if (!beginNext(next)) continue;
    parties.delete(id);
    parties.set(id, next);
  }
}

function beginNext(party: Party): boolean {
  if (!mayBegin(party)) return false;
  const next = party.waiting.shift();
  if (next === undefined) return false;
  begin(party);
  next();
  return true;
}

function tooManyAtOnce(): AppError {
  return new AppError('rate_limited', 'Too many calls at once. Wait a moment, then try again.', {
    retryAfterMs: RETRY_MS,
  });
}
