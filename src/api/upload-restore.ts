import { isSignedOut, session } from './session.ts';
import { adoptCopy, type CopyUse, claim, drop } from './upload-copy.ts';
import { rememberHash } from './upload-known.ts';
import { readPicked } from './upload-offer.ts';
import { hasPrivateFiles, listPacks, type PackedRow, readPack, removePack } from './upload-pack.ts';
import { type Picked, picksWithin } from './upload-picks.ts';
import { isOwn, listRecords, UPLOAD_KEPT_MS, type UploadRecord } from './upload-record.ts';

/** What an earlier page left: `picked` is null where its bytes are gone, and the person has to choose it again. */
export type Restored = {
  record: UploadRecord;
  picked: Picked | null;
  /** Makes it this page's. */
  adopt(use: CopyUse): void;
  /** Leaves it to another tab. */
  letGo(): void;
};

/** The page before this one gives its locks back a moment after this one began. */
const RELOAD_PATIENCE_MS = 3_000;
const OTHERS_PATIENCE_MS = 200;

/**
 * Finds what earlier pages left and this one may go on with, newest first; takes away what nobody may go on with any
 * more. Everything that it answers is held for this page until it is adopted or let go.
 */
export async function restoreUploads(): Promise<Restored[]> {
  const restored: Restored[] = [];
  for (const record of listRecords()) {
    if (isOver(record)) drop(record.id);
    else if (mayRestore(record)) restored.push(...(await restore(record)));
  }
  if (hasPrivateFiles()) void removeUnnamed().catch(() => undefined);
  return restored;
}

function isOver({ savedAt, accountId }: UploadRecord): boolean {
  const isLeft = accountId !== null && session.accountId() === null && isSignedOut();
  return isLeft || Date.now() - savedAt > UPLOAD_KEPT_MS;
}

/** What a visitor dropped is shown to nobody but the tab where that was; without bytes there is nothing for others. */
function mayRestore({ id, accountId, hasCopy }: UploadRecord): boolean {
  const isOthers = accountId !== null && session.accountId() !== null && accountId !== session.accountId();
  return isOwn(id) || (!isOthers && accountId !== null && hasCopy);
}

async function restore(record: UploadRecord): Promise<Restored[]> {
  const letGo = await claim(record.id, isOwn(record.id) ? RELOAD_PATIENCE_MS : OTHERS_PATIENCE_MS);
  if (letGo === null) return [];
  const picked = record.hasCopy ? await readCopy(record).catch(() => null) : null;
  return [{ record, picked, letGo, adopt: (use) => adoptCopy(record, picked, use, letGo) }];
}

async function readCopy(record: UploadRecord): Promise<Picked> {
  const { rows, pack } = await readPack(record.id);
  const files = rows.map((row) => ({ path: row.path, file: fileOf(row, pack) }));
  const [first] = files;
  if (record.noun === 'folder' || first === undefined) return { name: record.name, files };
  const { readZip } = await import('./upload-zip.ts');
  const zip = await readZip(first.file);
  if (record.within === '') return zip;
  return { ...picksWithin(zip, record.within, readPicked(zip, { takesRootOff: true }).files), name: record.name };
}

function fileOf({ path, sizeBytes, lastModified, offset, sha256 }: PackedRow, pack: File): File {
  const bytes = offset === null ? [] : [pack.slice(offset, offset + sizeBytes)];
  const file = new File(bytes, path.slice(path.lastIndexOf('/') + 1), { lastModified });
  if (sha256 !== null) rememberHash(file, sha256);
  return file;
}

/** A page that ended while it wrote or deleted leaves bytes that no record names. */
async function removeUnnamed(): Promise<void> {
  const named = new Set(listRecords().map(({ id }) => id));
  for (const id of await listPacks()) {
    if (!named.has(id)) await removePack(id).catch(() => undefined);
  }
}
