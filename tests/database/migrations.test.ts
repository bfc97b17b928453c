import mongoose from 'mongoose';
import { expect, test, vi } from 'vitest';
import { claimInstallation, hasData } from '../../server/boot/installation.ts';
import { MIGRATIONS, type Migration, runMigrations } from '../../server/database/migrations/index.ts';
import { holdLease } from '../../server/database/migrations/lease.ts';
import { INSTALLATION_ID, InstallationModel } from '../../server/database/models/installation.ts';
import { MigrationModel } from '../../server/database/models/migration.ts';
import { createLog } from '../../server/lib/log.ts';

const log = createLog({ level: 'error', isTerminal: false, write: () => undefined });

/** A shape before: one field holds the whole name. After: two fields. */
const splitName: Migration = {
  number: 1,
  name: 'split-name',
  async run(database) {
    const people = database.collection<{ _id: number; name?: string }>('people');
    await people.updateMany({ _id: { $gte: 0 }, name: { $type: 'string' } }, [
      { $set: { first: { $first: { $split: ['$name', ' '] } }, last: { $last: { $split: ['$name', ' '] } } } },
      { $unset: 'name' },
    ]);
  },
};

function counting(number: number, runs: string[], during = async (): Promise<void> => undefined): Migration {
  return {
    number,
    name: `count-${number}`,
    async run() {
      runs.push(`start ${number}`);
      await during();
      runs.push(`end ${number}`);
    },
  };
}

async function forget(): Promise<void> {
  await MigrationModel.deleteMany({ _id: { $gte: 0 } });
  await InstallationModel.deleteMany({ _id: INSTALLATION_ID });
}

test('the registry is numbered without a gap', () => {
  expect(MIGRATIONS.map((migration) => migration.number)).toEqual(MIGRATIONS.map((_, index) => index + 1));
});

test('a subscription from before says that it is the trial, which alone could be started', async () => {
  await forget();
  const subscriptions = mongoose.connection.collection<{
    _id: string;
    accountId: string;
    plan: string;
    source?: string;
  }>('subscriptions');
  await subscriptions.insertMany([
    { _id: 'before', accountId: 'ada', plan: 'PRO' },
    { _id: 'paid', accountId: 'bob', plan: 'BASIC', source: 'payment' },
  ]);
  await runMigrations(log);
  expect(await subscriptions.find({ _id: { $gte: '' } }).toArray()).toMatchObject([
    { _id: 'before', source: 'trial', renews: false },
    { _id: 'paid', source: 'payment' },
  ]);
  await subscriptions.deleteMany({ _id: { $gte: '' } });
});

test('a domain and a certificate from before changed when the latest thing that they know of happened', async () => {
  await forget();
  const day = (date: number) => new Date(Date.UTC(2026, 0, date));
  // Other tests may have built the unique indexes of these collections.
  const ownOf = (_id: string) => ({ _id, accountId: _id, unit: _id, domainId: _id });
  const rows = {
    domains: { createdAt: day(1), provedAt: day(2), activeSince: day(3), problem: null, updatedAt: day(9) },
    certificates: { createdAt: day(1), issued: null, history: [{ at: day(2) }, { at: day(3) }], updatedAt: day(9) },
  };
  for (const [name, row] of Object.entries(rows)) {
    const collection = mongoose.connection.collection<{ _id: string; changedAt?: Date }>(name);
    await collection.insertMany([
      { ...row, ...ownOf('before') },
      { ...row, ...ownOf('since'), changedAt: day(8) },
    ]);
    await runMigrations(log);
    const found = await collection.find({ _id: { $gte: '' } }).toArray();
    expect(found.map(({ changedAt }) => changedAt)).toEqual([day(3), day(8)]);
    await collection.deleteMany({ _id: { $gte: '' } });
    await forget();
  }
});

test('a release names no compressed files any more, and no job waits to make them', async () => {
  await forget();
  const releases = mongoose.connection.collection<{ _id: string; number: number; twins?: unknown }>('releases');
  const jobs = mongoose.connection.collection<{ _id: string; name: string }>('jobs');
  const kept = { indexHash: 'a'.repeat(64), packHashes: ['b'.repeat(64)] };
  await releases.insertMany([
    { _id: 'with', number: 1, twins: kept },
    { _id: 'without', number: 2 },
  ]);
  await jobs.insertOne({ _id: 'waits', name: 'compress-release' });
  await runMigrations(log);
  const rows = await releases.find({ _id: { $gte: '' } }).toArray();
  expect(rows.map((row) => [row._id, 'variants' in row, 'twins' in row])).toEqual([
    ['with', false, false],
    ['without', false, false],
  ]);
  expect(await jobs.countDocuments({ _id: 'waits' })).toBe(0);
});

test('what was published before has the platform that it named as its one destination', async () => {
  await forget();
  const deployments = mongoose.connection.collection<{ _id: string }>('deployments');
  const releases = mongoose.connection.collection<{ _id: string }>('releases');
  const deploymentId = 'd'.repeat(20);
  await deployments.insertOne(
    Object.assign(
      { _id: deploymentId },
      { platform: 'built-in', slug: 'before', currentReleaseId: 'r', siteUrl: null },
    ),
  );
  await releases.insertOne(
    Object.assign({ _id: 'r' }, { deploymentId, state: 'live', number: 7, platformRef: { a: 1 } }),
  );
  await runMigrations(log);
  const id = `${'d'.repeat(18)}d1`;
  expect(await deployments.findOne({ _id: deploymentId })).toMatchObject({
    primaryId: id,
    destinations: [{ _id: id, platform: 'built-in', site: null, url: null, state: 'live', error: null }],
  });
  const publications = mongoose.connection.collection<{ _id: string }>('publications');
  expect(await publications.findOne({ _id: `r.${id}` })).toMatchObject({
    ...{ releaseId: 'r', destinationId: id, platform: 'built-in', ref: { a: 1 }, ownUrl: null, state: 'live' },
  });
});

test('a deployment from before is found by its name without accents, and by its address', async () => {
  await forget();
  const deployments = mongoose.connection.collection<{ _id: string; name: string; nameKey: string; slug: string }>(
    'deployments',
  );
  await deployments.deleteMany({ _id: { $gte: '' } });
  await deployments.insertOne({ _id: 'a', name: 'Café Linde', nameKey: 'café linde', slug: 'linde' });
  await runMigrations(log);
  expect(await deployments.find({ _id: { $gte: '' } }).toArray()).toMatchObject([{ nameKey: 'cafe linde\nlinde' }]);
});

test('what became of a release at each destination is a publication, with its steps, and its job works on that', async () => {
  await forget();
  type Row = { _id: string; [field: string]: unknown };
  const collection = (name: string) => mongoose.connection.collection<Row>(name);
  const insert = (name: string, rows: Row[]) => collection(name).insertMany(rows);
  const deploymentId = 'two-places';
  await insert('deployments', [
    { _id: deploymentId, currentReleaseId: 'r8', destinations: [{ _id: 'one' }, { _id: 'two' }] },
  ]);
  const common = { accountId: 'ada', deploymentId };
  const url = 'https://harbour.example';
  const underWay = [{ _id: 'one', state: 'publishing' }];
  await insert('releases', [
    {
      ...{ _id: 'r8', ...common, number: 80, state: 'live' },
      destinations: [
        {
          _id: 'one',
          platform: 'netlify',
          state: 'live',
          ref: { id: 8 },
          url,
          missingLinks: ['/a.css'],
          wasLive: true,
        },
        { _id: 'two', platform: 'vercel', state: 'live', ref: null, url: null, error: { code: 'x', message: 'y' } },
      ],
    },
    {
      ...{ _id: 'r9', ...common, number: 90, state: 'uploading' },
      destinations: underWay,
    },
  ]);
  const line = { at: new Date(5), text: 'index.html' };
  await insert('release_steps', [
    {
      _id: 'r9.uploading',
      ...common,
      releaseId: 'r9',
      name: 'uploading',
      state: 'running',
      done: 3,
      log: [line],
      logCount: 1,
    },
  ]);
  await insert('jobs', [
    {
      _id: 'j1',
      name: 'deploy-release',
      ...common,
      key: deploymentId,
      payload: { releaseId: 'r9' },
      status: 'running',
    },
    { _id: 'j2', name: 'publish-destination', ...common, key: 'k', payload: { deploymentId, destinationId: 'two' } },
    { _id: 'j3', name: 'deploy-release', ...common, key: 'gone', payload: { releaseId: 'gone' } },
  ]);
  await runMigrations(log);
  const published = (id: string) => collection('publications').findOne({ _id: id });
  expect(await published('r8.one')).toMatchObject({
    ...{ ...common, releaseId: 'r8', destinationId: 'one', platform: 'netlify', state: 'live', ref: { id: 8 }, url },
    ...{ missingLinks: ['/a.css'], wasLive: true, looked: [], verifiedUnder: null },
  });
  expect(await published('r8.two')).toMatchObject({
    ...{ state: 'live', error: { code: 'x' }, wasLive: false },
    steps: { preparing: { state: 'done', log: [] }, verifying: { state: 'done' } },
  });
  expect(await published('r9.one')).toMatchObject({
    state: 'publishing',
    steps: {
      preparing: { state: 'waiting', done: 0, logCount: 0 },
      uploading: { state: 'running', done: 3, total: 0, log: [line], logCount: 1, isWaiting: false },
    },
  });
  expect(await collection('releases').findOne({ _id: 'r8' })).not.toHaveProperty('destinations');
  expect(await collection('release_steps').findOne({ _id: 'r9.uploading' })).toBeNull();
  expect(
    await collection('jobs')
      .find({ _id: { $gte: '' } })
      .toArray(),
  ).toMatchObject([
    { _id: 'j1', name: 'publish', key: `${deploymentId}.one`, payload: { releaseId: 'r9', destinationId: 'one' } },
    { _id: 'j2', name: 'publish', key: 'k', payload: { releaseId: 'r8', destinationId: 'two' } },
  ]);
  // What a crash has cut off is done again, and takes nothing back.
  await collection('publications').updateOne({ _id: 'r9.one' }, { $set: { state: 'live' } });
  await collection('releases').updateOne({ _id: 'r9' }, { $set: { destinations: underWay } });
  await MigrationModel.deleteOne({ _id: 8 });
  await runMigrations(log);
  expect(await collection('releases').findOne({ _id: 'r9' })).not.toHaveProperty('destinations');
  expect(await published('r9.one')).toMatchObject({ state: 'live' });
});

test('a release keeps the list of what the store has lost', async () => {
  await forget();
  const releases = mongoose.connection.collection<{ _id: string }>('releases');
  const lost = [{ path: 'index.html', sha256: 'c'.repeat(64) }];
  await releases.insertMany([
    Object.assign({ _id: 'lost' }, { number: 8, damagedFiles: lost }),
    Object.assign({ _id: 'whole' }, { number: 9, damagedFiles: [] }),
  ]);
  await runMigrations(log);
  expect(await releases.findOne({ _id: 'lost' })).toMatchObject({ corruptedFiles: lost, damagedFiles: lost });
  expect(await releases.findOne({ _id: 'whole' })).toMatchObject({ corruptedFiles: [] });
});

test('a migration changes the shape before into the shape after, once', async () => {
  await forget();
  const people = mongoose.connection.collection<{ _id: number }>('people');
  await people.insertOne({ _id: 1, name: 'Ada Lovelace' } as { _id: number });
  await runMigrations(log, [splitName]);
  expect(await people.findOne({ _id: 1 })).toEqual({ _id: 1, first: 'Ada', last: 'Lovelace' });
  expect(await MigrationModel.findById(1).lean()).toMatchObject({ name: 'split-name', ranAt: expect.any(Date) });
  const runs: string[] = [];
  await runMigrations(log, [{ ...splitName, run: async () => void runs.push('again') }]);
  expect(runs).toEqual([]);
});

test('several processes at once run each migration once and in order', async () => {
  await forget();
  const runs: string[] = [];
  const info = vi.fn();
  const allOthersWait = () =>
    vi.waitFor(() =>
      expect(info.mock.calls.filter(([said]) => said.startsWith('Another process')).length).toBeGreaterThan(3),
    );
  const registry = [1, 2, 3].map((number) => counting(number, runs, allOthersWait));
  await Promise.all(Array.from({ length: 5 }, () => runMigrations({ ...log, info }, registry)));
  expect(runs).toEqual(['start 1', 'end 1', 'start 2', 'end 2', 'start 3', 'end 3']);
});

test('one that failed is not counted as run, gives the lease back, and runs again at the next start', async () => {
  await forget();
  const broken: Migration = { number: 1, name: 'broken', run: () => Promise.reject(new Error('disk full')) };
  await expect(runMigrations(log, [broken])).rejects.toThrow('disk full');
  expect(await MigrationModel.findById(1).lean()).toBeNull();
  const runs: string[] = [];
  await runMigrations(log, [counting(1, runs)]);
  expect(runs).toEqual(['start 1', 'end 1']);
});

test('the lease of a process that died is taken over when its time is up, and its work is not recorded', async () => {
  await forget();
  const dead = await holdLease();
  expect(await holdLease()).toBeNull();
  await InstallationModel.updateOne({ _id: INSTALLATION_ID }, { $set: { leaseUntil: new Date(Date.now() - 1000) } });
  const next = await holdLease();
  expect(next).not.toBeNull();
  await expect(dead?.confirm()).rejects.toThrow(/lost/);
  await dead?.release();
  expect(await holdLease()).toBeNull();
  await next?.release();
});

test('a database that is newer than the code is refused', async () => {
  await forget();
  await MigrationModel.create({ _id: 7, name: 'of-tomorrow', ranAt: new Date() });
  await expect(runMigrations(log, [splitName])).rejects.toMatchObject({
    exitCode: 78,
    message:
      'The database was written by a newer Fairlead (schema 7; this version knows 1); start that version, or restore a backup from before.',
  });
});

test('the first instance decides on keys and store, and one with others is refused', async () => {
  await forget();
  expect(await hasData()).toBe(false);
  const own = { keysFingerprint: 'k1', storeId: 's1' };
  await Promise.all([claimInstallation(own), claimInstallation(own), claimInstallation(own)]);
  expect(await hasData()).toBe(true);
  const writes = vi.spyOn(InstallationModel, 'updateOne');
  await claimInstallation(own);
  expect(writes).not.toHaveBeenCalled();
  writes.mockRestore();
  await expect(claimInstallation({ ...own, keysFingerprint: 'k2' })).rejects.toMatchObject({
    exitCode: 78,
    message: expect.stringMatching(/keys\.json .+, or set FAIRLEAD_KEYS/),
  });
  await expect(claimInstallation({ ...own, storeId: 's2' })).rejects.toMatchObject({
    exitCode: 78,
    message: expect.stringMatching(/^ARTIFACTS_URL names another/),
  });
});
