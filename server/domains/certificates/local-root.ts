import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOCAL_ROOT_ID, LocalRootModel } from '../../database/models/domains/local-root.ts';
import { isDuplicateKey } from '../../database/mongo.ts';
import type { LocalRoots, SealedRoot } from './authority/authority.ts';

/** An older version kept a root for each instance in this file. */
const FORMER_FILE = 'authority.json';

/**
 * Returns the place of the single root of the app's own authority: the database, which all instances share. A root
 * that an instance still has in this folder is taken over, since people may have installed it.
 */
export function createLocalRoots(formerFolder: string): LocalRoots {
  return {
    async find() {
      const stored = await LocalRootModel.findById(LOCAL_ROOT_ID).lean();
      return stored ?? (await readFormer(join(formerFolder, FORMER_FILE)));
    },
    async storeFirst({ certificate, key }) {
      const made = { _id: LOCAL_ROOT_ID, certificate, key };
      await LocalRootModel.create(made).catch((error: unknown) => {
        if (!isDuplicateKey(error, '_id')) throw error;
      });
      return (await LocalRootModel.findById(LOCAL_ROOT_ID).lean()) ?? made;
    },
  };
}

async function readFormer(path: string): Promise<SealedRoot | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const stored: unknown = JSON.parse(text);
  if (typeof stored !== 'object' || stored === null || !('certificate' in stored) || !('key' in stored)) {
    throw new Error(`${path} does not hold the local authority.`);
  }
  return { certificate: String(stored.certificate), key: String(stored.key) };
}
