import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listJobs, rerunJob } from '../../server/cli/jobs.ts';
import { embeddedUri } from '../../server/database/embedded/embedded-mongo.ts';
import { newId, transaction } from '../../server/database/mongo.ts';
import { AppError } from '../../server/lib/errors.ts';
import { enqueueJob } from '../../server/queue/queue.ts';
import { createWorker } from '../../server/queue/worker.ts';
import { createTestApp } from '../support/app.ts';

async function said(act: (write: (text: string) => void) => Promise<void>): Promise<string> {
  let text = '';
  await act((piece) => {
    text += piece;
  });
  return text;
}

test('a job that was given up is listed with its reason, and runs again when the operator says so', async () => {
  await using app = await createTestApp();
  const id = newId();
  const job = { name: 'remove-deployment' as const, payload: { deploymentId: newId() }, accountId: newId() };
  await transaction((session) => enqueueJob(session, { ...job, id, dedupeKey: 'the same thing' }));
  expect(await said(listJobs)).toBe('There are no failed jobs.\n');

  let isBroken = true;
  let ran = 0;
  const run = async (): Promise<void> => {
    if (isBroken) throw new AppError('validation_failed', 'The platform wants nothing of it.');
    ran += 1;
  };
  const worker = createWorker(app.providers, { handlers: { 'remove-deployment': { run } } });
  await worker.drain();
  expect(await said(listJobs)).toMatch(new RegExp(`^${id}  \\S+Z  remove-deployment  \\d×  .*wants nothing of it`));

  isBroken = false;
  await expect(said((write) => rerunJob('somebody', write))).rejects.toThrow('There is no failed job "somebody"');
  expect(await said((write) => rerunJob(id, write))).toContain('will run again shortly');
  await worker.drain();
  expect(ran).toBe(1);
  expect(await said(listJobs)).toBe('There are no failed jobs.\n');
  await expect(said((write) => rerunJob(id, write))).rejects.toThrow('There is no failed job');
});

test('the database that Fairlead keeps for itself is found by what its last start has written down', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-cli-'));
  expect(await embeddedUri(dataDir)).toBeNull();
  await mkdir(join(dataDir, 'mongo'));
  await writeFile(join(dataDir, 'mongo', 'credentials.json'), '{"user":"fairlead","password":"secret"}');
  const marker = { mongodVersion: '8.0.1', featureCompatibilityVersion: '8.0', port: 4711 };
  await writeFile(join(dataDir, 'mongo', 'version.json'), JSON.stringify(marker));
  expect(await embeddedUri(dataDir)).toMatch(/^mongodb:\/\/fairlead:secret@127\.0\.0\.1:4711\/fairlead\?/);
  await rm(dataDir, { recursive: true });
});
