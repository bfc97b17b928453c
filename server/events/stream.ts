import { LRUCache } from 'lru-cache';
import type { StoredEvent } from '../../routers/schemas/events.ts';
import type { Change, ChangeFeed } from '../database/change-feed.ts';
import { UserModel } from '../database/models/account/user.ts';
import { MAINTENANCE } from '../database/models/account-scope.ts';
import { type EventDoc, EventModel } from '../database/models/event.ts';
import { PublicationModel, type PublicationRow, stepsOf } from '../database/models/publishing/publication.ts';

/** Events are read in pages of this size; a reader that is further behind reads page after page. */
export const EVENTS_A_PAGE = 200;
/** A page that nobody asks for again is dropped at the next wake-up, or when there are this many. */
const SHARED_READS_MAX = 50;
/**
 * The number of publications that are remembered: some thousands move at a time at most, and a forgotten one is looked
 * up again.
 */
const KNOWN_MAX = 10_000;
/** A publication whose steps move is in one of these states. */
const MOVING = ['publishing', 'waiting'] as const;
/** The host writes its counts every few seconds, a row for each site and process. */
const VISITS_TOLD_EVERY_MS = 5_000;

export type LoggedEvent = { seq: number; type: string; payload: Record<string, unknown> };
export type StepRow = {
  id: string;
  accountId: string;
  deploymentId: string;
  releaseId: string;
  destinationId: string;
  name: string;
  state: string;
  startedAt?: Date | null;
  endedAt?: Date | null;
  done: number;
  total: number;
  doneBytes: number;
  totalBytes: number;
  doneBefore?: number | null;
  doneBytesBefore?: number | null;
  log: { at: Date; text: string }[];
  logCount: number;
};

/** One subscriber's view of its account's events. */
export type EventReader = {
  /** Returns the number of the account's last stored event; null when the account is gone. */
  currentNumber(): Promise<number | null>;
  /** Returns the next stored events after this number, in order, a page at most; empty when there is none. */
  readAfter(seq: number): Promise<LoggedEvent[]>;
  /** Returns the steps that are moving now, for a reader that reconnects. */
  readRunningSteps(): Promise<StepRow[]>;
  /** Returns the steps that moved since the last call, each in its newest shape. */
  takeSteps(): StepRow[];
  /** Returns the news that visits were counted since the last call: one object for all subscribers. */
  takeVisits(): VisitsCounted | null;
  /** Runs `read` once for all subscribers of the account until the next wake-up. */
  share<T>(key: string, read: () => Promise<T>): Promise<T>;
  /**
   * Calls `run` once when something may have happened since the last call, at once if it already has. It is no promise,
   * since a thousand sockets would wait for each of its steps.
   */
  whenWoken(run: () => void): void;
  /** Ends a wait. */
  wake(): void;
  close(): void;
};

type VisitsCounted = { type: 'visits_counted' };
type Listener = { steps: Map<string, StepRow>; visits: VisitsCounted | null; wake(): void };
type Channel = {
  accountId: string;
  listeners: Set<Listener>;
  reads: Map<string, Promise<unknown>>;
  /** The timer until which visits are not reported again, and whether there is something to report then. */
  visits: { quiet: NodeJS.Timeout | null; hasMore: boolean };
};
/** Maps each publication that has moved to its account, and to the progress of each of its steps at the last read. */
type Known = LRUCache<string, { accountId: string; steps: Map<string, string> }>;
type Hub = { channels: Map<string, Channel>; unsubscribe: () => void };

/** There is one hub a process: all readers of events share its one change stream. */
const hubs = new WeakMap<ChangeFeed, Hub>();

/**
 * Subscribes to the account's events: every later write wakes the reader, whichever instance made it. An event only
 * reaches the readers of its own account, and its page is read once for them all. Close the reader when done.
 */
export function openEventReader(changes: ChangeFeed, accountId: string): EventReader {
  const hub = hubs.get(changes) ?? createHub(changes);
  const visits = { quiet: null, hasMore: false };
  const channel = hub.channels.get(accountId) ?? { accountId, listeners: new Set(), reads: new Map(), visits };
  hub.channels.set(accountId, channel);
  let isAwake = true;
  let waiting: (() => void) | undefined;
  const listener: Listener = {
    steps: new Map(),
    visits: null,
    wake: () => {
      const run = waiting;
      waiting = undefined;
      if (run === undefined) isAwake = true;
      else run();
    },
  };
  channel.listeners.add(listener);
  const share = <T>(key: string, read: () => Promise<T>): Promise<T> => shareRead(channel, key, read);

  return {
    share,
    currentNumber: () => readCurrentNumber(accountId),
    readAfter: (seq) => share(`after ${seq}`, () => readEvents(accountId, seq)),
    readRunningSteps: () => share('running steps', () => readRunningSteps(accountId)),
    takeSteps() {
      const steps = [...listener.steps.values()];
      listener.steps.clear();
      return steps;
    },
    takeVisits() {
      const { visits } = listener;
      listener.visits = null;
      return visits;
    },
    whenWoken(run) {
      if (!isAwake) {
        waiting = run;
        return;
      }
      isAwake = false;
      run();
    },
    wake: listener.wake,
    close() {
      channel.listeners.delete(listener);
      if (channel.listeners.size > 0 || hub.channels.get(accountId) !== channel) return;
      hub.channels.delete(accountId);
      clearTimeout(channel.visits.quiet ?? undefined);
      if (hub.channels.size > 0) return;
      hub.unsubscribe();
      hubs.delete(changes);
    },
  };
}

function createHub(changes: ChangeFeed): Hub {
  const channels = new Map<string, Channel>();
  const known: Known = new LRUCache({ max: KNOWN_MAX });
  const unsubscribe = changes.subscribe(['events', 'publications', 'visits'], {
    onChange(change) {
      if (change.collection === 'events') wakeChannel(channels.get(change.accountId ?? ''));
      else if (change.collection === 'visits') emitVisits(channels.get(change.accountId ?? ''));
      else if (change.operation !== 'delete') void passPublication(channels, known, change);
    },
    onReopened() {
      for (const channel of channels.values()) {
        wakeChannel(channel);
        void passSteps(channels, () => readRunningSteps(channel.accountId));
      }
    },
  });
  const hub = { channels, unsubscribe };
  hubs.set(changes, hub);
  return hub;
}

/** Reports visits at once, and then at most every few seconds, however many sites are visited. */
function emitVisits(channel: Channel | undefined): void {
  if (channel === undefined) return;
  const { visits } = channel;
  if (visits.quiet !== null) {
    visits.hasMore = true;
    return;
  }
  visits.quiet = setTimeout(() => {
    visits.quiet = null;
    if (visits.hasMore) emitVisits(channel);
  }, VISITS_TOLD_EVERY_MS).unref();
  visits.hasMore = false;
  const news: VisitsCounted = { type: 'visits_counted' };
  for (const listener of channel.listeners) listener.visits = news;
  wakeChannel(channel);
}

function wakeChannel(channel: Channel | undefined): void {
  channel?.reads.clear();
  for (const listener of channel?.listeners ?? []) listener.wake();
}

/**
 * Passes the moved steps of a publication on. A change names the publication alone, so it is read when its account has
 * listeners; its account never changes, so that is looked up once. Only steps that have moved since the last read are
 * passed on. Progress that cannot be read is followed by more.
 */
async function passPublication(channels: Map<string, Channel>, known: Known, { id, ...change }: Change): Promise<void> {
  const accountId = change.accountId ?? known.get(id)?.accountId ?? (await readOwner(id).catch(() => undefined));
  if (accountId === undefined) return;
  const { steps } = known.get(id) ?? { steps: new Map<string, string>() };
  known.set(id, { accountId, steps });
  if (!channels.has(accountId)) return;
  await passSteps(channels, async () => {
    const publication = await PublicationModel.findOne({ _id: id, accountId }).lean();
    const rows = publication === null ? [] : toStepRows(publication);
    return rows.filter(({ id: stepId, state, done, total, logCount }) => {
      const before = steps.get(stepId) ?? 'waiting 0 0 0';
      const now = `${state} ${done} ${total} ${logCount}`;
      steps.set(stepId, now);
      return now !== before;
    });
  });
}

async function readOwner(publicationId: string): Promise<string | undefined> {
  const row = await PublicationModel.findById(publicationId, { accountId: 1 }).setOptions(MAINTENANCE).lean();
  return row?.accountId;
}

async function passSteps(channels: Map<string, Channel>, read: () => Promise<StepRow[]>): Promise<void> {
  const moved = new Set<Channel | undefined>();
  for (const step of await read().catch(() => [])) {
    const channel = channels.get(step.accountId);
    for (const listener of channel?.listeners ?? []) {
      const waiting = listener.steps.get(step.id);
      // Two reads may finish in the wrong order; a step itself only moves forward.
      if (waiting === undefined || waiting.logCount <= step.logCount) listener.steps.set(step.id, step);
    }
    moved.add(channel);
  }
  for (const channel of moved) wakeChannel(channel);
}

function shareRead<T>(channel: Channel, key: string, read: () => Promise<T>): Promise<T> {
  const running = channel.reads.get(key);
  if (running !== undefined) return asSharedRead<T>(running);
  if (channel.reads.size >= SHARED_READS_MAX) channel.reads.clear();
  const started = read();
  channel.reads.set(key, started);
  started.catch(() => {
    if (channel.reads.get(key) === started) channel.reads.delete(key);
  });
  return started;
}

/** The assertion holds because a key always means the same kind of read: each is written in one place. */
function asSharedRead<T>(read: Promise<unknown>): Promise<T> {
  return read as Promise<T>;
}

async function readCurrentNumber(accountId: string): Promise<number | null> {
  const owner = await UserModel.findById(accountId, { eventSeq: 1 }).lean();
  return owner?.eventSeq ?? null;
}

async function readEvents(accountId: string, seq: number): Promise<LoggedEvent[]> {
  const docs = await EventModel.find({ accountId, seq: { $gt: seq } }, { seq: 1, type: 1, payload: 1 })
    .sort({ seq: 1 })
    .limit(EVENTS_A_PAGE)
    .lean();
  return docs.map((doc) => ({ seq: doc.seq, type: doc.type, payload: payloadOf(doc) }));
}

/** The assertion holds because only `publishEvent` writes it, which takes an event without its type. */
function payloadOf(doc: Pick<EventDoc, 'payload'>): Omit<StoredEvent, 'type'> & Record<string, unknown> {
  return doc.payload as Omit<StoredEvent, 'type'> & Record<string, unknown>;
}

async function readRunningSteps(accountId: string): Promise<StepRow[]> {
  const moving = PublicationModel.find({ accountId, state: { $in: [...MOVING] } }).hint('account_state');
  return (await moving.lean()).flatMap(toStepRows).filter(({ state }) => state === 'running');
}

function toStepRows(publication: PublicationRow): StepRow[] {
  const { _id, accountId, deploymentId, releaseId, destinationId } = publication;
  return stepsOf(publication).map((step) => ({
    ...{ id: `${_id}.${step.name}`, accountId, deploymentId, releaseId, destinationId },
    ...step,
    log: [...step.log],
  }));
}
