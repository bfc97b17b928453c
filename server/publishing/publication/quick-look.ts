import { startThread } from '../../lib/thread/thread.ts';

/** A file of a site on our own host; its path is percent-encoded, and begins with a slash. */
export type QuickFile = { path: string; sha256: string; sizeBytes: number };

/** The thread's `workerData`. */
export type QuickTask = { host: string; port: number; authority: string; files: readonly QuickFile[] };

/** Positions in the list of files that were seen since the last message. */
export type FromQuickLook = { seen: number[]; isOver: boolean };

const HEAP_MAX_MB = 64;
/** Our own host answers within milliseconds, and a busy machine has time for others then. */
const SILENT_MS = 5_000;

/**
 * Fetches files of a site from our own host in a thread (quick-look.worker.ts), and yields the positions of those whose
 * answers have the right bytes. It knows nothing but the usual answer, and ends at the first that is different: what is
 * left may be right all the same. Throws the reason of the signal, and the errors of a thread.
 */
export async function* lookQuickly(task: QuickTask, signal: AbortSignal): AsyncGenerator<number[], void> {
  const thread = startThread<never, FromQuickLook>({
    program: 'quick-look-worker',
    data: task,
    heapMaxMb: HEAP_MAX_MB,
    signal,
    silentMs: SILENT_MS,
  });
  try {
    for (let isOver = false; !isOver; ) {
      const message = await thread.next();
      isOver = message.isOver;
      yield message.seen;
    }
  } finally {
    await thread.end();
  }
}
