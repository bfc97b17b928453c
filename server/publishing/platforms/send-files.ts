import { setMaxListeners } from 'node:events';
import { isServedPath } from '../../../routers/rules/uploads/served-path.ts';
import { PROGRESS_INTERVAL_MS } from '../../../routers/schemas/limits.ts';
import type { EgressBody } from '../../lib/egress/egress.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import type { Manifest } from '../../store/manifest.ts';
import type { ArtifactStore } from '../../store/store.ts';
import type { PlatformCall, PublishEvent } from './platform.ts';

/** One content of a release, under the first of the `copies` paths that share it. */
export type Content = { path: string; sha256: string; sizeBytes: number; copies: number };
type Uploading = Extract<PublishEvent, { type: 'uploading' }>;

/** A larger file is streamed; below this, one read is quicker. */
const WHOLE_MAX_BYTES = 256 * 1024;
/**
 * The pieces of a larger file wait for the network, and then for the garbage collector. Fifty such files at once would
 * hold more than all else of a publication, and a dozen fills the line as well.
 */
const LARGE_SLOTS = 4;

/** Returns each content of the manifest once, however many paths share it. */
export function contentsOf(manifest: Manifest): Content[] {
  const contents = new Map<string, Content>();
  manifest.forEach(({ sha256, sizeBytes }, path) => {
    const first = contents.get(sha256);
    if (first === undefined) contents.set(sha256, { path, sha256, sizeBytes, copies: 1 });
    else first.copies += 1;
  });
  return [...contents.values()];
}

/** Counts the files that a person has published, of which several may share a content that is sent once. */
export function filesIn(contents: readonly Content[]): number {
  return contents.reduce((files, { copies }) => files + copies, 0);
}

/** Returns the bytes of those files. */
export function bytesIn(contents: readonly Content[]): number {
  return contents.reduce((bytes, { sizeBytes, copies }) => bytes + sizeBytes * copies, 0);
}

/** Returns the files that a host serves; the same map where it serves all. */
export function servedOf(manifest: Manifest): Manifest {
  const hidden = [...manifest.keys()].filter((path) => !isServedPath(path, manifest));
  if (hidden.length === 0) return manifest;
  const served = new Map(manifest);
  for (const path of hidden) served.delete(path);
  return served;
}

/** Returns the contents that the previous release lacks; all of them when there is none. */
export function contentsNewSince(contents: readonly Content[], previous: Manifest | undefined): Content[] {
  const others = contents.filter(({ path, sha256 }) => previous?.get(path)?.sha256 !== sha256);
  const lacking = new Set(others.map(({ sha256 }) => sha256));
  previous?.forEach(({ sha256 }) => void lacking.delete(sha256));
  return others.filter(({ sha256 }) => lacking.has(sha256));
}

export type Sending = {
  contents: readonly Content[];
  /** The contents to send; all others count as done from the start. */
  missing: readonly Content[];
  /** The most uploads that run at once; there are fewer while the platform asks for patience. */
  atOnce: number;
  /** Sends one; `call` ends with the first that fails. */
  send(content: Content, call: PlatformCall): Promise<void>;
};

/**
 * Sends the missing contents, several at once, and reports progress: at the start, four times a second, and at the
 * end.
 */
export async function* sendFiles(call: PlatformCall, sending: Sending): AsyncGenerator<Uploading, void> {
  const { contents, missing, atOnce, send } = sending;
  const totalBytes = bytesIn(contents);
  const total = filesIn(contents);
  let done = total - filesIn(missing);
  let doneBytes = totalBytes - bytesIn(missing);
  const progress = (): Uploading => ({ type: 'uploading', done, total, doneBytes, totalBytes });

  call.signal.throwIfAborted();
  yield progress();
  const broken = new AbortController();
  const signal = AbortSignal.any([call.signal, broken.signal]);
  // Every running upload listens: Node warns of a leak from the eleventh listener on.
  setMaxListeners(0, signal);
  const slots = createSlots(atOnce);
  const inner = {
    ...call,
    signal,
    // A wait before another try means that the last one was refused, or not answered.
    wait: (ms: number, signal: AbortSignal) => {
      slots.halve();
      return call.wait(ms, signal);
    },
  };
  const queue = missing.values();
  const work = async (): Promise<void> => {
    for (const content of queue) {
      const needed = content.sizeBytes > WHOLE_MAX_BYTES ? LARGE_SLOTS : 1;
      await slots.enter(needed);
      inner.signal.throwIfAborted();
      await send(content, inner);
      slots.leave(needed);
      done += content.copies;
      doneBytes += bytesIn([content]);
    }
  };
  const all = Promise.all(Array.from({ length: atOnce }, work));
  // When the caller leaves, nobody hears of a failure.
  all.catch(() => undefined);
  try {
    yield* reportUntilOver(all, progress);
  } finally {
    broken.abort(new Error('another file could not be sent'));
  }
  if (missing.length > 0) yield progress();
}

/**
 * Halves the number of slots after each failure, and adds one after each success. A failed upload keeps its slots: the
 * whole work ends. The last to enter may take more than there are, so that a large one waits for one slot alone.
 */
function createSlots(max: number) {
  const queue: { needed: number; begin: () => void }[] = [];
  let open = max;
  let taken = 0;
  return {
    async enter(needed: number): Promise<void> {
      if (taken >= open) return new Promise((begin) => queue.push({ needed, begin }));
      taken += needed;
    },
    leave(needed: number): void {
      taken -= needed;
      open = Math.min(open + 1, max);
      while (taken < open && queue.length > 0) {
        const next = queue.shift();
        taken += next?.needed ?? 0;
        next?.begin();
      }
    },
    halve(): void {
      open = Math.max(1, Math.floor(open / 2));
    },
  };
}

/** Yields progress four times a second until the work is over. Throws the error of the work. */
export async function* reportUntilOver<Event>(
  work: Promise<unknown>,
  report: () => Event,
): AsyncGenerator<Event, void> {
  while (!(await isOverWithin(work, PROGRESS_INTERVAL_MS))) yield report();
  await work;
}

/** Returns whether `work` ends, in whichever way, within `ms`. */
function isOverWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const over = work.then(
    () => true,
    () => true,
  );
  return withTimeout(over, ms, () => false);
}

/** Returns a request body with this content, its hash verified by the store: made anew for each try. */
export async function bodyOf(
  { store }: Pick<PlatformCall, 'store'>,
  { sha256, sizeBytes }: Pick<Content, 'sha256' | 'sizeBytes'>,
): Promise<EgressBody> {
  return sizeBytes > WHOLE_MAX_BYTES ? { sizeBytes, chunks: piecesOf(store, sha256) } : store.readWhole(sha256);
}

/** Opens the file when the peer takes the first piece, and closes it however the exchange ends. */
async function* piecesOf(store: ArtifactStore, sha256: string): AsyncGenerator<Uint8Array> {
  const artifact = await store.open(sha256);
  try {
    yield* artifact.stream();
  } finally {
    await artifact.close();
  }
}
