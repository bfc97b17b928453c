import { del, delMany, keys, createStore as openStore, set, type UseStore } from 'idb-keyval';
import { isSignedOut, session } from '../api/session.ts';
import { SESSION_KEYS, UPLOAD_RECORD_PREFIX } from '../lib/storage.ts';
import type { StoredProgress } from './publish.ts';
import type { Extent, SelectedFile } from './selection.ts';

/**
 * What a person selected survives a reload until it is published, its owner logs out, or a day has passed: the `File`s
 * themselves in IndexedDB, and a record of them in localStorage, where every tab sees at once what there is. Above the
 * limits, or where the browser has no room, only the record is stored, and the person is asked for the same files again.
 *
 * The limits are what Chromium stores beside a running upload without slowing it down: 5,000 small files take two
 * seconds, and 300 MB one and a half.
 */
export const STORED_FILES_MAX = 5_000;
export const STORED_BYTES_MAX = 300_000_000;
/** The server keeps an open upload for a day as well. */
const STORED_MS = 24 * 60 * 60_000;

/** A selection that waits, or is on its way, as a reload finds it. */
export type StoredSelection = Extent & {
  id: string;
  savedAt: number;
  /** Null while it is a visitor's. */
  accountId: string | null;
  name: string;
  noun: 'ZIP' | 'folder';
  /** The one folder of a ZIP that is wanted; empty for the whole. */
  within: string;
  /** All files are in IndexedDB. */
  hasFiles: boolean;
  /** Null while it only waits. */
  publication: StoredPublication | null;
};

/** What has to be known of a publication to go on with it after a reload. */
export type StoredPublication = {
  deployment: { id: string; name: string; url: string };
  publishAnyway: readonly string[];
  isNew: boolean;
  progress: StoredProgress;
  /** Files that the server had when this was written. */
  arrivedFiles: number;
};

let opened: UseStore | null = null;

/** The database is opened when it is first needed, so that pages without uploads never ask for one. */
export function uploadStore(): UseStore {
  opened ??= openStore('fairlead-uploads', 'kept');
  return opened;
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

/** Answers null when there is no such record, or one that this version does not understand. */
export function readStored(id: string): StoredSelection | null {
  return parse(localStorage.getItem(UPLOAD_RECORD_PREFIX + id));
}

/** Answers whether the record could be written: into a full storage it cannot, and the upload goes on without one. */
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

/** Stores the files of a record, which says so once all of them are there. */
export async function storeFiles(id: string, files: readonly SelectedFile[]): Promise<void> {
  const totalBytes = files.reduce((sum, { file }) => sum + file.size, 0);
  if (files.length > STORED_FILES_MAX || totalBytes > STORED_BYTES_MAX) return;
  try {
    await set(id, files, uploadStore());
  } catch {
    // A full or forbidden storage: the person will be asked for the files.
    return;
  }
  changeStored(id, { hasFiles: true });
  if (readStored(id) === null) await del(id, uploadStore()).catch(() => undefined);
}

/** Removes a record and its files, for every tab of this browser. */
export function dropStored(id: string): void {
  localStorage.removeItem(UPLOAD_RECORD_PREFIX + id);
  // What cannot be removed now is removed by the next page that looks, since no record names it.
  void dropKeys((key) => key === id);
}

/** Drops a record a day after it was made, also where its page stays open. */
export function dropInTime({ id, savedAt }: StoredSelection): void {
  setTimeout(() => dropStored(id), Math.max(0, savedAt + STORED_MS - Date.now()));
}

/** Removes files that no record names, which a page leaves behind when it ends while it writes. */
export function dropUnnamed(): void {
  const named = new Set(listStored().map(({ id }) => id));
  void dropKeys((key) => !key.startsWith(HASHES_PREFIX) && !named.has(key));
}

async function dropKeys(isUnwanted: (key: string) => boolean): Promise<void> {
  try {
    const all = await keys<string>(uploadStore());
    await delMany(all.filter(isUnwanted), uploadStore());
  } catch {
    // Without a database there is nothing to remove.
  }
}

/** The hashes of an account's files have keys with this prefix in the same database. */
export const HASHES_PREFIX = 'hashes ';

/** Whether a record is too old, or its owner has logged out. */
export function isExpired({ savedAt, accountId }: StoredSelection): boolean {
  const isLeft = accountId !== null && session.accountId() === null && isSignedOut();
  return isLeft || Date.now() - savedAt > STORED_MS;
}

/** Follows the session: a visitor's selection becomes the account's, and one of another account, or of who logged out, goes. */
export function followAccount(): void {
  const accountId = session.accountId();
  const hasLoggedOut = accountId === null && isSignedOut();
  if (hasLoggedOut) void dropKeys((key) => key.startsWith(HASHES_PREFIX));
  for (const record of listStored()) {
    const isTakenOver = accountId !== null && record.accountId !== null && record.accountId !== accountId;
    if (isTakenOver || (hasLoggedOut && (record.accountId !== null || isOwn(record.id)))) dropStored(record.id);
    else if (accountId !== null && record.accountId === null && isOwn(record.id))
      changeStored(record.id, { accountId });
  }
}

/** Whether this tab began it, before a reload perhaps. */
export function isOwn(id: string): boolean {
  return ownIds().includes(id);
}

function ownIds(): string[] {
  return (sessionStorage.getItem(SESSION_KEYS.ownUploads) ?? '').split(' ').filter((id) => id !== '');
}

/** Only `writeStored` writes below these keys; what another version wrote lacks a field, and is no record. */
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
