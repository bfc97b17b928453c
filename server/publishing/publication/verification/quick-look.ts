import type { SiteAddress } from '../../../database/site-address.ts';
import { startThread } from '../../../lib/thread/thread.ts';

/** A file of a site on our own host; its path is percent-encoded, and begins with a slash. */
export type QuickFile = { path: string; sha256: string; sizeBytes: number };

/** The thread's `workerData`. */
export type QuickTask = {
  listener: NonNullable<SiteAddress['listener']>;
  /** The name of the site, without and with the port of its address. */
  hostname: string;
  authority: string;
  files: readonly QuickFile[];
};

/** Positions in the list of files that were seen since the last message. */
export type FromQuickLook = { seen: number[]; isOver: boolean };

/** A thread takes some hundredths of a second to start, as long as some hundred files. */
const FILES_MIN = 500;
/** A larger file would be seen so late that the thread seemed silent. */
const FILE_MAX_BYTES = 16 * 1024 * 1024;
const HEAP_MAX_MB = 64;
/** Our own host answers within milliseconds; on a busy machine others may have those. */
const SILENT_MS = 5_000;

type Answer = { path: string; statuses: readonly number[]; sha256: string | null; sizeBytes: number };
type Wanted = { at: SiteAddress; filesMin?: number | undefined; signal: AbortSignal };

/**
 * Fetches files from our own host in a thread, when they are many, and yields the indexes of those whose answers are as
 * expected: while the thread asks and hashes, this one answers. It knows nothing but the usual answer and ends at the
 * first other one. So whatever was not seen, for whatever reason, is still to be looked at with care.
 */
export async function* lookQuickly(
  { at: { url, listener }, filesMin = FILES_MIN, signal }: Wanted,
  answers: Iterable<[number, Answer]>,
): AsyncGenerator<number[], void> {
  if (listener === undefined) return;
  const wanted = [...answers].flatMap(([index, { path, statuses, sha256, sizeBytes }]) => {
    const isUsual = sha256 !== null && sizeBytes <= FILE_MAX_BYTES && statuses.includes(200);
    return isUsual ? [{ index, file: { path, sha256, sizeBytes } }] : [];
  });
  if (wanted.length < filesMin) return;
  const { hostname, host: authority } = new URL(url);
  const files = wanted.map(({ file }) => file);
  try {
    for await (const seen of seenByThread({ listener, hostname, authority, files }, signal))
      yield seen.flatMap((position) => wanted[position]?.index ?? []);
  } catch {
    // The careful look needs no thread, and meets the reason of the signal by itself.
  }
}

async function* seenByThread(data: QuickTask, signal: AbortSignal): AsyncGenerator<number[], void> {
  const thread = startThread<never, FromQuickLook>({
    program: 'quick-look-worker',
    data,
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
