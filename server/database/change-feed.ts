import mongoose, { type mongo } from 'mongoose';
import type { Log } from '../log.ts';

/**
 * These are the collections that anybody listens to. The server sends changes of these alone: with the artifacts in the
 * database, every uploaded megabyte would otherwise come to every process.
 */
const WATCHED = ['api_tokens', 'deployments', 'events', 'jobs', 'release_steps', 'releases', 'sessions'] as const;
export type WatchedCollection = (typeof WATCHED)[number];

/**
 * One change stream a process, fanned out in memory: a wake-up, never the truth. Whoever subscribes reads the
 * collection again when woken, so a missed or doubled wake-up does no harm.
 */
export type Change = {
  collection: WatchedCollection;
  operation: 'insert' | 'update' | 'replace' | 'delete';
  id: string;
  /** The owner of a new row; absent otherwise, since only an insert carries the row. */
  accountId?: string;
};

export type ChangeListener = {
  onChange(change: Change): void;
  /** The stream broke and stands again: anything may have happened in between. */
  onReopened(): void;
};

export interface ChangeFeed {
  /** Returns how to stop listening. */
  subscribe(collections: readonly WatchedCollection[], listener: ChangeListener): () => void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const OPERATIONS: readonly string[] = ['insert', 'update', 'replace', 'delete'];
const REOPEN_AFTER_MS = 500;

type Subscription = { collections: ReadonlySet<WatchedCollection>; listener: ChangeListener };

/**
 * The feed over MongoDB's change streams. `start` resolves once the stream stands, so that what is written from then on
 * is seen. A stream that breaks (the database away, its history lost) is opened anew for as long as it takes; the driver
 * resumes short interruptions by itself.
 */
export function createChangeFeed(log: Log): ChangeFeed {
  const subscriptions = new Set<Subscription>();
  let stream: mongo.ChangeStream | undefined;
  let reopening: NodeJS.Timeout | undefined;
  let closing: NodeJS.Timeout | undefined;
  let isStopped = true;
  let hasStood = false;

  function tellAll(tell: (subscription: Subscription) => void): void {
    for (const subscription of [...subscriptions]) {
      try {
        tell(subscription);
      } catch (error) {
        log.error('A listener of the change stream failed', { error: String(error) });
      }
    }
  }

  function open(onStanding: () => void): void {
    const database = mongoose.connection.db;
    if (database === undefined) {
      reopen(onStanding);
      return;
    }
    const opened = database.watch(PIPELINE);
    stream = opened;
    opened.on('change', (change) => {
      const seen = readChange(change);
      if (seen === undefined) return;
      tellAll(({ collections, listener }) => {
        if (collections.has(seen.collection)) listener.onChange(seen);
      });
    });
    // The first sign that the server answers for this stream. `init` is no such sign, and `close` also fires on every
    // silent resume, as watching the driver's events shows.
    opened.once('resumeTokenChanged', () => {
      if (isStopped || stream !== opened) return;
      if (hasStood) tellAll(({ listener }) => listener.onReopened());
      hasStood = true;
      onStanding();
    });
    opened.on('error', (error) => replace(opened, String(error), onStanding));
    // A cursor that the server killed ends the stream with no error. After a silent resume it is open again by then.
    opened.on('close', () => {
      closing = setTimeout(() => {
        if (opened.closed) replace(opened, 'it was closed', onStanding);
      }, REOPEN_AFTER_MS);
    });
  }

  function replace(broken: mongo.ChangeStream, why: string, onStanding: () => void): void {
    if (isStopped || stream !== broken) return;
    log.warn('The change stream broke and is opened again', { error: why });
    stream = undefined;
    broken.close().catch(() => undefined);
    reopen(onStanding);
  }

  function reopen(onStanding: () => void): void {
    reopening = setTimeout(() => open(onStanding), REOPEN_AFTER_MS);
  }

  return {
    subscribe(collections, listener) {
      const subscription = { collections: new Set(collections), listener };
      subscriptions.add(subscription);
      return () => void subscriptions.delete(subscription);
    },
    start() {
      isStopped = false;
      hasStood = false;
      return new Promise((resolve) => open(resolve));
    },
    async stop() {
      isStopped = true;
      clearTimeout(reopening);
      clearTimeout(closing);
      const open = stream;
      stream = undefined;
      await open?.close().catch(() => undefined);
    },
  };
}

const PIPELINE = [
  { $match: { operationType: { $in: [...OPERATIONS] }, 'ns.coll': { $in: [...WATCHED] } } },
  {
    $project: {
      operationType: 1,
      ns: 1,
      documentKey: 1,
      'fullDocument.accountId': 1,
    },
  },
];

/** Returns a change as listeners see it; the driver's own shape stays here. */
function readChange(change: mongo.ChangeStreamDocument): Change | undefined {
  if (!isWrite(change)) return undefined;
  const collection = WATCHED.find((name) => name === change.ns.coll);
  if (collection === undefined) return undefined;
  return {
    collection,
    operation: change.operationType,
    id: String(change.documentKey._id),
    ...(change.operationType === 'insert' && { accountId: String(change.fullDocument.accountId) }),
  };
}

type Write = Extract<mongo.ChangeStreamDocument, { operationType: 'insert' | 'update' | 'replace' | 'delete' }>;

function isWrite(change: mongo.ChangeStreamDocument): change is Write {
  return OPERATIONS.includes(change.operationType);
}
