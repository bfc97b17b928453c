import mongoose from 'mongoose';
import { beforeAll, expect, inject, test } from 'vitest';
import { CertificateModel } from '../../../server/database/models/domains/certificate.ts';
import { DomainModel } from '../../../server/database/models/domains/domain.ts';
import { JobModel } from '../../../server/database/models/job.ts';
import { connectMongo, newId } from '../../../server/database/mongo.ts';
import { ensureAll } from '../../../server/domains/certificates/maintenance.ts';
import { DAY_MS, MINUTE_MS } from '../../../server/lib/durations.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';

const signal = new AbortController().signal;
const COUNT = 60;

/** The documents that the database has answered with. */
const read: string[] = [];

beforeAll(async () => {
  const { name } = mongoose.connection;
  await mongoose.disconnect();
  await connectMongo(`${inject('mongoUri')}&monitorCommands=true`, { databaseName: name });
  mongoose.connection.getClient().on('commandSucceeded', ({ reply }) => {
    const { cursor } = reply as { cursor?: { ns: string; firstBatch?: unknown[]; nextBatch?: unknown[] } };
    for (const _document of cursor?.firstBatch ?? cursor?.nextBatch ?? []) read.push(cursor?.ns.split('.')[1] ?? '');
  });
});

async function documentsRead(app: TestApp): Promise<Record<string, number>> {
  read.length = 0;
  await ensureAll({ providers: app.providers, signal });
  const count = (collection: string) => read.filter((one) => one === collection).length;
  return { domains: count('domains'), certificates: count('certificates') };
}

/** Proved domains of this account, which have no certificate yet. */
async function addDomains(accountId: string): Promise<void> {
  const domains = Array.from({ length: COUNT }, () => {
    const name = `${newId()}.test`;
    return {
      ...{ _id: newId(), accountId, deploymentId: newId(), name, unit: name, servedName: name },
      ...{ state: 'active' as const, heldNames: [name], pointedNames: [name], provedAt: new Date() },
      proof: { name: `_fairlead.${name}`, value: newId() },
      ...{ nextCheckAt: new Date(), quickFrom: new Date() },
    };
  });
  await DomainModel.insertMany(domains);
}

test('the certificate of a domain that a platform serves is let go, once nobody is led here any more', async () => {
  await using app = await createTestApp();
  const { user } = await app.trialPerson();
  await addDomains(user.id);
  await documentsRead(app);
  const [gone, leaving] = await DomainModel.find({ accountId: user.id }).limit(2).lean();
  const attached = { destinationId: newId(), platform: 'netlify', records: [], steps: [], answers: [] };
  const here = { deploymentId: newId(), destinationId: newId(), platform: 'built-in', names: leaving?.heldNames };
  for (const [domain, places] of [[gone, []] as const, [leaving, [{ ...here, isEnding: false }]] as const]) {
    const moved = { attached, leaving: places, pointedNames: [] };
    await DomainModel.updateOne({ _id: domain?._id ?? '', accountId: user.id }, { $set: moved });
  }
  app.clock.advance(DAY_MS);
  await ensureAll({ providers: app.providers, signal });
  const certificates = await CertificateModel.find({ accountId: user.id }, { domainId: 1 }).lean();
  const left = certificates.map(({ domainId }) => domainId);
  expect(left).toHaveLength(COUNT - 1);
  expect(left).toContain(leaving?._id);
  expect(left).not.toContain(gone?._id);
});

test('the net below certificates reads what is due, however many there are', async () => {
  await using app = await createTestApp();
  const { user } = await app.trialPerson();
  await addDomains(user.id);
  await documentsRead(app);
  expect(await CertificateModel.countDocuments({ accountId: user.id })).toBe(COUNT);

  app.clock.advance(5 * MINUTE_MS);
  expect(await documentsRead(app)).toEqual({ domains: 0, certificates: 0 });

  const one = (await DomainModel.findOne({ accountId: user.id }).lean())?._id ?? '';
  await DomainModel.updateOne({ _id: one, accountId: user.id }, { ensureAt: new Date(0) });
  // The domain, and whether it has a certificate.
  expect(await documentsRead(app)).toEqual({ domains: 1, certificates: 1 });

  app.clock.advance(DAY_MS);
  const { domains } = await documentsRead(app);
  // Each once for itself, and once for its certificate.
  expect(domains).toBe(2 * COUNT);
});

test('a domain that is removed while others are looked at gets no order', async () => {
  await using app = await createTestApp();
  const { user } = await app.trialPerson();
  await addDomains(user.id);
  const domains = await DomainModel.find({ accountId: user.id }, { _id: 1 }).lean();
  const [first = '', ...others] = domains.map(({ _id }) => _id);
  await DomainModel.updateOne({ _id: first, accountId: user.id }, { ensureAt: new Date(0) });
  await DomainModel.updateMany({ _id: { $in: others }, accountId: user.id }, { ensureAt: new Date(1) });
  const session = await mongoose.startSession();
  session.startTransaction();
  // A writer to the first has to wait for this.
  await DomainModel.updateOne({ _id: first, accountId: user.id }, { provedAt: new Date() }, { session });
  let ensured: Promise<void> | undefined;
  await new Promise<void>((listed) => {
    const ends = Object.assign(new AbortController().signal, { throwIfAborted: () => listed() });
    ensured = ensureAll({ providers: app.providers, signal: ends });
  });
  await DomainModel.deleteMany({ _id: { $in: others }, accountId: user.id });
  await session.abortTransaction();
  await session.endSession();
  await ensured;
  expect(await JobModel.countDocuments({ accountId: user.id, name: 'issue-certificate', status: 'queued' })).toBe(1);
});
