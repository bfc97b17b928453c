import { hash } from 'node:crypto';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { isSmall, makeScratch, readEntry, streamEntry, WHOLE_MAX_BYTES } from './entry.ts';
import type { OpenZip } from './file.ts';
import { ZipRefusal } from './refusal.ts';
import type { FilePart, ToMain, ToWorker, ZipTask } from './thread.ts';
import { listZip, type PublishedEntry, type ZipListing } from './zip.ts';

/**
 * The thread that reads one archive, so that inflating and hashing never block the app. Content leaves in slabs, a few
 * of which go back and forth, so that memory does not grow with the archive.
 */
const SLABS = 3;
/** The files of one slab are written at once, so this is also the number of files that are open on the other side. */
const FILES_A_SLAB = 128;

const { file, publishAnyway } = taskOf(workerData);
const port = portOf(parentPort);
const slabs: ArrayBuffer[] = Array.from({ length: SLABS }, () => new ArrayBuffer(WHOLE_MAX_BYTES));
let onSlab: (() => void) | undefined;
let onStart: (() => void) | undefined;

/** Trusts the task: `thread.ts` alone starts this thread. */
function taskOf(data: unknown): ZipTask {
  return data as ZipTask;
}

function portOf(given: MessagePort | null): MessagePort {
  if (given === null) throw new Error('This file runs in a worker thread only.');
  return given;
}

function send(message: ToMain): void {
  port.postMessage(message, 'slab' in message ? [message.slab] : []);
}

port.on('message', (message: ToWorker) => {
  if (message.kind === 'start') onStart?.();
  else {
    slabs.push(message.slab);
    onSlab?.();
  }
});

async function takeSlab(): Promise<ArrayBuffer> {
  while (slabs.length === 0) await new Promise<void>((resolve) => (onSlab = resolve));
  const slab = slabs.pop();
  if (slab === undefined) throw new Error('A slab was taken twice.');
  return slab;
}

async function work(): Promise<void> {
  const listing = await listZip(file, publishAnyway);
  const started = new Promise<void>((resolve) => (onStart = resolve));
  send({ kind: 'listed', listing: summaryOf(listing) });
  await started;
  await sendContents(file, listing.files);
  send({ kind: 'done' });
}

function summaryOf({ files, ...rest }: ZipListing) {
  return { ...rest, files: files.map(({ path, sizeBytes }) => ({ path, sizeBytes })) };
}

async function sendContents(from: OpenZip, files: readonly PublishedEntry[]): Promise<void> {
  const scratch = makeScratch();
  let slab = await takeSlab();
  let used = 0;
  let parts: FilePart[] = [];
  const flush = async (): Promise<void> => {
    if (parts.length === 0) return;
    send({ kind: 'files', slab, parts });
    slab = await takeSlab();
    used = 0;
    parts = [];
  };
  for (const [index, { entry }] of files.entries()) {
    if (!isSmall(entry)) {
      await flush();
      slab = await sendLarge(from, files, index, slab);
      continue;
    }
    if (used + entry.sizeBytes > slab.byteLength || parts.length === FILES_A_SLAB) await flush();
    const bytes = readEntry(from, entry, scratch);
    new Uint8Array(slab, used, bytes.length).set(bytes);
    const digests = { sha256: hash('sha256', bytes), sha1: hash('sha1', bytes) };
    parts.push({ index, start: used, sizeBytes: bytes.length, ...digests });
    used += bytes.length;
  }
  await flush();
}

/** Sends a file that is larger than a slab, in as many as it needs; its digests are computed while it is stored. */
async function sendLarge(
  from: OpenZip,
  files: readonly PublishedEntry[],
  index: number,
  first: ArrayBuffer,
): Promise<ArrayBuffer> {
  let slab = first;
  let used = 0;
  const post = async (isLast: boolean): Promise<void> => {
    send({ kind: 'piece', slab, index, sizeBytes: used, isLast });
    slab = await takeSlab();
    used = 0;
  };
  const entry = files[index]?.entry;
  if (entry === undefined) throw new Error('There is no such entry.');
  for await (const piece of streamEntry(from, entry)) {
    for (let done = 0; done < piece.length; ) {
      const part = piece.subarray(done, done + slab.byteLength - used);
      new Uint8Array(slab, used, part.length).set(part);
      used += part.length;
      done += part.length;
      if (used === slab.byteLength) await post(false);
    }
  }
  // Only now is the checksum known to be right, and only after this can the file be stored as a whole.
  await post(true);
  return slab;
}

work()
  .catch((error: unknown) => {
    if (!(error instanceof ZipRefusal)) throw error;
    send({ kind: 'refused', reason: error.reason, path: error.path, message: error.message });
  })
  .finally(() => port.close());
