import { hasUploadRecords } from '../lib/storage.ts';
import type { Restored } from './upload-restore.ts';

let restored: Promise<Restored[]> | null = null;

/** What earlier pages left, looked for once a page. Where nothing was left, nothing is fetched. */
export function restoredUploads(): Promise<readonly Restored[]> {
  restored ??= hasUploadRecords() ? find() : Promise.resolve([]);
  return restored;
}

async function find(): Promise<Restored[]> {
  try {
    return await (await import('./upload-restore.ts')).restoreUploads();
  } catch {
    // What is left stays for the next page.
    return [];
  }
}
