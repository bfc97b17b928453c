import { expect, test } from 'vitest';
import { AuthorityUseModel } from '../../../server/database/models/domains/authority-use.ts';
import { CertificateModel } from '../../../server/database/models/domains/certificate.ts';
import { ChallengeRecordModel } from '../../../server/database/models/domains/challenge-record.ts';
import { DomainModel } from '../../../server/database/models/domains/domain.ts';
import { newId, transaction } from '../../../server/database/mongo.ts';
import { knownPersistIssuers } from '../../../server/domains/certificates/account.ts';
import type { CertificateAuthority } from '../../../server/domains/certificates/authority/authority.ts';
import { expediteIssue } from '../../../server/domains/certificates/ensure.ts';
import { ensureAll, renewDue } from '../../../server/domains/certificates/maintenance.ts';
import { DAY_MS } from '../../../server/lib/durations.ts';
import { acmeClient } from '../../support/acme.ts';
import { createTestApp } from '../../support/app.ts';
import { createCertifiedHost } from '../../support/certified-host.ts';
import { createWorld, issued, ZONE } from '../../support/certified-world.ts';
import { makeDue } from '../../support/make-due.ts';
import { startRefusingAuthority } from '../../support/standins/acme.ts';

const signal = new AbortController().signal;

test('a name that does not lead here holds no other back: it fails with the reason and the next try', async () => {
  await using world = await createWorld();
  const { caller, certificateId, certificate, domainId, user } = await issued(world, [ZONE, 'elsewhere.test']);
  const failing = { state: 'issued', uncovered: ['elsewhere.test'], problem: { type: 'connection' } };
  expect(certificate).toMatchObject(failing);
  expect(certificate.problem?.detail).toContain('elsewhere.test');
  const { serial } = certificate;
  const waited: number[] = [];
  for (let next = certificate; waited.length < 4; next = await caller.certificates.get({ certificateId })) {
    expect(next).toMatchObject({ ...failing, serial });
    const nextTryAt = next.nextTryAt?.getTime() ?? Number.NaN;
    waited.push((nextTryAt - (next.problem?.at.getTime() ?? 0)) / 1_000);
    world.app.clock.advance(nextTryAt - world.app.providers.now().getTime() + 1_000);
    await makeDue();
    await world.app.jobs.drain();
  }
  // Three validations a day, as when no name passes, and no other certificate for the name that does.
  expect(waited).toEqual([60, 100 * 60, 24 * 60 * 60, 24 * 60 * 60]);
  expect((await caller.certificates.get({ certificateId })).history.map(({ what }) => what)).toEqual([
    ...['failed', 'failed', 'failed', 'failed', 'issued', 'failed'],
  ]);
  await DomainModel.updateOne({ _id: domainId, accountId: user.id }, { heldNames: [ZONE], pointedNames: [ZONE] });
  await ensureAll({ providers: world.app.providers, signal });
  await world.app.jobs.drain();
  const mended = await caller.certificates.get({ certificateId });
  expect(mended).toMatchObject({ state: 'issued', names: [ZONE], problem: null, nextTryAt: null, serial });
});

test('a name that the authority refuses for good is left out, and the other is renewed all the same', async () => {
  await using world = await createWorld({ blocked: ['refused.test'] });
  const { providers } = world.app;
  const { caller, user, certificateId, certificate } = await issued(world, [ZONE, 'refused.test']);
  const left = {
    state: 'issued',
    uncovered: ['refused.test'],
    problem: { type: 'rejectedIdentifier' },
    nextTryAt: null,
  };
  expect(certificate).toMatchObject(left);
  world.app.clock.advance((certificate.renewAt?.getTime() ?? 0) - providers.now().getTime() + 1_000);
  const upkeep = async () => {
    await renewDue({ providers, signal });
    await world.app.jobs.drain();
    return caller.certificates.get({ certificateId });
  };
  const renewed = await upkeep();
  expect(renewed).toMatchObject(left);
  expect(renewed.serial).not.toBe(certificate.serial);
  expect((await upkeep()).history).toHaveLength(renewed.history.length);
  // A name that has a certificate is left out in its last days only, and nobody asks in between.
  const place = { _id: certificateId, accountId: user.id };
  const now = providers.now();
  const at = new Date(now.getTime() - 1_000);
  await CertificateModel.updateOne(place, { 'issued.names': certificate.names, 'problem.at': at, renewAt: now });
  const held = await upkeep();
  expect([held.serial, (await upkeep()).history.length]).toEqual([renewed.serial, held.history.length]);
  world.app.clock.advance((held.notAfter?.getTime() ?? 0) - providers.now().getTime() - DAY_MS);
  const last = await upkeep();
  expect(last).toMatchObject(left);
  expect(last.serial).not.toBe(renewed.serial);
});

test('an order for some of the names goes on after each crash, and is not placed again', async () => {
  await using world = await createWorld({ blocked: ['refused.test'] });
  const { providers } = world.app;
  let placed = 0;
  const order: CertificateAuthority['order'] = async (...asked) => {
    const url = await authority.order(...asked);
    placed += 1;
    return url;
  };
  const { authority } = providers;
  const kills = new Set(['certificate:placed', 'certificate:validated']);
  const at = async (boundary: string) => {
    if (!kills.delete(boundary)) return;
    throw new Error('The process is killed.');
  };
  Object.assign(providers, { authority: { ...authority, order }, faults: { at } });
  const { caller, certificateId } = await issued(world, [ZONE, 'refused.test']);
  for (const _kill of ['placed', 'validated']) {
    await makeDue();
    await world.app.jobs.drain();
  }
  const certificate = await caller.certificates.get({ certificateId });
  expect(certificate).toMatchObject({ state: 'issued', problem: { type: 'rejectedIdentifier' }, nextTryAt: null });
  expect([kills.size, placed]).toEqual([0, 1]);
  expect(await knownPersistIssuers(authority.id)).toEqual(['pebble.letsencrypt.org']);
});

test('a limit of the authority is waited for, and a renewal by hand does not ask before', async () => {
  await using standin = await startRefusingAuthority();
  standin.refuseWith({ status: 429, type: 'rateLimited', headers: { 'retry-after': '7200' } });
  await using world = await createCertifiedHost(async () => acmeClient(standin));
  const { certificate } = await issued(world);
  expect(certificate).toMatchObject({ state: 'failed', problem: { type: 'rateLimited' } });
  const waitMs = (certificate.nextTryAt?.getTime() ?? 0) - Date.now();
  expect(waitMs).toBeGreaterThan(110 * 60_000);
});

test.each([
  { type: 'accountDoesNotExist', headers: {}, waits: [1, 10 * 60, 100 * 60] },
  { type: 'serverInternal', headers: { 'retry-after': '0' }, waits: [60, 10 * 60, 60 * 60, 60 * 60] },
])('an authority that answers $type each time is asked more and more seldom', async ({ type, headers, waits }) => {
  await using standin = await startRefusingAuthority();
  standin.refuseWith({ status: 400, type, headers });
  await using world = await createCertifiedHost(async () => acmeClient(standin));
  const { caller, certificateId, certificate } = await issued(world, [ZONE]);
  const waited: number[] = [];
  for (let next = certificate; waited.length < waits.length; ) {
    const nextTryAt = next.nextTryAt?.getTime() ?? Number.NaN;
    waited.push((nextTryAt - (next.problem?.at.getTime() ?? 0)) / 1_000);
    world.app.clock.advance(nextTryAt - world.app.providers.now().getTime() + 1_000);
    await makeDue();
    await world.app.jobs.drain();
    next = await caller.certificates.get({ certificateId });
  }
  expect(waited).toEqual(waits);
});

test('a renewal that its authority takes for a new order keeps to its limit for the same names, and takes no order', async () => {
  await using world = await createWorld();
  const { authority } = world.app.providers;
  let placed = 0;
  const order: CertificateAuthority['order'] = async (call, { names, replaces, beforeNewOrder }) => {
    if (replaces !== undefined) await beforeNewOrder?.();
    placed += 1;
    return authority.order(call, { names });
  };
  const strict = { ...authority, order, name: 'acme-v02.api.letsencrypt.org' };
  Object.assign(world.app.providers, { authority: strict });
  const { caller, certificateId } = await issued(world, [ZONE]);
  const renew = async () => {
    await caller.certificates.renew({ certificateId });
    await world.app.jobs.drain();
    return (await caller.certificates.get({ certificateId })).problem?.type;
  };
  const answers: unknown[] = [];
  for (let round = 0; round < 5; round += 1) answers.push(await renew());
  // Let's Encrypt signs five times a week for the same names.
  expect([answers, placed]).toEqual([[undefined, undefined, undefined, undefined, 'budget'], 5]);
  // The first one alone was for new names.
  expect(await AuthorityUseModel.countDocuments({ key: /orders/ })).toBe(1);
  expect(await AuthorityUseModel.countDocuments({ key: /domain/ })).toBe(1);
});

test('what failed three times within the hour waits for its turn, and no more is asked of the authority', async () => {
  await using world = await createWorld();
  const { caller, certificateId, user } = await issued(world, ['elsewhere.test']);
  const tryAgain = async () => {
    const place = { _id: certificateId, accountId: user.id };
    await CertificateModel.updateOne(place, { nextTryAt: null, isWanted: false });
    await transaction((session) => expediteIssue(session, place));
    await world.app.jobs.drain();
    return (await caller.certificates.get({ certificateId })).problem?.type;
  };
  expect([await tryAgain(), await tryAgain(), await tryAgain()]).toEqual(['connection', 'connection', 'budget']);
});

test('what a killed run has left in a zone goes, though the next is not due, or the certificate is gone', async () => {
  await using app = await createTestApp();
  const place = { _id: newId(), accountId: 'ada' };
  const zone = { id: 'z', name: ZONE, apexAlias: null };
  const row = { accountId: 'ada', connectionId: 'gone', zone, name: `_acme-challenge.${ZONE}`, value: 'v' };
  const run = async () => {
    const neededUntil = new Date('2999-01-01');
    await ChallengeRecordModel.create({ _id: 'left', ...row, certificateId: place._id, neededUntil });
    await transaction((session) => expediteIssue(session, place));
    await app.jobs.drain();
    return ChallengeRecordModel.countDocuments({ accountId: 'ada' });
  };
  const waiting = { names: [ZONE], nextTryAt: new Date('2999-01-01'), history: [] };
  await CertificateModel.create({ ...place, ...waiting, domainId: 'd' });
  expect(await run()).toBe(0);
  await CertificateModel.deleteOne(place);
  expect(await run()).toBe(0);
});
