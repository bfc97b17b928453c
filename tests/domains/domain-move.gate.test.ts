import { afterAll, expect, test } from 'vitest';
import type { Domain } from '../../routers/schemas/domains.ts';
import { MAINTENANCE } from '../../server/database/models/account-scope.ts';
import { CertificateModel } from '../../server/database/models/domains/certificate.ts';
import { DomainModel } from '../../server/database/models/domains/domain.ts';
import { subjectOf } from '../../server/domains/certificates/rehearse.ts';
import type { DomainRecord } from '../../server/publishing/platforms/platform.ts';
import { HERE, setsOf, startDomainLab } from '../support/domain-lab.ts';
import { get } from '../support/get.ts';
import { makeDue } from '../support/make-due.ts';
import { ONE } from '../support/platform-app.ts';
import { refusalOf } from '../support/refusal.ts';
import { createTwoPlatforms } from '../support/two-platforms.ts';

const lab = await startDomainLab();
afterAll(() => lab[Symbol.asyncDispose]());

/** Two platforms and the built-in host, with name servers that nobody but this lab knows. */
async function createMovable() {
  const on = await createTwoPlatforms({
    dns: lab.client(),
    sitesAddresses: async () => ({ given: true, found: [HERE] }),
  });
  const { domains } = on.person.caller;
  return {
    ...on,
    domains,
    netlifyNames: async () => on.netlify.world.domains?.countNames(),
    vercelNames: async () => on.vercel.world.domains?.countNames(),
    /** Runs what is queued, and what that brings about, as if it were due. */
    async runDue(): Promise<void> {
      for (let round = 0; round < 3; round += 1) {
        await makeDue();
        await on.jobs.drain();
      }
    },
    async check(domainId: string): Promise<Domain> {
      on.clock.advance(2_000);
      return domains.check({ domainId });
    },
    /** Enters the records as a person does at their DNS provider, in place of the old ones. */
    async write(zone: string, records: Domain['records']): Promise<void> {
      const names = [zone, `www.${zone}`];
      const none = names.flatMap((name) => [`${name} A`, `${name} AAAA`, `${name} CNAME`]).map((set) => [set, []]);
      await lab.write(zone, Object.fromEntries(none));
      const real = records.filter(({ type, required }) => type !== 'ALIAS' && required);
      await lab.write(zone, setsOf(real));
      for (const { world } of [on.netlify, on.vercel]) world?.domains?.place(real satisfies DomainRecord[]);
    },
    async [Symbol.asyncDispose]() {
      // Else their jobs would come back for the next test of the file.
      await DomainModel.deleteMany({ _id: { $gt: '' } }).setOptions({ acrossAccounts: 'maintenance' });
      await on[Symbol.asyncDispose]();
    },
  };
}

type Movable = Awaited<ReturnType<typeof createMovable>>;

/** A domain that is active at the deployment. */
async function activeDomain(on: Movable, deploymentId: string, name: string): Promise<Domain> {
  await lab.zone(name);
  const added = await on.domains.add({ deploymentId, name });
  await on.write(name, added.records);
  const active = await on.check(added.id);
  expect(active).toMatchObject({ state: 'active', problem: null });
  return active;
}

/** Returns the certificates that are renewed here for a domain. */
function certificatesOf(domainId: string) {
  return CertificateModel.find({ domainId }).setOptions(MAINTENANCE).lean();
}

async function builtIn(on: Movable, name: string): Promise<string> {
  const { id } = await on.deployments.create({ name, platform: 'built-in' });
  await on.publish({ id }, { 'index.html': name });
  return id;
}

test('with a new primary platform its domains move there; the old one serves them until their records lead away', async () => {
  await using on = await createMovable();
  const { deploymentId, deployment } = await on.createOnBoth('Switch');
  const [netlify, vercel] = deployment.destinations.map(({ id }) => id);
  const { id: domainId } = await activeDomain(on, deploymentId, 'switch.test');
  await on.deployments.makePrimary({ deploymentId, destinationId: vercel ?? '' });
  const moved = await on.check(domainId);
  expect(moved).toMatchObject({
    state: 'pending_dns',
    pointedNames: [],
    problem: {
      code: 'domain_moving',
      message:
        'The records of switch.test and www.switch.test still point to Netlify, which keeps serving your visitors.',
    },
    atPlatform: { platform: 'vercel' },
  });
  expect(moved.records.filter(({ type }) => type === 'A').map(({ value }) => value)).toEqual([
    '192.0.2.79',
    '192.0.2.1',
  ]);
  await on.runDue();
  expect([await on.netlifyNames(), await on.vercelNames()]).toEqual([2, 2]);
  const refused = await refusalOf(on.deployments.removeDestination({ deploymentId, destinationId: netlify ?? '' }));
  expect(refused).toMatchObject({ code: 'conflict', message: expect.stringContaining('still point to Netlify') });

  await on.write('switch.test', moved.records);
  expect(await on.check(domainId)).toMatchObject({ state: 'active', problem: null });
  // For a while resolvers remember the old records; then it is taken off.
  expect(await on.netlifyNames()).toBe(2);
  await on.runDue();
  expect([await on.netlifyNames(), await on.vercelNames()]).toEqual([0, 2]);
  await on.deployments.removeDestination({ deploymentId, destinationId: netlify ?? '' });
});

test('a domain that moves back while the old platform still serves it stays there', async () => {
  await using on = await createMovable();
  const { deploymentId, deployment } = await on.createOnBoth('Return');
  const [netlify, vercel] = deployment.destinations.map(({ id }) => id);
  const { id: domainId } = await activeDomain(on, deploymentId, 'return.test');
  await on.deployments.makePrimary({ deploymentId, destinationId: vercel ?? '' });
  await on.check(domainId);
  expect(await on.vercelNames()).toBe(2);
  await on.deployments.makePrimary({ deploymentId, destinationId: netlify ?? '' });
  expect(await on.check(domainId)).toMatchObject({ state: 'active', problem: null });
  await on.runDue();
  expect([await on.netlifyNames(), await on.vercelNames()]).toEqual([2, 0]);
});

test('from one site to another of the same platform, which gives a name to one at a time', async () => {
  await using on = await createMovable();
  const from = await on.deployments.create({ name: 'Old site', platform: 'netlify' });
  const to = await on.deployments.create({ name: 'New site', platform: 'netlify' });
  await on.publish(from, ONE);
  await on.publish(to, ONE);
  const { id: domainId } = await activeDomain(on, from.id, 'same.test');
  await on.domains.update({ domainId, deploymentId: to.id });
  await on.runDue();
  expect(await on.netlifyNames()).toBe(2);
  const sites = [...on.netlify.standIn.state.sites.values()].map(({ name, customDomain }) => [name, customDomain]);
  expect(sites).toEqual([
    ['old-site', null],
    ['new-site', 'same.test'],
  ]);
  const { deploymentId, records } = await on.check(domainId);
  expect([deploymentId, records.find(({ type }) => type === 'CNAME')?.value]).toEqual([to.id, 'new-site.netlify.app']);
});

test('from the built-in host to a platform: it is served here until its records lead there', async () => {
  await using on = await createMovable();
  const from = await builtIn(on, 'Here');
  const to = await on.deployments.create({ name: 'There', platform: 'vercel' });
  await on.publish(to, ONE);
  const { id: domainId } = await activeDomain(on, from, 'away.test');
  const visit = async () => (await get(on.host.address.port, 'away.test', '/')).text;
  await expect.poll(visit).toBe('Here');
  const texts: string[] = [];
  await on.domains.update({ domainId, deploymentId: to.id });
  const moved = await on.check(domainId);
  for (let round = 0; round < 20; round += 1) texts.push(await visit());
  expect(new Set(texts)).toEqual(new Set(['Here']));
  expect(moved.problem?.code).toBe('domain_moving');
  // Visitors still come here with it, and it is proved as before.
  const [certificate, ...others] = await certificatesOf(domainId);
  expect([certificate?.names, others]).toEqual([['away.test', 'www.away.test'], []]);
  expect(certificate && (await subjectOf({ ...certificate, names: ['away.test'] }, ''))).toMatchObject({
    prefersDns: false,
  });
  await on.write('away.test', moved.records);
  expect(await on.check(domainId)).toMatchObject({ state: 'active', problem: null });
  await expect.poll(visit).not.toBe('Here');
  expect(await certificatesOf(domainId)).toEqual([]);
});

test('from a platform to the built-in host, which serves it before its records lead here', async () => {
  await using on = await createMovable();
  const from = await on.deployments.create({ name: 'Far', platform: 'netlify' });
  await on.publish(from, ONE);
  const to = await builtIn(on, 'Home');
  const { id: domainId } = await activeDomain(on, from.id, 'home.test');
  await on.domains.update({ domainId, deploymentId: to });
  await expect.poll(async () => (await get(on.host.address.port, 'home.test', '/')).text).toBe('Home');
  const moved = await on.check(domainId);
  expect(moved).toMatchObject({ state: 'pending_dns', problem: { code: 'domain_moving' }, atPlatform: null });
  expect(moved.records.filter(({ type }) => type === 'A').map(({ value }) => value)).toEqual([HERE]);
  await on.runDue();
  expect(await on.netlifyNames()).toBe(2);
  await on.write('home.test', moved.records);
  expect(await on.check(domainId)).toMatchObject({ state: 'active', problem: null });
  await on.runDue();
  expect(await on.netlifyNames()).toBe(0);
});

test('a platform that takes no domains cannot become the primary one of a deployment that has some', async () => {
  await using on = await createMovable();
  const { deploymentId, deployment } = await on.createOnBoth('Kept');
  await on.domains.add({ deploymentId, name: 'kept.test' });
  const { DeploymentModel } = await import('../../server/database/models/publishing/deployment.ts');
  const destinationId = deployment.destinations[1]?.id ?? '';
  await DeploymentModel.updateOne(
    { _id: deploymentId, accountId: on.person.user.id, 'destinations._id': destinationId },
    { $set: { 'destinations.$.platform': 'replit' } },
  );
  const refused = await refusalOf(on.deployments.makePrimary({ deploymentId, destinationId }));
  expect(refused).toMatchObject({ code: 'conflict', message: expect.stringContaining('are added at Replit itself') });
});
