import { PROGRESS_INTERVAL_MS } from '../../routers/schemas/limits.ts';
import type { Manifest } from '../artifacts/manifest.ts';
import type { PlatformCall, PublishEvent } from './platform.ts';

/** One content of a release, under the first of the paths that share it. */
export type Content = { path: string; sha256: string; sizeBytes: number };
type Uploading = Extract<PublishEvent, { type: 'uploading' }>;

/** Above this a file is streamed; below, one read is quicker and the request knows its length. */
const WHOLE_MAX_BYTES = 1024 * 1024;

/** Each content of the manifest once, whatever the number of paths it answers for. */
export function contentsOf(manifest: Manifest): Content[] {
  const contents = new Map<string, Content>();
  for (const [path, { sha256, sizeBytes }] of manifest) {
    if (!contents.has(sha256)) contents.set(sha256, { path, sha256, sizeBytes });
  }
  return [...contents.values()];
}

export type Sending = {
  contents: readonly Content[];
  /** What of `contents` is to be sent; the rest counts as done from the start. */
  missing: readonly Content[];
  atOnce: number;
  /** Sends one; `call` ends with the first that fails. */
  send(content: Content, call: PlatformCall): Promise<void>;
};

/** Sends what is missing, so many at once, and tells how far it is: at the start, four times a second, and at the end. */
export async function* sendFiles(call: PlatformCall, sending: Sending): AsyncGenerator<Uploading, void> {
  const { contents, missing, atOnce, send } = sending;
  const totalBytes = sum(contents);
  const total = contents.length;
  let done = total - missing.length;
  let doneBytes = totalBytes - sum(missing);
  const progress = (): Uploading => ({ type: 'uploading', done, total, doneBytes, totalBytes });

  call.signal.throwIfAborted();
  yield progress();
  const broken = new AbortController();
  const inner = { ...call, signal: AbortSignal.any([call.signal, broken.signal]) };
  const queue = missing.values();
  const work = async (): Promise<void> => {
    for (const content of queue) {
      inner.signal.throwIfAborted();
      await send(content, inner);
      done += 1;
      doneBytes += content.sizeBytes;
    }
  };
  const all = Promise.all(Array.from({ length: atOnce }, work));
  // Who walks away leaves nobody to hear of it.
  all.catch(() => undefined);
  try {
    while (!(await isOverWithin(all, PROGRESS_INTERVAL_MS))) yield progress();
    await all;
  } finally {
    broken.abort(new Error('another file could not be sent'));
  }
  if (missing.length > 0) yield progress();
}

/** Whether `work` is over, however it ended, within `ms`. */
async function isOverWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const over = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([over, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function sum(contents: readonly Content[]): number {
  return contents.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0);
}

/** The body of a request that sends this content: opened anew for each try, its hash verified by the store. */
export async function bodyOf(
  call: PlatformCall,
  { sha256 }: Pick<Content, 'sha256'>,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  const artifact = await call.store.open(sha256);
  if (artifact.sizeBytes > WHOLE_MAX_BYTES) return streamOf(artifact.stream()[Symbol.asyncIterator](), artifact.close);
  try {
    return new Uint8Array(await artifact.read(0, artifact.sizeBytes));
  } finally {
    await artifact.close();
  }
}

function streamOf(pieces: AsyncIterator<Buffer>, close: () => Promise<void>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await pieces.next();
      if (!next.done) return controller.enqueue(next.value);
      await close();
      controller.close();
    },
    async cancel() {
      await pieces.return?.();
      await close();
    },
  });
}
