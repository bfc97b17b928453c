import { open, rm, truncate, writeFile } from 'node:fs/promises';
import { ServerResponse } from 'node:http';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { expect, test, vi } from 'vitest';
import { buildIndexes, connectMongo } from '../../server/database/mongo.ts';
import { createRouteRecheck } from '../../server/host/routing/recheck-route.ts';
import { createTestHost, publishSite, type TestHost } from '../support/host.ts';
import { startOwnMongod } from '../support/own-mongod.ts';
import { withoutDatabase } from '../support/without-database.ts';

function pathOf(site: TestHost, sha256: string | undefined): string {
  if (sha256 === undefined) throw new Error('The site has no such file.');
  return join(site.folder, 'artifacts', sha256.charAt(0), sha256);
}

test('without the database every live site is served, also after a restart and though nobody had asked for it', async () => {
  await using site = await createTestHost();
  await publishSite(site, 'asked', { 'index.html': 'asked for' });
  await publishSite(site, 'unasked', { 'index.html': 'never asked for', 'a/b.txt': 'deep' });
  expect((await site.get('asked', '/')).text).toBe('asked for');
  await withoutDatabase(async () => {
    expect((await site.get('unasked', '/')).text).toBe('never asked for');
    await site.restart();
    expect((await site.get('asked', '/')).text).toBe('asked for');
    expect((await site.get('unasked', '/a/b.txt')).text).toBe('deep');
    const unknown = await site.get('unknown', '/');
    expect([unknown.status, unknown.headers['cache-control']]).toEqual([503, 'no-store']);
    expect(unknown.headers['retry-after']).toBe('2');
    expect((await site.get('r1--asked', '/')).status).toBe(503);
  });
  await expect.poll(async () => (await site.get('unknown', '/')).status).toBe(404);
});

test('what a site does not have is missing as its known release says, also while the database is away', async () => {
  await using site = await createTestHost();
  await publishSite(site, 'asked', { 'index.html': 'asked for', '404.html': 'not here' });
  await publishSite(site, 'plain', { 'index.html': 'plain' });
  const paths = ['/absent', '/assets/app-3f2a1b9c.js'];
  await withoutDatabase(async () => {
    await site.restart();
    for (const path of [...paths, ...paths]) {
      const own = await site.get('asked', path);
      expect([own.status, own.text, own.headers['cache-control']]).toEqual([404, 'not here', 'no-cache']);
      const plain = await site.get('plain', path);
      expect([plain.status, plain.headers['cache-control']]).toEqual([404, 'no-cache']);
    }
    expect((await site.get('asked', '/')).text).toBe('asked for');
  });
});

test('whoever asks after a look that was not answered in time waits for none, until that one is answered', async () => {
  const looks: (() => void)[] = [];
  const recheck = createRouteRecheck(() => new Promise((resolve) => looks.push(resolve)));
  await recheck('one');
  for (const id of ['one', 'two', 'three']) await recheck(id);
  expect(looks).toHaveLength(1);
  looks[0]?.();
  await expect
    .poll(() => {
      void recheck('two');
      return looks.length;
    })
    .toBe(2);
});

test('while the database is held and answers nothing, a missing file is missing and a name that nobody knows is not', async () => {
  await using mongod = await startOwnMongod();
  await withoutDatabase(async () => {
    await connectMongo(mongod.uri);
    try {
      await buildIndexes();
      await using site = await createTestHost();
      await publishSite(site, 'held', { 'index.html': 'held' });
      expect((await site.get('held', '/absent')).status).toBe(404);
      const letGo = await mongod.hold();
      try {
        expect((await site.get('unknown', '/')).status).toBe(503);
        for (const path of ['/absent', '/assets/app-3f2a1b9c.js', '/absent']) {
          expect((await site.get('held', path)).status).toBe(404);
        }
        expect((await site.get('held', '/')).text).toBe('held');
      } finally {
        letGo();
      }
      await expect.poll(async () => (await site.get('unknown', '/')).status).toBe(404);
    } finally {
      await mongoose.disconnect();
    }
  });
});

test('what changed while the database was away is seen when it is back', async () => {
  await using site = await createTestHost();
  await publishSite(site, 'meanwhile', { 'index.html': 'one' });
  await withoutDatabase(async () => {
    await site.host.refresh();
    expect((await site.get('meanwhile', '/')).text).toBe('one');
  });
  await publishSite({ ...site, hasFeed: true }, 'meanwhile', { 'index.html': 'two' });
  // Nobody tells the host: after a failed reading it tries again by itself.
  await expect.poll(async () => (await site.get('meanwhile', '/')).text).toBe('two');
});

test('a list of sites that cannot be read is only a list', async () => {
  await using site = await createTestHost();
  await publishSite(site, 'listed', { 'index.html': 'still here' });
  await site.host.stop();
  await writeFile(join(site.folder, 'host', 'domains.json'), '{"version":1,"domains":[{"id":');
  await site.restart();
  expect((await site.get('listed', '/')).text).toBe('still here');
  expect(site.lines.some((line) => line.message.includes('cannot be read'))).toBe(true);
});

test('a damaged, shortened or missing file is a 502 that nobody keeps, never wrong bytes, and is told', async () => {
  await using site = await createTestHost();
  const big = Buffer.alloc(2 * 1024 * 1024, 'whole ');
  const files = {
    'flipped.txt': 'flipped',
    'short.txt': 'shortened',
    'gone.txt': 'gone',
    'big.bin': big,
    'good.txt': 'good',
  };
  const { hashes } = await publishSite(site, 'affected', files);
  for (const path of ['flipped.txt', 'big.bin']) {
    const file = await open(pathOf(site, hashes.get(path)), 'r+');
    await file.write(Buffer.from('X'), 0, 1, 3);
    await file.close();
  }
  await truncate(pathOf(site, hashes.get('short.txt')), 4);
  await rm(pathOf(site, hashes.get('gone.txt')));
  for (const path of ['flipped.txt', 'short.txt', 'gone.txt', 'big.bin']) {
    for (const ask of [{}, { headers: { Range: 'bytes=0-1' } }, { method: 'HEAD' }]) {
      const answer = await site.get('affected', `/${path}`, ask);
      expect([path, answer.status, answer.headers['cache-control'], answer.headers.etag]).toEqual([
        path,
        502,
        'no-store',
        undefined,
      ]);
      expect(answer.text).not.toMatch(/flipped|shor|gone|whole/);
    }
    const told = site.lines.filter((line) => line.level === 'error' && line.fields.path === path);
    expect(told.map((line) => line.fields.code)).toEqual(['artifact_corrupted']);
  }
  expect((await site.get('affected', '/good.txt')).text).toBe('good');
  await publishSite(site, 'affected', files);
  expect((await site.get('affected', '/flipped.txt')).text).toBe('flipped');
  expect((await site.get('affected', '/big.bin')).body.equals(big)).toBe(true);
});

test('a release whose list of files is damaged is a 502 as a whole', async () => {
  await using site = await createTestHost();
  const { manifestHash } = await publishSite(site, 'listless', { 'index.html': 'x' });
  await truncate(pathOf(site, manifestHash), 10);
  await site.restart();
  const answer = await site.get('listless', '/');
  expect([answer.status, answer.headers['cache-control']]).toEqual([502, 'no-store']);
});

test('a fault that every request meets is told once a minute', async () => {
  let minutes = 0;
  const from = Date.now();
  await using site = await createTestHost({ providers: { now: () => new Date(from + minutes * 60_000) } });
  await publishSite(site, 'faulty', { 'index.html': 'x' });
  expect((await site.get('faulty', '/')).status).toBe(200);
  const failing = vi.spyOn(ServerResponse.prototype, 'writeHead');
  const told = async (): Promise<number> => {
    failing.mockImplementationOnce(() => {
      throw new Error('no head');
    });
    expect((await site.get('faulty', '/')).status).toBe(500);
    return site.lines.filter(({ message }) => message === 'A request to the host failed').length;
  };
  try {
    expect([await told(), await told()]).toEqual([1, 1]);
    minutes = 1;
    expect(await told()).toBe(2);
  } finally {
    failing.mockRestore();
  }
});

test('a host that stops finishes the answer it is giving', async () => {
  await using site = await createTestHost();
  const bytes = Buffer.alloc(8 * 1024 * 1024, 3);
  await publishSite(site, 'stopping', { 'big.bin': bytes });
  const pending = site.get('stopping', '/big.bin');
  await expect.poll(() => site.get('stopping', '/absent').then((answer) => answer.status)).toBe(404);
  await site.host.stop();
  expect((await pending).body.equals(bytes)).toBe(true);
});
