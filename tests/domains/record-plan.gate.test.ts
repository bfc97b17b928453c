import { afterAll, expect, test } from 'vitest';
import { DnsChangeModel } from '../../server/database/models/domains/dns-change.ts';
import { newId } from '../../server/database/mongo.ts';
import { powerdns } from '../../server/dns/providers/powerdns.ts';
import { DAY_MS } from '../../server/lib/durations.ts';
import type { Caller } from '../support/app.ts';
import { livePerson } from '../support/domain-app.ts';
import { HERE, startDomainLab } from '../support/domain-lab.ts';
import { createPlan, createPlanApp, setsIn } from '../support/record-plans.ts';

const lab = await startDomainLab();
afterAll(() => lab[Symbol.asyncDispose]());

type Owner = { caller: Caller; domainId: string; deploymentId: string };

test('a plan is shown, applied as one change and undone, without a record touched by hand', async () => {
  await using app = await createPlanApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'Planned');
  const mail = { 'planned.test MX': ['10 mail.planned.test.'], 'mail.planned.test A': ['203.0.113.5'] };
  await lab.zoneOnOne('planned.test', { ...mail, 'planned.test A': ['203.0.113.9'] });
  const before = await setsIn(lab, 'planned.test');
  await caller.connections.connect({ provider: 'powerdns', fields: lab.fields });
  const { id: domainId, proof } = await caller.domains.add({ deploymentId, name: 'planned.test' });

  const plan = await caller.domains.plan({ domainId });
  expect(await caller.domains.lastPlan({ domainId })).toBeNull();
  expect(plan).toMatchObject({ zone: 'planned.test', state: 'planned', conflicts: [] });
  expect(plan.changes.map(({ action, type, name, after }) => [action, type, name, after?.values])).toEqual(
    expect.arrayContaining([
      ['replace', 'A', 'planned.test', [HERE]],
      ['add', 'CNAME', 'www.planned.test', ['planned.test']],
      ['add', 'TXT', proof.name, [proof.value]],
    ]),
  );
  expect(await setsIn(lab, 'planned.test')).toEqual(before);

  expect((await caller.domains.applyPlan({ planId: plan.planId })).state).toBe('applied');
  expect((await caller.domains.applyPlan({ planId: plan.planId })).state).toBe('applied');
  expect((await caller.domains.check({ domainId })).state).toBe('active');

  expect(await caller.domains.lastPlan({ domainId })).toMatchObject({ planId: plan.planId, state: 'applied' });

  expect((await caller.domains.undoPlan({ planId: plan.planId })).state).toBe('undone');
  expect(await caller.domains.lastPlan({ domainId })).toBeNull();
  expect(await setsIn(lab, 'planned.test')).toEqual(before);
  app.clock.advance(2_000);
  const { state, problem } = await caller.domains.check({ domainId });
  expect([state, problem?.code, problem?.message]).toEqual([
    ...['misconfigured', 'records_undone'],
    'The A record of planned.test was changed: it is 203.0.113.9 now. You undid the change that had set it.',
  ]);
  await expect(caller.domains.applyPlan({ planId: plan.planId })).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('a domain whose records were written is newer than what was found before', async () => {
  const made = await createPlan(lab, 'newer');
  await using _app = made.app;
  const { caller, domainId, planId, zone } = made;
  await caller.domains.applyPlan({ planId });
  const { state, proof, changedAt } = await caller.domains.check({ domainId });
  await lab.write(zone, { [`${proof.name} TXT`]: [] }, { onOne: true });
  await caller.domains.applyPlan({ planId: (await caller.domains.plan({ domainId })).planId });
  const after = await caller.domains.get({ domainId });
  expect([state, after.state, after.changedAt > changedAt]).toEqual(['active', 'active', true]);
});

test('a domain that is removed takes along what Fairlead has written, and nothing that others have', async () => {
  const made = await createPlan(lab, 'parted');
  await using _app = made.app;
  const { caller, domainId, planId, zone } = made;
  await caller.domains.applyPlan({ planId });
  await lab.write(zone, { [`${zone} A`]: [HERE, '203.0.113.5'] }, { onOne: true });
  await lab.write(zone, { [`www.${zone} CNAME`]: ['other.test.'] }, { onOne: true });
  await caller.domains.check({ domainId });
  expect((await caller.domains.remove({ domainId, deletesRecords: true })).deleteFirst).toEqual([]);
  const left = (await setsIn(lab, zone)).filter((set) => !set.includes(' NS ') && !set.startsWith('ns1.'));
  expect(left).toEqual([
    expect.stringMatching(/^parted\.test\. \d+ A 203\.0\.113\.5$/),
    expect.stringMatching(/^www\./),
  ]);
});

test('the changes at names that are left out are not made, and not undone', async () => {
  const made = await createPlan(lab, 'chosen');
  await using _app = made.app;
  const { caller, planId, zone } = made;
  const before = await setsIn(lab, zone);
  const names = [...new Set((await caller.domains.plan({ domainId: made.domainId })).changes.map(({ name }) => name))];
  await expect(caller.domains.applyPlan({ planId, leave: names })).rejects.toMatchObject({ code: 'CONFLICT' });
  const { state, changes } = await caller.domains.applyPlan({ planId, leave: [`www.${zone}`] });
  expect([state, changes.find(({ name }) => name === `www.${zone}`)]).toMatchObject(['applied', { action: 'leave' }]);
  const written = await setsIn(lab, zone);
  expect(written).not.toEqual(before);
  expect(written.filter((set) => set.startsWith('www.'))).toEqual([]);
  expect((await caller.domains.undoPlan({ planId })).state).toBe('undone');
  expect(await setsIn(lab, zone)).toEqual(before);
});

test('what the provider leaves in spite of a removal is told to its owner', async () => {
  const { readNames, write } = powerdns();
  let isRemoving = false;
  const made = await createPlan(lab, 'clinging', {
    // The proof cannot be changed, and the deletion of the others is accepted in vain.
    readNames: async (...asked) => {
      const found = (await readNames?.(...asked)) ?? [];
      return found.map((set) => ({ ...set, isFixed: isRemoving && set.type === 'TXT' }));
    },
    write: async (call, zone, changes) => write(call, zone, isRemoving ? changes.slice(0, 1) : changes),
  });
  await using _app = made.app;
  const { caller, domainId, planId } = made;
  await caller.domains.applyPlan({ planId });
  isRemoving = true;
  const { deleteFirst } = await caller.domains.remove({ domainId, deletesRecords: true });
  expect(deleteFirst.map(({ type }) => type).sort()).toEqual(['CNAME', 'TXT']);
});

test('a set that somebody changed since the plan was made is not overwritten', async () => {
  await using app = await createPlanApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'Raced');
  await lab.zoneOnOne('raced.test', { 'raced.test A': ['203.0.113.9'] });
  await caller.connections.connect({ provider: 'powerdns', fields: lab.fields });
  const { id: domainId } = await caller.domains.add({ deploymentId, name: 'raced.test' });
  const plan = await caller.domains.plan({ domainId });
  await lab.write('raced.test', { 'raced.test A': ['203.0.113.77'] }, { onOne: true });
  const before = await setsIn(lab, 'raced.test');
  await expect(caller.domains.applyPlan({ planId: plan.planId })).rejects.toMatchObject({
    message: 'The A records of raced.test were changed in the meantime.',
  });
  expect(await setsIn(lab, 'raced.test')).toEqual(before);
});

test('a new plan takes the place of one that was only looked at', async () => {
  await using app = await createPlanApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'Replanned');
  await lab.zoneOnOne('replanned.test');
  await caller.connections.connect({ provider: 'powerdns', fields: lab.fields });
  const { id: domainId } = await caller.domains.add({ deploymentId, name: 'replanned.test' });
  const first = await caller.domains.plan({ domainId });
  expect((await caller.domains.plan({ domainId })).planId).toBe(first.planId);
  await lab.write('replanned.test', { 'replanned.test A': ['203.0.113.9'] }, { onOne: true });
  const second = await caller.domains.plan({ domainId });
  await expect(caller.domains.applyPlan({ planId: first.planId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await caller.domains.applyPlan({ planId: second.planId })).state).toBe('applied');
  await caller.domains.plan({ domainId });
  expect((await caller.domains.undoPlan({ planId: second.planId })).state).toBe('undone');
});

test('the plans of an account take five megabytes at most', async () => {
  await using app = await createPlanApp(lab);
  const { caller, deploymentId, person } = await livePerson(app, 'Hoarded');
  await lab.zoneOnOne('hoarded.test');
  await caller.connections.connect({ provider: 'powerdns', fields: lab.fields });
  const { id: domainId } = await caller.domains.add({ deploymentId, name: 'hoarded.test' });
  const accountId = person.user.id;
  const rows = Array.from({ length: 10 }, () => ({
    ...{ _id: newId(), accountId, domainId: newId(), connectionId: newId(), state: 'planned' as const },
    ...{ zone: { id: 'a', name: 'a.test' }, changes: ['x'.repeat(512 * 1024)], conflicts: [] },
    expiresAt: new Date(Date.now() + DAY_MS),
  }));
  await DnsChangeModel.insertMany(rows);
  await expect(caller.domains.plan({ domainId })).rejects.toMatchObject({
    message: expect.stringContaining('too many DNS changes'),
  });
  await DnsChangeModel.deleteMany({ accountId, domainId: rows[0]?.domainId ?? '' });
  expect(await caller.domains.plan({ domainId })).toMatchObject({ state: 'planned' });
});

test('a set that is too large to be kept is refused', async () => {
  await using app = await createPlanApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'Large');
  // As many as are read, each as long as an address can be.
  const addresses = Array.from({ length: 4_000 }, (_, at) => `110.111.${100 + (at >> 7)}.${100 + (at & 127)}`);
  await lab.zoneOnOne('large.test', { 'large.test A': addresses });
  await caller.connections.connect({ provider: 'powerdns', fields: lab.fields });
  const { id: domainId } = await caller.domains.add({ deploymentId, name: 'large.test' });
  await expect(caller.domains.plan({ domainId })).rejects.toMatchObject({
    message: 'The records in large.test are too large for Fairlead to plan changes.',
  });
});

test('how large a set is, is counted in bytes', async () => {
  const text = { type: 'TXT', name: '_fairlead.bytes.test', ttl: 300, values: ['é'.repeat(25_000)] } as const;
  const dnsProviders = { powerdns: { ...powerdns(), readNames: async () => [text] } };
  await using app = await createPlanApp(lab, { dnsProviders });
  const { caller, deploymentId } = await livePerson(app, 'Bytes');
  await lab.zoneOnOne('bytes.test');
  await caller.connections.connect({ provider: 'powerdns', fields: lab.fields });
  const { id: domainId } = await caller.domains.add({ deploymentId, name: 'bytes.test' });
  await expect(caller.domains.plan({ domainId })).rejects.toMatchObject({
    message: 'The records in bytes.test are too large for Fairlead to plan changes.',
  });
});

test('of the plans of a domain that have ended the last five are kept', async () => {
  const made = await createPlan(lab, 'often');
  await using _app = made.app;
  const { caller, domainId, accountId } = made;
  const row = await DnsChangeModel.findOne({ accountId, domainId }).orFail().lean();
  const ended = [5, 4, 3, 2, 1].map((days) => {
    const at = new Date(Date.now() - days * DAY_MS);
    return { ...row, _id: newId(), state: 'undone' as const, createdAt: at, updatedAt: at };
  });
  await DnsChangeModel.insertMany(ended, { timestamps: false });
  await caller.domains.applyPlan({ planId: made.planId });
  await caller.domains.undoPlan({ planId: made.planId });
  const kept = await DnsChangeModel.find({ accountId, domainId }, { _id: 1 }).lean();
  expect(new Set(kept.map(({ _id }) => _id))).toEqual(
    new Set([...ended.slice(1).map((plan) => plan._id), made.planId]),
  );
});

test.each<[string, (owner: Owner) => Promise<unknown>]>([
  ['removed', ({ caller, domainId }) => caller.domains.remove({ domainId })],
  ['deleted with its deployment', ({ caller, deploymentId }) => caller.deployments.remove({ deploymentId })],
])('the plans of a domain that is %s go with it', async (how, remove) => {
  const made = await createPlan(lab, how.replaceAll(' ', '-'));
  await using app = made.app;
  const { caller, domainId, planId, accountId } = made;
  await caller.domains.applyPlan({ planId });
  const { deploymentId } = await caller.domains.get({ domainId });
  await remove({ caller, domainId, deploymentId });
  await app.jobs.drain();
  expect(await DnsChangeModel.countDocuments({ accountId, domainId })).toBe(0);
});

test('a name that no connection holds, and the plan of another account, are refused', async () => {
  await using app = await createPlanApp(lab);
  const { caller, deploymentId } = await livePerson(app, 'Unheld');
  await lab.zoneOnOne('own.test');
  await caller.connections.connect({ provider: 'powerdns', fields: lab.fields });
  const { id: domainId } = await caller.domains.add({ deploymentId, name: 'unheld.example' });
  await expect(caller.domains.plan({ domainId })).rejects.toMatchObject({
    message: 'None of your DNS connections holds unheld.example.',
  });
  const own = await caller.domains.add({ deploymentId, name: 'own.test' });
  const { planId, connectionId } = await caller.domains.plan({ domainId: own.id });
  const stranger = await livePerson(app, 'Stranger');
  const theirs = await stranger.caller.domains.add({ deploymentId: stranger.deploymentId, name: 'own.test' });
  for (const call of [
    () => stranger.caller.domains.applyPlan({ planId }),
    () => stranger.caller.domains.undoPlan({ planId }),
    () => stranger.caller.domains.plan({ domainId: theirs.id, connectionId }),
  ]) {
    await expect(call()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
});

test('a CAA record that forbids our authority is told with what to add, and the plan adds it', async () => {
  await using app = await createPlanApp(lab);
  const authority = { ...app.providers.authority, isPublic: true, caaIdentities: async () => ['ca.example'] };
  Object.assign(app.providers, { authority });
  const { caller, deploymentId } = await livePerson(app, 'Guarded');
  await lab.zoneOnOne('guarded.test', { 'guarded.test CAA': ['0 issue "other.example"'] });
  await caller.connections.connect({ provider: 'powerdns', fields: lab.fields });
  const { id: domainId } = await caller.domains.add({ deploymentId, name: 'guarded.test' });
  const plan = await caller.domains.plan({ domainId });
  expect(plan.conflicts).toEqual([
    {
      code: 'caa_forbids',
      message:
        'The CAA records of guarded.test do not allow ca.example to issue certificates. These changes add 0 issue "ca.example".',
    },
  ]);
  const values = ['0 issue "other.example"', '0 issue "ca.example"'];
  expect(plan.changes.find(({ type }) => type === 'CAA')).toMatchObject({ action: 'replace', after: { values } });
  await lab.write('guarded.test', { 'guarded.test CAA': [] }, { onOne: true });
  const { changes, conflicts } = await caller.domains.plan({ domainId });
  expect([conflicts, changes.filter(({ type }) => type === 'CAA')]).toEqual([[], []]);

  // Others may need it once it is there, so a removal leaves it, and says so.
  await lab.write('guarded.test', { 'guarded.test CAA': ['0 issue "other.example"'] }, { onOne: true });
  await caller.domains.applyPlan({ planId: (await caller.domains.plan({ domainId })).planId });
  const { deleteFirst, stays } = await caller.domains.remove({ domainId, deletesRecords: true });
  expect([deleteFirst, stays]).toEqual([[], [{ type: 'CAA', name: 'guarded.test', value: '0 issue "ca.example"' }]]);
  expect((await setsIn(lab, 'guarded.test')).join()).toContain('0 issue "ca.example"');
});

test('the check that first sees the proof has names ordered that lead elsewhere, where a connection can prove them', async () => {
  await using app = await createPlanApp(lab);
  Object.assign(app.providers, { authority: { ...app.providers.authority, isPublic: true } });
  const { caller, deploymentId } = await livePerson(app, 'Halfway');
  const [name, www] = ['halfway.test', 'www.halfway.test'];
  await lab.zoneOnOne(name, { [`${name} A`]: [HERE], [`${www} A`]: ['203.0.113.9'] });
  await caller.connections.connect({ provider: 'powerdns', fields: lab.fields });
  const { id: domainId, proof } = await caller.domains.add({ deploymentId, name });
  await lab.write(name, { [`${proof.name} TXT`]: [`"${proof.value}"`] }, { onOne: true });
  expect((await caller.domains.check({ domainId })).state).toBe('active');
  expect((await caller.certificates.list({ domainId })).items).toMatchObject([{ names: [name, www] }]);
});

test('an undo that is refused leaves the plan applied, with the reason', async () => {
  const made = await createPlan(lab, 'kept');
  await using _app = made.app;
  const { caller, domainId, planId, zone } = made;
  expect((await caller.domains.applyPlan({ planId })).state).toBe('applied');
  await lab.write(zone, { [`${zone} A`]: ['203.0.113.77'] }, { onOne: true });
  const message = `The A records of ${zone} were changed in the meantime.`;
  await expect(caller.domains.undoPlan({ planId })).rejects.toMatchObject({ message });
  expect(await caller.domains.lastPlan({ domainId })).toMatchObject({ state: 'applied', error: { message } });
});

test('a plan that is refused has failed, with the reason, and can be tried again', async () => {
  const made = await createPlan(lab, 'refused');
  await using _app = made.app;
  const { caller, domainId, planId, zone } = made;
  await lab.write(zone, { [`${zone} A`]: ['203.0.113.77'] }, { onOne: true });
  const { changedAt } = await caller.domains.get({ domainId });
  await expect(caller.domains.applyPlan({ planId })).rejects.toMatchObject({ cause: { code: 'records_changed' } });
  expect(await caller.domains.lastPlan({ domainId })).toMatchObject({ state: 'failed' });
  expect((await caller.domains.get({ domainId })).changedAt > changedAt).toBe(true);
  await lab.write(zone, { [`${zone} A`]: ['203.0.113.9'] }, { onOne: true });
  // Another tab left nothing out when it began.
  const without = caller.domains.applyPlan({ planId, leave: [`www.${zone}`] });
  await expect(without).rejects.toMatchObject({ cause: { code: 'plan_outdated' } });
  expect((await caller.domains.applyPlan({ planId, leave: [`other.${zone}`] })).state).toBe('applied');
  const late = caller.domains.applyPlan({ planId, leave: [`www.${zone}`] });
  await expect(late).rejects.toMatchObject({ cause: { code: 'plan_outdated' } });
});
