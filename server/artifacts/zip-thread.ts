import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { ZipListing } from './zip.ts';
import type { OpenZip } from './zip-file.ts';
import { ZipRefusal, type ZipRefusalReason } from './zip-refusal.ts';

/** What the thread is started with. */
export type ZipTask = { file: OpenZip; publishAnyway: readonly string[] };

/** What would be published, as the app sees it. */
export type ListedZip = Omit<ZipListing, 'files'> & { files: { path: string; sizeBytes: number }[] };

/** A whole file in a slab; `index` is its place in the list. */
export type FilePart = { index: number; start: number; sizeBytes: number; sha256: string; sha1: string };

export type ToMain =
  | { kind: 'listed'; listing: ListedZip }
  | { kind: 'files'; slab: ArrayBuffer; parts: FilePart[] }
  /** Of a file that is larger than a slab; the last piece comes when its checksum was right. */
  | { kind: 'piece'; slab: ArrayBuffer; index: number; sizeBytes: number; isLast: boolean }
  | { kind: 'refused'; reason: ZipRefusalReason; path: string }
  | { kind: 'done' };

export type ToWorker = { kind: 'start' } | { kind: 'slab'; slab: ArrayBuffer };

export type ZipContent = Extract<ToMain, { slab: ArrayBuffer }>;

/** A thread that has gone astray ends itself, and nothing else, with ERR_WORKER_OUT_OF_MEMORY. */
const HEAP_MAX_MB = 160;

export type ZipThread = {
  /** Everything that can be known without unpacking. Throws ZipRefusal. */
  listed(): Promise<ListedZip>;
  /** Unpacks. What is handed out is valid until the next is asked for. Throws ZipRefusal. */
  contents(): AsyncGenerator<ZipContent, void>;
  /** Ends it, wherever it is. The file can be closed then. */
  end(): Promise<void>;
};

/** Reads an archive in a thread of its own (zip.worker.ts). `signal` ends it with its reason. */
export function startZipThread(task: ZipTask, signal: AbortSignal): ZipThread {
  const worker = new Worker(threadFile(), {
    workerData: task,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB },
  });
  const inbox = createInbox(worker, signal);
  const post = (message: ToWorker): void => {
    worker.postMessage(message, 'slab' in message ? [message.slab] : []);
  };

  return {
    async listed() {
      const message = await inbox.next();
      if (message.kind !== 'listed') throw new Error('The thread did not begin with its list.');
      return message.listing;
    },
    async *contents() {
      post({ kind: 'start' });
      for (;;) {
        const message = await inbox.next();
        if (message.kind === 'done') return;
        if (!('slab' in message)) throw new Error('The thread listed twice.');
        yield message;
        post({ kind: 'slab', slab: message.slab });
      }
    },
    async end() {
      inbox.close();
      await worker.terminate();
    },
  };
}

/** Built, it lies beside the app or one folder above a shared part (vite.config.ts). */
function threadFile(): URL {
  const here = import.meta.url;
  if (here.endsWith('.ts')) return new URL('zip-worker-from-source.mjs', here);
  const [file] = ['./zip-worker.js', '../zip-worker.js'].map((path) => new URL(path, here)).filter(existsSync);
  if (file === undefined) throw new Error('The built product lacks zip-worker.js.');
  return file;
}

type Inbox = { next(): Promise<ToMain>; close(): void };

/** Messages in their order; whoever waits is told when the thread fails, ends, or is no longer wanted. */
function createInbox(worker: Worker, signal: AbortSignal): Inbox {
  const messages: ToMain[] = [];
  let failure: { error: unknown } | undefined;
  let wake: (() => void) | undefined;
  const fail = (error: unknown): void => {
    failure ??= { error };
    wake?.();
  };
  const onAbort = (): void => wake?.();
  worker.on('message', (message: ToMain) => {
    messages.push(message);
    wake?.();
  });
  worker.on('messageerror', fail);
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('The thread ended before its work was done.')));
  signal.addEventListener('abort', onAbort, { once: true });

  return {
    async next() {
      for (;;) {
        // What has come already is of no use either then.
        signal.throwIfAborted();
        const message = messages.shift();
        if (message?.kind === 'refused') throw new ZipRefusal(message.reason, message.path);
        if (message !== undefined) return message;
        if (failure !== undefined) throw failure.error;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    close: () => signal.removeEventListener('abort', onAbort),
  };
}
