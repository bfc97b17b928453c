import { SESSION_KEYS, UPLOAD_RECORD_PREFIX } from '../lib/storage.ts';
import type { StoredProgress } from './publication-store.ts';

/** What of a publication has to be known to go on with it after a reload. */
export type StoredPublication = {
  deployment: { id: string; name: string; url: string };
  publishAnyway: readonly string[];
  isNew: boolean;
} & StoredProgress;

/** A folder or ZIP that waits, or is on its way, as a reload finds it. Its bytes are in upload-copy.ts's keeping. */
export type UploadRecord = {
  id: string;
  savedAt: number;
  /** Null while it is a visitor's. */
  accountId: string | null;
  name: string;
  /** What it was: words for asking for it again. */
  noun: 'ZIP' | 'folder';
  /** Of a ZIP, the one folder in it that is wanted. */
  within: string;
  fileCount: number;
  totalBytes: number;
  /** Of names and sizes: tells whether what is chosen again is the same. */
  fingerprint: string;
  /** Its paths are those that are published, and no rule is applied to them again. */
  isFinal: boolean;
  /** All of it is in the private file system. */
  hasCopy: boolean;
  /** Null while it only waits. */
  publication: StoredPublication | null;
};

/** What was dropped is kept for a day, like an open upload (security facts, section 2.1). */
export const UPLOAD_KEPT_MS = 24 * 60 * 60_000;

/** All records of this browser, newest first; one that cannot be read is taken away. */
export function listRecords(): UploadRecord[] {
  const records: UploadRecord[] = [];
  for (const key of Object.keys(localStorage)) {
    if (!key.startsWith(UPLOAD_RECORD_PREFIX)) continue;
    const record = parseRecord(localStorage.getItem(key));
    if (record === null) localStorage.removeItem(key);
    else records.push(record);
  }
  return records.sort((a, b) => b.savedAt - a.savedAt);
}

/** Null when there is none, or one that this version does not understand. */
export function readRecord(id: string): UploadRecord | null {
  return parseRecord(localStorage.getItem(UPLOAD_RECORD_PREFIX + id));
}

/** Answers whether it could be written: a full storage takes no record, and the upload goes on without one. */
export function writeRecord(record: UploadRecord): boolean {
  try {
    localStorage.setItem(UPLOAD_RECORD_PREFIX + record.id, JSON.stringify(record));
    return true;
  } catch {
    return false;
  }
}

/** Changes a record that is still there: one that was taken away, by a logout in another tab, stays away. */
export function changeRecord(id: string, fields: Partial<UploadRecord>): void {
  const record = readRecord(id);
  if (record !== null) writeRecord({ ...record, ...fields });
}

/** For every tab of this browser. */
export function removeRecord(id: string): void {
  localStorage.removeItem(UPLOAD_RECORD_PREFIX + id);
}

/** This tab began it, before a reload perhaps. */
export function isOwn(id: string): boolean {
  return ownIds().includes(id);
}

/** Remembers for a reload of this tab that it began this one. */
export function markOwn(id: string): void {
  sessionStorage.setItem(
    SESSION_KEYS.ownUploads,
    [...ownIds().filter((own) => readRecord(own) !== null), id].join(' '),
  );
}

function ownIds(): string[] {
  return (sessionStorage.getItem(SESSION_KEYS.ownUploads) ?? '').split(' ').filter((id) => id !== '');
}

/** Only `writeRecord` writes below these keys; what another version wrote lacks a field, and is none. */
function parseRecord(text: string | null): UploadRecord | null {
  try {
    const record = JSON.parse(text ?? 'null') as UploadRecord | null;
    const isWhole =
      typeof record?.id === 'string' &&
      typeof record.savedAt === 'number' &&
      typeof record.fingerprint === 'string' &&
      typeof record.hasCopy === 'boolean' &&
      (record.publication === null || isPublication(record.publication));
    return isWhole ? record : null;
  } catch {
    return null;
  }
}

function isPublication(stored: StoredPublication | undefined): boolean {
  return typeof stored?.deployment?.id === 'string' && stored.load !== undefined;
}
