import { afterAll, expect, test, vi } from 'vitest';
import { UserModel } from '../../../server/database/models/account/user.ts';
import { CertificateModel } from '../../../server/database/models/domains/certificate.ts';
import { DnsChangeModel } from '../../../server/database/models/domains/dns-change.ts';
import { EventModel } from '../../../server/database/models/event.ts';
import { JobModel } from '../../../server/database/models/job.ts';
import { newId } from '../../../server/database/mongo.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../server/lib/durations.ts';
import { enqueueDue } from '../../../server/queue/recurring.ts';
import { createDomainApp, livePerson } from '../../support/domain-app.ts';
import { setsOf, startDomainLab } from '../../support/domain-lab.ts';
import { makeDue } from '../../support/make-due.ts';

const lab = await startDomainLab();
afterAll(() => lab[Symbol.asyncDispose]());

test('a change by another hand is found by the schedule, and mailed once', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId, person } = await livePerson(app, 'Watched');
  await UserModel.updateOne({ _id: person.user.id }, { $set: { emailConfirmedAt: new Date() } });
  await lab.zone('watched.test');
  const { id: domainId, records } = await caller.domains.add({ deploymentId, name: 'watched.test' });
  {
    // Before it was active no change of it is told, so no plan is read.
    using plans = vi.spyOn(DnsChangeModel, 'find');
    await caller.domains.check({ domainId });
    expect(plans).not.toHaveBeenCalled();
  }
  app.clock.advance(2_000);
  await lab.write('watched.test', setsOf(records));
  expect((await caller.domains.check({ domainId })).state).toBe('active');

  await lab.write('watched.test', { 'www.watched.test CNAME': [] });
  app.clock.advance(HOUR_MS);
  for (const at of ['2032-01-01', '2032-01-02']) {
    await enqueueDue(new Date(at), 0);
    await makeDue();
    await app.jobs.drain();
  }
  expect(await caller.domains.get({ domainId })).toMatchObject({
    state: 'misconfigured',
    problem: { code: 'records_changed', message: 'The CNAME record of www.watched.test is gone.' },
  });
  await app.jobs.drain();
  const mails = app.outbox.filter(({ kind }) => kind === 'domain-misconfigured');
  expect(mails.map(({ subject }) => subject)).toEqual(['watched.test no longer points to your site']);
  expect(mails[0]?.text).toContain('The CNAME record of www.watched.test is gone.');

  // An order that failed meanwhile is tried again once the record is back, but never before its authority allows it.
  const accountId = person.user.id;
  const own = { accountId, domainId };
  const at = app.clock.now();
  const nextTryAt = new Date(at.getTime() + DAY_MS);
  const failedBy = (type: string) => ({ problem: { type, message: 'It failed.', at }, failures: 9, nextTryAt });
  await CertificateModel.updateOne(own, failedBy('rehearsal'));
  const wildcard = { ...own, _id: newId(), isWildcard: true, names: ['*.watched.test'], history: [] };
  await CertificateModel.create({ ...wildcard, state: 'failed', ...failedBy('rateLimited') });
  const orders = async () => {
    const jobs = await JobModel.find({ name: 'issue-certificate', accountId, status: 'queued' }).lean();
    const due = await CertificateModel.find({ ...own, nextTryAt: { $lte: app.clock.now() } }).lean();
    return [due.map(({ problem }) => problem?.type), jobs.length];
  };
  const look = async () => {
    app.clock.advance(2_000);
    return (await caller.domains.check({ domainId })).state;
  };
  expect([await look(), await orders()]).toEqual(['misconfigured', [[], 0]]);
  await lab.write('watched.test', setsOf(records));
  expect([await look(), await orders()]).toEqual(['active', [['rehearsal'], 1]]);
});

test('records that come and go are mailed once an hour', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId, person } = await livePerson(app, 'Flapping');
  await UserModel.updateOne({ _id: person.user.id }, { $set: { emailConfirmedAt: new Date() } });
  await lab.zone('flapping.test');
  const { id: domainId, records } = await caller.domains.add({ deploymentId, name: 'flapping.test' });
  const stateWith = async (sets: Record<string, string[]>) => {
    await lab.write('flapping.test', sets);
    app.clock.advance(2_000);
    return (await caller.domains.check({ domainId })).state;
  };
  const flap = async () => [await stateWith(setsOf(records)), await stateWith({ 'www.flapping.test CNAME': [] })];
  const mails = async () => {
    await app.jobs.drain();
    return app.outbox.filter(({ kind }) => kind === 'domain-misconfigured').length;
  };
  expect([await flap(), await flap()].flat()).toEqual(['active', 'misconfigured', 'active', 'misconfigured']);
  expect(await mails()).toBe(1);
  app.clock.advance(HOUR_MS);
  expect([...(await flap()), await mails()]).toEqual(['active', 'misconfigured', 2]);
});

test('an IPv6 address of another server is named, though all records that were asked for are right', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'Stray');
  await lab.zone('stray.test');
  const { id: domainId, records } = await caller.domains.add({ deploymentId, name: 'stray.test' });
  await lab.write('stray.test', setsOf(records));
  expect((await caller.domains.check({ domainId })).state).toBe('active');
  await lab.write('stray.test', { 'stray.test AAAA': ['2001:db8::9'] });
  app.clock.advance(2_000);
  expect(await caller.domains.check({ domainId })).toMatchObject({
    state: 'misconfigured',
    problem: { code: 'aaaa_elsewhere', message: expect.stringContaining('2001:db8::9') },
  });
});

test('name servers that answer nothing move nothing', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'Silent');
  await lab.zone('silent.test');
  const { id: domainId, records } = await caller.domains.add({ deploymentId, name: 'silent.test' });
  await lab.write('silent.test', setsOf(records));
  expect((await caller.domains.check({ domainId })).state).toBe('active');
  app.providers.dns = lab.client({ isAllowed: () => false });
  app.clock.advance(2_000);
  expect(await caller.domains.check({ domainId })).toMatchObject({
    state: 'active',
    pointedNames: ['silent.test', 'www.silent.test'],
    problem: { code: 'lookup_failed' },
  });
});

test('a domain that dies or loses its proof is told once, after a second sight, and is in what needs care', async () => {
  await using app = await createDomainApp(lab);
  const { caller, user } = await app.trialPerson();
  const { id: deploymentId } = await caller.deployments.create({ name: 'Dying', platform: 'built-in' });
  await UserModel.updateOne({ _id: user.id }, { $set: { emailConfirmedAt: new Date() } });
  await lab.zone('dying.test');
  const { id: domainId, records, proof } = await caller.domains.add({ deploymentId, name: 'dying.test' });
  await lab.write('dying.test', setsOf(records));
  expect((await caller.domains.check({ domainId })).state).toBe('active');
  const look = async (afterMs: number) => {
    app.clock.advance(afterMs);
    const { state, problem, nextCheckAt } = await caller.domains.check({ domainId });
    const minutes = Math.round(((nextCheckAt?.getTime() ?? 0) - app.clock.now().getTime()) / MINUTE_MS);
    const { items } = await caller.domains.list({ needsCare: true });
    expect((await caller.domains.list({ isBroken: true })).items).toEqual(items);
    return [state, problem?.code, items.length, ...(state === 'active' ? [minutes] : [])];
  };
  const mails = async () => {
    await app.jobs.drain();
    return app.outbox.flatMap(({ kind, subject }) => (kind.startsWith('domain-') ? [subject] : []));
  };
  expect(await look(2_000)).toEqual(['active', undefined, 0, 30]);
  await lab.write('dying.test', { [`${proof.name} TXT`]: [] });
  expect([await look(2_000), await mails()]).toEqual([['active', 'proof_gone', 1, 5], []]);
  expect(await look(5 * MINUTE_MS)).toEqual(['active', 'proof_gone', 1, 30]);
  expect(await look(30 * MINUTE_MS)).toEqual(['active', 'proof_gone', 1, 30]);
  const servers = { 'dying.test NS': [], 'ns1.dying.test A': [], 'ns2.dying.test A': [] };
  await lab.registry.writeSets('test', servers);
  expect(await look(30 * MINUTE_MS)).toEqual(['active', 'zone_missing', 1, 5]);
  expect(await look(5 * MINUTE_MS)).toEqual(['misconfigured', 'zone_missing', 1]);
  expect(await mails()).toEqual(['dying.test needs your attention', 'dying.test no longer points to your site']);
  await lab.delegate('dying.test', { 'ns1.dying.test': '127.0.0.3', 'ns2.dying.test': '127.0.0.4' });
  await lab.write('dying.test', setsOf(records));
  expect(await look(5 * MINUTE_MS)).toEqual(['active', undefined, 0, 30]);
});

test('name servers that another hand has named are told once, though the records are right there', async () => {
  await using app = await createDomainApp(lab);
  const { caller, deploymentId, person } = await livePerson(app, 'Moved');
  await UserModel.updateOne({ _id: person.user.id }, { $set: { emailConfirmedAt: new Date() } });
  await lab.zone('handed.test');
  const { id: domainId, records } = await caller.domains.add({ deploymentId, name: 'handed.test' });
  await lab.write('handed.test', setsOf(records));
  const look = async (afterMs: number) => {
    app.clock.advance(afterMs);
    const { state, problem } = await caller.domains.check({ domainId });
    return [state, problem?.message];
  };
  expect(await look(2_000)).toEqual(['active', undefined]);
  const servers = { 'handed.test NS': ['new.handed.test.'], 'new.handed.test A': ['127.0.0.3'] };
  await lab.write('handed.test', servers);
  await lab.delegate('handed.test', { 'new.handed.test': '127.0.0.3' });
  const told = 'handed.test has other name servers now: new.handed.test. They have the right records.';
  expect([await look(2_000), await look(5 * MINUTE_MS), await look(30 * MINUTE_MS)]).toEqual([
    ...[
      ['active', told],
      ['active', told],
    ],
    ['active', undefined],
  ]);
  await app.jobs.drain();
  expect(app.outbox.filter(({ kind }) => kind === 'domain-problem')).toHaveLength(1);
  const events = await EventModel.find({ accountId: person.user.id, type: 'notification' }).lean();
  expect(events.filter(({ payload }) => payload.message === told)).toHaveLength(1);
});
