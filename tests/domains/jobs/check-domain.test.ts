import { afterAll, expect, test } from 'vitest';
import { JobModel } from '../../../server/database/models/job.ts';
import { DeploymentHealthModel } from '../../../server/database/models/publishing/deployment-health.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../server/lib/durations.ts';
import type { Caller } from '../../support/app.ts';
import { createDomainApp, type DomainApp, livePerson } from '../../support/domain-app.ts';
import { setsOf, startDomainLab } from '../../support/domain-lab.ts';
import { makeDue } from '../../support/make-due.ts';
import { storeLive } from '../../support/publishing.ts';

const lab = await startDomainLab();
afterAll(() => lab[Symbol.asyncDispose]());

const SECOND_MS = 1_000;

const openLooks = (domainId: string) =>
  JobModel.countDocuments({ name: 'check-domain', 'payload.domainId': domainId, status: 'queued' }).setOptions({
    acrossAccounts: 'jobs',
  });

/** Looks at a domain that is due, and returns how long the next look waits then. */
async function waitOf({ jobs }: DomainApp, { domains }: Caller, domainId: string): Promise<number> {
  await makeDue();
  await jobs.drain();
  const { checkedAt, nextCheckAt } = await domains.get({ domainId });
  return (nextCheckAt?.getTime() ?? 0) - (checkedAt?.getTime() ?? 0);
}

test('a name becomes active by itself once its records are there, and is then left alone', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'By itself');
  await lab.zone('itself.test');
  const { id: domainId, records } = await caller.domains.add({ deploymentId, name: 'itself.test' });
  await app.jobs.drain();
  expect(await caller.domains.get({ domainId })).toMatchObject({ state: 'unverified', problem: null });
  // It comes back, quickly at first.
  expect(await openLooks(domainId)).toBe(1);
  const { checkedAt, nextCheckAt } = await caller.domains.get({ domainId });
  expect((nextCheckAt?.getTime() ?? 0) - (checkedAt?.getTime() ?? 0)).toBe(5_000);

  await lab.write('itself.test', setsOf(records));
  await makeDue();
  await app.jobs.drain();
  expect((await caller.domains.get({ domainId })).state).toBe('active');
  expect(await openLooks(domainId)).toBe(0);
  // The look that finds the records has them served, with nothing to wait for in between.
  expect((await caller.certificates.list({ domainId })).items).toMatchObject([{ state: 'issued' }]);
  // Its visitors use it from now on.
  const { url } = await caller.domains.get({ domainId });
  expect(url).toContain('itself.test');
  expect(await caller.deployments.get({ deploymentId })).toMatchObject({ visitUrl: url });
});

test('the checks of a name that nobody works on become rare', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'Rare');
  await lab.zone('rare.test');
  const { id: domainId } = await caller.domains.add({ deploymentId, name: 'rare.test' });
  const waitAfter = (ms: number) => {
    app.clock.advance(ms);
    return waitOf(app, caller, domainId);
  };
  const waits = [];
  for (const minutes of [14, 2, 60, 6 * 60, 48 * 60]) waits.push((await waitAfter(minutes * MINUTE_MS)) / SECOND_MS);
  expect(waits).toEqual([5, 15, 60, 5 * 60, 15 * 60]);
});

test('a name whose name servers say nothing is checked rarely', async () => {
  await using app = await createDomainApp(lab, { providers: { dns: lab.client({ resolvers: [] }) } });
  const { caller, deploymentId } = await livePerson(app, 'Silent');
  const { id: domainId } = await caller.domains.add({ deploymentId, name: 'silent.test' });
  await app.jobs.drain();
  const { checkedAt, nextCheckAt, problem } = await caller.domains.get({ domainId });
  expect(problem).toMatchObject({
    code: 'lookup_failed',
    message: 'silent.test could not be checked from here: no server says which name servers it has.',
  });
  expect((nextCheckAt?.getTime() ?? 0) - (checkedAt?.getTime() ?? 0)).toBe(15 * 60_000);
});

test('a name whose check takes long is checked again after ten times as long, and a quarter of an hour at most', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'Slow');
  await lab.zone('slow.test');
  const { id: domainId } = await caller.domains.add({ deploymentId, name: 'slow.test' });
  const waitAfter = (tookMs: number): Promise<number> => {
    const { withLookups, ...client } = lab.client();
    app.providers.dns = {
      ...client,
      withLookups(signal, work) {
        app.clock.advance(tookMs);
        return withLookups(signal, work);
      },
    };
    return waitOf(app, caller, domainId);
  };
  expect(await waitAfter(0)).toBe(5_000);
  expect(await waitAfter(7_000)).toBeGreaterThanOrEqual(70_000);
  expect(await waitAfter(600_000)).toBe(900_000);
});

test('checks of one domain at the same time are one check', async () => {
  let checks = 0;
  const { withLookups, ...client } = lab.client();
  const dns: typeof client & { withLookups: typeof withLookups } = {
    ...client,
    withLookups(signal, work) {
      checks += 1;
      return withLookups(signal, work);
    },
  };
  await using app = await createDomainApp(lab, { providers: { dns } });
  const { caller, deploymentId } = await livePerson(app, 'At once');
  await lab.zone('atonce.test');
  const { id: domainId } = await caller.domains.add({ deploymentId, name: 'atonce.test' });
  const seen = await Promise.all(Array.from({ length: 10 }, () => caller.domains.check({ domainId })));
  expect(checks).toBe(1);
  expect(new Set(seen.map(({ checkedAt }) => checkedAt?.getTime())).size).toBe(1);
});

test('a claim that is never proved ends by itself', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'Stale');
  const { id: domainId } = await caller.domains.add({ deploymentId, name: 'stale.test' });
  app.clock.advance(8 * DAY_MS);
  await makeDue();
  await app.jobs.drain();
  await expect(caller.domains.get({ domainId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a deployment is looked at again when its domain works, and what was seen of one that goes is forgotten', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId, person } = await livePerson(app, 'Seen last');
  const to = await caller.deployments.create({ name: 'Other', platform: 'built-in' });
  await storeLive(app, to, { 'index.html': 'Other' });
  const accountId = person.user.id;
  const failed = { checks: [{ id: 'resolves', verdict: 'fail', seen: 'last.test has no address.' }] };
  const atLast = { ...failed, checkedAt: new Date(), changedAt: new Date(), nextCheckAt: new Date() };
  for (const _id of [deploymentId, to.id])
    await DeploymentHealthModel.updateOne({ _id, accountId }, { $set: atLast }, { upsert: true });
  /** Returns how many checks the deployments remember, and which wait to be looked at; the next is counted anew. */
  const seen = async () => {
    const jobs = { name: 'check-deployment', accountId };
    const waiting = await JobModel.find({ ...jobs, status: 'queued' }).lean();
    await JobModel.deleteMany(jobs);
    const rows = await DeploymentHealthModel.find({ accountId }).lean();
    return [deploymentId, to.id].map((id) => ({
      checks: rows.find(({ _id }) => _id === id)?.checks.length,
      isDue: waiting.some(({ payload }) => (payload as { deploymentId: string }).deploymentId === id),
    }));
  };
  await lab.zone('last.test');
  const { id: domainId, records } = await caller.domains.add({ deploymentId, name: 'last.test' });
  await lab.write('last.test', setsOf(records));
  expect((await caller.domains.check({ domainId })).state).toBe('active');
  expect(await seen()).toEqual([
    { checks: 1, isDue: true },
    { checks: 1, isDue: false },
  ]);
  await caller.domains.update({ domainId, deploymentId: to.id });
  expect(await seen()).toEqual([
    { checks: 0, isDue: true },
    { checks: 1, isDue: true },
  ]);
  await caller.domains.remove({ domainId });
  expect(await seen()).toEqual([
    { checks: 0, isDue: false },
    { checks: 0, isDue: true },
  ]);
});

test('a deployment is looked at again when its domain gets a certificate, and another main name', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId, person } = await livePerson(app, 'Secured');
  const known = { _id: deploymentId, accountId: person.user.id };
  const due = { checks: [], changedAt: new Date(), nextCheckAt: new Date() };
  await DeploymentHealthModel.updateOne(known, { $set: due }, { upsert: true });
  const looks = { name: 'check-deployment', accountId: person.user.id };
  await lab.zone('secured.test');
  const { id: domainId, records } = await caller.domains.add({ deploymentId, name: 'secured.test' });
  await lab.write('secured.test', setsOf(records));
  expect((await caller.domains.check({ domainId })).state).toBe('active');
  // The look that follows this is not the one that is asked about.
  await JobModel.deleteMany(looks);
  await app.jobs.drain();
  expect((await DeploymentHealthModel.findOne(known))?.checks).not.toHaveLength(0);
  expect(await JobModel.countDocuments({ ...looks, status: 'queued' })).toBe(0);
  await caller.domains.update({ domainId, servedName: 'www.secured.test' });
  expect(await JobModel.countDocuments({ ...looks, status: 'queued' })).toBe(1);
});

test('a www that leads elsewhere beside a name that works is told, and looked at again soon; one without records is looked for', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'Astray');
  const { id: domainId, records } = await caller.domains.add({ deploymentId, name: 'astray.test' });
  const ours = setsOf(records.filter(({ type }) => type !== 'CNAME'));
  await lab.zone('astray.test', { ...ours, 'www.astray.test A': ['192.0.2.99'] });
  const look = async () => {
    app.clock.advance(2_000);
    const { state, problem, checkedAt, nextCheckAt } = await caller.domains.check({ domainId });
    return { state, problem, waitMs: (nextCheckAt?.getTime() ?? 0) - (checkedAt?.getTime() ?? 0) };
  };
  expect(await look()).toMatchObject({
    state: 'active',
    problem: {
      message: 'www.astray.test points to 192.0.2.99 instead of your deployment.',
      hint: 'Remove the A and AAAA records of www.astray.test, then set its CNAME record to astray.test.',
    },
    waitMs: 5 * SECOND_MS,
  });
  expect(await openLooks(domainId)).toBe(1);
  await lab.write('astray.test', { 'www.astray.test MX': ['10 mail.astray.test.'] });
  expect((await look()).problem?.hint).toBe(
    'www.astray.test should be a CNAME record, but has MX records, and no other record can exist beside a CNAME. Use another name, or move those records.',
  );
  await lab.write('astray.test', { 'www.astray.test A': [], 'www.astray.test MX': [] });
  expect(await look()).toEqual({ state: 'active', problem: null, waitMs: 5 * SECOND_MS });
  expect(await openLooks(domainId)).toBe(1);
  const waitAfter = (ms: number) => {
    app.clock.advance(ms);
    return waitOf(app, caller, domainId);
  };
  expect(await waitAfter(5 * HOUR_MS)).toBe(MINUTE_MS);
  // Its owner may not want it.
  expect(await waitAfter(HOUR_MS)).toBe(30 * MINUTE_MS);
  expect(await openLooks(domainId)).toBe(0);
});
