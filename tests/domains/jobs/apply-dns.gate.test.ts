import { afterAll, expect, test, vi } from 'vitest';
import { jobHandlers } from '../../../server/boot/jobs.ts';
import { waitFor } from '../../../server/boot/providers.ts';
import { databaseBusy } from '../../../server/database/away-errors.ts';
import { DnsChangeModel } from '../../../server/database/models/domains/dns-change.ts';
import { DomainModel } from '../../../server/database/models/domains/domain.ts';
import { JobModel } from '../../../server/database/models/job.ts';
import { powerdns } from '../../../server/dns/providers/powerdns.ts';
import { createWorker } from '../../../server/queue/worker.ts';
import type { TestApp } from '../../support/app.ts';
import { HERE, startDomainLab } from '../../support/domain-lab.ts';
import { makeDue } from '../../support/make-due.ts';
import { createPlan, setsIn } from '../../support/record-plans.ts';

const lab = await startDomainLab();
afterAll(() => lab[Symbol.asyncDispose]());

/** Has the workers begin once somebody waits for them, and returns what then tells when they have nothing to do any more. */
function workBeside({ providers, jobs }: TestApp): () => Promise<void> {
  let working: Promise<void> | undefined;
  const wait = async (_ms: number, signal: AbortSignal): Promise<void> => {
    working ??= jobs.drain();
    await waitFor(5, signal);
  };
  Object.assign(providers, { wait });
  return async () => working;
}

/** A plan whose provider is not done with writing before `finish` is called. */
async function slowPlan(name: string) {
  let finish = (): void => undefined;
  const slow = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const real = powerdns();
  const made = await createPlan(lab, name, {
    write: async (call, zone, changes) => {
      await real.write(call, zone, changes);
      await slow;
    },
  });
  return { made, finish: () => finish() };
}

test('a provider that takes minutes is not waited for, and the plan is applied when it is done', async () => {
  const { made, finish } = await slowPlan('slow');
  await using app = made.app;
  const { caller, domainId, planId } = made;
  const worked = workBeside(app);
  expect(await caller.domains.applyPlan({ planId })).toMatchObject({ state: 'applying', error: null });
  expect(await caller.domains.lastPlan({ domainId })).toMatchObject({ planId, state: 'applying' });
  await expect(caller.domains.undoPlan({ planId })).rejects.toMatchObject({ cause: { code: 'state_changed' } });
  finish();
  await worked();
  expect((await caller.domains.lastPlan({ domainId }))?.state).toBe('applied');
});

test('that our own database was late is no word about the records, and the plan goes on', async () => {
  const made = await createPlan(lab, 'late');
  await using app = made.app;
  const { caller, domainId, planId } = made;
  const at = async (boundary: string) => {
    if (boundary === 'dns-change:written') throw databaseBusy(new Error('Others were in the way.'));
  };
  Object.assign(app.providers, { faults: { at } });
  const worked = workBeside(app);
  expect(await caller.domains.applyPlan({ planId })).toMatchObject({ state: 'applying', error: null });
  await worked();
  Object.assign(app.providers, { faults: undefined });
  await makeDue();
  await app.jobs.drain();
  expect(await caller.domains.lastPlan({ domainId })).toMatchObject({ state: 'applied', error: null });
});

/** Begins something and cuts it off where its job has written, as a kill does: what it had in hand never goes on. */
async function cutOff({ app, accountId }: Awaited<ReturnType<typeof createPlan>>, act: () => Promise<unknown>) {
  const cut = new Promise<void>((reached) => {
    const at = async (boundary: string) => {
      if (boundary !== 'dns-change:written') return;
      reached();
      await new Promise<void>(() => undefined);
    };
    Object.assign(app.providers, { faults: { at } });
  });
  workBeside(app);
  await Promise.all([act(), cut]);
  Object.assign(app.providers, { faults: undefined });
  await JobModel.updateMany({ accountId, status: 'running' }, { leaseUntil: new Date(0) });
}

test('a plan and its undo that are cut off are told apart, and each is gone on with', async () => {
  const made = await createPlan(lab, 'cut');
  await using app = made.app;
  const { caller, domainId, planId, zone } = made;
  const before = await setsIn(lab, zone);
  const state = async () => (await caller.domains.lastPlan({ domainId }))?.state;
  const workAgain = () => createWorker(app.providers, { handlers: jobHandlers }).drain();
  await cutOff(made, () => caller.domains.applyPlan({ planId }));
  expect(await state()).toBe('applying');
  await workAgain();
  expect(await state()).toBe('applied');
  await cutOff(made, () => caller.domains.undoPlan({ planId }));
  expect(await state()).toBe('undoing');
  await expect(caller.domains.applyPlan({ planId })).rejects.toMatchObject({ cause: { code: 'plan_outdated' } });
  await workAgain();
  expect(await state()).toBe(undefined);
  const plan = await DnsChangeModel.findOne({ _id: planId, accountId: made.accountId }).lean();
  expect(plan).toMatchObject({ state: 'undone', error: null });
  expect(await setsIn(lab, zone)).toEqual(before);
});

test('where two zones have the name, and nothing tells which visitors see, the plan says so and writes nothing', async () => {
  const { zones } = powerdns();
  const made = await createPlan(lab, 'twice', {
    zones: async (call) => {
      const found = await zones(call);
      return [...found, ...found.map((zone) => ({ ...zone }))];
    },
  });
  await using app = made.app;
  const { caller, domainId, planId, zone } = made;
  const before = await setsIn(lab, zone);
  const { changes, conflicts } = await caller.domains.plan({ domainId });
  const message = expect.stringMatching(
    /^There are 2 zones named twice\.test at your DNS provider, .* Delete the unused ones/,
  );
  expect([changes, conflicts]).toEqual([[], [{ code: 'zone_ambiguous', message }]]);
  const worked = workBeside(app);
  await caller.domains.applyPlan({ planId });
  await worked();
  expect(await setsIn(lab, zone)).toEqual(before);
});

test('a domain is not removed while its records are written, and then says which were', async () => {
  const { made, finish } = await slowPlan('leaving');
  await using app = made.app;
  const { caller, accountId, domainId, planId, zone } = made;
  const worked = workBeside(app);
  expect(await caller.domains.applyPlan({ planId })).toMatchObject({ state: 'applying' });
  await expect(caller.domains.remove({ domainId })).rejects.toMatchObject({
    cause: { code: 'state_changed', message: `The records of ${zone} are being written.` },
  });
  finish();
  await worked();
  // As if nobody had looked yet whether the name servers answer with them.
  await DomainModel.updateOne({ _id: domainId, accountId }, { $set: { records: [] } });
  const { deleteFirst } = await caller.domains.remove({ domainId });
  expect(deleteFirst).toContainEqual({ type: 'A', name: zone, value: HERE });
  expect(deleteFirst.map(({ type }) => type).sort()).toEqual(['A', 'CNAME', 'TXT']);
});

test('a plan whose domain is gone writes nothing, and is no matter for the operator', async () => {
  const { app: made, caller, accountId, domainId, planId, zone } = await createPlan(lab, 'gone');
  await using app = made;
  const before = await setsIn(lab, zone);
  const { drain } = app.jobs;
  const wait = async () => {
    await DomainModel.deleteOne({ _id: domainId, accountId });
    await drain();
  };
  Object.assign(app.providers, { wait });
  await expect(caller.domains.applyPlan({ planId })).rejects.toThrow('The domain was removed');
  expect(await setsIn(lab, zone)).toEqual(before);
  expect((await DnsChangeModel.findOne({ _id: planId, accountId }))?.state).toBe('failed');
  expect(await JobModel.countDocuments({ accountId, name: 'apply-dns', status: 'dead' })).toBe(0);
});

test('a plan whose connection is gone says what to do, and is no matter for the operator', async () => {
  const { app: made, caller, accountId, domainId, planId, zone } = await createPlan(lab, 'cut-off');
  await using app = made;
  const [connection] = (await caller.connections.list()).items;
  const { drain } = app.jobs;
  const wait = async () => {
    await caller.connections.remove({ connectionId: connection?.id ?? '' });
    await drain();
  };
  Object.assign(app.providers, { wait });
  await expect(caller.domains.applyPlan({ planId })).rejects.toMatchObject({ cause: { code: 'zone_not_found' } });
  const error = {
    message: `The connection to the provider of ${zone} was removed.`,
    hint: 'Connect the provider again, then write the records once more.',
  };
  expect(await caller.domains.lastPlan({ domainId })).toMatchObject({ state: 'failed', error });
  expect(await JobModel.countDocuments({ accountId, name: 'apply-dns', status: 'dead' })).toBe(0);
  Object.assign(app.providers, { wait: drain });
  await caller.connections.connect({ provider: 'powerdns', fields: lab.fields });
  expect((await caller.domains.applyPlan({ planId })).state).toBe('applied');
});

test('a call that is repeated while the job ends has its answer', async () => {
  const made = await createPlan(lab, 'overtaken');
  await using _app = made.app;
  const { caller, planId } = made;
  const own = { _id: planId, accountId: made.accountId };
  const find = DnsChangeModel.findOne;
  for (const [verb, during, end] of [
    ['applyPlan', 'applying', 'applied'],
    ['undoPlan', 'undoing', 'undone'],
  ] as const) {
    await DnsChangeModel.updateOne(own, { state: during });
    using _ends = vi.spyOn(DnsChangeModel, 'findOne').mockImplementationOnce((...question: Parameters<typeof find>) => {
      const query = find.apply(DnsChangeModel, question);
      const exec = query.exec.bind(query);
      const overtaken = async () => {
        const plan = await exec();
        await DnsChangeModel.updateOne(own, { state: end });
        return plan;
      };
      return Object.assign(query, { exec: overtaken });
    });
    expect(await caller.domains[verb]({ planId })).toMatchObject({ planId, state: end });
  }
});
