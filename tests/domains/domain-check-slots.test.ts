import { expect, test } from 'vitest';
import { withAskingSlots } from '../../server/account/asking-slots.ts';
import type { DnsClient, Lookups } from '../../server/dns/dns-client.ts';
import { AppError } from '../../server/lib/errors.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { contextOf } from '../support/publishing.ts';
import { refusalOf } from '../support/refusal.ts';

const NOBODY: Lookups = {
  zoneOf: async () => null,
  askNameServers: async () => ({ zone: null, answers: [] }),
  askResolvers: async () => [],
  checkDnssec: async () => 'unknown',
};

const FAILED = new AppError('platform_down', 'Their platform is down.');

/** An app whose name servers keep every check waiting until it is let go, or fails; `open` is how many wait for them. */
async function startWaiting() {
  const checks = { open: 0, all: 0 };
  let [letGo, fail] = [(): void => undefined, (): void => undefined];
  const goOn = new Promise<void>((resolve, reject) => {
    letGo = resolve;
    fail = () => reject(FAILED);
  });
  const withLookups: DnsClient['withLookups'] = async (_signal, work) => {
    checks.open += 1;
    checks.all += 1;
    await goOn;
    checks.open -= 1;
    return work(NOBODY);
  };
  const app = await createTestApp();
  app.providers.dns = { ...app.providers.dns, withLookups };
  return { app, checks, letGo, fail };
}

/** Somebody who has so many domains; `check` answers the code of a refusal, or null. */
async function openOwner(app: TestApp, count: number) {
  const { caller } = await app.trialPerson();
  const { id: deploymentId } = await caller.deployments.create({ name: 'Shop', platform: 'built-in' });
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const name = `shop${number}-${deploymentId.toLowerCase().replace(/[^a-z0-9]/g, '')}.test`;
    ids.push((await caller.domains.add({ deploymentId, name })).id);
  }
  return {
    check: (number = 0) => caller.domains.check({ domainId: ids[number] ?? '' }),
    /** Checks each of them at once, and notes each end as it comes: the code of a refusal, or that it was checked. */
    checkEach(ends: string[]): Promise<unknown> {
      const noted = ids.map((domainId) =>
        caller.domains.check({ domainId }).then(
          () => ends.push('checked'),
          async (error: unknown) => ends.push((await refusalOf(Promise.reject(error))).code),
        ),
      );
      return Promise.all(noted);
    },
  };
}

test('of one domain one check runs, and who asks meanwhile gets what it saw', async () => {
  const { app: started, checks, letGo } = await startWaiting();
  await using app = started;
  const owner = await openOwner(app, 1);
  const first = owner.check();
  await expect.poll(() => checks.open).toBe(1);
  const refused: string[] = [];
  const others = Array.from({ length: 17 }, () => owner.check());
  for (const other of others) other.catch(() => refused.push('refused'));
  await expect.poll(() => refused).toHaveLength(1);

  letGo();
  const { checkedAt } = await first;
  const ends = await Promise.allSettled(others);
  const seen = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value.checkedAt] : []));
  expect(seen).toEqual(Array.from({ length: 16 }, () => checkedAt));
  expect(checks.all).toBe(1);
});

test('of one account two checks run and four wait; others have places of their own', async () => {
  const { app: started, checks, letGo } = await startWaiting();
  await using app = started;
  const owner = await openOwner(app, 7);
  const ends: string[] = [];
  const all = owner.checkEach(ends);
  await expect.poll(() => ends).toEqual(['rate_limited']);
  await expect.poll(() => checks.open).toBe(2);
  const other = (await openOwner(app, 1)).check();
  await expect.poll(() => checks.open).toBe(3);

  letGo();
  await Promise.all([all, other]);
  expect(ends.filter((end) => end === 'checked')).toHaveLength(6);
  expect(checks.all).toBe(7);
});

/** Lets accounts ask from addresses; each asking lasts until they are let go. */
async function askers() {
  const app = await createTestApp();
  const ctx = await contextOf(app, await app.person());
  const asked = { open: 0, most: 0, refused: 0, done: 0 };
  let letGo = (): void => undefined;
  const goOn = new Promise<void>((resolve) => (letGo = resolve));
  const work = async () => {
    asked.open += 1;
    asked.most = Math.max(asked.most, asked.open);
    await goOn;
    asked.open -= 1;
    asked.done += 1;
  };
  const ask = (accountId: string, address: string) =>
    withAskingSlots(
      { ...ctx, actor: { ...ctx.actor, accountId }, origin: { ...ctx.origin, address } },
      { whom: 'name servers' },
      work,
    ).catch(() => (asked.refused += 1));
  return { app, asked, letGo, ask };
}

test('however many accounts somebody has at one address, two of their checks run and eight wait', async () => {
  const { app: started, asked, letGo, ask } = await askers();
  await using _app = started;
  const theirs = Array.from({ length: 11 }, (_, number) => ask(`account ${number}`, '203.0.113.5'));
  await expect.poll(() => asked).toMatchObject({ open: 2, refused: 1 });
  const neighbour = ask('neighbour', '203.0.113.6');
  await expect.poll(() => asked.open).toBe(3);
  letGo();
  await Promise.all([...theirs, neighbour]);
  expect(asked).toMatchObject({ refused: 1, done: 11 });
});

test('of all accounts sixteen checks run and thirty-two wait', async () => {
  const { app: started, asked, letGo, ask } = await askers();
  await using _app = started;
  const all = Array.from({ length: 50 }, (_, number) => ask(`account ${number}`, `198.51.100.${number}`));
  await expect.poll(() => asked).toMatchObject({ open: 16, refused: 2 });
  letGo();
  await Promise.all(all);
  expect(asked).toMatchObject({ most: 16, done: 48 });
});

test('whoever asks twice from each of thirty networks leaves places for those who ask once', async () => {
  const { app: started, asked, letGo, ask } = await askers();
  await using _app = started;
  const twice = Array.from({ length: 60 }, (_, number) => ask(`theirs ${number}`, `198.51.100.${number >> 1}`));
  await expect.poll(() => asked.open).toBe(16);
  const once = Array.from({ length: 6 }, (_, number) => ask(`others ${number}`, `203.0.113.${number}`));
  letGo();
  await Promise.all([...twice, ...once]);
  // The second ones that found no place have waited for the first one to end.
  expect(asked).toMatchObject({ refused: 0, done: 66 });
});

test('all addresses of one customer of IPv6 have one first place together', async () => {
  const { app: started, asked, letGo, ask } = await askers();
  await using _app = started;
  const theirs = Array.from({ length: 48 }, (_, number) => ask(`theirs ${number}`, `2001:db8:1:${number}::/64`));
  // One first place and the second ones; eight wait for the first one, and the rest is refused.
  await expect.poll(() => asked.refused).toBe(48 - 1 - 12 - 8);
  const others = Array.from({ length: 30 }, (_, number) => ask(`others ${number}`, `2001:db8:${number + 2}::/64`));
  letGo();
  await Promise.all([...theirs, ...others]);
  expect(asked).toMatchObject({ refused: 48 - 1 - 12 - 8 });
});

test('a check that fails gives its places back', async () => {
  await using app = await createTestApp();
  const owner = await openOwner(app, 1);
  app.providers.dns = { ...app.providers.dns, withLookups: () => Promise.reject(new Error('a defect')) };
  for (let number = 0; number < 3; number += 1) await expect(owner.check()).rejects.toThrow();
  app.providers.dns = { ...app.providers.dns, withLookups: (_signal, work) => work(NOBODY) };
  expect((await owner.check()).checkedAt).not.toBeNull();
});
