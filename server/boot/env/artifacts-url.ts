import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import type { StoreChoice } from '../../store/store.ts';

/** This value keeps artifacts in the database that everything else is in, so it needs no address of its own. */
const GRIDFS_URL = 'gridfs:';
export const artifactsUrl = z
  .string()
  .check(
    z.refine(
      (text) => text === GRIDFS_URL || isFolderUrl(text),
      'it must be file: with an absolute path, like file:///var/lib/fairlead/artifacts, or gridfs: for the database; this version has no other store',
    ),
  );

/** Reads ARTIFACTS_URL; when it is not set, artifacts go to a folder in the data folder. */
export function storeChoice(url: string | undefined, dataDir: string): StoreChoice {
  if (url === GRIDFS_URL) return { kind: 'gridfs' };
  return { kind: 'disk', folder: url === undefined ? join(dataDir, 'artifacts') : fileURLToPath(url) };
}

function isFolderUrl(text: string): boolean {
  if (!text.startsWith('file:') || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.host === '' && isAbsolute(text.slice('file:'.length)) && isAbsolute(fileURLToPath(url));
}
