import mongoose from 'mongoose';
import { expect, test, vi } from 'vitest';
import { licenseKeyOf } from '../../routers/schemas/license-key.ts';
import { eraseAccount } from '../../server/account-data/erase.ts';
import { RateLimitModel } from '../../server/database/models/account/rate-limit.ts';
import { MAINTENANCE } from '../../server/database/models/account-scope.ts';
import { EventModel } from '../../server/database/models/event.ts';
import { LicenseModel } from '../../server/database/models/plans/license.ts';
import { SubscriptionModel } from '../../server/database/models/plans/subscription.ts';
import { transaction } from '../../server/database/mongo.ts';
import { hashToken } from '../../server/lib/crypto/token-hash.ts';
import { addMonths, DAY_MS } from '../../server/lib/durations.ts';
import { endLicense, makeLicenses, type NewLicenses } from '../../server/plans/licenses/operate.ts';
import { grantPlan } from '../../server/plans/subscription/grant.ts';
import { createTestApp, type Person, type TestApp } from '../support/app.ts';
import { refusalOf } from '../support/refusal.ts';
import { retryUntilAvailable } from '../support/retry-until-available.ts';
import { IS_FULL } from '../support/size.ts';

const AT_ONCE = IS_FULL ? 50 : 12;
const GUESSES = IS_FULL ? 10_000 : 100;

const pro: NewLicenses = { plan: 'PRO', months: 12, count: 1, redeemBy: null, note: '' };

async function keyOf(app: TestApp, fields: Partial<NewLicenses> = {}): Promise<string> {
  const [key] = await makeLicenses({ ...pro, ...fields }, app.providers.now());
  return key ?? expect.fail('No key was made.');
}

/** The same person at a later time: access tokens last a quarter of an hour. */
function later(app: TestApp, { user }: Person) {
  return app.callerOf(app.context({ kind: 'account', accountId: user.id, sessionId: 'any' }));
}

const keysMadeOf = async (licenseId: string) =>
  (await LicenseModel.find({ transferOf: licenseId }).setOptions(MAINTENANCE)).map(({ state }) => state);

const endOf = async ({ user }: Person) => (await SubscriptionModel.findOne({ accountId: user.id }).orFail()).endsAt;
const statuses = async (caller: Person['caller']) => (await caller.licenses.list()).items.map(({ status }) => status);

/** Any number as the symbols of a key that nobody made. */
const guess = (number: number): string => licenseKeyOf(number.toString().padStart(24, '0'));

test('a key is redeemed for its plan, is kept as a hash, and other tabs are told', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const key = await keyOf(app);
  expect(key).toMatch(/^FL(-[0-9A-HJKMNP-TV-Z]{5}){5}$/);

  const license = await ada.caller.licenses.redeem({ key });

  expect(license).toMatchObject({ prefix: key.slice(0, 8), plan: 'PRO', status: 'running' });
  expect(license.endsAt).toEqual(addMonths(license.startsAt, 12));
  expect(license.history.map(({ what }) => what)).toEqual(['created', 'redeemed']);
  expect(await ada.caller.subscription.get()).toMatchObject({ status: 'active', plan: 'PRO', endsAt: license.endsAt });
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'PRO', remaining: null });
  expect(await ada.caller.licenses.list()).toEqual({ items: [license] });
  const stored = await LicenseModel.findOne({ accountId: ada.user.id }).orFail();
  expect(stored.hash).toBe(hashToken(key));
  expect(JSON.stringify(stored)).not.toContain(key.slice(8));
  expect((await EventModel.find({ accountId: ada.user.id })).map(({ type }) => type)).toEqual(['subscription_update']);
});

test('a key is taken however it was typed, and a slip of the finger is told before it is looked for', async () => {
  await using app = await createTestApp({ limits: { licenseGuessesPerHour: { perAccount: 1, perAddress: 1 } } });
  const ada = await app.person();
  const [one, two, three] = await makeLicenses({ ...pro, count: 3 }, app.providers.now());
  const typed = [
    one?.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l'),
    ` ${two?.replaceAll('-', '\u2013')}\n`,
    three?.slice(3).replaceAll('-', ''),
  ];
  for (const key of typed) await ada.caller.licenses.redeem({ key: key ?? '' });
  expect((await ada.caller.licenses.list()).items).toHaveLength(3);

  const last = one?.at(-1) === '7' ? '8' : '7';
  for (const key of [`${one?.slice(0, -1)}${last}`, one?.slice(0, -1) ?? '', 'FL', '', 'x'.repeat(101)]) {
    expect(await refusalOf(ada.caller.licenses.redeem({ key }))).toMatchObject({
      code: 'validation_failed',
      field: 'key',
    });
  }
});

test(`${AT_ONCE} redemptions of one key at once are one grant`, async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const key = await keyOf(app);

  const outcomes = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, () => retryUntilAvailable(() => ada.caller.licenses.redeem({ key }))),
  );

  const granted = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  expect(granted).toHaveLength(1);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason.cause).toMatchObject({ code: 'license_redeemed' });
  }
  expect(await endOf(ada)).toEqual(granted[0]?.endsAt);
  expect(await EventModel.countDocuments({ accountId: ada.user.id })).toBe(1);
  expect((await ada.caller.licenses.list()).items).toHaveLength(1);
});

test('of two accounts with one key one has its plan, and the other is told', async () => {
  await using app = await createTestApp();
  const [ada, bob] = [await app.person(), await app.person()];
  const key = await keyOf(app);

  const outcomes = await Promise.allSettled(
    [ada, bob].map(({ caller }) => retryUntilAvailable(() => caller.licenses.redeem({ key }))),
  );

  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await SubscriptionModel.countDocuments({ accountId: { $in: [ada.user.id, bob.user.id] } })).toBe(1);
  const [first, second] = outcomes[0]?.status === 'fulfilled' ? [ada, bob] : [bob, ada];
  expect(await refusalOf(second.caller.licenses.redeem({ key }))).toMatchObject({
    code: 'license_redeemed',
    message: 'This license key has been redeemed by another account.',
    field: 'key',
  });
  expect(await refusalOf(first.caller.licenses.redeem({ key }))).toMatchObject({
    message: 'You have already redeemed this license key.',
  });
});

test('a second key goes on from the end of the first, and one for less is kept for later', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  await ada.caller.licenses.redeem({ key: await keyOf(app) });
  const end = await endOf(ada);

  const second = await ada.caller.licenses.redeem({ key: await keyOf(app, { months: 1 }) });

  expect(second).toMatchObject({ status: 'waiting', startsAt: end, endsAt: addMonths(end, 1) });
  expect(await endOf(ada)).toEqual(second.endsAt);
  const basic = await keyOf(app, { plan: 'BASIC' });
  expect(await refusalOf(ada.caller.licenses.redeem({ key: basic }))).toMatchObject({ code: 'conflict' });
  const bob = await app.person();
  expect(await bob.caller.licenses.redeem({ key: basic })).toMatchObject({ plan: 'BASIC', status: 'running' });
  await bob.caller.licenses.redeem({ key: await keyOf(app, { plan: 'STANDARD' }) });
  expect(await statuses(bob.caller)).toEqual(['running', 'replaced']);
});

test('a key for a higher plan keeps what is left of the lower one, as time of the higher one that goes with no key', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const basic = await ada.caller.licenses.redeem({ key: await keyOf(app, { plan: 'BASIC' }) });
  const key = await keyOf(app, { plan: 'STANDARD', months: 1 });

  const license = await ada.caller.licenses.redeem({ key });

  const leftMs = basic.endsAt.getTime() - license.startsAt.getTime();
  const keptMs = Math.ceil((leftMs * 500) / 1200);
  expect(license.endsAt).toEqual(addMonths(license.startsAt, 1));
  expect(await endOf(ada)).toEqual(new Date(license.endsAt.getTime() + keptMs));
  await endLicense(key, app.providers.now());
  expect(await ada.caller.subscription.get()).toMatchObject({ plan: 'STANDARD', status: 'active' });
  expect((await endOf(ada)).getTime() - app.providers.now().getTime()).toBeGreaterThan(keptMs - DAY_MS);
});

test('keys that there are not, that were revoked and that came too late are refused in clear words', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const redeemBy = new Date(app.providers.now().getTime() + DAY_MS);
  const [revoked, dated] = [await keyOf(app), await keyOf(app, { redeemBy })];
  expect(await endLicense(revoked.toLowerCase(), app.providers.now())).toMatchObject({ wasRedeemed: false });
  app.clock.advance(DAY_MS);
  const caller = later(app, ada);

  expect(await refusalOf(caller.licenses.redeem({ key: guess(1) }))).toMatchObject({
    code: 'license_unknown',
    status: 404,
    message: 'There is no such license key. Compare it with the one you were given.',
  });
  expect(await refusalOf(caller.licenses.redeem({ key: revoked }))).toMatchObject({
    code: 'license_revoked',
    message: 'This license key was revoked.',
  });
  expect(await refusalOf(caller.licenses.redeem({ key: dated }))).toMatchObject({
    code: 'license_expired',
    message: 'This key for Pro has expired: nobody redeemed it in time.',
  });
  expect(await SubscriptionModel.countDocuments({ accountId: ada.user.id })).toBe(0);
});

test('however many guesses get nowhere and leave a counter behind, and the key that one has goes through after them', async () => {
  await using app = await createTestApp({ limits: { licenseGuessesPerHour: { perAccount: 20, perAddress: 60 } } });
  const [ada, bob] = [await app.person(), await app.person()];
  const key = await keyOf(app);
  const countersBefore = await RateLimitModel.countDocuments({}).comment('test');
  const codes = new Map<string, number>();
  for (let first = 0; first < GUESSES; first += 100) {
    const guesses = Array.from({ length: 100 }, (_, index) =>
      ada.caller.licenses.redeem({ key: guess(first + index) }),
    );
    for (const { code } of await Promise.all(guesses.map(refusalOf))) codes.set(code, (codes.get(code) ?? 0) + 1);
  }

  expect(Object.fromEntries(codes)).toEqual({ license_unknown: 20, rate_limited: GUESSES - 20 });
  expect(await RateLimitModel.countDocuments({}).comment('test')).toBe(countersBefore + 1);
  expect(await refusalOf(ada.caller.licenses.redeem({ key }))).toMatchObject({ code: 'rate_limited' });
  expect(await bob.caller.licenses.redeem({ key })).toMatchObject({ status: 'running' });
});

test('guesses of one address count together, whichever account makes them, and keys that there are do not count', async () => {
  const guesses = { perAccount: 2, perAddress: 3 };
  await using app = await createTestApp({ limits: { licenseGuessesPerHour: guesses } });
  const origin = { address: '203.0.113.9' };
  const people = await Promise.all([app.person(), app.person(), app.person()]);
  const [ada, bob, eve] = people.map(({ user }) =>
    app.callerOf(app.context({ kind: 'account', accountId: user.id, sessionId: 'any' }, undefined, origin)),
  );
  if (ada === undefined || bob === undefined || eve === undefined) throw new Error('Three people are there.');
  for (const key of await makeLicenses({ ...pro, count: 5 }, app.providers.now())) await ada.licenses.redeem({ key });

  const codes: string[] = [];
  for (const [number, caller] of [ada, ada, ada, bob, eve].entries()) {
    codes.push((await refusalOf(caller.licenses.redeem({ key: guess(number) }))).code);
  }

  expect(codes).toEqual(['license_unknown', 'license_unknown', 'rate_limited', 'license_unknown', 'rate_limited']);
});

test('what is left of a license is handed on by a new key, and goes on running meanwhile', async () => {
  await using app = await createTestApp();
  const [ada, bob] = [await app.person(), await app.person()];
  const { id: licenseId, endsAt } = await ada.caller.licenses.redeem({ key: await keyOf(app) });
  app.clock.advance(90 * DAY_MS);

  const { license, key } = await later(app, ada).licenses.transfer({ licenseId });

  expect(license).toMatchObject({ id: licenseId, status: 'transferring' });
  expect(await later(app, ada).subscription.allowance()).toMatchObject({ plan: 'free' });
  expect(await refusalOf(later(app, ada).licenses.transfer({ licenseId }))).toMatchObject({ code: 'conflict' });
  app.clock.advance(30 * DAY_MS);
  const redeemed = await later(app, bob).licenses.redeem({ key });
  expect(redeemed).toMatchObject({ plan: 'PRO', status: 'running', endsAt });
  expect(await statuses(later(app, ada))).toEqual(['transferred']);
  expect(await refusalOf(later(app, ada).licenses.revoke({ licenseId }))).toMatchObject({
    code: 'conflict',
    message: 'The new key was redeemed, so the license now belongs to another account.',
  });
  const told = (await EventModel.find({ accountId: ada.user.id }).sort({ accountId: 1, seq: 1 })).at(-1);
  expect(told).toMatchObject({ type: 'notification', payload: { title: 'Transfer complete' } });
  const [seen] = (await later(app, ada).licenses.list()).items;
  expect(seen?.history.map(({ what }) => what)).toEqual(['created', 'redeemed', 'transferred', 'accepted']);
});

test('a transfer that nobody has redeemed is revoked: the license is back and its key is no more', async () => {
  await using app = await createTestApp();
  const [ada, bob] = [await app.person(), await app.person()];
  const { id: licenseId, endsAt } = await ada.caller.licenses.redeem({ key: await keyOf(app) });
  expect(await refusalOf(ada.caller.licenses.revoke({ licenseId }))).toMatchObject({ code: 'conflict' });
  const { key } = await ada.caller.licenses.transfer({ licenseId });

  expect(await ada.caller.licenses.revoke({ licenseId })).toMatchObject({ status: 'running' });

  expect(await endOf(ada)).toEqual(endsAt);
  expect(await refusalOf(bob.caller.licenses.redeem({ key }))).toMatchObject({ code: 'license_revoked' });
  for (let more = 0; more < 11; more += 1) {
    await ada.caller.licenses.transfer({ licenseId });
    await ada.caller.licenses.revoke({ licenseId });
  }
  const again = await ada.caller.licenses.transfer({ licenseId });
  // Of the keys that were taken back the last ten are kept, however often that is done.
  expect((await keysMadeOf(licenseId)).sort()).toEqual([...Array(10).fill('revoked'), 'unredeemed']);
  expect(await bob.caller.licenses.redeem({ key: again.key })).toMatchObject({ status: 'running' });
});

test('with an account go the keys of its transfers that nobody has redeemed, and those of others stay', async () => {
  await using app = await createTestApp();
  const [ada, bob] = [await app.person(), await app.person()];
  const given = await ada.caller.licenses.redeem({ key: await keyOf(app) });
  const { key } = await ada.caller.licenses.transfer({ licenseId: given.id });
  await bob.caller.licenses.redeem({ key });
  const open = await ada.caller.licenses.redeem({ key: await keyOf(app) });
  await ada.caller.licenses.transfer({ licenseId: open.id });

  await eraseAccount(ada.user.id);

  expect([await keysMadeOf(given.id), await keysMadeOf(open.id)]).toEqual([['redeemed'], []]);
  expect(await statuses(bob.caller)).toEqual(['running']);
});

test('of a redemption and the end of its transfer at once one comes through, and no time is there twice', async () => {
  await using app = await createTestApp();
  const [ada, bob] = [await app.person(), await app.person()];
  const { id: licenseId } = await ada.caller.licenses.redeem({ key: await keyOf(app) });
  const { key } = await ada.caller.licenses.transfer({ licenseId });

  const outcomes = await Promise.allSettled([
    retryUntilAvailable(() => bob.caller.licenses.redeem({ key })),
    retryUntilAvailable(() => ada.caller.licenses.revoke({ licenseId })),
  ]);

  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const plans = await Promise.all([ada, bob].map(({ caller }) => caller.subscription.allowance()));
  expect(plans.map(({ plan }) => plan).sort()).toEqual(['PRO', 'free']);
});

test('licenses behind one that is handed on begin that much earlier', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const first = await ada.caller.licenses.redeem({ key: await keyOf(app, { months: 2 }) });
  const second = await ada.caller.licenses.redeem({ key: await keyOf(app, { months: 3 }) });

  await ada.caller.licenses.transfer({ licenseId: first.id });

  const [moved] = (await ada.caller.licenses.list()).items;
  expect(moved).toMatchObject({ id: second.id, status: 'running', endsAt: await endOf(ada) });
  const lengthOf = ({ startsAt, endsAt }: { startsAt: Date; endsAt: Date }) => endsAt.getTime() - startsAt.getTime();
  expect(moved && lengthOf(moved)).toBe(lengthOf(second));
});

test('an operator ends a license wherever it was handed on, and the plan that it gave', async () => {
  await using app = await createTestApp();
  const [ada, bob] = [await app.person(), await app.person()];
  const key = await keyOf(app);
  const { id: licenseId } = await ada.caller.licenses.redeem({ key });
  const transferred = await ada.caller.licenses.transfer({ licenseId });
  await bob.caller.licenses.redeem({ key: transferred.key });

  expect(await endLicense(licenseId, app.providers.now())).toMatchObject({ id: licenseId, wasRedeemed: true });

  expect(await bob.caller.subscription.allowance()).toMatchObject({ plan: 'free' });
  expect([await statuses(ada.caller), await statuses(bob.caller)]).toEqual([['revoked'], ['revoked']]);
  const told = (await EventModel.find({ accountId: bob.user.id }).sort({ accountId: 1, seq: 1 })).at(-1);
  expect(told).toMatchObject({ type: 'notification', payload: { title: 'License revoked', variant: 'destructive' } });
  const toldGiver = (await EventModel.find({ accountId: ada.user.id }).sort({ accountId: 1, seq: 1 })).at(-1);
  expect(toldGiver).toMatchObject({ type: 'notification', payload: { title: 'License revoked' } });
  expect(JSON.stringify(toldGiver)).toContain('Your plan stays as it is.');
  expect(await refusalOf(endLicense(key, app.providers.now()))).toMatchObject({ code: 'conflict' });
  expect(await refusalOf(endLicense('nobody', app.providers.now()))).toMatchObject({ code: 'not_found' });
});

/** A license that was handed on so often, as one document a link; the last one is held. */
async function chainOf(app: TestApp, { user }: Person, links: number): Promise<string[]> {
  const now = app.providers.now();
  // With the colon none of them reads like a key, as one of 25 letters and digits would.
  const ids = Array.from({ length: links }, (_, number) => `${user.id}:${number}`);
  const period = { startsAt: now, endsAt: addMonths(now, 1) };
  const rows = ids.map((_id, number) => ({
    ...{ _id, hash: _id, prefix: 'FL-CHAIN', plan: 'PRO' as const, period, redeemedAt: now },
    ...(number === links - 1
      ? { state: 'redeemed' as const, accountId: user.id }
      : { state: 'transferred' as const, accountId: 'gone', transferredTo: ids[number + 1] }),
    history: [{ at: now, what: 'created' as const }],
  }));
  await LicenseModel.insertMany(rows);
  await transaction((session) =>
    grantPlan(session, { accountId: user.id, plan: 'PRO', source: 'license', months: 1, now }),
  );
  return ids;
}

test('a license that was handed on very often is ended a few links at a time, and the rest by another call', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const ids = await chainOf(app, ada, 60);
  const [first = '', last = ''] = [ids.at(0), ids.at(-1)];
  const revoked = async () =>
    (await LicenseModel.find({ _id: { $in: ids } }).setOptions(MAINTENANCE)).filter(({ state }) => state === 'revoked')
      .length;
  // What breaks off before the last link, as a killed process does, leaves the others ended.
  await LicenseModel.updateOne({ _id: last, accountId: ada.user.id }, { $unset: { period: 1 } });
  await expect(endLicense(first, app.providers.now())).rejects.toThrow('has no period');
  expect(await revoked()).toBe(50);

  const period = { startsAt: app.providers.now(), endsAt: addMonths(app.providers.now(), 1) };
  await LicenseModel.updateOne({ _id: last, accountId: ada.user.id }, { $set: { period } });
  expect(await endLicense(first, app.providers.now())).toMatchObject({ id: first, wasRedeemed: true });
  expect(await revoked()).toBe(60);
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'free' });
  expect(await refusalOf(endLicense(first, app.providers.now()))).toMatchObject({ code: 'conflict' });
});

test('a key that is of no use to an account is refused without a transaction', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  const [own = '', lower = ''] = [await keyOf(app), await keyOf(app, { plan: 'BASIC' })];
  await ada.caller.licenses.redeem({ key: own });
  const begun = vi.spyOn(mongoose.connection, 'transaction');
  expect(await refusalOf(ada.caller.licenses.redeem({ key: own }))).toMatchObject({ code: 'license_redeemed' });
  expect(await refusalOf(ada.caller.licenses.redeem({ key: lower }))).toMatchObject({ code: 'conflict' });
  expect(begun).not.toHaveBeenCalled();
  begun.mockRestore();
});
