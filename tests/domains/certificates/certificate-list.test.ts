import mongoose from 'mongoose';
import { beforeAll, expect, inject, test } from 'vitest';
import { CertificateModel } from '../../../server/database/models/domains/certificate.ts';
import { connectMongo, newId } from '../../../server/database/mongo.ts';
import { createTestApp } from '../../support/app.ts';

/** The documents of certificates that the database has answered with. */
const read: Record<string, unknown>[] = [];

beforeAll(async () => {
  const { name } = mongoose.connection;
  await mongoose.disconnect();
  await connectMongo(`${inject('mongoUri')}&monitorCommands=true`, { databaseName: name });
  mongoose.connection.getClient().on('commandSucceeded', ({ reply }) => {
    const { cursor } = reply as { cursor?: { ns: string; firstBatch?: Record<string, unknown>[] } };
    if (cursor?.ns.endsWith('.certificates')) read.push(...(cursor.firstBatch ?? []));
  });
});

test.each([[undefined], [{ needsCare: true as const }]])(
  'a list reads neither chains, keys nor histories: %o',
  async (input) => {
    await using app = await createTestApp();
    const { caller, user } = await app.person();
    const id = newId();
    const names = ['harbour.test'];
    const validity = { notBefore: new Date('2026-01-01'), notAfter: new Date('2026-04-01') };
    const at = new Date('2026-01-01');
    await CertificateModel.create({
      ...{ _id: id, accountId: user.id, domainId: newId(), names, state: 'issued', notifiedCauses: ['caa'] },
      issued: {
        ...{
          names,
          chain: 'CHAIN',
          key: 'KEY',
          serial: '0a',
          issuer: 'An authority',
          authorityId: 'ca.test',
          chosen: 0.5,
        },
        ...validity,
      },
      order: { names, key: 'KEY', authorityId: 'ca.test', startedAt: at },
      history: [{ at, what: 'HISTORY' }],
    });
    read.length = 0;

    const { items } = await caller.certificates.list(input);

    expect(items).toMatchObject([{ id, names, serial: '0a', issuer: 'An authority', isPublic: true, ...validity }]);
    expect(read.length).toBeGreaterThan(0);
    expect(JSON.stringify(read)).not.toMatch(/CHAIN|KEY|HISTORY/);
    expect(await caller.certificates.get({ certificateId: id })).toMatchObject({ chain: 'CHAIN' });
  },
);

test.each([[{}], [{ needsCare: true as const }]])('a list comes page by page: %o', async (filter) => {
  await using app = await createTestApp();
  const { caller, user } = await app.person();
  const domainIds = Array.from({ length: 5 }, newId);
  const ids = domainIds.map(() => newId());
  const row = { accountId: user.id, names: ['harbour.test'], state: 'failed' as const, notifiedCauses: ['caa'] };
  // Two of each time, so that the order is by their ids as well.
  const rows = ids.map((_id, at) => ({
    ...{ ...row, _id, domainId: domainIds[at] ?? '' },
    createdAt: new Date(),
    changedAt: new Date(Date.UTC(2026, 0, 1 + (at >> 1))),
  }));
  await CertificateModel.insertMany(rows, { timestamps: false });

  const seen: string[][] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await caller.certificates.list({ ...filter, limit: 2, ...(cursor !== undefined && { cursor }) });
    seen.push(page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  expect(seen.map((page) => page.length)).toEqual([2, 2, 1]);
  expect(seen[0]?.[0]).toBe(ids[4]);
  expect(seen.flat().toSorted()).toEqual(ids.toSorted());

  const some = await caller.certificates.list({ ...filter, domainIds: domainIds.slice(0, 2) });
  expect(some.items.map(({ domainId }) => domainId).toSorted()).toEqual(domainIds.slice(0, 2).toSorted());
});

test('a rehearsal is shown until the next certificate is there', async () => {
  await using app = await createTestApp();
  const { caller, user } = await app.person();
  const [before, signedAt, after] = [new Date('2026-01-01'), new Date('2026-01-02'), new Date('2026-01-03')];
  const issued = {
    ...{ names: ['harbour.test'], chain: 'CHAIN', key: 'KEY', serial: '0a', issuer: 'An authority', signedAt },
    ...{ authorityId: 'ca.test', chosen: 0.5, notBefore: before, notAfter: new Date('2026-04-01') },
  };
  for (const [at, shown] of [
    [before, null],
    [after, { at: after, checks: [] }],
  ] as const) {
    const _id = newId();
    const row = { _id, accountId: user.id, domainId: newId(), names: issued.names, state: 'issued' as const };
    await CertificateModel.create({ ...row, issued, rehearsal: { at, checks: [] }, history: [] });
    expect((await caller.certificates.get({ certificateId: _id })).rehearsal).toEqual(shown);
  }
});

test('names that the present certificate is not for are listed apart', async () => {
  await using app = await createTestApp();
  const { caller, user } = await app.person();
  const issued = {
    ...{ names: ['harbour.test'], chain: 'CHAIN', key: 'KEY', serial: '0a', issuer: 'An authority', chosen: 0.5 },
    ...{ authorityId: 'ca.test', notBefore: new Date('2026-01-01'), notAfter: new Date('2026-04-01') },
  };
  const names = ['harbour.test', 'www.harbour.test'];
  const row = { _id: newId(), accountId: user.id, domainId: newId(), state: 'issued' as const };
  await CertificateModel.create({ ...row, names, issued, history: [] });
  const { items } = await caller.certificates.list();
  expect(items).toMatchObject([{ names, uncovered: ['www.harbour.test'] }]);
});
