import { startThread } from '../../lib/thread/thread.ts';
import type { OpenZip } from './file.ts';
import { ZipRefusal, type ZipRefusalReason } from './refusal.ts';
import type { ZipListing } from './zip.ts';

/** The thread's `workerData`. */
export type ZipTask = { file: OpenZip; publishAnyway: readonly string[] };

/** A listing without the places in the archive, which stay in the thread. */
export type ListedZip = Omit<ZipListing, 'files'> & { files: { path: string; sizeBytes: number }[] };

/** A whole file in a slab; `index` is its position in the list. */
export type FilePart = { index: number; start: number; sizeBytes: number; sha256: string; sha1: string };

export type ToMain =
  | { kind: 'listed'; listing: ListedZip }
  | { kind: 'files'; slab: ArrayBuffer; parts: FilePart[] }
  /** A piece of a file that is larger than a slab; the last one follows once the checksum was right. */
  | { kind: 'piece'; slab: ArrayBuffer; index: number; sizeBytes: number; isLast: boolean }
  | { kind: 'refused'; reason: ZipRefusalReason; path: string; message: string }
  | { kind: 'done' };

export type ToWorker = { kind: 'start' } | { kind: 'slab'; slab: ArrayBuffer };

export type ZipContent = Extract<ToMain, { slab: ArrayBuffer }>;

const HEAP_MAX_MB = 160;

export type ZipThread = {
  /** Returns everything that can be known without unpacking. Throws ZipRefusal. */
  listed(): Promise<ListedZip>;
  /** Unpacks. Each content is valid until the next is requested. Throws ZipRefusal. */
  contents(): AsyncGenerator<ZipContent, void>;
  /** Ends it, wherever it is. The file can be closed then. */
  end(): Promise<void>;
};

/**
 * Reads an archive in a thread of its own (zip.worker.ts). `signal` ends it with its reason. The thread reports when
 * it has read the directory, and with every megabyte or hundred files; one that makes no progress is ended with
 * `overloaded`.
 */
export function startZipThread(task: ZipTask, signal: AbortSignal): ZipThread {
  const thread = startThread<ToWorker, ToMain>({ program: 'zip-worker', data: task, heapMaxMb: HEAP_MAX_MB, signal });
  const next = async (): Promise<ToMain> => {
    const message = await thread.next();
    if (message.kind === 'refused') throw new ZipRefusal(message.reason, message.path, message.message);
    return message;
  };

  return {
    async listed() {
      const message = await next();
      if (message.kind !== 'listed') throw new Error('The thread did not begin with its list.');
      return message.listing;
    },
    async *contents() {
      thread.post({ kind: 'start' });
      for (;;) {
        const message = await next();
        if (message.kind === 'done') return;
        if (!('slab' in message)) throw new Error('The thread listed twice.');
        yield message;
        thread.post({ kind: 'slab', slab: message.slab }, [message.slab]);
      }
    },
    end: thread.end,
  };
}
