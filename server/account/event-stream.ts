import { setTimeout as wait } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type SendTestInput, type StreamItem, streamItemSchema } from '../../routers/schemas/events.ts';
import { DONE, type Done } from '../../routers/schemas/primitives.ts';
import type { AccountContext } from '../context.ts';
import { transaction } from '../database/mongo.ts';
import { publishEvent } from '../events/publish.ts';
import { EVENTS_A_PAGE, type EventReader, type LoggedEvent, openEventReader, type StepRow } from '../events/stream.ts';
import { HOUR_MS } from '../lib/durations.ts';
import { credentialOf, isStillValid } from './auth/credential-validity.ts';
import { countAgainst } from './rate-limit.ts';

/** The stream waits this long before it asks a silent database again. */
const READ_AGAIN_AFTER_MS = 500;

/** `id` is the number of the reader's last stored event, so that a reconnect continues after it. */
export type NumberedItem = { id: string; data: StreamItem };

/** Hands over one item a call, one call after the other; `return` ends it. */
export type NumberedItems = {
  next(): Promise<IteratorResult<NumberedItem, void>>;
  return(): Promise<IteratorResult<NumberedItem, void>>;
};

type Asked = { resolve(result: IteratorResult<NumberedItem, void>): void; reject(error: unknown): void };

/**
 * Streams the account's events in order, from the one after `lastEventId`, else from now on; ends with `signal`, or
 * when the account, session or token ends. Without an id it sends `ready` at once, so that a client that reconnects
 * before the first event has an id to continue from; if the log no longer reaches back it sends `resync` and continues
 * from now. It waits for a silent database, because an error would end the client's subscription for good. Progress of
 * releases, and the news that visits were counted, come under the id of the last stored event, since neither is
 * stored.
 *
 * It goes on in callbacks: each promise of a generator would be awaited once for each of a thousand sockets.
 */
export function streamEvents(
  ctx: AccountContext,
  input: { lastEventId?: string | null | undefined },
  signal: AbortSignal | undefined,
): NumberedItems {
  const reader = openEventReader(ctx.providers.changes, ctx.actor.accountId);
  const stream: Stream = {
    ...{ ctx, reader, signal, seen: parseNumber(input.lastEventId) },
    progress: createProgress(ctx),
    items: [],
    last: null,
    steps: [],
    isBehind: true,
    isOver: false,
  };
  signal?.addEventListener('abort', reader.wake, { once: true });
  return {
    next: () => new Promise((resolve, reject) => handOver(stream, { resolve, reject })),
    return: async () => end(stream),
  };
}

type Stream = Delivery & {
  progress: ReturnType<typeof createProgress>;
  items: NumberedItem[];
  /** The number of the last event that was read; null before the start is found. */
  last: number | null;
  steps: StepRow[];
  /** True when something may be there that was not read. */
  isBehind: boolean;
  isOver: boolean;
};

function handOver(stream: Stream, asked: Asked): void {
  const { ctx, reader, signal } = stream;
  if (stream.isOver || signal?.aborted === true) {
    asked.resolve(end(stream));
    return;
  }
  const item = stream.items.shift();
  if (item === undefined) {
    if (stream.isBehind) readOn(stream, asked);
    else reader.whenWoken(() => lookAgain(stream, asked));
    return;
  }
  const writable = ctx.connection?.whenWritable(signal);
  if (writable === undefined) asked.resolve({ value: item });
  else void writable.then(() => asked.resolve({ value: item }));
}

function lookAgain(stream: Stream, asked: Asked): void {
  stream.isBehind = true;
  handOver(stream, asked);
}

function readOn(stream: Stream, asked: Asked): void {
  const reading =
    stream.last === null
      ? findStart(stream).then((start) => begin(stream, start, asked))
      : readNews(stream, stream.last).then(
          (news) => take(stream, news, asked),
          (error) => waitToReadAgain(stream, error).then(() => handOver(stream, asked)),
        );
  reading.catch(asked.reject);
}

function begin(stream: Stream, start: Start | null, asked: Asked): void {
  if (start !== null) {
    const id = String(start.last);
    stream.items = start.items.map((data) => ({ id, data }));
    stream.last = start.last;
    stream.steps = start.steps;
  } else if (stream.signal?.aborted !== true) refuse(stream);
  handOver(stream, asked);
}

function take(stream: Stream, news: News, asked: Asked): void {
  if (news.mayGoOn) {
    const { reader, progress, steps } = stream;
    const id = String(stream.last);
    const passing = [...progress(id, [...steps, ...reader.takeSteps()]), reader.takeVisits() ?? []].flat();
    stream.items = [...passing.map((data) => ({ id, data })), ...news.items];
    stream.steps = [];
    stream.last = news.last;
    stream.isBehind = news.hasMore;
  } else refuse(stream);
  handOver(stream, asked);
}

/** Ends the connection as well: the account, session or token has ended. */
function refuse(stream: Stream): void {
  stream.ctx.connection?.close();
  stream.isOver = true;
}

function end(stream: Stream): IteratorResult<NumberedItem, void> {
  const { reader, signal } = stream;
  stream.isOver = true;
  signal?.removeEventListener('abort', reader.wake);
  reader.close();
  reader.wake();
  return { done: true, value: undefined };
}

/** Sends a notification to the caller's own account; it looks as for a release. Throws `rate_limited`. */
export async function sendTestNotification(ctx: AccountContext, input: SendTestInput): Promise<Done> {
  const { accountId: key } = ctx.actor;
  const limit = ctx.providers.limits.testNotificationsPerHour;
  await countAgainst({ name: 'test-notifications', key, limit, windowMs: HOUR_MS });
  const title = input.title === undefined ? {} : { title: input.title };
  await transaction((session) =>
    publishEvent(session, key, { type: 'notification', ...title, message: input.message }),
  );
  return DONE;
}

type Delivery = {
  ctx: AccountContext;
  reader: EventReader;
  signal: AbortSignal | undefined;
  /** The number of the last event that the reader has seen; null when it starts. */
  seen: number | null;
};

type News = { items: NumberedItem[]; last: number; hasMore: boolean; mayGoOn: boolean };

/**
 * Reads the events after this number: read, checked and converted once for all connections of the account; the right
 * to them is checked once for all connections of a session or token.
 */
function readNews({ ctx, reader }: Delivery, last: number): Promise<News> {
  return reader.share(`news of ${actorKey(ctx)} after ${last}`, async () => {
    const page = await reader.share(`items after ${last}`, async () => {
      const events = await reader.readAfter(last);
      return {
        items: numbered(ctx, last, events),
        last: events.at(-1)?.seq ?? last,
        hasMore: events.length === EVENTS_A_PAGE,
      };
    });
    // This is checked last: an ended session gets nothing more, even when its socket has not closed yet.
    return { ...page, mayGoOn: await isStillValid(ctx) };
  });
}

type Start = { last: number; items: StreamItem[]; steps: StepRow[] };

/** Returns where to begin; null when the account is gone, or the reader left before the database answered. */
async function findStart(delivery: Delivery): Promise<Start | null> {
  const { reader, seen } = delivery;
  const current = await untilAnswered(delivery, () => reader.currentNumber());
  if (current === null) return null;
  if (seen === null) return { last: current, items: [{ type: 'ready' }], steps: [] };
  const steps = (await untilAnswered(delivery, () => reader.readRunningSteps())) ?? [];
  // A number from the future was issued before the database was restored from a copy.
  if (seen > current) return { last: current, items: [{ type: 'resync' }], steps };
  const next = seen < current ? await untilAnswered(delivery, () => reader.readAfter(seen)) : null;
  if (next?.length === 0) return { last: current, items: [{ type: 'resync' }], steps };
  return { last: seen, items: [], steps };
}

/** Repeats a read until the database answers; null once nobody waits for it any more. */
async function untilAnswered<T>(delivery: Delivery, read: () => Promise<T>): Promise<T | null> {
  while (delivery.signal?.aborted !== true) {
    try {
      return await read();
    } catch (error) {
      await waitToReadAgain(delivery, error);
    }
  }
  return null;
}

async function waitToReadAgain({ ctx, signal }: Delivery, error: unknown): Promise<void> {
  ctx.providers.log.debug('The event log could not be read yet', { requestId: ctx.requestId, error: String(error) });
  await wait(READ_AGAIN_AFTER_MS, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}

/**
 * Converts stored events to items. The log has no gaps: a gap means that its older end was dropped, and the reader
 * starts over.
 */
function numbered(ctx: AccountContext, last: number, events: LoggedEvent[]): NumberedItem[] {
  const first = events[0];
  const isCut = first !== undefined && first.seq !== last + 1;
  return [
    ...(isCut ? [{ id: String(first.seq - 1), data: { type: 'resync' as const } }] : []),
    ...events.flatMap(({ seq, type, payload }) =>
      checked(ctx, String(seq), { type, ...payload }).map((data) => ({ id: String(seq), data })),
    ),
  ];
}

/** Leaves out an item that no reader would understand: it must not stop those behind it. */
function checked(ctx: AccountContext, id: string, item: unknown): StreamItem[] {
  const parsed = streamItemSchema.safeParse(item);
  if (parsed.success) return [parsed.data];
  ctx.providers.log.error('An event does not fit its schema', {
    requestId: ctx.requestId,
    event: id,
    error: parsed.error.message,
  });
  return [];
}

/** The steps that a subscription remembers; for a forgotten one the lines are sent again from the oldest on. */
const STEPS_REMEMBERED = 200;

/** Converts steps to items, each with the log lines that this reader has not received. */
function createProgress(ctx: AccountContext): (last: string, steps: StepRow[]) => StreamItem[] {
  const sentLines = new LRUCache<string, number>({ max: STEPS_REMEMBERED });
  return (last, steps) =>
    steps.flatMap((step) => {
      const oldest = step.logCount - step.log.length;
      const sent = sentLines.get(step.id) ?? oldest;
      const firstLine = sent > step.logCount ? oldest : Math.max(sent, oldest);
      sentLines.set(step.id, step.logCount);
      const made = madeProgress.get(step) ?? new Map<number, StreamItem[]>();
      const items = made.get(firstLine) ?? checked(ctx, last, progressItem(step, firstLine, oldest));
      madeProgress.set(step, made.set(firstLine, items));
      return items;
    });
}

/** Caches the items of a row by their first line: all readers of an account get the same row, and so the same item. */
const madeProgress = new WeakMap<StepRow, Map<number, StreamItem[]>>();

function progressItem(step: StepRow, firstLine: number, oldest: number): Record<string, unknown> {
  const { deploymentId, releaseId, destinationId, name, state, done, total, doneBytes, totalBytes } = step;
  return {
    type: 'release_progress',
    deploymentId,
    releaseId,
    destinationId,
    step: name,
    state,
    startedAt: step.startedAt ?? null,
    endedAt: step.endedAt ?? null,
    done,
    total,
    doneBytes,
    totalBytes,
    doneBefore: step.doneBefore ?? null,
    doneBytesBefore: step.doneBytesBefore ?? null,
    log: step.log.slice(firstLine - oldest).map(({ at, text }) => ({ at, text })),
    firstLine,
  };
}

function actorKey({ actor }: AccountContext): string {
  const credential = credentialOf(actor);
  return credential === null ? 'account' : `${credential.collection} ${credential.id}`;
}

/** Parses a number. It has fifteen digits at most (routers/schemas/events.ts), so it is exact. */
function parseNumber(id: string | null | undefined): number | null {
  return id === null || id === undefined ? null : Number(id);
}
