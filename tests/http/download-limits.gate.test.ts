import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { receiveFile, receiveManifest } from '../../server/publishing/uploads/index.ts';
import type { OpenArtifact } from '../../server/store/store.ts';
import { createTestApp, type Person, type TestApp } from '../support/app.ts';
import { collectAnswers } from '../support/begun-answers.ts';
import { closeOf } from '../support/close-of.ts';
import { holdReading } from '../support/held-reading.ts';
import { type Listening, listen } from '../support/listen.ts';
import { bytesOf, contextOf, sha256Of } from '../support/publishing.ts';

/** More than the system takes of an answer that nobody reads: it keeps up to 4 MB at the sender and 6 MB at the reader. */
const LARGE = randomBytes(12_000_000);
const LARGE_SHA256 = sha256Of(LARGE);

/** Returns a link to a release of this one large file. */
async function largeLink(app: TestApp, person: Person): Promise<string> {
  const deployment = await person.caller.deployments.create({ name: 'Large', platform: 'built-in' });
  const { uploadId } = await person.caller.releases.prepare();
  const ctx = await contextOf(app, person);
  await receiveManifest(ctx, uploadId, {
    files: [{ path: 'a.bin', sha256: LARGE_SHA256, sizeBytes: LARGE.length }],
  });
  await receiveFile(ctx, uploadId, { sha256: LARGE_SHA256, body: bytesOf(LARGE), contentLength: LARGE.length });
  const { id } = await person.caller.releases.create({ deploymentId: deployment.id, uploadId });
  return (await person.caller.releases.download({ releaseId: id })).url;
}

/** Asks for it, and reads nothing of what comes. */
async function ask({ port }: Listening, paths: string[]): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''));
  return socket;
}

/** Asks for it, and stops reading after the first bytes. */
async function stall(listener: Listening, path: string): Promise<Socket> {
  const socket = await ask(listener, [path]);
  const [first] = await once(socket, 'data');
  socket.pause();
  expect(String(first)).toMatch(/^HTTP\/1\.1 200 /);
  return socket;
}

/** Reads on to the end, and returns how much came. */
async function restOf(socket: Socket): Promise<number> {
  let received = 0;
  socket.on('data', (piece) => {
    received += piece.length;
  });
  socket.resume();
  await closeOf(socket);
  return received;
}

async function head(listener: Listening, path: string): Promise<number> {
  return (await fetch(`${listener.url}${path}`, { method: 'HEAD' })).status;
}

/** Replaces functions of the large file's artifact in the store. */
function watchReading(app: TestApp, watched: (artifact: OpenArtifact) => Partial<OpenArtifact>): void {
  const { store } = app.providers;
  app.providers.store = {
    ...store,
    async open(sha256) {
      const artifact = await store.open(sha256);
      return sha256 === LARGE_SHA256 ? { ...artifact, ...watched(artifact) } : artifact;
    },
  };
}

test('so many downloads of an account run at once; one that ends frees its place', async () => {
  await using app = await createTestApp({ limits: { downloadsAtOnce: { perAccount: 2, perProcess: 5 } } });
  await using listener = await listen(app);
  const [person, other] = [await app.trialPerson(), await app.trialPerson()];
  const [link, othersLink] = [await largeLink(app, person), await largeLink(app, other)];
  const exportLink = (await person.caller.account.export()).url;
  const sockets = [await stall(listener, link), await stall(listener, link)];

  const refused = await fetch(`${listener.url}${link}`);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  expect(await refused.json()).toMatchObject({ code: 'rate_limited' });
  expect([await head(listener, link), await head(listener, exportLink)]).toEqual([429, 429]);
  sockets.push(await stall(listener, othersLink));
  expect(await head(listener, othersLink)).toBe(429);

  sockets.shift()?.destroy();
  await expect.poll(() => head(listener, link)).toBe(200);
  expect(await head(listener, exportLink)).toBe(200);
  for (const socket of sockets) socket.destroy();
});

test('a process has so many places, and the later half of them are for accounts that have none', async () => {
  await using app = await createTestApp({ limits: { downloadsAtOnce: { perAccount: 2, perProcess: 2 } } });
  await using listener = await listen(app);
  const people = [await app.trialPerson(), await app.trialPerson(), await app.trialPerson()] as const;
  const links = [
    await largeLink(app, people[0]),
    await largeLink(app, people[1]),
    await largeLink(app, people[2]),
  ] as const;
  const sockets = [await stall(listener, links[0])];

  expect(await head(listener, links[0])).toBe(429);
  sockets.push(await stall(listener, links[1]));
  expect(await head(listener, links[2])).toBe(429);

  sockets.shift()?.destroy();
  await expect.poll(() => head(listener, links[2])).toBe(200);
  for (const socket of sockets) socket.destroy();
});

test('of two downloads asked for in one breath one runs, and gives its place back when the connection goes', async () => {
  await using app = await createTestApp();
  await using listener = await listen(app);
  const link = await largeLink(app, await app.trialPerson());
  const both = await ask(listener, [link, link]);
  await once(both, 'data');
  both.pause();
  const one = await stall(listener, link);
  expect(await head(listener, link)).toBe(429);
  both.destroy();

  await expect.poll(() => head(listener, link)).toBe(200);
  one.destroy();
});

test('a reader that takes nothing any more is cut off, and its place is free', async () => {
  await using app = await createTestApp({
    limits: { downloadsAtOnce: { perAccount: 1, perProcess: 1 } },
  });
  await using listener = await listen(app, { timeouts: { silentMs: 600 } });
  const link = await largeLink(app, await app.trialPerson());
  const socket = await stall(listener, link);

  await expect.poll(() => head(listener, link)).toBe(200);

  expect(await restOf(socket)).toBeLessThan(LARGE.length);
});

test('a reader that takes less than the slowest rate is cut off while bytes still move, and its place is free', async () => {
  await using app = await createTestApp({
    limits: {
      downloadsAtOnce: { perAccount: 1, perProcess: 1 },
      slowestDownload: { bytesPerSecond: 2 * LARGE.length, patienceMs: 100, givesWayBelow: 1 },
    },
  });
  await using listener = await listen(app);
  const link = await largeLink(app, await app.trialPerson());
  const socket = await stall(listener, link);
  const trickle = setInterval(() => socket.read(1_024), 10);

  await expect.poll(() => head(listener, link)).toBe(200);

  clearInterval(trickle);
  socket.destroy();
});

test('of downloads that fill all places the longest running slow one gives way to an account that has none, and once', async () => {
  await using app = await createTestApp({
    limits: {
      downloadsAtOnce: { perAccount: 1, perProcess: 2 },
      slowestDownload: { bytesPerSecond: 1_000, patienceMs: 200, givesWayBelow: 1_000 * LARGE.length },
    },
  });
  await using listener = await listen(app);
  const people = [await app.trialPerson(), await app.trialPerson(), await app.trialPerson()] as const;
  const links = [
    await largeLink(app, people[0]),
    await largeLink(app, people[1]),
    await largeLink(app, people[2]),
  ] as const;
  const answers = collectAnswers();
  const longest = await stall(listener, links[0]);
  const other = await stall(listener, links[1]);

  await expect.poll(() => head(listener, links[2])).toBe(200);
  expect(await restOf(longest)).toBeLessThan(LARGE.length);
  expect(other.closed).toBe(false);

  const again = await stall(listener, links[0]);
  await expect.poll(() => answers.filter(({ writableNeedDrain }) => writableNeedDrain).length).toBe(2);
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 400);
  expect(await head(listener, links[2])).toBe(429);
  for (const socket of [other, again]) socket.destroy();
});

test('a reader that is slow gets everything, and so does one whose file is read slowly', async () => {
  const silentMs = 1_000;
  await using app = await createTestApp();
  await using listener = await listen(app, { timeouts: { silentMs } });
  const link = await largeLink(app, await app.trialPerson());
  let opened = 0;
  watchReading(app, (artifact) => ({
    async *stream() {
      opened += 1;
      // The first time for its checksum: the reader can take nothing yet.
      if (opened === 1) await pause(1.5 * silentMs);
      yield* artifact.stream();
    },
  }));

  const answer = await fetch(`${listener.url}${link}`);
  let received = 0;
  for await (const piece of answer.body ?? []) {
    received += piece.length;
    await pause((2 * silentMs * piece.length) / LARGE.length);
  }

  expect(String(received)).toBe(answer.headers.get('content-length'));
  expect(opened).toBe(2);
});

test('a reader that goes away before the first byte ends the reading of the file at once', async () => {
  await using app = await createTestApp({ limits: { downloadsAtOnce: { perAccount: 1, perProcess: 1 } } });
  await using listener = await listen(app);
  const link = await largeLink(app, await app.trialPerson());
  let read = 0;
  let isClosed = false;
  watchReading(app, (artifact) => ({
    // The file has no end, so only a reader that stops asking gets out of it.
    async *stream() {
      for (;;) {
        await pause(1);
        read += 1;
        yield Buffer.alloc(1_024);
      }
    },
    async close() {
      isClosed = true;
      await artifact.close();
    },
  }));
  const socket = await ask(listener, [link]);
  await expect.poll(() => read).toBeGreaterThan(0);
  expect(isClosed).toBe(false);
  socket.destroy();

  await expect.poll(() => isClosed).toBe(true);
  const readUntilThen = read;
  await expect.poll(() => head(listener, link)).toBe(200);
  expect(read).toBe(readUntilThen);
});

test('lists of files are measured one at a time an account, and who asks for too many at once is told so', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  await largeLink(app, person);
  const [release] = (await person.caller.releases.list()).items;
  const releaseId = release?.id ?? '';
  const reading = holdReading(app);

  const outcomes: string[] = [];
  const calls = Array.from({ length: 22 }, (_, number) =>
    (number % 2 === 0
      ? person.caller.releases.download({ releaseId })
      : person.caller.releases.diff({ releaseId })
    ).then(
      () => void outcomes.push('done'),
      (error: { code: string }) => void outcomes.push(error.code),
    ),
  );
  await expect.poll(() => outcomes).toEqual(['TOO_MANY_REQUESTS']);
  reading.letGo();
  await Promise.all(calls);

  expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(21);
  expect(reading.most()).toBe(1);
});
