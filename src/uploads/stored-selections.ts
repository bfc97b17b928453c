import { createStore, delMany, get, keys, set, type UseStore } from 'idb-keyval';
import { isSignedOut, session } from '../api/session/session.ts';
import { randomId } from '../lib/random-id.ts';
import { SESSION_KEYS, UPLOAD_RECORD_PREFIX, uploadLock } from '../lib/storage/storage.ts';
import { forgetHashes } from './hash.ts';
import type { StoredProgress } from './publish.ts';
import { extentOf, innerFolder, publishedPart } from './selection/apply-rules.ts';
import { fileToStore, readPrivateKeys } from './selection/private-keys.ts';
import { type Extent, isZip, type SelectedFile, type Selection, selectionNoun } from './selection/selection.ts';
import { readZip } from './selection/zip.ts';

/**
 * A selection survives a reload until it is published, its owner logs out, or a day has passed: the `File`s themselves
 * in IndexedDB, and a record of them in localStorage, where every tab sees at once what there is. Above the limits, or
 * if the browser has no space, only the record is stored, and the person is asked for the same files again.
 *
 * Within these limits Chromium stores a selection beside a running upload without slowing it down: 5,000 small files
 * take two seconds, and 300 MB one and a half.
 */
export const STORED_FILES_MAX = 5_000;
export const STORED_BYTES_MAX = 300_000_000;
/** The server keeps an open upload for a day as well. */
const STORED_MS = 24 * 60 * 60_000;

/** A selection that waits, or is on its way, as a reload finds it. */
export type StoredSelection = Extent & {
  id: string;
  savedAt: number;
  /** Null while it belongs to a visitor. */
  accountId: string | null;
  name: string;
  noun: 'ZIP' | 'folder';
  /** The one wanted folder of a ZIP; empty for the whole. */
  within: string;
  /** True when all files are in IndexedDB. */
  hasFiles: boolean;
  /** Null while it only waits. */
  publication: StoredSending | null;
};

/** The facts that a sending needs to continue after a reload. */
export type StoredSending = {
  deployment: { id: string; name: string; url: string };
  publishAnyway: readonly string[];
  isNew: boolean;
  progress: StoredProgress;
  /** Files that the server had when this was written. */
  arrivedFiles: number;
};

/**
 * A selection from an earlier page; `selection` is null when its files are gone, and the person has to choose them
 * again.
 */
export type Restored = { record: StoredSelection; selection: Selection | null };

/** The record of each selection of this page. */
const recordIds = new WeakMap<Selection, string>();

/** Stores a selection for a reload, as one that waits (null) or as a sending, and returns the id of its record. */
export function storeSelection(selection: Selection, publication: StoredSending | null): string {
  const known = recordIds.get(selection);
  if (known !== undefined && readStored(known) !== null) {
    changeStored(known, { publication, ...(publication !== null && { accountId: session.accountId() }) });
    return known;
  }
  const id = randomId();
  recordIds.set(selection, id);
  const record: StoredSelection = {
    id,
    savedAt: Date.now(),
    accountId: session.accountId(),
    name: selection.name,
    noun: selectionNoun(selection),
    within: isZip(selection) ? selection.within : '',
    ...extentOf(publishedPart(selection, publication?.publishAnyway ?? [])),
    hasFiles: false,
    publication,
  };
  if (!writeStored(record)) return id;
  dropInTime(record);
  void claim(id);
  // A full or forbidden storage has no files, so the person will be asked for them.
  void storeFiles(id, selection).catch(() => undefined);
  return id;
}

/** OS junk and files that are never published are stored by their names alone. */
function filesToStore(selection: Selection): SelectedFile[] {
  if (isZip(selection)) return [{ path: selection.zip.name, file: selection.zip }];
  return selection.files.map((selected) => ({ ...selected, file: fileToStore(selected) }));
}

async function storeFiles(id: string, selection: Selection): Promise<void> {
  if (!isZip(selection)) await readPrivateKeys(selection);
  const files = filesToStore(selection);
  const totalBytes = files.reduce((sum, { file }) => sum + file.size, 0);
  if (files.length > STORED_FILES_MAX || totalBytes > STORED_BYTES_MAX) return;
  await set(id, files, database());
  changeStored(id, { hasFiles: true });
  if (readStored(id) === null) await dropFiles([id]);
}

let opened: UseStore | null = null;

/** The database is opened when it is first needed, so that pages without uploads never ask for one. */
function database(): UseStore {
  opened ??= createStore('fairlead-uploads', 'kept');
  return opened;
}

let restored: Promise<readonly Restored[]> | null = null;

/** Finds, once a page, the selections of earlier pages that this one can continue, newest first. */
export function restoredSelections(): Promise<readonly Restored[]> {
  restored ??= restoreAll();
  return restored;
}

async function restoreAll(): Promise<Restored[]> {
  const found: Restored[] = [];
  for (const record of listStored()) {
    if (isExpired(record)) dropStored(record.id);
    else if (mayRestore(record) && (await claim(record.id))) {
      dropInTime(record);
      found.push({ record, selection: record.hasFiles ? await restore(record).catch(() => null) : null });
    }
  }
  // Without a database there is nothing to remove.
  void dropUnnamed().catch(() => undefined);
  return found;
}

/**
 * A sending whose files are here can be continued in another tab. A selection that only waits stays with its own
 * tab, which has no lock on it for a moment while it reloads.
 */
function mayRestore({ id, accountId, hasFiles, publication }: StoredSelection): boolean {
  const isOthers = accountId !== null && session.accountId() !== null && accountId !== session.accountId();
  return isOwn(id) || (publication !== null && !isOthers && accountId !== null && hasFiles);
}

/** The previous page releases its locks a moment after this one began; locks of another tab are not awaited. */
const OWN_PATIENCE_MS = 3_000;

/**
 * Claims a record for this page until the page ends, so that two tabs never continue the same one. Returns false when
 * another tab holds it; without locks (plain http off localhost) a record belongs to its tab alone.
 */
async function claim(id: string): Promise<boolean> {
  const { locks }: { locks?: LockManager | null } = navigator;
  if (!locks) return isOwn(id);
  return new Promise((resolve) => {
    const holdUntilPageEnds = (lock: Lock | null) => {
      resolve(lock !== null);
      return lock === null ? undefined : new Promise<never>(() => undefined);
    };
    const options = isOwn(id) ? { signal: AbortSignal.timeout(OWN_PATIENCE_MS) } : { ifAvailable: true };
    locks.request(uploadLock(id), options, holdUntilPageEnds).catch(() => resolve(false));
  });
}

async function restore(record: StoredSelection): Promise<Selection | null> {
  const files = await get<SelectedFile[]>(record.id, database());
  const [first] = files ?? [];
  if (files === undefined || first === undefined) return null;
  const whole = record.noun === 'folder' ? { name: record.name, files } : await readZip(first.file);
  const selection = record.within === '' ? whole : { ...innerFolder(whole, record.within), name: record.name };
  recordIds.set(selection, record.id);
  return selection;
}

/** Removes files that no record names, which a page leaves behind when it ends while it writes. */
async function dropUnnamed(): Promise<void> {
  const stored = await keys<string>(database());
  const named = new Set(listStored().map(({ id }) => id));
  await dropFiles(stored.filter((id) => !named.has(id)));
}

/** Returns whether a record is too old, or its owner has logged out. */
function isExpired({ savedAt, accountId }: StoredSelection): boolean {
  const isLeft = accountId !== null && session.accountId() === null && isSignedOut();
  return isLeft || Date.now() - savedAt > STORED_MS;
}

/** Drops a record a day after it was made, even while its page stays open. */
function dropInTime({ id, savedAt }: StoredSelection): void {
  setTimeout(() => dropStored(id), Math.max(0, savedAt + STORED_MS - Date.now()));
}

/** Drops the record of a sending that has ended, unless its selection waits again. */
export function endStoredSending(id: string): void {
  if (readStored(id)?.publication !== null) dropStored(id);
}

/** Drops the record of a selection that waits no more, unless a sending has taken it over. */
export function endStoredWaiting(selection: Selection): void {
  const id = recordIds.get(selection);
  if (id !== undefined && readStored(id)?.publication === null) dropStored(id);
}

/** Removes a record and its files, for every tab of this browser. */
export function dropStored(id: string): void {
  localStorage.removeItem(UPLOAD_RECORD_PREFIX + id);
  void dropFiles([id]);
}

async function dropFiles(ids: string[]): Promise<void> {
  try {
    await delMany(ids, database());
  } catch {
    // A file that cannot be removed now is removed by the next page, since no record names it.
  }
}

/**
 * Lets stored data follow the session. A visitor's selection becomes that of the account that signed in; one of
 * another account is removed. When the owner has logged out, everything is removed, with the hashes of files and the
 * edits.
 */
export function followAccount(): void {
  const accountId = session.accountId();
  const hasLoggedOut = accountId === null && isSignedOut();
  if (hasLoggedOut) void forgetHashes();
  if (hasLoggedOut) void import('./stored-edits.ts').then(({ forgetEdits }) => forgetEdits());
  for (const record of listStored()) {
    const isTakenOver = accountId !== null && record.accountId !== null && record.accountId !== accountId;
    if (isTakenOver || (hasLoggedOut && (record.accountId !== null || isOwn(record.id)))) dropStored(record.id);
    else if (accountId !== null && record.accountId === null && isOwn(record.id))
      changeStored(record.id, { accountId });
  }
}

/** Returns whether the files chosen again are those of a record. */
export function isSameSelection(record: StoredSelection, selection: Selection): boolean {
  const { fileCount, totalBytes } = extentOf(publishedPart(selection, record.publication?.publishAnyway ?? []));
  return selection.name === record.name && fileCount === record.fileCount && totalBytes === record.totalBytes;
}

/** Lists the records of this browser, newest first, and removes those that cannot be read. */
export function listStored(): StoredSelection[] {
  const records: StoredSelection[] = [];
  for (const key of Object.keys(localStorage)) {
    if (!key.startsWith(UPLOAD_RECORD_PREFIX)) continue;
    const record = parse(localStorage.getItem(key));
    if (record === null) localStorage.removeItem(key);
    else records.push(record);
  }
  return records.sort((a, b) => b.savedAt - a.savedAt);
}

/** Reads a record; null when there is none, or one that this version does not understand. */
export function readStored(id: string): StoredSelection | null {
  return parse(localStorage.getItem(UPLOAD_RECORD_PREFIX + id));
}

/** Only `writeStored` writes below these keys; a record of another version lacks a field, and does not count. */
function parse(text: string | null): StoredSelection | null {
  try {
    const record = JSON.parse(text ?? 'null') as StoredSelection | null;
    const isWhole =
      typeof record?.id === 'string' &&
      typeof record.savedAt === 'number' &&
      typeof record.hasFiles === 'boolean' &&
      (record.publication === null || record.publication.progress !== undefined);
    return isWhole ? record : null;
  } catch {
    return null;
  }
}

/** Writes a record, and returns whether it could: a full storage refuses, and the upload continues without one. */
export function writeStored(record: StoredSelection): boolean {
  try {
    localStorage.setItem(UPLOAD_RECORD_PREFIX + record.id, JSON.stringify(record));
    if (!isOwn(record.id)) {
      const still = ownIds().filter((own) => readStored(own) !== null);
      sessionStorage.setItem(SESSION_KEYS.ownUploads, [...still, record.id].join(' '));
    }
    return true;
  } catch {
    return false;
  }
}

/** Changes a record that still exists: one that another tab removed, by logging out, is not brought back. */
export function changeStored(id: string, fields: Partial<StoredSelection>): void {
  const record = readStored(id);
  if (record !== null) writeStored({ ...record, ...fields });
}

/** Returns whether this tab began a record, perhaps before a reload. */
export function isOwn(id: string): boolean {
  return ownIds().includes(id);
}

function ownIds(): string[] {
  return (sessionStorage.getItem(SESSION_KEYS.ownUploads) ?? '').split(' ').filter((id) => id !== '');
}
