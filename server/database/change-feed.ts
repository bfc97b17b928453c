import mongoose, { type mongo } from 'mongoose';
import type { Log } from '../lib/log.ts';

/**
 * The collections that have listeners. The server sends changes of these alone: with artifacts in the database, every
 * uploaded megabyte would otherwise reach every process.
 */
const WATCHED = [
  'api_tokens',
  'certificates',
  'deployments',
  'domains',
  'events',
  'jobs',
  'publications',
  'releases',
  'sessions',
  'visits',
] as const;
export type WatchedCollection = (typeof WATCHED)[number];

/**
 * A change from the one change stream of a process, handed to all listeners in memory. It is a wake-up and never the
 * truth: a subscriber reads the collection again, so a missed or doubled wake-up does no harm.
 */
export type Change = {
  collection: WatchedCollection;
  operation: 'insert' | 'update' | 'replace' | 'delete';
  id: string;
  /** The owner of a new row; absent otherwise, since only an insert carries the row. */
  accountId?: string;
  /** The name of a new job; absent for everything else. */
  jobName?: string;
  /** The paths that an update has changed, such as `destinations.0.state`; absent for everything else. */
  paths?: readonly string[];
  /** The state that an update has set; absent where it set none. */
  state?: string;
};

export type ChangeListener = {
  onChange(change: Change): void;
  /** The stream broke and is open again: anything may have happened in between. */
  onReopened(): void;
};

export interface ChangeFeed {
  /** Returns a function that ends the subscription. */
  subscribe(collections: readonly WatchedCollection[], listener: ChangeListener): () => void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const OPERATIONS: readonly string[] = ['insert', 'update', 'replace', 'delete'];
const REOPEN_AFTER_MS = 500;

type Subscription = { collections: ReadonlySet<WatchedCollection>; listener: ChangeListener };

/**
 * Creates the feed over MongoDB's change streams. `start` resolves once the stream is open, so that every later write
 * is seen. A stream that breaks (the database away, its history lost) is opened again for as long as it takes; the
 * driver resumes after short interruptions by itself.
 */
export function createChangeFeed(log: Log): ChangeFeed {
  const { subscribe, onChange, onReopened } = createSubscriptions(log);
  let stream: mongo.ChangeStream | undefined;
  let reopening: NodeJS.Timeout | undefined;
  let closing: NodeJS.Timeout | undefined;
  let isStopped = true;
  let hasOpened = false;

  function open(onOpen: () => void): void {
    const opened = openStream(onChange);
    if (opened === undefined) return void reopen(onOpen);
    stream = opened;
    // This is the first sign that the server answers for this stream. `init` is no such sign, and `close` also fires on
    // every silent resume.
    opened.once('resumeTokenChanged', () => {
      if (isStopped || stream !== opened) return;
      if (hasOpened) onReopened();
      hasOpened = true;
      onOpen();
    });
    opened.on('error', (error) => replace(opened, String(error), onOpen));
    // A cursor that the server killed ends the stream without an error. After a silent resume it is open again by now.
    opened.on('close', () => {
      closing = setTimeout(() => {
        if (opened.closed) replace(opened, 'it was closed', onOpen);
      }, REOPEN_AFTER_MS);
    });
  }

  function replace(broken: mongo.ChangeStream, why: string, onOpen: () => void): void {
    if (isStopped || stream !== broken) return;
    log.warn('The change stream broke and is opened again', { error: why });
    stream = undefined;
    broken.close().catch(() => undefined);
    reopen(onOpen);
  }

  function reopen(onOpen: () => void): void {
    reopening = setTimeout(() => open(onOpen), REOPEN_AFTER_MS);
  }

  return {
    subscribe,
    start() {
      isStopped = false;
      hasOpened = false;
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

/** Creates the list of listeners, which hands each change to all of them: one that fails keeps it from no other. */
function createSubscriptions(log: Log): ChangeListener & Pick<ChangeFeed, 'subscribe'> {
  const subscriptions = new Set<Subscription>();

  function notifyAll(notify: (subscription: Subscription) => void): void {
    for (const subscription of [...subscriptions]) {
      try {
        notify(subscription);
      } catch (error) {
        log.error('A listener of the change stream failed', { error: String(error) });
      }
    }
  }

  return {
    subscribe(collections, listener) {
      const subscription = { collections: new Set(collections), listener };
      subscriptions.add(subscription);
      return () => void subscriptions.delete(subscription);
    },
    onChange(change) {
      notifyAll(({ collections, listener }) => {
        if (collections.has(change.collection)) listener.onChange(change);
      });
    },
    onReopened: () => notifyAll(({ listener }) => listener.onReopened()),
  };
}

/** Watches for the changes that a listener may need; returns undefined while there is no connection. */
function openStream(onChange: (change: Change) => void): mongo.ChangeStream | undefined {
  const stream = mongoose.connection.db?.watch(PIPELINE);
  stream?.on('change', (change) => {
    const seen = readChange(change);
    if (seen !== undefined) onChange(seen);
  });
  return stream;
}

/**
 * The fields of a domain that the host uses (host/routing/held-names.ts); each check of a domain changes other fields
 * several times.
 */
const DOMAIN_FIELDS = ['deploymentId', 'heldNames', 'servedName', 'leaving'];

/** The paths that an update has changed, including those inside a field. */
const changedPaths = {
  $concatArrays: [
    { $map: { input: { $objectToArray: { $ifNull: ['$updateDescription.updatedFields', {}] } }, in: '$$this.k' } },
    { $ifNull: ['$updateDescription.removedFields', []] },
    { $ifNull: ['$updateDescription.truncatedArrays.field', []] },
  ],
};
const isOfDomainField = { $in: [{ $first: { $split: ['$$this', '.'] } }, DOMAIN_FIELDS] };

const is = (collection: WatchedCollection, operation: Change['operation']) => [
  { $eq: ['$ns.coll', collection] },
  { $eq: ['$operationType', operation] },
];

/**
 * Matches the changes that no listener needs: events that expire, visits that were added up, jobs that are claimed and
 * finished, and updates of domains that do not concern the host. It is an expression because MongoDB 6.0 fails to
 * rewrite the same filter with `$nor` for its log.
 */
const isNoNews = {
  $or: [
    { $and: is('events', 'delete') },
    { $and: is('visits', 'delete') },
    { $and: [{ $eq: ['$ns.coll', 'jobs'] }, { $ne: ['$operationType', 'insert'] }] },
    {
      $and: [
        ...is('domains', 'update'),
        { $not: [{ $anyElementTrue: [{ $map: { input: changedPaths, in: isOfDomainField } }] }] },
      ],
    },
  ],
};

const PIPELINE = [
  { $match: { operationType: { $in: [...OPERATIONS] }, 'ns.coll': { $in: [...WATCHED] } } },
  { $match: { $expr: { $not: [isNoNews] } } },
  {
    $project: {
      operationType: 1,
      ns: 1,
      documentKey: 1,
      'fullDocument.accountId': 1,
      'fullDocument.name': 1,
      paths: changedPaths,
      state: '$updateDescription.updatedFields.state',
    },
  },
];

/** Converts a change for listeners; the driver's own shape stays here. */
function readChange(change: SeenChange): Change | undefined {
  if (!isWrite(change)) return undefined;
  const collection = WATCHED.find((name) => name === change.ns.coll);
  if (collection === undefined) return undefined;
  const seen = { collection, operation: change.operationType, id: String(change.documentKey._id) };
  if (change.operationType === 'update') {
    const { paths = [], state } = change;
    return { ...seen, paths, ...(state !== undefined && { state }) };
  }
  if (change.operationType !== 'insert') return seen;
  const { accountId, name } = change.fullDocument;
  return { ...seen, accountId: String(accountId), ...(collection === 'jobs' && { jobName: String(name) }) };
}

/** With the fields that the pipeline adds, which the driver does not know. */
type SeenChange = mongo.ChangeStreamDocument & { paths?: string[]; state?: string };
type Write = Extract<SeenChange, { operationType: 'insert' | 'update' | 'replace' | 'delete' }>;

function isWrite(change: SeenChange): change is Write {
  return OPERATIONS.includes(change.operationType);
}
