import { delMany, get, keys, set } from 'idb-keyval';
import { normalisePath } from '../../routers/schemas/normal-form.ts';
import { isOsJunk, leftOutRule } from '../../routers/schemas/upload-rules.ts';
import { session } from '../api/session.ts';
import { randomId } from '../lib/random-id.ts';
import { extentOf, innerFolder, publishedPart } from './apply-rules.ts';
import { type HashedFile, rememberHash } from './hash.ts';
import { isZip, type SelectedFile, type Selection, selectionNoun } from './selection.ts';
import {
  changeStored,
  dropInTime,
  dropStored,
  dropUnnamed,
  HASHES_PREFIX,
  isExpired,
  isOwn,
  listStored,
  readStored,
  type StoredPublication,
  type StoredSelection,
  storeFiles,
  uploadStore,
  writeStored,
} from './stored.ts';
import { readZip } from './zip.ts';

/** What an earlier page left; `selection` is null where its files are gone, and the person has to choose them again. */
export type Restored = { record: StoredSelection; selection: Selection | null };

/** The record of each selection of this page. */
const recordIds = new WeakMap<Selection, string>();

/** Stores a selection for a reload, as one that waits (null) or as a publication, and answers the id of its record. */
export function storeSelection(selection: Selection, publication: StoredPublication | null): string {
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
  void storeFiles(id, filesToStore(selection));
  return id;
}

/** OS junk and what is never published are stored by their names alone. */
function filesToStore(selection: Selection): SelectedFile[] {
  if (isZip(selection)) return [{ path: selection.zip.name, file: selection.zip }];
  return selection.files.map((selected) => {
    const path = normalisePath(selected.path);
    const isNeverPublished = isOsJunk(path) || leftOutRule(path)?.isPublishable === false;
    return isNeverPublished ? { path: selected.path, file: new File([], selected.file.name) } : selected;
  });
}

/** Drops the record of a publication that is over, unless its selection waits again. */
export function endStoredPublication(id: string): void {
  if (readStored(id)?.publication !== null) dropStored(id);
}

let restored: Promise<readonly Restored[]> | null = null;

/** Finds, once a page, what earlier pages left and this one may go on with, newest first. */
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
  dropUnnamed();
  return found;
}

/** What a visitor dropped is shown in no other tab; without files there is nothing for other tabs to go on with. */
function mayRestore({ id, accountId, hasFiles }: StoredSelection): boolean {
  const isOthers = accountId !== null && session.accountId() !== null && accountId !== session.accountId();
  return isOwn(id) || (!isOthers && accountId !== null && hasFiles);
}

/** The page before this one gives its locks back a moment after this one began; what another tab holds is not awaited. */
const OWN_PATIENCE_MS = 3_000;

/**
 * Claims a record for this page until the page ends, so that two tabs never go on with the same one. Answers false where
 * another tab holds it; without locks (plain http off localhost) a record is its tab's alone.
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
    locks.request(`fairlead-upload-${id}`, options, holdUntilPageEnds).catch(() => resolve(false));
  });
}

async function restore(record: StoredSelection): Promise<Selection | null> {
  const files = await get<SelectedFile[]>(record.id, uploadStore());
  const [first] = files ?? [];
  if (files === undefined || first === undefined) return null;
  const whole = record.noun === 'folder' ? { name: record.name, files } : await readZip(first.file);
  const selection = record.within === '' ? whole : { ...innerFolder(whole, record.within), name: record.name };
  recordIds.set(selection, record.id);
  return selection;
}

/** Whether what was chosen again is what a record was of. */
export function isSameSelection(record: StoredSelection, selection: Selection): boolean {
  const { fileCount, totalBytes } = extentOf(publishedPart(selection, record.publication?.publishAnyway ?? []));
  return selection.name === record.name && fileCount === record.fileCount && totalBytes === record.totalBytes;
}

/** The hashes of a folder that was published before, by path. */
type HashRecord = { hashedAt: number; files: ReadonlyMap<string, KnownFile> };
type KnownFile = { sizeBytes: number; lastModified: number; sha256: string };

/** A file that was written so shortly before it was hashed may have been written once more in the same tick of the disk. */
const SAME_TICK_MS = 3_000;
/** With so many folders all are forgotten: 10,000 hashes take a megabyte. */
const FOLDERS_MAX = 20;

/**
 * Recalls the hashes of those files whose size and time of change are what they were when the folder of this name was
 * last hashed by the signed-in account. All others have to be read.
 */
export async function recallHashes(folder: string, files: readonly SelectedFile[]): Promise<void> {
  const record = await get<HashRecord>(hashesKey(folder), uploadStore()).catch(() => undefined);
  if (record === undefined) return;
  for (const { path, file } of files) {
    const known = record.files.get(path);
    const isSame = known?.sizeBytes === file.size && known.lastModified === file.lastModified;
    if (isSame && file.lastModified < record.hashedAt - SAME_TICK_MS) rememberHash(file, known.sha256);
  }
}

/** Stores the hashes of all files of a folder, in the place of those that it had before. */
export async function recordHashes(folder: string, files: readonly HashedFile[]): Promise<void> {
  const known = files.map(({ path, file: { size, lastModified }, sha256 }): [string, KnownFile] => [
    path,
    { sizeBytes: size, lastModified, sha256 },
  ]);
  try {
    const others = (await keys<string>(uploadStore())).filter((key) => key.startsWith(HASHES_PREFIX));
    if (others.length >= FOLDERS_MAX) await delMany(others, uploadStore());
    await set(hashesKey(folder), { hashedAt: Date.now(), files: new Map(known) } satisfies HashRecord, uploadStore());
  } catch {
    // Without room for it every file is read the next time.
  }
}

function hashesKey(folder: string): string {
  return `${HASHES_PREFIX}${session.accountId() ?? ''} ${folder}`;
}
