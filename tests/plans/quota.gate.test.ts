import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import mongoose from 'mongoose';
import { afterAll, expect, inject, test } from 'vitest';
import type { CreateDeploymentInput } from '../../routers/schemas/deployments.ts';
import type { PaidPlan } from '../../routers/schemas/plans.ts';
import { UserModel } from '../../server/database/models/account/user.ts';
import { DomainModel } from '../../server/database/models/domains/domain.ts';
import { SubscriptionModel } from '../../server/database/models/plans/subscription.ts';
import { DeploymentModel } from '../../server/database/models/publishing/deployment.ts';
import { createTestApp, type Person, type TestApp } from '../support/app.ts';
import { endLeases } from '../support/make-due.ts';
import { program } from '../support/program.ts';
import { refusalOf } from '../support/refusal.ts';
import { retryUntilAvailable } from '../support/retry-until-available.ts';
import { IS_FULL } from '../support/size.ts';

const MIXED_ACTS = IS_FULL ? 1_000 : 10;
const KILLS = IS_FULL ? 20 : 1;
/** More than either cap; what they cost grows with the square, since each conflicts with all others. */
const CREATIONS = IS_FULL ? 50 : 8;
const CLICKS = IS_FULL ? 20 : 6;
const AT_ONCE = 4;
const YEAR_MS = 365 * 86_400_000;

async function personWith(app: TestApp, plan: PaidPlan): Promise<Person> {
  const person = await app.person();
  await SubscriptionModel.create({
    _id: person.user.id,
    accountId: person.user.id,
    plan,
    status: 'active',
    startedAt: new Date(),
    endsAt: new Date(Date.now() + YEAR_MS),
  });
  return person;
}

/** Returns the number that the caps count, beside the number of deployments that are there. */
async function countsOf(person: Person) {
  const accountId = person.user.id;
  const user = await UserModel.findOne({ _id: accountId });
  return { counted: user?.deploymentCount, there: await DeploymentModel.countDocuments({ accountId }) };
}

type Instance = { process: ChildProcess; lines: Interface };

/** Starts another instance on the same database; resolves when it is ready to go. */
async function startInstance(): Promise<Instance> {
  const child = spawn(process.execPath, [...program('quota-instance'), inject('mongoUri'), mongoose.connection.name], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const instance = { process: child, lines: createInterface({ input: child.stdout }) };
  expect(await nextLine(instance)).toBe('ready');
  return instance;
}

/** Instances that have done what they were told, and take a further word. */
const idle: Instance[] = [];
afterAll(() => {
  for (const instance of idle) instance.process.stdin?.end();
});

async function instances(count: number): Promise<Instance[]> {
  const there = idle.splice(0, count);
  return [...there, ...(await Promise.all(Array.from({ length: count - there.length }, startInstance)))];
}

/** Returns its answer to what it is told (tests/support/quota-instance.ts). */
async function answerOf(instance: Instance, told: object): Promise<string> {
  const answer = nextLine(instance);
  instance.process.stdin?.write(`${JSON.stringify(told)}\n`);
  return answer;
}

/** Returns the next line of the instance; fails when it ends instead. */
async function nextLine({ process: child, lines }: Instance): Promise<string> {
  const patience = new AbortController();
  const end = once(child, 'exit', { signal: patience.signal }).then(() => {
    throw new Error('The instance ended by itself.');
  });
  const line = once(lines, 'line', { signal: patience.signal }).then(([text]) => String(text));
  try {
    return await Promise.race([line, end]);
  } finally {
    patience.abort();
    await Promise.allSettled([line, end]);
  }
}

test(`of ${CREATIONS} deployments, and of ${CREATIONS} domains, at once over two instances exactly as many are made as the plan allows, and the refusal names plan, limit and upgrade hint`, async () => {
  await using app = await createTestApp();
  const ada = await personWith(app, 'STANDARD');
  const accountId = ada.user.id;
  const two = await instances(2);
  async function tell(deploymentId: string | null): Promise<unknown[]> {
    const told = { act: 'create', accountId, count: CREATIONS / 2, deploymentId };
    const answers = await Promise.all(two.map((instance) => answerOf(instance, told)));
    return answers.flatMap((answer) => JSON.parse(answer)).sort();
  }
  const made = (cap: number, code: string) => [...Array(cap).fill('created'), ...Array(CREATIONS - cap).fill(code)];

  expect(await tell(null)).toEqual(made(3, 'deployment_limit_reached'));
  expect(await countsOf(ada)).toEqual({ counted: 3, there: 3 });
  const refusal = await refusalOf(ada.caller.deployments.create({ name: 'One more', platform: 'built-in' }));
  expect(refusal).toMatchObject({ code: 'deployment_limit_reached', status: 403 });
  expect(refusal.message).toBe('The Standard plan allows 3 deployments. Choose a larger plan under Pricing & Trial.');
  const deployment = await DeploymentModel.findOne({ accountId }).orFail();
  expect(await tell(deployment._id)).toEqual(made(5, 'domain_limit_reached'));
  expect(await DomainModel.countDocuments({ accountId })).toBe(5);
  idle.push(...two);
});

test('after creations and removals in any order the count is the number of deployments', async () => {
  await using app = await createTestApp();
  const ada = await personWith(app, 'PRO');
  const create = (input: CreateDeploymentInput) => retryUntilAvailable(() => ada.caller.deployments.create(input));
  let acts = 0;
  async function churn(lane: number): Promise<void> {
    const mine: string[] = [];
    while (acts < MIXED_ACTS) {
      acts += 1;
      const oldest = acts % 3 === 0 ? mine.shift() : undefined;
      const idempotencyKey = `churn-${lane}-${acts}`;
      if (oldest !== undefined)
        await retryUntilAvailable(() => ada.caller.deployments.remove({ deploymentId: oldest }));
      else mine.push((await create({ name: `Site ${lane}`, platform: 'built-in', idempotencyKey })).id);
    }
  }

  await Promise.all([1, 2, 3, 4].map(churn));
  await app.jobs.drain();

  const { counted, there } = await countsOf(ada);
  expect(counted).toBe(there);
  expect(there).toBeGreaterThan(0);
});

/** Lets it begin, and kills it somewhere within its next turn, another place each time. */
async function killInTurn(instance: Instance | undefined, accountId: string, kill: number): Promise<void> {
  if (instance === undefined) throw new Error('No instance was started.');
  await answerOf(instance, { act: 'churn', accountId });
  await new Promise((resolve) => setTimeout(resolve, ((kill + 1) * 37) % 100));
  const exit = once(instance.process, 'exit');
  instance.process.kill('SIGKILL');
  await exit;
}

test('the count is right after an instance was killed between creations and removals', async () => {
  await using app = await createTestApp();
  const ada = await personWith(app, 'PRO');
  // A few at a time: each does nothing until it is told to, and takes its time to come to that.
  const waiting: Instance[] = [];
  try {
    for (let kill = 0; kill < KILLS; kill += 1) {
      if (waiting.length === 0) waiting.push(...(await instances(Math.min(AT_ONCE, KILLS - kill))));
      await killInTurn(waiting.pop(), ada.user.id, kill);
      const counts = await countsOf(ada);
      expect(counts.counted).toBe(counts.there);
    }
  } finally {
    for (const instance of waiting) instance.process.kill('SIGKILL');
  }
  // What the killed ones left to do is done by the next worker, once their leases are over.
  await endLeases();
  await app.jobs.drain();
  const counts = await countsOf(ada);
  expect(counts.counted).toBe(counts.there);
  expect(await DeploymentModel.countDocuments({ accountId: ada.user.id, state: 'deleting' })).toBe(0);
});

test('once the plan fell, nothing above its cap is created any more', async () => {
  await using app = await createTestApp();
  const ada = await personWith(app, 'PRO');
  let hasFallen = false;
  let createdAfter = 0;
  let created = 0;
  async function createUntilRefused(): Promise<string> {
    for (;;) {
      const startedAfter = hasFallen;
      const creation = retryUntilAvailable(() => ada.caller.deployments.create({ name: 'Site', platform: 'built-in' }));
      const isCreated = await creation.then(
        () => true,
        () => false,
      );
      if (!isCreated) return (await refusalOf(creation)).code;
      created += 1;
      if (startedAfter) createdAfter += 1;
      if (created === 8) {
        await SubscriptionModel.updateOne({ accountId: ada.user.id }, { $set: { plan: 'BASIC' } });
        hasFallen = true;
      }
    }
  }

  const ends = await Promise.all([1, 2, 3, 4].map(createUntilRefused));

  expect(new Set(ends)).toEqual(new Set(['deployment_limit_reached']));
  expect(createdAfter).toBe(0);
  expect(await countsOf(ada)).toEqual({ counted: created, there: created });
});

/** The one that no cap bounds is held by a quick test (routers/deployments.test.ts). */
test.each<PaidPlan>(IS_FULL ? ['PRO', 'BASIC'] : ['BASIC'])(
  `one idempotency key ${CLICKS} times at once makes one deployment on %s`,
  async (plan) => {
    await using app = await createTestApp();
    const ada = await personWith(app, plan);
    const input = { name: 'Atlas', platform: 'built-in', idempotencyKey: 'click-0123456789' } as const;
    const create = () => retryUntilAvailable(() => ada.caller.deployments.create(input));

    const answers = await Promise.all(Array.from({ length: CLICKS }, create));

    expect(new Set(answers.map((answer) => answer.id)).size).toBe(1);
    expect((await create()).id).toBe(answers[0]?.id);
    expect(await countsOf(ada)).toEqual({ counted: 1, there: 1 });
  },
  60_000,
);

test('once no plan is active deployments stay, and are changed again with a plan', async () => {
  await using app = await createTestApp();
  const ada = await app.trialPerson();
  const { id } = await ada.caller.deployments.create({ name: 'Atlas', platform: 'built-in' });
  await SubscriptionModel.updateOne({ accountId: ada.user.id }, { $set: { endsAt: new Date(0) } });
  const rename = () => ada.caller.deployments.update({ deploymentId: id, name: 'Atlas two' });

  const used = { code: 'plan_required', status: 403, hint: 'Choose a plan under Pricing & Trial.' };
  expect(await refusalOf(rename())).toMatchObject(used);
  expect((await refusalOf(ada.caller.deployments.create({ name: 'Two', platform: 'built-in' }))).message).toBe(
    'The Free plan allows no deployments. Choose a plan under Pricing & Trial.',
  );
  await SubscriptionModel.updateOne({ accountId: ada.user.id }, { $set: { trialStartedAt: null } });
  const available = { ...used, hint: 'Start the free 14-day trial of Pro under Pricing & Trial.' };
  expect(await refusalOf(rename()), 'a plan without a trial has ended').toMatchObject(available);
  expect(await ada.caller.deployments.get({ deploymentId: id })).toMatchObject({ name: 'Atlas' });
  await SubscriptionModel.updateOne({ accountId: ada.user.id }, { $set: { endsAt: new Date(Date.now() + YEAR_MS) } });
  expect(await rename()).toMatchObject({ name: 'Atlas two' });
});
