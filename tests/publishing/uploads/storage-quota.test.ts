import { expect, test } from 'vitest';
import { readEnv } from '../../../server/boot/env/env.ts';
import { limitsOf } from '../../../server/boot/limits.ts';
import type { AccountContext } from '../../../server/context.ts';
import { RateLimitModel } from '../../../server/database/models/account/rate-limit.ts';
import { UserModel } from '../../../server/database/models/account/user.ts';
import { PaymentModel } from '../../../server/database/models/plans/payment.ts';
import { ArtifactModel } from '../../../server/database/models/publishing/artifact.ts';
import { UploadModel } from '../../../server/database/models/publishing/upload.ts';
import { AppError } from '../../../server/lib/errors.ts';
import { makeLicenses } from '../../../server/plans/licenses/operate.ts';
import {
  receiveFile,
  receiveManifest,
  receiveZip,
  recountUnconfirmedBytes,
  requireRoomForRow,
} from '../../../server/publishing/uploads/index.ts';
import { createTestApp, type Person, type TestApp } from '../../support/app.ts';
import { bytesOf, contextOf, manifestOf, type Site, sendSite, sha256Of } from '../../support/publishing.ts';
import { refusalOf } from '../../support/refusal.ts';
import { WIDE_LIMITS } from '../../support/wide-limits.ts';
import { writeZip } from '../../support/zip-writer.ts';

const LIMIT = { limits: { accountBytes: 100 } };
const HALF = { 'index.html': 'a'.repeat(40), 'twin.html': 'a'.repeat(40), 'other.html': 'b'.repeat(20) };
const LARGE = { 'index.html': 'c'.repeat(60) };

async function prepared(app: TestApp, person: Person): Promise<{ ctx: AccountContext; uploadId: string }> {
  return { ctx: await contextOf(app, person), uploadId: (await person.caller.releases.prepare()).uploadId };
}

async function announce(app: TestApp, person: Person, site: Site) {
  const { ctx, uploadId } = await prepared(app, person);
  return receiveManifest(ctx, uploadId, { files: manifestOf(site) });
}

async function sendZip(app: TestApp, person: Person, site: Site) {
  const { ctx, uploadId } = await prepared(app, person);
  const bytes = writeZip(Object.entries(site).map(([name, data]) => ({ name, data })));
  async function* body(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  const { signal } = new AbortController();
  return receiveZip(ctx, uploadId, { body: body(), contentLength: bytes.length, publishAnyway: [], signal });
}

test('what an account stores has a limit, in which each content counts once', async () => {
  await using app = await createTestApp(LIMIT);
  const person = await app.trialPerson();
  const { ctx, uploadId } = await prepared(app, person);
  await sendSite(ctx, uploadId, HALF);
  expect((await sendSite(ctx, uploadId, HALF)).missing).toEqual([]);

  await expect(receiveManifest(ctx, uploadId, { files: manifestOf(LARGE) })).rejects.toMatchObject({
    code: 'quota_exhausted',
    message: 'An account can store 100 B. It uses 60 B, and this would add 60 B.',
    hint: expect.stringMatching(/^Delete deployments you no longer need/),
  });
  expect(await UploadModel.findOne({ _id: uploadId, accountId: person.user.id })).toMatchObject({ fileCount: 3 });
  const fitting = { ...HALF, 'more.html': 'd'.repeat(40) };
  expect((await receiveManifest(ctx, uploadId, { files: manifestOf(fitting) })).missing).toHaveLength(1);
  // What was announced and has not come yet is taken as well.
  await expect(announce(app, person, { 'index.html': 'e' })).rejects.toMatchObject({ code: 'quota_exhausted' });
  expect((await announce(app, person, fitting)).missing).toHaveLength(1);
  expect((await announce(app, await app.trialPerson(), LARGE)).missing).toHaveLength(1);
});

test('of two uploads at once that fit alone and not together, one is refused', async () => {
  await using app = await createTestApp(LIMIT);
  const person = await app.trialPerson();
  const sites = ['x', 'y'].map((letter) => ({ 'index.html': letter.repeat(60) }));
  const both = await Promise.all(sites.map(async (site) => ({ ...(await prepared(app, person)), site })));
  const answers = await Promise.allSettled(
    both.map(({ ctx, uploadId, site }) => receiveManifest(ctx, uploadId, { files: manifestOf(site) })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'quota_exhausted' } });
});

test('a ZIP that exceeds the quota is refused, and nothing of it counts', async () => {
  await using app = await createTestApp(LIMIT);
  const person = await app.trialPerson();
  await sendZip(app, person, HALF);
  await expect(sendZip(app, person, LARGE)).rejects.toMatchObject({ code: 'quota_exhausted' });
  expect(await ArtifactModel.countDocuments({ accountId: person.user.id })).toBe(2);
  expect((await sendZip(app, person, { ...HALF, 'more.html': 'd'.repeat(40) })).missing).toEqual([]);
  expect(await ArtifactModel.countDocuments({ accountId: person.user.id })).toBe(3);
});

test('the sum of what an account stores is read from an index', async () => {
  await using app = await createTestApp(LIMIT);
  const { user } = await app.trialPerson();
  const plan = await ArtifactModel.aggregate([
    { $match: { accountId: user.id } },
    { $group: { _id: null, sizeBytes: { $sum: '$sizeBytes' } } },
  ])
    .hint('account_size')
    .explain();
  expect(JSON.stringify(plan)).not.toContain('"FETCH"');
});

test('without a plan an account has a small allowance, and the trial gives it the whole', async () => {
  const atFirst = { accountRows: 10, accountBytes: 50, uploadBytesPerDay: 1_000, accountFiles: 2 };
  await using app = await createTestApp({ limits: { atFirst } });
  const person = await app.person();
  await expect(announce(app, person, LARGE)).rejects.toMatchObject({
    code: 'quota_exhausted',
    message: 'An account without a plan can store 50 B. It uses 0 B, and this would add 60 B.',
    hint: expect.stringContaining('Start the free 14-day trial'),
  });
  await expect(announce(app, person, { 'index.html': '1', 'a.txt': '2', 'b.txt': '3' })).rejects.toMatchObject({
    code: 'quota_exhausted',
    message: 'An account without a plan can store 2 files. It uses 0 files, and this would add 3 files.',
  });
  await person.caller.subscription.startTrial();
  expect((await announce(app, person, LARGE)).missing).toHaveLength(1);
});

test('what an account without a plan sends in a day has a limit of its own', async () => {
  const atFirst = { accountRows: 10, accountBytes: 1_000, uploadBytesPerDay: 150, accountFiles: 10 };
  await using app = await createTestApp({ limits: { atFirst } });
  const person = await app.person();
  await expect(announce(app, person, { 'index.html': '1', 'a.txt': '2' })).rejects.toMatchObject({
    code: 'quota_exhausted',
    message: 'An account without a plan can upload 150 B a day, and not enough of that is left.',
  });
  await person.caller.subscription.startTrial();
  expect((await announce(app, person, { 'index.html': '1', 'a.txt': '2' })).missing).toHaveLength(2);
});

test('the allowance stays small until the address is confirmed as well, where the operator sends mail', async () => {
  const atFirst = { accountRows: 10, accountBytes: 50, uploadBytesPerDay: 10_000, accountFiles: 10 };
  const limits = { atFirst, smallWhileUnconfirmedMs: Number.POSITIVE_INFINITY };
  const mailer = { keepsMail: false, deliver: async () => undefined };
  await using app = await createTestApp({ limits, providers: { mailer } });
  const person = await app.trialPerson();
  expect((await announce(app, person, { 'index.html': 'an ordinary first site' })).missing).toHaveLength(1);
  await expect(announce(app, person, LARGE)).rejects.toMatchObject({
    code: 'quota_exhausted',
    message: expect.stringMatching(/^An account without a confirmed email address can store 50 B\. /),
    hint: 'Confirm your email address to publish more.',
  });
  await UserModel.updateOne({ _id: person.user.id }, { $set: { emailConfirmedAt: app.clock.now() } });
  expect((await announce(app, person, LARGE)).missing).toHaveLength(1);
});

test('whether there is room is known before anything is sent, and what would make more', async () => {
  const atFirst = { accountRows: 10, accountBytes: 100, uploadBytesPerDay: 10_000, accountFiles: 10 };
  await using app = await createTestApp({ limits: { atFirst, smallWhileUnconfirmedMs: 3 * 86_400_000 } });
  const person = await app.trialPerson();
  const roomFor = (totalBytes: number) => person.caller.releases.room({ count: 1, totalBytes });
  expect(await roomFor(100)).toEqual({ refusal: null });
  expect(await roomFor(101)).toMatchObject({
    refusal: {
      message: 'An account without a confirmed email address can store 100 B. It uses 0 B, and this would add 101 B.',
      hint: expect.stringContaining('npx fairlead outbox show'),
      isCertain: true,
      asksToConfirm: true,
    },
  });
  const { ctx, uploadId } = await prepared(app, person);
  await sendSite(ctx, uploadId, LARGE);
  // The same content would take no room.
  expect(await roomFor(100)).toMatchObject({ refusal: { isCertain: false } });
  await UserModel.updateOne({ _id: person.user.id }, { $set: { emailConfirmedAt: app.clock.now() } });
  expect(await roomFor(101)).toEqual({ refusal: null });
});

test('files that exceed only what is left of the day are told before, and refused before one of them is sent', async () => {
  await using app = await createTestApp({ limits: { uploadBytesPerDay: 1_000 } });
  const person = await app.trialPerson();
  const site = { 'index.html': 'a'.repeat(600), 'other.html': 'b'.repeat(600) };
  const refusal = { message: 'An account can upload 1 KB a day, and not enough of that is left.', isCertain: true };
  expect(await person.caller.releases.room({ count: 2, totalBytes: 1_200 })).toMatchObject({ refusal });
  const { ctx, uploadId } = await prepared(app, person);
  const send = (files: Site) => receiveManifest(ctx, uploadId, { files: manifestOf(files) });
  await expect(send(site)).rejects.toMatchObject({ code: 'quota_exhausted', message: refusal.message });
  // Equal contents are sent once.
  expect((await send({ ...site, 'other.html': 'a'.repeat(600) })).missing).toHaveLength(1);
});

test('where mail stays in the outbox, the allowance is small for the first days, and what ends it is said', async () => {
  const atFirst = { accountRows: 10, accountBytes: 50, uploadBytesPerDay: 10_000, accountFiles: 10 };
  await using app = await createTestApp({ limits: { atFirst, smallWhileUnconfirmedMs: 3 * 86_400_000 } });
  const [waiting, confirmed] = [await app.trialPerson(), await app.trialPerson()];
  const { ctx, uploadId } = await prepared(app, waiting);
  const send = () => receiveManifest(ctx, uploadId, { files: manifestOf(LARGE) });
  await expect(send()).rejects.toMatchObject({
    code: 'quota_exhausted',
    message: expect.stringMatching(/^An account without a confirmed email address can store 50 B\. /),
    hint: expect.stringMatching(
      /^Confirm your email address .* “npx fairlead outbox show \S+@example.com confirm-email” .* Or wait 3 days\.$/,
    ),
  });
  await UserModel.updateOne({ _id: confirmed.user.id }, { $set: { emailConfirmedAt: app.clock.now() } });
  expect((await announce(app, confirmed, LARGE)).missing).toHaveLength(1);
  app.clock.advance(3 * 86_400_000);
  expect((await send()).missing).toHaveLength(1);
});

test('accounts without a confirmed address have no more together than is still free', async () => {
  await using app = await createTestApp({ limits: { smallWhileUnconfirmedMs: 3 * 86_400_000 } });
  const { store } = app.providers;
  store.freeBytes = async () => 1.5 * 1024 ** 2;
  const [one, other, confirmed] = [await app.trialPerson(), await app.trialPerson(), await app.trialPerson()];
  await UserModel.updateOne({ _id: confirmed.user.id }, { $set: { emailConfirmedAt: app.clock.now() } });
  const send = async (person: Person, fill: number) => {
    const { ctx, uploadId } = await prepared(app, person);
    const bytes = Buffer.alloc(1024 ** 2, fill);
    const sha256 = sha256Of(bytes);
    await receiveManifest(ctx, uploadId, { files: [{ path: 'index.html', sha256, sizeBytes: bytes.length }] });
    await receiveFile(ctx, uploadId, { sha256, body: bytesOf(bytes), contentLength: bytes.length });
  };
  await send(one, 1);
  await expect(send(other, 2)).rejects.toMatchObject({
    code: 'quota_exhausted',
    message: 'Accounts without a confirmed email address share their storage, and only 1.6 MB of it is left.',
    hint: expect.stringMatching(/^Confirm your email address /),
  });
  await send(confirmed, 3);
  await ArtifactModel.deleteMany({ accountId: one.user.id });
  await recountUnconfirmedBytes(app.providers, new AbortController().signal);
  await send(other, 4);
});

const DAYS_3 = 3 * 86_400_000;
test.each<[string, Record<string, string>, number]>([
  ['the person at this machine alone comes', {}, DAYS_3],
  ['strangers come, and mail stays in the outbox', { PUBLIC_URL: 'https://fairlead.example' }, DAYS_3],
  ['mail is sent', { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'fairlead@mail.example' }, Number.POSITIVE_INFINITY],
])('how long the allowance is small without a confirmed address: where %s', (_where, environment, lastsMs) => {
  expect(limitsOf(readEnv(environment)).smallWhileUnconfirmedMs).toBe(lastsMs);
});

test('a plan that costs nothing leaves the allowance small where strangers register; a license or money lifts it', async () => {
  const atFirst = { accountRows: 10, accountBytes: 50, uploadBytesPerDay: 10_000, accountFiles: 10 };
  await using app = await createTestApp({ limits: { atFirst, asksForGivenPlan: true } });
  const person = await app.trialPerson();
  const { ctx, uploadId } = await prepared(app, person);
  const send = (site: Site) => receiveManifest(ctx, uploadId, { files: manifestOf(site) });
  expect((await send({ 'index.html': 'an ordinary first site' })).missing).toHaveLength(1);
  const refused = {
    code: 'quota_exhausted',
    message: expect.stringMatching(/^An account whose plan is free of charge can store 50 B\. /),
    hint: expect.stringContaining('redeem a license key'),
  };
  await expect(send(LARGE)).rejects.toMatchObject(refused);
  const { url } = await person.caller.payments.checkout({ plan: 'PRO' });
  const paymentId = url.slice(url.lastIndexOf('/') + 1);
  await person.caller.payments.answerTest({ paymentId, answer: 'pay' });
  await expect(send(LARGE)).rejects.toMatchObject(refused);

  const [key = ''] = await makeLicenses(
    { plan: 'PRO', months: 1, count: 1, redeemBy: null, note: '' },
    app.clock.now(),
  );
  await person.caller.licenses.redeem({ key });
  expect((await send(LARGE)).missing).toHaveLength(1);

  const payer = await app.trialPerson();
  await PaymentModel.create({
    ...{ _id: 'with-money', accountId: payer.user.id, plan: 'PRO', months: 1, amountCents: 2_900, creditCents: 0 },
    ...{ state: 'paid', isTest: false, expiresAt: app.clock.now(), createdAt: app.clock.now() },
    endsAt: new Date(app.clock.now().getTime() + 86_400_000),
  });
  expect((await announce(app, payer, LARGE)).missing).toHaveLength(1);
});

test('the number of files that an account stores has a limit, and so has what its releases name', async () => {
  await using app = await createTestApp({ limits: { accountFiles: 3, listedFiles: 6 } });
  const person = await app.trialPerson();
  const { ctx, uploadId } = await prepared(app, person);
  await sendSite(ctx, uploadId, { 'index.html': '1', 'a.txt': '2' });
  await expect(announce(app, person, { 'index.html': '3', 'b.txt': '4' })).rejects.toMatchObject({
    code: 'quota_exhausted',
    message: 'An account can store 3 files. It uses 2 files, and this would add 2 files.',
  });
  const copies = { 'index.html': '1', 'a.txt': '1', 'b.txt': '1', 'c.txt': '1', 'd.txt': '1' };
  await expect(announce(app, person, copies)).rejects.toMatchObject({
    code: 'quota_exhausted',
    message: 'The releases of an account can hold 6 files in total, and that is used up.',
  });
});

test('the deployments, releases and roll backs of an account have one figure, less at first', async () => {
  const atFirst = { ...WIDE_LIMITS.atFirst, accountRows: 1 };
  await using app = await createTestApp({ limits: { accountRows: 2, atFirst, smallWhileUnconfirmedMs: 86_400_000 } });
  const person = await app.trialPerson();
  const create = (name: string) => person.caller.deployments.create({ name, platform: 'built-in' });
  await create('One');
  expect(await refusalOf(create('Two'))).toMatchObject({
    code: 'quota_exhausted',
    message: expect.stringContaining('without a confirmed email address can keep 1 deployments, releases'),
    hint: expect.stringMatching(/^Confirm your email address/),
  });
  await UserModel.updateOne({ _id: person.user.id }, { $set: { emailConfirmedAt: app.clock.now() } });
  const { id: deploymentId } = await create('Two');
  const ctx = await contextOf(app, person);
  await expect(requireRoomForRow(ctx)).rejects.toMatchObject({
    message:
      'An account can keep 2 deployments, releases and rollbacks in total. It has 2 deployments, 0 releases, and 0 rollbacks.',
    hint: 'Delete deployments you no longer need. Their releases are deleted too.',
  });
  await person.caller.deployments.remove({ deploymentId });
  await app.jobs.drain();
  await create('Instead');
});

const LARGE_BYTES = 6 * 1024 ** 2;
const CHUNK_BYTES = 100 * 1024;

/** Yields the part of a file of zeros that arrives before its sender goes; all of it by default. */
async function* zeros(bytes = LARGE_BYTES): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; at += CHUNK_BYTES) yield Buffer.alloc(Math.min(CHUNK_BYTES, bytes - at));
  if (bytes < LARGE_BYTES) throw new AppError('client_closed', 'The sender ended the request.');
}

async function bytesCounted(): Promise<number> {
  const counters = await RateLimitModel.find({ _id: /^upload-bytes:/ }).lean();
  return counters.reduce((sum, { count }) => sum + count, 0);
}

test('a file that is broken off costs what has come of it, and one that comes whole costs its size', async () => {
  await using app = await createTestApp();
  const { ctx, uploadId } = await prepared(app, await app.trialPerson());
  const sha256 = sha256Of(Buffer.alloc(LARGE_BYTES));
  await receiveManifest(ctx, uploadId, { files: [{ path: 'index.html', sha256, sizeBytes: LARGE_BYTES }] });
  const before = await bytesCounted();
  for (let sent = 0; sent < 3; sent += 1) {
    const file = { sha256, body: zeros(CHUNK_BYTES), contentLength: LARGE_BYTES };
    await expect(receiveFile(ctx, uploadId, file)).rejects.toMatchObject({ code: 'client_closed' });
  }
  expect((await bytesCounted()) - before).toBe(3 * CHUNK_BYTES);
  await receiveFile(ctx, uploadId, { sha256, body: zeros(), contentLength: LARGE_BYTES });
  expect((await bytesCounted()) - before).toBe(3 * CHUNK_BYTES + LARGE_BYTES);
});

test('of files at once that fit alone and not together, no more are stored than the limit of a day allows', async () => {
  const sizes = [LARGE_BYTES - 2, LARGE_BYTES - 1, LARGE_BYTES];
  await using app = await createTestApp({ limits: { uploadBytesPerDay: 2 * LARGE_BYTES } });
  const person = await app.trialPerson();
  // A list of all three would be refused: each is announced alone.
  const files = await Promise.all(
    sizes.map(async (sizeBytes) => {
      const file = { path: 'index.html', sha256: sha256Of(Buffer.alloc(sizeBytes)), sizeBytes };
      const { ctx, uploadId } = await prepared(app, person);
      await receiveManifest(ctx, uploadId, { files: [file] });
      return { ctx, uploadId, ...file };
    }),
  );
  const sending = files.map(({ ctx, uploadId, sha256, sizeBytes }) =>
    receiveFile(ctx, uploadId, { sha256, body: bytesOf(Buffer.alloc(sizeBytes)), contentLength: sizeBytes }),
  );
  const ends = await Promise.allSettled(sending);
  expect(ends.filter(({ status }) => status === 'fulfilled').length).toBeLessThan(2);
  for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'quota_exhausted' });
  // What does not fit any more is refused before it is read.
  const unread: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => expect.fail('It was read.') };
  const [first = expect.fail('There are files.')] = files;
  const { ctx, uploadId, sha256 } = first;
  await expect(receiveFile(ctx, uploadId, { sha256, body: unread, contentLength: null })).rejects.toMatchObject({
    code: 'quota_exhausted',
  });
  expect(await ArtifactModel.countDocuments({ accountId: person.user.id })).toBeLessThan(2);
});
