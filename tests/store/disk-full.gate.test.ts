import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createReadiness } from '../../server/boot/readiness.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { createDiskStore } from '../../server/store/disk/disk.ts';
import { createZipIntake } from '../../server/store/intake.ts';
import type { Person } from '../support/app.ts';
import { type Listening, listen } from '../support/listen.ts';
import { createPublishingApp, manifestOf, publish, sha256Of } from '../support/publishing.ts';
import { makeSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { infoOf, manyBytes } from '../support/store-suite.ts';

const SITE = { 'index.html': '<h1>Live</h1>' };
const MIB = 1024 * 1024;

/** Returns the application with its artifacts on a small disk, and a site that is live. */
async function start(disk: SmallDisk) {
  const folder = join(disk.folder, 'artifacts');
  const store = await createDiskStore({ folder, minFreeBytes: disk.minFreeBytes, rateCounters: createRateCounters() });
  const app = await createPublishingApp({ providers: { store } });
  const listener = await listen(app);
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({
    name: `full ${randomBytes(4).toString('hex')}`,
    platform: 'built-in',
  });
  await publish(app, person, deployment, SITE);
  return {
    app,
    folder,
    store,
    listener,
    person,
    deployment,
    async [Symbol.asyncDispose]() {
      await listener[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** Another program takes what is left. */
async function fill(disk: SmallDisk): Promise<() => Promise<void>> {
  const path = join(disk.folder, 'filler');
  const file = await open(path, 'w');
  try {
    for (let written = 0; written < 70; written += 1) await file.write(Buffer.alloc(MIB, 1));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  }
  await file.close();
  return () => rm(path);
}

async function put(
  listener: Listening,
  person: Person,
  path: string,
  type: string,
  body: string | Uint8Array<ArrayBuffer>,
) {
  const headers = { authorization: `Bearer ${person.accessToken}`, 'content-type': type };
  const answer = await fetch(`${listener.url}/api/uploads/${path}`, { method: 'PUT', body, headers });
  const text = await answer.text();
  return { status: answer.status, code: text === '' ? null : JSON.parse(text).code };
}

const announce = (listener: Listening, person: Person, uploadId: string, site: Record<string, string>) =>
  put(listener, person, `${uploadId}/manifest`, 'application/json', JSON.stringify({ files: manifestOf(site) }));
const send = (listener: Listening, person: Person, uploadId: string, text: string) =>
  put(listener, person, `${uploadId}/files/${sha256Of(text)}`, 'application/octet-stream', text);

async function unfinishedIn(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.tmp'));
}

test('on a full disk uploads are refused, everything else goes on, and with room again uploads go on as well', async () => {
  await using disk = await makeSmallDisk();
  await using running = await start(disk);
  const { app, listener, person, deployment, folder, store } = running;
  const { uploadId } = await person.caller.releases.prepare({ deploymentId: deployment.id });
  const large = 'x'.repeat(3 * MIB);
  expect((await announce(listener, person, uploadId, { 'a.txt': large, 'b.txt': 'small' })).status).toBe(200);
  const makeRoom = await fill(disk);

  expect(await send(listener, person, uploadId, large)).toEqual({ status: 507, code: 'storage_full' });
  const { uploadId: second } = await person.caller.releases.prepare();
  expect(await announce(listener, person, second, { 'other.txt': 'other' })).toEqual({
    status: 507,
    code: 'storage_full',
  });
  expect(await unfinishedIn(folder)).toEqual([]);

  const someone = await app.person();
  const signedIn = await app.anonymous().auth.login({ username: someone.user.username, password: someone.password });
  expect(signedIn.accessToken).toBeTypeOf('string');
  expect(await app.visit(deployment.slug)).toMatchObject({ status: 200, text: SITE['index.html'] });
  expect(await createReadiness({ store, worker: { silentMs: () => 0 }, isServing: () => true }).check()).toMatchObject({
    isReady: true,
  });
  await (
    await createDiskStore({ folder, minFreeBytes: disk.minFreeBytes, rateCounters: createRateCounters() })
  ).check();

  await makeRoom();
  expect((await send(listener, person, uploadId, large)).status).toBe(204);
  expect((await send(listener, person, uploadId, 'small')).status).toBe(204);
  await person.caller.releases.create({ deploymentId: deployment.id, uploadId });
  await app.jobs.drain();
  expect((await app.visit(deployment.slug, '/b.txt')).text).toBe('small');
});

test('an intake that the disk has no room for says so, leaves nothing, and a smaller one fits', async () => {
  await using disk = await makeSmallDisk();
  const folder = join(disk.folder, 'artifacts');
  const store = await createDiskStore({ folder, minFreeBytes: disk.minFreeBytes, rateCounters: createRateCounters() });
  async function take(all: readonly Buffer[], streamBytes: number): Promise<void> {
    const intake = await store.intake();
    try {
      for (const bytes of all) await intake.add(bytes, infoOf(bytes));
      await intake.addStream(
        (async function* () {
          for (let sent = 0; sent < streamBytes; sent += MIB) yield randomBytes(MIB);
        })(),
      );
      await intake.commit();
    } catch (error) {
      await intake.abandon();
      throw error;
    }
  }
  const all = manyBytes(100, 300_000);
  await expect(take(all, 60 * MIB)).rejects.toMatchObject({ code: 'storage_full', status: 507 });
  await expect(take(manyBytes(300, 300_000), 0)).rejects.toMatchObject({ code: 'storage_full' });
  expect(await unfinishedIn(folder)).toEqual([]);
  expect(await store.has(sha256Of(all[0] ?? Buffer.alloc(0)))).toBe(false);
  await take(all, 10 * MIB);
  for (const bytes of all) expect((await store.readWhole(sha256Of(bytes))).equals(bytes)).toBe(true);
});

test('a disk that becomes read-only refuses uploads alone, and no start is made on it', async () => {
  await using disk = await makeSmallDisk();
  if (!disk.canBeReadOnly) {
    await expectRefusalsForNobody(disk);
    return;
  }
  await using running = await start(disk);
  const { app, listener, person, deployment, folder, store } = running;
  const { uploadId } = await person.caller.releases.prepare({ deploymentId: deployment.id });
  expect((await announce(listener, person, uploadId, { 'a.txt': 'a' })).status).toBe(200);
  await disk.makeReadOnly();

  expect(await send(listener, person, uploadId, 'a')).toEqual({ status: 503, code: 'storage_unavailable' });
  expect((await app.visit(deployment.slug)).text).toBe(SITE['index.html']);
  expect((await app.person()).user.accessToken).toBeTypeOf('string');
  await expect(store.check()).rejects.toThrow(`The folder ${folder} cannot be used for artifacts:`);
  await expect(createDiskStore({ folder, minFreeBytes: 0, rateCounters: createRateCounters() })).rejects.toThrow(
    `The folder ${folder} cannot be used for artifacts:`,
  );

  await disk.makeWritable();
  expect((await send(listener, person, uploadId, 'a')).status).toBe(204);
});

/**
 * On a machine where root may not mount, nothing is read-only for root, so another user has the store open, on a
 * folder of their own.
 */
async function expectRefusalsForNobody(disk: SmallDisk): Promise<void> {
  const NOBODY = 65_534;
  const folder = join(disk.folder, 'artifacts');
  const store = await createDiskStore({ folder, minFreeBytes: 0, rateCounters: createRateCounters() });
  const { sha256 } = await store.writeWhole(Buffer.from('kept'));
  for (const name of ['', ...(await readdir(disk.folder, { recursive: true }))]) {
    await chown(join(disk.folder, name), NOBODY, NOBODY);
  }
  const script = join(import.meta.dirname, '../support/store-process.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, folder, sha256], {
    uid: NOBODY,
    gid: NOBODY,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (piece: Buffer) => {
    said += piece.toString('utf8');
  });
  const ended = once(child, 'close');
  await expect.poll(() => said, { timeout: 60_000 }).toBe('open\n');
  await disk.makeReadOnly();
  child.stdin.write('go on\n');
  await ended;
  const refused = expect.stringContaining(`The folder ${folder} cannot be used for artifacts:`);
  expect(JSON.parse(said.slice('open\n'.length))).toEqual({
    uid: NOBODY,
    write: expect.stringMatching(/^storage_unavailable: /),
    read: 'kept',
    check: refused,
    start: refused,
  });
}

/** More than the disk has. */
async function* tooMuch(): AsyncGenerator<Buffer> {
  for (let mib = 0; mib < 70; mib += 1) yield Buffer.alloc(MIB, mib);
}

test('what the disk itself refuses is told to the operator, although there was room by our count', async () => {
  await using disk = await makeSmallDisk();
  if (!disk.canBeFull) return;
  let told = 0;
  // The count is wrong by more than the disk has: other programs fill it in the moment after the look.
  const options = { minFreeBytes: -1_024 * MIB, rateCounters: createRateCounters(), onDiskFull: () => (told += 1) };
  const store = await createDiskStore({ folder: join(disk.folder, 'artifacts'), ...options });
  const zips = await createZipIntake({ path: join(disk.folder, 'incoming'), ...options }, options.rateCounters);
  const intake = await store.intake();

  const refused = { code: 'storage_full', status: 507 };
  await expect(store.write(tooMuch(), { sha256: '0'.repeat(64), sizeBytes: 70 * MIB })).rejects.toMatchObject(refused);
  expect(told).toBe(1);
  await expect(intake.addStream(tooMuch())).rejects.toMatchObject(refused);
  expect(told).toBe(2);
  await intake.abandon();
  await expect(zips.spool(tooMuch(), (readWhole) => readWhole())).rejects.toMatchObject(refused);
  expect(told).toBe(3);
  const file = await zips.openSpool();
  const writeAll = async () => {
    for await (const piece of tooMuch()) await file.write(piece);
  };
  await expect(writeAll()).rejects.toMatchObject(refused);
  expect(told).toBe(4);
  await file.close();
});
