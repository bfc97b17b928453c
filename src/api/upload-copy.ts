import { isSystemLitter, leftOutRule, normalisePath } from '../../routers/schemas/upload-rules.ts';
import { isSignedOut, session } from './session.ts';
import type { CopyJob, CopyNews } from './upload-copy.worker.ts';
import CopyWorker from './upload-copy.worker.ts?worker';
import { fingerprintOf } from './upload-fingerprint.ts';
import { announceHashing } from './upload-known.ts';
import { publishedPicks } from './upload-offer.ts';
import { hasPrivateFiles, type PackedRow, removePack } from './upload-pack.ts';
import { extentOf, isZip, type Picked } from './upload-picks.ts';
import {
  changeRecord,
  isOwn,
  listRecords,
  markOwn,
  removeRecord,
  type StoredPublication,
  UPLOAD_KEPT_MS,
  type UploadRecord,
  writeRecord,
} from './upload-record.ts';

/**
 * What a person picked is kept for a reload, until it is published, its owner logs out, or a day has passed: up to
 * 250 MB of bytes in the browser's private file system, and a record of it in localStorage. A tab holds each of its
 * copies by a lock that ends with the tab, so that two tabs never go on with the same one. Where there is no such file
 * system, no room, or more than that, the record alone is kept, and the person is asked for the same folder again.
 */
const COPY_MAX_BYTES = 250_000_000;

/** Whose turn it is with a copy: the folder that waits on the screen, or one publication. */
export type CopyUse = 'waiting' | object;

export type Copy = {
  id: string;
  use: CopyUse;
  /** Lets another tab have it. */
  letGo(): void;
  stop: AbortController;
};

const copies = new Map<string, Copy>();
const copyOfFile = new WeakMap<Blob, Copy>();
let waiting: Copy | null = null;

/** Keeps what waits on the screen, in the place of what waited before; null when nothing does any more. */
export function keepWaiting(picked: Picked | null): void {
  const before = waiting;
  waiting = picked === null ? null : (copyOf(picked) ?? begin(picked, 'waiting', null));
  if (waiting !== null && waiting.use !== 'waiting') {
    waiting.use = 'waiting';
    changeRecord(waiting.id, { publication: null });
  }
  // A publication that begins in this very step takes over what waited.
  setTimeout(() => {
    if (before !== null && before !== waiting && before.use === 'waiting') drop(before.id);
  });
}

/** Keeps what is being published until `endCopy`; `use` is the publication. Answers the copy's id. */
export function keepForPublication(picked: Picked, use: object, publication: StoredPublication): string {
  const copy = copyOf(picked) ?? begin(picked, use, publication);
  copy.use = use;
  changeRecord(copy.id, { publication, accountId: session.accountId() });
  return copy.id;
}

/** The publication is over: its copy goes, unless another use has taken it. */
export function endCopy(id: string, use: object): void {
  if (copies.get(id)?.use === use) drop(id);
}

/** Notes whose a copy is that was found after a reload. */
export function adoptCopy(record: UploadRecord, picked: Picked | null, use: CopyUse, letGo: () => void): void {
  const copy: Copy = { id: record.id, use, letGo, stop: new AbortController() };
  copies.set(copy.id, copy);
  markOwn(copy.id);
  for (const blob of picked === null ? [] : blobsOf(picked)) copyOfFile.set(blob, copy);
  if (use === 'waiting') waiting = copy;
  endInTime(record);
}

/** Ends a copy and takes away what it has kept; one that is gone already is no error. */
export function drop(id: string): void {
  const copy = copies.get(id);
  copies.delete(id);
  removeRecord(id);
  copy?.stop.abort();
  if (hasPrivateFiles()) void takeAway(id);
  copy?.letGo();
}

/** A worker that was ended in the middle gives its file back a moment later. */
const REMOVAL_PAUSES_MS: readonly number[] = [200, 1_000, 5_000];

/** What cannot be taken away now is found by the next page that looks, since no record names it. */
async function takeAway(id: string): Promise<void> {
  for (const pauseMs of [...REMOVAL_PAUSES_MS, null]) {
    const isGone = await removePack(id).then(
      () => true,
      () => false,
    );
    if (isGone || pauseMs === null) return;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Follows the session: a visitor's becomes the account's, and what was another's, or of who logged out, goes. */
export function followAccount(): void {
  const accountId = session.accountId();
  for (const record of listRecords()) {
    const isHere = copies.has(record.id);
    const isTakenOver = accountId !== null && record.accountId !== null && record.accountId !== accountId;
    const isLeft = accountId === null && isSignedOut() && (record.accountId !== null || isHere);
    if (isTakenOver || isLeft) drop(record.id);
    else if (accountId !== null && record.accountId === null && isHere) changeRecord(record.id, { accountId });
  }
}

/** The right to go on with a copy, until it is given back or the page ends; null where another tab holds it. */
export async function claim(id: string, patienceMs: number): Promise<(() => void) | null> {
  // Without locks (plain http away from localhost) a copy is the tab's that made it.
  if (!('locks' in navigator)) return isOwn(id) ? () => undefined : null;
  return new Promise((resolve) => {
    const held = () => new Promise<void>((letGo) => resolve(letGo));
    navigator.locks
      .request(`fairlead-upload-${id}`, { signal: AbortSignal.timeout(patienceMs) }, held)
      .catch(() => resolve(null));
  });
}

function copyOf(picked: Picked): Copy | null {
  for (const blob of blobsOf(picked)) {
    const copy = copyOfFile.get(blob);
    if (copy !== undefined && copies.has(copy.id)) return copy;
  }
  return null;
}

function blobsOf(picked: Picked): Blob[] {
  return isZip(picked) ? [picked.zip] : picked.files.map(({ file }) => file);
}

function begin(picked: Picked, use: CopyUse, publication: StoredPublication | null): Copy {
  const id = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
  const copy: Copy = { id, use, letGo: () => undefined, stop: new AbortController() };
  copies.set(id, copy);
  for (const blob of blobsOf(picked)) copyOfFile.set(blob, copy);
  const published = publication === null ? publishedPicks(picked, []) : picked;
  const record: UploadRecord = {
    id,
    savedAt: Date.now(),
    accountId: session.accountId(),
    name: picked.name,
    noun: isZip(picked) ? 'ZIP' : 'folder',
    within: isZip(picked) ? picked.within : '',
    ...extentOf(published),
    fingerprint: fingerprintOf(published),
    isFinal: publication !== null && !isZip(picked),
    hasCopy: false,
    publication,
  };
  if (!writeRecord(record)) return copy;
  markOwn(id);
  endInTime(record);
  write(copy, picked);
  void hold(copy);
  return copy;
}

async function hold(copy: Copy): Promise<void> {
  const letGo = await claim(copy.id, UPLOAD_KEPT_MS);
  if (letGo === null) return;
  if (copy.stop.signal.aborted) letGo();
  else copy.letGo = letGo;
}

/** Hashes and copies in one reading, beside the page. Where the worker cannot start, publishing hashes for itself. */
function write(copy: Copy, picked: Picked): void {
  const job = jobOf(copy.id, picked);
  const { signal } = copy.stop;
  if (signal.aborted || !hasPrivateFiles() || job.sizeBytes > COPY_MAX_BYTES) return;
  const worker = new CopyWorker();
  let end = (): void => undefined;
  const done = new Promise<void>((resolve) => {
    end = () => {
      worker.terminate();
      signal.removeEventListener('abort', end);
      resolve();
    };
  });
  const remember = announceHashing(job.blobs, done);
  signal.addEventListener('abort', end);
  worker.onmessage = ({ data }: MessageEvent<CopyNews>) => {
    if ('results' in data) return data.results.forEach(remember);
    if (data.isKept && !signal.aborted) changeRecord(copy.id, { hasCopy: true });
    end();
  };
  worker.onerror = (event) => {
    event.preventDefault();
    end();
  };
  worker.postMessage(job);
}

/** What the operating system left behind, and what is never published, is kept by its name alone. */
function jobOf(id: string, picked: Picked): CopyJob {
  const files = isZip(picked) ? [{ path: picked.zip.name, file: picked.zip }] : picked.files;
  const isWanted = (path: string) => {
    const name = normalisePath(path);
    return isZip(picked) || !(isSystemLitter(name) || leftOutRule(name)?.isPublishable === false);
  };
  const wanted = files.filter(({ path }) => isWanted(path));
  const others = files.filter(({ path }) => !isWanted(path));
  let offset = 0;
  const rows: PackedRow[] = [...wanted, ...others].map(({ path, file }, index) => {
    const row = { path, sizeBytes: file.size, lastModified: file.lastModified, offset, sha256: null };
    if (index >= wanted.length) return { ...row, offset: null };
    offset += file.size;
    return row;
  });
  return { id, blobs: wanted.map(({ file }) => file), rows, sizeBytes: offset };
}

function endInTime({ id, savedAt }: UploadRecord): void {
  setTimeout(() => drop(id), Math.max(0, savedAt + UPLOAD_KEPT_MS - Date.now()));
}
