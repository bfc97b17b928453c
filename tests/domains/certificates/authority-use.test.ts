import { expect, test } from 'vitest';
import type { BudgetQuestion } from '../../../server/domains/certificates/authority/budget.ts';
import {
  countAuthorityUse,
  nearLimit,
  requireWithinLimits,
} from '../../../server/domains/certificates/authority-use.ts';
import { DAY_MS, HOUR_MS } from '../../../server/lib/durations.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';

const HALF_OF_NEW = 100;
const NEW = 200;
const SHARE = 30;

/** Returns functions by which accounts order certificates, for new names or to renew. */
function ledgerOf(app: TestApp, ours: string) {
  const authority = { ...app.providers.authority, isPublic: true, name: 'acme-v02.api.letsencrypt.org' };
  const ledger = { authority, now: () => app.clock.now() };
  const entryOf = (accountId: string, order: number, renews: BudgetQuestion['renews'] = null) => ({
    ...{ accountUrl: `https://ca.test/${ours}`, accountId, isByHand: true, renews },
    names: [`shop-${order}.${accountId}.test`],
  });
  const ofNames = (accountId: string, names: string[]) => ({ ...entryOf(accountId, 0), names });
  return {
    certify: (accountId: string, names: string[]) =>
      countAuthorityUse(ledger, ofNames(accountId, names), ['names', 'domain']),
    mayCertify: (accountId: string, names: string[]) => requireWithinLimits(ledger, ofNames(accountId, names)),
    order: (accountId: string, count: number, renews: BudgetQuestion['renews'] = null) =>
      Promise.all(
        Array.from({ length: count }, (_, at) =>
          countAuthorityUse(ledger, entryOf(accountId, at, renews), ['orders', 'share']),
        ),
      ),
    mayOrder: (accountId: string, renews: BudgetQuestion['renews'] = null) =>
      requireWithinLimits(ledger, entryOf(accountId, 0, renews)),
    near: (accountId: string) => nearLimit(ledger, entryOf(accountId, 0)),
  };
}

const refused = (detail: string) => ({ problem: { type: 'budget', detail: expect.stringContaining(detail) } });

test('orders for new names leave room for renewals, also for those of accounts that have spent their share', async () => {
  await using app = await createTestApp();
  const { order, mayOrder } = ledgerOf(app, 'first');
  for (let account = 0; account < 10; account += 1) await order(`mallory-${account}`, NEW / 10);
  await order('carol', SHARE);
  await expect(mayOrder('bob')).rejects.toMatchObject(refused(`${NEW} orders of this installation`));
  for (const renews of ['own', 'other'] as const) {
    for (const account of ['bob', 'carol', 'mallory-0']) await mayOrder(account, renews);
  }
});

test('of what is left to renewals one account spends half, and then each has its share', async () => {
  await using app = await createTestApp();
  const { order, mayOrder } = ledgerOf(app, 'second');
  await order('eve', 50, 'other');
  await expect(mayOrder('eve', 'other')).rejects.toMatchObject(refused(`${SHARE} orders of your account`));
  await mayOrder('bob', 'other');
  await mayOrder('eve', 'own');
});

test('one account spends half of the orders for new names, and then each has its share', async () => {
  await using app = await createTestApp();
  const { order, mayOrder } = ledgerOf(app, 'third');
  const used = refused(`${SHARE} orders of your account`);
  await order('mallory', HALF_OF_NEW - 1);
  await mayOrder('mallory');
  await order('mallory', 1);
  await expect(mayOrder('mallory')).rejects.toMatchObject(used);
  await order('ada', SHARE - 1);
  await mayOrder('ada');
  await order('ada', 1);
  await expect(mayOrder('ada')).rejects.toMatchObject(used);
  await mayOrder('bob');
  app.clock.advance(3 * HOUR_MS);
  await mayOrder('mallory');
});

test('beyond four fifths of a limit it is said how much is used', async () => {
  await using app = await createTestApp();
  const { order, near } = ledgerOf(app, 'near');
  await order('alice', NEW * 0.8);
  expect(await near('bob')).toBeNull();
  await order('carol', 1);
  expect(await near('bob')).toBe(`${NEW * 0.8 + 1} of ${NEW} orders of this installation are used.`);
});

test('certificates of one registrable domain count together, and so do those for exactly the same names, whoever orders', async () => {
  await using app = await createTestApp();
  const { certify, mayCertify } = ledgerOf(app, 'fourth');
  for (let at = 0; at < 5; at += 1) await certify(`account-${at}`, ['quay.co.uk', 'www.quay.co.uk']);
  await expect(mayCertify('bob', ['www.quay.co.uk', 'quay.co.uk'])).rejects.toMatchObject(
    refused('5 certificates of these names'),
  );
  await mayCertify('bob', ['quay.co.uk']);
  await Promise.all(Array.from({ length: 45 }, (_, at) => certify(`account-${at}`, [`*.shop-${at}.quay.co.uk`])));
  await expect(mayCertify('bob', ['new.quay.co.uk'])).rejects.toMatchObject(refused('50 certificates of this domain'));
  for (const other of ['pier.co.uk', 'newquay.co.uk', 'quay.github.io']) await mayCertify('bob', [other]);
  app.clock.advance(7 * DAY_MS);
  await mayCertify('bob', ['new.quay.co.uk']);
});
