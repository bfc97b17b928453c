import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import mongoose from 'mongoose';
import { expect, inject, test } from 'vitest';
import { canOpen, startEmbeddedMongo } from '../../../server/database/embedded/embedded-mongo.ts';
import { findMongod, type MongodSources } from '../../../server/database/embedded/mongod-binary.ts';
import { freePort, launchMongod } from '../../../server/database/embedded/mongod-process.ts';
import { prepareEmbeddedMongo } from '../../../server/database/embedded/replica-set.ts';
import type { Log } from '../../../server/lib/log.ts';
import { IS_FULL } from '../../support/size.ts';

async function makeFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'fairlead-embedded-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

function capture(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const write = (text: string): void => void lines.push(text);
  return { log: { debug: write, info: write, warn: write, error: write }, lines };
}

/** A program that says it is this version, and starts nothing. */
async function fakeMongod(path: string, version: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\necho "db version v${version}"\n`);
  await chmod(path, 0o755);
}

/** Returns the one that the tests run on, by its path; nothing is fetched. */
function realSources(): MongodSources {
  return { systemBinary: inject('mongodPath'), searchPath: '', cacheFolder: '/nonexistent', mayFetch: false };
}

/** Start until stop, always stopped. */
async function running(dataDir: string, log: Log = capture().log) {
  const mongo = await startEmbeddedMongo({ dataDir, sources: realSources(), log });
  await prepareEmbeddedMongo(dataDir, mongo.uri);
  const connection = await mongoose
    .createConnection(mongo.uri, { writeConcern: { w: 'majority', journal: true } })
    .asPromise();
  return {
    ...mongo,
    notes: connection.collection<{ _id: string }>('notes'),
    async [Symbol.asyncDispose]() {
      await connection.close();
      await mongo.stop();
    },
  };
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test('a program named by the operator is taken, and nothing else is looked at', async () => {
  await using folder = await makeFolder();
  const named = join(folder.path, 'named', 'mongod');
  await fakeMongod(named, '7.0.2');
  await fakeMongod(join(folder.path, 'bin', 'mongod'), '8.0.1');
  const sources = {
    systemBinary: named,
    searchPath: join(folder.path, 'bin'),
    cacheFolder: folder.path,
    mayFetch: false,
  };
  const { log, lines } = capture();
  expect(await findMongod(sources, log)).toEqual({ path: named, version: '7.0.2' });
  expect(lines).toEqual([`Database program: ${named} (MONGOMS_SYSTEM_BINARY) is MongoDB 7.0.2`]);
});

test.each([
  ['5.0.9', 'is MongoDB 5.0.9, which is too old'],
  [null, 'does not run as a mongod'],
])('a named program of version %s is refused, not replaced', async (version, fault) => {
  await using folder = await makeFolder();
  const named = join(folder.path, 'mongod');
  if (version !== null) await fakeMongod(named, version);
  await fakeMongod(join(folder.path, 'bin', 'mongod'), '8.0.1');
  const sources = {
    systemBinary: named,
    searchPath: join(folder.path, 'bin'),
    cacheFolder: folder.path,
    mayFetch: false,
  };
  await expect(findMongod(sources, capture().log)).rejects.toThrow(
    `MONGOMS_SYSTEM_BINARY is "${named}", which ${fault}`,
  );
});

test('the PATH comes before the cache, what is too old is passed over, and each step is a line of the log', async () => {
  await using folder = await makeFolder();
  const path = (name: string): string => join(folder.path, name);
  await fakeMongod(path('old/mongod'), '4.4.1');
  await fakeMongod(path('new/mongod'), '7.0.2');
  await fakeMongod(path('cache/mongod-8.0.1'), '8.0.1');
  const sources = {
    systemBinary: undefined,
    searchPath: `${path('none')}:${path('old')}:${path('new')}`,
    cacheFolder: path('cache'),
    mayFetch: false,
  };
  const { log, lines } = capture();
  expect(await findMongod(sources, log)).toEqual({ path: path('new/mongod'), version: '7.0.2' });
  expect(lines).toEqual([
    `Database program: ${path('old/mongod')} (PATH) is MongoDB 4.4.1, which is too old`,
    `Database program: ${path('new/mongod')} (PATH) is MongoDB 7.0.2`,
  ]);
});

test('of the cache the newest that opens the data is taken, and no download in progress', async () => {
  await using folder = await makeFolder();
  const path = (name: string): string => join(folder.path, name);
  await fakeMongod(path('mongod-6.0.5'), '6.0.5');
  await fakeMongod(path('mongod-x64-debian-8.0.10'), '8.0.10');
  await fakeMongod(path('mongod-x64-debian-9.0.0.tgz.downloading'), '9.0.0');
  const sources = { systemBinary: undefined, searchPath: '', cacheFolder: folder.path, mayFetch: false };
  expect(await findMongod(sources, capture().log)).toEqual({
    path: path('mongod-x64-debian-8.0.10'),
    version: '8.0.10',
  });
  const older = await findMongod(sources, capture().log, (version) => canOpen(version, '6.0'));
  expect(older).toEqual({ path: path('mongod-6.0.5'), version: '6.0.5' });
});

test('when none is left one sentence lists the choices', async () => {
  await using folder = await makeFolder();
  const sources = { systemBinary: undefined, searchPath: '', cacheFolder: folder.path, mayFetch: false };
  await expect(findMongod(sources, capture().log)).rejects.toThrow(
    /^No mongod 6 or later was found or could be fetched: set MONGODB_URI .+, MONGOMS_SYSTEM_BINARY .+, put one on the PATH, or let this machine reach .+\.$/,
  );
});

test.each([
  ['6.0.5', '6.0', true],
  ['7.0.1', '6.0', true],
  ['8.0.1', '6.0', false],
  ['6.0.5', '7.0', false],
  ['8.2.6', '8.0', true],
  ['8.0.1', '8.2', false],
  ['8.0.1', null, true],
])('MongoDB %s opens data of feature compatibility version %s: %s', (version, data, expected) => {
  expect(canOpen(version, data)).toBe(expected);
});

test('data written before a stop are there after the next start, on the same port, for the one who knows the password', async () => {
  await using folder = await makeFolder();
  {
    await using first = await running(folder.path);
    await first.notes.insertOne({ _id: 'kept' });
    const port = new URL(first.uri).port;
    const stranger = mongoose.createConnection(`mongodb://127.0.0.1:${port}/fairlead?directConnection=true`);
    await expect(stranger.asPromise().then(() => stranger.collection('notes').findOne({}))).rejects.toThrow(
      /requires authentication/,
    );
    await stranger.close();
  }
  const before = await readFile(join(folder.path, 'mongo', 'version.json'), 'utf8');
  await using second = await running(folder.path);
  expect(await second.notes.findOne({ _id: 'kept' })).toEqual({ _id: 'kept' });
  expect(await readFile(join(folder.path, 'mongo', 'version.json'), 'utf8')).toBe(before);
  for (const name of ['keyfile', 'credentials.json', 'version.json'])
    expect(await modeOf(join(folder.path, 'mongo', name))).toBe(0o600);
  expect(await modeOf(join(folder.path, 'mongo'))).toBe(0o700);
});

if (IS_FULL)
  test('a port that was taken meanwhile is no hindrance', async () => {
    await using folder = await makeFolder();
    {
      await using first = await running(folder.path);
      await first.notes.insertOne({ _id: 'kept' });
    }
    const path = join(folder.path, 'mongo', 'version.json');
    const marker = JSON.parse(await readFile(path, 'utf8'));
    // The port of the tests' own database: certainly taken.
    await writeFile(path, JSON.stringify({ ...marker, port: Number(new URL(inject('mongoUri')).port) }));
    await using second = await running(folder.path);
    expect(await second.notes.findOne({ _id: 'kept' })).toEqual({ _id: 'kept' });
  });

test('a mongod that is killed is started again under the same address, with every acknowledged write', async () => {
  await using folder = await makeFolder();
  const { log, lines } = capture();
  await using mongo = await running(folder.path, log);
  await mongo.notes.insertOne({ _id: 'acknowledged' });
  const pid = mongo.pid();
  if (pid === undefined) throw new Error('The database has no process.');
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => lines.at(-1), { timeout: 60_000 }).toBe('Database is running again');
  // The connection of the test itself may not have noticed yet: it asks until it has.
  await expect
    .poll(() => mongo.notes.findOne({ _id: 'acknowledged' }), { timeout: 60_000 })
    .toEqual({ _id: 'acknowledged' });
  expect(mongo.pid()).not.toBe(pid);
});

test('a mongod left behind by a killed app is ended before its data are opened again', async () => {
  await using folder = await makeFolder();
  {
    await using first = await running(folder.path);
    await first.notes.insertOne({ _id: 'kept' });
  }
  const dbPath = join(folder.path, 'mongo', 'data');
  const mongod = await findMongod(realSources(), capture().log);
  const orphan = await launchMongod({ mongod, dbPath, port: await freePort(), replSet: 'embedded' });
  const { log, lines } = capture();
  await using second = await running(folder.path, log);
  expect(lines).toContain('Database of an earlier start is still running; ending it first');
  expect(await orphan.ended).toBe('exit code 0');
  expect(await second.notes.findOne({ _id: 'kept' })).toEqual({ _id: 'kept' });
});

if (IS_FULL)
  test('a first start that broke off before the user was made is finished by the next one', async () => {
    await using folder = await makeFolder();
    {
      await using first = await running(folder.path);
      await first.notes.insertOne({ _id: 'kept' });
      const admin = mongoose.createConnection(first.uri);
      await admin.asPromise();
      await admin.getClient().db('admin').command({ dropUser: 'fairlead' });
      await admin.close();
    }
    await rm(join(folder.path, 'mongo', 'version.json'));
    await using second = await running(folder.path);
    expect(await second.notes.findOne({ _id: 'kept' })).toEqual({ _id: 'kept' });
  });

test('data whose credentials are gone are refused, and no new ones are made', async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, 'mongo', 'credentials.json');
  await mkdir(join(folder.path, 'mongo', 'data'), { recursive: true });
  await writeFile(join(folder.path, 'mongo', 'data', 'WiredTiger'), '');
  await expect(
    startEmbeddedMongo({ dataDir: folder.path, sources: realSources(), log: capture().log }),
  ).rejects.toThrow(`${path} is missing although the database has data; put it back from a backup.`);
  await expect(stat(path)).rejects.toThrow('ENOENT');
});

test.each(['version.json', 'credentials.json', 'keyfile'])(
  'a %s that cannot be read is not taken for a missing one',
  async (name) => {
    await using folder = await makeFolder();
    const path = join(folder.path, 'mongo', name);
    await mkdir(path, { recursive: true });
    await expect(
      startEmbeddedMongo({ dataDir: folder.path, sources: realSources(), log: capture().log }),
    ).rejects.toThrow(`${path} cannot be read; make this user its owner.`);
  },
);

test('a newer or older MongoDB never takes over data that it does not open', async () => {
  await using folder = await makeFolder();
  await mkdir(join(folder.path, 'mongo'), { recursive: true });
  const marker = { mongodVersion: '8.0.1', featureCompatibilityVersion: '8.0', port: 1 };
  await writeFile(join(folder.path, 'mongo', 'version.json'), JSON.stringify(marker));
  await expect(
    startEmbeddedMongo({
      dataDir: folder.path,
      sources: {
        ...realSources(),
        systemBinary: undefined,
        searchPath: dirname(inject('mongodPath')),
        cacheFolder: dirname(inject('mongodPath')),
      },
      log: capture().log,
    }),
  ).rejects.toThrow(/No mongod 6 or later that opens the data/);
  await expect(
    startEmbeddedMongo({ dataDir: folder.path, sources: realSources(), log: capture().log }),
  ).rejects.toThrow(/does not open the data that is there/);
});
