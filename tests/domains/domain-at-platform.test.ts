import { afterAll, expect, test } from 'vitest';
import { DomainModel } from '../../server/database/models/domains/domain.ts';
import type { DomainRecord } from '../../server/publishing/platforms/platform.ts';
import { setsOf, startDomainLab } from '../support/domain-lab.ts';
import { makeDue } from '../support/make-due.ts';
import { createTwoPlatforms } from '../support/two-platforms.ts';

const lab = await startDomainLab();
afterAll(() => lab[Symbol.asyncDispose]());

async function createAtNetlify(name: string) {
  const on = await createTwoPlatforms({ dns: lab.client() });
  const { domains } = on.person.caller;
  const deploymentId = await on.liveAtNetlify(name);
  return {
    ...on,
    domains,
    deploymentId,
    async check(domainId: string, afterMs = 2_000) {
      on.clock.advance(afterMs);
      return domains.check({ domainId });
    },
    async write(zone: string, records: readonly DomainRecord[]): Promise<void> {
      const real = records.filter(({ type }) => type !== 'ALIAS');
      await lab.write(zone, setsOf(real));
      on.netlify.world.domains?.place(real);
    },
    async [Symbol.asyncDispose]() {
      await DomainModel.deleteMany({ _id: { $gt: '' } }).setOptions({ acrossAccounts: 'maintenance' });
      await on[Symbol.asyncDispose]();
    },
  };
}

test('the platform is asked for a certificate once the records are right, and its word is shown', async () => {
  await using on = await createAtNetlify('Certified');
  await lab.zone('certified.test');
  const { id: domainId, records } = await on.domains.add({ deploymentId: on.deploymentId, name: 'certified.test' });
  const before = await on.check(domainId);
  expect(before.atPlatform).toMatchObject({
    platform: 'netlify',
    answers: [
      { name: 'certified.test', ownership: { code: 'attached' }, certificate: { code: 'certificate_missing' } },
    ],
  });
  expect(await on.netlify.world.domains?.countOrders()).toBe(0);

  await on.write('certified.test', records);
  const ordered = await on.check(domainId);
  expect(ordered).toMatchObject({
    state: 'active',
    atPlatform: { answers: [{ certificate: { state: 'waiting', code: 'certificate_coming', expiresAt: null } }] },
  });
  // It is active, and looked at soon again all the same.
  expect((ordered.nextCheckAt?.getTime() ?? 0) - (ordered.checkedAt?.getTime() ?? 0)).toBe(5_000);
  const [answer] = (await on.check(domainId)).atPlatform?.answers ?? [];
  expect(answer).toMatchObject({
    ownership: { state: 'ok' },
    dns: { state: 'ok', text: 'The records of this domain point to Netlify.' },
    certificate: { state: 'ok', text: 'Netlify has a certificate for this domain.', expiresAt: expect.any(Date) },
  });
  expect(await on.netlify.world.domains?.countOrders()).toBe(1);
});

test('of the records that a platform asks for a handful is kept, and none that is endless', async () => {
  await using on = await createAtNetlify('Demanding');
  await lab.zone('demanding.test');
  const record = { type: 'TXT', name: 'demanding.test', ttl: 300, purpose: 'proof', required: true } as const;
  const records = ['x'.repeat(100_000), ...Array.from({ length: 500 }, (_, index) => `proof ${index}`)].map(
    (value) => ({
      ...record,
      value,
      alternativeGroup: null,
    }),
  );
  on.netlify.platform.attachDomain = async () => ({ records, counterparts: [] });
  const { id: domainId } = await on.domains.add({ deploymentId: on.deploymentId, name: 'demanding.test' });
  await on.check(domainId);
  const kept = (await DomainModel.findOne({ _id: domainId, accountId: on.person.user.id }))?.attached?.records ?? [];
  // Of the name, and of its counterpart.
  const asked = records.slice(1, 21).map(({ value }) => value);
  expect(kept.map(({ value }) => value)).toEqual([...asked, ...asked]);
});

test('checks that follow one another by themselves ask the platform once a minute', async () => {
  await using on = await createAtNetlify('Counted');
  await lab.zone('counted.test');
  await on.domains.add({ deploymentId: on.deploymentId, name: 'counted.test' });
  const seen = on.netlify.standIn.requests.length;
  for (let round = 0; round < 4; round += 1) {
    await makeDue();
    await on.jobs.drain();
  }
  expect(on.netlify.standIn.requests.slice(seen).filter(({ step }) => step === 'domains')).toHaveLength(1);
});

test('CAA records that forbid the authority of the platform are named', async () => {
  await using on = await createAtNetlify('Allowed');
  const allow = (...issuers: string[]) =>
    lab.write('signing.test', { 'signing.test CAA': issuers.map((issuer) => `0 issue "${issuer}"`) });
  await lab.zone('signing.test');
  await allow('theirs.test');
  const { id: domainId, records } = await on.domains.add({ deploymentId: on.deploymentId, name: 'signing.test' });
  await on.write('signing.test', records);
  const refused = {
    code: 'caa_forbids',
    message: 'The CAA records of signing.test do not allow letsencrypt.org to issue certificates.',
    hint: 'Add a CAA record with 0 issue "letsencrypt.org" at signing.test.',
  };
  expect(await on.check(domainId)).toMatchObject({ state: 'pending_dns', problem: refused });
  await allow('theirs.test', 'letsencrypt.org');
  expect(await on.check(domainId)).toMatchObject({ state: 'active', problem: null });
  await allow('theirs.test');
  expect(await on.check(domainId)).toMatchObject({ state: 'active', problem: refused });
  expect(await on.check(domainId, 61_000)).toMatchObject({ state: 'misconfigured', problem: refused });
  await allow('theirs.test', 'letsencrypt.org');
  expect(await on.check(domainId)).toMatchObject({ state: 'active', problem: null });
});

test('a name that somebody took off the site by hand is added to it again', async () => {
  await using on = await createAtNetlify('By hand');
  await lab.zone('hand.test');
  const { id: domainId } = await on.domains.add({ deploymentId: on.deploymentId, name: 'hand.test' });
  for (const site of on.netlify.standIn.state.sites.values()) Object.assign(site, { customDomain: null, aliases: [] });
  expect((await on.check(domainId)).atPlatform?.answers[0]?.ownership.code).toBe('not_attached');
  await on.check(domainId);
  expect(await on.netlify.world.domains?.countNames()).toBe(2);
});

test('a platform that does not answer is said, and the records are checked all the same', async () => {
  await using on = await createAtNetlify('Silent');
  await lab.zone('quiet.test');
  const { id: domainId, records } = await on.domains.add({ deploymentId: on.deploymentId, name: 'quiet.test' });
  await on.write('quiet.test', records);
  on.netlify.standIn.revoke();
  expect(await on.check(domainId)).toMatchObject({
    state: 'active',
    problem: { code: 'credentials_invalid', message: expect.stringContaining('Netlify') },
  });
});
