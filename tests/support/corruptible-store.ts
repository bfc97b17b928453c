import { mkdtemp, open, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { EventModel } from '../../server/database/models/event.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { createCorruptionListener } from '../../server/store/corruption.ts';
import { createDiskStore } from '../../server/store/disk/disk.ts';
import type { Person } from './app.ts';
import { createPublishingApp, type PublishingApp, sha256Of } from './publishing.ts';

const LOG = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** A store whose files a test can corrupt behind its back. */
export async function corruptibleStore() {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-corruption-'));
  const store = await createDiskStore({
    folder,
    minFreeBytes: 0,
    onCorruption: createCorruptionListener(LOG),
    rateCounters: createRateCounters(),
  });
  return {
    store,
    /** Flips a byte; what the file looks like from outside stays as it was. */
    async corrupt(content: string | Buffer): Promise<void> {
      const sha256 = sha256Of(content);
      const path = join(folder, sha256.charAt(0), sha256);
      const { atime, mtime } = await stat(path);
      const file = await open(path, 'r+');
      await file.write(Buffer.from([(Buffer.from(content)[0] ?? 0) ^ 1]), 0, 1, 0);
      await file.close();
      await utimes(path, atime, mtime);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** The application over such a store. */
export async function startCorruptible() {
  const { store, corrupt, [Symbol.asyncDispose]: remove } = await corruptibleStore();
  const app = await createPublishingApp({ providers: { store } });
  return {
    app,
    store,
    corrupt,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await remove();
    },
  };
}

export const corruptedFilesOf = async (person: Person, releaseId: string) =>
  (await person.caller.releases.get({ releaseId })).corruptedFiles;

/** The store tells of corruption in passing; the job that looks whom it affects is there a moment later. */
export const untilMarked = (app: PublishingApp, person: Person, releaseId: string) =>
  vi.waitFor(async () => {
    await app.jobs.drain();
    expect(await corruptedFilesOf(person, releaseId)).not.toEqual([]);
  });

export const updatesOf = (person: Person, deploymentId: string): Promise<number> =>
  EventModel.countDocuments({
    accountId: person.user.id,
    type: 'analytics_update',
    'payload.deploymentId': deploymentId,
  });
